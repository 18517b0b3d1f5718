/*
 * macho/archive.c: static archives, ar(5), of Apple's libtool, of BSD's and GNU's ar.
 */
#include "base/cursor.h"
#include "base/error.h"
#include "macho/magic.h"
#include "macho/where.h"
#include "machsym/macho.h"

#include <stdio.h>

enum { MAGIC_BYTES = 8, HEADER_BYTES = 60, NAME_BYTES = 16 };

enum ms_status ms_archive_open(struct ms_bytes bytes, const char *name, struct ms_archive *out,
                               struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    ms_where_write(out->where, sizeof out->where, name, NULL);
    if (!ms_magic_is_archive(bytes))
        return ms_fail(err, MS_E_FORMAT, out->where, 0, "not a static archive: %s",
                       ms_magic_guess(bytes));
    if (bytes.at[2] == 't')
        return ms_fail(err, MS_E_UNSUPPORTED, out->where, 0,
                       "a thin archive holds only the names of its members");
    out->bytes = bytes;
    out->next = MAGIC_BYTES;
    return MS_OK;
}

/* A blank-padded decimal number in n bytes; blank is 0. False for anything else. */
static bool read_decimal(const uint8_t *at, size_t n, uint64_t *out)
{
    uint64_t value = 0;
    size_t i = 0;
    while (i < n && at[i] == ' ')
        i++;
    for (; i < n && at[i] >= '0' && at[i] <= '9'; i++)
        if (ms_mul_overflows(value, 10, &value) || ms_add_overflows(value, at[i] - '0', &value))
            return false;
    while (i < n && at[i] == ' ')
        i++;
    *out = value;
    return i == n;
}

static void copy_name(char out[256], const uint8_t *at, size_t n)
{
    size_t length = 0;
    while (length < n && length < 255 && at[length])
        length++;
    memcpy(out, at, length);
    out[length] = 0;
}

/* SysV: "/N" is an offset into the member "//", where a name ends in "/\n" (or "\n", or NUL). */
static bool copy_long_name(const struct ms_archive *archive, uint64_t off, char out[256])
{
    struct ms_bytes rest;
    if (!ms_bytes_from(archive->long_names, off, &rest) || rest.n == 0)
        return false;
    size_t n = 0;
    while (n < rest.n && n < 256 && rest.at[n] != '\n' && rest.at[n] != 0)
        n++;
    if (n > 0 && n < rest.n && rest.at[n] == '\n' && rest.at[n - 1] == '/')
        n--;
    copy_name(out, rest.at, n);
    return true;
}

/* The name of a member, whose long form BSD puts before its bytes: then they start behind it. */
static enum ms_status read_name(const struct ms_archive *archive, const uint8_t *field,
                                uint64_t header_off, struct ms_archive_member *out,
                                struct ms_error *err)
{
    uint64_t number;
    if (memcmp(field, "#1/", 3) == 0) {
        struct ms_bytes name;
        if (!read_decimal(field + 3, NAME_BYTES - 3, &number) ||
            !ms_bytes_part(out->bytes, 0, number, &name))
            return ms_fail(err, MS_E_FORMAT, archive->where, header_off,
                           "the member's long name (%.16s) does not fit into its %zu bytes",
                           (const char *)field, out->bytes.n);
        copy_name(out->name, name.at, name.n);
        (void)ms_bytes_from(out->bytes, number, &out->bytes);
        return MS_OK;
    }
    if (field[0] == '/' && field[1] >= '0' && field[1] <= '9') {
        if (!read_decimal(field + 1, NAME_BYTES - 1, &number) ||
            !copy_long_name(archive, number, out->name))
            return ms_fail(err, MS_E_FORMAT, archive->where, header_off,
                           "the member's name (%.16s) lies outside the %zu bytes of long names",
                           (const char *)field, archive->long_names.n);
        return MS_OK;
    }
    size_t n = NAME_BYTES;
    while (n > 0 && field[n - 1] == ' ')
        n--;
    if (n > 1 && field[n - 1] == '/' && field[0] != '/')
        n--; /* SysV ends a short name with a slash */
    copy_name(out->name, field, n);
    return MS_OK;
}

static bool is_symbol_table(const char *name)
{
    return strncmp(name, "__.SYMDEF", 9) == 0 || strcmp(name, "/") == 0 ||
           strcmp(name, "/SYM64/") == 0;
}

/* What follows the last member is nothing, or padding. */
static bool only_padding(struct ms_bytes rest)
{
    for (size_t i = 0; i < rest.n; i++)
        if (rest.at[i] != '\n' && rest.at[i] != 0)
            return false;
    return true;
}

/* Reads the member at archive->next and moves behind it. */
static enum ms_status read_member(struct ms_archive *archive, struct ms_archive_member *out,
                                  struct ms_error *err)
{
    struct ms_bytes rest, header;
    uint64_t at = archive->next, size, mtime;
    (void)ms_bytes_from(archive->bytes, at, &rest);
    archive->next = archive->bytes.n; /* a damaged archive ends here */
    if (rest.n < HEADER_BYTES && only_padding(rest))
        return MS_ABSENT;
    if (!ms_bytes_part(rest, 0, HEADER_BYTES, &header))
        return ms_fail(err, MS_E_FORMAT, archive->where, at,
                       "a member's header needs %d bytes, %zu remain", HEADER_BYTES, rest.n);
    if (header.at[58] != '`' || header.at[59] != '\n')
        return ms_fail(err, MS_E_FORMAT, archive->where, at + 58,
                       "a member's header ends in 0x%02x 0x%02x, expected 0x60 0x0a", header.at[58],
                       header.at[59]);
    if (!read_decimal(header.at + 48, 10, &size))
        return ms_fail(err, MS_E_FORMAT, archive->where, at + 48,
                       "the member's size (%.10s) is not a decimal number",
                       (const char *)header.at + 48);
    if (!ms_bytes_part(rest, HEADER_BYTES, size, &out->bytes))
        return ms_fail(err, MS_E_FORMAT, archive->where, at + 48,
                       "the member has %llu bytes, %zu remain", (unsigned long long)size,
                       rest.n - HEADER_BYTES);
    uint64_t end = HEADER_BYTES + size; /* both inside `rest`: no overflow */
    if (end & 1 && end < rest.n)
        end++; /* members start at even offsets */
    archive->next = at + end;
    out->off = at;
    out->mtime =
        read_decimal(header.at + 16, 12, &mtime) && mtime <= INT64_MAX ? (int64_t)mtime : 0;
    return read_name(archive, header.at, at, out, err);
}

enum ms_status ms_archive_next(struct ms_archive *archive, struct ms_archive_member *out,
                               struct ms_error *err)
{
    for (;;) {
        memset(out, 0, sizeof *out);
        enum ms_status status = read_member(archive, out, err);
        if (status != MS_OK)
            return status;
        if (strcmp(out->name, "//") == 0)
            archive->long_names = out->bytes;
        else if (!is_symbol_table(out->name))
            return MS_OK;
    }
}
