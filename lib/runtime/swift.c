#include "runtime/swift.h"

#include "base/array.h"
#include "base/text.h"
#include "macho/exports.h"
#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- symbols of requirements ----------------------------------------------------------------- */

/* The addresses of a protocol's requirements have symbols: T and a letter. */
static bool names_requirement(const char *name, size_t n)
{
    return n > 4 && name[n - 2] == 'T' && memchr("qlnb", name[n - 1], 4) &&
           ms_mangling_of(name, n) == MS_MANGLING_SWIFT;
}

static bool add_symbol(struct ms_swift_reader *r, uint64_t vm, const char *name)
{
    struct ms_swift_symbol symbol = {vm, name + (name[0] == '_')};
    return MS_PUSH(r->symbols, r->n_symbols, r->symbols_room, symbol);
}

static bool add_exports(struct ms_swift_reader *r)
{
    struct ms_exports exports;
    struct ms_export one;
    struct ms_error ignored;
    bool done = true;
    ms_exports_open(r->m->macho, &exports);
    while (done && ms_exports_next(&exports, &one, &ignored) == MS_OK) {
        if (!names_requirement(one.name, one.name_bytes) || one.name_bytes > r->m->text_left)
            continue;
        r->m->text_left -= one.name_bytes;
        const char *name = ms_arena_copy(&r->m->arena, one.name, one.name_bytes);
        done = name && add_symbol(r, one.vm, name);
    }
    ms_exports_close(&exports);
    return done;
}

static int by_vm(const void *a, const void *b)
{
    const struct ms_swift_symbol *x = a, *y = b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    return strcmp(x->name, y->name);
}

static bool read_symbols(struct ms_swift_reader *r)
{
    const struct ms_macho *macho = r->m->macho;
    for (uint32_t i = 0; i < macho->n_nlist; i++) {
        struct ms_nlist symbol = ms_nlist_at(macho, i, NULL);
        if (symbol.type & MS_N_STAB || (symbol.type & MS_N_TYPE) != MS_N_SECT)
            continue;
        size_t n = strlen(symbol.name);
        if (names_requirement(symbol.name, n) && n <= MS_MAX_METADATA_STRING &&
            !add_symbol(r, symbol.value, symbol.name))
            return false;
    }
    if (!r->n_symbols && !add_exports(r))
        return false;
    if (r->n_symbols)
        qsort(r->symbols, r->n_symbols, sizeof *r->symbols, by_vm);
    return true;
}

bool ms_swift_requirement_symbol(struct ms_swift_reader *r, uint64_t vm, const char **out)
{
    *out = NULL;
    if (!r->symbols_ready && !read_symbols(r))
        return false;
    r->symbols_ready = true;
    size_t low = 0, high = r->n_symbols;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->symbols[middle].vm < vm)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < r->n_symbols && r->symbols[low].vm == vm)
        *out = r->symbols[low].name;
    return true;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Which part a section belongs to; 0 for most. */
static unsigned part_of(const struct ms_section *section)
{
    static const struct {
        const char *name;
        unsigned part;
    } PARTS[] = {{"__swift5_types", MS_SWIFT_TYPES},
                 {"__swift5_types2", MS_SWIFT_TYPES},
                 {"__swift5_protos", MS_SWIFT_PROTOCOLS},
                 {"__swift5_proto", MS_SWIFT_CONFORMANCES}};
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++)
        if (section->vm_bytes && strcmp(section->name, PARTS[i].name) == 0)
            return PARTS[i].part;
    return 0;
}

static enum ms_status read_section(struct ms_swift_reader *r, const struct ms_section *section,
                                   unsigned part, struct ms_error *err)
{
    struct ms_bytes bytes;
    struct ms_error fault;
    enum ms_status status = ms_macho_section_bytes(r->m->macho, section, &bytes, &fault);
    if (status == MS_OK)
        return part == MS_SWIFT_CONFORMANCES
                   ? ms_swift_read_conformances(r, section, err)
                   : ms_swift_read_types(r, section, part == MS_SWIFT_PROTOCOLS, err);
    if (status != MS_ABSENT && r->out->damage.status == MS_OK)
        r->out->damage = fault;
    return MS_OK;
}

enum ms_status ms_swift_metadata_read(const struct ms_macho *macho, unsigned what,
                                      struct ms_swift_metadata *out, struct ms_error *err)
{
    unsigned found = 0;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < macho->n_sections; i++)
        found |= part_of(&macho->sections[i]);
    if (!found)
        return MS_OK;
    if (macho->filetype == MS_MH_DSYM)
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                       "a dSYM has no bytes of the sections with Swift's types: the binary is "
                       "needed");
    struct ms_metadata *m = calloc(1, sizeof *m);
    if (!m)
        return ms_fail_memory(err);
    out->storage = m;
    struct ms_swift_reader r = {.m = m, .out = out, .contexts = {.m = m}};
    struct ms_error limit;
    enum ms_status status = ms_metadata_open(macho, m, err);
    for (size_t i = 0; i < macho->n_sections && status == MS_OK; i++) {
        unsigned part = part_of(&macho->sections[i]);
        if (part & what)
            status = read_section(&r, &macho->sections[i], part, &limit);
    }
    ms_swift_contexts_fini(&r.contexts);
    free(r.symbols);
    if (status == MS_E_LIMIT) { /* those before it are all right */
        out->damage = limit;
        status = MS_OK;
    }
    if (status != MS_OK) {
        ms_swift_metadata_fini(out);
        return ms_fail_memory(err);
    }
    return MS_OK;
}

void ms_swift_metadata_fini(struct ms_swift_metadata *swift)
{
    if (swift->storage) {
        ms_metadata_close(swift->storage);
        free(swift->storage);
    }
    free(swift->types);
    free(swift->protocols);
    free(swift->conformances);
    free(swift->witnesses);
    memset(swift, 0, sizeof *swift);
}

/* ---- names ----------------------------------------------------------------------------------- */

const char *ms_swift_requirement_name(enum ms_swift_requirement kind)
{
    static const char *const NAMES[] = {
        "base protocol", "method",          "init",
        "getter",        "setter",          "read",
        "modify",        "associated type", "associated conformance",
        "unknown"};
    return (unsigned)kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : "unknown";
}

static void add_name(struct ms_text *text, const struct ms_swift_name *name, unsigned style)
{
    const char *path = name->path ? name->path : "?";
    if (!(style & MS_DEMANGLE_SIMPLIFIED) && name->module) {
        ms_text_puts(text, name->module);
        ms_text_putc(text, '.');
    }
    ms_text_puts(text, path);
}

/* What the demangler puts before the requirement itself. */
static const char *without_prefix(const char *text)
{
    static const char *const PREFIXES[] = {
        "method descriptor for ", "associated type descriptor for ",
        "associated conformance descriptor for ", "base conformance descriptor for "};
    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++) {
        size_t n = strlen(PREFIXES[i]);
        if (strncmp(text, PREFIXES[i], n) == 0)
            return text + n;
    }
    return text;
}

static void add_requirement(struct ms_text *text, const struct ms_swift_conformance *conformance,
                            const struct ms_swift_witness *witness, unsigned style)
{
    char small[2048];
    if (witness->symbol) {
        size_t n = strlen(witness->symbol);
        size_t need = ms_demangle(witness->symbol, n, style, small, sizeof small);
        if (need && need < sizeof small) {
            ms_text_puts(text, without_prefix(small));
            return;
        }
        if (!witness->has_index) {
            ms_text_puts(text, witness->symbol);
            return;
        }
    }
    add_name(text, &conformance->protocol, style);
    if (witness->associated) {
        ms_text_putc(text, '.');
        ms_text_add(text, witness->associated, witness->n_associated);
    } else if (witness->has_index)
        ms_text_printf(text, " requirement %u (%s%s)", (unsigned)witness->index + 1,
                       witness->is_static ? "static " : "",
                       ms_swift_requirement_name(witness->kind));
    else
        ms_text_printf(text, " requirement (%s)", ms_swift_requirement_name(witness->kind));
}

/* Hands a text out as snprintf does. */
static size_t hand_out(struct ms_text *text, char *out, size_t room)
{
    size_t n = text->failed ? 0 : text->n;
    if (room) {
        size_t copied = n < room - 1 ? n : room - 1;
        if (copied)
            memcpy(out, text->at, copied);
        out[copied] = 0;
    }
    ms_text_fini(text);
    return n;
}

enum { MAX_NAME = 1 << 16 };

size_t ms_swift_requirement_write(const struct ms_swift_conformance *conformance,
                                  const struct ms_swift_witness *witness, unsigned style, char *out,
                                  size_t room)
{
    char start[1024];
    struct ms_text text;
    ms_text_init_on(&text, MAX_NAME, start, sizeof start);
    add_requirement(&text, conformance, witness, style);
    return hand_out(&text, out, room);
}

/* Is the text up to its end, or up to the arguments of a generic type, this name? */
static bool is_type(const char *text, const struct ms_swift_name *name)
{
    if (!name->path)
        return false;
    if (text[0] == '<') { /* "<A> " */
        const char *end = strstr(text, "> ");
        text = end ? end + 2 : text;
    }
    size_t n = strlen(name->path);
    return strncmp(text, name->path, n) == 0 && (text[n] == 0 || text[n] == '<');
}

static bool is_of_protocol(const char *text, const struct ms_swift_name *name)
{
    static const char STATIC[] = "static ";
    text += strncmp(text, STATIC, sizeof STATIC - 1) == 0 ? sizeof STATIC - 1 : 0;
    size_t n = name->path ? strlen(name->path) : 0;
    return n && strncmp(text, name->path, n) == 0 && text[n] == '.';
}

size_t ms_swift_requirement_of_symbol(const struct ms_swift_conformance *conformance,
                                      const char *symbol, unsigned style, char *out, size_t room)
{
    static const char BEGIN[] = "protocol witness for ", MIDDLE[] = " in conformance ";
    char text[2048];
    struct ms_text none;
    ms_text_init(&none, 1);
    size_t n = strlen(symbol);
    const unsigned short_style = MS_DEMANGLE_SIMPLIFIED;
    size_t need = ms_demangle(symbol, n, short_style, text, sizeof text);
    char *middle = need && need < sizeof text ? strstr(text, MIDDLE) : NULL;
    if (!middle || strncmp(text, BEGIN, sizeof BEGIN - 1) != 0 ||
        !is_type(middle + sizeof MIDDLE - 1, &conformance->type) ||
        !is_of_protocol(text + sizeof BEGIN - 1, &conformance->protocol))
        return hand_out(&none, out, room);
    if (style != short_style) {
        need = ms_demangle(symbol, n, style, text, sizeof text);
        middle = need && need < sizeof text ? strstr(text, MIDDLE) : NULL;
        if (!middle)
            return hand_out(&none, out, room);
    }
    *middle = 0;
    ms_text_init(&none, MAX_NAME);
    ms_text_puts(&none, text + sizeof BEGIN - 1);
    return hand_out(&none, out, room);
}

size_t ms_swift_witness_write(const struct ms_swift_conformance *conformance,
                              const struct ms_swift_witness *witness, unsigned style, char *out,
                              size_t room)
{
    char start[1024];
    struct ms_text text;
    ms_text_init_on(&text, MAX_NAME, start, sizeof start);
    ms_text_puts(&text, "protocol witness for ");
    add_requirement(&text, conformance, witness, style);
    ms_text_puts(&text, " in conformance ");
    add_name(&text, &conformance->type, style);
    if (!(style & MS_DEMANGLE_SIMPLIFIED)) {
        ms_text_puts(&text, " : ");
        add_name(&text, &conformance->protocol, style);
        if (conformance->module) {
            ms_text_puts(&text, " in ");
            ms_text_puts(&text, conformance->module);
        }
    }
    return hand_out(&text, out, room);
}
