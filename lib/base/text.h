/**
 * base/text.h: a growable piece of text with a ceiling. Sticky like the cursor: the
 * first append that fails (memory, ceiling) sets `failed`, later ones do nothing, and
 * the owner checks once at the end.
 */
#ifndef MS_BASE_TEXT_H
#define MS_BASE_TEXT_H

#include "base/error.h"

struct ms_text {
    char *at;      /* NUL-terminated once anything was appended; NULL before */
    size_t n;      /* bytes without the NUL */
    size_t room;   /* bytes allocated */
    size_t max;    /* ceiling on n */
    bool failed;
};

/** `max` bytes at most. */
void ms_text_init(struct ms_text *text, size_t max);
void ms_text_fini(struct ms_text *text);
/** Empties it and keeps the memory. */
void ms_text_clear(struct ms_text *text);

void ms_text_add(struct ms_text *text, const char *bytes, size_t n);
void ms_text_puts(struct ms_text *text, const char *string);
void ms_text_putc(struct ms_text *text, char c);
void ms_text_printf(struct ms_text *text, const char *format, ...) MS_PRINTF(2, 3);

/**
 * Puts '?' for every byte of a control character from `from` on, those of U+0080 to U+009F
 * included, as ms_text_make_plain does. With `lines` line ends and tabs stay.
 */
void ms_text_plain_from(struct ms_text *text, size_t from, bool lines);

/** MS_OK, or the MS_E_NOMEM / MS_E_LIMIT that made it fail. */
enum ms_status ms_text_check(const struct ms_text *text, struct ms_error *err);

#endif
