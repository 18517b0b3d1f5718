/* Expansions of macros, as names of the buffers and declarations they make. */
#include "demangle/swift_read.h"

/* One that this one is within, or the declaration's context. */
static struct ms_swift_node *pop_context(struct ms_sr *r)
{
    const struct ms_swift_node *top = ms_sr_top(r);
    if (!top)
        return NULL;
    switch (top->kind) {
    case MS_SWIFT_ACCESSOR_MACRO_EXPANSION:
    case MS_SWIFT_MEMBER_ATTRIBUTE_MACRO_EXPANSION:
    case MS_SWIFT_MEMBER_MACRO_EXPANSION:
    case MS_SWIFT_PEER_MACRO_EXPANSION:
    case MS_SWIFT_CONFORMANCE_MACRO_EXPANSION:
    case MS_SWIFT_EXTENSION_MACRO_EXPANSION:
    case MS_SWIFT_PREAMBLE_MACRO_EXPANSION:
    case MS_SWIFT_BODY_MACRO_EXPANSION:
    case MS_SWIFT_FREESTANDING_MACRO_EXPANSION:
    case MS_SWIFT_MACRO_EXPANSION_UNIQUE_NAME:
    case MS_SWIFT_MACRO_EXPANSION_LOC:
        return ms_sr_pop(r);
    default:
        return ms_sr_pop_context(r);
    }
}

static struct ms_swift_node *location(struct ms_sr *r)
{
    struct ms_swift_node *line = ms_sr_index_node(r, MS_SWIFT_INDEX);
    struct ms_swift_node *column = line ? ms_sr_index_node(r, MS_SWIFT_INDEX) : NULL;
    struct ms_swift_node *buffer = column ? ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER) : NULL;
    const struct ms_swift_node *module = buffer ? ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER) : NULL;
    if (!module)
        return NULL;
    struct ms_swift_node *node =
        ms_sr_make_3(r, MS_SWIFT_MACRO_EXPANSION_LOC,
                     ms_sr_text(r, MS_SWIFT_MODULE, module->text, module->n), buffer, line);
    return ms_sr_add(r, node, column) ? node : NULL;
}

struct ms_swift_node *ms_sr_macro_expansion(struct ms_sr *r)
{
    static const uint16_t kinds[128] = {
        ['a'] = MS_SWIFT_ACCESSOR_MACRO_EXPANSION,
        ['b'] = MS_SWIFT_BODY_MACRO_EXPANSION,
        ['c'] = MS_SWIFT_CONFORMANCE_MACRO_EXPANSION,
        ['e'] = MS_SWIFT_EXTENSION_MACRO_EXPANSION,
        ['f'] = MS_SWIFT_FREESTANDING_MACRO_EXPANSION,
        ['m'] = MS_SWIFT_MEMBER_MACRO_EXPANSION,
        ['p'] = MS_SWIFT_PEER_MACRO_EXPANSION,
        ['q'] = MS_SWIFT_PREAMBLE_MACRO_EXPANSION,
        ['r'] = MS_SWIFT_MEMBER_ATTRIBUTE_MACRO_EXPANSION,
        ['u'] = MS_SWIFT_MACRO_EXPANSION_UNIQUE_NAME,
    };
    unsigned char c = ms_sr_next(r);
    if (c == 'X')
        return location(r);
    if (c >= 128 || !kinds[c])
        return ms_sr_unknown(r, c);
    struct ms_swift_node *macro = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER), *name = NULL;
    if (!macro)
        return NULL;
    bool is_attached = c != 'f' && c != 'u';
    if (is_attached)
        name = ms_sr_pop_decl_name(r);
    else if (c == 'f')
        name = ms_sr_pop_kind(r, MS_SWIFT_PRIVATE_DECL_NAME);
    struct ms_swift_node *context = pop_context(r);
    struct ms_swift_node *node = ms_sr_make_1(r, (enum ms_swift_kind)kinds[c], context);
    if (is_attached && !ms_sr_add(r, node, name ? name : ms_sr_leaf(MS_SWIFT_NONE)))
        return NULL;
    if (!ms_sr_add(r, node, macro) || (!is_attached && name && !ms_sr_add(r, node, name)))
        return NULL;
    return ms_sr_add(r, node, ms_sr_index_node(r, MS_SWIFT_NUMBER)) ? node : NULL;
}
