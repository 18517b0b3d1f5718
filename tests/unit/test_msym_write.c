/*
 * pack/msym_write.h: the bytes of an index are the same whichever lane a piece came by and however
 * many threads write it, and hold nothing of what somebody else's code hides.
 */
#include "pack/msym.h"
#include "pack/msym_write.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough for several chunks, whose names fill more than a chain. */
enum { TURNS = 60, A_TURN = 15, PIECES = TURNS * A_TURN, STEP = 64, COPIES = 3 };

/* The same texts at several places, as units of one image may have them. */
static char linkage[COPIES][PIECES][24], name[COPIES][40][24], file[COPIES][7][24];

static void write_texts(void)
{
    for (int c = 0; c < COPIES; c++) {
        for (int i = 0; i < PIECES; i++)
            snprintf(linkage[c][i], sizeof linkage[c][i], "_ZN%dv", i / 3);
        for (int i = 0; i < 40; i++)
            snprintf(name[c][i], sizeof name[c][i], "name %d", i);
        for (int i = 0; i < 7; i++)
            snprintf(file[c][i], sizeof file[c][i], "file%d.c", i);
    }
}

/* Piece i of the whole; pieces lie in another order than their units. */
static void add_piece(struct ms_spool *spool, size_t lane, unsigned i)
{
    unsigned copy = i / A_TURN % COPIES, place = i * 7 % PIECES;
    uint64_t low = 0x1000 + (uint64_t)place * STEP;
    struct ms_piece_file files[] = {{"/c", NULL, file[copy][i % 7]},
                                    {"/c", "d", file[copy][i % 5]}};
    struct ms_piece_node nodes[3] = {
        {.linkage = linkage[copy][i], .name = name[copy][i % 40], .parent = MS_NO_PARENT}};
    /* Many names begin with one linkage name, and some with none. */
    nodes[1] = (struct ms_piece_node){.linkage = i % 4 ? linkage[copy][0] : NULL,
                                      .name = name[copy][i % 37],
                                      .start_vm = low + 4,
                                      .has_start = true,
                                      .call_file = 2,
                                      .call_line = i};
    nodes[2] = (struct ms_piece_node){.parent = 1, .call_file = 1, .call_line = 1};
    struct ms_piece_span spans[] = {{low, 0}, {low + 4, 1}, {low + 8 + i % 2, 2}, {low + 40, 0}};
    struct ms_piece_row rows[] = {
        {low, 1, i + 1, i % 300}, {low + 8, 2, 9, 1}, {low + 48, 0, 0, 0}};
    struct ms_piece piece = {.low = low,
                             .high = low + STEP,
                             .source = MS_SOURCE_DWARF,
                             .nodes = nodes,
                             .n_nodes = 3,
                             .spans = spans,
                             .n_spans = 4,
                             .rows = rows,
                             .n_rows = 3,
                             .files = files,
                             .n_files = 2};
    struct ms_piece_claim claim = {0, STEP, i};
    cr_assert(ms_spool_add(spool, lane, i / A_TURN, &piece, claim));
}

/* What a larger function has, of which a part, or nothing, is left. */
static void add_behind(struct ms_spool *spool, size_t lane, unsigned turn, uint64_t low,
                       uint64_t high, const char *text)
{
    struct ms_piece_node node = {.name = text, .parent = MS_NO_PARENT};
    struct ms_piece_span span = {low, 0};
    struct ms_piece_file named = {NULL, NULL, text};
    struct ms_piece_row row = {low, 1, 3, 4};
    struct ms_piece piece = {.low = low,
                             .high = high,
                             .source = MS_SOURCE_DWARF,
                             .nodes = &node,
                             .n_nodes = 1,
                             .spans = &span,
                             .n_spans = 1,
                             .rows = &row,
                             .n_rows = 1,
                             .files = &named,
                             .n_files = 1};
    cr_assert(ms_spool_add(spool, lane, turn, &piece,
                           (struct ms_piece_claim){0, high - low + STEP, 1000000 + turn}));
}

struct bytes {
    char *at;
    size_t n, room;
};

static bool take(void *to, const char *bytes, size_t n)
{
    struct bytes *b = to;
    cr_assert_leq(n, b->room - b->n);
    memcpy(b->at + b->n, bytes, n);
    b->n += n;
    return true;
}

/* With `hidden` also code of which some, or all, is somebody else's. */
static struct bytes make(size_t n_lanes, size_t n_workers, bool hidden)
{
    struct ms_msym_choice choice = {.name = "image", .n_workers = n_workers};
    struct ms_msym_writer *writer;
    struct ms_spool *spool;
    struct ms_piece_room room;
    struct ms_error err;
    memset(&room, 0, sizeof room);
    cr_assert_eq(ms_spool_open(n_lanes, &spool, &err), MS_OK);
    for (unsigned turn = 0; turn < TURNS; turn++) {
        size_t lane = turn * turn % n_lanes;
        for (unsigned k = 0; k < A_TURN; k++)
            add_piece(spool, lane, turn * A_TURN + k);
        if (hidden && turn == 5)
            add_behind(spool, lane, turn, 0x1000 + 10, 0x1000 + 90, "all hidden");
        if (hidden && turn == 6) /* by names that later turns, which other lanes have, use too */
            for (int i = 0; i < 40; i += 3)
                add_behind(spool, lane, turn, 0x1000 + 70, 0x1000 + 90,
                           name[turn % COPIES][39 - i]);
        if (hidden && turn == 7)
            add_behind(spool, lane, turn, 0xf00, 0x1000 + 90, "partly hidden");
    }
    cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
    for (size_t i = 0; i < ms_spool_n(spool); i++)
        cr_assert(ms_spool_keep(spool, i, &room));
    ms_spool_replace(spool);
    cr_assert_eq(ms_spool_has_dropped(spool), hidden);
    cr_assert_eq(ms_msym_write(spool, &choice, &writer, &err), MS_OK);
    struct bytes b = {malloc(ms_msym_bytes(writer)), 0, ms_msym_bytes(writer)};
    cr_assert(b.at && ms_msym_give(writer, take, &b));
    cr_assert_eq(b.n, b.room);
    ms_msym_writer_close(writer);
    ms_spool_close(spool);
    ms_piece_room_fini(&room);
    return b;
}

static size_t count(struct bytes b, const char *text)
{
    size_t n = 0, length = strlen(text) + 1;
    for (size_t i = 0; i + length <= b.n; i++)
        n += memcmp(b.at + i, text, length) == 0;
    return n;
}

static void expect_same(bool hidden)
{
    write_texts();
    struct bytes first = make(1, 1, hidden);
    for (size_t lanes = 1; lanes <= 5; lanes++)
        for (size_t workers = 1; workers <= 4; workers++) {
            struct bytes other = make(lanes, workers, hidden);
            cr_assert_eq(first.n, other.n);
            cr_assert_eq(memcmp(first.at, other.at, first.n), 0, "%zu lanes, %zu workers", lanes,
                         workers);
            free(other.at);
        }
    /* Each text is there once, whatever places had it. */
    cr_assert_eq(count(first, "name 7"), 1);
    cr_assert_eq(count(first, "file3.c"), 1);
    cr_assert_eq(count(first, "_ZN0v"), 1);
    cr_assert_eq(count(first, "all hidden"), 0);
    cr_assert_eq(count(first, "partly hidden"), hidden);
    free(first.at);
}

Test(msym_write, bytes_are_the_same_whoever_makes_them)
{
    expect_same(false);
}

Test(msym_write, nothing_is_told_of_code_that_is_somebody_elses)
{
    expect_same(true);
}

Test(msym_write, every_name_is_at_its_place)
{
    static struct ms_ready_answer answer;
    struct ms_msym *msym;
    struct ms_msym_head head;
    struct ms_error err;
    write_texts();
    struct bytes b = make(3, 2, true);
    cr_assert_eq(ms_msym_open((struct ms_bytes){(const uint8_t *)b.at, b.n}, "image", &msym, &err),
                 MS_OK);
    cr_assert_eq(ms_msym_check(msym, NULL, NULL, &err), MS_OK);
    ms_msym_head(msym, &head);
    cr_assert_eq(head.n_records, PIECES + 1);
    for (unsigned i = 0; i < PIECES; i++) {
        uint64_t low = 0x1000 + (uint64_t)(i * 7 % PIECES) * STEP;
        cr_assert_eq(ms_msym_find(msym, low + 12, &answer, &err), MS_OK);
        cr_assert_eq(answer.n_frames, 3);
        const struct ms_frame *f = answer.frames;
        cr_assert(!f[0].linkage && !f[0].name);
        cr_assert_str_eq(f[0].file, file[0][i % 5]);
        cr_assert_eq(f[0].line, 9);
        cr_assert(i % 4 ? strcmp(f[1].linkage, "_ZN0v") == 0 : !f[1].linkage);
        cr_assert_str_eq(f[1].name, name[0][i % 37]);
        cr_assert_str_eq(f[1].file, file[0][i % 7]);
        cr_assert_str_eq(f[2].linkage, linkage[0][i]);
        cr_assert_str_eq(f[2].name, name[0][i % 40]);
        cr_assert_str_eq(f[2].dir, "d");
        cr_assert_eq(f[2].line, i);
        cr_assert_eq(ms_msym_find(msym, low + 4, &answer, &err), MS_OK);
        cr_assert_eq(answer.n_frames, 2);
        cr_assert_eq(answer.frames[0].line, i + 1);
        cr_assert_eq(answer.frames[0].column, i % 300);
    }
    cr_assert_eq(ms_msym_find(msym, 0xf80, &answer, &err), MS_OK);
    cr_assert_str_eq(answer.frames[0].name, "partly hidden");
    cr_assert_eq(answer.high, 0x1000);
    ms_msym_close(msym);
    free(b.at);
}
