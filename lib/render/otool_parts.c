/*
 * render/otool_parts.c: what follows the fields of some load commands: sections, the tools of a
 * build, strings, threads, modules.
 */
#include "render/otool.h"

#include <stdio.h>

static const struct otool_name TOOLS[] = {
    {1, "CLANG"}, {2, "SWIFT"}, {3, "LD"}, {4, "LLD"}, {0, NULL}};

static const struct otool_name SECTION_TYPES[] = {
    {0x0, "S_REGULAR"},
    {0x1, "S_ZEROFILL"},
    {0x2, "S_CSTRING_LITERALS"},
    {0x3, "S_4BYTE_LITERALS"},
    {0x4, "S_8BYTE_LITERALS"},
    {0x5, "S_LITERAL_POINTERS"},
    {0x6, "S_NON_LAZY_SYMBOL_POINTERS"},
    {0x7, "S_LAZY_SYMBOL_POINTERS"},
    {0x8, "S_SYMBOL_STUBS"},
    {0x9, "S_MOD_INIT_FUNC_POINTERS"},
    {0xa, "S_MOD_TERM_FUNC_POINTERS"},
    {0xb, "S_COALESCED"},
    {0xd, "S_INTERPOSING"},
    {0xe, "S_16BYTE_LITERALS"},
    {0xf, "S_DTRACE_DOF"},
    {0x10, "S_LAZY_DYLIB_SYMBOL_POINTERS"},
    {0x11, "S_THREAD_LOCAL_REGULAR"},
    {0x12, "S_THREAD_LOCAL_ZEROFILL"},
    {0x13, "S_THREAD_LOCAL_VARIABLES"},
    {0x14, "S_THREAD_LOCAL_VARIABLE_POINTERS"},
    {0x15, "S_THREAD_LOCAL_INIT_FUNCTION_POINTERS"},
    {0x16, "S_INIT_FUNC_OFFSETS"},
    {0, NULL},
};
static const struct otool_name SECTION_ATTRIBUTES[] = {
    {0x80000000, "PURE_INSTRUCTIONS"},
    {0x40000000, "NO_TOC"},
    {0x20000000, "STRIP_STATIC_SYMS"},
    {0x10000000, "NO_DEAD_STRIP"},
    {0x08000000, "LIVE_SUPPORT"},
    {0x04000000, "SELF_MODIFYING_CODE"},
    {0x02000000, "DEBUG"},
    {0x00000400, "SOME_INSTRUCTIONS"},
    {0x00000200, "EXT_RELOC"},
    {0x00000100, "LOC_RELOC"},
    {0, NULL},
};
static const struct otool_name SEGMENT_FLAGS[] = {
    {0x1, "HIGHVM"},        {0x2, "FVMLIB"}, {0x4, "NORELOC"}, {0x8, "PROTECTED_VERSION_1"},
    {0x10, "SG_READ_ONLY"}, {0, NULL},
};

/* " A B", of the names whose bits are set; the bits without a name stay in *flags. */
static void add_names(const struct otool_name *names, uint32_t *flags, char *text, size_t room)
{
    size_t at = strlen(text);
    for (; names->name; names++) {
        if (!(*flags & names->value) || at >= room)
            continue;
        at += (size_t)snprintf(text + at, room - at, " %s", names->name);
        *flags &= ~names->value;
    }
}

static void put_protection(const struct ms_otool_out *out, const char *key, uint32_t bits)
{
    char text[16] = "---";
    if (!out->style->verbose) {
        otool_put_hex(out, 9, key, bits, 8, "");
        return;
    }
    if (bits & ~7u)
        snprintf(text, sizeof text, "?(0x%08x)", (unsigned)bits);
    else
        for (int i = 0; i < 3; i++)
            if (bits & 1u << i)
                text[i] = "rwx"[i];
    otool_put_text(out, 9, key, text);
}

static void put_segment_flags(const struct ms_otool_out *out, uint32_t flags)
{
    char text[120] = "";
    if (!out->style->verbose) {
        otool_put_hex(out, 9, "flags", flags, 1, "");
        return;
    }
    add_names(SEGMENT_FLAGS, &flags, text, sizeof text);
    size_t n = strlen(text);
    if (flags)
        snprintf(text + n, sizeof text - n, " 0x%x (unknown flags)", (unsigned)flags);
    otool_put_text(out, 9, "flags", text[0] ? text + 1 : "(none)");
}

static void put_section_flags(const struct ms_otool_out *out, uint32_t flags)
{
    char text[200] = "", number[16];
    uint32_t attributes = flags & 0xffffff00;
    if (!out->style->verbose) {
        otool_put_hex(out, 10, "flags", flags, 8, "");
        return;
    }
    const char *type = otool_name_of(SECTION_TYPES, flags & 0xff);
    snprintf(number, sizeof number, "0x%08x", (unsigned)(flags & 0xff));
    otool_put_text(out, 10, "type", type ? type : number);
    bool none = !attributes;
    add_names(SECTION_ATTRIBUTES, &attributes, text, sizeof text);
    if (out->json)
        otool_put_text(out, 10, "attributes", text[0] ? text + 1 : "");
    else
        ms_sink_printf(out->sink, "attributes%s\n", none ? " (none)" : text);
}

static void put_section(const struct ms_otool_image *image, struct ms_bytes raw, bool is64,
                        const char *segment, const struct ms_otool_out *out)
{
    char name[17], in_segment[17];
    const bool big = image->big;
    const unsigned after = is64 ? 48 : 40; /* the two fields that differ in size lie before */
    uint64_t vm = is64 ? otool_u64(raw, 32, big) : otool_u32(raw, 32, big);
    uint64_t size = is64 ? otool_u64(raw, 40, big) : otool_u32(raw, 36, big);
    uint32_t off = otool_u32(raw, after, big), align = otool_u32(raw, after + 4, big);
    uint32_t reloff = otool_u32(raw, after + 8, big), nreloc = otool_u32(raw, after + 12, big);
    uint32_t flags = otool_u32(raw, after + 16, big), type = flags & 0xff;
    const int digits = is64 ? 16 : 8;
    otool_name16(raw, 0, name);
    otool_name16(raw, 16, in_segment);
    otool_put_text(out, 10, "sectname", name);
    bool moved = !out->json && image->filetype != 1 && strcmp(segment, in_segment) != 0;
    char shown[48];
    snprintf(shown, sizeof shown, "%s%s", in_segment, moved ? " (does not match segment)" : "");
    otool_put_text(out, 10, "segname", shown);
    otool_put_hex(out, 10, "addr", vm, digits, "");
    otool_put_hex(out, 10, "size", size, digits,
                  otool_past_end(!(flags & 1) && otool_is_past(image, off, size)));
    otool_put_number(out, 10, "offset", off, otool_past_end(otool_is_past(image, off, 0)));
    char power[32];
    snprintf(power, sizeof power, "2^%u (%d)", (unsigned)align, (int)(1u << (align & 31)));
    if (out->json)
        otool_put_number(out, 10, "align", align, "");
    else
        otool_put_text(out, 10, "align", power);
    otool_put_number(out, 10, "reloff", reloff, otool_past_end(otool_is_past(image, reloff, 0)));
    otool_put_number(out, 10, "nreloc", nreloc,
                     otool_past_end(otool_is_past(image, reloff, 8 * (uint64_t)nreloc)));
    put_section_flags(out, flags);
    bool indirect = type == 6 || type == 7 || type == 8 || type == 0x10 || type == 0x14;
    otool_put_number(out, 10, "reserved1", otool_u32(raw, after + 20, big),
                     indirect ? " (index into indirect symbol table)" : "");
    otool_put_number(out, 10, "reserved2", otool_u32(raw, after + 24, big),
                     type == 8 ? " (size of stubs)" : "");
}

void otool_put_segment(const struct ms_otool_image *image, struct ms_bytes body,
                       const struct ms_otool_out *out)
{
    const bool big = image->big, is64 = otool_u32(body, 0, big) == 0x19;
    const int digits = is64 ? 16 : 8;
    const unsigned word = is64 ? 8 : 4, after = 24 + 4 * word, each = is64 ? 80 : 68;
    uint64_t part[4]; /* vmaddr, vmsize, fileoff, filesize */
    char segment[17];
    for (unsigned i = 0; i < 4; i++)
        part[i] = is64 ? otool_u64(body, 24 + 8 * i, big) : otool_u32(body, 24 + 4 * i, big);
    uint32_t bytes = otool_u32(body, 4, big), n = otool_u32(body, after + 8, big);
    otool_name16(body, 8, segment);
    otool_put_number(out, 9, "cmdsize", bytes,
                     bytes != after + 16 + (uint64_t)n * each ? " Inconsistent size" : "");
    otool_put_text(out, 9, "segname", segment);
    otool_put_hex(out, 9, "vmaddr", part[0], digits, "");
    otool_put_hex(out, 9, "vmsize", part[1], digits, "");
    otool_put_number(out, 9, "fileoff", part[2], otool_past_end(otool_is_past(image, part[2], 0)));
    otool_put_number(out, 9, "filesize", part[3],
                     otool_past_end(otool_is_past(image, part[2], part[3])));
    put_protection(out, "maxprot", otool_u32(body, after, big));
    put_protection(out, "initprot", otool_u32(body, after + 4, big));
    otool_put_number(out, 9, "nsects", n, "");
    put_segment_flags(out, otool_u32(body, after + 12, big));
    if (out->json) {
        ms_json_key(out->json, "sections");
        ms_json_array(out->json);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ms_bytes raw;
        if (!ms_bytes_part(body, after + 16 + (uint64_t)i * each, each, &raw)) {
            if (!out->json)
                ms_sink_puts(out->sink,
                             "section structure command extends past end of load commands\n");
            break;
        }
        if (out->json)
            ms_json_object(out->json);
        else
            ms_sink_puts(out->sink, "Section\n");
        put_section(image, raw, is64, segment, out);
        if (out->json)
            ms_json_object_end(out->json);
    }
    if (out->json)
        ms_json_array_end(out->json);
}

void otool_put_tools(const struct ms_otool_image *image, struct ms_bytes body,
                     const struct ms_otool_out *out)
{
    uint32_t n = otool_u32(body, 20, image->big);
    if (out->json) {
        ms_json_key(out->json, "tools");
        ms_json_array(out->json);
    }
    for (uint32_t i = 0; i < n; i++) {
        struct ms_bytes raw;
        char version[24];
        if (!ms_bytes_part(body, 24 + 8 * (uint64_t)i, 8, &raw))
            break;
        uint32_t tool = otool_u32(raw, 0, image->big);
        const char *name = out->style->verbose ? otool_name_of(TOOLS, tool) : NULL;
        if (out->json)
            ms_json_object(out->json);
        if (name)
            otool_put_text(out, 9, "tool", name);
        else
            otool_put_number(out, 9, "tool", tool, "");
        otool_version(otool_u32(raw, 4, image->big), version);
        otool_put_text(out, 9, "version", version);
        if (out->json)
            ms_json_object_end(out->json);
    }
    if (out->json)
        ms_json_array_end(out->json);
}

/* The next string from *at on; NULs between strings are passed over. */
static bool next_string(struct ms_bytes body, uint64_t *at, struct ms_bytes *out)
{
    while (*at < body.n && body.at[*at] == 0)
        ++*at;
    if (*at >= body.n || !ms_bytes_from(body, *at, out))
        return false;
    out->n = strnlen((const char *)out->at, out->n);
    *at += out->n;
    return true;
}

static void put_strings(struct ms_bytes body, uint64_t at, const struct ms_otool_out *out,
                        bool numbered, uint32_t *count)
{
    struct ms_bytes string;
    *count = 0;
    if (out->json) {
        ms_json_key(out->json, "strings");
        ms_json_array(out->json);
    }
    while (next_string(body, &at, &string)) {
        ++*count;
        if (out->json) {
            ms_json_string_n(out->json, (const char *)string.at, string.n);
            continue;
        }
        if (numbered)
            ms_sink_printf(out->sink, "  string #%u ", (unsigned)*count);
        else
            ms_sink_puts(out->sink, " ident string ");
        otool_plain(out->sink, string.at, string.n);
        ms_sink_puts(out->sink, "\n");
    }
    if (out->json)
        ms_json_array_end(out->json);
}

void otool_put_strings(const struct ms_otool_image *image, struct ms_bytes body,
                       const struct ms_otool_out *out)
{
    uint32_t said = otool_u32(body, 8, image->big), count;
    put_strings(body, 12, out, true, &count);
    if (said != count && !out->json)
        ms_sink_printf(out->sink, "   count %u does not match number of strings %u\n",
                       (unsigned)said, (unsigned)count);
}

void otool_put_ident(const struct ms_otool_image *image, struct ms_bytes body,
                     const struct ms_otool_out *out)
{
    uint32_t count;
    (void)image;
    put_strings(body, 8, out, false, &count);
}

void otool_put_thread(const struct ms_otool_image *image, struct ms_bytes body,
                      const struct ms_otool_out *out)
{
    otool_threads(body, 8, image->big, image->cputype, out);
}

/* A bit for each module of the library: the first eight, or with -V the numbers of those set. */
void otool_put_prebound(const struct ms_otool_image *image, struct ms_bytes body,
                        const struct ms_otool_out *out)
{
    uint32_t n = otool_u32(body, 12, image->big), off = otool_u32(body, 16, image->big);
    struct ms_bytes bits;
    if (out->json) {
        otool_put_number(out, 15, "linked_modules", off, "");
        return;
    }
    if (off >= body.n || !ms_bytes_from(body, off, &bits)) {
        ms_sink_printf(out->sink, " linked_modules ?(bad offset %u)\n", (unsigned)off);
        return;
    }
    if (out->style->very_verbose) {
        ms_sink_printf(out->sink, " linked_modules (offset %u)\n", (unsigned)off);
        for (uint32_t i = 0; i < n && i / 8 < bits.n; i++)
            if (bits.at[i / 8] >> i % 8 & 1)
                ms_sink_printf(out->sink, "%u\n", (unsigned)i);
        return;
    }
    ms_sink_puts(out->sink, " linked_modules ");
    for (uint32_t i = 0; i < n && i < 8; i++)
        ms_sink_puts(out->sink, bits.at[0] >> i & 1 ? "1" : "0");
    ms_sink_printf(out->sink, "... (offset %u)\n", (unsigned)off);
}
