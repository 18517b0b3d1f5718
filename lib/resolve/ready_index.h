/**
 * resolve/ready_index.h: a ready index in the place of DWARF, whichever format it has.
 */
#ifndef MS_RESOLVE_READY_INDEX_H
#define MS_RESOLVE_READY_INDEX_H

#include "dwarf/dwarf.h"
#include "machsym/pack.h"
#include "resolve/part.h"

struct ms_ready_index;

/**
 * Opens the index that the part's file holds; see ms_part_index.
 * @return MS_ABSENT when it holds none; MS_E_*
 */
enum ms_status ms_ready_index_open(const struct ms_part *part, struct ms_ready_index **out,
                                   struct ms_error *err);
void ms_ready_index_close(struct ms_ready_index *index); /* takes NULL */

/** Who is told what of the file is looked at; see struct ms_dwarf_sections. */
void ms_ready_index_set_meter(struct ms_ready_index *index,
                              void (*went_through)(void *owner, uint64_t bytes), void *owner);

/**
 * Answers as ms_dwarf_find_many does.
 * @param whys  gets, for each address, what keeps an answer from being complete
 * @return MS_OK however much of the index is damaged: see the hits; MS_E_NOMEM
 */
enum ms_status ms_ready_index_find(struct ms_ready_index *index, const uint64_t *addresses_vm,
                                   size_t n, struct ms_dwarf_answers *out, enum ms_why *whys,
                                   struct ms_error *err);

void ms_ready_index_info(const struct ms_ready_index *index, struct ms_pack_info *out);

/** Reads all of it; the first fault. */
enum ms_status ms_ready_index_check(struct ms_ready_index *index, struct ms_error *err);

#endif
