/* render/ips_splice: JSON reports with names put in, every other byte as it was. */
#include "unit/ips_builder.h"

#define FRAME(offset) "{\"imageOffset\":" offset ",\"imageIndex\":0}"

static const struct ms_shown_frame chain[] = {
    {.function = "inner<T>(\"x\")",
     .file = "a/In.swift",
     .line = 7,
     .has_offset = true,
     .offset = 3,
     .inlined = true},
    {.function = "mid", .inlined = true},
    {.function = "outer()", .file = "Out.c", .line = 42, .has_offset = true, .offset = 120},
};
static const struct ms_shown_frame start_only[] = {
    {.has_offset = true, .offset = 64, .start_rt = 0x1025f8000},
};

/* Shows the whole chain (or its last n levels) for each frame whose bit is set. */
static struct ms_text named(const struct parsed *p, unsigned bits, size_t levels,
                            enum ms_report_format format, const struct ms_report_style *style)
{
    const struct ms_report *r = &p->file.reports[0];
    struct ms_shown *shown = calloc(r->n_frames + 1, sizeof *shown);
    cr_assert_not_null(shown);
    for (size_t i = 0; i < r->n_frames; i++) {
        if (!(bits >> i & 1))
            continue;
        shown[i].frames = levels ? chain + 3 - levels : start_only;
        shown[i].n_frames = levels ? levels : 1;
    }
    struct ms_text text = write_report(p, 0, shown, format, style);
    free(shown);
    return text;
}

/* What `before` in the report becomes; the rest must stay as it is. */
static void expect_styled(const char *report, unsigned bits, size_t levels,
                          const struct ms_report_style *style, const char *before,
                          const char *after)
{
    struct parsed p = parse(report);
    struct ms_text text = named(&p, bits, levels, MS_FORMAT_SAME, style);
    const char *at = strstr(report, before);
    cr_assert_not_null(at, "%s", before);
    size_t head = (size_t)(at - report), tail = strlen(at) - strlen(before);
    cr_assert(text.n >= head + tail && memcmp(text.at, report, head) == 0, "%s", text.at);
    cr_assert(memcmp(text.at + text.n - tail, at + strlen(before), tail) == 0, "%s", text.at);
    size_t n = text.n - head - tail;
    cr_assert(n == strlen(after) && memcmp(text.at + head, after, n) == 0,
              "\n  gives  %.*s\n  wanted %s", (int)n, text.at + head, after);
    ms_text_fini(&text);
    parsed_fini(&p);
}

static void expect(const char *report, unsigned bits, size_t levels, const char *before,
                   const char *after)
{
    expect_styled(report, bits, levels, NULL, before, after);
}

/* ---- objects --------------------------------------------------------------------------- */

Test(ips_splice, nothing_to_show_is_the_same_file)
{
    static const char *const texts[] = {
        HEADER PAYLOAD(FRAMES(FRAME("1") ", " FRAME("2"))) "\njunk \xff\n",
        HEADER "{\"procName\":\"x\",\"exception\":{},\"a\":@foo@,\"a\":1,\"a\":2}",
        HEADER "{\"procName\":\"x\",\"exception\":[",
    };
    for (size_t i = 0; i < 3; i++) {
        struct parsed p = parse(texts[i]);
        for (int format = MS_FORMAT_SAME; format <= MS_FORMAT_IPS; format += 2) {
            struct ms_text text = write_report(&p, 0, NULL, (enum ms_report_format)format, NULL);
            cr_assert_eq(text.n, p.n);
            cr_assert(memcmp(text.at, texts[i], text.n) == 0);
            ms_text_fini(&text);
        }
        parsed_fini(&p);
    }
}

Test(ips_splice, names_follow_the_offset)
{
    expect(HEADER PAYLOAD(FRAMES(FRAME("16") "," FRAME("32"))), 1 << 1, 1, FRAME("32"),
           "{\"imageOffset\":32,\"symbol\":\"outer()\",\"symbolLocation\":120,"
           "\"sourceFile\":\"Out.c\",\"sourceLine\":42,\"imageIndex\":0}");
}

Test(ips_splice, inlined_frames_are_objects_of_their_own)
{
    expect(HEADER PAYLOAD(FRAMES(FRAME("16") "," FRAME("32"))), 1 << 0, 3, FRAME("16"),
           "{\"imageOffset\":16,\"symbol\":\"inner<T>(\\\"x\\\")\",\"symbolLocation\":3,"
           "\"sourceFile\":\"a\\/In.swift\",\"sourceLine\":7,\"inline\":true,\"imageIndex\":0},"
           "{\"imageOffset\":16,\"symbol\":\"mid\",\"inline\":true,\"imageIndex\":0},"
           "{\"imageOffset\":16,\"symbol\":\"outer()\",\"symbolLocation\":120,"
           "\"sourceFile\":\"Out.c\",\"sourceLine\":42,\"imageIndex\":0}");
    struct ms_report_style outermost = {.no_inlines = true};
    expect_styled(HEADER PAYLOAD(FRAMES(FRAME("16"))), 1, 3, &outermost, FRAME("16"),
                  "{\"imageOffset\":16,\"symbol\":\"outer()\",\"symbolLocation\":120,"
                  "\"sourceFile\":\"Out.c\",\"sourceLine\":42,\"imageIndex\":0}");
}

Test(ips_splice, the_layout_is_the_file_s_own)
{
    expect("{ \"procName\" : \"x\", \"threads\" : [ { \"frames\" : [\n"
           "  {\n    \"imageOffset\" : 16,\n    \"imageIndex\" : 0\n  },\n"
           "  {\n    \"imageOffset\" : 32,\n    \"imageIndex\" : 0\n  }\n] } ], " IMAGES "}",
           1 << 1, 2, "  {\n    \"imageOffset\" : 32,\n    \"imageIndex\" : 0\n  }",
           "  {\n    \"imageOffset\" : 32,\n    \"symbol\" : \"mid\",\n    \"inline\" : true,\n"
           "    \"imageIndex\" : 0\n  },\n"
           "  {\n    \"imageOffset\" : 32,\n    \"symbol\" : \"outer()\",\n"
           "    \"symbolLocation\" : 120,\n    \"sourceFile\" : \"Out.c\",\n"
           "    \"sourceLine\" : 42,\n    \"imageIndex\" : 0\n  }");
    /* The first element: its separator is the one after it. Slashes aren't escaped here. */
    expect("{\"procName\": \"x\", \"p\": \"/\", \"threads\": [{\"frames\": ["
           "{\"imageOffset\": 16, \"imageIndex\": 0}, {\"imageOffset\": 32, \"imageIndex\": "
           "0}]}], " IMAGES "}",
           1, 3, "{\"imageOffset\": 16, \"imageIndex\": 0}",
           "{\"imageOffset\": 16, \"symbol\": \"inner<T>(\\\"x\\\")\", \"symbolLocation\": 3, "
           "\"sourceFile\": \"a/In.swift\", \"sourceLine\": 7, \"inline\": true, "
           "\"imageIndex\": 0}, "
           "{\"imageOffset\": 16, \"symbol\": \"mid\", \"inline\": true, \"imageIndex\": 0}, "
           "{\"imageOffset\": 16, \"symbol\": \"outer()\", \"symbolLocation\": 120, "
           "\"sourceFile\": \"Out.c\", \"sourceLine\": 42, \"imageIndex\": 0}");
}

Test(ips_splice, old_names_are_replaced_in_place)
{
    expect(HEADER PAYLOAD(FRAMES("{\"symbol\":\"<redacted>\",\"imageOffset\":16,\"x\":[1, 2],"
                                 "\"symbolLocation\":8,\"imageIndex\":0}")),
           1, 1, "{\"symbol\":\"<redacted>\",\"imageOffset\":16,\"x\":[1, 2],\"symbolLocation\":8,",
           "{\"symbol\":\"outer()\",\"sourceFile\":\"Out.c\",\"sourceLine\":42,"
           "\"imageOffset\":16,\"x\":[1, 2],\"symbolLocation\":120,");
}

Test(ips_splice, what_the_new_name_does_not_know_of_the_old_goes)
{
    /* levels 2 without the outer one's: "mid" has neither offset nor line */
    struct parsed p = parse(HEADER PAYLOAD(
        FRAMES("{ \"sourceFile\": \"Old.c\", \"symbol\": \"_ZN3oldEv\", \"sourceLine\": 1, "
               "\"imageOffset\": 16, \"imageIndex\": 0, \"symbolLocation\": 4 }")));
    struct ms_shown shown[1] = {{.frames = chain + 1, .n_frames = 1}};
    struct ms_text text = write_report(&p, 0, shown, MS_FORMAT_IPS, NULL);
    cr_assert_not_null(strstr(text.at, "[{ \"symbol\": \"mid\", \"imageOffset\": 16, "
                                       "\"imageIndex\": 0 }]"),
                       "%s", text.at);
    ms_text_fini(&text);
    parsed_fini(&p);
}

#define OLD_INLINE                                                                                 \
    "{\"imageOffset\":16,\"symbol\":\"_ZN1aEv\",\"inline\":true,\"imageIndex\":0}, "               \
    "{\"imageOffset\":16,\"symbol\":\"_ZN1bEv\",\"imageIndex\":0}"

Test(ips_splice, inlined_frames_that_it_has_are_replaced_with_their_function)
{
    expect(HEADER PAYLOAD(FRAMES(OLD_INLINE "," FRAME("32"))), 1 << 1, 2, OLD_INLINE,
           "{\"imageOffset\":16,\"symbol\":\"mid\",\"inline\":true,\"imageIndex\":0}, "
           "{\"imageOffset\":16,\"symbol\":\"outer()\",\"symbolLocation\":120,"
           "\"sourceFile\":\"Out.c\",\"sourceLine\":42,\"imageIndex\":0}");
    /* What is no frame isn't dropped along with them. */
    expect(HEADER PAYLOAD(
               FRAMES("{\"imageOffset\":32,\"inline\":true,\"imageIndex\":0},7," FRAME("32"))),
           1 << 1, 1, FRAME("32"),
           "{\"imageOffset\":32,\"symbol\":\"outer()\",\"symbolLocation\":120,"
           "\"sourceFile\":\"Out.c\",\"sourceLine\":42,\"imageIndex\":0}");
    /* … and stay when nothing is known of that, or nothing but where it starts. */
    expect(HEADER PAYLOAD(FRAMES(OLD_INLINE)), 0, 3, OLD_INLINE, OLD_INLINE);
    expect(HEADER PAYLOAD(FRAMES(OLD_INLINE)), 1 << 1, 0, OLD_INLINE, OLD_INLINE);
}

Test(ips_splice, registers_get_a_symbol_alone)
{
    expect(HEADER PAYLOAD("\"threads\":[{\"threadState\":{\"pc\":{\"value\":4334780432,"
                          "\"matchesCrashFrame\":1}}}]"),
           1, 3, "{\"value\":4334780432,\"matchesCrashFrame\":1}",
           "{\"value\":4334780432,\"symbol\":\"outer()\",\"symbolLocation\":120,"
           "\"matchesCrashFrame\":1}");
}

Test(ips_splice, recursion_indices_move_with_the_frames)
{
    static const char report[] = HEADER PAYLOAD(
        "\"threads\":[{\"recursionInfoArray\":[{\"hottestElided\":2,\"coldestElided\":9,"
        "\"depth\":4,\"keyFrame\":{\"imageOffset\":64,\"imageIndex\":0}}],\"frames\":[" FRAME(
            "48") "," FRAME("64") "," FRAME("80") "],\"originalLength\":11}]");
    struct parsed p = parse(report);
    struct ms_text text = named(&p, 1u << 0 | 1u << 1 | 1u << 3, 3, MS_FORMAT_SAME, NULL);
    /* Frame 0 is the key frame: alone, without inlined ones. 1 and 3 are the thread's 0 and 2. */
    cr_assert_not_null(strstr(text.at, "\"hottestElided\":4,\"coldestElided\":11,\"depth\":4,"
                                       "\"keyFrame\":{\"imageOffset\":64,\"symbol\":\"outer()\""),
                       "%s", text.at);
    cr_assert_not_null(strstr(text.at, "\"originalLength\":15"));
    struct parsed again = parse_bytes(text.at, text.n);
    const struct ms_report *r = &again.file.reports[0];
    cr_assert_eq(r->frames[r->n_frames - 1].index, 14); /* 11 - 1 + 4 added */
    parsed_fini(&again);
    ms_text_fini(&text);
    parsed_fini(&p);
}

/* ---- strings --------------------------------------------------------------------------- */

#define LINE_0 "0   libfoo.dylib                        0x0000000180000010 "
#define LINE_1 "1   Widget                              0x00000001025f8010 "

static const char strings[] = HEADER PAYLOAD("\"asiBacktraces\":[\"" LINE_0 "foo + 4\\n" LINE_1
                                             "Widget + 16\\n2   ???  0x1 x\"]");

Test(ips_splice, lines_in_strings)
{
    expect(strings, 1 << 1, 3, LINE_1 "Widget + 16",
           LINE_1 "inner<T>(\\\"x\\\") + 3 (a\\/In.swift:7) [inlined]\\n" LINE_1
                  "mid [inlined]\\n" LINE_1 "outer() + 120 (Out.c:42)");
    expect(strings, 1 << 1, 0, LINE_1 "Widget + 16",
           LINE_1 "Widget + 16 (function at 0x1025f8000 + 64)");
}

Test(ips_splice, lines_in_strings_are_renumbered_as_apple_counts)
{
    struct ms_report_style style = {.renumber = true};
    expect_styled(strings, 1 << 1, 2, &style, LINE_1 "Widget + 16\\n2   ???  0x1 x",
                  LINE_1 "mid [inlined]\\n"
                         "2   Widget                              0x00000001025f8010 "
                         "outer() + 120 (Out.c:42)\\n3   ???  0x1 x");
}

Test(ips_splice, what_was_written_is_read_and_replaced_again)
{
    struct parsed p = parse(strings);
    struct ms_text text = named(&p, 1 << 1, 3, MS_FORMAT_IPS, NULL);
    struct parsed again = parse_bytes(text.at, text.n);
    cr_assert_eq(again.file.reports[0].n_frames, 5);
    cr_assert(again.file.reports[0].frames[3].named);
    struct ms_text twice = named(&again, 1 << 3, 3, MS_FORMAT_IPS, NULL);
    cr_assert_eq(twice.n, text.n);
    cr_assert(memcmp(twice.at, text.at, text.n) == 0, "%s", twice.at);
    ms_text_fini(&twice);
    parsed_fini(&again);
    ms_text_fini(&text);
    parsed_fini(&p);
}

Test(ips_splice, where_a_function_starts_is_said_once)
{
    struct parsed p = parse(strings);
    struct ms_text text = named(&p, 1 << 1, 0, MS_FORMAT_IPS, NULL);
    struct parsed again = parse_bytes(text.at, text.n);
    struct ms_text twice = named(&again, 1 << 1, 0, MS_FORMAT_IPS, NULL);
    cr_assert_str_eq(twice.at, text.at);
    ms_text_fini(&twice);
    parsed_fini(&again);
    ms_text_fini(&text);
    parsed_fini(&p);
}

/* ---- the sink -------------------------------------------------------------------------- */

static bool refuse(void *to, const char *bytes, size_t n)
{
    (void)to, (void)bytes, (void)n;
    return false;
}

Test(ips_splice, a_sink_that_fails_says_so)
{
    struct parsed p = parse(HEADER PAYLOAD(FRAMES(FRAME("16"))));
    struct ms_shown shown[2] = {{.n_frames = 0}, {.n_frames = 0}};
    struct ms_sink sink = {.write = refuse};
    struct ms_error err;
    cr_assert_eq(ms_report_write(&p.file, 0, shown, MS_FORMAT_IPS, NULL, &sink, &err), MS_OK);
    cr_assert(sink.failed);
    parsed_fini(&p);
}
