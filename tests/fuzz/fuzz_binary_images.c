#include "fuzz/imagelist_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return run_reader(data, size, ms_binary_images_read);
}
