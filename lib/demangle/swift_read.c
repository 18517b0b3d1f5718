/*
 * Reading a Swift name into its tree: the machine itself, see swift_read.h. Operators are
 * found by their first letter in a table; each is a function of one of the files beside.
 */
#include "demangle/swift_read.h"

#include <string.h>

struct ms_swift_node *ms_sr_fail(struct ms_sr *r, enum ms_name_fault_kind kind)
{
    if (r->fault == MS_NAME_FINE)
        r->fault = kind;
    return NULL;
}

struct ms_swift_node *ms_sr_unknown(struct ms_sr *r, unsigned char letter)
{
    return ms_sr_fail(r, letter ? MS_NAME_UNKNOWN_OPERATOR : MS_NAME_MALFORMED);
}

struct ms_swift_node *ms_sr_no_memory(struct ms_sr *r)
{
    /* Blocks are a small part of the ceiling: within its last quarter it is what was hit. */
    const struct ms_arena *arena = r->arena;
    bool at_ceiling =
        arena->max_bytes && arena->total_bytes > arena->max_bytes - arena->max_bytes / 4;
    return ms_sr_fail(r, at_ceiling ? MS_NAME_TOO_LARGE : MS_NAME_NO_MEMORY);
}

static struct ms_swift_node *type_mangling(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r), *labels = NULL;
    if (!type || !ms_sr_pop_labels(r, &type, &labels))
        return NULL;
    return labels ? ms_sr_make_2(r, MS_SWIFT_TYPE_MANGLING, labels, type)
                  : ms_sr_make_1(r, MS_SWIFT_TYPE_MANGLING, type);
}

/* A name's node and its context, as TYPE of a nominal type. */
static inline struct ms_swift_node *nominal(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_swift_node *name = ms_sr_pop_decl_name(r);
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return ms_sr_remember(r, ms_sr_type(r, ms_sr_make_2(r, kind, context, name)));
}

static struct ms_swift_node *class_type(struct ms_sr *r)
{
    return nominal(r, MS_SWIFT_CLASS);
}

static struct ms_swift_node *struct_type(struct ms_sr *r)
{
    return nominal(r, MS_SWIFT_STRUCTURE);
}

static struct ms_swift_node *enum_type(struct ms_sr *r)
{
    return nominal(r, MS_SWIFT_ENUM);
}

static struct ms_swift_node *protocol_type(struct ms_sr *r)
{
    return nominal(r, MS_SWIFT_PROTOCOL);
}

static struct ms_swift_node *alias_type(struct ms_sr *r)
{
    return nominal(r, MS_SWIFT_TYPE_ALIAS);
}

static struct ms_swift_node *function_type(struct ms_sr *r)
{
    return ms_sr_pop_function_type(r, MS_SWIFT_FUNCTION_TYPE, false);
}

static struct ms_swift_node *swift_module(struct ms_sr *r)
{
    (void)r;
    return ms_sr_module_swift();
}

static struct ms_swift_node *suffix(struct ms_sr *r)
{
    const char *text = r->at - 1;
    r->at = r->end;
    return ms_sr_text(r, MS_SWIFT_SUFFIX, text, (size_t)(r->end - text));
}

static struct ms_swift_node *throws(struct ms_sr *r)
{
    (void)r;
    return ms_sr_leaf(MS_SWIFT_THROWS_ANNOTATION);
}

static struct ms_swift_node *variadic(struct ms_sr *r)
{
    (void)r;
    return ms_sr_leaf(MS_SWIFT_VARIADIC_MARKER);
}

static struct ms_swift_node *empty_list(struct ms_sr *r)
{
    (void)r;
    return ms_sr_leaf(MS_SWIFT_EMPTY_LIST);
}

static struct ms_swift_node *first_element(struct ms_sr *r)
{
    (void)r;
    return ms_sr_leaf(MS_SWIFT_FIRST_ELEMENT_MARKER);
}

/* Operators of one letter, and operands as a rule has them. */
static struct ms_swift_node *by_letter(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['N'] = {MS_SWIFT_TYPE_METADATA, {MS_SR_TYPE}, false, NULL},
        ['Z'] = {MS_SWIFT_STATIC, {MS_SR_ENTITY}, false, NULL},
        ['h'] = {MS_SWIFT_SHARED, {MS_SR_CHILD}, true, NULL},
        ['m'] = {MS_SWIFT_METATYPE, {MS_SR_TYPE}, true, NULL},
        ['n'] = {MS_SWIFT_OWNED, {MS_SR_CHILD}, true, NULL},
        ['z'] = {MS_SWIFT_INOUT, {MS_SR_CHILD}, true, NULL},
    };
    r->at--;
    return ms_sr_by_rule(r, rules);
}

static ms_sr_operator *const operators[128] = {
    ['0'] = ms_sr_identifier,
    ['1'] = ms_sr_identifier,
    ['2'] = ms_sr_identifier,
    ['3'] = ms_sr_identifier,
    ['4'] = ms_sr_identifier,
    ['5'] = ms_sr_identifier,
    ['6'] = ms_sr_identifier,
    ['7'] = ms_sr_identifier,
    ['8'] = ms_sr_identifier,
    ['9'] = ms_sr_identifier,
    ['A'] = ms_sr_substitution,
    ['B'] = ms_sr_builtin,
    ['C'] = class_type,
    ['D'] = type_mangling,
    ['E'] = ms_sr_extension,
    ['F'] = ms_sr_function,
    ['G'] = ms_sr_bound_generic,
    ['H'] = ms_sr_conformance,
    ['I'] = ms_sr_sil_function,
    ['K'] = throws,
    ['L'] = ms_sr_local_name,
    ['M'] = ms_sr_metadata,
    ['N'] = by_letter,
    ['O'] = enum_type,
    ['P'] = protocol_type,
    ['Q'] = ms_sr_archetype,
    ['R'] = ms_sr_requirement,
    ['S'] = ms_sr_standard_type,
    ['T'] = ms_sr_thunk,
    ['V'] = struct_type,
    ['W'] = ms_sr_witness,
    ['X'] = ms_sr_special,
    ['Y'] = ms_sr_annotated,
    ['Z'] = by_letter,
    ['a'] = alias_type,
    ['c'] = function_type,
    ['d'] = variadic,
    ['f'] = ms_sr_entity,
    ['g'] = ms_sr_retroactive,
    ['h'] = by_letter,
    ['i'] = ms_sr_subscript,
    ['l'] = ms_sr_one_parameter,
    ['m'] = by_letter,
    ['n'] = by_letter,
    ['o'] = ms_sr_operator_name,
    ['p'] = ms_sr_existential,
    ['q'] = ms_sr_generic_parameter,
    ['r'] = ms_sr_parameter_counts,
    ['s'] = swift_module,
    ['t'] = ms_sr_tuple,
    ['u'] = ms_sr_generic_type,
    ['v'] = ms_sr_variable,
    ['w'] = ms_sr_value_witness,
    ['x'] = ms_sr_first_parameter,
    ['y'] = empty_list,
    ['z'] = by_letter,
    ['_'] = first_element,
    ['.'] = suffix,
    ['$'] = ms_sr_integer,
};

/* Runs the whole name. False when it can't. */
static bool run(struct ms_sr *r)
{
    while (r->at < r->end) {
        unsigned char c = (unsigned char)*r->at++;
        if (c == 0xff) /* aligns what follows it */
            continue;
        r->op = r->at - 1;
        struct ms_swift_node *node;
        if (c < 128 && operators[c])
            node = operators[c](r);
        else /* bytes below the blank are references within a program's data */
            node = c > ' ' ? ms_sr_unknown(r, c) : NULL;
        if (!node || !ms_sr_push(r, node))
            return false;
    }
    return true;
}

/* Whether a node can be what a whole name means: not one that says something of others. */
static bool stands_alone(const struct ms_swift_node *node)
{
    switch (node->kind) {
    case MS_SWIFT_EMPTY_LIST:
    case MS_SWIFT_FIRST_ELEMENT_MARKER:
    case MS_SWIFT_VARIADIC_MARKER:
    case MS_SWIFT_THROWS_ANNOTATION:
    case MS_SWIFT_TYPED_THROWS_ANNOTATION:
    case MS_SWIFT_ASYNC_ANNOTATION:
    case MS_SWIFT_CONCURRENT_FUNCTION_TYPE:
    case MS_SWIFT_GLOBAL_ACTOR_FUNCTION_TYPE:
    case MS_SWIFT_ISOLATED_ANY_FUNCTION_TYPE:
    case MS_SWIFT_NONISOLATED_CALLER_FUNCTION_TYPE:
    case MS_SWIFT_DIFFERENTIABLE_FUNCTION_TYPE:
    case MS_SWIFT_SENDING_RESULT_FUNCTION_TYPE:
    case MS_SWIFT_RETROACTIVE_CONFORMANCE:
    case MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE:
    case MS_SWIFT_PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE:
        return false;
    default:
        return !(ms_swift_flags[node->kind] & MS_SWIFT_ATTRIBUTE);
    }
}

/*
 * What remains on the stack, as children of GLOBAL: what is said of the whole name first. One
 * node must be left besides; several are what a name that was cut short leaves.
 */
static struct ms_swift_node *global(struct ms_sr *r)
{
    r->op = r->end;
    struct ms_swift_node *suffix_node = ms_sr_pop_kind(r, MS_SWIFT_SUFFIX);
    struct ms_swift_node *root = ms_sr_make(r, MS_SWIFT_GLOBAL), *parent = root, *node;
    while (parent && (node = ms_sr_pop_flag(r, MS_SWIFT_ATTRIBUTE))) {
        bool is_forwarder = node->kind == MS_SWIFT_PARTIAL_APPLY_FORWARDER ||
                            node->kind == MS_SWIFT_PARTIAL_APPLY_OBJC_FORWARDER;
        if (is_forwarder) /* what follows is what it forwards to */
            node = ms_sr_make(r, (enum ms_swift_kind)node->kind);
        if (!ms_sr_add(r, parent, node))
            return NULL;
        if (is_forwarder)
            parent = node;
    }
    node = r->n_stack == 1 ? ms_sr_pop(r) : NULL;
    if (!node || !stands_alone(node) ||
        !ms_sr_add(r, parent, node->kind == MS_SWIFT_TYPE ? node->child[0] : node) ||
        (suffix_node && !ms_sr_add(r, root, suffix_node)))
        return NULL;
    return root;
}

static size_t prefix_bytes(const char *name, size_t n)
{
    static const char *const prefixes[] = {"$s", "$S", "$e", "_T0", "@__swiftmacro_"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t bytes = strlen(prefixes[i]);
        if (n >= bytes && memcmp(name, prefixes[i], bytes) == 0)
            return bytes;
    }
    return 0;
}

void ms_sr_fill_fault(const struct ms_sr *r, const char *name, struct ms_name_fault *fault)
{
    memset(fault, 0, sizeof *fault);
    fault->kind = r->fault == MS_NAME_FINE ? MS_NAME_MALFORMED : r->fault;
    fault->at = (size_t)(r->op - name);
    if (fault->kind == MS_NAME_UNKNOWN_OPERATOR) {
        size_t n = (size_t)(r->at - r->op);
        memcpy(fault->op, r->op, n < sizeof fault->op ? n : sizeof fault->op - 1);
    }
}

void ms_sr_init(struct ms_sr *r, struct ms_arena *arena, const char *name, size_t n)
{
    /* Only the fields that are read before they are written: the arrays are large. */
    r->at = r->op = name;
    r->end = name + n;
    r->arena = arena;
    r->stack = r->first_stack;
    r->subs = r->first_subs;
    r->stack_room = r->subs_room = MS_SR_FIRST;
    r->n_stack = r->n_subs = r->n_words = r->n_parts = r->n_split = 0;
    r->repeats_left = MS_SR_REPEATS;
    r->joined_left = MS_SR_JOINED;
    r->old_labels = false;
    r->fault = MS_NAME_FINE;
}

struct ms_swift_node *ms_swift_read(struct ms_arena *arena, const char *name, size_t n,
                                    struct ms_name_fault *fault)
{
    memset(fault, 0, sizeof *fault);
    if (n >= 3 && memcmp(name, "_Tt", 3) == 0) {
        struct ms_swift_node *node = ms_swift_read_old_type(arena, name + 3, n - 3, fault);
        fault->at += node ? 0 : 3;
        return node;
    }
    size_t skip = prefix_bytes(name, n);
    struct ms_sr r;
    ms_sr_init(&r, arena, name + skip, n - skip);
    r.old_labels = skip == 3;
    struct ms_swift_node *root = skip && run(&r) ? global(&r) : NULL;
    if (!root)
        ms_sr_fill_fault(&r, name, fault);
    return root;
}

struct ms_swift_node *ms_swift_read_nested(struct ms_arena *arena, const char *name, size_t n)
{
    struct ms_name_fault fault;
    size_t underscore = n && name[0] == '_' && prefix_bytes(name + 1, n - 1);
    return ms_swift_read(arena, name + underscore, n - underscore, &fault);
}
