/*
 * Swift names: the bytes as they are when they begin as one, else behind "$s", in every style.
 * The same answer whatever room there is for it; what is described is what can be printed.
 */
#include "demangle/demanglers.h"
#include "machsym/demangle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const unsigned styles[] = {
    MS_DEMANGLE_FULL, MS_DEMANGLE_SIMPLIFIED, MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_NO_PARAMS,
    MS_DEMANGLE_FULL | MS_DEMANGLE_FOLD,
    MS_DEMANGLE_SIMPLIFIED | MS_DEMANGLE_NO_PARAMS | MS_DEMANGLE_FOLD};
enum { N_STYLES = sizeof styles / sizeof *styles, ROOM = 4096 };

static void check_style(const char *name, size_t n, unsigned style, bool readable, bool again)
{
    static char whole[ROOM];
    char small[24];
    memset(whole, 0x55, 8);
    size_t length = ms_demangle(name, n, style, whole, sizeof whole);
    size_t shown = strlen(whole);
    if (shown != (length < sizeof whole ? length : sizeof whole - 1))
        abort();
    if (length > MS_DEMANGLE_OUTPUT)
        abort();
    /* What is described is what has a full text; another may have one where that one is too long.
     */
    if (style == MS_DEMANGLE_FULL && (length > 0) != readable)
        abort();
    if (!again)
        return;
    memset(small, 0x55, sizeof small);
    if (ms_demangle(name, n, style, small, 16) != length || small[16] != 0x55)
        abort();
    size_t part = length < 15 ? length : 15;
    if (memcmp(small, whole, part) != 0 || small[part] != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char behind[1 << 16];
    const char *name = (const char *)data;
    /* Which style, and whether it is asked twice, is chosen by the bytes: one run is one or two
     * readings and not ten. */
    unsigned sum = 0;
    for (size_t i = 0; i < size; i++)
        sum = sum * 31 + data[i];
    if (ms_mangling_of(name, size) != MS_MANGLING_SWIFT) {
        if (size > sizeof behind - 2)
            return -1;
        /* At the very end, so that a sanitizer sees a read past the name. */
        size += 2;
        char *at = behind + sizeof behind - size;
        memcpy(at, "$s", 2);
        if (size > 2)
            memcpy(at + 2, data, size - 2);
        name = at;
    }
    struct ms_name described;
    memset(&described, 0xAA, sizeof described);
    ms_demangle_describe(name, size, &described);
    bool swift = ms_mangling_of(name, size) == MS_MANGLING_SWIFT;
    if (described.mangling != ms_mangling_of(name, size))
        abort();
    if (!memchr(described.module, 0, sizeof described.module))
        abort();
    if (!ms_name_kind_text(described.kind))
        abort();
    bool readable = swift && described.fault.kind == MS_NAME_FINE;
    if (swift && !readable && described.fault.at > size)
        abort();
    check_style(name, size, styles[sum % N_STYLES], readable, sum / N_STYLES % 4 == 0);
    return 0;
}
