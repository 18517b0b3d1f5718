/* What is said of a whole function, before it: specialisations, forwarders, parts. */
#include "demangle/swift_print.h"

#include <string.h>

enum { NESTED_NAMES = 8 }; /* names in names in names; real: 2 */

/* ---- function signature specialisations -------------------------------------------------- */

/* A constant function or global may be a mangled name itself. */
static void print_payload(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (!node || !node->has_text) {
        p->bad = true;
        return;
    }
    const struct ms_swift_node *root = NULL;
    if (p->nested < NESTED_NAMES)
        root = ms_swift_read_nested(p->arena, node->text, node->n);
    if (!root) {
        ms_swift_print_text(p, node);
        return;
    }
    p->nested++;
    ms_swift_print_node(p, root);
    p->nested--;
}

static void print_flags(struct ms_swift_printer *p, uint64_t flags)
{
    static const struct {
        unsigned flag;
        const char *text;
    } texts[] = {
        {MS_SWIFT_SPEC_EXISTENTIAL_TO_GENERIC, "Existential To Protocol Constrained Generic"},
        {MS_SWIFT_SPEC_DEAD, "Dead"},
        {MS_SWIFT_SPEC_OWNED_TO_GUARANTEED, "Owned To Guaranteed"},
        {MS_SWIFT_SPEC_GUARANTEED_TO_OWNED, "Guaranteed To Owned"},
        {MS_SWIFT_SPEC_SROA, "Exploded"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!(flags & texts[i].flag))
            continue;
        if (any)
            MS_PUT(p, " and ");
        any = true;
        ms_swift_puts(p, texts[i].text);
    }
    p->bad |= !any;
}

/*
 * A closure, by its mangled name, and the types that it captured, with nothing between them:
 * that is how the reference has it. Returns the child behind them.
 */
static uint32_t print_closure(struct ms_swift_printer *p, ms_swift_tree *node, uint32_t at)
{
    MS_PUT(p, "[Closure Propagated : ");
    ms_swift_print_text(p, ms_swift_kid(node, at++));
    MS_PUT(p, ", Argument Types : [");
    for (; ms_swift_is(ms_swift_kid(node, at), MS_SWIFT_TYPE); at++)
        ms_swift_print_node(p, node->child[at]);
    MS_PUT(p, "]");
    return at;
}

static uint32_t print_constant(struct ms_swift_printer *p, ms_swift_tree *node, uint64_t kind,
                               uint32_t at)
{
    static const char *const names[] = {
        [MS_SWIFT_SPEC_FUNCTION] = "Function", [MS_SWIFT_SPEC_GLOBAL] = "Global",
        [MS_SWIFT_SPEC_INTEGER] = "Integer",   [MS_SWIFT_SPEC_FLOAT] = "Float",
        [MS_SWIFT_SPEC_STRING] = "String",     [MS_SWIFT_SPEC_KEY_PATH] = "KeyPath",
        [MS_SWIFT_SPEC_STRUCT] = "Struct",
    };
    MS_PUT(p, "[Constant Propagated ");
    ms_swift_puts(p, names[kind]);
    MS_PUT(p, " : ");
    switch (kind) {
    case MS_SWIFT_SPEC_FUNCTION:
    case MS_SWIFT_SPEC_GLOBAL:
        print_payload(p, ms_swift_kid(node, at++));
        break;
    case MS_SWIFT_SPEC_STRING:
        ms_swift_print_text(p, ms_swift_kid(node, at++));
        MS_PUT(p, "'");
        ms_swift_print_text(p, ms_swift_kid(node, at++));
        MS_PUT(p, "'");
        break;
    case MS_SWIFT_SPEC_KEY_PATH:
        ms_swift_print_text(p, ms_swift_kid(node, at++));
        MS_PUT(p, "<");
        ms_swift_print_node(p, ms_swift_kid(node, at++));
        MS_PUT(p, ",");
        ms_swift_print_node(p, ms_swift_kid(node, at++));
        MS_PUT(p, ">");
        break;
    case MS_SWIFT_SPEC_STRUCT:
        ms_swift_print_node(p, ms_swift_kid(node, at++));
        break;
    default:
        ms_swift_print_text(p, ms_swift_kid(node, at++));
    }
    MS_PUT(p, "]");
    return at;
}

/* What was done to one argument. */
static void print_argument(struct ms_swift_printer *p, ms_swift_tree *node)
{
    for (uint32_t at = 0; at < ms_swift_n_children(node) && !p->bad;) {
        ms_swift_tree *kind = node->child[at++];
        if (kind->kind != MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_KIND ||
            !kind->has_index) {
            p->bad = true;
            return;
        }
        if (at > 1)
            MS_PUT(p, ", ");
        switch (kind->index) {
        case MS_SWIFT_SPEC_CLOSURE:
            at = print_closure(p, node, at);
            break;
        case MS_SWIFT_SPEC_SAME_AS:
            MS_PUT(p, "[Same As Argument ");
            ms_swift_print_text(p, ms_swift_kid(node, at++));
            MS_PUT(p, "]");
            break;
        case MS_SWIFT_SPEC_BOX_TO_VALUE:
            MS_PUT(p, "Value Promoted from Box");
            break;
        case MS_SWIFT_SPEC_BOX_TO_STACK:
            MS_PUT(p, "Stack Promoted from Box");
            break;
        case MS_SWIFT_SPEC_IN_OUT_TO_OUT:
            MS_PUT(p, "InOut Converted to Out");
            break;
        default:
            if (kind->index <= MS_SWIFT_SPEC_STRUCT)
                at = print_constant(p, node, kind->index, at);
            else
                print_flags(p, kind->index);
        }
    }
}

/* ---- specialisations --------------------------------------------------------------------- */

static void print_generic_argument(struct ms_swift_printer *p, ms_swift_tree *node)
{
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        if (i)
            ms_swift_puts(p, i == 1 ? " with " : " and ");
        ms_swift_print_node(p, node->child[i]);
    }
}

/* Prints a part of a specialisation; false when there is nothing to print of it. */
static bool print_part(struct ms_swift_printer *p, ms_swift_tree *child, uint64_t argument)
{
    switch (child->kind) {
    case MS_SWIFT_IS_SERIALIZED:
        MS_PUT(p, "serialized");
        return true;
    case MS_SWIFT_GENERIC_SPECIALIZATION_PARAM:
        print_generic_argument(p, child);
        return true;
    case MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM:
    case MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_RETURN:
        if (!ms_swift_n_children(child))
            return false;
        if (child->kind == MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM) {
            MS_PUT(p, "Arg[");
            ms_swift_print_number(p, argument);
            MS_PUT(p, "] = ");
        } else {
            MS_PUT(p, "Return = ");
        }
        print_argument(p, child);
        return true;
    default:
        return false;
    }
}

static void print_specialization(struct ms_swift_printer *p, ms_swift_tree *node, const char *what,
                                 const char *each)
{
    if (p->simplified) {
        if (!p->specialized)
            MS_PUT(p, "specialized ");
        p->specialized = true;
        return;
    }
    const char *separator = "";
    uint64_t argument = 0;
    ms_swift_puts(p, what);
    MS_PUT(p, " <");
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        ms_swift_tree *child = node->child[i];
        size_t before = ms_swift_mark(p);
        ms_swift_puts(p, separator);
        if (child->kind == MS_SWIFT_GENERIC_SPECIALIZATION_PARAM)
            ms_swift_puts(p, each);
        if (print_part(p, child, argument))
            separator = ", ";
        else
            ms_swift_back_to(p, before);
        argument += child->kind == MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM;
    }
    MS_PUT(p, "> of ");
}

static bool print_specializations(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_GENERIC_SPECIALIZATION:
    case MS_SWIFT_GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN:
        print_specialization(p, node, "generic specialization", "");
        return true;
    case MS_SWIFT_GENERIC_SPECIALIZATION_NOT_REABSTRACTED:
        print_specialization(p, node, "generic not re-abstracted specialization", "");
        return true;
    case MS_SWIFT_GENERIC_SPECIALIZATION_PRESPECIALIZED:
        print_specialization(p, node, "generic pre-specialization", "");
        return true;
    case MS_SWIFT_INLINED_GENERIC_FUNCTION:
        print_specialization(p, node, "inlined generic function", "");
        return true;
    case MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION:
        print_specialization(p, node, "generic partial specialization", "Signature = ");
        return true;
    case MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION_NOT_REABSTRACTED:
        print_specialization(p, node, "generic not-reabstracted partial specialization",
                             "Signature = ");
        return true;
    case MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION:
        print_specialization(p, node, "function signature specialization", "");
        return true;
    case MS_SWIFT_GENERIC_SPECIALIZATION_PARAM:
        print_generic_argument(p, node);
        return true;
    case MS_SWIFT_IS_SERIALIZED:
        MS_PUT(p, "serialized");
        return true;
    default:
        return false;
    }
}

/* ---- other attributes -------------------------------------------------------------------- */

/* Thunks that nobody needs to see in a backtrace; NULL for other kinds. */
static const char *thunk_text(unsigned kind)
{
    switch (kind) {
    case MS_SWIFT_MERGED_FUNCTION:
        return "merged ";
    case MS_SWIFT_DISTRIBUTED_THUNK:
        return "distributed thunk ";
    case MS_SWIFT_DISTRIBUTED_ACCESSOR:
        return "distributed accessor for ";
    case MS_SWIFT_ACCESSIBLE_FUNCTION_RECORD:
        return "accessible function runtime record for ";
    case MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_VAR:
        return "dynamically replaceable variable for ";
    case MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_IMPL:
        return "dynamically replaceable thunk for ";
    case MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_KEY:
        return "dynamically replaceable key for ";
    case MS_SWIFT_BACK_DEPLOYMENT_THUNK:
        return "back deployment thunk for ";
    default:
        return NULL;
    }
}

static void print_numbered(struct ms_swift_printer *p, ms_swift_tree *node, const char *what)
{
    ms_swift_puts(p, what);
    ms_swift_print_number(p, node->has_index ? node->index : 0);
    MS_PUT(p, " of ");
}

static void print_forwarder(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (p->simplified)
        MS_PUT(p, "partial apply for ");
    else if (node->kind == MS_SWIFT_PARTIAL_APPLY_FORWARDER)
        MS_PUT(p, "partial apply forwarder for ");
    else
        MS_PUT(p, "partial apply ObjC forwarder for ");
    ms_swift_print_children(p, node, 0, "");
}

static void print_resume(struct ms_swift_printer *p, ms_swift_tree *node, const char *what)
{
    if (p->simplified)
        return;
    MS_PUT(p, "(");
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    ms_swift_puts(p, what);
}

bool ms_swift_print_spec(struct ms_swift_printer *p, ms_swift_tree *node)
{
    const char *thunk = thunk_text(node->kind);
    if (thunk) {
        if (!p->simplified)
            ms_swift_puts(p, thunk);
        return true;
    }
    switch (node->kind) {
    case MS_SWIFT_PARTIAL_APPLY_FORWARDER:
    case MS_SWIFT_PARTIAL_APPLY_OBJC_FORWARDER:
        print_forwarder(p, node);
        return true;
    case MS_SWIFT_ASYNC_AWAIT_RESUME_PARTIAL:
        print_resume(p, node, ") await resume partial function for ");
        return true;
    case MS_SWIFT_ASYNC_SUSPEND_RESUME_PARTIAL:
        print_resume(p, node, ") suspend resume partial function for ");
        return true;
    case MS_SWIFT_OUTLINED_VARIABLE:
        print_numbered(p, node, "outlined variable #");
        return true;
    case MS_SWIFT_OUTLINED_READ_ONLY_OBJECT:
        print_numbered(p, node, "outlined read-only object #");
        return true;
    case MS_SWIFT_OUTLINED_BRIDGED_METHOD:
        MS_PUT(p, "outlined bridged method (");
        ms_swift_print_text(p, node);
        MS_PUT(p, ") of ");
        return true;
    default:
        return print_specializations(p, node);
    }
}
