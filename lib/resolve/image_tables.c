/* The lazy half of an image: its DWARF reader and its symbol tables. */
#include "dwarf/zdebug.h"
#include "resolve/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mach-O section names are cut at 16 bytes, Go's compressed ones ("__zdebug_…") one sooner. */
static bool is_named(const char *section, const char *name, bool *compressed)
{
    char plain[32], packed[32];
    snprintf(plain, sizeof plain, "__debug_%s", name);
    snprintf(packed, sizeof packed, "__zdebug_%s", name);
    *compressed = strncmp(section, packed, 16) == 0;
    return *compressed || strncmp(section, plain, 16) == 0;
}

static enum ms_status take_section(struct ms_image *image, const struct ms_macho *macho,
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
        if (status != MS_OK || !compressed)
            return status;
        char where[sizeof macho->where + 20];
        snprintf(where, sizeof where, "%s %s", macho->where, section->name);
        uint8_t *bytes;
        size_t n;
        status = ms_zdebug_inflate(*out, where, &bytes, &n, err);
        if (status != MS_OK)
            return status;
        image->inflated[image->n_inflated++] = bytes;
        *out = (struct ms_bytes){bytes, n};
        return MS_OK;
    }
    *out = (struct ms_bytes){NULL, 0};
    return MS_OK;
}

static int by_low(const void *a, const void *b)
{
    uint64_t x = ((const struct ms_dwarf_range *)a)->low, y = ((const struct ms_dwarf_range *)b)->low;
    return x < y ? -1 : x > y;
}

/* Where code can be: what a tombstone or a dead-stripped function points to is not there. */
static enum ms_status take_code(struct ms_image *image, const struct ms_macho *macho,
                                struct ms_error *err)
{
    /* A dSYM without __TEXT was made from object files: its DWARF says where they were put,
     * its sections still say where they stood in the object. */
    if (!macho->n_sections || (macho->filetype == MS_MH_DSYM && !macho->has_text))
        return MS_OK;
    image->code = calloc(macho->n_sections, sizeof *image->code);
    if (!image->code)
        return ms_fail_memory(err);
    size_t n = 0;
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *s = &macho->sections[i];
        if (ms_section_is_code(s) && s->vm_bytes && s->vm_bytes <= UINT64_MAX - s->vm)
            image->code[n++] = (struct ms_dwarf_range){s->vm, s->vm + s->vm_bytes};
    }
    qsort(image->code, n, sizeof *image->code, by_low);
    image->sections.code = n ? image->code : NULL;
    image->sections.n_code = n;
    return MS_OK;
}

static enum ms_status open_dwarf(struct ms_image *image, struct ms_error *err)
{
    const struct ms_part *part = ms_image_dwarf_part(image);
    if (!ms_part_has_dwarf(part))
        return MS_ABSENT;
    const struct ms_macho *macho = &part->macho;
    struct ms_dwarf_sections *s = &image->sections;
    const struct {
        const char *name;
        struct ms_bytes *to;
    } wanted[] = {
        {"info", &s->info},         {"abbrev", &s->abbrev},     {"str", &s->str},
        {"line", &s->line},         {"line_str", &s->line_str}, {"aranges", &s->aranges},
        {"ranges", &s->ranges},     {"rnglists", &s->rnglists}, {"addr", &s->addr},
        {"str_offsets", &s->str_offsets}, {"types", &s->types},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        enum ms_status status = take_section(image, macho, wanted[i].name, wanted[i].to, err);
        if (status != MS_OK)
            return status;
    }
    s->big = macho->big;
    s->address_size = macho->is64 ? 8 : 4;
    snprintf(image->dwarf_where, sizeof image->dwarf_where, "%s", macho->where);
    s->where = image->dwarf_where;
    enum ms_status status = take_code(image, macho, err);
    return status == MS_OK ? ms_dwarf_open(s, &image->dwarf, err) : status;
}

struct ms_dwarf *ms_image_dwarf(struct ms_image *image)
{
    if (image->dwarf_ready == MS_NOT_YET) {
        enum ms_status status = open_dwarf(image, &image->dwarf_error);
        image->dwarf_ready = status == MS_OK || status == MS_ABSENT ? MS_READY : MS_FAILED;
        image->starved |= status == MS_E_NOMEM;
    }
    return image->dwarf;
}

void ms_image_read_symbols(struct ms_image *image)
{
    if (image->symbols_ready != MS_NOT_YET)
        return;
    /* Damage of a table leaves what could be read. */
    bool read = (!image->binary.file || ms_symbols_read(&image->binary.macho,
                                                        &image->binary_symbols, NULL) == MS_OK) &&
                (!image->debug.file ||
                 ms_symbols_read(&image->debug.macho, &image->debug_symbols, NULL) == MS_OK);
    image->symbols_ready = read ? MS_READY : MS_FAILED;
    image->starved |= !read;
}

/*
 * The symbol of one half. Sorting a large table pays from a handful of addresses on; before
 * that each is looked for by itself.
 */
static const struct ms_symbol *symbol_in(struct ms_image *image, const struct ms_part *part,
                                         const struct ms_symbols *whole, uint64_t address_vm)
{
    enum { N_SINGLE = sizeof image->single / sizeof *image->single };
    if (!part->file)
        return NULL;
    if (image->symbols_ready == MS_NOT_YET && image->n_single < N_SINGLE) {
        struct ms_symbols *one = &image->single[image->n_single];
        if (ms_symbols_read_at(&part->macho, address_vm, one, NULL) != MS_OK) {
            image->starved = true;
            return NULL;
        }
        image->n_single++;
        return ms_symbols_find(one, address_vm);
    }
    ms_image_read_symbols(image);
    return ms_symbols_find(whole, address_vm);
}

const struct ms_symbol *ms_image_symbol(struct ms_image *image, uint64_t address_vm)
{
    const struct ms_symbol *binary =
        symbol_in(image, &image->binary, &image->binary_symbols, address_vm);
    if (binary && binary->name)
        return binary;
    /* A stripped binary knows where functions start, its dSYM what they are called. */
    const struct ms_symbol *debug =
        symbol_in(image, &image->debug, &image->debug_symbols, address_vm);
    if (debug && debug->name && (!binary || binary->start_vm == debug->start_vm))
        return debug;
    return binary;
}
