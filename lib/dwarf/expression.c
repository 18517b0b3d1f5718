#include "dwarf/expression.h"

#include "dwarf/reader.h"
#include "machsym/macho.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- registers ------------------------------------------------------------------------------ */

/* Runs of registers that count up, and single ones. */
struct registers {
    uint16_t first, last;
    const char *name; /* with a %u where the run counts */
    uint16_t from;    /* what the first of the run is called */
};

static const struct registers arm64[] = {
    {0, 30, "W%u", 0},
    {31, 31, "WSP", 0},
    {64, 95, "B%u", 0},
    {0, 0, NULL, 0},
};
static const struct registers x86_64[] = {
    {0, 0, "RAX", 0},    {1, 1, "RDX", 0},   {2, 2, "RCX", 0},     {3, 3, "RBX", 0},
    {4, 4, "RSI", 0},    {5, 5, "RDI", 0},   {6, 6, "RBP", 0},     {7, 7, "RSP", 0},
    {8, 15, "R%u", 8},   {16, 16, "RIP", 0}, {17, 32, "XMM%u", 0}, {33, 40, "ST%u", 0},
    {41, 48, "MM%u", 0}, {0, 0, NULL, 0},
};
static const struct registers i386[] = {
    {0, 0, "EAX", 0}, {1, 1, "ECX", 0},    {2, 2, "EDX", 0},     {3, 3, "EBX", 0},
    {4, 4, "ESP", 0}, {5, 5, "EBP", 0},    {6, 6, "ESI", 0},     {7, 7, "EDI", 0},
    {8, 8, "EIP", 0}, {12, 19, "ST%u", 0}, {21, 28, "XMM%u", 0}, {29, 36, "MM%u", 0},
    {0, 0, NULL, 0},
};
static const struct registers arm[] = {
    {0, 12, "R%u", 0},  {13, 13, "SP", 0},    {14, 14, "LR", 0}, {15, 15, "PC", 0},
    {64, 95, "S%u", 0}, {256, 287, "D%u", 0}, {0, 0, NULL, 0},
};

static const struct registers *registers_of(uint32_t cputype)
{
    switch (cputype) {
    case MS_CPU_ARM64:
    case MS_CPU_ARM64_32:
        return arm64;
    case MS_CPU_X86_64:
        return x86_64;
    case MS_CPU_I386:
        return i386;
    case MS_CPU_ARM:
        return arm;
    }
    return NULL;
}

static bool put_register(uint32_t cputype, uint64_t number, struct ms_text *text)
{
    for (const struct registers *r = registers_of(cputype); r && r->name; r++) {
        if (number < r->first || number > r->last)
            continue;
        const char *percent = strchr(r->name, '%');
        ms_text_putc(text, ' ');
        if (percent) {
            ms_text_add(text, r->name, (size_t)(percent - r->name));
            ms_text_printf(text, "%u", (unsigned)(number - r->first + r->from));
        } else {
            ms_text_puts(text, r->name);
        }
        return true;
    }
    return false;
}

/* ---- operations ------------------------------------------------------------------------------ */

/* What follows an opcode. */
enum operand {
    NONE,
    ADDRESS,
    U1,
    U2,
    U4,
    U8,
    S1,
    S2,
    S4,
    S8,
    ULEB,
    SLEB,
    OFFSET,
    BLOCK,
    BLOCK1,
    TYPE
};

struct operation {
    uint8_t opcode;
    const char *name;
    uint8_t operands[2];
};

static const struct operation operations[] = {
    {0x03, "addr", {ADDRESS}},
    {0x06, "deref", {NONE}},
    {0x08, "const1u", {U1}},
    {0x09, "const1s", {S1}},
    {0x0a, "const2u", {U2}},
    {0x0b, "const2s", {S2}},
    {0x0c, "const4u", {U4}},
    {0x0d, "const4s", {S4}},
    {0x0e, "const8u", {U8}},
    {0x0f, "const8s", {S8}},
    {0x10, "constu", {ULEB}},
    {0x11, "consts", {SLEB}},
    {0x12, "dup", {NONE}},
    {0x13, "drop", {NONE}},
    {0x14, "over", {NONE}},
    {0x15, "pick", {U1}},
    {0x16, "swap", {NONE}},
    {0x17, "rot", {NONE}},
    {0x18, "xderef", {NONE}},
    {0x19, "abs", {NONE}},
    {0x1a, "and", {NONE}},
    {0x1b, "div", {NONE}},
    {0x1c, "minus", {NONE}},
    {0x1d, "mod", {NONE}},
    {0x1e, "mul", {NONE}},
    {0x1f, "neg", {NONE}},
    {0x20, "not", {NONE}},
    {0x21, "or", {NONE}},
    {0x22, "plus", {NONE}},
    {0x23, "plus_uconst", {ULEB}},
    {0x24, "shl", {NONE}},
    {0x25, "shr", {NONE}},
    {0x26, "shra", {NONE}},
    {0x27, "xor", {NONE}},
    {0x28, "bra", {S2}},
    {0x29, "eq", {NONE}},
    {0x2a, "ge", {NONE}},
    {0x2b, "gt", {NONE}},
    {0x2c, "le", {NONE}},
    {0x2d, "lt", {NONE}},
    {0x2e, "ne", {NONE}},
    {0x2f, "skip", {S2}},
    {0x90, "regx", {ULEB}},
    {0x91, "fbreg", {SLEB}},
    {0x92, "bregx", {ULEB, SLEB}},
    {0x93, "piece", {ULEB}},
    {0x94, "deref_size", {U1}},
    {0x95, "xderef_size", {U1}},
    {0x96, "nop", {NONE}},
    {0x97, "push_object_address", {NONE}},
    {0x98, "call2", {U2}},
    {0x99, "call4", {U4}},
    {0x9a, "call_ref", {OFFSET}},
    {0x9b, "form_tls_address", {NONE}},
    {0x9c, "call_frame_cfa", {NONE}},
    {0x9d, "bit_piece", {ULEB, ULEB}},
    {0x9e, "implicit_value", {BLOCK}},
    {0x9f, "stack_value", {NONE}},
    {0xa0, "implicit_pointer", {OFFSET, SLEB}},
    {0xa1, "addrx", {ULEB}},
    {0xa2, "constx", {ULEB}},
    {0xa3, "entry_value", {ULEB}},
    {0xa4, "const_type", {TYPE, BLOCK1}},
    {0xa5, "regval_type", {ULEB, TYPE}},
    {0xa6, "deref_type", {U1, TYPE}},
    {0xa8, "convert", {TYPE}},
    {0xa9, "reinterpret", {TYPE}},
    {0xe0, "GNU_push_tls_address", {NONE}},
    {0xf3, "GNU_entry_value", {ULEB}},
    {0xfb, "GNU_addr_index", {ULEB}},
    {0xfc, "GNU_const_index", {ULEB}},
};

enum {
    OP_lit0 = 0x30,
    OP_reg0 = 0x50,
    OP_breg0 = 0x70,
    OP_regx = 0x90,
    OP_bregx = 0x92,
    OP_entry_value = 0xa3,
    OP_regval_type = 0xa5,
    OP_convert = 0xa8,
    OP_GNU_entry_value = 0xf3
};

static const struct operation *find_operation(uint8_t opcode)
{
    size_t low = 0, high = sizeof operations / sizeof *operations;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (operations[middle].opcode < opcode)
            low = middle + 1;
        else
            high = middle;
    }
    return low < sizeof operations / sizeof *operations && operations[low].opcode == opcode
               ? &operations[low]
               : NULL;
}

/* An expression on its way. */
struct printer {
    struct ms_cursor c;
    const struct ms_unit *unit;
    uint32_t cputype;
    struct ms_text *text;
    uint64_t entry_left; /* bytes of the expression inside an entry value; 0 = outside */
};

struct value {
    uint64_t u;
    struct ms_bytes block;
};

static struct value read_operand(struct printer *p, uint8_t kind)
{
    struct ms_cursor *c = &p->c;
    const struct ms_encoding *e = &p->unit->encoding;
    struct value out = {0, {NULL, 0}};
    switch (kind) {
    case ADDRESS:
        out.u = ms_cursor_uint(c, e->address_size);
        break;
    case U1:
        out.u = ms_cursor_u8(c);
        break;
    case S1:
        out.u = (uint64_t)(int8_t)ms_cursor_u8(c);
        break;
    case U2:
        out.u = ms_cursor_u16(c);
        break;
    case S2:
        out.u = (uint64_t)(int16_t)ms_cursor_u16(c);
        break;
    case U4:
        out.u = ms_cursor_u32(c);
        break;
    case S4:
        out.u = (uint64_t)(int32_t)ms_cursor_u32(c);
        break;
    case U8:
    case S8:
        out.u = ms_cursor_u64(c);
        break;
    case ULEB:
    case TYPE:
        out.u = ms_cursor_uleb(c);
        break;
    case SLEB:
        out.u = (uint64_t)ms_cursor_sleb(c);
        break;
    case OFFSET:
        out.u = ms_cursor_uint(c, e->ref_addr_size);
        break;
    case BLOCK:
        out.u = ms_cursor_uleb(c);
        out.block = ms_cursor_bytes(c, out.u);
        break;
    case BLOCK1:
        out.u = ms_cursor_u8(c);
        out.block = ms_cursor_bytes(c, out.u);
        break;
    }
    return out;
}

/* The type that a typed operation speaks of, by its offset in the unit. */
static void put_base_type(struct printer *p, uint8_t opcode, uint64_t off)
{
    struct ms_die die;
    struct ms_value value;
    uint64_t attribute;
    if (opcode == OP_convert && off == 0) {
        ms_text_puts(p->text, " 0x0");
        return;
    }
    if (off < p->unit->header.root || !ms_die_open(p->unit, off, &die) ||
        die.abbrev->tag != DW_TAG_base_type) {
        ms_text_printf(p->text, " <invalid base_type ref: 0x%" PRIx64 ">", off);
        return;
    }
    ms_text_printf(p->text, " (0x%08" PRIx64 ")", p->unit->header.off + off);
    while (ms_die_next(&die, &attribute, &value)) {
        const char *name = attribute == DW_AT_name ? ms_unit_string(p->unit, &value) : NULL;
        if (!name)
            continue;
        ms_text_puts(p->text, " \"");
        size_t from = p->text->n;
        ms_text_puts(p->text, name);
        ms_text_plain_from(p->text, from, false);
        ms_text_putc(p->text, '"');
    }
}

static void put_operand(struct printer *p, uint8_t opcode, uint8_t kind, const struct value *v)
{
    switch (kind) {
    case TYPE:
        put_base_type(p, opcode, v->u);
        break;
    case S1:
    case S2:
    case S4:
    case S8:
    case SLEB:
        ms_text_printf(p->text, " %+" PRId64, (int64_t)v->u);
        break;
    case BLOCK:
    case BLOCK1:
        ms_text_printf(p->text, " 0x%" PRIx64, v->u);
        for (struct ms_cursor c = ms_cursor_over(v->block, false); ms_cursor_left(&c);)
            ms_text_printf(p->text, " 0x%02x", ms_cursor_u8(&c));
        break;
    default:
        if (opcode != OP_entry_value && opcode != OP_GNU_entry_value)
            ms_text_printf(p->text, " 0x%" PRIx64, v->u);
    }
}

/* The opcodes that come in runs of 32. */
static bool run_of_32(uint8_t opcode, const char **name, uint8_t *first, uint8_t *operand)
{
    if (opcode < OP_lit0 || opcode >= OP_regx)
        return false;
    *name = opcode < OP_reg0 ? "lit" : opcode < OP_breg0 ? "reg" : "breg";
    *first = opcode < OP_reg0 ? OP_lit0 : opcode < OP_breg0 ? OP_reg0 : OP_breg0;
    *operand = opcode < OP_breg0 ? NONE : SLEB;
    return true;
}

static void put_numbered(struct printer *p, uint8_t opcode, const char *name, uint8_t number,
                         const struct value *operand)
{
    ms_text_puts(p->text, "DW_OP_");
    ms_text_puts(p->text, name);
    ms_text_printf(p->text, "%u", number);
    if (opcode < OP_reg0)
        return;
    bool known = put_register(p->cputype, number, p->text);
    if (opcode >= OP_breg0)
        ms_text_printf(p->text, known ? "%+" PRId64 : " %+" PRId64, (int64_t)operand->u);
}

static void put_named(struct printer *p, const struct operation *op, const struct value v[2])
{
    ms_text_puts(p->text, "DW_OP_");
    ms_text_puts(p->text, op->name);
    bool is_register =
        op->opcode == OP_regx || op->opcode == OP_bregx || op->opcode == OP_regval_type;
    if (is_register && put_register(p->cputype, v[0].u, p->text)) {
        if (op->opcode == OP_bregx)
            ms_text_printf(p->text, "%+" PRId64, (int64_t)v[1].u);
        else if (op->opcode == OP_regval_type)
            put_operand(p, op->opcode, TYPE, &v[1]);
        return;
    }
    for (int i = 0; i < 2 && op->operands[i] != NONE; i++)
        put_operand(p, op->opcode, op->operands[i], &v[i]);
}

/* One operation; false after the last one that can be read. */
static bool put_operation(struct printer *p)
{
    uint8_t opcode = ms_cursor_u8(&p->c), first, operand;
    const char *name;
    if (run_of_32(opcode, &name, &first, &operand)) {
        struct value v = read_operand(p, operand);
        if (p->c.bad)
            return false;
        put_numbered(p, opcode, name, (uint8_t)(opcode - first), &v);
        return true;
    }
    const struct operation *op = find_operation(opcode);
    if (!op)
        return false;
    struct value v[2];
    for (int i = 0; i < 2; i++)
        v[i] = read_operand(p, op->operands[i]);
    if (p->c.bad)
        return false;
    put_named(p, op, v);
    if (opcode == OP_entry_value || opcode == OP_GNU_entry_value)
        p->entry_left = v[0].u;
    return true;
}

void ms_expression_text(struct ms_bytes expression, const struct ms_unit *unit, uint32_t cputype,
                        struct ms_text *text)
{
    struct printer p = {ms_cursor_over(expression, unit->encoding.big), unit, cputype, text, 0};
    if (!expression.n)
        ms_text_puts(text, "<empty>");
    uint64_t entry_start = 0;
    while (ms_cursor_left(&p.c) && !text->failed) {
        struct ms_cursor before = p.c;
        uint64_t inside = p.entry_left;
        p.entry_left = 0;
        if (!put_operation(&p)) {
            ms_text_puts(text, "<decoding error>");
            while (ms_cursor_left(&before) && !text->failed)
                ms_text_printf(text, " %02x", ms_cursor_u8(&before));
            return;
        }
        if (p.entry_left) { /* its expression stands in parentheses */
            ms_text_putc(text, '(');
            entry_start = ms_cursor_offset(&p.c);
            continue;
        }
        if (inside && ms_cursor_offset(&p.c) - entry_start >= inside)
            ms_text_putc(text, ')');
        else
            p.entry_left = inside;
        if (ms_cursor_left(&p.c))
            ms_text_puts(text, ", ");
    }
}
