#include "pack/msym_write.h"
#include "pack/bytes_out.h"

#include "base/array.h"
#include "pack/check.h"
#include "pack/msym_format.h"
#include "pack/strings.h"

#include <stdlib.h>
#include <string.h>

struct block {
    uint64_t low, off;
};

struct file {
    uint32_t strings[3];
};

/* The files of the piece in hand, or the names of all, by what they are made of. */
struct table {
    uint32_t *items;
    size_t n, room;
    unsigned width; /* of an item, in numbers */
    struct ms_index by_hash;
};

struct ms_msym_writer {
    uint64_t base_vm;
    uint64_t end_vm;   /* of the last piece */
    uint64_t start_vm; /* what the next record's place counts from */
    uint64_t n_records;
    uint32_t name; /* of the image */
    struct ms_strings *strings;
    struct table files, names;
    struct ms_buffer records, body, index, file_bytes, name_bytes, checks;
    uint8_t header[MSYM_HEADER];
    struct block *blocks;
    size_t n_blocks, blocks_room;
    uint32_t *known; /* names of a spool's number, as a number of ours plus one; 0 = not yet */
    size_t n_known;
    bool failed;
};

enum ms_status ms_msym_writer_open(uint64_t base_vm, const char *name, struct ms_msym_writer **out,
                                   struct ms_error *err)
{
    struct ms_msym_writer *w = calloc(1, sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    w->base_vm = base_vm;
    w->files.width = 3;
    w->names.width = 2;
    w->strings = calloc(1, sizeof *w->strings);
    if (!w->strings || !ms_strings_init(w->strings)) {
        ms_msym_writer_close(w);
        return ms_fail_memory(err);
    }
    w->name = ms_strings_add(w->strings, name);
    *out = w;
    return MS_OK;
}

static void free_table(struct table *t)
{
    free(t->items);
    ms_index_fini(&t->by_hash);
}

void ms_msym_writer_close(struct ms_msym_writer *w)
{
    if (!w)
        return;
    if (w->strings)
        ms_strings_fini(w->strings);
    free(w->strings);
    free_table(&w->files);
    free_table(&w->names);
    free(w->records.at);
    free(w->body.at);
    free(w->index.at);
    free(w->file_bytes.at);
    free(w->name_bytes.at);
    free(w->checks.at);
    free(w->blocks);
    free(w->known);
    free(w);
}

/* ---- numbers ----------------------------------------------------------------------------- */

/* Room for n bytes more; the writer fails without. */
static uint8_t *reserve(struct ms_msym_writer *w, struct ms_buffer *b, size_t n)
{
    uint8_t *at = w->failed ? NULL : ms_buffer_reserve(b, n);
    w->failed |= !at;
    return at;
}

static uint8_t *put_signed(uint8_t *at, uint64_t value)
{
    return ms_put_uleb(at, ms_fold_sign((int64_t)value));
}

static void put_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void put_u64(uint8_t *at, uint64_t value)
{
    put_u32(at, (uint32_t)value);
    put_u32(at + 4, (uint32_t)(value >> 32));
}

/* ---- files and names --------------------------------------------------------------------- */

/* The number of an item in a table, which gets it at its first use. */
static uint32_t number_of(struct ms_msym_writer *w, struct table *t, const uint32_t *item)
{
    size_t width = t->width;
    uint64_t hash = ms_hash(0, item, width * sizeof *item);
    uint32_t i;
    if (w->failed) /* the index may lead to an item that there was no memory for */
        return 0;
    for (size_t probe = 0; (i = ms_index_next(&t->by_hash, hash, &probe)) != MS_INDEX_NONE;)
        if (memcmp(t->items + i * width, item, width * sizeof *item) == 0)
            return i;
    size_t n = t->n / width;
    if (n >= MS_INDEX_NONE - 1 || !ms_index_add(&t->by_hash, hash, (uint32_t)n)) {
        w->failed = true;
        return 0;
    }
    for (size_t k = 0; k < width; k++)
        w->failed |= !MS_PUSH(t->items, t->n, t->room, item[k]);
    return (uint32_t)n;
}

static uint32_t file_number(struct ms_msym_writer *w, const struct ms_piece_file *file)
{
    uint32_t item[3] = {ms_strings_add(w->strings, file->comp_dir),
                        ms_strings_add(w->strings, file->dir),
                        ms_strings_add(w->strings, file->file)};
    return number_of(w, &w->files, item);
}

static uint32_t find_names(struct ms_msym_writer *w, const struct ms_piece_node *node)
{
    uint32_t item[2] = {ms_strings_add(w->strings, node->linkage),
                        ms_strings_add(w->strings, node->name)};
    return number_of(w, &w->names, item);
}

/* What a node's number among the spool's names has become. */
static uint32_t names_number(struct ms_msym_writer *w, const struct ms_piece_node *node)
{
    if (!node->names)
        return find_names(w, node);
    while (w->n_known <= node->names) {
        size_t n = w->n_known;
        if (!ms_array_grow(&w->known, n, &w->n_known, sizeof *w->known)) {
            w->failed = true;
            return 0;
        }
        memset(w->known + n, 0, (w->n_known - n) * sizeof *w->known);
    }
    uint32_t *known = &w->known[node->names];
    if (!*known)
        *known = find_names(w, node) + 1;
    return *known - 1;
}

/* ---- a record ---------------------------------------------------------------------------- */

/* How far addresses can be scaled: 2 where all of the record stand at multiples of 4. */
static unsigned scale_of(const struct ms_piece *p)
{
    uint64_t all = 0;
    for (size_t i = 0; i < p->n_spans; i++)
        all |= p->spans[i].low - p->low;
    for (size_t i = 0; i < p->n_rows; i++)
        all |= p->rows[i].low - p->low;
    return all & 3 ? 0 : 2;
}

static void put_files(struct ms_msym_writer *w, const struct ms_piece *p)
{
    uint8_t *at = reserve(w, &w->body, (p->n_files + 1) * MS_MAX_LEB);
    uint32_t last = 0;
    if (!at)
        return;
    at = ms_put_uleb(at, p->n_files);
    for (size_t i = 0; i < p->n_files; i++) {
        uint32_t number = file_number(w, &p->files[i]);
        at = put_signed(at, (uint64_t)number - last);
        last = number;
    }
    w->body.n = (size_t)(at - w->body.at);
}

static void put_nodes(struct ms_msym_writer *w, const struct ms_piece *p)
{
    uint64_t start = p->low;
    uint32_t last = 0;
    uint8_t *at = reserve(w, &w->body, p->n_nodes * 6 * MS_MAX_LEB + MS_MAX_LEB);
    if (!at)
        return;
    at = ms_put_uleb(at, p->n_nodes);
    for (size_t i = 0; i < p->n_nodes; i++) {
        const struct ms_piece_node *node = &p->nodes[i];
        uint32_t number = names_number(w, node);
        at = ms_put_uleb(at, i ? i - 1 - node->parent : 0);
        at = put_signed(at, (uint64_t)number - last);
        last = number;
        if (node->has_start) {
            uint64_t distance = node->start_vm - start;
            at = ms_put_uleb(at, 1 + (distance << 1 ^ ((int64_t)distance < 0 ? UINT64_MAX : 0)));
            start = node->start_vm;
        } else {
            at = ms_put_uleb(at, 0);
        }
        if (!i)
            continue;
        at = ms_put_uleb(at, node->call_file);
        at = ms_put_uleb(at, node->call_line);
        at = ms_put_uleb(at, node->call_column);
    }
    w->body.n = (size_t)(at - w->body.at);
}

static void put_spans(struct ms_msym_writer *w, const struct ms_piece *p, unsigned scale)
{
    uint64_t low = p->low;
    uint32_t last = 0;
    uint8_t *at = reserve(w, &w->body, p->n_spans * 2 * MS_MAX_LEB + MS_MAX_LEB);
    if (!at)
        return;
    at = ms_put_uleb(at, p->n_spans);
    for (size_t i = 0; i < p->n_spans; i++) {
        at = ms_put_uleb(at, (p->spans[i].low - low) >> scale);
        at = put_signed(at, (uint64_t)p->spans[i].node - last);
        low = p->spans[i].low;
        last = p->spans[i].node;
    }
    w->body.n = (size_t)(at - w->body.at);
}

static void put_rows(struct ms_msym_writer *w, const struct ms_piece *p, unsigned scale)
{
    uint64_t low = p->low;
    uint32_t line = 0, file = 0;
    uint8_t *at = reserve(w, &w->body, p->n_rows * (1 + 4 * MS_MAX_LEB) + MS_MAX_LEB);
    if (!at)
        return;
    at = ms_put_uleb(at, p->n_rows);
    for (size_t i = 0; i < p->n_rows; i++) {
        const struct ms_piece_row *row = &p->rows[i];
        uint64_t step = (row->low - low) >> scale;
        uint64_t lines = (uint64_t)row->line - line - (uint64_t)(int64_t)MSYM_LINE_BASE;
        bool other = row->file != file, near = step && step <= MSYM_MOST_STEP && !other;
        bool few = lines < MSYM_LINE_MORE;
        *at++ = (uint8_t)((near ? step : 0) | (few ? lines : MSYM_LINE_MORE) << 3);
        if (!near)
            at = ms_put_uleb(at, step << 1 | other);
        if (other)
            at = ms_put_uleb(at, row->file);
        if (!few)
            at = put_signed(at, (uint64_t)row->line - line);
        at = ms_put_uleb(at, row->column);
        low = row->low;
        line = row->line;
        file = row->file;
    }
    w->body.n = (size_t)(at - w->body.at);
}

/* Starts a new block where the last one is full. */
static void put_block(struct ms_msym_writer *w, uint64_t low)
{
    size_t begun = w->n_blocks ? w->blocks[w->n_blocks - 1].off : 0;
    struct block block = {low - w->base_vm, w->records.n};
    if (w->n_blocks && w->records.n - begun < MSYM_BLOCK_BYTES)
        return;
    w->failed |= !MS_PUSH(w->blocks, w->n_blocks, w->blocks_room, block);
    w->start_vm = low;
}

static enum ms_status check(const struct ms_msym_writer *w, struct ms_error *err)
{
    if (w->strings->failed && w->strings->n > UINT32_MAX / 2)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "more than 4 GB of names");
    return w->failed || w->strings->failed ? ms_fail_memory(err) : MS_OK;
}

enum ms_status ms_msym_add(struct ms_msym_writer *w, const struct ms_piece *p, struct ms_error *err)
{
    if (p->low < w->base_vm || p->low < w->end_vm || p->low >= p->high)
        return ms_fail(err, MS_E_ARGUMENT, NULL, MS_NO_OFFSET,
                       "piece at 0x%llx is out of order: the one before ends at 0x%llx",
                       (unsigned long long)p->low, (unsigned long long)w->end_vm);
    unsigned scale = scale_of(p);
    w->body.n = 0;
    uint8_t *at = reserve(w, &w->body, MS_MAX_LEB);
    if (at)
        w->body.n = (size_t)(ms_put_uleb(at, (uint64_t)p->source << 3 | (scale ? 4u : 0) |
                                                 (p->damaged ? 2u : 0)) -
                             w->body.at);
    put_files(w, p);
    put_nodes(w, p);
    put_spans(w, p, scale);
    put_rows(w, p, scale);
    put_block(w, p->low);
    at = reserve(w, &w->records, w->body.n + 3 * MS_MAX_LEB);
    if (at) {
        at = ms_put_uleb(at, p->low - w->start_vm);
        at = ms_put_uleb(at, p->high - p->low);
        at = ms_put_uleb(at, w->body.n);
        memcpy(at, w->body.at, w->body.n);
        w->records.n = (size_t)(at - w->records.at) + w->body.n;
    }
    w->start_vm = w->end_vm = p->high;
    w->n_records++;
    return check(w, err);
}

/* ---- the whole --------------------------------------------------------------------------- */

struct part {
    const uint8_t *at;
    size_t n;
};

enum { N_PARTS = 5 };

static void list_parts(const struct ms_msym_writer *w, struct part parts[N_PARTS])
{
    parts[0] = (struct part){w->index.at, w->index.n};
    parts[1] = (struct part){w->file_bytes.at, w->file_bytes.n};
    parts[2] = (struct part){w->name_bytes.at, w->name_bytes.n};
    parts[3] = (struct part){w->records.at, w->records.n};
    parts[4] = (struct part){(const uint8_t *)w->strings->bytes, w->strings->n};
}

/* The checksums of pages, which go on from one part to the next. */
static void put_checks(struct ms_msym_writer *w)
{
    struct part parts[N_PARTS];
    uint8_t page[MSYM_PAGE]; /* one that two parts share */
    size_t filled = 0, total = 0;
    list_parts(w, parts);
    for (int i = 0; i < N_PARTS; i++)
        total += parts[i].n;
    uint8_t *at = reserve(w, &w->checks, (total / MSYM_PAGE + 1) * 4);
    for (int i = 0; at && i < N_PARTS; i++) {
        const uint8_t *from = parts[i].at, *end = parts[i].n ? from + parts[i].n : from;
        while (from < end) {
            size_t left = (size_t)(end - from), room = MSYM_PAGE - filled;
            size_t n = left < room ? left : room;
            if (n == MSYM_PAGE) {
                put_u32(at, ms_check(from, n));
                at += 4;
            } else {
                memcpy(page + filled, from, n);
                filled += n;
            }
            from += n;
            if (filled < MSYM_PAGE)
                continue;
            put_u32(at, ms_check(page, filled));
            at += 4;
            filled = 0;
        }
    }
    if (at && filled) {
        put_u32(at, ms_check(page, filled));
        at += 4;
    }
    w->checks.n = at ? (size_t)(at - w->checks.at) : 0;
}

static void put_tables(struct ms_msym_writer *w)
{
    uint8_t *at = reserve(w, &w->index, w->n_blocks * MSYM_BLOCK + 1);
    for (size_t i = 0; at && i < w->n_blocks; i++, at += MSYM_BLOCK) {
        put_u64(at, w->blocks[i].low);
        put_u64(at + 8, w->blocks[i].off);
    }
    w->index.n = w->n_blocks * MSYM_BLOCK;
    at = reserve(w, &w->file_bytes, w->files.n * 4 + 1);
    for (size_t i = 0; at && i < w->files.n; i++)
        put_u32(at + 4 * i, w->files.items[i]);
    w->file_bytes.n = w->files.n * 4;
    at = reserve(w, &w->name_bytes, w->names.n * 4 + 1);
    for (size_t i = 0; at && i < w->names.n; i++)
        put_u32(at + 4 * i, w->names.items[i]);
    w->name_bytes.n = w->names.n * 4;
}

enum ms_status ms_msym_finish(struct ms_msym_writer *w, unsigned flags, uint64_t *n,
                              struct ms_error *err)
{
    put_tables(w);
    if (!w->failed)
        put_checks(w);
    enum ms_status status = check(w, err);
    if (status != MS_OK)
        return status;
    *n = MSYM_HEADER + (uint64_t)w->index.n + w->file_bytes.n + w->name_bytes.n + w->records.n +
         w->strings->n + w->checks.n;
    uint8_t *h = w->header;
    memcpy(h, MSYM_MAGIC, 4);
    h[MSYM_AT_VERSION] = MSYM_VERSION;
    h[MSYM_AT_FLAGS] = (uint8_t)flags;
    put_u64(h + MSYM_AT_BYTES, *n);
    put_u64(h + MSYM_AT_BASE, w->base_vm);
    put_u64(h + MSYM_AT_N_BLOCKS, w->n_blocks);
    put_u64(h + MSYM_AT_N_FILES, w->files.n / 3);
    put_u64(h + MSYM_AT_N_NAMES, w->names.n / 2);
    put_u64(h + MSYM_AT_RECORD_BYTES, w->records.n);
    put_u64(h + MSYM_AT_STRING_BYTES, w->strings->n);
    put_u64(h + MSYM_AT_N_RECORDS, w->n_records);
    put_u32(h + MSYM_AT_NAME, w->name);
    put_u32(h + MSYM_AT_CHECKS_CHECK, ms_check(w->checks.at, w->checks.n));
    put_u32(h + MSYM_AT_CHECK, ms_check(h, MSYM_AT_CHECK));
    return MS_OK;
}

bool ms_msym_give(const struct ms_msym_writer *w,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to)
{
    struct part parts[N_PARTS];
    list_parts(w, parts);
    if (!write(to, (const char *)w->header, sizeof w->header))
        return false;
    for (int i = 0; i < N_PARTS; i++)
        if (parts[i].n && !write(to, (const char *)parts[i].at, parts[i].n))
            return false;
    return !w->checks.n || write(to, (const char *)w->checks.at, w->checks.n);
}
