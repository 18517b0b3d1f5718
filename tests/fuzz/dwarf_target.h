/*
 * What every DWARF target does with its sections: all kinds of look-up, and the promise
 * that a batch and one address after the other give the same answers.
 */
#ifndef DWARF_TARGET_H
#define DWARF_TARGET_H

#include "dwarf/aranges.h"
#include "dwarf/dwarf.h"
#include "unit/dwarf_program.h"

#include <stdio.h>

enum { TARGET_ADDRESSES = 40, TARGET_KINDS = 12 };

/* A grid over the code of the seeds, the edges of all sets, and the ends of everything. */
static inline size_t target_addresses(struct ms_dwarf *dwarf, uint64_t out[TARGET_ADDRESSES])
{
    struct ms_aranges aranges;
    uint64_t low, high;
    size_t n = 0;
    out[n++] = 0;
    out[n++] = 1;
    out[n++] = UINT64_MAX;
    out[n++] = UINT32_MAX;
    for (unsigned i = 0; i < 12; i++)
        out[n++] = 0x1000 + i * 4;
    for (unsigned i = 1; i < 9; i++)
        out[n++] = 0x1000 + i * 0x80 + 3;
    ms_aranges_start(&aranges, dwarf, NULL);
    while (n + 3 <= TARGET_ADDRESSES && ms_aranges_next(&aranges, &low, &high)) {
        out[n++] = low;
        out[n++] = low + (high - low) / 2;
        out[n++] = high - 1;
    }
    return n;
}

static inline void target_touch(const char *text)
{
    static volatile char sink;
    if (text) /* a string without an end would be read past its section here */
        sink = text[strlen(text)];
    (void)sink;
}

static inline bool target_same(const struct ms_frame *a, const struct ms_frame *b)
{
    return a->linkage == b->linkage && a->name == b->name && a->comp_dir == b->comp_dir &&
           a->dir == b->dir && a->file == b->file && a->line == b->line && a->column == b->column &&
           a->start_vm == b->start_vm && a->has_start == b->has_start && a->inlined == b->inlined;
}

static inline void target_compare(const struct ms_dwarf_answers *many, size_t i,
                                  const struct ms_dwarf_answers *one, uint64_t address)
{
    const struct ms_dwarf_hit *a = &many->hits[i], *b = &one->hits[0];
    bool same = a->status == b->status && a->n_frames == b->n_frames;
    for (uint32_t k = 0; same && k < a->n_frames; k++)
        same = target_same(&a->frames[k], &b->frames[k]);
    if (!same) {
        fprintf(stderr, "a batch and a single look-up differ at 0x%llx: %d, %u and %d, %u\n",
                (unsigned long long)address, a->status, a->n_frames, b->status, b->n_frames);
        abort();
    }
}

static inline void target_run(const struct ms_dwarf_sections *sections)
{
    struct ms_dwarf *dwarf;
    struct ms_dwarf_answers many = {0}, one = {0};
    struct ms_dwarf_counts counts;
    struct ms_error err;
    uint64_t addresses[TARGET_ADDRESSES];
    if (ms_dwarf_open(sections, &dwarf, &err) != MS_OK)
        return;
    size_t n = target_addresses(dwarf, addresses);
    if (ms_dwarf_find_many(dwarf, addresses, n, &many, &err) != MS_OK)
        abort(); /* only for want of memory */
    for (size_t h = 0; h < many.n_hits; h++)
        for (size_t i = 0; i < many.hits[h].n_frames; i++) {
            target_touch(many.hits[h].frames[i].linkage);
            target_touch(many.hits[h].frames[i].name);
            target_touch(many.hits[h].frames[i].comp_dir);
            target_touch(many.hits[h].frames[i].dir);
            target_touch(many.hits[h].frames[i].file);
        }
    ms_dwarf_set_max_kept(dwarf, sections->info.n % 8 ? 1 << 20 : 4096);
    for (size_t i = sections->info.n % 3; i < n; i += 3) { /* a third: they take the time */
        if (ms_dwarf_find(dwarf, addresses[i], &one, &err) != MS_OK)
            abort();
        if (!many.n_errors && !one.n_errors) /* a broken unit may be noticed by one way alone */
            target_compare(&many, i, &one, addresses[i]);
    }
    if (ms_dwarf_check(dwarf, NULL, NULL, &counts, &err) != MS_OK)
        abort();
    ms_dwarf_answers_fini(&many);
    ms_dwarf_answers_fini(&one);
    ms_dwarf_close(dwarf);
}

/* The program of dwarf_program.h in one of twelve kinds, made once. */
static inline struct program *target_program(unsigned kind)
{
    static struct program made[TARGET_KINDS];
    static const struct {
        uint8_t version, address_size, offset_size;
        bool big, indexed;
    } kinds[TARGET_KINDS] = {
        {2, 4, 4, false, false}, {2, 8, 4, true, false},  {3, 4, 8, false, false},
        {3, 8, 4, false, false}, {4, 8, 4, false, false}, {4, 4, 4, true, false},
        {4, 8, 8, false, false}, {5, 8, 4, false, false}, {5, 8, 4, false, true},
        {5, 4, 4, true, true},   {5, 8, 8, false, true},  {5, 4, 8, true, false}};
    kind %= TARGET_KINDS;
    if (!made[kind].image.version) {
        made[kind] = program_make(kinds[kind].version, kinds[kind].address_size,
                                  kinds[kind].offset_size, kinds[kind].big, kinds[kind].indexed);
        program_aranges(&made[kind]);
    }
    return &made[kind];
}

/* The first byte of an input chooses the kind; the rest becomes one section or two. */
static inline bool target_start(const uint8_t *data, size_t size, struct ms_dwarf_sections *out,
                                struct ms_bytes *rest)
{
    if (!size)
        return false;
    *out = dw_sections(&target_program(data[0] & 0x7f)->image);
    if (data[0] & 0x80) {
        out->aranges.n = 0;
        out->code = NULL;
        out->n_code = 0;
    }
    *rest = (struct ms_bytes){data + 1, size - 1};
    return true;
}

/* Defines a target that puts the input where `place` says. */
#define DWARF_TARGET(place)                                                                        \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                  \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                   \
    {                                                                                              \
        struct ms_dwarf_sections s;                                                                \
        struct ms_bytes rest;                                                                      \
        if (target_start(data, size, &s, &rest)) {                                                 \
            place;                                                                                 \
            target_run(&s);                                                                        \
        }                                                                                          \
        return 0;                                                                                  \
    }

#endif
