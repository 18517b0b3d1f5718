/* Types: builtin ones, tuples and packs, functions, existential types, annotated types. */
#include "demangle/swift_read.h"

#include <stdio.h>
#include <string.h>

/* The TYPE of a builtin type that has a number in its name: before, number, after. */
static struct ms_swift_node *sized(struct ms_sr *r, const char *before, int64_t index,
                                   const char *after, size_t after_bytes)
{
    int64_t size = index - 1;
    if (size <= 0 || size > MS_SR_BUILTIN_SIZE)
        return NULL;
    size_t room = strlen(before) + 8 + after_bytes;
    char *text = ms_arena_take(r->arena, room);
    if (!text)
        return ms_sr_no_memory(r);
    int n = snprintf(text, room, "%s%d", before, (int)size);
    if (after_bytes)
        memcpy(text + n, after, after_bytes);
    return ms_sr_type(r, ms_sr_text(r, MS_SWIFT_BUILTIN_TYPE_NAME, text, (size_t)n + after_bytes));
}

static struct ms_swift_node *builtin_float(struct ms_sr *r)
{
    return sized(r, "Builtin.FPIEEE", ms_sr_index(r), NULL, 0);
}

static struct ms_swift_node *builtin_integer(struct ms_sr *r)
{
    return sized(r, "Builtin.Int", ms_sr_index(r), NULL, 0);
}

static struct ms_swift_node *builtin_vector(struct ms_sr *r)
{
    static const char builtin[] = "Builtin.";
    int64_t elements = ms_sr_index(r);
    const struct ms_swift_node *element = ms_sr_pop_type_child(r);
    if (!element || element->kind != MS_SWIFT_BUILTIN_TYPE_NAME || element->n < sizeof builtin ||
        memcmp(element->text, builtin, sizeof builtin - 1) != 0)
        return NULL;
    /* Of vectors of vectors there are none: names would grow with the square of their length. */
    if (element->n > 64)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    char after[80];
    int n = snprintf(after, sizeof after, "x%.*s", (int)(element->n - (sizeof builtin - 1)),
                     element->text + sizeof builtin - 1);
    return sized(r, "Builtin.Vec", elements, after, (size_t)n);
}

static struct ms_swift_node *builtin_named(struct ms_sr *r, const char *name)
{
    return ms_sr_type(r, ms_sr_text(r, MS_SWIFT_BUILTIN_TYPE_NAME, name, strlen(name)));
}

static struct ms_swift_node *builtin_array(struct ms_sr *r)
{
    struct ms_swift_node *element = ms_sr_pop_type(r), *size = ms_sr_pop_type(r);
    return ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_BUILTIN_FIXED_ARRAY, size, element));
}

struct ms_swift_node *ms_sr_builtin(struct ms_sr *r)
{
    static const char *const names[128] = {
        ['A'] = "Builtin.ImplicitActor",
        ['B'] = "Builtin.UnsafeValueBuffer",
        ['D'] = "Builtin.DefaultActorStorage",
        ['I'] = "Builtin.IntLiteral",
        ['O'] = "Builtin.UnknownObject",
        ['P'] = "Builtin.PackIndex",
        ['b'] = "Builtin.BridgeObject",
        ['c'] = "Builtin.RawUnsafeContinuation",
        ['d'] = "Builtin.NonDefaultDistributedActorStorage",
        ['e'] = "Builtin.Executor",
        ['j'] = "Builtin.Job",
        ['o'] = "Builtin.NativeObject",
        ['p'] = "Builtin.RawPointer",
        ['t'] = "Builtin.SILToken",
        ['w'] = "Builtin.Word",
    };
    unsigned char c = ms_sr_next(r);
    switch (c) {
    case 'f':
        return builtin_float(r);
    case 'i':
        return builtin_integer(r);
    case 'v':
        return builtin_vector(r);
    case 'V':
        return builtin_array(r);
    case 'T':
        return ms_sr_type(r, ms_sr_leaf(MS_SWIFT_BUILTIN_TUPLE_TYPE));
    default:
        return c < 128 && names[c] ? builtin_named(r, names[c]) : ms_sr_unknown(r, c);
    }
}

static struct ms_swift_node *pop_tuple_element(struct ms_sr *r)
{
    struct ms_swift_node *element = ms_sr_make(r, MS_SWIFT_TUPLE_ELEMENT);
    struct ms_swift_node *variadic = ms_sr_pop_kind(r, MS_SWIFT_VARIADIC_MARKER);
    struct ms_swift_node *name = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER);
    if (variadic && !ms_sr_add(r, element, variadic))
        return NULL;
    if (name &&
        !ms_sr_add(r, element, ms_sr_text(r, MS_SWIFT_TUPLE_ELEMENT_NAME, name->text, name->n)))
        return NULL;
    return ms_sr_add(r, element, ms_sr_pop_type(r)) ? element : NULL;
}

struct ms_swift_node *ms_sr_tuple(struct ms_sr *r)
{
    if (ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST))
        return ms_sr_type(r, ms_sr_leaf(MS_SWIFT_TUPLE));
    struct ms_swift_node *tuple = ms_sr_make(r, MS_SWIFT_TUPLE);
    bool is_first;
    do {
        is_first = ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER);
        if (!ms_sr_add(r, tuple, pop_tuple_element(r)))
            return NULL;
    } while (!is_first);
    ms_swift_reverse(tuple);
    return ms_sr_type(r, tuple);
}

struct ms_swift_node *ms_sr_clang_type(struct ms_sr *r)
{
    int64_t n = ms_sr_natural(r);
    if (n <= 0 || n > r->end - r->at)
        return NULL;
    r->at += n;
    return ms_sr_text(r, MS_SWIFT_CLANG_TYPE, r->at - n, (size_t)n);
}

/* ARGUMENT_TUPLE or RETURN_TYPE. */
static struct ms_swift_node *pop_parameters(struct ms_sr *r, enum ms_swift_kind kind)
{
    if (ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST))
        return ms_sr_make_1(r, kind, ms_sr_type(r, ms_sr_leaf(MS_SWIFT_TUPLE)));
    return ms_sr_make_1(r, kind, ms_sr_pop_type(r));
}

/* What may be said of a function type, in the order in which it is popped; one of a rank. */
static unsigned annotation_rank(const struct ms_swift_node *node)
{
    switch (node->kind) {
    case MS_SWIFT_SENDING_RESULT_FUNCTION_TYPE:
        return 1;
    case MS_SWIFT_GLOBAL_ACTOR_FUNCTION_TYPE:
    case MS_SWIFT_ISOLATED_ANY_FUNCTION_TYPE:
    case MS_SWIFT_NONISOLATED_CALLER_FUNCTION_TYPE:
        return 2;
    case MS_SWIFT_DIFFERENTIABLE_FUNCTION_TYPE:
        return 3;
    case MS_SWIFT_THROWS_ANNOTATION:
    case MS_SWIFT_TYPED_THROWS_ANNOTATION:
        return 4;
    case MS_SWIFT_CONCURRENT_FUNCTION_TYPE:
        return 5;
    case MS_SWIFT_ASYNC_ANNOTATION:
        return 6;
    default:
        return 0;
    }
}

struct ms_swift_node *ms_sr_pop_function_type(struct ms_sr *r, enum ms_swift_kind kind,
                                              bool has_clang_type)
{
    struct ms_swift_node *function = ms_sr_make(r, kind);
    if (has_clang_type && !ms_sr_add(r, function, ms_sr_clang_type(r)))
        return NULL;
    for (unsigned rank = 0; r->n_stack;) {
        unsigned next = annotation_rank(ms_sr_top(r));
        if (next <= rank)
            break;
        rank = next;
        if (!ms_sr_add(r, function, ms_sr_pop(r)))
            return NULL;
    }
    struct ms_swift_node *arguments = pop_parameters(r, MS_SWIFT_ARGUMENT_TUPLE);
    if (!ms_sr_add(r, function, arguments) ||
        !ms_sr_add(r, function, pop_parameters(r, MS_SWIFT_RETURN_TYPE)))
        return NULL;
    return ms_sr_type(r, function);
}

struct ms_swift_node *ms_sr_existential(struct ms_sr *r)
{
    return ms_sr_type(r, ms_sr_pop_protocol_list(r));
}

/* A value that stands for a type. */
struct ms_swift_node *ms_sr_integer(struct ms_sr *r)
{
    bool is_negative = ms_sr_eat(r, 'n');
    int64_t value = ms_sr_index(r);
    if (value < 0)
        return NULL;
    return ms_sr_type(r, ms_sr_number(r, is_negative ? MS_SWIFT_NEGATIVE_INTEGER : MS_SWIFT_INTEGER,
                                      (uint64_t)(is_negative ? -value : value)));
}

/* The function types among X's letters. */
static struct ms_swift_node *special_function(struct ms_sr *r)
{
    static const struct {
        char letter;
        uint16_t kind;
    } kinds[] = {
        {'A', MS_SWIFT_ESCAPING_AUTO_CLOSURE_TYPE}, {'B', MS_SWIFT_OBJC_BLOCK},
        {'C', MS_SWIFT_C_FUNCTION_POINTER},         {'E', MS_SWIFT_NO_ESCAPE_FUNCTION_TYPE},
        {'K', MS_SWIFT_AUTO_CLOSURE_TYPE},          {'L', MS_SWIFT_ESCAPING_OBJC_BLOCK},
        {'U', MS_SWIFT_UNCURRIED_FUNCTION_TYPE},    {'f', MS_SWIFT_THIN_FUNCTION_TYPE},
    };
    char letter = r->at[-1];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].letter == letter)
            return ms_sr_pop_function_type(r, (enum ms_swift_kind)kinds[i].kind, false);
    return NULL;
}

static struct ms_swift_node *with_clang_type(struct ms_sr *r)
{
    unsigned char c = ms_sr_next(r);
    if (c != 'B' && c != 'C')
        return ms_sr_unknown(r, c);
    return ms_sr_pop_function_type(r, c == 'B' ? MS_SWIFT_OBJC_BLOCK : MS_SWIFT_C_FUNCTION_POINTER,
                                   true);
}

/* Metatypes as they are represented. */
static struct ms_swift_node *represented(struct ms_sr *r)
{
    bool is_existential = r->at[-1] == 'm';
    unsigned char c = ms_sr_next(r);
    const char *text = c == 't'   ? "@thin"
                       : c == 'T' ? "@thick"
                       : c == 'o' ? "@objc_metatype"
                                  : NULL;
    if (!text)
        return ms_sr_unknown(r, c);
    struct ms_swift_node *how = ms_sr_text(r, MS_SWIFT_METATYPE_REPRESENTATION, text, strlen(text));
    return ms_sr_type(
        r, ms_sr_make_2(r, is_existential ? MS_SWIFT_EXISTENTIAL_METATYPE : MS_SWIFT_METATYPE, how,
                        ms_sr_pop_type(r)));
}

static struct ms_swift_node *box_with_layout(struct ms_sr *r)
{
    struct ms_swift_node *signature = NULL, *arguments = NULL;
    if (r->at[-1] == 'X') {
        signature = ms_sr_pop_signature(r);
        arguments = signature ? ms_sr_pop_types(r, MS_SWIFT_TYPE_LIST) : NULL;
        if (!arguments)
            return NULL;
    }
    struct ms_swift_node *types = ms_sr_pop_types(r, MS_SWIFT_TYPE_LIST);
    struct ms_swift_node *layout = types ? ms_sr_make(r, MS_SWIFT_SIL_BOX_LAYOUT) : NULL;
    for (uint32_t i = 0; layout && i < types->n; i++) {
        struct ms_swift_node *type = types->child[i], *inside = type->child[0], *field;
        if (inside->kind == MS_SWIFT_INOUT)
            field =
                ms_sr_make_1(r, MS_SWIFT_SIL_BOX_MUTABLE_FIELD, ms_sr_type(r, inside->child[0]));
        else
            field = ms_sr_make_1(r, MS_SWIFT_SIL_BOX_IMMUTABLE_FIELD, type);
        if (!ms_sr_add(r, layout, field))
            return NULL;
    }
    struct ms_swift_node *box = ms_sr_make_1(r, MS_SWIFT_SIL_BOX_TYPE_WITH_LAYOUT, layout);
    if (signature && !(ms_sr_add(r, box, signature) && ms_sr_add(r, box, arguments)))
        return NULL;
    return ms_sr_type(r, box);
}

static struct ms_swift_node *constrained(struct ms_sr *r)
{
    struct ms_swift_node *list = ms_sr_make(r, MS_SWIFT_CONSTRAINED_EXISTENTIAL_REQUIREMENT_LIST);
    bool is_first;
    do {
        is_first = ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER);
        if (!ms_sr_add(r, list, ms_sr_pop_requirement(r)))
            return NULL;
    } while (!is_first);
    ms_swift_reverse(list);
    return ms_sr_type(r,
                      ms_sr_make_2(r, MS_SWIFT_CONSTRAINED_EXISTENTIAL, ms_sr_pop_type(r), list));
}

static struct ms_swift_node *other_nominal(struct ms_sr *r)
{
    struct ms_swift_node *name = ms_sr_pop_decl_name(r);
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return ms_sr_remember(
        r, ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_OTHER_NOMINAL_TYPE, context, name)));
}

static struct ms_swift_node *anonymous(struct ms_sr *r)
{
    struct ms_swift_node *types = ms_sr_pop_types(r, MS_SWIFT_TYPE_LIST);
    struct ms_swift_node *name = types ? ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER) : NULL;
    struct ms_swift_node *context = name ? ms_sr_pop_context(r) : NULL;
    return ms_sr_make_3(r, MS_SWIFT_ANONYMOUS_CONTEXT, name, context, types);
}

static struct ms_swift_node *error_type(struct ms_sr *r)
{
    return ms_sr_type(r, ms_sr_leaf(MS_SWIFT_ERROR_TYPE));
}

/* Types as a debugger wants to see them written. */
static struct ms_swift_node *sugared(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {MS_SWIFT_SUGARED_INLINE_ARRAY, {MS_SR_TYPE, MS_SR_TYPE}, true, NULL},
        ['D'] = {MS_SWIFT_SUGARED_DICTIONARY, {MS_SR_TYPE, MS_SR_TYPE}, true, NULL},
        ['a'] = {MS_SWIFT_SUGARED_ARRAY, {MS_SR_TYPE}, true, NULL},
        ['p'] = {MS_SWIFT_SUGARED_PAREN, {MS_SR_TYPE}, true, NULL},
        ['q'] = {MS_SWIFT_SUGARED_OPTIONAL, {MS_SR_TYPE}, true, NULL},
    };
    return ms_sr_by_rule(r, rules);
}

static struct ms_swift_node *existential_shape(struct ms_sr *r)
{
    bool has_signature = r->at[-1] == 'G';
    struct ms_swift_node *type = ms_sr_pop_type(r);
    struct ms_swift_node *signature = type && has_signature ? ms_sr_pop_signature(r) : NULL;
    return signature ? ms_sr_make_2(r, MS_SWIFT_EXTENDED_EXISTENTIAL_TYPE_SHAPE, signature, type)
                     : ms_sr_make_1(r, MS_SWIFT_EXTENDED_EXISTENTIAL_TYPE_SHAPE, type);
}

struct ms_swift_node *ms_sr_special(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {.read = special_function},
        ['B'] = {.read = special_function},
        ['C'] = {.read = special_function},
        ['D'] = {MS_SWIFT_DYNAMIC_SELF, {MS_SR_TYPE}, true, NULL},
        ['E'] = {.read = special_function},
        ['G'] = {.read = existential_shape},
        ['K'] = {.read = special_function},
        ['L'] = {.read = special_function},
        ['M'] = {.read = represented},
        ['P'] = {.read = constrained},
        ['S'] = {.read = sugared},
        ['U'] = {.read = special_function},
        ['X'] = {.read = box_with_layout},
        ['Y'] = {.read = other_nominal},
        ['Z'] = {.read = anonymous},
        ['b'] = {MS_SWIFT_SIL_BOX_TYPE, {MS_SR_TYPE}, true, NULL},
        ['c'] = {MS_SWIFT_PROTOCOL_LIST_WITH_CLASS, {MS_SR_PROTOCOL_LIST, MS_SR_TYPE}, true, NULL},
        ['e'] = {.read = error_type},
        ['f'] = {.read = special_function},
        ['g'] = {.read = existential_shape},
        ['l'] = {MS_SWIFT_PROTOCOL_LIST_WITH_ANY_OBJECT, {MS_SR_PROTOCOL_LIST}, true, NULL},
        ['m'] = {.read = represented},
        ['o'] = {MS_SWIFT_UNOWNED, {MS_SR_TYPE}, true, NULL},
        ['p'] = {MS_SWIFT_EXISTENTIAL_METATYPE, {MS_SR_TYPE}, true, NULL},
        ['u'] = {MS_SWIFT_UNMANAGED, {MS_SR_TYPE}, true, NULL},
        ['w'] = {MS_SWIFT_WEAK, {MS_SR_TYPE}, true, NULL},
        ['x'] = {.read = box_with_layout},
        ['z'] = {.read = with_clang_type},
    };
    return ms_sr_by_rule(r, rules);
}

static struct ms_swift_node *differentiable(struct ms_sr *r)
{
    unsigned char c = ms_sr_next(r);
    if (c != 'f' && c != 'r' && c != 'd' && c != 'l')
        return ms_sr_unknown(r, c);
    return ms_sr_number(r, MS_SWIFT_DIFFERENTIABLE_FUNCTION_TYPE, c);
}

struct ms_swift_node *ms_sr_annotated(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {.kind = MS_SWIFT_ISOLATED_ANY_FUNCTION_TYPE},
        ['C'] = {.kind = MS_SWIFT_NONISOLATED_CALLER_FUNCTION_TYPE},
        ['K'] = {MS_SWIFT_TYPED_THROWS_ANNOTATION, {MS_SR_TYPE}, false, NULL},
        ['T'] = {.kind = MS_SWIFT_SENDING_RESULT_FUNCTION_TYPE},
        ['a'] = {.kind = MS_SWIFT_ASYNC_ANNOTATION},
        ['b'] = {.kind = MS_SWIFT_CONCURRENT_FUNCTION_TYPE},
        ['c'] = {MS_SWIFT_GLOBAL_ACTOR_FUNCTION_TYPE, {MS_SR_TYPE}, false, NULL},
        ['g'] = {MS_SWIFT_CONST_VALUE, {MS_SR_CHILD}, true, NULL},
        ['i'] = {MS_SWIFT_ISOLATED, {MS_SR_CHILD}, true, NULL},
        ['j'] = {.read = differentiable},
        ['k'] = {MS_SWIFT_NO_DERIVATIVE, {MS_SR_CHILD}, true, NULL},
        ['t'] = {MS_SWIFT_COMPILE_TIME_LITERAL, {MS_SR_CHILD}, true, NULL},
        ['u'] = {MS_SWIFT_SENDING, {MS_SR_CHILD}, true, NULL},
    };
    return ms_sr_by_rule(r, rules);
}
