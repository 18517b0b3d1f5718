/*
 * common/timings.h: a log of how long functions took: lines of an address and milliseconds.
 */
#ifndef MACHSYM_CLI_TIMINGS_H
#define MACHSYM_CLI_TIMINGS_H

#include <stddef.h>
#include <stdint.h>

struct timing {
    uint64_t address;
    uint64_t nanoseconds;
};

struct timings {
    struct timing *items; /* in the order of the file */
    size_t n, room;
};

/*
 * Reads "ADDRESS MILLISECONDS" a line: the address as parse_address takes it, a number with or
 * without a fraction, and perhaps "ms" behind it. Between them are blanks, tabs, a comma, a colon
 * or a semicolon. Empty lines, and what follows a '#', don't count; what else isn't such a line
 * is warned of.
 * Returns EXIT_DONE, or an exit status after having complained: EXIT_INPUT also for a file
 * without any such line.
 */
int timings_read(struct timings *timings, const char *path);
void timings_fini(struct timings *timings);

#endif
