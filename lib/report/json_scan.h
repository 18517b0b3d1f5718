/**
 * report/json_scan.h: JSON as spans of the file, for reading .ips reports and for putting
 * names into them without touching any other byte.
 *
 * Why not a JSON library, such as json-c: its tree forgets where a value stood and how
 * it was written (layout, key order, `\/`, escapes, `@foo@` in a template), so that a report
 * could not be given back byte for byte; and it takes some twenty times the file in memory.
 * Here one pass (ms_json_measure) finds the end of a document and its first fault, and
 * iterators walk the members of one object or array and give the span of each. Numbers
 * stay text until they are asked for as 64-bit integers: `base` and registers reach 2^64-1,
 * where a double has lost eleven bits. Nothing is allocated and nothing recurses; a walk down
 * one path costs the file's length a level. All JSON of a report, read or written, goes
 * through here, so that there is one opinion on what it says.
 *
 * Damage is met half way. The structure (brackets outside of strings) must hold; where it
 * stops holding, the document is cut there and what stands before is still readable. A value
 * that is no JSON (MS_JSON_BAD) spoils itself alone.
 */
#ifndef MS_REPORT_JSON_SCAN_H
#define MS_REPORT_JSON_SCAN_H

#include "base/bytes.h"
#include "base/text.h"

enum ms_json_kind {
    MS_JSON_BAD = 0, /**< absent, cut short, or no JSON value */
    MS_JSON_NULL,
    MS_JSON_FALSE,
    MS_JSON_TRUE,
    MS_JSON_NUMBER,
    MS_JSON_STRING,
    MS_JSON_ARRAY,
    MS_JSON_OBJECT
};

/** A value: bytes [off, off + n) of the input, with its quotes or brackets. */
struct ms_json_value {
    enum ms_json_kind kind;
    bool cut; /**< an array or object whose end is missing: it reaches to the cut */
    size_t off, n;
};

/** How a document ends. */
enum ms_json_ending {
    MS_JSON_WHOLE,  /**< its last bracket was found */
    MS_JSON_CUT,    /**< the input (or what the caller stopped at) came first */
    MS_JSON_BROKEN, /**< a bracket that closes what was not opened */
    MS_JSON_DEEP    /**< nested deeper than MS_MAX_JSON_DEPTH */
};

struct ms_json_document {
    enum ms_json_ending ending;
    struct ms_json_value value; /**< the object; cut unless the ending is MS_JSON_WHOLE */
    const char *fault;          /**< the first breach of RFC 8259, or NULL; static */
    size_t fault_off;
};

/**
 * Asked at each start of a line inside a document whose first byte is '{': true means that
 * something else begins there and the document has ended without its brackets.
 */
typedef bool ms_json_stop(void *context, size_t off);

/**
 * Measures the object (or array) that starts at byte `off`, reading no further than `end`.
 * One pass, linear. Checks the grammar of RFC 8259; raw control characters in strings and
 * bytes that are not UTF-8 are let through, the former noted as the fault.
 * @param stop  may be NULL
 */
void ms_json_measure(struct ms_bytes in, size_t off, size_t end, ms_json_stop *stop, void *context,
                     struct ms_json_document *out);

/* ---- walking -------------------------------------------------------------------------- */

struct ms_json_iter {
    struct ms_bytes in;
    size_t at, end;
    bool object;
    bool cut;     /**< the container is */
    bool damaged; /**< stopped early, at something that is no member */
};

struct ms_json_member {
    struct ms_json_value key; /**< kind MS_JSON_BAD in an array */
    struct ms_json_value value;
};

/** Starts a walk over `container`; over anything but an array or object it has no step. */
void ms_json_iter_open(struct ms_json_iter *iter, struct ms_bytes in,
                       struct ms_json_value container);
/** The next member or element; false at the end. */
bool ms_json_iter_next(struct ms_json_iter *iter, struct ms_json_member *out);

/**
 * Fills out[i] with the member called names[i] in one walk; kind MS_JSON_BAD where there is
 * none. Of members with the same name the last counts, as in most JSON parsers. `names` are
 * in strcmp order.
 */
void ms_json_pick(struct ms_bytes in, struct ms_json_value object, const char *const *names,
                  size_t n_names, struct ms_json_value *out);
/** The same for a single name. */
struct ms_json_value ms_json_get(struct ms_bytes in, struct ms_json_value object, const char *name);

/* ---- values --------------------------------------------------------------------------- */

/**
 * An integer that fits 64 bits: digits, a minus sign (the result is then modulo 2^64), or a
 * string of decimal digits or "0x…", as some exporters write. False for all else, fractions
 * and exponents too.
 */
bool ms_json_u64(struct ms_bytes in, struct ms_json_value value, uint64_t *out);
/** The same, for a value from 0 to INT32_MAX. */
bool ms_json_index(struct ms_bytes in, struct ms_json_value value, uint32_t *out);
/** True for `true` and for numbers but 0. */
bool ms_json_truth(struct ms_bytes in, struct ms_json_value value);

/** The inside of a string, without quotes; empty for all else. */
struct ms_json_value ms_json_inside(struct ms_json_value value);

/**
 * Appends what a value says: a string's characters in UTF-8 (a lone surrogate becomes U+FFFD,
 * \u0000 a NUL byte, an unknown escape stands for itself), a scalar's own text, nothing for
 * arrays, objects, null and bad values.
 */
void ms_json_add(struct ms_text *text, struct ms_bytes in, struct ms_json_value value);
/** The same for n bytes of the inside of a string. */
void ms_json_unescape(struct ms_text *text, struct ms_bytes in, size_t off, size_t n);

/** The same into `room`. @return the length; room_bytes when it needs as much or more */
size_t ms_json_unescape_to(char *room, size_t room_bytes, struct ms_bytes in, size_t off, size_t n);

/** Longer than any name or value that a JSON report is asked for. */
#define MS_JSON_NAME_ROOM 64

/** True when the string (or key) says exactly `text`, whatever its escapes. `text` is shorter
 *  than MS_JSON_NAME_ROOM. */
bool ms_json_says(struct ms_bytes in, struct ms_json_value value, const char *text);

/** White space of JSON from `at` on: the first byte that is none, at most `end`. */
size_t ms_json_space(struct ms_bytes in, size_t at, size_t end);

#endif
