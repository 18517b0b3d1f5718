#include "pack/interned.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* By a hash of the pointers alone: the same functions are inlined again and again nearby. */
struct met {
    const char *texts[MS_FILE_TEXTS];
    uint32_t number; /* plus one; 0 = none */
};
enum { MET_BITS = 13 };

void ms_interned_init(struct ms_interned *in, unsigned width)
{
    memset(in, 0, sizeof *in);
    in->width = width;
}

void ms_interned_fini(struct ms_interned *in)
{
    free(in->keys);
    free(in->met);
    ms_index_fini(&in->by_texts);
    memset(in, 0, sizeof *in);
}

bool ms_text_key_set(struct ms_text_key *key, const char *text)
{
    *key = (struct ms_text_key){text, 0, 0};
    size_t n = text ? strlen(text) + 1 : 0;
    if (n > UINT32_MAX)
        return false;
    key->n = (uint32_t)n;
    key->hash = text ? (uint32_t)ms_hash(0, text, n) : 0;
    return true;
}

static bool is_same(const struct ms_interned *in, uint32_t number, const char *const *texts)
{
    const struct ms_text_key *keys = &in->keys[(size_t)number * in->width];
    for (unsigned i = 0; i < in->width; i++)
        if (keys[i].text != texts[i])
            return false;
    return true;
}

static uint32_t find_or_add(struct ms_interned *in, const char *const *texts)
{
    uint64_t hash = ms_hash(0, texts, in->width * sizeof *texts);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&in->by_texts, hash, &probe)) != MS_INDEX_NONE;)
        if (is_same(in, i, texts))
            return i;
    if (in->n >= MS_INDEX_NONE - 1 ||
        !ms_array_reach(&in->keys, (in->n + 1) * in->width, &in->room, sizeof *in->keys))
        return MS_INDEX_NONE;
    for (unsigned k = 0; k < in->width; k++)
        if (!ms_text_key_set(&in->keys[in->n * in->width + k], texts[k]))
            return MS_INDEX_NONE;
    if (!ms_index_add(&in->by_texts, hash, (uint32_t)in->n))
        return MS_INDEX_NONE;
    return (uint32_t)in->n++;
}

static inline uint32_t number_of(struct ms_interned *in, const char *const *texts, unsigned width)
{
    uint64_t mixed = 0, differ = 0;
    for (unsigned i = 0; i < width; i++)
        mixed = (mixed ^ (uintptr_t)texts[i]) * 0x9e3779b97f4a7c15u;
    struct met *met = &in->met[mixed >> (64 - MET_BITS)];
    for (unsigned i = 0; i < width; i++)
        differ |= (uintptr_t)met->texts[i] ^ (uintptr_t)texts[i];
    if (met->number && !differ)
        return met->number - 1;
    uint32_t number = find_or_add(in, texts);
    for (unsigned i = 0; i < width; i++)
        met->texts[i] = texts[i];
    met->number = number == MS_INDEX_NONE ? 0 : number + 1;
    return number;
}

uint32_t ms_interned_number(struct ms_interned *in, const char *const *texts)
{
    if (!in->met && !(in->met = calloc((size_t)1 << MET_BITS, sizeof *in->met)))
        return MS_INDEX_NONE;
    return in->width == MS_NAME_TEXTS ? number_of(in, texts, MS_NAME_TEXTS)
                                      : number_of(in, texts, MS_FILE_TEXTS);
}
