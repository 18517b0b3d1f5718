/* What the pass does at a function: it decodes where its code is and claims addresses. */
#include "dwarf/scan.h"

#include "base/array.h"
#include "dwarf/reader.h"

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

/* A call that is inlined into no subprogram is in no answer. */
static void gather(struct ms_scan *scan, const struct ms_unit *unit, uint64_t low, uint64_t high)
{
    const struct ms_scope *scope = &scan->scopes[scan->n_scopes - 1];
    if (scan->scopes[scope->root].inlined ||
        (!scope->inlined && ms_dwarf_trust(unit->dwarf, low) == MS_TRUST_NONE))
        return;
    uint32_t node = top_node(scan);
    if (scan->no_memory)
        return;
    struct ms_gathered gathered = {low, high, node, scan->scopes[scope->root].node};
    if (!MS_PUSH(scan->gathered, scan->n_gathered, scan->gathered_room, gathered))
        scan->no_memory = true;
}

/* ---- functions --------------------------------------------------------------------------- */

static void take_range(struct ms_scan *scan, const struct ms_unit *unit, uint64_t low,
                       uint64_t high)
{
    struct ms_scope *scope = &scan->scopes[scan->n_scopes - 1];
    if (scan->mode == MS_SCAN_COLLECT) {
        if (ms_dwarf_trust(unit->dwarf, low) != MS_TRUST_NONE &&
            !scan->take(scan->owner, unit, scope->die_off, low, high))
            scan->no_memory = true;
    } else if (scan->mode == MS_SCAN_GATHER) {
        gather(scan, unit, low, high);
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
                          const struct ms_value pcs[MS_N_PCS])
{
    struct ms_ranges ranges = {.status = MS_OK};
    uint64_t low, high;
    if (pcs[MS_RANGES].form) {
        ms_ranges_start(&ranges, unit, pcs, &scan->range_budget);
        while (ms_ranges_next(&ranges, &low, &high))
            take_range(scan, unit, low, high);
    } else if (ms_unit_low_high(unit, pcs, &low, &high)) {
        take_range(scan, unit, low, high);
    }
    if (scan->mode == MS_SCAN_CHECK &&
        !scan->take(scan->owner, unit, scan->scopes[scan->n_scopes - 1].die_off, 0, 0))
        scan->no_memory = true;
    if (ranges.status != MS_OK && scan->status == MS_OK)
        note_fault(scan, ms_ranges_fail(&ranges, scan->err));
    if (!scan->claim_budget && scan->mode == MS_SCAN_MATCH && scan->status == MS_OK)
        note_fault(scan, ms_unit_fail(unit, scan->err, MS_E_LIMIT,
                                      scan->scopes[scan->n_scopes - 1].die_off,
                                      "functions overlap too often"));
}

bool ms_scan_open_scope(struct ms_scan *scan, uint64_t die_off, uint32_t depth, bool inlined)
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

/* True for the many calls that are inlined elsewhere than where an address is asked for,
 * and have nothing inlined into them. */
static bool is_elsewhere(const struct ms_scan *scan, const struct ms_unit *unit,
                         const struct ms_value pcs[MS_N_PCS])
{
    uint64_t low, high;
    if (scan->mode != MS_SCAN_MATCH || pcs[MS_RANGES].form || !scan->n_scopes)
        return false;
    const struct ms_scope *outer = &scan->scopes[scan->n_scopes - 1];
    if (!outer->live || !ms_unit_low_high(unit, pcs, &low, &high))
        return false;
    return high <= scan->addresses[outer->first] || low > scan->addresses[outer->last - 1];
}

/* A subprogram or inlined call that is looked at. Returns where it ends. */
size_t ms_scan_function(struct ms_scan *scan, const struct ms_unit *unit,
                        const struct ms_abbrev *abbrev, size_t at, uint64_t die_off, uint32_t depth)
{
    struct ms_value pcs[MS_N_PCS];
    bool inlined = abbrev->kind == MS_DIE_INLINED;
    at = ms_unit_take(unit, unit->abbrevs->steps + abbrev->watch, at, pcs, MS_N_PCS);
    if (inlined && !abbrev->children && is_elsewhere(scan, unit, pcs))
        return at;
    if (at > unit->bytes.n || !ms_scan_open_scope(scan, die_off, depth + 1, inlined))
        return at;
    scan->n_functions += !inlined;
    scan->n_inlined += inlined;
    take_function(scan, unit, pcs);
    if (!abbrev->children)
        scan->n_scopes--;
    return at;
}
