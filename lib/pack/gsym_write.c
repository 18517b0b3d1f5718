#include "pack/gsym_write.h"
#include "pack/bytes_out.h"

#include "base/array.h"
#include "pack/gsym_format.h"
#include "pack/strings.h"

#include <stdlib.h>
#include <string.h>

/* A row without its column; rows that differ in nothing else are one. */
struct row {
    uint64_t low;
    uint32_t file, line;
};

/* Where a node is, or something in it. */
struct range {
    uint64_t low, high;
    uint32_t next; /* of the same node, 1 + index; 0 = none */
};

/* A node of the piece in hand: its ranges and its place in the tree, 1 + index; 0 = none. */
struct node {
    uint32_t first, last, n_ranges;
    uint32_t child, sibling;
};

struct file {
    uint32_t dir, base; /* strings */
};

struct function {
    uint64_t address; /* from the base */
    uint32_t off;     /* in `infos` */
};

/* Which number the file of these strings, by their pointers, got lately. */
struct lately {
    const char *comp_dir, *dir, *file;
    uint32_t number;
};

enum { N_LATELY = 1 << 10 };

struct ms_gsym_writer {
    uint64_t base_vm;
    uint64_t end_vm; /* of the last piece */
    bool open_ended; /* the last function's size didn't fit: it goes on to the next */
    bool has_uuid;
    struct ms_uuid uuid;
    struct ms_strings *strings;
    struct ms_buffer infos, head;
    struct function *functions;
    size_t n_functions, functions_room;
    struct file *files;
    size_t n_files, files_room;
    uint32_t unknown; /* number of the file that stands for none in rows; 0 = not yet needed */
    struct ms_index by_hash;
    struct lately lately[N_LATELY];
    char *path;
    size_t path_room;
    /* Of the piece in hand. */
    uint32_t *numbers; /* of its files */
    struct row *rows;
    struct range *ranges;
    struct node *nodes;
    size_t numbers_room, n_rows, rows_room, n_ranges, ranges_room, nodes_room;
    bool failed;
};

enum ms_status ms_gsym_writer_open(uint64_t base_vm, const struct ms_uuid *uuid,
                                   struct ms_gsym_writer **out, struct ms_error *err)
{
    static const struct file none = {0, 0};
    struct ms_gsym_writer *w = calloc(1, sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    w->base_vm = base_vm;
    w->has_uuid = uuid != NULL;
    if (uuid)
        w->uuid = *uuid;
    w->strings = calloc(1, sizeof *w->strings);
    if (!w->strings || !ms_strings_init(w->strings) ||
        !MS_PUSH(w->files, w->n_files, w->files_room, none)) {
        ms_gsym_writer_close(w);
        return ms_fail_memory(err);
    }
    *out = w;
    return MS_OK;
}

void ms_gsym_writer_close(struct ms_gsym_writer *w)
{
    if (!w)
        return;
    if (w->strings)
        ms_strings_fini(w->strings);
    free(w->strings);
    free(w->infos.at);
    free(w->head.at);
    free(w->functions);
    free(w->files);
    ms_index_fini(&w->by_hash);
    free(w->path);
    free(w->numbers);
    free(w->rows);
    free(w->ranges);
    free(w->nodes);
    free(w);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Room for n bytes more; the writer fails without. */
static uint8_t *reserve(struct ms_gsym_writer *w, struct ms_buffer *b, size_t n)
{
    uint8_t *at = w->failed ? NULL : ms_buffer_reserve(b, n);
    w->failed |= !at;
    return at;
}

static uint8_t *put_signed(uint8_t *at, int64_t value)
{
    for (;;) {
        uint8_t low = value & 0x7f;
        value = value < 0 ? ~(~value >> 7) : value >> 7;
        if ((value == 0 && !(low & 0x40)) || (value == -1 && low & 0x40)) {
            *at++ = low;
            return at;
        }
        *at++ = low | 0x80;
    }
}

static uint8_t *put_fixed(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        *at++ = (uint8_t)(value >> 8 * i);
    return at;
}

static void align(struct ms_gsym_writer *w, struct ms_buffer *b)
{
    uint8_t *at = reserve(w, b, 4);
    for (; at && b->n % 4; b->n++)
        *at++ = 0;
}

static bool make_room(struct ms_gsym_writer *w, void *items_pointer, size_t n, size_t *room,
                      size_t item_bytes)
{
    while (*room < n && !w->failed)
        w->failed = !ms_array_grow(items_pointer, *room, room, item_bytes);
    return !w->failed;
}

/* ---- strings and files ------------------------------------------------------------------- */

/* The one name that the format has room for, spelled as answers spell it: the \1 that an asm
 * label leaves stands before a symbol's own name, and clang's outliner writes the underscore of
 * Mach-O where no other name has it. */
static const char *name_of(const struct ms_piece_node *node)
{
    const char *linkage = node->linkage;
    if (linkage && linkage[0] == '\1')
        return linkage[1] == '_' ? linkage + 2 : linkage + 1;
    if (linkage && linkage[0] == '_' && node->name && strcmp(linkage + 1, node->name) == 0)
        return node->name;
    return linkage && linkage[0] ? linkage : node->name;
}

static uint32_t file_number(struct ms_gsym_writer *w, struct file file)
{
    uint64_t hash = ms_hash(0, &file, sizeof file);
    uint32_t i;
    for (size_t probe = 0; (i = ms_index_next(&w->by_hash, hash, &probe)) != MS_INDEX_NONE;)
        if (w->files[i].dir == file.dir && w->files[i].base == file.base)
            return i;
    if (w->n_files >= MS_INDEX_NONE - 1 || !ms_index_add(&w->by_hash, hash, (uint32_t)w->n_files) ||
        !MS_PUSH(w->files, w->n_files, w->files_room, file)) {
        w->failed = true;
        return 0;
    }
    return (uint32_t)w->n_files - 1;
}

/* The path cut at its last slash; put together again with one, it is the same. */
static uint32_t path_number(struct ms_gsym_writer *w, size_t n)
{
    size_t slash = n;
    while (slash && w->path[slash - 1] != '/')
        slash--;
    if (slash == n)
        slash = 0; /* no name behind the last slash: none can be cut off */
    struct file file = {0, ms_strings_add_copy(w->strings, w->path + slash)};
    if (slash) {
        bool whole = slash == 1 || w->path[slash - 2] == '/';
        w->path[whole ? slash : slash - 1] = 0;
        file.dir = ms_strings_add_copy(w->strings, w->path);
    }
    return file_number(w, file);
}

static uint32_t number_of(struct ms_gsym_writer *w, const struct ms_piece_file *file)
{
    uintptr_t key = (uintptr_t)file->file ^ (uintptr_t)file->dir << 3;
    struct lately *lately = &w->lately[(key ^ key >> 10) % N_LATELY];
    struct ms_frame frame = {.comp_dir = file->comp_dir, .dir = file->dir, .file = file->file};
    if (!file->file || !file->file[0])
        return 0;
    if (lately->number && lately->file == file->file && lately->dir == file->dir &&
        lately->comp_dir == file->comp_dir)
        return lately->number;
    size_t n = ms_frame_path(&frame, w->path, w->path_room);
    if (n + 2 > w->path_room) {
        char *path = realloc(w->path, n + 256);
        if (!path) {
            w->failed = true;
            return 0;
        }
        w->path = path;
        w->path_room = n + 256;
        ms_frame_path(&frame, w->path, w->path_room);
    }
    *lately = (struct lately){file->comp_dir, file->dir, file->file, path_number(w, n)};
    return lately->number;
}

/* Rows have no other way to say that nothing is known: LLVM takes number 0 for an error. */
static uint32_t unknown_file(struct ms_gsym_writer *w)
{
    static const struct file none = {0, 0};
    if (!w->unknown) {
        w->unknown = (uint32_t)w->n_files;
        w->failed |= !MS_PUSH(w->files, w->n_files, w->files_room, none);
    }
    return w->unknown;
}

/* The number of the i-th of the piece's files, counted from 1; 0 = none. */
static uint32_t piece_file(const struct ms_gsym_writer *w, const struct ms_piece *p, uint32_t i)
{
    return i && i <= p->n_files ? w->numbers[i - 1] : 0;
}

/* ---- lines ------------------------------------------------------------------------------- */

static void add_row(struct ms_gsym_writer *w, uint64_t low, uint32_t file, uint32_t line)
{
    struct row row = {low, file, line}, *last = w->n_rows ? &w->rows[w->n_rows - 1] : NULL;
    if (!file) {
        row.file = unknown_file(w);
        row.line = last ? last->line : 0;
    }
    if (last && last->file == row.file && last->line == row.line)
        return;
    w->failed |= !MS_PUSH(w->rows, w->n_rows, w->rows_room, row);
}

/* From the piece's start on, since LLVM's reader knows nothing of an address before the rows. A
 * name without any is a symbol's. */
static void list_rows(struct ms_gsym_writer *w, const struct ms_piece *p)
{
    bool has_none = !p->n_rows && (p->n_nodes > 1 || p->source == MS_SOURCE_DWARF);
    w->n_rows = 0;
    if (has_none || (p->n_rows && p->rows[0].low > p->low))
        add_row(w, p->low, 0, 0);
    for (size_t i = 0; i < p->n_rows; i++)
        add_row(w, p->rows[i].low, piece_file(w, p, p->rows[i].file), p->rows[i].line);
}

/* The lines that steps of one byte go: `range` of them from `least` on. */
struct steps {
    int64_t least, range;
};

/* The step's byte; 0 when it has none. */
static uint8_t step_of(const struct steps *s, uint64_t distance, int64_t lines)
{
    if (lines < s->least || lines >= s->least + s->range || distance > 255)
        return 0;
    int64_t op = GSYM_FIRST_STEP + (lines - s->least) + (int64_t)distance * s->range;
    return op <= 255 ? (uint8_t)op : 0;
}

static uint8_t *put_row(uint8_t *at, const struct steps *s, const struct row *from,
                        const struct row *row)
{
    uint64_t distance = row->low - from->low;
    int64_t lines = (int64_t)row->line - from->line;
    uint8_t step = step_of(s, distance, lines);
    if (row->file != from->file) {
        *at++ = GSYM_SET_FILE;
        at = ms_put_uleb(at, row->file);
    }
    if (!step && lines) {
        *at++ = GSYM_ADVANCE_LINE;
        at = put_signed(at, lines);
        step = step_of(s, distance, 0);
    }
    if (step) {
        *at++ = step;
        return at;
    }
    *at++ = GSYM_ADVANCE;
    return ms_put_uleb(at, distance);
}

enum { MOST_ROW = 3 + 3 * MS_MAX_LEB, FARTHEST = 32 };

/* Bytes of all rows, a line's number taken for 2 bytes wherever it has to be spelled out. */
static size_t cost_of(const struct ms_gsym_writer *w, const struct steps *s)
{
    size_t cost = 0;
    for (size_t i = 1; i < w->n_rows; i++) {
        uint64_t distance = w->rows[i].low - w->rows[i - 1].low;
        int64_t lines = (int64_t)w->rows[i].line - w->rows[i - 1].line;
        if (step_of(s, distance, lines))
            cost += 1;
        else
            cost += (lines ? 3u : 0u) + (step_of(s, distance, 0) ? 1u : distance < 128 ? 2u : 3u);
    }
    return cost;
}

/* The steps, out of those of a few widths that hold the most rows, that need the fewest bytes. */
static struct steps choose_steps(const struct ms_gsym_writer *w)
{
    static const int64_t widths[] = {2, 4, 7, 10, 15};
    uint32_t counts[2 * FARTHEST + 1] = {0};
    struct steps best = {0, 1};
    if (w->n_rows < 2)
        return best;
    size_t least_cost = cost_of(w, &best);
    for (size_t i = 1; i < w->n_rows; i++) {
        int64_t lines = (int64_t)w->rows[i].line - w->rows[i - 1].line;
        if (lines >= -FARTHEST && lines <= FARTHEST)
            counts[lines + FARTHEST]++;
    }
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++) {
        uint64_t held = 0, most = 0;
        int64_t at = 0;
        for (int64_t i = 0; i <= 2 * FARTHEST; i++) {
            held += counts[i];
            if (i >= widths[k])
                held -= counts[i - widths[k]];
            /* From the lowest line that occurs on: a wider step reaches less far. */
            if (held >= most) {
                most = held;
                at = i - widths[k] + 1;
            }
        }
        struct steps steps = {at - FARTHEST, widths[k]};
        size_t cost = cost_of(w, &steps);
        if (cost < least_cost) {
            least_cost = cost;
            best = steps;
        }
    }
    return best;
}

static uint8_t *begin_part(struct ms_gsym_writer *w, unsigned kind, size_t most)
{
    uint8_t *at = reserve(w, &w->infos, most + 8);
    return at ? put_fixed(at, kind, 8) : NULL;
}

static void end_part(struct ms_gsym_writer *w, uint8_t *end)
{
    uint8_t *begin = w->infos.at + w->infos.n;
    put_fixed(begin + 4, (uint64_t)(end - begin - 8), 4);
    w->infos.n = (size_t)(end - w->infos.at);
}

static void put_lines(struct ms_gsym_writer *w, const struct ms_piece *p)
{
    list_rows(w, p);
    if (!w->n_rows || w->failed)
        return;
    struct steps steps = choose_steps(w);
    struct row from = {p->low, 1, w->rows[0].line};
    uint8_t *at = begin_part(w, GSYM_LINES, w->n_rows * MOST_ROW + 3 * MS_MAX_LEB + 1);
    if (!at)
        return;
    at = put_signed(at, steps.least);
    at = put_signed(at, steps.least + steps.range - 1);
    at = ms_put_uleb(at, from.line);
    for (size_t i = 0; i < w->n_rows; i++) {
        at = put_row(at, &steps, &from, &w->rows[i]);
        from = w->rows[i];
    }
    *at++ = GSYM_ROWS_END;
    end_part(w, at);
}

/* ---- inlined calls ----------------------------------------------------------------------- */

static void extend(struct ms_gsym_writer *w, struct node *node, uint64_t low, uint64_t high)
{
    struct range range = {low, high, 0};
    if (node->last && w->ranges[node->last - 1].high == low) {
        w->ranges[node->last - 1].high = high;
        return;
    }
    w->failed |= !MS_PUSH(w->ranges, w->n_ranges, w->ranges_room, range);
    if (w->failed)
        return;
    if (node->last)
        w->ranges[node->last - 1].next = (uint32_t)w->n_ranges;
    else
        node->first = (uint32_t)w->n_ranges;
    node->last = (uint32_t)w->n_ranges;
    node->n_ranges++;
}

/* Ranges out of spans, and the tree of nodes that have some. The function has the whole piece. */
static bool make_tree(struct ms_gsym_writer *w, const struct ms_piece *p)
{
    w->n_ranges = 0;
    if (!make_room(w, &w->nodes, p->n_nodes, &w->nodes_room, sizeof *w->nodes))
        return false;
    memset(w->nodes, 0, p->n_nodes * sizeof *w->nodes);
    extend(w, &w->nodes[0], p->low, p->high);
    for (size_t i = 0; i < p->n_spans && !w->failed; i++) {
        uint64_t high = i + 1 < p->n_spans ? p->spans[i + 1].low : p->high;
        for (uint32_t node = p->spans[i].node; node && !w->failed && p->spans[i].low < high;
             node = p->nodes[node].parent)
            extend(w, &w->nodes[node], p->spans[i].low, high);
    }
    for (size_t i = p->n_nodes; --i && !w->failed;) {
        struct node *parent = &w->nodes[p->nodes[i].parent];
        if (!w->nodes[i].first)
            continue;
        w->nodes[i].sibling = parent->child;
        parent->child = (uint32_t)i + 1;
    }
    return !w->failed;
}

/* How far the entry lies before the piece; see gsym_format.h. */
static uint32_t entry_of(const struct ms_piece *p)
{
    const struct ms_piece_node *function = &p->nodes[0];
    if (!function->has_start || function->start_vm > p->low ||
        p->low - function->start_vm >= GSYM_NO_ENTRY)
        return GSYM_NO_ENTRY;
    return (uint32_t)(p->low - function->start_vm);
}

static uint8_t *put_node(struct ms_gsym_writer *w, uint8_t *at, const struct ms_piece *p,
                         uint32_t i)
{
    const struct node *node = &w->nodes[i];
    const struct ms_piece_node *what = &p->nodes[i];
    uint64_t base = i ? w->ranges[w->nodes[what->parent].first - 1].low : p->low;
    at = ms_put_uleb(at, node->n_ranges);
    for (uint32_t r = node->first; r; r = w->ranges[r - 1].next) {
        at = ms_put_uleb(at, w->ranges[r - 1].low - base);
        at = ms_put_uleb(at, w->ranges[r - 1].high - w->ranges[r - 1].low);
    }
    *at++ = node->child != 0;
    at = put_fixed(at, ms_strings_add(w->strings, name_of(what)), 4);
    at = ms_put_uleb(at, i ? piece_file(w, p, what->call_file) : 0);
    return ms_put_uleb(at, i ? what->call_line : entry_of(p));
}

static void put_inlines(struct ms_gsym_writer *w, const struct ms_piece *p)
{
    if ((p->n_nodes < 2 && !entry_of(p)) || !make_tree(w, p))
        return;
    uint8_t *at = begin_part(w, GSYM_INLINES,
                             w->n_ranges * 2 * MS_MAX_LEB + p->n_nodes * (3 * MS_MAX_LEB + 6));
    uint32_t i = 0;
    while (at) {
        at = put_node(w, at, p, i);
        if (w->nodes[i].child) {
            i = w->nodes[i].child - 1;
            continue;
        }
        while (i && !w->nodes[i].sibling) {
            i = p->nodes[i].parent;
            *at++ = 0;
        }
        if (!i)
            break;
        i = w->nodes[i].sibling - 1;
    }
    if (at)
        end_part(w, at);
}

/* ---- functions --------------------------------------------------------------------------- */

static enum ms_status check(const struct ms_gsym_writer *w, struct ms_error *err)
{
    if (w->strings->failed && w->strings->n > UINT32_MAX / 2)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "more than 4 GB of names");
    return w->failed || w->strings->failed ? ms_fail_memory(err) : MS_OK;
}

static enum ms_status check_place(const struct ms_gsym_writer *w, const struct ms_piece *p,
                                  struct ms_error *err)
{
    if (p->low < w->end_vm || p->low >= p->high)
        return ms_fail(err, MS_E_ARGUMENT, NULL, MS_NO_OFFSET,
                       "piece at 0x%llx is out of order: the one before ends at 0x%llx",
                       (unsigned long long)p->low, (unsigned long long)w->end_vm);
    if (p->low < w->base_vm)
        return ms_fail(err, MS_E_UNSUPPORTED, NULL, MS_NO_OFFSET,
                       "function at 0x%llx: GSYM has no place for code below __TEXT at 0x%llx",
                       (unsigned long long)p->low, (unsigned long long)w->base_vm);
    if (w->open_ended && p->low != w->end_vm)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET,
                       "a function of more than 4 GB before 0x%llx", (unsigned long long)p->low);
    return MS_OK;
}

enum ms_status ms_gsym_add(struct ms_gsym_writer *w, const struct ms_piece *p, struct ms_error *err)
{
    enum ms_status status = check_place(w, p, err);
    const char *name = p->n_nodes ? name_of(&p->nodes[0]) : NULL;
    if (status != MS_OK || !name || !name[0])
        return status;
    align(w, &w->infos);
    if (w->infos.n > UINT32_MAX)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "a GSYM file of more than 4 GB");
    w->open_ended = p->high - p->low > UINT32_MAX;
    struct function function = {p->low - w->base_vm, (uint32_t)w->infos.n};
    w->failed |= !MS_PUSH(w->functions, w->n_functions, w->functions_room, function);
    uint8_t *at = reserve(w, &w->infos, 8);
    if (at && make_room(w, &w->numbers, p->n_files, &w->numbers_room, sizeof *w->numbers)) {
        at = put_fixed(at, w->open_ended ? 0 : p->high - p->low, 4);
        put_fixed(at, ms_strings_add(w->strings, name), 4);
        w->infos.n += 8;
        for (size_t i = 0; i < p->n_files; i++)
            w->numbers[i] = number_of(w, &p->files[i]);
        put_lines(w, p);
        put_inlines(w, p);
    }
    at = reserve(w, &w->infos, 8);
    if (at) {
        memset(at, 0, 8); /* GSYM_END, and that it has nothing */
        w->infos.n += 8;
    }
    w->end_vm = p->high;
    return check(w, err);
}

/* ---- the whole --------------------------------------------------------------------------- */

static unsigned address_bytes(const struct ms_gsym_writer *w)
{
    uint64_t last = w->n_functions ? w->functions[w->n_functions - 1].address : 0;
    return last <= UINT8_MAX ? 1 : last <= UINT16_MAX ? 2 : last <= UINT32_MAX ? 4 : 8;
}

static void put_header(struct ms_gsym_writer *w, uint8_t *at, unsigned width, uint64_t strings)
{
    memset(at, 0, GSYM_HEADER);
    put_fixed(at, GSYM_MAGIC, 4);
    put_fixed(at + GSYM_AT_VERSION, GSYM_VERSION, 2);
    at[GSYM_AT_ADDRESS_BYTES] = (uint8_t)width;
    at[GSYM_AT_UUID_BYTES] = w->has_uuid ? sizeof w->uuid.byte : 0;
    put_fixed(at + GSYM_AT_BASE, w->base_vm, 8);
    put_fixed(at + GSYM_AT_N_ADDRESSES, w->n_functions, 4);
    put_fixed(at + GSYM_AT_STRINGS, strings, 4);
    put_fixed(at + GSYM_AT_STRING_BYTES, w->strings->n, 4);
    if (w->has_uuid)
        memcpy(at + GSYM_AT_UUID, w->uuid.byte, sizeof w->uuid.byte);
}

enum ms_status ms_gsym_finish(struct ms_gsym_writer *w, uint64_t *n, uint64_t *n_functions,
                              struct ms_error *err)
{
    unsigned width = address_bytes(w);
    enum ms_status status = check(w, err);
    if (status != MS_OK)
        return status;
    uint64_t addresses = ((uint64_t)w->n_functions * width + 3) / 4 * 4;
    uint64_t strings = GSYM_HEADER + addresses + (uint64_t)w->n_functions * 4 + 4 +
                       (uint64_t)w->n_files * GSYM_FILE;
    uint64_t pad = (4 - (strings + w->strings->n) % 4) % 4;
    uint64_t infos = strings + w->strings->n + pad;
    if (infos + w->infos.n > UINT32_MAX)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "a GSYM file of more than 4 GB");
    w->head.n = 0;
    uint8_t *at = reserve(w, &w->head, (size_t)infos);
    if (!at)
        return ms_fail_memory(err);
    put_header(w, at, width, strings);
    memset(at + GSYM_HEADER, 0, (size_t)(infos - GSYM_HEADER));
    for (size_t i = 0; i < w->n_functions; i++) {
        put_fixed(at + GSYM_HEADER + i * width, w->functions[i].address, width);
        put_fixed(at + GSYM_HEADER + addresses + i * 4, infos + w->functions[i].off, 4);
    }
    at = put_fixed(at + GSYM_HEADER + addresses + w->n_functions * 4, w->n_files, 4);
    for (size_t i = 0; i < w->n_files; i++) {
        at = put_fixed(at, w->files[i].dir, 4);
        at = put_fixed(at, w->files[i].base, 4);
    }
    memcpy(at, w->strings->bytes, w->strings->n);
    w->head.n = (size_t)infos;
    *n = infos + w->infos.n;
    *n_functions = w->n_functions;
    return MS_OK;
}

bool ms_gsym_give(const struct ms_gsym_writer *w,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to)
{
    return write(to, (const char *)w->head.at, w->head.n) &&
           (!w->infos.n || write(to, (const char *)w->infos.at, w->infos.n));
}
