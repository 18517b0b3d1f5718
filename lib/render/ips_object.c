#include "render/ips_object.h"

#include <inttypes.h>
#include <string.h>

/* ---- strings --------------------------------------------------------------------------- */

struct quote_target {
    struct ms_text *text;
    struct ms_ips_quoting quoting;
};

static bool quote_write(void *to, const char *bytes, size_t n)
{
    const struct quote_target *target = to;
    if (!target->quoting.escape_slash) {
        ms_text_add(target->text, bytes, n);
        return !target->text->failed;
    }
    while (n) {
        const char *slash = memchr(bytes, '/', n);
        size_t plain = slash ? (size_t)(slash - bytes) : n;
        ms_text_add(target->text, bytes, plain);
        if (slash)
            ms_text_add(target->text, "\\/", 2);
        plain += slash != NULL;
        bytes += plain;
        n -= plain;
    }
    return !target->text->failed;
}

void ms_ips_quote(struct ms_text *text, const char *bytes, size_t n, struct ms_ips_quoting quoting)
{
    struct quote_target target = {text, quoting};
    struct ms_sink sink = {.write = quote_write, .to = &target};
    ms_json_escape(&sink, bytes, n);
}

/* ---- layout ---------------------------------------------------------------------------- */

/* White space that is repeated for new members; longer runs than any indentation are not
 * worth repeating, and would let a file swell what is written. */
enum { MAX_GAP = 256 };

struct gap {
    size_t off, n;
};

/* How an object is laid out: `{ first "k" colon v, between "k" colon v close }`. */
struct layout {
    struct gap first, between, colon, close;
};

static struct gap gap_of(size_t from, size_t to)
{
    struct gap gap = {from, to - from};
    if (gap.n > MAX_GAP)
        gap.n = 0;
    return gap;
}

static struct layout layout_of(struct ms_bytes in, struct ms_json_value object)
{
    struct layout layout;
    struct ms_json_iter iter;
    struct ms_json_member member;
    size_t at = object.off + 1, end = object.off + object.n - 1, n = 0;
    memset(&layout, 0, sizeof layout);
    ms_json_iter_open(&iter, in, object);
    while (n < 2 && ms_json_iter_next(&iter, &member)) {
        if (n == 0) {
            layout.first = layout.between = gap_of(at, member.key.off);
            layout.colon = gap_of(member.key.off + member.key.n, member.value.off);
        } else {
            const uint8_t *comma = memchr(in.at + at, ',', member.key.off - at);
            if (comma)
                layout.between = gap_of((size_t)(comma - in.at) + 1, member.key.off);
        }
        at = member.value.off + member.value.n;
        n++;
    }
    size_t back = end;
    while (back > object.off + 1 && ms_json_space(in, back - 1, back) == back)
        back--;
    layout.close = gap_of(back, end);
    return layout;
}

static void add_gap(struct ms_text *text, struct ms_bytes in, struct gap gap)
{
    ms_text_add(text, (const char *)in.at + gap.off, gap.n);
}

/* A member that is being written: its key, then its value. */
static void add_key(struct ms_text *text, struct ms_bytes in, const struct layout *layout,
                    const char *key)
{
    ms_text_printf(text, "\"%s\"", key);
    if (layout->colon.n)
        add_gap(text, in, layout->colon);
    else
        ms_text_putc(text, ':');
}

/* ---- the names ------------------------------------------------------------------------- */

enum named { N_SOURCE_FILE, N_SOURCE_LINE, N_SYMBOL, N_SYMBOL_LOCATION, N_NAMED };

static const char *const named_keys[N_NAMED] = {
    "sourceFile",
    "sourceLine",
    "symbol",
    "symbolLocation",
};

static bool is_known(const struct ms_shown_frame *frame, enum named which, bool lines)
{
    switch (which) {
    case N_SYMBOL:
        return true;
    case N_SYMBOL_LOCATION:
        return frame->has_offset;
    case N_SOURCE_FILE:
        return lines && frame->file;
    case N_SOURCE_LINE:
        return lines && frame->line;
    default:
        return false;
    }
}

static void add_value(struct ms_text *text, const struct ms_shown_frame *frame, enum named which,
                      struct ms_ips_quoting quoting)
{
    const char *string = which == N_SYMBOL ? frame->function : frame->file;
    switch (which) {
    case N_SYMBOL:
    case N_SOURCE_FILE:
        ms_text_putc(text, '"');
        ms_ips_quote(text, string, strlen(string), quoting);
        ms_text_putc(text, '"');
        break;
    case N_SYMBOL_LOCATION:
        ms_text_printf(text, "%" PRIu64, frame->offset);
        break;
    default:
        ms_text_printf(text, "%" PRIu32, frame->line);
    }
}

/* The members that the object doesn't have yet, each with its comma before it. */
static void add_names(struct ms_text *text, struct ms_bytes in, const struct layout *layout,
                      const struct ms_shown_frame *frame, const bool *present, bool lines,
                      struct ms_ips_quoting quoting)
{
    static const enum named order[N_NAMED] = {N_SYMBOL, N_SYMBOL_LOCATION, N_SOURCE_FILE,
                                              N_SOURCE_LINE};
    for (size_t i = 0; i < N_NAMED; i++) {
        if (present[order[i]] || !is_known(frame, order[i], lines))
            continue;
        ms_text_putc(text, ',');
        add_gap(text, in, layout->between);
        add_key(text, in, layout, named_keys[order[i]]);
        add_value(text, frame, order[i], quoting);
    }
}

static enum named which_named(struct ms_bytes in, struct ms_json_value key)
{
    for (size_t i = 0; i < N_NAMED; i++)
        if (ms_json_says(in, key, named_keys[i]))
            return (enum named)i;
    return N_NAMED;
}

/* ---- an object that gets names --------------------------------------------------------- */

struct survey {
    bool present[N_NAMED];
    bool has_anchor;
    size_t n_members;
};

static struct survey survey_of(struct ms_bytes in, struct ms_json_value object, const char *anchor)
{
    struct survey survey;
    struct ms_json_iter iter;
    struct ms_json_member member;
    memset(&survey, 0, sizeof survey);
    ms_json_iter_open(&iter, in, object);
    while (ms_json_iter_next(&iter, &member)) {
        enum named which = which_named(in, member.key);
        if (which < N_NAMED)
            survey.present[which] = true;
        survey.has_anchor |= ms_json_says(in, member.key, anchor);
        survey.n_members++;
    }
    return survey;
}

/* Which members of an object are to be touched, and how. */
struct naming {
    const char *anchor;
    const struct ms_shown_frame *frame;
    bool lines;
    struct ms_ips_quoting quoting;
};

static void add_named(struct ms_text *text, struct ms_bytes in, struct ms_json_value object,
                      const struct layout *layout, const struct naming *naming)
{
    struct survey survey = survey_of(in, object, naming->anchor);
    const char *anchor = survey.present[N_SYMBOL] ? named_keys[N_SYMBOL] : naming->anchor;
    bool has_anchor = survey.present[N_SYMBOL] || survey.has_anchor;
    struct ms_json_iter iter;
    struct ms_json_member member;
    size_t before = object.off + 1; /* where the last member ended */
    size_t n = 0;
    bool kept_any = false, added = false;
    ms_text_putc(text, '{');
    ms_json_iter_open(&iter, in, object);
    while (ms_json_iter_next(&iter, &member)) {
        enum named which = which_named(in, member.key);
        bool ours = which < N_NAMED && (naming->lines || which > N_SOURCE_LINE);
        bool known = ours && is_known(naming->frame, which, naming->lines);
        size_t from = before;
        before = member.value.off + member.value.n;
        n++;
        if (ours && !known)
            continue;             /* it would speak of another function */
        if (!kept_any && n > 1) { /* the members before it are gone, and its comma with them */
            add_gap(text, in, layout->first);
            from = member.key.off;
        }
        kept_any = true;
        size_t to = known ? member.value.off : before;
        ms_text_add(text, (const char *)in.at + from, to - from);
        if (known)
            add_value(text, naming->frame, which, naming->quoting);
        if (!added && (has_anchor ? ms_json_says(in, member.key, anchor) : n == survey.n_members)) {
            add_names(text, in, layout, naming->frame, survey.present, naming->lines,
                      naming->quoting);
            added = true;
        }
    }
    ms_text_add(text, (const char *)in.at + before, object.off + object.n - before);
}

void ms_ips_object_named(struct ms_text *text, struct ms_bytes in, struct ms_json_value object,
                         const char *anchor, const struct ms_shown_frame *frame, bool lines,
                         struct ms_ips_quoting quoting)
{
    struct layout layout = layout_of(in, object);
    struct naming naming = {anchor, frame, lines, quoting};
    add_named(text, in, object, &layout, &naming);
}

/* ---- objects for inlined frames -------------------------------------------------------- */

/* The white space after the comma that parts the object from its neighbours in the array. */
static struct gap separator_of(struct ms_bytes in, struct ms_json_value object)
{
    size_t from = object.off;
    while (from && ms_json_space(in, from - 1, from) == from)
        from--;
    struct gap gap = gap_of(from, object.off);
    if (from == 0 || in.at[from - 1] != ',') { /* the first element: look behind it */
        size_t comma = ms_json_space(in, object.off + object.n, in.n);
        if (comma < in.n && in.at[comma] == ',')
            gap = gap_of(comma + 1, ms_json_space(in, comma + 1, in.n));
    }
    return gap;
}

static void add_raw_member(struct ms_text *text, struct ms_bytes in, const struct layout *layout,
                           const char *key, struct ms_json_value value)
{
    add_key(text, in, layout, key);
    ms_text_add(text, (const char *)in.at + value.off, value.n);
}

static void add_inlined(struct ms_text *text, struct ms_bytes in, const struct layout *layout,
                        const struct ms_json_value *place, const struct ms_shown_frame *frame,
                        struct ms_ips_quoting quoting)
{
    static const bool nothing[N_NAMED] = {false, false, false, false};
    ms_text_putc(text, '{');
    add_gap(text, in, layout->first);
    add_raw_member(text, in, layout, "imageOffset", place[1]);
    add_names(text, in, layout, frame, nothing, true, quoting);
    ms_text_putc(text, ',');
    add_gap(text, in, layout->between);
    add_key(text, in, layout, "inline");
    ms_text_puts(text, "true,");
    add_gap(text, in, layout->between);
    add_raw_member(text, in, layout, "imageIndex", place[0]);
    add_gap(text, in, layout->close);
    ms_text_putc(text, '}');
}

size_t ms_ips_object_frames(struct ms_text *text, struct ms_bytes in, struct ms_json_value object,
                            const struct ms_shown_frame *frames, size_t n_frames,
                            struct ms_ips_quoting quoting)
{
    static const char *const keys[] = {"imageIndex", "imageOffset"};
    struct layout layout = layout_of(in, object);
    struct naming naming = {"imageOffset", &frames[n_frames - 1], true, quoting};
    struct gap separator = {0, 0};
    struct ms_json_value place[2];
    size_t n_inlined = 0;
    ms_json_pick(in, object, keys, 2, place);
    if (n_frames > 1)
        separator = separator_of(in, object);
    for (size_t i = 0; i + 1 < n_frames && place[0].n && place[1].n; i++) {
        if (!frames[i].function)
            continue;
        add_inlined(text, in, &layout, place, &frames[i], quoting);
        ms_text_putc(text, ',');
        add_gap(text, in, separator);
        n_inlined++;
    }
    add_named(text, in, object, &layout, &naming);
    return n_inlined;
}
