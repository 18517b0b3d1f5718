#include "pack/packed.h"

#include "base/array.h"
#include "pack/bytes_out.h"
#include "pack/msym_format.h"

#include <stdlib.h>
#include <string.h>

enum { MORE = 1, DAMAGED = 2, SCALED = 4, SOURCE_SHIFT = 3 };

/* ---- packing ----------------------------------------------------------------------------- */

size_t ms_packed_most(const struct ms_piece *p)
{
    size_t most = SIZE_MAX / 256 / MS_MAX_LEB;
    if (p->n_nodes > most || p->n_spans > most || p->n_rows > most || p->n_files > most)
        return SIZE_MAX;
    return 5 * MS_MAX_LEB + p->n_files * MS_MAX_LEB + p->n_nodes * 6 * MS_MAX_LEB +
           p->n_spans * 2 * MS_MAX_LEB + p->n_rows * (1 + 4 * MS_MAX_LEB);
}

static uint8_t *put_signed(uint8_t *at, uint64_t value)
{
    return ms_put_uleb(at, ms_fold_sign((int64_t)value));
}

static uint8_t *put_nodes(uint8_t *at, const struct ms_piece *p, const uint32_t *names)
{
    uint64_t start = p->low;
    uint32_t last = 0;
    at = ms_put_uleb(at, p->n_nodes);
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct ms_piece_node *node = &p->nodes[i];
        at = ms_put_uleb(at, i ? i - 1 - node->parent : 0);
        at = put_signed(at, (uint64_t)names[i] - last);
        last = names[i];
        if (node->has_start) {
            uint64_t distance = node->start_vm - start;
            at = ms_put_uleb(at, 1 + ms_fold_sign((int64_t)distance));
            start = node->start_vm;
        } else {
            *at++ = 0;
        }
        if (!i)
            continue;
        at = ms_put_uleb(at, node->call_file);
        at = ms_put_uleb(at, node->call_line);
        at = ms_put_uleb(at, node->call_column);
    }
    return at;
}

/*
 * Where all addresses of a piece stand at multiples of 4 they are scaled. That is found out on the
 * way: `odd` gathers the bits that would be lost.
 */
static uint8_t *put_spans(uint8_t *at, const struct ms_piece *p, unsigned scale, uint64_t *odd)
{
    uint64_t low = p->low;
    uint32_t last = 0;
    at = ms_put_uleb(at, p->n_spans);
    for (size_t i = 0; i < p->n_spans; i++) {
        const struct ms_piece_span *span = &p->spans[i];
        *odd |= span->low - low;
        at = ms_put_uleb(at, (span->low - low) >> scale);
        at = put_signed(at, (uint64_t)span->node - last);
        low = span->low;
        last = span->node;
    }
    return at;
}

/* A row with another file, far from the one before, or with many lines between. */
static uint8_t *put_far_row(uint8_t *at, const struct ms_piece_row *row, uint64_t step,
                            uint32_t line, bool other)
{
    uint64_t lines = (uint64_t)row->line - line - (uint64_t)(int64_t)MSYM_LINE_BASE;
    bool near = step - 1 < MSYM_MOST_STEP && !other, few = lines < MSYM_LINE_MORE;
    *at++ = (uint8_t)((near ? step : 0) | (few ? lines : MSYM_LINE_MORE) << 3);
    if (!near)
        at = ms_put_uleb(at, step << 1 | other);
    if (other)
        at = ms_put_uleb(at, row->file);
    return few ? at : put_signed(at, (uint64_t)row->line - line);
}

static uint8_t *put_rows(uint8_t *at, const struct ms_piece *p, unsigned scale, uint64_t *odd)
{
    uint64_t low = p->low, all = 0;
    uint32_t line = 0, file = 0;
    at = ms_put_uleb(at, p->n_rows);
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct ms_piece_row *row = &p->rows[i];
        uint64_t step = (row->low - low) >> scale;
        uint64_t lines = (uint64_t)row->line - line - (uint64_t)(int64_t)MSYM_LINE_BASE;
        all |= row->low - low;
        if (step - 1 < MSYM_MOST_STEP && lines < MSYM_LINE_MORE && row->file == file)
            *at++ = (uint8_t)(step | lines << 3);
        else
            at = put_far_row(at, row, step, line, row->file != file);
        at = ms_put_uleb(at, row->column);
        low = row->low;
        line = row->line;
        file = row->file;
    }
    *odd |= all;
    return at;
}

static uint8_t *put_scaled(uint8_t *at, const struct ms_piece *p, const uint32_t *files,
                           const uint32_t *names, unsigned scale, uint64_t *odd)
{
    uint32_t last = 0;
    at = ms_put_uleb(at, (uint64_t)p->source << SOURCE_SHIFT | (scale ? SCALED : 0) |
                             (p->damaged ? DAMAGED : 0) | (p->more ? MORE : 0));
    at = ms_put_uleb(at, p->n_files);
    for (size_t i = 0; i < p->n_files; i++) {
        at = put_signed(at, (uint64_t)files[i] - last);
        last = files[i];
    }
    at = put_nodes(at, p, names);
    at = put_spans(at, p, scale, odd);
    return scale && *odd & 3 ? at : put_rows(at, p, scale, odd);
}

uint8_t *ms_packed_put(uint8_t *at, const struct ms_piece *p, const uint32_t *files,
                       const uint32_t *names)
{
    uint64_t odd = 0;
    uint8_t *end = put_scaled(at, p, files, names, 2, &odd);
    if (!(odd & 3))
        return end;
    odd = 0;
    return put_scaled(at, p, files, names, 0, &odd);
}

/* ---- renumbering ------------------------------------------------------------------------- */

static uint64_t get_uleb(const uint8_t **from)
{
    uint64_t value = *(*from)++;
    if (value < 0x80)
        return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint8_t byte = *(*from)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* A number that lies at a signed distance from the one before. */
static uint32_t get_number(const uint8_t **from, uint32_t last)
{
    return (uint32_t)((int64_t)last + ms_unfold_sign(get_uleb(from)));
}

static void skip_uleb(const uint8_t **from)
{
    while (*(*from)++ & 0x80)
        ;
}

static uint8_t *copy_uleb(uint8_t *to, const uint8_t **from)
{
    uint8_t byte;
    do
        *to++ = byte = *(*from)++;
    while (byte & 0x80);
    return to;
}

/* Of a node all that follows the number of its names. */
static uint8_t *copy_rest(uint8_t *to, const uint8_t **from, bool is_function)
{
    to = copy_uleb(to, from);
    if (is_function)
        return to;
    to = copy_uleb(to, from);
    to = copy_uleb(to, from);
    return copy_uleb(to, from);
}

uint8_t *ms_packed_renumber(uint8_t *to, const uint8_t *from, size_t n, const uint32_t *files,
                            const uint32_t *names)
{
    const uint8_t *end = from + n;
    uint32_t old = 0, last = 0;
    to = copy_uleb(to, &from);
    size_t n_files = get_uleb(&from);
    to = ms_put_uleb(to, n_files);
    for (size_t i = 0; i < n_files; i++) {
        old = get_number(&from, old);
        to = put_signed(to, (uint64_t)files[old] - last);
        last = files[old];
    }
    size_t n_nodes = get_uleb(&from);
    to = ms_put_uleb(to, n_nodes);
    old = last = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        to = copy_uleb(to, &from);
        old = get_number(&from, old);
        to = put_signed(to, (uint64_t)names[old] - last);
        last = names[old];
        to = copy_rest(to, &from, !i);
    }
    memcpy(to, from, (size_t)(end - from));
    return to + (end - from);
}

bool ms_packed_goes_on(const uint8_t *from)
{
    return from[0] & MORE; /* of a number, the first byte has the lowest bits */
}

bool ms_packed_numbers(const uint8_t *from,
                       bool (*take)(void *owner, bool is_name, uint32_t number), void *owner)
{
    uint32_t number = 0;
    skip_uleb(&from);
    size_t n_files = get_uleb(&from);
    for (size_t i = 0; i < n_files; i++) {
        number = get_number(&from, number);
        if (!take(owner, false, number))
            return false;
    }
    size_t n_nodes = get_uleb(&from);
    number = 0;
    for (size_t i = 0; i < n_nodes; i++) {
        skip_uleb(&from);
        number = get_number(&from, number);
        if (!take(owner, true, number))
            return false;
        for (int k = 0; k < (i ? 4 : 1); k++)
            skip_uleb(&from);
    }
    return true;
}

/* ---- unpacking --------------------------------------------------------------------------- */

void ms_piece_room_fini(struct ms_piece_room *room)
{
    free(room->nodes);
    free(room->spans);
    free(room->rows);
    free(room->files);
    free(room->numbers);
    memset(room, 0, sizeof *room);
}

static void get_nodes(const uint8_t **from, uint64_t start, size_t n, struct ms_piece_node *nodes)
{
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++) {
        struct ms_piece_node *node = &nodes[i];
        uint64_t back = get_uleb(from);
        memset(node, 0, sizeof *node);
        node->parent = i ? (uint32_t)(i - 1 - back) : MS_NO_PARENT;
        number = get_number(from, number);
        node->names = number + 1;
        uint64_t distance = get_uleb(from);
        node->has_start = distance != 0;
        if (distance)
            node->start_vm = start += (uint64_t)ms_unfold_sign(distance - 1);
        if (!i)
            continue;
        node->call_file = (uint32_t)get_uleb(from);
        node->call_line = (uint32_t)get_uleb(from);
        node->call_column = (uint32_t)get_uleb(from);
    }
}

/* Spans and rows that lie before the part that is asked for are passed by, but for the last. */
static size_t get_spans(const uint8_t **from, unsigned scale, uint64_t at, uint64_t low,
                        uint64_t high, size_t n, struct ms_piece_span *spans)
{
    uint32_t node = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        at += get_uleb(from) << scale;
        node = get_number(from, node);
        if (at >= high)
            continue;
        if (at <= low)
            kept = 0;
        spans[kept++] = (struct ms_piece_span){at > low ? at : low, node};
    }
    return kept;
}

static size_t get_rows(const uint8_t **from, unsigned scale, uint64_t at, uint64_t low,
                       uint64_t high, size_t n, struct ms_piece_row *rows)
{
    uint32_t line = 0, file = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned byte = *(*from)++, lines = byte >> 3;
        uint64_t step = byte & MSYM_MOST_STEP;
        if (!step) {
            step = get_uleb(from);
            if (step & 1)
                file = (uint32_t)get_uleb(from);
            step >>= 1;
        }
        at += step << scale;
        line = lines < MSYM_LINE_MORE ? line + lines + (uint32_t)MSYM_LINE_BASE
                                      : get_number(from, line);
        uint32_t column = (uint32_t)get_uleb(from);
        if (at >= high)
            continue;
        if (at <= low)
            kept = 0;
        rows[kept++] = (struct ms_piece_row){at > low ? at : low, file, line, column};
    }
    return kept;
}

bool ms_packed_get(const uint8_t *from, uint64_t from_low, uint64_t low, uint64_t high,
                   struct ms_piece_room *room, struct ms_piece *out)
{
    uint64_t head = get_uleb(&from);
    unsigned scale = head & SCALED ? 2 : 0;
    uint32_t number = 0;
    size_t n_files = get_uleb(&from);
    if (!ms_array_reach(&room->files, n_files, &room->files_room, sizeof *room->files) ||
        !ms_array_reach(&room->numbers, n_files, &room->numbers_room, sizeof *room->numbers))
        return false;
    for (size_t i = 0; i < n_files; i++)
        room->numbers[i] = number = get_number(&from, number);
    size_t n_nodes = get_uleb(&from);
    if (!ms_array_reach(&room->nodes, n_nodes, &room->nodes_room, sizeof *room->nodes))
        return false;
    get_nodes(&from, from_low, n_nodes, room->nodes);
    size_t n_spans = get_uleb(&from);
    if (!ms_array_reach(&room->spans, n_spans, &room->spans_room, sizeof *room->spans))
        return false;
    n_spans = get_spans(&from, scale, from_low, low, high, n_spans, room->spans);
    size_t n_rows = get_uleb(&from);
    if (!ms_array_reach(&room->rows, n_rows, &room->rows_room, sizeof *room->rows))
        return false;
    n_rows = get_rows(&from, scale, from_low, low, high, n_rows, room->rows);
    *out = (struct ms_piece){.low = low,
                             .high = high,
                             .source = (enum ms_source)(head >> SOURCE_SHIFT),
                             .damaged = head & DAMAGED,
                             .more = head & MORE,
                             .nodes = room->nodes,
                             .n_nodes = n_nodes,
                             .spans = room->spans,
                             .n_spans = n_spans,
                             .rows = room->rows,
                             .n_rows = n_rows,
                             .files = room->files,
                             .n_files = n_files};
    return true;
}
