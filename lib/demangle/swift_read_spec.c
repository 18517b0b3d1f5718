/* Specialisations: what the compiler changed in a function for certain types or arguments. */
#include "demangle/swift_read.h"

#include <string.h>

/* What every kind of specialisation starts with: flags, and the number of the pass. */
static struct ms_swift_node *start(struct ms_sr *r, enum ms_swift_kind kind)
{
    static const struct {
        char letter;
        uint16_t kind;
    } flags[] = {
        {'m', MS_SWIFT_METATYPE_PARAMS_REMOVED},
        {'q', MS_SWIFT_IS_SERIALIZED},
        {'a', MS_SWIFT_ASYNC_REMOVED},
        {'r', MS_SWIFT_REPRESENTATION_CHANGED},
    };
    enum { N_FLAGS = sizeof flags / sizeof *flags };
    bool is_set[N_FLAGS];
    for (unsigned i = 0; i < N_FLAGS; i++)
        is_set[i] = ms_sr_eat(r, flags[i].letter);
    unsigned char pass = ms_sr_next(r);
    if (!ms_sr_is_digit(pass))
        return ms_sr_unknown(r, pass);
    struct ms_swift_node *node = ms_sr_make_1(
        r, kind, ms_sr_number(r, MS_SWIFT_SPECIALIZATION_PASS_ID, (uint64_t)(pass - '0')));
    for (unsigned i = 0; i < N_FLAGS; i++)
        if (is_set[i] && !ms_sr_add(r, node, ms_sr_leaf((enum ms_swift_kind)flags[i].kind)))
            return NULL;
    return node;
}

static bool add_types(struct ms_sr *r, struct ms_swift_node *node)
{
    const struct ms_swift_node *types = node ? ms_sr_pop_types(r, MS_SWIFT_TYPE_LIST) : NULL;
    if (!types)
        return false;
    for (uint32_t i = 0; i < types->n; i++)
        if (!ms_sr_add(r, node,
                       ms_sr_make_1(r, MS_SWIFT_GENERIC_SPECIALIZATION_PARAM, types->child[i])))
            return false;
    return true;
}

struct ms_swift_node *ms_sr_generic_specialization(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_swift_node *node = start(r, kind);
    return add_types(r, node) ? node : NULL;
}

struct ms_swift_node *ms_sr_partial_specialization(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_swift_node *node = start(r, kind);
    if (!node)
        return NULL;
    struct ms_swift_node *type =
        ms_sr_make_1(r, MS_SWIFT_GENERIC_SPECIALIZATION_PARAM, ms_sr_pop_type(r));
    return ms_sr_add(r, node, type) ? node : NULL;
}

/* "t", a number?, for each argument that is no more; then a generic specialisation. */
struct ms_swift_node *ms_sr_dropped_arguments(struct ms_sr *r)
{
    struct ms_swift_node *dropped = ms_sr_make(r, MS_SWIFT_NONE);
    r->at--;
    while (ms_sr_eat(r, 't')) {
        int64_t number = ms_sr_natural(r);
        if (number < -1 ||
            !ms_sr_add(r, dropped,
                       ms_sr_number(r, MS_SWIFT_DROPPED_ARGUMENT, (uint64_t)(number + 1))))
            return NULL;
    }
    unsigned char c = ms_sr_next(r);
    if (c != 'g' && c != 'G' && c != 'B')
        return ms_sr_unknown(r, c);
    struct ms_swift_node *node =
        start(r, c == 'g'   ? MS_SWIFT_GENERIC_SPECIALIZATION
                 : c == 'G' ? MS_SWIFT_GENERIC_SPECIALIZATION_NOT_REABSTRACTED
                            : MS_SWIFT_GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN);
    for (uint32_t i = 0; node && i < dropped->n; i++)
        if (!ms_sr_add(r, node, dropped->child[i]))
            return NULL;
    return add_types(r, node) ? node : NULL;
}

static bool add_kind(struct ms_sr *r, struct ms_swift_node *parameter, unsigned kind)
{
    return ms_sr_add(r, parameter,
                     ms_sr_number(r, MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_KIND, kind));
}

static bool add_payload(struct ms_sr *r, struct ms_swift_node *parameter, const char *text,
                        size_t n)
{
    return ms_sr_add(
        r, parameter,
        ms_sr_text(r, MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_PAYLOAD, text, n));
}

/* A kind whose payload are the digits that follow. */
static bool add_digits(struct ms_sr *r, struct ms_swift_node *parameter, unsigned kind)
{
    const char *digits = r->at;
    while (ms_sr_is_digit(ms_sr_peek(r)))
        r->at++;
    return r->at > digits && add_kind(r, parameter, kind) &&
           add_payload(r, parameter, digits, (size_t)(r->at - digits));
}

static bool add_string(struct ms_sr *r, struct ms_swift_node *parameter)
{
    unsigned char c = ms_sr_next(r);
    const char *encoding = c == 'b' ? "u8" : c == 'w' ? "u16" : c == 'c' ? "objc" : NULL;
    if (!encoding)
        return ms_sr_unknown(r, c);
    return add_kind(r, parameter, MS_SWIFT_SPEC_STRING) &&
           add_payload(r, parameter, encoding, strlen(encoding));
}

/* One constant; false, with nothing read, when there is none. *good is false for a broken one. */
static bool add_constant(struct ms_sr *r, struct ms_swift_node *parameter, bool *good)
{
    switch (ms_sr_peek(r)) {
    case 'S':
        r->at++;
        *good = add_kind(r, parameter, MS_SWIFT_SPEC_STRUCT);
        return true;
    case 'f':
        r->at++;
        *good = add_kind(r, parameter, MS_SWIFT_SPEC_FUNCTION);
        return true;
    case 'g':
        r->at++;
        *good = add_kind(r, parameter, MS_SWIFT_SPEC_GLOBAL);
        return true;
    case 'i':
        r->at++;
        *good = add_digits(r, parameter, MS_SWIFT_SPEC_INTEGER);
        return true;
    case 'd':
        r->at++;
        *good = add_digits(r, parameter, MS_SWIFT_SPEC_FLOAT);
        return true;
    case 's':
        r->at++;
        *good = add_string(r, parameter);
        return true;
    case 'k':
        r->at++;
        *good = add_kind(r, parameter, MS_SWIFT_SPEC_KEY_PATH);
        return true;
    default:
        return false;
    }
}

/* One constant, or the parts of a struct, which starts with 'S': only there the letter behind
 * can't be the next argument's. */
static bool add_constants(struct ms_sr *r, struct ms_swift_node *parameter)
{
    bool good = false, is_struct = ms_sr_peek(r) == 'S';
    if (!add_constant(r, parameter, &good)) {
        ms_sr_unknown(r, ms_sr_next(r));
        return false;
    }
    while (good && is_struct && add_constant(r, parameter, &good))
        continue;
    return good;
}

/* What was done to one argument, or to the result. */
static struct ms_swift_node *parameter(struct ms_sr *r, enum ms_swift_kind kind)
{
    static const struct {
        uint16_t kind;
        char more[5]; /* letters of flags that may follow */
    } simple[128] = {
        ['c'] = {MS_SWIFT_SPEC_CLOSURE, ""},
        ['d'] = {MS_SWIFT_SPEC_DEAD, "GOX"},
        ['e'] = {MS_SWIFT_SPEC_EXISTENTIAL_TO_GENERIC, "DGOX"},
        ['g'] = {MS_SWIFT_SPEC_OWNED_TO_GUARANTEED, "X"},
        ['i'] = {MS_SWIFT_SPEC_BOX_TO_VALUE, ""},
        ['o'] = {MS_SWIFT_SPEC_GUARANTEED_TO_OWNED, "X"},
        ['r'] = {MS_SWIFT_SPEC_IN_OUT_TO_OUT, ""},
        ['s'] = {MS_SWIFT_SPEC_BOX_TO_STACK, ""},
        ['x'] = {MS_SWIFT_SPEC_SROA, ""},
    };
    static const uint16_t flags[128] = {
        ['D'] = MS_SWIFT_SPEC_DEAD,
        ['G'] = MS_SWIFT_SPEC_OWNED_TO_GUARANTEED,
        ['O'] = MS_SWIFT_SPEC_GUARANTEED_TO_OWNED,
        ['X'] = MS_SWIFT_SPEC_SROA,
    };
    struct ms_swift_node *node = ms_sr_make(r, kind);
    unsigned char c = ms_sr_next(r);
    if (!node || c == 'n')
        return node;
    if (c == 'p')
        return add_constants(r, node) ? node : NULL;
    if (c == 'C')
        return add_digits(r, node, MS_SWIFT_SPEC_SAME_AS) ? node : NULL;
    if (c >= 128 || !simple[c].kind)
        return ms_sr_unknown(r, c);
    unsigned value = simple[c].kind;
    for (const char *letter = simple[c].more; *letter; letter++)
        if (ms_sr_eat(r, *letter))
            value |= flags[(unsigned char)*letter];
    return add_kind(r, node, value) ? node : NULL;
}

/* Adds what a kind has on the stack, the last of it first. */
static bool add_operands(struct ms_sr *r, struct ms_swift_node *reversed, uint64_t kind)
{
    switch (kind) {
    case MS_SWIFT_SPEC_STRUCT:
        return ms_sr_add(r, reversed, ms_sr_pop_type(r));
    case MS_SWIFT_SPEC_CLOSURE:
        for (struct ms_swift_node *type; (type = ms_sr_pop_type(r));)
            if (!ms_sr_add(r, reversed, type))
                return false;
        break;
    case MS_SWIFT_SPEC_KEY_PATH:
        for (int i = 0; i < 2; i++)
            if (!ms_sr_add(r, reversed, ms_sr_pop_type(r)))
                return false;
        break;
    case MS_SWIFT_SPEC_FUNCTION:
    case MS_SWIFT_SPEC_GLOBAL:
    case MS_SWIFT_SPEC_STRING:
        break;
    default:
        return true;
    }
    const struct ms_swift_node *name = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER);
    if (!name)
        return false;
    /* '_' keeps a string from starting with a digit. */
    uint32_t skip = kind == MS_SWIFT_SPEC_STRING && name->n && name->text[0] == '_';
    return add_payload(r, reversed, name->text + skip, name->n - skip);
}

/* The parameter with each kind's operands behind what it has already. */
static struct ms_swift_node *with_operands(struct ms_sr *r, const struct ms_swift_node *parameter)
{
    struct ms_swift_node *node = ms_sr_make(r, (enum ms_swift_kind)parameter->kind);
    for (uint32_t end = parameter->n; node && end > 0;) {
        uint32_t first = end - 1;
        while (first > 0 && !parameter->child[first]->has_index)
            first--;
        if (!add_operands(r, node, parameter->child[first]->index))
            return NULL;
        while (end > first)
            if (!ms_sr_add(r, node, parameter->child[--end]))
                return NULL;
    }
    if (node)
        ms_swift_reverse(node);
    return node;
}

struct ms_swift_node *ms_sr_function_specialization(struct ms_sr *r)
{
    struct ms_swift_node *node = start(r, MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION);
    if (!node)
        return NULL;
    while (ms_sr_is_digit(ms_sr_peek(r))) /* tells apart what the same pass made of a function */
        r->at++;
    uint32_t first = node->n;
    if (node->child[node->n - 1]->kind == MS_SWIFT_REPRESENTATION_CHANGED)
        return node; /* of the function as a whole */
    while (!ms_sr_eat(r, '_'))
        if (!ms_sr_add(r, node, parameter(r, MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM)))
            return NULL;
    for (uint32_t i = node->n; i-- > first;) {
        node->child[i] = with_operands(r, node->child[i]);
        if (!node->child[i])
            return NULL;
    }
    if (!ms_sr_eat(r, 'n') &&
        !ms_sr_add(r, node, parameter(r, MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_RETURN)))
        return NULL;
    return node;
}
