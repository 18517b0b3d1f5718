/*
 * common/memory.h: the option --max-mem, how much memory a command may use beside the pages of the
 * files that it maps.
 */
#ifndef MACHSYM_CLI_MEMORY_H
#define MACHSYM_CLI_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

#define MAX_MEM_WRONG "--max-mem needs a size such as 64M, 1G, 512K or a number of bytes"
#define MAX_MEM_HELP "use no more memory, beside mapped files; 64M, 1G"

/* Reads the option's word, NULL when it wasn't given: *bytes is 0 then. False for what is no size.
 */
bool memory_read(const char *word, size_t *bytes);

/*
 * Makes the system refuse more, where it can (Linux): then whatever doesn't fit ends with a message
 * and exit status 3. Does nothing with 0 bytes. *n_workers, threads that may run or 0 for one a
 * processor, becomes less where their stacks would take too much of it.
 */
void memory_limit(const char *word, size_t bytes, size_t *n_workers);

#endif
