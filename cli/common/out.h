/*
 * common/out.h: where answers go: stdout, or a file that appears whole or not at all.
 */
#ifndef MACHSYM_CLI_OUT_H
#define MACHSYM_CLI_OUT_H

#include "machsym/output.h"

#include <stdbool.h>

/* A buffered sink; its owner is whoever opened it. */
struct out {
    struct ms_sink sink;  /* write here */
    int fd;
    int failed_with;      /* errno of the write that failed */
    char *temporary;      /* file to rename to `path`, NULL for stdout and devices */
    char *path;           /* where links lead; NULL = stdout */
    char buffer[65536];
};

/* Standard output. Never fails. */
void out_stdout(struct out *out);

/*
 * Opens the file `name` for writing. A regular file is written beside its place and moved
 * there by out_finish; a device or a pipe is written straight. "-" is stdout. Where `name` is
 * a link, the file that it leads to is written and the link stays.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int out_open(struct out *out, const char *name);

/* Hands everything written so far to the system, so that a reader sees it. */
void out_flush(struct out *out);

/*
 * Ends the output. With `keep` false, or after a failed write, a file is not put in place.
 * Returns `status`, or EXIT_SYSTEM after having complained that it could not be written.
 */
int out_finish(struct out *out, int status, bool keep);

/* True when the two paths name the same existing file. */
bool same_file(const char *a, const char *b);

#endif
