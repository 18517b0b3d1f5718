/* Memory that runs out at the n-th allocation, for every n, in what `machsym dwarf` asks for. */
#include "machsym/dwarf.h"
#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <string.h>

static const char *const subjects[] = {
    "fixtures/cxx/dwarf5/shapes.dSYM", "fixtures/c/dwarf4/deep.dSYM",
    "fixtures/magicnumbers/MagicNumbers.dSYM", "fixtures/c/debugmap/deep"};

static const struct ms_path_prefix fixtures = {"/src", "fixtures"};
static const struct ms_object_search search = {&fixtures, 1, NULL};

static enum ms_status place(struct ms_image *image, struct ms_error *err)
{
    struct ms_place out;
    enum ms_status status = ms_image_place(image, 0x1000008b0, &out, err);
    if (status == MS_OK)
        ms_place_fini(&out);
    return status;
}

static enum ms_status statistics(struct ms_image *image, struct ms_error *err)
{
    struct ms_dwarf_statistics out;
    enum ms_status status = ms_image_statistics(image, &out, err);
    if (status == MS_OK)
        ms_dwarf_statistics_fini(&out);
    return status;
}

/* Of the last subject alone. */
static enum ms_status place_in_object(struct ms_image *image, struct ms_error *err)
{
    struct ms_place out;
    if (!ms_image_has_debug_map(image))
        return MS_OK;
    enum ms_status status = ms_image_place(image, 0x1000005d8, &out, err);
    if (status == MS_OK) {
        cr_assert_not_null(out.object);
        cr_assert(out.has_unit);
        cr_assert_gt(out.n_levels, 0);
        cr_assert_gt(out.levels[out.n_levels - 1].n_parameters, 0);
        ms_place_fini(&out);
    }
    return status;
}

static enum ms_status parts(struct ms_image *image, struct ms_error *err)
{
    struct ms_map_parts out;
    enum ms_status status = ms_image_map_parts(image, &out, err);
    if (status == MS_OK) {
        cr_assert_gt(out.n, 0);
        for (size_t i = 0; i < out.n; i++)
            cr_assert(out.items[i].has_dwarf, "%s", out.items[i].path);
        ms_map_parts_fini(&out);
    }
    return status == MS_ABSENT ? MS_OK : status;
}

static enum ms_status lines(struct ms_image *image, struct ms_error *err)
{
    struct ms_line_tables *tables = NULL;
    struct ms_line_table table;
    struct ms_line_row row;
    enum ms_status status = ms_image_lines_open(image, &tables, err);
    while (status == MS_OK && (status = ms_line_tables_next(tables, &table, err)) == MS_OK) {
        struct ms_error fault;
        while (ms_line_rows_next(tables, &row, &fault))
            ;
    }
    ms_line_tables_close(tables);
    return status == MS_ABSENT ? MS_OK : status;
}

static void exhaust(enum ms_status (*step)(struct ms_image *, struct ms_error *))
{
    for (size_t i = 0; i < sizeof subjects / sizeof *subjects; i++) {
        for (long n = CAN_FAIL ? 0 : 999;; n++) { /* else one run, with all the memory */
            struct ms_image_choice choice = {subjects[i], NULL, NULL, true};
            struct ms_image *image = NULL;
            struct ms_error err;
            memset(&err, 0, sizeof err);
            long before = alive;
            if (ms_image_open(&choice, &image, &err) != MS_OK)
                cr_skip_test("the fixtures are not here");
            ms_image_set_object_search(image, &search);
            countdown = CAN_FAIL ? n : -1;
            enum ms_status status = step(image, &err);
            countdown = -1;
            ms_image_close(image);
            cr_assert_eq(alive, before, "%s: %ld blocks lost at allocation %ld", subjects[i],
                         alive - before, n);
            if (status == MS_OK)
                break;
            cr_assert_eq(status, MS_E_NOMEM, "%s: status %d at allocation %ld", subjects[i], status,
                         n);
            cr_assert_lt(n, 5000);
        }
    }
}

Test(dwarf_inside_memory, place)
{
    exhaust(place);
}

Test(dwarf_inside_memory, statistics)
{
    exhaust(statistics);
}

Test(dwarf_inside_memory, place_in_an_object)
{
    exhaust(place_in_object);
}

Test(dwarf_inside_memory, objects_of_a_debug_map)
{
    exhaust(parts);
}

Test(dwarf_inside_memory, lines)
{
    exhaust(lines);
}
