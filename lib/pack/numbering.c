#include "pack/numbering.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static void free_numbered(struct ms_numbered *t, size_t n_lanes)
{
    for (size_t i = 0; t->by_lane && i < n_lanes; i++)
        free(t->by_lane[i]);
    free(t->by_lane);
    free(t->items);
}

/* What finding numbers takes, and their owner doesn't need. */
static void free_search(struct ms_numbering *n)
{
    ms_index_fini(&n->by_text);
    ms_index_fini(&n->files.by_texts);
    ms_index_fini(&n->names.by_texts);
    free(n->chain);
    n->chain = NULL;
    n->chain_room = 0;
}

void ms_numbering_fini(struct ms_numbering *n)
{
    free_search(n);
    free_numbered(&n->files, n->n_lanes);
    free_numbered(&n->names, n->n_lanes);
    free(n->strings);
    memset(n, 0, sizeof *n);
}

/* The string's number, plus one; 0 for none. MS_INDEX_NONE: no memory, or no place below 4 GB. */
static uint32_t place(struct ms_numbering *n, const struct ms_text_key *key)
{
    uint32_t i;
    if (!key->text)
        return 0;
    for (size_t probe = 0; (i = ms_index_next(&n->by_text, key->hash, &probe)) != MS_INDEX_NONE;) {
        const struct ms_placed *s = &n->strings[i];
        if (s->text == key->text || (s->n == key->n && memcmp(s->text, key->text, s->n) == 0))
            return i + 1;
    }
    struct ms_placed new = {key->text, key->n, (uint32_t)n->string_bytes + 1, 0};
    if (n->string_bytes + key->n >= UINT32_MAX || n->n_strings >= MS_INDEX_NONE - 1 ||
        !ms_index_add(&n->by_text, key->hash, (uint32_t)n->n_strings) ||
        !MS_PUSH(n->strings, n->n_strings, n->strings_room, new))
        return MS_INDEX_NONE;
    n->string_bytes += 1 + key->n;
    return (uint32_t)n->n_strings;
}

/* The places of an item's strings; *first gets the number of its first one, plus one. */
static bool place_all(struct ms_numbering *n, const struct ms_text_key *keys, unsigned width,
                      uint32_t item[MS_FILE_TEXTS], uint32_t *first)
{
    *first = 0;
    for (unsigned k = 0; k < width; k++) {
        uint32_t string = place(n, &keys[k]);
        if (string == MS_INDEX_NONE)
            return false;
        item[k] = string ? n->strings[string - 1].off : 0;
        if (!*first)
            *first = string;
    }
    return true;
}

static bool same(const uint32_t *a, const uint32_t *b, unsigned width)
{
    for (unsigned i = 0; i < width; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* A new number; MS_INDEX_NONE without memory. */
static uint32_t add_item(struct ms_numbered *t, const uint32_t *item, unsigned width)
{
    size_t number = t->n / width;
    if (number >= MS_INDEX_NONE - 1)
        return MS_INDEX_NONE;
    for (unsigned k = 0; k < width; k++)
        if (!MS_PUSH(t->items, t->n, t->room, item[k]))
            return MS_INDEX_NONE;
    return (uint32_t)number;
}

/* The number of an item by its hash. MS_INDEX_NONE without memory. */
static uint32_t find_or_add(struct ms_numbered *t, const uint32_t *item, unsigned width)
{
    uint64_t hash = ms_hash(0, item, width * sizeof *item);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&t->by_texts, hash, &probe)) != MS_INDEX_NONE;)
        if (same(t->items + (size_t)i * width, item, width))
            return i;
    i = add_item(t, item, width);
    return i != MS_INDEX_NONE && ms_index_add(&t->by_texts, hash, i) ? i : MS_INDEX_NONE;
}

static uint32_t number_file(struct ms_numbering *n, const struct ms_text_key *keys)
{
    uint32_t item[MS_FILE_TEXTS], first;
    return place_all(n, keys, MS_FILE_TEXTS, item, &first)
               ? find_or_add(&n->files, item, MS_FILE_TEXTS)
               : MS_INDEX_NONE;
}

/*
 * Nearly all functions have a linkage name of their own, so names are chained to their first
 * string, which has just been looked at. Where it has many, the others are found by their hash.
 */
static uint32_t number_names(struct ms_numbering *n, const struct ms_text_key *keys)
{
    enum { MOST_IN_CHAIN = 8 };
    struct ms_numbered *t = &n->names;
    uint32_t item[MS_FILE_TEXTS], first, length = 0;
    if (!place_all(n, keys, MS_NAME_TEXTS, item, &first))
        return MS_INDEX_NONE;
    if (!first)
        return find_or_add(t, item, MS_NAME_TEXTS);
    for (uint32_t i = n->strings[first - 1].first; i; i = n->chain[i - 1], length++)
        if (same(t->items + (size_t)(i - 1) * MS_NAME_TEXTS, item, MS_NAME_TEXTS))
            return i - 1;
    if (length == MOST_IN_CHAIN)
        return find_or_add(t, item, MS_NAME_TEXTS);
    uint32_t number = add_item(t, item, MS_NAME_TEXTS);
    if (number == MS_INDEX_NONE)
        return number;
    while (n->chain_room <= number)
        if (!ms_array_grow(&n->chain, n->chain_room, &n->chain_room, sizeof *n->chain))
            return MS_INDEX_NONE;
    n->chain[number] = n->strings[first - 1].first;
    n->strings[first - 1].first = number + 1;
    return number;
}

/* Files, or names, from `first` to `end` of a lane. */
static bool number_items(struct ms_numbering *n, uint32_t *map, const struct ms_interned *in,
                         size_t first, size_t end)
{
    enum { AHEAD = 8 };
    for (size_t i = first; i < end; i++) {
        const struct ms_text_key *keys = &in->keys[i * in->width];
        for (unsigned k = 0; k < in->width && i + AHEAD < in->n; k++)
            ms_index_prefetch(&n->by_text, keys[AHEAD * in->width + k].hash);
        map[i] = in->width == MS_NAME_TEXTS ? number_names(n, keys) : number_file(n, keys);
        if (map[i] == MS_INDEX_NONE)
            return false;
    }
    return true;
}

static bool number_turn(struct ms_numbering *n, const struct ms_spool_lane *lane, size_t number,
                        size_t turn)
{
    const struct ms_spool_turn *at = &lane->turns[turn], *next = at + 1;
    bool last = turn + 1 == lane->n_turns;
    return number_items(n, n->files.by_lane[number], lane->files, at->first_file,
                        last ? lane->files->n : next->first_file) &&
           number_items(n, n->names.by_lane[number], lane->names, at->first_name,
                        last ? lane->names->n : next->first_name);
}

/* The lanes' turns, one after the other, whichever lane each is in. `turns`: a 0 for each lane. */
static bool number_by_turns(struct ms_numbering *n, const struct ms_spool *spool, size_t *turns)
{
    for (;;) {
        struct ms_spool_lane first = {NULL, NULL, NULL, 0};
        size_t number = 0;
        for (size_t i = 0; i < n->n_lanes; i++) {
            struct ms_spool_lane lane = ms_spool_lane(spool, i);
            if (turns[i] == lane.n_turns ||
                (first.n_turns && first.turns[turns[number]].turn <= lane.turns[turns[i]].turn))
                continue;
            first = lane;
            number = i;
        }
        if (!first.n_turns)
            return true;
        if (!number_turn(n, &first, number, turns[number]++))
            return false;
    }
}

struct walk {
    struct ms_numbering *n;
    struct ms_spool_lane lane; /* of the piece in hand */
    uint32_t *files, *names;   /* its maps */
};

static bool take_number(void *owner, bool is_name, uint32_t number)
{
    const struct walk *w = owner;
    uint32_t *mapped = is_name ? &w->names[number] : &w->files[number];
    if (*mapped != MS_INDEX_NONE)
        return true;
    *mapped = is_name ? number_names(w->n, &w->lane.names->keys[(size_t)number * MS_NAME_TEXTS])
                      : number_file(w->n, &w->lane.files->keys[(size_t)number * MS_FILE_TEXTS]);
    return *mapped != MS_INDEX_NONE;
}

/*
 * Names of code that somebody else has must not be told. Which of a lane's names are its alone
 * depends on what else the lane had, so the pieces themselves are asked, by address.
 */
static bool number_by_address(struct ms_numbering *n, const struct ms_spool *spool)
{
    struct walk walk = {.n = n};
    for (size_t i = 0; i < ms_spool_n(spool); i++) {
        struct ms_spooled piece = ms_spool_packed(spool, i);
        walk.lane = ms_spool_lane(spool, piece.lane);
        walk.files = n->files.by_lane[piece.lane];
        walk.names = n->names.by_lane[piece.lane];
        if (!ms_packed_numbers(piece.at, take_number, &walk))
            return false;
    }
    return true;
}

/* The lanes' maps, in which nothing has a number yet. */
static bool make_maps(struct ms_numbered *t, const struct ms_spool *spool, bool names)
{
    size_t n_lanes = ms_spool_n_lanes(spool);
    t->by_lane = calloc(n_lanes, sizeof *t->by_lane);
    if (!t->by_lane)
        return false;
    for (size_t i = 0; i < n_lanes; i++) {
        struct ms_spool_lane lane = ms_spool_lane(spool, i);
        size_t n = (names ? lane.names : lane.files)->n;
        t->by_lane[i] = malloc((n + 1) * sizeof **t->by_lane);
        if (!t->by_lane[i])
            return false;
        memset(t->by_lane[i], 0xff, n * sizeof **t->by_lane); /* MS_INDEX_NONE */
    }
    return true;
}

/* How many strings there will be at least, unless lanes have much in common. */
static size_t count_texts(const struct ms_spool *spool)
{
    size_t n = 0;
    for (size_t i = 0; i < ms_spool_n_lanes(spool); i++)
        n += ms_spool_lane(spool, i).names->n;
    return n;
}

enum ms_status ms_numbering_make(const struct ms_spool *spool, const char *first,
                                 struct ms_numbering *out, struct ms_error *err)
{
    struct ms_text_key key;
    memset(out, 0, sizeof *out);
    out->n_lanes = ms_spool_n_lanes(spool);
    out->string_bytes = MS_FIRST_PLACE - 1;
    size_t *turns = calloc(out->n_lanes, sizeof *turns);
    bool good = turns && make_maps(&out->files, spool, false) &&
                make_maps(&out->names, spool, true) &&
                ms_index_expect(&out->by_text, count_texts(spool)) &&
                ms_text_key_set(&key, first) && place(out, &key) != MS_INDEX_NONE;
    good = good && (ms_spool_has_dropped(spool) ? number_by_address(out, spool)
                                                : number_by_turns(out, spool, turns));
    free(turns);
    if (!good) {
        bool too_long = out->string_bytes > UINT32_MAX / 2;
        ms_numbering_fini(out);
        return too_long ? ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "more than 4 GB of names")
                        : ms_fail_memory(err);
    }
    free_search(out);
    return MS_OK;
}
