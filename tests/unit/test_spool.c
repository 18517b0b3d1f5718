/*
 * pack/spool.h: who has what where pieces overlap, by the rule of struct ms_piece_claim, against
 * the rule itself asked of every address; and that the order in which they came, and the lane,
 * change nothing.
 */
#include "pack/ready.h"
#include "pack/spool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    uint64_t low, high;
    struct ms_piece_claim claim;
};

enum { MOST = 40, SPACE = 200 };

static char names[MOST][8];

static uint64_t state = 88172645463325252u;

static uint64_t up_to(uint64_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
}

/* A piece with a function of its own name, or lines alone; every address has its own line. */
static void add(struct ms_spool *spool, size_t lane, const struct item *item, size_t i)
{
    struct ms_piece_node node = {
        .name = names[i], .start_vm = item->low, .has_start = true, .parent = MS_NO_PARENT};
    struct ms_piece_span span = {item->low, 0};
    struct ms_piece_row rows[SPACE];
    struct ms_piece_file file = {NULL, "/src", names[i]};
    size_t n = 0;
    for (uint64_t at = item->low; at < item->high; at++)
        rows[n++] = (struct ms_piece_row){at, 1, (uint32_t)(at * 3 + i), (uint32_t)i};
    struct ms_piece piece = {.low = item->low,
                             .high = item->high,
                             .source = MS_SOURCE_DWARF,
                             .nodes = &node,
                             .spans = &span,
                             .rows = rows,
                             .n_rows = n,
                             .files = &file,
                             .n_files = 1};
    piece.n_nodes = piece.n_spans = item->claim.size != 0;
    cr_assert(ms_spool_add(spool, lane, 0, &piece, item->claim));
}

static bool before(const struct item *a, const struct item *b)
{
    if (a->claim.rank != b->claim.rank)
        return a->claim.rank < b->claim.rank;
    if (!a->claim.size != !b->claim.size)
        return a->claim.size != 0;
    if (a->claim.size != b->claim.size)
        return a->claim.size < b->claim.size;
    return a->claim.order < b->claim.order;
}

static int holder(const struct item *items, size_t n, uint64_t address)
{
    int best = -1;
    for (size_t i = 0; i < n; i++)
        if (items[i].low <= address && address < items[i].high &&
            (best < 0 || before(&items[i], &items[best])))
            best = (int)i;
    return best;
}

static void expect_all(struct ms_spool *spool, const struct item *items, size_t n)
{
    static struct ms_ready_answer answer;
    struct ms_piece_room room;
    struct ms_piece piece;
    uint64_t at = 0;
    memset(&room, 0, sizeof room);
    for (size_t k = 0; k < ms_spool_n(spool); k++) {
        uint64_t low, high;
        ms_spool_range(spool, k, &low, &high);
        cr_assert(ms_spool_get(spool, k, &room, &piece));
        cr_assert_eq(piece.low, low);
        cr_assert_eq(piece.high, high);
        cr_assert_lt(low, high);
        cr_assert_geq(low, at);
        for (; at < low; at++)
            cr_assert_eq(holder(items, n, at), -1);
        for (; at < high; at++) {
            int i = holder(items, n, at);
            cr_assert_geq(i, 0);
            ms_ready_from_piece(&piece, at, &answer);
            cr_assert_eq(answer.n_frames, 1);
            cr_assert_eq(answer.frames[0].line, at * 3 + (uint64_t)i);
            cr_assert_eq(answer.frames[0].column, (uint64_t)i);
            cr_assert_str_eq(answer.frames[0].file, names[i]);
            if (items[i].claim.size) {
                cr_assert_str_eq(answer.frames[0].name, names[i]);
                cr_assert_eq(answer.frames[0].offset, at - items[i].low);
            } else {
                cr_assert_null(answer.frames[0].name);
            }
        }
    }
    for (; at < SPACE; at++)
        cr_assert_eq(holder(items, n, at), -1);
    ms_piece_room_fini(&room);
}

Test(spool, the_claim_decides_whatever_overlaps)
{
    for (int turn = 0; turn < 400; turn++) {
        struct item items[MOST];
        size_t n = up_to(MOST + 1), order[MOST];
        for (size_t i = 0; i < n; i++) {
            uint64_t low = up_to(SPACE - 1), high = low + 1 + up_to(turn % 2 ? 8 : SPACE - low - 1);
            high = high > SPACE ? SPACE : high;
            /* No two have one order, so that the rule leaves nothing open. */
            items[i] = (struct item){low, high, {(uint8_t)up_to(3), up_to(4), i * 7 % 41}};
            snprintf(names[i], sizeof names[i], "f%zu", i);
            order[i] = i;
        }
        for (int way = 0; way < 3; way++) {
            struct ms_spool *spool;
            struct ms_error err;
            cr_assert_eq(ms_spool_open(3, &spool, &err), MS_OK);
            for (size_t i = 0; way && i < n; i++) {
                size_t k = up_to(n), other = order[i];
                order[i] = order[k];
                order[k] = other;
            }
            for (size_t i = 0; i < n; i++)
                add(spool, way == 2 ? up_to(3) : 0, &items[order[i]], order[i]);
            cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
            expect_all(spool, items, n);
            ms_spool_close(spool);
        }
    }
}

Test(spool, rank_then_function_then_size_then_order)
{
    struct item items[] = {
        {0, 100, {1, 10, 0}}, /* a small function, but of a higher rank */
        {0, 100, {0, 0, 1}},  /* lines alone */
        {20, 80, {0, 60, 2}}, /* a function */
        {40, 60, {0, 20, 4}}, /* a smaller one */
        {40, 60, {0, 20, 3}}, /* the same, of an earlier unit */
        {90, 120, {2, 0, 5}}, /* damage: what nobody else has */
    };
    struct ms_spool *spool;
    struct ms_error err;
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        snprintf(names[i], sizeof names[i], "f%zu", i);
    cr_assert_eq(ms_spool_open(1, &spool, &err), MS_OK);
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        add(spool, 0, &items[i], i);
    cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
    static const uint64_t lows[] = {0, 20, 40, 60, 80, 100}, ends[] = {20, 40, 60, 80, 100, 120};
    cr_assert_eq(ms_spool_n(spool), 6);
    for (size_t i = 0; i < 6; i++) {
        uint64_t low, high;
        ms_spool_range(spool, i, &low, &high);
        cr_assert_eq(low, lows[i]);
        cr_assert_eq(high, ends[i]);
    }
    expect_all(spool, items, sizeof items / sizeof *items);
    ms_spool_close(spool);
}

Test(spool, empty_and_the_ends_of_the_address_space)
{
    struct ms_spool *spool;
    struct ms_error err;
    struct ms_piece_room room;
    struct ms_piece got;
    memset(&room, 0, sizeof room);
    cr_assert_eq(ms_spool_open(2, &spool, &err), MS_OK);
    cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
    cr_assert_eq(ms_spool_n(spool), 0);
    ms_spool_close(spool);
    struct ms_piece_node node = {
        .linkage = "_Zf", .start_vm = UINT64_MAX - 16, .has_start = true, .parent = MS_NO_PARENT};
    struct ms_piece_span span = {0, 0};
    struct ms_piece piece = {.low = 0,
                             .high = UINT64_MAX,
                             .nodes = &node,
                             .n_nodes = 1,
                             .spans = &span,
                             .n_spans = 1,
                             .damaged = true,
                             .source = MS_SOURCE_NLIST};
    cr_assert_eq(ms_spool_open(1, &spool, &err), MS_OK);
    cr_assert(ms_spool_add(spool, 0, 0, &piece, (struct ms_piece_claim){0, UINT64_MAX, 0}));
    cr_assert_eq(ms_spool_settle(spool, &err), MS_OK);
    cr_assert_eq(ms_spool_n(spool), 1);
    cr_assert(ms_spool_get(spool, 0, &room, &got));
    cr_assert_eq(got.high, UINT64_MAX);
    cr_assert_eq(got.nodes[0].start_vm, UINT64_MAX - 16);
    cr_assert_str_eq(got.nodes[0].linkage, "_Zf");
    cr_assert_null(got.nodes[0].name);
    cr_assert(got.damaged);
    cr_assert_eq(got.source, MS_SOURCE_NLIST);
    ms_piece_room_fini(&room);
    ms_spool_close(spool);
    ms_spool_close(NULL);
}
