/*
 * Memory that runs out at the n-th allocation, for every n, while an index is made, checked and
 * asked: each call must say so and leave nothing behind, and never make or answer half.
 */
#include "machsym/pack.h"

#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROOM = 1 << 16, N = 5 };

static const uint64_t addresses[N] = {0x1000005c8, 0x100000780, 0x100000b24, 0x100000c60,
                                      0x100000dcc};

struct made {
    uint8_t bytes[ROOM];
    size_t n;
};

static bool take(void *to, const char *bytes, size_t n)
{
    struct made *made = to;
    cr_assert_leq(n, ROOM - made->n);
    memcpy(made->bytes + made->n, bytes, n);
    made->n += n;
    return true;
}

static enum ms_status make(const char *path, enum ms_pack_format format, const uint64_t *only,
                           size_t n_only, struct made *made, struct ms_error *err)
{
    struct ms_image *image;
    struct ms_image_choice choice = {.path = path};
    struct ms_pack_options options = {format, 1, only, n_only};
    struct ms_pack_result result;
    struct ms_sink sink = {.write = take, .to = made};
    made->n = 0;
    enum ms_status status = ms_image_open(&choice, &image, err);
    if (status != MS_OK)
        return status;
    status = ms_image_pack(image, &options, &sink, &result, err);
    ms_image_close(image);
    cr_assert(status != MS_OK || result.n_bytes == made->n);
    return status;
}

static void expect_no_memory(long n, enum ms_status status, const struct ms_error *err, long before)
{
    cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d, %s", n, status, err->text);
    cr_assert_eq(alive, before, "allocation %ld: %ld blocks are left", n, alive - before);
}

static void exhaust_making(const char *path, enum ms_pack_format format, const uint64_t *only,
                           size_t n_only)
{
    static struct made whole, got;
    struct ms_error err;
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    cr_assert_eq(make(path, format, only, n_only, &whole, &err), MS_OK);
    for (long n = 0;; n++) {
        long before = alive;
        memset(&err, 0, sizeof err);
        countdown = n;
        enum ms_status status = make(path, format, only, n_only, &got, &err);
        countdown = -1;
        cr_assert_lt(n, 20000);
        if (status == MS_OK) {
            cr_assert_gt(n, 20);
            cr_assert_eq(got.n, whole.n);
            cr_assert_eq(memcmp(got.bytes, whole.bytes, got.n), 0);
            return;
        }
        expect_no_memory(n, status, &err, before);
    }
}

Test(pack_memory, made_of_c)
{
    exhaust_making("fixtures/c/dwarf5/deep.dSYM", MS_PACK_MSYM, NULL, 0);
}

Test(pack_memory, made_of_old_dwarf_without_aranges)
{
    exhaust_making("fixtures/c/noaranges/deep.dSYM", MS_PACK_MSYM, NULL, 0);
}

Test(pack_memory, made_for_some_addresses)
{
    exhaust_making("fixtures/c/dwarf5/deep.dSYM", MS_PACK_MSYM, addresses, N);
}

Test(pack_memory, made_as_gsym)
{
    exhaust_making("fixtures/c/dwarf5/deep.dSYM", MS_PACK_GSYM, NULL, 0);
}

static enum ms_status use(const char *path, struct ms_error *err)
{
    struct ms_image *image;
    struct ms_image_choice choice = {.path = path, .no_companion = true};
    struct ms_pack_info info;
    struct ms_answers answers;
    enum ms_status status = ms_image_open(&choice, &image, err);
    if (status != MS_OK)
        return status;
    status = ms_image_check_index(image, &info, err);
    if (status == MS_OK)
        status = ms_image_find_many(image, addresses, N, &answers, err);
    if (status == MS_OK) {
        for (size_t i = 0; i < N; i++) {
            cr_assert_eq(answers.items[i].why, MS_WHY_COMPLETE);
            cr_assert_geq(answers.items[i].n_frames, 1);
        }
        ms_answers_fini(&answers);
    }
    ms_image_close(image);
    return status;
}

Test(pack_memory, asked)
{
    static struct made made;
    struct ms_error err;
    char path[] = "/tmp/machsym-pack.XXXXXX";
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    cr_assert_eq(make("fixtures/c/dwarf5/deep.dSYM", MS_PACK_MSYM, NULL, 0, &made, &err), MS_OK);
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    cr_assert_eq(write(fd, made.bytes, made.n), (ssize_t)made.n);
    close(fd);
    for (long n = 0;; n++) {
        long before = alive;
        memset(&err, 0, sizeof err);
        countdown = n;
        enum ms_status status = use(path, &err);
        countdown = -1;
        cr_assert_lt(n, 2000);
        if (status == MS_OK) {
            cr_assert_gt(n, 5);
            break;
        }
        expect_no_memory(n, status, &err, before);
    }
    unlink(path);
}
