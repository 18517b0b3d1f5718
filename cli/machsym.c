/*
 * machsym: runs machsym-CMD, which lies beside it in a build folder and in libexec once
 * installed. One table of commands serves help and dispatch.
 */
#include "common/console.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

static const struct {
    const char *name, *summary;
} commands[] = {
    {"crash", "symbolicate crash reports: crash text and .ips"},
    {"atos", "turn addresses into functions, files and lines"},
    {"slide", "compute the ASLR slide of an image, and file addresses"},
    {"uuid", "print the UUID of every slice of a file"},
    {"verify", "check that a binary and a dSYM belong together"},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands, ROOM = 4096 };

static void print_help(FILE *to)
{
    fputs("usage: machsym COMMAND [ARGUMENTS…]\n\n"
          "Symbolicates Mach-O binaries and the reports of Apple systems.\n\n",
          to);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\nmachsym help COMMAND, or machsym COMMAND --help, says more; machsym --version.\n", to);
}

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

static int run(const char *name, char **argv)
{
    static const char *const places[] = {"%s/machsym-%s", "%s/../libexec/machsym/machsym-%s"};
    char folder[ROOM], path[ROOM + 64];
    if (!own_folder(folder)) {
        complain("cannot find its own folder: %s", strerror(errno));
        return EXIT_SYSTEM;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, i ? places[1] : places[0], folder, name);
        execv(path, argv);
        if (errno != ENOENT && errno != ENOTDIR) {
            complain("%s: cannot be run: %s", path, strerror(errno));
            return EXIT_SYSTEM;
        }
    }
    complain("machsym-%s is not installed beside it", name);
    return EXIT_SYSTEM;
}

static bool is_command(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    static char help_flag[] = "--help";
    console_start("");
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--version") == 0) {
        printf("machsym %s\n", MS_VERSION);
        return EXIT_DONE;
    }
    bool help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (help && argc < 3) {
        print_help(stdout);
        return EXIT_DONE;
    }
    const char *name = help ? argv[2] : word;
    if (!is_command(name)) {
        complain("'%s' is not a command; machsym help lists them", name);
        return EXIT_USAGE;
    }
    if (help) {
        char *arguments[] = {argv[2], help_flag, NULL};
        return run(name, arguments);
    }
    return run(name, argv + 1);
}
