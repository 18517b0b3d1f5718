/* lib/base/serve: one thing after another, each in a child under limits of its own. */
#include "base/serve.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the children do: as the first argument says. */
static int act(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    struct rlimit limit;
    if (strcmp(what, "print") == 0)
        return printf("%s %d %s|", argv[0], argc, argv[argc - 1]) > 0 ? 0 : 4;
    if (strcmp(what, "limit") == 0)
        return getrlimit(RLIMIT_CPU, &limit) == 0 ? (int)limit.rlim_cur : -1;
    if (strcmp(what, "die") == 0)
        raise(SIGKILL);
    while (strcmp(what, "spin") == 0)
        ;
    return 3;
}

struct server {
    pid_t pid;
    int socket;
};

static struct server start(void)
{
    int ends[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        char name[] = "helper", number[16];
        snprintf(number, sizeof number, "%d", ends[1]);
        close(ends[0]);
        _exit(ms_serve(number, name, act));
    }
    close(ends[1]);
    return (struct server){pid, ends[0]};
}

static int stop(struct server *server)
{
    int how;
    close(server->socket);
    cr_assert_eq(waitpid(server->pid, &how, 0), server->pid);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -WTERMSIG(how);
}

static void ask(const struct server *server, const char *text, size_t n, uint64_t said, int output,
                bool with_descriptors)
{
    struct ms_serve_request request = {said, 1, (uint64_t)1 << 40};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    const int fds[2] = {output, STDERR_FILENO};
    struct iovec part = {&request, sizeof request};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    if (with_descriptors) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof fds);
        memcpy(CMSG_DATA(head), fds, sizeof fds);
    }
    cr_assert_eq(sendmsg(server->socket, &message, 0), (ssize_t)sizeof request);
    if (n)
        cr_assert_eq(write(server->socket, text, n), (ssize_t)n);
}

static int64_t hear(const struct server *server)
{
    int64_t value = INT64_MIN;
    ssize_t n = read(server->socket, &value, sizeof value);
    return n == (ssize_t)sizeof value ? value : INT64_MIN;
}

/* What became of it. */
static int64_t ends_with(const struct server *server, const char *text, size_t n, int output)
{
    ask(server, text, n, n, output, true);
    cr_assert_gt(hear(server), 0, "a process id");
    return hear(server);
}

#define SAY(text) text, sizeof text

Test(serve, one_after_another)
{
    struct server server = start();
    int ends[2];
    char out[100] = "";
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(ends_with(&server, SAY("print\0with \"a\""), ends[1]), 0);
    cr_assert_eq(ends_with(&server, SAY("print\0\0last"), ends[1]), 0);
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; (got = read(ends[0], out + n, sizeof out - 1 - n)) > 0;)
        n += (size_t)got;
    cr_assert_str_eq(out, "helper 3 with \"a\"|helper 4 last|", "and nobody else has the pipe");
    close(ends[0]);
    cr_assert_eq(stop(&server), 0);
}

Test(serve, what_dies_takes_nothing_along)
{
    struct server server = start();
    cr_assert_eq(ends_with(&server, SAY("die"), STDOUT_FILENO), -SIGKILL);
    cr_assert_eq(ends_with(&server, SAY("spin"), STDOUT_FILENO), -SIGXCPU, "after a second");
    cr_assert_eq(ends_with(&server, SAY("limit"), STDOUT_FILENO), 1, "each has one of its own");
    cr_assert_eq(ends_with(&server, SAY("anything"), STDOUT_FILENO), 3);
    cr_assert_eq(stop(&server), 0);
}

/* It can be killed until the next is asked for: only then its process id may become another's. */
Test(serve, can_be_killed)
{
    struct server server = start();
    ask(&server, SAY("spin"), sizeof "spin", STDOUT_FILENO, true);
    int64_t pid = hear(&server);
    cr_assert_eq(kill((pid_t)pid, SIGTERM), 0);
    cr_assert_eq(hear(&server), -SIGTERM);
    cr_assert_eq(kill((pid_t)pid, 0), 0, "it is kept");
    cr_assert_eq(ends_with(&server, SAY("limit"), STDOUT_FILENO), 1);
    cr_assert_eq(stop(&server), 0);
}

Test(serve, requests_that_are_none)
{
    struct server server = start();
    ask(&server, SAY("print"), sizeof "print", STDOUT_FILENO, false);
    cr_assert_eq(hear(&server), INT64_MIN);
    cr_assert_eq(stop(&server), 0, "without descriptors it is no request");
    server = start();
    ask(&server, "", 0, 0, STDOUT_FILENO, true);
    cr_assert_eq(hear(&server), INT64_MIN);
    cr_assert_eq(stop(&server), 4, "no arguments");
    server = start();
    ask(&server, "", 0, (uint64_t)MS_SERVE_MAX_BYTES + 1, STDOUT_FILENO, true);
    cr_assert_eq(stop(&server), 4, "too many");
    server = start();
    ask(&server, "abc", 3, 3, STDOUT_FILENO, true);
    cr_assert_eq(stop(&server), 4, "not ended");
    server = start();
    char many[2 * (MS_SERVE_MAX_ARGUMENTS + 1)];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 ? 0 : 'x';
    cr_assert_eq(ends_with(&server, many, sizeof many, STDOUT_FILENO), 2);
    cr_assert_eq(stop(&server), 0);
}
