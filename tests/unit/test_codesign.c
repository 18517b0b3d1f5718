/* Code signatures, built byte by byte: what is read, and what is said of damage, with its offset.
 */
#include "unit/codesign_builder.h"

static const struct cs_directory plain = {.version = 0x20400,
                                          .flags = 0x20002,
                                          .n_special = 2,
                                          .n_code = 1,
                                          .code_limit = SIGN_OFF,
                                          .hash_type = 2,
                                          .hash_bytes = 32,
                                          .page_shift = 12,
                                          .identifier = "com.example.app",
                                          .exec_limit = 0x4000,
                                          .exec_flags = 1};

static void fault_is(const struct signed_image *image, size_t i, uint64_t offset, const char *text)
{
    cr_assert_eq(image->status, MS_OK, "%s", image->err.text);
    cr_assert_gt(image->sign->n_faults, i, "no fault: %s", text);
    const struct ms_error *fault = &image->sign->faults[i];
    cr_assert_str_eq(fault->text, text);
    cr_assert_eq(fault->offset, offset, "%s: 0x%llx", text, (unsigned long long)fault->offset);
    cr_assert_str_eq(fault->where, "App (arm64)");
}

static void no_faults(const struct signed_image *image)
{
    cr_assert_eq(image->status, MS_OK, "%s", image->err.text);
    cr_assert_eq(image->sign->n_faults, 0, "%s", image->sign->faults[0].text);
}

/* ---- what is read --------------------------------------------------------------------------- */

Test(codesign, unsigned_image)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    struct signed_image image = {.b = b};
    read_image(&image);
    cr_assert_eq(image.status, MS_ABSENT);
    close_signed(&image);
}

Test(codesign, linker_signed)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    struct signed_image image = read_signed(&cs);
    no_faults(&image);
    const struct ms_codesign *sign = image.sign;
    cr_assert_eq(sign->kind, MS_CS_KIND_LINKER);
    cr_assert_eq(sign->off, SIGN_OFF);
    cr_assert_eq(sign->n_blobs, 1);
    cr_assert_eq(sign->blobs[0].off, SIGN_OFF + 20);
    const struct ms_code_directory *d = &sign->directories[0];
    cr_assert_eq(d->version, 0x20400);
    cr_assert_eq(d->flags, 0x20002);
    cr_assert_str_eq(d->identifier, "com.example.app");
    cr_assert_null(d->team);
    cr_assert(d->n_special == 2 && d->n_code == 1 && d->code_limit == SIGN_OFF);
    cr_assert(d->has_exec_segment && d->exec_limit == 0x4000 && d->exec_flags == 1);
    cr_assert_not(d->has_runtime);
    uint8_t hash[32];
    ms_sha256(d->bytes, hash);
    cr_assert_eq(d->hash_full, 32);
    cr_assert_arr_eq(d->hash, hash, 32);
    cr_assert_not(ms_codesign_get_task_allow(ms_codesign_entitlements(sign)));
    close_signed(&image);
}

Test(codesign, versions)
{
    static const uint32_t versions[] = {0x20001, 0x20100, 0x20200, 0x20300, 0x20400, 0x20500};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        struct cs_directory d = plain;
        struct cs cs = {.n = 0};
        d.version = versions[i];
        d.team = versions[i] >= 0x20200 ? "TEAM123456" : NULL;
        d.runtime = 0xd0201;
        d.flags = 0x10002;
        d.platform = 14;
        cs_add(&cs, 0, cs_directory(&d));
        struct signed_image image = read_signed(&cs);
        no_faults(&image);
        const struct ms_code_directory *got = &image.sign->directories[0];
        cr_assert_str_eq(got->identifier, "com.example.app");
        cr_assert_eq(got->platform, 14);
        cr_assert_eq(got->team != NULL, d.team != NULL);
        cr_assert_eq(got->has_exec_segment, versions[i] >= 0x20400);
        cr_assert_eq(got->has_runtime, versions[i] >= 0x20500);
        cr_assert_eq(got->runtime, versions[i] >= 0x20500 ? 0xd0201u : 0u);
        cr_assert_eq(image.sign->kind, MS_CS_KIND_ADHOC);
        close_signed(&image);
    }
}

/* The strongest hash is what systems take, wherever it stands. */
Test(codesign, alternates)
{
    static const uint8_t types[] = {1, 3, 2, 4}, bytes[] = {20, 20, 32, 48};
    struct cs cs = {.n = 0};
    for (unsigned i = 0; i < 4; i++) {
        struct cs_directory d = plain;
        d.hash_type = types[i];
        d.hash_bytes = bytes[i];
        cs_add(&cs, i ? 0x1000 + i - 1 : 0, cs_directory(&d));
        struct cs so_far = {.n = 0};
        for (unsigned k = 0; k <= i; k++) {
            struct build copy = big_build();
            put_bytes(&copy, cs.parts[k].blob.at, cs.parts[k].blob.n);
            cs_add(&so_far, cs.parts[k].slot, copy);
        }
        struct signed_image image = read_signed(&so_far);
        no_faults(&image);
        cr_assert_eq(image.sign->n_directories, i + 1);
        cr_assert_eq(image.sign->best, i);
        cr_assert_eq(image.sign->directories[i].hash_full, bytes[i] == 20 && i ? 32 : bytes[i]);
        close_signed(&image);
    }
    for (unsigned i = 0; i < 4; i++)
        build_free(&cs.parts[i].blob);
}

/* ---- entitlements --------------------------------------------------------------------------- */

static const uint8_t der_yes[] = {0x70, 0x1a, 2,   1,   1,   0xb0, 0x15, 0x30, 0x13, 0x0c,
                                  0x0e, 'g',  'e', 't', '-', 't',  'a',  's',  'k',  '-',
                                  'a',  'l',  'l', 'o', 'w', 1,    1,    0xff};
#define XML(x) "<plist version=\"1.0\"><dict>" x "</dict></plist>"

static void task_allow(const char *xml, const uint8_t *der, size_t der_bytes, bool yes)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    if (xml)
        cs_add(&cs, 5, cs_blob(MAGIC_XML, xml, strlen(xml)));
    if (der)
        cs_add(&cs, 7, cs_blob(MAGIC_DER, der, der_bytes));
    struct signed_image image = read_signed(&cs);
    no_faults(&image);
    cr_assert_eq(ms_codesign_get_task_allow(ms_codesign_entitlements(image.sign)), yes, "%s",
                 xml ? xml : "");
    close_signed(&image);
}

Test(codesign, get_task_allow)
{
    uint8_t der_no[sizeof der_yes];
    memcpy(der_no, der_yes, sizeof der_no);
    der_no[sizeof der_no - 1] = 0;
    task_allow(XML("<key>get-task-allow</key><true/>"), NULL, 0, true);
    task_allow(XML("<key>com.apple.security.get-task-allow</key><true/>"), NULL, 0, true);
    task_allow(XML("<key>get-task-allow</key><false/>"), NULL, 0, false);
    task_allow(XML("<key>get-task-allow</key><string>true</string>"), NULL, 0, false);
    task_allow(XML("<key>a</key><dict><key>get-task-allow</key><true/></dict>"), NULL, 0, false);
    task_allow("<plist><true/></plist>", NULL, 0, false);
    task_allow(NULL, der_yes, sizeof der_yes, true);
    task_allow(NULL, der_no, sizeof der_no, false);
    /* DER is believed where the two differ */
    task_allow(XML(""), der_yes, sizeof der_yes, true);
    task_allow(XML("<key>get-task-allow</key><true/>"), der_no, sizeof der_no, false);
}

Test(codesign, damaged_entitlements)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    size_t n = cs.parts[0].blob.n;
    cs_add(&cs, 5, cs_blob(MAGIC_XML, "<plist><dict>", 13));
    cs_add(&cs, 7, cs_blob(MAGIC_DER, der_yes, sizeof der_yes - 1));
    struct signed_image image = read_signed(&cs);
    fault_is(&image, 0, SIGN_OFF + 36 + n + 8 + 13, "entitlements: ends before </plist>");
    fault_is(&image, 1, SIGN_OFF + 36 + n + 21 + 8,
             "DER entitlements: a DER element that is malformed or longer than the 27 bytes that "
             "remain");
    cr_assert(image.sign->has_xml && image.sign->has_der);
    cr_assert_null(ms_codesign_entitlements(image.sign));
    cr_assert_eq(image.sign->n_directories, 1);
    close_signed(&image);
}

Test(codesign, launch_constraint)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, 9, cs_blob(MAGIC_CONSTRAINT, der_yes, sizeof der_yes));
    struct signed_image image = read_signed(&cs);
    no_faults(&image);
    cr_assert_null(image.sign->constraints[0]);
    cr_assert_eq(image.sign->constraints[1]->n, 1);
    close_signed(&image);
}

/* ---- the index ------------------------------------------------------------------------------ */

static void refused(struct build *sign, enum ms_status status, uint64_t offset, const char *text)
{
    struct signed_image image = {.b = sign_image(sign)};
    read_image(&image);
    cr_assert_eq(image.status, status, "%s", text);
    cr_assert_str_eq(image.err.text, text);
    cr_assert_eq(image.err.offset, offset, "0x%llx", (unsigned long long)image.err.offset);
    cr_assert_null(image.sign);
    close_signed(&image);
}

static struct build head(uint32_t magic, uint32_t bytes, uint32_t count)
{
    struct build b = big_build();
    put_u32(&b, magic);
    put_u32(&b, bytes);
    put_u32(&b, count);
    return b;
}

Test(codesign, unreadable)
{
    struct build b = big_build();
    put_u32(&b, 0xfade0cc0);
    refused(&b, MS_E_FORMAT, SIGN_OFF, "the signature has 4 bytes, its index needs 12");
    b = head(0, 12, 0);
    refused(&b, MS_E_FORMAT, SIGN_OFF, "the signature starts with 0x00000000, expected 0xfade0cc0");
    b = head(0xfade0b02, 12, 0);
    refused(&b, MS_E_UNSUPPORTED, SIGN_OFF,
            "a signature in the form of before Mac OS X 10.5.6 (magic 0xfade0b02)");
    b = head(0xfade0cc1, 12, 0);
    refused(&b, MS_E_UNSUPPORTED, SIGN_OFF,
            "a signature meant to lie outside of the binary (magic 0xfade0cc1)");
    b = head(0xfade0cc0, 13, 0);
    refused(&b, MS_E_FORMAT, SIGN_OFF + 4,
            "the signature takes 13 bytes, LC_CODE_SIGNATURE gives it 12");
    b = head(0xfade0cc0, 11, 0);
    refused(&b, MS_E_FORMAT, SIGN_OFF + 4,
            "the signature takes 11 bytes, LC_CODE_SIGNATURE gives it 12");
    b = head(0xfade0cc0, 12, 0x40000000);
    refused(&b, MS_E_FORMAT, SIGN_OFF + 8,
            "an index of 1073741824 blobs does not fit into the signature's 12 bytes");
    b = head(0xfade0cc0, 12 + 8 * 1025, 1025);
    put_zeros(&b, 8 * 1025);
    refused(&b, MS_E_LIMIT, SIGN_OFF + 8, "1025 blobs, at most 1024 are read");
}

Test(codesign, outside_of_the_file)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    PUT_COMMAND(&b, 0x1d, 0x100, 0x10);
    struct signed_image image = {.b = b};
    read_image(&image);
    cr_assert_eq(image.status, MS_E_FORMAT);
    cr_assert_str_eq(image.err.text,
                     "LC_CODE_SIGNATURE: the signature takes 0x10 bytes from 0x100, "
                     "the file has 0x30");
    cr_assert_eq(image.err.offset, 0x20);
    close_signed(&image);
}

/* Padding behind the signature, as codesign_allocate leaves it, is no fault. */
Test(codesign, padding)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    struct build sign = cs_finish(&cs);
    put_zeros(&sign, 100);
    struct signed_image image = {.b = sign_image(&sign)};
    read_image(&image);
    no_faults(&image);
    cr_assert_eq(image.sign->area_bytes, image.sign->bytes + 100);
    close_signed(&image);
}

/* One index entry's offset and its blob's length, changed. */
static struct signed_image with(uint32_t slot, uint32_t off, uint32_t bytes)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, slot, cs_blob(0x12345678, "12345678", 8));
    struct build sign = cs_finish(&cs);
    if (bytes)
        set_u32(&sign, get_u32(&sign, 24) + 4, bytes);
    if (off)
        set_u32(&sign, 24, off);
    struct signed_image image = {.b = sign_image(&sign)};
    read_image(&image);
    return image;
}

Test(codesign, blobs_out_of_place)
{
    struct signed_image image = with(0x99, 20, 0);
    fault_is(&image, 0, SIGN_OFF + 20,
             "a blob (slot 0x99) at 0x14 of the signature: outside, or inside of the index, which "
             "ends at 0x1c");
    cr_assert_eq(image.sign->n_blobs, 1);
    close_signed(&image);
    image = with(0x99, 0xfffffff0, 0);
    fault_is(&image, 0, SIGN_OFF + 20,
             "a blob (slot 0x99) at 0xfffffff0 of the signature: outside, or inside of the index, "
             "which ends at 0x1c");
    close_signed(&image);
    image = with(0x99, 0, 17);
    uint64_t off = image.sign->off + image.sign->bytes - 16;
    fault_is(&image, 0, off + 4, "a blob (slot 0x99) takes 17 bytes, 16 remain");
    close_signed(&image);
    image = with(0x99, 0, 7);
    fault_is(&image, 0, off + 4, "a blob (slot 0x99) takes 7 bytes, 16 remain");
    close_signed(&image);
    image = with(5, 0, 0);
    fault_is(&image, 0, off, "entitlements (slot 0x5) starts with 0x12345678, expected 0xfade7171");
    close_signed(&image);
    /* one that starts where the code directory does */
    image = with(0x99, 28, 0);
    fault_is(&image, 0, SIGN_OFF + 28,
             "a blob (slot 0x99) overlaps code directory (slot 0x0) at 0x11c");
    close_signed(&image);
}

Test(codesign, slots_twice)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, 0, cs_directory(&plain));
    size_t n = cs.parts[0].blob.n;
    struct signed_image image = read_signed(&cs);
    fault_is(&image, 0, SIGN_OFF + 28 + n,
             "a second blob for slot 0x0 (code directory), the first in the index is at 0x11c");
    cr_assert_eq(image.sign->n_directories, 1);
    close_signed(&image);
}

Test(codesign, no_directory)
{
    struct cs cs = {.n = 0};
    struct signed_image image = read_signed(&cs);
    fault_is(&image, 0, SIGN_OFF, "the signature has no code directory");
    cr_assert_eq(image.sign->kind, MS_CS_KIND_UNSEALED);
    close_signed(&image);
}

/* ---- the code directory --------------------------------------------------------------------- */

/* One u32 of the directory changed; its header is at SIGN_OFF + 20. */
static struct signed_image directory_with(size_t at, uint32_t value)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    set_u32(&cs.parts[0].blob, at, value);
    struct build sign = cs_finish(&cs);
    struct signed_image image = {.b = sign_image(&sign)};
    read_image(&image);
    return image;
}

/* What is damaged is told, and checking the hashes stays within bounds. */
static void damaged(size_t at, uint32_t value, uint64_t offset, const char *text)
{
    static const struct ms_cs_outside nothing;
    struct signed_image image = directory_with(at, value);
    struct ms_cs_check check;
    fault_is(&image, 0, SIGN_OFF + 20 + offset, text);
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert_leq(check.n_bad, check.n_pages + check.n_blobs);
    close_signed(&image);
}

Test(codesign, damaged_directory)
{
    damaged(20, 0xd0, 20, "the code directory's identifier at 0xd0 is not inside of its 200 bytes");
    damaged(20, 4, 20, "the code directory's identifier at 0x4 is not inside of its 200 bytes");
    damaged(48, 0xfffffff0, 48,
            "the code directory's team at 0xfffffff0 is not inside of its 200 bytes");
    damaged(24, 0xffffffff, 16,
            "4294967295 special and 1 code hashes of 32 bytes around 0xa8 do not lie inside of "
            "the code directory's 200 bytes");
    damaged(28, 0x08000000, 16,
            "2 special and 134217728 code hashes of 32 bytes around 0xa8 do not lie inside of "
            "the code directory's 200 bytes");
    damaged(16, 0xfffffff0, 16,
            "2 special and 1 code hashes of 32 bytes around 0xfffffff0 do not lie inside of "
            "the code directory's 200 bytes");
    damaged(36, 0x2009000c, 36,
            "hashes of kind 9 with 32 bytes, expected 1 to 4 with 20, 32, 20, 48");
    damaged(36, 0x1402000c, 36,
            "hashes of kind 2 with 20 bytes, expected 1 to 4 with 20, 32, 20, 48");
    damaged(36, 0x2002001f, 39, "pages of 2^31 bytes");
    damaged(36, 0x200200ca, 39, "pages of 2^202 bytes");
    damaged(32, 0x1001, 32, "the code hashes cover 0x1001 bytes, the file has 0x1dc");
    damaged(32, 0x101, 32,
            "the code hashes cover 0x101 bytes, the signature itself starts at 0x100");
    damaged(36, 0x20020004, 28, "1 code hashes for 0x100 bytes in pages of 0x10, expected 16");
    damaged(8, 0x30000, 8, "a code directory of version 0x30000, 0x2xxxx is known");
}

Test(codesign, short_directory)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_blob(MAGIC_DIRECTORY, "\0\2\4\0", 4));
    struct signed_image image = read_signed(&cs);
    fault_is(&image, 0, SIGN_OFF + 20,
             "a code directory of version 0x20400 has 12 bytes, fewer than its header");
    close_signed(&image);
}

/* However a signature is cut off, it is an error or a fault, and never a read past the end. */
Test(codesign, cut_off)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, 5, cs_blob(MAGIC_XML, XML(""), strlen(XML(""))));
    cs_add(&cs, 7, cs_blob(MAGIC_DER, der_yes, sizeof der_yes));
    struct build sign = cs_finish(&cs);
    for (size_t n = 0; n < sign.n; n++) {
        struct build part = big_build();
        put_bytes(&part, sign.at, n);
        if (n >= 8)
            set_u32(&part, 4, (uint32_t)n);
        struct signed_image image = {.b = sign_image(&part)};
        image.b.at = realloc(image.b.at, image.b.n);
        read_image(&image);
        cr_assert(image.status != MS_OK || image.sign->n_faults, "%zu", n);
        close_signed(&image);
    }
    build_free(&sign);
}

/* ---- checking ------------------------------------------------------------------------------- */

/* An image whose hashes are right: its one page, and its entitlements in slot -5. */
static struct signed_image intact(void)
{
    struct cs_directory d = plain;
    struct cs cs = {.n = 0};
    struct build xml = cs_blob(MAGIC_XML, XML(""), strlen(XML("")));
    d.n_special = 5;
    cs_add(&cs, 0, cs_directory(&d));
    size_t hashes = get_u32(&cs.parts[0].blob, 16);
    ms_sha256(build_bytes(&xml), cs.parts[0].blob.at + hashes - 5 * 32);
    cs_add(&cs, 5, xml);
    struct build sign = cs_finish(&cs);
    struct signed_image image = {.b = sign_image(&sign)};
    ms_sha256((struct ms_bytes){image.b.at, SIGN_OFF}, image.b.at + SIGN_OFF + 28 + hashes);
    read_image(&image);
    no_faults(&image);
    return image;
}

static const struct ms_cs_outside nothing;

Test(codesign_check, intact)
{
    struct signed_image image = intact();
    struct ms_cs_check check;
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert(check.n_pages == 1 && check.n_blobs == 1 && check.n_bad == 0 && !check.cms_differs);
    cr_assert(ms_codesign_has_special(&image.sign->directories[0], 5));
    cr_assert_not(ms_codesign_has_special(&image.sign->directories[0], 4));
    cr_assert_not(ms_codesign_has_special(&image.sign->directories[0], 6));
    close_signed(&image);
}

Test(codesign_check, modified)
{
    struct signed_image image = intact();
    struct ms_cs_check check;
    image.b.at[SIGN_OFF - 1] ^= 1;
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert(check.n_bad == 1 && check.n_kept == 1);
    cr_assert(check.bad[0].slot == 0 && check.bad[0].off == 0 && check.bad[0].bytes == SIGN_OFF);
    image.b.at[image.b.n - 1] ^= 1; /* the last byte of the entitlements */
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert_eq(check.n_bad, 2);
    cr_assert_eq(check.bad[1].slot, -5);
    cr_assert_eq(check.bad[1].off, image.sign->blobs[1].off);
    close_signed(&image);
}

/* A blob that is in no directory was put in later. */
Test(codesign_check, added)
{
    struct cs cs = {.n = 0};
    struct cs_directory d = plain;
    d.n_special = 0;
    d.n_code = d.code_limit = 0;
    cs_add(&cs, 0, cs_directory(&d));
    cs_add(&cs, 7, cs_blob(MAGIC_DER, der_yes, sizeof der_yes));
    struct signed_image image = read_signed(&cs);
    struct ms_cs_check check;
    no_faults(&image);
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert(check.n_bad == 0, "nothing is hashed, so nothing is checked");
    close_signed(&image);
    d.n_special = 2;
    cs_add(&cs, 0, cs_directory(&d));
    cs_add(&cs, 7, cs_blob(MAGIC_DER, der_yes, sizeof der_yes));
    image = read_signed(&cs);
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert(check.n_bad == 1 && check.bad[0].slot == -7);
    close_signed(&image);
}

/* What lies outside is compared where it is given. */
Test(codesign_check, outside)
{
    struct cs cs = {.n = 0};
    struct cs_directory d = plain;
    d.n_special = 3;
    d.n_code = d.code_limit = 0;
    struct ms_cs_outside files = {
        {(const uint8_t *)"info", 4}, {(const uint8_t *)"sealed", 6}, false};
    cs_add(&cs, 0, cs_directory(&d));
    size_t hashes = get_u32(&cs.parts[0].blob, 16);
    ms_sha256(files.info, cs.parts[0].blob.at + hashes - 32);
    ms_sha256(files.resources, cs.parts[0].blob.at + hashes - 3 * 32);
    struct signed_image image = read_signed(&cs);
    struct ms_cs_check check;
    ms_codesign_check(&image.macho, image.sign, &files, &check);
    cr_assert(check.n_blobs == 2 && check.n_bad == 0);
    files.info.n = 3;
    ms_codesign_check(&image.macho, image.sign, &files, &check);
    cr_assert(check.n_blobs == 2 && check.n_bad == 1 && check.bad[0].slot == -1);
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert(check.n_blobs == 0 && check.n_bad == 0);
    files = (struct ms_cs_outside){.is_bundle = true}; /* which has lost both */
    ms_codesign_check(&image.macho, image.sign, &files, &check);
    cr_assert(check.n_blobs == 2 && check.n_bad == 2 && check.bad[1].slot == -3);
    cr_assert_eq(check.bad[1].bytes, 0);
    close_signed(&image);
}

/* ---- names ---------------------------------------------------------------------------------- */

Test(codesign, names)
{
    cr_assert_str_eq(ms_codesign_flag_name(0x10000), "runtime");
    cr_assert_null(ms_codesign_flag_name(0x80000000));
    cr_assert_str_eq(ms_codesign_exec_flag_name(0x10), "allow-unsigned");
    cr_assert_null(ms_codesign_exec_flag_name(2));
    cr_assert_str_eq(ms_codesign_hash_name(3), "sha256-truncated");
    cr_assert_null(ms_codesign_hash_name(0));
    cr_assert_null(ms_codesign_hash_name(5));
    cr_assert_str_eq(ms_codesign_slot_name(0x10000), "CMS signature");
    cr_assert_null(ms_codesign_slot_name(12));
}
