/* Every name, by every scheme: with and without Mach-O's underscore. */
#include "demangle/demanglers.h"
#include "machsym/demangle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *name = (const char *)data;
    char small[16];
    unsigned style = size % 8; /* every combination, whatever the names */
    size_t n = ms_demangle(name, size, MS_DEMANGLE_FULL, NULL, 0);
    if (n && ms_mangling_of(name, size) == MS_MANGLING_NONE)
        abort();
    if (ms_demangle(name, size, MS_DEMANGLE_FULL, small, sizeof small) != n ||
        strlen(small) >= sizeof small)
        abort();
    if (ms_demangle_symbol(name, size, true, style, small, sizeof small) == 0 && size > 1)
        abort();
    (void)ms_demangle_symbol(name, size, false, style, small, sizeof small);
    /* The readers on what no dispatcher would give them. */
    struct ms_text text;
    ms_text_init(&text, MS_DEMANGLE_OUTPUT);
    if (!memchr(data, 0, size)) {
        (void)ms_rust_legacy(name, size, style, &text);
        ms_text_clear(&text);
        (void)ms_rust_v0(name, size, style, &text);
        free(ms_llvm_itanium(name, size, style));
    }
    ms_text_fini(&text);
    return 0;
}
