#include "common/timings.h"

#include "common/args.h"
#include "common/console.h"
#include "common/input.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WORD = 64, MAX_WARNED = 10, NANOSECONDS_DIGITS = 6 };

void timings_fini(struct timings *timings)
{
    free(timings->items);
    memset(timings, 0, sizeof *timings);
}

/* Milliseconds with up to six digits behind the point; further ones are dropped. */
static bool parse_milliseconds(const char *text, uint64_t *nanoseconds)
{
    uint64_t value = 0;
    int digits = 0, behind = -1;
    for (; *text; text++) {
        if (*text == '.' && behind < 0) {
            behind = 0;
            continue;
        }
        if (!isdigit((unsigned char)*text))
            break;
        digits++;
        if (behind == NANOSECONDS_DIGITS)
            continue;
        if (value > UINT64_MAX / 10 - 9)
            return false;
        value = value * 10 + (uint64_t)(*text - '0');
        behind += behind >= 0;
    }
    for (behind = behind < 0 ? 0 : behind; behind < NANOSECONDS_DIGITS; behind++) {
        if (value > UINT64_MAX / 10)
            return false;
        value *= 10;
    }
    *nanoseconds = value;
    return digits && (!*text || strcmp(text, "ms") == 0);
}

/* What may stand between an address and a duration, besides blanks. */
static bool is_mark(char c)
{
    return c == ',' || c == ':' || c == ';';
}

static size_t next_word(const char *line, size_t n, size_t *at, char word[MAX_WORD])
{
    while (*at < n && isspace((unsigned char)line[*at]))
        ++*at;
    size_t start = *at;
    while (*at < n && !isspace((unsigned char)line[*at]) && !is_mark(line[*at]))
        ++*at;
    size_t length = *at - start;
    size_t kept = length < MAX_WORD ? length : MAX_WORD - 1;
    memcpy(word, line + start, kept);
    word[kept] = 0;
    return length;
}

/* One at most: between two there would be something that is empty. */
static void pass_mark(const char *line, size_t n, size_t *at)
{
    while (*at < n && isspace((unsigned char)line[*at]))
        ++*at;
    if (*at < n && is_mark(line[*at]))
        ++*at;
}

static bool parse_line(const char *line, size_t n, struct timing *out)
{
    char address[MAX_WORD], duration[MAX_WORD], rest[MAX_WORD];
    size_t at = 0;
    if (next_word(line, n, &at, address) >= MAX_WORD)
        return false;
    pass_mark(line, n, &at);
    if (next_word(line, n, &at, duration) >= MAX_WORD)
        return false;
    size_t more = next_word(line, n, &at, rest);
    while (at < n && isspace((unsigned char)line[at]))
        at++;
    return (more ? strcmp(rest, "ms") == 0 : at == n) &&
           parse_address(address, false, &out->address) &&
           parse_milliseconds(duration, &out->nanoseconds);
}

static bool push(struct timings *timings, struct timing item)
{
    if (timings->n == timings->room) {
        size_t room = timings->room ? timings->room * 2 : 64;
        struct timing *items = realloc(timings->items, room * sizeof *items);
        if (!items)
            return false;
        timings->items = items;
        timings->room = room;
    }
    timings->items[timings->n++] = item;
    return true;
}

static bool is_empty(const char *line, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isspace((unsigned char)line[i]))
            return false;
    return true;
}

static int read_lines(struct timings *timings, const struct input *input)
{
    const char *at = (const char *)input->bytes.at, *end = at + input->bytes.n;
    size_t number = 0, n_bad = 0;
    while (at < end) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        const char *next = eol ? eol + 1 : end;
        size_t n = (size_t)((eol ? eol : end) - at);
        const char *comment = n ? memchr(at, '#', n) : NULL;
        struct timing item;
        number++;
        n = comment ? (size_t)(comment - at) : n;
        if (parse_line(at, n, &item)) {
            if (!push(timings, item)) {
                complain("out of memory");
                return EXIT_SYSTEM;
            }
        } else if (!is_empty(at, n) && n_bad++ < MAX_WARNED) {
            warn("%s: line %zu is not an address and milliseconds", input->name, number);
        }
        at = next;
    }
    if (n_bad > MAX_WARNED)
        warn("%s: %zu more such lines", input->name, n_bad - MAX_WARNED);
    if (!timings->n) {
        complain("%s: no line has an address and milliseconds", input->name);
        return EXIT_INPUT;
    }
    return EXIT_DONE;
}

int timings_read(struct timings *timings, const char *path)
{
    struct input input;
    memset(timings, 0, sizeof *timings);
    int status = input_open(&input, path);
    if (status != EXIT_DONE)
        return status;
    status = read_lines(timings, &input);
    if (status == EXIT_DONE && !input_intact(&input))
        status = EXIT_INPUT;
    input_close(&input);
    return status;
}
