#include "pack/gsym.h"

#include "base/array.h"
#include "base/cursor.h"
#include "pack/gsym_format.h"
#include "pack/gsym_inlines.h"

#include <stdlib.h>
#include <string.h>

enum {
    MOST_ROWS = 1 << 22, /* of one function; real: 100,000 */
    FEW = 3, /* addresses of one function that are looked up without reading all of it */
    N_LATELY = 64
};

/* Which number of the piece's own list a file of the table got. */
struct lately {
    uint32_t file, number;
};

struct ms_gsym {
    struct ms_bytes bytes;
    const char *where;
    bool big;
    unsigned width; /* of an address, in bytes */
    struct ms_gsym_head head;
    struct ms_bytes addresses, offsets, files, strings;
    size_t strings_end; /* strings from there on have no end */
    uint64_t budget;    /* bytes that may still be read in this run */
    /* Of the function that was read last. */
    size_t at;
    bool is_whole; /* else it answers for `address` alone */
    uint64_t address;
    unsigned n_asked; /* addresses of it that were asked for, one after the other */
    bool has_lines;
    struct ms_piece piece;
    struct ms_piece_row *rows;
    struct ms_piece_file *list;
    struct ms_gsym_inlines inlines;
    size_t rows_room, n_list, list_room;
    struct lately lately[N_LATELY];
};

void ms_gsym_close(struct ms_gsym *g)
{
    if (!g)
        return;
    free(g->rows);
    free(g->list);
    ms_gsym_inlines_fini(&g->inlines);
    free(g);
}

/* ---- the header ------------------------------------------------------------------------------ */

static uint32_t u32_at(const struct ms_gsym *g, struct ms_bytes bytes, size_t off)
{
    return ms_load_u32(bytes.at + off, g->big);
}

static uint64_t offset_of(const struct ms_gsym *g, const uint8_t *at)
{
    return (uint64_t)(at - g->bytes.at);
}

bool ms_gsym_has_magic(struct ms_bytes bytes)
{
    return bytes.n >= 4 && (ms_load_u32(bytes.at, false) == GSYM_MAGIC ||
                            ms_load_u32(bytes.at, true) == GSYM_MAGIC);
}

/* Cuts `count` items, which begin at a multiple of `align`, off the front of what is behind *off.
 */
static bool cut(struct ms_bytes bytes, uint64_t *off, unsigned align, uint64_t count,
                unsigned width, struct ms_bytes *out)
{
    *off = (*off + align - 1) / align * align;
    bool fits = ms_bytes_part(bytes, *off, count * width, out); /* 32 bits times at most 8 */
    *off += count * width;
    return fits;
}

static enum ms_status cut_tables(struct ms_gsym *g, struct ms_error *err)
{
    uint64_t off = GSYM_HEADER, n = u32_at(g, g->bytes, GSYM_AT_N_ADDRESSES);
    struct ms_bytes count;
    g->head.n_functions = n;
    if (!cut(g->bytes, &off, g->width, n, g->width, &g->addresses) ||
        !cut(g->bytes, &off, 4, n, 4, &g->offsets))
        return ms_fail(err, MS_E_FORMAT, g->where, GSYM_AT_N_ADDRESSES,
                       "%llu functions need %llu bytes of tables, the file has 0x%zx",
                       (unsigned long long)n, (unsigned long long)off, g->bytes.n);
    if (!cut(g->bytes, &off, 4, 1, 4, &count) ||
        !cut(g->bytes, &off, 4, u32_at(g, count, 0), GSYM_FILE, &g->files))
        return ms_fail(err, MS_E_FORMAT, g->where, off < g->bytes.n ? off : g->bytes.n,
                       "table of files is cut off: the file has 0x%zx bytes", g->bytes.n);
    uint64_t strings = u32_at(g, g->bytes, GSYM_AT_STRINGS),
             string_bytes = u32_at(g, g->bytes, GSYM_AT_STRING_BYTES);
    if (!ms_bytes_part(g->bytes, strings, string_bytes, &g->strings))
        return ms_fail(err, MS_E_FORMAT, g->where, GSYM_AT_STRINGS,
                       "strings from 0x%llx to 0x%llx, the file has 0x%zx bytes",
                       (unsigned long long)strings, (unsigned long long)(strings + string_bytes),
                       g->bytes.n);
    /* One look at the end, so that no string has to be measured. */
    g->strings_end = g->strings.n;
    while (g->strings_end && g->strings.at[g->strings_end - 1])
        g->strings_end--;
    return MS_OK;
}

static enum ms_status read_header(struct ms_gsym *g, struct ms_error *err)
{
    struct ms_bytes h = g->bytes;
    if (!ms_gsym_has_magic(h))
        return ms_fail(err, MS_E_FORMAT, g->where, 0, "is no GSYM file: the magic number differs");
    g->big = ms_load_u32(h.at, true) == GSYM_MAGIC;
    if (h.n < GSYM_HEADER)
        return ms_fail(err, MS_E_FORMAT, g->where, h.n,
                       "header of a GSYM file needs %d bytes, the file has %zu", GSYM_HEADER, h.n);
    struct ms_cursor c = ms_cursor_over(h, g->big);
    ms_cursor_seek(&c, GSYM_AT_VERSION);
    unsigned version = ms_cursor_u16(&c), width = ms_cursor_u8(&c), uuid_bytes = ms_cursor_u8(&c);
    if (version != GSYM_VERSION)
        return ms_fail(err, MS_E_UNSUPPORTED, g->where, GSYM_AT_VERSION,
                       "GSYM of version %u; this program reads %d", version, GSYM_VERSION);
    if (width != 1 && width != 2 && width != 4 && width != 8)
        return ms_fail(err, MS_E_FORMAT, g->where, GSYM_AT_ADDRESS_BYTES,
                       "addresses of %u bytes, expected 1, 2, 4 or 8", width);
    if (uuid_bytes > GSYM_UUID_ROOM)
        return ms_fail(err, MS_E_FORMAT, g->where, GSYM_AT_UUID_BYTES,
                       "UUID of %u bytes, expected %d at most", uuid_bytes, GSYM_UUID_ROOM);
    g->width = width;
    g->head.base_vm = ms_cursor_u64(&c);
    g->head.has_uuid = uuid_bytes == sizeof g->head.uuid.byte;
    if (g->head.has_uuid)
        memcpy(g->head.uuid.byte, h.at + GSYM_AT_UUID, sizeof g->head.uuid.byte);
    return cut_tables(g, err);
}

enum ms_status ms_gsym_open(struct ms_bytes bytes, const char *where, struct ms_gsym **out,
                            struct ms_error *err)
{
    struct ms_gsym *g = calloc(1, sizeof *g);
    if (!g)
        return ms_fail_memory(err);
    g->bytes = bytes;
    g->where = where;
    enum ms_status status = read_header(g, err);
    if (status != MS_OK) {
        ms_gsym_close(g);
        return status;
    }
    ms_gsym_begin(g);
    *out = g;
    return MS_OK;
}

void ms_gsym_begin(struct ms_gsym *g)
{
    enum { LEAST = 1 << 20, TIMES = FEW + 2 };
    g->budget = TIMES * (uint64_t)g->bytes.n + LEAST;
}

/* ---- tables ---------------------------------------------------------------------------------- */

static uint64_t address_at(const struct ms_gsym *g, size_t i)
{
    struct ms_cursor c = ms_cursor_over(g->addresses, g->big);
    ms_cursor_seek(&c, i * g->width);
    return g->head.base_vm + ms_cursor_uint(&c, g->width);
}

/* What is known of the i-th function and all behind it; false when that is outside the file. */
static bool info_at(const struct ms_gsym *g, size_t i, struct ms_bytes *out)
{
    return ms_bytes_from(g->bytes, u32_at(g, g->offsets, i * 4), out) && out->n >= 8;
}

/* Where a function without a size ends: where another starts. */
static uint64_t next_start(const struct ms_gsym *g, size_t i)
{
    uint64_t start = address_at(g, i);
    size_t from = i + 1, n = (size_t)g->head.n_functions - from;
    while (n) {
        size_t half = n / 2;
        if (address_at(g, from + half) <= start) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from < g->head.n_functions ? address_at(g, from) : UINT64_MAX;
}

static uint64_t end_of(const struct ms_gsym *g, size_t i, uint32_t size)
{
    uint64_t start = address_at(g, i), end;
    if (!size)
        return next_start(g, i);
    return ms_add_overflows(start, size, &end) ? UINT64_MAX : end;
}

void ms_gsym_head(const struct ms_gsym *g, struct ms_gsym_head *out)
{
    struct ms_bytes info;
    *out = g->head;
    out->start_vm = out->end_vm = g->head.base_vm;
    if (!g->head.n_functions)
        return;
    size_t last = (size_t)g->head.n_functions - 1;
    uint64_t start = address_at(g, last), end = start + (start < UINT64_MAX);
    uint32_t size = info_at(g, last, &info) ? u32_at(g, info, 0) : 0;
    if (size)
        end = end_of(g, last, size);
    if (end <= out->end_vm)
        return; /* addresses that wrap, or are in no order */
    out->end_vm = end;
    if (address_at(g, 0) > out->start_vm && address_at(g, 0) < end)
        out->start_vm = address_at(g, 0);
}

/* NULL for the empty one, and for what isn't one. */
static const char *string_at(const struct ms_gsym *g, uint32_t off)
{
    return off && off < g->strings_end && g->strings.at[off] ? (const char *)g->strings.at + off
                                                             : NULL;
}

static enum ms_status bad_string(const struct ms_gsym *g, uint32_t off, struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, g->where, MS_NO_OFFSET,
                   "string 0x%x lies outside the table of 0x%zx bytes", off, g->strings_end);
}

/* The number that a file of the table has in the piece's list: 1 + index; 0 = none. */
static enum ms_status local_file(struct ms_gsym *g, uint32_t file, uint32_t *out,
                                 struct ms_error *err)
{
    struct lately *lately = &g->lately[file % N_LATELY];
    *out = 0;
    if (!file)
        return MS_OK;
    if (file >= g->files.n / GSYM_FILE)
        return ms_fail(err, MS_E_FORMAT, g->where, offset_of(g, g->files.at),
                       "file number %u in a table of %zu", file, g->files.n / GSYM_FILE);
    if (lately->file != file) {
        size_t at = (size_t)file * GSYM_FILE;
        uint32_t dir = u32_at(g, g->files, at), base = u32_at(g, g->files, at + 4);
        struct ms_piece_file item = {NULL, string_at(g, dir), string_at(g, base)};
        if (dir >= g->strings_end && dir)
            return bad_string(g, dir, err);
        if (base >= g->strings_end && base)
            return bad_string(g, base, err);
        *lately = (struct lately){file, 0};
        if (item.file) {
            if (!MS_PUSH(g->list, g->n_list, g->list_room, item))
                return ms_fail_memory(err);
            lately->number = (uint32_t)g->n_list;
        }
    }
    *out = lately->number;
    return MS_OK;
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* What rows step by. */
struct steps {
    int64_t least;
    uint64_t range;
};

static enum ms_status bad_lines(const struct ms_gsym *g, struct ms_bytes bytes,
                                struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, g->where, offset_of(g, bytes.at),
                   "lines of the function at 0x%llx cannot be read",
                   (unsigned long long)g->piece.low);
}

static bool read_steps(struct ms_cursor *c, struct steps *steps, struct ms_piece_row *row)
{
    steps->least = ms_cursor_sleb(c);
    int64_t most = ms_cursor_sleb(c);
    steps->range = (uint64_t)most - (uint64_t)steps->least + 1;
    row->line = (uint32_t)ms_cursor_uleb(c);
    return !c->bad && most >= steps->least && steps->range;
}

/* A row whose file is still a number of the file's table. */
static enum ms_status add_row(struct ms_gsym *g, struct ms_bytes bytes, struct ms_piece_row row,
                              struct ms_error *err)
{
    enum ms_status status = local_file(g, row.file, &row.file, err);
    if (status == MS_OK && g->piece.n_rows == MOST_ROWS)
        return ms_fail(err, MS_E_LIMIT, g->where, offset_of(g, bytes.at),
                       "more than %d lines of one function", MOST_ROWS);
    if (status == MS_OK && !MS_PUSH(g->rows, g->piece.n_rows, g->rows_room, row))
        return ms_fail_memory(err);
    g->piece.rows = g->rows;
    return status;
}

/* Goes on to the next row; false at the end. */
static bool next_row(struct ms_cursor *c, const struct steps *steps, struct ms_piece_row *row)
{
    for (uint8_t op; (op = ms_cursor_u8(c)) != GSYM_ROWS_END;) {
        uint64_t distance;
        if (op == GSYM_SET_FILE) {
            row->file = (uint32_t)ms_cursor_uleb(c);
            continue;
        }
        if (op == GSYM_ADVANCE_LINE) {
            row->line += (uint32_t)ms_cursor_sleb(c);
            continue;
        }
        if (op == GSYM_ADVANCE) {
            distance = ms_cursor_uleb(c);
        } else {
            uint64_t step = (uint64_t)(op - GSYM_FIRST_STEP);
            row->line += (uint32_t)(steps->least + (int64_t)(step % steps->range));
            distance = step / steps->range;
        }
        if (ms_add_overflows(row->low, distance, &row->low))
            ms_cursor_spoil(c);
        return !c->bad;
    }
    return false;
}

/* All rows; or the one that has the address, after which nothing is read. */
static enum ms_status read_lines(struct ms_gsym *g, struct ms_bytes bytes, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(bytes, g->big);
    struct ms_piece_row row = {g->piece.low, 1, 0, 0}, last = row;
    enum ms_status status = MS_OK;
    struct steps steps;
    bool has_last = false;
    g->piece.n_rows = 0;
    g->has_lines = false;
    if (!read_steps(&c, &steps, &row))
        return bad_lines(g, bytes, err);
    while (status == MS_OK && next_row(&c, &steps, &row)) {
        g->has_lines = true;
        if (g->is_whole) {
            status = add_row(g, bytes, row, err);
        } else if (row.low > g->address) {
            break;
        } else {
            last = row;
            has_last = true;
        }
    }
    if (status == MS_OK && c.bad)
        return bad_lines(g, bytes, err);
    return has_last ? add_row(g, bytes, last, err) : status;
}

/* ---- a function --------------------------------------------------------------------------------
 */

/* Names as strings, files as numbers of the piece's list. */
static enum ms_status settle_nodes(struct ms_gsym *g, uint32_t name, struct ms_error *err)
{
    struct ms_gsym_inlines *in = &g->inlines;
    in->nodes[0].name = string_at(g, name);
    for (size_t i = 1; i < in->n_nodes; i++) {
        struct ms_piece_node *node = &in->nodes[i];
        if (in->names[i] && in->names[i] >= g->strings_end)
            return bad_string(g, in->names[i], err);
        node->name = string_at(g, in->names[i]);
        enum ms_status status = local_file(g, node->call_file, &node->call_file, err);
        if (status != MS_OK)
            return status;
    }
    return MS_OK;
}

static void set_entry(struct ms_gsym *g)
{
    struct ms_piece_node *function = &g->inlines.nodes[0];
    uint32_t before = g->inlines.entry;
    function->has_start = before != GSYM_NO_ENTRY && before <= g->piece.low;
    function->start_vm = function->has_start ? g->piece.low - before : 0;
}

/* All parts; what is of a kind that is unknown here is stepped over, as LLVM's look-up does. */
static enum ms_status read_parts(struct ms_gsym *g, struct ms_cursor *c, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    for (;;) {
        uint64_t off = ms_cursor_offset(c);
        uint32_t kind = ms_cursor_u32(c), n = ms_cursor_u32(c);
        struct ms_bytes part = ms_cursor_bytes(c, n);
        if (c->bad)
            return ms_fail(err, MS_E_FORMAT, g->where, off,
                           "function at 0x%llx is cut off: its next part does not lie in the file",
                           (unsigned long long)g->piece.low);
        if (kind == GSYM_END)
            return MS_OK;
        if (n > g->budget)
            return ms_fail(err, MS_E_LIMIT, g->where, off,
                           "functions overlap: they have more bytes in all than the file");
        g->budget -= n;
        if (kind == GSYM_LINES)
            status = read_lines(g, part, err);
        else if (kind == GSYM_INLINES)
            status = ms_gsym_inlines_read(&g->inlines, part, g->big, g->piece.low,
                                          g->is_whole ? NULL : &g->address, g->where, off + 8, err);
        if (status != MS_OK)
            return status;
    }
}

/* Reads the i-th function into g->piece, all of it or what it has at g->address. */
static enum ms_status read_function(struct ms_gsym *g, size_t i, struct ms_error *err)
{
    struct ms_bytes info;
    if (!info_at(g, i, &info))
        return ms_fail(err, MS_E_FORMAT, g->where, offset_of(g, g->offsets.at) + i * 4,
                       "function at 0x%llx: what is known of it lies outside the file",
                       (unsigned long long)address_at(g, i));
    struct ms_cursor c = ms_cursor_over(g->bytes, g->big);
    ms_cursor_seek(&c, offset_of(g, info.at));
    uint32_t size = ms_cursor_u32(&c), name = ms_cursor_u32(&c);
    if (!name || name >= g->strings_end)
        return bad_string(g, name, err);
    g->piece = (struct ms_piece){.low = address_at(g, i), .high = end_of(g, i, size)};
    g->n_list = 0;
    g->has_lines = false;
    g->at = i;
    memset(g->lately, 0, sizeof g->lately);
    enum ms_status status = ms_gsym_inlines_begin(&g->inlines, g->piece.low, err);
    if (status == MS_OK)
        status = read_parts(g, &c, err);
    if (status == MS_OK)
        status = settle_nodes(g, name, err);
    if (status != MS_OK) {
        g->piece.low = g->piece.high = 0;
        return status;
    }
    set_entry(g);
    /* A name without any line is, as far as a reader can know, a symbol's. */
    g->piece.source = g->has_lines ? MS_SOURCE_DWARF : MS_SOURCE_NLIST;
    g->piece.files = g->list;
    g->piece.n_files = g->n_list;
    g->piece.nodes = g->inlines.nodes;
    g->piece.n_nodes = g->inlines.n_nodes;
    g->piece.spans = g->inlines.spans;
    g->piece.n_spans = g->inlines.n_spans;
    return MS_OK;
}

/* ---- looking up --------------------------------------------------------------------------------
 */

/* The first of those functions that start at the last start at or below the address. */
static bool find_start(const struct ms_gsym *g, uint64_t address, size_t *out)
{
    size_t from = 0, n = (size_t)g->head.n_functions;
    if (address < g->head.base_vm)
        return false;
    while (n) {
        size_t half = n / 2;
        if (address_at(g, from + half) <= address) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    if (!from)
        return false;
    uint64_t start = address_at(g, from - 1);
    size_t low = 0;
    for (n = from - 1; n;) {
        size_t half = n / 2;
        if (address_at(g, low + half) < start) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    *out = low;
    return true;
}

/* Of functions that start at one address the first that goes on to the one asked for. */
static enum ms_status find_function(struct ms_gsym *g, uint64_t address, size_t *out,
                                    struct ms_error *err)
{
    if (!find_start(g, address, out))
        return MS_ABSENT;
    uint64_t start = address_at(g, *out);
    for (; *out < g->head.n_functions && address_at(g, *out) == start; ++*out) {
        struct ms_bytes info;
        if (g->budget < 16)
            return ms_fail(err, MS_E_LIMIT, g->where, MS_NO_OFFSET,
                           "too many functions start at 0x%llx", (unsigned long long)start);
        g->budget -= 16;
        if (!info_at(g, *out, &info) || address < end_of(g, *out, u32_at(g, info, 0)))
            return MS_OK;
    }
    return MS_ABSENT;
}

/* Few addresses of a function cost less one by one than all that it has. */
static enum ms_status load(struct ms_gsym *g, size_t i, uint64_t address, struct ms_error *err)
{
    bool is_loaded = g->piece.high && g->at == i;
    if (is_loaded && (g->is_whole || g->address == address))
        return MS_OK;
    g->n_asked = is_loaded ? g->n_asked + 1 : 1;
    g->is_whole = g->n_asked > FEW;
    g->address = address;
    return read_function(g, i, err);
}

/* A name that has parameters and scopes in it, by how it begins: some underscores, then C++'s Z,
 * Swift's $s, T0, Tt, …, Rust's R. */
static bool is_mangled(const char *name)
{
    size_t n = strspn(name, "_");
    const char *rest = name + n;
    if (n > 4 || !rest[0])
        return false;
    if (rest[0] == '$')
        return rest[1] && strchr("sSe", rest[1]);
    if (!n || !rest[1])
        return false;
    return rest[0] == 'Z' || (rest[0] == 'T' && strchr("0tFCVOWTMP", rest[1])) ||
           (rest[0] == 'R' && strchr("NICYMX0123456789", rest[1]));
}

enum ms_status ms_gsym_find(struct ms_gsym *g, uint64_t address, struct ms_ready_answer *out,
                            struct ms_error *err)
{
    size_t function;
    enum ms_status status = find_function(g, address, &function, err);
    if (status == MS_OK)
        status = load(g, function, address, err);
    if (status != MS_OK)
        return status;
    ms_ready_from_piece(&g->piece, address, out);
    for (size_t i = 0; i < out->n_frames; i++) {
        struct ms_frame *frame = &out->frames[i];
        if (!frame->name || !is_mangled(frame->name))
            continue;
        frame->linkage = frame->name;
        frame->name = NULL;
    }
    return out->n_frames ? MS_OK : MS_ABSENT;
}

enum ms_status ms_gsym_check(struct ms_gsym *g, ms_gsym_taker take, void *owner,
                             struct ms_error *err)
{
    uint64_t last = 0;
    enum ms_status status = MS_OK;
    ms_gsym_begin(g);
    for (size_t i = 0; i < g->head.n_functions && status == MS_OK; i++) {
        uint64_t address = address_at(g, i);
        if (address < last)
            return ms_fail(err, MS_E_FORMAT, g->where, GSYM_HEADER + i * g->width,
                           "function at 0x%llx behind one at 0x%llx: they are not in order",
                           (unsigned long long)address, (unsigned long long)last);
        last = address;
        g->is_whole = true;
        status = read_function(g, i, err);
        if (status == MS_OK && take && !take(owner, &g->piece))
            break;
    }
    return status;
}
