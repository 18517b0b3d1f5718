/**
 * machsym/pack.h: ready indexes: all that a dSYM says of its code, several times smaller and
 * without any reading ahead of an answer. An index is used like the dSYM it was made of: files
 * with its UUID are found by ms_image_open and the symbolizer.
 *
 * Source of the formats: `msym` is this library's own, machsym(5) describes it; GSYM is LLVM's
 * (llvm/DebugInfo/GSYM), version 1.
 */
#ifndef MACHSYM_PACK_H
#define MACHSYM_PACK_H

#include "machsym/image.h"
#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_pack_format {
    MS_PACK_MSYM, /**< answers as the dSYM does, to the last column */
    MS_PACK_GSYM  /**< what LLVM's tools read: one name a function, no columns */
};

struct ms_pack_options {
    enum ms_pack_format format;
    size_t n_workers; /**< threads; 0 = as many as the machine has processors */
    /** Only functions that hold one of these addresses (as linked, ascending); NULL = all.
     *  Names, files and lines of others are not in the index then. */
    const uint64_t *only;
    size_t n_only;
};

struct ms_pack_result {
    uint64_t n_bytes;           /**< of the whole file */
    uint64_t n_units, n_broken; /**< of the DWARF; what broken ones lack, the index lacks */
    uint64_t n_functions;       /**< stretches of code with a function of their own, or lines */
    struct ms_error first_fault; /**< status MS_OK when n_broken is 0 */
};

/**
 * Makes an index of the image and writes it to `sink`. Reads all debug information once, unit by
 * unit, on several threads; the same input always makes the same bytes.
 * @return MS_ABSENT: the image has no DWARF; MS_E_UNSUPPORTED (a big-endian image), MS_E_LIMIT,
 *         MS_E_NOMEM; MS_E_IO: the file was truncated meanwhile, or `sink` failed
 */
enum ms_status ms_image_pack(struct ms_image *image, const struct ms_pack_options *options,
                             struct ms_sink *sink, struct ms_pack_result *result,
                             struct ms_error *err);

/** What an index says of itself. */
struct ms_pack_info {
    enum ms_pack_format format;
    uint64_t n_functions;
    bool partial; /**< made for some addresses alone */
    bool broken;  /**< a unit of the dSYM couldn't be read */
};

/**
 * Reads a whole index: its checksums and every record.
 * @return MS_ABSENT when the image has no index; MS_E_FORMAT with the first fault
 */
enum ms_status ms_image_check_index(struct ms_image *image, struct ms_pack_info *out,
                                    struct ms_error *err);

/**
 * Which image a GSYM file is of. Such a file is no Mach-O: ms_macho_parse takes none.
 * @param name  for messages
 * @param out   all zeros when the file has no UUID, or one of another length than Mach-O's
 * @return MS_ABSENT: these bytes are no GSYM file; MS_E_FORMAT, MS_E_UNSUPPORTED, MS_E_NOMEM
 */
enum ms_status ms_gsym_identify(struct ms_bytes file, const char *name, struct ms_uuid *out,
                                struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
