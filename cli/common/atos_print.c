#include "common/atos_print.h"

#include "common/answer_json.h"
#include "common/console.h"
#include "machsym/error.h"
#include "machsym/slide.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool in_image(const struct atos_printer *p, uint64_t address_vm)
{
    return address_vm >= p->info->text_vm && address_vm < p->info->end_vm;
}

char *atos_place(const struct ms_image_info *info, size_t *n_place)
{
    static const char before[] = " (in ", after[] = ") (";
    size_t n = strlen(info->name);
    char *place = malloc(n + sizeof before + sizeof after);
    if (!place)
        return NULL;
    memcpy(place, before, sizeof before - 1);
    memcpy(place + sizeof before - 1, info->name, n + 1);
    ms_text_make_plain(place);
    n = strlen(place);
    memcpy(place + n, after, sizeof after);
    *n_place = n + 1;
    return place;
}

static void print_frame(struct atos_printer *p, const struct ms_shown_frame *frame)
{
    struct ms_sink *sink = p->sink;
    if (frame->source == MS_SOURCE_STUB)
        ms_sink_puts(sink, "DYLD-STUB$$");
    ms_sink_plain(sink, frame->function);
    bool made_up = frame->file && !frame->line && strstr(frame->file, "<compiler-generated>");
    bool has_line = frame->file && (frame->line || made_up);
    ms_sink_write(sink, p->place, has_line ? p->n_place + 2 : p->n_place);
    if (has_line) {
        ms_sink_plain(sink, frame->file);
        ms_sink_write(sink, ":", 1);
        ms_sink_uint(sink, frame->line);
        ms_sink_write(sink, ")", 1);
    } else if (frame->has_offset) {
        ms_sink_write(sink, " + ", 3);
        ms_sink_uint(sink, frame->offset);
    }
}

/* Nothing has a name: as much as is known of the address itself. */
static void print_unnamed(struct atos_printer *p, const struct atos_question *q, const char *word)
{
    struct ms_sink *sink = p->sink;
    uint64_t address_vm = ms_slide_to_vm(q->address_rt, p->slide);
    if (!q->is_address) {
        ms_sink_plain(sink, word);
    } else if (!in_image(p, q->lookup_vm)) {
        ms_sink_printf(sink, "0x%" PRIx64, q->address_rt);
    } else {
        ms_sink_printf(sink, "0x%" PRIx64, q->address_rt);
        ms_sink_write(sink, p->place, p->n_place);
        if (address_vm != p->info->text_vm)
            ms_sink_printf(sink, " + %" PRIu64, address_vm - p->info->text_vm);
    }
}

/* The other names of code that was folded: symbols that start where the function does. */
static int print_folded(struct atos_printer *p, const struct ms_shown_frame *outer)
{
    if (!outer->has_offset || outer->inlined)
        return EXIT_DONE;
    uint64_t start_vm = ms_slide_to_vm(outer->start_rt, p->slide);
    for (size_t i = 0;; i++) {
        struct ms_frame alias;
        struct ms_answer answer = {&alias, 1, MS_WHY_COMPLETE};
        struct ms_shown shown;
        struct ms_error err;
        enum ms_status status = ms_image_alias(p->image, start_vm, i, &alias, &err);
        if (status == MS_ABSENT)
            return EXIT_DONE;
        if (status == MS_OK)
            status = ms_show(p->pool, &answer, &p->style, outer->offset, p->slide, &shown, &err);
        if (status != MS_OK)
            return complain_error(&err);
        if (strcmp(shown.frames[0].function, outer->function) == 0)
            continue;
        ms_sink_puts(p->sink, p->delimiter ? p->delimiter : "\n");
        print_frame(p, &shown.frames[0]);
    }
}

static int print_text(struct atos_printer *p, const struct atos_question *q, const char *word,
                      const struct ms_shown *shown)
{
    int status = EXIT_DONE;
    struct ms_sink *sink = p->sink;
    size_t n = shown->n_frames;
    if (!n || !shown->frames[n - 1].function) {
        print_unnamed(p, q, word);
    } else {
        for (size_t i = p->inlines ? 0 : n - 1; i < n; i++) {
            if (!shown->frames[i].function) /* a level whose name is unknown: say its caller's */
                continue;
            print_frame(p, &shown->frames[i]);
            if (i + 1 < n)
                ms_sink_puts(sink, p->delimiter ? p->delimiter : "\n");
        }
        if (p->dedup)
            status = print_folded(p, &shown->frames[n - 1]);
    }
    ms_sink_puts(sink, p->inlines && !p->delimiter ? "\n\n" : "\n");
    return status;
}

static void print_json(struct atos_printer *p, const struct atos_question *q, const char *word,
                       const struct ms_shown *shown)
{
    struct ms_json json;
    ms_json_init(&json, p->sink, 0);
    ms_json_object(&json);
    if (q->is_name)
        ms_json_field(&json, "name", word);
    if (q->is_address) {
        ms_json_field_address(&json, "address", q->address_rt);
        ms_json_field_address(&json, "file_address", ms_slide_to_vm(q->address_rt, p->slide));
    }
    json_image_head(&json, p->info);
    json_shown(&json, shown);
    ms_json_object_end(&json);
    ms_sink_puts(p->sink, "\n");
}

int atos_print(struct atos_printer *p, const struct atos_question *q, const char *word,
               const struct ms_answer *answer)
{
    /* A word that is no address and no symbol's name: the file has no symbol for it. */
    struct ms_answer nothing = {NULL, 0, q->is_address ? MS_WHY_NO_IMAGE : MS_WHY_STRIPPED};
    struct ms_shown shown = {.why = MS_WHY_NO_IMAGE};
    struct ms_error err;
    /* What lies outside all segments is no part of the image, unless DWARF knows better. */
    bool ask = answer && (answer->n_frames || in_image(p, q->lookup_vm));
    uint64_t adjust = ms_slide_to_vm(q->address_rt, p->slide) - q->lookup_vm;
    if (ms_show(p->pool, ask ? answer : &nothing, &p->style, adjust, p->slide, &shown, &err) !=
        MS_OK)
        return complain_error(&err);
    int status = EXIT_DONE;
    for (size_t i = 0; p->verbose && !p->style.no_demangle && i < shown.n_frames; i++)
        if (is_unread(&shown.frames[i]))
            tell_unread(p->unread, shown.frames[i].mangled);
    if (p->json)
        print_json(p, q, word, &shown);
    else
        status = print_text(p, q, word, &shown);
    ms_show_pool_clear(p->pool);
    return status;
}
