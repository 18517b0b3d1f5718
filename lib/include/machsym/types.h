/**
 * machsym/types.h: the plain values that every part of the library speaks in.
 *
 * Everything here is data: no handles, nothing to free. A pointer inside one of
 * these structs is borrowed; the function that hands the struct out says from whom.
 *
 * Three address domains run through the whole library and are told apart by the
 * suffix of the name:
 *   _rt   runtime:   as the process saw it (link address + ASLR slide)
 *   _vm   as linked: what the load commands, nlist tables and DWARF speak of
 *   _off  byte offset in a file, a slice or a section
 */
#ifndef MACHSYM_TYPES_H
#define MACHSYM_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. Only MS_OK means that the out-parameters were written. */
enum ms_status {
    MS_OK = 0,
    MS_ABSENT,        /**< an answer, not a failure: there is no such thing */
    MS_E_FORMAT,      /**< the input contradicts its format; the error says where */
    MS_E_UNSUPPORTED, /**< well-formed as far as known, but of a kind we do not read */
    MS_E_LIMIT,       /**< a bound of ours was hit (size, depth, time) */
    MS_E_IO,          /**< the operating system refused; sys_errno is set */
    MS_E_NOMEM,       /**< memory ran out */
    MS_E_ARGUMENT     /**< the caller asked for something that cannot be meant */
};

/** The value of ms_error.offset when no byte of an input is to blame. */
#define MS_NO_OFFSET UINT64_MAX

/**
 * What went wrong, filled once by the function that noticed. Caller-owned, never
 * allocated; unspecified after a call that returned MS_OK or MS_ABSENT.
 */
struct ms_error {
    enum ms_status status;
    int sys_errno;    /**< errno for MS_E_IO, else 0 */
    uint64_t offset;  /**< byte in `where` that shows the fault, or MS_NO_OFFSET */
    char where[192];  /**< "App.dSYM (arm64) __debug_info"; "" when there is no input */
    char text[256];   /**< one line, no newline: expected against found */
};

/** Borrowed bytes. `at` may be NULL when n is 0. */
struct ms_bytes {
    const uint8_t *at;
    size_t n;
};

/** The 16 bytes of LC_UUID, in file order. */
struct ms_uuid {
    uint8_t byte[16];
};

/** Room for "XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX" and its NUL. */
#define MS_UUID_TEXT 37

/** Writes the upper-case, dashed form, as dwarfdump and every Apple tool prints it. */
void ms_uuid_format(const struct ms_uuid *uuid, char text[MS_UUID_TEXT]);

/**
 * Reads 32 hexadecimal digits of either case, with or without dashes between them.
 * `n` bytes at `text`, all of which must belong to the UUID.
 * Returns false, and leaves *out alone, for anything else.
 */
bool ms_uuid_parse(const char *text, size_t n, struct ms_uuid *out);

/** All zeros: the way reports write "unknown". */
bool ms_uuid_is_zero(const struct ms_uuid *uuid);
bool ms_uuid_equal(const struct ms_uuid *a, const struct ms_uuid *b);

/** Where the name of a frame comes from, richest first. */
enum ms_source {
    MS_SOURCE_NONE = 0,
    MS_SOURCE_DWARF,
    MS_SOURCE_DEBUG_MAP,
    MS_SOURCE_NLIST,
    MS_SOURCE_OBJC,
    MS_SOURCE_SWIFT,
    MS_SOURCE_EXPORT,
    MS_SOURCE_STUB,
    MS_SOURCE_FUNCTION_START,
    MS_SOURCE_REPORT
};

/** Why an answer is not complete. */
enum ms_why {
    MS_WHY_COMPLETE = 0,
    MS_WHY_NO_IMAGE,      /**< the address lies in no image of the report */
    MS_WHY_UUID_DIFFERS,  /**< a file of that name was found, with another UUID */
    MS_WHY_NO_FILE,       /**< neither binary nor dSYM with this UUID was found */
    MS_WHY_NO_SLIDE,      /**< no load address is known */
    MS_WHY_STRIPPED,      /**< the file has no debug information or no symbol for it */
    MS_WHY_OUTSIDE_CODE,  /**< inside the image, but not in a function */
    MS_WHY_BAD_DEBUG_INFO, /**< the unit or table that covers it is malformed */
    MS_WHY_NO_OBJECT,     /**< the object file that the debug map names isn't there */
    MS_WHY_STALE_OBJECT   /**< the object file was written anew since the image was linked */
};

/** Their names in output: "dwarf", "debug-map", … and "complete", "no-image", … Never NULL. */
const char *ms_source_name(enum ms_source source);
const char *ms_why_name(enum ms_why why);

/**
 * One level of a call chain at one address. Strings are NUL-terminated, borrowed,
 * and NULL where unknown; they stand as in the file, mangled and unjoined, since
 * demangling and joining cost nothing until a frame is printed.
 */
struct ms_frame {
    const char *linkage;  /**< linkage (mangled) name, as in the file, or NULL */
    const char *name;     /**< source name (DW_AT_name), or NULL */
    const char *comp_dir; /**< compilation directory, or NULL */
    const char *dir;      /**< include directory of the file, or NULL */
    const char *file;     /**< file name, or NULL */
    uint32_t line;        /**< 1-based, 0 = unknown */
    uint32_t column;      /**< 1-based, 0 = unknown */
    uint64_t start_vm;    /**< the function's entry; meaningful when has_start */
    uint64_t offset;      /**< address - start_vm; meaningful when has_start */
    bool has_start;
    bool inlined;         /**< inlined into the frame that follows */
    enum ms_source source;
    uint64_t die_off;     /**< of its DIE in .debug_info, of its unit's where only the line is
                               known; 0 = none */
};

/** All that is known of one address: the whole inline chain, innermost first. */
struct ms_answer {
    const struct ms_frame *frames;
    size_t n_frames;
    enum ms_why why;
};

/**
 * Joins comp_dir, dir and file as DWARF means it: a later part that is absolute
 * replaces what stands before it. Nothing is normalised.
 * snprintf-like: writes at most `room` bytes with the NUL, returns the length that
 * the whole has. 0 when the frame has no file.
 */
size_t ms_frame_path(const struct ms_frame *frame, char *out, size_t room);

#ifdef __cplusplus
}
#endif
#endif
