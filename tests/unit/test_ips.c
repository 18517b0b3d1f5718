/* report/ips: the container, images, threads, frames and registers of JSON crash reports. */
#include "unit/ips_builder.h"

#include "report/ips.h"

#define ONE_FRAME FRAMES("{\"imageIndex\":0,\"imageOffset\":41208}")

/* The n-th frame of a kind of place. */
static const struct ms_report_frame *frame_at(const struct ms_report *r, enum ms_report_place place,
                                              size_t n)
{
    for (size_t i = 0; i < r->n_frames; i++)
        if (r->frames[i].place == place && n-- == 0)
            return &r->frames[i];
    cr_assert_fail("no such frame");
    return NULL;
}

static size_t count(const struct ms_report *r, enum ms_report_place place)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_frames; i++)
        n += r->frames[i].place == place;
    return n;
}

static void expect_note(const char *text, const char *note)
{
    struct parsed p = parse(text);
    const char *found = p.file.reports[0].note;
    if (note)
        cr_assert(found && strcmp(found, note) == 0, "note: %s, wanted %s", found, note);
    else
        cr_assert_null(found, "note: %s", found);
    parsed_fini(&p);
}

/* ---- the container --------------------------------------------------------------------- */

Test(ips_container, header_and_payload)
{
    struct parsed p = parse(HEADER PAYLOAD(ONE_FRAME) "\n");
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(p.file.n_reports, 1);
    cr_assert_eq(r->kind, MS_REPORT_IPS);
    cr_assert_eq(r->header_off, 0);
    cr_assert_eq(r->header_bytes, strlen(HEADER) - 1);
    cr_assert_eq(r->payload_off, strlen(HEADER));
    cr_assert_eq(r->payload_bytes, strlen(PAYLOAD(ONE_FRAME)));
    cr_assert_eq(r->bytes, p.n);
    cr_assert_str_eq(r->process, "Widget");
    cr_assert_str_eq(r->os_version, "macOS 14.4.1 (23E224)");
    cr_assert_str_eq(r->incident, "1B2C3D4E-0000-4000-8000-000000000001");
    cr_assert_str_eq(r->code_type, "ARM-64");
    cr_assert(r->has_slice_uuid);
    cr_assert_eq(r->slice_uuid.byte[0], 0x0f);
    cr_assert_null(r->note);
    parsed_fini(&p);
}

Test(ips_container, what_stands_around_and_between)
{
    static const char *const texts[] = {
        PAYLOAD(ONE_FRAME),
        HEADER "\n\n" PAYLOAD(ONE_FRAME),
        HEADER PAYLOAD(ONE_FRAME) "\n\nModel: Mac16,12, BootROM {\nGraphics: x\n",
        "\xef\xbb\xbf" HEADER PAYLOAD(ONE_FRAME),
        "{\"bug_type\":309}\n" PAYLOAD(ONE_FRAME),
        "{\n  \"bug_type\" : \"309\",\n  \"app_name\" : \"Widget\"\n}\n" PAYLOAD(ONE_FRAME),
        "{\"bug_type\":\"309\",\"app_name\":\"Widget\"}\r\n" PAYLOAD(ONE_FRAME) "\r\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct parsed p = parse(texts[i]);
        cr_assert_eq(p.file.n_reports, 1, "%s", texts[i]);
        cr_assert_eq(p.file.reports[0].n_frames, 1, "%s", texts[i]);
        cr_assert_eq(p.file.reports[0].frames[0].address_rt, 0x1026020f8);
        cr_assert_null(p.file.reports[0].note, "%s", p.file.reports[0].note);
        struct ms_text same = write_report(&p, 0, NULL, MS_FORMAT_SAME, NULL);
        cr_assert_eq(same.n, p.n);
        cr_assert(memcmp(same.at, p.bytes, p.n) == 0);
        ms_text_fini(&same);
        parsed_fini(&p);
    }
}

Test(ips_container, several_in_one_file)
{
    struct parsed p = parse(HEADER PAYLOAD(ONE_FRAME) "\n" HEADER PAYLOAD(
        FRAMES("{\"imageIndex\":1,\"imageOffset\":16}")));
    cr_assert_eq(p.file.n_reports, 2);
    cr_assert_eq(p.file.reports[0].frames[0].address_rt, 0x1026020f8);
    cr_assert_eq(p.file.reports[1].frames[0].address_rt, 0x180000010);
    cr_assert_eq(p.file.reports[0].off + p.file.reports[0].bytes, p.file.reports[1].off);
    parsed_fini(&p);
}

Test(ips_container, a_cut_report_ends_where_the_next_begins)
{
    struct parsed p = parse(HEADER "{\"procName\":\"A\",\"threads\":[\n" HEADER PAYLOAD(ONE_FRAME));
    cr_assert_eq(p.file.n_reports, 2);
    cr_assert_str_eq(p.file.reports[0].process, "A");
    cr_assert_not_null(p.file.reports[0].note);
    cr_assert_null(p.file.reports[1].note);
    cr_assert_eq(p.file.reports[1].n_frames, 1);
    parsed_fini(&p);
}

Test(ips_container, damage_is_told_and_the_rest_is_read)
{
    expect_note(HEADER, "nothing follows the header line: the payload is missing");
    expect_note(HEADER "{\"procName\":\"Widget\",\"threads\":[{\"frames\":[",
                "the JSON ends in the middle, at byte 237");
    expect_note(HEADER "{\"procName\":\"Widget\",\"exception\":{},\"uptime\":@up@}",
                "malformed JSON at byte 239: a word that is no JSON value");
    expect_note(HEADER "{\"procName\":\"Widget\",\"exception\":{}]",
                "malformed JSON at byte 229: ']' closes an object");
    expect_note("{\"app_name\":\"Widget\",\"bug_type\":\"309\"\n" PAYLOAD(ONE_FRAME),
                "the header line is no JSON");
}

Test(ips_container, a_header_alone_still_says_whose_report_it_is)
{
    struct parsed p = parse(HEADER);
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_str_eq(r->process, "Widget");
    cr_assert_str_eq(r->os_version, "macOS 14.4.1 (23E224)");
    cr_assert(r->has_slice_uuid);
    cr_assert_eq(r->n_images + r->n_threads + r->n_frames, 0);
    cr_assert_eq(r->crashed_thread, -1);
    parsed_fini(&p);
}

Test(ips_container, a_broken_header_still_says_what_it_can)
{
    struct parsed p = parse("{\"app_name\":\"Other\",\"slice_uuid\":\"" WIDGET_UUID
                            "\",\"bug_type\":\"30\n" PAYLOAD(ONE_FRAME));
    const struct ms_report *r = &p.file.reports[0];
    cr_assert(r->has_slice_uuid);
    cr_assert_str_eq(r->process, "Widget"); /* the payload's */
    cr_assert_eq(r->n_frames, 1);
    parsed_fini(&p);
}

Test(ips_container, threads_are_kept_of_a_payload_that_is_cut)
{
    struct parsed p =
        parse(HEADER "{\"procName\":\"Widget\"," IMAGES
                     ",\"threads\":[{\"frames\":[{\"imageIndex\":0,\"imageOffset\":8},"
                     "{\"imageIndex\":0,\"imageOffset\":9");
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(r->n_threads, 1);
    cr_assert_eq(r->n_frames, 1); /* 9… may be any number */
    cr_assert_eq(r->frames[0].address_rt, 0x1025f8008);
    parsed_fini(&p);
}

static void expect_other(const char *text, const char *what)
{
    struct ms_report_file file;
    struct ms_error err;
    struct ms_bytes bytes = {(const uint8_t *)text, strlen(text)};
    cr_assert_eq(ms_report_parse(bytes, "x.ips", &file, &err), MS_E_FORMAT, "%s", text);
    cr_assert_not_null(strstr(err.text, what), "%s: %s", text, err.text);
}

Test(ips_container, what_is_no_crash_report_is_named)
{
    expect_other("{\"bug_type\":\"298\"}\n{\"memoryStatus\":{},\"processes\":[]}",
                 "a jetsam report (bug_type 298)");
    expect_other("{\"processes\":[],\"largestProcess\":\"x\"}", "a jetsam report");
    expect_other("{\"bug_type\":\"210\"}\n{\"panicString\":\"panic(cpu 0)\",\"build\":\"x\"}",
                 "a kernel panic report (bug_type 210)");
    expect_other("{\"bug_type\":\"288\"}\n{\"processByPid\":{},\"binaryImages\":[]}",
                 "a stackshot (bug_type 288)");
    expect_other("{\"bug_type\":\"298\"}\n", "a jetsam report (bug_type 298)");
    expect_other("{\"timeStampBegin\":\"x\",\"crashDiagnostics\":[]}", "a MetricKit payload");
    expect_other("{\"threads\":[],\"title\":\"a forum\"}", "JSON that is no crash report");
    expect_other("{\"bug_type\":\"evil \\n text\"}\n{\"a\":1}", "JSON that is no crash report");
}

Test(ips_container, bug_types_do_not_matter_where_the_content_is_a_crash)
{
    static const char *const types[] = {"309", "308", "385", "327", "99", "298"};
    for (size_t i = 0; i < 6; i++) {
        char text[4096];
        snprintf(text, sizeof text, "{\"bug_type\":\"%s\"}\n%s", types[i], PAYLOAD(ONE_FRAME));
        struct parsed p = parse(text);
        cr_assert_eq(p.file.reports[0].n_frames, 1, "%s", types[i]);
        parsed_fini(&p);
    }
}

Test(ips_container, a_report_without_backtraces_is_one)
{
    struct parsed p =
        parse(HEADER "{\"procName\":\"Widget\",\"exception\":{\"type\":\"EXC_CRASH\"},"
                     "\"reportNotes\":[\"corpse\"]}");
    cr_assert_eq(p.file.reports[0].n_threads, 0);
    cr_assert_null(p.file.reports[0].note);
    parsed_fini(&p);
}

Test(ips_container, header_bytes)
{
    struct ms_bytes file = {(const uint8_t *)HEADER "x", strlen(HEADER) + 1};
    cr_assert_eq(ms_ips_header_bytes(file, 0, file.n), strlen(HEADER) - 1);
    static const char *const others[] = {
        "{}\n",
        "{\"a\":1}\n",
        "{\"bug_type\":1\n",
        "x",
        "",
        "{",
        "{\"bug_type\":1}x\n",
        "{\"bug_type\":\"309\",\"threads\":[]}\n",
        "[\"bug_type\"]\n",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct ms_bytes other = {(const uint8_t *)others[i], strlen(others[i])};
        cr_assert_eq(ms_ips_header_bytes(other, 0, other.n), 0, "%s", others[i]);
    }
}

/* ---- images ---------------------------------------------------------------------------- */

Test(ips_images, are_one_for_one_with_the_report)
{
    struct parsed p =
        parse("{\"procName\":\"x\",\"exception\":{},\"usedImages\":["
              "{\"source\":\"P\",\"arch\":\"arm64\",\"base\":18446744073709547520,\"size\":8192,"
              "\"uuid\":\"" WIDGET_UUID "\",\"path\":\"\\/Users\\/USER\\/*\\/W\",\"name\":\"W\"},"
              "\"not an object\","
              "{\"source\":\"A\",\"base\":0,\"size\":0},"
              "{\"source\":\"P\",\"base\":4096,\"size\":0,\"uuid\":\"zzz\"},"
              "{\"source\":\"P\",\"base\":1.5}]}");
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(r->n_images, 5);
    cr_assert_eq(r->images[0].load_rt, UINT64_C(0xfffffffffffff000));
    cr_assert_eq(r->images[0].end_rt, 0); /* it would wrap */
    cr_assert(r->images[0].usable && r->images[0].has_uuid);
    cr_assert_str_eq(r->images[0].path, "/Users/USER/*/W");
    cr_assert_str_eq(r->images[0].arch, "arm64");
    cr_assert_not(r->images[1].usable);
    cr_assert_not(r->images[2].usable);
    cr_assert(r->images[3].usable && !r->images[3].has_uuid && r->images[3].end_rt == 0);
    cr_assert_null(r->images[3].name);
    cr_assert_not(r->images[4].usable);
    parsed_fini(&p);
}

/* ---- frames ---------------------------------------------------------------------------- */

Test(ips_frames, addresses_images_and_look_ups)
{
    struct parsed p = parse(
        HEADER PAYLOAD("\"threads\":[{\"frames\":[{\"imageIndex\":0,\"imageOffset\":41208},"
                       "{\"imageIndex\":1,\"imageOffset\":16}]},{\"triggered\":true,\"name\":\"w\","
                       "\"queue\":\"q\",\"frames\":[{\"imageIndex\":1,\"imageOffset\":32}]},{}]"));
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(r->n_threads, 3);
    cr_assert_eq(r->crashed_thread, 1);
    cr_assert(r->threads[1].crashed && !r->threads[0].crashed);
    cr_assert_str_eq(r->threads[1].name, "w");
    cr_assert_str_eq(r->threads[1].queue, "q");
    cr_assert_null(r->threads[0].name);
    cr_assert_eq(r->threads[1].number, 1);
    cr_assert_eq(r->threads[0].n_frames, 2);
    cr_assert_eq(r->threads[1].first_frame, 2);
    cr_assert_eq(r->threads[2].n_frames, 0);
    cr_assert_eq(r->frames[0].lookup_rt, 0x1026020f8); /* a pc */
    cr_assert_eq(r->frames[1].address_rt, 0x180000010);
    cr_assert_eq(r->frames[1].lookup_rt, 0x18000000f); /* a return address */
    cr_assert_eq(r->frames[1].image, 1);
    cr_assert_eq(r->frames[2].lookup_rt, 0x180000020); /* its thread's first */
    cr_assert_eq(p.bytes[r->frames[1].line_off], '{');
    cr_assert_eq(p.bytes[r->frames[1].line_off + r->frames[1].line_bytes - 1], '}');
    parsed_fini(&p);
}

Test(ips_frames, guards_and_wrap)
{
    struct parsed p =
        parse(HEADER PAYLOAD(FRAMES("{\"imageIndex\":3,\"imageOffset\":1},"
                                    "{\"imageIndex\":-1,\"imageOffset\":2},"
                                    "{\"imageOffset\":3},"
                                    "{\"imageIndex\":2,\"imageOffset\":18446744073709551615},"
                                    "{\"imageIndex\":0,\"imageOffset\":-4334780416},"
                                    "\"no object\",[],"
                                    "{\"imageIndex\":0},"
                                    "{\"imageIndex\":0,\"imageOffset\":1e3}")));
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(r->n_frames, 7);
    for (size_t i = 0; i < 4; i++)
        cr_assert_eq(r->frames[i].image, -1, "%zu", i);
    cr_assert_eq(r->frames[3].address_rt, UINT64_MAX); /* the absolute image: it is the address */
    cr_assert_eq(r->frames[4].address_rt, 0);
    cr_assert_eq(r->frames[4].image, 0); /* by index, wherever it lies */
    cr_assert_eq(r->frames[5].index, 7); /* what is no frame has its place */
    cr_assert_eq(r->frames[5].image, -1);
    cr_assert_eq(r->frames[6].image, -1);
    parsed_fini(&p);
}

Test(ips_frames, names_worth_keeping)
{
    struct parsed p = parse(HEADER PAYLOAD(FRAMES(
        "{\"imageIndex\":0,\"imageOffset\":1,\"symbol\":\"f(_:)\",\"symbolLocation\":7,"
        "\"sourceFile\":\"\\/src\\/F.swift\",\"sourceLine\":9},"
        "{\"imageIndex\":0,\"imageOffset\":2,\"symbol\":\"$s6Widget3fooyyF\"},"
        "{\"imageIndex\":0,\"imageOffset\":3,\"symbol\":\"<redacted>\",\"symbolLocation\":8},"
        "{\"imageIndex\":0,\"imageOffset\":4,\"symbol\":\"Widget\",\"symbolLocation\":4},"
        "{\"imageIndex\":0,\"imageOffset\":5,\"symbol\":\"\"},"
        "{\"imageIndex\":0,\"imageOffset\":6,\"symbol\":17},"
        "{\"imageIndex\":0,\"imageOffset\":7,\"symbol\":\"a\\u0000b\",\"sourceLine\":0}")));
    const struct ms_report_frame *f = p.file.reports[0].frames;
    static const bool named[] = {true, false, false, false, false, false, true};
    for (size_t i = 0; i < 7; i++)
        cr_assert_eq(f[i].named, named[i], "%zu", i);
    cr_assert_str_eq(f[0].symbol, "f(_:)");
    cr_assert(f[0].has_offset && f[0].offset == 7);
    cr_assert_str_eq(f[0].file, "F.swift");
    cr_assert_eq(f[0].line, 9);
    cr_assert_str_eq(f[1].symbol, "$s6Widget3fooyyF");
    cr_assert_not(f[1].has_offset);
    cr_assert_null(f[4].symbol);
    cr_assert_null(f[5].symbol);
    cr_assert_str_eq(f[6].symbol, "a?b"); /* a NUL cuts nothing off */
    parsed_fini(&p);
}

Test(ips_frames, inlined_frames_share_the_look_up)
{
    struct parsed p = parse(HEADER PAYLOAD(
        FRAMES("{\"imageIndex\":0,\"imageOffset\":16,\"symbol\":\"a\",\"inline\":true},"
               "{\"imageIndex\":0,\"imageOffset\":16,\"symbol\":\"b\"},"
               "{\"imageIndex\":0,\"imageOffset\":32,\"symbol\":\"c\",\"inline\":true},"
               "{\"imageIndex\":0,\"imageOffset\":32,\"symbol\":\"d\",\"inline\":false}")));
    const struct ms_report_frame *f = p.file.reports[0].frames;
    cr_assert(f[0].inlined && !f[1].inlined && f[2].inlined && !f[3].inlined);
    cr_assert_eq(f[0].lookup_rt, 0x1025f8010);
    cr_assert_eq(f[1].lookup_rt, 0x1025f8010);
    cr_assert_eq(f[2].lookup_rt, 0x1025f801f);
    cr_assert_eq(f[3].lookup_rt, 0x1025f801f);
    cr_assert_eq(f[3].index, 3);
    parsed_fini(&p);
}

Test(ips_frames, faulting_thread_wins_over_triggered_and_is_guarded)
{
    static const struct {
        const char *members;
        int32_t crashed;
    } cases[] = {
        {"\"faultingThread\":1,\"threads\":[{\"triggered\":true},{}]", 1},
        {"\"faultingThread\":9,\"threads\":[{},{\"triggered\":true}]", 1},
        {"\"faultingThread\":-1,\"threads\":[{},{}]", -1},
        {"\"threads\":[{},{\"triggered\":1}]", 1},
        {"\"exception\":{}", -1},
        {"\"threads\":[{},{}],\"legacyInfo\":{\"threadHighlighted\":1}", 1},
        {"\"threads\":[{\"triggered\":true},{}],\"legacyInfo\":{\"threadHighlighted\":1}", 0},
        {"\"threads\":[{}],\"legacyInfo\":{\"threadHighlighted\":1}", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[4096];
        snprintf(text, sizeof text, "{\"procName\":\"x\",%s,%s}", cases[i].members, IMAGES);
        struct parsed p = parse(text);
        cr_assert_eq(p.file.reports[0].crashed_thread, cases[i].crashed, "%zu", i);
        parsed_fini(&p);
    }
}

Test(ips_frames, recursion_makes_the_index_jump)
{
    struct parsed p = parse(HEADER PAYLOAD(
        "\"threads\":[{\"recursionInfoArray\":[{\"hottestElided\":1,\"coldestElided\":10,"
        "\"depth\":12,\"keyFrame\":{\"imageIndex\":0,\"imageOffset\":64}},"
        "{\"hottestElided\":12,\"coldestElided\":4294967296},"
        "{\"hottestElided\":12,\"coldestElided\":19}],\"frames\":["
        "{\"imageIndex\":0,\"imageOffset\":64},{\"imageIndex\":0,\"imageOffset\":65},"
        "{\"imageIndex\":0,\"imageOffset\":66}]}]"));
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(count(r, MS_PLACE_THREAD), 3);
    cr_assert_eq(frame_at(r, MS_PLACE_THREAD, 0)->index, 0);
    cr_assert_eq(frame_at(r, MS_PLACE_THREAD, 1)->index, 11);
    cr_assert_eq(frame_at(r, MS_PLACE_THREAD, 2)->index, 20);
    cr_assert_eq(count(r, MS_PLACE_ELIDED), 1);
    const struct ms_report_frame *key = frame_at(r, MS_PLACE_ELIDED, 0);
    cr_assert_eq(key->address_rt, 0x1025f8040);
    cr_assert_eq(key->lookup_rt, 0x1025f803f);
    cr_assert_eq(key->form, MS_FORM_OBJECT);
    cr_assert_eq(r->threads[0].n_frames, 3);
    parsed_fini(&p);
}

Test(ips_frames, exception_backtraces)
{
    struct parsed p = parse(HEADER PAYLOAD(
        ONE_FRAME ",\"lastExceptionBacktrace\":[{\"imageIndex\":0,\"imageOffset\":16}],"
                  "\"asiBacktraces\":[\"0   Widget        0x0000000102600000 Widget + 32768\\n"
                  "garbage \\\"x\\\"\\r\\n"
                  "1   libfoo.dylib  0x0000000180000010 _ZN3fooEv + 247359\",\"no frames\"]"));
    const struct ms_report *r = &p.file.reports[0];
    const struct ms_report_frame *last = frame_at(r, MS_PLACE_LAST_EXCEPTION, 0);
    cr_assert_eq(last->lookup_rt, 0x1025f800f); /* a return address, the first one too */
    cr_assert_eq(count(r, MS_PLACE_APP_SPECIFIC), 2);
    const struct ms_report_frame *a = frame_at(r, MS_PLACE_APP_SPECIFIC, 0);
    cr_assert_eq(a->form, MS_FORM_STRING);
    cr_assert_eq(a->address_rt, 0x102600000);
    cr_assert_eq(a->lookup_rt, 0x1025fffff);
    cr_assert_eq(a->image, 0);
    cr_assert_not(a->named);
    cr_assert(strncmp((char *)p.bytes + a->rest_off, "Widget + 32768", a->rest_bytes) == 0);
    cr_assert_eq(a->rest_bytes, 14);
    const struct ms_report_frame *b = frame_at(r, MS_PLACE_APP_SPECIFIC, 1);
    cr_assert_eq(b->index, 1);
    cr_assert_eq(b->image, 1);
    cr_assert_str_eq(b->symbol, "_ZN3fooEv");
    cr_assert_not(b->named);
    cr_assert(r->frames[0].place == MS_PLACE_THREAD); /* in the order of the file */
    parsed_fini(&p);
}

Test(ips_frames, registers_that_point_into_an_image)
{
    struct parsed p = parse(HEADER PAYLOAD(
        "\"threads\":[{\"triggered\":true,\"threadState\":{\"flavor\":\"ARM_THREAD_STATE64\","
        "\"x\":[{\"value\":0},{\"value\":6442450960},{\"value\":9223372041157978160}],"
        "\"lr\":{\"value\":4334780432},\"sp\":{\"value\":6097000},"
        "\"cpsr\":{\"value\":6442450960},"
        "\"pc\":{\"value\":4334780448,\"symbol\":\"f\",\"symbolLocation\":3}}}]"));
    const struct ms_report *r = &p.file.reports[0];
    cr_assert_eq(count(r, MS_PLACE_REGISTER), 3);
    cr_assert_eq(r->frames[0].address_rt, 0x180000010);
    cr_assert_eq(r->frames[0].lookup_rt, 0x180000010);
    cr_assert_eq(r->frames[1].lookup_rt, 0x1025f800f); /* lr returns */
    cr_assert_eq(r->frames[2].lookup_rt, 0x1025f8020);
    cr_assert(r->frames[2].named && r->frames[2].offset == 3);
    cr_assert_eq(r->frames[2].form, MS_FORM_REGISTER);
    cr_assert_eq(r->frames[2].group, 0);
    parsed_fini(&p);
}

Test(ips_frames, authentication_bits_are_taken_off)
{
    struct parsed p = parse(HEADER PAYLOAD(
        "\"threads\":[{\"threadState\":{\"lr\":{\"value\":14651896243008012304}}}]"));
    const struct ms_report *r = &p.file.reports[0]; /* 0xcb55fe01025f8010 */
    cr_assert_eq(r->n_frames, 1);
    cr_assert_eq(r->frames[0].address_rt, 0x1025f8010);
    parsed_fini(&p);
}

Test(ips_frames, duplicate_keys_the_last_counts)
{
    struct parsed p = parse(
        HEADER PAYLOAD("\"threads\":[{\"frames\":[]}],\"threads\":[{\"frames\":[{\"imageOffset\":1,"
                       "\"imageIndex\":1,\"imageOffset\":41208,\"imageIndex\":0}]}]"));
    cr_assert_eq(p.file.reports[0].n_frames, 1);
    cr_assert_eq(p.file.reports[0].frames[0].address_rt, 0x1026020f8);
    parsed_fini(&p);
}
