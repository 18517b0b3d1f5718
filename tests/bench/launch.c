/*
 * launch [-m | -t] [-c FILE]… IN OUT PROGRAM ARGUMENT…: runs a program once and prints what it
 * took, in one line:
 *
 *   status wall_ns user_us system_us max_rss_kib minor_faults peak_anonymous_kib longest_us left
 *
 * A program of its own, since the kernel hands the resident set of whoever forks to the child as
 * its first maximum: started by an interpreter, every small program would seem as large as that.
 *
 * Times and the maximum resident set are the kernel's own account (wait4). It has none of the
 * anonymous part's peak. With -m, in a run that is not timed, RssAnon is read from
 * /proc/PID/status every half millisecond and once more when the program has ended but its
 * memory is still there (PTRACE_EVENT_EXIT, the only event asked for); the largest value counts.
 * A peak shorter than half a millisecond is missed. -1 where there is no such account.
 *
 * With -t the program's threads are followed (they stop at their start and at their end alone).
 * longest_us is the CPU of its longest way: of the thread that began while it was alone, and of the
 * slowest of all while there were several. On processors of their own it would need no more wall
 * time than that, however busy this machine is. -1 without -t.
 *
 * -c drops a file from the page cache before the run, with posix_fadvise: `left` is how many of the
 * pages of all of them stayed, which mincore tells. -1 without -c.
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
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#endif

/* What is told of a run besides the kernel's account. */
struct more {
    long anonymous_kib, longest_us, left;
};

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

static pid_t watch(pid_t pid, int go, int *status, struct rusage *used, struct more *more)
{
    long *peak = &more->anonymous_kib;
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

/* ---- threads ----------------------------------------------------------------------------- */

/* While there are several threads: what they took so far. */
struct together {
    int alive;                       /* besides the first */
    long long began, ended, slowest; /* ns: of the process at the start; of those that ended */
    long long saved;                 /* what the longest way is shorter than all, so far */
};

static long long process_ns(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* The thread has stopped, so that its account is complete. */
static long long thread_ns(pid_t pid, pid_t thread)
{
    char path[80];
    long long ns = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", (long)pid, (long)thread);
    FILE *f = fopen(path, "r");
    if (f && fscanf(f, "%lld", &ns) != 1)
        ns = 0;
    if (f)
        fclose(f);
    return ns;
}

static void thread_begins(struct together *t, pid_t pid)
{
    if (t->alive++)
        return;
    t->began = process_ns(pid);
    t->ended = t->slowest = 0;
}

static void thread_ends(struct together *t, pid_t pid, pid_t thread)
{
    long long own = thread_ns(pid, thread);
    t->ended += own;
    t->slowest = own > t->slowest ? own : t->slowest;
    if (--t->alive)
        return;
    long long all = process_ns(pid) - t->began, first = all - t->ended;
    t->saved += all - (first > t->slowest ? first : t->slowest);
}

static pid_t follow(pid_t pid, int go, int *status, struct rusage *used, struct more *more)
{
    struct together t = {0};
    if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)(long)(PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT)) !=
        0) {
        return write(go, "", 1) == 1 ? wait4(pid, status, 0, used) : -1;
    }
    if (write(go, "", 1) != 1)
        return -1;
    for (;;) {
        pid_t got = wait4(-1, status, __WALL, used);
        if (got < 0 && errno != EINTR)
            return -1;
        if (got == pid && !WIFSTOPPED(*status))
            break;
        if (got < 0 || !WIFSTOPPED(*status))
            continue;
        int event = *status >> 16;
        if (event == PTRACE_EVENT_CLONE)
            thread_begins(&t, pid);
        if (event == PTRACE_EVENT_EXIT && got != pid && t.alive)
            thread_ends(&t, pid, got);
        ptrace(PTRACE_CONT, got, NULL, (void *)(long)(event ? 0 : WSTOPSIG(*status)));
    }
    more->longest_us = (used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000L +
                       used->ru_utime.tv_usec + used->ru_stime.tv_usec - (long)(t.saved / 1000);
    return pid;
}

/* ---- the page cache ------------------------------------------------------------------------ */

/* Pages of the file that stay in the cache all the same. */
static long drop(const char *path)
{
    int fd = open(path, O_RDONLY);
    struct stat st;
    long left = 0;
    if (fd < 0 || fstat(fd, &st) != 0) {
        perror(path);
        exit(2);
    }
    fdatasync(fd); /* what is not yet written stays */
    posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    size_t page = (size_t)sysconf(_SC_PAGESIZE), n = ((size_t)st.st_size + page - 1) / page;
    unsigned char *in = malloc(n + 1);
    void *map = n ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (map != MAP_FAILED && in && mincore(map, (size_t)st.st_size, in) == 0) {
        for (size_t i = 0; i < n; i++)
            left += in[i] & 1;
    }
    if (map != MAP_FAILED)
        munmap(map, (size_t)st.st_size);
    free(in);
    close(fd);
    return left;
}
#else
static pid_t watch(pid_t pid, int go, int *status, struct rusage *used, struct more *more)
{
    (void)more;
    return write(go, "", 1) == 1 ? wait4(pid, status, 0, used) : -1;
}

static pid_t follow(pid_t pid, int go, int *status, struct rusage *used, struct more *more)
{
    return watch(pid, go, status, used, more);
}

static long drop(const char *path)
{
    (void)path;
    fprintf(stderr, "launch: -c: this system has no call for it\n");
    exit(2);
}
#endif

static void print(int status, long long wall, const struct rusage *used, const struct more *more)
{
    long rss = used->ru_maxrss;
#ifdef __APPLE__
    rss /= 1024; /* bytes there */
#endif
    printf("%d %lld %lld %lld %ld %ld %ld %ld %ld\n",
           WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), wall,
           used->ru_utime.tv_sec * 1000000LL + used->ru_utime.tv_usec,
           used->ru_stime.tv_sec * 1000000LL + used->ru_stime.tv_usec, rss, used->ru_minflt,
           more->anonymous_kib, more->longest_us, more->left);
}

int main(int argc, char **argv)
{
    int kind = 0, pipes[2] = {-1, -1}, status = 0, option;
    struct rusage used;
    struct more more = {-1, -1, -1};
    while ((option = getopt(argc, argv, "+mtc:")) > 0) {
        if (option == 'c')
            more.left = drop(optarg) + (more.left > 0 ? more.left : 0);
        else
            kind = option;
    }
    if (argc - optind < 3 || kind == '?' || (kind && pipe(pipes) != 0)) {
        fprintf(stderr, "usage: launch [-m | -t] [-c FILE]… IN OUT PROGRAM ARGUMENT…\n");
        return 2;
    }
    /* What the run before left is thrown away first: that takes milliseconds, and is none of this
     * program's work. */
    int old = open(argv[optind + 1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (old >= 0)
        close(old);
    long long begin = now_ns();
    pid_t pid = fork();
    if (pid == 0)
        become(argv + optind, pipes[0]);
    pid_t got = pid < 0       ? -1
                : kind == 'm' ? watch(pid, pipes[1], &status, &used, &more)
                : kind == 't' ? follow(pid, pipes[1], &status, &used, &more)
                              : wait4(pid, &status, 0, &used);
    long long end = now_ns();
    if (got < 0) {
        perror("launch");
        return 2;
    }
    print(status, end - begin, &used, &more);
    return 0;
}
