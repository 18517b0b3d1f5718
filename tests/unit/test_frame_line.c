/* Single lines of crash text: frames, what follows the address, images, heads of sections. */
#include "report/crash_text.h"
#include "report/crash_text_frame.h"
#include "report/crash_text_images.h"

#include <criterion/criterion.h>

static char room[256];

static const char *cut(const char *text, struct ms_line_part part)
{
    cr_assert_lt(part.n, sizeof room);
    memcpy(room, text + part.at, part.n);
    room[part.n] = 0;
    return room;
}

/* ---- frames --------------------------------------------------------------------------- */

static void expect_frame(const char *line, uint32_t index, const char *image, uint64_t address,
                         const char *text)
{
    struct ms_frame_line parts;
    cr_assert(ms_frame_line_parse(line, strlen(line), &parts), "%s", line);
    cr_expect_eq(parts.index, index, "%s: index %u", line, parts.index);
    cr_expect_str_eq(cut(line, parts.image), image);
    cr_expect_eq(parts.address_rt, address, "%s: 0x%llx", line,
                 (unsigned long long)parts.address_rt);
    cr_expect_str_eq(cut(line, parts.text), text);
}

static void expect_no_frame(const char *line)
{
    struct ms_frame_line parts;
    cr_expect_not(ms_frame_line_parse(line, strlen(line), &parts), "%s", line);
}

Test(frame_line, apples_columns)
{
    expect_frame("0   Widget                        \t       0x102601a40 0x1025f8000 + 39488", 0,
                 "Widget", 0x102601a40, "0x1025f8000 + 39488");
    expect_frame("128 Widget                        \t0x0000000102601a40 0x1025f8000 + 39488", 128,
                 "Widget", 0x102601a40, "0x1025f8000 + 39488");
    expect_frame("3   CoreFoundation                      0x000000018627ed98 __CFRunLoopRun + 176",
                 3, "CoreFoundation", 0x18627ed98, "__CFRunLoopRun + 176");
    expect_frame("1   UIKit                         \t0x35c63258 UIApplicationMain + 1076", 1,
                 "UIKit", 0x35c63258, "UIApplicationMain + 1076");
    expect_frame("5   ???                           \t       0x1028513d0 ???", 5, "???",
                 0x1028513d0, "???");
    expect_frame("511 com.example.A.Very.Long.Bundle.Identifier\t0x000000010e389a40 f + 1", 511,
                 "com.example.A.Very.Long.Bundle.Identifier", 0x10e389a40, "f + 1");
    expect_frame("1000Widget                        \t0x0000000102601a40 f + 1", 1000, "Widget",
                 0x102601a40, "f + 1");
}

Test(frame_line, names_with_blanks_and_addresses)
{
    expect_frame("0   App Namespace                 \t0x0000000102601a40 0x1025f8000 + 39488", 0,
                 "App Namespace", 0x102601a40, "0x1025f8000 + 39488");
    expect_frame("0   My 0x1 App                    \t0x0000000102601a40 f + 8", 0, "My 0x1 App",
                 0x102601a40, "f + 8");
    expect_frame("0   My 0x1 App                          0x0000000102601a40 f + 8", 0,
                 "My 0x1 App", 0x102601a40, "f + 8");
    expect_frame("0   My 0x12345678 App                   0x0000000102601a40 0x1025f8000 + 39488",
                 0, "My 0x12345678 App", 0x102601a40, "0x1025f8000 + 39488");
    expect_frame("5     + libfoo.dylib                  \t0x100228344 0x100224000 + 0x4344", 5,
                 "libfoo.dylib", 0x100228344, "0x100224000 + 0x4344");
    expect_frame("7   ...reUpdate.UpdateBrainService\t0x000000010e389a40 f + 1", 7,
                 "...reUpdate.UpdateBrainService", 0x10e389a40, "f + 1");
}

Test(frame_line, as_people_paste_them)
{
    expect_frame("0 Widget 0x102601a40 0x1025f8000 + 39488", 0, "Widget", 0x102601a40,
                 "0x1025f8000 + 39488");
    expect_frame("    > 0   Widget   0x102601a40 f + 8   ", 0, "Widget", 0x102601a40, "f + 8");
    expect_frame("0   Widget   \t0x102601a40 f + 8<br>", 0, "Widget", 0x102601a40, "f + 8");
    expect_frame("0\xc2\xa0\xc2\xa0 Widget\xc2\xa0 0x102601a40\xc2\xa0"
                 "f + 8",
                 0, "Widget", 0x102601a40, "f + 8");
    expect_frame("0\tWidget\t0x102601a40\t0x1025f8000 + 39488\r", 0, "Widget", 0x102601a40,
                 "0x1025f8000 + 39488");
    expect_frame("0   Widget   \t0x102601a40", 0, "Widget", 0x102601a40, "");
    expect_frame("0                                 \t0x00000000 0 + 0", 0, "", 0, "0 + 0");
}

Test(frame_line, no_frames)
{
    expect_no_frame("");
    expect_no_frame("0");
    expect_no_frame("0   Widget");
    expect_no_frame("0   a.out                         \t@foo@ foo + 16 (test.c:3)");
    expect_no_frame("0x1025f8000 - 0x1026affff Widget arm64  <0f> /x");
    expect_no_frame("Thread 0:");
    expect_no_frame("1234567890   Widget 0x1 f + 8");
    expect_no_frame("0   Widget 0x10000000102601a40 f + 8"); /* more than 64 bits */
    expect_no_frame("0   Widget 0x102601a40: f");
    expect_no_frame("0 0x102601a40 f + 8");
}

/* ---- what follows the address --------------------------------------------------------- */

static void expect_rest(const char *text, const char *symbol, int64_t offset, const char *file,
                        uint32_t line, bool inlined)
{
    struct ms_frame_rest rest;
    ms_frame_rest_parse(text, strlen(text), &rest);
    cr_expect_str_eq(cut(text, rest.symbol), symbol, "%s: symbol %s", text, room);
    cr_expect_eq(rest.has_offset, offset >= 0, "%s: has an offset", text);
    cr_expect(offset < 0 || rest.offset == (uint64_t)offset, "%s: offset", text);
    cr_expect_str_eq(cut(text, rest.file), file, "%s: file %s", text, room);
    cr_expect_eq(rest.line, line, "%s: line %u", text, rest.line);
    cr_expect_eq(rest.inlined, inlined, "%s: inlined", text);
    cr_expect_not(rest.has_load, "%s: load address", text);
}

static void expect_load(const char *text, uint64_t load, uint64_t offset, const char *symbol)
{
    struct ms_frame_rest rest;
    ms_frame_rest_parse(text, strlen(text), &rest);
    cr_expect_eq(rest.has_load, load != 0, "%s", text);
    cr_expect(!load || rest.load_rt == load, "%s: load address", text);
    cr_expect_eq(rest.load_offset, offset, "%s: offset", text);
    cr_expect_str_eq(cut(text, rest.symbol), symbol, "%s: symbol %s", text, room);
}

Test(frame_rest, symbols)
{
    expect_rest("start + 7184", "start", 7184, "", 0, false);
    expect_rest("Gadget.spin(_:) + 120 (Gadget.swift:42)", "Gadget.spin(_:)", 120, "Gadget.swift",
                42, false);
    expect_rest("main (main.m:20)", "main", -1, "main.m", 20, false);
    expect_rest("f + 0x1c (a.c:3:7)", "f", 28, "a.c", 3, false);
    expect_rest("closure #1 in Gadget.run() + 16 (Gadget.swift:17) [inlined]",
                "closure #1 in Gadget.run()", 16, "Gadget.swift", 17, true);
    expect_rest("f + 24 (/<compiler-generated>:4) [inlined]", "f", 24, "/<compiler-generated>", 4,
                true);
    expect_rest("f + 24 [inlined]", "f", 24, "", 0, true);
    expect_rest("f + 24 [inlined] (a.swift:4)", "f", 24, "a.swift", 4, true);
    expect_rest("__pthread_kill + 8 (:-1)", "__pthread_kill", 8, "", 0, false);
    expect_rest("-[Foo(Bar) x:] + 8 (My File (2).m:20)", "-[Foo(Bar) x:]", 8, "My File (2).m", 20,
                false);
    expect_rest("<redacted> + 8", "<redacted>", 8, "", 0, false);
    expect_rest("-[NSObject(NSObject) doesNotRecognizeSelector:]",
                "-[NSObject(NSObject) doesNotRecognizeSelector:]", -1, "", 0, false);
}

Test(frame_rest, symbols_that_look_like_more)
{
    expect_rest("operator+(A const&) + 12", "operator+(A const&)", 12, "", 0, false);
    expect_rest("a + b", "a + b", -1, "", 0, false);
    expect_rest("f(int) (.cold.1)", "f(int) (.cold.1)", -1, "", 0, false);
    expect_rest("f + 99999999999999999999", "f + 99999999999999999999", -1, "", 0, false);
    expect_rest("f (a.c:99999999999)", "f (a.c:99999999999)", -1, "", 0, false);
    expect_rest("f (:5)", "f (:5)", -1, "", 0, false);
    expect_rest("???", "", -1, "", 0, false);
    expect_rest("", "", -1, "", 0, false);
    expect_rest("+[NSException raise:format:] + 128", "+[NSException raise:format:]", 128, "", 0,
                false);
}

Test(frame_rest, load_addresses)
{
    expect_load("0x1025f8000 + 39488", 0x1025f8000, 39488, "");
    expect_load("0x1025f8000 + 0x9a40", 0x1025f8000, 39488, "");
    expect_load("0x1025f8000", 0x1025f8000, 0, "");
    expect_load("0x0 + 4336000976", 0, 4336000976, "");
    expect_load("0 + 1", 0, 1, "");
    expect_load("0x1025f8000 + 39488 (-[Gadget spin:] + 120)", 0x1025f8000, 39488,
                "-[Gadget spin:]");
    expect_load("0x1025f8000 + 39488 (Missing UUID 0f1e2d3c)", 0x1025f8000, 39488, "");
    expect_load("0x193c9c000 + 0xe0c \t// mach_msg_trap + 0x8", 0x193c9c000, 0xe0c,
                "mach_msg_trap");
}

Test(frame_rest, what_this_program_appends)
{
    expect_rest("f + 24 (a.c:4) [inlined] // dwarf", "f", 24, "a.c", 4, true);
    expect_rest("f + 24 // no-file // nlist", "f", 24, "", 0, false);
    expect_rest("// no-file", "", -1, "", 0, false);
    expect_rest("f + 24 // whatever", "f + 24 // whatever", -1, "", 0, false);
    expect_load("0x1025f8000 + 39488 (function at 0x102601a00 + 64)", 0x1025f8000, 39488, "");
    expect_load("0x1025f8000 + 39488 (function at 0x102601a00 + 64) // function-start", 0x1025f8000,
                39488, "");
    expect_rest("<redacted> + 8 (function at 0x102601a00 + 64)", "<redacted>", 8, "", 0, false);
}

/* ---- images --------------------------------------------------------------------------- */

struct image {
    uint64_t load, end;
    const char *name, *arch, *uuid, *path;
    bool usable;
};

static void expect_image(const char *line, struct image image)
{
    struct ms_image_line parts;
    char uuid[MS_UUID_TEXT] = "";
    cr_assert(ms_image_line_parse(line, strlen(line), &parts), "%s", line);
    cr_expect_eq(parts.load_rt, image.load, "%s: load", line);
    cr_expect_eq(parts.end_rt, image.end, "%s: end 0x%llx", line, (unsigned long long)parts.end_rt);
    cr_expect_str_eq(cut(line, parts.name), image.name, "%s: name %s", line, room);
    cr_expect_str_eq(cut(line, parts.arch), image.arch, "%s: arch %s", line, room);
    cr_expect_str_eq(cut(line, parts.path), image.path, "%s: path %s", line, room);
    cr_expect_eq(parts.usable, image.usable, "%s: usable", line);
    if (parts.has_uuid)
        ms_uuid_format(&parts.uuid, uuid);
    cr_expect_str_eq(uuid, image.uuid, "%s: uuid %s", line, uuid);
}

#define LOW "0f1e2d3c4b5a36978877665544332211"
#define DASHED "0f1e2d3c-4b5a-3697-8877-665544332211"
#define UPPER "0F1E2D3C-4B5A-3697-8877-665544332211"

Test(image_line, ios)
{
    expect_image("       0x1025f8000 -        0x1026affff Widget arm64  <" LOW
                 "> /var/containers/X/Widget.app/Widget",
                 (struct image){0x1025f8000, 0x1026b0000, "Widget", "arm64", UPPER,
                                "/var/containers/X/Widget.app/Widget", true});
    expect_image("0x5a000 - 0x9ffff +App Namespace armv7s  <" LOW "> /var/App Namespace.app/App X",
                 (struct image){0x5a000, 0xa0000, "App Namespace", "armv7s", UPPER,
                                "/var/App Namespace.app/App X", true});
    expect_image("0x100224000 - 0x100237fff + libfoo.dylib arm64e  <" LOW
                 "> /usr/lib/libfoo.dylib {\"name\":\"libfoo\"}",
                 (struct image){0x100224000, 0x100238000, "libfoo.dylib", "arm64e", UPPER,
                                "/usr/lib/libfoo.dylib", true});
    expect_image("0x1000 - 0x1fff +Widget arm64-unknown  <" LOW "> /x",
                 (struct image){0x1000, 0x2000, "Widget", "arm64", UPPER, "/x", true});
    expect_image("0x1000 - 0x1fff Widget unknown  <" LOW "> /x",
                 (struct image){0x1000, 0x2000, "Widget", "", UPPER, "/x", true});
}

Test(image_line, macos)
{
    expect_image("       0x10e380000 -        0x10e3cffcf +com.example.Widget (4.19.0 - 6771) "
                 "<" UPPER "> /Applications/Widget.app/Contents/MacOS/Widget",
                 (struct image){0x10e380000, 0x10e3cffd0, "com.example.Widget", "", UPPER,
                                "/Applications/Widget.app/Contents/MacOS/Widget", true});
    expect_image(
        "0x10e380000 - 0x10e3cffff com.example.Foo (3.13.6, (c) 2001-2024 Foo.) <" DASHED "> */Foo",
        (struct image){0x10e380000, 0x10e3d0000, "com.example.Foo", "", UPPER, "*/Foo", true});
    expect_image("0x101000000 - 0x101000fff com.example.Widget (x86_64)  <" UPPER "> /Users/x/y",
                 (struct image){0x101000000, 0x101001000, "com.example.Widget", "x86_64", UPPER,
                                "/Users/x/y", true});
    expect_image(
        "0x101000000 - 0x101000fff +Widget x86_64 (400.9.4 - 1.0.0) <" LOW "> /x/Widget",
        (struct image){0x101000000, 0x101001000, "Widget", "x86_64", UPPER, "/x/Widget", true});
    expect_image("*0xffffff8000210000 - 0xffffff8000c0ffff  kernel (8020.121.3) <" UPPER
                 "> /System/Library/Kernels/kernel",
                 (struct image){0xffffff8000210000, 0xffffff8000c10000, "kernel", "", UPPER,
                                "/System/Library/Kernels/kernel", true});
    expect_image(
        "0x1025f8000 - 0x1026affff  com.example.Widget 4.19.0 (6771) <" UPPER ">  /x",
        (struct image){0x1025f8000, 0x1026b0000, "com.example.Widget", "", UPPER, "/x", true});
}

Test(image_line, what_is_unknown)
{
    expect_image("               0x0 - 0xffffffffffffffff ??? (*) "
                 "<00000000-0000-0000-0000-000000000000> ???",
                 (struct image){0, 0, "", "", "", "", false});
    expect_image("0x105d2e000 -                ???  Name <" UPPER "> /usr/lib/Name",
                 (struct image){0x105d2e000, 0, "Name", "", UPPER, "/usr/lib/Name", true});
    expect_image("0x1025f8000 - 0x1025f7fff Widget arm64  <" LOW "> /x",
                 (struct image){0x1025f8000, 0, "Widget", "arm64", UPPER, "/x", true});
    expect_image("0x1025f8000 - 0x1024f7fff Widget arm64  <" LOW "> /x",
                 (struct image){0x1025f8000, 0, "Widget", "arm64", UPPER, "/x", true});
    expect_image("0x91000 - 0x91fff libGLU.dylib ??? (??"
                 "?) /System/Library/libGLU.dylib",
                 (struct image){0x91000, 0x92000, "libGLU.dylib", "", "",
                                "/System/Library/libGLU.dylib", true});
    expect_image("0x91000 - 0x91fff  Other ???  <??"
                 "?> /var/X/Other",
                 (struct image){0x91000, 0x92000, "Other", "", "", "/var/X/Other", true});
    expect_image("0x100000000 - 0x200000000 +a.out (0) <@UUID@> /tmp/a.out",
                 (struct image){0x100000000, 0x200000001, "a.out", "", "", "/tmp/a.out", true});
    expect_image("0x1025f8000 - 0x1026affff Widget arm64  <00000000000000000000000000000000> /x",
                 (struct image){0x1025f8000, 0x1026b0000, "Widget", "arm64", "", "/x", true});
}

Test(image_line, as_people_paste_them)
{
    struct image image = {0x1025f8000, 0x1026b0000, "Widget", "arm64", UPPER, "/x/Widget", true};
    expect_image("> 0x1025f8000 - 0x1026affff Widget arm64 <" LOW "> /x/Widget", image);
    expect_image("0x1025f8000 \xe2\x80\x93 0x1026affff Widget arm64 <" LOW "> /x/Widget", image);
    expect_image("0x1025f8000 - 0x1026affff Widget arm64 &lt;" LOW "&gt; /x/Widget<br>", image);
}

Test(image_line, no_images)
{
    struct ms_image_line parts;
    const char *lines[] = {"",
                           "0x1025f8000",
                           "0x1025f8000 - ",
                           "0x1025f8000 - 0x1026affff",
                           "0x1025f8000 - 0x1026affffWidget",
                           "0   Widget   0x102601a40 f + 8",
                           "MALLOC 0x1 - 0x2"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        cr_expect_not(ms_image_line_parse(lines[i], strlen(lines[i]), &parts), "%s", lines[i]);
}

/* ---- heads of sections ---------------------------------------------------------------- */

static void expect_head(const char *line, enum ms_crash_line kind, bool crashed, bool highlighted,
                        uint32_t number, const char *rest)
{
    struct ms_crash_head head;
    ms_crash_head_parse(line, strlen(line), &head);
    cr_expect_eq(head.kind, kind, "%s: kind %d", line, (int)head.kind);
    cr_expect_eq(head.crashed, crashed, "%s: crashed", line);
    cr_expect_eq(head.highlighted, highlighted, "%s: highlighted", line);
    cr_expect_eq(head.number, number, "%s: number %u", line, head.number);
    cr_expect_str_eq(line + head.rest, rest, "%s: rest %s", line, line + head.rest);
}

Test(crash_head, threads)
{
    expect_head("Thread 7:", MS_LINE_THREAD, false, false, 7, "");
    expect_head("Thread 0 Crashed::  Dispatch queue: q", MS_LINE_THREAD, true, false, 0,
                "  Dispatch queue: q");
    expect_head("Thread 0 Crashed:", MS_LINE_THREAD, true, false, 0, "");
    expect_head("Thread 1 Crashed: Test Thread Name", MS_LINE_THREAD, true, false, 1,
                " Test Thread Name");
    expect_head("Thread 3:: caulk.messenger.shared:17", MS_LINE_THREAD, false, false, 3,
                " caulk.messenger.shared:17");
    expect_head("Thread 2 Attributed:", MS_LINE_THREAD, false, true, 2, "");
    expect_head("Thread 4 Highlighted:", MS_LINE_THREAD, false, true, 4, "");
    expect_head("Thread 5 name:  com.apple.x:17", MS_LINE_THREAD_NAME, false, false, 5,
                "  com.apple.x:17");
    expect_head("Thread 0 crashed with ARM Thread State (64-bit):", MS_LINE_STATE, false, false, 0,
                "ARM Thread State (64-bit):");
    expect_head("Unknown thread crashed with X86 Thread State (32-bit):", MS_LINE_STATE, false,
                false, 0, "X86 Thread State (32-bit):");
}

Test(crash_head, others)
{
    expect_head("Last Exception Backtrace:", MS_LINE_LAST_EXCEPTION, false, false, 0, "");
    expect_head("Application Specific Backtrace 1:", MS_LINE_APP_SPECIFIC, false, false, 1, "");
    expect_head("*** First throw call stack:", MS_LINE_FIRST_THROW, false, false, 0, "");
    expect_head("*** Call stack at first throw:", MS_LINE_FIRST_THROW, false, false, 0, "");
    expect_head("Binary Images:", MS_LINE_IMAGES, false, false, 0, "");
    expect_head("Binary Images (dpkg):", MS_LINE_IMAGES, false, false, 0, "");
    expect_head("Thread 0 instruction stream:", MS_LINE_TITLE, false, false, 0,
                "Thread 0 instruction stream:");
    expect_head("VM Region Summary:", MS_LINE_TITLE, false, false, 0, "VM Region Summary:");
    expect_head("Binary images description not available", MS_LINE_OTHER, false, false, 0,
                "Binary images description not available");
    expect_head("Thread 0: (0xb7fff9a0, 0xb80b6b00)", MS_LINE_OTHER, false, false, 0,
                "Thread 0: (0xb7fff9a0, 0xb80b6b00)");
    expect_head("Thread 99999999999:", MS_LINE_TITLE, false, false, 0, "Thread 99999999999:");
    expect_head("x", MS_LINE_OTHER, false, false, 0, "x");
}
