/*
 * common/names_ahead.h: the names of a symbol tree, made readable in several threads before the
 * writer of the tree asks for them.
 */
#ifndef MACHSYM_CLI_NAMES_AHEAD_H
#define MACHSYM_CLI_NAMES_AHEAD_H

#include "machsym/symbols.h"

struct names_ahead;

/*
 * Begins with the names of `tree`, and sets style->readable to them. NULL, with the style left as
 * it is, when that doesn't pay: few names, one processor, or names that the style doesn't want.
 */
struct names_ahead *names_ahead_start(const struct ms_symbol_tree *tree,
                                      struct ms_tree_style *style);
/* Ends it; takes NULL. */
void names_ahead_end(struct names_ahead *ahead);

#endif
