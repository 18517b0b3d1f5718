/**
 * dwarf/abbrev.h: abbreviation tables, compiled for the pass that reads millions of DIEs.
 *
 * A declaration becomes a short program of steps. All that lies between two attributes of
 * interest is one step that skips, with every run of fixed-size values merged into one
 * number; most DIEs are passed by with a single addition.
 *
 * Tables are shared by their offset: all units of a dSYM mostly name the same one.
 * Source: DWARF 5 §7.5.3.
 */
#ifndef MS_DWARF_ABBREV_H
#define MS_DWARF_ABBREV_H

#include "base/error.h"
#include "dwarf/form.h"

enum ms_action {
    MS_ACT_END = 0,
    MS_ACT_NONE, /* a skip that is too long for one step */
    MS_ACT_LEB,
    MS_ACT_STRING,
    MS_ACT_BLOCK1,
    MS_ACT_BLOCK2,
    MS_ACT_BLOCK4,
    MS_ACT_BLOCK,
    MS_ACT_INDIRECT,
    MS_ACT_TAKE /* and up: the value becomes part MS_ACT_TAKE + n; see enum ms_die_part */
};

/** What is asked of a function's DIE, and of a unit's: where the code is, … */
enum ms_die_part {
    MS_LOW,
    MS_HIGH,
    MS_RANGES,
    MS_N_PCS, /* … and of a function alone what it is called, and from where */
    MS_LINKAGE = MS_N_PCS,
    MS_NAME,
    MS_ORIGIN,
    MS_SPECIFICATION,
    MS_ENTRY,
    MS_CALL_FILE,
    MS_CALL_LINE,
    MS_CALL_COLUMN,
    MS_N_PARTS
};

/** The part that an attribute is; MS_N_PARTS for all others. */
enum ms_die_part ms_part_of(uint64_t attribute);

/** Skip so many bytes, then act. The constant of an implicit value that is taken fills the
 *  two steps that follow it. */
struct ms_step {
    uint16_t skip;
    uint8_t action;
    uint8_t form;
};

enum ms_die_kind {
    MS_DIE_PLAIN = 0,
    MS_DIE_DECLARATION, /* a subprogram without code; only told apart when it has children */
    MS_DIE_FUNCTION,    /* a subprogram with code */
    MS_DIE_INLINED
};

#define MS_NO_PROGRAM UINT32_MAX

struct ms_abbrev {
    struct ms_step first; /* of the program that passes the DIE by: mostly the only one */
    uint32_t skip;        /* index of that program's second step */
    uint32_t watch;       /* of the program that takes MS_LOW to MS_RANGES: FUNCTION, INLINED */
    uint32_t describe;    /* of the one that takes all parts and ends after the last: these and
                             all other subprograms; MS_NO_PROGRAM for the rest */
    uint32_t specs_off;   /* of the attribute specifications, in the table's bytes */
    uint16_t tag;
    uint8_t kind; /* enum ms_die_kind */
    bool children;
};

/** How the pass moves on from a DIE, for what needs no thought. */
enum ms_quick_how {
    MS_QUICK_FIXED, /* so many bytes */
    MS_QUICK_LEB,   /* so many bytes, a LEB128, and the rest */
    MS_QUICK_BLOCK, /* so many bytes, a block with a length of one byte, and the rest */
    MS_QUICK_NOT    /* it needs thought */
};

/** What the pass must know of a DIE, by its code, in one load. */
struct ms_quick {
    uint16_t bytes; /* with the code, in one byte or, from 0x80 on, in two */
    uint16_t rest;
    uint8_t how;   /* enum ms_quick_how */
    int8_t deeper; /* 1: children follow; -1: code 0, the end of some */
    uint8_t dies;  /* 1; 0 for code 0 */
    uint8_t jump;  /* FIXED: `bytes`, LEB: MS_QUICK_JUMPS + `bytes`, as long as that is below
                      MS_QUICK_JUMPS; else 0 */
};

/** The largest code of two bytes. */
enum { MS_MAX_QUICK = 0x3fff, MS_QUICK_JUMPS = 32 };

struct ms_abbrevs {
    uint64_t off; /* in .debug_abbrev */
    struct ms_encoding encoding;
    struct ms_bytes bytes;   /* from there to the end of the section */
    struct ms_abbrev *items; /* item i has the code i + 1 … */
    size_t n, room;
    uint64_t *codes; /* … unless this is there: ascending, one an item */
    size_t codes_room;
    struct ms_step *steps;
    size_t n_steps, steps_room;
    /** For the codes 0 to n_quick - 1: how they are passed where inlined calls are looked at,
     *  and behind those, as many, where they are not. n_short of them have codes of one byte. */
    struct ms_quick *quick;
    size_t n_quick, n_short;
    /** The declarations up to a fault stay usable; this says what was wrong after them.
     *  NULL when all is well. */
    struct ms_error *fault;
};

/** The tables compiled so far. */
struct ms_abbrev_cache {
    struct ms_bytes section;
    bool big;
    const char *where; /* of the image; borrowed */
    struct ms_abbrevs **tables;
    size_t n, room;
    size_t *slots; /* hash of offset and encoding -> index + 1 */
    size_t n_slots;
    /** Bytes that may still be compiled. Honest units name each byte once; a file whose
     *  units name every offset of a long table would cost its square. */
    uint64_t left;
};

void ms_abbrev_cache_init(struct ms_abbrev_cache *cache, struct ms_bytes section, bool big,
                          const char *where);
void ms_abbrev_cache_fini(struct ms_abbrev_cache *cache);

/**
 * The table at `off`, compiled for units of that encoding. Borrowed from the cache.
 * @return MS_E_FORMAT (outside the section, or broken before its first declaration ended),
 *         MS_E_LIMIT, MS_E_NOMEM
 */
enum ms_status ms_abbrev_cache_find(struct ms_abbrev_cache *cache, uint64_t off,
                                    const struct ms_encoding *encoding,
                                    const struct ms_abbrevs **out, struct ms_error *err);

const struct ms_abbrev *ms_abbrev_find_sparse(const struct ms_abbrevs *table, uint64_t code);

/** The declaration of that code; NULL when there is none. */
static inline const struct ms_abbrev *ms_abbrev_find(const struct ms_abbrevs *table, uint64_t code)
{
    if (table->codes)
        return ms_abbrev_find_sparse(table, code);
    return code - 1 < table->n ? &table->items[code - 1] : NULL;
}

/** One attribute specification as it stands. */
struct ms_spec {
    uint64_t attribute;
    uint8_t form; /* normalised */
    int64_t implicit;
};

/** Reads a specification; false at the end of the list (or at a fault: the cursor is bad). */
bool ms_spec_next(struct ms_cursor *specs, struct ms_spec *out);

/** A cursor over the specifications of a declaration. */
static inline struct ms_cursor ms_abbrev_specs(const struct ms_abbrevs *table,
                                               const struct ms_abbrev *abbrev)
{
    struct ms_cursor c = ms_cursor_over(table->bytes, table->encoding.big);
    ms_cursor_seek(&c, abbrev->specs_off);
    return c;
}

#endif
