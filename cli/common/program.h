/*
 * common/program.h: the programs that belong together: the commands, and the helpers that
 * hold heavy libraries and may die on a damaged file without taking the command along.
 */
#ifndef MACHSYM_CLI_PROGRAM_H
#define MACHSYM_CLI_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The path of machsym-NAME: beside this program, or in ../libexec/machsym of an
 * installation. Writes a NUL-terminated path of at most `room` bytes; false, after having
 * complained, when there is none.
 */
bool program_find(const char *name, char *path, size_t room);

/* How a helper ended. */
struct helper_end {
    int status; /* its exit status; -1 when a signal ended it */
    int signal; /* that signal */
};

/* Takes n bytes of what the helper printed; false stops it. */
typedef bool helper_text(void *to, const char *bytes, size_t n);

/*
 * Runs machsym-helper-NAME with `arguments` (NULL-terminated, without the program's name)
 * under limits of processor time and memory, and hands what it prints to `take`; NULL: it
 * prints to our standard output, into which nothing may be pending. From its second run on the
 * program stays until we end, and each run is a child of it, under the same limits.
 * Returns EXIT_DONE with *end filled, or an exit status after having complained.
 */
int helper_run(const char *name, const char *const *arguments, unsigned cpu_seconds,
               uint64_t memory_bytes, helper_text *take, void *to, struct helper_end *end);

#endif
