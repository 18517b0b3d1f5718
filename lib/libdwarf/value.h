/**
 * libdwarf/value.h: attribute values in words, as llvm-dwarfdump writes them between its
 * parentheses.
 */
#ifndef MS_LIBDWARF_VALUE_H
#define MS_LIBDWARF_VALUE_H

#include "base/arena.h"
#include "base/text.h"
#include "dwarf/line.h"
#include "dwarf/types.h"

/** What the values of a unit hang on. */
struct ms_values {
    struct ms_unit unit;
    uint32_t cputype;
    uint64_t loclists_base;
    struct ms_line_header line_header;
    struct ms_line_files files;
    bool has_files;
    struct ms_types types;
    uint64_t ranges_budget;
    /* Names of types and functions, by the DIE they are of: each is referred to many times. */
    struct ms_arena names_arena;
    struct ms_value_name {
        uint64_t key; /* twice its offset, plus one for a function's; 0 = empty */
        const char *text;
        size_t n;
    } *names;
};

/** Zeroes it. */
enum ms_status ms_values_init(struct ms_values *values, struct ms_dwarf *dwarf, uint32_t cputype,
                              struct ms_error *err);
void ms_values_fini(struct ms_values *values);
/** Prepares for the unit at `off` of .debug_info, or of .debug_types. */
enum ms_status ms_values_open(struct ms_values *values, bool in_types, uint64_t off,
                              struct ms_error *err);

/** One attribute of a DIE. */
struct ms_attribute {
    uint64_t number;
    struct ms_value value;
    struct ms_bytes block; /* of a block form */
    uint64_t low;          /* DW_AT_low_pc of the DIE, for DW_AT_high_pc … */
    bool has_low;          /* … when it has one */
};

/** Appends the value; lists go on lines of their own, indented by `indent` columns. */
void ms_value_text(struct ms_values *values, const struct ms_attribute *attribute, unsigned indent,
                   struct ms_text *text);

#endif
