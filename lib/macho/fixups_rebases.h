/**
 * macho/fixups_rebases.h: which words LC_DYLD_INFO's rebase opcodes make addresses. Part of
 * fixups.c. A bit a word, since nearly all of them are listed.
 */
#ifndef MS_MACHO_FIXUPS_REBASES_H
#define MS_MACHO_FIXUPS_REBASES_H

#include "base/error.h"
#include "machsym/macho.h"

/** One segment's words, four bytes each. */
struct ms_rebase_map {
    uint8_t *bits; /* owned; NULL: none listed */
    uint64_t n_bits;
};

struct ms_rebases {
    struct ms_rebase_map *maps; /* one a segment; NULL when the image has no such list */
    size_t n_maps;
    bool is_whole; /* the list could be read to its end */
};

/** @return MS_E_NOMEM; a damaged list leaves is_whole false */
enum ms_status ms_rebases_read(const struct ms_macho *macho, struct ms_rebases *out,
                               struct ms_error *err);
void ms_rebases_fini(struct ms_rebases *rebases);

/** True when the word at that byte of that segment is listed. */
bool ms_rebases_has(const struct ms_rebases *rebases, uint32_t segment, uint64_t off);

#endif
