/*
 * names [-s]: demangles lines of standard input: full, with -s simplified. A name that isn't
 * understood gives an empty line. What the tests of names and the oracle read the library with,
 * so that nothing of the command's own reading of text stands between them.
 */
#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int main(int argc, char **argv)
{
    static char out[1 << 20];
    unsigned style =
        argc > 1 && strcmp(argv[1], "-s") == 0 ? MS_DEMANGLE_SIMPLIFIED : MS_DEMANGLE_FULL;
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n')
            n--;
        size_t length = ms_demangle(line, (size_t)n, style, out, sizeof out);
        if (length >= sizeof out)
            length = 0;
        fwrite(out, 1, length, stdout);
        putchar('\n');
    }
    free(line);
    return ferror(stdin) || fflush(stdout) ? 1 : 0;
}
