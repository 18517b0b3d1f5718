#include "common/filter.h"

#include "common/console.h"

#include <stdlib.h>
#include <string.h>

int filter_start(struct filter *filter)
{
    filter->met = calloc(filter->names.n + 1, sizeof *filter->met);
    if (filter->met)
        return EXIT_DONE;
    complain("out of memory");
    return EXIT_SYSTEM;
}

void filter_fini(struct filter *filter)
{
    word_list_fini(&filter->names);
    free(filter->met);
    filter->met = NULL;
}

/* Does what is left of `wanted`, `n` bytes, end `text` at the start of one of its parts? */
static bool ends_in(const char *text, const char *wanted, size_t n)
{
    size_t length = strlen(text);
    return n && n <= length && memcmp(text + length - n, wanted, n) == 0 &&
           (n == length || text[length - n - 1] == '.');
}

bool name_ends_in(const char *module, const char *name, const char *wanted)
{
    if (!name)
        return false;
    size_t n_wanted = strlen(wanted), n = strlen(name);
    if (n_wanted <= n)
        return ends_in(name, wanted, n_wanted);
    size_t more = n_wanted - n; /* what stands before the name, with the dot */
    return module && strcmp(wanted + more, name) == 0 && wanted[more - 1] == '.' &&
           ends_in(module, wanted, more - 1);
}

bool filter_takes(struct filter *filter, const char *module, const char *name)
{
    bool takes = filter->names.n == 0;
    for (size_t i = 0; i < filter->names.n; i++)
        if (name_ends_in(module, name, filter->names.items[i]))
            takes = filter->met[i] = true;
    return takes;
}

int filter_end(const struct filter *filter, const char *kind)
{
    int status = EXIT_DONE;
    for (size_t i = 0; i < filter->names.n; i++) {
        if (filter->met[i])
            continue;
        complain("no %s is called %s", kind, filter->names.items[i]);
        status = EXIT_NO;
    }
    return status;
}
