#include "libdwarf/tree.h"

#include "base/limits.h"
#include "dwarf/reader.h"
#include "libdwarf/match.h"
#include "libdwarf/names.h"
#include "libdwarf/object.h"
#include "libdwarf/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The printing of one file. */
struct tree {
    const struct ms_tree_request *request;
    struct ms_sink *sink;
    struct ms_debug_object object;
    struct ms_values values;
    struct ms_text text;   /* of the DIE at hand */
    struct ms_text single; /* of the attribute at hand */
    struct ms_json json;
    ms_tree_fault *take;
    void *owner;
    bool in_types;     /* the section at hand is .debug_types */
    bool has_match;    /* a unit is open for DIEs that have a name … */
    uint64_t unit_off; /* … this one, as struct ms_types counts */
};

/* How long the text of one DIE may grow: lists of locations are long. */
enum { MAX_DIE_TEXT = 1 << 26 };

static void report(struct tree *t, const struct ms_error *fault)
{
    t->take(t->owner, fault);
}

static void report_libdwarf(struct tree *t, Dwarf_Error error, uint64_t off, const char *what)
{
    struct ms_error fault;
    ms_debug_object_fail(&t->object, error, off, what, &fault);
    report(t, &fault);
}

/* ---- one attribute ----------------------------------------------------------------------- */

/* A DIE as libdwarf has it, and how far its values reach. */
struct entry {
    uint64_t off, end; /* in the section */
    Dwarf_Half tag, children;
    Dwarf_Attribute *attributes;
    Dwarf_Signed n_attributes;
    Dwarf_Die die;
    uint64_t low;
    bool has_low;
};

/* Attribute i, with its value read at the place that libdwarf gives. */
static bool read_attribute(struct tree *t, struct entry *e, Dwarf_Signed i,
                           struct ms_attribute *out)
{
    Dwarf_Half number, form;
    Dwarf_Off off;
    Dwarf_Error error = NULL;
    Dwarf_Signed implicit = 0;
    Dwarf_Attribute attribute = e->attributes[i];
    memset(out, 0, sizeof *out);
    if (dwarf_whatattr(attribute, &number, &error) != DW_DLV_OK ||
        dwarf_whatform(attribute, &form, &error) != DW_DLV_OK ||
        dwarf_attr_offset(e->die, attribute, &off, &error) != DW_DLV_OK ||
        (form == DW_FORM_implicit_const &&
         dwarf_formsdata(attribute, &implicit, &error) != DW_DLV_OK)) {
        report_libdwarf(t, error, e->off, "an attribute can't be read");
        e->end = 0; /* where the next DIE starts is unknown */
        return false;
    }
    const struct ms_unit *unit = &t->values.unit;
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, off - unit->header.off);
    uint8_t plain = ms_form_normalize(form);
    out->number = number;
    struct ms_cursor before = c;
    out->value =
        plain ? ms_value_read(&c, &unit->encoding, plain, implicit) : (struct ms_value){.form = 0};
    if (c.bad || !plain) {
        struct ms_error fault;
        (void)ms_unit_fail(unit, &fault, MS_E_FORMAT, e->off - unit->header.off,
                           plain ? "an attribute runs past the unit's end"
                                 : "an attribute has the unknown form 0x%x",
                           form);
        report(t, &fault);
        e->end = 0;
        return false;
    }
    size_t total = (size_t)(ms_cursor_offset(&c) - ms_cursor_offset(&before));
    size_t block = plain == DW_FORM_data16 ? 16 : (size_t)out->value.u;
    unsigned size;
    enum ms_form_shape shape = ms_form_shape(plain, &unit->encoding, &size);
    if (plain == DW_FORM_data16 || (shape >= MS_SHAPE_BLOCK1 && shape <= MS_SHAPE_BLOCK)) {
        ms_cursor_skip(&before, total - block);
        out->block = ms_cursor_bytes(&before, block);
    }
    e->end = unit->header.off + ms_cursor_offset(&c);
    if (number == DW_AT_low_pc)
        e->has_low = ms_unit_address(unit, &out->value, &e->low);
    out->low = e->low;
    out->has_low = e->has_low;
    return true;
}

/* ---- one DIE ----------------------------------------------------------------------------- */

static void indent(struct ms_text *text, uint32_t n)
{
    static const char blanks[] = "                                ";
    for (; n > sizeof blanks - 1; n -= (uint32_t)sizeof blanks - 1)
        ms_text_add(text, blanks, sizeof blanks - 1);
    ms_text_add(text, blanks, n);
}

static void put_off(struct ms_text *text, uint64_t off)
{
    char digits[18] = "0x";
    unsigned n = 8;
    while (n < 16 && off >> (4 * n))
        n++;
    for (unsigned i = 0; i < n; i++)
        digits[2 + i] = "0123456789abcdef"[off >> (4 * (n - 1 - i)) & 0xf];
    ms_text_putc(text, '\n');
    ms_text_add(text, digits, n + 2);
    ms_text_puts(text, ": ");
}

static void put_number_name(struct ms_text *text, const char *name, const char *prefix,
                            unsigned number)
{
    if (name)
        ms_text_puts(text, name);
    else
        ms_text_printf(text, "%sunknown_%x", prefix, number);
}

static void put_attributes(struct tree *t, struct entry *e, uint32_t depth)
{
    struct ms_attribute a;
    for (Dwarf_Signed i = 0; i < e->n_attributes; i++) {
        if (!read_attribute(t, e, i, &a))
            return;
        indent(&t->text, 14 + 2 * depth);
        put_number_name(&t->text, ms_name_of_attribute(a.number), "DW_AT_", (unsigned)a.number);
        ms_text_puts(&t->text, "\t(");
        ms_value_text(&t->values, &a, 17 + 2 * depth, &t->text);
        ms_text_puts(&t->text, ")\n");
    }
}

static void json_attributes(struct tree *t, struct entry *e)
{
    struct ms_attribute a;
    char room[32];
    ms_json_key(&t->json, "attributes");
    ms_json_array(&t->json);
    for (Dwarf_Signed i = 0; i < e->n_attributes; i++) {
        if (!read_attribute(t, e, i, &a))
            break;
        const char *name = ms_name_of_attribute(a.number);
        const char *string = ms_unit_string(&t->values.unit, &a.value);
        snprintf(room, sizeof room, "DW_AT_unknown_%x", (unsigned)a.number);
        ms_text_clear(&t->single);
        if (!string)
            ms_value_text(&t->values, &a, 0, &t->single);
        ms_json_object(&t->json);
        ms_json_field(&t->json, "name", name ? name : room);
        ms_json_field(&t->json, "value", string ? string : t->single.at ? t->single.at : "");
        ms_json_object_end(&t->json);
    }
    ms_json_array_end(&t->json);
}

static void json_entry(struct tree *t, struct entry *e, uint32_t depth)
{
    const char *name = ms_name_of_tag(e->tag);
    char room[32];
    snprintf(room, sizeof room, "DW_TAG_unknown_%x", e->tag);
    ms_json_init(&t->json, t->sink, 0);
    ms_json_object(&t->json);
    ms_json_field_address(&t->json, "offset", e->off);
    ms_json_field_uint(&t->json, "depth", depth);
    ms_json_field(&t->json, "tag", name ? name : room);
    json_attributes(t, e);
    ms_json_object_end(&t->json);
    ms_sink_puts(t->sink, "\n");
}

static void text_entry(struct tree *t, struct entry *e, uint32_t depth)
{
    ms_text_clear(&t->text);
    put_off(&t->text, e->off);
    indent(&t->text, 2 * depth);
    put_number_name(&t->text, ms_name_of_tag(e->tag), "DW_TAG_", e->tag);
    ms_text_putc(&t->text, '\n');
    put_attributes(t, e, depth);
    ms_sink_write(t->sink, t->text.at, t->text.n);
    if (t->text.failed) {
        struct ms_error fault;
        (void)ms_unit_fail(&t->values.unit, &fault, MS_E_LIMIT, e->off - t->values.unit.header.off,
                           "the DIE has more text than can be shown");
        report(t, &fault);
        ms_text_fini(&t->text);
        ms_text_init(&t->text, MAX_DIE_TEXT);
    }
}

static void free_entry(struct tree *t, struct entry *e)
{
    for (Dwarf_Signed i = 0; i < e->n_attributes; i++)
        dwarf_dealloc(t->object.debug, e->attributes[i], DW_DLA_ATTR);
    if (e->attributes)
        dwarf_dealloc(t->object.debug, e->attributes, DW_DLA_LIST);
    dwarf_dealloc(t->object.debug, e->die, DW_DLA_DIE);
}

/* Bytes of the code that the DIE begins with. */
static uint64_t code_bytes(const struct tree *t, uint64_t off, uint64_t *code)
{
    const struct ms_unit *unit = &t->values.unit;
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, off - unit->header.off);
    *code = ms_cursor_uleb(&c);
    return c.bad ? 0 : ms_cursor_offset(&c) - (off - unit->header.off);
}

/*
 * Prints the DIE at `off`.
 * Returns where the next one starts; 0 when it can't be read, which was reported.
 */
static uint64_t write_entry(struct tree *t, uint64_t off, uint32_t depth, bool *children)
{
    struct entry e = {.off = off};
    Dwarf_Error error = NULL;
    uint64_t code, n = code_bytes(t, off, &code);
    e.end = off + n;
    int result = dwarf_offdie_b(t->object.debug, off, !t->in_types, &e.die, &error);
    if (result != DW_DLV_OK) {
        report_libdwarf(t, error, off, "no DIE can be read");
        return 0;
    }
    if (dwarf_tag(e.die, &e.tag, &error) != DW_DLV_OK)
        e.tag = 0;
    *children = dwarf_die_abbrev_children_flag(e.die, &e.children) == DW_DLV_OK && e.children;
    result = dwarf_attrlist(e.die, &e.attributes, &e.n_attributes, &error);
    if (result == DW_DLV_ERROR) {
        report_libdwarf(t, error, off, "the attributes can't be read");
        e.n_attributes = 0;
        e.attributes = NULL;
        e.end = 0;
    } else if (result == DW_DLV_NO_ENTRY) {
        e.n_attributes = 0;
        e.attributes = NULL;
    }
    if (t->request->json)
        json_entry(t, &e, depth);
    else
        text_entry(t, &e, depth);
    free_entry(t, &e);
    return e.end;
}

static void write_null(struct tree *t, uint64_t off, uint32_t depth)
{
    if (t->request->json)
        return;
    ms_text_clear(&t->text);
    put_off(&t->text, off);
    indent(&t->text, 2 * depth);
    ms_text_puts(&t->text, "NULL\n");
    ms_sink_write(t->sink, t->text.at, t->text.n);
}

/* Prints the DIE at `off` and all that is in it. */
static void write_subtree(struct tree *t, uint64_t off, uint32_t depth)
{
    uint32_t level = 0;
    uint64_t end = t->values.unit.header.end;
    while (off && !t->sink->failed) {
        uint64_t code, n = off < end ? code_bytes(t, off, &code) : 0;
        bool children = false;
        if (!n) {
            struct ms_error fault;
            if (level) {
                (void)ms_unit_fail(&t->values.unit, &fault, MS_E_FORMAT,
                                   off - t->values.unit.header.off,
                                   "the list of children has no end");
                report(t, &fault);
            }
            return;
        }
        if (!code) {
            if (!level)
                return;
            write_null(t, off, depth + level);
            off += n;
            level--;
        } else {
            off = write_entry(t, off, depth + level, &children);
            level += children;
        }
        if (!level)
            return;
        if (level > MS_MAX_DIE_DEPTH) {
            struct ms_error fault;
            (void)ms_unit_fail(&t->values.unit, &fault, MS_E_LIMIT, off - t->values.unit.header.off,
                               "DIEs nest deeper than %d", MS_MAX_DIE_DEPTH);
            report(t, &fault);
            return;
        }
    }
}

/* ---- units ------------------------------------------------------------------------------- */

/* Which type a type unit is there for. */
static void write_type(struct tree *t, const struct ms_unit_header *h)
{
    struct ms_type_die die;
    uint64_t off = ms_types_base(&t->values.types, &t->values.unit) + h->type_off;
    bool named = ms_type_die_read(&t->values.types, off, &die) && die.name;
    ms_sink_puts(t->sink, ", name = '");
    if (named)
        ms_sink_plain(t->sink, die.name);
    ms_sink_printf(t->sink, "', type_signature = 0x%016" PRIx64 ", type_offset = 0x%04" PRIx64,
                   h->signature, h->type_off);
}

static void write_unit_header(struct tree *t)
{
    const struct ms_unit_header *h = &t->values.unit.header;
    int width = 2 * h->encoding.offset_size;
    uint64_t length = h->end - h->off - (h->encoding.offset_size == 8 ? 12 : 4);
    const char *type = ms_name_of_unit_type(h->type);
    if (t->request->json)
        return;
    bool is_type = h->type == DW_UT_type || h->type == DW_UT_split_type;
    ms_sink_printf(t->sink,
                   "0x%08" PRIx64 ": %s Unit: length = 0x%0*" PRIx64
                   ", format = DWARF%s, version = 0x%04x",
                   h->off, is_type ? "Type" : "Compile", width, length,
                   h->encoding.offset_size == 8 ? "64" : "32", h->encoding.version);
    if (h->encoding.version >= 5)
        ms_sink_printf(t->sink, ", unit_type = %s", type ? type : "DW_UT_unknown");
    ms_sink_printf(t->sink, ", abbr_offset = 0x%04" PRIx64 ", addr_size = 0x%02x", h->abbrevs_off,
                   h->encoding.address_size);
    if (is_type)
        write_type(t, h);
    ms_sink_printf(t->sink, " (next unit at 0x%08" PRIx64 ")\n", h->end);
}

/* All units, in the order of the section: as libdwarf finds them. */
static void write_units(struct tree *t)
{
    Dwarf_Unsigned length, type_off, next = 0, start = 0;
    Dwarf_Half version, address_size, offset_size, extension, type;
    Dwarf_Off abbrevs;
    Dwarf_Sig8 signature;
    Dwarf_Error error = NULL;
    int result;
    while (!t->sink->failed && (result = dwarf_next_cu_header_d(
                                    t->object.debug, !t->in_types, &length, &version, &abbrevs,
                                    &address_size, &offset_size, &extension, &signature, &type_off,
                                    &next, &type, &error)) == DW_DLV_OK) {
        struct ms_error fault;
        if (ms_values_open(&t->values, t->in_types, start, &fault) == MS_OK) {
            write_unit_header(t);
            if (t->values.unit.tag)
                write_subtree(t, start + t->values.unit.header.root, 0);
            else if (!t->request->json) /* dsymutil leaves such units where all was dropped */
                ms_sink_puts(t->sink, "<compile unit can't be parsed!>\n\n");
        } else {
            report(t, &fault);
        }
        if (next <= start)
            return;
        start = next;
    }
    if (!t->sink->failed && result == DW_DLV_ERROR)
        report_libdwarf(t, error, start, "no unit can be read");
}

/* ---- by name ----------------------------------------------------------------------------- */

/* How struct ms_types counts the offsets of the section at hand. */
static uint64_t base_of(const struct tree *t)
{
    return t->in_types ? t->values.types.dwarf->s.info.n : 0;
}

/* The DIEs that the one at `off` stands in, from the unit's first down. Returns its depth. */
static uint32_t write_parents(struct tree *t, uint64_t off)
{
    uint64_t chain[MS_MAX_DIE_DEPTH + 1];
    uint32_t n = 0;
    bool children;
    off += base_of(t);
    while (n <= MS_MAX_DIE_DEPTH && ms_types_parent(&t->values.types, off, &off))
        chain[n++] = off;
    for (uint32_t i = 0; i < n; i++)
        (void)write_entry(t, chain[n - 1 - i] - base_of(t), i, &children);
    return n;
}

static bool write_match(void *owner, uint64_t unit_off, uint64_t off)
{
    struct tree *t = owner;
    struct ms_error fault;
    if (!t->has_match || t->unit_off != unit_off) {
        t->in_types = unit_off >= t->values.types.dwarf->s.info.n;
        t->has_match = false;
        if (ms_values_open(&t->values, t->in_types, unit_off - base_of(t), &fault) != MS_OK) {
            report(t, &fault);
            return true;
        }
        t->has_match = true;
        t->unit_off = unit_off;
    }
    off -= base_of(t);
    uint32_t depth = write_parents(t, off);
    write_subtree(t, off, depth);
    return !t->sink->failed;
}

static bool take_unit_fault(void *owner, const struct ms_error *fault)
{
    report(owner, fault);
    return true;
}

/* DWARF 4 has type units in a section of their own. */
static void write_sections(struct tree *t, const struct ms_dwarf *dwarf)
{
    write_units(t);
    if (!dwarf->s.types.n || t->sink->failed)
        return;
    t->in_types = true;
    if (!t->request->json)
        ms_sink_puts(t->sink, "\n.debug_types contents:\n");
    write_units(t);
}

/* ---- the whole --------------------------------------------------------------------------- */

enum ms_status ms_tree_write(struct ms_image *image, const struct ms_tree_request *request,
                             struct ms_sink *sink, ms_tree_fault *take, void *owner,
                             struct ms_error *err)
{
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    if (!dwarf && image->dwarf_ready == MS_FAILED && err)
        *err = image->dwarf_error;
    if (!dwarf)
        return image->dwarf_ready == MS_FAILED ? image->dwarf_error.status : MS_ABSENT;
    struct tree *t = calloc(1, sizeof *t);
    if (!t)
        return ms_fail_memory(err);
    t->request = request;
    t->sink = sink;
    t->take = take;
    t->owner = owner;
    ms_text_init(&t->text, MAX_DIE_TEXT);
    ms_text_init(&t->single, MAX_DIE_TEXT);
    enum ms_status status =
        ms_values_init(&t->values, dwarf, ms_image_dwarf_part(image)->macho.cputype, err);
    if (status == MS_OK)
        status = ms_debug_object_open(&t->object, &dwarf->s, err);
    if (status == MS_OK && request->n_names)
        status = ms_match_names(dwarf, request->names, request->n_names, write_match,
                                take_unit_fault, t, err);
    else if (status == MS_OK)
        write_sections(t, dwarf);
    if (status == MS_OK && t->values.types.no_memory)
        status = ms_fail_memory(err);
    ms_debug_object_close(&t->object);
    ms_values_fini(&t->values);
    ms_text_fini(&t->text);
    ms_text_fini(&t->single);
    free(t);
    return status;
}
