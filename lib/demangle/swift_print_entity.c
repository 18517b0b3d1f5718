/*
 * Declarations: contexts, functions, variables, accessors, closures, macro expansions.
 *
 * A context stands before what it holds, "a.b.c", unless it is a function, whose types would
 * tear the name apart, or the name itself is of several words: then it comes after it,
 * "closure #1 () -> () in a.b() -> ()".
 */
#include "demangle/swift_print.h"

#include <string.h>

enum type_form { NO_TYPE, WITH_COLON, AS_FUNCTION };

/* How a kind of declaration is told. */
struct manner {
    enum type_form form;
    bool has_name;       /* its second child is its name */
    const char *extra;   /* "getter", "closure #", …: behind the name, or instead of one */
    bool many_words;     /* `extra` is more than one */
    const char *macro;   /* the attached macro's name goes between `extra` and this */
    bool numbered;       /* a number follows … */
    uint64_t number;     /* … this one */
    const char *instead; /* in place of a name: "subscript" */
};

bool ms_swift_needs_blank(ms_swift_tree *type)
{
    while (ms_swift_is(type, MS_SWIFT_TYPE))
        type = ms_swift_kid(type, 0);
    return !type || (type->kind != MS_SWIFT_FUNCTION_TYPE &&
                     type->kind != MS_SWIFT_NO_ESCAPE_FUNCTION_TYPE &&
                     type->kind != MS_SWIFT_UNCURRIED_FUNCTION_TYPE &&
                     type->kind != MS_SWIFT_DEPENDENT_GENERIC_TYPE);
}

/* Has the type the form of a function's? */
static bool is_function(ms_swift_tree *type)
{
    while (type && (type->kind == MS_SWIFT_DEPENDENT_GENERIC_TYPE || type->kind == MS_SWIFT_TYPE))
        type = ms_swift_kid(type, type->kind == MS_SWIFT_TYPE ? 0 : 1);
    return type &&
           (type->kind == MS_SWIFT_FUNCTION_TYPE ||
            type->kind == MS_SWIFT_NO_ESCAPE_FUNCTION_TYPE ||
            type->kind == MS_SWIFT_UNCURRIED_FUNCTION_TYPE ||
            type->kind == MS_SWIFT_C_FUNCTION_POINTER || type->kind == MS_SWIFT_THIN_FUNCTION_TYPE);
}

static void print_extra(struct ms_swift_printer *p, const struct manner *how, ms_swift_tree *entity)
{
    ms_swift_puts(p, how->extra);
    if (how->macro) {
        ms_swift_print_node(p, ms_swift_kid(entity, 2));
        ms_swift_puts(p, how->macro);
    }
    if (how->numbered)
        ms_swift_print_number(p, how->number);
}

/* The types behind a name, with the labels that the name's declaration has. */
static void print_entity_type(struct ms_swift_printer *p, ms_swift_tree *entity,
                              ms_swift_tree *type, ms_swift_tree *arguments)
{
    ms_swift_tree *labels = ms_swift_kid_of(entity, MS_SWIFT_LABEL_LIST);
    if (!labels && !arguments) {
        ms_swift_print_node(p, type);
        return;
    }
    if (arguments) {
        MS_PUT(p, "<");
        ms_swift_print_children(p, arguments, 0, ", ");
        MS_PUT(p, ">");
    }
    if (ms_swift_is(type, MS_SWIFT_DEPENDENT_GENERIC_TYPE)) {
        ms_swift_tree *inner = ms_swift_kid(type, 1);
        if (!arguments)
            ms_swift_print_node(p, ms_swift_kid(type, 0));
        if (ms_swift_needs_blank(inner))
            MS_PUT(p, " ");
        type = ms_swift_kid(inner, 0);
    }
    ms_swift_print_function_type(p, labels, type);
}

static void print_type_of(struct ms_swift_printer *p, ms_swift_tree *entity, enum type_form form,
                          bool many_words, ms_swift_tree *arguments)
{
    ms_swift_tree *type = ms_swift_kid(ms_swift_kid_of(entity, MS_SWIFT_TYPE), 0);
    if (!type) {
        p->bad = true;
        return;
    }
    if (form == AS_FUNCTION && !is_function(type))
        form = WITH_COLON;
    if (form == WITH_COLON) {
        if (p->simplified)
            return;
        MS_PUT(p, " : ");
        print_entity_type(p, entity, type, arguments);
    } else if (!p->no_params) {
        if (many_words || ms_swift_needs_blank(type))
            MS_PUT(p, " ");
        print_entity_type(p, entity, type, arguments);
    }
}

/* The name, as far as the declaration has one. */
static void print_own_name(struct ms_swift_printer *p, ms_swift_tree *entity,
                           const struct manner *how)
{
    if (how->instead) {
        ms_swift_puts(p, how->instead);
        return;
    }
    ms_swift_tree *name = ms_swift_kid(entity, 1);
    ms_swift_tree *secret = ms_swift_kid_of(entity, MS_SWIFT_PRIVATE_DECL_NAME);
    if (!ms_swift_is(name, MS_SWIFT_PRIVATE_DECL_NAME))
        ms_swift_print_node(p, name);
    if (secret)
        ms_swift_print_node(p, secret);
}

static bool says_of(ms_swift_tree *entity)
{
    return entity->kind == MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER ||
           entity->kind == MS_SWIFT_INITIALIZER ||
           entity->kind == MS_SWIFT_PROPERTY_WRAPPER_BACKING_INITIALIZER ||
           entity->kind == MS_SWIFT_PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE ||
           entity->kind == MS_SWIFT_PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR;
}

static ms_swift_tree *print_as(struct ms_swift_printer *p, ms_swift_tree *entity, bool prefix,
                               const struct manner *how)
{
    ms_swift_tree *arguments = NULL;
    if (entity->kind == MS_SWIFT_BOUND_GENERIC_FUNCTION) {
        arguments = ms_swift_kid(entity, 1);
        entity = ms_swift_kid(entity, 0);
    }
    ms_swift_tree *context = ms_swift_kid(entity, 0);
    if (!context) {
        p->bad = true;
        return NULL;
    }
    bool many_words = how->many_words || (how->has_name && ms_swift_is(ms_swift_kid(entity, 1),
                                                                       MS_SWIFT_LOCAL_DECL_NAME));
    if (prefix && (how->form != NO_TYPE || many_words))
        return entity;
    ms_swift_tree *later = context;
    if (!many_words) {
        size_t before = ms_swift_mark(p);
        later = ms_swift_print_context(p, context);
        if (ms_swift_mark(p) != before)
            MS_PUT(p, ".");
    }
    bool extra = how->extra;
    if (how->has_name || how->instead) {
        if (extra && many_words) {
            print_extra(p, how, entity);
            MS_PUT(p, " of ");
            extra = false;
        }
        size_t before = ms_swift_mark(p);
        print_own_name(p, entity, how);
        if (extra && ms_swift_mark(p) != before)
            MS_PUT(p, ".");
    }
    if (extra)
        print_extra(p, how, entity);
    if (how->form != NO_TYPE)
        print_type_of(p, entity, how->form, many_words, arguments);
    if (prefix || !later)
        return later;
    if (says_of(entity))
        MS_PUT(p, " of ");
    else
        MS_PUT(p, " in ");
    ms_swift_print_node(p, later); /* nothing, for a module that isn't shown: as in the reference */
    return NULL;
}

/* ---- what each kind is told as ----------------------------------------------------------- */

static const char *accessor_name(unsigned kind)
{
    static const char *const names[] = {
        [MS_SWIFT_GETTER - MS_SWIFT_GETTER] = "getter",
        [MS_SWIFT_GLOBAL_GETTER - MS_SWIFT_GETTER] = "getter",
        [MS_SWIFT_SETTER - MS_SWIFT_GETTER] = "setter",
        [MS_SWIFT_MATERIALIZE_FOR_SET - MS_SWIFT_GETTER] = "materializeForSet",
        [MS_SWIFT_WILL_SET - MS_SWIFT_GETTER] = "willset",
        [MS_SWIFT_DID_SET - MS_SWIFT_GETTER] = "didset",
        [MS_SWIFT_READ_ACCESSOR - MS_SWIFT_GETTER] = "read",
        [MS_SWIFT_READ2_ACCESSOR - MS_SWIFT_GETTER] = "read2",
        [MS_SWIFT_MODIFY_ACCESSOR - MS_SWIFT_GETTER] = "modify",
        [MS_SWIFT_MODIFY2_ACCESSOR - MS_SWIFT_GETTER] = "modify2",
        [MS_SWIFT_INIT_ACCESSOR - MS_SWIFT_GETTER] = "init",
        [MS_SWIFT_BORROW_ACCESSOR - MS_SWIFT_GETTER] = "borrow",
        [MS_SWIFT_MUTATE_ACCESSOR - MS_SWIFT_GETTER] = "mutate",
        [MS_SWIFT_OWNING_ADDRESSOR - MS_SWIFT_GETTER] = "owningAddressor",
        [MS_SWIFT_OWNING_MUTABLE_ADDRESSOR - MS_SWIFT_GETTER] = "owningMutableAddressor",
        [MS_SWIFT_NATIVE_OWNING_ADDRESSOR - MS_SWIFT_GETTER] = "nativeOwningAddressor",
        [MS_SWIFT_NATIVE_OWNING_MUTABLE_ADDRESSOR - MS_SWIFT_GETTER] =
            "nativeOwningMutableAddressor",
        [MS_SWIFT_NATIVE_PINNING_ADDRESSOR - MS_SWIFT_GETTER] = "nativePinningAddressor",
        [MS_SWIFT_NATIVE_PINNING_MUTABLE_ADDRESSOR - MS_SWIFT_GETTER] =
            "nativePinningMutableAddressor",
        [MS_SWIFT_UNSAFE_ADDRESSOR - MS_SWIFT_GETTER] = "unsafeAddressor",
        [MS_SWIFT_UNSAFE_MUTABLE_ADDRESSOR - MS_SWIFT_GETTER] = "unsafeMutableAddressor",
    };
    bool in = kind >= MS_SWIFT_GETTER && kind - MS_SWIFT_GETTER < sizeof names / sizeof *names;
    return in ? names[kind - MS_SWIFT_GETTER] : NULL;
}

static const char *macro_role(unsigned kind)
{
    switch (kind) {
    case MS_SWIFT_ACCESSOR_MACRO_EXPANSION:
        return "accessor macro @";
    case MS_SWIFT_MEMBER_ATTRIBUTE_MACRO_EXPANSION:
        return "member attribute macro @";
    case MS_SWIFT_MEMBER_MACRO_EXPANSION:
        return "member macro @";
    case MS_SWIFT_PEER_MACRO_EXPANSION:
        return "peer macro @";
    case MS_SWIFT_CONFORMANCE_MACRO_EXPANSION:
        return "conformance macro @";
    case MS_SWIFT_EXTENSION_MACRO_EXPANSION:
        return "extension macro @";
    case MS_SWIFT_PREAMBLE_MACRO_EXPANSION:
        return "preamble macro @";
    case MS_SWIFT_BODY_MACRO_EXPANSION:
        return "body macro @";
    default:
        return NULL;
    }
}

static bool is_class(ms_swift_tree *context)
{
    return ms_swift_is(context, MS_SWIFT_CLASS);
}

/* A number that is a child; `plus` is what people count from. */
static bool number_of(ms_swift_tree *entity, uint32_t child, uint64_t plus, struct manner *how)
{
    ms_swift_tree *number = ms_swift_kid(entity, child);
    if (!number || !number->has_index)
        return false;
    how->numbered = true;
    how->number = number->index + plus;
    return true;
}

/* Functions that have no name of their own. */
static bool unnamed_manner(struct ms_swift_printer *p, ms_swift_tree *node, struct manner *how)
{
    ms_swift_tree *context = ms_swift_kid(node, 0);
    switch (node->kind) {
    case MS_SWIFT_ALLOCATOR:
    case MS_SWIFT_CONSTRUCTOR:
        how->form = AS_FUNCTION;
        /* A private one has its name behind it, which is shown; of the allocating one it isn't. */
        how->has_name = node->kind == MS_SWIFT_CONSTRUCTOR && ms_swift_n_children(node) > 2;
        how->extra =
            node->kind == MS_SWIFT_ALLOCATOR && is_class(context) ? "__allocating_init" : "init";
        return true;
    case MS_SWIFT_DESTRUCTOR:
        how->extra = "deinit";
        return true;
    case MS_SWIFT_DEALLOCATOR:
        how->extra = is_class(context) ? "__deallocating_deinit" : "deinit";
        return true;
    case MS_SWIFT_ISOLATED_DEALLOCATOR:
        how->extra = is_class(context) ? "__isolated_deallocating_deinit" : "deinit";
        return true;
    case MS_SWIFT_IVAR_INITIALIZER:
        how->extra = "__ivar_initializer";
        return true;
    case MS_SWIFT_IVAR_DESTROYER:
        how->extra = "__ivar_destroyer";
        return true;
    case MS_SWIFT_INITIALIZER:
        how->extra = "variable initialization expression";
        return true;
    case MS_SWIFT_PROPERTY_WRAPPER_BACKING_INITIALIZER:
        how->extra = "property wrapper backing initializer";
        return true;
    case MS_SWIFT_PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE:
        how->extra = "property wrapper init from projected value";
        return true;
    case MS_SWIFT_PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR:
        how->extra = "property wrapped field init accessor";
        return true;
    case MS_SWIFT_DEFAULT_ARGUMENT_INITIALIZER:
        how->extra = "default argument ";
        return number_of(node, 1, 0, how);
    case MS_SWIFT_EXPLICIT_CLOSURE:
    case MS_SWIFT_IMPLICIT_CLOSURE:
        how->form = p->simplified ? NO_TYPE : AS_FUNCTION;
        how->extra = node->kind == MS_SWIFT_EXPLICIT_CLOSURE ? "closure #" : "implicit closure #";
        return number_of(node, 1, 1, how);
    default:
        return false;
    }
}

static bool manner_of(struct ms_swift_printer *p, ms_swift_tree *node, struct manner *how)
{
    switch (node->kind) {
    case MS_SWIFT_CLASS:
    case MS_SWIFT_STRUCTURE:
    case MS_SWIFT_ENUM:
    case MS_SWIFT_PROTOCOL:
    case MS_SWIFT_TYPE_ALIAS:
    case MS_SWIFT_OTHER_NOMINAL_TYPE:
    case MS_SWIFT_GENERIC_TYPE_PARAM_DECL:
        how->has_name = true;
        return true;
    case MS_SWIFT_VARIABLE:
        how->form = WITH_COLON;
        how->has_name = true;
        return true;
    case MS_SWIFT_FUNCTION:
    case MS_SWIFT_BOUND_GENERIC_FUNCTION:
        how->form = AS_FUNCTION;
        how->has_name = true;
        return true;
    case MS_SWIFT_MACRO:
        how->form = ms_swift_n_children(node) == 3 ? WITH_COLON : AS_FUNCTION;
        how->has_name = true;
        return true;
    case MS_SWIFT_SUBSCRIPT:
        how->form = AS_FUNCTION;
        how->instead = "subscript";
        return true;
    case MS_SWIFT_FREESTANDING_MACRO_EXPANSION:
    case MS_SWIFT_MACRO_EXPANSION_UNIQUE_NAME:
        how->has_name = true;
        how->extra = node->kind == MS_SWIFT_MACRO_EXPANSION_UNIQUE_NAME
                         ? "unique name #"
                         : "freestanding macro expansion #";
        return number_of(node, ms_swift_n_children(node) - 1, 1, how);
    default:
        how->extra = macro_role(node->kind);
        if (!how->extra)
            return unnamed_manner(p, node, how);
        how->has_name = true;
        how->macro = " expansion #";
        return number_of(node, ms_swift_n_children(node) - 1, 1, how);
    }
}

static ms_swift_tree *print_accessor(struct ms_swift_printer *p, ms_swift_tree *node, bool prefix,
                                     const char *name)
{
    ms_swift_tree *storage = ms_swift_kid(node, 0);
    struct manner how = {.form = WITH_COLON, .extra = name};
    if (ms_swift_is(storage, MS_SWIFT_VARIABLE)) {
        how.has_name = true;
    } else if (ms_swift_is(storage, MS_SWIFT_SUBSCRIPT)) {
        how.instead = "subscript";
    } else {
        p->bad = true;
        return NULL;
    }
    return print_as(p, storage, prefix, &how);
}

/* ---- contexts of other kinds ------------------------------------------------------------- */

static void print_extension(struct ms_swift_printer *p, ms_swift_tree *node)
{
    if (!p->simplified) {
        MS_PUT(p, "(extension in ");
        ms_swift_print_context(p, ms_swift_kid(node, 0));
        MS_PUT(p, "):");
    }
    ms_swift_print_node(p, ms_swift_kid(node, 1));
    if (ms_swift_n_children(node) == 3)
        ms_swift_print_node(p, ms_swift_kid(node, 2));
}

static void print_anonymous(struct ms_swift_printer *p, ms_swift_tree *node)
{
    ms_swift_tree *types = ms_swift_kid(node, 2);
    if (p->simplified)
        return;
    ms_swift_print_node(p, ms_swift_kid(node, 1));
    MS_PUT(p, ".(unknown context at ");
    ms_swift_print_text(p, ms_swift_kid(node, 0));
    MS_PUT(p, ")");
    if (types && ms_swift_n_children(types)) {
        MS_PUT(p, "<");
        ms_swift_print_children(p, types, 0, ", ");
        MS_PUT(p, ">");
    }
}

static void print_expansion_place(struct ms_swift_printer *p, ms_swift_tree *node)
{
    static const char *const words[] = {"module ", " file ", " line ", " column "};
    for (uint32_t i = 0; i < 4 && i < ms_swift_n_children(node); i++) {
        ms_swift_puts(p, words[i]);
        ms_swift_tree *child = ms_swift_kid(node, i);
        if (child->has_text)
            ms_swift_print_text(p, child);
        else
            ms_swift_print_node(p, child);
    }
}

bool ms_swift_print_entity(struct ms_swift_printer *p, ms_swift_tree *node, bool prefix,
                           ms_swift_tree **later)
{
    struct manner how = {.form = NO_TYPE};
    const char *accessor = accessor_name(node->kind);
    *later = NULL;
    if (accessor) {
        *later = print_accessor(p, node, prefix, accessor);
        return true;
    }
    switch (node->kind) {
    case MS_SWIFT_EXTENSION:
        print_extension(p, node);
        return true;
    case MS_SWIFT_ANONYMOUS_CONTEXT:
        print_anonymous(p, node);
        return true;
    case MS_SWIFT_MACRO_EXPANSION_LOC:
        print_expansion_place(p, node);
        return true;
    default:
        break;
    }
    if (!manner_of(p, node, &how))
        return false;
    how.many_words = how.extra && strchr(how.extra, ' ');
    *later = print_as(p, node, prefix, &how);
    return true;
}
