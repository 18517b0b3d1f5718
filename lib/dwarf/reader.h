/**
 * dwarf/reader.h: what struct ms_dwarf holds. Private to the engine.
 */
#ifndef MS_DWARF_READER_H
#define MS_DWARF_READER_H

#include "dwarf/units.h"

struct ms_dwarf {
    /** As given, but the sections of strings are cut behind their last NUL, so that every
     *  offset into one starts a string with an end. */
    struct ms_dwarf_sections s;
    struct ms_abbrev_cache abbrevs;
    struct ms_unit_map units;
    struct ms_keep *keep; /* what ms_dwarf_find keeps; made by its first call */
    size_t max_kept;
    size_t n_workers; /* of ms_dwarf_find_many */
    struct ms_dwarf_hinter hinter; /* without a function there is none */
};

#endif
