/* Function types of SIL, the compiler's intermediate language, as thunks have them. */
#include "demangle/swift_read.h"

/* A letter and the text it stands for, as a node. */
struct convention {
    char letter;
    struct ms_swift_node node;
};

#define TEXT(node_kind, string)                                                                    \
    {.kind = MS_SWIFT_##node_kind, .has_text = true, .n = sizeof(string) - 1, .text = (string)}
#define CONVENTION(letter, string) {letter, TEXT(IMPL_CONVENTION, string)}

static const struct convention callee_conventions[] = {
    CONVENTION('g', "@callee_guaranteed"),
    CONVENTION('x', "@callee_owned"),
    CONVENTION('y', "@callee_unowned"),
    CONVENTION('t', "@convention(thin)"),
    CONVENTION(0, ""),
};

static const struct convention parameter_conventions[] = {
    CONVENTION('g', "@guaranteed"),
    CONVENTION('n', "@in_guaranteed"),
    CONVENTION('x', "@owned"),
    CONVENTION('y', "@unowned"),
    CONVENTION('i', "@in"),
    CONVENTION('l', "@inout"),
    CONVENTION('b', "@inout_aliasable"),
    CONVENTION('c', "@in_constant"),
    CONVENTION('X', "@in_cxx"),
    CONVENTION('e', "@deallocating"),
    CONVENTION('v', "@pack_owned"),
    CONVENTION('p', "@pack_guaranteed"),
    CONVENTION('m', "@pack_inout"),
    CONVENTION(0, ""),
};

static const struct convention result_conventions[] = {
    CONVENTION('o', "@owned"),
    CONVENTION('d', "@unowned"),
    CONVENTION('r', "@out"),
    CONVENTION('u', "@unowned_inner_pointer"),
    CONVENTION('a', "@autoreleased"),
    CONVENTION('k', "@pack_out"),
    CONVENTION('l', "@guaranteed_address"),
    CONVENTION('g', "@guaranteed"),
    CONVENTION('m', "@inout"),
    CONVENTION(0, ""),
};

static const struct convention function_conventions[] = {
    {'B', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "block")},
    {'C', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "c")},
    {'M', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "method")},
    {'O', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "objc_method")},
    {'K', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "closure")},
    {'W', TEXT(IMPL_FUNCTION_CONVENTION_NAME, "witness_method")},
    CONVENTION(0, ""),
};

static const struct convention coroutine_kinds[] = {
    {'A', TEXT(IMPL_FUNCTION_ATTRIBUTE, "@yield_once")},
    {'I', TEXT(IMPL_FUNCTION_ATTRIBUTE, "@yield_once_2")},
    {'G', TEXT(IMPL_FUNCTION_ATTRIBUTE, "@yield_many")},
    CONVENTION(0, ""),
};

/* Each may be there, in this order. */
static const struct convention function_attributes[] = {
    {'h', TEXT(IMPL_FUNCTION_ATTRIBUTE, "@Sendable")},
    {'H', TEXT(IMPL_FUNCTION_ATTRIBUTE, "@async")},
    {'T', {.kind = MS_SWIFT_IMPL_SENDING_RESULT}},
    CONVENTION(0, ""),
};

static const struct convention parameter_attributes[] = {
    {'w', TEXT(IMPL_PARAMETER_ATTRIBUTE, "@noDerivative")},
    {'T', TEXT(IMPL_PARAMETER_ATTRIBUTE, "sending")},
    {'I', TEXT(IMPL_PARAMETER_ATTRIBUTE, "isolated")},
    {'L', TEXT(IMPL_PARAMETER_ATTRIBUTE, "sil_implicit_leading_param")},
    CONVENTION(0, ""),
};

static const struct convention result_attributes[] = {
    {'w', TEXT(IMPL_PARAMETER_ATTRIBUTE, "@noDerivative")},
    CONVENTION(0, ""),
};

/* The next letter's node; NULL, and nothing is read, when it isn't among them. */
static struct ms_swift_node *take(struct ms_sr *r, const struct convention *among)
{
    unsigned char c = ms_sr_peek(r);
    for (; among->letter; among++)
        if (c == (unsigned char)among->letter) {
            r->at++;
            return (struct ms_swift_node *)&among->node;
        }
    return NULL;
}

static bool add_all(struct ms_sr *r, struct ms_swift_node *node, const struct convention *among)
{
    for (; among->letter; among++)
        if (ms_sr_eat(r, among->letter) &&
            !ms_sr_add(r, node, (struct ms_swift_node *)&among->node))
            return false;
    return true;
}

/* What the type's own generic parameters stand for. */
static bool add_substitutions(struct ms_sr *r, struct ms_swift_node *function,
                              enum ms_swift_kind kind)
{
    struct ms_swift_node *lists, *retroactive, *node = ms_sr_make(r, kind);
    if (!node || !ms_sr_pop_bound_generics(r, &lists, &retroactive) || lists->n != 1)
        return false;
    if (kind == MS_SWIFT_IMPL_PATTERN_SUBSTITUTIONS && !ms_sr_add(r, node, ms_sr_pop_signature(r)))
        return false;
    if (!ms_sr_add(r, node, lists->child[0]) || (retroactive && !ms_sr_add(r, node, retroactive)))
        return false;
    return ms_sr_add(r, function, node);
}

static bool add_function_convention(struct ms_sr *r, struct ms_swift_node *function)
{
    bool has_clang_type =
        r->end - r->at >= 2 && r->at[0] == 'z' && (r->at[1] == 'B' || r->at[1] == 'C');
    r->at += has_clang_type;
    struct ms_swift_node *name = take(r, function_conventions);
    if (!name)
        return true;
    struct ms_swift_node *node = ms_sr_make_1(r, MS_SWIFT_IMPL_FUNCTION_CONVENTION, name);
    if (has_clang_type && !ms_sr_add(r, node, ms_sr_clang_type(r)))
        return false;
    return ms_sr_add(r, function, node);
}

/* What is in front of the parameters. */
static bool add_head(struct ms_sr *r, struct ms_swift_node *function)
{
    if (ms_sr_eat(r, 's') && !add_substitutions(r, function, MS_SWIFT_IMPL_PATTERN_SUBSTITUTIONS))
        return false;
    if (ms_sr_eat(r, 'I') &&
        !add_substitutions(r, function, MS_SWIFT_IMPL_INVOCATION_SUBSTITUTIONS))
        return false;
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    if (signature && ms_sr_eat(r, 'P')) {
        signature = ms_sr_copy(r, signature, MS_SWIFT_DEPENDENT_PSEUDOGENERIC_SIGNATURE);
        if (!signature)
            return false;
    }
    if (ms_sr_eat(r, 'e') && !ms_sr_add(r, function, ms_sr_leaf(MS_SWIFT_IMPL_ESCAPING)))
        return false;
    if (ms_sr_eat(r, 'A') && !ms_sr_add(r, function, ms_sr_leaf(MS_SWIFT_IMPL_ERASED_ISOLATION)))
        return false;
    unsigned char c = ms_sr_peek(r);
    if (c == 'd' || c == 'l' || c == 'f' || c == 'r') {
        r->at++;
        if (!ms_sr_add(r, function, ms_sr_number(r, MS_SWIFT_IMPL_DIFFERENTIABILITY, c)))
            return false;
    }
    struct ms_swift_node *callee = take(r, callee_conventions);
    if (!callee) {
        ms_sr_unknown(r, ms_sr_next(r));
        return false;
    }
    if (!ms_sr_add(r, function, callee) || !add_function_convention(r, function))
        return false;
    struct ms_swift_node *coroutine = take(r, coroutine_kinds);
    if ((coroutine && !ms_sr_add(r, function, coroutine)) ||
        !add_all(r, function, function_attributes))
        return false;
    return !signature || ms_sr_add(r, function, signature);
}

/* A node of the kind with the next letter's convention. True and *found false: there is none. */
static bool add_value(struct ms_sr *r, struct ms_swift_node *function, enum ms_swift_kind kind,
                      const struct convention *conventions, const struct convention *attributes,
                      bool *found)
{
    struct ms_swift_node *convention = take(r, conventions);
    *found = convention;
    if (!convention)
        return true;
    struct ms_swift_node *value = ms_sr_make_1(r, kind, convention);
    return value && (!attributes || add_all(r, value, attributes)) && ms_sr_add(r, function, value);
}

/* Parameters, results, yields, and an error, without their types. */
static bool add_values(struct ms_sr *r, struct ms_swift_node *function)
{
    bool found = true;
    while (found)
        if (!add_value(r, function, MS_SWIFT_IMPL_PARAMETER, parameter_conventions,
                       parameter_attributes, &found))
            return false;
    for (found = true; found;)
        if (!add_value(r, function, MS_SWIFT_IMPL_RESULT, result_conventions, result_attributes,
                       &found))
            return false;
    while (ms_sr_eat(r, 'Y'))
        if (!add_value(r, function, MS_SWIFT_IMPL_YIELD, parameter_conventions, NULL, &found) ||
            !found)
            return false;
    if (ms_sr_eat(r, 'z') &&
        (!add_value(r, function, MS_SWIFT_IMPL_ERROR_RESULT, result_conventions, NULL, &found) ||
         !found))
        return false;
    if (ms_sr_eat(r, '_'))
        return true;
    ms_sr_unknown(r, ms_sr_next(r));
    return false;
}

struct ms_swift_node *ms_sr_sil_function(struct ms_sr *r)
{
    struct ms_swift_node *function = ms_sr_make(r, MS_SWIFT_IMPL_FUNCTION_TYPE);
    if (!function || !add_head(r, function))
        return NULL;
    uint32_t first = function->n;
    if (!add_values(r, function))
        return NULL;
    for (uint32_t i = function->n; i-- > first;)
        if (!ms_sr_add(r, function->child[i], ms_sr_pop_type(r)))
            return NULL;
    return ms_sr_type(r, function);
}
