#include "resolve/oso.h"

#include "base/array.h"
#include "base/error.h"
#include "dwarf/answers.h"
#include "macho/debug_map.h"
#include "resolve/oso_unit.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* So many addresses are looked for one by one, each in a pass over the stabs that keeps
     * nothing, before the whole debug map is read. */
    MAX_SINGLE = 4,
    MAX_AWAKE = 64,   /* readers that keep what they read */
    MAX_ALIASES = 64, /* names at one address that are tried; real: 3 */
    MAX_OPEN = 32768  /* objects at once: a mapping each, of which Linux allows 65530 */
};

/* Entries of objects' symbol tables that are gone through, all in all: real ones have 40 million
 * in the largest apps, but a map may name one object many times. */
#define MAX_ENTRIES ((uint64_t)1 << 30)

/* A function of the debug map, by address. */
struct function {
    uint64_t vm, bytes;
    size_t symbol; /* in the map */
};

struct ms_oso {
    const struct ms_macho *image;
    struct ms_names *names;
    const struct ms_object_search *search;
    struct ms_object_files files;
    struct ms_arena paths;
    struct ms_oso_unit **units; /* those that were opened */
    size_t n_units, units_room;
    struct ms_oso_unit *awake[MAX_AWAKE];
    size_t next_awake;
    size_t max_kept; /* 0: no bound of its own */
    uint64_t budget; /* of MAX_ENTRIES */
    unsigned n_single;
    uint64_t n_finds; /* calls of ms_oso_find, the one in hand counted */
    bool has_map;
    struct ms_debug_map map;
    struct function *functions; /* ascending */
    size_t n_functions;
    struct ms_oso_unit **unit_of;  /* of each object of the map; NULL = not opened yet */
    struct ms_dwarf_answers found; /* by the reader in hand */
    struct ms_dwarf_answers starts;
};

/* ---- the map --------------------------------------------------------------------------- */

enum ms_status ms_oso_open(const struct ms_macho *image, struct ms_names *names,
                           const struct ms_object_search *search, struct ms_oso **out,
                           struct ms_error *err)
{
    *out = NULL;
    if (!ms_debug_map_exists(image))
        return MS_ABSENT;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return ms_fail_memory(err);
    (*out)->image = image;
    (*out)->names = names;
    (*out)->search = search;
    (*out)->budget = MAX_ENTRIES;
    ms_arena_init(&(*out)->paths, 0);
    return MS_OK;
}

void ms_oso_close(struct ms_oso *oso)
{
    if (!oso)
        return;
    for (size_t i = 0; i < oso->n_units; i++) {
        ms_oso_unit_fini(oso->units[i]);
        free(oso->units[i]);
    }
    free(oso->units);
    free(oso->unit_of);
    free(oso->functions);
    ms_debug_map_fini(&oso->map);
    ms_dwarf_answers_fini(&oso->found);
    ms_dwarf_answers_fini(&oso->starts);
    ms_object_files_fini(&oso->files);
    ms_arena_fini(&oso->paths);
    free(oso);
}

/* Of functions that start together the first of the map comes last, so that it is found. */
static int by_address(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    return x->symbol > y->symbol ? -1 : x->symbol < y->symbol;
}

static enum ms_status read_map(struct ms_oso *oso, struct ms_error *err)
{
    if (oso->has_map)
        return MS_OK;
    enum ms_status status = ms_debug_map_read(oso->image, &oso->map, err);
    if (status != MS_OK)
        return status;
    const struct ms_debug_map *map = &oso->map;
    oso->unit_of = calloc(map->n_objects, sizeof *oso->unit_of);
    oso->functions = malloc((map->n_symbols + 1) * sizeof *oso->functions);
    if (!oso->unit_of || !oso->functions) {
        ms_debug_map_fini(&oso->map);
        free(oso->unit_of);
        free(oso->functions);
        oso->unit_of = NULL;
        oso->functions = NULL;
        return ms_fail_memory(err);
    }
    for (size_t i = 0; i < map->n_symbols; i++)
        if (map->symbols[i].kind == MS_MAP_FUNCTION && map->symbols[i].bytes)
            oso->functions[oso->n_functions++] =
                (struct function){map->symbols[i].vm, map->symbols[i].bytes, i};
    qsort(oso->functions, oso->n_functions, sizeof *oso->functions, by_address);
    for (size_t i = 0; i < map->n_objects; i++)
        for (size_t k = 0; k < oso->n_units && k < MAX_SINGLE; k++)
            if (map->objects[i].n && oso->units[k]->key == map->objects[i].first)
                oso->unit_of[i] = oso->units[k];
    oso->has_map = true;
    return MS_OK;
}

/* The function that starts last at or below the address, if it reaches so far. */
static const struct function *function_at(const struct ms_oso *oso, uint64_t address_vm)
{
    size_t low = 0, high = oso->n_functions;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (oso->functions[middle].vm <= address_vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || address_vm - oso->functions[low - 1].vm >= oso->functions[low - 1].bytes)
        return NULL;
    return &oso->functions[low - 1];
}

/* ---- objects --------------------------------------------------------------------------- */

/* Of two members of one name and time, the one that defines what the map says. */
struct suiting {
    struct ms_oso *oso;
    size_t key;
};

static bool defines_all(void *owner, const struct ms_macho *macho)
{
    struct suiting *s = owner;
    struct ms_oso_unit unit;
    memset(&unit, 0, sizeof unit);
    unit.object.macho = *macho;
    unit.budget = &s->oso->budget;
    if (read_map(s->oso, NULL) != MS_OK)
        return true;
    const struct ms_debug_map *map = &s->oso->map;
    bool all = true;
    for (size_t i = s->key;
         all && i < map->n_symbols && map->symbols[i].object == map->symbols[s->key].object; i++) {
        uint64_t ignored;
        if (map->symbols[i].kind == MS_MAP_FUNCTION)
            all = ms_oso_unit_symbol(&unit, map->symbols[i].name, &ignored) == MS_OK;
    }
    ms_index_fini(&unit.by_name);
    return all;
}

static enum ms_status open_unit(struct ms_oso *oso, const struct ms_map_object *object,
                                struct ms_oso_unit *unit, struct ms_error *err)
{
    struct suiting suiting = {oso, object->first};
    struct ms_object_request request = {
        .path = ms_object_path(oso->search, object->path, &oso->paths),
        .mtime = object->mtime,
        .cputype = oso->image->cputype,
        .cpusubtype = oso->image->cpusubtype,
        .any_subtype = true,
        .suits = defines_all,
        .owner = &suiting,
    };
    if (!request.path)
        return ms_fail_memory(err);
    if (oso->n_units < MAX_OPEN)
        return ms_oso_unit_open(unit, &oso->files, &request, err);
    unit->why = MS_WHY_BAD_DEBUG_INFO;
    unit->status = ms_fail(&unit->error, MS_E_LIMIT, request.path, MS_NO_OFFSET,
                           "more than %d objects are asked for", MAX_OPEN);
    return MS_OK;
}

/* The unit of an object of the map, opened on first use. */
static enum ms_status unit_of(struct ms_oso *oso, const struct ms_map_object *object,
                              struct ms_oso_unit **out, struct ms_error *err)
{
    for (size_t i = 0; !oso->has_map && i < oso->n_units; i++)
        if (oso->units[i]->key == object->first) {
            *out = oso->units[i];
            return MS_OK;
        }
    struct ms_oso_unit *unit = calloc(1, sizeof *unit);
    if (!unit)
        return ms_fail_memory(err);
    unit->key = object->first;
    unit->budget = &oso->budget;
    enum ms_status status = open_unit(oso, object, unit, err);
    if (status == MS_OK && !MS_PUSH(oso->units, oso->n_units, oso->units_room, unit))
        status = ms_fail_memory(err);
    if (status != MS_OK) {
        ms_oso_unit_fini(unit);
        free(unit);
        return status;
    }
    *out = unit;
    return MS_OK;
}

/* Makes sure that there is a reader; one that kept much is put to rest for it. */
static enum ms_status wake(struct ms_oso *oso, struct ms_oso_unit *unit, struct ms_error *err)
{
    for (size_t i = 0; i < MAX_AWAKE; i++)
        if (oso->awake[i] == unit)
            return MS_OK;
    struct ms_oso_unit **place = &oso->awake[oso->next_awake++ % MAX_AWAKE];
    if (*place)
        ms_dwarf_load_rest(&(*place)->dwarf);
    *place = unit;
    enum ms_status status =
        unit->dwarf.sections.info.n ? ms_dwarf_load_wake(&unit->dwarf, err) : MS_OK;
    if (unit->dwarf.reader && oso->max_kept)
        ms_dwarf_set_max_kept(unit->dwarf.reader, oso->max_kept / MAX_AWAKE);
    return status;
}

void ms_oso_set_max_kept(struct ms_oso *oso, size_t bytes)
{
    oso->max_kept = bytes;
}

/* ---- answers --------------------------------------------------------------------------- */

/* The answer in hand. */
struct request {
    struct ms_oso *oso;
    const uint64_t *addresses_vm;
    bool keep;
    struct ms_dwarf_answers *out;
    enum ms_why *whys;
};

/* One address: its function, and where that is in the object. */
struct place {
    size_t asked;
    const struct ms_map_symbol *function;
    uint64_t object_vm; /* of the function */
    bool known;
};

/* Where the function is in the object, by its own name or by another at its address. */
static enum ms_status find_function(struct ms_oso *oso, struct ms_oso_unit *unit,
                                    const struct ms_map_symbol *function, uint64_t *object_vm)
{
    enum ms_status status = ms_oso_unit_symbol(unit, function->name, object_vm);
    for (size_t i = 0; status == MS_ABSENT && i < MAX_ALIASES; i++) {
        struct ms_nlist alias;
        status = ms_names_at(oso->names, oso->image, function->vm, i, &alias);
        if (status != MS_OK)
            break;
        status = ms_oso_unit_symbol(unit, alias.name, object_vm);
    }
    return status;
}

static enum ms_status add_error(const struct request *r, const struct ms_error *error,
                                uint32_t *index, struct ms_error *err)
{
    return ms_answers_error(r->out, error, index) ? MS_OK : ms_fail_memory(err);
}

/* The unit can't be used: each address says so, the error is told once. */
static enum ms_status give_fault(const struct request *r, struct ms_oso_unit *unit,
                                 const struct place *places, size_t n, struct ms_error *err)
{
    uint32_t index = 0;
    bool tell = !(r->keep && unit->told) && unit->error.status != MS_OK;
    if (tell && add_error(r, &unit->error, &index, err) != MS_OK)
        return MS_E_NOMEM;
    unit->told = true;
    for (size_t i = 0; i < n; i++) {
        r->out->hits[places[i].asked].status = unit->status == MS_ABSENT ? MS_E_IO : unit->status;
        r->out->hits[places[i].asked].error = index;
        r->whys[places[i].asked] = unit->why;
    }
    return MS_OK;
}

/* A row that starts before the function is what the compiler said of another one, in which code
 * of no line of its own followed: the linker need not have put the two together. */
static void drop_location(struct ms_frame *frame)
{
    frame->comp_dir = frame->dir = frame->file = NULL;
    frame->line = frame->column = 0;
}

static void move_frame(struct ms_frame *frame, const struct place *place)
{
    uint64_t from_start = frame->start_vm - place->object_vm;
    frame->source = MS_SOURCE_DEBUG_MAP;
    if (frame->has_start && from_start >= place->function->bytes)
        frame->has_start = false; /* the entry lies in another part, which may be anywhere */
    frame->start_vm = place->function->vm + from_start;
}

static enum ms_status give_frames(const struct request *r, const struct place *place,
                                  const struct ms_dwarf_hit *hit, struct ms_error *err)
{
    struct ms_dwarf_hit *to = &r->out->hits[place->asked];
    struct ms_frame *frames = ms_answers_frames(r->out, 0, hit->n_frames);
    if (!frames)
        return ms_fail_memory(err);
    to->frames = frames;
    to->n_frames = hit->n_frames;
    for (uint32_t i = 0; i < hit->n_frames; i++) {
        frames[i] = hit->frames[i];
        move_frame(&frames[i], place);
    }
    if (hit->row_vm < place->object_vm)
        drop_location(&frames[0]);
    return MS_OK;
}

static const struct ms_frame *outer_of(const struct ms_dwarf_answers *answers, size_t i)
{
    const struct ms_dwarf_hit *hit = &answers->hits[i];
    return hit->n_frames ? &hit->frames[hit->n_frames - 1] : NULL;
}

static bool is_named(const struct ms_frame *frame)
{
    return frame && (frame->linkage || frame->name);
}

/*
 * An address behind its function's end, in the padding, has a row of the line table, since the
 * unit goes on there. In the linked image nothing is known of it, so that a row without a function
 * counts only where no function starts that DWARF knows: in assembly.
 */
static enum ms_status is_padding(const struct request *r, struct ms_oso_unit *unit,
                                 const struct place *place, bool *out, struct ms_error *err)
{
    struct ms_dwarf_answers *starts = &r->oso->starts;
    enum ms_status status = ms_dwarf_find(unit->dwarf.reader, place->object_vm, starts, err);
    *out = status == MS_OK && is_named(outer_of(starts, 0));
    return status;
}

/* What the object's reader said becomes what is said of the linked addresses. */
static enum ms_status take_hits(const struct request *r, struct ms_oso_unit *unit,
                                const struct place *places, size_t n, struct ms_error *err)
{
    const struct ms_dwarf_answers *found = &r->oso->found;
    uint32_t first_error = (uint32_t)r->out->n_errors, ignored;
    for (size_t i = 0; i < found->n_errors; i++)
        if (add_error(r, &found->errors[i], &ignored, err) != MS_OK)
            return MS_E_NOMEM;
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        if (!places[i].known)
            continue;
        size_t at = next++;
        const struct ms_frame *outer = outer_of(found, at);
        bool padding = outer && !is_named(outer) && found->hits[at].row_vm < places[i].object_vm;
        if (outer && !is_named(outer) && !padding &&
            is_padding(r, unit, &places[i], &padding, err) != MS_OK)
            return MS_E_NOMEM;
        if (padding)
            continue;
        const struct ms_dwarf_hit *hit = &found->hits[at];
        r->out->hits[places[i].asked].status = hit->status;
        r->out->hits[places[i].asked].error = first_error + hit->error;
        if (hit->status != MS_OK && hit->status != MS_ABSENT)
            r->whys[places[i].asked] = MS_WHY_BAD_DEBUG_INFO;
        if (hit->n_frames && give_frames(r, &places[i], hit, err) != MS_OK)
            return MS_E_NOMEM;
    }
    return MS_OK;
}

/* The object turns out not to be what was linked, or too much was asked for. */
static enum ms_status give_no_symbol(const struct request *r, struct ms_oso_unit *unit,
                                     const struct place *place, enum ms_status why,
                                     struct ms_error *err)
{
    uint32_t index = 0;
    if (!unit->told) {
        struct ms_error error;
        if (why == MS_E_LIMIT)
            (void)ms_fail(&error, MS_E_LIMIT, unit->object.macho.where, MS_NO_OFFSET,
                          "the objects have more symbols than are read");
        else
            (void)ms_fail(&error, MS_E_FORMAT, unit->object.macho.where, MS_NO_OFFSET,
                          "has no symbol %.100s, which the debug map names", place->function->name);
        if (add_error(r, &error, &index, err) != MS_OK)
            return MS_E_NOMEM;
        unit->told = true;
    }
    r->out->hits[place->asked].status = MS_E_FORMAT;
    r->out->hits[place->asked].error = index;
    r->whys[place->asked] = MS_WHY_BAD_DEBUG_INFO;
    return MS_OK;
}

/* Finds the functions of the places in their object, and the addresses of those that are known. */
static enum ms_status locate(const struct request *r, struct ms_oso_unit *unit,
                             struct place *places, size_t n, uint64_t *addresses,
                             size_t *n_addresses, struct ms_error *err)
{
    *n_addresses = 0;
    if (!r->keep)
        unit->told = false;
    for (size_t i = 0; i < n; i++) {
        struct place *p = &places[i];
        enum ms_status status = MS_OK;
        if (i && places[i - 1].function == p->function) {
            p->object_vm = places[i - 1].object_vm;
            p->known = places[i - 1].known;
        } else {
            status = find_function(r->oso, unit, p->function, &p->object_vm);
            p->known = status == MS_OK;
        }
        if (status == MS_E_NOMEM)
            return ms_fail_memory(err);
        if (p->known)
            addresses[(*n_addresses)++] =
                p->object_vm + (r->addresses_vm[p->asked] - p->function->vm);
        else if (give_no_symbol(r, unit, p, status, err) != MS_OK)
            return MS_E_NOMEM;
    }
    return MS_OK;
}

static enum ms_status ask_reader(const struct request *r, struct ms_oso_unit *unit,
                                 const struct place *places, size_t n, const uint64_t *addresses,
                                 size_t n_addresses, struct ms_error *err)
{
    struct ms_dwarf *reader = unit->dwarf.reader;
    struct ms_dwarf_answers *found = &r->oso->found;
    enum ms_status status = r->keep && n_addresses == 1
                                ? ms_dwarf_find(reader, addresses[0], found, err)
                                : ms_dwarf_find_many(reader, addresses, n_addresses, found, err);
    if (status == MS_OK)
        status = take_hits(r, unit, places, n, err);
    return status;
}

/* Answers the addresses that lie in one object. */
static enum ms_status ask_unit(const struct request *r, struct ms_oso_unit *unit,
                               struct place *places, size_t n, struct ms_error *err)
{
    unit->asked = r->oso->n_finds;
    if (unit->status != MS_OK)
        return give_fault(r, unit, places, n, err);
    uint64_t *addresses = malloc(n * sizeof *addresses);
    size_t n_addresses;
    if (!addresses)
        return ms_fail_memory(err);
    enum ms_status status = wake(r->oso, unit, err);
    if (status == MS_OK)
        status = locate(r, unit, places, n, addresses, &n_addresses, err);
    if (status == MS_OK && unit->dwarf.reader && n_addresses)
        status = ask_reader(r, unit, places, n, addresses, n_addresses, err);
    free(addresses);
    if (status != MS_OK || !ms_file_torn(unit->object.file))
        return status;
    ms_oso_unit_spoil(unit);
    for (size_t i = 0; i < n; i++)
        r->out->hits[places[i].asked].n_frames = 0;
    return give_fault(r, unit, places, n, err);
}

static enum ms_status find_one(const struct request *r, struct ms_error *err)
{
    struct ms_map_function function;
    struct ms_oso_unit *unit;
    if (ms_debug_map_function_at(r->oso->image, r->addresses_vm[0], &function) != MS_OK)
        return MS_OK;
    struct place place = {0, &function.symbol, 0, false};
    enum ms_status status = unit_of(r->oso, &function.object, &unit, err);
    return status == MS_OK ? ask_unit(r, unit, &place, 1, err) : status;
}

static int by_function(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->function != y->function)
        return x->function < y->function ? -1 : 1;
    return x->asked < y->asked ? -1 : x->asked > y->asked;
}

/* In the map an object's symbols stand together: sorted by them, places are grouped by object. */
static enum ms_status find_all(const struct request *r, size_t n, struct ms_error *err)
{
    struct ms_oso *oso = r->oso;
    struct place *places = malloc(n * sizeof *places);
    size_t n_places = 0;
    if (!places)
        return ms_fail_memory(err);
    for (size_t i = 0; i < n; i++) {
        const struct function *f = function_at(oso, r->addresses_vm[i]);
        if (f)
            places[n_places++] = (struct place){i, &oso->map.symbols[f->symbol], 0, false};
    }
    qsort(places, n_places, sizeof *places, by_function);
    enum ms_status status = MS_OK;
    for (size_t i = 0, end; i < n_places && status == MS_OK; i = end) {
        uint32_t object = places[i].function->object;
        for (end = i + 1; end < n_places && places[end].function->object == object;)
            end++;
        if (!oso->unit_of[object])
            status = unit_of(oso, &oso->map.objects[object], &oso->unit_of[object], err);
        if (status == MS_OK)
            status = ask_unit(r, oso->unit_of[object], places + i, end - i, err);
    }
    free(places);
    return status;
}

enum ms_status ms_oso_find(struct ms_oso *oso, const uint64_t *addresses_vm, size_t n, bool keep,
                           struct ms_dwarf_answers *out, enum ms_why *whys, struct ms_error *err)
{
    struct request r = {oso, addresses_vm, keep, out, whys};
    oso->n_finds++;
    enum ms_status status = ms_answers_start(out, n, err);
    if (status != MS_OK || n == 0)
        return status;
    if (n == 1 && !oso->has_map && oso->n_single < MAX_SINGLE) {
        oso->n_single++;
        return find_one(&r, err);
    }
    status = read_map(oso, err);
    return status == MS_OK ? find_all(&r, n, err) : status;
}

/* ---- a whole object -------------------------------------------------------------------- */

static int by_object_address(const void *a, const void *b)
{
    const struct ms_oso_place *x = a, *y = b;
    if (x->object_vm != y->object_vm)
        return x->object_vm < y->object_vm ? -1 : 1;
    return x->vm < y->vm ? -1 : x->vm > y->vm;
}

/* The functions of the object that the map names, where they are in it. */
static enum ms_status find_places(struct ms_oso *oso, const struct ms_map_object *object,
                                  struct ms_oso_part *part)
{
    for (size_t i = object->first; i < object->first + object->n; i++) {
        const struct ms_map_symbol *symbol = &oso->map.symbols[i];
        uint64_t object_vm;
        if (symbol->kind != MS_MAP_FUNCTION || !symbol->bytes)
            continue;
        enum ms_status status = find_function(oso, &part->unit, symbol, &object_vm);
        if (status == MS_E_NOMEM)
            return status;
        const struct function *there = function_at(oso, symbol->vm);
        if (status == MS_OK)
            part->places[part->n++] = (struct ms_oso_place){
                object_vm, symbol->vm, symbol->bytes, 0, symbol->name, there && there->symbol == i};
        else if (part->unit.error.status == MS_OK)
            (void)ms_fail(&part->unit.error, MS_E_FORMAT, part->unit.object.macho.where,
                          MS_NO_OFFSET, "has no symbol %.100s, which the debug map names",
                          symbol->name);
    }
    if (part->n > 1)
        qsort(part->places, part->n, sizeof *part->places, by_object_address);
    return MS_OK;
}

enum ms_status ms_oso_part_open(struct ms_oso *oso, size_t i, struct ms_oso_part *out, bool *last,
                                struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    enum ms_status status = read_map(oso, err);
    *last = status == MS_OK && i >= oso->map.n_objects;
    if (status != MS_OK || *last)
        return status == MS_OK ? MS_ABSENT : status;
    const struct ms_map_object *object = &oso->map.objects[i];
    size_t n = 0;
    for (size_t k = object->first; k < object->first + object->n; k++)
        n += oso->map.symbols[k].kind == MS_MAP_FUNCTION && oso->map.symbols[k].bytes;
    if (!n)
        return MS_ABSENT;
    out->unit.budget = &oso->budget;
    out->places = malloc(n * sizeof *out->places);
    if (!out->places)
        return ms_fail_memory(err);
    status = open_unit(oso, object, &out->unit, err);
    if (status == MS_OK && out->unit.status == MS_OK)
        status = find_places(oso, object, out);
    if (status != MS_OK) {
        ms_oso_part_close(out);
        return ms_fail_memory(err);
    }
    return MS_OK;
}

void ms_oso_part_close(struct ms_oso_part *part)
{
    ms_oso_unit_fini(&part->unit);
    free(part->places);
    memset(part, 0, sizeof *part);
}

void ms_oso_objects(const struct ms_oso *oso, struct ms_image_objects *out)
{
    const struct ms_oso_unit *first = NULL; /* of those that failed, as the map has them */
    for (size_t i = 0; i < oso->n_units; i++) {
        const struct ms_oso_unit *unit = oso->units[i];
        if (unit->asked != oso->n_finds)
            continue;
        if (unit->status == MS_OK) {
            out->n_used += unit->dwarf.sections.info.n > 0;
            continue;
        }
        out->n_failed++;
        if (!first || unit->key < first->key)
            first = unit;
    }
    if (first) {
        out->why = first->why;
        out->error = first->error;
    }
}
