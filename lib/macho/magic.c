#include "macho/magic.h"

#include "base/cursor.h"

uint32_t ms_magic_of(struct ms_bytes bytes)
{
    return bytes.n >= 4 ? ms_load_u32(bytes.at, true) : 0;
}

bool ms_magic_is_macho(uint32_t magic, bool *is64, bool *big)
{
    *is64 = magic == MS_MAGIC_64 || magic == MS_MAGIC_64_LITTLE;
    *big = magic == MS_MAGIC_32 || magic == MS_MAGIC_64;
    return *is64 || *big || magic == MS_MAGIC_32_LITTLE;
}

static bool starts_with(struct ms_bytes bytes, const char *magic, size_t n)
{
    return bytes.n >= n && memcmp(bytes.at, magic, n) == 0;
}

bool ms_magic_is_archive(struct ms_bytes bytes)
{
    return starts_with(bytes, "!<arch>\n", 8) || starts_with(bytes, "!<thin>\n", 8);
}

static bool is_all(struct ms_bytes bytes, uint8_t value)
{
    size_t n = bytes.n < 512 ? bytes.n : 512;
    for (size_t i = 0; i < n; i++)
        if (bytes.at[i] != value)
            return false;
    return true;
}

/* Printable, and mostly ASCII, as program output and configuration files are. */
static bool is_text(struct ms_bytes bytes)
{
    size_t n = bytes.n < 512 ? bytes.n : 512, n_other = 0;
    for (size_t i = 0; i < n; i++) {
        if (bytes.at[i] == 0x7f || (bytes.at[i] < 0x20 && !memchr("\t\n\r\f\033", bytes.at[i], 5)))
            return false;
        n_other += bytes.at[i] > 0x7f;
    }
    return n_other <= n / 2;
}

const char *ms_magic_guess(struct ms_bytes bytes)
{
    static const struct {
        const char *magic;
        size_t n;
        const char *what;
    } KNOWN[] = {
        {"\177ELF", 4, "an ELF file"},
        {"MZ", 2, "a Windows program"},
        {"BC\xc0\xde", 4, "LLVM bitcode"},
        {"\xde\xc0\x17\x0b", 4, "LLVM bitcode in a wrapper"},
        {"\xca\xfe\xba\xbe", 4, "a Java class file"},
        {"\xca\xfe\xd0\x0d", 4, "a Java class file"},
        {"\x00\x05\x16\x07", 4, "an AppleDouble file (resource fork of the real one)"},
        {"PK\x03\x04", 4, "a zip archive"},
        {"\x1f\x8b", 2, "a gzip file"},
        {"BZh", 3, "a bzip2 file"},
        {"\xfd"
         "7zXZ",
         5, "an xz file"},
        {"xar!", 4, "a xar archive"},
        {"dyld_", 5, "a dyld shared cache"},
        {"bplist", 6, "a binary property list"},
        {"--- !tapi", 9, "a text-based stub library"},
        {"version https://git-lfs", 23, "a Git LFS pointer"},
        {"\xce\xfa\xed\xfe", 4, "a cut-off Mach-O"},
        {"\xcf\xfa\xed\xfe", 4, "a cut-off Mach-O"},
    };
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++)
        if (starts_with(bytes, KNOWN[i].magic, KNOWN[i].n))
            return KNOWN[i].what;
    if (bytes.n == 0)
        return "empty";
    if (is_all(bytes, 0))
        return "all zeros";
    if (is_text(bytes))
        return "text";
    if (bytes.n < 28)
        return "too short to be one";
    return "unknown binary data";
}
