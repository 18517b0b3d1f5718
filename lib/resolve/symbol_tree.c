/* ms_symbol_tree_read: the regions of an image, and the making of the whole tree. */
#include "resolve/symbol_tree.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool ms_tree_add(struct ms_tree_store *store, enum ms_tree_source source, uint64_t vm,
                 const struct ms_tree_fact *fact)
{
    struct ms_record record = {vm, (uint32_t)store->n_facts, source};
    return store->n_facts < UINT32_MAX &&
           MS_PUSH(store->facts, store->n_facts, store->facts_room, *fact) &&
           MS_PUSH(store->records, store->n_records, store->records_room, record);
}

void ms_tree_fault(struct ms_tree_store *store, const struct ms_error *fault)
{
    if (!store->out->n_broken++)
        store->out->first_fault = *fault;
}

/* ---- regions --------------------------------------------------------------------------------- */

static uint64_t end_of(uint64_t vm, uint64_t bytes)
{
    return bytes <= UINT64_MAX - vm ? vm + bytes : UINT64_MAX;
}

/* Empty ones first, so that the last one that starts at or below an address may hold it. */
static int by_address(const void *a, const void *b)
{
    const struct ms_tree_region *x = a, *y = b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static size_t lower_bound(const struct ms_tree_symbol *symbols, size_t n, uint64_t vm)
{
    size_t low = 0, high = n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (symbols[middle].vm < vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The header and the sections of segment k, at *out; how many there are. */
static size_t put_inside(const struct ms_macho *macho, uint32_t k, struct ms_tree_region *out)
{
    const struct ms_segment *segment = &macho->segments[k];
    size_t n = 0;
    uint64_t first = end_of(segment->vm, segment->vm_bytes);
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *section = &macho->sections[i];
        if (section->segment != k)
            continue;
        out[n++] = (struct ms_tree_region){MS_TREE_SECTION,
                                           section->segment_name,
                                           section->name,
                                           section->vm,
                                           section->vm_bytes,
                                           0,
                                           0};
        if (section->vm < first)
            first = section->vm;
    }
    bool header = macho->has_text && macho->filetype != MS_MH_OBJECT &&
                  segment->vm == macho->text_vm && strcmp(segment->name, "__TEXT") == 0;
    if (header && first > segment->vm)
        out[n++] = (struct ms_tree_region){
            MS_TREE_HEADER, segment->name, NULL, segment->vm, first - segment->vm, 0, 0};
    if (n > 1)
        qsort(out, n, sizeof *out, by_address);
    return n;
}

static int by_segment(const void *a, const void *b)
{
    const struct ms_segment *x = *(const struct ms_segment *const *)a,
                            *y = *(const struct ms_segment *const *)b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Regions in the order that they are shown in. */
static enum ms_status list_regions(struct ms_tree_store *s, const struct ms_macho *macho,
                                   struct ms_error *err)
{
    size_t n = 0, most = 2 * macho->n_segments + macho->n_sections + 1;
    const struct ms_segment **segments = calloc(macho->n_segments + 1, sizeof *segments);
    s->regions = calloc(most, sizeof *s->regions);
    if (!segments || !s->regions) {
        free(segments);
        return ms_fail_memory(err);
    }
    for (size_t i = 0; i < macho->n_segments; i++)
        segments[i] = &macho->segments[i];
    qsort(segments, macho->n_segments, sizeof *segments, by_segment);
    for (size_t i = 0; i < macho->n_segments; i++) {
        const struct ms_segment *segment = segments[i];
        s->regions[n++] = (struct ms_tree_region){
            MS_TREE_SEGMENT, segment->name, NULL, segment->vm, segment->vm_bytes, 0, 0};
        n += put_inside(macho, (uint32_t)(segment - macho->segments), &s->regions[n]);
    }
    free(segments);
    s->out->n_regions = n;
    return MS_OK;
}

/* What no source tells ends where the next symbol starts, or the region. */
static void size_symbols(struct ms_tree_symbol *symbols, size_t n, uint64_t end)
{
    uint64_t next = end;
    for (size_t i = n; i-- > 0;) {
        struct ms_tree_symbol *symbol = &symbols[i];
        if (i + 1 < n && symbols[i + 1].vm > symbol->vm)
            next = symbols[i + 1].vm;
        if (!(symbol->flags & MS_TREE_LENGTH))
            symbol->bytes = next > symbol->vm ? next - symbol->vm : 0;
    }
}

static bool is_leaf(const struct ms_symbol_tree *tree, const struct ms_tree_region *regions,
                    size_t i)
{
    return regions[i].kind != MS_TREE_SEGMENT || i + 1 == tree->n_regions ||
           regions[i + 1].kind == MS_TREE_SEGMENT;
}

static int by_pointed(const void *a, const void *b)
{
    return by_address(*(struct ms_tree_region *const *)a, *(struct ms_tree_region *const *)b);
}

enum ms_status ms_tree_make_regions(struct ms_tree_store *store, struct ms_error *err)
{
    struct ms_symbol_tree *tree = store->out;
    enum ms_status status = list_regions(store, ms_image_macho(store->image), err);
    if (status != MS_OK)
        return status;
    struct ms_tree_region **leaves = calloc(tree->n_regions + 1, sizeof *leaves);
    if (!leaves)
        return ms_fail_memory(err);
    size_t n = 0, at = store->n_symbols;
    for (size_t i = 0; i < tree->n_regions; i++)
        if (is_leaf(tree, store->regions, i))
            leaves[n++] = &store->regions[i];
    if (n)
        qsort(leaves, n, sizeof *leaves, by_pointed);
    for (size_t i = n; i-- > 0;) {
        struct ms_tree_region *leaf = leaves[i];
        leaf->first = lower_bound(store->symbols, at, leaf->vm);
        leaf->n = at - leaf->first;
        at = leaf->first;
        if (leaf->n)
            size_symbols(store->symbols + leaf->first, leaf->n, end_of(leaf->vm, leaf->bytes));
    }
    /* Where there are no regions, nobody knows where the last one ends. */
    size_symbols(store->symbols, at, n ? leaves[0]->vm : 0);
    tree->n_outside = at;
    free(leaves);
    return MS_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void ms_symbol_tree_fini(struct ms_symbol_tree *tree)
{
    struct ms_tree_store *s = tree->storage;
    if (s) {
        free(s->records);
        free(s->facts);
        free(s->symbols);
        free(s->regions);
        free(s->lines);
        free(s->files);
        ms_debug_map_fini(&s->map);
        ms_arena_fini(&s->arena);
        free(s);
    }
    memset(tree, 0, sizeof *tree);
}

static enum ms_status make(struct ms_tree_store *s, const struct ms_tree_sources *sources,
                           struct ms_error *err)
{
    s->runtime = sources->runtime;
    enum ms_status status = ms_tree_read_tables(s, sources, err);
    if (status == MS_OK && sources->dwarf)
        status = ms_tree_read_dwarf(s, sources->lines, err);
    if (status == MS_OK)
        status = ms_tree_merge(s, sources->starts, err);
    free(s->records);
    free(s->facts);
    ms_debug_map_fini(&s->map); /* its names are the image's */
    memset(&s->map, 0, sizeof s->map);
    s->records = NULL;
    s->facts = NULL;
    return status == MS_OK ? ms_tree_make_regions(s, err) : status;
}

enum ms_status ms_symbol_tree_read(struct ms_image *image, const struct ms_tree_sources *sources,
                                   struct ms_symbol_tree *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct ms_tree_store *s = calloc(1, sizeof *s);
    if (!s)
        return ms_fail_memory(err);
    out->storage = s;
    s->image = image;
    s->out = out;
    ms_arena_init(&s->arena, 0);
    const struct ms_macho *macho = ms_image_macho(image);
    out->filetype = macho->filetype;
    out->header_flags = macho->flags;
    out->is64 = macho->is64;
    enum ms_status status = make(s, sources, err);
    if (status == MS_OK)
        status = ms_image_intact(image, err);
    if (status != MS_OK) {
        ms_symbol_tree_fini(out);
        return status;
    }
    out->symbols = s->symbols;
    out->n_symbols = s->n_symbols;
    out->regions = s->regions;
    out->lines = s->lines;
    out->n_lines = s->n_lines;
    out->files = s->files;
    out->n_files = s->n_files;
    return MS_OK;
}
