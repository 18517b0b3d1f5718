/**
 * resolve/runtime_names.h: functions that the runtimes' metadata names: methods of Objective-C,
 * witnesses and metadata accessors of Swift. The names that are left in a stripped binary.
 */
#ifndef MS_RESOLVE_RUNTIME_NAMES_H
#define MS_RESOLVE_RUNTIME_NAMES_H

#include "machsym/macho.h"

struct ms_runtime_names;

struct ms_runtime_name {
    uint64_t start_vm;
    const char *name;      /* as long as the names */
    enum ms_source source; /* OBJC or SWIFT */
};

/**
 * Reads the metadata of a thin image. What is damaged of it names nothing.
 * @param macho  borrowed for as long as *out is used
 * @return MS_E_NOMEM
 */
enum ms_status ms_runtime_names_open(const struct ms_macho *macho, struct ms_runtime_names **out,
                                     struct ms_error *err);
void ms_runtime_names_close(struct ms_runtime_names *names); /* takes NULL */

/**
 * The i-th name of the function that starts at `start_vm`: code that a linker folded has several.
 * @return MS_OK, MS_ABSENT, MS_E_NOMEM
 */
enum ms_status ms_runtime_names_at(struct ms_runtime_names *names, uint64_t start_vm, size_t i,
                                   struct ms_runtime_name *out);

#endif
