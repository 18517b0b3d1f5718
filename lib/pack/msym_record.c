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

/* A signed number, of one that has the sign in the lowest bit. */
static inline uint64_t unfold(uint64_t value)
{
    return value >> 1 ^ (0 - (value & 1));
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
    if (!ms_array_reach(&r->files, n, &r->files_room, sizeof *r->files) ||
        !ms_array_reach(&r->file_numbers, n, &r->numbers_room, sizeof *r->file_numbers))
        return ms_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        number += unfold(ms_cursor_uleb(c));
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
    r->piece = (struct ms_piece){.low = low, .high = high, .damaged = head & 2, .more = head & 1};
    if (source > MS_SOURCE_REPORT)
        return give_up(r, MS_E_FORMAT);
    r->piece.source = (enum ms_source)source;
    enum ms_status status = read_files(r, &c, err);
    if (status == MS_OK)
        status = find_parts(r, &c);
    if (status == MS_OK &&
        (!ms_array_reach(&r->nodes, r->nodes_left, &r->nodes_room, sizeof *r->nodes) ||
         !ms_array_reach(&r->spans, 1, &r->spans_room, sizeof *r->spans) ||
         !ms_array_reach(&r->rows, 1, &r->rows_room, sizeof *r->rows)))
        status = ms_fail_memory(err);
    if (status != MS_OK)
        return give_up(r, status);
    r->piece.nodes = r->nodes;
    r->piece.spans = r->spans;
    r->piece.rows = r->rows;
    /* Before the first span there is the function, before the first row nothing is known. */
    r->names = 0;
    r->start_vm = r->address = low;
    r->spans[0] = (struct ms_piece_span){low, 0};
    r->rows[0] = (struct ms_piece_row){low, 0, 0, 0};
    return MS_OK;
}

/* ---- nodes, spans, rows ------------------------------------------------------------------- */

/*
 * Numbers of an item that is `sure` to lie within the bytes, which is known of the most that it can
 * have, are read without testing for the end. One that is too long for 64 bits ends all the same.
 */
enum { MOST_BYTES = 6 * 10 };

static inline bool is_sure(const struct ms_cursor *c)
{
    return c->end - c->at >= MOST_BYTES;
}

static inline uint64_t get(struct ms_cursor *c, bool sure)
{
    const uint8_t *at = c->at;
    if (!sure)
        return ms_cursor_uleb(c);
    if (at[0] < 0x80) {
        c->at = at + 1;
        return at[0];
    }
    if (at[1] < 0x80) {
        c->at = at + 2;
        return (at[0] & 0x7fu) | (unsigned)at[1] << 7;
    }
    struct ms_leb leb = ms_uleb_slow(at, at + 10);
    c->at = leb.at ? leb.at : at + 10;
    return leb.value;
}

/* What a node is told by its distance from. */
struct node_before {
    uint64_t names, start_vm;
};

/* Node number i. */
static inline void read_node(struct ms_cursor *c, bool sure, size_t i, uint64_t n_names,
                             struct node_before *before, struct ms_piece_node *node)
{
    uint64_t back = get(c, sure);
    before->names += unfold(get(c, sure));
    uint64_t begins = get(c, sure);
    if (begins)
        before->start_vm += unfold(begins - 1);
    if ((back >= i && (i || back)) || before->names >= n_names)
        ms_cursor_spoil(c);
    node->linkage = node->name = NULL;
    node->names = (uint32_t)before->names + 1;
    node->has_start = begins != 0;
    node->start_vm = begins ? before->start_vm : 0;
    node->parent = i ? (uint32_t)(i - 1 - back) : MS_NO_PARENT;
    if (!i || c->bad) {
        node->call_file = node->call_line = node->call_column = 0;
        return;
    }
    node->call_file = (uint32_t)get(c, sure);
    node->call_line = (uint32_t)get(c, sure);
    node->call_column = (uint32_t)get(c, sure);
}

/* The first n nodes, of which some may have been read. */
static bool read_nodes(struct ms_msym_record *r, size_t n)
{
    struct ms_cursor c = r->nodes_at;
    struct node_before before = {r->names, r->start_vm};
    size_t i = r->piece.n_nodes;
    for (; i < n && is_sure(&c); i++)
        read_node(&c, true, i, r->n_names, &before, &r->nodes[i]);
    for (; i < n && !c.bad; i++)
        read_node(&c, false, i, r->n_names, &before, &r->nodes[i]);
    r->nodes_left -= i - r->piece.n_nodes;
    r->piece.n_nodes = i;
    r->nodes_at = c;
    r->names = before.names;
    r->start_vm = before.start_vm;
    return !c.bad;
}

/* Goes on to the next span, unless that begins behind the address: then nothing has moved. */
static inline bool read_span(struct ms_cursor *c, bool sure, unsigned scale, uint64_t address,
                             struct ms_piece_span *span)
{
    struct ms_cursor at = *c;
    uint64_t low = span->low + (get(&at, sure) << scale);
    if (low > address)
        return false;
    span->low = low;
    span->node = (uint32_t)(span->node + unfold(get(&at, sure)));
    *c = at;
    return true;
}

/* The same with rows. */
static inline bool read_row(struct ms_cursor *c, bool sure, unsigned scale, uint64_t address,
                            struct ms_piece_row *row)
{
    struct ms_cursor at = *c;
    uint8_t head = sure ? *at.at++ : ms_cursor_u8(&at);
    unsigned lines = head >> 3;
    uint64_t step = head & MSYM_MOST_STEP;
    bool other_file = false;
    if (!step) {
        step = get(&at, sure);
        other_file = step & 1;
        step >>= 1;
    }
    uint64_t low = row->low + (step << scale);
    if (low > address)
        return false;
    row->low = low;
    if (other_file)
        row->file = (uint32_t)get(&at, sure);
    row->line += lines == MSYM_LINE_MORE ? (uint32_t)unfold(get(&at, sure))
                                         : lines + (uint32_t)MSYM_LINE_BASE;
    row->column = (uint32_t)get(&at, sure);
    *c = at;
    return true;
}

/* ---- at an address ----------------------------------------------------------------------- */

/* Goes on to the last span that begins at the address or before. */
static bool pass_spans(struct ms_msym_record *r, uint64_t address)
{
    struct ms_cursor c = r->spans_at;
    struct ms_piece_span span = r->spans[0];
    size_t left = r->spans_left;
    while (left && is_sure(&c) && read_span(&c, true, r->scale, address, &span))
        left--;
    while (left && read_span(&c, false, r->scale, address, &span))
        left--;
    r->spans_at = c;
    r->spans_left = left;
    r->spans[0] = span;
    return !c.bad;
}

static bool pass_rows(struct ms_msym_record *r, uint64_t address)
{
    struct ms_cursor c = r->rows_at;
    struct ms_piece_row row = r->rows[0];
    size_t left = r->rows_left;
    while (left && is_sure(&c) && read_row(&c, true, r->scale, address, &row))
        left--;
    while (left && read_row(&c, false, r->scale, address, &row))
        left--;
    r->rows_at = c;
    r->rows_left = left;
    r->rows[0] = row;
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
    if (!ms_array_reach(&r->spans, n, &r->spans_room, sizeof *r->spans))
        return ms_fail_memory(err);
    struct ms_piece_span span = r->spans[0];
    r->piece.spans = r->spans;
    r->piece.n_spans = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t before = span.low;
        read_span(&r->spans_at, false, r->scale, UINT64_MAX, &span);
        r->spans[i] = span;
        if (span.node >= r->piece.n_nodes || span.low < before || span.low >= r->piece.high)
            ms_cursor_spoil(&r->spans_at);
    }
    return r->spans_at.bad ? MS_E_FORMAT : MS_OK;
}

static enum ms_status read_rows(struct ms_msym_record *r, struct ms_error *err)
{
    size_t n = r->rows_left;
    if (!ms_array_reach(&r->rows, n, &r->rows_room, sizeof *r->rows))
        return ms_fail_memory(err);
    struct ms_piece_row row = r->rows[0];
    r->piece.rows = r->rows;
    r->piece.n_rows = n;
    for (size_t i = 0; i < n; i++) {
        uint64_t before = row.low;
        read_row(&r->rows_at, false, r->scale, UINT64_MAX, &row);
        r->rows[i] = row;
        if (row.low < before || row.low >= r->piece.high)
            ms_cursor_spoil(&r->rows_at);
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
