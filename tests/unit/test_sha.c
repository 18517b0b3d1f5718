/* The examples of FIPS 180-4 and NIST's lengths around a block. */
#include "base/sha.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void is(const uint8_t *hash, size_t n, const char *hex)
{
    char text[97];
    for (size_t i = 0; i < n; i++)
        snprintf(text + 2 * i, 3, "%02x", hash[i]);
    cr_assert_str_eq(text, hex);
}

static void check(const char *text, const char *sha1, const char *sha256, const char *sha384)
{
    uint8_t hash[MS_SHA_MAX_BYTES];
    struct ms_bytes in = {(const uint8_t *)text, strlen(text)};
    ms_sha1(in, hash);
    is(hash, MS_SHA1_BYTES, sha1);
    ms_sha256(in, hash);
    is(hash, MS_SHA256_BYTES, sha256);
    ms_sha384(in, hash);
    is(hash, MS_SHA384_BYTES, sha384);
}

Test(sha, nothing)
{
    uint8_t hash[MS_SHA_MAX_BYTES];
    check("", "da39a3ee5e6b4b0d3255bfef95601890afd80709",
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
          "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f"
          "14898b95b");
    ms_sha1((struct ms_bytes){NULL, 0}, hash);
    is(hash, MS_SHA1_BYTES, "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

Test(sha, abc)
{
    check("abc", "a9993e364706816aba3e25717850c26c9cd0d89d",
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
          "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca"
          "134c825a7");
}

Test(sha, two_blocks)
{
    check("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
          "84983e441c3bd26ebaae4aa1f95129e5e54670f1",
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
          "3391fdddfc8dc7393707a65b1b4709397cf8b1d162af05abfe8f450de5f36bc6b0455a8520bc4e6f5fe95b1"
          "fe3c8452b");
}

/* A million times "a", and every length up to three blocks: a chain of hashes of hashes. */
Test(sha, lengths)
{
    uint8_t hash[MS_SHA_MAX_BYTES], *bytes = malloc(1000000);
    cr_assert(bytes);
    memset(bytes, 'a', 1000000);
    ms_sha1((struct ms_bytes){bytes, 1000000}, hash);
    is(hash, MS_SHA1_BYTES, "34aa973cd4c4daa4f61eeb2bdbad27316534016f");
    ms_sha256((struct ms_bytes){bytes, 1000000}, hash);
    is(hash, MS_SHA256_BYTES, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    ms_sha384((struct ms_bytes){bytes, 1000000}, hash);
    is(hash, MS_SHA384_BYTES,
       "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3"
       "d"
       "8985");
    uint8_t all[385 * 3 * MS_SHA_MAX_BYTES];
    size_t n = 0;
    for (size_t i = 0; i <= 384; i++) {
        ms_sha1((struct ms_bytes){bytes, i}, all + n);
        n += MS_SHA1_BYTES;
        ms_sha256((struct ms_bytes){bytes, i}, all + n);
        n += MS_SHA256_BYTES;
        ms_sha384((struct ms_bytes){bytes, i}, all + n);
        n += MS_SHA384_BYTES;
    }
    ms_sha256((struct ms_bytes){all, n}, hash);
    is(hash, MS_SHA256_BYTES, "0ae55d140db29d413fe9483701b5a0757d2354979a3b3cff1360bb707ce67733");
    free(bytes);
}
