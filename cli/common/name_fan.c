#include "common/name_fan.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A crafted part can mean a thousand times its size; then it is done without a thread. */
enum { MAX_TEXT = 32 << 20 };

void name_fan_init(struct name_fan *fan, struct ms_name_filter *filter, struct ms_sink *sink,
                   unsigned style)
{
    memset(fan, 0, sizeof *fan);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    fan->n = processors < 1 ? 1 : processors > NAME_FAN_MAX ? NAME_FAN_MAX : (unsigned)processors;
    fan->filter = filter;
    fan->sink = sink;
    fan->style = style;
    if (pthread_mutex_init(&fan->lock, NULL) != 0) {
        fan->n = 1;
    } else if (pthread_cond_init(&fan->changed, NULL) != 0) {
        pthread_mutex_destroy(&fan->lock);
        fan->n = 1;
    }
}

void name_fan_fini(struct name_fan *fan)
{
    if (fan->n > 1) {
        pthread_mutex_lock(&fan->lock);
        fan->stop = true;
        pthread_cond_broadcast(&fan->changed);
        pthread_mutex_unlock(&fan->lock);
        for (unsigned i = 0; i < fan->n_threads; i++)
            pthread_join(fan->parts[i].thread, NULL);
        pthread_cond_destroy(&fan->changed);
        pthread_mutex_destroy(&fan->lock);
    }
    for (unsigned i = 0; i < NAME_FAN_MAX; i++)
        free(fan->parts[i].text);
    memset(fan, 0, sizeof *fan);
}

size_t name_fan_piece(const struct name_fan *fan)
{
    return (size_t)fan->n * NAME_FAN_PART;
}

static bool keep(void *to, const char *bytes, size_t n)
{
    struct name_fan_part *part = to;
    if (n > MAX_TEXT - part->n_text)
        return false;
    if (n > part->room - part->n_text) {
        size_t room = part->room ? part->room : 2 * NAME_FAN_PART;
        while (room - part->n_text < n)
            room *= 2;
        char *text = realloc(part->text, room);
        if (!text)
            return false;
        part->text = text;
        part->room = room;
    }
    memcpy(part->text + part->n_text, bytes, n);
    part->n_text += n;
    return true;
}

static bool keep_name(void *to, const struct ms_found_name *name)
{
    struct ms_sink sink = {.write = keep, .to = to};
    ms_sink_plain_n(&sink, name->demangled, name->n_demangled);
    return !sink.failed;
}

static void filter_part(struct name_fan_part *part)
{
    struct ms_name_filter_sink sink = {part, keep, keep_name, NULL};
    struct ms_name_filter *filter = ms_name_filter_open(&sink, part->fan->style, NULL, NULL);
    part->n_text = 0;
    part->whole = filter && ms_name_filter_feed(filter, part->bytes, part->n) &&
                  ms_name_filter_finish(filter);
    ms_name_filter_close(filter);
}

static void *work(void *of)
{
    struct name_fan_part *part = of;
    struct name_fan *fan = part->fan;
    pthread_mutex_lock(&fan->lock);
    while (!fan->stop) {
        if (!part->todo) {
            pthread_cond_wait(&fan->changed, &fan->lock);
            continue;
        }
        pthread_mutex_unlock(&fan->lock);
        filter_part(part);
        pthread_mutex_lock(&fan->lock);
        part->todo = false;
        pthread_cond_broadcast(&fan->changed);
    }
    pthread_mutex_unlock(&fan->lock);
    return NULL;
}

/* Gives a part to its thread, which is made at its first; false when that can't be. */
static bool hand_out(struct name_fan *fan, unsigned i, const char *bytes, size_t n)
{
    struct name_fan_part *part = &fan->parts[i];
    part->fan = fan;
    part->bytes = bytes;
    part->n = n;
    pthread_mutex_lock(&fan->lock);
    part->todo = true;
    bool good = i < fan->n_threads || pthread_create(&part->thread, NULL, work, part) == 0;
    if (!good)
        part->todo = false;
    else if (i == fan->n_threads)
        fan->n_threads++;
    pthread_cond_broadcast(&fan->changed);
    pthread_mutex_unlock(&fan->lock);
    return good;
}

static void wait_for(struct name_fan *fan, unsigned i)
{
    pthread_mutex_lock(&fan->lock);
    while (fan->parts[i].todo)
        pthread_cond_wait(&fan->changed, &fan->lock);
    pthread_mutex_unlock(&fan->lock);
}

/* Where the first part of n bytes, which shall have about `wanted`, ends: behind a line feed. 0
 * when there is none. */
static size_t cut(const char *bytes, size_t n, size_t wanted)
{
    size_t end = wanted < n ? wanted : n;
    while (end && bytes[end - 1] != '\n')
        end--;
    return end;
}

bool name_fan_feed(struct name_fan *fan, const char *bytes, size_t n)
{
    unsigned n_parts = 0;
    size_t first = n, at = n;
    if (fan->n > 1 && n >= 2 * NAME_FAN_PART) {
        size_t each = n / fan->n > NAME_FAN_PART ? n / fan->n : NAME_FAN_PART;
        first = at = cut(bytes, n, each);
        while (first && n_parts + 1 < fan->n && at < n) {
            size_t n_part = cut(bytes + at, n - at, each);
            if (!n_part || !hand_out(fan, n_parts, bytes + at, n_part))
                break;
            at += n_part;
            n_parts++;
        }
        if (!n_parts)
            first = at = n;
    }
    bool good = ms_name_filter_feed(fan->filter, bytes, first);
    for (unsigned i = 0; i < n_parts; i++) {
        struct name_fan_part *part = &fan->parts[i];
        wait_for(fan, i);
        if (part->whole)
            ms_sink_write(fan->sink, part->text, part->n_text);
        else
            good = good && ms_name_filter_feed(fan->filter, part->bytes, part->n);
    }
    return good && !fan->sink->failed && ms_name_filter_feed(fan->filter, bytes + at, n - at);
}
