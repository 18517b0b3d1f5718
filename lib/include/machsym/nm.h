/**
 * machsym/nm.h: the symbol table of one image as nm(1) prints it, and as JSON.
 *
 * Source of the layouts: cctools' nm and llvm-nm. Where they differ cctools' is kept; the list
 * stands in tests/oracle/compare-nm.
 */
#ifndef MACHSYM_NM_H
#define MACHSYM_NM_H

#include "machsym/macho.h"
#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_nm_format {
    MS_NM_BSD,    /**< "0000000100000f20 T _main" */
    MS_NM_DARWIN, /**< -m: "0000000100000f20 (__TEXT,__text) external _main" */
    MS_NM_POSIX,  /**< -P: "_main T 100000f20 0" */
    MS_NM_NAMES,  /**< -j: "_main" */
    MS_NM_HEX     /**< -x: the fields of the nlist entry in hexadecimal, and the name */
};

enum ms_nm_order {
    MS_NM_BY_NAME,    /**< by the bytes of the mangled name, then by value */
    MS_NM_BY_ADDRESS, /**< undefined ones first, then by value, then by name */
    MS_NM_AS_FILED    /**< as the table has them */
};

/** What to show, and how. All zero is what nm shows without options. */
struct ms_nm_options {
    enum ms_nm_format format;
    enum ms_nm_order order;
    bool reverse;
    bool stabs;          /**< -a: debugging entries, too */
    bool external_only;  /**< -g */
    bool defined_only;   /**< -U */
    bool undefined_only; /**< -u */
    bool no_weak;        /**< -W */
    unsigned radix;      /**< of values: 8, 10 or 16; 0 = 16 */
    /** -s: symbols of this section alone; both or neither. Undefined ones are of none. */
    const char *segment, *section;
    bool demangle;
    unsigned demangle_style; /**< of enum ms_demangle_style */
    const char *prefix;      /**< -o: put before each line as it is; NULL for nothing */
};

/** What came of it. */
struct ms_nm_result {
    uint32_t n_symbols; /**< entries of the symbol table */
    uint32_t n_shown;
    uint32_t n_bad_names; /**< of those shown, names that lie outside the string table */
};

/**
 * Writes one line a symbol. Names of the file have control characters as '?', so that none can
 * pass for a line of the answer.
 *
 * Takes time in proportion to the table and its names, n log n for sorting.
 * @return MS_OK, also when single names are bad or were cut, because the table spells the same
 *         bytes over and over: `err->status` is then MS_E_FORMAT or MS_E_LIMIT, else MS_OK.
 *         MS_E_NOMEM, before anything was written. A sink that fails is its owner's to report.
 */
enum ms_status ms_nm_write(const struct ms_macho *macho, const struct ms_nm_options *options,
                           struct ms_sink *sink, struct ms_nm_result *out, struct ms_error *err);

/**
 * The same as an array of objects, one a symbol, as machsym(5) lists their members; `format`,
 * `radix` and `prefix` don't matter. Where it fails for memory the array is there, empty.
 */
enum ms_status ms_nm_write_json(const struct ms_macho *macho, const struct ms_nm_options *options,
                                struct ms_json *json, struct ms_nm_result *out,
                                struct ms_error *err);

#ifdef __cplusplus
}
#endif
#endif
