#include "llvm/disasm_demangle.h"

#include <llvm/Demangle/Demangle.h>

char *disasm_demangle(const char *mangled)
{
    return llvm::itaniumDemangle(mangled);
}
