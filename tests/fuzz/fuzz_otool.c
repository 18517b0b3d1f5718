/* One Mach-O as otool shows it, as text or as JSON, in one of the styles. */
#include "machsym/otool.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct count {
    size_t n, most;
};

/* What is written is in proportion to what there is: no table is shown many times over. */
static bool count(void *to, const char *bytes, size_t n)
{
    struct count *counted = to;
    (void)bytes;
    counted->n += n;
    if (counted->n > counted->most)
        abort();
    return true;
}

static void show(struct ms_bytes file, const struct ms_otool_style *style, bool as_json)
{
    struct count counted = {0, 65536 + file.n * 4096};
    struct ms_sink sink = {.write = count, .to = &counted};
    struct ms_json json;
    struct ms_otool_out out = {&sink, as_json ? &json : NULL, style};
    struct ms_otool_image image;
    struct ms_macho macho;
    struct ms_error err;
    if (ms_otool_open(file, "fuzz", &image, &err) != MS_OK)
        return;
    ms_json_init(&json, &sink, 0);
    if (as_json)
        ms_json_object(&json);
    ms_otool_header(&image, &out);
    if (as_json)
        ms_json_key(&json, "commands");
    (void)ms_otool_commands(&image, &out, &err);
    if (as_json)
        ms_json_key(&json, "libraries");
    (void)ms_otool_libraries(&image, false, &out, &err);
    (void)ms_otool_libraries(&image, true, &out, &err);
    if (ms_macho_parse(file, "fuzz", &macho, &err) == MS_OK) {
        if (!as_json) {
            ms_otool_indirect(&macho, &out);
            ms_otool_data_in_code(&macho, &out);
            (void)ms_otool_info_plist(&macho, &out, &err);
        }
        for (size_t i = 0; i < macho.n_sections && i < 8 && !as_json; i++)
            (void)ms_otool_section(&macho, &macho.sections[i], &out, &err);
        ms_macho_fini(&macho);
    }
    if (as_json)
        ms_json_object_end(&json);
    if (sink.failed || (as_json && json.depth))
        abort();
}

/* Every member's header, and those of what lies between members. */
static void show_archive(struct ms_bytes file, const struct ms_otool_style *style)
{
    struct count counted = {0, 65536 + file.n * 64};
    struct ms_sink sink = {.write = count, .to = &counted};
    struct ms_otool_out out = {&sink, NULL, style};
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    if (ms_archive_open(file, "fuzz", &archive, &err) != MS_OK)
        return;
    for (uint64_t at = 8; at;) {
        uint64_t next = ms_otool_archive_header(&archive, at, &out);
        if (next && next <= at)
            abort();
        at = next;
    }
    while (ms_archive_next(&archive, &member, &err) == MS_OK)
        (void)ms_otool_archive_header(&archive, member.off, &out);
}

/* The last byte says in which form it is shown: all four of each input would be a quarter of the
 * inputs in the same time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ms_otool_style styles[] = {{false, false, false, NULL},
                                                   {true, false, false, NULL},
                                                   {true, true, true, NULL},
                                                   {true, false, false, NULL}};
    enum { AS_JSON = 3 };
    if (!size)
        return 0;
    struct ms_bytes file = {data, size - 1};
    const unsigned form = data[size - 1] & 3;
    struct ms_fat fat;
    struct ms_error err;
    show(file, &styles[form], form == AS_JSON);
    show_archive(file, &styles[form]);
    if (ms_fat_parse(file, "fuzz", &fat, &err) == MS_OK) {
        struct count counted = {0, 65536 + size * 64};
        struct ms_sink sink = {.write = count, .to = &counted};
        struct ms_otool_out out = {&sink, NULL, &styles[form]};
        ms_otool_fat(&fat, &out);
        ms_fat_fini(&fat);
    }
    return 0;
}
