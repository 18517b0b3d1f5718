/*
 * macho/codesign_cms.c: who signed, out of the CMS of a signature (RFC 5652): names from the
 * certificates (RFC 5280), the signer's clock, and the time of a time stamp (RFC 3161). Nothing
 * is verified. Lengths are often indefinite, as Apple's encoder streams.
 */
#include "macho/codesign.h"

#include "macho/der.h"

#include <stdio.h>
#include <string.h>

#define OID(name, ...) static const uint8_t name[] = {__VA_ARGS__}
OID(OID_COMMON_NAME, 0x55, 4, 3);
OID(OID_ORGANIZATION, 0x55, 4, 10);
OID(OID_UNIT, 0x55, 4, 11);
OID(OID_DIGEST, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4);
OID(OID_TIME, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 5);
OID(OID_TIMESTAMP, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 2, 14);

static bool is(struct ms_bytes oid, const uint8_t *known, size_t n)
{
    return oid.n == n && memcmp(oid.at, known, n) == 0;
}
#define IS(oid, known) is(oid, known, sizeof known)

static bool same(struct ms_bytes a, struct ms_bytes b)
{
    return a.n == b.n && (!a.n || memcmp(a.at, b.at, a.n) == 0);
}

struct certificate {
    struct ms_bytes serial, issuer, subject; /* the names with tag and length */
};

/* The parts of a SignedData. */
struct signed_data {
    struct ms_bytes content; /* of the encapsulated content, an OCTET STRING; mostly empty */
    struct ms_bytes certificates, signers;
};

/* SEQUENCE { OID, [0] { SEQUENCE … } } */
static bool open_cms(struct ms_bytes in, struct signed_data *out)
{
    struct ms_der_reader r = ms_der_over(in);
    struct ms_der e, content;
    memset(out, 0, sizeof *out);
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    r = ms_der_over(e.body);
    if (!ms_der_take(&r, MS_DER_OID, &e) || !ms_der_take(&r, MS_DER_CONTEXT(0), &e))
        return false;
    r = ms_der_over(e.body);
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    r = ms_der_over(e.body);
    if (!ms_der_take(&r, MS_DER_INTEGER, &e) || !ms_der_take(&r, MS_DER_SET, &e) ||
        !ms_der_take(&r, MS_DER_SEQUENCE, &content))
        return false;
    if (ms_der_take(&r, MS_DER_CONTEXT(0), &e))
        out->certificates = e.body;
    (void)ms_der_take(&r, MS_DER_CONTEXT(1), &e);
    if (!ms_der_take(&r, MS_DER_SET, &e))
        return false;
    out->signers = e.body;
    r = ms_der_over(content.body);
    if (ms_der_take(&r, MS_DER_OID, &e) && ms_der_take(&r, MS_DER_CONTEXT(0), &e)) {
        r = ms_der_over(e.body);
        if (ms_der_take(&r, MS_DER_OCTETS, &e))
            out->content = e.body;
    }
    return true;
}

/* ---- certificates --------------------------------------------------------------------------- */

static bool read_certificate(struct ms_bytes body, struct certificate *out)
{
    struct ms_der_reader r = ms_der_over(body);
    struct ms_der e;
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    r = ms_der_over(e.body);
    (void)ms_der_take(&r, MS_DER_CONTEXT(0), &e); /* version */
    if (!ms_der_take(&r, MS_DER_INTEGER, &e))
        return false;
    out->serial = e.body;
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e) || !ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    out->issuer = e.whole;
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e) || !ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    out->subject = e.whole;
    return true;
}

static size_t read_certificates(struct ms_bytes in, struct certificate *out)
{
    struct ms_der_reader r = ms_der_over(in);
    struct ms_der e;
    size_t n = 0;
    while (n < MS_CS_MAX_CERTIFICATES && ms_der_next(&r, &e))
        if (e.tag == MS_DER_SEQUENCE && read_certificate(e.body, &out[n]))
            n++;
    return n;
}

/* The first attribute of that kind in a Name, as UTF-8; NULL when there is none. */
static const char *name_part(struct ms_cs_work *w, struct ms_bytes name, const uint8_t *oid,
                             size_t oid_bytes)
{
    enum { BMP_STRING = 0x1e, UNIVERSAL_STRING = 0x1c };
    struct ms_der_reader names = ms_der_over(name), sets;
    struct ms_der e, set;
    if (!ms_der_take(&names, MS_DER_SEQUENCE, &e))
        return NULL;
    sets = ms_der_over(e.body);
    while (ms_der_next(&sets, &set)) {
        struct ms_der_reader pairs = ms_der_over(set.body);
        while (ms_der_next(&pairs, &e)) {
            struct ms_der_reader pair = ms_der_over(e.body);
            struct ms_der key, value;
            if (ms_der_take(&pair, MS_DER_OID, &key) && ms_der_next(&pair, &value) &&
                is(key.body, oid, oid_bytes) && value.tag != BMP_STRING &&
                value.tag != UNIVERSAL_STRING && value.body.n)
                return ms_arena_copy(&w->arena, (const char *)value.body.at, value.body.n);
        }
    }
    return NULL;
}
#define NAME_PART(w, name, oid) name_part(w, name, oid, sizeof oid)

/* From the signer up to the root, by the names of issuers: certificates lie in any order. */
static enum ms_status read_chain(struct ms_cs_work *w, const struct certificate *all, size_t n,
                                 size_t leaf, struct ms_error *err)
{
    struct ms_cs_signer *signer = &w->sign.signer;
    const char **names = ms_arena_zeroed(&w->arena, n + 1, sizeof *names);
    if (!names)
        return ms_fail_memory(err);
    signer->authorities = names;
    signer->organization = NAME_PART(w, all[leaf].subject, OID_ORGANIZATION);
    signer->unit = NAME_PART(w, all[leaf].subject, OID_UNIT);
    size_t at = leaf;
    while (at < n && signer->n_authorities < n) {
        const char *name = NAME_PART(w, all[at].subject, OID_COMMON_NAME);
        names[signer->n_authorities++] = name ? name : "(unnamed)";
        if (same(all[at].issuer, all[at].subject))
            break;
        size_t up = 0;
        while (up < n && !same(all[up].subject, all[at].issuer))
            up++;
        at = up;
    }
    return MS_OK;
}

/* ---- times ---------------------------------------------------------------------------------- */

/* UTCTime YYMMDDhhmmssZ or GeneralizedTime YYYYMMDDhhmmss[.f]Z, as 2024-05-01T10:13:30Z. */
static const char *read_time(struct ms_cs_work *w, const struct ms_der *e)
{
    char text[32], digits[15];
    size_t n = e->tag == MS_DER_UTC_TIME ? 12 : 14, skip = 14 - n;
    if ((e->tag != MS_DER_UTC_TIME && e->tag != MS_DER_TIME) || e->body.n <= n ||
        e->body.at[e->body.n - 1] != 'Z')
        return NULL;
    for (size_t i = 0; i < n; i++) {
        digits[skip + i] = (char)e->body.at[i];
        if (e->body.at[i] < '0' || e->body.at[i] > '9')
            return NULL;
    }
    digits[14] = 0;
    if (skip)
        memcpy(digits, digits[2] >= '5' ? "19" : "20", 2);
    snprintf(text, sizeof text, "%.4s-%.2s-%.2sT%.2s:%.2s:%.2sZ", digits, digits + 4, digits + 6,
             digits + 8, digits + 10, digits + 12);
    return ms_arena_copy(&w->arena, text, strlen(text));
}

/* TSTInfo: version, policy, imprint, serial, genTime. */
static const char *read_timestamp(struct ms_cs_work *w, struct ms_bytes token)
{
    struct signed_data cms;
    struct ms_der e;
    if (!open_cms(token, &cms))
        return NULL;
    struct ms_der_reader r = ms_der_over(cms.content);
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return NULL;
    r = ms_der_over(e.body);
    for (int i = 0; i < 5; i++)
        if (!ms_der_next(&r, &e))
            return NULL;
    return read_time(w, &e);
}

/* ---- the signer ----------------------------------------------------------------------------- */

/* SET or [0] of SEQUENCE { OID, SET { value } } */
static void read_attributes(struct ms_cs_work *w, struct ms_bytes in)
{
    struct ms_cs_signer *signer = &w->sign.signer;
    struct ms_der_reader all = ms_der_over(in);
    struct ms_der e, key, values, value;
    while (ms_der_next(&all, &e)) {
        struct ms_der_reader r = ms_der_over(e.body);
        if (!ms_der_take(&r, MS_DER_OID, &key) || !ms_der_take(&r, MS_DER_SET, &values))
            continue;
        r = ms_der_over(values.body);
        if (!ms_der_next(&r, &value))
            continue;
        if (IS(key.body, OID_TIME) && !signer->time)
            signer->time = read_time(w, &value);
        else if (IS(key.body, OID_DIGEST) && value.tag == MS_DER_OCTETS)
            signer->digest = value.body;
        else if (IS(key.body, OID_TIMESTAMP) && !signer->timestamp)
            signer->timestamp = read_timestamp(w, value.whole);
    }
}

/* SignerInfo: version, who, digest algorithm, [0] attributes, algorithm, signature, [1] more. */
static bool read_signer(struct ms_cs_work *w, struct ms_bytes in, struct ms_bytes *issuer,
                        struct ms_bytes *serial)
{
    struct ms_der_reader r = ms_der_over(in);
    struct ms_der e, who, number;
    if (!ms_der_take(&r, MS_DER_SEQUENCE, &e))
        return false;
    r = ms_der_over(e.body);
    if (!ms_der_take(&r, MS_DER_INTEGER, &e) || !ms_der_next(&r, &who))
        return false;
    if (who.tag == MS_DER_SEQUENCE) {
        struct ms_der_reader name = ms_der_over(who.body);
        if (!ms_der_take(&name, MS_DER_SEQUENCE, &e) ||
            !ms_der_take(&name, MS_DER_INTEGER, &number))
            return false;
        *issuer = e.whole;
        *serial = number.body;
    }
    if (!ms_der_next(&r, &e))
        return false;
    if (ms_der_take(&r, MS_DER_CONTEXT(0), &e))
        read_attributes(w, e.body);
    if (!ms_der_next(&r, &e) || !ms_der_next(&r, &e))
        return false;
    if (ms_der_take(&r, MS_DER_CONTEXT(1), &e))
        read_attributes(w, e.body);
    return true;
}

enum ms_status ms_cs_read_cms(struct ms_cs_work *w, uint64_t off, struct ms_error *err)
{
    struct certificate all[MS_CS_MAX_CERTIFICATES];
    struct ms_bytes issuer = {NULL, 0}, serial = {NULL, 0};
    struct signed_data cms;
    if (!open_cms(w->sign.cms, &cms)) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, off,
                      "the CMS signature of %zu bytes is no SignedData, or is cut off",
                      w->sign.cms.n);
        return MS_OK;
    }
    size_t n = read_certificates(cms.certificates, all);
    w->sign.signer.n_certificates = n;
    if (!read_signer(w, cms.signers, &issuer, &serial))
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, off,
                      "the CMS signature has no signer that can be read");
    size_t leaf = 0;
    while (leaf < n && !(same(all[leaf].issuer, issuer) && same(all[leaf].serial, serial)))
        leaf++;
    return leaf < n ? read_chain(w, all, n, leaf, err) : MS_OK;
}
