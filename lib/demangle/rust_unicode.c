#include "demangle/rust_unicode.h"

#include <string.h>

static bool is_control(uint64_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

static bool is_code_point(uint64_t c)
{
    return c <= 0x10ffff && (c < 0xd800 || c >= 0xe000);
}

bool ms_rust_put_code_point(struct ms_text *out, uint64_t c)
{
    char utf8[4];
    if (!is_code_point(c) || is_control(c))
        return false;
    size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (size_t i = n; i-- > 1; c >>= 6)
        utf8[i] = (char)(0x80 | (c & 0x3f));
    /* 0, 110xxxxx, 1110xxxx, 11110xxx */
    utf8[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
    ms_text_add(out, utf8, n);
    return true;
}

size_t ms_rust_utf8(const uint8_t *bytes, size_t n, uint32_t *out)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n)
        return 0;
    uint8_t first = bytes[0];
    size_t length = first < 0x80 ? 1 : first < 0xc0 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (!length || length > n || first > 0xf4)
        return 0;
    uint32_t c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (bytes[i] & 0x3f);
    }
    if (c < least[length] || !is_code_point(c))
        return 0;
    *out = c;
    return length;
}

/* What Rust doesn't print as it is: besides controls, what is invisible or turns text about. */
static bool is_unprintable(uint64_t c)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0xad, 0xad},        {0x300, 0x36f},   {0x200b, 0x200f},
        {0x2028, 0x202e}, {0x2060, 0x206f}, {0xe000, 0xf8ff},    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff},
        {0xfff0, 0xfffb}, {0xfffe, 0xffff}, {0xe0000, 0x10ffff},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    return false;
}

bool ms_rust_put_escaped(struct ms_text *out, uint64_t c, char quote)
{
    static const char plain[] = "\0\t\r\n\\'\"", letter[] = "0trn\\'\"";
    if (!is_code_point(c))
        return false;
    const char *at = c < 0x80 ? memchr(plain, (int)c, sizeof plain - 1) : NULL;
    bool other_quote = (c == '\'' || c == '"') && (char)c != quote;
    if (at && !other_quote) {
        ms_text_putc(out, '\\');
        ms_text_putc(out, letter[at - plain]);
    } else if (is_unprintable(c)) {
        ms_text_printf(out, "\\u{%llx}", (unsigned long long)c);
    } else {
        return ms_rust_put_code_point(out, c);
    }
    return true;
}

/* RFC 3492 §6.1 */
static size_t adapt(size_t delta, size_t n_points, bool first)
{
    size_t k = 0;
    delta /= first ? 700 : 2;
    delta += delta / n_points;
    for (; delta > (36 - 1) * 26 / 2; k += 36)
        delta /= 36 - 1;
    return k + (36 - 1 + 1) * delta / (delta + 38);
}

/* RFC 3492 §6.2, one delta: a generalised variable-length integer. */
static bool take_delta(const char **at, const char *end, size_t bias, size_t *delta)
{
    size_t weight = 1;
    *delta = 0;
    for (size_t k = 36;; k += 36) {
        if (*at == end)
            return false;
        char c = *(*at)++;
        size_t digit;
        if (c >= 'a' && c <= 'z')
            digit = (size_t)(c - 'a');
        else if (c >= '0' && c <= '9')
            digit = (size_t)(c - '0') + 26;
        else
            return false;
        if (digit > (UINT32_MAX - *delta) / weight)
            return false;
        *delta += digit * weight;
        size_t threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (digit < threshold)
            return true;
        if (weight > UINT32_MAX / (36 - threshold))
            return false;
        weight *= 36 - threshold;
    }
}

bool ms_rust_punycode(const char *at, size_t n, struct ms_text *out)
{
    enum { MAX_POINTS = 256 }; /* inserting makes it quadratic; real: 20 */
    uint32_t points[MAX_POINTS];
    size_t n_points = 0;
    const char *end = at + n;
    /* What is ASCII stands first, up to the last delimiter. */
    const char *split = end;
    while (split > at && split[-1] != '_')
        split--;
    for (const char *p = at; p + 1 < split; p++) {
        if (n_points == MAX_POINTS || (unsigned char)*p >= 0x80)
            return false;
        points[n_points++] = (unsigned char)*p;
    }
    uint64_t c = 0x80;
    size_t i = 0, bias = 72;
    bool first = true;
    for (at = split; at < end; first = false, i++) {
        size_t delta;
        if (n_points == MAX_POINTS || !take_delta(&at, end, bias, &delta))
            return false;
        i += delta;
        n_points++;
        bias = adapt(delta, n_points, first);
        c += i / n_points;
        i %= n_points;
        if (c > 0x10ffff)
            return false;
        memmove(points + i + 1, points + i, (n_points - 1 - i) * sizeof *points);
        points[i] = (uint32_t)c;
    }
    for (size_t k = 0; k < n_points; k++)
        if (!ms_rust_put_code_point(out, points[k]))
            return false;
    return !first;
}
