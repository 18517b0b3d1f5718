#include "llvm/disasm_cpu.h"

#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <memory>
#include <string>

bool disasm_cpu_known(const char *triple, const char *cpu)
{
    std::string message;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
    if (!target)
        return false;
    std::unique_ptr<llvm::MCSubtargetInfo> about(target->createMCSubtargetInfo(triple, "", ""));
    if (!about)
        return false;
    /* "apple-latest" and other second names are given by the target itself. */
    if (about->isCPUStringValid(cpu))
        return true;
    for (const llvm::SubtargetSubTypeKV &one : about->getAllProcessorDescriptions())
        if (std::string(one.Key) == cpu)
            return true;
    return false;
}
