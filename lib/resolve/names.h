/**
 * resolve/names.h: the symbol table of one part of an image, by name and by address, for
 * those who ask for more than the best name of an address. Built on first use; the table is
 * as long as an untrusted file makes it, and so is the list of questions.
 */
#ifndef MS_RESOLVE_NAMES_H
#define MS_RESOLVE_NAMES_H

#include "base/index.h"
#include "macho/records.h"
#include "machsym/macho.h"

/** Zeroed is empty. */
struct ms_names {
    bool by_name_ready, by_address_ready;
    struct ms_index by_name;      /* to the entry that a name means; each name once */
    struct ms_record *by_address; /* defined, named entries, in the table's order at each */
    size_t n_by_address;
};

void ms_names_fini(struct ms_names *names);

/**
 * The entry that a person means by `name`: a defined symbol called that, with or without
 * Mach-O's underscore; an external one before a local one.
 * @return MS_OK, MS_ABSENT, MS_E_NOMEM
 */
enum ms_status ms_names_find(struct ms_names *names, const struct ms_macho *macho, const char *name,
                             struct ms_nlist *out);

/** The i-th defined entry with a name at exactly that address; likewise. */
enum ms_status ms_names_at(struct ms_names *names, const struct ms_macho *macho,
                           uint64_t address_vm, size_t i, struct ms_nlist *out);

#endif
