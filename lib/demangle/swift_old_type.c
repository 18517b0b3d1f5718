/* Types of the old mangling, and the generic signatures that some of them have. */
#include "demangle/swift_old.h"

#include <stdio.h>
#include <string.h>

enum { OLD_COUNT = 1 << 16 /* generic parameters; larger numbers are as good as this one */ };

static struct ms_swift_node *builtin_text(struct ms_sr *r, const char *text, size_t n)
{
    char *copy = ms_arena_copy(r->arena, text, n);
    return copy ? ms_sr_text(r, MS_SWIFT_BUILTIN_TYPE_NAME, copy, n) : ms_sr_no_memory(r);
}

/* A size with its '_'. */
static int builtin_size(struct ms_sr *r)
{
    int64_t size = ms_sr_natural(r);
    return size > 0 && size <= MS_SR_BUILTIN_SIZE && ms_sr_eat(r, '_') ? (int)size : -1;
}

/* The name of a vector's element, or of a type with a size: "Int8", into text. */
static int builtin_sized(struct ms_sr *r, unsigned char c, char *text, size_t room)
{
    if (c == 'p')
        return snprintf(text, room, "RawPointer");
    int size = c == 'f' || c == 'i' ? builtin_size(r) : -1;
    return size < 0 ? -1 : snprintf(text, room, "%s%d", c == 'f' ? "FPIEEE" : "Int", size);
}

static struct ms_swift_node *builtin(struct ms_sr *r)
{
    static const struct {
        char letter;
        const char *name;
    } names[] = {
        {'B', "UnsafeValueBuffer"}, {'O', "UnknownObject"}, {'b', "BridgeObject"},
        {'o', "NativeObject"},      {'t', "SILToken"},      {'w', "Word"},
    };
    char text[64], element[32];
    unsigned char c = ms_sr_next(r);
    int n = -1;
    if (c == 'v') {
        int64_t elements = ms_sr_natural(r);
        if (elements <= 0 || elements > MS_SR_BUILTIN_SIZE || !ms_sr_eat(r, 'B'))
            return NULL;
        if (builtin_sized(r, ms_sr_next(r), element, sizeof element) > 0)
            n = snprintf(text, sizeof text, "Builtin.Vec%dx%s", (int)elements, element);
    } else if (c == 'p' || c == 'f' || c == 'i') {
        if (builtin_sized(r, c, element, sizeof element) > 0)
            n = snprintf(text, sizeof text, "Builtin.%s", element);
    } else {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if ((unsigned char)names[i].letter == c)
                n = snprintf(text, sizeof text, "Builtin.%s", names[i].name);
        if (n < 0)
            return ms_sr_unknown(r, c);
    }
    return n > 0 ? builtin_text(r, text, (size_t)n) : NULL;
}

/* Elements to '_', each with a name or without; of the variadic kind the last one is so. */
static struct ms_swift_node *tuple(struct ms_sr *r, bool is_variadic, unsigned depth)
{
    struct ms_swift_node *node = ms_sr_make(r, MS_SWIFT_TUPLE);
    while (node && !ms_sr_eat(r, '_')) {
        unsigned char c = ms_sr_peek(r);
        struct ms_swift_node *label = NULL, *type;
        if ((ms_sr_is_digit(c) || c == 'o') && !(label = ms_so_label(r)))
            return NULL;
        type = ms_so_type(r, depth);
        struct ms_swift_node *element = type ? ms_sr_make(r, MS_SWIFT_TUPLE_ELEMENT) : NULL;
        bool is_last = is_variadic && ms_sr_peek(r) == '_';
        if ((is_last && !ms_sr_add(r, element, ms_sr_leaf(MS_SWIFT_VARIADIC_MARKER))) ||
            (label && !ms_sr_add(r, element, label)) || !ms_sr_add(r, element, type) ||
            !ms_sr_add(r, node, element))
            return NULL;
    }
    return node;
}

/* 'z' when it throws, arguments, result. */
static struct ms_swift_node *function(struct ms_sr *r, enum ms_swift_kind kind, unsigned depth)
{
    struct ms_swift_node *node = ms_sr_make(r, kind);
    if (ms_sr_eat(r, 'z') && !ms_sr_add(r, node, ms_sr_leaf(MS_SWIFT_THROWS_ANNOTATION)))
        return NULL;
    struct ms_swift_node *arguments = ms_so_type(r, depth);
    struct ms_swift_node *result = arguments ? ms_so_type(r, depth) : NULL;
    return ms_sr_add(r, node, ms_sr_make_1(r, MS_SWIFT_ARGUMENT_TUPLE, arguments)) &&
                   ms_sr_add(r, node, ms_sr_make_1(r, MS_SWIFT_RETURN_TYPE, result))
               ? node
               : NULL;
}

static struct ms_swift_node *protocol_list(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *types = ms_sr_make(r, MS_SWIFT_TYPE_LIST);
    while (!ms_sr_eat(r, '_'))
        if (!ms_sr_add(r, types, ms_so_protocol(r, depth)))
            return NULL;
    return ms_sr_make_1(r, MS_SWIFT_PROTOCOL_LIST, types);
}

static struct ms_swift_node *represented(struct ms_sr *r, enum ms_swift_kind kind, unsigned depth)
{
    unsigned char c = ms_sr_next(r);
    const char *text = c == 't'   ? "@thin"
                       : c == 'T' ? "@thick"
                       : c == 'o' ? "@objc_metatype"
                                  : NULL;
    if (!text)
        return ms_sr_unknown(r, c);
    return ms_sr_make_2(r, kind,
                        ms_sr_text(r, MS_SWIFT_METATYPE_REPRESENTATION, text, strlen(text)),
                        ms_so_type(r, depth));
}

static struct ms_swift_node *special(struct ms_sr *r, unsigned depth)
{
    unsigned char c = ms_sr_next(r);
    switch (c) {
    case 'M':
        return represented(r, MS_SWIFT_METATYPE, depth);
    case 'P':
        if (ms_sr_eat(r, 'M'))
            return represented(r, MS_SWIFT_EXISTENTIAL_METATYPE, depth);
        return NULL;
    case 'b':
        return ms_sr_make_1(r, MS_SWIFT_SIL_BOX_TYPE, ms_so_type(r, depth));
    case 'f':
        return function(r, MS_SWIFT_THIN_FUNCTION_TYPE, depth);
    case 'o':
        return ms_sr_make_1(r, MS_SWIFT_UNOWNED, ms_so_type(r, depth));
    case 'u':
        return ms_sr_make_1(r, MS_SWIFT_UNMANAGED, ms_so_type(r, depth));
    case 'w':
        return ms_sr_make_1(r, MS_SWIFT_WEAK, ms_so_type(r, depth));
    default:
        return ms_sr_unknown(r, c);
    }
}

/* A parameter as requirements have it, without TYPE: 'x', 'd' with two numbers, or a number. */
static struct ms_swift_node *parameter(struct ms_sr *r)
{
    int64_t depth = 0, index = 0;
    if (ms_sr_eat(r, 'd')) {
        depth = ms_sr_index(r);
        index = depth >= 0 ? ms_sr_index(r) : -1;
        depth++;
    } else if (!ms_sr_eat(r, 'x')) {
        index = ms_sr_index(r);
        index += index >= 0;
    }
    if (depth < 0 || index < 0)
        return NULL;
    return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM,
                        ms_sr_number(r, MS_SWIFT_INDEX, (uint64_t)depth),
                        ms_sr_number(r, MS_SWIFT_INDEX, (uint64_t)index));
}

static struct ms_swift_node *member(struct ms_sr *r, struct ms_swift_node *base, unsigned depth)
{
    struct ms_swift_node *type = ms_sr_type(r, base);
    return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_MEMBER_TYPE, type,
                        type ? ms_so_assoc_name(r, depth) : NULL);
}

/* Behind 'W': names one within the other, to '_'. */
static struct ms_swift_node *member_path(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *node = parameter(r);
    while (node && !ms_sr_eat(r, '_'))
        node = member(r, node, depth);
    return node;
}

static struct ms_swift_node *subject(struct ms_sr *r, unsigned depth)
{
    if (ms_sr_eat(r, 'w')) {
        struct ms_swift_node *base = parameter(r);
        return base ? member(r, base, depth) : NULL;
    }
    return ms_sr_eat(r, 'W') ? member_path(r, depth) : parameter(r);
}

static struct ms_swift_node *layout(struct ms_sr *r, struct ms_swift_node *of)
{
    unsigned char c = ms_sr_next(r);
    if (!c || !strchr("UNRTEeMm", c))
        return ms_sr_unknown(r, c);
    struct ms_swift_node *node = ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_LAYOUT_REQUIREMENT, of,
                                              ms_sr_text(r, MS_SWIFT_IDENTIFIER, r->at - 1, 1));
    bool has_alignment = c == 'E' || c == 'M', has_size = has_alignment || c == 'e' || c == 'm';
    for (int i = has_size + has_alignment; i > 0; i--) {
        int64_t number = ms_sr_natural(r);
        if (number < 0 || (i == 2 && !ms_sr_eat(r, '_')) ||
            !ms_sr_add(r, node, ms_sr_number(r, MS_SWIFT_NUMBER, (uint64_t)number)))
            return NULL;
    }
    return node;
}

static struct ms_swift_node *requirement(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *of = ms_sr_type(r, subject(r, depth)), *to;
    if (!of)
        return NULL;
    if (ms_sr_eat(r, 'z'))
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT, of,
                            ms_so_type(r, depth));
    if (ms_sr_eat(r, 'l'))
        return layout(r, of);
    const char *start = r->at;
    if (ms_sr_peek(r) == 'C') {
        to = ms_so_type(r, depth);
    } else if (ms_sr_eat(r, 'S') && (to = ms_so_type_substitution(r))) {
        to = to->kind == MS_SWIFT_CLASS || to->kind == MS_SWIFT_PROTOCOL ? ms_sr_type(r, to) : NULL;
    } else {
        r->at = start; /* a module that a protocol's name follows */
        to = ms_so_protocol(r, depth);
    }
    return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT, of, to);
}

/* The number of parameters at a depth: 'z' for none, else one less. -1 when it is malformed. */
static int64_t parameter_count(struct ms_sr *r)
{
    if (ms_sr_eat(r, 'z'))
        return 0;
    int64_t count = 0;
    bool any = false;
    for (; ms_sr_is_digit(ms_sr_peek(r)); any = true) {
        count = count * 10 + (ms_sr_next(r) - '0');
        count = count < OLD_COUNT ? count : OLD_COUNT;
    }
    return ms_sr_eat(r, '_') ? count + any + 1 : -1;
}

struct ms_swift_node *ms_so_signature(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *node = ms_sr_make(r, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE);
    bool has_requirements;
    while (!(has_requirements = ms_sr_eat(r, 'R')) && !ms_sr_eat(r, 'r')) {
        int64_t count = parameter_count(r);
        if (count < 0 ||
            !ms_sr_add(r, node,
                       ms_sr_number(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT, (uint64_t)count)))
            return NULL;
    }
    if (node && node->n == 0 &&
        !ms_sr_add(r, node, ms_sr_number(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT, 1)))
        return NULL;
    while (has_requirements && !ms_sr_eat(r, 'r'))
        if (!ms_sr_add(r, node, requirement(r, depth)))
            return NULL;
    return node;
}

static struct ms_swift_node *generic(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *signature = ms_so_signature(r, depth);
    return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_TYPE, signature,
                        signature ? ms_so_type(r, depth) : NULL);
}

static enum ms_swift_kind function_kind(unsigned char c)
{
    switch (c) {
    case 'F':
        return MS_SWIFT_FUNCTION_TYPE;
    case 'K':
        return MS_SWIFT_AUTO_CLOSURE_TYPE;
    case 'b':
        return MS_SWIFT_OBJC_BLOCK;
    case 'c':
        return MS_SWIFT_C_FUNCTION_POINTER;
    case 'f':
        return MS_SWIFT_UNCURRIED_FUNCTION_TYPE;
    default:
        return MS_SWIFT_NONE;
    }
}

/* A type without its TYPE. */
static struct ms_swift_node *bare(struct ms_sr *r, unsigned depth)
{
    if (depth-- == 0)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    r->op = r->at;
    unsigned char c = ms_sr_next(r);
    enum ms_swift_kind kind = function_kind(c);
    if (kind != MS_SWIFT_NONE)
        return function(r, kind, depth);
    switch (c) {
    case 'B':
        return builtin(r);
    case 'C':
    case 'O':
    case 'V':
    case 'a':
        return ms_so_nominal(r, depth);
    case 'D':
        return ms_sr_make_1(r, MS_SWIFT_DYNAMIC_SELF, ms_so_type(r, depth));
    case 'E':
        return ms_sr_eat(r, 'R') && ms_sr_eat(r, 'R') ? ms_sr_leaf(MS_SWIFT_ERROR_TYPE) : NULL;
    case 'G':
        return ms_so_bound_generic(r, depth);
    case 'M':
        return ms_sr_make_1(r, MS_SWIFT_METATYPE, ms_so_type(r, depth));
    case 'P':
        return ms_sr_eat(r, 'M')
                   ? ms_sr_make_1(r, MS_SWIFT_EXISTENTIAL_METATYPE, ms_so_type(r, depth))
                   : protocol_list(r, depth);
    case 'Q':
        return ms_sr_eat(r, 'u') ? ms_sr_leaf(MS_SWIFT_OPAQUE_RETURN_TYPE)
                                 : ms_sr_unknown(r, ms_sr_next(r));
    case 'R':
        return ms_sr_make_1(r, MS_SWIFT_INOUT, bare(r, depth));
    case 'S':
        return ms_so_type_substitution(r);
    case 'T':
    case 't':
        return tuple(r, c == 't', depth);
    case 'X':
        return special(r, depth);
    case 'W':
    case 'w':
        r->at--;
        return subject(r, depth);
    case 'q':
        return parameter(r);
    case 'u':
        return generic(r, depth);
    case 'x':
        r->at--;
        return parameter(r);
    default:
        return ms_sr_unknown(r, c);
    }
}

struct ms_swift_node *ms_so_type(struct ms_sr *r, unsigned depth)
{
    return ms_sr_type(r, bare(r, depth));
}
