/* Automatic differentiation: derivatives of functions, their thunks and witnesses. */
#include "demangle/swift_read.h"

/* The stack as children, in its order. There is one at least. */
static bool add_stack(struct ms_sr *r, struct ms_swift_node *node)
{
    if (!node || !r->n_stack)
        return false;
    for (uint32_t i = 0; i < r->n_stack; i++)
        if (!ms_sr_add(r, node, r->stack[i]))
            return false;
    r->n_stack = 0;
    return true;
}

/* S for a parameter or result that is in the set, U for one that isn't; then what it is of. */
static bool add_subset(struct ms_sr *r, struct ms_swift_node *node, char of)
{
    const char *text = r->at;
    while (ms_sr_peek(r) == 'S' || ms_sr_peek(r) == 'U')
        r->at++;
    size_t n = (size_t)(r->at - text);
    return n && ms_sr_add(r, node, ms_sr_text(r, MS_SWIFT_INDEX_SUBSET, text, n)) &&
           ms_sr_eat(r, of);
}

/* The letter of a derivative. */
static bool add_kind(struct ms_sr *r, struct ms_swift_node *node)
{
    unsigned char c = ms_sr_next(r);
    if (c == 'f' || c == 'r' || c == 'd' || c == 'p')
        return ms_sr_add(r, node, ms_sr_number(r, MS_SWIFT_AUTODIFF_FUNCTION_KIND, c));
    ms_sr_unknown(r, c);
    return false;
}

static struct ms_swift_node *self_reordering(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *to = ms_sr_pop_type(r), *from = ms_sr_pop_type(r);
    struct ms_swift_node *node =
        ms_sr_make_2(r, MS_SWIFT_AUTODIFF_SELF_REORDERING_REABSTRACTION_THUNK, from, to);
    if (signature && !ms_sr_add(r, node, signature))
        return NULL;
    return node && add_kind(r, node) ? node : NULL;
}

struct ms_swift_node *ms_sr_autodiff_thunk(struct ms_sr *r)
{
    if (ms_sr_eat(r, 'O'))
        return self_reordering(r);
    bool is_subset = ms_sr_eat(r, 'S');
    bool is_vtable = !is_subset && ms_sr_eat(r, 'V');
    struct ms_swift_node *node =
        ms_sr_make(r, is_subset   ? MS_SWIFT_AUTODIFF_SUBSET_PARAMETERS_THUNK
                      : is_vtable ? MS_SWIFT_AUTODIFF_DERIVATIVE_VTABLE_THUNK
                                  : MS_SWIFT_AUTODIFF_FUNCTION);
    if (!add_stack(r, node) || !add_kind(r, node) || !add_subset(r, node, 'p') ||
        !add_subset(r, node, 'r') || (is_subset && !add_subset(r, node, 'P')))
        return NULL;
    return node;
}

struct ms_swift_node *ms_sr_autodiff_witness(struct ms_sr *r)
{
    struct ms_swift_node *signature = ms_sr_pop_signature(r);
    struct ms_swift_node *node = ms_sr_make(r, MS_SWIFT_DIFFERENTIABILITY_WITNESS);
    if (!add_stack(r, node))
        return NULL;
    unsigned char c = ms_sr_next(r);
    if (c != 'f' && c != 'r' && c != 'd' && c != 'l')
        return ms_sr_unknown(r, c);
    if (!ms_sr_add(r, node, ms_sr_number(r, MS_SWIFT_INDEX, c)) || !add_subset(r, node, 'p') ||
        !add_subset(r, node, 'r') || (signature && !ms_sr_add(r, node, signature)))
        return NULL;
    return node;
}
