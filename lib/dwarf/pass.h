/**
 * dwarf/pass.h: passing DIEs by, for the loops that go over all of a unit.
 *
 * They read every byte of a unit, so their state is a plain index that the compiler can keep
 * in a register: `at` into bytes[0, n), which must be below n before a byte is read. Fixed
 * sizes are added unchecked, 64 KiB at most at a time; the next read then sees that `at` is
 * past the end.
 */
#ifndef MS_DWARF_PASS_H
#define MS_DWARF_PASS_H

#include "dwarf/unit.h"

static inline size_t ms_pass_leb(const uint8_t *bytes, size_t n, size_t at)
{
    while (at < n)
        if (!(bytes[at++] & 0x80))
            return at;
    return n + 1;
}

/* Moves past `size` bytes whose number the input gave. */
static inline size_t ms_pass_bytes(size_t n, size_t at, uint64_t size)
{
    return at <= n && size <= n - at ? at + (size_t)size : n + 1;
}

/** The rarer shapes of value, by way of a cursor. */
size_t ms_pass_rare(const struct ms_unit *unit, const struct ms_step *step, size_t at);

/** Passes a DIE by: `at` is behind its code. */
static inline size_t ms_pass_by(const struct ms_unit *unit, const uint8_t *bytes, size_t n,
                                size_t at, const struct ms_abbrev *abbrev,
                                const struct ms_step *steps)
{
    const struct ms_step *step = &abbrev->first, *next = steps + abbrev->skip;
    for (;; step = next++) {
        at += step->skip;
        if (step->action == MS_ACT_END)
            return at;
        if (step->action == MS_ACT_LEB)
            at = ms_pass_leb(bytes, n, at);
        else if (step->action == MS_ACT_BLOCK && at < n && bytes[at] < 0x80)
            at = ms_pass_bytes(n, at + 1, bytes[at]);
        else
            at = ms_pass_rare(unit, step, at);
    }
}

#endif
