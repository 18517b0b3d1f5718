/* Conformances of types to protocols: as such, and as generic arguments rely on them. */
#include "demangle/swift_read.h"

struct ms_swift_node *ms_sr_pop_conformance(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *module = ms_sr_pop_module(r);
    struct ms_swift_node *protocol = module ? ms_sr_pop_protocol(r) : NULL;
    struct ms_swift_node *type = protocol ? ms_sr_pop_type(r) : NULL;
    if (signature)
        type = ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_TYPE, signature, type));
    return ms_sr_make_3(r, MS_SWIFT_PROTOCOL_CONFORMANCE, type, protocol, module);
}

struct ms_swift_node *ms_sr_pop_any_conformance(struct ms_sr *r)
{
    const struct ms_swift_node *top = ms_sr_top(r);
    if (!top)
        return NULL;
    switch (top->kind) {
    case MS_SWIFT_CONCRETE_PROTOCOL_CONFORMANCE:
    case MS_SWIFT_PACK_PROTOCOL_CONFORMANCE:
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ROOT:
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED:
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED:
    case MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_OPAQUE:
        return ms_sr_pop(r);
    default:
        return NULL;
    }
}

/* One that another is derived from. */
static struct ms_swift_node *pop_dependent(struct ms_sr *r)
{
    const struct ms_swift_node *top = ms_sr_top(r);
    bool is = top && (top->kind == MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ROOT ||
                      top->kind == MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED ||
                      top->kind == MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED);
    return is ? ms_sr_pop(r) : NULL;
}

/* ANY_PROTOCOL_CONFORMANCE_LIST */
static struct ms_swift_node *pop_list(struct ms_sr *r)
{
    struct ms_swift_node *list = ms_sr_make(r, MS_SWIFT_ANY_PROTOCOL_CONFORMANCE_LIST);
    if (!list || ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST))
        return list;
    bool is_first;
    do {
        is_first = ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER);
        if (!ms_sr_add(r, list, ms_sr_pop_any_conformance(r)))
            return NULL;
    } while (!is_first);
    ms_swift_reverse(list);
    return list;
}

static struct ms_swift_node *concrete(struct ms_sr *r)
{
    struct ms_swift_node *conditional = pop_list(r);
    struct ms_swift_node *reference =
        ms_sr_pop_kind(r, MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE);
    if (!reference)
        reference = ms_sr_pop_kind(r, MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE);
    if (!reference) {
        struct ms_swift_node *module = ms_sr_pop_module(r);
        reference = ms_sr_make_2(r, MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_OTHER_MODULE,
                                 module ? ms_sr_pop_protocol(r) : NULL, module);
    }
    return ms_sr_make_3(r, MS_SWIFT_CONCRETE_PROTOCOL_CONFORMANCE,
                        reference ? ms_sr_pop_type(r) : NULL, reference, conditional);
}

/* Which of a signature's conformances: 1 is unknown, from 2 on they count. */
static struct ms_swift_node *conformance_index(struct ms_sr *r)
{
    int64_t index = ms_sr_index(r);
    if (index <= 0)
        return NULL;
    return index == 1 ? ms_sr_leaf(MS_SWIFT_UNKNOWN_INDEX)
                      : ms_sr_number(r, MS_SWIFT_INDEX, (uint64_t)index - 2);
}

static struct ms_swift_node *root(struct ms_sr *r)
{
    struct ms_swift_node *index = conformance_index(r);
    struct ms_swift_node *protocol = index ? ms_sr_pop_protocol(r) : NULL;
    return ms_sr_make_3(r, MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ROOT,
                        protocol ? ms_sr_pop_type(r) : NULL, protocol, index);
}

static struct ms_swift_node *inherited(struct ms_sr *r)
{
    struct ms_swift_node *index = conformance_index(r);
    struct ms_swift_node *protocol = index ? ms_sr_pop_protocol(r) : NULL;
    return ms_sr_make_3(r, MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED,
                        protocol ? pop_dependent(r) : NULL, protocol, index);
}

static struct ms_swift_node *of_associated(struct ms_sr *r)
{
    struct ms_swift_node *index = conformance_index(r);
    struct ms_swift_node *protocol = index ? ms_sr_pop_protocol(r) : NULL;
    struct ms_swift_node *type = protocol ? ms_sr_pop_type(r) : NULL;
    struct ms_swift_node *of =
        ms_sr_make_2(r, MS_SWIFT_DEPENDENT_ASSOCIATED_CONFORMANCE, type, protocol);
    return ms_sr_make_3(r, MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED,
                        of ? pop_dependent(r) : NULL, of, index);
}

static struct ms_swift_node *of_opaque(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r);
    return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_PROTOCOL_CONFORMANCE_OPAQUE,
                        type ? pop_dependent(r) : NULL, type);
}

static struct ms_swift_node *of_pack(struct ms_sr *r)
{
    return ms_sr_make_1(r, MS_SWIFT_PACK_PROTOCOL_CONFORMANCE, pop_list(r));
}

struct ms_swift_node *ms_sr_conformance(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {.read = of_associated},
        ['C'] = {.read = concrete},
        ['D'] = {.read = root},
        ['F'] = {.kind = MS_SWIFT_ACCESSIBLE_FUNCTION_RECORD},
        ['I'] = {.read = inherited},
        ['O'] = {.read = of_opaque},
        ['P'] = {MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE, {MS_SR_PROTOCOL}, false, NULL},
        ['X'] = {.read = of_pack},
        ['c'] = {MS_SWIFT_PROTOCOL_CONFORMANCE_DESCRIPTOR_RECORD, {MS_SR_CONFORMANCE}, false, NULL},
        ['n'] = {MS_SWIFT_NOMINAL_TYPE_DESCRIPTOR_RECORD, {MS_SR_TYPE}, false, NULL},
        ['o'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR_RECORD, {MS_SR_ANY}, false, NULL},
        ['p'] = {MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE,
                 {MS_SR_PROTOCOL},
                 false,
                 NULL},
        ['r'] = {MS_SWIFT_PROTOCOL_DESCRIPTOR_RECORD, {MS_SR_PROTOCOL}, false, NULL},
    };
    return ms_sr_by_rule(r, rules);
}

struct ms_swift_node *ms_sr_retroactive(struct ms_sr *r)
{
    struct ms_swift_node *index = ms_sr_index_node(r, MS_SWIFT_INDEX);
    return ms_sr_make_2(r, MS_SWIFT_RETROACTIVE_CONFORMANCE, index,
                        index ? ms_sr_pop_any_conformance(r) : NULL);
}
