/* Requirements, and the CMS of a signature: expressions and certificates, built byte by byte. */
#include "unit/codesign_builder.h"

static const struct cs_directory plain = {
    .version = 0x20200, .identifier = "a", .hash_type = 2, .hash_bytes = 32, .page_shift = 12};

/* ---- requirements --------------------------------------------------------------------------- */

static void put_data(struct build *b, const char *data, size_t n)
{
    put_u32(b, (uint32_t)n);
    put_bytes(b, data, n);
    put_zeros(b, (4 - n % 4) % 4);
}

/* "$": a u32 follows in `numbers`; a word: data. Written as words, to be read beside the text. */
static struct build expression(const char *const *words)
{
    struct build b = big_build();
    for (; *words; words++) {
        if (**words == '#')
            put_u32(&b, (uint32_t)strtoul(*words + 1, NULL, 0));
        else
            put_data(&b, *words, strlen(*words));
    }
    return b;
}

/* The signature with one designated requirement of that expression. */
static struct signed_image with_requirement(const struct build *code)
{
    struct cs cs = {.n = 0};
    struct build b = big_build();
    cs_add(&cs, 0, cs_directory(&plain));
    put_u32(&b, MAGIC_REQUIREMENTS);
    put_u32(&b, (uint32_t)(32 + code->n));
    put_u32(&b, 1);
    put_u32(&b, 3);
    put_u32(&b, 20);
    put_u32(&b, 0xfade0c00);
    put_u32(&b, (uint32_t)(12 + code->n));
    put_u32(&b, 1);
    put_bytes(&b, code->at, code->n);
    cs_add(&cs, 2, b);
    return read_signed(&cs);
}

#define WORDS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static void reads(const char *const *words, const char *text)
{
    struct build code = expression(words);
    struct signed_image image = with_requirement(&code);
    cr_assert_eq(image.status, MS_OK);
    cr_assert_eq(image.sign->n_faults, 0, "%s", image.sign->faults[0].text);
    cr_assert_eq(image.sign->n_requirements, 1);
    cr_assert_eq(image.sign->requirements[0].type, 3);
    cr_assert_str_eq(image.sign->requirements[0].text, text);
    /* cut off anywhere, it is a fault */
    for (size_t n = 0; n < code.n; n += 4) {
        struct build part = big_build();
        put_bytes(&part, code.at, n);
        struct signed_image cut = with_requirement(&part);
        cr_assert(cut.status == MS_OK && cut.sign->n_faults == 1, "%s: %zu", text, n);
        cr_assert_null(cut.sign->requirements[0].text);
        close_signed(&cut);
        build_free(&part);
    }
    close_signed(&image);
    build_free(&code);
}

Test(requirement, operations)
{
    reads(WORDS("#0"), "never");
    reads(WORDS("#1"), "always");
    reads(WORDS("#2", "com.example.app"), "identifier \"com.example.app\"");
    reads(WORDS("#2", "App"), "identifier App");
    reads(WORDS("#2", "1App"), "identifier \"1App\"");
    reads(WORDS("#2", ""), "identifier \"\"");
    reads(WORDS("#2", "a\"b\\"), "identifier \"a\\\"b\\\\\"");
    reads(WORDS("#2", "a\nb"), "identifier 0x610a62");
    reads(WORDS("#3"), "anchor apple");
    reads(WORDS("#4", "#0", "\x01\x02"), "certificate leaf = H\"0102\"");
    reads(WORDS("#4", "#0xffffffff", "\x01"), "certificate root = H\"01\"");
    reads(WORDS("#5", "a.b", "c"), "info[a.b] = c");
    reads(WORDS("#8", "\xab\xcd"), "cdhash H\"abcd\"");
    reads(WORDS("#9", "#1"), "! always");
    reads(WORDS("#10", "k", "#0"), "info[k] /* exists */");
    reads(WORDS("#11", "#1", "subject.OU", "#1", "TEAM123456"),
          "certificate 1[subject.OU] = TEAM123456");
    reads(WORDS("#12", "#0"), "certificate leaf trusted");
    reads(WORDS("#13"), "anchor trusted");
    reads(WORDS("#14", "#0", "\x2a\x86\x48\x86\xf7\x63\x64\x06\x01\x0d", "#0"),
          "certificate leaf[field.1.2.840.113635.100.6.1.13] /* exists */");
    reads(WORDS("#15"), "anchor apple generic");
    reads(WORDS("#16", "get-task-allow", "#14"), "entitlement[\"get-task-allow\"] absent ");
    reads(WORDS("#17", "#0", "\x2a\x03", "#0"), "certificate leaf[policy.1.2.3] /* exists */");
    reads(WORDS("#18", "x"), "anchor apple x");
    reads(WORDS("#19", "x"), "(x)");
    reads(WORDS("#20", "#14"), "platform = 14");
    reads(WORDS("#21"), "notarized");
    reads(WORDS("#23"), "legacy");
}

Test(requirement, matches)
{
    reads(WORDS("#10", "k", "#1", "v.w"), "info[k] = v.w");
    reads(WORDS("#10", "k", "#2", "v"), "info[k] ~ v");
    reads(WORDS("#10", "k", "#3", "v"), "info[k] = v*");
    reads(WORDS("#10", "k", "#4", "v"), "info[k] = *v");
    reads(WORDS("#10", "k", "#5", "v"), "info[k] < v");
    reads(WORDS("#10", "k", "#6", "v"), "info[k] > v");
    reads(WORDS("#10", "k", "#7", "v"), "info[k] <= v");
    reads(WORDS("#10", "k", "#8", "v"), "info[k] >= v");
    reads(WORDS("#22", "#0", "\x2a\x03", "#10", "#0", "#77"),
          "certificate leaf[timestamp.1.2.3] < timestamp 77");
}

Test(requirement, precedence)
{
    reads(WORDS("#6", "#6", "#1", "#0", "#3"), "always and never and anchor apple");
    reads(WORDS("#7", "#6", "#1", "#0", "#3"), "always and never or anchor apple");
    reads(WORDS("#6", "#7", "#1", "#0", "#3"), "(always or never) and anchor apple");
    reads(WORDS("#9", "#7", "#1", "#0"), "! (always or never)");
}

Test(requirement, unknown_operations)
{
    reads(WORDS("#0x80000063", "xyz"), "false /* opcode 99 */");
    reads(WORDS("#0x40000063", "xyz"), "/* opcode 99 */");
}

static void faulty(const struct build *code, uint64_t offset, const char *text)
{
    struct signed_image image = with_requirement(code);
    cr_assert_eq(image.status, MS_OK);
    cr_assert_eq(image.sign->n_faults, 1);
    cr_assert_str_eq(image.sign->faults[0].text, text);
    uint64_t start = image.sign->blobs[1].off + 20;
    cr_assert_eq(image.sign->faults[0].offset, start + offset, "0x%llx",
                 (unsigned long long)(image.sign->faults[0].offset - start));
    close_signed(&image);
}

Test(requirement, faults)
{
    struct build code = expression(WORDS("#99"));
    faulty(&code, 12, "a requirement: an unknown operation");
    build_free(&code);
    code = expression(WORDS("#10", "k", "#15"));
    faulty(&code, 24, "a requirement: an unknown kind of match");
    build_free(&code);
    code = expression(WORDS("#2", "#100"));
    faulty(&code, 20, "a requirement: ends within an expression");
    build_free(&code);
    code = big_build();
    for (int i = 0; i < 300; i++)
        put_u32(&code, 9);
    faulty(&code, 12 + 4 * 256, "a requirement: expressions within expressions, too deep");
    build_free(&code);
}

Test(requirement, damaged_blobs)
{
    struct cs cs = {.n = 0};
    struct build b = big_build();
    put_u32(&b, MAGIC_REQUIREMENTS);
    put_u32(&b, 20);
    put_u32(&b, 2);
    put_zeros(&b, 8);
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, 2, b);
    struct signed_image image = read_signed(&cs);
    cr_assert_eq(image.sign->n_faults, 1);
    cr_assert_str_eq(image.sign->faults[0].text,
                     "2 requirements in a blob of 20 bytes (at most 64 are read)");
    cr_assert_eq(image.sign->faults[0].offset, image.sign->blobs[1].off + 8);
    close_signed(&image);
    b = big_build();
    put_u32(&b, MAGIC_REQUIREMENTS);
    put_u32(&b, 20);
    put_u32(&b, 1);
    put_u32(&b, 3);
    put_u32(&b, 12);
    cs_add(&cs, 0, cs_directory(&plain));
    cs_add(&cs, 2, b);
    image = read_signed(&cs);
    cr_assert_str_eq(image.sign->faults[0].text,
                     "a requirement of 12 bytes at 0xc of a blob of 20");
    cr_assert_eq(image.sign->faults[0].offset, image.sign->blobs[1].off + 12);
    close_signed(&image);
}

/* ---- CMS ------------------------------------------------------------------------------------ */

/* An element around parts, which it frees; of definite length, or not. */
static struct build element(unsigned tag, bool indefinite, struct build body)
{
    struct build b = big_build();
    put_u8(&b, tag);
    if (indefinite) {
        put_u8(&b, 0x80);
    } else {
        put_u8(&b, 0x82);
        put_u16(&b, (unsigned)body.n);
    }
    put_bytes(&b, body.at, body.n);
    if (indefinite)
        put_u16(&b, 0);
    build_free(&body);
    return b;
}

static struct build bytes(unsigned tag, const void *data, size_t n)
{
    struct build b = big_build();
    put_bytes(&b, data, n);
    return element(tag, false, b);
}

static struct build join(size_t n, struct build *parts)
{
    struct build b = big_build();
    for (size_t i = 0; i < n; i++) {
        put_bytes(&b, parts[i].at, parts[i].n);
        build_free(&parts[i]);
    }
    return b;
}
#define JOIN(...)                                                                                  \
    join(sizeof(struct build[]){__VA_ARGS__} / sizeof(struct build), (struct build[]){__VA_ARGS__})
#define SEQ(...) element(0x30, false, JOIN(__VA_ARGS__))

/* SET { SEQUENCE { OID 2.5.4.N, UTF8String } } */
static struct build name_of(unsigned kind, const char *text)
{
    const uint8_t oid[] = {0x55, 4, (uint8_t)kind};
    return element(0x31, false, SEQ(bytes(6, oid, 3), bytes(12, text, strlen(text))));
}

static struct build name(const char *common)
{
    return SEQ(name_of(11, "TEAM123456"), name_of(10, "Example Ltd"), name_of(3, common));
}

static struct build certificate(unsigned serial, const char *issuer, const char *subject)
{
    uint8_t number = (uint8_t)serial;
    return SEQ(SEQ(element(0xa0, false, bytes(2, "\2", 1)), bytes(2, &number, 1),
                   SEQ(bytes(6, "\1", 1)), name(issuer), SEQ(bytes(23, "240101000000Z", 13)),
                   name(subject)),
               SEQ(bytes(6, "\1", 1)), bytes(3, "\0", 1));
}

static const uint8_t oid_time[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 5};
static const uint8_t oid_digest[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 4};
static const uint8_t oid_token[] = {0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 9, 16, 2, 14};

static struct build attribute(const uint8_t *oid, size_t n, struct build value)
{
    return SEQ(bytes(6, oid, n), element(0x31, false, value));
}

/* ContentInfo { OID, [0] { SignedData } }, of indefinite lengths as Apple's encoder has them. */
static struct build signed_data(bool indefinite, struct build content, struct build certificates,
                                struct build signers)
{
    struct build inside =
        JOIN(bytes(2, "\1", 1), bytes(0x31, "", 0), element(0x30, indefinite, content),
             element(0xa0, indefinite, certificates), element(0x31, false, signers));
    return element(
        0x30, indefinite,
        JOIN(bytes(6, "\1\2", 2), element(0xa0, indefinite, element(0x30, indefinite, inside))));
}

static struct build time_stamp(void)
{
    struct build info = SEQ(bytes(2, "\1", 1), bytes(6, "\1", 1), SEQ(bytes(6, "\1", 1)),
                            bytes(2, "\7", 1), bytes(24, "20240501101330.123Z", 19));
    return signed_data(false,
                       JOIN(bytes(6, "\1", 1), element(0xa0, false, element(4, false, info))),
                       big_build(), big_build());
}

static struct build cms(bool indefinite, const uint8_t digest[32], bool stamped)
{
    struct build attributes =
        JOIN(attribute(oid_time, sizeof oid_time, bytes(23, "240501101329Z", 13)),
             attribute(oid_digest, sizeof oid_digest, bytes(4, digest, 32)));
    struct build more =
        stamped ? element(0xa1, false, attribute(oid_token, sizeof oid_token, time_stamp()))
                : big_build();
    struct build signer = SEQ(bytes(2, "\1", 1), SEQ(name("Authority"), bytes(2, "\7", 1)),
                              SEQ(bytes(6, "\1", 1)), element(0xa0, false, attributes),
                              SEQ(bytes(6, "\1", 1)), bytes(4, "signature", 9), more);
    return signed_data(indefinite, bytes(6, "\1", 1),
                       JOIN(certificate(1, "Root", "Root"), certificate(7, "Authority", "Signer"),
                            certificate(5, "Root", "Authority")),
                       signer);
}

static struct signed_image with_cms(struct build body, bool own_digest)
{
    struct cs cs = {.n = 0};
    cs_add(&cs, 0, cs_directory(&plain));
    if (own_digest) {
        uint8_t digest[32];
        ms_sha256(build_bytes(&cs.parts[0].blob), digest);
        build_free(&body);
        body = cms(true, digest, true);
    }
    cs_add(&cs, 0x10000, cs_blob(MAGIC_CMS, body.at, body.n));
    build_free(&body);
    return read_signed(&cs);
}

static void check_signer(const struct signed_image *image, bool stamped)
{
    cr_assert_eq(image->status, MS_OK);
    cr_assert_eq(image->sign->n_faults, 0, "%s", image->sign->faults[0].text);
    cr_assert_eq(image->sign->kind, MS_CS_KIND_SIGNED);
    const struct ms_cs_signer *signer = &image->sign->signer;
    cr_assert_eq(signer->n_certificates, 3);
    cr_assert_eq(signer->n_authorities, 3);
    cr_assert_str_eq(signer->authorities[0], "Signer");
    cr_assert_str_eq(signer->authorities[1], "Authority");
    cr_assert_str_eq(signer->authorities[2], "Root");
    cr_assert_str_eq(signer->organization, "Example Ltd");
    cr_assert_str_eq(signer->unit, "TEAM123456");
    cr_assert_str_eq(signer->time, "2024-05-01T10:13:29Z");
    if (stamped)
        cr_assert_str_eq(signer->timestamp, "2024-05-01T10:13:30Z");
    else
        cr_assert_null(signer->timestamp);
    cr_assert_eq(signer->digest.n, 32);
}

Test(cms, signer)
{
    static const uint8_t digest[32] = {1};
    for (int i = 0; i < 4; i++) {
        struct signed_image image = with_cms(cms(i & 1, digest, i & 2), false);
        struct ms_cs_check check;
        static const struct ms_cs_outside nothing;
        check_signer(&image, i & 2);
        ms_codesign_check(&image.macho, image.sign, &nothing, &check);
        cr_assert(check.cms_differs);
        close_signed(&image);
    }
}

Test(cms, of_this_directory)
{
    static const struct ms_cs_outside nothing;
    struct signed_image image = with_cms(big_build(), true);
    struct ms_cs_check check;
    check_signer(&image, true);
    ms_codesign_check(&image.macho, image.sign, &nothing, &check);
    cr_assert_not(check.cms_differs);
    close_signed(&image);
}

Test(cms, empty)
{
    struct signed_image image = with_cms(big_build(), false);
    cr_assert_eq(image.sign->n_faults, 0);
    cr_assert_eq(image.sign->kind, MS_CS_KIND_UNSEALED);
    close_signed(&image);
}

/* Cut off anywhere it is a fault or has less to say, and nothing is read past its end. */
Test(cms, cut_off)
{
    static const uint8_t digest[32] = {1};
    for (int indefinite = 0; indefinite < 2; indefinite++) {
        struct build whole = cms(indefinite, digest, true);
        for (size_t n = 1; n < whole.n; n++) {
            struct build part = big_build();
            put_bytes(&part, whole.at, n);
            struct signed_image image = with_cms(part, false);
            cr_assert_eq(image.sign->n_faults, 1, "%zu", n);
            cr_assert_eq(image.sign->faults[0].offset, image.sign->blobs[1].off + 8);
            char text[100];
            snprintf(text, sizeof text,
                     "the CMS signature of %zu bytes is no SignedData, or is cut off", n);
            cr_assert_str_eq(image.sign->faults[0].text, text);
            close_signed(&image);
        }
        build_free(&whole);
    }
}

/* Every byte changed in turn: no crash, no endless loop, and the rest of the signature is there. */
Test(cms, mutated)
{
    static const uint8_t digest[32] = {1};
    struct build whole = cms(true, digest, true);
    for (size_t i = 0; i < whole.n * 3; i++) {
        static const uint8_t by[] = {0xff, 0x80, 0x01};
        struct build part = big_build();
        put_bytes(&part, whole.at, whole.n);
        part.at[i / 3] ^= by[i % 3];
        struct signed_image image = with_cms(part, false);
        cr_assert_eq(image.status, MS_OK);
        cr_assert_eq(image.sign->n_directories, 1);
        close_signed(&image);
    }
    build_free(&whole);
}

/* Issuers that name each other. */
Test(cms, chain_without_an_end)
{
    struct build signer = SEQ(bytes(2, "\1", 1), SEQ(name("B"), bytes(2, "\1", 1)),
                              SEQ(bytes(6, "\1", 1)), SEQ(bytes(6, "\1", 1)), bytes(4, "s", 1));
    struct build body = signed_data(
        false, bytes(6, "\1", 1), JOIN(certificate(1, "B", "A"), certificate(2, "A", "B")), signer);
    struct signed_image image = with_cms(body, false);
    cr_assert_eq(image.sign->signer.n_authorities, 2);
    close_signed(&image);
}
