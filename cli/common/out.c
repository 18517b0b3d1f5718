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

#define TEMPORARY ".machsym-XXXXXX"
enum { MAX_LINKS = 40 }; /* as the system itself allows */

/* The unfinished file, for the signals that end us: they must not leave it behind. */
static char *volatile unfinished;

static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGXCPU};

static void on_end(int number)
{
    if (unfinished)
        unlink(unfinished);
    signal(number, SIG_DFL);
    raise(number);
}

/* Those that the parent has us ignore (nohup) stay ignored. */
static void catch_signals(void)
{
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction old;
        if (sigaction(ending[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            signal(ending[i], on_end);
    }
}

static bool write_all(struct out *out, const char *bytes, size_t n)
{
    while (n) {
        ssize_t done = write(out->fd, bytes, n);
        if (done < 0 && console_wait(out->fd, true))
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

/* Lends the sink the whole buffer. */
static void empty(struct out *out)
{
    out->sink.at = out->buffer;
    out->sink.end = out->buffer + sizeof out->buffer;
}

static bool drain(struct out *out)
{
    if (!out->sink.at) /* somebody else's sink */
        return true;
    size_t n = (size_t)(out->sink.at - out->buffer);
    empty(out);
    return write_all(out, out->buffer, n);
}

/*
 * Everything goes through the buffer, however long: bytes of a mapped report that somebody
 * truncates raise a fault here, which is mended (console.c), where write() would just refuse
 * them as if the output were to blame.
 */
static bool buffered_write(void *to, const char *bytes, size_t n)
{
    struct out *out = to;
    while (n) {
        size_t room = (size_t)(out->sink.end - out->sink.at), part = n < room ? n : room;
        memcpy(out->sink.at, bytes, part);
        out->sink.at += part;
        bytes += part;
        n -= part;
        if (out->sink.at == out->sink.end && !drain(out))
            return false;
    }
    return true;
}

static void start(struct out *out, int fd)
{
    out->sink.write = buffered_write;
    out->sink.to = out;
    out->sink.failed = false;
    out->fd = fd;
    out->failed_with = 0;
    empty(out);
    out->temporary = NULL;
    out->path = NULL;
}

void out_stdout(struct out *out)
{
    start(out, STDOUT_FILENO);
}

/* A name of its own in the folder of `path`: one made of `path` could be too long. */
static char *temporary_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    char *name = malloc(n + sizeof TEMPORARY);
    if (name) {
        memcpy(name, path, n);
        memcpy(name + n, TEMPORARY, sizeof TEMPORARY);
    }
    return name;
}

/* Makes the temporary file, and no signal comes between that and noting that it is there. */
static int make_temporary(char *name)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    int fd = mkstemp(name);
    int number = errno;
    if (fd >= 0) {
        unfinished = name;
        catch_signals();
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return fd;
}

/* Takes `path` over. */
static int open_beside(struct out *out, char *path)
{
    char *name = temporary_name(path);
    if (!name) {
        complain("out of memory");
        free(path);
        return EXIT_SYSTEM;
    }
    int fd = make_temporary(name);
    if (fd < 0) {
        complain("%s: cannot be created: %s", path, strerror(errno));
        free(name);
        free(path);
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
    return EXIT_DONE;
}

/* The file that `path` means, links followed: it is what gets new contents, the links stay.
 * It need not exist. NULL, with errno: out of memory, or the links go in a circle. */
static char *follow_links(const char *path)
{
    char *now = strdup(path);
    for (int i = 0; now; i++) {
        char target[4096];
        ssize_t n = readlink(now, target, sizeof target - 1);
        if (n < 0) /* not a link, or nothing there */
            break;
        if (i == MAX_LINKS) {
            free(now);
            errno = ELOOP;
            return NULL;
        }
        target[n] = 0;
        const char *slash = target[0] == '/' ? NULL : strrchr(now, '/');
        size_t m = slash ? (size_t)(slash - now) + 1 : 0;
        char *next = malloc(m + (size_t)n + 1);
        if (next) {
            memcpy(next, now, m);
            memcpy(next + m, target, (size_t)n + 1);
        }
        free(now);
        now = next;
    }
    return now;
}

int out_open(struct out *out, const char *name)
{
    if (strcmp(name, "-") == 0) {
        out_stdout(out);
        return EXIT_DONE;
    }
    char *path = follow_links(name);
    if (!path) {
        if (errno == ELOOP)
            complain("%s: cannot be written: %s", name, strerror(errno));
        else
            complain("out of memory");
        return EXIT_SYSTEM;
    }
    struct stat st;
    if (stat(path, &st) != 0 || S_ISREG(st.st_mode))
        return open_beside(out, path);
    int status = EXIT_DONE;
    int fd = S_ISDIR(st.st_mode) ? -1 : open(path, O_WRONLY | O_CLOEXEC);
    if (S_ISDIR(st.st_mode)) {
        complain("%s: is a directory", path);
        status = EXIT_USAGE;
    } else if (fd < 0) {
        complain("%s: cannot be written: %s", path, strerror(errno));
        status = EXIT_SYSTEM;
    }
    if (status != EXIT_DONE) {
        free(path);
        return status;
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
    if (failed)
        complain("%s: cannot be written: %s", out->path ? out->path : "standard output",
                 strerror(out->failed_with));
    free(out->path);
    out->path = NULL;
    return failed ? EXIT_SYSTEM : status;
}

bool same_file(const char *a, const char *b)
{
    struct stat left, right;
    return stat(a, &left) == 0 && stat(b, &right) == 0 && left.st_dev == right.st_dev &&
           left.st_ino == right.st_ino;
}
