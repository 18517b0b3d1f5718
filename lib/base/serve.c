#include "base/serve.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_FDS = 2, DONE = 0, WRONG = 2, SYSTEM = 4 };

static void limit(int resource, uint64_t value)
{
    struct rlimit now;
    if (getrlimit(resource, &now) == 0 &&
        (now.rlim_cur == RLIM_INFINITY || (uint64_t)now.rlim_cur > value)) {
        now.rlim_cur = (rlim_t)value;
        setrlimit(resource, &now);
    }
}

static bool read_whole(int from, void *to, size_t n)
{
    for (char *at = to; n;) {
        ssize_t got = read(from, at, n);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool answer(int to, int64_t value)
{
    ssize_t n;
    do
        n = write(to, &value, sizeof value);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof value;
}

/* The descriptors come with the request's first byte. False at the end. */
static bool take_request(int from, struct ms_serve_request *request, int fds[N_FDS])
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(N_FDS * sizeof(int))];
    } control;
    struct iovec part = {request, sizeof *request};
    struct msghdr message;
    ssize_t n;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    do
        n = recvmsg(from, &message, 0);
    while (n < 0 && errno == EINTR);
    const struct cmsghdr *sent = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (!sent || sent->cmsg_type != SCM_RIGHTS || sent->cmsg_len != CMSG_LEN(N_FDS * sizeof(int)))
        return false;
    memcpy(fds, CMSG_DATA(sent), N_FDS * sizeof(int));
    return read_whole(from, (char *)request + n, sizeof *request - (size_t)n);
}

/* In the child: never returns. */
static void become(char *program, ms_serve_run *run, char *text,
                   const struct ms_serve_request *request, const int fds[N_FDS])
{
    char *argv[MS_SERVE_MAX_ARGUMENTS + 2] = {program};
    int argc = 1;
    limit(RLIMIT_CPU, request->cpu_seconds);
#ifndef MS_SANITIZED /* a sanitizer's shadow alone is terabytes of address space */
    limit(RLIMIT_AS, request->memory_bytes);
#endif
    limit(RLIMIT_CORE, 0);
    for (char *at = text; at < text + request->n_bytes; at += strlen(at) + 1) {
        if (argc > MS_SERVE_MAX_ARGUMENTS)
            _exit(WRONG);
        argv[argc++] = at;
    }
    if (dup2(fds[0], STDOUT_FILENO) < 0 || dup2(fds[1], STDERR_FILENO) < 0)
        _exit(SYSTEM);
    for (int i = 0; i < N_FDS; i++)
        if (fds[i] > STDERR_FILENO)
            close(fds[i]);
    exit(run(argc, argv));
}

/* Stays a zombie until its process id may be another's. */
static int64_t wait_for(pid_t child)
{
    siginfo_t how;
    memset(&how, 0, sizeof how);
    while (waitid(P_PID, (id_t)child, &how, WEXITED | WNOWAIT) != 0)
        if (errno != EINTR)
            return SYSTEM;
    return how.si_code == CLD_EXITED ? how.si_status : -(int64_t)how.si_status;
}

static void reap(pid_t child)
{
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* The arguments that come behind a request; malloc'ed, NULL when they are none. */
static char *take_arguments(int from, const struct ms_serve_request *request)
{
    size_t n = (size_t)request->n_bytes;
    char *text = n && request->n_bytes <= MS_SERVE_MAX_BYTES ? malloc(n) : NULL;
    if (text && read_whole(from, text, n) && !text[n - 1])
        return text;
    free(text);
    return NULL;
}

int ms_serve(const char *socket, char *program, ms_serve_run *run)
{
    struct ms_serve_request request;
    int fds[N_FDS], status = DONE, from = atoi(socket);
    pid_t child = -1;
    while (status == DONE && take_request(from, &request, fds)) {
        char *text = take_arguments(from, &request);
        reap(child);
        child = text ? fork() : -1;
        if (child == 0) {
            close(from);
            become(program, run, text, &request, fds);
        }
        free(text);
        for (int i = 0; i < N_FDS; i++)
            close(fds[i]);
        if (!text || !answer(from, child) || (child > 0 && !answer(from, wait_for(child))))
            status = SYSTEM;
    }
    reap(child);
    return status;
}
