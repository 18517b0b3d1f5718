/*
 * machsym: runs machsym-CMD, which lies beside it in a build folder and in libexec once
 * installed. One table of commands serves help and dispatch.
 */
#include "common/console.h"
#include "common/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name, *summary;
} commands[] = {
    {"crash", "symbolicate crash reports: crash text and .ips"},
    {"atos", "turn addresses into functions, files and lines"},
    {"slide", "compute the ASLR slide of an image, and file addresses"},
    {"uuid", "print the UUID of every slice of a file"},
    {"nm", "print symbol tables, as nm does"},
    {"symbols", "print regions, symbols and source lines, as symbols does"},
    {"otool", "show headers, load commands, libraries, sections and code, as otool does"},
    {"debugmap", "print which object files an image was linked from, as dsymutil does"},
    {"codesign", "print what a code signature says, entitlements, get-task-allow"},
    {"inits", "list what runs before main, and how long it took"},
    {"conform", "list Swift's protocol conformances, and where their functions are"},
    {"objc", "list Objective-C's classes, categories and methods"},
    {"dwarf", "look inside debug information: trees, lines, one address, coverage"},
    {"demangle", "make mangled names readable, alone or in any text"},
    {"verify", "check that a binary and a dSYM belong together"},
    {"pack", "make a ready index of a dSYM, or cut out what a report needs"},
};

enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *to)
{
    fputs("usage: machsym COMMAND [ARGUMENTS…]\n\n"
          "Symbolicates Mach-O binaries and the reports of Apple systems.\n\n",
          to);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\nmachsym help COMMAND, or machsym COMMAND --help, says more; machsym --version.\n", to);
}

static int run(const char *name, char **argv)
{
    char path[4200];
    if (!program_find(name, path, sizeof path))
        return EXIT_SYSTEM;
    execv(path, argv);
    complain("%s: cannot be run: %s", path, strerror(errno));
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
        return console_end(EXIT_DONE);
    }
    bool help = strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
    if (help && argc < 3) {
        print_help(stdout);
        return console_end(EXIT_DONE);
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
