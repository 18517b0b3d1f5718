/* What a Swift name is the name of, from its tree. */
#include "demangle/swift.h"

#include <string.h>

typedef const struct ms_swift_node tree;

static tree *kid(tree *node, uint32_t i)
{
    return node ? ms_swift_child(node, i) : NULL;
}

/* What an attribute says of the function behind it. */
static void note_attribute(tree *node, struct ms_name *out)
{
    switch (node->kind) {
    case MS_SWIFT_MERGED_FUNCTION:
        out->merged = true;
        break;
    case MS_SWIFT_ASYNC_AWAIT_RESUME_PARTIAL:
    case MS_SWIFT_ASYNC_SUSPEND_RESUME_PARTIAL:
        out->async_resume = true;
        break;
    case MS_SWIFT_OUTLINED_VARIABLE:
    case MS_SWIFT_OUTLINED_READ_ONLY_OBJECT:
    case MS_SWIFT_OUTLINED_BRIDGED_METHOD:
        out->outlined = true;
        break;
    case MS_SWIFT_GENERIC_SPECIALIZATION:
    case MS_SWIFT_GENERIC_SPECIALIZATION_NOT_REABSTRACTED:
    case MS_SWIFT_GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN:
    case MS_SWIFT_GENERIC_SPECIALIZATION_PRESPECIALIZED:
    case MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION:
    case MS_SWIFT_GENERIC_PARTIAL_SPECIALIZATION_NOT_REABSTRACTED:
    case MS_SWIFT_INLINED_GENERIC_FUNCTION:
    case MS_SWIFT_FUNCTION_SIGNATURE_SPECIALIZATION:
        out->specialized = true;
        break;
    case MS_SWIFT_ASYNC_FUNCTION_POINTER:
    case MS_SWIFT_CORO_FUNCTION_POINTER:
    case MS_SWIFT_ACCESSIBLE_FUNCTION_RECORD:
    case MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_KEY:
    case MS_SWIFT_DYNAMICALLY_REPLACEABLE_FUNCTION_VAR:
        out->kind = MS_NAME_METADATA; /* data about a function */
        break;
    case MS_SWIFT_DYNAMIC_ATTRIBUTE:
    case MS_SWIFT_DIRECT_METHOD_REFERENCE_ATTRIBUTE:
    case MS_SWIFT_VTABLE_ATTRIBUTE:
    case MS_SWIFT_DEFAULT_OVERRIDE:
    case MS_SWIFT_BACK_DEPLOYMENT_FALLBACK:
        break;
    default: /* what forwards to the function */
        out->thunk = true;
    }
}

/*
 * The module that a declaration or type is in, of an extension the one that extends: the first
 * that its contexts come to. `steps` bounds the search among what has none.
 */
static tree *module_of(tree *node, unsigned depth, unsigned *steps)
{
    tree *found = NULL;
    if (node->kind == MS_SWIFT_MODULE)
        return node->has_text ? node : NULL;
    /* Their first child is an address, or a signature whose requirements are of anywhere. */
    uint32_t first =
        node->kind == MS_SWIFT_ANONYMOUS_CONTEXT || node->kind == MS_SWIFT_DEPENDENT_GENERIC_TYPE;
    for (uint32_t i = first; i < ms_swift_n_children(node) && !found && depth && *steps; i++) {
        --*steps;
        found = module_of(node->child[i], depth - 1, steps);
    }
    return found;
}

static void note_module(tree *entity, struct ms_name *out)
{
    unsigned steps = 256;
    tree *module = module_of(entity, 64, &steps);
    if (!module || module->n >= sizeof out->module)
        return;
    memcpy(out->module, module->text, module->n);
    out->module[module->n] = 0;
}

/* Thunks of one function: the child that is it; UINT32_MAX: none is. */
static uint32_t thunk_child(tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_CURRY_THUNK:
    case MS_SWIFT_DISPATCH_THUNK:
    case MS_SWIFT_VTABLE_THUNK:
    case MS_SWIFT_SIL_THUNK_IDENTITY:
    case MS_SWIFT_PROTOCOL_SELF_CONFORMANCE_WITNESS:
        return 0;
    case MS_SWIFT_PROTOCOL_WITNESS:
        return 1;
    default:
        return UINT32_MAX;
    }
}

/* What data there is of a function or type, by the range of kinds. */
static enum ms_name_kind data_kind(tree *node)
{
    unsigned kind = node->kind;
    if (kind == MS_SWIFT_VALUE_WITNESS)
        return MS_NAME_VALUE_WITNESS;
    if (kind >= MS_SWIFT_PROTOCOL_WITNESS_TABLE && kind <= MS_SWIFT_VALUE_WITNESS_TABLE)
        return MS_NAME_WITNESS_TABLE;
    switch (kind) {
    case MS_SWIFT_ASSOCIATED_TYPE_WITNESS_TABLE_ACCESSOR:
    case MS_SWIFT_BASE_WITNESS_TABLE_ACCESSOR:
    case MS_SWIFT_DEFAULT_ASSOCIATED_CONFORMANCE_ACCESSOR:
        return MS_NAME_WITNESS_TABLE;
    default:
        break;
    }
    if (kind >= MS_SWIFT_OUTLINED_COPY && kind <= MS_SWIFT_OUTLINED_ENUM_PROJECT_DATA_FOR_LOAD)
        return MS_NAME_OUTLINED;
    if (kind >= MS_SWIFT_ASSOCIATED_TYPE_METADATA_ACCESSOR || kind == MS_SWIFT_METHOD_DESCRIPTOR)
        return MS_NAME_METADATA;
    return MS_NAME_THUNK; /* reabstraction, key paths, derivatives, completion handlers */
}

static enum ms_name_kind entity_kind(tree *node)
{
    switch (node->kind) {
    case MS_SWIFT_FUNCTION:
    case MS_SWIFT_BOUND_GENERIC_FUNCTION:
    case MS_SWIFT_AUTODIFF_FUNCTION:
        return MS_NAME_FUNCTION;
    case MS_SWIFT_ALLOCATOR:
    case MS_SWIFT_CONSTRUCTOR:
    case MS_SWIFT_IVAR_INITIALIZER:
    case MS_SWIFT_INITIALIZER:
    case MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER:
    case MS_SWIFT_PROPERTY_WRAPPER_BACKING_INITIALIZER:
    case MS_SWIFT_PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE:
    case MS_SWIFT_ONCE_FUNCTION:
        return MS_NAME_INITIALIZER;
    case MS_SWIFT_DESTRUCTOR:
    case MS_SWIFT_DEALLOCATOR:
    case MS_SWIFT_ISOLATED_DEALLOCATOR:
    case MS_SWIFT_IVAR_DESTROYER:
        return MS_NAME_DEINITIALIZER;
    case MS_SWIFT_EXPLICIT_CLOSURE:
    case MS_SWIFT_IMPLICIT_CLOSURE:
        return MS_NAME_CLOSURE;
    case MS_SWIFT_VARIABLE:
    case MS_SWIFT_SUBSCRIPT:
    case MS_SWIFT_ONCE_TOKEN:
    case MS_SWIFT_FIELD_OFFSET:
        return MS_NAME_VARIABLE;
    case MS_SWIFT_TYPE:
    case MS_SWIFT_TYPE_MANGLING:
    case MS_SWIFT_CLASS:
    case MS_SWIFT_STRUCTURE:
    case MS_SWIFT_ENUM:
    case MS_SWIFT_PROTOCOL:
    case MS_SWIFT_TYPE_ALIAS:
    case MS_SWIFT_OTHER_NOMINAL_TYPE:
    case MS_SWIFT_OPAQUE_RETURN_TYPE_OF:
    case MS_SWIFT_GENERIC_TYPE_PARAM_DECL:
        return MS_NAME_TYPE;
    case MS_SWIFT_MACRO:
    case MS_SWIFT_MACRO_EXPANSION_LOC:
        return MS_NAME_MACRO;
    case MS_SWIFT_PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR:
        return MS_NAME_ACCESSOR;
    default:
        break;
    }
    if (node->kind >= MS_SWIFT_GETTER && node->kind <= MS_SWIFT_UNSAFE_MUTABLE_ADDRESSOR)
        return MS_NAME_ACCESSOR;
    if (node->kind >= MS_SWIFT_ACCESSOR_MACRO_EXPANSION &&
        node->kind <= MS_SWIFT_MACRO_EXPANSION_UNIQUE_NAME)
        return MS_NAME_MACRO;
    if (node->kind >= MS_SWIFT_CURRY_THUNK)
        return data_kind(node);
    /* Types of other kinds, once their TYPE is off: "$sSiD" and the like. */
    return node->kind > MS_SWIFT_TYPE && node->kind < MS_SWIFT_PROTOCOL_CONFORMANCE ? MS_NAME_TYPE
                                                                                    : MS_NAME_OTHER;
}

static void describe_entity(tree *node, struct ms_name *out)
{
    uint32_t child;
    for (unsigned depth = 0; node && depth < MS_SWIFT_DEPTH; depth++) {
        if (node->kind == MS_SWIFT_STATIC) {
            out->is_static = true;
            node = kid(node, 0);
        } else if ((child = thunk_child(node)) != UINT32_MAX) {
            out->thunk = true;
            node = kid(node, child);
        } else {
            break;
        }
    }
    if (!node)
        return;
    if (out->kind == MS_NAME_OTHER)
        out->kind = entity_kind(node);
    /* A getter of a static variable has STATIC around the getter or within. */
    if (out->kind == MS_NAME_ACCESSOR && kid(node, 0) && kid(node, 0)->kind == MS_SWIFT_STATIC)
        out->is_static = true;
    out->thunk |= out->kind == MS_NAME_THUNK;
    out->outlined |= out->kind == MS_NAME_OUTLINED;
    note_module(node, out);
}

static void describe_global(tree *node, struct ms_name *out, unsigned depth)
{
    for (uint32_t i = 0; i < ms_swift_n_children(node); i++) {
        tree *child = node->child[i];
        if (ms_swift_flags[child->kind] & MS_SWIFT_ATTRIBUTE) {
            note_attribute(child, out);
            /* A forwarder holds all that is said of what it forwards to. */
            bool forwards = child->kind == MS_SWIFT_PARTIAL_APPLY_FORWARDER ||
                            child->kind == MS_SWIFT_PARTIAL_APPLY_OBJC_FORWARDER;
            if (forwards && depth < MS_SWIFT_DEPTH)
                describe_global(child, out, depth + 1);
        } else if (child->kind != MS_SWIFT_SUFFIX) {
            describe_entity(child, out);
        }
    }
}

void ms_swift_describe(const struct ms_swift_node *root, struct ms_name *out)
{
    describe_global(root, out, 0);
}
