/**
 * machsym/plist.h: property lists as values: entitlements, launch constraints, Info.plist.
 *
 * Source of the formats: Apple's PropertyList-1.0.dtd (XML), CoreFoundation's binary form
 * "bplist00", and the DER that codesign(1) has written since macOS 12 (one APPLICATION 16 with a
 * version and a CONTEXT 16 of sorted pairs; older signers wrote a SET of pairs).
 */
#ifndef MACHSYM_PLIST_H
#define MACHSYM_PLIST_H

#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_plist_kind {
    MS_PLIST_DICT,
    MS_PLIST_ARRAY,
    MS_PLIST_STRING,
    MS_PLIST_INTEGER,
    MS_PLIST_REAL,
    MS_PLIST_BOOL,
    MS_PLIST_DATA,
    MS_PLIST_DATE
};

/** One value. The members of a dictionary are sorted by the bytes of their keys, each there once. */
struct ms_plist {
    enum ms_plist_kind kind;
    bool boolean;            /**< of a BOOL */
    bool is_negative;        /**< of an INTEGER: it is -(number) */
    uint64_t number;         /**< of an INTEGER */
    const char *text;        /**< STRING, DATE, REAL: as written, with a NUL behind; DATA: bytes */
    size_t text_bytes;       /**< of `text`; a string may hold a NUL */
    const char *key;         /**< inside a DICT, with a NUL behind; else NULL */
    size_t key_bytes;
    const struct ms_plist *first; /**< of a DICT or an ARRAY: its first member */
    const struct ms_plist *next;  /**< the next member of the same DICT or ARRAY */
    size_t n;                     /**< members */
};

/** A whole list. Owns all of its values; borrows nothing. */
struct ms_plist_tree;

/**
 * Reads an XML or a binary property list, by its first bytes. Nothing outside is ever read: no
 * entity but the five of XML and characters by number, no document type.
 * @param where  for messages
 * @return MS_E_FORMAT with the offset (a key that stands twice included, since readers differ in
 *         which one they believe), MS_E_LIMIT (more than 16 MB, 262,144 values, or 40 levels),
 *         MS_E_NOMEM
 */
enum ms_status ms_plist_parse(struct ms_bytes in, const char *where, struct ms_plist_tree **out,
                              struct ms_error *err);
/** The same for the DER form, both kinds. */
enum ms_status ms_plist_parse_der(struct ms_bytes in, const char *where,
                                  struct ms_plist_tree **out, struct ms_error *err);
void ms_plist_close(struct ms_plist_tree *tree); /**< takes NULL */

/** The outermost value. */
const struct ms_plist *ms_plist_root(const struct ms_plist_tree *tree);
/** The member of a DICT with that key; NULL when there is none, or for another kind or NULL. */
const struct ms_plist *ms_plist_get(const struct ms_plist *dict, const char *key);

/**
 * Where two values differ, as a path ("keychain-access-groups[1]", "a.b") in `path`; false, with
 * an empty path, when they are equal. The path is cut to `room` bytes with its NUL.
 */
bool ms_plist_differ(const struct ms_plist *a, const struct ms_plist *b, char *path, size_t room);

/** XML as plutil(1) writes it. Control characters, which XML can't hold, come out as U+FFFD. */
void ms_plist_write_xml(struct ms_sink *sink, const struct ms_plist *plist);
/** The tree of `codesign -d --entitlements -`: "[Dict]", "[Key] …", "[Value]", indented by tabs. */
void ms_plist_write_tree(struct ms_sink *sink, const struct ms_plist *plist);
/**
 * One JSON value. DATA comes out as a string in base64, DATE and REAL as strings as written, and
 * so does an integer beyond 2^53.
 */
void ms_plist_write_json(struct ms_json *json, const struct ms_plist *plist);

#ifdef __cplusplus
}
#endif
#endif
