/**
 * macho/fixups_chains.h: LC_DYLD_CHAINED_FIXUPS, a page at a time; of firmware, which has no load
 * command but the section __TEXT,__chain_starts, the whole at once. Part of fixups.c.
 */
#ifndef MS_MACHO_FIXUPS_CHAINS_H
#define MS_MACHO_FIXUPS_CHAINS_H

#include "macho/fixups.h"

enum { MS_CHAIN_PAGES = 32 }; /* pages whose chains are remembered; lists touch a few at a time */

/** Which bytes of a page begin a link of its chains. */
struct ms_chain_page {
    uint64_t vm;
    uint8_t *bits;          /* one a byte of the page; owned, NULL = free */
    uint32_t bytes;         /* of the page */
    uint32_t broken_at;     /* in the page: what lies from there on was not reached */
    struct ms_error broken; /* status MS_OK when its chains are whole */
};

struct ms_chains {
    const struct ms_macho *macho;
    uint64_t base_vm;
    struct ms_bytes payload;
    uint64_t payload_off; /* in the slice */
    bool present;         /* there is such a command or section, well or not */
    bool is_section;      /* the payload is that of __chain_starts */
    uint8_t *links; /* of such an image: one bit every four bytes of the slice; NULL = unread */
    struct ms_error broken; /* of it: why some chain ended early */
    struct ms_chain_page pages[MS_CHAIN_PAGES];
};

/** Finds the payload; `base_vm` is the address of the Mach-O header. */
void ms_chains_open(const struct ms_macho *macho, uint64_t base_vm, struct ms_chains *out);
void ms_chains_close(struct ms_chains *chains);

/**
 * Decodes the word at `off` of the segment's bytes if a chain leads to it.
 * @param data     the segment's part of the file
 * @return MS_ABSENT: no chain leads there; else as ms_fixups_read
 */
enum ms_status ms_chains_read(struct ms_chains *chains, uint32_t segment, struct ms_bytes data,
                              uint64_t off, struct ms_slot *out, struct ms_error *err);

/**
 * A link as arm64e's first toolchain threaded them through LC_DYLD_INFO (format 1 without
 * imports): fills *out, except for a bind, whose number in the ordinal table it returns in
 * *ordinal. `*next` is the distance to the next link in bytes, 0 at the end.
 */
void ms_chain_thread(uint64_t raw, uint64_t base_vm, struct ms_slot *out, uint32_t *ordinal,
                     uint64_t *next);

#endif
