/* Substitutions: nodes the name had before, and the abbreviations of Swift's own types. */
#include "demangle/swift_read.h"

/* X(letter, 'letter', kind, name): S and the letter. */
#define STANDARD(X)                                                                                \
    X(A, 'A', STRUCTURE, "AutoreleasingUnsafeMutablePointer")                                      \
    X(a, 'a', STRUCTURE, "Array")                                                                  \
    X(B, 'B', PROTOCOL, "BinaryFloatingPoint")                                                     \
    X(b, 'b', STRUCTURE, "Bool")                                                                   \
    X(D, 'D', STRUCTURE, "Dictionary")                                                             \
    X(d, 'd', STRUCTURE, "Double")                                                                 \
    X(E, 'E', PROTOCOL, "Encodable")                                                               \
    X(e, 'e', PROTOCOL, "Decodable")                                                               \
    X(F, 'F', PROTOCOL, "FloatingPoint")                                                           \
    X(f, 'f', STRUCTURE, "Float")                                                                  \
    X(G, 'G', PROTOCOL, "RandomNumberGenerator")                                                   \
    X(H, 'H', PROTOCOL, "Hashable")                                                                \
    X(h, 'h', STRUCTURE, "Set")                                                                    \
    X(I, 'I', STRUCTURE, "DefaultIndices")                                                         \
    X(i, 'i', STRUCTURE, "Int")                                                                    \
    X(J, 'J', STRUCTURE, "Character")                                                              \
    X(j, 'j', PROTOCOL, "Numeric")                                                                 \
    X(K, 'K', PROTOCOL, "BidirectionalCollection")                                                 \
    X(k, 'k', PROTOCOL, "RandomAccessCollection")                                                  \
    X(L, 'L', PROTOCOL, "Comparable")                                                              \
    X(l, 'l', PROTOCOL, "Collection")                                                              \
    X(M, 'M', PROTOCOL, "MutableCollection")                                                       \
    X(m, 'm', PROTOCOL, "RangeReplaceableCollection")                                              \
    X(N, 'N', STRUCTURE, "ClosedRange")                                                            \
    X(n, 'n', STRUCTURE, "Range")                                                                  \
    X(O, 'O', STRUCTURE, "ObjectIdentifier")                                                       \
    X(P, 'P', STRUCTURE, "UnsafePointer")                                                          \
    X(p, 'p', STRUCTURE, "UnsafeMutablePointer")                                                   \
    X(Q, 'Q', PROTOCOL, "Equatable")                                                               \
    X(q, 'q', ENUM, "Optional")                                                                    \
    X(R, 'R', STRUCTURE, "UnsafeBufferPointer")                                                    \
    X(r, 'r', STRUCTURE, "UnsafeMutableBufferPointer")                                             \
    X(S, 'S', STRUCTURE, "String")                                                                 \
    X(s, 's', STRUCTURE, "Substring")                                                              \
    X(T, 'T', PROTOCOL, "Sequence")                                                                \
    X(t, 't', PROTOCOL, "IteratorProtocol")                                                        \
    X(U, 'U', PROTOCOL, "UnsignedInteger")                                                         \
    X(u, 'u', STRUCTURE, "UInt")                                                                   \
    X(V, 'V', STRUCTURE, "UnsafeRawPointer")                                                       \
    X(v, 'v', STRUCTURE, "UnsafeMutableRawPointer")                                                \
    X(W, 'W', STRUCTURE, "UnsafeRawBufferPointer")                                                 \
    X(w, 'w', STRUCTURE, "UnsafeMutableRawBufferPointer")                                          \
    X(X, 'X', PROTOCOL, "RangeExpression")                                                         \
    X(x, 'x', PROTOCOL, "Strideable")                                                              \
    X(Y, 'Y', PROTOCOL, "RawRepresentable")                                                        \
    X(y, 'y', PROTOCOL, "StringProtocol")                                                          \
    X(Z, 'Z', PROTOCOL, "SignedInteger")                                                           \
    X(z, 'z', PROTOCOL, "BinaryInteger")

/* Sc and the letter. */
#define CONCURRENCY(X)                                                                             \
    X(A, 'A', PROTOCOL, "Actor")                                                                   \
    X(C, 'C', STRUCTURE, "CheckedContinuation")                                                    \
    X(c, 'c', STRUCTURE, "UnsafeContinuation")                                                     \
    X(E, 'E', STRUCTURE, "CancellationError")                                                      \
    X(e, 'e', STRUCTURE, "UnownedSerialExecutor")                                                  \
    X(F, 'F', PROTOCOL, "Executor")                                                                \
    X(f, 'f', PROTOCOL, "SerialExecutor")                                                          \
    X(G, 'G', STRUCTURE, "TaskGroup")                                                              \
    X(g, 'g', STRUCTURE, "ThrowingTaskGroup")                                                      \
    X(h, 'h', PROTOCOL, "TaskExecutor")                                                            \
    X(I, 'I', PROTOCOL, "AsyncIteratorProtocol")                                                   \
    X(i, 'i', PROTOCOL, "AsyncSequence")                                                           \
    X(J, 'J', STRUCTURE, "UnownedJob")                                                             \
    X(M, 'M', CLASS, "MainActor")                                                                  \
    X(P, 'P', STRUCTURE, "TaskPriority")                                                           \
    X(S, 'S', STRUCTURE, "AsyncStream")                                                            \
    X(s, 's', STRUCTURE, "AsyncThrowingStream")                                                    \
    X(T, 'T', STRUCTURE, "Task")                                                                   \
    X(t, 't', STRUCTURE, "UnsafeCurrentTask")

/*
 * Their nodes, ready made: TYPE, the nominal type, its name. A plain array of three a type;
 * what refers to another element of the same array is a constant address.
 */
#define NODES(node_kind, name, where, i)                                                           \
    {.kind = MS_SWIFT_TYPE,                                                                        \
     .n = 1,                                                                                       \
     .child = (struct ms_swift_node **)(where)[i].two,                                             \
     .two = {(struct ms_swift_node *)&(where)[(i) + 1]}},                                          \
        {.kind = MS_SWIFT_##node_kind,                                                             \
         .n = 2,                                                                                   \
         .child = (struct ms_swift_node **)(where)[(i) + 1].two,                                   \
         .two = {(struct ms_swift_node *)&swift, (struct ms_swift_node *)&(where)[(i) + 2]}},      \
    {                                                                                              \
        .kind = MS_SWIFT_IDENTIFIER, .has_text = true, .n = sizeof(name) - 1, .text = (name)       \
    }

static const struct ms_swift_node swift = {
    .kind = MS_SWIFT_MODULE, .has_text = true, .n = 5, .text = "Swift"};

enum {
#define X(letter, code, kind, name) STANDARD_##letter,
    STANDARD(X)
#undef X
        N_STANDARD
};
enum {
#define X(letter, code, kind, name) CONCURRENCY_##letter,
    CONCURRENCY(X)
#undef X
        N_CONCURRENCY
};

static const struct ms_swift_node standard[3 * N_STANDARD] = {
#define X(letter, code, kind, name) NODES(kind, name, standard, 3 * STANDARD_##letter),
    STANDARD(X)
#undef X
};
static const struct ms_swift_node concurrency[3 * N_CONCURRENCY] = {
#define X(letter, code, kind, name) NODES(kind, name, concurrency, 3 * CONCURRENCY_##letter),
    CONCURRENCY(X)
#undef X
};

struct ms_swift_node *ms_sr_standard(unsigned char letter, bool is_concurrency)
{
    /* By letter: 1 + the number in the table. */
    static const unsigned char numbers[2][128] = {{
#define X(letter, code, kind, name) [code] = 1 + STANDARD_##letter,
                                                      STANDARD(X)
#undef X
                                                  },
                                                  {
#define X(letter, code, kind, name) [code] = 1 + CONCURRENCY_##letter,
                                                      CONCURRENCY(X)
#undef X
                                                  }};
    unsigned number = letter < 128 ? numbers[is_concurrency][letter] : 0;
    if (!number)
        return NULL;
    return (struct ms_swift_node *)&(is_concurrency ? concurrency : standard)[3 * (number - 1)];
}

/* Pushes a node `count` times but once, which the caller does. */
static struct ms_swift_node *repeated(struct ms_sr *r, struct ms_swift_node *node, int64_t count)
{
    if (count <= 1)
        return node;
    if (count > MS_SWIFT_REPEAT || count > r->repeats_left)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    r->repeats_left -= (uint32_t)count;
    while (count-- > 1)
        if (!ms_sr_push(r, node))
            return NULL;
    return node;
}

/* Letters for the first 26, lower case when more follow, each with a number of times before it;
 * later ones by number. */
struct ms_swift_node *ms_sr_substitution(struct ms_sr *r)
{
    int64_t number = -1;
    for (;;) {
        unsigned char c = ms_sr_peek(r);
        bool is_last = (unsigned)c - 'A' < 26;
        if (is_last || (unsigned)c - 'a' < 26) {
            r->at++;
            uint32_t i = is_last ? c - 'A' : c - 'a';
            struct ms_swift_node *node = i < r->n_subs ? repeated(r, r->subs[i], number) : NULL;
            if (is_last || !node)
                return node;
            if (!ms_sr_push(r, node))
                return NULL;
            number = -1;
        } else if (c == '_') {
            r->at++;
            return number + 27 < r->n_subs ? r->subs[number + 27] : NULL;
        } else {
            number = ms_sr_natural(r);
            if (number < 0)
                return NULL;
        }
    }
}

static struct ms_swift_node *optional(struct ms_sr *r)
{
    struct ms_swift_node *arguments = ms_sr_make_1(r, MS_SWIFT_TYPE_LIST, ms_sr_pop_type(r));
    struct ms_swift_node *type =
        ms_sr_make_2(r, MS_SWIFT_BOUND_GENERIC_ENUM, ms_sr_standard('q', false), arguments);
    return ms_sr_remember(r, ms_sr_type(r, type));
}

struct ms_swift_node *ms_sr_standard_type(struct ms_sr *r)
{
    unsigned char c = ms_sr_peek(r);
    if (c == 'g' || c == 'o' || c == 'C') {
        r->at++;
        return c == 'g' ? optional(r) : c == 'o' ? ms_sr_module_objc() : ms_sr_module_c();
    }
    int64_t count = ms_sr_is_digit(c) ? ms_sr_natural(r) : -1;
    if (count < -1)
        return NULL;
    bool is_concurrency = ms_sr_eat(r, 'c');
    c = ms_sr_next(r);
    struct ms_swift_node *type = ms_sr_standard(c, is_concurrency);
    return type ? repeated(r, type, count) : ms_sr_unknown(r, c);
}
