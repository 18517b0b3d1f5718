/*
 * The part of a symbol tree that DWARF knows: functions with their sizes, and lines. Of an image
 * without DWARF the object files of its debug map are read one after the other: each is closed
 * before the next is opened, so that what is kept of it is copied.
 */
#include "base/array.h"
#include "base/limits.h"
#include "dwarf/lookup.h"
#include "dwarf/reader.h"
#include "resolve/symbol_tree.h"

#include <stdlib.h>

struct reading {
    struct ms_tree_store *store;
    struct ms_lookup lookup;
    uint64_t die_off; /* the function whose ranges come one after the other */
    struct ms_function function;
    bool external;
    uint32_t *numbers; /* of the unit's files, in the tree; 0 = not met yet */
    size_t numbers_room;
    size_t first_line; /* of this DWARF, in the tree */
    /* Of an object file: */
    const struct ms_oso_part *part; /* NULL: addresses are as linked */
    size_t may_copy;                /* bytes of strings */
    bool cut;                       /* that was not enough */
    struct ms_tree_file from, copy; /* the last one copied: folders are mostly the same */
};

/* ---- object files ---------------------------------------------------------------------------- */

/* The function of the image that holds an address of the object; NULL: the linker left it out. */
static struct ms_oso_place *place_at(const struct ms_oso_part *part, uint64_t object_vm)
{
    size_t low = 0, high = part->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (part->places[middle].object_vm <= object_vm)
            low = middle + 1;
        else
            high = middle;
    }
    struct ms_oso_place *place = low ? &part->places[low - 1] : NULL;
    return place && object_vm - place->object_vm < place->bytes ? place : NULL;
}

/* A string that outlives the object. False without memory. */
static bool copy_text(struct reading *r, const char *text, const char **out)
{
    *out = text;
    if (!text || !r->part)
        return true;
    size_t n = strlen(text);
    *out = NULL;
    r->cut |= n >= r->may_copy;
    if (n >= r->may_copy)
        return true;
    r->may_copy -= n + 1;
    *out = ms_arena_copy(&r->store->arena, text, n);
    return *out != NULL;
}

/* The same for a part of a path, which the last one may have had too. */
static bool copy_again(struct reading *r, const char *text, const char **from, const char **copy)
{
    if (text == *from)
        return true;
    *from = text;
    return copy_text(r, text, copy);
}

static bool copy_file(struct reading *r, struct ms_tree_file *file)
{
    if (!r->part)
        return true;
    bool good = copy_again(r, file->comp_dir, &r->from.comp_dir, &r->copy.comp_dir) &&
                copy_again(r, file->dir, &r->from.dir, &r->copy.dir) &&
                copy_again(r, file->file, &r->from.file, &r->copy.file);
    *file = r->copy;
    return good;
}

static bool is_name(const char *symbol, const char *plain)
{
    return plain && strcmp(symbol + (symbol[0] == '_'), plain) == 0;
}

/* The names of a function; the one that the debug map has is there already. */
static bool copy_names(struct reading *r, const char *symbol, struct ms_tree_fact *fact)
{
    const char *plain = symbol + (symbol[0] == '_');
    if (is_name(symbol, fact->linkage)) {
        fact->linkage = plain;
        fact->name = NULL;
        return true;
    }
    if (is_name(symbol, fact->name))
        fact->name = plain;
    else if (!copy_text(r, fact->name, &fact->name))
        return false;
    return copy_text(r, fact->linkage, &fact->linkage);
}

/* ---- functions ------------------------------------------------------------------------------- */

/* DW_AT_external, of the function or of the declaration that it refers to. */
static bool is_external(struct reading *r, const struct ms_unit *unit, uint64_t die_off)
{
    for (int hops = 0; hops < MS_MAX_ORIGIN_CHAIN; hops++) {
        struct ms_die die;
        struct ms_value value, lead = {0, 0, {0}};
        uint64_t attribute;
        if (!ms_die_open(unit, die_off, &die))
            return false;
        while (ms_die_next(&die, &attribute, &value)) {
            if (attribute == DW_AT_external)
                return value.u != 0;
            if (attribute == DW_AT_specification || attribute == DW_AT_abstract_origin)
                lead = value;
        }
        if (!lead.form || ms_unit_follow(r->lookup.dwarf, &r->lookup.references.opened, unit, &lead,
                                         &unit, &die_off, NULL) != MS_OK)
            return false;
    }
    return false;
}

static bool take_function(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                          uint64_t high)
{
    struct reading *r = owner;
    struct ms_oso_place *place = r->part ? place_at(r->part, low) : NULL;
    if (low >= high || (r->part && !place))
        return true;
    if (r->die_off != die_off) {
        r->die_off = die_off;
        memset(&r->function, 0, sizeof r->function);
        if (ms_function_read(r->lookup.dwarf, &r->lookup.references, unit, die_off, &r->function,
                             NULL) == MS_E_NOMEM)
            return false;
        r->external = is_external(r, unit, die_off);
    }
    struct ms_tree_fact fact = {r->function.name, r->function.linkage, high - low, true,
                                r->external};
    if (place && !copy_names(r, place->name, &fact))
        return false;
    if (place && high - place->object_vm > place->code_bytes)
        place->code_bytes = high - place->object_vm;
    if (place)
        low = place->vm + (low - place->object_vm);
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
        if (!copy_file(r, &file))
            return false;
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

/* A row counts in the function that it starts in: behind that one the linker may have put any. And
 * as far as that reaches: in the padding the unit's last row goes on. */
static bool put_line(struct reading *r, uint64_t low, uint64_t high, uint32_t line, uint32_t file)
{
    if (!r->part)
        return push_line(r->store, low, high, line, file);
    const struct ms_oso_place *place = place_at(r->part, low);
    if (!place || !place->counts)
        return true;
    uint64_t from_start = low - place->object_vm, end = place->bytes;
    if (place->code_bytes && place->code_bytes < end)
        end = place->code_bytes;
    if (from_start >= end)
        return true;
    uint64_t bytes = high - low < end - from_start ? high - low : end - from_start;
    return push_line(r->store, place->vm + from_start, place->vm + from_start + bytes, line, file);
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
            if (state.address > last && !put_line(r, last, state.address, line, file))
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
    size_t n = r->store->n_lines - r->first_line;
    if (n > dwarf->s.line.n)
        return ms_unit_fail(unit, err, MS_E_LIMIT, unit->header.root,
                            "its line table is not read: those before it had %zu rows, in a "
                            ".debug_line of %zu bytes",
                            n, dwarf->s.line.n);
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

static enum ms_status read_units(struct reading *r, struct ms_dwarf *dwarf, bool lines,
                                 struct ms_error *err)
{
    ms_lookup_init(&r->lookup, dwarf, 0);
    r->first_line = r->store->n_lines;
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_error fault;
    enum ms_status next, status = MS_OK;
    while (status == MS_OK && (next = ms_unit_walk_next(&walk, &header, &fault)) != MS_ABSENT) {
        if (next == MS_OK)
            status = read_unit(r, &header, lines, err);
        else
            ms_tree_fault(r->store, &fault);
    }
    ms_lookup_fini(&r->lookup);
    return status;
}

/* ---- the objects of a debug map -------------------------------------------------------------- */

static void object_fault(struct ms_symbol_tree *tree, const struct ms_error *fault)
{
    if (!tree->n_objects_failed++)
        tree->first_object = *fault;
}

static enum ms_status read_object(struct reading *r, const struct ms_oso_part *part, bool lines,
                                  struct ms_error *err)
{
    struct ms_tree_store *s = r->store;
    const struct ms_oso_unit *unit = &part->unit;
    size_t n_records = s->n_records, n_lines = s->n_lines;
    struct ms_error fault = unit->error;
    enum ms_status status = MS_OK;
    s->out->n_objects++;
    if (unit->status == MS_OK && unit->dwarf.reader) {
        /* Honest strings are used a few times each. */
        r->may_copy = 4 * (unit->dwarf.sections.info.n + unit->dwarf.sections.str.n +
                           unit->dwarf.sections.line.n + unit->dwarf.sections.line_str.n) +
                      (1 << 16);
        r->part = part;
        r->cut = false;
        memset(&r->from, 0, sizeof r->from);
        memset(&r->copy, 0, sizeof r->copy);
        status = read_units(r, unit->dwarf.reader, lines, err);
        if (r->cut)
            (void)ms_fail(&fault, MS_E_LIMIT, unit->object.macho.where, MS_NO_OFFSET,
                          "spells the same names over and over: some are left out");
        if (ms_file_torn(unit->object.file)) {
            s->n_records = n_records; /* their facts stay, unused */
            s->n_lines = n_lines;
            (void)ms_fail(&fault, MS_E_IO, ms_file_path(unit->object.file), MS_NO_OFFSET,
                          "was truncated while it was read");
        }
    }
    if (fault.status != MS_OK)
        object_fault(s->out, &fault);
    return status;
}

static enum ms_status read_objects(struct reading *r, struct ms_oso *oso, bool lines,
                                   struct ms_error *err)
{
    enum ms_status status = MS_OK;
    bool last = false;
    for (size_t i = 0; status == MS_OK && !last; i++) {
        struct ms_oso_part part;
        enum ms_status opened = ms_oso_part_open(oso, i, &part, &last, err);
        if (opened == MS_OK) {
            status = read_object(r, &part, lines, err);
            ms_oso_part_close(&part);
        } else if (opened != MS_ABSENT) {
            status = opened;
        }
    }
    return status;
}

enum ms_status ms_tree_read_dwarf(struct ms_tree_store *store, bool lines, struct ms_error *err)
{
    struct ms_dwarf *dwarf = ms_image_dwarf(store->image);
    struct ms_oso *oso = dwarf ? NULL : ms_image_oso(store->image);
    if (!dwarf && store->image->dwarf_ready == MS_FAILED)
        ms_tree_fault(store, &store->image->dwarf_error);
    if (!dwarf && !oso)
        return MS_OK;
    struct reading *r = calloc(1, sizeof *r);
    struct ms_tree_file unknown = {NULL, NULL, NULL};
    if (!r || !MS_PUSH(store->files, store->n_files, store->files_room, unknown)) {
        free(r);
        return ms_fail_memory(err);
    }
    r->store = store;
    enum ms_status status =
        dwarf ? read_units(r, dwarf, lines, err) : read_objects(r, oso, lines, err);
    free(r->numbers);
    free(r);
    return status == MS_OK ? sort_lines(store, err) : status;
}
