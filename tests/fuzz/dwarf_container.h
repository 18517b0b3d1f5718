/*
 * All DWARF sections of an image in one input: a byte of flags, then each section as its
 * length (four bytes, little-endian, cut to what remains) and its bytes.
 */
#ifndef DWARF_CONTAINER_H
#define DWARF_CONTAINER_H

#include "dwarf/dwarf.h"

enum { CONTAINER_BIG = 1, CONTAINER_32 = 2, CONTAINER_CODE = 4, CONTAINER_SECTIONS = 11 };

static inline void container_list(struct ms_dwarf_sections *s,
                                  struct ms_bytes *out[CONTAINER_SECTIONS])
{
    struct ms_bytes *all[CONTAINER_SECTIONS] = {
        &s->abbrev, &s->info,     &s->line,  &s->str,         &s->aranges, &s->ranges,
        &s->addr,   &s->rnglists, &s->types, &s->str_offsets, &s->line_str};
    for (int i = 0; i < CONTAINER_SECTIONS; i++)
        out[i] = all[i];
}

#endif
