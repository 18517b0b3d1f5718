#include "common/console.h"

#include "machsym/macho.h"

#include <ctype.h>
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
static char stand_in[32];

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

void console_stand_in(const char *path)
{
    snprintf(stand_in, sizeof stand_in, "%s", path);
}

bool console_has_stand_in(void)
{
    return stand_in[0] != 0;
}

/* The path as a whole: "/dev/fd/3" isn't in "/dev/fd/31", nor in "/chroot/dev/fd/3". */
static const char *find_stand_in(const char *line)
{
    size_t n = strlen(stand_in);
    const char *at = n ? strstr(line, stand_in) : NULL;
    while (at && (isdigit((unsigned char)at[n]) || (at > line && !strchr(" ('", at[-1]))))
        at = strstr(at + n, stand_in);
    return at;
}

void console_line(const char *line)
{
    for (const char *at; (at = find_stand_in(line)); line = at + strlen(stand_in))
        fprintf(stderr, "%.*sstandard input", (int)(at - line), line);
    fputs(line, stderr);
}

static void say(const char *kind, const char *format, va_list args)
{
    char text[1024], line[1200];
    vsnprintf(text, sizeof text, format, args);
    /* File names and symbols are untrusted: no control byte of theirs reaches the terminal. */
    ms_text_make_plain(text);
    snprintf(line, sizeof line, "machsym%s%s: %s%s\n", command_name[0] ? " " : "", command_name,
             kind, text);
    console_line(line);
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

static const char *memory_limit; /* NULL: there is none */

void console_limit_memory(const char *size)
{
    memory_limit = size;
}

int complain_memory(void)
{
    if (memory_limit)
        complain("more memory is needed than --max-mem %s allows", memory_limit);
    else
        complain("out of memory");
    return exit_for(MS_E_NOMEM);
}

int complain_error(const struct ms_error *error)
{
    if (error->status == MS_E_NOMEM && memory_limit)
        return complain_memory();
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
        return memory_limit ? EXIT_INPUT : EXIT_SYSTEM;
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
