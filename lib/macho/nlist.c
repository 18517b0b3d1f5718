/*
 * macho/nlist.c: entries of the symbol table.
 */
#include "base/cursor.h"
#include "macho/names.h"

enum {
    /* A string table that ends in a NUL, as all real ones do, ends every name in it. In another
     * one the NUL is looked for so far only: else a table of n names that all run to the end
     * of n bytes would cost n * n. */
    MAX_UNSURE_NAME = 4096
};

const char *ms_macho_string(const struct ms_macho *macho, uint32_t off)
{
    struct ms_bytes strings = macho->strings;
    if (off >= strings.n)
        return NULL;
    if (strings.at[strings.n - 1] == 0)
        return (const char *)strings.at + off;
    struct ms_bytes part;
    size_t left = strings.n - off;
    (void)ms_bytes_part(strings, off, left < MAX_UNSURE_NAME ? left : MAX_UNSURE_NAME, &part);
    return ms_bytes_string(part, 0, NULL);
}

struct ms_nlist ms_nlist_at(const struct ms_macho *macho, uint32_t i, bool *bad_name)
{
    struct ms_nlist entry = {"", 0, 0, 0, 0};
    const char *name = "";
    struct ms_bytes record;
    size_t each = macho->is64 ? 16 : 12;
    if (ms_bytes_part(macho->nlist, (uint64_t)i * each, each, &record)) {
        struct ms_cursor c = ms_cursor_over(record, macho->big);
        uint32_t name_off = ms_cursor_u32(&c);
        entry.type = ms_cursor_u8(&c);
        entry.sect = ms_cursor_u8(&c);
        entry.desc = ms_cursor_u16(&c);
        entry.value = macho->is64 ? ms_cursor_u64(&c) : ms_cursor_u32(&c);
        if (name_off) /* 0 is "no name", whatever stands there */
            name = ms_macho_string(macho, name_off);
        if (name)
            entry.name = name;
    }
    if (bad_name)
        *bad_name = !name;
    return entry;
}
