/**
 * machsym/otool.h: what otool shows of a Mach-O image: header, load commands, libraries,
 * indirect symbols and the bytes of sections, in the layout of cctools' otool or as JSON.
 *
 * Nothing here needs an image that is sound throughout: each function shows what it can and
 * then says what is wrong, so that damaged files can be looked at, too.
 *
 * Source of the format: Apple's mach-o/loader.h, mach-o/fat.h and mach/machine/thread_status.h;
 * of the layout: cctools' otool(1).
 */
#ifndef MACHSYM_OTOOL_H
#define MACHSYM_OTOOL_H

#include "machsym/macho.h"
#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Writes the local date of `seconds` since 1970 as ctime(3) does, without a line end. */
typedef void ms_otool_date(int64_t seconds, char out[32]);

/** How it is shown. */
struct ms_otool_style {
    bool verbose;        /**< -v: names for numbers */
    bool very_verbose;   /**< -V: symbols, too */
    bool bare;           /**< -X: no headings and no addresses */
    ms_otool_date *date; /**< NULL: dates are in UTC */
};

/** Where it goes: to `json` when that isn't NULL, else as text to `sink`. */
struct ms_otool_out {
    struct ms_sink *sink;
    struct ms_json *json;
    const struct ms_otool_style *style;
};

/** The Mach-O header, the fields in the order of the file. */
struct ms_otool_image {
    struct ms_bytes bytes; /**< the slice */
    bool is64, big;
    uint32_t magic; /**< 0xfeedface or 0xfeedfacf, whatever the byte order */
    uint32_t cputype, cpusubtype, filetype, n_commands, command_bytes, flags;
    char where[160]; /**< for messages */
};

/**
 * Reads the header of a thin Mach-O and nothing else.
 * @param slice  borrowed for as long as *out is used
 * @return MS_E_FORMAT: no Mach-O, or not even a whole header
 */
enum ms_status ms_otool_open(struct ms_bytes slice, const char *name, struct ms_otool_image *out,
                             struct ms_error *err);

/** -h. In JSON: the members of an object that the caller has opened. */
void ms_otool_header(const struct ms_otool_image *image, const struct ms_otool_out *out);

/**
 * -l: every load command up to the first that leaves the file. In JSON: an array.
 * @return MS_E_FORMAT: the list is broken there, at the command and offset the error names
 */
enum ms_status ms_otool_commands(const struct ms_otool_image *image, const struct ms_otool_out *out,
                                 struct ms_error *err);

/**
 * -L, or with `only_id` -D: the libraries that are loaded, the image's own name first. In JSON:
 * an array of objects, or with `only_id` a member "id" of the object that the caller has opened,
 * if there is one.
 * @return as ms_otool_commands
 */
enum ms_status ms_otool_libraries(const struct ms_otool_image *image, bool only_id,
                                  const struct ms_otool_out *out, struct ms_error *err);

/** -f of a fat file. In JSON: the members of an object that the caller has opened. */
void ms_otool_fat(const struct ms_fat *fat, const struct ms_otool_out *out);

/**
 * -a: the header of the member that begins at `off` of an archive, in one line; -v: with names,
 * -V: with `off` before it. Text alone.
 * @return where the next member begins; 0 when there is no whole header at `off`
 */
uint64_t ms_otool_archive_header(const struct ms_archive *archive, uint64_t off,
                                 const struct ms_otool_out *out);

/** -I: the symbols of stubs and pointers. Text alone. */
void ms_otool_indirect(const struct ms_macho *macho, const struct ms_otool_out *out);

/** -G: the table of data in code. Text alone. */
void ms_otool_data_in_code(const struct ms_macho *macho, const struct ms_otool_out *out);

/**
 * The bytes of a section, by its kind with `verbose` (strings, numbers, pointers), else in rows
 * of 16. In JSON: an object; "bytes" is hexadecimal.
 * @return MS_E_FORMAT: it lies outside the file
 */
enum ms_status ms_otool_section(const struct ms_macho *macho, const struct ms_section *section,
                                const struct ms_otool_out *out, struct ms_error *err);

/** -P: the text of (__TEXT,__info_plist), nothing when there is none. Text alone. */
enum ms_status ms_otool_info_plist(const struct ms_macho *macho, const struct ms_otool_out *out,
                                   struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
