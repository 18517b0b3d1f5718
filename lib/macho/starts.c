#include "macho/starts.h"

#include <stdlib.h>

void ms_starts_open(const struct ms_macho *macho, struct ms_starts *out)
{
    memset(out, 0, sizeof *out);
    out->cursor = ms_cursor_over(macho->function_starts, macho->big);
    out->sum = macho->text_vm;
    out->max = macho->is64 ? UINT64_MAX : UINT32_MAX;
    out->mask = ms_code_mask(macho);
}

bool ms_starts_next(struct ms_starts *starts, uint64_t *address_vm)
{
    while (ms_cursor_left(&starts->cursor)) {
        uint64_t delta = ms_cursor_uleb(&starts->cursor);
        if (starts->cursor.bad || delta > starts->max - starts->sum) {
            starts->damaged = true;
            break;
        }
        if (delta == 0)
            break; /* the end; what follows is padding */
        starts->sum += delta;
        uint64_t address = starts->sum & starts->mask;
        /* A difference of 1 may be the Thumb bit alone. */
        if (starts->any && address == starts->last)
            continue;
        starts->any = true;
        starts->last = *address_vm = address;
        return true;
    }
    ms_cursor_spoil(&starts->cursor);
    return false;
}

size_t ms_starts_bound(const struct ms_macho *macho)
{
    size_t n = 0;
    struct ms_bytes payload = macho->function_starts;
    for (size_t i = 0; i < payload.n; i++)
        n += payload.at[i] < 0x80; /* the last byte of each number */
    return n;
}

enum ms_status ms_starts_fail(const struct ms_starts *starts, const struct ms_macho *macho,
                              struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, macho->where, MS_NO_OFFSET,
                   "LC_FUNCTION_STARTS: a difference that leaves its %zu bytes or the address "
                   "space, after address 0x%llx",
                   macho->function_starts.n, (unsigned long long)starts->sum);
}

enum ms_status ms_function_starts_read(const struct ms_macho *macho, uint64_t **out, size_t *n,
                                       struct ms_error *err)
{
    *out = NULL;
    *n = 0;
    if (err)
        err->status = MS_OK;
    if (macho->function_starts.n == 0)
        return MS_OK;
    /* Each address ends in a byte that the bound counts, so they all fit. */
    uint64_t *list = malloc((ms_starts_bound(macho) + 1) * sizeof *list);
    if (!list)
        return ms_fail_memory(err);
    struct ms_starts starts;
    uint64_t address;
    size_t count = 0;
    ms_starts_open(macho, &starts);
    while (ms_starts_next(&starts, &address))
        list[count++] = address;
    if (starts.damaged)
        (void)ms_starts_fail(&starts, macho, err);
    if (count == 0) {
        free(list);
        return MS_OK;
    }
    uint64_t *shorter = realloc(list, count * sizeof *list);
    *out = shorter ? shorter : list;
    *n = count;
    return MS_OK;
}
