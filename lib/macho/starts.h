/**
 * macho/starts.h: LC_FUNCTION_STARTS, one address after the other.
 * Source: the payload is ULEB128 differences, the first from __TEXT's address; 0 ends it
 * (mach-o/loader.h, and what ld64 and lld write).
 */
#ifndef MS_MACHO_STARTS_H
#define MS_MACHO_STARTS_H

#include "base/cursor.h"
#include "base/error.h"
#include "machsym/macho.h"

struct ms_starts {
    struct ms_cursor cursor;
    uint64_t sum;  /* with its Thumb bit, which the next difference counts from */
    uint64_t last; /* the address given out last; meaningful when `any` */
    uint64_t max;  /* highest address that the image can have */
    uint64_t mask; /* clears the Thumb bit of 32-bit ARM */
    bool any;
    bool damaged; /* ended before its end */
};

void ms_starts_open(const struct ms_macho *macho, struct ms_starts *out);
/** The next address, higher than all before; false after the last. */
bool ms_starts_next(struct ms_starts *starts, uint64_t *address_vm);
/** At most so many addresses come. */
size_t ms_starts_bound(const struct ms_macho *macho);
/** Says in *err how the list is damaged; only for one with `damaged` set. */
enum ms_status ms_starts_fail(const struct ms_starts *starts, const struct ms_macho *macho,
                              struct ms_error *err);

/** All bits, but for the Thumb bit in 32-bit ARM. */
static inline uint64_t ms_code_mask(const struct ms_macho *macho)
{
    return macho->cputype == MS_CPU_ARM ? ~(uint64_t)1 : ~(uint64_t)0;
}

#endif
