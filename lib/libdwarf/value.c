#include "libdwarf/value.h"

#include "base/limits.h"
#include "dwarf/expression.h"
#include "dwarf/loclists.h"
#include "dwarf/ranges.h"
#include "dwarf/reader.h"
#include "libdwarf/names.h"

#include <inttypes.h>
#include <libdwarf/dwarf.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_NAMES = 1 << 15 };
#define MAX_NAMES ((size_t)1 << 26)

enum ms_status ms_values_init(struct ms_values *v, struct ms_dwarf *dwarf, uint32_t cputype,
                              struct ms_error *err)
{
    memset(v, 0, sizeof *v);
    v->cputype = cputype;
    /* Each DIE may name a type; real names cost some five DIEs, and passing a class by. */
    ms_types_init(&v->types, dwarf, ((uint64_t)1 << 22) + 64 * (uint64_t)dwarf->s.info.n);
    v->ranges_budget = 16 * ms_ranges_budget(dwarf);
    ms_arena_init(&v->names_arena, MAX_NAMES);
    v->names = calloc(N_NAMES, sizeof *v->names);
    return v->names ? MS_OK : ms_fail_memory(err);
}

void ms_values_fini(struct ms_values *v)
{
    ms_line_files_fini(&v->files);
    ms_types_fini(&v->types);
    ms_arena_fini(&v->names_arena);
    free(v->names);
}

static void take_loclists_base(struct ms_values *v)
{
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    v->loclists_base = v->unit.encoding.offset_size == 8 ? 20 : 12;
    if (ms_die_open(&v->unit, v->unit.header.root, &die))
        while (ms_die_next(&die, &attribute, &value))
            if (attribute == DW_AT_loclists_base)
                v->loclists_base = value.u;
}

enum ms_status ms_values_open(struct ms_values *v, bool in_types, uint64_t off,
                              struct ms_error *err)
{
    struct ms_unit_header header;
    struct ms_dwarf *dwarf = v->types.dwarf;
    v->has_files = false;
    enum ms_status status = ms_unit_header_read(dwarf, in_types, off, &header, err);
    if (status == MS_OK)
        status = ms_unit_open(dwarf, &header, &v->unit, err);
    if (status != MS_OK)
        return status;
    take_loclists_base(v);
    /* Without the table files are numbers. */
    v->has_files = ms_line_header_read(&v->unit, &v->line_header, NULL) == MS_OK;
    if (v->has_files && ms_line_files_read(&v->line_header, &v->files, NULL) == MS_E_NOMEM)
        return ms_fail_memory(err);
    return MS_OK;
}

/* ---- quick writing: values come by the million ----------------------------------------------- */

static void put_hex(struct ms_text *text, uint64_t value, unsigned width)
{
    char digits[18] = "0x";
    unsigned n = width;
    while (n < 16 && value >> (4 * n))
        n++;
    for (unsigned i = 0; i < n; i++)
        digits[2 + i] = "0123456789abcdef"[value >> (4 * (n - 1 - i)) & 0xf];
    ms_text_add(text, digits, n + 2);
}

static void put_decimal(struct ms_text *text, uint64_t value)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    ms_text_add(text, digits + at, sizeof digits - at);
}

static void put_indent(struct ms_text *text, unsigned n)
{
    static const char blanks[] = "                                                                ";
    for (; n > sizeof blanks - 1; n -= (unsigned)sizeof blanks - 1)
        ms_text_add(text, blanks, sizeof blanks - 1);
    ms_text_add(text, blanks, n);
}

/* Quoted, with C's escapes for quotes, backslashes, tabs, line ends; the rest that isn't
 * printable ASCII in octal. */
static void put_string(struct ms_text *text, const char *string)
{
    ms_text_putc(text, '"');
    size_t total = strlen(string);
    const char *end = string + (total < MS_MAX_SHOWN_NAME ? total : MS_MAX_SHOWN_NAME);
    while (string < end) {
        const char *run = string;
        while (run < end && *run >= ' ' && *run != '"' && *run != '\\' && *run != 0x7f)
            run++;
        ms_text_add(text, string, (size_t)(run - string));
        if (run == end)
            break;
        unsigned char c = (unsigned char)*run;
        if (c == '"' || c == '\\' || c == '\t' || c == '\n') {
            ms_text_putc(text, '\\');
            ms_text_putc(text, c == '\t' ? 't' : c == '\n' ? 'n' : (char)c);
        } else {
            ms_text_printf(text, "\\%03o", c);
        }
        string = run + 1;
    }
    ms_text_putc(text, '"');
}

static void put_address(const struct ms_values *v, uint64_t address, struct ms_text *text)
{
    put_hex(text, address, 2u * v->unit.encoding.address_size);
}

static void put_range(const struct ms_values *v, uint64_t low, uint64_t high, struct ms_text *text)
{
    ms_text_putc(text, '[');
    put_address(v, low, text);
    ms_text_puts(text, ", ");
    put_address(v, high, text);
    ms_text_putc(text, ')');
}

/* ---- by form ----------------------------------------------------------------------------- */

static void put_block(const struct ms_attribute *a, struct ms_text *text)
{
    if (!a->block.n) {
        ms_text_puts(text, "NULL");
        return;
    }
    unsigned width = a->value.form == DW_FORM_block1   ? 2
                     : a->value.form == DW_FORM_block2 ? 4
                     : a->value.form == DW_FORM_block4 ? 8
                                                       : 1;
    ms_text_putc(text, '<');
    put_hex(text, a->block.n, width);
    ms_text_puts(text, "> ");
    for (struct ms_cursor c = ms_cursor_over(a->block, false); ms_cursor_left(&c) && !text->failed;)
        ms_text_printf(text, "%02x ", ms_cursor_u8(&c));
}

static void put_data16(const struct ms_attribute *a, struct ms_text *text)
{
    for (struct ms_cursor c = ms_cursor_over(a->block, false); ms_cursor_left(&c);)
        ms_text_printf(text, "%02x%s", ms_cursor_u8(&c), ms_cursor_left(&c) ? " " : "");
}

static bool put_text_form(const struct ms_values *v, const struct ms_attribute *a,
                          struct ms_text *text)
{
    const char *string = ms_unit_string(&v->unit, &a->value);
    if (!string)
        return false;
    put_string(text, string);
    return true;
}

/* What a form shows of itself. */
static void put_form(struct ms_values *v, const struct ms_attribute *a, struct ms_text *text)
{
    const struct ms_value *value = &a->value;
    uint64_t address;
    unsigned offset_width = 2u * v->unit.encoding.offset_size;
    if (ms_unit_address(&v->unit, value, &address)) {
        put_address(v, address, text);
        return;
    }
    switch (value->form) {
    case DW_FORM_flag_present:
        ms_text_puts(text, "true");
        return;
    case DW_FORM_flag:
    case DW_FORM_data1:
        put_hex(text, value->u, 2);
        return;
    case DW_FORM_data2:
        put_hex(text, value->u, 4);
        return;
    case DW_FORM_data4:
        put_hex(text, value->u, 8);
        return;
    case DW_FORM_data8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_addr:
        put_hex(text, value->u, 16);
        return;
    case DW_FORM_data16:
        put_data16(a, text);
        return;
    case DW_FORM_sdata:
    case DW_FORM_implicit_const:
        if ((int64_t)value->u < 0)
            ms_text_putc(text, '-');
        put_decimal(text, (int64_t)value->u < 0 ? 0 - value->u : value->u);
        return;
    case DW_FORM_udata:
        put_decimal(text, value->u);
        return;
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        put_hex(text, value->u + v->unit.header.off, 8);
        return;
    case DW_FORM_sec_offset:
        put_hex(text, value->u, offset_width);
        return;
    case DW_FORM_rnglistx:
    case DW_FORM_loclistx:
        ms_text_puts(text, "indexed (");
        put_hex(text, value->u, 1);
        ms_text_puts(text, value->form == DW_FORM_rnglistx ? ") rangelist = " : ") loclist = ");
        return;
    case DW_FORM_exprloc:
    case DW_FORM_block:
    case DW_FORM_block1:
    case DW_FORM_block2:
    case DW_FORM_block4:
        put_block(a, text);
        return;
    }
    if (!put_text_form(v, a, text))
        put_hex(text, value->u, 1);
}

/* ---- by attribute ------------------------------------------------------------------------ */

static bool put_file(const struct ms_values *v, uint64_t index, struct ms_text *text)
{
    struct ms_frame frame;
    char path[MS_MAX_PATH];
    memset(&frame, 0, sizeof frame);
    if (!v->has_files || !ms_line_file_put(&v->line_header, &v->files, index, &frame) ||
        !ms_frame_path(&frame, path, sizeof path))
        return false;
    ms_text_putc(text, '"');
    size_t from = text->n;
    ms_text_puts(text, path);
    ms_text_plain_from(text, from, false);
    ms_text_putc(text, '"');
    return true;
}

static bool may_have_list(uint64_t attribute)
{
    switch (attribute) {
    case DW_AT_location:
    case DW_AT_string_length:
    case DW_AT_return_addr:
    case DW_AT_data_member_location:
    case DW_AT_frame_base:
    case DW_AT_static_link:
    case DW_AT_segment:
    case DW_AT_use_location:
    case DW_AT_vtable_elem_location:
        return true;
    }
    return false;
}

static bool may_have_location(uint64_t attribute)
{
    switch (attribute) {
    case DW_AT_call_value:
    case DW_AT_call_origin:
    case DW_AT_call_target:
    case DW_AT_call_target_clobbered:
    case DW_AT_call_data_location:
    case DW_AT_call_data_value:
    case DW_AT_data_location:
    case DW_AT_upper_bound:
    case DW_AT_lower_bound:
    case DW_AT_count:
    case DW_AT_byte_stride:
    case DW_AT_bit_stride:
    case DW_AT_byte_size:
    case DW_AT_bit_size:
    case DW_AT_allocated:
    case DW_AT_associated:
        return true;
    }
    return may_have_list(attribute);
}

static bool is_list_form(const struct ms_values *v, const struct ms_value *value)
{
    if (value->form == DW_FORM_sec_offset || value->form == DW_FORM_loclistx)
        return true;
    return v->unit.encoding.version < 4 &&
           (value->form == DW_FORM_data4 || value->form == DW_FORM_data8);
}

static bool is_block_form(uint8_t form)
{
    return form == DW_FORM_block || form == DW_FORM_block1 || form == DW_FORM_block2 ||
           form == DW_FORM_block4;
}

static void put_locations(struct ms_values *v, const struct ms_attribute *a, unsigned indent,
                          struct ms_text *text)
{
    const struct ms_dwarf_sections *s = &v->types.dwarf->s;
    struct ms_loclist list;
    struct ms_loclist_entry entry;
    if (a->value.form == DW_FORM_loclistx)
        put_form(v, a, text);
    if (!ms_loclist_start(&list, &v->unit, v->unit.encoding.version >= 5 ? s->loclists : s->loc,
                          v->loclists_base, &a->value)) {
        if (a->value.form != DW_FORM_loclistx) {
            put_hex(text, a->value.u, 8);
            ms_text_puts(text, ": <outside the section>");
        }
        return;
    }
    put_hex(text, list.off, 8);
    ms_text_puts(text, ": ");
    while (!text->failed && v->ranges_budget && ms_loclist_next(&list, &entry)) {
        v->ranges_budget--;
        ms_text_putc(text, '\n');
        put_indent(text, indent);
        if (entry.is_default)
            ms_text_puts(text, "<default>");
        else
            put_range(v, entry.low, entry.high, text);
        ms_text_puts(text, ": ");
        ms_expression_text(entry.expression, &v->unit, v->cputype, text);
    }
    if (list.fault)
        ms_text_printf(text, " <the list %s>", list.fault);
}

static void put_ranges(struct ms_values *v, const struct ms_attribute *a, unsigned indent,
                       struct ms_text *text)
{
    struct ms_value pcs[MS_N_PCS];
    struct ms_ranges ranges;
    uint64_t low, high;
    memset(pcs, 0, sizeof pcs);
    pcs[MS_RANGES] = a->value;
    ms_ranges_start(&ranges, &v->unit, pcs, &v->ranges_budget);
    if (a->value.form == DW_FORM_rnglistx)
        put_hex(text, ranges.off, 2u * v->unit.encoding.offset_size);
    while (!text->failed && ms_ranges_next(&ranges, &low, &high)) {
        ms_text_putc(text, '\n');
        put_indent(text, indent);
        put_range(v, low, high, text);
    }
    if (ranges.status != MS_OK)
        ms_text_printf(text, " <the list %s>", ranges.what);
}

/* The name of the function, or what else, at `off`. */
static void name_referred(struct ms_values *v, uint64_t off, struct ms_text *text)
{
    const char *linkage = NULL, *name = NULL;
    for (int i = 0; i < MS_MAX_ORIGIN_CHAIN && !linkage; i++) {
        struct ms_type_die die;
        if (!ms_type_die_read(&v->types, off, &die))
            break;
        linkage = die.linkage;
        if (!name)
            name = die.name;
        if (!die.has_origin)
            break;
        off = die.origin;
    }
    if (linkage || name)
        ms_text_puts(text, linkage ? linkage : name);
}

/* Remembers what was appended from `from` on as the name under `key`. */
static void keep_name(struct ms_values *v, struct ms_value_name *place, uint64_t key,
                      const struct ms_text *text, size_t from)
{
    size_t n = text->n - from;
    char *copy = text->failed || n > 4096 ? NULL
                 : n                      ? ms_arena_copy(&v->names_arena, text->at + from, n)
                                          : ms_arena_copy(&v->names_arena, "", 0);
    if (copy) {
        *place = (struct ms_value_name){key, copy, n};
    } else if (!text->failed && n <= 4096) { /* full: the oldest are as good as any */
        memset(v->names, 0, N_NAMES * sizeof *v->names);
        ms_arena_fini(&v->names_arena);
    }
}

/* Appends ` "NAME"` of the DIE that a reference leads to: of a type, or of a function. */
static void put_name(struct ms_values *v, const struct ms_value *value, bool type,
                     struct ms_text *text)
{
    uint64_t off;
    if (!ms_types_follow(&v->types, &v->unit, value, &off))
        return;
    uint64_t key = 2 * off + !type;
    struct ms_value_name *place = &v->names[(key ^ key >> 15) % N_NAMES];
    ms_text_puts(text, " \"");
    size_t from = text->n;
    if (place->key == key && key) {
        ms_text_add(text, place->text, place->n);
    } else {
        if (type)
            ms_type_name(&v->types, off, text);
        else
            name_referred(v, off, text);
        ms_text_plain_from(text, from, false);
        keep_name(v, place, key, text, from);
    }
    if (!type && text->n == from && !text->failed) { /* nothing has no quotes, either */
        text->n -= 2;
        text->at[text->n] = 0;
        return;
    }
    ms_text_putc(text, '"');
}

static void put_property_attributes(uint64_t bits, struct ms_text *text)
{
    static const char *const names[] = {
        "readonly",    "getter",          "assign", "readwrite", "retain", "copy",
        "nonatomic",   "setter",          "atomic", "weak",      "strong", "unsafe_unretained",
        "nullability", "null_resettable", "class",
    };
    const char *before = " (";
    for (unsigned i = 0; i < 64; i++) {
        if (!(bits >> i & 1))
            continue;
        ms_text_puts(text, before);
        if (i < sizeof names / sizeof *names)
            ms_text_printf(text, "DW_APPLE_PROPERTY_%s", names[i]);
        else
            ms_text_printf(text, "DW_APPLE_PROPERTY_0x%" PRIx64, (uint64_t)1 << i);
        before = ", ";
    }
    ms_text_puts(text, before[0] == ',' ? ")" : " ()");
}

/* The value itself. */
static void put_main(struct ms_values *v, const struct ms_attribute *a, unsigned indent,
                     struct ms_text *text)
{
    const struct ms_value *value = &a->value;
    bool constant = ms_value_is_constant(value);
    uint64_t address;
    const char *word = constant ? ms_name_of_value(a->number, value->u) : NULL;
    if (word) {
        ms_text_puts(text, word);
        return;
    }
    switch (a->number) {
    case DW_AT_decl_file:
    case DW_AT_call_file:
        if (constant && put_file(v, value->u, text))
            return;
        break;
    case DW_AT_decl_line:
    case DW_AT_decl_column:
    case DW_AT_call_line:
    case DW_AT_call_column:
        if (constant) {
            put_decimal(text, value->u);
            return;
        }
        break;
    case DW_AT_low_pc:
        if (ms_unit_address(&v->unit, value, &address) &&
            address == (v->unit.encoding.address_size == 4 ? UINT32_MAX : UINT64_MAX)) {
            ms_text_puts(text, "dead code");
            return;
        }
        break;
    case DW_AT_high_pc:
        if (constant && a->has_low) {
            put_address(v, a->low + value->u, text);
            return;
        }
        break;
    }
    if (may_have_list(a->number) && is_list_form(v, value))
        put_locations(v, a, indent, text);
    else if (value->form == DW_FORM_exprloc ||
             (may_have_location(a->number) && is_block_form(value->form)))
        ms_expression_text(a->block, &v->unit, v->cputype, text);
    else
        put_form(v, a, text);
}

void ms_value_text(struct ms_values *v, const struct ms_attribute *a, unsigned indent,
                   struct ms_text *text)
{
    put_main(v, a, indent, text);
    switch (a->number) {
    case DW_AT_specification:
    case DW_AT_abstract_origin:
    case DW_AT_call_origin:
        put_name(v, &a->value, false, text);
        break;
    case DW_AT_type:
    case DW_AT_containing_type:
        put_name(v, &a->value, true, text);
        break;
    case DW_AT_APPLE_property_attribute:
        put_property_attributes(a->value.u, text);
        break;
    case DW_AT_ranges:
        put_ranges(v, a, indent, text);
        break;
    }
}
