/* Types, protocols and conformances of Swift. */
#include "unit/metadata_image.h"

#include "machsym/demangle.h"
#include "machsym/error.h"
#include "machsym/runtime.h"
#include "runtime/swift_conform.h"

#include <criterion/criterion.h>

static struct metadata_image image;
static struct ms_macho macho;
static struct ms_swift_metadata swift;
static struct ms_error err;

/* Where things are, from __TEXT. */
enum {
    TYPES = 0x900,
    PROTOCOLS = 0x910,
    CONFORMANCES = 0x920,
    MODULE = 0xa00,
    TYPE = 0xa20,
    INNER = 0xa40,
    PROTOCOL = 0xa60,
    CONFORMANCE = 0xb00,
    STRINGS = 0xc00,
    OTHER = 0xd00,
    TABLE = 0x1100,
    SLOT = 0x1200
};

static void begin_n(bool is64, uint32_t cputype, uint32_t cpusubtype, bool chained, uint32_t n)
{
    image = meta_begin(is64, cputype, cpusubtype, MS_MH_DYLIB);
    meta_text_section(&image, "__swift5_types", TYPES, 4 * n);
    meta_text_section(&image, "__swift5_protos", PROTOCOLS, 4);
    meta_text_section(&image, "__swift5_proto", CONFORMANCES, 4 * n);
    meta_data(&image);
    meta_end(&image, chained);
    /* module Shop; struct Hat { }; protocol Model */
    meta_string(&image, STRINGS, "Shop");
    meta_string(&image, STRINGS + 16, "Hat");
    meta_string(&image, STRINGS + 32, "Model");
    meta_relative(&image, MODULE + 8, STRINGS, 0);
    meta_u32(&image, TYPE, MS_SWIFT_STRUCT | 0x40);
    meta_relative(&image, TYPE + 4, MODULE, 0);
    meta_relative(&image, TYPE + 8, STRINGS + 16, 0);
    meta_relative(&image, TYPE + 12, META_CODE + 0x10, 0);
    meta_u32(&image, PROTOCOL, MS_SWIFT_PROTOCOL | 0x40);
    meta_relative(&image, PROTOCOL + 4, MODULE, 0);
    meta_relative(&image, PROTOCOL + 8, STRINGS + 32, 0);
    meta_relative(&image, TYPES, TYPE, 0);
    meta_relative(&image, PROTOCOLS, PROTOCOL, 0);
    meta_relative(&image, CONFORMANCES, CONFORMANCE, 0);
}

static void begin(bool is64, uint32_t cputype, uint32_t cpusubtype, bool chained)
{
    begin_n(is64, cputype, cpusubtype, chained, 1);
}

/* The conformance of Hat to Model. */
static void put_conformance(uint32_t flags)
{
    meta_relative(&image, CONFORMANCE, PROTOCOL, 0);
    meta_relative(&image, CONFORMANCE + 4, TYPE, 0);
    meta_u32(&image, CONFORMANCE + 12, flags);
}

static void put_requirements(const uint32_t *flags, uint32_t n)
{
    meta_u32(&image, PROTOCOL + 16, n);
    for (uint32_t i = 0; i < n; i++)
        meta_u32(&image, PROTOCOL + 24 + 8 * i, flags[i]);
}

static void read_all(void)
{
    if (image.command)
        meta_chain(&image);
    cr_assert_eq(ms_macho_parse(build_bytes(&image.b), "t", &macho, &err), MS_OK, "%s", err.text);
    cr_assert_eq(ms_swift_metadata_read(&macho,
                                        MS_SWIFT_TYPES | MS_SWIFT_PROTOCOLS | MS_SWIFT_CONFORMANCES,
                                        &swift, &err),
                 MS_OK, "%s", err.text);
}

static void done(void)
{
    ms_swift_metadata_fini(&swift);
    ms_macho_fini(&macho);
    build_free(&image.b);
}

static void expect_name(const struct ms_swift_name *name, const char *text)
{
    char written[128];
    ms_swift_name_write(name, written, sizeof written);
    cr_assert_str_eq(written, text);
}

static void expect_type(size_t i, unsigned kind, const char *text)
{
    cr_assert_lt(i, swift.n_types);
    cr_assert_null(swift.types[i].fault, "%s",
                   swift.types[i].fault ? swift.types[i].fault->text : "");
    cr_assert_eq(swift.types[i].kind, kind);
    expect_name(&swift.types[i].name, text);
}

static void expect_witness(size_t i, const char *text, size_t code)
{
    char written[256];
    cr_assert_lt(i, swift.n_witnesses);
    const struct ms_swift_witness *w = &swift.witnesses[i];
    ms_swift_witness_write(&swift.conformances[0], w, MS_DEMANGLE_SIMPLIFIED, written,
                           sizeof written);
    cr_assert_str_eq(written, text);
    cr_assert_eq(w->has_address, code != 0);
    if (code)
        cr_assert_eq(w->vm, image.text_vm + code);
}

static void expect_fault(const struct ms_error *fault, const char *text)
{
    cr_assert_not_null(fault);
    cr_assert_eq(fault->status, MS_E_FORMAT);
    cr_assert_str_eq(fault->text, text);
}

/* ---- names ----------------------------------------------------------------------------------- */

Test(swift_metadata, types_in_their_contexts)
{
    begin_n(true, MS_CPU_ARM64, 0, false, 4);
    /* anonymous, which is passed over; what is in it */
    meta_u32(&image, OTHER, MS_SWIFT_ANONYMOUS);
    meta_relative(&image, OTHER + 4, TYPE, 0);
    meta_string(&image, STRINGS + 48, "Brim");
    meta_u32(&image, INNER, MS_SWIFT_ENUM | 0x80);
    meta_relative(&image, INNER + 4, OTHER, 0);
    meta_relative(&image, INNER + 8, STRINGS + 48, 0);
    meta_relative(&image, TYPES + 4, INNER, 0);
    /* in an extension of Hat, whose mangled name is an offset with NULs in it */
    meta_u32(&image, OTHER + 32, MS_SWIFT_EXTENSION);
    meta_relative(&image, OTHER + 32 + 8, OTHER + 64, 0);
    image.b.at[OTHER + 64] = 1;
    meta_relative(&image, OTHER + 65, TYPE, 0);
    meta_u32(&image, OTHER + 96, MS_SWIFT_CLASS);
    meta_relative(&image, OTHER + 96 + 4, OTHER + 32, 0);
    meta_relative(&image, OTHER + 96 + 8, STRINGS + 48, 0);
    meta_relative(&image, TYPES + 8, OTHER + 96, 0);
    /* in an extension of a type of the standard library */
    meta_u32(&image, OTHER + 128, MS_SWIFT_EXTENSION);
    meta_relative(&image, OTHER + 128 + 4, MODULE, 0);
    meta_relative(&image, OTHER + 128 + 8, OTHER + 160, 0);
    meta_string(&image, OTHER + 160, "SS");
    meta_u32(&image, OTHER + 192, MS_SWIFT_STRUCT);
    meta_relative(&image, OTHER + 192 + 4, OTHER + 128, 0);
    meta_relative(&image, OTHER + 192 + 8, STRINGS + 48, 0);
    meta_relative(&image, TYPES + 12, OTHER + 192, 0);
    read_all();
    expect_type(0, MS_SWIFT_STRUCT, "Shop.Hat");
    cr_assert_eq(swift.types[0].access_vm, image.text_vm + META_CODE + 0x10);
    cr_assert_not(swift.types[0].is_generic);
    expect_type(1, MS_SWIFT_ENUM, "Shop.Hat.Brim");
    cr_assert(swift.types[1].is_generic);
    cr_assert_eq(swift.types[1].access_vm, 0);
    expect_type(2, MS_SWIFT_CLASS, "Shop.Hat.Brim");
    cr_assert_null(swift.types[2].name.declared_in);
    expect_type(3, MS_SWIFT_STRUCT, "Swift.String.Brim");
    cr_assert_str_eq(swift.types[3].name.declared_in, "Shop");
    cr_assert_eq(swift.n_protocols, 1);
    expect_name(&swift.protocols[0].name, "Shop.Model");
    done();
}

Test(swift_metadata, imported_types_have_the_names_that_symbols_have)
{
    begin(true, MS_CPU_ARM64, 0, false);
    meta_u32(&image, TYPE, MS_SWIFT_STRUCT | 1 << 18);
    memcpy(image.b.at + STRINGS, "__C", 4);
    memcpy(image.b.at + STRINGS + 64, "Dict\0NDictRef\0St\0", 18);
    meta_relative(&image, TYPE + 8, STRINGS + 64, 0);
    read_all();
    expect_type(0, MS_SWIFT_STRUCT, "__C.DictRef");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_u32(&image, TYPE, MS_SWIFT_STRUCT | 1 << 18);
    memcpy(image.b.at + STRINGS + 64, "AVError\0Re\0", 12);
    meta_relative(&image, TYPE + 8, STRINGS + 64, 0);
    read_all();
    expect_type(0, MS_SWIFT_STRUCT, "Shop.related decl 'e' for AVError");
    done();
}

Test(swift_metadata, contexts_of_other_images)
{
    begin(true, MS_CPU_ARM64, 2, true);
    meta_relative(&image, TYPE + 4, SLOT, 1);
    meta_bind(&image, SLOT, "_$s10Foundation3URLVMn");
    read_all();
    expect_type(0, MS_SWIFT_STRUCT, "Foundation.URL.Hat");
    done();

    begin(true, MS_CPU_ARM64, 2, true);
    meta_relative(&image, TYPE + 4, SLOT, 1);
    meta_bind(&image, SLOT, "_$s10FoundationMXM");
    read_all();
    expect_type(0, MS_SWIFT_STRUCT, "Foundation.Hat");
    done();
}

Test(swift_metadata, damaged_contexts)
{
    begin(true, MS_CPU_ARM64, 0, false);
    meta_relative(&image, TYPE + 4, TYPE, 0); /* in itself */
    read_all();
    expect_fault(swift.types[0].fault, "more than 64 contexts in each other at 0x100000a20");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_u32(&image, TYPE, 7);
    read_all();
    cr_assert_eq(swift.types[0].fault->status, MS_E_UNSUPPORTED);
    cr_assert_str_eq(swift.types[0].fault->text, "the context at 0x100000a20 is of kind 7");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_u32(&image, TYPES, 0);
    read_all();
    expect_fault(swift.types[0].fault, "the offset at 0x100000900 is null");
    done();
}

/* ---- conformances ---------------------------------------------------------------------------- */

static const uint32_t KINDS[] = {0, 1 | 0x10, 3 | 0x10, 7, 2};

Test(swift_metadata, witness_tables)
{
    for (int is64 = 0; is64 < 2; is64++) {
        unsigned bytes = is64 ? 8 : 4;
        begin(is64, is64 ? MS_CPU_X86_64 : MS_CPU_I386, 3, false);
        put_requirements(KINDS, 5);
        put_conformance(0);
        meta_relative(&image, CONFORMANCE + 8, TABLE, 0);
        meta_pointer(&image, TABLE, CONFORMANCE);
        meta_pointer(&image, TABLE + 2 * bytes, META_CODE + 8);
        meta_pointer(&image, TABLE + 3 * bytes, META_CODE + 16);
        meta_pointer(&image, TABLE + 4 * bytes, STRINGS + 1);
        meta_pointer(&image, TABLE + 5 * bytes, STRINGS); /* data */
        read_all();
        const struct ms_swift_conformance *c = &swift.conformances[0];
        cr_assert_eq(swift.n_conformances, 1);
        cr_assert_null(c->fault, "%s", c->fault ? c->fault->text : "");
        expect_name(&c->type, "Shop.Hat");
        expect_name(&c->protocol, "Shop.Model");
        cr_assert_str_eq(c->module, "Shop");
        cr_assert_eq(c->table_vm, image.text_vm + TABLE);
        cr_assert_eq(c->n_witnesses, 5);
        expect_witness(
            0, "protocol witness for Model requirement 1 (base protocol) in conformance Hat", 0);
        expect_witness(1, "protocol witness for Model requirement 2 (method) in conformance Hat",
                       META_CODE + 8);
        expect_witness(2, "protocol witness for Model requirement 3 (getter) in conformance Hat",
                       META_CODE + 16);
        expect_witness(3,
                       "protocol witness for Model requirement 4 (associated type) in conformance "
                       "Hat",
                       0);
        expect_witness(4, "protocol witness for Model requirement 5 (init) in conformance Hat", 0);
        done();
    }
}

/* A protocol without symbols still names its associated types, and flags what is static. */
Test(swift_metadata, names_of_associated_types)
{
    static const uint32_t TWO[] = {7, 3, 1 | 0x10, 7, 2};
    static const char *const NAMES[] = {"Item Key", "Item", "Item Key Third"};
    for (size_t i = 0; i < 3; i++) {
        bool agree = i == 0; /* as many as there are types */
        begin(true, MS_CPU_ARM64, 0, false);
        put_requirements(TWO, 5);
        put_conformance(0);
        meta_relative(&image, CONFORMANCE + 8, TABLE, 0);
        meta_pointer(&image, TABLE, CONFORMANCE);
        meta_relative(&image, PROTOCOL + 20, STRINGS + 64, 0);
        meta_string(&image, STRINGS + 64, NAMES[i]);
        read_all();
        cr_assert_eq(swift.n_witnesses, 5);
        expect_witness(0,
                       agree ? "protocol witness for Model.Item in conformance Hat"
                             : "protocol witness for Model requirement 1 (associated type) in "
                               "conformance Hat",
                       0);
        expect_witness(
            1, "protocol witness for Model requirement 2 (static getter) in conformance Hat", 0);
        expect_witness(2, "protocol witness for Model requirement 3 (method) in conformance Hat",
                       0);
        expect_witness(3,
                       agree ? "protocol witness for Model.Key in conformance Hat"
                             : "protocol witness for Model requirement 4 (associated type) in "
                               "conformance Hat",
                       0);
        expect_witness(4, "protocol witness for Model requirement 5 (init) in conformance Hat", 0);
        done();
    }
}

Test(swift_metadata, a_table_of_another_conformance_is_none)
{
    begin(true, MS_CPU_ARM64, 0, false);
    put_requirements(KINDS, 5);
    put_conformance(0);
    meta_relative(&image, CONFORMANCE + 8, TABLE, 0);
    meta_pointer(&image, TABLE, CONFORMANCE + 4);
    read_all();
    expect_fault(swift.conformances[0].fault, "the witness table at 0x100001100 isn't that of the "
                                              "conformance at 0x100000b00");
    cr_assert_eq(swift.n_witnesses, 0);
    expect_name(&swift.conformances[0].type, "Shop.Hat");
    done();
}

/* With everything that can stand before the witnesses. */
Test(swift_metadata, witnesses_of_a_protocol_of_another_image)
{
    begin(true, MS_CPU_ARM64, 2, true);
    put_conformance(1 << 6 | 1 << 8 | 1 << 16 | 1 << 17 | 1u << 24);
    meta_relative(&image, CONFORMANCE, SLOT, 1);
    meta_bind(&image, SLOT, "_$s7SwiftUI4ViewMp");
    meta_relative(&image, CONFORMANCE + 16, MODULE, 0);
    size_t at = CONFORMANCE + 16 + 4 + 12 + 8;
    meta_u32(&image, at, 3);
    meta_bind(&image, SLOT + 8, "_$s7SwiftUI4ViewP4body4BodyQzvgTq");
    meta_relative(&image, at + 4, SLOT + 8, 1);
    meta_relative(&image, at + 8, META_CODE + 8, 0);
    meta_bind(&image, SLOT + 16, "_$s4Body7SwiftUI4ViewPTl");
    meta_relative(&image, at + 12, SLOT + 16, 1);
    meta_relative(&image, at + 16, STRINGS + 1, 0);
    meta_bind(&image, SLOT + 24, "_$s7SwiftUI4ViewP4loadyyYaFTq");
    meta_relative(&image, at + 20, SLOT + 24, 1);
    meta_relative(&image, at + 24, OTHER, 0); /* an async function: {its code, its size} */
    meta_relative(&image, OTHER, META_CODE + 32, 0);
    read_all();
    const struct ms_swift_conformance *c = &swift.conformances[0];
    cr_assert_null(c->fault, "%s", c->fault ? c->fault->text : "");
    cr_assert(c->is_retroactive && c->is_conditional);
    cr_assert_str_eq(c->module, "Shop");
    expect_name(&c->protocol, "SwiftUI.View");
    cr_assert_eq(c->n_witnesses, 3);
    cr_assert_eq(swift.witnesses[0].kind, MS_SWIFT_GETTER);
    expect_witness(0, "protocol witness for View.body.getter in conformance Hat", META_CODE + 8);
    cr_assert_eq(swift.witnesses[1].kind, MS_SWIFT_ASSOCIATED_TYPE);
    cr_assert_not(swift.witnesses[1].has_address);
    cr_assert_eq(swift.witnesses[2].kind, MS_SWIFT_METHOD);
    expect_witness(2, "protocol witness for View.load() in conformance Hat", META_CODE + 32);
    char text[256];
    ms_swift_witness_write(c, &swift.witnesses[0], MS_DEMANGLE_FULL, text, sizeof text);
    cr_assert_str_eq(text, "protocol witness for SwiftUI.View.body.getter : A.Body in conformance "
                           "Shop.Hat : SwiftUI.View in Shop");
    done();
}

Test(swift_metadata, requirements_of_this_image_listed_one_by_one)
{
    begin(true, MS_CPU_ARM64, 0, false);
    put_requirements(KINDS, 5);
    put_conformance(1 << 16);
    meta_u32(&image, CONFORMANCE + 16, 2);
    meta_relative(&image, CONFORMANCE + 20, PROTOCOL + 24 + 16, 0);
    meta_relative(&image, CONFORMANCE + 24, META_CODE, 0);
    meta_relative(&image, CONFORMANCE + 28, PROTOCOL + 24 + 40, 0); /* one too far */
    meta_relative(&image, CONFORMANCE + 32, META_CODE, 0);
    read_all();
    cr_assert_eq(swift.n_witnesses, 1);
    expect_witness(0, "protocol witness for Model requirement 3 (getter) in conformance Hat",
                   META_CODE);
    expect_fault(
        swift.conformances[0].fault,
        "the witness at 0x100000b1c is of a requirement at 0x100000aa0, which isn't one of "
        "its protocol");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    put_conformance(1 << 16);
    meta_u32(&image, CONFORMANCE + 16, 0x1000000);
    read_all();
    expect_fault(swift.conformances[0].fault,
                 "16777216 witnesses at 0x100000b10 are more than the segment holds");
    done();
}

Test(swift_metadata, types_of_objective_c)
{
    begin(true, MS_CPU_ARM64, 0, false);
    put_conformance(2 << 3);
    meta_string(&image, STRINGS + 64, "NSFileHandle");
    meta_relative(&image, CONFORMANCE + 4, STRINGS + 64, 0);
    read_all();
    expect_name(&swift.conformances[0].type, "__C.NSFileHandle");
    cr_assert_str_eq(swift.conformances[0].module, "Shop");
    done();

    begin(true, MS_CPU_ARM64, 2, true);
    put_conformance(3 << 3);
    meta_relative(&image, CONFORMANCE + 4, SLOT, 0);
    meta_bind(&image, SLOT, "_OBJC_CLASS_$_NSFileHandle");
    read_all();
    expect_name(&swift.conformances[0].type, "__C.NSFileHandle");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    put_conformance(5 << 3);
    read_all();
    cr_assert_eq(swift.conformances[0].fault->status, MS_E_UNSUPPORTED);
    cr_assert_str_eq(swift.conformances[0].fault->text,
                     "the conformance at 0x100000b00 refers to its type in way 5");
    expect_name(&swift.conformances[0].type, "?");
    expect_name(&swift.conformances[0].protocol, "Shop.Model");
    done();
}

Test(swift_metadata, a_type_by_way_of_a_pointer)
{
    begin(true, MS_CPU_ARM64, 2, true);
    put_conformance(1 << 3);
    meta_relative(&image, CONFORMANCE + 4, SLOT, 0);
    meta_pointer(&image, SLOT, TYPE);
    read_all();
    expect_name(&swift.conformances[0].type, "Shop.Hat");
    done();
}

Test(swift_metadata, a_dsym_has_none_of_it)
{
    image = meta_begin(true, MS_CPU_ARM64, 0, MS_MH_DSYM);
    meta_text_section(&image, "__swift5_proto", CONFORMANCES, 4);
    meta_data(&image);
    meta_end(&image, false);
    cr_assert_eq(ms_macho_parse(build_bytes(&image.b), "t", &macho, &err), MS_OK);
    cr_assert_eq(ms_swift_metadata_read(&macho, MS_SWIFT_CONFORMANCES, &swift, &err),
                 MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "a dSYM has no bytes of the sections with Swift's types: the binary "
                               "is needed");
    done();
}

Test(swift_metadata, every_prefix_can_be_read)
{
    begin(true, MS_CPU_ARM64, 2, true);
    put_requirements(KINDS, 5);
    put_conformance(0);
    meta_relative(&image, CONFORMANCE + 8, TABLE, 0);
    meta_pointer(&image, TABLE, CONFORMANCE);
    meta_chain(&image);
    for (size_t n = 0; n < image.b.n; n += n < 600 ? 1 : 7) {
        struct ms_bytes bytes = {image.b.at, n};
        if (ms_macho_parse(bytes, "t", &macho, &err) != MS_OK)
            continue;
        cr_assert_eq(ms_swift_metadata_read(&macho, 7, &swift, &err), MS_OK);
        ms_swift_metadata_fini(&swift);
        ms_macho_fini(&macho);
    }
    build_free(&image.b);
}

Test(swift_metadata, a_witness_symbol_is_believed_for_its_conformance_alone)
{
    static const char SYMBOL[] = "$s5Views3RowV7Toolkit6TitledAadEP5titleAD3IntVvgTW";
    struct ms_swift_conformance c;
    char text[128];
    memset(&c, 0, sizeof c);
    c.type = (struct ms_swift_name){"Views", "Row", NULL};
    c.protocol = (struct ms_swift_name){"Toolkit", "Titled", NULL};
    cr_assert_eq(
        ms_swift_requirement_of_symbol(&c, SYMBOL, MS_DEMANGLE_SIMPLIFIED, text, sizeof text), 19);
    cr_assert_str_eq(text, "Titled.title.getter");
    c.type.path = "Ro";
    cr_assert_eq(
        ms_swift_requirement_of_symbol(&c, SYMBOL, MS_DEMANGLE_SIMPLIFIED, text, sizeof text), 0);
    cr_assert_str_eq(text, "");
}

Test(swift_metadata, kinds_of_symbols)
{
    static const struct {
        const char *symbol;
        enum ms_swift_requirement kind;
    } CASES[] = {{"$s7SwiftUI4ViewP4body4BodyQzvgTq", MS_SWIFT_GETTER},
                 {"$s7Toolkit6TitledP5titleAA3IntVvsTq", MS_SWIFT_SETTER},
                 {"$s7Toolkit6TitledP5titleAA3IntVvMTq", MS_SWIFT_MODIFY},
                 {"$s7Toolkit5SceneP4makexyFZTq", MS_SWIFT_METHOD},
                 {"$s14ArgumentParser17ParsableArgumentsPxycfCTq", MS_SWIFT_INIT},
                 {"$s4Body7SwiftUI4ViewPTl", MS_SWIFT_ASSOCIATED_TYPE},
                 {"$s7SwiftUI4ViewP4BodyAC_AaBTn", MS_SWIFT_ASSOCIATED_CONFORMANCE},
                 {"$sSHSQTb", MS_SWIFT_BASE_PROTOCOL},
                 {"$s5Views3RowV7Toolkit6TitledAadEP5titleAD3IntVvgTW", MS_SWIFT_GETTER},
                 {"$s5Views3RowVMa", MS_SWIFT_UNKNOWN_REQUIREMENT},
                 {"Tq", MS_SWIFT_METHOD},
                 {"", MS_SWIFT_UNKNOWN_REQUIREMENT}};
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        cr_assert_eq(ms_swift_kind_of_symbol(CASES[i].symbol), CASES[i].kind, "%s",
                     CASES[i].symbol);
}
