/*
 * Memory that runs out at the n-th allocation, for every n, while the initialisers of a fixture are
 * listed and their variables are looked for: each call must say so and leave nothing behind.
 */
#include "unit/memory_out.h"

#include "machsym/inits.h"

#include <criterion/criterion.h>
#include <string.h>

static struct ms_image *open_image(const char *path)
{
    struct ms_image_choice choice = {path, NULL, NULL, false};
    struct ms_image *image;
    struct ms_error err;
    cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s", err.text);
    return image;
}

static void list(const char *path, size_t expected)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    struct ms_image *image = open_image(path);
    for (long n = 0;; n++) {
        struct ms_inits inits;
        struct ms_error err;
        memset(&err, 0, sizeof err);
        long before = alive;
        countdown = n;
        enum ms_status status = ms_image_inits(image, &inits, &err);
        countdown = -1;
        cr_assert_lt(n, 1000);
        if (status == MS_OK) {
            cr_assert_eq(inits.n, expected);
            ms_inits_fini(&inits);
            cr_assert_eq(alive, before);
            break;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d, %s", n, status, err.text);
        cr_assert_str_eq(err.text, "out of memory");
        cr_assert_eq(alive, before, "allocation %ld: %ld left", n, alive - before);
    }
    ms_image_close(image);
}

Test(inits_memory, lists)
{
    list("fixtures/inits/offsets/settings", 8);
    list("fixtures/inits/pointers/settings", 8);
    list("fixtures/objc/arm64/hat", 2);
    list("fixtures/objc/relative/hat", 2);
}

static void look(const char *path)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    for (long n = 0;; n++) {
        long before = alive;
        struct ms_image *image = open_image(path);
        struct ms_inits inits;
        struct ms_init_variables variables;
        size_t n_found = 0;
        struct ms_error err;
        cr_assert_eq(ms_image_inits(image, &inits, &err), MS_OK);
        memset(&err, 0, sizeof err);
        countdown = n;
        enum ms_status status = ms_image_init_variables(image, &inits, &variables, &err);
        countdown = -1;
        cr_assert_lt(n, 5000);
        if (status == MS_OK) {
            n_found = variables.n;
            ms_init_variables_fini(&variables);
        } else {
            cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: %d %s", n, status, err.text);
            cr_assert_null(variables.items);
        }
        ms_inits_fini(&inits);
        ms_image_close(image);
        cr_assert_eq(alive, before, "allocation %ld: %ld left", n, alive - before);
        cr_assert(status != MS_OK || n_found == 9, "allocation %ld: %zu variables", n, n_found);
        if (status == MS_OK)
            break;
    }
}

Test(inits_memory, variables)
{
    look("fixtures/inits/offsets/settings");
    look("fixtures/inits/pointers/settings");
}
