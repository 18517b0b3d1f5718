/*
 * lldb's `image list`: one line a module, each column there only when it was asked for.
 *
 *   [  0] 0F1E2D3C-4B5A-3697-8877-665544332211 0x00000001025f8000 /path/Widget
 *         /path/Widget.dSYM/Contents/Resources/DWARF/Widget
 *
 * A number can be the header's address (-h, the default), the slide (-o) or a pointer into
 * lldb (-p); where the command stands in the text, it tells, else the numbers themselves do.
 */
#include "report/crash_text_scan.h"
#include "report/imagelist_build.h"

#include <inttypes.h>

enum { MAX_NUMBERS = 4 };

/* The columns that hold a number, in the order asked for: 'h', 'o', 'p'; n = 0: not known. */
struct columns {
    char letters[MAX_NUMBERS];
    size_t n;
    bool known;
};

/* One module's line taken apart. */
struct row {
    uint64_t numbers[MAX_NUMBERS];
    size_t n_numbers;
    bool has_uuid;
    struct ms_uuid uuid;
    struct ms_bytes arch, path;
};

/* ---- the command ------------------------------------------------------------------------ */

static void add_column(struct columns *columns, char letter)
{
    if (strchr("hop", letter) && columns->n < MAX_NUMBERS)
        columns->letters[columns->n++] = letter;
}

/* One word of the command's options: "-o", "-of", "--offset". */
static void take_option(struct columns *columns, const char *word, size_t n)
{
    static const struct {
        const char *word;
        char letter;
    } longs[] = {{"--header", 'h'}, {"--offset", 'o'}, {"--pointer", 'p'}};
    if (n > 2 && word[1] == '-') {
        for (size_t i = 0; i < 3; i++)
            if (ms_scan_starts(word, n, longs[i].word))
                add_column(columns, longs[i].letter);
        return;
    }
    for (size_t i = 1; i < n; i++)
        add_column(columns, word[i]);
}

/* "(lldb) image list -o -f": true, with the columns that it asks for. */
static bool take_command(const char *text, size_t n, struct columns *out)
{
    static const char *const commands[] = {"image list", "target modules list"};
    struct columns columns = {.known = true};
    size_t at = 0, options = 0;
    for (size_t i = 0; i < 2 && !at; i++) {
        size_t found = ms_scan_find(text, n, commands[i]);
        if (found < n)
            at = found + strlen(commands[i]);
    }
    if (!at)
        return false;
    while (at < n) {
        at += ms_scan_blanks(text + at, n - at);
        size_t start = at;
        while (at < n && text[at] != ' ' && text[at] != '\t')
            at++;
        if (at - start > 1 && text[start] == '-') {
            options++;
            take_option(&columns, text + start, at - start);
        }
    }
    if (!options) /* lldb's default: -u -h -f -S */
        add_column(&columns, 'h');
    *out = columns;
    return true;
}

/* ---- a line ---------------------------------------------------------------------------- */

static bool is_arch(const char *word, size_t n)
{
    static const char *const starts[] = {"arm64", "armv", "x86_64", "i386", "i686", "thumbv"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (ms_scan_starts(word, n, starts[i]) && !memchr(word, '.', n < 10 ? n : 10))
            return true;
    return false;
}

/* "[  0] ": where the columns start, 0 for another line. */
static size_t skip_index(const char *text, size_t n)
{
    uint64_t index;
    if (!n || text[0] != '[')
        return 0;
    size_t at = 1 + ms_scan_blanks(text + 1, n - 1);
    size_t digits = ms_scan_decimal(text + at, n - at, &index);
    at += digits;
    if (!digits || at + 1 >= n || text[at] != ']' || text[at + 1] != ' ')
        return 0;
    return at + 2;
}

/* A path to the end of the line, without the " (0x…)" of a module that lies in memory. */
static struct ms_bytes take_path(const char *text, size_t n)
{
    n = ms_scan_trim_end(text, n);
    size_t open = n;
    if (n && text[n - 1] == ')')
        while (open && text[open - 1] != '(')
            open--;
    uint64_t address;
    if (open < n && open > 1 && ms_scan_starts(text + open, n - open, "0x") &&
        ms_list_hex(text + open, n - open, &address) == n - open - 1)
        n = ms_scan_trim_end(text, open - 1);
    return (struct ms_bytes){(const uint8_t *)text, n};
}

static bool take_row(const char *text, size_t n, struct row *row)
{
    memset(row, 0, sizeof *row);
    size_t at = skip_index(text, n);
    if (!at)
        return false;
    for (;;) {
        at += ms_scan_blanks(text + at, n - at);
        size_t m = 0;
        while (at + m < n && text[at + m] != ' ' && text[at + m] != '\t')
            m++;
        const char *word = text + at;
        const char *close;
        uint64_t number;
        if (!m)
            break;
        if (m >= 32 && m <= 36 && ms_uuid_parse(word, m, &row->uuid)) {
            row->has_uuid = !ms_uuid_is_zero(&row->uuid);
        } else if (m > 2 && ms_scan_starts(word, m, "0x") && ms_list_hex(word, m, &number) == m) {
            if (row->n_numbers < MAX_NUMBERS)
                row->numbers[row->n_numbers++] = number;
        } else if (is_arch(word, m)) {
            const char *dash = memchr(word, '-', m); /* a triple: arm64-apple-macosx14.0.0 */
            row->arch = (struct ms_bytes){(const uint8_t *)word, dash ? (size_t)(dash - word) : m};
        } else if (word[0] == '{' && (close = memchr(word, '}', n - at))) {
            m = (size_t)(close - word) + 1; /* reference count: "{shared 2}", "{     2}" */
        } else {
            row->path = take_path(word, n - at);
            break;
        }
        at += m;
    }
    return row->n_numbers || row->has_uuid || row->path.n;
}

/* ---- what the numbers are --------------------------------------------------------------- */

/* Where no command tells: by the first line, which is the program itself. */
static void guess_columns(struct ms_list_build *build, const struct row *row, struct columns *out)
{
    static const char taken[] = "the list doesn't say whether its addresses are load addresses or "
                                "slides; they are taken for %s";
    const uint64_t least64 = UINT64_C(1) << 32; /* where a 64-bit program is linked to */
    *out = (struct columns){.known = true};
    if (row->n_numbers == 2) {
        /* Load address and slide: the latter is less, or negative. */
        bool slide_first = row->numbers[0] < row->numbers[1];
        if ((row->numbers[0] | row->numbers[1]) >> 63)
            slide_first = row->numbers[0] >> 63;
        add_column(out, slide_first ? 'o' : 'h');
        add_column(out, slide_first ? 'h' : 'o');
    } else if (row->n_numbers == 1) {
        bool is32 =
            row->arch.n && (ms_scan_starts((const char *)row->arch.at, row->arch.n, "i") ||
                            ms_scan_starts((const char *)row->arch.at, row->arch.n, "armv"));
        bool slide =
            !row->has_uuid && !is32 && (row->numbers[0] < least64 || row->numbers[0] >> 63);
        add_column(out, slide ? 'o' : 'h');
        if (!row->has_uuid)
            ms_list_note(build, taken, slide ? "slides" : "load addresses");
    } else if (row->n_numbers) {
        ms_list_note(build,
                     "the list has %zu columns of numbers and doesn't say which is the load "
                     "address; make it with `image list`",
                     row->n_numbers);
    }
}

static void add_row(struct ms_list_build *build, const struct row *row,
                    const struct columns *columns)
{
    struct ms_loaded_image *image = ms_list_add(build);
    if (!image)
        return;
    ms_list_set_path(build, image, (const char *)row->path.at, row->path.n);
    image->arch = ms_list_copy(build, (const char *)row->arch.at, row->arch.n);
    image->has_uuid = row->has_uuid;
    image->uuid = row->uuid;
    for (size_t i = 0; i < row->n_numbers && i < columns->n; i++) {
        if (columns->letters[i] == 'h') {
            image->has_load = true;
            image->load_rt = row->numbers[i];
        } else if (columns->letters[i] == 'o') {
            image->has_slide = true;
            image->slide = row->numbers[i];
        }
    }
}

void ms_lldb_images_read(struct ms_list_build *build)
{
    struct columns columns = {.known = false};
    struct ms_line_reader lines;
    struct ms_line line;
    bool first = true;
    ms_lines_over(&lines, build->text, 0, build->text.n);
    while (!build->failed && ms_lines_next(&lines, &line)) {
        struct row row;
        if (take_row(line.text, line.text_n, &row)) {
            if (!columns.known)
                guess_columns(build, &row, &columns);
            add_row(build, &row, &columns);
            if (!build->failed && first)
                build->items[build->n - 1].is_main = true;
            first = false;
        } else if (take_command(line.text, line.text_n, &columns)) {
            first = true;
        }
    }
    if (build->n && !build->failed && build->items[0].has_load &&
        build->items[0].load_rt == UINT64_C(1) << 32)
        ms_list_note(build,
                     "%s is listed at the address it is linked to: was the list made "
                     "without a running process?",
                     build->items[0].name ? build->items[0].name : "the program");
}
