/*
 * llvm/disasm_lookup.c: what LLVM asks while it disassembles: the name of an address, and what
 * lies where an instruction loads from. The words of the answers are otool's.
 */
#include "llvm/disasm_parts.h"

#include "llvm/disasm_demangle.h"

#include <llvm-c/DisassemblerTypes.h>
#include <stdlib.h>

enum {
    S_CSTRINGS = 0x2,
    S_POINTERS = 0x6,
    S_LAZY_POINTERS = 0x7,
    S_STUBS = 0x8,
    S_LAZY_DYLIB_POINTERS = 0x10,
    S_TLV_POINTERS = 0x14,
    X86_64_RELOC_SIGNED = 1,
    MOST_METHOD = 1 << 20 /* bytes of a class's and a selector's name */
};

enum ms_status disasm_info_init(struct disasm_info *info, const struct ms_macho *macho,
                                const struct ms_section *section,
                                const struct disasm_symbols *symbols,
                                const struct disasm_relocs *relocs, bool symbolic,
                                struct ms_error *err)
{
    memset(info, 0, sizeof *info);
    info->macho = macho;
    info->section = section;
    info->symbols = symbols;
    info->relocs = relocs;
    info->symbolic = symbolic;
    info->adrp_pc = UINT64_MAX;
    ms_text_init(&info->method, MOST_METHOD);
    for (size_t i = 0; i < macho->n_commands; i++) {
        struct ms_bytes raw;
        if (macho->commands[i].cmd != 0xb || !ms_bytes_part(macho->commands[i].body, 56, 8, &raw))
            continue;
        uint64_t off = ms_load_u32(raw.at, macho->big), n = ms_load_u32(raw.at + 4, macho->big);
        (void)ms_bytes_part(macho->bytes, off, 4 * n, &info->indirect);
    }
    return ms_fixups_open(macho, &info->fixups, err);
}

void disasm_info_fini(struct disasm_info *info)
{
    ms_fixups_close(info->fixups);
    ms_text_fini(&info->method);
    free(info->demangled);
    memset(info, 0, sizeof *info);
}

/* ---- what lies at an address -------------------------------------------------------------- */

const char *disasm_indirect(const struct disasm_info *info, uint64_t vm)
{
    const struct ms_section *section = ms_macho_section_at(info->macho, vm);
    uint32_t type = section ? section->flags & 0xff : 0;
    if (type != S_POINTERS && type != S_LAZY_POINTERS && type != S_STUBS &&
        type != S_LAZY_DYLIB_POINTERS && type != S_TLV_POINTERS)
        return NULL;
    uint64_t each = type == S_STUBS ? section->reserved2 : info->macho->is64 ? 8 : 4;
    struct ms_bytes word;
    if (each == 0 || !ms_bytes_part(info->indirect,
                                    4 * (section->reserved1 + (vm - section->vm) / each), 4, &word))
        return NULL;
    return disasm_symbol_name(info->macho, ms_load_u32(word.at, info->macho->big));
}

/* A string of a section of strings, from anywhere in it. */
static const char *cstring_at(const struct disasm_info *info, uint64_t vm)
{
    const struct ms_section *section = ms_macho_section_at(info->macho, vm);
    if (!section || (section->flags & 0xff) != S_CSTRINGS)
        return NULL;
    return ms_bytes_string(info->macho->bytes, section->off + (vm - section->vm), NULL);
}

/* The pointer that stands at `vm`: an address of this image, or 0; *name of another's symbol. */
static uint64_t pointer_at(struct disasm_info *info, uint64_t vm, const char **name)
{
    struct ms_slot slot;
    struct ms_error ignored;
    *name = NULL;
    if (!info->fixups || ms_fixups_read(info->fixups, vm, &slot, &ignored) != MS_OK)
        return 0;
    if (slot.kind == MS_SLOT_BIND)
        *name = slot.name;
    return slot.kind == MS_SLOT_REBASE  ? slot.target_vm
           : slot.kind == MS_SLOT_PLAIN ? slot.value
                                        : 0;
}

/* A string anywhere in the image. */
static const char *string_at(const struct disasm_info *info, uint64_t vm)
{
    struct ms_bytes bytes;
    struct ms_error ignored;
    if (!vm || !info->fixups || ms_fixups_bytes(info->fixups, vm, &bytes, &ignored) != MS_OK)
        return NULL;
    return ms_bytes_string(bytes, 0, NULL);
}

/* The name that a class of this image has in its metadata: class_t, class_ro, name. */
static const char *local_class_name(struct disasm_info *info, uint64_t class_vm)
{
    const char *bound;
    uint64_t data = class_vm ? pointer_at(info, class_vm + 32, &bound) & ~(uint64_t)7 : 0;
    return data ? string_at(info, pointer_at(info, data + 24, &bound)) : NULL;
}

/* "_OBJC_CLASS_$_Name" to "Name"; NULL for anything else. */
static const char *class_of_symbol(const char *symbol)
{
    const char *dollar = strrchr(symbol, '$');
    return dollar && dollar[1] == '_' && dollar[2] ? dollar + 2 : NULL;
}

static const char *class_reference(struct disasm_info *info, uint64_t vm)
{
    const char *bound, *name;
    uint64_t class_vm = pointer_at(info, vm, &bound);
    name = bound ? class_of_symbol(bound) : local_class_name(info, class_vm);
    if (!name)
        return bound ? bound : "bad class ref";
    info->class_name = name;
    return bound && info->macho->filetype != MS_MH_OBJECT ? bound : name;
}

static bool is_named(const struct ms_section *section, const char *name)
{
    return section && strcmp(section->name, name) == 0;
}

/* In an object a relocation says what the operand at `pc` is relative to. */
static uint64_t relocated(const struct disasm_info *info, uint64_t vm, uint64_t pc)
{
    const struct disasm_reloc *found;
    struct disasm_relocation reloc;
    if (info->macho->filetype != MS_MH_OBJECT)
        return vm;
    found = disasm_reloc_at(info->relocs, pc - info->section->vm);
    if (!found || !disasm_relocation(info->relocs, found->index, &reloc) || !reloc.external ||
        !reloc.pcrel || reloc.type != X86_64_RELOC_SIGNED || reloc.symbol >= info->macho->n_nlist)
        return vm;
    return ms_nlist_at(info->macho, reloc.symbol, NULL).value;
}

const char *disasm_literal(struct disasm_info *info, uint64_t vm, uint64_t pc, uint64_t *type)
{
    const char *bound, *name;
    vm = relocated(info, vm, pc);
    const struct ms_section *section = ms_macho_section_at(info->macho, vm);
    uint64_t pointer = 0;
    /* 32-bit images have other structures, which otool doesn't read either. */
    if (!info->macho->is64)
        section = NULL;
    if (is_named(section, "__objc_classrefs") || is_named(section, "__objc_superrefs")) {
        *type = LLVMDisassembler_ReferenceType_Out_Objc_Class_Ref;
        return class_reference(info, vm);
    }
    if (is_named(section, "__cfstring")) {
        *type = LLVMDisassembler_ReferenceType_Out_Objc_CFString_Ref;
        return string_at(info, pointer_at(info, vm + 16, &bound));
    }
    bool selector = is_named(section, "__objc_selrefs");
    bool message = is_named(section, "__objc_msgrefs") && vm + 8 < section->vm + section->vm_bytes;
    if (selector || message)
        pointer = pointer_at(info, message ? vm + 8 : vm, &bound);
    name = cstring_at(info, pointer ? pointer : vm);
    if (name) {
        *type = LLVMDisassembler_ReferenceType_Out_LitPool_CstrAddr;
        if (pointer) {
            info->selector = name;
            *type = selector ? LLVMDisassembler_ReferenceType_Out_Objc_Selector_Ref
                             : LLVMDisassembler_ReferenceType_Out_Objc_Message_Ref;
            info->class_name = message ? NULL : info->class_name;
        }
        return name;
    }
    name = disasm_indirect(info, pointer ? pointer : vm);
    if (name)
        *type = LLVMDisassembler_ReferenceType_Out_LitPool_SymAddr;
    return name;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* "-[x0 selector]" where *name is a function that sends messages and a selector was loaded. */
static void put_message(struct disasm_info *info, uint64_t *type, const char **name)
{
    const char *self = info->macho->cputype == MS_CPU_X86_64  ? "%rdi"
                       : info->macho->cputype == MS_CPU_ARM64 ? "x0"
                                                              : "r?";
    bool super = strcmp(*name, "_objc_msgSendSuper2") == 0;
    if ((!super && strcmp(*name, "_objc_msgSend") != 0) || !info->selector)
        return;
    ms_text_clear(&info->method);
    if (super)
        ms_text_printf(&info->method, "-[[%s super] %s]", self, info->selector);
    else if (info->class_name)
        ms_text_printf(&info->method, "+[%s %s]", info->class_name, info->selector);
    else
        ms_text_printf(&info->method, "-[%s %s]", self, info->selector);
    info->class_name = NULL;
    if (info->method.failed) {
        ms_text_fini(&info->method);
        ms_text_init(&info->method, MOST_METHOD);
        return;
    }
    *name = info->method.at;
    *type = LLVMDisassembler_ReferenceType_Out_Objc_Message;
}

/* ---- the callbacks -------------------------------------------------------------------------- */

static void add_demangled(struct disasm_info *info, const char *symbol, uint64_t *type,
                          const char **name)
{
    if (!symbol || strncmp(symbol, "__Z", 3) != 0)
        return;
    free(info->demangled);
    info->demangled = disasm_demangle(symbol + 1);
    if (!info->demangled)
        return;
    *name = info->demangled;
    *type = LLVMDisassembler_ReferenceType_DeMangled_Name;
}

/* The address that an adrp and the add or ldr right behind it make; false when they don't. */
static bool join_adrp(const struct disasm_info *info, uint64_t type, uint32_t instruction,
                      uint64_t pc, uint64_t *vm)
{
    if (pc - 4 != info->adrp_pc || (info->adrp & 0x9f000000) != 0x90000000 ||
        (info->adrp & 0x1f) != (instruction >> 5 & 0x1f))
        return false;
    uint64_t pages = (info->adrp & 0x00ffffe0) >> 3 | (info->adrp >> 29 & 3);
    if (info->adrp & 0x00800000)
        pages |= ~(uint64_t)0x1fffff;
    uint64_t low = instruction >> 10 & 0xfff;
    if (type == LLVMDisassembler_ReferenceType_In_ARM64_LDRXui)
        low <<= 3;
    else if ((instruction >> 22 & 3) == 1)
        low <<= 12;
    *vm = (info->adrp_pc & ~(uint64_t)0xfff) + (pages << 12) + low;
    return true;
}

static void look_up_arm64(struct disasm_info *info, uint64_t value, uint64_t *type, uint64_t pc,
                          const char **name)
{
    const uint64_t asked = *type;
    *type = LLVMDisassembler_ReferenceType_InOut_None;
    if (asked == LLVMDisassembler_ReferenceType_In_ARM64_ADRP) {
        info->depends = true;
        info->adrp = (uint32_t)value;
        info->adrp_pc = pc;
        return;
    }
    if (asked == LLVMDisassembler_ReferenceType_In_ARM64_ADDXri ||
        asked == LLVMDisassembler_ReferenceType_In_ARM64_LDRXui) {
        if (!join_adrp(info, asked, (uint32_t)value, pc, &value))
            return;
    }
    info->depends = true;
    *name = disasm_literal(info, value, pc, type);
    if (!*name)
        *type = LLVMDisassembler_ReferenceType_InOut_None;
}

const char *disasm_look_up(void *opaque, uint64_t value, uint64_t *type, uint64_t pc,
                           const char **name)
{
    struct disasm_info *info = opaque;
    const uint64_t asked = *type;
    const bool branch = asked == LLVMDisassembler_ReferenceType_In_Branch;
    const bool load = asked == LLVMDisassembler_ReferenceType_In_PCrel_Load;
    *name = NULL;
    info->depends = info->depends || branch || load;
    if (asked >= LLVMDisassembler_ReferenceType_In_ARM64_ADRP &&
        asked <= LLVMDisassembler_ReferenceType_In_ARM64_ADR) {
        if (info->symbolic) {
            look_up_arm64(info, value, type, pc, name);
        } else {
            *type = LLVMDisassembler_ReferenceType_InOut_None;
            info->depends = true;
        }
        return NULL;
    }
    *type = LLVMDisassembler_ReferenceType_InOut_None;
    if (!info->symbolic)
        return NULL;
    const char *symbol = disasm_symbol_at(info->symbols, value);
    if (branch)
        *name = disasm_indirect(info, value);
    else if (load)
        *name = disasm_literal(info, value, pc, type);
    if (*name) {
        if (branch)
            *type = LLVMDisassembler_ReferenceType_Out_SymbolStub;
        put_message(info, type, name);
    } else {
        *type = LLVMDisassembler_ReferenceType_InOut_None;
        if (!load)
            add_demangled(info, symbol, type, name);
    }
    return symbol;
}
