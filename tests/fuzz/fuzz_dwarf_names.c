/*
 * The tables that lead from names to DIEs. The first byte chooses the program (as for the other
 * DWARF targets); its highest bit says that the second section is there, too. Then the length of
 * the table in two bytes, little-endian, with .debug_names for odd kinds of a second byte and
 * __apple_names for even ones; the table; and, with that bit, .debug_info.
 *
 * Whatever the table says, a sound .debug_info gives the answers that it gives without a table.
 */
#include "fuzz/dwarf_target.h"
#include "unit/dwarf_names.h"

static const uint64_t asked[] = {0x1000, 0x140f, 0x1012, 0x10ff, 0x1200, 0x1019, 0x130f, 0x123f};
enum { N_ASKED = sizeof asked / sizeof *asked };

/* The strings of the program, and behind them the one that stands in its .debug_info. */
static struct ms_bytes strings_of(const struct program *p)
{
    static uint8_t strings[4096];
    static const char last[] = "split";
    size_t n = p->image.str.n;
    if (n + sizeof last > sizeof strings)
        abort();
    memcpy(strings, p->image.str.at, n);
    memcpy(strings + n, last, sizeof last);
    return (struct ms_bytes){strings, n + sizeof last};
}

static void find(struct ms_dwarf *dwarf, const uint64_t *addresses, size_t n,
                 const struct ms_dwarf_hinter *hinter, struct ms_dwarf_answers *out)
{
    ms_dwarf_set_hinter(dwarf, hinter);
    if (ms_dwarf_find_many(dwarf, addresses, n, out, NULL) != MS_OK)
        abort(); /* only for want of memory */
}

static void compare(const struct ms_dwarf_answers *named, const struct ms_dwarf_answers *whole)
{
    for (size_t i = 0; i < whole->n_hits; i++) {
        const struct ms_dwarf_hit *a = &named->hits[i], *b = &whole->hits[i];
        bool same = a->status == b->status && a->n_frames == b->n_frames && a->row_vm == b->row_vm;
        for (uint32_t k = 0; same && k < a->n_frames; k++)
            same = target_same(&a->frames[k], &b->frames[k]) &&
                   a->frames[k].die_off == b->frames[k].die_off;
        if (!same) {
            fprintf(stderr, "by name and by the whole pass differ at 0x%llx\n",
                    (unsigned long long)asked[i % N_ASKED]);
            abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct names_symbols symbols = {program_symbols, 4, 0, MS_OK};
    const struct ms_dwarf_hinter hinter = {.owner = &symbols, .always = true, .ask = names_ask};
    struct ms_dwarf_answers named = {0}, whole = {0};
    struct ms_dwarf *dwarf;
    if (size < 4)
        return 0;
    struct ms_dwarf_sections s = dw_sections(&target_program(data[0] & 0x7f)->image);
    s.str = strings_of(target_program(data[0] & 0x7f));
    size_t n = data[2] | (size_t)data[3] << 8, left = size - 4;
    struct ms_bytes table = {data + 4, n < left ? n : left};
    bool sound = !(data[0] & 0x80);
    if (data[1] & 1)
        s.names = table;
    else
        s.apple_names = table;
    if (!sound)
        s.info = (struct ms_bytes){data + 4 + table.n, left - table.n};
    if (ms_dwarf_open(&s, &dwarf, NULL) != MS_OK)
        return 0;
    for (size_t i = 0; i + 2 <= N_ASKED; i += 2) { /* twos first: one alone may be certain */
        find(dwarf, asked + i, i ? 2 : N_ASKED, &hinter, &named);
        find(dwarf, asked + i, i ? 2 : N_ASKED, NULL, &whole);
        if (sound)
            compare(&named, &whole);
        ms_dwarf_answers_fini(&named);
        ms_dwarf_answers_fini(&whole);
    }
    ms_dwarf_close(dwarf);
    return 0;
}
