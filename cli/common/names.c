#include "common/names.h"

#include "common/console.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_TOLD = 100, /* whoever sees that many needs a newer program, not a longer list */
    MAX_SAID = 600  /* of one name; a message has room for a thousand characters */
};

unsigned name_style(const struct name_options *options)
{
    return (options->full ? MS_DEMANGLE_FULL : MS_DEMANGLE_SIMPLIFIED) |
           (options->fold ? MS_DEMANGLE_FOLD : 0u);
}

bool name_options_clash(const struct command *command, const struct name_options *options)
{
    if (!options->mangled || (!options->full && !options->fold))
        return false;
    args_misused(command, "--no-demangle and %s contradict each other",
                 options->full ? "--full-names" : "--fold-thunks");
    return true;
}

const char *name_fault_text(const struct ms_name_fault *fault, char text[NAME_FAULT_ROOM])
{
    switch (fault->kind) {
    case MS_NAME_UNKNOWN_OPERATOR:
        snprintf(text, NAME_FAULT_ROOM, "unknown operator %.*s at byte %zu", (int)sizeof fault->op,
                 fault->op, fault->at);
        break;
    case MS_NAME_MALFORMED:
        snprintf(text, NAME_FAULT_ROOM, "malformed at byte %zu", fault->at);
        break;
    case MS_NAME_TOO_LARGE:
        snprintf(text, NAME_FAULT_ROOM, "too large");
        break;
    case MS_NAME_NO_MEMORY:
        snprintf(text, NAME_FAULT_ROOM, "out of memory");
        break;
    case MS_NAME_FINE:
        text[0] = 0;
        break;
    }
    return text;
}

void unread_names_fini(struct unread_names *names)
{
    for (size_t i = 0; i < names->n; i++)
        free(names->told[i]);
    free(names->told);
    memset(names, 0, sizeof *names);
}

/* False when it was told before, or can't be remembered. */
static bool is_new(struct unread_names *names, const char *linkage)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->told[i], linkage) == 0)
            return false;
    if (!names->told)
        names->told = calloc(MAX_TOLD, sizeof *names->told);
    size_t n = strlen(linkage) + 1;
    char *copy = names->told ? malloc(n) : NULL;
    if (!copy)
        return false;
    memcpy(copy, linkage, n);
    names->told[names->n++] = copy;
    return true;
}

void tell_unread(struct unread_names *names, const char *linkage)
{
    struct ms_name name;
    char why[NAME_FAULT_ROOM];
    if (!linkage || names->n >= MAX_TOLD)
        return;
    ms_demangle_describe(linkage, strlen(linkage), &name);
    /* It could be read, and yet is shown mangled: it means more text than a frame has. */
    if (name.mangling != MS_MANGLING_NONE && name.fault.kind == MS_NAME_FINE)
        name.fault.kind = MS_NAME_TOO_LARGE;
    if (name.fault.kind == MS_NAME_FINE || !is_new(names, linkage))
        return;
    complain("%.*s%s: %s", MAX_SAID, linkage, strlen(linkage) > MAX_SAID ? "..." : "",
             name_fault_text(&name.fault, why));
    if (names->n == MAX_TOLD)
        complain("no more is said of names that can't be read");
}

bool is_unread(const struct ms_shown_frame *frame)
{
    return frame->function && frame->mangled && strcmp(frame->function, frame->mangled) == 0;
}
