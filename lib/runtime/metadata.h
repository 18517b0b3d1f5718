/**
 * runtime/metadata.h: reading records of the runtimes' metadata at addresses as linked: pointers,
 * offsets that count from where they stand, and strings.
 */
#ifndef MS_RUNTIME_METADATA_H
#define MS_RUNTIME_METADATA_H

#include "base/arena.h"
#include "macho/fixups.h"

enum {
    MS_MAX_METADATA = 1 << 22,        /* methods, types, witnesses … of an image; real: 500,000 */
    MS_MAX_METADATA_STRING = 1 << 14, /* a name; real: 800 */
    MS_MAX_METADATA_FAULTS = 256      /* told one by one; the others share the last */
};

struct ms_metadata {
    const struct ms_macho *macho;
    struct ms_fixups *fixups;
    struct ms_arena arena; /* faults and names that were put together */
    size_t n_faults;
    const struct ms_error *last_fault;
    /* What records may still spell, in proportion to the file: they can lie on each other, and
     * name the same long string many times over. */
    uint64_t steps_left, text_left;
    struct ms_metadata_range *code; /* sections of code, sorted */
    size_t n_code;
};

struct ms_metadata_range {
    uint64_t low, high;
};

enum ms_status ms_metadata_open(const struct ms_macho *macho, struct ms_metadata *out,
                                struct ms_error *err);
void ms_metadata_close(struct ms_metadata *metadata); /* takes one that is zeroed */

/** A copy of the fault that lives as long as *m; NULL without memory. */
const struct ms_error *ms_metadata_fault(struct ms_metadata *m, const struct ms_error *fault);

/** Takes one record off the budget. @return MS_E_LIMIT */
enum ms_status ms_metadata_step(struct ms_metadata *m, struct ms_error *fault);

/** The address of the n-th pointer behind `vm`. */
uint64_t ms_metadata_field(const struct ms_metadata *m, uint64_t vm, unsigned n);

/**
 * The pointer at `slot_vm`: its target, or 0 with *import set to the symbol it is bound to.
 * @return MS_ABSENT when it is null; MS_E_FORMAT when there is none; MS_E_NOMEM, …
 */
enum ms_status ms_metadata_pointer(struct ms_metadata *m, uint64_t slot_vm, uint64_t *out,
                                   const char **import, struct ms_error *fault);
/** The same where another image's symbol is none that serves: MS_E_FORMAT. */
enum ms_status ms_metadata_follow(struct ms_metadata *m, uint64_t slot_vm, uint64_t *out,
                                  struct ms_error *fault);

enum ms_status ms_metadata_u32(const struct ms_metadata *m, uint64_t vm, uint32_t *out,
                               struct ms_error *fault);
/** The target of the 32-bit offset at `vm`, which counts from there; 0 when the offset is 0. */
enum ms_status ms_metadata_relative(const struct ms_metadata *m, uint64_t vm, uint64_t *out,
                                    struct ms_error *fault);
/** The same, but an offset whose low bit is set leads to a pointer to it: as ms_metadata_pointer.
 */
enum ms_status ms_metadata_indirect(struct ms_metadata *m, uint64_t vm, uint64_t *out,
                                    const char **import, struct ms_error *fault);

/** The NUL-terminated string at `vm`, borrowed; NULL when there is none, or too much was read. */
const char *ms_metadata_string(struct ms_metadata *m, uint64_t vm);

/** The address of code without the Thumb bit. */
uint64_t ms_metadata_code(const struct ms_metadata *m, uint64_t vm);
/** Is there code? */
bool ms_metadata_is_code(const struct ms_metadata *m, uint64_t vm);

#endif
