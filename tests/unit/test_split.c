/* pack/split.h: parts say at every address what the whole piece says. */
#include "pack/split.h"

#include "pack/ready.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4000, STEP = 4 };

static struct ms_piece_node nodes[MOST];
static struct ms_piece_span spans[MOST];
static struct ms_piece_row rows[MOST];
static struct ms_piece_file files[5];
static char names[MOST][12];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* A function with calls inlined to some depth, whose spans and rows begin wherever. */
static struct ms_piece make(uint64_t seed, size_t n_nodes, size_t n_spans, size_t n_rows)
{
    static const char *const file_names[] = {"a.c", "b.c", "c.h", "d.h", "e.h"};
    uint64_t state = seed * 0x9e3779b97f4a7c15u + 1, at = 0x1000;
    for (size_t i = 0; i < 5; i++)
        files[i] = (struct ms_piece_file){"/src", NULL, file_names[i]};
    for (size_t i = 0; i < n_nodes; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        nodes[i] = (struct ms_piece_node){.linkage = names[i],
                                          .names = (uint32_t)i + 1,
                                          .start_vm = 0x1000 + 16 * i,
                                          .has_start = i % 3 != 1,
                                          .parent = MS_NO_PARENT};
        if (!i)
            continue;
        nodes[i].parent = (uint32_t)(i < 4 ? i - 1 : i - 1 - next_random(&state) % 4);
        nodes[i].call_file = (uint32_t)(next_random(&state) % 6);
        nodes[i].call_line = (uint32_t)i;
        nodes[i].call_column = (uint32_t)i % 7;
    }
    for (size_t i = 0; i < n_spans; i++, at += STEP * (1 + next_random(&state) % 3))
        spans[i] = (struct ms_piece_span){at, (uint32_t)(next_random(&state) % n_nodes)};
    uint64_t end = at;
    at = 0x1000 + (seed % 3) * STEP;
    for (size_t i = 0; i < n_rows; i++, at += STEP * (1 + next_random(&state) % 2))
        rows[i] = (struct ms_piece_row){at, (uint32_t)(next_random(&state) % 6), (uint32_t)i, 1};
    return (struct ms_piece){.low = 0x1000,
                             .high = (at > end ? at : end) + STEP,
                             .source = MS_SOURCE_DWARF,
                             .nodes = nodes,
                             .n_nodes = n_nodes,
                             .spans = spans,
                             .n_spans = n_nodes ? n_spans : 0,
                             .rows = rows,
                             .n_rows = n_rows,
                             .files = files,
                             .n_files = 5};
}

static struct ms_ready_answer by_whole, by_part;

struct judge {
    const struct ms_piece *whole;
    uint64_t end;
    size_t n_parts, n_nodes, most, stop_after;
};

static bool judge_part(void *owner, const struct ms_piece *part)
{
    struct judge *j = owner;
    cr_assert_eq(part->low, j->end);
    cr_assert_lt(part->low, part->high);
    cr_assert_eq(part->more, part->low != j->whole->low);
    cr_assert_eq(part->n_nodes != 0, j->whole->n_nodes != 0);
    for (size_t i = 1; i < part->n_nodes; i++)
        cr_assert_lt(part->nodes[i].parent, i);
    if (part->n_spans)
        cr_assert_eq(part->spans[0].low, part->low);
    for (uint64_t address = part->low; address < part->high; address += STEP / 2) {
        ms_ready_from_piece(j->whole, address, &by_whole);
        ms_ready_from_piece(part, address, &by_part);
        cr_assert_eq(by_whole.n_frames, by_part.n_frames);
        cr_assert_eq(
            memcmp(by_whole.frames, by_part.frames, by_whole.n_frames * sizeof *by_whole.frames),
            0);
    }
    j->end = part->high;
    j->n_nodes += part->n_nodes;
    if (part->n_rows + part->n_spans > j->most)
        j->most = part->n_rows + part->n_spans;
    return ++j->n_parts != j->stop_after;
}

Test(split, parts_say_what_the_whole_says)
{
    static const size_t counts[][3] = {{0, 0, 0},   {0, 0, 10},     {0, 0, 1000},      {1, 1, 0},
                                       {1, 1, 95},  {1, 1, 96},     {7, 40, 56},       {9, 700, 3},
                                       {300, 2, 9}, {90, 200, 600}, {1500, 1900, 3500}};
    struct ms_split_room room = {0};
    for (uint64_t seed = 0; seed < 12; seed++)
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            struct ms_piece whole = make(seed, counts[i][0], counts[i][1], counts[i][2]);
            struct judge j = {.whole = &whole, .end = whole.low};
            cr_assert(ms_piece_split(&whole, &room, judge_part, &j));
            cr_assert_eq(j.end, whole.high);
            if (whole.n_rows + whole.n_spans < 96)
                cr_assert_eq(j.n_parts, 1);
            if (whole.n_rows >= 600)
                cr_assert_geq(j.n_parts, whole.n_nodes < 30 ? whole.n_rows / 96 : 2);
            cr_assert_leq(j.n_nodes, 2 * whole.n_nodes + (whole.n_rows + whole.n_spans) / 2);
        }
    ms_split_room_fini(&room);
}

/* A chain of calls that is in every part must not make a small piece a large index. */
Test(split, deep_calls_are_not_repeated_for_few_rows)
{
    struct ms_piece whole = make(3, 512, 1, 3900);
    struct ms_split_room room = {0};
    for (uint32_t i = 1; i < 512; i++)
        nodes[i].parent = i - 1;
    spans[0].node = 511;
    struct judge j = {.whole = &whole, .end = whole.low};
    cr_assert(ms_piece_split(&whole, &room, judge_part, &j));
    cr_assert_eq(j.end, whole.high);
    cr_assert_gt(j.n_parts, 2);
    cr_assert_leq(j.n_nodes, 512 + 3900 / 2 + 512);
    ms_split_room_fini(&room);
}

Test(split, rows_at_one_address_stay_together)
{
    struct ms_piece whole = make(1, 2, 2, 300);
    struct ms_split_room room = {0};
    for (size_t i = 0; i < 300; i++)
        rows[i].low = 0x1000 + i / 150 * 64;
    whole.high = 0x2000;
    struct judge j = {.whole = &whole, .end = whole.low};
    cr_assert(ms_piece_split(&whole, &room, judge_part, &j));
    cr_assert_eq(j.n_parts, 2);
    cr_assert_eq(j.end, whole.high);
    ms_split_room_fini(&room);
}

Test(split, the_taker_can_stop)
{
    struct ms_piece whole = make(2, 20, 100, 900);
    struct ms_split_room room = {0};
    struct judge j = {.whole = &whole, .end = whole.low, .stop_after = 3};
    cr_assert_not(ms_piece_split(&whole, &room, judge_part, &j));
    cr_assert_eq(j.n_parts, 3);
    /* What it left behind must not be taken for the next piece's. */
    j = (struct judge){.whole = &whole, .end = whole.low};
    cr_assert(ms_piece_split(&whole, &room, judge_part, &j));
    cr_assert_eq(j.end, whole.high);
    ms_split_room_fini(&room);
}
