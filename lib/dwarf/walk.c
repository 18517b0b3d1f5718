#include "dwarf/walk.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/pass.h"

#include <stdlib.h>

void ms_walk_start(struct ms_walk *walk, const struct ms_unit *unit, uint64_t off)
{
    *walk = (struct ms_walk){.unit = unit, .at = (size_t)off, .over = off >= unit->bytes.n};
}

static bool stop(struct ms_walk *walk, const char *fault)
{
    walk->over = true;
    walk->fault = fault;
    return false;
}

bool ms_walk_next(struct ms_walk *walk, struct ms_walk_die *out)
{
    const struct ms_unit *unit = walk->unit;
    if (walk->over)
        return false;
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, walk->at);
    out->off = walk->at;
    uint64_t code = ms_cursor_uleb(&c);
    if (c.bad)
        return stop(walk, walk->depth ? "the list of children has no end" : NULL);
    if (code == 0) {
        out->abbrev = NULL;
        out->depth = walk->depth;
        walk->at = (size_t)ms_cursor_offset(&c);
        if (walk->depth <= 1)
            walk->over = true;
        else
            walk->depth--;
        return walk->depth > 0;
    }
    out->abbrev = ms_abbrev_find(unit->abbrevs, code);
    if (!out->abbrev)
        return stop(walk, "no abbreviation has the code of the DIE");
    out->depth = walk->depth;
    walk->at = ms_pass_by(unit, unit->bytes.at, unit->bytes.n, (size_t)ms_cursor_offset(&c),
                          out->abbrev, unit->abbrevs->steps);
    if (walk->at > unit->bytes.n)
        return stop(walk, "DIE runs past its unit's end");
    if (out->abbrev->children && walk->depth == MS_MAX_DIE_DEPTH)
        return stop(walk, "DIEs nest too deep");
    walk->depth += out->abbrev->children;
    if (!walk->depth)
        walk->over = true;
    return true;
}

void ms_walk_over(struct ms_walk *walk, const struct ms_walk_die *die)
{
    struct ms_walk_die inner;
    while (!walk->over && walk->depth > die->depth)
        if (!ms_walk_next(walk, &inner))
            return;
}

/* ---- parents ------------------------------------------------------------------------------ */

void ms_families_fini(struct ms_families *families)
{
    free(families->items);
    memset(families, 0, sizeof *families);
}

bool ms_families_read(const struct ms_unit *unit, struct ms_families *out)
{
    struct ms_walk walk;
    struct ms_walk_die die;
    uint32_t open = MS_NO_FAMILY;
    if (unit->bytes.n > UINT32_MAX) /* of no use for its names; its DIEs can still be read */
        return true;
    ms_walk_start(&walk, unit, unit->header.root);
    while (ms_walk_next(&walk, &die)) {
        if (!die.abbrev) {
            out->items[open].end = (uint32_t)walk.at;
            open = out->items[open].parent;
            continue;
        }
        if (!die.abbrev->children)
            continue;
        struct ms_family item = {(uint32_t)die.off, (uint32_t)unit->bytes.n, open, die.abbrev->tag};
        if (!MS_PUSH(out->items, out->n, out->room, item))
            return false;
        open = (uint32_t)(out->n - 1);
    }
    return true;
}

const struct ms_family *ms_families_find(const struct ms_families *families, uint64_t off)
{
    size_t low = 0, high = families->n;
    while (low < high) { /* the first that doesn't start before it */
        size_t middle = low + (high - low) / 2;
        if (families->items[middle].off < off)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct ms_family *f = &families->items[low - 1];
    while (f->end <= off) {
        if (f->parent == MS_NO_FAMILY)
            return NULL;
        f = &families->items[f->parent];
    }
    return f;
}
