/* Memory that runs out at every allocation in turn: MS_E_NOMEM, and nothing is kept. */
#include "unit/memory_out.h"

#include "unit/codesign_builder.h"

#include <stdio.h>

/* A signature with everything that takes memory: lists in both forms, requirements, a CMS. */
static struct build image_of_all(void)
{
    static const uint8_t der[] = {0x31, 8, 0x30, 6, 0x0c, 1, 'a', 1, 1, 0xff};
    static const char xml[] = "<plist><dict><key>b</key><array><string>x</string></array>"
                              "<key>a</key><data>AAAA</data></dict></plist>";
    static const struct cs_directory plain = {
        .version = 0x20200, .identifier = "a", .hash_type = 2, .hash_bytes = 32, .page_shift = 12};
    struct build code = big_build();
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    put_u32(&code, 1);
    put_u32(&code, 3);
    put_u32(&code, 20);
    put_u32(&code, 0xfade0c00);
    put_u32(&code, 12 + 16 * 200 + 4);
    put_u32(&code, 1);
    for (int i = 0; i < 200; i++) { /* long enough for its text to grow */
        put_u32(&code, 6);
        put_u32(&code, 2);
        put_u32(&code, 4);
        put_u32(&code, 0x61626364);
    }
    put_u32(&code, 1);
    cs_add(&cs, 2, cs_blob(MAGIC_REQUIREMENTS, code.at, code.n));
    build_free(&code);
    cs_add(&cs, 5, cs_blob(MAGIC_XML, xml, sizeof xml - 1));
    cs_add(&cs, 7, cs_blob(MAGIC_DER, der, sizeof der));
    struct build sign = cs_finish(&cs);
    return sign_image(&sign);
}

Test(codesign_memory, out)
{
    struct ms_macho macho;
    struct ms_error err;
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    struct build b = image_of_all();
    cr_assert_eq(ms_macho_parse(build_bytes(&b), "App", &macho, &err), MS_OK);
    enum ms_status status = MS_E_NOMEM;
    long n;
    for (n = 0; n < 1000 && status != MS_OK; n++) {
        struct ms_codesign *sign = NULL;
        long before = alive;
        countdown = n;
        status = ms_codesign_read(&macho, &sign, &err);
        countdown = -1;
        if (status == MS_OK) {
            cr_assert_eq(sign->n_faults, 0, "%s", sign->faults[0].text);
            cr_assert(sign->xml && sign->der && sign->requirements[0].text);
            ms_codesign_close(sign);
        } else {
            cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: %d", n, (int)status);
            cr_assert_null(sign);
        }
        cr_assert_eq(alive, before, "allocation %ld: %ld blocks kept", n, alive - before);
    }
    cr_assert_gt(n, 5);
    cr_assert_eq(status, MS_OK);
    ms_macho_fini(&macho);
    build_free(&b);
}

/* Arrays of strings and of UTF-16, which only binary lists have. */
Test(codesign_memory, binary_plist)
{
    static const uint8_t list[] = {
        'b', 'p', 'l',  'i', 's',  't', '0', '0', 0xd1, 1, 2, 0x51, 'k', 0xa3, 3,  4,  5,  0x61,
        0,   'x', 0x41, 7,   0x23, 0,   0,   0,   0,    0, 0, 0,    0,   8,    11, 13, 17, 20,
        22,  0,   0,    0,   0,    0,   0,   1,   1,    0, 0, 0,    0,   0,    0,  0,  6,  0,
        0,   0,   0,    0,   0,    0,   0,   0,   0,    0, 0, 0,    0,   0,    31};
    struct ms_error err;
    if (!CAN_FAIL)
        cr_skip_test("malloc can't be replaced here");
    enum ms_status status = MS_E_NOMEM;
    for (long n = 0; n < 100 && status != MS_OK; n++) {
        struct ms_plist_tree *tree = NULL;
        long before = alive;
        countdown = n;
        status = ms_plist_parse((struct ms_bytes){list, sizeof list}, "list", &tree, &err);
        countdown = -1;
        cr_assert(status == MS_OK || status == MS_E_NOMEM, "%ld: %s", n, err.text);
        ms_plist_close(tree);
        cr_assert_eq(alive, before, "allocation %ld", n);
    }
    cr_assert_eq(status, MS_OK);
}
