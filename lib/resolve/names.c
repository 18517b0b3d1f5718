#include "resolve/names.h"

#include <stdlib.h>
#include <string.h>

enum {
    /* Names of a table may overlap, so that all of n names are n bytes long: longer ones than
     * this are not indexed. Real ones have 5,000 bytes at most. */
    MAX_INDEXED = 8192
};

void ms_names_fini(struct ms_names *names)
{
    ms_index_fini(&names->by_name);
    free(names->by_address);
    memset(names, 0, sizeof *names);
}

static bool is_defined(const struct ms_nlist *entry)
{
    return !(entry->type & MS_N_STAB) && (entry->type & MS_N_TYPE) == MS_N_SECT && entry->name[0];
}

static uint64_t hash_of(const char *name)
{
    return ms_hash(0, name, strnlen(name, MAX_INDEXED));
}

/* The entry of exactly that name that the index leads to; MS_INDEX_NONE. */
static uint32_t find_exactly(const struct ms_names *names, const struct ms_macho *macho,
                             const char *name, uint64_t hash)
{
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&names->by_name, hash, &probe)) != MS_INDEX_NONE;)
        if (strncmp(ms_nlist_at(macho, i, NULL).name, name, MAX_INDEXED) == 0)
            return i;
    return MS_INDEX_NONE;
}

/* Of several entries of one name the first external one counts, else the first. */
static bool build_by_name(struct ms_names *names, const struct ms_macho *macho)
{
    for (int external = 1; external >= 0; external--) {
        for (uint32_t i = 0; i < macho->n_nlist; i++) {
            struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
            if (!is_defined(&entry) || ((entry.type & MS_N_EXT) != 0) != external)
                continue;
            uint64_t hash = hash_of(entry.name);
            if (find_exactly(names, macho, entry.name, hash) == MS_INDEX_NONE &&
                !ms_index_add(&names->by_name, hash, i))
                return false;
        }
    }
    return true;
}

enum ms_status ms_names_find(struct ms_names *names, const struct ms_macho *macho, const char *name,
                             struct ms_nlist *out)
{
    size_t n = strnlen(name, MAX_INDEXED);
    if (n >= MAX_INDEXED - 1)
        return MS_ABSENT;
    if (!names->by_name_ready && !build_by_name(names, macho)) {
        ms_index_fini(&names->by_name);
        return MS_E_NOMEM;
    }
    names->by_name_ready = true;
    char symbol[MAX_INDEXED + 1] = "_";
    memcpy(symbol + 1, name, n + 1);
    const char *const spellings[2] = {symbol, name};
    enum ms_status status = MS_ABSENT;
    for (int k = 0; k < 2; k++) {
        uint32_t i = find_exactly(names, macho, spellings[k], hash_of(spellings[k]));
        if (i == MS_INDEX_NONE)
            continue;
        struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
        if (status == MS_ABSENT || (entry.type & MS_N_EXT && !(out->type & MS_N_EXT)))
            *out = entry;
        status = MS_OK;
    }
    return status;
}

static bool build_by_address(struct ms_names *names, const struct ms_macho *macho)
{
    size_t n = 0;
    struct ms_record *records = malloc(((size_t)macho->n_nlist + 1) * sizeof *records);
    for (uint32_t i = 0; records && i < macho->n_nlist; i++) {
        struct ms_nlist entry = ms_nlist_at(macho, i, NULL);
        if (is_defined(&entry))
            records[n++] = (struct ms_record){entry.value, i, 0};
    }
    if (!records || !ms_records_sort(records, n)) { /* stable: the order of the table stays */
        free(records);
        return false;
    }
    names->by_address = records;
    names->n_by_address = n;
    return true;
}

enum ms_status ms_names_at(struct ms_names *names, const struct ms_macho *macho,
                           uint64_t address_vm, size_t i, struct ms_nlist *out)
{
    if (!names->by_address_ready && !build_by_address(names, macho))
        return MS_E_NOMEM;
    names->by_address_ready = true;
    size_t low = 0, high = names->n_by_address;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (names->by_address[middle].at < address_vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (i >= names->n_by_address - low || names->by_address[low + i].at != address_vm)
        return MS_ABSENT;
    *out = ms_nlist_at(macho, names->by_address[low + i].index, NULL);
    return MS_OK;
}
