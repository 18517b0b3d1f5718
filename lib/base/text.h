/**
 * base/text.h: a growable piece of text with a ceiling. Sticky like the cursor: the
 * first append that fails (memory, ceiling) sets `failed`, later ones do nothing, and
 * the owner checks once at the end.
 */
#ifndef MS_BASE_TEXT_H
#define MS_BASE_TEXT_H

#include "base/error.h"

#include <string.h>

struct ms_text {
    char *at;    /* NUL-terminated once anything was appended; NULL before */
    size_t n;    /* bytes without the NUL */
    size_t room; /* bytes allocated */
    size_t max;  /* ceiling on n */
    bool failed;
    bool borrowed; /* `at` is the caller's; its text moves to memory of its own when it grows */
};

/** `max` bytes at most. */
void ms_text_init(struct ms_text *text, size_t max);
/** The same, with `room` bytes at `at` (one at least) to be filled first. */
void ms_text_init_on(struct ms_text *text, size_t max, char *at, size_t room);
void ms_text_fini(struct ms_text *text);
/** Empties it and keeps the memory. */
void ms_text_clear(struct ms_text *text);

/** Makes room for n more bytes and the NUL; false, and failed, when that can't be. */
bool ms_text_reserve(struct ms_text *text, size_t n);

static inline void ms_text_add(struct ms_text *text, const char *bytes, size_t n)
{
    if ((text->failed || n >= text->room - text->n) && !ms_text_reserve(text, n))
        return;
    if (n)
        memcpy(text->at + text->n, bytes, n);
    text->n += n;
    text->at[text->n] = 0;
}

static inline void ms_text_puts(struct ms_text *text, const char *string)
{
    ms_text_add(text, string, strlen(string));
}

static inline void ms_text_putc(struct ms_text *text, char c)
{
    ms_text_add(text, &c, 1);
}

void ms_text_printf(struct ms_text *text, const char *format, ...) MS_PRINTF(2, 3);

/**
 * Puts '?' for every byte of a control character from `from` on, those of U+0080 to U+009F
 * included, as ms_text_make_plain does. With `lines` line ends and tabs stay.
 */
void ms_text_plain_from(struct ms_text *text, size_t from, bool lines);

/** MS_OK, or the MS_E_NOMEM / MS_E_LIMIT that made it fail. */
enum ms_status ms_text_check(const struct ms_text *text, struct ms_error *err);

#endif
