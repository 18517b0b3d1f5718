/*
 * macho/codesign_directory.c: the code directory: a header that grew with its version, the
 * identifier and the team, and the hashes of special slots (counted backwards) and of pages.
 */
#include "macho/codesign.h"

#include "base/sha.h"

#include <inttypes.h>
#include <string.h>

enum {
    FIXED_BYTES = 44, /* of version 0x20001 */
    MAX_PAGE_SHIFT = 30,
    SCATTER = 0x20100,
    TEAM = 0x20200,
    LIMIT_64 = 0x20300,
    EXEC_SEGMENT = 0x20400,
    RUNTIME = 0x20500
};

unsigned ms_cs_hash(uint8_t type, struct ms_bytes in, uint8_t out[48])
{
    switch (type) {
    case MS_CSHASH_SHA1:
        ms_sha1(in, out);
        return MS_SHA1_BYTES;
    case MS_CSHASH_SHA256:
    case MS_CSHASH_SHA256_20:
        ms_sha256(in, out);
        return MS_SHA256_BYTES;
    case MS_CSHASH_SHA384:
        ms_sha384(in, out);
        return MS_SHA384_BYTES;
    }
    return 0;
}

const char *ms_codesign_hash_name(uint8_t type)
{
    static const char *const names[] = {NULL, "sha1", "sha256", "sha256-truncated", "sha384"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

/* Bytes of one hash in the list; 0 for an unknown type. */
static unsigned hash_bytes(uint8_t type)
{
    static const uint8_t bytes[] = {0, 20, 32, 20, 48};
    return type < sizeof bytes ? bytes[type] : 0;
}

/* ---- the header ----------------------------------------------------------------------------- */

struct header {
    uint32_t ident_off, team_off, scatter_off;
};

static void read_header(struct ms_cursor *c, struct ms_code_directory *out, struct header *head)
{
    ms_cursor_skip(c, 8);
    out->version = ms_cursor_u32(c);
    out->flags = ms_cursor_u32(c);
    out->hash_off = ms_cursor_u32(c);
    head->ident_off = ms_cursor_u32(c);
    out->n_special = ms_cursor_u32(c);
    out->n_code = ms_cursor_u32(c);
    out->code_limit = ms_cursor_u32(c);
    out->hash_bytes = ms_cursor_u8(c);
    out->hash_type = ms_cursor_u8(c);
    out->platform = ms_cursor_u8(c);
    out->page_shift = ms_cursor_u8(c);
    ms_cursor_skip(c, 4);
    if (out->version >= SCATTER)
        head->scatter_off = ms_cursor_u32(c);
    if (out->version >= TEAM)
        head->team_off = ms_cursor_u32(c);
    if (out->version >= LIMIT_64) {
        ms_cursor_skip(c, 4);
        uint64_t limit = ms_cursor_u64(c);
        if (limit)
            out->code_limit = limit;
    }
    out->has_exec_segment = out->version >= EXEC_SEGMENT;
    if (out->has_exec_segment) {
        out->exec_base = ms_cursor_u64(c);
        out->exec_limit = ms_cursor_u64(c);
        out->exec_flags = ms_cursor_u64(c);
    }
    out->has_runtime = out->version >= RUNTIME;
    if (out->has_runtime)
        out->runtime = ms_cursor_u32(c);
    out->has_scatter = head->scatter_off != 0;
}

/* The string at `off`, or NULL and a fault. */
static const char *read_string(struct ms_cs_work *w, const struct ms_code_directory *directory,
                               uint32_t off, size_t head_bytes, uint64_t field_off,
                               const char *what)
{
    const char *text = off >= head_bytes ? ms_bytes_string(directory->bytes, off, NULL) : NULL;
    if (!text)
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, directory->off + field_off,
                      "the code directory's %s at 0x%x is not inside of its %zu bytes", what,
                      (unsigned)off, directory->bytes.n);
    return text;
}

/* ---- the hashes ----------------------------------------------------------------------------- */

/* A list that doesn't lie inside is emptied, so that nobody reads it. */
static void check_list(struct ms_cs_work *w, struct ms_code_directory *d, size_t head_bytes)
{
    unsigned bytes = hash_bytes(d->hash_type);
    uint64_t special = (uint64_t)d->n_special * d->hash_bytes;
    uint64_t code = (uint64_t)d->n_code * d->hash_bytes;
    struct ms_bytes part;
    if (!bytes || bytes != d->hash_bytes) {
        (void)ms_fail(ms_cs_fault(w), MS_E_UNSUPPORTED, w->where, d->off + 36,
                      "hashes of kind %u with %u bytes, expected 1 to 4 with 20, 32, 20, 48",
                      d->hash_type, d->hash_bytes);
    } else if (special > d->hash_off || d->hash_off - special < head_bytes ||
               !ms_bytes_part(d->bytes, d->hash_off, code, &part)) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, d->off + 16,
                      "%u special and %u code hashes of %u bytes around 0x%x do not lie inside of "
                      "the code directory's %zu bytes",
                      (unsigned)d->n_special, (unsigned)d->n_code, d->hash_bytes,
                      (unsigned)d->hash_off, d->bytes.n);
    } else {
        return;
    }
    d->n_special = d->n_code = 0;
}

/* Only where page_shift is at most MAX_PAGE_SHIFT. */
static uint64_t page_bytes(const struct ms_code_directory *d)
{
    return d->page_shift ? (uint64_t)1 << d->page_shift : d->code_limit;
}

static void check_pages(struct ms_cs_work *w, const struct ms_code_directory *d)
{
    if (d->code_limit > w->macho->bytes.n)
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, d->off + 32,
                      "the code hashes cover 0x%" PRIx64 " bytes, the file has 0x%zx",
                      d->code_limit, w->macho->bytes.n);
    else if (d->code_limit > w->sign.off)
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, d->off + 32,
                      "the code hashes cover 0x%" PRIx64
                      " bytes, the signature itself starts at 0x%" PRIx64,
                      d->code_limit, w->sign.off);
    if (d->page_shift > MAX_PAGE_SHIFT) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, d->off + 39, "pages of 2^%u bytes",
                      d->page_shift);
        return;
    }
    if (d->has_scatter)
        return; /* its own list says which pages there are */
    uint64_t page = page_bytes(d);
    uint64_t need = d->code_limit ? (d->code_limit - 1) / page + 1 : 0;
    if (need != d->n_code)
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, d->off + 28,
                      "%u code hashes for 0x%" PRIx64 " bytes in pages of 0x%" PRIx64
                      ", expected %" PRIu64,
                      (unsigned)d->n_code, d->code_limit, page, need);
}

enum ms_status ms_cs_read_directory(struct ms_cs_work *w, const struct ms_cs_blob *blob,
                                    struct ms_error *err)
{
    (void)err;
    struct ms_code_directory *d = &w->directories[w->sign.n_directories];
    struct header head = {0, 0, 0};
    struct ms_cursor c = ms_cursor_over(blob->bytes, true);
    memset(d, 0, sizeof *d);
    d->slot = blob->slot;
    d->off = blob->off;
    d->bytes = blob->bytes;
    read_header(&c, d, &head);
    if (c.bad) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, blob->off,
                      "a code directory of version 0x%x has %zu bytes, fewer than its header",
                      (unsigned)d->version, blob->bytes.n);
        return MS_OK;
    }
    size_t head_bytes = (size_t)ms_cursor_offset(&c);
    if (d->version >> 16 != 2)
        (void)ms_fail(ms_cs_fault(w), MS_E_UNSUPPORTED, w->where, blob->off + 8,
                      "a code directory of version 0x%x, 0x2xxxx is known", (unsigned)d->version);
    d->identifier = read_string(w, d, head.ident_off, FIXED_BYTES, 20, "identifier");
    if (head.team_off)
        d->team = read_string(w, d, head.team_off, head_bytes, 48, "team");
    uint32_t n_code = d->n_code;
    check_list(w, d, head_bytes);
    if (d->n_code || !n_code)
        check_pages(w, d);
    d->hash_full = (uint8_t)ms_cs_hash(d->hash_type, d->bytes, d->hash);
    w->sign.n_directories++;
    return MS_OK;
}

/* ---- checking ------------------------------------------------------------------------------- */

static void note(struct ms_cs_check *out, uint32_t directory, int64_t slot, uint64_t off,
                 uint64_t bytes)
{
    out->n_bad++;
    if (out->n_kept < sizeof out->bad / sizeof *out->bad)
        out->bad[out->n_kept++] = (struct ms_cs_mismatch){directory, slot, off, bytes};
}

static bool same_hash(const struct ms_code_directory *d, int64_t slot, struct ms_bytes in)
{
    uint8_t hash[48];
    (void)ms_cs_hash(d->hash_type, in, hash);
    const uint8_t *stored = d->bytes.at + ((int64_t)d->hash_off + slot * d->hash_bytes);
    return memcmp(hash, stored, d->hash_bytes) == 0;
}

static void check_code(const struct ms_macho *macho, const struct ms_code_directory *d,
                       uint32_t index, struct ms_cs_check *out)
{
    if (d->page_shift > MAX_PAGE_SHIFT || d->has_scatter)
        return;
    uint64_t page = page_bytes(d);
    uint64_t limit = d->code_limit < macho->bytes.n ? d->code_limit : macho->bytes.n;
    struct ms_bytes part;
    for (uint32_t i = 0; i < d->n_code; i++) {
        uint64_t off = i * page;
        if (off >= limit || page == 0)
            return; /* a fault said so */
        uint64_t n = limit - off < page ? limit - off : page;
        (void)ms_bytes_part(macho->bytes, off, n, &part);
        out->n_pages++;
        if (!same_hash(d, i, part))
            note(out, index, i, off, n);
    }
}

static bool is_zero(const uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

bool ms_codesign_has_special(const struct ms_code_directory *d, uint32_t slot)
{
    return slot && slot <= d->n_special &&
           !is_zero(d->bytes.at + d->hash_off - (size_t)slot * d->hash_bytes, d->hash_bytes);
}

/* A blob without a hash is no part of what was signed, and a hash without its blob lost it. */
static void check_special(const struct ms_codesign *sign, uint32_t index,
                          const struct ms_cs_outside *outside, struct ms_cs_check *out)
{
    const struct ms_code_directory *d = &sign->directories[index];
    for (uint32_t slot = 1; slot <= MS_CSSLOT_CONSTRAINT_LIBRARY; slot++) {
        struct ms_bytes bytes = {NULL, 0};
        uint64_t off = 0;
        for (size_t i = 0; i < sign->n_blobs && !bytes.n; i++)
            if (sign->blobs[i].slot == slot) {
                bytes = sign->blobs[i].bytes;
                off = sign->blobs[i].off;
            }
        if (slot == MS_CSSLOT_INFO)
            bytes = outside->info;
        if (slot == MS_CSSLOT_RESOURCES)
            bytes = outside->resources;
        bool stored = ms_codesign_has_special(d, slot);
        bool is_outside = !ms_cs_has_blob(slot);
        bool is_known = slot == MS_CSSLOT_INFO || slot == MS_CSSLOT_RESOURCES;
        if (is_outside ? !stored || (!bytes.n && !(is_known && outside->is_bundle))
                       : !bytes.n && !stored)
            continue;
        out->n_blobs++;
        if (!stored || !same_hash(d, -(int64_t)slot, bytes))
            note(out, index, -(int64_t)slot, off, bytes.n);
    }
}

void ms_codesign_check(const struct ms_macho *macho, const struct ms_codesign *sign,
                       const struct ms_cs_outside *outside, struct ms_cs_check *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < sign->n_directories; i++) {
        const struct ms_code_directory *d = &sign->directories[i];
        if (!d->hash_full || (!d->n_code && !d->n_special))
            continue;
        check_code(macho, d, i, out);
        check_special(sign, i, outside, out);
    }
    const struct ms_cs_signer *signer = &sign->signer;
    if (!signer->digest.n || !sign->n_directories)
        return;
    /* The length of the digest tells its kind; the signature is of the directory in slot 0. */
    uint8_t hash[48];
    uint8_t type = signer->digest.n == 20   ? MS_CSHASH_SHA1
                   : signer->digest.n == 32 ? MS_CSHASH_SHA256
                                            : MS_CSHASH_SHA384;
    out->cms_differs = ms_cs_hash(type, sign->directories[0].bytes, hash) != signer->digest.n ||
                       memcmp(hash, signer->digest.at, signer->digest.n) != 0;
}
