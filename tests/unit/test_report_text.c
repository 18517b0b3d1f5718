/* Crash text read to the model: sections, threads, frames and what is looked up of them. */
#include "report_text.h"

Test(report_text, macos_translated)
{
    struct ms_report_file file = parse(
        "Process:               Widget [842]\n"
        "Path:                  /Applications/Widget.app/Contents/MacOS/Widget\n"
        "Code Type:             ARM-64 (Native)\n"
        "OS Version:            macOS 14.4.1 (23E224)\n"
        "\n"
        "Crashed Thread:        1  Dispatch queue: com.example.q\n"
        "\n"
        "Thread 0::  Dispatch queue: com.apple.main-thread\n"
        "0   libsystem_kernel.dylib        \t       0x18609fab4 mach_msg2_trap + 8\n"
        "1   Widget                        \t       0x102601a40 0x1025f8000 + 39488\n"
        "\n"
        "Thread 1 Crashed:: main worker  Dispatch queue: com.example.q\n"
        "0   Widget                        \t       0x1026020f8 closure #1 in Gadget.run() + 16 "
        "(Gadget.swift:17) [inlined]\n"
        "1   Widget                        \t       0x1026020f8 Gadget.spin(_:) + 120 "
        "(Gadget.swift:42)\n"
        "2   ???                           \t       0x1028513d0 ???\n"
        "\n"
        "Thread 3:: caulk.messenger.shared:17\n"
        "\n"
        "Thread 1 crashed with ARM Thread State (64-bit):\n"
        "    x0: 0x0000000000000000   x1: 0x0000000102601a40   x2: 0x0000000000000002\n"
        "    fp: 0x000000016d80e0f0   lr: 0xcb55fe01026020f8\n"
        "    sp: 0x000000016d80e0c0   pc: 0x00000001026020f8 cpsr: 0x60001000\n"
        "   far: 0x0000000000000018  esr: 0x92000006 (Data Abort) byte read\n"
        "\n"
        "Binary Images:\n" MAC_IMAGE "               0x0 - 0xffffffffffffffff ??? (*) "
        "<00000000-0000-0000-0000-000000000000> ???\n"
        "\n"
        "VM Region Summary:\n");
    const struct ms_report *report = &file.reports[0];
    cr_expect_eq(report->kind, MS_REPORT_TEXT);
    cr_expect_str_eq(report->process, "Widget");
    cr_expect_str_eq(report->code_type, "ARM-64");
    cr_expect_str_eq(report->os_version, "macOS 14.4.1 (23E224)");
    cr_expect_null(report->incident);
    cr_expect_null(report->note);
    cr_expect_eq(report->n_images, 2);
    cr_expect(report->images[0].usable && report->images[0].has_uuid);
    cr_expect_not(report->images[1].usable);
    cr_assert_eq(report->n_threads, 3);
    cr_expect_eq(report->crashed_thread, 1);
    cr_expect_null(report->threads[0].name);
    cr_expect_str_eq(report->threads[0].queue, "com.apple.main-thread");
    cr_expect(report->threads[1].crashed && !report->threads[0].crashed);
    cr_expect_str_eq(report->threads[1].name, "main worker");
    cr_expect_eq(report->threads[1].first_frame, 2);
    cr_expect_eq(report->threads[1].n_frames, 3);
    cr_expect_eq(report->threads[2].number, 3);
    cr_expect_str_eq(report->threads[2].name, "caulk.messenger.shared:17");
    cr_expect_eq(report->threads[2].n_frames, 0);
    expect_frames_of(report,
                     "T0 #0 0x18609fab4 - mach_msg2_trap+8 kept\n"
                     "T0 #1 0x102601a40-1 com.example.Widget\n"
                     "T1 #0 0x1026020f8 com.example.Widget closure #1 in Gadget.run()+16 "
                     "Gadget.swift:17 kept inlined\n"
                     "T1 #1 0x1026020f8 com.example.Widget Gadget.spin(_:)+120 Gadget.swift:42 "
                     "kept\n"
                     "T1 #2 0x1028513d0-1 -\n"
                     "R1 #1 0x102601a40 com.example.Widget\n"
                     "R1 #4 0x1026020f8-1 com.example.Widget\n"
                     "R1 #6 0x1026020f8 com.example.Widget\n");
    ms_report_file_fini(&file);
}

Test(report_text, ios_with_names_before_the_threads)
{
    struct ms_report_file file =
        parse("Incident Identifier: 1B2C3D4E-0000-4000-8000-000000000001\n" HEADER
              "Triggered by Thread:  5\n"
              "\n"
              "Thread 0 name:   Dispatch queue: com.apple.main-thread\n"
              "Thread 0:\n"
              "0   Widget                        \t0x0000000102601a40 <redacted> + 8\n"
              "\n"
              "Thread 5 name:  com.apple.uikit.eventfetch-thread\n"
              "Thread 5:\n"
              "0   Widget                        \t0x0000000102601a40 Widget + 39488\n"
              "1   Widget                        \t0x00000001026020f8 $s6Widget3fooyyF + 120\n"
              "\n"
              "Binary Images:\n" IOS_IMAGE "\nEOF\n");
    const struct ms_report *report = &file.reports[0];
    cr_expect_str_eq(report->incident, "1B2C3D4E-0000-4000-8000-000000000001");
    cr_assert_eq(report->n_threads, 2);
    cr_expect_null(report->threads[0].name);
    cr_expect_str_eq(report->threads[0].queue, "com.apple.main-thread");
    cr_expect_str_eq(report->threads[1].name, "com.apple.uikit.eventfetch-thread");
    cr_expect_eq(report->threads[1].number, 5);
    cr_expect_eq(report->crashed_thread, 1, "by the header");
    cr_expect(report->threads[1].crashed);
    expect_frames_of(report, "T0 #0 0x102601a40 Widget <redacted>+8\n"
                             "T1 #0 0x102601a40 Widget Widget+39488\n"
                             "T1 #1 0x1026020f8-1 Widget $s6Widget3fooyyF+120\n");
    ms_report_file_fini(&file);
}

Test(report_text, highlighted_is_not_crashed)
{
    struct ms_report_file file = parse(HEADER "Highlighted by Thread:  1\n"
                                              "\n"
                                              "Thread 0:\n"
                                              "0   Widget   \t0x102601a40 main + 8\n"
                                              "Thread 1 Highlighted:\n"
                                              "0   Widget   \t0x102601a44 f + 8\n");
    cr_expect_eq(file.reports[0].crashed_thread, 1);
    cr_expect_not(file.reports[0].threads[1].crashed);
    ms_report_file_fini(&file);
    file = parse(HEADER "Triggered by Thread:  Unknown\n\nBacktrace not available\n");
    cr_expect_eq(file.reports[0].crashed_thread, -1);
    cr_expect_str_eq(file.reports[0].note, "the report has no frames");
    ms_report_file_fini(&file);
}

Test(report_text, recursion_folded)
{
    struct ms_report_file file = parse(
        HEADER "Thread 0 Crashed:\n"
               "0   Widget                        \t       0x102601a40 0x1025f8000 + 39488\n"
               "-------- RECURSION LEVEL 8\n"
               "--------\n"
               "-------- ELIDED 4 LEVELS OF RECURSION THROUGH 0x1026023dc 0x1025f8000 + 41948\n"
               "--------\n"
               "41  Widget                        \t       0x102602c88 Gadget.loop() + 8688\n"
               "\n"
               "Binary Images:\n" IOS_IMAGE);
    const struct ms_report *report = &file.reports[0];
    expect_frames_of(report, "T0 #0 0x102601a40 Widget\n"
                             "E0 #0 0x1026023dc-1 Widget\n"
                             "T0 #41 0x102602c88-1 Widget Gadget.loop()+8688 kept\n");
    cr_expect_eq(report->threads[0].n_frames, 3, "elided ones are among a thread's");
    const struct ms_report_frame *elided = &report->frames[1];
    cr_expect_eq(elided->rest_bytes, strlen("0x1025f8000 + 41948"));
    cr_expect_eq(
        memcmp(file.bytes.at + elided->rest_off, "0x1025f8000 + 41948", elided->rest_bytes), 0);
    ms_report_file_fini(&file);
}

Test(report_text, last_exception_as_a_list)
{
    const char *expected = "L0 #0 0x1834d9e50-1 -\n"
                           "L0 #1 0x1026020f8-1 Widget\n"
                           "L0 #2 0x102601a40-1 Widget\n"
                           "T0 #0 0x102601a40 Widget main+8 kept\n";
#define AROUND(list)                                                                               \
    HEADER "Last Exception Backtrace:\n" list "\n"                                                 \
           "Thread 0 Crashed:\n"                                                                   \
           "0   Widget   \t0x102601a40 main + 8\n"                                                 \
           "Binary Images:\n" IOS_IMAGE
    expect_frames(AROUND("(0x1834d9e50 0x1026020f8 0x102601a40)\n"), expected);
    expect_frames(AROUND("(0x1834d9e50 0x1026020f8\n 0x102601a40)\n"), expected);
    expect_frames(AROUND("(\n0x1834d9e50,\r\n\t0x1026020f8\n> 0x102601a40\n)\n"), expected);
    expect_frames(AROUND("(0x1834d9e50 0x1026020f8 0x102601a40\n"), expected);
    expect_frames(AROUND("(0x1834d9e50 is where it crashed)\n"),
                  "T0 #0 0x102601a40 Widget main+8 kept\n");
    expect_frames(AROUND("()\n"), "T0 #0 0x102601a40 Widget main+8 kept\n");
#undef AROUND
}

Test(report_text, last_exception_as_frames_and_in_the_same_line)
{
    expect_frames(HEADER
                  "Last Exception Backtrace:\n"
                  "0   CoreFoundation                \t0x25aa3916 __exceptionPreprocess + 122\n"
                  "1   Widget                        \t0x102601a40 0x1025f8000 + 39488\n",
                  "L0 #0 0x25aa3916-1 - __exceptionPreprocess+122 kept\n"
                  "L0 #1 0x102601a40-1 Widget\n");
    expect_frames(HEADER "Last Exception Backtrace: (0x25aa3916 0x102601a40)\n",
                  "L0 #0 0x25aa3916-1 -\nL0 #1 0x102601a40-1 -\n");
}

Test(report_text, application_specific_backtraces)
{
    expect_frames(HEADER
                  "Application Specific Information:\n"
                  "*** Terminating app due to uncaught exception 'X', reason: 'y'\n"
                  "\n"
                  "Application Specific Backtrace 0:\n"
                  "0   CoreFoundation                      0x000000018627ed98 f + 176\n"
                  "1   Widget                              0x0000000102601a40 Widget + 39488\n"
                  "2   Widget                              0x00000001026020f8 _ZN1a1bEv + 247359\n"
                  "\xff\xfe\x01garbage\n"
                  "\n"
                  "Application Specific Backtrace 1:\n"
                  "0   CoreFoundation                      0x000000018627ed98 f + 176\n"
                  "\n"
                  "Thread 0 Crashed:\n"
                  "0   Widget                        \t       0x102601a40 main + 8\n"
                  "Binary Images:\n" IOS_IMAGE,
                  "A0 #0 0x18627ed98-1 - f+176\n"
                  "A0 #1 0x102601a40-1 Widget Widget+39488\n"
                  "A0 #2 0x1026020f8-1 Widget _ZN1a1bEv+247359\n"
                  "A1 #0 0x18627ed98-1 - f+176\n"
                  "T0 #0 0x102601a40 Widget main+8 kept\n");
}

Test(report_text, first_throw_inside_the_information)
{
    expect_frames("Process:         Widget [842]\n"
                  "Code Type:       X86-64 (Native)\n"
                  "Crashed Thread:  0\n"
                  "\n"
                  "Application Specific Information:\n"
                  "*** Call stack at first throw:\n"
                  "(\n"
                  "\t0   CoreFoundation                      0x00007fff3a3b1b57 f + 250\n"
                  "\t1   Widget                              0x0000000102601a40 main + 8\n"
                  ")\n"
                  "\n"
                  "Thread 0 Crashed:\n"
                  "0   Widget                        \t0x0000000102601a40 main + 8\n",
                  "A0 #0 0x7fff3a3b1b57-1 - f+250\n"
                  "A0 #1 0x102601a40-1 - main+8\n"
                  "T0 #0 0x102601a40 - main+8 kept\n");
    expect_frames(HEADER "Application Specific Information:\n"
                         "*** First throw call stack:\n"
                         "(0x3748188f 0x5b2f3)\n"
                         "\n",
                  "L0 #0 0x3748188f-1 -\nL0 #1 0x5b2f3-1 -\n");
}

Test(report_text, thumb_bits_and_32_bits)
{
    expect_frames("Process:             Widget [842]\n"
                  "Code Type:           ARM (Native)\n"
                  "Crashed Thread:  0\n"
                  "\n"
                  "Last Exception Backtrace:\n"
                  "(0x3748188f 0x5b2f3)\n"
                  "\n"
                  "Thread 0 Crashed:\n"
                  "0   Widget                        \t0x0005b2f2 0x5a000 + 4850\n"
                  "\n"
                  "Thread 0 crashed with ARM Thread State (32-bit):\n"
                  "    r0: 0x00000000    r1: 0x0005b301      r2: 0x00000000      r3: 0x00000000\n"
                  "    ip: 0x00000000    sp: 0x2fdff000      lr: 0x0005b2f3      pc: 0x0005b2f2\n"
                  "  cpsr: 0x40000030\n"
                  "\n"
                  "Binary Images:\n"
                  "   0x5a000 -    0x9ffff +Widget armv7  <" UUID_LOW "> /var/X.app/Widget\n",
                  "L0 #0 0x3748188e-1 -\n"
                  "L0 #1 0x5b2f2-1 Widget\n"
                  "T0 #0 0x5b2f2 Widget\n"
                  "R0 #1 0x5b300 Widget\n"
                  "R0 #6 0x5b2f2-1 Widget\n"
                  "R0 #7 0x5b2f2 Widget\n");
}

Test(report_text, arm_of_either_size)
{
#define STATE(code, state, arch)                                                                   \
    "Process:  Widget [842]\n" code "Crashed Thread:  0\n\nThread 0 Crashed:\n"                    \
    "0   Widget   \t0x102601a41 f + 1\n\nThread 0 crashed with " state ":\nBinary Images:\n"       \
    "0x1025f8000 - 0x1026affff Widget " arch " <" UUID_LOW "> /x\n"
    static const char *even = "T0 #0 0x102601a40 Widget f+1 kept\n";
    static const char *odd = "T0 #0 0x102601a41 Widget f+1 kept\n";
    expect_frames(STATE("Code Type: ARM-64\n", "ARM Thread State (64-bit)", "arm64"), odd);
    expect_frames(STATE("Code Type: ARM\n", "ARM Thread State (32-bit)", "armv7"), even);
    expect_frames(STATE("Code Type: ARM\n", "ARM Thread State", "armv7"), even);
    expect_frames(STATE("Code Type: ARM\n", "ARM Thread State", "arm64"), odd);
    expect_frames(STATE("Code Type: ARM64\n", "ARM Thread State", "arm64"), odd);
    expect_frames(STATE("", "Thread State", "armv7s"), even);
    expect_frames(STATE("", "Thread State", "arm64e"), odd);
    expect_frames(STATE("Code Type: X86-64\n", "X86 Thread State (64-bit)", "x86_64"), odd);
#undef STATE
}

Test(report_text, signal_trampoline)
{
    expect_frames(HEADER "Thread 0 Crashed:\n"
                         "0   Widget   \t0x102601a40 handler + 8\n"
                         "1   libsystem_platform.dylib   \t0x18609fab4 _sigtramp + 56\n"
                         "2   Widget   \t0x102601a44 g + 8 [inlined]\n"
                         "3   Widget   \t0x102601a44 f + 12\n"
                         "4   Widget   \t0x102601a80 main + 12\n",
                  "T0 #0 0x102601a40 - handler+8 kept\n"
                  "T0 #1 0x18609fab4-1 - _sigtramp+56 kept\n"
                  "T0 #2 0x102601a44 - g+8 kept inlined\n"
                  "T0 #3 0x102601a44 - f+12 kept\n"
                  "T0 #4 0x102601a80-1 - main+12 kept\n");
}

Test(report_text, a_thread_that_does_not_start_at_frame_0)
{
    expect_frames(HEADER "Thread 0 Crashed:\n"
                         "7   Widget   \t0x102601a40 main + 8\n",
                  "T0 #7 0x102601a40-1 - main+8 kept\n");
}

Test(report_text, inlined_without_a_tag)
{
    expect_frames(HEADER "Thread 0 Crashed:\n"
                         "0   Widget   \t0x102601a40 inner() + 4 (a.swift:1)\n"
                         "1   Widget   \t0x102601a40 outer() + 44 (:-1)\n"
                         "2   Widget   \t0x102602000 f + 8\n"
                         "3   Widget   \t0x102602000 f + 8\n",
                  "T0 #0 0x102601a40 - inner()+4 a.swift:1 kept inlined\n"
                  "T0 #1 0x102601a40 - outer()+44 kept\n"
                  "T0 #2 0x102602000-1 - f+8 kept\n"
                  "T0 #3 0x102602000-1 - f+8 kept\n");
}

Test(report_text, third_parties)
{
    expect_frames(HEADER
                  "Thread 0 Crashed:\n"
                  "0   Widget     \t0x102601a40 0x1025f8000 + 39488 (-[Gadget spin:] + 120)\n"
                  "1   Widget     \t0x1026020f8 0x1025f8000 + 41208 (_ZN6Gadget4spinEv + 8)\n"
                  "Binary Images:\n" IOS_IMAGE,
                  "T0 #0 0x102601a40 Widget -[Gadget spin:]+120 kept\n"
                  "T0 #1 0x1026020f8-1 Widget _ZN6Gadget4spinEv+8\n");
    expect_frames(HEADER "Thread 0 Crashed:\n"
                         "0       libsystem_kernel.dylib  \t0x193c9ce0c 0x193c9c000 + 0xe0c "
                         "\t// mach_msg_trap + 0x8\n"
                         "5     + libfoo.dylib            \t0x100228344 0x100224000 + 0x4344\n"
                         "7       Widget (*)              \t0x102601a40 0x1025f8000 + 0x9a40\n"
                         "Binary Images (dpkg):\n"
                         "0x100224000 - 0x100237fff + libfoo.dylib arm64  <" UUID_LOW "> /usr/x\n"
                         "\n"
                         "Binary Images (App Store):\n" IOS_IMAGE,
                  "T0 #0 0x193c9ce0c libsystem_kernel.dylib mach_msg_trap+8 kept\n"
                  "T0 #5 0x100228344-1 libfoo.dylib\n"
                  "T0 #7 0x102601a40-1 Widget\n");
    expect_frames(
        "Process:         Widget [842]\n"
        "Code Type:       ARM-64\n"
        "Crashed Thread:  0\n"
        "\n"
        "Thread 0 Crashed:\n"
        "0   Widget                              0x0000000102601a40 0x1025f8000 + 39488\n"
        "1   Widget                              0x00000001026020f8 ZN6Gadget4spinEv + 8\n"
        "2   Widget                              0x00000001026020fc main + 8\n",
        "T0 #0 0x102601a40 Widget\n"
        "T0 #1 0x1026020f8-1 - ZN6Gadget4spinEv+8\n"
        "T0 #2 0x1026020fc-1 - main+8 kept\n");
}

Test(report_text, sections_that_only_look_like_frames)
{
    expect_frames("Process:         Widget [842]\n"
                  "Code Type:       PPC (Translated)\n"
                  "Crashed Thread:  0\n"
                  "\n"
                  "Thread 0 Crashed:\n"
                  "0   ???                           \t0xb7fff9a0 0 + 3087006112\n"
                  "\n"
                  "Thread 0 crashed with X86 Thread State (32-bit):\n"
                  "  eax: 0x00000000  ebx: 0xb80b6b00  rip: <unavailable>\n"
                  "\n"
                  "Binary Images:\n"
                  "0xb8000000 - 0xb81d7fff translate (1.0) <" UUID_UPPER
                  "> /usr/libexec/translate\n"
                  "\n"
                  "Translated Code Information:\n"
                  "Thread 0: (0xb7fff9a0, 0xb80b6b00)\n"
                  "0x90a9b35c: /System/Library/AppKit : -[NSApplication run] + 12\n"
                  "VM Region Summary:\n"
                  "1   Widget   \t0x102601a40 0x1025f8000 + 39488\n",
                  "T0 #0 0xb7fff9a0 -\n"
                  "R0 #1 0xb80b6b00 translate\n");
}

Test(report_text, damage_is_noted)
{
    struct ms_report_file file = parse(HEADER "Thread 0 Crashed:\n"
                                              "0   a.out     \t@foo@ foo + 16 (test.c:3)\n"
                                              "1   a.out     \t0x102601a40 main + 16\n");
    cr_expect_str_eq(file.reports[0].note, "frame lines without an address: 1, the first at 0x7f");
    expect_frames_of(&file.reports[0], "T0 #1 0x102601a40-1 - main+16 kept\n");
    ms_report_file_fini(&file);
    file = parse(HEADER "Thread 0 Crashed:\n"
                        "0   a.out     \t0x102601a40 main + 16\n"
                        "Binary Images:\n"
                        "0x1025f8000 - 0x10zz Widget\n" IOS_IMAGE);
    cr_expect_str_eq(file.reports[0].note,
                     "lines of Binary Images not understood: 1, the first at 0xb3");
    cr_expect_eq(file.reports[0].n_images, 1);
    ms_report_file_fini(&file);
}

Test(report_text, pasted)
{
    const char *expected = "T0 #0 0x102601a40 Widget\n"
                           "T0 #1 0x1026020f8-1 Widget main+8 kept\n";
    expect_frames("\xef\xbb\xbf> Process: Widget [842]\r\n"
                  "> Crashed Thread: 0\r\n"
                  "> \r\n"
                  "> Thread 0 Crashed:: Dispatch queue: com.apple.main-thread\r\n"
                  "> 0 Widget 0x102601a40 0x1025f8000 + 39488\r\n"
                  "> 1 Widget 0x1026020f8 main + 8\r\n"
                  "> \r\n"
                  "> Binary Images:\r\n"
                  "> 0x1025f8000 - 0x1026affff Widget arm64 <" UUID_LOW "> /x/Widget\r\n",
                  expected);
    expect_frames("<p>I get:</p><pre>\n"
                  "Process: Widget [842]<br>\n"
                  "Crashed Thread: 0<br>\n"
                  "Thread 0 Crashed:<br>\n"
                  "0   Widget   \t0x102601a40 0x1025f8000 + 39488<br>\n"
                  "1   Widget   \t0x1026020f8 main + 8<br>\n"
                  "Binary Images:<br>\n"
                  "0x1025f8000 - 0x1026affff Widget arm64 &lt;" UUID_LOW
                  "&gt; /x/Widget<br></pre>\n",
                  expected);
    expect_frames("Process: Widget [842]\r"
                  "Crashed Thread: 0\r"
                  "Thread 0 Crashed:\r"
                  "0   Widget   \t0x102601a40 0x1025f8000 + 39488\r"
                  "1   Widget   \t0x1026020f8 main + 8\r"
                  "Binary Images:\r"
                  "0x1025f8000 - 0x1026affff Widget arm64 <" UUID_LOW "> /x/Widget",
                  expected);
    expect_frames("It crashes here, any idea?\n"
                  "\n"
                  "0   Widget   \t0x102601a40 0x1025f8000 + 39488\n"
                  "1   Widget   \t0x1026020f8 main + 8\n",
                  "T0 #0 0x102601a40 Widget\n"
                  "T0 #1 0x1026020f8-1 - main+8 kept\n");
}
