/**
 * resolve/dwarf_objects.h: the object that a function of a debug map came from, opened.
 */
#ifndef MS_RESOLVE_DWARF_OBJECTS_H
#define MS_RESOLVE_DWARF_OBJECTS_H

#include "base/arena.h"
#include "machsym/image.h"
#include "resolve/oso.h"
#include "resolve/oso_unit.h"

/**
 * @param strings    gets *path
 * @param out        has a reader then; closed by the caller when the status is MS_OK
 * @param object_vm  where the address is in that object
 * @param path       of the object, as it was looked for
 * @return MS_ABSENT: no debug map, no function there, or an object that can't be used; MS_E_NOMEM
 */
enum ms_status ms_image_object_at(struct ms_image *image, uint64_t address_vm,
                                  struct ms_arena *strings, struct ms_oso_part *out,
                                  uint64_t *object_vm, const char **path, struct ms_error *err);

#endif
