/*
 * render/ips_text: JSON reports as the classic text, in the layouts of macOS 12 to 15, iOS 15
 * to 18 and OS 26, as real reports that hold both forms have them.
 */
#include "unit/ips_builder.h"
#include "unit/ips_texts.h"

static void expect_text(const char *report, const char *wanted)
{
    struct parsed p = parse(report);
    struct ms_text text = write_report(&p, 0, NULL, MS_FORMAT_TEXT, NULL);
    size_t same = 0;
    while (same < text.n && text.at[same] == wanted[same])
        same++;
    cr_assert_str_eq(text.at, wanted, "differs at byte %zu:\n%.300s\nwanted\n%.300s", same,
                     text.at + same, wanted + same);
    ms_text_fini(&text);
    parsed_fini(&p);
}

Test(ips_text, macos)
{
    expect_text(macos_ips, macos_text);
}

Test(ips_text, ios)
{
    expect_text(ios_ips, ios_text);
}

Test(ips_text, os26)
{
    expect_text(os26_ips, os26_text);
}

/* The text is read by the other reader: the same images, threads, frames and addresses. */
static void expect_same_frames(const char *report)
{
    struct parsed p = parse(report);
    struct ms_text text = write_report(&p, 0, NULL, MS_FORMAT_TEXT, NULL);
    struct parsed again = parse_bytes(text.at, text.n);
    const struct ms_report *a = &p.file.reports[0], *b = &again.file.reports[0];
    size_t j = 0;
    cr_assert_eq(again.file.n_reports, 1);
    cr_assert_eq(b->kind, MS_REPORT_TEXT);
    cr_assert_eq(a->n_threads, b->n_threads);
    cr_assert_eq(a->crashed_thread, b->crashed_thread);
    cr_assert_str_eq(a->process, b->process);
    cr_assert_str_eq(a->os_version, b->os_version);
    for (size_t i = 0; i < a->n_frames; i++) {
        const struct ms_report_frame *frame = &a->frames[i];
        if (frame->place != MS_PLACE_THREAD)
            continue;
        while (j < b->n_frames && b->frames[j].place != MS_PLACE_THREAD)
            j++;
        cr_assert_lt(j, b->n_frames);
        cr_assert_eq(frame->address_rt, b->frames[j].address_rt);
        cr_assert_eq(frame->index, b->frames[j].index);
        cr_assert_eq(frame->inlined, b->frames[j].inlined);
        cr_assert_eq(frame->named, b->frames[j].named);
        cr_assert_eq(frame->lookup_rt, b->frames[j].lookup_rt, "frame %zu", i);
        j++;
    }
    parsed_fini(&again);
    ms_text_fini(&text);
    parsed_fini(&p);
}

Test(ips_text, is_read_as_the_same_report)
{
    expect_same_frames(macos_ips);
    expect_same_frames(ios_ips);
    expect_same_frames(os26_ips);
}

/* ---- parts ----------------------------------------------------------------------------- */

/* The text of the report holds `wanted` somewhere. */
static void expect_part(const char *report, const char *wanted)
{
    struct parsed p = parse(report);
    struct ms_text text = write_report(&p, 0, NULL, MS_FORMAT_TEXT, NULL);
    cr_assert_not_null(strstr(text.at, wanted), "%s\nis not in\n%s", wanted, text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}

static void expect_no_part(const char *report, const char *unwanted)
{
    struct parsed p = parse(report);
    struct ms_text text = write_report(&p, 0, NULL, MS_FORMAT_TEXT, NULL);
    cr_assert_null(strstr(text.at, unwanted), "%s\nis in\n%s", unwanted, text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}

#define X86_STATE                                                                                  \
    "\"rax\":{\"value\":11961289063992066107},\"rbx\":{\"value\":1},\"rcx\":{\"value\":2},"        \
    "\"rdx\":{\"value\":3},\"rdi\":{\"value\":4},\"rsi\":{\"value\":5},\"rbp\":{\"value\":6},"     \
    "\"rsp\":{\"value\":7},\"r8\":{\"value\":8},\"r9\":{\"value\":9},\"r10\":{\"value\":10},"      \
    "\"r11\":{\"value\":11},\"r12\":{\"value\":12},\"r13\":{\"value\":13},\"r14\":{\"value\":14}," \
    "\"r15\":{\"value\":15},\"rflags\":{\"value\":66054}"

#define X86_ROWS                                                                                   \
    "Thread 0 crashed with X86 Thread State (64-bit):\n"                                           \
    "  rax: 0xa5ff0907b303003b  rbx: 0x0000000000000001  rcx: 0x0000000000000002  "                \
    "rdx: 0x0000000000000003\n"                                                                    \
    "  rdi: 0x0000000000000004  rsi: 0x0000000000000005  rbp: 0x0000000000000006  "                \
    "rsp: 0x0000000000000007\n"                                                                    \
    "   r8: 0x0000000000000008   r9: 0x0000000000000009  r10: 0x000000000000000a  "                \
    "r11: 0x000000000000000b\n"                                                                    \
    "  r12: 0x000000000000000c  r13: 0x000000000000000d  r14: 0x000000000000000e  "                \
    "r15: 0x000000000000000f\n"

Test(ips_text, x86_state)
{
    expect_part(HEADER PAYLOAD("\"threads\":[{\"triggered\":true,\"threadState\":{" X86_STATE
                               ",\"rip\":{\"value\":16},\"cr2\":{\"value\":17},"
                               "\"cpu\":{\"value\":2},\"err\":{\"value\":33554760},"
                               "\"trap\":{\"value\":133}}}]"),
                X86_ROWS
                "  rip: 0x0000000000000010  rfl: 0x0000000000010206  "
                "cr2: 0x0000000000000011\n  \nLogical CPU:     2\n"
                "Error Code:      0x02000148 \nTrap Number:     133\n\n\nBinary Images:\n");
}

Test(ips_text, rosetta_state)
{
    expect_part(HEADER PAYLOAD("\"threads\":[{\"triggered\":true,\"threadState\":{" X86_STATE
                               ",\"rosetta\":{\"tmp0\":{\"value\":1},\"tmp1\":{\"value\":2},"
                               "\"tmp2\":{\"value\":3}}}}]"),
                X86_ROWS "  rip: <unavailable>  rfl: 0x0000000000010206\n"
                         " tmp0: 0x0000000000000001 tmp1: 0x0000000000000002 "
                         "tmp2: 0x0000000000000003\n\n\nBinary Images:\n");
}

Test(ips_text, instruction_stream)
{
    expect_part(HEADER PAYLOAD(
                    "\"threads\":[{\"triggered\":true,\"threadState\":{" X86_STATE
                    ",\"rip\":{\"value\":1},\"trap\":{\"value\":14,\"description\":\"(write)\"}},"
                    "\"instructionState\":{\"instructionStream\":{\"offset\":23,\"bytes\":["
                    "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,65,66,67,68,69,70,71,72,73,74,75,76,"
                    "77,78,79,80,255,127]}}}]"),
                "Error Code:      0x00000000 (write)\nTrap Number:     14\n\n"
                "Thread 0 instruction stream:\n"
                "  00 01 02 03 04 05 06 07-08 09 0a 0b 0c 0d 0e 0f  ................\n"
                "  41 42 43 44 45 46 47[48]49 4a 4b 4c 4d 4e 4f 50  ABCDEFGHIJKLMNOP\t<==\n"
                "  ff 7f                  -                         ..\n\nBinary Images:\n");
}

Test(ips_text, arm32_state)
{
    expect_part(HEADER PAYLOAD("\"threads\":[{\"triggered\":true,\"threadState\":{\"r\":["
                               "{\"value\":0},{\"value\":1},{\"value\":2},{\"value\":3},"
                               "{\"value\":4},{\"value\":5},{\"value\":6},{\"value\":7},"
                               "{\"value\":8},{\"value\":9},{\"value\":10},{\"value\":11}],"
                               "\"ip\":{\"value\":12},\"sp\":{\"value\":13},\"lr\":{\"value\":14},"
                               "\"pc\":{\"value\":15},\"cpsr\":{\"value\":16}}}]"),
                "Thread 0 crashed with ARM Thread State (32-bit):\n"
                "    r0: 0x00000000    r1: 0x00000001      r2: 0x00000002      r3: 0x00000003\n"
                "    r4: 0x00000004    r5: 0x00000005      r6: 0x00000006      r7: 0x00000007\n"
                "    r8: 0x00000008    r9: 0x00000009     r10: 0x0000000a     r11: 0x0000000b\n"
                "    ip: 0x0000000c    sp: 0x0000000d      lr: 0x0000000e      pc: 0x0000000f\n"
                "  cpsr: 0x00000010\n\nBinary Images:\n");
}

Test(ips_text, what_is_missing)
{
    expect_part(HEADER, "Process:               Widget [???]\n");
    expect_part(HEADER, "Backtrace not available\n\n"
                        "No thread state (register information) available\n\n"
                        "Binary Images:\nBinary images description not available\n");
    expect_part(HEADER, "OS Version:            macOS 14.4.1 (23E224)\n");
    expect_part(HEADER "{\"procName\":\"x\",\"threads\":[{\"frames\":["
                       "{\"imageIndex\":7,\"imageOffset\":16}]}]}",
                "Crashed Thread:        Unknown\n");
    expect_part("{\"procName\":\"x\",\"exception\":{\"type\":\"EXC_GUARD\"},"
                "\"legacyInfo\":{\"threadHighlighted\":4}}",
                "Highlighted by Thread: 4\n\nException Type:        EXC_GUARD\n\n");
    expect_part("{\"procName\":\"x\",\"legacyInfo\":{\"threadHighlighted\":0},"
                "\"threads\":[{\"frames\":[]}]}",
                "Highlighted by Thread: 0\n");
    expect_part("{\"procName\":\"x\",\"exception\":{\"codes\":\"0x1, 0x2\",\"signal\":\"SIGILL\"},"
                "\"osVersion\":{\"isEmbedded\":true}}",
                "Exception Type:   (SIGILL)\nException Codes: 0x1, 0x2\nTriggered by Thread:  "
                "Unknown\n");
}

Test(ips_text, layout_by_system)
{
    /* A simulator's report is one of macOS, whatever its platform. */
    expect_part("{\"platform\":7,\"bug_type\":\"309\",\"os_version\":\"macOS 26.2 (25C56)\"}\n"
                "{\"procName\":\"x\",\"faultingThread\":0,\"osVersion\":{\"train\":\"macOS 26.2\"},"
                "\"threads\":[{\"name\":\"n\"}]}",
                "\nThread 0 Crashed:: n\n");
    expect_part("{\"platform\":2,\"bug_type\":\"309\"}\n"
                "{\"procName\":\"x\",\"faultingThread\":0,\"threads\":[{\"name\":\"n\"}]}",
                "\nThread 0 name:  n\nThread 0 Crashed:\n");
    expect_part("{\"procName\":\"x\",\"faultingThread\":0,"
                "\"osVersion\":{\"train\":\"iPhone OS 26.1\",\"build\":\"\"},"
                "\"threads\":[{\"queue\":\"q\"}]}",
                "OS Version:          iPhone OS 26.1 ()\n");
    expect_part("{\"procName\":\"x\",\"osVersion\":{\"train\":\"Watch OS 10.1\"},\"exception\":{}}",
                "Report Version:      104\n");
    expect_no_part("{\"procName\":\"x\",\"osVersion\":{\"train\":\"iPhone OS 26.1\"},"
                   "\"exception\":{}}",
                   "EOF");
}

Test(ips_text, control_characters_forge_nothing)
{
    const char *report = "{\"procName\":\"a\\nThread 9 Crashed:\\u0000\\u001b[2J\",\"pid\":1,"
                         "\"faultingThread\":0,\"threads\":[{\"name\":\"n\\nx\","
                         "\"frames\":[{\"imageIndex\":0,\"imageOffset\":1,"
                         "\"symbol\":\"f\\r\\n9 x 0x1 y\",\"symbolLocation\":2}]}]," IMAGES "}";
    expect_part(report, "Process:               a?Thread 9 Crashed:??[2J [1]\n");
    expect_part(report, "Thread 0 Crashed:: n?x\n");
    expect_part(report, " f??9 x 0x1 y + 2\n");
}

Test(ips_text, names_and_styles)
{
    static const struct ms_shown_frame chain[] = {
        {.function = "inner", .file = "I.c", .line = 3, .inlined = true, .source = MS_SOURCE_DWARF},
        {.function = "outer", .has_offset = true, .offset = 8, .source = MS_SOURCE_NLIST},
    };
    static const struct ms_report_style explained = {.renumber = true, .explain = true};
    struct parsed p = parse(HEADER PAYLOAD(
        FRAMES("{\"imageIndex\":0,\"imageOffset\":16},{\"imageIndex\":1,\"imageOffset\":32}")));
    struct ms_shown shown[2] = {{.frames = chain, .n_frames = 2}, {.why = MS_WHY_NO_FILE}};
    struct ms_text text = write_report(&p, 0, shown, MS_FORMAT_TEXT, NULL);
    const char *plain =
        "0   Widget                        \t       0x1025f8010 inner (I.c:3) [inlined]\n"
        "0   Widget                        \t       0x1025f8010 outer + 8\n"
        "1   libfoo.dylib                  \t       0x180000020 0x180000000 + 32\n\n";
    cr_assert_not_null(strstr(text.at, plain), "%s", text.at);
    ms_text_fini(&text);
    text = write_report(&p, 0, shown, MS_FORMAT_TEXT, &explained);
    plain =
        "0   Widget                        \t       0x1025f8010 inner (I.c:3) [inlined] // dwarf\n"
        "1   Widget                        \t       0x1025f8010 outer + 8 // nlist\n"
        "2   libfoo.dylib                  \t       0x180000020 0x180000000 + 32 // no-file\n\n";
    cr_assert_not_null(strstr(text.at, plain), "%s", text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}
