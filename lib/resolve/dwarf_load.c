#include "resolve/dwarf_load.h"

#include "dwarf/zdebug.h"
#include "macho/relocs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mach-O section names are cut at 16 bytes, Go's compressed ones ("__zdebug_…") one sooner. A name
 * that starts with underscores is the section's own. */
static bool is_named(const char *section, const char *name, bool *compressed)
{
    const char *prefix = section[2] == 'z' ? "__zdebug_" : "__debug_";
    size_t n = *name == '_' ? 0 : strlen(prefix);
    *compressed = n && section[2] == 'z';
    return strncmp(section, prefix, n) == 0 && strncmp(section + n, name, 16 - n) == 0;
}

static enum ms_status inflate(struct ms_loaded_dwarf *loaded, const struct ms_macho *macho,
                              const struct ms_section *section, struct ms_bytes *io,
                              struct ms_error *err)
{
    char where[sizeof macho->where + 20];
    uint8_t *bytes;
    size_t n;
    snprintf(where, sizeof where, "%s %s", macho->where, section->name);
    enum ms_status status = ms_zdebug_inflate(*io, where, &bytes, &n, err);
    if (status != MS_OK)
        return status;
    loaded->owned[loaded->n_owned++] = bytes;
    *io = (struct ms_bytes){bytes, n};
    return MS_OK;
}

static enum ms_status relocate(struct ms_loaded_dwarf *loaded, const struct ms_macho *macho,
                               const struct ms_section *section, struct ms_bytes *io,
                               struct ms_error *err)
{
    uint8_t *copy;
    enum ms_status status = ms_relocs_apply(macho, section, *io, &copy, err);
    if (status != MS_OK || !copy)
        return status;
    loaded->owned[loaded->n_owned++] = copy;
    io->at = copy;
    return MS_OK;
}

static enum ms_status take_section(struct ms_loaded_dwarf *loaded, const struct ms_macho *macho,
                                   const char *name, struct ms_bytes *out, struct ms_error *err)
{
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        bool compressed;
        if (!is_named(section->name, name, &compressed))
            continue;
        enum ms_status status = ms_macho_section_bytes(macho, section, out, err);
        if (status == MS_ABSENT)
            continue;
        if (status == MS_OK && compressed)
            status = inflate(loaded, macho, section, out, err);
        if (status == MS_OK && macho->filetype == MS_MH_OBJECT)
            status = relocate(loaded, macho, section, out, err);
        return status;
    }
    *out = (struct ms_bytes){NULL, 0};
    return MS_OK;
}

static int by_low(const void *a, const void *b)
{
    uint64_t x = ((const struct ms_dwarf_range *)a)->low,
             y = ((const struct ms_dwarf_range *)b)->low;
    return x < y ? -1 : x > y;
}

/* Where code can be: what a tombstone or a dead-stripped function points to is not there. */
static enum ms_status take_code(struct ms_loaded_dwarf *loaded, const struct ms_macho *macho,
                                struct ms_error *err)
{
    /* A dSYM without __TEXT was made from object files: its DWARF says where they were put,
     * its sections still say where they stood in the object. */
    if (!macho->n_sections || (macho->filetype == MS_MH_DSYM && !macho->has_text))
        return MS_OK;
    loaded->code = calloc(macho->n_sections, sizeof *loaded->code);
    if (!loaded->code)
        return ms_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *s = &macho->sections[i];
        if (ms_section_is_code(s) && s->vm_bytes && s->vm_bytes <= UINT64_MAX - s->vm)
            loaded->code[n++] = (struct ms_dwarf_range){s->vm, s->vm + s->vm_bytes};
    }
    qsort(loaded->code, n, sizeof *loaded->code, by_low);
    loaded->sections.code = n ? loaded->code : NULL;
    loaded->sections.n_code = n;
    return MS_OK;
}

enum ms_status ms_dwarf_load(const struct ms_macho *macho, struct ms_loaded_dwarf *out,
                             struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct ms_dwarf_sections *s = &out->sections;
    enum { N_NEEDED = 11 }; /* a look-up does without the others */
    const struct {
        const char *name;
        struct ms_bytes *to;
    } wanted[] = {
        {"info", &s->info},
        {"abbrev", &s->abbrev},
        {"str", &s->str},
        {"line", &s->line},
        {"line_str", &s->line_str},
        {"aranges", &s->aranges},
        {"ranges", &s->ranges},
        {"rnglists", &s->rnglists},
        {"addr", &s->addr},
        {"str_offsets", &s->str_offsets},
        {"types", &s->types},
        {"loc", &s->loc},
        {"loclists", &s->loclists},
        {"names", &s->names},
        {"__apple_names", &s->apple_names},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        enum ms_status status = take_section(out, macho, wanted[i].name, wanted[i].to, err);
        if (status != MS_OK && (i < N_NEEDED || status == MS_E_NOMEM))
            return status;
    }
    s->big = macho->big;
    s->address_size = macho->is64 ? 8 : 4;
    snprintf(out->where, sizeof out->where, "%s", macho->where);
    s->where = out->where;
    enum ms_status status = take_code(out, macho, err);
    return status == MS_OK ? ms_dwarf_open(s, &out->reader, err) : status;
}

void ms_dwarf_load_rest(struct ms_loaded_dwarf *loaded)
{
    ms_dwarf_close(loaded->reader);
    loaded->reader = NULL;
}

enum ms_status ms_dwarf_load_wake(struct ms_loaded_dwarf *loaded, struct ms_error *err)
{
    return loaded->reader ? MS_OK : ms_dwarf_open(&loaded->sections, &loaded->reader, err);
}

void ms_dwarf_unload(struct ms_loaded_dwarf *loaded)
{
    ms_dwarf_close(loaded->reader);
    for (size_t i = 0; i < loaded->n_owned; i++)
        free(loaded->owned[i]);
    free(loaded->code);
    memset(loaded, 0, sizeof *loaded);
}
