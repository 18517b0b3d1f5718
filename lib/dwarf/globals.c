#include "dwarf/globals.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/reader.h"
#include "dwarf/walk.h"

#include <stdlib.h>

enum { DW_OP_addr = 0x03, DW_OP_addrx = 0xa1, DW_OP_GNU_addr_index = 0xfb };

/* What is asked of a variable's or a function's DIE. */
struct parts {
    const char *linkage, *name;
    bool has_vm, has_file;
    uint64_t vm, file, line;
    struct ms_value pcs[MS_N_PCS];
    struct ms_value specification;
};

struct reader {
    struct ms_dwarf *dwarf;
    const struct ms_unit *unit;
    struct ms_globals *out;
    struct ms_opened_units *opened;
    struct ms_line_header header;
    struct ms_line_files files;
    bool has_files, no_memory;
};

bool ms_is_global_init(const char *name)
{
    static const char PREFIX[] = "__cxx_global_var_init";
    return name && strncmp(name, PREFIX, sizeof PREFIX - 1) == 0;
}

/* A location that is one address for the whole life of the program. */
static bool fixed_address(const struct ms_unit *unit, struct ms_bytes block, uint64_t *vm)
{
    struct ms_cursor c = ms_cursor_over(block, unit->encoding.big);
    uint8_t op = ms_cursor_u8(&c);
    if (op == DW_OP_addr)
        *vm = ms_cursor_uint(&c, unit->encoding.address_size);
    else if (op != DW_OP_addrx && op != DW_OP_GNU_addr_index)
        return false;
    else if (!ms_unit_address_at(unit, ms_cursor_uleb(&c), vm))
        return false;
    return !c.bad && ms_cursor_left(&c) == 0;
}

/* The bytes of a block that was read last: they end where the cursor stands. */
static struct ms_bytes block_of(const struct ms_die *die, const struct ms_value *value)
{
    struct ms_bytes block = {NULL, 0};
    uint64_t end = ms_cursor_offset(&die->values);
    bool is_block = value->form == DW_FORM_exprloc || value->form == DW_FORM_block ||
                    value->form == DW_FORM_block1 || value->form == DW_FORM_block2 ||
                    value->form == DW_FORM_block4;
    struct ms_bytes all = {die->values.start, (size_t)(die->values.end - die->values.start)};
    if (is_block && value->u <= end)
        (void)ms_bytes_part(all, end - value->u, value->u, &block);
    return block;
}

static bool read_parts(const struct ms_unit *unit, uint64_t off, struct parts *out)
{
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    memset(out, 0, sizeof *out);
    if (!ms_die_open(unit, off, &die))
        return false;
    while (ms_die_next(&die, &attribute, &value)) {
        enum ms_die_part part = ms_part_of(attribute);
        if (part < MS_N_PCS)
            out->pcs[part] = value;
        else if (part == MS_LINKAGE)
            out->linkage = ms_unit_string(unit, &value);
        else if (part == MS_NAME)
            out->name = ms_unit_string(unit, &value);
        else if (part == MS_SPECIFICATION)
            out->specification = value;
        else if (attribute == DW_AT_location)
            out->has_vm = fixed_address(unit, block_of(&die, &value), &out->vm);
        else if (attribute == DW_AT_decl_line && ms_value_is_constant(&value))
            out->line = value.u;
        else if (attribute == DW_AT_decl_file && ms_value_is_constant(&value)) {
            out->file = value.u;
            out->has_file = true;
        }
    }
    return true;
}

static void put_file(struct reader *r, struct ms_global *global, const struct parts *parts)
{
    if (!r->has_files || !parts->has_file || parts->line > UINT32_MAX)
        return;
    if (ms_line_file_put(&r->header, &r->files, parts->file, &global->declared))
        global->declared.line = (uint32_t)parts->line;
}

/* A definition outside of its class has its name, and mostly its line, in the declaration. */
static void take_declaration(struct reader *r, struct ms_global *global, const struct parts *parts)
{
    const struct ms_unit *unit;
    uint64_t off;
    struct parts declared;
    struct ms_error ignored;
    if (!parts->specification.form)
        return;
    enum ms_status status =
        ms_unit_follow(r->dwarf, r->opened, r->unit, &parts->specification, &unit, &off, &ignored);
    r->no_memory |= status == MS_E_NOMEM;
    if (status != MS_OK || !read_parts(unit, off, &declared))
        return;
    if (!global->name)
        global->name = declared.name;
    if (!global->linkage)
        global->linkage = declared.linkage;
    global->is_member = !parts->line;
    if (!parts->line && unit == r->unit)
        put_file(r, global, &declared);
}

static void take_variable(struct reader *r, uint64_t off)
{
    struct parts parts;
    if (r->out->n >= MS_MAX_GLOBALS || !read_parts(r->unit, off, &parts) || !parts.has_vm)
        return;
    struct ms_global global;
    memset(&global, 0, sizeof global);
    global.vm = parts.vm;
    global.die_off = r->unit->header.off + off;
    global.linkage = parts.linkage;
    global.name = parts.name;
    put_file(r, &global, &parts);
    take_declaration(r, &global, &parts);
    r->no_memory |= !MS_PUSH(r->out->items, r->out->n, r->out->room, global);
}

static void take_function(struct reader *r, uint64_t off)
{
    struct parts parts;
    struct ms_global_init init;
    if (r->out->n_inits >= MS_MAX_GLOBALS || !read_parts(r->unit, off, &parts) ||
        !ms_is_global_init(parts.name) ||
        !ms_unit_low_high(r->unit, parts.pcs, &init.low, &init.high))
        return;
    r->no_memory |= !MS_PUSH(r->out->inits, r->out->n_inits, r->out->inits_room, init);
}

static void walk(struct reader *r)
{
    struct ms_walk walk;
    struct ms_walk_die die;
    ms_walk_start(&walk, r->unit, r->unit->header.root);
    while (!r->no_memory && ms_walk_next(&walk, &die)) {
        if (!die.abbrev || die.depth == 0)
            continue;
        if (die.abbrev->tag == DW_TAG_variable)
            take_variable(r, die.off);
        else if (die.abbrev->tag == DW_TAG_subprogram)
            take_function(r, die.off);
        if (die.abbrev->children && die.abbrev->tag != DW_TAG_namespace)
            ms_walk_over(&walk, &die);
    }
}

static int by_vm(const void *a, const void *b)
{
    const struct ms_global *x = a, *y = b;
    if (x->vm != y->vm)
        return x->vm < y->vm ? -1 : 1;
    return x->die_off < y->die_off ? -1 : x->die_off > y->die_off;
}

static int by_low(const void *a, const void *b)
{
    const struct ms_global_init *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

enum ms_status ms_globals_read(struct ms_dwarf *dwarf, const struct ms_unit *unit,
                               struct ms_globals *out, struct ms_error *err)
{
    struct reader r = {.dwarf = dwarf, .unit = unit, .out = out};
    struct ms_error ignored;
    out->n = out->n_inits = 0;
    r.opened = calloc(1, sizeof *r.opened); /* large */
    if (!r.opened)
        return ms_fail_memory(err);
    enum ms_status status = ms_line_header_read(unit, &r.header, &ignored);
    if (status == MS_OK)
        status = ms_line_files_read(&r.header, &r.files, &ignored);
    r.has_files = status == MS_OK;
    r.no_memory = status == MS_E_NOMEM;
    walk(&r);
    ms_line_files_fini(&r.files);
    free(r.opened);
    if (r.no_memory)
        return ms_fail_memory(err);
    if (out->n)
        qsort(out->items, out->n, sizeof *out->items, by_vm);
    if (out->n_inits)
        qsort(out->inits, out->n_inits, sizeof *out->inits, by_low);
    size_t kept = 0;
    for (size_t i = 0; i < out->n; i++)
        if (!kept || out->items[kept - 1].vm != out->items[i].vm)
            out->items[kept++] = out->items[i];
    out->n = kept;
    return MS_OK;
}

void ms_globals_fini(struct ms_globals *globals)
{
    free(globals->items);
    free(globals->inits);
    memset(globals, 0, sizeof *globals);
}

const struct ms_global *ms_globals_find(const struct ms_globals *globals, uint64_t vm)
{
    size_t low = 0, high = globals->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (globals->items[middle].vm < vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low < globals->n && globals->items[low].vm == vm ? &globals->items[low] : NULL;
}

const struct ms_global_init *ms_globals_find_init(const struct ms_globals *globals, uint64_t vm)
{
    size_t low = 0, high = globals->n_inits;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (globals->inits[middle].low < vm)
            low = middle + 1;
        else
            high = middle;
    }
    return low < globals->n_inits && globals->inits[low].low == vm ? &globals->inits[low] : NULL;
}
