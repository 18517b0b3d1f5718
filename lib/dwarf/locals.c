#include "dwarf/locals.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/ranges.h"
#include "dwarf/reader.h"

#include <stdlib.h>

struct ms_locals_budget ms_locals_budget_for(const struct ms_dwarf *dwarf)
{
    return (struct ms_locals_budget){4096 + 2 * (uint64_t)dwarf->s.info.n, ms_ranges_budget(dwarf)};
}

/* What is found on the way through a function's DIEs. */
struct collector {
    struct ms_types *types;
    struct ms_arena *arena;
    struct ms_locals_budget *budget;
    uint64_t address;
    struct list {
        struct ms_place_variable *items;
        size_t n, room;
    } parameters, variables;
    bool more_parameters, cut, no_memory;
};

/* Takes what `die` lacks from where it came from: a parameter of an inlined call has no name
 * of its own. */
static void complete(struct ms_types *types, struct ms_type_die *die)
{
    struct ms_type_die origin = *die;
    for (int i = 0; i < MS_MAX_ORIGIN_CHAIN && origin.has_origin; i++) {
        uint64_t off = origin.origin;
        if (!ms_type_die_read(types, off, &origin))
            return;
        if (!die->name)
            die->name = origin.name;
        if (!die->has_type) {
            die->has_type = origin.has_type;
            die->type = origin.type;
        }
        if (!die->decl_line)
            die->decl_line = origin.decl_line;
        die->artificial |= origin.artificial;
    }
}

/* Swift's types have a mangled name, which says it all; what they are made of says nothing.
 * *off becomes the type in a container, which itself has no name at all. */
static const char *swift_name(struct ms_types *types, uint64_t *off)
{
    struct ms_type_die die;
    uint64_t at = *off;
    for (int i = 0; i < 6 && ms_type_die_read(types, at, &die); i++) {
        const char *name = die.linkage ? die.linkage : die.name;
        if (name && (strncmp(name, "$s", 2) == 0 || strncmp(name, "$S", 2) == 0))
            return name;
        if (ms_type_contained(types, &die, &at))
            *off = at;
        else if (die.tag == DW_TAG_const_type && die.has_type)
            at = die.type;
        else
            return NULL;
    }
    return NULL;
}

static const char *type_text(struct collector *c, const struct ms_type_die *die)
{
    struct ms_text text;
    char room[256];
    if (!die->has_type)
        return NULL;
    ms_text_init_on(&text, MS_MAX_SHOWN_NAME, room, sizeof room);
    uint64_t off = die->type;
    const char *swift = swift_name(c->types, &off);
    if (swift)
        ms_text_puts(&text, swift);
    else
        ms_type_name(c->types, off, &text);
    if (text.n && text.at[text.n - 1] == ' ') /* "structure ", of one without a name */
        text.n--;
    const char *out = text.n ? ms_arena_copy(c->arena, text.at, text.n) : NULL;
    c->no_memory |= text.n && !out;
    ms_text_fini(&text);
    return out;
}

static void add(struct collector *c, struct list *list, uint64_t off)
{
    struct ms_type_die die;
    if (list->n == MS_MAX_LOCALS) {
        c->cut = true;
        return;
    }
    if (!ms_type_die_read(c->types, off, &die))
        return;
    complete(c->types, &die);
    struct ms_place_variable item = {
        .name = die.name && die.name[0] ? die.name : NULL,
        .type = type_text(c, &die),
        .line = die.decl_line <= UINT32_MAX ? (uint32_t)die.decl_line : 0,
        .artificial = die.artificial,
    };
    if (!MS_PUSH(list->items, list->n, list->room, item))
        c->no_memory = true;
}

/* Does the block hold the address? One that doesn't say where it is has no code of its own. */
static bool holds(struct collector *c, const struct ms_unit *unit, uint64_t off)
{
    struct ms_die die;
    struct ms_value value, pcs[MS_N_PCS];
    uint64_t attribute, low, high;
    memset(pcs, 0, sizeof pcs);
    if (!ms_die_open(unit, off, &die))
        return false;
    while (ms_die_next(&die, &attribute, &value))
        if (ms_part_of(attribute) < MS_N_PCS)
            pcs[ms_part_of(attribute)] = value;
    if (!ms_pcs_known(pcs))
        return false;
    struct ms_ranges ranges;
    ms_ranges_start(&ranges, unit, pcs, &c->budget->ranges);
    while (ms_ranges_next(&ranges, &low, &high))
        if (c->address >= low && c->address < high)
            return true;
    return false;
}

/* Goes through the children. With `declared` those of the abstract function: parameters alone. */
static void collect(struct collector *c, uint64_t off, bool declared)
{
    const struct ms_unit *found = ms_types_unit(c->types, off);
    struct ms_unit unit;
    struct ms_walk walk;
    struct ms_walk_die die;
    if (!found)
        return;
    unit = *found;
    uint64_t base = ms_types_base(c->types, &unit);
    ms_walk_start(&walk, &unit, off - base);
    if (!ms_walk_next(&walk, &die) || !die.abbrev->children)
        return;
    while (!c->no_memory && c->budget->dies && ms_walk_next(&walk, &die)) {
        c->budget->dies--;
        if (!die.abbrev)
            continue;
        uint64_t at = base + die.off;
        switch (die.abbrev->tag) {
        case DW_TAG_formal_parameter:
            if (die.depth == 1)
                add(c, &c->parameters, at);
            break;
        case DW_TAG_unspecified_parameters:
            c->more_parameters |= die.depth == 1;
            break;
        case DW_TAG_variable:
            if (!declared)
                add(c, &c->variables, at);
            break;
        case DW_TAG_lexical_block:
            if (!declared && holds(c, &unit, die.off))
                continue; /* go on inside */
            break;
        }
        if (die.abbrev->children)
            while (c->budget->dies && !walk.over && walk.depth > die.depth) {
                struct ms_walk_die inner;
                c->budget->dies--;
                if (!ms_walk_next(&walk, &inner))
                    break;
            }
    }
}

static bool has_names(const struct list *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->items[i].name)
            return true;
    return false;
}

/* Fills what `own` lacks from the same parameters as they were declared. The longer list counts,
 * since an inlined call lacks the parameters that nothing was passed for; but a declaration in a
 * class mostly has no names, and is of use only where nothing else is known. */
static void unite(struct list *own, struct list *declared)
{
    if (declared->n > own->n && (!own->n || has_names(declared))) {
        struct list other = *own;
        *own = *declared;
        *declared = other;
        free(declared->items);
        return;
    }
    for (size_t i = 0; i < declared->n && declared->n == own->n; i++) {
        struct ms_place_variable *to = &own->items[i];
        const struct ms_place_variable *from = &declared->items[i];
        to->name = to->name ? to->name : from->name;
        to->type = to->type ? to->type : from->type;
        to->line = to->line ? to->line : from->line;
        to->artificial |= from->artificial;
    }
    free(declared->items);
}

/* The function as it was declared: in its abstract instance, in its class. */
static void collect_declared(struct collector *c, const struct ms_type_die *function)
{
    struct ms_type_die die = *function;
    for (int i = 0; i < MS_MAX_ORIGIN_CHAIN && die.has_origin; i++) {
        uint64_t off = die.origin;
        if (!ms_type_die_read(c->types, off, &die))
            return;
        struct list own = c->parameters;
        c->parameters = (struct list){NULL, 0, 0};
        collect(c, off, true);
        unite(&own, &c->parameters);
        c->parameters = own;
    }
}

static const struct ms_place_variable *keep(struct collector *c, struct list *list)
{
    struct ms_place_variable *out = ms_arena_zeroed(c->arena, list->n, sizeof *out);
    if (out && list->n)
        memcpy(out, list->items, list->n * sizeof *out);
    c->no_memory |= !out && list->n;
    free(list->items);
    return out;
}

enum ms_status ms_locals_read(struct ms_types *types, uint64_t address_vm, struct ms_arena *arena,
                              struct ms_locals_budget *budget, struct ms_place_level *level,
                              struct ms_error *err)
{
    struct collector c = {.types = types, .arena = arena, .budget = budget, .address = address_vm};
    struct ms_type_die function;
    if (!ms_type_die_read(types, level->die_off, &function) ||
        (function.tag != DW_TAG_subprogram && function.tag != DW_TAG_inlined_subroutine))
        return MS_OK;
    collect(&c, level->die_off, false);
    collect_declared(&c, &function);
    complete(types, &function);
    level->type = type_text(&c, &function);
    level->n_parameters = c.parameters.n;
    level->parameters = keep(&c, &c.parameters);
    level->n_variables = c.variables.n;
    level->variables = keep(&c, &c.variables);
    level->more_parameters = c.more_parameters;
    level->cut = c.cut;
    return c.no_memory || types->no_memory ? ms_fail_memory(err) : MS_OK;
}
