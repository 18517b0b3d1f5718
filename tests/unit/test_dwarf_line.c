/* Line tables: headers, files, opcodes, rows found by the pass and by the index. */
#include "dwarf/line_index.h"
#include "dwarf/reader.h"
#include "unit/dwarf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* An image with one unit whose line table starts at 0. */
struct lined {
    struct dw_image image;
    struct ms_unit unit;
    struct ms_line_header header;
    struct ms_line_files files;
    struct ms_line_machine machine;
};

static struct dw_image begin(unsigned version)
{
    static const unsigned specs[] = {DW_AT_stmt_list, DW_FORM_data4, DW_AT_comp_dir, DW_FORM_string,
                                     0};
    struct dw_image image = dw_image(version, 8, 4, false);
    dw_declare(&image, 1, DW_TAG_compile_unit, false, specs);
    dw_u8(&image.abbrev, 0);
    size_t unit = dw_unit(&image, 0);
    dw_bytes(&image.info, "\1\0\0\0\0/c", 8);
    dw_end(&image, &image.info, unit);
    return image;
}

static enum ms_status open_lines(struct lined *l, struct dw_image image, struct ms_error *err)
{
    struct ms_unit_header header;
    memset(l, 0, sizeof *l);
    l->image = image;
    cr_assert_eq(ms_unit_header_read(dw_open(&l->image), false, 0, &header, NULL), MS_OK);
    cr_assert_eq(ms_unit_open(l->image.reader, &header, &l->unit, NULL), MS_OK);
    enum ms_status status = ms_line_header_read(&l->unit, &l->header, err);
    if (status == MS_OK)
        status = ms_line_files_read(&l->header, &l->files, err);
    if (status == MS_OK)
        ms_line_machine_init(&l->machine, &l->header, &l->files);
    return status;
}

static void close_lines(struct lined *l)
{
    ms_line_files_fini(&l->files);
    dw_close(&l->image);
}

/* No directories, one file. */
static void plain_files(struct dw_image *image)
{
    if (image->version < 5)
        dw_bytes(&image->line, "\0a.c\0\0\0\0", 9);
    else
        dw_bytes(&image->line, "\0\0\1\1\x08\1a.c\0", 10);
}

/* ---- headers -------------------------------------------------------------------------------- */

static void expect_header(const void *bytes, size_t n, enum ms_status status, const char *text)
{
    struct dw_image image = begin(4);
    struct lined l;
    struct ms_error err;
    dw_bytes(&image.line, bytes, n);
    cr_assert_eq(open_lines(&l, image, &err), status);
    cr_assert_str_eq(err.where, "t __debug_line");
    cr_assert_eq(err.offset, 0);
    cr_assert_str_eq(err.text, text, "%s", err.text);
    close_lines(&l);
}

Test(dwarf_line, headers_that_are_wrong)
{
    expect_header("", 0, MS_E_FORMAT, "line table: outside the section of bytes: 0");
    expect_header("\1\0", 2, MS_E_FORMAT, "line table: header cut short, bytes remain: 2");
    expect_header("\xf3\xff\xff\xff", 4, MS_E_FORMAT, "line table: reserved length 4294967283");
    expect_header("\x08\0\0\0\2\0", 6, MS_E_FORMAT, "line table: needs 8 bytes, 2 remain");
    expect_header("\6\0\0\0\1\0\0\0\0\0", 10, MS_E_UNSUPPORTED,
                  "line table: 2 to 5 are known, not DWARF version 1");
    expect_header("\6\0\0\0\6\0\0\0\0\0", 10, MS_E_UNSUPPORTED,
                  "line table: 2 to 5 are known, not DWARF version 6");
    expect_header("\6\0\0\0\4\0\1\0\0\0", 10, MS_E_FORMAT,
                  "line table: header_length past the end: 1");
    expect_header("\4\0\0\0\4\0\0\0", 8, MS_E_FORMAT, "line table: header_length past the end: 0");
    expect_header("\x0c\0\0\0\4\0\6\0\0\0\1\1\1\xfb\x0e\0", 16, MS_E_FORMAT,
                  "line table: opcode_base of 0");
    expect_header("\x0c\0\0\0\4\0\6\0\0\0\1\1\1\xfb\x0e\3", 16, MS_E_FORMAT,
                  "line table: header longer than its bytes: 6");
}

Test(dwarf_line, a_unit_without_a_table)
{
    struct dw_image image = begin(4);
    struct lined l;
    (void)open_lines(&l, image, NULL);
    l.unit.has_lines = false;
    cr_assert_eq(ms_line_header_read(&l.unit, &l.header, NULL), MS_ABSENT);
    close_lines(&l);
}

/* ---- files ---------------------------------------------------------------------------------- */

static const char *path_of(struct lined *l, uint64_t index)
{
    static char path[128];
    struct ms_frame frame = {0};
    cr_assert_eq(ms_line_file_put(&l->header, &l->files, index, &frame), frame.file != NULL);
    ms_frame_path(&frame, path, sizeof path);
    return path;
}

Test(dwarf_line, paths_of_old_tables)
{
    struct dw_image image = begin(4);
    struct lined l;
    struct dw_line line = dw_line(&image);
    dw_bytes(&image.line, "inc\0/abs\0C:\\inc\0\0", 17);
    dw_bytes(&image.line, "a.c\0\0\0\0b.h\0\1\0\0c.h\0\2\0\0/d.h\0\1\0\0", 29);
    dw_bytes(&image.line, "e.h\0\3\0\0C:\\f.h\0\1\0\0g.h\0\4\0\0\0", 25);
    dw_line_program(&image, line);
    dw_end(&image, &image.line, line.start);
    cr_assert_eq(open_lines(&l, image, NULL), MS_OK);
    cr_assert_eq(l.files.n_files, 7);
    cr_assert_str_eq(path_of(&l, 0), "", "0 is unknown before DWARF 5");
    cr_assert_str_eq(path_of(&l, 1), "/c/a.c");
    cr_assert_str_eq(path_of(&l, 2), "/c/inc/b.h");
    cr_assert_str_eq(path_of(&l, 3), "/abs/c.h");
    cr_assert_str_eq(path_of(&l, 4), "/d.h");
    cr_assert_str_eq(path_of(&l, 5), "C:\\inc/e.h");
    cr_assert_str_eq(path_of(&l, 6), "C:\\f.h");
    cr_assert_str_eq(path_of(&l, 7), "/c/g.h", "no such directory");
    cr_assert_str_eq(path_of(&l, 8), "");
    cr_assert_str_eq(path_of(&l, UINT64_MAX), "");
    close_lines(&l);
}

Test(dwarf_line, paths_of_new_tables)
{
    struct dw_image image = begin(5);
    struct lined l;
    struct dw_line line = dw_line(&image);
    dw_bytes(&image.line, "\1\1\x08\2/dir0\0inc\0", 14);
    dw_bytes(&image.line, "\4\1\x08\2\x0f\x87\x40\x0a\3\x0b\3", 11); /* a vendor's block, size */
    dw_bytes(&image.line, "a.c\0\0\2xx\0", 9);
    dw_bytes(&image.line, "b.c\0\1\0\0", 7);
    dw_bytes(&image.line, "c.c\0\7\0\0", 7);
    dw_line_program(&image, line);
    dw_end(&image, &image.line, line.start);
    cr_assert_eq(open_lines(&l, image, NULL), MS_OK);
    cr_assert_str_eq(path_of(&l, 0), "/dir0/a.c");
    cr_assert_str_eq(path_of(&l, 1), "/c/inc/b.c");
    cr_assert_str_eq(path_of(&l, 2), "/c/c.c");
    cr_assert_str_eq(path_of(&l, 3), "");
    close_lines(&l);
}

static void expect_files(unsigned version, const void *bytes, size_t n, uint64_t off,
                         const char *text)
{
    struct dw_image image = begin(version);
    struct lined l;
    struct ms_error err;
    struct dw_line line = dw_line(&image);
    size_t tables = image.line.n;
    dw_bytes(&image.line, bytes, n);
    dw_line_program(&image, line);
    dw_end(&image, &image.line, line.start);
    cr_assert_eq(open_lines(&l, image, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.where, "t __debug_line");
    cr_assert_eq(err.offset, tables + off, "at %llu",
                 (unsigned long long)err.offset - (unsigned long long)tables);
    cr_assert_str_eq(err.text, text, "%s", err.text);
    close_lines(&l);
}

Test(dwarf_line, tables_that_are_wrong)
{
    expect_files(4, "inc", 3, 3, "line table at 0x0: the list of directories has no end");
    expect_files(4, "\0a.c\0\0", 6, 6, "line table at 0x0: the list of files has no end");
    expect_files(4, "\0a.c\0\0\0\0", 8, 8, "line table at 0x0: the list of files has no end");
    expect_files(5, "\1\1", 2, 2,
                 "line table at 0x0: entry format cut short or of an unknown form");
    expect_files(5, "\1\1\x19\0", 4, 4,
                 "line table at 0x0: entry format cut short or of an unknown form");
    expect_files(5, "\1\1\x08\5", 4, 4, "line table at 0x0: more directories or files than bytes");
    expect_files(5, "\0\1x", 3, 2, "line table at 0x0: more directories or files than bytes");
    expect_files(5, "\1\1\x08\2a\0b", 7, 7,
                 "line table at 0x0: the last directory or file is cut short");
}

/* ---- opcodes -------------------------------------------------------------------------------- */

/* All rows of a program as text: ADDRESS FILE:LINE:COLUMN, "end". */
static void expect_rows(struct dw_image image, const char *expected, const char *fault)
{
    char text[1024] = "";
    struct lined l;
    struct ms_error err;
    cr_assert_eq(open_lines(&l, image, &err), MS_OK, "%s", err.text);
    struct ms_line_state state = ms_line_state_at(0);
    while (ms_line_next(&l.machine, &state)) {
        size_t n = strlen(text);
        if (state.end)
            snprintf(text + n, sizeof text - n, "%llx end|", (unsigned long long)state.address);
        else
            snprintf(text + n, sizeof text - n, "%llx %u:%u:%u|", (unsigned long long)state.address,
                     state.file, state.line, state.column);
    }
    cr_assert_str_eq(text, expected, "%s", text);
    cr_assert_eq(state.fault != NULL, fault != NULL);
    if (fault) {
        cr_assert_eq(ms_line_machine_fail(&l.machine, &state, &err), MS_E_FORMAT);
        cr_assert_not_null(strstr(err.text, fault), "%s", err.text);
    }
    close_lines(&l);
}

static struct dw_image program(unsigned version, const void *bytes, size_t n)
{
    struct dw_image image = begin(version);
    struct dw_line line = dw_line(&image);
    plain_files(&image);
    dw_line_program(&image, line);
    dw_bytes(&image.line, bytes, n);
    dw_end(&image, &image.line, line.start);
    return image;
}

Test(dwarf_line, standard_opcodes)
{
    static const char bytes[] = "\0\x09\2\0\x10\0\0\0\0\0\0" /* set_address 0x1000 */
                                "\5\x85\1"                   /* column 133 */
                                "\3\x80\1"                   /* line + 128 */
                                "\1"                         /* copy */
                                "\2\x90\1"                   /* pc + 144 */
                                "\3\x7f"                     /* line - 1 */
                                "\4\x80\1"                   /* file 128 */
                                "\5\2\6\7\x0a\x0b"           /* column 2, flags */
                                "\x0c\5"                     /* isa */
                                "\1"
                                "\x08"           /* const_add_pc: 17 */
                                "\x09\1\1"       /* fixed_advance_pc 0x101 */
                                "\xff"           /* special: 17, line_base -5 + 4 */
                                "\0\5\4\0\0\0\0" /* set_discriminator, oddly long */
                                "\0\2\x80\1"     /* a vendor's */
                                "\0\1\1";        /* end_sequence */
    expect_rows(program(4, bytes, sizeof bytes - 1),
                "1000 1:129:133|1090 128:128:2|11b3 128:127:2|11b3 end|", NULL);
}

Test(dwarf_line, registers_start_anew)
{
    static const char bytes[] = "\0\x09\2\0\x10\0\0\0\0\0\0\5\7\3\x10\4\2\1\0\1\1"
                                "\0\x09\2\0\x20\0\0\0\0\0\0\1\0\1\1";
    expect_rows(program(3, bytes, sizeof bytes - 1), "1000 2:17:7|1000 end|2000 1:1:0|2000 end|",
                NULL);
}

Test(dwarf_line, set_address_of_other_sizes)
{
    static const char bytes[] = "\0\5\2\1\2\3\4\1\0\3\2\5\6\1\0\1\1";
    expect_rows(program(4, bytes, sizeof bytes - 1), "4030201 1:1:0|605 1:1:0|605 end|", NULL);
    expect_rows(program(4, "\0\4\2\1\2\3", 6), "", "DW_LNE_set_address of an unknown size");
    expect_rows(program(4, "\0\1\2", 3), "", "DW_LNE_set_address of an unknown size");
    expect_rows(program(4, "\0\xc8\2\2", 4), "", "an extended opcode is cut short");
    expect_rows(program(4, "\0\0", 2), "", "an extended opcode is cut short");
    expect_rows(program(4, "\0", 1), "", "an extended opcode is cut short");
}

Test(dwarf_line, opcodes_that_are_cut_short)
{
    static const char *const bytes[] = {"\2", "\2\x80", "\3",     "\3\x80", "\4",
                                        "\5", "\5\x80", "\x09\1", "\x0c"};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        expect_rows(program(4, bytes[i], strlen(bytes[i])), "", "an opcode is cut short");
}

Test(dwarf_line, files_that_the_program_defines)
{
    struct lined l;
    struct dw_image image = program(4, "\0\7\3n.c\0\0\0\0\0\4\1\1\0\1\1", 17);
    image.line.at[image.line.n - 5] = 4; /* set_file … */
    (void)image;
    cr_assert_eq(open_lines(&l, image, NULL), MS_OK);
    struct ms_line_state state = ms_line_state_at(0);
    while (ms_line_next(&l.machine, &state))
        ;
    cr_assert_eq(l.files.n_files, 2);
    cr_assert_str_eq(path_of(&l, 2), "/c/n.c");
    close_lines(&l);
    expect_rows(program(4, "\0\4\3n.c", 6), "", "DW_LNE_define_file is cut short");
}

Test(dwarf_line, unknown_standard_opcodes_have_lengths)
{
    struct dw_image image = begin(4);
    struct dw_line line = dw_line(&image);
    /* opcode_base 15: 13 takes two operands, 14 none */
    image.line.at[image.line.n - 13] = 15;
    dw_bytes(&image.line, "\2\0", 2);
    plain_files(&image);
    dw_line_program(&image, line);
    dw_bytes(&image.line, "\x0d\x80\1\x55\x0e\3\4\1\0\1\1", 11);
    dw_end(&image, &image.line, line.start);
    expect_rows(image, "0 1:5:0|0 end|", NULL);
}

Test(dwarf_line, a_small_opcode_base_makes_special_ones_of_the_rest)
{
    struct dw_image image = begin(2);
    struct dw_line line = dw_line(&image);
    image.line.at[image.line.n - 13] = 4; /* opcode_base: 4 to 255 are special */
    image.line.n -= 9;
    plain_files(&image);
    dw_line_program(&image, line);
    dw_bytes(&image.line, "\5\6\x12\0\1\1", 6); /* lines -4, -3; 1 byte and line -5 */
    dw_end(&image, &image.line, line.start);
    expect_rows(image, "0 1:4294967293:0|0 1:4294967290:0|1 1:4294967285:0|1 end|", NULL);
}

Test(dwarf_line, bundles_of_operations)
{
    struct dw_image image = begin(4);
    struct dw_line line = dw_line(&image);
    image.line.at[line.header] = 16;    /* minimum_instruction_length */
    image.line.at[line.header + 1] = 3; /* three operations in it */
    plain_files(&image);
    dw_line_program(&image, line);
    /* pc + 2 operations; special: 2 more and a line; const_add_pc: 17; column, line by hand */
    dw_bytes(&image.line, "\2\2\1\x2f\5\3\3\2\6\x08\1\x09\1\0\1\0\1\1", 18);
    dw_end(&image, &image.line, line.start);
    expect_rows(image, "0 1:1:0|10 1:2:0|70 1:4:3|71 1:4:3|71 end|", NULL);
}

Test(dwarf_line, a_line_range_of_0_advances_nothing)
{
    struct dw_image image = begin(4);
    struct dw_line line = dw_line(&image);
    image.line.at[line.header + 4] = 0;
    plain_files(&image);
    dw_line_program(&image, line);
    dw_bytes(&image.line, "\3\x10\xff\x08\1\0\1\1", 8);
    dw_end(&image, &image.line, line.start);
    expect_rows(image, "0 1:12:0|0 1:12:0|0 end|", NULL);
}

/* ---- finding rows --------------------------------------------------------------------------- */

static unsigned next_random(unsigned *random)
{
    *random = *random * 1103515245 + 12345;
    return *random >> 16;
}

/* Sequences that overlap, go back, are empty, or start where no code is. */
static struct dw_image random_program(unsigned *random)
{
    struct dw_image image = begin(4);
    struct dw_line line = dw_line(&image);
    struct dw *b = &image.line;
    plain_files(&image);
    dw_line_program(&image, line);
    for (unsigned s = next_random(random) % 6; s-- > 0;) {
        unsigned kind = next_random(random) % 8, rows = next_random(random) % 200;
        dw_set_address(&image, kind == 0 ? 0 : 0xf80 + next_random(random) % 0x200);
        for (unsigned i = 0; i < rows; i++) {
            dw_u8(b, DW_LNS_advance_line);
            dw_sleb(b, (int)(next_random(random) % 200) - 100);
            dw_u8(b, DW_LNS_set_column);
            dw_uleb(b, next_random(random) % 300);
            if (kind == 1 && next_random(random) % 8 == 0) { /* back */
                dw_u8(b, DW_LNS_advance_pc);
                dw_uleb(b, (uint64_t)0 - next_random(random) % 9);
            }
            dw_u8(b, 13 + next_random(random) % 243);
        }
        dw_end_sequence(&image, next_random(random) % 4);
    }
    dw_end(&image, &image.line, line.start);
    return image;
}

static bool same(const struct ms_row_hit *a, const struct ms_row_hit *b)
{
    return a->high == b->high && a->file == b->file && a->line == b->line &&
           a->column == b->column && a->low == b->low;
}

/* What the two headers say, in the plainest way: all rows of all sequences. */
static struct ms_row_hit by_hand(const struct lined *l, uint64_t address)
{
    struct ms_row_hit best = {0}, in = {0};
    struct ms_line_state state = ms_line_state_at(0), last = state;
    bool open = false, found = false;
    uint64_t low = 0;
    while (ms_line_next(&l->machine, &state)) {
        if (!open)
            low = state.address;
        else if (!found && last.address <= address && address < state.address) {
            in = (struct ms_row_hit){0, last.file, last.line, last.column, last.address};
            found = true;
        }
        last = state;
        open = !state.end;
        if (open)
            continue;
        if (found && low <= address && address < state.address &&
            ms_trust_allows(l->unit.dwarf, ms_dwarf_trust(l->unit.dwarf, low), address) &&
            (!best.high || state.address < best.high)) {
            best = in;
            best.high = state.address;
        }
        found = false;
    }
    return best;
}

Test(dwarf_line, the_pass_and_the_index_agree_with_counting_by_hand)
{
    enum { FIRST = 0xf00, N = 0x1400 };
    static uint64_t addresses[N];
    static struct ms_row_hit hits[N], pending[N];
    unsigned random = 7;
    for (int i = 0; i < N; i++)
        addresses[i] = (uint64_t)(FIRST + i);
    for (int round = 0; round < 30; round++) {
        struct lined l;
        struct ms_line_index index = {0};
        uint64_t budget = 1 << 20;
        cr_assert_eq(open_lines(&l, random_program(&random), NULL), MS_OK);
        memset(hits, 0, sizeof hits);
        cr_assert_eq(ms_line_scan(&l.machine, addresses, N, hits, pending, &budget, NULL), MS_OK);
        cr_assert_eq(ms_line_index_build(&l.machine, SIZE_MAX, &index, NULL), MS_OK);
        for (int i = 0; i < N; i++) {
            struct ms_row_hit hand = by_hand(&l, addresses[i]), found = {0};
            bool known = ms_line_index_find(&index, &l.machine, addresses[i], &found);
            cr_assert_eq(known, hand.high != 0);
            cr_assert(same(&hand, &hits[i]), "pass, round %d, 0x%llx", round,
                      (unsigned long long)addresses[i]);
            cr_assert(same(&hand, &found), "index, round %d, 0x%llx", round,
                      (unsigned long long)addresses[i]);
        }
        ms_line_index_fini(&index);
        close_lines(&l);
    }
}

Test(dwarf_line, a_sequence_without_an_end_counts_for_nothing)
{
    struct lined l;
    struct ms_error err;
    struct ms_row_hit hit = {0}, pending;
    struct ms_line_index index = {0};
    const uint64_t address = 0x1004;
    uint64_t budget = 100;
    static const char bytes[] = "\0\x09\2\0\x10\0\0\0\0\0\0\1\2\x10\1";
    cr_assert_eq(open_lines(&l, program(4, bytes, sizeof bytes - 1), NULL), MS_OK);
    cr_assert_eq(ms_line_scan(&l.machine, &address, 1, &hit, &pending, &budget, &err), MS_E_FORMAT);
    cr_assert_eq(hit.high, 0);
    cr_assert_not_null(strstr(err.text, "the last sequence has no end"));
    cr_assert_eq(ms_line_index_build(&l.machine, SIZE_MAX, &index, &err), MS_E_FORMAT);
    cr_assert_not(ms_line_index_find(&index, &l.machine, address, &hit));
    ms_line_index_fini(&index);
    close_lines(&l);
}

Test(dwarf_line, overlapping_sequences_have_a_budget)
{
    struct dw_image image = begin(4);
    struct dw_line line = dw_line(&image);
    struct lined l;
    struct ms_error err;
    struct ms_row_hit hit = {0}, pending;
    const uint64_t address = 0x1004;
    uint64_t budget = 10;
    plain_files(&image);
    dw_line_program(&image, line);
    for (int i = 0; i < 50; i++) {
        dw_set_address(&image, 0x1000);
        dw_row(&image, 0, 1);
        dw_end_sequence(&image, 0x10);
    }
    dw_end(&image, &image.line, line.start);
    cr_assert_eq(open_lines(&l, image, NULL), MS_OK);
    cr_assert_eq(ms_line_scan(&l.machine, &address, 1, &hit, &pending, &budget, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "line table: sequences overlap too often");
    cr_assert_eq(hit.line, 2);
    close_lines(&l);
}
