#include "dwarf/line.h"

#include "base/array.h"
#include "base/bytes.h"
#include "dwarf/fault.h"
#include "dwarf/reader.h"

static enum ms_status line_fail(const struct ms_unit *unit, struct ms_error *err,
                                enum ms_status status, uint64_t off, const char *what,
                                uint64_t found)
{
    return ms_dwarf_fail(err, status, unit->dwarf->s.where, "__debug_line", off,
                         "line table: %s %llu", what, (unsigned long long)found);
}

/* ---- header ----------------------------------------------------------------------------- */

/* The initial length; leaves `c` over the table alone. */
static enum ms_status read_length(struct ms_cursor *c, struct ms_line_header *h,
                                  struct ms_error *err)
{
    uint64_t length = ms_cursor_u32(c);
    h->encoding.offset_size = 4;
    if (length == 0xffffffff) {
        h->encoding.offset_size = 8;
        length = ms_cursor_u64(c);
    } else if (length >= 0xfffffff0) {
        return line_fail(h->unit, err, MS_E_FORMAT, h->off, "reserved length", length);
    }
    if (c->bad)
        return line_fail(h->unit, err, MS_E_FORMAT, h->off,
                         "header cut short, bytes remain:", h->unit->dwarf->s.line.n - h->off);
    uint64_t left = ms_cursor_left(c);
    if (length > left)
        return ms_dwarf_fail(err, MS_E_FORMAT, h->unit->dwarf->s.where, "__debug_line", h->off,
                             "line table: needs %llu bytes, %llu remain",
                             (unsigned long long)length, (unsigned long long)left);
    *c = ms_cursor_over(ms_cursor_bytes(c, length), c->big);
    return MS_OK;
}

/* What stands behind header_length; `c` is over the header's rest. */
static enum ms_status read_parameters(struct ms_cursor *c, struct ms_line_header *h,
                                      struct ms_error *err)
{
    h->min_inst_length = ms_cursor_u8(c);
    h->max_ops = h->encoding.version >= 4 ? ms_cursor_u8(c) : 1;
    ms_cursor_skip(c, 1); /* default_is_stmt */
    h->line_base = (int8_t)ms_cursor_u8(c);
    h->line_range = ms_cursor_u8(c);
    h->opcode_base = ms_cursor_u8(c);
    if (!c->bad && h->opcode_base == 0)
        return line_fail(h->unit, err, MS_E_FORMAT, h->off, "opcode_base of", 0);
    h->opcode_lengths = ms_cursor_bytes(c, h->opcode_base - 1u);
    if (c->bad)
        return line_fail(h->unit, err, MS_E_FORMAT, h->off,
                         "header longer than its bytes:", ms_cursor_offset(c));
    return MS_OK;
}

enum ms_status ms_line_header_read(const struct ms_unit *unit, struct ms_line_header *h,
                                   struct ms_error *err)
{
    struct ms_bytes rest, header;
    memset(h, 0, sizeof *h);
    h->unit = unit;
    h->off = unit->lines_off;
    h->encoding = unit->encoding;
    if (!unit->has_lines)
        return MS_ABSENT;
    if (!ms_bytes_from(unit->dwarf->s.line, h->off, &rest) || !rest.n)
        return line_fail(unit, err, MS_E_FORMAT, h->off,
                         "outside the section of bytes:", unit->dwarf->s.line.n);
    struct ms_cursor c = ms_cursor_over(rest, unit->encoding.big);
    enum ms_status status = read_length(&c, h, err);
    if (status != MS_OK)
        return status;
    h->encoding.version = ms_cursor_u16(&c);
    if (!c.bad && (h->encoding.version < 2 || h->encoding.version > 5))
        return line_fail(unit, err, MS_E_UNSUPPORTED, h->off, "2 to 5 are known, not DWARF version",
                         h->encoding.version);
    if (h->encoding.version >= 5) {
        h->encoding.address_size = ms_cursor_u8(&c);
        ms_cursor_skip(&c, 1); /* segment_selector_size */
    }
    uint64_t length = ms_cursor_uint(&c, h->encoding.offset_size);
    if (c.bad || length > ms_cursor_left(&c))
        return line_fail(unit, err, MS_E_FORMAT, h->off, "header_length past the end:", length);
    header = ms_cursor_bytes(&c, length);
    h->program_off = h->off + (h->encoding.offset_size == 8 ? 12 : 4) + ms_cursor_offset(&c);
    h->program = ms_cursor_bytes(&c, ms_cursor_left(&c));
    h->tables_off = h->program_off;
    c = ms_cursor_over(header, unit->encoding.big);
    status = read_parameters(&c, h, err);
    if (status != MS_OK)
        return status;
    h->tables_off = h->program_off - ms_cursor_left(&c);
    h->tables = ms_cursor_bytes(&c, ms_cursor_left(&c));
    return MS_OK;
}

/* ---- machine ---------------------------------------------------------------------------- */

struct ms_line_state ms_line_state_at(size_t at)
{
    return (struct ms_line_state){.at = at, .file = 1, .line = 1};
}

void ms_line_machine_init(struct ms_line_machine *m, const struct ms_line_header *h,
                          struct ms_line_files *files)
{
    unsigned operations = 0, line = 0;
    m->header = h;
    m->program = h->program;
    m->files = files;
    m->opcode_base = h->opcode_base;
    m->bundles = h->max_ops > 1;
    m->const_operations = 0;
    for (unsigned opcode = h->opcode_base; opcode < 256; opcode++) {
        unsigned bytes = operations * (m->bundles ? 1 : h->min_inst_length);
        m->special[opcode].advance = (uint16_t)bytes; /* 255 * 255 at most */
        m->special[opcode].lines = (int16_t)(h->line_base + (int)line);
        m->const_operations = operations;
        if (h->line_range && ++line == h->line_range) {
            line = 0;
            operations++;
        }
    }
}

/* DWARF 4 §6.2.5.1: with bundles an operation advance isn't an address. */
static void advance(const struct ms_line_machine *m, struct ms_line_state *s, uint64_t operations)
{
    const struct ms_line_header *h = m->header;
    if (!m->bundles) {
        s->address += operations * h->min_inst_length;
        return;
    }
    uint64_t sum = s->op_index + operations;
    s->address += sum / h->max_ops * h->min_inst_length;
    s->op_index = (uint32_t)(sum % h->max_ops);
}

static void spoil(const struct ms_line_machine *m, struct ms_line_state *s, const char *what)
{
    s->fault = what;
    s->at = m->program.n;
}

static uint32_t clamp(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void define_file(const struct ms_line_machine *m, struct ms_line_state *s,
                        struct ms_cursor *c)
{
    struct ms_line_file file = {ms_cursor_string(c), 0};
    file.dir = ms_cursor_uleb(c);
    if (c->bad)
        spoil(m, s, "DW_LNE_define_file is cut short");
    else if (m->files && !MS_PUSH(m->files->files, m->files->n_files, m->files->files_room, file))
        return; /* without memory the file stays unknown */
}

/* Behind the 0 opcode: a length, an opcode and what belongs to it. */
static void run_extended(const struct ms_line_machine *m, struct ms_line_state *s,
                         struct ms_cursor *program)
{
    uint64_t n = ms_cursor_uleb(program);
    struct ms_cursor c = ms_cursor_over(ms_cursor_bytes(program, n), program->big);
    if (program->bad || n == 0) {
        spoil(m, s, "an extended opcode is cut short");
        return;
    }
    switch (ms_cursor_u8(&c)) {
    case DW_LNE_end_sequence:
        s->is_row = s->end = true;
        break;
    case DW_LNE_set_address:
        s->address = ms_cursor_uint(&c, (unsigned)(n - 1 < 16 ? n - 1 : 16));
        s->op_index = 0;
        if (c.bad)
            spoil(m, s, "DW_LNE_set_address of an unknown size");
        break;
    case DW_LNE_define_file:
        define_file(m, s, &c);
        break;
    } /* set_discriminator and what vendors add say nothing that is asked for */
}

static void skip_operands(const struct ms_line_machine *m, struct ms_cursor *c, uint8_t opcode)
{
    struct ms_bytes length;
    if (!ms_bytes_part(m->header->opcode_lengths, opcode - 1u, 1, &length))
        return;
    for (unsigned i = 0; i < *length.at; i++)
        (void)ms_cursor_uleb(c);
}

static void run_standard(const struct ms_line_machine *m, struct ms_line_state *s,
                         struct ms_cursor *c, uint8_t opcode)
{
    switch (opcode) {
    case DW_LNS_copy:
        s->is_row = true;
        break;
    case DW_LNS_advance_pc:
        advance(m, s, ms_cursor_uleb(c));
        break;
    case DW_LNS_advance_line:
        s->line += (uint32_t)ms_cursor_sleb(c);
        break;
    case DW_LNS_set_file:
        s->file = clamp(ms_cursor_uleb(c));
        break;
    case DW_LNS_set_column:
        s->column = clamp(ms_cursor_uleb(c));
        break;
    case DW_LNS_negate_stmt:
    case DW_LNS_set_basic_block:
    case DW_LNS_set_prologue_end:
    case DW_LNS_set_epilogue_begin:
        break;
    case DW_LNS_const_add_pc:
        advance(m, s, m->const_operations);
        break;
    case DW_LNS_fixed_advance_pc:
        s->address += ms_cursor_u16(c);
        s->op_index = 0;
        break;
    case DW_LNS_set_isa:
        (void)ms_cursor_uleb(c);
        break;
    default:
        skip_operands(m, c, opcode);
    }
}

void ms_line_run(const struct ms_line_machine *m, struct ms_line_state *s, uint8_t opcode)
{
    struct ms_cursor c = ms_cursor_over(m->program, m->header->encoding.big);
    ms_cursor_seek(&c, s->at);
    s->is_row = false;
    if (opcode >= m->opcode_base) {
        advance(m, s, m->special[opcode].advance);
        s->line += (uint32_t)m->special[opcode].lines;
        s->is_row = true;
        return;
    }
    if (opcode == 0)
        run_extended(m, s, &c);
    else
        run_standard(m, s, &c, opcode);
    if (c.bad && !s->fault)
        spoil(m, s, "an opcode is cut short");
    else if (!s->fault)
        s->at = (size_t)ms_cursor_offset(&c);
    if (s->fault)
        s->is_row = s->end = false;
}

bool ms_line_next_plain(const struct ms_line_machine *m, struct ms_line_state *s)
{
    struct ms_bytes opcode;
    while (ms_bytes_part(m->program, s->at, 1, &opcode)) {
        s->at++;
        ms_line_run(m, s, *opcode.at);
        if (s->is_row)
            return true;
    }
    return false;
}

enum ms_status ms_line_machine_fail(const struct ms_line_machine *m, const struct ms_line_state *s,
                                    struct ms_error *err)
{
    return ms_dwarf_fail(err, MS_E_FORMAT, m->header->unit->dwarf->s.where, "__debug_line",
                         m->header->off, "line program at 0x%llx: %s",
                         (unsigned long long)m->header->program_off,
                         s->fault ? s->fault : "the last sequence has no end");
}
