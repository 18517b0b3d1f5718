#include "dwarf/pieces.h"

#include "base/array.h"
#include "base/limits.h"
#include "dwarf/cover.h"
#include "dwarf/piece_layout.h"
#include "dwarf/piece_rows.h"
#include "dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

/* What a DWARF file number has become in the piece in hand. */
struct file_slot {
    uint32_t stamp; /* of the piece; another one: not used in it yet */
    uint32_t file;  /* as in struct ms_piece_row */
};

/* What a node of the scan has become in the piece in hand, and which ranges are its. */
struct node_slot {
    uint32_t stamp, node;
    uint32_t depth;       /* there: nodes from the function to this one */
    uint32_t first, last; /* of a subprogram: of all ranges in it, in `next`, plus one; 0 = none */
};

struct ms_piece_maker {
    struct ms_lookup lookup;
    const struct ms_named_ranges *named;
    struct ms_stretches listed, covered; /* what .debug_aranges and the unit itself say it has */
    struct ms_stretches done[2];         /* what its functions have of these */
    struct ms_piece_rows rows;           /* of the unit's lines */
    struct ms_piece_layout layout;       /* of the function in hand */
    uint32_t *next; /* of the gathered ranges, the next in the same subprogram, plus one */
    size_t next_room;
    struct ms_dwarf_range even; /* addresses of one rank, which was asked for last */
    uint8_t even_rank;
    ms_piece_taker take;
    void *owner;
    uint64_t unit_off;
    struct ms_error fault; /* the unit's first */
    bool damaged;          /* a fault that concerns all of the unit */
    bool lost;             /* not even which addresses it has is known for certain */
    bool no_memory;
    /* the piece in hand */
    uint32_t stamp;
    struct ms_piece_node *nodes;
    size_t n_nodes, nodes_room;
    struct ms_piece_span *spans;
    size_t n_spans, spans_room;
    struct ms_piece_row *out_rows;
    size_t n_out_rows, out_rows_room;
    struct ms_piece_file *files;
    size_t n_files, files_room;
    struct file_slot *file_slots; /* by DWARF file number */
    size_t n_file_slots;
    struct node_slot *node_slots;
    size_t n_node_slots;
};

/* ---- what the unit has ------------------------------------------------------------------------
 */

static bool take_cover(void *owner, const struct ms_unit *unit, uint64_t low, uint64_t high)
{
    struct ms_piece_maker *m = owner;
    return ms_stretches_add(&m->covered, unit->dwarf, low, high);
}

static enum ms_status find_listed(struct ms_piece_maker *m, struct ms_error *err)
{
    m->listed.n = m->covered.n = m->done[0].n = m->done[1].n = 0;
    m->even = (struct ms_dwarf_range){0, 0};
    if (!ms_stretches_add_named(&m->listed, m->lookup.dwarf, m->named, m->unit_off))
        return ms_fail_memory(err);
    ms_stretches_join(&m->listed);
    return MS_OK;
}

/* A fault there doesn't concern what is found all the same. */
static enum ms_status find_covered(struct ms_piece_maker *m, const struct ms_unit *unit,
                                   struct ms_error *fault, struct ms_error *err)
{
    enum ms_status status = ms_cover_unit(&m->lookup, unit, take_cover, m, err);
    *fault = m->lookup.error;
    m->lookup.error.status = MS_OK;
    m->lost = fault->status != MS_OK;
    ms_stretches_join(&m->covered);
    return status;
}

/* 0 or 1 as in struct ms_piece_claim; 2: the unit doesn't have it. */
static uint8_t find_rank(struct ms_piece_maker *m, uint64_t address)
{
    const struct ms_stretches *both[] = {&m->listed, &m->covered};
    for (uint8_t rank = 0; rank < 2; rank++) {
        size_t i = ms_stretches_find(both[rank], address);
        if (i == both[rank]->n || both[rank]->items[i].low > address)
            continue;
        if (!rank || !m->listed.n) { /* all of it has the rank */
            m->even = both[rank]->items[i];
            m->even_rank = rank;
        }
        return rank;
    }
    return 2;
}

static inline uint8_t rank_at(struct ms_piece_maker *m, uint64_t address)
{
    return m->even.low <= address && address < m->even.high ? m->even_rank : find_rank(m, address);
}

/* ---- making a piece ---------------------------------------------------------------------- */

/* The piece's number of a DWARF file number; 0 when there is no such file. */
static uint32_t file_of(struct ms_piece_maker *m, uint64_t number)
{
    struct ms_frame frame;
    if (!m->lookup.has_lines || number >= m->n_file_slots)
        return 0;
    struct file_slot *slot = &m->file_slots[number];
    if (slot->stamp == m->stamp)
        return slot->file;
    *slot = (struct file_slot){m->stamp, 0};
    if (!ms_line_file_put(&m->lookup.line_header, &m->lookup.files, number, &frame))
        return 0;
    struct ms_piece_file file = {frame.comp_dir, frame.dir, frame.file};
    if (!MS_PUSH(m->files, m->n_files, m->files_room, file)) {
        m->no_memory = true;
        return 0;
    }
    slot->file = (uint32_t)m->n_files;
    return slot->file;
}

/* What the DIE says; each is read once a piece, so that nothing is gained by keeping it. */
static void read_function(struct ms_piece_maker *m, uint32_t node, struct ms_function *out)
{
    struct ms_lookup *l = &m->lookup;
    struct ms_error found;
    enum ms_status status = ms_function_read(l->dwarf, &l->references, l->unit,
                                             l->scan.nodes[node].die_off, out, &found);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
}

static bool push_node(struct ms_piece_maker *m, uint32_t node, uint32_t parent, uint32_t depth)
{
    struct ms_function f;
    if (!ms_array_grow(&m->nodes, m->n_nodes, &m->nodes_room, sizeof *m->nodes))
        return false;
    read_function(m, node, &f);
    struct ms_piece_node *made = &m->nodes[m->n_nodes];
    *made = (struct ms_piece_node){.linkage = f.linkage,
                                   .name = f.name,
                                   .start_vm = f.entry_vm,
                                   .has_start = f.has_entry,
                                   .parent = parent};
    if (parent != MS_NO_PARENT) {
        made->call_file = file_of(m, f.call_file);
        made->call_line = f.call_line;
        made->call_column = f.call_column;
    }
    m->node_slots[node].stamp = m->stamp;
    m->node_slots[node].node = (uint32_t)m->n_nodes++;
    m->node_slots[node].depth = depth;
    return true;
}

static uint32_t node_of(struct ms_piece_maker *m, uint32_t node);

/* As a look-up does where a chain is too long: the function alone is named. */
static uint32_t outermost_of(struct ms_piece_maker *m, uint32_t node)
{
    struct ms_lookup *l = &m->lookup;
    while (l->scan.nodes[node].parent != MS_NO_NODE)
        node = l->scan.nodes[node].parent;
    if (l->error.status == MS_OK)
        (void)ms_unit_fail(l->unit, &l->error, MS_E_LIMIT, l->scan.nodes[node].die_off,
                           "too many calls are inlined here");
    return node_of(m, node);
}

/* A node that the piece does not have yet; those that it is inlined into come before it. */
static uint32_t make_node(struct ms_piece_maker *m, uint32_t node)
{
    uint32_t chain[MS_MAX_INLINE_DEPTH];
    uint32_t n = 0, depth = 0, parent = MS_NO_PARENT, at = node;
    for (; at != MS_NO_NODE; at = m->lookup.scan.nodes[at].parent) {
        const struct node_slot *slot = &m->node_slots[at];
        if (slot->stamp == m->stamp) {
            parent = slot->node;
            depth = slot->depth;
            break;
        }
        if (n == MS_MAX_INLINE_DEPTH)
            return outermost_of(m, node);
        chain[n++] = at;
    }
    if (depth + n > MS_MAX_INLINE_DEPTH)
        return outermost_of(m, node);
    while (n--) {
        if (!push_node(m, chain[n], parent, ++depth)) {
            m->no_memory = true;
            return 0;
        }
        parent = m->node_slots[chain[n]].node;
    }
    return parent;
}

/* The piece's number of a node of the scan. */
static uint32_t node_of(struct ms_piece_maker *m, uint32_t node)
{
    const struct node_slot *slot = &m->node_slots[node];
    return slot->stamp == m->stamp ? slot->node : make_node(m, node);
}

static void start_piece(struct ms_piece_maker *m)
{
    if (!++m->stamp) /* the slots have been used 2^32 times: none may seem to be of this piece */
        m->stamp = 1;
    m->n_nodes = m->n_spans = m->n_out_rows = m->n_files = 0;
}

/* The rows of [low, high). */
static void put_rows(struct ms_piece_maker *m, uint64_t low, uint64_t high)
{
    const struct ms_unit_row *rows = m->rows.items;
    size_t i = ms_piece_rows_find(&m->rows, low), n = 0;
    uint32_t number = MS_NO_ROW, file = 0, last = 0; /* DWARF's, the piece's, the last row's */
    for (; i < m->rows.n && rows[i].low < high; i++) {
        struct ms_piece_row *row = &m->out_rows[n]; /* grow_slots has made room for all */
        if (rows[i].file != number) {
            number = rows[i].file;
            file = number == MS_NO_ROW ? 0 : file_of(m, number);
        }
        if (!file && !last)
            continue;
        last = file;
        row->low = rows[i].low > low ? rows[i].low : low;
        row->file = file;
        row->line = file ? rows[i].line : 0;
        row->column = file ? rows[i].column : 0;
        n++;
    }
    m->n_out_rows = n;
    m->rows.found = i ? i - 1 : 0;
}

static void hand_over(struct ms_piece_maker *m, uint64_t low, uint64_t high,
                      struct ms_piece_claim claim)
{
    struct ms_piece piece = {
        .low = low,
        .high = high,
        .source = MS_SOURCE_DWARF,
        .damaged = m->damaged || m->lookup.error.status != MS_OK,
        .nodes = m->nodes,
        .n_nodes = m->n_nodes,
        .spans = m->spans,
        .n_spans = m->n_spans,
        .rows = m->out_rows,
        .n_rows = m->n_out_rows,
        .files = m->files,
        .n_files = m->n_files,
    };
    if (!m->no_memory && (piece.n_nodes || piece.n_rows || claim.rank == MS_RANK_DAMAGE))
        m->no_memory = !m->take(m->owner, &piece, &claim);
}

/* ---- one function ------------------------------------------------------------------------ */

/* The spans of the marks from `first` to `end`. */
static void put_spans(struct ms_piece_maker *m, size_t first, size_t end)
{
    const struct ms_mark *marks = m->layout.marks;
    uint32_t last = MS_NO_NODE;
    while (m->spans_room < end - first)
        if (!ms_array_grow(&m->spans, m->spans_room, &m->spans_room, sizeof *m->spans)) {
            m->no_memory = true;
            return;
        }
    for (size_t i = first; i < end; i++) {
        if (marks[i].node == last)
            continue;
        last = marks[i].node;
        m->spans[m->n_spans++] = (struct ms_piece_span){marks[i].low, node_of(m, last)};
    }
}

/* Keeps the first fault, so that what comes next is blamed for its own alone. */
static void note_fault(struct ms_piece_maker *m)
{
    if (m->fault.status == MS_OK)
        m->fault = m->lookup.error;
    m->lookup.error.status = MS_OK;
}

/* The pieces of the function in hand: stretches that one of its ranges has, of one rank. */
static void give_function(struct ms_piece_maker *m, uint32_t root)
{
    const struct ms_mark *marks = m->layout.marks;
    uint64_t order = m->unit_off + m->lookup.scan.nodes[root].die_off;
    for (size_t i = 0, end; i + 1 < m->layout.n && !m->no_memory; i = end) {
        uint64_t size = marks[i].size;
        uint8_t rank = size ? rank_at(m, marks[i].low) : 2;
        end = i + 1;
        if (rank == 2)
            continue;
        while (end + 1 < m->layout.n && marks[end].size == size &&
               rank_at(m, marks[end].low) == rank)
            end++;
        start_piece(m);
        put_spans(m, i, end);
        put_rows(m, marks[i].low, marks[end].low);
        hand_over(m, marks[i].low, marks[end].low, (struct ms_piece_claim){rank, size, order});
        struct ms_dwarf_range had = {marks[i].low, marks[end].low};
        if (!MS_PUSH(m->done[rank].items, m->done[rank].n, m->done[rank].room, had))
            m->no_memory = true;
    }
}

/* Strings the ranges of each subprogram together. */
static bool chain_ranges(struct ms_piece_maker *m)
{
    const struct ms_scan *scan = &m->lookup.scan;
    while (m->next_room < scan->n_gathered)
        if (!ms_array_grow(&m->next, m->next_room, &m->next_room, sizeof *m->next))
            return false;
    for (size_t i = 0; i < scan->n_nodes; i++)
        m->node_slots[i] = (struct node_slot){0, 0, 0, 0, 0};
    for (size_t i = 0; i < scan->n_gathered; i++) {
        struct node_slot *root = &m->node_slots[scan->gathered[i].root];
        m->next[i] = 0;
        if (root->first)
            m->next[root->last - 1] = (uint32_t)i + 1;
        else
            root->first = (uint32_t)i + 1;
        root->last = (uint32_t)i + 1;
    }
    return true;
}

static enum ms_status give_functions(struct ms_piece_maker *m, struct ms_error *err)
{
    const struct ms_scan *scan = &m->lookup.scan;
    if (scan->n_gathered >= UINT32_MAX || !chain_ranges(m))
        return ms_fail_memory(err);
    struct ms_layout_input input = {m->lookup.dwarf, scan->gathered, m->next, &m->listed,
                                    &m->covered};
    m->layout.budget = (uint64_t)scan->n_gathered * 2 * MS_MAX_INLINE_DEPTH + 4096;
    for (size_t i = 0; i < scan->n_gathered && !m->no_memory; i++) {
        uint32_t root = scan->gathered[i].root;
        if (m->node_slots[root].first != i + 1)
            continue;
        if (!ms_piece_layout_make(&m->layout, &input, (uint32_t)i + 1))
            return ms_fail_memory(err);
        give_function(m, root);
        note_fault(m);
    }
    if (!m->layout.budget && m->lookup.error.status == MS_OK)
        (void)ms_unit_fail(m->lookup.unit, &m->lookup.error, MS_E_LIMIT, 0,
                           "functions overlap too often");
    note_fault(m);
    return m->no_memory ? ms_fail_memory(err) : MS_OK;
}

/* ---- lines without a function ------------------------------------------------------------ */

static void give_rows(struct ms_piece_maker *m, uint64_t low, uint64_t high, uint8_t rank)
{
    start_piece(m);
    put_rows(m, low, high);
    hand_over(m, low, high, (struct ms_piece_claim){rank, 0, m->unit_off});
}

/* The parts of [low, high) that a line is known of: the others another unit may know. */
static void give_known(struct ms_piece_maker *m, uint64_t low, uint64_t high, uint8_t rank)
{
    const struct ms_unit_row *rows = m->rows.items;
    struct ms_frame frame;
    uint64_t from = 0;
    bool known = false;
    for (size_t i = ms_piece_rows_find(&m->rows, low); i < m->rows.n && rows[i].low < high; i++) {
        uint64_t at = rows[i].low > low ? rows[i].low : low;
        bool before = known;
        known = rows[i].file != MS_NO_ROW &&
                ms_line_file_put(&m->lookup.line_header, &m->lookup.files, rows[i].file, &frame);
        if (known && !before)
            from = at;
        else if (before && !known)
            give_rows(m, from, at, rank);
    }
    if (known)
        give_rows(m, from, high, rank);
}

/* What is left of [low, high) between the functions. */
static void give_lines(struct ms_piece_maker *m, uint64_t low, uint64_t high, uint8_t rank)
{
    const struct ms_stretches *done = &m->done[rank];
    for (size_t i = ms_stretches_find(done, low); low < high && !m->no_memory; i++) {
        uint64_t end = i < done->n && done->items[i].low < high ? done->items[i].low : high;
        if (low < end)
            give_known(m, low, end, rank);
        low = end < high ? done->items[i].high : high;
    }
}

/* What the unit covers by itself is of interest where no set of .debug_aranges has it. */
static void give_all_lines(struct ms_piece_maker *m)
{
    ms_stretches_join(&m->done[0]);
    ms_stretches_join(&m->done[1]);
    for (size_t i = 0; i < m->listed.n; i++)
        give_lines(m, m->listed.items[i].low, m->listed.items[i].high, 0);
    for (size_t i = 0; i < m->covered.n; i++) {
        uint64_t low = m->covered.items[i].low, high = m->covered.items[i].high;
        size_t k = ms_stretches_find(&m->listed, low);
        for (; low < high; k++) {
            const struct ms_dwarf_range *listed = k < m->listed.n ? &m->listed.items[k] : NULL;
            uint64_t end = listed && listed->low < high ? listed->low : high;
            if (low < end)
                give_lines(m, low, end, 1);
            low = end < high ? listed->high : high;
        }
    }
}

/* Where a damaged unit says nothing, more may have been known. */
static void give_damage(struct ms_piece_maker *m)
{
    const struct ms_stretches *both[] = {&m->listed, &m->covered};
    struct ms_piece_claim claim = {MS_RANK_DAMAGE, 0, m->unit_off};
    start_piece(m);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < both[k]->n && m->damaged; i++)
            hand_over(m, both[k]->items[i].low, both[k]->items[i].high, claim);
}

/* ---- a unit ------------------------------------------------------------------------------ */

static bool grow_slots(struct ms_piece_maker *m)
{
    size_t n_files = m->lookup.has_lines ? m->lookup.files.n_files + 1 : 0;
    while (m->out_rows_room < m->rows.n)
        if (!ms_array_grow(&m->out_rows, m->out_rows_room, &m->out_rows_room, sizeof *m->out_rows))
            return false;
    while (m->n_node_slots < m->lookup.scan.n_nodes) {
        struct node_slot none = {0, 0, 0, 0, 0};
        size_t room = m->n_node_slots, n = room;
        if (!ms_array_grow(&m->node_slots, n, &room, sizeof *m->node_slots))
            return false;
        while (n < room)
            m->node_slots[n++] = none;
        m->n_node_slots = room;
    }
    while (m->n_file_slots < n_files) {
        struct file_slot none = {0, 0};
        size_t room = m->n_file_slots, n = room;
        if (!ms_array_grow(&m->file_slots, n, &room, sizeof *m->file_slots))
            return false;
        while (n < room)
            m->file_slots[n++] = none;
        m->n_file_slots = room;
    }
    return true;
}

enum ms_status ms_piece_maker_open(struct ms_dwarf *dwarf, const struct ms_named_ranges *named,
                                   struct ms_piece_maker **out, struct ms_error *err)
{
    struct ms_piece_maker *m = calloc(1, sizeof *m);
    if (!m)
        return ms_fail_memory(err);
    ms_lookup_init(&m->lookup, dwarf, 0);
    m->named = named;
    *out = m;
    return MS_OK;
}

void ms_piece_maker_close(struct ms_piece_maker *m)
{
    if (!m)
        return;
    ms_lookup_fini(&m->lookup);
    ms_stretches_fini(&m->listed);
    ms_stretches_fini(&m->covered);
    ms_stretches_fini(&m->done[0]);
    ms_stretches_fini(&m->done[1]);
    ms_piece_rows_fini(&m->rows);
    ms_piece_layout_fini(&m->layout);
    free(m->next);
    free(m->nodes);
    free(m->spans);
    free(m->out_rows);
    free(m->files);
    free(m->file_slots);
    free(m->node_slots);
    free(m);
}

static enum ms_status gather(struct ms_piece_maker *m, const struct ms_unit *unit,
                             struct ms_error *err)
{
    struct ms_error found;
    enum ms_status status = ms_lookup_start(&m->lookup, unit, NULL, 0, err);
    if (status != MS_OK)
        return status;
    status = ms_lookup_pass(&m->lookup, unit, MS_SCAN_GATHER, NULL, NULL, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && m->fault.status == MS_OK)
        m->fault = found;
    return MS_OK;
}

static enum ms_status run_unit(struct ms_piece_maker *m, const struct ms_unit *unit,
                               struct ms_error *err)
{
    struct ms_error cover;
    enum ms_status status = find_covered(m, unit, &cover, err);
    if (status != MS_OK || (!m->listed.n && !m->covered.n)) {
        m->fault = cover;
        return status;
    }
    status = gather(m, unit, err);
    if (status == MS_OK)
        status = ms_piece_rows_read(&m->rows, &m->lookup, err);
    note_fault(m);
    m->damaged = m->fault.status != MS_OK;
    if (status == MS_OK && !grow_slots(m))
        status = ms_fail_memory(err);
    if (status == MS_OK)
        status = give_functions(m, err);
    if (status == MS_OK)
        give_all_lines(m);
    if (m->fault.status == MS_OK)
        m->fault = cover;
    return status;
}

enum ms_status ms_piece_maker_run(struct ms_piece_maker *m, uint64_t unit_off, ms_piece_taker take,
                                  void *owner, struct ms_unit_fault *fault, struct ms_error *err)
{
    struct ms_unit_header header;
    struct ms_unit unit;
    m->take = take;
    m->owner = owner;
    m->unit_off = unit_off;
    m->no_memory = m->damaged = m->lost = false;
    m->fault.status = m->lookup.error.status = MS_OK;
    enum ms_status status = find_listed(m, err);
    if (status != MS_OK)
        return status;
    status = ms_unit_header_read(m->lookup.dwarf, false, unit_off, &header, &m->fault);
    if (status == MS_OK)
        status = ms_unit_open(m->lookup.dwarf, &header, &unit, &m->fault);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status == MS_OK) {
        m->fault.status = MS_OK;
        status = run_unit(m, &unit, err);
    } else {
        m->damaged = m->lost = true;
        status = MS_OK;
    }
    give_damage(m);
    fault->error = m->fault;
    fault->lost = m->lost;
    return status == MS_OK && m->no_memory ? ms_fail_memory(err) : status;
}
