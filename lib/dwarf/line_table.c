#include "dwarf/line_table.h"

#include "base/array.h"
#include "dwarf/fault.h"
#include "dwarf/reader.h"

#include <stdlib.h>

struct ms_line_tables {
    struct ms_unit strings; /* no unit: what strings are read through */
    uint64_t next;          /* of the section */
    uint64_t off;           /* of the table at hand */
    struct ms_line_table table;
    const char **dirs;
    size_t n_dirs, dirs_room;
    struct ms_line_table_file *files;
    size_t n_files, files_room;
    struct ms_cursor program;
    uint64_t program_off; /* in the section */
    struct ms_line_row row;
    bool bundles;
};

enum ms_status ms_line_tables_open(struct ms_dwarf *dwarf, struct ms_line_tables **out,
                                   struct ms_error *err)
{
    if (!dwarf->s.line.n)
        return MS_ABSENT;
    struct ms_line_tables *t = calloc(1, sizeof *t);
    if (!t)
        return ms_fail_memory(err);
    t->strings.dwarf = dwarf;
    t->strings.encoding.big = dwarf->s.big;
    *out = t;
    return MS_OK;
}

void ms_line_tables_close(struct ms_line_tables *t)
{
    if (!t)
        return;
    free(t->dirs);
    free(t->files);
    free(t);
}

static enum ms_status fail(const struct ms_line_tables *t, struct ms_error *err, uint64_t off,
                           const char *what)
{
    return ms_dwarf_fail(err, MS_E_FORMAT, t->strings.dwarf->s.where, "__debug_line", off,
                         "line table at 0x%llx: %s", (unsigned long long)t->off, what);
}

/* ---- directories and files ---------------------------------------------------------------- */

static bool push_dir(struct ms_line_tables *t, const char *dir)
{
    return MS_PUSH(t->dirs, t->n_dirs, t->dirs_room, dir);
}

static bool push_file(struct ms_line_tables *t, const struct ms_line_table_file *file)
{
    return MS_PUSH(t->files, t->n_files, t->files_room, *file);
}

/* NULL, or what is wrong. A fault of memory is "". */
static const char *read_old_tables(struct ms_line_tables *t, struct ms_cursor *c)
{
    const char *name;
    t->table.has_mtime = t->table.has_bytes = true;
    while (name = ms_cursor_string(c), name[0])
        if (!push_dir(t, name))
            return "";
    if (c->bad)
        return "the list of directories has no end";
    while (name = ms_cursor_string(c), name[0]) {
        struct ms_line_table_file file = {.name = name};
        file.dir = ms_cursor_uleb(c);
        file.mtime = ms_cursor_uleb(c);
        file.bytes = ms_cursor_uleb(c);
        if (c->bad)
            break;
        if (!push_file(t, &file))
            return "";
    }
    return c->bad ? "the list of files has no end" : NULL;
}

/* What an entry of a DWARF 5 table consists of. The count is a byte, so is the bound. */
struct columns {
    uint64_t content[255];
    uint8_t form[255];
    unsigned n;
};

static bool read_columns(struct ms_cursor *c, struct columns *out)
{
    out->n = ms_cursor_u8(c);
    for (unsigned i = 0; i < out->n; i++) {
        out->content[i] = ms_cursor_uleb(c);
        out->form[i] = ms_form_normalize(ms_cursor_uleb(c));
        /* forms without bytes would let a count of 2^60 stand in a short table */
        if (!c->bad && (out->form[i] == MS_FORM_UNKNOWN || out->form[i] == DW_FORM_flag_present ||
                        out->form[i] == DW_FORM_implicit_const))
            ms_cursor_spoil(c);
    }
    return !c->bad;
}

static void read_column(struct ms_line_tables *t, struct ms_cursor *c, uint64_t content,
                        uint8_t form, struct ms_line_table_file *out)
{
    struct ms_cursor before = *c;
    struct ms_value value = ms_value_read(c, &t->strings.encoding, form, 0);
    if (c->bad)
        return;
    switch (content) {
    case DW_LNCT_path:
        out->name = ms_unit_string(&t->strings, &value);
        break;
    case DW_LNCT_directory_index:
        out->dir = value.u;
        break;
    case DW_LNCT_timestamp:
        out->mtime = value.u;
        break;
    case DW_LNCT_size:
        out->bytes = value.u;
        break;
    case DW_LNCT_MD5:
        if (form == DW_FORM_data16)
            memcpy(out->md5, ms_cursor_bytes(&before, 16).at, 16);
        break;
    case DW_LNCT_LLVM_source:
        out->source = ms_unit_string(&t->strings, &value);
        break;
    }
}

static void note_columns(struct ms_line_tables *t, const struct columns *columns)
{
    for (unsigned i = 0; i < columns->n; i++) {
        t->table.has_mtime |= columns->content[i] == DW_LNCT_timestamp;
        t->table.has_bytes |= columns->content[i] == DW_LNCT_size;
        t->table.has_md5 |= columns->content[i] == DW_LNCT_MD5;
        t->table.has_source |= columns->content[i] == DW_LNCT_LLVM_source;
    }
}

static const char *read_table_5(struct ms_line_tables *t, struct ms_cursor *c, bool dirs)
{
    struct columns columns;
    if (!read_columns(c, &columns))
        return "the format of its directories or files is cut short or unknown";
    if (!dirs)
        note_columns(t, &columns);
    uint64_t n = ms_cursor_uleb(c);
    if (n > ms_cursor_left(c) || (n && columns.n == 0))
        return "more directories or files than bytes";
    for (uint64_t i = 0; i < n; i++) {
        struct ms_line_table_file entry = {.name = NULL};
        for (unsigned k = 0; k < columns.n && !c->bad; k++)
            read_column(t, c, columns.content[k], columns.form[k], &entry);
        if (c->bad)
            return "the last directory or file is cut short";
        if (!(dirs ? push_dir(t, entry.name) : push_file(t, &entry)))
            return "";
    }
    return NULL;
}

/* ---- head ----------------------------------------------------------------------------------- */

/* The initial length: false when it can't be believed. Leaves `c` over the table alone. */
static bool read_length(struct ms_line_tables *t, struct ms_cursor *c)
{
    t->table.length = ms_cursor_u32(c);
    t->table.is_64 = t->table.length == 0xffffffff;
    if (t->table.is_64)
        t->table.length = ms_cursor_u64(c);
    uint64_t start = ms_cursor_offset(c);
    if (c->bad || (!t->table.is_64 && t->table.length >= 0xfffffff0) ||
        t->table.length > ms_cursor_left(c))
        return false;
    struct ms_bytes bytes = {c->start, (size_t)(start + t->table.length)};
    *c = ms_cursor_over(bytes, c->big);
    ms_cursor_seek(c, start);
    t->next = t->off + start + t->table.length;
    return true;
}

static void read_parameters(struct ms_line_table *h, struct ms_cursor *c)
{
    h->min_inst_length = ms_cursor_u8(c);
    h->max_ops = h->version >= 4 ? ms_cursor_u8(c) : 1;
    h->default_is_stmt = ms_cursor_u8(c);
    h->line_base = (int8_t)ms_cursor_u8(c);
    h->line_range = ms_cursor_u8(c);
    h->opcode_base = ms_cursor_u8(c);
    if (h->opcode_base)
        h->opcode_lengths = ms_cursor_bytes(c, h->opcode_base - 1u);
}

/* NULL, or what is wrong; "" without memory. `c` is over the table, behind its length. */
static const char *read_head(struct ms_line_tables *t, struct ms_cursor *c)
{
    struct ms_line_table *h = &t->table;
    struct ms_encoding *e = &t->strings.encoding;
    h->version = ms_cursor_u16(c);
    if (c->bad)
        return "the header is cut short";
    if (h->version < 2 || h->version > 5)
        return "of a version that isn't 2 to 5";
    h->address_size = t->strings.dwarf->s.address_size;
    if (h->version >= 5) {
        h->address_size = ms_cursor_u8(c);
        h->segment_size = ms_cursor_u8(c);
    }
    *e = (struct ms_encoding){h->version, h->address_size, h->is_64 ? 8 : 4, h->is_64 ? 8 : 4,
                              t->strings.dwarf->s.big};
    h->header_length = ms_cursor_uint(c, e->offset_size);
    if (c->bad || h->header_length > ms_cursor_left(c))
        return "header_length reaches past the end";
    struct ms_cursor head = ms_cursor_over(ms_cursor_bytes(c, h->header_length), c->big);
    t->program_off = t->off + ms_cursor_offset(c);
    t->program = ms_cursor_over(ms_cursor_bytes(c, ms_cursor_left(c)), c->big);
    read_parameters(h, &head);
    if (head.bad)
        return "the header is longer than header_length";
    if (!h->opcode_base)
        return "opcode_base is 0";
    if (h->address_size != 4 && h->address_size != 8)
        return "of an address size that is neither 4 nor 8";
    if (h->version < 5)
        return read_old_tables(t, &head);
    const char *fault = read_table_5(t, &head, true);
    return fault ? fault : read_table_5(t, &head, false);
}

static void start_row(struct ms_line_tables *t)
{
    t->row = (struct ms_line_row){.file = 1, .line = 1, .is_stmt = t->table.default_is_stmt != 0};
}

enum ms_status ms_line_tables_next(struct ms_line_tables *t, struct ms_line_table *out,
                                   struct ms_error *err)
{
    struct ms_bytes rest;
    const struct ms_dwarf_sections *s = &t->strings.dwarf->s;
    if (t->next >= s->line.n || !ms_bytes_from(s->line, t->next, &rest))
        return MS_ABSENT;
    struct ms_cursor c = ms_cursor_over(rest, s->big);
    memset(&t->table, 0, sizeof t->table);
    t->program = ms_cursor_over((struct ms_bytes){NULL, 0}, s->big);
    t->n_dirs = t->n_files = 0;
    t->table.off = t->off = t->next;
    if (!read_length(t, &c)) {
        t->next = s->line.n;
        return fail(t, err, t->off, "its length reaches past the end of the section");
    }
    const char *fault = read_head(t, &c);
    if (fault && !fault[0])
        return ms_fail_memory(err);
    if (fault) {
        (void)fail(t, &t->table.damage, t->off, fault);
        t->program = ms_cursor_over((struct ms_bytes){NULL, 0}, s->big);
    }
    t->table.dirs = t->dirs;
    t->table.n_dirs = t->n_dirs;
    t->table.files = t->files;
    t->table.n_files = t->n_files;
    t->bundles = t->table.max_ops > 1;
    start_row(t);
    *out = t->table;
    return MS_OK;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint32_t clamp(uint64_t value)
{
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void advance(struct ms_line_tables *t, uint64_t operations)
{
    const struct ms_line_table *h = &t->table;
    if (!t->bundles) {
        t->row.address += operations * h->min_inst_length;
        return;
    }
    uint64_t sum = t->row.op_index + operations; /* DWARF 4 §6.2.5.1 */
    t->row.address += sum / h->max_ops * h->min_inst_length;
    t->row.op_index = (uint8_t)(sum % h->max_ops);
}

static void emit(struct ms_line_tables *t, struct ms_line_row *out)
{
    *out = t->row;
    t->row.discriminator = 0;
    t->row.basic_block = t->row.prologue_end = t->row.epilogue_begin = false;
}

/* Behind the 0 opcode. True when a row is complete. */
static bool run_extended(struct ms_line_tables *t, struct ms_line_row *out, const char **fault)
{
    uint64_t n = ms_cursor_uleb(&t->program);
    struct ms_cursor c = ms_cursor_over(ms_cursor_bytes(&t->program, n), t->program.big);
    if (t->program.bad || n == 0) {
        *fault = "an extended opcode is cut short";
        return false;
    }
    switch (ms_cursor_u8(&c)) {
    case DW_LNE_end_sequence:
        t->row.end_sequence = true;
        *out = t->row;
        start_row(t);
        return true;
    case DW_LNE_set_address:
        t->row.address = ms_cursor_uint(&c, (unsigned)(n - 1 < 16 ? n - 1 : 16));
        t->row.op_index = 0;
        if (c.bad)
            *fault = "DW_LNE_set_address of an unknown size";
        break;
    case DW_LNE_define_file: /* told of in the head by nobody; its rows say its number */
        (void)ms_cursor_string(&c);
        if (c.bad)
            *fault = "DW_LNE_define_file is cut short";
        break;
    case DW_LNE_set_discriminator:
        t->row.discriminator = clamp(ms_cursor_uleb(&c));
        break;
    }
    return false;
}

static void run_standard(struct ms_line_tables *t, uint8_t opcode)
{
    struct ms_line_row *r = &t->row;
    struct ms_cursor *c = &t->program;
    struct ms_bytes length;
    switch (opcode) {
    case DW_LNS_advance_pc:
        advance(t, ms_cursor_uleb(c));
        break;
    case DW_LNS_advance_line:
        r->line += (uint32_t)ms_cursor_sleb(c);
        break;
    case DW_LNS_set_file:
        r->file = clamp(ms_cursor_uleb(c));
        break;
    case DW_LNS_set_column:
        r->column = clamp(ms_cursor_uleb(c));
        break;
    case DW_LNS_negate_stmt:
        r->is_stmt = !r->is_stmt;
        break;
    case DW_LNS_set_basic_block:
        r->basic_block = true;
        break;
    case DW_LNS_const_add_pc:
        if (t->table.line_range)
            advance(t, (255u - t->table.opcode_base) / t->table.line_range);
        break;
    case DW_LNS_fixed_advance_pc:
        r->address += ms_cursor_u16(c);
        r->op_index = 0;
        break;
    case DW_LNS_set_prologue_end:
        r->prologue_end = true;
        break;
    case DW_LNS_set_epilogue_begin:
        r->epilogue_begin = true;
        break;
    case DW_LNS_set_isa:
        r->isa = clamp(ms_cursor_uleb(c));
        break;
    default:
        if (ms_bytes_part(t->table.opcode_lengths, opcode - 1u, 1, &length))
            for (unsigned i = 0; i < *length.at; i++)
                (void)ms_cursor_uleb(c);
    }
}

static void run_special(struct ms_line_tables *t, uint8_t opcode)
{
    const struct ms_line_table *h = &t->table;
    unsigned adjusted = opcode - h->opcode_base;
    if (h->line_range) {
        advance(t, adjusted / h->line_range);
        adjusted %= h->line_range;
    } else {
        adjusted = 0;
    }
    t->row.line += (uint32_t)(h->line_base + (int)adjusted);
}

bool ms_line_rows_next(struct ms_line_tables *t, struct ms_line_row *out, struct ms_error *err)
{
    const char *fault = NULL;
    err->status = MS_OK;
    while (ms_cursor_left(&t->program) && !fault) {
        uint8_t opcode = ms_cursor_u8(&t->program);
        if (opcode >= t->table.opcode_base) {
            run_special(t, opcode);
            emit(t, out);
            return true;
        }
        if (opcode == 0) {
            if (run_extended(t, out, &fault))
                return true;
        } else if (opcode == DW_LNS_copy) {
            emit(t, out);
            return true;
        } else {
            run_standard(t, opcode);
        }
        if (t->program.bad && !fault)
            fault = "the program is cut short";
    }
    if (fault) {
        uint64_t at = t->program_off + ms_cursor_offset(&t->program);
        (void)fail(t, err, at, fault);
        t->program = ms_cursor_over((struct ms_bytes){NULL, 0}, t->program.big);
    }
    return false;
}
