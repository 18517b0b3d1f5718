#include "pack/spool.h"

#include "base/array.h"
#include "pack/slabs.h"

#include <stdlib.h>
#include <string.h>

/* A packed piece. */
struct record {
    uint64_t low, high;
    uint64_t size, order; /* of its claim, like rank */
    const uint8_t *at;    /* in the slabs of its lane */
    uint32_t n;
    uint16_t lane;
    uint8_t rank;
    bool is_named;
};

/* What is sorted: the address is looked at more often than all the rest. */
struct ref {
    uint64_t low;
    const struct record *record;
};

struct lane {
    struct ms_slabs slabs;
    struct ms_interned files, names;
    uint32_t *numbers; /* of the files and names of the piece in hand */
    size_t numbers_room;
    struct ms_spool_turn *turns;
    size_t n_turns, turns_room;
    struct record *records;
    size_t n_records, records_room;
    char pad[64]; /* two threads' lanes share no line of the cache */
};

/* A stretch that is settled. */
struct stretch {
    uint64_t low, high;
    uint32_t record; /* of the spool's; behind those, of the last lane's */
};

struct ms_spool {
    struct lane *lanes; /* the last is ms_spool_put's */
    size_t n_lanes;
    struct ref *records; /* of all lanes but the last, by low */
    size_t n_records;
    struct stretch *stretches;
    size_t n_stretches, stretches_room;
    struct stretch *kept; /* the second list */
    size_t n_kept, kept_room;
    size_t n_whole; /* of that: records as they were added */
};

enum ms_status ms_spool_open(size_t n_lanes, struct ms_spool **out, struct ms_error *err)
{
    struct ms_spool *spool = calloc(1, sizeof *spool);
    if (!spool)
        return ms_fail_memory(err);
    spool->n_lanes = n_lanes + 1;
    spool->lanes = n_lanes < UINT16_MAX ? calloc(spool->n_lanes, sizeof *spool->lanes) : NULL;
    if (!spool->lanes) {
        free(spool);
        return ms_fail_memory(err);
    }
    for (size_t i = 0; i < spool->n_lanes; i++) {
        ms_interned_init(&spool->lanes[i].files, MS_FILE_TEXTS);
        ms_interned_init(&spool->lanes[i].names, MS_NAME_TEXTS);
    }
    *out = spool;
    return MS_OK;
}

void ms_spool_close(struct ms_spool *spool)
{
    if (!spool)
        return;
    for (size_t i = 0; i < spool->n_lanes; i++) {
        struct lane *lane = &spool->lanes[i];
        ms_slabs_fini(&lane->slabs);
        ms_interned_fini(&lane->files);
        ms_interned_fini(&lane->names);
        free(lane->numbers);
        free(lane->turns);
        free(lane->records);
    }
    free(spool->lanes);
    free(spool->records);
    free(spool->stretches);
    free(spool->kept);
    free(spool);
}

/* ---- adding ------------------------------------------------------------------------------ */

/* The lane's numbers of the piece's files, and behind them of its nodes' names. */
static bool number_all(struct lane *lane, const struct ms_piece *p)
{
    while (lane->numbers_room <= p->n_files + p->n_nodes)
        if (!ms_array_grow(&lane->numbers, lane->numbers_room, &lane->numbers_room,
                           sizeof *lane->numbers))
            return false;
    uint32_t *number = lane->numbers;
    for (size_t i = 0; i < p->n_files; i++, number++) {
        const char *texts[] = {p->files[i].comp_dir, p->files[i].dir, p->files[i].file};
        if ((*number = ms_interned_number(&lane->files, texts)) == MS_INDEX_NONE)
            return false;
    }
    for (size_t i = 0; i < p->n_nodes; i++, number++) {
        const char *texts[] = {p->nodes[i].linkage, p->nodes[i].name};
        if ((*number = ms_interned_number(&lane->names, texts)) == MS_INDEX_NONE)
            return false;
    }
    return true;
}

static bool start_turn(struct lane *lane, uint32_t turn)
{
    struct ms_spool_turn new = {turn, (uint32_t)lane->files.n, (uint32_t)lane->names.n};
    if (lane->n_turns && lane->turns[lane->n_turns - 1].turn == turn)
        return true;
    return MS_PUSH(lane->turns, lane->n_turns, lane->turns_room, new);
}

bool ms_spool_add(struct ms_spool *spool, size_t index, uint32_t turn, const struct ms_piece *p,
                  struct ms_piece_claim claim)
{
    struct lane *lane = &spool->lanes[index];
    size_t most = ms_packed_most(p);
    if (most > UINT32_MAX || !start_turn(lane, turn) || !number_all(lane, p) ||
        !ms_slabs_reserve(&lane->slabs, most))
        return false;
    uint8_t *at = lane->slabs.at;
    uint8_t *end = ms_packed_put(at, p, lane->numbers, lane->numbers + p->n_files);
    struct record record = {
        p->low,          p->high,    claim.size,
        claim.order,     at,         (uint32_t)(end - at),
        (uint16_t)index, claim.rank, p->n_nodes && (p->nodes[0].linkage || p->nodes[0].name)};
    ms_slabs_take(&lane->slabs, end);
    return MS_PUSH(lane->records, lane->n_records, lane->records_room, record);
}

/* ---- settling ---------------------------------------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Which of two records counts where both are: negative for the first. */
static int by_claim(const struct record *a, const struct record *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (!a->size != !b->size)
        return a->size ? -1 : 1;
    if (a->size != b->size)
        return compare(a->size, b->size);
    if (a->order != b->order)
        return compare(a->order, b->order);
    return a->low != b->low ? compare(a->low, b->low) : compare(a->high, b->high);
}

static int by_low(const void *a, const void *b)
{
    const struct ref *x = a, *y = b;
    return x->low != y->low ? compare(x->low, y->low) : by_claim(x->record, y->record);
}

enum { DIGIT = 11, FEW = 256 };

/* The records that have begun, the one that counts on top. */
struct heap {
    uint32_t *items;
    size_t n;
    const struct ref *records;
};

static bool counts_before(const struct heap *h, size_t a, size_t b)
{
    int order = by_claim(h->records[h->items[a]].record, h->records[h->items[b]].record);
    return order ? order < 0 : h->items[a] < h->items[b];
}

static void swap(struct heap *h, size_t a, size_t b)
{
    uint32_t t = h->items[a];
    h->items[a] = h->items[b];
    h->items[b] = t;
}

static void heap_push(struct heap *h, uint32_t record)
{
    size_t at = h->n++;
    h->items[at] = record;
    for (; at && counts_before(h, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(h, at, (at - 1) / 2);
}

static void heap_pop(struct heap *h)
{
    h->items[0] = h->items[--h->n];
    for (size_t at = 0, child; (child = 2 * at + 1) < h->n; at = child) {
        if (child + 1 < h->n && counts_before(h, child + 1, child))
            child++;
        if (!counts_before(h, child, at))
            return;
        swap(h, at, child);
    }
}

static bool add_stretch(struct ms_spool *spool, uint64_t low, uint64_t high, uint32_t record)
{
    struct stretch *last = spool->n_stretches ? &spool->stretches[spool->n_stretches - 1] : NULL;
    struct stretch new = {low, high, record};
    if (low >= high)
        return true;
    if (last && last->high == low && last->record == record) {
        last->high = high;
        return true;
    }
    return MS_PUSH(spool->stretches, spool->n_stretches, spool->stretches_room, new);
}

/* Whether no other begins before the record ends. */
static bool is_alone(const struct ms_spool *spool, size_t i)
{
    return i + 1 == spool->n_records || spool->records[i + 1].low >= spool->records[i].record->high;
}

/* From one beginning to the next, the record on top has what lies before it. */
static bool sweep(struct ms_spool *spool, struct heap *heap)
{
    size_t next = 0;
    uint64_t at = 0;
    while (next < spool->n_records || heap->n) {
        if (!heap->n) {
            const struct record *first = spool->records[next].record;
            at = first->low;
            if (is_alone(spool, next)) {
                if (!add_stretch(spool, at, first->high, (uint32_t)next++))
                    return false;
                continue;
            }
        }
        while (next < spool->n_records && spool->records[next].low <= at)
            heap_push(heap, (uint32_t)next++);
        const struct record *top = spool->records[heap->items[0]].record;
        if (top->high <= at) {
            heap_pop(heap);
            continue;
        }
        uint64_t end = top->high;
        if (next < spool->n_records && spool->records[next].low < end)
            end = spool->records[next].low;
        if (!add_stretch(spool, at, end, heap->items[0]))
            return false;
        at = end;
    }
    return true;
}

/* One pass of a radix sort: stable, by one digit of the distance from the least. */
static void by_digit(const struct ref *from, struct ref *to, size_t n, uint64_t least,
                     unsigned shift)
{
    uint32_t starts[1 << DIGIT] = {0}, sum = 0;
    const uint64_t mask = (1u << DIGIT) - 1;
    for (size_t i = 0; i < n; i++)
        starts[(from[i].low - least) >> shift & mask]++;
    for (size_t d = 0; d <= mask; d++) {
        uint32_t count = starts[d];
        starts[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[starts[(from[i].low - least) >> shift & mask]++] = from[i];
}

/* By address in linear time; only those that start at one address are compared. */
static bool sort(struct ms_spool *spool)
{
    size_t n = spool->n_records;
    uint64_t least = UINT64_MAX, most = 0;
    struct ref *from = spool->records, *to = malloc(n * sizeof *to);
    if (!to)
        return false;
    for (size_t i = 0; i < n; i++) {
        least = from[i].low < least ? from[i].low : least;
        most = from[i].low > most ? from[i].low : most;
    }
    for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += DIGIT) {
        by_digit(from, to, n, least, shift);
        struct ref *sorted = to;
        to = from;
        from = sorted;
    }
    spool->records = from;
    free(to);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && from[end].low == from[i].low; end++)
            ;
        if (end - i > 1)
            qsort(from + i, end - i, sizeof *from, by_low);
    }
    return true;
}

static bool gather(struct ms_spool *spool)
{
    bool ascending = true;
    size_t n = 0;
    for (size_t i = 0; i < spool->n_lanes; i++)
        n += spool->lanes[i].n_records;
    if (n >= UINT32_MAX || n > SIZE_MAX / sizeof *spool->records)
        return false;
    spool->records = malloc((n ? n : 1) * sizeof *spool->records);
    if (!spool->records)
        return false;
    for (size_t i = 0; i < spool->n_lanes; i++) {
        const struct lane *lane = &spool->lanes[i];
        for (size_t k = 0; k < lane->n_records; k++)
            spool->records[spool->n_records++] =
                (struct ref){lane->records[k].low, &lane->records[k]};
    }
    for (size_t i = 1; i < n && ascending; i++)
        ascending = by_low(&spool->records[i - 1], &spool->records[i]) <= 0;
    if (!ascending && n >= FEW)
        return sort(spool);
    if (!ascending)
        qsort(spool->records, n, sizeof *spool->records, by_low);
    return true;
}

enum ms_status ms_spool_settle(struct ms_spool *spool, struct ms_error *err)
{
    struct heap heap = {NULL, 0, NULL};
    bool good = gather(spool);
    if (good && spool->n_records) {
        heap.records = spool->records;
        heap.items = malloc(spool->n_records * sizeof *heap.items);
        good = heap.items && sweep(spool, &heap);
    }
    free(heap.items);
    return good ? MS_OK : ms_fail_memory(err);
}

/* ---- what came out ------------------------------------------------------------------------ */

size_t ms_spool_n(const struct ms_spool *spool)
{
    return spool->n_stretches;
}

void ms_spool_range(const struct ms_spool *spool, size_t i, uint64_t *low, uint64_t *high)
{
    *low = spool->stretches[i].low;
    *high = spool->stretches[i].high;
}

static const struct record *record_of(const struct ms_spool *spool, const struct stretch *s)
{
    const struct lane *last = &spool->lanes[spool->n_lanes - 1];
    return s->record < spool->n_records ? spool->records[s->record].record
                                        : &last->records[s->record - spool->n_records];
}

bool ms_spool_is_named(const struct ms_spool *spool, size_t i)
{
    return record_of(spool, &spool->stretches[i])->is_named;
}

bool ms_spool_get(const struct ms_spool *spool, size_t i, struct ms_piece_room *room,
                  struct ms_piece *out)
{
    const struct stretch *stretch = &spool->stretches[i];
    const struct record *record = record_of(spool, stretch);
    const struct lane *lane = &spool->lanes[record->lane];
    if (!ms_packed_get(record->at, record->low, stretch->low, stretch->high, room, out))
        return false;
    for (size_t k = 0; k < out->n_files; k++) {
        const struct ms_text_key *keys =
            &lane->files.keys[(size_t)room->numbers[k] * MS_FILE_TEXTS];
        room->files[k] = (struct ms_piece_file){keys[0].text, keys[1].text, keys[2].text};
    }
    for (size_t k = 0; k < out->n_nodes; k++) {
        struct ms_piece_node *node = &room->nodes[k];
        const struct ms_text_key *keys =
            &lane->names.keys[(size_t)(node->names - 1) * MS_NAME_TEXTS];
        node->linkage = keys[0].text;
        node->name = keys[1].text;
        node->names = 0;
    }
    return true;
}

/* ---- a second list of stretches ---------------------------------------------------------- */

bool ms_spool_put(struct ms_spool *spool, const struct ms_piece *piece)
{
    struct lane *last = &spool->lanes[spool->n_lanes - 1];
    struct stretch stretch = {piece->low, piece->high,
                              (uint32_t)(spool->n_records + last->n_records)};
    /* What is put comes after all turns. */
    return spool->n_records + last->n_records < UINT32_MAX &&
           ms_spool_add(spool, spool->n_lanes - 1, UINT32_MAX, piece,
                        (struct ms_piece_claim){0, 0, 0}) &&
           MS_PUSH(spool->kept, spool->n_kept, spool->kept_room, stretch);
}

bool ms_spool_keep(struct ms_spool *spool, size_t i, struct ms_piece_room *room)
{
    const struct stretch *stretch = &spool->stretches[i];
    const struct record *record = record_of(spool, stretch);
    struct ms_piece piece;
    if (!spool->kept_room) { /* few are put between these */
        size_t n = spool->n_stretches + 64;
        spool->kept = malloc(n * sizeof *spool->kept);
        if (!spool->kept)
            return false;
        spool->kept_room = n;
    }
    if (record->low != stretch->low || record->high != stretch->high)
        return ms_spool_get(spool, i, room, &piece) && ms_spool_put(spool, &piece);
    spool->n_whole++;
    return MS_PUSH(spool->kept, spool->n_kept, spool->kept_room, *stretch);
}

void ms_spool_replace(struct ms_spool *spool)
{
    free(spool->stretches);
    spool->stretches = spool->kept;
    spool->n_stretches = spool->n_kept;
    spool->kept = NULL;
    spool->n_kept = 0;
}

struct ms_spooled ms_spool_packed(const struct ms_spool *spool, size_t i)
{
    const struct record *record = record_of(spool, &spool->stretches[i]);
    return (struct ms_spooled){record->low, record->high, record->at, record->n, record->lane};
}

size_t ms_spool_n_lanes(const struct ms_spool *spool)
{
    return spool->n_lanes;
}

bool ms_spool_has_dropped(const struct ms_spool *spool)
{
    return spool->n_whole != spool->n_records;
}

struct ms_spool_lane ms_spool_lane(const struct ms_spool *spool, size_t i)
{
    const struct lane *lane = &spool->lanes[i];
    return (struct ms_spool_lane){&lane->files, &lane->names, lane->turns, lane->n_turns};
}
