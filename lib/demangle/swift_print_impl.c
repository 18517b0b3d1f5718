/* Function types of the compiler's intermediate language, as reabstraction thunks have them. */
#include "demangle/swift_print.h"

#include <string.h>

/* Attributes, then (parameters), then (results): how far the printing has come. */
enum part { ATTRIBUTES, PARAMETERS, RESULTS };

struct parts {
    enum part part;
    ms_swift_tree *pattern, *invocation, *sending;
};

static void go_on_to(struct ms_swift_printer *p, struct parts *parts, enum part next)
{
    if (parts->part == ATTRIBUTES && next > ATTRIBUTES) {
        if (parts->pattern) {
            MS_PUT(p, "@substituted ");
            ms_swift_print_node(p, ms_swift_kid(parts->pattern, 0));
            MS_PUT(p, " ");
        }
        MS_PUT(p, "(");
        parts->part = PARAMETERS;
    }
    if (parts->part == PARAMETERS && next > PARAMETERS) {
        MS_PUT(p, ") -> ");
        if (parts->sending)
            MS_PUT(p, "sending ");
        MS_PUT(p, "(");
        parts->part = RESULTS;
    }
}

static void print_item(struct ms_swift_printer *p, struct parts *parts, enum part part,
                       ms_swift_tree *node)
{
    if (parts->part == part)
        MS_PUT(p, ", ");
    go_on_to(p, parts, part);
    ms_swift_print_node(p, node);
}

static void print_substitutions(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (!node)
        return;
    ms_swift_tree *types = ms_swift_kid_of(node, MS_SWIFT_TYPE_LIST);
    MS_PUT(p, " for <");
    ms_swift_print_children(p, types, 0, ""); /* the reference parts them by nothing */
    MS_PUT(p, ">");
}

static void print_function(struct ms_swift_printer *p, ms_swift_tree *node)
{
    struct parts parts = {ATTRIBUTES, NULL, NULL, NULL};
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        ms_swift_tree *child = node->child[i];
        switch (child->kind) {
        case MS_SWIFT_IMPL_PARAMETER:
            print_item(p, &parts, PARAMETERS, child);
            break;
        case MS_SWIFT_IMPL_RESULT:
        case MS_SWIFT_IMPL_YIELD:
        case MS_SWIFT_IMPL_ERROR_RESULT:
            print_item(p, &parts, RESULTS, child);
            break;
        case MS_SWIFT_IMPL_PATTERN_SUBSTITUTIONS:
            parts.pattern = child;
            break;
        case MS_SWIFT_IMPL_INVOCATION_SUBSTITUTIONS:
            parts.invocation = child;
            break;
        case MS_SWIFT_IMPL_SENDING_RESULT:
            parts.sending = child;
            break;
        default:
            ms_swift_print_node(p, child);
            MS_PUT(p, " ");
        }
    }
    go_on_to(p, &parts, RESULTS);
    MS_PUT(p, ")");
    print_substitutions(p, parts.pattern);
    print_substitutions(p, parts.invocation);
}

/* What is told of a parameter or result. That it is isolated or the leading one is not, as in
 * the reference. */
static bool is_told(ms_swift_tree *attribute)
{
    static const char isolated[] = "isolated", leading[] = "sil_implicit_leading_param";
    size_t n = attribute->n;
    return attribute->kind != MS_SWIFT_IMPL_PARAMETER_ATTRIBUTE || !attribute->has_text ||
           !((n == sizeof isolated - 1 && memcmp(attribute->text, isolated, n) == 0) ||
             (n == sizeof leading - 1 && memcmp(attribute->text, leading, n) == 0));
}

static void print_parts(struct ms_swift_printer *p, ms_swift_tree *node)
{
    bool any = false;
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        if (!is_told(node->child[i]))
            continue;
        if (any)
            MS_PUT(p, " ");
        any = true;
        ms_swift_print_node(p, node->child[i]);
    }
}

static void print_convention(struct ms_swift_printer *p, ms_swift_tree *node)
{
    MS_PUT(p, "@convention(");
    ms_swift_print_text(p, ms_swift_kid(node, 0));
    if (ms_swift_n_children(node) > 1) {
        MS_PUT(p, ", mangledCType: \"");
        ms_swift_print_text(p, node->child[1]);
        MS_PUT(p, "\"");
    }
    MS_PUT(p, ")");
}

/* By its letter. */
void ms_swift_print_differentiability(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->has_index ? node->index : 0) {
    case 'f':
        MS_PUT(p, "@differentiable(_forward)");
        break;
    case 'r':
        MS_PUT(p, "@differentiable(reverse)");
        break;
    case 'l':
        MS_PUT(p, "@differentiable(_linear)");
        break;
    case 'd':
        MS_PUT(p, "@differentiable");
        break;
    case 'w':
        MS_PUT(p, "@noDerivative");
        break;
    default:
        p->bad = true;
    }
}

bool ms_swift_print_impl(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_IMPL_FUNCTION_TYPE:
        print_function(p, node);
        return true;
    case MS_SWIFT_IMPL_PARAMETER:
    case MS_SWIFT_IMPL_RESULT:
        print_parts(p, node);
        return true;
    case MS_SWIFT_IMPL_YIELD:
        MS_PUT(p, "@yields ");
        print_parts(p, node);
        return true;
    case MS_SWIFT_IMPL_ERROR_RESULT:
        MS_PUT(p, "@error ");
        print_parts(p, node);
        return true;
    case MS_SWIFT_IMPL_CONVENTION:
    case MS_SWIFT_IMPL_FUNCTION_ATTRIBUTE:
    case MS_SWIFT_IMPL_PARAMETER_ATTRIBUTE:
        ms_swift_print_text(p, node);
        return true;
    case MS_SWIFT_IMPL_FUNCTION_CONVENTION:
        print_convention(p, node);
        return true;
    case MS_SWIFT_IMPL_DIFFERENTIABILITY:
        ms_swift_print_differentiability(p, node);
        return true;
    default:
        return false;
    }
}
