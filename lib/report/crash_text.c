#include "report/crash_text.h"
#include "report/crash_text_fields.h"
#include "report/crash_text_frame.h"
#include "report/crash_text_images.h"
#include "report/ips.h"

enum { NAME_CACHE = 256 };

/* Where in the report the reader is; decides what a line can be. */
enum section {
    SECTION_HEADER, /* the fields before the first section */
    SECTION_THREAD,
    SECTION_LAST_EXCEPTION,
    SECTION_APP_SPECIFIC,
    SECTION_FIRST_THROW,
    SECTION_STATE,
    SECTION_IMAGES,
    SECTION_OTHER
};

struct text_reader {
    struct ms_report_builder *b;
    struct ms_line_reader lines;
    enum section section;
    size_t first_frame;   /* of the section */
    uint32_t group;       /* of the frames to come, where the thread does not say */
    uint32_t n_registers; /* of the state so far */
    size_t n_states;
    bool waits_for_head; /* the newest thread was made by its "Thread N name:" line */
    bool implicit;       /* the frames stand without a thread's line: a fragment */
    int32_t highlighted; /* the first highlighted or attributed thread, -1 */
    struct ms_crash_fields fields;
    size_t n_odd_frames, n_odd_images, odd_off; /* lines that should be one and are not */
    /* The arena's copies of the last names: those of images and of a recursion repeat. */
    const char *names[NAME_CACHE];
};

/* ---- names ---------------------------------------------------------------------------- */

static const char *copy_name(struct text_reader *r, const char *text, size_t n)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (uint8_t)text[i]) * 16777619u;
    const char **slot = &r->names[hash % NAME_CACHE];
    if (*slot && strlen(*slot) == n && memcmp(*slot, text, n) == 0)
        return *slot;
    return *slot = ms_builder_copy(r->b, text, n);
}

static const char *copy_part(struct text_reader *r, const char *text, struct ms_line_part part)
{
    return part.n ? copy_name(r, text + part.at, part.n) : NULL;
}

/* ---- threads -------------------------------------------------------------------------- */

/* "name  Dispatch queue: q", either of which may be missing. */
static void read_thread_name(struct text_reader *r, struct ms_report_thread *thread,
                             const char *text, size_t n)
{
    static const char *const labels[] = {"Dispatch queue:", "Dispatch Queue:"};
    size_t label = n;
    for (int i = 0; i < 2 && label == n; i++)
        label = ms_scan_find(text, n, labels[i]);
    size_t start = ms_scan_blanks(text, n);
    size_t end = label < n ? ms_scan_trim_end(text, label) : n;
    if (end > start && label < n && text[end - 1] == ',')
        end--;
    if (end > start)
        thread->name = copy_name(r, text + start, end - start);
    if (label == n)
        return;
    start = label + strlen(labels[0]);
    start += ms_scan_blanks(text + start, n - start);
    if (start < n)
        thread->queue = copy_name(r, text + start, n - start);
}

static void read_thread(struct text_reader *r, const struct ms_crash_head *head, const char *text,
                        size_t n)
{
    struct ms_report_builder *b = r->b;
    struct ms_report_thread *thread = NULL;
    if (r->waits_for_head && b->n_threads && head->kind == MS_LINE_THREAD &&
        b->threads[b->n_threads - 1].number == head->number)
        thread = &b->threads[b->n_threads - 1];
    else
        thread = ms_builder_thread(b);
    thread->number = head->number;
    thread->crashed |= head->crashed;
    if (head->highlighted && r->highlighted < 0 && b->n_threads)
        r->highlighted = (int32_t)(b->n_threads - 1);
    read_thread_name(r, thread, text + head->rest, n - head->rest);
    r->waits_for_head = head->kind == MS_LINE_THREAD_NAME;
    r->section = SECTION_THREAD;
}

/* ---- frames --------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Inlined frames that a tool has not tagged (TestFlight): the same address under another name.
 * The same name again is recursion. */
static void find_untagged_inline(const struct text_reader *r)
{
    const struct ms_report_builder *b = r->b;
    if (b->n_frames < r->first_frame + 2)
        return;
    struct ms_frame_item *before = &b->frames[b->n_frames - 2];
    const struct ms_frame_item *item = &b->frames[b->n_frames - 1];
    const struct ms_report_frame *x = &before->frame, *y = &item->frame;
    if (x->place != y->place || x->group != y->group || x->address_rt != y->address_rt ||
        x->index > y->index || y->inlined || !x->symbol || !y->symbol ||
        !same_text(before->hint.image_name, item->hint.image_name))
        return;
    if (!same_text(x->symbol, y->symbol) || x->offset != y->offset || x->line != y->line)
        before->frame.inlined = true;
}

static void fill_rest(struct text_reader *r, struct ms_frame_item *item, const char *text,
                      const struct ms_frame_rest *rest)
{
    struct ms_report_frame *frame = &item->frame;
    frame->symbol = copy_part(r, text, rest->symbol);
    frame->named = frame->symbol != NULL;
    frame->has_offset = rest->has_offset;
    frame->offset = rest->has_offset ? rest->offset : 0;
    frame->file = copy_part(r, text, rest->file);
    frame->line = rest->line;
    frame->inlined = rest->inlined;
    item->hint.has_load = rest->has_load;
    item->hint.load_rt = rest->load_rt;
}

/* libc's "Widget + 39488": the offset is from the image, and so tells its load address. */
static void find_load(struct ms_frame_item *item)
{
    const struct ms_report_frame *frame = &item->frame;
    uint64_t load = frame->address_rt - frame->offset;
    if (item->hint.has_load || !frame->symbol || !frame->has_offset || !item->hint.image_name ||
        strcmp(frame->symbol, item->hint.image_name) != 0 || frame->offset >= frame->address_rt ||
        load & 0xfff)
        return;
    item->hint.has_load = true;
    item->hint.load_rt = load;
}

static void add_frame(struct text_reader *r, const struct ms_line *line,
                      const struct ms_frame_line *parts, enum ms_report_place place)
{
    const char *text = r->lines.base + line->off;
    struct ms_frame_item *item = ms_builder_frame(r->b, place, MS_FORM_LINE);
    struct ms_report_frame *frame = &item->frame;
    if (place != MS_PLACE_THREAD)
        frame->group = r->group;
    frame->index = parts->index;
    frame->address_rt = parts->address_rt;
    frame->line_off = line->off;
    frame->line_bytes = line->n;
    frame->rest_off = line->off + parts->text.at;
    frame->rest_bytes = parts->text.n;
    fill_rest(r, item, text + parts->text.at, &parts->rest);
    item->hint.image_name = copy_part(r, text, parts->image);
    find_load(item);
    /* libc took the nearest exported symbol, however far away. */
    if (place == MS_PLACE_APP_SPECIFIC && !parts->has_tab)
        frame->named = false;
    find_untagged_inline(r);
}

/* "-------- ELIDED 4 LEVELS OF RECURSION THROUGH 0x1026023dc 0x1025f8000 + 41948" */
static bool read_elided(struct text_reader *r, const struct ms_line *line)
{
    static const char words[] = "RECURSION THROUGH ";
    const char *text = line->text;
    uint64_t address;
    size_t at = ms_scan_find(text, line->text_n, words);
    if (r->section != SECTION_THREAD || at == line->text_n)
        return false;
    at += sizeof words - 1;
    size_t m = ms_scan_hex(text + at, line->text_n - at, &address);
    if (!m)
        return false;
    at += m;
    at += ms_scan_blanks(text + at, line->text_n - at);
    struct ms_frame_rest rest;
    ms_frame_rest_parse(text + at, line->text_n - at, &rest);
    struct ms_frame_item *item = ms_builder_frame(r->b, MS_PLACE_ELIDED, MS_FORM_LINE);
    item->frame.address_rt = address;
    item->frame.line_off = line->off;
    item->frame.line_bytes = line->n;
    item->frame.rest_off = (size_t)(text + at - r->lines.base);
    item->frame.rest_bytes = line->text_n - at;
    fill_rest(r, item, text + at, &rest);
    return true;
}

static bool section_place(enum section section, enum ms_report_place *place)
{
    switch (section) {
    case SECTION_THREAD:
        *place = MS_PLACE_THREAD;
        return true;
    case SECTION_LAST_EXCEPTION:
        *place = MS_PLACE_LAST_EXCEPTION;
        return true;
    case SECTION_APP_SPECIFIC:
    case SECTION_FIRST_THROW:
        *place = MS_PLACE_APP_SPECIFIC;
        return true;
    default:
        return false;
    }
}

static void count_odd(struct text_reader *r, const struct ms_line *line, size_t *count)
{
    if (r->n_odd_frames + r->n_odd_images == 0)
        r->odd_off = line->off;
    (*count)++;
}

/* A pasted fragment has frames and no line of a thread: they are taken for thread 0. Only what
 * no other kind of text has is believed: a TAB, or "0xLOAD + OFF" that adds up. */
static bool starts_fragment(struct text_reader *r, const struct ms_frame_line *parts)
{
    bool sure =
        parts->has_tab || (parts->rest.has_load &&
                           parts->rest.load_rt + parts->rest.load_offset == parts->address_rt);
    if (r->section != SECTION_HEADER || r->b->n_threads || !sure)
        return false;
    ms_builder_thread(r->b);
    r->implicit = true;
    r->section = SECTION_THREAD;
    return true;
}

static void read_frame(struct text_reader *r, const struct ms_line *line)
{
    enum ms_report_place place = MS_PLACE_THREAD;
    struct ms_frame_line parts;
    bool expected = section_place(r->section, &place);
    if ((!expected && r->section != SECTION_HEADER) || !line->text_n || !ms_is_digit(line->text[0]))
        return;
    if (!ms_frame_line_parse(r->lines.base + line->off, line->n, &parts)) {
        uint64_t index;
        size_t digits = ms_scan_decimal(line->text, line->text_n, &index);
        if (expected && digits < line->text_n && line->text[digits] == ' ')
            count_odd(r, line, &r->n_odd_frames);
        return;
    }
    if (expected || starts_fragment(r, &parts))
        add_frame(r, line, &parts, place);
}

/* ---- lists of addresses --------------------------------------------------------------- */

/* Blanks, line ends, commas and '>' (of quoting) between the addresses of a list. */
static size_t skip_between(const struct ms_line_reader *lines, size_t at, size_t *line_start)
{
    for (; at < lines->end && lines->base[at] && strchr(" \t\r\n,>", lines->base[at]); at++)
        if (lines->base[at] == lines->terminator)
            *line_start = at + 1;
    return at;
}

/*
 * "(0x1834d9e50 0x182f48538 0x10260a7f4)", on one line or wrapped. Starts at the '(' and goes to
 * the end of the line with the ')'. One that is cut short ends with its line; with anything else
 * behind the last address it is no list.
 */
static void read_list(struct text_reader *r, size_t at)
{
    const char *base = r->lines.base;
    size_t end = r->lines.end, start = at++, n_before = r->b->n_frames;
    size_t after = 0, line_start = 0; /* the last address; the line begun after it */
    for (uint32_t index = 0;; index++) {
        at = skip_between(&r->lines, at, &line_start);
        uint64_t address;
        size_t m = ms_scan_hex(base + at, end - at, &address);
        if (!m)
            break;
        struct ms_frame_item *item = ms_builder_frame(r->b, MS_PLACE_LAST_EXCEPTION, MS_FORM_BARE);
        item->frame.index = index;
        item->frame.address_rt = address;
        item->frame.line_off = item->frame.rest_off = at;
        item->frame.line_bytes = item->frame.rest_bytes = m;
        at += m;
        after = at;
    }
    if (r->b->n_frames > n_before && at < end && base[at] == ')') {
        const char *stop = memchr(base + at, r->lines.terminator, end - at);
        r->lines.at = stop ? (size_t)(stop - base) + 1 : end;
    } else if (r->b->n_frames > n_before && (at == end || line_start > after)) {
        r->lines.at = at == end ? end : line_start;
    } else {
        r->b->n_frames = n_before;
        r->lines.at = start + 1;
    }
}

/* ---- thread state --------------------------------------------------------------------- */

static bool is_address_register(const char *name, size_t n)
{
    static const char *const others[] = {"cpsr", "esr",  "rfl", "rflags", "efl", "eflags", "cs",
                                         "ss",   "ds",   "es",  "fs",     "gs",  "trap",   "err",
                                         "cpu",  "spsr", "cr",  "xer",    "ctr"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]) == n && memcmp(others[i], name, n) == 0)
            return false;
    return true;
}

static void add_register(struct text_reader *r, size_t off, size_t name_bytes, size_t value_off,
                         size_t value_bytes, uint64_t value)
{
    const char *name = r->lines.base + off;
    uint32_t index = r->n_registers++;
    if (!is_address_register(name, name_bytes))
        return;
    struct ms_frame_item *item = ms_builder_frame(r->b, MS_PLACE_REGISTER, MS_FORM_REGISTER);
    bool link = (name_bytes == 2 && memcmp(name, "lr", 2) == 0) ||
                (name_bytes == 3 && memcmp(name, "x30", 3) == 0);
    item->hint.kind = link ? MS_ADDRESS_RETURN : MS_ADDRESS_PC;
    item->frame.group = r->group;
    item->frame.index = index;
    item->frame.reg = ms_builder_copy(r->b, name, name_bytes);
    item->frame.address_rt = value;
    item->frame.line_off = off;
    item->frame.line_bytes = value_off + value_bytes - off;
    item->frame.rest_off = value_off;
    item->frame.rest_bytes = value_bytes;
}

/* "    x0: 0x0000000000000000   x1: 0x…", "rip: <unavailable>" */
static void read_registers(struct text_reader *r, const struct ms_line *line)
{
    const char *text = line->text;
    size_t n = line->text_n, at = 0;
    while (at < n) {
        at += ms_scan_blanks(text + at, n - at);
        size_t name = at;
        while (at < n && at - name < 8 &&
               ((text[at] >= 'a' && text[at] <= 'z') || ms_is_digit(text[at])))
            at++;
        size_t name_bytes = at - name;
        if (!name_bytes || at == n || text[at] != ':')
            return;
        at++;
        at += ms_scan_blanks(text + at, n - at);
        uint64_t value;
        size_t m = ms_scan_hex(text + at, n - at, &value);
        if (m)
            add_register(r, (size_t)(text + name - r->lines.base), name_bytes,
                         (size_t)(text + at - r->lines.base), m, value);
        while (at < n && text[at] != ' ' && text[at] != '\t')
            at++;
    }
}

/*
 * The newest thread of that number, UINT32_MAX when there is none. A report has one state, some
 * a few; for a hostile one's millions the threads are not searched each time.
 */
static uint32_t find_thread(struct text_reader *r, uint32_t number)
{
    enum { MOST_SEARCHES = 64 };
    const struct ms_report_builder *b = r->b;
    size_t last = r->n_states++ < MOST_SEARCHES ? 0 : b->n_threads;
    for (size_t i = b->n_threads; i > last; i--)
        if (b->threads[i - 1].number == number)
            return (uint32_t)(i - 1);
    /* Threads are numbered as they are listed. */
    return number < b->n_threads && b->threads[number].number == number ? number : UINT32_MAX;
}

static void start_state(struct text_reader *r, const struct ms_crash_head *head, const char *text,
                        size_t n)
{
    struct ms_report_builder *b = r->b;
    const char *state = text + head->rest;
    size_t state_n = n - head->rest;
    if (ms_scan_starts(state, state_n, "ARM") || ms_scan_starts(state, state_n, "arm")) {
        b->arm64 |= ms_scan_find(state, state_n, "64") < state_n;
        b->arm32 |= ms_scan_find(state, state_n, "32-bit") < state_n;
    }
    r->group = head->has_number ? find_thread(r, head->number) : UINT32_MAX;
    r->n_registers = 0;
    r->section = SECTION_STATE;
}

/* ---- images --------------------------------------------------------------------------- */

static void read_image(struct text_reader *r, const struct ms_line *line)
{
    struct ms_image_line parts;
    const char *text = r->lines.base + line->off;
    if (!line->text_n || (line->text[0] != '0' && line->text[0] != '*'))
        return;
    if (!ms_image_line_parse(text, line->n, &parts)) {
        if (ms_scan_starts(line->text, line->text_n, "0x"))
            count_odd(r, line, &r->n_odd_images);
        return;
    }
    struct ms_report_image *image = ms_builder_image(r->b);
    image->load_rt = parts.load_rt;
    image->end_rt = parts.end_rt;
    image->usable = parts.usable;
    image->has_uuid = parts.has_uuid;
    image->uuid = parts.uuid;
    image->arch = copy_part(r, text, parts.arch);
    image->name = copy_part(r, text, parts.name);
    image->path = copy_part(r, text, parts.path);
}

/* ---- the whole ------------------------------------------------------------------------ */

/* A line that starts a section; false when it doesn't. */
static bool read_head(struct text_reader *r, const struct ms_line *line)
{
    struct ms_crash_head head;
    ms_crash_head_parse(line->text, line->text_n, &head);
    if (head.kind == MS_LINE_OTHER)
        return false;
    r->waits_for_head &= head.kind == MS_LINE_THREAD;
    r->first_frame = r->b->n_frames;
    switch (head.kind) {
    case MS_LINE_OTHER:
        return false;
    case MS_LINE_THREAD:
    case MS_LINE_THREAD_NAME:
        read_thread(r, &head, line->text, line->text_n);
        return true;
    case MS_LINE_STATE:
        start_state(r, &head, line->text, line->text_n);
        return true;
    case MS_LINE_LAST_EXCEPTION:
        r->section = SECTION_LAST_EXCEPTION;
        r->group = 0;
        break;
    case MS_LINE_APP_SPECIFIC:
        r->section = SECTION_APP_SPECIFIC;
        r->group = head.number;
        break;
    case MS_LINE_FIRST_THROW:
        r->section = SECTION_FIRST_THROW;
        r->group = 0;
        break;
    case MS_LINE_IMAGES:
        r->section = SECTION_IMAGES;
        return true;
    case MS_LINE_TITLE:
        r->section = SECTION_OTHER;
        return false;
    }
    size_t at = head.rest + ms_scan_blanks(line->text + head.rest, line->text_n - head.rest);
    if (at < line->text_n && line->text[at] == '(')
        read_list(r, (size_t)(line->text + at - r->lines.base));
    return true;
}

static void read_line(struct text_reader *r, const struct ms_line *line)
{
    if (!line->text_n || read_head(r, line))
        return;
    if (line->text[0] == '(' &&
        (r->section == SECTION_LAST_EXCEPTION || r->section == SECTION_FIRST_THROW)) {
        read_list(r, (size_t)(line->text - r->lines.base));
        return;
    }
    if (r->section == SECTION_HEADER || r->section == SECTION_OTHER)
        ms_crash_field_read(r->b, &r->fields, line->text, line->text_n);
    if (r->section == SECTION_STATE)
        read_registers(r, line);
    else if (r->section == SECTION_IMAGES)
        read_image(r, line);
    else if (!read_elided(r, line))
        read_frame(r, line);
}

/* Which thread the report is about: its own mark, else the header's number, else a highlight. */
static void find_crashed(struct text_reader *r)
{
    struct ms_report_builder *b = r->b;
    for (size_t i = 0; i < b->n_threads; i++)
        if (b->threads[i].crashed)
            return;
    for (size_t i = 0; i < b->n_threads && r->fields.has_thread; i++) {
        if (b->threads[i].number != r->fields.thread)
            continue;
        b->threads[i].crashed = r->fields.thread_crashed;
        b->report.crashed_thread = (int32_t)i;
        return;
    }
    b->report.crashed_thread = r->highlighted;
}

static void note_damage(struct text_reader *r)
{
    if (r->n_odd_images)
        ms_builder_note(r->b, "lines of Binary Images not understood: %zu, the first at 0x%zx",
                        r->n_odd_images, r->odd_off);
    else if (r->n_odd_frames)
        ms_builder_note(r->b, "frame lines without an address: %zu, the first at 0x%zx",
                        r->n_odd_frames, r->odd_off);
    else if (r->b->n_frames == 0)
        ms_builder_note(r->b, "the report has no frames");
}

static bool is_report(const struct text_reader *r)
{
    const struct ms_crash_fields *fields = &r->fields;
    if (r->b->n_frames && (r->implicit || r->b->n_threads || fields->n_header))
        return true;
    /* Without frames: nothing was to be had of the process, or the report is cut short. */
    if (fields->has_exception || fields->has_pointer)
        return fields->n_header > 0;
    return fields->n_header >= 3 && fields->has_process;
}

enum ms_status ms_crash_text_parse(struct ms_report_builder *b, size_t off, size_t end,
                                   size_t header_off, size_t header_bytes, bool *found,
                                   struct ms_error *err)
{
    struct text_reader r;
    memset(&r, 0, sizeof r);
    r.b = b;
    r.highlighted = -1;
    ms_builder_open(b, MS_REPORT_TEXT, off);
    if (header_bytes)
        ms_ips_read_header(b, header_off, header_bytes, NULL);
    ms_lines_over(&r.lines, b->file, header_bytes ? header_off + header_bytes : off, end);
    struct ms_line line;
    while (ms_lines_next(&r.lines, &line))
        read_line(&r, &line);
    *found = is_report(&r);
    if (b->failed)
        return ms_fail_memory(err);
    if (!*found)
        return MS_OK;
    find_crashed(&r);
    note_damage(&r);
    return ms_builder_close(b, end, err);
}
