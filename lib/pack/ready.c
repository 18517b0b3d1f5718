#include "pack/ready.h"

#include <string.h>

const struct ms_piece_row *ms_piece_row_at(const struct ms_piece *p, uint64_t address)
{
    size_t from = 0, n = p->n_rows;
    while (n) {
        size_t half = n / 2;
        if (p->rows[from + half].low <= address) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from && p->rows[from - 1].file ? &p->rows[from - 1] : NULL;
}

uint32_t ms_piece_node_at(const struct ms_piece *p, uint64_t address)
{
    size_t from = 0, n = p->n_spans;
    while (n) {
        size_t half = n / 2;
        if (p->spans[from + half].low <= address) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from ? p->spans[from - 1].node : 0;
}

static void put_file(const struct ms_piece *p, uint32_t file, struct ms_frame *frame)
{
    if (!file || file > p->n_files)
        return;
    frame->comp_dir = p->files[file - 1].comp_dir;
    frame->dir = p->files[file - 1].dir;
    frame->file = p->files[file - 1].file;
}

static void put_node(const struct ms_piece_node *node, uint64_t address, struct ms_frame *frame)
{
    frame->linkage = node->linkage;
    frame->name = node->name;
    frame->inlined = node->parent != MS_NO_PARENT;
    /* A cold part may stand before the entry: no offset says where it is. */
    frame->has_start = node->has_start && node->start_vm <= address;
    if (frame->has_start) {
        frame->start_vm = node->start_vm;
        frame->offset = address - node->start_vm;
    }
}

/* The frame at hand is new and empty. */
static struct ms_frame *next_frame(struct ms_ready_answer *out)
{
    struct ms_frame *frame = &out->frames[out->n_frames++];
    memset(frame, 0, sizeof *frame);
    frame->source = MS_SOURCE_DWARF;
    return frame;
}

static void put_row(const struct ms_piece *p, uint64_t address, struct ms_frame *frame)
{
    const struct ms_piece_row *row = ms_piece_row_at(p, address);
    if (!row)
        return;
    put_file(p, row->file, frame);
    frame->line = row->line;
    frame->column = row->column;
}

void ms_ready_from_piece(const struct ms_piece *p, uint64_t address, struct ms_ready_answer *out)
{
    const struct ms_piece_node *inner = NULL;
    out->n_frames = 0;
    out->source = p->source;
    out->damaged = p->damaged;
    out->low = p->low;
    out->high = p->high;
    if (!p->n_nodes) {
        if (ms_piece_row_at(p, address))
            put_row(p, address, next_frame(out));
        return;
    }
    for (uint32_t node = ms_piece_node_at(p, address); node != MS_NO_PARENT;
         node = p->nodes[node].parent) {
        if (out->n_frames == MS_MAX_INLINE_DEPTH) {
            out->n_frames = 0;
            out->damaged = true;
            put_node(&p->nodes[0], address, next_frame(out));
            break;
        }
        struct ms_frame *frame = next_frame(out);
        put_node(&p->nodes[node], address, frame);
        if (inner) {
            put_file(p, inner->call_file, frame);
            frame->line = inner->call_line;
            frame->column = inner->call_column;
        } else {
            put_row(p, address, frame);
        }
        inner = &p->nodes[node];
    }
    out->frames[out->n_frames - 1].source = p->source;
}
