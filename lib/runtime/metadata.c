#include "runtime/metadata.h"

#include "base/cursor.h"
#include "macho/starts.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_ARENA = 1 << 28 };

static int by_low(const void *a, const void *b)
{
    const struct ms_metadata_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

static enum ms_status list_code(struct ms_metadata *m, struct ms_error *err)
{
    const struct ms_macho *macho = m->macho;
    m->code = calloc(macho->n_sections + 1, sizeof *m->code);
    if (!m->code)
        return ms_fail_memory(err);
    for (size_t i = 0; i < macho->n_sections; i++) {
        const struct ms_section *s = &macho->sections[i];
        uint64_t high;
        if (ms_section_is_code(s) && s->vm_bytes && !ms_add_overflows(s->vm, s->vm_bytes, &high))
            m->code[m->n_code++] = (struct ms_metadata_range){s->vm, high};
    }
    qsort(m->code, m->n_code, sizeof *m->code, by_low);
    return MS_OK;
}

enum ms_status ms_metadata_open(const struct ms_macho *macho, struct ms_metadata *out,
                                struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    out->macho = macho;
    ms_arena_init(&out->arena, MAX_ARENA);
    /* A record takes 4 bytes at least, and no real file names one string more than a few times
     * for each of its bytes. */
    out->steps_left = macho->bytes.n / 4;
    out->text_left = 16 * (uint64_t)macho->bytes.n + (1 << 20);
    out->text_left = out->text_left < MAX_ARENA / 2 ? out->text_left : MAX_ARENA / 2;
    enum ms_status status = ms_fixups_open(macho, &out->fixups, err);
    return status == MS_OK ? list_code(out, err) : status;
}

void ms_metadata_close(struct ms_metadata *metadata)
{
    ms_fixups_close(metadata->fixups);
    ms_arena_fini(&metadata->arena);
    free(metadata->code);
    metadata->fixups = NULL;
    metadata->code = NULL;
}

const struct ms_error *ms_metadata_fault(struct ms_metadata *m, const struct ms_error *fault)
{
    if (m->n_faults < MS_MAX_METADATA_FAULTS) {
        struct ms_error *copy = ms_arena_take(&m->arena, sizeof *copy);
        if (!copy)
            return NULL;
        *copy = *fault;
        m->last_fault = copy;
        m->n_faults++;
    }
    return m->last_fault;
}

enum ms_status ms_metadata_step(struct ms_metadata *m, struct ms_error *fault)
{
    if (!m->steps_left)
        return ms_fail(fault, MS_E_LIMIT, m->macho->where, MS_NO_OFFSET,
                       "the records of metadata are more than the file has room for");
    m->steps_left--;
    return MS_OK;
}

uint64_t ms_metadata_field(const struct ms_metadata *m, uint64_t vm, unsigned n)
{
    return vm + (uint64_t)n * ms_fixups_pointer_bytes(m->fixups);
}

enum ms_status ms_metadata_pointer(struct ms_metadata *m, uint64_t slot_vm, uint64_t *out,
                                   const char **import, struct ms_error *fault)
{
    struct ms_slot slot;
    *out = 0;
    *import = NULL;
    enum ms_status status = ms_fixups_read(m->fixups, slot_vm, &slot, fault);
    if (status == MS_ABSENT)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the file has no bytes for the pointer at 0x%llx",
                       (unsigned long long)slot_vm);
    if (status != MS_OK)
        return status;
    switch (slot.kind) {
    case MS_SLOT_NULL:
        return MS_ABSENT;
    case MS_SLOT_BIND:
        *import = slot.name;
        return MS_OK;
    case MS_SLOT_REBASE:
        *out = slot.target_vm;
        return MS_OK;
    case MS_SLOT_PLAIN:
        break;
    }
    return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                   "there is no pointer at 0x%llx", (unsigned long long)slot_vm);
}

enum ms_status ms_metadata_follow(struct ms_metadata *m, uint64_t slot_vm, uint64_t *out,
                                  struct ms_error *fault)
{
    const char *import;
    enum ms_status status = ms_metadata_pointer(m, slot_vm, out, &import, fault);
    if (status == MS_OK && import)
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the pointer at 0x%llx leads into another image, to %.100s",
                       (unsigned long long)slot_vm, import);
    return status;
}

enum ms_status ms_metadata_u32(const struct ms_metadata *m, uint64_t vm, uint32_t *out,
                               struct ms_error *fault)
{
    struct ms_bytes bytes;
    *out = 0;
    enum ms_status status = ms_fixups_bytes(m->fixups, vm, &bytes, fault);
    if (status == MS_ABSENT || (status == MS_OK && bytes.n < 4))
        return ms_fail(fault, MS_E_FORMAT, m->macho->where, MS_NO_OFFSET,
                       "the file has no bytes at 0x%llx", (unsigned long long)vm);
    if (status == MS_OK)
        *out = ms_load_u32(bytes.at, m->macho->big);
    return status;
}

/* Addresses of 32-bit images wrap at 4 GB. */
static uint64_t wrap(const struct ms_metadata *m, uint64_t vm)
{
    return m->macho->is64 ? vm : vm & UINT32_MAX;
}

static uint64_t add_offset(const struct ms_metadata *m, uint64_t vm, uint32_t offset)
{
    return wrap(m, vm + (uint64_t)(int64_t)(int32_t)offset);
}

enum ms_status ms_metadata_relative(const struct ms_metadata *m, uint64_t vm, uint64_t *out,
                                    struct ms_error *fault)
{
    uint32_t offset;
    enum ms_status status = ms_metadata_u32(m, vm, &offset, fault);
    *out = status == MS_OK && offset ? add_offset(m, vm, offset) : 0;
    return status;
}

enum ms_status ms_metadata_indirect(struct ms_metadata *m, uint64_t vm, uint64_t *out,
                                    const char **import, struct ms_error *fault)
{
    uint32_t offset;
    *out = 0;
    *import = NULL;
    enum ms_status status = ms_metadata_u32(m, vm, &offset, fault);
    if (status != MS_OK)
        return status;
    if (!offset)
        return MS_ABSENT;
    if (offset & 1)
        return ms_metadata_pointer(m, add_offset(m, vm, offset & ~1u), out, import, fault);
    *out = add_offset(m, vm, offset);
    return MS_OK;
}

const char *ms_metadata_string(struct ms_metadata *m, uint64_t vm)
{
    struct ms_bytes bytes;
    struct ms_error ignored;
    size_t n;
    if (ms_fixups_bytes(m->fixups, vm, &bytes, &ignored) != MS_OK)
        return NULL;
    bytes.n = bytes.n < MS_MAX_METADATA_STRING ? bytes.n : MS_MAX_METADATA_STRING;
    const char *text = ms_bytes_string(bytes, 0, &n);
    if (!text || n >= m->text_left)
        return NULL;
    m->text_left -= n;
    return text;
}

uint64_t ms_metadata_code(const struct ms_metadata *m, uint64_t vm)
{
    return vm & ms_code_mask(m->macho);
}

bool ms_metadata_is_code(const struct ms_metadata *m, uint64_t vm)
{
    size_t low = 0, high = m->n_code;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->code[middle].low <= vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low && vm < m->code[low - 1].high;
}
