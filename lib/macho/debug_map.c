/*
 * macho/debug_map.c: the stabs of a linked image.
 *
 * ld64 writes N_SO folder, N_SO file, N_OSO, then for each function N_BNSYM, N_FUN name, N_FUN
 * "" with the size, N_ENSYM, and N_SO "" at the end of a unit. lld writes one N_SO with the whole
 * path and leaves N_BNSYM and N_ENSYM out. Swift modules (N_AST) stand anywhere.
 */
#include "macho/debug_map.h"

#include "base/array.h"
#include "base/cursor.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* One pass over the stabs. */
struct walk {
    const struct ms_macho *image;
    uint32_t next;          /* entry */
    const char *sources[2]; /* N_SO since the last unit ended: folder and file, or file */
    struct ms_map_object object;
    bool in_object, new_object;
    struct ms_nlist function; /* its name and start; the size follows */
    bool in_function;
    size_t n_symbols; /* so far */
    size_t n_objects; /* so far, modules too; the object in hand is `object_index` */
    uint32_t object_index;
};

static void start_walk(struct walk *w, const struct ms_macho *image)
{
    memset(w, 0, sizeof *w);
    w->image = image;
    w->sources[0] = w->sources[1] = "";
}

static void take_source(struct walk *w, const char *name)
{
    w->in_function = false;
    w->sources[0] = name[0] ? w->sources[1] : "";
    w->sources[1] = name;
}

static bool is_folder(const char *path)
{
    size_t n = strlen(path);
    return n && path[n - 1] == '/';
}

static void take_object(struct walk *w, const struct ms_nlist *stab)
{
    memset(&w->object, 0, sizeof w->object);
    w->object.path = stab->name;
    w->object.mtime = (int64_t)stab->value;
    w->object.is_module = stab->type == MS_N_AST;
    w->object.first = w->n_symbols;
    w->object.folder = w->object.source = "";
    w->new_object = true;
    if (w->object.is_module) {
        w->n_objects++;
        return;
    }
    if (is_folder(w->sources[0]))
        w->object.folder = w->sources[0];
    w->object.source = w->sources[1];
    w->object_index = (uint32_t)w->n_objects++;
    w->in_object = true;
    w->in_function = false;
}

/* True when the stab completes a symbol. */
static bool take_symbol(struct walk *w, const struct ms_nlist *stab, struct ms_map_symbol *out)
{
    if (!w->in_object)
        return false;
    *out = (struct ms_map_symbol){stab->name, stab->value, 0, w->object_index, MS_MAP_STATIC};
    switch (stab->type) {
    case MS_N_FUN:
        if (stab->name[0]) {
            w->function = *stab;
            w->in_function = true;
            return false;
        }
        if (!w->in_function)
            return false;
        w->in_function = false;
        *out = (struct ms_map_symbol){w->function.name, w->function.value, stab->value,
                                      w->object_index, MS_MAP_FUNCTION};
        break;
    case MS_N_GSYM:
        out->kind = MS_MAP_GLOBAL;
        break;
    case MS_N_STSYM:
        break;
    default:
        return false;
    }
    if (!out->name[0])
        return false;
    w->n_symbols++;
    return true;
}

/* True for the next symbol, or for the next object (w->new_object). */
static bool walk_next(struct walk *w, struct ms_map_symbol *out)
{
    size_t each = w->image->is64 ? 16 : 12;
    const struct ms_bytes table = w->image->nlist;
    w->new_object = false;
    while (w->next < w->image->n_nlist) {
        uint32_t i = w->next++;
        /* Most entries of a large table are none: their type alone is read. */
        struct ms_bytes type;
        if (!ms_bytes_part(table, (uint64_t)i * each + 4, 1, &type) || !(type.at[0] & MS_N_STAB))
            continue;
        bool bad_name;
        struct ms_nlist stab = ms_nlist_at(w->image, i, &bad_name);
        if (bad_name)
            continue;
        if (stab.type == MS_N_SO) {
            take_source(w, stab.name);
        } else if (stab.type == MS_N_OSO || stab.type == MS_N_AST) {
            take_object(w, &stab);
            return true;
        } else if (take_symbol(w, &stab, out)) {
            return true;
        }
    }
    return false;
}

enum ms_status ms_debug_map_read(const struct ms_macho *image, struct ms_debug_map *out,
                                 struct ms_error *err)
{
    struct walk w;
    struct ms_map_symbol symbol;
    memset(out, 0, sizeof *out);
    start_walk(&w, image);
    bool room = true;
    while (room && walk_next(&w, &symbol)) {
        if (w.new_object) {
            room = MS_PUSH(out->objects, out->n_objects, out->objects_room, w.object);
            continue;
        }
        room = MS_PUSH(out->symbols, out->n_symbols, out->symbols_room, symbol);
        struct ms_map_object *object = &out->objects[symbol.object];
        if (room && !object->n++)
            object->first = out->n_symbols - 1;
    }
    if (!room) {
        ms_debug_map_fini(out);
        return ms_fail_memory(err);
    }
    return out->n_objects ? MS_OK : MS_ABSENT;
}

void ms_debug_map_fini(struct ms_debug_map *map)
{
    free(map->objects);
    free(map->symbols);
    memset(map, 0, sizeof *map);
}

bool ms_debug_map_exists(const struct ms_macho *image)
{
    struct walk w;
    struct ms_map_symbol symbol;
    start_walk(&w, image);
    while (walk_next(&w, &symbol))
        if (w.new_object && !w.object.is_module)
            return true;
    return false;
}

enum ms_status ms_debug_map_function_at(const struct ms_macho *image, uint64_t address_vm,
                                        struct ms_map_function *out)
{
    struct walk w;
    struct ms_map_symbol symbol;
    struct ms_map_object object;
    memset(&object, 0, sizeof object);
    start_walk(&w, image);
    while (walk_next(&w, &symbol)) {
        if (w.new_object && !w.object.is_module)
            object = w.object;
        if (w.new_object || symbol.kind != MS_MAP_FUNCTION || address_vm < symbol.vm ||
            address_vm - symbol.vm >= symbol.bytes)
            continue;
        out->symbol = symbol;
        out->object = object;
        return MS_OK;
    }
    return MS_ABSENT;
}
