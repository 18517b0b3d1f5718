/**
 * machsym/slide.h: between runtime addresses and addresses as linked. The only place
 * where the two meet; all of it modulo 2^64, so a negative slide needs no case of its own.
 */
#ifndef MACHSYM_SLIDE_H
#define MACHSYM_SLIDE_H

#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * S = L - A: the slide of an image.
 * @param load_rt  L: runtime address of its Mach-O header
 * @param text_vm  A: vmaddr of __TEXT in its load commands
 */
uint64_t ms_slide(uint64_t load_rt, uint64_t text_vm);

uint64_t ms_slide_to_vm(uint64_t address_rt, uint64_t slide);
uint64_t ms_slide_to_rt(uint64_t address_vm, uint64_t slide);

/** Room for "-0x8000000000000000" and its NUL. */
#define MS_SLIDE_TEXT 20

/** "0x25f8000", or "-0x1000" for one that lowers addresses. */
const char *ms_slide_format(uint64_t slide, char text[MS_SLIDE_TEXT]);

#ifdef __cplusplus
}
#endif
#endif
