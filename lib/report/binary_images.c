/*
 * The "Binary Images:" of sample, spindump, leaks and crash reports, and the "Images:" of
 * Swift's backtraces. Lines alone, without their heading, are taken too.
 */
#include "report/crash_text_images.h"
#include "report/crash_text_scan.h"
#include "report/imagelist_build.h"

struct reader {
    struct ms_list_build *build;
    struct ms_list_header header; /* of the process whose images follow */
    bool any_heading;
};

enum section { OUTSIDE, BINARY_IMAGES, SWIFT_IMAGES };

static enum section heading(const char *text, size_t n)
{
    static const char binary[] = "Binary Images", swift[] = "Images (";
    if (ms_scan_starts(text, n, binary) && ms_scan_find(text, n, ":") < n)
        return BINARY_IMAGES;
    if (n && text[n - 1] == ':' && (ms_scan_starts(text, n, swift) || n == 7) &&
        ms_scan_starts(text, n, "Images"))
        return SWIFT_IMAGES;
    return OUTSIDE;
}

static bool is_main(const struct reader *reader, const struct ms_loaded_image *image)
{
    const struct ms_list_header *header = &reader->header;
    if (header->has_load)
        return image->has_load && image->load_rt == header->load_rt;
    return header->path.n && image->path && strlen(image->path) == header->path.n &&
           memcmp(image->path, header->path.at, header->path.n) == 0;
}

static bool take_line(struct reader *reader, const char *text, size_t n)
{
    struct ms_image_line parts;
    if (!ms_image_line_parse(text, n, &parts))
        return false;
    if (!parts.usable)
        return true;
    struct ms_loaded_image *image = ms_list_add(reader->build);
    if (!image)
        return true;
    ms_list_set_path(reader->build, image, text + parts.path.at, parts.path.n);
    if (!image->name)
        image->name = ms_list_copy(reader->build, text + parts.name.at, parts.name.n);
    image->arch = ms_list_copy(reader->build, text + parts.arch.at, parts.arch.n);
    image->has_uuid = parts.has_uuid;
    image->uuid = parts.uuid;
    image->has_load = true;
    image->load_rt = parts.load_rt;
    image->is_main = is_main(reader, image);
    return true;
}

/* A word and the blanks behind it. */
static struct ms_bytes take_word(const char *text, size_t n, size_t *at)
{
    size_t start = *at;
    while (*at < n && text[*at] != ' ' && text[*at] != '\t')
        ++*at;
    struct ms_bytes word = {(const uint8_t *)text + start, *at - start};
    *at += ms_scan_blanks(text + *at, n - *at);
    return word;
}

/* "0x1025f8000–0x1026b0000 0f1e2d3c… Widget /path/Widget", with an en dash. */
static bool take_swift_line(struct reader *reader, const char *text, size_t n)
{
    static const char dash[] = "\xe2\x80\x93";
    uint64_t start, end;
    size_t at = ms_scan_hex(text, n, &start);
    if (!at || !ms_scan_starts(text + at, n - at, dash))
        return false;
    at += sizeof dash - 1;
    size_t m = ms_scan_hex(text + at, n - at, &end);
    if (!m)
        return false;
    at += m + ms_scan_blanks(text + at + m, n - at - m);
    struct ms_bytes id = take_word(text, n, &at);
    struct ms_bytes name = take_word(text, n, &at);
    struct ms_loaded_image *image = name.n ? ms_list_add(reader->build) : NULL;
    if (!image)
        return name.n > 0;
    ms_list_set_path(reader->build, image, text + at, n - at);
    if (!image->name)
        image->name = ms_list_copy(reader->build, (const char *)name.at, name.n);
    image->has_uuid =
        ms_uuid_parse((const char *)id.at, id.n, &image->uuid) && !ms_uuid_is_zero(&image->uuid);
    image->has_load = true;
    image->load_rt = start;
    return true;
}

/* Once over the text; `anywhere`: also outside of the sections. */
static void read_lines(struct reader *reader, bool anywhere)
{
    enum section section = OUTSIDE;
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, reader->build->text, 0, reader->build->text.n);
    while (!reader->build->failed && ms_lines_next(&lines, &line)) {
        enum section next = heading(line.text, line.text_n);
        if (next != OUTSIDE) {
            section = next;
            reader->any_heading = true;
        } else if (section == SWIFT_IMAGES) {
            if (line.text_n && !take_swift_line(reader, line.text, line.text_n))
                section = OUTSIDE;
        } else if (section == BINARY_IMAGES || anywhere) {
            /* Blank lines are let pass: pasting doubles line ends. */
            if (line.text_n && !take_line(reader, line.text, line.text_n))
                section = OUTSIDE;
        }
        if (section == OUTSIDE) {
            if (ms_scan_starts(line.text, line.text_n, "Process:"))
                memset(&reader->header, 0, sizeof reader->header);
            ms_list_header_line(&reader->header, line.text, line.text_n);
        }
    }
}

void ms_binary_images_read(struct ms_list_build *build)
{
    struct reader reader = {.build = build};
    read_lines(&reader, false);
    if (!build->n && !reader.any_heading)
        read_lines(&reader, true);
}
