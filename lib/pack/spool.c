#include "pack/spool.h"

#include "base/array.h"
#include "base/index.h"
#include "pack/bytes_out.h"

#include <stdlib.h>
#include <string.h>

/* A packed piece in the bytes of its lane. */
struct record {
    uint64_t low, high;
    struct ms_piece_claim claim;
    size_t at;
    uint32_t lane;
};

/* The names of a node: many nodes have the same ones. */
struct names {
    const char *linkage, *name;
};

/* Names by their pointers, met lately. */
struct met {
    struct names names;
    uint32_t number; /* of the lane's, plus one; 0 = none */
};
enum { N_MET = 1 << 14 };

struct lane {
    uint8_t *bytes;
    size_t n, room;
    struct names *names;
    size_t n_names, names_room;
    uint32_t first_name;      /* of the spool's numbers; after settling */
    struct ms_index by_names; /* the hash of both pointers to `names` */
    struct met *met;
    struct record *records;
    size_t n_records, records_room;
    char pad[64]; /* two threads' lanes share no line of the cache */
};

/* A stretch that is settled. */
struct stretch {
    uint64_t low, high;
    uint32_t record;
};

struct ms_spool {
    struct lane *lanes;
    size_t n_lanes;
    struct record *records; /* of all lanes, by low */
    size_t n_records;
    struct stretch *stretches;
    size_t n_stretches, stretches_room;
};

enum ms_status ms_spool_open(size_t n_lanes, struct ms_spool **out, struct ms_error *err)
{
    struct ms_spool *spool = calloc(1, sizeof *spool);
    if (!spool)
        return ms_fail_memory(err);
    spool->lanes = calloc(n_lanes, sizeof *spool->lanes);
    spool->n_lanes = n_lanes;
    if (!spool->lanes) {
        free(spool);
        return ms_fail_memory(err);
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
        free(lane->bytes);
        free(lane->records);
        free(lane->names);
        free(lane->met);
        ms_index_fini(&lane->by_names);
    }
    free(spool->lanes);
    free(spool->records);
    free(spool->stretches);
    free(spool);
}

/* ---- packing ----------------------------------------------------------------------------- */

/*
 * A piece is four counts and then its files, nodes, spans and rows, all numbers as LEB128, most
 * as differences from the ones before. Pointers are numbers, too: strings that are named
 * together lie near each other in their section. Never leaves the process, so it is trusted.
 */
static uint64_t get_uleb(const uint8_t **at)
{
    uint64_t value = *(*at)++;
    if (value < 0x80)
        return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* 0 is NULL, which the difference to the string before can't be told by: 1 + it otherwise. */
static uint8_t *put_string(uint8_t *at, const char *string, uintptr_t *last)
{
    if (!string)
        return ms_put_uleb(at, 0);
    uint64_t distance = ms_fold_sign((int64_t)((uintptr_t)string - *last));
    *last = (uintptr_t)string;
    return ms_put_uleb(at, distance + 1);
}

static const char *get_string(const uint8_t **at, uintptr_t *last)
{
    uint64_t distance = get_uleb(at);
    if (!distance)
        return NULL;
    *last += (uintptr_t)ms_unfold_sign(distance - 1);
    return (const char *)*last; /* as it was put there */
}

static uint32_t find_names(struct lane *lane, struct names names)
{
    uint64_t hash = ms_hash(0, &names, sizeof names);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&lane->by_names, hash, &probe)) != MS_INDEX_NONE;)
        if (lane->names[i].linkage == names.linkage && lane->names[i].name == names.name)
            return i + 1;
    if (lane->n_names >= MS_INDEX_NONE - 1 ||
        !ms_index_add(&lane->by_names, hash, (uint32_t)lane->n_names) ||
        !MS_PUSH(lane->names, lane->n_names, lane->names_room, names))
        return 0;
    return (uint32_t)lane->n_names;
}

/* The lane's number of a node's names, plus one; 0 without memory. */
static uint32_t number_of_names(struct lane *lane, const struct ms_piece_node *node)
{
    struct names names = {node->linkage, node->name};
    uintptr_t key = (uintptr_t)names.linkage * 31 + (uintptr_t)names.name;
    if (!lane->met && !(lane->met = calloc(N_MET, sizeof *lane->met)))
        return 0;
    struct met *met = &lane->met[(key ^ key >> 12) % N_MET];
    if (!met->number || met->names.linkage != names.linkage || met->names.name != names.name)
        *met = (struct met){names, find_names(lane, names)};
    return met->number;
}

/* What a piece can't be longer than, packed. SIZE_MAX when that can't be said. */
static size_t most_bytes(const struct ms_piece *p)
{
    size_t n = p->n_nodes + p->n_spans + p->n_rows + p->n_files;
    if (p->n_nodes > SIZE_MAX / 256 || p->n_spans > SIZE_MAX / 256 || p->n_rows > SIZE_MAX / 256 ||
        p->n_files > SIZE_MAX / 256 || n > SIZE_MAX / 256)
        return SIZE_MAX;
    return 6 * MS_MAX_LEB + p->n_files * 3 * MS_MAX_LEB + p->n_nodes * 7 * MS_MAX_LEB +
           p->n_spans * 2 * MS_MAX_LEB + p->n_rows * 4 * MS_MAX_LEB;
}

static bool reserve(struct lane *lane, size_t n)
{
    if (n <= lane->room - lane->n)
        return true;
    if (n > SIZE_MAX / 4 || lane->n > SIZE_MAX / 4)
        return false;
    size_t room = lane->room + lane->room / 2 + n + (1 << 16);
    uint8_t *bytes = realloc(lane->bytes, room);
    if (!bytes)
        return false;
    lane->bytes = bytes;
    lane->room = room;
    return true;
}

/* NULL without memory. */
static uint8_t *put_nodes(struct lane *lane, uint8_t *at, const struct ms_piece *p)
{
    uint64_t start = p->low;
    uint32_t last = 0;
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct ms_piece_node *node = &p->nodes[i];
        at = ms_put_uleb(at, i - 1 - (node->parent == MS_NO_PARENT ? UINT64_MAX : node->parent));
        uint32_t number = number_of_names(lane, node);
        if (!number)
            return NULL;
        at = ms_put_uleb(at, ms_fold_sign((int64_t)number - (int64_t)last));
        last = number;
        at = ms_put_uleb(at,
                         node->has_start ? ms_fold_sign((int64_t)(node->start_vm - start)) + 1 : 0);
        if (node->has_start)
            start = node->start_vm;
        at = ms_put_uleb(at, node->call_file);
        at = ms_put_uleb(at, node->call_line);
        at = ms_put_uleb(at, node->call_column);
    }
    return at;
}

static uint8_t *put_spans_and_rows(uint8_t *at, const struct ms_piece *p)
{
    uint64_t low = p->low;
    uint32_t line = 0;
    for (size_t i = 0; i < p->n_spans; i++) {
        at = ms_put_uleb(at, p->spans[i].low - low);
        at = ms_put_uleb(at, p->spans[i].node);
        low = p->spans[i].low;
    }
    low = p->low;
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct ms_piece_row *row = &p->rows[i];
        at = ms_put_uleb(at, row->low - low);
        at = ms_put_uleb(at, row->file);
        at = ms_put_uleb(at, ms_fold_sign((int64_t)row->line - (int64_t)line));
        at = ms_put_uleb(at, row->column);
        low = row->low;
        line = row->line;
    }
    return at;
}

bool ms_spool_add(struct ms_spool *spool, size_t index, const struct ms_piece *p,
                  struct ms_piece_claim claim)
{
    struct lane *lane = &spool->lanes[index];
    struct record record = {p->low, p->high, claim, lane->n, (uint32_t)index};
    uintptr_t last = 0;
    size_t most = most_bytes(p);
    if (most == SIZE_MAX || !reserve(lane, most))
        return false;
    uint8_t *at = lane->bytes + lane->n;
    at = ms_put_uleb(at, (uint64_t)p->source << 1 | p->damaged);
    at = ms_put_uleb(at, p->n_files);
    at = ms_put_uleb(at, p->n_nodes);
    at = ms_put_uleb(at, p->n_spans);
    at = ms_put_uleb(at, p->n_rows);
    for (size_t i = 0; i < p->n_files; i++) {
        at = put_string(at, p->files[i].comp_dir, &last);
        at = put_string(at, p->files[i].dir, &last);
        at = put_string(at, p->files[i].file, &last);
    }
    at = put_nodes(lane, at, p);
    if (!at)
        return false;
    at = put_spans_and_rows(at, p);
    lane->n = (size_t)(at - lane->bytes);
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
    if (a->claim.rank != b->claim.rank)
        return a->claim.rank < b->claim.rank ? -1 : 1;
    if (!a->claim.size != !b->claim.size)
        return a->claim.size ? -1 : 1;
    if (a->claim.size != b->claim.size)
        return compare(a->claim.size, b->claim.size);
    if (a->claim.order != b->claim.order)
        return compare(a->claim.order, b->claim.order);
    return a->low != b->low ? compare(a->low, b->low) : compare(a->high, b->high);
}

static int by_low(const void *a, const void *b)
{
    const struct record *x = a, *y = b;
    return x->low != y->low ? compare(x->low, y->low) : by_claim(x, y);
}

/* The records that have begun, the one that counts on top. */
struct heap {
    uint32_t *items;
    size_t n;
    const struct record *records;
};

static bool counts_before(const struct heap *h, size_t a, size_t b)
{
    int order = by_claim(&h->records[h->items[a]], &h->records[h->items[b]]);
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

/* From one beginning to the next, the record on top has what lies before it. */
static bool sweep(struct ms_spool *spool, struct heap *heap)
{
    size_t next = 0;
    uint64_t at = 0;
    while (next < spool->n_records || heap->n) {
        if (!heap->n)
            at = spool->records[next].low;
        while (next < spool->n_records && spool->records[next].low <= at)
            heap_push(heap, (uint32_t)next++);
        const struct record *top = &spool->records[heap->items[0]];
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

static bool gather(struct ms_spool *spool)
{
    bool ascending = true;
    size_t n = 0, all_names = 0;
    uint32_t n_names = 0;
    for (size_t i = 0; i < spool->n_lanes; i++) {
        n += spool->lanes[i].n_records;
        all_names += spool->lanes[i].n_names;
    }
    if (n >= UINT32_MAX || all_names >= UINT32_MAX || n > SIZE_MAX / sizeof *spool->records)
        return false;
    spool->records = malloc((n ? n : 1) * sizeof *spool->records);
    if (!spool->records)
        return false;
    for (size_t i = 0; i < spool->n_lanes; i++) {
        struct lane *lane = &spool->lanes[i];
        if (lane->n_records)
            memcpy(spool->records + spool->n_records, lane->records,
                   lane->n_records * sizeof *lane->records);
        spool->n_records += lane->n_records;
        free(lane->records);
        lane->records = NULL;
        lane->n_records = lane->records_room = 0;
        lane->first_name = n_names;
        n_names += (uint32_t)lane->n_names;
    }
    for (size_t i = 1; i < n && ascending; i++)
        ascending = by_low(&spool->records[i - 1], &spool->records[i]) <= 0;
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

size_t ms_spool_n(const struct ms_spool *spool)
{
    return spool->n_stretches;
}

void ms_spool_range(const struct ms_spool *spool, size_t i, uint64_t *low, uint64_t *high)
{
    *low = spool->stretches[i].low;
    *high = spool->stretches[i].high;
}

/* ---- unpacking --------------------------------------------------------------------------- */

void ms_piece_room_fini(struct ms_piece_room *room)
{
    free(room->nodes);
    free(room->spans);
    free(room->rows);
    free(room->files);
    memset(room, 0, sizeof *room);
}

static bool make_room(void *items_pointer, size_t n, size_t *room, size_t item_bytes)
{
    while (*room < n)
        if (!ms_array_grow(items_pointer, *room, room, item_bytes))
            return false;
    return true;
}

static void get_nodes(const struct lane *lane, const uint8_t **at, uint64_t low, size_t n,
                      struct ms_piece_node *nodes)
{
    uint64_t start = low;
    uint32_t number = 0;
    for (size_t i = 0; i < n; i++) {
        struct ms_piece_node *node = &nodes[i];
        uint64_t back = get_uleb(at);
        node->parent = back == i ? MS_NO_PARENT : (uint32_t)(i - 1 - back);
        number = (uint32_t)((int64_t)number + ms_unfold_sign(get_uleb(at)));
        node->linkage = lane->names[number - 1].linkage;
        node->name = lane->names[number - 1].name;
        node->names = lane->first_name + number;
        uint64_t distance = get_uleb(at);
        node->has_start = distance != 0;
        if (distance)
            start += (uint64_t)ms_unfold_sign(distance - 1);
        node->start_vm = distance ? start : 0;
        node->call_file = (uint32_t)get_uleb(at);
        node->call_line = (uint32_t)get_uleb(at);
        node->call_column = (uint32_t)get_uleb(at);
    }
}

/* Spans and rows that lie before the stretch are passed by, but for the last. */
static size_t get_spans(const uint8_t **at, const struct record *record,
                        const struct stretch *stretch, size_t n, struct ms_piece_span *spans)
{
    uint64_t low = record->low;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        low += get_uleb(at);
        uint32_t node = (uint32_t)get_uleb(at);
        if (low >= stretch->high)
            continue;
        if (low <= stretch->low)
            kept = 0;
        spans[kept++] = (struct ms_piece_span){low > stretch->low ? low : stretch->low, node};
    }
    return kept;
}

static size_t get_rows(const uint8_t **at, const struct record *record,
                       const struct stretch *stretch, size_t n, struct ms_piece_row *rows)
{
    uint64_t low = record->low;
    uint32_t line = 0;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        low += get_uleb(at);
        uint32_t file = (uint32_t)get_uleb(at);
        line = (uint32_t)((int64_t)line + ms_unfold_sign(get_uleb(at)));
        uint32_t column = (uint32_t)get_uleb(at);
        if (low >= stretch->high)
            continue;
        if (low <= stretch->low)
            kept = 0;
        rows[kept++] =
            (struct ms_piece_row){low > stretch->low ? low : stretch->low, file, line, column};
    }
    return kept;
}

bool ms_spool_get(const struct ms_spool *spool, size_t i, struct ms_piece_room *room,
                  struct ms_piece *out)
{
    const struct stretch *stretch = &spool->stretches[i];
    const struct record *record = &spool->records[stretch->record];
    const uint8_t *at = spool->lanes[record->lane].bytes + record->at;
    uintptr_t last = 0;
    uint64_t head = get_uleb(&at);
    size_t n_files = get_uleb(&at), n_nodes = get_uleb(&at);
    size_t n_spans = get_uleb(&at), n_rows = get_uleb(&at);
    if (!make_room(&room->files, n_files, &room->files_room, sizeof *room->files) ||
        !make_room(&room->nodes, n_nodes, &room->nodes_room, sizeof *room->nodes) ||
        !make_room(&room->spans, n_spans, &room->spans_room, sizeof *room->spans) ||
        !make_room(&room->rows, n_rows, &room->rows_room, sizeof *room->rows))
        return false;
    for (size_t k = 0; k < n_files; k++) {
        room->files[k].comp_dir = get_string(&at, &last);
        room->files[k].dir = get_string(&at, &last);
        room->files[k].file = get_string(&at, &last);
    }
    get_nodes(&spool->lanes[record->lane], &at, record->low, n_nodes, room->nodes);
    n_spans = get_spans(&at, record, stretch, n_spans, room->spans);
    n_rows = get_rows(&at, record, stretch, n_rows, room->rows);
    *out = (struct ms_piece){stretch->low, stretch->high, (enum ms_source)(head >> 1),
                             head & 1,     room->nodes,   n_nodes,
                             room->spans,  n_spans,       room->rows,
                             n_rows,       room->files,   n_files};
    return true;
}
