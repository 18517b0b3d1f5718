/* Reading the pieces that the v0 mangling is made of. */
#include "demangle/rust_v0_read.h"

void ms_v0_spoil(struct ms_v0 *v)
{
    v->bad = true;
    v->next = v->n; /* so that whatever loops until an 'E' sees the end */
}

char ms_v0_peek(const struct ms_v0 *v)
{
    return v->next < v->n ? v->at[v->next] : 0;
}

char ms_v0_take(struct ms_v0 *v)
{
    if (v->next < v->n)
        return v->at[v->next++];
    ms_v0_spoil(v);
    return 0;
}

bool ms_v0_eat(struct ms_v0 *v, char c)
{
    if (v->next >= v->n || v->at[v->next] != c)
        return false;
    v->next++;
    return true;
}

bool ms_v0_more(struct ms_v0 *v)
{
    if (v->bad || ms_v0_eat(v, 'E'))
        return false;
    if (v->next == v->n || v->out->failed)
        ms_v0_spoil(v);
    return !v->bad;
}

uint64_t ms_v0_take_base62(struct ms_v0 *v)
{
    uint64_t value = 0;
    if (ms_v0_eat(v, '_'))
        return 0;
    for (;;) {
        char c = ms_v0_take(v);
        uint64_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'z')
            digit = (uint64_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'Z')
            digit = (uint64_t)(c - 'A') + 36;
        else if (c == '_' && value < UINT64_MAX)
            return value + 1;
        else
            break;
        if (value > (UINT64_MAX - digit) / 62)
            break;
        value = value * 62 + digit;
    }
    ms_v0_spoil(v);
    return 0;
}

uint64_t ms_v0_take_tagged(struct ms_v0 *v, char tag)
{
    if (!ms_v0_eat(v, tag))
        return 0;
    uint64_t value = ms_v0_take_base62(v);
    if (value == UINT64_MAX)
        ms_v0_spoil(v);
    return v->bad ? 0 : value + 1;
}

static bool is_ident(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

struct ms_v0_ident ms_v0_take_ident(struct ms_v0 *v)
{
    struct ms_v0_ident ident = {"", 0, ms_v0_eat(v, 'u')};
    size_t n = 0;
    char c = ms_v0_take(v);
    if (c < '0' || c > '9') {
        ms_v0_spoil(v);
        return ident;
    }
    n = (size_t)(c - '0');
    while (c != '0' && ms_v0_peek(v) >= '0' && ms_v0_peek(v) <= '9' && n <= v->n)
        n = n * 10 + (size_t)(ms_v0_take(v) - '0');
    ms_v0_eat(v, '_'); /* keeps the length apart from a name that starts with a digit */
    if (n > v->n - v->next) {
        ms_v0_spoil(v);
        return ident;
    }
    ident.at = v->at + v->next;
    ident.n = n;
    v->next += n;
    for (size_t i = 0; i < n; i++)
        if (!is_ident(ident.at[i]))
            ms_v0_spoil(v);
    return ident;
}

struct ms_v0_ident ms_v0_take_hex(struct ms_v0 *v)
{
    struct ms_v0_ident hex = {v->at + v->next, 0, false};
    while ((ms_v0_peek(v) >= '0' && ms_v0_peek(v) <= '9') ||
           (ms_v0_peek(v) >= 'a' && ms_v0_peek(v) <= 'f')) {
        v->next++;
        hex.n++;
    }
    if (!ms_v0_eat(v, '_'))
        ms_v0_spoil(v);
    return hex;
}

struct ms_v0_ident ms_v0_take_hex_number(struct ms_v0 *v)
{
    struct ms_v0_ident hex = ms_v0_take_hex(v);
    if (!hex.n || (hex.n > 1 && hex.at[0] == '0'))
        ms_v0_spoil(v);
    return hex;
}

unsigned ms_v0_hex_value(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

bool ms_v0_hex_number(struct ms_v0_ident hex, uint64_t *out)
{
    *out = 0;
    for (size_t i = 0; i < hex.n && i < 16; i++)
        *out = *out << 4 | ms_v0_hex_value(hex.at[i]);
    return hex.n <= 16;
}

bool ms_v0_enter(struct ms_v0 *v)
{
    v->depth++;
    if (v->depth > MS_V0_DEPTH || ++v->steps > v->most_steps || v->out->failed)
        ms_v0_spoil(v);
    return !v->bad;
}

void ms_v0_leave(struct ms_v0 *v)
{
    v->depth--;
}

size_t ms_v0_take_back(struct ms_v0 *v)
{
    size_t tag = v->next - 1;
    uint64_t back = ms_v0_take_base62(v);
    if (!v->bad && back >= tag)
        ms_v0_spoil(v);
    return v->bad ? v->n : (size_t)back;
}
