/*
 * common/input.h: a whole input file in memory: mapped when it is a regular file, read
 * when it is a pipe or "-".
 */
#ifndef MACHSYM_CLI_INPUT_H
#define MACHSYM_CLI_INPUT_H

#include "machsym/macho.h"

struct input {
    struct ms_bytes bytes;
    const char *name;      /* for messages: the path, or "standard input" */
    struct ms_file *file;  /* mapped, or NULL */
    char *copy;            /* read, or NULL */
};

/*
 * Opens `path` ("-" = standard input). An empty file is no error: bytes.n is 0.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int input_open(struct input *input, const char *path);
void input_close(struct input *input);

/* False, after having complained, when the file was truncated while it was read. */
bool input_intact(const struct input *input);

#endif
