/*
 * common/name_fan.h: a filter of names over a large piece of text, in several threads.
 *
 * Names don't reach over a line feed, so a piece can be cut at line feeds, and its parts be
 * filtered each by a filter of its own; what they give is put together in order.
 */
#ifndef MACHSYM_CLI_NAME_FAN_H
#define MACHSYM_CLI_NAME_FAN_H

#include "machsym/demangle.h"
#include "machsym/output.h"

#include <pthread.h>

enum {
    NAME_FAN_MAX = 8,        /* threads */
    NAME_FAN_PART = 1 << 19, /* bytes for each: less isn't worth a thread */
    NAME_FAN_PIECE = NAME_FAN_MAX * NAME_FAN_PART
};

struct name_fan {
    unsigned n; /* threads, the caller's with them; 1: there is nothing to gain */
    unsigned style;
    struct ms_name_filter *filter; /* the caller's, whose text goes to `sink` */
    struct ms_sink *sink;
    /* Guards what follows of parts but their text. Threads live on from piece to piece: a new one
     * starts on its maker's processor, and takes a while to find one of its own. */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned n_threads;
    bool stop;
    struct name_fan_part {
        struct name_fan *fan;
        pthread_t thread;
        bool todo;         /* for the thread; false again when it is done */
        const char *bytes; /* to be filtered */
        size_t n;
        char *text; /* what came of them */
        size_t n_text, room;
        bool whole; /* that is all of it */
    } parts[NAME_FAN_MAX];
};

/* As many threads as there are processors for. */
void name_fan_init(struct name_fan *fan, struct ms_name_filter *filter, struct ms_sink *sink,
                   unsigned style);
void name_fan_fini(struct name_fan *fan);

/* How many bytes to gather before they are fed: more than one part only where that pays. */
size_t name_fan_piece(const struct name_fan *fan);

/* As ms_name_filter_feed with the caller's filter. */
bool name_fan_feed(struct name_fan *fan, const char *bytes, size_t n);

#endif
