/* Line tables as llvm-dwarfdump --debug-line prints them. */
#include "machsym/dwarf.h"

#include "base/bytes.h"

#include <inttypes.h>

static const char *const standard_opcodes[] = {
    "copy",
    "advance_pc",
    "advance_line",
    "set_file",
    "set_column",
    "negate_stmt",
    "set_basic_block",
    "const_add_pc",
    "fixed_advance_pc",
    "set_prologue_end",
    "set_epilogue_begin",
    "set_isa",
};

static void put_opcode_lengths(const struct ms_line_table *t, struct ms_sink *sink)
{
    enum { N = sizeof standard_opcodes / sizeof *standard_opcodes };
    struct ms_bytes length;
    for (unsigned i = 0; i < t->opcode_lengths.n; i++) {
        if (!ms_bytes_part(t->opcode_lengths, i, 1, &length))
            return;
        if (i < N)
            ms_sink_printf(sink, "standard_opcode_lengths[DW_LNS_%s] = %u\n", standard_opcodes[i],
                           *length.at);
        else
            ms_sink_printf(sink, "standard_opcode_lengths[DW_LNS_unknown_%x] = %u\n", i + 1,
                           *length.at);
    }
}

static void put_quoted(struct ms_sink *sink, const char *text)
{
    if (!text)
        return;
    ms_sink_puts(sink, "\"");
    ms_sink_plain(sink, text);
    ms_sink_puts(sink, "\"");
}

static void put_file(const struct ms_line_table *t, size_t i, struct ms_sink *sink)
{
    const struct ms_line_table_file *file = &t->files[i];
    ms_sink_printf(sink, "file_names[%3zu]:\n           name: ", i + (t->version < 5));
    put_quoted(sink, file->name);
    ms_sink_printf(sink, "\n      dir_index: %" PRIu64 "\n", file->dir);
    if (t->has_md5) {
        ms_sink_puts(sink, "   md5_checksum: ");
        for (int k = 0; k < 16; k++)
            ms_sink_printf(sink, "%02x", file->md5[k]);
        ms_sink_puts(sink, "\n");
    }
    if (t->has_mtime)
        ms_sink_printf(sink, "       mod_time: 0x%8.8" PRIx64 "\n", file->mtime);
    if (t->has_bytes)
        ms_sink_printf(sink, "         length: 0x%8.8" PRIx64 "\n", file->bytes);
    if (t->has_source && file->source && file->source[0]) {
        ms_sink_puts(sink, "         source: ");
        put_quoted(sink, file->source);
        ms_sink_puts(sink, "\n");
    }
}

void ms_line_table_write(const struct ms_line_table *t, struct ms_sink *sink)
{
    int width = t->is_64 ? 16 : 8;
    ms_sink_printf(sink, "debug_line[0x%8.8" PRIx64 "]\nLine table prologue:\n", t->off);
    ms_sink_printf(sink, "    total_length: 0x%0*" PRIx64 "\n          format: DWARF%s\n", width,
                   t->length, t->is_64 ? "64" : "32");
    ms_sink_printf(sink, "         version: %u\n", t->version);
    if (t->version < 2 || t->version > 5)
        return;
    if (t->version >= 5)
        ms_sink_printf(sink, "    address_size: %u\n seg_select_size: %u\n", t->address_size,
                       t->segment_size);
    ms_sink_printf(sink, " prologue_length: 0x%0*" PRIx64 "\n min_inst_length: %u\n", width,
                   t->header_length, t->min_inst_length);
    if (t->version >= 4)
        ms_sink_printf(sink, "max_ops_per_inst: %u\n", t->max_ops);
    ms_sink_printf(sink,
                   " default_is_stmt: %u\n       line_base: %i\n      line_range: %u\n"
                   "     opcode_base: %u\n",
                   t->default_is_stmt, t->line_base, t->line_range, t->opcode_base);
    put_opcode_lengths(t, sink);
    for (size_t i = 0; i < t->n_dirs; i++) {
        ms_sink_printf(sink, "include_directories[%3zu] = ", i + (t->version < 5));
        put_quoted(sink, t->dirs[i]);
        ms_sink_puts(sink, "\n");
    }
    for (size_t i = 0; i < t->n_files; i++)
        put_file(t, i, sink);
}

void ms_line_row_write_heading(struct ms_sink *sink)
{
    ms_sink_puts(
        sink, "\nAddress            Line   Column File   ISA Discriminator OpIndex Flags\n"
              "------------------ ------ ------ ------ --- ------------- ------- -------------\n");
}

/* Right-aligned, in `width` columns at least, with a blank behind it. Rows come by the million:
 * printf would take most of the time. */
static char *put_number(char *at, uint32_t value, unsigned width)
{
    char digits[10];
    unsigned n = 0;
    do {
        digits[n++] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    for (unsigned i = n; i < width; i++)
        *at++ = ' ';
    while (n)
        *at++ = digits[--n];
    *at++ = ' ';
    return at;
}

static char *put_word(char *at, const char *word)
{
    while (*word)
        *at++ = *word++;
    return at;
}

void ms_line_row_write(const struct ms_line_row *row, struct ms_sink *sink)
{
    char line[192], *at = line;
    *at++ = '0';
    *at++ = 'x';
    for (int shift = 60; shift >= 0; shift -= 4)
        *at++ = "0123456789abcdef"[row->address >> shift & 0xf];
    *at++ = ' ';
    at = put_number(at, row->line, 6);
    at = put_number(at, row->column, 6);
    at = put_number(at, row->file, 6);
    at = put_number(at, row->isa, 3);
    at = put_number(at, row->discriminator, 13);
    at = put_number(at, row->op_index, 7);
    at = put_word(at, row->is_stmt ? " is_stmt" : "");
    at = put_word(at, row->basic_block ? " basic_block" : "");
    at = put_word(at, row->prologue_end ? " prologue_end" : "");
    at = put_word(at, row->epilogue_begin ? " epilogue_begin" : "");
    at = put_word(at, row->end_sequence ? " end_sequence" : "");
    *at++ = '\n';
    ms_sink_write(sink, line, (size_t)(at - line));
}
