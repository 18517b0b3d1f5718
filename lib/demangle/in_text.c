#include "demangle/in_text.h"

#include <stdint.h>
#include <string.h>

static const char macro[] = "@__swiftmacro_", tlv_init[] = "$tlv$init";
enum {
    MACRO = sizeof macro - 1,
    TLV_INIT = sizeof tlv_init - 1,
    MOST_UNDERSCORES = 4,          /* ____Z */
    MOST_COLOUR = MS_LOOK_BACK - 8 /* "[38;2;255;128;255m", with room for the ESC before it */
};

/* ---- bytes ---------------------------------------------------------------------------------- */

/* Classes of bytes. A trigger is two bytes, the first's BEGIN_x and the second's THEN_x alike. */
enum {
    UNDERSCORE = 1, /* _ then Z, T or R */
    DOLLAR = 2,     /* $ then s, S or e */
    AT = 4,         /* @ then _ */
    NAME = 8,       /* in a name: letters, digits, _ $ . and what is not ASCII */
    DIGIT = 16,
    UPPER = 32,
    LOWER = 64
};

#define D (NAME | DIGIT)
#define U (NAME | UPPER)
#define L (NAME | LOWER)
static const uint8_t class_of[256] = {
    ['$'] = NAME, ['.'] = NAME, ['_'] = NAME, ['0'] = D, ['1'] = D, ['2'] = D, ['3'] = D, ['4'] = D,
    ['5'] = D,    ['6'] = D,    ['7'] = D,    ['8'] = D, ['9'] = D, ['A'] = U, ['B'] = U, ['C'] = U,
    ['D'] = U,    ['E'] = U,    ['F'] = U,    ['G'] = U, ['H'] = U, ['I'] = U, ['J'] = U, ['K'] = U,
    ['L'] = U,    ['M'] = U,    ['N'] = U,    ['O'] = U, ['P'] = U, ['Q'] = U, ['R'] = U, ['S'] = U,
    ['T'] = U,    ['U'] = U,    ['V'] = U,    ['W'] = U, ['X'] = U, ['Y'] = U, ['Z'] = U, ['a'] = L,
    ['b'] = L,    ['c'] = L,    ['d'] = L,    ['e'] = L, ['f'] = L, ['g'] = L, ['h'] = L, ['i'] = L,
    ['j'] = L,    ['k'] = L,    ['l'] = L,    ['m'] = L, ['n'] = L, ['o'] = L, ['p'] = L, ['q'] = L,
    ['r'] = L,    ['s'] = L,    ['t'] = L,    ['u'] = L, ['v'] = L, ['w'] = L, ['x'] = L, ['y'] = L,
    ['z'] = L};
#undef D
#undef U
#undef L

static uint8_t class(int c)
{
    return c < 0 ? 0 : class_of[c];
}

static int byte(char c)
{
    return (unsigned char)c;
}

static inline bool is_name_byte(char c)
{
    return byte(c) >= 0x80 || class_of[byte(c)] & NAME;
}

bool ms_name_byte(char c)
{
    return is_name_byte(c);
}

/* Is any of n bytes not ASCII? */
static bool has_wide(const char *at, size_t n)
{
    uint64_t all = 0, eight;
    size_t i = 0;
    for (; n - i >= 8; i += 8) {
        memcpy(&eight, at + i, 8);
        all |= eight;
    }
    for (; i < n; i++)
        all |= (uint64_t)(byte(at[i]) & 0x80);
    return all & 0x8080808080808080u;
}

/* ---- triggers ------------------------------------------------------------------------------- */

static const uint8_t first_of[256] = {['_'] = UNDERSCORE, ['$'] = DOLLAR, ['@'] = AT};
static const uint8_t second_of[256] = {
    ['Z'] = UNDERSCORE, ['T'] = UNDERSCORE, ['R'] = UNDERSCORE, ['s'] = DOLLAR,
    ['S'] = DOLLAR,     ['e'] = DOLLAR,     ['_'] = AT};

static unsigned is_pair(const unsigned char *at)
{
    return first_of[at[0]] & second_of[at[1]];
}

size_t ms_name_trigger(const char *text, size_t from, size_t n)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t i = from;
    /* Most of any text has no pair: several at once, without a branch for each. */
    for (; n - i > 8; i += 8)
        if (is_pair(at + i) | is_pair(at + i + 1) | is_pair(at + i + 2) | is_pair(at + i + 3) |
            is_pair(at + i + 4) | is_pair(at + i + 5) | is_pair(at + i + 6) | is_pair(at + i + 7))
            break;
    for (; i + 1 < n; i++)
        if (is_pair(at + i))
            return i;
    return n;
}

/* ---- where a name begins -------------------------------------------------------------------- */

/* The byte k before the i-th. */
static int look(const struct ms_text_view *view, size_t i, size_t k)
{
    if (k <= i)
        return byte(view->at[i - k]);
    return k - i <= MS_LOOK_BACK ? byte(view->before[MS_LOOK_BACK - (k - i)]) : -1;
}

/* Does `text` stand there, ending before the k-th byte before start? */
static bool stands_before(const struct ms_text_view *view, size_t start, size_t k, const char *text)
{
    size_t n = strlen(text);
    for (size_t i = 0; i < n; i++)
        if (look(view, start, k + n - 1 - i) != byte(text[i]))
            return false;
    return true;
}

/* "[31m" behind an ESC, which may be written out: by what escapes control characters. */
static bool is_colour_before(const struct ms_text_view *view, size_t start)
{
    static const char *const escs[] = {"\x1b",  "\\e",     "\\033",  "\\x1b",
                                       "\\x1B", "\\u001b", "\\u001B"};
    int c = look(view, start, 1);
    if (c != 'm' && c != 'K')
        return false;
    size_t k = 2;
    while (k < MOST_COLOUR && (class(look(view, start, k)) & DIGIT || look(view, start, k) == ';'))
        k++;
    if (look(view, start, k) != '[')
        return false;
    for (size_t i = 0; i < sizeof escs / sizeof *escs; i++)
        if (stands_before(view, start, k + 1, escs[i]))
            return true;
    return false;
}

static bool is_hex(int c)
{
    return class(c) & DIGIT || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* "\u003c" and "\x3c": `letter` before n hexadecimal digits. */
static bool is_hex_escape_before(const struct ms_text_view *view, size_t start, int letter,
                                 size_t n)
{
    size_t k = 1;
    while (k <= n && is_hex(look(view, start, k)))
        k++;
    return k > n && look(view, start, k) == letter && look(view, start, k + 1) == '\\';
}

/* "\n" of JSON and the like, "\01" of LLVM, and colours of terminals end in a letter or digit
 * that belongs to no word. */
static bool is_escape_before(const struct ms_text_view *view, size_t start)
{
    int c = look(view, start, 1), c2 = look(view, start, 2);
    if (c2 == '\\' && c && strchr("nrtbf", c))
        return true;
    if (c == '1' && c2 == '0' && look(view, start, 3) == '\\')
        return true;
    return is_hex_escape_before(view, start, 'u', 4) || is_hex_escape_before(view, start, 'x', 2) ||
           is_colour_before(view, start);
}

static bool is_border(const struct ms_text_view *view, size_t start)
{
    int c = look(view, start, 1);
    bool joined = class(c) & NAME && c != '.';
    return !joined || is_escape_before(view, start);
}

/* What the underscores before the trigger make of it: how many of them are the name's own. */
static bool count_underscores(const struct ms_text_view *view, size_t trigger, size_t *n)
{
    char first = view->at[trigger], second = view->at[trigger + 1];
    size_t most = first == '_' && second == 'Z' ? MOST_UNDERSCORES - 1 : 1;
    size_t k = 0;
    while (k <= most && look(view, trigger, k + 1) == '_')
        k++;
    *n = k;
    return k <= most;
}

/* _OBJC_CLASS_$__TtC…: the class's name is a word of its own. */
static bool is_class_symbol(const struct ms_text_view *view, size_t trigger)
{
    bool seen = view->n - trigger > 2;
    return (seen ? view->at[trigger + 2] == 't' : !view->ends) && view->at[trigger + 1] == 'T' &&
           look(view, trigger, 1) == '_' && look(view, trigger, 2) == '$' &&
           look(view, trigger, 3) == '_';
}

/* Does the byte behind the trigger rule a name out? */
static bool goes_on(const struct ms_text_view *view, size_t trigger)
{
    if (view->n - trigger < 3)
        return !view->ends;
    int c = byte(view->at[trigger + 2]);
    switch (view->at[trigger + 1]) {
    case 'T':
        return c == '0' || c == 't';
    case 'R':
        return class(c) & UPPER;
    case 'Z':
        return class(c) & (UPPER | LOWER | DIGIT);
    default:
        return class(c) & NAME;
    }
}

enum ms_name_begin ms_name_begin(const struct ms_text_view *view, size_t trigger, size_t from,
                                 size_t *start)
{
    bool is_macro = view->at[trigger] == '@', cut = false;
    if (is_macro) {
        size_t n = view->n - trigger;
        cut = n < MACRO && !view->ends;
        if ((n < MACRO && view->ends) || memcmp(view->at + trigger, macro, cut ? n : MACRO) != 0)
            return MS_BEGINS_NOT;
    } else if (!goes_on(view, trigger)) {
        return MS_BEGINS_NOT;
    }
    size_t k;
    *start = trigger;
    if (!is_class_symbol(view, trigger)) {
        if (!count_underscores(view, trigger, &k) || k > trigger - from)
            return MS_BEGINS_NOT;
        *start = trigger - k;
        if (!is_border(view, *start))
            return MS_BEGINS_NOT;
    }
    return cut ? MS_MAY_BEGIN : MS_BEGINS;
}

size_t ms_name_hold(const struct ms_text_view *view, size_t from)
{
    size_t i = view->n;
    if (view->ends || i == from || !first_of[byte(view->at[i - 1])])
        return i;
    i--;
    while (i > from && view->n - i <= MOST_UNDERSCORES && view->at[i - 1] == '_')
        i--;
    return i;
}

/* ---- what belongs to it --------------------------------------------------------------------- */

size_t ms_name_prefix(const char *at)
{
    return at[0] == '@' ? 1 : at[0] == '_' && at[1] == '@' ? 2 : 0;
}

/* The number that ends before the n-th byte, of four digits at most; 0 for none. */
static size_t number_before(const char *at, size_t n)
{
    size_t value = 0, unit = 1;
    for (size_t i = n; i-- > 0 && unit <= 1000 && class(byte(at[i])) & DIGIT; unit *= 10)
        value += unit * (size_t)(at[i] - '0');
    return value;
}

/*
 * A variable or lambda within an Objective-C++ method: _ZZ25-[Editor open:with:]E4once. The
 * method's name has blanks and colons, and the number before it says how long it is.
 */
static bool enter_objc(struct ms_word *word, const char *at)
{
    size_t n = word->no_objc ? 0 : number_before(at, word->n);
    if ((at[word->n] != '-' && at[word->n] != '+') || n < 6 || n > MS_OBJC_NAME)
        return false;
    if (word->n + n > MS_OBJC_WORD)
        return false;
    word->zone_at = word->n;
    word->zone_end = word->n + n;
    if (!word->objc_at)
        word->objc_at = word->n;
    return true;
}

static bool is_objc_byte(const struct ms_word *word, const char *at)
{
    size_t i = word->n;
    if (i == word->zone_at + 1)
        return at[i] == '[';
    if (i == word->zone_end - 1)
        return at[i] == ']';
    return byte(at[i]) >= ' ';
}

/* It was none after all, when its end wasn't reached: the word ended before it. */
static void leave_zone(struct ms_word *word)
{
    if (word->n >= word->zone_end)
        return;
    word->n = word->zone_at;
    if (word->objc_at == word->zone_at)
        word->objc_at = 0;
}

bool ms_word_extend(struct ms_word *word, const char *at, size_t n, size_t max, bool ends)
{
    size_t most = n < max ? n : max;
    while (word->n < most) {
        bool in_zone = word->n < word->zone_end;
        size_t i = word->n;
        if (in_zone)
            i += is_objc_byte(word, at);
        else
            while (i < most && is_name_byte(at[i]))
                i++;
        if (i > word->n) {
            word->n = i;
            continue;
        }
        if (!in_zone && enter_objc(word, at)) {
            word->n++; /* the '-' */
        } else {
            leave_zone(word);
            return true;
        }
    }
    if (word->n < max && !ends)
        return false;
    leave_zone(word);
    return true;
}

/* ---- where it could end --------------------------------------------------------------------- */

struct ends {
    const char *at;
    size_t *list, n;
};

/* Full stops belong to the sentence; emphasis in Markdown is an underscore. */
static void add_end(struct ends *ends, size_t n)
{
    for (int underscores = 0; underscores < 2; underscores++) {
        char off = underscores ? '_' : '.';
        size_t was = n;
        while (n && ends->at[n - 1] == off)
            n--;
        if (underscores && n == was)
            return;
        bool shorter = !ends->n || n < ends->list[ends->n - 1];
        if (n > 3 && shorter && ends->n < MS_NAME_ENDS)
            ends->list[ends->n++] = n;
    }
}

/* A place where one thing ends and something of another kind begins: ".cold", "函数". */
static bool is_joint(const char *at, size_t i)
{
    bool wide = byte(at[i]) >= 0x80, wide_before = byte(at[i - 1]) >= 0x80;
    return (at[i] == '.' && at[i - 1] != '.') || (wide && !wide_before);
}

/*
 * ".cold" and its kind are ASCII, though the readers of names take all that follows a dot. Names
 * of classes have none: _OBJC_IVAR_$__TtC4main3Foo.bar is a variable of one.
 */
static size_t plain_suffix(const char *at, size_t n)
{
    const char *dot = memchr(at, '.', n);
    if (dot && n > 4 && (memcmp(at, "_Tt", 3) == 0 || memcmp(at, "__Tt", 4) == 0))
        return (size_t)(dot - at);
    for (size_t i = dot ? (size_t)(dot - at) : n; i < n; i++)
        if (byte(at[i]) >= 0x80)
            return i;
    return n;
}

/* What clang hangs on to the name of a thread-local variable for what it starts with. No reader
 * of names takes it for theirs. */
static bool ends_in_tlv_init(const char *at, size_t n)
{
    return n > TLV_INIT && memcmp(at + n - TLV_INIT, tlv_init, TLV_INIT) == 0;
}

size_t ms_name_ends(const char *at, const struct ms_word *word, size_t list[MS_NAME_ENDS])
{
    struct ends ends = {at, list, 0};
    if (word->objc_at) {
        add_end(&ends, word->n);
        add_end(&ends, word->objc_at);
        return ends.n;
    }
    bool has_dot = memchr(at, '.', word->n), wide_too = has_wide(at, word->n);
    size_t last = has_dot ? plain_suffix(at, word->n) : word->n;
    add_end(&ends, last);
    if (ends_in_tlv_init(at, last))
        add_end(&ends, last - TLV_INIT);
    if (!has_dot && !wide_too)
        return ends.n;
    for (int left = 5; left && last > 1;)
        if (is_joint(at, --last)) {
            add_end(&ends, last);
            left--;
        }
    /* And the first joint of either kind, the later of them first. */
    size_t dot = 0, wide = 0;
    for (size_t i = 1; i < last && !(dot && wide); i++) {
        if (is_joint(at, i) && at[i] == '.' && !dot)
            dot = i;
        else if (is_joint(at, i) && at[i] != '.' && !wide)
            wide = i;
    }
    add_end(&ends, dot > wide ? dot : wide);
    add_end(&ends, dot > wide ? wide : dot);
    return ends.n;
}

/* "4main" and no more: an identifier that nothing is said of. */
static bool is_identifier_alone(const char *at, size_t n)
{
    size_t i = 0, length = 0;
    for (; i < n && class(byte(at[i])) & DIGIT && length < n; i++)
        length = length * 10 + (size_t)(at[i] - '0');
    return i && length >= n - i;
}

/*
 * Swift names begin as variables of shells and Perl do, and "$SS", "$sx" or "$s1a" mean something
 * as names. With Mach-O's underscore they are names. Without it, a name has operators, which are
 * capitals, and identifiers, which begin with their length; what speaks of the standard library
 * alone ("$sSaMa") has no identifier and more capitals. "$S" was Swift 4.2's, and variables of the
 * environment begin so, in capitals all through.
 */
static bool is_plausible_swift(const char *at, size_t n, bool version4)
{
    size_t skip = version4 ? 3 : 2, count[3] = {0};
    for (size_t i = skip; i < n && !(count[0] && count[1] > 1 && count[2]); i++) {
        count[0] += (class(byte(at[i])) & DIGIT) != 0;
        count[1] += (class(byte(at[i])) & UPPER) != 0;
        count[2] += (class(byte(at[i])) & LOWER) != 0;
    }
    if (count[0])
        return count[1] && n >= skip + 5 && !is_identifier_alone(at + skip, n - skip);
    if (at[1] == 's')
        return count[1] > 1;
    return count[1] > 1 && count[2] && n >= skip + 5;
}

/*
 * "_Zoom" would be operator||(unsigned long), and "_Zoo" one of nothing. In C++ the operators of
 * no class that have numbers alone are those that allocate: new, by the size.
 */
static bool is_plausible_cxx(const char *at, size_t n) /* of what is behind the Z */
{
    size_t lower = 0;
    while (lower < n && class(byte(at[lower])) & LOWER)
        lower++;
    if (lower < n && at[lower] != '.')
        return true;
    bool is_new = lower == 3 && at[0] == 'n' && (at[1] == 'w' || at[1] == 'a');
    return is_new && strchr("jmy", at[2]);
}

bool ms_name_plausible(const char *at, size_t n)
{
    bool version4 = n > 3 && at[0] == '_' && at[1] == 'T' && at[2] == '0';
    if (version4 || (n > 2 && at[0] == '$')) {
        const char *dot = memchr(at, '.', n);
        return is_plausible_swift(at, dot ? (size_t)(dot - at) : n, version4);
    }
    size_t z = 0;
    while (z < n && at[z] == '_')
        z++;
    return z == n || at[z] != 'Z' || is_plausible_cxx(at + z + 1, n - z - 1);
}
