/*
 * llvm/disasm_operand.c: operands that a relocation names, in objects and in kernel extensions.
 */
#include "llvm/disasm_parts.h"

#include <llvm-c/DisassemblerTypes.h>

/* mach-o/reloc.h, mach-o/x86_64/reloc.h, mach-o/arm64/reloc.h, mach-o/arm/reloc.h */
enum {
    GENERIC_SECTDIFF = 2,
    GENERIC_LOCAL_SECTDIFF = 4,
    X86_64_UNSIGNED = 0,
    X86_64_SUBTRACTOR = 5,
    ARM64_PAGE21 = 3,
    ARM64_PAGEOFF12 = 4,
    ARM64_GOT_PAGE21 = 5,
    ARM64_GOT_PAGEOFF12 = 6,
    ARM64_TLVP_PAGE21 = 8,
    ARM64_TLVP_PAGEOFF12 = 9,
    ARM64_ADDEND = 10,
    ARM_SECTDIFF = 2,
    ARM_LOCAL_SECTDIFF = 3,
    ARM_BR24 = 5,
    ARM_THUMB_BR22 = 6,
    ARM_HALF = 8,
    ARM_HALF_SECTDIFF = 9
};

static void name_or_value(const struct disasm_info *info, uint32_t vm,
                          struct LLVMOpInfoSymbol1 *out)
{
    out->Present = 1;
    out->Name = disasm_symbol_at(info->symbols, vm);
    if (!out->Name)
        out->Value = vm;
}

static int difference(const struct disasm_info *info, uint64_t value, uint32_t plus, uint32_t minus,
                      struct LLVMOpInfo1 *out)
{
    name_or_value(info, plus, &out->AddSymbol);
    name_or_value(info, minus, &out->SubtractSymbol);
    out->Value = (uint64_t)(int64_t)(int32_t)(value - (plus - minus));
    return 1;
}

static int of_i386(const struct disasm_info *info, const struct disasm_relocation *reloc,
                   uint64_t index, struct LLVMOpInfo1 *out)
{
    struct disasm_relocation pair;
    if (reloc->external) {
        out->AddSymbol.Name = disasm_symbol_name(info->macho, reloc->symbol);
        out->AddSymbol.Present = out->AddSymbol.Name != NULL;
        return out->AddSymbol.Name != NULL;
    }
    if (reloc->scattered &&
        (reloc->type == GENERIC_SECTDIFF || reloc->type == GENERIC_LOCAL_SECTDIFF) &&
        disasm_relocation(info->relocs, index + 1, &pair) && pair.scattered)
        return difference(info, out->Value, reloc->value, pair.value, out);
    return 0;
}

static int of_x86_64(const struct disasm_info *info, const struct disasm_relocation *reloc,
                     uint64_t index, uint64_t end_pc, struct LLVMOpInfo1 *out)
{
    struct disasm_relocation next;
    const char *name = disasm_symbol_name(info->macho, reloc->symbol);
    if (!reloc->external || !name)
        return 0;
    if (reloc->pcrel)
        out->Value -= end_pc;
    if (!info->relocs->external && reloc->type == X86_64_SUBTRACTOR &&
        disasm_relocation(info->relocs, index + 1, &next) && next.type == X86_64_UNSIGNED &&
        next.external) {
        out->SubtractSymbol.Present = 1;
        out->SubtractSymbol.Name = name;
        name = disasm_symbol_name(info->macho, next.symbol);
    }
    out->AddSymbol.Name = name;
    out->AddSymbol.Present = name != NULL;
    return name != NULL;
}

static int of_arm64(const struct disasm_info *info, const struct disasm_relocation *reloc,
                    uint64_t index, struct LLVMOpInfo1 *out)
{
    struct disasm_relocation own = *reloc, next;
    if (reloc->type == ARM64_ADDEND) {
        /* The addend's entry stands before the one that it belongs to. */
        if (!disasm_relocation(info->relocs, index + 1, &next))
            return 0;
        if (out->Value == 0)
            out->Value = reloc->symbol;
        own = next;
    }
    const char *name = disasm_symbol_name(info->macho, own.symbol);
    if (!own.external || !name)
        return 0;
    out->AddSymbol.Present = 1;
    out->AddSymbol.Name = name;
    switch (own.type) {
    case ARM64_PAGE21:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_PAGE;
        break;
    case ARM64_PAGEOFF12:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_PAGEOFF;
        break;
    case ARM64_GOT_PAGE21:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_GOTPAGE;
        break;
    case ARM64_GOT_PAGEOFF12:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_GOTPAGEOFF;
        break;
    case ARM64_TLVP_PAGE21:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_TLVP;
        break;
    case ARM64_TLVP_PAGEOFF12:
        out->VariantKind = LLVMDisassembler_VariantKind_ARM64_TLVOFF;
        break;
    }
    return 1;
}

/* The 32-bit value of which an instruction holds one half, its relocation's pair the other. */
static uint64_t join_half(const struct disasm_relocation *reloc, uint64_t value, uint32_t other)
{
    return reloc->length & 1 ? value << 16 | other : (uint64_t)other << 16 | value;
}

static int of_arm(const struct disasm_info *info, const struct disasm_relocation *reloc,
                  uint64_t index, struct LLVMOpInfo1 *out)
{
    struct disasm_relocation pair = {0};
    const bool half = reloc->type == ARM_HALF || reloc->type == ARM_HALF_SECTDIFF;
    const uint64_t kind = reloc->length & 1 ? LLVMDisassembler_VariantKind_ARM_HI16
                                            : LLVMDisassembler_VariantKind_ARM_LO16;
    if (half || reloc->type == ARM_SECTDIFF || reloc->type == ARM_LOCAL_SECTDIFF)
        (void)disasm_relocation(info->relocs, index + 1, &pair);
    if (reloc->external) {
        const char *name = disasm_symbol_name(info->macho, reloc->symbol);
        if (!name)
            return 0;
        out->AddSymbol.Present = 1;
        out->AddSymbol.Name = name;
        if (reloc->type == ARM_HALF) {
            out->Value = join_half(reloc, out->Value, pair.address & 0xffff);
            out->VariantKind = kind;
        }
        return 1;
    }
    if (reloc->type == ARM_BR24 || reloc->type == ARM_THUMB_BR22)
        return 0;
    uint64_t value = half ? join_half(reloc, out->Value, pair.address & 0xffff) : out->Value;
    if (half)
        out->VariantKind = kind;
    if (reloc->type == ARM_HALF_SECTDIFF)
        return difference(info, value, reloc->value, pair.value, out);
    out->Value = 0;
    if (reloc->scattered && !half) {
        out->Value = (uint32_t)(value - reloc->value);
        value = reloc->value;
    }
    name_or_value(info, (uint32_t)value, &out->AddSymbol);
    return 1;
}

int disasm_operand(void *opaque, uint64_t pc, uint64_t offset, uint64_t operand_bytes,
                   uint64_t bytes, int tag, void *to)
{
    struct disasm_info *info = opaque;
    struct LLVMOpInfo1 *out = to;
    const uint64_t value = out->Value;
    memset(out, 0, sizeof *out);
    out->Value = value;
    if (tag != 1 || !info->symbolic || !info->relocs->n || operand_bytes > 8)
        return 0;
    const uint32_t cpu = info->macho->cputype;
    const bool arm = cpu != MS_CPU_I386 && cpu != MS_CPU_X86_64;
    /* Only kexts of x86_64 keep relocations that a linked image's code can be asked for. */
    if (info->relocs->external ? cpu != MS_CPU_X86_64 : false)
        return 0;
    if (arm && offset != 0)
        return 0;
    uint64_t at = pc + offset - (info->relocs->external ? 0 : info->section->vm);
    const struct disasm_reloc *found = disasm_reloc_at(info->relocs, at);
    struct disasm_relocation reloc;
    if (!found || !disasm_relocation(info->relocs, found->index, &reloc))
        return 0;
    info->depends = true;
    switch (cpu) {
    case MS_CPU_I386:
        return of_i386(info, &reloc, found->index, out);
    case MS_CPU_X86_64:
        return of_x86_64(info, &reloc, found->index, pc + bytes, out);
    case MS_CPU_ARM:
        return of_arm(info, &reloc, found->index, out);
    }
    return of_arm64(info, &reloc, found->index, out);
}
