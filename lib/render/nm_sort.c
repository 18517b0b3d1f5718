/*
 * render/nm_sort.c: a million symbols by name or address.
 *
 * A quicksort of three parts on 8-byte keys. Names are compared eight bytes at a time: what is
 * equal so far goes on with the next eight, so that no byte is looked at twice, and the long
 * beginnings that mangled names share cost a pass each. Then come the values, at last the
 * places in the table, so that no two entries are equal and the order never hangs on chance.
 */
#include "render/nm_table.h"

enum stage { BY_CLASS, BY_ADDRESS, BY_CHUNK, BY_VALUE, BY_INDEX };

/* Entries that are equal in all that comes before `stage` (and, of the name, before `depth`). */
struct job {
    struct nm_entry *at;
    size_t n;
    uint32_t depth;
    enum stage stage;
};

enum {
    FEW = 12,
    /* Two of three parts are put aside at a time, and the largest, which isn't, is at least as
     * large as they are: with 2^32 entries no more than 32 times. */
    MAX_JOBS = 2 * 33
};

/* Big-endian, zero-padded: so numbers compare as bytes do. A key whose last byte is 0 holds the
 * end of its name, since names have no NUL in them. */
static uint64_t chunk(struct ms_bytes name, size_t depth)
{
    uint64_t key = 0;
    if (depth >= name.n)
        return 0;
    size_t left = name.n - depth;
    if (left >= 8) {
        uint8_t b[8];
        memcpy(b, name.at + depth, 8);
        return (uint64_t)b[0] << 56 | (uint64_t)b[1] << 48 | (uint64_t)b[2] << 40 |
               (uint64_t)b[3] << 32 | (uint64_t)b[4] << 24 | (uint64_t)b[5] << 16 |
               (uint64_t)b[6] << 8 | b[7];
    }
    for (size_t i = 0; i < left; i++)
        key |= (uint64_t)name.at[depth + i] << (56 - 8 * i);
    return key;
}

static uint64_t key_of(const struct nm_table *table, const struct nm_entry *entry, enum stage stage,
                       size_t depth)
{
    switch (stage) {
    case BY_CLASS:
        return !(nm_is_undefined(entry->type, nm_value(table, entry)) && entry->type & MS_N_EXT);
    case BY_ADDRESS:
    case BY_VALUE:
        return nm_value(table, entry);
    case BY_CHUNK:
        return chunk(nm_name(table, entry), depth);
    case BY_INDEX:
        break;
    }
    return entry->index;
}

/* What tells apart entries that have `key` in common; false when nothing does. */
static bool next_stage(struct job *job, uint64_t key)
{
    switch (job->stage) {
    case BY_CLASS:
        job->stage = BY_ADDRESS;
        break;
    case BY_ADDRESS:
        job->stage = BY_CHUNK;
        job->depth = 0;
        break;
    case BY_CHUNK:
        if (key & 0xff)
            job->depth += 8;
        else
            job->stage = BY_VALUE;
        break;
    case BY_VALUE:
        job->stage = BY_INDEX;
        break;
    case BY_INDEX:
        return false;
    }
    return true;
}

static void fill(const struct nm_table *table, const struct job *job)
{
    for (size_t i = 0; i < job->n; i++)
        job->at[i].key = key_of(table, &job->at[i], job->stage, job->depth);
}

static void swap(struct nm_entry *a, struct nm_entry *b)
{
    struct nm_entry t = *a;
    *a = *b;
    *b = t;
}

/* ---- few ------------------------------------------------------------------------------------ */

/* By all that comes after the key, which is equal. */
static bool less_behind(const struct nm_table *table, const struct nm_entry *a,
                        const struct nm_entry *b, struct job job)
{
    uint64_t left = a->key, right = b->key;
    while (left == right) {
        if (!next_stage(&job, left))
            return false;
        left = key_of(table, a, job.stage, job.depth);
        right = key_of(table, b, job.stage, job.depth);
    }
    return left < right;
}

static void sort_few(const struct nm_table *table, const struct job *job)
{
    for (size_t i = 1; i < job->n; i++) {
        struct nm_entry entry = job->at[i];
        size_t j = i;
        for (; j > 0; j--) {
            const struct nm_entry *before = &job->at[j - 1];
            if (before->key < entry.key ||
                (before->key == entry.key && !less_behind(table, &entry, before, *job)))
                break;
            job->at[j] = *before;
        }
        job->at[j] = entry;
    }
}

/* ---- many ----------------------------------------------------------------------------------- */

static uint64_t middle(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t t = a;
        a = b;
        b = t;
    }
    return c <= a ? a : c >= b ? b : c;
}

static uint64_t pivot_of(const struct job *job)
{
    const struct nm_entry *at = job->at;
    size_t n = job->n, step = n / 8;
    if (n < 256)
        return middle(at[0].key, at[n / 2].key, at[n - 1].key);
    return middle(middle(at[0].key, at[step].key, at[2 * step].key),
                  middle(at[3 * step].key, at[4 * step].key, at[5 * step].key),
                  middle(at[6 * step].key, at[7 * step].key, at[n - 1].key));
}

static bool less(const struct nm_table *table, const struct job *job, size_t i, size_t j)
{
    const struct nm_entry *a = &job->at[i], *b = &job->at[j];
    return a->key < b->key || (a->key == b->key && less_behind(table, a, b, *job));
}

/* A file can be made so that every pivot is a bad one: then this takes over, to the end. */
static void heap_sort(const struct nm_table *table, const struct job *job)
{
    for (size_t start = job->n / 2, end = job->n; end > 1;) {
        if (start)
            start--;
        else
            swap(&job->at[0], &job->at[--end]);
        for (size_t root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && less(table, job, child, child + 1))
                child++;
            if (!less(table, job, root, child))
                break;
            swap(&job->at[root], &job->at[child]);
        }
    }
}

/* Around the pivot: [0, *low) less, [*low, *high) equal, [*high, n) greater. */
static void split(const struct job *job, uint64_t pivot, size_t *low, size_t *high)
{
    size_t i = 0;
    *low = 0;
    *high = job->n;
    while (i < *high) {
        if (job->at[i].key < pivot)
            swap(&job->at[i++], &job->at[(*low)++]);
        else if (job->at[i].key > pivot)
            swap(&job->at[i], &job->at[--*high]);
        else
            i++;
    }
}

/* The jobs that are put aside; the keys of their entries are filled. */
struct jobs {
    struct job items[MAX_JOBS];
    unsigned turns[MAX_JOBS]; /* splits that the job may still take before a heap sort */
    size_t n;
};

static void push(struct jobs *jobs, const struct job *job, unsigned turns)
{
    if (job->n < 2)
        return;
    jobs->turns[jobs->n] = turns;
    jobs->items[jobs->n++] = *job;
}

static unsigned turns_for(size_t n)
{
    unsigned turns = 4;
    for (; n; n >>= 1)
        turns += 3;
    return turns;
}

static void sort_many(const struct nm_table *table, struct job job, unsigned turns,
                      struct jobs *jobs)
{
    size_t low, high;
    split(&job, pivot_of(&job), &low, &high);
    turns--;
    struct job parts[3] = {job, job, job};
    unsigned part_turns[3] = {turns, 0, turns};
    parts[0].n = low;
    parts[1].at += low;
    parts[1].n = high - low;
    parts[2].at += high;
    parts[2].n = job.n - high;
    if (parts[1].n > 1 && next_stage(&parts[1], parts[1].at->key)) {
        fill(table, &parts[1]);
        part_turns[1] = turns_for(parts[1].n);
    } else {
        parts[1].n = 0;
    }
    /* The largest first, so that it is what waits at the bottom, and is taken last. */
    size_t first = parts[0].n > parts[1].n ? 0 : 1;
    first = parts[2].n > parts[first].n ? 2 : first;
    push(jobs, &parts[first], part_turns[first]);
    for (size_t i = 0; i < 3; i++)
        if (i != first)
            push(jobs, &parts[i], part_turns[i]);
}

void nm_table_sort(struct nm_table *table)
{
    if (table->options->order == MS_NM_AS_FILED || !table->n)
        return;
    struct job all = {table->entries, table->n, 0,
                      table->options->order == MS_NM_BY_ADDRESS ? BY_CLASS : BY_CHUNK};
    struct jobs jobs = {.n = 0};
    fill(table, &all);
    push(&jobs, &all, turns_for(all.n));
    while (jobs.n) {
        struct job job = jobs.items[--jobs.n];
        if (job.n <= FEW)
            sort_few(table, &job);
        else if (!jobs.turns[jobs.n])
            heap_sort(table, &job);
        else
            sort_many(table, job, jobs.turns[jobs.n], &jobs);
    }
}
