#include "common/console.h"

#include "machsym/macho.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *command_name = "";

/*
 * A mapped file that someone truncates raises SIGBUS on the next touch. The page is
 * replaced by zeros and the file marked torn; whoever reads it checks before believing.
 * Any other SIGBUS is a bug of ours and ends the process as it would have.
 */
static void on_bus_error(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (!ms_file_mend_fault(info->si_addr))
        signal(number, SIG_DFL); /* the faulting instruction runs again, and ends us */
}

/*
 * A parent may have closed one of the three standard descriptors. The next file that is opened
 * would take its number, and messages would be written into it. So its place is filled, by
 * what can't be used the way that descriptor is: reading or writing there fails, as it should.
 */
static void fill_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            _exit(EXIT_SYSTEM);
}

void console_start(const char *command)
{
    command_name = command;
    fill_descriptors();
    /* A parent may have left SIGPIPE ignored; a closed pipe is to end us silently. */
    signal(SIGPIPE, SIG_DFL);
    /* A limit on the size of files is a failed write like a full disk, not a sudden end. */
    signal(SIGXFSZ, SIG_IGN);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, NULL);
}

static void say(const char *kind, const char *format, va_list args)
{
    char text[1024];
    vsnprintf(text, sizeof text, format, args);
    /* File names and symbols are untrusted: no control byte of theirs reaches the terminal. */
    ms_text_make_plain(text);
    fprintf(stderr, "machsym%s%s: %s%s\n", command_name[0] ? " " : "", command_name, kind, text);
}

void complain(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void warn(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

int complain_error(const struct ms_error *error)
{
    char line[MS_ERROR_LINE];
    complain("%s", ms_error_describe(error, line));
    return exit_for(error->status);
}

int exit_for(enum ms_status status)
{
    switch (status) {
    case MS_OK:
        return EXIT_DONE;
    case MS_E_NOMEM:
        return EXIT_SYSTEM;
    case MS_E_ARGUMENT:
        return EXIT_USAGE;
    case MS_ABSENT:
    case MS_E_FORMAT:
    case MS_E_UNSUPPORTED:
    case MS_E_LIMIT:
    case MS_E_IO:
        break;
    }
    return EXIT_INPUT;
}

bool console_wait(int fd, bool to_write)
{
    if (errno == EINTR)
        return true;
    if (errno != EAGAIN && errno != EWOULDBLOCK)
        return false;
    struct pollfd one = {fd, to_write ? POLLOUT : POLLIN, 0};
    while (poll(&one, 1, -1) < 0)
        if (errno != EINTR)
            return false;
    return true;
}

int console_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    complain("standard output: cannot be written: %s", strerror(errno));
    return EXIT_SYSTEM;
}

int worse(int a, int b)
{
    return a > b ? a : b;
}

bool console_colour(int fd)
{
    const char *no_colour = getenv("NO_COLOR");
    return !(no_colour && no_colour[0]) && isatty(fd) == 1;
}
