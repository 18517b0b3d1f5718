/**
 * llvm/disasm_demangle.h: LLVM's C++ demangler, which llvm-c has no call for.
 */
#ifndef MS_LLVM_DISASM_DEMANGLE_H
#define MS_LLVM_DISASM_DEMANGLE_H

#ifdef __cplusplus
extern "C" {
#endif

/** The readable form of "_Z…", malloc'ed; NULL when it is no such name. */
char *disasm_demangle(const char *mangled);

#ifdef __cplusplus
}
#endif
#endif
