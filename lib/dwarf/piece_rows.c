#include "dwarf/piece_rows.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void ms_piece_rows_fini(struct ms_piece_rows *r)
{
    ms_bounds_fini(&r->starts);
    free(r->items);
    memset(r, 0, sizeof *r);
}

/* Adds a row, unless the one before says the same. */
static inline bool push(struct ms_piece_rows *r, const struct ms_unit_row *row)
{
    if (r->n) {
        const struct ms_unit_row *last = &r->items[r->n - 1];
        if (last->file == row->file && last->line == row->line && last->column == row->column)
            return true;
    } else if (row->file == MS_NO_ROW) {
        return true;
    }
    if (r->n == r->room && !ms_array_grow(&r->items, r->n, &r->room, sizeof *r->items))
        return false;
    r->items[r->n++] = *row;
    return true;
}

/*
 * Rows that never go back, and sequences that don't overlap, as dsymutil writes them, say
 * themselves what each address has: one run of the machine does. Of rows at one address the last
 * counts. False where that isn't so, or without memory.
 */
static bool take_straight(struct ms_piece_rows *r, struct ms_lookup *l)
{
    struct ms_line_state state = ms_line_state_at(0);
    struct ms_unit_row row = {0, MS_NO_ROW, 0, 0};
    bool open = false;
    while (ms_line_next(&l->machine, &state)) {
        if (state.address != row.low) {
            if (state.address < row.low || !push(r, &row))
                return false;
            row.low = state.address;
        }
        if (!open && ms_dwarf_trust(l->dwarf, state.address) != MS_TRUST_ALL)
            return false;
        open = !state.end;
        row.file = open ? state.file : MS_NO_ROW;
        row.line = open ? state.line : 0;
        row.column = open ? state.column : 0;
    }
    return !open && !state.fault && push(r, &row);
}

static enum ms_status find_starts(struct ms_piece_rows *r, struct ms_lookup *l,
                                  struct ms_error *err)
{
    struct ms_line_state state = ms_line_state_at(0);
    r->starts.n = 0;
    while (ms_line_next(&l->machine, &state))
        if (!ms_bounds_add(&r->starts, state.address))
            return ms_fail_memory(err);
    if (!ms_bounds_add_code(&r->starts, l->dwarf, 0, UINT64_MAX) || !ms_bounds_sort(&r->starts))
        return ms_fail_memory(err);
    return MS_OK;
}

static enum ms_status take_hits(struct ms_piece_rows *r, const struct ms_lookup *l,
                                struct ms_error *err)
{
    for (size_t i = 0; i < r->starts.n; i++) {
        const struct ms_row_hit *hit = &l->hits[i];
        struct ms_unit_row row = {r->starts.items[i], MS_NO_ROW, 0, 0};
        if (hit->high)
            row = (struct ms_unit_row){row.low, hit->file, hit->line, hit->column};
        if (!push(r, &row))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

enum ms_status ms_piece_rows_read(struct ms_piece_rows *r, struct ms_lookup *l,
                                  struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status;
    r->n = r->found = 0;
    if (!ms_lookup_open_lines(l, &status, err))
        return status;
    if (take_straight(r, l))
        return MS_OK;
    r->n = 0;
    status = find_starts(r, l, err);
    if (status != MS_OK)
        return status;
    if (!ms_lookup_make_rows(l, r->starts.n))
        return ms_fail_memory(err);
    l->budget.rows = (uint64_t)r->starts.n * 64 + 4096;
    status = ms_line_scan(&l->machine, r->starts.items, r->starts.n, l->hits, l->pending,
                          &l->budget.rows, &found);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
    return take_hits(r, l, err);
}

size_t ms_piece_rows_find(struct ms_piece_rows *r, uint64_t address)
{
    enum { NEAR = 4 };
    size_t from = r->found, n = 0;
    if (from < r->n && r->items[from].low <= address)
        for (; n < NEAR; n++, from++)
            if (from + 1 == r->n || r->items[from + 1].low > address)
                return r->found = from;
    from = 0;
    for (n = r->n; n > 1;) {
        size_t half = n / 2;
        from += r->items[from + half].low <= address ? half : 0;
        n -= half;
    }
    return r->found = from;
}
