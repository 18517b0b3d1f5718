/* Look-ups by both ways on the same program, written as every kind of DWARF. */
#include "unit/dwarf_chain.h"
#include "unit/dwarf_program.h"

#include <criterion/criterion.h>

static const struct {
    uint64_t address;
    const char *chain;
} expected[] = {
    {0x1000, "walk - /src/walk.c:10:0 +0|"},
    {0x1007, "walk - /src/walk.c:10:0 +7|"},
    {0x1008, "walk - /src/walk.c:11:3 +8|"},
    {0x1010, "leaf _Z4leafv /src/include/leaf.h:4:3 +0 i|walk - /src/walk.c:12:7 +10|"},
    {0x1012, "inner _Z5innerv /src/include/leaf.h:101:3 +0 i|"
             "leaf _Z4leafv /src/include/leaf.h:5:0 +2 i|walk - /src/walk.c:12:7 +12|"},
    {0x1014, "leaf _Z4leafv /src/include/leaf.h:101:3 +4 i|walk - /src/walk.c:12:7 +14|"},
    {0x1019, "inner _Z5innerv /src/include/leaf.h:101:3 +7 i|"
             "leaf _Z4leafv /src/include/leaf.h:5:0 +9 i|walk - /src/walk.c:12:7 +19|"},
    {0x1020, "walk - /src/include/leaf.h:101:3 +20|"},
    {0x1025, "walk - /src/walk.c:20:3 +25|"},
    {0x10ff, "walk - /src/walk.c:20:3 +ff|"},
    {0x1100, ""},
    {0x1200, "split - /src/walk.c:30:0 +0|"},
    {0x123f, "split - /src/walk.c:30:0 +3f|"},
    {0x1240, ""},
    {0x130f, "split - /src/walk.c:40:0 +10f|"},
    {0x1400, "method _ZN1N1S6methodEv /src/walk.c:50:0 +0|"},
    {0x140f, "method _ZN1N1S6methodEv /src/walk.c:50:0 +f|"},
    {0x1410, ""},
    {0x0fff, ""},
    {0x9000, ""},
    {0, ""},
    {UINT64_MAX, ""},
};
enum { N = sizeof expected / sizeof *expected };

static void expect_chain(const struct ms_dwarf_answers *answers, size_t i, const char *what)
{
    char text[1024];
    chain(answers, i % answers->n_hits, text, sizeof text);
    const struct ms_dwarf_hit *hit = &answers->hits[i % answers->n_hits];
    cr_assert_str_eq(text, expected[i].chain, "%s at 0x%llx: %s", what,
                     (unsigned long long)expected[i].address, text);
    cr_assert_eq(hit->status, expected[i].chain[0] ? MS_OK : MS_ABSENT);
}

/* The whole table by a batch (backwards, to be sorted) and one by one, twice. */
static void expect_program(struct program *p, const char *what)
{
    struct ms_dwarf *dwarf = dw_open(&p->image);
    struct ms_dwarf_answers many, one;
    struct ms_error err;
    uint64_t addresses[N];
    memset(&many, 0, sizeof many);
    memset(&one, 0, sizeof one);
    for (size_t i = 0; i < N; i++)
        addresses[i] = expected[N - 1 - i].address;
    cr_assert_eq(ms_dwarf_find_many(dwarf, addresses, N, &many, &err), MS_OK);
    cr_assert_eq(many.n_hits, N);
    cr_assert_eq(many.n_errors, 0);
    for (size_t i = 0; i < N; i++) {
        struct ms_dwarf_hit swap = many.hits[N - 1 - i];
        if (i < N / 2) {
            many.hits[N - 1 - i] = many.hits[i];
            many.hits[i] = swap;
        }
    }
    for (size_t i = 0; i < N; i++)
        expect_chain(&many, i, what);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < N; i++) {
            cr_assert_eq(ms_dwarf_find(dwarf, expected[i].address, &one, &err), MS_OK);
            cr_assert_eq(one.n_hits, 1);
            expect_chain(&one, i, what);
        }
    }
    ms_dwarf_answers_fini(&many);
    ms_dwarf_answers_fini(&one);
}

static void expect_counts(struct program *p)
{
    struct ms_dwarf_counts counts;
    cr_assert_eq(ms_dwarf_check(p->image.reader, NULL, NULL, &counts, NULL), MS_OK);
    cr_assert_eq(counts.n_units, 1);
    cr_assert_eq(counts.n_dies, 14);
    cr_assert_eq(counts.n_functions, 3);
    cr_assert_eq(counts.n_inlined, 2);
    cr_assert_eq(counts.n_sequences, 4);
    cr_assert_eq(counts.n_broken, 0);
}

Test(dwarf, every_version_format_and_byte_order)
{
    for (unsigned kind = 0; kind < 4 * 16; kind++) {
        unsigned version = 2 + kind / 16, address = kind & 1 ? 4 : 8, offset = kind & 2 ? 8 : 4;
        bool big = kind & 4, aranges = kind & 8;
        char what[80];
        if (version == 2 && offset == 8)
            continue; /* the 64-bit format came with DWARF 3 */
        for (int indexed = 0; indexed <= (version >= 5); indexed++) {
            struct program p = program_make(version, address, offset, big, indexed);
            if (aranges)
                program_aranges(&p);
            snprintf(what, sizeof what, "DWARF %u address %u offset %u %s%s%s", version, address,
                     offset, big ? "big" : "little", indexed ? " indexed" : "",
                     aranges ? " aranges" : "");
            expect_program(&p, what);
            expect_counts(&p);
            dw_close(&p.image);
        }
    }
}

Test(dwarf, duplicates_get_the_same_answer)
{
    struct program p = program_make(4, 8, 4, false, false);
    struct ms_dwarf_answers answers = {0};
    const uint64_t addresses[] = {0x1400, 0x1000, 0x1400, 0x1000, 0x1400};
    char first[512], text[512];
    cr_assert_eq(ms_dwarf_find_many(dw_open(&p.image), addresses, 5, &answers, NULL), MS_OK);
    chain(&answers, 0, first, sizeof first);
    cr_assert_str_eq(first, "method _ZN1N1S6methodEv /src/walk.c:50:0 +0|");
    chain(&answers, 4, text, sizeof text);
    cr_assert_str_eq(first, text);
    cr_assert_eq(answers.hits[0].frames, answers.hits[answers.n_hits - 1].frames, "made once");
    ms_dwarf_answers_fini(&answers);
    dw_close(&p.image);
}

Test(dwarf, nothing_asked_nothing_answered)
{
    struct program p = program_make(4, 8, 4, false, false);
    struct ms_dwarf_answers answers = {0};
    cr_assert_eq(ms_dwarf_find_many(dw_open(&p.image), NULL, 0, &answers, NULL), MS_OK);
    cr_assert_eq(answers.n_hits, 0);
    ms_dwarf_answers_fini(&answers);
    ms_dwarf_answers_fini(&answers);
    dw_close(&p.image);
}

Test(dwarf, without_debug_info_there_is_no_reader)
{
    struct ms_dwarf_sections none = {0};
    struct ms_dwarf *dwarf = (struct ms_dwarf *)&none;
    cr_assert_eq(ms_dwarf_open(&none, &dwarf, NULL), MS_ABSENT);
    cr_assert_null(dwarf);
    ms_dwarf_close(NULL);
}

/* Where the sets of ranges leave something out, or name the wrong unit, the units know. */
Test(dwarf, aranges_are_only_advice)
{
    static const uint64_t some[] = {0x1000, 0x10, 0, 0}, all[] = {0x1000, 0x1000, 0, 0};
    struct program p = program_make(4, 8, 4, false, false);
    dw_arange_set(&p.image, 0, some);
    expect_program(&p, "incomplete");
    dw_close(&p.image);

    p = program_make(4, 8, 4, false, false);
    dw_arange_set(&p.image, 0, all);
    expect_program(&p, "too wide");
    dw_close(&p.image);

    p = program_make(4, 8, 4, false, false);
    dw_arange_set(&p.image, 0, some);
    dw_u32(&p.image.aranges, 0xffff); /* a set longer than the section */
    expect_program(&p, "cut short");
    dw_close(&p.image);
}

Test(dwarf, a_small_ceiling_keeps_nothing_and_answers_the_same)
{
    struct program p = program_make(5, 8, 4, false, true);
    program_aranges(&p);
    struct ms_dwarf *dwarf = dw_open(&p.image);
    struct ms_dwarf_answers one = {0};
    for (int ceiling = 0; ceiling < 2; ceiling++) {
        ms_dwarf_set_max_kept(dwarf, ceiling ? 512 : 0);
        for (size_t i = 0; i < N; i++) {
            cr_assert_eq(ms_dwarf_find(dwarf, expected[i].address, &one, NULL), MS_OK);
            expect_chain(&one, i, "one");
        }
    }
    ms_dwarf_answers_fini(&one);
    dw_close(&p.image);
}

static void add_bytes(void *owner, uint64_t bytes)
{
    *(uint64_t *)owner += bytes;
}

/* Whoever maps the sections is told what is gone through, in a batch and one by one. */
Test(dwarf, a_meter_is_told)
{
    struct program p = program_make(5, 8, 4, false, true);
    program_aranges(&p);
    struct ms_dwarf *dwarf = dw_open(&p.image);
    struct ms_dwarf_answers answers = {0};
    uint64_t batch = 0, one = 0;
    ms_dwarf_set_meter(dwarf, add_bytes, &batch);
    cr_assert_eq(ms_dwarf_find_many(dwarf, &expected[0].address, 1, &answers, NULL), MS_OK);
    cr_assert_gt(batch, 0);
    cr_assert_leq(batch, p.image.info.n + p.image.line.n);
    ms_dwarf_set_meter(dwarf, add_bytes, &one);
    cr_assert_eq(ms_dwarf_find(dwarf, expected[0].address, &answers, NULL), MS_OK);
    cr_assert_eq(one, batch);
    cr_assert_eq(ms_dwarf_find(dwarf, expected[0].address, &answers, NULL), MS_OK);
    cr_assert_eq(one, batch, "the unit is kept");
    ms_dwarf_answers_fini(&answers);
    dw_close(&p.image);
}

/* No section is marked as code: then all addresses but 0 and the highest can be. */
Test(dwarf, code_may_be_unknown)
{
    struct program p = program_make(4, 8, 4, false, false);
    p.image.n_code = 0;
    expect_program(&p, "no code ranges");
    dw_close(&p.image);
}
