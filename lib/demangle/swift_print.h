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

#include <string.h>

struct ms_swift_printer {
    /* The text so far is start..at, and may go on to end, where there is room for a NUL. */
    char *start, *at, *end;
    struct ms_text *out;    /* whose memory that is, and which is told of it at the end */
    struct ms_arena *arena; /* for names within the name */
    bool simplified, no_params, fold;
    bool specialized; /* "specialized " stands already: several passes are told as one */
    bool bad;
    bool too_large; /* bad for a bound that was reached */
    unsigned depth;
    size_t steps, most_steps;
    unsigned nested; /* names within names within … */
};

/** Makes room for n more bytes; false, with the printer bad, when that can't be. */
bool ms_swift_grow(struct ms_swift_printer *p, size_t n);

/** Copies n bytes; names are short, and a call costs as much as copying one. */
static inline void ms_swift_copy(char *to, const char *from, size_t n)
{
    if (n > 16) {
        memcpy(to, from, n);
    } else if (n >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + n - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + n - 8, &last, 8);
    } else if (n >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + n - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + n - 4, &last, 4);
    } else {
        for (size_t i = 0; i < n; i++)
            to[i] = from[i];
    }
}

static inline void ms_swift_put(struct ms_swift_printer *p, const char *text, size_t n)
{
    if ((size_t)(p->end - p->at) < n && !ms_swift_grow(p, n))
        return;
    ms_swift_copy(p->at, text, n);
    p->at += n;
}

/* Appends a literal. */
#define MS_PUT(p, literal)                                                                         \
    do {                                                                                           \
        if ((size_t)((p)->end - (p)->at) >= sizeof(literal) - 1 ||                                 \
            ms_swift_grow(p, sizeof(literal) - 1)) {                                               \
            memcpy((p)->at, literal, sizeof(literal) - 1);                                         \
            (p)->at += sizeof(literal) - 1;                                                        \
        }                                                                                          \
    } while (0)

static inline void ms_swift_puts(struct ms_swift_printer *p, const char *text)
{
    ms_swift_put(p, text, strlen(text));
}

static inline void ms_swift_putc(struct ms_swift_printer *p, char c)
{
    ms_swift_put(p, &c, 1);
}

/** How much text there is, and going back to what was there before. */
static inline size_t ms_swift_mark(const struct ms_swift_printer *p)
{
    return (size_t)(p->at - p->start);
}

static inline void ms_swift_back_to(struct ms_swift_printer *p, size_t mark)
{
    p->at = p->start + mark;
}

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
        ms_swift_put(p, node->text, node->n);
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
