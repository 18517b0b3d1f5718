#include "runtime/code_refs.h"

#include "base/cursor.h"

struct scan {
    struct ms_fixups *fixups;
    ms_code_ref_taker take;
    void *owner;
};

bool ms_code_refs_known(const struct ms_macho *macho)
{
    return macho->cputype == MS_CPU_ARM64 || macho->cputype == MS_CPU_ARM64_32 ||
           macho->cputype == MS_CPU_X86_64;
}

static bool tell(const struct scan *scan, enum ms_ref_kind kind, uint64_t at_vm, uint64_t target_vm)
{
    struct ms_code_ref ref = {kind, at_vm, target_vm, NULL};
    return scan->take(scan->owner, &ref);
}

/*
 * Code loads the pointer at `slot_vm`: tells of what that leads to. *known: whether the register
 * has an address of this image then, *out.
 */
static bool tell_slot(const struct scan *scan, uint64_t at_vm, uint64_t slot_vm, bool *known,
                      uint64_t *out)
{
    struct ms_slot slot;
    struct ms_error ignored;
    *known = false;
    if (slot_vm % ms_fixups_pointer_bytes(scan->fixups))
        return true;
    enum ms_status status = ms_fixups_read(scan->fixups, slot_vm, &slot, &ignored);
    if (status != MS_OK)
        return status != MS_E_NOMEM;
    struct ms_code_ref ref = {MS_REF_SLOT, at_vm, slot.target_vm, NULL};
    if (slot.kind == MS_SLOT_BIND && slot.addend == 0) {
        ref.symbol = slot.name;
        return scan->take(scan->owner, &ref);
    }
    if (slot.kind != MS_SLOT_REBASE)
        return true;
    *known = true;
    *out = slot.target_vm;
    return scan->take(scan->owner, &ref);
}

/* ---- arm64 ----------------------------------------------------------------------------------- */

/* What is known of the registers on a straight way through the code. */
struct registers {
    bool known[32];
    uint64_t value[32];
};

static int64_t sign_extend(uint64_t value, unsigned n_bits)
{
    uint64_t sign = (uint64_t)1 << (n_bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

static void forget_call(struct registers *r)
{
    for (unsigned i = 0; i <= 18; i++) /* the callee may change these; Arm's calling convention */
        r->known[i] = false;
    r->known[30] = false;
}

/* ADR, ADRP. */
static bool run_adr(const struct scan *scan, struct registers *r, uint32_t w, uint64_t pc)
{
    unsigned rd = w & 31;
    uint64_t imm = (uint64_t)sign_extend((w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3), 21);
    r->known[rd] = true;
    if (w >> 31) {
        r->value[rd] = (pc & ~(uint64_t)0xfff) + (imm << 12);
        return true; /* a page says nothing yet */
    }
    r->value[rd] = pc + imm;
    return tell(scan, MS_REF_ADDRESS, pc, r->value[rd]);
}

/* ADD Xd, Xn, #imm. */
static bool run_add(const struct scan *scan, struct registers *r, uint32_t w, uint64_t pc)
{
    unsigned rd = w & 31, rn = w >> 5 & 31;
    uint64_t imm = (uint64_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);
    r->known[rd] = r->known[rn];
    r->value[rd] = r->value[rn] + imm;
    return !r->known[rd] || tell(scan, MS_REF_ADDRESS, pc, r->value[rd]);
}

/* LDR and STR of one register with an offset. */
static bool run_access(const struct scan *scan, struct registers *r, uint32_t w, uint64_t pc)
{
    unsigned rt = w & 31, rn = w >> 5 & 31, size = w >> 30, opc = w >> 22 & 3;
    bool is_vector = w >> 26 & 1, is_unscaled = !(w >> 24 & 1);
    unsigned scale = is_vector && opc & 2 ? 4 : size;
    uint64_t offset = is_unscaled ? (uint64_t)sign_extend(w >> 12 & 0x1ff, 9)
                                  : (uint64_t)(w >> 10 & 0xfff) << scale;
    uint64_t address = r->value[rn] + offset;
    bool known = r->known[rn];
    bool is_store = opc == 0 || (is_vector && opc == 2);
    if (!is_vector && !is_store)
        r->known[rt] = false;
    if (!known)
        return true;
    if (!tell(scan, is_store ? MS_REF_WRITE : MS_REF_READ, pc, address))
        return false;
    bool is_pointer =
        !is_vector && opc == 1 && (1u << size) == ms_fixups_pointer_bytes(scan->fixups);
    return !is_pointer || tell_slot(scan, pc, address, &r->known[rt], &r->value[rt]);
}

/* LDP and STP with an offset. */
static bool run_pair(const struct scan *scan, struct registers *r, uint32_t w, uint64_t pc)
{
    unsigned rt = w & 31, rt2 = w >> 10 & 31, rn = w >> 5 & 31;
    bool is_vector = w >> 26 & 1;
    unsigned scale = is_vector ? 2 + (w >> 30) : 2 + (w >> 31);
    uint64_t address = r->value[rn] + ((uint64_t)sign_extend(w >> 15 & 0x7f, 7) << scale);
    bool known = r->known[rn];
    bool is_store = !(w >> 22 & 1);
    if (!is_vector && !is_store)
        r->known[rt] = r->known[rt2] = false;
    return !known || tell(scan, is_store ? MS_REF_WRITE : MS_REF_READ, pc, address);
}

static bool run_arm64(const struct scan *scan, struct registers *r, uint32_t w, uint64_t pc)
{
    if ((w & 0x1f000000) == 0x10000000)
        return run_adr(scan, r, w, pc);
    if ((w & 0x7f800000) == 0x11000000)
        return run_add(scan, r, w, pc);
    if ((w & 0x3b000000) == 0x39000000 || (w & 0x3b200c00) == 0x38000000)
        return run_access(scan, r, w, pc);
    if ((w & 0x3b800000) == 0x29000000)
        return run_pair(scan, r, w, pc);
    if ((w & 0x7fe0ffe0) == 0x2a0003e0) { /* MOV Xd, Xm */
        r->known[w & 31] = r->known[w >> 16 & 31];
        r->value[w & 31] = r->value[w >> 16 & 31];
        return true;
    }
    if ((w & 0x7c000000) == 0x14000000) { /* B, BL */
        uint64_t target = pc + ((uint64_t)sign_extend(w & 0x3ffffff, 26) << 2);
        if (w >> 31)
            forget_call(r);
        return tell(scan, MS_REF_CALL, pc, target);
    }
    if ((w & 0xfe000000) == 0xd6000000) /* BR, BLR and their signed likes */
        forget_call(r);
    else if ((w & 0x1c000000) == 0x10000000 || (w & 0x0e000000) == 0x0a000000)
        r->known[w & 31] = false; /* arithmetic */
    else if ((w & 0x0a000000) == 0x08000000)
        r->known[w & 31] = false; /* other loads */
    return true;
}

static bool scan_arm64(const struct scan *scan, struct ms_bytes code, uint64_t vm)
{
    struct registers registers;
    memset(&registers, 0, sizeof registers);
    for (size_t at = 0; code.n - at >= 4; at += 4) {
        registers.known[31] = false; /* zero, or the stack */
        if (!run_arm64(scan, &registers, ms_load_u32(code.at + at, false), vm + at))
            return false;
    }
    return true;
}

/* ---- x86_64 ---------------------------------------------------------------------------------- */

/* How many bytes of an immediate follow the displacement, by the opcode before it. */
static unsigned immediate_bytes(const uint8_t *opcode, bool has_prefix)
{
    switch (*opcode) {
    case 0xc6:
    case 0x80:
    case 0x83:
    case 0xc0:
    case 0xc1:
        return 1;
    case 0xc7:
    case 0x81:
    case 0x69:
        return has_prefix && opcode[-1] == 0x66 ? 2 : 4;
    }
    return 0;
}

/* MOV to memory, of general and of vector registers, and LEA; all else reads. */
static enum ms_ref_kind kind_of(const uint8_t *opcode, bool has_prefix)
{
    bool is_store = *opcode == 0x88 || *opcode == 0x89 || *opcode == 0xc6 || *opcode == 0xc7;
    if (has_prefix && opcode[-1] == 0x0f)
        is_store = *opcode == 0x11 || *opcode == 0x13 || *opcode == 0x17 || *opcode == 0x29 ||
                   *opcode == 0x7e || *opcode == 0x7f || *opcode == 0xd6;
    else if (*opcode == 0x8d)
        return MS_REF_ADDRESS;
    return is_store ? MS_REF_WRITE : MS_REF_READ;
}

/*
 * Instructions have no fixed size, so every byte could begin a displacement. What isn't one leads
 * to an address that nobody asks for.
 */
static bool scan_x86_64(const struct scan *scan, struct ms_bytes code, uint64_t vm)
{
    for (size_t at = 1; code.n >= 5 && at <= code.n - 4; at++) {
        const uint8_t *p = code.at + at;
        uint64_t next = vm + at + 4;
        uint64_t offset = (uint64_t)(int64_t)(int32_t)ms_load_u32(p, false);
        if ((p[-1] == 0xe8 || p[-1] == 0xe9) && !tell(scan, MS_REF_CALL, vm + at, next + offset))
            return false;
        if (at < 2 || (p[-1] & 0xc7) != 0x05) /* relative to the instruction that follows */
            continue;
        uint64_t target = next + offset + immediate_bytes(p - 2, at > 2), loaded;
        bool known;
        if (!tell(scan, kind_of(p - 2, at > 2), vm + at, target))
            return false;
        if (p[-2] == 0x8b && !tell_slot(scan, vm + at, target, &known, &loaded))
            return false;
    }
    return true;
}

bool ms_code_refs(const struct ms_macho *macho, struct ms_fixups *fixups, uint64_t vm, uint64_t n,
                  ms_code_ref_taker take, void *owner)
{
    struct scan scan = {fixups, take, owner};
    struct ms_bytes code;
    struct ms_error ignored;
    if (!ms_code_refs_known(macho) || ms_fixups_bytes(fixups, vm, &code, &ignored) != MS_OK)
        return true;
    if (code.n > n)
        code.n = (size_t)n;
    return macho->cputype == MS_CPU_X86_64 ? scan_x86_64(&scan, code, vm)
                                           : scan_arm64(&scan, code, vm);
}
