/* Names written back into crash text: every other byte stays. */
#include "report_text.h"

static bool append(void *to, const char *bytes, size_t n)
{
    struct ms_text *text = to;
    ms_text_add(text, bytes, n);
    return !text->failed;
}

/* What is shown of the frames at one address. */
struct names {
    uint64_t address;
    size_t n;
    struct ms_shown_frame frames[3];
    enum ms_why why;
};

static char *write_with(const char *text, const struct names *names, size_t n_names,
                        struct ms_report_style style)
{
    struct ms_report_file file = parse(text);
    struct ms_shown *shown = calloc(file.reports[0].n_frames + 1, sizeof *shown);
    struct ms_text out;
    struct ms_error err;
    ms_text_init(&out, 1 << 20);
    struct ms_sink sink = {.write = append, .to = &out};
    for (size_t i = 0; i < file.reports[0].n_frames; i++)
        for (size_t k = 0; k < n_names; k++)
            if (names[k].address == file.reports[0].frames[i].address_rt)
                shown[i] = (struct ms_shown){
                    .frames = names[k].frames, .n_frames = names[k].n, .why = names[k].why};
    cr_assert_eq(ms_report_write(&file, 0, shown, MS_FORMAT_SAME, &style, &sink, &err), MS_OK);
    cr_assert_not(sink.failed);
    free(shown);
    ms_report_file_fini(&file);
    return out.at;
}

static void expect_written(const char *text, const struct names *names, size_t n_names,
                           struct ms_report_style style, const char *expected)
{
    char *out = write_with(text, names, n_names, style);
    cr_expect_str_eq(out, expected, "written:\n%s", out);
    free(out);
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
static const struct ms_report_style plain = {false, false, false};
static const struct ms_report_style outermost = {true, false, false};
static const struct ms_report_style renumber = {false, true, false};
static const struct ms_report_style explain = {false, false, true};

/* Three levels at 0x102601a40, one at 0x1026020f8, the start of a function at 0x102602c88. */
static const struct names widget[] = {
    {0x102601a40,
     3,
     {{.function = "first<A>()", .file = "a.swift", .line = 3, .inlined = true},
      {.function = "second()", .inlined = true, .has_offset = true, .offset = 16},
      {.function = "Gadget.run()",
       .file = "Gadget.swift",
       .line = 42,
       .column = 7,
       .has_offset = true,
       .offset = 120,
       .source = MS_SOURCE_DWARF}},
     MS_WHY_COMPLETE},
    {0x1026020f8,
     1,
     {{.function = "main",
       .file = "main.m",
       .has_offset = true,
       .offset = 36,
       .source = MS_SOURCE_NLIST}},
     MS_WHY_STRIPPED},
    {0x102602c88,
     1,
     {{.has_offset = true,
       .offset = 136,
       .start_rt = 0x102602c00,
       .source = MS_SOURCE_FUNCTION_START}},
     MS_WHY_STRIPPED},
    {0x185d60000, 0, {{.function = NULL}}, MS_WHY_NO_FILE},
};

#define START "Process: Widget [842]\nException Type:  EXC_CRASH\n\nThread 0 Crashed:\n"
#define FRAMES                                                                                     \
    "0   Widget                        \t       0x102601a40 0x1025f8000 + 39488\n"                 \
    "1   Widget                        \t       0x1026020f8 0x1025f8000 + 41208  \n"               \
    "2   Widget                        \t       0x102602c88 0x1025f8000 + 44168\n"                 \
    "3   dyld                          \t       0x185d60000 0x185d5a000 + 24576\n"

Test(report_write, rest_is_replaced_and_nothing_else)
{
    expect_written(
        START FRAMES "\nBinary Images:\n" IOS_IMAGE "\xff\xfe trailing", widget, COUNT(widget),
        plain,
        START
        "0   Widget                        \t       0x102601a40 first<A>() (a.swift:3) [inlined]\n"
        "0   Widget                        \t       0x102601a40 second() + 16 [inlined]\n"
        "0   Widget                        \t       0x102601a40 Gadget.run() + 120 "
        "(Gadget.swift:42)\n"
        "1   Widget                        \t       0x1026020f8 main + 36  \n"
        "2   Widget                        \t       0x102602c88 0x1025f8000 + 44168 "
        "(function at 0x102602c00 + 136)\n"
        "3   dyld                          \t       0x185d60000 0x185d5a000 + 24576\n"
        "\nBinary Images:\n" IOS_IMAGE "\xff\xfe trailing");
    expect_written(START FRAMES, NULL, 0, plain, START FRAMES);
    expect_written(START FRAMES, NULL, 0, renumber, START FRAMES);
}

Test(report_write, the_outermost_alone)
{
    expect_written(
        START "0   Widget                        \t       0x102601a40 0x1025f8000 + 39488\n",
        widget, COUNT(widget), outermost,
        START "0   Widget                        \t       0x102601a40 Gadget.run() + 120 "
              "(Gadget.swift:42)\n");
}

Test(report_write, explained)
{
    expect_written(START FRAMES "4   ???  \t0x1 ???\n", widget + 1, COUNT(widget) - 1, explain,
                   START
                   "0   Widget                        \t       0x102601a40 0x1025f8000 + 39488\n"
                   "1   Widget                        \t       0x1026020f8 main + 36 // nlist  \n"
                   "2   Widget                        \t       0x102602c88 0x1025f8000 + 44168 "
                   "(function at 0x102602c00 + 136) // function-start\n"
                   "3   dyld                          \t       0x185d60000 0x185d5a000 + 24576 "
                   "// no-file\n"
                   "4   ???  \t0x1 ???\n");
}

Test(report_write, explained_twice_is_explained_once)
{
    char *once = write_with(START FRAMES, widget + 1, COUNT(widget) - 1, explain);
    expect_written(once, widget + 1, COUNT(widget) - 1, explain, once);
    free(once);
    expect_written(START "0 dyld 0x185d60000 0x185d5a000 + 24576 (function at 0x1 + 2) // dwarf\n",
                   widget, COUNT(widget), explain,
                   START "0 dyld 0x185d60000 0x185d5a000 + 24576 (function at 0x1 + 2) // "
                         "no-file\n");
}

Test(report_write, renumbered_as_apple_does)
{
    expect_written(
        START "8   Widget   \t0x102601a40 0x1025f8000 + 39488\n"
              "9   Widget   \t0x1026020f8 0x1025f8000 + 41208\n"
              "-------- ELIDED 4 LEVELS OF RECURSION THROUGH 0x102601a40 0x1025f8000 + 39488\n"
              "97  Widget   \t0x102601a40 0x1025f8000 + 39488\n"
              "98  dyld     \t0x185d60000 start + 8\n"
              "\n"
              "Thread 1:\n"
              "0   dyld     \t0x185d60000 start + 8\n",
        widget, COUNT(widget), renumber,
        START "8   Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\n"
              "9   Widget   \t0x102601a40 second() + 16 [inlined]\n"
              "10  Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\n"
              "11  Widget   \t0x1026020f8 main + 36\n"
              "-------- ELIDED 4 LEVELS OF RECURSION THROUGH 0x102601a40 Gadget.run() + 120 "
              "(Gadget.swift:42)\n"
              "99  Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\n"
              "100 Widget   \t0x102601a40 second() + 16 [inlined]\n"
              "101 Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\n"
              "102 dyld     \t0x185d60000 start + 8\n"
              "\n"
              "Thread 1:\n"
              "0   dyld     \t0x185d60000 start + 8\n");
    expect_written(START "9 Widget 0x102601a40 0x1025f8000 + 39488\n", widget, COUNT(widget),
                   renumber,
                   START "9 Widget 0x102601a40 first<A>() (a.swift:3) [inlined]\n"
                         "10 Widget 0x102601a40 second() + 16 [inlined]\n"
                         "11 Widget 0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\n");
}

Test(report_write, inlined_lines_of_the_report_go_with_their_frame)
{
    static const char *text = START "0   Widget   \t0x102601a40 old() + 1 [inlined]\n"
                                    "1   Widget   \t0x102601a40 older() + 2\n"
                                    "2   Widget   \t0x1026020f8 kept() + 3 [inlined]\n"
                                    "3   Widget   \t0x1026020f8 f + 4\n"
                                    "4   Widget   \t0x102602000 g + 4\n";
    expect_written(text, widget, 1, plain,
                   START "1   Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\n"
                         "1   Widget   \t0x102601a40 second() + 16 [inlined]\n"
                         "1   Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\n"
                         "2   Widget   \t0x1026020f8 kept() + 3 [inlined]\n"
                         "3   Widget   \t0x1026020f8 f + 4\n"
                         "4   Widget   \t0x102602000 g + 4\n");
    expect_written(text, widget, 1, renumber,
                   START "0   Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\n"
                         "1   Widget   \t0x102601a40 second() + 16 [inlined]\n"
                         "2   Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\n"
                         "3   Widget   \t0x1026020f8 kept() + 3 [inlined]\n"
                         "4   Widget   \t0x1026020f8 f + 4\n"
                         "5   Widget   \t0x102602000 g + 4\n");
    expect_written(text, widget + 1, 1, renumber,
                   START "0   Widget   \t0x102601a40 old() + 1 [inlined]\n"
                         "1   Widget   \t0x102601a40 older() + 2\n"
                         "2   Widget   \t0x1026020f8 main + 36\n"
                         "3   Widget   \t0x102602000 g + 4\n");
}

Test(report_write, the_start_of_a_function_adds_to_what_is_no_name)
{
    expect_written(START "0   Widget   \t0x102602c88 f + 4\n"
                         "1   dyld     \t0x185d60000 start + 4\n"
                         "2   Widget   \t0x102602c88 <redacted> + 4\n"
                         "3   dyld     \t0x185d60000 start + 4\n"
                         "4   Widget   \t0x102602c88 Widget + 44168\n"
                         "5   dyld     \t0x185d60000 start + 4\n"
                         "6   Widget   \t0x102602c88 inner + 4 [inlined]\n"
                         "7   Widget   \t0x102602c88 0x1025f8000 + 44168\n"
                         "8   Widget   \t0x102602c88\n",
                   widget, COUNT(widget), plain,
                   START "0   Widget   \t0x102602c88 f + 4\n"
                         "1   dyld     \t0x185d60000 start + 4\n"
                         "2   Widget   \t0x102602c88 <redacted> + 4 (function at 0x102602c00 + "
                         "136)\n"
                         "3   dyld     \t0x185d60000 start + 4\n"
                         "4   Widget   \t0x102602c88 Widget + 44168 (function at 0x102602c00 + "
                         "136)\n"
                         "5   dyld     \t0x185d60000 start + 4\n"
                         "6   Widget   \t0x102602c88 inner + 4 [inlined]\n"
                         "7   Widget   \t0x102602c88 0x1025f8000 + 44168 (function at "
                         "0x102602c00 + 136)\n"
                         "8   Widget   \t0x102602c88 (function at 0x102602c00 + 136)\n");
}

Test(report_write, line_ends_and_missing_ones)
{
    expect_written("Process: Widget [842]\r\nCrashed Thread: 0\r\n\r\nThread 0 Crashed:\r\n"
                   "0   Widget   \t0x102601a40 0x1025f8000 + 39488\r\n"
                   "1   Widget   \t0x102601a40",
                   widget, 1, plain,
                   "Process: Widget [842]\r\nCrashed Thread: 0\r\n\r\nThread 0 Crashed:\r\n"
                   "0   Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\r\n"
                   "0   Widget   \t0x102601a40 second() + 16 [inlined]\r\n"
                   "0   Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)\r\n"
                   "1   Widget   \t0x102601a40 first<A>() (a.swift:3) [inlined]\r\n"
                   "1   Widget   \t0x102601a40 second() + 16 [inlined]\r\n"
                   "1   Widget   \t0x102601a40 Gadget.run() + 120 (Gadget.swift:42)");
}

Test(report_write, quoted_and_html)
{
    expect_written("> Process: Widget [842]\n> Crashed Thread: 0\n> Thread 0 Crashed:\n"
                   ">     0 Widget 0x102601a40 0x1025f8000 + 39488<br>\n",
                   widget, 1, plain,
                   "> Process: Widget [842]\n> Crashed Thread: 0\n> Thread 0 Crashed:\n"
                   ">     0 Widget 0x102601a40 first<A>() (a.swift:3) [inlined]<br>\n"
                   ">     0 Widget 0x102601a40 second() + 16 [inlined]<br>\n"
                   ">     0 Widget 0x102601a40 Gadget.run() + 120 (Gadget.swift:42)<br>\n");
    expect_written(
        START "0 Widget 0x102601a40 0x1025f8000 + 39488<br>\n"
              "Binary Images:\n0x1025f8000 - 0x1026affff Widget arm64 &lt;" UUID_LOW "&gt; /x\n",
        widget, 1, plain,
        START "0 Widget 0x102601a40 first&lt;A&gt;() (a.swift:3) [inlined]<br>\n"
              "0 Widget 0x102601a40 second() + 16 [inlined]<br>\n"
              "0 Widget 0x102601a40 Gadget.run() + 120 (Gadget.swift:42)<br>\n"
              "Binary Images:\n0x1025f8000 - 0x1026affff Widget arm64 &lt;" UUID_LOW "&gt; /x\n");
}

#define LIST_HEAD                                                                                  \
    "Process: Widget [842]\nCode Type: ARM-64\nException Type:  EXC_CRASH\n\n"                     \
    "Last Exception Backtrace:\n"

Test(report_write, lists_become_frame_lines)
{
    static const char *named =
        LIST_HEAD "0   ???                           \t0x00000001834d9e50 0x0 + 6497869392\n"
                  "1   Widget                        \t0x00000001026020f8 main + 36\n"
                  "2   Widget                        \t0x0000000102601a40 first<A>() (a.swift:3) "
                  "[inlined]\n"
                  "2   Widget                        \t0x0000000102601a40 second() + 16 [inlined]\n"
                  "2   Widget                        \t0x0000000102601a40 Gadget.run() + 120 "
                  "(Gadget.swift:42)\n"
                  "3   Widget                        \t0x0000000102601a44 0x1025f8000 + 39492\n"
                  "\nBinary Images:\n" IOS_IMAGE;
    expect_written(LIST_HEAD "(0x1834d9e50 0x1026020f8 0x102601a40 0x102601a44)\n"
                             "\nBinary Images:\n" IOS_IMAGE,
                   widget, COUNT(widget), plain, named);
    expect_written(LIST_HEAD "(0x1834d9e50 0x1026020f8\n 0x102601a40 0x102601a44\n)\n"
                             "\nBinary Images:\n" IOS_IMAGE,
                   widget, COUNT(widget), plain, named);
    expect_written(LIST_HEAD "(0x1834d9e50 0x1026020f8)\n", NULL, 0, plain,
                   LIST_HEAD "(0x1834d9e50 0x1026020f8)\n");
}

Test(report_write, lists_in_other_surroundings)
{
    expect_written("> Process: Widget [842]\n> Code Type: ARM\n> Exception Type: x\n> \n"
                   "> Last Exception Backtrace:\n>   (0x1026020f8\n> 0x1) and more\n",
                   widget, COUNT(widget), plain,
                   "> Process: Widget [842]\n> Code Type: ARM\n> Exception Type: x\n> \n"
                   "> Last Exception Backtrace:\n"
                   ">   0   ???                           \t0x1026020f8 main + 36\n"
                   ">   1   ???                           \t0x00000000 0x0 + 0 and more\n");
    expect_written("Process: Widget [842]\nException Type: x\n\n"
                   "Last Exception Backtrace: (0x1026020f8 0x102601a40)\n",
                   widget, COUNT(widget), renumber,
                   "Process: Widget [842]\nException Type: x\n\n"
                   "Last Exception Backtrace: \n"
                   "0   ???                           \t0x00000001026020f8 main + 36\n"
                   "1   ???                           \t0x0000000102601a40 first<A>() (a.swift:3) "
                   "[inlined]\n"
                   "2   ???                           \t0x0000000102601a40 second() + 16 "
                   "[inlined]\n"
                   "3   ???                           \t0x0000000102601a40 Gadget.run() + 120 "
                   "(Gadget.swift:42)\n");
}

Test(report_write, names_cannot_break_lines)
{
    static const struct names hostile[] = {
        {0x102601a40, 1, {{.function = "f\n\x1b[31m", .file = "a\r.c", .line = 1}}, 0}};
    expect_written(START "0   Widget   \t0x102601a40 0x1025f8000 + 39488\n", hostile, 1, plain,
                   START "0   Widget   \t0x102601a40 f??[31m (a?.c:1)\n");
}

Test(report_write, refuses)
{
    struct ms_report_file file = parse(START FRAMES);
    struct ms_error err;
    struct ms_text out;
    ms_text_init(&out, 1 << 20);
    struct ms_sink sink = {.write = append, .to = &out};
    cr_expect_eq(ms_report_write(&file, 1, NULL, MS_FORMAT_SAME, NULL, &sink, &err), MS_E_ARGUMENT);
    cr_expect_str_eq(err.text, "report 1 was asked for, the file has 1");
    cr_expect_eq(ms_report_write(&file, 0, NULL, MS_FORMAT_IPS, NULL, &sink, &err),
                 MS_E_UNSUPPORTED);
    cr_expect_str_eq(err.text, "a text report cannot be written as .ips: it lacks what that holds");
    cr_expect_eq(err.offset, 0);
    cr_expect_eq(out.n, 0);
    ms_report_file_fini(&file);
}

Test(report_write, a_sink_that_fails_stays_failed)
{
    struct ms_report_file file = parse(START FRAMES);
    struct ms_shown shown[8];
    struct ms_error err;
    struct ms_text out;
    memset(shown, 0, sizeof shown);
    ms_text_init(&out, 4);
    struct ms_sink sink = {.write = append, .to = &out};
    cr_expect_eq(ms_report_write(&file, 0, shown, MS_FORMAT_TEXT, NULL, &sink, &err), MS_OK);
    cr_expect(sink.failed);
    ms_report_file_fini(&file);
    ms_text_fini(&out);
}
