/*
 * common/name_set.h: names, each once.
 */
#ifndef MACHSYM_CLI_NAME_SET_H
#define MACHSYM_CLI_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. Of a name its 128-bit fingerprint is kept, so that a million take 32 MB. */
struct name_set {
    struct name_mark {
        uint64_t a, b; /* both 0: free */
    } *marks;
    size_t n, room; /* a power of two, or 0 */
};

/* False when it is in there already; also when no more can be kept: after a million names, or
 * where memory is out. */
bool name_set_add(struct name_set *set, const char *name, size_t n);
void name_set_fini(struct name_set *set);

#endif
