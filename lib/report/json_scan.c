#include "report/json_scan.h"

#include "base/limits.h"

#include <string.h>

/* ---- characters ------------------------------------------------------------------------ */

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* What ends a number, a literal or whatever stands in their place. */
static bool ends_scalar(uint8_t c)
{
    switch (c) {
    case ',':
    case ':':
    case ']':
    case '}':
    case '[':
    case '{':
    case '"':
        return true;
    }
    return is_space(c);
}

size_t ms_json_space(struct ms_bytes in, size_t at, size_t end)
{
    while (at < end && is_space(in.at[at]))
        at++;
    return at;
}

/* Bytes that a walk over a value must stop at: these two loops take half of all time. */
static const uint8_t in_string[256] = {['"'] = 1, ['\\'] = 1};
static const uint8_t in_container[256] = {['"'] = 1, ['['] = 1, [']'] = 1, ['{'] = 1, ['}'] = 1};

/* The byte after the string that starts at `at`, or `end` with *cut set. */
static size_t string_end(struct ms_bytes in, size_t at, size_t end, bool *cut)
{
    at++;
    while (at < end) {
        uint8_t c = in.at[at];
        if (!in_string[c])
            at++;
        else if (c == '"')
            return at + 1;
        else
            at += 2;
    }
    *cut = true;
    return end;
}

static size_t scalar_end(struct ms_bytes in, size_t at, size_t end)
{
    while (at < end && !ends_scalar(in.at[at]))
        at++;
    return at;
}

static size_t count_digits(const uint8_t *at, size_t n)
{
    size_t i = 0;
    while (i < n && at[i] >= '0' && at[i] <= '9')
        i++;
    return i;
}

/* RFC 8259 §6 */
static bool is_number(const uint8_t *at, size_t n)
{
    size_t i = n && at[0] == '-';
    size_t digits = count_digits(at + i, n - i);
    if (digits == 0 || (digits > 1 && at[i] == '0'))
        return false;
    i += digits;
    if (i < n && at[i] == '.') {
        i++;
        digits = count_digits(at + i, n - i);
        if (digits == 0)
            return false;
        i += digits;
    }
    if (i < n && (at[i] == 'e' || at[i] == 'E')) {
        i++;
        if (i < n && (at[i] == '+' || at[i] == '-'))
            i++;
        digits = count_digits(at + i, n - i);
        if (digits == 0)
            return false;
        i += digits;
    }
    return i == n;
}

static bool is_literal(const uint8_t *at, size_t n, const char *literal)
{
    return n == strlen(literal) && memcmp(at, literal, n) == 0;
}

static enum ms_json_kind scalar_kind(const uint8_t *at, size_t n)
{
    if (is_number(at, n))
        return MS_JSON_NUMBER;
    if (is_literal(at, n, "true"))
        return MS_JSON_TRUE;
    if (is_literal(at, n, "false"))
        return MS_JSON_FALSE;
    return is_literal(at, n, "null") ? MS_JSON_NULL : MS_JSON_BAD;
}

/* ---- measuring ------------------------------------------------------------------------- */

/* What the grammar allows next. */
enum expect { A_VALUE, A_VALUE_OR_END, A_KEY, A_KEY_OR_END, A_COLON, A_COMMA_OR_END };

struct measure {
    struct ms_bytes in;
    size_t at, end;
    ms_json_stop *stop;
    void *context;
    bool stopped;
    enum expect expect;
    size_t depth;
    uint8_t is_object[MS_MAX_JSON_DEPTH / 8 + 1]; /* a bit a level */
    struct ms_json_document *out;
};

static void fault(struct measure *m, size_t off, const char *text)
{
    if (m->out->fault)
        return;
    m->out->fault = text;
    m->out->fault_off = off;
}

/* After a line end at m->at - 1: does something else begin here? */
static bool line_stops(struct measure *m)
{
    if (!m->stop || m->at >= m->end || m->in.at[m->at] != '{')
        return false;
    m->stopped = m->stop(m->context, m->at);
    return m->stopped;
}

static bool in_object(const struct measure *m)
{
    return m->depth && m->is_object[(m->depth - 1) / 8] >> (m->depth - 1) % 8 & 1;
}

static bool wants_value(const struct measure *m)
{
    return m->expect == A_VALUE || m->expect == A_VALUE_OR_END;
}

/* The four digits of a \u escape at `at`. */
static bool is_hex4(struct ms_bytes in, size_t at, size_t end)
{
    if (end - at < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        uint8_t c = in.at[at + i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F')))
            return false;
    }
    return true;
}

static void measure_escape(struct measure *m)
{
    uint8_t c = m->at + 1 < m->end ? m->in.at[m->at + 1] : 0;
    if (c == 'u' ? !is_hex4(m->in, m->at + 2, m->end) : !c || !strchr("\"\\/bfnrt", c))
        fault(m, m->at, "an escape that JSON doesn't have");
    m->at += m->at + 1 < m->end ? 2 : 1;
}

/* Leaves m->at after the string, or at the end. */
static void measure_string(struct measure *m)
{
    if (m->expect == A_KEY || m->expect == A_KEY_OR_END)
        m->expect = A_COLON;
    else {
        if (!wants_value(m))
            fault(m, m->at, "a string where a comma, a colon or a bracket should stand");
        m->expect = A_COMMA_OR_END;
    }
    m->at++;
    while (m->at < m->end) {
        uint8_t c = m->in.at[m->at];
        if (c == '"') {
            m->at++;
            return;
        }
        if (c == '\\') {
            measure_escape(m);
            continue;
        }
        if (c < 0x20)
            fault(m, m->at, "a control character in a string");
        m->at++;
        if (c == '\n' && line_stops(m))
            return;
    }
}

static void measure_scalar(struct measure *m)
{
    size_t start = m->at;
    m->at = scalar_end(m->in, start, m->end);
    if (!wants_value(m))
        fault(m, start,
              m->expect == A_COLON          ? "a colon is missing"
              : m->expect == A_COMMA_OR_END ? "a comma is missing"
                                            : "a key without quotes");
    else if (scalar_kind(m->in.at + start, m->at - start) == MS_JSON_BAD)
        fault(m, start, "a word that is no JSON value");
    m->expect = m->expect == A_KEY || m->expect == A_KEY_OR_END ? A_COLON : A_COMMA_OR_END;
}

static bool measure_open(struct measure *m, bool object)
{
    if (m->depth == MS_MAX_JSON_DEPTH) {
        m->out->ending = MS_JSON_DEEP;
        fault(m, m->at, "nested too deep");
        return false;
    }
    if (!wants_value(m))
        fault(m, m->at, "a bracket where no value can stand");
    uint8_t bit = (uint8_t)(1u << m->depth % 8);
    uint8_t *byte = &m->is_object[m->depth / 8];
    *byte = (uint8_t)(object ? *byte | bit : *byte & ~bit);
    m->depth++;
    m->expect = object ? A_KEY_OR_END : A_VALUE_OR_END;
    m->at++;
    return true;
}

/* False at the end of the document, whole or broken. */
static bool measure_close(struct measure *m, bool object)
{
    if (in_object(m) != object) {
        m->out->ending = MS_JSON_BROKEN;
        fault(m, m->at, object ? "'}' closes an array" : "']' closes an object");
        return false;
    }
    if (m->expect == A_COLON || m->expect == A_VALUE || m->expect == A_KEY)
        fault(m, m->at, "a value is missing");
    m->at++;
    m->depth--;
    m->expect = A_COMMA_OR_END;
    if (m->depth == 0)
        m->out->ending = MS_JSON_WHOLE;
    return m->depth != 0;
}

static void measure_mark(struct measure *m, uint8_t c)
{
    if (c == ',') {
        if (m->expect != A_COMMA_OR_END)
            fault(m, m->at, "a comma where a value should stand");
        m->expect = in_object(m) ? A_KEY : A_VALUE;
    } else {
        if (m->expect != A_COLON)
            fault(m, m->at, "a colon where none can stand");
        m->expect = A_VALUE;
    }
    m->at++;
}

/* One token. False when the document has ended. */
static bool measure_token(struct measure *m)
{
    uint8_t c = m->in.at[m->at];
    switch (c) {
    case '\n':
        m->at++;
        return !line_stops(m);
    case ' ':
    case '\t':
    case '\r':
        m->at++;
        return true;
    case '"':
        measure_string(m);
        return !m->stopped;
    case '{':
    case '[':
        return measure_open(m, c == '{');
    case '}':
    case ']':
        return measure_close(m, c == '}');
    case ',':
    case ':':
        measure_mark(m, c);
        return true;
    }
    measure_scalar(m);
    return true;
}

void ms_json_measure(struct ms_bytes in, size_t off, size_t end, ms_json_stop *stop, void *context,
                     struct ms_json_document *out)
{
    struct measure m = {.in = in, .at = off, .end = end < in.n ? end : in.n, .out = out};
    memset(out, 0, sizeof *out);
    m.stop = stop;
    m.context = context;
    m.expect = A_VALUE;
    out->ending = MS_JSON_CUT;
    out->value.off = off;
    if (off >= m.end || (in.at[off] != '{' && in.at[off] != '[')) {
        fault(&m, off, "neither '{' nor '['");
        return;
    }
    out->value.kind = in.at[off] == '{' ? MS_JSON_OBJECT : MS_JSON_ARRAY;
    while (m.at < m.end && measure_token(&m))
        ;
    out->value.n = m.at - off;
    out->value.cut = out->ending != MS_JSON_WHOLE;
    if (out->ending == MS_JSON_CUT)
        fault(&m, m.at, "it ends in the middle");
}

/* ---- walking --------------------------------------------------------------------------- */

/* The byte after the array or object at `at`. Brackets match here: measuring has seen to it,
 * and has cut off what doesn't. */
static size_t container_end(struct ms_bytes in, size_t at, size_t end, bool *cut)
{
    size_t depth = 0;
    while (at < end) {
        uint8_t c = in.at[at];
        if (!in_container[c]) {
            at++;
            continue;
        }
        if (c == '"') {
            at = string_end(in, at, end, cut);
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if (--depth == 0)
            return at + 1;
        at++;
    }
    *cut = true;
    return end;
}

/* The value at `at`; a string or scalar that reaches the cut is bad, for more may have
 * followed: half a number is another number. */
static struct ms_json_value value_at(const struct ms_json_iter *iter, size_t at)
{
    struct ms_json_value value = {MS_JSON_BAD, false, at, 0};
    uint8_t c = iter->in.at[at];
    size_t end;
    if (c == '{' || c == '[') {
        value.kind = c == '{' ? MS_JSON_OBJECT : MS_JSON_ARRAY;
        end = container_end(iter->in, at, iter->end, &value.cut);
    } else if (c == '"') {
        bool cut = false;
        end = string_end(iter->in, at, iter->end, &cut);
        value.kind = cut ? MS_JSON_BAD : MS_JSON_STRING;
    } else {
        end = scalar_end(iter->in, at, iter->end);
        if (end < iter->end || !iter->cut)
            value.kind = scalar_kind(iter->in.at + at, end - at);
    }
    value.n = end - at;
    return value;
}

void ms_json_iter_open(struct ms_json_iter *iter, struct ms_bytes in,
                       struct ms_json_value container)
{
    memset(iter, 0, sizeof *iter);
    iter->in = in;
    if (container.kind != MS_JSON_OBJECT && container.kind != MS_JSON_ARRAY)
        return;
    iter->object = container.kind == MS_JSON_OBJECT;
    iter->cut = container.cut;
    iter->at = container.off + 1;
    iter->end = container.off + container.n - (container.cut ? 0 : 1);
}

static bool stop_damaged(struct ms_json_iter *iter)
{
    iter->damaged = true;
    iter->at = iter->end;
    return false;
}

/* After a value: steps over its comma, or finds that the walk ends here. */
static void step_on(struct ms_json_iter *iter)
{
    iter->at = ms_json_space(iter->in, iter->at, iter->end);
    if (iter->at >= iter->end)
        return;
    if (iter->in.at[iter->at] == ',')
        iter->at++;
    else
        stop_damaged(iter);
}

bool ms_json_iter_next(struct ms_json_iter *iter, struct ms_json_member *out)
{
    memset(out, 0, sizeof *out);
    size_t at = ms_json_space(iter->in, iter->at, iter->end);
    if (at >= iter->end)
        return false;
    if (iter->object) {
        bool cut = false;
        if (iter->in.at[at] != '"')
            return stop_damaged(iter);
        size_t after = string_end(iter->in, at, iter->end, &cut);
        out->key = (struct ms_json_value){MS_JSON_STRING, false, at, after - at};
        at = ms_json_space(iter->in, after, iter->end);
        if (cut || at >= iter->end || iter->in.at[at] != ':')
            return stop_damaged(iter);
        at = ms_json_space(iter->in, at + 1, iter->end);
        if (at >= iter->end)
            return stop_damaged(iter);
    }
    out->value = value_at(iter, at);
    if (out->value.n == 0)
        return stop_damaged(iter);
    iter->at = at + out->value.n;
    step_on(iter);
    return true;
}

/* The place of a key among names in strcmp order, or n_names. */
static size_t find_name(struct ms_bytes in, struct ms_json_value key, const char *const *names,
                        size_t n_names)
{
    char room[MS_JSON_NAME_ROOM];
    size_t n = ms_json_unescape_to(room, sizeof room, in, key.off + 1, key.n - 2);
    size_t low = 0, high = n_names;
    if (n == sizeof room || memchr(room, 0, n))
        return n_names;
    room[n] = 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(room, names[middle]);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return n_names;
}

void ms_json_pick(struct ms_bytes in, struct ms_json_value object, const char *const *names,
                  size_t n_names, struct ms_json_value *out)
{
    struct ms_json_iter iter;
    struct ms_json_member member;
    memset(out, 0, n_names * sizeof *out);
    if (object.kind != MS_JSON_OBJECT)
        return;
    ms_json_iter_open(&iter, in, object);
    while (ms_json_iter_next(&iter, &member)) {
        size_t i = find_name(in, member.key, names, n_names);
        if (i < n_names)
            out[i] = member.value;
    }
}

struct ms_json_value ms_json_get(struct ms_bytes in, struct ms_json_value object, const char *name)
{
    struct ms_json_value value;
    ms_json_pick(in, object, &name, 1, &value);
    return value;
}
