/*
 * A GSYM file: a byte of flags, then the file, whose header the target makes one that fits unless
 * the flags say otherwise. What can be read whole must answer by address as its functions say, and
 * say the same when it is written and read again.
 */
#include "machsym/types.h"
#include "pack/gsym.h"
#include "pack/gsym_format.h"
#include "pack/gsym_write.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { AS_IT_IS = 1, MOST_PIECES = 64, MOST_INPUT = 1 << 16, MOST_PATH = 1 << 17 };

#define EXPECT(what)                                                                               \
    do {                                                                                           \
        if (!(what))                                                                               \
            abort();                                                                               \
    } while (0)

/* The functions of a file, kept for comparing, and written again as far as they can be. */
struct kept {
    struct ms_gsym_writer *writer;
    size_t n;
    bool written; /* all of them */
    uint64_t lows[MOST_PIECES], highs[MOST_PIECES];
};

static struct ms_ready_answer by_first, by_second;

static bool keep(void *owner, const struct ms_piece *piece)
{
    struct kept *k = owner;
    struct ms_error err;
    EXPECT(piece->n_nodes && piece->n_spans && piece->spans[0].low == piece->low);
    for (size_t i = 0; i < piece->n_nodes; i++)
        EXPECT(i ? piece->nodes[i].parent < i : piece->nodes[i].parent == MS_NO_PARENT);
    for (size_t i = 0; i < piece->n_spans; i++) {
        EXPECT(piece->spans[i].node < piece->n_nodes);
        EXPECT(!i || piece->spans[i - 1].low < piece->spans[i].low);
    }
    for (size_t i = 0; i < piece->n_rows; i++) {
        EXPECT(piece->rows[i].file <= piece->n_files);
        EXPECT(!i || piece->rows[i - 1].low <= piece->rows[i].low);
    }
    if (k->n == MOST_PIECES) {
        k->written = false;
        return false;
    }
    k->lows[k->n] = piece->low;
    k->highs[k->n++] = piece->high;
    /* One without a name is read, and isn't written. */
    k->written = k->written && piece->nodes[0].name && ms_gsym_add(k->writer, piece, &err) == MS_OK;
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

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void expect_same_answer(const struct ms_ready_answer *a, const struct ms_ready_answer *b)
{
    static char x_path[MOST_PATH], y_path[MOST_PATH];
    EXPECT(a->n_frames == b->n_frames && a->low == b->low && a->high == b->high);
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct ms_frame *x = &a->frames[i], *y = &b->frames[i];
        ms_frame_path(x, x_path, sizeof x_path);
        ms_frame_path(y, y_path, sizeof y_path);
        EXPECT(same_text(x->linkage, y->linkage) && same_text(x->name, y->name));
        EXPECT(strcmp(x_path, y_path) == 0 && x->line == y->line && x->inlined == y->inlined);
        if (!x->inlined)
            EXPECT(x->has_start == y->has_start && x->start_vm == y->start_vm);
    }
}

/* Whatever the file and what was written again know at the edges of a function is the same. */
static void compare(struct ms_gsym *a, struct ms_gsym *b, const struct kept *k)
{
    struct ms_error err;
    for (size_t i = 0; i < k->n; i++) {
        uint64_t middle = k->lows[i] + (k->highs[i] - k->lows[i]) / 2;
        uint64_t addresses[] = {k->lows[i], middle, k->highs[i] - 1, k->highs[i], k->lows[i] - 1};
        for (size_t n = 0; n < sizeof addresses / sizeof *addresses; n++) {
            ms_gsym_begin(a);
            ms_gsym_begin(b);
            enum ms_status one = ms_gsym_find(a, addresses[n], &by_first, &err);
            enum ms_status other = ms_gsym_find(b, addresses[n], &by_second, &err);
            EXPECT(one == other);
            if (one == MS_OK)
                expect_same_answer(&by_first, &by_second);
        }
    }
}

static void write_again(struct ms_gsym *gsym, struct kept *k)
{
    struct ms_error err;
    struct ms_gsym *again;
    uint64_t n, n_functions;
    EXPECT(ms_gsym_finish(k->writer, &n, &n_functions, &err) == MS_OK && n_functions == k->n);
    struct copy c = {malloc((size_t)n), 0, (size_t)n};
    EXPECT(c.at && ms_gsym_give(k->writer, copy, &c) && c.n == n);
    EXPECT(ms_gsym_open((struct ms_bytes){c.at, c.n}, "again", &again, &err) == MS_OK);
    EXPECT(ms_gsym_check(again, NULL, NULL, &err) == MS_OK);
    compare(gsym, again, k);
    ms_gsym_close(again);
    free(c.at);
}

static void read_file(struct ms_bytes bytes)
{
    static struct kept k;
    struct ms_gsym *gsym;
    struct ms_gsym_head head;
    struct ms_error err;
    if (ms_gsym_open(bytes, "input", &gsym, &err) != MS_OK)
        return;
    ms_gsym_head(gsym, &head);
    EXPECT(head.base_vm <= head.start_vm && head.start_vm <= head.end_vm);
    k.n = 0;
    k.written = true;
    EXPECT(ms_gsym_writer_open(head.base_vm, head.has_uuid ? &head.uuid : NULL, &k.writer, &err) ==
           MS_OK);
    enum ms_status status = ms_gsym_check(gsym, keep, &k, &err);
    ms_gsym_begin(gsym);
    for (size_t i = 0; i < k.n; i++)
        (void)ms_gsym_find(gsym, k.lows[i], &by_first, &err);
    for (uint64_t address = 1; address; address <<= 2)
        (void)ms_gsym_find(gsym, head.base_vm + address, &by_first, &err);
    if (status == MS_OK && k.written)
        write_again(gsym, &k);
    ms_gsym_writer_close(k.writer);
    ms_gsym_close(gsym);
}

/* ---- putting it right ------------------------------------------------------------------------ */

static void put(uint8_t *at, uint64_t value, int n, bool big)
{
    for (int i = 0; i < n; i++)
        at[big ? n - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, int n, bool big)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++)
        value = value << 8 | at[big ? i : n - 1 - i];
    return value;
}

static void mend(uint8_t *at, size_t size)
{
    bool big = at[0] == 'G';
    put(at, GSYM_MAGIC, 4, big);
    put(at + GSYM_AT_VERSION, GSYM_VERSION, 2, big);
    unsigned width = at[GSYM_AT_ADDRESS_BYTES];
    if (width != 1 && width != 2 && width != 4 && width != 8)
        at[GSYM_AT_ADDRESS_BYTES] = (uint8_t)(1u << width % 4);
    at[GSYM_AT_UUID_BYTES] %= GSYM_UUID_ROOM + 1;
    uint64_t strings = get(at + GSYM_AT_STRINGS, 4, big) % (size + 1);
    uint64_t n = get(at + GSYM_AT_N_ADDRESSES, 4, big), left = (size - GSYM_HEADER) / 16;
    put(at + GSYM_AT_N_ADDRESSES, n > left ? n % (left + 1) : n, 4, big);
    put(at + GSYM_AT_STRINGS, strings, 4, big);
    uint64_t string_bytes = get(at + GSYM_AT_STRING_BYTES, 4, big);
    put(at + GSYM_AT_STRING_BYTES, string_bytes % (size - strings + 1), 4, big);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size || size > MOST_INPUT)
        return 0;
    unsigned flags = *data++;
    size--;
    uint8_t *bytes = malloc(size ? size : 1); /* of its own: a byte behind it is noticed */
    EXPECT(bytes);
    memcpy(bytes, data, size);
    if (!(flags & AS_IT_IS) && size >= GSYM_HEADER)
        mend(bytes, size);
    read_file((struct ms_bytes){bytes, size});
    free(bytes);
    return 0;
}
