#include "dwarf/bounds.h"

#include "base/array.h"
#include "base/sort.h"
#include "dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

void ms_bounds_fini(struct ms_bounds *b)
{
    free(b->items);
    free(b->scratch);
    memset(b, 0, sizeof *b);
}

bool ms_bounds_add(struct ms_bounds *b, uint64_t address)
{
    if (b->n && b->items[b->n - 1] == address)
        return true;
    return MS_PUSH(b->items, b->n, b->room, address);
}

bool ms_bounds_add_code(struct ms_bounds *b, const struct ms_dwarf *dwarf, uint64_t low,
                        uint64_t high)
{
    for (size_t i = 0; i < dwarf->s.n_code; i++) {
        const struct ms_dwarf_range *code = &dwarf->s.code[i];
        if ((code->low > low && code->low < high && !ms_bounds_add(b, code->low)) ||
            (code->high > low && code->high < high && !ms_bounds_add(b, code->high)))
            return false;
    }
    return true;
}

bool ms_bounds_sort(struct ms_bounds *b)
{
    if (b->scratch_room < b->n) {
        free(b->scratch);
        b->scratch = malloc(b->room * sizeof *b->scratch);
        b->scratch_room = b->scratch ? b->room : 0;
        if (!b->scratch)
            return false;
    }
    ms_sort_u64(b->items, b->scratch, b->n);
    b->n = ms_unique_u64(b->items, b->n);
    return true;
}
