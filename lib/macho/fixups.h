/**
 * macho/fixups.h: what a pointer in an image's data means. In the file it may be an address,
 * an encoded link of a chain, or nothing that opcodes or relocations name; this reader tells
 * for one slot at a time, in every encoding that linkers have used.
 *
 * Source: mach-o/fixup-chains.h, mach-o/loader.h (LC_DYLD_INFO), mach-o/reloc.h.
 */
#ifndef MS_MACHO_FIXUPS_H
#define MS_MACHO_FIXUPS_H

#include "base/error.h"
#include "machsym/macho.h"

enum ms_slot_kind {
    MS_SLOT_NULL,   /* a null pointer */
    MS_SLOT_REBASE, /* an address in this image */
    MS_SLOT_BIND,   /* the address of a symbol that dyld looks up by name */
    MS_SLOT_PLAIN   /* a number that dyld leaves alone */
};

/** One pointer. Strings are borrowed from the file. */
struct ms_slot {
    enum ms_slot_kind kind;
    uint64_t raw;       /* the 4 or 8 bytes as they stand in the file */
    uint64_t target_vm; /* of a REBASE, without signature and tag */
    uint64_t value;     /* of a PLAIN: what the program reads there */
    const char *name;   /* of a BIND, with Mach-O's underscore. Of a REBASE: not NULL when dyld may
                           put another image's definition of that name there instead */
    int32_t
        ordinal; /* of a BIND: the dylib from 1, 0 this image, -1 main program, -2 flat, -3 weak */
    int64_t addend;   /* of a BIND */
    bool weak_import; /* null at run time where the symbol is missing */
    bool is_auth;     /* arm64e: signed */
    uint8_t tag;      /* the top byte that a REBASE carries besides its address */
};

struct ms_fixups;

/**
 * Prepares to read pointers of an image: sorts its segments, reads nothing else. What is
 * damaged is said by ms_fixups_read for the slots that it concerns. For an entry of a fileset
 * pass the fileset itself: it alone has the chains.
 *
 * Not for several threads at once: it keeps what it decoded.
 * @param macho  borrowed for as long as *out is used
 * @return MS_E_NOMEM
 */
enum ms_status ms_fixups_open(const struct ms_macho *macho, struct ms_fixups **out,
                              struct ms_error *err);
void ms_fixups_close(struct ms_fixups *fixups);

/** 4 or 8. */
unsigned ms_fixups_pointer_bytes(const struct ms_fixups *fixups);
/** What offsets of chained fixups and of __init_offsets count from: the Mach-O header's address. */
uint64_t ms_fixups_base(const struct ms_fixups *fixups);

/**
 * Reads the pointer at an address as linked. With chained fixups a word that no chain leads to
 * is PLAIN, or NULL when it is 0; the chain of one page is walked for that, and kept. Without
 * them, a word that no bind names is a REBASE if the list of rebases has it or, in an image
 * without such a list, if it is an address in one of its segments.
 * In an object file relocations decide.
 * @return MS_ABSENT: the segment has no bytes in this file (a dSYM's copy);
 *         MS_E_FORMAT: the address is outside the image, or a chain, an import or an opcode that
 *         the slot needs is damaged; MS_E_UNSUPPORTED: an encoding we don't know, compressed
 *         import names, or a pointer into another file of a cache; MS_E_LIMIT, MS_E_NOMEM
 */
enum ms_status ms_fixups_read(struct ms_fixups *fixups, uint64_t slot_vm, struct ms_slot *out,
                              struct ms_error *err);

/**
 * The bytes of the file at an address as linked, from there to the end of its segment's part of the
 * file (in an object: of its section's), so that records and strings can be cut from them.
 * @return MS_ABSENT: zeros that the file doesn't hold (zerofill), or a dSYM's empty copy;
 *         MS_E_FORMAT: outside the image or the file
 */
enum ms_status ms_fixups_bytes(const struct ms_fixups *fixups, uint64_t address_vm,
                               struct ms_bytes *out, struct ms_error *err);

#endif
