/*
 * pack/msym.h: an index written by hand, byte by byte, and what is said of it cut off, damaged or
 * of a later version; what the writer makes is read back; records that say what can't be.
 */
#include "pack/check.h"
#include "pack/msym.h"
#include "pack/msym_format.h"
#include "pack/msym_write.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* ---- an index by hand ------------------------------------------------------------------------ */

struct image {
    uint8_t bytes[1 << 14];
    size_t n;
};

static void put(uint8_t *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void add(struct image *m, const void *bytes, size_t n)
{
    memcpy(m->bytes + m->n, bytes, n);
    m->n += n;
}

static void add_u32(struct image *m, uint32_t value)
{
    put(m->bytes + m->n, value, 4);
    m->n += 4;
}

/* Checksums as they must be, of whatever the header says stands where. */
static void seal(struct image *m, size_t paged_end)
{
    m->n = paged_end;
    for (size_t at = MSYM_HEADER; at < paged_end; at += MSYM_PAGE)
        add_u32(m, ms_check(m->bytes + at, msym_page_bytes(at, paged_end)));
    size_t tops = m->n;
    for (size_t at = paged_end; at < tops; at += MSYM_PAGE)
        add_u32(m, ms_check(m->bytes + at, msym_page_bytes(at, tops)));
    put(m->bytes + MSYM_AT_BYTES, m->n, 8);
    put(m->bytes + MSYM_AT_TOPS_CHECK, ms_check(m->bytes + tops, m->n - tops), 4);
    put(m->bytes + MSYM_AT_CHECK, ms_check(m->bytes, MSYM_AT_CHECK), 4);
}

/* Each behind its length, which the last one is without. */
static const char strings[] = "\0\5image\0\2/c\0\1d\0\3f.c\0\7_Zouter\0\5outer\0\0inner";
enum { S_IMAGE = 2, S_COMP = 9, S_DIR = 13, S_FILE = 16, S_LINK = 21, S_OUTER = 30, S_INNER = 37 };

/* [0x1010, 0x1030) is outer; in [0x1018, 0x1020) inner is inlined at f.c:7:3. */
static const uint8_t plain_record[] = {
    0x10,
    0x20,
    42,     /* 16 bytes behind the block's start, 32 bytes, what follows */
    1 << 3, /* source: DWARF; addresses count bytes */
    1,
    0, /* one file, number 0 */
    2, /* two nodes */
    0,
    0,
    1, /* outer: names 0, starts at the record's start */
    0,
    2,
    1 + 0x10, /* inner: into the one before, names + 1, 8 bytes behind that */
    1,
    7,
    3, /* … from file 1, line 7, column 3 */
    3, /* three spans */
    0,
    0, /* at 0 node 0 */
    8,
    2, /* 8 bytes on node + 1 */
    8,
    1, /* 8 bytes on node - 1 */
    4, /* four rows */
    31 << 3,
    0 << 1 | 1,
    1,
    20,
    5, /* at 0, file 1, 10 lines on, column 5 */
    4 | (4 + 2) << 3,
    0, /* 4 bytes on, 2 lines on */
    31 << 3,
    8 << 1,
    0xc7,
    1,
    9, /* 8 bytes on, 100 lines back */
    0 | 4 << 3,
    4 << 1 | 1,
    0,
    0, /* 4 bytes on: nothing is known */
};

static size_t make(struct image *m, const uint8_t *record, size_t n)
{
    memset(m, 0, sizeof *m);
    memcpy(m->bytes, MSYM_MAGIC, 4);
    put(m->bytes + MSYM_AT_VERSION, MSYM_VERSION, 2);
    put(m->bytes + MSYM_AT_BASE, 0x1000, 8);
    put(m->bytes + MSYM_AT_N_BLOCKS, 1, 8);
    put(m->bytes + MSYM_AT_N_FILES, 1, 8);
    put(m->bytes + MSYM_AT_N_NAMES, 2, 8);
    put(m->bytes + MSYM_AT_RECORD_BYTES, n, 8);
    put(m->bytes + MSYM_AT_STRING_BYTES, sizeof strings, 8);
    put(m->bytes + MSYM_AT_N_RECORDS, 1, 8);
    put(m->bytes + MSYM_AT_N_FUNCTIONS, 1, 8);
    put(m->bytes + MSYM_AT_NAME, S_IMAGE, 4);
    m->n = MSYM_HEADER;
    static const uint8_t block[MSYM_BLOCK];
    add(m, block, sizeof block);
    const uint32_t tables[] = {S_COMP, S_DIR, S_FILE, S_LINK, S_OUTER, 0, S_INNER};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        add_u32(m, tables[i]);
    add(m, record, n);
    add(m, strings, sizeof strings);
    size_t end = m->n;
    seal(m, end);
    return end;
}

static size_t make_plain(struct image *m)
{
    uint8_t record[sizeof plain_record];
    memcpy(record, plain_record, sizeof record);
    record[2] = (uint8_t)(sizeof record - 3);
    return make(m, record, sizeof record);
}

static struct ms_msym *open_good(const struct image *m)
{
    struct ms_msym *msym;
    struct ms_error err;
    enum ms_status status =
        ms_msym_open((struct ms_bytes){m->bytes, m->n}, "a.msym __msym", &msym, &err);
    cr_assert_eq(status, MS_OK, "%s", status == MS_OK ? "" : err.text);
    return msym;
}

static struct ms_ready_answer answer;

static void expect_frame(size_t i, const char *name, uint64_t offset, uint32_t line,
                         uint32_t column)
{
    const struct ms_frame *frame = &answer.frames[i];
    cr_assert_str_eq(frame->name, name);
    cr_assert_eq(frame->offset, offset);
    cr_assert_eq(frame->line, line);
    cr_assert_eq(frame->column, column);
    cr_assert_eq(frame->source, MS_SOURCE_DWARF);
    cr_assert_eq(frame->inlined, i + 1 < answer.n_frames);
    if (line) {
        cr_assert_str_eq(frame->comp_dir, "/c");
        cr_assert_str_eq(frame->dir, "d");
        cr_assert_str_eq(frame->file, "f.c");
    } else {
        cr_assert_null(frame->file);
    }
}

Test(msym, every_byte_of_a_record)
{
    static struct image m;
    struct ms_error err;
    struct ms_msym_head head;
    make_plain(&m);
    struct ms_msym *msym = open_good(&m);
    ms_msym_head(msym, &head);
    cr_assert_eq(head.base_vm, 0x1000);
    cr_assert_eq(head.n_records, 1);
    cr_assert(!head.partial && !head.broken && !head.lost);
    cr_assert(ms_msym_is_whole((struct ms_bytes){m.bytes, m.n}));
    cr_assert_str_eq(ms_msym_name((struct ms_bytes){m.bytes, m.n}), "image");
    enum ms_status checked = ms_msym_check(msym, NULL, NULL, &err);
    cr_assert_eq(checked, MS_OK, "%s", checked == MS_OK ? "" : err.text);
    cr_assert_eq(ms_msym_find(msym, 0x1010, &answer, &err), MS_OK);
    cr_assert_eq(answer.n_frames, 1);
    cr_assert_eq(answer.low, 0x1010);
    cr_assert_eq(answer.high, 0x1030);
    expect_frame(0, "outer", 0, 10, 5);
    cr_assert_str_eq(answer.frames[0].linkage, "_Zouter");
    cr_assert_eq(ms_msym_find(msym, 0x1014, &answer, &err), MS_OK);
    expect_frame(0, "outer", 4, 12, 0);
    cr_assert_eq(ms_msym_find(msym, 0x101c, &answer, &err), MS_OK);
    cr_assert_eq(answer.n_frames, 2);
    expect_frame(0, "inner", 4, (uint32_t)-88, 9);
    cr_assert_null(answer.frames[0].linkage);
    expect_frame(1, "outer", 12, 7, 3);
    cr_assert_eq(ms_msym_find(msym, 0x102f, &answer, &err), MS_OK);
    expect_frame(0, "outer", 31, 0, 0);
    static const uint64_t outside[] = {0, 0xfff, 0x1000, 0x100f, 0x1030, 0x2000, UINT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        cr_assert_eq(ms_msym_find(msym, outside[i], &answer, &err), MS_ABSENT);
        cr_assert_eq(answer.n_frames, 0);
        cr_assert(!answer.damaged);
    }
    ms_msym_close(msym);
    ms_msym_close(NULL);
}

static uint8_t *put_leb(uint8_t *at, unsigned value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

/* Calls that nest deeper than any answer tells: the function alone, and nothing is looked for. */
Test(msym, a_chain_of_calls_that_is_too_long)
{
    static struct image m;
    static uint8_t body[8192], record[8192];
    struct ms_msym *msym;
    struct ms_error err;
    for (unsigned n = MS_MAX_INLINE_DEPTH; n < MS_MAX_INLINE_DEPTH + 2; n++) {
        const uint8_t head[] = {1 << 3, 0};
        memcpy(body, head, sizeof head);
        uint8_t *at = put_leb(body + sizeof head, n);
        *at++ = 0, *at++ = 0, *at++ = 1;
        memset(at, 0, 6 * (n - 1)); /* each in the one before */
        at = put_leb(at + 6 * (n - 1), 1);
        *at++ = 0;
        at = put_leb(at, 2 * (n - 1)); /* one span, of the last */
        *at++ = 0;
        size_t n_body = (size_t)(at - body);
        record[0] = 0x10, record[1] = 0x20;
        at = put_leb(record + 2, (unsigned)n_body);
        memcpy(at, body, n_body);
        make(&m, record, (size_t)(at - record) + n_body);
        cr_assert_eq(ms_msym_open((struct ms_bytes){m.bytes, m.n}, "w", &msym, &err), MS_OK);
        cr_assert_eq(ms_msym_find(msym, 0x1010, &answer, &err), MS_OK);
        bool told = n == MS_MAX_INLINE_DEPTH;
        cr_assert_eq(answer.n_frames, told ? n : 1);
        cr_assert_eq(answer.damaged, !told);
        cr_assert_str_eq(answer.frames[answer.n_frames - 1].linkage, "_Zouter");
        ms_msym_close(msym);
    }
}

/* A wrong length costs time, and nothing else. */
Test(msym, lengths_of_strings_are_only_hints)
{
    static struct image m;
    struct ms_msym *msym;
    struct ms_error err;
    for (unsigned length = 0; length < 256; length++) {
        size_t end = make_plain(&m);
        m.bytes[end - sizeof strings + S_LINK - 1] = (uint8_t)length;
        seal(&m, end);
        cr_assert_eq(ms_msym_open((struct ms_bytes){m.bytes, m.n}, "w", &msym, &err), MS_OK);
        cr_assert_eq(ms_msym_find(msym, 0x1010, &answer, &err), MS_OK);
        cr_assert_str_eq(answer.frames[0].linkage, "_Zouter");
        cr_assert_eq(ms_msym_check(msym, NULL, NULL, &err), MS_OK);
        ms_msym_close(msym);
    }
}

/* ---- faults ---------------------------------------------------------------------------------- */

static void expect_fault(const struct image *m, enum ms_status status, uint64_t offset,
                         const char *text)
{
    struct ms_msym *msym;
    struct ms_error err;
    struct ms_bytes bytes = {m->bytes, m->n};
    enum ms_status got = ms_msym_open(bytes, "w", &msym, &err);
    if (got == MS_OK) {
        got = ms_msym_check(msym, NULL, NULL, &err);
        ms_msym_close(msym);
    }
    cr_assert_eq(got, status);
    cr_assert_str_eq(err.where, "w");
    cr_assert_eq(err.offset, offset, "%s: offset %llu", err.text, (unsigned long long)err.offset);
    cr_assert_not_null(strstr(err.text, text), "'%s' has no '%s'", err.text, text);
}

Test(msym, what_is_no_index)
{
    static struct image m;
    make_plain(&m);
    m.bytes[0] = 'm';
    expect_fault(&m, MS_E_FORMAT, 0, "is no index: it does not begin with MSYM");
    make_plain(&m);
    m.bytes[MSYM_AT_VERSION] = 3;
    expect_fault(&m, MS_E_UNSUPPORTED, MSYM_AT_VERSION, "index of version 3; this program reads 2");
    make_plain(&m);
    m.bytes[MSYM_AT_N_RECORDS] ^= 1;
    expect_fault(&m, MS_E_FORMAT, MSYM_AT_CHECK, "checksum of the header differs");
    size_t end = make_plain(&m);
    m.bytes[MSYM_AT_N_RECORDS] = 2;
    seal(&m, end);
    expect_fault(&m, MS_E_FORMAT, MSYM_AT_N_RECORDS, "1 records, the header says 2");
    end = make_plain(&m);
    m.bytes[MSYM_AT_N_FUNCTIONS] = 0;
    seal(&m, end);
    expect_fault(&m, MS_E_FORMAT, MSYM_AT_N_FUNCTIONS, "1 functions, the header says 0");
    end = make_plain(&m);
    m.bytes[MSYM_AT_FLAGS] = MSYM_FLAGS + 1;
    seal(&m, end);
    expect_fault(&m, MS_E_FORMAT, MSYM_AT_N_BLOCKS, "tables of the index need more");
    for (size_t at = MSYM_AT_N_BLOCKS; at < MSYM_AT_N_RECORDS; at += 8) {
        end = make_plain(&m);
        m.bytes[at + 7] = 0x80; /* times the width it is nothing again */
        seal(&m, end);
        expect_fault(&m, MS_E_FORMAT, MSYM_AT_N_BLOCKS, "tables of the index need more");
    }
}

Test(msym, cut_off_at_every_byte)
{
    static struct image m;
    struct ms_error err;
    struct ms_msym *msym;
    make_plain(&m);
    for (size_t n = 0; n < m.n; n++) {
        /* Of exactly that size, so that a sanitizer sees a byte too many. */
        uint8_t *bytes = malloc(n ? n : 1);
        memcpy(bytes, m.bytes, n);
        cr_assert_eq(ms_msym_open((struct ms_bytes){bytes, n}, "w", &msym, &err), MS_E_FORMAT);
        cr_assert_null(ms_msym_name((struct ms_bytes){bytes, n}));
        free(bytes);
    }
}

Test(msym, every_damaged_byte_is_noticed)
{
    static struct image m;
    struct ms_error err;
    size_t checks = make_plain(&m);
    for (size_t at = 0; at < m.n; at++) {
        struct ms_msym *msym;
        m.bytes[at] ^= 0x10;
        enum ms_status status = ms_msym_open((struct ms_bytes){m.bytes, m.n}, "w", &msym, &err);
        if (status == MS_OK) {
            enum ms_status found = ms_msym_find(msym, 0x1010, &answer, &err);
            cr_assert_eq(found, MS_E_FORMAT, "byte %zu", at);
            size_t page =
                at < checks ? MSYM_HEADER + (at - MSYM_HEADER) / MSYM_PAGE * MSYM_PAGE : checks;
            cr_assert_eq(err.offset, page);
            cr_assert_not_null(strstr(err.text, at < checks ? "checksum of a page of the index"
                                                            : "a page of checksums"));
            status = ms_msym_check(msym, NULL, NULL, &err);
            ms_msym_close(msym);
        }
        cr_assert_neq(status, MS_OK, "byte %zu", at);
        m.bytes[at] ^= 0x10;
    }
}

/* A record whose checksums are right, but which says what can't be. */
static void expect_bad_record(size_t at, uint8_t value, const char *text)
{
    static struct image m;
    uint8_t record[sizeof plain_record];
    struct ms_msym *msym;
    struct ms_error err;
    memcpy(record, plain_record, sizeof record);
    record[2] = (uint8_t)(sizeof record - 3);
    record[at] = value;
    make(&m, record, sizeof record);
    cr_assert_eq(ms_msym_open((struct ms_bytes){m.bytes, m.n}, "w", &msym, &err), MS_OK);
    cr_assert_eq(ms_msym_check(msym, NULL, NULL, &err), MS_E_FORMAT, "byte %zu", at);
    cr_assert_not_null(strstr(err.text, text), "byte %zu: '%s' has no '%s'", at, err.text, text);
    ms_msym_close(msym);
}

Test(msym, records_that_can_not_be)
{
    expect_bad_record(1, 0, "records of the block at 0x1000 cannot be read");
    expect_bad_record(2, 3, "cannot be read");
    expect_bad_record(2, 100, "records of the block at 0x1000 cannot be read");
    expect_bad_record(3, 15 << 3, "cannot be read"); /* a source that there is none of */
    expect_bad_record(4, 100, "record of 0x1010 cannot be read"); /* more files than bytes */
    expect_bad_record(5, 2, "number 1 in a table of 1");          /* a file behind the table */
    expect_bad_record(5, 1, "in a table of 1");                   /* and one before it */
    expect_bad_record(7, 1, "record of 0x1010 cannot be read");   /* the function has a parent */
    expect_bad_record(8, 4, "record of 0x1010 cannot be read");   /* names behind the table */
    expect_bad_record(10, 1, "record of 0x1010 cannot be read");  /* inlined before the function */
    expect_bad_record(20, 4, "record of 0x1010 cannot be read");  /* a span of a third node */
    expect_bad_record(16, 100, "record of 0x1010 cannot be read");
    expect_bad_record(23, 100, "record of 0x1010 cannot be read");
    expect_bad_record(23, 3, "record of 0x1010 cannot be read"); /* bytes are left */
}

/* ---- written and read ------------------------------------------------------------------------ */

static bool take_bytes(void *to, const char *bytes, size_t n)
{
    struct image *m = to;
    if (n > sizeof m->bytes - m->n)
        return false;
    add(m, bytes, n);
    return true;
}

Test(msym, what_is_written_is_read)
{
    static struct image m;
    static const char *const texts[] = {"", "a", "_Zb", NULL};
    struct ms_msym_choice choice = {
        .name = "image", .flags = MSYM_PARTIAL | MSYM_LOST, .n_workers = 2};
    struct ms_msym_writer *writer;
    struct ms_spool *spool;
    struct ms_error err;
    cr_assert_eq(ms_spool_open(1, &spool, &err), MS_OK);
    cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
    for (uint64_t i = 0; i < 100; i++) {
        struct ms_piece_file files[] = {{texts[i % 4], texts[(i + 1) % 4], "x.c"}, {0, 0, "y.c"}};
        struct ms_piece_node nodes[] = {
            {.linkage = texts[i % 4], .name = texts[(i + 2) % 4], .parent = MS_NO_PARENT},
            {.name = "in",
             .start_vm = i,
             .has_start = true,
             .parent = 0,
             .call_file = 2,
             .call_line = UINT32_MAX,
             .call_column = 77}};
        struct ms_piece_span spans[] = {{i * 100, 1}};
        struct ms_piece_row rows[] = {{i * 100, 1, 5, 6}, {i * 100 + i % 9 + 1, 2, UINT32_MAX, 0}};
        struct ms_piece piece = {.low = i * 100,
                                 .high = i * 100 + 50,
                                 .source = MS_SOURCE_DWARF,
                                 .damaged = i % 3 == 0,
                                 .nodes = nodes,
                                 .n_nodes = 2,
                                 .spans = spans,
                                 .n_spans = 1,
                                 .rows = rows,
                                 .n_rows = 2,
                                 .files = files,
                                 .n_files = 2};
        cr_assert(ms_spool_put(spool, &piece));
    }
    ms_spool_replace(spool);
    cr_assert_eq(ms_msym_write(spool, &choice, &writer, &err), MS_OK);
    memset(&m, 0, sizeof m);
    cr_assert(ms_msym_give(writer, take_bytes, &m));
    cr_assert_eq(m.n, ms_msym_bytes(writer));
    ms_msym_writer_close(writer);
    choice.base_vm = 1;
    cr_assert_eq(ms_msym_write(spool, &choice, &writer, &err), MS_E_ARGUMENT);
    cr_assert_str_eq(err.text, "piece at 0x0 lies below the base at 0x1");
    ms_spool_close(spool);
    ms_msym_writer_close(NULL);
    cr_assert(!ms_msym_is_whole((struct ms_bytes){m.bytes, m.n}));
    struct ms_msym *msym = open_good(&m);
    cr_assert_eq(ms_msym_check(msym, NULL, NULL, &err), MS_OK);
    for (uint64_t i = 0; i < 100; i++) {
        cr_assert_eq(ms_msym_find(msym, i * 100 + 20, &answer, &err), MS_OK);
        cr_assert_eq(answer.n_frames, 2);
        cr_assert_eq(answer.damaged, i % 3 == 0);
        const struct ms_frame *inner = &answer.frames[0], *outer = &answer.frames[1];
        cr_assert_str_eq(inner->name, "in");
        cr_assert_eq(inner->start_vm, i);
        cr_assert_eq(inner->line, UINT32_MAX);
        cr_assert_str_eq(inner->file, "y.c");
        cr_assert_eq(outer->line, UINT32_MAX);
        cr_assert_eq(outer->column, 77);
        cr_assert(!outer->has_start);
        const char *want = texts[i % 4];
        cr_assert(want ? outer->linkage && strcmp(outer->linkage, want) == 0 : !outer->linkage);
        cr_assert_eq(ms_msym_find(msym, i * 100 + 50, &answer, &err), MS_ABSENT);
    }
    ms_msym_close(msym);
}
