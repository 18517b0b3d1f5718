#include "dwarf/unit.h"

#include "base/bytes.h"
#include "dwarf/fault.h"
#include "dwarf/pass.h"
#include "dwarf/reader.h"

#include <stdio.h>

static const char *section_name(bool in_types)
{
    return in_types ? "__debug_types" : "__debug_info";
}

enum ms_status ms_unit_fail(const struct ms_unit *unit, struct ms_error *err, enum ms_status status,
                            uint64_t die_off, const char *format, ...)
{
    char text[sizeof err->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return ms_dwarf_fail(err, status, unit->dwarf->s.where, section_name(unit->header.in_types),
                         unit->header.off + die_off, "%s", text);
}

bool ms_unit_may_have_code(const struct ms_unit *unit)
{
    return unit->header.type != DW_UT_type && unit->header.type != DW_UT_split_type &&
           unit->tag != DW_TAG_type_unit;
}

/* ---- header ---------------------------------------------------------------------------- */

static enum ms_status bad_header(const struct ms_dwarf *dwarf, const struct ms_unit_header *h,
                                 struct ms_error *err, enum ms_status status, const char *what,
                                 uint64_t found)
{
    return ms_dwarf_fail(err, status, dwarf->s.where, section_name(h->in_types), h->off,
                         "unit header: %s %llu", what, (unsigned long long)found);
}

/* The initial length: 4 bytes, or 0xffffffff and 8. Leaves `c` over the unit alone. */
static enum ms_status read_length(const struct ms_dwarf *dwarf, struct ms_cursor *c,
                                  struct ms_unit_header *h, struct ms_error *err)
{
    uint64_t length = ms_cursor_u32(c);
    h->encoding.offset_size = 4;
    if (length == 0xffffffff) {
        h->encoding.offset_size = 8;
        length = ms_cursor_u64(c);
    } else if (length >= 0xfffffff0) {
        return bad_header(dwarf, h, err, MS_E_FORMAT, "reserved length", length);
    }
    if (c->bad)
        return bad_header(dwarf, h, err, MS_E_FORMAT, "cut short, bytes that remain:",
                          (h->in_types ? dwarf->s.types.n : dwarf->s.info.n) - h->off);
    uint64_t left = ms_cursor_left(c);
    if (length > left)
        return ms_dwarf_fail(err, MS_E_FORMAT, dwarf->s.where, section_name(h->in_types), h->off,
                             "unit header: the unit needs %llu bytes, %llu remain",
                             (unsigned long long)length, (unsigned long long)left);
    h->end = h->off + ms_cursor_offset(c) + length;
    return MS_OK;
}

static void read_version_5(struct ms_cursor *c, struct ms_unit_header *h)
{
    h->type = ms_cursor_u8(c);
    h->encoding.address_size = ms_cursor_u8(c);
    h->abbrevs_off = ms_cursor_uint(c, h->encoding.offset_size);
    if (h->type == DW_UT_skeleton || h->type == DW_UT_split_compile)
        ms_cursor_skip(c, 8); /* dwo_id */
    if (h->type == DW_UT_type || h->type == DW_UT_split_type) {
        h->signature = ms_cursor_u64(c);
        h->type_off = ms_cursor_uint(c, h->encoding.offset_size);
    }
}

static void read_older(struct ms_cursor *c, struct ms_unit_header *h)
{
    h->type = h->in_types ? DW_UT_type : DW_UT_compile;
    h->abbrevs_off = ms_cursor_uint(c, h->encoding.offset_size);
    h->encoding.address_size = ms_cursor_u8(c);
    if (h->in_types) {
        h->signature = ms_cursor_u64(c);
        h->type_off = ms_cursor_uint(c, h->encoding.offset_size);
    }
}

enum ms_status ms_unit_header_read(const struct ms_dwarf *dwarf, bool in_types, uint64_t off,
                                   struct ms_unit_header *out, struct ms_error *err)
{
    struct ms_bytes rest;
    memset(out, 0, sizeof *out);
    out->off = off;
    out->in_types = in_types;
    out->encoding.big = dwarf->s.big;
    if (!ms_bytes_from(in_types ? dwarf->s.types : dwarf->s.info, off, &rest) || !rest.n)
        return bad_header(dwarf, out, err, MS_E_FORMAT, "outside the section, at", off);
    struct ms_cursor c = ms_cursor_over(rest, dwarf->s.big);
    enum ms_status status = read_length(dwarf, &c, out, err);
    if (status != MS_OK)
        return status;
    if (!ms_bytes_part(rest, 0, out->end - off, &rest))
        return bad_header(dwarf, out, err, MS_E_FORMAT, "wrong length", out->end - off);
    uint64_t at = ms_cursor_offset(&c);
    c = ms_cursor_over(rest, dwarf->s.big);
    ms_cursor_seek(&c, at);
    out->encoding.version = ms_cursor_u16(&c);
    if (!c.bad && (out->encoding.version < 2 || out->encoding.version > 5))
        return bad_header(dwarf, out, err, MS_E_UNSUPPORTED, "2 to 5 are known, not DWARF version",
                          out->encoding.version);
    if (out->encoding.version >= 5)
        read_version_5(&c, out);
    else
        read_older(&c, out);
    if (c.bad)
        return bad_header(dwarf, out, err, MS_E_FORMAT, "longer than its unit of bytes:", rest.n);
    if (out->encoding.address_size != 4 && out->encoding.address_size != 8)
        return bad_header(dwarf, out, err, MS_E_UNSUPPORTED, "4 or 8 expected, not address size",
                          out->encoding.address_size);
    out->encoding.ref_addr_size =
        out->encoding.version == 2 ? out->encoding.address_size : out->encoding.offset_size;
    out->root = (uint32_t)ms_cursor_offset(&c);
    return MS_OK;
}

/* ---- first DIE ------------------------------------------------------------------------- */

/* The values that can only be looked up once all bases are known. */
struct late {
    struct ms_value comp_dir, entry;
};

static void take_root(struct ms_unit *unit, struct late *late, uint64_t attribute,
                      const struct ms_value *value)
{
    switch (attribute) {
    case DW_AT_stmt_list:
        unit->has_lines = true;
        unit->lines_off = value->u;
        break;
    case DW_AT_low_pc:
        unit->pcs[MS_LOW] = *value;
        break;
    case DW_AT_high_pc:
        unit->pcs[MS_HIGH] = *value;
        break;
    case DW_AT_ranges:
        unit->pcs[MS_RANGES] = *value;
        break;
    case DW_AT_comp_dir:
        late->comp_dir = *value;
        break;
    case DW_AT_entry_pc:
        late->entry = *value;
        break;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        unit->addr_base = value->u;
        break;
    case DW_AT_str_offsets_base:
        unit->str_offsets_base = value->u;
        break;
    case DW_AT_rnglists_base:
        unit->rnglists_base = value->u;
        break;
    }
}

/* Where the first contribution of a section starts, for units that forget to say. */
static void set_default_bases(struct ms_unit *unit)
{
    if (unit->encoding.version < 5)
        return;
    uint64_t length = unit->encoding.offset_size == 8 ? 12 : 4;
    unit->addr_base = unit->str_offsets_base = length + 4;
    unit->rnglists_base = length + 8;
}

/* No DIE at all, or a closing one alone: dsymutil leaves such units where all was dropped. */
static bool is_empty(const struct ms_unit *unit)
{
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&c, unit->header.root);
    return ms_cursor_u8(&c) == 0;
}

enum ms_status ms_unit_open(struct ms_dwarf *dwarf, const struct ms_unit_header *header,
                            struct ms_unit *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    out->dwarf = dwarf;
    out->header = *header;
    out->encoding = header->encoding;
    if (!ms_bytes_part(header->in_types ? dwarf->s.types : dwarf->s.info, header->off,
                       header->end - header->off, &out->bytes))
        return ms_unit_fail(out, err, MS_E_FORMAT, 0, "unit lies outside the section");
    enum ms_status status = ms_abbrev_cache_find(&dwarf->abbrevs, header->abbrevs_off,
                                                 &out->encoding, &out->abbrevs, err);
    if (status != MS_OK)
        return status;
    set_default_bases(out);
    if (is_empty(out))
        return MS_OK;
    struct ms_die die;
    if (!ms_die_open(out, header->root, &die))
        return ms_unit_fail(out, err, MS_E_FORMAT, header->root,
                            "the unit has no first DIE of a known abbreviation");
    struct late late = {{0}, {0}};
    uint64_t attribute;
    struct ms_value value;
    while (ms_die_next(&die, &attribute, &value))
        take_root(out, &late, attribute, &value);
    if (die.values.bad)
        return ms_unit_fail(out, err, MS_E_FORMAT, header->root,
                            "the first DIE is longer than its unit");
    out->tag = die.abbrev->tag;
    out->has_children = die.abbrev->children;
    out->comp_dir = ms_unit_string(out, &late.comp_dir);
    /* Apple's clang before 2013 gives units entry_pc for low_pc. */
    if (!ms_unit_address(out, &out->pcs[MS_LOW], &out->low) &&
        !ms_unit_address(out, &late.entry, &out->low))
        out->low = 0;
    return MS_OK;
}

/* ---- DIEs ------------------------------------------------------------------------------ */

bool ms_die_open(const struct ms_unit *unit, uint64_t off, struct ms_die *out)
{
    out->unit = unit;
    out->values = ms_cursor_over(unit->bytes, unit->encoding.big);
    ms_cursor_seek(&out->values, off);
    uint64_t code = ms_cursor_uleb(&out->values);
    if (out->values.bad || code == 0)
        return false;
    out->abbrev = ms_abbrev_find(unit->abbrevs, code);
    if (!out->abbrev)
        return false;
    out->specs = ms_abbrev_specs(unit->abbrevs, out->abbrev);
    return true;
}

bool ms_die_next(struct ms_die *die, uint64_t *attribute, struct ms_value *out)
{
    struct ms_spec spec;
    if (!ms_spec_next(&die->specs, &spec))
        return false;
    *out = ms_value_read(&die->values, &die->unit->encoding, spec.form, spec.implicit);
    *attribute = spec.attribute;
    return !die->values.bad;
}

/* ---- values ---------------------------------------------------------------------------- */

/* Entry `index`, of `size` bytes (4 or 8), of the part of a section that starts at `base`. */
static bool read_entry(const struct ms_unit *unit, struct ms_bytes section, uint64_t base,
                       uint64_t index, unsigned size, uint64_t *out)
{
    uint64_t off;
    struct ms_bytes entry;
    if (ms_mul_overflows(index, size, &off) || ms_add_overflows(off, base, &off) ||
        !ms_bytes_part(section, off, size, &entry))
        return false;
    *out = size == 4 ? ms_load_u32(entry.at, unit->encoding.big)
                     : ms_load_u64(entry.at, unit->encoding.big);
    return true;
}

/* The sections of strings end in a NUL (see ms_dwarf_open), so every offset into one has an
 * end. */
static const char *string_at(struct ms_bytes section, uint64_t off)
{
    struct ms_bytes rest;
    if (!ms_bytes_from(section, off, &rest) || !rest.n)
        return NULL;
    return (const char *)rest.at;
}

const char *ms_unit_string(const struct ms_unit *unit, const struct ms_value *value)
{
    const struct ms_dwarf_sections *s = &unit->dwarf->s;
    uint64_t off;
    switch (value->form) {
    case DW_FORM_string:
        return value->string;
    case DW_FORM_strp:
        return string_at(s->str, value->u);
    case DW_FORM_line_strp:
        return string_at(s->line_str, value->u);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        return read_entry(unit, s->str_offsets, unit->str_offsets_base, value->u,
                          unit->encoding.offset_size, &off)
                   ? string_at(s->str, off)
                   : NULL;
    }
    return NULL;
}

bool ms_unit_address_at(const struct ms_unit *unit, uint64_t index, uint64_t *out)
{
    return read_entry(unit, unit->dwarf->s.addr, unit->addr_base, index,
                      unit->encoding.address_size, out);
}

bool ms_unit_address(const struct ms_unit *unit, const struct ms_value *value, uint64_t *out)
{
    switch (value->form) {
    case DW_FORM_addr:
        *out = value->u;
        return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
        return ms_unit_address_at(unit, value->u, out);
    case MS_FORM_addrx_offset:
        if (!ms_unit_address_at(unit, value->u, out))
            return false;
        *out += value->extra;
        return true;
    }
    return false;
}

bool ms_unit_low_high(const struct ms_unit *unit, const struct ms_value pcs[MS_N_PCS],
                      uint64_t *low, uint64_t *high)
{
    const struct ms_value *to = &pcs[MS_HIGH];
    if (!pcs[MS_LOW].form || !to->form || !ms_unit_address(unit, &pcs[MS_LOW], low))
        return false;
    if (ms_value_is_constant(to)) { /* since DWARF 4: a length */
        if (ms_add_overflows(*low, to->u, high))
            return false;
    } else if (!ms_unit_address(unit, to, high)) {
        return false;
    }
    return *low < *high;
}

/* ---- programs -------------------------------------------------------------------------- */

/* A LEB128 of up to four bytes; the first is mostly the last. */
static inline bool take_short_leb(const uint8_t *bytes, size_t n, size_t *at, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = *at;
    for (unsigned shift = 0; shift < 28 && i < n; shift += 7, i++) {
        value |= (uint64_t)(bytes[i] & 0x7f) << shift;
        if (bytes[i] < 0x80) {
            *out = value;
            *at = i + 1;
            return true;
        }
    }
    return false;
}

/* Most values are of a fixed size, or short LEB128s without a sign. Eight bytes are read for
 * any fixed size and cut down to it: sizes change from step to step, and guesses at them are
 * wrong. */
static inline bool take_quickly(const struct ms_unit *unit, const struct ms_step *step, size_t *at,
                                struct ms_value *out)
{
    const uint8_t *bytes = unit->bytes.at;
    const size_t n = unit->bytes.n;
    const unsigned size = ms_form_quick_size(step->form, &unit->encoding);
    out->form = step->form;
    if (size == MS_QUICK_ULEB)
        return take_short_leb(bytes, n, at, &out->u);
    if (size == 0 || *at > n || n - *at < 8 || unit->encoding.big)
        return false;
    out->u = ms_load_u64(bytes + *at, false) << (64 - 8 * size) >> (64 - 8 * size);
    *at += size;
    return true;
}

/* One step that isn't the end. */
static const struct ms_step *run_step(const struct ms_unit *unit, const struct ms_step *step,
                                      size_t *at, struct ms_value *parts)
{
    struct ms_cursor c = ms_cursor_over(unit->bytes, unit->encoding.big);
    int64_t implicit = 0;
    ms_cursor_seek(&c, *at);
    if (step->action >= MS_ACT_TAKE) {
        const struct ms_step *taken = step;
        if (step->form == DW_FORM_implicit_const) {
            memcpy(&implicit, step + 1, sizeof implicit);
            step += 2;
        }
        parts[taken->action - MS_ACT_TAKE] =
            ms_value_read(&c, &unit->encoding, taken->form, implicit);
    } else if (step->action != MS_ACT_NONE) {
        ms_value_skip(&c, &unit->encoding, step->form);
    }
    *at = c.bad ? unit->bytes.n + 1 : (size_t)ms_cursor_offset(&c);
    return step;
}

size_t ms_unit_take(const struct ms_unit *unit, const struct ms_step *program, size_t at,
                    struct ms_value *parts, size_t n_parts)
{
    const uint8_t *bytes = unit->bytes.at;
    const size_t n = unit->bytes.n;
    for (size_t i = 0; i < n_parts; i++)
        parts[i].form = 0;
    for (const struct ms_step *step = program;; step++) {
        at += step->skip;
        if (step->action == MS_ACT_END || at > n)
            return at;
        if (step->action >= MS_ACT_TAKE) {
            if (take_quickly(unit, step, &at, &parts[step->action - MS_ACT_TAKE]))
                continue;
        } else if (step->action == MS_ACT_LEB) {
            at = ms_pass_leb(bytes, n, at);
            continue;
        } else if (step->action == MS_ACT_BLOCK && at < n && bytes[at] < 0x80) {
            at = ms_pass_bytes(n, at + 1, bytes[at]);
            continue;
        }
        step = run_step(unit, step, &at, parts);
    }
}
