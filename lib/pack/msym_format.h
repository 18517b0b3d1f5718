/**
 * pack/msym_format.h: how a ready index lies in its file. Everything is little-endian.
 *
 *   header     MSYM_HEADER bytes, with a checksum of itself
 *   blocks     an entry of MSYM_BLOCK bytes for each: where its code starts (from base_vm), where
 *              its records start (from records_off); ascending by both
 *   files      MSYM_FILE bytes each: strings of comp_dir, dir and file
 *   names      MSYM_NAME bytes each: strings of the linkage name and the name
 *   records    what is known of the code, block by block; in a block each begins less than
 *              MSYM_BLOCK_BYTES from its start
 *   strings    each ends with NUL; in the byte before it is its length, or 0 when that doesn't
 *              fit there. The first byte of all is 0, so that offset 0 is "none"
 *   checks     checksum (check.h) of every MSYM_PAGE bytes from the start of blocks to the end of
 *              strings
 *   tops       the same of checks, so that a look-up need not read them all
 *
 * A record, all numbers LEB128, `signed` ones with the sign in the lowest bit:
 *
 *   bytes of code between the record before (for the first the block's start) and this one
 *   bytes of code that it has
 *   bytes of what follows
 *   head: source << 3 | scaled << 2 | damaged << 1 | more. Scaled: addresses and distances in the
 *         rest of the record count 4 bytes each. More: a further part of the function before,
 *         if its code ends where this begins; long functions have a record for each part
 *   n files: signed distance of each one's number to that before (0 at first)
 *   n nodes, the function first: the distance to its parent, less one, counted back from it (the
 *         function itself: 0); signed distance of its names' number to those before; start: 0 =
 *         unknown, else 1 + signed distance to that before (at first the record's start), never
 *         scaled; and for all but the function call file (0 = none, else 1 + the place in the
 *         list of files above), call line, call column
 *   n spans: distance to that before (at first the record's start); signed distance of the
 *         node to that before
 *   n rows: a byte with the distance d to that before in the low 3 bits and the lines l from
 *         that before, less MSYM_LINE_BASE, in the high 5. d of 0: a number follows, distance
 *         << 1 | other file, and for another file its place in the list (as above). l of 31: a
 *         signed number of lines follows. Then the column.
 */
#ifndef MS_PACK_MSYM_FORMAT_H
#define MS_PACK_MSYM_FORMAT_H

#include <stddef.h>

enum {
    MSYM_VERSION = 2,
    MSYM_HEADER = 112,
    MSYM_BLOCK = 16,
    MSYM_FILE = 12,
    MSYM_NAME = 8,
    /* A look-up wants a few bytes of each place, and all of their page is read. Up to 240 XXH3 has
     * a way with less to do before and after. */
    MSYM_PAGE = 240,
    MSYM_BLOCK_BYTES = 512, /* a record begins before so many bytes of its block */
    /* Offsets in the header. */
    MSYM_AT_VERSION = 4,
    MSYM_AT_FLAGS = 6,
    MSYM_AT_BYTES = 8,
    MSYM_AT_BASE = 16,
    MSYM_AT_N_BLOCKS = 24,
    MSYM_AT_N_FILES = 32,
    MSYM_AT_N_NAMES = 40,
    MSYM_AT_RECORD_BYTES = 48,
    MSYM_AT_STRING_BYTES = 56,
    MSYM_AT_N_RECORDS = 64,
    MSYM_AT_N_FUNCTIONS = 80, /* records that are no further part of the one before */
    MSYM_AT_NAME = 72,        /* string: file name of the image; 32 bits, like the checksums */
    MSYM_AT_TOPS_CHECK = 104, /* checksum of tops */
    MSYM_AT_CHECK = 108,      /* checksum of the header before it */
    /* Flags. */
    MSYM_PARTIAL = 1, /* cut out of more for the sake of some addresses */
    MSYM_BROKEN = 2,  /* a unit could not be read: what it had is missing */
    MSYM_LOST = 4,    /* what that one had can't be told: any address may have been of it */
    MSYM_FLAGS = 7,
    /* Rows. */
    MSYM_LINE_BASE = -4,
    MSYM_LINE_MORE = 31,
    MSYM_MOST_STEP = 7
};

#define MSYM_MAGIC "MSYM"

/** How many pages n bytes make, the last of which may be shorter. */
static inline size_t msym_pages(size_t n)
{
    return n / MSYM_PAGE + (n % MSYM_PAGE != 0);
}

/** Bytes of the page at `off`, of n bytes in all. */
static inline size_t msym_page_bytes(size_t off, size_t n)
{
    return n - off < MSYM_PAGE ? n - off : MSYM_PAGE;
}

#endif
