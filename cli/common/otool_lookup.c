/*
 * common/otool_lookup.c: the lines of --lookup as JSON. The helper program writes text, in short
 * lines since the range is short; of a longer one the end is cut.
 */
#include "common/otool_show.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 16 };

struct lines {
    struct ms_json *json;
    bool in_code;   /* a heading was passed, or an instruction: the array is open */
    bool has_bytes; /* those of each instruction stand before it */
    size_t n;
    char line[LONGEST];
};

static void open_code(struct lines *lines, const char *heading)
{
    if (lines->in_code)
        return;
    lines->in_code = true;
    ms_json_field(lines->json, "heading", heading);
    ms_json_key(lines->json, "code");
    ms_json_array(lines->json);
}

/* "-> ADDRESS<tab>TEXT", blanks for the arrow in all lines but one; of ARM with bytes before it. */
static void put_line(struct lines *lines)
{
    char *line = lines->line, *end = NULL;
    bool marked = strncmp(line, "-> ", 3) == 0;
    if (!marked && strncmp(line, "   ", 3) != 0) {
        if (lines->n > 1 && line[lines->n - 1] == ':')
            line[lines->n - 1] = 0;
        open_code(lines, line);
        return;
    }
    uint64_t vm = strtoull(line + 3, &end, 16);
    open_code(lines, NULL);
    ms_json_object(lines->json);
    ms_json_field_address(lines->json, "address", vm);
    end += *end == '\t';
    size_t bytes = strspn(end, "0123456789abcdef ");
    if (lines->has_bytes && bytes && end[bytes] == '\t') {
        end[bytes] = 0;
        ms_json_field(lines->json, "bytes", end);
        end += bytes + 1;
    }
    end += *end == '\t';
    for (char *c = end; *c; c++)
        if (*c == '\t')
            *c = ' ';
    ms_json_field(lines->json, "text", end);
    if (marked)
        ms_json_field_bool(lines->json, "looked_up", true);
    ms_json_object_end(lines->json);
}

static bool take(void *to, const char *bytes, size_t n)
{
    struct lines *lines = to;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != '\n') {
            if (lines->n + 1 < LONGEST)
                lines->line[lines->n++] = bytes[i];
            continue;
        }
        lines->line[lines->n] = 0;
        put_line(lines);
        lines->n = 0;
    }
    return true;
}

void otool_code_json(struct otool_run *run, const struct ms_macho *macho,
                     const struct ms_section *section)
{
    static struct lines lines; /* both are large */
    static struct out out;
    struct ms_json *json = &run->json;
    lines.json = json;
    lines.in_code = false;
    lines.has_bytes = run->want->opcodes || macho->cputype == MS_CPU_ARM;
    lines.n = 0;
    out_stdout(&out);
    out.sink = (struct ms_sink){.write = take, .to = &lines};
    ms_json_field(json, "segment", section->segment_name);
    ms_json_field(json, "section", section->name);
    otool_put_code(run, macho, section, &out);
    open_code(&lines, NULL);
    ms_json_array_end(json);
}
