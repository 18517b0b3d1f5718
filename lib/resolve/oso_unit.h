/**
 * resolve/oso_unit.h: one object file of a debug map, opened: where its symbols are, and the
 * reader of its DWARF.
 */
#ifndef MS_RESOLVE_OSO_UNIT_H
#define MS_RESOLVE_OSO_UNIT_H

#include "resolve/dwarf_load.h"
#include "resolve/objects.h"

struct ms_oso_unit {
    size_t key;            /* the number of its first symbol in the debug map */
    enum ms_status status; /* of opening it; MS_ABSENT also for one that can't be used */
    enum ms_why why;       /* what its frames say when it could not be opened */
    struct ms_error error; /* status MS_OK: nothing to tell */
    bool told;             /* the error was handed out */
    uint64_t asked;        /* the number of the last look-up that needed it */
    struct ms_object object;
    struct ms_loaded_dwarf dwarf;
    uint64_t *budget; /* of symbol table entries that may still be read; NULL = no bound */
    unsigned n_scans; /* of the symbol table, before it was indexed */
    bool indexed;
    struct ms_index by_name;
};

/** Opens object and DWARF. What fails is in unit->status, why and error; MS_E_NOMEM is returned. */
enum ms_status ms_oso_unit_open(struct ms_oso_unit *unit, struct ms_object_files *files,
                                const struct ms_object_request *request, struct ms_error *err);
void ms_oso_unit_fini(struct ms_oso_unit *unit);

/** Marks a unit whose file was truncated under us: nothing of it is believed from now on. */
void ms_oso_unit_spoil(struct ms_oso_unit *unit);

/**
 * The address of a defined symbol of the object: one of that name, or one that ThinLTO gave
 * a suffix (".llvm.1234"). Of several the last, as dsymutil has it. MS_ABSENT, MS_E_NOMEM,
 * MS_E_LIMIT when the budget is used up.
 */
enum ms_status ms_oso_unit_symbol(struct ms_oso_unit *unit, const char *name, uint64_t *vm);

#endif
