/* How much of the code the debug information knows, for people. */
#include "machsym/dwarf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "98.25 %" of the whole, with blanks before it. */
static void put_share(struct ms_sink *sink, const char *what, uint64_t part, uint64_t whole)
{
    ms_sink_printf(sink, "  %-24s %12" PRIu64, what, part);
    if (whole)
        ms_sink_printf(sink, "  %6.2f %%", 100.0 * (double)part / (double)whole);
    ms_sink_puts(sink, "\n");
}

/* Units by what they share: a language, a producer. */
struct group {
    const char *name;
    size_t n;
};

static int by_name(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int by_count(const void *a, const void *b)
{
    const struct group *x = a, *y = b;
    return x->n != y->n ? (x->n > y->n ? -1 : 1) : strcmp(x->name, y->name);
}

static const char *language(const struct ms_unit_info *unit)
{
    const char *name = ms_dwarf_language(unit->language);
    return name ? name : "unknown";
}

static const char *producer(const struct ms_unit_info *unit)
{
    return unit->producer && unit->producer[0] ? unit->producer : "unknown";
}

static void put_groups(const struct ms_dwarf_statistics *s, const char *heading,
                       const char *(*name)(const struct ms_unit_info *), struct ms_sink *sink)
{
    struct group *groups = calloc(s->n_units + 1, sizeof *groups);
    size_t n = 0;
    if (!groups) {
        sink->failed = true;
        return;
    }
    for (size_t i = 0; i < s->n_units; i++)
        groups[i] = (struct group){name(&s->units[i].unit), 1};
    qsort(groups, s->n_units, sizeof *groups, by_name);
    for (size_t i = 0; i < s->n_units; i++) {
        if (n && strcmp(groups[n - 1].name, groups[i].name) == 0)
            groups[n - 1].n++;
        else
            groups[n++] = groups[i];
    }
    qsort(groups, n, sizeof *groups, by_count);
    ms_sink_printf(sink, "%s\n", heading);
    for (size_t i = 0; i < n; i++) {
        ms_sink_printf(sink, "  %8zu  ", groups[i].n);
        ms_sink_plain(sink, groups[i].name);
        ms_sink_puts(sink, "\n");
    }
    free(groups);
}

void ms_dwarf_statistics_write(const struct ms_dwarf_statistics *s, struct ms_sink *sink)
{
    const struct ms_cover *t = &s->total;
    uint64_t known = t->line_bytes + t->zero_bytes;
    ms_sink_puts(sink, "code\n");
    put_share(sink, "bytes of __text", s->text_bytes, 0);
    put_share(sink, "named by DWARF", t->named_bytes, s->text_bytes);
    put_share(sink, "named, symbols included", s->symbol_bytes, s->text_bytes);
    put_share(sink, "with a line", t->line_bytes, s->text_bytes);
    put_share(sink, "with line 0", t->zero_bytes, s->text_bytes);
    put_share(sink, "without a row", s->text_bytes > known ? s->text_bytes - known : 0,
              s->text_bytes);
    ms_sink_puts(sink, "counts\n");
    if (s->n_objects) {
        put_share(sink, "objects", s->n_objects, 0);
        put_share(sink, "objects not to be had", s->n_missing, 0);
    }
    put_share(sink, "units", s->n_units, 0);
    put_share(sink, "damaged units", s->n_broken, 0);
    put_share(sink, "functions", t->n_functions, 0);
    put_share(sink, "inlined calls", t->n_inlined, 0);
    put_share(sink, "line rows", t->n_rows, 0);
    put_groups(s, "languages", language, sink);
    put_groups(s, "producers", producer, sink);
    if (s->n_sections || !s->n_objects)
        ms_sink_puts(sink, "sections, and what share of the 4 GB that 32-bit offsets reach\n");
    for (size_t i = 0; i < s->n_sections; i++)
        put_share(sink, s->sections[i].name, s->sections[i].bytes, MS_DWARF32_REACH);
}
