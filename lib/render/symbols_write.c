/* render/symbols_write.c: a symbol tree in the layout of symbols(1). */
#include "render/nm_lines.h"
#include "render/symbols_walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { N_TEXTS = 64, TEXT_ROOM = 256, MAX_INDENT = 32 };

const char *ms_tree_flag_name(unsigned i)
{
    static const char *const names[MS_TREE_N_FLAGS] = {"FUNC",
                                                       "DYLD-STUB",
                                                       "OBJC",
                                                       "THUMB",
                                                       "EXT",
                                                       "PEXT",
                                                       "LENGTH",
                                                       "NameNList",
                                                       "NameDwarf",
                                                       "NameDwarfMIPSLinkage",
                                                       "NameExport",
                                                       "NameObjC",
                                                       "NameSwift",
                                                       "MangledNameNList",
                                                       "MangledNameDwarf",
                                                       "MangledNameDwarfMIPSLinkage",
                                                       "Merged",
                                                       "NList",
                                                       "Dwarf",
                                                       "DebugMap",
                                                       "FunctionStarts"};
    return i < MS_TREE_N_FLAGS ? names[i] : "";
}

struct writer {
    struct nm_lines lines;
    const struct ms_symbol_tree *tree;
    const struct ms_tree_style *style;
    uint32_t file; /* whose text is in `path` */
    bool has_path;
    size_t path_bytes;
    char path[4200];
    /* Flags as text: few of all combinations are met. */
    struct {
        uint32_t flags;
        uint32_t n;
        char text[TEXT_ROOM];
    } texts[N_TEXTS];
};

/* "    0x0000000100000820 (    0x5c) " */
static void put_place(struct writer *w, unsigned indent, uint64_t vm, uint64_t bytes)
{
    indent += w->style->indent < MAX_INDENT ? w->style->indent : MAX_INDENT;
    char digits[17];
    unsigned n = 0;
    do
        digits[n++] = "0123456789abcdef"[bytes & 15];
    while ((bytes >>= 4) != 0);
    char *at = nm_lines_reserve(&w->lines, indent + 64);
    memset(at, ' ', indent);
    at[indent] = '0';
    at[indent + 1] = 'x';
    w->lines.n += indent + 2;
    nm_lines_hex(&w->lines, vm, vm >> 32 || w->tree->is64 ? 16 : 8);
    char *size = nm_lines_reserve(&w->lines, 32);
    unsigned k = 0;
    size[k++] = ' ';
    size[k++] = '(';
    for (unsigned blanks = n + 2; blanks < 8; blanks++)
        size[k++] = ' ';
    size[k++] = '0';
    size[k++] = 'x';
    while (n)
        size[k++] = digits[--n];
    size[k++] = ')';
    size[k++] = ' ';
    w->lines.n += k;
}

/* A segment whose sections follow. */
static bool is_parent(const struct writer *w, const struct ms_tree_region *region)
{
    return region->kind == MS_TREE_SEGMENT && region + 1 < w->tree->regions + w->tree->n_regions &&
           region[1].kind != MS_TREE_SEGMENT;
}

/* What is looked up by its name stands below its section alone. */
static void put_region(void *to, const struct ms_tree_region *region)
{
    struct writer *w = to;
    if (!region || w->style->no_regions || (w->style->glob && is_parent(w, region)))
        return;
    put_place(w, region->kind == MS_TREE_SEGMENT ? 8 : 12, region->vm, region->bytes);
    if (region->kind == MS_TREE_HEADER) {
        nm_lines_puts(&w->lines, "MACH_HEADER\n");
        return;
    }
    nm_lines_plain(&w->lines, region->segment, strlen(region->segment));
    nm_lines_putc(&w->lines, ' ');
    if (region->section)
        nm_lines_plain(&w->lines, region->section, strlen(region->section));
    else
        nm_lines_puts(&w->lines, "SEGMENT");
    nm_lines_putc(&w->lines, '\n');
}

static void put_flags(struct writer *w, uint32_t flags)
{
    size_t slot = (flags * 0x9e3779b1u) >> 26;
    if (w->texts[slot].flags != flags || !w->texts[slot].n) {
        char *text = w->texts[slot].text;
        size_t n = 0;
        for (unsigned i = 0; i < MS_TREE_N_FLAGS; i++)
            if (flags >> i & 1)
                n += (size_t)snprintf(text + n, TEXT_ROOM - n, "%s%s", n ? ", " : " [",
                                      ms_tree_flag_name(i));
        n += (size_t)snprintf(text + n, TEXT_ROOM - n, n ? "] \n" : " [] \n");
        w->texts[slot].flags = flags;
        w->texts[slot].n = (uint32_t)n;
    }
    nm_lines_add(&w->lines, w->texts[slot].text, w->texts[slot].n);
}

static void put_symbol(void *to, const struct ms_tree_symbol *symbol, struct symbols_name name)
{
    struct writer *w = to;
    put_place(w, 16, symbol->vm, symbol->bytes);
    nm_lines_plain(&w->lines, name.at, name.n);
    put_flags(w, symbol->flags);
}

static void put_line(void *to, const struct ms_tree_line *line)
{
    struct writer *w = to;
    char number[16];
    if (!w->has_path || w->file != line->file) {
        w->path_bytes = symbols_file(w->tree, w->style, line->file, w->path, sizeof w->path);
        if (w->path_bytes >= sizeof w->path)
            w->path_bytes = sizeof w->path - 1;
        w->file = line->file;
        w->has_path = true;
    }
    put_place(w, 20, line->vm, line->bytes);
    nm_lines_plain(&w->lines, w->path, w->path_bytes);
    nm_lines_add(&w->lines, number, (size_t)snprintf(number, sizeof number, ":%u\n", line->line));
}

static void put_nothing(void *to)
{
    (void)to;
}

static bool has_failed(void *to)
{
    return ((struct writer *)to)->lines.sink->failed;
}

enum ms_status ms_symbol_tree_write(const struct ms_symbol_tree *tree,
                                    const struct ms_tree_style *style, struct ms_sink *sink,
                                    struct ms_tree_result *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct writer *w = calloc(1, sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    w->lines.sink = sink;
    w->tree = tree;
    w->style = style;
    struct symbols_writer writer = {put_region, put_nothing, put_symbol, put_nothing,
                                    put_line,   has_failed,  w};
    enum ms_status status = symbols_walk(tree, style, &writer, out, err);
    nm_lines_flush(&w->lines);
    free(w);
    return status;
}
