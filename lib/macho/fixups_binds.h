/**
 * macho/fixups_binds.h: binds by opcodes (LC_DYLD_INFO) and by relocations, as one sorted
 * table of slots. Part of fixups.c.
 */
#ifndef MS_MACHO_FIXUPS_BINDS_H
#define MS_MACHO_FIXUPS_BINDS_H

#include "macho/fixups.h"
#include "macho/records.h"

/** What one or many slots are bound to. */
struct ms_bind {
    const char *name;
    int64_t addend;
    uint64_t value; /* is_defined: the symbol's address in this image */
    int32_t ordinal;
    bool weak_import, is_defined;
    bool adds_word; /* a relocation: the word in the file is the addend */
};

/** Where a record comes from, in the order in which records of one slot stand. */
enum ms_bind_rank { MS_BIND_REGULAR, MS_BIND_LAZY, MS_BIND_WEAK, MS_BIND_THREAD };

/** `records[i].at` is a slot's address, `.index` its struct ms_bind, `.rank` an enum ms_bind_rank.
 */
struct ms_binds {
    struct ms_record *records;
    size_t n_records, records_room;
    struct ms_bind *items;
    size_t n_items, items_room;
    uint32_t *ordinals; /* of threaded binds: indexes of items */
    size_t n_ordinals, ordinals_room;
    struct ms_error damage; /* of what could not be read; MS_OK when all is there */
};

/** Reads what the image has. @return MS_E_NOMEM; damage is left in *out */
enum ms_status ms_binds_read(const struct ms_macho *macho, uint64_t base_vm, struct ms_binds *out,
                             struct ms_error *err);
void ms_binds_fini(struct ms_binds *binds);
/** The first record of that slot; *n is how many follow each other. NULL when there is none. */
const struct ms_record *ms_binds_find(const struct ms_binds *binds, uint64_t slot_vm, size_t *n);

#endif
