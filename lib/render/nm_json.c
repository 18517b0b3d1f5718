/*
 * render/nm_json.c: symbols as JSON objects, as machsym(5) describes them.
 */
#include "render/nm_table.h"

#include <stdlib.h>

static const char *kind_of(const struct nm_entry *entry, uint64_t value)
{
    if (nm_is_stab(entry->type))
        return "stab";
    switch (entry->type & MS_N_TYPE) {
    case MS_N_UNDF:
        return value ? "common" : "undefined";
    case MS_N_PBUD:
        return "prebound";
    case MS_N_ABS:
        return "absolute";
    case MS_N_INDR:
        return "indirect";
    case MS_N_SECT:
        return "section";
    }
    return "unknown";
}

static void put_bytes(struct ms_json *json, const char *key, struct ms_bytes text)
{
    ms_json_key(json, key);
    ms_json_string_n(json, (const char *)text.at, text.n);
}

static void put_section(const struct nm_table *table, const struct nm_entry *entry,
                        struct ms_json *json)
{
    if (entry->sect == 0 || entry->sect > table->macho->n_sections)
        return;
    const struct ms_section *section = &table->macho->sections[entry->sect - 1];
    ms_json_field(json, "segment", section->segment_name);
    ms_json_field(json, "section", section->name);
}

static void put_library(const struct nm_table *table, const struct nm_entry *entry,
                        struct ms_json *json)
{
    const struct nm_library *library = nm_library(table, entry);
    ms_json_field_uint(json, "ordinal", nm_ordinal(entry));
    if (!library)
        return;
    ms_json_key(json, "library");
    ms_json_string_n(json, library->name, library->name_bytes);
    ms_json_key(json, "library_path");
    ms_json_string_n(json, library->path, library->path_bytes);
}

/* Those that hold; the others are left out. */
static void put_marks(const struct nm_table *table, const struct nm_entry *entry, bool undefined,
                      struct ms_json *json)
{
    unsigned desc = entry->desc;
    bool object = table->macho->filetype == MS_MH_OBJECT && !undefined;
    const struct {
        const char *key;
        bool holds;
    } MARKS[] = {
        {"external", entry->type & MS_N_EXT},
        {"private_external", entry->type & MS_N_PEXT},
        {"weak_reference", desc & NM_WEAK_REF},
        {"weak_definition", desc & NM_WEAK_DEF},
        {"thumb", desc & MS_N_ARM_THUMB_DEF},
        {"referenced_dynamically", desc & NM_REFERENCED_DYNAMICALLY},
        {"no_dead_strip", table->macho->filetype == MS_MH_OBJECT && desc & NM_NO_DEAD_STRIP},
        {"symbol_resolver", object && desc & NM_SYMBOL_RESOLVER},
        {"alt_entry", object && desc & MS_N_ALT_ENTRY},
        {"cold_func", object && desc & NM_COLD_FUNC},
    };
    for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
        if (MARKS[i].holds)
            ms_json_field_bool(json, MARKS[i].key, true);
}

static void put_stab(const struct nm_entry *entry, struct ms_json *json)
{
    char room[3];
    ms_json_field(json, "stab", nm_stab_name(entry->type, room));
    ms_json_field_uint(json, "sect", entry->sect);
    ms_json_field_uint(json, "desc", entry->desc);
}

static void put_symbol(struct nm_table *table, const struct nm_entry *entry,
                       struct nm_readable *readable, struct ms_json *json)
{
    uint64_t value = nm_value(table, entry);
    unsigned kind = entry->type & MS_N_TYPE;
    bool stab = nm_is_stab(entry->type), undefined = nm_is_undefined(entry->type, value);
    char letter[2] = {nm_letter(table, entry, value), 0};
    struct ms_bytes name = nm_name(table, entry);
    ms_json_object(json);
    if (entry->name_off != NM_BAD_NAME)
        put_bytes(json, "name", name);
    if (table->options->demangle && nm_demangle(table, name, readable)) {
        ms_json_key(json, "demangled");
        ms_json_string_n(json, readable->at, readable->n);
    }
    ms_json_field(json, "letter", letter);
    ms_json_field(json, "kind", kind_of(entry, value));
    if (stab || (!undefined && kind != MS_N_UNDF && kind != MS_N_INDR))
        ms_json_field_address(json, "address", value);
    if (stab) {
        put_stab(entry, json);
    } else {
        if (kind == MS_N_SECT)
            put_section(table, entry, json);
        if (kind == MS_N_UNDF && value) {
            ms_json_field_uint(json, "size", value);
            ms_json_field_uint(json, "alignment", entry->desc >> 8 & 0xf);
        }
        if (kind == MS_N_INDR)
            put_bytes(json, "indirect", nm_indirect_name(table, value));
        put_marks(table, entry, undefined, json);
        if (nm_has_ordinal(table, entry, value))
            put_library(table, entry, json);
    }
    ms_json_object_end(json);
}

enum ms_status ms_nm_write_json(const struct ms_macho *macho, const struct ms_nm_options *options,
                                struct ms_json *json, struct ms_nm_result *out,
                                struct ms_error *err)
{
    struct nm_table *table;
    struct nm_readable readable;
    readable.large = NULL;
    readable.room = 0;
    memset(out, 0, sizeof *out);
    ms_json_array(json);
    enum ms_status status = nm_table_read(macho, options, &table, err);
    if (status == MS_OK) {
        nm_table_sort(table);
        for (size_t i = 0; i < table->n && !json->sink->failed; i++)
            put_symbol(table, nm_table_at(table, i), &readable, json);
        nm_table_tell(table, out, err);
        nm_table_free(table);
        free(readable.large);
    }
    ms_json_array_end(json);
    return status;
}
