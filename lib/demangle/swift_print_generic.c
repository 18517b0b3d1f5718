/* Generic parameters, signatures, requirements, associated and opaque types, conformances. */
#include "demangle/swift_print.h"

enum { SHOWN_PARAMS = 128 }; /* of one depth; then "..." */

/* A, B, …, Z, AB, …; then the depth, if there is one. */
static void print_param_name(struct ms_swift_printer *p, uint64_t depth, uint64_t index)
{
    do {
        ms_swift_putc(p, (char)('A' + index % 26));
        index /= 26;
    } while (index);
    if (depth)
        ms_swift_print_number(p, depth);
}

static void print_param(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *depth = ms_swift_kid(node, 0), *index = ms_swift_kid(node, 1);
    if (depth && index && depth->has_index && index->has_index)
        print_param_name(p, depth->index, index->index);
    else
        p->bad = true;
}

/*
 * Is the parameter said to be a pack (or a value)? The reference compares depth and index
 * crosswise, so that it knows the first parameter alone; its output is what people compare with.
 */
static bool is_marked(ms_swift_tree *signature, uint32_t from, uint32_t to,
                      enum ms_swift_kind marker, uint64_t depth, uint64_t index)
{
    for (uint32_t i = from; i < to; i++) {
        ms_swift_tree *child = signature->child[i];
        if (ms_swift_is(child, MS_SWIFT_TYPE))
            child = ms_swift_kid(child, 0);
        ms_swift_tree *type = ms_swift_kid(child, 0);
        ms_swift_tree *param = ms_swift_kid(type, 0);
        if (!ms_swift_is(child, marker) || !ms_swift_is(param, MS_SWIFT_DEPENDENT_GENERIC_PARAM))
            continue;
        ms_swift_tree *a = ms_swift_kid(param, 0), *b = ms_swift_kid(param, 1);
        if (a && b && a->has_index && b->has_index && a->index == index && b->index == depth)
            return true;
    }
    return false;
}

static bool is_marker(ms_swift_tree *node)
{
    if (ms_swift_is(node, MS_SWIFT_TYPE))
        node = ms_swift_kid(node, 0);
    return ms_swift_is(node, MS_SWIFT_DEPENDENT_GENERIC_PARAM_PACK_MARKER) ||
           ms_swift_is(node, MS_SWIFT_DEPENDENT_GENERIC_PARAM_VALUE_MARKER);
}

static void print_signature(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t n = ms_swift_n_children(node), depths = 0, markers;
    while (depths < n && node->child[depths]->kind == MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT)
        depths++;
    for (markers = depths; markers < n && is_marker(node->child[markers]);)
        markers++;
    MS_PUT(p, "<");
    for (uint32_t depth = 0; depth < depths; depth++) {
        ms_swift_tree *count = node->child[depth];
        if (depth)
            MS_PUT(p, "><");
        for (uint64_t i = 0; count->has_index && i < count->index && !p->bad; i++) {
            if (i)
                MS_PUT(p, ", ");
            if (i >= SHOWN_PARAMS) {
                MS_PUT(p, "...");
                break;
            }
            if (is_marked(node, depths, markers, MS_SWIFT_DEPENDENT_GENERIC_PARAM_PACK_MARKER,
                          depth, i))
                MS_PUT(p, "each ");
            if (is_marked(node, depths, markers, MS_SWIFT_DEPENDENT_GENERIC_PARAM_VALUE_MARKER,
                          depth, i))
                MS_PUT(p, "let ");
            print_param_name(p, depth, i);
        }
    }
    if (markers < n && !p->simplified) {
        MS_PUT(p, " where ");
        ms_swift_print_children(p, node, markers, ", ");
    }
    MS_PUT(p, ">");
}

static const char *layout_name(ms_swift_tree *letter)
{
    switch (letter && letter->has_text && letter->n == 1 ? letter->text[0] : 0) {
    case 'U':
        return "_UnknownLayout";
    case 'R':
        return "_RefCountedObject";
    case 'N':
        return "_NativeRefCountedObject";
    case 'C':
        return "AnyObject";
    case 'D':
        return "_NativeClass";
    case 'T':
    case 'E':
    case 'e':
        return "_Trivial";
    case 'M':
    case 'm':
        return "_TrivialAtMost";
    case 'S':
        return "_TrivialStride";
    case 'B':
        return "_BridgeObject";
    default:
        return NULL;
    }
}

static void print_layout(struct ms_swift_printer *p, ms_swift_tree *node)
{
    const char *name = layout_name(ms_swift_kid(node, 1));
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    MS_PUT(p, ": ");
    if (!name) {
        p->bad = true;
        return;
    }
    ms_swift_puts(p, name);
    if (ms_swift_n_children(node) > 2) {
        MS_PUT(p, "(");
        ms_swift_print_children(p, node, 2, ", ");
        MS_PUT(p, ")");
    }
}

static void print_inverse(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *bit = ms_swift_kid(node, 1);
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    if (!bit || !bit->has_index) {
        p->bad = true;
    } else if (bit->index == 0) {
        MS_PUT(p, ": ~Swift.Copyable");
    } else if (bit->index == 1) {
        MS_PUT(p, ": ~Swift.Escapable");
    } else {
        MS_PUT(p, ": ~Swift.<bit ");
        ms_swift_print_number(p, bit->index);
        MS_PUT(p, ">");
    }
}

static void print_pair(struct ms_swift_printer *p, ms_swift_tree *node, const char *between)
{
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    ms_swift_puts(p, between);
    ms_swift_print_node(p, ms_swift_kid(node, 1));
}

static void print_generic_type(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    if (ms_swift_needs_blank(ms_swift_kid(node, 1)))
        MS_PUT(p, " ");
    ms_swift_print_node(p, ms_swift_kid(node, 1));
}

static void print_associated_ref(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (ms_swift_n_children(node) > 1) {
        ms_swift_print_node(p, node->child[1]);
        MS_PUT(p, ".");
    }
    ms_swift_print_node(p, ms_swift_kid(node, 0));
}

/* ---- conformances ------------------------------------------------------------------------ */

static void print_conformance(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    if (p->simplified)
        return;
    MS_PUT(p, " : ");
    ms_swift_print_node(p, ms_swift_kid(node, 1));
    MS_PUT(p, " in ");
    ms_swift_print_node(p, ms_swift_kid(node, 2));
}

static void print_concrete_conformance(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *conditions = ms_swift_kid(node, 2);
    MS_PUT(p, "concrete protocol conformance ");
    print_pair(p, node, " to ");
    if (conditions && ms_swift_n_children(conditions)) {
        MS_PUT(p, " with conditional requirements: ");
        ms_swift_print_node(p, conditions);
    }
}

static void print_dependent_conformance(struct ms_swift_printer *p, ms_swift_tree *node,
                                        const char *which, const char *between)
{
    ms_swift_tree *index = ms_swift_kid(node, 2);
    MS_PUT(p, "dependent ");
    ms_swift_puts(p, which);
    MS_PUT(p, " protocol conformance ");
    if (index && index->has_index) {
        MS_PUT(p, "#");
        ms_swift_print_number(p, index->index + 1);
        MS_PUT(p, " ");
    }
    print_pair(p, node, between);
}

static bool print_any_conformance(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_PROTOCOL_CONFORMANCE:
        print_conformance(p, node);
        return true;
    case MS_SWIFT_CONCRETE_PROTOCOL_CONFORMANCE:
        print_concrete_conformance(p, node);
        return true;
    case MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE:
        MS_PUT(p, "protocol conformance ref (type's module) ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    case MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE:
        MS_PUT(p, "protocol conformance ref (protocol's module) ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    case MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_OTHER_MODULE:
        MS_PUT(p, "protocol conformance ref (retroactive) ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    case MS_SWIFT_ANY_PROTOCOL_CONFORMANCE_LIST:
        if (ms_swift_n_children(node)) {
            MS_PUT(p, "(");
            ms_swift_print_children(p, node, 0, ", ");
            MS_PUT(p, ")");
        }
        return true;
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ROOT:
        print_dependent_conformance(p, node, "root", " to ");
        return true;
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED:
        print_dependent_conformance(p, node, "inherited", " to ");
        return true;
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED:
        print_dependent_conformance(p, node, "associated", " to ");
        return true;
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_OPAQUE:
        MS_PUT(p, "opaque result conformance ");
        print_pair(p, node, " of ");
        return true;
    case MS_SWIFT_PACK_PROTOCOL_CONFORMANCE:
        MS_PUT(p, "pack protocol conformance ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    case MS_SWIFT_DEPENDENT_ASSOCIATED_CONFORMANCE:
        MS_PUT(p, "dependent associated conformance ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    case MS_SWIFT_RETROACTIVE_CONFORMANCE:
        MS_PUT(p, "retroactive @ ");
        ms_swift_print_children(p, node, 0, "");
        return true;
    default:
        return false;
    }
}

bool ms_swift_print_generic(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_DEPENDENT_GENERIC_PARAM:
        print_param(p, node);
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE:
    case MS_SWIFT_DEPENDENT_PSEUDOGENERIC_SIGNATURE:
        print_signature(p, node);
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_TYPE:
        print_generic_type(p, node);
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT:
        print_pair(p, node, ": ");
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT:
        print_pair(p, node, " == ");
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_SAME_SHAPE_REQUIREMENT:
        print_pair(p, node, ".shape == ");
        MS_PUT(p, ".shape");
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_LAYOUT_REQUIREMENT:
        print_layout(p, node);
        return true;
    case MS_SWIFT_DEPENDENT_GENERIC_INVERSE_REQUIREMENT:
        print_inverse(p, node);
        return true;
    case MS_SWIFT_DEPENDENT_MEMBER_TYPE:
    case MS_SWIFT_ASSOCIATED_TYPE_REF:
        print_pair(p, node, ".");
        return true;
    case MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF:
        print_associated_ref(p, node);
        return true;
    case MS_SWIFT_ASSOC_TYPE_PATH:
        ms_swift_print_children(p, node, 0, ".");
        return true;
    case MS_SWIFT_OPAQUE_RETURN_TYPE:
        MS_PUT(p, "some");
        return true;
    case MS_SWIFT_OPAQUE_RETURN_TYPE_OF:
        MS_PUT(p, "<<opaque return type of ");
        ms_swift_print_children(p, node, 0, "");
        MS_PUT(p, ">>");
        return true;
    case MS_SWIFT_OPAQUE_TYPE:
        print_pair(p, node, ".");
        return true;
    default:
        return print_any_conformance(p, node);
    }
}
