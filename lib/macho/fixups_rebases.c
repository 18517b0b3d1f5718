#include "macho/fixups_rebases.h"

#include "base/cursor.h"
#include "macho/commands.h"

#include <stdlib.h>

enum {
    REBASE_DONE = 0x00,
    REBASE_TYPE_IMM = 0x10,
    REBASE_SEGMENT = 0x20,
    REBASE_ADD_ULEB = 0x30,
    REBASE_ADD_IMM = 0x40,
    REBASE_DO_IMM = 0x50,
    REBASE_DO_TIMES = 0x60,
    REBASE_DO_ADD = 0x70,
    REBASE_DO_SKIPPING = 0x80
};

struct walk {
    const struct ms_macho *macho;
    struct ms_rebases *out;
    struct ms_cursor c;
    uint64_t marks_left, bits_left; /* a list names each word once, and segments don't overlap */
    uint32_t segment;
    uint64_t at;
    bool has_segment;
};

void ms_rebases_fini(struct ms_rebases *rebases)
{
    for (size_t i = 0; i < rebases->n_maps; i++)
        free(rebases->maps[i].bits);
    free(rebases->maps);
    memset(rebases, 0, sizeof *rebases);
}

bool ms_rebases_has(const struct ms_rebases *rebases, uint32_t segment, uint64_t off)
{
    if (segment >= rebases->n_maps || off % 4)
        return false;
    const struct ms_rebase_map *map = &rebases->maps[segment];
    return off / 4 < map->n_bits && map->bits[off / 32] >> (off / 4 & 7) & 1;
}

/* MS_E_FORMAT: the list is not to be believed from here on. */
static enum ms_status open_map(struct walk *w)
{
    struct ms_rebase_map *map = &w->out->maps[w->segment];
    const struct ms_segment *segment = &w->macho->segments[w->segment];
    struct ms_bytes data;
    if (map->bits)
        return MS_OK;
    if (!ms_bytes_part(w->macho->bytes, segment->off, segment->file_bytes, &data) ||
        data.n / 4 > w->bits_left)
        return MS_E_FORMAT;
    w->bits_left -= data.n / 4;
    map->bits = calloc(data.n / 32 + 1, 1);
    map->n_bits = map->bits ? data.n / 4 : 0;
    return map->bits ? MS_OK : MS_E_NOMEM;
}

static enum ms_status mark(struct walk *w, uint64_t times, uint64_t skip)
{
    uint32_t word = w->macho->is64 ? 8 : 4;
    enum ms_status status = w->has_segment ? open_map(w) : MS_E_FORMAT;
    for (; status == MS_OK && times; times--) {
        struct ms_rebase_map *map = &w->out->maps[w->segment];
        if (w->marks_left == 0 || w->at / 4 >= map->n_bits)
            return MS_E_FORMAT;
        w->marks_left--;
        if (w->at % 4 == 0) /* packed pointers of x86_64 stay with the guess */
            map->bits[w->at / 32] |= (uint8_t)(1u << (w->at / 4 & 7));
        w->at += word + skip;
    }
    return status;
}

static enum ms_status run(struct walk *w)
{
    uint64_t times, word = w->macho->is64 ? 8 : 4;
    for (enum ms_status status = MS_OK; status == MS_OK && ms_cursor_left(&w->c);) {
        uint8_t byte = ms_cursor_u8(&w->c), imm = byte & 0x0f;
        switch (byte & 0xf0) {
        case REBASE_DONE:
            return MS_OK;
        case REBASE_TYPE_IMM:
            break;
        case REBASE_SEGMENT:
            w->segment = imm;
            w->at = ms_cursor_uleb(&w->c);
            w->has_segment = imm < w->macho->n_segments;
            break;
        case REBASE_ADD_ULEB:
            w->at += ms_cursor_uleb(&w->c);
            break;
        case REBASE_ADD_IMM:
            w->at += imm * word;
            break;
        case REBASE_DO_IMM:
            status = mark(w, imm, 0);
            break;
        case REBASE_DO_TIMES:
            status = mark(w, ms_cursor_uleb(&w->c), 0);
            break;
        case REBASE_DO_ADD:
            status = mark(w, 1, ms_cursor_uleb(&w->c));
            break;
        case REBASE_DO_SKIPPING:
            times = ms_cursor_uleb(&w->c);
            status = mark(w, times, ms_cursor_uleb(&w->c));
            break;
        default:
            return MS_E_FORMAT;
        }
        if (status != MS_OK)
            return status;
    }
    return w->c.bad ? MS_E_FORMAT : MS_OK;
}

enum ms_status ms_rebases_read(const struct ms_macho *macho, struct ms_rebases *out,
                               struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYLD_INFO_ONLY);
    if (!command)
        command = ms_macho_command(macho, MS_LC_DYLD_INFO);
    if (!command)
        return MS_OK;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 8);
    uint32_t off = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
    struct ms_bytes list;
    /* A program without a slide has no list, and its words are addresses all the same. */
    if (c.bad || n == 0 || !ms_bytes_part(macho->bytes, off, n, &list))
        return MS_OK;
    out->maps = calloc(macho->n_segments + 1, sizeof *out->maps);
    if (!out->maps)
        return ms_fail_memory(err);
    out->n_maps = macho->n_segments;
    struct walk w = {.macho = macho,
                     .out = out,
                     .c = ms_cursor_over(list, macho->big),
                     .marks_left = macho->bytes.n,
                     .bits_left = macho->bytes.n};
    enum ms_status status = run(&w);
    out->is_whole = status == MS_OK;
    if (status != MS_E_NOMEM)
        return MS_OK;
    ms_rebases_fini(out);
    return ms_fail_memory(err);
}
