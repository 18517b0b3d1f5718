/* What otool shows of images that are built byte by byte, and what it says of broken ones. */
#include "base/text.h"
#include "machsym/error.h"
#include "machsym/otool.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A little-endian image: header, commands. */
struct bytes {
    uint8_t at[4096];
    size_t n;
};

static void u32(struct bytes *b, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        b->at[b->n++] = (uint8_t)(value >> 8 * i);
}

static void text16(struct bytes *b, const char *text)
{
    memcpy(b->at + b->n, text, strnlen(text, 16));
    b->n += 16;
}

static void header(struct bytes *b, uint32_t cpu, uint32_t subtype, uint32_t n, uint32_t size)
{
    memset(b, 0, sizeof *b);
    u32(b, cpu & 0x01000000 ? 0xfeedfacf : 0xfeedface);
    u32(b, cpu);
    u32(b, subtype);
    u32(b, 6);
    u32(b, n);
    u32(b, size);
    u32(b, 0x85);
    b->n += cpu & 0x01000000 ? 4 : 0;
}

static struct ms_text out;
static struct ms_error err;
static struct ms_otool_image image;

static bool to_text(void *to, const char *bytes, size_t n)
{
    ms_text_add(to, bytes, n);
    return true;
}

enum what { HEADER, COMMANDS, LIBRARIES, ID };

/* What is shown of it; the status of the last in *status. */
static const char *show(const struct bytes *b, enum what what, bool verbose, bool json,
                        enum ms_status *status)
{
    struct ms_otool_style style = {verbose, false, false, NULL};
    struct ms_sink sink = {.write = to_text, .to = &out};
    struct ms_json writer;
    struct ms_otool_out to = {&sink, json ? &writer : NULL, &style};
    ms_json_init(&writer, &sink, 0);
    ms_text_fini(&out);
    ms_text_init(&out, 1 << 20);
    memset(&err, 0, sizeof err);
    /* As long as it is and no longer, so that a sanitizer sees what is read beyond. */
    static uint8_t *exact;
    free(exact);
    exact = malloc(b->n ? b->n : 1);
    cr_assert_not_null(exact);
    memcpy(exact, b->at, b->n);
    *status = ms_otool_open((struct ms_bytes){exact, b->n}, "x", &image, &err);
    if (*status != MS_OK)
        return "";
    if (json && (what == HEADER || what == ID))
        ms_json_object(&writer);
    if (what == HEADER)
        ms_otool_header(&image, &to);
    else if (what == COMMANDS)
        *status = ms_otool_commands(&image, &to, &err);
    else
        *status = ms_otool_libraries(&image, what == ID, &to, &err);
    if (json && (what == HEADER || what == ID))
        ms_json_object_end(&writer);
    return out.at ? out.at : "";
}

static void says(enum ms_status status, uint64_t offset, const char *message)
{
    cr_assert_eq(err.status, status);
    cr_assert_eq(err.offset, offset, "0x%llx", (unsigned long long)err.offset);
    cr_assert_str_eq(err.text, message);
}

#define TOP                                                                                        \
    "Mach header\n      magic cputype cpusubtype  caps    filetype ncmds sizeofcmds      flags\n"

Test(otool, headers)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0x80000002, 0, 0);
    cr_assert_str_eq(show(&b, HEADER, false, false, &status),
                     TOP " 0xfeedfacf 16777228          2  0x80           6     0          0 "
                         "0x00000085\n");
    cr_assert_str_eq(show(&b, HEADER, true, false, &status),
                     TOP "MH_MAGIC_64   ARM64          E  0x80       DYLIB     0          0   "
                         "NOUNDEFS DYLDLINK TWOLEVEL\n");
    header(&b, MS_CPU_I386, 3, 1, 8);
    cr_assert_str_eq(show(&b, HEADER, true, false, &status),
                     TOP "   MH_MAGIC    I386        ALL  0x00       DYLIB     1          8   "
                         "NOUNDEFS DYLDLINK TWOLEVEL\n");
    header(&b, 99, 5, 0, 0);
    cr_assert_str_eq(show(&b, HEADER, true, false, &status),
                     TOP "   MH_MAGIC      99          5  0x00       DYLIB     0          0   "
                         "NOUNDEFS DYLDLINK TWOLEVEL\n");
    cr_assert_str_eq(show(&b, HEADER, true, true, &status),
                     "{\"magic\":\"0xfeedface\",\"cputype\":99,\"cpusubtype\":5,\"caps\":\"0x0\","
                     "\"filetype\":6,\"filetype_name\":\"DYLIB\",\"ncmds\":0,\"sizeofcmds\":0,"
                     "\"flags\":\"0x85\",\"flag_names\":[\"NOUNDEFS\",\"DYLDLINK\",\"TWOLEVEL\"]}");
}

Test(otool, no_header)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0, 0, 0);
    for (b.n = 4; b.n < 32; b.n++) {
        char message[80];
        snprintf(message, sizeof message, "a Mach-O header needs 32 bytes, the file has %zu", b.n);
        show(&b, HEADER, false, false, &status);
        says(MS_E_FORMAT, 0, message);
    }
    b.at[0] = 0;
    show(&b, HEADER, false, false, &status);
    says(MS_E_FORMAT, 0, "not a Mach-O file: its magic number is 0xfeedfa00");
    b.n = 3;
    show(&b, HEADER, false, false, &status);
    says(MS_E_FORMAT, 0, "not a Mach-O file: its magic number is 0x00000000");
}

Test(otool, commands_up_to_the_damage)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0, 2, 32);
    u32(&b, 0x2a);
    u32(&b, 16);
    u32(&b, 5 << 10);
    u32(&b, 1 << 8);
    u32(&b, 0x26);
    u32(&b, 16);
    u32(&b, 0x1000);
    u32(&b, 8);
    const char *first = "Load command 0\n      cmd LC_SOURCE_VERSION\n  cmdsize 16\n  version "
                        "1.0.0.5\n";
    const char *both =
        "Load command 0\n      cmd LC_SOURCE_VERSION\n  cmdsize 16\n  version 1.0.0.5\n"
        "Load command 1\n      cmd LC_FUNCTION_STARTS\n  cmdsize 16\n"
        "  dataoff 4096 (past end of file)\n datasize 8 (past end of file)\n";
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status), both);
    cr_assert_eq(status, MS_OK);
    b.at[32 + 16 + 4] = 7; /* less than a command has */
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status), first);
    says(MS_E_FORMAT, 52, "load command 1 has a size of 7 bytes, at least 8 expected");
    b.at[32 + 16 + 4] = 20; /* more than there is */
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status), first);
    says(MS_E_FORMAT, 52, "load command 1 has 20 bytes, 16 remain");
    b.at[32 + 16 + 4] = 16;
    b.at[16] = 3; /* one more than there are */
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status), both);
    says(MS_E_FORMAT, 64, "load command 2 of 3 needs 8 bytes, 0 remain");
    b.at[16] = 1; /* one less */
    cr_assert_str_eq(
        show(&b, COMMANDS, false, false, &status),
        "Load command 0\n      cmd LC_SOURCE_VERSION\n  cmdsize 16\n  version 1.0.0.5\n"
        "Inconsistent sizeofcmds\n");
}

Test(otool, unknown_command)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0, 1, 48);
    u32(&b, 0x1234);
    u32(&b, 48);
    for (uint32_t i = 0; i < 10; i++)
        u32(&b, i);
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status),
                     "Load command 0\n      cmd ?(0x00001234) Unknown load command\n  cmdsize 48\n"
                     "00000000 00000001 00000002 00000003 00000004 00000005 00000006 00000007 \n"
                     "00000008 00000009 \n");
}

Test(otool, segments)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_I386, 3, 1, 56 + 68);
    u32(&b, 1);
    u32(&b, 56 + 68);
    text16(&b, "__TEXT");
    for (uint32_t i = 0; i < 4; i++)
        u32(&b, 0x1000 * i);
    u32(&b, 7);
    u32(&b, 13);
    u32(&b, 1);
    u32(&b, 0x14);
    text16(&b, "__symbol_stub456"); /* sixteen: no NUL */
    text16(&b, "__DATA");
    for (uint32_t i = 1; i < 8; i++)
        u32(&b, i == 7 ? 0x80000408 : i == 3 || i == 5 ? 16 : i == 6 ? 0 : i);
    u32(&b, 1);
    u32(&b, 6);
    cr_assert_str_eq(show(&b, COMMANDS, true, false, &status),
                     "Load command 0\n      cmd LC_SEGMENT\n  cmdsize 124\n  segname __TEXT\n"
                     "   vmaddr 0x00000000\n   vmsize 0x00001000\n"
                     "  fileoff 8192 (past end of file)\n filesize 12288 (past end of file)\n"
                     "  maxprot rwx\n initprot ?(0x0000000d)\n   nsects 1\n"
                     "    flags NORELOC SG_READ_ONLY\nSection\n  sectname __symbol_stub456\n"
                     "   segname __DATA (does not match segment)\n      addr 0x00000001\n"
                     "      size 0x00000002\n    offset 16\n     align 2^4 (16)\n    reloff 16\n"
                     "    nreloc 0\n      type S_SYMBOL_STUBS\n"
                     "attributes PURE_INSTRUCTIONS SOME_INSTRUCTIONS\n"
                     " reserved1 1 (index into indirect symbol table)\n"
                     " reserved2 6 (size of stubs)\n");
    cr_assert_eq(status, MS_OK);
    b.at[28 + 48] = 2; /* a section that isn't there */
    cr_assert_not_null(
        strstr(show(&b, COMMANDS, true, false, &status), "cmdsize 124 Inconsistent size\n"));
    cr_assert_not_null(
        strstr(out.at, "section structure command extends past end of load commands\n"));
}

static void library(struct bytes *b, uint32_t cmd, uint32_t name_off, const char *name)
{
    u32(b, cmd);
    u32(b, 40);
    u32(b, name_off);
    u32(b, 2);
    u32(b, 0x10203);
    u32(b, 0x10000);
    text16(b, name);
}

Test(otool, libraries)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0, 3, 120);
    library(&b, 0xd, 24, "@rpath/me");
    library(&b, 0x80000018, 24, "weak\x1bone");
    library(&b, 0xc, 40, "lost");
    cr_assert_str_eq(show(&b, LIBRARIES, true, false, &status),
                     "\t@rpath/me (compatibility version 1.0.0, current version 1.2.3)\n"
                     "\ttime stamp 2 Thu Jan  1 00:00:02 1970\n"
                     "\tweak?one (compatibility version 1.0.0, current version 1.2.3, weak)\n"
                     "\ttime stamp 2 Thu Jan  1 00:00:02 1970\n"
                     "\tBad offset (40) for name of LC_LOAD_DYLIB command 2\n");
    cr_assert_str_eq(show(&b, ID, false, false, &status), "@rpath/me\n");
    cr_assert_str_eq(show(&b, ID, false, true, &status), "{\"id\":\"@rpath/me\"}");
    b.at[32] = 0xc; /* loaded, no name of its own */
    cr_assert_str_eq(show(&b, ID, false, false, &status), "");
    cr_assert_str_eq(show(&b, ID, false, true, &status), "{}");
}

/* No cut makes it read beyond the end: the sanitizers watch. */
Test(otool, truncations)
{
    struct bytes b;
    enum ms_status status;
    header(&b, MS_CPU_ARM64, 0, 3, 120);
    library(&b, 0xd, 24, "@rpath/me");
    library(&b, 0x80000018, 24, "weak");
    library(&b, 0xc, 24, "last");
    size_t whole = b.n;
    for (b.n = 0; b.n <= whole; b.n++) {
        show(&b, COMMANDS, true, false, &status);
        cr_assert_eq(status == MS_OK, b.n == whole);
        show(&b, LIBRARIES, true, true, &status);
        cr_assert_eq(status == MS_OK, b.n == whole);
    }
}

/* A thread command with one state of `count` words: 1, 2, 3… */
static void thread(struct bytes *b, uint32_t cpu, uint32_t flavor, uint32_t count)
{
    header(b, cpu, 3, 1, 16 + 4 * count);
    u32(b, 4);
    u32(b, 16 + 4 * count);
    u32(b, flavor);
    u32(b, count);
    for (uint32_t i = 1; i <= count; i++)
        u32(b, i);
}

Test(otool, thread_states)
{
    struct bytes b;
    enum ms_status status;
    thread(&b, MS_CPU_I386, 3, 3);
    b.at[28 + 18] = 7; /* the CPU's number stands behind the trap's */
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status),
                     "Load command 0\n        cmd LC_THREAD\n    cmdsize 28\n"
                     "     flavor i386_EXCEPTION_STATE\n      count I386_EXCEPTION_STATE_COUNT\n"
                     "\t    trapno 0x00000001 err 0x00000002 faultvaddr 0x00000003\n");
    thread(&b, MS_CPU_X86_64, 11, 16);
    cr_assert_not_null(strstr(show(&b, COMMANDS, false, false, &status),
                              "     flavor x86_DEBUG_STATE64\n      count x86_DEBUG_STATE64_COUNT\n"
                              "\t    dr0 0x0000000200000001 dr1 0x0000000400000003 dr2 "));
    thread(&b, MS_CPU_ARM64, 7, 4);
    cr_assert_not_null(
        strstr(show(&b, COMMANDS, false, false, &status),
               "      count ARM_EXCEPTION_STATE64_COUNT\n"
               "\t   far  0x0000000200000001 esr 0x00000003 exception 0x00000004\n"));
    thread(&b, MS_CPU_PPC, 1, 40);
    cr_assert_not_null(
        strstr(show(&b, COMMANDS, false, false, &status),
               "    r0  0x00000003 r1  0x00000004 r2  0x00000005 r3   0x00000006 r4"));
    cr_assert_not_null(strstr(out.at, "vrsave 0x00000028 srr0 0x00000001 srr1 0x00000002\n"));
    thread(&b, MS_CPU_ARM64, 99, 9);
    cr_assert_str_eq(show(&b, COMMANDS, false, false, &status),
                     "Load command 0\n        cmd LC_THREAD\n    cmdsize 52\n"
                     "     flavor 99 (unknown)\n      count 9\n      state:\n"
                     "00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008 \n"
                     "00000009 \n");
}

Test(otool, float_state)
{
    struct bytes b;
    enum ms_status status;
    thread(&b, MS_CPU_X86_64, 8, 133);
    size_t state = 32 + 16;
    memcpy(b.at + state, "\5\0\0\0\x83\0\0\0", 8);
    memcpy(b.at + state + 8 + 8, "\x7f\x03\x80\xb8", 4); /* control, status */
    show(&b, COMMANDS, false, false, &status);
    cr_assert_not_null(strstr(out.at, "      count x86_FLOAT_STATE_COUNT\n"
                                      "\t    fsh.flavor x86_FLOAT_STATE64 fsh.count "
                                      "x86_FLOAT_STATE64_COUNT\n"
                                      "\t    fpu_reserved[0] 3 fpu_reserved[1] 4\n"));
    cr_assert_not_null(
        strstr(out.at, "\t    control: invalid 1 denorm 1 zdiv 1 ovrfl 1 undfl 1 precis 1\n"
                       "\t\t     pc FP_PREC_64B rc FP_RND_NEAR \n"
                       "\t    status: invalid 0 denorm 0 zdiv 0 ovrfl 0 undfl 0 precis 0 stkflt 0\n"
                       "\t            errsumm 1 c0 0 c1 0 c2 0 tos 7 c3 0 busy 1\n"));
    cr_assert_not_null(strstr(out.at, "\t    fpu_xmm15:\n\t      xmm_reg "));
    cr_assert_not_null(strstr(out.at, "\t    fpu_reserved1 0x00000085\n"));
    b.n -= 200; /* what isn't there is 0 */
    b.at[36] = (uint8_t)(b.n - 32);
    show(&b, COMMANDS, false, false, &status);
    cr_assert_eq(status, MS_E_FORMAT);
}

Test(otool, archive_headers)
{
    static const char text[] = "!<arch>\n"
                               "//              0           0     0     0       12        `\n"
                               "a_long_o/\n\n\n"
                               "/0              1700000000  501   20    104755  4         `\nabcd"
                               "#1/8            x           1     2     9       12        `\n"
                               "member\0\0abcd";
    struct ms_otool_style style = {true, true, false, NULL};
    struct ms_sink sink = {.write = to_text, .to = &out};
    struct ms_otool_out to = {&sink, NULL, &style};
    struct ms_archive archive;
    struct ms_bytes bytes = {(const uint8_t *)text, sizeof text - 1};
    ms_text_fini(&out);
    ms_text_init(&out, 1 << 20);
    cr_assert_eq(ms_archive_open(bytes, "x", &archive, &err), MS_OK);
    archive.long_names = (struct ms_bytes){bytes.at + 68, 12};
    cr_assert_eq(ms_otool_archive_header(&archive, 8, &to), 80u);
    cr_assert_eq(ms_otool_archive_header(&archive, 80, &to), 144u);
    cr_assert_eq(ms_otool_archive_header(&archive, 144, &to), 216u);
    cr_assert_str_eq(out.at,
                     "8\t?---------  0/0      12 Thu Jan  1 00:00:00 1970 //\n"
                     "80\t-rwsr-xr-x501/20      4 Tue Nov 14 22:13:20 2023 a_long_o\n"
                     "144\t(mode: \"9\" contains non-octal chars) ?---------  1/2      12 "
                     "(date: \"x\" contains non-decimal chars) Thu Jan  1 00:00:00 1970 member\n");
    cr_assert_eq(ms_otool_archive_header(&archive, 200, &to), 0u);
    cr_assert_eq(ms_otool_archive_header(&archive, UINT64_MAX, &to), 0u);
}
