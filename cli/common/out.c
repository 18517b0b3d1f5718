#include "common/out.h"

#include "common/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The unfinished file, for the signals that end us: they must not leave it behind. */
static char *volatile unfinished;

static void on_end(int number)
{
    if (unfinished)
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

static bool write_all(struct out *out, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(out->fd, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            out->failed_with = errno;
            return false;
        }
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

static bool drain(struct out *out)
{
    size_t n = out->n;
    out->n = 0;
    return write_all(out, out->buffer, n);
}

static bool buffered_write(void *to, const char *bytes, size_t n)
{
    struct out *out = to;
    if (n > sizeof out->buffer - out->n && !drain(out))
        return false;
    if (n > sizeof out->buffer)
        return write_all(out, bytes, n);
    memcpy(out->buffer + out->n, bytes, n);
    out->n += n;
    return true;
}

static void start(struct out *out, int fd)
{
    out->sink.write = buffered_write;
    out->sink.to = out;
    out->sink.failed = false;
    out->fd = fd;
    out->failed_with = 0;
    out->n = 0;
    out->temporary = NULL;
    out->path = NULL;
}

void out_stdout(struct out *out)
{
    start(out, STDOUT_FILENO);
}

static int open_beside(struct out *out, const char *path)
{
    size_t room = strlen(path) + sizeof ".XXXXXX";
    char *name = malloc(room);
    if (!name) {
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    snprintf(name, room, "%s.XXXXXX", path);
    int fd = mkstemp(name);
    if (fd < 0) {
        complain("%s: cannot be created: %s", path, strerror(errno));
        free(name);
        return EXIT_SYSTEM;
    }
    start(out, fd);
    /* mkstemp gives 0600; the file should be as readable as any other that the user makes. */
    mode_t mask = umask(0);
    umask(mask);
    struct stat old;
    mode_t mode = stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    fchmod(fd, mode);
    out->temporary = name;
    out->path = path;
    unfinished = name;
    signal(SIGINT, on_end);
    signal(SIGTERM, on_end);
    signal(SIGHUP, on_end);
    return EXIT_DONE;
}

int out_open(struct out *out, const char *path)
{
    if (strcmp(path, "-") == 0) {
        out_stdout(out);
        return EXIT_DONE;
    }
    struct stat st;
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
        return open_beside(out, path);
    if (S_ISDIR(st.st_mode)) {
        complain("%s: is a directory", path);
        return EXIT_USAGE;
    }
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        return EXIT_SYSTEM;
    }
    start(out, fd);
    out->path = path;
    return EXIT_DONE;
}

void out_flush(struct out *out)
{
    if (!out->sink.failed && !drain(out))
        out->sink.failed = true;
}

int out_finish(struct out *out, int status, bool keep)
{
    out_flush(out);
    bool failed = out->sink.failed;
    /* close() is where a network or full disk may say at last that it kept nothing. */
    if (close(out->fd) != 0 && !failed && errno != EINTR) {
        out->failed_with = errno;
        failed = true;
    }
    if (out->temporary && !failed && keep && rename(out->temporary, out->path) != 0) {
        out->failed_with = errno;
        failed = true;
    }
    if (out->temporary && (failed || !keep))
        unlink(out->temporary);
    unfinished = NULL;
    free(out->temporary);
    out->temporary = NULL;
    if (!failed)
        return status;
    complain("%s: cannot be written: %s", out->path ? out->path : "standard output",
             strerror(out->failed_with));
    return EXIT_SYSTEM;
}

bool same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}
