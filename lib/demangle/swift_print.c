/* Printing the tree of a Swift name: the way through it, and what is printed nowhere else. */
#include "demangle/swift_print.h"

#include <string.h>

/* Between the printer's own three pointers and the text that they point into. */
static void take_room(struct ms_swift_printer *p)
{
    p->start = p->out->at;
    p->at = p->start + p->out->n;
    p->end = p->start + p->out->room - 1;
}

static void give_back(struct ms_swift_printer *p)
{
    p->out->n = ms_swift_mark(p);
    *p->at = 0;
}

bool ms_swift_grow(struct ms_swift_printer *p, size_t n)
{
    give_back(p);
    bool good = ms_text_reserve(p->out, n);
    take_room(p);
    if (!good)
        p->bad = p->too_large = true;
    return good;
}

void ms_swift_print_number(struct ms_swift_printer *p, uint64_t number)
{
    char digits[20];
    size_t n = sizeof digits;
    do
        digits[--n] = (char)('0' + number % 10);
    while (number /= 10);
    ms_swift_put(p, digits + n, sizeof digits - n);
}

ms_swift_tree *ms_swift_kid_of(ms_swift_tree *node, enum ms_swift_kind kind)
{
    for (uint32_t i = 0; i < ms_swift_n_children(node); i++)
        if (node->child[i]->kind == kind)
            return node->child[i];
    return NULL;
}

void ms_swift_print_children(struct ms_swift_printer *p, ms_swift_tree *node, uint32_t from,
                             const char *separator)
{
    if (!node) {
        p->bad = true;
        return;
    }
    uint32_t n = ms_swift_n_children(node);
    for (uint32_t i = from; i < n && !p->bad; i++) {
        if (i > from)
            ms_swift_puts(p, separator);
        ms_swift_print_node(p, node->child[i]);
    }
}

/* ---- the whole name ---------------------------------------------------------------------- */

static void print_suffix(struct ms_swift_printer *p, ms_swift_tree *node)
{
    static const char escaped[] = "\"\\\n\t\r";
    static const char letters[] = "\"\\ntr";
    if (p->simplified)
        return;
    MS_PUT(p, " with unmangled suffix \"");
    for (uint32_t i = 0; node->has_text && i < node->n; i++) {
        const char *special = node->text[i] ? strchr(escaped, node->text[i]) : NULL;
        if (special)
            ms_swift_putc(p, '\\');
        ms_swift_putc(p, special ? letters[special - escaped] : node->text[i]);
    }
    MS_PUT(p, "\"");
}

/* Thunks that do no more than to call one function. */
static ms_swift_tree *called(ms_swift_tree *node)
{
    for (;;) {
        switch (node->kind) {
        case MS_SWIFT_CURRY_THUNK:
        case MS_SWIFT_DISPATCH_THUNK:
        case MS_SWIFT_VTABLE_THUNK:
        case MS_SWIFT_PROTOCOL_SELF_CONFORMANCE_WITNESS:
            if (!ms_swift_n_children(node))
                return node;
            node = node->child[0];
            break;
        default:
            return node;
        }
    }
}

/* One node down. False when a bound is reached; to be paired with leave() when true. */
static bool enter(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (p->depth >= MS_SWIFT_DEPTH || p->steps >= p->most_steps)
        p->bad = p->too_large = true;
    if (!node)
        p->bad = true;
    if (p->bad)
        return false;
    p->depth++;
    p->steps++;
    return true;
}

/* A partial application with what it forwards to inside. */
static bool forwards(ms_swift_tree *node)
{
    return (node->kind == MS_SWIFT_PARTIAL_APPLY_FORWARDER ||
            node->kind == MS_SWIFT_PARTIAL_APPLY_OBJC_FORWARDER) &&
           ms_swift_n_children(node);
}

/* What was done to a function stands before it, a partial application around all the rest. */
static void print_global(struct ms_swift_printer *p, ms_swift_tree *node)
{
    bool alone = true; /* whatever is said of a function, there must be one */
    for (uint32_t i = 0; p->fold && i < ms_swift_n_children(node); i++)
        if (forwards(node->child[i]) ||
            (!(ms_swift_flags[node->child[i]->kind] & MS_SWIFT_ATTRIBUTE) &&
             node->child[i]->kind != MS_SWIFT_SUFFIX))
            alone = false;
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        ms_swift_tree *child = node->child[i];
        bool attribute = ms_swift_flags[child->kind] & MS_SWIFT_ATTRIBUTE;
        if (!p->fold)
            ms_swift_print_node(p, child);
        else if (forwards(child)) {
            if (enter(p, child)) {
                print_global(p, child);
                p->depth--;
            }
        } else if (!attribute && child->kind != MS_SWIFT_SUFFIX)
            ms_swift_print_node(p, called(child));
        else if (alone)
            ms_swift_print_node(p, child);
    }
}

/* ---- names ------------------------------------------------------------------------------- */

/* The discriminator tells private namesakes of several files apart; people know neither. */
static void print_private_name(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *name = ms_swift_kid(node, 1);
    if (p->simplified) {
        if (name)
            ms_swift_print_node(p, name);
        return;
    }
    MS_PUT(p, "(");
    if (name) {
        ms_swift_print_node(p, name);
        MS_PUT(p, " ");
    }
    MS_PUT(p, "in ");
    ms_swift_print_text(p, ms_swift_kid(node, 0));
    MS_PUT(p, ")");
}

static void print_local_name(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *number = ms_swift_kid(node, 0);
    ms_swift_print_node(p, ms_swift_kid(node, 1));
    MS_PUT(p, " #");
    if (number && number->has_index)
        ms_swift_print_number(p, number->index + 1);
    else
        p->bad = true;
}

static void print_operator(struct ms_swift_printer *p, ms_swift_tree *node, const char *fixity)
{
    ms_swift_print_text(p, node);
    ms_swift_puts(p, fixity);
}

static bool print_name(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_IDENTIFIER:
        ms_swift_print_text(p, node);
        return true;
    case MS_SWIFT_MODULE:
        if (!p->simplified)
            ms_swift_print_text(p, node);
        return true;
    case MS_SWIFT_LOCAL_DECL_NAME:
        print_local_name(p, node);
        return true;
    case MS_SWIFT_PRIVATE_DECL_NAME:
        print_private_name(p, node);
        return true;
    case MS_SWIFT_RELATED_ENTITY_DECL_NAME:
        MS_PUT(p, "related decl '");
        ms_swift_print_text(p, ms_swift_kid(node, 0));
        MS_PUT(p, "' for ");
        ms_swift_print_node(p, ms_swift_kid(node, 1));
        return true;
    case MS_SWIFT_INFIX_OPERATOR:
        print_operator(p, node, " infix");
        return true;
    case MS_SWIFT_PREFIX_OPERATOR:
        print_operator(p, node, " prefix");
        return true;
    case MS_SWIFT_POSTFIX_OPERATOR:
        print_operator(p, node, " postfix");
        return true;
    case MS_SWIFT_NUMBER:
    case MS_SWIFT_INDEX:
    case MS_SWIFT_INTEGER:
        ms_swift_print_number(p, node->has_index ? node->index : 0);
        return true;
    case MS_SWIFT_NEGATIVE_INTEGER:
        MS_PUT(p, "-");
        ms_swift_print_number(p, node->has_index ? 0 - node->index : 0);
        return true;
    case MS_SWIFT_NONE: /* a declaration without a name */
    case MS_SWIFT_LABEL_LIST:
    case MS_SWIFT_UNKNOWN_INDEX:
    case MS_SWIFT_EMPTY_LIST:
        return true; /* labels are printed with their types */
    default:
        return false;
    }
}

/* ---- the way ----------------------------------------------------------------------------- */

static void print_phrase(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_put(p, ms_swift_phrases[node->kind], ms_swift_phrase_bytes[node->kind]);
    /* Of operations on values a copy and a consume alone are told with their signature. */
    if ((node->kind >= MS_SWIFT_OUTLINED_RETAIN && node->kind <= MS_SWIFT_OUTLINED_ENUM_GET_TAG) ||
        node->kind == MS_SWIFT_ANONYMOUS_DESCRIPTOR)
        ms_swift_print_node(p, ms_swift_kid(node, 0));
    else
        ms_swift_print_children(p, node, 0, "");
}

/*
 * Half of all that is printed are types by their plain name: module.name. Does the same as
 * ms_swift_print_entity, without asking all that it asks. False for any other node.
 */
static bool print_plain_type(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (node->kind < MS_SWIFT_CLASS || node->kind > MS_SWIFT_OTHER_NOMINAL_TYPE || node->n != 2)
        return false;
    ms_swift_tree *module = node->child[0], *name = node->child[1];
    if (module->kind != MS_SWIFT_MODULE || name->kind != MS_SWIFT_IDENTIFIER || p->bad)
        return false;
    if (!p->simplified && module->n) {
        ms_swift_print_text(p, module);
        MS_PUT(p, ".");
    }
    ms_swift_print_text(p, name);
    return true;
}

/* What the kinds between two have in common is who prints them; swift_node.h lists them so. */
static bool print_by_group(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *later;
    unsigned kind = node->kind;
    if (kind < MS_SWIFT_TYPE)
        return print_name(p, node) || ms_swift_print_entity(p, node, false, &later);
    if (kind == MS_SWIFT_BOUND_GENERIC_FUNCTION)
        return ms_swift_print_entity(p, node, false, &later);
    if (kind <= MS_SWIFT_BOUND_GENERIC_TYPE_ALIAS)
        return kind == MS_SWIFT_INTEGER || kind == MS_SWIFT_NEGATIVE_INTEGER
                   ? print_name(p, node)
                   : ms_swift_print_type(p, node);
    if (kind < MS_SWIFT_IMPL_FUNCTION_TYPE || kind == MS_SWIFT_DEPENDENT_PSEUDOGENERIC_SIGNATURE)
        return ms_swift_print_generic(p, node);
    if (kind < MS_SWIFT_OBJC_ATTRIBUTE)
        return ms_swift_print_impl(p, node);
    if (kind < MS_SWIFT_CURRY_THUNK)
        return ms_swift_print_spec(p, node);
    return ms_swift_print_thunk(p, node);
}

void ms_swift_print_node(struct ms_swift_printer *p, ms_swift_tree *node)
{
    while (ms_swift_is(node, MS_SWIFT_TYPE))
        node = ms_swift_kid(node, 0);
    if (!enter(p, node))
        return;
    if (print_plain_type(p, node)) {
        p->depth--;
        return;
    }
    if (ms_swift_phrases[node->kind])
        print_phrase(p, node);
    else if (node->kind == MS_SWIFT_GLOBAL)
        print_global(p, node);
    else if (node->kind == MS_SWIFT_SUFFIX)
        print_suffix(p, node);
    else if (!print_by_group(p, node))
        p->bad = true; /* a node that can't stand here */
    p->depth--;
}

ms_swift_tree *ms_swift_print_context(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *later = NULL;
    if (ms_swift_is(node, MS_SWIFT_TYPE))
        node = ms_swift_kid(node, 0);
    if (!enter(p, node))
        return NULL;
    if (node->kind == MS_SWIFT_MODULE || print_plain_type(p, node)) {
        if (node->kind == MS_SWIFT_MODULE && !p->simplified)
            ms_swift_print_text(p, node);
        p->depth--;
        return NULL;
    }
    bool done = ms_swift_print_entity(p, node, true, &later);
    p->depth--;
    if (!done)
        ms_swift_print_node(p, node);
    return later;
}

enum ms_name_fault_kind ms_swift_print(struct ms_arena *arena, const struct ms_swift_node *root,
                                       unsigned style, struct ms_text *out)
{
    struct ms_swift_printer p = {
        .out = out,
        .arena = arena,
        .most_steps = out->max, /* a node that isn't printed costs as much as a byte */
        .simplified = style & MS_DEMANGLE_SIMPLIFIED,
        .no_params = style & MS_DEMANGLE_NO_PARAMS,
        .fold = style & MS_DEMANGLE_FOLD,
    };
    /* Room for nothing, and so for a NUL: from here on there is memory. */
    if (!ms_text_reserve(out, 0))
        return MS_NAME_TOO_LARGE;
    take_room(&p);
    ms_swift_print_node(&p, root);
    give_back(&p);
    if (!p.bad)
        return MS_NAME_FINE;
    return p.too_large ? MS_NAME_TOO_LARGE : MS_NAME_MALFORMED;
}
