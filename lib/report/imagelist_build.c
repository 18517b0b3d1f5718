#include "report/imagelist_build.h"

#include "base/array.h"
#include "report/crash_text_scan.h"

#include <stdarg.h>
#include <stdio.h>

struct ms_loaded_image *ms_list_add(struct ms_list_build *build)
{
    static const struct ms_loaded_image unknown;
    if (build->failed || !MS_PUSH(build->items, build->n, build->room, unknown)) {
        build->failed = true;
        return NULL;
    }
    return &build->items[build->n - 1];
}

const char *ms_list_copy(struct ms_list_build *build, const char *text, size_t n)
{
    if (!n || build->failed)
        return NULL;
    char *copy = ms_arena_copy(&build->arena, text, n);
    build->failed = !copy;
    return copy;
}

void ms_list_set_path(struct ms_list_build *build, struct ms_loaded_image *image, const char *path,
                      size_t n)
{
    image->path = ms_list_copy(build, path, n);
    if (!image->path)
        return;
    const char *slash = strrchr(image->path, '/');
    image->name = slash && slash[1] ? slash + 1 : image->path;
}

void ms_list_note(struct ms_list_build *build, const char *format, ...)
{
    char line[256];
    va_list args;
    if (build->note)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    build->note = ms_list_copy(build, line, strlen(line));
}

size_t ms_list_hex(const char *text, size_t n, uint64_t *value)
{
    size_t at = n > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
    size_t first = at;
    *value = 0;
    for (; at < n && ms_hex_value(text[at]) >= 0; at++) {
        if (*value >> 60)
            return 0;
        *value = *value << 4 | (uint64_t)ms_hex_value(text[at]);
    }
    return at > first ? at : 0;
}

static bool is_text(struct ms_bytes part, const char *word)
{
    return part.n == strlen(word) && memcmp(part.at, word, part.n) == 0;
}

/* "Widget [842]" without the process number. */
static struct ms_bytes without_pid(const char *text, size_t n)
{
    size_t at = n;
    if (at && text[at - 1] == ']') {
        at--;
        while (at && ms_is_digit(text[at - 1]))
            at--;
        if (at > 1 && text[at - 1] == '[' && text[at - 2] == ' ')
            n = ms_scan_trim_end(text, at - 1);
    }
    return (struct ms_bytes){(const uint8_t *)text, n};
}

bool ms_list_header_line(struct ms_list_header *header, const char *line, size_t n)
{
    static const char *const keys[] = {"Process:", "Path:", "Load Address:", "Code Type:"};
    size_t key = 0;
    while (key < 4 && !ms_scan_starts(line, n, keys[key]))
        key++;
    if (key == 4)
        return false;
    size_t at = strlen(keys[key]);
    at += ms_scan_blanks(line + at, n - at);
    size_t left = ms_scan_trim_end(line + at, n - at);
    struct ms_bytes value = {(const uint8_t *)line + at, left};
    switch (key) {
    case 0:
        header->process = without_pid(line + at, left);
        break;
    case 1:
        header->path = value;
        break;
    case 2:
        header->has_load = left && ms_list_hex(line + at, left, &header->load_rt) == left;
        break;
    default:
        header->code_type = value;
    }
    return true;
}

const char *ms_list_header_arch(const struct ms_list_header *header)
{
    static const char *const names[][2] = {{"ARM64", "arm64"},
                                           {"ARM-64", "arm64"},
                                           {"X86-64", "x86_64"},
                                           {"X86-64 (translated)", "x86_64"},
                                           {"X86-64 (Native)", "x86_64"},
                                           {"X86", "i386"},
                                           {"X86 (Native)", "i386"},
                                           {"PPC", "ppc"},
                                           {"PPC (Native)", "ppc"},
                                           {"PPC (Translated)", "ppc"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_text(header->code_type, names[i][0]))
            return names[i][1];
    return NULL;
}
