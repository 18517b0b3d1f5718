/**
 * resolve/part.h: one slice of one file, opened: the bricks that an image is made of.
 */
#ifndef MS_RESOLVE_PART_H
#define MS_RESOLVE_PART_H

#include "machsym/macho.h"

struct ms_part {
    struct ms_file *file; /* NULL: this part is absent */
    struct ms_macho macho;
    /* Of a GSYM file alone, whose Mach-O is made up; see part_gsym.h. */
    struct ms_bytes gsym;
    uint8_t *shell;
    char *name; /* of the image */
};

/**
 * Opens the slice with this UUID.
 * @return MS_ABSENT when the file holds no such slice; MS_E_*
 */
enum ms_status ms_part_open_uuid(struct ms_part *part, const char *path, const struct ms_uuid *uuid,
                                 struct ms_error *err);

/**
 * Opens a slice out of several files (those of a dSYM, mostly one): by UUID where it is
 * given; else by architecture, exactly; else the only one there is.
 * @param label  what the user named, for messages
 * @return MS_ABSENT: no slice has that UUID or architecture, the error says which there
 *         are; MS_E_ARGUMENT: several, and nothing to choose by; MS_E_*
 * A GSYM file is of whatever architecture is asked for, since it doesn't tell its own.
 */
enum ms_status ms_part_choose(struct ms_part *part, const char *const *paths, size_t n_paths,
                              const char *label, const char *arch, const struct ms_uuid *uuid,
                              struct ms_error *err);
void ms_part_close(struct ms_part *part);

/** Says that the file is a static archive, which is no image; MS_E_UNSUPPORTED. */
enum ms_status ms_part_fail_archive(const char *label, struct ms_error *err);

/** True when the file holds DWARF that a reader can use: a debug_info section with bytes. */
bool ms_macho_has_dwarf(const struct ms_macho *macho);
/** The same; false for an absent part. */
bool ms_part_has_dwarf(const struct ms_part *part);
/** The ready index that the file holds in the place of DWARF (resolve/pack_shell.h). */
bool ms_macho_index(const struct ms_macho *macho, struct ms_bytes *out);
/** The same, or a GSYM file; false for an absent part. */
bool ms_part_index(const struct ms_part *part, struct ms_bytes *out);

#endif
