/**
 * runtime/swift_context.h: context descriptors of Swift: what a type or protocol is called, with
 * the contexts that it is declared in.
 */
#ifndef MS_RUNTIME_SWIFT_CONTEXT_H
#define MS_RUNTIME_SWIFT_CONTEXT_H

#include "base/index.h"
#include "machsym/runtime.h"
#include "runtime/metadata.h"

enum { MS_SWIFT_KIND_MASK = 0x1f, MS_SWIFT_IS_GENERIC = 0x80, MS_SWIFT_HAS_IMPORT_INFO = 1 << 18 };

/** A context whose name is known. */
struct ms_swift_context {
    uint64_t vm;
    struct ms_swift_name name;
};

/** The names that were put together, so that each is once. Zeroed, but for m, is empty. */
struct ms_swift_contexts {
    struct ms_metadata *m;
    struct ms_swift_context *items;
    size_t n, room;
    struct ms_index by_vm;
};

void ms_swift_contexts_fini(struct ms_swift_contexts *contexts);

/**
 * The name of the context at `vm`. What can't be read of it is NULL, and *fault says why.
 * @return MS_OK; MS_E_FORMAT, MS_E_UNSUPPORTED, MS_E_LIMIT; MS_E_NOMEM
 */
enum ms_status ms_swift_context_name(struct ms_swift_contexts *contexts, uint64_t vm,
                                     struct ms_swift_name *out, struct ms_error *fault);

/** The name that a symbol of a descriptor (`…Mn`, `…Mp`, `…MXM`, `…Mc` no) tells. */
enum ms_status ms_swift_symbol_name(struct ms_swift_contexts *contexts, const char *symbol,
                                    struct ms_swift_name *out, struct ms_error *fault);

#endif
