/**
 * report/crash_text_scan.h: small pieces that reading crash text is made of. Everything
 * works on n bytes that need not be NUL-terminated; nothing is believed to be UTF-8.
 */
#ifndef MS_REPORT_CRASH_TEXT_SCAN_H
#define MS_REPORT_CRASH_TEXT_SCAN_H

#include "machsym/types.h"

#include <string.h>

static inline bool ms_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/** The value of a hexadecimal digit, or -1. */
static inline int ms_hex_value(char c)
{
    if (ms_is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

/** True when the n bytes at `text` start with the string `start`. */
static inline bool ms_scan_starts(const char *text, size_t n, const char *start)
{
    size_t m = strlen(start);
    return n >= m && memcmp(text, start, m) == 0;
}

/** The offset of the string `word` in the n bytes at `text`, or n. */
size_t ms_scan_find(const char *text, size_t n, const char *word);

/** Bytes of blanks at the start: space, TAB, CR, and the no-break space (as UTF-8). */
size_t ms_scan_blanks(const char *text, size_t n);

/** n without the blanks at the end. */
size_t ms_scan_trim_end(const char *text, size_t n);

/**
 * Bytes at the start of a line that pasting has put there: blanks, a byte order mark, '>'
 * and "&gt;" of quoting, and tags such as <pre> and <br>.
 */
size_t ms_scan_leading_junk(const char *text, size_t n);

/** n without blanks and tags such as <br> at the end. */
size_t ms_scan_trailing_junk(const char *text, size_t n);

/**
 * Reads "0x" and up to 16 significant hexadecimal digits.
 * @return how many bytes it is long, 0 when it is none or does not fit 64 bits
 */
size_t ms_scan_hex(const char *text, size_t n, uint64_t *value);

/** Reads decimal digits; 0 when there is none or the number does not fit 64 bits. */
size_t ms_scan_decimal(const char *text, size_t n, uint64_t *value);

/** A number in either notation, all of the n bytes; false otherwise. */
bool ms_scan_number(const char *text, size_t n, uint64_t *value);

/**
 * Lines of a stretch of bytes: '\n' ends them, or '\r' alone in a text without any '\n'. A
 * '\r' before the '\n' is not part of the line.
 */
struct ms_line_reader {
    const char *base; /* offsets count from here */
    size_t at, end;
    char terminator;
};

struct ms_line {
    size_t off, n;    /* without the line end */
    const char *text; /* without junk around it: */
    size_t text_n;
};

void ms_lines_over(struct ms_line_reader *lines, struct ms_bytes file, size_t off, size_t end);
bool ms_lines_next(struct ms_line_reader *lines, struct ms_line *line);

#endif
