/*
 * demangle/name_cache.h: names that were demangled lately. Logs and traces say the same names
 * over and over.
 */
#ifndef MS_DEMANGLE_NAME_CACHE_H
#define MS_DEMANGLE_NAME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MS_CACHE_SEEN = 4096,  /* a power of two */
    MS_CACHE_SLOTS = 2048, /* a power of two */
    MS_CACHE_BYTES = 4096  /* longest pair of names that is kept: 8 MiB in all at worst */
};

/* Direct-mapped: a name has one slot, and the newest stays. A name is kept when it comes a second
 * time: in a list of symbols none does, and keeping one takes as long as reading it. */
struct ms_name_cache {
    uint32_t seen[MS_CACHE_SEEN]; /* parts of the hashes of names that came once, by others */
    struct ms_name_slot {
        uint64_t hash;
        uint32_t n, n_demangled; /* 0: it can't be read */
        uint32_t room;
        char *at; /* the name, then what it means and a NUL */
    } slots[MS_CACHE_SLOTS];
};

uint64_t ms_name_hash(const char *name, size_t n);
/* Returns false when it isn't there. *demangled lives until the next put. */
bool ms_name_cache_get(const struct ms_name_cache *cache, uint64_t hash, const char *name, size_t n,
                       const char **demangled, size_t *n_demangled);
/* Keeps it, where there is memory for it. */
void ms_name_cache_put(struct ms_name_cache *cache, uint64_t hash, const char *name, size_t n,
                       const char *demangled, size_t n_demangled);
void ms_name_cache_fini(struct ms_name_cache *cache);

#endif
