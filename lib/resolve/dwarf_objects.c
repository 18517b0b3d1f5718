/* The objects that a debug map leads to. */
#include "machsym/dwarf.h"

#include "base/array.h"
#include "base/error.h"
#include "macho/debug_map.h"
#include "resolve/dwarf_objects.h"
#include "resolve/image.h"

#include <stdlib.h>
#include <string.h>

bool ms_image_has_debug_map(struct ms_image *image)
{
    return ms_image_oso(image) != NULL;
}

/* ---- the objects of a debug map ------------------------------------------------------------ */

static bool keep_part(struct ms_map_parts *out, size_t *room, struct ms_arena *strings,
                      const char *label, const struct ms_oso_unit *unit)
{
    struct ms_map_part part;
    memset(&part, 0, sizeof part);
    part.status = unit->status;
    part.error = unit->error;
    part.stale = unit->why == MS_WHY_STALE_OBJECT;
    part.path = ms_arena_copy(strings, label, strlen(label));
    bool ok = part.path != NULL;
    if (ok && unit->status == MS_OK) {
        const char *path = ms_file_path(unit->object.file);
        size_t n = strlen(path), n_label = strlen(label);
        struct ms_bytes whole = ms_file_bytes(unit->object.file);
        part.inside.path = ms_arena_copy(strings, path, n);
        /* "/obj/libz.a(a.o)" lies in "/obj/libz.a" */
        bool is_member = n_label > n + 2 && label[n] == '(' && strncmp(path, label, n) == 0;
        if (is_member)
            part.inside.name = ms_arena_copy(strings, label + n + 1, n_label - n - 2);
        part.inside.off = (uint64_t)(unit->object.macho.bytes.at - whole.at);
        part.inside.bytes = unit->object.macho.bytes.n;
        part.has_dwarf = ms_macho_has_dwarf(&unit->object.macho);
        ok = part.inside.path && (part.inside.name || !is_member);
    }
    return ok && MS_PUSH(out->items, out->n, *room, part);
}

void ms_map_parts_fini(struct ms_map_parts *parts)
{
    if (parts->storage) {
        ms_arena_fini(parts->storage);
        free(parts->storage);
    }
    free(parts->items);
    memset(parts, 0, sizeof *parts);
}

static enum ms_status list_parts(struct ms_image *image, struct ms_oso *oso,
                                 const struct ms_debug_map *map, struct ms_map_parts *out,
                                 struct ms_error *err)
{
    size_t room = 0;
    for (size_t i = 0; i < map->n_objects; i++) {
        struct ms_oso_part part;
        bool last;
        enum ms_status status = ms_oso_part_open(oso, i, &part, &last, err);
        if (status == MS_ABSENT) /* no code of it was linked */
            continue;
        if (status != MS_OK)
            return status;
        const char *label = ms_object_path(&image->search, map->objects[i].path, out->storage);
        bool kept = label && keep_part(out, &room, out->storage, label, &part.unit);
        ms_oso_part_close(&part);
        if (!kept)
            return ms_fail_memory(err);
    }
    return MS_OK;
}

enum ms_status ms_image_map_parts(struct ms_image *image, struct ms_map_parts *out,
                                  struct ms_error *err)
{
    struct ms_oso *oso = ms_image_oso(image);
    struct ms_debug_map map;
    memset(out, 0, sizeof *out);
    if (!oso)
        return image->starved ? ms_fail_memory(err) : MS_ABSENT;
    enum ms_status status = ms_debug_map_read(&image->binary.macho, &map, err);
    if (status != MS_OK)
        return status;
    struct ms_arena *strings = malloc(sizeof *strings);
    if (strings)
        ms_arena_init(strings, 0);
    out->storage = strings;
    status = strings ? list_parts(image, oso, &map, out, err) : ms_fail_memory(err);
    ms_debug_map_fini(&map);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    if (status != MS_OK)
        ms_map_parts_fini(out);
    return status;
}

/* ---- one function -------------------------------------------------------------------------- */

static enum ms_status open_function(struct ms_oso *oso, size_t object, uint64_t function_vm,
                                    uint64_t address_vm, struct ms_oso_part *out,
                                    uint64_t *object_vm, struct ms_error *err)
{
    bool last;
    enum ms_status status = ms_oso_part_open(oso, object, out, &last, err);
    if (status != MS_OK)
        return status;
    if (out->unit.status == MS_OK && out->unit.dwarf.reader)
        for (size_t i = 0; i < out->n; i++)
            if (out->places[i].vm == function_vm) {
                *object_vm = out->places[i].object_vm + (address_vm - function_vm);
                return MS_OK;
            }
    ms_oso_part_close(out);
    return MS_ABSENT;
}

enum ms_status ms_image_object_at(struct ms_image *image, uint64_t address_vm,
                                  struct ms_arena *strings, struct ms_oso_part *out,
                                  uint64_t *object_vm, const char **path, struct ms_error *err)
{
    struct ms_oso *oso = ms_image_oso(image);
    struct ms_map_function function;
    struct ms_debug_map map;
    memset(out, 0, sizeof *out);
    if (!oso || ms_debug_map_function_at(&image->binary.macho, address_vm, &function) != MS_OK)
        return MS_ABSENT;
    enum ms_status status = ms_debug_map_read(&image->binary.macho, &map, err);
    if (status != MS_OK)
        return status;
    status = MS_ABSENT;
    for (size_t i = 0; i < map.n_objects && status == MS_ABSENT; i++) {
        const struct ms_map_object *object = &map.objects[i];
        if (!object->n || object->first != function.object.first)
            continue;
        status = open_function(oso, i, function.symbol.vm, address_vm, out, object_vm, err);
        const char *label = ms_object_path(&image->search, object->path, strings);
        *path = label ? ms_arena_copy(strings, label, strlen(label)) : NULL;
        if (!*path && status == MS_OK) {
            ms_oso_part_close(out);
            status = ms_fail_memory(err);
        }
        break;
    }
    ms_debug_map_fini(&map);
    return status;
}
