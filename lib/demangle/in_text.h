/*
 * demangle/in_text.h: where a mangled name can begin and end in running text, told without
 * reading the name. filter.c asks, step by step:
 *
 *   trigger   two bytes that only a name (or junk) has: "$s", "_Z", …
 *   begin     do they begin a name, by what stands before them?
 *   word      the bytes from there on that a name can have
 *   ends      where the name could end in the word: longest first
 */
#ifndef MS_DEMANGLE_IN_TEXT_H
#define MS_DEMANGLE_IN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MS_LOOK_BACK = 32,     /* bytes before a name that tell whether it is one */
    MS_NAME_ENDS = 20,     /* ends that are tried of one word */
    MS_OBJC_NAME = 1024,   /* of an Objective-C method within a C++ name; real: 120 */
    MS_OBJC_WORD = 1 << 14 /* and of a name that holds one */
};

/* A piece of the text. */
struct ms_text_view {
    const char *at;
    size_t n;
    bool ends;          /* no text follows it */
    const char *before; /* the MS_LOOK_BACK bytes that stood before it, or blanks */
};

/* The first byte from `from` on where two bytes could begin a name (be its last underscore or
 * its '$'); n when there are none. */
size_t ms_name_trigger(const char *at, size_t from, size_t n);

enum ms_name_begin { MS_BEGINS_NOT, MS_BEGINS, MS_MAY_BEGIN /* more text will tell */ };
/* *start: where the name begins that holds the trigger; not before `from`. */
enum ms_name_begin ms_name_begin(const struct ms_text_view *view, size_t trigger, size_t from,
                                 size_t *start);
/* Up to where the view can be handed on when it has no more triggers: what follows may begin a
 * name. */
size_t ms_name_hold(const struct ms_text_view *view, size_t from);

/* How many bytes of a name's beginning are none of those below: of the two that begin it. */
size_t ms_name_prefix(const char *at);

/* A word as far as it was seen. */
struct ms_word {
    size_t n;                 /* bytes that are known to belong to it */
    bool no_objc;             /* set by the owner: Objective-C names aren't looked for */
    size_t objc_at;           /* where the first "-[Class method]" in it begins; 0 none */
    size_t zone_at, zone_end; /* the one that n is in, or the last */
};
/*
 * Reads on in a word that starts at `at`, of which n bytes are there. Returns true when it is
 * whole: false when more text is needed. `max` bytes are enough: a longer word is cut there.
 */
bool ms_word_extend(struct ms_word *word, const char *at, size_t n, size_t max, bool ends);

/* Is the byte one of those that names consist of? */
bool ms_name_byte(char c);

/*
 * Lengths that a name could have that starts with the word, from the longest to the shortest.
 * Returns how many.
 */
size_t ms_name_ends(const char *at, const struct ms_word *word, size_t ends[MS_NAME_ENDS]);

/* Could n bytes be a name, rather than a shell variable or a constant that happens to parse? */
bool ms_name_plausible(const char *at, size_t n);

#endif
