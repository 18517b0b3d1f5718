/*
 * Builds code signatures byte by byte for the tests: big-endian blobs, an index over them, and an
 * arm64 image around it all.
 */
#ifndef CODESIGN_BUILDER_H
#define CODESIGN_BUILDER_H

#include "unit/macho_builder.h"

#include "base/sha.h"
#include "machsym/codesign.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define MAGIC_DIRECTORY 0xfade0c02u
#define MAGIC_XML 0xfade7171u
#define MAGIC_DER 0xfade7172u
#define MAGIC_CMS 0xfade0b01u
#define MAGIC_REQUIREMENTS 0xfade0c01u
#define MAGIC_CONSTRAINT 0xfade8181u

struct cs_part {
    uint32_t slot;
    struct build blob;
};

struct cs {
    struct cs_part parts[16];
    size_t n;
};

static inline struct build big_build(void)
{
    return (struct build){NULL, 0, 0, true, true};
}

/* A blob of a magic, its length and a body. */
static inline struct build cs_blob(uint32_t magic, const void *body, size_t n)
{
    struct build b = big_build();
    put_u32(&b, magic);
    put_u32(&b, (uint32_t)(8 + n));
    put_bytes(&b, body, n);
    return b;
}

static inline void cs_add(struct cs *cs, uint32_t slot, struct build blob)
{
    cs->parts[cs->n++] = (struct cs_part){slot, blob};
}

/* What a code directory of a test is made of; the rest is 0. */
struct cs_directory {
    uint32_t version, flags, n_special, n_code, code_limit;
    uint8_t hash_type, hash_bytes, platform, page_shift;
    const char *identifier, *team;
    uint64_t exec_base, exec_limit, exec_flags;
    uint32_t runtime;
};

/* Hashes are zeros: whoever needs true ones writes them. */
static inline struct build cs_directory(const struct cs_directory *d)
{
    struct build b = big_build();
    uint32_t head = 44 + (d->version >= 0x20100 ? 4 : 0) + (d->version >= 0x20200 ? 4 : 0) +
                    (d->version >= 0x20300 ? 12 : 0) + (d->version >= 0x20400 ? 24 : 0) +
                    (d->version >= 0x20500 ? 8 : 0);
    uint32_t ident = (uint32_t)strlen(d->identifier) + 1;
    uint32_t team = d->team ? (uint32_t)strlen(d->team) + 1 : 0;
    uint32_t hashes = head + ident + team + d->n_special * d->hash_bytes;
    put_u32(&b, MAGIC_DIRECTORY);
    put_u32(&b, hashes + d->n_code * d->hash_bytes);
    put_u32(&b, d->version);
    put_u32(&b, d->flags);
    put_u32(&b, hashes);
    put_u32(&b, head);
    put_u32(&b, d->n_special);
    put_u32(&b, d->n_code);
    put_u32(&b, d->code_limit);
    put_u8(&b, d->hash_bytes);
    put_u8(&b, d->hash_type);
    put_u8(&b, d->platform);
    put_u8(&b, d->page_shift);
    put_u32(&b, 0);
    if (d->version >= 0x20100)
        put_u32(&b, 0); /* scatter */
    if (d->version >= 0x20200)
        put_u32(&b, team ? head + ident : 0);
    if (d->version >= 0x20300) {
        put_u32(&b, 0);
        put_u64(&b, 0);
    }
    if (d->version >= 0x20400) {
        put_u64(&b, d->exec_base);
        put_u64(&b, d->exec_limit);
        put_u64(&b, d->exec_flags);
    }
    if (d->version >= 0x20500) {
        put_u32(&b, d->runtime);
        put_u32(&b, 0);
    }
    put_string(&b, d->identifier);
    if (d->team)
        put_string(&b, d->team);
    put_zeros(&b, (size_t)(d->n_special + d->n_code) * d->hash_bytes);
    return b;
}

/* The superblob; frees the parts. */
static inline struct build cs_finish(struct cs *cs)
{
    struct build b = big_build();
    put_u32(&b, 0xfade0cc0);
    put_u32(&b, 0);
    put_u32(&b, (uint32_t)cs->n);
    uint32_t at = (uint32_t)(12 + 8 * cs->n);
    for (size_t i = 0; i < cs->n; i++) {
        put_u32(&b, cs->parts[i].slot);
        put_u32(&b, at);
        at += (uint32_t)cs->parts[i].blob.n;
    }
    for (size_t i = 0; i < cs->n; i++) {
        put_bytes(&b, cs->parts[i].blob.at, cs->parts[i].blob.n);
        build_free(&cs->parts[i].blob);
    }
    set_u32(&b, 4, (uint32_t)b.n);
    cs->n = 0;
    return b;
}

enum { SIGN_OFF = 0x100 }; /* where sign_image puts the signature */

/* An image of 0x100 bytes (a header, one command, zeros), the signature behind it. */
static inline struct build sign_image(struct build *sign)
{
    struct build b = build_arm64(MS_MH_EXECUTE);
    PUT_COMMAND(&b, 0x1d, SIGN_OFF, (uint32_t)sign->n);
    pad_to(&b, SIGN_OFF);
    put_bytes(&b, sign->at, sign->n);
    build_free(sign);
    return b;
}

/* An image with its signature read; CS_CLOSE gives all of it back. */
struct signed_image {
    struct build b;
    struct ms_macho macho;
    struct ms_codesign *sign;
    struct ms_error err;
    enum ms_status status;
};

static inline void read_image(struct signed_image *image)
{
    image->sign = NULL;
    cr_assert_eq(ms_macho_parse(build_bytes(&image->b), "App", &image->macho, &image->err), MS_OK,
                 "%s", image->err.text);
    image->status = ms_codesign_read(&image->macho, &image->sign, &image->err);
}

static inline struct signed_image read_signed(struct cs *cs)
{
    struct signed_image image;
    memset(&image, 0, sizeof image);
    struct build sign = cs_finish(cs);
    image.b = sign_image(&sign);
    read_image(&image);
    return image;
}

static inline void close_signed(struct signed_image *image)
{
    ms_codesign_close(image->sign);
    ms_macho_fini(&image->macho);
    build_free(&image->b);
}

#endif
