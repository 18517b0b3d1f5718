/* lib/pack/gsym*: files byte by byte, as they are written and as they are read. */
#include "unit/macho_builder.h"
#include "unit/memory_out.h"

#include "base/limits.h"
#include "pack/gsym.h"
#include "pack/gsym_format.h"
#include "pack/gsym_write.h"

#include <criterion/criterion.h>

static struct ms_ready_answer answer;

/* ---- a file of three functions --------------------------------------------------------------- */

enum { OUT = 1, IN = 9, PLAIN = 16, SRC = 22, A_C = 27, STRINGS = 31 };

static const char strings[STRINGS] = "\0_Z3outv\0_Z2inv\0plain\0/src\0a.c";

static void put_at(struct build *b, size_t off, uint32_t value)
{
    size_t n = b->n;
    b->n = off;
    put_u32(b, value);
    b->n = n;
}

static size_t begin_part(struct build *b, uint32_t kind)
{
    put_u32(b, kind);
    put_u32(b, 0);
    return b->n;
}

static void end_part(struct build *b, size_t start)
{
    put_at(b, start - 4, (uint32_t)(b->n - start));
}

static void put_function(struct build *b, size_t offset_at, uint32_t size, uint32_t name)
{
    put_zeros(b, (4 - b->n % 4) % 4);
    put_at(b, offset_at, (uint32_t)b->n);
    put_u32(b, size);
    put_u32(b, name);
}

/* Steps of -1 to 3 lines from line 10 on: 10 at 0, 12 at 4, 112 at 12, unknown at 28. */
static void put_lines(struct build *b)
{
    static const uint8_t lines[] = {0x7f, 3, 10, 4 + 1, 4 + 3 + 4 * 5, 3, 0xe4, 0x00, 2, 8, 1,
                                    2,    2, 16, 0};
    size_t start = begin_part(b, GSYM_LINES);
    put_bytes(b, lines, sizeof lines);
    end_part(b, start);
}

static void put_node(struct build *b, const char *ranges, size_t n, bool children, uint32_t name,
                     unsigned file, unsigned line)
{
    put_bytes(b, ranges, n);
    put_u8(b, children);
    put_u32(b, name);
    put_u8(b, file);
    put_u8(b, line);
}

/* The function has 32 bytes; in a call from 4 to 8 and from 16 to 24, and in that from 20 to 22. */
static void put_inlines(struct build *b)
{
    size_t start = begin_part(b, GSYM_INLINES);
    put_node(b, "\1\0\40", 3, true, OUT, 0, 0);
    put_node(b, "\2\4\4\20\10", 5, true, IN, 1, 7);
    put_node(b, "\1\20\2", 3, false, PLAIN, 0, 9);
    put_u8(b, 0);
    put_u8(b, 0);
    end_part(b, start);
}

/* Of the byte order that *b has. */
static void make_file(struct build *b, unsigned width)
{
    static const uint8_t addresses[] = {0x10, 0x40, 0x60};
    put_u32(b, GSYM_MAGIC);
    put_u16(b, GSYM_VERSION);
    put_u8(b, width);
    put_u8(b, 16);
    put_u64(b, 0x1000);
    put_u32(b, 3);
    put_u32(b, 0);
    put_u32(b, STRINGS);
    for (unsigned i = 0; i < 16; i++)
        put_u8(b, i + 1);
    put_u32(b, 0);
    for (unsigned i = 0; i < 3; i++)
        put_uint(b, addresses[i], width);
    put_zeros(b, (4 - b->n % 4) % 4);
    size_t offsets = b->n;
    put_zeros(b, 12);
    put_u32(b, 3);
    put_u32(b, 0);
    put_u32(b, 0);
    put_u32(b, SRC);
    put_u32(b, A_C);
    put_u32(b, 0);
    put_u32(b, 0);
    put_at(b, GSYM_AT_STRINGS, (uint32_t)b->n);
    put_bytes(b, strings, STRINGS);
    put_function(b, offsets, 32, OUT);
    put_lines(b);
    put_inlines(b);
    put_zeros(b, 8);
    put_function(b, offsets + 4, 16, PLAIN);
    size_t start = begin_part(b, 77); /* of a kind that doesn't exist yet */
    put_zeros(b, 3);
    end_part(b, start);
    put_zeros(b, 8);
    put_function(b, offsets + 8, 0, OUT);
    put_zeros(b, 8);
}

static struct ms_gsym *open_file(const struct build *b)
{
    struct ms_gsym *gsym = NULL;
    struct ms_error err;
    cr_assert_eq(ms_gsym_open(build_bytes(b), "t", &gsym, &err), MS_OK, "%s", err.text);
    return gsym;
}

static void find(struct ms_gsym *gsym, uint64_t address)
{
    struct ms_error err;
    cr_assert_eq(ms_gsym_find(gsym, address, &answer, &err), MS_OK, "0x%llx",
                 (unsigned long long)address);
}

static void expect_frame(size_t i, const char *linkage, const char *name, bool has_file,
                         uint32_t line)
{
    const struct ms_frame *f = &answer.frames[i];
    cr_assert_lt(i, answer.n_frames);
    cr_assert(linkage ? f->linkage && strcmp(f->linkage, linkage) == 0 : !f->linkage);
    cr_assert(name ? f->name && strcmp(f->name, name) == 0 : !f->name);
    cr_assert_eq(f->line, line, "frame %zu: line %u", i, f->line);
    cr_assert_eq(f->column, 0);
    cr_assert_null(f->comp_dir);
    cr_assert(has_file ? f->file && strcmp(f->file, "a.c") == 0 && strcmp(f->dir, "/src") == 0
                       : !f->file && !f->dir);
    cr_assert_eq(f->inlined, i + 1 < answer.n_frames);
}

static void check_answers(struct ms_gsym *gsym)
{
    struct ms_error err;
    find(gsym, 0x1010);
    cr_assert_eq(answer.n_frames, 1);
    expect_frame(0, "_Z3outv", NULL, true, 10);
    cr_assert(answer.frames[0].has_start && answer.frames[0].start_vm == 0x1010);
    cr_assert_eq(answer.low, 0x1010);
    cr_assert_eq(answer.high, 0x1030);
    find(gsym, 0x1014);
    cr_assert_eq(answer.n_frames, 2);
    expect_frame(0, "_Z2inv", NULL, true, 12);
    expect_frame(1, "_Z3outv", NULL, true, 7);
    cr_assert_eq(answer.frames[0].offset, 0);
    cr_assert_eq(answer.frames[1].offset, 4);
    find(gsym, 0x1025); /* a call whose place is unknown is a call all the same */
    cr_assert_eq(answer.n_frames, 3);
    expect_frame(0, NULL, "plain", true, 112);
    expect_frame(1, "_Z2inv", NULL, false, 9);
    expect_frame(2, "_Z3outv", NULL, true, 7);
    find(gsym, 0x1028);
    cr_assert_eq(answer.n_frames, 1);
    expect_frame(0, "_Z3outv", NULL, true, 112);
    find(gsym, 0x102c);
    expect_frame(0, "_Z3outv", NULL, false, 0);
    cr_assert_eq(answer.source, MS_SOURCE_DWARF);
    cr_assert_eq(ms_gsym_find(gsym, 0x1030, &answer, &err), MS_ABSENT);
    cr_assert_eq(ms_gsym_find(gsym, 0x100f, &answer, &err), MS_ABSENT);
    cr_assert_eq(ms_gsym_find(gsym, 0xfff, &answer, &err), MS_ABSENT);
    find(gsym, 0x104f);
    expect_frame(0, NULL, "plain", false, 0);
    cr_assert_eq(answer.source, MS_SOURCE_NLIST);
    find(gsym, 0x5000); /* nothing says where the last one ends */
    expect_frame(0, "_Z3outv", NULL, false, 0);
}

Test(gsym, answers_in_every_byte_order_and_width)
{
    for (unsigned i = 0; i < 8; i++) {
        struct build b = {.big = i % 2};
        struct ms_gsym_head head;
        struct ms_error err;
        make_file(&b, 1u << i / 2);
        struct ms_gsym *gsym = open_file(&b);
        ms_gsym_head(gsym, &head);
        cr_assert(head.has_uuid && head.uuid.byte[15] == 16);
        cr_assert_eq(head.base_vm, 0x1000);
        cr_assert_eq(head.start_vm, 0x1010);
        cr_assert_eq(head.end_vm, 0x1061);
        cr_assert_eq(head.n_functions, 3);
        check_answers(gsym);
        cr_assert_eq(ms_gsym_check(gsym, NULL, NULL, &err), MS_OK, "%s", err.text);
        ms_gsym_close(gsym);
        build_free(&b);
    }
}

static void expect_same(const struct ms_ready_answer *a, const struct ms_ready_answer *b)
{
    cr_assert_eq(a->n_frames, b->n_frames);
    cr_assert_eq(a->source, b->source);
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct ms_frame *x = &a->frames[i], *y = &b->frames[i];
        cr_assert(x->name == y->name && x->linkage == y->linkage && x->file == y->file);
        cr_assert(x->line == y->line && x->has_start == y->has_start && x->offset == y->offset);
    }
}

/* The first few addresses of a function are looked up otherwise than those that follow. */
static void compare_alone(const struct build *b)
{
    static struct ms_ready_answer alone;
    struct ms_error err;
    struct ms_gsym *row = open_file(b);
    for (uint64_t address = 0x100f; address < 0x1064; address++) {
        struct ms_gsym *one = open_file(b);
        enum ms_status status = ms_gsym_find(one, address, &alone, &err);
        cr_assert_eq(ms_gsym_find(row, address, &answer, &err), status);
        if (status == MS_OK)
            expect_same(&alone, &answer);
        ms_gsym_close(one);
    }
    ms_gsym_close(row);
}

Test(gsym, one_address_or_many)
{
    struct build b = {.big = false};
    make_file(&b, 4);
    compare_alone(&b);
    /* Calls beside each other at one place, one out of its caller, ranges in no order: the same
     * are left out either way. */
    put_function(&b, 60, 32, OUT);
    size_t start = begin_part(&b, GSYM_INLINES);
    put_node(&b, "\1\0\40", 3, true, OUT, 0, 0);
    put_node(&b, "\3\4\4\20\10\14\2", 7, true, IN, 1, 7);
    put_node(&b, "\2\0\2\12\4", 5, false, PLAIN, 0, 9);
    put_node(&b, "\2\0\4\20\2", 5, false, IN, 0, 9);
    put_u8(&b, 0);
    put_node(&b, "\2\6\4\30\4", 5, false, PLAIN, 1, 7);
    put_u8(&b, 0);
    end_part(&b, start);
    put_lines(&b);
    put_zeros(&b, 8);
    compare_alone(&b);
    build_free(&b);
}

/* ---- what is wrong with a file --------------------------------------------------------------- */

/* Opens a file with one number changed, checks it, and compares what is said. */
static void expect_fault(size_t off, unsigned bytes, uint64_t value, enum ms_status status,
                         uint64_t at, const char *text)
{
    struct build b = {.big = false};
    struct ms_gsym *gsym = NULL;
    struct ms_error err;
    make_file(&b, 4);
    for (unsigned i = 0; i < bytes; i++)
        b.at[off + i] = (uint8_t)(value >> 8 * i);
    enum ms_status got = ms_gsym_open(build_bytes(&b), "t", &gsym, &err);
    if (got == MS_OK)
        got = ms_gsym_check(gsym, NULL, NULL, &err);
    cr_assert_eq(got, status, "%s", text);
    cr_assert_str_eq(err.text, text);
    cr_assert_eq(err.offset, at, "%s: 0x%llx", text, (unsigned long long)err.offset);
    cr_assert_str_eq(err.where, "t");
    ms_gsym_close(gsym);
    build_free(&b);
}

Test(gsym, faults_are_told)
{
    enum { ADDRESSES = 48, OFFSETS = 60, FILES = 72, INFO = 132, LINES = INFO + 16, NODES = 171 };
    expect_fault(0, 1, 'X', MS_E_FORMAT, 0, "is no GSYM file: the magic number differs");
    expect_fault(4, 2, 2, MS_E_UNSUPPORTED, 4, "GSYM of version 2; this program reads 1");
    expect_fault(6, 1, 3, MS_E_FORMAT, 6, "addresses of 3 bytes, expected 1, 2, 4 or 8");
    expect_fault(7, 1, 21, MS_E_FORMAT, 7, "UUID of 21 bytes, expected 20 at most");
    expect_fault(16, 4, 0xffffffff, MS_E_FORMAT, 16,
                 "4294967295 functions need 17179869228 bytes of tables, the file has 0x104");
    expect_fault(20, 4, 0x1000, MS_E_FORMAT, 20,
                 "strings from 0x1000 to 0x101f, the file has 0x104 bytes");
    expect_fault(FILES, 4, 0x10000000, MS_E_FORMAT, 0x104,
                 "table of files is cut off: the file has 0x104 bytes");
    expect_fault(ADDRESSES + 4, 4, 1, MS_E_FORMAT, ADDRESSES + 4,
                 "function at 0x1001 behind one at 0x1010: they are not in order");
    expect_fault(OFFSETS, 4, 0xfffff, MS_E_FORMAT, OFFSETS,
                 "function at 0x1010: what is known of it lies outside the file");
    expect_fault(INFO + 4, 4, 31, MS_E_FORMAT, MS_NO_OFFSET,
                 "string 0x1f lies outside the table of 0x1f bytes");
    expect_fault(INFO + 12, 4, 0xffff, MS_E_FORMAT, INFO + 8,
                 "function at 0x1010 is cut off: its next part does not lie in the file");
    expect_fault(LINES, 1, 4, MS_E_FORMAT, LINES, "lines of the function at 0x1010 cannot be read");
    expect_fault(LINES + 14, 1, 0x80, MS_E_FORMAT, LINES,
                 "lines of the function at 0x1010 cannot be read");
    expect_fault(LINES + 11, 1, 9, MS_E_FORMAT, FILES + 4, "file number 9 in a table of 3");
    expect_fault(NODES, 1, 99, MS_E_FORMAT, NODES,
                 "inlined calls of the function at 0x1010 cannot be read");
}

Test(gsym, every_truncation_is_safe)
{
    struct build b = {.big = false};
    make_file(&b, 2);
    for (size_t n = 0; n < b.n; n++) {
        uint8_t *copy = malloc(n + 1);
        struct ms_gsym *gsym;
        struct ms_error err;
        memcpy(copy, b.at, n);
        struct ms_bytes bytes = {copy, n};
        if (ms_gsym_open(bytes, "t", &gsym, &err) == MS_OK) {
            cr_assert_neq(ms_gsym_check(gsym, NULL, NULL, &err), MS_OK, "%zu bytes", n);
            for (uint64_t address = 0x1010; address < 0x1070; address++)
                (void)ms_gsym_find(gsym, address, &answer, &err);
            ms_gsym_close(gsym);
        }
        free(copy);
    }
    build_free(&b);
}

/* Calls in calls, deeper than any answer can be. */
Test(gsym, depth_has_a_limit)
{
    struct build b = {.big = false};
    struct ms_gsym *gsym;
    struct ms_error err;
    make_file(&b, 4);
    put_function(&b, 60, 32, OUT);
    size_t start = begin_part(&b, GSYM_INLINES);
    put_node(&b, "\1\0\40", 3, true, OUT, 0, 0);
    for (unsigned i = 0; i < MS_MAX_INLINE_DEPTH + 10; i++)
        put_node(&b, "\1\0\40", 3, true, IN, 1, 7);
    end_part(&b, start);
    put_zeros(&b, 8);
    gsym = open_file(&b);
    cr_assert_eq(ms_gsym_find(gsym, 0x1010, &answer, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "inlined calls of the function at 0x1010: more than 512 deep, or "
                               "4194304 ranges");
    cr_assert_eq(err.offset, start);
    ms_gsym_close(gsym);
    build_free(&b);
}

/* A large part that many functions have would be read again and again. */
Test(gsym, shared_parts_have_a_budget)
{
    enum { N = 1000, LARGE = 1 << 16 };
    struct build b = {.big = false};
    struct ms_gsym *gsym;
    struct ms_error err;
    put_u32(&b, GSYM_MAGIC);
    put_u16(&b, GSYM_VERSION);
    put_u8(&b, 4);
    put_u8(&b, 0);
    put_u64(&b, 0);
    put_u32(&b, N);
    put_u32(&b, 0); /* strings from 0 on: any will do */
    put_u32(&b, 48);
    put_zeros(&b, 20);
    for (uint32_t i = 0; i < N; i++)
        put_u32(&b, 16 * i);
    for (uint32_t i = 0; i < N; i++)
        put_u32(&b, 48 + 8 * N + 4);
    put_u32(&b, 0);
    put_u32(&b, 16);
    put_u32(&b, 1);
    size_t start = begin_part(&b, 77);
    put_zeros(&b, LARGE);
    end_part(&b, start);
    put_zeros(&b, 8);
    gsym = open_file(&b);
    cr_assert_eq(ms_gsym_check(gsym, NULL, NULL, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "functions overlap: they have more bytes in all than the file");
    ms_gsym_begin(gsym);
    cr_assert_eq(ms_gsym_find(gsym, 16, &answer, &err), MS_OK);
    ms_gsym_close(gsym);
    build_free(&b);
}

/* ---- writing ------------------------------------------------------------------------------- */

static const struct ms_piece_file files[] = {{"/src", "inc", "sub/h.h"}, {NULL, NULL, "/a.c"}};
static const struct ms_piece_node nodes[] = {
    {.linkage = "_Z3outv",
     .name = "out",
     .start_vm = 0x1010,
     .has_start = true,
     .parent = MS_NO_PARENT},
    {.name = "in", .parent = 0, .call_file = 2, .call_line = 7, .call_column = 3},
    {.linkage = "\1_deep", .parent = 1, .call_file = 0, .call_line = 9},
    {.name = "nowhere", .parent = 0}};
static const struct ms_piece_span spans[] = {
    {0x1010, 0}, {0x1014, 1}, {0x1018, 0}, {0x1020, 2}, {0x1028, 1}};
static const struct ms_piece_row rows[] = {{0x1014, 1, 10, 1},
                                           {0x1018, 1, 10, 9}, /* of another column alone */
                                           {0x1020, 2, 400, 0},
                                           {0x1028, 0, 0, 0}};
static const struct ms_piece piece = {.low = 0x1010,
                                      .high = 0x1030,
                                      .source = MS_SOURCE_DWARF,
                                      .nodes = nodes,
                                      .n_nodes = 4,
                                      .spans = spans,
                                      .n_spans = 5,
                                      .rows = rows,
                                      .n_rows = 4,
                                      .files = files,
                                      .n_files = 2};

static bool append(void *to, const char *bytes, size_t n)
{
    put_bytes(to, bytes, n);
    return true;
}

static enum ms_status write_pieces(const struct ms_piece *pieces, size_t n, struct build *out,
                                   uint64_t *n_functions, struct ms_error *err)
{
    static const struct ms_uuid uuid = {{1, 2, 3}};
    struct ms_gsym_writer *writer;
    uint64_t bytes = 0;
    enum ms_status status = ms_gsym_writer_open(0x1000, &uuid, &writer, err);
    if (status != MS_OK)
        return status;
    for (size_t i = 0; i < n && status == MS_OK; i++)
        status = ms_gsym_add(writer, &pieces[i], err);
    if (status == MS_OK)
        status = ms_gsym_finish(writer, &bytes, n_functions, err);
    if (status == MS_OK && out) {
        cr_assert(ms_gsym_give(writer, append, out));
        cr_assert_eq(out->n, bytes);
    }
    ms_gsym_writer_close(writer);
    return status;
}

Test(gsym, bytes_that_are_written)
{
    static const uint8_t expected[] = {
        'M',  'Y', 'S',
        'G',  1,   0,
        1,    16,  0,
        0x10, 0,   0,
        0,    0,   0,
        0, /* base */
        1,    0,   0,
        0,    92,  0,
        0,    0,   40,
        0,    0,   0, /* functions, strings */
        1,    2,   3,
        0,    0,   0,
        0,    0,   0,
        0,    0,   0,
        0,    0,   0,
        0,    0,   0,
        0,    0, /* UUID */
        0x10, 0,   0,
        0,    132, 0,
        0,    0, /* address, its info */
        4,    0,   0,
        0,    0,   0,
        0,    0,   0,
        0,    0,   0, /* files: none */
        13,   0,   0,
        0,    9,   0,
        0,    0, /* /src/inc/sub, h.h */
        30,   0,   0,
        0,    26,  0,
        0,    0, /* /, a.c */
        0,    0,   0,
        0,    0,   0,
        0,    0, /* none, for rows */
        0,    '_', 'Z',
        '3',  'o', 'u',
        't',  'v', 0,
        'h',  '.', 'h',
        0, /* 92: strings */
        '/',  's', 'r',
        'c',  '/', 'i',
        'n',  'c', '/',
        's',  'u', 'b',
        0, /* 13 */
        'a',  '.', 'c',
        0,    '/', 0,
        'i',  'n', 0,
        'd',  'e', 'e',
        'p',  0, /* 26, 30, 32, 35 */
        32,   0,   0,
        0,    1,   0,
        0,    0, /* size, name */
        1,    0,   0,
        0,    19,  0,
        0,    0,   0,
        14,   0,                    /* lines by 0 to 14, from 0 on */
        1,    3,   4,               /* 0x1010: unknown */
        1,    1,   4 + 10 + 4 * 15, /* 0x1014: h.h:10 */
        1,    2,   3,
        0x86, 3,   4 + 12 * 15, /* 0x1020: a.c:400 */
        1,    3,   4 + 8 * 15,
        0, /* 0x1028: unknown */
        2,    0,   0,
        0,    34,  0,
        0,    0, /* calls */
        1,    0,   32,
        1,    1,   0,
        0,    0,   0,
        0, /* the function */
        2,    4,   4,
        16,   16,  1,
        32,   0,   0,
        0,    2,   7, /* in: 0x1014 and 0x1020, of a.c:7 */
        1,    12,  8,
        0,    35,  0,
        0,    0,   0,
        9, /* deep: 12 behind in's start */
        0,    0,   0,
        0,    0,   0,
        0,    0,   0,
        0 /* no more of either; no more parts */
    };
    struct build b = {.big = false};
    struct ms_error err;
    uint64_t n_functions;
    cr_assert_eq(write_pieces(&piece, 1, &b, &n_functions, &err), MS_OK);
    cr_assert_eq(n_functions, 1);
    cr_assert_eq(b.n, sizeof expected);
    for (size_t i = 0; i < sizeof expected; i++)
        cr_assert_eq(b.at[i], expected[i], "byte %zu: %u", i, b.at[i]);
    build_free(&b);
}

Test(gsym, what_is_written_is_read)
{
    struct build b = {.big = false};
    struct ms_error err;
    uint64_t n_functions;
    struct ms_piece cold = piece, unnamed = piece, symbol = {.low = 0x1060, .high = 0x1064};
    struct ms_piece_node function = {.name = "sym", .parent = MS_NO_PARENT};
    struct ms_piece_span span = {0x1060, 0};
    unnamed.low = 0x1030, unnamed.high = 0x1040, unnamed.n_nodes = unnamed.n_spans = 0;
    unnamed.n_rows = 0;
    struct ms_piece_span cold_span = {0x1050, 0};
    cold.low = 0x1050, cold.high = 0x1060, cold.n_nodes = cold.n_spans = 1, cold.n_rows = 0;
    cold.spans = &cold_span;
    symbol.source = MS_SOURCE_NLIST, symbol.nodes = &function, symbol.spans = &span;
    symbol.n_nodes = symbol.n_spans = 1;
    struct ms_piece pieces[] = {piece, unnamed, cold, symbol};
    cr_assert_eq(write_pieces(pieces, 4, &b, &n_functions, &err), MS_OK, "%s", err.text);
    cr_assert_eq(n_functions, 3);
    struct ms_gsym *gsym = open_file(&b);
    char path[64];
    find(gsym, 0x1010);
    cr_assert_eq(answer.n_frames, 1);
    cr_assert_null(answer.frames[0].file);
    find(gsym, 0x1015);
    cr_assert_eq(answer.n_frames, 2);
    ms_frame_path(&answer.frames[0], path, sizeof path);
    cr_assert_str_eq(path, "/src/inc/sub/h.h");
    cr_assert_str_eq(answer.frames[0].name, "in");
    cr_assert_eq(answer.frames[0].line, 10);
    ms_frame_path(&answer.frames[1], path, sizeof path);
    cr_assert_str_eq(path, "/a.c");
    cr_assert_eq(answer.frames[1].line, 7);
    find(gsym, 0x1020);
    cr_assert_eq(answer.n_frames, 3);
    cr_assert_str_eq(answer.frames[0].name, "deep"); /* without the mark of an asm label */
    cr_assert_eq(answer.frames[0].line, 400);
    cr_assert_null(answer.frames[1].file);
    cr_assert_eq(answer.frames[1].line, 9);
    find(gsym, 0x1028);
    cr_assert_eq(answer.n_frames, 2);
    cr_assert_null(answer.frames[0].file);
    cr_assert_eq(ms_gsym_find(gsym, 0x1030, &answer, &err), MS_ABSENT);
    find(gsym, 0x1054); /* a part of its own, 0x40 bytes behind the entry */
    cr_assert_eq(answer.frames[0].start_vm, 0x1010);
    cr_assert_eq(answer.frames[0].offset, 0x44);
    cr_assert_eq(answer.source, MS_SOURCE_DWARF);
    find(gsym, 0x1060);
    cr_assert(!answer.frames[0].has_start);
    cr_assert_eq(answer.source, MS_SOURCE_NLIST);
    ms_gsym_close(gsym);
    build_free(&b);
}

static void expect_refused(struct ms_piece p, enum ms_status status, const char *text)
{
    struct ms_piece pieces[] = {piece, p};
    struct ms_error err;
    uint64_t n;
    cr_assert_eq(write_pieces(pieces, 2, NULL, &n, &err), status);
    cr_assert_str_eq(err.text, text);
}

Test(gsym, pieces_that_have_no_place)
{
    struct ms_piece p = piece;
    struct ms_error err;
    uint64_t n;
    expect_refused(p, MS_E_ARGUMENT,
                   "piece at 0x1010 is out of order: the one before ends at 0x1030");
    p.low = 0xff0;
    cr_assert_eq(write_pieces(&p, 1, NULL, &n, &err), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text,
                     "function at 0xff0: GSYM has no place for code below __TEXT at 0x1000");
    /* One of more than 4 GB has no end: nothing but another function may follow it at once. */
    struct ms_piece pieces[] = {piece, piece};
    pieces[0].high = 0x200001010;
    pieces[1].low = 0x200001020;
    pieces[1].high = 0x200001030;
    cr_assert_eq(write_pieces(pieces, 2, NULL, &n, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "a function of more than 4 GB before 0x200001020");
    pieces[0].high = 0x200001020;
    struct build b = {.big = false};
    cr_assert_eq(write_pieces(pieces, 2, &b, &n, &err), MS_OK);
    cr_assert_eq(b.at[GSYM_AT_ADDRESS_BYTES], 8);
    struct ms_gsym *gsym = open_file(&b);
    find(gsym, 0x20000101f);
    cr_assert_eq(answer.low, 0x1010);
    ms_gsym_close(gsym);
    build_free(&b);
}

/* ---- no memory ------------------------------------------------------------------------------- */

Test(gsym, memory_runs_out)
{
    struct build b = {.big = false};
    struct ms_error err;
    uint64_t n;
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    cr_assert_eq(write_pieces(&piece, 1, &b, &n, &err), MS_OK);
    long before = alive;
    enum ms_status status = MS_E_NOMEM;
    for (long i = 0; status != MS_OK; i++) {
        cr_assert_lt(i, 100);
        countdown = i;
        status = write_pieces(&piece, 1, NULL, &n, &err);
        countdown = -1;
        cr_assert(status == MS_OK || status == MS_E_NOMEM);
        cr_assert_eq(alive, before, "allocation %ld", i);
    }
    status = MS_E_NOMEM;
    for (long i = 0; status != MS_OK; i++) {
        struct ms_gsym *gsym = NULL;
        cr_assert_lt(i, 100);
        countdown = i;
        status = ms_gsym_open(build_bytes(&b), "t", &gsym, &err);
        if (status == MS_OK)
            status = ms_gsym_find(gsym, 0x1020, &answer, &err);
        ms_gsym_close(gsym);
        countdown = -1;
        cr_assert(status == MS_OK || status == MS_E_NOMEM);
        cr_assert_eq(alive, before, "allocation %ld", i);
    }
    build_free(&b);
}
