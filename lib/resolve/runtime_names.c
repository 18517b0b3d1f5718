#include "resolve/runtime_names.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "machsym/demangle.h"
#include "machsym/runtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OF_METHOD, OF_WITNESS, OF_TYPE };

enum {
    MAX_ARENA = 1 << 28,
    MAX_COMPARED = 32 /* names of one address, so that one name isn't told twice */
};

/* A function, and what names it. */
struct item {
    uint64_t vm;
    uint32_t owner, index; /* the class and method, conformance and witness, or type */
    uint8_t kind;
    bool is_made;
    const char *name; /* once somebody has asked; NULL: the same as another's */
};

struct ms_runtime_names {
    struct ms_objc objc;
    struct ms_swift_metadata swift;
    struct ms_arena arena;
    struct item *items; /* by address, then as above */
    size_t n, room;
};

static int by_vm(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool add(struct ms_runtime_names *names, uint64_t vm, unsigned kind, size_t owner,
                size_t index)
{
    struct item item = {vm, (uint32_t)owner, (uint32_t)index, (uint8_t)kind, false, NULL};
    return MS_PUSH(names->items, names->n, names->room, item);
}

/* Of a class that is damaged anywhere, nothing is believed. */
static bool add_methods(struct ms_runtime_names *names)
{
    const struct ms_objc *objc = &names->objc;
    for (size_t i = 0; i < objc->n_classes; i++) {
        const struct ms_objc_class *c = &objc->classes[i];
        bool is_sound = !c->fault && c->name;
        for (size_t k = c->first_method; k < c->first_method + c->n_methods; k++)
            is_sound = is_sound && !objc->methods[k].fault;
        for (size_t k = c->first_method; is_sound && k < c->first_method + c->n_methods; k++)
            if (objc->methods[k].has_address && objc->methods[k].selector &&
                !add(names, objc->methods[k].vm, OF_METHOD, i, k))
                return false;
    }
    return true;
}

static bool add_witnesses(struct ms_runtime_names *names)
{
    const struct ms_swift_metadata *swift = &names->swift;
    for (size_t i = 0; i < swift->n_conformances; i++) {
        const struct ms_swift_conformance *c = &swift->conformances[i];
        for (size_t k = c->first_witness; !c->fault && k < c->first_witness + c->n_witnesses; k++)
            if (swift->witnesses[k].has_address &&
                !add(names, swift->witnesses[k].vm, OF_WITNESS, i, k))
                return false;
    }
    return true;
}

static bool add_types(struct ms_runtime_names *names)
{
    const struct ms_swift_metadata *swift = &names->swift;
    for (size_t i = 0; i < swift->n_types; i++)
        if (!swift->types[i].fault && swift->types[i].access_vm && swift->types[i].name.path &&
            !add(names, swift->types[i].access_vm, OF_TYPE, i, i))
            return false;
    return true;
}

enum ms_status ms_runtime_names_open(const struct ms_macho *macho, struct ms_runtime_names **out,
                                     struct ms_error *err)
{
    struct ms_runtime_names *names = calloc(1, sizeof *names);
    struct ms_error fault;
    if (!names)
        return ms_fail_memory(err);
    ms_arena_init(&names->arena, MAX_ARENA);
    enum ms_status objc = ms_objc_read(macho, &names->objc, &fault);
    enum ms_status swift = ms_swift_metadata_read(macho, MS_SWIFT_TYPES | MS_SWIFT_CONFORMANCES,
                                                  &names->swift, &fault);
    if (objc == MS_E_NOMEM || swift == MS_E_NOMEM || !add_methods(names) || !add_witnesses(names) ||
        !add_types(names)) {
        ms_runtime_names_close(names);
        return ms_fail_memory(err);
    }
    if (names->n)
        qsort(names->items, names->n, sizeof *names->items, by_vm);
    *out = names;
    return MS_OK;
}

void ms_runtime_names_close(struct ms_runtime_names *names)
{
    if (!names)
        return;
    ms_objc_fini(&names->objc);
    ms_swift_metadata_fini(&names->swift);
    ms_arena_fini(&names->arena);
    free(names->items);
    free(names);
}

/* Writes a name as snprintf does. */
static size_t write_name(const struct ms_runtime_names *names, const struct item *item, char *out,
                         size_t room)
{
    const struct ms_objc *objc = &names->objc;
    const struct ms_swift_metadata *swift = &names->swift;
    if (item->kind == OF_METHOD)
        return ms_objc_method_name(&objc->classes[item->owner], &objc->methods[item->index], false,
                                   out, room);
    if (item->kind == OF_WITNESS)
        return ms_swift_witness_write(&swift->conformances[item->owner],
                                      &swift->witnesses[item->index], MS_DEMANGLE_SIMPLIFIED, out,
                                      room);
    int n =
        snprintf(out, room, "type metadata accessor for %s", swift->types[item->owner].name.path);
    return n > 0 ? (size_t)n : 0;
}

/* Makes the name of items[i], which is one of those from `first` on with its address. */
static bool make_name(struct ms_runtime_names *names, size_t first, size_t i)
{
    struct item *item = &names->items[i];
    char small[1024];
    if (item->is_made)
        return true;
    size_t n = write_name(names, item, small, sizeof small);
    char *name = ms_arena_take(&names->arena, n + 1);
    if (!name)
        return false;
    if (n < sizeof small)
        memcpy(name, small, n + 1);
    else
        write_name(names, item, name, n + 1);
    item->is_made = true;
    size_t from = i - first > MAX_COMPARED ? i - MAX_COMPARED : first;
    for (size_t k = from; k < i; k++)
        if (names->items[k].name && strcmp(names->items[k].name, name) == 0)
            return true;
    item->name = name;
    return true;
}

enum ms_status ms_runtime_names_at(struct ms_runtime_names *names, uint64_t start_vm, size_t i,
                                   struct ms_runtime_name *out)
{
    size_t low = 0, high = names->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->items[middle].vm < start_vm)
            low = middle + 1;
        else
            high = middle;
    }
    size_t first = low;
    for (size_t at = first; at < names->n && names->items[at].vm == start_vm; at++) {
        if (!make_name(names, first, at))
            return MS_E_NOMEM;
        if (!names->items[at].name || i--)
            continue;
        out->start_vm = start_vm;
        out->name = names->items[at].name;
        out->source = names->items[at].kind == OF_METHOD ? MS_SOURCE_OBJC : MS_SOURCE_SWIFT;
        return MS_OK;
    }
    return MS_ABSENT;
}
