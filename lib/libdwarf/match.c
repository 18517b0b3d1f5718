#include "libdwarf/match.h"

#include "base/limits.h"
#include "dwarf/reader.h"
#include "dwarf/types.h"

#include <stdlib.h>

enum { KNOWN = 1 << 14 };

/* Of a DIE that others come from: does it have the name? */
struct known {
    uint64_t off; /* + 1; 0 = empty */
    bool matches;
};

struct search {
    struct ms_types types;
    const char *const *names;
    size_t n_names;
    struct known known[KNOWN];
    /* of the table at hand, one an abbreviation: 1 has names, 2 has an origin, 4 = not looked at */
    const struct ms_abbrevs *table;
    uint8_t *kinds;
};

enum { KIND_NAMED = 1, KIND_DERIVED = 2, KIND_UNSEEN = 4 };

static bool is_wanted(const struct search *s, const char *name)
{
    for (size_t i = 0; name && i < s->n_names; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

static bool take_table(struct search *s, const struct ms_abbrevs *table)
{
    if (s->table == table)
        return true;
    uint8_t *kinds = realloc(s->kinds, table->n + 1);
    if (!kinds)
        return false;
    memset(kinds, KIND_UNSEEN, table->n + 1);
    s->kinds = kinds;
    s->table = table;
    return true;
}

static uint8_t kind_of(struct search *s, const struct ms_abbrev *abbrev)
{
    uint8_t *kind = &s->kinds[abbrev - s->table->items];
    if (*kind != KIND_UNSEEN)
        return *kind;
    struct ms_cursor specs = ms_abbrev_specs(s->table, abbrev);
    struct ms_spec spec;
    *kind = 0;
    while (ms_spec_next(&specs, &spec)) {
        if (spec.attribute == DW_AT_name || spec.attribute == DW_AT_linkage_name ||
            spec.attribute == DW_AT_MIPS_linkage_name)
            *kind |= KIND_NAMED;
        if (spec.attribute == DW_AT_abstract_origin || spec.attribute == DW_AT_specification)
            *kind |= KIND_DERIVED;
    }
    return *kind;
}

/* Whether the DIE that others come from has the name, over at most MS_MAX_ORIGIN_CHAIN steps. */
static bool origin_matches(struct search *s, uint64_t off)
{
    struct known *known = &s->known[(off ^ off >> 14) % KNOWN];
    if (known->off == off + 1)
        return known->matches;
    bool matches = false;
    uint64_t at = off;
    for (int i = 0; i < MS_MAX_ORIGIN_CHAIN && !matches; i++) {
        struct ms_type_die die;
        if (!ms_type_die_read(&s->types, at, &die))
            break;
        matches = is_wanted(s, die.name) || is_wanted(s, die.linkage);
        if (die.name || !die.has_origin)
            break;
        at = die.origin;
    }
    *known = (struct known){off + 1, matches};
    return matches;
}

static bool die_matches(struct search *s, const struct ms_unit *unit, uint64_t off)
{
    struct ms_die die;
    struct ms_value value, origin = {.form = 0};
    uint64_t attribute, at;
    bool named = false;
    if (!ms_die_open(unit, off, &die))
        return false;
    while (ms_die_next(&die, &attribute, &value)) {
        bool linkage = attribute == DW_AT_linkage_name || attribute == DW_AT_MIPS_linkage_name;
        if (attribute == DW_AT_name || linkage) {
            if (is_wanted(s, ms_unit_string(unit, &value)))
                return true;
            named |= !linkage;
        } else if (attribute == DW_AT_abstract_origin ||
                   (attribute == DW_AT_specification && !origin.form)) {
            origin = value;
        }
    }
    return !named && origin.form && ms_types_follow(&s->types, unit, &origin, &at) &&
           origin_matches(s, at);
}

static bool search_unit(struct search *s, const struct ms_unit *unit, ms_match_taker *take,
                        void *owner)
{
    struct ms_walk walk;
    struct ms_walk_die die;
    uint64_t base = ms_types_base(&s->types, unit);
    ms_walk_start(&walk, unit, unit->header.root);
    while (ms_walk_next(&walk, &die))
        if (die.abbrev && kind_of(s, die.abbrev) && die_matches(s, unit, die.off) &&
            !take(owner, base, base + die.off))
            return false;
    return true;
}

/* False when the search is at its end: for want of memory when *memory says so. */
static bool search_section(struct search *s, bool in_types, ms_match_taker *take,
                           ms_match_fault *fault, void *owner, bool *memory)
{
    struct ms_unit_walk walk = {s->types.dwarf, in_types, 0};
    struct ms_unit_header header;
    struct ms_error found;
    enum ms_status status;
    bool more = true;
    while (more && *memory && (status = ms_unit_walk_next(&walk, &header, &found)) != MS_ABSENT) {
        struct ms_unit unit;
        if (status == MS_OK)
            status = ms_unit_open(s->types.dwarf, &header, &unit, &found);
        *memory = status != MS_E_NOMEM && (status != MS_OK || take_table(s, unit.abbrevs));
        if (status != MS_OK)
            more = *memory && fault(owner, &found);
        else if (*memory && unit.tag)
            more = search_unit(s, &unit, take, owner);
    }
    return more && *memory;
}

enum ms_status ms_match_names(struct ms_dwarf *dwarf, const char *const *names, size_t n_names,
                              ms_match_taker *take, ms_match_fault *fault, void *owner,
                              struct ms_error *err)
{
    struct search *s = calloc(1, sizeof *s);
    bool memory = s != NULL;
    if (!s)
        return ms_fail_memory(err);
    ms_types_init(&s->types, dwarf, 0);
    s->names = names;
    s->n_names = n_names;
    if (search_section(s, false, take, fault, owner, &memory))
        search_section(s, true, take, fault, owner, &memory);
    memory = memory && !s->types.no_memory;
    ms_types_fini(&s->types);
    free(s->kinds);
    free(s);
    return memory ? MS_OK : ms_fail_memory(err);
}
