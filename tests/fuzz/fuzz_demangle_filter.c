/*
 * Names in any text: what is found doesn't depend on the pieces that the text comes in; all of
 * the text comes out; where no name was found it comes out as it was.
 */
#include "machsym/demangle.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct got {
    char *at;
    size_t n, room, names;
    const uint8_t *input; /* what is to come out, the names' own bytes included */
    size_t seen, size;
};

static void add(struct got *got, const char *bytes, size_t n)
{
    if (got->room - got->n < n) {
        got->room = (got->n + n) * 2;
        got->at = realloc(got->at, got->room);
        if (!got->at)
            abort();
    }
    memcpy(got->at + got->n, bytes, n);
    got->n += n;
}

static void see(struct got *got, const char *bytes, size_t n)
{
    if (n > got->size - got->seen || memcmp(got->input + got->seen, bytes, n) != 0)
        abort();
    got->seen += n;
}

static bool on_text(void *to, const char *bytes, size_t n)
{
    see(to, bytes, n);
    add(to, bytes, n);
    return true;
}

static bool on_name(void *to, const struct ms_found_name *name)
{
    struct got *got = to;
    if (!name->n || !name->n_demangled || name->demangled[name->n_demangled])
        abort();
    got->names++;
    see(got, name->mangled, name->n);
    /* Apart from text, so that another name, or one more, is another result. */
    add(got, "\xff", 1);
    add(got, name->demangled, name->n_demangled);
    return true;
}

static bool on_unread(void *to, const struct ms_found_name *name)
{
    const struct got *got = to;
    if (name->demangled || !name->n || name->n > got->size - got->seen)
        abort();
    return true;
}

/* Pieces of 1 to 2^bits bytes, by a generator of its own. */
static void run(struct got *got, unsigned style, uint32_t seed, unsigned bits)
{
    struct ms_name_filter_sink sink = {got, on_text, on_name, on_unread};
    struct ms_name_filter *filter = ms_name_filter_open(&sink, style, NULL, NULL);
    if (!filter)
        abort();
    for (size_t i = 0; i < got->size;) {
        seed = seed * 1664525 + 1013904223;
        size_t left = got->size - i, n = bits ? 1 + (seed >> 8) % (1u << bits) : left;
        n = n < left ? n : left;
        if (!ms_name_filter_feed(filter, (const char *)got->input + i, n))
            abort();
        i += n;
    }
    if (!ms_name_filter_finish(filter) || got->seen != got->size)
        abort();
    ms_name_filter_close(filter);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* The first byte says how. */
    if (!size)
        return 0;
    unsigned how = data[0];
    struct got whole = {.input = data + 1, .size = size - 1}, pieces = whole;
    run(&whole, how % 8, 0, 0);
    run(&pieces, how % 8, how, 1 + how / 8 % 6);
    if (whole.n != pieces.n || whole.names != pieces.names ||
        (whole.n && memcmp(whole.at, pieces.at, whole.n) != 0))
        abort();
    free(whole.at);
    free(pieces.at);
    return 0;
}
