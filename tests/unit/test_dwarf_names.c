/* Tables that lead from names to DIEs: hits, misses, and all that can be wrong with them. */
#include "dwarf/apple_names.h"
#include "dwarf/debug_names.h"
#include "unit/dwarf_names.h"

#include <criterion/criterion.h>

/* "Aa" and "B@" have one hash, and so have "aa", "b@" and, in small letters, "Aa". */
static const char *const texts[] = {"Aa", "B@", "aa", "b@", "walk", "_ZN1N1S6methodEv", "-[C m:]"};
enum { N_TEXTS = sizeof texts / sizeof *texts };

struct table {
    struct dw bytes, strings;
    struct names_item items[N_TEXTS];
    struct ms_apple_names apple;
    struct ms_debug_names names;
    bool is_apple, is_open;
};

static void fill(struct table *t, bool big)
{
    memset(t, 0, sizeof *t);
    t->bytes.big = t->strings.big = big;
    dw_u8(&t->strings, 0);
    for (unsigned i = 0; i < N_TEXTS; i++) {
        t->items[i].text = texts[i];
        t->items[i].string = dw_str(&t->strings, texts[i]);
        t->items[i].n_dies = i == 1 ? 3 : 1;
        for (unsigned k = 0; k < NAMES_MAX_DIES; k++)
            t->items[i].dies[k] = 0x100 + 0x10 * i + k;
    }
}

static enum ms_status reopen(struct table *t, struct ms_error *err)
{
    struct ms_bytes section = dw_section(&t->bytes), strings = dw_section(&t->strings);
    if (t->is_open)
        ms_debug_names_close(&t->names);
    t->is_open = true;
    return t->is_apple ? ms_apple_names_open(section, strings, t->bytes.big, "t", &t->apple, err)
                       : ms_debug_names_open(section, strings, t->bytes.big, "t", &t->names, err);
}

static void make_apple(struct table *t, bool big, unsigned n_buckets)
{
    fill(t, big);
    t->is_apple = true;
    names_apple(&t->bytes, t->items, N_TEXTS, n_buckets);
    cr_assert_eq(reopen(t, NULL), MS_OK);
}

static void make_debug(struct table *t, bool big, unsigned n_buckets, unsigned offset_size)
{
    fill(t, big);
    names_debug(&t->bytes, t->items, N_TEXTS, n_buckets, offset_size, 0x40);
    cr_assert_eq(reopen(t, NULL), MS_OK);
}

static void drop(struct table *t)
{
    ms_debug_names_close(&t->names);
    free(t->bytes.at);
    free(t->strings.at);
}

struct found {
    uint64_t dies[8];
    unsigned n, most;
};

static bool take(void *owner, uint64_t die_off)
{
    struct found *found = owner;
    if (found->n < 8)
        found->dies[found->n] = die_off;
    return ++found->n != found->most;
}

static bool find_within(const struct table *t, const char *name, uint64_t low, uint64_t high,
                        uint64_t budget, struct found *out)
{
    const struct ms_named named = {name, low, high, &budget, take, out};
    out->n = 0;
    return t->is_apple ? ms_apple_names_find(&t->apple, &named)
                       : ms_debug_names_find(&t->names, &named);
}

static bool find(const struct table *t, const char *name, struct found *out)
{
    out->most = 0;
    return find_within(t, name, 0, UINT64_MAX, 1000, out);
}

static void expect_all(const struct table *t)
{
    struct found found;
    for (unsigned i = 0; i < N_TEXTS; i++) {
        cr_assert(find(t, texts[i], &found), "%s", texts[i]);
        cr_assert_eq(found.n, t->items[i].n_dies, "%s: %u", texts[i], found.n);
        for (unsigned k = 0; k < found.n; k++)
            cr_assert_eq(found.dies[k], t->items[i].dies[k]);
    }
    for (const char *const *name = (const char *const[]){"AA", "bA", "wal", "walk2", "", NULL};
         *name; name++) {
        cr_assert(find(t, *name, &found), "%s", *name);
        cr_assert_eq(found.n, 0, "%s", *name);
    }
    /* Some of the three, and an end after the second. */
    found.most = 0;
    cr_assert(find_within(t, "B@", 0x111, 0x112, 1000, &found));
    cr_assert_eq(found.n, 1);
    cr_assert_eq(found.dies[0], 0x111);
    found.most = 2;
    cr_assert_not(find_within(t, "B@", 0, UINT64_MAX, 1000, &found));
    cr_assert_eq(found.n, 2);
    found.most = 0;
    for (uint64_t budget = 0; budget < 3; budget++)
        cr_assert_not(find_within(t, "B@", 0, UINT64_MAX, budget, &found));
}

Test(dwarf_names, both_tables_of_every_shape)
{
    struct table t;
    for (unsigned n_buckets = 1; n_buckets < 12; n_buckets++) {
        for (int big = 0; big < 2; big++) {
            make_apple(&t, big, n_buckets);
            expect_all(&t);
            drop(&t);
            for (unsigned size = 4; size <= 8; size += 4) {
                make_debug(&t, big, n_buckets, size);
                expect_all(&t);
                drop(&t);
            }
        }
    }
}

Test(dwarf_names, nothing_there)
{
    struct table t;
    struct found found;
    fill(&t, false);
    cr_assert_eq(reopen(&t, NULL), MS_ABSENT);
    t.is_apple = true;
    cr_assert_eq(reopen(&t, NULL), MS_ABSENT);
    names_apple(&t.bytes, t.items, 0, 1);
    cr_assert_eq(reopen(&t, NULL), MS_OK);
    cr_assert(find(&t, "walk", &found));
    cr_assert_eq(found.n, 0);
    t.strings.n = 0; /* no strings: no names */
    cr_assert_eq(reopen(&t, NULL), MS_ABSENT);
    drop(&t);
    fill(&t, false);
    names_debug(&t.bytes, t.items, 0, 1, 4, 0);
    cr_assert_eq(reopen(&t, NULL), MS_OK);
    cr_assert(find(&t, "walk", &found));
    cr_assert_eq(found.n, 0);
    drop(&t);
}

/* Writes a number into a table, and expects that it can't be opened then. */
static void expect_bad(struct table *t, size_t at, uint64_t value, unsigned size,
                       enum ms_status status, uint64_t offset, const char *text)
{
    struct ms_error err;
    uint8_t before[8];
    memcpy(before, t->bytes.at + at, size);
    dw_write(&t->bytes, at, value, size);
    cr_assert_eq(reopen(t, &err), status, "%s", text);
    cr_assert_str_eq(err.where, t->is_apple ? "t __apple_names" : "t __debug_names");
    cr_assert_str_eq(err.text, text, "%s", err.text);
    cr_assert_eq(err.offset, offset, "%s: 0x%llx", text, (unsigned long long)err.offset);
    memcpy(t->bytes.at + at, before, size);
}

Test(dwarf_names, apple_headers_that_are_wrong)
{
    struct table t;
    struct ms_error err;
    make_apple(&t, false, 4);
    expect_bad(&t, 0, 0x48415349, 4, MS_E_FORMAT, 0, "magic HASH expected, found 1212240713");
    expect_bad(&t, 4, 2, 2, MS_E_UNSUPPORTED, 4, "version 1 expected, found 2");
    expect_bad(&t, 6, 1, 2, MS_E_UNSUPPORTED, 6, "hash function 0 expected, found 1");
    expect_bad(&t, 8, 0, 4, MS_E_FORMAT, 8, "hashes need buckets, found 0");
    expect_bad(&t, 8, UINT32_MAX, 4, MS_E_FORMAT, 12,
               "more hashes than the section holds, found 7");
    expect_bad(&t, 12, UINT32_MAX, 4, MS_E_FORMAT, 12,
               "more hashes than the section holds, found 4294967295");
    expect_bad(&t, 16, 15, 4, MS_E_FORMAT, 16, "header data shorter than its atoms, found 15");
    expect_bad(&t, 16, UINT32_MAX, 4, MS_E_FORMAT, 12,
               "more hashes than the section holds, found 7");
    expect_bad(&t, 20, 1, 4, MS_E_UNSUPPORTED, 20, "offsets count from a base, found 1");
    expect_bad(&t, 24, 17, 4, MS_E_FORMAT, 24, "16 atoms at most expected, found 17");
    expect_bad(&t, 28, 2, 2, MS_E_UNSUPPORTED, 28, "offsets count from units, found 2");
    expect_bad(&t, 28, 9, 2, MS_E_UNSUPPORTED, 28,
               "a DIE's offset of 4 or 8 bytes expected, found 0");
    expect_bad(&t, 30, DW_FORM_data2, 2, MS_E_UNSUPPORTED, 28,
               "a DIE's offset of 4 or 8 bytes expected, found 2");
    expect_bad(&t, 30, DW_FORM_udata, 2, MS_E_UNSUPPORTED, 28,
               "atom of a form without a size, found 15");
    expect_bad(&t, 30, 0x99, 2, MS_E_UNSUPPORTED, 28, "atom of a form without a size, found 153");
    t.bytes.n = 19;
    cr_assert_eq(reopen(&t, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "header cut short, bytes, found 19", "%s", err.text);
    drop(&t);
}

Test(dwarf_names, debug_headers_that_are_wrong)
{
    struct table t;
    struct ms_error err;
    make_debug(&t, false, 4, 4);
    /* length 4, version 2, padding 2, counts 3 * 4, buckets, names, abbreviations, text 4 + 8,
     * unit 4, buckets 16, hashes, strings, entries 3 * 28 */
    const size_t abbrevs = 44 + 4 + 16 + 3 * 28;
    uint32_t length = (uint32_t)t.bytes.n - 4;
    expect_bad(&t, 0, length + 1, 4, MS_E_FORMAT, 0,
               "name index: longer than the section, found 266");
    expect_bad(&t, 0, 30, 4, MS_E_FORMAT, 0, "name index: header cut short, bytes, found 30");
    expect_bad(&t, 4, 4, 2, MS_E_UNSUPPORTED, 0, "name index: version 5 expected, found 4");
    expect_bad(&t, 8, UINT32_MAX, 4, MS_E_FORMAT, 0,
               "name index: more names than it holds, found 7");
    expect_bad(&t, 16, UINT32_MAX, 4, MS_E_FORMAT, 0,
               "name index: more names than it holds, found 7");
    expect_bad(&t, 20, 0, 4, MS_E_UNSUPPORTED, 0, "name index: no hashes for its names, found 7");
    expect_bad(&t, 24, UINT32_MAX, 4, MS_E_FORMAT, 0,
               "name index: more names than it holds, found 4294967295");
    expect_bad(&t, 28, UINT32_MAX, 4, MS_E_FORMAT, 0,
               "name index: more names than it holds, found 7");
    expect_bad(&t, 32, UINT32_MAX, 4, MS_E_FORMAT, 0,
               "name index: header cut short, bytes, found 265");
    /* The abbreviations: cut, of an unknown form, of a form of any length, both of one code. */
    const char *const strange = "name index: abbreviations cut short or strange, bytes, found 18";
    cr_assert_eq(t.bytes.at[abbrevs], 0xac);
    expect_bad(&t, 28, 5, 4, MS_E_FORMAT, 0,
               "name index: abbreviations cut short or strange, bytes, found 5");
    expect_bad(&t, abbrevs + 4, 0x99, 1, MS_E_FORMAT, 0, strange);
    expect_bad(&t, abbrevs + 4, DW_FORM_string, 1, MS_E_FORMAT, 0, strange);
    expect_bad(&t, abbrevs + 4, DW_FORM_indirect, 1, MS_E_FORMAT, 0, strange);
    expect_bad(&t, abbrevs, 0x0087, 2, MS_E_FORMAT, 0,
               "name index: two abbreviations of one code, found 7");
    /* Many indexes, each of no names. */
    t.bytes.n = 0;
    for (int i = 0; i < 65; i++)
        names_debug(&t.bytes, t.items, 0, 1, 4, 0);
    cr_assert_eq(reopen(&t, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "name index: more than 64 of them, found 64", "%s", err.text);
    drop(&t);
}

/* Writes a number into a table that opens nevertheless, and expects that a name isn't certain. */
static void expect_unsure(struct table *t, size_t at, uint64_t value, unsigned size,
                          const char *name)
{
    struct found found;
    uint8_t before[8];
    memcpy(before, t->bytes.at + at, size);
    dw_write(&t->bytes, at, value, size);
    cr_assert_eq(reopen(t, NULL), MS_OK, "at %zu", at);
    cr_assert_not(find(t, name, &found), "at %zu", at);
    memcpy(t->bytes.at + at, before, size);
}

Test(dwarf_names, apple_tables_that_lie)
{
    struct table t;
    struct found found;
    make_apple(&t, false, 1);
    /* header 36; one bucket; 7 hashes, 7 offsets, and the lists */
    size_t offsets = 36 + 4 + 28, lists = offsets + 28, i = 0;
    while (ms_load_u32(t.bytes.at + 40 + 4 * i, false) != names_hash("walk", false))
        i++;
    size_t list = ms_load_u32(t.bytes.at + offsets + 4 * i, false);
    cr_assert(list >= lists);
    expect_unsure(&t, 36, 7, 4, "walk");                       /* a bucket behind all hashes */
    expect_unsure(&t, offsets + 4 * i, UINT32_MAX, 4, "walk"); /* a list outside */
    expect_unsure(&t, offsets + 4 * i, t.bytes.n - 3, 4, "walk");
    expect_unsure(&t, list, t.strings.n, 4, "walk");    /* a string outside */
    expect_unsure(&t, list + 4, UINT32_MAX, 4, "walk"); /* DIEs without end */
    expect_unsure(&t, list + 4, 0x10000, 4, "walk");
    /* Another name's DIEs without end are passed over, to no good. */
    dw_write(&t.bytes, list, t.items[0].string, 4);
    expect_unsure(&t, list + 4, UINT32_MAX, 4, "walk");
    /* With a sound count there is only no such name. */
    cr_assert_eq(reopen(&t, NULL), MS_OK);
    cr_assert(find(&t, "walk", &found));
    cr_assert_eq(found.n, 0);
    drop(&t);
}

Test(dwarf_names, debug_tables_that_lie)
{
    struct table t;
    struct found found;
    make_debug(&t, false, 1, 4);
    size_t hashes = 48 + 4, strings = hashes + 28, entries = strings + 28, i = 0;
    size_t pool = entries + 28 + 18;
    while (ms_load_u32(t.bytes.at + hashes + 4 * i, false) != names_hash("walk", true))
        i++;
    size_t list = pool + ms_load_u32(t.bytes.at + entries + 4 * i, false);
    expect_unsure(&t, 48, 8, 4, "walk"); /* a bucket behind all names */
    expect_unsure(&t, strings + 4 * i, t.strings.n, 4, "walk");
    expect_unsure(&t, entries + 4 * i, t.bytes.n, 4, "walk");
    expect_unsure(&t, entries + 4 * i, UINT32_MAX, 4, "walk");
    expect_unsure(&t, list, 8, 1, "walk");     /* no such abbreviation */
    expect_unsure(&t, list + 7, 1, 1, "walk"); /* no such unit */
    /* A unit's offset with which the DIE's runs over. */
    dw_write(&t.bytes, 44, UINT32_MAX, 4);
    cr_assert_eq(reopen(&t, NULL), MS_OK);
    found.most = 0;
    cr_assert(find_within(&t, "walk", 0, UINT32_MAX, 100, &found));
    cr_assert_eq(found.n, 0);
    cr_assert(find(&t, "walk", &found));
    cr_assert_eq(found.dies[0], UINT32_MAX + (t.items[4].dies[0] - 0x40));
    cr_assert_not(find(&t, "w\303\244lk", &found), "what small letters are beyond ASCII");
    drop(&t);
}

/* Whatever is cut off: never another DIE than the whole table has, nor a read outside. */
static void cut_everywhere(struct table *t, uint64_t budget)
{
    struct found found;
    const size_t n = t->bytes.n;
    uint8_t *whole = t->bytes.at;
    for (size_t cut = 0; cut < n; cut++) {
        t->bytes.at = malloc(cut + 1); /* so that a read outside is seen */
        memcpy(t->bytes.at, whole, cut);
        t->bytes.n = cut;
        if (!t->is_apple && cut >= 4)
            dw_write(&t->bytes, 0, cut - 4, 4);
        found.most = 0;
        if (reopen(t, NULL) == MS_OK) {
            for (unsigned i = 0; i < N_TEXTS; i++) {
                (void)find_within(t, texts[i], 0, UINT64_MAX, budget, &found);
                for (unsigned k = 0; k < found.n; k++)
                    cr_assert_eq(found.dies[k], t->items[i].dies[k]);
            }
        }
        free(t->bytes.at);
    }
    t->bytes.at = whole;
    t->bytes.n = n;
}

Test(dwarf_names, tables_cut_anywhere)
{
    struct table t;
    for (unsigned n_buckets = 1; n_buckets < 6; n_buckets += 2) {
        make_apple(&t, false, n_buckets);
        cut_everywhere(&t, 1000);
        drop(&t);
        make_debug(&t, false, n_buckets, 4);
        cut_everywhere(&t, 1000);
        drop(&t);
    }
}

/* A list of entries of which each has a number written with as many bytes as one likes. */
Test(dwarf_names, long_numbers_cost)
{
    struct table t;
    struct found found;
    fill(&t, false);
    names_debug(&t.bytes, t.items, 1, 1, 4, 0x40);
    t.bytes.n -= 1 + 6; /* the end, and the last entry */
    dw_u8(&t.bytes, 0x87);
    for (int i = 0; i < 6000; i++)
        dw_u8(&t.bytes, 0x80);
    dw_bytes(&t.bytes, "\0\0\1\0\0\0\0", 7);
    dw_write(&t.bytes, 0, t.bytes.n - 4, 4);
    cr_assert_eq(reopen(&t, NULL), MS_OK);
    found.most = 0;
    uint64_t budget = 1000;
    const struct ms_named named = {"Aa", 0, UINT64_MAX, &budget, take, &found};
    found.n = 0;
    (void)ms_debug_names_find(&t.names, &named);
    cr_assert_lt(budget, 1000 - 6000 / 64, "%llu", (unsigned long long)budget);
    drop(&t);
}
