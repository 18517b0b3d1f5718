/* Property lists in XML, in binary and in DER: values, faults with their offsets, writing. */
#include "machsym/plist.h"
#include "unit/macho_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>

#define HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">"
#define TAIL "</plist>\n"

typedef enum ms_status parser(struct ms_bytes, const char *, struct ms_plist_tree **,
                              struct ms_error *);

/* Exactly as many bytes as there are, so that a sanitizer sees a read past the end. */
static enum ms_status parse(parser *with, const void *bytes, size_t n, struct ms_plist_tree **tree,
                            struct ms_error *err)
{
    uint8_t *copy = malloc(n ? n : 1);
    cr_assert(copy);
    memcpy(copy, bytes, n);
    *tree = NULL;
    memset(err, 0, sizeof *err);
    enum ms_status status = with((struct ms_bytes){copy, n}, "list", tree, err);
    free(copy); /* a tree borrows nothing */
    return status;
}

static struct ms_plist_tree *good(parser *with, const void *bytes, size_t n)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    cr_assert_eq(parse(with, bytes, n, &tree, &err), MS_OK, "0x%llx %s",
                 (unsigned long long)err.offset, err.text);
    return tree;
}

static void bad(parser *with, const void *bytes, size_t n, enum ms_status status, uint64_t offset,
                const char *text)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    cr_assert_eq(parse(with, bytes, n, &tree, &err), status, "%s: got '%s'", text, err.text);
    cr_assert_str_eq(err.text, text);
    cr_assert_eq(err.offset, offset, "%s: 0x%llx", text, (unsigned long long)err.offset);
    cr_assert_str_eq(err.where, "list");
    cr_assert_null(tree);
}

static struct ms_plist_tree *good_xml(const char *text)
{
    return good(ms_plist_parse, text, strlen(text));
}

static void bad_xml(const char *text, uint64_t offset, const char *message)
{
    bad(ms_plist_parse, text, strlen(text), MS_E_FORMAT, offset, message);
}

static bool append(void *to, const char *bytes, size_t n)
{
    put_bytes(to, bytes, n);
    return true;
}

enum { AS_XML, AS_TREE, AS_JSON };

static void writes(const struct ms_plist *plist, int as, const char *text)
{
    struct build b = {NULL, 0, 0, false, false};
    struct ms_sink sink = {.write = append, .to = &b};
    struct ms_json json;
    if (as == AS_XML)
        ms_plist_write_xml(&sink, plist);
    if (as == AS_TREE)
        ms_plist_write_tree(&sink, plist);
    if (as == AS_JSON) {
        ms_json_init(&json, &sink, 0);
        ms_plist_write_json(&json, plist);
    }
    put_u8(&b, 0);
    cr_assert_str_eq((const char *)b.at, text);
    build_free(&b);
}

/* ---- XML ------------------------------------------------------------------------------------ */

static const char all_kinds[] =
    HEAD "<dict>"
         "<key>s</key><string>a &lt;&amp;&#x41;&#228; b</string>"
         "<key>i</key><integer>-0x10</integer><key>u</key><integer>18446744073709551615</integer>"
         "<key>b</key><true/><key>f</key><false></false>"
         "<key>d</key><data>\n\tAAEC/w==\n\t</data>"
         "<key>t</key><date>2024-05-01T10:13:30Z</date><key>r</key><real>1.5</real>"
         "<key>a</key><array><string/><dict/><array/></array>"
         "<!-- a remark --><key>c</key><string><![CDATA[<&]]>]</string>"
         "</dict>" TAIL;

Test(plist_xml, kinds)
{
    struct ms_plist_tree *tree = good_xml(all_kinds);
    const struct ms_plist *root = ms_plist_root(tree);
    cr_assert_eq(root->kind, MS_PLIST_DICT);
    cr_assert_eq(root->n, 10);
    cr_assert_str_eq(ms_plist_get(root, "s")->text, "a <&A\xc3\xa4 b");
    cr_assert_str_eq(ms_plist_get(root, "c")->text, "<&]");
    const struct ms_plist *i = ms_plist_get(root, "i"), *d = ms_plist_get(root, "d");
    cr_assert(i->is_negative && i->number == 16);
    cr_assert_eq(ms_plist_get(root, "u")->number, UINT64_MAX);
    cr_assert(ms_plist_get(root, "b")->boolean && !ms_plist_get(root, "f")->boolean);
    cr_assert(d->text_bytes == 4 && memcmp(d->text, "\0\1\2\xff", 4) == 0);
    cr_assert_eq(ms_plist_get(root, "a")->n, 3);
    cr_assert_null(ms_plist_get(root, "none"));
    cr_assert_null(ms_plist_get(i, "s"));
    ms_plist_close(tree);
}

Test(plist_xml, written)
{
    struct ms_plist_tree *tree = good_xml(all_kinds);
    writes(ms_plist_root(tree), AS_JSON,
           "{\"a\":[\"\",{},[]],\"b\":true,\"c\":\"<&]\",\"d\":\"AAEC/w==\",\"f\":false,\"i\":-16,"
           "\"r\":\"1.5\",\"s\":\"a <&A\xc3\xa4 b\",\"t\":\"2024-05-01T10:13:30Z\","
           "\"u\":\"18446744073709551615\"}");
    writes(
        ms_plist_root(tree), AS_TREE,
        "[Dict]\n\t[Key] a\n\t[Value]\n\t\t[Array]\n\t\t\t[String] \n\t\t\t[Dict]\n\t\t\t[Array]\n"
        "\t[Key] b\n\t[Value]\n\t\t[Bool] true\n\t[Key] c\n\t[Value]\n\t\t[String] <&]\n"
        "\t[Key] d\n\t[Value]\n\t\t[Data] 000102ff\n\t[Key] f\n\t[Value]\n\t\t[Bool] false\n"
        "\t[Key] i\n\t[Value]\n\t\t[Int] -16\n\t[Key] r\n\t[Value]\n\t\t[Real] 1.5\n"
        "\t[Key] s\n\t[Value]\n\t\t[String] a <&A\xc3\xa4 b\n"
        "\t[Key] t\n\t[Value]\n\t\t[Date] 2024-05-01T10:13:30Z\n"
        "\t[Key] u\n\t[Value]\n\t\t[Int] 18446744073709551615\n");
    /* What is written is read as the same, and written as the same. */
    struct build b = {NULL, 0, 0, false, false};
    struct ms_sink sink = {.write = append, .to = &b};
    char path[64];
    ms_plist_write_xml(&sink, ms_plist_root(tree));
    struct ms_plist_tree *again = good(ms_plist_parse, b.at, b.n);
    cr_assert_not(ms_plist_differ(ms_plist_root(tree), ms_plist_root(again), path, sizeof path),
                  "%s", path);
    put_u8(&b, 0);
    writes(ms_plist_root(again), AS_XML, (const char *)b.at);
    build_free(&b);
    ms_plist_close(tree);
    ms_plist_close(again);
}

Test(plist_xml, as_plutil_writes_it)
{
    struct ms_plist_tree *tree =
        good_xml(HEAD "<dict><key>x</key><array><true/></array><key>e</key><dict/></dict>" TAIL);
    writes(ms_plist_root(tree), AS_XML,
           "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" "
           "\"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n"
           "<plist version=\"1.0\">\n<dict>\n\t<key>e</key>\n\t<dict/>\n\t<key>x</key>\n"
           "\t<array>\n\t\t<true/>\n\t</array>\n</dict>\n</plist>\n");
    ms_plist_close(tree);
}

Test(plist_xml, what_readers_take_in_two_ways)
{
    bad_xml("<plist><dict><!---><!--><key>a</key><true/></dict></plist>", 13,
            "a comment that readers take in different ways: '--' or '>' in it");
    bad_xml("<plist><!--> <dict/> <!-- --></plist>", 7,
            "a comment that readers take in different ways: '--' or '>' in it");
    bad_xml("<plist><!-- a -- b --><dict/></plist>", 7,
            "a comment that readers take in different ways: '--' or '>' in it");
    bad_xml("<plist><dict><key>a</key><true/><key>a</key><false/></dict></plist>", 52,
            "the key 'a' stands twice in a dictionary");
    bad_xml("<!DOCTYPE plist [<!ENTITY a \"b\">]><plist><string>&a;</string></plist>", 16,
            "a document type that defines entities, which no property list needs");
    bad_xml("<plist><dict><key>a&#0;b</key><true/></dict></plist>", 19,
            "an entity that is no character");
    bad(ms_plist_parse, "<plist><dict><key>a\0b</key><true/></dict></plist>", 49, MS_E_FORMAT, 13,
        "a key with a NUL in it, behind which some readers don't look");
}

Test(plist_xml, malformed)
{
    bad_xml("", 0, "ends before </plist>");
    bad_xml("<plist>", 7, "ends before </plist>");
    bad_xml("<plist></plist>", 15, "a property list without a value");
    bad_xml("<plist/>", 0, "<plist> out of place");
    bad_xml("<plist><plist>", 7, "<plist> out of place");
    bad_xml("<dict/>", 0, "<dict> outside of <plist>");
    bad_xml("<plist><dict></plist>", 13, "</plist> out of place");
    bad_xml("<plist><dict></array>", 13, "</array> closes nothing that is open");
    bad_xml("<plist></dict>", 7, "</dict> closes nothing that is open");
    bad_xml("<plist><true/><true/></plist>", 14, "a second value behind the first");
    bad_xml("<plist><dict><true/></dict></plist>", 13, "a value in a dictionary without a key");
    bad_xml("<plist><dict><key>a</key></dict></plist>", 25, "the key 'a' has no value");
    bad_xml("<plist><array><key>a</key></array></plist>", 14, "a key where a value is expected");
    bad_xml("<plist><string>a</key></plist>", 16, "</key> where </string> is expected");
    bad_xml("<plist><string>a", 7, "<string> without its </string>");
    bad_xml("<plist>x</plist>", 7, "text between the elements (0x78)");
    bad_xml("<plist><integer>1x</integer></plist>", 7, "<integer> holds none");
    bad_xml("<plist><integer>99999999999999999999</integer></plist>", 7, "<integer> holds none");
    bad_xml("<plist><integer/></plist>", 7, "<integer> holds none");
    bad_xml("<plist><data>A</data></plist>", 7, "<data> holds none");
    bad_xml("<plist><data>AB=C</data></plist>", 7, "<data> holds none");
    bad_xml("<plist><date>today</date></plist>", 7, "<date> holds none");
    bad_xml("<plist><string>&nbsp;</string></plist>", 15, "an entity that is no character");
    bad_xml("<plist><string>&#xD800;</string></plist>", 15, "an entity that is no character");
    bad_xml("<plist><thing/></plist>", 7, "an element <thing>");
    bad_xml("<plist><dict a=\"></plist>", 7, "a malformed tag '<dict'");
    bad_xml("<plist></dict/></plist>", 7, "a malformed tag '</dict/>'");
    bad_xml("<?xml", 0, "a processing instruction without its '?>'");
    bad_xml("<plist><!--", 7, "a comment without its '-->'");
}

/* However a list is cut off, it is an error, and never a read past the end. */
Test(plist_xml, cut_off)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    for (size_t n = 0; n + sizeof "\n" < sizeof all_kinds; n++)
        cr_assert_eq(parse(ms_plist_parse, all_kinds, n, &tree, &err), MS_E_FORMAT, "%zu", n);
}

Test(plist_xml, deep)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    char text[2000] = "<plist>";
    for (int i = 0; i < 41; i++)
        strcat(text, "<array>");
    cr_assert_eq(parse(ms_plist_parse, text, strlen(text), &tree, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "more than 40 values within values");
    cr_assert_eq(err.offset, 7 + 40 * 7);
}

Test(plist_xml, padding)
{
    static const char text[] = "\xef\xbb\xbf<plist><true/></plist>\0\0\0";
    ms_plist_close(good(ms_plist_parse, text, sizeof text));
}

/* ---- DER ------------------------------------------------------------------------------------ */

#define DER(...)                                                                                   \
    (const uint8_t[]){__VA_ARGS__}, sizeof(uint8_t[])                                              \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static const uint8_t debuggable[] = {0x70, 0x1a, 2,   1,   1,   0xb0, 0x15, 0x30, 0x13, 0x0c,
                                     0x0e, 'g',  'e', 't', '-', 't',  'a',  's',  'k',  '-',
                                     'a',  'l',  'l', 'o', 'w', 1,    1,    0xff};

Test(plist_der, debuggable)
{
    struct ms_plist_tree *tree = good(ms_plist_parse_der, debuggable, sizeof debuggable);
    writes(ms_plist_root(tree), AS_JSON, "{\"get-task-allow\":true}");
    writes(ms_plist_root(tree), AS_TREE,
           "[Dict]\n\t[Key] get-task-allow\n\t[Value]\n\t\t[Bool] true\n");
    ms_plist_close(tree);
    /* the plain SET of older signers */
    tree = good(ms_plist_parse_der, DER(0x31, 0x08, 0x30, 0x06, 0x0c, 1, 'a', 1, 1, 0));
    writes(ms_plist_root(tree), AS_JSON, "{\"a\":false}");
    ms_plist_close(tree);
}

Test(plist_der, kinds)
{
    /* {"a": ["x", -2, 2^63], "d": {"b": true}, "o": <00ff>}, with a length in long form */
    struct ms_plist_tree *tree = good(
        ms_plist_parse_der, DER(0x70, 0x81, 0x38, 2, 1, 1, 0xb0, 0x33, 0x30, 0x18, 0x0c, 1, 'a',
                                0x30, 0x13, 0x0c, 1, 'x', 2, 1, 0xfe, 2, 9, 0, 0x80, 0, 0, 0, 0, 0,
                                0, 0, 0x30, 0, 0x30, 0x0d, 0x0c, 1, 'd', 0xb0, 8, 0x30, 6, 0x0c, 1,
                                'b', 1, 1, 0xff, 0x30, 0x08, 0x0c, 1, 'o', 4, 3, 0, 0xff, 7));
    writes(ms_plist_root(tree), AS_JSON,
           "{\"a\":[\"x\",-2,\"9223372036854775808\",[]],\"d\":{\"b\":true},\"o\":\"AP8H\"}");
    ms_plist_close(tree);
}

static void bad_der(const uint8_t *bytes, size_t n, uint64_t offset, const char *text)
{
    bad(ms_plist_parse_der, bytes, n, MS_E_FORMAT, offset, text);
}

Test(plist_der, malformed)
{
    bad_der(DER(0), 0, "a DER element that is malformed or longer than the 1 bytes that remain");
    bad(ms_plist_parse_der, "", 0, MS_E_FORMAT, 0, "no DER element");
    bad_der(DER(0x04, 0), 0, "a DER element 0x04, expected 0x70 or 0x31");
    bad_der(DER(0x70, 0), 0, "no version where one is expected");
    bad_der(DER(0x70, 3, 2, 1, 1), 0, "no dictionary behind the version");
    bad_der(DER(0x70, 5, 2, 1, 1, 0x30, 0), 0, "no dictionary behind the version");
    bad(ms_plist_parse_der, DER(0x70, 3, 2, 1, 2), MS_E_UNSUPPORTED, 0,
        "DER of version 2, 1 is known");
    bad_der(DER(0x31, 3, 0x0c, 1, 'a'), 2, "a dictionary's member is no pair of a key and a value");
    bad_der(DER(0x31, 5, 0x30, 3, 0x0c, 1, 'a'), 2, "a pair of a key alone");
    bad_der(DER(0x31, 11, 0x30, 9, 0x0c, 1, 'a', 1, 1, 0, 1, 1, 0), 2,
            "a pair of more than two elements");
    bad_der(DER(0x31, 8, 0x30, 6, 0x0c, 1, 'a', 9, 1, 0), 7,
            "a DER element 0x09, which entitlements don't have");
    bad_der(DER(0x31, 9, 0x30, 7, 0x0c, 1, 'a', 1, 2, 0, 0), 7, "a DER BOOLEAN of 2 bytes");
    bad_der(DER(0x31, 7, 0x30, 5, 0x0c, 1, 'a', 2, 0), 7, "a DER INTEGER of 0 bytes");
    bad_der(DER(0x31, 16, 0x30, 6, 0x0c, 1, 'a', 1, 1, 0, 0x30, 6, 0x0c, 1, 'a', 1, 1, 0), 0,
            "the key 'a' stands twice in a dictionary");
    bad_der(DER(0x31, 8, 0x30, 9, 0x0c, 1, 'a', 1, 1, 0), 2,
            "a DER element that is malformed or longer than the 8 bytes that remain");
    bad_der(DER(0x31, 0x80, 0, 0), 0,
            "a DER element that is malformed or longer than the 4 bytes that remain");
}

Test(plist_der, cut_off)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    for (size_t n = 0; n < sizeof debuggable; n++)
        cr_assert_eq(parse(ms_plist_parse_der, debuggable, n, &tree, &err), MS_E_FORMAT, "%zu", n);
}

Test(plist_der, deep)
{
    uint8_t bytes[4 * 60];
    size_t n = sizeof bytes;
    memset(bytes, 0, n); /* SEQUENCEs within each other, lengths of two bytes */
    bytes[0] = 0x31;
    for (size_t i = 0; i < 60; i++) {
        bytes[4 * i] = i ? 0x30 : 0x31;
        bytes[4 * i + 1] = 0x82;
        bytes[4 * i + 3] = (uint8_t)(n - 4 * i - 4);
    }
    struct ms_plist_tree *tree;
    struct ms_error err;
    cr_assert_eq(parse(ms_plist_parse_der, bytes, n, &tree, &err), MS_E_FORMAT);
    cr_assert_str_eq(err.text, "a dictionary's member is no pair of a key and a value");
    /* {"a": [[[…]]]} */
    struct build b = {NULL, 0, 0, true, true};
    put_bytes(&b, "\x31\x82\0\0\x30\x82\0\0\x0c\1a", 11);
    for (size_t i = 0; i < 45; i++)
        put_bytes(&b, "\x30\x82\0\0", 4);
    b.at[3] = (uint8_t)(b.n - 4);
    b.at[7] = (uint8_t)(b.n - 8);
    for (size_t i = 0; i < 45; i++)
        b.at[11 + 4 * i + 3] = (uint8_t)(b.n - 15 - 4 * i);
    bad(ms_plist_parse_der, b.at, b.n, MS_E_LIMIT, 11 + 4 * 39,
        "more than 40 values within values");
    build_free(&b);
}

/* ---- binary --------------------------------------------------------------------------------- */

/* {"CFBundleExecutable"…: as Xcode writes it, with one-byte offsets and references. */
static const uint8_t binary[] = {
    'b',  'p',  'l',  'i',  's',  't',  '0',  '0',  0xd3, 1, 2, 3, 4, 5, 6, /* 8: a dictionary of
                                                                               three */
    0x51, 'e',  0x51, 'a',  0x51, 'n',                                      /* 15, 17, 19: keys */
    0x62, 0,    0xe4, 0x26, 0x3a,                                           /* 21: "ä☺" in UTF-16 */
    0xa2, 7,    8,                                        /* 26: an array of two */
    0x13, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe, /* 29: -2 */
    0x09,                                                 /* 38: true */
    0x43, 1,    2,    3,                                  /* 39: data */
    8,    15,   17,   19,   21,   26,   29,   38,   39,   /* 43: where they are */
    0,    0,    0,    0,    0,    0,    1,    1,    0,    0, 0, 0, 0, 0, 0, 9,
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 43};

Test(plist_binary, kinds)
{
    struct ms_plist_tree *tree = good(ms_plist_parse, binary, sizeof binary);
    writes(ms_plist_root(tree), AS_JSON,
           "{\"a\":[true,\"AQID\"],\"e\":\"\xc3\xa4\xe2\x98\xba\",\"n\":-2}");
    ms_plist_close(tree);
}

static void bad_binary(size_t at, uint8_t is, uint64_t offset, const char *text)
{
    uint8_t bytes[sizeof binary];
    memcpy(bytes, binary, sizeof binary);
    bytes[at] = is;
    bad(ms_plist_parse, bytes, sizeof bytes, MS_E_FORMAT, offset, text);
}

Test(plist_binary, malformed)
{
    bad_binary(8, 0xdf, 8, "a container that reaches past the end");
    bad_binary(9, 9, 8, "a key's object lies outside");
    bad_binary(9, 7, 38, "a key that is no string");
    bad_binary(15, 0x5f, 15, "a string that reaches past the end");
    bad_binary(12, 99, 8, "an object lies outside");
    bad_binary(29, 0x70 + 15, 29, "an object of an unknown kind, or past the end");
    bad_binary(38, 0xf0, 38, "an object of an unknown kind, or past the end");
    bad_binary(sizeof binary - 1, 90, sizeof binary - 32,
               "the trailer's table of objects lies outside");
    bad_binary(6, '1', 0, "not a binary property list of version 0");
}

/* An array that holds itself, and one of arrays that are all the same: depth and number end it. */
Test(plist_binary, loops)
{
    uint8_t bytes[sizeof binary];
    struct ms_plist_tree *tree;
    struct ms_error err;
    memcpy(bytes, binary, sizeof binary);
    bytes[27] = 5;
    cr_assert_eq(parse(ms_plist_parse, bytes, sizeof bytes, &tree, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "more than 40 values within values");
    struct build b = {NULL, 0, 0, true, true};
    put_bytes(&b, "bplist00", 8);
    for (unsigned i = 0; i < 30; i++) { /* 2^30 values */
        put_u8(&b, 0xa2);
        put_u8(&b, i + 1);
        put_u8(&b, i + 1);
    }
    put_u8(&b, 9);
    size_t table = b.n;
    for (unsigned i = 0; i <= 30; i++)
        put_u8(&b, 8 + 3 * i);
    put_bytes(&b, "\0\0\0\0\0\0\1\1", 8);
    put_u64(&b, 31);
    put_u64(&b, 0);
    put_u64(&b, table);
    cr_assert_eq(parse(ms_plist_parse, b.at, b.n, &tree, &err), MS_E_LIMIT);
    cr_assert_str_eq(err.text, "more than 262144 values");
    build_free(&b);
}

/* A text of 1 MB, used 200 times. */
Test(plist_binary, texts_used_often)
{
    struct build b = {NULL, 0, 0, true, true};
    put_bytes(&b, "bplist00\xaf\x10\xc8", 11);
    for (int i = 0; i < 200; i++)
        put_u8(&b, 1);
    size_t text = b.n;
    put_bytes(&b, "\x4f\x12\0\x10\0\0", 6);
    put_zeros(&b, 1 << 20);
    size_t table = b.n;
    put_u32(&b, 8);
    put_u32(&b, (uint32_t)text);
    put_bytes(&b, "\0\0\0\0\0\0\4\1", 8);
    put_u64(&b, 2);
    put_u64(&b, 0);
    put_u64(&b, table);
    bad(ms_plist_parse, b.at, b.n, MS_E_LIMIT, MS_NO_OFFSET,
        "texts that are used so often that they take more than 67108864 bytes");
    build_free(&b);
}

Test(plist_binary, cut_off)
{
    struct ms_plist_tree *tree;
    struct ms_error err;
    for (size_t n = 0; n < sizeof binary; n++)
        cr_assert_neq(parse(ms_plist_parse, binary, n, &tree, &err), MS_OK, "%zu", n);
}

/* ---- differences ---------------------------------------------------------------------------- */

static void differ(const char *one, const char *two, const char *where)
{
    struct ms_plist_tree *a = good_xml(one), *b = good_xml(two);
    char path[64];
    bool differs = ms_plist_differ(ms_plist_root(a), ms_plist_root(b), path, sizeof path);
    cr_assert_eq(differs, where != NULL, "%s", path);
    cr_assert_str_eq(path, where ? where : "");
    ms_plist_close(a);
    ms_plist_close(b);
}

#define DICT(x) "<plist><dict>" x "</dict></plist>"

Test(plist, differ)
{
    differ(all_kinds, all_kinds, NULL);
    differ(DICT("<key>a</key><true/><key>b</key><string>x</string>"),
           DICT("<key>b</key><string>x</string><key>a</key><true/>"), NULL);
    differ(DICT("<key>a</key><true/>"), DICT("<key>a</key><false/>"), "a");
    differ(DICT("<key>a</key><true/>"), DICT(""), "a");
    differ(DICT("<key>a</key><true/><key>c</key><true/>"),
           DICT("<key>b</key><true/><key>c</key><true/>"), "a");
    differ(DICT("<key>a</key><dict><key>b</key><array><true/><integer>1</integer></array></dict>"),
           DICT("<key>a</key><dict><key>b</key><array><true/><integer>2</integer></array></dict>"),
           "a.b[1]");
    differ(DICT("<key>a</key><array/>"), DICT("<key>a</key><dict/>"), "a");
    differ("<plist><true/></plist>", "<plist><false/></plist>", "");
}

/* A name out of a file can't forge a line, nor XML be broken by what it can't hold. */
Test(plist, control_characters)
{
    struct ms_plist_tree *tree =
        good_xml(DICT("<key>a\nb</key><string>x&#10;[Key] y&#27;</string>"));
    writes(ms_plist_root(tree), AS_TREE,
           "[Dict]\n\t[Key] a?b\n\t[Value]\n\t\t[String] x?[Key] y?\n");
    ms_plist_close(tree);
    tree = good_xml("<plist><string>\xc2\x9b &#13;&#127; \xc2\xa9</string></plist>");
    struct build b = {NULL, 0, 0, false, false};
    struct ms_sink sink = {.write = append, .to = &b};
    ms_plist_write_xml(&sink, ms_plist_root(tree));
    put_u8(&b, 0);
    cr_assert_not_null(strstr((const char *)b.at, "<string>&#155; &#13;&#127; \xc2\xa9</string>"));
    build_free(&b);
    ms_plist_close(tree);
}
