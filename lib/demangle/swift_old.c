/*
 * Types in the mangling of Swift 1 to 3, a prefix grammar: Objective-C's run time still knows
 * classes and protocols by such names. What types are declared in can be functions, with types
 * of their own; what only the compiler's own thunks had is left out.
 *
 * A type is read by a function of its letter, which is behind it. Each level of types, contexts
 * and declarations takes one of the depth that `depth` is the rest of.
 */
#include "demangle/swift_old.h"

#include <string.h>

static struct ms_swift_node *context(struct ms_sr *r, unsigned depth);

/* Identifiers: 'o' and a letter in front of operators, 'X' in front of punycode. */
static struct ms_swift_node *identifier(struct ms_sr *r, enum ms_swift_kind kind)
{
    bool is_punycoded = ms_sr_eat(r, 'X');
    unsigned char fix = 0;
    if (ms_sr_eat(r, 'o')) {
        fix = ms_sr_next(r);
        if (kind != MS_SWIFT_IDENTIFIER || (fix != 'i' && fix != 'p' && fix != 'P'))
            return NULL;
    }
    int64_t length = ms_sr_natural(r);
    if (length <= 0 || length > r->end - r->at)
        return NULL;
    const char *text = r->at;
    size_t n = (size_t)length;
    r->at += n;
    if (is_punycoded && !(text = ms_sr_punycode(r, text, n, &n)))
        return NULL;
    struct ms_swift_node *node = ms_sr_text(r, kind, text, n);
    return fix ? ms_sr_operator_of(r, node, fix) : node;
}

struct ms_swift_node *ms_so_decl_name(struct ms_sr *r)
{
    if (ms_sr_eat(r, 'L')) {
        struct ms_swift_node *number = ms_sr_index_node(r, MS_SWIFT_NUMBER);
        return ms_sr_make_2(r, MS_SWIFT_LOCAL_DECL_NAME, number,
                            number ? identifier(r, MS_SWIFT_IDENTIFIER) : NULL);
    }
    if (ms_sr_eat(r, 'P')) {
        struct ms_swift_node *discriminator = identifier(r, MS_SWIFT_IDENTIFIER);
        return ms_sr_make_2(r, MS_SWIFT_PRIVATE_DECL_NAME, discriminator,
                            discriminator ? identifier(r, MS_SWIFT_IDENTIFIER) : NULL);
    }
    return identifier(r, MS_SWIFT_IDENTIFIER);
}

/* What 'S' stands for: a type's node without TYPE, a module, or the name of an associated type. */
static struct ms_swift_node *substitution(struct ms_sr *r)
{
    unsigned char c = ms_sr_peek(r);
    if (c == '_' || ms_sr_is_digit(c)) {
        int64_t index = ms_sr_index(r);
        return index >= 0 && index < r->n_subs ? r->subs[index] : NULL;
    }
    r->at += c != 0;
    switch (c) {
    case 'o':
        return ms_sr_module_objc();
    case 'C':
        return ms_sr_module_c();
    case 'c':
        return ms_sr_make_2(r, MS_SWIFT_STRUCTURE, ms_sr_module_swift(),
                            ms_sr_text(r, MS_SWIFT_IDENTIFIER, "UnicodeScalar", 13));
    case 'Q':
        return ms_sr_make_2(r, MS_SWIFT_ENUM, ms_sr_module_swift(),
                            ms_sr_text(r, MS_SWIFT_IDENTIFIER, "ImplicitlyUnwrappedOptional", 27));
    case 'a':
    case 'b':
    case 'd':
    case 'f':
    case 'i':
    case 'P':
    case 'p':
    case 'q':
    case 'R':
    case 'r':
    case 'S':
    case 'u':
    case 'V':
    case 'v':
        return ms_sr_standard(c, false)->child[0];
    default:
        return ms_sr_unknown(r, c);
    }
}

static struct ms_swift_node *module(struct ms_sr *r)
{
    if (ms_sr_eat(r, 's'))
        return ms_sr_module_swift();
    if (ms_sr_eat(r, 'S')) {
        struct ms_swift_node *node = substitution(r);
        return node && node->kind == MS_SWIFT_MODULE ? node : NULL;
    }
    return ms_sr_remember(r, identifier(r, MS_SWIFT_MODULE));
}

static struct ms_swift_node *declared(struct ms_sr *r, enum ms_swift_kind kind, unsigned depth)
{
    struct ms_swift_node *in = context(r, depth);
    return ms_sr_remember(r, ms_sr_make_2(r, kind, in, in ? ms_so_decl_name(r) : NULL));
}

/* The kind that a letter declares; NONE for others. */
static enum ms_swift_kind nominal_kind(unsigned char letter)
{
    switch (letter) {
    case 'C':
        return MS_SWIFT_CLASS;
    case 'V':
        return MS_SWIFT_STRUCTURE;
    case 'O':
        return MS_SWIFT_ENUM;
    case 'P':
        return MS_SWIFT_PROTOCOL;
    case 'a':
        return MS_SWIFT_TYPE_ALIAS;
    default:
        return MS_SWIFT_NONE;
    }
}

/* The node of a nominal type, without TYPE. */
static struct ms_swift_node *nominal(struct ms_sr *r, unsigned depth)
{
    if (depth == 0)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    r->op = r->at;
    unsigned char c = ms_sr_next(r);
    if (c == 'S')
        return substitution(r);
    enum ms_swift_kind kind = nominal_kind(c);
    return kind == MS_SWIFT_NONE ? ms_sr_unknown(r, c) : declared(r, kind, depth - 1);
}

/* The TYPE of a protocol: its letter is left out. */
struct ms_swift_node *ms_so_protocol(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *in;
    if (ms_sr_eat(r, 'S')) {
        in = substitution(r);
        if (in && in->kind == MS_SWIFT_PROTOCOL)
            return ms_sr_type(r, in);
        if (!in || in->kind != MS_SWIFT_MODULE)
            return NULL;
    } else if (ms_sr_eat(r, 's')) {
        in = ms_sr_module_swift();
    } else {
        return ms_sr_type(r, declared(r, MS_SWIFT_PROTOCOL, depth));
    }
    return ms_sr_type(
        r, ms_sr_remember(r, ms_sr_make_2(r, MS_SWIFT_PROTOCOL, in, ms_so_decl_name(r))));
}

/*
 * The arguments of a nominal type that is read: those of what it is declared in come first.
 * Returns its node, bound.
 */
static struct ms_swift_node *bound(struct ms_sr *r, struct ms_swift_node *node, unsigned depth)
{
    if (depth == 0)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    if (ms_swift_n_children(node) != 2 || !(ms_swift_flags[node->kind] & MS_SWIFT_CONTEXT))
        return NULL;
    struct ms_swift_node *in = node->child[0];
    if (in->kind != MS_SWIFT_MODULE && in->kind != MS_SWIFT_FUNCTION &&
        in->kind != MS_SWIFT_EXTENSION) {
        in = bound(r, in, depth - 1);
        node = ms_sr_make_2(r, (enum ms_swift_kind)node->kind, in, node->child[1]);
    }
    struct ms_swift_node *arguments = node ? ms_sr_make(r, MS_SWIFT_TYPE_LIST) : NULL;
    if (!arguments)
        return NULL;
    while (!ms_sr_eat(r, '_'))
        if (!ms_sr_add(r, arguments, ms_so_type(r, depth - 1)))
            return NULL;
    return arguments->n ? ms_sr_bind(r, node, arguments) : node;
}

struct ms_swift_node *ms_so_bound_generic(struct ms_sr *r, unsigned depth)
{
    struct ms_swift_node *node = nominal(r, depth);
    return node ? bound(r, node, depth) : NULL;
}

static struct ms_swift_node *extension(struct ms_sr *r, unsigned depth)
{
    bool has_signature = r->at[-1] == 'e';
    struct ms_swift_node *in = module(r), *signature = NULL;
    if (has_signature && !(signature = ms_so_signature(r, depth)))
        return NULL;
    struct ms_swift_node *node =
        ms_sr_make_2(r, MS_SWIFT_EXTENSION, in, in ? context(r, depth) : NULL);
    return !signature || ms_sr_add(r, node, signature) ? node : NULL;
}

/* What something is declared in. */
static struct ms_swift_node *context(struct ms_sr *r, unsigned depth)
{
    if (depth == 0)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    unsigned char c = ms_sr_peek(r);
    switch (c) {
    case 'E':
    case 'e':
        r->at++;
        return extension(r, depth - 1);
    case 'G':
        r->at++;
        return ms_so_bound_generic(r, depth - 1);
    case 'F':
    case 'I':
    case 'Z':
    case 'v':
        return ms_so_entity(r, depth - 1);
    case 'S': {
        r->at++;
        struct ms_swift_node *node = substitution(r);
        return node && ms_swift_flags[node->kind] & MS_SWIFT_CONTEXT ? node : NULL;
    }
    default:
        return nominal_kind(c) != MS_SWIFT_NONE ? nominal(r, depth - 1) : module(r);
    }
}

/* The kind of an accessor of a variable; NONE, and nothing is read, when it is none. */
static enum ms_swift_kind accessor_kind(struct ms_sr *r)
{
    static const struct {
        char letters[3];
        uint16_t kind;
    } kinds[] = {
        {"g", MS_SWIFT_GETTER},
        {"s", MS_SWIFT_SETTER},
        {"m", MS_SWIFT_MATERIALIZE_FOR_SET},
        {"w", MS_SWIFT_WILL_SET},
        {"W", MS_SWIFT_DID_SET},
        {"G", MS_SWIFT_GLOBAL_GETTER},
        {"r", MS_SWIFT_READ_ACCESSOR},
        {"M", MS_SWIFT_MODIFY_ACCESSOR},
        {"aO", MS_SWIFT_OWNING_MUTABLE_ADDRESSOR},
        {"ao", MS_SWIFT_NATIVE_OWNING_MUTABLE_ADDRESSOR},
        {"ap", MS_SWIFT_NATIVE_PINNING_MUTABLE_ADDRESSOR},
        {"au", MS_SWIFT_UNSAFE_MUTABLE_ADDRESSOR},
        {"lO", MS_SWIFT_OWNING_ADDRESSOR},
        {"lo", MS_SWIFT_NATIVE_OWNING_ADDRESSOR},
        {"lp", MS_SWIFT_NATIVE_PINNING_ADDRESSOR},
        {"lu", MS_SWIFT_UNSAFE_ADDRESSOR},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i].letters);
        if ((size_t)(r->end - r->at) >= n && memcmp(r->at, kinds[i].letters, n) == 0) {
            r->at += n;
            return (enum ms_swift_kind)kinds[i].kind;
        }
    }
    return MS_SWIFT_NONE;
}

/* Context, name?, type: labels stay with the types of the arguments. */
static struct ms_swift_node *typed(struct ms_sr *r, enum ms_swift_kind kind,
                                   struct ms_swift_node *in, struct ms_swift_node *name,
                                   unsigned depth)
{
    struct ms_swift_node *type = ms_so_type(r, depth);
    return name ? ms_sr_make_3(r, kind, in, name, type) : ms_sr_make_2(r, kind, in, type);
}

/* A function in `in`, behind 'F': its letter tells of which kind, or its name starts. */
static struct ms_swift_node *function(struct ms_sr *r, struct ms_swift_node *in, unsigned depth)
{
    switch (ms_sr_peek(r)) {
    case 'D':
        r->at++;
        return ms_sr_make_1(r, MS_SWIFT_DEALLOCATOR, in);
    case 'd':
        r->at++;
        return ms_sr_make_1(r, MS_SWIFT_DESTRUCTOR, in);
    case 'C':
        r->at++;
        return typed(r, MS_SWIFT_ALLOCATOR, in, NULL, depth);
    case 'c':
        r->at++;
        return typed(r, MS_SWIFT_CONSTRUCTOR, in, NULL, depth);
    case 'U':
    case 'u': {
        enum ms_swift_kind kind =
            *r->at++ == 'U' ? MS_SWIFT_EXPLICIT_CLOSURE : MS_SWIFT_IMPLICIT_CLOSURE;
        struct ms_swift_node *number = ms_sr_index_node(r, MS_SWIFT_NUMBER);
        return ms_sr_make_3(r, kind, in, number, number ? ms_so_type(r, depth) : NULL);
    }
    default:
        break;
    }
    enum ms_swift_kind accessor = accessor_kind(r);
    struct ms_swift_node *name = ms_so_decl_name(r);
    if (!name)
        return NULL;
    if (accessor == MS_SWIFT_NONE)
        return typed(r, MS_SWIFT_FUNCTION, in, name, depth);
    return ms_sr_make_1(r, accessor, typed(r, MS_SWIFT_VARIABLE, in, name, depth));
}

struct ms_swift_node *ms_so_entity(struct ms_sr *r, unsigned depth)
{
    if (depth == 0)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    bool is_static = ms_sr_eat(r, 'Z');
    unsigned char c = ms_sr_next(r);
    if (c != 'F' && c != 'I' && c != 'v')
        return ms_sr_unknown(r, c);
    struct ms_swift_node *in = context(r, depth - 1), *node = NULL;
    if (!in)
        return NULL;
    if (c == 'F') {
        node = function(r, in, depth - 1);
    } else if (c == 'v') {
        struct ms_swift_node *name = ms_so_decl_name(r);
        node = name ? typed(r, MS_SWIFT_VARIABLE, in, name, depth - 1) : NULL;
    } else if (ms_sr_eat(r, 'A')) {
        node = ms_sr_make_2(r, MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER, in,
                            ms_sr_index_node(r, MS_SWIFT_NUMBER));
    } else if (ms_sr_eat(r, 'i')) {
        node = ms_sr_make_1(r, MS_SWIFT_INITIALIZER, in);
    }
    return is_static ? ms_sr_make_1(r, MS_SWIFT_STATIC, node) : node;
}

struct ms_swift_node *ms_so_type_substitution(struct ms_sr *r)
{
    struct ms_swift_node *node = substitution(r);
    if (!node || node->kind == MS_SWIFT_MODULE || node->kind == MS_SWIFT_IDENTIFIER ||
        node->kind == MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF)
        return NULL;
    return node;
}

/* The kind of names that can be substituted. */
struct ms_swift_node *ms_so_assoc_name(struct ms_sr *r, unsigned depth)
{
    if (ms_sr_eat(r, 'S')) {
        struct ms_swift_node *node = substitution(r);
        return node && node->kind == MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF ? node : NULL;
    }
    struct ms_swift_node *protocol = NULL;
    if (ms_sr_eat(r, 'P') && !(protocol = ms_so_protocol(r, depth)))
        return NULL;
    struct ms_swift_node *node =
        ms_sr_make_1(r, MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF, identifier(r, MS_SWIFT_IDENTIFIER));
    if (protocol && !ms_sr_add(r, node, protocol))
        return NULL;
    return ms_sr_remember(r, node);
}

struct ms_swift_node *ms_so_label(struct ms_sr *r)
{
    return identifier(r, MS_SWIFT_TUPLE_ELEMENT_NAME);
}

struct ms_swift_node *ms_so_nominal(struct ms_sr *r, unsigned depth)
{
    r->at--;
    return nominal(r, depth);
}

struct ms_swift_node *ms_swift_read_old_type(struct ms_arena *arena, const char *name, size_t n,
                                             struct ms_name_fault *fault)
{
    memset(fault, 0, sizeof *fault);
    struct ms_sr r;
    ms_sr_init(&r, arena, name, n);
    struct ms_swift_node *root = ms_sr_make_1(&r, MS_SWIFT_GLOBAL, ms_so_type(&r, MS_SR_OLD_DEPTH));
    if (root && r.at < r.end &&
        !ms_sr_add(&r, root, ms_sr_text(&r, MS_SWIFT_SUFFIX, r.at, (size_t)(r.end - r.at))))
        root = NULL;
    if (!root)
        ms_sr_fill_fault(&r, name, fault);
    return root;
}
