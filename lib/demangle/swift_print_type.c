/* Types: functions, tuples, metatypes, existentials, packs, boxes, and the short forms of T?. */
#include "demangle/swift_print.h"

#include <string.h>

/* ---- parentheses ------------------------------------------------------------------------- */

/* Can a type stand before ?, .Type and the like as it is? */
static bool is_simple(ms_swift_tree *type)
{
    while (ms_swift_is(type, MS_SWIFT_TYPE))
        type = ms_swift_kid(type, 0);
    if (!type)
        return true;
    if (type->kind == MS_SWIFT_PROTOCOL_LIST)
        return !ms_swift_kid(type, 0) || ms_swift_n_children(ms_swift_kid(type, 0)) <= 1;
    if (type->kind == MS_SWIFT_PROTOCOL_LIST_WITH_ANY_OBJECT) {
        ms_swift_tree *list = ms_swift_kid(ms_swift_kid(type, 0), 0);
        return !list || !ms_swift_n_children(list);
    }
    return ms_swift_flags[type->kind] & MS_SWIFT_SIMPLE;
}

static void print_tight(struct ms_swift_printer *p, ms_swift_tree *type)
{
    bool simple = is_simple(type);
    if (!simple)
        MS_PUT(p, "(");
    ms_swift_print_node(p, type);
    if (!simple)
        MS_PUT(p, ")");
}

/* ---- function types ---------------------------------------------------------------------- */

static void print_parameters(struct ms_swift_printer *p, ms_swift_tree *labels,
                             ms_swift_tree *arguments)
{
    ms_swift_tree *type = ms_swift_kid(arguments, 0);
    while (ms_swift_is(type, MS_SWIFT_TYPE))
        type = ms_swift_kid(type, 0);
    if (!ms_swift_is(arguments, MS_SWIFT_ARGUMENT_TUPLE) || !type) {
        p->bad = true;
        return;
    }
    MS_PUT(p, "(");
    if (type->kind != MS_SWIFT_TUPLE) {
        if (p->simplified)
            MS_PUT(p, "_:");
        else
            ms_swift_print_node(p, type);
        MS_PUT(p, ")");
        return;
    }
    bool labelled = labels && ms_swift_n_children(labels);
    for (uint32_t i = 0; i < ms_swift_n_children(type) && !p->bad; i++) {
        ms_swift_tree *element = type->child[i];
        ms_swift_tree *label = labelled ? ms_swift_kid(labels, i)
                                        : ms_swift_kid_of(element, MS_SWIFT_TUPLE_ELEMENT_NAME);
        if (i && !p->simplified)
            MS_PUT(p, ", ");
        if (labelled || p->simplified) {
            if (label && label->has_text)
                ms_swift_print_text(p, label);
            else
                MS_PUT(p, "_");
            MS_PUT(p, ":");
            if (!p->simplified)
                MS_PUT(p, " ");
        }
        if (!p->simplified)
            ms_swift_print_node(p, element);
    }
    MS_PUT(p, ")");
}

static void print_c_convention(struct ms_swift_printer *p, ms_swift_tree *type, const char *name)
{
    MS_PUT(p, "@convention(");
    ms_swift_puts(p, name);
    if (ms_swift_is(ms_swift_kid(type, 0), MS_SWIFT_CLANG_TYPE)) {
        MS_PUT(p, ", mangledCType: \"");
        ms_swift_print_text(p, ms_swift_kid(type, 0));
        MS_PUT(p, "\"");
    }
    MS_PUT(p, ") ");
}

static void print_kind_of_function(struct ms_swift_printer *p, ms_swift_tree *type)
{
    switch (type->kind) {
    case MS_SWIFT_AUTO_CLOSURE_TYPE:
    case MS_SWIFT_ESCAPING_AUTO_CLOSURE_TYPE:
        MS_PUT(p, "@autoclosure ");
        break;
    case MS_SWIFT_THIN_FUNCTION_TYPE:
        MS_PUT(p, "@convention(thin) ");
        break;
    case MS_SWIFT_C_FUNCTION_POINTER:
        print_c_convention(p, type, "c");
        break;
    case MS_SWIFT_ESCAPING_OBJC_BLOCK:
        MS_PUT(p, "@escaping ");
        print_c_convention(p, type, "block");
        break;
    case MS_SWIFT_OBJC_BLOCK:
        print_c_convention(p, type, "block");
        break;
    default:
        break;
    }
}

/* What a function type says besides its parameters, in the order it's told in. */
struct told {
    ms_swift_tree *actor, *differentiable, *throws;
    bool isolated_any, nonisolated, sendable, async, sending;
};

static struct told told_of(ms_swift_tree *type, uint32_t end)
{
    struct told told = {0};
    for (uint32_t i = 0; i < end; i++) {
        ms_swift_tree *child = type->child[i];
        switch (child->kind) {
        case MS_SWIFT_GLOBAL_ACTOR_FUNCTION_TYPE:
            told.actor = child;
            break;
        case MS_SWIFT_DIFFERENTIABLE_FUNCTION_TYPE:
            told.differentiable = child;
            break;
        case MS_SWIFT_THROWS_ANNOTATION:
        case MS_SWIFT_TYPED_THROWS_ANNOTATION:
            told.throws = child;
            break;
        case MS_SWIFT_ISOLATED_ANY_FUNCTION_TYPE:
            told.isolated_any = true;
            break;
        case MS_SWIFT_NONISOLATED_CALLER_FUNCTION_TYPE:
            told.nonisolated = true;
            break;
        case MS_SWIFT_CONCURRENT_FUNCTION_TYPE:
            told.sendable = true;
            break;
        case MS_SWIFT_ASYNC_ANNOTATION:
            told.async = true;
            break;
        case MS_SWIFT_SENDING_RESULT_FUNCTION_TYPE:
            told.sending = true;
            break;
        default:
            break;
        }
    }
    return told;
}

static void print_front(struct ms_swift_printer *p, const struct told *told)
{
    if (told->isolated_any)
        MS_PUT(p, "@isolated(any) ");
    if (told->nonisolated)
        MS_PUT(p, "nonisolated(nonsending) ");
    if (told->actor) {
        MS_PUT(p, "@");
        ms_swift_print_node(p, ms_swift_kid(told->actor, 0));
        MS_PUT(p, " ");
    }
    if (told->differentiable) {
        ms_swift_print_differentiability(p, told->differentiable);
        MS_PUT(p, " ");
    }
    if (told->sendable)
        MS_PUT(p, "@Sendable ");
}

static void print_back(struct ms_swift_printer *p, const struct told *told, ms_swift_tree *result)
{
    if (told->async)
        MS_PUT(p, " async");
    if (ms_swift_is(told->throws, MS_SWIFT_TYPED_THROWS_ANNOTATION)) {
        MS_PUT(p, " throws(");
        ms_swift_print_node(p, ms_swift_kid(told->throws, 0));
        MS_PUT(p, ")");
    } else if (told->throws) {
        MS_PUT(p, " throws");
    }
    MS_PUT(p, " -> ");
    if (told->sending)
        MS_PUT(p, "sending ");
    ms_swift_print_node(p, ms_swift_kid(result, 0));
}

void ms_swift_print_function_type(struct ms_swift_printer *p, ms_swift_tree *labels,
                                  ms_swift_tree *type)
{
    uint32_t n = type ? ms_swift_n_children(type) : 0;
    if (n < 2) {
        p->bad = true;
        return;
    }
    print_kind_of_function(p, type);
    struct told told = told_of(type, n - 2);
    print_front(p, &told);
    print_parameters(p, labels, type->child[n - 2]);
    if (!p->simplified)
        print_back(p, &told, type->child[n - 1]);
}

/* ---- short forms ------------------------------------------------------------------------- */

static bool text_is(ms_swift_tree *node, const char *text)
{
    size_t n = strlen(text);
    return node && node->has_text && node->n == n && memcmp(node->text, text, n) == 0;
}

/* Swift.NAME, unbound, inside a TYPE or not? */
static bool is_swift_type(ms_swift_tree *type, const char *name)
{
    while (ms_swift_is(type, MS_SWIFT_TYPE))
        type = ms_swift_kid(type, 0);
    return ms_swift_is(ms_swift_kid(type, 0), MS_SWIFT_MODULE) &&
           text_is(ms_swift_kid(type, 0), "Swift") && text_is(ms_swift_kid(type, 1), name);
}

static void print_optional(struct ms_swift_printer *p, ms_swift_tree *type, const char *mark)
{
    print_tight(p, type);
    ms_swift_puts(p, mark);
}

static void print_array(struct ms_swift_printer *p, ms_swift_tree *type)
{
    MS_PUT(p, "[");
    ms_swift_print_node(p, type);
    MS_PUT(p, "]");
}

static void print_two(struct ms_swift_printer *p, const char *before, ms_swift_tree *a,
                      const char *between, ms_swift_tree *b, const char *after)
{
    ms_swift_puts(p, before);
    ms_swift_print_node(p, a);
    ms_swift_puts(p, between);
    ms_swift_print_node(p, b);
    ms_swift_puts(p, after);
}

/* T?, [T] and [K : V]. False when the bound type isn't one of these. */
static bool print_short(struct ms_swift_printer *p, ms_swift_tree *bound)
{
    ms_swift_tree *type = ms_swift_kid(bound, 0), *arguments = ms_swift_kid(bound, 1);
    uint32_t n = ms_swift_n_children(arguments);
    if (bound->kind == MS_SWIFT_BOUND_GENERIC_ENUM && n == 1) {
        bool forced = is_swift_type(type, "ImplicitlyUnwrappedOptional");
        if (!forced && !is_swift_type(type, "Optional"))
            return false;
        print_optional(p, arguments->child[0], forced ? "!" : "?");
        return true;
    }
    if (bound->kind != MS_SWIFT_BOUND_GENERIC_STRUCTURE)
        return false;
    if (n == 1 && is_swift_type(type, "Array")) {
        print_array(p, arguments->child[0]);
        return true;
    }
    if (n == 2 && is_swift_type(type, "Dictionary")) {
        print_two(p, "[", arguments->child[0], " : ", arguments->child[1], "]");
        return true;
    }
    return false;
}

static void print_bound(struct ms_swift_printer *p, ms_swift_tree *bound)
{
    ms_swift_tree *arguments = ms_swift_kid(bound, 1);
    if (!arguments) {
        p->bad = true;
        return;
    }
    /* Names within names are told without short forms. */
    if (ms_swift_n_children(bound) == 2 && !p->nested) {
        if (bound->kind == MS_SWIFT_BOUND_GENERIC_PROTOCOL) {
            ms_swift_print_children(p, arguments, 0, "");
            MS_PUT(p, " as ");
            ms_swift_print_node(p, bound->child[0]);
            return;
        }
        if (print_short(p, bound))
            return;
    }
    ms_swift_print_node(p, bound->child[0]);
    MS_PUT(p, "<");
    ms_swift_print_children(p, arguments, 0, ", ");
    MS_PUT(p, ">");
}

/* ---- other types ------------------------------------------------------------------------- */

static void print_tuple_element(struct ms_swift_printer *p, ms_swift_tree *element)
{
    ms_swift_tree *name = ms_swift_kid_of(element, MS_SWIFT_TUPLE_ELEMENT_NAME);
    if (name) {
        ms_swift_print_text(p, name);
        MS_PUT(p, ": ");
    }
    ms_swift_print_node(p, ms_swift_kid_of(element, MS_SWIFT_TYPE));
    if (ms_swift_kid_of(element, MS_SWIFT_VARIADIC_MARKER))
        MS_PUT(p, "...");
}

static bool is_existential(ms_swift_tree *type)
{
    while (ms_swift_is(type, MS_SWIFT_TYPE))
        type = ms_swift_kid(type, 0);
    return type &&
           (type->kind == MS_SWIFT_EXISTENTIAL_METATYPE || type->kind == MS_SWIFT_PROTOCOL_LIST ||
            type->kind == MS_SWIFT_PROTOCOL_LIST_WITH_CLASS ||
            type->kind == MS_SWIFT_PROTOCOL_LIST_WITH_ANY_OBJECT);
}

static void print_metatype(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t at = 0;
    if (ms_swift_n_children(node) == 2) {
        ms_swift_print_text(p, node->child[0]);
        MS_PUT(p, " ");
        at = 1;
    }
    ms_swift_tree *type = ms_swift_kid(node, at);
    if (node->kind == MS_SWIFT_EXISTENTIAL_METATYPE) {
        ms_swift_print_node(p, type);
        MS_PUT(p, ".Type");
    } else {
        print_tight(p, type);
        if (is_existential(type))
            MS_PUT(p, ".Protocol");
        else
            MS_PUT(p, ".Type");
    }
}

static void print_protocols(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *list = ms_swift_kid(node, 0);
    if (node->kind != MS_SWIFT_PROTOCOL_LIST)
        list = ms_swift_kid(list, 0);
    if (!list) {
        p->bad = true;
        return;
    }
    bool some = ms_swift_n_children(list);
    switch (node->kind) {
    case MS_SWIFT_PROTOCOL_LIST:
        if (some)
            ms_swift_print_children(p, list, 0, " & ");
        else
            MS_PUT(p, "Any");
        break;
    case MS_SWIFT_PROTOCOL_LIST_WITH_CLASS:
        ms_swift_print_node(p, ms_swift_kid(node, 1));
        MS_PUT(p, " & ");
        ms_swift_print_children(p, list, 0, " & ");
        break;
    default:
        ms_swift_print_children(p, list, 0, " & ");
        if (some)
            MS_PUT(p, " & ");
        MS_PUT(p, "Swift.AnyObject");
    }
}

static void print_box(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (ms_swift_n_children(node) == 3) {
        ms_swift_print_node(p, node->child[1]);
        MS_PUT(p, " ");
    }
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    if (ms_swift_n_children(node) == 3) {
        MS_PUT(p, " <");
        ms_swift_print_children(p, node->child[2], 0, ", ");
        MS_PUT(p, ">");
    }
}

static void print_box_layout(struct ms_swift_printer *p, ms_swift_tree *node)
{
    MS_PUT(p, "{");
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        if (i)
            MS_PUT(p, ",");
        if (node->child[i]->kind == MS_SWIFT_SIL_BOX_MUTABLE_FIELD)
            MS_PUT(p, " var ");
        else
            MS_PUT(p, " let ");
        ms_swift_print_node(p, ms_swift_kid(node->child[i], 0));
    }
    MS_PUT(p, " }");
}

/* With a signature the reference prints the type in its place, and then misses the type: what
 * it says is what people search for. */
static void print_existential_shape(struct ms_swift_printer *p, ms_swift_tree *node)
{
    MS_PUT(p, "existential shape for ");
    if (ms_swift_n_children(node) == 2) {
        ms_swift_print_node(p, node->child[1]);
        MS_PUT(p, " any <null node pointer>");
    } else {
        MS_PUT(p, "any ");
        ms_swift_print_node(p, ms_swift_kid(node, 0));
    }
}

static void print_pack_element(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *level = ms_swift_kid(node, 1);
    MS_PUT(p, "/* level: ");
    ms_swift_print_number(p, level && level->has_index ? level->index : 0);
    MS_PUT(p, " */ each ");
    ms_swift_print_node(p, ms_swift_kid(node, 0));
}

static void print_pack(struct ms_swift_printer *p, ms_swift_tree *node, const char *before)
{
    ms_swift_puts(p, before);
    ms_swift_print_children(p, node, 0, ", ");
    MS_PUT(p, "}");
}

static void print_type_mangling(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (ms_swift_is(ms_swift_kid(node, 0), MS_SWIFT_LABEL_LIST))
        ms_swift_print_function_type(p, node->child[0], ms_swift_kid(ms_swift_kid(node, 1), 0));
    else
        ms_swift_print_node(p, ms_swift_kid(node, 0));
}

bool ms_swift_print_type(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *first = ms_swift_kid(node, 0), *second = ms_swift_kid(node, 1);
    switch (node->kind) {
    case MS_SWIFT_FUNCTION_TYPE:
    case MS_SWIFT_NO_ESCAPE_FUNCTION_TYPE:
    case MS_SWIFT_AUTO_CLOSURE_TYPE:
    case MS_SWIFT_ESCAPING_AUTO_CLOSURE_TYPE:
    case MS_SWIFT_THIN_FUNCTION_TYPE:
    case MS_SWIFT_UNCURRIED_FUNCTION_TYPE:
    case MS_SWIFT_OBJC_BLOCK:
    case MS_SWIFT_ESCAPING_OBJC_BLOCK:
    case MS_SWIFT_C_FUNCTION_POINTER:
        ms_swift_print_function_type(p, NULL, node);
        return true;
    case MS_SWIFT_ARGUMENT_TUPLE:
        print_parameters(p, NULL, node);
        return true;
    case MS_SWIFT_TYPE_MANGLING:
        print_type_mangling(p, node);
        return true;
    case MS_SWIFT_TYPE_LIST:
        ms_swift_print_children(p, node, 0, ", ");
        return true;
    case MS_SWIFT_TUPLE:
        MS_PUT(p, "(");
        ms_swift_print_children(p, node, 0, ", ");
        MS_PUT(p, ")");
        return true;
    case MS_SWIFT_TUPLE_ELEMENT:
        print_tuple_element(p, node);
        return true;
    case MS_SWIFT_PACK:
        print_pack(p, node, "Pack{");
        return true;
    case MS_SWIFT_SIL_PACK_DIRECT:
        print_pack(p, node, "@direct Pack{");
        return true;
    case MS_SWIFT_SIL_PACK_INDIRECT:
        print_pack(p, node, "@indirect Pack{");
        return true;
    case MS_SWIFT_PACK_EXPANSION:
        MS_PUT(p, "repeat ");
        ms_swift_print_node(p, first);
        return true;
    case MS_SWIFT_PACK_ELEMENT:
        print_pack_element(p, node);
        return true;
    case MS_SWIFT_BOUND_GENERIC_CLASS:
    case MS_SWIFT_BOUND_GENERIC_STRUCTURE:
    case MS_SWIFT_BOUND_GENERIC_ENUM:
    case MS_SWIFT_BOUND_GENERIC_PROTOCOL:
    case MS_SWIFT_BOUND_GENERIC_OTHER_NOMINAL_TYPE:
    case MS_SWIFT_BOUND_GENERIC_TYPE_ALIAS:
        print_bound(p, node);
        return true;
    case MS_SWIFT_SUGARED_OPTIONAL:
        print_optional(p, first, "?");
        return true;
    case MS_SWIFT_SUGARED_ARRAY:
        print_array(p, first);
        return true;
    case MS_SWIFT_SUGARED_INLINE_ARRAY:
        print_two(p, "[", first, " of ", second, "]");
        return true;
    case MS_SWIFT_SUGARED_DICTIONARY:
        print_two(p, "[", first, " : ", second, "]");
        return true;
    case MS_SWIFT_SUGARED_PAREN:
        MS_PUT(p, "(");
        ms_swift_print_node(p, first);
        MS_PUT(p, ")");
        return true;
    case MS_SWIFT_METATYPE:
    case MS_SWIFT_EXISTENTIAL_METATYPE:
        print_metatype(p, node);
        return true;
    case MS_SWIFT_PROTOCOL_LIST:
    case MS_SWIFT_PROTOCOL_LIST_WITH_CLASS:
    case MS_SWIFT_PROTOCOL_LIST_WITH_ANY_OBJECT:
        print_protocols(p, node);
        return true;
    case MS_SWIFT_CONSTRAINED_EXISTENTIAL:
        print_two(p, "any ", first, "<", second, ">");
        return true;
    case MS_SWIFT_CONSTRAINED_EXISTENTIAL_REQUIREMENT_LIST:
        ms_swift_print_children(p, node, 0, ", ");
        return true;
    case MS_SWIFT_DYNAMIC_SELF:
    case MS_SWIFT_CONSTRAINED_EXISTENTIAL_SELF:
        MS_PUT(p, "Self");
        return true;
    case MS_SWIFT_EXTENDED_EXISTENTIAL_TYPE_SHAPE:
        print_existential_shape(p, node);
        return true;
    case MS_SWIFT_SIL_BOX_TYPE_WITH_LAYOUT:
        print_box(p, node);
        return true;
    case MS_SWIFT_SIL_BOX_LAYOUT:
        print_box_layout(p, node);
        return true;
    case MS_SWIFT_BUILTIN_TYPE_NAME:
        ms_swift_print_text(p, node);
        return true;
    case MS_SWIFT_BUILTIN_TUPLE_TYPE:
        MS_PUT(p, "Builtin.TheTupleType");
        return true;
    case MS_SWIFT_BUILTIN_FIXED_ARRAY:
        print_two(p, "Builtin.FixedArray<", first, ", ", second, ">");
        return true;
    default:
        return false;
    }
}
