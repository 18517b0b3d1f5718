/**
 * runtime/code_refs.h: which addresses the code of a function names: calls, and data that it
 * reads, writes or passes on. No disassembler: the few forms that compilers use for that.
 */
#ifndef MS_RUNTIME_CODE_REFS_H
#define MS_RUNTIME_CODE_REFS_H

#include "macho/fixups.h"

enum ms_ref_kind {
    MS_REF_CALL, /* a call, or a jump to another function */
    MS_REF_READ, /* reads what is there, or reads and writes it */
    MS_REF_WRITE,
    MS_REF_ADDRESS, /* takes its address */
    MS_REF_SLOT     /* loads its address from a slot, for whatever is done with it then */
};

struct ms_code_ref {
    enum ms_ref_kind kind;
    uint64_t at_vm;     /* in the instruction */
    uint64_t target_vm; /* meaningless with a symbol */
    const char *symbol; /* of a SLOT: what it is bound to; else NULL */
};

/** Gets each reference in the order of the code; false stops. */
typedef bool (*ms_code_ref_taker)(void *owner, const struct ms_code_ref *ref);

/** True for the architectures whose code is understood: arm64 of all kinds, x86_64. */
bool ms_code_refs_known(const struct ms_macho *macho);

/**
 * Goes through n bytes of code. A pointer that the code loads from a slot of the image which
 * holds an address (of a global offset table) is followed to it, or to the symbol it is bound to.
 * Code that isn't in the file names nothing.
 * @return false when `take` stopped it, or memory ran out
 */
bool ms_code_refs(const struct ms_macho *macho, struct ms_fixups *fixups, uint64_t vm, uint64_t n,
                  ms_code_ref_taker take, void *owner);

#endif
