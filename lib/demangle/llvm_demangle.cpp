/*
 * C++ names, through the parser that LLVM shares with libc++abi, so that they read as Apple's
 * own tools print them.
 *
 * llvm::itaniumDemangle itself can't be given a crafted name: substitutions make the result
 * of 200 bytes larger than memory, nesting overflows the stack, and both end the process. So
 * its parser (a template over its allocator, made to be derived from) is used directly:
 * - the allocator, which sees every node with its children when it is made, keeps for each
 *   the size that its text can have and how deep it goes, and makes none beyond the limits,
 *   which the parser takes for a parse error;
 * - the derived parser counts how deep the parser's own recursion goes.
 * What passes prints in bounded time, space and stack.
 *
 * The styles cost no printing of our own: without parameters, the derived parser hands on the
 * name of a function where the rule for it made the whole of its signature; folding peels off
 * what was put around the finished tree.
 */
#include "demangle/demanglers.h"
#include "machsym/demangle.h"

#ifndef NDEBUG
#define NDEBUG 1 /* LLVM's assertions end the process; its released archive has none either */
#endif
#include <llvm/Demangle/ItaniumDemangle.h>

#include <cstdlib>
#include <new>
#include <type_traits>

using namespace llvm::itanium_demangle;

namespace
{

constexpr uint32_t max_size = MS_DEMANGLE_OUTPUT; /* bytes of text */
constexpr uint32_t max_depth = 1024;              /* nodes; real: 150 */
constexpr unsigned max_recursion = 256;           /* of the parser's rules; real: 80 */
constexpr uint32_t node_text =
    8; /* what a node writes itself, roughly: blanks, brackets, "const" */

/*
 * A forward template reference stands for a template argument that is parsed later. It is
 * counted as this large and deep, and the argument must keep to that; since one that holds
 * such a reference again cannot, no cycles come to be.
 */
constexpr uint32_t forward_size = max_size / 32, forward_depth = max_depth / 4;

class Arena
{
    /* Stands before each node. */
    struct alignas(16) Measure {
        uint32_t size, depth;
    };
    struct alignas(16) Block {
        Block *next;
    };
    static constexpr size_t block_bytes = 16384;
    Block *blocks = nullptr;
    char *at = nullptr;
    size_t left = 0, total = 0;
    bool failed = false;
    void *spare =
        nullptr; /* a node array's place once memory is out, for the parser takes no NULL there */
    size_t max_pack = 0, least_times = SIZE_MAX; /* of all packs; that an expansion counted with */
    static constexpr size_t max_forward = 64;
    const ForwardTemplateReference *forward[max_forward];
    size_t n_forward = 0;

    void *take(size_t n)
    {
        n = (n + 15) & ~static_cast<size_t>(15);
        if (n > left) {
            size_t bytes = sizeof(Block) + (n > block_bytes ? n : block_bytes);
            char *block = total + bytes > 64 * MS_DEMANGLE_OUTPUT
                              ? nullptr
                              : static_cast<char *>(std::malloc(bytes));
            if (!block) {
                failed = true;
                return nullptr;
            }
            blocks = new (block) Block{blocks};
            at = block + sizeof(Block);
            left = bytes - sizeof(Block);
            total += bytes;
        }
        void *out = at;
        at += n;
        left -= n;
        return out;
    }

    static Measure measure_of(const Node *node)
    {
        Measure m;
        std::memcpy(&m, reinterpret_cast<const char *>(node) - sizeof m, sizeof m);
        return m;
    }

    /* A running sum; sizes stick at a value over the limit, so that nothing wraps. */
    static void add_size(Measure &m, uint64_t size)
    {
        uint64_t sum = m.size + size;
        m.size = sum > max_size ? max_size + 1 : static_cast<uint32_t>(sum);
    }
    static void add(Measure &m, const Node *node)
    {
        if (!node)
            return;
        Measure child = measure_of(node);
        add_size(m, child.size);
        if (child.depth > m.depth)
            m.depth = child.depth;
    }
    static void add(Measure &m, NodeArray nodes)
    {
        for (const Node *node : nodes) {
            add_size(m, 2);
            add(m, node);
        }
    }
    template <class T> static void add_any(Measure &m, const T &value)
    {
        if constexpr (std::is_same_v<T, NodeArray>)
            add(m, value);
        else if constexpr (std::is_convertible_v<T, const Node *>)
            add(m, static_cast<const Node *>(value));
        else if constexpr (std::is_convertible_v<T, std::string_view>)
            add_size(m, std::string_view(value).size());
    }

    /* Puts right the nodes that print more, or less, than each of their parts once. */
    template <class T, class... Args> void correct(Measure &m, const Args &...args)
    {
        if constexpr (std::is_same_v<T, ForwardTemplateReference>) {
            m = {forward_size, forward_depth};
        } else if constexpr (std::is_same_v<T, ParameterPack>) {
            note_pack(args...);
        } else if constexpr (std::is_same_v<T, ParameterPackExpansion> ||
                             std::is_same_v<T, SizeofParamPackExpr> ||
                             std::is_same_v<T, FoldExpr>) {
            uint64_t times = max_pack ? max_pack : 1;
            uint64_t size = m.size * times;
            m.size = size > max_size ? max_size + 1 : static_cast<uint32_t>(size);
            if (times < least_times)
                least_times = times;
        } else if constexpr (std::is_same_v<T, SpecialSubstitution> ||
                             std::is_same_v<T, ExpandedSpecialSubstitution>) {
            add_size(m, 96); /* std::basic_string<char, std::char_traits<char>, …> */
        } else if constexpr (std::is_same_v<T, CtorDtorName>) {
            m.size = node_text + 64;
            add_base_name(m, args...);
        } else if constexpr (std::is_same_v<T, FloatLiteral> || std::is_same_v<T, DoubleLiteral> ||
                             std::is_same_v<T, LongDoubleLiteral>) {
            add_size(m, 48);
        }
    }
    void note_pack(NodeArray elements)
    {
        if (elements.size() > max_pack)
            max_pack = elements.size();
    }
    /* A constructor is named by the last part of its class's name alone. */
    template <class... Rest>
    static void add_base_name(Measure &m, const Node *class_name, const Rest &...)
    {
        add_size(m, class_name->getBaseName().size());
    }

  public:
    Arena() = default;
    Arena(const Arena &) = delete;
    Arena &operator=(const Arena &) = delete;
    ~Arena()
    {
        while (blocks) {
            Block *next = blocks->next;
            std::free(blocks);
            blocks = next;
        }
    }
    /* For a name of n bytes, each element of a node array having taken one at least, whose
     * packs have `pack` elements, as far as is known. */
    bool prepare(size_t n, size_t pack)
    {
        max_pack = pack;
        spare = take((n + 1) * sizeof(Node *));
        return spare != nullptr;
    }
    bool usable() const
    {
        return !failed;
    }

    /* What the parser asks of its allocator. */
    template <typename T, typename... Args> T *makeNode(Args &&...args)
    {
        Measure m = {node_text, 0};
        (add_any(m, args), ...);
        correct<T>(m, args...);
        m.depth++;
        if (m.size > max_size || m.depth > max_depth || failed)
            return nullptr;
        if (std::is_same_v<T, ForwardTemplateReference> && n_forward == max_forward)
            return nullptr;
        char *room = static_cast<char *>(take(sizeof m + sizeof(T)));
        if (!room)
            return nullptr;
        std::memcpy(room, &m, sizeof m);
        T *node = new (room + sizeof m) T(std::forward<Args>(args)...);
        if constexpr (std::is_same_v<T, ForwardTemplateReference>)
            forward[n_forward++] = node;
        return node;
    }
    void *allocateNodeArray(size_t n)
    {
        void *room = take((n + 1) * sizeof(Node *));
        return room ? room : spare;
    }

    /* Once all is parsed: the pack that a forward reference in an expansion turned out to be
     * may be larger than the expansion was counted with; 0 when it isn't. */
    size_t larger_pack() const
    {
        return n_forward && max_pack > least_times ? max_pack : 0;
    }
    /* No more bytes than the text of the tree has: what a node writes itself (SpecialSubstitution
     * apart, which is counted) is less than eight times node_text. */
    static size_t text_bytes(const Node *tree)
    {
        return 8 * static_cast<size_t>(measure_of(tree).size) + 64;
    }
    /* And do the forward references keep to what they were counted as? */
    bool forward_holds() const
    {
        for (size_t i = 0; i < n_forward; i++) {
            if (!forward[i]->Ref)
                return false;
            Measure m = measure_of(forward[i]->Ref);
            if (m.size > forward_size || m.depth > forward_depth)
                return false;
        }
        return true;
    }
};

/* Every rule that can come round to itself through getDerived() is counted here. */
class Parser : public AbstractManglingParser<Parser, Arena>
{
    using Base = AbstractManglingParser<Parser, Arena>;
    unsigned depth = 0;
    bool no_params;

    template <class Rule> Node *count(Rule rule)
    {
        Node *node = nullptr;
        if (depth < max_recursion) {
            depth++;
            node = rule();
            depth--;
        }
        return node;
    }

    /* Nodes are made and owned as such, and const only in the hands of others. */
    static Node *name_alone(Node *encoding)
    {
        if (!encoding || encoding->getKind() != Node::KFunctionEncoding)
            return encoding;
        return const_cast<Node *>(static_cast<FunctionEncoding *>(encoding)->getName());
    }

  public:
    Parser(const char *first, const char *last, bool no_params_)
        : Base(first, last), no_params(no_params_)
    {
    }
    Node *parseType()
    {
        return count([&] { return Base::parseType(); });
    }
    Node *parseQualifiedType()
    {
        return count([&] { return Base::parseQualifiedType(); });
    }
    Node *parseName(NameState *state = nullptr)
    {
        return count([&] { return Base::parseName(state); });
    }
    Node *parseEncoding(bool params = true)
    {
        Node *encoding = count([&] { return Base::parseEncoding(params); });
        return no_params ? name_alone(encoding) : encoding;
    }
    Node *parseTemplateArg()
    {
        return count([&] { return Base::parseTemplateArg(); });
    }
    Node *parseExpr()
    {
        return count([&] { return Base::parseExpr(); });
    }
    Node *parseBracedExpr()
    {
        return count([&] { return Base::parseBracedExpr(); });
    }
};

/*
 * Two rules call themselves without getDerived(): template template parameters and parameter
 * packs (Tt…, Tp…), and the arguments of a vendor's type (u <source-name> I <type>). What
 * could begin one is counted in the text instead; real names have a handful.
 */
bool recurses_directly(const char *name, size_t n)
{
    unsigned found = 0;
    for (size_t i = 0; i + 2 < n; i++) {
        if (name[i] == 'T' && (name[i + 1] == 't' || name[i + 1] == 'p'))
            found++;
        if (name[i] != 'u' || name[i + 1] < '0' || name[i + 1] > '9')
            continue;
        size_t length = 0, at = i + 1;
        while (at < n && name[at] >= '0' && name[at] <= '9' && length <= n)
            length = length * 10 + static_cast<size_t>(name[at++] - '0');
        if (length < n - at && name[at + length] == 'I')
            found++;
    }
    return found > max_recursion;
}

bool ends_with(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

/* What passes hang on to a name is a word; a blank in it means that other text follows. */
bool suffix_is_word(const Node *tree)
{
    bool good = true;
    if (tree->getKind() == Node::KDotSuffix)
        static_cast<const DotSuffix *>(tree)->match([&](const Node *, std::string_view suffix) {
            for (char c : suffix)
                good = good && (static_cast<unsigned char>(c) > ' ');
        });
    return good;
}

/* The tree without clone suffixes (" (.cold.1)") and "virtual thunk to ", of which a crafted
 * name has as many as it has letters: hence the loop. */
const Node *fold(const Node *tree)
{
    for (bool more = true; more;) {
        more = false;
        if (tree->getKind() == Node::KDotSuffix)
            static_cast<const DotSuffix *>(tree)->match([&](const Node *prefix, std::string_view) {
                tree = prefix;
                more = true;
            });
        else if (tree->getKind() == Node::KSpecialName)
            static_cast<const SpecialName *>(tree)->match(
                [&](std::string_view special, const Node *child) {
                    if (ends_with(special, " thunk to ")) {
                        tree = child;
                        more = true;
                    }
                });
    }
    return tree;
}

/*
 * Parses and hands the tree on, with the bytes that its text has at most. *pack is what the packs
 * have, to be set right for a second try; *stopped where the parser stood at last.
 */
template <class Use>
bool with_tree_once(const char *name, size_t n, unsigned style, size_t *pack, size_t *stopped,
                    Use use)
{
    Parser parser(name, name + n, (style & MS_DEMANGLE_NO_PARAMS) != 0);
    Arena &arena = parser.ASTAllocator;
    if (!arena.prepare(n, *pack))
        return false;
    const Node *tree = parser.parse();
    *stopped = static_cast<size_t>(parser.First - name);
    *pack = arena.larger_pack();
    if (!tree || !arena.usable() || *pack || !arena.forward_holds() || !suffix_is_word(tree))
        return false;
    use(style & MS_DEMANGLE_FOLD ? fold(tree) : tree, Arena::text_bytes(tree));
    return true;
}

template <class Use>
bool with_tree(const char *name, size_t n, unsigned style, size_t *stopped, Use use)
{
    if (n > MS_DEMANGLE_INPUT || recurses_directly(name, n))
        return false;
    /* LLVM's vectors of names and substitutions, 8 bytes for a byte of input at most, end the
     * process too where they can't grow. See that there is as much before it begins. */
    void *probe = std::malloc(64 * n + 4096);
    if (!probe)
        return false;
    std::free(probe);
    size_t pack = 0;
    return with_tree_once(name, n, style, &pack, stopped, use) ||
           (pack && with_tree_once(name, n, style, &pack, stopped, use));
}

/* ---- what a name is the name of ------------------------------------------------------------ */

/* The last part of a name, its qualifiers, template arguments and tags taken off; *around is
 * what it is qualified with. */
const Node *last_name(const Node *node, const Node **around)
{
    for (const Node *next = node; next;) {
        node = next;
        next = nullptr;
        switch (node->getKind()) {
        case Node::KFunctionEncoding:
            next = static_cast<const FunctionEncoding *>(node)->getName();
            break;
        case Node::KNestedName:
            static_cast<const NestedName *>(node)->match([&](const Node *outer, const Node *inner) {
                *around = outer;
                next = inner;
            });
            break;
        case Node::KLocalName:
            static_cast<const LocalName *>(node)->match(
                [&](const Node *, const Node *entity) { next = entity; });
            break;
        case Node::KNameWithTemplateArgs:
            static_cast<const NameWithTemplateArgs *>(node)->match(
                [&](const Node *name, const Node *) { next = name; });
            break;
        case Node::KAbiTagAttr:
            static_cast<const AbiTagAttr *>(node)->match(
                [&](const Node *base, std::string_view) { next = base; });
            break;
        default:
            break;
        }
    }
    return node;
}

bool is_closure(const Node *type)
{
    const Node *around = nullptr;
    type = type ? last_name(type, &around) : nullptr;
    if (!type)
        return false;
    /* Lambdas that nothing outside can name are called $_0, $_1, … */
    return type->getKind() == Node::KClosureTypeName || type->getBaseName().substr(0, 2) == "$_";
}

ms_name_kind kind_of_function(const Node *encoding)
{
    const Node *around = nullptr;
    const Node *name = last_name(encoding, &around);
    if (name->getKind() == Node::KDtorName)
        return MS_NAME_DEINITIALIZER;
    if (name->getKind() == Node::KCtorDtorName) {
        bool destructor = false;
        static_cast<const CtorDtorName *>(name)->match(
            [&](const Node *, bool is_dtor, int) { destructor = is_dtor; });
        return destructor ? MS_NAME_DEINITIALIZER : MS_NAME_INITIALIZER;
    }
    if (name->getBaseName() == "operator()" && is_closure(around))
        return MS_NAME_CLOSURE;
    return encoding->getKind() == Node::KFunctionEncoding ? MS_NAME_FUNCTION : MS_NAME_VARIABLE;
}

/* What stands before a special name says what it is. */
ms_name_kind kind_of_special(std::string_view special)
{
    static constexpr struct {
        std::string_view begin;
        ms_name_kind kind;
    } kinds[] = {{"vtable", MS_NAME_METADATA},
                 {"VTT", MS_NAME_METADATA},
                 {"typeinfo", MS_NAME_METADATA},
                 {"guard", MS_NAME_VARIABLE},
                 {"reference temporary", MS_NAME_VARIABLE},
                 {"template parameter object", MS_NAME_VARIABLE},
                 {"thread-local initialization", MS_NAME_INITIALIZER},
                 {"thread-local wrapper", MS_NAME_ACCESSOR},
                 {"initializer for module", MS_NAME_INITIALIZER},
                 {"invocation function for block", MS_NAME_CLOSURE}};
    for (const auto &known : kinds)
        if (special.substr(0, known.begin.size()) == known.begin)
            return known.kind;
    return MS_NAME_OTHER;
}

void describe(const Node *tree, ms_name *out)
{
    /* Clone suffixes and thunks to thunks. */
    const Node *inner = fold(tree);
    while (tree->getKind() == Node::KDotSuffix)
        static_cast<const DotSuffix *>(tree)->match(
            [&](const Node *prefix, std::string_view) { tree = prefix; });
    out->thunk = tree != inner;
    if (inner->getKind() == Node::KCtorVtableSpecialName)
        out->kind = MS_NAME_METADATA;
    else if (inner->getKind() == Node::KSpecialName)
        static_cast<const SpecialName *>(inner)->match(
            [&](std::string_view special, const Node *) { out->kind = kind_of_special(special); });
    else
        out->kind = kind_of_function(inner);
}

} // namespace

extern "C" char *ms_llvm_itanium(const char *name, size_t n, unsigned style)
{
    char *text = nullptr;
    size_t stopped = 0;
    with_tree(name, n, style, &stopped, [&](const Node *tree, size_t room) {
        /* The buffer never has to grow, which would end the process where memory is out. */
        text = static_cast<char *>(std::malloc(room));
        if (!text)
            return;
        OutputBuffer out(text, room);
        tree->print(out);
        out += '\0';
        text = out.getBuffer();
    });
    return text;
}

extern "C" bool ms_llvm_describe(const char *name, size_t n, ms_name *out)
{
    size_t stopped = 0;
    bool good = with_tree(name, n, MS_DEMANGLE_FULL, &stopped,
                          [&](const Node *tree, size_t) { describe(tree, out); });
    if (!good)
        out->fault = {MS_NAME_MALFORMED, stopped, {0}};
    return good;
}
