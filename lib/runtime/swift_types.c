/*
 * Types and protocols of an image. Layouts: Swift's Metadata.h, TargetContextDescriptor and what
 * is derived from it.
 */
#include "runtime/swift_types.h"

#include "base/array.h"

#include <string.h>

enum {
    REQUIREMENT_BYTES = 8,
    SIGNATURE_BYTES = 12,
    PROTOCOL_BYTES = 24,
    MAX_REQUIREMENTS = 1 << 16 /* real: 300 */
};

const char *ms_swift_kind_name(unsigned kind)
{
    static const char *const NAMES[] = {
        [MS_SWIFT_MODULE] = "module",       [MS_SWIFT_EXTENSION] = "extension",
        [MS_SWIFT_ANONYMOUS] = "anonymous", [MS_SWIFT_PROTOCOL] = "protocol",
        [MS_SWIFT_OPAQUE] = "opaque-type",  [MS_SWIFT_CLASS] = "class",
        [MS_SWIFT_STRUCT] = "struct",       [MS_SWIFT_ENUM] = "enum"};
    const char *name = kind < sizeof NAMES / sizeof *NAMES ? NAMES[kind] : NULL;
    return name ? name : "unknown";
}

enum ms_status ms_swift_requirements_read(struct ms_metadata *m, uint64_t protocol_vm,
                                          struct ms_swift_requirements *out, struct ms_error *fault)
{
    uint32_t flags, n_signature, n;
    enum ms_status status = ms_metadata_u32(m, protocol_vm, &flags, fault);
    if (status == MS_OK)
        status = ms_metadata_u32(m, protocol_vm + 12, &n_signature, fault);
    if (status == MS_OK)
        status = ms_metadata_u32(m, protocol_vm + 16, &n, fault);
    if (status != MS_OK)
        return status;
    if ((flags & MS_SWIFT_KIND_MASK) != MS_SWIFT_PROTOCOL)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "what is at 0x%llx is no protocol: its kind is %u",
                       (unsigned long long)protocol_vm, (unsigned)(flags & MS_SWIFT_KIND_MASK));
    if (n_signature > MAX_REQUIREMENTS || n > MAX_REQUIREMENTS)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the protocol at 0x%llx: %u requirements, %u in its signature",
                       (unsigned long long)protocol_vm, (unsigned)n, (unsigned)n_signature);
    out->vm = protocol_vm + PROTOCOL_BYTES + (uint64_t)n_signature * SIGNATURE_BYTES;
    out->n = n;
    struct ms_error ignored;
    if (ms_metadata_relative(m, protocol_vm + 20, &out->types_vm, &ignored) != MS_OK)
        out->types_vm = 0;
    return MS_OK;
}

enum ms_status ms_swift_requirement_flags(struct ms_metadata *m,
                                          const struct ms_swift_requirements *requirements,
                                          uint32_t index, uint32_t *out, struct ms_error *fault)
{
    return ms_metadata_u32(m, requirements->vm + (uint64_t)index * REQUIREMENT_BYTES, out, fault);
}

static enum ms_status read_type(struct ms_swift_reader *r, uint64_t entry_vm,
                                struct ms_swift_type *type, struct ms_error *fault)
{
    uint32_t flags;
    enum ms_status status = ms_metadata_indirect(r->m, entry_vm, &type->vm, &type->import, fault);
    if (status == MS_ABSENT)
        return ms_fail(fault, MS_E_FORMAT, r->m->macho->where, MS_NO_OFFSET,
                       "the offset at 0x%llx is null", (unsigned long long)entry_vm);
    if (status != MS_OK)
        return status;
    if (type->import)
        return ms_swift_symbol_name(&r->contexts, type->import, &type->name, fault);
    type->vm &= ~(uint64_t)3; /* bit 1 tells of kinds that no such section lists */
    status = ms_metadata_u32(r->m, type->vm, &flags, fault);
    if (status != MS_OK)
        return status;
    type->kind = flags & MS_SWIFT_KIND_MASK;
    type->is_generic = (flags & MS_SWIFT_IS_GENERIC) != 0;
    status = ms_swift_context_name(&r->contexts, type->vm, &type->name, fault);
    if (ms_swift_is_end(status) || type->kind < MS_SWIFT_CLASS || type->kind > MS_SWIFT_ENUM)
        return status;
    struct ms_error ignored;
    uint64_t access;
    if (ms_metadata_relative(r->m, type->vm + 12, &access, &ignored) == MS_OK && access &&
        ms_metadata_is_code(r->m, ms_metadata_code(r->m, access)))
        type->access_vm = ms_metadata_code(r->m, access);
    return status;
}

enum ms_status ms_swift_read_types(struct ms_swift_reader *r, const struct ms_section *section,
                                   bool protocols, struct ms_error *err)
{
    struct ms_swift_metadata *out = r->out;
    for (uint64_t at = 0; section->vm_bytes - at >= 4; at += 4) {
        struct ms_swift_type type;
        struct ms_error fault;
        memset(&type, 0, sizeof type);
        type.kind = protocols ? MS_SWIFT_PROTOCOL : ~0u;
        enum ms_status status = ms_metadata_step(r->m, err);
        if (status != MS_OK)
            return status;
        if (out->n_types + out->n_protocols >= MS_MAX_METADATA)
            return ms_fail(err, MS_E_LIMIT, r->m->macho->where, section->off, "more than %d types",
                           MS_MAX_METADATA);
        status = read_type(r, section->vm + at, &type, &fault);
        if (status == MS_E_NOMEM ||
            (status != MS_OK && !(type.fault = ms_metadata_fault(r->m, &fault))))
            return ms_fail_memory(err);
        if (!(protocols ? MS_PUSH(out->protocols, out->n_protocols, r->protocols_room, type)
                        : MS_PUSH(out->types, out->n_types, r->types_room, type)))
            return ms_fail_memory(err);
        if (status == MS_E_LIMIT) {
            *err = fault;
            return status;
        }
    }
    return MS_OK;
}
