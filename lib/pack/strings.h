/**
 * pack/strings.h: a table of strings, each there once, in the order of their first use.
 */
#ifndef MS_PACK_STRINGS_H
#define MS_PACK_STRINGS_H

#include "base/index.h"

struct ms_strings {
    char *bytes; /* NUL-terminated strings; the first is "" */
    size_t n, room;
    struct ms_index by_hash; /* to places in `starts` */
    uint32_t *starts;
    size_t n_starts, starts_room;
    struct {
        const char *string;
        uint32_t off;
    } lately[1 << 12]; /* by pointer: the same places name the same functions again and again */
    bool failed;       /* memory, or more than 4 GB of strings */
};

/** Heavy: not for the stack. False without memory. */
bool ms_strings_init(struct ms_strings *strings);
void ms_strings_fini(struct ms_strings *strings);
/** Where the string lies; 0 for NULL. After a failure always 0. */
uint32_t ms_strings_add(struct ms_strings *strings, const char *string);
/** The same for a string whose memory will hold others later. */
uint32_t ms_strings_add_copy(struct ms_strings *strings, const char *string);

#endif
