/* Functions found by the names of real symbol tables: every address of the code of some dSYMs gets
 * the answer that a pass over its unit gives. */
#include "dwarf/reader.h"
#include "resolve/image.h"

#include <criterion/criterion.h>
#include <string.h>

/* Both tables; folded code, one unit of all, functions in pieces, Objective-C. */
static const char *const dsyms[] = {"fixtures/c/dwarf2/small.dSYM",
                                    "fixtures/c/dwarf4/deep.dSYM",
                                    "fixtures/c/dwarf5/deep.dSYM",
                                    "fixtures/c/icf/deep.dSYM",
                                    "fixtures/c/lto/deep.dSYM",
                                    "fixtures/c/outlined/deep.dSYM",
                                    "fixtures/c/unoptimised/deep.dSYM",
                                    "fixtures/cxx/dwarf4/shapes.dSYM",
                                    "fixtures/cxx/dwarf5/shapes.dSYM",
                                    "fixtures/objc/arm64/hat.dSYM",
                                    "fixtures/inits/offsets/settings.dSYM"};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_frame(const struct ms_frame *a, const struct ms_frame *b)
{
    return same_text(a->linkage, b->linkage) && same_text(a->name, b->name) &&
           same_text(a->comp_dir, b->comp_dir) && same_text(a->dir, b->dir) &&
           same_text(a->file, b->file) && a->line == b->line && a->column == b->column &&
           a->has_start == b->has_start && a->start_vm == b->start_vm && a->offset == b->offset &&
           a->inlined == b->inlined && a->source == b->source && a->die_off == b->die_off;
}

static void expect_same(const char *path, const uint64_t *addresses, const struct ms_answers *a,
                        const struct ms_answers *b)
{
    cr_assert_eq(a->n, b->n);
    cr_assert_eq(a->n_errors, b->n_errors);
    for (size_t i = 0; i < a->n; i++) {
        const struct ms_answer *x = &a->items[i], *y = &b->items[i];
        bool same = x->n_frames == y->n_frames && x->why == y->why;
        for (size_t k = 0; same && k < x->n_frames; k++)
            same = same_frame(&x->frames[k], &y->frames[k]);
        cr_assert(same, "%s 0x%llx", path, (unsigned long long)addresses[i]);
    }
}

static void ask_both(const char *path, struct ms_image *image, const struct ms_dwarf_hinter *hinter,
                     const uint64_t *addresses, size_t n)
{
    struct ms_answers named, whole;
    ms_dwarf_set_hinter(ms_image_dwarf(image), hinter);
    cr_assert_eq(ms_image_find_many(image, addresses, n, &named, NULL), MS_OK);
    ms_dwarf_set_hinter(ms_image_dwarf(image), NULL);
    cr_assert_eq(ms_image_find_many(image, addresses, n, &whole, NULL), MS_OK);
    expect_same(path, addresses, &named, &whole);
    ms_answers_fini(&named);
    ms_answers_fini(&whole);
}

/* Takes addresses far from each other together, so that each batch is of several functions. */
static void expect_section(const char *path, struct ms_image *image,
                           const struct ms_dwarf_hinter *hinter, const struct ms_section *section,
                           size_t n)
{
    enum { MOST = 64, STEP = 4 };
    uint64_t addresses[MOST], count = section->vm_bytes / STEP, stride = count / n + 1;
    for (uint64_t first = 0; first < stride; first++) {
        size_t k = 0;
        for (uint64_t i = first; i < count && k < n; i += stride)
            addresses[k++] = section->vm + i * STEP;
        ask_both(path, image, hinter, addresses, k);
    }
}

Test(image_hints, every_address)
{
    for (size_t i = 0; i < sizeof dsyms / sizeof *dsyms; i++) {
        const struct ms_image_choice choice = {.path = dsyms[i]};
        struct ms_image *image;
        struct ms_error err;
        cr_assert_eq(ms_image_open(&choice, &image, &err), MS_OK, "%s: %s", dsyms[i], err.text);
        struct ms_dwarf *dwarf = ms_image_dwarf(image);
        cr_assert_not_null(dwarf, "%s", dsyms[i]);
        cr_assert(dwarf->s.apple_names.n || dwarf->s.names.n, "%s has no table", dsyms[i]);
        cr_assert(dwarf->hinter.ask, "%s has no symbols", dsyms[i]);
        struct ms_dwarf_hinter hinter = dwarf->hinter;
        hinter.always = true;
        const struct ms_macho *macho = ms_image_macho(image);
        for (size_t k = 0; k < macho->n_sections; k++) {
            if (!ms_section_is_code(&macho->sections[k]) || !macho->sections[k].vm_bytes)
                continue;
            expect_section(dsyms[i], image, &hinter, &macho->sections[k], 2);
            expect_section(dsyms[i], image, &hinter, &macho->sections[k], 40);
        }
        ms_image_close(image);
    }
}
