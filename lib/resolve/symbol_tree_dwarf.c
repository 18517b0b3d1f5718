/* The part of a symbol tree that DWARF knows: functions with their sizes, and lines. */
#include "base/array.h"
#include "dwarf/lookup.h"
#include "dwarf/reader.h"
#include "resolve/symbol_tree.h"

#include <stdlib.h>

struct reading {
    struct ms_tree_store *store;
    struct ms_lookup lookup;
    uint64_t die_off; /* the function whose ranges come one after the other */
    struct ms_function function;
    uint32_t *numbers; /* of the unit's files, in the tree; 0 = not met yet */
    size_t numbers_room;
};

static bool take_function(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                          uint64_t high)
{
    struct reading *r = owner;
    if (low >= high)
        return true;
    if (r->die_off != die_off) {
        r->die_off = die_off;
        memset(&r->function, 0, sizeof r->function);
        if (ms_function_read(r->lookup.dwarf, &r->lookup.references, unit, die_off, &r->function,
                             NULL) == MS_E_NOMEM)
            return false;
    }
    struct ms_tree_fact fact = {r->function.name, r->function.linkage, high - low, true};
    r->store->out->n_dwarf++;
    return ms_tree_add(r->store, MS_FROM_DWARF, low, &fact);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* The tree's number of file `index` of the unit; 0 for one that isn't there. */
static bool number_of_file(struct reading *r, uint32_t index, uint32_t *out)
{
    struct ms_lookup *l = &r->lookup;
    struct ms_tree_store *s = r->store;
    *out = 0;
    if (index > l->files.n_files)
        return true;
    if (index >= r->numbers_room) { /* DW_LNE_define_file adds some */
        size_t room = (l->files.n_files + 1) * 2;
        uint32_t *numbers = realloc(r->numbers, room * sizeof *numbers);
        if (!numbers)
            return false;
        memset(numbers + r->numbers_room, 0, (room - r->numbers_room) * sizeof *numbers);
        r->numbers = numbers;
        r->numbers_room = room;
    }
    if (!r->numbers[index]) {
        struct ms_frame frame;
        memset(&frame, 0, sizeof frame);
        if (!ms_line_file_put(&l->line_header, &l->files, index, &frame))
            return true;
        struct ms_tree_file file = {frame.comp_dir, frame.dir, frame.file};
        if (s->n_files >= UINT32_MAX || !MS_PUSH(s->files, s->n_files, s->files_room, file))
            return false;
        r->numbers[index] = (uint32_t)(s->n_files - 1);
    }
    *out = r->numbers[index];
    return true;
}

static bool push_line(struct ms_tree_store *s, uint64_t low, uint64_t high, uint32_t line,
                      uint32_t file)
{
    if (low >= high)
        return true;
    uint64_t bytes = high - low;
    struct ms_tree_line *last = s->n_lines ? &s->lines[s->n_lines - 1] : NULL;
    if (last && last->vm + last->bytes == low && last->line == line && last->file == file &&
        bytes <= UINT32_MAX - last->bytes) {
        last->bytes += (uint32_t)bytes;
        return true;
    }
    struct ms_tree_line item = {low, bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes, line, file};
    return s->n_lines < UINT32_MAX && MS_PUSH(s->lines, s->n_lines, s->lines_room, item);
}

static enum ms_status take_rows(struct reading *r, struct ms_error *err)
{
    struct ms_lookup *l = &r->lookup;
    struct ms_line_state state = ms_line_state_at(0);
    uint64_t last = 0;
    uint32_t line = 0, file = 0, index = 0, known = UINT32_MAX;
    bool inside = false, trusted = false;
    while (ms_line_next(&l->machine, &state)) {
        if (!inside)
            trusted = ms_dwarf_trust(l->dwarf, state.address) == MS_TRUST_ALL;
        else if (trusted) {
            if (index != known && !number_of_file(r, index, &file))
                return ms_fail_memory(err);
            known = index;
            if (!push_line(r->store, last, state.address, line, file))
                return ms_fail_memory(err);
        }
        last = state.address;
        line = state.line;
        index = state.file;
        inside = !state.end;
    }
    return state.fault || inside ? ms_line_machine_fail(&l->machine, &state, err) : MS_OK;
}

static enum ms_status read_lines(struct reading *r, const struct ms_unit *unit,
                                 struct ms_error *err)
{
    struct ms_lookup *l = &r->lookup;
    enum ms_status status = ms_lookup_start(l, unit, NULL, 0, err);
    if (status != MS_OK)
        return status;
    bool open = ms_lookup_open_lines(l, &status, err);
    if (status != MS_OK || l->error.status != MS_OK) {
        if (status == MS_OK)
            *err = l->error;
        return status != MS_OK ? status : l->error.status;
    }
    if (!open)
        return MS_OK;
    if (r->numbers_room > 4 * l->files.n_files + 1024) { /* clearing it costs more than making it */
        free(r->numbers);
        r->numbers = NULL;
        r->numbers_room = 0;
    }
    if (r->numbers)
        memset(r->numbers, 0, r->numbers_room * sizeof *r->numbers);
    return take_rows(r, err);
}

/* A row takes a byte of its table at least, so that more rows than bytes come of units that share
 * tables, which no compiler makes. */
static enum ms_status read_lines_within(struct reading *r, const struct ms_unit *unit,
                                        struct ms_error *err)
{
    const struct ms_dwarf *dwarf = r->lookup.dwarf;
    if (r->store->n_lines > dwarf->s.line.n)
        return ms_unit_fail(unit, err, MS_E_LIMIT, unit->header.root,
                            "its line table is not read: those before it had %zu rows, in a "
                            ".debug_line of %zu bytes",
                            r->store->n_lines, dwarf->s.line.n);
    return read_lines(r, unit, err);
}

/* Rows in the order of their addresses. */
static enum ms_status sort_lines(struct ms_tree_store *s, struct ms_error *err)
{
    bool sorted = true;
    for (size_t i = 1; i < s->n_lines && sorted; i++)
        sorted = s->lines[i - 1].vm <= s->lines[i].vm;
    if (sorted)
        return MS_OK;
    struct ms_record *records = malloc(s->n_lines * sizeof *records);
    for (size_t i = 0; records && i < s->n_lines; i++)
        records[i] = (struct ms_record){s->lines[i].vm, (uint32_t)i, 0};
    struct ms_tree_line *lines = NULL;
    if (records && ms_records_sort(records, s->n_lines))
        lines = malloc(s->n_lines * sizeof *lines);
    for (size_t i = 0; lines && i < s->n_lines; i++)
        lines[i] = s->lines[records[i].index];
    free(records);
    if (!lines)
        return ms_fail_memory(err);
    free(s->lines);
    s->lines = lines;
    s->lines_room = s->n_lines;
    return MS_OK;
}

/* ---- units --------------------------------------------------------------------------------- */

static enum ms_status read_unit(struct reading *r, const struct ms_unit_header *header, bool lines,
                                struct ms_error *err)
{
    struct ms_unit unit;
    struct ms_error fault;
    enum ms_status status = ms_unit_open(r->lookup.dwarf, header, &unit, &fault);
    if (status == MS_OK && (!unit.tag || !ms_unit_may_have_code(&unit)))
        return MS_OK;
    if (status == MS_OK) {
        r->die_off = UINT64_MAX;
        status = ms_lookup_pass(&r->lookup, &unit, MS_SCAN_COLLECT, take_function, r, &fault);
        if (status != MS_OK && status != MS_E_NOMEM)
            ms_tree_fault(r->store, &fault);
        if (status != MS_E_NOMEM)
            status = lines ? read_lines_within(r, &unit, &fault) : MS_OK;
    }
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && status != MS_ABSENT)
        ms_tree_fault(r->store, &fault);
    return MS_OK;
}

enum ms_status ms_tree_read_dwarf(struct ms_tree_store *store, bool lines, struct ms_error *err)
{
    struct ms_dwarf *dwarf = ms_image_dwarf(store->image);
    if (!dwarf) {
        if (store->image->dwarf_ready == MS_FAILED)
            ms_tree_fault(store, &store->image->dwarf_error);
        return MS_OK;
    }
    struct reading *r = calloc(1, sizeof *r);
    struct ms_tree_file unknown = {NULL, NULL, NULL};
    if (!r || !MS_PUSH(store->files, store->n_files, store->files_room, unknown)) {
        free(r);
        return ms_fail_memory(err);
    }
    r->store = store;
    ms_lookup_init(&r->lookup, dwarf, 0);
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_error fault;
    enum ms_status next, status = MS_OK;
    while (status == MS_OK && (next = ms_unit_walk_next(&walk, &header, &fault)) != MS_ABSENT) {
        if (next == MS_OK)
            status = read_unit(r, &header, lines, err);
        else
            ms_tree_fault(store, &fault);
    }
    ms_lookup_fini(&r->lookup);
    free(r->numbers);
    free(r);
    return status == MS_OK ? sort_lines(store, err) : status;
}
