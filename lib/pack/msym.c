#include "pack/msym.h"

#include "base/cursor.h"
#include "pack/check.h"
#include "pack/msym_format.h"
#include "pack/msym_record.h"

#include <stdlib.h>
#include <string.h>

/* Where a block's code starts, and where its records and those of the next one do. */
struct block {
    uint64_t low, first, end;
};

/* From record to record of a block. What comes next is likely to be near. */
struct walk {
    size_t i; /* of the block */
    struct block block;
    struct ms_cursor at; /* the next record */
    uint64_t low, high;  /* code of the one before */
    struct ms_bytes record;
    bool bad; /* it can't be read: nobody tries again for every address in it */
};

struct ms_msym {
    struct ms_bytes bytes; /* of the header and all behind it */
    const char *where;
    struct ms_msym_head head;
    /* Parts of `paged`, which is what the checksums are of. */
    struct ms_bytes paged, blocks, files, names, records, strings, checks, tops;
    uint64_t names_n, files_n;
    uint8_t *tested;        /* a bit a page: its checksum is right */
    uint8_t *tested_checks; /* the same of the pages of `checks` */
    /* A page: so many from it on are known to hold no end of a string. Strings that overlap would
     * be read to their ends again and again without it. */
    uint32_t *endless;
    struct walk walk;
    uint64_t next_address;        /* asked for soon */
    size_t next_block;            /* the one that has it; n_blocks = nobody has looked */
    struct ms_msym_record record; /* the one that was read last */
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
    free(m->tested_checks);
    free(m->endless);
    ms_msym_record_fini(&m->record);
    free(m);
}

/* ---- the header -------------------------------------------------------------------------- */

static uint64_t offset_of(const struct ms_msym *m, const uint8_t *at)
{
    return (uint64_t)(at - m->bytes.at);
}

/* Of bytes that are long enough. */
static uint64_t u64_at(struct ms_bytes bytes, size_t off)
{
    return ms_load_u64(bytes.at + off, false);
}

static uint32_t u32_at(struct ms_bytes bytes, size_t off)
{
    return ms_load_u32(bytes.at + off, false);
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
    m->head.n_functions = u64_at(h, MSYM_AT_N_FUNCTIONS);
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
    m->paged.n -= rest.n;
    if (!cut(&rest, msym_pages(m->paged.n), 4, &m->checks) || rest.n != msym_pages(m->checks.n) * 4)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, m->paged.at + m->paged.n),
                       "%zu bytes of checksums, expected %zu for %zu pages", m->checks.n + rest.n,
                       msym_pages(m->paged.n) * 4 + msym_pages(msym_pages(m->paged.n) * 4) * 4,
                       msym_pages(m->paged.n));
    m->tops = rest;
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
    if (status == MS_OK && ms_check(m->tops.at, m->tops.n) != u32_at(m->bytes, MSYM_AT_TOPS_CHECK))
        status = ms_fail(err, MS_E_FORMAT, where, offset_of(m, m->tops.at),
                         "checksum of the checksums differs");
    size_t n_pages = msym_pages(m->paged.n);
    if (status == MS_OK && (!(m->tested = calloc(n_pages / 8 + 1, 1)) ||
                            !(m->tested_checks = calloc(msym_pages(m->checks.n) / 8 + 1, 1)) ||
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

static inline bool is_tested(const struct ms_msym *m, size_t page)
{
    return m->tested[page / 8] >> page % 8 & 1;
}

static void note_tested(uint8_t *tested, size_t page)
{
    tested[page / 8] |= (uint8_t)(1 << page % 8);
}

/* Tests the page of checksums that has that of a page. */
static enum ms_status test_checks(struct ms_msym *m, size_t page, struct ms_error *err)
{
    size_t i = page * 4 / MSYM_PAGE, start = i * MSYM_PAGE;
    if (m->tested_checks[i / 8] >> i % 8 & 1)
        return MS_OK;
    if (ms_check(m->checks.at + start, msym_page_bytes(start, m->checks.n)) !=
        u32_at(m->tops, i * 4))
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, m->checks.at) + start,
                       "checksum of a page of checksums differs: the file is damaged");
    note_tested(m->tested_checks, i);
    return MS_OK;
}

static enum ms_status test_page(struct ms_msym *m, size_t page, struct ms_error *err)
{
    size_t start = page * MSYM_PAGE;
    enum ms_status status = test_checks(m, page, err);
    if (status != MS_OK)
        return status;
    if (ms_check(m->paged.at + start, msym_page_bytes(start, m->paged.n)) !=
        u32_at(m->checks, page * 4))
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_HEADER + start,
                       "checksum of a page of the index differs: the file is damaged");
    note_tested(m->tested, page);
    return MS_OK;
}

static enum ms_status test_pages(struct ms_msym *m, size_t page, size_t last, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (; page <= last && status == MS_OK; page++)
        if (!is_tested(m, page))
            status = test_page(m, page, err);
    return status;
}

/* Tests the pages that hold [at, at + n), of which all lies in m->paged. */
static inline enum ms_status test(struct ms_msym *m, const uint8_t *at, size_t n,
                                  struct ms_error *err)
{
    size_t off = (size_t)(at - m->paged.at), page = off / MSYM_PAGE;
    if (!n || (off % MSYM_PAGE + n <= MSYM_PAGE && is_tested(m, page)))
        return MS_OK;
    return test_pages(m, page, (off + n - 1) / MSYM_PAGE, err);
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

/* The string at an offset of the table, of which its length is not known. Page by page, so that
 * one name doesn't make all behind it be read. */
static enum ms_status long_string(struct ms_msym *m, uint32_t off, const char **out,
                                  struct ms_error *err)
{
    const uint8_t *at = m->strings.at + off;
    size_t page = (size_t)(at - m->paged.at) / MSYM_PAGE;
    struct ms_bytes rest = strings_of_page(m, page);
    rest.n -= (size_t)(at - rest.at);
    enum ms_status status = test(m, at, rest.n, err);
    if (status == MS_OK && !memchr(at, 0, rest.n))
        status = find_end(m, page + 1, err);
    if (status == MS_ABSENT)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, at), "string 0x%x has no end", off);
    if (status == MS_OK)
        *out = (const char *)at;
    return status;
}

/* The string at an offset; *out is NULL for offset 0, which is none. */
static enum ms_status string_at(struct ms_msym *m, uint32_t off, const char **out,
                                struct ms_error *err)
{
    *out = NULL;
    if (!off)
        return MS_OK;
    if (off >= m->strings.n)
        return ms_fail(err, MS_E_FORMAT, m->where, MS_NO_OFFSET,
                       "string 0x%x lies outside the table of 0x%zx bytes", off, m->strings.n);
    const uint8_t *at = m->strings.at + off;
    enum ms_status status = test(m, at - 1, 1, err);
    if (status != MS_OK)
        return status;
    size_t n = at[-1];
    if (!n || n >= m->strings.n - off)
        return long_string(m, off, out, err);
    status = test(m, at, n + 1, err);
    if (status == MS_OK && at[n])
        return long_string(m, off, out, err);
    if (status == MS_OK)
        *out = (const char *)at;
    return status;
}

/* Tests item `i` of a table of string offsets; *out is where it is. */
static enum ms_status item_of(struct ms_msym *m, struct ms_bytes table, uint64_t n, uint64_t i,
                              size_t bytes, const uint8_t **out, struct ms_error *err)
{
    if (i >= n)
        return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, table.at),
                       "number %llu in a table of %llu", (unsigned long long)i,
                       (unsigned long long)n);
    *out = table.at + i * bytes;
    return test(m, *out, bytes, err);
}

/* ---- strings of a record ------------------------------------------------------------------ */

/* Looks for the strings of the node's names. */
static enum ms_status name_node(struct ms_msym *m, uint32_t node, struct ms_error *err)
{
    struct ms_piece_node *named = &m->record.nodes[node];
    const uint8_t *item = NULL;
    if (!named->names)
        return MS_OK;
    enum ms_status status =
        item_of(m, m->names, m->names_n, named->names - 1, MSYM_NAME, &item, err);
    if (status == MS_OK)
        status = string_at(m, ms_load_u32(item, false), &named->linkage, err);
    if (status == MS_OK)
        status = string_at(m, ms_load_u32(item + 4, false), &named->name, err);
    if (status == MS_OK)
        named->names = 0;
    return status;
}

/* The same of a file, as rows and calls name it: 1 + its place in the list; others have none. */
static enum ms_status name_file(struct ms_msym *m, uint32_t file, struct ms_error *err)
{
    struct ms_msym_record *r = &m->record;
    const char *names[3];
    const uint8_t *item = NULL;
    if (!file || file > r->piece.n_files || r->files[file - 1].file)
        return MS_OK;
    enum ms_status status =
        item_of(m, m->files, m->files_n, r->file_numbers[file - 1], MSYM_FILE, &item, err);
    for (size_t k = 0; k < 3 && status == MS_OK; k++)
        status = string_at(m, ms_load_u32(item + 4 * k, false), &names[k], err);
    if (status == MS_OK)
        r->files[file - 1] = (struct ms_piece_file){names[0], names[1], names[2]};
    return status;
}

/* What the answer needs at the address that the record was read for. */
static enum ms_status name_chain(struct ms_msym *m, struct ms_error *err)
{
    const struct ms_msym_record *r = &m->record;
    enum ms_status status = name_file(m, r->rows[0].file, err);
    if (!r->piece.n_nodes)
        return status;
    size_t depth = 0;
    for (uint32_t node = r->spans[0].node; node != MS_NO_PARENT && status == MS_OK;
         node = r->nodes[node].parent) {
        if (depth++ == MS_MAX_INLINE_DEPTH) /* then the function answers alone */
            return name_node(m, 0, err);
        status = name_node(m, node, err);
        if (status == MS_OK)
            status = name_file(m, r->nodes[node].call_file, err);
    }
    return status;
}

static enum ms_status name_all(struct ms_msym *m, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (size_t i = 0; i < m->record.piece.n_nodes && status == MS_OK; i++)
        status = name_node(m, (uint32_t)i, err);
    for (size_t i = 0; i < m->record.piece.n_files && status == MS_OK; i++)
        status = name_file(m, (uint32_t)i + 1, err);
    return status;
}

static enum ms_status bad_record(struct ms_msym *m, struct ms_bytes record, uint64_t low,
                                 struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, record.at),
                   "record of 0x%llx cannot be read", (unsigned long long)low);
}

/* ---- looking up -------------------------------------------------------------------------- */

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

static enum ms_status start_block(struct ms_msym *m, size_t i, struct ms_error *err)
{
    struct walk *walk = &m->walk;
    struct ms_bytes bytes;
    enum ms_status status = block_at(m, i, &walk->block, err);
    if (status != MS_OK) {
        memset(walk, 0, sizeof *walk); /* nothing is in it */
        return status;
    }
    ms_bytes_part(m->records, walk->block.first, walk->block.end - walk->block.first, &bytes);
    walk->i = i;
    walk->at = ms_cursor_over(bytes, false);
    walk->low = walk->high = walk->block.low;
    walk->bad = false;
    return MS_OK;
}

/* Whether block i starts at or below the address. */
static enum ms_status is_below(struct ms_msym *m, size_t i, uint64_t address, bool *out,
                               struct ms_error *err)
{
    const uint8_t *at = m->blocks.at + i * MSYM_BLOCK;
    enum ms_status status = test(m, at, 8, err);
    *out = status == MS_OK && m->head.base_vm + ms_load_u64(at, false) <= address;
    return status;
}

/*
 * The last block that starts at or below the address. It is looked for from the block in hand on,
 * in steps that double: who has many addresses asks in their order.
 */
static enum ms_status search_blocks(struct ms_msym *m, uint64_t address, size_t *found,
                                    struct ms_error *err)
{
    size_t from = 0, n = m->head.n_blocks;
    enum ms_status status = MS_OK;
    bool below;
    if (m->walk.block.end && m->walk.block.low <= address) {
        from = m->walk.i + 1;
        n -= from;
        for (size_t step = 1; n > step; step *= 2) {
            status = is_below(m, from + step - 1, address, &below, err);
            if (status != MS_OK)
                return status;
            if (!below) {
                n = step - 1;
                break;
            }
            from += step;
            n -= step;
        }
    }
    while (n && status == MS_OK) {
        size_t half = n / 2;
        status = is_below(m, from + half, address, &below, err);
        from += below ? half + 1 : 0;
        n = below ? n - half - 1 : half;
    }
    *found = from - 1;
    return status == MS_OK && !from ? MS_ABSENT : status;
}

static enum ms_status find_block(struct ms_msym *m, uint64_t address, struct ms_error *err)
{
    size_t i;
    enum ms_status status = search_blocks(m, address, &i, err);
    if (status != MS_OK || (m->walk.block.end && i == m->walk.i && address >= m->walk.low))
        return status;
    return start_block(m, i, err);
}

static enum ms_status bad_block(struct ms_msym *m, struct ms_error *err)
{
    const struct block *block = &m->walk.block;
    uint64_t low = block->low, first = block->first;
    memset(&m->walk, 0, sizeof m->walk);
    return ms_fail(err, MS_E_FORMAT, m->where, offset_of(m, m->records.at) + first,
                   "records of the block at 0x%llx cannot be read", (unsigned long long)low);
}

/* Takes the next record of the block; MS_ABSENT at its end. Of the record's own bytes none are
 * tested. */
static enum ms_status next_record(struct ms_msym *m, struct ms_error *err)
{
    enum { FRONT = 3 * 10 }; /* bytes of three numbers */
    struct walk *walk = &m->walk;
    struct ms_cursor *c = &walk->at;
    size_t left = ms_cursor_left(c);
    if (!left)
        return MS_ABSENT;
    if (ms_cursor_offset(c) >= MSYM_BLOCK_BYTES)
        return bad_block(m, err);
    enum ms_status status = test(m, c->at, left < FRONT ? left : FRONT, err);
    if (status != MS_OK)
        return status;
    uint64_t gap = ms_cursor_uleb(c), n = ms_cursor_uleb(c), size = ms_cursor_uleb(c);
    walk->record = ms_cursor_bytes(c, size);
    walk->bad = false;
    if (c->bad || !n || ms_add_overflows(walk->high, gap, &walk->low) ||
        ms_add_overflows(walk->low, n, &walk->high))
        return bad_block(m, err);
    return MS_OK;
}

/* Begins to read the record that has an address. */
static enum ms_status find_record(struct ms_msym *m, uint64_t address, struct ms_error *err)
{
    struct walk *walk = &m->walk;
    enum ms_status status = find_block(m, address, err);
    while (status == MS_OK && walk->high <= address)
        status = next_record(m, err);
    if (status != MS_OK)
        return status;
    if (address < walk->low)
        return MS_ABSENT;
    status = test(m, walk->record.at, walk->record.n, err);
    if (status != MS_OK)
        return status;
    if (!walk->bad)
        status =
            ms_msym_record_start(&m->record, walk->record, walk->low, walk->high, m->names_n, err);
    walk->bad |= status == MS_E_FORMAT;
    return walk->bad ? bad_record(m, walk->record, walk->low, err) : status;
}

enum ms_status ms_msym_find(struct ms_msym *m, uint64_t address, struct ms_ready_answer *out,
                            struct ms_error *err)
{
    struct ms_msym_record *r = &m->record;
    enum ms_status status = MS_OK;
    out->n_frames = 0;
    out->damaged = false;
    if (address < r->piece.low || address >= r->piece.high)
        status = find_record(m, address, err);
    if (status != MS_OK)
        return status;
    uint64_t low = r->piece.low;
    status = ms_msym_record_seek(r, address, err);
    if (status == MS_E_FORMAT) {
        m->walk.bad |= m->walk.record.at == r->bytes.at;
        return bad_record(m, r->bytes, low, err);
    }
    if (status == MS_OK)
        status = name_chain(m, err);
    if (status != MS_OK)
        return status;
    ms_ready_from_piece(&r->piece, address, out);
    return out->n_frames ? MS_OK : MS_ABSENT;
}

static enum ms_status check_record(struct ms_msym *m, struct ms_error *err)
{
    const struct walk *walk = &m->walk;
    enum ms_status status =
        ms_msym_record_read(&m->record, walk->record, walk->low, walk->high, m->names_n, err);
    if (status == MS_E_FORMAT)
        return bad_record(m, walk->record, walk->low, err);
    return status == MS_OK ? name_all(m, err) : status;
}

enum ms_status ms_msym_check(struct ms_msym *m, ms_msym_taker take, void *owner,
                             struct ms_error *err)
{
    uint64_t last = m->head.base_vm, n = 0, n_functions = 0, end = 0;
    enum ms_status status = test(m, m->paged.at, m->paged.n, err);
    for (size_t i = 0; i < m->head.n_blocks && status == MS_OK; i++) {
        status = start_block(m, i, err);
        if (status != MS_OK)
            break;
        if (m->walk.block.low < last || (i == 0 && m->walk.block.first))
            return bad_block(m, err);
        while ((status = next_record(m, err)) == MS_OK) {
            status = check_record(m, err);
            if (status != MS_OK)
                break;
            n++;
            n_functions += !(m->record.piece.more && m->record.piece.low == end);
            end = m->record.piece.high;
            if (take && !take(owner, &m->record.piece)) {
                m->record.piece.low = m->record.piece.high = 0;
                return MS_OK;
            }
        }
        last = m->walk.high;
        if (status == MS_ABSENT)
            status = MS_OK;
    }
    m->record.piece.low = m->record.piece.high = 0; /* it was read for no address */
    if (status == MS_OK && n != m->head.n_records)
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_N_RECORDS,
                       "%llu records, the header says %llu", (unsigned long long)n,
                       (unsigned long long)m->head.n_records);
    if (status == MS_OK && n_functions != m->head.n_functions)
        return ms_fail(err, MS_E_FORMAT, m->where, MSYM_AT_N_FUNCTIONS,
                       "%llu functions, the header says %llu", (unsigned long long)n_functions,
                       (unsigned long long)m->head.n_functions);
    return status;
}
