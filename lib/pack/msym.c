#include "pack/msym.h"

#include "base/array.h"
#include "base/cursor.h"
#include "pack/check.h"
#include "pack/msym_format.h"

#include <stdlib.h>
#include <string.h>

struct ms_msym {
    struct ms_bytes bytes; /* of the header and all behind it */
    const char *where;
    struct ms_msym_head head;
    /* Parts of `paged`, which is what the checksums are of. */
    struct ms_bytes paged, blocks, files, names, records, strings, checks;
    uint64_t names_n, files_n;
    uint8_t *tested; /* a bit a page: its checksum is right */
    /* A page: so many from it on are known to hold no end of a string. Strings that overlap would
     * be read to their ends again and again without it. */
    uint32_t *endless;
    /* Of the record that was read last. */
    struct ms_piece piece;
    struct ms_piece_node *nodes;
    struct ms_piece_span *spans;
    struct ms_piece_row *rows;
    struct ms_piece_file *list;
    size_t nodes_room, spans_room, rows_room, list_room;
    uint64_t *list_numbers; /* of the files in `list` */
    size_t list_numbers_room;
};

void ms_msym_head(const struct ms_msym *msym, struct ms_msym_head *out)
{
    *out = msym->head;
}

void ms_msym_close(struct ms_msym *m)
{
    if (!m)
        return;
    free(m->tested);
    free(m->endless);
    free(m->nodes);
    free(m->spans);
    free(m->rows);
    free(m->list);
    free(m->list_numbers);
    free(m);
}

/* ---- the header -------------------------------------------------------------------------- */

static uint64_t offset_of(const struct ms_msym *m, const uint8_t *at)
{
    return (uint64_t)(at - m->bytes.at);
}

static uint64_t u64_at(struct ms_bytes bytes, size_t off)
{
    struct ms_cursor c = ms_cursor_over(bytes, false);
    ms_cursor_seek(&c, off);
    return ms_cursor_u64(&c);
}

static uint32_t u32_at(struct ms_bytes bytes, size_t off)
{
    struct ms_cursor c = ms_cursor_over(bytes, false);
    ms_cursor_seek(&c, off);
    return ms_cursor_u32(&c);
}

/* Cuts a part of `count` items off the front of *rest. */
static bool cut(struct ms_bytes *rest, uint64_t count, uint64_t width, struct ms_bytes *out)
{
    uint64_t n;
    return !ms_mul_overflows(count, width, &n) && ms_bytes_part(*rest, 0, n, out) &&
           ms_bytes_from(*rest, n, rest);
}

bool ms_msym_is_whole(struct ms_bytes h)
{
    return h.n >= MSYM_HEADER && memcmp(h.at, MSYM_MAGIC, 4) == 0 &&
           !(h.at[MSYM_AT_FLAGS] & MSYM_FLAGS);
}

static enum ms_status read_header(struct ms_msym *m, struct ms_error *err)
{
    struct ms_bytes h = m->bytes, rest;
    if (h.n < MSYM_HEADER || memcmp(h.at, MSYM_MAGIC, 4) != 0)
        return ms_fail(err, MS_E_FORMAT, m->where, 0, "is no index: it does not begin with %s",
                       MSYM_MAGIC);
    if (u32_at(h, MSYM_AT_VERSION) % 65536 != MSYM_VERSION)
        return ms_fail(err, MS_E_UNSUPPORTED, m->where, MSYM_AT_VERSION,
                       "index of version %u; this program reads %d",
                       u32_at(h, MSYM_AT_VERSION) % 65536, MSYM_VERSION);
    if (u32_at(h, MSYM_AT_CHECK) != ms_check(h.at, MSYM_AT_CHECK))
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_CHECK, "checksum of the header differs");
    unsigned flags = u32_at(h, MSYM_AT_VERSION) >> 16;
    m->head.base_vm = u64_at(h, MSYM_AT_BASE);
    m->head.n_records = u64_at(h, MSYM_AT_N_RECORDS);
    m->head.n_blocks = (size_t)u64_at(h, MSYM_AT_N_BLOCKS);
    m->head.partial = flags & MSYM_PARTIAL;
    m->head.broken = flags & MSYM_BROKEN;
    m->head.lost = flags & MSYM_LOST;
    m->files_n = u64_at(h, MSYM_AT_N_FILES);
    m->names_n = u64_at(h, MSYM_AT_N_NAMES);
    if (u64_at(h, MSYM_AT_BYTES) > h.n)
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_BYTES,
                       "index of %llu bytes is cut off: %zu remain",
                       (unsigned long long)u64_at(h, MSYM_AT_BYTES), h.n);
    m->bytes.n = (size_t)u64_at(h, MSYM_AT_BYTES);
    ms_bytes_from(m->bytes, MSYM_HEADER, &rest);
    m->paged = rest;
    if (flags & ~(unsigned)MSYM_FLAGS ||
        !cut(&rest, u64_at(h, MSYM_AT_N_BLOCKS), MSYM_BLOCK, &m->blocks) ||
        !cut(&rest, m->files_n, MSYM_FILE, &m->files) ||
        !cut(&rest, m->names_n, MSYM_NAME, &m->names) ||
        !cut(&rest, u64_at(h, MSYM_AT_RECORD_BYTES), 1, &m->records) ||
        !cut(&rest, u64_at(h, MSYM_AT_STRING_BYTES), 1, &m->strings) || !m->strings.n)
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_N_BLOCKS,
                       "tables of the index need more than its %zu bytes", m->bytes.n);
    m->checks = rest;
    m->paged.n -= rest.n;
    return MS_OK;
}

const char *ms_msym_name(struct ms_bytes bytes)
{
    struct ms_msym m = {.bytes = bytes, .where = ""};
    if (read_header(&m, NULL) != MS_OK)
        return NULL;
    uint32_t off = u32_at(bytes, MSYM_AT_NAME);
    const char *name = off ? ms_bytes_string(m.strings, off, NULL) : NULL;
    return name && name[0] && !strchr(name, '/') ? name : NULL;
}

enum ms_status ms_msym_open(struct ms_bytes bytes, const char *where, struct ms_msym **out,
                            struct ms_error *err)
{
    struct ms_msym *m = calloc(1, sizeof *m);
    if (!m)
        return ms_fail_memory(err);
    m->bytes = bytes;
    m->where = where;
    enum ms_status status = read_header(m, err);
    size_t n_pages = m->paged.n / MSYM_PAGE + (m->paged.n % MSYM_PAGE != 0);
    if (status == MS_OK && m->checks.n != n_pages * 4)
        status = ms_fail(err, MS_E_FORMAT, where, offset_of(m, m->checks.at),
                         "%zu bytes of checksums, expected %zu for %zu pages", m->checks.n,
                         n_pages * 4, n_pages);
    if (status == MS_OK &&
        ms_check(m->checks.at, m->checks.n) != u32_at(m->bytes, MSYM_AT_CHECKS_CHECK))
        status = ms_fail(err, MS_E_FORMAT, where, offset_of(m, m->checks.at),
                         "checksum of the checksums differs");
    if (status == MS_OK && (!(m->tested = calloc(n_pages / 8 + 1, 1)) ||
                            !(m->endless = calloc(n_pages + 1, sizeof *m->endless))))
        status = ms_fail_memory(err);
    if (status != MS_OK) {
        ms_msym_close(m);
        return status;
    }
    *out = m;
    return MS_OK;
}

/* ---- pages ------------------------------------------------------------------------------- */

/* Tests the pages that hold [at, at + n), of which all lies in m->paged. */
static enum ms_status test(struct ms_msym *m, const uint8_t *at, size_t n, struct ms_error *err)
{
    size_t off = (size_t)(at - m->paged.at), last = n ? (off + n - 1) / MSYM_PAGE : off / MSYM_PAGE;
    for (size_t page = off / MSYM_PAGE; page <= last && n; page++) {
        size_t start = page * MSYM_PAGE;
        size_t bytes = m->paged.n - start < MSYM_PAGE ? m->paged.n - start : MSYM_PAGE;
        if (m->tested[page / 8] >> page % 8 & 1)
            continue;
        if (ms_check(m->paged.at + start, bytes) != u32_at(m->checks, page * 4))
            return ms_fail(err, MS_E_FORMAT, m->where, MSYM_HEADER + start,
                           "checksum of a page of the index differs: the file is damaged");
        m->tested[page / 8] |= (uint8_t)(1 << page % 8);
    }
    return MS_OK;
}

/* What page number `page` has of the strings; none of it behind their end. */
static struct ms_bytes strings_of_page(const struct ms_msym *m, size_t page)
{
    size_t from = (size_t)(m->strings.at - m->paged.at), to = from + m->strings.n;
    size_t low = page * MSYM_PAGE > from ? page * MSYM_PAGE : from;
    size_t high = (page + 1) * MSYM_PAGE < to ? (page + 1) * MSYM_PAGE : to;
    return (struct ms_bytes){m->paged.at + (low < to ? low : to), low < high ? high - low : 0};
}

/* Goes on from a page to one in which a string ends; MS_ABSENT when there is none. */
static enum ms_status find_end(struct ms_msym *m, size_t page, struct ms_error *err)
{
    enum ms_status status = MS_ABSENT;
    size_t at = page;
    for (struct ms_bytes bytes; (bytes = strings_of_page(m, at)).n; at += m->endless[at]) {
        if (m->endless[at])
            continue;
        status = test(m, bytes.at, bytes.n, err);
        if (status != MS_OK || memchr(bytes.at, 0, bytes.n))
            break;
        status = MS_ABSENT;
        m->endless[at] = 1;
    }
    while (page < at) {
        size_t next = page + m->endless[page];
        m->endless[page] = (uint32_t)(at - page);
        page = next;
    }
    return status;
}

/* The string at an offset of the table; *out is NULL for offset 0, which is none. */
static enum ms_status string_at(struct ms_msym *m, uint32_t off, const char **out,
                                struct ms_error *err)
{
    *out = NULL;
    if (!off)
        return MS_OK;
    if (off >= m->strings.n)
        return ms_fail(err, MS_E_FORMAT, m->where, MS_NO_OFFSET,
                       "string 0x%x lies outside the table of 0x%zx bytes", off, m->strings.n);
    /* Page by page, so that one name doesn't make all behind it be read. */
    const uint8_t *at = m->strings.at + off;
    size_t page = (size_t)(at - m->paged.at) / MSYM_PAGE;
    struct ms_bytes rest = strings_of_page(m, page);
    rest.n -= (size_t)(at - rest.at);
    enum ms_status status = test(m, at, rest.n, err);
    if (status == MS_OK && !memchr(at, 0, rest.n))
        status = find_end(m, page + 1, err);
    if (status == MS_ABSENT)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, at), "string 0x%x has no end", off);
    *out = status == MS_OK ? (const char *)at : NULL;
    return status;
}

/* Item `i` of a table of string offsets. */
static enum ms_status strings_of(struct ms_msym *m, struct ms_bytes table, uint64_t n, uint64_t i,
                                 unsigned width, const char **out, struct ms_error *err)
{
    if (i >= n)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, table.at),
                       "number %llu in a table of %llu", (unsigned long long)i,
                       (unsigned long long)n);
    const uint8_t *at = table.at + i * width * 4;
    enum ms_status status = test(m, at, width * 4u, err);
    for (unsigned k = 0; k < width && status == MS_OK; k++)
        status = string_at(m, u32_at((struct ms_bytes){at, width * 4u}, 4 * k), &out[k], err);
    return status;
}

/* ---- a record ---------------------------------------------------------------------------- */

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
static uint64_t get_count(struct ms_cursor *c, size_t least)
{
    uint64_t n = ms_cursor_uleb(c);
    if (n > ms_cursor_left(c) / least)
        ms_cursor_spoil(c);
    return c->bad ? 0 : n;
}

/*
 * Of files and names a record gives numbers; the strings behind them lie elsewhere in the file, so
 * only those that an answer needs are looked for: until then a file has none, and a node its
 * number plus one.
 */
static enum ms_status read_files(struct ms_msym *m, struct ms_cursor *c, struct ms_error *err)
{
    uint64_t n = get_count(c, 1), number = 0;
    if (!make_room(&m->list, n, &m->list_room, sizeof *m->list))
        return ms_fail_memory(err);
    while (m->list_numbers_room < m->list_room)
        if (!ms_array_grow(&m->list_numbers, m->list_numbers_room, &m->list_numbers_room,
                           sizeof *m->list_numbers))
            return ms_fail_memory(err);
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        number += get_signed(c);
        m->list_numbers[i] = number;
        m->list[i] = (struct ms_piece_file){NULL, NULL, NULL};
    }
    m->piece.files = m->list;
    m->piece.n_files = (size_t)n;
    return MS_OK;
}

static enum ms_status read_nodes(struct ms_msym *m, struct ms_cursor *c, struct ms_error *err)
{
    uint64_t n = get_count(c, 3), number = 0, start = m->piece.low;
    if (n >= MS_NO_PARENT || !make_room(&m->nodes, n, &m->nodes_room, sizeof *m->nodes))
        return ms_fail_memory(err);
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        struct ms_piece_node *node = &m->nodes[i];
        uint64_t back = ms_cursor_uleb(c);
        number += get_signed(c);
        uint64_t has_start = ms_cursor_uleb(c);
        if (has_start)
            start += (has_start - 1) >> 1 ^ ((has_start - 1) & 1 ? UINT64_MAX : 0);
        if ((back >= i && (i || back)) || number >= m->names_n)
            ms_cursor_spoil(c);
        *node = (struct ms_piece_node){.names = (uint32_t)number + 1,
                                       .has_start = has_start != 0,
                                       .start_vm = has_start ? start : 0,
                                       .parent = i ? (uint32_t)(i - 1 - back) : MS_NO_PARENT};
        if (i) {
            node->call_file = (uint32_t)ms_cursor_uleb(c);
            node->call_line = (uint32_t)ms_cursor_uleb(c);
            node->call_column = (uint32_t)ms_cursor_uleb(c);
        }
    }
    m->piece.nodes = m->nodes;
    m->piece.n_nodes = (size_t)n;
    return MS_OK;
}

/* Looks for the strings of the node's names. */
static enum ms_status name_node(struct ms_msym *m, uint32_t node, struct ms_error *err)
{
    const char *names[2];
    struct ms_piece_node *named = &m->nodes[node];
    if (!named->names)
        return MS_OK;
    enum ms_status status = strings_of(m, m->names, m->names_n, named->names - 1, 2, names, err);
    if (status != MS_OK)
        return status;
    named->linkage = names[0];
    named->name = names[1];
    named->names = 0;
    return MS_OK;
}

/* The same of a file, as rows and calls name it: 1 + its place in the list; others have none. */
static enum ms_status name_file(struct ms_msym *m, uint32_t file, struct ms_error *err)
{
    const char *names[3];
    if (!file || file > m->piece.n_files || m->list[file - 1].file)
        return MS_OK;
    enum ms_status status =
        strings_of(m, m->files, m->files_n, m->list_numbers[file - 1], 3, names, err);
    if (status == MS_OK)
        m->list[file - 1] = (struct ms_piece_file){names[0], names[1], names[2]};
    return status;
}

/* What the answer at one address needs. */
static enum ms_status name_chain(struct ms_msym *m, uint64_t address, struct ms_error *err)
{
    const struct ms_piece_row *row = ms_piece_row_at(&m->piece, address);
    enum ms_status status = row ? name_file(m, row->file, err) : MS_OK;
    if (!m->piece.n_nodes)
        return status;
    for (uint32_t node = ms_piece_node_at(&m->piece, address);
         node != MS_NO_PARENT && status == MS_OK; node = m->nodes[node].parent) {
        status = name_node(m, node, err);
        if (status == MS_OK)
            status = name_file(m, m->nodes[node].call_file, err);
    }
    return status;
}

static enum ms_status name_all(struct ms_msym *m, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < m->piece.n_nodes && status == MS_OK; i++)
        status = name_node(m, (uint32_t)i, err);
    for (size_t i = 0; i < m->piece.n_files && status == MS_OK; i++)
        status = name_file(m, (uint32_t)i + 1, err);
    return status;
}

static enum ms_status read_spans(struct ms_msym *m, struct ms_cursor *c, unsigned scale,
                                 struct ms_error *err)
{
    uint64_t n = get_count(c, 2), low = m->piece.low, node = 0;
    if (!make_room(&m->spans, n, &m->spans_room, sizeof *m->spans))
        return ms_fail_memory(err);
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        low += ms_cursor_uleb(c) << scale;
        node += get_signed(c);
        if (node >= m->piece.n_nodes)
            ms_cursor_spoil(c);
        m->spans[i] = (struct ms_piece_span){low, (uint32_t)node};
    }
    m->piece.spans = m->spans;
    m->piece.n_spans = (size_t)n;
    return MS_OK;
}

static enum ms_status read_rows(struct ms_msym *m, struct ms_cursor *c, unsigned scale,
                                struct ms_error *err)
{
    uint64_t n = get_count(c, 2), low = m->piece.low;
    uint32_t line = 0, file = 0;
    if (!make_room(&m->rows, n, &m->rows_room, sizeof *m->rows))
        return ms_fail_memory(err);
    for (uint64_t i = 0; i < n && !c->bad; i++) {
        uint8_t head = ms_cursor_u8(c);
        uint64_t step = head & MSYM_MOST_STEP, lines = head >> 3;
        if (!step) {
            step = ms_cursor_uleb(c);
            if (step & 1)
                file = (uint32_t)ms_cursor_uleb(c);
            step >>= 1;
        }
        line += lines == MSYM_LINE_MORE ? (uint32_t)get_signed(c)
                                        : (uint32_t)lines + (uint32_t)MSYM_LINE_BASE;
        low += step << scale;
        m->rows[i] = (struct ms_piece_row){low, file, line, (uint32_t)ms_cursor_uleb(c)};
    }
    m->piece.rows = m->rows;
    m->piece.n_rows = (size_t)n;
    return MS_OK;
}

/* Reads what stands behind the three numbers that every record begins with into m->piece. */
static enum ms_status read_record(struct ms_msym *m, struct ms_bytes bytes, uint64_t low,
                                  uint64_t high, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(bytes, false);
    enum ms_status status = test(m, bytes.at, bytes.n, err);
    if (status != MS_OK)
        return status;
    uint64_t head = ms_cursor_uleb(&c);
    unsigned scale = head & 4 ? 2 : 0;
    m->piece = (struct ms_piece){.low = low, .high = high, .damaged = head & 2};
    m->piece.source = (enum ms_source)(head >> 3 <= MS_SOURCE_REPORT ? head >> 3 : 0);
    status = read_files(m, &c, err);
    if (status == MS_OK)
        status = read_nodes(m, &c, err);
    if (status == MS_OK)
        status = read_spans(m, &c, scale, err);
    if (status == MS_OK)
        status = read_rows(m, &c, scale, err);
    if (status == MS_OK && (c.bad || ms_cursor_left(&c) || head >> 3 > MS_SOURCE_REPORT))
        status = ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, bytes.at),
                         "record of 0x%llx cannot be read", (unsigned long long)low);
    if (status != MS_OK)
        m->piece.low = m->piece.high = 0;
    return status;
}

/* ---- looking up -------------------------------------------------------------------------- */

/* Where a block's code starts, and where its records and those of the next one do. */
struct block {
    uint64_t low, first, end;
};

static enum ms_status block_at(struct ms_msym *m, size_t i, struct block *out, struct ms_error *err)
{
    size_t n = i + 1 < m->head.n_blocks ? 2 * MSYM_BLOCK : MSYM_BLOCK;
    struct ms_bytes bytes = {m->blocks.at + i * MSYM_BLOCK, n};
    enum ms_status status = test(m, bytes.at, n, err);
    if (status != MS_OK)
        return status;
    out->low = m->head.base_vm + u64_at(bytes, 0);
    out->first = u64_at(bytes, 8);
    out->end = n > MSYM_BLOCK ? u64_at(bytes, MSYM_BLOCK + 8) : m->records.n;
    if (out->first > out->end || out->end > m->records.n)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, bytes.at),
                       "block of records from 0x%llx to 0x%llx, the records have 0x%zx bytes",
                       (unsigned long long)out->first, (unsigned long long)out->end, m->records.n);
    return MS_OK;
}

/* The last block that starts at or below the address. */
static enum ms_status find_block(struct ms_msym *m, uint64_t address, struct block *out,
                                 struct ms_error *err)
{
    size_t from = 0, n = m->head.n_blocks;
    while (n) {
        size_t half = n / 2;
        struct block block;
        enum ms_status status = block_at(m, from + half, &block, err);
        if (status != MS_OK)
            return status;
        if (block.low <= address) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from ? block_at(m, from - 1, out, err) : MS_ABSENT;
}

/* A record's own bytes, and where it is; false at the end, or when that can't be read. */
static bool next_record(struct ms_cursor *c, uint64_t *low, uint64_t *high, struct ms_bytes *bytes)
{
    if (!ms_cursor_left(c))
        return false;
    if (ms_cursor_offset(c) >= MSYM_BLOCK_BYTES)
        ms_cursor_spoil(c);
    uint64_t gap = ms_cursor_uleb(c), n = ms_cursor_uleb(c), size = ms_cursor_uleb(c);
    *bytes = ms_cursor_bytes(c, size);
    if (c->bad || !n || ms_add_overflows(*high, gap, low) || ms_add_overflows(*low, n, high))
        ms_cursor_spoil(c);
    return !c->bad;
}

static enum ms_status bad_block(struct ms_msym *m, const struct block *block, struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, m->records.at) + block->first,
                   "records of the block at 0x%llx cannot be read", (unsigned long long)block->low);
}

static enum ms_status find_record(struct ms_msym *m, uint64_t address, struct ms_error *err)
{
    struct block block;
    struct ms_bytes bytes, record;
    enum ms_status status = find_block(m, address, &block, err);
    if (status != MS_OK)
        return status;
    ms_bytes_part(m->records, block.first, block.end - block.first, &bytes);
    status = test(m, bytes.at, bytes.n < MSYM_BLOCK_FRONT ? bytes.n : MSYM_BLOCK_FRONT, err);
    if (status != MS_OK)
        return status;
    struct ms_cursor c = ms_cursor_over(bytes, false);
    uint64_t low, high = block.low;
    while (next_record(&c, &low, &high, &record)) {
        if (address < low)
            return MS_ABSENT;
        if (address < high)
            return read_record(m, record, low, high, err);
    }
    return c.bad ? bad_block(m, &block, err) : MS_ABSENT;
}

enum ms_status ms_msym_find(struct ms_msym *m, uint64_t address, struct ms_ready_answer *out,
                            struct ms_error *err)
{
    out->n_frames = 0;
    out->damaged = false;
    if (address < m->piece.low || address >= m->piece.high) {
        enum ms_status status = find_record(m, address, err);
        if (status != MS_OK)
            return status;
    }
    enum ms_status named = name_chain(m, address, err);
    if (named != MS_OK)
        return named;
    ms_ready_from_piece(&m->piece, address, out);
    return out->n_frames ? MS_OK : MS_ABSENT;
}

enum ms_status ms_msym_check(struct ms_msym *m, ms_msym_taker take, void *owner,
                             struct ms_error *err)
{
    struct block block;
    uint64_t last = m->head.base_vm, n = 0;
    enum ms_status status = test(m, m->paged.at, m->paged.n, err);
    for (size_t i = 0; i < m->head.n_blocks && status == MS_OK; i++) {
        struct ms_bytes bytes, record;
        status = block_at(m, i, &block, err);
        if (status != MS_OK)
            break;
        ms_bytes_part(m->records, block.first, block.end - block.first, &bytes);
        struct ms_cursor c = ms_cursor_over(bytes, false);
        uint64_t low, high = block.low;
        if (block.low < last || (i == 0 && block.first))
            return bad_block(m, &block, err);
        while (status == MS_OK && next_record(&c, &low, &high, &record)) {
            status = read_record(m, record, low, high, err);
            if (status == MS_OK)
                status = name_all(m, err);
            n++;
            if (status == MS_OK && take && !take(owner, &m->piece))
                return MS_OK;
        }
        if (status == MS_OK && c.bad)
            return bad_block(m, &block, err);
        last = high;
    }
    if (status == MS_OK && n != m->head.n_records)
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_N_RECORDS,
                       "%llu records, the header says %llu", (unsigned long long)n,
                       (unsigned long long)m->head.n_records);
    return status;
}
