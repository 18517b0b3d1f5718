#include "report/crash_text_images.h"
#include "report/crash_text_scan.h"

static bool is_word(const char *text, struct ms_line_part part, const char *word)
{
    return part.n == strlen(word) && memcmp(text + part.at, word, part.n) == 0;
}

/* The part without blanks around it; n = 0 for "???" and other ways to say nothing. */
static struct ms_line_part tidy(const char *text, size_t from, size_t end)
{
    size_t blanks = ms_scan_blanks(text + from, end - from);
    struct ms_line_part part = {from + blanks, 0};
    part.n = ms_scan_trim_end(text + part.at, end - part.at);
    if (is_word(text, part, "???") || is_word(text, part, "(null)"))
        part.n = 0;
    return part;
}

/* ---- the addresses -------------------------------------------------------------------- */

/* The dash between the addresses, also as word processors improve it. */
static size_t skip_dash(const char *text, size_t n)
{
    static const char *const dashes[] = {"-", "\xe2\x80\x93", "\xe2\x80\x94", "&ndash;", "&#8211;"};
    for (size_t i = 0; i < sizeof dashes / sizeof *dashes; i++)
        if (ms_scan_starts(text, n, dashes[i]))
            return strlen(dashes[i]);
    return 0;
}

/* "*0xSTART - 0xEND" and the blanks and '+' behind it: where the name starts, 0 = no such line. */
static size_t take_addresses(const char *text, size_t n, struct ms_image_line *out)
{
    size_t at = ms_scan_leading_junk(text, n);
    if (at < n && text[at] == '*') /* spindump's mark of kernel images */
        at++;
    size_t m = ms_scan_hex(text + at, n - at, &out->load_rt);
    if (!m)
        return 0;
    at += m;
    at += ms_scan_blanks(text + at, n - at);
    m = skip_dash(text + at, n - at);
    if (!m)
        return 0;
    at += m;
    at += ms_scan_blanks(text + at, n - at);
    uint64_t last = 0;
    m = ms_scan_hex(text + at, n - at, &last);
    if (!m && !ms_scan_starts(text + at, n - at, "???"))
        return 0;
    if (m && last != UINT64_MAX && last >= out->load_rt)
        out->end_rt = last + 1; /* the report's is inclusive */
    at += m ? m : 3;
    m = ms_scan_blanks(text + at, n - at);
    if (!m)
        return 0;
    at += m;
    if (at < n && text[at] == '+') /* not part of the system */
        at += 1 + ms_scan_blanks(text + at + 1, n - at - 1);
    return at;
}

/* ---- what stands between -------------------------------------------------------------- */

/* The part without "-unknown": PLCrashReporter's "arm64-unknown". */
static struct ms_line_part cut_unknown(const char *text, struct ms_line_part part)
{
    static const char unknown[] = "-unknown";
    size_t m = sizeof unknown - 1;
    if (part.n > m && memcmp(text + part.at + part.n - m, unknown, m) == 0)
        part.n -= m;
    return part;
}

static bool is_arch(const char *text, struct ms_line_part part)
{
    static const char *const names[] = {
        "arm64",  "arm64e",  "arm64_32", "armv7",   "armv7s",  "armv7k",  "armv7f", "armv6",
        "armv6m", "armv7m",  "armv5",    "armv7em", "armv4t",  "arm64v8", "armv8",  "arm",
        "x86_64", "i386",    "x86_64h",  "i486",    "i586",    "i686",    "ppc",    "ppc64",
        "ppc970", "ppc7400", "ppc7450",  "ppc750",  "unknown", "???",     "x86",
    };
    part = cut_unknown(text, part);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_word(text, part, names[i]))
            return true;
    return false;
}

/* The part's last word; `part` loses it and the blanks before. n = 0 when it has one alone. */
static struct ms_line_part take_last_word(const char *text, struct ms_line_part *part)
{
    size_t n = part->n;
    while (n && text[part->at + n - 1] != ' ' && text[part->at + n - 1] != '\t')
        n--;
    struct ms_line_part word = {part->at + n, part->n - n};
    size_t left = ms_scan_trim_end(text + part->at, n);
    if (!left)
        return (struct ms_line_part){part->at, 0};
    part->n = left;
    return word;
}

/* "(1.0 - 7)" at the end, which may hold parentheses itself: "(3.13.6, (c) 2001-2024 Foo.)". */
static struct ms_line_part take_version(const char *text, struct ms_line_part *part)
{
    struct ms_line_part none = {part->at, 0};
    if (!part->n || text[part->at + part->n - 1] != ')')
        return none;
    size_t open = part->n - 1, depth = 1;
    while (open && depth) {
        open--;
        if (text[part->at + open] == ')')
            depth++;
        else if (text[part->at + open] == '(')
            depth--;
    }
    if (depth)
        return none;
    struct ms_line_part inside = {part->at + open + 1, part->n - open - 2};
    part->n = ms_scan_trim_end(text + part->at, open);
    return inside;
}

static bool is_number(const char *text, struct ms_line_part part)
{
    for (size_t i = 0; i < part.n; i++)
        if (!ms_is_digit(text[part.at + i]) && text[part.at + i] != '.')
            return false;
    return part.n > 0 && ms_is_digit(text[part.at]);
}

/* "NAME[ ARCH][ (VERSION)]", in spindump "NAME VERSION (BUILD)". */
static void take_name(const char *text, struct ms_line_part part, struct ms_image_line *out)
{
    struct ms_line_part version = take_version(text, &part);
    if (!part.n && version.n) /* all of it in parentheses: then it is the name */
        part = (struct ms_line_part){version.at - 1, version.n + 2};
    else if (is_arch(text, version)) /* 10.9: "com.example.Widget (x86_64)" */
        out->arch = version;
    struct ms_line_part shorter = part;
    struct ms_line_part word = take_last_word(text, &shorter);
    if (is_arch(text, word)) {
        part = shorter;
        out->arch = word;
    } else if (version.n && is_number(text, word) && memchr(text + shorter.at, '.', shorter.n) &&
               !memchr(text + shorter.at, ' ', shorter.n)) {
        part = shorter;
    }
    out->name = tidy(text, part.at, part.at + part.n);
    out->arch = cut_unknown(text, out->arch);
    if (is_word(text, out->arch, "unknown") || is_word(text, out->arch, "???"))
        out->arch.n = 0;
}

/* ---- the UUID ------------------------------------------------------------------------- */

/* "<…>" or "&lt;…&gt;" whose inside is what the reports put there. */
static bool take_uuid_at(const char *text, size_t n, size_t at, size_t *end,
                         struct ms_image_line *out)
{
    bool escaped = text[at] == '&';
    size_t from = at + (escaped ? 4 : 1);
    size_t m = 0;
    while (from + m < n && m < 64 && text[from + m] != '>' && text[from + m] != '&' &&
           text[from + m] != '<')
        m++;
    const char *close = escaped ? "&gt;" : ">";
    if (!ms_scan_starts(text + from + m, n - from - m, close))
        return false;
    *end = from + m + strlen(close);
    struct ms_uuid uuid;
    if (ms_uuid_parse(text + from, m, &uuid)) {
        out->uuid = uuid;
        out->has_uuid = !ms_uuid_is_zero(&uuid);
        return true;
    }
    /* "<???>", "<>", and what templates and redaction leave: no blanks, and the path follows. */
    if (memchr(text + from, ' ', m))
        return false;
    size_t after = *end + ms_scan_blanks(text + *end, n - *end);
    return after == n || text[after] == '/' || text[after] == '*' || text[after] == '?' || m < 4;
}

/* Finds the UUID from `from` on: *start and *end enclose it; both are n without one. */
static void find_uuid(const char *text, size_t n, size_t from, size_t *start, size_t *end,
                      struct ms_image_line *out)
{
    for (size_t at = from; at < n; at++) {
        bool opens = text[at] == '<' || ms_scan_starts(text + at, n - at, "&lt;");
        if (opens && take_uuid_at(text, n, at, end, out)) {
            *start = at;
            return;
        }
    }
    *start = *end = n;
}

bool ms_image_line_parse(const char *line, size_t n, struct ms_image_line *out)
{
    memset(out, 0, sizeof *out);
    n = ms_scan_trailing_junk(line, n);
    size_t name = take_addresses(line, n, out);
    if (!name)
        return false;
    size_t uuid, path;
    find_uuid(line, n, name, &uuid, &path, out);
    if (uuid == n) { /* none: "libGLU.dylib ??? (???) /System/…" */
        uuid = name + ms_scan_find(line + name, n - name, " /");
        path = uuid;
    }
    size_t end = path + ms_scan_find(line + path, n - path, " {\""); /* notes of jailbreak tools */
    out->path = tidy(line, path, end);
    take_name(line, tidy(line, name, uuid), out);
    out->usable = out->load_rt != 0 && (out->name.n || out->path.n || out->has_uuid);
    return out->name.n || out->path.n || out->has_uuid || uuid < n;
}
