#include "common/memory.h"

#include "common/console.h"
#include "machsym/workers.h"

#include <ctype.h>
#include <stdint.h>
#include <sys/resource.h>

/* A thread's stack counts as memory when it is made, not when it is used: all of them may take a
 * quarter. */
enum { STACK = 8 << 20, STACKS_SHARE = 4 };

bool memory_read(const char *word, size_t *bytes)
{
    static const char units[] = "KMG";
    uint64_t value = 0;
    const char *c = word;
    *bytes = 0;
    if (!word)
        return true;
    for (; isdigit((unsigned char)*c); c++) {
        if (value > (SIZE_MAX - 9) / 10)
            return false;
        value = value * 10 + (uint64_t)(*c - '0');
    }
    if (c == word || !value)
        return false;
    for (unsigned i = 0; *c && i < sizeof units - 1; i++) {
        if (toupper((unsigned char)*c) != units[i])
            continue;
        unsigned shift = 10 * (i + 1);
        if (value > SIZE_MAX >> shift)
            return false;
        value <<= shift;
        c++;
        break;
    }
    *bytes = (size_t)value;
    return !*c;
}

void memory_limit(const char *word, size_t bytes, size_t *n_workers)
{
    struct rlimit limit;
    if (!bytes)
        return;
    console_limit_memory(word);
    rlim_t stack = STACK;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur)
        stack = limit.rlim_cur;
    size_t n = 1 + (size_t)(bytes / STACKS_SHARE / stack);
    size_t wanted = *n_workers ? *n_workers : ms_workers_of_machine();
    *n_workers = n < wanted ? n : wanted;
#ifndef MS_SANITIZED /* a sanitizer's own memory is larger than any limit */
    if (getrlimit(RLIMIT_DATA, &limit) == 0 && bytes < limit.rlim_cur) {
        limit.rlim_cur = bytes;
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
#endif
}
