/**
 * machsym/inits.h: the static initialisers of an image: everything of it that runs before
 * main does, or while dlopen loads it, in the order in which dyld runs it.
 *
 * Source: mach-o/loader.h (S_MOD_INIT_FUNC_POINTERS, S_INIT_FUNC_OFFSETS, LC_ROUTINES), and what
 * dyld and objc4 do: +load of classes, superclasses first; +load of categories; LC_ROUTINES;
 * sections of pointers; sections of offsets.
 */
#ifndef MACHSYM_INITS_H
#define MACHSYM_INITS_H

#include "machsym/image.h"
#include "machsym/macho.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What makes a function run, in the order in which they come. */
enum ms_init_kind {
    MS_INIT_LOAD_CLASS,    /**< +load of an Objective-C class */
    MS_INIT_LOAD_CATEGORY, /**< +load of a category */
    MS_INIT_ROUTINE,       /**< LC_ROUTINES, LC_ROUTINES_64: the linker's -init */
    MS_INIT_POINTER,       /**< a pointer of a section of type 9, mostly __mod_init_func */
    MS_INIT_OFFSET         /**< an offset of a section of type 0x16, mostly __init_offsets */
};
/** "load-class", "load-category", "routine", "pointer", "offset". */
const char *ms_init_kind_name(enum ms_init_kind kind);

/** One initialiser. Strings are borrowed from the image, or from the list. */
struct ms_init {
    enum ms_init_kind kind;
    bool has_address;
    uint64_t vm;              /**< of its first instruction, without a Thumb bit */
    uint64_t entry_vm;        /**< where the list, section or class that names it has it */
    const struct ms_section *section; /**< that holds the entry; NULL for LC_ROUTINES */
    const char *class_name;   /**< of +load, as in the metadata; NULL when it can't be read */
    const char *category;     /**< of a category's +load */
    const char *import;       /**< the symbol that a pointer is bound to, in another image */
    const struct ms_error *fault; /**< why it has no address; NULL when all is well */
};

struct ms_inits {
    struct ms_init *items;    /**< in the order in which they run */
    size_t n;
    /** The first section that could not be read, status MS_OK when all could. Its other
     *  entries are there. */
    struct ms_error damage;
    void *storage;            /**< owned */
};

/**
 * Lists the initialisers of a thin image.
 * @param out  overwritten; freed by ms_inits_fini, before *macho
 * @return MS_OK also when there are none, or some are damaged; MS_E_UNSUPPORTED for a dSYM, which
 *         has the headers of these sections and not their bytes; MS_E_NOMEM
 */
enum ms_status ms_inits_read(const struct ms_macho *macho, struct ms_inits *out,
                             struct ms_error *err);
void ms_inits_fini(struct ms_inits *inits);

/** The same for the binary of an image. */
enum ms_status ms_image_inits(struct ms_image *image, struct ms_inits *out, struct ms_error *err);

/**
 * The source file that a compiler's initialiser is named after: "X.cpp" of
 * "_GLOBAL__sub_I_X.cpp" (clang, gcc; with or without Mach-O's underscore). NULL for others.
 */
const char *ms_init_source(const char *symbol);

/** A variable that an initialiser computes. */
struct ms_init_variable {
    /** linkage and name of the variable, and where it is declared; as a frame, so that ms_show
     *  makes it readable. Strings live as long as the image. */
    struct ms_frame frame;
    bool has_address;
    uint64_t vm; /**< of the variable; meaningful when has_address */
};

/** The variables of a list of initialisers. */
struct ms_init_variables {
    struct ms_init_variable *items;
    size_t n;
    /** Those of inits->items[i] are items[first[i]] to items[first[i + 1] - 1]. */
    size_t *first;
};

/**
 * The global and static variables that each initialiser computes, as far as debug information
 * tells for certain. A compiler puts the code for one variable into a function of its own
 * (__cxx_global_var_init), which is inlined into the initialiser or called by it: the variable is
 * the one of the unit that is declared on a line of that code, when there is just one.
 * @param out  overwritten; freed by ms_init_variables_fini
 * @return MS_OK also when none is known; MS_E_NOMEM, MS_E_IO
 */
enum ms_status ms_image_init_variables(struct ms_image *image, const struct ms_inits *inits,
                                       struct ms_init_variables *out, struct ms_error *err);
void ms_init_variables_fini(struct ms_init_variables *variables);

#ifdef __cplusplus
}
#endif
#endif
