/**
 * runtime/objc.h: where a symbol names a class of another image.
 */
#ifndef MS_RUNTIME_OBJC_H
#define MS_RUNTIME_OBJC_H

#include "machsym/runtime.h"
#include "runtime/metadata.h"

/** "X" of "_OBJC_CLASS_$_X"; NULL for other symbols. */
const char *ms_objc_class_of_symbol(const char *symbol);

/** A class's name as in its metadata, borrowed; NULL when it can't be read. */
const char *ms_objc_class_name(struct ms_metadata *m, uint64_t class_vm);

#endif
