#include "pack/msym_record.h"

#include "base/array.h"
#include "pack/msym_format.h"

#include <stdlib.h>
#include <string.h>

void ms_msym_record_fini(struct ms_msym_record *r)
{
    free(r->files);
    free(r->file_numbers);
    free(r->nodes);
    free(r->spans);
    free(r->rows);
}

static uint64_t get_signed(struct ms_cursor *c)
{
    uint64_t value = ms_cursor_uleb(c);
    return value >> 1 ^ (value & 1 ? UINT64_MAX : 0);
}

static bool make_room(void *items_pointer, uint64_t n, size_t *room, size_t item_bytes)
{
    while (*room < n)
        if (!ms_array_grow(items_pointer, *room, room, item_bytes))
            return false;
    return true;
}

/* A count whose items take `least` bytes each at least. */
static size_t get_count(struct ms_cursor *c, size_t least)
{
    uint64_t n = ms_cursor_uleb(c);
    if (n > ms_cursor_left(c) / least)
        ms_cursor_spoil(c);
    return c->bad ? 0 : (size_t)n;
}

/* What can't be read is of no code: nobody is led there. */
static enum ms_status give_up(struct ms_msym_record *r, enum ms_status status)
{
    r->piece.low = r->piece.high = 0;
    return status;
}

/* ---- its beginning ------------------------------------------------------------------------ */

static enum ms_status read_files(struct ms_msym_record *r, struct ms_cursor *c,
                                 struct ms_error *err)
{
    size_t n = get_count(c, 1);
    uint64_t number = 0;
    if (!make_room(&r->files, n, &r->files_room, sizeof *r->files) ||
        !make_room(&r->file_numbers, n, &r->numbers_room, sizeof *r->file_numbers))
        return ms_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        number += get_signed(c);
        r->file_numbers[i] = number;
        r->files[i] = (struct ms_piece_file){NULL, NULL, NULL};
    }
    r->piece.files = r->files;
    r->piece.n_files = n;
    return MS_OK;
}

/* Where each part begins. A part is as long as its numbers, of which the last have a top bit of 0.
 */
static enum ms_status find_parts(struct ms_msym_record *r, struct ms_cursor *c)
{
    uint64_t n_nodes = get_count(c, 3);
    r->nodes_at = *c;
    r->nodes_left = (size_t)n_nodes;
    if (n_nodes)
        ms_cursor_skip_lebs(c, 6 * n_nodes - 3); /* the function is called nowhere */
    r->spans_left = get_count(c, 2);
    r->spans_at = *c;
    ms_cursor_skip_lebs(c, 2 * (uint64_t)r->spans_left);
    r->rows_left = get_count(c, 2);
    r->rows_at = *c;
    return c->bad || n_nodes >= MS_NO_PARENT ? MS_E_FORMAT : MS_OK;
}

enum ms_status ms_msym_record_start(struct ms_msym_record *r, struct ms_bytes bytes, uint64_t low,
                                    uint64_t high, uint64_t n_names, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(bytes, false);
    uint64_t head = ms_cursor_uleb(&c), source = head >> 3;
    r->bytes = bytes;
    r->n_names = n_names;
    r->scale = head & 4 ? 2 : 0;
    r->piece = (struct ms_piece){.low = low, .high = high, .damaged = head & 2};
    if (source > MS_SOURCE_REPORT)
        return give_up(r, MS_E_FORMAT);
    r->piece.source = (enum ms_source)source;
    enum ms_status status = read_files(r, &c, err);
    if (status == MS_OK)
        status = find_parts(r, &c);
    if (status == MS_OK &&
        (!make_room(&r->nodes, r->nodes_left, &r->nodes_room, sizeof *r->nodes) ||
         !make_room(&r->spans, 1, &r->spans_room, sizeof *r->spans) ||
         !make_room(&r->rows, 1, &r->rows_room, sizeof *r->rows)))
        status = ms_fail_memory(err);
    if (status != MS_OK)
        return give_up(r, status);
    r->piece.nodes = r->nodes;
    r->piece.spans = r->spans;
    r->piece.rows = r->rows;
    /* Before the first span there is the function, before the first row nothing is known. */
    r->names = 0;
    r->start_vm = r->address = low;
    r->span = (struct ms_piece_span){low, 0};
    r->row = (struct ms_piece_row){low, 0, 0, 0};
    r->spans[0] = r->span;
    r->rows[0] = r->row;
    return MS_OK;
}

/* ---- nodes, spans, rows ------------------------------------------------------------------- */

/* The first n nodes, of which some may have been read. */
static bool read_nodes(struct ms_msym_record *r, size_t n)
{
    struct ms_cursor c = r->nodes_at;
    uint64_t names = r->names, start = r->start_vm;
    size_t i = r->piece.n_nodes;
    for (; i < n && !c.bad; i++) {
        struct ms_piece_node *node = &r->nodes[i];
        uint64_t back = ms_cursor_uleb(&c);
        names += get_signed(&c);
        uint64_t has_start = ms_cursor_uleb(&c);
        if (has_start)
            start += (has_start - 1) >> 1 ^ ((has_start - 1) & 1 ? UINT64_MAX : 0);
        if ((back >= i && (i || back)) || names >= r->n_names)
            ms_cursor_spoil(&c);
        *node = (struct ms_piece_node){.names = (uint32_t)names + 1,
                                       .has_start = has_start != 0,
                                       .start_vm = has_start ? start : 0,
                                       .parent = i ? (uint32_t)(i - 1 - back) : MS_NO_PARENT};
        if (i) {
            node->call_file = (uint32_t)ms_cursor_uleb(&c);
            node->call_line = (uint32_t)ms_cursor_uleb(&c);
            node->call_column = (uint32_t)ms_cursor_uleb(&c);
        }
    }
    r->nodes_left -= i - r->piece.n_nodes;
    r->piece.n_nodes = i;
    r->nodes_at = c;
    r->names = names;
    r->start_vm = start;
    return !c.bad;
}

static inline void read_span(struct ms_cursor *c, unsigned scale, struct ms_piece_span *span)
{
    span->low += ms_cursor_uleb(c) << scale;
    span->node = (uint32_t)(span->node + get_signed(c));
}

static inline void read_row(struct ms_cursor *c, unsigned scale, struct ms_piece_row *row)
{
    uint8_t head = ms_cursor_u8(c);
    uint64_t step = head & MSYM_MOST_STEP, lines = head >> 3;
    if (!step) {
        step = ms_cursor_uleb(c);
        if (step & 1)
            row->file = (uint32_t)ms_cursor_uleb(c);
        step >>= 1;
    }
    row->line += lines == MSYM_LINE_MORE ? (uint32_t)get_signed(c)
                                         : (uint32_t)lines + (uint32_t)MSYM_LINE_BASE;
    row->low += step << scale;
    row->column = (uint32_t)ms_cursor_uleb(c);
}

/* ---- at an address ----------------------------------------------------------------------- */

/* Goes on to the first span behind the address; the last before it is left as the piece's. */
static bool pass_spans(struct ms_msym_record *r, uint64_t address)
{
    struct ms_cursor c = r->spans_at;
    struct ms_piece_span span = r->span, last = r->spans[0];
    size_t left = r->spans_left;
    while (span.low <= address) {
        last = span;
        if (!left) {
            span.low = UINT64_MAX; /* there is none behind */
            break;
        }
        left--;
        read_span(&c, r->scale, &span);
    }
    r->spans_at = c;
    r->spans_left = left;
    r->span = span;
    r->spans[0] = last;
    return !c.bad;
}

static bool pass_rows(struct ms_msym_record *r, uint64_t address)
{
    struct ms_cursor c = r->rows_at;
    struct ms_piece_row row = r->row, last = r->rows[0];
    size_t left = r->rows_left;
    while (row.low <= address) {
        last = row;
        if (!left) {
            row.low = UINT64_MAX;
            break;
        }
        left--;
        read_row(&c, r->scale, &row);
    }
    r->rows_at = c;
    r->rows_left = left;
    r->row = row;
    r->rows[0] = last;
    return !c.bad;
}

enum ms_status ms_msym_record_seek(struct ms_msym_record *r, uint64_t address, struct ms_error *err)
{
    if (address < r->address) {
        enum ms_status status =
            ms_msym_record_start(r, r->bytes, r->piece.low, r->piece.high, r->n_names, err);
        if (status != MS_OK)
            return status;
    }
    r->address = address;
    r->piece.n_spans = r->piece.n_rows = 1;
    if (!pass_spans(r, address) || !pass_rows(r, address))
        return give_up(r, MS_E_FORMAT);
    size_t node = r->spans[0].node, n_nodes = r->piece.n_nodes + r->nodes_left;
    if (node >= n_nodes && (n_nodes || node))
        return give_up(r, MS_E_FORMAT);
    if (n_nodes && node >= r->piece.n_nodes && !read_nodes(r, node + 1))
        return give_up(r, MS_E_FORMAT);
    return MS_OK;
}

/* ---- the whole --------------------------------------------------------------------------- */

static enum ms_status read_spans(struct ms_msym_record *r, struct ms_error *err)
{
    size_t n = r->spans_left;
    if (!make_room(&r->spans, n, &r->spans_room, sizeof *r->spans))
        return ms_fail_memory(err);
    r->piece.spans = r->spans;
    r->piece.n_spans = n;
    for (size_t i = 0; i < n; i++) {
        read_span(&r->spans_at, r->scale, &r->span);
        r->spans[i] = r->span;
        if (r->span.node >= r->piece.n_nodes)
            ms_cursor_spoil(&r->spans_at);
    }
    return r->spans_at.bad ? MS_E_FORMAT : MS_OK;
}

static enum ms_status read_rows(struct ms_msym_record *r, struct ms_error *err)
{
    size_t n = r->rows_left;
    if (!make_room(&r->rows, n, &r->rows_room, sizeof *r->rows))
        return ms_fail_memory(err);
    r->piece.rows = r->rows;
    r->piece.n_rows = n;
    for (size_t i = 0; i < n; i++) {
        read_row(&r->rows_at, r->scale, &r->row);
        r->rows[i] = r->row;
    }
    return r->rows_at.bad || ms_cursor_left(&r->rows_at) ? MS_E_FORMAT : MS_OK;
}

enum ms_status ms_msym_record_read(struct ms_msym_record *r, struct ms_bytes bytes, uint64_t low,
                                   uint64_t high, uint64_t n_names, struct ms_error *err)
{
    enum ms_status status = ms_msym_record_start(r, bytes, low, high, n_names, err);
    if (status == MS_OK && !read_nodes(r, r->nodes_left))
        status = MS_E_FORMAT;
    if (status == MS_OK)
        status = read_spans(r, err);
    if (status == MS_OK)
        status = read_rows(r, err);
    return status == MS_OK ? status : give_up(r, status);
}
