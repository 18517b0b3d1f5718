#include "macho/where.h"

#include <stdio.h>
#include <string.h>

void ms_where_write(char *out, size_t room, const char *name, const char *arch)
{
    if (!name)
        name = "";
    size_t length = strlen(name), tail = arch ? strlen(arch) + 3 : 0;
    size_t fits = room - 1 > tail ? room - 1 - tail : 0;
    const char *cut = length > fits && fits > 3 ? "..." : "";
    if (*cut)
        name += length - (fits - 3);
    if (arch)
        snprintf(out, room, "%s%s (%s)", cut, name, arch);
    else
        snprintf(out, room, "%s%s", cut, name);
}
