/*
 * demangle/swift_read.h: what the readers of Swift's operators share, and nobody else sees.
 *
 * A name is a program in postfix form for a machine with a stack of nodes, a list of
 * substitutions (nodes that can be referred to again) and a list of words (parts of
 * identifiers, likewise). An operator is a function that has its first letter behind it; it
 * reads what else belongs to it, pops its operands and returns the node to be pushed, or NULL.
 * Why it failed is in `fault` when it is anything but an operand that is missing or of the
 * wrong kind: whatever is NULL may be handed on, makers and pops take it.
 */
#ifndef MS_DEMANGLE_SWIFT_READ_H
#define MS_DEMANGLE_SWIFT_READ_H

#include "demangle/swift.h"

enum {
    MS_SR_FIRST = 64,          /* nodes and substitutions before arrays move to the arena */
    MS_SR_CONTEXTS = 64,       /* contexts that generic arguments go through; real: 6 */
    MS_SR_REPEATS = 1 << 15,   /* nodes pushed by repetition, all together; real: 20 */
    MS_SR_PUNYCODE = 2048,     /* characters of one such identifier; real: 60 */
    MS_SR_PIECES = 128,        /* words and other parts of one identifier; real: 12 */
    MS_SR_JOINED = 1 << 18,    /* bytes of identifiers put together from words; real: 500 */
    MS_SR_BUILTIN_SIZE = 4096, /* bits or elements of a builtin type, as in the reference */
    MS_SR_OLD_DEPTH = 128      /* types within types of the old mangling; real: 8 */
};

struct ms_sr_word {
    const char *at;
    uint32_t n;
};

struct ms_sr {
    const char *at, *end; /* what is still to be read */
    const char *op;       /* the operator that is being read */
    struct ms_arena *arena;
    struct ms_swift_node **stack, **subs;
    uint32_t n_stack, stack_room, n_subs, subs_room, n_words;
    uint32_t repeats_left, joined_left;
    bool old_labels; /* _T0: labels of arguments stand in the tuple of their types */
    enum ms_name_fault_kind fault;
    struct ms_sr_word words[MS_SWIFT_WORDS];
    struct ms_sr_word parts[MS_SWIFT_WORDS]; /* of identifiers: a ring of those not split yet */
    uint32_t n_parts, n_split;               /* so many were put in, and taken out */
    struct ms_swift_node *first_stack[MS_SR_FIRST], *first_subs[MS_SR_FIRST];
};

typedef struct ms_swift_node *ms_sr_operator(struct ms_sr *r);

void ms_sr_init(struct ms_sr *r, struct ms_arena *arena, const char *name, size_t n);
/* Says what was noted, in a name of which `name` is the first byte. */
void ms_sr_fill_fault(const struct ms_sr *r, const char *name, struct ms_name_fault *fault);
/* Notes why the name can't be read, if nothing was noted before. Returns NULL. */
struct ms_swift_node *ms_sr_fail(struct ms_sr *r, enum ms_name_fault_kind kind);
/* The operator has no such letter, which was read; with 0 the name ended before it. */
struct ms_swift_node *ms_sr_unknown(struct ms_sr *r, unsigned char letter);
/* Memory or the arena's ceiling is out. */
struct ms_swift_node *ms_sr_no_memory(struct ms_sr *r);

/* Characters: 0 at the end. */

static inline unsigned char ms_sr_peek(const struct ms_sr *r)
{
    return r->at < r->end ? (unsigned char)*r->at : 0;
}

static inline unsigned char ms_sr_next(struct ms_sr *r)
{
    return r->at < r->end ? (unsigned char)*r->at++ : 0;
}

static inline bool ms_sr_eat(struct ms_sr *r, char c)
{
    if (r->at == r->end || *r->at != c)
        return false;
    r->at++;
    return true;
}

static inline bool ms_sr_is_digit(unsigned char c)
{
    return (unsigned)c - '0' < 10;
}

/* A number up to INT32_MAX; -1 when there is none, -2 (and a fault) when it is larger. */
int64_t ms_sr_natural(struct ms_sr *r);
/* "_" is 0, "N_" is N + 1; -1 when it is neither. */
int64_t ms_sr_index(struct ms_sr *r);

/* Makers: take NULL for a child and return NULL then. What they return is the caller's to
 * change until it is pushed, entered as a substitution, or made a child. */

static inline struct ms_swift_node *ms_sr_make(struct ms_sr *r, enum ms_swift_kind kind)
{
    struct ms_arena *arena = r->arena;
    struct ms_swift_node *node;
    /* sizeof *node keeps the arena's alignment. */
    _Static_assert(sizeof *node % 16 == 0, "nodes can be taken from an arena back to back");
    if ((size_t)(arena->end - arena->at) >= sizeof *node) {
        node = (struct ms_swift_node *)(void *)arena->at;
        arena->at += sizeof *node;
    } else {
        node = ms_arena_take(arena, sizeof *node);
        if (!node)
            return ms_sr_no_memory(r);
    }
    node->kind = (uint16_t)kind;
    node->has_text = node->has_index = false;
    node->n = 0;
    node->child = node->two;
    return node;
}

static inline struct ms_swift_node *ms_sr_text(struct ms_sr *r, enum ms_swift_kind kind,
                                               const char *text, size_t n)
{
    struct ms_swift_node *node = n <= UINT32_MAX ? ms_sr_make(r, kind) : NULL;
    if (!node)
        return NULL;
    node->has_text = true;
    node->text = text;
    node->n = (uint32_t)n;
    return node;
}

static inline struct ms_swift_node *ms_sr_number(struct ms_sr *r, enum ms_swift_kind kind,
                                                 uint64_t index)
{
    struct ms_swift_node *node = ms_sr_make(r, kind);
    if (!node)
        return NULL;
    node->has_index = true;
    node->index = index;
    return node;
}

/* An index of the name as a node of the kind. */
struct ms_swift_node *ms_sr_index_node(struct ms_sr *r, enum ms_swift_kind kind);

static inline struct ms_swift_node *ms_sr_make_1(struct ms_sr *r, enum ms_swift_kind kind,
                                                 struct ms_swift_node *a)
{
    struct ms_swift_node *node = a ? ms_sr_make(r, kind) : NULL;
    if (!node)
        return NULL;
    node->two[0] = a;
    node->n = 1;
    return node;
}

static inline struct ms_swift_node *ms_sr_make_2(struct ms_sr *r, enum ms_swift_kind kind,
                                                 struct ms_swift_node *a, struct ms_swift_node *b)
{
    struct ms_swift_node *node = a && b ? ms_sr_make(r, kind) : NULL;
    if (!node)
        return NULL;
    node->two[0] = a;
    node->two[1] = b;
    node->n = 2;
    return node;
}

/* Adds a child; false when either is NULL or memory is out. */
static inline bool ms_sr_add(struct ms_sr *r, struct ms_swift_node *parent,
                             struct ms_swift_node *child)
{
    if (!parent || !child)
        return false;
    if (parent->n < 2) {
        parent->two[parent->n++] = child;
        return true;
    }
    if (ms_swift_add(r->arena, parent, child))
        return true;
    ms_sr_no_memory(r);
    return false;
}

static inline struct ms_swift_node *ms_sr_make_3(struct ms_sr *r, enum ms_swift_kind kind,
                                                 struct ms_swift_node *a, struct ms_swift_node *b,
                                                 struct ms_swift_node *c)
{
    struct ms_swift_node *node = ms_sr_make_2(r, kind, a, b);
    return ms_sr_add(r, node, c) ? node : NULL;
}

static inline struct ms_swift_node *ms_sr_type(struct ms_sr *r, struct ms_swift_node *node)
{
    return ms_sr_make_1(r, MS_SWIFT_TYPE, node);
}

/* A node with other nodes' children, of another kind. */
struct ms_swift_node *ms_sr_copy(struct ms_sr *r, const struct ms_swift_node *node,
                                 enum ms_swift_kind kind);

/* Nodes that are the same in every name. They are constant, and nodes that have a parent are
 * never changed, so the pointers need not be. */

/* Of a kind without children. */
struct ms_swift_node *ms_sr_leaf(enum ms_swift_kind kind);
/* Modules: Swift, __C and __C_Synthesized. */
struct ms_swift_node *ms_sr_module_swift(void);
struct ms_swift_node *ms_sr_module_objc(void);
struct ms_swift_node *ms_sr_module_c(void);
/* TYPE of Swift's type with a one-letter abbreviation, or of two letters, the first of which
 * is 'c'. NULL when there is none. */
struct ms_swift_node *ms_sr_standard(unsigned char letter, bool concurrency);

/* The stack. */

bool ms_sr_grow(struct ms_sr *r, struct ms_swift_node ***array, uint32_t n, uint32_t *room);

static inline bool ms_sr_push(struct ms_sr *r, struct ms_swift_node *node)
{
    if (r->n_stack == r->stack_room && !ms_sr_grow(r, &r->stack, r->n_stack, &r->stack_room))
        return false;
    r->stack[r->n_stack++] = node;
    return true;
}

/* Enters a substitution and returns it, or NULL. */
static inline struct ms_swift_node *ms_sr_remember(struct ms_sr *r, struct ms_swift_node *node)
{
    if (!node || (r->n_subs == r->subs_room && !ms_sr_grow(r, &r->subs, r->n_subs, &r->subs_room)))
        return NULL;
    r->subs[r->n_subs++] = node;
    return node;
}

static inline struct ms_swift_node *ms_sr_top(const struct ms_sr *r)
{
    return r->n_stack ? r->stack[r->n_stack - 1] : NULL;
}

/* The pops return NULL, and leave the stack as it is, when the top node isn't of the kind. */

static inline struct ms_swift_node *ms_sr_pop(struct ms_sr *r)
{
    return r->n_stack ? r->stack[--r->n_stack] : NULL;
}

static inline struct ms_swift_node *ms_sr_pop_kind(struct ms_sr *r, enum ms_swift_kind kind)
{
    if (!r->n_stack || r->stack[r->n_stack - 1]->kind != kind)
        return NULL;
    return r->stack[--r->n_stack];
}

/* A node with any of the flags. */
static inline struct ms_swift_node *ms_sr_pop_flag(struct ms_sr *r, uint8_t flags)
{
    if (!r->n_stack || !(ms_swift_flags[r->stack[r->n_stack - 1]->kind] & flags))
        return NULL;
    return r->stack[--r->n_stack];
}

static inline struct ms_swift_node *ms_sr_pop_type(struct ms_sr *r)
{
    return ms_sr_pop_kind(r, MS_SWIFT_TYPE);
}

static inline struct ms_swift_node *ms_sr_pop_decl_name(struct ms_sr *r)
{
    return ms_sr_pop_flag(r, MS_SWIFT_DECL_NAME);
}

static inline struct ms_swift_node *ms_sr_pop_signature(struct ms_sr *r)
{
    return ms_sr_pop_kind(r, MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE);
}

/* What a type's TYPE holds. */
static inline struct ms_swift_node *ms_sr_pop_type_child(struct ms_sr *r)
{
    struct ms_swift_node *type = ms_sr_pop_type(r);
    return type && type->n == 1 ? type->child[0] : NULL;
}

struct ms_swift_node *ms_sr_pop_module(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_context(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_entity(struct ms_sr *r);
/* The TYPE of a protocol. */
struct ms_swift_node *ms_sr_pop_protocol(struct ms_sr *r);
/* Of TYPE: a nominal type, not its wrapper. */
struct ms_swift_node *ms_sr_pop_nominal(struct ms_sr *r);
/* A node of the kind with the TYPEs of a list. */
struct ms_swift_node *ms_sr_pop_types(struct ms_sr *r, enum ms_swift_kind kind);
struct ms_swift_node *ms_sr_pop_protocol_list(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_requirement(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_assoc_name(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_assoc_path(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_conformance(struct ms_sr *r);
struct ms_swift_node *ms_sr_pop_any_conformance(struct ms_sr *r);
/* TYPE of a function type; a clang type is read first when it has one. */
struct ms_swift_node *ms_sr_pop_function_type(struct ms_sr *r, enum ms_swift_kind kind,
                                              bool has_clang_type);
/* N, and that many bytes. */
struct ms_swift_node *ms_sr_clang_type(struct ms_sr *r);
/*
 * The labels of a function's arguments, as many as its type has. *list is NULL when there can't
 * be any. *type becomes one without the labels, where they stood in it. False when memory is out.
 */
bool ms_sr_pop_labels(struct ms_sr *r, struct ms_swift_node **type, struct ms_swift_node **list);
/*
 * Lists of generic arguments, innermost context first, as children of *lists, and the
 * conformances they rely on, or NULL. False when they are malformed.
 */
bool ms_sr_pop_bound_generics(struct ms_sr *r, struct ms_swift_node **lists,
                              struct ms_swift_node **retroactive);

/* A nominal type, without TYPE, with its own arguments; NULL for what has none. */
struct ms_swift_node *ms_sr_bind(struct ms_sr *r, struct ms_swift_node *nominal,
                                 struct ms_swift_node *arguments);
/* The operator that an identifier's letters stand for; fix is i, p or P. */
struct ms_swift_node *ms_sr_operator_of(struct ms_sr *r, const struct ms_swift_node *name,
                                        unsigned char fix);

/*
 * Operators whose operands are popped one after the other, the last one first, and become the
 * children in this order.
 */
enum ms_sr_operand {
    MS_SR_NONE,
    MS_SR_ANY,
    MS_SR_TYPE,
    MS_SR_CHILD, /* what a TYPE holds */
    MS_SR_ENTITY,
    MS_SR_CONTEXT,
    MS_SR_MODULE,
    MS_SR_PROTOCOL,
    MS_SR_CONFORMANCE,
    MS_SR_DECL_NAME,
    MS_SR_ASSOC_NAME,
    MS_SR_ASSOC_PATH,
    MS_SR_NOMINAL,       /* what a TYPE of a nominal type holds */
    MS_SR_PROTOCOL_LIST, /* PROTOCOL_LIST */
    MS_SR_N_OPERANDS
};

struct ms_sr_rule {
    uint16_t kind;      /* NONE and no operator: there is no such letter */
    uint8_t operand[3]; /* enum ms_sr_operand, in the order of the children */
    bool is_type;       /* the result is wrapped in TYPE */
    ms_sr_operator *read;
};

/* The next letter's rule, of 128. */
struct ms_swift_node *ms_sr_by_rule(struct ms_sr *r, const struct ms_sr_rule *rules);

/* The operators, by file. */
ms_sr_operator ms_sr_identifier, ms_sr_operator_name, ms_sr_local_name;    /* swift_read_name.c */
ms_sr_operator ms_sr_substitution, ms_sr_standard_type;                    /* swift_read_subst.c */
ms_sr_operator ms_sr_builtin, ms_sr_tuple, ms_sr_special, ms_sr_annotated; /* swift_read_type.c */
ms_sr_operator ms_sr_integer, ms_sr_existential;
ms_sr_operator ms_sr_bound_generic, ms_sr_archetype; /* swift_read_generic.c */
ms_sr_operator ms_sr_one_parameter, ms_sr_parameter_counts, ms_sr_requirement;
ms_sr_operator ms_sr_generic_parameter, ms_sr_first_parameter, ms_sr_generic_type;
ms_sr_operator ms_sr_function, ms_sr_variable, ms_sr_subscript; /* swift_read_entity.c */
ms_sr_operator ms_sr_entity, ms_sr_extension;
ms_sr_operator ms_sr_thunk;                                            /* swift_read_thunk.c */
ms_sr_operator ms_sr_function_specialization, ms_sr_dropped_arguments; /* swift_read_spec.c */
ms_sr_operator ms_sr_sil_function;                                     /* swift_read_sil.c */
ms_sr_operator ms_sr_metadata, ms_sr_witness, ms_sr_value_witness;     /* swift_read_meta.c */
ms_sr_operator ms_sr_conformance, ms_sr_retroactive;                   /* swift_read_conform.c */
ms_sr_operator ms_sr_macro_expansion;                                  /* swift_read_macro.c */
ms_sr_operator ms_sr_autodiff_thunk, ms_sr_autodiff_witness;           /* swift_read_autodiff.c */

/* A specialisation of the kind over all types of a list, or (partial) over one. */
struct ms_swift_node *ms_sr_generic_specialization(struct ms_sr *r, enum ms_swift_kind kind);
struct ms_swift_node *ms_sr_partial_specialization(struct ms_sr *r, enum ms_swift_kind kind);

/* An entity of the kind as variables are: context, name, labels?, type. */
struct ms_swift_node *ms_sr_pop_declaration(struct ms_sr *r, enum ms_swift_kind kind);

/*
 * Decodes n bytes of Swift's punycode to UTF-8 in the arena. NULL when they are malformed,
 * and when there are too many.
 */
const char *ms_sr_punycode(struct ms_sr *r, const char *at, size_t n, size_t *out_bytes);

#endif
