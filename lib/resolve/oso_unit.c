#include "resolve/oso_unit.h"

#include "base/error.h"

#include <string.h>

enum {
    /* Names of a table may overlap, so that all of n names are n bytes long. */
    MAX_NAME = 8192,
    /* So often the table is read through before it is indexed: an index costs some ten times
     * as much. */
    MAX_SCANS = 8,
    KEPT_BYTES = 4 << 20 /* by the reader of one object */
};

static const char SUFFIX[] = ".llvm.";

enum ms_status ms_oso_unit_open(struct ms_oso_unit *unit, struct ms_object_files *files,
                                const struct ms_object_request *request, struct ms_error *err)
{
    unit->status = ms_object_open(files, request, &unit->object, &unit->why, &unit->error);
    if (unit->status == MS_OK) {
        enum ms_status status = ms_dwarf_load(&unit->object.macho, &unit->dwarf, &unit->error);
        if (status != MS_OK && status != MS_ABSENT) {
            unit->status = status;
            unit->why = MS_WHY_BAD_DEBUG_INFO;
        }
        if (unit->dwarf.reader)
            ms_dwarf_set_max_kept(unit->dwarf.reader, KEPT_BYTES);
    }
    if (unit->status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (unit->status == MS_OK)
        unit->error.status = MS_OK;
    return MS_OK;
}

void ms_oso_unit_fini(struct ms_oso_unit *unit)
{
    ms_dwarf_unload(&unit->dwarf);
    ms_index_fini(&unit->by_name);
    ms_object_close(&unit->object);
}

void ms_oso_unit_spoil(struct ms_oso_unit *unit)
{
    unit->status = ms_fail(&unit->error, MS_E_IO, ms_file_path(unit->object.file), MS_NO_OFFSET,
                           "was truncated while it was read");
    unit->why = MS_WHY_BAD_DEBUG_INFO;
    unit->told = false;
    ms_dwarf_load_rest(&unit->dwarf);
}

static bool is_defined(const struct ms_nlist *entry)
{
    return !(entry->type & MS_N_STAB) && (entry->type & MS_N_TYPE) == MS_N_SECT && entry->name[0];
}

/* The length of a name without ThinLTO's suffix; 0 when it has none. */
static size_t stem_of(const char *name, size_t n)
{
    for (size_t at = n; at-- > 0;)
        if (name[at] == '.' && n - at >= sizeof SUFFIX - 1 &&
            memcmp(name + at, SUFFIX, sizeof SUFFIX - 1) == 0)
            return at;
    return 0;
}

/* Exactly, or but for the suffix. */
static bool is_called(const char *name, const char *wanted, size_t n_wanted)
{
    if (strncmp(name, wanted, n_wanted) != 0)
        return false;
    if (!name[n_wanted])
        return true;
    size_t n = strnlen(name, MAX_NAME);
    return stem_of(name, n) == n_wanted;
}

/* Entry i by its whole name, or by the stem of it. */
static bool add_to_index(struct ms_oso_unit *unit, const char *name, size_t n, uint32_t i)
{
    uint64_t hash = ms_hash(0, name, n);
    uint32_t known;
    for (size_t probe = 0; (known = ms_index_next(&unit->by_name, hash, &probe)) != MS_INDEX_NONE;)
        if (is_called(ms_nlist_at(&unit->object.macho, known, NULL).name, name, n))
            return true;
    return ms_index_add(&unit->by_name, hash, i);
}

/* From the end, so that the last of a name is the one that is kept; whole names come first. */
static bool build_index(struct ms_oso_unit *unit)
{
    const struct ms_macho *macho = &unit->object.macho;
    for (int stems = 0; stems < 2; stems++)
        for (uint32_t i = macho->n_nlist; i-- > 0;) {
            struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
            if (!is_defined(&entry))
                continue;
            size_t n = strnlen(entry.name, MAX_NAME);
            if (stems)
                n = stem_of(entry.name, n);
            if (n && n < MAX_NAME && !add_to_index(unit, entry.name, n, i))
                return false;
        }
    return true;
}

/* Long names cost more to compare. */
static bool afford(const struct ms_oso_unit *unit, size_t n_name)
{
    uint64_t cost = unit->object.macho.n_nlist * (1 + (uint64_t)n_name / 256);
    if (!unit->budget)
        return true;
    if (cost > *unit->budget)
        return false;
    *unit->budget -= cost;
    return true;
}

static enum ms_status find_by_index(struct ms_oso_unit *unit, const char *name, size_t n,
                                    uint64_t *vm)
{
    if (!unit->indexed && !afford(unit, 0))
        return MS_E_LIMIT;
    if (!unit->indexed && !build_index(unit)) {
        ms_index_fini(&unit->by_name);
        return MS_E_NOMEM;
    }
    unit->indexed = true;
    uint64_t hash = ms_hash(0, name, n);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&unit->by_name, hash, &probe)) != MS_INDEX_NONE;) {
        struct ms_nlist entry = ms_nlist_at(&unit->object.macho, i, NULL);
        if (!is_called(entry.name, name, n))
            continue;
        *vm = entry.value;
        return MS_OK;
    }
    return MS_ABSENT;
}

enum ms_status ms_oso_unit_symbol(struct ms_oso_unit *unit, const char *name, uint64_t *vm)
{
    const struct ms_macho *macho = &unit->object.macho;
    size_t n = strnlen(name, MAX_NAME);
    if (!n || n >= MAX_NAME)
        return MS_ABSENT;
    if (unit->indexed || unit->n_scans++ >= MAX_SCANS)
        return find_by_index(unit, name, n, vm);
    if (!afford(unit, n))
        return MS_E_LIMIT;
    bool found = false;
    for (uint32_t i = macho->n_nlist; i-- > 0;) {
        struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
        if (!is_defined(&entry) || !is_called(entry.name, name, n))
            continue;
        if (!found || !entry.name[n])
            *vm = entry.value;
        found = true;
        if (!entry.name[n])
            break;
    }
    return found ? MS_OK : MS_ABSENT;
}
