/* Thunks, witnesses and their tables, outlined operations: what stands for one thing or several. */
#include "demangle/swift_print.h"

/* "…of A in B": child `a`, then child `b`. */
static void print_two(struct ms_swift_printer *p, ms_swift_tree *node, const char *before,
                      uint32_t a, const char *between, uint32_t b)
{
    ms_swift_puts(p, before);
    ms_swift_print_node(p, ms_swift_kid(node, a));
    ms_swift_puts(p, between);
    ms_swift_print_node(p, ms_swift_kid(node, b));
}

/* For someone who reads a backtrace "thunk" and one of the two types is enough. */
static void print_reabstraction(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t n = ms_swift_n_children(node), at = 0;
    bool with_self = node->kind == MS_SWIFT_REABSTRACTION_THUNK_HELPER_WITH_SELF;
    if (p->simplified && !with_self) {
        MS_PUT(p, "thunk for ");
        ms_swift_print_node(p, ms_swift_kid(node, n ? n - 1 : 0));
        return;
    }
    MS_PUT(p, "reabstraction thunk ");
    if (node->kind == MS_SWIFT_REABSTRACTION_THUNK_HELPER)
        MS_PUT(p, "helper ");
    if (n == (with_self ? 4u : 3u)) {
        ms_swift_print_node(p, node->child[0]);
        MS_PUT(p, " ");
        at = 1;
    }
    uint32_t self = at;
    at += with_self;
    print_two(p, node, "from ", at + 1, " to ", at);
    if (with_self) {
        MS_PUT(p, " self ");
        ms_swift_print_node(p, ms_swift_kid(node, self));
    }
}

static void print_completion_handler(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *flags = ms_swift_kid(node, 2);
    if (node->kind == MS_SWIFT_CHECKED_OBJC_ASYNC_COMPLETION_HANDLER_IMPL)
        MS_PUT(p, "checked ");
    MS_PUT(p, "@objc completion handler block implementation for ");
    if (ms_swift_n_children(node) >= 4)
        ms_swift_print_node(p, node->child[3]);
    print_two(p, node, "", 0, " with result type ", 1);
    switch (flags && flags->has_index ? flags->index : UINT64_MAX) {
    case 0:
        break;
    case 1:
        MS_PUT(p, " nonzero on error");
        break;
    case 2:
        MS_PUT(p, " zero on error");
        break;
    default:
        MS_PUT(p, " <invalid error flag>");
    }
}

/* ---- key paths --------------------------------------------------------------------------- */

static void print_key_path(struct ms_swift_printer *p, ms_swift_tree *node, const char *what)
{
    MS_PUT(p, "key path ");
    ms_swift_puts(p, what);
    ms_swift_print_node(p, ms_swift_kid(node, 0));
    MS_PUT(p, " : ");
    for (uint32_t i = 1; i < ms_swift_n_children(node) && !p->bad; i++) {
        if (node->child[i]->kind == MS_SWIFT_IS_SERIALIZED)
            MS_PUT(p, ", ");
        ms_swift_print_node(p, node->child[i]);
    }
}

static void print_key_path_indices(struct ms_swift_printer *p, ms_swift_tree *node,
                                   const char *what)
{
    uint32_t types = 0;
    ms_swift_tree *signature = ms_swift_kid_of(node, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE);
    MS_PUT(p, "key path index ");
    ms_swift_puts(p, what);
    MS_PUT(p, " operator for ");
    if (signature)
        ms_swift_print_node(p, signature);
    MS_PUT(p, "(");
    for (uint32_t i = 0; i < ms_swift_n_children(node) && !p->bad; i++) {
        if (node->child[i]->kind != MS_SWIFT_TYPE)
            continue;
        if (types++)
            MS_PUT(p, ", ");
        ms_swift_print_node(p, node->child[i]);
    }
    MS_PUT(p, ")");
}

/* ---- automatic differentiation ----------------------------------------------------------- */

static void print_derivative(struct ms_swift_printer *p, ms_swift_tree *kind)
{
    switch (kind && kind->has_index ? kind->index : 0) {
    case 'f':
        MS_PUT(p, "forward-mode derivative");
        break;
    case 'r':
        MS_PUT(p, "reverse-mode derivative");
        break;
    case 'd':
        MS_PUT(p, "differential");
        break;
    case 'p':
        MS_PUT(p, "pullback");
        break;
    default:
        p->bad = true;
    }
}

static void print_subset(struct ms_swift_printer *p, ms_swift_tree *node)
{
    bool any = false;
    MS_PUT(p, "{");
    for (uint32_t i = 0; node->has_text && i < node->n; i++) {
        if (node->text[i] != 'S')
            continue;
        if (any)
            MS_PUT(p, ", ");
        any = true;
        ms_swift_print_number(p, i);
    }
    MS_PUT(p, "}");
}

/* Where the parts behind the function begin: at its first child of that kind. */
static uint32_t find_child(ms_swift_tree *node, enum ms_swift_kind kind)
{
    uint32_t i = 0;
    while (i < ms_swift_n_children(node) && node->child[i]->kind != kind)
        i++;
    return i;
}

static void print_range(struct ms_swift_printer *p, ms_swift_tree *node, uint32_t end)
{
    for (uint32_t i = 0; i < end && !p->bad; i++)
        ms_swift_print_node(p, ms_swift_kid(node, i));
}

static void print_with(struct ms_swift_printer *p, ms_swift_tree *signature)
{
    if (signature && !p->simplified) {
        MS_PUT(p, " with ");
        ms_swift_print_node(p, signature);
    }
}

static void print_autodiff_function(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t end = find_child(node, MS_SWIFT_AUTODIFF_FUNCTION_KIND), kind = end;
    ms_swift_tree *signature = NULL;
    if (node->kind == MS_SWIFT_AUTODIFF_DERIVATIVE_VTABLE_THUNK)
        MS_PUT(p, "vtable thunk for ");
    if (end > 1 && node->child[end - 1]->kind == MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE)
        signature = node->child[--end];
    print_derivative(p, ms_swift_kid(node, kind));
    MS_PUT(p, " of ");
    print_range(p, node, end);
    if (p->simplified)
        return;
    print_two(p, node, " with respect to parameters ", kind + 1, " and results ", kind + 2);
    print_with(p, signature);
}

static void print_subset_thunk(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t kind = find_child(node, MS_SWIFT_AUTODIFF_FUNCTION_KIND), end = kind;
    bool typed = end > 1 && node->child[end - 1]->kind == MS_SWIFT_TYPE;
    MS_PUT(p, "autodiff subset parameters thunk for ");
    print_derivative(p, ms_swift_kid(node, kind));
    MS_PUT(p, " from ");
    print_range(p, node, typed ? end - 1 : end);
    if (p->simplified)
        return;
    print_two(p, node, " with respect to parameters ", kind + 1, " and results ", kind + 2);
    MS_PUT(p, " to parameters ");
    ms_swift_print_node(p, ms_swift_kid(node, kind + 3));
    if (typed) {
        MS_PUT(p, " of type ");
        ms_swift_print_node(p, node->child[end - 1]);
    }
}

static void print_self_reordering(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *signature = ms_swift_kid_of(node, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE);
    MS_PUT(p, "autodiff self-reordering reabstraction thunk ");
    if (p->simplified) {
        MS_PUT(p, "for ");
        ms_swift_print_node(p, ms_swift_kid(node, 0));
        return;
    }
    MS_PUT(p, "for ");
    print_derivative(p, ms_swift_kid_of(node, MS_SWIFT_AUTODIFF_FUNCTION_KIND));
    if (signature) {
        MS_PUT(p, " ");
        ms_swift_print_node(p, signature);
    }
    print_two(p, node, " from ", 0, " to ", 1);
}

static void print_differentiability_witness(struct ms_swift_printer *p, ms_swift_tree *node)
{
    uint32_t kind = find_child(node, MS_SWIFT_INDEX);
    ms_swift_tree *index = ms_swift_kid(node, kind);
    switch (index && index->has_index ? index->index : 0) {
    case 'f':
        MS_PUT(p, "forward-mode");
        break;
    case 'r':
        MS_PUT(p, "reverse-mode");
        break;
    case 'd':
        MS_PUT(p, "normal");
        break;
    case 'l':
        MS_PUT(p, "linear");
        break;
    default:
        p->bad = true;
    }
    MS_PUT(p, " differentiability witness for ");
    print_range(p, node, kind);
    print_two(p, node, " with respect to parameters ", kind + 1, " and results ", kind + 2);
    print_with(p, ms_swift_kid(node, kind + 3));
}

static bool print_autodiff(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_AUTODIFF_FUNCTION:
    case MS_SWIFT_AUTODIFF_DERIVATIVE_VTABLE_THUNK:
        print_autodiff_function(p, node);
        return true;
    case MS_SWIFT_AUTODIFF_SUBSET_PARAMETERS_THUNK:
        print_subset_thunk(p, node);
        return true;
    case MS_SWIFT_AUTODIFF_SELF_REORDERING_REABSTRACTION_THUNK:
        print_self_reordering(p, node);
        return true;
    case MS_SWIFT_DIFFERENTIABILITY_WITNESS:
        print_differentiability_witness(p, node);
        return true;
    case MS_SWIFT_INDEX_SUBSET:
        print_subset(p, node);
        return true;
    default:
        return false;
    }
}

/* ---- witnesses --------------------------------------------------------------------------- */

static void print_value_witness(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *index = ms_swift_kid(node, 0);
    if (!index || !index->has_index) {
        p->bad = true;
        return;
    }
    ms_swift_puts(p, ms_swift_value_witnesses[index->index].name);
    if (p->simplified)
        MS_PUT(p, " for ");
    else
        MS_PUT(p, " value witness for ");
    ms_swift_print_node(p, ms_swift_kid(node, 1));
}

static void print_associated(struct ms_swift_printer *p, ms_swift_tree *node, const char *before)
{
    print_two(p, node, before, 0, ".", 1);
    MS_PUT(p, ": ");
    ms_swift_print_node(p, ms_swift_kid(node, 2));
}

static bool print_witness(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_PROTOCOL_WITNESS:
        print_two(p, node, "protocol witness for ", 1, " in conformance ", 0);
        return true;
    case MS_SWIFT_VALUE_WITNESS:
        print_value_witness(p, node);
        return true;
    case MS_SWIFT_LAZY_PROTOCOL_WITNESS_TABLE_ACCESSOR:
        print_two(p, node, "lazy protocol witness table accessor for type ", 0, " and conformance ",
                  1);
        return true;
    case MS_SWIFT_LAZY_PROTOCOL_WITNESS_TABLE_CACHE_VARIABLE:
        print_two(p, node, "lazy protocol witness table cache variable for type ", 0,
                  " and conformance ", 1);
        return true;
    case MS_SWIFT_ASSOCIATED_TYPE_METADATA_ACCESSOR:
        print_two(p, node, "associated type metadata accessor for ", 1, " in ", 0);
        return true;
    case MS_SWIFT_ASSOCIATED_TYPE_WITNESS_TABLE_ACCESSOR:
        print_two(p, node, "associated type witness table accessor for ", 1, " : ", 2);
        MS_PUT(p, " in ");
        ms_swift_print_node(p, ms_swift_kid(node, 0));
        return true;
    case MS_SWIFT_BASE_WITNESS_TABLE_ACCESSOR:
        print_two(p, node, "base witness table accessor for ", 1, " in ", 0);
        return true;
    case MS_SWIFT_ASSOCIATED_CONFORMANCE_DESCRIPTOR:
        print_associated(p, node, "associated conformance descriptor for ");
        return true;
    case MS_SWIFT_DEFAULT_ASSOCIATED_CONFORMANCE_ACCESSOR:
        print_associated(p, node, "default associated conformance accessor for ");
        return true;
    case MS_SWIFT_BASE_CONFORMANCE_DESCRIPTOR:
        print_two(p, node, "base conformance descriptor for ", 0, ": ", 1);
        return true;
    case MS_SWIFT_ASSOCIATED_TYPE_GENERIC_PARAM_REF:
        print_two(p, node, "generic parameter reference for associated type ", 0, "", 1);
        return true;
    default:
        return false;
    }
}

/* ---- the rest ---------------------------------------------------------------------------- */

static void print_once_list(struct ms_swift_printer *p, ms_swift_tree *node)
{
    bool several = ms_swift_n_children(node) != 1;
    if (several)
        MS_PUT(p, "(");
    ms_swift_print_children(p, node, 0, ", ");
    if (several)
        MS_PUT(p, ")");
}

static void print_field_offset(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *directness = ms_swift_kid(node, 0);
    if (directness && directness->has_index && directness->index)
        MS_PUT(p, "indirect ");
    else
        MS_PUT(p, "direct ");
    MS_PUT(p, "field offset for ");
    ms_swift_print_node(p, ms_swift_kid(node, 1));
}

bool ms_swift_print_thunk(struct ms_swift_printer *p, ms_swift_tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_REABSTRACTION_THUNK:
    case MS_SWIFT_REABSTRACTION_THUNK_HELPER:
    case MS_SWIFT_REABSTRACTION_THUNK_HELPER_WITH_SELF:
        print_reabstraction(p, node);
        return true;
    case MS_SWIFT_REABSTRACTION_THUNK_HELPER_WITH_GLOBAL_ACTOR:
        print_two(p, node, "", 0, " with global actor constraint ", 1);
        return true;
    case MS_SWIFT_VTABLE_THUNK:
        print_two(p, node, "vtable thunk for ", 1, " dispatching to ", 0);
        return true;
    case MS_SWIFT_OBJC_ASYNC_COMPLETION_HANDLER_IMPL:
    case MS_SWIFT_CHECKED_OBJC_ASYNC_COMPLETION_HANDLER_IMPL:
        print_completion_handler(p, node);
        return true;
    case MS_SWIFT_KEY_PATH_GETTER_THUNK_HELPER:
        print_key_path(p, node, "getter for ");
        return true;
    case MS_SWIFT_KEY_PATH_SETTER_THUNK_HELPER:
        print_key_path(p, node, "setter for ");
        return true;
    case MS_SWIFT_KEY_PATH_UNAPPLIED_METHOD_THUNK_HELPER:
        print_key_path(p, node, "unapplied method ");
        return true;
    case MS_SWIFT_KEY_PATH_APPLIED_METHOD_THUNK_HELPER:
        print_key_path(p, node, "applied method ");
        return true;
    case MS_SWIFT_KEY_PATH_EQUALS_THUNK_HELPER:
        print_key_path_indices(p, node, "equality");
        return true;
    case MS_SWIFT_KEY_PATH_HASH_THUNK_HELPER:
        print_key_path_indices(p, node, "hash");
        return true;
    case MS_SWIFT_FIELD_OFFSET:
        print_field_offset(p, node);
        return true;
    case MS_SWIFT_ONCE_FUNCTION:
        MS_PUT(p, "one-time initialization function for ");
        ms_swift_print_node(p, ms_swift_kid(node, 1));
        return true;
    case MS_SWIFT_ONCE_TOKEN:
        MS_PUT(p, "one-time initialization token for ");
        ms_swift_print_node(p, ms_swift_kid(node, 1));
        return true;
    case MS_SWIFT_ONCE_DECL_LIST:
        print_once_list(p, node);
        return true;
    case MS_SWIFT_OUTLINED_ENUM_TAG_STORE:
        MS_PUT(p, "outlined enum tag store of ");
        ms_swift_print_node(p, ms_swift_kid(node, 0));
        return true;
    case MS_SWIFT_OUTLINED_ENUM_PROJECT_DATA_FOR_LOAD:
        MS_PUT(p, "outlined enum project data for load of ");
        ms_swift_print_node(p, ms_swift_kid(node, 0));
        return true;
    default:
        return print_witness(p, node) || print_autodiff(p, node);
    }
}
