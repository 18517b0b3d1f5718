/* All sections at once, in a container of their own: what they refer to changes with them. */
#include "fuzz/dwarf_container.h"
#include "fuzz/dwarf_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct ms_dwarf_range code[] = {{0x1000, 0x9000}};
    struct ms_dwarf_sections s = {.where = "input"};
    struct ms_bytes *sections[CONTAINER_SECTIONS];
    struct ms_cursor c = ms_cursor_over((struct ms_bytes){data, size}, false);
    uint8_t flags = ms_cursor_u8(&c);
    container_list(&s, sections);
    for (int i = 0; i < CONTAINER_SECTIONS; i++) {
        uint64_t n = ms_cursor_u32(&c);
        *sections[i] = ms_cursor_bytes(&c, n < ms_cursor_left(&c) ? n : ms_cursor_left(&c));
    }
    s.big = flags & CONTAINER_BIG;
    s.address_size = flags & CONTAINER_32 ? 4 : 8;
    if (flags & CONTAINER_CODE) {
        s.code = code;
        s.n_code = 1;
    }
    target_run(&s);
    return 0;
}
