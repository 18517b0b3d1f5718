/*
 * render/nm_write.c: one line a symbol, in the layouts of cctools' nm.
 */
#include "render/nm_lines.h"
#include "render/nm_table.h"

#include <stdio.h>
#include <stdlib.h>

struct writer {
    struct nm_table *table;
    struct nm_lines lines;
    struct nm_readable readable;
    unsigned digits; /* of an address */
    size_t prefix_bytes;
};

/* ---- pieces of a line ---------------------------------------------------------------------- */

static void put_value(struct writer *w, uint64_t value)
{
    unsigned radix = w->table->options->radix;
    if (radix == 8 || radix == 10) {
        char text[32];
        snprintf(text, sizeof text, radix == 8 ? "%0*llo" : "%0*llu", (int)w->digits,
                 (unsigned long long)value);
        nm_lines_puts(&w->lines, text);
    } else {
        nm_lines_hex(&w->lines, value, w->digits);
    }
}

static void put_blanks(struct writer *w)
{
    memset(nm_lines_reserve(&w->lines, 16), ' ', 16);
    w->lines.n += w->digits;
}

/* What has no address, or has an offset in the string table in its place. */
static void put_address(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    unsigned kind = entry->type & MS_N_TYPE;
    if (!nm_is_stab(entry->type) && ((kind == MS_N_UNDF && value == 0) || kind == MS_N_INDR))
        put_blanks(w);
    else
        put_value(w, value);
}

static void put_name(struct writer *w, const struct nm_entry *entry)
{
    struct ms_bytes name = nm_name(w->table, entry);
    if (w->table->options->demangle && nm_demangle(w->table, name, &w->readable))
        nm_lines_plain(&w->lines, w->readable.at, w->readable.n);
    else
        nm_lines_plain(&w->lines, (const char *)name.at, name.n);
}

static bool is_indirect(const struct nm_entry *entry)
{
    return !nm_is_stab(entry->type) && (entry->type & MS_N_TYPE) == MS_N_INDR;
}

static void put_indirect(struct writer *w, const char *words, uint64_t value)
{
    struct ms_bytes name = nm_indirect_name(w->table, value);
    nm_lines_puts(&w->lines, words);
    nm_lines_plain(&w->lines, (const char *)name.at, name.n);
    nm_lines_putc(&w->lines, ')');
}

/* "- 01 0000   FUN ", from the dash on. */
static void put_stab(struct writer *w, const struct nm_entry *entry)
{
    char room[3], text[8];
    nm_lines_add(&w->lines, "- ", 2);
    nm_lines_hex(&w->lines, entry->sect, 2);
    nm_lines_putc(&w->lines, ' ');
    nm_lines_hex(&w->lines, entry->desc, 4);
    snprintf(text, sizeof text, " %5.5s", nm_stab_name(entry->type, room));
    nm_lines_puts(&w->lines, text);
    nm_lines_putc(&w->lines, ' ');
}

/* ---- bsd, posix, names, hex ---------------------------------------------------------------- */

static void write_names(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    (void)value;
    put_name(w, entry);
}

static void write_bsd(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    if (w->table->options->undefined_only) {
        put_name(w, entry); /* its place and kind are known */
        return;
    }
    char letter = nm_letter(w->table, entry, value);
    if (letter == 'u' || letter == 'U')
        put_blanks(w); /* prebound ones, too */
    else
        put_address(w, entry, value);
    nm_lines_putc(&w->lines, ' ');
    if (letter == '-') {
        put_stab(w, entry);
    } else {
        char *at = nm_lines_reserve(&w->lines, 2);
        at[0] = letter;
        at[1] = ' ';
        w->lines.n += 2;
    }
    put_name(w, entry);
    if (is_indirect(entry))
        put_indirect(w, " (indirect for ", value);
}

static void write_posix(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    unsigned radix = w->table->options->radix;
    char text[48];
    put_name(w, entry);
    int n = snprintf(text, sizeof text,
                     radix == 8    ? " %c %llo 0"
                     : radix == 10 ? " %c %llu 0"
                                   : " %c %llx 0",
                     nm_letter(w->table, entry, value), (unsigned long long)value);
    nm_lines_add(&w->lines, text, (size_t)n);
}

static void write_hex(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    put_value(w, value);
    nm_lines_putc(&w->lines, ' ');
    nm_lines_hex(&w->lines, entry->type, 2);
    nm_lines_putc(&w->lines, ' ');
    nm_lines_hex(&w->lines, entry->sect, 2);
    nm_lines_putc(&w->lines, ' ');
    nm_lines_hex(&w->lines, entry->desc, 4);
    nm_lines_putc(&w->lines, ' ');
    nm_lines_hex(&w->lines, nm_name_field(w->table, entry), 8);
    nm_lines_putc(&w->lines, ' ');
    put_name(w, entry);
    if (is_indirect(entry)) {
        nm_lines_puts(&w->lines, " (indirect for ");
        put_value(w, value);
        put_indirect(w, " ", value);
    }
}

/* ---- darwin -------------------------------------------------------------------------------- */

static void put_undefined(struct writer *w, const struct nm_entry *entry)
{
    static const char *const kinds[] = {
        "undefined) ",           "undefined [lazy bound]) ",         "undefined) ", "undefined) ",
        "undefined [private]) ", "undefined [private lazy bound]) ", "undefined) ", "undefined) "};
    nm_lines_puts(&w->lines, (entry->type & MS_N_TYPE) == MS_N_PBUD ? "(prebound " : "(");
    nm_lines_puts(&w->lines, kinds[entry->desc & NM_REFERENCE_TYPE]);
}

/* "(__TEXT,__text) ", "(undefined) ", … */
static void put_kind(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    struct nm_lines *lines = &w->lines;
    switch (entry->type & MS_N_TYPE) {
    case MS_N_UNDF:
        if (value) {
            unsigned align = entry->desc >> 8 & 0xf;
            char text[32];
            snprintf(text, sizeof text, align ? "(common) (alignment 2^%u) " : "(common) ", align);
            nm_lines_puts(lines, text);
            break;
        }
        put_undefined(w, entry);
        break;
    case MS_N_PBUD:
        put_undefined(w, entry);
        break;
    case MS_N_ABS:
        nm_lines_puts(lines, "(absolute) ");
        break;
    case MS_N_INDR:
        nm_lines_puts(lines, "(indirect) ");
        break;
    case MS_N_SECT:
        nm_lines_puts(lines, w->table->sections[entry->sect]);
        break;
    default:
        nm_lines_puts(lines, "(?) ");
        break;
    }
}

static void put_reach(struct writer *w, const struct nm_entry *entry)
{
    const char *text;
    unsigned weak = entry->desc & (NM_WEAK_REF | NM_WEAK_DEF);
    bool external = entry->type & MS_N_EXT, private_external = entry->type & MS_N_PEXT;
    if (!external)
        text = private_external ? "non-external (was a private external) " : "non-external ";
    else if (private_external)
        text = weak & NM_WEAK_DEF ? "weak private external " : "private external ";
    else if (weak == (NM_WEAK_REF | NM_WEAK_DEF))
        text = "weak external automatically hidden ";
    else
        text = weak ? "weak external " : "external ";
    if (external && entry->desc & NM_REFERENCED_DYNAMICALLY)
        nm_lines_puts(&w->lines, "[referenced dynamically] ");
    nm_lines_puts(&w->lines, text);
}

/* What only an object file says, of definitions; of all, that it is to stay. */
static void put_marks(struct writer *w, const struct nm_entry *entry)
{
    static const struct {
        uint16_t bit;
        bool of_undefined;
        const char *text;
    } MARKS[] = {
        {NM_NO_DEAD_STRIP, true, "[no dead strip] "},
        {NM_SYMBOL_RESOLVER, false, "[symbol resolver] "},
        {MS_N_ALT_ENTRY, false, "[alt entry] "},
        {NM_COLD_FUNC, false, "[cold func] "},
    };
    bool undefined = (entry->type & MS_N_TYPE) == MS_N_UNDF;
    if (w->table->macho->filetype == MS_MH_OBJECT)
        for (size_t i = 0; i < sizeof MARKS / sizeof *MARKS; i++)
            if (entry->desc & MARKS[i].bit && (MARKS[i].of_undefined || !undefined))
                nm_lines_puts(&w->lines, MARKS[i].text);
    if (entry->desc & MS_N_ARM_THUMB_DEF)
        nm_lines_puts(&w->lines, "[Thumb] ");
}

static void put_library(struct writer *w, const struct nm_entry *entry)
{
    unsigned ordinal = nm_ordinal(entry);
    const struct nm_library *library = nm_library(w->table, entry);
    char text[64];
    if (ordinal == NM_EXECUTABLE_ORDINAL) {
        nm_lines_puts(&w->lines, " (from executable)");
    } else if (ordinal == NM_DYNAMIC_LOOKUP_ORDINAL) {
        nm_lines_puts(&w->lines, " (dynamically looked up)");
    } else if (library) {
        nm_lines_puts(&w->lines, " (from ");
        nm_lines_plain(&w->lines, library->name, library->name_bytes);
        nm_lines_putc(&w->lines, ')');
    } else {
        snprintf(text, sizeof text, " (from bad library ordinal %u)", ordinal);
        nm_lines_puts(&w->lines, text);
    }
}

static void write_darwin(struct writer *w, const struct nm_entry *entry, uint64_t value)
{
    put_address(w, entry, value);
    nm_lines_putc(&w->lines, ' ');
    if (nm_is_stab(entry->type)) {
        put_stab(w, entry);
        put_name(w, entry);
        return;
    }
    put_kind(w, entry, value);
    put_reach(w, entry);
    put_marks(w, entry);
    put_name(w, entry);
    if (is_indirect(entry))
        put_indirect(w, " (for ", value);
    if (nm_has_ordinal(w->table, entry, value))
        put_library(w, entry);
}

/* ---- all ----------------------------------------------------------------------------------- */

static void write_all(struct writer *w)
{
    static void (*const writers[])(struct writer *, const struct nm_entry *, uint64_t) = {
        [MS_NM_BSD] = write_bsd,     [MS_NM_DARWIN] = write_darwin, [MS_NM_POSIX] = write_posix,
        [MS_NM_NAMES] = write_names, [MS_NM_HEX] = write_hex,
    };
    const struct nm_table *table = w->table;
    for (size_t i = 0; i < table->n && !w->lines.sink->failed; i++) {
        const struct nm_entry *entry = nm_table_at(table, i);
        if (w->prefix_bytes)
            nm_lines_add(&w->lines, table->options->prefix, w->prefix_bytes);
        writers[table->options->format](w, entry, nm_value(table, entry));
        nm_lines_putc(&w->lines, '\n');
    }
    nm_lines_flush(&w->lines);
}

enum ms_status ms_nm_write(const struct ms_macho *macho, const struct ms_nm_options *options,
                           struct ms_sink *sink, struct ms_nm_result *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct writer *w = malloc(sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    enum ms_status status = nm_table_read(macho, options, &w->table, err);
    if (status == MS_OK) {
        w->lines.sink = sink;
        w->lines.n = 0;
        w->readable.large = NULL;
        w->readable.room = 0;
        w->digits = macho->is64 ? 16 : 8;
        w->prefix_bytes = options->prefix ? strlen(options->prefix) : 0;
        nm_table_sort(w->table);
        write_all(w);
        nm_table_tell(w->table, out, err);
        nm_table_free(w->table);
        free(w->readable.large);
    }
    free(w);
    return status;
}
