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

/*
 * Zeros that nobody has written yet: a system that hands out one page of zeros to all who only
 * read would take it away at the first write, and tell every processor. So each page is written
 * to before it is searched.
 */
static struct ms_index_slot *make_slots(size_t room)
{
    enum { A_PAGE = 4096 / sizeof(struct ms_index_slot) };
    struct ms_index_slot *slots = calloc(room, sizeof *slots);
    for (size_t i = 0; slots && i < room; i += A_PAGE)
        *(volatile uint32_t *)&slots[i].number = 0;
    return slots;
}

static bool grow_to(struct ms_index *index, size_t room)
{
    struct ms_index_slot *slots = make_slots(room);
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

/* Half of it stays free, so that a search soon comes to a free slot. */
bool ms_index_expect(struct ms_index *index, size_t n)
{
    size_t room = index->room ? index->room : 64;
    if (n > SIZE_MAX / 4 / sizeof *index->slots)
        return false;
    while (room / 2 < n)
        room *= 2;
    return room == index->room || grow_to(index, room);
}

bool ms_index_add(struct ms_index *index, uint64_t hash, uint32_t number)
{
    if (index->n >= index->room / 2 && !grow_to(index, index->room ? index->room * 2 : 64))
        return false;
    put(index->slots, index->room, (struct ms_index_slot){(uint32_t)hash, number + 1});
    index->n++;
    return true;
}

uint32_t ms_index_next(const struct ms_index *index, uint64_t hash, size_t *probe)
{
    while (*probe < index->room) {
        const struct ms_index_slot *slot =
            &index->slots[((size_t)(uint32_t)hash + *probe) & (index->room - 1)];
        if (!slot->number)
            break;
        ++*probe;
        if (slot->hash == (uint32_t)hash)
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
