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
/*
 * The same for a regular file, which is there at once: nothing is waited for, and nothing
 * complained of. MS_ABSENT: it is none, or can't be asked; input_open tells.
 */
enum ms_status input_map(struct input *input, const char *path, struct ms_error *err);
void input_close(struct input *input);

/*
 * For what is opened by its name, perhaps twice or by a helper program: *word, which a command line
 * has for a FILE, becomes a path to open. "-" is standard input, mapped where it is a file, else
 * copied into one that has no name; all of its uses are the same file.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int input_path(const char **word);

/* How answers call a path that input_path may have made: "-" for standard input. */
const char *input_shown(const char *path);

/* Is it "-"? NULL isn't. */
bool input_is_standard(const char *word);

/* False, after having complained, when the file was truncated while it was read. */
bool input_intact(const struct input *input);

#endif
