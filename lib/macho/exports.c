#include "macho/exports.h"

#include "base/array.h"
#include "base/limits.h"
#include "macho/commands.h"

#include <stdlib.h>

enum {
    MAX_DEPTH = 4096, /* edges from the root; real: 20 */
    FLAG_KIND = 0x3,
    FLAG_REEXPORT = 0x8
};

/* A node on the way from the root: its edges that are still to be followed. */
struct ms_export_node {
    uint64_t next_off; /* of the next edge, in the trie */
    size_t name_bytes; /* length of the name up to here */
    unsigned edges;
};

/* (offset, size) of the trie out of a command that has them at byte `at`. */
static bool find_trie(const struct ms_macho *macho, uint32_t cmd, uint64_t at,
                      struct ms_exports *out)
{
    const struct ms_load_command *command = ms_macho_command(macho, cmd);
    if (!command)
        return false;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, at);
    out->trie_off = ms_cursor_u32(&c);
    uint32_t n = ms_cursor_u32(&c);
    return !c.bad && n && ms_bytes_part(macho->bytes, out->trie_off, n, &out->trie);
}

void ms_exports_open(const struct ms_macho *macho, struct ms_exports *out)
{
    memset(out, 0, sizeof *out);
    ms_text_init(&out->name, MS_MAX_NAME);
    out->base_vm = macho->text_vm;
    out->where = macho->where;
    if (!find_trie(macho, MS_LC_DYLD_EXPORTS_TRIE, 8, out) &&
        !find_trie(macho, MS_LC_DYLD_INFO_ONLY, 40, out))
        (void)find_trie(macho, MS_LC_DYLD_INFO, 40, out);
    /* In a tree each byte is read once. Twice as much allows for nodes that a linker shares;
     * a cycle, or nodes shared so often that the names multiply, ends there. */
    out->budget = 2 * (uint64_t)out->trie.n;
}

void ms_exports_close(struct ms_exports *exports)
{
    free(exports->stack);
    ms_text_fini(&exports->name);
    exports->stack = NULL;
    exports->depth = exports->room = 0;
}

static enum ms_status fail_at(const struct ms_exports *exports, uint64_t off, const char *what,
                              struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, exports->where, exports->trie_off + off,
                   "exports trie of %zu bytes: %s", exports->trie.n, what);
}

static enum ms_status spend(struct ms_exports *exports, uint64_t off, uint64_t n,
                            struct ms_error *err)
{
    if (n > exports->budget)
        return fail_at(exports, off, "its nodes are not a tree", err);
    exports->budget -= n;
    return MS_OK;
}

/*
 * Reads the node at `off`, puts its edges on the stack, and stores in *out what it exports:
 * `name` stays NULL when that is nothing we can use.
 */
static enum ms_status enter(struct ms_exports *exports, uint64_t off, struct ms_export *out,
                            struct ms_error *err)
{
    if (exports->depth >= MAX_DEPTH)
        return ms_fail(err, MS_E_LIMIT, exports->where, exports->trie_off + off,
                       "exports trie: more than %d edges deep", MAX_DEPTH);
    struct ms_cursor c = ms_cursor_over(exports->trie, false);
    ms_cursor_seek(&c, off);
    uint64_t terminal_bytes = ms_cursor_uleb(&c);
    uint64_t terminal_off = ms_cursor_offset(&c);
    uint64_t flags = 0, address = 0;
    if (terminal_bytes) {
        struct ms_cursor terminal = c;
        flags = ms_cursor_uleb(&terminal);
        address = ms_cursor_uleb(&terminal);
        if (terminal.bad || ms_cursor_offset(&terminal) - terminal_off > terminal_bytes)
            return fail_at(exports, off, "an export that leaves its node", err);
    }
    ms_cursor_skip(&c, terminal_bytes);
    struct ms_export_node node = {0, exports->name.n, ms_cursor_u8(&c)};
    if (c.bad)
        return fail_at(exports, off, "a node that reaches past the end", err);
    node.next_off = ms_cursor_offset(&c);
    enum ms_status status = spend(exports, off, node.next_off - off, err);
    if (status != MS_OK)
        return status;
    if (!MS_PUSH(exports->stack, exports->depth, exports->room, node))
        return ms_fail_memory(err);
    if (terminal_bytes && !(flags & (FLAG_KIND | FLAG_REEXPORT)) && exports->name.n) {
        out->vm = exports->base_vm + address;
        out->name = exports->name.at;
        out->name_bytes = exports->name.n;
    }
    return MS_OK;
}

/* Follows the next edge of the node on top of the stack. */
static enum ms_status follow(struct ms_exports *exports, struct ms_export *out,
                             struct ms_error *err)
{
    struct ms_export_node *top = &exports->stack[exports->depth - 1];
    struct ms_cursor c = ms_cursor_over(exports->trie, false);
    ms_cursor_seek(&c, top->next_off);
    const char *edge = ms_cursor_string(&c);
    uint64_t edge_bytes = ms_cursor_offset(&c) - top->next_off;
    uint64_t child = ms_cursor_uleb(&c);
    if (c.bad || child >= exports->trie.n)
        return fail_at(exports, top->next_off, "an edge that reaches past the end", err);
    enum ms_status status =
        spend(exports, top->next_off, ms_cursor_offset(&c) - top->next_off, err);
    if (status != MS_OK)
        return status;
    top->next_off = ms_cursor_offset(&c);
    top->edges--;
    exports->name.n = top->name_bytes; /* back from the sibling's branch */
    if (exports->name.at)
        exports->name.at[top->name_bytes] = 0;
    if (edge_bytes - 1 > MS_MAX_NAME - exports->name.n)
        return ms_fail(err, MS_E_LIMIT, exports->where, exports->trie_off + top->next_off,
                       "exports trie: a name of more than %d bytes", MS_MAX_NAME);
    ms_text_add(&exports->name, edge, (size_t)edge_bytes - 1);
    status = ms_text_check(&exports->name, err);
    return status == MS_OK ? enter(exports, child, out, err) : status;
}

enum ms_status ms_exports_next(struct ms_exports *exports, struct ms_export *out,
                               struct ms_error *err)
{
    enum ms_status status = MS_OK;
    memset(out, 0, sizeof *out);
    if (!exports->trie.n)
        return MS_ABSENT;
    if (!exports->started) {
        exports->started = true;
        status = enter(exports, 0, out, err);
    }
    while (status == MS_OK && !out->name) {
        while (exports->depth && exports->stack[exports->depth - 1].edges == 0)
            exports->depth--;
        if (!exports->depth)
            return MS_ABSENT;
        status = follow(exports, out, err);
    }
    if (status != MS_OK)
        exports->depth = 0;
    return status;
}
