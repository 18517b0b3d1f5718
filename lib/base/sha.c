/* base/sha.c: the three hashes of FIPS 180-4 that code signatures use. */
#include "base/sha.h"

#include "base/cursor.h"

#include <string.h>

static uint32_t rotl32(uint32_t x, unsigned n)
{
    return x << n | x >> (32 - n);
}

static uint32_t rotr32(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint64_t rotr64(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

static void store_u32(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void store_u64(uint8_t *p, uint64_t x)
{
    store_u32(p, (uint32_t)(x >> 32));
    store_u32(p + 4, (uint32_t)x);
}

/*
 * The last blocks of a message: what is left of it, a one bit, zeros, and its length in bits in
 * the last bytes. `block` is 64 or 128 bytes, and the length field an eighth of it. Returns how
 * many blocks were written to `out`, which has room for two.
 */
static size_t pad(struct ms_bytes in, size_t block, uint8_t out[256])
{
    size_t rest = in.n % block, field = block / 8;
    size_t n_blocks = rest + 1 + field > block ? 2 : 1;
    memset(out, 0, n_blocks * block);
    if (rest)
        memcpy(out, in.at + (in.n - rest), rest);
    out[rest] = 0x80;
    store_u64(out + n_blocks * block - 8, (uint64_t)in.n << 3);
    if (field == 16)
        out[n_blocks * block - 9] = (uint8_t)((uint64_t)in.n >> 61);
    return n_blocks;
}

/* ---- SHA-1 ---------------------------------------------------------------------------------- */

static void sha1_block(uint32_t h[5], const uint8_t *p)
{
    uint32_t w[80];
    for (int i = 0; i < 16; i++)
        w[i] = ms_load_u32(p + 4 * i, true);
    for (int i = 16; i < 80; i++)
        w[i] = rotl32(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], b = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
        uint32_t f, k;
        if (i < 20) {
            f = (b & c) | (~b & d);
            k = 0x5a827999;
        } else if (i < 40) {
            f = b ^ c ^ d;
            k = 0x6ed9eba1;
        } else if (i < 60) {
            f = (b & c) | (b & d) | (c & d);
            k = 0x8f1bbcdc;
        } else {
            f = b ^ c ^ d;
            k = 0xca62c1d6;
        }
        uint32_t t = rotl32(a, 5) + f + e + k + w[i];
        e = d;
        d = c;
        c = rotl32(b, 30);
        b = a;
        a = t;
    }
    h[0] += a;
    h[1] += b;
    h[2] += c;
    h[3] += d;
    h[4] += e;
}

void ms_sha1(struct ms_bytes in, uint8_t out[MS_SHA1_BYTES])
{
    uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint8_t last[256];
    for (size_t at = 0; in.n - at >= 64; at += 64)
        sha1_block(h, in.at + at);
    for (size_t i = 0, n = pad(in, 64, last); i < n; i++)
        sha1_block(h, last + 64 * i);
    for (int i = 0; i < 5; i++)
        store_u32(out + 4 * i, h[i]);
}

/* ---- SHA-256 -------------------------------------------------------------------------------- */

/* The fractions of the cube roots of the first 80 primes: SHA-384 has 64 bits of each, SHA-256
 * the upper 32 of the first 64. */
static const uint64_t K[80] = {
    0x428a2f98d728ae22, 0x7137449123ef65cd, 0xb5c0fbcfec4d3b2f, 0xe9b5dba58189dbbc,
    0x3956c25bf348b538, 0x59f111f1b605d019, 0x923f82a4af194f9b, 0xab1c5ed5da6d8118,
    0xd807aa98a3030242, 0x12835b0145706fbe, 0x243185be4ee4b28c, 0x550c7dc3d5ffb4e2,
    0x72be5d74f27b896f, 0x80deb1fe3b1696b1, 0x9bdc06a725c71235, 0xc19bf174cf692694,
    0xe49b69c19ef14ad2, 0xefbe4786384f25e3, 0x0fc19dc68b8cd5b5, 0x240ca1cc77ac9c65,
    0x2de92c6f592b0275, 0x4a7484aa6ea6e483, 0x5cb0a9dcbd41fbd4, 0x76f988da831153b5,
    0x983e5152ee66dfab, 0xa831c66d2db43210, 0xb00327c898fb213f, 0xbf597fc7beef0ee4,
    0xc6e00bf33da88fc2, 0xd5a79147930aa725, 0x06ca6351e003826f, 0x142929670a0e6e70,
    0x27b70a8546d22ffc, 0x2e1b21385c26c926, 0x4d2c6dfc5ac42aed, 0x53380d139d95b3df,
    0x650a73548baf63de, 0x766a0abb3c77b2a8, 0x81c2c92e47edaee6, 0x92722c851482353b,
    0xa2bfe8a14cf10364, 0xa81a664bbc423001, 0xc24b8b70d0f89791, 0xc76c51a30654be30,
    0xd192e819d6ef5218, 0xd69906245565a910, 0xf40e35855771202a, 0x106aa07032bbd1b8,
    0x19a4c116b8d2d0c8, 0x1e376c085141ab53, 0x2748774cdf8eeb99, 0x34b0bcb5e19b48a8,
    0x391c0cb3c5c95a63, 0x4ed8aa4ae3418acb, 0x5b9cca4f7763e373, 0x682e6ff3d6b2b8a3,
    0x748f82ee5defb2fc, 0x78a5636f43172f60, 0x84c87814a1f0ab72, 0x8cc702081a6439ec,
    0x90befffa23631e28, 0xa4506cebde82bde9, 0xbef9a3f7b2c67915, 0xc67178f2e372532b,
    0xca273eceea26619c, 0xd186b8c721c0c207, 0xeada7dd6cde0eb1e, 0xf57d4f7fee6ed178,
    0x06f067aa72176fba, 0x0a637dc5a2c898a6, 0x113f9804bef90dae, 0x1b710b35131c471b,
    0x28db77f523047d84, 0x32caab7b40c72493, 0x3c9ebe0a15c9bebc, 0x431d67c49c100d4c,
    0x4cc5d4becb3e42b6, 0x597f299cfc657e2a, 0x5fcb6fab3ad6faec, 0x6c44198c4a475817};

static void sha256_block(uint32_t h[8], const uint8_t *p)
{
    uint32_t w[64], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = ms_load_u32(p + 4 * i, true);
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (rotr32(x, 7) ^ rotr32(x, 18) ^ x >> 3) + w[i - 7] +
               (rotr32(y, 17) ^ rotr32(y, 19) ^ y >> 10);
    }
    memcpy(v, h, sizeof v);
    /* Eight at a time, so that the compiler renames the variables rather than moving them. */
    for (int i = 0; i < 64; i += 8)
        for (int k = 0; k < 8; k++) {
            uint32_t a = v[-k & 7], b = v[(1 - k) & 7], c = v[(2 - k) & 7];
            uint32_t e = v[(4 - k) & 7], f = v[(5 - k) & 7], g = v[(6 - k) & 7];
            uint32_t s1 = rotr32(e, 6) ^ rotr32(e, 11) ^ rotr32(e, 25);
            uint32_t t1 =
                v[(7 - k) & 7] + s1 + (g ^ (e & (f ^ g))) + (uint32_t)(K[i + k] >> 32) + w[i + k];
            uint32_t s0 = rotr32(a, 2) ^ rotr32(a, 13) ^ rotr32(a, 22);
            v[(3 - k) & 7] += t1;
            v[(7 - k) & 7] = t1 + s0 + ((a & b) | (c & (a | b)));
        }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void ms_sha256(struct ms_bytes in, uint8_t out[MS_SHA256_BYTES])
{
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint8_t last[256];
    for (size_t at = 0; in.n - at >= 64; at += 64)
        sha256_block(h, in.at + at);
    for (size_t i = 0, n = pad(in, 64, last); i < n; i++)
        sha256_block(h, last + 64 * i);
    for (int i = 0; i < 8; i++)
        store_u32(out + 4 * i, h[i]);
}

/* ---- SHA-384 -------------------------------------------------------------------------------- */

static void sha512_block(uint64_t h[8], const uint8_t *p)
{
    uint64_t w[80], v[8];
    for (int i = 0; i < 16; i++)
        w[i] = ms_load_u64(p + 8 * i, true);
    for (int i = 16; i < 80; i++) {
        uint64_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + (rotr64(x, 1) ^ rotr64(x, 8) ^ x >> 7) + w[i - 7] +
               (rotr64(y, 19) ^ rotr64(y, 61) ^ y >> 6);
    }
    memcpy(v, h, sizeof v);
    for (int i = 0; i < 80; i += 8)
        for (int k = 0; k < 8; k++) {
            uint64_t a = v[-k & 7], b = v[(1 - k) & 7], c = v[(2 - k) & 7];
            uint64_t e = v[(4 - k) & 7], f = v[(5 - k) & 7], g = v[(6 - k) & 7];
            uint64_t s1 = rotr64(e, 14) ^ rotr64(e, 18) ^ rotr64(e, 41);
            uint64_t t1 = v[(7 - k) & 7] + s1 + (g ^ (e & (f ^ g))) + K[i + k] + w[i + k];
            uint64_t s0 = rotr64(a, 28) ^ rotr64(a, 34) ^ rotr64(a, 39);
            v[(3 - k) & 7] += t1;
            v[(7 - k) & 7] = t1 + s0 + ((a & b) | (c & (a | b)));
        }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

void ms_sha384(struct ms_bytes in, uint8_t out[MS_SHA384_BYTES])
{
    uint64_t h[8] = {0xcbbb9d5dc1059ed8, 0x629a292a367cd507, 0x9159015a3070dd17,
                     0x152fecd8f70e5939, 0x67332667ffc00b31, 0x8eb44a8768581511,
                     0xdb0c2e0d64f98fa7, 0x47b5481dbefa4fa4};
    uint8_t last[256];
    for (size_t at = 0; in.n - at >= 128; at += 128)
        sha512_block(h, in.at + at);
    for (size_t i = 0, n = pad(in, 128, last); i < n; i++)
        sha512_block(h, last + 128 * i);
    for (int i = 0; i < 6; i++)
        store_u64(out + 8 * i, h[i]);
}
