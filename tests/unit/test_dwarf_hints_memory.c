/* Memory that runs out at the n-th allocation while functions are looked for by their names. */
#include "unit/dwarf_names.h"
#include "unit/memory_out.h"

#include <criterion/criterion.h>

static const uint64_t addresses[] = {0x1000, 0x140f, 0x1012, 0x10ff, 0x1200, 0x1019, 0x130f};

static enum ms_status run(const struct ms_dwarf_sections *sections, bool by_name,
                          struct ms_error *err)
{
    struct names_symbols symbols = {program_symbols, 4, 0, MS_OK};
    const struct ms_dwarf_hinter hinter = {.owner = &symbols, .always = true, .ask = names_ask};
    struct ms_dwarf_answers out = {0};
    struct ms_dwarf *dwarf;
    enum ms_status status = ms_dwarf_open(sections, &dwarf, err);
    if (status != MS_OK)
        return status;
    ms_dwarf_set_hinter(dwarf, &hinter);
    status = ms_dwarf_find_many(dwarf, addresses, 7, &out, err);
    if (status == MS_OK) { /* by name the end of the unit, which is broken, isn't seen */
        cr_assert_eq(out.n_errors, !by_name);
        cr_assert_eq(out.hits[2].n_frames, 3);
    }
    ms_dwarf_answers_fini(&out);
    ms_dwarf_close(dwarf);
    return status;
}

static void exhaust(bool by_name)
{
    struct program p = program_make(5, 8, 4, false, true);
    struct dw table = {0};
    struct names_item items[] = {{"walk", dw_str(&p.image.str, "walk"), 1, {p.walk, 0, 0, 0}},
                                 {"split", dw_str(&p.image.str, "split"), 1, {p.split, 0, 0, 0}},
                                 {"_ZN1N1S6methodEv", 0, 1, {p.concrete, 0, 0, 0}}};
    items[2].string = dw_str(&p.image.str, items[2].text);
    program_aranges(&p);
    p.image.info.at[p.image.info.n - 1] = 0x7f;
    names_debug(&table, items, by_name ? 3 : 2, 2, 4, 0);
    struct ms_dwarf_sections sections = dw_sections(&p.image);
    sections.names = dw_section(&table);
    for (long n = CAN_FAIL ? 0 : 999;; n++) {
        struct ms_error err;
        memset(&err, 0, sizeof err);
        long before = alive;
        countdown = n;
        enum ms_status status = run(&sections, by_name, &err);
        countdown = -1;
        cr_assert_eq(alive, before, "allocation %ld: %ld blocks lost", n, alive - before);
        if (status == MS_OK) {
            cr_assert_gt(n, 10);
            break;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d", n, status);
        cr_assert_eq(err.status, MS_E_NOMEM);
        cr_assert_lt(n, 1000);
    }
    free(table.at);
    dw_close(&p.image);
}

Test(dwarf_hints_memory, by_name)
{
    exhaust(true);
}

/* The method isn't in the table: the unit is passed after all. */
Test(dwarf_hints_memory, not_by_name)
{
    exhaust(false);
}
