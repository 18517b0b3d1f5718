/* LC_FUNCTION_STARTS: one byte of options, eight of the address of __TEXT, the payload. */
#include "base/cursor.h"
#include "machsym/macho.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes input = {data, size};
    struct ms_cursor c = ms_cursor_over(input, false);
    struct ms_macho macho;
    struct ms_error err;
    uint64_t *starts;
    size_t n;
    memset(&macho, 0, sizeof macho);
    uint8_t options = ms_cursor_u8(&c);
    macho.is64 = options & 1;
    macho.cputype = options & 2 ? MS_CPU_ARM : MS_CPU_ARM64;
    macho.text_vm = ms_cursor_u64(&c);
    if (!macho.is64)
        macho.text_vm &= UINT32_MAX; /* as a header of 32 bits has it */
    macho.function_starts = ms_cursor_bytes(&c, ms_cursor_left(&c));
    if (ms_function_starts_read(&macho, &starts, &n, &err) != MS_OK)
        return 0;
    if ((n == 0) != (starts == NULL))
        abort();
    for (size_t i = 0; i < n; i++)
        if ((i && starts[i] <= starts[i - 1]) || (options & 2 && starts[i] & 1) ||
            (!macho.is64 && starts[i] > UINT32_MAX))
            abort();
    free(starts);
    return 0;
}
