/* ms_dwarf_find_many: from a batch of addresses to the units, one pass over each. */
#include "base/array.h"
#include "base/sort.h"
#include "dwarf/aranges.h"
#include "dwarf/cover.h"
#include "dwarf/fault.h"
#include "dwarf/hints.h"
#include "dwarf/reader.h"
#include "machsym/workers.h"

#include <stdlib.h>

/* An address of the batch, once however often it is asked for. */
struct slot {
    uint64_t size;     /* of the function that has it; 0 = none yet */
    uint64_t unit_off; /* the last unit that claimed it */
    struct ms_dwarf_hit hit;
    uint32_t run; /* of which the hit is */
    bool found;   /* a function or a line */
    uint8_t n_candidates;
};

/* A unit that may have an address. */
struct pair {
    uint64_t unit_off;
    size_t slot;
};

/* What its unit says of it. Which unit's word counts is decided when all have been asked. */
struct proposal {
    uint64_t size; /* of the function; 0 = none */
    bool found;
    struct ms_dwarf_hit hit;
};

/* The pairs of one unit: what a worker does in one go. */
struct group {
    size_t first, n;       /* in `pairs` */
    uint64_t bytes;        /* of the unit */
    bool sparse;           /* few addresses for its bytes */
    struct ms_error fault; /* its first; MS_OK = none */
};

/* One thread's: two of them share nothing but the sections. */
struct worker {
    struct batch *batch;
    struct ms_dwarf *reader; /* of worker 0: the batch's */
    struct ms_lookup lookup;
    uint64_t *subset;                   /* the addresses of a group */
    const struct ms_dwarf_hint **hints; /* what is known of them; NULL: nothing */
    enum ms_status status;              /* MS_OK, MS_E_NOMEM */
    char pad[64];
};

struct batch {
    struct ms_dwarf *dwarf;
    struct ms_dwarf_answers *out;
    struct worker *workers;
    size_t n_workers;
    struct ms_keyed *order; /* addresses of the request, ascending, and their places in it */
    size_t n_order;
    uint64_t *addresses; /* ascending, each once */
    struct slot *slots;  /* one each */
    size_t n;
    uint64_t *todo;     /* those still looked for, ascending … */
    size_t *todo_slots; /* … and which slots they are */
    size_t n_todo;
    struct pair *pairs; /* of .debug_aranges, ascending; then those of the unit in hand */
    size_t n_pairs, pairs_room, n_named;
    struct proposal *proposals; /* one a pair */
    size_t proposals_room;
    struct group *groups;
    size_t n_groups, groups_room;
    struct ms_name_tables tables;
    struct ms_dwarf_hints hints; /* one a slot; or none */
    size_t *turns;               /* in which groups are done: the largest first */
    uint64_t visits;             /* addresses that ranges may still fall on */
    uint32_t n_runs;
    struct ms_error broken; /* the first unit that couldn't even be asked; MS_OK = none */
};

/* ---- the request ------------------------------------------------------------------------ */

static enum ms_status take_request(struct batch *b, const uint64_t *addresses, size_t n,
                                   struct ms_error *err)
{
    if (n >= UINT32_MAX)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "%zu addresses in one request", n);
    b->order = n <= SIZE_MAX / 2 / sizeof *b->order ? malloc(n * 2 * sizeof *b->order) : NULL;
    b->addresses = malloc(n * sizeof *b->addresses);
    b->slots = calloc(n, sizeof *b->slots);
    b->todo = malloc(n * sizeof *b->todo);
    b->todo_slots = malloc(n * sizeof *b->todo_slots);
    if (!b->order || !b->addresses || !b->slots || !b->todo || !b->todo_slots)
        return ms_fail_memory(err);
    b->n_order = n;
    b->visits = (uint64_t)n * 64 + 4096;
    for (size_t i = 0; i < n; i++)
        b->order[i] = (struct ms_keyed){addresses[i], i};
    ms_sort_keyed(b->order, b->order + n, n);
    for (size_t i = 0; i < n; i++) {
        uint64_t address = b->order[i].key;
        if (!b->n || b->addresses[b->n - 1] != address)
            b->addresses[b->n++] = address;
    }
    return MS_OK;
}

/* Hands the answers of the slots to all who asked. */
static void give_answers(struct batch *b)
{
    size_t slot = 0;
    for (size_t i = 0; i < b->n_order; i++) {
        while (slot < b->n && b->addresses[slot] < b->order[i].key)
            slot++;
        if (slot < b->n && b->addresses[slot] == b->order[i].key)
            b->out->hits[b->order[i].value] = b->slots[slot].hit;
    }
}

static void free_batch(struct batch *b)
{
    for (size_t i = 0; i < b->n_workers; i++) {
        ms_lookup_fini(&b->workers[i].lookup);
        free(b->workers[i].subset);
        free(b->workers[i].hints);
        if (i)
            ms_dwarf_close(b->workers[i].reader);
    }
    free(b->workers);
    free(b->order);
    free(b->addresses);
    free(b->slots);
    free(b->todo);
    free(b->todo_slots);
    free(b->pairs);
    free(b->proposals);
    free(b->groups);
    ms_name_tables_close(&b->tables);
    free(b->hints.items);
    free(b->hints.names);
    free(b->turns);
}

/* ---- candidates ------------------------------------------------------------------------- */

/* Sets what is looked for: all that nothing is known of yet. */
static void set_todo(struct batch *b)
{
    b->n_todo = 0;
    for (size_t i = 0; i < b->n; i++) {
        if (b->slots[i].found)
            continue;
        b->todo[b->n_todo] = b->addresses[i];
        b->todo_slots[b->n_todo++] = i;
        b->slots[i].unit_off = UINT64_MAX;
    }
}

/* A unit says that [low, high) is its own. False without memory. */
static bool add_pairs(struct batch *b, uint64_t low, uint64_t high, uint64_t unit_off)
{
    if (high <= b->todo[0] || low > b->todo[b->n_todo - 1])
        return true;
    size_t i = ms_lower_bound(b->todo, b->n_todo, low);
    if (i == b->n_todo || b->todo[i] >= high)
        return true;
    enum ms_trust trust = ms_dwarf_trust(b->dwarf, low);
    for (; i < b->n_todo && b->todo[i] < high && b->visits; i++) {
        struct slot *slot = &b->slots[b->todo_slots[i]];
        b->visits--;
        if (slot->unit_off == unit_off || slot->n_candidates == MS_MAX_CANDIDATES ||
            !ms_trust_allows(b->dwarf, trust, b->todo[i]))
            continue;
        struct pair pair = {unit_off, b->todo_slots[i]};
        if (!MS_PUSH(b->pairs, b->n_pairs, b->pairs_room, pair))
            return false;
        slot->unit_off = unit_off;
        slot->n_candidates++;
    }
    return true;
}

static int by_unit(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;
    if (x->unit_off != y->unit_off)
        return x->unit_off < y->unit_off ? -1 : 1;
    return x->slot < y->slot ? -1 : x->slot > y->slot;
}

/* Sorts, and drops what is there twice: a unit's ranges overlap, or its sets stand apart.
 * Returns how many remain. */
static size_t sort_pairs(struct pair *pairs, size_t n)
{
    size_t kept = 0;
    bool ascending = true;
    for (size_t i = 1; i < n && ascending; i++)
        ascending = by_unit(&pairs[i - 1], &pairs[i]) < 0;
    if (ascending)
        return n;
    qsort(pairs, n, sizeof *pairs, by_unit);
    for (size_t i = 0; i < n; i++)
        if (!kept || by_unit(&pairs[kept - 1], &pairs[i]) != 0)
            pairs[kept++] = pairs[i];
    return kept;
}

/* ---- one unit --------------------------------------------------------------------------- */

static bool make_proposals(struct batch *b)
{
    while (b->proposals_room < b->n_pairs)
        if (!ms_array_grow(&b->proposals, b->proposals_room, &b->proposals_room,
                           sizeof *b->proposals))
            return false;
    return true;
}

/* Looks all addresses of the group, which ascend, up in its unit. */
static enum ms_status run_unit(struct worker *w, const struct ms_unit *unit, struct group *group,
                               struct ms_error *err)
{
    struct batch *b = w->batch;
    const struct pair *pairs = b->pairs + group->first;
    const bool hinted = group->sparse && b->hints.items;
    for (size_t i = 0; i < group->n; i++)
        w->subset[i] = b->addresses[pairs[i].slot];
    for (size_t i = 0; i < group->n && hinted; i++)
        w->hints[i] = &b->hints.items[pairs[i].slot];
    const struct ms_hints hints = {&b->tables, w->hints, b->hints.names};
    enum ms_status status =
        ms_lookup_run_hinted(&w->lookup, unit, w->subset, group->n, hinted ? &hints : NULL, err);
    for (size_t i = 0; i < group->n && status == MS_OK; i++) {
        struct proposal *proposal = &b->proposals[group->first + i];
        *proposal = (struct proposal){.found = ms_lookup_found(&w->lookup, i),
                                      .size = w->lookup.scan.claims[i].size};
        if (proposal->found)
            status = ms_lookup_frames(&w->lookup, i, b->out, &proposal->hit, err);
    }
    group->fault = w->lookup.error;
    ms_lookup_meter(&w->lookup, unit);
    return status;
}

/* The same, of a unit that .debug_aranges names. */
static enum ms_status run_named_unit(struct worker *w, struct group *group, struct ms_error *err)
{
    struct batch *b = w->batch;
    struct ms_unit_header header;
    struct ms_unit unit;
    enum ms_status status = ms_unit_header_read(w->reader, false, b->pairs[group->first].unit_off,
                                                &header, &group->fault);
    if (status == MS_OK)
        status = ms_unit_open(w->reader, &header, &unit, &group->fault);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_OK) {
        status = run_unit(w, &unit, group, err);
        if (w->reader->s.done_with)
            w->reader->s.done_with(w->reader->s.done_owner, unit.bytes);
        return status;
    }
    for (size_t i = 0; i < group->n; i++)
        b->proposals[group->first + i].found = false;
    return MS_OK;
}

/* The smallest function counts, and any function before mere lines; of equals the first. */
static bool is_better(const struct slot *slot, const struct proposal *p)
{
    if (!p->found)
        return false;
    return p->size ? !slot->size || p->size < slot->size : !slot->found;
}

/* The unit, or a chain in it, broke: the addresses that have nothing better say so. */
static enum ms_status report_fault(struct batch *b, const struct group *group, struct ms_error *err)
{
    uint32_t index;
    if (group->fault.status == MS_OK)
        return MS_OK;
    if (!ms_answers_error(b->out, &group->fault, &index))
        return ms_fail_memory(err);
    for (size_t i = 0; i < group->n; i++) {
        struct slot *slot = &b->slots[b->pairs[group->first + i].slot];
        if (slot->found && slot->run != b->n_runs)
            continue;
        slot->hit.status = group->fault.status;
        slot->hit.error = index;
    }
    return MS_OK;
}

static enum ms_status take_hits(struct batch *b, const struct group *group, struct ms_error *err)
{
    b->n_runs++;
    for (size_t i = 0; i < group->n; i++) {
        struct slot *slot = &b->slots[b->pairs[group->first + i].slot];
        const struct proposal *proposal = &b->proposals[group->first + i];
        if (!is_better(slot, proposal))
            continue;
        slot->hit = proposal->hit;
        slot->size = proposal->size;
        slot->found = slot->hit.n_frames > 0;
        slot->run = b->n_runs;
    }
    return report_fault(b, group, err);
}

/* ---- names ------------------------------------------------------------------------------ */

static bool may_ask(const struct batch *b)
{
    return b->dwarf->hinter.ask && b->n > 1 && (b->dwarf->s.apple_names.n || b->dwarf->s.names.n);
}

/* ---- the units that .debug_aranges names --------------------------------------------------- */

/* One unit a group; how long each will take is as good as known. */
static bool make_groups(struct batch *b)
{
    bool sized = b->n_workers > 1 || may_ask(b);
    for (size_t i = 0, end; i < b->n_pairs; i = end) {
        struct ms_unit_header header;
        for (end = i + 1; end < b->n_pairs && b->pairs[end].unit_off == b->pairs[i].unit_off;)
            end++;
        struct group group = {.first = i, .n = end - i, .fault = {.status = MS_OK}};
        if (sized && ms_unit_header_read(b->dwarf, false, b->pairs[i].unit_off, &header,
                                         &group.fault) == MS_OK)
            group.bytes = header.end - header.off;
        if (sized)
            ms_dwarf_meter_touch(b->dwarf);
        group.fault.status = MS_OK;
        if (!MS_PUSH(b->groups, b->n_groups, b->groups_room, group))
            return false;
    }
    return true;
}

/*
 * Asks for names where that is less work than passing the units by. One address by itself never
 * has a symbol table read.
 */
static enum ms_status ask_for_names(struct batch *b, struct ms_error *err)
{
    const struct ms_dwarf_hinter *hinter = &b->dwarf->hinter;
    uint64_t saved = 0;
    if (!may_ask(b))
        return MS_OK;
    for (size_t i = 0; i < b->n_groups; i++) {
        struct group *group = &b->groups[i];
        uint64_t cost = (uint64_t)group->n * MS_HINT_BYTES;
        group->sparse = group->bytes > cost || hinter->always;
        saved += group->bytes > cost ? group->bytes - cost : 0;
    }
    if (saved <= hinter->cost && !hinter->always)
        return MS_OK;
    enum ms_status status = ms_name_tables_open(b->dwarf, &b->tables, err);
    if (status == MS_OK)
        status = hinter->ask(hinter->owner, b->addresses, b->n, &b->hints, err);
    return status == MS_ABSENT ? MS_OK : status;
}

/* Puts the largest units first, so that no thread is left with one when the others are done.
 * False without memory. */
struct turn {
    uint64_t bytes;
    size_t group;
};

static int by_bytes(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

static bool make_turns(struct batch *b)
{
    struct turn *turns = malloc((b->n_groups + 1) * sizeof *turns);
    b->turns = malloc((b->n_groups + 1) * sizeof *b->turns);
    if (turns && b->turns) {
        for (size_t i = 0; i < b->n_groups; i++)
            turns[i] = (struct turn){b->groups[i].bytes, i};
        qsort(turns, b->n_groups, sizeof *turns, by_bytes);
        for (size_t i = 0; i < b->n_groups; i++)
            b->turns[i] = turns[i].group;
    }
    bool good = turns && b->turns;
    free(turns);
    return good;
}

static enum ms_status open_worker(struct batch *b, size_t i, struct ms_error *err)
{
    struct worker *w = &b->workers[i];
    enum ms_status status = MS_OK;
    w->batch = b;
    w->reader = b->dwarf;
    if (i)
        status = ms_dwarf_open(&b->dwarf->s, &w->reader, err);
    if (status != MS_OK)
        return status;
    ms_lookup_init(&w->lookup, w->reader, b->n_order);
    w->lookup.worker = i;
    w->subset = malloc(b->n * sizeof *w->subset);
    w->hints = malloc(b->n * sizeof *w->hints);
    return w->subset && w->hints ? MS_OK : ms_fail_memory(err);
}

static void do_group(void *owner, size_t worker, size_t item)
{
    struct batch *b = owner;
    struct worker *w = &b->workers[worker];
    if (w->status == MS_OK)
        w->status = run_named_unit(w, &b->groups[b->turns[item]], NULL);
}

/* A thread costs as much as some hundred kilobytes of DIEs. */
enum { ENOUGH_BYTES = 1 << 20 };

/* How many workers are worth their threads. */
static size_t useful_workers(const struct batch *b)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < b->n_groups; i++)
        bytes += b->groups[i].bytes;
    return bytes < ENOUGH_BYTES ? 1 : b->n_workers;
}

static enum ms_status run_groups(struct batch *b, struct ms_error *err)
{
    size_t n = useful_workers(b);
    enum ms_status status = ms_answers_share(b->out, n, err);
    for (size_t i = 1; i < n && status == MS_OK; i++)
        status = open_worker(b, i, err);
    if (status == MS_OK)
        ms_workers_run(n, b->n_groups, do_group, b);
    for (size_t i = 0; i < n && status == MS_OK; i++)
        if (b->workers[i].status != MS_OK)
            status = ms_fail_memory(err);
    for (size_t i = 0; i < b->n_groups && status == MS_OK; i++)
        status = take_hits(b, &b->groups[i], err);
    return status;
}

static enum ms_status run_aranges(struct batch *b, struct ms_error *err)
{
    struct ms_aranges aranges;
    uint64_t low, high;
    ms_aranges_start(&aranges, b->dwarf, NULL);
    while (ms_aranges_next(&aranges, &low, &high))
        if (!add_pairs(b, low, high, aranges.unit_off))
            return ms_fail_memory(err);
    b->n_pairs = b->n_named = sort_pairs(b->pairs, b->n_pairs);
    if (!make_proposals(b) || !make_groups(b) || !make_turns(b))
        return ms_fail_memory(err);
    enum ms_status status = ask_for_names(b, err);
    return status == MS_OK ? run_groups(b, err) : status;
}

/* ---- without .debug_aranges --------------------------------------------------------------- */

static void note_broken(struct batch *b, const struct ms_error *fault)
{
    if (b->broken.status == MS_OK)
        b->broken = *fault;
}

static bool was_tried(const struct batch *b, const struct pair *pair)
{
    return b->n_named && bsearch(pair, b->pairs, b->n_named, sizeof *b->pairs, by_unit);
}

static bool take_cover(void *owner, const struct ms_unit *unit, uint64_t low, uint64_t high)
{
    return add_pairs(owner, low, high, unit->header.off);
}

/* Asks a unit for its own ranges, and for the addresses that fall into them. */
static enum ms_status run_by_cover(struct batch *b, const struct ms_unit *unit,
                                   struct ms_error *err)
{
    struct worker *w = &b->workers[0];
    enum ms_status status = ms_cover_unit(&w->lookup, unit, take_cover, b, err);
    if (status != MS_OK)
        return status;
    ms_dwarf_meter_touch(b->dwarf);
    note_broken(b, &w->lookup.error);
    size_t n = b->n_named;
    for (size_t i = n; i < b->n_pairs; i++)
        if (!was_tried(b, &b->pairs[i]))
            b->pairs[n++] = b->pairs[i];
    b->n_pairs = n;
    if (n == b->n_named)
        return MS_OK;
    struct group group = {.first = b->n_named, .fault = {.status = MS_OK}};
    group.n = sort_pairs(b->pairs + b->n_named, n - b->n_named);
    status = make_proposals(b) ? run_unit(w, unit, &group, err) : ms_fail_memory(err);
    if (status == MS_OK)
        status = take_hits(b, &group, err);
    b->n_pairs = b->n_named;
    return status;
}

/* The sets may be missing, incomplete or wrong: what they did not find, the units may. */
static enum ms_status run_all_units(struct batch *b, struct ms_error *err)
{
    struct ms_unit_walk walk = {b->dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_unit unit;
    set_todo(b);
    for (enum ms_status status; b->n_todo;) {
        struct ms_error found;
        status = ms_unit_walk_next(&walk, &header, &found);
        if (status == MS_ABSENT)
            break;
        if (status == MS_OK)
            status = ms_unit_open(b->dwarf, &header, &unit, &found);
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (status != MS_OK) {
            note_broken(b, &found);
            continue;
        }
        status = run_by_cover(b, &unit, err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

/* Where nothing was found, a unit that couldn't be read may have had it. */
static enum ms_status report_broken(struct batch *b, struct ms_error *err)
{
    uint32_t index;
    bool needed = false;
    if (!b->visits)
        (void)ms_dwarf_fail(&b->broken, MS_E_LIMIT, b->dwarf->s.where, "__debug_info", MS_NO_OFFSET,
                            "the ranges of units overlap too often");
    for (size_t i = 0; i < b->n && b->broken.status != MS_OK; i++)
        needed |= b->slots[i].hit.status == MS_ABSENT;
    if (!needed)
        return MS_OK;
    if (!ms_answers_error(b->out, &b->broken, &index))
        return ms_fail_memory(err);
    for (size_t i = 0; i < b->n; i++) {
        struct ms_dwarf_hit *hit = &b->slots[i].hit;
        if (hit->status == MS_ABSENT) {
            hit->status = b->broken.status;
            hit->error = index;
        }
    }
    return MS_OK;
}

enum ms_status ms_dwarf_find_many(struct ms_dwarf *dwarf, const uint64_t *addresses_vm, size_t n,
                                  struct ms_dwarf_answers *out, struct ms_error *err)
{
    struct batch b;
    memset(&b, 0, sizeof b);
    b.dwarf = dwarf;
    b.out = out;
    enum ms_status status = ms_answers_start(out, n, err);
    if (status != MS_OK || n == 0)
        return status;
    b.n_workers = dwarf->n_workers;
    b.workers = calloc(b.n_workers, sizeof *b.workers);
    status = b.workers ? take_request(&b, addresses_vm, n, err) : ms_fail_memory(err);
    if (!b.workers)
        b.n_workers = 0;
    if (status == MS_OK)
        status = open_worker(&b, 0, err);
    if (status == MS_OK && b.n) {
        for (size_t i = 0; i < b.n; i++)
            b.slots[i].hit.status = MS_ABSENT;
        set_todo(&b);
        status = run_aranges(&b, err);
        if (status == MS_OK)
            status = run_all_units(&b, err);
        if (status == MS_OK)
            status = report_broken(&b, err);
        if (status == MS_OK)
            give_answers(&b);
    }
    free_batch(&b);
    if (status != MS_OK)
        ms_dwarf_answers_fini(out);
    return status;
}
