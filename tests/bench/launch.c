/*
 * launch [-m] IN OUT PROGRAM ARGUMENT…: runs a program once and prints what it took, in one line:
 *
 *   status wall_ns user_us system_us max_rss_kib minor_faults peak_anonymous_kib
 *
 * A program of its own, since the kernel hands the resident set of whoever forks to the child as
 * its first maximum: started by an interpreter, every small program would seem as large as that.
 *
 * Times and the maximum resident set are the kernel's own account (wait4). It has none of the
 * anonymous part's peak. With -m, in a run that is not timed, RssAnon is read from
 * /proc/PID/status every half millisecond and once more when the program has ended but its
 * memory is still there (PTRACE_EVENT_EXIT, the only event asked for); the largest value counts.
 * A peak shorter than half a millisecond is missed. -1 where there is no such account.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/ptrace.h>
#endif

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void become(char **argv, int go)
{
    char byte;
    if (go >= 0 && read(go, &byte, 1) != 1)
        _exit(126);
    int in = open(argv[0], O_RDONLY), out = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0)
        _exit(126);
    execv(argv[2], argv + 2);
    _exit(127);
}

#ifdef __linux__
static long anonymous_kib(pid_t pid)
{
    char path[64], text[4096];
    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    int fd = open(path, O_RDONLY);
    if (fd < 0)
        return -1;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *at = strstr(text, "RssAnon:");
    return at ? strtol(at + 8, NULL, 10) : -1;
}

static pid_t watch(pid_t pid, int go, int *status, struct rusage *used, long *peak)
{
    ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)PTRACE_O_TRACEEXIT); /* may be forbidden */
    if (write(go, "", 1) != 1)
        return -1;
    const struct timespec pause = {0, 500000};
    for (;;) {
        long kib = anonymous_kib(pid);
        *peak = kib > *peak ? kib : *peak;
        pid_t got = wait4(pid, status, WNOHANG, used);
        if (got == pid && !WIFSTOPPED(*status))
            return got;
        if (got == pid) {
            int event = *status >> 8;
            kib = anonymous_kib(pid);
            *peak = kib > *peak ? kib : *peak;
            ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(event >> 8 ? 0 : event & 0x7f));
        } else if (got < 0 && errno != EINTR) {
            return -1;
        } else {
            nanosleep(&pause, NULL);
        }
    }
}
#else
static pid_t watch(pid_t pid, int go, int *status, struct rusage *used, long *peak)
{
    *peak = -1;
    return write(go, "", 1) == 1 ? wait4(pid, status, 0, used) : -1;
}
#endif

int main(int argc, char **argv)
{
    int memory = argc > 1 && strcmp(argv[1], "-m") == 0, pipes[2] = {-1, -1}, status = 0;
    long peak = -1;
    struct rusage used;
    if (argc - memory < 4 || (memory && pipe(pipes) != 0)) {
        fprintf(stderr, "usage: launch [-m] IN OUT PROGRAM ARGUMENT…\n");
        return 2;
    }
    /* What the run before left is thrown away first: that takes milliseconds, and is none of this
     * program's work. */
    int old = open(argv[2 + memory], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (old >= 0)
        close(old);
    long long begin = now_ns();
    pid_t pid = fork();
    if (pid == 0)
        become(argv + 1 + memory, pipes[0]);
    pid_t got = pid < 0  ? -1
                : memory ? watch(pid, pipes[1], &status, &used, &peak)
                         : wait4(pid, &status, 0, &used);
    long long end = now_ns();
    if (got < 0) {
        perror("launch");
        return 2;
    }
    long rss = used.ru_maxrss;
#ifdef __APPLE__
    rss /= 1024; /* bytes there */
#endif
    printf("%d %lld %lld %lld %ld %ld %ld\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), end - begin,
           used.ru_utime.tv_sec * 1000000LL + used.ru_utime.tv_usec,
           used.ru_stime.tv_sec * 1000000LL + used.ru_stime.tv_usec, rss, used.ru_minflt, peak);
    return 0;
}
