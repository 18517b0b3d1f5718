/*
 * machsym-helper-llvm: what machsym asks of LLVM, in a process that may die.
 *   machsym-helper-llvm verify FILE UUID
 * Exit status: 0 clean, 1 errors were printed, 3 the file can't be read (said on stderr).
 */
#include "llvm/llvm_dwarf.h"
#include "machsym/types.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct ms_uuid uuid;
    char message[300] = "";
    if (argc != 4 || strcmp(argv[1], "verify") != 0 ||
        !ms_uuid_parse(argv[3], strlen(argv[3]), &uuid)) {
        fprintf(stderr, "usage: machsym-helper-llvm verify FILE UUID\n");
        return 2;
    }
    switch (ms_llvm_verify(argv[2], uuid.byte, message, sizeof message)) {
    case MS_LLVM_CLEAN:
        return 0;
    case MS_LLVM_ERRORS:
        return 1;
    case MS_LLVM_UNREADABLE:
        break;
    }
    fprintf(stderr, "machsym-helper-llvm: %s: %s\n", argv[2], message);
    return 3;
}
