#include "demangle/name_cache.h"

#include <stdlib.h>
#include <string.h>

/* Eight bytes at a time; names are told apart by their bytes, so it need not resist anybody. */
uint64_t ms_name_hash(const char *name, size_t n)
{
    const uint64_t odd = 0x9e3779b97f4a7c15u;
    uint64_t hash = n * odd;
    for (; n >= 8; name += 8, n -= 8) {
        uint64_t word;
        memcpy(&word, name, 8);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 29;
    }
    uint64_t word = 0;
    memcpy(&word, name, n);
    hash = (hash ^ word) * odd;
    return hash ^ hash >> 32;
}

bool ms_name_cache_get(const struct ms_name_cache *cache, uint64_t hash, const char *name, size_t n,
                       const char **demangled, size_t *n_demangled)
{
    if (cache->seen[hash & (MS_CACHE_SEEN - 1)] != (uint32_t)(hash >> 32))
        return false; /* it came never, or too long ago */
    const struct ms_name_slot *slot = &cache->slots[hash & (MS_CACHE_SLOTS - 1)];
    if (slot->hash != hash || slot->n != n || !n || memcmp(slot->at, name, n) != 0)
        return false;
    *demangled = slot->at + n;
    *n_demangled = slot->n_demangled;
    return true;
}

void ms_name_cache_put(struct ms_name_cache *cache, uint64_t hash, const char *name, size_t n,
                       const char *demangled, size_t n_demangled)
{
    uint32_t *seen = &cache->seen[hash & (MS_CACHE_SEEN - 1)], part = (uint32_t)(hash >> 32);
    bool again = *seen == part;
    *seen = part;
    if (!again || n > MS_CACHE_BYTES || n_demangled >= MS_CACHE_BYTES - n)
        return;
    struct ms_name_slot *slot = &cache->slots[hash & (MS_CACHE_SLOTS - 1)];
    size_t need = n + n_demangled + 1;
    if (need > slot->room) {
        size_t room = (need + 255) & ~(size_t)255;
        char *at = realloc(slot->at, room);
        if (!at)
            return; /* the old pair stays */
        slot->at = at;
        slot->room = (uint32_t)room;
    }
    slot->hash = hash;
    slot->n = (uint32_t)n;
    slot->n_demangled = (uint32_t)n_demangled;
    memcpy(slot->at, name, n);
    memcpy(slot->at + n, demangled, n_demangled);
    slot->at[n + n_demangled] = 0;
}

void ms_name_cache_fini(struct ms_name_cache *cache)
{
    for (size_t i = 0; i < MS_CACHE_SLOTS; i++)
        free(cache->slots[i].at);
    memset(cache, 0, sizeof *cache);
}
