/**
 * machsym/dwarf.h: looking inside the debug information of an image: what is known of one
 * address down to the types of its variables, the line tables row by row, and how much of
 * the code all of it covers.
 *
 * Source of the format: DWARF 2 to 5, http://dwarfstd.org.
 */
#ifndef MACHSYM_DWARF_H
#define MACHSYM_DWARF_H

#include "machsym/image.h"
#include "machsym/output.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names of numbers ---------------------------------------------------------------------- */

/** "C99", "C++14", "Swift", … for a DW_LANG_ number; NULL for one that we don't know. */
const char *ms_dwarf_language(uint64_t language);

/* ---- one address ----------------------------------------------------------------------------- */

/** A parameter or a variable. Strings live as long as the struct ms_place. */
struct ms_place_variable {
    const char *name;     /**< NULL when it has none */
    const char *type;     /**< as its source would write it; "void" never stands here; NULL */
    uint32_t line;        /**< of its declaration; 0 = unknown */
    bool artificial;      /**< made by the compiler: `this`, `self` */
};

/** One level of the calls at an address: as a frame, and what the function works with. */
struct ms_place_level {
    struct ms_frame frame;
    uint64_t die_off;       /**< of its DIE, in .debug_info; 0 where only a symbol names it */
    const char *type;       /**< of its result; NULL for none */
    const struct ms_place_variable *parameters; /**< all that it was declared with */
    size_t n_parameters;
    bool more_parameters;   /**< "..." */
    const struct ms_place_variable *variables;  /**< locals in scope at the address */
    size_t n_variables;
    bool cut;               /**< there are more variables than can be told */
};

/** What a unit says of itself. Strings are NULL, numbers 0, where it doesn't. */
struct ms_unit_info {
    uint64_t off;         /**< in .debug_info */
    unsigned version;     /**< of DWARF, 2 to 5 */
    uint64_t language;    /**< DW_LANG_ number */
    const char *name, *comp_dir, *producer;
};

/** All that is known of one address. */
struct ms_place {
    bool has_unit;
    struct ms_unit_info unit;
    const struct ms_place_level *levels; /**< innermost first */
    size_t n_levels;
    enum ms_why why;
    struct ms_error damage; /**< of the unit that covers it; status MS_OK when all is well */
    void *storage;          /**< owned */
};

/**
 * Looks one address up (as linked), and reads the DIEs of the functions there: parameters
 * with types, and the variables of the blocks that hold it. Of the whole unit only where its
 * namespaces and types start is read.
 * @param out  overwritten; freed by ms_place_fini
 * @return MS_OK also when nothing is known: n_levels is 0 and `why` says why; MS_E_NOMEM,
 *         MS_E_IO
 */
enum ms_status ms_image_place(struct ms_image *image, uint64_t address_vm, struct ms_place *out,
                              struct ms_error *err);
void ms_place_fini(struct ms_place *place);

#ifdef __cplusplus
}
#endif
#endif
