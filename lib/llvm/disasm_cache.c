/*
 * llvm/disasm_cache.c: texts of instructions by their bytes.
 */
#include "llvm/disasm_parts.h"

#include "base/arena.h"

#include <stdlib.h>

enum { LONGEST = 15, SLOTS_FIRST = 1 << 12, ENTRIES_MOST = 1 << 20 };
#define TEXT_MOST ((size_t)96 << 20)

struct entry {
    uint64_t key[2]; /* the bytes, zeros behind them, the length in the last */
    const char *text;
    uint32_t n; /* 0: free */
};

struct disasm_cache {
    struct entry *slots;
    size_t n, room; /* room: a power of two */
    struct ms_arena texts;
    uint16_t lengths[65536]; /* by the first two bytes: bit L = there are some of L bytes */
};

/* 16 bytes at `at` are readable. */
static void make_key(const uint8_t *at, unsigned bytes, uint64_t key[2])
{
    uint8_t raw[16];
    memcpy(raw, at, 16);
    memset(raw + bytes, 0, 16 - bytes);
    raw[15] = (uint8_t)bytes;
    memcpy(key, raw, 16);
}

static size_t slot_of(const uint64_t key[2], size_t room)
{
    uint64_t h = (key[0] ^ key[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
    return (size_t)(h * 0x9e3779b97f4a7c15u >> 20) & (room - 1);
}

struct disasm_cache *disasm_cache_new(void)
{
    struct disasm_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->room = SLOTS_FIRST;
    cache->slots = calloc(cache->room, sizeof *cache->slots);
    ms_arena_init(&cache->texts, TEXT_MOST);
    if (cache->slots)
        return cache;
    disasm_cache_free(cache);
    return NULL;
}

void disasm_cache_free(struct disasm_cache *cache)
{
    if (!cache)
        return;
    ms_arena_fini(&cache->texts);
    free(cache->slots);
    free(cache);
}

static struct entry *probe(const struct disasm_cache *cache, const uint64_t key[2])
{
    size_t i = slot_of(key, cache->room);
    /* Never full: half of it at most is used. */
    while (cache->slots[i].n &&
           (cache->slots[i].key[0] != key[0] || cache->slots[i].key[1] != key[1]))
        i = (i + 1) & (cache->room - 1);
    return &cache->slots[i];
}

unsigned disasm_cache_find(const struct disasm_cache *cache, const uint8_t *at, const char **text,
                           size_t *n)
{
    unsigned lengths = cache->lengths[at[0] | at[1] << 8];
    for (unsigned bytes = 1; lengths >> bytes; bytes++) {
        if (!(lengths >> bytes & 1))
            continue;
        uint64_t key[2];
        make_key(at, bytes, key);
        const struct entry *entry = probe(cache, key);
        if (!entry->n)
            continue;
        *text = entry->text;
        *n = entry->n;
        return bytes;
    }
    return 0;
}

static bool grow(struct disasm_cache *cache)
{
    struct entry *old = cache->slots;
    size_t n = cache->room;
    struct entry *slots = calloc(2 * n, sizeof *slots);
    if (!slots)
        return false;
    cache->slots = slots;
    cache->room = 2 * n;
    for (size_t i = 0; i < n; i++)
        if (old[i].n)
            *probe(cache, old[i].key) = old[i];
    free(old);
    return true;
}

void disasm_cache_add(struct disasm_cache *cache, const uint8_t *at, unsigned bytes,
                      const char *text, size_t n)
{
    if (bytes == 0 || bytes > LONGEST || n == 0 || n > UINT32_MAX || cache->n >= ENTRIES_MOST ||
        (cache->n >= cache->room / 2 && !grow(cache)))
        return;
    struct entry entry = {{0, 0}, NULL, (uint32_t)n};
    make_key(at, bytes, entry.key);
    struct entry *slot = probe(cache, entry.key);
    if (!slot->n) {
        entry.text = ms_arena_copy(&cache->texts, text, n);
        if (!entry.text)
            return;
        *slot = entry;
        cache->n++;
    }
    /* Whatever follows an instruction of one byte. */
    for (unsigned second = 0; bytes == 1 && second < 256; second++)
        cache->lengths[at[0] | second << 8] |= 1u << 1;
    cache->lengths[at[0] | at[1] << 8] |= (uint16_t)(1u << bytes);
}
