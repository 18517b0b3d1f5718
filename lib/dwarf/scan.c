#include "dwarf/scan.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/pass.h"
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
    scan->n_nodes = scan->n_gathered = 0;
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
    free(scan->gathered);
    free(scan->scopes);
    memset(scan, 0, sizeof *scan);
}

/* ---- the pass ---------------------------------------------------------------------------- */

/* The rarer shapes of value, by way of a cursor. */
size_t ms_pass_rare(const struct ms_unit *unit, const struct ms_step *step, size_t at)
{
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, at);
    switch (step->action) {
    case MS_ACT_NONE:
        return at;
    case MS_ACT_STRING:
        (void)ms_cursor_string(&c);
        break;
    case MS_ACT_BLOCK1:
        ms_cursor_skip(&c, ms_cursor_u8(&c));
        break;
    case MS_ACT_BLOCK2:
        ms_cursor_skip(&c, ms_cursor_u16(&c));
        break;
    case MS_ACT_BLOCK4:
        ms_cursor_skip(&c, ms_cursor_u32(&c));
        break;
    case MS_ACT_BLOCK:
        ms_cursor_skip(&c, ms_cursor_uleb(&c));
        break;
    default:
        ms_value_skip(&c, &unit->encoding, step->form);
    }
    return c.bad ? unit->bytes.n + 1 : (size_t)ms_cursor_offset(&c);
}

static size_t long_block(const struct ms_unit *unit, size_t at)
{
    const struct ms_step step = {0, MS_ACT_BLOCK, DW_FORM_block};
    return ms_pass_rare(unit, &step, at);
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
    return scan->status != MS_OK ? scan->status
                                 : ms_unit_fail(unit, scan->err, MS_E_LIMIT, die_off,
                                                "DIEs nest deeper than %d", MS_MAX_DIE_DEPTH);
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

/* A code of two bytes or more, the first of them at `at`. */
struct long_code {
    uint64_t code;
    size_t at;
};

static struct long_code read_long_code(const struct ms_unit *unit, size_t at)
{
    if (at + 1 < unit->bytes.n && unit->bytes.at[at + 1] < 0x80) /* two are all that most need */
        return (struct long_code){
            (unit->bytes.at[at] & 0x7fu) | (uint64_t)unit->bytes.at[at + 1] << 7, at + 2};
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, at);
    uint64_t code = ms_cursor_uleb(&c);
    return (struct long_code){code, c.bad ? unit->bytes.n + 1 : (size_t)ms_cursor_offset(&c)};
}

/* What the loop needs to know of the innermost open scope. */
struct inside {
    uint32_t depth; /* of its children; 0 when none is open */
    bool live;      /* inlined calls are looked at */
};

static struct inside look_inside(const struct ms_scan *scan)
{
    struct inside out = {0, scan->mode == MS_SCAN_CHECK || scan->mode == MS_SCAN_GATHER};
    if (scan->n_scopes) {
        out.depth = scan->scopes[scan->n_scopes - 1].depth;
        out.live |= scan->scopes[scan->n_scopes - 1].live;
    }
    return out;
}

static struct inside close_scopes(struct ms_scan *scan, uint32_t depth)
{
    while (scan->n_scopes && scan->scopes[scan->n_scopes - 1].depth >= depth)
        scan->n_scopes--;
    return look_inside(scan);
}

/* A DIE that the functions around and inside it are told apart by. */
static size_t pass_scope(struct ms_scan *scan, const struct ms_unit *unit,
                         const struct ms_abbrev *abbrev, size_t at, size_t start, uint32_t depth)
{
    if (abbrev->kind != MS_DIE_DECLARATION)
        return ms_scan_function(scan, unit, abbrev, at, start, depth);
    /* It hides the function around it from what is inside. */
    (void)ms_scan_open_scope(scan, start, depth + 1, false);
    return ms_pass_by(unit, unit->bytes.at, unit->bytes.n, at, abbrev, unit->abbrevs->steps);
}

/* Where the pass stands. */
struct place {
    size_t at, start; /* `start` is that of the last DIE */
    uint32_t depth;
    uint64_t n_dies;
};

/*
 * Moves on by `bytes`, for sizes that compilers' DIEs mostly have, by way of a jump. Where the
 * next DIE starts is known only after two loads that wait for each other, and nothing could be
 * done meanwhile; where a jump leads is guessed, and mostly right. The compiler is kept from
 * making one addition of them all again.
 */
#define MOVE_ON(at, size)                                                                          \
    (at) += (size);                                                                                \
    __asm__("" : "+r"(at))
#define FIXED(size)                                                                                \
    case size:                                                                                     \
        MOVE_ON(p.at, size);                                                                       \
        continue;
#define FIXED_4(size) FIXED(size) FIXED((size) + 1) FIXED((size) + 2) FIXED((size) + 3)
#define LEB(size)                                                                                  \
    case MS_QUICK_JUMPS + (size):                                                                  \
        MOVE_ON(p.at, size);                                                                       \
        goto leb;
#define LEB_4(size) LEB(size) LEB((size) + 1) LEB((size) + 2) LEB((size) + 3)

/* How far ahead memory is asked for: the processor by itself stops at the end of a page. */
enum { PREFETCH = 1024 };

/* Passes by what needs no thought: DIEs whose code says where they end, as long as no scope
 * is opened or closed by them. Most time of a look-up is spent here. */
static inline struct place pass_quickly(const struct ms_unit *unit, struct place p,
                                        struct inside inside)
{
    const uint8_t *const bytes = unit->bytes.at;
    const struct ms_abbrevs *const table = unit->abbrevs;
    const size_t n = unit->bytes.n, n_short = table->n_short;
    const struct ms_quick *const quick = table->quick + (inside.live ? 0 : table->n_quick);
    const uint32_t lowest = inside.depth > 1 ? inside.depth : 1;
    while (p.at < n) {
        unsigned code = bytes[p.at];
        if (code >= n_short) {
            if (n - p.at < 2 || code < 0x80 || bytes[p.at + 1] >= 0x80)
                break;
            code = (code & 0x7f) | (unsigned)bytes[p.at + 1] << 7;
            if (code >= table->n_quick || code < 0x80)
                break;
        }
        const struct ms_quick *q = &quick[code];
        const uint32_t depth = p.depth + (uint32_t)q->deeper;
        if (q->how == MS_QUICK_NOT || depth - lowest > MS_MAX_DIE_DEPTH - lowest)
            break;
        __builtin_prefetch((const void *)((uintptr_t)bytes + p.at + PREFETCH));
        p.start = p.at;
        p.depth = depth;
        p.n_dies += q->dies;
        switch (q->jump) {
            FIXED(1)
            FIXED(2)
            FIXED(3)
            FIXED_4(4)
            FIXED_4(8)
            FIXED_4(12)
            FIXED_4(16)
            FIXED_4(20)
            FIXED_4(24)
            FIXED_4(28)
            LEB(1)
            LEB(2)
            LEB(3)
            LEB_4(4)
            LEB_4(8)
        }
        p.at += q->bytes;
        if (q->how == MS_QUICK_BLOCK) {
            p.at = p.at < n && bytes[p.at] < 0x80 ? ms_pass_bytes(n, p.at + 1, bytes[p.at])
                                                  : long_block(unit, p.at);
        } else if (q->how == MS_QUICK_LEB) {
        leb:
            p.at = ms_pass_leb(bytes, n, p.at);
        }
        p.at += q->rest;
    }
    return p;
}

enum ms_status ms_scan_run(struct ms_scan *scan, const struct ms_unit *unit, uint64_t die_off,
                           struct ms_error *err)
{
    const struct ms_abbrevs *table = unit->abbrevs;
    const uint8_t *const bytes = unit->bytes.at;
    const size_t n = unit->bytes.n;
    struct place p = {(size_t)die_off, (size_t)die_off, 0, 0};
    scan->n_scopes = 0;
    scan->no_memory = false;
    scan->status = MS_OK;
    scan->err = err;
    struct inside inside = look_inside(scan);
    while (p = pass_quickly(unit, p, inside), p.at < n) {
        p.start = p.at;
        uint64_t code = bytes[p.at++];
        if (code == 0) { /* the end of some DIE's children */
            if (p.depth <= 1)
                break;
            if (inside.depth >= p.depth)
                inside = close_scopes(scan, p.depth);
            p.depth--;
            continue;
        }
        if (code >= 0x80) {
            struct long_code read = read_long_code(unit, p.start);
            code = read.code;
            p.at = read.at;
        }
        const struct ms_abbrev *abbrev = ms_abbrev_find(table, code);
        if (!abbrev)
            return unknown_code(scan, unit, p.start, code);
        p.n_dies++;
        if (abbrev->kind == MS_DIE_PLAIN || (abbrev->kind == MS_DIE_INLINED && !inside.live)) {
            p.at = ms_pass_by(unit, bytes, n, p.at, abbrev, table->steps);
        } else {
            p.at = pass_scope(scan, unit, abbrev, p.at, p.start, p.depth);
            inside = look_inside(scan);
            if (scan->no_memory)
                break;
        }
        if (!abbrev->children && p.depth == 0)
            break;
        if (abbrev->children && ++p.depth > MS_MAX_DIE_DEPTH)
            return too_deep(scan, unit, p.start);
    }
    scan->n_dies += p.n_dies;
    scan->end = p.at;
    return finish(scan, unit, p.at > n, p.start);
}
