#include "dwarf/line_index.h"

#include "base/array.h"
#include "dwarf/reader.h"

#include <stdlib.h>

enum { ROWS_A_MARK = 64 };

void ms_line_index_fini(struct ms_line_index *index)
{
    free(index->marks);
    free(index->sequences);
    memset(index, 0, sizeof *index);
}

size_t ms_line_index_bytes(const struct ms_line_index *index)
{
    return index->marks_room * sizeof *index->marks +
           index->sequences_room * sizeof *index->sequences;
}

static bool push_mark(struct ms_line_index *index, const struct ms_line_state *s)
{
    struct ms_line_mark mark = {s->address, s->at, s->file, s->line, s->column, s->op_index};
    return MS_PUSH(index->marks, index->n_marks, index->marks_room, mark);
}

static int by_high(const void *a, const void *b)
{
    const struct ms_line_sequence *x = a, *y = b;
    if (x->high != y->high)
        return x->high < y->high ? -1 : 1;
    return x->first_mark < y->first_mark ? -1 : x->first_mark > y->first_mark;
}

static void sort_sequences(struct ms_line_index *index)
{
    uint64_t lowest = UINT64_MAX;
    for (size_t i = 1; i < index->n_sequences; i++) {
        if (by_high(&index->sequences[i - 1], &index->sequences[i]) > 0) {
            qsort(index->sequences, index->n_sequences, sizeof *index->sequences, by_high);
            break;
        }
    }
    for (size_t i = index->n_sequences; i-- > 0;) {
        if (index->sequences[i].low < lowest)
            lowest = index->sequences[i].low;
        index->sequences[i].lowest = lowest;
    }
}

/* A sequence has ended: it is kept, or its marks are dropped again. */
static bool end_sequence(struct ms_line_index *index, struct ms_line_sequence *s, uint64_t high)
{
    s->high = high;
    s->n_marks = index->n_marks - s->first_mark;
    if (high > s->low && s->trust != MS_TRUST_NONE)
        return MS_PUSH(index->sequences, index->n_sequences, index->sequences_room, *s);
    index->n_marks = s->first_mark;
    return true;
}

enum ms_status ms_line_index_build(const struct ms_line_machine *m, size_t max_bytes,
                                   struct ms_line_index *out, struct ms_error *err)
{
    const struct ms_dwarf *dwarf = m->header->unit->dwarf;
    struct ms_line_sequence s = {0};
    struct ms_line_state state = ms_line_state_at(0);
    uint64_t last = 0, rows = 0;
    bool open = false, room = true;
    while (room && ms_line_next(m, &state)) {
        if (ms_line_index_bytes(out) > max_bytes)
            return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "line index over its ceiling");
        if (!open) {
            s = (struct ms_line_sequence){
                state.address, 0, 0, out->n_marks, 0, ms_dwarf_trust(dwarf, state.address), true};
            rows = 0;
            open = true;
        } else if (state.address < last) {
            s.ascending = false;
        }
        last = state.address;
        if (state.end) {
            room = end_sequence(out, &s, state.address);
            open = false;
        } else if (rows++ % ROWS_A_MARK == 0) {
            room = push_mark(out, &state);
        }
    }
    if (!room)
        return ms_fail_memory(err);
    if (open)
        out->n_marks = s.first_mark;
    sort_sequences(out);
    return state.fault || open ? ms_line_machine_fail(m, &state, err) : MS_OK;
}

/* The last mark at or before the address; the first one where rows may go back. */
static const struct ms_line_mark *mark_before(const struct ms_line_index *index,
                                              const struct ms_line_sequence *s, uint64_t address)
{
    const struct ms_line_mark *marks = index->marks + s->first_mark;
    size_t low = 0, n = s->ascending ? s->n_marks : 1;
    while (n > 1) { /* marks[low] is at or before the address */
        size_t half = n / 2;
        if (marks[low + half].address <= address) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return &marks[low];
}

static void run_from(const struct ms_line_machine *m, const struct ms_line_mark *mark,
                     uint64_t address, struct ms_row_hit *hit)
{
    struct ms_line_state state = ms_line_state_at((size_t)mark->at);
    state.address = mark->address;
    state.file = mark->file;
    state.line = mark->line;
    state.column = mark->column;
    state.op_index = mark->op_index;
    struct ms_line_state last = state;
    while (ms_line_next(m, &state) && !state.end &&
           !(last.address <= address && address < state.address))
        last = state;
    hit->file = last.file;
    hit->line = last.line;
    hit->column = last.column;
    hit->low = last.address;
}

bool ms_line_index_find(const struct ms_line_index *index, const struct ms_line_machine *machine,
                        uint64_t address, struct ms_row_hit *hit)
{
    const struct ms_dwarf *dwarf = machine->header->unit->dwarf;
    size_t low = 0, n = index->n_sequences;
    while (n) { /* the first sequence that ends behind the address */
        size_t half = n / 2;
        if (index->sequences[low + half].high <= address) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    for (; low < index->n_sequences && index->sequences[low].lowest <= address; low++) {
        const struct ms_line_sequence *s = &index->sequences[low];
        if (s->low > address || !ms_trust_allows(dwarf, s->trust, address))
            continue;
        run_from(machine, mark_before(index, s, address), address, hit);
        hit->high = s->high;
        return true;
    }
    return false;
}
