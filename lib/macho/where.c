#include "macho/where.h"

#include "base/error.h"

#include <stdio.h>
#include <string.h>

void ms_where_write(char *out, size_t room, const char *name, const char *arch)
{
    if (!name)
        name = "";
    size_t tail = arch ? strlen(arch) + 3 : 0;
    size_t fits = room > tail ? room - tail : 0;
    if (fits)
        ms_text_keep_end(out, fits, name);
    size_t n = fits ? strlen(out) : 0;
    if (arch)
        snprintf(out + n, room - n, " (%s)", arch);
}
