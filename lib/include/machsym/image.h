/**
 * machsym/image.h: one image ready to be asked: a binary and/or a dSYM of one UUID and one
 * architecture, and from an address to its function, its inlined calls, files and lines.
 */
#ifndef MACHSYM_IMAGE_H
#define MACHSYM_IMAGE_H

#include "machsym/debugmap.h"
#include "machsym/macho.h"
#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct ms_image;

/** Which slice of which file. */
struct ms_image_choice {
    /** A thin or fat Mach-O, a .dSYM bundle or the DWARF file in it, an .app, a .framework,
     *  another bundle, or an .xcarchive that holds one app. */
    const char *path;
    const char *arch;           /**< "arm64"; NULL = the only slice */
    const struct ms_uuid *uuid; /**< NULL = any; else decides before arch */
    bool no_companion;          /**< do not look for a dSYM or a binary beside it */
};

/**
 * Opens the slice, and looks beside it for the other half (the dSYM of a binary; the
 * binary of a dSYM when its tables are needed), which is used when its UUID is equal.
 * Opening reads load commands alone.
 * @return MS_ABSENT: no slice of that architecture or UUID, the error lists those there are;
 *         MS_E_ARGUMENT: several slices, and nothing to choose by; MS_E_IO, MS_E_FORMAT
 */
enum ms_status ms_image_open(const struct ms_image_choice *choice, struct ms_image **out,
                             struct ms_error *err);

/**
 * Opens the image of this UUID out of a binary and/or a debug file (one may be NULL), both
 * plain Mach-O files.
 */
enum ms_status ms_image_open_pair(const char *binary, const char *debug, const struct ms_uuid *uuid,
                                  struct ms_image **out, struct ms_error *err);

/** A Mach-O that lies inside a file: a member of a static archive, or an entry of a fileset. */
struct ms_image_inside {
    const char *path;    /**< of the file */
    const char *name;    /**< of what lies inside, for messages; NULL = none */
    /** The bytes that its offsets count in: a member, or the slice that is the fileset. */
    uint64_t off, bytes; /**< off counts from the start of the file */
    uint64_t header_off; /**< where its Mach-O header is, from `off`: 0 but in a fileset */
};

/**
 * Opens it on its own, without looking for a dSYM beside it.
 * @return MS_E_IO, MS_E_FORMAT (also when the file is no longer as long), MS_E_NOMEM
 */
enum ms_status ms_image_open_inside(const struct ms_image_inside *inside, struct ms_image **out,
                                    struct ms_error *err);
void ms_image_close(struct ms_image *image); /**< takes NULL */

/**
 * Where the objects that a debug map names are looked for, when the image has neither DWARF nor
 * a dSYM: to be said before the first look-up. What *search points to is borrowed for as long as
 * the image is open.
 */
void ms_image_set_object_search(struct ms_image *image, const struct ms_object_search *search);

/**
 * Threads that one look-up of many addresses may use, the caller's included: 1 unless this is
 * called, before the first look-up; 0 = as many as the machine has processors. Answers don't
 * depend on it.
 */
void ms_image_set_workers(struct ms_image *image, size_t n);

/**
 * Bounds what is kept from one look-up to the next (units of ms_image_find), and gives pages of the
 * files back while they are gone through, so that about so many bytes of them are resident at a
 * time. To be said before the first look-up. What one look-up needs for its answers is the caller's
 * to bound, by how many addresses it asks for: about a kilobyte each.
 */
void ms_image_set_max_memory(struct ms_image *image, size_t bytes);
/** Gives the pages of the image's files back, which names of answers were read from. */
void ms_image_give_back(const struct ms_image *image);

/** What became of the object files that a debug map led the last look-up to. */
struct ms_image_objects {
    size_t n_used;          /**< whose debug information was read */
    size_t n_failed;        /**< that are missing, stale or damaged */
    enum ms_why why;        /**< of the first of these */
    struct ms_error error;  /**< of the first of these; status MS_OK when there is none */
};
void ms_image_objects(const struct ms_image *image, struct ms_image_objects *out);

/** What is known of an image without looking anything up. Strings live as long as it. */
struct ms_image_info {
    const char *name;         /**< base name of the binary, or of the DWARF file */
    const char *binary_path;  /**< NULL when there is none */
    const char *debug_path;   /**< the dSYM or index, or the binary when it has DWARF; NULL */
    const char *arch;
    bool has_uuid;
    struct ms_uuid uuid;
    uint64_t text_vm, text_bytes;
    uint64_t text_exec_vm;    /**< of __TEXT_EXEC (kernel), text_vm without one */
    bool has_dwarf;
    bool has_index;           /**< a ready index (machsym/pack.h) stands in the place of DWARF */
    uint64_t end_vm;          /**< end of the highest segment that isn't debug information */
    /** A dSYM that lies beside the binary but has another UUID, so that it isn't used. */
    const char *mismatch_path;
    struct ms_uuid mismatch_uuid;
    /** A damaged table; its status is MS_OK when all is well. */
    const struct ms_error *damage;
};
void ms_image_info(const struct ms_image *image, struct ms_image_info *out);

/** Answers to a batch of addresses; see ms_image_find_many. */
struct ms_answers {
    struct ms_answer *items; /**< one an address, in the order asked */
    size_t n;
    /** Messages on units that are broken, at most one each. */
    const struct ms_error *errors;
    size_t n_errors;
    void *storage; /**< owned */
};

/**
 * Looks up addresses as linked, in any order. DWARF answers first; without any, the debug map
 * leads to the DWARF of the object files, which are opened as they are needed. What that does
 * not know is named from the symbol table, else from the metadata of Objective-C and Swift, else
 * from where its function starts.
 * @return MS_E_NOMEM, or MS_E_IO when a file was truncated while it was read
 */
enum ms_status ms_image_find_many(struct ms_image *image, const uint64_t *addresses_vm, size_t n,
                                  struct ms_answers *out, struct ms_error *err);
void ms_answers_fini(struct ms_answers *answers);

/** Says that answer `i` and those behind it will be read, one after the other: what they need is
 *  fetched from memory ahead of that. Nothing but time depends on it. */
void ms_answers_ahead(const struct ms_answers *answers, size_t i);

/**
 * The same for one address at a time: keeps what it read of the unit, so that the next one
 * near it is cheap. *out is zeroed before the first call, reused by each, and freed by
 * ms_answers_fini.
 */
enum ms_status ms_image_find(struct ms_image *image, uint64_t address_vm, struct ms_answers *out,
                             struct ms_error *err);

/**
 * The address of a symbol or function by its name, mangled or (C) plain; MS_ABSENT. The first
 * call reads the whole symbol table, later ones cost next to nothing.
 */
enum ms_status ms_image_find_name(struct ms_image *image, const char *name, uint64_t *address_vm,
                                  struct ms_error *err);

/**
 * The names of code that a linker folded into one: the i-th symbol of the tables that
 * starts at this address, as a frame (linkage, start, source); its strings live as long as
 * the image.
 * @return MS_OK; MS_ABSENT past the last; MS_E_NOMEM
 */
enum ms_status ms_image_alias(struct ms_image *image, uint64_t start_vm, size_t i,
                              struct ms_frame *out, struct ms_error *err);

/** One slice of what a person names as one thing; see ms_slice_uuids_read. */
struct ms_slice_uuid {
    char arch[MS_ARCH_TEXT];
    bool has_uuid;
    struct ms_uuid uuid;
    char *path;          /**< of the file that the slice is in; owned */
    int64_t mtime;       /**< of that file, seconds since 1970 */
    uint64_t file_bytes; /**< size of that file */
    uint32_t filetype;
    bool has_dwarf;      /**< or a ready index in its place */
    uint64_t text_vm;    /**< link address A */
};

/**
 * The slices of a file, of a dSYM, or of the main binary of a bundle: load commands alone.
 * @param out  malloc'ed, freed by ms_slice_uuids_free
 * @return MS_E_IO, MS_E_FORMAT (no Mach-O, or a slice that can't be read)
 */
enum ms_status ms_slice_uuids_read(const char *path, struct ms_slice_uuid **out, size_t *n,
                                   struct ms_error *err);
void ms_slice_uuids_free(struct ms_slice_uuid *slices, size_t n);

/** The counts of ms_image_check. */
struct ms_image_check {
    uint64_t n_units, n_functions, n_inlined; /**< functions and calls: those with code */
    uint64_t n_rows;  /**< of the line tables */
    size_t n_errors;  /**< units and tables that are broken; the first of them in `first` */
    struct ms_error first;
};

/**
 * Decodes all debug information as lookups would: every function, every inlined call,
 * every line program.
 * @return MS_OK however much is broken; MS_ABSENT when the image has no DWARF; MS_E_* when
 *         it cannot be read at all; MS_E_IO when the file was truncated meanwhile
 */
enum ms_status ms_image_check(struct ms_image *image, struct ms_image_check *out,
                              struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
