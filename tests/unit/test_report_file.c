/* A file as a whole: what is in it, how it is cut into reports, and which image holds what. */
#include "report/model.h"
#include "report_text.h"

#include <stdio.h>

/* ---- what it is ----------------------------------------------------------------------- */

static void expect_kind(const char *text, size_t n, const char *kind)
{
    struct ms_report_file file;
    struct ms_error err;
    char expected[160];
    snprintf(expected, sizeof expected, "not a crash report, but %s", kind);
    cr_expect_eq(ms_report_parse((struct ms_bytes){(const uint8_t *)text, n}, "x.txt", &file, &err),
                 MS_E_FORMAT);
    cr_expect_str_eq(err.text, expected, "%s", err.text);
    cr_expect_str_eq(err.where, "x.txt");
    cr_expect_eq(err.offset, MS_NO_OFFSET);
}

Test(report_file, what_is_no_crash_report)
{
    expect_kind("", 0, "an empty file");
    expect_kind(" \r\n\n", 4, "a file of blank lines");
    expect_kind("\xcf\xfa\xed\xfe\x0c\0\0\x01", 8, "a Mach-O file");
    expect_kind("\xca\xfe\xba\xbe\0\0\0\x02", 8, "a universal Mach-O file");
    expect_kind("bplist00\xd1", 9, "a binary property list");
    expect_kind("plcrash\x01\x0a", 9,
                "a binary PLCrashReporter report (plcrashutil converts it to text)");
    expect_kind("PK\x03\x04", 4, "a ZIP archive");
    expect_kind("\xff\xfeP\0r\0", 6, "UTF-16 text (convert it to UTF-8)");
    expect_kind("P\0r\0o\0", 6, "UTF-16 text (convert it to UTF-8)");
    expect_kind("a\0b\0\0\0\x01\x02", 8, "UTF-16 text (convert it to UTF-8)");
    expect_kind("abc\0\x01\x02", 6, "binary data");
#define KIND(text, kind) expect_kind(text, strlen(text), kind)
    KIND("hello\n", "text without a thread or an exception");
    KIND("{\\rtf1 Process: Widget}", "a rich-text (RTF) document (save it as plain text)");
    KIND("Analysis of sampling Widget (pid 842)\nProcess: Widget [842]\nCall graph:\n"
         "    2433 Thread_13078\nBinary Images:\n" IOS_IMAGE,
         "a sample report");
    KIND("Process: Widget [842]\nAnalysis Tool:   /usr/bin/vmmap\n----\n", "a memory map of vmmap");
    KIND("Date/Time: x\nData Source:      Stackshots\nProcess:          Widget [842]\n",
         "a spindump, hang or resource report");
    KIND("Incident Identifier: 1\nException Code:      0xbaaaaaad\n\nProcess 0 info:\n",
         "a stackshot");
    KIND("panic(cpu 2 caller 0xfffffff01c0a1b2c): oops\n", "a kernel panic");
    KIND("# Crashlytics - plaintext stacktrace\nCrashed: com.apple.main-thread\n"
         "0  Widget   0xa0f8 Gadget.spin(_:) + 42 (Gadget.swift:42)\n",
         "a stack trace from Crashlytics");
    KIND("x Widget[842:5001] *** First throw call stack:\n(0x1834d9e50 0x182f48538)\n",
         "a console log with an exception's call stack");
    KIND("* thread #1, queue = 'x'\n  * frame #0: 0x0000000102601a40 Widget`main\n",
         "a backtrace of lldb");
    KIND("0   Widget                              0x00000001026020f8 main + 120\n",
         "text without a thread or an exception");
#undef KIND
}

Test(report_file, a_report_without_threads)
{
    struct ms_report_file file = parse("Process:               Widget [842]\n"
                                       "Path:                  <unknown>\n"
                                       "Identifier:            com.example.Widget\n");
    cr_expect_eq(file.n_reports, 1);
    cr_expect_eq(file.reports[0].n_frames, 0);
    cr_expect_str_eq(file.reports[0].note, "the report has no frames");
    ms_report_file_fini(&file);
}

/* ---- several reports ------------------------------------------------------------------ */

static void expect_part(const struct ms_report_file *file, size_t i, const char *start,
                        const char *end)
{
    const struct ms_report *report = &file->reports[i];
    size_t n = strlen(start), m = strlen(end);
    cr_assert_leq(n, report->bytes);
    cr_expect_eq(memcmp(file->bytes.at + report->off, start, n), 0, "start of part %zu", i);
    cr_expect_eq(memcmp(file->bytes.at + report->off + report->bytes - m, end, m), 0,
                 "end of part %zu: %.20s", i,
                 (const char *)file->bytes.at + report->off + report->bytes - m);
}

#define THREAD "Thread 0 Crashed:\n0   Widget   \t0x102601a40 0x1025f8000 + 39488\n\n"
#define IPS                                                                                        \
    "{\"app_name\":\"Widget\",\"bug_type\":\"309\"}\n"                                             \
    "{\"procName\":\"Widget\",\"threads\":[{\"triggered\":true,\"frames\":"                        \
    "[{\"imageOffset\":39488,\"imageIndex\":0}]}],\"usedImages\":[{\"source\":\"P\","              \
    "\"base\":4334780416,\"size\":753664,\"uuid\":\"" UUID_DASHED "\",\"name\":\"Widget\"}]}\n"
#define BANNER                                                                                     \
    "-------------------------------------\nTranslated Report (Full Report Below)\n"               \
    "-------------------------------------\n\n"

Test(report_file, translated_text_and_its_json)
{
    struct ms_report_file file =
        parse(BANNER HEADER THREAD "Binary Images:\n" MAC_IMAGE "\n"
                                   "-----------\nFull Report\n-----------\n\n" IPS
                                   "\nModel: Mac16,12, 10 processors\n");
    cr_assert_eq(file.n_reports, 2);
    cr_expect_eq(file.reports[0].kind, MS_REPORT_TEXT);
    cr_expect(file.reports[0].translated);
    cr_expect_eq(file.reports[1].kind, MS_REPORT_IPS);
    cr_expect_not(file.reports[1].translated);
    expect_part(&file, 0, "-----", "Full Report\n-----------\n\n");
    expect_part(&file, 1, "{\"app_name\"", "processors\n");
    expect_frames_of(&file.reports[1], "T0 #0 0x102601a40 Widget\n");
    ms_report_file_fini(&file);
    file = parse(BANNER HEADER THREAD);
    cr_expect_not(file.reports[0].translated, "its JSON is not there");
    ms_report_file_fini(&file);
}

Test(report_file, one_after_the_other)
{
    static const char one[] =
        "Incident Identifier: 1B2C3D4E-0000-4000-8000-000000000001\n" HEADER THREAD
        "Binary Images:\n" IOS_IMAGE "EOF\n\n";
    static const char two[] = HEADER THREAD "Binary Images:\n" MAC_IMAGE "\n";
    struct ms_text all;
    ms_text_init(&all, 1 << 20);
    ms_text_puts(&all, one);
    ms_text_puts(&all, one);
    ms_text_puts(&all, two);
    ms_text_puts(&all, two);
    ms_text_puts(&all, BANNER);
    ms_text_puts(&all, two);
    ms_text_puts(&all, IPS "words\n");
    ms_text_puts(&all, one);
    struct ms_report_file file = parse(all.at);
    cr_assert_eq(file.n_reports, 7);
    expect_part(&file, 0, "Incident", "EOF\n\n");
    expect_part(&file, 1, "Incident", "EOF\n\n");
    expect_part(&file, 2, "Process:", "MacOS/Widget\n\n");
    expect_part(&file, 3, "Process:", "MacOS/Widget\n\n");
    expect_part(&file, 4, "-----", "MacOS/Widget\n\n");
    expect_part(&file, 5, "{\"app_name\"", "words\n");
    expect_part(&file, 6, "Incident", "EOF\n\n");
    for (size_t i = 0; i < 7; i++) {
        cr_expect_eq(file.reports[i].n_frames, 1, "report %zu", i);
        cr_expect_eq(file.reports[i].n_images, 1, "report %zu", i);
    }
    ms_report_file_fini(&file);
    ms_text_fini(&all);
}

Test(report_file, words_before_and_a_glued_second_one)
{
    struct ms_report_file file =
        parse("I get this:\n\n" HEADER THREAD "last words"
              "Incident Identifier: 1B2C3D4E-0000-4000-8000-000000000002\n" HEADER THREAD);
    cr_assert_eq(file.n_reports, 2);
    expect_part(&file, 0, "I get this", "last words");
    expect_part(&file, 1, "Incident", "\n");
    cr_expect_str_eq(file.reports[1].incident, "1B2C3D4E-0000-4000-8000-000000000002");
    ms_report_file_fini(&file);
}

Test(report_file, a_json_line_before_the_text)
{
    struct ms_report_file file =
        parse("{\"app_name\":\"Widget\",\"slice_uuid\":\"" UUID_DASHED
              "\",\"bug_type\":\"109\",\"os_version\":\"iPhone OS 14.2 (18B92)\"}\n"
              "Incident Identifier: 1B2C3D4E-0000-4000-8000-000000000001\n" HEADER THREAD
              "Application Specific Information:\n{\n  \"a\" = 1;\n}\n");
    char uuid[MS_UUID_TEXT];
    cr_assert_eq(file.n_reports, 1);
    const struct ms_report *report = &file.reports[0];
    cr_expect_eq(report->kind, MS_REPORT_TEXT);
    cr_expect(report->has_slice_uuid);
    ms_uuid_format(&report->slice_uuid, uuid);
    cr_expect_str_eq(uuid, UUID_UPPER);
    cr_expect_str_eq(report->os_version, "iPhone OS 14.2 (18B92)");
    cr_expect_eq(report->header_off, 0);
    cr_expect_gt(report->header_bytes, 80);
    expect_frames_of(report, "T0 #0 0x102601a40 Widget\n");
    ms_report_file_fini(&file);
}

Test(report_file, other_reports_go_to_their_neighbour)
{
    struct ms_report_file file = parse(HEADER THREAD "Binary Images:\n" IOS_IMAGE
                                                     "{\"bug_type\":\"298\"}\n{\"processes\":[],"
                                                     "\"largestProcess\":\"x\"}\n");
    cr_expect_eq(file.n_reports, 1);
    cr_expect_eq(file.reports[0].bytes, file.bytes.n);
    ms_report_file_fini(&file);
}

/* ---- which image ---------------------------------------------------------------------- */

Test(report_images, frames_find_theirs)
{
    expect_frames(HEADER
                  "Thread 0 Crashed:\n"
                  "0   Widget     \t0x102601a40 f + 8\n"
                  "1   Gadget     \t0x1026b0000 f + 8\n" /* the call ends the image */
                  "2   Gadget     \t0x1026b0001 f + 8\n" /* behind it, and of another name */
                  "3   Widget     \t0x1026b0001 f + 8\n" /* behind it, by its name */
                  "4   ...dget    \t0x1026b0002 f + 8\n" /* cut short on the left */
                  "5   com.x.Open \t0x300000010 f + 8\n" /* no end is known */
                  "6   Else       \t0x300000010 f + 8\n"
                  "7   Missing    \t0x400000010 0x400000000 + 16\n" /* not listed */
                  "8   Missing    \t0x400000020 0x400000000 + 32\n"
                  "9   Other      \t0x102601a40 0x102600000 + 6720\n"  /* contradicts the list */
                  "10  com.x.Widget\t0x102601a40 0x102600010 + 6704\n" /* does not, by its name */
                  "11  ???        \t0x10 0x0 + 16\n"
                  "12  Libc       \t0x500001010 Libc + 4112\n"
                  "13  Far        \t0x1026b0010 0x1025f8000 + 753680\n"
                  "Binary Images:\n" IOS_IMAGE "0x300000000 - ??? Open <" UUID_UPPER
                  "> /usr/lib/Open\n"
                  "0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???\n",
                  "T0 #0 0x102601a40 Widget f+8 kept\n"
                  "T0 #1 0x1026b0000-1 Widget f+8 kept\n"
                  "T0 #2 0x1026b0001-1 - f+8 kept\n"
                  "T0 #3 0x1026b0001-1 Widget f+8 kept\n"
                  "T0 #4 0x1026b0002-1 Widget f+8 kept\n"
                  "T0 #5 0x300000010-1 Open f+8 kept\n"
                  "T0 #6 0x300000010-1 - f+8 kept\n"
                  "T0 #7 0x400000010-1 Missing\n"
                  "T0 #8 0x400000020-1 Missing\n"
                  "T0 #9 0x102601a40-1 Other\n"
                  "T0 #10 0x102601a40-1 Widget\n"
                  "T0 #11 0x10-1 -\n"
                  "T0 #12 0x500001010-1 Libc Libc+4112\n"
                  "T0 #13 0x1026b0010-1 Widget\n");
}

Test(report_images, synthesised_ones_are_usable_without_uuid)
{
    struct ms_report_file file =
        parse(HEADER "Thread 0:\n0   Missing    \t0x400000010 0x400000000 + 16\n"
                     "1   Missing    \t0x400000020 0x400000000 + 32\n");
    cr_assert_eq(file.reports[0].n_images, 1);
    const struct ms_report_image *image = &file.reports[0].images[0];
    cr_expect(image->usable);
    cr_expect_not(image->has_uuid);
    cr_expect_eq(image->load_rt, 0x400000000);
    cr_expect_eq(image->end_rt, 0);
    cr_expect_str_eq(image->name, "Missing");
    cr_expect_null(image->path);
    ms_report_file_fini(&file);
}

Test(report_images, overlapping_ranges)
{
#define LINE(start, end, name) "0x" start " - 0x" end " " name " arm64 <" UUID_LOW "> /x\n"
    expect_frames(HEADER "Thread 0:\n"
                         "0   a \t0x100800 f\n"
                         "1   a \t0x101800 f\n"
                         "2   a \t0x102800 f\n"
                         "3   a \t0x103800 f\n"
                         "4   a \t0x104800 f\n"
                         "5   a \t0x106800 f\n"
                         "Binary Images:\n" /* outer over two inner ones; same start; same range */
                  LINE("100000", "104fff", "outer") LINE("101000", "101fff", "one")
                      LINE("103000", "105fff", "two") LINE("106000", "107fff", "large")
                          LINE("106000", "106fff", "small") LINE("106000", "106fff", "again"),
                  "T0 #0 0x100800 outer f kept\n"
                  "T0 #1 0x101800-1 one f kept\n"
                  "T0 #2 0x102800-1 outer f kept\n"
                  "T0 #3 0x103800-1 two f kept\n"
                  "T0 #4 0x104800-1 two f kept\n"
                  "T0 #5 0x106800-1 small f kept\n");
#undef LINE
}

Test(report_images, authentication_bits)
{
#define STATE(lr)                                                                                  \
    HEADER "Thread 0 Crashed:\n0   Widget \t0x102601a40 f + 8\n\n"                                 \
           "Thread 0 crashed with ARM Thread State (64-bit):\n    lr: " lr "\n\n"                  \
           "Binary Images:\n" IOS_IMAGE                                                            \
           "0xfffffe0008000000 - 0xfffffe0008bfffff kernel arm64e <" UUID_LOW "> /kernel\n"        \
           "0x7ff811e37000 - 0x7ff811e6efff big arm64 <" UUID_LOW "> /big\n"
#define FRAME "T0 #0 0x102601a40 Widget f+8 kept\n"
    expect_frames(STATE("0xcb55fe01026020f8"), FRAME "R0 #0 0x1026020f8-1 Widget\n");
    expect_frames(STATE("0x0000000102601a44"), FRAME "R0 #0 0x102601a44-1 Widget\n");
    expect_frames(STATE("0x1280fe0008001000"), FRAME "R0 #0 0xfffffe0008001000-1 kernel\n");
    expect_frames(STATE("0x002a7ff811e37010"), FRAME "R0 #0 0x7ff811e37010-1 big\n");
    expect_frames(STATE("0xcb55fe0100000000"), FRAME); /* whatever it is, it is in no image */
#undef STATE
#undef FRAME
}

/* ---- names ---------------------------------------------------------------------------- */

Test(report_names, worth_keeping)
{
    static const char *const kept[] = {"main",
                                       "-[Foo bar:]",
                                       "Gadget.spin(_:)",
                                       "_TIFFmalloc",
                                       "_Block_release",
                                       "<deduplicated_symbol>",
                                       "operator+(A const&)",
                                       "__NSThread__start__",
                                       "ZNotMangled",
                                       "_RNG"};
    static const char *const dropped[] = {"",
                                          "?"
                                          "??",
                                          "<redacted>",
                                          "_mh_execute_header",
                                          "0x1025f8000",
                                          "Widget",
                                          "_ZN1a1bEv",
                                          "__ZN1a1bEv",
                                          "___ZN1a1bEv_block_invoke",
                                          "ZN1a1bEv",
                                          "ZNK1a1bEv",
                                          "ZL4main",
                                          "$s6Widget3fooyyF",
                                          "_$s6Widget3fooyyF",
                                          "$S6Widget3fooyyF",
                                          "_T06Widget3fooyyF",
                                          "_TF6Widget3fooFT_T_",
                                          "_TtC6Widget6Gadget",
                                          "_RNvC6widget4main",
                                          "@__swiftmacro_6Widget3foofMf_",
                                          "___lldb_unnamed_symbol123"};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        cr_expect(ms_symbol_is_kept(kept[i], "Widget"), "%s", kept[i]);
    /* Mangled names are names, though not worth keeping where a better one is to be had. */
    cr_expect(ms_symbol_is_name("_ZN1a1bEv", "Widget"));
    cr_expect(ms_symbol_is_name("$s6Widget3fooyyF", NULL));
    cr_expect_not(ms_symbol_is_name("<redacted>", "Widget"));
    cr_expect_not(ms_symbol_is_name("Widget", "Widget"));
    cr_expect_not(ms_symbol_is_name(NULL, "Widget"));
    for (size_t i = 0; i < sizeof dropped / sizeof *dropped; i++)
        cr_expect_not(ms_symbol_is_kept(dropped[i], "Widget"), "%s", dropped[i]);
}

Test(report_names, of_images)
{
    static const struct {
        const char *said, *name, *path;
        bool fits;
    } cases[] = {
        {"Widget", "Widget", NULL, true},
        {"Widget", "com.example.Widget", NULL, true},
        {"com.example.Widget", NULL, "/Applications/Widget.app/Contents/MacOS/Widget", true},
        {"...ple.Widget", "com.example.Widget", NULL, true},
        {"\xe2\x80\xa6ple.Widget", "com.example.Widget", NULL, true},
        {"+ libfoo.dylib", "libfoo.dylib", NULL, true},
        {"Widget (*)", "Widget", NULL, true},
        {"/usr/lib/Widget", "Widget", NULL, true},
        {"Widget", "WidgetKit", NULL, false},
        {"Kit", "WidgetKit", NULL, false},
        {"???", NULL, NULL, false},
        {"", "Widget", "/x/Widget", false},
        {"...", "Widget", NULL, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_expect_eq(ms_image_name_fits(cases[i].said, cases[i].name, cases[i].path), cases[i].fits,
                     "%s", cases[i].said);
}

Test(report_names, trampolines)
{
    cr_expect(ms_symbol_is_trampoline("_sigtramp"));
    cr_expect(ms_symbol_is_trampoline("__sigtramp"));
    cr_expect_not(ms_symbol_is_trampoline("_sigtramp_x"));
    cr_expect_not(ms_symbol_is_trampoline("start"));
    cr_expect_not(ms_symbol_is_trampoline(NULL));
}

/* ---- large ones ----------------------------------------------------------------------- */

/* Every frame has a load address of its own, and every image holds all that follow it: what is
 * quadratic would take minutes. */
Test(report_file, many_images_and_frames, .timeout = 20)
{
    struct ms_text text;
    ms_text_init(&text, 1 << 28);
    ms_text_puts(&text, HEADER "Thread 0:\n");
    for (unsigned i = 0; i < 100000; i++)
        ms_text_printf(&text, "%-4u%-30s\t0x%x 0x%x + 16\n", i, "A", 0x1000000 + i * 16 + 16,
                       0x1000000 + i * 16);
    ms_text_puts(&text, "Binary Images:\n");
    for (unsigned i = 0; i < 50000; i++)
        ms_text_printf(&text, "0x%x - 0x%x I%u arm64 <" UUID_LOW "> /x\n", 0x100000 + i,
                       0x900000 - i, i);
    struct ms_report_file file = parse(text.at);
    cr_expect_eq(file.reports[0].n_frames, 100000);
    cr_expect_eq(file.reports[0].n_images, 150000);
    ms_report_file_fini(&file);
    ms_text_fini(&text);
}
