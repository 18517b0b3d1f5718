#include "pack/msym_write.h"

#include "base/array.h"
#include "machsym/workers.h"
#include "pack/check.h"
#include "pack/msym_format.h"
#include "pack/numbering.h"
#include "pack/slabs.h"

#include <stdlib.h>
#include <string.h>

struct block {
    uint64_t low, off;
};

/*
 * Records are made in chunks, by whichever thread is free. Each starts a block of its own, so that
 * nothing in it depends on the one before.
 */
struct chunk {
    struct ms_slabs *slabs; /* of the worker that made it */
    const uint8_t *at;
    size_t n;
    uint64_t start_vm;    /* what the next record's place counts from */
    struct block *blocks; /* offsets are the chunk's */
    size_t n_blocks, blocks_room;
    uint64_t n_functions;
    bool no_memory;
};
enum { PIECES_A_CHUNK = 256, STRINGS_A_GROUP = 8192, PAGES_A_GROUP = 4096 };

/* The bytes between header and checksums, in the order of the file. */
struct part {
    const uint8_t *at;
    uint64_t n, off;
};

struct ms_msym_writer {
    const struct ms_spool *spool;
    uint64_t base_vm;
    size_t n_workers;
    struct ms_slabs *slabs; /* of each worker, and behind them of the writer itself */
    struct ms_numbering numbering;
    struct chunk *chunks;
    size_t n_chunks;
    char *strings;
    struct part *parts; /* tables, chunks, strings */
    size_t n_parts;
    uint8_t *checks; /* and tops behind them */
    size_t n_pages, n_tops;
    uint64_t n_checked; /* bytes of all parts */
    uint8_t header[MSYM_HEADER];
};

void ms_msym_writer_close(struct ms_msym_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; w->slabs && i <= w->n_workers; i++)
        ms_slabs_fini(&w->slabs[i]);
    for (size_t i = 0; w->chunks && i < w->n_chunks; i++)
        free(w->chunks[i].blocks);
    ms_numbering_fini(&w->numbering);
    free(w->slabs);
    free(w->chunks);
    free(w->parts);
    free(w);
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

/* Memory that lives as long as the writer; NULL without. */
static uint8_t *take(struct ms_msym_writer *w, size_t n)
{
    struct ms_slabs *slabs = &w->slabs[w->n_workers];
    if (!ms_slabs_reserve(slabs, n))
        return NULL;
    uint8_t *at = slabs->at;
    ms_slabs_take(slabs, at + n);
    return at;
}

/* ---- records ----------------------------------------------------------------------------- */

/* Starts a new block where the last one is full. */
static bool put_block(struct chunk *c, uint64_t low, uint64_t off)
{
    struct block block = {low, off};
    if (c->n_blocks && off - c->blocks[c->n_blocks - 1].off < MSYM_BLOCK_BYTES)
        return true;
    c->start_vm = low;
    return MS_PUSH(c->blocks, c->n_blocks, c->blocks_room, block);
}

static unsigned uleb_bytes(uint64_t value)
{
    unsigned n = 1;
    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
}

/* A record is told how long its body is before it: where that was guessed wrong, it moves. */
static uint8_t *put_record(struct ms_msym_writer *w, const struct chunk *c,
                           const struct ms_spooled *piece, uint8_t *at)
{
    at = ms_put_uleb(at, piece->low - c->start_vm);
    at = ms_put_uleb(at, piece->high - piece->low);
    unsigned guess = uleb_bytes(piece->n);
    uint8_t *body = at + guess;
    uint8_t *end =
        ms_packed_renumber(body, piece->at, piece->n, w->numbering.files.by_lane[piece->lane],
                           w->numbering.names.by_lane[piece->lane]);
    size_t n = (size_t)(end - body);
    unsigned right = uleb_bytes(n);
    if (right != guess)
        memmove(at + right, body, n);
    ms_put_uleb(at, n);
    return at + right + n;
}

static void make_chunk(struct ms_msym_writer *w, struct chunk *c, size_t first, size_t end)
{
    size_t most = 0;
    uint64_t before = first ? ms_spool_packed(w->spool, first - 1).high : 0;
    for (size_t i = first; i < end; i++)
        most += 3 * MS_MAX_LEB + (size_t)ms_spool_packed(w->spool, i).n * MS_RENUMBERED_TIMES;
    if (!ms_slabs_reserve(c->slabs, most)) {
        c->no_memory = true;
        return;
    }
    uint8_t *at = c->slabs->at;
    c->at = at;
    for (size_t i = first; i < end; i++) {
        struct ms_spooled piece = ms_spool_packed(w->spool, i);
        if (!put_block(c, piece.low, (uint64_t)(at - c->at))) {
            c->no_memory = true;
            return;
        }
        at = put_record(w, c, &piece, at);
        c->n_functions += !(ms_packed_goes_on(piece.at) && piece.low == before);
        c->start_vm = before = piece.high;
    }
    c->n = (size_t)(at - c->at);
    ms_slabs_take(c->slabs, at);
}

static void copy_strings(struct ms_msym_writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        const struct ms_placed *s = &w->numbering.strings[i];
        w->strings[s->off - 1] = (char)(s->n - 1 < 256 ? s->n - 1 : 0);
        memcpy(w->strings + s->off, s->text, s->n - 1);
        w->strings[s->off + s->n - 1] = 0; /* whatever has become of the file meanwhile */
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void make_item(void *owner, size_t worker, size_t item)
{
    struct ms_msym_writer *w = owner;
    if (item < w->n_chunks) {
        size_t first = item * PIECES_A_CHUNK;
        w->chunks[item].slabs = &w->slabs[worker];
        make_chunk(w, &w->chunks[item], first,
                   smaller(first + PIECES_A_CHUNK, ms_spool_n(w->spool)));
    } else {
        size_t first = (item - w->n_chunks) * STRINGS_A_GROUP;
        copy_strings(w, first, smaller(first + STRINGS_A_GROUP, w->numbering.n_strings));
    }
}

static enum ms_status make_records(struct ms_msym_writer *w, struct ms_error *err)
{
    size_t n_groups = (w->numbering.n_strings + STRINGS_A_GROUP - 1) / STRINGS_A_GROUP;
    w->n_chunks = (ms_spool_n(w->spool) + PIECES_A_CHUNK - 1) / PIECES_A_CHUNK;
    w->chunks = calloc(w->n_chunks + 1, sizeof *w->chunks);
    w->strings = (char *)take(w, w->numbering.string_bytes);
    if (!w->chunks || !w->strings)
        return ms_fail_memory(err);
    w->strings[0] = 0;
    ms_workers_run(w->n_workers, w->n_chunks + n_groups, make_item, w);
    for (size_t i = 0; i < w->n_chunks; i++)
        if (w->chunks[i].no_memory)
            return ms_fail_memory(err);
    return MS_OK;
}

/* ---- tables ------------------------------------------------------------------------------ */

static size_t count_blocks(const struct ms_msym_writer *w)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_chunks; i++)
        n += w->chunks[i].n_blocks;
    return n;
}

static uint8_t *put_numbers(uint8_t *at, const uint32_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_u32(at + 4 * i, numbers[i]);
    return at + 4 * n;
}

/* Blocks, files and names. */
static bool make_tables(struct ms_msym_writer *w, struct part *part)
{
    const struct ms_numbering *numbering = &w->numbering;
    uint64_t off = 0;
    part->n = count_blocks(w) * MSYM_BLOCK + (numbering->files.n + numbering->names.n) * 4;
    uint8_t *at = take(w, part->n);
    part->at = at;
    if (!at)
        return false;
    for (size_t i = 0; i < w->n_chunks; off += w->chunks[i++].n)
        for (size_t k = 0; k < w->chunks[i].n_blocks; k++, at += MSYM_BLOCK) {
            put_u64(at, w->chunks[i].blocks[k].low - w->base_vm);
            put_u64(at + 8, off + w->chunks[i].blocks[k].off);
        }
    at = put_numbers(at, numbering->files.items, numbering->files.n);
    put_numbers(at, numbering->names.items, numbering->names.n);
    return true;
}

static bool list_parts(struct ms_msym_writer *w)
{
    w->n_parts = w->n_chunks + 2;
    w->parts = calloc(w->n_parts, sizeof *w->parts);
    if (!w->parts || !make_tables(w, w->parts))
        return false;
    for (size_t i = 0; i < w->n_chunks; i++)
        w->parts[i + 1] = (struct part){w->chunks[i].at, w->chunks[i].n, 0};
    w->parts[w->n_parts - 1] =
        (struct part){(const uint8_t *)w->strings, w->numbering.string_bytes, 0};
    for (size_t i = 0; i < w->n_parts; w->n_checked += w->parts[i++].n)
        w->parts[i].off = w->n_checked;
    return true;
}

/* ---- checksums --------------------------------------------------------------------------- */

/* The last part that starts at or before `off`. */
static size_t part_at(const struct ms_msym_writer *w, uint64_t off)
{
    size_t from = 0, n = w->n_parts;
    while (n > 1) {
        size_t half = n / 2;
        if (w->parts[from + half].off <= off)
            from += half;
        n -= half;
    }
    return from;
}

/* One page, which several parts may share. */
static uint32_t check_page(const struct ms_msym_writer *w, size_t part, uint64_t off)
{
    uint8_t page[MSYM_PAGE];
    size_t filled = 0;
    for (; part < w->n_parts && filled < sizeof page; part++) {
        const struct part *p = &w->parts[part];
        uint64_t skipped = off + filled - p->off;
        size_t n = smaller(sizeof page - filled, p->n - skipped);
        if (n == sizeof page)
            return ms_check(p->at + skipped, n);
        memcpy(page + filled, p->at + skipped, n);
        filled += n;
    }
    return ms_check(page, filled);
}

static void check_pages(void *owner, size_t worker, size_t item)
{
    struct ms_msym_writer *w = owner;
    size_t end = smaller((item + 1) * PAGES_A_GROUP, w->n_pages);
    (void)worker;
    size_t part = part_at(w, (uint64_t)item * PAGES_A_GROUP * MSYM_PAGE);
    for (size_t page = item * PAGES_A_GROUP; page < end; page++) {
        uint64_t off = (uint64_t)page * MSYM_PAGE;
        while (part + 1 < w->n_parts && w->parts[part + 1].off <= off)
            part++;
        put_u32(w->checks + 4 * page, check_page(w, part, off));
    }
}

static bool put_checks(struct ms_msym_writer *w)
{
    w->n_pages = msym_pages((size_t)w->n_checked);
    size_t n = w->n_pages * 4;
    w->n_tops = msym_pages(n);
    w->checks = take(w, n + w->n_tops * 4);
    if (!w->checks)
        return false;
    ms_workers_run(w->n_workers, (w->n_pages + PAGES_A_GROUP - 1) / PAGES_A_GROUP, check_pages, w);
    for (size_t i = 0; i < w->n_tops; i++) {
        size_t off = i * MSYM_PAGE;
        put_u32(w->checks + n + 4 * i, ms_check(w->checks + off, msym_page_bytes(off, n)));
    }
    return true;
}

/* ---- the whole --------------------------------------------------------------------------- */

uint64_t ms_msym_functions(const struct ms_msym_writer *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->n_chunks; i++)
        n += w->chunks[i].n_functions;
    return n;
}

static void make_header(struct ms_msym_writer *w, const struct ms_msym_choice *choice)
{
    uint8_t *h = w->header;
    memcpy(h, MSYM_MAGIC, 4);
    h[MSYM_AT_VERSION] = MSYM_VERSION;
    h[MSYM_AT_FLAGS] = (uint8_t)choice->flags;
    put_u64(h + MSYM_AT_BYTES, ms_msym_bytes(w));
    put_u64(h + MSYM_AT_BASE, w->base_vm);
    put_u64(h + MSYM_AT_N_BLOCKS, count_blocks(w));
    put_u64(h + MSYM_AT_N_FILES, w->numbering.files.n / MS_FILE_TEXTS);
    put_u64(h + MSYM_AT_N_NAMES, w->numbering.names.n / MS_NAME_TEXTS);
    put_u64(h + MSYM_AT_RECORD_BYTES, w->parts[w->n_parts - 1].off - w->parts[0].n);
    put_u64(h + MSYM_AT_STRING_BYTES, w->numbering.string_bytes);
    put_u64(h + MSYM_AT_N_RECORDS, ms_spool_n(w->spool));
    put_u64(h + MSYM_AT_N_FUNCTIONS, ms_msym_functions(w));
    put_u32(h + MSYM_AT_NAME, choice->name ? MS_FIRST_PLACE : 0);
    put_u32(h + MSYM_AT_TOPS_CHECK, ms_check(w->checks + w->n_pages * 4, w->n_tops * 4));
    put_u32(h + MSYM_AT_CHECK, ms_check(h, MSYM_AT_CHECK));
}

static enum ms_status make(struct ms_msym_writer *w, const struct ms_msym_choice *choice,
                           struct ms_error *err)
{
    enum ms_status status = ms_numbering_make(w->spool, choice->name, &w->numbering, err);
    if (status == MS_OK)
        status = make_records(w, err);
    if (status != MS_OK)
        return status;
    if (!list_parts(w) || !put_checks(w))
        return ms_fail_memory(err);
    make_header(w, choice);
    return MS_OK;
}

enum ms_status ms_msym_write(const struct ms_spool *spool, const struct ms_msym_choice *choice,
                             struct ms_msym_writer **out, struct ms_error *err)
{
    uint64_t low, high;
    if (ms_spool_n(spool)) {
        ms_spool_range(spool, 0, &low, &high);
        if (low < choice->base_vm)
            return ms_fail(err, MS_E_ARGUMENT, NULL, MS_NO_OFFSET,
                           "piece at 0x%llx lies below the base at 0x%llx", (unsigned long long)low,
                           (unsigned long long)choice->base_vm);
    }
    struct ms_msym_writer *w = calloc(1, sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    w->spool = spool;
    w->base_vm = choice->base_vm;
    w->n_workers = choice->n_workers ? choice->n_workers : ms_workers_of_machine();
    w->n_workers = smaller(w->n_workers, MS_MAX_WORKERS);
    w->slabs = calloc(w->n_workers + 1, sizeof *w->slabs);
    enum ms_status status = w->slabs ? make(w, choice, err) : ms_fail_memory(err);
    if (status != MS_OK) {
        ms_msym_writer_close(w);
        return status;
    }
    *out = w;
    return MS_OK;
}

uint64_t ms_msym_bytes(const struct ms_msym_writer *w)
{
    return MSYM_HEADER + w->n_checked + (w->n_pages + w->n_tops) * 4;
}

bool ms_msym_give(const struct ms_msym_writer *w,
                  bool (*write)(void *to, const char *bytes, size_t n), void *to)
{
    if (!write(to, (const char *)w->header, sizeof w->header))
        return false;
    for (size_t i = 0; i < w->n_parts; i++)
        if (w->parts[i].n && !write(to, (const char *)w->parts[i].at, w->parts[i].n))
            return false;
    return !w->n_pages || write(to, (const char *)w->checks, (w->n_pages + w->n_tops) * 4);
}
