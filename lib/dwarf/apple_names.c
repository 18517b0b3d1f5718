#include "dwarf/apple_names.h"

#include "base/cursor.h"
#include "dwarf/fault.h"
#include "dwarf/form.h"

#define MAGIC 0x48415348u /* "HASH" */
#define EMPTY UINT32_MAX

enum { HEADER_BYTES = 20, MAX_ATOMS = 16, ATOM_DIE_OFFSET = 1, ATOM_UNIT_OFFSET = 2 };

static enum ms_status fail(struct ms_error *err, enum ms_status status, const char *where,
                           uint64_t offset, const char *what, unsigned long long found)
{
    return ms_dwarf_fail(err, status, where, "__apple_names", offset, "%s, found %llu", what,
                         found);
}

/* Takes the header's list of what is said of each DIE. */
static enum ms_status read_atoms(struct ms_cursor *c, const char *where, struct ms_apple_names *out,
                                 struct ms_error *err)
{
    static const struct ms_encoding encoding = {4, 8, 4, 4, false};
    uint32_t base = ms_cursor_u32(c), n = ms_cursor_u32(c);
    if (c->bad || n > MAX_ATOMS)
        return fail(err, MS_E_FORMAT, where, HEADER_BYTES + 4, "16 atoms at most expected", n);
    if (base)
        return fail(err, MS_E_UNSUPPORTED, where, HEADER_BYTES, "offsets count from a base", base);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t at = ms_cursor_offset(c);
        uint16_t type = ms_cursor_u16(c), form = ms_cursor_u16(c);
        uint8_t known = ms_form_normalize(form);
        unsigned size;
        if (c->bad)
            return fail(err, MS_E_FORMAT, where, at, "atoms cut short, expected of them", n);
        if (!known || ms_form_shape(known, &encoding, &size) != MS_SHAPE_FIXED)
            return fail(err, MS_E_UNSUPPORTED, where, at, "atom of a form without a size", form);
        if (type == ATOM_UNIT_OFFSET)
            return fail(err, MS_E_UNSUPPORTED, where, at, "offsets count from units", type);
        if (type == ATOM_DIE_OFFSET) {
            out->die_at = out->atoms_bytes;
            out->die_size = size;
        }
        out->atoms_bytes += size;
    }
    if (out->die_size != 4 && out->die_size != 8)
        return fail(err, MS_E_UNSUPPORTED, where, HEADER_BYTES + 8,
                    "a DIE's offset of 4 or 8 bytes expected", out->die_size);
    return MS_OK;
}

enum ms_status ms_apple_names_open(struct ms_bytes section, struct ms_bytes strings, bool big,
                                   const char *where, struct ms_apple_names *out,
                                   struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(section, big);
    memset(out, 0, sizeof *out);
    if (!section.n || !strings.n)
        return MS_ABSENT;
    uint32_t magic = ms_cursor_u32(&c);
    uint16_t version = ms_cursor_u16(&c), hash = ms_cursor_u16(&c);
    out->section = section;
    out->strings = strings;
    out->big = big;
    out->n_buckets = ms_cursor_u32(&c);
    out->n_hashes = ms_cursor_u32(&c);
    uint32_t header_bytes = ms_cursor_u32(&c);
    if (c.bad)
        return fail(err, MS_E_FORMAT, where, 0, "header cut short, bytes", section.n);
    if (magic != MAGIC)
        return fail(err, MS_E_FORMAT, where, 0, "magic HASH expected", magic);
    if (version != 1)
        return fail(err, MS_E_UNSUPPORTED, where, 4, "version 1 expected", version);
    if (hash != 0)
        return fail(err, MS_E_UNSUPPORTED, where, 6, "hash function 0 expected", hash);
    struct ms_cursor atoms =
        ms_cursor_over((struct ms_bytes){section.at, c.bad ? 0 : section.n}, big);
    ms_cursor_seek(&atoms, HEADER_BYTES);
    enum ms_status status = read_atoms(&atoms, where, out, err);
    if (status != MS_OK)
        return status;
    if (ms_cursor_offset(&atoms) > HEADER_BYTES + (uint64_t)header_bytes)
        return fail(err, MS_E_FORMAT, where, 16, "header data shorter than its atoms",
                    header_bytes);
    out->buckets_off = HEADER_BYTES + (uint64_t)header_bytes;
    out->hashes_off = out->buckets_off + 4 * (uint64_t)out->n_buckets;
    out->lists_off = out->hashes_off + 4 * (uint64_t)out->n_hashes;
    if (out->lists_off + 4 * (uint64_t)out->n_hashes > section.n)
        return fail(err, MS_E_FORMAT, where, 12, "more hashes than the section holds",
                    out->n_hashes);
    if (out->n_hashes && !out->n_buckets)
        return fail(err, MS_E_FORMAT, where, 8, "hashes need buckets", out->n_buckets);
    return MS_OK;
}

/* Entry i of an array that lies in the section: ms_apple_names_open has made sure. */
static uint32_t entry(const struct ms_apple_names *table, uint64_t array_off, uint32_t i)
{
    return ms_load_u32(table->section.at + array_off + 4 * (uint64_t)i, table->big);
}

/* Hands on the n DIEs that the cursor has come to. */
static bool take_dies(const struct ms_apple_names *table, struct ms_cursor *c, uint32_t n,
                      const struct ms_named *named)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint8_t *atoms;
        if (!ms_named_afford(named) || !ms_cursor_take(c, table->atoms_bytes, &atoms))
            return false;
        const uint8_t *at = atoms + table->die_at;
        uint64_t off =
            table->die_size == 8 ? ms_load_u64(at, table->big) : ms_load_u32(at, table->big);
        if (off >= named->low && off < named->high && !named->take(named->owner, off))
            return false;
    }
    return true;
}

/* Goes through the names of one hash. */
static bool take_names(const struct ms_apple_names *table, uint32_t list_off,
                       const struct ms_named *named)
{
    struct ms_cursor c = ms_cursor_over(table->section, table->big);
    ms_cursor_seek(&c, list_off);
    for (;;) {
        uint32_t string = ms_cursor_u32(&c);
        if (c.bad || (string && !ms_named_afford(named)))
            return false;
        if (!string)
            return true;
        uint32_t n = ms_cursor_u32(&c);
        if (c.bad || string >= table->strings.n)
            return false;
        if (strcmp((const char *)table->strings.at + string, named->name) != 0)
            ms_cursor_skip(&c, (uint64_t)n * table->atoms_bytes);
        else if (!take_dies(table, &c, n, named))
            return false;
    }
}

bool ms_apple_names_find(const struct ms_apple_names *table, const struct ms_named *named)
{
    uint32_t hash = MS_DJB_START;
    if (!table->n_hashes)
        return true;
    for (const char *c = named->name; *c; c++)
        hash = ms_djb_add(hash, (unsigned char)*c);
    uint32_t bucket = hash % table->n_buckets;
    uint32_t i = entry(table, table->buckets_off, bucket);
    if (i != EMPTY && i >= table->n_hashes)
        return false;
    for (; i < table->n_hashes; i++) {
        uint32_t other = entry(table, table->hashes_off, i);
        if (other % table->n_buckets != bucket)
            break;
        if (!ms_named_afford(named))
            return false;
        if (other == hash && !take_names(table, entry(table, table->lists_off, i), named))
            return false;
    }
    return true;
}
