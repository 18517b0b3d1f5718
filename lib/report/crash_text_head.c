/* The lines that start the sections of a crash report. */
#include "report/crash_text.h"

/* Steps over `word` at *at where it stands there. */
static bool skip_word(const char *text, size_t n, size_t *at, const char *word)
{
    if (!ms_scan_starts(text + *at, n - *at, word))
        return false;
    *at += strlen(word);
    return true;
}

static bool take_number(const char *text, size_t n, size_t *at, struct ms_crash_head *out)
{
    uint64_t number;
    size_t m = ms_scan_decimal(text + *at, n - *at, &number);
    if (!m || number > UINT32_MAX)
        return false;
    out->number = (uint32_t)number;
    out->has_number = true;
    *at += m;
    return true;
}

/* "Thread N[ Crashed]:…", "Thread N name:…", "Thread N crashed with … Thread State …:". */
static void parse_thread(const char *text, size_t n, struct ms_crash_head *out)
{
    size_t at = 0;
    bool known = skip_word(text, n, &at, "Thread ");
    if (known) {
        if (!take_number(text, n, &at, out))
            return;
    } else if (!skip_word(text, n, &at, "Unknown thread")) {
        return;
    }
    if (skip_word(text, n, &at, " crashed with ") || skip_word(text, n, &at, " Crashed with ")) {
        if (ms_scan_find(text + at, n - at, "Thread State") < n - at)
            out->kind = MS_LINE_STATE;
        out->rest = at;
        return;
    }
    if (!known)
        return;
    if (skip_word(text, n, &at, " name:")) {
        out->kind = MS_LINE_THREAD_NAME;
        out->rest = at;
        return;
    }
    if (skip_word(text, n, &at, " Crashed") || skip_word(text, n, &at, " Triggered"))
        out->crashed = true;
    else if (skip_word(text, n, &at, " Highlighted") || skip_word(text, n, &at, " Attributed"))
        out->highlighted = true;
    if (!skip_word(text, n, &at, ":"))
        return;
    skip_word(text, n, &at, ":");
    if (ms_scan_starts(text + at, n - at, " (0x")) /* Rosetta 1's list of PowerPC addresses */
        return;
    out->kind = MS_LINE_THREAD;
    out->rest = at;
}

static bool parse_backtrace(const char *text, size_t n, struct ms_crash_head *out)
{
    static const struct {
        const char *words;
        enum ms_crash_line kind;
    } heads[] = {
        {"Last Exception Backtrace", MS_LINE_LAST_EXCEPTION},
        {"Application Specific Backtrace", MS_LINE_APP_SPECIFIC},
        {"*** First throw call stack", MS_LINE_FIRST_THROW},
        {"*** Call stack at first throw", MS_LINE_FIRST_THROW},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        size_t at = 0;
        if (!skip_word(text, n, &at, heads[i].words))
            continue;
        size_t blanks = ms_scan_blanks(text + at, n - at);
        if (blanks && at + blanks < n && ms_is_digit(text[at + blanks])) {
            at += blanks;
            take_number(text, n, &at, out);
        }
        if (!skip_word(text, n, &at, ":"))
            return false;
        out->kind = heads[i].kind;
        out->rest = at;
        return true;
    }
    return false;
}

/* "Binary Images:", and the "Binary Images (dpkg):" of tools that sort them. */
static bool parse_images(const char *text, size_t n, struct ms_crash_head *out)
{
    size_t at = 0;
    if (!skip_word(text, n, &at, "Binary Images") || text[n - 1] != ':' ||
        (text[at] != ':' && text[at] != ' '))
        return false;
    out->kind = MS_LINE_IMAGES;
    out->rest = n;
    return true;
}

void ms_crash_head_parse(const char *text, size_t n, struct ms_crash_head *out)
{
    enum { LONGEST_TITLE = 60 };
    memset(out, 0, sizeof *out);
    if (n < 4)
        return;
    switch (text[0]) {
    case 'T':
    case 'U':
        parse_thread(text, n, out);
        if (out->kind)
            return;
        break;
    case 'B':
        if (parse_images(text, n, out))
            return;
        break;
    case 'L':
    case 'A':
    case '*':
        if (parse_backtrace(text, n, out))
            return;
        break;
    }
    if (text[0] >= 'A' && text[0] <= 'Z' && text[n - 1] == ':' && n <= LONGEST_TITLE)
        out->kind = MS_LINE_TITLE;
}
