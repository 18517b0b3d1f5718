/**
 * runtime/swift_types.h: the records of protocols.
 */
#ifndef MS_RUNTIME_SWIFT_TYPES_H
#define MS_RUNTIME_SWIFT_TYPES_H

#include "runtime/swift.h"

/** The requirements of a protocol: n records of 8 bytes. */
struct ms_swift_requirements {
    uint64_t vm;
    uint32_t n;
    uint64_t types_vm; /**< of the names of its associated types, with spaces between; 0 */
};

/** @return MS_E_FORMAT when there is no protocol at `protocol_vm`, or it is damaged */
enum ms_status ms_swift_requirements_read(struct ms_metadata *m, uint64_t protocol_vm,
                                          struct ms_swift_requirements *out,
                                          struct ms_error *fault);
/** The flags of one of them; index below n. */
enum ms_status ms_swift_requirement_flags(struct ms_metadata *m,
                                          const struct ms_swift_requirements *requirements,
                                          uint32_t index, uint32_t *out, struct ms_error *fault);

#endif
