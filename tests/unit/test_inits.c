/*
 * Static initialisers. The images have __TEXT at 0x1000 (32 bits) or 0x100000000, and __DATA of
 * a page behind it, whose words the test writes; there are no fixups, so that words are addresses.
 */
#include "unit/macho_builder.h"

#include "machsym/error.h"
#include "machsym/inits.h"
#include "runtime/code_refs.h"

#include <criterion/criterion.h>

enum { PAGE = 0x1000, DATA_OFF = 0x1000, MOD_INIT = 9, MOD_TERM = 10, INIT_OFFSETS = 0x16 };

static struct build built;
static struct ms_macho macho;
static struct ms_inits inits;
static struct ms_error err;
static uint64_t text_vm, data_vm;
static size_t data_segment;

static void begin_type(bool is64, uint32_t cputype, uint32_t filetype)
{
    built = build_macho(is64, false, cputype, 0, filetype);
    text_vm = is64 ? 0x100000000 : 0x1000;
    data_vm = text_vm + PAGE;
    size_t text = begin_segment(&built, "__TEXT", text_vm, PAGE, 0, PAGE);
    put_section(&built, text, "__init_offsets", "__TEXT", text_vm + 0x800, 12, 0x800, INIT_OFFSETS);
    end_command(&built, text);
    data_segment = begin_segment(&built, "__DATA", data_vm, PAGE, DATA_OFF, PAGE);
}

static void begin(bool is64, uint32_t cputype)
{
    begin_type(is64, cputype, MS_MH_DYLIB);
}

static void section(const char *name, uint64_t off, uint64_t n, uint32_t flags)
{
    put_section(&built, data_segment, name, "__DATA", data_vm + off, n, (uint32_t)(DATA_OFF + off),
                flags);
}

static void set_bytes(size_t off, uint64_t value, unsigned n)
{
    pad_to(&built, DATA_OFF + PAGE);
    for (unsigned i = 0; i < n; i++)
        built.at[off + i] = (uint8_t)(value >> (8 * i));
}

static void set_word(size_t off, uint64_t value)
{
    set_bytes(DATA_OFF + off, value, built.is64 ? 8 : 4);
}

static void set_text(size_t off, const char *text)
{
    pad_to(&built, DATA_OFF + PAGE);
    memcpy(built.at + off, text, strlen(text) + 1);
}

static void read_all(void)
{
    pad_to(&built, DATA_OFF + PAGE);
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK, "%s", err.text);
    cr_assert_eq(ms_inits_read(&macho, &inits, &err), MS_OK, "%s", err.text);
}

static void done(void)
{
    ms_inits_fini(&inits);
    ms_macho_fini(&macho);
    build_free(&built);
}

static void expect(size_t i, enum ms_init_kind kind, uint64_t vm, uint64_t entry_vm)
{
    cr_assert_lt(i, inits.n);
    const struct ms_init *init = &inits.items[i];
    cr_assert_eq(init->kind, kind, "%zu is a %s", i, ms_init_kind_name(init->kind));
    cr_assert(init->has_address, "%zu: %s", i, init->fault ? init->fault->text : "no address");
    cr_assert_eq(init->vm, vm, "%zu is at 0x%llx", i, (unsigned long long)init->vm);
    cr_assert_eq(init->entry_vm, entry_vm);
    cr_assert_null(init->fault);
}

static void expect_fault(size_t i, const char *text)
{
    cr_assert_lt(i, inits.n);
    cr_assert_not(inits.items[i].has_address);
    cr_assert_not_null(inits.items[i].fault);
    cr_assert_str_eq(inits.items[i].fault->text, text);
    cr_assert_eq(inits.items[i].fault->status, MS_E_FORMAT);
}

Test(inits, in_the_order_of_running)
{
    begin(true, MS_CPU_ARM64);
    section("__mod_init_func", 0x100, 16, MOD_INIT);
    section("__mod_term_func", 0x110, 8, MOD_TERM);
    section("__any_name", 0x200, 8, MOD_INIT);
    end_command(&built, data_segment);
    size_t routines = begin_command(&built, 0x1a); /* LC_ROUTINES_64 */
    put_u64(&built, text_vm + 0x40);
    put_zeros(&built, 56);
    end_command(&built, routines);
    set_word(0x100, text_vm + 0x10);
    set_word(0x108, text_vm + 0x20);
    set_word(0x110, text_vm + 0x99);
    set_word(0x200, text_vm + 0x30);
    set_bytes(0x800, 0x50, 4);
    set_bytes(0x804, 0xfff, 4);
    set_bytes(0x808, 0x60, 4);
    read_all();
    cr_assert_eq(inits.n, 7);
    cr_assert_eq(inits.damage.status, MS_OK);
    expect(0, MS_INIT_ROUTINE, text_vm + 0x40, 0);
    cr_assert_null(inits.items[0].section);
    expect(1, MS_INIT_POINTER, text_vm + 0x10, data_vm + 0x100);
    expect(2, MS_INIT_POINTER, text_vm + 0x20, data_vm + 0x108);
    expect(3, MS_INIT_POINTER, text_vm + 0x30, data_vm + 0x200);
    cr_assert_str_eq(inits.items[3].section->name, "__any_name");
    expect(4, MS_INIT_OFFSET, text_vm + 0x50, text_vm + 0x800);
    expect(5, MS_INIT_OFFSET, text_vm + 0xfff, text_vm + 0x804);
    expect(6, MS_INIT_OFFSET, text_vm + 0x60, text_vm + 0x808);
    done();
}

Test(inits, thumb_and_routines_of_32_bits)
{
    begin(false, MS_CPU_ARM);
    section("__mod_init_func", 0x100, 10, MOD_INIT); /* two, and half a pointer */
    end_command(&built, data_segment);
    PUT_COMMAND(&built, 0x11, (uint32_t)text_vm + 0x41, 0, 0, 0, 0, 0, 0, 0);
    set_word(0x100, text_vm + 0x11);
    set_word(0x104, text_vm + 0x20);
    read_all();
    expect(0, MS_INIT_ROUTINE, text_vm + 0x40, 0);
    expect(1, MS_INIT_POINTER, text_vm + 0x10, data_vm + 0x100);
    expect(2, MS_INIT_POINTER, text_vm + 0x20, data_vm + 0x104);
    cr_assert_eq(inits.n, 6);
    done();
}

Test(inits, entries_that_cannot_be_read)
{
    begin(true, MS_CPU_X86_64);
    section("__mod_init_func", 0x100, 16, MOD_INIT);
    end_command(&built, data_segment);
    set_word(0x108, 0x7000000000);
    set_bytes(0x800, 0xffffffff, 4);
    read_all();
    cr_assert_eq(inits.n, 5);
    expect_fault(0, "the pointer at 0x100001100 is null");
    expect_fault(1, "the initialiser at 0x7000000000 lies in no segment");
    expect_fault(2, "the initialiser at 0x1ffffffff lies in no segment");
    done();
}

Test(inits, sections_outside_the_file)
{
    begin(true, MS_CPU_X86_64);
    put_section(&built, data_segment, "__mod_init_func", "__DATA", data_vm, 0x100000, DATA_OFF,
                MOD_INIT);
    section("__more", 0x100, 8, MOD_INIT);
    end_command(&built, data_segment);
    set_word(0x100, text_vm + 0x10);
    read_all();
    cr_assert_eq(inits.damage.status, MS_E_FORMAT);
    cr_assert_str_eq(inits.damage.text, "section __DATA,__mod_init_func takes 0x100000 bytes from "
                                        "there, the file has 0x2000");
    cr_assert_eq(inits.damage.offset, DATA_OFF);
    expect(0, MS_INIT_POINTER, text_vm + 0x10, data_vm + 0x100);
    done();
}

Test(inits, a_dsym_is_refused)
{
    begin_type(true, MS_CPU_ARM64, MS_MH_DSYM);
    end_command(&built, data_segment);
    pad_to(&built, DATA_OFF + PAGE);
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK);
    cr_assert_eq(ms_inits_read(&macho, &inits, &err), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "a dSYM has no bytes of the sections that list initialisers: the "
                               "binary is needed");
    done();
}

/* ---- Objective-C ----------------------------------------------------------------------------- */

enum { CLASSES = 0x300, RO = 0x600, METHODS = 0xa00, NAMES = 0xe00, EACH = 0x50 };

/*
 * Class number i at CLASSES + 2 i EACH, its metaclass behind it; `super` is a number or -1. With
 * `load` 0 its list has another method alone.
 */
static void put_class(unsigned i, int super, uint64_t load)
{
    unsigned w = built.is64 ? 8 : 4;
    size_t at = CLASSES + 2 * i * EACH, meta = at + EACH, ro = RO + 2 * i * EACH;
    size_t meta_ro = ro + EACH, methods = METHODS + i * 0x40, head = built.is64 ? 16 : 12;
    char name[] = {'C', (char)('0' + i), 0};
    set_word(at, data_vm + meta);
    set_word(at + w, super < 0 ? 0 : data_vm + CLASSES + 2 * (unsigned)super * EACH);
    set_word(at + 4 * w, data_vm + ro + 1); /* a Swift class: flags in the low bits */
    set_word(meta + 4 * w, data_vm + meta_ro);
    set_word(ro + head + w, data_vm + NAMES + 0x10 * i);
    set_word(meta_ro + head + 2 * w, data_vm + methods);
    set_text(DATA_OFF + NAMES + 0x10 * i, name);
    set_bytes(DATA_OFF + methods, 3 * w | 3, 4);
    set_bytes(DATA_OFF + methods + 4, load ? 2 : 1, 4);
    set_word(methods + 8, data_vm + NAMES + 0x108);
    set_word(methods + 8 + 2 * w, text_vm + 0x8);
    set_word(methods + 8 + 3 * w, data_vm + NAMES + 0x100);
    set_word(methods + 8 + 5 * w, load);
}

static void put_names(void)
{
    set_text(DATA_OFF + NAMES + 0x100, "load");
    set_text(DATA_OFF + NAMES + 0x108, "loader");
}

static void superclasses_first(bool is64, uint32_t cputype)
{
    unsigned w = is64 ? 8 : 4;
    begin(is64, cputype);
    section("__objc_nlclslist", 0x10, 4 * w, 0);
    end_command(&built, data_segment);
    put_names();
    /* 0 ← 1 (without +load) ← 2 ← 3; listed 3, 0, 2, and 3 again */
    put_class(0, -1, text_vm + 0x100);
    put_class(1, 0, 0);
    put_class(2, 1, text_vm + 0x120);
    put_class(3, 2, text_vm + 0x130);
    static const unsigned LISTED[] = {3, 0, 2, 3};
    for (unsigned i = 0; i < 4; i++)
        set_word(0x10 + i * w, data_vm + CLASSES + 2 * LISTED[i] * EACH);
    read_all();
    cr_assert_eq(inits.n, 3 + 3);
    expect(0, MS_INIT_LOAD_CLASS, text_vm + 0x100, data_vm + 0x10 + w);
    expect(1, MS_INIT_LOAD_CLASS, text_vm + 0x120, data_vm + 0x10 + 2 * w);
    expect(2, MS_INIT_LOAD_CLASS, text_vm + 0x130, data_vm + 0x10);
    cr_assert_str_eq(inits.items[0].class_name, "C0");
    cr_assert_str_eq(inits.items[2].class_name, "C3");
    done();
}

Test(inits, superclasses_first)
{
    superclasses_first(true, MS_CPU_ARM64);
    superclasses_first(false, MS_CPU_I386);
}

Test(inits, classes_that_lead_in_a_circle)
{
    begin(true, MS_CPU_ARM64);
    section("__objc_nlclslist", 0x10, 16, 0);
    end_command(&built, data_segment);
    put_names();
    put_class(0, 1, text_vm + 0x100);
    put_class(1, 0, text_vm + 0x110);
    set_word(0x10, data_vm + CLASSES);
    set_word(0x18, data_vm + CLASSES + 2 * EACH);
    read_all();
    expect(0, MS_INIT_LOAD_CLASS, text_vm + 0x110, data_vm + 0x18);
    expect(1, MS_INIT_LOAD_CLASS, text_vm + 0x100, data_vm + 0x10);
    done();
}

Test(inits, damaged_classes)
{
    begin(true, MS_CPU_ARM64);
    section("__objc_nlclslist", 0x10, 40, 0);
    end_command(&built, data_segment);
    put_names();
    put_class(0, -1, 0);               /* without +load */
    put_class(1, -1, text_vm + 0x110); /* too many methods */
    set_bytes(DATA_OFF + METHODS + 0x40 + 4, 0x10001, 4);
    put_class(2, -1, text_vm + 0x120); /* no metaclass */
    set_word(CLASSES + 4 * EACH, 0);
    put_class(3, -1, text_vm + 0x130); /* no data */
    set_word(CLASSES + 6 * EACH + EACH + 32, 0);
    for (unsigned i = 0; i < 4; i++)
        set_word(0x10 + 8 * i, data_vm + CLASSES + 2 * i * EACH);
    read_all();
    cr_assert_eq(inits.n, 5 + 3);
    expect_fault(0, "the pointer at 0x100001030 is null");
    expect_fault(1, "its list of methods has no +load");
    expect_fault(2, "the method list at 0x100001a40: 65537 entries of 24 bytes");
    expect_fault(3, "the class at 0x100001440 has no metaclass");
    expect_fault(4, "the class at 0x100001530 has no data");
    cr_assert_str_eq(inits.items[1].class_name, "C0");
    done();
}

Test(inits, categories_with_relative_methods)
{
    begin(true, MS_CPU_ARM64);
    section("__objc_nlcatlist", 0x10, 8, 0);
    end_command(&built, data_segment);
    put_names();
    put_class(0, -1, text_vm + 0x100);
    set_word(0x10, data_vm + 0x20);
    set_word(0x20, data_vm + NAMES + 0x180); /* name, class, instance methods, class methods */
    set_word(0x28, data_vm + CLASSES);
    set_word(0x38, data_vm + 0xc00);
    set_text(DATA_OFF + NAMES + 0x180, "Extra");
    set_word(0x60, data_vm + NAMES + 0x100); /* the selector's reference */
    set_bytes(DATA_OFF + 0xc00, 0x8000000c, 4);
    set_bytes(DATA_OFF + 0xc04, 1, 4);
    set_bytes(DATA_OFF + 0xc08, (uint32_t)(0x60 - 0xc08), 4);
    set_bytes(DATA_OFF + 0xc10, (uint32_t)(text_vm + 0x140 - (data_vm + 0xc10)), 4);
    read_all();
    expect(0, MS_INIT_LOAD_CATEGORY, text_vm + 0x140, data_vm + 0x10);
    cr_assert_str_eq(inits.items[0].category, "Extra");
    cr_assert_str_eq(inits.items[0].class_name, "C0");
    done();
}

Test(inits, names_of_source_files)
{
    cr_assert_str_eq(ms_init_source("_GLOBAL__sub_I_x.cpp"), "x.cpp");
    cr_assert_str_eq(ms_init_source("__GLOBAL__sub_I_x.cpp"), "x.cpp");
    cr_assert_null(ms_init_source("_GLOBAL__I_000200"));
    cr_assert_null(ms_init_source("_GLOBAL__sub_I_"));
    cr_assert_null(ms_init_source("main"));
    cr_assert_null(ms_init_source(NULL));
    cr_assert_str_eq(ms_init_kind_name(MS_INIT_LOAD_CATEGORY), "load-category");
    cr_assert_str_eq(ms_init_kind_name((enum ms_init_kind)77), "unknown");
}

/* ---- what code names ------------------------------------------------------------------------- */

static struct ms_code_ref refs[32];
static size_t n_refs;

static bool take(void *owner, const struct ms_code_ref *ref)
{
    (void)owner;
    if (n_refs < sizeof refs / sizeof *refs)
        refs[n_refs++] = *ref;
    return true;
}

static void scan(size_t n)
{
    struct ms_fixups *fixups;
    n_refs = 0;
    pad_to(&built, DATA_OFF + PAGE);
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK);
    cr_assert_eq(ms_fixups_open(&macho, &fixups, &err), MS_OK);
    cr_assert(ms_code_refs(&macho, fixups, text_vm + 0x900, n, take, NULL));
    ms_fixups_close(fixups);
    ms_macho_fini(&macho);
}

static void expect_ref(size_t i, enum ms_ref_kind kind, uint64_t at, uint64_t target)
{
    cr_assert_lt(i, n_refs);
    cr_assert_eq(refs[i].kind, kind, "%zu is a %d", i, refs[i].kind);
    cr_assert_eq(refs[i].at_vm, text_vm + 0x900 + at, "%zu", i);
    cr_assert_eq(refs[i].target_vm, target, "%zu: 0x%llx", i,
                 (unsigned long long)refs[i].target_vm);
}

Test(inits, what_arm64_code_names)
{
    static const uint32_t CODE_WORDS[] = {
        0xb0000000, /* adrp x0, page of data */
        0x91008001, /* add x1, x0, #0x20 */
        0xb9003002, /* str w2, [x0, #0x30] */
        0xb9403003, /* ldr w3, [x0, #0x30] */
        0xf9402004, /* ldr x4, [x0, #0x40]: a slot */
        0xb9000885, /* str w5, [x4, #8] */
        0xf8048006, /* stur x6, [x0, #0x48] */
        0xa9050c02, /* stp x2, x3, [x0, #0x50] */
        0x94000010, /* bl */
        0x91008001, /* add x1, x0, #0x20: x0 is lost */
        0xb0000013, /* adrp x19 */
        0x94000010, /* bl */
        0x91008261, /* add x1, x19, #0x20 */
        0x3d801260, /* str q0, [x19, #0x40] */
        0x10000080, /* adr x0, . + 0x10 */
        0x17fffffe, /* b . - 8 */
    };
    begin(true, MS_CPU_ARM64);
    end_command(&built, data_segment);
    for (size_t i = 0; i < sizeof CODE_WORDS / 4; i++)
        set_bytes(0x900 + 4 * i, CODE_WORDS[i], 4);
    set_word(0x40, data_vm + 0x80);
    scan(sizeof CODE_WORDS);
    expect_ref(0, MS_REF_ADDRESS, 4, data_vm + 0x20);
    expect_ref(1, MS_REF_WRITE, 8, data_vm + 0x30);
    expect_ref(2, MS_REF_READ, 12, data_vm + 0x30);
    expect_ref(3, MS_REF_READ, 16, data_vm + 0x40);
    expect_ref(4, MS_REF_SLOT, 16, data_vm + 0x80);
    expect_ref(5, MS_REF_WRITE, 20, data_vm + 0x88);
    expect_ref(6, MS_REF_WRITE, 24, data_vm + 0x48);
    expect_ref(7, MS_REF_WRITE, 28, data_vm + 0x50);
    expect_ref(8, MS_REF_CALL, 32, text_vm + 0x900 + 32 + 0x40);
    expect_ref(9, MS_REF_CALL, 44, text_vm + 0x900 + 44 + 0x40);
    expect_ref(10, MS_REF_ADDRESS, 48, data_vm + 0x20);
    expect_ref(11, MS_REF_WRITE, 52, data_vm + 0x40);
    expect_ref(12, MS_REF_ADDRESS, 56, text_vm + 0x900 + 56 + 0x10);
    expect_ref(13, MS_REF_CALL, 60, text_vm + 0x900 + 60 - 8);
    cr_assert_eq(n_refs, 14);
    build_free(&built);
}

/* Puts code for x86_64 at `at`, with the displacement that leads to `target` from its end. */
static size_t put_code(size_t at, const char *bytes, size_t n, uint64_t target, const char *rest,
                       size_t n_rest)
{
    for (size_t i = 0; i < n; i++)
        set_bytes(0x900 + at + i, (uint8_t)bytes[i], 1);
    uint64_t end = text_vm + 0x900 + at + n + 4 + n_rest;
    set_bytes(0x900 + at + n, target - end, 4);
    for (size_t i = 0; i < n_rest; i++)
        set_bytes(0x900 + at + n + 4 + i, (uint8_t)rest[i], 1);
    return at + n + 4 + n_rest;
}

Test(inits, what_x86_64_code_names)
{
    begin(true, MS_CPU_X86_64);
    end_command(&built, data_segment);
    size_t at = put_code(0, "\x48\x8d\x3d", 3, data_vm + 0x20, "", 0); /* lea */
    at = put_code(at, "\x89\x05", 2, data_vm + 0x30, "", 0);           /* mov [], eax */
    at = put_code(at, "\x8b\x05", 2, data_vm + 0x34, "", 0);           /* mov eax, [] */
    at = put_code(at, "\xc7\x05", 2, data_vm + 0x38, "\1\0\0\0", 4);   /* mov [], 1 */
    at = put_code(at, "\xc6\x05", 2, data_vm + 0x3c, "\1", 1);
    at = put_code(at, "\xe8", 1, text_vm + 0x700, "", 0);
    at = put_code(at, "\x48\x8b\x05", 3, data_vm + 0x40, "", 0); /* a slot */
    at = put_code(at, "\x0f\x11\x05", 3, data_vm + 0x50, "", 0); /* movups [], xmm0 */
    at = put_code(at, "\xff\x05", 2, data_vm + 0x54, "", 0);     /* inc [] */
    set_word(0x40, data_vm + 0x80);
    scan(at);
    size_t found = 0;
    static const struct {
        enum ms_ref_kind kind;
        uint64_t off; /* in __DATA */
    } EXPECTED[] = {{MS_REF_ADDRESS, 0x20}, {MS_REF_WRITE, 0x30}, {MS_REF_READ, 0x34},
                    {MS_REF_WRITE, 0x38},   {MS_REF_WRITE, 0x3c}, {MS_REF_READ, 0x40},
                    {MS_REF_SLOT, 0x80},    {MS_REF_WRITE, 0x50}, {MS_REF_READ, 0x54}};
    for (size_t i = 0; i < n_refs && found < 9; i++)
        if (refs[i].kind == EXPECTED[found].kind &&
            refs[i].target_vm == data_vm + EXPECTED[found].off)
            found++;
    cr_assert_eq(found, 9, "only %zu, in this order", found);
    bool has_call = false;
    for (size_t i = 0; i < n_refs; i++)
        has_call |= refs[i].kind == MS_REF_CALL && refs[i].target_vm == text_vm + 0x700;
    cr_assert(has_call);
    build_free(&built);
}
