/* Compressed sections, as Go's linker writes them. */
#include "dwarf/zdebug.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* "ZLIB", the size big-endian, the stream. */
static size_t compress_section(const void *bytes, size_t n, uint64_t size, uint8_t *out,
                               size_t room)
{
    uLongf length = (uLongf)(room - 12);
    memcpy(out, "ZLIB", 4);
    for (int i = 0; i < 8; i++)
        out[4 + i] = (uint8_t)(size >> (56 - 8 * i));
    cr_assert_eq(compress(out + 12, &length, bytes, (uLong)n), Z_OK);
    return length + 12;
}

Test(dwarf_zdebug, gives_the_section)
{
    static uint8_t bytes[100000], packed[110000];
    uint8_t *out;
    size_t n;
    for (size_t k = 0; k < sizeof bytes; k += sizeof bytes / 3) {
        for (size_t i = 0; i < k; i++)
            bytes[i] = (uint8_t)(i * i >> 5);
        struct ms_bytes section = {packed, compress_section(bytes, k, k, packed, sizeof packed)};
        cr_assert_eq(ms_zdebug_inflate(section, "w", &out, &n, NULL), MS_OK);
        cr_assert_eq(n, k);
        cr_assert_eq(memcmp(out, bytes, n), 0);
        free(out);
    }
}

static void expect(struct ms_bytes section, uint64_t offset, const char *text)
{
    uint8_t *out;
    size_t n;
    struct ms_error err;
    cr_assert_eq(ms_zdebug_inflate(section, "t __zdebug_info", &out, &n, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.where, "t __zdebug_info");
    cr_assert_eq(err.offset, offset, "0x%llx", (unsigned long long)err.offset);
    cr_assert_str_eq(err.text, text, "%s", err.text);
}

Test(dwarf_zdebug, faults)
{
    uint8_t packed[200];
    const char *text = "twelve bytes";
    expect((struct ms_bytes){NULL, 0}, 0,
           "compressed section: expected \"ZLIB\" and a size, found 0 other bytes");
    expect((struct ms_bytes){(const uint8_t *)"ZLIC\0\0\0\0\0\0\0\1x", 13}, 0,
           "compressed section: expected \"ZLIB\" and a size, found 13 other bytes");
    size_t n = compress_section(text, 12, 13, packed, sizeof packed);
    expect((struct ms_bytes){packed, n}, n,
           "compressed section: zlib stream is broken or short: 12 of 13 bytes");
    n = compress_section(text, 12, 12, packed, sizeof packed);
    expect((struct ms_bytes){packed, n - 1}, n - 1,
           "compressed section: zlib stream is broken or short: 12 of 12 bytes");
    n = compress_section(text, 12, UINT64_C(1) << 40, packed, sizeof packed);
    cr_assert_eq(n, 32);
    expect((struct ms_bytes){packed, n}, 4,
           "compressed section: 20 bytes cannot hold the 1099511627776 that the header claims");
    n = compress_section(text, 12, 12, packed, sizeof packed);
    packed[12] = 0xff;
    expect((struct ms_bytes){packed, n}, 14,
           "compressed section: zlib stream is broken or short: 0 of 12 bytes");
}
