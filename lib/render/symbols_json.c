/* render/symbols_json.c: a symbol tree as JSON. */
#include "render/symbols_walk.h"

#include <string.h>

struct writer {
    struct ms_json *json;
    const struct ms_symbol_tree *tree;
    const struct ms_tree_style *style;
    bool has_lines; /* an array of them is open */
};

static void put_region(void *to, const struct ms_tree_region *region)
{
    static const char *const kinds[] = {"segment", "header", "section"};
    struct ms_json *json = ((struct writer *)to)->json;
    ms_json_object(json);
    if (region) {
        ms_json_field(json, "kind", kinds[region->kind]);
        ms_json_field(json, "segment", region->segment);
        ms_json_field(json, "section", region->section);
        ms_json_field_address(json, "address", region->vm);
        ms_json_field_uint(json, "size", region->bytes);
    } else {
        ms_json_field(json, "kind", "outside");
    }
    ms_json_key(json, "symbols");
    ms_json_array(json);
}

static void end_region(void *to)
{
    struct ms_json *json = ((struct writer *)to)->json;
    ms_json_array_end(json);
    ms_json_object_end(json);
}

static void put_symbol(void *to, const struct ms_tree_symbol *symbol, struct symbols_name name)
{
    struct writer *w = to;
    struct ms_json *json = w->json;
    ms_json_object(json);
    if (symbol->name) {
        bool table = symbol->flags & (MS_TREE_NAME_NLIST | MS_TREE_NAME_EXPORT);
        bool underscore = table && name.raw_bytes && symbol->name[0] == '_';
        ms_json_key(json, "name");
        ms_json_string_n(json, name.at, name.n);
        ms_json_key(json, "mangled");
        ms_json_string_n(json, symbol->name + underscore, name.raw_bytes - underscore);
    }
    ms_json_field_address(json, "address", symbol->vm);
    ms_json_field_uint(json, "size", symbol->bytes);
    ms_json_key(json, "flags");
    ms_json_array(json);
    for (unsigned i = 0; i < MS_TREE_N_FLAGS; i++)
        if (symbol->flags >> i & 1)
            ms_json_string(json, ms_tree_flag_name(i));
    ms_json_array_end(json);
}

static void put_line(void *to, const struct ms_tree_line *line)
{
    struct writer *w = to;
    struct ms_tree_style style = *w->style;
    char path[4200];
    style.full_path = true;
    size_t n = symbols_file(w->tree, &style, line->file, path, sizeof path);
    if (!w->has_lines) {
        ms_json_key(w->json, "lines");
        ms_json_array(w->json);
        w->has_lines = true;
    }
    ms_json_object(w->json);
    ms_json_field_address(w->json, "address", line->vm);
    ms_json_field_uint(w->json, "size", line->bytes);
    if (line->file) {
        ms_json_key(w->json, "file");
        ms_json_string_n(w->json, path, n < sizeof path ? n : sizeof path - 1);
    }
    ms_json_field_uint(w->json, "line", line->line);
    ms_json_object_end(w->json);
}

static void end_symbol(void *to)
{
    struct writer *w = to;
    if (w->has_lines)
        ms_json_array_end(w->json);
    w->has_lines = false;
    ms_json_object_end(w->json);
}

static bool has_failed(void *to)
{
    return ((struct writer *)to)->json->sink->failed;
}

enum ms_status ms_symbol_tree_write_json(const struct ms_symbol_tree *tree,
                                         const struct ms_tree_style *style, struct ms_json *json,
                                         struct ms_tree_result *out, struct ms_error *err)
{
    struct writer w = {json, tree, style, false};
    struct symbols_writer writer = {put_region, end_region, put_symbol, end_symbol,
                                    put_line,   has_failed, &w};
    ms_json_array(json);
    enum ms_status status = symbols_walk(tree, style, &writer, out, err);
    ms_json_array_end(json);
    return status;
}
