/* Classes, categories and methods of Objective-C: the input is a whole Mach-O file. */
#include "machsym/runtime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_method(const struct ms_objc_class *c, const struct ms_objc_method *m, size_t size)
{
    char name[64];
    /* Each has an address, a name elsewhere, or a reason. */
    if (!m->has_address && !m->import && !m->fault)
        abort();
    if ((m->fault && !m->fault->text[0]) || (!m->fault && !m->selector))
        abort();
    if (m->selector && strlen(m->selector) > size)
        abort();
    size_t n = ms_objc_method_name(c, m, true, name, sizeof name);
    if (strlen(name) != (n < sizeof name ? n : sizeof name - 1))
        abort();
    (void)ms_objc_method_name(c, m, false, NULL, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes bytes = {data, size};
    struct ms_macho macho;
    struct ms_objc objc;
    struct ms_error err;
    if (ms_macho_parse(bytes, "input", &macho, &err) != MS_OK)
        return 0;
    if (ms_objc_read(&macho, &objc, &err) == MS_OK) {
        size_t next = 0;
        for (size_t i = 0; i < objc.n_classes; i++) {
            const struct ms_objc_class *c = &objc.classes[i];
            if (c->first_method != next || (!c->name && !c->fault && !c->is_category))
                abort();
            next = c->first_method + c->n_methods;
            for (size_t k = c->first_method; k < next; k++)
                check_method(c, &objc.methods[k], size);
        }
        if (next != objc.n_methods || objc.n_methods + objc.n_classes > size)
            abort();
        ms_objc_fini(&objc);
    }
    ms_macho_fini(&macho);
    return 0;
}
