/*
 * render/nm_table.c: which symbols are shown, and what they are called.
 */
#include "render/nm_table.h"

#include "base/cursor.h"
#include "base/limits.h"
#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    CUT_NAME = 64,        /* of names, once their budget is spent */
    NAMES_A_BYTE = 16,    /* real tables spell each byte once or twice */
    READABLE_A_BYTE = 64, /* a readable name is two to three times as long as a mangled one */
    LEAST_BUDGET = 1 << 20
};

/* ---- names --------------------------------------------------------------------------------- */

/*
 * The length of a name that begins at `at`, as much as the budget still allows: with n entries
 * that all name one long string, looking for its end n times would take n times its length.
 */
static uint32_t measure(struct nm_table *table, const char *at, size_t left)
{
    size_t most = table->name_budget < CUT_NAME ? CUT_NAME : (size_t)table->name_budget;
    most = most < left ? most : left;
    const char *end = memchr(at, 0, most);
    size_t n = end ? (size_t)(end - at) : most;
    if (n > UINT32_MAX - 1)
        n = UINT32_MAX - 1;
    table->name_budget -= n < table->name_budget ? n : table->name_budget;
    table->names_cut |=
        at + n < (const char *)table->macho->strings.at + table->macho->strings.n && at[n] != 0;
    return (uint32_t)n;
}

static void find_name(struct nm_table *table, const struct ms_nlist *nlist, bool bad,
                      struct nm_entry *entry)
{
    struct ms_bytes strings = table->macho->strings;
    entry->name_off = 0;
    entry->length = 0;
    if (bad) {
        if (table->n_bad_names++ == 0)
            table->first_bad = entry->index;
        entry->name_off = NM_BAD_NAME;
        entry->length = (uint32_t)nm_name(table, entry).n;
    } else if (nlist->name[0]) { /* then it points into the string table */
        entry->name_off = (uint32_t)((const uint8_t *)nlist->name - strings.at);
        entry->length = measure(table, nlist->name, strings.n - entry->name_off);
    }
}

struct ms_bytes nm_name(const struct nm_table *table, const struct nm_entry *entry)
{
    static const char bad[] = "bad string index";
    if (entry->name_off == NM_BAD_NAME)
        return (struct ms_bytes){(const uint8_t *)bad, sizeof bad - 1};
    return (struct ms_bytes){entry->length ? table->macho->strings.at + entry->name_off
                                           : (const uint8_t *)"",
                             entry->length};
}

struct ms_bytes nm_indirect_name(struct nm_table *table, uint64_t value)
{
    struct ms_bytes strings = table->macho->strings;
    if (value >= strings.n)
        return (struct ms_bytes){(const uint8_t *)"?", 1};
    const uint8_t *at = strings.at + value;
    return (struct ms_bytes){at, measure(table, (const char *)at, strings.n - (size_t)value)};
}

bool nm_demangle(struct nm_table *table, struct ms_bytes name, struct nm_readable *out)
{
    const char *at = (const char *)name.at;
    unsigned style = table->options->demangle_style;
    if (!table->demangled_budget) {
        table->names_left_mangled |= ms_mangling_of(at, name.n) != MS_MANGLING_NONE;
        return false;
    }
    size_t n = ms_demangle(at, name.n, style, out->small, sizeof out->small);
    out->at = out->small;
    if (n >= sizeof out->small && n < MS_MAX_SHOWN_NAME) {
        if (n >= out->room) {
            char *larger = realloc(out->large, n + 1);
            if (!larger)
                return false;
            out->large = larger;
            out->room = n + 1;
        }
        n = ms_demangle(at, name.n, style, out->large, out->room);
        out->at = out->large;
    }
    out->n = n;
    table->demangled_budget -= n < table->demangled_budget ? n : table->demangled_budget;
    return n > 0 && n < MS_MAX_SHOWN_NAME;
}

/* ---- fields -------------------------------------------------------------------------------- */

static struct ms_cursor over_nlist(const struct nm_table *table, const struct nm_entry *entry)
{
    struct ms_bytes record;
    size_t each = table->macho->is64 ? 16 : 12;
    (void)ms_bytes_part(table->macho->nlist, (uint64_t)entry->index * each, each, &record);
    return ms_cursor_over(record, table->macho->big);
}

uint64_t nm_value(const struct nm_table *table, const struct nm_entry *entry)
{
    struct ms_cursor c = over_nlist(table, entry);
    ms_cursor_skip(&c, 8);
    return table->macho->is64 ? ms_cursor_u64(&c) : ms_cursor_u32(&c);
}

uint32_t nm_name_field(const struct nm_table *table, const struct nm_entry *entry)
{
    struct ms_cursor c = over_nlist(table, entry);
    return ms_cursor_u32(&c);
}

char nm_letter(const struct nm_table *table, const struct nm_entry *entry, uint64_t value)
{
    char letter = '?';
    if (nm_is_stab(entry->type))
        return '-';
    switch (entry->type & MS_N_TYPE) {
    case MS_N_UNDF:
        letter = value ? 'c' : 'u';
        break;
    case MS_N_PBUD:
        letter = 'u';
        break;
    case MS_N_ABS:
        letter = 'a';
        break;
    case MS_N_INDR:
        letter = 'i';
        break;
    case MS_N_SECT:
        letter = table->letters[entry->sect];
        break;
    }
    return entry->type & MS_N_EXT && letter != '?' ? (char)(letter - 'a' + 'A') : letter;
}

/* mach-o/stab.h. */
static const struct {
    uint8_t type;
    char name[6];
} STABS[] = {
    {0x20, "GSYM"},  {0x22, "FNAME"}, {0x24, "FUN"},   {0x26, "STSYM"}, {0x28, "LCSYM"},
    {0x2e, "BNSYM"}, {0x30, "PC"},    {0x32, "AST"},   {0x3c, "OPT"},   {0x40, "RSYM"},
    {0x44, "SLINE"}, {0x4e, "ENSYM"}, {0x60, "SSYM"},  {0x64, "SO"},    {0x66, "OSO"},
    {0x68, "LIB"},   {0x80, "LSYM"},  {0x82, "BINCL"}, {0x84, "SOL"},   {0x86, "PARAM"},
    {0x88, "VERS"},  {0x8a, "OLEV"},  {0xa0, "PSYM"},  {0xa2, "EINCL"}, {0xa4, "ENTRY"},
    {0xc0, "LBRAC"}, {0xc2, "EXCL"},  {0xe0, "RBRAC"}, {0xe2, "BCOMM"}, {0xe4, "ECOMM"},
    {0xe8, "ECOML"}, {0xfe, "LENG"},
};

const char *nm_stab_name(unsigned type, char room[3])
{
    for (size_t i = 0; i < sizeof STABS / sizeof *STABS; i++)
        if (STABS[i].type == type)
            return STABS[i].name;
    snprintf(room, 3, "%02x", type & 0xff);
    return room;
}

/* ---- sections and libraries ---------------------------------------------------------------- */

static char letter_of(const struct ms_macho *macho, const struct ms_section *section)
{
    static const struct {
        const char *segment, *section;
        char letter;
        bool kext; /* in kernel extensions alone */
    } KNOWN[] = {
        {"__TEXT", "__text", 't', false},
        {"__DATA", "__data", 'd', false},
        {"__DATA", "__bss", 'b', false},
        {"__TEXT_EXEC", "__text", 't', true},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (strcmp(section->segment_name, KNOWN[i].segment) == 0 &&
            strcmp(section->name, KNOWN[i].section) == 0 &&
            (!KNOWN[i].kext || macho->filetype == MS_MH_KEXT))
            return KNOWN[i].letter;
    return 's';
}

static void read_sections(struct nm_table *table)
{
    const struct ms_macho *macho = table->macho;
    for (size_t i = 0; i < NM_SECTIONS; i++) {
        table->letters[i] = 's';
        memcpy(table->sections[i], "(?,?) ", 7);
    }
    for (size_t i = 0; i + 1 < NM_SECTIONS && i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        table->letters[i + 1] = letter_of(macho, section);
        snprintf(table->sections[i + 1], NM_SECTION_TEXT, "(%s,%s) ", section->segment_name,
                 section->name);
        ms_text_make_plain(table->sections[i + 1]);
    }
}

static bool loads_library(uint32_t cmd)
{
    switch (cmd) {
    case 0xc:        /* LC_LOAD_DYLIB */
    case 0x80000018: /* LC_LOAD_WEAK_DYLIB */
    case 0x8000001f: /* LC_REEXPORT_DYLIB */
    case 0x20:       /* LC_LAZY_LOAD_DYLIB */
    case 0x80000023: /* LC_LOAD_UPWARD_DYLIB */
        return true;
    }
    return false;
}

static void read_libraries(struct nm_table *table)
{
    const struct ms_macho *macho = table->macho;
    for (size_t i = 0; i < macho->n_commands; i++) {
        const struct ms_load_command *command = &macho->commands[i];
        if (!loads_library(command->cmd))
            continue;
        size_t at = table->n_libraries++;
        if (at >= NM_LIBRARIES)
            continue;
        struct ms_cursor c = ms_cursor_over(command->body, macho->big);
        ms_cursor_skip(&c, 8);
        struct nm_library *library = &table->libraries[at];
        library->path = ms_bytes_string(command->body, ms_cursor_u32(&c), &library->path_bytes);
        if (library->path)
            nm_short_name(library->path, library->path_bytes, library);
    }
}

bool nm_has_ordinal(const struct nm_table *table, const struct nm_entry *entry, uint64_t value)
{
    return table->macho->flags & NM_TWOLEVEL && nm_is_undefined(entry->type, value) &&
           nm_ordinal(entry) != 0;
}

const struct nm_library *nm_library(const struct nm_table *table, const struct nm_entry *entry)
{
    unsigned ordinal = nm_ordinal(entry);
    if (ordinal == 0 || ordinal > table->n_libraries || ordinal > NM_LIBRARIES)
        return NULL;
    const struct nm_library *library = &table->libraries[ordinal - 1];
    return library->path ? library : NULL;
}

/* ---- choosing ------------------------------------------------------------------------------ */

/* The n_sect of the section that -s names, 0 for all, -1 when the image has none of that name. */
static int wanted_section(const struct nm_table *table)
{
    const struct ms_nm_options *options = table->options;
    const struct ms_macho *macho = table->macho;
    if (!options->segment || !options->section)
        return 0;
    for (size_t i = 0; i + 1 < NM_SECTIONS && i < macho->n_sections; i++)
        if (strcmp(macho->sections[i].segment_name, options->segment) == 0 &&
            strcmp(macho->sections[i].name, options->section) == 0)
            return (int)i + 1;
    return -1;
}

static bool is_wanted(const struct ms_nm_options *options, const struct ms_nlist *nlist, int sect)
{
    bool external = nlist->type & MS_N_EXT;
    bool undefined = nm_is_undefined(nlist->type, nlist->value) && external;
    if (nm_is_stab(nlist->type) &&
        (!options->stabs || options->external_only || options->undefined_only))
        return false;
    if (options->undefined_only ? !undefined : options->defined_only && undefined)
        return false;
    if (options->external_only && !external)
        return false;
    if (options->no_weak && nlist->desc & (NM_WEAK_REF | NM_WEAK_DEF))
        return false;
    return !sect || ((nlist->type & MS_N_TYPE) == MS_N_SECT && nlist->sect == sect);
}

static void choose(struct nm_table *table)
{
    const struct ms_macho *macho = table->macho;
    int sect = wanted_section(table);
    for (uint32_t i = 0; sect >= 0 && i < macho->n_nlist; i++) {
        bool bad;
        struct ms_nlist nlist = ms_nlist_at(macho, i, &bad);
        if (!is_wanted(table->options, &nlist, sect))
            continue;
        struct nm_entry *entry = &table->entries[table->n++];
        entry->index = i;
        entry->type = nlist.type;
        entry->sect = nlist.sect;
        entry->desc = nlist.desc;
        find_name(table, &nlist, bad, entry);
    }
}

enum ms_status nm_table_read(const struct ms_macho *macho, const struct ms_nm_options *options,
                             struct nm_table **out, struct ms_error *err)
{
    struct nm_table *table = calloc(1, sizeof *table);
    /* n_nlist entries are known to lie in the file. */
    struct nm_entry *entries =
        table ? malloc(((size_t)macho->n_nlist + 1) * sizeof *entries) : NULL;
    if (!entries) {
        free(table);
        return ms_fail_memory(err);
    }
    table->macho = macho;
    table->options = options;
    table->entries = entries;
    table->name_budget = (uint64_t)macho->strings.n * NAMES_A_BYTE + LEAST_BUDGET;
    table->demangled_budget = (uint64_t)macho->strings.n * READABLE_A_BYTE + LEAST_BUDGET;
    read_sections(table);
    read_libraries(table);
    choose(table);
    *out = table;
    return MS_OK;
}

void nm_table_free(struct nm_table *table)
{
    if (!table)
        return;
    free(table->entries);
    free(table);
}

void nm_table_tell(const struct nm_table *table, struct ms_nm_result *out, struct ms_error *err)
{
    const struct ms_macho *macho = table->macho;
    out->n_symbols = macho->n_nlist;
    out->n_shown = (uint32_t)table->n;
    out->n_bad_names = table->n_bad_names;
    if (!err)
        return;
    memset(err, 0, sizeof *err);
    if (table->n_bad_names) {
        uint64_t off = macho->nlist_off + (uint64_t)table->first_bad * (macho->is64 ? 16 : 12);
        struct nm_entry entry = {0, table->first_bad, 0, 0, 0, 0, 0};
        char more[48] = "";
        if (table->n_bad_names > 1)
            snprintf(more, sizeof more, ", and %u more such names",
                     (unsigned)table->n_bad_names - 1);
        (void)ms_fail(
            err, MS_E_FORMAT, macho->where, off,
            "the name of symbol %u is at 0x%x of the string table, which has 0x%zx bytes%s",
            (unsigned)table->first_bad, (unsigned)nm_name_field(table, &entry), macho->strings.n,
            more);
    } else if (table->names_cut) {
        (void)ms_fail(err, MS_E_LIMIT, macho->where, macho->strings_off,
                      "the symbols spell the %zu bytes of the string table more than %d times "
                      "over: names are cut at %d bytes",
                      macho->strings.n, NAMES_A_BYTE, CUT_NAME);
    } else if (table->names_left_mangled) {
        (void)ms_fail(err, MS_E_LIMIT, macho->where, macho->strings_off,
                      "the readable names have more than %d times the %zu bytes of the string "
                      "table: the rest stays mangled",
                      READABLE_A_BYTE, macho->strings.n);
    }
}
