/**
 * runtime/swift_conform.h: what the name of a requirement's symbol says of it.
 */
#ifndef MS_RUNTIME_SWIFT_CONFORM_H
#define MS_RUNTIME_SWIFT_CONFORM_H

#include "machsym/runtime.h"

/**
 * The kind of requirement that a symbol (`…Tq`, `…Tl`, `…Tn`, `…Tb`) names, or that a witness
 * (`…TW`) meets.
 */
enum ms_swift_requirement ms_swift_kind_of_symbol(const char *symbol);

#endif
