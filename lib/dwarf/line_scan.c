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

/* What a look-up wants of rows. */
struct request {
    const uint64_t *addresses;
    size_t n;
    struct ms_row_hit *pending;
    uint64_t *budget;
};

/*
 * Runs on, within a sequence, up to an opcode of the rarer kinds, which stands at state->at
 * then. *row is the last row. Most rows are written as perhaps a column, perhaps a change of
 * is_stmt, perhaps a line advance, and a special opcode, so that is what is looked for; eight
 * bytes hold all of them. The registers are the processor's: a row takes some thirty
 * instructions, and stored in between it took twice as many.
 */
static struct sequence run_short_rows(const struct ms_line_machine *m, struct ms_line_state *state,
                                      struct sequence s, struct ms_row_hit *row,
                                      const struct request *request)
{
    const uint8_t *const bytes = m->program.at;
    const size_t last = m->program.n - 8;
    const unsigned opcode_base = m->opcode_base;
    size_t at = state->at;
    uint64_t address = state->address, wanted = s.wanted, row_address = row->low;
    uint32_t line = state->line, column = state->column;
    const uint64_t const_advance = (uint64_t)m->const_operations * m->header->min_inst_length;
    uint32_t file = state->file;
    uint32_t row_line = row->line, row_column = row->column, row_file = row->file;
    while (at <= last) {
        unsigned opcode = bytes[at];
        if (opcode == DW_LNS_set_column && bytes[at + 1] < 0x80) {
            column = bytes[at + 1];
            at += 2;
            opcode = bytes[at];
        }
        if (opcode == DW_LNS_negate_stmt) /* says nothing that is asked for */
            opcode = bytes[++at];
        if (opcode == DW_LNS_advance_line) {
            const unsigned low = bytes[at + 1], high = bytes[at + 2];
            if (low < 0x80) {
                line += (low ^ 0x40) - 0x40;
                at += 2;
            } else if (high < 0x80) {
                line += ((high << 7 | (low & 0x7f)) ^ 0x2000) - 0x2000;
                at += 3;
            } else {
                break;
            }
            opcode = bytes[at];
        }
        if (opcode < opcode_base) {
            if (opcode == DW_LNS_set_file && bytes[at + 1] < 0x80) {
                file = bytes[at + 1];
                at += 2;
            } else if (opcode == DW_LNS_const_add_pc) {
                address += const_advance;
                at++;
            } else if (opcode == DW_LNS_set_prologue_end) {
                at++;
            } else {
                break;
            }
            continue;
        }
        address += m->special[opcode].advance;
        if (wanted < address) {
            s = claim(s, &(struct ms_row_hit){0, row_file, row_line, row_column, row_address},
                      address, request->addresses, request->n, request->pending, request->budget);
            wanted = s.wanted;
        }
        line += (uint32_t)m->special[opcode].lines;
        at++;
        row_address = address;
        row_line = line;
        row_column = column;
        row_file = file;
    }
    state->at = at;
    state->address = address;
    state->file = file;
    state->line = line;
    state->column = column;
    *row = (struct ms_row_hit){0, row_file, row_line, row_column, row_address};
    return s;
}

/* Where the frequent opcodes are what they are by the standard, and operations are bytes. */
static bool has_short_rows(const struct ms_line_machine *m)
{
    return !m->bundles && m->opcode_base > DW_LNS_negate_stmt && m->program.n >= 8;
}

enum ms_status ms_line_scan(const struct ms_line_machine *machine, const uint64_t *addresses,
                            size_t n, struct ms_row_hit *hits, struct ms_row_hit *pending,
                            uint64_t *budget, struct ms_error *err)
{
    const struct ms_dwarf *dwarf = machine->header->unit->dwarf;
    const struct request request = {addresses, n, pending, budget};
    const bool short_rows = has_short_rows(machine);
    struct sequence s = {0};
    struct ms_line_state state = ms_line_state_at(0);
    struct ms_row_hit row = {0};
    for (;;) {
        if (s.open && short_rows)
            s = run_short_rows(machine, &state, s, &row, &request);
        if (!ms_line_next(machine, &state))
            break;
        if (!s.open)
            s = start(dwarf, state.address, addresses, n);
        else if (s.wanted < state.address)
            s = claim(s, &row, state.address, addresses, n, pending, budget);
        row = (struct ms_row_hit){0, state.file, state.line, state.column, state.address};
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
