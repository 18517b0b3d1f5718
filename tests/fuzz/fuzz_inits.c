/* Static initialisers, and what their code names: the input is a whole Mach-O file. */
#include "machsym/inits.h"
#include "runtime/code_refs.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count(void *owner, const struct ms_code_ref *ref)
{
    size_t *n = owner;
    if (ref->symbol && ref->kind != MS_REF_SLOT)
        abort();
    return ++*n < 1 << 16;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes bytes = {data, size};
    struct ms_macho macho;
    struct ms_inits inits;
    struct ms_error err;
    if (ms_macho_parse(bytes, "input", &macho, &err) != MS_OK)
        return 0;
    if (ms_inits_read(&macho, &inits, &err) == MS_OK) {
        struct ms_fixups *fixups = NULL;
        if (ms_fixups_open(&macho, &fixups, &err) != MS_OK)
            abort();
        for (size_t i = 0; i < inits.n; i++) {
            const struct ms_init *init = &inits.items[i];
            size_t n = 0;
            /* Each has an address, a name elsewhere, or a reason. */
            if (init->has_address + !!init->import + !!init->fault != 1)
                abort();
            if (init->fault && !init->fault->text[0])
                abort();
            if (init->has_address && i < 16)
                (void)ms_code_refs(&macho, fixups, init->vm, 256, count, &n);
            if (init->class_name && strlen(init->class_name) > size)
                abort();
        }
        ms_fixups_close(fixups);
        ms_inits_fini(&inits);
    }
    ms_macho_fini(&macho);
    return 0;
}
