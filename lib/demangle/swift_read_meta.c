/* Metadata (M), witnesses (W) and value witnesses (w): mostly a letter and an operand. */
#include "demangle/swift_read.h"

static struct ms_swift_node *context_descriptor(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {MS_SWIFT_ASSOCIATED_TYPE_GENERIC_PARAM_REF,
                 {MS_SR_TYPE, MS_SR_ASSOC_PATH},
                 false,
                 NULL},
        ['E'] = {MS_SWIFT_EXTENSION_DESCRIPTOR, {MS_SR_CONTEXT}, false, NULL},
        ['M'] = {MS_SWIFT_MODULE_DESCRIPTOR, {MS_SR_MODULE}, false, NULL},
        ['X'] = {MS_SWIFT_ANONYMOUS_DESCRIPTOR, {MS_SR_CONTEXT}, false, NULL},
        ['Y'] = {MS_SWIFT_ANONYMOUS_DESCRIPTOR, {MS_SR_CONTEXT, MS_SR_ANY}, false, NULL},
    };
    return ms_sr_by_rule(r, rules);
}

struct ms_swift_node *ms_sr_metadata(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['A'] = {MS_SWIFT_REFLECTION_METADATA_ASSOC_TYPE_DESCRIPTOR,
                 {MS_SR_CONFORMANCE},
                 false,
                 NULL},
        ['B'] = {MS_SWIFT_REFLECTION_METADATA_BUILTIN_DESCRIPTOR, {MS_SR_TYPE}, false, NULL},
        ['C'] = {MS_SWIFT_REFLECTION_METADATA_SUPERCLASS_DESCRIPTOR, {MS_SR_NOMINAL}, false, NULL},
        ['D'] = {MS_SWIFT_TYPE_METADATA_DEMANGLING_CACHE, {MS_SR_TYPE}, false, NULL},
        ['F'] = {MS_SWIFT_REFLECTION_METADATA_FIELD_DESCRIPTOR, {MS_SR_TYPE}, false, NULL},
        ['I'] = {MS_SWIFT_TYPE_METADATA_INSTANTIATION_CACHE, {MS_SR_TYPE}, false, NULL},
        ['J'] = {MS_SWIFT_NONCANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA_CACHE,
                 {MS_SR_ANY},
                 false,
                 NULL},
        ['K'] = {MS_SWIFT_METADATA_INSTANTIATION_CACHE, {MS_SR_ANY}, false, NULL},
        ['L'] = {MS_SWIFT_TYPE_METADATA_LAZY_CACHE, {MS_SR_TYPE}, false, NULL},
        ['M'] = {MS_SWIFT_CANONICAL_SPECIALIZED_GENERIC_METACLASS, {MS_SR_TYPE}, false, NULL},
        ['N'] = {MS_SWIFT_NONCANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA,
                 {MS_SR_TYPE},
                 false,
                 NULL},
        ['P'] = {MS_SWIFT_GENERIC_TYPE_METADATA_PATTERN, {MS_SR_TYPE}, false, NULL},
        ['Q'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR, {MS_SR_ANY}, false, NULL},
        ['R'] = {MS_SWIFT_TYPE_METADATA_MANGLED_NAME_REF, {MS_SR_TYPE}, false, NULL},
        ['S'] = {MS_SWIFT_PROTOCOL_SELF_CONFORMANCE_DESCRIPTOR, {MS_SR_PROTOCOL}, false, NULL},
        ['U'] = {MS_SWIFT_OBJC_METADATA_UPDATE_FUNCTION, {MS_SR_TYPE}, false, NULL},
        ['V'] = {MS_SWIFT_PROPERTY_DESCRIPTOR, {MS_SR_ENTITY}, false, NULL},
        ['X'] = {.read = context_descriptor},
        ['a'] = {MS_SWIFT_TYPE_METADATA_ACCESS_FUNCTION, {MS_SR_TYPE}, false, NULL},
        ['b'] = {MS_SWIFT_CANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA_ACCESS_FUNCTION,
                 {MS_SR_TYPE},
                 false,
                 NULL},
        ['c'] = {MS_SWIFT_PROTOCOL_CONFORMANCE_DESCRIPTOR, {MS_SR_CONFORMANCE}, false, NULL},
        ['d'] = {MS_SWIFT_TYPE_METADATA_DEMANGLING_CACHE, {MS_SR_TYPE}, false, NULL},
        ['f'] = {MS_SWIFT_FULL_TYPE_METADATA, {MS_SR_TYPE}, false, NULL},
        ['g'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR_ACCESSOR, {MS_SR_ANY}, false, NULL},
        ['h'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_IMPL, {MS_SR_ANY}, false, NULL},
        ['i'] = {MS_SWIFT_TYPE_METADATA_INSTANTIATION_FUNCTION, {MS_SR_TYPE}, false, NULL},
        ['j'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_KEY, {MS_SR_ANY}, false, NULL},
        ['k'] = {MS_SWIFT_OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_VAR, {MS_SR_ANY}, false, NULL},
        ['l'] = {MS_SWIFT_TYPE_METADATA_SINGLETON_INITIALIZATION_CACHE, {MS_SR_TYPE}, false, NULL},
        ['m'] = {MS_SWIFT_METACLASS, {MS_SR_TYPE}, false, NULL},
        ['n'] = {MS_SWIFT_NOMINAL_TYPE_DESCRIPTOR, {MS_SR_TYPE}, false, NULL},
        ['o'] = {MS_SWIFT_CLASS_METADATA_BASE_OFFSET, {MS_SR_TYPE}, false, NULL},
        ['p'] = {MS_SWIFT_PROTOCOL_DESCRIPTOR, {MS_SR_PROTOCOL}, false, NULL},
        ['q'] = {MS_SWIFT_UNIQUABLE, {MS_SR_ANY}, false, NULL},
        ['r'] = {MS_SWIFT_TYPE_METADATA_COMPLETION_FUNCTION, {MS_SR_TYPE}, false, NULL},
        ['s'] = {MS_SWIFT_OBJC_RESILIENT_CLASS_STUB, {MS_SR_TYPE}, false, NULL},
        ['t'] = {MS_SWIFT_FULL_OBJC_RESILIENT_CLASS_STUB, {MS_SR_TYPE}, false, NULL},
        ['u'] = {MS_SWIFT_METHOD_LOOKUP_FUNCTION, {MS_SR_TYPE}, false, NULL},
        ['z'] = {MS_SWIFT_CANONICAL_PRESPECIALIZED_GENERIC_TYPE_CACHING_ONCE_TOKEN,
                 {MS_SR_TYPE},
                 false,
                 NULL},
    };
    return ms_sr_by_rule(r, rules);
}

static struct ms_swift_node *field_offset(struct ms_sr *r)
{
    unsigned char c = ms_sr_next(r);
    if (c != 'd' && c != 'i')
        return ms_sr_unknown(r, c);
    struct ms_swift_node *directness = ms_sr_number(r, MS_SWIFT_DIRECTNESS, c == 'i');
    return ms_sr_make_2(r, MS_SWIFT_FIELD_OFFSET, directness, ms_sr_pop_entity(r));
}

/* Initialisation of one or several globals: their names, each behind a marker, and where they
 * are. */
static struct ms_swift_node *once(struct ms_sr *r)
{
    enum ms_swift_kind kind = r->at[-1] == 'Z' ? MS_SWIFT_ONCE_FUNCTION : MS_SWIFT_ONCE_TOKEN;
    struct ms_swift_node *names = ms_sr_make(r, MS_SWIFT_ONCE_DECL_LIST);
    while (ms_sr_pop_kind(r, MS_SWIFT_FIRST_ELEMENT_MARKER))
        if (!ms_sr_add(r, names, ms_sr_pop_decl_name(r)))
            return NULL;
    if (!names)
        return NULL;
    ms_swift_reverse(names);
    return ms_sr_make_2(r, kind, ms_sr_pop_context(r), names);
}

/* Operations on values of a type as functions of their own. */
static struct ms_swift_node *outlined(struct ms_sr *r)
{
    static const uint16_t kinds[128] = {
        ['B'] = MS_SWIFT_OUTLINED_INITIALIZE_WITH_TAKE,
        ['C'] = MS_SWIFT_OUTLINED_INITIALIZE_WITH_COPY,
        ['D'] = MS_SWIFT_OUTLINED_ASSIGN_WITH_TAKE,
        ['F'] = MS_SWIFT_OUTLINED_ASSIGN_WITH_COPY,
        ['H'] = MS_SWIFT_OUTLINED_DESTROY,
        ['b'] = MS_SWIFT_OUTLINED_INITIALIZE_WITH_TAKE,
        ['c'] = MS_SWIFT_OUTLINED_INITIALIZE_WITH_COPY,
        ['d'] = MS_SWIFT_OUTLINED_ASSIGN_WITH_TAKE,
        ['e'] = MS_SWIFT_OUTLINED_CONSUME,
        ['f'] = MS_SWIFT_OUTLINED_ASSIGN_WITH_COPY,
        ['g'] = MS_SWIFT_OUTLINED_ENUM_GET_TAG,
        ['h'] = MS_SWIFT_OUTLINED_DESTROY,
        ['i'] = MS_SWIFT_OUTLINED_ENUM_TAG_STORE,
        ['j'] = MS_SWIFT_OUTLINED_ENUM_PROJECT_DATA_FOR_LOAD,
        ['r'] = MS_SWIFT_OUTLINED_RETAIN,
        ['s'] = MS_SWIFT_OUTLINED_RELEASE,
        ['y'] = MS_SWIFT_OUTLINED_COPY,
    };
    unsigned char c = ms_sr_next(r);
    if (c >= 128 || !kinds[c])
        return ms_sr_unknown(r, c);
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *node = ms_sr_make_1(r, (enum ms_swift_kind)kinds[c], ms_sr_pop_type(r));
    if (signature && !ms_sr_add(r, node, signature))
        return NULL;
    if ((c == 'i' || c == 'j') && !ms_sr_add(r, node, ms_sr_index_node(r, MS_SWIFT_INDEX)))
        return NULL;
    return node;
}

struct ms_swift_node *ms_sr_witness(struct ms_sr *r)
{
    static const struct ms_sr_rule rules[128] = {
        ['C'] = {MS_SWIFT_ENUM_CASE, {MS_SR_ENTITY}, false, NULL},
        ['G'] = {MS_SWIFT_GENERIC_PROTOCOL_WITNESS_TABLE, {MS_SR_CONFORMANCE}, false, NULL},
        ['I'] = {MS_SWIFT_GENERIC_PROTOCOL_WITNESS_TABLE_INSTANTIATION,
                 {MS_SR_CONFORMANCE},
                 false,
                 NULL},
        ['J'] = {.read = ms_sr_autodiff_witness},
        ['L'] = {MS_SWIFT_LAZY_PROTOCOL_WITNESS_TABLE_CACHE_VARIABLE,
                 {MS_SR_TYPE, MS_SR_CONFORMANCE},
                 false,
                 NULL},
        ['O'] = {.read = outlined},
        ['P'] = {MS_SWIFT_PROTOCOL_WITNESS_TABLE, {MS_SR_CONFORMANCE}, false, NULL},
        ['S'] = {MS_SWIFT_PROTOCOL_SELF_CONFORMANCE_WITNESS_TABLE, {MS_SR_PROTOCOL}, false, NULL},
        ['T'] = {MS_SWIFT_ASSOCIATED_TYPE_WITNESS_TABLE_ACCESSOR,
                 {MS_SR_CONFORMANCE, MS_SR_ASSOC_PATH, MS_SR_TYPE},
                 false,
                 NULL},
        ['V'] = {MS_SWIFT_VALUE_WITNESS_TABLE, {MS_SR_TYPE}, false, NULL},
        ['Z'] = {.read = once},
        ['a'] = {MS_SWIFT_PROTOCOL_WITNESS_TABLE_ACCESSOR, {MS_SR_CONFORMANCE}, false, NULL},
        ['b'] = {MS_SWIFT_BASE_WITNESS_TABLE_ACCESSOR,
                 {MS_SR_CONFORMANCE, MS_SR_TYPE},
                 false,
                 NULL},
        ['l'] = {MS_SWIFT_LAZY_PROTOCOL_WITNESS_TABLE_ACCESSOR,
                 {MS_SR_TYPE, MS_SR_CONFORMANCE},
                 false,
                 NULL},
        ['p'] = {MS_SWIFT_PROTOCOL_WITNESS_TABLE_PATTERN, {MS_SR_CONFORMANCE}, false, NULL},
        ['r'] = {MS_SWIFT_RESILIENT_PROTOCOL_WITNESS_TABLE, {MS_SR_CONFORMANCE}, false, NULL},
        ['t'] = {MS_SWIFT_ASSOCIATED_TYPE_METADATA_ACCESSOR,
                 {MS_SR_CONFORMANCE, MS_SR_DECL_NAME},
                 false,
                 NULL},
        ['v'] = {.read = field_offset},
        ['z'] = {.read = once},
    };
    return ms_sr_by_rule(r, rules);
}

struct ms_swift_node *ms_sr_value_witness(struct ms_sr *r)
{
    unsigned char first = ms_sr_next(r), second = ms_sr_next(r);
    uint64_t i = 0;
    const struct ms_swift_value_witness *witness = ms_swift_value_witnesses;
    while (witness->name && (witness->code[0] != (char)first || witness->code[1] != (char)second)) {
        witness++;
        i++;
    }
    if (!witness->name)
        return ms_sr_unknown(r, second);
    return ms_sr_make_2(r, MS_SWIFT_VALUE_WITNESS, ms_sr_number(r, MS_SWIFT_INDEX, i),
                        ms_sr_pop_type(r));
}
