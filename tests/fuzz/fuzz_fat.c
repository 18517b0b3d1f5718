/* The outer shape of a file: fat header, or one Mach-O or archive. */
#include "machsym/macho.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes file = {data, size};
    struct ms_fat fat;
    struct ms_error err;
    char room[MS_ARCH_TEXT];
    if (ms_fat_parse(file, "fuzz", &fat, &err) != MS_OK) {
        if (!err.text[0] || fat.slices)
            abort();
        return 0;
    }
    if (fat.n_slices == 0)
        abort();
    for (size_t i = 0; i < fat.n_slices; i++) {
        const struct ms_slice *slice = &fat.slices[i];
        if (slice->file_off > size || slice->bytes.n > size - slice->file_off ||
            (slice->bytes.n && slice->bytes.at != data + slice->file_off) ||
            !*ms_arch_text(slice->cputype, slice->cpusubtype, room))
            abort();
    }
    ms_fat_fini(&fat);
    return 0;
}
