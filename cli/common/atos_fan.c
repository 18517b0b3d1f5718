#include "common/atos_fan.h"

#include "common/console.h"
#include "machsym/workers.h"

#include <stdlib.h>
#include <string.h>

/* Questions that a worker takes at a time, and those that are done before any is printed. */
enum { CHUNK = 64, WAVE = 32 * CHUNK };

/* What a chunk came to: its sink writes to the end of `text`. */
struct chunk {
    struct ms_sink sink;
    char *text;
    size_t room;
    int status;
};

struct fan {
    struct atos_printer printers[MS_MAX_WORKERS];
    const struct atos_question *questions;
    const char *text;
    const struct ms_answers *answers;
    size_t first; /* answer of the wave, and */
    size_t n;     /* how many it has */
    struct chunk chunks[WAVE / CHUNK];
};

static size_t count_workers(size_t n_workers)
{
    return n_workers ? n_workers : ms_workers_of_machine();
}

bool atos_fan_pays(const struct atos_printer *printer, size_t n, size_t n_workers)
{
    /* Without demangling a thread costs more than what it prints. */
    return n >= 16 * CHUNK && count_workers(n_workers) > 1 && !printer->dedup && !printer->verbose &&
           !printer->style.no_demangle;
}

static size_t text_bytes(const struct chunk *chunk)
{
    return chunk->sink.at ? (size_t)(chunk->sink.at - chunk->text) : 0; /* NULL: it failed */
}

/* Makes room, which the sink then has. */
static bool keep(void *to, const char *bytes, size_t n)
{
    struct chunk *chunk = to;
    size_t have = text_bytes(chunk), room = chunk->room * 2 + n + (16 << 10);
    char *text = room > n ? realloc(chunk->text, room) : NULL;
    if (!text)
        return false;
    memcpy(text + have, bytes, n);
    chunk->text = text;
    chunk->room = room;
    chunk->sink.at = text + have + n;
    chunk->sink.end = text + room;
    return true;
}

static void do_chunk(void *owner, size_t worker, size_t item)
{
    struct fan *fan = owner;
    struct chunk *chunk = &fan->chunks[item];
    struct atos_printer *printer = &fan->printers[worker];
    size_t end = (item + 1) * CHUNK < fan->n ? (item + 1) * CHUNK : fan->n;
    char *text = chunk->text;
    chunk->sink = (struct ms_sink){keep, chunk, false, text, text ? text + chunk->room : NULL};
    chunk->status = EXIT_DONE;
    printer->sink = &chunk->sink;
    for (size_t i = item * CHUNK; i < end && chunk->status == EXIT_DONE; i++) {
        const struct atos_question *q = &fan->questions[i];
        ms_answers_ahead(fan->answers, fan->first + i);
        chunk->status =
            atos_print(printer, q, fan->text + q->word, &fan->answers->items[fan->first + i]);
    }
    if (chunk->sink.failed && chunk->status == EXIT_DONE) {
        complain("out of memory");
        chunk->status = EXIT_SYSTEM;
    }
}

/* Prints the chunks up to the first that failed. */
static int print_wave(struct fan *fan, struct ms_sink *sink, size_t n_workers)
{
    size_t n = (fan->n + CHUNK - 1) / CHUNK;
    int status = EXIT_DONE;
    ms_workers_run(n_workers, n, do_chunk, fan);
    for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
        if (text_bytes(&fan->chunks[i]))
            ms_sink_write(sink, fan->chunks[i].text, text_bytes(&fan->chunks[i]));
        status = fan->chunks[i].status;
    }
    return status;
}

int atos_fan(const struct atos_printer *printer, const struct atos_question *questions,
             const char *text, const struct ms_answers *answers, size_t n_workers)
{
    struct fan *fan = calloc(1, sizeof *fan);
    struct ms_error err;
    size_t n = count_workers(n_workers);
    int status = EXIT_DONE;
    if (!fan) {
        complain("out of memory");
        return EXIT_SYSTEM;
    }
    for (size_t i = 0; i < n && status == EXIT_DONE; i++) {
        fan->printers[i] = *printer;
        fan->printers[i].pool = NULL;
        if (ms_show_pool_open(&fan->printers[i].pool, &err) != MS_OK)
            status = complain_error(&err);
    }
    fan->text = text;
    for (size_t done = 0; done < answers->n && status == EXIT_DONE; done += fan->n) {
        fan->questions = questions + done;
        fan->answers = answers;
        fan->first = done;
        fan->n = answers->n - done < WAVE ? answers->n - done : WAVE;
        status = print_wave(fan, printer->sink, n);
    }
    for (size_t i = 0; i < n; i++)
        ms_show_pool_close(fan->printers[i].pool);
    for (size_t i = 0; i < WAVE / CHUNK; i++)
        free(fan->chunks[i].text);
    free(fan);
    return status;
}
