/* Compressed sections: the input is one of them. */
#include "dwarf/zdebug.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes section = {data, size};
    struct ms_error err;
    uint8_t *out;
    size_t n;
    if (ms_zdebug_inflate(section, "input", &out, &n, &err) == MS_OK)
        free(out);
    return 0;
}
