/* The exports trie: the input is the trie alone. */
#include "macho/exports.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t body[16] = {0};
    struct ms_load_command command = {0x80000033, 0, {body, sizeof body}};
    struct ms_macho macho;
    struct ms_exports exports;
    struct ms_export found;
    struct ms_error err;
    memset(&macho, 0, sizeof macho);
    for (unsigned i = 0; i < 4; i++)
        body[12 + i] = (uint8_t)(size >> (8 * i));
    macho.bytes = (struct ms_bytes){data, size};
    macho.commands = &command;
    macho.n_commands = 1;
    size_t n = 0;
    enum ms_status status;
    ms_exports_open(&macho, &exports);
    while ((status = ms_exports_next(&exports, &found, &err)) == MS_OK) {
        n++;
        if (found.name_bytes == 0 || strlen(found.name) != found.name_bytes)
            abort();
    }
    /* At least two bytes an export, each read at most twice. */
    if (n > size || (status != MS_ABSENT && !err.text[0]))
        abort();
    ms_exports_close(&exports);
    return 0;
}
