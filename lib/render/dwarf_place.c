/* What is known of one address: unit, calls, parameters and variables with their types. */
#include "machsym/demangle.h"
#include "machsym/dwarf.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t ms_type_show(const char *type, bool mangled, char *out, size_t room)
{
    size_t n = strlen(type);
    bool swift = !mangled && type[0] == '$' && (type[1] == 's' || type[1] == 'S');
    size_t length = swift ? ms_demangle(type, n, MS_DEMANGLE_SIMPLIFIED, out, room) : 0;
    if (length)
        return length;
    snprintf(out, room, "%s", type);
    return n;
}

static void put_type(struct ms_sink *sink, const char *type, bool mangled)
{
    char room[1024];
    if (!type)
        return;
    /* A longer one is cut: types of C++ go on for pages, their start tells them. */
    if (ms_type_show(type, mangled, room, sizeof room) >= sizeof room)
        memcpy(room + sizeof room - 4, "...", 4);
    ms_sink_plain(sink, room);
}

static void put_variable(struct ms_sink *sink, const char *what,
                         const struct ms_place_variable *variable, bool mangled)
{
    ms_sink_printf(sink, "    %-9s ", what);
    ms_sink_plain(sink, variable->name ? variable->name : "_");
    ms_sink_puts(sink, variable->type ? ": " : "");
    put_type(sink, variable->type, mangled);
    if (variable->artificial)
        ms_sink_puts(sink, " (artificial)");
    ms_sink_puts(sink, "\n");
}

static void put_where(struct ms_sink *sink, const struct ms_shown_frame *frame)
{
    if (!frame->path)
        return;
    ms_sink_puts(sink, " at ");
    ms_sink_plain(sink, frame->path);
    ms_sink_printf(sink, ":%" PRIu32, frame->line);
    if (frame->column)
        ms_sink_printf(sink, ":%" PRIu32, frame->column);
}

static void put_level(struct ms_sink *sink, size_t i, const struct ms_place_level *level,
                      const struct ms_shown_frame *frame, bool mangled)
{
    ms_sink_printf(sink, "%-3zu ", i);
    ms_sink_plain(sink, frame->function ? frame->function : "(no name)");
    if (frame->has_offset)
        ms_sink_printf(sink, " + %" PRIu64, frame->offset);
    put_where(sink, frame);
    ms_sink_puts(sink, frame->inlined ? ", inlined" : "");
    if (frame->source != MS_SOURCE_DWARF)
        ms_sink_printf(sink, " (%s)", ms_source_name(frame->source));
    ms_sink_puts(sink, "\n");
    if (level->type) {
        ms_sink_puts(sink, "    result    ");
        put_type(sink, level->type, mangled);
        ms_sink_puts(sink, "\n");
    }
    for (size_t k = 0; k < level->n_parameters; k++)
        put_variable(sink, "parameter", &level->parameters[k], mangled);
    if (level->more_parameters)
        ms_sink_puts(sink, "    parameter ...\n");
    for (size_t k = 0; k < level->n_variables; k++)
        put_variable(sink, "variable", &level->variables[k], mangled);
    if (level->cut)
        ms_sink_puts(sink, "    (more variables than can be shown)\n");
}

static void put_unit(struct ms_sink *sink, const struct ms_unit_info *unit)
{
    const char *language = ms_dwarf_language(unit->language);
    ms_sink_puts(sink, "unit      ");
    ms_sink_plain(sink, unit->name ? unit->name : "(no name)");
    ms_sink_printf(sink, " (%s, DWARF %u) at 0x%8.8" PRIx64 "\n", language ? language : "?",
                   unit->version, unit->off);
    if (unit->comp_dir) {
        ms_sink_puts(sink, "directory ");
        ms_sink_plain(sink, unit->comp_dir);
        ms_sink_puts(sink, "\n");
    }
    if (unit->producer) {
        ms_sink_puts(sink, "producer  ");
        ms_sink_plain(sink, unit->producer);
        ms_sink_puts(sink, "\n");
    }
}

void ms_place_write(const struct ms_place *place, const struct ms_shown *shown, uint64_t address_vm,
                    bool mangled, struct ms_sink *sink)
{
    ms_sink_printf(sink, "address   0x%16.16" PRIx64 "\n", address_vm);
    if (place->has_unit)
        put_unit(sink, &place->unit);
    if (place->object) {
        ms_sink_puts(sink, "object    ");
        ms_sink_plain(sink, place->object);
        ms_sink_puts(sink, "\n");
    }
    for (size_t i = 0; i < place->n_levels && i < shown->n_frames; i++)
        put_level(sink, i, &place->levels[i], &shown->frames[i], mangled);
    if (place->why != MS_WHY_COMPLETE)
        ms_sink_printf(sink, "why       %s\n", ms_why_name(place->why));
}
