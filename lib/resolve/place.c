/* ms_image_place: one address, down to the types of its variables. */
#include "machsym/dwarf.h"

#include "dwarf/line_table.h"
#include "dwarf/locals.h"
#include "dwarf/reader.h"
#include "resolve/dwarf_objects.h"
#include "resolve/image.h"
#include "resolve/unit_info.h"

#include <stdlib.h>

/* What a place hangs on. */
struct store {
    struct ms_arena arena;
    struct ms_answers answers;
    struct ms_oso_part object; /* of a debug map, that has the unit */
};

/* DIEs that the names of all types may cost, read or passed by; a deep chain of C++ reads some
 * 20,000. */
#define TYPE_DIES(dwarf) (((uint64_t)1 << 20) + 2 * (uint64_t)(dwarf)->s.info.n)

void ms_place_fini(struct ms_place *place)
{
    struct store *store = place->storage;
    if (store) {
        ms_answers_fini(&store->answers);
        ms_oso_part_close(&store->object);
        ms_arena_fini(&store->arena);
        free(store);
    }
    memset(place, 0, sizeof *place);
}

void ms_unit_info_read(const struct ms_unit *unit, struct ms_unit_info *out)
{
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    memset(out, 0, sizeof *out);
    out->off = unit->header.off;
    out->version = unit->encoding.version;
    out->comp_dir = unit->comp_dir;
    if (!ms_die_open(unit, unit->header.root, &die))
        return;
    while (ms_die_next(&die, &attribute, &value))
        switch (attribute) {
        case DW_AT_name:
            out->name = ms_unit_string(unit, &value);
            break;
        case DW_AT_producer:
            out->producer = ms_unit_string(unit, &value);
            break;
        case DW_AT_language:
            out->language = ms_value_is_constant(&value) ? value.u : 0;
            break;
        }
}

static enum ms_status read_levels(struct ms_dwarf *dwarf, uint64_t address_vm,
                                  const struct ms_answer *answer, struct store *store,
                                  struct ms_place *out, struct ms_error *err)
{
    struct ms_types *types = malloc(sizeof *types); /* large: it holds opened units */
    struct ms_place_level *levels =
        ms_arena_zeroed(&store->arena, answer->n_frames, sizeof *levels);
    enum ms_status status = types && levels ? MS_OK : ms_fail_memory(err);
    out->levels = levels;
    if (status == MS_OK && dwarf) {
        struct ms_locals_budget budget = ms_locals_budget_for(dwarf);
        ms_types_init(types, dwarf, TYPE_DIES(dwarf));
        for (size_t i = 0; i < answer->n_frames && status == MS_OK; i++) {
            levels[i].die_off = answer->frames[i].die_off;
            if (levels[i].die_off)
                status = ms_locals_read(types, address_vm, &store->arena, &budget, &levels[i], err);
        }
        uint64_t off = answer->frames[0].die_off;
        const struct ms_unit *unit = off ? ms_types_unit(types, off) : NULL;
        out->has_unit = unit != NULL;
        if (unit)
            ms_unit_info_read(unit, &out->unit);
        ms_types_fini(types);
    }
    free(types);
    for (size_t i = 0; i < answer->n_frames && status == MS_OK; i++)
        levels[i].frame = answer->frames[i];
    out->n_levels = status == MS_OK ? answer->n_frames : 0;
    return status;
}

/* Where the DIEs of the answer are, and the address there: in the object that a debug map leads to,
 * when that answered. */
static enum ms_status choose_reader(struct ms_image *image, struct store *store,
                                    struct ms_place *out, struct ms_dwarf **dwarf,
                                    uint64_t *address_vm, struct ms_error *err)
{
    *dwarf = ms_image_dwarf(image);
    if (*dwarf || store->answers.items[0].frames[0].source != MS_SOURCE_DEBUG_MAP)
        return MS_OK;
    enum ms_status status = ms_image_object_at(image, *address_vm, &store->arena, &store->object,
                                               address_vm, &out->object, err);
    if (status == MS_OK)
        *dwarf = store->object.unit.dwarf.reader;
    return status == MS_ABSENT ? MS_OK : status;
}

enum ms_status ms_image_place(struct ms_image *image, uint64_t address_vm, struct ms_place *out,
                              struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct store *store = calloc(1, sizeof *store);
    if (!store)
        return ms_fail_memory(err);
    out->storage = store;
    ms_arena_init(&store->arena, (size_t)1 << 28);
    enum ms_status status = ms_image_find_many(image, &address_vm, 1, &store->answers, err);
    if (status == MS_OK) {
        const struct ms_answer *answer = &store->answers.items[0];
        out->why = answer->why;
        if (store->answers.n_errors)
            out->damage = store->answers.errors[0];
        struct ms_dwarf *dwarf = NULL;
        if (answer->n_frames)
            status = choose_reader(image, store, out, &dwarf, &address_vm, err);
        if (answer->n_frames && status == MS_OK)
            status = read_levels(dwarf, address_vm, answer, store, out, err);
    }
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    if (status != MS_OK)
        ms_place_fini(out);
    return status;
}

/* ---- line tables -------------------------------------------------------------------------- */

enum ms_status ms_image_lines_open(struct ms_image *image, struct ms_line_tables **out,
                                   struct ms_error *err)
{
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    *out = NULL;
    if (!dwarf && image->dwarf_ready == MS_FAILED && err)
        *err = image->dwarf_error;
    if (!dwarf)
        return image->dwarf_ready == MS_FAILED ? image->dwarf_error.status : MS_ABSENT;
    return ms_line_tables_open(dwarf, out, err);
}

/* ---- the file ------------------------------------------------------------------------------ */

const char *ms_image_format(const struct ms_image *image)
{
    static const struct {
        uint32_t cputype;
        const char *name;
    } formats[] = {
        {MS_CPU_I386, "Mach-O 32-bit i386"},   {MS_CPU_ARM, "Mach-O arm"},
        {MS_CPU_PPC, "Mach-O 32-bit ppc"},     {MS_CPU_X86_64, "Mach-O 64-bit x86-64"},
        {MS_CPU_ARM64, "Mach-O arm64"},        {MS_CPU_ARM64_32, "Mach-O arm64 (ILP32)"},
        {MS_CPU_PPC64, "Mach-O 64-bit ppc64"},
    };
    const struct ms_macho *macho = &ms_image_dwarf_part(image)->macho;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].cputype == macho->cputype)
            return formats[i].name;
    return macho->is64 ? "Mach-O 64-bit unknown" : "Mach-O 32-bit unknown";
}
