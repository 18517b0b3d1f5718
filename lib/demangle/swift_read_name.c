/* Names of declarations: identifiers, which are made of words, operators, local and private. */
#include "demangle/swift_read.h"

#include <string.h>

static bool is_upper(unsigned char c)
{
    return (unsigned)c - 'A' < 26;
}

static bool is_lower(unsigned char c)
{
    return (unsigned)c - 'a' < 26;
}

/*
 * Enters the words of a part of an identifier. One starts at a character that is neither a digit
 * nor '_', and ends before '_' and before a capital that follows no capital.
 */
static void split(struct ms_sr *r, const char *part, size_t n)
{
    enum { PLAIN, CAPITAL, DIGIT, BAR };
    static const uint8_t classes[256] = {
        ['A'] = CAPITAL, ['B'] = CAPITAL, ['C'] = CAPITAL, ['D'] = CAPITAL, ['E'] = CAPITAL,
        ['F'] = CAPITAL, ['G'] = CAPITAL, ['H'] = CAPITAL, ['I'] = CAPITAL, ['J'] = CAPITAL,
        ['K'] = CAPITAL, ['L'] = CAPITAL, ['M'] = CAPITAL, ['N'] = CAPITAL, ['O'] = CAPITAL,
        ['P'] = CAPITAL, ['Q'] = CAPITAL, ['R'] = CAPITAL, ['S'] = CAPITAL, ['T'] = CAPITAL,
        ['U'] = CAPITAL, ['V'] = CAPITAL, ['W'] = CAPITAL, ['X'] = CAPITAL, ['Y'] = CAPITAL,
        ['Z'] = CAPITAL, ['0'] = DIGIT,   ['1'] = DIGIT,   ['2'] = DIGIT,   ['3'] = DIGIT,
        ['4'] = DIGIT,   ['5'] = DIGIT,   ['6'] = DIGIT,   ['7'] = DIGIT,   ['8'] = DIGIT,
        ['9'] = DIGIT,   ['_'] = BAR,
    };
    size_t start = n; /* no word is open */
    uint8_t before = PLAIN;
    for (size_t i = 0; i < n && r->n_words < MS_SWIFT_WORDS; i++) {
        uint8_t class = classes[(uint8_t)part[i]];
        if (start < n && (class == BAR || (class == CAPITAL && before != CAPITAL))) {
            if (i - start >= 2)
                r->words[r->n_words++] = (struct ms_sr_word){part + start, (uint32_t)(i - start)};
            start = n;
        }
        if (start == n && class <= CAPITAL)
            start = i;
        before = class;
        /* What most of a word is. */
        while (class == PLAIN && i + 1 < n && classes[(uint8_t)part[i + 1]] == PLAIN)
            i++;
    }
    if (n - start >= 2 && r->n_words < MS_SWIFT_WORDS)
        r->words[r->n_words++] = (struct ms_sr_word){part + start, (uint32_t)(n - start)};
}

/* Few names ask for many words, so a part is split when the next word is asked for. */
static bool find_word(struct ms_sr *r, unsigned word)
{
    while (word >= r->n_words && r->n_split < r->n_parts) {
        const struct ms_sr_word *part = &r->parts[r->n_split++ % MS_SWIFT_WORDS];
        split(r, part->at, part->n);
    }
    return word < r->n_words;
}

/* Of more parts than there can be words the first are split to make room. */
static void note_words(struct ms_sr *r, const char *part, size_t n)
{
    if (r->n_words == MS_SWIFT_WORDS)
        return;
    if (r->n_parts - r->n_split == MS_SWIFT_WORDS)
        (void)find_word(r, r->n_words);
    if (r->n_parts - r->n_split < MS_SWIFT_WORDS)
        r->parts[r->n_parts++ % MS_SWIFT_WORDS] = (struct ms_sr_word){part, (uint32_t)n};
}

/* N, and that many bytes, one at least. */
static bool take_part(struct ms_sr *r, const char **at, size_t *n)
{
    int64_t length = ms_sr_natural(r);
    if (length <= 0 || length > r->end - r->at)
        return false;
    *at = r->at;
    *n = (size_t)length;
    r->at += length;
    return true;
}

static struct ms_swift_node *remember_identifier(struct ms_sr *r, const char *text, size_t n)
{
    return ms_sr_remember(r, ms_sr_text(r, MS_SWIFT_IDENTIFIER, text, n));
}

static struct ms_swift_node *punycoded(struct ms_sr *r)
{
    int64_t length = ms_sr_natural(r);
    ms_sr_eat(r, '_');
    if (length <= 0 || length > r->end - r->at)
        return NULL;
    size_t n;
    const char *text = ms_sr_punycode(r, r->at, (size_t)length, &n);
    r->at += length;
    return text && n ? remember_identifier(r, text, n) : NULL;
}

/* Puts pieces together, `total` bytes. */
static struct ms_swift_node *join(struct ms_sr *r, const struct ms_sr_word *pieces, unsigned n,
                                  size_t total)
{
    /* A long word can be repeated with every byte of the name. */
    if (total > r->joined_left)
        return ms_sr_fail(r, MS_NAME_TOO_LARGE);
    r->joined_left -= (uint32_t)total;
    char *text = total ? ms_arena_take(r->arena, total) : NULL;
    if (!text)
        return total ? ms_sr_no_memory(r) : NULL;
    size_t at = 0;
    for (unsigned i = 0; i < n; i++) {
        memcpy(text + at, pieces[i].at, pieces[i].n);
        at += pieces[i].n;
    }
    return remember_identifier(r, text, total);
}

/*
 * Words by their letters, lower case when more of them follow, and literal parts in turn, until
 * "0" or the part behind a capital. What is behind the first '0'.
 */
static struct ms_swift_node *joined(struct ms_sr *r)
{
    struct ms_sr_word pieces[MS_SR_PIECES];
    unsigned n_pieces = 0;
    size_t total = 0;
    for (bool more = true; more;) {
        for (unsigned char c; more; n_pieces++) {
            c = ms_sr_peek(r);
            if (!is_lower(c) && !is_upper(c))
                break;
            r->at++;
            more = is_lower(c);
            unsigned word = more ? c - 'a' : c - 'A';
            if (!find_word(r, word))
                return NULL;
            if (n_pieces == MS_SR_PIECES)
                return ms_sr_fail(r, MS_NAME_TOO_LARGE);
            pieces[n_pieces] = r->words[word];
            total += r->words[word].n;
        }
        if (ms_sr_eat(r, '0'))
            break;
        const char *part;
        size_t n;
        if (!take_part(r, &part, &n))
            return NULL;
        if (n_pieces == MS_SR_PIECES)
            return ms_sr_fail(r, MS_NAME_TOO_LARGE);
        pieces[n_pieces++] = (struct ms_sr_word){part, (uint32_t)n};
        total += n;
        note_words(r, part, n);
    }
    return join(r, pieces, n_pieces, total);
}

struct ms_swift_node *ms_sr_identifier(struct ms_sr *r)
{
    r->at--;
    if (*r->at == '0') {
        r->at++;
        return ms_sr_eat(r, '0') ? punycoded(r) : joined(r);
    }
    const char *text;
    size_t n;
    if (!take_part(r, &text, &n))
        return NULL;
    note_words(r, text, n);
    return remember_identifier(r, text, n);
}

struct ms_swift_node *ms_sr_operator_of(struct ms_sr *r, const struct ms_swift_node *name,
                                        unsigned char fix)
{
    static const char meaning[] = "& @/= >    <*!|+?%-~   ^ .";
    if (!name)
        return NULL;
    char *text = ms_arena_take(r->arena, name->n);
    if (!text)
        return ms_sr_no_memory(r);
    for (uint32_t i = 0; i < name->n; i++) {
        unsigned char c = (unsigned char)name->text[i];
        text[i] = is_lower(c) ? meaning[c - 'a'] : name->text[i];
        if (c < 0x80 && (!is_lower(c) || text[i] == ' '))
            return NULL;
    }
    return ms_sr_text(r,
                      fix == 'i'   ? MS_SWIFT_INFIX_OPERATOR
                      : fix == 'p' ? MS_SWIFT_PREFIX_OPERATOR
                                   : MS_SWIFT_POSTFIX_OPERATOR,
                      text, name->n);
}

/* The identifier on the stack, letters of which stand for what operators are made of. */
struct ms_swift_node *ms_sr_operator_name(struct ms_sr *r)
{
    unsigned char fix = ms_sr_next(r);
    if (fix != 'i' && fix != 'p' && fix != 'P')
        return ms_sr_unknown(r, fix);
    return ms_sr_operator_of(r, ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER), fix);
}

struct ms_swift_node *ms_sr_local_name(struct ms_sr *r)
{
    unsigned char letter = ms_sr_peek(r);
    if (letter == 'L' || letter == 'l') {
        r->at++;
        struct ms_swift_node *discriminator = ms_sr_pop_kind(r, MS_SWIFT_IDENTIFIER);
        if (letter == 'l')
            return ms_sr_make_1(r, MS_SWIFT_PRIVATE_DECL_NAME, discriminator);
        struct ms_swift_node *name = discriminator ? ms_sr_pop_decl_name(r) : NULL;
        return ms_sr_make_2(r, MS_SWIFT_PRIVATE_DECL_NAME, discriminator, name);
    }
    if ((letter >= 'a' && letter <= 'j') || (letter >= 'A' && letter <= 'J')) {
        struct ms_swift_node *what = ms_sr_text(r, MS_SWIFT_IDENTIFIER, r->at++, 1);
        return ms_sr_make_2(r, MS_SWIFT_RELATED_ENTITY_DECL_NAME, what, ms_sr_pop(r));
    }
    if (letter != '_' && !ms_sr_is_digit(letter))
        return ms_sr_unknown(r, ms_sr_next(r));
    struct ms_swift_node *number = ms_sr_index_node(r, MS_SWIFT_NUMBER);
    return ms_sr_make_2(r, MS_SWIFT_LOCAL_DECL_NAME, number,
                        number ? ms_sr_pop_decl_name(r) : NULL);
}
