#include "common/helper_server.h"

#include "common/console.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_SERVERS = 2, ROOM = 4200, N_FDS = 2, MAX_BYTES = 1 << 20, MAX_ARGUMENTS = 32 };

#ifdef MSG_NOSIGNAL
enum { QUIETLY = MSG_NOSIGNAL };
#else
enum { QUIETLY = 0 };
#endif

/* One of those that a command uses. */
static struct server {
    char path[ROOM]; /* "": not in use */
    unsigned n_asked;
    pid_t pid;         /* 0: it isn't running */
    int socket;        /* to it */
    bool has_stand_in; /* a descriptor that stands for standard input was there when it began */
} servers[MAX_SERVERS];

/* What lib/base/serve.h calls struct ms_serve_request. */
struct wire {
    uint64_t n_bytes, cpu_seconds, memory_bytes;
};

static struct server *server_of(const char *path)
{
    for (int i = 0; i < MAX_SERVERS; i++) {
        struct server *s = &servers[i];
        if (!s->path[0])
            snprintf(s->path, sizeof s->path, "%s", path);
        if (strcmp(s->path, path) == 0)
            return s;
    }
    return NULL;
}

/* Lets it end; how it did. */
static int stop(struct server *s)
{
    int how = 0;
    close(s->socket);
    while (waitpid(s->pid, &how, 0) < 0 && errno == EINTR)
        ;
    s->pid = 0;
    return how;
}

static void stop_all(void)
{
    for (int i = 0; i < MAX_SERVERS; i++)
        if (servers[i].pid)
            stop(&servers[i]);
}

static bool start(struct server *s)
{
    static bool will_stop;
    char socket[16];
    int ends[2];
    if (!will_stop && atexit(stop_all) != 0)
        return false;
    will_stop = true;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
#ifdef SO_NOSIGPIPE
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY); /* one of another version has nothing to say */
        snprintf(socket, sizeof socket, "%d", ends[1]);
        if (fcntl(ends[1], F_SETFD, 0) >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 &&
            dup2(nowhere, STDERR_FILENO) >= 0)
            execl(s->path, s->path, "serve", MS_VERSION, socket, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return false;
    }
    s->pid = child;
    s->socket = ends[0];
    s->has_stand_in = console_has_stand_in();
    return true;
}

/* The arguments, each with its NUL; malloc'ed. NULL: too many, or no memory. */
static char *join(const char *const *arguments, size_t *n)
{
    size_t count = 0, at = 0;
    *n = 0;
    for (; arguments[count]; count++)
        *n += strlen(arguments[count]) + 1;
    char *text = count <= MAX_ARGUMENTS && *n <= MAX_BYTES ? malloc(*n + 1) : NULL;
    for (size_t i = 0; text && i < count; i++) {
        size_t bytes = strlen(arguments[i]) + 1;
        memcpy(text + at, arguments[i], bytes);
        at += bytes;
    }
    return text;
}

static bool send_whole(const struct server *s, const char *text, size_t n)
{
    while (n) {
        ssize_t done = send(s->socket, text, n, QUIETLY);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        text += done;
        n -= (size_t)done;
    }
    return true;
}

/* The descriptors go with the first bytes. */
static bool send_request(const struct server *s, const struct helper_request *r)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(N_FDS * sizeof(int))];
    } control;
    const int fds[N_FDS] = {r->output, r->messages};
    struct wire wire = {0, r->cpu_seconds, r->memory_bytes};
    size_t n;
    char *text = join(r->arguments, &n);
    if (!text)
        return false;
    wire.n_bytes = n;
    struct iovec part = {&wire, sizeof wire};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof fds);
    memcpy(CMSG_DATA(head), fds, sizeof fds);
    ssize_t done;
    do
        done = sendmsg(s->socket, &message, QUIETLY);
    while (done < 0 && errno == EINTR);
    bool sent = done >= 0 && send_whole(s, (char *)&wire + done, sizeof wire - (size_t)done) &&
                send_whole(s, text, n);
    free(text);
    return sent;
}

static bool hear(const struct server *s, int64_t *value)
{
    for (size_t at = 0; at < sizeof *value;) {
        ssize_t got = read(s->socket, (char *)value + at, sizeof *value - at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += (size_t)got;
    }
    return true;
}

pid_t helper_server_ask(const char *path, const struct helper_request *request)
{
    struct server *s = server_of(path);
    int64_t pid;
    if (s && s->pid && !s->has_stand_in && console_has_stand_in())
        stop(s);
    if (!s || !s->n_asked++ || (!s->pid && !start(s)))
        return -1;
    if (send_request(s, request) && hear(s, &pid) && pid > 0)
        return (pid_t)pid;
    stop(s); /* and started anew for the next */
    return -1;
}

void helper_server_wait(const char *path, struct helper_end *end)
{
    struct server *s = server_of(path);
    int64_t how;
    if (hear(s, &how)) {
        end->status = how >= 0 ? (int)how : -1;
        end->signal = how >= 0 ? 0 : (int)-how;
        return;
    }
    int status = stop(s); /* it was ended itself, from outside */
    end->status = -1;
    end->signal = WIFSIGNALED(status) ? WTERMSIG(status) : SIGKILL;
}
