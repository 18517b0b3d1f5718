#include "common/names_ahead.h"

#include "machsym/demangle.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_THREADS = 8,     /* the writer's with them */
    WORTH_IT = 1 << 14,  /* symbols: for fewer no thread is made */
    PIECE = 1 << 9,      /* symbols that are done together */
    WINDOW = 64,         /* pieces that may be ready before they are asked for */
    MAX_NAME = 1 << 13,  /* a longer one is left to the writer, */
    MAX_SHOWN = 1 << 16, /* as one that means more, … */
    MAX_TEXT = 1 << 22,  /* … and what is over that in a piece */
    LEFT = 1             /* `n` of a name that is left to the writer */
};

struct piece {
    size_t number; /* of the symbols' pieces */
    bool taken, ready;
    char *text;
    size_t n_text, room;
    struct {
        uint32_t at, n; /* in text; n counts from 2 */
    } names[PIECE];
};

struct names_ahead {
    const struct ms_symbol_tree *tree;
    unsigned style;
    size_t n_pieces;
    /* Guards what follows, of pieces up to `ready`. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t next;    /* piece that no one has begun */
    size_t current; /* that the writer is at: those before are done with */
    bool stop;
    pthread_t threads[MAX_THREADS];
    unsigned n_threads;
    struct piece pieces[WINDOW]; /* number % WINDOW */
    const struct piece *in_hand; /* the writer's */
    char room[MAX_SHOWN];        /* the writer's */
};

static bool reserve(struct piece *piece, size_t n)
{
    if (n <= piece->room - piece->n_text)
        return true;
    if (n > MAX_TEXT - piece->n_text)
        return false;
    size_t room = piece->room ? piece->room : 1 << 16;
    while (room - piece->n_text < n)
        room *= 2;
    char *text = realloc(piece->text, room);
    if (!text)
        return false;
    piece->text = text;
    piece->room = room;
    return true;
}

static void fill(const struct names_ahead *ahead, struct piece *piece, char room[MAX_SHOWN])
{
    size_t first = piece->number * PIECE, n = ahead->tree->n_symbols - first;
    piece->n_text = 0;
    for (size_t i = 0; i < n && i < PIECE; i++) {
        const struct ms_tree_symbol *symbol = &ahead->tree->symbols[first + i];
        piece->names[i].n = LEFT;
        size_t n_name = symbol->name ? strnlen(symbol->name, MAX_NAME) : 0;
        if (!n_name || n_name == MAX_NAME || symbol->flags & MS_TREE_STUB)
            continue;
        bool table = symbol->flags & (MS_TREE_NAME_NLIST | MS_TREE_NAME_EXPORT);
        size_t shown =
            ms_demangle_symbol(symbol->name, n_name, table, ahead->style, room, MAX_SHOWN);
        if (!shown || shown >= MAX_SHOWN || !reserve(piece, shown))
            continue;
        memcpy(piece->text + piece->n_text, room, shown);
        piece->names[i].at = (uint32_t)piece->n_text;
        piece->names[i].n = (uint32_t)shown + 1 + LEFT;
        piece->n_text += shown;
    }
}

/* Does the next piece, under the lock but for the work; false when there is none to do now. */
static bool do_next(struct names_ahead *ahead, char room[MAX_SHOWN])
{
    if (ahead->next < ahead->current)
        ahead->next = ahead->current;
    if (ahead->next >= ahead->n_pieces || ahead->next - ahead->current >= WINDOW)
        return false;
    struct piece *piece = &ahead->pieces[ahead->next % WINDOW];
    if (piece->taken && !piece->ready) /* one that the writer went past is still in the making */
        return false;
    piece->number = ahead->next++;
    piece->taken = true;
    piece->ready = false;
    pthread_mutex_unlock(&ahead->lock);
    fill(ahead, piece, room);
    pthread_mutex_lock(&ahead->lock);
    piece->ready = true;
    pthread_cond_broadcast(&ahead->changed);
    return true;
}

static void *work(void *of)
{
    struct names_ahead *ahead = of;
    char *room = malloc(MAX_SHOWN);
    pthread_mutex_lock(&ahead->lock);
    while (room && !ahead->stop && ahead->next < ahead->n_pieces)
        if (!do_next(ahead, room))
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    free(room);
    return NULL;
}

/* The writer comes to a piece, and makes it, or one behind it, as long as it isn't ready. */
static const struct piece *come_to(struct names_ahead *ahead, size_t number)
{
    const struct piece *piece = &ahead->pieces[number % WINDOW];
    pthread_mutex_lock(&ahead->lock);
    ahead->current = number;
    pthread_cond_broadcast(&ahead->changed);
    while (!(piece->taken && piece->ready && piece->number == number))
        if (!do_next(ahead, ahead->room))
            pthread_cond_wait(&ahead->changed, &ahead->lock);
    pthread_mutex_unlock(&ahead->lock);
    return piece;
}

static bool get(void *owner, size_t i, const char **at, size_t *n)
{
    struct names_ahead *ahead = owner;
    size_t number = i / PIECE;
    if (!ahead->in_hand || ahead->in_hand->number != number) {
        if (number < ahead->current) /* regions need not be in order */
            return false;
        ahead->in_hand = come_to(ahead, number);
    }
    uint32_t shown = ahead->in_hand->names[i % PIECE].n;
    if (shown <= LEFT)
        return false;
    *at = ahead->in_hand->text + ahead->in_hand->names[i % PIECE].at;
    *n = shown - 1 - LEFT;
    return true;
}

static struct names_ahead *make(const struct ms_symbol_tree *tree,
                                const struct ms_tree_style *style)
{
    struct names_ahead *ahead = calloc(1, sizeof *ahead);
    if (!ahead)
        return NULL;
    ahead->tree = tree;
    ahead->style = style->demangle_style;
    ahead->n_pieces = (tree->n_symbols + PIECE - 1) / PIECE;
    if (pthread_mutex_init(&ahead->lock, NULL) != 0) {
        free(ahead);
        return NULL;
    }
    if (pthread_cond_init(&ahead->changed, NULL) != 0) {
        pthread_mutex_destroy(&ahead->lock);
        free(ahead);
        return NULL;
    }
    return ahead;
}

struct names_ahead *names_ahead_start(const struct ms_symbol_tree *tree,
                                      struct ms_tree_style *style)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    if (style->mangled || style->no_symbols || style->has_address || n < 2 ||
        tree->n_symbols < WORTH_IT)
        return NULL;
    struct names_ahead *ahead = make(tree, style);
    if (!ahead)
        return NULL;
    unsigned most = n < MAX_THREADS ? (unsigned)n : MAX_THREADS;
    while (ahead->n_threads + 1 < most &&
           pthread_create(&ahead->threads[ahead->n_threads], NULL, work, ahead) == 0)
        ahead->n_threads++;
    style->readable = get;
    style->readable_owner = ahead;
    return ahead;
}

void names_ahead_end(struct names_ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->stop = true;
    pthread_cond_broadcast(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    for (unsigned i = 0; i < ahead->n_threads; i++)
        pthread_join(ahead->threads[i], NULL);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    for (size_t i = 0; i < WINDOW; i++)
        free(ahead->pieces[i].text);
    free(ahead);
}
