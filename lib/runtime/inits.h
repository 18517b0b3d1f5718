/**
 * runtime/inits.h: the list of initialisers while it is made.
 */
#ifndef MS_RUNTIME_INITS_H
#define MS_RUNTIME_INITS_H

#include "base/arena.h"
#include "macho/fixups.h"
#include "machsym/inits.h"

enum {
    MS_MAX_INITS = 1 << 20,  /* real: 20,000 in the largest browsers */
    MS_MAX_INIT_FAULTS = 256 /* told one by one; the others share the last */
};

struct ms_init_list {
    const struct ms_macho *macho;
    struct ms_fixups *fixups;
    struct ms_inits *out;
    size_t room;
    struct ms_arena arena; /* faults and joined names */
    size_t n_faults;
    const struct ms_error *last_fault;
    uint64_t steps; /* methods that may still be read: lists may lie on each other */
};

/** Appends. @return MS_E_NOMEM, MS_E_LIMIT */
enum ms_status ms_init_list_add(struct ms_init_list *list, const struct ms_init *init,
                                struct ms_error *err);
/** A copy of the fault that lives as long as the list; NULL without memory. */
const struct ms_error *ms_init_list_fault(struct ms_init_list *list, const struct ms_error *fault);
/** What an address of code says once the Thumb bit is gone. */
uint64_t ms_init_code_address(const struct ms_macho *macho, uint64_t vm);

/**
 * Appends +load of the classes of the section __objc_nlclslist (superclasses first), and of the
 * categories of __objc_nlcatlist. Entries that can't be read have a fault.
 * @return MS_E_NOMEM, MS_E_LIMIT
 */
enum ms_status ms_init_list_classes(struct ms_init_list *list, const struct ms_section *section,
                                    struct ms_error *err);
enum ms_status ms_init_list_categories(struct ms_init_list *list, const struct ms_section *section,
                                       struct ms_error *err);

#endif
