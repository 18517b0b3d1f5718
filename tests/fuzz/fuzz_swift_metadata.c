/* Types, protocols and conformances of Swift: the input is a whole Mach-O file. */
#include "machsym/runtime.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_types(const struct ms_swift_type *types, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char name[64];
        size_t whole = ms_swift_name_write(&types[i].name, name, sizeof name);
        if (strlen(name) != (whole < sizeof name ? whole : sizeof name - 1))
            abort();
        if (!types[i].fault && !types[i].name.path && !types[i].name.module &&
            types[i].kind != MS_SWIFT_ANONYMOUS && types[i].kind != MS_SWIFT_OPAQUE)
            abort();
        if (types[i].fault && !types[i].fault->text[0])
            abort();
    }
}

static void check_witness(const struct ms_swift_conformance *c, const struct ms_swift_witness *w)
{
    char name[64];
    for (unsigned style = 0; style < 2; style++) {
        size_t n = ms_swift_witness_write(c, w, style, name, sizeof name);
        if (strlen(name) != (n < sizeof name ? n : sizeof name - 1))
            abort();
    }
    static const char OTHER[] = "$s5Views3RowV7Toolkit6TitledAadEP5titleAD3IntVvgTW";
    (void)ms_swift_requirement_of_symbol(c, OTHER, 0, name, sizeof name);
    if (w->symbol && ms_swift_requirement_of_symbol(c, w->symbol, 1, NULL, 0) && !c->type.path)
        abort();
    if (w->has_address && (w->kind < MS_SWIFT_METHOD || w->kind > MS_SWIFT_MODIFY || w->import))
        abort();
}

static void check_conformances(const struct ms_swift_metadata *swift)
{
    size_t next = 0;
    for (size_t i = 0; i < swift->n_conformances; i++) {
        const struct ms_swift_conformance *c = &swift->conformances[i];
        if (c->first_witness != next || (c->fault && !c->fault->text[0]))
            abort();
        next += c->n_witnesses;
        for (size_t k = c->first_witness; k < next; k++)
            check_witness(c, &swift->witnesses[k]);
    }
    if (next != swift->n_witnesses)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes bytes = {data, size};
    struct ms_macho macho;
    struct ms_swift_metadata swift;
    struct ms_error err;
    if (ms_macho_parse(bytes, "input", &macho, &err) != MS_OK)
        return 0;
    if (ms_swift_metadata_read(&macho, MS_SWIFT_TYPES | MS_SWIFT_PROTOCOLS | MS_SWIFT_CONFORMANCES,
                               &swift, &err) == MS_OK) {
        check_types(swift.types, swift.n_types);
        check_types(swift.protocols, swift.n_protocols);
        check_conformances(&swift);
        if (swift.n_types + swift.n_protocols + swift.n_conformances + swift.n_witnesses > size)
            abort();
        ms_swift_metadata_fini(&swift);
    }
    ms_macho_fini(&macho);
    return 0;
}
