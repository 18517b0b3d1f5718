/*
 * What Swift's operators have in common: numbers, operands from the stack, nodes that are the
 * same in every name, and operators that are no more than a kind and its operands.
 */
#include "demangle/swift_read.h"

#include <string.h>

int64_t ms_sr_natural(struct ms_sr *r)
{
    const char *at = r->at;
    if (at == r->end || !ms_sr_is_digit((unsigned char)*at))
        return -1;
    int64_t value = 0;
    do {
        value = value * 10 + (*at++ - '0');
        if (value > INT32_MAX) {
            ms_sr_fail(r, MS_NAME_MALFORMED);
            return -2;
        }
    } while (at < r->end && ms_sr_is_digit((unsigned char)*at));
    r->at = at;
    return value;
}

int64_t ms_sr_index(struct ms_sr *r)
{
    if (ms_sr_eat(r, '_'))
        return 0;
    int64_t value = ms_sr_natural(r);
    return value >= 0 && value < INT32_MAX && ms_sr_eat(r, '_') ? value + 1 : -1;
}

struct ms_swift_node *ms_sr_index_node(struct ms_sr *r, enum ms_swift_kind kind)
{
    int64_t index = ms_sr_index(r);
    return index >= 0 ? ms_sr_number(r, kind, (uint64_t)index) : NULL;
}

struct ms_swift_node *ms_sr_copy(struct ms_sr *r, const struct ms_swift_node *node,
                                 enum ms_swift_kind kind)
{
    struct ms_swift_node *copy = ms_sr_make(r, kind);
    for (uint32_t i = 0; copy && i < ms_swift_n_children(node); i++)
        if (!ms_sr_add(r, copy, node->child[i]))
            return NULL;
    return copy;
}

bool ms_sr_grow(struct ms_sr *r, struct ms_swift_node ***array, uint32_t n, uint32_t *room)
{
    struct ms_swift_node **wider =
        n <= UINT32_MAX / 2 ? ms_arena_take(r->arena, 2 * (size_t)n * sizeof **array) : NULL;
    if (!wider) {
        ms_sr_no_memory(r);
        return false;
    }
    memcpy(wider, *array, n * sizeof *wider);
    *array = wider;
    *room = 2 * n;
    return true;
}

struct ms_swift_node *ms_sr_leaf(enum ms_swift_kind kind)
{
    static const struct ms_swift_node leaves[MS_SWIFT_N_KINDS] = {
#define X(name, flags, phrase) [MS_SWIFT_##name] = {.kind = MS_SWIFT_##name},
        MS_SWIFT_KINDS(X)
#undef X
    };
    return (struct ms_swift_node *)&leaves[kind];
}

#define MODULE(name)                                                                               \
    {.kind = MS_SWIFT_MODULE, .has_text = true, .n = sizeof(name) - 1, .text = (name)}
static const struct ms_swift_node modules[3] = {MODULE("Swift"), MODULE("__C"),
                                                MODULE("__C_Synthesized")};

struct ms_swift_node *ms_sr_module_swift(void)
{
    return (struct ms_swift_node *)&modules[0];
}

struct ms_swift_node *ms_sr_module_objc(void)
{
    return (struct ms_swift_node *)&modules[1];
}

struct ms_swift_node *ms_sr_module_c(void)
{
    return (struct ms_swift_node *)&modules[2];
}

struct ms_swift_node *ms_sr_pop_module(struct ms_sr *r)
{
    struct ms_swift_node *top = ms_sr_top(r);
    if (!top || (top->kind != MS_SWIFT_IDENTIFIER && top->kind != MS_SWIFT_MODULE))
        return NULL;
    r->n_stack--;
    return top->kind == MS_SWIFT_MODULE ? top : ms_sr_text(r, MS_SWIFT_MODULE, top->text, top->n);
}

struct ms_swift_node *ms_sr_pop_context(struct ms_sr *r)
{
    struct ms_swift_node *top = ms_sr_top(r);
    if (!top)
        return NULL;
    if (top->kind == MS_SWIFT_TYPE) {
        r->n_stack--;
        struct ms_swift_node *child = top->child[0];
        return ms_swift_flags[child->kind] & MS_SWIFT_CONTEXT ? child : NULL;
    }
    if (top->kind == MS_SWIFT_IDENTIFIER)
        return ms_sr_pop_module(r);
    return ms_sr_pop_flag(r, MS_SWIFT_CONTEXT);
}

struct ms_swift_node *ms_sr_pop_entity(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r);
    return type ? type : ms_sr_pop_flag(r, MS_SWIFT_CONTEXT);
}

static bool is_protocol(const struct ms_swift_node *type)
{
    return type->child[0]->kind == MS_SWIFT_PROTOCOL;
}

struct ms_swift_node *ms_sr_pop_protocol(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r);
    if (type)
        return is_protocol(type) ? type : NULL;
    struct ms_swift_node *name = ms_sr_pop_decl_name(r);
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_PROTOCOL, context, name));
}

struct ms_swift_node *ms_sr_pop_nominal(struct ms_sr *r)
{
    struct ms_swift_node *child = ms_sr_pop_type_child(r);
    if (!child)
        return NULL;
    switch (child->kind) {
    case MS_SWIFT_CLASS:
    case MS_SWIFT_STRUCTURE:
    case MS_SWIFT_ENUM:
    case MS_SWIFT_PROTOCOL:
    case MS_SWIFT_OTHER_NOMINAL_TYPE:
    case MS_SWIFT_TYPE_ALIAS:
    case MS_SWIFT_BUILTIN_TUPLE_TYPE:
        return child;
    default:
        return NULL;
    }
}

/*
 * A list into children of `list`: "y", or elements of which the first has a marker behind it.
 * Returns list, or NULL.
 */
static struct ms_swift_node *pop_list(struct ms_sr *r, struct ms_swift_node *list,
                                      ms_sr_operator *pop_element)
{
    if (!list || ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST))
        return list;
    bool is_first;
    do {
        is_first = ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER);
        if (!ms_sr_add(r, list, pop_element(r)))
            return NULL;
    } while (!is_first);
    ms_swift_reverse(list);
    return list;
}

struct ms_swift_node *ms_sr_pop_types(struct ms_sr *r, enum ms_swift_kind kind)
{
    return pop_list(r, ms_sr_make(r, kind), ms_sr_pop_type);
}

struct ms_swift_node *ms_sr_pop_protocol_list(struct ms_sr *r)
{
    struct ms_swift_node *types = ms_sr_make(r, MS_SWIFT_TYPE_LIST);
    return ms_sr_make_1(r, MS_SWIFT_PROTOCOL_LIST, pop_list(r, types, ms_sr_pop_protocol));
}

struct ms_swift_node *ms_sr_pop_assoc_name(struct ms_sr *r)
{
    struct ms_swift_node *protocol = ms_sr_pop_type(r);
    if (protocol && !is_protocol(protocol))
        return NULL;
    struct ms_swift_node *name = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER);
    return protocol ? ms_sr_make_2(r, MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF, name, protocol)
                    : ms_sr_make_1(r, MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF, name);
}

struct ms_swift_node *ms_sr_pop_assoc_path(struct ms_sr *r)
{
    struct ms_swift_node *top = ms_sr_top(r);
    if (top && top->kind == MS_SWIFT_EMPTY_LIST) /* a path has a name at least */
        return NULL;
    return pop_list(r, ms_sr_make(r, MS_SWIFT_ASSOC_TYPE_PATH), ms_sr_pop_assoc_name);
}

struct ms_swift_node *ms_sr_by_rule(struct ms_sr *r, const struct ms_sr_rule *rules)
{
    static ms_sr_operator *const pops[MS_SR_N_OPERANDS] = {
        [MS_SR_ANY] = ms_sr_pop,
        [MS_SR_TYPE] = ms_sr_pop_type,
        [MS_SR_CHILD] = ms_sr_pop_type_child,
        [MS_SR_ENTITY] = ms_sr_pop_entity,
        [MS_SR_CONTEXT] = ms_sr_pop_context,
        [MS_SR_MODULE] = ms_sr_pop_module,
        [MS_SR_PROTOCOL] = ms_sr_pop_protocol,
        [MS_SR_CONFORMANCE] = ms_sr_pop_conformance,
        [MS_SR_DECL_NAME] = ms_sr_pop_decl_name,
        [MS_SR_ASSOC_NAME] = ms_sr_pop_assoc_name,
        [MS_SR_ASSOC_PATH] = ms_sr_pop_assoc_path,
        [MS_SR_NOMINAL] = ms_sr_pop_nominal,
        [MS_SR_PROTOCOL_LIST] = ms_sr_pop_protocol_list,
    };
    unsigned char letter = ms_sr_next(r);
    if (letter >= 128)
        return ms_sr_unknown(r, letter);
    const struct ms_sr_rule *rule = &rules[letter];
    if (rule->read)
        return rule->read(r);
    if (rule->kind == MS_SWIFT_NONE)
        return ms_sr_unknown(r, letter);
    if (!rule->operand[0])
        return ms_sr_leaf((enum ms_swift_kind)rule->kind);
    unsigned n = 1;
    while (n < 3 && rule->operand[n])
        n++;
    struct ms_swift_node *children[3];
    for (unsigned i = n; i-- > 0;) {
        children[i] = pops[rule->operand[i]](r);
        if (!children[i])
            return NULL;
    }
    struct ms_swift_node *node = ms_sr_make(r, (enum ms_swift_kind)rule->kind);
    for (unsigned i = 0; i < n; i++)
        if (!ms_sr_add(r, node, children[i]))
            return NULL;
    return rule->is_type ? ms_sr_type(r, node) : node;
}
