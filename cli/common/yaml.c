#include "common/yaml.h"

#include <ctype.h>
#include <string.h>

enum quoting { QUOTE_NONE, QUOTE_SINGLE, QUOTE_DOUBLE };

/* [+-] digits [. digits] [e [+-] digits], as YAML's core schema has numbers. */
static bool is_decimal(const char *s)
{
    static const char digits[] = "0123456789";
    s += *s == '-' || *s == '+';
    if (*s == 'e' || *s == 'E' || (*s == '.' && !isdigit((unsigned char)s[1])))
        return false;
    s += strspn(s, digits);
    if (*s == '.') {
        s++;
        s += strspn(s, digits);
    }
    if (!*s)
        return true;
    if (*s != 'e' && *s != 'E')
        return false;
    s++;
    if (*s == '+' || *s == '-') {
        s++;
        if (!*s)
            return false;
    }
    return !s[strspn(s, digits)];
}

/* A word that YAML would read as a number. */
static bool is_number(const char *s)
{
    static const char *const words[] = {".nan", ".NaN", ".NAN"};
    static const char *const infinite[] = {".inf", ".Inf", ".INF"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0)
            return true;
    const char *tail = s + (*s == '-' || *s == '+');
    if (!*tail)
        return false;
    for (size_t i = 0; i < sizeof infinite / sizeof *infinite; i++)
        if (strcmp(tail, infinite[i]) == 0)
            return true;
    if (strncmp(s, "0o", 2) == 0)
        return s[2] && !s[2 + strspn(s + 2, "01234567")];
    if (strncmp(s, "0x", 2) == 0)
        return s[2] && !s[2 + strspn(s + 2, "0123456789abcdefABCDEF")];
    return is_decimal(s);
}

/* One that it would read as null or as a truth value. */
static bool is_reserved(const char *s)
{
    static const char *const words[] = {"null", "Null", "NULL",  "~",     "true",
                                        "True", "TRUE", "false", "False", "FALSE"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(s, words[i]) == 0)
            return true;
    return false;
}

static enum quoting quoting_of(const char *s)
{
    size_t n = strlen(s);
    if (!n)
        return QUOTE_SINGLE;
    enum quoting needed = QUOTE_NONE;
    if (isspace((unsigned char)s[0]) || isspace((unsigned char)s[n - 1]) || is_reserved(s) ||
        is_number(s) || strchr("-?:\\,[]{}#&*!|>'\"%@`", s[0]))
        needed = QUOTE_SINGLE;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if (isalnum(c) || c == '\t' || strchr("_-^., ", c))
            continue;
        if (c < 0x20 || c >= 0x7f)
            return QUOTE_DOUBLE;
        needed = QUOTE_SINGLE;
    }
    return needed;
}

static void write_single(struct ms_sink *sink, const char *s)
{
    ms_sink_puts(sink, "'");
    for (const char *quote; (quote = strchr(s, '\'')); s = quote + 1) {
        ms_sink_write(sink, s, (size_t)(quote - s));
        ms_sink_puts(sink, "''");
    }
    ms_sink_puts(sink, s);
    ms_sink_puts(sink, "'");
}

/* Length of the UTF-8 sequence at s and its code point; 0 when it is none. */
static size_t decode(const unsigned char *s, uint32_t *point)
{
    size_t n = s[0] >= 0xf0 && s[0] < 0xf8   ? 4
               : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
               : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                                             : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n)
        return 0;
    *point = s[0] & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        *point = *point << 6 | (s[i] & 0x3f);
    }
    bool valid = *point >= least[n] && *point <= 0x10ffff && !(*point >= 0xd800 && *point < 0xe000);
    return valid ? n : 0;
}

/* A character beyond ASCII: the four that YAML has a letter for, C1 controls by number. */
static void write_point(struct ms_sink *sink, const char *s, size_t n, uint32_t point)
{
    const char *letter = point == 0x85     ? "\\N"
                         : point == 0xa0   ? "\\_"
                         : point == 0x2028 ? "\\L"
                         : point == 0x2029 ? "\\P"
                                           : NULL;
    if (letter)
        ms_sink_puts(sink, letter);
    else if (point < 0xa0)
        ms_sink_printf(sink, "\\x%02X", (unsigned)point);
    else
        ms_sink_write(sink, s, n);
}

static void write_double(struct ms_sink *sink, const char *s)
{
    static const char plain[] = "\a\b\t\n\v\f\r\033\"\\", letters[] = "abtnvfre\"\\";
    ms_sink_puts(sink, "\"");
    while (*s) {
        const char *known = strchr(plain, *s);
        uint32_t point;
        size_t n = 1;
        if (known) {
            ms_sink_printf(sink, "\\%c", letters[known - plain]);
        } else if ((unsigned char)*s < 0x20) {
            ms_sink_printf(sink, "\\x%02X", (unsigned)(unsigned char)*s);
        } else if ((unsigned char)*s < 0x80) {
            ms_sink_write(sink, s, 1);
        } else if ((n = decode((const unsigned char *)s, &point)) != 0) {
            write_point(sink, s, n, point);
        } else { /* what follows can't be told apart: LLVM ends there */
            ms_sink_puts(sink, "\xef\xbf\xbd");
            break;
        }
        s += n;
    }
    ms_sink_puts(sink, "\"");
}

void yaml_string(struct ms_sink *sink, const char *text)
{
    switch (quoting_of(text)) {
    case QUOTE_NONE:
        ms_sink_puts(sink, text);
        break;
    case QUOTE_SINGLE:
        write_single(sink, text);
        break;
    case QUOTE_DOUBLE:
        write_double(sink, text);
        break;
    }
}
