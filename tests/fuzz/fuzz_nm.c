/* One Mach-O: its symbols in every form and order. */
#include "machsym/demangle.h"
#include "machsym/nm.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written: how much, how many lines, and the last name, to see that -j is in order. */
struct seen {
    size_t bytes, lines, n;
    char line[256], before[256];
    bool in_order;
};

static bool take(void *to, const char *bytes, size_t n)
{
    struct seen *seen = to;
    seen->bytes += n;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (seen->n < sizeof seen->line - 1)
                seen->line[seen->n++] = bytes[i];
            continue;
        }
        seen->line[seen->n] = 0;
        if (seen->lines++ && strcmp(seen->before, seen->line) > 0)
            seen->in_order = false;
        memcpy(seen->before, seen->line, seen->n + 1);
        seen->n = 0;
    }
    return true;
}

static void write_one(const struct ms_macho *macho, const struct ms_nm_options *options,
                      struct seen *seen, struct ms_nm_result *result)
{
    struct ms_error err;
    struct ms_sink sink = {.write = take, .to = seen};
    memset(seen, 0, sizeof *seen);
    seen->in_order = true;
    if (ms_nm_write(macho, options, &sink, result, &err) != MS_OK)
        return;
    if (seen->lines != result->n_shown || result->n_shown > result->n_symbols)
        abort();
}

/* No control character comes out, so as many lines as symbols; and names in order unless one was
 * changed on the way ('?' for a control character, longer ones cut by take()). */
static void write_names(const struct ms_macho *macho, struct seen *seen)
{
    struct ms_nm_options options = {.format = MS_NM_NAMES, .stabs = true};
    struct ms_nm_result result;
    bool plain = true;
    for (uint32_t i = 0; i < macho->n_nlist && plain; i++) {
        bool bad;
        const char *name = ms_nlist_at(macho, i, &bad).name;
        size_t n = strlen(name);
        plain = !bad && n < sizeof seen->line / 2;
        for (size_t j = 0; j < n && plain; j++)
            plain = (unsigned char)name[j] >= 0x20 && (unsigned char)name[j] < 0x7f;
    }
    write_one(macho, &options, seen, &result);
    if (plain && !seen->in_order)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes file = {data, size};
    struct ms_macho macho;
    struct ms_error err;
    struct seen seen = {0};
    struct ms_nm_result result;
    size_t total = 0;
    if (ms_macho_parse(file, "fuzz", &macho, &err) != MS_OK)
        return 0;
    unsigned dice = (unsigned)size; /* which form and order is up to the input */
    for (size_t i = 0; i < size; i += 1 + size / 64)
        dice = dice * 31 + data[i];
    struct ms_nm_options options = {.format = (enum ms_nm_format)(dice % 5),
                                    .order = (enum ms_nm_order)(dice / 5 % 3),
                                    .stabs = dice & 0x40,
                                    .reverse = dice & 0x80,
                                    .radix = dice & 0x100   ? 16
                                             : dice & 0x200 ? 10
                                                            : 8,
                                    .demangle = dice & 0x400,
                                    .demangle_style = dice & 0x800 ? MS_DEMANGLE_SIMPLIFIED : 0,
                                    .defined_only = dice % 7 == 0,
                                    .external_only = dice % 11 == 0,
                                    .undefined_only = dice % 13 == 0,
                                    .no_weak = dice % 17 == 0,
                                    .prefix = dice % 19 ? NULL : "f: "};
    if (dice % 23 == 0) {
        options.segment = "__TEXT";
        options.section = "__text";
    }
    /* One form an input: there are more of them a second then. */
    if (dice >> 12 & 1) {
        write_one(&macho, &options, &seen, &result);
        total += seen.bytes;
    } else if (dice >> 13 & 1) {
        write_names(&macho, &seen);
    } else {
        struct ms_sink sink = {.write = take, .to = &seen};
        struct ms_json json;
        ms_json_init(&json, &sink, 0);
        (void)ms_nm_write_json(&macho, &options, &json, &result, &err);
    }
    ms_macho_fini(&macho);
    return total == SIZE_MAX;
}
