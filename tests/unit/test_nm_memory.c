/*
 * Memory that runs out at the n-th allocation, for every n: nm says so before it has written
 * anything, or shows names as they are, and leaves nothing behind.
 */
#include "unit/macho_builder.h"
#include "unit/memory_out.h"

#include "machsym/nm.h"

#include <criterion/criterion.h>

static bool count(void *to, const char *bytes, size_t n)
{
    (void)bytes;
    *(size_t *)to += n;
    return true;
}

static struct build image_bytes(void)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_DYLIB, 0x4000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x5000, 0x1000, 0x1000, CODE);
    /* a name that needs more room than there is at first when it is read */
    char name[6000] = "_$s3App3000";
    memset(name + strlen(name), 'a', 3000);
    strcat(name, "yyF");
    add_symbol(&image, name, 0xf, 1, 0, 0x5000);
    for (unsigned i = 0; i < 50; i++)
        add_symbol(&image, "_f", 0xf, 1, 0, 0x5000 + 4 * i);
    return finish_image(&image);
}

static void exhaust(bool as_json)
{
    struct build b = image_bytes();
    struct ms_macho macho;
    struct ms_error err;
    struct ms_nm_options options = {.demangle = true};
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    cr_assert_eq(ms_macho_parse(build_bytes(&b), "t", &macho, &err), MS_OK);
    size_t whole = 0;
    long before = alive;
    for (long n = 0; n < 20; n++) {
        size_t written = 0;
        struct ms_sink sink = {.write = count, .to = &written};
        struct ms_json json;
        struct ms_nm_result result;
        memset(&err, 0, sizeof err);
        ms_json_init(&json, &sink, 0);
        countdown = n;
        enum ms_status status = as_json ? ms_nm_write_json(&macho, &options, &json, &result, &err)
                                        : ms_nm_write(&macho, &options, &sink, &result, &err);
        countdown = -1;
        cr_assert_eq(alive, before, "allocation %ld", n);
        if (status == MS_OK) {
            cr_assert_eq(result.n_shown, 51);
            whole = written;
        } else {
            cr_assert_eq(status, MS_E_NOMEM);
            cr_assert_eq(err.status, MS_E_NOMEM);
            cr_assert_str_eq(err.text, "out of memory");
            cr_assert_eq(written, as_json ? 2 : 0); /* "[]" */
            cr_assert_eq(whole, 0);
        }
    }
    cr_assert_gt(whole, 1000);
    ms_macho_fini(&macho);
    build_free(&b);
}

Test(nm_memory, text)
{
    exhaust(false);
}

Test(nm_memory, json)
{
    exhaust(true);
}
