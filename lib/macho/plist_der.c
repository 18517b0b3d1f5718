/*
 * macho/plist_der.c: property lists in DER, as codesign writes entitlements and launch
 * constraints: APPLICATION 16 { INTEGER version, CONTEXT 16 { SEQUENCE { UTF8String key, value } …
 * } }, and the plain SET of pairs that older signers wrote. An array is a SEQUENCE of values, a
 * dictionary inside is a CONTEXT 16 (or a SET) again.
 */
#include "macho/der.h"
#include "macho/plist_tree.h"

#include <string.h>

enum { TOP = 0x70, DICT = 0xb0 };

struct reader {
    struct ms_plist_builder *b;
    struct ms_bytes in;
};

static uint64_t offset_of(const struct reader *r, const uint8_t *at)
{
    return at ? (uint64_t)(at - r->in.at) : 0;
}

/* The next element of DER; MS_ABSENT at the end. */
static enum ms_status next(const struct reader *r, struct ms_der_reader *from, struct ms_der *out,
                           struct ms_error *err)
{
    const uint8_t *at = from->left.at;
    size_t n = from->left.n;
    if (ms_der_next(from, out) && !out->is_indefinite)
        return MS_OK;
    if (!from->bad && !n)
        return MS_ABSENT;
    return ms_fail(err, MS_E_FORMAT, r->b->where, offset_of(r, at),
                   "a DER element that is malformed or longer than the %zu bytes that remain", n);
}

static bool take_integer(struct ms_bytes body, struct ms_plist *value)
{
    if (!body.n)
        return false;
    bool negative = (body.at[0] & 0x80) != 0;
    uint64_t number = negative ? UINT64_MAX : 0;
    if (body.n > 9 || (body.n == 9 && body.at[0]))
        return false;
    for (size_t i = 0; i < body.n; i++)
        number = number << 8 | body.at[i];
    value->is_negative = negative;
    value->number = negative ? 0 - number : number;
    return true;
}

static enum ms_status read_leaf(const struct reader *r, const struct ms_der *in,
                                struct ms_error *err)
{
    struct ms_plist value;
    memset(&value, 0, sizeof value);
    uint64_t off = offset_of(r, in->whole.at);
    bool good = true;
    switch (in->tag) {
    case MS_DER_BOOLEAN:
        value.kind = MS_PLIST_BOOL;
        good = in->body.n == 1;
        value.boolean = good && in->body.at[0];
        break;
    case MS_DER_INTEGER:
        value.kind = MS_PLIST_INTEGER;
        good = take_integer(in->body, &value);
        break;
    case MS_DER_UTF8:
    case MS_DER_OCTETS:
        value.kind = in->tag == MS_DER_UTF8 ? MS_PLIST_STRING : MS_PLIST_DATA;
        value.text_bytes = in->body.n;
        value.text = ms_arena_copy(&r->b->tree->arena, in->body.n ? (const char *)in->body.at : "",
                                   in->body.n);
        if (!value.text)
            return ms_fail_memory(err);
        break;
    default:
        return ms_fail(err, MS_E_FORMAT, r->b->where, off,
                       "a DER element 0x%02x, which entitlements don't have", in->tag);
    }
    if (!good)
        return ms_fail(err, MS_E_FORMAT, r->b->where, off, "a DER %s of %zu bytes",
                       in->tag == MS_DER_BOOLEAN ? "BOOLEAN" : "INTEGER", in->body.n);
    return ms_plist_add(r->b, &value, off, err);
}

/* SEQUENCE { UTF8String, value }: hands the key over and returns the value. */
static enum ms_status read_pair(const struct reader *r, const struct ms_der *pair,
                                struct ms_der *value, struct ms_error *err)
{
    struct ms_der_reader in = ms_der_over(pair->body);
    struct ms_der key;
    uint64_t off = offset_of(r, pair->whole.at);
    if (pair->tag != MS_DER_SEQUENCE || !ms_der_take(&in, MS_DER_UTF8, &key))
        return ms_fail(err, MS_E_FORMAT, r->b->where, off,
                       "a dictionary's member is no pair of a key and a value");
    enum ms_status status = next(r, &in, value, err);
    if (status == MS_ABSENT || (status == MS_OK && in.left.n))
        return ms_fail(err, MS_E_FORMAT, r->b->where, off, "a pair of %s",
                       status == MS_ABSENT ? "a key alone" : "more than two elements");
    if (status != MS_OK)
        return status;
    const char *copy =
        ms_arena_copy(&r->b->tree->arena, key.body.n ? (const char *)key.body.at : "", key.body.n);
    if (!copy)
        return ms_fail_memory(err);
    return ms_plist_key(r->b, copy, key.body.n, offset_of(r, key.whole.at), err);
}

/* Adds the value; a container's contents are put into *inside. */
static enum ms_status read_value(const struct reader *r, const struct ms_der *in,
                                 struct ms_der_reader *inside, bool *is_container,
                                 struct ms_error *err)
{
    struct ms_plist value;
    *is_container = in->tag == DICT || in->tag == MS_DER_SET || in->tag == MS_DER_SEQUENCE;
    if (!*is_container)
        return read_leaf(r, in, err);
    memset(&value, 0, sizeof value);
    value.kind = in->tag == MS_DER_SEQUENCE ? MS_PLIST_ARRAY : MS_PLIST_DICT;
    *inside = ms_der_over(in->body);
    return ms_plist_add(r->b, &value, offset_of(r, in->whole.at), err);
}

/* The outermost element: what is inside of APPLICATION 16, or a SET itself. */
static enum ms_status read_top(const struct reader *r, struct ms_der *out, struct ms_error *err)
{
    struct ms_der_reader all = ms_der_over(r->in);
    struct ms_der version;
    enum ms_status status = next(r, &all, out, err);
    if (status == MS_ABSENT)
        return ms_fail(err, MS_E_FORMAT, r->b->where, 0, "no DER element");
    if (status != MS_OK)
        return status;
    if (out->tag == MS_DER_SET)
        return MS_OK;
    uint64_t off = offset_of(r, out->whole.at);
    if (out->tag != TOP)
        return ms_fail(err, MS_E_FORMAT, r->b->where, off,
                       "a DER element 0x%02x, expected 0x70 or 0x31", out->tag);
    struct ms_der_reader in = ms_der_over(out->body);
    if (!ms_der_take(&in, MS_DER_INTEGER, &version) || version.body.n != 1)
        return ms_fail(err, MS_E_FORMAT, r->b->where, off, "no version where one is expected");
    if (version.body.at[0] > 1)
        return ms_fail(err, MS_E_UNSUPPORTED, r->b->where, off, "DER of version %u, 1 is known",
                       (unsigned)version.body.at[0]);
    status = next(r, &in, out, err);
    if (status == MS_ABSENT || (status == MS_OK && out->tag != DICT))
        return ms_fail(err, MS_E_FORMAT, r->b->where, off, "no dictionary behind the version");
    return status;
}

enum ms_status ms_plist_read_der(struct ms_plist_builder *b, struct ms_bytes in,
                                 struct ms_error *err)
{
    struct reader r = {b, in};
    struct ms_der_reader levels[MS_PLIST_MAX_DEPTH + 1];
    uint64_t offs[MS_PLIST_MAX_DEPTH + 1];
    struct ms_der element;
    bool is_container = false;
    enum ms_status status = read_top(&r, &element, err);
    if (status == MS_OK) {
        offs[0] = offset_of(&r, element.whole.at);
        status = read_value(&r, &element, &levels[0], &is_container, err);
    }
    unsigned depth = status == MS_OK && is_container;
    while (status == MS_OK && depth) {
        status = next(&r, &levels[depth - 1], &element, err);
        if (status == MS_ABSENT) {
            depth--;
            status = ms_plist_leave(b, offs[depth], err);
            continue;
        }
        struct ms_der value = element;
        if (status == MS_OK && ms_plist_wants_key(b))
            status = read_pair(&r, &element, &value, err);
        if (status != MS_OK)
            break;
        offs[depth] = offset_of(&r, value.whole.at);
        status = read_value(&r, &value, &levels[depth], &is_container, err);
        depth += status == MS_OK && is_container;
    }
    return status;
}
