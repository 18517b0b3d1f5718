/*
 * One pointer of an image in every encoding. Each image here has __TEXT at TEXT, and __DATA of
 * two pages right behind it, whose words the test writes.
 */
#include "unit/macho_builder.h"

#include "macho/fixups.h"
#include "machsym/error.h"

#include <criterion/criterion.h>

enum { PAGE = 0x1000, DATA_OFF = 0x1000, DATA_BYTES = 2 * PAGE };

static const uint64_t TEXT = 0x100000000;

static struct build built, payload;
static struct ms_macho macho;
static struct ms_fixups *fixups;
static struct ms_error err;
static uint64_t text_vm, data_vm;
static size_t chained; /* where LC_DYLD_CHAINED_FIXUPS has the place of the payload */

static void begin(bool is64, uint32_t cputype, uint32_t filetype)
{
    built = build_macho(is64, false, cputype, 0, filetype);
    payload = (struct build){NULL, 0, 0, is64, false};
    text_vm = is64 ? TEXT : 0x4000;
    data_vm = text_vm + PAGE;
    if (is64)
        end_command(&built, begin_segment(&built, "__PAGEZERO", 0, TEXT, 0, 0));
    end_command(&built, begin_segment(&built, "__TEXT", text_vm, PAGE, 0, PAGE));
    size_t data = begin_segment(&built, "__DATA", data_vm, DATA_BYTES + PAGE, DATA_OFF, DATA_BYTES);
    put_section(&built, data, "__data", "__DATA", data_vm, DATA_BYTES, DATA_OFF, 0);
    end_command(&built, data);
    end_command(&built, begin_segment(&built, "__LINKEDIT", data_vm + DATA_BYTES + PAGE, PAGE,
                                      DATA_OFF + DATA_BYTES, PAGE));
}

/* Parses what was built; `command` is where a command has the payload's place, 0 for none. */
static void open_image(size_t command)
{
    pad_to(&built, DATA_OFF + DATA_BYTES);
    if (command) {
        set_u32(&built, command, (uint32_t)built.n);
        set_u32(&built, command + 4, (uint32_t)payload.n);
    }
    put_bytes(&built, payload.at, payload.n);
    pad_to(&built, DATA_OFF + DATA_BYTES + PAGE);
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK, "%s", err.text);
    cr_assert_eq(ms_fixups_open(&macho, &fixups, &err), MS_OK);
}

static void done(void)
{
    ms_fixups_close(fixups);
    ms_macho_fini(&macho);
    build_free(&built);
    build_free(&payload);
}

static void set_word(size_t off, uint64_t value)
{
    unsigned n = built.is64 ? 8 : 4;
    pad_to(&built, DATA_OFF + DATA_BYTES);
    for (unsigned i = 0; i < n; i++)
        built.at[DATA_OFF + off + i] = (uint8_t)(value >> (8 * i));
}

/* The image's index of __DATA. */
static uint32_t data_index(void)
{
    return built.is64 ? 2 : 1;
}

enum { IMPORTS = 3 };

/*
 * The payload: header, starts of __DATA alone with the page starts given, three imports in that
 * format, their names.
 */
static void put_payload(unsigned format, uint32_t max_valid, unsigned imports_format,
                        unsigned symbols_format, const uint16_t *starts, unsigned n_pages,
                        unsigned n_starts)
{
    static const char NAMES[] = "\0_one\0_two\0_three";
    static const uint32_t NAME_AT[IMPORTS] = {1, 6, 11};
    static const int32_t LIBRARY[IMPORTS] = {2, -1, -3};
    struct build *p = &payload;
    uint32_t starts_off = 28, n_segments = data_index() + 1;
    uint32_t record = 4 + 4 * n_segments;
    record = (record + 7) & ~7u;
    uint32_t imports_off = (starts_off + record + 22 + 2 * n_starts + 7) & ~7u;
    static const uint32_t BYTES[] = {4, 4, 8, 16};
    uint32_t names_off = imports_off + IMPORTS * BYTES[imports_format & 3];
    put_u32(p, 0);
    put_u32(p, starts_off);
    put_u32(p, imports_off);
    put_u32(p, names_off);
    put_u32(p, IMPORTS);
    put_u32(p, imports_format);
    put_u32(p, symbols_format);
    put_u32(p, n_segments);
    for (uint32_t i = 0; i + 1 < n_segments; i++)
        put_u32(p, 0);
    put_u32(p, record);
    pad_to(p, starts_off + record);
    put_u32(p, 22 + 2 * n_starts);
    put_u16(p, PAGE);
    put_u16(p, format);
    put_u64(p, data_vm - text_vm);
    put_u32(p, max_valid);
    put_u16(p, n_pages);
    for (unsigned i = 0; i < n_starts; i++)
        put_u16(p, starts[i]);
    pad_to(p, imports_off);
    for (unsigned i = 0; i < IMPORTS; i++) {
        if (imports_format == 3) {
            put_u64(p,
                    (uint16_t)LIBRARY[i] | (uint64_t)(i == 1) << 16 | (uint64_t)NAME_AT[i] << 32);
            put_u64(p, (uint64_t)-(int64_t)(i * 0x10));
        } else {
            put_u32(p, (uint8_t)LIBRARY[i] | (uint32_t)(i == 1) << 8 | NAME_AT[i] << 9);
            if (imports_format == 2)
                put_u32(p, (uint32_t)-(int32_t)(i * 0x10));
        }
    }
    put_bytes(p, NAMES, sizeof NAMES);
}

static void begin_chained(unsigned format, uint32_t max_valid)
{
    static const uint16_t starts[] = {0, 0xffff};
    begin(format < 3 || format > 5, MS_CPU_ARM64, MS_MH_DYLIB);
    chained = PUT_COMMAND(&built, 0x80000034, 0, 0);
    put_payload(format, max_valid, 1, 0, starts, 2, 2);
}

/* One word at the start of the page, decoded. */
static enum ms_status decode_in(unsigned format, uint64_t raw, struct ms_slot *slot)
{
    begin_chained(format, 0x01000000);
    set_word(0, raw);
    open_image(chained);
    memset(&err, 0, sizeof err);
    return ms_fixups_read(fixups, data_vm, slot, &err);
}

static const struct {
    unsigned format;
    uint64_t raw;
    enum ms_slot_kind kind;
    uint64_t target; /* or a BIND's addend, or a PLAIN's value */
    const char *name;
    unsigned tag;
    bool is_auth;
} CASES[] = {
    /* ARM64E: 43 bits of address, the top byte above them; signed: an offset of 32 bits. */
    {1, 0x000002a100000040, MS_SLOT_REBASE, 0x2a100000040, NULL, 0, false},
    {1, 0x0002d80100000040, MS_SLOT_REBASE, 0x100000040, NULL, 0x5b, false},
    {1, 0x8002abcd00000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
    {1, 0x4000000500000000, MS_SLOT_BIND, 5, "_one", 0, false},
    {1, 0x4007fffb00000002, MS_SLOT_BIND, (uint64_t)-5, "_three", 0, false},
    {1, 0xc007abcd00000001, MS_SLOT_BIND, 0, "_two", 0, true},
    {2, 0x0000000100000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {2, 0x0000080100000040, MS_SLOT_REBASE, 0x100000040, NULL, 0x80, false},
    {2, 0x80000000ff000002, MS_SLOT_BIND, 255, "_three", 0, false},
    {3, 0x00004040, MS_SLOT_REBASE, 0x4040, NULL, 0, false},
    {3, 0x80100001, MS_SLOT_BIND, 1, "_two", 0, false},
    {3, 0x83f00000, MS_SLOT_BIND, 63, "_one", 0, false},
    /* above max_valid_pointer: a number, less (0x04000000 + 0x01000000) / 2 */
    {3, 0x02800005, MS_SLOT_PLAIN, 5, NULL, 0, false},
    {3, 0x027fffff, MS_SLOT_PLAIN, 0xffffffff, NULL, 0, false},
    {4, 0x00000040, MS_SLOT_REBASE, 0x4040, NULL, 0, false},
    {5, 0x00004040, MS_SLOT_REBASE, 0x4040, NULL, 0, false},
    {6, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {6, 0x0000000000000000, MS_SLOT_REBASE, 0x100000000, NULL, 0, false},
    {6, 0x0000080000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0x80, false},
    {6, 0x8000000001000001, MS_SLOT_BIND, 1, "_two", 0, false},
    {7, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {7, 0x8002abcd00000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
    {8, 0x0002abcd00000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {8, 0x8002abcd00000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
    {9, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {9, 0x8002abcdfffffff0, MS_SLOT_REBASE, 0x1fffffff0, NULL, 0, true},
    {9, 0x4000000000000002, MS_SLOT_BIND, 0, "_three", 0, false},
    {10, 0x0000000100000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {10, 0x8002abcd00000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
    {11, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {12, 0x4000000300000001, MS_SLOT_BIND, 3, "_two", 0, false},
    {12, 0xc000abcd00000002, MS_SLOT_BIND, 0, "_three", 0, true},
    {12, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {13, 0x0000000000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, false},
    {13, 0x0000017000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0x5c, false},
    {13, 0x8000abc000000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
    {14, 0x0000000020000040, MS_SLOT_REBASE, 0x100001040, NULL, 0, false},
    {14, 0x8002abcd10000040, MS_SLOT_REBASE, 0x100000040, NULL, 0, true},
};

Test(fixups, every_pointer_format)
{
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        struct ms_slot slot;
        cr_assert_eq(decode_in(CASES[i].format, CASES[i].raw, &slot), MS_OK, "case %zu: %s", i,
                     err.text);
        cr_assert_eq(slot.raw, CASES[i].raw);
        cr_assert_eq(slot.kind, CASES[i].kind, "case %zu: kind %d", i, slot.kind);
        uint64_t got = slot.kind == MS_SLOT_BIND    ? (uint64_t)slot.addend
                       : slot.kind == MS_SLOT_PLAIN ? slot.value
                                                    : slot.target_vm;
        cr_assert_eq(got, CASES[i].target, "case %zu: 0x%llx", i, (unsigned long long)got);
        cr_assert_eq(slot.tag, CASES[i].tag, "case %zu: tag 0x%x", i, slot.tag);
        cr_assert_eq(slot.is_auth, CASES[i].is_auth, "case %zu", i);
        if (CASES[i].name)
            cr_assert_str_eq(slot.name, CASES[i].name);
        else
            cr_assert_null(slot.name);
        done();
    }
}

Test(fixups, chains_end_where_next_is_zero)
{
    /* format, its stride, where `next` begins */
    static const struct {
        unsigned format, stride, next_at;
    } STRIDES[] = {{1, 8, 51},  {2, 4, 51},  {3, 4, 26},  {4, 4, 30}, {5, 4, 26},
                   {6, 4, 51},  {7, 4, 51},  {8, 4, 51},  {9, 8, 51}, {10, 4, 51},
                   {11, 1, 51}, {12, 8, 51}, {13, 8, 52}, {14, 4, 51}};
    for (size_t i = 0; i < sizeof STRIDES / sizeof *STRIDES; i++) {
        struct ms_slot slot;
        uint64_t next = STRIDES[i].stride == 1 ? 24 : 24 / STRIDES[i].stride;
        if (STRIDES[i].format == 4)
            next = 3; /* two bits */
        unsigned second = (unsigned)next * STRIDES[i].stride;
        begin_chained(STRIDES[i].format, 0x01000000);
        set_word(0, next << STRIDES[i].next_at | 0x40);
        set_word(second, 0x80);
        set_word(second + 8, 0x40); /* no chain leads here */
        open_image(chained);
        cr_assert_eq(ms_fixups_read(fixups, data_vm + second, &slot, &err), MS_OK);
        cr_assert_eq(slot.kind, MS_SLOT_REBASE, "format %u", STRIDES[i].format);
        cr_assert_eq(ms_fixups_read(fixups, data_vm + second + 8, &slot, &err), MS_OK);
        cr_assert_eq(slot.kind, MS_SLOT_PLAIN, "format %u", STRIDES[i].format);
        cr_assert_eq(slot.value, 0x40);
        cr_assert_eq(ms_fixups_read(fixups, data_vm + second + 16, &slot, &err), MS_OK);
        cr_assert_eq(slot.kind, MS_SLOT_NULL);
        cr_assert_eq(ms_fixups_read(fixups, data_vm + PAGE, &slot, &err), MS_OK, "second page");
        cr_assert_eq(slot.kind, MS_SLOT_NULL);
        done();
    }
}

Test(fixups, imports_in_three_formats)
{
    static const uint16_t starts[] = {0};
    for (unsigned format = 1; format <= 3; format++) {
        struct ms_slot slot;
        begin(true, MS_CPU_ARM64, MS_MH_EXECUTE);
        chained = PUT_COMMAND(&built, 0x80000034, 0, 0);
        put_payload(6, 0, format, 0, starts, 1, 1);
        set_word(0, 0x8010000000000000);
        set_word(8, 0x8010000005000001);
        set_word(16, 0x8000000000000002);
        open_image(chained);
        static const int32_t LIBRARY[] = {2, -1, -3};
        for (unsigned i = 0; i < 3; i++) {
            static const char *const NAMES[] = {"_one", "_two", "_three"};
            cr_assert_eq(ms_fixups_read(fixups, data_vm + 8 * i, &slot, &err), MS_OK);
            cr_assert_eq(slot.kind, MS_SLOT_BIND);
            cr_assert_str_eq(slot.name, NAMES[i]);
            cr_assert_eq(slot.ordinal, LIBRARY[i], "format %u import %u: %d", format, i,
                         slot.ordinal);
            cr_assert_eq(slot.weak_import, i == 1);
            int64_t addend = format > 1 ? -(int64_t)i * 0x10 : 0;
            cr_assert_eq(slot.addend, addend + (i == 1 ? 5 : 0));
        }
        done();
    }
}

static void expect_error(uint64_t vm, enum ms_status status, uint64_t offset, const char *text)
{
    struct ms_slot slot;
    memset(&err, 0, sizeof err);
    cr_assert_eq(ms_fixups_read(fixups, vm, &slot, &err), status, "%s", err.text);
    cr_assert_str_eq(err.text, text);
    cr_assert_eq(err.offset, offset, "0x%llx", (unsigned long long)err.offset);
}

enum { PAYLOAD_OFF = DATA_OFF + DATA_BYTES, STARTS_AT = PAYLOAD_OFF + 28 + 16 };

Test(fixups, damage_is_said_where_it_is)
{
    struct ms_slot slot;
    cr_assert_eq(decode_in(6, 0x8000000000000003, &slot), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "LC_DYLD_CHAINED_FIXUPS: import 3 of 3");
    cr_assert_eq(err.offset, PAYLOAD_OFF + 16);
    done();
    cr_assert_eq(decode_in(8, 0x40000040, &slot), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text,
                     "this pointer leads into level 1 of the kernel cache, which is another "
                     "file");
    cr_assert_eq(err.offset, DATA_OFF);
    done();
    cr_assert_eq(decode_in(14, 0xf0000040, &slot), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "this pointer leads into segment 15, there are 4");
    done();
    begin_chained(6, 0);
    set_u32(&payload, 28 + 16 + 4, 99u << 16 | PAGE);
    open_image(chained);
    expect_error(data_vm, MS_E_UNSUPPORTED, STARTS_AT + 6,
                 "LC_DYLD_CHAINED_FIXUPS: pointer format 99 is not known");
    done();
    begin_chained(6, 0);
    set_u32(&payload, 28 + 16 + 4, 3u << 16 | PAGE);
    open_image(chained);
    expect_error(data_vm, MS_E_FORMAT, STARTS_AT + 6,
                 "LC_DYLD_CHAINED_FIXUPS: pointer format 32 in a 64-bit image");
    done();
    begin_chained(6, 0);
    set_u32(&payload, 0, 1);
    open_image(chained);
    expect_error(data_vm, MS_E_UNSUPPORTED, PAYLOAD_OFF,
                 "LC_DYLD_CHAINED_FIXUPS: version 1 is not known");
    done();
    begin_chained(6, 0);
    set_u32(&payload, 28 + 16 + 8, 0x2000);
    open_image(chained);
    expect_error(
        data_vm, MS_E_FORMAT, STARTS_AT + 8,
        "LC_DYLD_CHAINED_FIXUPS of 102 bytes: a segment's offset differs from its address: "
        "0x2000");
    done();
}

Test(fixups, compressed_names_are_refused)
{
    static const uint16_t starts[] = {0};
    struct ms_slot slot;
    begin(true, MS_CPU_ARM64, MS_MH_DYLIB);
    chained = PUT_COMMAND(&built, 0x80000034, 0, 0);
    put_payload(6, 0, 1, 1, starts, 1, 1);
    set_word(0, 0x8010000000000000);
    set_word(8, 0x40);
    open_image(chained);
    expect_error(
        data_vm, MS_E_UNSUPPORTED, PAYLOAD_OFF + 20,
        "LC_DYLD_CHAINED_FIXUPS: its import names are compressed (imports format 1, symbols "
        "format 1)");
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 8, &slot, &err), MS_OK, "addresses still serve");
    cr_assert_eq(slot.target_vm, 0x100000040);
    done();
}

Test(fixups, a_chain_that_leaves_its_page)
{
    struct ms_slot slot;
    begin_chained(6, 0);
    set_word(0, (uint64_t)0x10 << 51 | 0x40);
    set_word(0x40, (uint64_t)0xfff << 51 | 0x40);
    open_image(chained);
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 0x40, &slot, &err), MS_OK);
    cr_assert_eq(slot.target_vm, 0x100000040);
    expect_error(data_vm + 0x48, MS_E_FORMAT, STARTS_AT,
                 "a chain of the page at 0x100001000 leads to byte 0x403c of it, outside");
    done();
}

Test(fixups, a_page_with_several_chains)
{
    static const uint16_t starts[] = {0x8002, 0xffff, 0, 0x40, 0x8080};
    struct ms_slot slot;
    begin(false, MS_CPU_ARM, MS_MH_EXECUTE);
    chained = PUT_COMMAND(&built, 0x80000034, 0, 0);
    put_payload(3, 0x10000, 1, 0, starts, 2, 5);
    set_word(0, 0x4040);
    set_word(0x40, 1u << 26 | 0x4080);
    set_word(0x44, 0x80000002);
    set_word(0x80, 0x40c0);
    set_word(0x84, 0x4040);
    open_image(chained);
    static const uint64_t TARGETS[] = {0x4040, 0x4080, 0x40c0};
    for (unsigned i = 0; i < 3; i++) {
        cr_assert_eq(ms_fixups_read(fixups, data_vm + 0x40 * i, &slot, &err), MS_OK);
        cr_assert_eq(slot.kind, MS_SLOT_REBASE);
        cr_assert_eq(slot.target_vm, TARGETS[i]);
    }
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 0x44, &slot, &err), MS_OK);
    cr_assert_str_eq(slot.name, "_three");
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 0x84, &slot, &err), MS_OK);
    cr_assert_eq(slot.kind, MS_SLOT_PLAIN);
    done();
    static const uint16_t endless[] = {0x8002, 0xffff, 0, 0x40};
    begin(false, MS_CPU_ARM, MS_MH_EXECUTE);
    chained = PUT_COMMAND(&built, 0x80000034, 0, 0);
    put_payload(3, 0x10000, 1, 0, endless, 2, 4);
    set_word(0x80, 0x4040);
    open_image(chained);
    expect_error(data_vm + 0x80, MS_E_FORMAT, PAYLOAD_OFF + 28 + 16,
                 "LC_DYLD_CHAINED_FIXUPS of 110 bytes: a list of chain starts has no end, from "
                 "entry 0x4");
    done();
}

/* An image of firmware: the list of chains stands in __TEXT at 0x800. */
enum { LIST_OFF = 0x800 };
static void begin_listed(bool is64, uint32_t format, uint32_t n, const uint32_t *starts)
{
    built = build_macho(is64, false, is64 ? MS_CPU_ARM64 : MS_CPU_ARM, 0, MS_MH_EXECUTE);
    payload = (struct build){NULL, 0, 0, is64, false};
    text_vm = is64 ? TEXT : 0x4000;
    data_vm = text_vm + PAGE;
    size_t text = begin_segment(&built, "__TEXT", text_vm, PAGE, 0, PAGE);
    put_section(&built, text, "__chain_starts", "__TEXT", text_vm + LIST_OFF, 16, LIST_OFF, 0);
    end_command(&built, text);
    end_command(&built, begin_segment(&built, "__DATA", data_vm, DATA_BYTES, DATA_OFF, DATA_BYTES));
    pad_to(&built, DATA_OFF + DATA_BYTES);
    set_u32(&built, LIST_OFF, format);
    set_u32(&built, LIST_OFF + 4, n);
    for (unsigned i = 0; i < 2; i++)
        set_u32(&built, LIST_OFF + 8 + 4 * i, starts[i]);
}

static void expect_slot(uint64_t vm, enum ms_slot_kind kind, uint64_t target)
{
    struct ms_slot slot;
    cr_assert_eq(ms_fixups_read(fixups, vm, &slot, &err), MS_OK, "%s", err.text);
    cr_assert_eq(slot.kind, kind);
    cr_assert_eq(slot.target_vm, target);
}

Test(fixups, firmware_lists_its_chains_in_a_section)
{
    static const uint32_t starts[] = {PAGE, PAGE + 0xfa4};
    begin_listed(false, 5, 2, starts);
    set_word(0, 0x5fac);
    set_word(4, 0x5000); /* an address to look at, but no chain leads here */
    set_word(0xfa4, 1u << 26 | 0x5008);
    set_word(0xfa8, 0x5fa0);
    open_image(0);
    expect_slot(data_vm, MS_SLOT_REBASE, 0x5fac);
    expect_slot(data_vm + 4, MS_SLOT_PLAIN, 0);
    expect_slot(data_vm + 0xfa4, MS_SLOT_REBASE, 0x5008);
    expect_slot(data_vm + 0xfa8, MS_SLOT_REBASE, 0x5fa0);
    done();
    begin_listed(true, 10, 2, starts);
    set_word(0, (uint64_t)3 << 51 | 0x100001040); /* 3 times 4 bytes */
    set_word(12, (uint64_t)1 << 63 | 0x40);
    set_word(0xfa4, (uint64_t)1 << 62 | 7);
    open_image(0);
    expect_slot(data_vm, MS_SLOT_REBASE, 0x100001040);
    expect_slot(data_vm + 12, MS_SLOT_REBASE, 0x100000040);
    expect_error(data_vm + 0xfa4, MS_E_FORMAT, DATA_OFF + 0xfa4,
                 "this pointer is bound to import 7, and __chain_starts has none");
    done();
}

Test(fixups, damage_of_listed_chains)
{
    static const uint32_t starts[] = {PAGE, 0x70000000};
    begin_listed(false, 5, 2, starts);
    set_word(0, 0x5fac);
    open_image(0);
    expect_slot(data_vm, MS_SLOT_REBASE, 0x5fac);
    expect_error(data_vm + 8, MS_E_FORMAT, LIST_OFF + 12,
                 "__chain_starts of 16 bytes: a chain leaves the segments or its steps, which "
                 "begins at 0x70004000");
    done();
    begin_listed(false, 5, 3, starts);
    open_image(0);
    expect_error(data_vm, MS_E_FORMAT, LIST_OFF + 4,
                 "__chain_starts of 16 bytes: too short for a count of chains of 0x3");
    done();
    begin_listed(false, 99, 2, starts);
    open_image(0);
    expect_error(data_vm, MS_E_UNSUPPORTED, LIST_OFF,
                 "__chain_starts: pointer format 99 is not known");
    done();
    begin_listed(true, 11, 2, starts);
    open_image(0);
    expect_error(data_vm, MS_E_FORMAT, LIST_OFF,
                 "__chain_starts of 16 bytes: chains of the kernel's cache stand in no section: "
                 "format 0xb");
    done();
}

Test(fixups, a_payload_cut_anywhere)
{
    begin_chained(6, 0);
    size_t n = payload.n;
    build_free(&built);
    build_free(&payload);
    for (size_t cut = 0; cut < n; cut++) {
        struct ms_slot slot;
        begin_chained(6, 0);
        payload.n = cut;
        set_word(0, 0x8000000000000002);
        open_image(chained);
        memset(&err, 0, sizeof err);
        enum ms_status status = ms_fixups_read(fixups, data_vm, &slot, &err);
        cr_assert(status == MS_OK || (status == MS_E_FORMAT && err.text[0]), "cut at %zu", cut);
        cr_assert(status != MS_OK || slot.kind == MS_SLOT_BIND || cut < 28, "cut at %zu", cut);
        done();
    }
}

/* ---- LC_DYLD_INFO ---------------------------------------------------------------------------- */

/* Puts LC_DYLD_INFO_ONLY with four streams: rebase, bind, weak, lazy. */
static void begin_info(bool is64, uint32_t cputype, const struct build streams[4])
{
    uint32_t fields[10] = {0}, off = PAYLOAD_OFF;
    begin(is64, cputype, MS_MH_DYLIB);
    for (unsigned i = 0; i < 4; i++) {
        fields[2 * i] = off;
        fields[2 * i + 1] = (uint32_t)streams[i].n;
        off += (uint32_t)streams[i].n;
        put_bytes(&payload, streams[i].at, streams[i].n);
    }
    put_command(&built, 0x80000022, fields, 10);
}

static void free_streams(struct build streams[4])
{
    for (unsigned i = 0; i < 4; i++)
        build_free(&streams[i]);
}

static void expect_bind(uint64_t off, const char *name, int32_t ordinal, int64_t addend, bool weak)
{
    struct ms_slot slot;
    memset(&err, 0, sizeof err);
    cr_assert_eq(ms_fixups_read(fixups, data_vm + off, &slot, &err), MS_OK, "%s", err.text);
    cr_assert_eq(slot.kind, MS_SLOT_BIND, "0x%llx is %d", (unsigned long long)off, slot.kind);
    cr_assert_str_eq(slot.name, name);
    cr_assert_eq(slot.ordinal, ordinal);
    cr_assert_eq(slot.addend, addend);
    cr_assert_eq(slot.weak_import, weak);
}

static void expect_kind(uint64_t off, enum ms_slot_kind kind, uint64_t target)
{
    struct ms_slot slot;
    memset(&err, 0, sizeof err);
    cr_assert_eq(ms_fixups_read(fixups, data_vm + off, &slot, &err), MS_OK, "%s", err.text);
    cr_assert_eq(slot.kind, kind, "0x%llx is %d", (unsigned long long)off, slot.kind);
    cr_assert_eq(kind == MS_SLOT_REBASE ? slot.target_vm : slot.value, target);
}

static void put_opcodes(struct build *b, const char *bytes, size_t n)
{
    put_bytes(b, bytes, n);
}
#define OPCODES(b, text) put_opcodes((b), text, sizeof(text) - 1)

Test(fixups, every_bind_opcode)
{
    struct build s[4] = {{0}, {0}, {0}, {0}};
    OPCODES(&s[1], "\x12\x41_one\0\x51\x72\x00\x90"); /* ordinal 2, weak import; at 0 */
    OPCODES(&s[1],
            "\x20\x90\x01\x40_two\0\x60\x7f\xa0\x10"); /* 144, addend -1; 8, then 16 further */
    OPCODES(&s[1], "\x3e\x60\x04\xb1");                /* -2, addend 4; at 32, 8 further */
    OPCODES(&s[1], "\x30\xc0\x03\x08");                /* self; three from 48 in steps of 16 */
    OPCODES(&s[1], "\x80\x08\x90\x00\x90"); /* at 104; what follows the end is not read */
    OPCODES(&s[2], "\x40_weak\0\x51\x72\x80\x02\x90\x88"); /* at 256 */
    s[2].n--;
    OPCODES(&s[3], "\x72\xc0\x02\x11\x40_lazy\0\x90\x00\x72\xc8\x02\x12\x40_lazier\0\x90\x00");
    OPCODES(&s[0], "\x11\x22\xc0\x02\x52\x80\x00");
    s[0].n -= 2;
    begin_info(true, MS_CPU_X86_64, s);
    set_word(256, TEXT + 0x20); /* not in the list of rebases: a number */
    set_word(320, TEXT + 0x10); /* the helper of the first lazy pointer */
    set_word(400, TEXT + 0x10);
    open_image(0);
    expect_bind(0, "_one", 2, 0, true);
    expect_bind(8, "_two", 144, -1, false);
    expect_bind(32, "_two", -2, 4, false);
    expect_bind(48, "_two", 0, 4, false);
    expect_bind(64, "_two", 0, 4, false);
    expect_bind(80, "_two", 0, 4, false);
    expect_bind(104, "_two", 0, 4, false);
    expect_bind(256, "_weak", -3, 0, false);
    expect_bind(320, "_lazy", 1, 0, false);
    expect_bind(328, "_lazier", 2, 0, false);
    expect_kind(16, MS_SLOT_NULL, 0);
    expect_kind(112, MS_SLOT_NULL, 0);
    expect_kind(400, MS_SLOT_PLAIN, TEXT + 0x10);
    done();
    free_streams(s);
}

Test(fixups, every_rebase_opcode)
{
    struct build s[4] = {{0}, {0}, {0}, {0}};
    OPCODES(&s[0], "\x11\x22\x00\x52"); /* two from 0 */
    OPCODES(&s[0], "\x30\x10\x60\x01"); /* 16 further: one at 32 */
    OPCODES(&s[0], "\x42\x70\x08");     /* 16 further: one at 56, then 8 more */
    OPCODES(&s[0], "\x80\x02\x08");     /* two from 72 in steps of 16 */
    OPCODES(&s[0], "\x00\x51");
    OPCODES(&s[2], "\x40_mine\0\x51\x72\x08\x90");
    begin_info(true, MS_CPU_ARM64, s);
    for (unsigned off = 0; off < 112; off += 8)
        set_word(off, TEXT + off);
    set_word(32, 0x8000000000000000 | (TEXT + 0x30)); /* libc++'s mark of a name */
    open_image(0);
    expect_kind(0, MS_SLOT_REBASE, TEXT);
    expect_kind(16, MS_SLOT_PLAIN, TEXT + 16);
    expect_kind(24, MS_SLOT_PLAIN, TEXT + 24);
    expect_kind(32, MS_SLOT_REBASE, TEXT + 0x30);
    expect_kind(48, MS_SLOT_PLAIN, TEXT + 48);
    expect_kind(56, MS_SLOT_REBASE, TEXT + 56);
    expect_kind(64, MS_SLOT_PLAIN, TEXT + 64);
    expect_kind(72, MS_SLOT_REBASE, TEXT + 72);
    expect_kind(80, MS_SLOT_PLAIN, TEXT + 80);
    expect_kind(88, MS_SLOT_REBASE, TEXT + 88);
    expect_kind(96, MS_SLOT_PLAIN, TEXT + 96);
    struct ms_slot slot;
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 8, &slot, &err), MS_OK);
    cr_assert_eq(slot.kind, MS_SLOT_REBASE);
    cr_assert_str_eq(slot.name, "_mine", "another image's may take its place");
    cr_assert_eq(slot.target_vm, TEXT + 8);
    done();
    free_streams(s);
}

Test(fixups, threaded_binds)
{
    struct build s[4] = {{0}, {0}, {0}, {0}};
    OPCODES(&s[1], "\xd0\x02\x11\x40_one\0\x90\x12\x40_two\0\x60\x08\x90\x72\x00\xd1\x00");
    begin_info(true, MS_CPU_ARM64, s);
    set_word(0, (uint64_t)1 << 51 | (TEXT + 0x40));
    set_word(8, (uint64_t)2 << 51 | (uint64_t)1 << 62 | 1);
    set_word(24, 0x8000abcd00000080);
    set_word(32, 7);
    open_image(0);
    expect_kind(0, MS_SLOT_REBASE, TEXT + 0x40);
    expect_bind(8, "_two", 2, 8, false);
    expect_kind(24, MS_SLOT_REBASE, TEXT + 0x80);
    expect_kind(32, MS_SLOT_PLAIN, 7);
    done();
    free_streams(s);
}

Test(fixups, bad_opcodes)
{
    static const struct {
        const char *bytes;
        size_t n;
        uint64_t off;
        const char *text;
    } BAD[] = {
        {"\x51\xe0", 2, 1, "bind opcodes of 2 bytes: unknown opcode 0xe0"},
        {"\x72\x00\x90", 3, 2, "bind opcodes of 3 bytes: a bind without a symbol, opcode at 0x2"},
        {"\x40_a\0\x90", 5, 4, "bind opcodes of 5 bytes: a bind without a segment, opcode at 0x4"},
        {"\x40_a\0\x7f\x00\x90", 7, 4, "bind opcodes of 7 bytes: there is no segment 0xf"},
        {"\x40_a\0\x72\xfd\x5f\x90", 8, 7,
         "bind opcodes of 8 bytes: a bind outside its segment, at byte 0x2ffd"},
        {"\x40_a", 3, 0, "bind opcodes of 3 bytes: the last one is cut off, at 0x0"},
        {"\x20\x80", 2, 0, "bind opcodes of 2 bytes: the last one is cut off, at 0x0"},
    };
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        struct build s[4] = {{0}, {0}, {0}, {0}};
        put_opcodes(&s[1], BAD[i].bytes, BAD[i].n);
        begin_info(true, MS_CPU_ARM64, s);
        set_word(8, TEXT + 0x10);
        open_image(0);
        expect_error(data_vm, MS_E_FORMAT, PAYLOAD_OFF + BAD[i].off, BAD[i].text);
        expect_kind(8, MS_SLOT_REBASE, TEXT + 0x10); /* needs none of it */
        done();
        free_streams(s);
    }
}

Test(fixups, a_bomb_of_binds_ends)
{
    struct build s[4] = {{0}, {0}, {0}, {0}};
    OPCODES(&s[1], "\x40_a\0\x72\x00\x80\x00");
    for (unsigned i = 0; i < 20000; i++) /* from 0 to 0x1ff8, again and again */
        OPCODES(&s[1], "\xc0\x80\x08\x00\x80\x80\xc0\xff\xff\xff\xff\xff\xff\xff\x01");
    begin_info(true, MS_CPU_ARM64, s);
    open_image(0);
    struct ms_slot slot;
    memset(&err, 0, sizeof err);
    cr_assert_eq(ms_fixups_read(fixups, data_vm + 4, &slot, &err), MS_E_LIMIT, "%s", err.text);
    cr_assert_str_eq(err.text, "more than 4194304 binds");
    done();
    free_streams(s);
}

/* ---- relocations and the rest ---------------------------------------------------------------- */

Test(fixups, external_relocations)
{
    struct ms_slot slot;
    begin(true, MS_CPU_X86_64, MS_MH_KEXT);
    size_t symtab = PUT_COMMAND(&built, 0x2, 0, 2, 0, 16);
    uint32_t fields[18] = {0};
    fields[14] = PAYLOAD_OFF;
    fields[15] = 2;
    put_command(&built, 0xb, fields, 18);
    put_u32(&payload, PAGE); /* from the header: the first slot of __DATA */
    put_u32(&payload, 0 | 3u << 25 | 1u << 27);
    put_u32(&payload, PAGE + 8);
    put_u32(&payload, 1 | 3u << 25 | 1u << 27);
    size_t nlist = payload.n, strings = nlist + 32;
    put_nlist(&payload, 1, MS_N_UNDF | MS_N_EXT, 0, 0x0340, 0);
    put_nlist(&payload, 5, MS_N_SECT | MS_N_EXT, 1, 0, TEXT + 0x20);
    put_string(&payload, "");
    put_string(&payload, "_un");
    put_string(&payload, "_def");
    set_u32(&built, symtab, (uint32_t)(PAYLOAD_OFF + nlist));
    set_u32(&built, symtab + 8, (uint32_t)(PAYLOAD_OFF + strings));
    set_u32(&built, symtab + 12, 10);
    set_word(0, 4);
    set_word(16, TEXT + 0x40);
    open_image(0);
    cr_assert_eq(ms_fixups_read(fixups, data_vm, &slot, &err), MS_OK, "%s", err.text);
    cr_assert_eq(slot.kind, MS_SLOT_BIND);
    cr_assert_str_eq(slot.name, "_un");
    cr_assert_eq(slot.ordinal, 3);
    cr_assert_eq(slot.addend, 4);
    cr_assert(slot.weak_import);
    expect_kind(8, MS_SLOT_REBASE, TEXT + 0x20);
    expect_kind(16, MS_SLOT_REBASE, TEXT + 0x40);
    done();
}

Test(fixups, addresses_outside)
{
    struct ms_slot slot;
    struct ms_bytes bytes;
    begin(true, MS_CPU_ARM64, MS_MH_DYLIB);
    open_image(0);
    cr_assert_eq(ms_fixups_read(fixups, TEXT - 8, &slot, &err), MS_OK, "__PAGEZERO");
    cr_assert_eq(slot.kind, MS_SLOT_NULL);
    expect_error(TEXT + 0x100000, MS_E_FORMAT, MS_NO_OFFSET,
                 "address 0x100100000 lies in no segment");
    expect_error(data_vm + DATA_BYTES - 4, MS_E_FORMAT, DATA_OFF + DATA_BYTES - 4,
                 "a pointer needs 8 bytes, 4 remain of segment __DATA");
    expect_kind(DATA_BYTES, MS_SLOT_NULL, 0); /* zerofill */
    cr_assert_eq(ms_fixups_read(fixups, data_vm + DATA_BYTES, &slot, NULL), MS_OK);
    cr_assert_eq(ms_fixups_bytes(fixups, data_vm + 16, &bytes, &err), MS_OK);
    cr_assert_eq(bytes.n, DATA_BYTES - 16);
    cr_assert_eq(ms_fixups_bytes(fixups, data_vm + DATA_BYTES, &bytes, &err), MS_ABSENT);
    cr_assert_eq(ms_fixups_pointer_bytes(fixups), 8);
    cr_assert_eq(ms_fixups_base(fixups), TEXT);
    done();
}

Test(fixups, a_dsym_has_no_pointers)
{
    struct ms_slot slot;
    built = build_macho(true, false, MS_CPU_ARM64, 0, MS_MH_DSYM);
    end_command(&built, begin_segment(&built, "__TEXT", TEXT, PAGE, 0, 0));
    end_command(&built, begin_segment(&built, "__DATA", TEXT + PAGE, PAGE, 0, 0));
    cr_assert_eq(ms_macho_parse(build_bytes(&built), "t", &macho, &err), MS_OK);
    cr_assert_eq(ms_fixups_open(&macho, &fixups, &err), MS_OK);
    cr_assert_eq(ms_fixups_read(fixups, TEXT + PAGE, &slot, &err), MS_ABSENT);
    done();
}
