/* From addresses as linked to answers: DWARF first, then symbols, then why not. */
#include "resolve/image.h"

#include "base/arena.h"
#include "base/prefetch.h"

#include <stdlib.h>
#include <string.h>

/* What stands behind struct ms_answers. */
struct store {
    struct ms_arena arena;         /* answers, and the frames that symbols make */
    struct ms_dwarf_answers dwarf; /* the frames that DWARF makes */
    enum ms_why *whys;             /* what a debug map says of each address, or NULL */
};

static struct store *store_of(struct ms_answers *out, struct ms_error *err)
{
    if (!out->storage) {
        struct store *store = calloc(1, sizeof *store);
        if (!store) {
            ms_fail_memory(err);
            return NULL;
        }
        ms_arena_init(&store->arena, 0);
        out->storage = store;
    }
    return out->storage;
}

void ms_answers_fini(struct ms_answers *answers)
{
    struct store *store = answers->storage;
    if (store) {
        ms_dwarf_answers_fini(&store->dwarf);
        ms_arena_fini(&store->arena);
        free(store);
    }
    memset(answers, 0, sizeof *answers);
}

/* How far ahead: frames first, then what they lead to. */
enum { FRAMES_AHEAD = 12, NAMES_AHEAD = 6, MOST_AHEAD = 8 };

void ms_answers_ahead(const struct ms_answers *answers, size_t i)
{
    if (i + FRAMES_AHEAD < answers->n) {
        const struct ms_answer *far = &answers->items[i + FRAMES_AHEAD];
        size_t n = far->n_frames < MOST_AHEAD ? far->n_frames : MOST_AHEAD;
        ms_prefetch(far->frames, n * sizeof *far->frames);
    }
    if (i + NAMES_AHEAD < answers->n) {
        const struct ms_answer *near = &answers->items[i + NAMES_AHEAD];
        for (size_t k = 0; k < near->n_frames && k < MOST_AHEAD; k++) {
            const struct ms_frame *frame = &near->frames[k];
            ms_prefetch(frame->linkage ? frame->linkage : frame->name, 100);
        }
    }
}

/* One of Mach-O's underscores goes; Objective-C methods have none. */
static const char *without_underscore(const char *symbol)
{
    return symbol && symbol[0] == '_' ? symbol + 1 : symbol;
}

/*
 * DWARF's linkage names come without it, but for two kinds: a leading \1, which an asm label
 * leaves, is followed by the symbol's own name; and clang's machine outliner writes
 * "_OUTLINED_FUNCTION_0" for what is called OUTLINED_FUNCTION_0.
 */
const char *ms_frame_linkage(const struct ms_frame *frame)
{
    const char *linkage = frame->linkage;
    if (frame->source != MS_SOURCE_DWARF && frame->source != MS_SOURCE_DEBUG_MAP)
        return linkage;
    if (linkage && linkage[0] == '\1')
        return without_underscore(linkage + 1);
    if (linkage && linkage[0] == '_' && linkage[1] != 'Z' && frame->name &&
        strcmp(linkage + 1, frame->name) == 0)
        return linkage + 1;
    return linkage;
}

static void name_from_symbol(struct ms_frame *frame, const struct ms_symbol *symbol,
                             uint64_t address_vm)
{
    frame->linkage = without_underscore(symbol->name);
    frame->start_vm = symbol->start_vm;
    frame->offset = address_vm - symbol->start_vm;
    frame->has_start = true;
    frame->source = symbol->source;
}

/*
 * The name that metadata has for a function without a symbol. It tells where functions start and
 * not where they end: where LC_FUNCTION_STARTS doesn't either, only the first address is certain.
 */
static bool name_from_runtime(struct ms_image *image, struct ms_frame *frame,
                              const struct ms_symbol *symbol, uint64_t address_vm)
{
    struct ms_runtime_name found;
    uint64_t start_vm = symbol ? symbol->start_vm : address_vm;
    if (ms_image_runtime_name(image, start_vm, 0, &found) != MS_OK)
        return false;
    frame->linkage = NULL;
    frame->name = found.name;
    frame->start_vm = start_vm;
    frame->offset = address_vm - start_vm;
    frame->has_start = true;
    frame->source = found.source;
    return true;
}

void ms_image_symbol_frame(struct ms_image *image, uint64_t address_vm, struct ms_frame *out)
{
    const struct ms_symbol *symbol = ms_image_symbol(image, address_vm);
    memset(out, 0, sizeof *out);
    if (symbol && (symbol->name || !name_from_runtime(image, out, symbol, address_vm)))
        name_from_symbol(out, symbol, address_vm);
}

static enum ms_why why_unknown(const struct ms_image *image, uint64_t address_vm)
{
    const struct ms_section *section = ms_macho_section_at(ms_image_macho(image), address_vm);
    return section && ms_section_is_code(section) ? MS_WHY_STRIPPED : MS_WHY_OUTSIDE_CODE;
}

/* The answer that DWARF gave; a line without a function takes the symbol's name. */
static void answer_from_dwarf(struct ms_image *image, const struct ms_dwarf_hit *hit,
                              uint64_t address_vm, struct ms_answer *answer)
{
    struct ms_frame *frames = hit->frames;
    size_t n = hit->n_frames;
    answer->frames = frames;
    answer->n_frames = n;
    if (hit->final)
        return;
    for (size_t i = 0; i < n; i++)
        frames[i].linkage = ms_frame_linkage(&frames[i]);
    struct ms_frame *outer = &frames[n - 1];
    if (!outer->linkage && !outer->name) {
        const struct ms_symbol *symbol = ms_image_symbol(image, address_vm);
        if (symbol)
            name_from_symbol(outer, symbol, address_vm);
        if ((!symbol || !symbol->name) && !name_from_runtime(image, outer, symbol, address_vm))
            answer->why = MS_WHY_STRIPPED;
    }
}

static enum ms_status answer_from_symbols(struct ms_image *image, struct ms_arena *arena,
                                          uint64_t address_vm, struct ms_answer *answer,
                                          struct ms_error *err)
{
    const struct ms_symbol *symbol = ms_image_symbol(image, address_vm);
    if (answer->why == MS_WHY_COMPLETE)
        answer->why = symbol ? MS_WHY_STRIPPED : why_unknown(image, address_vm);
    struct ms_frame found;
    memset(&found, 0, sizeof found);
    bool named = (!symbol || !symbol->name) && answer->why != MS_WHY_OUTSIDE_CODE &&
                 name_from_runtime(image, &found, symbol, address_vm);
    if (!symbol && !named)
        return MS_OK;
    struct ms_frame *frame = ms_arena_zeroed(arena, 1, sizeof *frame);
    if (!frame)
        return ms_fail_memory(err);
    *frame = found;
    if (!named)
        name_from_symbol(frame, symbol, address_vm);
    answer->frames = frame;
    answer->n_frames = 1;
    return MS_OK;
}

/* Whether debug information leaves the function without a name. */
static bool wants_symbol(const struct ms_dwarf_hit *hit)
{
    if (!hit || !hit->n_frames)
        return true;
    const struct ms_frame *outer = &hit->frames[hit->n_frames - 1];
    return !hit->final && !outer->linkage && !outer->name;
}

static void expect_symbols(struct ms_image *image, const struct ms_dwarf_answers *dwarf,
                           const uint64_t *addresses, size_t n)
{
    uint64_t *wanted = n > 1 ? malloc(n * sizeof *wanted) : NULL;
    size_t n_wanted = 0;
    for (size_t i = 0; wanted && i < n; i++)
        if (wants_symbol(i < dwarf->n_hits ? &dwarf->hits[i] : NULL))
            wanted[n_wanted++] = addresses[i];
    ms_image_expect_symbols(image, wanted, n_wanted);
}

/* Turns what DWARF said of each address into answers. */
static enum ms_status join(struct ms_image *image, struct store *store, const uint64_t *addresses,
                           size_t n, struct ms_answers *out, struct ms_error *err)
{
    struct ms_answer *answers = ms_arena_zeroed(&store->arena, n, sizeof *answers);
    if (!answers && n)
        return ms_fail_memory(err);
    bool no_reader = image->dwarf_ready == MS_FAILED;
    expect_symbols(image, &store->dwarf, addresses, n);
    for (size_t i = 0; i < n; i++) {
        const struct ms_dwarf_hit *hit = i < store->dwarf.n_hits ? &store->dwarf.hits[i] : NULL;
        if (i + FRAMES_AHEAD < store->dwarf.n_hits && !hit[FRAMES_AHEAD].final)
            ms_prefetch(hit[FRAMES_AHEAD].frames, hit[FRAMES_AHEAD].n_frames * sizeof *hit->frames);
        if (no_reader || (hit && hit->status != MS_OK && hit->status != MS_ABSENT))
            answers[i].why = MS_WHY_BAD_DEBUG_INFO;
        if (store->whys && store->whys[i] != MS_WHY_COMPLETE)
            answers[i].why = store->whys[i];
        enum ms_status status = MS_OK;
        if (hit)
            ms_image_touched(image, hit->n_frames);
        if (hit && hit->n_frames)
            answer_from_dwarf(image, hit, addresses[i], &answers[i]);
        else
            status = answer_from_symbols(image, &store->arena, addresses[i], &answers[i], err);
        if (status != MS_OK)
            return status;
    }
    out->items = answers;
    out->n = n;
    out->errors = no_reader ? &image->dwarf_error : store->dwarf.errors;
    out->n_errors = no_reader ? 1 : store->dwarf.n_errors;
    return image->starved ? ms_fail_memory(err) : ms_image_intact(image, err);
}

/* Asks whatever debug information there is: DWARF of the image, else that of its objects. */
static enum ms_status ask(struct ms_image *image, struct store *store, const uint64_t *addresses,
                          size_t n, bool keep, struct ms_error *err)
{
    struct ms_ready_index *index = ms_image_index(image);
    struct ms_dwarf *dwarf = index ? NULL : ms_image_dwarf(image);
    store->whys = NULL;
    if (dwarf)
        return keep ? ms_dwarf_find(dwarf, addresses[0], &store->dwarf, err)
                    : ms_dwarf_find_many(dwarf, addresses, n, &store->dwarf, err);
    struct ms_oso *oso = index ? NULL : ms_image_oso(image);
    if (!oso && !index)
        return MS_OK;
    store->whys = ms_arena_zeroed(&store->arena, n ? n : 1, sizeof *store->whys);
    if (!store->whys)
        return ms_fail_memory(err);
    if (index)
        return ms_ready_index_find(index, addresses, n, &store->dwarf, store->whys, err);
    return ms_oso_find(oso, addresses, n, keep, &store->dwarf, store->whys, err);
}

enum ms_status ms_image_find_many(struct ms_image *image, const uint64_t *addresses_vm, size_t n,
                                  struct ms_answers *out, struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct store *store = store_of(out, err);
    if (!store)
        return MS_E_NOMEM;
    enum ms_status status = ask(image, store, addresses_vm, n, false, err);
    if (status == MS_OK)
        status = join(image, store, addresses_vm, n, out, err);
    if (status != MS_OK)
        ms_answers_fini(out);
    return status;
}

enum ms_status ms_image_find(struct ms_image *image, uint64_t address_vm, struct ms_answers *out,
                             struct ms_error *err)
{
    struct store *store = store_of(out, err);
    if (!store)
        return MS_E_NOMEM;
    ms_arena_fini(&store->arena);
    enum ms_status status = ask(image, store, &address_vm, 1, true, err);
    return status == MS_OK ? join(image, store, &address_vm, 1, out, err) : status;
}

enum ms_status ms_image_find_name(struct ms_image *image, const char *name, uint64_t *address_vm,
                                  struct ms_error *err)
{
    /* The whole table, not the best name of each address: folded code has several. */
    struct ms_nlist entry;
    enum ms_status status = MS_ABSENT;
    if (image->binary.file)
        status = ms_names_find(&image->binary_names, &image->binary.macho, name, &entry);
    if (status == MS_ABSENT && image->debug.file)
        status = ms_names_find(&image->debug_names, &image->debug.macho, name, &entry);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_OK)
        *address_vm = entry.value;
    enum ms_status intact = ms_image_intact(image, err);
    return intact != MS_OK ? intact : status;
}

/* Where no symbol is left, the names that metadata has. */
static enum ms_status runtime_alias(struct ms_image *image, uint64_t start_vm, size_t i,
                                    struct ms_frame *out)
{
    const struct ms_symbol *symbol = ms_image_symbol(image, start_vm);
    struct ms_runtime_name found;
    if ((symbol && symbol->name) || ms_image_runtime_name(image, start_vm, i, &found) != MS_OK)
        return MS_ABSENT;
    out->name = found.name;
    out->start_vm = start_vm;
    out->has_start = true;
    out->source = found.source;
    return MS_OK;
}

enum ms_status ms_image_alias(struct ms_image *image, uint64_t start_vm, size_t i,
                              struct ms_frame *out, struct ms_error *err)
{
    /* A dSYM's table repeats that of its binary, or is the only one left after stripping. */
    bool in_debug = image->debug.file && image->debug.macho.n_nlist;
    const struct ms_part *part = in_debug ? &image->debug : &image->binary;
    struct ms_nlist entry;
    if (!part->file)
        return MS_ABSENT;
    enum ms_status status = ms_names_at(in_debug ? &image->debug_names : &image->binary_names,
                                        &part->macho, start_vm, i, &entry);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    memset(out, 0, sizeof *out);
    if (status != MS_OK)
        return runtime_alias(image, start_vm, i, out);
    out->linkage = without_underscore(entry.name);
    out->start_vm = start_vm;
    out->has_start = true;
    out->source = MS_SOURCE_NLIST;
    return MS_OK;
}

static bool count_fault(void *owner, const struct ms_error *fault)
{
    struct ms_image_check *check = owner;
    if (!check->n_errors++)
        check->first = *fault;
    return true;
}

enum ms_status ms_image_check(struct ms_image *image, struct ms_image_check *out,
                              struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    if (!dwarf && image->dwarf_ready == MS_FAILED) {
        if (err)
            *err = image->dwarf_error;
        return image->dwarf_error.status;
    }
    if (!dwarf)
        return MS_ABSENT;
    struct ms_dwarf_counts counts;
    enum ms_status status = ms_dwarf_check(dwarf, count_fault, out, &counts, err);
    if (status != MS_OK)
        return status;
    out->n_units = counts.n_units;
    out->n_functions = counts.n_functions;
    out->n_inlined = counts.n_inlined;
    out->n_rows = counts.n_rows;
    return ms_image_intact(image, err);
}
