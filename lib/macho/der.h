/**
 * macho/der.h: the tag, length, value of X.690, one element after another. Lengths may be
 * indefinite (BER), as the CMS of code signatures has them.
 */
#ifndef MS_MACHO_DER_H
#define MS_MACHO_DER_H

#include "base/bytes.h"

enum {
    MS_DER_BOOLEAN = 0x01,
    MS_DER_INTEGER = 0x02,
    MS_DER_OCTETS = 0x04,
    MS_DER_OID = 0x06,
    MS_DER_UTF8 = 0x0c,
    MS_DER_UTC_TIME = 0x17,
    MS_DER_TIME = 0x18,
    MS_DER_SEQUENCE = 0x30,
    MS_DER_SET = 0x31
};
/** CONTEXT n, constructed. */
#define MS_DER_CONTEXT(n) (0xa0 + (n))

struct ms_der {
    unsigned tag;       /**< the whole identifier byte; numbers past 30 are refused */
    bool is_indefinite; /**< its length was; `body` has no end-of-contents */
    struct ms_bytes body;
    struct ms_bytes whole; /**< with tag and length */
};

/** What is left to be read; `bad` as in a cursor. */
struct ms_der_reader {
    struct ms_bytes left;
    bool bad;
};

static inline struct ms_der_reader ms_der_over(struct ms_bytes in)
{
    struct ms_der_reader r = {in, false};
    return r;
}

/** The next element. False at the end, and, with `bad`, for one that is malformed or cut off. */
bool ms_der_next(struct ms_der_reader *r, struct ms_der *out);
/** The same if its tag is `tag`; else false, and nothing is read. */
bool ms_der_take(struct ms_der_reader *r, unsigned tag, struct ms_der *out);

#endif
