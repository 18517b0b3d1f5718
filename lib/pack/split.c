#include "pack/split.h"

#include "base/array.h"
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

/*
 * A part is cut off when it has so many rows and spans, and as many are left at least: measured,
 * smaller ones take more room for what every record begins with, and larger ones more time.
 */
enum { ENOUGH = 64, LEFT = 32 };

void ms_split_room_fini(struct ms_split_room *room)
{
    free(room->nodes);
    free(room->spans);
    free(room->rows);
    free(room->files);
    free(room->node_numbers);
    free(room->file_numbers);
    free(room->used);
    free(room->used_scratch);
    free(room->used_files);
    memset(room, 0, sizeof *room);
}

/* Numbers of all parts together take no more time than the piece has bytes: a part clears its own.
 */
static bool prepare(const struct ms_piece *p, struct ms_split_room *r)
{
    if (!ms_array_reach(&r->nodes, p->n_nodes, &r->nodes_room, sizeof *r->nodes) ||
        !ms_array_reach(&r->spans, p->n_spans + 1, &r->spans_room, sizeof *r->spans) ||
        !ms_array_reach(&r->rows, p->n_rows, &r->rows_room, sizeof *r->rows) ||
        !ms_array_reach(&r->files, p->n_files, &r->files_room, sizeof *r->files) ||
        !ms_array_reach(&r->node_numbers, p->n_nodes, &r->node_numbers_room,
                        sizeof *r->node_numbers) ||
        !ms_array_reach(&r->file_numbers, p->n_files, &r->file_numbers_room,
                        sizeof *r->file_numbers) ||
        !ms_array_reach(&r->used, p->n_nodes, &r->used_room, sizeof *r->used) ||
        !ms_array_reach(&r->used_scratch, p->n_nodes, &r->used_scratch_room,
                        sizeof *r->used_scratch) ||
        !ms_array_reach(&r->used_files, p->n_files, &r->used_files_room, sizeof *r->used_files))
        return false;
    if (p->n_nodes)
        memset(r->node_numbers, 0, p->n_nodes * sizeof *r->node_numbers);
    if (p->n_files)
        memset(r->file_numbers, 0, p->n_files * sizeof *r->file_numbers);
    return true;
}

/* How far the parts have come. */
struct split {
    const struct ms_piece *whole;
    struct ms_split_room *room;
    size_t enough;    /* rows and spans of the part in hand, if it isn't the last */
    size_t row, span; /* the first behind the part before */
};

/* How many rows and spans the part from `low` on has; returns where it ends. */
static uint64_t find_end(const struct split *s, uint64_t low, size_t *n_rows, size_t *n_spans)
{
    const struct ms_piece *p = s->whole;
    size_t span = s->span;
    for (size_t row = s->row; row < p->n_rows; row++) {
        uint64_t end = p->rows[row].low;
        while (span < p->n_spans && p->spans[span].low < end)
            span++;
        if (p->n_rows - row + (p->n_spans - span) < LEFT)
            break;
        if (row - s->row + (span - s->span) >= s->enough && end > low) {
            *n_rows = row - s->row;
            *n_spans = span - s->span;
            return end;
        }
    }
    *n_rows = p->n_rows - s->row;
    *n_spans = p->n_spans - s->span;
    return p->high;
}

/* The number of a file in the part, which gets it at its first use. */
static uint32_t number_file(struct split *s, struct ms_piece *part, uint32_t file)
{
    struct ms_split_room *r = s->room;
    if (!file)
        return 0;
    uint32_t *number = &r->file_numbers[file - 1];
    if (!*number) {
        r->used_files[part->n_files] = file - 1;
        r->files[part->n_files] = s->whole->files[file - 1];
        *number = (uint32_t)++part->n_files;
    }
    return *number;
}

static void put_rows(struct split *s, struct ms_piece *part, size_t n)
{
    struct ms_piece_row *rows = s->room->rows;
    part->rows = rows;
    part->n_rows = n;
    if (n && s->whole->n_files == 1 && s->whole->rows[s->row].file) { /* of which 1 is number 1 */
        (void)number_file(s, part, 1);
        part->rows = s->whole->rows + s->row;
        s->row += n;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        rows[i] = s->whole->rows[s->row + i];
        rows[i].file = number_file(s, part, rows[i].file);
    }
    s->row += n;
}

/* The span that counts where the part begins, and those in it. */
static void put_spans(struct split *s, struct ms_piece *part, size_t n)
{
    const struct ms_piece_span *all = s->whole->spans;
    struct ms_piece_span *spans = s->room->spans;
    size_t at = 0, first = s->span;
    if (s->whole->n_spans && (!n || all[first].low > part->low))
        spans[at++] = (struct ms_piece_span){part->low, first ? all[first - 1].node : 0};
    for (size_t i = 0; i < n; i++)
        spans[at++] = all[first + i];
    part->spans = spans;
    part->n_spans = at;
    s->span += n;
}

/* The function, the calls that the part's spans name, and those around them: ascending. */
static size_t find_used(struct split *s, const struct ms_piece *part)
{
    const struct ms_piece *p = s->whole;
    struct ms_split_room *r = s->room;
    size_t n = 0;
    if (!p->n_nodes)
        return 0;
    r->node_numbers[0] = 1;
    r->used[n++] = 0;
    for (size_t i = 0; i < part->n_spans; i++)
        for (uint32_t node = r->spans[i].node; !r->node_numbers[node];
             node = p->nodes[node].parent) {
            r->node_numbers[node] = 1;
            r->used[n++] = node;
        }
    ms_sort_u64(r->used, r->used_scratch, n);
    return n;
}

static void put_nodes(struct split *s, struct ms_piece *part)
{
    struct ms_split_room *r = s->room;
    size_t n = find_used(s, part);
    for (size_t i = 0; i < n; i++) {
        struct ms_piece_node node = s->whole->nodes[r->used[i]];
        r->node_numbers[r->used[i]] = (uint32_t)i + 1;
        if (i)
            node.parent = r->node_numbers[node.parent] - 1;
        node.call_file = number_file(s, part, node.call_file);
        r->nodes[i] = node;
    }
    for (size_t i = 0; i < part->n_spans; i++)
        r->spans[i].node = r->node_numbers[r->spans[i].node] - 1;
    for (size_t i = 0; i < n; i++)
        r->node_numbers[r->used[i]] = 0;
    part->nodes = r->nodes;
    part->n_nodes = n;
}

bool ms_piece_split(const struct ms_piece *p, struct ms_split_room *room, ms_split_taker take,
                    void *owner)
{
    struct split s = {p, room, ENOUGH, 0, 0};
    if (p->n_rows + p->n_spans < ENOUGH + LEFT)
        return take(owner, p);
    if (!prepare(p, room))
        return false;
    struct ms_piece part = *p;
    part.files = room->files;
    for (part.high = p->low; part.high < p->high;) {
        size_t n_rows, n_spans;
        part.more = part.high > p->low;
        part.low = part.high;
        part.high = find_end(&s, part.low, &n_rows, &n_spans);
        part.n_files = 0;
        put_rows(&s, &part, n_rows);
        put_spans(&s, &part, n_spans);
        put_nodes(&s, &part);
        /* Calls that are nested deeply are in every part: these are no more than all its rows. */
        s.enough = 2 * part.n_nodes > ENOUGH ? 2 * part.n_nodes : ENOUGH;
        for (size_t i = 0; i < part.n_files; i++)
            room->file_numbers[room->used_files[i]] = 0;
        if (!take(owner, &part))
            return false;
    }
    return true;
}
