/* lib/macho/debug_map, lib/macho/relocs: stabs of both linkers, relocations of debug information.
 */
#include "machsym/debugmap.h"

#include "macho/debug_map.h"
#include "macho/relocs.h"
#include "unit/macho_builder.h"

#include <criterion/criterion.h>

static struct build stabs_of(void (*fill)(struct image *), bool is64, bool big, uint32_t cputype,
                             struct ms_macho *macho)
{
    struct ms_error err;
    struct image image = begin_image(is64, big, cputype, 0, MS_MH_EXECUTE, 0x1000);
    put_section(&image.b, image.segment, "__text", "__TEXT", 0x1000, 0x1000, 0, 0x80000400);
    fill(&image);
    struct build b = finish_image(&image);
    cr_assert_eq(ms_macho_parse(build_bytes(&b), "t", macho, &err), MS_OK, "%s", err.text);
    return b;
}

static void as_ld64(struct image *i)
{
    add_symbol(i, "/src/", MS_N_SO, 0, 0, 0);
    add_symbol(i, "a.c", MS_N_SO, 0, 0, 0);
    add_symbol(i, "/obj/a.o", MS_N_OSO, 3, 1, 1700000000);
    add_symbol(i, NULL, MS_N_BNSYM, 1, 0, 0x1100);
    add_symbol(i, "_walk", MS_N_FUN, 1, 0, 0x1100);
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x40);
    add_symbol(i, NULL, MS_N_ENSYM, 1, 0, 0x40);
    add_symbol(i, "_global", MS_N_GSYM, 0, 0, 0);
    add_symbol(i, "_local", MS_N_STSYM, 2, 0, 0x3000);
    add_symbol(i, NULL, MS_N_SO, 1, 0, 0);
    add_symbol(i, "/obj/M.swiftmodule", MS_N_AST, 0, 0, 5);
    add_symbol(i, "/src/", MS_N_SO, 0, 0, 0);
    add_symbol(i, "b.c", MS_N_SO, 0, 0, 0);
    add_symbol(i, "/obj/libz.a(b.o)", MS_N_OSO, 3, 1, 0);
    add_symbol(i, "_walk", MS_N_FUN, 1, 0, 0x1140);
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x10);
    add_symbol(i, NULL, MS_N_SO, 1, 0, 0);
    add_symbol(i, "_walk", 0xf, 1, 0, 0x1100);
}

static void check_ld64(const struct ms_macho *macho)
{
    struct ms_debug_map map;
    struct ms_error err;
    cr_assert_eq(ms_debug_map_read(macho, &map, &err), MS_OK);
    cr_assert_eq(map.n_objects, 3);
    cr_assert_eq(map.n_symbols, 4);
    cr_assert_str_eq(map.objects[0].path, "/obj/a.o");
    cr_assert_str_eq(map.objects[0].folder, "/src/");
    cr_assert_str_eq(map.objects[0].source, "a.c");
    cr_assert_eq(map.objects[0].mtime, 1700000000);
    cr_assert_eq(map.objects[0].n, 3);
    cr_assert(map.objects[1].is_module);
    cr_assert_eq(map.objects[1].n, 0);
    cr_assert_str_eq(map.objects[2].path, "/obj/libz.a(b.o)");
    cr_assert_eq(map.objects[2].first, 3);
    cr_assert_eq(map.symbols[0].kind, MS_MAP_FUNCTION);
    cr_assert_eq(map.symbols[0].vm, 0x1100);
    cr_assert_eq(map.symbols[0].bytes, 0x40);
    cr_assert_eq(map.symbols[1].kind, MS_MAP_GLOBAL);
    cr_assert_eq(map.symbols[2].kind, MS_MAP_STATIC);
    cr_assert_eq(map.symbols[2].vm, 0x3000);
    cr_assert_eq(map.symbols[3].object, 2);
    ms_debug_map_fini(&map);
}

Test(debug_map, of_ld64)
{
    const struct {
        bool is64, big;
        uint32_t cputype;
    } kinds[] = {
        {true, false, MS_CPU_ARM64}, {false, false, MS_CPU_I386}, {false, true, MS_CPU_PPC}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct ms_macho macho;
        struct build b = stabs_of(as_ld64, kinds[k].is64, kinds[k].big, kinds[k].cputype, &macho);
        check_ld64(&macho);
        cr_assert(ms_debug_map_exists(&macho));
        ms_macho_fini(&macho);
        build_free(&b);
    }
}

static void as_lld(struct image *i)
{
    add_symbol(i, "_orphan", MS_N_FUN, 1, 0, 0x1010); /* before any object */
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x10);
    add_symbol(i, "/src/a.c", MS_N_SO, 0, 0, 0);
    add_symbol(i, "/obj/a.o", MS_N_OSO, 0, 1, 0);
    add_symbol(i, "_one", MS_N_FUN, 1, 0, 0x1100);
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x40);
    add_symbol(i, "_endless", MS_N_FUN, 1, 0, 0x1200);
    add_symbol(i, NULL, MS_N_SO, 1, 0, 0);
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x40); /* the end of nothing */
    add_symbol(i, "/src/b.c", MS_N_SO, 0, 0, 0);
    add_symbol(i, "/obj/b.o", MS_N_OSO, 0, 1, 0);
    add_symbol(i, "_two", MS_N_FUN, 1, 0, 0x1120); /* over the first */
    add_symbol(i, NULL, MS_N_FUN, 0, 0, 0x40);
}

Test(debug_map, of_lld)
{
    struct ms_macho macho;
    struct ms_debug_map map;
    struct ms_map_function f;
    struct ms_error err;
    struct build b = stabs_of(as_lld, true, false, MS_CPU_ARM64, &macho);
    cr_assert_eq(ms_debug_map_read(&macho, &map, &err), MS_OK);
    cr_assert_eq(map.n_objects, 2);
    cr_assert_eq(map.n_symbols, 2);
    cr_assert_str_eq(map.objects[0].folder, "");
    cr_assert_str_eq(map.objects[1].source, "/src/b.c");
    cr_assert_eq(ms_debug_map_function_at(&macho, 0x113f, &f), MS_OK);
    cr_assert_str_eq(f.symbol.name, "_one");
    cr_assert_str_eq(f.object.path, "/obj/a.o");
    cr_assert_eq(ms_debug_map_function_at(&macho, 0x1140, &f), MS_OK);
    cr_assert_str_eq(f.symbol.name, "_two");
    cr_assert_eq(f.object.first, map.objects[1].first);
    cr_assert_eq(ms_debug_map_function_at(&macho, 0x1160, &f), MS_ABSENT);
    cr_assert_eq(ms_debug_map_function_at(&macho, 0x1010, &f), MS_ABSENT);
    ms_debug_map_fini(&map);
    ms_macho_fini(&macho);
    build_free(&b);
}

static void without(struct image *i)
{
    add_symbol(i, "_main", 0xf, 1, 0, 0x1100);
    put_nlist(&i->nlist, 0x7fffffff, MS_N_OSO, 0, 1, 0); /* a name outside the table */
    i->n_nlist++;
}

Test(debug_map, of_none)
{
    struct ms_macho macho;
    struct ms_debug_map map;
    struct ms_linked_map linked;
    struct ms_error err;
    struct build b = stabs_of(without, true, false, MS_CPU_ARM64, &macho);
    cr_assert_eq(ms_debug_map_read(&macho, &map, &err), MS_ABSENT);
    cr_assert_not(ms_debug_map_exists(&macho));
    cr_assert_eq(ms_linked_map_read(&macho, NULL, &linked, &err), MS_OK);
    cr_assert_eq(linked.n_objects, 0);
    ms_linked_map_fini(&linked);
    ms_macho_fini(&macho);
    build_free(&b);
}

/* ---- relocations ------------------------------------------------------------------------- */

/* An object with one section of 16 bytes, 0x10 … 0x1f little-endian words of 0x10, whose
 * relocations the test adds; symbol 0 is at 0x500, 1 at 0x20, 2 undefined. */
struct object {
    struct build b;
    struct ms_macho macho;
    const struct ms_section *section;
    struct ms_bytes bytes;
    uint8_t *copy;
    struct ms_error err;
    enum ms_status status;
};

static void apply(struct object *o, uint32_t cputype, bool is64, bool big, const uint32_t *relocs,
                  uint32_t n)
{
    struct image image = begin_image(is64, big, cputype, 0, MS_MH_OBJECT, 0);
    size_t at = put_section(&image.b, image.segment, "__debug_info", "__DWARF", 0, 16, 0, 0);
    add_symbol(&image, "_a", 0xf, 1, 0, 0x500);
    add_symbol(&image, "_b", 0xf, 1, 0, 0x20);
    add_symbol(&image, "_elsewhere", 1, 0, 0, 0x77);
    o->b = finish_image(&image);
    size_t reloff = at + 32 + (is64 ? 16 : 8) + 8;
    set_u32(&o->b, reloff - 8, (uint32_t)o->b.n);
    for (int i = 0; i < 16; i++)
        put_u8(&o->b, i % 8 == (big ? (is64 ? 7 : 3) : 0) ? 0x10 : 0);
    set_u32(&o->b, reloff, (uint32_t)o->b.n);
    set_u32(&o->b, reloff + 4, n);
    for (uint32_t i = 0; i < 2 * n; i++)
        put_u32(&o->b, relocs[i]);
    cr_assert_eq(ms_macho_parse(build_bytes(&o->b), "o", &o->macho, &o->err), MS_OK, "%s",
                 o->err.text);
    o->section = &o->macho.sections[0];
    cr_assert_eq(ms_macho_section_bytes(&o->macho, o->section, &o->bytes, &o->err), MS_OK, "%s",
                 o->err.text);
    o->status = ms_relocs_apply(&o->macho, o->section, o->bytes, &o->copy, &o->err);
}

static void drop(struct object *o)
{
    free(o->copy);
    ms_macho_fini(&o->macho);
    build_free(&o->b);
}

/* r_symbolnum, r_pcrel, r_length, r_extern, r_type. */
#define RELOC(symbol, length, external, type)                                                      \
    ((uint32_t)(symbol) | (uint32_t)(length) << 25 | (uint32_t)(external) << 27 |                  \
     (uint32_t)(type) << 28)

Test(relocs, a_symbol_is_added_to_what_stands_there)
{
    struct object o;
    const uint32_t relocs[] = {0, RELOC(0, 3, 1, 0), 8, RELOC(1, 2, 1, 0)};
    apply(&o, MS_CPU_X86_64, true, false, relocs, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_not_null(o.copy);
    cr_assert_arr_eq(o.copy, "\x10\x05\0\0\0\0\0\0\x30\0\0\0\0\0\0\0", 16);
    drop(&o);
}

Test(relocs, a_section_is_added_in_already)
{
    struct object o;
    const uint32_t relocs[] = {0, RELOC(1, 3, 0, 0), 8, RELOC(2, 3, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, relocs, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_null(o.copy, "nor is there anything to add of a symbol of another object");
    drop(&o);
}

Test(relocs, differences)
{
    struct object o;
    const uint32_t x86_64[] = {0, RELOC(1, 3, 1, 5), 0, RELOC(0, 3, 1, 0)};
    apply(&o, MS_CPU_X86_64, true, false, x86_64, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_arr_eq(o.copy, "\xf0\x04\0\0\0\0\0\0", 8, "0x10 + 0x500 - 0x20");
    drop(&o);
    const uint32_t arm64[] = {8, RELOC(0, 2, 1, 1), 8, RELOC(1, 2, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, arm64, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_arr_eq(o.copy + 8, "\x30\xfb\xff\xff\0\0\0\0", 8, "four bytes of it alone");
    drop(&o);
    /* GENERIC_RELOC_SECTDIFF and its PAIR, scattered: the difference stands there. */
    const uint32_t i386[] = {0xa2000000, 0x500, 0xa1000000, 0x20};
    apply(&o, MS_CPU_I386, false, false, i386, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_null(o.copy);
    drop(&o);
}

Test(relocs, an_addend_of_arm64_has_a_sign)
{
    struct object o;
    const uint32_t relocs[] = {0, RELOC(0xfffff0, 3, 0, 10), 0, RELOC(1, 3, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, relocs, 2);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_arr_eq(o.copy, "\x20\0\0\0\0\0\0\0", 8, "0x10 + 0x20 - 0x10");
    drop(&o);
}

Test(relocs, of_another_byte_order)
{
    struct object o;
    const uint32_t relocs[] = {0, 0 << 8 | 2 << 5 | 1 << 4};
    apply(&o, MS_CPU_PPC, false, true, relocs, 1);
    cr_assert_eq(o.status, MS_OK);
    cr_assert_arr_eq(o.copy, "\0\0\x05\x10", 4);
    drop(&o);
}

Test(relocs, that_contradict)
{
    struct object o;
    const uint32_t outside[] = {0, RELOC(0, 3, 1, 0), 9, RELOC(0, 3, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, outside, 2);
    cr_assert_eq(o.status, MS_E_FORMAT);
    cr_assert_str_eq(o.err.text, "relocation of __debug_info: lies outside the section");
    cr_assert_eq(o.err.offset, o.section->reloff + 8);
    cr_assert_null(o.copy);
    drop(&o);
    const uint32_t no_symbol[] = {0, RELOC(3, 3, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, no_symbol, 1);
    cr_assert_eq(o.status, MS_E_FORMAT);
    cr_assert_str_eq(o.err.text,
                     "relocation of __debug_info: names a symbol that isn't in the table");
    drop(&o);
    const uint32_t one[] = {0, RELOC(0, 3, 1, 0)};
    apply(&o, MS_CPU_ARM64, true, false, one, 1);
    free(o.copy);
    o.macho.sections[0].nreloc = 0x20000000;
    o.status = ms_relocs_apply(&o.macho, o.section, o.bytes, &o.copy, &o.err);
    cr_assert_eq(o.status, MS_E_FORMAT);
    cr_assert_str_eq(o.err.text, "relocation of __debug_info: the table lies outside the file");
    cr_assert_eq(o.err.offset, o.section->reloff);
    drop(&o);
}
