/*
 * Memory that runs out at the n-th allocation, for every n: each call of lib/macho must say
 * so and leave nothing behind. Takes the place of malloc, so only where that can be done.
 */
#include "unit/memory_out.h"
#include "unit/macho_builder.h"

#include <criterion/criterion.h>
#include <errno.h>

static struct build image_bytes(void)
{
    struct image image = begin_image(true, false, MS_CPU_ARM64, 0, MS_MH_DYLIB, 0x4000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x5000, 0x1000, 0x1000, CODE);
    char name[16];
    for (unsigned i = 0; i < 100; i++) {
        memcpy(name, "_f000", 6);
        name[3] = (char)('0' + i / 10);
        name[4] = (char)('0' + i % 10);
        add_symbol(&image, name, MS_N_SECT, 1, 0, 0x5ff0 - 8 * i);
    }
    put_uleb(&image.starts, 0x1004);
    /* "_x" at 0x5000 */
    put_bytes(&image.trie, "\0\1_x\0\6\3\0\x80\x20\0", 11);
    return finish_image(&image);
}

/* Runs `step` with the first, second, … allocation failing until it succeeds. */
static void exhaust(enum ms_status (*step)(const struct build *b, struct ms_error *err))
{
    struct build b = image_bytes();
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    for (long n = 0;; n++) {
        struct ms_error err;
        memset(&err, 0, sizeof err);
        countdown = n;
        enum ms_status status = step(&b, &err);
        countdown = -1;
        cr_assert_lt(n, 100);
        if (status == MS_OK) {
            cr_assert_gt(n, 0);
            break;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d, %s", n, status, err.text);
        cr_assert_eq(err.status, MS_E_NOMEM);
        cr_assert_str_eq(err.text, "out of memory");
    }
    build_free(&b);
}

static enum ms_status parse_step(const struct build *b, struct ms_error *err)
{
    struct ms_macho macho;
    enum ms_status status = ms_macho_parse(build_bytes(b), "t", &macho, err);
    ms_macho_fini(&macho);
    return status;
}

static enum ms_status fat_step(const struct build *b, struct ms_error *err)
{
    struct ms_fat fat;
    enum ms_status status = ms_fat_parse(build_bytes(b), "t", &fat, err);
    ms_fat_fini(&fat);
    return status;
}

static enum ms_status symbols_step(const struct build *b, struct ms_error *err)
{
    struct ms_macho macho;
    struct ms_symbols symbols;
    enum ms_status status = ms_macho_parse(build_bytes(b), "t", &macho, err);
    if (status != MS_OK)
        return status;
    status = ms_symbols_read(&macho, &symbols, err);
    if (status == MS_OK) {
        cr_assert_eq(symbols.n, 102);
        cr_assert_eq(symbols.items[0].source, MS_SOURCE_EXPORT);
    } else {
        cr_assert_null(symbols.items);
        cr_assert_null(symbols.storage);
    }
    ms_symbols_fini(&symbols);
    ms_macho_fini(&macho);
    return status;
}

static enum ms_status one_symbol_step(const struct build *b, struct ms_error *err)
{
    struct ms_macho macho;
    struct ms_symbols symbols;
    enum ms_status status = ms_macho_parse(build_bytes(b), "t", &macho, err);
    if (status != MS_OK)
        return status;
    status = ms_symbols_read_at(&macho, 0x5000, &symbols, err);
    if (status == MS_OK)
        cr_assert_str_eq(symbols.items[0].name, "_x");
    ms_symbols_fini(&symbols);
    ms_macho_fini(&macho);
    return status;
}

static enum ms_status starts_step(const struct build *b, struct ms_error *err)
{
    struct ms_macho macho;
    uint64_t *starts;
    size_t n;
    enum ms_status status = ms_macho_parse(build_bytes(b), "t", &macho, err);
    if (status != MS_OK)
        return status;
    status = ms_function_starts_read(&macho, &starts, &n, err);
    free(starts);
    ms_macho_fini(&macho);
    return status;
}

Test(memory, parse)
{
    exhaust(parse_step);
}
Test(memory, fat)
{
    exhaust(fat_step);
}
Test(memory, symbols)
{
    exhaust(symbols_step);
}
Test(memory, one_symbol)
{
    exhaust(one_symbol_step);
}
Test(memory, starts)
{
    exhaust(starts_step);
}
