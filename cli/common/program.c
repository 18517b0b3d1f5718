#include "common/program.h"

#include "common/console.h"
#include "common/helper_server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

enum { ROOM = 4096, MAX_ARGUMENTS = 16 };

/* The folder that this program lies in, links resolved. */
static bool own_folder(char folder[ROOM])
{
    char raw[ROOM];
#ifdef __APPLE__
    uint32_t room = sizeof raw;
    if (_NSGetExecutablePath(raw, &room) != 0)
        return false;
#else
    ssize_t n = readlink("/proc/self/exe", raw, sizeof raw - 1);
    if (n < 0)
        return false;
    raw[n] = 0;
#endif
    char *real = realpath(raw, NULL);
    if (!real)
        return false;
    char *slash = strrchr(real, '/');
    bool ok = slash && (size_t)(slash - real) < ROOM;
    if (ok) {
        *slash = 0;
        snprintf(folder, ROOM, "%s", real);
    }
    free(real);
    return ok;
}

bool program_find(const char *name, char *path, size_t room)
{
    char folder[ROOM];
    if (!own_folder(folder)) {
        complain("cannot find its own folder: %s", strerror(errno));
        return false;
    }
    int n = snprintf(path, room, "%s/machsym-%s", folder, name);
    if (n > 0 && (size_t)n < room && access(path, X_OK) == 0)
        return true;
    n = snprintf(path, room, "%s/../libexec/machsym/machsym-%s", folder, name);
    if (n > 0 && (size_t)n < room && access(path, X_OK) == 0)
        return true;
    complain(
        "machsym-%s is not installed: it belongs beside this program or into ../libexec/machsym",
        name);
    return false;
}

static void limit(int resource, uint64_t value)
{
    struct rlimit now;
    if (getrlimit(resource, &now) != 0)
        return;
    if (now.rlim_cur == RLIM_INFINITY || (uint64_t)now.rlim_cur > value) {
        now.rlim_cur = (rlim_t)value;
        setrlimit(resource, &now);
    }
}

static bool is_put(int descriptor, int place)
{
    return descriptor == place ? fcntl(place, F_SETFD, 0) >= 0 : dup2(descriptor, place) >= 0;
}

/* In the child: never returns. */
static void become(const char *path, char *const *argv, const struct helper_request *request)
{
    limit(RLIMIT_CPU, request->cpu_seconds);
#ifndef MS_SANITIZED /* a sanitizer's shadow alone is terabytes of address space */
    limit(RLIMIT_AS, request->memory_bytes);
#endif
    limit(RLIMIT_CORE, 0);
    if (is_put(request->output, STDOUT_FILENO) && is_put(request->messages, STDERR_FILENO))
        execv(path, argv);
    _exit(127);
}

static bool pass_on(int from, helper_text *take, void *to)
{
    char block[65536];
    for (;;) {
        ssize_t n = read(from, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        if (!take(to, block, (size_t)n))
            return false;
    }
}

/*
 * A helper knows standard input by the path that stands in for it; what it says goes through
 * here then, so that its messages name it as all others do.
 */
static void pass_on_messages(FILE *messages)
{
    char line[2048];
    if (!messages)
        return;
    rewind(messages);
    while (fgets(line, sizeof line, messages))
        console_line(line);
    fclose(messages);
}

/* A pipe whose ends no other program keeps open. */
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Starts it in a process of its own. */
static pid_t run_once(const char *path, const struct helper_request *request)
{
    char *argv[MAX_ARGUMENTS + 2] = {(char *)(uintptr_t)path};
    for (int i = 0; i < MAX_ARGUMENTS && request->arguments[i]; i++)
        argv[i + 1] = (char *)(uintptr_t)request->arguments[i]; /* execv does not change them */
    pid_t child = fork();
    if (child == 0)
        become(path, argv, request);
    return child;
}

static void wait_once(pid_t child, struct helper_end *end)
{
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR)
        ;
    end->status = WIFEXITED(how) ? WEXITSTATUS(how) : -1;
    end->signal = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
}

int helper_run(const char *name, const char *const *arguments, unsigned cpu_seconds,
               uint64_t memory_bytes, helper_text *take, void *to, struct helper_end *end)
{
    char path[ROOM + 64], program[64];
    snprintf(program, sizeof program, "helper-%s", name);
    if (!program_find(program, path, sizeof path))
        return EXIT_SYSTEM;
    int ends[2] = {-1, -1};
    if (take && !make_pipe(ends)) {
        complain("cannot make a pipe: %s", strerror(errno));
        return EXIT_SYSTEM;
    }
    FILE *messages = console_has_stand_in() ? tmpfile() : NULL;
    struct helper_request request = {arguments, cpu_seconds, memory_bytes,
                                     take ? ends[1] : STDOUT_FILENO,
                                     messages ? fileno(messages) : STDERR_FILENO};
    pid_t child = helper_server_ask(path, &request);
    bool served = child >= 0;
    if (!served)
        child = run_once(path, &request);
    if (take)
        close(ends[1]);
    if (child < 0)
        complain("cannot start machsym-%s: %s", program, strerror(errno));
    else if (take && !pass_on(ends[0], take, to))
        kill(child, SIGKILL);
    if (take)
        close(ends[0]);
    if (served)
        helper_server_wait(path, end);
    else if (child > 0)
        wait_once(child, end);
    pass_on_messages(messages);
    return child < 0 ? EXIT_SYSTEM : EXIT_DONE;
}
