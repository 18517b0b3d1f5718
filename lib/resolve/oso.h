/**
 * resolve/oso.h: symbolication without a dSYM. From an address as linked the debug map leads to
 * a function of an object file, and the DWARF of that object answers, at the address that the
 * function has there. Objects are opened when an address asks for them, and kept.
 */
#ifndef MS_RESOLVE_OSO_H
#define MS_RESOLVE_OSO_H

#include "dwarf/dwarf.h"
#include "machsym/image.h"
#include "resolve/names.h"
#include "resolve/oso_unit.h"

/** The debug map of one image, ready to be asked. */
struct ms_oso;

/**
 * @param image   what has the debug map; borrowed, as is `names`, its symbol table
 * @param search  borrowed; may be NULL
 * @return MS_ABSENT: the image has no debug map; MS_E_NOMEM
 */
enum ms_status ms_oso_open(const struct ms_macho *image, struct ms_names *names,
                           const struct ms_object_search *search, struct ms_oso **out,
                           struct ms_error *err);
void ms_oso_close(struct ms_oso *oso); /* takes NULL */
/** Bounds what is kept of all objects' units; see ms_dwarf_set_max_kept. */
void ms_oso_set_max_kept(struct ms_oso *oso, size_t bytes);

/**
 * Looks up addresses as linked, in any order, as ms_dwarf_find_many does: the frames have
 * addresses as linked and MS_SOURCE_DEBUG_MAP. Strings live as long as the struct ms_oso.
 * @param whys  one an address, set where its status is MS_E_* or an object is missing or stale
 * @param keep  one address follows the other: what is read of a unit is worth keeping, and an
 *              object that can't be used is told of once, not in each call
 * @return MS_OK however many objects are missing; MS_E_NOMEM
 */
enum ms_status ms_oso_find(struct ms_oso *oso, const uint64_t *addresses_vm, size_t n, bool keep,
                           struct ms_dwarf_answers *out, enum ms_why *whys, struct ms_error *err);

/** A function of an object: where it is there, and as linked. */
struct ms_oso_place {
    uint64_t object_vm, vm, bytes;
    uint64_t code_bytes; /* as far as the reader's owner knows, without the padding; 0 at first */
    const char *name;    /* in the map, with Mach-O's underscore */
    bool counts; /* for its lines: of functions folded into one, those of one alone are shown */
};

/** One object of the map, opened to be read as a whole. */
struct ms_oso_part {
    struct ms_oso_unit unit;     /* its status says whether it can be read */
    struct ms_oso_place *places; /* of the functions that are found in it, by their object_vm */
    size_t n;
};

/**
 * Opens object i of the map. Nothing of it is kept by *oso.
 * @return MS_OK however unusable the object is: see its unit; MS_ABSENT past the last one or
 *         without functions, *last tells the two apart; MS_E_NOMEM
 */
enum ms_status ms_oso_part_open(struct ms_oso *oso, size_t i, struct ms_oso_part *out, bool *last,
                                struct ms_error *err);
void ms_oso_part_close(struct ms_oso_part *part);

/** What became of the objects that the last ms_oso_find asked. */
void ms_oso_objects(const struct ms_oso *oso, struct ms_image_objects *out);

#endif
