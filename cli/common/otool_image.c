/*
 * common/otool_image.c: one image, as text and as JSON.
 */
#include "common/code.h"
#include "common/console.h"
#include "common/input.h"
#include "common/otool_show.h"
#include "machsym/image.h"

#include <stdio.h>
#include <string.h>

bool otool_wants_sections(const struct otool_wanted *want)
{
    return want->text || want->all_text || want->data || want->indirect || want->table ||
           want->plist || want->section;
}

static bool wants_range(const struct otool_wanted *want)
{
    return want->start.given || want->stop.given || want->lookup.given;
}

void otool_note(struct otool_run *run, int status)
{
    run->status = worse(run->status, status);
}

void otool_note_error(struct otool_run *run, const struct ms_error *err)
{
    out_flush(&run->out);
    otool_note(run, complain_error(err));
}

void otool_heading(struct otool_run *run, const char *member, const char *arch, const char *end)
{
    if (run->want->bare)
        return;
    ms_sink_plain(&run->out.sink, input_shown(run->path));
    if (member) {
        ms_sink_puts(&run->out.sink, "(");
        ms_sink_plain(&run->out.sink, member);
        ms_sink_puts(&run->out.sink, ")");
    }
    if (run->by_architecture)
        ms_sink_printf(&run->out.sink, " (architecture %s)", arch);
    ms_sink_printf(&run->out.sink, ":%s\n", end);
}

void otool_put_code(struct otool_run *run, const struct ms_macho *macho,
                    const struct ms_section *section, struct out *out)
{
    if (!run->start) {
        out_flush(&run->out);
        complain("%s: code is only disassembled out of a plain file", run->path);
        otool_note(run, EXIT_INPUT);
        return;
    }
    struct code_request request = {
        .path = run->path,
        .off = (uint64_t)(macho->bytes.at - run->start),
        .n = macho->bytes.n,
        .section = (size_t)(section - macho->sections),
        .section_bytes = section->vm_bytes,
        .symbolic = run->want->very_verbose,
        .bare = run->want->bare && !run->want->json,
        .opcodes = run->want->opcodes,
        .from = run->want->from,
        .cpu = run->want->cpu,
        .has_start = run->start_vm.given,
        .start = run->start_vm.value,
        .has_stop = run->stop_vm.given,
        .stop = run->stop_vm.value,
        .has_mark = run->want->lookup.given,
        .mark = run->want->lookup.value,
    };
    otool_note(run, code_show(&request, out));
}

static void put_section(struct otool_run *run, const struct ms_macho *macho,
                        const struct ms_section *section, const char *contents)
{
    struct ms_error err;
    if (!run->want->bare && !run->to.json)
        ms_sink_printf(&run->out.sink, "%s(%s,%s) section\n", contents, section->segment_name,
                       section->name);
    if (run->want->verbose && !run->want->json && ms_section_is_code(section))
        otool_put_code(run, macho, section, &run->out);
    else if (ms_otool_section(macho, section, &run->to, &err) != MS_OK)
        otool_note_error(run, &err);
}

/* The sections of that name, in any segment when segment is NULL; false when there is none. */
static bool put_sections(struct otool_run *run, const struct ms_macho *macho, const char *segment,
                         const char *name, const char *contents)
{
    bool found = false;
    for (size_t i = 0; i < macho->n_sections && !(segment && found); i++) {
        const struct ms_section *section = &macho->sections[i];
        if ((segment && strcmp(section->segment_name, segment) != 0) ||
            strcmp(section->name, name) != 0)
            continue;
        put_section(run, macho, section, contents);
        found = true;
    }
    return found;
}

/*
 * A section that was asked for by name. That there is none is no error for cctools, but worth a
 * word: for each image, of an archive once when no member has it.
 */
static void put_named(struct otool_run *run, const struct ms_macho *macho, bool is_member,
                      const char *segment, const char *name, const char *contents)
{
    if (put_sections(run, macho, segment, name, contents)) {
        run->has_named = true;
    } else if (!is_member) {
        out_flush(&run->out);
        complain("%s: has no section (%s,%s)", macho->where, segment, name);
    }
}

/* ---- a range of addresses ------------------------------------------------------------------ */

/* The code sections that the range touches. */
static void put_range(struct otool_run *run, const struct ms_macho *macho)
{
    uint64_t start = run->want->start.given ? run->want->start.value : 0;
    uint64_t stop = run->want->stop.given ? run->want->stop.value : UINT64_MAX;
    bool any = false;
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (!ms_section_is_code(section) || !section->vm_bytes || section->vm >= stop ||
            (start > section->vm && start - section->vm >= section->vm_bytes))
            continue;
        put_section(run, macho, section, "");
        any = true;
    }
    if (any)
        return;
    out_flush(&run->out);
    complain("%s: no code at these addresses", macho->where);
    otool_note(run, EXIT_INPUT);
}

/* So much around an instruction that is looked up, within its function. */
enum { BYTES_AROUND = 32 };

static void put_lookup(struct otool_run *run, const struct ms_macho *macho, const char *arch)
{
    const uint64_t address = run->want->lookup.value;
    struct ms_symbols symbols;
    struct ms_error err;
    uint64_t low = 0, high = UINT64_MAX;
    if (ms_symbols_read_at(macho, address, &symbols, &err) == MS_OK) {
        const struct ms_symbol *symbol = ms_symbols_find(&symbols, address);
        if (symbol) {
            low = symbol->start_vm;
            high = symbol->end_vm;
        }
        ms_symbols_fini(&symbols);
    }
    if (address - low > BYTES_AROUND)
        low = address > BYTES_AROUND ? address - BYTES_AROUND : 0;
    if (high - address > BYTES_AROUND + 4)
        high = address < UINT64_MAX - BYTES_AROUND - 4 ? address + BYTES_AROUND + 4 : UINT64_MAX;
    run->start_vm = (struct option_number){true, low};
    run->stop_vm = (struct option_number){true, high};
    const struct ms_section *section = ms_macho_section_at(macho, address);
    if (!section || !ms_section_is_code(section)) {
        out_flush(&run->out);
        complain("%s: no code at 0x%llx", macho->where, (unsigned long long)address);
        otool_note(run, EXIT_INPUT);
        return;
    }
    if (run->want->json)
        otool_code_json(run, macho, section);
    else
        put_section(run, macho, section, "");
    if (macho->filetype != MS_MH_OBJECT)
        otool_note(run, code_sources(run->path, arch, address, &run->out, run->to.json));
}

static void put_text_section(struct otool_run *run, const struct ms_macho *macho, bool is_member)
{
    /* cctools has the heading of this one also where there is none. */
    if (!ms_macho_section(macho, "__TEXT", "__text") && !run->want->bare)
        ms_sink_puts(&run->out.sink, "(__TEXT,__text) section\n");
    put_named(run, macho, is_member, "__TEXT", "__text", "");
}

/* What needs the image to be sound. */
static void put_tables(struct otool_run *run, const struct ms_macho *macho, bool is_member,
                       const char *arch)
{
    const struct otool_wanted *want = run->want;
    struct ms_error err;
    run->start_vm = want->start;
    run->stop_vm = want->stop;
    if (want->table)
        ms_otool_data_in_code(macho, &run->to);
    if (want->indirect)
        ms_otool_indirect(macho, &run->to);
    if (want->lookup.given && !want->json)
        put_lookup(run, macho, arch);
    else if (wants_range(want) && !want->json)
        put_range(run, macho);
    else if (want->all_text)
        put_sections(run, macho, NULL, "__text", "");
    else if (want->text && !want->json)
        put_text_section(run, macho, is_member);
    if (want->data)
        put_named(run, macho, is_member, "__DATA", "__data", "");
    if (want->plist && ms_otool_info_plist(macho, &run->to, &err) != MS_OK)
        otool_note_error(run, &err);
    if (want->section)
        put_named(run, macho, is_member, want->segment, want->section, "Contents of ");
}

static void put_json(struct otool_run *run, const struct ms_otool_image *image, const char *member,
                     const char *arch)
{
    struct ms_json *json = &run->json;
    struct ms_error err;
    ms_json_object(json);
    ms_json_field(json, "arch", arch);
    ms_json_field(json, "member", member);
    if (run->want->header) {
        ms_json_key(json, "header");
        ms_json_object(json);
        ms_otool_header(image, &run->to);
        ms_json_object_end(json);
    }
    if (run->want->commands) {
        ms_json_key(json, "load_commands");
        if (ms_otool_commands(image, &run->to, &err) != MS_OK)
            otool_note_error(run, &err);
    }
    if (run->want->libraries) {
        ms_json_key(json, "libraries");
        if (ms_otool_libraries(image, false, &run->to, &err) != MS_OK && !run->want->commands)
            otool_note_error(run, &err);
    }
    if (run->want->id && ms_otool_libraries(image, true, &run->to, &err) != MS_OK &&
        !run->want->commands && !run->want->libraries)
        otool_note_error(run, &err);
}

static void put_text(struct otool_run *run, const struct ms_otool_image *image)
{
    struct ms_error err;
    bool said = false;
    if (run->want->header)
        ms_otool_header(image, &run->to);
    if (run->want->commands && ms_otool_commands(image, &run->to, &err) != MS_OK) {
        otool_note_error(run, &err);
        said = true;
    }
    if ((run->want->libraries || run->want->id) &&
        ms_otool_libraries(image, !run->want->libraries, &run->to, &err) != MS_OK && !said)
        otool_note_error(run, &err);
}

void otool_show_image(struct otool_run *run, struct ms_bytes bytes, const char *member)
{
    struct ms_otool_image image;
    struct ms_macho macho;
    struct ms_error err;
    char where[4096 + 300], room[MS_ARCH_TEXT];
    snprintf(where, sizeof where, member ? "%s(%s)" : "%s", run->path, member);
    if (ms_otool_open(bytes, where, &image, &err) != MS_OK) {
        otool_note_error(run, &err);
        return;
    }
    const char *arch = ms_arch_text(image.cputype, image.cpusubtype, room);
    if (run->want->json) {
        put_json(run, &image, member, arch);
    } else {
        otool_heading(run, member, arch, "");
        put_text(run, &image);
    }
    if (otool_wants_sections(run->want)) {
        if (ms_macho_parse(bytes, where, &macho, &err) == MS_OK) {
            if (run->want->json)
                ms_json_key(&run->json, "contents"), ms_json_array(&run->json);
            put_tables(run, &macho, member != NULL, arch);
            if (run->want->json)
                ms_json_array_end(&run->json);
            if (run->want->json && run->want->lookup.given) {
                ms_json_key(&run->json, "lookup");
                ms_json_object(&run->json);
                ms_json_field_address(&run->json, "address", run->want->lookup.value);
                put_lookup(run, &macho, arch);
                ms_json_object_end(&run->json);
            }
            ms_macho_fini(&macho);
        } else {
            otool_note_error(run, &err);
        }
    }
    if (run->want->json)
        ms_json_object_end(&run->json);
}
