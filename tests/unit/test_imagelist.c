/* lib/report/imagelist and its readers: every form of text that lists loaded images. */
#include "machsym/imagelist.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ms_image_list list;
static struct ms_error err;

static enum ms_status parse(const char *text)
{
    /* A copy of the exact length, so that a sanitizer sees a read past the end. */
    size_t n = strlen(text);
    uint8_t *copy = malloc(n ? n : 1);
    memcpy(copy, text, n);
    enum ms_status status = ms_image_list_parse((struct ms_bytes){copy, n}, "list", &list, &err);
    free(copy); /* the list keeps copies of what it names */
    return status;
}

static void parse_well(const char *text, enum ms_image_list_kind kind, size_t n)
{
    enum ms_status status = parse(text);
    cr_assert_eq(status, MS_OK, "%s", err.text);
    cr_assert_eq(list.kind, kind, "kind %d", list.kind);
    cr_assert_eq(list.n, n, "%zu images", list.n);
}

static void expect(size_t i, const char *name, uint64_t load, bool is_main, bool ambiguous)
{
    const struct ms_loaded_image *image = &list.items[i];
    cr_assert_str_eq(image->name, name);
    cr_assert(image->has_load);
    cr_assert_eq(image->load_rt, load, "%s at 0x%llx", name, (unsigned long long)image->load_rt);
    cr_assert_eq(image->is_main, is_main, "%s", name);
    cr_assert_eq(image->ambiguous, ambiguous, "%s", name);
}

static void expect_uuid(size_t i, const char *wanted)
{
    char text[MS_UUID_TEXT];
    cr_assert(list.items[i].has_uuid);
    ms_uuid_format(&list.items[i].uuid, text);
    cr_assert_str_eq(text, wanted);
}

static void done(void)
{
    ms_image_list_fini(&list);
    cr_assert_null(list.items);
}

/* ---- vmmap ------------------------------------------------------------------------------ */

#define HEADER                                                                                     \
    "Process:         Widget [842]\n"                                                              \
    "Path:            /Applications/Widget.app/Contents/MacOS/Widget\n"                            \
    "Load Address:    0x1025f8000\n"                                                               \
    "Identifier:      com.example.Widget\n"                                                        \
    "Code Type:       ARM64\n"                                                                     \
    "Parent Process:  launchd [1]\n\n"                                                             \
    "Analysis Tool:   /usr/bin/vmmap\n----\n\n"
#define BODY                                                                                       \
    "Virtual Memory Map of process 842 (Widget)\nOutput report format:  2.4  -- 64-bit process\n"
#define COLUMNS                                                                                    \
    "REGION TYPE  START - END  [ VSIZE  RSDNT  DIRTY   SWAP] PRT/MAX SHRMOD PURGE  DETAIL\n"
#define NONWRITABLE "==== Non-writable regions for process 842\n" COLUMNS
#define WRITABLE "==== Writable regions for process 842\n"
#define WIDGET "/Applications/Widget.app/Contents/MacOS/Widget\n"
#define TEXT(range, path) "__TEXT  " range " [  736K   736K     0K     0K] r-x/r-x SM=COW  " path

Test(vmmap, full)
{
    parse_well(
        HEADER BODY NONWRITABLE TEXT(
            "1025f8000-1026b0000",
            "        " WIDGET) "__DATA_CONST  1026b0000-1026b4000 [   16K] r--/rw- SM=COW  " WIDGET
                               "MALLOC_TINY (empty) 14c600000-14c700000 [ 1024K] rw-/rwx SM=PRV "
                               "PURGE=N \n"
                               "__TEXT_EXEC  185d00000-185d10000 [   16K] r-x/r-x SM=COW  "
                               "/usr/lib/x\n" TEXT("185d5a000-185de2000", "/usr/lib/dyld\n")
                                   WRITABLE
        "==== Summary for process 842\n"
        "__TEXT                           180.4M    90.1M       0K       0K      300\n",
        MS_LIST_VMMAP, 2);
    expect(0, "Widget", 0x1025f8000, true, false);
    cr_assert_str_eq(list.items[0].path, "/Applications/Widget.app/Contents/MacOS/Widget");
    cr_assert_str_eq(list.items[0].arch, "arm64");
    expect(1, "dyld", 0x185d5a000, false, false);
    cr_assert_null(list.items[1].arch);
    cr_assert_not(list.items[1].has_uuid);
    cr_assert_null(list.note);
    done();
}

Test(vmmap, interleaved_with_crlf)
{
    parse_well(
        "==== regions for process 842  (non-writable and writable regions are interleaved)\r\n"
        "__TEXT 1025f8000-1026b0000 [ 736K 0K 0K 0K] r-x/r-x SM=COW PURGE=E /a b/Wid get\r\n",
        MS_LIST_VMMAP, 1);
    expect(0, "Wid get", 0x1025f8000, false, false);
    cr_assert_str_eq(list.items[0].path, "/a b/Wid get");
    done();
}

Test(vmmap, format_2_3_pads_addresses)
{
    parse_well(
        BODY NONWRITABLE
        "__TEXT   000000010c4ff000-000000010c516000 [   92K] r-x/rwx SM=COW  /usr/sbin/ocspd\n"
        "__TEXT   00007fff95fc0000-00007fff95fe7000 [  156K] r-x/r-x SM=COW  "
        "...ry/PrivateFrameworks/ChunkingLibrary.framework/Versions/A/ChunkingLibrary\n",
        MS_LIST_VMMAP, 2);
    expect(0, "ocspd", 0x10c4ff000, false, false);
    expect(1, "ChunkingLibrary", 0x7fff95fc0000, false, false);
    done();
}

Test(vmmap, format_10_4_has_no_end)
{
    parse_well(
        "Virtual Memory Map of process 77 (Clock)\n" NONWRITABLE
        "__TEXT                 00001000 [  40K] r-x/rwx SM=COW /App/MacOS/Clock\n"
        "__TEXT                 0000b000 [   4K] r-x/rwx SM=COW /App/MacOS/Clock\n"
        "__TEXT                 90000000 [ 1.8M] r-x/r-x SM=COW /usr/lib/libSystem.B.dylib\n"
        "__TEXT                 901c6000 [   8K] r-x/r-x SM=PRV /usr/lib/libSystem.B.dylib\n",
        MS_LIST_VMMAP, 2);
    expect(0, "Clock", 0x1000, false, false);
    expect(1, "libSystem.B.dylib", 0x90000000, false, false);
    done();
}

Test(vmmap, split_text_is_one_image)
{
    /* A page was patched, another never touched: three lines, in two sections. */
    parse_well(HEADER BODY NONWRITABLE TEXT("1025f8000-102600000", WIDGET)
                   TEXT("102604000-1026b0000", WIDGET) WRITABLE
               "__TEXT  102600000-102604000 [ 16K 16K 16K 0K] rw-/rwx SM=PRV  " WIDGET,
               MS_LIST_VMMAP, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    done();
    parse_well(BODY "unused __TEXT  1025f4000-1025f8000 [ 16K] r-x/r-x SM=COW  " WIDGET TEXT(
                   "1025f8000-1026b0000", WIDGET),
               MS_LIST_VMMAP, 1);
    expect(0, "Widget", 0x1025f8000, false, false);
    done();
}

Test(vmmap, several_places_are_ambiguous)
{
    parse_well(BODY NONWRITABLE TEXT("1025f8000-1026b0000", "/x/libx.dylib\n")
                   TEXT("105000000-105010000", "/x/libx.dylib\n"),
               MS_LIST_VMMAP, 2);
    expect(0, "libx.dylib", 0x1025f8000, false, true);
    expect(1, "libx.dylib", 0x105000000, false, true);
    done();
    /* But the header tells which of them is the program. */
    parse_well(HEADER BODY NONWRITABLE TEXT("1015f8000-1016b0000", WIDGET)
                   TEXT("1025f8000-1026b0000", WIDGET),
               MS_LIST_VMMAP, 2);
    expect(0, "Widget", 0x1015f8000, false, true);
    expect(1, "Widget", 0x1025f8000, true, false);
    done();
}

Test(vmmap, rosetta)
{
    parse_well(BODY NONWRITABLE TEXT("1025f8000-1026b0000", WIDGET)
                   TEXT("205000000-205010000", "/private/var/db/oah/1/2/Widget.aot\n")
                       TEXT("7ff7fff00000-7ff7fff10000", "/usr/libexec/rosetta/runtime\n"),
               MS_LIST_VMMAP, 3);
    expect(0, "Widget", 0x1025f8000, false, false);
    cr_assert(ms_image_path_matches(list.items[0].path, "Widget"));
    cr_assert_not(ms_image_path_matches(list.items[1].path, "Widget"));
    done();
}

Test(vmmap, header_alone)
{
    /* vmmap -summary, heap, leaks: no regions. */
    parse_well(HEADER "leaks Report Version: 4.0\nProcess 842: 12 nodes malloced for 4 KB\n",
               MS_LIST_VMMAP, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    done();
    parse_well("Process:         Wid get [842]\nLoad Address:    0x1025f8000\n"
               "Code Type:       X86-64 (translated)\n",
               MS_LIST_VMMAP, 1);
    expect(0, "Wid get", 0x1025f8000, true, false);
    cr_assert_str_eq(list.items[0].arch, "x86_64");
    done();
}

Test(vmmap, header_without_a_name)
{
    parse_well(
        "Load Address:    0x1025f8000\n" BODY NONWRITABLE TEXT("1025f8000-1026b0000", WIDGET),
        MS_LIST_VMMAP, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    done();
    parse_well("Load Address:    0x1025f8000\n", MS_LIST_VMMAP, 1);
    cr_assert_null(list.items[0].name);
    done();
}

Test(vmmap, header_against_regions)
{
    parse_well(HEADER BODY NONWRITABLE TEXT("1015f8000-1016b0000", WIDGET), MS_LIST_VMMAP, 2);
    cr_assert_str_eq(list.note, "the header gives the load address 0x1025f8000, but the __TEXT of "
                                "Widget starts at 0x1015f8000; the header's is taken");
    expect(0, "Widget", 0x1015f8000, false, true);
    expect(1, "Widget", 0x1025f8000, true, false);
    done();
}

Test(vmmap, two_processes)
{
    parse_well(
        HEADER BODY NONWRITABLE TEXT(
            "1025f8000-1026b0000",
            WIDGET) "Process:         Other [843]\nPath:            /x/Other\n"
                    "Load Address:    0x100a00000\n" TEXT("100a00000-100b00000", "/x/Other\n"),
        MS_LIST_VMMAP, 2);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect(1, "Other", 0x100a00000, true, false);
    done();
}

Test(vmmap, malformed_lines)
{
    parse_well(BODY NONWRITABLE TEXT(
                   "1025f8000-1026b0000",
                   WIDGET) "__TEXT  1026f8000-1026b0000 [ 736K] r-x/r-x SM=COW  /end/before/start\n"
                           "__TEXT  1026f8000-1027b0000 [ 736K r-x/r-x SM=COW  /no/bracket\n"
                           "__TEXT  1026f8000-1027b0000 [ 736K] rrx/r-x SM=COW  /no/protection\n"
                           "__TEXT  11112222333344445-111122223333444455 [ 736K] r-x/r-x SM=COW  "
                           "/too/long\n"
                           "__TEXT  1026f8000-1027b0000 [ 736K] r-x/r-x SM=COW\n"
                           "__TEXT  1026f8000-\n__TEXT \n__TEXT",
               MS_LIST_VMMAP, 1);
    cr_assert_str_eq(list.note, "4 lines of __TEXT regions can't be read, the first is line 6");
    done();
    cr_assert_eq(parse(BODY NONWRITABLE "Stack  16d808000-16e004000 [ 8176K] rw-/rwx SM=PRV\n"),
                 MS_E_FORMAT);
    cr_assert_str_eq(err.text,
                     "output of vmmap without a \"Load Address:\" line or a __TEXT region "
                     "that has a path");
    cr_assert_str_eq(err.where, "list");
    cr_assert_eq(err.offset, MS_NO_OFFSET);
}

/* ---- lldb ------------------------------------------------------------------------------- */

#define UUID1 "0F1E2D3C-4B5A-3697-8877-665544332211"
#define UUID2 "5A6B7C8D-0000-3111-8222-333344445555"

Test(lldb, default_columns)
{
    parse_well("(lldb) image list\n"
               "[  0] " UUID1
               " 0x00000001025f8000 /Applications/My App.app/Contents/MacOS/My App \n"
               "      /Users/USER/Widget.dSYM/Contents/Resources/DWARF/Widget\n"
               "[  1] " UUID2 " 0x0000000185d5a000 /usr/lib/dyld (0x0000000185d5a000)\n"
               "[123] 00000000-0000-0000-0000-000000000000 0x0000000185e00000 /x/libfoo.a(bar.o)\n",
               MS_LIST_LLDB, 3);
    expect(0, "My App", 0x1025f8000, true, false);
    expect_uuid(0, UUID1);
    expect(1, "dyld", 0x185d5a000, false, false);
    cr_assert_str_eq(list.items[1].path, "/usr/lib/dyld");
    expect(2, "libfoo.a(bar.o)", 0x185e00000, false, false);
    cr_assert_not(list.items[2].has_uuid);
    cr_assert_null(list.note);
    done();
}

static void expect_slide(size_t i, uint64_t slide)
{
    cr_assert(list.items[i].has_slide);
    cr_assert_eq(list.items[i].slide, slide);
}

Test(lldb, slides)
{
    parse_well("(lldb) image list -o -f\n[  0] 0x00000000025f8000 /x/Widget\n", MS_LIST_LLDB, 1);
    expect_slide(0, 0x25f8000);
    cr_assert_not(list.items[0].has_load);
    cr_assert_null(list.note);
    done();
    /* Without the command the numbers must tell. */
    parse_well("[  0] 0x00000000025f8000 /x/Widget\n[  1] 0x0000000107000000 /x/libx.dylib\n",
               MS_LIST_LLDB, 2);
    expect_slide(0, 0x25f8000);
    expect_slide(1, 0x107000000);
    cr_assert_str_eq(list.note, "the list doesn't say whether its addresses are load addresses or "
                                "slides; they are taken for slides");
    done();
    parse_well("[  0] 0x00000001025f8000 /x/Widget\n", MS_LIST_LLDB, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    cr_assert_not_null(list.note);
    done();
    parse_well("[  0] 0xfffffffffff00000 /x/Widget\n", MS_LIST_LLDB, 1);
    expect_slide(0, (uint64_t)-0x100000);
    done();
    parse_well("[  0] armv7-apple-ios 0x00004000 /x/Widget\n", MS_LIST_LLDB, 1);
    expect(0, "Widget", 0x4000, true, false);
    cr_assert_str_eq(list.items[0].arch, "armv7");
    done();
}

Test(lldb, columns_in_any_order)
{
    parse_well("(lldb) image list -ohu -p -A -f\n"
               "[  0] 0x25f8000 0x1025f8000 " UUID1 " 0x600001 arm64e /x/Widget\n",
               MS_LIST_LLDB, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect_slide(0, 0x25f8000);
    expect_uuid(0, UUID1);
    cr_assert_str_eq(list.items[0].arch, "arm64e");
    done();
    parse_well("[  0] 0x1025f8000 0x25f8000 {shared 2} x86_64-apple-macosx14.0.0 /x/Widget\n",
               MS_LIST_LLDB, 1);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect_slide(0, 0x25f8000);
    cr_assert_str_eq(list.items[0].arch, "x86_64");
    done();
    parse_well("target modules list --offset --header --basename\n[  0] 0x1 0x100000001 Widget\n",
               MS_LIST_LLDB, 1);
    expect(0, "Widget", 0x100000001, true, false);
    done();
    parse_well("[  0] 0x1 0x2 0x3 0x4 0x5 /x/Widget\n", MS_LIST_LLDB, 1);
    cr_assert_not(list.items[0].has_load);
    cr_assert_str_eq(list.note, "the list has 4 columns of numbers and doesn't say which is the "
                                "load address; make it with `image list`");
    done();
    parse_well("(lldb) image list -u -f\n[  0] " UUID1 " /x/Widget\n", MS_LIST_LLDB, 1);
    cr_assert_not(list.items[0].has_load);
    expect_uuid(0, UUID1);
    done();
}

Test(lldb, without_a_process)
{
    parse_well("[  0] " UUID1 " 0x0000000100000000 /x/Widget\n", MS_LIST_LLDB, 1);
    cr_assert_str_eq(list.note,
                     "Widget is listed at the address it is linked to: was the list made "
                     "without a running process?");
    done();
}

/* ---- dyld -------------------------------------------------------------------------------- */

Test(dyld, dyld4)
{
    parse_well("dyld[842]: Kernel mapped /Applications/Widget.app/Contents/MacOS/Widget\n"
               "dyld[842]:     __PAGEZERO (...) 0x0000025f8000->0x0001025f8000\n"
               "dyld[842]:         __TEXT (r.x) 0x0001025f8000->0x0001026b0000\n"
               "dyld[842]:         __DATA (rw.) 0x0001026b0000->0x0001026b8000\n"
               "dyld[842]: Mapping /usr/local/lib/libx.dylib (slice offset=557056)\n"
               "dyld[842]:         __TEXT (r.x) 0x000105000000->0x000105004000\n"
               "dyld[842]: Using mapping in dyld cache for /usr/lib/libSystem.B.dylib\n",
               MS_LIST_DYLD, 3);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect(1, "libx.dylib", 0x105000000, false, false);
    cr_assert_str_eq(list.items[1].path, "/usr/local/lib/libx.dylib");
    cr_assert_str_eq(list.items[2].name, "libSystem.B.dylib");
    cr_assert_not(list.items[2].has_load);
    done();
}

Test(dyld, dyld2)
{
    parse_well("dyld: Main executable mapped /bin/wid get\n"
               "        __PAGEZERO at 0x00000000->0x100000000\n"
               "            __TEXT at 0x1025F8000->0x1026B0000\n"
               "dyld: Mapping /usr/local/lib/libx.dylib (slice offset=557056)\n"
               "            __TEXT at 0x105000000->0x105003FFF with permissions r.x\n"
               "dyld: loaded: /usr/lib/libSystem.B.dylib\n"
               "dyld: loaded: <" UUID1 "> /usr/local/lib/libx.dylib\n",
               MS_LIST_DYLD, 3);
    expect(0, "wid get", 0x1025f8000, true, false);
    expect(1, "libx.dylib", 0x105000000, false, false);
    expect_uuid(1, UUID1);
    cr_assert_str_eq(list.items[2].name, "libSystem.B.dylib");
    done();
}

Test(dyld, libraries_give_segments_their_uuid)
{
    parse_well("dyld[842]: <" UUID1 "> /x/Widget\n"
               "dyld[842]: <" UUID2 "> /usr/lib/dyld\n"
               "dyld[842]: Kernel mapped /x/Widget\n"
               "dyld[842]:         __TEXT (r.x) 0x0001025f8000->0x0001026b0000\n",
               MS_LIST_DYLD, 2);
    cr_assert_str_eq(list.items[0].name, "dyld");
    expect_uuid(0, UUID2);
    expect(1, "Widget", 0x1025f8000, true, false);
    expect_uuid(1, UUID1);
    done();
}

Test(dyld, several_processes_and_a_log)
{
    parse_well("2024-05-01 14:47:18 Widget[842:5001] dyld[842]: Kernel mapped /x/Widget\n"
               "dyld[843]: Kernel mapped /x/Helper\n"
               "dyld[842]:         __TEXT (r.x) 0x0001025F8000->0x0001026B0000\n"
               "dyld[843]:         __TEXT (r.x) 0x000104000000->0x000104010000\n"
               "dyld[843]:         __TEXT (r.x) 0x000999000000->0x000999010000\n",
               MS_LIST_DYLD, 2);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect(1, "Helper", 0x104000000, true, false);
    done();
}

Test(dyld, segments_without_an_image)
{
    cr_assert_eq(parse("            __TEXT at 0x1025F8000->0x1026B0000\n"), MS_E_FORMAT);
    cr_assert_eq(parse("dyld[842]:  __TEXT (r.x) 0x0001025f8000->0x0001026b0000\n"), MS_E_FORMAT);
    cr_assert_eq(parse("dyld[842]: Kernel mapped \ndyld[842: Mapping /x\ndyld[]: Mapping /x\n"),
                 MS_E_FORMAT);
}

/* ---- Binary Images ------------------------------------------------------------------------ */

Test(binary_images, sample)
{
    parse_well("Analysis of sampling Widget (pid 842) every 1 millisecond\n" HEADER
               "Call graph:\n    2433 start  (in dyld) + 7184  [0x185d60000]\n\n"
               "Binary Images:\n"
               "       0x1025f8000 -        0x1026affff +com.example.Widget (1.0 - 7) <" UUID1
               "> /Applications/Widget.app/Contents/MacOS/Widget\n"
               "       0x185d5a000 -        0x185de1fff  dyld (1) <" UUID2 "> /usr/lib/dyld\n"
               "Sample analysis of process 842 written to file /dev/stdout\n",
               MS_LIST_BINARY_IMAGES, 2);
    expect(0, "Widget", 0x1025f8000, true, false);
    expect_uuid(0, UUID1);
    expect(1, "dyld", 0x185d5a000, false, false);
    done();
}

Test(binary_images, spindump)
{
    /* A list a process: what they share is told once. */
    parse_well("Process:          Widget [842]\nPath:             /x/Widget\n"
               "  1000  start + 7184 (dyld + 24576) [0x185d60000] 1-1000\n\n"
               "  Binary Images:\n"
               "           0x1025f8000 -        0x1026affff  com.example.Widget 1.0 (7) <" UUID1
               ">  /x/Widget\n"
               "  *0xfffffe0008000000 - 0xfffffe0008bfffff  kernel (10002) <" UUID2
               "> /System/Library/Kernels/kernel\n"
               "           0x185d5a000 -                ???  dyld <" UUID2 ">  /usr/lib/dyld\n\n"
               "Process:          Other [843]\nPath:             /x/Other\n"
               "  Binary Images:\n"
               "           0x100a00000 -        0x100afffff  Other (1) <" UUID1 ">  /x/Other\n"
               "           0x105000000 -        0x105ffffff  Widget <" UUID1 ">  /x/Widget\n"
               "           0x185d5a000 -                ???  dyld <" UUID2 ">  /usr/lib/dyld\n",
               MS_LIST_BINARY_IMAGES, 5);
    /* Two processes have it in two places, but in one of them it is the program. */
    expect(0, "Widget", 0x1025f8000, true, false);
    expect(1, "kernel", 0xfffffe0008000000, false, false);
    expect(2, "dyld", 0x185d5a000, false, false);
    expect(3, "Other", 0x100a00000, true, false);
    expect(4, "Widget", 0x105000000, false, true);
    done();
}

Test(binary_images, lines_alone)
{
    parse_well("0x1025f8000 - 0x1026affff Widget arm64  <0f1e2d3c4b5a36978877665544332211> "
               "/x/Widget.app/Widget\n",
               MS_LIST_BINARY_IMAGES, 1);
    expect(0, "Widget", 0x1025f8000, false, false);
    cr_assert_str_eq(list.items[0].arch, "arm64");
    expect_uuid(0, UUID1);
    done();
    parse_well("Binary Images:\n0x1025f8000 - 0x1026affff Widget arm64  <" UUID1 ">\n"
               "0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???\n",
               MS_LIST_BINARY_IMAGES, 1);
    expect(0, "Widget", 0x1025f8000, false, false);
    cr_assert_null(list.items[0].path);
    done();
}

Test(binary_images, swift_backtrace)
{
    parse_well("Images (3 omitted):\n\n"
               "0x1025f8000\xe2\x80\x93"
               "0x1026b0000 0f1e2d3c4b5a36978877665544332211 Widget "
               "/x/My Widget\n"
               "0x185d5a000\xe2\x80\x93"
               "0x185de2000 <no build ID> dyld /usr/lib/dyld\n",
               MS_LIST_BINARY_IMAGES, 2);
    expect(0, "My Widget", 0x1025f8000, false, false);
    expect_uuid(0, UUID1);
    done();
}

/* ---- all of them --------------------------------------------------------------------------- */

Test(imagelist, refuses_other_texts)
{
    static const char all_but[] = "names no loaded image: expected output of vmmap, heap or leaks, "
                                  "lldb's `image list`, DYLD_PRINT_SEGMENTS, or \"Binary Images:\" "
                                  "of sample or spindump";
    cr_assert_eq(parse(""), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "is empty");
    cr_assert_eq(parse("hello\nworld\n"), MS_E_FORMAT);
    cr_assert_str_eq(err.text, all_but);
    cr_assert_eq(parse("\xff\xff\xff"), MS_E_FORMAT);
    cr_assert_str_eq(err.text, all_but);
    cr_assert_eq(parse("\xcf\xfa\xed\xfe more"), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "a Mach-O file, where a list of loaded images is expected");
    cr_assert_eq(err.offset, 0);
    cr_assert_eq(parse("Path: /x/Widget\nProcess: Widget [1]\nLoad Address: none\n"), MS_E_FORMAT);
    cr_assert_null(list.items);
    cr_assert_null(list.storage);
}

Test(imagelist, many_images_in_good_time)
{
    enum { N = 200000 };
    char *text = malloc((size_t)N * 80), *at = text;
    at += sprintf(at, "Binary Images:\n");
    for (int i = 0; i < N; i++)
        at += sprintf(at, "0x%x000 - 0x%xfff X (1) <> /the/same/long/path/for/all\n", i + 1, i + 1);
    parse_well(text, MS_LIST_BINARY_IMAGES, N);
    expect(N - 1, "all", (uint64_t)N << 12, false, true);
    done();
    free(text);
}

Test(imagelist, paths_match)
{
    static const struct {
        const char *path, *wanted;
        bool matches;
    } cases[] = {
        {"/usr/lib/dyld", "dyld", true},
        {"/usr/lib/dyld", "/usr/lib/dyld", true},
        {"/usr/lib/dyld", "/lib/dyld", false},
        {"/usr/lib/dyld", "lib", false},
        {"dyld", "dyld", true},
        {"/x/Widget.aot", "Widget", false},
        {"/x/Widget", "Widget.aot", false},
        {"/Users/USER/*/Widget", "Widget", true},
        {"/Users/USER/*/Widget", "/Users/anna/Build/Products/Widget", true},
        {"/Users/USER/*/Widget", "/Users/anna/Build/Products/Gadget", false},
        {"/Users/USER/Widget", "/Users/anna/Widget", true},
        {"/Users/USER/Widget", "/Users/anna/b/Widget", false},
        {"*/Widget.app/Widget", "/var/x/Widget.app/Widget", true},
        {"...ry/PrivateFrameworks/X.framework/X", "X", true},
        {"...ry/PrivateFrameworks/X.framework/X", "/Library/PrivateFrameworks/X.framework/X", true},
        {"...ry/PrivateFrameworks/X.framework/X", "/Other/X.framework/X", false},
        {"/Applicatio...ts/MacOS/Widget", "/Applications/W.app/Contents/MacOS/Widget", true},
        {"/System/Library/Wid...", "Widget", true},
        {"/System/Library/Wid...", "Gadget", false},
        {"...idget", "Widget", true},
        {"/System/Library/...", "Widget", false},
        {"/x/*", "Widget", false},
        {"\xe2\x80\xa6/MacOS/Widget", "/a/MacOS/Widget", true},
        {"/private/var/x/W", "/var/x/W", true},
        {"/var/x/W", "/private/var/x/W", true},
        {"", "Widget", false},
        {"/x/Widget", "", false},
        {"/x/a*b*c", "aXbYcZbc", true},
        {"/x/a*b*c", "aXbYcZbd", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(ms_image_path_matches(cases[i].path, cases[i].wanted), cases[i].matches,
                     "%s as %s", cases[i].path, cases[i].wanted);
    cr_assert_not(ms_image_path_matches(NULL, "x"));
    cr_assert_not(ms_image_path_matches("x", NULL));
    /* Gaps cost no more than the product of both lengths. */
    char path[4000], wanted[4000];
    for (size_t i = 0; i < sizeof path; i++)
        path[i] = i % 2 ? '*' : 'a';
    memset(wanted, 'a', sizeof wanted);
    wanted[sizeof wanted - 1] = path[sizeof path - 1] = 0;
    wanted[sizeof wanted - 2] = path[sizeof path - 2] = 'b';
    cr_assert(ms_image_path_matches(path, wanted));
    path[sizeof path - 2] = 'c';
    cr_assert_not(ms_image_path_matches(path, wanted));
}
