/**
 * runtime/swift.h: the metadata of Swift while it is read.
 */
#ifndef MS_RUNTIME_SWIFT_H
#define MS_RUNTIME_SWIFT_H

#include "runtime/swift_context.h"

/** The symbol of a requirement that this image defines. */
struct ms_swift_symbol {
    uint64_t vm;
    const char *name; /* without Mach-O's underscore */
};

struct ms_swift_reader {
    struct ms_metadata *m;
    struct ms_swift_metadata *out;
    struct ms_swift_contexts contexts;
    size_t types_room, protocols_room, conformances_room, witnesses_room;
    bool symbols_ready; /* `…Tq` and the like, by address; read on first use */
    struct ms_swift_symbol *symbols;
    size_t n_symbols, symbols_room;
};

/** The end of a list, or of all: MS_E_NOMEM, MS_E_LIMIT. */
static inline bool ms_swift_is_end(enum ms_status status)
{
    return status == MS_E_NOMEM || status == MS_E_LIMIT;
}

/**
 * Append what a section lists. Entries that can't be read have a fault.
 * @return MS_OK, MS_E_LIMIT, MS_E_NOMEM
 */
enum ms_status ms_swift_read_types(struct ms_swift_reader *r, const struct ms_section *section,
                                   bool protocols, struct ms_error *err);
enum ms_status ms_swift_read_conformances(struct ms_swift_reader *r,
                                          const struct ms_section *section, struct ms_error *err);

/**
 * The symbol of the requirement of a protocol whose record is at `vm`; NULL when there is none.
 * @return false without memory
 */
bool ms_swift_requirement_symbol(struct ms_swift_reader *r, uint64_t vm, const char **out);

#endif
