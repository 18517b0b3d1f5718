/*
 * Every mangled name in a stream of bytes. What a name is in running text in_text.c knows; here
 * is what becomes of it: the text that is handed on, the name that has begun and is held back
 * until its end has been seen, and the tries to read it.
 *
 * Whatever the pieces are that the text comes in, the same is found: a word is judged only once
 * it is whole, and the few bytes before it are kept.
 */
#include "base/text.h"
#include "demangle/demanglers.h"
#include "demangle/in_text.h"
#include "demangle/name_cache.h"
#include "machsym/demangle.h"

#include <stdlib.h>
#include <string.h>

enum {
    WORD_TRIES = 48,    /* to read a name in one word: words of any length cost no more */
    WORD_LOOKS = 64,    /* for what could be one, where nothing is worth a try; likewise */
    CARRY_STEP = 1024,  /* text that is added at a time to what was held back */
    FIRST_OUTPUT = 4096 /* bytes; longer results take a second call */
};

struct ms_name_filter {
    struct ms_name_filter_sink sink;
    ms_demangler demangle;
    void *context;
    unsigned style;
    bool stopped;              /* a callback said so */
    char before[MS_LOOK_BACK]; /* what stood before the text to come */
    struct ms_text carry;      /* text that came and was not handed on: a name may begin it */
    struct ms_word word;       /* as far as it is known, when `has_word` */
    bool has_word;             /* the carry begins with it */
    bool in_long_word;         /* the rest of a word that is too long to hold names */
    size_t no_objc;            /* so many bytes to come were looked at as Objective-C already */
    char *output;              /* of the demangler */
    size_t output_room;
    struct ms_name_cache cache;
};

static size_t demangle_plainly(void *to, const char *name, size_t n, unsigned style, char *out,
                               size_t room)
{
    (void)to;
    return ms_demangle(name, n, style, out, room);
}

struct ms_name_filter *ms_name_filter_open(const struct ms_name_filter_sink *sink, unsigned style,
                                           ms_demangler demangle, void *context)
{
    struct ms_name_filter *filter = calloc(1, sizeof *filter);
    char *output = malloc(FIRST_OUTPUT);
    if (!filter || !output) {
        free(filter);
        free(output);
        return NULL;
    }
    filter->sink = *sink;
    filter->style = style;
    filter->demangle = demangle ? demangle : demangle_plainly;
    filter->context = context;
    filter->output = output;
    filter->output_room = FIRST_OUTPUT;
    memset(filter->before, ' ', sizeof filter->before);
    /* The longest word, what could follow it at a time, and what begins names before it. */
    ms_text_init(&filter->carry, MS_DEMANGLE_INPUT + CARRY_STEP + 64);
    return filter;
}

void ms_name_filter_close(struct ms_name_filter *filter)
{
    if (!filter)
        return;
    ms_name_cache_fini(&filter->cache);
    ms_text_fini(&filter->carry);
    free(filter->output);
    free(filter);
}

/* ---- handing on ----------------------------------------------------------------------------- */

static void put_text(struct ms_name_filter *filter, const char *at, size_t n)
{
    if (n && !filter->stopped && !filter->sink.text(filter->sink.to, at, n))
        filter->stopped = true;
}

static void note_before(struct ms_name_filter *filter, const char *at, size_t n)
{
    size_t k = n < MS_LOOK_BACK ? n : MS_LOOK_BACK;
    memmove(filter->before, filter->before + k, MS_LOOK_BACK - k);
    if (k)
        memcpy(filter->before + MS_LOOK_BACK - k, at + n - k, k);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* Demangles what could be a name; false when it is none. */
static bool read_name(struct ms_name_filter *filter, struct ms_found_name *name)
{
    uint64_t hash = ms_name_hash(name->mangled, name->n);
    if (ms_name_cache_get(&filter->cache, hash, name->mangled, name->n, &name->demangled,
                          &name->n_demangled))
        return name->n_demangled > 0;
    size_t n = filter->demangle(filter->context, name->mangled, name->n, filter->style,
                                filter->output, filter->output_room);
    if (n >= filter->output_room) {
        char *larger = realloc(filter->output, n + 1);
        if (!larger)
            return false;
        filter->output = larger;
        filter->output_room = n + 1;
        n = filter->demangle(filter->context, name->mangled, name->n, filter->style, larger, n + 1);
    }
    if (n >= filter->output_room)
        return false;
    name->demangled = filter->output;
    name->n_demangled = n;
    ms_name_cache_put(&filter->cache, hash, name->mangled, name->n, filter->output, n);
    return n > 0;
}

static void tell_unread(struct ms_name_filter *filter, const char *at, size_t n)
{
    struct ms_found_name name = {at, n, NULL, 0};
    if (filter->sink.unread && !filter->stopped && !filter->sink.unread(filter->sink.to, &name))
        filter->stopped = true;
}

/* "merged " and " throws" are what the operators mean that speak of a function, without one. */
static bool is_whole(const struct ms_found_name *name)
{
    return name->demangled[0] != ' ' && name->demangled[name->n_demangled - 1] != ' ';
}

/*
 * Reads the longest name that the word begins with and hands it on. Returns its length, 0 when
 * there is none.
 */
static size_t take_name(struct ms_name_filter *filter, const char *at, const struct ms_word *word,
                        unsigned *tries)
{
    size_t ends[MS_NAME_ENDS], n_ends = ms_name_ends(at, word, ends), unread = 0;
    for (size_t i = 0; i < n_ends && *tries; i++) {
        struct ms_found_name name = {at, ends[i], NULL, 0};
        if (!ms_name_plausible(at, ends[i]) || ms_mangling_of(at, ends[i]) == MS_MANGLING_NONE)
            continue;
        --*tries;
        if (read_name(filter, &name) && is_whole(&name)) {
            if (!filter->stopped && !filter->sink.name(filter->sink.to, &name))
                filter->stopped = true;
            return ends[i];
        }
        unread = unread ? unread : ends[i];
    }
    if (unread)
        tell_unread(filter, at, unread);
    return 0;
}

/* ---- a piece of text ------------------------------------------------------------------------ */

/* The word that names are read in, and where the piece was handed on up to. */
struct scan {
    struct ms_name_filter *filter;
    struct ms_text_view view;
    size_t at;   /* everything before it is judged */
    size_t done; /* everything before it is handed on */
    size_t word_end;
    unsigned tries; /* that are left in this word */
    unsigned looks; /* likewise */
    size_t no_objc; /* up to where */
    bool has_word;  /* as the filter's, for what the piece begins with */
};

/* What the name starting at `start` comes to. False when more text is needed to know. */
static bool judge(struct scan *scan, size_t start)
{
    struct ms_name_filter *filter = scan->filter;
    const char *at = scan->view.at + start;
    struct ms_word word = {.no_objc = start < scan->no_objc};
    /* An '@' ends one word and begins the next, which may have the underscore before it. */
    size_t prefix = ms_name_prefix(at);
    if (start < scan->word_end && !prefix) {
        word.n = scan->word_end - start;
    } else {
        word.n = prefix;
        if (start == 0 && scan->has_word)
            word = filter->word;
        if (!ms_word_extend(&word, at, scan->view.n - start, MS_DEMANGLE_INPUT + 1,
                            scan->view.ends)) {
            filter->word = word;
            filter->has_word = true;
            return false;
        }
        if (word.n > MS_DEMANGLE_INPUT) {
            filter->in_long_word = true;
            scan->at = start + word.n;
            return true;
        }
        scan->word_end = start + word.n;
        scan->tries = WORD_TRIES;
        scan->looks = WORD_LOOKS;
    }
    put_text(filter, scan->view.at + scan->done, start - scan->done);
    scan->done = start;
    unsigned tries = scan->tries;
    size_t n = tries ? take_name(filter, at, &word, &scan->tries) : 0;
    if (tries == scan->tries && scan->looks-- == 0)
        scan->tries = 0;
    scan->done += n;
    scan->at = n ? scan->done : start + 2;
    if (word.objc_at && n != word.n) {
        /* Its pieces are words of their own; they are read once more, as such. */
        scan->no_objc = scan->word_end;
        scan->word_end = start + word.objc_at;
    }
    if (!n && !scan->tries)
        scan->at = scan->word_end;
    return true;
}

/* The rest of a word that was too long. */
static void pass_long_word(struct scan *scan)
{
    while (scan->at < scan->view.n && ms_name_byte(scan->view.at[scan->at]))
        scan->at++;
    scan->filter->in_long_word = scan->at == scan->view.n;
}

/* Judges a piece as far as that can be done. Returns how many bytes were handed on. */
static size_t scan_piece(struct ms_name_filter *filter, const char *at, size_t n, bool ends)
{
    struct scan scan = {.filter = filter, .no_objc = filter->no_objc, .has_word = filter->has_word};
    filter->has_word = false;
    scan.view = (struct ms_text_view){at, n, ends, filter->before};
    size_t hold = n;
    while (!filter->stopped) {
        if (filter->in_long_word)
            pass_long_word(&scan);
        size_t start, trigger = ms_name_trigger(at, scan.at, n);
        if (trigger == n) {
            hold = ms_name_hold(&scan.view, scan.at);
            break;
        }
        enum ms_name_begin begin = ms_name_begin(&scan.view, trigger, scan.at, &start);
        if (begin == MS_BEGINS_NOT) {
            scan.at = trigger + 1;
        } else if (begin == MS_MAY_BEGIN || !judge(&scan, start)) {
            hold = start;
            break;
        }
    }
    put_text(filter, at + scan.done, hold - scan.done);
    note_before(filter, at, hold);
    filter->no_objc = scan.no_objc > hold ? scan.no_objc - hold : 0;
    return hold;
}

/* Keeps n bytes for later. Where that can't be done, they are text, and so is the rest of their
 * word. */
static void carry(struct ms_name_filter *filter, const char *at, size_t n)
{
    ms_text_add(&filter->carry, at, n);
    if (!filter->carry.failed)
        return;
    put_text(filter, filter->carry.at, filter->carry.n);
    put_text(filter, at, n);
    note_before(filter, filter->carry.at, filter->carry.n);
    note_before(filter, at, n);
    ms_text_clear(&filter->carry);
    filter->has_word = false;
    filter->in_long_word = true;
}

/* Judges what was held back together with the first of n bytes. Returns how many of those are
 * dealt with; the carry is empty then, or all of them are. */
static size_t feed_carry(struct ms_name_filter *filter, const char *bytes, size_t n)
{
    size_t used = 0;
    while (filter->carry.n && used < n && !filter->stopped) {
        size_t held = filter->carry.n, step = n - used < CARRY_STEP ? n - used : CARRY_STEP;
        carry(filter, bytes + used, step);
        used += step;
        if (!filter->carry.n)
            break;
        size_t done = scan_piece(filter, filter->carry.at, filter->carry.n, false);
        if (done >= held) { /* what is left is all of the new bytes */
            used -= filter->carry.n - done;
            ms_text_clear(&filter->carry);
        } else if (done) {
            filter->carry.n -= done;
            memmove(filter->carry.at, filter->carry.at + done, filter->carry.n + 1);
        }
    }
    return used;
}

bool ms_name_filter_feed(struct ms_name_filter *filter, const char *bytes, size_t n)
{
    size_t used = filter->carry.n ? feed_carry(filter, bytes, n) : 0;
    if (used < n && !filter->stopped) {
        size_t done = scan_piece(filter, bytes + used, n - used, false);
        if (used + done < n)
            carry(filter, bytes + used + done, n - used - done);
    }
    return !filter->stopped;
}

bool ms_name_filter_finish(struct ms_name_filter *filter)
{
    if (!filter->stopped && filter->carry.n)
        (void)scan_piece(filter, filter->carry.at, filter->carry.n, true);
    ms_text_clear(&filter->carry);
    memset(filter->before, ' ', sizeof filter->before);
    filter->has_word = filter->in_long_word = false;
    filter->no_objc = 0;
    return !filter->stopped;
}
