/* Which kind of image list a text is, and what holds for the lists of all kinds. */
#include "machsym/imagelist.h"

#include "base/limits.h"
#include "report/crash_text_scan.h"
#include "report/imagelist_build.h"

#include <stdlib.h>

struct storage {
    struct ms_arena arena;
};

/* ---- images that are listed twice ------------------------------------------------------ */

/* What an image is known by; sorted, what belongs together stands together. */
struct entry {
    const char *key;
    size_t index;
    const struct ms_loaded_image *image;
};

static int compare(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int by_key = strcmp(x->key, y->key);
    if (by_key)
        return by_key;
    if (x->image->has_load != y->image->has_load)
        return x->image->has_load ? -1 : 1;
    if (x->image->load_rt != y->image->load_rt)
        return x->image->load_rt < y->image->load_rt ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

static bool says_the_same(const struct ms_loaded_image *a, const struct ms_loaded_image *b)
{
    return a->has_load == b->has_load && a->load_rt == b->load_rt && a->has_slide == b->has_slide &&
           a->slide == b->slide &&
           (!a->has_uuid || !b->has_uuid || ms_uuid_equal(&a->uuid, &b->uuid));
}

/* The entries of one path: drops what was said before, marks what is in several places. */
static void settle(struct ms_loaded_image *items, struct entry *entries, size_t n, bool *drop)
{
    size_t places = 0, mains = 0;
    struct ms_loaded_image *last = NULL;
    for (size_t i = 0; i < n; i++) {
        struct ms_loaded_image *image = &items[entries[i].index];
        if (!image->has_load && !image->has_slide) {
            /* Nothing but the path, which others have said, and perhaps a UUID. */
            const struct ms_loaded_image *before = i ? &items[entries[i - 1].index] : NULL;
            drop[entries[i].index] =
                before && (!image->has_uuid ||
                           (before->has_uuid && ms_uuid_equal(&before->uuid, &image->uuid)));
            continue;
        }
        if (last && says_the_same(last, image)) {
            if (!last->has_uuid && image->has_uuid) {
                last->uuid = image->uuid;
                last->has_uuid = true;
            }
            mains += image->is_main && !last->is_main;
            last->is_main |= image->is_main;
            drop[entries[i].index] = true;
            continue;
        }
        last = image;
        places++;
        mains += image->is_main;
    }
    for (size_t i = 0; i < n && places > 1; i++) {
        struct ms_loaded_image *image = &items[entries[i].index];
        /* The header of vmmap and sample tells which of them is the program itself. */
        bool told = image->is_main && mains == 1;
        image->ambiguous = (image->has_load || image->has_slide) && !told;
    }
}

static bool settle_all(struct ms_list_build *build)
{
    size_t n = build->n;
    struct entry *entries = calloc(n + 1, sizeof *entries);
    bool *drop = calloc(n + 1, sizeof *drop);
    if (!entries || !drop) {
        free(entries);
        free(drop);
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        const struct ms_loaded_image *image = &build->items[i];
        entries[i].key = image->path ? image->path : image->name ? image->name : "";
        entries[i].index = i;
        entries[i].image = image;
    }
    qsort(entries, n, sizeof *entries, compare);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(entries[end].key, entries[i].key) == 0;)
            end++;
        if (entries[i].key[0])
            settle(build->items, entries + i, end - i, drop);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!drop[i])
            build->items[kept++] = build->items[i];
    build->n = kept;
    free(entries);
    free(drop);
    return true;
}

/* ---- which kind ------------------------------------------------------------------------ */

static void read_as(struct ms_list_build *build, enum ms_image_list_kind kind)
{
    switch (kind) {
    case MS_LIST_VMMAP:
        ms_vmmap_read(build);
        break;
    case MS_LIST_LLDB:
        ms_lldb_images_read(build);
        break;
    case MS_LIST_DYLD:
        ms_dyld_print_read(build);
        break;
    case MS_LIST_BINARY_IMAGES:
        ms_binary_images_read(build);
        break;
    }
}

static enum ms_status refuse(struct ms_bytes bytes, const char *name, bool vmmap,
                             struct ms_error *err)
{
    static const uint8_t magics[][4] = {{0xcf, 0xfa, 0xed, 0xfe}, {0xce, 0xfa, 0xed, 0xfe},
                                        {0xfe, 0xed, 0xfa, 0xcf}, {0xfe, 0xed, 0xfa, 0xce},
                                        {0xca, 0xfe, 0xba, 0xbe}, {0xca, 0xfe, 0xba, 0xbf}};
    if (!bytes.n)
        return ms_fail(err, MS_E_FORMAT, name, MS_NO_OFFSET, "is empty");
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (bytes.n >= 4 && memcmp(bytes.at, magics[i], 4) == 0)
            return ms_fail(err, MS_E_FORMAT, name, 0,
                           "a Mach-O file, where a list of loaded images is expected");
    if (vmmap)
        return ms_fail(err, MS_E_FORMAT, name, MS_NO_OFFSET,
                       "output of vmmap without a \"Load Address:\" line or a __TEXT region that "
                       "has a path");
    return ms_fail(err, MS_E_FORMAT, name, MS_NO_OFFSET,
                   "names no loaded image: expected output of vmmap, heap or leaks, lldb's `image "
                   "list`, DYLD_PRINT_SEGMENTS, or \"Binary Images:\" of sample or spindump");
}

enum ms_status ms_image_list_parse(struct ms_bytes bytes, const char *name,
                                   struct ms_image_list *out, struct ms_error *err)
{
    /* A sample has a header like vmmap's, and a crash report quotes regions: so vmmap comes
     * first only where the text says that it is vmmap's, and last as a mere header. */
    static const enum ms_image_list_kind order[] = {MS_LIST_BINARY_IMAGES, MS_LIST_DYLD,
                                                    MS_LIST_LLDB, MS_LIST_VMMAP};
    memset(out, 0, sizeof *out);
    if (bytes.n > MS_MAX_REPORT)
        return ms_fail(err, MS_E_LIMIT, name, MS_NO_OFFSET, "%zu bytes are more than the %zu read",
                       bytes.n, MS_MAX_REPORT);
    struct ms_list_build build = {.text = bytes};
    ms_arena_init(&build.arena, 0);
    bool vmmap = ms_vmmap_is(bytes);
    size_t i = vmmap ? 3 : 0;
    for (; i < 4 && !build.n && !build.failed; i++)
        read_as(&build, order[i]);
    struct storage *storage = malloc(sizeof *storage);
    if (build.failed || !storage || !settle_all(&build)) {
        free(storage);
        free(build.items);
        ms_arena_fini(&build.arena);
        return ms_fail_memory(err);
    }
    storage->arena = build.arena;
    out->kind = order[i - 1];
    out->items = build.items;
    out->n = build.n;
    out->note = build.note;
    out->storage = storage;
    if (out->n)
        return MS_OK;
    ms_image_list_fini(out);
    return refuse(bytes, name, vmmap, err);
}

void ms_image_list_fini(struct ms_image_list *list)
{
    struct storage *storage = list->storage;
    if (storage)
        ms_arena_fini(&storage->arena);
    free(storage);
    free(list->items);
    memset(list, 0, sizeof *list);
}
