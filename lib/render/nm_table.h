/**
 * render/nm_table.h: the symbols that nm is to show, chosen and sorted, and what is known of
 * sections and libraries for naming them.
 */
#ifndef MS_RENDER_NM_TABLE_H
#define MS_RENDER_NM_TABLE_H

#include "base/bytes.h"
#include "base/error.h"
#include "machsym/nm.h"

enum {
    NM_SECTIONS = 256,  /* n_sect is one byte; 0 is none */
    NM_LIBRARIES = 253, /* so many ordinals; 0xfe and 0xff have meanings of their own */
    NM_SECTION_TEXT = 40
};

/* n_desc, as far as nm tells of it (mach-o/nlist.h). */
enum {
    NM_REFERENCE_TYPE = 0x7,
    NM_REFERENCED_DYNAMICALLY = 0x10,
    NM_NO_DEAD_STRIP = 0x20,
    NM_WEAK_REF = 0x40,
    NM_WEAK_DEF = 0x80,
    NM_SYMBOL_RESOLVER = 0x100,
    NM_COLD_FUNC = 0x400,
    NM_EXECUTABLE_ORDINAL = 0xff,
    NM_DYNAMIC_LOOKUP_ORDINAL = 0xfe
};
enum { NM_TWOLEVEL = 0x80 }; /* in the flags of the Mach-O header */

#define NM_BAD_NAME UINT32_MAX /* name_off of a name outside the string table */

/*
 * One symbol that is shown. All that a line needs but its value, so that the nlist entry, which
 * lies somewhere else after sorting, is touched once. `key` is what the sort is just at.
 */
struct nm_entry {
    uint64_t key;
    uint32_t index;    /* in the nlist table */
    uint32_t name_off; /* in the string table; NM_BAD_NAME */
    uint32_t length;   /* of the name */
    uint8_t type, sect;
    uint16_t desc;
};

struct nm_library {
    const char *path; /* NULL when the load command's name lies outside it */
    size_t path_bytes;
    const char *name; /* the short form */
    size_t name_bytes;
};

struct nm_table {
    const struct ms_macho *macho;
    const struct ms_nm_options *options;
    struct nm_entry *entries;
    size_t n;
    char letters[NM_SECTIONS];                   /* t, d, b or s */
    char sections[NM_SECTIONS][NM_SECTION_TEXT]; /* "(__TEXT,__text) " */
    struct nm_library libraries[NM_LIBRARIES];
    size_t n_libraries; /* may be more than are kept */

    /* A table may spell the same bytes any number of times: names of all entries, and their
     * readable forms, have a share of so many bytes each. */
    uint64_t name_budget, demangled_budget;
    bool names_cut, names_left_mangled;
    uint32_t n_bad_names, first_bad;
};

/* Everything but the order. MS_E_NOMEM; then there is nothing to free. */
enum ms_status nm_table_read(const struct ms_macho *macho, const struct ms_nm_options *options,
                             struct nm_table **out, struct ms_error *err);
void nm_table_free(struct nm_table *table);
/* Fills *err as ms_nm_write says. */
void nm_table_tell(const struct nm_table *table, struct ms_nm_result *out, struct ms_error *err);

/* Puts the entries into the order that the options ask for. */
void nm_table_sort(struct nm_table *table);
/* The i-th entry to show, `reverse` taken into account. */
static inline const struct nm_entry *nm_table_at(const struct nm_table *table, size_t i)
{
    return &table->entries[table->options->reverse ? table->n - 1 - i : i];
}

uint64_t nm_value(const struct nm_table *table, const struct nm_entry *entry);
/* n_strx as it stands. */
uint32_t nm_name_field(const struct nm_table *table, const struct nm_entry *entry);

/* `entry->length` bytes, with what is shown instead of a bad name. */
struct ms_bytes nm_name(const struct nm_table *table, const struct nm_entry *entry);
/* The name that an indirect symbol stands for; "?" when it lies outside. */
struct ms_bytes nm_indirect_name(struct nm_table *table, uint64_t value);

/* The library that an undefined symbol of a two-level image comes from, by its ordinal in
 * n_desc; NULL when that is none, a special one or out of range. */
const struct nm_library *nm_library(const struct nm_table *table, const struct nm_entry *entry);
/* Has the entry an ordinal at all? */
bool nm_has_ordinal(const struct nm_table *table, const struct nm_entry *entry, uint64_t value);
static inline unsigned nm_ordinal(const struct nm_entry *entry)
{
    return entry->desc >> 8;
}

static inline bool nm_is_stab(unsigned type)
{
    return type & MS_N_STAB;
}
static inline bool nm_is_undefined(unsigned type, uint64_t value)
{
    unsigned kind = type & MS_N_TYPE;
    return !nm_is_stab(type) && ((kind == MS_N_UNDF && value == 0) || kind == MS_N_PBUD);
}
/* What stands between address and name: "T", "u", "-", … */
char nm_letter(const struct nm_table *table, const struct nm_entry *entry, uint64_t value);
/* "FUN", or two hexadecimal digits in `room`. */
const char *nm_stab_name(unsigned type, char room[3]);

/* "libSystem" for "/usr/lib/libSystem.B.dylib", "Foundation" for a framework's path; the whole
 * when neither form fits. */
void nm_short_name(const char *path, size_t n, struct nm_library *out);

/* A readable name; false when it is none, or too long. `small` is used where it is enough. */
struct nm_readable {
    char small[2048];
    char *large; /* malloc'ed, or NULL */
    size_t room; /* of large */
    const char *at;
    size_t n;
};
bool nm_demangle(struct nm_table *table, struct ms_bytes name, struct nm_readable *out);

#endif
