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
#include "machsym/report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- names of numbers ---------------------------------------------------------------------- */

/** "C99", "C++14", "Swift", … for a DW_LANG_ number; NULL for one that we don't know. */
const char *ms_dwarf_language(uint64_t language);

/** "Mach-O arm64", "Mach-O 64-bit x86-64", …: the file that the DWARF is in, as LLVM calls it. */
const char *ms_image_format(const struct ms_image *image);

/* ---- the objects of a debug map --------------------------------------------------------------- */

/** True for an image whose symbol table names the object files that it was linked from. */
bool ms_image_has_debug_map(struct ms_image *image);

/** An object file that code of the image came from. */
struct ms_map_part {
    const char *path;              /**< as it was looked for: "/obj/libz.a(a.o)" */
    struct ms_image_inside inside; /**< where it is; of one that can't be opened all is 0 */
    bool has_dwarf;
    bool stale;                /**< written anew since it was linked, so that it isn't used */
    enum ms_status status;     /**< MS_OK: it can be opened; else `error` says why it can't */
    struct ms_error error;
};

struct ms_map_parts {
    struct ms_map_part *items; /**< in the order of the debug map */
    size_t n;
    void *storage;             /**< owned */
};

/**
 * The objects of the debug map, each opened for a moment; ms_image_set_object_search says where
 * they are looked for.
 * @param out  overwritten; freed by ms_map_parts_fini
 * @return MS_OK however many are missing; MS_ABSENT without a debug map; MS_E_NOMEM, MS_E_IO
 */
enum ms_status ms_image_map_parts(struct ms_image *image, struct ms_map_parts *out,
                                  struct ms_error *err);
void ms_map_parts_fini(struct ms_map_parts *parts);

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
    const char *object;   /**< the object file that the unit is in; NULL: the image, or its dSYM */
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

/**
 * Writes what is known of an address, in lines that say what they are: the unit, each level
 * of the calls, and its result, parameters and variables.
 * @param shown    the frames of place->levels, as many, made readable by ms_show
 * @param mangled  leave the names of Swift types as they are
 */
void ms_place_write(const struct ms_place *place, const struct ms_shown *shown,
                    uint64_t address_vm, bool mangled, struct ms_sink *sink);

/**
 * The name of a type as a person reads it: of Swift, whose debug information has mangled
 * names, demangled unless `mangled`. snprintf-like: at most `room` bytes with the NUL; returns
 * the length.
 */
size_t ms_type_show(const char *type, bool mangled, char *out, size_t room);

/* ---- how much there is ------------------------------------------------------------------------- */

/** Counts of one unit, or of all. Bytes are of the section __text, each counted once. */
struct ms_cover {
    uint64_t n_functions, n_inlined;  /**< with code */
    uint64_t n_rows;
    uint64_t named_bytes;             /**< in a function with a name */
    uint64_t line_bytes, zero_bytes;  /**< with a line; with line 0, which says there is none */
};

struct ms_unit_cover {
    struct ms_unit_info unit;
    const char *object;               /**< the object file that it is in; NULL: image or dSYM */
    struct ms_cover cover;
    bool broken;                      /**< something of it can't be read: counts stand before that */
};

/** How near a section is to what 32-bit offsets reach. */
struct ms_debug_section {
    char name[17];
    uint64_t off, bytes;              /**< in the slice */
};

struct ms_dwarf_statistics {
    uint64_t text_bytes;              /**< of the section __text; 0 when it isn't known */
    uint64_t symbol_bytes;            /**< of them, in a function that DWARF or a symbol names */
    struct ms_cover total;
    const struct ms_unit_cover *units;      /**< type units and empty ones left out */
    size_t n_units, n_broken;
    const struct ms_debug_section *sections; /**< those of DWARF, in the order of the file */
    size_t n_sections;
    struct ms_error first_fault;      /**< status MS_OK when all is well */
    size_t n_objects, n_missing;      /**< that a debug map led to; of those, that can't be used */
    struct ms_error first_missing;
    void *storage;                    /**< owned */
};

/**
 * Goes through all debug information and tells how much of the code it names; without any, through
 * that of the objects of a debug map, as far as their functions are in the image. Strings live as
 * long as both the image and *out.
 * @return MS_ABSENT without DWARF and debug map; MS_E_*
 */
enum ms_status ms_image_statistics(struct ms_image *image, struct ms_dwarf_statistics *out,
                                   struct ms_error *err);
void ms_dwarf_statistics_fini(struct ms_dwarf_statistics *statistics);
void ms_dwarf_statistics_write(const struct ms_dwarf_statistics *statistics, struct ms_sink *sink);

/** What 32-bit offsets reach, in a section and, for where sections start, in a file. */
#define MS_DWARF32_REACH ((uint64_t)1 << 32)

/** The sections of debug information, malloc'ed, freed by the caller. @return MS_E_NOMEM */
enum ms_status ms_image_debug_sections(struct ms_image *image, struct ms_debug_section **out,
                                       size_t *n, struct ms_error *err);

/* ---- line tables ----------------------------------------------------------------------------- */

struct ms_line_table_file {
    const char *name;     /**< NULL when it can't be read */
    uint64_t dir;         /**< index of its directory */
    uint64_t mtime, bytes;
    uint8_t md5[16];
    const char *source;   /**< its text, where the table has it */
};

/** The head of one table of .debug_line. Borrowed until the next one is asked for. */
struct ms_line_table {
    uint64_t off;         /**< in .debug_line */
    uint64_t length, header_length;
    bool is_64;           /**< the 64-bit format */
    uint16_t version;
    uint8_t address_size, segment_size; /**< version 5 */
    uint8_t min_inst_length, max_ops, default_is_stmt;
    int8_t line_base;
    uint8_t line_range, opcode_base;
    struct ms_bytes opcode_lengths; /**< opcode_base - 1 of them */
    const char *const *dirs;
    size_t n_dirs;
    const struct ms_line_table_file *files;
    size_t n_files;
    bool has_mtime, has_bytes, has_md5, has_source;
    /** What was wrong with the head: then there are no rows; status MS_OK when all is well. */
    struct ms_error damage;
};

/** One row: all registers of the line number machine (DWARF 5 §6.2.2). */
struct ms_line_row {
    uint64_t address;
    uint32_t line, column, file, isa, discriminator;
    uint8_t op_index;
    bool is_stmt, basic_block, prologue_end, epilogue_begin, end_sequence;
};

struct ms_line_tables;

/** @return MS_ABSENT: the image has no .debug_line; MS_E_* */
enum ms_status ms_image_lines_open(struct ms_image *image, struct ms_line_tables **out,
                                   struct ms_error *err);
void ms_line_tables_close(struct ms_line_tables *tables); /**< takes NULL */

/**
 * The next table in the order of the section, whether a unit names it or not.
 * @return MS_OK, also for a damaged one; MS_ABSENT after the last one; MS_E_FORMAT when a
 *         length can't be believed, after which there is none; MS_E_NOMEM
 */
enum ms_status ms_line_tables_next(struct ms_line_tables *tables, struct ms_line_table *out,
                                   struct ms_error *err);
/**
 * The next row of that table. False at its end, which a fault also is.
 * @param fault  its status tells: MS_OK at the end
 */
bool ms_line_rows_next(struct ms_line_tables *tables, struct ms_line_row *out,
                       struct ms_error *fault);

/** Writes a table's head as llvm-dwarfdump --debug-line does. */
void ms_line_table_write(const struct ms_line_table *table, struct ms_sink *sink);
/** The two lines above the rows, and one row. */
void ms_line_row_write_heading(struct ms_sink *sink);
void ms_line_row_write(const struct ms_line_row *row, struct ms_sink *sink);

#ifdef __cplusplus
}
#endif
#endif
