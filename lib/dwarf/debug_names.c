#include "dwarf/debug_names.h"

#include "base/array.h"
#include "dwarf/fault.h"

#include <stdlib.h>

enum { IDX_COMPILE_UNIT = 1, IDX_TYPE_UNIT = 2, IDX_DIE_OFFSET = 3 };
/* A hostile section could be nothing but headers, each to be asked for every name. */
enum { MAX_INDEXES = 64 };
/* Some have no bytes, so that an entry of one byte could have any number of them. */
enum { MAX_ATTRIBUTES = 16 };

static enum ms_status fail(struct ms_error *err, enum ms_status status, const char *where,
                           uint64_t offset, const char *what, unsigned long long found)
{
    return ms_dwarf_fail(err, status, where, "__debug_names", offset, "name index: %s, found %llu",
                         what, found);
}

/* ---- opening ------------------------------------------------------------------------------ */

/* Forms that are read in no time: real tables have no others. */
static bool is_short(uint8_t form, const struct ms_encoding *encoding)
{
    unsigned size;
    if (!form)
        return false;
    enum ms_form_shape shape = ms_form_shape(form, encoding, &size);
    return shape == MS_SHAPE_FIXED || shape == MS_SHAPE_LEB;
}

/* Reads one declaration; false at the end of the list, or of the bytes: then the cursor is bad. */
static bool read_abbrev(struct ms_cursor *c, struct ms_names_index *index, bool *no_memory)
{
    struct ms_names_abbrev abbrev = {.code = ms_cursor_uleb(c)};
    if (c->bad || !abbrev.code)
        return false;
    uint64_t tag = ms_cursor_uleb(c);
    abbrev.tag = tag <= UINT16_MAX ? (uint16_t)tag : 0;
    abbrev.first = (uint32_t)index->n_attributes;
    for (;;) {
        uint64_t name = ms_cursor_uleb(c), form = ms_cursor_uleb(c);
        if (c->bad)
            return false;
        if (!name && !form)
            break;
        struct ms_names_attribute attribute = {.index = name <= UINT16_MAX ? (uint16_t)name : 0,
                                               .form = ms_form_normalize(form)};
        if (attribute.form == DW_FORM_implicit_const)
            attribute.implicit = ms_cursor_sleb(c);
        if (!is_short(attribute.form, &index->encoding) || abbrev.n == MAX_ATTRIBUTES)
            ms_cursor_spoil(c);
        if (c->bad)
            return false;
        if (!MS_PUSH(index->attributes, index->n_attributes, index->attributes_room, attribute)) {
            *no_memory = true;
            return false;
        }
        abbrev.n++;
    }
    *no_memory = !MS_PUSH(index->abbrevs, index->n_abbrevs, index->abbrevs_room, abbrev);
    return !*no_memory;
}

static int by_code(const void *a, const void *b)
{
    const struct ms_names_abbrev *x = a, *y = b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static enum ms_status read_abbrevs(struct ms_bytes bytes, const char *where, uint64_t off,
                                   struct ms_names_index *index, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(bytes, index->encoding.big);
    bool no_memory = false;
    while (read_abbrev(&c, index, &no_memory))
        ;
    if (no_memory)
        return ms_fail_memory(err);
    if (c.bad)
        return fail(err, MS_E_FORMAT, where, off, "abbreviations cut short or strange, bytes",
                    bytes.n);
    if (index->n_abbrevs)
        qsort(index->abbrevs, index->n_abbrevs, sizeof *index->abbrevs, by_code);
    for (size_t i = 1; i < index->n_abbrevs; i++)
        if (index->abbrevs[i - 1].code == index->abbrevs[i].code)
            return fail(err, MS_E_FORMAT, where, off, "two abbreviations of one code",
                        index->abbrevs[i].code);
    return MS_OK;
}

/* Reads an index that starts at `off` of the section, and has its bytes and encoding. */
static enum ms_status read_index(struct ms_names_index *index, const char *where, uint64_t off,
                                 struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(index->bytes, index->encoding.big);
    const unsigned size = index->encoding.offset_size;
    uint16_t version = ms_cursor_u16(&c);
    ms_cursor_skip(&c, 2);
    index->n_units = ms_cursor_u32(&c);
    uint64_t n_types = ms_cursor_u32(&c), n_foreign = ms_cursor_u32(&c);
    index->n_buckets = ms_cursor_u32(&c);
    index->n_names = ms_cursor_u32(&c);
    uint64_t abbrev_bytes = ms_cursor_u32(&c), augmentation = ms_cursor_u32(&c);
    ms_cursor_skip(&c, (augmentation + 3) & ~(uint64_t)3);
    if (c.bad)
        return fail(err, MS_E_FORMAT, where, off, "header cut short, bytes", index->bytes.n);
    if (version != 5)
        return fail(err, MS_E_UNSUPPORTED, where, off, "version 5 expected", version);
    if (!index->n_buckets && index->n_names)
        return fail(err, MS_E_UNSUPPORTED, where, off, "no hashes for its names", index->n_names);
    index->units_off = ms_cursor_offset(&c);
    index->buckets_off = index->units_off + (index->n_units + n_types) * size + n_foreign * 8;
    index->hashes_off = index->buckets_off + 4 * (uint64_t)index->n_buckets;
    index->strings_off = index->hashes_off + 4 * (uint64_t)index->n_names;
    index->entries_off = index->strings_off + (uint64_t)index->n_names * size;
    uint64_t abbrevs_off = index->entries_off + (uint64_t)index->n_names * size;
    index->pool_off = abbrevs_off + abbrev_bytes;
    struct ms_bytes abbrevs;
    if (!ms_bytes_part(index->bytes, abbrevs_off, abbrev_bytes, &abbrevs))
        return fail(err, MS_E_FORMAT, where, off, "more names than it holds", index->n_names);
    return read_abbrevs(abbrevs, where, off, index, err);
}

enum ms_status ms_debug_names_open(struct ms_bytes section, struct ms_bytes strings, bool big,
                                   const char *where, struct ms_debug_names *out,
                                   struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(section, big);
    memset(out, 0, sizeof *out);
    out->strings = strings;
    if (!section.n || !strings.n)
        return MS_ABSENT;
    while (ms_cursor_left(&c)) {
        uint64_t off = ms_cursor_offset(&c), length = ms_cursor_u32(&c);
        bool wide = length == 0xffffffff;
        struct ms_names_index index = {.encoding = {5, 8, wide ? 8 : 4, wide ? 8 : 4, big}};
        if (wide)
            length = ms_cursor_u64(&c);
        index.bytes = ms_cursor_bytes(&c, length);
        if (c.bad)
            return fail(err, MS_E_FORMAT, where, off, "longer than the section", length);
        if (out->n == MAX_INDEXES)
            return fail(err, MS_E_LIMIT, where, off, "more than 64 of them", out->n);
        enum ms_status status = read_index(&index, where, off, err);
        if (!MS_PUSH(out->items, out->n, out->room, index)) {
            free(index.abbrevs);
            free(index.attributes);
            return ms_fail_memory(err);
        }
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

void ms_debug_names_close(struct ms_debug_names *table)
{
    for (size_t i = 0; i < table->n; i++) {
        free(table->items[i].abbrevs);
        free(table->items[i].attributes);
    }
    free(table->items);
    memset(table, 0, sizeof *table);
}

/* ---- finding ------------------------------------------------------------------------------ */

/* The hash is that of the name in small letters; what those of letters beyond ASCII are is a table
 * of Unicode's. */
static bool hash_of(const char *name, uint32_t *out)
{
    uint32_t hash = MS_DJB_START;
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c >= 0x80)
            return false;
        hash = ms_djb_add(hash, c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    *out = hash;
    return true;
}

static const struct ms_names_abbrev *find_abbrev(const struct ms_names_index *index, uint64_t code)
{
    size_t low = 0, high = index->n_abbrevs;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->abbrevs[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->n_abbrevs && index->abbrevs[low].code == code ? &index->abbrevs[low] : NULL;
}

/* A number of an array that lies in the index: read_index has made sure. */
static uint64_t number(const struct ms_names_index *index, uint64_t array_off, uint64_t i,
                       unsigned size)
{
    const uint8_t *at = index->bytes.at + array_off + i * size;
    return size == 8 ? ms_load_u64(at, index->encoding.big) : ms_load_u32(at, index->encoding.big);
}

/* The DIE that an entry tells of. */
static bool take_die(const struct ms_names_index *index, uint64_t unit, uint64_t die_off,
                     const struct ms_named *named)
{
    if (unit >= index->n_units)
        return false;
    uint64_t off = number(index, index->units_off, unit, index->encoding.offset_size);
    if (die_off > UINT64_MAX - off)
        return false;
    off += die_off;
    return off < named->low || off >= named->high || named->take(named->owner, off);
}

static bool take_entry(const struct ms_names_index *index, const struct ms_names_abbrev *abbrev,
                       struct ms_cursor *c, const struct ms_named *named)
{
    /* Without a number of its unit it is of the only one there is. */
    uint64_t unit = index->n_units == 1 ? 0 : UINT64_MAX, die_off = 0;
    bool in_types = false, has_die = false;
    for (uint32_t i = 0; i < abbrev->n; i++) {
        const struct ms_names_attribute *a = &index->attributes[abbrev->first + i];
        struct ms_value value = ms_value_read(c, &index->encoding, a->form, a->implicit);
        if (a->index == IDX_COMPILE_UNIT)
            unit = value.u;
        in_types |= a->index == IDX_TYPE_UNIT;
        if (a->index == IDX_DIE_OFFSET) {
            die_off = value.u;
            has_die = true;
        }
    }
    if (c->bad)
        return false;
    return abbrev->tag != DW_TAG_subprogram || in_types || !has_die ||
           take_die(index, unit, die_off, named);
}

static bool take_entries(const struct ms_names_index *index, uint64_t off,
                         const struct ms_named *named)
{
    struct ms_bytes pool;
    if (!ms_bytes_from(index->bytes, index->pool_off, &pool))
        return false;
    struct ms_cursor c = ms_cursor_over(pool, index->encoding.big);
    ms_cursor_seek(&c, off);
    for (;;) {
        uint64_t from = ms_cursor_offset(&c), code = ms_cursor_uleb(&c);
        if (c.bad)
            return false;
        if (!code)
            return true;
        const struct ms_names_abbrev *abbrev = find_abbrev(index, code);
        if (!abbrev || !ms_named_afford(named) || !take_entry(index, abbrev, &c, named))
            return false;
        /* A LEB128 may be written as long as one likes. */
        uint64_t bytes = ms_cursor_offset(&c) - from;
        *named->budget -= bytes / 64 < *named->budget ? bytes / 64 : *named->budget;
    }
}

static bool find_in(const struct ms_names_index *index, struct ms_bytes strings, uint32_t hash,
                    const struct ms_named *named)
{
    const unsigned size = index->encoding.offset_size;
    if (!index->n_names)
        return true;
    uint32_t bucket = hash % index->n_buckets;
    /* Names are counted from 1; 0 is an empty bucket. */
    uint64_t i = number(index, index->buckets_off, bucket, 4);
    if (i > index->n_names)
        return false;
    for (; i && i <= index->n_names; i++) {
        uint32_t other = (uint32_t)number(index, index->hashes_off, i - 1, 4);
        if (other % index->n_buckets != bucket)
            break;
        if (!ms_named_afford(named))
            return false;
        if (other != hash)
            continue;
        uint64_t string = number(index, index->strings_off, i - 1, size);
        if (string >= strings.n)
            return false;
        if (strcmp((const char *)strings.at + string, named->name) == 0 &&
            !take_entries(index, number(index, index->entries_off, i - 1, size), named))
            return false;
    }
    return true;
}

bool ms_debug_names_find(const struct ms_debug_names *table, const struct ms_named *named)
{
    uint32_t hash;
    if (!hash_of(named->name, &hash))
        return false;
    for (size_t i = 0; i < table->n; i++)
        if (!ms_named_afford(named) || !find_in(&table->items[i], table->strings, hash, named))
            return false;
    return true;
}
