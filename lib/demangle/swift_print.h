/*
 * demangle/swift_print.h: what the files that print Swift names share.
 *
 * Printing recurses along the tree. Its depth and the number of nodes visited are bounded, as
 * shared nodes make the text of a short name as long as one likes; past a bound, and at a node
 * that lacks a child, the printer turns bad and the text is thrown away.
 */
#ifndef MS_DEMANGLE_SWIFT_PRINT_H
#define MS_DEMANGLE_SWIFT_PRINT_H

#include "demangle/swift.h"

struct ms_swift_printer {
    struct ms_text *out;
    struct ms_arena *arena; /* for names within the name */
    bool simplified, no_params, fold;
    bool specialized; /* "specialized " stands already: several passes are told as one */
    bool bad;
    unsigned depth, steps;
    unsigned nested; /* names within names within … */
};

/* Appends a literal. */
#define MS_PUT(p, literal) ms_text_add((p)->out, literal, sizeof(literal) - 1)

typedef const struct ms_swift_node ms_swift_tree;

/** Prints any node; NULL makes the printer bad. */
void ms_swift_print_node(struct ms_swift_printer *p, ms_swift_tree *node);
/**
 * Prints a node as the context of what follows it, "a.b" before ".c". Where that can't be, as
 * for functions with their types, prints nothing and returns the node, for " in …" later.
 */
ms_swift_tree *ms_swift_print_context(struct ms_swift_printer *p, ms_swift_tree *node);
/** Prints children from..n-1, with `separator` between them. */
void ms_swift_print_children(struct ms_swift_printer *p, ms_swift_tree *node, uint32_t from,
                             const char *separator);
void ms_swift_print_number(struct ms_swift_printer *p, uint64_t number);

/** The text of a node that has one; else the printer turns bad. */
static inline void ms_swift_print_text(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (node && node->has_text)
        ms_text_add(p->out, node->text, node->n);
    else
        p->bad = true;
}

static inline ms_swift_tree *ms_swift_kid(ms_swift_tree *node, uint32_t i)
{
    return node ? ms_swift_child(node, i) : NULL;
}

static inline bool ms_swift_is(ms_swift_tree *node, enum ms_swift_kind kind)
{
    return node && node->kind == kind;
}

/** The first child of that kind, or NULL. */
ms_swift_tree *ms_swift_kid_of(ms_swift_tree *node, enum ms_swift_kind kind);

/* ---- the parts; each prints what it knows and returns false for other kinds ---- */

/** Declarations. With `prefix`, *later is what ms_swift_print_context returns. */
bool ms_swift_print_entity(struct ms_swift_printer *p, ms_swift_tree *node, bool prefix,
                           ms_swift_tree **later);
bool ms_swift_print_type(struct ms_swift_printer *p, ms_swift_tree *node);
bool ms_swift_print_impl(struct ms_swift_printer *p, ms_swift_tree *node);
bool ms_swift_print_generic(struct ms_swift_printer *p, ms_swift_tree *node);
bool ms_swift_print_thunk(struct ms_swift_printer *p, ms_swift_tree *node);
bool ms_swift_print_spec(struct ms_swift_printer *p, ms_swift_tree *node);

/** A function type with the labels of its parameters (NULL: those of the type itself). */
void ms_swift_print_function_type(struct ms_swift_printer *p, ms_swift_tree *labels,
                                  ms_swift_tree *type);
/** @differentiable in one of its forms. */
void ms_swift_print_differentiability(struct ms_swift_printer *p, ms_swift_tree *node);
/** True when a type needs a blank between it and the name before it. */
bool ms_swift_needs_blank(ms_swift_tree *type);

#endif
