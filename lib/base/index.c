#include "base/index.h"

#include <stdlib.h>
#include <string.h>

void ms_index_fini(struct ms_index *index)
{
    free(index->slots);
    memset(index, 0, sizeof *index);
}

static void put(struct ms_index_slot *slots, size_t room, struct ms_index_slot slot)
{
    size_t at = (size_t)slot.hash & (room - 1);
    while (slots[at].number)
        at = (at + 1) & (room - 1);
    slots[at] = slot;
}

static bool grow(struct ms_index *index)
{
    size_t room = index->room ? index->room * 2 : 64;
    struct ms_index_slot *slots = calloc(room, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < index->room; i++)
        if (index->slots[i].number)
            put(slots, room, index->slots[i]);
    free(index->slots);
    index->slots = slots;
    index->room = room;
    return true;
}

bool ms_index_add(struct ms_index *index, uint64_t hash, uint32_t number)
{
    /* Half of it stays free, so that a search soon comes to a free slot. */
    if (index->n >= index->room / 2 && !grow(index))
        return false;
    put(index->slots, index->room, (struct ms_index_slot){hash, number + 1});
    index->n++;
    return true;
}

uint32_t ms_index_next(const struct ms_index *index, uint64_t hash, size_t *probe)
{
    while (*probe < index->room) {
        const struct ms_index_slot *slot =
            &index->slots[((size_t)hash + *probe) & (index->room - 1)];
        if (!slot->number)
            break;
        ++*probe;
        if (slot->hash == hash)
            return slot->number - 1;
    }
    return MS_INDEX_NONE;
}

uint64_t ms_hash(uint64_t hash, const void *bytes, size_t n)
{
    /* Where the system has put us is as good as a random number here. */
    static const char anchor;
    const unsigned char *at = bytes;
    hash ^= (uint64_t)(uintptr_t)&anchor * 0x9e3779b97f4a7c15u + n;
    for (;;) {
        uint64_t word = 0;
        size_t part = n < sizeof word ? n : sizeof word;
        if (part)
            memcpy(&word, at, part);
        hash = (hash ^ word) * 0xd6e8feb86659fd93u;
        hash ^= hash >> 32;
        if (n <= sizeof word)
            break;
        at += part;
        n -= part;
    }
    hash *= 0xd6e8feb86659fd93u;
    return hash ^ hash >> 32;
}
