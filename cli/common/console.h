/*
 * common/console.h: messages and exit statuses, the same for every command.
 */
#ifndef MACHSYM_CLI_CONSOLE_H
#define MACHSYM_CLI_CONSOLE_H

#include "machsym/error.h"

#include <stdbool.h>

enum {
    EXIT_DONE = 0,
    EXIT_NO = 1,     /* the answer is "no": a mismatch, --strict and something unresolved */
    EXIT_USAGE = 2,
    EXIT_INPUT = 3,  /* an input that is missing, unreadable or malformed */
    EXIT_SYSTEM = 4  /* memory, disk */
};

/* Sets the command's name and puts the process in order; args_parse calls it. */
void console_start(const char *command);

/* "machsym CMD: message" on stderr. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same with "warning: " before the message. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* From now on messages say "standard input" where they have `path`, which stands in for it. */
void console_stand_in(const char *path);
/* Is there such a path? */
bool console_has_stand_in(void);
/* Prints a line as it stands, but for that path. */
void console_line(const char *line);
/* Prints the error and returns the exit status that it stands for. */
int complain_error(const struct ms_error *error);
int exit_for(enum ms_status status);
/* Says that memory is out and returns the exit status that it stands for: within --max-mem, that of
 * an input that needs more. */
int complain_memory(void);
/* From now on no more than `size`, a word of the command line, may be used. */
void console_limit_memory(const char *size);

/*
 * After a read or write that failed: true when it is to be tried again, since a signal came in
 * between, or since whoever shares the descriptor has made it non-blocking; then this has
 * waited until it can be read or written.
 */
bool console_wait(int fd, bool to_write);

/* Ends what was printed with stdio. Returns `status`, or EXIT_SYSTEM after having complained. */
int console_end(int status);

/* The higher of two exit statuses: with several inputs the worst one counts. */
int worse(int a, int b);

/* Whether to colour what goes to this descriptor: a terminal, and no NO_COLOR. */
bool console_colour(int fd);

#endif
