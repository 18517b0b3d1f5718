/*
 * render/otool_section.c: what is in a section, as bytes or by its kind, and the tables that say
 * which symbols stubs and pointers stand for and what in the code is data.
 */
#include "render/otool.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>

enum {
    S_ZEROFILL = 0x1,
    S_CSTRINGS = 0x2,
    S_LITERALS_4 = 0x3,
    S_LITERALS_8 = 0x4,
    S_LITERAL_POINTERS = 0x5,
    S_POINTERS = 0x6,
    S_LAZY_POINTERS = 0x7,
    S_STUBS = 0x8,
    S_INIT_POINTERS = 0x9,
    S_TERM_POINTERS = 0xa,
    S_GB_ZEROFILL = 0xc,
    S_LITERALS_16 = 0xe,
    S_LAZY_DYLIB_POINTERS = 0x10,
    S_TLV_ZEROFILL = 0x12,
    S_TLV_POINTERS = 0x14
};

static const char HEX[] = "0123456789abcdef";

/* ---- rows of bytes ---------------------------------------------------------------------- */

static size_t put_digits(char *at, uint64_t value, int digits)
{
    for (int i = digits; i-- > 0; value >>= 4)
        at[i] = HEX[value & 15];
    return (size_t)digits;
}

/* Sixteen bytes a row: on Intel as bytes, elsewhere as 32-bit words of the image's byte order. */
static void put_rows(const struct ms_macho *macho, struct ms_bytes bytes, uint64_t vm,
                     struct ms_sink *sink)
{
    const bool intel = (macho->cputype & ~(uint32_t)MS_CPU_64) == MS_CPU_I386;
    char row[96];
    for (size_t i = 0; i < bytes.n; i += 16, vm += 16) {
        size_t n = put_digits(row, vm, macho->is64 ? 16 : 8);
        size_t end = bytes.n - i < 16 ? bytes.n : i + 16;
        row[n++] = '\t';
        for (size_t k = i; k < end;) {
            bool word = !intel && end - k >= 4;
            if (word)
                n += put_digits(row + n, ms_load_u32(bytes.at + k, macho->big), 8);
            else
                n += put_digits(row + n, bytes.at[k], 2);
            row[n++] = ' ';
            k += word ? 4 : 1;
        }
        row[n++] = '\n';
        ms_sink_write(sink, row, n);
    }
}

static void put_address(const struct ms_macho *macho, uint64_t vm, const struct ms_otool_out *out)
{
    if (!out->style->bare)
        ms_sink_printf(out->sink, macho->is64 ? "%016" PRIx64 "  " : "%08" PRIx64 "  ", vm);
}

/* ---- literals --------------------------------------------------------------------------- */

static void put_char(struct ms_sink *sink, uint8_t c)
{
    static const char named[] = "\n\t\v\b\r\f\a\\", letters[] = "ntvbrfa\\";
    const char *found = c ? strchr(named, c) : NULL;
    if (found)
        ms_sink_printf(sink, "\\%c", letters[found - named]);
    else if (c >= 0x20 && c < 0x7f)
        ms_sink_write(sink, (const char *)&c, 1);
    else
        ms_sink_printf(sink, "\\%03o", c);
}

static void put_cstring(struct ms_sink *sink, const uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_char(sink, at[i]);
}

static void put_cstrings(const struct ms_macho *macho, struct ms_bytes bytes, uint64_t vm,
                         const struct ms_otool_out *out)
{
    for (size_t i = 0; i < bytes.n;) {
        size_t n = strnlen((const char *)bytes.at + i, bytes.n - i);
        put_address(macho, vm + i, out);
        put_cstring(out->sink, bytes.at + i, n);
        if (i + n < bytes.n)
            ms_sink_puts(out->sink, "\n");
        i += n + 1;
    }
}

/* What a float says besides its bits. */
static void put_value(struct ms_sink *sink, bool finite, bool infinite, bool negative, bool quiet,
                      double value)
{
    if (finite)
        ms_sink_printf(sink, " (%.16e)\n", value);
    else if (infinite)
        ms_sink_puts(sink, negative ? " (-Infinity)\n" : " (+Infinity)\n");
    else
        ms_sink_puts(sink,
                     quiet ? " (non-signaling Not-a-Number)\n" : " (signaling Not-a-Number)\n");
}

static void put_literal(struct ms_bytes raw, bool big, struct ms_sink *sink)
{
    if (raw.n == 4) {
        uint32_t bits = ms_load_u32(raw.at, big);
        float value;
        memcpy(&value, &bits, sizeof value);
        ms_sink_printf(sink, "0x%08x", (unsigned)bits);
        put_value(sink, (bits & 0x7f800000) != 0x7f800000, !(bits & 0x7fffff), bits >> 31,
                  bits >> 22 & 1, (double)value);
    } else if (raw.n == 8) {
        uint64_t bits = ms_load_u64(raw.at, big);
        double value;
        memcpy(&value, &bits, sizeof value);
        ms_sink_printf(sink, "0x%08x 0x%08x", (unsigned)ms_load_u32(raw.at, big),
                       (unsigned)ms_load_u32(raw.at + 4, big));
        put_value(sink, (bits >> 52 & 0x7ff) != 0x7ff, !(bits & 0xfffffffffffff), bits >> 63,
                  bits >> 51 & 1, value);
    } else {
        for (int i = 0; i < 4; i++)
            ms_sink_printf(sink, "0x%08x%s", (unsigned)ms_load_u32(raw.at + 4 * i, big),
                           i < 3 ? " " : "\n");
    }
}

static size_t literal_bytes(uint32_t type)
{
    return type == S_LITERALS_4 ? 4 : type == S_LITERALS_8 ? 8 : 16;
}

static void put_literals(const struct ms_macho *macho, struct ms_bytes bytes, uint64_t vm,
                         size_t each, const struct ms_otool_out *out)
{
    struct ms_bytes raw;
    for (size_t i = 0; ms_bytes_part(bytes, i, each, &raw); i += each) {
        put_address(macho, vm + i, out);
        put_literal(raw, macho->big, out->sink);
    }
}

/* ---- pointers --------------------------------------------------------------------------- */

static bool is_literal_type(uint32_t type)
{
    return type == S_CSTRINGS || type == S_LITERALS_4 || type == S_LITERALS_8 ||
           type == S_LITERALS_16;
}

/* What a pointer into a section of literals points at. */
static void put_pointed(const struct ms_macho *macho, uint64_t pointer, struct ms_sink *sink)
{
    struct ms_error ignored;
    struct ms_bytes bytes, raw;
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        uint32_t type = section->flags & 0xff;
        if (!is_literal_type(type) || pointer < section->vm ||
            pointer - section->vm >= section->vm_bytes)
            continue;
        ms_sink_plain(sink, section->segment_name);
        ms_sink_puts(sink, ":");
        ms_sink_plain(sink, section->name);
        ms_sink_puts(sink, ":");
        if (ms_macho_section_bytes(macho, section, &bytes, &ignored) != MS_OK ||
            !ms_bytes_from(bytes, pointer - section->vm, &raw)) {
            ms_sink_puts(sink, "\n");
        } else if (type == S_CSTRINGS) {
            put_cstring(sink, raw.at, strnlen((const char *)raw.at, raw.n));
            ms_sink_puts(sink, "\n");
        } else if (ms_bytes_part(raw, 0, literal_bytes(type), &raw)) {
            put_literal(raw, macho->big, sink);
        } else {
            ms_sink_puts(sink, "\n");
        }
        return;
    }
    ms_sink_printf(sink, "0x%" PRIx64 " (not in a literal section)\n", pointer);
}

/* The name of the symbol that an external relocation puts at `off` of the section; NULL. */
static const char *relocated_symbol(const struct ms_macho *macho, const struct ms_section *section,
                                    uint64_t off)
{
    struct ms_bytes table, entry;
    if (!ms_bytes_part(macho->bytes, section->reloff, 8 * (uint64_t)section->nreloc, &table))
        return NULL;
    for (uint64_t i = 0; ms_bytes_part(table, 8 * i, 8, &entry); i++) {
        uint32_t at = ms_load_u32(entry.at, macho->big),
                 info = ms_load_u32(entry.at + 4, macho->big);
        uint32_t symbol = macho->big ? info >> 8 : info & 0xffffff;
        bool external = macho->big ? info >> 4 & 1 : info >> 27 & 1;
        if (at != off || !external || symbol >= macho->n_nlist)
            continue;
        return ms_nlist_at(macho, symbol, NULL).name;
    }
    return NULL;
}

static uint64_t pointer_at(const struct ms_macho *macho, struct ms_bytes bytes, uint64_t off)
{
    return macho->is64 ? otool_u64(bytes, off, macho->big) : otool_u32(bytes, off, macho->big);
}

static void put_literal_pointers(const struct ms_macho *macho, const struct ms_section *section,
                                 struct ms_bytes bytes, const struct ms_otool_out *out)
{
    const uint64_t each = macho->is64 ? 8 : 4;
    for (uint64_t i = 0; i + each <= bytes.n; i += each) {
        const char *name = section->nreloc ? relocated_symbol(macho, section, i) : NULL;
        put_address(macho, section->vm + i, out);
        if (!name) {
            put_pointed(macho, pointer_at(macho, bytes, i), out->sink);
            continue;
        }
        ms_sink_puts(out->sink, "external relocation entry for symbol:");
        ms_sink_plain(out->sink, name);
        ms_sink_puts(out->sink, "\n");
    }
}

/* A symbol that is exactly there; Thumb code's pointers have an odd address. */
static const char *symbol_at(const struct ms_macho *macho, uint64_t vm)
{
    const char *found = NULL;
    if (macho->cputype == MS_CPU_ARM)
        vm &= ~(uint64_t)1;
    for (uint32_t i = 0; i < macho->n_nlist && !found; i++) {
        struct ms_nlist symbol = ms_nlist_at(macho, i, NULL);
        if (!(symbol.type & MS_N_STAB) && (symbol.type & MS_N_TYPE) == MS_N_SECT &&
            symbol.value == vm && symbol.name[0])
            found = symbol.name;
    }
    return found;
}

static void put_code_pointers(const struct ms_macho *macho, const struct ms_section *section,
                              struct ms_bytes bytes, const struct ms_otool_out *out)
{
    /* A name costs a pass over the symbols: so many steps in all; real files take 1 % of it. */
    uint64_t steps = (uint64_t)1 << 28;
    const uint64_t each = macho->is64 ? 8 : 4;
    const int digits = macho->is64 ? 16 : 8;
    for (uint64_t i = 0; i + each <= bytes.n; i += each) {
        uint64_t pointer = pointer_at(macho, bytes, i);
        if (!out->style->bare)
            ms_sink_printf(out->sink, "0x%0*" PRIx64 " ", digits, section->vm + i);
        ms_sink_printf(out->sink, "0x%0*" PRIx64, digits, pointer);
        const char *name = NULL;
        if (out->style->very_verbose && steps > macho->n_nlist + section->nreloc) {
            steps -= macho->n_nlist + section->nreloc;
            name = section->nreloc ? relocated_symbol(macho, section, i) : NULL;
            name = name ? name : symbol_at(macho, pointer);
        }
        if (name) {
            ms_sink_puts(out->sink, " ");
            ms_sink_plain(out->sink, name);
        }
        ms_sink_puts(out->sink, "\n");
    }
}

/* ---- a whole section -------------------------------------------------------------------- */

static bool is_zerofill(uint32_t type)
{
    return type == S_ZEROFILL || type == S_GB_ZEROFILL || type == S_TLV_ZEROFILL;
}

static void put_by_kind(const struct ms_macho *macho, const struct ms_section *section,
                        struct ms_bytes bytes, const struct ms_otool_out *out)
{
    uint32_t type = section->flags & 0xff;
    switch (type) {
    case 0:
        put_rows(macho, bytes, section->vm, out->sink);
        break;
    case S_CSTRINGS:
        put_cstrings(macho, bytes, section->vm, out);
        break;
    case S_LITERALS_4:
    case S_LITERALS_8:
    case S_LITERALS_16:
        put_literals(macho, bytes, section->vm, literal_bytes(type), out);
        break;
    case S_LITERAL_POINTERS:
        put_literal_pointers(macho, section, bytes, out);
        break;
    case S_INIT_POINTERS:
    case S_TERM_POINTERS:
        put_code_pointers(macho, section, bytes, out);
        break;
    default:
        ms_sink_printf(out->sink, "Unknown section type (0x%x)\n", (unsigned)type);
        put_rows(macho, bytes, section->vm, out->sink);
    }
}

static void put_json_section(const struct ms_section *section, struct ms_bytes bytes,
                             struct ms_json *json)
{
    char part[512];
    size_t n = 0;
    ms_json_object(json);
    ms_json_field(json, "segment", section->segment_name);
    ms_json_field(json, "section", section->name);
    ms_json_field_address(json, "addr", section->vm);
    ms_json_field_address(json, "size", section->vm_bytes);
    /* Written past the JSON writer, which would want the whole string in memory. */
    ms_json_key(json, "bytes");
    json->after_key = false;
    ms_sink_write(json->sink, "\"", 1);
    for (size_t i = 0; i < bytes.n; i++) {
        n += put_digits(part + n, bytes.at[i], 2);
        if (n == sizeof part || i + 1 == bytes.n) {
            ms_sink_write(json->sink, part, n);
            n = 0;
        }
    }
    ms_sink_write(json->sink, "\"", 1);
    ms_json_object_end(json);
}

enum ms_status ms_otool_section(const struct ms_macho *macho, const struct ms_section *section,
                                const struct ms_otool_out *out, struct ms_error *err)
{
    struct ms_bytes bytes = {NULL, 0};
    enum ms_status status = ms_macho_section_bytes(macho, section, &bytes, err);
    if (out->json) {
        put_json_section(section, bytes, out->json);
        return status == MS_ABSENT ? MS_OK : status;
    }
    if (is_zerofill(section->flags & 0xff)) {
        ms_sink_puts(out->sink, "zerofill section and has no contents in the file\n");
        return MS_OK;
    }
    if (status != MS_OK)
        return status == MS_ABSENT ? MS_OK : status;
    if (out->style->verbose)
        put_by_kind(macho, section, bytes, out);
    else
        put_rows(macho, bytes, section->vm, out->sink);
    return MS_OK;
}

enum ms_status ms_otool_info_plist(const struct ms_macho *macho, const struct ms_otool_out *out,
                                   struct ms_error *err)
{
    struct ms_bytes bytes;
    const struct ms_section *section = ms_macho_section(macho, "__TEXT", "__info_plist");
    enum ms_status status =
        section ? ms_macho_section_bytes(macho, section, &bytes, err) : MS_ABSENT;
    if (status != MS_OK)
        return status == MS_ABSENT ? MS_OK : status;
    if (!out->style->bare)
        ms_sink_puts(out->sink, "(__TEXT,__info_plist) section\n");
    ms_sink_write(out->sink, (const char *)bytes.at, strnlen((const char *)bytes.at, bytes.n));
    ms_sink_puts(out->sink, "\n");
    return MS_OK;
}

/* ---- -I --------------------------------------------------------------------------------- */

#define INDIRECT_LOCAL 0x80000000u
#define INDIRECT_ABS 0x40000000u

/* The indirect symbol table, cut to what the file has of it; *n is how many it says. */
static struct ms_bytes indirect_table(const struct ms_macho *macho, uint64_t *n)
{
    struct ms_bytes table = {NULL, 0};
    *n = 0;
    for (size_t i = 0; i < macho->n_commands; i++) {
        const struct ms_load_command *command = &macho->commands[i];
        if (command->cmd != 0xb)
            continue;
        uint64_t off = otool_u32(command->body, 56, macho->big);
        *n = otool_u32(command->body, 60, macho->big);
        if (!ms_bytes_part(macho->bytes, off, 4 * *n, &table))
            (void)ms_bytes_from(macho->bytes, off, &table);
        break;
    }
    return table;
}

static void put_indirect(const struct ms_macho *macho, uint32_t word,
                         const struct ms_otool_out *out)
{
    switch (word) {
    case INDIRECT_LOCAL:
        ms_sink_puts(out->sink, "LOCAL\n");
        return;
    case INDIRECT_ABS:
        ms_sink_puts(out->sink, "ABSOLUTE\n");
        return;
    case INDIRECT_LOCAL | INDIRECT_ABS:
        ms_sink_puts(out->sink, "LOCAL ABSOLUTE\n");
        return;
    }
    ms_sink_printf(out->sink, "%5u ", (unsigned)word);
    if (out->style->verbose) {
        bool bad = word >= macho->n_nlist;
        struct ms_nlist symbol =
            bad ? (struct ms_nlist){"", 0, 0, 0, 0} : ms_nlist_at(macho, word, &bad);
        ms_sink_plain(out->sink, bad ? "?" : symbol.name);
    }
    ms_sink_puts(out->sink, "\n");
}

static void put_indirect_section(const struct ms_macho *macho, const struct ms_section *section,
                                 struct ms_bytes table, uint64_t n_table, uint64_t *left,
                                 const struct ms_otool_out *out)
{
    const bool wide = macho->cputype & MS_CPU_64;
    uint32_t type = section->flags & 0xff;
    uint64_t each = type == S_STUBS ? section->reserved2 : macho->is64 ? 8 : 4;
    ms_sink_printf(out->sink,
                   each ? "Indirect symbols for (%s,%s)"
                        : "Can't print indirect symbols for (%s,%s)",
                   section->segment_name, section->name);
    if (!each) {
        ms_sink_puts(out->sink, " (size of stubs in reserved2 field is zero)\n");
        return;
    }
    uint64_t count = section->vm_bytes / each, first = section->reserved1;
    ms_sink_printf(out->sink, " %u entries", (unsigned)count);
    if (first > n_table)
        ms_sink_puts(out->sink, " (entries start past the end of the indirect symbol table) "
                                "(reserved1 field greater than the table size)");
    else if (first + count > n_table)
        ms_sink_puts(out->sink, " (entries extends past the end of the indirect symbol table)");
    ms_sink_printf(out->sink, "\naddress    %sindex%s\n", wide ? "        " : "",
                   out->style->verbose ? " name" : "");
    struct ms_bytes word;
    for (uint64_t i = 0; i < count && *left && ms_bytes_part(table, 4 * (first + i), 4, &word);
         i++, --*left) {
        ms_sink_printf(out->sink, "0x%0*" PRIx64 " ", wide ? 16 : 8, section->vm + i * each);
        put_indirect(macho, ms_load_u32(word.at, macho->big), out);
    }
}

void ms_otool_indirect(const struct ms_macho *macho, const struct ms_otool_out *out)
{
    uint64_t n;
    struct ms_bytes table = indirect_table(macho, &n);
    /* In a sound file each entry belongs to one section: so much is shown, however many
     * sections of a broken one claim the same. */
    uint64_t left = 2 * (table.n / 4);
    for (size_t i = 0; i < macho->n_sections; i++) {
        uint32_t type = macho->sections[i].flags & 0xff;
        if (type == S_POINTERS || type == S_LAZY_POINTERS || type == S_STUBS ||
            type == S_LAZY_DYLIB_POINTERS || type == S_TLV_POINTERS)
            put_indirect_section(macho, &macho->sections[i], table, n, &left, out);
    }
}

/* ---- -G --------------------------------------------------------------------------------- */

void ms_otool_data_in_code(const struct ms_macho *macho, const struct ms_otool_out *out)
{
    static const struct otool_name KINDS[] = {
        {1, "DATA"},         {2, "JUMP_TABLE8"},      {3, "JUMP_TABLE16"},
        {4, "JUMP_TABLE32"}, {5, "ABS_JUMP_TABLE32"}, {0, NULL},
    };
    struct ms_bytes table = {NULL, 0}, entry;
    for (size_t i = 0; i < macho->n_commands; i++)
        if (macho->commands[i].cmd == 0x29)
            (void)ms_bytes_part(macho->bytes, otool_u32(macho->commands[i].body, 8, macho->big),
                                otool_u32(macho->commands[i].body, 12, macho->big), &table);
    ms_sink_printf(out->sink, "Data in code table (%zu entries)\noffset     length kind\n",
                   table.n / 8);
    for (uint64_t i = 0; ms_bytes_part(table, 8 * i, 8, &entry); i++) {
        struct ms_cursor c = ms_cursor_over(entry, macho->big);
        uint32_t off = ms_cursor_u32(&c);
        unsigned length = ms_cursor_u16(&c), kind = ms_cursor_u16(&c);
        const char *name = out->style->verbose ? otool_name_of(KINDS, kind) : NULL;
        ms_sink_printf(out->sink, "0x%08x %6u ", (unsigned)off, length);
        if (name)
            ms_sink_printf(out->sink, "%s\n", name);
        else
            ms_sink_printf(out->sink, "0x%04x\n", kind);
    }
}
