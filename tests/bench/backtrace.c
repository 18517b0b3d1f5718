/*
 * backtrace FILE: libbacktrace as a peer for the benchmark. Addresses from standard input, one a
 * line; for each its frames, innermost first, as gimli-driver prints them, names left mangled. FILE
 * is a thin 64-bit Mach-O file, little-endian.
 *
 * The library that comes with gcc reads the machine's own format of files alone. So the sections
 * are found here, and handed to its reader of DWARF, which knows nothing of files: internal.h of
 * libbacktrace (gcc 12 and 13) has what is declared below.
 */
#include <backtrace.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { N_SECTIONS = 9 };

struct dwarf_sections {
    const unsigned char *data[N_SECTIONS];
    size_t size[N_SECTIONS];
};

struct dwarf_data;
typedef int (*fileline)(struct backtrace_state *state, uintptr_t pc,
                        backtrace_full_callback callback, backtrace_error_callback fail,
                        void *data);
extern int backtrace_dwarf_add(struct backtrace_state *state, uintptr_t base,
                               const struct dwarf_sections *sections, int big,
                               struct dwarf_data *alternative, backtrace_error_callback fail,
                               void *data, fileline *look_up, struct dwarf_data **entry);

/* In the order of the library's enum; Mach-O cuts names at sixteen bytes. */
static const char names[N_SECTIONS][17] = {
    "__debug_info", "__debug_line",     "__debug_abbrev",   "__debug_ranges",  "__debug_str",
    "__debug_addr", "__debug_str_offs", "__debug_line_str", "__debug_rnglists"};

static void fail(void *data, const char *text, int number)
{
    (void)data;
    fprintf(stderr, "backtrace: %s (%d)\n", text, number);
    exit(3);
}

static unsigned long number(const unsigned char *at, int bytes)
{
    unsigned long value = 0;
    while (bytes--)
        value = value << 8 | at[bytes];
    return value;
}

static void find_sections(const unsigned char *file, size_t size, struct dwarf_sections *out)
{
    if (size < 32 || number(file, 4) != 0xfeedfacf)
        fail(NULL, "a thin 64-bit Mach-O file is wanted", 0);
    const unsigned char *at = file + 32;
    for (unsigned long left = number(file + 16, 4); left; left--, at += number(at + 4, 4)) {
        if (number(at, 4) != 0x19 || strcmp((const char *)at + 8, "__DWARF") != 0)
            continue;
        const unsigned char *section = at + 72;
        for (unsigned long n = number(at + 64, 4); n; n--, section += 80) {
            for (int i = 0; i < N_SECTIONS; i++) {
                if (strncmp((const char *)section, names[i], 16) == 0) {
                    out->data[i] = file + number(section + 48, 4);
                    out->size[i] = number(section + 40, 8);
                }
            }
        }
    }
}

static int print(void *data, uintptr_t pc, const char *path, int line, const char *function)
{
    (void)data;
    (void)pc;
    printf("%s\n%s:%d\n", function ? function : "??", path ? path : "??", line);
    return 0;
}

int main(int argc, char **argv)
{
    static char out[1 << 16];
    struct dwarf_sections sections = {{NULL}, {0}};
    struct dwarf_data *entry = NULL;
    fileline look_up = NULL;
    struct stat st;
    char text[64];
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &st) != 0)
        fail(NULL, "which file?", 0);
    const unsigned char *file = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (file == MAP_FAILED)
        fail(NULL, "mmap", 0);
    find_sections(file, (size_t)st.st_size, &sections);
    setvbuf(stdout, out, _IOFBF, sizeof out);
    struct backtrace_state *state = backtrace_create_state(argv[0], 0, fail, NULL);
    if (!backtrace_dwarf_add(state, 0, &sections, 0, NULL, fail, NULL, &look_up, &entry))
        fail(NULL, "the DWARF cannot be read", 0);
    while (fgets(text, sizeof text, stdin))
        look_up(state, (uintptr_t)strtoull(text, NULL, 16), print, fail, NULL);
    return 0;
}
