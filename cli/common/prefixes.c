#include "common/prefixes.h"

#include "common/console.h"

#include <stdlib.h>
#include <string.h>

int prefixes_read(struct prefixes *prefixes, const struct command *command,
                  const struct word_list *words, struct ms_object_search *search)
{
    size_t room = 1;
    for (size_t i = 0; i < words->n; i++) {
        if (!strchr(words->items[i], '='))
            return args_misused(command, "--oso-prefix-map takes FROM=TO, not '%s'",
                                words->items[i]);
        room += strlen(words->items[i]) + 1;
    }
    prefixes->items = calloc(words->n + 1, sizeof *prefixes->items);
    prefixes->text = malloc(room);
    if (!prefixes->items || !prefixes->text) {
        prefixes_fini(prefixes);
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    char *at = prefixes->text;
    for (size_t i = 0; i < words->n; i++) {
        size_t n = strlen(words->items[i]) + 1;
        memcpy(at, words->items[i], n);
        char *equals = strchr(at, '=');
        *equals = 0;
        prefixes->items[i] = (struct ms_path_prefix){at, equals + 1};
        at += n;
    }
    search->prefixes = prefixes->items;
    search->n_prefixes = words->n;
    return ARGS_RUN;
}

void prefixes_fini(struct prefixes *prefixes)
{
    free(prefixes->items);
    free(prefixes->text);
    prefixes->items = NULL;
    prefixes->text = NULL;
}
