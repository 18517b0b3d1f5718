#include "common/input.h"

#include "common/console.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* More than any report; a pipe that never ends must not take all memory. */
#define MAX_PIPED ((size_t)1 << 30)

static int read_all(struct input *input, int fd)
{
    size_t n = 0, room = 0;
    for (;;) {
        if (n == room) {
            room = room ? room * 2 : 65536;
            char *larger = n < MAX_PIPED ? realloc(input->copy, room) : NULL;
            if (!larger) {
                complain(n < MAX_PIPED ? "out of memory" : "%s: more than 1 GiB", input->name);
                return n < MAX_PIPED ? EXIT_SYSTEM : EXIT_INPUT;
            }
            input->copy = larger;
        }
        ssize_t got = read(fd, input->copy + n, room - n);
        if (got < 0 && console_wait(fd, false))
            continue;
        if (got < 0) {
            complain("%s: cannot be read: %s", input->name, strerror(errno));
            return EXIT_INPUT;
        }
        if (got == 0)
            break;
        n += (size_t)got;
    }
    input->bytes.at = (const uint8_t *)input->copy;
    input->bytes.n = n;
    return EXIT_DONE;
}

int input_open(struct input *input, const char *path)
{
    memset(input, 0, sizeof *input);
    bool standard = strcmp(path, "-") == 0;
    input->name = standard ? "standard input" : path;
    struct stat st;
    if (!standard && stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
        if (st.st_size == 0)
            return EXIT_DONE;
        struct ms_error err;
        if (ms_file_open(path, &input->file, &err) != MS_OK)
            return complain_error(&err);
        input->bytes = ms_file_bytes(input->file);
        return EXIT_DONE;
    }
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: %s", path, strerror(errno));
        return EXIT_INPUT;
    }
    int status = read_all(input, fd);
    if (!standard)
        close(fd);
    if (status != EXIT_DONE) {
        free(input->copy);
        input->copy = NULL;
    }
    return status;
}

void input_close(struct input *input)
{
    ms_file_close(input->file);
    free(input->copy);
    memset(input, 0, sizeof *input);
}

bool input_intact(const struct input *input)
{
    if (!input->file || !ms_file_torn(input->file))
        return true;
    complain("%s: was truncated while it was read", input->name);
    return false;
}
