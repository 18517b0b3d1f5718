#include "unit/macho_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>

static struct build begin_archive(void)
{
    struct build b = {0};
    put_bytes(&b, "!<arch>\n", 8);
    return b;
}

/* A member as it stands: its name field, and `n` bytes, padded to an even offset. */
static size_t put_member(struct build *b, const char *name, const char *mtime, const void *bytes,
                         size_t n)
{
    char header[61];
    size_t at = b->n;
    snprintf(header, sizeof header, "%-16s%-12s%-6s%-6s%-8s%-10zu`\n", name, mtime, "0", "0",
             "100644", n);
    put_bytes(b, header, 60);
    put_bytes(b, bytes, n);
    if (b->n % 2)
        put_u8(b, '\n');
    return at;
}

static void expect(struct ms_archive *archive, const char *name, uint64_t off, const char *bytes,
                   int64_t mtime)
{
    struct ms_archive_member member;
    struct ms_error err;
    cr_assert_eq(ms_archive_next(archive, &member, &err), MS_OK, "%s: %s", name, err.text);
    cr_assert_str_eq(member.name, name);
    cr_assert_eq(member.off, off);
    cr_assert_eq(member.bytes.n, strlen(bytes));
    cr_assert_eq(memcmp(member.bytes.at, bytes, member.bytes.n), 0);
    cr_assert_eq(member.mtime, mtime);
}

static void expect_end(struct ms_archive *archive)
{
    struct ms_archive_member member;
    struct ms_error err;
    cr_assert_eq(ms_archive_next(archive, &member, &err), MS_ABSENT);
    cr_assert_eq(ms_archive_next(archive, &member, &err), MS_ABSENT);
}

static struct ms_archive open_archive(const struct build *b)
{
    struct ms_archive archive;
    struct ms_error err;
    cr_assert_eq(ms_archive_open(build_bytes(b), "lib.a", &archive, &err), MS_OK);
    return archive;
}

Test(archive, bsd)
{
    struct build b = begin_archive();
    put_member(&b, "__.SYMDEF SORTED", "1", "table", 5);
    put_member(&b, "#1/20", "1", "__.SYMDEF_64\0\0\0\0\0\0\0\0table", 25);
    size_t a = put_member(&b, "a.o", "1700000000", "abc", 3);
    size_t c = put_member(&b, "#1/24", "7", "a name with blanks.o\0\0\0\0dd", 26);
    struct ms_archive archive = open_archive(&b);
    expect(&archive, "a.o", a, "abc", 1700000000);
    expect(&archive, "a name with blanks.o", c, "dd", 7);
    expect_end(&archive);
    build_free(&b);
}

Test(archive, gnu)
{
    struct build b = begin_archive();
    put_member(&b, "/", "0", "table", 5);
    put_member(&b, "/SYM64/", "0", "table", 5);
    put_member(&b, "//", "0", "a_rather_long_name.o/\nanother_long_name.o/\n", 43);
    size_t a = put_member(&b, "short.o/", "", "abc", 3);
    size_t l = put_member(&b, "/0", "0", "d", 1);
    size_t m = put_member(&b, "/22", "0", "", 0);
    struct ms_archive archive = open_archive(&b);
    expect(&archive, "short.o", a, "abc", 0);
    expect(&archive, "a_rather_long_name.o", l, "d", 0);
    expect(&archive, "another_long_name.o", m, "", 0);
    expect_end(&archive);
    build_free(&b);
}

Test(archive, ends_of_all_kinds)
{
    struct build b = begin_archive();
    struct ms_archive archive = open_archive(&b);
    expect_end(&archive);
    size_t a = put_member(&b, "a.o", "0", "abc", 3);
    b.n--; /* the last member needs no padding */
    archive = open_archive(&b);
    expect(&archive, "a.o", a, "abc", 0);
    expect_end(&archive);
    put_bytes(&b, "\n\n\n\0", 4);
    archive = open_archive(&b);
    expect(&archive, "a.o", a, "abc", 0);
    expect_end(&archive);
    build_free(&b);
}

static void fails(struct build *b, uint64_t offset, const char *text)
{
    struct ms_archive archive = open_archive(b);
    struct ms_archive_member member;
    struct ms_error err;
    enum ms_status status;
    while ((status = ms_archive_next(&archive, &member, &err)) == MS_OK)
        continue;
    cr_assert_eq(status, MS_E_FORMAT);
    cr_assert_str_eq(err.where, "lib.a");
    cr_assert_str_eq(err.text, text);
    cr_assert_eq(err.offset, offset);
    build_free(b);
}

Test(archive, damaged)
{
    struct build b = begin_archive();
    put_bytes(&b, "a.o", 3);
    fails(&b, 8, "a member's header needs 60 bytes, 3 remain");
    b = begin_archive();
    put_member(&b, "a.o", "0", "abc", 3);
    b.at[8 + 58] = 'x';
    fails(&b, 8 + 58, "a member's header ends in 0x78 0x0a, expected 0x60 0x0a");
    b = begin_archive();
    put_member(&b, "a.o", "0", "abc", 3);
    memcpy(b.at + 8 + 48, "0x10      ", 10);
    fails(&b, 8 + 48, "the member's size (0x10      ) is not a decimal number");
    b = begin_archive();
    put_member(&b, "a.o", "0", "abc", 3);
    memcpy(b.at + 8 + 48, "9999999999", 10);
    fails(&b, 8 + 48, "the member has 9999999999 bytes, 4 remain");
    b = begin_archive();
    put_member(&b, "#1/4", "0", "abc", 3);
    fails(&b, 8, "the member's long name (#1/4            ) does not fit into its 3 bytes");
    b = begin_archive();
    put_member(&b, "/5", "0", "abc", 3);
    fails(&b, 8, "the member's name (/5              ) lies outside the 0 bytes of long names");
}

Test(archive, goes_on_after_nothing)
{
    struct build b = begin_archive();
    put_member(&b, "/5", "0", "abc", 3);
    size_t a = put_member(&b, "a.o", "0", "x", 1);
    struct ms_archive archive = open_archive(&b);
    struct ms_archive_member member;
    struct ms_error err;
    /* A member without a name is passed over by whoever wants to. */
    cr_assert_eq(ms_archive_next(&archive, &member, &err), MS_E_FORMAT);
    expect(&archive, "a.o", a, "x", 0);
    expect_end(&archive);
    build_free(&b);
}

Test(archive, not_one)
{
    struct ms_archive archive;
    struct ms_error err;
    struct build b = {0};
    put_bytes(&b, "!<thin>\n", 8);
    cr_assert_eq(ms_archive_open(build_bytes(&b), "lib.a", &archive, &err), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "a thin archive holds only the names of its members");
    b.n = 7;
    cr_assert_eq(ms_archive_open(build_bytes(&b), "lib.a", &archive, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "not a static archive: text");
    build_free(&b);
}

Test(archive, names_are_cut)
{
    struct build b = begin_archive();
    char name[301];
    struct ms_archive_member member;
    struct ms_error err;
    memset(name, 'n', 300);
    put_member(&b, "#1/300", "0", name, 300);
    struct ms_archive archive = open_archive(&b);
    cr_assert_eq(ms_archive_next(&archive, &member, &err), MS_OK);
    cr_assert_eq(strlen(member.name), 255);
    cr_assert_eq(member.bytes.n, 0);
    build_free(&b);
}
