#include "common/dwarf_json.h"

#include "common/answer_json.h"

#include <stdio.h>

/* ---- one address ------------------------------------------------------------------------- */

static void json_type(struct ms_json *json, const char *type, bool mangled)
{
    char room[1024];
    if (type && ms_type_show(type, mangled, room, sizeof room) < sizeof room)
        ms_json_field(json, "type", room);
    else
        ms_json_field(json, "type", type);
}

static void json_variables(struct ms_json *json, const char *key,
                           const struct ms_place_variable *items, size_t n, bool mangled)
{
    if (!n)
        return;
    ms_json_key(json, key);
    ms_json_array(json);
    for (size_t i = 0; i < n; i++) {
        ms_json_object(json);
        ms_json_field(json, "name", items[i].name);
        json_type(json, items[i].type, mangled);
        if (items[i].line)
            ms_json_field_uint(json, "line", items[i].line);
        if (items[i].artificial)
            ms_json_field_bool(json, "artificial", true);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void json_unit(struct ms_json *json, const struct ms_unit_info *unit)
{
    ms_json_key(json, "unit");
    ms_json_object(json);
    json_unit_members(json, unit);
    ms_json_object_end(json);
}

void json_unit_members(struct ms_json *json, const struct ms_unit_info *unit)
{
    ms_json_field_address(json, "offset", unit->off);
    ms_json_field_uint(json, "version", unit->version);
    ms_json_field(json, "language", ms_dwarf_language(unit->language));
    ms_json_field(json, "name", unit->name);
    ms_json_field(json, "directory", unit->comp_dir);
    ms_json_field(json, "producer", unit->producer);
}

void json_place(struct ms_json *json, const struct ms_place *place, const struct ms_shown *shown,
                uint64_t address, bool mangled)
{
    ms_json_object(json);
    ms_json_field_address(json, "address", address);
    ms_json_field(json, "why", ms_why_name(place->why));
    if (place->has_unit)
        json_unit(json, &place->unit);
    if (place->object)
        ms_json_field(json, "object", place->object);
    ms_json_key(json, "frames");
    ms_json_array(json);
    for (size_t i = 0; i < place->n_levels && i < shown->n_frames; i++) {
        const struct ms_place_level *level = &place->levels[i];
        ms_json_object(json);
        json_frame_members(json, &shown->frames[i]);
        if (level->die_off)
            ms_json_field_address(json, "die", level->die_off);
        json_type(json, level->type, mangled);
        json_variables(json, "parameters", level->parameters, level->n_parameters, mangled);
        if (level->more_parameters)
            ms_json_field_bool(json, "more_parameters", true);
        json_variables(json, "variables", level->variables, level->n_variables, mangled);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    ms_json_object_end(json);
}

/* ---- line tables ------------------------------------------------------------------------- */

static void json_files(struct ms_json *json, const struct ms_line_table *t)
{
    ms_json_key(json, "files");
    ms_json_array(json);
    for (size_t i = 0; i < t->n_files; i++) {
        const struct ms_line_table_file *file = &t->files[i];
        ms_json_object(json);
        ms_json_field_uint(json, "index", i + (t->version < 5));
        ms_json_field(json, "name", file->name);
        ms_json_field_uint(json, "directory", file->dir);
        if (t->has_md5) {
            char md5[33];
            for (int k = 0; k < 16; k++)
                snprintf(md5 + 2 * k, 3, "%02x", file->md5[k]);
            ms_json_field(json, "md5", md5);
        }
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

void json_line_table(struct ms_json *json, const struct ms_line_table *t)
{
    ms_json_object(json);
    ms_json_field_address(json, "offset", t->off);
    ms_json_field_uint(json, "version", t->version);
    ms_json_key(json, "directories");
    ms_json_array(json);
    for (size_t i = 0; i < t->n_dirs; i++)
        ms_json_string(json, t->dirs[i] ? t->dirs[i] : "");
    ms_json_array_end(json);
    json_files(json, t);
}

void json_line_row(struct ms_json *json, const struct ms_line_row *row)
{
    unsigned indent = json->indent;
    ms_json_object(json);
    json->indent = 0; /* a row is a line */
    ms_json_field_address(json, "address", row->address);
    ms_json_field_uint(json, "line", row->line);
    ms_json_field_uint(json, "column", row->column);
    ms_json_field_uint(json, "file", row->file);
    if (row->isa)
        ms_json_field_uint(json, "isa", row->isa);
    if (row->discriminator)
        ms_json_field_uint(json, "discriminator", row->discriminator);
    if (row->op_index)
        ms_json_field_uint(json, "op_index", row->op_index);
    if (row->is_stmt)
        ms_json_field_bool(json, "is_stmt", true);
    if (row->basic_block)
        ms_json_field_bool(json, "basic_block", true);
    if (row->prologue_end)
        ms_json_field_bool(json, "prologue_end", true);
    if (row->epilogue_begin)
        ms_json_field_bool(json, "epilogue_begin", true);
    if (row->end_sequence)
        ms_json_field_bool(json, "end_sequence", true);
    ms_json_object_end(json);
    json->indent = indent;
}

/* ---- statistics -------------------------------------------------------------------------- */

static void json_cover(struct ms_json *json, const struct ms_cover *cover)
{
    ms_json_field_uint(json, "functions", cover->n_functions);
    ms_json_field_uint(json, "inlined", cover->n_inlined);
    ms_json_field_uint(json, "line_rows", cover->n_rows);
    ms_json_field_uint(json, "named_bytes", cover->named_bytes);
    ms_json_field_uint(json, "line_bytes", cover->line_bytes);
    ms_json_field_uint(json, "line_zero_bytes", cover->zero_bytes);
}

void json_statistics(struct ms_json *json, const struct ms_dwarf_statistics *s)
{
    ms_json_key(json, "statistics");
    ms_json_object(json);
    ms_json_field_uint(json, "text_bytes", s->text_bytes);
    json_cover(json, &s->total);
    ms_json_field_uint(json, "symbol_bytes", s->symbol_bytes);
    ms_json_field_uint(json, "damaged_units", s->n_broken);
    if (s->n_objects) {
        ms_json_field_uint(json, "objects", s->n_objects);
        ms_json_field_uint(json, "missing_objects", s->n_missing);
    }
    ms_json_key(json, "units");
    ms_json_array(json);
    for (size_t i = 0; i < s->n_units; i++) {
        ms_json_object(json);
        json_unit_members(json, &s->units[i].unit);
        if (s->units[i].object)
            ms_json_field(json, "object", s->units[i].object);
        json_cover(json, &s->units[i].cover);
        if (s->units[i].broken)
            ms_json_field_bool(json, "damaged", true);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    ms_json_key(json, "sections");
    ms_json_array(json);
    for (size_t i = 0; i < s->n_sections; i++) {
        ms_json_object(json);
        ms_json_field(json, "name", s->sections[i].name);
        ms_json_field_address(json, "file_offset", s->sections[i].off);
        ms_json_field_uint(json, "bytes", s->sections[i].bytes);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    ms_json_object_end(json);
}
