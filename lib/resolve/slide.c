#include "machsym/slide.h"

#include <inttypes.h>
#include <stdio.h>

uint64_t ms_slide(uint64_t load_rt, uint64_t text_vm)
{
    return load_rt - text_vm;
}

uint64_t ms_slide_to_vm(uint64_t address_rt, uint64_t slide)
{
    return address_rt - slide;
}

uint64_t ms_slide_to_rt(uint64_t address_vm, uint64_t slide)
{
    return address_vm + slide;
}

const char *ms_slide_format(uint64_t slide, char text[MS_SLIDE_TEXT])
{
    bool negative = slide >> 63;
    snprintf(text, MS_SLIDE_TEXT, "%s0x%" PRIx64, negative ? "-" : "",
             negative ? UINT64_C(0) - slide : slide);
    return text;
}
