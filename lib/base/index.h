/**
 * base/index.h: a hash table from keys that its owner keeps to numbers that its owner gives.
 * It stores hashes and numbers alone; whether a key is really the one that is looked for, the
 * owner compares. For what an untrusted file can make long and have searched often.
 */
#ifndef MS_BASE_INDEX_H
#define MS_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ms_index_slot {
    uint32_t hash;   /* its low half */
    uint32_t number; /* the owner's plus one; 0 = free */
};

/** Zeroed is empty. */
struct ms_index {
    struct ms_index_slot *slots;
    size_t n, room; /* room: 0 or a power of two */
};

void ms_index_fini(struct ms_index *index);

/** Room for n numbers in all. False, with the index as it was, when memory is out. */
bool ms_index_expect(struct ms_index *index, size_t n);

/** The number that ms_index_next returns after the last. */
#define MS_INDEX_NONE UINT32_MAX

/**
 * Adds `number` (below MS_INDEX_NONE) under the hash of its key, once a key: the owner chains
 * what is equal, since a thousand entries under one hash would have to be stepped over.
 * @return false, with the index as it was, when memory is out
 */
bool ms_index_add(struct ms_index *index, uint64_t hash, uint32_t number);

/** The numbers stored under a hash, one a call; *probe is 0 at first. MS_INDEX_NONE: no more.
 *  Hashes are told apart by their low 32 bits. */
uint32_t ms_index_next(const struct ms_index *index, uint64_t hash, size_t *probe);

/** Says that a hash will be looked for soon. */
static inline void ms_index_prefetch(const struct ms_index *index, uint64_t hash)
{
    if (index->room)
        __builtin_prefetch(&index->slots[(size_t)(uint32_t)hash & (index->room - 1)]);
}

/**
 * The hash of n bytes, continued from `hash` (0 at first). It differs from run to run, so that
 * nobody can make a file whose keys all have the same.
 */
uint64_t ms_hash(uint64_t hash, const void *bytes, size_t n);

#endif
