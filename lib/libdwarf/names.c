#include "libdwarf/names.h"

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stddef.h>

struct word {
    uint32_t number;
    const char *name;
};

/* Newer than libdwarf 20210528, or named otherwise there. */
static const struct word tags[] = {
    {0x4106, "DW_TAG_GNU_template_template_param"},
    {0x4200, "DW_TAG_APPLE_property"},
    {0x4300, "DW_TAG_LLVM_ptrauth_type"},
    {0x6000, "DW_TAG_LLVM_annotation"},
    {0, NULL},
};
static const struct word attributes[] = {
    {0x3e02, "DW_AT_LLVM_sysroot"},
    {0x3e03, "DW_AT_LLVM_tag_offset"},
    {0x3e04, "DW_AT_LLVM_ptrauth_key"},
    {0x3e05, "DW_AT_LLVM_ptrauth_address_discriminated"},
    {0x3e06, "DW_AT_LLVM_ptrauth_extra_discriminator"},
    {0x3e07, "DW_AT_LLVM_apinotes"},
    {0x3e08, "DW_AT_LLVM_ptrauth_isa_pointer"},
    {0x3e09, "DW_AT_LLVM_ptrauth_authenticates_null_values"},
    {0x3e0a, "DW_AT_LLVM_ptrauth_authentication_mode"},
    {0x3fe4, "DW_AT_APPLE_block"},
    {0x3fee, "DW_AT_APPLE_objc_direct"},
    {0x3fef, "DW_AT_APPLE_sdk"},
    {0x3ff0, "DW_AT_APPLE_origin"},
    {0, NULL},
};
static const struct word languages[] = {
    {0x18, "DW_LANG_Haskell"},
    {0x26, "DW_LANG_Kotlin"},
    {0x27, "DW_LANG_Zig"},
    {0x28, "DW_LANG_Crystal"},
    {0x2a, "DW_LANG_C_plus_plus_17"},
    {0x2b, "DW_LANG_C_plus_plus_20"},
    {0x2c, "DW_LANG_C17"},
    {0x2d, "DW_LANG_Fortran18"},
    {0x2e, "DW_LANG_Ada2005"},
    {0x2f, "DW_LANG_Ada2012"},
    {0x30, "DW_LANG_HIP"},
    {0x31, "DW_LANG_Assembly"},
    {0x32, "DW_LANG_C_sharp"},
    {0x33, "DW_LANG_Mojo"},
    {0x8001, "DW_LANG_Mips_Assembler"},
    {0x8e57, "DW_LANG_GOOGLE_RenderScript"},
    {0, NULL},
};
static const struct word conventions[] = {
    {0xc0, "DW_CC_LLVM_vectorcall"},
    {0xc1, "DW_CC_LLVM_Win64"},
    {0xc2, "DW_CC_LLVM_X86_64SysV"},
    {0xc3, "DW_CC_LLVM_AAPCS"},
    {0xc4, "DW_CC_LLVM_AAPCS_VFP"},
    {0xc5, "DW_CC_LLVM_IntelOclBicc"},
    {0xc6, "DW_CC_LLVM_SpirFunction"},
    {0xc7, "DW_CC_LLVM_OpenCLKernel"},
    {0xc8, "DW_CC_LLVM_Swift"},
    {0xc9, "DW_CC_LLVM_PreserveMost"},
    {0xca, "DW_CC_LLVM_PreserveAll"},
    {0xcb, "DW_CC_LLVM_X86RegCall"},
    {0xcc, "DW_CC_LLVM_M68kRTD"},
    {0xcd, "DW_CC_LLVM_PreserveNone"},
    {0xce, "DW_CC_LLVM_RISCVVectorCall"},
    {0xcf, "DW_CC_LLVM_SwiftTail"},
    {0, NULL},
};
static const struct word none[] = {{0, NULL}};

static const char *find(const struct word *words, uint64_t number)
{
    for (; words->name; words++)
        if (words->number == number)
            return words->name;
    return NULL;
}

/* One of libdwarf's tables of names. */
typedef int name_of(unsigned int, const char **);

static const char *name_in(const struct word *ours, name_of *theirs, uint64_t number)
{
    const char *name = find(ours, number);
    if (name || number > UINT32_MAX)
        return name;
    return theirs((unsigned int)number, &name) == DW_DLV_OK ? name : NULL;
}

const char *ms_name_of_tag(uint64_t tag)
{
    return name_in(tags, dwarf_get_TAG_name, tag);
}

const char *ms_name_of_attribute(uint64_t attribute)
{
    return name_in(attributes, dwarf_get_AT_name, attribute);
}

const char *ms_name_of_unit_type(uint64_t type)
{
    return name_in(none, dwarf_get_UT_name, type);
}

const char *ms_name_of_value(uint64_t attribute, uint64_t value)
{
    static const struct {
        uint16_t attribute;
        const struct word *ours;
        name_of *theirs;
    } kinds[] = {
        {DW_AT_accessibility, none, dwarf_get_ACCESS_name},
        {DW_AT_virtuality, none, dwarf_get_VIRTUALITY_name},
        {DW_AT_language, languages, dwarf_get_LANG_name},
        {DW_AT_encoding, none, dwarf_get_ATE_name},
        {DW_AT_decimal_sign, none, dwarf_get_DS_name},
        {DW_AT_endianity, none, dwarf_get_END_name},
        {DW_AT_visibility, none, dwarf_get_VIS_name},
        {DW_AT_identifier_case, none, dwarf_get_ID_name},
        {DW_AT_calling_convention, conventions, dwarf_get_CC_name},
        {DW_AT_inline, none, dwarf_get_INL_name},
        {DW_AT_ordering, none, dwarf_get_ORD_name},
        {DW_AT_APPLE_runtime_class, languages, dwarf_get_LANG_name},
        {DW_AT_defaulted, none, dwarf_get_DEFAULTED_name},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].attribute == attribute)
            return name_in(kinds[i].ours, kinds[i].theirs, value);
    return NULL;
}
