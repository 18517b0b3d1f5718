#include "dwarf/scan.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/reader.h"

#include <stdlib.h>

size_t ms_lower_bound(const uint64_t *addresses, size_t n, uint64_t low)
{
    size_t from = 0;
    while (n) {
        size_t half = n / 2;
        if (addresses[from + half] < low) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

bool ms_scan_set_addresses(struct ms_scan *scan, const uint64_t *addresses, size_t n)
{
    scan->addresses = addresses;
    scan->n = n;
    scan->n_nodes = 0;
    while (scan->claims_room < n)
        if (!ms_array_grow(&scan->claims, scan->claims_room, &scan->claims_room,
                           sizeof *scan->claims))
            return false;
    for (size_t i = 0; i < n; i++)
        scan->claims[i] = (struct ms_claim){0, MS_NO_NODE, MS_NO_NODE};
    return true;
}

void ms_scan_fini(struct ms_scan *scan)
{
    free(scan->claims);
    free(scan->nodes);
    free(scan->seen);
    free(scan->scopes);
    memset(scan, 0, sizeof *scan);
}

/* ---- claiming addresses ------------------------------------------------------------------ */

/* Makes the node of the scope on top, and those of the scopes it is inlined into. */
static uint32_t top_node(struct ms_scan *scan)
{
    size_t from = scan->n_scopes - 1;
    while (scan->scopes[from].inlined && scan->scopes[from].node == MS_NO_NODE && from > 0)
        from--;
    for (size_t i = from; i < scan->n_scopes; i++) {
        struct ms_scope *scope = &scan->scopes[i];
        if (scope->node != MS_NO_NODE)
            continue;
        uint32_t parent = scope->inlined && i > 0 ? scan->scopes[i - 1].node : MS_NO_NODE;
        struct ms_node node = {scope->die_off, parent, 0};
        if (scan->n_nodes >= MS_NO_NODE ||
            !MS_PUSH(scan->nodes, scan->n_nodes, scan->nodes_room, node)) {
            scan->no_memory = true;
            return MS_NO_NODE;
        }
        scope->node = (uint32_t)(scan->n_nodes - 1);
    }
    return scan->scopes[scan->n_scopes - 1].node;
}

static void claim_for_function(struct ms_scan *scan, const struct ms_unit *unit, uint64_t low,
                               uint64_t high)
{
    if (high <= scan->addresses[0] || low > scan->addresses[scan->n - 1])
        return;
    size_t first = ms_lower_bound(scan->addresses, scan->n, low), i = first;
    uint64_t size = high - low;
    if (first == scan->n || scan->addresses[first] >= high)
        return;
    enum ms_trust trust = ms_dwarf_trust(unit->dwarf, low);
    uint32_t node = MS_NO_NODE;
    for (; i < scan->n && scan->addresses[i] < high && scan->claim_budget; i++) {
        struct ms_claim *claim = &scan->claims[i];
        scan->claim_budget--;
        if ((claim->size && claim->size <= size) ||
            !ms_trust_allows(unit->dwarf, trust, scan->addresses[i]))
            continue;
        if (node == MS_NO_NODE)
            node = top_node(scan);
        *claim = (struct ms_claim){size, node, node};
    }
    if (node == MS_NO_NODE)
        return;
    struct ms_scope *scope = &scan->scopes[scan->n_scopes - 1];
    scope->first = scope->live && scope->first < first ? scope->first : first;
    scope->last = scope->live && scope->last > i ? scope->last : i;
    scope->live = true;
}

static void claim_for_inlined(struct ms_scan *scan, uint64_t low, uint64_t high)
{
    const struct ms_scope *scope = &scan->scopes[scan->n_scopes - 1];
    size_t i = scope->first +
               ms_lower_bound(scan->addresses + scope->first, scope->last - scope->first, low);
    uint32_t root = scan->scopes[scope->root].node, node = MS_NO_NODE;
    for (; i < scope->last && scan->addresses[i] < high && scan->claim_budget; i++) {
        scan->claim_budget--;
        if (scan->claims[i].root != root)
            continue; /* a smaller function that overlaps this one has it */
        if (node == MS_NO_NODE)
            node = top_node(scan);
        scan->claims[i].node = node;
    }
}

/* ---- functions --------------------------------------------------------------------------- */

static void take_range(struct ms_scan *scan, const struct ms_unit *unit, uint64_t low,
                       uint64_t high)
{
    struct ms_scope *scope = &scan->scopes[scan->n_scopes - 1];
    if (scan->mode == MS_SCAN_COLLECT) {
        struct ms_range_seen seen = {low, high, scope->die_off};
        if (ms_dwarf_trust(unit->dwarf, low) != MS_TRUST_NONE &&
            !MS_PUSH(scan->seen, scan->n_seen, scan->seen_room, seen))
            scan->no_memory = true;
    } else if (scan->mode == MS_SCAN_MATCH) {
        if (scope->inlined)
            claim_for_inlined(scan, low, high);
        else if (scan->only_die == UINT64_MAX || scan->only_die == scope->die_off)
            claim_for_function(scan, unit, low, high);
    }
}

static void note_fault(struct ms_scan *scan, enum ms_status status)
{
    if (scan->status == MS_OK)
        scan->status = status;
}

/* The scope on top has just been opened: gives its ranges to whom they concern. */
static void take_function(struct ms_scan *scan, const struct ms_unit *unit,
                          const struct ms_pcs *pcs)
{
    struct ms_ranges ranges;
    uint64_t low, high;
    ms_ranges_start(&ranges, unit, pcs, &scan->range_budget);
    while (ms_ranges_next(&ranges, &low, &high))
        take_range(scan, unit, low, high);
    if (ranges.status != MS_OK && scan->status == MS_OK)
        note_fault(scan, ms_ranges_fail(&ranges, scan->err));
    if (!scan->claim_budget && scan->mode == MS_SCAN_MATCH && scan->status == MS_OK)
        note_fault(scan, ms_unit_fail(unit, scan->err, MS_E_LIMIT,
                                      scan->scopes[scan->n_scopes - 1].die_off,
                                      "functions overlap too often"));
}

static bool open_scope(struct ms_scan *scan, uint64_t die_off, uint32_t depth, bool inlined)
{
    struct ms_scope scope = {die_off, depth, MS_NO_NODE, (uint32_t)scan->n_scopes,
                             inlined, false, 0,          0};
    if (inlined && scan->n_scopes) {
        const struct ms_scope *outer = &scan->scopes[scan->n_scopes - 1];
        scope.root = outer->root;
        scope.live = outer->live;
        scope.first = outer->first;
        scope.last = outer->last;
    }
    if (MS_PUSH(scan->scopes, scan->n_scopes, scan->scopes_room, scope))
        return true;
    scan->no_memory = true;
    return false;
}

/* ---- the pass ---------------------------------------------------------------------------- */

/* All that a step does besides skipping bytes, for the shapes that only skip. */
static inline void pass_variable(struct ms_cursor *c, const struct ms_step *step,
                                 const struct ms_encoding *encoding)
{
    struct ms_cursor copy;
    switch (step->action) {
    case MS_ACT_NONE:
        break;
    case MS_ACT_LEB:
        ms_hot_skip_leb(c);
        break;
    case MS_ACT_STRING:
        (void)ms_cursor_string(c);
        break;
    case MS_ACT_BLOCK1:
        ms_cursor_skip(c, ms_cursor_u8(c));
        break;
    case MS_ACT_BLOCK2:
        ms_cursor_skip(c, ms_cursor_u16(c));
        break;
    case MS_ACT_BLOCK4:
        ms_cursor_skip(c, ms_cursor_u32(c));
        break;
    case MS_ACT_BLOCK:
        ms_cursor_skip(c, ms_hot_uleb(c));
        break;
    default:
        copy = *c;
        ms_value_skip(&copy, encoding, step->form);
        *c = copy;
    }
}

static inline void pass_by(struct ms_cursor *c, const struct ms_step *step,
                           const struct ms_encoding *encoding)
{
    for (;; step++) {
        ms_cursor_skip(c, step->skip);
        if (step->action == MS_ACT_END)
            return;
        pass_variable(c, step, encoding);
    }
}

/* Passes a DIE by and keeps what it says of its code. */
static struct ms_cursor watch(struct ms_cursor c, const struct ms_step *step,
                              const struct ms_encoding *encoding, struct ms_pcs *pcs)
{
    pcs->low.form = pcs->high.form = pcs->ranges.form = 0;
    for (;; step++) {
        int64_t implicit = 0;
        ms_cursor_skip(&c, step->skip);
        switch (step->action) {
        case MS_ACT_END:
            return c;
        case MS_ACT_LOW:
            pcs->low = ms_value_read(&c, encoding, step->form, 0);
            break;
        case MS_ACT_HIGH:
            if (step->form == DW_FORM_implicit_const)
                memcpy(&implicit, step + 1, sizeof implicit);
            pcs->high = ms_value_read(&c, encoding, step->form, implicit);
            if (step->form == DW_FORM_implicit_const)
                step += 2;
            break;
        case MS_ACT_RANGES:
            pcs->ranges = ms_value_read(&c, encoding, step->form, 0);
            break;
        default:
            pass_variable(&c, step, encoding);
        }
    }
}

static bool wants(const struct ms_scan *scan, const struct ms_abbrev *abbrev)
{
    if (scan->mode == MS_SCAN_CHECK)
        return true;
    if (abbrev->kind == MS_DIE_FUNCTION)
        return true;
    return abbrev->kind == MS_DIE_INLINED && scan->mode == MS_SCAN_MATCH && scan->n_scopes &&
           scan->scopes[scan->n_scopes - 1].live;
}

/* A subprogram or an inlined call. Returns the cursor behind it. */
static struct ms_cursor pass_function(struct ms_scan *scan, const struct ms_unit *unit,
                                      const struct ms_abbrev *abbrev, struct ms_cursor c,
                                      uint64_t die_off, uint32_t depth)
{
    const struct ms_step *steps = unit->abbrevs->steps;
    bool inlined = abbrev->kind == MS_DIE_INLINED;
    if (abbrev->kind == MS_DIE_DECLARATION || !wants(scan, abbrev)) {
        pass_by(&c, steps + abbrev->skip, &unit->encoding);
        if (abbrev->children && !inlined) /* hides the function around it from what is inside */
            (void)open_scope(scan, die_off, depth + 1, false);
        return c;
    }
    struct ms_pcs pcs;
    c = watch(c, steps + abbrev->watch, &unit->encoding, &pcs);
    if (c.bad || !open_scope(scan, die_off, depth + 1, inlined))
        return c;
    scan->n_functions += !inlined;
    scan->n_inlined += inlined;
    take_function(scan, unit, &pcs);
    if (!abbrev->children)
        scan->n_scopes--;
    return c;
}

static enum ms_status finish(struct ms_scan *scan, const struct ms_unit *unit, bool bad,
                             uint64_t die_off)
{
    if (scan->no_memory)
        return ms_fail_memory(scan->err);
    if (bad && scan->status == MS_OK)
        return ms_unit_fail(unit, scan->err, MS_E_FORMAT, die_off, "DIE runs past its unit's end");
    return scan->status;
}

static enum ms_status too_deep(struct ms_scan *scan, const struct ms_unit *unit, uint64_t die_off)
{
    return scan->status != MS_OK
               ? scan->status
               : ms_unit_fail(unit, scan->err, MS_E_LIMIT, die_off, "DIEs nest deeper than %d",
                              MS_MAX_DIE_DEPTH);
}

static enum ms_status unknown_code(struct ms_scan *scan, const struct ms_unit *unit,
                                   uint64_t die_off, uint64_t code)
{
    if (scan->status != MS_OK)
        return scan->status;
    if (unit->abbrevs->fault && scan->err) /* the table broke off: that is the cause */
        *scan->err = *unit->abbrevs->fault;
    if (unit->abbrevs->fault)
        return unit->abbrevs->fault->status;
    return ms_unit_fail(unit, scan->err, MS_E_FORMAT, die_off,
                        "no abbreviation has the code %llu (table at 0x%llx has %zu)",
                        (unsigned long long)code, (unsigned long long)unit->abbrevs->off,
                        unit->abbrevs->n);
}

enum ms_status ms_scan_run(struct ms_scan *scan, const struct ms_unit *unit, uint64_t die_off,
                           struct ms_error *err)
{
    const struct ms_abbrevs *abbrevs = unit->abbrevs;
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    uint32_t depth = 0;
    uint64_t n_dies = 0;
    scan->n_scopes = 0;
    scan->no_memory = false;
    scan->status = MS_OK;
    scan->err = err;
    ms_cursor_seek(&c, die_off);
    while (ms_cursor_left(&c) && !scan->no_memory) {
        die_off = ms_cursor_offset(&c);
        uint64_t code = ms_hot_uleb(&c);
        if (code == 0) { /* the end of some DIE's children */
            if (depth <= 1)
                break;
            while (scan->n_scopes && scan->scopes[scan->n_scopes - 1].depth >= depth)
                scan->n_scopes--;
            depth--;
            continue;
        }
        const struct ms_abbrev *abbrev = ms_abbrev_find(abbrevs, code);
        if (!abbrev)
            return unknown_code(scan, unit, die_off, code);
        n_dies++;
        if (abbrev->kind == MS_DIE_PLAIN)
            pass_by(&c, abbrevs->steps + abbrev->skip, &unit->encoding);
        else
            c = pass_function(scan, unit, abbrev, c, die_off, depth);
        if (!abbrev->children && depth == 0)
            break;
        if (abbrev->children && ++depth > MS_MAX_DIE_DEPTH)
            return too_deep(scan, unit, die_off);
    }
    scan->n_dies += n_dies;
    return finish(scan, unit, c.bad, die_off);
}
