#include "common/input.h"

#include "common/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
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
                if (n < MAX_PIPED)
                    return complain_memory();
                complain("%s: more than 1 GiB", input->name);
                return EXIT_INPUT;
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

enum ms_status input_map(struct input *input, const char *path, struct ms_error *err)
{
    struct stat st;
    memset(input, 0, sizeof *input);
    input->name = path;
    if (strcmp(path, "-") == 0 || stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return MS_ABSENT;
    if (st.st_size == 0)
        return MS_OK;
    enum ms_status status = ms_file_open(path, &input->file, err);
    if (status == MS_OK)
        input->bytes = ms_file_bytes(input->file);
    return status;
}

int input_open(struct input *input, const char *path)
{
    struct ms_error err;
    enum ms_status mapped = input_map(input, path, &err);
    if (mapped != MS_ABSENT)
        return mapped == MS_OK ? EXIT_DONE : complain_error(&err);
    bool standard = strcmp(path, "-") == 0;
    if (standard)
        input->name = "standard input";
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: cannot be opened: %s", path, strerror(errno));
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

/* ---- standard input by a name ------------------------------------------------------------ */

static char stand_in[32]; /* "/dev/fd/3", once it is needed */

/* A file without a name, which no signal can leave behind. */
static int nameless_file(void)
{
    const char *folder = getenv("TMPDIR");
    char name[4096];
    sigset_t all, before;
    int n = snprintf(name, sizeof name, "%s/machsym-XXXXXX", folder && *folder ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int fd = mkstemp(name), number = errno;
    if (fd >= 0)
        unlink(name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return fd;
}

/* Returns a descriptor that helper programs inherit, or -1 after having complained. */
static int keep(const struct input *input)
{
    int fd = nameless_file();
    const uint8_t *at = input->bytes.at;
    for (size_t left = input->bytes.n; fd >= 0 && left;) {
        ssize_t done = write(fd, at, left);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            int number = errno;
            close(fd);
            errno = number;
            fd = -1;
            break;
        }
        at += done;
        left -= (size_t)done;
    }
    if (fd < 0)
        complain("%s: cannot be kept in a temporary file: %s", input->name, strerror(errno));
    return fd;
}

/* Standard input as it is: a file, of which nothing has been read yet, and which opens again. */
static bool is_mappable(void)
{
    struct stat st;
    if (fstat(STDIN_FILENO, &st) != 0 || !S_ISREG(st.st_mode) ||
        lseek(STDIN_FILENO, 0, SEEK_CUR) != 0)
        return false;
    int fd = open("/dev/fd/0", O_RDONLY | O_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static int make_stand_in(void)
{
    int fd = STDIN_FILENO;
    if (!is_mappable()) {
        struct input input;
        int status = input_open(&input, "-");
        if (status != EXIT_DONE)
            return status;
        fd = keep(&input);
        input_close(&input);
        if (fd < 0)
            return EXIT_SYSTEM;
    }
    snprintf(stand_in, sizeof stand_in, "/dev/fd/%d", fd);
    console_stand_in(stand_in);
    return EXIT_DONE;
}

bool input_is_standard(const char *word)
{
    return word && strcmp(word, "-") == 0;
}

int input_path(const char **word)
{
    if (!input_is_standard(*word))
        return EXIT_DONE;
    int status = stand_in[0] ? EXIT_DONE : make_stand_in();
    *word = stand_in;
    return status;
}

const char *input_shown(const char *path)
{
    return path && stand_in[0] && strcmp(path, stand_in) == 0 ? "-" : path;
}

/* ---- the end ----------------------------------------------------------------------------- */

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
