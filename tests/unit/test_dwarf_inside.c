/* What printing reads: names of types, parents, location expressions and lists, whole line
 * tables. */
#include "dwarf/expression.h"
#include "dwarf/line_table.h"
#include "dwarf/locals.h"
#include "dwarf/loclists.h"
#include "dwarf/reader.h"
#include "machsym/macho.h"
#include "unit/dwarf_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>

/* ---- a unit of types ------------------------------------------------------------------------ */

enum {
    UNIT = 1,
    BASE,    /* name */
    POINTER, /* type */
    VOID,    /* pointer without a type */
    CONST,
    VOLATILE,
    REFERENCE,
    ARRAY,    /* type, children */
    RANGE,    /* count */
    FUNCTION, /* type, children */
    ACTION,   /* no type, children */
    PARAMETER,
    MORE,
    NAMESPACE, /* name, children */
    ANONYMOUS, /* namespace without a name */
    STRUCT,    /* name, children */
    NAMELESS,  /* structure without a name */
    MEMBER,    /* ptr_to_member: type, containing type */
    RESTRICT,
    TYPEDEF,
    TYPE_ARGUMENT,
    VALUE_ARGUMENT,
    SUBPROGRAM,     /* name, children */
    SIGNED,         /* a structure: signature */
    SIGNED_POINTER, /* type: signature */
    TYPE_UNIT,      /* children */
    CONTAINER,      /* a structure without a name: children */
    FIELD,          /* type */
    NAMED_FIELD     /* type, name */
};

struct typed {
    struct dw_image image;
    struct ms_types types;
    size_t unit;
};

static void declare(struct dw_image *image)
{
    static const unsigned none[] = {0};
    static const unsigned name[] = {DW_AT_name, DW_FORM_string, 0};
    static const unsigned type[] = {DW_AT_type, DW_FORM_ref4, 0};
    static const unsigned count[] = {DW_AT_count, DW_FORM_data1, 0};
    static const unsigned unit[] = {DW_AT_language, DW_FORM_data1, 0};
    static const unsigned member[] = {DW_AT_type, DW_FORM_ref4, DW_AT_containing_type, DW_FORM_ref4,
                                      0};
    static const unsigned both[] = {DW_AT_type, DW_FORM_ref4, DW_AT_name, DW_FORM_string, 0};
    static const unsigned sign[] = {DW_AT_signature, DW_FORM_ref_sig8, 0};
    static const unsigned signed_type[] = {DW_AT_type, DW_FORM_ref_sig8, 0};
    static const unsigned value[] = {DW_AT_type, DW_FORM_ref4, DW_AT_const_value, DW_FORM_sdata, 0};
    static const struct {
        unsigned code, tag;
        bool children;
        const unsigned *specs;
    } all[] = {
        {UNIT, DW_TAG_compile_unit, true, unit},
        {BASE, DW_TAG_base_type, false, name},
        {POINTER, DW_TAG_pointer_type, false, type},
        {VOID, DW_TAG_pointer_type, false, none},
        {CONST, DW_TAG_const_type, false, type},
        {VOLATILE, DW_TAG_volatile_type, false, type},
        {REFERENCE, DW_TAG_reference_type, false, type},
        {ARRAY, DW_TAG_array_type, true, type},
        {RANGE, DW_TAG_subrange_type, false, count},
        {FUNCTION, DW_TAG_subroutine_type, true, type},
        {ACTION, DW_TAG_subroutine_type, true, none},
        {PARAMETER, DW_TAG_formal_parameter, false, type},
        {MORE, DW_TAG_unspecified_parameters, false, none},
        {NAMESPACE, DW_TAG_namespace, true, name},
        {ANONYMOUS, DW_TAG_namespace, true, none},
        {STRUCT, DW_TAG_structure_type, true, name},
        {NAMELESS, DW_TAG_structure_type, false, none},
        {MEMBER, DW_TAG_ptr_to_member_type, false, member},
        {RESTRICT, DW_TAG_restrict_type, false, type},
        {TYPEDEF, DW_TAG_typedef, false, both},
        {TYPE_ARGUMENT, DW_TAG_template_type_parameter, false, type},
        {VALUE_ARGUMENT, DW_TAG_template_value_parameter, false, value},
        {SUBPROGRAM, DW_TAG_subprogram, true, name},
        {SIGNED, DW_TAG_structure_type, false, sign},
        {SIGNED_POINTER, DW_TAG_pointer_type, false, signed_type},
        {TYPE_UNIT, DW_TAG_type_unit, true, none},
        {CONTAINER, DW_TAG_structure_type, true, none},
        {FIELD, DW_TAG_member, false, type},
        {NAMED_FIELD, DW_TAG_member, false, both},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        dw_declare(image, all[i].code, all[i].tag, all[i].children, all[i].specs);
    dw_u8(&image->abbrev, 0);
}

static void begin_in(struct typed *t, unsigned language)
{
    memset(t, 0, sizeof *t);
    t->image = dw_image(4, 8, 4, false);
    declare(&t->image);
    t->unit = dw_unit(&t->image, 0);
    dw_u8(&t->image.info, UNIT);
    dw_u8(&t->image.info, language);
}
static void begin(struct typed *t)
{
    begin_in(t, 0x0c); /* C99 */
}

/* A DIE with a name, a reference, or neither; returns its offset. */
static uint32_t named(struct typed *t, unsigned code, const char *name)
{
    uint32_t off = (uint32_t)t->image.info.n;
    dw_u8(&t->image.info, code);
    dw_str(&t->image.info, name);
    return off;
}
static uint32_t bare(struct typed *t, unsigned code)
{
    uint32_t off = (uint32_t)t->image.info.n;
    dw_u8(&t->image.info, code);
    return off;
}
static uint32_t of(struct typed *t, unsigned code, uint32_t type)
{
    uint32_t off = bare(t, code);
    dw_u32(&t->image.info, type);
    return off;
}
static void end(struct typed *t)
{
    dw_u8(&t->image.info, 0);
}

static void finish(struct typed *t)
{
    end(t);
    dw_end(&t->image, &t->image.info, t->unit);
    ms_types_init(&t->types, dw_open(&t->image), 1 << 20);
}
static void done(struct typed *t)
{
    ms_types_fini(&t->types);
    dw_close(&t->image);
}

static void expect_type(struct typed *t, uint32_t off, const char *expected)
{
    struct ms_text text;
    ms_text_init(&text, 1 << 16);
    ms_type_name(&t->types, off, &text);
    cr_assert_str_eq(text.at ? text.at : "", expected, "%s, not %s", text.at, expected);
    ms_text_fini(&text);
}

/* A nameless structure of one nameless member, and what looks like it but for one thing. */
static void expect_contained(unsigned language, bool expected)
{
    struct typed t;
    struct ms_type_die die;
    uint64_t off = 0;
    begin_in(&t, language);
    uint32_t text = named(&t, BASE, "$sSaySSGD");
    uint32_t container = bare(&t, CONTAINER);
    of(&t, FIELD, text);
    end(&t);
    uint32_t two = bare(&t, CONTAINER);
    of(&t, FIELD, text);
    of(&t, FIELD, text);
    end(&t);
    uint32_t of_named = bare(&t, CONTAINER);
    of(&t, NAMED_FIELD, text);
    dw_str(&t.image.info, "x");
    end(&t);
    uint32_t empty = bare(&t, CONTAINER);
    end(&t);
    uint32_t with_name = named(&t, STRUCT, "Pair");
    of(&t, FIELD, text);
    end(&t);
    finish(&t);
    cr_assert(ms_type_die_read(&t.types, container, &die));
    cr_assert_eq(ms_type_contained(&t.types, &die, &off), expected);
    cr_assert_eq(off, expected ? text : 0);
    const uint32_t others[] = {two, of_named, empty, with_name, text};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        cr_assert(ms_type_die_read(&t.types, others[i], &die));
        cr_assert_not(ms_type_contained(&t.types, &die, &off), "%zu", i);
    }
    done(&t);
}

Test(dwarf_inside, containers_of_swift)
{
    expect_contained(0x1e, true);
    expect_contained(0x0c, false); /* C's unions without a name stand so, too */
}

Test(dwarf_inside, types_of_c)
{
    struct typed t;
    begin(&t);
    uint32_t c_int = named(&t, BASE, "int"), c_char = named(&t, BASE, "char");
    uint32_t const_char = of(&t, CONST, c_char), text = of(&t, POINTER, const_char);
    uint32_t fixed = of(&t, CONST, text), any = bare(&t, VOID);
    uint32_t both = of(&t, CONST, of(&t, VOLATILE, c_int));
    uint32_t reference = of(&t, REFERENCE, const_char);
    uint32_t array = of(&t, ARRAY, text);
    dw_u8(&t.image.info, RANGE);
    dw_u8(&t.image.info, 4);
    dw_u8(&t.image.info, RANGE);
    dw_u8(&t.image.info, 7);
    end(&t);
    uint32_t to_array = of(&t, POINTER, array);
    uint32_t function = of(&t, FUNCTION, c_int);
    of(&t, PARAMETER, text);
    bare(&t, MORE);
    end(&t);
    uint32_t callback = of(&t, POINTER, function);
    uint32_t action = bare(&t, ACTION);
    of(&t, PARAMETER, callback);
    end(&t);
    uint32_t to_action = of(&t, POINTER, action);
    uint32_t fixed_only = of(&t, CONST, (uint32_t)t.image.info.n + 5);
    uint32_t only = of(&t, RESTRICT, text), nameless = bare(&t, NAMELESS);
    uint32_t alias = of(&t, TYPEDEF, c_int);
    dw_str(&t.image.info, "size_t");
    finish(&t);
    expect_type(&t, c_int, "int");
    expect_type(&t, text, "const char *");
    expect_type(&t, fixed, "const char *const");
    expect_type(&t, any, "void *");
    expect_type(&t, both, "const volatile int");
    expect_type(&t, reference, "const char &");
    expect_type(&t, array, "const char *[4][7]");
    expect_type(&t, to_array, "const char *(*)[4][7]");
    expect_type(&t, callback, "int (*)(const char *, ...)");
    expect_type(&t, to_action, "void (*)(int (*)(const char *, ...))");
    expect_type(&t, only, "const char *restrict");
    expect_type(&t, fixed_only, "const char *restrict const");
    expect_type(&t, nameless, "structure ");
    expect_type(&t, alias, "size_t");
    done(&t);
}

Test(dwarf_inside, types_of_cxx)
{
    struct typed t;
    begin(&t);
    uint32_t c_int = named(&t, BASE, "int"), c_bool = named(&t, BASE, "bool");
    named(&t, NAMESPACE, "outer");
    bare(&t, ANONYMOUS);
    uint32_t box = named(&t, STRUCT, "Box");
    of(&t, TYPE_ARGUMENT, c_int);
    of(&t, VALUE_ARGUMENT, c_bool);
    dw_sleb(&t.image.info, 1);
    uint32_t inner = named(&t, STRUCT, "Inner<int>");
    end(&t);
    end(&t);
    uint32_t nested = named(&t, STRUCT, "Nested");
    of(&t, TYPE_ARGUMENT, box);
    end(&t);
    end(&t);
    end(&t);
    uint32_t member = of(&t, MEMBER, c_int);
    dw_u32(&t.image.info, nested);
    named(&t, SUBPROGRAM, "f");
    uint32_t local = named(&t, STRUCT, "Local");
    end(&t);
    end(&t);
    finish(&t);
    expect_type(&t, box, "outer::(anonymous namespace)::Box<int, true>");
    expect_type(&t, inner, "outer::(anonymous namespace)::Box<int, true>::Inner<int>");
    expect_type(
        &t, nested,
        "outer::(anonymous namespace)::Nested<outer::(anonymous namespace)::Box<int, true> >");
    expect_type(&t, member,
                "int outer::(anonymous namespace)::Nested<outer::(anonymous namespace)::Box<int, "
                "true> >::*");
    expect_type(&t, local, "Local");
    done(&t);
}

/* A unit of .debug_types with one structure in a namespace; `other` is what its member points to.
 * Returns where the unit starts. */
static size_t type_unit(struct typed *t, uint64_t signature, const char *name, uint64_t other)
{
    struct dw *b = &t->image.types;
    size_t start = b->n;
    dw_u32(b, 0);
    dw_u16(b, 4);
    dw_u32(b, 0);
    dw_u8(b, 8);
    dw_u64(b, signature);
    size_t type_off = b->n;
    dw_u32(b, 0);
    dw_u8(b, TYPE_UNIT);
    dw_u8(b, NAMESPACE);
    dw_str(b, "space");
    dw_write(b, type_off, b->n - start, 4);
    dw_u8(b, STRUCT);
    dw_str(b, name);
    dw_u8(b, SIGNED_POINTER);
    dw_u64(b, other);
    for (int i = 0; i < 3; i++)
        dw_u8(b, 0);
    dw_write(b, start, b->n - start - 4, 4);
    return start;
}

Test(dwarf_inside, types_in_type_units)
{
    struct typed t;
    begin(&t);
    uint32_t declared = bare(&t, SIGNED);
    dw_u64(&t.image.info, 0x1111);
    uint32_t pointer = bare(&t, SIGNED_POINTER);
    dw_u64(&t.image.info, 0x2222);
    uint32_t to_declared = of(&t, POINTER, declared);
    uint32_t nowhere = bare(&t, SIGNED);
    dw_u64(&t.image.info, 0x3333);
    type_unit(&t, 0x1111, "First", 0x2222);
    size_t second = type_unit(&t, 0x2222, "Second", 0x1111);
    finish(&t);
    uint32_t base = (uint32_t)t.image.info.n;
    uint32_t structure = base + (uint32_t)second + 23 + 8, member = structure + 8;
    uint64_t parent;
    expect_type(&t, declared, "space::First");
    expect_type(&t, pointer, "space::Second *");
    expect_type(&t, to_declared, "space::First *");
    expect_type(&t, nowhere, "structure ");
    expect_type(&t, structure, "space::Second");
    expect_type(&t, member, "space::First *");
    cr_assert(ms_types_parent(&t.types, member, &parent));
    cr_assert_eq(parent, structure);
    cr_assert_not(ms_types_parent(&t.types, base + (uint32_t)second + 23, &parent));
    cr_assert_null(ms_types_unit(&t.types, base + t.image.types.n));
    done(&t);
}

Test(dwarf_inside, types_that_lead_back_to_themselves_end)
{
    struct typed t;
    struct ms_text text;
    begin(&t);
    uint32_t self = (uint32_t)t.image.info.n;
    of(&t, POINTER, self);
    uint32_t function = (uint32_t)t.image.info.n;
    of(&t, FUNCTION, function);
    of(&t, PARAMETER, function);
    of(&t, PARAMETER, function);
    end(&t);
    uint32_t nowhere = of(&t, POINTER, 0x7fffffff);
    finish(&t);
    ms_text_init(&text, 1 << 16);
    ms_type_name(&t.types, self, &text);
    cr_assert(text.n >= 3 && strncmp(text.at, "...", 3) == 0, "%s", text.at);
    ms_text_clear(&text);
    ms_type_name(&t.types, function, &text);
    cr_assert(text.n < 1 << 15);
    ms_text_fini(&text);
    expect_type(&t, nowhere, "void *");
    expect_type(&t, 0x7fffffff, "");
    done(&t);
}

Test(dwarf_inside, parents)
{
    struct typed t;
    uint64_t parent;
    begin(&t);
    uint32_t space = named(&t, NAMESPACE, "n"), box = named(&t, STRUCT, "B");
    end(&t);
    uint32_t second = named(&t, BASE, "int");
    end(&t);
    uint32_t last = named(&t, BASE, "char");
    finish(&t);
    cr_assert(ms_types_parent(&t.types, box, &parent));
    cr_assert_eq(parent, space);
    cr_assert(ms_types_parent(&t.types, second, &parent));
    cr_assert_eq(parent, space);
    cr_assert(ms_types_parent(&t.types, last, &parent));
    cr_assert_eq(parent, 11);
    cr_assert_not(ms_types_parent(&t.types, 11, &parent));
    cr_assert_not(ms_types_parent(&t.types, 0x7fffffff, &parent));
    done(&t);
}

Test(dwarf_inside, trees_cut_short_at_every_byte)
{
    struct typed t;
    begin(&t);
    named(&t, NAMESPACE, "n");
    uint32_t box = named(&t, STRUCT, "B");
    of(&t, TYPE_ARGUMENT, box);
    end(&t);
    end(&t);
    dw_end(&t.image, &t.image.info, t.unit);
    size_t whole = t.image.info.n;
    for (size_t n = 12; n <= whole; n++) {
        t.image.info.n = n;
        dw_write(&t.image.info, 0, n - 4, 4);
        ms_types_init(&t.types, dw_open(&t.image), 1 << 20);
        struct ms_text text;
        ms_text_init(&text, 1 << 10);
        ms_type_name(&t.types, box, &text);
        ms_text_fini(&text);
        ms_types_fini(&t.types);
        ms_dwarf_close(t.image.reader);
    }
    t.image.reader = NULL;
    dw_close(&t.image);
}

/* ---- expressions ------------------------------------------------------------------------------
 */

static void expect_expression(const void *bytes, size_t n, uint32_t cputype, const char *expected)
{
    struct ms_unit unit;
    struct ms_text text;
    memset(&unit, 0, sizeof unit);
    unit.encoding = (struct ms_encoding){4, 8, 4, 4, false};
    ms_text_init(&text, 1 << 12);
    ms_expression_text((struct ms_bytes){bytes, n}, &unit, cputype, &text);
    cr_assert_str_eq(text.at, expected, "%s, not %s", text.at, expected);
    ms_text_fini(&text);
}

Test(dwarf_inside, expressions)
{
    expect_expression("", 0, MS_CPU_ARM64, "<empty>");
    expect_expression("\x6d", 1, MS_CPU_ARM64, "DW_OP_reg29 W29");
    expect_expression("\x8f\x0c", 2, MS_CPU_ARM64, "DW_OP_breg31 WSP+12");
    expect_expression("\x76\x78", 2, MS_CPU_X86_64, "DW_OP_breg6 RBP-8");
    expect_expression("\x91\x78", 2, MS_CPU_X86_64, "DW_OP_fbreg -8");
    expect_expression("\x50\x93\x04\x30\x9f", 5, MS_CPU_I386,
                      "DW_OP_reg0 EAX, DW_OP_piece 0x4, DW_OP_lit0, DW_OP_stack_value");
    expect_expression("\xa3\x01\x50\x9f", 4, MS_CPU_ARM,
                      "DW_OP_entry_value(DW_OP_reg0 R0), DW_OP_stack_value");
    expect_expression("\x03\1\2\3\4\5\6\7\x08", 9, MS_CPU_ARM64, "DW_OP_addr 0x807060504030201");
    expect_expression("\x9e\2\xab\xcd", 4, MS_CPU_ARM64, "DW_OP_implicit_value 0x2 0xab 0xcd");
    expect_expression("\xa8\0", 2, MS_CPU_ARM64, "DW_OP_convert 0x0");
    expect_expression("\xa8\5", 2, MS_CPU_ARM64, "DW_OP_convert <invalid base_type ref: 0x5>");
    expect_expression("\x90\x40", 2, MS_CPU_ARM64, "DW_OP_regx B0");
    expect_expression("\x50", 1, MS_CPU_PPC, "DW_OP_reg0");
}

Test(dwarf_inside, broken_expressions)
{
    expect_expression("\x50\x03\1", 3, MS_CPU_ARM64, "DW_OP_reg0 W0, <decoding error> 03 01");
    expect_expression("\xff", 1, MS_CPU_ARM64, "<decoding error> ff");
    expect_expression("\x9e\x7f\0", 3, MS_CPU_ARM64, "<decoding error> 9e 7f 00");
}

/* ---- lists of locations
 * -------------------------------------------------------------------------- */

static size_t count_list(unsigned version, const void *bytes, size_t n, uint64_t off,
                         struct ms_loclist *list, struct ms_loclist_entry *last)
{
    static struct ms_unit unit;
    struct ms_value value = {.form = DW_FORM_sec_offset, .u = off};
    size_t entries = 0;
    struct dw_image image = dw_image(version, 4, 4, false);
    memset(&unit, 0, sizeof unit);
    dw_declare(&image, 1, DW_TAG_compile_unit, false, (const unsigned[]){0});
    dw_u8(&image.abbrev, 0);
    dw_end(&image, &image.info, dw_unit(&image, 0));
    unit.dwarf = dw_open(&image);
    unit.encoding = (struct ms_encoding){(uint16_t)version, 4, 4, 4, false};
    unit.low = 0x1000;
    if (!ms_loclist_start(list, &unit, (struct ms_bytes){bytes, n}, 12, &value)) {
        dw_close(&image);
        return SIZE_MAX;
    }
    while (ms_loclist_next(list, last))
        entries++;
    dw_close(&image);
    return entries;
}

Test(dwarf_inside, old_lists)
{
    static const char bytes[] = "\x10\0\0\0\x20\0\0\0\1\0\x50"
                                "\xff\xff\xff\xff\0\x20\0\0" /* base 0x2000 */
                                "\4\0\0\0\x08\0\0\0\0\0"
                                "\0\0\0\0\0\0\0\0";
    struct ms_loclist list;
    struct ms_loclist_entry last;
    cr_assert_eq(count_list(4, bytes, sizeof bytes - 1, 0, &list, &last), 2);
    cr_assert_null(list.fault);
    cr_assert_eq(count_list(4, bytes, sizeof bytes - 9, 0, &list, &last), 2);
    cr_assert_str_eq(list.fault, "has no end");
    cr_assert_eq(count_list(4, bytes, sizeof bytes - 1, 500, &list, &last), SIZE_MAX);
}

Test(dwarf_inside, new_lists)
{
    static const char bytes[] = "\x04\x10\x20\1\x50"             /* offset pair */
                                "\x05\1\x51"                     /* default */
                                "\x07\0\x30\0\0\0\x31\0\0\1\x52" /* start, end */
                                "\x08\0\x40\0\0\x10\1\x53\0";
    struct ms_loclist list;
    struct ms_loclist_entry last;
    cr_assert_eq(count_list(5, bytes, sizeof bytes - 1, 0, &list, &last), 4);
    cr_assert_null(list.fault);
    for (size_t n = 1; n < sizeof bytes - 1; n++) {
        cr_assert_lt(count_list(5, bytes, n, 0, &list, &last), 5);
        cr_assert_not_null(list.fault, "%zu", n);
    }
    cr_assert_eq(count_list(5, "\x09", 1, 0, &list, &last), 0);
    cr_assert_str_eq(list.fault,
                     "has an entry of an unknown kind, or names an address that isn't there");
    cr_assert_eq(count_list(5, "\1\5", 2, 0, &list, &last), 0);
    cr_assert_str_eq(list.fault, "names an address that isn't there");
}

/* ---- line tables --------------------------------------------------------------------------------
 */

static struct dw_image lined(unsigned version)
{
    struct dw_image image = dw_image(version, 8, 4, false);
    dw_declare(&image, 1, DW_TAG_compile_unit, false, (const unsigned[]){0});
    dw_u8(&image.abbrev, 0);
    dw_end(&image, &image.info, dw_unit(&image, 0));
    struct dw_line line = dw_line(&image);
    dw_bytes(&image.line, version < 5 ? "d\0\0a.c\0\1\2\3\0" : "\0\0\1\1\x08\1a.c\0",
             version < 5 ? 11 : 10);
    dw_line_program(&image, line);
    dw_set_address(&image, 0x1000);
    dw_row(&image, 0, 4);
    dw_u8(&image.line, DW_LNS_set_prologue_end);
    dw_u8(&image.line, DW_LNS_negate_stmt);
    dw_bytes(&image.line, "\0\2\4\7", 4); /* discriminator 7 */
    dw_u8(&image.line, DW_LNS_set_isa);
    dw_u8(&image.line, 3);
    dw_u8(&image.line, 13 + 5 + 14 * 2 + 1); /* two bytes and one line on */
    dw_end_sequence(&image, 4);
    dw_end(&image, &image.line, line.start);
    return image;
}

Test(dwarf_inside, rows_with_all_registers)
{
    for (unsigned version = 2; version <= 5; version++) {
        struct dw_image image = lined(version);
        struct ms_line_tables *tables;
        struct ms_line_table table;
        struct ms_line_row row;
        struct ms_error err;
        cr_assert_eq(ms_line_tables_open(dw_open(&image), &tables, &err), MS_OK);
        cr_assert_eq(ms_line_tables_next(tables, &table, &err), MS_OK);
        cr_assert_eq(table.damage.status, MS_OK);
        cr_assert_eq(table.n_files, 1);
        cr_assert_str_eq(table.files[0].name, "a.c");
        cr_assert_eq(table.files[0].mtime, version < 5 ? 2 : 0);
        cr_assert(ms_line_rows_next(tables, &row, &err));
        cr_assert(row.address == 0x1000 && row.line == 5 && row.is_stmt && !row.prologue_end);
        cr_assert(ms_line_rows_next(tables, &row, &err));
        cr_assert(row.address == 0x1002 && row.line == 6 && !row.is_stmt && row.prologue_end);
        cr_assert(row.discriminator == 7 && row.isa == 3);
        cr_assert(ms_line_rows_next(tables, &row, &err));
        cr_assert(row.address == 0x1006 && row.end_sequence && row.discriminator == 0);
        cr_assert_not(ms_line_rows_next(tables, &row, &err));
        cr_assert_eq(err.status, MS_OK);
        cr_assert_eq(ms_line_tables_next(tables, &table, &err), MS_ABSENT);
        ms_line_tables_close(tables);
        dw_close(&image);
    }
}

Test(dwarf_inside, damaged_tables_leave_the_next)
{
    struct dw_image image = lined(4);
    struct ms_line_tables *tables;
    struct ms_line_table table;
    struct ms_line_row row;
    struct ms_error err;
    size_t n = image.line.n;
    uint8_t *copy = malloc(n);
    memcpy(copy, image.line.at, n);
    dw_bytes(&image.line, copy, n);
    free(copy);
    image.line.at[4] = 9; /* version */
    cr_assert_eq(ms_line_tables_open(dw_open(&image), &tables, &err), MS_OK);
    cr_assert_eq(ms_line_tables_next(tables, &table, &err), MS_OK);
    cr_assert_str_eq(table.damage.text, "line table at 0x0: of a version that isn't 2 to 5");
    cr_assert_eq(table.damage.offset, 0);
    cr_assert_not(ms_line_rows_next(tables, &row, &err));
    cr_assert_eq(ms_line_tables_next(tables, &table, &err), MS_OK);
    cr_assert_eq(table.off, n);
    cr_assert(ms_line_rows_next(tables, &row, &err));
    ms_line_tables_close(tables);
    dw_close(&image);
}

Test(dwarf_inside, tables_cut_short_at_every_byte)
{
    struct dw_image image = lined(5);
    size_t n = image.line.n;
    for (size_t cut = 1; cut < n; cut++) {
        struct ms_line_tables *tables;
        struct ms_line_table table;
        struct ms_line_row row;
        struct ms_error err;
        image.line.n = cut;
        if (cut >= 4) /* a table that says it is so short */
            dw_write(&image.line, 0, cut - 4, 4);
        cr_assert_eq(ms_line_tables_open(dw_open(&image), &tables, &err), MS_OK);
        if (ms_line_tables_next(tables, &table, &err) == MS_OK)
            while (ms_line_rows_next(tables, &row, &err))
                ;
        ms_line_tables_close(tables);
        ms_dwarf_close(image.reader);
    }
    image.reader = NULL;
    dw_close(&image);
}
