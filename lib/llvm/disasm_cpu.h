/**
 * llvm/disasm_cpu.h: which processors LLVM knows, which llvm-c doesn't tell.
 */
#ifndef MS_LLVM_DISASM_CPU_H
#define MS_LLVM_DISASM_CPU_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** False too when LLVM has no such target; its target must be initialized. */
bool disasm_cpu_known(const char *triple, const char *cpu);

#ifdef __cplusplus
}
#endif

#endif
