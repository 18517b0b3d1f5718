/**
 * pack/gsym_format.h: how a GSYM file of version 1 lies (llvm/DebugInfo/GSYM). One byte order
 * all through, which the magic number tells.
 *
 *   header       GSYM_HEADER bytes
 *   addresses    where each function starts, less the base address: numbers of as many bytes as
 *                the header says, ascending
 *   infos        aligned to 4: for each, where in the file what is known of it stands, 32 bits
 *   files        their number, 32 bits; two strings each, folder and file name. Number 0 is none
 *   strings      wherever the header says; each ends with NUL, the first is empty
 *
 * What is known of a function: bytes of its code (0: up to the next), its name, and parts of a
 * kind and a length, 32 bits each, up to the kind GSYM_END.
 *
 * Lines: least and most lines that a row's byte steps by, the first line, and operations, the last
 * GSYM_ROWS_END. Inlined calls: a tree whose root is the function. A node: number of ranges (0:
 * no more siblings), for each how far it is from the first of the parent (of the root: from the
 * function's start) and its bytes; whether children follow; name, file and line of the call.
 *
 * A call has no line without a file. So the root, which is no call, has in our files in the place
 * of its line how far the function's entry lies before this code, where a function consists of
 * several parts; GSYM_NO_ENTRY when that isn't known. Other programs take no notice of it.
 */
#ifndef MS_PACK_GSYM_FORMAT_H
#define MS_PACK_GSYM_FORMAT_H

#include <stdint.h>

enum {
    GSYM_VERSION = 1,
    GSYM_HEADER = 48,
    GSYM_FILE = 8,
    GSYM_UUID_ROOM = 20,
    /* Offsets in the header. */
    GSYM_AT_VERSION = 4,
    GSYM_AT_ADDRESS_BYTES = 6,
    GSYM_AT_UUID_BYTES = 7,
    GSYM_AT_BASE = 8,
    GSYM_AT_N_ADDRESSES = 16,
    GSYM_AT_STRINGS = 20,
    GSYM_AT_STRING_BYTES = 24,
    GSYM_AT_UUID = 28,
    /* Parts of what is known of a function. */
    GSYM_END = 0,
    GSYM_LINES = 1,
    GSYM_INLINES = 2,
    /* Operations of rows. */
    GSYM_ROWS_END = 0,
    GSYM_SET_FILE = 1,     /* number follows */
    GSYM_ADVANCE = 2,      /* bytes of code follow; makes a row */
    GSYM_ADVANCE_LINE = 3, /* signed number follows */
    GSYM_FIRST_STEP = 4    /* from here on both steps in one; makes a row */
};

#define GSYM_MAGIC 0x4753594du
#define GSYM_MAGIC_SWAPPED 0x4d595347u
#define GSYM_NO_ENTRY UINT32_MAX

#endif
