/**
 * dwarf/expression.h: location expressions in words, as llvm-dwarfdump writes them.
 * Source: DWARF 5 §2.5, §7.7.1; registers: the ABI documents of each architecture, under
 * the names that LLVM gives them.
 */
#ifndef MS_DWARF_EXPRESSION_H
#define MS_DWARF_EXPRESSION_H

#include "base/text.h"
#include "dwarf/unit.h"

/** Appends the expression; broken bytes end it in "<decoding error>" and their values. */
void ms_expression_text(struct ms_bytes expression, const struct ms_unit *unit, uint32_t cputype,
                        struct ms_text *text);

#endif
