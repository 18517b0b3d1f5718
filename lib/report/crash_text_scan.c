#include "report/crash_text_scan.h"

size_t ms_scan_find(const char *text, size_t n, const char *word)
{
    size_t m = strlen(word);
    for (size_t at = 0; m && m <= n && at <= n - m; at++) {
        const char *found = memchr(text + at, word[0], n - m - at + 1);
        if (!found)
            return n;
        at = (size_t)(found - text);
        if (memcmp(found, word, m) == 0)
            return at;
    }
    return n;
}

size_t ms_scan_blanks(const char *text, size_t n)
{
    size_t at = 0;
    for (;;) {
        if (at < n && (text[at] == ' ' || text[at] == '\t' || text[at] == '\r'))
            at++;
        else if (n - at >= 2 && text[at] == '\xc2' && text[at + 1] == '\xa0')
            at += 2;
        else
            return at;
    }
}

size_t ms_scan_trim_end(const char *text, size_t n)
{
    for (;;) {
        if (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r'))
            n--;
        else if (n >= 2 && text[n - 2] == '\xc2' && text[n - 1] == '\xa0')
            n -= 2;
        else
            return n;
    }
}

/* The tags that web pages put around and into a pasted report. */
static bool is_tag(const char *text, size_t n)
{
    static const char *const names[] = {"br", "p", "pre", "code", "div", "span", "li", "td", "tr"};
    size_t at = 1;
    if (n < 3 || text[0] != '<')
        return false;
    if (text[at] == '/')
        at++;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t m = strlen(names[i]);
        if (ms_scan_starts(text + at, n - at, names[i]) && at + m < n &&
            (text[at + m] == '>' || text[at + m] == ' ' || text[at + m] == '/'))
            return true;
    }
    return false;
}

/* How far back or ahead the other end of a tag is looked for. */
enum { LONGEST_TAG = 64 };

size_t ms_scan_leading_junk(const char *text, size_t n)
{
    size_t at = 0;
    for (;;) {
        at += ms_scan_blanks(text + at, n - at);
        size_t left = n - at;
        if (ms_scan_starts(text + at, left, "\xef\xbb\xbf")) {
            at += 3;
        } else if (left && text[at] == '>') {
            at++;
        } else if (ms_scan_starts(text + at, left, "&gt;")) {
            at += 4;
        } else if (is_tag(text + at, left)) {
            const char *end = memchr(text + at, '>', left < LONGEST_TAG ? left : LONGEST_TAG);
            if (!end)
                return at;
            at = (size_t)(end - text) + 1;
        } else {
            return at;
        }
    }
}

size_t ms_scan_trailing_junk(const char *text, size_t n)
{
    for (;;) {
        n = ms_scan_trim_end(text, n);
        if (!n || text[n - 1] != '>')
            return n;
        size_t at = n - 1;
        while (at && n - at < LONGEST_TAG && text[at] != '<')
            at--;
        if (!is_tag(text + at, n - at))
            return n;
        n = at;
    }
}

size_t ms_scan_hex(const char *text, size_t n, uint64_t *value)
{
    if (n < 3 || text[0] != '0' || (text[1] != 'x' && text[1] != 'X'))
        return 0;
    size_t at = 2;
    uint64_t number = 0;
    for (int digit; at < n && (digit = ms_hex_value(text[at])) >= 0; at++) {
        if (number >> 60)
            return 0;
        number = number << 4 | (uint64_t)digit;
    }
    if (at == 2)
        return 0;
    *value = number;
    return at;
}

size_t ms_scan_decimal(const char *text, size_t n, uint64_t *value)
{
    size_t at = 0;
    uint64_t number = 0;
    for (; at < n && ms_is_digit(text[at]); at++) {
        uint64_t digit = (uint64_t)(text[at] - '0');
        if (number > UINT64_MAX / 10 || number * 10 > UINT64_MAX - digit)
            return 0;
        number = number * 10 + digit;
    }
    if (at)
        *value = number;
    return at;
}

bool ms_scan_number(const char *text, size_t n, uint64_t *value)
{
    size_t m = ms_scan_hex(text, n, value);
    if (!m)
        m = ms_scan_decimal(text, n, value);
    return m && m == n;
}

void ms_lines_over(struct ms_line_reader *lines, struct ms_bytes file, size_t off, size_t end)
{
    lines->base = (const char *)file.at;
    lines->at = off;
    lines->end = end;
    lines->terminator = '\n';
    if (end > off && !memchr(lines->base + off, '\n', end - off))
        lines->terminator = '\r';
}

bool ms_lines_next(struct ms_line_reader *lines, struct ms_line *line)
{
    if (lines->at >= lines->end)
        return false;
    const char *start = lines->base + lines->at;
    const char *stop = memchr(start, lines->terminator, lines->end - lines->at);
    size_t n = stop ? (size_t)(stop - start) : lines->end - lines->at;
    line->off = lines->at;
    lines->at += n + (stop ? 1 : 0);
    if (n && start[n - 1] == '\r')
        n--;
    line->n = n;
    size_t junk = ms_scan_leading_junk(start, n);
    line->text = start + junk;
    line->text_n = ms_scan_trailing_junk(line->text, n - junk);
    return true;
}
