#include "dwarf/line_scan.h"

#include "dwarf/fault.h"
#include "dwarf/ranges.h"
#include "dwarf/reader.h"
#include "dwarf/scan.h"

/* A sequence under way. Its rows count only once its end is known. */
struct sequence {
    bool open;
    enum ms_trust trust;
    size_t first, next; /* addresses [first, next) have a pending row */
    struct ms_line_row row; /* the last one */
};

static void start(struct sequence *s, const struct ms_line_machine *m, const uint64_t *addresses,
                  size_t n)
{
    s->open = true;
    s->row = m->row;
    s->first = s->next = ms_lower_bound(addresses, n, m->row.address);
    s->trust = MS_TRUST_NONE;
    if (s->next < n)
        s->trust = ms_dwarf_trust(m->header->unit->dwarf, m->row.address);
}

static void commit(const struct sequence *s, const struct ms_dwarf *dwarf,
                   const uint64_t *addresses, struct ms_row_hit *hits,
                   const struct ms_row_hit *pending, uint64_t high)
{
    for (size_t i = s->first; i < s->next && addresses[i] < high; i++) {
        if ((hits[i].high && hits[i].high <= high) ||
            !ms_trust_allows(dwarf, s->trust, addresses[i]))
            continue;
        hits[i] = pending[i];
        hits[i].high = high;
    }
}

enum ms_status ms_line_scan(struct ms_line_machine *machine, const uint64_t *addresses, size_t n,
                            struct ms_row_hit *hits, struct ms_row_hit *pending, uint64_t *budget,
                            struct ms_error *err)
{
    const struct ms_dwarf *dwarf = machine->header->unit->dwarf;
    struct sequence s = {0};
    while (ms_line_next(machine)) {
        const struct ms_line_row *row = &machine->row;
        if (!s.open) {
            start(&s, machine, addresses, n);
        } else if (s.trust != MS_TRUST_NONE) {
            /* A row that goes back claims nothing a second time: `next` only moves on. */
            struct ms_row_hit hit = {0, s.row.file, s.row.line, s.row.column};
            while (s.next < n && addresses[s.next] < row->address && *budget) {
                pending[s.next++] = hit;
                --*budget;
            }
            s.row = *row;
        }
        if (!row->end)
            continue;
        if (s.next > s.first)
            commit(&s, dwarf, addresses, hits, pending, row->address);
        s.open = false;
        if (!*budget)
            return ms_dwarf_fail(err, MS_E_LIMIT, dwarf->s.where,
                                 "__debug_line", machine->header->off,
                                 "line table: sequences overlap too often");
    }
    return machine->c.bad || s.open ? ms_line_machine_fail(machine, err) : MS_OK;
}
