/* Classes, categories and methods of Objective-C. */
#include "unit/metadata_image.h"

#include "machsym/error.h"
#include "machsym/runtime.h"
#include "resolve/runtime_names.h"

#include <criterion/criterion.h>

static struct metadata_image image;
static struct ms_macho macho;
static struct ms_objc objc;
static struct ms_error err;

/* Where things are, from __TEXT. */
enum {
    CLASSES = 0x1000,
    CATEGORIES = 0x1040,
    LOADS = 0x1080,
    THE_CLASS = 0x1100,
    THE_METACLASS = 0x1140,
    RO = 0x1200,
    META_RO = 0x1280,
    METHODS = 0x1300,
    CLASS_METHODS = 0x1400,
    CATEGORY = 0x1500,
    SELECTORS = 0x1600,
    NAMES = 0xa00,
    COUNT = 0xa40,
    LOAD = 0xa60,
    TYPES = 0xa80
};

static size_t word(size_t off, unsigned n)
{
    return off + n * (image.b.is64 ? 8u : 4u);
}

static size_t ro_word(size_t off, unsigned n)
{
    return word(off + (image.b.is64 ? 16 : 12), n);
}

static void begin(bool is64, uint32_t cputype, uint32_t cpusubtype, bool chained)
{
    unsigned bytes = is64 ? 8 : 4;
    image = meta_begin(is64, cputype, cpusubtype, MS_MH_DYLIB);
    meta_data(&image);
    meta_data_section(&image, "__objc_classlist", 0, bytes);
    meta_data_section(&image, "__objc_catlist", 0x40, bytes);
    meta_data_section(&image, "__objc_nlclslist", 0x80, bytes);
    meta_end(&image, chained);
    meta_string(&image, NAMES, "Hat");
    meta_string(&image, NAMES + 16, "Secrets");
    meta_string(&image, COUNT, "count");
    meta_string(&image, LOAD, "load");
    meta_string(&image, TYPES, "i16@0:8");
    meta_pointer(&image, CLASSES, THE_CLASS);
    meta_pointer(&image, LOADS, THE_CLASS);
    meta_pointer(&image, THE_CLASS, THE_METACLASS);
    meta_pointer(&image, word(THE_CLASS, 4), RO);
    meta_pointer(&image, word(THE_METACLASS, 4), META_RO);
    meta_pointer(&image, ro_word(RO, 1), NAMES);
    meta_pointer(&image, ro_word(META_RO, 1), NAMES);
    meta_pointer(&image, ro_word(RO, 2), METHODS);
}

/* A list of one method, of pointers. */
static void put_method(size_t off, size_t selector, size_t code)
{
    meta_u32(&image, off, image.b.is64 ? 24 : 12);
    meta_u32(&image, off + 4, 1);
    meta_pointer(&image, off + 8, selector);
    meta_pointer(&image, word(off + 8, 1), TYPES);
    meta_pointer(&image, word(off + 8, 2), code);
}

static void add_category(void)
{
    meta_pointer(&image, CATEGORIES, CATEGORY);
    meta_pointer(&image, CATEGORY, NAMES + 16);
    meta_pointer(&image, word(CATEGORY, 2), METHODS);
}

static void read_all(void)
{
    if (image.command)
        meta_chain(&image);
    cr_assert_eq(ms_macho_parse(build_bytes(&image.b), "t", &macho, &err), MS_OK, "%s", err.text);
    cr_assert_eq(ms_objc_read(&macho, &objc, &err), MS_OK, "%s", err.text);
}

static void done(void)
{
    ms_objc_fini(&objc);
    ms_macho_fini(&macho);
    build_free(&image.b);
}

static void expect(size_t owner, size_t i, const char *name, size_t code)
{
    char text[64];
    cr_assert_lt(i, objc.n_methods);
    const struct ms_objc_method *m = &objc.methods[i];
    ms_objc_method_name(&objc.classes[owner], m, true, text, sizeof text);
    cr_assert_str_eq(text, name);
    cr_assert_null(m->fault, "%s", m->fault ? m->fault->text : "");
    cr_assert(m->has_address);
    cr_assert_eq(m->vm, image.text_vm + code, "%s is at 0x%llx", text, (unsigned long long)m->vm);
}

Test(objc_metadata, superclass_of_swift)
{
    begin(true, MS_CPU_ARM64, 2, true);
    meta_bind(&image, word(THE_CLASS, 1), "_OBJC_CLASS_$__TtCs12_SwiftObject");
    put_method(METHODS, COUNT, META_CODE + 8);
    read_all();
    cr_assert_str_eq(objc.classes[0].superclass, "_TtCs12_SwiftObject");
    cr_assert_str_eq(objc.classes[0].shown_superclass, "Swift._SwiftObject");
    done();
}

Test(objc_metadata, classes_and_categories_of_pointers)
{
    for (int is64 = 0; is64 < 2; is64++) {
        begin(is64, is64 ? MS_CPU_X86_64 : MS_CPU_I386, 3, false);
        meta_pointer(&image, ro_word(META_RO, 2), CLASS_METHODS);
        put_method(METHODS, COUNT, META_CODE + 8);
        put_method(CLASS_METHODS, LOAD, META_CODE + 16);
        add_category();
        meta_pointer(&image, word(CATEGORY, 1), THE_CLASS);
        read_all();
        cr_assert_eq(objc.n_classes, 2);
        cr_assert_eq(objc.n_methods, 3);
        cr_assert(objc.classes[0].runs_load);
        cr_assert_null(objc.classes[0].category);
        cr_assert_null(objc.classes[0].superclass);
        cr_assert_not(objc.classes[0].is_swift);
        cr_assert_not(objc.classes[1].runs_load);
        expect(0, 0, "-[Hat count]", META_CODE + 8);
        expect(0, 1, "+[Hat load]", META_CODE + 16);
        expect(1, 2, "-[Hat(Secrets) count]", META_CODE + 8);
        cr_assert_str_eq(objc.methods[0].types, "i16@0:8");
        cr_assert_eq(objc.damage.status, MS_OK);
        done();
    }
}

Test(objc_metadata, the_thumb_bit_is_no_part_of_an_address)
{
    begin(false, MS_CPU_ARM, 9, false);
    put_method(METHODS, COUNT, META_CODE + 8 + 1);
    read_all();
    expect(0, 0, "-[Hat count]", META_CODE + 8);
    done();
}

Test(objc_metadata, signed_pointers_and_symbols_of_other_images)
{
    begin(true, MS_CPU_ARM64, 2, true);
    meta_bind(&image, word(THE_CLASS, 1), "_OBJC_CLASS_$_NSObject");
    put_method(METHODS, COUNT, META_CODE + 8);
    add_category();
    meta_bind(&image, word(CATEGORY, 1), "_OBJC_CLASS_$_NSString");
    read_all();
    cr_assert_str_eq(objc.classes[0].superclass, "NSObject");
    cr_assert_str_eq(objc.classes[0].shown_superclass, "NSObject");
    expect(0, 0, "-[Hat count]", META_CODE + 8);
    expect(1, 1, "-[NSString(Secrets) count]", META_CODE + 8);
    done();
}

Test(objc_metadata, relative_lists)
{
    for (uint32_t direct = 0; direct < 2; direct++) {
        begin(true, MS_CPU_ARM64, 0, false);
        meta_u32(&image, METHODS, 0x80000000 | direct << 30 | 12);
        meta_u32(&image, METHODS + 4, 1);
        meta_pointer(&image, SELECTORS, COUNT);
        meta_relative(&image, METHODS + 8, direct ? COUNT : SELECTORS, 0);
        meta_relative(&image, METHODS + 12, TYPES, 0);
        meta_relative(&image, METHODS + 16, META_CODE + 8, 0);
        read_all();
        expect(0, 0, "-[Hat count]", META_CODE + 8);
        cr_assert_str_eq(objc.methods[0].types, "i16@0:8");
        done();
    }
}

Test(objc_metadata, classes_of_swift_have_readable_names)
{
    begin(true, MS_CPU_ARM64, 0, false);
    meta_string(&image, NAMES, "_TtC4Shop3Hat");
    meta_pointer(&image, word(THE_CLASS, 4), RO + 2);
    put_method(METHODS, COUNT, META_CODE + 8);
    read_all();
    char text[64];
    cr_assert(objc.classes[0].is_swift);
    cr_assert_str_eq(objc.classes[0].shown_name, "Shop.Hat");
    ms_objc_method_name(&objc.classes[0], &objc.methods[0], false, text, sizeof text);
    cr_assert_str_eq(text, "-[Shop.Hat count]");
    expect(0, 0, "-[_TtC4Shop3Hat count]", META_CODE + 8);
    cr_assert_eq(ms_objc_method_name(&objc.classes[0], &objc.methods[0], false, text, 6), 17);
    cr_assert_str_eq(text, "-[Sho");
    done();
}

static void expect_fault(const struct ms_error *fault, const char *text)
{
    cr_assert_not_null(fault);
    cr_assert_eq(fault->status, MS_E_FORMAT);
    cr_assert_str_eq(fault->text, text);
}

Test(objc_metadata, what_is_damaged_is_told_and_the_rest_is_there)
{
    begin(true, MS_CPU_ARM64, 0, false);
    put_method(METHODS, COUNT, 0x900); /* behind the code */
    add_category();
    meta_set(&image, CATEGORIES, 0, 8);
    read_all();
    cr_assert_eq(objc.n_classes, 2);
    expect_fault(objc.methods[0].fault, "no section of code is at 0x100000900");
    cr_assert_not(objc.methods[0].has_address);
    expect_fault(objc.classes[1].fault, "there is a null pointer at 0x100001040");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_string(&image, COUNT, "co unt");
    put_method(METHODS, COUNT, META_CODE);
    meta_set(&image, word(THE_CLASS, 0), 0, 8);
    read_all();
    expect_fault(objc.methods[0].fault, "there is no selector of the method at 0x100001308");
    expect_fault(objc.classes[0].fault, "there is no metaclass of the class at 0x100001100");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_u32(&image, METHODS, 23);
    meta_u32(&image, METHODS + 4, 2);
    read_all();
    expect_fault(objc.classes[0].fault, "the method list at 0x100001300: 2 entries of 20 bytes");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    put_method(METHODS, COUNT, META_CODE);
    meta_u32(&image, METHODS + 4, 4000);
    read_all();
    expect_fault(objc.classes[0].fault, "the file has no bytes for the method at 0x100001ff8");
    done();

    begin(true, MS_CPU_ARM64, 0, false);
    meta_pointer(&image, ro_word(RO, 2), METHODS + 1);
    read_all();
    cr_assert_eq(objc.classes[0].fault->status, MS_E_UNSUPPORTED);
    done();
}

Test(objc_metadata, lists_that_lie_on_each_other_end)
{
    image = meta_begin(true, MS_CPU_ARM64, 0, MS_MH_DYLIB);
    meta_data(&image);
    meta_data_section(&image, "__objc_classlist", 0x800, 0x800);
    meta_end(&image, false);
    /* 256 classes that are one, with 60 methods. */
    for (size_t i = 0; i < 256; i++)
        meta_pointer(&image, 0x1800 + 8 * i, THE_CLASS);
    meta_string(&image, NAMES, "Hat");
    meta_pointer(&image, THE_CLASS, THE_METACLASS);
    meta_pointer(&image, word(THE_CLASS, 4), RO);
    meta_pointer(&image, word(THE_METACLASS, 4), META_RO);
    meta_pointer(&image, ro_word(RO, 1), NAMES);
    meta_pointer(&image, ro_word(RO, 2), METHODS);
    meta_u32(&image, METHODS, 12 | 0x80000000);
    meta_u32(&image, METHODS + 4, 60);
    read_all();
    cr_assert_eq(objc.damage.status, MS_E_LIMIT);
    cr_assert_str_eq(objc.damage.text,
                     "the records of metadata are more than the file has room for");
    cr_assert_leq(objc.n_methods, 2 * META_PAGE / 4);
    done();
}

Test(objc_metadata, a_dsym_has_none_of_it)
{
    image = meta_begin(true, MS_CPU_ARM64, 0, MS_MH_DSYM);
    meta_data(&image);
    meta_data_section(&image, "__objc_classlist", 0, 8);
    meta_end(&image, false);
    cr_assert_eq(ms_macho_parse(build_bytes(&image.b), "t", &macho, &err), MS_OK);
    cr_assert_eq(ms_objc_read(&macho, &objc, &err), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text,
                     "a dSYM has no bytes of the sections with Objective-C's classes: the "
                     "binary is needed");
    done();
}

Test(objc_metadata, every_prefix_can_be_read)
{
    begin(true, MS_CPU_ARM64, 2, true);
    put_method(METHODS, COUNT, META_CODE + 8);
    meta_chain(&image);
    for (size_t n = 0; n < image.b.n; n += n < 600 ? 1 : 7) {
        struct ms_bytes bytes = {image.b.at, n};
        if (ms_macho_parse(bytes, "t", &macho, &err) != MS_OK)
            continue;
        cr_assert_eq(ms_objc_read(&macho, &objc, &err), MS_OK);
        ms_objc_fini(&objc);
        ms_macho_fini(&macho);
    }
    build_free(&image.b);
}

Test(objc_metadata, folded_methods_keep_all_their_names)
{
    struct ms_runtime_names *names;
    struct ms_runtime_name name;
    begin(true, MS_CPU_ARM64, 0, false);
    put_method(METHODS, COUNT, META_CODE + 8);
    meta_pointer(&image, ro_word(META_RO, 2), CLASS_METHODS);
    put_method(CLASS_METHODS, LOAD, META_CODE + 8);
    read_all();
    cr_assert_eq(ms_runtime_names_open(&macho, &names, &err), MS_OK);
    cr_assert_eq(ms_runtime_names_at(names, image.text_vm + META_CODE + 8, 0, &name), MS_OK);
    cr_assert_str_eq(name.name, "-[Hat count]");
    cr_assert_eq(name.source, MS_SOURCE_OBJC);
    cr_assert_eq(ms_runtime_names_at(names, image.text_vm + META_CODE + 8, 1, &name), MS_OK);
    cr_assert_str_eq(name.name, "+[Hat load]");
    cr_assert_eq(ms_runtime_names_at(names, image.text_vm + META_CODE + 8, 2, &name), MS_ABSENT);
    cr_assert_eq(ms_runtime_names_at(names, image.text_vm + META_CODE + 4, 0, &name), MS_ABSENT);
    ms_runtime_names_close(names);
    done();
}

Test(objc_metadata, a_damaged_class_names_nothing)
{
    struct ms_runtime_names *names;
    struct ms_runtime_name name;
    begin(true, MS_CPU_ARM64, 0, false);
    put_method(METHODS, COUNT, META_CODE + 8);
    meta_u32(&image, METHODS + 4, 2); /* the second is none */
    read_all();
    cr_assert_eq(ms_runtime_names_open(&macho, &names, &err), MS_OK);
    cr_assert_eq(ms_runtime_names_at(names, image.text_vm + META_CODE + 8, 0, &name), MS_ABSENT);
    ms_runtime_names_close(names);
    done();
}
