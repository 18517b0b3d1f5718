#include "render/symbols_walk.h"

#include "machsym/demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SHOWN = 1 << 16, /* of a readable name */
    ALIASES = 16,        /* so many names of one address are looked through for DWARF's */
    CUT_NAME = 64        /* bytes of a name once the budget is gone */
};

static const char stub_prefix[] = "DYLD-STUB$$";

struct symbols_walk {
    const struct ms_symbol_tree *tree;
    const struct ms_tree_style *style;
    const struct symbols_writer *writer;
    struct ms_tree_result *result;
    const struct ms_tree_region *segment; /* not shown yet, as nothing in it was */
    size_t next_line;
    uint64_t name_budget; /* bytes of names: a table can spell the same ones over and over */
    char room[MAX_SHOWN + sizeof stub_prefix];
};

/* ---- names ------------------------------------------------------------------------------- */

static struct symbols_name name_of(struct symbols_walk *w, const struct ms_tree_symbol *symbol)
{
    static const char nameless[] = "null";
    if (!symbol->name)
        return (struct symbols_name){nameless, sizeof nameless - 1, 0};
    size_t most = w->name_budget > CUT_NAME ? (size_t)w->name_budget : CUT_NAME;
    size_t n = strnlen(symbol->name, most), raw = n;
    w->result->cut |= n == most;
    w->name_budget -= n < w->name_budget ? n : w->name_budget;
    size_t start = symbol->flags & MS_TREE_STUB ? sizeof stub_prefix - 1 : 0;
    if (w->style->mangled && !start)
        return (struct symbols_name){symbol->name, n, raw};
    bool table = symbol->flags & (MS_TREE_NAME_NLIST | MS_TREE_NAME_EXPORT);
    const char *plain = symbol->name;
    if (!w->style->mangled && !start && n < most && w->style->readable) {
        struct symbols_name name = {NULL, 0, raw};
        size_t i = (size_t)(symbol - w->tree->symbols);
        if (w->style->readable(w->style->readable_owner, i, &name.at, &name.n))
            return name;
    }
    if (!w->style->mangled) {
        size_t shown = ms_demangle_symbol(plain, n, table, w->style->demangle_style,
                                          w->room + start, sizeof w->room - start);
        if (shown && shown < sizeof w->room - start) {
            memcpy(w->room, stub_prefix, start);
            return (struct symbols_name){w->room, start + shown, raw};
        }
    }
    bool underscore = table && plain[0] == '_';
    plain += underscore;
    n -= underscore;
    if (!start)
        return (struct symbols_name){plain, n, raw};
    if (n > MAX_SHOWN)
        n = MAX_SHOWN;
    memcpy(w->room, stub_prefix, start);
    memcpy(w->room + start, plain, n);
    return (struct symbols_name){w->room, start + n, raw};
}

/* Does text have something in it that the pattern fits? '*' is any bytes, '?' is one. */
static bool fits(const char *pattern, const char *text, size_t n)
{
    const char *star = pattern; /* there is one before the pattern, … */
    size_t from = 0, at = 0;
    for (;;) {
        if (*pattern == '*') {
            star = ++pattern;
            from = at;
        } else if (!*pattern) {
            return true; /* … and one behind */
        } else if (at < n && (*pattern == '?' || *pattern == text[at])) {
            pattern++;
            at++;
        } else if (at >= n) {
            return false;
        } else {
            pattern = star;
            at = ++from;
        }
    }
}

/* ---- lines ------------------------------------------------------------------------------- */

static bool holds(uint64_t vm, uint64_t bytes, uint64_t address)
{
    return address >= vm && address - vm < bytes;
}

/* Another name of the same address is the one that DWARF knows. */
static bool leaves_lines(const struct symbols_walk *w, const struct ms_tree_symbol *symbol)
{
    if (symbol->flags & MS_TREE_DWARF)
        return false;
    const struct ms_tree_symbol *end = w->tree->symbols + w->tree->n_symbols;
    for (size_t i = 1; i <= ALIASES && symbol + i < end && symbol[i].vm == symbol->vm; i++)
        if (symbol[i].flags & MS_TREE_DWARF)
            return true;
    return false;
}

/* Each line is shown once, below the first function that holds its start. */
static void walk_lines(struct symbols_walk *w, const struct ms_tree_symbol *symbol)
{
    const struct ms_symbol_tree *tree = w->tree;
    if (w->style->no_sources || !(symbol->flags & MS_TREE_FUNC) || leaves_lines(w, symbol))
        return;
    while (w->next_line < tree->n_lines && tree->lines[w->next_line].vm < symbol->vm)
        w->next_line++;
    for (; w->next_line < tree->n_lines; w->next_line++) {
        const struct ms_tree_line *line = &tree->lines[w->next_line];
        if (line->vm - symbol->vm >= symbol->bytes)
            return;
        if (!w->style->has_address || holds(line->vm, line->bytes, w->style->address_vm))
            w->writer->line(w->writer->to, line);
    }
}

/* ---- symbols and regions ----------------------------------------------------------------- */

static bool filters(const struct symbols_walk *w)
{
    return w->style->has_address || w->style->glob;
}

static void show_segment(struct symbols_walk *w)
{
    if (!w->segment)
        return;
    w->writer->region(w->writer->to, w->segment);
    w->writer->region_end(w->writer->to);
    w->segment = NULL;
}

/* The symbols of a region, which is shown when it has one to show, or all is. */
static void walk_symbols(struct symbols_walk *w, const struct ms_tree_region *region, size_t first,
                         size_t n)
{
    const struct symbols_writer *to = w->writer;
    bool shown = !filters(w) || (region && w->style->has_address && !w->style->glob &&
                                 holds(region->vm, region->bytes, w->style->address_vm));
    if (shown) {
        if (region && region->kind != MS_TREE_SEGMENT)
            show_segment(w);
        to->region(to->to, region);
    }
    for (size_t i = first; i < first + n && !w->style->no_symbols && !to->failed(to->to); i++) {
        const struct ms_tree_symbol *symbol = &w->tree->symbols[i];
        if (w->style->has_address && !holds(symbol->vm, symbol->bytes, w->style->address_vm))
            continue;
        struct symbols_name name = name_of(w, symbol);
        if (w->style->glob && !fits(w->style->glob, name.at, name.n))
            continue;
        if (!shown) {
            if (region && region->kind != MS_TREE_SEGMENT)
                show_segment(w);
            to->region(to->to, region);
        }
        shown = true;
        w->result->n_shown++;
        to->symbol(to->to, symbol, name);
        walk_lines(w, symbol);
        to->symbol_end(to->to);
    }
    if (shown)
        to->region_end(to->to);
}

enum ms_status symbols_walk(const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                            const struct symbols_writer *writer, struct ms_tree_result *out,
                            struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct symbols_walk *w = malloc(sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    w->tree = tree;
    w->style = style;
    w->writer = writer;
    w->result = out;
    w->segment = NULL;
    w->next_line = 0;
    w->name_budget = ((uint64_t)64 << 20) + (uint64_t)1024 * tree->n_symbols;
    if (tree->n_outside)
        walk_symbols(w, NULL, 0, tree->n_outside);
    for (size_t i = 0; i < tree->n_regions && !writer->failed(writer->to); i++) {
        const struct ms_tree_region *region = &tree->regions[i];
        bool parent = region->kind == MS_TREE_SEGMENT && i + 1 < tree->n_regions &&
                      tree->regions[i + 1].kind != MS_TREE_SEGMENT;
        if (parent) {
            w->segment = region;
            continue;
        }
        walk_symbols(w, region, region->first, region->n);
    }
    free(w);
    return MS_OK;
}

size_t symbols_file(const struct ms_symbol_tree *tree, const struct ms_tree_style *style,
                    uint32_t file, char *room, size_t n)
{
    const struct ms_tree_file *f = file < tree->n_files ? &tree->files[file] : NULL;
    if (!f || !f->file)
        return (size_t)snprintf(room, n, "???");
    if (!style->full_path) {
        const char *slash = strrchr(f->file, '/');
        return (size_t)snprintf(room, n, "%s", slash && slash[1] ? slash + 1 : f->file);
    }
    struct ms_frame frame;
    memset(&frame, 0, sizeof frame);
    frame.comp_dir = f->comp_dir;
    frame.dir = f->dir;
    frame.file = f->file;
    return ms_frame_path(&frame, room, n);
}
