/* Entities: functions, variables, subscripts and their accessors, initialisers, closures. */
#include "demangle/swift_read.h"

/* The node with child i replaced, made anew. */
static struct ms_swift_node *replaced(struct ms_sr *r, const struct ms_swift_node *node, uint32_t i,
                                      struct ms_swift_node *child)
{
    struct ms_swift_node *copy = child ? ms_sr_copy(r, node, (enum ms_swift_kind)node->kind) : NULL;
    if (copy)
        copy->child[i] = child;
    return copy;
}

/*
 * _T0: the labels from the elements of a tuple of arguments. Returns the tuple without them, and
 * the list of them, empty when no element has one.
 */
static struct ms_swift_node *split_labels(struct ms_sr *r, const struct ms_swift_node *tuple,
                                          struct ms_swift_node **list)
{
    struct ms_swift_node *bare = ms_sr_make(r, MS_SWIFT_TUPLE);
    struct ms_swift_node *labels = ms_sr_make(r, MS_SWIFT_LABEL_LIST);
    bool any = false;
    for (uint32_t i = 0; bare && i < tuple->n; i++) {
        const struct ms_swift_node *element = tuple->child[i];
        struct ms_swift_node *label = ms_sr_leaf(MS_SWIFT_FIRST_ELEMENT_MARKER);
        struct ms_swift_node *rest = ms_sr_make(r, MS_SWIFT_TUPLE_ELEMENT);
        for (uint32_t k = 0; k < element->n; k++) {
            struct ms_swift_node *part = element->child[k];
            if (part->kind == MS_SWIFT_TUPLE_ELEMENT_NAME) {
                label = ms_sr_text(r, MS_SWIFT_IDENTIFIER, part->text, part->n);
                any = true;
            } else if (!ms_sr_add(r, rest, part)) {
                return NULL;
            }
        }
        if (!ms_sr_add(r, bare, rest) || !ms_sr_add(r, labels, label))
            return NULL;
    }
    *list = any ? labels : ms_sr_leaf(MS_SWIFT_LABEL_LIST);
    return bare;
}

static bool take_old_labels(struct ms_sr *r, struct ms_swift_node **type,
                            const struct ms_swift_node *function,
                            const struct ms_swift_node *arguments, struct ms_swift_node **list)
{
    const struct ms_swift_node *tuple = arguments->child[0]->child[0];
    if (tuple->kind != MS_SWIFT_TUPLE) {
        *list = ms_sr_leaf(MS_SWIFT_LABEL_LIST);
        return true;
    }
    struct ms_swift_node *node = ms_sr_type(r, split_labels(r, tuple, list));
    node = ms_sr_make_1(r, MS_SWIFT_ARGUMENT_TUPLE, node);
    node = ms_sr_type(r, replaced(r, function, function->n - 2, node));
    const struct ms_swift_node *generic = (*type)->child[0];
    if (generic->kind == MS_SWIFT_DEPENDENT_GENERIC_TYPE)
        node = ms_sr_type(r, replaced(r, generic, 1, node));
    *type = node;
    return node;
}

/* Labels in their order from the stack; none when one of them isn't a label. */
static bool pop_listed_labels(struct ms_sr *r, uint32_t n, struct ms_swift_node **list)
{
    uint32_t end = r->n_stack;
    bool any = false;
    for (uint32_t i = 0; i < n; i++) {
        const struct ms_swift_node *label = ms_sr_pop(r);
        if (!label ||
            (label->kind != MS_SWIFT_IDENTIFIER && label->kind != MS_SWIFT_FIRST_ELEMENT_MARKER))
            return true;
        any |= label->kind == MS_SWIFT_IDENTIFIER;
    }
    if (!any) {
        *list = ms_sr_leaf(MS_SWIFT_LABEL_LIST);
        return true;
    }
    struct ms_swift_node *labels = ms_sr_make(r, MS_SWIFT_LABEL_LIST);
    for (uint32_t i = r->n_stack; i < end; i++)
        if (!ms_sr_add(r, labels, r->stack[i]))
            return false;
    *list = labels;
    return true;
}

bool ms_sr_pop_labels(struct ms_sr *r, struct ms_swift_node **type, struct ms_swift_node **list)
{
    *list = NULL;
    if (!r->old_labels && ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST)) {
        *list = ms_sr_leaf(MS_SWIFT_LABEL_LIST);
        return true;
    }
    const struct ms_swift_node *function = (*type)->child[0];
    if (function->kind == MS_SWIFT_DEPENDENT_GENERIC_TYPE)
        function = function->child[1]->child[0];
    if (function->kind != MS_SWIFT_FUNCTION_TYPE &&
        function->kind != MS_SWIFT_NO_ESCAPE_FUNCTION_TYPE)
        return true;
    const struct ms_swift_node *arguments = function->child[function->n - 2];
    const struct ms_swift_node *tuple = arguments->child[0]->child[0];
    uint32_t n = tuple->kind == MS_SWIFT_TUPLE ? tuple->n : 1;
    if (n == 0)
        return true;
    if (r->old_labels)
        return take_old_labels(r, type, function, arguments, list);
    return pop_listed_labels(r, n, list);
}

/* Adds what there is of labels; then the type. */
static struct ms_swift_node *with_type(struct ms_sr *r, struct ms_swift_node *entity,
                                       struct ms_swift_node *labels, struct ms_swift_node *type)
{
    if (labels && !ms_sr_add(r, entity, labels))
        return NULL;
    return ms_sr_add(r, entity, type) ? entity : NULL;
}

struct ms_swift_node *ms_sr_function(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r), *labels;
    struct ms_swift_node *type = ms_sr_pop_function_type(r, MS_SWIFT_FUNCTION_TYPE, false);
    if (!type || !ms_sr_pop_labels(r, &type, &labels))
        return NULL;
    if (signature)
        type = ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_TYPE, signature, type));
    struct ms_swift_node *name = ms_sr_pop_decl_name(r);
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return with_type(r, ms_sr_make_2(r, MS_SWIFT_FUNCTION, context, name), labels, type);
}

struct ms_swift_node *ms_sr_pop_declaration(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_swift_node *type = ms_sr_pop_type(r), *labels;
    if (!type || !ms_sr_pop_labels(r, &type, &labels))
        return NULL;
    struct ms_swift_node *name = ms_sr_pop_decl_name(r);
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return with_type(r, ms_sr_make_2(r, kind, context, name), labels, type);
}

/* The letters of an accessor; "p" is the storage itself. */
static struct ms_swift_node *accessor(struct ms_sr *r, struct ms_swift_node *storage)
{
    static const uint16_t kinds[128] = {
        ['G'] = MS_SWIFT_GLOBAL_GETTER,
        ['M'] = MS_SWIFT_MODIFY_ACCESSOR,
        ['W'] = MS_SWIFT_DID_SET,
        ['b'] = MS_SWIFT_BORROW_ACCESSOR,
        ['g'] = MS_SWIFT_GETTER,
        ['i'] = MS_SWIFT_INIT_ACCESSOR,
        ['m'] = MS_SWIFT_MATERIALIZE_FOR_SET,
        ['r'] = MS_SWIFT_READ_ACCESSOR,
        ['s'] = MS_SWIFT_SETTER,
        ['w'] = MS_SWIFT_WILL_SET,
        ['x'] = MS_SWIFT_MODIFY2_ACCESSOR,
        ['y'] = MS_SWIFT_READ2_ACCESSOR,
        ['z'] = MS_SWIFT_MUTATE_ACCESSOR,
    };
    static const uint16_t mutable_kinds[128] = {
        ['O'] = MS_SWIFT_OWNING_MUTABLE_ADDRESSOR,
        ['P'] = MS_SWIFT_NATIVE_PINNING_MUTABLE_ADDRESSOR,
        ['o'] = MS_SWIFT_NATIVE_OWNING_MUTABLE_ADDRESSOR,
        ['u'] = MS_SWIFT_UNSAFE_MUTABLE_ADDRESSOR,
    };
    static const uint16_t other_kinds[128] = {
        ['O'] = MS_SWIFT_OWNING_ADDRESSOR,
        ['o'] = MS_SWIFT_NATIVE_OWNING_ADDRESSOR,
        ['p'] = MS_SWIFT_NATIVE_PINNING_ADDRESSOR,
        ['u'] = MS_SWIFT_UNSAFE_ADDRESSOR,
    };
    unsigned char c = ms_sr_next(r);
    if (c == 'p')
        return storage;
    const uint16_t *table = c == 'a' ? mutable_kinds : c == 'l' ? other_kinds : kinds;
    if (table != kinds)
        c = ms_sr_next(r);
    uint16_t kind = c < 128 ? table[c] : 0;
    return kind ? ms_sr_make_1(r, (enum ms_swift_kind)kind, storage) : ms_sr_unknown(r, c);
}

struct ms_swift_node *ms_sr_variable(struct ms_sr *r)
{
    return accessor(r, ms_sr_pop_declaration(r, MS_SWIFT_VARIABLE));
}

/* Context, labels?, type, private name?: popped in the other order. */
static struct ms_swift_node *pop_unnamed(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_swift_node *name = ms_sr_pop_kind(r, MS_SWIFT_PRIVATE_DECL_NAME);
    struct ms_swift_node *type = ms_sr_pop_type(r), *labels;
    if (!type || !ms_sr_pop_labels(r, &type, &labels))
        return NULL;
    struct ms_swift_node *entity =
        with_type(r, ms_sr_make_1(r, kind, ms_sr_pop_context(r)), labels, type);
    return !name || ms_sr_add(r, entity, name) ? entity : NULL;
}

struct ms_swift_node *ms_sr_subscript(struct ms_sr *r)
{
    return accessor(r, pop_unnamed(r, MS_SWIFT_SUBSCRIPT));
}

struct ms_swift_node *ms_sr_extension(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *module = ms_sr_pop_module(r);
    struct ms_swift_node *nominal = module ? ms_sr_pop_nominal(r) : NULL;
    struct ms_swift_node *extension = ms_sr_make_2(r, MS_SWIFT_EXTENSION, module, nominal);
    return !signature || ms_sr_add(r, extension, signature) ? extension : NULL;
}

static struct ms_swift_node *allocator(struct ms_sr *r)
{
    return pop_unnamed(r, MS_SWIFT_ALLOCATOR);
}

static struct ms_swift_node *constructor(struct ms_sr *r)
{
    return pop_unnamed(r, MS_SWIFT_CONSTRUCTOR);
}

static struct ms_swift_node *closure(struct ms_sr *r)
{
    enum ms_swift_kind kind =
        r->at[-1] == 'U' ? MS_SWIFT_EXPLICIT_CLOSURE : MS_SWIFT_IMPLICIT_CLOSURE;
    struct ms_swift_node *number = ms_sr_index_node(r, MS_SWIFT_NUMBER);
    struct ms_swift_node *type = number ? ms_sr_pop_type(r) : NULL;
    struct ms_swift_node *context = type ? ms_sr_pop_context(r) : NULL;
    return ms_sr_make_3(r, kind, context, number, type);
}

static struct ms_swift_node *default_argument(struct ms_sr *r)
{
    struct ms_swift_node *number = ms_sr_index_node(r, MS_SWIFT_NUMBER);
    return ms_sr_make_2(r, MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER,
                        number ? ms_sr_pop_context(r) : NULL, number);
}

static struct ms_swift_node *macro(struct ms_sr *r)
{
    return ms_sr_pop_declaration(r, MS_SWIFT_MACRO);
}

static struct ms_swift_node *type_parameter(struct ms_sr *r)
{
    return ms_sr_pop_declaration(r, MS_SWIFT_GENERIC_TYPE_PARAM_DECL);
}

struct ms_swift_node *ms_sr_entity(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {.read = default_argument},
        ['C'] = {.read = allocator},
        ['D'] = {MS_SWIFT_DEALLOCATOR, {MS_SR_CONTEXT}, false, NULL},
        ['E'] = {MS_SWIFT_IVAR_DESTROYER, {MS_SR_CONTEXT}, false, NULL},
        ['F'] = {MS_SWIFT_PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR, {MS_SR_CONTEXT}, false, NULL},
        ['M'] = {.read = ms_sr_macro_expansion},
        ['P'] = {MS_SWIFT_PROPERTY_WRAPPER_BACKING_INITIALIZER, {MS_SR_CONTEXT}, false, NULL},
        ['U'] = {.read = closure},
        ['W'] = {MS_SWIFT_PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE, {MS_SR_CONTEXT}, false, NULL},
        ['Z'] = {MS_SWIFT_ISOLATED_DEALLOCATOR, {MS_SR_CONTEXT}, false, NULL},
        ['c'] = {.read = constructor},
        ['d'] = {MS_SWIFT_DESTRUCTOR, {MS_SR_CONTEXT}, false, NULL},
        ['e'] = {MS_SWIFT_IVAR_INITIALIZER, {MS_SR_CONTEXT}, false, NULL},
        ['i'] = {MS_SWIFT_INITIALIZER, {MS_SR_CONTEXT}, false, NULL},
        ['m'] = {.read = macro},
        ['p'] = {.read = type_parameter},
        ['u'] = {.read = closure},
    };
    return ms_sr_by_rule(r, rules);
}
