/*
 * Generics: parameters, signatures and their requirements, types bound to arguments, associated
 * and opaque types, packs.
 */
#include "demangle/swift_read.h"

/* Parameter 0.0, in nearly every generic name: ready made. */
static struct ms_swift_node *first_parameter(void)
{
    static const struct ms_swift_node zero = {.kind = MS_SWIFT_INDEX, .has_index = true};
    static const struct ms_swift_node parameter = {
        .kind = MS_SWIFT_DEPENDENT_GENERIC_PARAM,
        .n = 2,
        .child = (struct ms_swift_node **)parameter.two,
        .two = {(struct ms_swift_node *)&zero, (struct ms_swift_node *)&zero}};
    static const struct ms_swift_node type = {.kind = MS_SWIFT_TYPE,
                                              .n = 1,
                                              .child = (struct ms_swift_node **)type.two,
                                              .two = {(struct ms_swift_node *)&parameter}};
    return (struct ms_swift_node *)&type;
}

static struct ms_swift_node *parameter(struct ms_sr *r, int64_t depth, int64_t index)
{
    if (depth < 0 || index < 0)
        return NULL;
    return ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM,
                                      ms_sr_number(r, MS_SWIFT_INDEX, (uint64_t)depth),
                                      ms_sr_number(r, MS_SWIFT_INDEX, (uint64_t)index)));
}

/* The TYPE of a parameter as it is written in requirements and after 'q'. */
struct ms_swift_node *ms_sr_generic_parameter(struct ms_sr *r)
{
    if (ms_sr_eat(r, 'z'))
        return first_parameter();
    if (ms_sr_eat(r, 's'))
        return ms_sr_type(r, ms_sr_leaf(MS_SWIFT_CONSTRAINED_EXISTENTIAL_SELF));
    if (ms_sr_eat(r, 'd')) {
        int64_t depth = ms_sr_index(r);
        int64_t index = depth >= 0 ? ms_sr_index(r) : -1;
        return index >= 0 ? parameter(r, depth + 1, index) : NULL;
    }
    int64_t index = ms_sr_index(r);
    return index >= 0 ? parameter(r, 0, index + 1) : NULL;
}

struct ms_swift_node *ms_sr_first_parameter(struct ms_sr *r)
{
    (void)r;
    return first_parameter();
}

struct ms_swift_node *ms_sr_pop_requirement(struct ms_sr *r)
{
    const struct ms_swift_node *top = ms_sr_top(r);
    if (!top)
        return NULL;
    switch (top->kind) {
    case MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT:
    case MS_SWIFT_DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT:
    case MS_SWIFT_DEPENDENT_GENERIC_SAME_SHAPE_REQUIREMENT:
    case MS_SWIFT_DEPENDENT_GENERIC_LAYOUT_REQUIREMENT:
    case MS_SWIFT_DEPENDENT_GENERIC_INVERSE_REQUIREMENT:
    case MS_SWIFT_DEPENDENT_GENERIC_PARAM_PACK_MARKER:
    case MS_SWIFT_DEPENDENT_GENERIC_PARAM_VALUE_MARKER:
        return ms_sr_pop(r);
    default:
        return NULL;
    }
}

/* The counts are in `signature`; the requirements are on the stack, the first one lowest. */
static struct ms_swift_node *with_requirements(struct ms_sr *r, struct ms_swift_node *signature)
{
    uint32_t end = r->n_stack;
    while (ms_sr_pop_requirement(r))
        continue;
    for (uint32_t i = r->n_stack; i < end; i++)
        if (!ms_sr_add(r, signature, r->stack[i]))
            return NULL;
    return signature;
}

struct ms_swift_node *ms_sr_one_parameter(struct ms_sr *r)
{
    static const struct ms_swift_node one = {
        .kind = MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT, .has_index = true, .index = 1};
    return with_requirements(
        r, ms_sr_make_1(r, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE, (struct ms_swift_node *)&one));
}

struct ms_swift_node *ms_sr_parameter_counts(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_make(r, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE);
    while (!ms_sr_eat(r, 'l')) {
        int64_t count = 0;
        if (!ms_sr_eat(r, 'z')) {
            count = ms_sr_index(r);
            if (count < 0)
                return NULL;
            count++;
        }
        if (!ms_sr_add(r, signature,
                       ms_sr_number(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT, (uint64_t)count)))
            return NULL;
    }
    return with_requirements(r, signature);
}

struct ms_swift_node *ms_sr_generic_type(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *type = signature ? ms_sr_pop_type(r) : NULL;
    return ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_TYPE, signature, type));
}

/* An associated type of base, or, where that is NULL, of a type on the stack. */
static struct ms_swift_node *associated(struct ms_sr *r, struct ms_swift_node *base)
{
    struct ms_swift_node *name = ms_sr_pop_assoc_name(r);
    if (!base && name)
        base = ms_sr_pop_type(r);
    return ms_sr_remember(
        r, ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_MEMBER_TYPE, base, name)));
}

/* The same of an associated type of an associated type of … base. */
static struct ms_swift_node *associated_path(struct ms_sr *r, struct ms_swift_node *base)
{
    const struct ms_swift_node *path = ms_sr_pop_assoc_path(r);
    if (!base && path)
        base = ms_sr_pop_type(r);
    for (uint32_t i = 0; path && base && i < path->n; i++)
        base = ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_DEPENDENT_MEMBER_TYPE, base, path->child[i]));
    return path ? ms_sr_remember(r, base) : NULL;
}

enum subject { PARAMETER, ASSOCIATED, ASSOCIATED_PATH, ON_STACK };
enum constraint {
    NO_CONSTRAINT,
    CONFORMANCE,
    BASE_CLASS,
    SAME_TYPE,
    LAYOUT,
    SAME_SHAPE,
    PACK,
    VALUE,
    INVERSE
};

struct requirement {
    uint8_t constraint, subject;
};

static struct ms_swift_node *layout(struct ms_sr *r, struct ms_swift_node *subject)
{
    unsigned char c = ms_sr_next(r);
    unsigned numbers;
    switch (c) {
    case 'U':
    case 'R':
    case 'N':
    case 'C':
    case 'D':
    case 'T':
    case 'B':
        numbers = 0;
        break;
    case 'e':
    case 'm':
    case 'S':
        numbers = 1;
        break;
    case 'E':
    case 'M':
        numbers = 2;
        break;
    default:
        return ms_sr_unknown(r, c);
    }
    struct ms_swift_node *letter = ms_sr_text(r, MS_SWIFT_IDENTIFIER, r->at - 1, 1);
    struct ms_swift_node *node =
        ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_LAYOUT_REQUIREMENT, subject, letter);
    while (numbers-- > 0)
        if (!ms_sr_add(r, node, ms_sr_index_node(r, MS_SWIFT_NUMBER)))
            return NULL;
    return node;
}

static struct ms_swift_node *take_subject(struct ms_sr *r, enum subject kind)
{
    if (kind == ON_STACK)
        return ms_sr_pop_type(r);
    struct ms_swift_node *type = ms_sr_generic_parameter(r);
    if (kind == PARAMETER || !type)
        return type;
    return kind == ASSOCIATED ? associated(r, type) : associated_path(r, type);
}

struct ms_swift_node *ms_sr_requirement(struct ms_sr *r)
{
    static const struct requirement requirements[128] = {
        ['B'] = {BASE_CLASS, ON_STACK},       ['C'] = {BASE_CLASS, ASSOCIATED_PATH},
        ['I'] = {INVERSE, ON_STACK},          ['L'] = {LAYOUT, ON_STACK},
        ['M'] = {LAYOUT, ASSOCIATED_PATH},    ['P'] = {CONFORMANCE, ASSOCIATED_PATH},
        ['Q'] = {CONFORMANCE, ON_STACK},      ['S'] = {SAME_TYPE, ON_STACK},
        ['T'] = {SAME_TYPE, ASSOCIATED_PATH}, ['V'] = {VALUE, PARAMETER},
        ['b'] = {BASE_CLASS, PARAMETER},      ['c'] = {BASE_CLASS, ASSOCIATED},
        ['h'] = {SAME_SHAPE, PARAMETER},      ['i'] = {INVERSE, PARAMETER},
        ['l'] = {LAYOUT, PARAMETER},          ['m'] = {LAYOUT, ASSOCIATED},
        ['p'] = {CONFORMANCE, ASSOCIATED},    ['s'] = {SAME_TYPE, PARAMETER},
        ['t'] = {SAME_TYPE, ASSOCIATED},      ['v'] = {PACK, PARAMETER},
        ['d'] = {CONFORMANCE, PARAMETER},     ['z'] = {CONFORMANCE, PARAMETER},
        ['_'] = {CONFORMANCE, PARAMETER},
    };
    unsigned char c = ms_sr_next(r);
    struct requirement is = c < 128 ? requirements[c] : requirements[0];
    if (ms_sr_is_digit(c))
        is.constraint = CONFORMANCE;
    if (is.constraint == NO_CONSTRAINT)
        return ms_sr_unknown(r, c);
    if (is.constraint == CONFORMANCE && is.subject == PARAMETER)
        r->at--; /* it has no letter: the parameter follows */
    struct ms_swift_node *inverse = NULL;
    if (is.constraint == INVERSE && !(inverse = ms_sr_index_node(r, MS_SWIFT_INDEX)))
        return NULL;
    struct ms_swift_node *subject = take_subject(r, (enum subject)is.subject);
    if (!subject)
        return NULL;
    switch ((enum constraint)is.constraint) {
    case CONFORMANCE:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT, subject,
                            ms_sr_pop_protocol(r));
    case BASE_CLASS:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT, subject,
                            ms_sr_pop_type(r));
    case SAME_TYPE:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT, subject,
                            ms_sr_pop_type(r));
    case SAME_SHAPE:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_SAME_SHAPE_REQUIREMENT, subject,
                            ms_sr_pop_type(r));
    case VALUE:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM_VALUE_MARKER, subject,
                            ms_sr_pop_type(r));
    case PACK:
        return ms_sr_make_1(r, MS_SWIFT_DEPENDENT_GENERIC_PARAM_PACK_MARKER, subject);
    case INVERSE:
        return ms_sr_make_2(r, MS_SWIFT_DEPENDENT_GENERIC_INVERSE_REQUIREMENT, subject, inverse);
    default:
        return layout(r, subject);
    }
}

bool ms_sr_pop_bound_generics(struct ms_sr *r, struct ms_swift_node **lists,
                              struct ms_swift_node **retroactive)
{
    uint32_t end = r->n_stack;
    while (ms_sr_pop_kind(r, MS_SWIFT_RETROACTIVE_CONFORMANCE))
        continue;
    *retroactive = NULL;
    if (r->n_stack < end) {
        *retroactive = ms_sr_make(r, MS_SWIFT_TYPE_LIST);
        for (uint32_t i = r->n_stack; i < end; i++)
            if (!ms_sr_add(r, *retroactive, r->stack[i]))
                return false;
    }
    *lists = ms_sr_make(r, MS_SWIFT_TYPE_LIST);
    do {
        struct ms_swift_node *list = ms_sr_make(r, MS_SWIFT_TYPE_LIST);
        for (end = r->n_stack; ms_sr_pop_type(r);)
            continue;
        for (uint32_t i = r->n_stack; i < end; i++)
            if (!ms_sr_add(r, list, r->stack[i]))
                return false;
        if (!ms_sr_add(r, *lists, list))
            return false;
        if (ms_sr_pop_kind(r, MS_SWIFT_EMPTY_LIST))
            return true;
    } while (ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER));
    return false;
}

/* Contexts that have no list of arguments of their own. */
static bool takes_no_arguments(const struct ms_swift_node *nominal)
{
    switch (nominal->kind) {
    case MS_SWIFT_VARIABLE:
    case MS_SWIFT_SUBSCRIPT:
    case MS_SWIFT_EXPLICIT_CLOSURE:
    case MS_SWIFT_IMPLICIT_CLOSURE:
    case MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER:
    case MS_SWIFT_INITIALIZER:
    case MS_SWIFT_PROPERTY_WRAPPER_BACKING_INITIALIZER:
    case MS_SWIFT_PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE:
    case MS_SWIFT_PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR:
    case MS_SWIFT_STATIC:
        return true;
    default:
        return false;
    }
}

/* Also of a function that types are declared in. */
struct ms_swift_node *ms_sr_bind(struct ms_sr *r, struct ms_swift_node *nominal,
                                 struct ms_swift_node *arguments)
{
    enum ms_swift_kind kind;
    switch (nominal->kind) {
    case MS_SWIFT_CLASS:
        kind = MS_SWIFT_BOUND_GENERIC_CLASS;
        break;
    case MS_SWIFT_STRUCTURE:
        kind = MS_SWIFT_BOUND_GENERIC_STRUCTURE;
        break;
    case MS_SWIFT_ENUM:
        kind = MS_SWIFT_BOUND_GENERIC_ENUM;
        break;
    case MS_SWIFT_PROTOCOL:
        kind = MS_SWIFT_BOUND_GENERIC_PROTOCOL;
        break;
    case MS_SWIFT_OTHER_NOMINAL_TYPE:
        kind = MS_SWIFT_BOUND_GENERIC_OTHER_NOMINAL_TYPE;
        break;
    case MS_SWIFT_TYPE_ALIAS:
        kind = MS_SWIFT_BOUND_GENERIC_TYPE_ALIAS;
        break;
    case MS_SWIFT_FUNCTION:
    case MS_SWIFT_CONSTRUCTOR:
        return ms_sr_make_2(r, MS_SWIFT_BOUND_GENERIC_FUNCTION, nominal, arguments);
    default:
        return NULL;
    }
    return ms_sr_make_2(r, kind, ms_sr_type(r, nominal), arguments);
}

/*
 * Gives lists[i…] to nominal and the contexts around it, which are made anew as far as they get
 * arguments. One list a context at most, so that their depth is within the name's length.
 */
static struct ms_swift_node *bind_all(struct ms_sr *r, struct ms_swift_node *nominal,
                                      const struct ms_swift_node *lists, uint32_t i, unsigned depth)
{
    if (i >= lists->n)
        return nominal;
    if (depth > MS_SR_CONTEXTS)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    if (ms_swift_n_children(nominal) == 0)
        return NULL;
    bool passes = takes_no_arguments(nominal);
    struct ms_swift_node *arguments = lists->child[i];
    i += !passes;
    if (i < lists->n) {
        struct ms_swift_node *context = nominal->child[0], *bound;
        if (context->kind == MS_SWIFT_EXTENSION) {
            bound = bind_all(r, context->child[1], lists, i, depth + 1);
            bound = ms_sr_make_2(r, MS_SWIFT_EXTENSION, context->child[0], bound);
            if (context->n == 3 && !ms_sr_add(r, bound, context->child[2]))
                return NULL;
        } else {
            bound = bind_all(r, context, lists, i, depth + 1);
        }
        struct ms_swift_node *anew = ms_sr_make_1(r, (enum ms_swift_kind)nominal->kind, bound);
        for (uint32_t k = 1; k < nominal->n; k++)
            if (!ms_sr_add(r, anew, nominal->child[k]))
                return NULL;
        nominal = anew;
    }
    if (passes || !nominal || arguments->n == 0)
        return nominal;
    return ms_sr_bind(r, nominal, arguments);
}

struct ms_swift_node *ms_sr_bound_generic(struct ms_sr *r)
{
    struct ms_swift_node *lists, *retroactive;
    if (!ms_sr_pop_bound_generics(r, &lists, &retroactive))
        return NULL;
    struct ms_swift_node *nominal = ms_sr_pop_nominal(r);
    struct ms_swift_node *bound = nominal ? bind_all(r, nominal, lists, 0, 0) : NULL;
    /* A type that has got no arguments itself, only its context has, can do without them. */
    bool has_own = bound && bound->n == 2 && bound->child[1] == lists->child[0];
    if (retroactive && has_own && !ms_sr_add(r, bound, retroactive))
        return NULL;
    return ms_sr_remember(r, ms_sr_type(r, bound));
}

static struct ms_swift_node *opaque(struct ms_sr *r)
{
    struct ms_swift_node *index = ms_sr_index_node(r, MS_SWIFT_INDEX), *lists, *retroactive;
    if (!index || !ms_sr_pop_bound_generics(r, &lists, &retroactive))
        return NULL;
    ms_swift_reverse(lists);
    struct ms_swift_node *type = ms_sr_make_3(r, MS_SWIFT_OPAQUE_TYPE, ms_sr_pop(r), index, lists);
    if (retroactive && !ms_sr_add(r, type, retroactive))
        return NULL;
    return ms_sr_remember(r, ms_sr_type(r, type));
}

static struct ms_swift_node *opaque_return(struct ms_sr *r)
{
    return ms_sr_type(r, ms_sr_leaf(MS_SWIFT_OPAQUE_RETURN_TYPE));
}

static struct ms_swift_node *opaque_return_index(struct ms_sr *r)
{
    return ms_sr_type(
        r, ms_sr_make_1(r, MS_SWIFT_OPAQUE_RETURN_TYPE, ms_sr_index_node(r, MS_SWIFT_INDEX)));
}

static struct ms_swift_node *associated_ref(struct ms_sr *r)
{
    struct ms_swift_node *name = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER);
    struct ms_swift_node *base = name ? ms_sr_pop_type_child(r) : NULL;
    return ms_sr_remember(r,
                          ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_ASSOCIATED_TYPE_REF, base, name)));
}

static struct ms_swift_node *associated_of(struct ms_sr *r)
{
    struct ms_swift_node *base;
    bool is_path = false;
    switch (r->at[-1]) {
    case 'X':
        is_path = true;
        /* fall through */
    case 'x':
        base = NULL;
        break;
    case 'Y':
        is_path = true;
        /* fall through */
    case 'y':
        base = ms_sr_generic_parameter(r);
        if (!base)
            return NULL;
        break;
    default:
        is_path = r->at[-1] == 'Z';
        base = first_parameter();
    }
    return is_path ? associated_path(r, base) : associated(r, base);
}

static struct ms_swift_node *pack_element(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r);
    return ms_sr_type(r, ms_sr_make_2(r, MS_SWIFT_PACK_ELEMENT, type,
                                      ms_sr_index_node(r, MS_SWIFT_PACK_ELEMENT_LEVEL)));
}

static struct ms_swift_node *pack(struct ms_sr *r)
{
    return ms_sr_type(r, ms_sr_pop_types(r, MS_SWIFT_PACK));
}

static struct ms_swift_node *sil_pack(struct ms_sr *r)
{
    unsigned char c = ms_sr_next(r);
    if (c != 'd' && c != 'i')
        return ms_sr_unknown(r, c);
    return ms_sr_type(
        r, ms_sr_pop_types(r, c == 'd' ? MS_SWIFT_SIL_PACK_DIRECT : MS_SWIFT_SIL_PACK_INDIRECT));
}

struct ms_swift_node *ms_sr_archetype(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['O'] = {MS_SWIFT_OPAQUE_RETURN_TYPE_OF, {MS_SR_CONTEXT}, false, NULL},
        ['P'] = {.read = pack},
        ['R'] = {.read = opaque_return_index},
        ['S'] = {.read = sil_pack},
        ['X'] = {.read = associated_of},
        ['Y'] = {.read = associated_of},
        ['Z'] = {.read = associated_of},
        ['a'] = {.read = associated_ref},
        ['e'] = {.read = pack_element},
        ['o'] = {.read = opaque},
        ['p'] = {MS_SWIFT_PACK_EXPANSION, {MS_SR_TYPE, MS_SR_TYPE}, true, NULL},
        ['r'] = {.read = opaque_return},
        ['x'] = {.read = associated_of},
        ['y'] = {.read = associated_of},
        ['z'] = {.read = associated_of},
    };
    return ms_sr_by_rule(r, rules);
}
