/* Thunks, and what else is said of whole functions, behind T. */
#include "demangle/swift_read.h"

/* Adds the nodes stack[from] to stack[to - 1], which were popped. */
static bool add_popped(struct ms_sr *r, struct ms_swift_node *node, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        if (!ms_sr_add(r, node, r->stack[i]))
            return false;
    return true;
}

static struct ms_swift_node *reabstraction(struct ms_sr *r)
{
    char letter = r->at[-1];
    struct ms_swift_node *thunk =
        ms_sr_make(r, letter == 'R'   ? MS_SWIFT_REABSTRACTION_THUNK_HELPER
                      : letter == 'y' ? MS_SWIFT_REABSTRACTION_THUNK_HELPER_WITH_SELF
                                      : MS_SWIFT_REABSTRACTION_THUNK);
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    if (signature && !ms_sr_add(r, thunk, signature))
        return NULL;
    for (int i = letter == 'y' ? 3 : 2; i > 0; i--)
        if (!ms_sr_add(r, thunk, ms_sr_pop_type(r)))
            return NULL;
    return thunk;
}

static struct ms_swift_node *completion_handler(struct ms_sr *r)
{
    enum ms_swift_kind kind = r->at[-1] == 'z'
                                  ? MS_SWIFT_OBJC_ASYNC_COMPLETION_HANDLER_IMPL
                                  : MS_SWIFT_CHECKED_OBJC_ASYNC_COMPLETION_HANDLER_IMPL;
    struct ms_swift_node *flags = ms_sr_index_node(r, MS_SWIFT_NUMBER);
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *result = ms_sr_pop_type(r), *type = ms_sr_pop_type(r);
    struct ms_swift_node *node = ms_sr_make_3(r, kind, type, result, flags);
    return !signature || ms_sr_add(r, node, signature) ? node : NULL;
}

static struct ms_swift_node *resume(struct ms_sr *r)
{
    enum ms_swift_kind kind = r->at[-1] == 'Q' ? MS_SWIFT_ASYNC_AWAIT_RESUME_PARTIAL
                                               : MS_SWIFT_ASYNC_SUSPEND_RESUME_PARTIAL;
    return ms_sr_make_1(r, kind, ms_sr_index_node(r, MS_SWIFT_NUMBER));
}

/* Of a key path: the declaration, its signature?, the types of root and value and what else is
 * captured. */
static struct ms_swift_node *key_path(struct ms_sr *r)
{
    enum ms_swift_kind kind = r->at[-1] == 'K' ? MS_SWIFT_KEY_PATH_GETTER_THUNK_HELPER
                                               : MS_SWIFT_KEY_PATH_SETTER_THUNK_HELPER;
    if (r->end - r->at >= 2 && r->at[0] == 'm' && r->at[1] == 'u') {
        kind = MS_SWIFT_KEY_PATH_UNAPPLIED_METHOD_THUNK_HELPER;
        r->at += 2;
    } else if (r->end - r->at >= 2 && r->at[0] == 'M' && r->at[1] == 'A') {
        kind = MS_SWIFT_KEY_PATH_APPLIED_METHOD_THUNK_HELPER;
        r->at += 2;
    }
    bool is_serialized = ms_sr_eat(r, 'q');
    uint32_t end = r->n_stack;
    while (ms_sr_pop_type(r))
        continue;
    uint32_t first = r->n_stack;
    if (first == end)
        return NULL;
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *node = ms_sr_make_1(r, kind, ms_sr_pop(r));
    if (!node || (signature && !ms_sr_add(r, node, signature)) ||
        !add_popped(r, node, first, end) ||
        (is_serialized && !ms_sr_add(r, node, ms_sr_leaf(MS_SWIFT_IS_SERIALIZED))))
        return NULL;
    return node;
}

/* Equality or hash of the indices in a key path: their types, and a signature?. */
static struct ms_swift_node *key_path_indices(struct ms_sr *r)
{
    enum ms_swift_kind kind = r->at[-1] == 'H' ? MS_SWIFT_KEY_PATH_EQUALS_THUNK_HELPER
                                               : MS_SWIFT_KEY_PATH_HASH_THUNK_HELPER;
    bool is_serialized = ms_sr_eat(r, 'q');
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *node = ms_sr_make(r, kind);
    uint32_t end = r->n_stack;
    while (ms_sr_pop_type(r))
        continue;
    if (!node || r->n_stack || (end == 0 && !signature) || !add_popped(r, node, 0, end) ||
        (signature && !ms_sr_add(r, node, signature)) ||
        (is_serialized && !ms_sr_add(r, node, ms_sr_leaf(MS_SWIFT_IS_SERIALIZED))))
        return NULL;
    return node;
}

static struct ms_swift_node *outlined_variable(struct ms_sr *r)
{
    int64_t index = ms_sr_index(r);
    if (index < 0)
        return NULL;
    return ms_sr_number(
        r, ms_sr_eat(r, 'r') ? MS_SWIFT_OUTLINED_READ_ONLY_OBJECT : MS_SWIFT_OUTLINED_VARIABLE,
        (uint64_t)index);
}

/* How each argument is bridged, to the next '_'. */
static struct ms_swift_node *bridged_method(struct ms_sr *r)
{
    const char *text = r->at;
    unsigned char c = ms_sr_next(r);
    if (c != 'o' && c != 'p' && c != 'a' && c != 'm')
        return NULL;
    while ((c = ms_sr_next(r)) == 'n' || c == 'b' || c == 'g')
        continue;
    if (c != '_')
        return NULL;
    return ms_sr_text(r, MS_SWIFT_OUTLINED_BRIDGED_METHOD, text, (size_t)(r->at - 1 - text));
}

static struct ms_swift_node *generic_specialization(struct ms_sr *r)
{
    switch (r->at[-1]) {
    case 'g':
        return ms_sr_generic_specialization(r, MS_SWIFT_GENERIC_SPECIALIZATION);
    case 'G':
        return ms_sr_generic_specialization(r, MS_SWIFT_GENERIC_SPECIALIZATION_NOT_REABSTRACTED);
    case 'B':
        return ms_sr_generic_specialization(r,
                                            MS_SWIFT_GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN);
    case 's':
        return ms_sr_generic_specialization(r, MS_SWIFT_GENERIC_SPECIALIZATION_PRESPECIALIZED);
    case 'i':
        return ms_sr_generic_specialization(r, MS_SWIFT_INLINED_GENERIC_FUNCTION);
    case 'p':
        return ms_sr_partial_specialization(r, MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION);
    default:
        return ms_sr_partial_specialization(
            r, MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION_NOT_REABSTRACTED);
    }
}

static struct ms_swift_node *sil_thunk(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['I'] = {MS_SWIFT_SIL_THUNK_IDENTITY, {MS_SR_ENTITY}, false, NULL},
    };
    return ms_sr_by_rule(r, rules);
}

static struct ms_swift_node *two_letters(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['B'] = {.kind = MS_SWIFT_BACK_DEPLOYMENT_FALLBACK},
        ['S'] = {.kind = MS_SWIFT_HAS_SYMBOL_QUERY},
        ['b'] = {.kind = MS_SWIFT_BACK_DEPLOYMENT_THUNK},
        ['c'] = {.kind = MS_SWIFT_CORO_FUNCTION_POINTER},
        ['d'] = {.kind = MS_SWIFT_DEFAULT_OVERRIDE},
    };
    return ms_sr_by_rule(r, rules);
}

struct ms_swift_node *ms_sr_thunk(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {.kind = MS_SWIFT_PARTIAL_APPLY_FORWARDER},
        ['B'] = {.read = generic_specialization},
        ['C'] = {MS_SWIFT_CORO_CONTINUATION_PROTOTYPE, {MS_SR_TYPE}, false, NULL},
        ['D'] = {.kind = MS_SWIFT_DYNAMIC_ATTRIBUTE},
        ['E'] = {.kind = MS_SWIFT_DISTRIBUTED_THUNK},
        ['F'] = {.kind = MS_SWIFT_DISTRIBUTED_ACCESSOR},
        ['G'] = {.read = generic_specialization},
        ['H'] = {.read = key_path_indices},
        ['I'] = {.kind = MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_IMPL},
        ['J'] = {.read = ms_sr_autodiff_thunk},
        ['K'] = {.read = key_path},
        ['L'] = {MS_SWIFT_PROTOCOL_REQUIREMENTS_BASE_DESCRIPTOR, {MS_SR_PROTOCOL}, false, NULL},
        ['M'] = {MS_SWIFT_DEFAULT_ASSOCIATED_TYPE_METADATA_ACCESSOR,
                 {MS_SR_ASSOC_NAME},
                 false,
                 NULL},
        ['N'] = {MS_SWIFT_DEFAULT_ASSOCIATED_CONFORMANCE_ACCESSOR,
                 {MS_SR_TYPE, MS_SR_ASSOC_PATH, MS_SR_PROTOCOL},
                 false,
                 NULL},
        ['O'] = {.kind = MS_SWIFT_NON_OBJC_ATTRIBUTE},
        ['P'] = {.read = generic_specialization},
        ['Q'] = {.read = resume},
        ['R'] = {.read = reabstraction},
        ['S'] = {MS_SWIFT_PROTOCOL_SELF_CONFORMANCE_WITNESS, {MS_SR_ENTITY}, false, NULL},
        ['T'] = {.read = sil_thunk},
        ['U'] = {MS_SWIFT_REABSTRACTION_THUNK_HELPER_WITH_GLOBAL_ACTOR,
                 {MS_SR_ANY, MS_SR_TYPE},
                 false,
                 NULL},
        ['V'] = {MS_SWIFT_VTABLE_THUNK, {MS_SR_ENTITY, MS_SR_ENTITY}, false, NULL},
        ['W'] = {MS_SWIFT_PROTOCOL_WITNESS, {MS_SR_CONFORMANCE, MS_SR_ENTITY}, false, NULL},
        ['X'] = {.kind = MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_VAR},
        ['Y'] = {.read = resume},
        ['Z'] = {.read = completion_handler},
        ['a'] = {.kind = MS_SWIFT_PARTIAL_APPLY_OBJC_FORWARDER},
        ['b'] = {MS_SWIFT_BASE_CONFORMANCE_DESCRIPTOR, {MS_SR_TYPE, MS_SR_PROTOCOL}, false, NULL},
        ['c'] = {MS_SWIFT_CURRY_THUNK, {MS_SR_ENTITY}, false, NULL},
        ['d'] = {.kind = MS_SWIFT_DIRECT_METHOD_REFERENCE_ATTRIBUTE},
        ['e'] = {.read = bridged_method},
        ['f'] = {.read = ms_sr_function_specialization},
        ['g'] = {.read = generic_specialization},
        ['h'] = {.read = key_path_indices},
        ['i'] = {.read = generic_specialization},
        ['j'] = {MS_SWIFT_DISPATCH_THUNK, {MS_SR_ENTITY}, false, NULL},
        ['k'] = {.read = key_path},
        ['l'] = {MS_SWIFT_ASSOCIATED_TYPE_DESCRIPTOR, {MS_SR_ASSOC_NAME}, false, NULL},
        ['m'] = {.kind = MS_SWIFT_MERGED_FUNCTION},
        ['n'] = {MS_SWIFT_ASSOCIATED_CONFORMANCE_DESCRIPTOR,
                 {MS_SR_TYPE, MS_SR_ASSOC_PATH, MS_SR_PROTOCOL},
                 false,
                 NULL},
        ['o'] = {.kind = MS_SWIFT_OBJC_ATTRIBUTE},
        ['p'] = {.read = generic_specialization},
        ['q'] = {MS_SWIFT_METHOD_DESCRIPTOR, {MS_SR_ENTITY}, false, NULL},
        ['r'] = {.read = reabstraction},
        ['s'] = {.read = generic_specialization},
        ['t'] = {.read = ms_sr_dropped_arguments},
        ['u'] = {.kind = MS_SWIFT_ASYNC_FUNCTION_POINTER},
        ['v'] = {.read = outlined_variable},
        ['w'] = {.read = two_letters},
        ['x'] = {.kind = MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_KEY},
        ['y'] = {.read = reabstraction},
        ['z'] = {.read = completion_handler},
    };
    return ms_sr_by_rule(r, rules);
}
