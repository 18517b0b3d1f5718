/**
 * dwarf/dwarf.h: from an address to its function, every call inlined there, and their
 * files and lines. Speaks of section bytes only: no paths, no Mach-O.
 *
 * Sources: DWARF 2 to 5 (http://dwarfstd.org), Apple's and LLVM's practice where a
 * comment says so.
 */
#ifndef MS_DWARF_DWARF_H
#define MS_DWARF_DWARF_H

#include "base/error.h"

/** What comes into memory with one byte: Linux maps sixteen pages at once. */
enum { MS_TOUCH_BYTES = 64 << 10 };

/** The sections of one image, each empty when absent. Borrowed for the life of the reader. */
struct ms_dwarf_sections {
    struct ms_bytes abbrev, addr, aranges, info, line, line_str, ranges, rnglists, str, str_offsets,
        types;
    struct ms_bytes loc, loclists;      /* where variables are: no look-up needs it */
    struct ms_bytes apple_names, names; /* __apple_names, .debug_names: a look-up may use them */
    bool big;                           /* byte order */
    uint8_t address_size;               /* of the image: 4 or 8, where a unit does not say */
    /** Half-open code ranges of the image, ascending, disjoint, to tell code from
     *  tombstones; may be NULL: then nothing starts at 0, which an object file's code
     *  does. */
    const struct ms_dwarf_range *code;
    size_t n_code;
    const char *where; /* "App.dSYM (arm64)", for messages; borrowed */
    /** Told how much of the sections has just been gone through, so that whoever maps them can give
     *  pages back; by each thread of a request. NULL: nobody wants to know. */
    void (*went_through)(void *owner, uint64_t bytes);
    void *owner;
    /** Told of each unit that a batch has done with, but for strings that stand in it; by each
     *  thread. NULL: nobody wants to know. */
    void (*done_with)(void *owner, struct ms_bytes unit);
    void *done_owner;
};

struct ms_dwarf_range {
    uint64_t low, high; /* half-open, _vm */
};

/** Abbreviation tables shared by offset, indexes made lazily. Serves one thread at a time. */
struct ms_dwarf;

/**
 * Prepares a reader; touches nothing but the unit headers it needs later. Cheap.
 * @return MS_ABSENT when there is no debug_info; MS_E_NOMEM
 */
enum ms_status ms_dwarf_open(const struct ms_dwarf_sections *sections, struct ms_dwarf **out,
                             struct ms_error *err);
void ms_dwarf_close(struct ms_dwarf *dwarf); /* takes NULL */

/** What is known of one address. */
struct ms_dwarf_hit {
    /** MS_OK: frames are there. MS_ABSENT: no unit covers it, or its unit knows neither a
     *  function nor a line for it. MS_E_*: the unit that covers it is broken; frames may
     *  still hold what could be read. */
    enum ms_status status;
    uint32_t n_frames;
    uint32_t error;          /* index into .errors when status is MS_E_*, else 0 */
    struct ms_frame *frames; /* innermost first; they live as long as the answers */
    bool final;              /* names are as they are shown, and the outermost frame has one */
    uint64_t row_vm; /* where the line table's row starts; meaningful when there are frames */
};

/**
 * Answers to a batch. The innermost frame has the line table's location, each outer one
 * the call site of the frame inside it. `source` is MS_SOURCE_DWARF. A frame without
 * linkage and name means: the line is known, the function is not. Strings are borrowed
 * from the sections. start_vm is the entry: DW_AT_entry_pc, else the low pc, else where the
 * first range starts; a part that stands before the entry has no start.
 * Of functions that overlap, the one whose range that holds the address is smallest counts;
 * of equal ones the first.
 */
struct ms_dwarf_answers {
    struct ms_dwarf_hit *hits; /* as many as addresses, in the order asked */
    size_t n_hits;
    struct ms_error *errors; /* one a broken unit, not one an address */
    size_t n_errors;
    void *storage;
};

/**
 * Looks up a batch of addresses_vm, in any order, duplicates allowed: sorts them, finds
 * their units (.debug_aranges, else the units' own ranges), then makes one streaming pass
 * over the DIEs and the line program of each unit needed, storing hits only.
 * Nothing of a unit is kept afterwards: for one-by-one queries see ms_dwarf_find. Where there is
 * enough to do, the units are shared out among the threads that ms_dwarf_set_workers allows;
 * answers don't depend on how many there are.
 * @param out  zeroed before the first call, freed by ms_dwarf_answers_fini
 * @return MS_OK however many units are broken: see the hits; MS_E_NOMEM; MS_E_LIMIT for
 *         2^32 addresses or more
 */
enum ms_status ms_dwarf_find_many(struct ms_dwarf *dwarf, const uint64_t *addresses_vm, size_t n,
                                  struct ms_dwarf_answers *out, struct ms_error *err);
void ms_dwarf_answers_fini(struct ms_dwarf_answers *answers);

/**
 * Looks up one address and keeps a compact index of the unit it touched (functions,
 * lines), so that the next one in it is cheap. `out` is reused from call to call: it must
 * be zeroed before the first, and is freed by ms_dwarf_answers_fini.
 * The bytes kept are bounded by ms_dwarf_set_max_kept (default 64 MiB): oldest unit first.
 */
enum ms_status ms_dwarf_find(struct ms_dwarf *dwarf, uint64_t address_vm,
                             struct ms_dwarf_answers *out, struct ms_error *err);
/** Threads that one call may use, the caller's included: 1 at first. */
void ms_dwarf_set_workers(struct ms_dwarf *dwarf, size_t n);
void ms_dwarf_set_max_kept(struct ms_dwarf *dwarf, size_t bytes);

/** What a symbol table knows of the function that has an address. */
struct ms_dwarf_hint {
    uint64_t start_vm;
    uint32_t first_name, n_names; /* of all symbols there; 0 names: nothing is known */
};

/** Of a batch; both arrays are malloc'ed, the names as DWARF has them borrowed. */
struct ms_dwarf_hints {
    struct ms_dwarf_hint *items; /* one an address */
    const char **names;
};

/** Who may be asked for them. */
struct ms_dwarf_hinter {
    void *owner;
    /** What a question takes: the bytes of DIEs that are passed by in that time. */
    uint64_t cost;
    bool always; /* for tests: whether it pays or not */
    /** @param addresses_vm  ascending, each once
     *  @return MS_OK, or MS_ABSENT when nothing is known; MS_E_NOMEM. Else than with MS_OK *out
     *          stays empty */
    enum ms_status (*ask)(void *owner, const uint64_t *addresses_vm, size_t n,
                          struct ms_dwarf_hints *out, struct ms_error *err);
};
/**
 * Where a batch asks few addresses of large units, it finds functions by their names if there is a
 * table of these, and somebody to ask for names: copied; NULL: nobody. Answers to a sound file
 * are the same. Of a damaged unit the faults that stand elsewhere than in these functions aren't
 * told then.
 */
void ms_dwarf_set_hinter(struct ms_dwarf *dwarf, const struct ms_dwarf_hinter *hinter);
/** Who is told what is gone through, from now on: see struct ms_dwarf_sections. */
void ms_dwarf_set_meter(struct ms_dwarf *dwarf, void (*went_through)(void *owner, uint64_t bytes),
                        void *owner);

/** Who is told of units that a batch has done with, from now on. */
void ms_dwarf_set_done(struct ms_dwarf *dwarf, void (*done_with)(void *owner, struct ms_bytes unit),
                       void *owner);

/** What ms_dwarf_check went through. */
struct ms_dwarf_counts {
    uint64_t n_units, n_type_units;
    uint64_t n_dies, n_functions, n_inlined; /* with code; n_dies: all */
    uint64_t n_sequences, n_rows;
    uint64_t n_broken; /* units with a fault */
};

/** Gets the first fault of a unit; false stops the check. */
typedef bool (*ms_dwarf_fault_taker)(void *owner, const struct ms_error *fault);

/**
 * Decodes every unit as a look-up would: all DIEs, the ranges and names of all functions
 * and inlined calls, all files, all rows; and the sets of .debug_aranges.
 * @param take   called for each broken unit and table, in the order of the section; may
 *               be NULL
 * @param out    the counts, of what stands before each fault too
 * @return MS_OK when it came to the end, however many units are broken; MS_E_NOMEM;
 *         MS_ABSENT when `take` stopped it
 */
enum ms_status ms_dwarf_check(struct ms_dwarf *dwarf, ms_dwarf_fault_taker take, void *owner,
                              struct ms_dwarf_counts *out, struct ms_error *err);

#endif
