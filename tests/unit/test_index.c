/* The hash table, and what stands on it: symbols by name and by address. */
#include "base/index.h"
#include "base/text.h"
#include "machsym/error.h"
#include "machsym/output.h"
#include "resolve/names.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(index, finds_every_number_and_no_other)
{
    struct ms_index index = {NULL, 0, 0};
    size_t probe = 0;
    cr_assert_eq(ms_index_next(&index, 1, &probe), MS_INDEX_NONE, "nothing in an empty one");
    for (uint32_t i = 0; i < 10000; i++)
        cr_assert(ms_index_add(&index, ms_hash(0, &i, sizeof i), i));
    for (uint32_t i = 0; i < 20000; i++) {
        uint32_t got;
        bool found = false;
        for (probe = 0;
             (got = ms_index_next(&index, ms_hash(0, &i, sizeof i), &probe)) != MS_INDEX_NONE;)
            found |= got == i;
        cr_assert_eq(found, i < 10000, "%u", i);
    }
    ms_index_fini(&index);
}

Test(index, gives_all_of_one_hash)
{
    struct ms_index index = {NULL, 0, 0};
    for (uint32_t i = 0; i < 100; i++)
        cr_assert(ms_index_add(&index, i % 2 ? UINT64_MAX : 7, i));
    size_t n = 0;
    for (size_t probe = 0; ms_index_next(&index, UINT64_MAX, &probe) != MS_INDEX_NONE;)
        n++;
    cr_assert_eq(n, 50);
    ms_index_fini(&index);
}

Test(hash, depends_on_every_byte_and_on_the_length)
{
    char text[40] = {0};
    uint64_t zero = ms_hash(0, text, sizeof text);
    for (size_t i = 0; i < sizeof text; i++) {
        cr_assert_neq(ms_hash(0, text, i), zero);
        text[i] = 1;
        cr_assert_neq(ms_hash(0, text, sizeof text), zero);
        text[i] = 0;
    }
    cr_assert_neq(ms_hash(1, text, 8), ms_hash(0, text, 8));
}

/* ---- symbols ----------------------------------------------------------------------------- */

struct entry {
    const char *name;
    uint64_t value;
    uint8_t type;
};

/* A symbol table of 64-bit entries, as an image that has nothing else. */
static struct ms_macho *make(const struct entry *entries, uint32_t n)
{
    uint8_t *nlist = calloc(n, 16);
    char *strings = calloc(n + 1, 64);
    size_t at = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t off = (uint32_t)at;
        at += strlen(strcpy(strings + at, entries[i].name)) + 1;
        memcpy(nlist + 16 * i, &off, 4);
        nlist[16 * i + 4] = entries[i].type;
        nlist[16 * i + 5] = 1;
        memcpy(nlist + 16 * i + 8, &entries[i].value, 8);
    }
    struct ms_macho *macho = calloc(1, sizeof *macho);
    macho->is64 = true;
    macho->n_nlist = n;
    macho->nlist = (struct ms_bytes){nlist, 16 * n};
    macho->strings = (struct ms_bytes){(uint8_t *)strings, at};
    return macho;
}

static void unmake(struct ms_macho *macho)
{
    free((void *)(uintptr_t)macho->nlist.at);
    free((void *)(uintptr_t)macho->strings.at);
    free(macho);
}

Test(names, by_name_external_ones_first)
{
    static const struct entry entries[] = {
        {"_stab", 1, MS_N_FUN},
        {"_f", 2, MS_N_SECT},
        {"_f", 3, MS_N_SECT | MS_N_EXT},
        {"_f", 4, MS_N_SECT | MS_N_EXT},
        {"_g", 5, MS_N_SECT},
        {"g", 6, MS_N_SECT | MS_N_EXT},
        {"", 7, MS_N_SECT},
        {"_undefined", 0, MS_N_EXT},
        {"-[A b]", 8, MS_N_SECT},
    };
    static const struct {
        const char *name;
        uint64_t value; /* 0: absent */
    } expected[] = {{"f", 3},    {"_f", 3},        {"g", 6}, {"_g", 5},  {"-[A b]", 8},
                    {"stab", 0}, {"undefined", 0}, {"", 0},  {"__f", 0}, {"_", 0}};
    struct ms_macho *macho = make(entries, sizeof entries / sizeof *entries);
    struct ms_names names = {0};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        struct ms_nlist entry;
        enum ms_status status = ms_names_find(&names, macho, expected[i].name, &entry);
        cr_assert_eq(status, expected[i].value ? MS_OK : MS_ABSENT, "%s", expected[i].name);
        if (status == MS_OK)
            cr_assert_eq(entry.value, expected[i].value, "%s", expected[i].name);
    }
    ms_names_fini(&names);
    unmake(macho);
}

Test(names, by_address_in_the_order_of_the_table)
{
    static const struct entry entries[] = {
        {"_b", 9, MS_N_SECT}, {"_a", 9, MS_N_SECT}, {"_c", 4, MS_N_SECT},
        {"", 9, MS_N_SECT},   {"_s", 9, MS_N_FUN},  {"_d", 9, MS_N_SECT},
    };
    static const char *const expected[] = {"_b", "_a", "_d"};
    struct ms_macho *macho = make(entries, sizeof entries / sizeof *entries);
    struct ms_names names = {0};
    struct ms_nlist entry;
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(ms_names_at(&names, macho, 9, i, &entry), MS_OK);
        cr_assert_str_eq(entry.name, expected[i]);
    }
    cr_assert_eq(ms_names_at(&names, macho, 9, 3, &entry), MS_ABSENT);
    cr_assert_eq(ms_names_at(&names, macho, 4, 1, &entry), MS_ABSENT);
    cr_assert_eq(ms_names_at(&names, macho, 10, 0, &entry), MS_ABSENT);
    cr_assert_eq(ms_names_at(&names, macho, 0, 0, &entry), MS_ABSENT);
    ms_names_fini(&names);
    unmake(macho);
}

/* ---- control characters -------------------------------------------------------------------- */

static const char dirty[] = "a\x1b[31m\n\xc2\x9b"
                            "b\x7f\xc3\x9b\xc2\xa0\xc2";

Test(plain, no_control_character_stays)
{
    char text[sizeof dirty];
    memcpy(text, dirty, sizeof dirty);
    ms_text_make_plain(text);
    cr_assert_str_eq(text, "a?[31m???b?\xc3\x9b\xc2\xa0\xc2");
}

static bool append(void *to, const char *bytes, size_t n)
{
    strncat(to, bytes, n);
    return true;
}

Test(plain, written_to_a_sink)
{
    char text[64] = "";
    struct ms_sink sink = {.write = append, .to = text};
    ms_sink_plain(&sink, dirty);
    ms_sink_plain(&sink, "");
    ms_sink_plain(&sink, "\n");
    cr_assert_str_eq(text, "a?[31m??b?\xc3\x9b\xc2\xa0\xc2?");
}

Test(plain, in_growing_text)
{
    struct ms_text text;
    ms_text_init(&text, 100);
    ms_text_puts(&text, "\n");
    ms_text_plain_from(&text, 0, true);
    ms_text_puts(&text, dirty);
    ms_text_plain_from(&text, 1, false);
    cr_assert_str_eq(text.at, "\na?[31m???b?\xc3\x9b\xc2\xa0\xc2");
    ms_text_clear(&text);
    ms_text_puts(&text, "a\tb\r\n\x1b");
    ms_text_plain_from(&text, 0, true);
    cr_assert_str_eq(text.at, "a\tb?\n?");
    ms_text_fini(&text);
}
