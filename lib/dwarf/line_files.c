/* The directory and file tables of a line table's header. */
#include "base/array.h"
#include "base/bytes.h"
#include "dwarf/fault.h"
#include "dwarf/line.h"
#include "dwarf/reader.h"

#include <stdlib.h>

static enum ms_status cut_short(const struct ms_line_header *h, const struct ms_cursor *c,
                                const char *what, struct ms_error *err)
{
    return ms_dwarf_fail(err, MS_E_FORMAT, h->unit->dwarf->s.where, "__debug_line",
                         h->tables_off + ms_cursor_offset(c), "line table at 0x%llx: %s",
                         (unsigned long long)h->off, what);
}

static bool push_dir(struct ms_line_files *files, const char *dir)
{
    return MS_PUSH(files->dirs, files->n_dirs, files->dirs_room, dir);
}

static bool push_file(struct ms_line_files *files, struct ms_line_file file)
{
    return MS_PUSH(files->files, files->n_files, files->files_room, file);
}

/* DWARF 2 to 4: two lists of strings, each ended by an empty one. */
static enum ms_status read_old(const struct ms_line_header *h, struct ms_line_files *files,
                               struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(h->tables, h->encoding.big);
    const char *name;
    while (name = ms_cursor_string(&c), name[0])
        if (!push_dir(files, name))
            return ms_fail_memory(err);
    if (c.bad)
        return cut_short(h, &c, "the list of directories has no end", err);
    while (name = ms_cursor_string(&c), name[0]) {
        struct ms_line_file file = {name, ms_cursor_uleb(&c)};
        (void)ms_cursor_uleb(&c); /* modification time */
        (void)ms_cursor_uleb(&c); /* length */
        if (c.bad)
            break;
        if (!push_file(files, file))
            return ms_fail_memory(err);
    }
    return c.bad ? cut_short(h, &c, "the list of files has no end", err) : MS_OK;
}

/* What an entry of a DWARF 5 table consists of. The count is a byte, so is the bound. */
struct columns {
    uint64_t content[255];
    uint8_t form[255];
    unsigned n;
};

static bool read_columns(struct ms_cursor *c, struct columns *out)
{
    out->n = ms_cursor_u8(c);
    for (unsigned i = 0; i < out->n; i++) {
        out->content[i] = ms_cursor_uleb(c);
        out->form[i] = ms_form_normalize(ms_cursor_uleb(c));
        /* forms without bytes would let a count of 2^60 stand in a short table */
        if (!c->bad && (out->form[i] == MS_FORM_UNKNOWN || out->form[i] == DW_FORM_flag_present ||
                        out->form[i] == DW_FORM_implicit_const))
            ms_cursor_spoil(c);
    }
    return !c->bad;
}

static struct ms_line_file read_entry(const struct ms_line_header *h, struct ms_cursor *c,
                                      const struct columns *columns)
{
    struct ms_line_file out = {NULL, 0};
    for (unsigned i = 0; i < columns->n; i++) {
        struct ms_value value = ms_value_read(c, &h->encoding, columns->form[i], 0);
        if (c->bad)
            break;
        if (columns->content[i] == DW_LNCT_path)
            out.name = ms_unit_string(h->unit, &value);
        else if (columns->content[i] == DW_LNCT_directory_index)
            out.dir = value.u;
    }
    return out;
}

static enum ms_status read_table_5(const struct ms_line_header *h, struct ms_cursor *c,
                                   struct ms_line_files *files, bool dirs, struct ms_error *err)
{
    struct columns columns;
    if (!read_columns(c, &columns))
        return cut_short(h, c, "entry format cut short or of an unknown form", err);
    uint64_t n = ms_cursor_uleb(c);
    if (n > ms_cursor_left(c) || (n && columns.n == 0))
        return cut_short(h, c, "more directories or files than bytes", err);
    for (uint64_t i = 0; i < n; i++) {
        struct ms_line_file entry = read_entry(h, c, &columns);
        if (c->bad)
            return cut_short(h, c, "the last directory or file is cut short", err);
        if (!(dirs ? push_dir(files, entry.name) : push_file(files, entry)))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

enum ms_status ms_line_files_read(const struct ms_line_header *h, struct ms_line_files *files,
                                  struct ms_error *err)
{
    files->n_dirs = files->n_files = 0;
    if (h->encoding.version < 5)
        return read_old(h, files, err);
    struct ms_cursor c = ms_cursor_over(h->tables, h->encoding.big);
    enum ms_status status = read_table_5(h, &c, files, true, err);
    return status == MS_OK ? read_table_5(h, &c, files, false, err) : status;
}

void ms_line_files_fini(struct ms_line_files *files)
{
    free(files->dirs);
    free(files->files);
    memset(files, 0, sizeof *files);
}

/* "C:\x", "C:/x", "\\server": what a compiler on Windows writes. ms_frame_path knows only
 * the slash as the start of an absolute path. */
static bool is_windows_absolute(const char *path)
{
    bool letter = (path[0] >= 'A' && path[0] <= 'Z') || (path[0] >= 'a' && path[0] <= 'z');
    if (letter && path[1] == ':')
        return path[2] == '\\' || path[2] == '/';
    return path[0] == '\\' && path[1] == '\\';
}

bool ms_line_file_put(const struct ms_line_header *h, const struct ms_line_files *files,
                      uint64_t index, struct ms_frame *frame)
{
    bool is_5 = h->encoding.version >= 5;
    frame->comp_dir = frame->dir = frame->file = NULL;
    if (!is_5 && index-- == 0) /* counted from 1; 0 means unknown */
        return false;
    if (index >= files->n_files || !files->files[index].name)
        return false;
    const struct ms_line_file *file = &files->files[index];
    frame->file = file->name;
    frame->comp_dir = h->unit->comp_dir;
    uint64_t dir = file->dir;
    if (is_5 && dir == 0 && files->n_dirs) /* is the compilation directory */
        frame->comp_dir = files->dirs[0] ? files->dirs[0] : frame->comp_dir;
    else if (is_5 ? dir < files->n_dirs : dir && dir <= files->n_dirs)
        frame->dir = files->dirs[is_5 ? dir : dir - 1];
    if (is_windows_absolute(frame->file))
        frame->comp_dir = frame->dir = NULL;
    else if (frame->dir && is_windows_absolute(frame->dir))
        frame->comp_dir = NULL;
    return true;
}
