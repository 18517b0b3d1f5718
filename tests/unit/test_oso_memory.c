/*
 * Memory that runs out at the n-th allocation, for every n, on the way over a debug map: each
 * call must say so and leave nothing behind, and never answer as if an object were missing.
 */
#include "machsym/image.h"

#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct ms_path_prefix fixtures = {"/src", "fixtures"};
static const struct ms_object_search search = {&fixtures, 1, NULL};

enum { N = 6 };
static const uint64_t addresses[N] = {0x1000005d8, 0x100000e20, 0x100000f30,
                                      0x100001010, 0x1000006d8, 0x100000dd8};

static void expect(const struct ms_answer *answer)
{
    cr_assert_eq(answer->why, MS_WHY_COMPLETE);
    cr_assert_neq(answer->n_frames, 0);
    cr_assert_not_null(answer->frames[0].file);
}

static enum ms_status many(struct ms_image *image, struct ms_error *err)
{
    struct ms_answers answers;
    enum ms_status status = ms_image_find_many(image, addresses, N, &answers, err);
    if (status != MS_OK)
        return status;
    for (size_t i = 0; i < N; i++)
        expect(&answers.items[i]);
    ms_answers_fini(&answers);
    return MS_OK;
}

static enum ms_status one(struct ms_image *image, struct ms_error *err)
{
    struct ms_answers answers;
    enum ms_status status = MS_OK;
    memset(&answers, 0, sizeof answers);
    for (size_t i = 0; i < 2 * N && status == MS_OK; i++) {
        status = ms_image_find(image, addresses[i % N], &answers, err);
        if (status == MS_OK)
            expect(&answers.items[0]);
    }
    ms_answers_fini(&answers);
    return status;
}

static enum ms_status look_up(enum ms_status (*step)(struct ms_image *, struct ms_error *),
                              struct ms_error *err)
{
    struct ms_image *image;
    struct ms_image_choice choice = {"fixtures/c/debugmap/deep", NULL, NULL, true};
    enum ms_status status = ms_image_open(&choice, &image, err);
    if (status != MS_OK)
        return status;
    ms_image_set_object_search(image, &search);
    status = step(image, err);
    ms_image_close(image);
    return status;
}

static enum ms_status batch(struct ms_error *err)
{
    return look_up(many, err);
}

static enum ms_status singles(struct ms_error *err)
{
    return look_up(one, err);
}

static enum ms_status link_map(struct ms_error *err)
{
    struct ms_file *file;
    struct ms_macho macho;
    struct ms_linked_map map;
    enum ms_status status = ms_file_open("fixtures/cxx/debugmap/shapes", &file, err);
    if (status != MS_OK)
        return status;
    status = ms_macho_parse(ms_file_bytes(file), "shapes", &macho, err);
    if (status == MS_OK) {
        status = ms_linked_map_read(&macho, &search, &map, err);
        if (status == MS_OK) {
            cr_assert_eq(map.n_objects, 3);
            cr_assert_eq(map.n_notes, 0);
            cr_assert_eq(map.objects[0].n_symbols, 11);
            ms_linked_map_fini(&map);
        }
        ms_macho_fini(&macho);
    }
    ms_file_close(file);
    return status;
}

/* Runs `step` with the first, second, … allocation failing until it succeeds. */
static void exhaust(enum ms_status (*step)(struct ms_error *))
{
    for (long n = CAN_FAIL ? 0 : 9999;; n++) { /* else one run, with all the memory */
        struct ms_error err;
        memset(&err, 0, sizeof err);
        long before = alive;
        countdown = n;
        enum ms_status status = step(&err);
        countdown = -1;
        cr_assert_eq(alive, before, "allocation %ld: %ld blocks lost", n, alive - before);
        if (status == MS_OK) {
            cr_assert_gt(n, 20);
            break;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d", n, status);
        cr_assert_eq(err.status, MS_E_NOMEM);
        cr_assert_lt(n, 10000);
    }
}

Test(oso_memory, a_batch)
{
    exhaust(batch);
}

Test(oso_memory, one_by_one)
{
    exhaust(singles);
}

Test(oso_memory, a_linked_map)
{
    exhaust(link_map);
}
