/* One Mach-O: every nlist entry, and the table of symbols that is made of it. */
#include "machsym/macho.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* A single lookup gives what the table gives. */
static void compare(const struct ms_macho *macho, const struct ms_symbols *symbols, uint64_t at)
{
    struct ms_symbols one;
    struct ms_error err;
    if (ms_symbols_read_at(macho, at, &one, &err) != MS_OK)
        return;
    const struct ms_symbol *all = ms_symbols_find(symbols, at);
    /* The one that stops at a limit knows fewer exports. */
    if (err.status == MS_OK &&
        ((all != NULL) != (one.n == 1) ||
         (all && (all->start_vm != one.items->start_vm || all->end_vm != one.items->end_vm ||
                  all->source != one.items->source || !same_text(all->name, one.items->name)))))
        abort();
    ms_symbols_fini(&one);
}

/* And one of several what each of them gives. */
static void compare_some(const struct ms_macho *macho, const struct ms_symbols *symbols)
{
    uint64_t at[16];
    size_t n = 0, step = symbols->n / 8 + 1;
    struct ms_symbols some;
    struct ms_error err;
    for (size_t i = 0; i < symbols->n && n + 2 <= 16; i += step) {
        at[n++] = symbols->items[i].start_vm;
        if (symbols->items[i].end_vm - 1 > at[n - 1])
            at[n++] = symbols->items[i].end_vm - 1;
    }
    if (ms_symbols_read_some(macho, at, n, &some, &err) != MS_OK)
        return;
    for (size_t i = 0; i < n && err.status == MS_OK; i++) {
        const struct ms_symbol *all = ms_symbols_find(symbols, at[i]);
        const struct ms_symbol *one = ms_symbols_find(&some, at[i]);
        if (!one || all->start_vm != one->start_vm || all->end_vm != one->end_vm ||
            all->source != one->source || !same_text(all->name, one->name))
            abort();
    }
    ms_symbols_fini(&some);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes file = {data, size};
    struct ms_macho macho;
    struct ms_symbols symbols;
    struct ms_error err;
    size_t length = 0;
    if (ms_macho_parse(file, "fuzz", &macho, &err) != MS_OK)
        return 0;
    for (uint32_t i = 0; i < macho.n_nlist && i < 4096; i++) {
        bool bad;
        length += strlen(ms_nlist_at(&macho, i, &bad).name);
    }
    if (ms_symbols_read(&macho, &symbols, &err) == MS_OK) {
        enum ms_status damage = err.status;
        for (size_t i = 0; i < symbols.n; i++) {
            const struct ms_symbol *symbol = &symbols.items[i];
            if (symbol->start_vm >= symbol->end_vm ||
                (i && symbols.items[i - 1].end_vm > symbol->start_vm) ||
                (symbol->name != NULL) != (symbol->source != MS_SOURCE_FUNCTION_START) ||
                ms_symbols_find(&symbols, symbol->start_vm) != symbol ||
                ms_symbols_find(&symbols, symbol->end_vm - 1) != symbol)
                abort();
            if (i < 8 && damage == MS_OK) {
                compare(&macho, &symbols, symbol->start_vm - 1);
                compare(&macho, &symbols, symbol->start_vm);
                compare(&macho, &symbols, symbol->end_vm);
            }
        }
        if (damage == MS_OK)
            compare_some(&macho, &symbols);
        ms_symbols_fini(&symbols);
    }
    ms_macho_fini(&macho);
    return length == SIZE_MAX;
}
