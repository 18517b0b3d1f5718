#include "pack/strings.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

bool ms_strings_init(struct ms_strings *strings)
{
    memset(strings, 0, sizeof *strings);
    strings->bytes = calloc(1, 1 << 16);
    strings->room = 1 << 16;
    strings->n = 1;
    return strings->bytes != NULL;
}

void ms_strings_fini(struct ms_strings *strings)
{
    free(strings->bytes);
    free(strings->starts);
    ms_index_fini(&strings->by_hash);
    memset(strings, 0, sizeof *strings);
}

static bool reserve(struct ms_strings *s, size_t n)
{
    if (n <= s->room - s->n)
        return true;
    size_t room = s->room + s->room / 2 + n;
    char *bytes = room > s->room ? realloc(s->bytes, room) : NULL;
    if (!bytes)
        return false;
    s->bytes = bytes;
    s->room = room;
    return true;
}

static uint32_t find_or_add(struct ms_strings *s, const char *string)
{
    size_t n = strlen(string) + 1;
    uint64_t hash = ms_hash(0, string, n);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&s->by_hash, hash, &probe)) != MS_INDEX_NONE;)
        if (strcmp(s->bytes + s->starts[i], string) == 0)
            return s->starts[i];
    if (n > UINT32_MAX - s->n || s->n_starts >= MS_INDEX_NONE - 1 || !reserve(s, n) ||
        !ms_index_add(&s->by_hash, hash, (uint32_t)s->n_starts) ||
        !MS_PUSH(s->starts, s->n_starts, s->starts_room, (uint32_t)s->n)) {
        s->failed = true;
        return 0;
    }
    memcpy(s->bytes + s->n, string, n);
    s->n += n;
    return s->starts[s->n_starts - 1];
}

uint32_t ms_strings_add(struct ms_strings *s, const char *string)
{
    if (!string || s->failed)
        return 0;
    size_t place =
        ((uintptr_t)string ^ (uintptr_t)string >> 12) % (sizeof s->lately / sizeof *s->lately);
    if (s->lately[place].string != string) {
        s->lately[place].off = find_or_add(s, string);
        s->lately[place].string = string;
    }
    return s->lately[place].off;
}

uint32_t ms_strings_add_copy(struct ms_strings *s, const char *string)
{
    return string[0] && !s->failed ? find_or_add(s, string) : 0;
}
