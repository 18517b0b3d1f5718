/*
 * What printing reads and look-ups don't: names of types, locals, location expressions and lists,
 * whole line tables. The input is the container of dwarf_whole; .debug_ranges and .debug_rnglists
 * serve as lists of locations, too.
 */
#include "dwarf/expression.h"
#include "dwarf/line_table.h"
#include "dwarf/locals.h"
#include "dwarf/loclists.h"
#include "dwarf/reader.h"
#include "fuzz/dwarf_container.h"
#include "machsym/macho.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * What one input may cost, so that there are thousands a second: nearly every attribute's value is
 * tried as a list, and a list's expressions reach over all that is left of their section. Of many
 * DIEs an eighth is looked at; which one the highest bits of the flags say.
 */
enum {
    MOST_DIES = 200,
    FEW_DIES = 16,
    SHARE = 8,
    MOST_TYPE_DIES = 1 << 11,
    MOST_EXPRESSION = 48,
    N_SEEN = 256
};

struct target {
    struct ms_dwarf *dwarf;
    struct ms_types types;
    struct ms_text text;
    struct ms_arena arena;
    struct ms_locals_budget budget;
    unsigned n_dies, share;
    uint64_t seen[N_SEEN]; /* lists, + 1: most attributes have the value of another one */
};

static void expect_plain(const struct ms_text *text)
{
    if (text->at && strlen(text->at) != text->n)
        abort();
}

static void put_list(struct target *t, const struct ms_unit *unit, const struct ms_value *value)
{
    struct ms_loclist list;
    struct ms_loclist_entry entry;
    struct ms_bytes section =
        unit->encoding.version >= 5 ? t->dwarf->s.rnglists : t->dwarf->s.ranges;
    uint64_t key = value->u * 2 + (value->form == DW_FORM_loclistx) + 1;
    if (t->seen[key % N_SEEN] == key)
        return;
    t->seen[key % N_SEEN] = key;
    if (!ms_loclist_start(&list, unit, section, 12, value))
        return;
    for (int i = 0; i < 8 && ms_loclist_next(&list, &entry); i++) {
        struct ms_bytes part = entry.expression;
        part.n = part.n < MOST_EXPRESSION ? part.n : MOST_EXPRESSION;
        ms_expression_text(part, unit, MS_CPU_X86_64, &t->text);
    }
}

static void look_at(struct target *t, const struct ms_unit *unit, uint64_t off)
{
    struct ms_type_die read;
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute, parent;
    struct ms_place_level level;
    memset(&level, 0, sizeof level);
    level.die_off = ms_types_base(&t->types, unit) + off;
    ms_text_clear(&t->text);
    (void)ms_types_parent(&t->types, level.die_off, &parent);
    if (ms_type_die_read(&t->types, level.die_off, &read))
        ms_type_name(&t->types, level.die_off, &t->text);
    if (ms_locals_read(&t->types, 0x1010, &t->arena, &t->budget, &level, NULL) != MS_OK)
        abort();
    for (size_t i = 0; i < level.n_parameters; i++)
        if (level.parameters[i].type)
            ms_text_puts(&t->text, level.parameters[i].type);
    if (!ms_die_open(unit, off, &die))
        return;
    struct ms_cursor before = die.values;
    while (ms_die_next(&die, &attribute, &value)) {
        put_list(t, unit, &value);
        before = die.values;
    }
    size_t left = ms_cursor_left(&before);
    struct ms_bytes rest = {before.at, left < 24 ? left : 24};
    ms_expression_text(rest, unit, attribute % 2 ? MS_CPU_ARM64 : MS_CPU_I386, &t->text);
    expect_plain(&t->text);
}

static void look_at_unit(struct target *t, const struct ms_unit_header *header)
{
    struct ms_unit unit;
    struct ms_walk walk;
    struct ms_walk_die die;
    if (ms_unit_open(t->dwarf, header, &unit, NULL) != MS_OK)
        return;
    ms_walk_start(&walk, &unit, header->root);
    size_t last = 0;
    memset(t->seen, 0, sizeof t->seen);
    for (int i = 0; t->n_dies < MOST_DIES && ms_walk_next(&walk, &die); i++) {
        bool wanted = t->n_dies < FEW_DIES || t->n_dies % SHARE == t->share;
        t->n_dies++;
        if (die.off < last)
            abort(); /* it goes forward alone */
        last = die.off;
        if (die.abbrev && wanted)
            look_at(t, &unit, die.off);
        if (i % 50 == 49 && die.abbrev)
            ms_walk_over(&walk, &die);
    }
}

static void look_at_lines(struct target *t)
{
    struct ms_line_tables *tables = NULL;
    struct ms_line_table table;
    struct ms_line_row row;
    struct ms_error err;
    if (ms_line_tables_open(t->dwarf, &tables, &err) != MS_OK)
        return;
    while (ms_line_tables_next(tables, &table, &err) == MS_OK) {
        for (size_t i = 0; i < table.n_files; i++)
            if (table.files[i].name)
                ms_text_puts(&t->text, table.files[i].name);
        while (ms_line_rows_next(tables, &row, &err))
            ;
    }
    ms_line_tables_close(tables);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_dwarf_sections s = {.where = "input"};
    struct ms_bytes *sections[CONTAINER_SECTIONS];
    struct ms_cursor c = ms_cursor_over((struct ms_bytes){data, size}, false);
    uint8_t flags = ms_cursor_u8(&c);
    container_list(&s, sections);
    for (int i = 0; i < CONTAINER_SECTIONS; i++) {
        uint64_t n = ms_cursor_u32(&c);
        *sections[i] = ms_cursor_bytes(&c, n < ms_cursor_left(&c) ? n : ms_cursor_left(&c));
    }
    s.big = flags & CONTAINER_BIG;
    s.address_size = flags & CONTAINER_32 ? 4 : 8;
    struct target t;
    memset(&t, 0, sizeof t);
    if (ms_dwarf_open(&s, &t.dwarf, NULL) != MS_OK)
        return 0;
    ms_types_init(&t.types, t.dwarf, MOST_TYPE_DIES);
    ms_text_init(&t.text, 1 << 20);
    ms_arena_init(&t.arena, 0);
    t.share = flags / (256 / SHARE);
    t.budget = ms_locals_budget_for(t.dwarf);
    for (int in_types = 0; in_types < 2; in_types++) {
        struct ms_unit_walk walk = {t.dwarf, in_types, 0};
        struct ms_unit_header header;
        enum ms_status status;
        while ((status = ms_unit_walk_next(&walk, &header, NULL)) != MS_ABSENT)
            if (status == MS_OK)
                look_at_unit(&t, &header);
        t.n_dies = 0;
    }
    look_at_lines(&t);
    ms_arena_fini(&t.arena);
    ms_text_fini(&t.text);
    ms_types_fini(&t.types);
    ms_dwarf_close(t.dwarf);
    return 0;
}
