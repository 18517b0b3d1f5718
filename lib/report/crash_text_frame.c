#include "report/crash_text_frame.h"
#include "report/crash_text_scan.h"

#include "machsym/report.h"

/* ---- what follows the address --------------------------------------------------------- */

/* n without `tail` at the end, where it stands there. */
static size_t cut_tail(const char *text, size_t n, const char *tail)
{
    size_t m = strlen(tail);
    return n >= m && memcmp(text + n - m, tail, m) == 0 ? ms_scan_trim_end(text, n - m) : n;
}

/* n without " // dwarf" or another of the words that --explain appends. */
static size_t cut_explanation(const char *text, size_t n)
{
    enum { LONGEST = 32 };
    size_t word = n;
    while (word && n - word < LONGEST && text[word - 1] != ' ')
        word--;
    if (word == n || word < 3 || memcmp(text + word - 3, "// ", 3) != 0 ||
        (word > 3 && text[word - 4] != ' '))
        return n;
    for (int i = 0; i <= MS_SOURCE_REPORT || i <= MS_WHY_BAD_DEBUG_INFO; i++) {
        const char *source = ms_source_name((enum ms_source)i), *why = ms_why_name((enum ms_why)i);
        if ((n - word == strlen(source) && memcmp(text + word, source, n - word) == 0) ||
            (n - word == strlen(why) && memcmp(text + word, why, n - word) == 0))
            return ms_scan_trim_end(text, word - 3);
    }
    return n;
}

/* Is it "(function at 0x102601a00 + 64)" and nothing else? */
static bool is_function_start(const char *text, size_t n)
{
    static const char start[] = "(function at ";
    uint64_t number;
    size_t at = sizeof start - 1;
    if (n < at || memcmp(text, start, at) != 0)
        return false;
    size_t digits = ms_scan_hex(text + at, n - at, &number);
    at += digits;
    if (!digits || !ms_scan_starts(text + at, n - at, " + "))
        return false;
    at += 3;
    digits = ms_scan_decimal(text + at, n - at, &number);
    return digits && at + digits + 1 == n && text[n - 1] == ')';
}

/* n without that, which this program appends where it knows only where a function starts. */
static size_t cut_function_start(const char *text, size_t n)
{
    enum { LONGEST = 64 };
    if (!n || text[n - 1] != ')')
        return n;
    size_t at = n - 1;
    while (at && text[at] != '(' && n - at < LONGEST)
        at--;
    return (at == 0 || text[at - 1] == ' ') && is_function_start(text + at, n - at)
               ? ms_scan_trim_end(text, at)
               : n;
}

size_t ms_report_rest_bytes(const char *rest, size_t n, bool all)
{
    for (size_t m; (m = cut_explanation(rest, n)) < n;)
        n = m;
    return all ? cut_function_start(rest, n) : n;
}

/* Digits that end at n, after a ':' (or ":-", TestFlight's way to say unknown: 0); gives the
 * offset of the ':' or n. */
static size_t number_before(const char *text, size_t n, uint32_t *number)
{
    size_t at = n;
    uint64_t value = 0;
    while (at && n - at < 10 && ms_is_digit(text[at - 1]))
        at--;
    bool negative = at && at < n && text[at - 1] == '-';
    size_t colon = negative ? at - 1 : at;
    if (at == n || colon == 0 || text[colon - 1] != ':')
        return n;
    if (ms_scan_decimal(text + at, n - at, &value) != n - at || value > UINT32_MAX)
        return n;
    *number = negative ? 0 : (uint32_t)value;
    return colon - 1;
}

/*
 * Takes " (File.swift:42)" or " (File.swift:42:7)" from the end. The file may hold blanks and
 * parentheses of its own ("Copy (2).m"); the one that counts is the partner of the last.
 */
static size_t cut_file(const char *text, size_t n, struct ms_frame_rest *out)
{
    uint32_t line = 0, column = 0;
    if (n < 5 || text[n - 1] != ')')
        return n;
    size_t colon = number_before(text, n - 1, &line);
    if (colon == n - 1)
        return n;
    size_t first = number_before(text, colon, &column);
    if (first != colon) { /* the last number was a column */
        line = column;
        colon = first;
    }
    size_t open = colon, depth = 1;
    while (open && depth) {
        open--;
        if (text[open] == ')')
            depth++;
        else if (text[open] == '(')
            depth--;
    }
    if (depth || open == 0 || text[open - 1] != ' ' || (open + 1 == colon && line))
        return n;
    out->file = (struct ms_line_part){open + 1, colon - open - 1};
    out->line = line;
    return ms_scan_trim_end(text, open);
}

/* Takes " + 120" from the end; `n` when there is none. */
static size_t cut_offset(const char *text, size_t n, uint64_t *offset)
{
    size_t at = n;
    while (at && n - at < 24 && text[at - 1] != ' ')
        at--;
    if (at < 3 || text[at - 2] != '+' || text[at - 3] != ' ' ||
        !ms_scan_number(text + at, n - at, offset))
        return n;
    return ms_scan_trim_end(text, at - 3);
}

/*
 * "0xLOAD + OFF" at the start, or a load address alone where the line is cut short. "0 + 1" and
 * "0x0 + 1" mean that there is no image. Gives how far it reaches, 0 when there is none.
 */
static size_t take_load(const char *text, size_t n, struct ms_frame_rest *out)
{
    uint64_t load = 0, offset = 0;
    size_t at = ms_scan_hex(text, n, &load);
    if (!at)
        at = ms_scan_starts(text, n, "0 +") ? 1 : 0;
    else if (at < n && text[at] != ' ')
        return 0;
    if (at == 0)
        return 0;
    size_t end = at;
    if (at < n) {
        if (!ms_scan_starts(text + at, n - at, " + "))
            return 0;
        size_t start = end = at + 3;
        while (end < n && !ms_scan_blanks(text + end, n - end))
            end++;
        if (!ms_scan_number(text + start, end - start, &offset))
            return 0;
    }
    out->has_load = load != 0;
    out->load_rt = load;
    out->load_offset = offset;
    return end;
}

static void take_symbol(const char *text, size_t from, size_t n, struct ms_frame_rest *out)
{
    size_t end = from + cut_offset(text + from, n - from, &out->offset);
    out->has_offset = end < n;
    if (end - from == 3 && memcmp(text + from, "???", 3) == 0)
        out->has_offset = false;
    else if (end > from)
        out->symbol = (struct ms_line_part){from, end - from};
    else
        out->has_offset = false;
}

/*
 * What stands behind "0xLOAD + OFF": KSCrash writes "(symbol + 8)", tools of jailbroken systems
 * "// symbol + 0x8".
 */
static void take_remark(const char *text, size_t at, size_t n, struct ms_frame_rest *out)
{
    at += ms_scan_blanks(text + at, n - at);
    if (ms_scan_starts(text + at, n - at, "//")) {
        at += 2;
        take_symbol(text, at + ms_scan_blanks(text + at, n - at), n, out);
    } else if (n - at > 2 && text[at] == '(' && text[n - 1] == ')') {
        take_symbol(text, at + 1, n - 1, out);
        if (!out->has_offset) /* "(Missing UUID …)" and other remarks */
            out->symbol.n = 0;
    }
}

void ms_frame_rest_parse(const char *text, size_t n, struct ms_frame_rest *out)
{
    memset(out, 0, sizeof *out);
    n = ms_report_rest_bytes(text, n, true);
    size_t load = take_load(text, n, out);
    if (load) {
        take_remark(text, load, n, out);
        return;
    }
    size_t tagged = cut_tail(text, n, "[inlined]");
    size_t end = cut_file(text, tagged, out);
    size_t inner = cut_tail(text, end, "[inlined]"); /* some put the file behind it */
    out->inlined = tagged < n || inner < end;
    end = inner;
    take_symbol(text, 0, end, out);
}

/* ---- the line ------------------------------------------------------------------------- */

/* "0x" + digits at `at`, between blanks (or the end of the line). */
static size_t address_at(const char *line, size_t n, size_t at, uint64_t *address)
{
    size_t m = ms_scan_hex(line + at, n - at, address);
    if (m && at + m < n && !ms_scan_blanks(line + at + m, n - at - m))
        return 0;
    return m;
}

/* The address after the first TAB that an address follows: whatever stands before is the name. */
static size_t find_after_tab(const char *line, size_t n, size_t from, size_t *tab)
{
    uint64_t address;
    for (size_t at = from; at < n; at++) {
        const char *found = memchr(line + at, '\t', n - at);
        if (!found)
            return n;
        at = (size_t)(found - line);
        size_t start = at + ms_scan_blanks(line + at, n - at);
        if (start < n && address_at(line, n, start, &address)) {
            *tab = at;
            return start;
        }
        at = start - 1; /* blanks only: none of them has an address behind it */
    }
    return n;
}

/*
 * Without a TAB the name may hold what looks like an address ("My 0x1 App"). The one whose
 * "0xLOAD + OFF" adds up to it is right; else the first of six digits or more; else the first.
 */
static size_t find_address(const char *line, size_t n, size_t from)
{
    enum { TRIES = 16 };
    size_t first = n, first_long = n;
    int tries = 0;
    for (size_t start = from; start < n && tries < TRIES; start++) {
        start += ms_scan_find(line + start, n - start, "0x");
        uint64_t address;
        struct ms_frame_rest rest;
        size_t m = start < n ? address_at(line, n, start, &address) : 0;
        if (!m || ms_scan_trim_end(line, start) == start)
            continue;
        tries++;
        size_t text = start + m + ms_scan_blanks(line + start + m, n - start - m);
        ms_frame_rest_parse(line + text, n - text, &rest);
        if (rest.has_load && rest.load_rt + rest.load_offset == address)
            return start;
        if (first == n)
            first = start;
        if (first_long == n && m >= 8)
            first_long = start;
    }
    return first_long < n ? first_long : first;
}

static struct ms_line_part image_part(const char *line, size_t from, size_t end)
{
    if (end - from > 2 && line[from] == '+' && line[from + 1] == ' ') /* "not Apple's" */
        from += 1 + ms_scan_blanks(line + from + 1, end - from - 1);
    size_t n = from < end ? ms_scan_trim_end(line + from, end - from) : 0;
    return (struct ms_line_part){from, n};
}

bool ms_frame_line_parse(const char *line, size_t n, struct ms_frame_line *out)
{
    memset(out, 0, sizeof *out);
    n = ms_scan_trailing_junk(line, n);
    size_t start = ms_scan_leading_junk(line, n);
    uint64_t index;
    size_t digits = ms_scan_decimal(line + start, n - start, &index);
    if (!digits || digits > 9)
        return false;
    size_t name = start + digits;
    size_t blanks = ms_scan_blanks(line + name, n - name);
    /* Four digits fill their column, so that "%-4d%-30s" puts no blank behind them. */
    if (!blanks && digits < 4)
        return false;
    size_t tab = 0, at = find_after_tab(line, n, name, &tab);
    out->has_tab = at < n;
    if (!out->has_tab) {
        if (!blanks)
            return false;
        size_t end = ms_report_rest_bytes(line, n, true); /* it has addresses itself */
        at = find_address(line, end, name);
        if (at >= end || at <= name + blanks)
            return false;
        tab = at;
    }
    name += blanks < tab - name ? blanks : tab - name;
    out->index = (uint32_t)index;
    out->digits = (struct ms_line_part){start, digits};
    out->image = image_part(line, name, tab);
    size_t m = address_at(line, n, at, &out->address_rt);
    out->address = (struct ms_line_part){at, m};
    size_t text = at + m + ms_scan_blanks(line + at + m, n - at - m);
    out->text = (struct ms_line_part){text, n - text};
    ms_frame_rest_parse(line + text, n - text, &out->rest);
    return true;
}
