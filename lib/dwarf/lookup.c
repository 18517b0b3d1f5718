#include "dwarf/lookup.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/hints.h"
#include "dwarf/reader.h"

#include <stdlib.h>

struct ms_budget ms_budget_for(const struct ms_dwarf *dwarf, size_t n)
{
    return (struct ms_budget){
        .info_bytes = 4 * (uint64_t)dwarf->s.info.n + 4096,
        .line_bytes = 4 * (uint64_t)dwarf->s.line.n + 4096,
        .ranges = ms_ranges_budget(dwarf),
        .claims = (uint64_t)n * MS_MAX_INLINE_DEPTH + 4096,
        .rows = (uint64_t)n * 64 + 4096,
        .frames = (uint64_t)n * 64 + 65536,
    };
}

void ms_lookup_init(struct ms_lookup *l, struct ms_dwarf *dwarf, size_t n)
{
    memset(l, 0, sizeof *l);
    l->dwarf = dwarf;
    l->budget = ms_budget_for(dwarf, n);
}

void ms_lookup_fini(struct ms_lookup *l)
{
    ms_scan_fini(&l->scan);
    ms_line_files_fini(&l->files);
    free(l->hits);
    free(l->pending);
    free(l->functions);
    free(l->dies);
    memset(l, 0, sizeof *l);
}

/* A fault of the unit is kept, lack of memory handed up. */
static enum ms_status note(struct ms_lookup *l, enum ms_status status, const struct ms_error *found,
                           struct ms_error *err)
{
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && status != MS_ABSENT && l->error.status == MS_OK) {
        l->error = *found;
        l->error.status = status;
    }
    return MS_OK;
}

bool ms_lookup_make_rows(struct ms_lookup *l, size_t n)
{
    if (n > l->rows_room) {
        if (n > SIZE_MAX / sizeof *l->hits)
            return false;
        free(l->hits);
        free(l->pending);
        l->hits = malloc(n * sizeof *l->hits);
        l->pending = malloc(n * sizeof *l->pending);
        l->rows_room = l->hits && l->pending ? n : 0;
        if (!l->rows_room)
            return false;
    }
    if (n)
        memset(l->hits, 0, n * sizeof *l->hits);
    return true;
}

enum ms_status ms_lookup_start(struct ms_lookup *l, const struct ms_unit *unit,
                               const uint64_t *addresses, size_t n, struct ms_error *err)
{
    l->unit = unit;
    l->has_lines = false;
    l->n_functions = 0;
    l->error.status = MS_OK;
    if (!ms_scan_set_addresses(&l->scan, addresses, n) || !ms_lookup_make_rows(l, n))
        return ms_fail_memory(err);
    return MS_OK;
}

/* Takes `cost` from a budget. */
static bool afford(uint64_t *budget, uint64_t cost)
{
    bool enough = *budget >= cost;
    *budget -= enough ? cost : *budget;
    return enough;
}

enum ms_status ms_lookup_pass(struct ms_lookup *l, const struct ms_unit *unit,
                              enum ms_scan_mode mode, ms_scan_taker take, void *owner,
                              struct ms_error *err)
{
    l->passed = true;
    l->scan.mode = mode;
    l->scan.take = take;
    l->scan.owner = owner;
    l->scan.n_dies = l->scan.n_functions = l->scan.n_inlined = 0;
    if (!afford(&l->budget.info_bytes, unit->bytes.n))
        return ms_unit_fail(unit, err, MS_E_LIMIT, 0, "units overlap too often");
    l->scan.range_budget = l->budget.ranges;
    enum ms_status status = ms_scan_run(&l->scan, unit, unit->header.root, err);
    l->budget.ranges = l->scan.range_budget;
    return status;
}

enum ms_status ms_lookup_functions(struct ms_lookup *l, uint64_t die_off, uint64_t only_die,
                                   struct ms_error *err)
{
    struct ms_error found;
    l->scan.mode = MS_SCAN_MATCH;
    l->scan.only_die = only_die;
    l->scan.range_budget = l->budget.ranges;
    l->scan.claim_budget = l->budget.claims;
    enum ms_status status = ms_scan_run(&l->scan, l->unit, die_off, &found);
    l->budget.ranges = l->scan.range_budget;
    l->budget.claims = l->scan.claim_budget;
    return note(l, status, &found, err);
}

bool ms_lookup_open_lines(struct ms_lookup *l, enum ms_status *status, struct ms_error *err)
{
    struct ms_error found;
    enum ms_status result = ms_line_header_read(l->unit, &l->line_header, &found);
    if (result == MS_OK &&
        !afford(&l->budget.line_bytes, l->line_header.tables.n + l->line_header.program.n))
        result = ms_unit_fail(l->unit, &found, MS_E_LIMIT, l->unit->header.root,
                              "units share line tables too often");
    l->has_lines = result == MS_OK;
    *status = note(l, result, &found, err);
    if (!l->has_lines || *status != MS_OK)
        return false;
    *status = note(l, ms_line_files_read(&l->line_header, &l->files, &found), &found, err);
    if (*status != MS_OK)
        return false;
    ms_line_machine_init(&l->machine, &l->line_header, &l->files);
    return true;
}

static enum ms_status run_lines(struct ms_lookup *l, struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status;
    if (!ms_lookup_open_lines(l, &status, err))
        return status;
    status = ms_line_scan(&l->machine, l->scan.addresses, l->scan.n, l->hits, l->pending,
                          &l->budget.rows, &found);
    return note(l, status, &found, err);
}

/* The functions of the addresses, by name where that leads to all of them. */
static enum ms_status run_functions(struct ms_lookup *l, const struct ms_hints *hints,
                                    struct ms_error *err)
{
    enum { PATIENCE = 8 };
    bool done = false;
    if (l->n_unnamed > PATIENCE + l->n_named) /* this file's names lead nowhere */
        hints = NULL;
    enum ms_status status = hints ? ms_hints_functions(l, hints, &done, err) : MS_OK;
    l->passed = !done;
    l->n_named += done;
    l->n_unnamed += hints && !done;
    if (status != MS_OK || done)
        return status;
    if (hints)
        status = ms_lookup_start(l, l->unit, l->scan.addresses, l->scan.n, err);
    return status == MS_OK ? ms_lookup_functions(l, l->unit->header.root, UINT64_MAX, err) : status;
}

enum ms_status ms_lookup_run(struct ms_lookup *l, const struct ms_unit *unit,
                             const uint64_t *addresses, size_t n, struct ms_error *err)
{
    return ms_lookup_run_hinted(l, unit, addresses, n, NULL, err);
}

enum ms_status ms_lookup_run_hinted(struct ms_lookup *l, const struct ms_unit *unit,
                                    const uint64_t *addresses, size_t n,
                                    const struct ms_hints *hints, struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status = ms_lookup_start(l, unit, addresses, n, err);
    l->passed = false;
    if (status != MS_OK)
        return status;
    if (!afford(&l->budget.info_bytes, unit->bytes.n)) {
        status = ms_unit_fail(unit, &found, MS_E_LIMIT, 0, "units overlap too often");
        return note(l, status, &found, err);
    }
    status = run_functions(l, hints, err);
    return status == MS_OK ? run_lines(l, err) : status;
}

void ms_lookup_meter(const struct ms_lookup *l, const struct ms_unit *unit)
{
    const struct ms_dwarf_sections *s = &l->dwarf->s;
    if (s->went_through)
        s->went_through(s->owner, (l->passed ? unit->bytes.n : 0) +
                                      (l->has_lines ? l->line_header.program.n : 0));
}

void ms_dwarf_meter_touch(const struct ms_dwarf *dwarf)
{
    if (dwarf->s.went_through)
        dwarf->s.went_through(dwarf->s.owner, MS_TOUCH_BYTES);
}

bool ms_lookup_found(const struct ms_lookup *l, size_t i)
{
    return l->scan.claims[i].size || l->hits[i].high;
}

/* ---- frames ----------------------------------------------------------------------------- */

const struct ms_function *ms_lookup_function(struct ms_lookup *l, uint32_t node)
{
    struct ms_node *n = &l->scan.nodes[node];
    if (!n->info) {
        struct ms_function function;
        struct ms_error found;
        enum ms_status status =
            ms_function_read(l->dwarf, &l->references, l->unit, n->die_off, &function, &found);
        if (note(l, status, &found, NULL) != MS_OK ||
            !MS_PUSH(l->functions, l->n_functions, l->functions_room, function))
            return NULL;
        n->info = (uint32_t)l->n_functions;
    }
    return &l->functions[n->info - 1];
}

static void put_row(struct ms_lookup *l, size_t i, struct ms_frame *frame)
{
    const struct ms_row_hit *row = &l->hits[i];
    if (!row->high || !ms_line_file_put(&l->line_header, &l->files, row->file, frame))
        return;
    frame->line = row->line;
    frame->column = row->column;
}

static void put_call(struct ms_lookup *l, const struct ms_function *call, struct ms_frame *frame)
{
    if (l->has_lines)
        (void)ms_line_file_put(&l->line_header, &l->files, call->call_file, frame);
    frame->line = call->call_line;
    frame->column = call->call_column;
}

static void put_function(const struct ms_function *function, uint64_t address,
                         struct ms_frame *frame)
{
    frame->linkage = function->linkage;
    frame->name = function->name;
    /* A cold part may stand before the entry: no offset says where it is. */
    frame->has_start = function->has_entry && function->entry_vm <= address;
    if (frame->has_start) {
        frame->start_vm = function->entry_vm;
        frame->offset = address - function->entry_vm;
    }
}

/* Type units have no code; their DIEs lie in another section before DWARF 5. */
static uint64_t place_of(const struct ms_lookup *l, uint64_t die_off)
{
    return l->unit->header.in_types ? 0 : l->unit->header.off + die_off;
}

static size_t chain_length(const struct ms_scan *scan, uint32_t node)
{
    size_t n = 0;
    for (; node != MS_NO_NODE; node = scan->nodes[node].parent)
        n++;
    return n;
}

/* A chain that is too long, or one too many of them: the function alone is named. */
static enum ms_status put_outermost(struct ms_lookup *l, size_t i, struct ms_frame *frame,
                                    struct ms_error *err)
{
    const struct ms_function *function = ms_lookup_function(l, l->scan.claims[i].root);
    struct ms_error found;
    if (!function)
        return ms_fail_memory(err);
    put_function(function, l->scan.addresses[i], frame);
    frame->die_off = place_of(l, l->scan.nodes[l->scan.claims[i].root].die_off);
    enum ms_status status =
        ms_unit_fail(l->unit, &found, MS_E_LIMIT, l->scan.nodes[l->scan.claims[i].root].die_off,
                     "too many calls are inlined here");
    return note(l, status, &found, err);
}

static enum ms_status put_chain(struct ms_lookup *l, size_t i, struct ms_frame *frames,
                                struct ms_error *err)
{
    const struct ms_scan *scan = &l->scan;
    const struct ms_function *inner = NULL;
    struct ms_function call;
    size_t at = 0;
    for (uint32_t node = scan->claims[i].node; node != MS_NO_NODE;
         node = scan->nodes[node].parent, at++) {
        const struct ms_function *function = ms_lookup_function(l, node);
        if (!function)
            return ms_fail_memory(err);
        put_function(function, scan->addresses[i], &frames[at]);
        if (inner)
            put_call(l, inner, &frames[at]);
        else
            put_row(l, i, &frames[at]);
        frames[at].inlined = scan->nodes[node].parent != MS_NO_NODE;
        frames[at].die_off = place_of(l, scan->nodes[node].die_off);
        call = *function; /* the array may move when the next one is read */
        inner = &call;
    }
    return MS_OK;
}

/* The line is known, the function is not. */
static void put_line_alone(struct ms_lookup *l, size_t i, struct ms_dwarf_hit *hit,
                           struct ms_frame *frame)
{
    put_row(l, i, frame);
    frame->die_off = place_of(l, l->unit->header.root);
    if (frame->file)
        return;
    hit->n_frames = 0;
    hit->status = MS_ABSENT;
}

enum ms_status ms_lookup_frames(struct ms_lookup *l, size_t i, struct ms_dwarf_answers *out,
                                struct ms_dwarf_hit *hit, struct ms_error *err)
{
    const struct ms_claim *claim = &l->scan.claims[i];
    if (!ms_lookup_found(l, i)) {
        *hit = (struct ms_dwarf_hit){.status = MS_ABSENT};
        return MS_OK;
    }
    size_t n = claim->size ? chain_length(&l->scan, claim->node) : 1;
    bool whole = n <= MS_MAX_INLINE_DEPTH && afford(&l->budget.frames, n);
    if (!whole)
        n = 1;
    struct ms_frame *frames = ms_answers_frames(out, l->worker, n);
    if (!frames)
        return ms_fail_memory(err);
    memset(frames, 0, n * sizeof *frames);
    for (size_t k = 0; k < n; k++)
        frames[k].source = MS_SOURCE_DWARF;
    *hit = (struct ms_dwarf_hit){.status = whole ? MS_OK : MS_E_LIMIT,
                                 .n_frames = (uint32_t)n,
                                 .frames = frames,
                                 .row_vm = l->hits[i].low};
    if (!claim->size)
        put_line_alone(l, i, hit, frames);
    else if (!whole)
        return put_outermost(l, i, frames, err);
    else
        return put_chain(l, i, frames, err);
    return MS_OK;
}
