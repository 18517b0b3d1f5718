/* ms_dwarf_find_many: from a batch of addresses to the units, one pass over each. */
#include "base/array.h"
#include "dwarf/aranges.h"
#include "dwarf/cover.h"
#include "dwarf/fault.h"
#include "dwarf/reader.h"

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

struct order {
    uint64_t address;
    size_t asked; /* index in the request */
};

struct batch {
    struct ms_dwarf *dwarf;
    struct ms_dwarf_answers *out;
    struct ms_lookup lookup;
    struct order *order; /* the request, ascending */
    size_t n_order;
    uint64_t *addresses; /* ascending, each once */
    struct slot *slots;  /* one each */
    size_t n;
    uint64_t *todo;     /* those still looked for, ascending … */
    size_t *todo_slots; /* … and which slots they are */
    size_t n_todo;
    struct pair *pairs; /* of .debug_aranges, ascending; then those of the unit in hand */
    size_t n_pairs, pairs_room, n_named;
    uint64_t *subset; /* the addresses of a run */
    uint64_t visits;  /* addresses that ranges may still fall on */
    uint32_t n_runs;
    struct ms_error broken; /* the first unit that couldn't even be asked; MS_OK = none */
};

/* ---- the request ------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

static enum ms_status take_request(struct batch *b, const uint64_t *addresses, size_t n,
                                   struct ms_error *err)
{
    bool ascending = true;
    if (n >= UINT32_MAX)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "%zu addresses in one request", n);
    b->order = malloc(n * sizeof *b->order);
    b->addresses = malloc(n * sizeof *b->addresses);
    b->subset = malloc(n * sizeof *b->subset);
    b->slots = calloc(n, sizeof *b->slots);
    b->todo = malloc(n * sizeof *b->todo);
    b->todo_slots = malloc(n * sizeof *b->todo_slots);
    if (!b->order || !b->addresses || !b->subset || !b->slots || !b->todo || !b->todo_slots)
        return ms_fail_memory(err);
    b->n_order = n;
    b->visits = (uint64_t)n * 64 + 4096;
    for (size_t i = 0; i < n; i++) {
        b->order[i] = (struct order){addresses[i], i};
        ascending &= i == 0 || addresses[i - 1] <= addresses[i];
    }
    if (!ascending)
        qsort(b->order, n, sizeof *b->order, by_address);
    for (size_t i = 0; i < n; i++) {
        uint64_t address = b->order[i].address;
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
        while (slot < b->n && b->addresses[slot] < b->order[i].address)
            slot++;
        if (slot < b->n && b->addresses[slot] == b->order[i].address)
            b->out->hits[b->order[i].asked] = b->slots[slot].hit;
    }
}

static void free_batch(struct batch *b)
{
    ms_lookup_fini(&b->lookup);
    free(b->order);
    free(b->addresses);
    free(b->subset);
    free(b->slots);
    free(b->todo);
    free(b->todo_slots);
    free(b->pairs);
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

static bool is_better(const struct slot *slot, const struct ms_lookup *l, size_t i)
{
    uint64_t size = l->scan.claims[i].size;
    if (!ms_lookup_found(l, i))
        return false;
    return size ? !slot->size || size < slot->size : !slot->found;
}

/* The unit, or a chain in it, broke: the addresses that have nothing better say so. */
static enum ms_status report_fault(struct batch *b, const struct pair *pairs, size_t n,
                                   struct ms_error *err)
{
    const struct ms_error *fault = &b->lookup.error;
    uint32_t index;
    if (fault->status == MS_OK)
        return MS_OK;
    if (!ms_answers_error(b->out, fault, &index))
        return ms_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &b->slots[pairs[i].slot];
        if (slot->found && slot->run != b->n_runs)
            continue;
        slot->hit.status = fault->status;
        slot->hit.error = index;
    }
    return MS_OK;
}

static enum ms_status take_hits(struct batch *b, const struct pair *pairs, size_t n,
                                struct ms_error *err)
{
    for (size_t i = 0; i < n; i++) {
        struct slot *slot = &b->slots[pairs[i].slot];
        if (!is_better(slot, &b->lookup, i))
            continue;
        enum ms_status status = ms_lookup_frames(&b->lookup, i, b->out, &slot->hit, err);
        if (status != MS_OK)
            return status;
        slot->size = b->lookup.scan.claims[i].size;
        slot->found = slot->hit.n_frames > 0;
        slot->run = b->n_runs;
    }
    return MS_OK;
}

/* Looks all addresses of `pairs`, which are of one unit and ascend, up in it. */
static enum ms_status run_unit(struct batch *b, const struct ms_unit *unit,
                               const struct pair *pairs, size_t n, struct ms_error *err)
{
    b->n_runs++;
    for (size_t i = 0; i < n; i++)
        b->subset[i] = b->addresses[pairs[i].slot];
    enum ms_status status = ms_lookup_run(&b->lookup, unit, b->subset, n, err);
    if (status == MS_OK)
        status = take_hits(b, pairs, n, err);
    return status == MS_OK ? report_fault(b, pairs, n, err) : status;
}

/* A unit that .debug_aranges names. */
static enum ms_status run_named_unit(struct batch *b, const struct pair *pairs, size_t n,
                                     struct ms_error *err)
{
    struct ms_unit_header header;
    struct ms_unit unit;
    struct ms_error found;
    enum ms_status status =
        ms_unit_header_read(b->dwarf, false, pairs[0].unit_off, &header, &found);
    if (status == MS_OK)
        status = ms_unit_open(b->dwarf, &header, &unit, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_OK)
        return run_unit(b, &unit, pairs, n, err);
    b->n_runs++;
    b->lookup.error = found;
    return report_fault(b, pairs, n, err);
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
    for (size_t i = 0, end; i < b->n_pairs; i = end) {
        for (end = i + 1; end < b->n_pairs && b->pairs[end].unit_off == b->pairs[i].unit_off;)
            end++;
        enum ms_status status = run_named_unit(b, b->pairs + i, end - i, err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
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
    enum ms_status status = ms_cover_unit(&b->lookup, unit, take_cover, b, err);
    if (status != MS_OK)
        return status;
    note_broken(b, &b->lookup.error);
    size_t n = b->n_named;
    for (size_t i = n; i < b->n_pairs; i++)
        if (!was_tried(b, &b->pairs[i]))
            b->pairs[n++] = b->pairs[i];
    b->n_pairs = n;
    if (n == b->n_named)
        return MS_OK;
    n = sort_pairs(b->pairs + b->n_named, n - b->n_named);
    status = run_unit(b, unit, b->pairs + b->n_named, n, err);
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
    ms_lookup_init(&b.lookup, dwarf, n);
    status = take_request(&b, addresses_vm, n, err);
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
