#include "report/report_kind.h"
#include "report/crash_text.h"

struct mark {
    const char *start; /* of the file, or of a line */
    size_t n;          /* bytes of it; 0 = up to the NUL */
    const char *kind;
};

static size_t mark_bytes(const struct mark *mark)
{
    return mark->n ? mark->n : strlen(mark->start);
}

static const char *find_mark(const struct mark *marks, const char *text, size_t n)
{
    for (; marks->kind; marks++) {
        size_t m = mark_bytes(marks);
        if (n >= m && memcmp(text, marks->start, m) == 0)
            return marks->kind;
    }
    return NULL;
}

static const struct mark magics[] = {
    {"\xfe\xed\xfa\xce", 4, "a Mach-O file"},
    {"\xfe\xed\xfa\xcf", 4, "a Mach-O file"},
    {"\xce\xfa\xed\xfe", 4, "a Mach-O file"},
    {"\xcf\xfa\xed\xfe", 4, "a Mach-O file"},
    {"\xca\xfe\xba\xbe", 4, "a universal Mach-O file"},
    {"\xca\xfe\xba\xbf", 4, "a universal Mach-O file"},
    {"\x7f"
     "ELF",
     4, "an ELF file"},
    {"!<arch>\n", 0, "a static archive"},
    {"bplist0", 0, "a binary property list"},
    {"<?xml", 0, "an XML file or property list"},
    {"<!DOCTYPE plist", 0, "a property list"},
    {"plcrash", 0, "a binary PLCrashReporter report (plcrashutil converts it to text)"},
    {"PK\x03\x04", 0, "a ZIP archive"},
    {"\x1f\x8b", 2, "a gzip file"},
    {"\xff\xfe", 2, "UTF-16 text (convert it to UTF-8)"},
    {"\xfe\xff", 2, "UTF-16 text (convert it to UTF-8)"},
    {"{\\rtf", 0, "a rich-text (RTF) document (save it as plain text)"},
    {"SQLite format 3", 16, "an SQLite database"},
    {NULL, 0, NULL},
};

const char *ms_kind_of_bytes(struct ms_bytes file)
{
    const char *text = (const char *)file.at;
    size_t at = 0;
    while (at < file.n &&
           (text[at] == ' ' || text[at] == '\t' || text[at] == '\r' || text[at] == '\n'))
        at++;
    if (at == file.n)
        return file.n ? "a file of blank lines" : "an empty file";
    const char *kind = find_mark(magics, text, file.n);
    if (kind)
        return kind;
    if (file.n >= 4 && ((!text[0] && text[1] && !text[2] && text[3]) ||
                        (text[0] && !text[1] && text[2] && !text[3])))
        return "UTF-16 text (convert it to UTF-8)";
    return NULL;
}

/* Of tools whose reports have threads, images or both. */
static const struct mark tools[] = {
    {"Analysis of sampling ", 0, "a sample report"},
    {"Call graph:", 0, "a sample report"},
    {"Heaviest stack for", 0, "a spindump or hang report"},
    {"Num samples:", 0, "a spindump or hang report"},
    {"Data Source:", 0, "a spindump, hang or resource report"},
    {"Virtual Memory Map of process", 0, "a memory map of vmmap"},
    {"==== Non-writable regions", 0, "a memory map of vmmap"},
    {"# Crashlytics", 0, "a stack trace from Crashlytics"},
    {"panic(", 0, "a kernel panic"},
    {"STACK OF ", 0, "a report of leaks or malloc_history"},
    {"leaks Report Version", 0, "a report of leaks"},
    {"* thread #", 0, "a backtrace of lldb"},
    {NULL, 0, NULL},
};

/* "Analysis Tool:   /usr/bin/vmmap" */
static const char *analysis_tool(const char *text, size_t n)
{
    static const struct mark names[] = {
        {"vmmap", 0, "a memory map of vmmap"},
        {"sample", 0, "a sample report"},
        {"leaks", 0, "a report of leaks"},
        {"heap", 0, "a report of heap"},
        {NULL, 0, NULL},
    };
    if (!ms_scan_starts(text, n, "Analysis Tool:"))
        return NULL;
    for (size_t i = 0; names[i].kind; i++)
        if (ms_scan_find(text, n, names[i].start) < n)
            return names[i].kind;
    return "a report of another analysis tool";
}

/* "Process 0 info:", "Process 0 kernel_task threads:" of iOS 7's stackshots. */
static bool is_stackshot_line(const char *text, size_t n)
{
    uint64_t pid;
    if (!ms_scan_starts(text, n, "Process "))
        return false;
    size_t m = ms_scan_decimal(text + 8, n - 8, &pid);
    return m && (ms_scan_starts(text + 8 + m, n - 8 - m, " info:") ||
                 (text[n - 1] == ':' && ms_scan_find(text, n, " threads:") < n));
}

const char *ms_kind_of_text(struct ms_bytes file, size_t off, size_t end)
{
    struct ms_line_reader lines;
    struct ms_line line;
    ms_lines_over(&lines, file, off, end);
    while (ms_lines_next(&lines, &line)) {
        const char *kind = find_mark(tools, line.text, line.text_n);
        if (!kind)
            kind = analysis_tool(line.text, line.text_n);
        if (kind)
            return kind;
        if (is_stackshot_line(line.text, line.text_n))
            return "a stackshot";
        struct ms_crash_head head;
        ms_crash_head_parse(line.text, line.text_n, &head);
        if (head.kind == MS_LINE_THREAD || head.kind == MS_LINE_THREAD_NAME ||
            ms_scan_starts(line.text, line.text_n, "Exception Type:") ||
            ms_scan_starts(line.text, line.text_n, "Crashed Thread:"))
            return NULL;
    }
    return NULL;
}

/* What a line may hold anywhere, in a file that has nothing better. */
static const struct {
    const char *word, *kind;
} words[] = {
    {"First throw call stack", "a console log with an exception's call stack"},
    {"Call stack at first throw", "a console log with an exception's call stack"},
    {"AddressSanitizer", "a report of AddressSanitizer"},
    {"ThreadSanitizer", "a report of ThreadSanitizer"},
    {"frame #0:", "a backtrace of lldb"},
    {"panic(cpu", "a kernel panic"},
};

const char *ms_kind_of_rest(struct ms_bytes file)
{
    const char *text = (const char *)file.at;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (ms_scan_find(text, file.n, words[i].word) < file.n)
            return words[i].kind;
    size_t start = file.n < 4096 ? file.n : 4096;
    return memchr(text, 0, start) ? "binary data" : "text without a thread or an exception";
}
