/*
 * common/code.h: instructions, which LLVM's helper program writes, and the source lines of an
 * address.
 */
#ifndef MACHSYM_CLI_CODE_H
#define MACHSYM_CLI_CODE_H

#include "common/out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which code of which image. */
struct code_request {
    const char *path; /* a plain file */
    uint64_t off, n;  /* where the image lies in it */
    size_t section;   /* index of the section */
    uint64_t section_bytes;
    bool symbolic, bare, opcodes;
    const char *from; /* begin at this symbol; NULL */
    const char *cpu;  /* ARM's instructions of this processor alone; NULL: all */
    bool has_start, has_stop, has_mark;
    uint64_t start, stop; /* addresses as linked, half-open */
    uint64_t mark;        /* the line of this address is marked */
};

/*
 * Writes it to `out`. Returns EXIT_DONE, or an exit status after having complained.
 */
int code_show(const struct code_request *request, struct out *out);

/*
 * Writes where the address is in the source: each level of inlining, innermost first, and the
 * lines around it where the file can be read. Returns as code_show. With
 * `json` the members "why" and "frames" of the object that is open instead.
 */
int code_sources(const char *path, const char *arch, uint64_t address_vm, struct out *out,
                 struct ms_json *json);

#endif
