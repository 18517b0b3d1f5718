#include "libdwarf/object.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Section 0 is the one that ELF leaves empty, which libdwarf expects; it takes no other that is
 * empty. */
static const struct {
    const char *name;
    size_t field;
} sections[] = {
    {"", 0},
    {".debug_info", offsetof(struct ms_dwarf_sections, info)},
    {".debug_abbrev", offsetof(struct ms_dwarf_sections, abbrev)},
    {".debug_str", offsetof(struct ms_dwarf_sections, str)},
    {".debug_line", offsetof(struct ms_dwarf_sections, line)},
    {".debug_line_str", offsetof(struct ms_dwarf_sections, line_str)},
    {".debug_addr", offsetof(struct ms_dwarf_sections, addr)},
    {".debug_str_offsets", offsetof(struct ms_dwarf_sections, str_offsets)},
    {".debug_types", offsetof(struct ms_dwarf_sections, types)},
};

enum { N_SECTIONS = sizeof sections / sizeof *sections };

static struct ms_bytes bytes_of(const struct ms_debug_object *object, size_t section)
{
    struct ms_bytes out = {NULL, 0};
    if (section)
        memcpy(&out, (const char *)object->sections + sections[section].field, sizeof out);
    return out;
}

#ifdef DW_LIBDWARF_VERSION
typedef Dwarf_Unsigned section_index;
typedef Dwarf_Small byte_order;
#else
typedef Dwarf_Half section_index;
typedef Dwarf_Endianness byte_order;
#endif

static int get_info(void *self, section_index i, ms_object_section *out, int *error)
{
    const struct ms_debug_object *object = self;
    (void)error;
    if (i >= object->n_shown)
        return DW_DLV_NO_ENTRY;
    const char *name = sections[object->shown[i]].name;
    struct ms_bytes bytes = bytes_of(object, object->shown[i]);
    memset(out, 0, sizeof *out);
#ifdef DW_LIBDWARF_VERSION
    out->as_name = name;
    out->as_size = bytes.n;
#else
    out->name = name;
    out->size = bytes.n;
#endif
    return DW_DLV_OK;
}

static byte_order get_byte_order(void *self)
{
    const struct ms_debug_object *object = self;
#ifdef DW_LIBDWARF_VERSION
    return object->sections->big ? DW_END_big : DW_END_little;
#else
    return object->sections->big ? DW_OBJECT_MSB : DW_OBJECT_LSB;
#endif
}

static Dwarf_Small get_length_size(void *self)
{
    (void)self;
    return 4;
}

static Dwarf_Small get_pointer_size(void *self)
{
    return ((const struct ms_debug_object *)self)->sections->address_size;
}

static Dwarf_Unsigned get_count(void *self)
{
    return ((const struct ms_debug_object *)self)->n_shown;
}

static int load(void *self, section_index i, Dwarf_Small **out, int *error)
{
    const struct ms_debug_object *object = self;
    (void)error;
    if (i == 0 || i >= object->n_shown)
        return DW_DLV_NO_ENTRY;
    struct ms_bytes bytes = bytes_of(object, object->shown[i]);
    *out = (Dwarf_Small *)(uintptr_t)bytes.at; /* it only reads, without relocations */
    return DW_DLV_OK;
}

#ifdef DW_LIBDWARF_VERSION
static Dwarf_Unsigned get_file_bytes(void *self)
{
    Dwarf_Unsigned sum = 0;
    for (size_t i = 0; i < N_SECTIONS; i++)
        sum += bytes_of(self, i).n;
    return sum;
}

static const ms_object_methods methods = {
    .om_get_section_info = get_info,
    .om_get_byte_order = get_byte_order,
    .om_get_length_size = get_length_size,
    .om_get_pointer_size = get_pointer_size,
    .om_get_filesize = get_file_bytes,
    .om_get_section_count = get_count,
    .om_load_section = load,
};
#else
static const ms_object_methods methods = {
    .get_section_info = get_info,
    .get_byte_order = get_byte_order,
    .get_length_size = get_length_size,
    .get_pointer_size = get_pointer_size,
    .get_section_count = get_count,
    .load_section = load,
};
#endif

enum ms_status ms_debug_object_open(struct ms_debug_object *out,
                                    const struct ms_dwarf_sections *from, struct ms_error *err)
{
    Dwarf_Error error = NULL;
    memset(out, 0, sizeof *out);
    out->sections = from;
    for (size_t i = 0; i < N_SECTIONS; i++)
        if (i == 0 || bytes_of(out, i).n)
            out->shown[out->n_shown++] = (uint8_t)i;
#ifdef DW_LIBDWARF_VERSION
    out->interface.ai_object = out;
    out->interface.ai_methods = &methods;
#else
    out->interface.object = out;
    out->interface.methods = &methods;
#endif
    /* What is allocated is freed by hand: keeping account of it takes twice the time. */
    dwarf_set_de_alloc_flag(0);
    if (dwarf_object_init_b(&out->interface, NULL, NULL, DW_GROUPNUMBER_ANY, &out->debug, &error) !=
        DW_DLV_OK) {
        out->debug = NULL;
        return ms_debug_object_fail(out, error, MS_NO_OFFSET, "libdwarf can't open it", err);
    }
    return MS_OK;
}

void ms_debug_object_close(struct ms_debug_object *object)
{
    Dwarf_Error error = NULL;
    if (!object->debug)
        return;
#ifdef DW_LIBDWARF_VERSION
    (void)error;
    dwarf_object_finish(object->debug);
#else
    dwarf_object_finish(object->debug, &error);
#endif
    object->debug = NULL;
}

enum ms_status ms_debug_object_fail(const struct ms_debug_object *object, Dwarf_Error error,
                                    uint64_t off, const char *what, struct ms_error *err)
{
    char where[sizeof object->sections->where + 20];
    snprintf(where, sizeof where, "%s __debug_info", object->sections->where);
    enum ms_status status = ms_fail(err, MS_E_FORMAT, where, off, "%s: %s", what,
                                    error ? dwarf_errmsg(error) : "no reason given");
    if (error && object->debug)
        dwarf_dealloc(object->debug, error, DW_DLA_ERROR);
    return status;
}
