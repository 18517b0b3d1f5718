/*
 * demangle/swift_node.h: the tree that a mangled Swift name means.
 *
 * A name is read (swift_read*.c) into nodes of an arena and printed from them
 * (swift_print*.c). Nodes are shared where the name refers back to what it said before, so
 * the tree is an acyclic graph: a node that has left the function which made it is never
 * changed again, since a child added to a shared one could close a circle.
 */
#ifndef MS_DEMANGLE_SWIFT_NODE_H
#define MS_DEMANGLE_SWIFT_NODE_H

#include "base/arena.h"

#include <stdint.h>

enum {
    MS_SWIFT_CONTEXT = 1,   /* can be what an entity is declared in */
    MS_SWIFT_ATTRIBUTE = 2, /* says something of the whole function: is moved to the front */
    MS_SWIFT_DECL_NAME = 4, /* can name a declaration */
    MS_SWIFT_SIMPLE = 8     /* as a type, needs no parentheses before ?, .Type and the like */
};

/*
 * X(KIND, flags, phrase). With a phrase the node prints as it, followed by its first child
 * where it has one; without, the printer has a case of its own. Children in order are in the
 * comments. The names are those that Swift's ABI documents and tools use.
 */
#define MS_SWIFT_KINDS(X)                                                                          \
    X(NONE, 0, NULL)                                                                               \
    X(GLOBAL, 0, NULL) /* attributes…, the entity, SUFFIX? */                                      \
    X(SUFFIX, 0, NULL) /* text, with its dot */                                                    \
    /* Names. */                                                                                   \
    X(IDENTIFIER, MS_SWIFT_DECL_NAME, NULL)               /* text */                               \
    X(LOCAL_DECL_NAME, MS_SWIFT_DECL_NAME, NULL)          /* NUMBER, name */                       \
    X(PRIVATE_DECL_NAME, MS_SWIFT_DECL_NAME, NULL)        /* IDENTIFIER discriminator, name? */    \
    X(RELATED_ENTITY_DECL_NAME, MS_SWIFT_DECL_NAME, NULL) /* IDENTIFIER letter, name */            \
    X(INFIX_OPERATOR, MS_SWIFT_DECL_NAME, NULL)           /* text */                               \
    X(PREFIX_OPERATOR, MS_SWIFT_DECL_NAME, NULL)          /* text */                               \
    X(POSTFIX_OPERATOR, MS_SWIFT_DECL_NAME, NULL)         /* text */                               \
    X(NUMBER, 0, NULL)                                    /* index */                              \
    X(INDEX, 0, NULL)                                     /* index */                              \
    X(UNKNOWN_INDEX, 0, NULL)                                                                      \
    X(EMPTY_LIST, 0, NULL)                                                                         \
    X(FIRST_ELEMENT_MARKER, 0, NULL)                                                               \
    X(VARIADIC_MARKER, 0, NULL)                                                                    \
    X(LABEL_LIST, 0, NULL) /* each IDENTIFIER or FIRST_ELEMENT_MARKER (no label); or empty */      \
    /* Contexts and nominal types. */                                                              \
    X(MODULE, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL) /* text */                                 \
    X(CLASS, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)  /* context, name */                        \
    X(STRUCTURE, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)                                         \
    X(ENUM, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)                                              \
    X(PROTOCOL, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)                                          \
    X(TYPE_ALIAS, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)                                        \
    X(OTHER_NOMINAL_TYPE, MS_SWIFT_CONTEXT | MS_SWIFT_SIMPLE, NULL)                                \
    X(EXTENSION, MS_SWIFT_CONTEXT, NULL)         /* MODULE, nominal type, signature? */            \
    X(ANONYMOUS_CONTEXT, MS_SWIFT_CONTEXT, NULL) /* IDENTIFIER, context, TYPE_LIST? */             \
    /* Functions and what is like them. */                                                         \
    X(FUNCTION, MS_SWIFT_CONTEXT, NULL)    /* context, name, LABEL_LIST?, TYPE */                  \
    X(VARIABLE, MS_SWIFT_CONTEXT, NULL)    /* context, name, LABEL_LIST?, TYPE */                  \
    X(SUBSCRIPT, MS_SWIFT_CONTEXT, NULL)   /* context, LABEL_LIST?, TYPE, PRIVATE_DECL_NAME? */    \
    X(ALLOCATOR, MS_SWIFT_CONTEXT, NULL)   /* context, LABEL_LIST?, TYPE, PRIVATE_DECL_NAME? */    \
    X(CONSTRUCTOR, MS_SWIFT_CONTEXT, NULL) /* the same */                                          \
    X(DESTRUCTOR, MS_SWIFT_CONTEXT, NULL)  /* context */                                           \
    X(DEALLOCATOR, MS_SWIFT_CONTEXT, NULL) /* context */                                           \
    X(ISOLATED_DEALLOCATOR, MS_SWIFT_CONTEXT, NULL) /* context */                                  \
    X(IVAR_INITIALIZER, MS_SWIFT_CONTEXT, NULL)     /* context */                                  \
    X(IVAR_DESTROYER, MS_SWIFT_CONTEXT, NULL)       /* context */                                  \
    X(INITIALIZER, MS_SWIFT_CONTEXT, NULL)          /* the variable */                             \
    X(PROPERTY_WRAPPER_BACKING_INITIALIZER, MS_SWIFT_CONTEXT, NULL)                                \
    X(PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE, MS_SWIFT_CONTEXT, NULL)                          \
    X(PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                \
    X(DEFAULT_ARGUMENT_INITIALIZER, MS_SWIFT_CONTEXT, NULL) /* context, NUMBER */                  \
    X(EXPLICIT_CLOSURE, MS_SWIFT_CONTEXT, NULL)             /* context, NUMBER, TYPE */            \
    X(IMPLICIT_CLOSURE, MS_SWIFT_CONTEXT, NULL)             /* context, NUMBER, TYPE */            \
    X(STATIC, MS_SWIFT_CONTEXT, "static ")                  /* entity */                           \
    X(GENERIC_TYPE_PARAM_DECL, 0, NULL)                     /* as VARIABLE */                      \
    X(MACRO, 0, NULL)                                       /* as FUNCTION */                      \
    /* Accessors: the storage. */                                                                  \
    X(GETTER, MS_SWIFT_CONTEXT, NULL)                                                              \
    X(GLOBAL_GETTER, MS_SWIFT_CONTEXT, NULL)                                                       \
    X(SETTER, MS_SWIFT_CONTEXT, NULL)                                                              \
    X(MATERIALIZE_FOR_SET, MS_SWIFT_CONTEXT, NULL)                                                 \
    X(WILL_SET, MS_SWIFT_CONTEXT, NULL)                                                            \
    X(DID_SET, MS_SWIFT_CONTEXT, NULL)                                                             \
    X(READ_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                       \
    X(READ2_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                      \
    X(MODIFY_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                     \
    X(MODIFY2_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                    \
    X(INIT_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                       \
    X(BORROW_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                     \
    X(MUTATE_ACCESSOR, MS_SWIFT_CONTEXT, NULL)                                                     \
    X(OWNING_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                                    \
    X(OWNING_MUTABLE_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                            \
    X(NATIVE_OWNING_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                             \
    X(NATIVE_OWNING_MUTABLE_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                     \
    X(NATIVE_PINNING_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                            \
    X(NATIVE_PINNING_MUTABLE_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                    \
    X(UNSAFE_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                                    \
    X(UNSAFE_MUTABLE_ADDRESSOR, MS_SWIFT_CONTEXT, NULL)                                            \
    /* Macro expansions. Attached: context, name of the declaration or NONE, IDENTIFIER of the     \
     * macro, NUMBER. */                                                                           \
    X(ACCESSOR_MACRO_EXPANSION, 0, NULL)                                                           \
    X(MEMBER_ATTRIBUTE_MACRO_EXPANSION, 0, NULL)                                                   \
    X(MEMBER_MACRO_EXPANSION, 0, NULL)                                                             \
    X(PEER_MACRO_EXPANSION, 0, NULL)                                                               \
    X(CONFORMANCE_MACRO_EXPANSION, 0, NULL)                                                        \
    X(EXTENSION_MACRO_EXPANSION, 0, NULL)                                                          \
    X(PREAMBLE_MACRO_EXPANSION, 0, NULL)                                                           \
    X(BODY_MACRO_EXPANSION, 0, NULL)                                                               \
    X(FREESTANDING_MACRO_EXPANSION, 0, NULL) /* context, IDENTIFIER, PRIVATE_DECL_NAME?, NUMBER */ \
    X(MACRO_EXPANSION_UNIQUE_NAME, 0, NULL)  /* the same */                                        \
    X(MACRO_EXPANSION_LOC, 0, NULL) /* MODULE text, IDENTIFIER file, INDEX line, INDEX column */   \
    /* Types. TYPE wraps one: "this is a type". */                                                 \
    X(TYPE, MS_SWIFT_SIMPLE, NULL)                                                                 \
    X(TYPE_MANGLING, 0, NULL)       /* LABEL_LIST?, TYPE */                                        \
    X(TYPE_LIST, 0, NULL)           /* TYPEs */                                                    \
    X(TUPLE, MS_SWIFT_SIMPLE, NULL) /* TUPLE_ELEMENTs */                                           \
    X(TUPLE_ELEMENT, 0, NULL)       /* VARIADIC_MARKER?, TUPLE_ELEMENT_NAME?, TYPE */              \
    X(TUPLE_ELEMENT_NAME, 0, NULL)  /* text */                                                     \
    X(PACK, MS_SWIFT_SIMPLE, NULL)  /* TYPEs */                                                    \
    X(SIL_PACK_DIRECT, MS_SWIFT_SIMPLE, NULL)                                                      \
    X(SIL_PACK_INDIRECT, MS_SWIFT_SIMPLE, NULL)                                                    \
    X(PACK_EXPANSION, 0, NULL)     /* pattern TYPE, count TYPE */                                  \
    X(PACK_ELEMENT, 0, NULL)       /* TYPE, PACK_ELEMENT_LEVEL */                                  \
    X(PACK_ELEMENT_LEVEL, 0, NULL) /* index */                                                     \
    /* Function types: CLANG_TYPE?, then as they are in the name, all optional: SENDING_RESULT,    \
     * GLOBAL_ACTOR / ISOLATED_ANY / NONISOLATED_CALLER, DIFFERENTIABLE, THROWS / TYPED_THROWS,    \
     * CONCURRENT, ASYNC; then ARGUMENT_TUPLE, RETURN_TYPE. */                                     \
    X(FUNCTION_TYPE, 0, NULL)                                                                      \
    X(NO_ESCAPE_FUNCTION_TYPE, 0, NULL)                                                            \
    X(AUTO_CLOSURE_TYPE, 0, NULL)                                                                  \
    X(ESCAPING_AUTO_CLOSURE_TYPE, 0, NULL)                                                         \
    X(THIN_FUNCTION_TYPE, 0, NULL)                                                                 \
    X(UNCURRIED_FUNCTION_TYPE, 0, NULL)                                                            \
    X(OBJC_BLOCK, 0, NULL)                                                                         \
    X(ESCAPING_OBJC_BLOCK, 0, NULL)                                                                \
    X(C_FUNCTION_POINTER, 0, NULL)                                                                 \
    X(CLANG_TYPE, 0, NULL)     /* text */                                                          \
    X(ARGUMENT_TUPLE, 0, NULL) /* TYPE */                                                          \
    X(RETURN_TYPE, 0, NULL)    /* TYPE */                                                          \
    X(THROWS_ANNOTATION, 0, NULL)                                                                  \
    X(TYPED_THROWS_ANNOTATION, 0, NULL) /* TYPE */                                                 \
    X(ASYNC_ANNOTATION, 0, NULL)                                                                   \
    X(CONCURRENT_FUNCTION_TYPE, 0, NULL)                                                           \
    X(GLOBAL_ACTOR_FUNCTION_TYPE, 0, NULL) /* TYPE */                                              \
    X(ISOLATED_ANY_FUNCTION_TYPE, 0, NULL)                                                         \
    X(NONISOLATED_CALLER_FUNCTION_TYPE, 0, NULL)                                                   \
    X(DIFFERENTIABLE_FUNCTION_TYPE, 0, NULL) /* index: the letter f, r, d or l */                  \
    X(SENDING_RESULT_FUNCTION_TYPE, 0, NULL)                                                       \
    /* Wrapped types: the type inside. */                                                          \
    X(INOUT, 0, "inout ")                                                                          \
    X(SHARED, 0, "__shared ")                                                                      \
    X(OWNED, 0, "__owned ")                                                                        \
    X(ISOLATED, 0, "isolated ")                                                                    \
    X(SENDING, 0, "sending ")                                                                      \
    X(NO_DERIVATIVE, 0, "@noDerivative ")                                                          \
    X(COMPILE_TIME_LITERAL, 0, "_const ")                                                          \
    X(CONST_VALUE, 0, "@const ")                                                                   \
    X(WEAK, 0, "weak ")                                                                            \
    X(UNOWNED, 0, "unowned ")                                                                      \
    X(UNMANAGED, 0, "unowned(unsafe) ")                                                            \
    X(SIL_BOX_TYPE, MS_SWIFT_SIMPLE, "@box ")                                                      \
    X(SIL_BOX_TYPE_WITH_LAYOUT, MS_SWIFT_SIMPLE,                                                   \
      NULL)                                /* SIL_BOX_LAYOUT, signature?, TYPE_LIST? */            \
    X(SIL_BOX_LAYOUT, 0, NULL)             /* fields */                                            \
    X(SIL_BOX_MUTABLE_FIELD, 0, NULL)      /* TYPE */                                              \
    X(SIL_BOX_IMMUTABLE_FIELD, 0, NULL)    /* TYPE */                                              \
    X(DYNAMIC_SELF, MS_SWIFT_SIMPLE, NULL) /* TYPE */                                              \
    X(METATYPE, MS_SWIFT_SIMPLE, NULL)     /* METATYPE_REPRESENTATION?, TYPE */                    \
    X(EXISTENTIAL_METATYPE, MS_SWIFT_SIMPLE, NULL)                                                 \
    X(METATYPE_REPRESENTATION, 0, NULL)                  /* text: "@thin" … */                     \
    X(PROTOCOL_LIST, 0, NULL)                            /* TYPE_LIST */                           \
    X(PROTOCOL_LIST_WITH_CLASS, 0, NULL)                 /* PROTOCOL_LIST, TYPE */                 \
    X(PROTOCOL_LIST_WITH_ANY_OBJECT, 0, NULL)            /* PROTOCOL_LIST */                       \
    X(CONSTRAINED_EXISTENTIAL, 0, NULL)                  /* TYPE, requirement list */              \
    X(CONSTRAINED_EXISTENTIAL_REQUIREMENT_LIST, 0, NULL) /* requirements */                        \
    X(CONSTRAINED_EXISTENTIAL_SELF, MS_SWIFT_SIMPLE, NULL)                                         \
    X(SYMBOLIC_EXTENDED_EXISTENTIAL_TYPE, 0, NULL)                                                 \
    X(EXTENDED_EXISTENTIAL_TYPE_SHAPE, 0, NULL) /* signature?, TYPE */                             \
    X(ERROR_TYPE, MS_SWIFT_SIMPLE, "<ERROR TYPE>")                                                 \
    X(INTEGER, MS_SWIFT_SIMPLE, NULL)           /* index */                                        \
    X(NEGATIVE_INTEGER, MS_SWIFT_SIMPLE, NULL)  /* index, to be printed as int64_t */              \
    X(BUILTIN_TYPE_NAME, MS_SWIFT_SIMPLE, NULL) /* text, whole */                                  \
    X(BUILTIN_TUPLE_TYPE, MS_SWIFT_SIMPLE | MS_SWIFT_CONTEXT, NULL)                                \
    X(BUILTIN_FIXED_ARRAY, MS_SWIFT_SIMPLE, NULL)  /* size TYPE, element TYPE */                   \
    X(SUGARED_OPTIONAL, MS_SWIFT_SIMPLE, NULL)     /* TYPE */                                      \
    X(SUGARED_ARRAY, MS_SWIFT_SIMPLE, NULL)        /* TYPE */                                      \
    X(SUGARED_INLINE_ARRAY, MS_SWIFT_SIMPLE, NULL) /* count TYPE, element TYPE */                  \
    X(SUGARED_DICTIONARY, MS_SWIFT_SIMPLE, NULL)   /* key TYPE, value TYPE */                      \
    X(SUGARED_PAREN, MS_SWIFT_SIMPLE, NULL)        /* TYPE */                                      \
    /* Generics. BOUND_GENERIC_X: TYPE of the nominal, TYPE_LIST, then a retroactive list? */      \
    X(BOUND_GENERIC_CLASS, MS_SWIFT_SIMPLE, NULL)                                                  \
    X(BOUND_GENERIC_STRUCTURE, MS_SWIFT_SIMPLE, NULL)                                              \
    X(BOUND_GENERIC_ENUM, MS_SWIFT_SIMPLE, NULL)                                                   \
    X(BOUND_GENERIC_PROTOCOL, MS_SWIFT_SIMPLE, NULL)                                               \
    X(BOUND_GENERIC_OTHER_NOMINAL_TYPE, MS_SWIFT_SIMPLE, NULL)                                     \
    X(BOUND_GENERIC_TYPE_ALIAS, MS_SWIFT_SIMPLE, NULL)                                             \
    X(BOUND_GENERIC_FUNCTION, 0, NULL)               /* the function, TYPE_LIST */                 \
    X(DEPENDENT_GENERIC_TYPE, MS_SWIFT_SIMPLE, NULL) /* signature, TYPE */                         \
    /* PARAM_COUNTs by depth, then markers and requirements. */                                    \
    X(DEPENDENT_GENERIC_SIGNATURE, 0, NULL)                                                        \
    X(DEPENDENT_GENERIC_PARAM_COUNT, 0, NULL)             /* index */                              \
    X(DEPENDENT_GENERIC_PARAM_PACK_MARKER, 0, NULL)       /* TYPE */                               \
    X(DEPENDENT_GENERIC_PARAM_VALUE_MARKER, 0, NULL)      /* TYPE of the parameter, its TYPE */    \
    X(DEPENDENT_GENERIC_PARAM, MS_SWIFT_SIMPLE, NULL)     /* INDEX depth, INDEX index */           \
    X(DEPENDENT_GENERIC_CONFORMANCE_REQUIREMENT, 0, NULL) /* subject TYPE, TYPE */                 \
    X(DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT, 0, NULL)                                            \
    X(DEPENDENT_GENERIC_SAME_SHAPE_REQUIREMENT, 0, NULL)                                           \
    X(DEPENDENT_GENERIC_LAYOUT_REQUIREMENT, 0, NULL)  /* TYPE, IDENTIFIER letter, NUMBER size?,    \
                                                         NUMBER alignment? */                      \
    X(DEPENDENT_GENERIC_INVERSE_REQUIREMENT, 0, NULL) /* TYPE, INDEX */                            \
    X(DEPENDENT_MEMBER_TYPE, MS_SWIFT_SIMPLE, NULL)   /* TYPE, DEPENDENT_ASSOCIATED_TYPE_REF */    \
    X(DEPENDENT_ASSOCIATED_TYPE_REF, 0, NULL)         /* IDENTIFIER, protocol TYPE? */             \
    X(ASSOCIATED_TYPE_REF, MS_SWIFT_SIMPLE, NULL)     /* TYPE, IDENTIFIER */                       \
    X(ASSOC_TYPE_PATH, 0, NULL)                       /* refs, from the base outwards */           \
    X(OPAQUE_RETURN_TYPE, 0, NULL)                    /* INDEX? */                                 \
    X(OPAQUE_RETURN_TYPE_OF, MS_SWIFT_CONTEXT, NULL)  /* the entity */                             \
    X(OPAQUE_TYPE, 0, NULL)             /* OPAQUE_RETURN_TYPE_OF …, INDEX, TYPE_LIST of          \
                                           TYPE_LISTs, retroactive list? */                        \
    X(RETROACTIVE_CONFORMANCE, 0, NULL) /* INDEX, conformance */                                   \
    /* Conformances. */                                                                            \
    X(PROTOCOL_CONFORMANCE, 0, NULL)                        /* TYPE, protocol TYPE, MODULE */      \
    X(CONCRETE_PROTOCOL_CONFORMANCE, 0, NULL)               /* TYPE, REF, ANY_CONFORMANCE_LIST */  \
    X(PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE, 0, NULL)     /* protocol TYPE */                    \
    X(PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE, 0, NULL) /* protocol TYPE */                    \
    X(PROTOCOL_CONFORMANCE_REF_IN_OTHER_MODULE, 0, NULL)    /* protocol TYPE, MODULE */            \
    X(ANY_PROTOCOL_CONFORMANCE_LIST, 0, NULL)                                                      \
    X(DEPENDENT_PROTOCOL_CONFORMANCE_ROOT, 0, NULL)      /* TYPE, protocol, INDEX */               \
    X(DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED, 0, NULL) /* nested, protocol, INDEX */             \
    /* nested, DEPENDENT_ASSOCIATED_CONFORMANCE, INDEX; the index may be UNKNOWN_INDEX. */         \
    X(DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED, 0, NULL)                                          \
    X(DEPENDENT_PROTOCOL_CONFORMANCE_OPAQUE, 0, NULL) /* nested, TYPE */                           \
    X(DEPENDENT_ASSOCIATED_CONFORMANCE, 0, NULL)      /* TYPE, protocol */                         \
    X(PACK_PROTOCOL_CONFORMANCE, 0, NULL)             /* ANY_CONFORMANCE_LIST */                   \
    /* SIL function types: attributes, PARAMs, RESULTs, …; printed by text. */                     \
    X(IMPL_FUNCTION_TYPE, 0, NULL)                                                                 \
    X(IMPL_ESCAPING, 0, "@escaping")                                                               \
    X(IMPL_ERASED_ISOLATION, 0, "@isolated(any)")                                                  \
    X(IMPL_DIFFERENTIABILITY, 0, NULL)        /* index: letter f, r, d, l */                       \
    X(IMPL_CONVENTION, 0, NULL)               /* text */                                           \
    X(IMPL_FUNCTION_CONVENTION, 0, NULL)      /* IMPL_FUNCTION_CONVENTION_NAME, CLANG_TYPE? */     \
    X(IMPL_FUNCTION_CONVENTION_NAME, 0, NULL) /* text: block, c, … */                              \
    X(IMPL_FUNCTION_ATTRIBUTE, 0, NULL)       /* text: @yield_once, @Sendable, @async */           \
    X(IMPL_PARAMETER, 0, NULL) /* CONVENTION, attributes as IMPL_PARAMETER_ATTRIBUTE …, TYPE */    \
    X(IMPL_PARAMETER_ATTRIBUTE, 0, NULL) /* text: @noDerivative, sending, isolated, … */           \
    X(IMPL_RESULT, 0, NULL)              /* the same */                                            \
    X(IMPL_YIELD, 0, NULL)                                                                         \
    X(IMPL_ERROR_RESULT, 0, NULL)                                                                  \
    X(IMPL_SENDING_RESULT, 0, NULL)                                                                \
    X(IMPL_PATTERN_SUBSTITUTIONS, 0, NULL)        /* signature, TYPE_LIST, retroactive list? */    \
    X(IMPL_INVOCATION_SUBSTITUTIONS, 0, NULL)     /* TYPE_LIST, retroactive list? */               \
    X(DEPENDENT_PSEUDOGENERIC_SIGNATURE, 0, NULL) /* as DEPENDENT_GENERIC_SIGNATURE */             \
    /* What is said of a whole function. */                                                        \
    X(OBJC_ATTRIBUTE, MS_SWIFT_ATTRIBUTE, "@objc ")                                                \
    X(NON_OBJC_ATTRIBUTE, MS_SWIFT_ATTRIBUTE, "@nonobjc ")                                         \
    X(DYNAMIC_ATTRIBUTE, MS_SWIFT_ATTRIBUTE, "dynamic ")                                           \
    X(DIRECT_METHOD_REFERENCE_ATTRIBUTE, MS_SWIFT_ATTRIBUTE, "super ")                             \
    X(VTABLE_ATTRIBUTE, MS_SWIFT_ATTRIBUTE, "override ")                                           \
    X(PARTIAL_APPLY_FORWARDER, MS_SWIFT_ATTRIBUTE, NULL) /* what it forwards to? */                \
    X(PARTIAL_APPLY_OBJC_FORWARDER, MS_SWIFT_ATTRIBUTE, NULL)                                      \
    X(MERGED_FUNCTION, MS_SWIFT_ATTRIBUTE, NULL)                                                   \
    X(DISTRIBUTED_THUNK, MS_SWIFT_ATTRIBUTE, NULL)                                                 \
    X(DISTRIBUTED_ACCESSOR, MS_SWIFT_ATTRIBUTE, NULL)                                              \
    X(ACCESSIBLE_FUNCTION_RECORD, MS_SWIFT_ATTRIBUTE, NULL)                                        \
    X(DYNAMICALLY_REPLACEABLE_FUNCTION_VAR, MS_SWIFT_ATTRIBUTE, NULL)                              \
    X(DYNAMICALLY_REPLACEABLE_FUNCTION_IMPL, MS_SWIFT_ATTRIBUTE, NULL)                             \
    X(DYNAMICALLY_REPLACEABLE_FUNCTION_KEY, MS_SWIFT_ATTRIBUTE, NULL)                              \
    X(ASYNC_FUNCTION_POINTER, MS_SWIFT_ATTRIBUTE, "async function pointer to ")                    \
    X(CORO_FUNCTION_POINTER, MS_SWIFT_ATTRIBUTE, "coro function pointer to ")                      \
    X(DEFAULT_OVERRIDE, MS_SWIFT_ATTRIBUTE, "default override of ")                                \
    X(HAS_SYMBOL_QUERY, MS_SWIFT_ATTRIBUTE, "#_hasSymbol query for ")                              \
    X(BACK_DEPLOYMENT_THUNK, MS_SWIFT_ATTRIBUTE, NULL)                                             \
    X(BACK_DEPLOYMENT_FALLBACK, MS_SWIFT_ATTRIBUTE, "back deployment fallback for ")               \
    X(ASYNC_AWAIT_RESUME_PARTIAL, MS_SWIFT_ATTRIBUTE, NULL)   /* NUMBER */                         \
    X(ASYNC_SUSPEND_RESUME_PARTIAL, MS_SWIFT_ATTRIBUTE, NULL) /* NUMBER */                         \
    X(OUTLINED_VARIABLE, MS_SWIFT_ATTRIBUTE, NULL)            /* index */                          \
    X(OUTLINED_READ_ONLY_OBJECT, MS_SWIFT_ATTRIBUTE, NULL)    /* index */                          \
    X(OUTLINED_BRIDGED_METHOD, MS_SWIFT_ATTRIBUTE, NULL)      /* text */                           \
    /* Specialisations: SPECIALIZATION_PASS_ID, IS_SERIALIZED? …, then their parameters. */        \
    X(GENERIC_SPECIALIZATION, MS_SWIFT_ATTRIBUTE, NULL)                                            \
    X(GENERIC_SPECIALIZATION_NOT_REABSTRACTED, MS_SWIFT_ATTRIBUTE, NULL)                           \
    X(GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN, MS_SWIFT_ATTRIBUTE, NULL)                       \
    X(GENERIC_SPECIALIZATION_PRESPECIALIZED, MS_SWIFT_ATTRIBUTE, NULL)                             \
    X(GENERIC_PARTIAL_SPECIALIZATION, MS_SWIFT_ATTRIBUTE, NULL)                                    \
    X(GENERIC_PARTIAL_SPECIALIZATION_NOT_REABSTRACTED, MS_SWIFT_ATTRIBUTE, NULL)                   \
    X(INLINED_GENERIC_FUNCTION, MS_SWIFT_ATTRIBUTE, NULL)                                          \
    X(FUNCTION_SIGNATURE_SPECIALIZATION, MS_SWIFT_ATTRIBUTE, NULL)                                 \
    X(SPECIALIZATION_PASS_ID, 0, NULL) /* index */                                                 \
    X(IS_SERIALIZED, 0, NULL)                                                                      \
    X(ASYNC_REMOVED, 0, NULL)                                                                      \
    X(REPRESENTATION_CHANGED, 0, NULL)                                                             \
    X(DROPPED_ARGUMENT, 0, NULL) /* index; not printed */                                          \
    X(METATYPE_PARAMS_REMOVED, 0, NULL)                                                            \
    X(GENERIC_SPECIALIZATION_PARAM, 0, NULL) /* TYPE, conformances… */                             \
    /* Each PARAM_KIND with its own PAYLOADs and TYPEs behind it, of which a constant struct has   \
     * several; none: as it was. CLOSURE: PAYLOAD name, TYPEs. KEY_PATH: PAYLOAD, TYPE, TYPE.      \
     * STRING: PAYLOAD encoding, PAYLOAD. STRUCT: TYPE. Others with a payload: PAYLOAD. */         \
    X(FUNCTION_SIGNATURE_SPECIALIZATION_PARAM, 0, NULL)                                            \
    X(FUNCTION_SIGNATURE_SPECIALIZATION_RETURN, 0, NULL)        /* the same */                     \
    X(FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_KIND, 0, NULL)    /* index: enum ms_swift_spec */    \
    X(FUNCTION_SIGNATURE_SPECIALIZATION_PARAM_PAYLOAD, 0, NULL) /* text */                         \
    /* Thunks. */                                                                                  \
    X(CURRY_THUNK, 0, "curry thunk of ")                                                           \
    X(DISPATCH_THUNK, 0, "dispatch thunk of ")                                                     \
    X(SIL_THUNK_IDENTITY, 0, "identity thunk of ")                                                 \
    X(METHOD_DESCRIPTOR, 0, "method descriptor for ")                                              \
    X(PROTOCOL_SELF_CONFORMANCE_WITNESS, 0, "protocol self-conformance witness for ")              \
    X(VTABLE_THUNK, 0, NULL)        /* derived, base */                                            \
    X(PROTOCOL_WITNESS, 0, NULL)    /* conformance, entity */                                      \
    X(REABSTRACTION_THUNK, 0, NULL) /* signature?, TYPE, TYPE as popped */                         \
    X(REABSTRACTION_THUNK_HELPER, 0, NULL)                                                         \
    X(REABSTRACTION_THUNK_HELPER_WITH_SELF, 0, NULL) /* signature?, self TYPE, TYPE, TYPE */       \
    X(REABSTRACTION_THUNK_HELPER_WITH_GLOBAL_ACTOR, 0, NULL) /* the thunk, actor TYPE */           \
    X(AUTODIFF_SELF_REORDERING_REABSTRACTION_THUNK, 0, NULL) /* TYPE, TYPE, signature?, KIND */    \
    /* What the name had before, several nodes; KIND, INDEX_SUBSET of parameters, of results. */   \
    X(AUTODIFF_FUNCTION, MS_SWIFT_CONTEXT, NULL)                                                   \
    X(AUTODIFF_DERIVATIVE_VTABLE_THUNK, 0, NULL)                                                   \
    X(AUTODIFF_SUBSET_PARAMETERS_THUNK, 0, NULL) /* with a third INDEX_SUBSET: parameters to */    \
    X(AUTODIFF_FUNCTION_KIND, 0, NULL)           /* index: letter */                               \
    /* What the name had before; INDEX letter, INDEX_SUBSET, INDEX_SUBSET, signature? */           \
    X(DIFFERENTIABILITY_WITNESS, 0, NULL)                                                          \
    X(INDEX_SUBSET, 0, NULL) /* text */                                                            \
    X(CORO_CONTINUATION_PROTOTYPE, 0, "coroutine continuation prototype for ")                     \
    X(OBJC_ASYNC_COMPLETION_HANDLER_IMPL, 0,                                                       \
      NULL) /* impl TYPE, result TYPE, NUMBER, signature? */                                       \
    X(CHECKED_OBJC_ASYNC_COMPLETION_HANDLER_IMPL, 0, NULL)                                         \
    /* Entity, signature?, TYPEs, IS_SERIALIZED? */                                                \
    X(KEY_PATH_GETTER_THUNK_HELPER, 0, NULL)                                                       \
    X(KEY_PATH_SETTER_THUNK_HELPER, 0, NULL)                                                       \
    X(KEY_PATH_UNAPPLIED_METHOD_THUNK_HELPER, 0, NULL)                                             \
    X(KEY_PATH_APPLIED_METHOD_THUNK_HELPER, 0, NULL)                                               \
    X(KEY_PATH_EQUALS_THUNK_HELPER, 0, NULL) /* TYPEs, signature?, IS_SERIALIZED? */               \
    X(KEY_PATH_HASH_THUNK_HELPER, 0, NULL)                                                         \
    /* Witness tables and their accessors. */                                                      \
    X(PROTOCOL_WITNESS_TABLE, 0, "protocol witness table for ")                                    \
    X(PROTOCOL_WITNESS_TABLE_ACCESSOR, 0, "protocol witness table accessor for ")                  \
    X(PROTOCOL_WITNESS_TABLE_PATTERN, 0, "protocol witness table pattern for ")                    \
    X(PROTOCOL_SELF_CONFORMANCE_WITNESS_TABLE, 0, "protocol self-conformance witness table for ")  \
    X(GENERIC_PROTOCOL_WITNESS_TABLE, 0, "generic protocol witness table for ")                    \
    X(GENERIC_PROTOCOL_WITNESS_TABLE_INSTANTIATION, 0,                                             \
      "instantiation function for generic protocol witness table for ")                            \
    X(RESILIENT_PROTOCOL_WITNESS_TABLE, 0, "resilient protocol witness table for ")                \
    X(LAZY_PROTOCOL_WITNESS_TABLE_ACCESSOR, 0, NULL)       /* TYPE, conformance */                 \
    X(LAZY_PROTOCOL_WITNESS_TABLE_CACHE_VARIABLE, 0, NULL) /* TYPE, conformance */                 \
    X(VALUE_WITNESS_TABLE, 0, "value witness table for ")                                          \
    X(VALUE_WITNESS, 0, NULL)                     /* INDEX: enum ms_swift_value_witness, TYPE */   \
    X(ASSOCIATED_TYPE_METADATA_ACCESSOR, 0, NULL) /* conformance, name */                          \
    X(DEFAULT_ASSOCIATED_TYPE_METADATA_ACCESSOR, 0,                                                \
      "default associated type metadata accessor for ")                                            \
    X(ASSOCIATED_TYPE_WITNESS_TABLE_ACCESSOR, 0, NULL) /* conformance, path, protocol */           \
    X(BASE_WITNESS_TABLE_ACCESSOR, 0, NULL)            /* conformance, protocol */                 \
    X(ASSOCIATED_TYPE_DESCRIPTOR, 0, "associated type descriptor for ")                            \
    X(ASSOCIATED_CONFORMANCE_DESCRIPTOR, 0, NULL) /* TYPE, path, protocol */                       \
    X(DEFAULT_ASSOCIATED_CONFORMANCE_ACCESSOR, 0, NULL)                                            \
    X(BASE_CONFORMANCE_DESCRIPTOR, 0, NULL)       /* TYPE, protocol */                             \
    X(ASSOCIATED_TYPE_GENERIC_PARAM_REF, 0, NULL) /* TYPE, path */                                 \
    X(PROTOCOL_REQUIREMENTS_BASE_DESCRIPTOR, 0, "protocol requirements base descriptor for ")      \
    X(ENUM_CASE, 0, "enum case for ")                                                              \
    X(FIELD_OFFSET, 0, NULL)  /* DIRECTNESS, entity */                                             \
    X(DIRECTNESS, 0, NULL)    /* index: 0 direct, 1 indirect */                                    \
    X(ONCE_FUNCTION, 0, NULL) /* context, ONCE_DECL_LIST */                                        \
    X(ONCE_TOKEN, 0, NULL)                                                                         \
    X(ONCE_DECL_LIST, 0, NULL) /* names */                                                         \
    /* Outlined value operations: TYPE, signature?; then an INDEX for the last two. */             \
    X(OUTLINED_COPY, 0, "outlined copy of ")                                                       \
    X(OUTLINED_CONSUME, 0, "outlined consume of ")                                                 \
    X(OUTLINED_RETAIN, 0, "outlined retain of ")                                                   \
    X(OUTLINED_RELEASE, 0, "outlined release of ")                                                 \
    X(OUTLINED_INITIALIZE_WITH_TAKE, 0, "outlined init with take of ")                             \
    X(OUTLINED_INITIALIZE_WITH_COPY, 0, "outlined init with copy of ")                             \
    X(OUTLINED_ASSIGN_WITH_TAKE, 0, "outlined assign with take of ")                               \
    X(OUTLINED_ASSIGN_WITH_COPY, 0, "outlined assign with copy of ")                               \
    X(OUTLINED_DESTROY, 0, "outlined destroy of ")                                                 \
    X(OUTLINED_ENUM_GET_TAG, 0, "outlined enum get tag of ")                                       \
    X(OUTLINED_ENUM_TAG_STORE, 0, NULL)             /* TYPE, signature?, INDEX */                  \
    X(OUTLINED_ENUM_PROJECT_DATA_FOR_LOAD, 0, NULL) /* TYPE, signature?, INDEX */                  \
    /* Metadata. */                                                                                \
    X(TYPE_METADATA, 0, "type metadata for ")                                                      \
    X(FULL_TYPE_METADATA, 0, "full type metadata for ")                                            \
    X(TYPE_METADATA_ACCESS_FUNCTION, 0, "type metadata accessor for ")                             \
    X(CANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA_ACCESS_FUNCTION, 0,                              \
      "canonical specialized generic type metadata accessor for ")                                 \
    X(CANONICAL_SPECIALIZED_GENERIC_METACLASS, 0, "specialized generic metaclass for ")            \
    X(NONCANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA, 0,                                           \
      "noncanonical specialized generic type metadata for ")                                       \
    X(NONCANONICAL_SPECIALIZED_GENERIC_TYPE_METADATA_CACHE, 0,                                     \
      "cache variable for noncanonical specialized generic type metadata for ")                    \
    X(CANONICAL_PRESPECIALIZED_GENERIC_TYPE_CACHING_ONCE_TOKEN, 0,                                 \
      "flag for loading of canonical specialized generic type metadata for ")                      \
    X(TYPE_METADATA_INSTANTIATION_CACHE, 0, "type metadata instantiation cache for ")              \
    X(TYPE_METADATA_INSTANTIATION_FUNCTION, 0, "type metadata instantiation function for ")        \
    X(TYPE_METADATA_SINGLETON_INITIALIZATION_CACHE, 0,                                             \
      "type metadata singleton initialization cache for ")                                         \
    X(TYPE_METADATA_COMPLETION_FUNCTION, 0, "type metadata completion function for ")              \
    X(TYPE_METADATA_DEMANGLING_CACHE, 0, "demangling cache variable for type metadata for ")       \
    X(TYPE_METADATA_LAZY_CACHE, 0, "lazy cache variable for type metadata for ")                   \
    X(TYPE_METADATA_MANGLED_NAME_REF, 0, "mangled name ref for type metadata for ")                \
    X(CLASS_METADATA_BASE_OFFSET, 0, "class metadata base offset for ")                            \
    X(GENERIC_TYPE_METADATA_PATTERN, 0, "generic type metadata pattern for ")                      \
    X(METACLASS, 0, "metaclass for ")                                                              \
    X(NOMINAL_TYPE_DESCRIPTOR, 0, "nominal type descriptor for ")                                  \
    X(NOMINAL_TYPE_DESCRIPTOR_RECORD, 0, "nominal type descriptor runtime record for ")            \
    X(PROTOCOL_DESCRIPTOR, 0, "protocol descriptor for ")                                          \
    X(PROTOCOL_DESCRIPTOR_RECORD, 0, "protocol descriptor runtime record for ")                    \
    X(PROTOCOL_CONFORMANCE_DESCRIPTOR, 0, "protocol conformance descriptor for ")                  \
    X(PROTOCOL_CONFORMANCE_DESCRIPTOR_RECORD, 0,                                                   \
      "protocol conformance descriptor runtime record for ")                                       \
    X(PROTOCOL_SELF_CONFORMANCE_DESCRIPTOR, 0, "protocol self-conformance descriptor for ")        \
    X(PROTOCOL_SYMBOLIC_REFERENCE, 0, NULL)                                                        \
    X(PROPERTY_DESCRIPTOR, 0, "property descriptor for ")                                          \
    X(METHOD_LOOKUP_FUNCTION, 0, "method lookup function for ")                                    \
    X(OBJC_METADATA_UPDATE_FUNCTION, 0, "ObjC metadata update function for ")                      \
    X(OBJC_RESILIENT_CLASS_STUB, 0, "ObjC resilient class stub for ")                              \
    X(FULL_OBJC_RESILIENT_CLASS_STUB, 0, "full ObjC resilient class stub for ")                    \
    X(OPAQUE_TYPE_DESCRIPTOR, 0, "opaque type descriptor for ")                                    \
    X(OPAQUE_TYPE_DESCRIPTOR_RECORD, 0, "opaque type descriptor runtime record for ")              \
    X(OPAQUE_TYPE_DESCRIPTOR_ACCESSOR, 0, "opaque type descriptor accessor for ")                  \
    X(OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_IMPL, 0, "opaque type descriptor accessor impl for ")        \
    X(OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_KEY, 0, "opaque type descriptor accessor key for ")          \
    X(OPAQUE_TYPE_DESCRIPTOR_ACCESSOR_VAR, 0, "opaque type descriptor accessor var for ")          \
    X(METADATA_INSTANTIATION_CACHE, 0, "metadata instantiation cache for ")                        \
    X(UNIQUE_EXTENDED_EXISTENTIAL_TYPE_SHAPE_SYMBOLIC_REFERENCE, 0, NULL)                          \
    X(UNIQUABLE, 0, "uniquable ")                                                                  \
    X(REFLECTION_METADATA_BUILTIN_DESCRIPTOR, 0, "reflection metadata builtin descriptor ")        \
    X(REFLECTION_METADATA_FIELD_DESCRIPTOR, 0, "reflection metadata field descriptor ")            \
    X(REFLECTION_METADATA_ASSOC_TYPE_DESCRIPTOR, 0,                                                \
      "reflection metadata associated type descriptor ")                                           \
    X(REFLECTION_METADATA_SUPERCLASS_DESCRIPTOR, 0, "reflection metadata superclass descriptor ")  \
    X(EXTENSION_DESCRIPTOR, 0, "extension descriptor ")                                            \
    X(MODULE_DESCRIPTOR, 0, "module descriptor ")                                                  \
    X(ANONYMOUS_DESCRIPTOR, 0, "anonymous descriptor ")

enum ms_swift_kind {
#define X(kind, flags, phrase) MS_SWIFT_##kind,
    MS_SWIFT_KINDS(X)
#undef X
        MS_SWIFT_N_KINDS
};

/* What a function signature specialisation did to an argument; the index of a PARAM_KIND. Two
 * or more of the flags from DEAD on may be there at once. */
enum ms_swift_spec {
    MS_SWIFT_SPEC_FUNCTION, /* constants and closures: payloads follow */
    MS_SWIFT_SPEC_GLOBAL,
    MS_SWIFT_SPEC_INTEGER,
    MS_SWIFT_SPEC_FLOAT,
    MS_SWIFT_SPEC_STRING, /* text payloads: encoding ("u8", "u16", "objc"), the string */
    MS_SWIFT_SPEC_KEY_PATH,
    MS_SWIFT_SPEC_STRUCT,
    MS_SWIFT_SPEC_CLOSURE,
    MS_SWIFT_SPEC_SAME_AS,
    MS_SWIFT_SPEC_BOX_TO_VALUE,
    MS_SWIFT_SPEC_BOX_TO_STACK,
    MS_SWIFT_SPEC_IN_OUT_TO_OUT,
    MS_SWIFT_SPEC_DEAD = 1 << 6,
    MS_SWIFT_SPEC_OWNED_TO_GUARANTEED = 1 << 7,
    MS_SWIFT_SPEC_SROA = 1 << 8,
    MS_SWIFT_SPEC_GUARANTEED_TO_OWNED = 1 << 9,
    MS_SWIFT_SPEC_EXISTENTIAL_TO_GENERIC = 1 << 10
};

struct ms_swift_node {
    uint16_t kind; /* enum ms_swift_kind */
    bool has_text; /* exclusive: a node has a text, an index or children */
    bool has_index;
    uint32_t n; /* bytes of text, or children */
    union {
        const char *text; /* not NUL-terminated: in the name or in the arena */
        uint64_t index;
        struct ms_swift_node **child;
    };
    struct ms_swift_node *two[2]; /* where up to two children are */
};

/* Flags and phrase of a kind. */
extern const uint8_t ms_swift_flags[MS_SWIFT_N_KINDS];
extern const char *const ms_swift_phrases[MS_SWIFT_N_KINDS];
extern const uint8_t ms_swift_phrase_bytes[MS_SWIFT_N_KINDS]; /* their lengths */

/* The index of VALUE_WITNESS' first child counts in here; the last one's name is NULL. */
struct ms_swift_value_witness {
    char code[3];
    const char *name;
};
extern const struct ms_swift_value_witness ms_swift_value_witnesses[];

/* Adds a child to a node that only its maker knows so far. False when either is NULL or memory
 * is out. */
bool ms_swift_add(struct ms_arena *arena, struct ms_swift_node *parent,
                  struct ms_swift_node *child);
/* Turns the order of the children round. */
void ms_swift_reverse(struct ms_swift_node *node);

/* Child i, or NULL where the node has fewer. */
static inline const struct ms_swift_node *ms_swift_child(const struct ms_swift_node *node,
                                                         uint32_t i)
{
    return !node->has_text && !node->has_index && i < node->n ? node->child[i] : NULL;
}

static inline uint32_t ms_swift_n_children(const struct ms_swift_node *node)
{
    return node->has_text || node->has_index ? 0 : node->n;
}

#endif
