/* macho/der.c: elements of X.690. */
#include "macho/der.h"

enum { MAX_INDEFINITE = 32 /* lengths within each other; CMS: 8 */ };

struct head {
    unsigned tag;
    bool is_indefinite;
    size_t head_bytes;
    uint64_t body_bytes;
};

static bool read_head(struct ms_bytes in, struct head *out)
{
    if (in.n < 2 || (in.at[0] & 0x1f) == 0x1f)
        return false;
    out->tag = in.at[0];
    out->is_indefinite = in.at[1] == 0x80;
    out->head_bytes = 2;
    out->body_bytes = in.at[1];
    if (out->is_indefinite) {
        out->body_bytes = 0;
        return (in.at[0] & 0x20) != 0; /* only what is made of elements can end with one */
    }
    if (in.at[1] < 0x80)
        return true;
    size_t n = in.at[1] & 0x7f;
    if (n > 8 || n > in.n - 2)
        return false;
    out->body_bytes = 0;
    for (size_t i = 0; i < n; i++)
        out->body_bytes = out->body_bytes << 8 | in.at[2 + i];
    out->head_bytes += n;
    return true;
}

/* Where the end-of-contents of an indefinite element is whose contents start at `at`. */
static bool find_end(struct ms_bytes in, size_t at, size_t *end)
{
    struct head head;
    struct ms_bytes rest;
    unsigned depth = 0;
    while (ms_bytes_from(in, at, &rest) && read_head(rest, &head)) {
        if (head.tag == 0 && head.body_bytes == 0) {
            if (!depth--) {
                *end = at;
                return true;
            }
        } else if (head.is_indefinite && ++depth > MAX_INDEFINITE) {
            return false;
        }
        if (head.body_bytes > rest.n - head.head_bytes)
            return false;
        at += head.head_bytes + (size_t)head.body_bytes;
    }
    return false;
}

bool ms_der_next(struct ms_der_reader *r, struct ms_der *out)
{
    struct head head;
    size_t end;
    if (r->bad || !r->left.n)
        return false;
    r->bad = true;
    if (!read_head(r->left, &head))
        return false;
    size_t after = 0;
    if (head.is_indefinite) {
        if (!find_end(r->left, head.head_bytes, &end))
            return false;
        after = 2;
    } else {
        if (head.body_bytes > r->left.n - head.head_bytes)
            return false;
        end = head.head_bytes + (size_t)head.body_bytes;
    }
    out->tag = head.tag;
    out->is_indefinite = head.is_indefinite;
    (void)ms_bytes_part(r->left, head.head_bytes, end - head.head_bytes, &out->body);
    (void)ms_bytes_part(r->left, 0, end + after, &out->whole);
    (void)ms_bytes_from(r->left, end + after, &r->left);
    r->bad = false;
    return true;
}

bool ms_der_take(struct ms_der_reader *r, unsigned tag, struct ms_der *out)
{
    if (r->bad || !r->left.n || r->left.at[0] != tag)
        return false;
    return ms_der_next(r, out);
}
