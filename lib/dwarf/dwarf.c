#include "dwarf/dwarf.h"

#include "dwarf/keep.h"
#include "dwarf/reader.h"
#include "machsym/workers.h"

#include <stdlib.h>

enum { DEFAULT_KEPT = 64 << 20 };

/* Cuts what stands behind the last NUL, so that no string can run out of its section. */
static struct ms_bytes end_strings(struct ms_bytes section)
{
    while (section.n && section.at[section.n - 1])
        section.n--;
    return section;
}

enum ms_status ms_dwarf_open(const struct ms_dwarf_sections *sections, struct ms_dwarf **out,
                             struct ms_error *err)
{
    *out = NULL;
    if (!sections->info.n)
        return MS_ABSENT;
    struct ms_dwarf *dwarf = calloc(1, sizeof *dwarf);
    if (!dwarf)
        return ms_fail_memory(err);
    dwarf->s = *sections;
    dwarf->s.str = end_strings(sections->str);
    dwarf->s.line_str = end_strings(sections->line_str);
    if (!dwarf->s.where)
        dwarf->s.where = "";
    if (!dwarf->s.n_code) /* no section says that it is code: nothing is known of it */
        dwarf->s.code = NULL;
    dwarf->max_kept = DEFAULT_KEPT;
    dwarf->n_workers = 1;
    ms_abbrev_cache_init(&dwarf->abbrevs, sections->abbrev, sections->big, dwarf->s.where);
    *out = dwarf;
    return MS_OK;
}

void ms_dwarf_close(struct ms_dwarf *dwarf)
{
    if (!dwarf)
        return;
    ms_keep_close(dwarf->keep);
    ms_abbrev_cache_fini(&dwarf->abbrevs);
    ms_unit_map_fini(&dwarf->units);
    free(dwarf);
}

void ms_dwarf_set_workers(struct ms_dwarf *dwarf, size_t n)
{
    dwarf->n_workers = n < 1 ? 1 : n > MS_MAX_WORKERS ? MS_MAX_WORKERS : n;
}

void ms_dwarf_set_max_kept(struct ms_dwarf *dwarf, size_t bytes)
{
    dwarf->max_kept = bytes;
}

void ms_dwarf_set_hinter(struct ms_dwarf *dwarf, const struct ms_dwarf_hinter *hinter)
{
    dwarf->hinter = hinter ? *hinter : (struct ms_dwarf_hinter){.ask = NULL};
}

void ms_dwarf_set_done(struct ms_dwarf *dwarf, void (*done_with)(void *owner, struct ms_bytes unit),
                       void *owner)
{
    dwarf->s.done_with = done_with;
    dwarf->s.done_owner = owner;
}

void ms_dwarf_set_meter(struct ms_dwarf *dwarf, void (*went_through)(void *owner, uint64_t bytes),
                        void *owner)
{
    dwarf->s.went_through = went_through;
    dwarf->s.owner = owner;
}
