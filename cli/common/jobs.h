/*
 * common/jobs.h: the option -j, how many threads a command may use.
 */
#ifndef MACHSYM_CLI_JOBS_H
#define MACHSYM_CLI_JOBS_H

#include <stdbool.h>
#include <stddef.h>

#define JOBS_WRONG "-j needs a number from 1 to 64"
#define JOBS_HELP "threads to use; without it one a processor"

/* Reads the option's word, NULL when it wasn't given: *n is 0 then, which means one a processor.
 * False for what is no number from 1 to 64. */
bool jobs_read(const char *word, size_t *n);

#endif
