/*
 * unit/swift_trees.h: names and the trees they mean, by groups of operators; see
 * test_swift_read.c for how the trees are written.
 */
#ifndef TESTS_UNIT_SWIFT_TREES_H
#define TESTS_UNIT_SWIFT_TREES_H

static const struct tree identifiers[] = {
    {"$s1a", "'a'"},
    {"$s4main9SomeWordsV0bC4TailC", "C(V(@main, 'SomeWords'), 'SomeWordsTail')"},
    {"$s4main0A4BaseC0bA2_xV", "V(C(@main, 'mainBase'), 'Basemain_x')"},
    {"$s4main9aB_Cd9_e2V0cA0V", "V(V(@main, 'aB_Cd9_e2'), 'e2main')"},
    {"$s4main009bcher_kvaV", "V(@main, 'bücher')"},
    {"$s4main007ab_qgJkV", "V(@main, 'a b')"},
    {"$s4main005ImqxbV", "V(@main, '他们')"},
    {"$s4main006___jvDsV", "V(@main, '_😀')"},
    {"$s1a1byyF1cL_V", "V(FUNCTION(@a, 'b', " VOID "), LOCAL_DECL_NAME(NUMBER#0, 'c'))"},
    {"$s1a1b2cdLLV", "V(@a, PRIVATE_DECL_NAME('cd', 'b'))"},
    {"$s1a1CCACyc2cdLlfc",
     "CONSTRUCTOR(C(@a, 'C'), :F(args(:T), result(:C(@a, 'C'))), PRIVATE_DECL_NAME('cd'))"},
    {"$s1a1byyF1cL0_V", "V(FUNCTION(@a, 'b', " VOID "), LOCAL_DECL_NAME(NUMBER#1, 'c'))"},
    {"$s1a1bLaV", "V(@a, RELATED_ENTITY_DECL_NAME('a', 'b'))"},
    {"$s1a2ppoiyS2i_SitF", "FUNCTION(@a, INFIX_OPERATOR'++', labels, :F(args(:T(e(" INT "), e(" INT
                           "))), result(" INT ")))"},
    {"$s1a2geopyS2iF",
     "FUNCTION(@a, PREFIX_OPERATOR'>=', labels, :F(args(" INT "), result(" INT ")))"},
    {"$s1a1noPyS2iF",
     "FUNCTION(@a, POSTFIX_OPERATOR'!', labels, :F(args(" INT "), result(" INT ")))"},
};

static const struct tree substitutions[] = {
    {"$s1a1fyyAA1bV_ADtF",
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(:V(@a, 'b')), e(:V(@a, 'b')))), result(:T)))"},
    {"$s1a1fyyAA1bV_A2DtF",
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(:V(@a, 'b')), e(:V(@a, 'b')), e(:V(@a, "
     "'b')))), result(:T)))"},
    {"$s1a1fyyAA1bV_AdA1cVtF",
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(:V(@a, 'b')), e(:V(@a, 'b')), e(:V(@a, "
     "'c')))), result(:T)))"},
    {"$s1a1bV1cV1dV1eV1fV1gV1hV1iV1jV1kV1lV1mV1nV1oyyA_F",
     "FUNCTION(V(V(V(V(V(V(V(V(V(V(V(V(V(@a, 'b'), 'c'), 'd'), 'e'), 'f'), 'g'), 'h'), "
     "'i'), 'j'), 'k'), 'l'), 'm'), 'n'), 'o', labels, "
     ":F(args(:V(V(V(V(V(V(V(V(V(V(V(V(V(@a, 'b'), 'c'), 'd'), 'e'), 'f'), 'g'), 'h'), "
     "'i'), 'j'), 'k'), 'l'), 'm'), 'n')), result(:T)))"},
    {"$sSi_S2StD", "type(:T(e(" INT "), e(" STRING "), e(" STRING ")))"},
    {"$sSi_S3ftD", "type(:T(e(" INT
                   "), e(:V(@Swift, 'Float')), e(:V(@Swift, 'Float')), e(:V(@Swift, 'Float'))))"},
    {"$sScA_pD", "type(:PROTOCOL_LIST(list(:P(@Swift, 'Actor'))))"},
    {"$sScTyytSiGD", "type(:bound_V(:V(@Swift, 'Task'), list(:T, " INT ")))"},
    {"$sSo1aCD", "type(:C(@__C, 'a'))"},
    {"$sSC1aVD", "type(:V(@__C_Synthesized, 'a'))"},
    {"$sSiSg_AAtD", "type(:T(e(:bound_O(:O(@Swift, 'Optional'), list(" INT
                    "))), e(:bound_O(:O(@Swift, 'Optional'), list(" INT ")))))"},
};

static const struct tree types[] = {
    {"$sBi8_", "BUILTIN_TYPE_NAME'Builtin.Int8'"},
    {"$sBf32_Bv4_", "BUILTIN_TYPE_NAME'Builtin.Vec4xFPIEEE32'"},
    {"$sBp_BotD", "type(:T(e(:BUILTIN_TYPE_NAME'Builtin.RawPointer'), "
                  "e(:BUILTIN_TYPE_NAME'Builtin.NativeObject')))"},
    {"$sBi7_BpBVD", "type(:BUILTIN_FIXED_ARRAY(:BUILTIN_TYPE_NAME'Builtin.Int7', "
                    ":BUILTIN_TYPE_NAME'Builtin.RawPointer'))"},
    {"$sBTD", "type(:BUILTIN_TUPLE_TYPE)"},
    {"$sytD", "type(:T)"},
    {"$sSi1a_SS1bSddtD",
     "type(:T(e(TUPLE_ELEMENT_NAME'a', " INT "), e(TUPLE_ELEMENT_NAME'b', " STRING
     "), e(VARIADIC_MARKER, :V(@Swift, 'Double'))))"},
    {"$syycD", "type(" VOID ")"},
    {"$sSiSSYbKcD",
     "type(:F(THROWS_ANNOTATION, CONCURRENT_FUNCTION_TYPE, args(" STRING "), result(" INT ")))"},
    {"$sSiSSYaScMYcYTXED",
     "type(:NO_ESCAPE_FUNCTION_TYPE(SENDING_RESULT_FUNCTION_TYPE, "
     "GLOBAL_ACTOR_FUNCTION_TYPE(:C(@Swift, 'MainActor')), ASYNC_ANNOTATION, args(" STRING
     "), result(" INT ")))"},
    {"$sSiSSYaYb1a1EVYKXAD",
     "type(:ESCAPING_AUTO_CLOSURE_TYPE(TYPED_THROWS_ANNOTATION(:V(@a, 'E')), "
     "CONCURRENT_FUNCTION_TYPE, ASYNC_ANNOTATION, args(" STRING "), result(" INT ")))"},
    {"$sSiSiXzB2abD", "type(:OBJC_BLOCK(CLANG_TYPE'ab', args(" INT "), result(" INT ")))"},
    {"$sSiSiYjrXCD",
     "type(:C_FUNCTION_POINTER(DIFFERENTIABLE_FUNCTION_TYPE#114, args(" INT "), result(" INT ")))"},
    {"$sSiSiXfD", "type(:THIN_FUNCTION_TYPE(args(" INT "), result(" INT ")))"},
    {"$sypD", "type(:PROTOCOL_LIST(list))"},
    {"$s1a1P_AA1QpD", "type(:PROTOCOL_LIST(list(:P(@a, 'P'), :P(@a, 'Q'))))"},
    {"$s1a1P_AA1CCXcD",
     "type(:PROTOCOL_LIST_WITH_CLASS(PROTOCOL_LIST(list(:P(@a, 'P'))), :C(@a, 'C')))"},
    {"$s1a1P_XlD", "type(:PROTOCOL_LIST_WITH_ANY_OBJECT(PROTOCOL_LIST(list(:P(@a, 'P')))))"},
    {"$syXlD", "type(:PROTOCOL_LIST_WITH_ANY_OBJECT(PROTOCOL_LIST(list)))"},
    {"$sSimD", "type(:METATYPE(" INT "))"},
    {"$sSiXMoD", "type(:METATYPE(METATYPE_REPRESENTATION'@objc_metatype', " INT "))"},
    {"$s1a1P_pXpD", "type(:EXISTENTIAL_METATYPE(:PROTOCOL_LIST(list(:P(@a, 'P')))))"},
    {"$s1a1P_pXmTD", "type(:EXISTENTIAL_METATYPE(METATYPE_REPRESENTATION'@thick', "
                     ":PROTOCOL_LIST(list(:P(@a, 'P')))))"},
    {"$sSiXo_SiXuSiXwtD",
     "type(:T(e(:UNOWNED(" INT ")), e(:UNMANAGED(" INT ")), e(:WEAK(" INT "))))"},
    {"$sSizD", "type(:INOUT(V(@Swift, 'Int')))"},
    {"$sSihnYiD", "type(:ISOLATED(OWNED(SHARED(V(@Swift, 'Int')))))"},
    {"$sSiYu_SiYgSiYtSiYktD",
     "type(:T(e(:SENDING(V(@Swift, 'Int'))), e(:CONST_VALUE(V(@Swift, 'Int'))), "
     "e(:COMPILE_TIME_LITERAL(V(@Swift, 'Int'))), e(:NO_DERIVATIVE(V(@Swift, 'Int')))))"},
    {"$sSiXDD", "type(:DYNAMIC_SELF(" INT "))"},
    {"$sXeD", "type(:ERROR_TYPE)"},
    {"$sSiXSqXSaXSpD", "type(:SUGARED_PAREN(:SUGARED_ARRAY(:SUGARED_OPTIONAL(" INT "))))"},
    {"$sSiSSXSDD", "type(:SUGARED_DICTIONARY(" INT ", " STRING "))"},
    {"$s$3_SiXSAD", "type(:SUGARED_INLINE_ARRAY(:INTEGER#4, " INT "))"},
    {"$s$n_D", "type(:NEGATIVE_INTEGER#0)"},
    {"$sSiXbD", "type(:SIL_BOX_TYPE(" INT "))"},
    {"$sSiz_SSXxD", "type(:SIL_BOX_TYPE_WITH_LAYOUT(SIL_BOX_LAYOUT(SIL_BOX_MUTABLE_FIELD(" INT
                    "), SIL_BOX_IMMUTABLE_FIELD(" STRING "))))"},
    {"$sSi_Si_xRszlXXD",
     "type(:SIL_BOX_TYPE_WITH_LAYOUT(SIL_BOX_LAYOUT(SIL_BOX_IMMUTABLE_FIELD(" INT
     ")), sig(count#1, DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:%0.0, :%0.0)), list(" INT ")))"},
    {"$sSi_SSQPD", "type(:PACK(" INT ", " STRING "))"},
    {"$sSi_QSdD", "type(:SIL_PACK_DIRECT(" INT "))"},
    {"$sSi_QSiD", "type(:SIL_PACK_INDIRECT(" INT "))"},
    {"$sxxQpD", "type(:PACK_EXPANSION(:%0.0, :%0.0))"},
    {"$sxQe0_D", "type(:PACK_ELEMENT(:%0.0, PACK_ELEMENT_LEVEL#1))"},
    {"$s1a4AnonSi_XZ1cV", "V(ANONYMOUS_CONTEXT('Anon', @a, list(" INT ")), 'c')"},
    {"$s1a1cXYD", "type(:OTHER_NOMINAL_TYPE(@a, 'c'))"},
};

static const struct tree generics[] = {
    {"$sSaySiGD", "type(:bound_V(:V(@Swift, 'Array'), list(" INT ")))"},
    {"$s1a1bV1cVySi_SSGD",
     "type(:bound_V(:V(bound_V(:V(@a, 'b'), list(" INT ")), 'c'), list(" STRING ")))"},
    {"$s1a1bV1cVy_SiGD", "type(:bound_V(:V(V(@a, 'b'), 'c'), list(" INT ")))"},
    {"$s1a1bCAASiRszlE1cVySi_GD",
     "type(:V(EXTENSION(@a, bound_C(:C(@a, 'b'), list(" INT
     ")), sig(count#1, DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:%0.0, " INT "))), 'c'))"},
    {"$s1a1fyyF1bL_VySi_SSGD", "type(:bound_V(:V(BOUND_GENERIC_FUNCTION(" FUNCTION ", list(" INT
                               ")), LOCAL_DECL_NAME(NUMBER#0, 'b')), list(" STRING ")))"},
    {"$sxD", "type(:%0.0)"},
    {"$sq_D", "type(:%0.1)"},
    {"$sqd__D", "type(:%1.0)"},
    {"$sqd_0_D", "type(:%1.1)"},
    {"$s1a1P_px1TRts_XPD",
     "type(:CONSTRAINED_EXISTENTIAL(:PROTOCOL_LIST(list(:P(@a, 'P'))), "
     "CONSTRAINED_EXISTENTIAL_REQUIREMENT_LIST(DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:me"
     "mber(:CONSTRAINED_EXISTENTIAL_SELF, ref('T')), :%0.0))))"},
    {"$s1a1fyyxlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyx_q_tr0_lF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#2), :F(args(:T(e(:%0.0), e(:%0.1))), "
     "result(:T))))"},
    {"$s1a1fyyx_qd__tr__lF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, count#1), :F(args(:T(e(:%0.0), "
     "e(:%1.0))), result(:T))))"},
    {"$s1a1fyyxzr_lF", "FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:INOUT(%0.0)), "
                       "result(:T))))"},
    {"$s1a1fyyxAA1PRzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, conforms(:%0.0, :P(@a, 'P'))), "
     ":F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxAA1Q1TAA1PPRpzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, conforms(:member(:%0.0, ref('T', "
     ":P(@a, 'P'))), :P(@a, 'Q'))), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxSi1TAA1PPRtzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
     "DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:member(:%0.0, ref('T', :P(@a, 'P'))), " INT
     ")), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxAA1CCRbzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, conforms(:%0.0, :C(@a, 'C'))), "
     ":F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxRlzClF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
     "DEPENDENT_GENERIC_LAYOUT_REQUIREMENT(:%0.0, 'C')), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxRlzE0_1_lF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
     "DEPENDENT_GENERIC_LAYOUT_REQUIREMENT(:%0.0, 'E', NUMBER#1, NUMBER#2)), "
     ":F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxRi_zlF", "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
                        "DEPENDENT_GENERIC_INVERSE_REQUIREMENT(:%0.0, INDEX#0)), :F(args(:%0.0), "
                        "result(:T))))"},
    {"$s1a1fyyxxQpRvzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
     "DEPENDENT_GENERIC_PARAM_PACK_MARKER(:%0.0)), :F(args(:PACK_EXPANSION(:%0.0, "
     ":%0.0)), result(:T))))"},
    {"$s1a1fyyxSiRVzlF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#1, "
     "DEPENDENT_GENERIC_PARAM_VALUE_MARKER(:%0.0, " INT ")), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxq_Rhzr0_lF",
     "FUNCTION(@a, 'f', labels, :generic(sig(count#2, "
     "DEPENDENT_GENERIC_SAME_SHAPE_REQUIREMENT(:%0.0, :%0.1)), :F(args(:%0.0), "
     "result(:T))))"},
    {"$sx1T_1UQXD", "type(:member(:member(:%0.0, ref('T')), ref('U')))"},
    {"$s1TQzD", "type(:member(:%0.0, ref('T')))"},
    {"$s1TQy_D", "type(:member(:%0.1, ref('T')))"},
    {"$s1T_1UQZD", "type(:member(:member(:%0.0, ref('T')), ref('U')))"},
    {"$s1a1P_p1TQxD", "type(:member(:PROTOCOL_LIST(list(:P(@a, 'P'))), ref('T')))"},
    {"$sSi1TQaD", "type(:ASSOCIATED_TYPE_REF(V(@Swift, 'Int'), 'T'))"},
    {"$s1a1fQryF", "FUNCTION(@a, 'f', :F(args(:T), result(:OPAQUE_RETURN_TYPE)))"},
    {"$s1a1fQR0_yF", "FUNCTION(@a, 'f', :F(args(:T), result(:OPAQUE_RETURN_TYPE(INDEX#1))))"},
    {"$s1a1fQryFQOySi_Qo_D",
     "type(:OPAQUE_TYPE(OPAQUE_RETURN_TYPE_OF(FUNCTION(@a, 'f', :F(args(:T), "
     "result(:OPAQUE_RETURN_TYPE)))), INDEX#0, list(list(" INT "), list)))"},
};

static const struct tree entities[] = {
    {"$s1a1fyyF", FUNCTION},
    {"$s1a1f1xySi_tF", "FUNCTION(@a, 'f', labels('x'), :F(args(:T(e(" INT "))), result(:T)))"},
    {"$s1a1f1x_ySi_SitF", "FUNCTION(@a, 'f', labels('x', FIRST_ELEMENT_MARKER), :F(args(:T(e(" INT
                          "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF",
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi1x_tYaKF", "FUNCTION(@a, 'f', labels, :F(THROWS_ANNOTATION, ASYNC_ANNOTATION, "
                           "args(:T(e(TUPLE_ELEMENT_NAME'x', " INT "))), result(:T)))"},
    {"$s1a1fyyyyXEF",
     "FUNCTION(@a, 'f', labels, :F(args(:NO_ESCAPE_FUNCTION_TYPE(args(:T), result(:T))), "
     "result(:T)))"},
    {"$s1a1vSivp", "VARIABLE(@a, 'v', " INT ")"},
    {"$s1a1vSivg", "GETTER(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1vSivau", "UNSAFE_MUTABLE_ADDRESSOR(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1vSivlu", "UNSAFE_ADDRESSOR(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1CC1vSivMZ", "STATIC(MODIFY_ACCESSOR(VARIABLE(C(@a, 'C'), 'v', " INT ")))"},
    {"$s1a1VVyS2icig", "GETTER(SUBSCRIPT(V(@a, 'V'), labels, :F(args(" INT "), result(" INT "))))"},
    {"$s1a1VV1xS2i_tcis",
     "SETTER(SUBSCRIPT(V(@a, 'V'), labels('x'), :F(args(:T(e(" INT "))), result(" INT "))))"},
    {"$s1a1VVyS2ic2cdLlip",
     "SUBSCRIPT(V(@a, 'V'), labels, :F(args(" INT "), result(" INT ")), PRIVATE_DECL_NAME('cd'))"},
    {"$s1a1CCACycfC", "ALLOCATOR(C(@a, 'C'), :F(args(:T), result(:C(@a, 'C'))))"},
    {"$s1a1CC1xACSi_tcfc",
     "CONSTRUCTOR(C(@a, 'C'), labels('x'), :F(args(:T(e(" INT "))), result(:C(@a, 'C'))))"},
    {"$s1a1CCfD", "DEALLOCATOR(C(@a, 'C'))"},
    {"$s1a1CCfd", "DESTRUCTOR(C(@a, 'C'))"},
    {"$s1a1CCfZ", "ISOLATED_DEALLOCATOR(C(@a, 'C'))"},
    {"$s1a1CCfE", "IVAR_DESTROYER(C(@a, 'C'))"},
    {"$s1a1CCfe", "IVAR_INITIALIZER(C(@a, 'C'))"},
    {"$s1a1vSivpfi", "INITIALIZER(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1vSivpfP", "PROPERTY_WRAPPER_BACKING_INITIALIZER(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1vSivpfW", "PROPERTY_WRAPPER_INIT_FROM_PROJECTED_VALUE(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1vSivpfF", "PROPERTY_WRAPPED_FIELD_INIT_ACCESSOR(VARIABLE(@a, 'v', " INT "))"},
    {"$s1a1f1xySi_tFfA_",
     "DEFAULT_ARGUMENT_INITIALIZER(FUNCTION(@a, 'f', labels('x'), :F(args(:T(e(" INT
     "))), result(:T))), NUMBER#0)"},
    {"$s1a1fyyFyycfU_", "EXPLICIT_CLOSURE(" FUNCTION ", NUMBER#0, " VOID ")"},
    {"$s1a1fyyFyycfu0_", "IMPLICIT_CLOSURE(" FUNCTION ", NUMBER#1, " VOID ")"},
    {"$sSi1aE1fyyF", "FUNCTION(EXTENSION(@a, V(@Swift, 'Int')), 'f', " VOID ")"},
    {"$sSa1aSiRszlE1fyyF",
     "FUNCTION(EXTENSION(@a, V(@Swift, 'Array'), sig(count#1, "
     "DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:%0.0, " INT "))), 'f', " VOID ")"},
    {"$s1a1myycfm", "MACRO(@a, 'm', " VOID ")"},
    {"$s1a1TSifp", "GENERIC_TYPE_PARAM_DECL(@a, 'T', " INT ")"},
};

static const struct tree old_labels[] = {
    {"_T01a1fySi1x_tF", "FUNCTION(@a, 'f', labels('x'), :F(args(:T(e(" INT "))), result(:T)))"},
    {"_T01a1fySi_Si1xtF", "FUNCTION(@a, 'f', labels(FIRST_ELEMENT_MARKER, 'x'), :F(args(:T(e(" INT
                          "), e(" INT "))), result(:T)))"},
    {"_T01a1fySi_SitF",
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"_T01a1fySiF", "FUNCTION(@a, 'f', labels, :F(args(" INT "), result(:T)))"},
    {"_T01a1fyyF", FUNCTION},
    {"_T01a1CCACSi1x_tcfC",
     "ALLOCATOR(C(@a, 'C'), labels('x'), :F(args(:T(e(" INT "))), result(:C(@a, 'C'))))"},
    {"_T01a1fyx1x_tlF",
     "FUNCTION(@a, 'f', labels('x'), :generic(sig(count#1), :F(args(:T(e(:%0.0))), "
     "result(:T))))"},
};

static const struct tree thunks[] = {
    {"$s1a1fyyFTo", "OBJC_ATTRIBUTE, " FUNCTION},
    {"$s1a1fyyFTO", "NON_OBJC_ATTRIBUTE, " FUNCTION},
    {"$s1a1fyyFTD", "DYNAMIC_ATTRIBUTE, " FUNCTION},
    {"$s1a1fyyFTd", "DIRECT_METHOD_REFERENCE_ATTRIBUTE, " FUNCTION},
    {"$s1a1fyyFTA", "PARTIAL_APPLY_FORWARDER(" FUNCTION ")"},
    {"$s1a1fyyFTmTATa.12",
     "PARTIAL_APPLY_OBJC_FORWARDER(PARTIAL_APPLY_FORWARDER(MERGED_FUNCTION, " FUNCTION
     ")), SUFFIX'.12'"},
    {"$s1a1fyyFTQ0_", "ASYNC_AWAIT_RESUME_PARTIAL(NUMBER#1), " FUNCTION},
    {"$s1a1fyyFTY_", "ASYNC_SUSPEND_RESUME_PARTIAL(NUMBER#0), " FUNCTION},
    {"$s1a1fyyFTu", "ASYNC_FUNCTION_POINTER, " FUNCTION},
    {"$s1a1fyyFTE", "DISTRIBUTED_THUNK, " FUNCTION},
    {"$s1a1fyyFTwb", "BACK_DEPLOYMENT_THUNK, " FUNCTION},
    {"$s1a1fyyFTwB", "BACK_DEPLOYMENT_FALLBACK, " FUNCTION},
    {"$s1a1fyyFTwS", "HAS_SYMBOL_QUERY, " FUNCTION},
    {"$s1a1fyyFTwc", "CORO_FUNCTION_POINTER, " FUNCTION},
    {"$s1a1fyyFTc", "CURRY_THUNK(" FUNCTION ")"},
    {"$s1a1fyyFTj", "DISPATCH_THUNK(" FUNCTION ")"},
    {"$s1a1fyyFTq", "METHOD_DESCRIPTOR(" FUNCTION ")"},
    {"$s1a1fyyFTTI", "SIL_THUNK_IDENTITY(" FUNCTION ")"},
    {"$s1a1CC1fyyFAA1DCADyyFTV",
     "VTABLE_THUNK(FUNCTION(C(@a, 'C'), 'f', " VOID "), FUNCTION(C(@a, 'D'), 'f', " VOID "))"},
    {"$s1a1VVAA1PA2aDP1fyyFTW",
     "PROTOCOL_WITNESS(conf(:V(@a, 'V'), :P(@a, 'P'), @a), FUNCTION(P(@a, 'P'), 'f', " VOID "))"},
    {"$s1a1PP1fyyFTS", "PROTOCOL_SELF_CONFORMANCE_WITNESS(FUNCTION(P(@a, 'P'), 'f', " VOID "))"},
    {"$sSiIegy_SiIeAgn_TR",
     "REABSTRACTION_THUNK_HELPER(:sil(IMPL_ESCAPING, IMPL_ERASED_ISOLATION, "
     "conv'@callee_guaranteed', in(conv'@in_guaranteed', " INT
     ")), :sil(IMPL_ESCAPING, conv'@callee_guaranteed', in(conv'@unowned', " INT ")))"},
    {"$sxIegy_xIegn_lTr",
     "REABSTRACTION_THUNK(sig(count#1), :sil(IMPL_ESCAPING, conv'@callee_guaranteed', "
     "in(conv'@in_guaranteed', :%0.0)), :sil(IMPL_ESCAPING, conv'@callee_guaranteed', "
     "in(conv'@unowned', :%0.0)))"},
    {"$sIeg_IegH_SiTy",
     "REABSTRACTION_THUNK_HELPER_WITH_SELF(" INT
     ", :sil(IMPL_ESCAPING, conv'@callee_guaranteed', IMPL_FUNCTION_ATTRIBUTE'@async'), "
     ":sil(IMPL_ESCAPING, conv'@callee_guaranteed'))"},
    {"$sIeg_Iegh_TRScMTU",
     "REABSTRACTION_THUNK_HELPER_WITH_GLOBAL_ACTOR(REABSTRACTION_THUNK_HELPER(:sil(IMPL_ES"
     "CAPING, conv'@callee_guaranteed', IMPL_FUNCTION_ATTRIBUTE'@Sendable'), "
     ":sil(IMPL_ESCAPING, conv'@callee_guaranteed')), :C(@Swift, 'MainActor'))"},
    {"$sSiTC", "CORO_CONTINUATION_PROTOTYPE(" INT ")"},
    {"$sSiIyBy_SSTz0_",
     "OBJC_ASYNC_COMPLETION_HANDLER_IMPL(:sil(conv'@callee_unowned', "
     "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'block'), in(conv'@unowned', " INT
     ")), " STRING ", NUMBER#1)"},
    {"$sxIyBy_SSlTZ_",
     "CHECKED_OBJC_ASYNC_COMPLETION_HANDLER_IMPL(:sil(conv'@callee_unowned', "
     "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'block'), in(conv'@unowned', "
     ":%0.0)), " STRING ", NUMBER#0, sig(count#1))"},
    {"$s1a1vSivpSiTK", "KEY_PATH_GETTER_THUNK_HELPER(VARIABLE(@a, 'v', " INT "), " INT ")"},
    {"$s1a1vSivplSixTkq", "KEY_PATH_SETTER_THUNK_HELPER(VARIABLE(@a, 'v', " INT
                          "), sig(count#1), " INT ", :%0.0, IS_SERIALIZED)"},
    {"$s1a1VV1fyyFACTKmu",
     "KEY_PATH_UNAPPLIED_METHOD_THUNK_HELPER(FUNCTION(V(@a, 'V'), 'f', " VOID "), :V(@a, 'V'))"},
    {"$sSiSSTH", "KEY_PATH_EQUALS_THUNK_HELPER(" INT ", " STRING ")"},
    {"$sSiSSlTh", "KEY_PATH_HASH_THUNK_HELPER(" INT ", " STRING ", sig(count#1))"},
    {"$s1T1a1PPTl", "ASSOCIATED_TYPE_DESCRIPTOR(ref('T', :P(@a, 'P')))"},
    {"$s1a1PTL", "PROTOCOL_REQUIREMENTS_BASE_DESCRIPTOR(:P(@a, 'P'))"},
    {"$s1T1a1PPTM", "DEFAULT_ASSOCIATED_TYPE_METADATA_ACCESSOR(ref('T', :P(@a, 'P')))"},
    {"$s1a1PP1T_AA1QTn",
     "ASSOCIATED_CONFORMANCE_DESCRIPTOR(:P(@a, 'P'), ASSOC_TYPE_PATH(ref('T')), :P(@a, "
     "'Q'))"},
    {"$s1a1PP1T_AA1QTN",
     "DEFAULT_ASSOCIATED_CONFORMANCE_ACCESSOR(:P(@a, 'P'), ASSOC_TYPE_PATH(ref('T')), "
     ":P(@a, 'Q'))"},
    {"$s1a1PPAA1QTb", "BASE_CONFORMANCE_DESCRIPTOR(:P(@a, 'P'), :P(@a, 'Q'))"},
    {"$s1a1fyyFTv0_", "OUTLINED_VARIABLE#1, " FUNCTION},
    {"$s1a1fyyFTv_r", "OUTLINED_READ_ONLY_OBJECT#0, " FUNCTION},
    {"$s1a1fyyFTepnb_", "OUTLINED_BRIDGED_METHOD'pnb', " FUNCTION},
};

static const struct tree specialisations[] = {
    {"$s1a1fyyxlFSi_Tg5",
     "GENERIC_SPECIALIZATION(pass#5, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSi_TGq5",
     "GENERIC_SPECIALIZATION_NOT_REABSTRACTED(pass#5, IS_SERIALIZED, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSi_TBm5",
     "GENERIC_SPECIALIZATION_IN_RESILIENCE_DOMAIN(pass#5, METATYPE_PARAMS_REMOVED, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSi_Ts5",
     "GENERIC_SPECIALIZATION_PRESPECIALIZED(pass#5, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSi_Ti5",
     "INLINED_GENERIC_FUNCTION(pass#5, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSiTp5",
     "GENERIC_PARTIAL_SPECIALIZATION(pass#5, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyyxlFSi_Tt0tg5",
     "GENERIC_SPECIALIZATION(pass#5, DROPPED_ARGUMENT#1, DROPPED_ARGUMENT#0, of(" INT
     ")), FUNCTION(@a, 'f', labels, :generic(sig(count#1), :F(args(:%0.0), result(:T))))"},
    {"$s1a1fyySi_SitFTf4dGn_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#4, param(kind#192), param), FUNCTION(@a, "
     "'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitFTf4egX_r",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#4, param(kind#1024), param(kind#384), "
     "return(kind#11)), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT
     "))), result(:T)))"},
    {"$s1a1fyySi_SitFTf4ix_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#4, param(kind#9), param(kind#256)), "
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF1gSiSSTf1cn_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#1, param(kind#7, payload'g', " INT ", " STRING
     "), param), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF1gTf3pfn_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#3, param(kind#0, payload'g'), param), "
     "FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitFTf3pi12pd34_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#3, param(kind#2, payload'12'), param(kind#3, "
     "payload'34')), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF2_1Tf3npsb_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#3, param, param(kind#4, payload'u8', "
     "payload'1')), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF2abSiSSTf3npk_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#3, param, param(kind#5, payload'ab', " INT ", " STRING
     ")), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitFSo1SVSiTf3npSSi3_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#3, param, param(kind#6, :V(@__C, 'S'), "
     "kind#6, " INT ", kind#2, payload'3')), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT
     "), e(" INT "))), result(:T)))"},
    {"$s1a1fyySi_SitF1gTf1cC0_n",
     "FUNCTION_SIGNATURE_SPECIALIZATION(pass#1, param(kind#7, payload'g'), param(kind#8, "
     "payload'0')), FUNCTION(@a, 'f', labels, :F(args(:T(e(" INT "), e(" INT "))), result(:T)))"},
};

static const struct tree sil_functions[] = {
    {"$sSiSSIyMyd_D",
     "type(:sil(conv'@callee_unowned', "
     "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'method'), in(conv'@unowned', " INT
     "), out(conv'@unowned', " STRING ")))"},
    {"$sSiSSIxWyo_D", "type(:sil(conv'@callee_owned', "
                      "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'witness_method'), "
                      "in(conv'@unowned', " INT "), out(conv'@owned', " STRING ")))"},
    {"$sSiIegAYl_D", "type(:sil(IMPL_ESCAPING, conv'@callee_guaranteed', "
                     "IMPL_FUNCTION_ATTRIBUTE'@yield_once', IMPL_YIELD(conv'@inout', " INT ")))"},
    {"$sSiSSSbSdIegnwTILrwdzo_D",
     "type(:sil(IMPL_ESCAPING, conv'@callee_guaranteed', in(conv'@in_guaranteed', "
     "IMPL_PARAMETER_ATTRIBUTE'@noDerivative', IMPL_PARAMETER_ATTRIBUTE'sending', "
     "IMPL_PARAMETER_ATTRIBUTE'isolated', "
     "IMPL_PARAMETER_ATTRIBUTE'sil_implicit_leading_param', " INT
     "), out(conv'@out', IMPL_PARAMETER_ATTRIBUTE'@noDerivative', " STRING
     "), out(conv'@unowned', :V(@Swift, 'Bool')), IMPL_ERROR_RESULT(conv'@owned', "
     ":V(@Swift, 'Double'))))"},
    {"$sItzB2ab_D",
     "type(:sil(conv'@convention(thin)', "
     "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'block', CLANG_TYPE'ab')))"},
    {"$sxlIPetn_D",
     "type(:sil(IMPL_ESCAPING, conv'@convention(thin)', "
     "DEPENDENT_PSEUDOGENERIC_SIGNATURE(count#1), in(conv'@in_guaranteed', :%0.0)))"},
    {"$sxlySiIsegn_D",
     "type(:sil(IMPL_PATTERN_SUBSTITUTIONS(sig(count#1), list(" INT
     ")), IMPL_ESCAPING, conv'@callee_guaranteed', in(conv'@in_guaranteed', :%0.0)))"},
    {"$sxySiIIegy_D", "type(:sil(IMPL_INVOCATION_SUBSTITUTIONS(list(" INT
                      ")), IMPL_ESCAPING, conv'@callee_guaranteed', in(conv'@unowned', :%0.0)))"},
    {"$sIeg_D", "type(:sil(IMPL_ESCAPING, conv'@callee_guaranteed'))"},
    {"$sIegh_D", "type(:sil(IMPL_ESCAPING, conv'@callee_guaranteed', "
                 "IMPL_FUNCTION_ATTRIBUTE'@Sendable'))"},
    {"$s1a1E_pIegHzo_D",
     "type(:sil(IMPL_ESCAPING, conv'@callee_guaranteed', IMPL_FUNCTION_ATTRIBUTE'@async', "
     "IMPL_ERROR_RESULT(conv'@owned', :PROTOCOL_LIST(list(:P(@a, 'E'))))))"},
    {"$sSiSSIyByd_D",
     "type(:sil(conv'@callee_unowned', "
     "IMPL_FUNCTION_CONVENTION(IMPL_FUNCTION_CONVENTION_NAME'block'), in(conv'@unowned', " INT
     "), out(conv'@unowned', " STRING ")))"},
};

static const struct tree metadata[] = {
    {"$s1a1VVN", "TYPE_METADATA(:V(@a, 'V'))"},
    {"$s1a1VVMa", "TYPE_METADATA_ACCESS_FUNCTION(:V(@a, 'V'))"},
    {"$s1a1VVMn", "NOMINAL_TYPE_DESCRIPTOR(:V(@a, 'V'))"},
    {"$s1a1CCMm", "METACLASS(:C(@a, 'C'))"},
    {"$s1a1CCMo", "CLASS_METADATA_BASE_OFFSET(:C(@a, 'C'))"},
    {"$s1a1PMp", "PROTOCOL_DESCRIPTOR(:P(@a, 'P'))"},
    {"$s1a1VVAA1PAAMc", "PROTOCOL_CONFORMANCE_DESCRIPTOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a))"},
    {"$s1a1VVAA1PAAMA",
     "REFLECTION_METADATA_ASSOC_TYPE_DESCRIPTOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a))"},
    {"$s1a1CCMC", "REFLECTION_METADATA_SUPERCLASS_DESCRIPTOR(C(@a, 'C'))"},
    {"$s1a1vSivpMV", "PROPERTY_DESCRIPTOR(VARIABLE(@a, 'v', " INT "))"},
    {"$s1aMXM", "MODULE_DESCRIPTOR(@a)"},
    {"$sSi1aEMXE", "EXTENSION_DESCRIPTOR(EXTENSION(@a, V(@Swift, 'Int')))"},
    {"$s1a1VVMXX", "ANONYMOUS_DESCRIPTOR(V(@a, 'V'))"},
    {"$s1a1xMXY", "ANONYMOUS_DESCRIPTOR(@a, 'x')"},
    {"$s1a1fQryFQOMQ",
     "OPAQUE_TYPE_DESCRIPTOR(OPAQUE_RETURN_TYPE_OF(FUNCTION(@a, 'f', :F(args(:T), "
     "result(:OPAQUE_RETURN_TYPE)))))"},
    {"$s1a1VVMd", "TYPE_METADATA_DEMANGLING_CACHE(:V(@a, 'V'))"},
    {"$s1a1VVMR", "TYPE_METADATA_MANGLED_NAME_REF(:V(@a, 'V'))"},
};

static const struct tree witnesses[] = {
    {"$s1a1VVwxx", "VALUE_WITNESS(INDEX#4, :V(@a, 'V'))"},
    {"$s1a1VVwst", "VALUE_WITNESS(INDEX#23, :V(@a, 'V'))"},
    {"$s1a1VVWV", "VALUE_WITNESS_TABLE(:V(@a, 'V'))"},
    {"$s1a1EO1cyA2CmFWC",
     "ENUM_CASE(FUNCTION(O(@a, 'E'), 'c', labels, :F(args(:METATYPE(:O(@a, 'E'))), "
     "result(:O(@a, 'E')))))"},
    {"$s1a1CC1vSivpWvd", "FIELD_OFFSET(DIRECTNESS#0, VARIABLE(C(@a, 'C'), 'v', " INT "))"},
    {"$s1a1CC1vSivpWvi", "FIELD_OFFSET(DIRECTNESS#1, VARIABLE(C(@a, 'C'), 'v', " INT "))"},
    {"$s1a1PWS", "PROTOCOL_SELF_CONFORMANCE_WITNESS_TABLE(:P(@a, 'P'))"},
    {"$s1a1VVAA1PAAWP", "PROTOCOL_WITNESS_TABLE(conf(:V(@a, 'V'), :P(@a, 'P'), @a))"},
    {"$s1a1VVAA1PAAWa", "PROTOCOL_WITNESS_TABLE_ACCESSOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a))"},
    {"$s1a1VVyxGAA1PA2aERzlWP",
     "PROTOCOL_WITNESS_TABLE(conf(:generic(sig(count#1, conforms(:%0.0, :P(@a, 'P'))), "
     ":bound_V(:V(@a, 'V'), list(:%0.0))), :P(@a, 'P'), @a))"},
    {"$s1a1VVAcA1PAAWl",
     "LAZY_PROTOCOL_WITNESS_TABLE_ACCESSOR(:V(@a, 'V'), conf(:V(@a, 'V'), :P(@a, 'P'), "
     "@a))"},
    {"$s1a1VVAcA1PAAWL",
     "LAZY_PROTOCOL_WITNESS_TABLE_CACHE_VARIABLE(:V(@a, 'V'), conf(:V(@a, 'V'), :P(@a, "
     "'P'), @a))"},
    {"$s1a1VVAA1PAA1TWt",
     "ASSOCIATED_TYPE_METADATA_ACCESSOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a), 'T')"},
    {"$s1a1VVAA1PAA1T_AA1QPWT",
     "ASSOCIATED_TYPE_WITNESS_TABLE_ACCESSOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a), "
     "ASSOC_TYPE_PATH(ref('T')), :P(@a, 'Q'))"},
    {"$s1a1VVAA1PAAAA1QPWb",
     "BASE_WITNESS_TABLE_ACCESSOR(conf(:V(@a, 'V'), :P(@a, 'P'), @a), :P(@a, 'Q'))"},
    {"$s1a1x_WZ", "ONCE_FUNCTION(@a, ONCE_DECL_LIST('x'))"},
    {"$s1a1x_1y_Wz", "ONCE_TOKEN(@a, ONCE_DECL_LIST('x', 'y'))"},
    {"$s1a1VVWOe", "OUTLINED_CONSUME(:V(@a, 'V'))"},
    {"$s1a1VVyxGlWOy", "OUTLINED_COPY(:bound_V(:V(@a, 'V'), list(:%0.0)), sig(count#1))"},
    {"$s1a1EOWOi0_", "OUTLINED_ENUM_TAG_STORE(:O(@a, 'E'), INDEX#1)"},
    {"$s1a1EOWOj_", "OUTLINED_ENUM_PROJECT_DATA_FOR_LOAD(:O(@a, 'E'), INDEX#0)"},
};

static const struct tree conformances[] = {
    {"$s1a1VVySiSiAA1PHPyHCg_GD",
     "type(:bound_V(:V(@a, 'V'), list(" INT
     "), list(RETROACTIVE_CONFORMANCE(INDEX#0, CONCRETE_PROTOCOL_CONFORMANCE(" INT
     ", PROTOCOL_CONFORMANCE_REF_IN_TYPE_MODULE(:P(@a, 'P')), "
     "ANY_PROTOCOL_CONFORMANCE_LIST)))))"},
    {"$s1a1VVySiSiAA1P1byHCg0_GD",
     "type(:bound_V(:V(@a, 'V'), list(" INT
     "), list(RETROACTIVE_CONFORMANCE(INDEX#1, CONCRETE_PROTOCOL_CONFORMANCE(" INT
     ", PROTOCOL_CONFORMANCE_REF_IN_OTHER_MODULE(:P(@a, 'P'), @b), "
     "ANY_PROTOCOL_CONFORMANCE_LIST)))))"},
    {"$s1a1VVyxxAA1PHD1_AA1QHI2_g_GD",
     "type(:bound_V(:V(@a, 'V'), list(:%0.0), list(RETROACTIVE_CONFORMANCE(INDEX#0, "
     "DEPENDENT_PROTOCOL_CONFORMANCE_INHERITED(DEPENDENT_PROTOCOL_CONFORMANCE_ROOT(:%0.0, "
     ":P(@a, 'P'), INDEX#0), :P(@a, 'Q'), INDEX#1)))))"},
    {"$s1a1VVyxxAA1PHD1_1TQzAA1QHA2_g_GD",
     "type(:bound_V(:V(@a, 'V'), list(:%0.0), list(RETROACTIVE_CONFORMANCE(INDEX#0, "
     "DEPENDENT_PROTOCOL_CONFORMANCE_ASSOCIATED(DEPENDENT_PROTOCOL_CONFORMANCE_ROOT(:%0.0,"
     " :P(@a, 'P'), INDEX#0), DEPENDENT_ASSOCIATED_CONFORMANCE(:member(:%0.0, ref('T')), "
     ":P(@a, 'Q')), INDEX#1)))))"},
    {"$s1a1VVySiSiAA1PHpyHC_HXg_GD",
     "type(:bound_V(:V(@a, 'V'), list(" INT "), list(RETROACTIVE_CONFORMANCE(INDEX#0, "
     "PACK_PROTOCOL_CONFORMANCE(ANY_PROTOCOL_CONFORMANCE_LIST(CONCRETE_PROTOCOL_CONFORMANC"
     "E(" INT ", PROTOCOL_CONFORMANCE_REF_IN_PROTOCOL_MODULE(:P(@a, 'P')), "
     "ANY_PROTOCOL_CONFORMANCE_LIST)))))))"},
    {"$s1a1VVHn", "NOMINAL_TYPE_DESCRIPTOR_RECORD(:V(@a, 'V'))"},
    {"$s1a1PHr", "PROTOCOL_DESCRIPTOR_RECORD(:P(@a, 'P'))"},
    {"$s1a1VVAA1PAAHc",
     "PROTOCOL_CONFORMANCE_DESCRIPTOR_RECORD(conf(:V(@a, 'V'), :P(@a, 'P'), @a))"},
    {"$s1a1fQryFQOHo",
     "OPAQUE_TYPE_DESCRIPTOR_RECORD(OPAQUE_RETURN_TYPE_OF(FUNCTION(@a, 'f', :F(args(:T), "
     "result(:OPAQUE_RETURN_TYPE)))))"},
    {"$s1a1fyyFHF", "ACCESSIBLE_FUNCTION_RECORD, " FUNCTION},
};

static const struct tree macros[] = {
    {"$s1a1fyyF1mfMf_", "FREESTANDING_MACRO_EXPANSION(" FUNCTION ", 'm', NUMBER#0)"},
    {"$s1a1fyyF1mfMf0_1nfMu_", "MACRO_EXPANSION_UNIQUE_NAME(FREESTANDING_MACRO_EXPANSION(" FUNCTION
                               ", 'm', NUMBER#1), 'n', NUMBER#0)"},
    {"$s1a1VV1x1mfMp_", "PEER_MACRO_EXPANSION(V(@a, 'V'), 'x', 'm', NUMBER#0)"},
    {"$s1a1VV1mfMm_", "MEMBER_MACRO_EXPANSION(V(@a, 'V'), NONE, 'm', NUMBER#0)"},
    {"$s1a3buffMX1_2_1mfMf_",
     "FREESTANDING_MACRO_EXPANSION(MACRO_EXPANSION_LOC(@a, 'buf', INDEX#2, INDEX#3), 'm', "
     "NUMBER#0)"},
    {"@__swiftmacro_1a1fyyF1mfMf_", "FREESTANDING_MACRO_EXPANSION(" FUNCTION ", 'm', NUMBER#0)"},
};

static const struct tree autodiff[] = {
    {"$s1a1fyS2fFTJfSpSr",
     "AUTODIFF_FUNCTION(FUNCTION(@a, 'f', labels, :F(args(:V(@Swift, 'Float')), "
     "result(:V(@Swift, 'Float')))), AUTODIFF_FUNCTION_KIND#102, INDEX_SUBSET'S', "
     "INDEX_SUBSET'S')"},
    {"$s1a1fyS2fFTJVrSpUSr",
     "AUTODIFF_DERIVATIVE_VTABLE_THUNK(FUNCTION(@a, 'f', labels, :F(args(:V(@Swift, "
     "'Float')), result(:V(@Swift, 'Float')))), AUTODIFF_FUNCTION_KIND#114, "
     "INDEX_SUBSET'S', INDEX_SUBSET'US')"},
    {"$sS2fIegyd_TJSpSSpSrUSP",
     "AUTODIFF_SUBSET_PARAMETERS_THUNK(:sil(IMPL_ESCAPING, conv'@callee_guaranteed', "
     "in(conv'@unowned', :V(@Swift, 'Float')), out(conv'@unowned', :V(@Swift, 'Float'))), "
     "AUTODIFF_FUNCTION_KIND#112, INDEX_SUBSET'SS', INDEX_SUBSET'S', INDEX_SUBSET'US')"},
    {"$sSfIegd_SfIegd_TJOr",
     "AUTODIFF_SELF_REORDERING_REABSTRACTION_THUNK(:sil(IMPL_ESCAPING, "
     "conv'@callee_guaranteed', out(conv'@unowned', :V(@Swift, 'Float'))), "
     ":sil(IMPL_ESCAPING, conv'@callee_guaranteed', out(conv'@unowned', :V(@Swift, "
     "'Float'))), AUTODIFF_FUNCTION_KIND#114)"},
    {"$s1a1fyS2fFWJrSpSr",
     "DIFFERENTIABILITY_WITNESS(FUNCTION(@a, 'f', labels, :F(args(:V(@Swift, 'Float')), "
     "result(:V(@Swift, 'Float')))), INDEX#114, INDEX_SUBSET'S', INDEX_SUBSET'S')"},
    {"$s1a1fyxxlFlWJfUSpSr",
     "DIFFERENTIABILITY_WITNESS(FUNCTION(@a, 'f', labels, :generic(sig(count#1), "
     ":F(args(:%0.0), result(:%0.0)))), INDEX#102, INDEX_SUBSET'US', INDEX_SUBSET'S', "
     "sig(count#1))"},
};

static const struct tree old[] = {
    {"_TtC4main3Foo", ":C(@main, 'Foo')"},
    {"_TtCs12_SwiftObject", ":C(@Swift, '_SwiftObject')"},
    {"_TtCSo8NSObject", ":C(@__C, 'NSObject')"},
    {"_TtCV4main3Foo3Bar", ":C(V(@main, 'Foo'), 'Bar')"},
    {"_TtC4mainP33_0123456789ABCDEF0123456789ABCDEF3Foo",
     ":C(@main, PRIVATE_DECL_NAME('_0123456789ABCDEF0123456789ABCDEF', 'Foo'))"},
    {"_TtC4mainL_3Foo", ":C(@main, LOCAL_DECL_NAME(NUMBER#0, 'Foo'))"},
    {"_TtP4main3Foo_", ":PROTOCOL_LIST(list(:P(@main, 'Foo')))"},
    {"_TtP4main3FooS_3Bars9AnyObject_",
     ":PROTOCOL_LIST(list(:P(@main, 'Foo'), :P(@main, 'Bar'), :P(@Swift, 'AnyObject')))"},
    {"_TtP_", ":PROTOCOL_LIST(list)"},
    {"_TtGC4main3FooSi_", ":bound_C(:C(@main, 'Foo'), list(" INT "))"},
    {"_TtGCC4main3Foo3BarSi_SS_",
     ":bound_C(:C(bound_C(:C(@main, 'Foo'), list(" INT ")), 'Bar'), list(" STRING "))"},
    {"_TtGSaGSqSS__",
     ":bound_V(:V(@Swift, 'Array'), list(:bound_O(:O(@Swift, 'Optional'), list(" STRING "))))"},
    {"_TtGSQSi_", ":bound_O(:O(@Swift, 'ImplicitlyUnwrappedOptional'), list(" INT "))"},
    {"_Tta4main3Foo", ":TYPE_ALIAS(@main, 'Foo')"},
    {"_TtC4mainX9bcher_kva", ":C(@main, 'bücher')"},
    {"_TtCF4main1fFT1xSi_T_L_3Foo",
     ":C(FUNCTION(@main, 'f', :F(args(:T(e(TUPLE_ELEMENT_NAME'x', " INT
     "))), result(:T))), LOCAL_DECL_NAME(NUMBER#0, 'Foo'))"},
    {"_TtCFC4main3FoocfT_S0_L_3Bar",
     ":C(CONSTRUCTOR(C(@main, 'Foo'), :UNCURRIED_FUNCTION_TYPE(args(:T), result(:C(@main, "
     "'Foo')))), LOCAL_DECL_NAME(NUMBER#0, 'Bar'))"},
    {"_TtCFC4main3FooD3Bar", ":C(DEALLOCATOR(C(@main, 'Foo')), 'Bar')"},
    {"_TtCFC4main3Foog1xSi3Bar", ":C(GETTER(VARIABLE(C(@main, 'Foo'), 'x', " INT ")), 'Bar')"},
    {"_TtCFF4main1fFT_T_U_FT_T_L_3Foo",
     ":C(EXPLICIT_CLOSURE(FUNCTION(@main, 'f', " VOID "), NUMBER#0, " VOID
     "), LOCAL_DECL_NAME(NUMBER#0, 'Foo'))"},
    {"_TtCvC4main3Foo1xSi3Bar", ":C(VARIABLE(C(@main, 'Foo'), 'x', " INT "), 'Bar')"},
    {"_TtCIF4main1fFT1xSi_T_A0_L_3Foo",
     ":C(DEFAULT_ARGUMENT_INITIALIZER(FUNCTION(@main, 'f', "
     ":F(args(:T(e(TUPLE_ELEMENT_NAME'x', " INT
     "))), result(:T))), NUMBER#1), LOCAL_DECL_NAME(NUMBER#0, 'Foo'))"},
    {"_TtCIvC4main3Foo1xSii3Bar",
     ":C(INITIALIZER(VARIABLE(C(@main, 'Foo'), 'x', " INT ")), 'Bar')"},
    {"_TtCZFC4main3Foo1fFT_T_3Bar", ":C(STATIC(FUNCTION(C(@main, 'Foo'), 'f', " VOID ")), 'Bar')"},
    {"_TtCE5otherC4main3Foo3Bar", ":C(EXTENSION(@other, C(@main, 'Foo')), 'Bar')"},
    {"_TtCe5otherRxs1PrC4main3Foo3Bar",
     ":C(EXTENSION(@other, C(@main, 'Foo'), sig(count#1, conforms(:%0.0, :P(@Swift, "
     "'P')))), 'Bar')"},
    {"_TtBi8_", ":BUILTIN_TYPE_NAME'Builtin.Int8'"},
    {"_TtBv4Bf32_", ":BUILTIN_TYPE_NAME'Builtin.Vec4xFPIEEE32'"},
    {"_TtBw", ":BUILTIN_TYPE_NAME'Builtin.Word'"},
    {"_TtT1aSiSS_", ":T(e(TUPLE_ELEMENT_NAME'a', " INT "), e(" STRING "))"},
    {"_TttSi_", ":T(e(VARIADIC_MARKER, " INT "))"},
    {"_TtFzSiSi", ":F(THROWS_ANNOTATION, args(" INT "), result(" INT "))"},
    {"_TtbT_T_", ":OBJC_BLOCK(args(:T), result(:T))"},
    {"_TtMSi", ":METATYPE(" INT ")"},
    {"_TtXMtSi", ":METATYPE(METATYPE_REPRESENTATION'@thin', " INT ")"},
    {"_TtPMP_", ":EXISTENTIAL_METATYPE(:PROTOCOL_LIST(list))"},
    {"_TtXPMTP_", ":EXISTENTIAL_METATYPE(METATYPE_REPRESENTATION'@thick', :PROTOCOL_LIST(list))"},
    {"_TtRSi", ":INOUT(V(@Swift, 'Int'))"},
    {"_TtDC4main3Foo", ":DYNAMIC_SELF(:C(@main, 'Foo'))"},
    {"_TtXwC4main3Foo", ":WEAK(:C(@main, 'Foo'))"},
    {"_TtXbSi", ":SIL_BOX_TYPE(" INT ")"},
    {"_TtXfT_T_", ":THIN_FUNCTION_TYPE(args(:T), result(:T))"},
    {"_TtERR", ":ERROR_TYPE"},
    {"_TtQu", ":OPAQUE_RETURN_TYPE"},
    {"_Ttu0_rFxq_", ":generic(sig(count#2), :F(args(:%0.0), result(:%0.1)))"},
    {"_TtuRxs1Pwx1QzSirFxWx1Q_",
     ":generic(sig(count#1, conforms(:%0.0, :P(@Swift, 'P')), "
     "DEPENDENT_GENERIC_SAME_TYPE_REQUIREMENT(:member(:%0.0, ref('Q')), " INT
     ")), :F(args(:%0.0), result(:member(:%0.0, ref('Q')))))"},
    {"_TtuRxlE8_4rx",
     ":generic(sig(count#1, DEPENDENT_GENERIC_LAYOUT_REQUIREMENT(:%0.0, 'E', NUMBER#8, "
     "NUMBER#4)), :%0.0)"},
    {"_TtC4main3Foo.1", ":C(@main, 'Foo'), SUFFIX'.1'"},
};

#endif
