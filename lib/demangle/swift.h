/*
 * demangle/swift.h: Swift names: read into a tree, printed from it in either style, described.
 */
#ifndef MS_DEMANGLE_SWIFT_H
#define MS_DEMANGLE_SWIFT_H

#include "base/text.h"
#include "demangle/swift_node.h"
#include "machsym/demangle.h"

enum {
    MS_SWIFT_DEPTH = 768,    /* levels that are printed; real: 40 */
    MS_SWIFT_REPEAT = 2048,  /* of one substitution */
    MS_SWIFT_WORDS = 26,     /* of identifiers, that later ones can refer to: the format's */
    MS_SWIFT_ARENA = 1 << 26 /* bytes of nodes; real names: 2 to 20 kB */
};

/**
 * Reads a whole name, of any of the prefixes of MS_MANGLING_SWIFT, without Mach-O's underscore.
 * Texts of nodes lie in the arena or in `name`, which must live as long.
 * Never recurses deeper than a fixed number, and takes time linear in n.
 * @return the GLOBAL node (for _Tt…: a GLOBAL with the TYPE), or NULL with *fault filled
 */
struct ms_swift_node *ms_swift_read(struct ms_arena *arena, const char *name, size_t n,
                                    struct ms_name_fault *fault);

/** _Tt…: what is behind those three characters. Called by ms_swift_read. */
struct ms_swift_node *ms_swift_read_old_type(struct ms_arena *arena, const char *name, size_t n,
                                             struct ms_name_fault *fault);

/**
 * A name within a name, as the payloads of specialisations have it. NULL when it isn't one.
 * Called by the printer, `depth` levels down.
 */
struct ms_swift_node *ms_swift_read_nested(struct ms_arena *arena, const char *name, size_t n);

/**
 * Appends the name as swift-demangle prints it, or, by the flags of enum ms_demangle_style, in
 * another style. The arena is for names within the name.
 * @return MS_NAME_FINE; TOO_LARGE when it is too deep or too long, or memory is out; MALFORMED when
 *         a node has none that it needs: what was appended is worthless then
 */
enum ms_name_fault_kind ms_swift_print(struct ms_arena *arena, const struct ms_swift_node *root,
                                       unsigned style, struct ms_text *out);

/** Fills kind, module and the flags of *out (and nothing else of it). */
void ms_swift_describe(const struct ms_swift_node *root, struct ms_name *out);

#endif
