#include "render/ips_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool ms_ips_has(struct ms_json_value value)
{
    return value.kind != MS_JSON_BAD && value.kind != MS_JSON_NULL;
}

struct ms_json_value ms_ips_sub(const struct ms_ips_text *t, enum ms_ips_text_key key,
                                const char *name)
{
    return ms_json_get(t->in, t->top[key], name);
}

void ms_ips_put(struct ms_ips_text *t, const char *text)
{
    ms_text_puts(&t->out, text);
}

void ms_ips_printf(struct ms_ips_text *t, const char *format, ...)
{
    char text[256]; /* numbers and labels; longer values go through ms_ips_value */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ms_text_puts(&t->out, text);
}

void ms_ips_label(struct ms_ips_text *t, const char *label)
{
    ms_ips_printf(t, "%-*s", (int)t->column, label);
}

/* Decodes the value to t->scratch; bytes that would forge a line or move the cursor become
 * '?'. */
static void decode(struct ms_ips_text *t, struct ms_json_value value, bool lines)
{
    ms_text_clear(&t->scratch);
    ms_json_add(&t->scratch, t->in, value);
    if (t->scratch.failed)
        t->out.failed = true;
    ms_text_plain_from(&t->scratch, 0, lines);
}

void ms_ips_value(struct ms_ips_text *t, struct ms_json_value value, const char * or)
{
    if (!ms_ips_has(value)) {
        if (or)
            ms_ips_put(t, or);
        return;
    }
    decode(t, value, false);
    ms_text_add(&t->out, t->scratch.at ? t->scratch.at : "", t->scratch.n);
}

void ms_ips_block(struct ms_ips_text *t, struct ms_json_value value)
{
    decode(t, value, true);
    ms_text_add(&t->out, t->scratch.at ? t->scratch.at : "", t->scratch.n);
    ms_text_putc(&t->out, '\n');
}

/* The strings in an array: one block each. */
static void add_array(struct ms_ips_text *t, struct ms_json_value array)
{
    struct ms_json_iter iter;
    struct ms_json_member element;
    ms_json_iter_open(&iter, t->in, array);
    while (ms_json_iter_next(&iter, &element))
        if (ms_ips_has(element.value) && element.value.kind < MS_JSON_ARRAY)
            ms_ips_block(t, element.value);
}

void ms_ips_blocks(struct ms_ips_text *t, struct ms_json_value value)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    if (value.kind == MS_JSON_OBJECT) {
        ms_json_iter_open(&iter, t->in, value);
        while (ms_json_iter_next(&iter, &member)) {
            if (member.value.kind == MS_JSON_ARRAY)
                add_array(t, member.value);
            else if (ms_ips_has(member.value) && member.value.kind < MS_JSON_ARRAY)
                ms_ips_block(t, member.value);
        }
    } else if (value.kind == MS_JSON_ARRAY)
        add_array(t, value);
    else if (ms_ips_has(value))
        ms_ips_block(t, value);
}

void ms_ips_line(struct ms_ips_text *t, const char *label, struct ms_json_value value)
{
    if (!ms_ips_has(value))
        return;
    ms_ips_label(t, label);
    ms_ips_value(t, value, NULL);
    ms_ips_put(t, "\n");
}
