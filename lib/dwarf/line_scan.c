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
    uint64_t wanted;    /* addresses[next]: a row beyond it ends the row that has it */
};

static struct sequence start(const struct ms_dwarf *dwarf, uint64_t low, const uint64_t *addresses,
                             size_t n)
{
    struct sequence s = {true, MS_TRUST_NONE, 0, 0, UINT64_MAX};
    s.first = s.next = ms_lower_bound(addresses, n, low);
    if (s.next < n)
        s.trust = ms_dwarf_trust(dwarf, low);
    if (s.trust != MS_TRUST_NONE)
        s.wanted = addresses[s.next];
    return s;
}

/* The row at hand has all addresses below `end` that come next. One that goes back claims
 * nothing a second time: `next` only moves on. */
static struct sequence claim(struct sequence s, const struct ms_row_hit *row, uint64_t end,
                             const uint64_t *addresses, size_t n, struct ms_row_hit *pending,
                             uint64_t *budget)
{
    while (s.next < n && addresses[s.next] < end && *budget) {
        pending[s.next++] = *row;
        --*budget;
    }
    s.wanted = s.next < n && *budget ? addresses[s.next] : UINT64_MAX;
    return s;
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

enum ms_status ms_line_scan(const struct ms_line_machine *machine, const uint64_t *addresses,
                            size_t n, struct ms_row_hit *hits, struct ms_row_hit *pending,
                            uint64_t *budget, struct ms_error *err)
{
    const struct ms_dwarf *dwarf = machine->header->unit->dwarf;
    struct sequence s = {0};
    struct ms_line_state state = ms_line_state_at(0);
    uint32_t file = 0, line = 0, column = 0; /* of the row before */
    uint64_t low = 0;
    while (ms_line_next(machine, &state)) {
        if (!s.open)
            s = start(dwarf, state.address, addresses, n);
        else if (s.wanted < state.address)
            s = claim(s, &(struct ms_row_hit){0, file, line, column, low}, state.address, addresses,
                      n, pending, budget);
        file = state.file;
        line = state.line;
        column = state.column;
        low = state.address;
        if (!state.end)
            continue;
        if (s.next > s.first)
            commit(&s, dwarf, addresses, hits, pending, state.address);
        s.open = false;
        if (!*budget)
            return ms_dwarf_fail(err, MS_E_LIMIT, dwarf->s.where, "__debug_line",
                                 machine->header->off, "line table: sequences overlap too often");
    }
    return state.fault || s.open ? ms_line_machine_fail(machine, &state, err) : MS_OK;
}
