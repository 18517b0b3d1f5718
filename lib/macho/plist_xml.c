/*
 * macho/plist_xml.c: property lists in XML. Not an XML library, on purpose: entitlements decide
 * what a program may do, and two readers of one text that took a malformed comment in two ways
 * have let programs grant themselves whatever they liked. This one takes what the writers of
 * property lists write, refuses whatever could be read in two ways, and knows no entity that
 * isn't a character.
 */
#include "base/bytes.h"
#include "macho/plist_tree.h"

#include <string.h>

struct reader {
    struct ms_plist_builder *b;
    const char *at, *end, *start;
};

enum { MAX_TAG = 24 };

struct tag {
    char name[MAX_TAG];
    bool closes;    /* </x> */
    bool is_closed; /* <x/> */
    uint64_t off;
};

static uint64_t offset(const struct reader *r)
{
    return (uint64_t)(r->at - r->start);
}

static size_t left(const struct reader *r)
{
    return (size_t)(r->end - r->at);
}

static bool starts(const struct reader *r, const char *text)
{
    size_t n = strlen(text);
    return left(r) >= n && memcmp(r->at, text, n) == 0;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* The next place of `text`, NULL when there is none. */
static const char *find(const char *from, const char *end, const char *text)
{
    size_t n = strlen(text);
    for (const char *at = from; (size_t)(end - at) >= n; at++) {
        at = memchr(at, text[0], (size_t)(end - at) - n + 1);
        if (!at)
            return NULL;
        if (memcmp(at, text, n) == 0)
            return at;
    }
    return NULL;
}

/* ---- what stands between elements ----------------------------------------------------------- */

static enum ms_status skip_to(struct reader *r, const char *end, size_t from, const char *what,
                              struct ms_error *err)
{
    const char *at = left(r) >= from ? find(r->at + from, r->end, end) : NULL;
    if (!at)
        return ms_fail(err, MS_E_FORMAT, r->b->where, offset(r), "%s without its '%s'", what, end);
    r->at = at + strlen(end);
    return MS_OK;
}

static enum ms_status skip_comment(struct reader *r, struct ms_error *err)
{
    const char *end = find(r->at + 4, r->end, "--");
    if (!end)
        return skip_to(r, "-->", 4, "a comment", err);
    if (end + 2 >= r->end || end[2] != '>' || r->at[4] == '>' || starts(r, "<!--->"))
        return ms_fail(err, MS_E_FORMAT, r->b->where, offset(r),
                       "a comment that readers take in different ways: '--' or '>' in it");
    r->at = end + 3;
    return MS_OK;
}

/* A declaration may not define anything, so it ends at its first '>'. */
static enum ms_status skip_doctype(struct reader *r, struct ms_error *err)
{
    for (const char *c = r->at; c < r->end && *c != '>'; c++)
        if (*c == '[')
            return ms_fail(err, MS_E_FORMAT, r->b->where, (uint64_t)(c - r->start),
                           "a document type that defines entities, which no property list needs");
    return skip_to(r, ">", 0, "a document type", err);
}

/* Spaces, comments, processing instructions, the document type; MS_ABSENT at the end. */
static enum ms_status skip_between(struct reader *r, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    while (status == MS_OK) {
        while (left(r) && is_space(*r->at))
            r->at++;
        if (!left(r))
            return MS_ABSENT;
        if (starts(r, "<!--"))
            status = skip_comment(r, err);
        else if (starts(r, "<?"))
            status = skip_to(r, "?>", 2, "a processing instruction", err);
        else if (starts(r, "<!DOCTYPE"))
            status = skip_doctype(r, err);
        else
            return MS_OK;
    }
    return status;
}

/* ---- tags ----------------------------------------------------------------------------------- */

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Steps over attributes (plist has a version) to the end of the tag. */
static bool skip_attributes(struct reader *r)
{
    char quote = 0;
    for (; left(r); r->at++) {
        char c = *r->at;
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '<')
            return false;
        else if (c == '>' || (c == '/' && left(r) > 1 && r->at[1] == '>'))
            return true;
    }
    return false;
}

static enum ms_status read_tag(struct reader *r, struct tag *tag, struct ms_error *err)
{
    memset(tag, 0, sizeof *tag);
    tag->off = offset(r);
    if (*r->at != '<')
        return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off,
                       "text between the elements (0x%02x)", (unsigned char)*r->at);
    r->at++;
    tag->closes = starts(r, "/");
    r->at += tag->closes;
    size_t n = 0;
    while (left(r) && is_name(*r->at) && n < MAX_TAG - 1)
        tag->name[n++] = *r->at++;
    bool well = n && left(r) && (is_space(*r->at) || *r->at == '>' || *r->at == '/');
    if (!well || !skip_attributes(r))
        return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off, "a malformed tag '<%s%s'",
                       tag->closes ? "/" : "", tag->name);
    if (*r->at == '/') {
        tag->is_closed = true;
        r->at++;
    }
    r->at++;
    if (tag->closes && tag->is_closed)
        return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off, "a malformed tag '</%s/>'",
                       tag->name);
    return MS_OK;
}

/* ---- text ----------------------------------------------------------------------------------- */

static size_t put_utf8(uint32_t c, char *out)
{
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, c >>= 6)
        out[i] = (char)(0x80 | (c & 0x3f));
    out[0] = (char)(first[n] | c);
    return n;
}

/* "&#x41;" or "&#65;" from the '#' on; 0 when it is no character. */
static uint32_t number_of(const char *at, const char *end)
{
    uint32_t value = 0, base = 10;
    if (at < end && *at == 'x') {
        base = 16;
        at++;
    }
    for (; at < end; at++) {
        uint32_t digit = *at >= '0' && *at <= '9'   ? (uint32_t)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (uint32_t)(*at - 'a') + 10
                         : *at >= 'A' && *at <= 'F' ? (uint32_t)(*at - 'A') + 10
                                                    : 99;
        if (digit >= base)
            return 0;
        value = value * base + digit;
        if (value > 0x10ffff)
            return 0;
    }
    return value >= 0xd800 && value < 0xe000 ? 0 : value;
}

/* The entity at '&'; *out gets its bytes (4 at most), fewer than it takes in the text. */
static size_t read_entity(struct reader *r, char *out)
{
    static const struct {
        const char *name;
        char is;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (starts(r, known[i].name)) {
            out[0] = known[i].is;
            r->at += strlen(known[i].name);
            return 1;
        }
    const char *end = starts(r, "&#") ? memchr(r->at, ';', left(r) < 12 ? left(r) : 12) : NULL;
    uint32_t c = end ? number_of(r->at + 2, end) : 0;
    if (!c)
        return 0;
    r->at = end + 1;
    return put_utf8(c, out);
}

/* The text up to the next tag, decoded into the tree's memory: never longer than it is written. */
static enum ms_status read_text(struct reader *r, const char **out, size_t *n, struct ms_error *err)
{
    size_t room = 1;
    const char *limit = r->at;
    while (limit < r->end) { /* "<![CDATA[" goes on behind its "]]>" */
        limit = memchr(limit, '<', (size_t)(r->end - limit));
        if (!limit)
            limit = r->end;
        const char *cdata = (size_t)(r->end - limit) >= 9 && memcmp(limit, "<![CDATA[", 9) == 0
                                ? find(limit + 9, r->end, "]]>")
                                : NULL;
        if (!cdata)
            break;
        limit = cdata + 3;
    }
    room += (size_t)(limit - r->at);
    char *text = ms_arena_take(&r->b->tree->arena, room), *to = text;
    if (!text)
        return ms_fail_memory(err);
    while (r->at < limit) {
        if (*r->at == '&') {
            size_t put = read_entity(r, to);
            if (!put)
                return ms_fail(err, MS_E_FORMAT, r->b->where, offset(r),
                               "an entity that is no character");
            to += put;
        } else if (*r->at == '<') {
            const char *end = find(r->at + 9, r->end, "]]>");
            size_t part = end ? (size_t)(end - (r->at + 9)) : 0;
            memcpy(to, r->at + 9, part);
            to += part;
            r->at += 9 + part + 3;
        } else {
            *to++ = *r->at++;
        }
    }
    *to = 0;
    *out = text;
    *n = (size_t)(to - text);
    return MS_OK;
}

/* ---- leaves --------------------------------------------------------------------------------- */

static void trim(struct ms_plist *value)
{
    while (value->text_bytes && is_space(value->text[0])) {
        value->text++;
        value->text_bytes--;
    }
    while (value->text_bytes && is_space(value->text[value->text_bytes - 1]))
        value->text_bytes--;
}

/* Decimal or 0x…, of either sign, in 64 bits. */
static bool take_integer(struct ms_plist *value)
{
    const char *c = value->text, *end = c + value->text_bytes;
    uint64_t base = 10;
    if (c < end && (*c == '-' || *c == '+'))
        value->is_negative = *c++ == '-';
    if (end - c > 2 && c[0] == '0' && (c[1] == 'x' || c[1] == 'X')) {
        base = 16;
        c += 2;
    }
    bool any = false;
    for (; c < end; c++) {
        unsigned digit = *c >= '0' && *c <= '9'   ? (unsigned)(*c - '0')
                         : *c >= 'a' && *c <= 'f' ? (unsigned)(*c - 'a') + 10
                         : *c >= 'A' && *c <= 'F' ? (unsigned)(*c - 'A') + 10
                                                  : 99;
        if (digit >= base || ms_mul_overflows(value->number, base, &value->number) ||
            ms_add_overflows(value->number, digit, &value->number))
            return false;
        any = true;
    }
    value->text = NULL;
    value->text_bytes = 0;
    value->is_negative = value->is_negative && value->number;
    return any && (!value->is_negative || value->number <= (uint64_t)1 << 63);
}

static bool take_real(struct ms_plist *value)
{
    for (size_t i = 0; i < value->text_bytes; i++)
        if (!strchr("0123456789+-.eEinfatyINFATY", value->text[i]))
            return false;
    return value->text_bytes > 0;
}

static bool take_date(struct ms_plist *value)
{
    static const char form[] = "dddd-dd-ddTdd:dd:ddZ";
    if (value->text_bytes != sizeof form - 1)
        return false;
    for (size_t i = 0; i < sizeof form - 1; i++) {
        char c = value->text[i];
        if (form[i] == 'd' ? c < '0' || c > '9' : c != form[i])
            return false;
    }
    return true;
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Decodes in place: three bytes for four. */
static bool take_data(struct ms_plist *value)
{
    char *to = (char *)value->text; /* the tree's own copy */
    size_t n = 0, digits = 0, padding = 0;
    uint32_t word = 0;
    for (size_t i = 0; i < value->text_bytes; i++) {
        char c = value->text[i];
        if (is_space(c))
            continue;
        int digit = base64_digit(c);
        if (c == '=' ? digits % 4 + padding < 2 || padding == 2 : digit < 0 || padding)
            return false;
        if (c == '=') {
            padding++;
            continue;
        }
        word = word << 6 | (uint32_t)digit;
        if (digits++ % 4)
            to[n++] = (char)(word >> (6 - 2 * ((digits - 1) % 4)));
    }
    value->text_bytes = n;
    return digits % 4 != 1;
}

static bool take_string(struct ms_plist *value)
{
    (void)value;
    return true;
}

static const struct leaf {
    const char *name;
    enum ms_plist_kind kind;
    bool keeps_spaces;
    bool (*take)(struct ms_plist *);
} LEAVES[] = {
    {"string", MS_PLIST_STRING, true, take_string},
    {"integer", MS_PLIST_INTEGER, false, take_integer},
    {"real", MS_PLIST_REAL, false, take_real},
    {"date", MS_PLIST_DATE, false, take_date},
    {"data", MS_PLIST_DATA, true, take_data},
};

static enum ms_status expect_close(struct reader *r, const struct tag *tag, struct ms_error *err)
{
    struct tag close;
    if (!left(r))
        return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off, "<%s> without its </%s>", tag->name,
                       tag->name);
    enum ms_status status = read_tag(r, &close, err);
    if (status == MS_OK && (!close.closes || strcmp(close.name, tag->name) != 0))
        return ms_fail(err, MS_E_FORMAT, r->b->where, close.off, "<%s%s> where </%s> is expected",
                       close.closes ? "/" : "", close.name, tag->name);
    return status;
}

static enum ms_status read_leaf(struct reader *r, const struct tag *tag, const struct leaf *leaf,
                                struct ms_error *err)
{
    struct ms_plist value;
    memset(&value, 0, sizeof value);
    value.kind = leaf->kind;
    value.text = "";
    enum ms_status status = MS_OK;
    if (!tag->is_closed) {
        status = read_text(r, &value.text, &value.text_bytes, err);
        if (status == MS_OK)
            status = expect_close(r, tag, err);
    }
    if (status != MS_OK)
        return status;
    if (!leaf->keeps_spaces)
        trim(&value);
    if (!leaf->take(&value))
        return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off, "<%s> holds none", tag->name);
    return ms_plist_add(r->b, &value, tag->off, err);
}

static enum ms_status read_key(struct reader *r, const struct tag *tag, struct ms_error *err)
{
    const char *text = "";
    size_t n = 0;
    enum ms_status status = MS_OK;
    if (!tag->is_closed) {
        status = read_text(r, &text, &n, err);
        if (status == MS_OK)
            status = expect_close(r, tag, err);
    }
    return status == MS_OK ? ms_plist_key(r->b, text, n, tag->off, err) : status;
}

/* ---- elements ------------------------------------------------------------------------------- */

static enum ms_status open_container(struct reader *r, const struct tag *tag,
                                     enum ms_plist_kind kind, struct ms_error *err)
{
    struct ms_plist value;
    memset(&value, 0, sizeof value);
    value.kind = kind;
    enum ms_status status = ms_plist_add(r->b, &value, tag->off, err);
    return status == MS_OK && tag->is_closed ? ms_plist_leave(r->b, tag->off, err) : status;
}

static enum ms_status close_container(struct reader *r, const struct tag *tag, struct ms_error *err)
{
    const struct ms_plist_builder *b = r->b;
    bool is_dict = b->depth && b->open[b->depth - 1].value->kind == MS_PLIST_DICT;
    if (!b->depth || strcmp(tag->name, is_dict ? "dict" : "array") != 0)
        return ms_fail(err, MS_E_FORMAT, b->where, tag->off, "</%s> closes nothing that is open",
                       tag->name);
    return ms_plist_leave(r->b, tag->off, err);
}

static enum ms_status read_element(struct reader *r, const struct tag *tag, struct ms_error *err)
{
    if (tag->closes)
        return close_container(r, tag, err);
    if (strcmp(tag->name, "key") == 0)
        return read_key(r, tag, err);
    if (strcmp(tag->name, "dict") == 0)
        return open_container(r, tag, MS_PLIST_DICT, err);
    if (strcmp(tag->name, "array") == 0)
        return open_container(r, tag, MS_PLIST_ARRAY, err);
    bool yes = strcmp(tag->name, "true") == 0;
    if (yes || strcmp(tag->name, "false") == 0) {
        struct ms_plist value;
        memset(&value, 0, sizeof value);
        value.kind = MS_PLIST_BOOL;
        value.boolean = yes;
        enum ms_status status = tag->is_closed ? MS_OK : expect_close(r, tag, err);
        return status == MS_OK ? ms_plist_add(r->b, &value, tag->off, err) : status;
    }
    for (size_t i = 0; i < sizeof LEAVES / sizeof *LEAVES; i++)
        if (strcmp(tag->name, LEAVES[i].name) == 0)
            return read_leaf(r, tag, &LEAVES[i], err);
    return ms_fail(err, MS_E_FORMAT, r->b->where, tag->off, "an element <%s>", tag->name);
}

/* Zeros behind the text are the blob's padding. */
static bool only_zeros(const struct reader *r)
{
    for (const char *c = r->at; c < r->end; c++)
        if (*c)
            return false;
    return true;
}

enum ms_status ms_plist_read_xml(struct ms_plist_builder *b, struct ms_bytes in,
                                 struct ms_error *err)
{
    struct reader r = {b, (const char *)in.at, (const char *)in.at + in.n, (const char *)in.at};
    struct tag tag;
    bool in_plist = false, done = false;
    if (in.n >= 3 && memcmp(in.at, "\xef\xbb\xbf", 3) == 0)
        r.at += 3;
    for (;;) {
        enum ms_status status = skip_between(&r, err);
        if (status == MS_ABSENT || (done && only_zeros(&r)))
            break;
        if (status == MS_OK)
            status = read_tag(&r, &tag, err);
        if (status != MS_OK)
            return status;
        if (strcmp(tag.name, "plist") != 0) {
            if (!in_plist || done)
                return ms_fail(err, MS_E_FORMAT, b->where, tag.off, "<%s%s> outside of <plist>",
                               tag.closes ? "/" : "", tag.name);
            status = read_element(&r, &tag, err);
            if (status != MS_OK)
                return status;
        } else if (tag.is_closed || tag.closes ? !in_plist || done || b->depth : in_plist) {
            return ms_fail(err, MS_E_FORMAT, b->where, tag.off, "<%s%s> out of place",
                           tag.closes ? "/" : "", tag.name);
        } else {
            done = tag.closes;
            in_plist = true;
        }
    }
    if (!done || !b->tree->root)
        return ms_fail(err, MS_E_FORMAT, b->where, offset(&r), "%s",
                       done ? "a property list without a value" : "ends before </plist>");
    return MS_OK;
}
