/**
 * llvm/disasm.h: a section's code as text, through llvm-c's Disassembler. Linked by
 * machsym-helper-llvm alone.
 */
#ifndef MS_LLVM_DISASM_H
#define MS_LLVM_DISASM_H

#include "base/error.h"
#include "machsym/macho.h"
#include "machsym/output.h"

/** What is asked for. */
struct disasm_request {
    size_t section;       /* index into the image's sections */
    bool symbolic;        /* -V: operands and comments by name */
    bool bare;            /* -X: no addresses */
    bool opcodes;         /* the instruction's bytes, too */
    const char *from;     /* -p: begin at this symbol; NULL */
    const char *cpu;      /* -mcpu=: as LLVM calls it, not for Intel's; NULL: every instruction */
    bool ranged;          /* start and stop are the user's: headings are of functions */
    uint64_t start, stop; /* addresses, half-open; 0 and all ones: the whole section */
    bool has_mark;
    uint64_t mark; /* this instruction's line begins with "-> ", the others' with blanks */
};

/**
 * Disassembles one section of an image to the sink.
 * @return MS_E_UNSUPPORTED: no disassembler for this architecture; MS_E_ARGUMENT: LLVM knows no
 * such processor; MS_ABSENT: no symbol of that name in the section; MS_E_FORMAT: the section lies
 * outside the file; MS_E_NOMEM
 */
enum ms_status disasm_section(const struct ms_macho *macho, const struct disasm_request *request,
                              struct ms_sink *sink, struct ms_error *err);

#endif
