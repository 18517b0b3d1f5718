#include "common/name_fan.h"

#include <pthread.h>
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
}

void name_fan_fini(struct name_fan *fan)
{
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
    struct ms_sink sink = {keep, to, false};
    ms_sink_plain_n(&sink, name->demangled, name->n_demangled);
    return !sink.failed;
}

static void *work(void *of)
{
    struct name_fan_part *part = of;
    struct ms_name_filter_sink sink = {part, keep, keep_name, NULL};
    struct ms_name_filter *filter = ms_name_filter_open(&sink, part->fan->style, NULL, NULL);
    part->n_text = 0;
    part->whole = filter && ms_name_filter_feed(filter, part->bytes, part->n) &&
                  ms_name_filter_finish(filter);
    ms_name_filter_close(filter);
    return NULL;
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
    pthread_t threads[NAME_FAN_MAX];
    unsigned n_parts = 0;
    size_t first = n, at = n;
    if (fan->n > 1 && n >= 2 * NAME_FAN_PART) {
        size_t each = n / fan->n > NAME_FAN_PART ? n / fan->n : NAME_FAN_PART;
        first = at = cut(bytes, n, each);
        while (first && n_parts + 1 < fan->n && at < n) {
            struct name_fan_part *part = &fan->parts[n_parts];
            part->fan = fan;
            part->bytes = bytes + at;
            part->n = cut(part->bytes, n - at, each);
            if (!part->n || pthread_create(&threads[n_parts], NULL, work, part) != 0)
                break;
            at += part->n;
            n_parts++;
        }
        if (!n_parts)
            first = at = n;
    }
    bool good = ms_name_filter_feed(fan->filter, bytes, first);
    for (unsigned i = 0; i < n_parts; i++) {
        struct name_fan_part *part = &fan->parts[i];
        pthread_join(threads[i], NULL);
        if (part->whole)
            ms_sink_write(fan->sink, part->text, part->n_text);
        else
            good = good && ms_name_filter_feed(fan->filter, part->bytes, part->n);
    }
    return good && !fan->sink->failed && ms_name_filter_feed(fan->filter, bytes + at, n - at);
}
