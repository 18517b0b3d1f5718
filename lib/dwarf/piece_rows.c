#include "dwarf/piece_rows.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void ms_piece_rows_fini(struct ms_piece_rows *r)
{
    ms_bounds_fini(&r->starts);
    free(r->own);
    memset(r, 0, sizeof *r);
}

/*
 * Rows that never go back, and sequences that don't overlap, as dsymutil writes them, say
 * themselves what each address has: one run of the machine does. Of rows at one address the last
 * counts. False where that isn't so, or without memory; then starts.n is 0.
 */
static bool take_straight(struct ms_piece_rows *r, struct ms_lookup *l)
{
    struct ms_line_state state = ms_line_state_at(0);
    bool open = false, straight = true;
    while (ms_line_next(&l->machine, &state)) {
        struct ms_row_hit hit = {!state.end, state.file, state.line, state.column, state.address};
        bool again = r->starts.n && r->starts.items[r->starts.n - 1] == state.address;
        bool back = r->starts.n && r->starts.items[r->starts.n - 1] > state.address;
        straight = !back && (open || ms_dwarf_trust(l->dwarf, state.address) == MS_TRUST_ALL);
        if (!straight)
            break;
        if (!again)
            straight = ms_array_grow(&r->own, r->starts.n, &r->own_room, sizeof *r->own) &&
                       MS_PUSH(r->starts.items, r->starts.n, r->starts.room, state.address);
        if (!straight)
            break;
        r->own[r->starts.n - 1] = hit;
        open = !state.end;
    }
    straight = straight && !open && !state.fault;
    if (!straight)
        r->starts.n = 0;
    return straight;
}

static enum ms_status find_starts(struct ms_piece_rows *r, struct ms_lookup *l,
                                  struct ms_error *err)
{
    struct ms_line_state state = ms_line_state_at(0);
    while (ms_line_next(&l->machine, &state))
        if (!ms_bounds_add(&r->starts, state.address))
            return ms_fail_memory(err);
    if (!ms_bounds_add_code(&r->starts, l->dwarf, 0, UINT64_MAX) || !ms_bounds_sort(&r->starts))
        return ms_fail_memory(err);
    return MS_OK;
}

enum ms_status ms_piece_rows_read(struct ms_piece_rows *r, struct ms_lookup *l,
                                  struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status;
    r->starts.n = 0;
    if (!ms_lookup_open_lines(l, &status, err))
        return status;
    if (take_straight(r, l)) {
        r->hits = r->own;
        return MS_OK;
    }
    status = find_starts(r, l, err);
    if (status != MS_OK)
        return status;
    if (!ms_lookup_make_rows(l, r->starts.n))
        return ms_fail_memory(err);
    l->budget.rows = (uint64_t)r->starts.n * 64 + 4096;
    r->hits = l->hits;
    status = ms_line_scan(&l->machine, r->starts.items, r->starts.n, l->hits, l->pending,
                          &l->budget.rows, &found);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
    return MS_OK;
}
