/* lib/demangle/swift_read, swift_old: the trees of names; faults; limits; memory. */
#include "demangle/swift.h"

#include "memory_out.h"

#include <stdio.h>
#include <string.h>

struct tree {
    const char *name, *tree;
};

/* Pieces that most trees have. */
#define INT ":V(@Swift, 'Int')"
#define STRING ":V(@Swift, 'String')"
#define VOID ":F(args(:T), result(:T))"
#define FUNCTION "FUNCTION(@a, 'f', " VOID ")"

#include "swift_trees.h"

static const char *const kinds[] = {
#define X(kind, flags, phrase) #kind,
    MS_SWIFT_KINDS(X)
#undef X
};

/* Short forms in the trees above: ':' is TYPE, '@' a module, quotes alone an identifier,
 * "%depth.index" a generic parameter. */
static const struct {
    uint16_t kind;
    const char *text;
} short_forms[] = {
    {MS_SWIFT_CLASS, "C"},
    {MS_SWIFT_STRUCTURE, "V"},
    {MS_SWIFT_ENUM, "O"},
    {MS_SWIFT_PROTOCOL, "P"},
    {MS_SWIFT_FUNCTION_TYPE, "F"},
    {MS_SWIFT_ARGUMENT_TUPLE, "args"},
    {MS_SWIFT_RETURN_TYPE, "result"},
    {MS_SWIFT_TUPLE, "T"},
    {MS_SWIFT_TUPLE_ELEMENT, "e"},
    {MS_SWIFT_LABEL_LIST, "labels"},
    {MS_SWIFT_TYPE_LIST, "list"},
    {MS_SWIFT_TYPE_MANGLING, "type"},
    {MS_SWIFT_BOUND_GENERIC_CLASS, "bound_C"},
    {MS_SWIFT_BOUND_GENERIC_STRUCTURE, "bound_V"},
    {MS_SWIFT_BOUND_GENERIC_ENUM, "bound_O"},
    {MS_SWIFT_DEPENDENT_GENERIC_TYPE, "generic"},
    {MS_SWIFT_DEPENDENT_GENERIC_SIGNATURE, "sig"},
    {MS_SWIFT_DEPENDENT_GENERIC_PARAM_COUNT, "count"},
    {MS_SWIFT_DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT, "conforms"},
    {MS_SWIFT_DEPENDENT_ASSOCIATED_TYPE_REF, "ref"},
    {MS_SWIFT_DEPENDENT_MEMBER_TYPE, "member"},
    {MS_SWIFT_PROTOCOL_CONFORMANCE, "conf"},
    {MS_SWIFT_IMPL_FUNCTION_TYPE, "sil"},
    {MS_SWIFT_IMPL_CONVENTION, "conv"},
    {MS_SWIFT_IMPL_PARAMETER, "in"},
    {MS_SWIFT_IMPL_RESULT, "out"},
    {MS_SWIFT_SPECIALIZATION_PASS_ID, "pass"},
    {MS_SWIFT_GENERIC_SPECIALIZATION_PARAM, "of"},
    {MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM, "param"},
    {MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_RETURN, "return"},
    {MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_KIND, "kind"},
    {MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_PAYLOAD, "payload"},
};

static const char *kind_text(const struct ms_swift_node *node)
{
    for (size_t i = 0; i < sizeof short_forms / sizeof *short_forms; i++)
        if (short_forms[i].kind == node->kind)
            return short_forms[i].text;
    return kinds[node->kind];
}

static void put_children(struct ms_text *text, const struct ms_swift_node *node);

static void put(struct ms_text *text, const struct ms_swift_node *node)
{
    if (node->kind == MS_SWIFT_TYPE) {
        cr_assert_eq(node->n, 1);
        ms_text_putc(text, ':');
        put(text, node->child[0]);
    } else if (node->kind == MS_SWIFT_DEPENDENT_GENERIC_PARAM) {
        cr_assert_eq(node->n, 2);
        ms_text_printf(text, "%%%d.%d", (int)node->child[0]->index, (int)node->child[1]->index);
    } else if (node->kind == MS_SWIFT_MODULE) {
        ms_text_printf(text, "@%.*s", (int)node->n, node->text);
    } else {
        ms_text_puts(text, node->kind == MS_SWIFT_IDENTIFIER ? "" : kind_text(node));
        if (node->has_text)
            ms_text_printf(text, "'%.*s'", (int)node->n, node->text);
        else if (node->has_index)
            ms_text_printf(text, "#%lld", (long long)node->index);
        else if (node->n)
            put_children(text, node);
    }
}

static void put_children(struct ms_text *text, const struct ms_swift_node *node)
{
    ms_text_putc(text, '(');
    for (uint32_t i = 0; i < node->n; i++) {
        ms_text_puts(text, i ? ", " : "");
        put(text, node->child[i]);
    }
    ms_text_putc(text, ')');
}

static void expect(const struct tree *trees, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct ms_arena arena;
        struct ms_name_fault fault;
        struct ms_text text;
        ms_arena_init(&arena, MS_SWIFT_ARENA);
        ms_text_init(&text, 1 << 20);
        const struct ms_swift_node *root =
            ms_swift_read(&arena, trees[i].name, strlen(trees[i].name), &fault);
        cr_assert_not_null(root, "%s: not read, kind %d at %zu", trees[i].name, (int)fault.kind,
                           fault.at);
        cr_assert_eq(root->kind, MS_SWIFT_GLOBAL);
        cr_assert_eq(fault.kind, MS_NAME_FINE);
        put_children(&text, root);
        char wanted[4096];
        snprintf(wanted, sizeof wanted, "(%s)", trees[i].tree);
        cr_expect_str_eq(text.at, wanted, "%s\n  gives  %s\n  wanted %s", trees[i].name, text.at,
                         wanted);
        ms_text_fini(&text);
        ms_arena_fini(&arena);
    }
}

#define GROUP(trees)                                                                               \
    Test(swift_read, trees)                                                                        \
    {                                                                                              \
        expect(trees, sizeof trees / sizeof *trees);                                               \
    }
GROUP(identifiers)
GROUP(substitutions)
GROUP(types)
GROUP(generics)
GROUP(entities)
GROUP(old_labels)
GROUP(thunks)
GROUP(specialisations)
GROUP(sil_functions)
GROUP(metadata)
GROUP(witnesses)
GROUP(conformances)
GROUP(macros)
GROUP(autodiff)
GROUP(old)

/* Reads a name that can't be. */
static struct ms_name_fault refused(const char *name, size_t n)
{
    struct ms_arena arena;
    struct ms_name_fault fault;
    ms_arena_init(&arena, MS_SWIFT_ARENA);
    cr_expect_null(ms_swift_read(&arena, name, n, &fault), "%.60s is read", name);
    ms_arena_fini(&arena);
    return fault;
}

Test(swift_read, faults)
{
    static const struct {
        const char *name;
        enum ms_name_fault_kind kind;
        size_t at;
        const char *op;
    } cases[] = {
        {"$s", MS_NAME_MALFORMED, 2, ""},
        {"$s1", MS_NAME_MALFORMED, 2, ""},
        {"$s2a", MS_NAME_MALFORMED, 2, ""},
        {"$s0a", MS_NAME_MALFORMED, 2, ""},
        {"$s1a0", MS_NAME_MALFORMED, 4, ""},
        {"$s0A", MS_NAME_MALFORMED, 2, ""},
        {"$s99999999999a", MS_NAME_MALFORMED, 2, ""},
        {"$s003abK", MS_NAME_MALFORMED, 2, ""},
        {"$s003a_9", MS_NAME_MALFORMED, 2, ""},
        {"$s1aj", MS_NAME_UNKNOWN_OPERATOR, 4, "j"},
        {"$s1a!", MS_NAME_UNKNOWN_OPERATOR, 4, "!"},
        {"$s1a\001", MS_NAME_MALFORMED, 4, ""},
        {"$s1a1bVMe", MS_NAME_UNKNOWN_OPERATOR, 7, "Me"},
        {"$s1a1bVM", MS_NAME_MALFORMED, 7, ""},
        {"$s1a1bVWOq", MS_NAME_UNKNOWN_OPERATOR, 7, "WOq"},
        {"$s1a1bVWO", MS_NAME_MALFORMED, 7, ""},
        {"$s1a1bVTwq", MS_NAME_UNKNOWN_OPERATOR, 7, "Twq"},
        {"$s1a1bVXq", MS_NAME_UNKNOWN_OPERATOR, 7, "Xq"},
        {"$s1a1bVYq", MS_NAME_UNKNOWN_OPERATOR, 7, "Yq"},
        {"$s1a1bVBq", MS_NAME_UNKNOWN_OPERATOR, 7, "Bq"},
        {"$s1a1bVHq", MS_NAME_UNKNOWN_OPERATOR, 7, "Hq"},
        {"$s1a1bVfq", MS_NAME_UNKNOWN_OPERATOR, 7, "fq"},
        {"$s1a1bVfMz", MS_NAME_UNKNOWN_OPERATOR, 7, "fMz"},
        {"$s1a1bVQq", MS_NAME_UNKNOWN_OPERATOR, 7, "Qq"},
        {"$s1a1bVwqq", MS_NAME_UNKNOWN_OPERATOR, 7, "wqq"},
        {"$s1a1vSivq", MS_NAME_UNKNOWN_OPERATOR, 8, "vq"},
        {"$s1a1vSivaq", MS_NAME_UNKNOWN_OPERATOR, 8, "vaq"},
        {"$sxSiRe", MS_NAME_UNKNOWN_OPERATOR, 5, "Re"},
        {"$sxRlzq", MS_NAME_UNKNOWN_OPERATOR, 3, "Rlz"},
        {"$sIq_", MS_NAME_UNKNOWN_OPERATOR, 2, "Iq"},
        {"$sSl_SC", MS_NAME_MALFORMED, 7, ""},
        {"$s1a2ppoq", MS_NAME_UNKNOWN_OPERATOR, 7, "oq"},
        {"$s1a1fyyFTfz", MS_NAME_UNKNOWN_OPERATOR, 9, "Tfz"},
        {"$s1a1fyyFTf4z_n", MS_NAME_UNKNOWN_OPERATOR, 9, "Tf4"},
        {"$sS_", MS_NAME_UNKNOWN_OPERATOR, 2, "S_"},
        {"$sA", MS_NAME_MALFORMED, 2, ""},
        {"$sAA", MS_NAME_MALFORMED, 2, ""},
        {"$s1aA_", MS_NAME_MALFORMED, 4, ""},
        {"$sF", MS_NAME_MALFORMED, 2, ""},
        {"$s1aSiF", MS_NAME_MALFORMED, 6, ""},
        {"$sSit", MS_NAME_MALFORMED, 4, ""},
        {"$sSiG", MS_NAME_MALFORMED, 4, ""},
        {"$sSiWP", MS_NAME_MALFORMED, 4, ""},
        {"$sBi0_", MS_NAME_MALFORMED, 2, ""},
        {"$sBi5000_", MS_NAME_MALFORMED, 2, ""},
        {"$sBi2147483647_", MS_NAME_MALFORMED, 2, ""},
        {"$sy", MS_NAME_MALFORMED, 3, ""},
        {"$s1a1bVTA1cVN", MS_NAME_MALFORMED, 11, ""},
        {"$sTA", MS_NAME_MALFORMED, 4, ""},
        {"$sSiSS", MS_NAME_MALFORMED, 6, ""},
        {"$X", MS_NAME_MALFORMED, 0, ""},
        {"", MS_NAME_MALFORMED, 0, ""},
        {"_TtZ", MS_NAME_UNKNOWN_OPERATOR, 3, "Z"},
        {"_TtGSaZ_", MS_NAME_UNKNOWN_OPERATOR, 6, "Z"},
        {"_TtC", MS_NAME_MALFORMED, 3, ""},
        {"_TtC4mai", MS_NAME_MALFORMED, 3, ""},
        {"_Tt", MS_NAME_MALFORMED, 3, ""},
        {"_TtTSi", MS_NAME_MALFORMED, 6, ""},
        {"_TtGSa", MS_NAME_MALFORMED, 6, ""},
        {"_TtS9_", MS_NAME_MALFORMED, 3, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ms_name_fault fault = refused(cases[i].name, strlen(cases[i].name));
        cr_expect(fault.kind == cases[i].kind && fault.at == cases[i].at &&
                      strcmp(fault.op, cases[i].op) == 0,
                  "%s: kind %d at %zu, letters \"%s\"", cases[i].name, (int)fault.kind, fault.at,
                  fault.op);
    }
}

/* All that is in the tables, cut short at every byte: read or refused, never beyond its end. */
Test(swift_read, truncated)
{
    static const struct tree *const groups[] = {identifiers, generics,        entities,  thunks,
                                                types,       specialisations, witnesses, old};
    static const size_t sizes[] = {
        sizeof identifiers / sizeof *identifiers,
        sizeof generics / sizeof *generics,
        sizeof entities / sizeof *entities,
        sizeof thunks / sizeof *thunks,
        sizeof types / sizeof *types,
        sizeof specialisations / sizeof *specialisations,
        sizeof witnesses / sizeof *witnesses,
        sizeof old / sizeof *old,
    };
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t i = 0; i < sizes[g]; i++) {
            size_t n = strlen(groups[g][i].name);
            for (size_t k = 0; k < n; k++) {
                char *part = malloc(k ? k : 1); /* so that a sanitizer sees its end */
                memcpy(part, groups[g][i].name, k);
                struct ms_arena arena;
                struct ms_name_fault fault;
                ms_arena_init(&arena, MS_SWIFT_ARENA);
                bool read = ms_swift_read(&arena, part, k, &fault);
                cr_expect(read == (fault.kind == MS_NAME_FINE) && fault.at <= k, "%s at %zu",
                          groups[g][i].name, k);
                ms_arena_fini(&arena);
                free(part);
            }
        }
}

Test(swift_read, nested)
{
    struct ms_arena arena;
    ms_arena_init(&arena, MS_SWIFT_ARENA);
    cr_expect_not_null(ms_swift_read_nested(&arena, "_$s1a1fyyF", 10));
    cr_expect_not_null(ms_swift_read_nested(&arena, "$s1a1fyyF", 9));
    cr_expect_null(ms_swift_read_nested(&arena, "s1a1fyyF", 8));
    cr_expect_null(ms_swift_read_nested(&arena, "_", 1));
    cr_expect_null(ms_swift_read_nested(&arena, "", 0));
    ms_arena_fini(&arena);
}

static char large[1 << 18];

/* Puts `times` times `unit` behind what ends at `at`. Returns its end. */
static char *repeat(char *at, const char *unit, size_t times)
{
    while (times-- > 0)
        at = stpcpy(at, unit);
    return at;
}

static void expect_too_large(const char *what)
{
    struct ms_name_fault fault = refused(large, strlen(large));
    cr_expect_eq(fault.kind, MS_NAME_TOO_LARGE, "%s: kind %d at %zu", what, (int)fault.kind,
                 fault.at);
}

Test(swift_read, limits)
{
    strcpy(large, "$sSi_S3000it");
    expect_too_large("a type 3,000 times");
    strcpy(large, "$s1a1bVA3000B");
    expect_too_large("a substitution 3,000 times");
    repeat(stpcpy(large, "$s1a"), "A2000A", 100);
    expect_too_large("a substitution 200,000 times, 2,000 at once");

    char *at = stpcpy(large, "$s1a1bV");
    at = repeat(at, "1cV", 100);
    at = stpcpy(at, "ySi");
    at = repeat(at, "_Si", 90);
    stpcpy(at, "G");
    expect_too_large("arguments of 91 contexts");

    at = stpcpy(large, "$s1a003000");
    repeat(at, "a", 3000);
    expect_too_large("3,000 characters of punycode");

    at = repeat(stpcpy(large, "$s3000"), "a", 3000);
    repeat(at, "0aA0", 100);
    expect_too_large("a word of 3,000 characters 200 times");
    at = stpcpy(large, "$s2ab0");
    at = repeat(at, "a", 200);
    stpcpy(at, "A0");
    expect_too_large("an identifier of 201 words");

    repeat(stpcpy(large, "_Tt"), "M", 1000);
    expect_too_large("1,000 old metatypes");
    at = repeat(stpcpy(large, "_Tt"), "V", 1000);
    stpcpy(at, "1a");
    expect_too_large("1,000 nested old structures");
}

/* Memory grows no faster than the name. */
Test(swift_read, memory_is_linear)
{
    static const struct {
        const char *head, *unit, *tail;
    } shapes[] = {
        {"$sSi", "Sg", "D"},          {"$s1a1bV", "1cV", "D"},     {"$sSi_", "Si", "tD"},
        {"$s1a1fyyF", "1gL_yyF", ""}, {"$s1a1bV", "A2000B", "D"},  {"$s1a", "007ab_qgJk", ""},
        {"$s4Word", "0aaaA0", ""},    {"$s1a1bVySi", "_Si", "GD"}, {"$sx", "1TQx", "D"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        size_t units = 8000 / strlen(shapes[i].unit), bytes[2];
        for (int k = 0; k < 2; k++) {
            char *at = stpcpy(large, shapes[i].head);
            at = repeat(at, shapes[i].unit, units << k);
            at = stpcpy(at, shapes[i].tail);
            struct ms_arena arena;
            struct ms_name_fault fault;
            ms_arena_init(&arena, MS_SWIFT_ARENA);
            ms_swift_read(&arena, large, (size_t)(at - large), &fault);
            bytes[k] = arena.total_bytes;
            ms_arena_fini(&arena);
        }
        cr_expect_leq(bytes[1], 3 * bytes[0], "%s: %zu and %zu bytes", shapes[i].unit, bytes[0],
                      bytes[1]);
    }
}

Test(swift_read, ceiling_of_the_arena)
{
    char *at = repeat(stpcpy(large, "$sSi_"), "Si1b", 20000);
    at = stpcpy(at, "tD");
    struct ms_arena arena;
    struct ms_name_fault fault;
    ms_arena_init(&arena, 1 << 18);
    cr_expect_null(ms_swift_read(&arena, large, (size_t)(at - large), &fault));
    cr_expect_eq(fault.kind, MS_NAME_TOO_LARGE);
    ms_arena_fini(&arena);
}

/* Every allocation fails in turn: then the name is refused for that, and nothing is kept. */
Test(swift_read, out_of_memory)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    char *at = repeat(stpcpy(large, "$sSi_"), "Si1b", 3000);
    at = stpcpy(at, "tD");
    for (long n = 0;; n++) {
        struct ms_arena arena;
        struct ms_name_fault fault;
        ms_arena_init(&arena, MS_SWIFT_ARENA);
        long before = alive;
        countdown = n;
        bool read = ms_swift_read(&arena, large, (size_t)(at - large), &fault);
        bool done = countdown > 0;
        countdown = -1;
        ms_arena_fini(&arena);
        cr_assert_eq(alive, before);
        cr_assert(read || !done);
        cr_assert_eq(fault.kind, read ? MS_NAME_FINE : MS_NAME_NO_MEMORY, "allocation %ld: %d", n,
                     (int)fault.kind);
        if (done)
            break;
        cr_assert_lt(n, 100);
    }
}

Test(swift_read, lengths_of_phrases)
{
    for (int i = 0; i < MS_SWIFT_N_KINDS; i++) {
        const char *phrase = ms_swift_phrases[i];
        cr_assert_eq(ms_swift_phrase_bytes[i], phrase ? strlen(phrase) : 0, "kind %d", i);
    }
}
