/*
 * A ready index: a byte of flags, then the file. The target puts sizes and checksums right, unless
 * the flags say otherwise, since no mutation would get past them. What can be read whole must
 * answer by address as its records say, and come out the same when it is written and read again.
 */
#include "machsym/types.h"
#include "pack/check.h"
#include "pack/msym.h"
#include "pack/msym_format.h"
#include "pack/msym_write.h"
#include "pack/spool.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AS_IT_IS = 1, BAD_PAGE = 2, MOST_PIECES = 512, MOST_INPUT = 1 << 16 };

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what))                                                                               \
            abort();                                                                               \
    } while (0)

/* ---- putting it right ------------------------------------------------------------------------ */

static void put(uint8_t *at, uint64_t value, int n)
{
    for (int i = 0; i < n; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, int n)
{
    uint64_t value = 0;
    while (n--)
        value = value << 8 | at[n];
    return value;
}

/* Makes counts fit what is left, one after the other. */
static uint64_t fit(uint8_t *at, uint64_t width, uint64_t left)
{
    uint64_t n = get(at, 8);
    if (n > left / width)
        n %= left / width + 1;
    put(at, n, 8);
    return n * width;
}

/* The file with a header that fits, and checksums behind it; *n is what it has then. */
static uint8_t *mended(const uint8_t *data, size_t size, unsigned flags, size_t *n)
{
    size_t paged = size - MSYM_HEADER, pages = msym_pages(paged), checks = 4 * pages;
    size_t n_tops = msym_pages(checks);
    *n = size + checks + 4 * n_tops;
    uint8_t *out = malloc(*n);
    EXPECT(out);
    memcpy(out, data, size);
    memcpy(out, MSYM_MAGIC, 4);
    put(out + MSYM_AT_VERSION, MSYM_VERSION, 2);
    put(out + MSYM_AT_FLAGS, get(out + MSYM_AT_FLAGS, 2) & MSYM_FLAGS, 2);
    put(out + MSYM_AT_BYTES, *n, 8);
    uint64_t left = paged;
    left -= fit(out + MSYM_AT_N_BLOCKS, MSYM_BLOCK, left);
    left -= fit(out + MSYM_AT_N_FILES, MSYM_FILE, left);
    left -= fit(out + MSYM_AT_N_NAMES, MSYM_NAME, left);
    left -= fit(out + MSYM_AT_RECORD_BYTES, 1, left);
    put(out + MSYM_AT_STRING_BYTES, left, 8);
    for (size_t i = 0; i < pages; i++) {
        size_t start = MSYM_HEADER + i * MSYM_PAGE;
        put(out + size + 4 * i, ms_check(out + start, msym_page_bytes(start, size)), 4);
    }
    if (flags & BAD_PAGE && pages)
        out[size + 4 * (flags >> 2) % checks] ^= 1;
    for (size_t i = 0; i < n_tops; i++) {
        size_t start = i * MSYM_PAGE;
        put(out + size + checks + 4 * i,
            ms_check(out + size + start, msym_page_bytes(start, checks)), 4);
    }
    put(out + MSYM_AT_TOPS_CHECK, ms_check(out + size + checks, 4 * n_tops), 4);
    put(out + MSYM_AT_CHECK, ms_check(out, MSYM_AT_CHECK), 4);
    return out;
}

/* ---- reading it ------------------------------------------------------------------------------ */

/* What the records say, kept for comparing. */
struct kept {
    struct ms_spool *spool;
    size_t n;
    uint64_t lows[MOST_PIECES], highs[MOST_PIECES];
};

static struct ms_ready_answer by_piece, by_address;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_same_answer(const struct ms_ready_answer *a, const struct ms_ready_answer *b)
{
    EXPECT(a->n_frames == b->n_frames && a->source == b->source && a->damaged == b->damaged);
    EXPECT(a->low == b->low && a->high == b->high);
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct ms_frame *x = &a->frames[i], *y = &b->frames[i];
        EXPECT(same_text(x->linkage, y->linkage) && same_text(x->name, y->name));
        EXPECT(same_text(x->comp_dir, y->comp_dir) && same_text(x->dir, y->dir));
        EXPECT(same_text(x->file, y->file));
        EXPECT(x->line == y->line && x->column == y->column && x->inlined == y->inlined);
        EXPECT(x->has_start == y->has_start && x->start_vm == y->start_vm);
        EXPECT(x->offset == y->offset && x->source == y->source);
    }
}

static bool keep(void *owner, const struct ms_piece *piece)
{
    struct kept *k = owner;
    EXPECT(piece->low < piece->high);
    for (size_t i = 0; i < piece->n_nodes; i++)
        EXPECT(i ? piece->nodes[i].parent < i : piece->nodes[i].parent == MS_NO_PARENT);
    for (size_t i = 0; i < piece->n_spans; i++)
        EXPECT(piece->spans[i].node < piece->n_nodes);
    ms_ready_from_piece(piece, piece->low, &by_piece);
    ms_ready_from_piece(piece, piece->high - 1, &by_piece);
    if (k->n == MOST_PIECES)
        return false;
    k->lows[k->n] = piece->low;
    k->highs[k->n++] = piece->high;
    struct ms_piece_claim claim = {(uint8_t)(k->n % 3), piece->high - piece->low, piece->low};
    EXPECT(ms_spool_add(k->spool, k->n % 2, (uint32_t)k->n, piece, claim));
    return true;
}

struct copy {
    uint8_t *at;
    size_t n, room;
};

static bool copy(void *to, const char *bytes, size_t n)
{
    struct copy *c = to;
    EXPECT(n <= c->room - c->n);
    memcpy(c->at + c->n, bytes, n);
    c->n += n;
    return true;
}

/* Whatever the index and what was written again know at the edges of a piece is the same. */
static void compare(struct ms_msym *a, struct ms_msym *b, const struct kept *k)
{
    struct ms_error err;
    for (size_t i = 0; i < k->n; i++) {
        uint64_t middle = k->lows[i] + (k->highs[i] - k->lows[i]) / 2;
        uint64_t addresses[] = {k->lows[i], middle, k->highs[i] - 1, k->highs[i], k->lows[i] - 1};
        for (size_t n = 0; n < sizeof addresses / sizeof *addresses; n++) {
            enum ms_status one = ms_msym_find(a, addresses[n], &by_piece, &err);
            enum ms_status other = ms_msym_find(b, addresses[n], &by_address, &err);
            EXPECT(one == other);
            if (one == MS_OK)
                expect_same_answer(&by_piece, &by_address);
        }
    }
}

/* The pieces of the spool are ascending and disjoint, whatever went in. Each is once kept as it is
 * and once packed anew. */
static void settle(struct ms_spool *spool)
{
    struct ms_piece_room room;
    struct ms_piece piece;
    struct ms_error err;
    uint64_t end = 0;
    memset(&room, 0, sizeof room);
    EXPECT(ms_spool_settle(spool, &err) == MS_OK);
    for (size_t i = 0; i < ms_spool_n(spool); i++) {
        EXPECT(ms_spool_get(spool, i, &room, &piece));
        EXPECT(piece.low >= end && piece.low < piece.high);
        end = piece.high;
        ms_ready_from_piece(&piece, piece.low, &by_piece);
        EXPECT(i % 3 ? ms_spool_keep(spool, i, &room) : ms_spool_put(spool, &piece));
    }
    ms_spool_replace(spool);
    ms_piece_room_fini(&room);
}

static void write_again(struct ms_msym *msym, const struct ms_msym_choice *choice,
                        const struct kept *k)
{
    struct ms_error err;
    struct ms_msym *again;
    struct ms_msym_writer *writer;
    EXPECT(ms_msym_write(k->spool, choice, &writer, &err) == MS_OK);
    size_t n = (size_t)ms_msym_bytes(writer);
    struct copy c = {malloc(n), 0, n};
    EXPECT(c.at && ms_msym_give(writer, copy, &c) && c.n == n);
    EXPECT(ms_msym_open((struct ms_bytes){c.at, c.n}, "again", &again, &err) == MS_OK);
    EXPECT(ms_msym_check(again, NULL, NULL, &err) == MS_OK);
    compare(msym, again, k);
    ms_msym_close(again);
    ms_msym_writer_close(writer);
    free(c.at);
}

static void read_index(struct ms_bytes bytes)
{
    static struct kept k;
    struct ms_msym *msym;
    struct ms_msym_head head;
    struct ms_error err;
    const char *name = ms_msym_name(bytes);
    EXPECT(!name || (*name && !strchr(name, '/')));
    (void)ms_msym_is_whole(bytes);
    if (ms_msym_open(bytes, "input", &msym, &err) != MS_OK)
        return;
    ms_msym_head(msym, &head);
    memset(&k, 0, sizeof k);
    EXPECT(ms_spool_open(2, &k.spool, &err) == MS_OK);
    enum ms_status status = ms_msym_check(msym, keep, &k, &err);
    for (size_t i = 0; i < k.n; i++) {
        enum ms_status found = ms_msym_find(msym, k.lows[i], &by_address, &err);
        EXPECT(status != MS_OK || found == MS_OK || found == MS_ABSENT);
        EXPECT(found != MS_OK || status != MS_OK || by_address.low == k.lows[i]);
    }
    for (uint64_t address = 1; address; address <<= 3)
        (void)ms_msym_find(msym, head.base_vm + address, &by_address, &err);
    settle(k.spool);
    struct ms_msym_choice choice = {.base_vm = head.base_vm, .name = name, .n_workers = 1};
    if (status == MS_OK)
        write_again(msym, &choice, &k);
    ms_spool_close(k.spool);
    ms_msym_close(msym);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > MOST_INPUT)
        return 0;
    unsigned flags = *data++;
    size--;
    if (flags & AS_IT_IS || size < MSYM_HEADER) {
        read_index((struct ms_bytes){data, size});
        return 0;
    }
    size_t n;
    uint8_t *bytes = mended(data, size, flags, &n);
    read_index((struct ms_bytes){bytes, n});
    free(bytes);
    return 0;
}
