/**
 * dwarf/scan.h: the streaming pass over the DIEs of a unit. It stops at functions and at
 * the calls inlined into them, passes all else by, and stores only what an address asked
 * for falls into.
 *
 * Which function has an address: of all subprograms, wherever they stand in the tree,
 * the one whose range that holds the address is smallest; of equal ones the first. Within
 * it the inlined calls refine the answer in the order of the tree, a later one over an
 * earlier one, so that the deepest wins.
 */
#ifndef MS_DWARF_SCAN_H
#define MS_DWARF_SCAN_H

#include "dwarf/ranges.h"

#define MS_NO_NODE UINT32_MAX

/** A function or inlined call that holds an address asked for. */
struct ms_node {
    uint64_t die_off; /* from the unit's start */
    uint32_t parent;  /* the node it is inlined into; MS_NO_NODE for a subprogram */
    uint32_t info;    /* of the owner */
};

/** What holds an address so far. */
struct ms_claim {
    uint64_t size; /* bytes of the subprogram's range; 0 = nothing claims it yet */
    uint32_t node; /* the innermost */
    uint32_t root; /* the subprogram's */
};

/** An open DIE that is a function or an inlined call. */
struct ms_scope {
    uint64_t die_off;
    uint32_t depth; /* of its children */
    uint32_t node;  /* MS_NO_NODE until an address falls into it or below */
    uint32_t root;  /* index of the scope of its subprogram */
    bool inlined;
    bool live;          /* its subprogram holds an address … */
    size_t first, last; /* … between these two: [first, last) */
};

enum ms_scan_mode {
    MS_SCAN_MATCH,   /* find what holds the addresses */
    MS_SCAN_COLLECT, /* hand on the ranges of all subprograms */
    MS_SCAN_GATHER,  /* keep the ranges of all subprograms and of what is inlined into them */
    MS_SCAN_CHECK    /* decode all, count, hand on where functions and inlined calls are */
};

/**
 * Gets a subprogram's range, or with CHECK a function or inlined call without its range.
 * @return false to end the pass, for want of memory
 */
typedef bool (*ms_scan_taker)(void *owner, const struct ms_unit *unit, uint64_t die_off,
                              uint64_t low, uint64_t high);

/** GATHER: a range, in the order of the DIEs. */
struct ms_gathered {
    uint64_t low, high;
    uint32_t node; /* whose it is */
    uint32_t root; /* its subprogram's */
};

/** State and results of a pass. Zeroed before the first, reused from unit to unit. */
struct ms_scan {
    enum ms_scan_mode mode;
    const uint64_t *addresses; /* MATCH: ascending, without duplicates */
    size_t n;
    uint64_t only_die; /* MATCH: only this subprogram claims; UINT64_MAX = all do */

    struct ms_claim *claims; /* MATCH: one an address */
    size_t claims_room;
    struct ms_node *nodes;
    size_t n_nodes, nodes_room;
    struct ms_gathered *gathered; /* GATHER; as the nodes, emptied by ms_scan_set_addresses */
    size_t n_gathered, gathered_room;
    ms_scan_taker take;                      /* COLLECT, CHECK */
    void *owner;                             /* of what it takes */
    uint64_t n_dies, n_functions, n_inlined; /* CHECK */

    size_t end; /* where the last pass ended, from the unit's start */

    uint64_t range_budget; /* list entries that may still be read: see ms_ranges_start */
    uint64_t claim_budget; /* matches that may still be looked at */

    struct ms_scope *scopes;
    size_t n_scopes, scopes_room;
    bool no_memory;
    enum ms_status status; /* of the first fault that leaves the pass going */
    struct ms_error *err;  /* gets it */
};

/**
 * Goes through the unit from the DIE at `die_off` (header.root for all of it) to the end
 * of its tree.
 * @return the first fault; what was found before it and, where the walk could go on,
 *         after it stays in *scan
 */
enum ms_status ms_scan_run(struct ms_scan *scan, const struct ms_unit *unit, uint64_t die_off,
                           struct ms_error *err);

/** MATCH: room for n claims, all empty. False without memory. */
bool ms_scan_set_addresses(struct ms_scan *scan, const uint64_t *addresses, size_t n);

void ms_scan_fini(struct ms_scan *scan);

/**
 * At a subprogram or inlined call that is looked at: opens its scope, and gives its ranges
 * to whom they concern.
 * @param at  behind the DIE's code
 * @return    behind the DIE; past the unit's end when the DIE runs out of it
 */
size_t ms_scan_function(struct ms_scan *scan, const struct ms_unit *unit,
                        const struct ms_abbrev *abbrev, size_t at, uint64_t die_off,
                        uint32_t depth);
/** Opens a scope; false without memory. */
bool ms_scan_open_scope(struct ms_scan *scan, uint64_t die_off, uint32_t depth, bool inlined);

/** Index of the first address that is not below `low`. */
size_t ms_lower_bound(const uint64_t *addresses, size_t n, uint64_t low);

#endif
