#include "dwarf/pieces.h"

#include "base/array.h"
#include "base/limits.h"
#include "base/sort.h"
#include "dwarf/aranges.h"
#include "dwarf/cover.h"
#include "dwarf/reader.h"

#include <stdlib.h>
#include <string.h>

/* Addresses at which something changes, ascending and each once when sorted. */
struct bounds {
    uint64_t *items;
    size_t n, room;
};

/* Half-open, ascending by low. */
struct stretches {
    struct ms_dwarf_range *items;
    size_t n, room;
};

/* What a DWARF file number has become in the piece in hand. */
struct file_slot {
    uint32_t stamp; /* of the piece; another one: not used in it yet */
    uint32_t file;  /* as in struct ms_piece_row */
};

struct ms_piece_maker {
    struct ms_lookup lookup;
    const struct ms_named_ranges *named;
    struct bounds functions, rows;
    uint64_t *scratch; /* of their sorting */
    size_t scratch_room;
    struct stretches listed, covered; /* what .debug_aranges and the unit itself say it has */
    ms_piece_taker take;
    void *owner;
    uint64_t unit_off;
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
    /* of the lookup's nodes: which one of the piece each has become */
    struct node_slot {
        uint32_t stamp, node;
    } *node_slots;
    size_t n_node_slots;
};

/* ---- ranges that .debug_aranges names ------------------------------------------------------ */

static int by_unit_and_low(const void *a, const void *b)
{
    const struct ms_range_of_unit *x = a, *y = b;
    if (x->unit_off != y->unit_off)
        return x->unit_off < y->unit_off ? -1 : 1;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->high < y->high ? -1 : x->high > y->high;
}

enum ms_status ms_named_ranges_read(struct ms_named_ranges *out, struct ms_dwarf *dwarf,
                                    struct ms_error *err)
{
    struct ms_aranges aranges;
    uint64_t low, high;
    bool ascending = true;
    memset(out, 0, sizeof *out);
    ms_aranges_start(&aranges, dwarf, NULL);
    while (ms_aranges_next(&aranges, &low, &high)) {
        struct ms_range_of_unit range = {aranges.unit_off, low, high};
        if (ms_dwarf_trust(dwarf, low) == MS_TRUST_NONE)
            continue;
        ascending &= !out->n || by_unit_and_low(&out->items[out->n - 1], &range) <= 0;
        if (!MS_PUSH(out->items, out->n, out->room, range)) {
            ms_named_ranges_fini(out);
            return ms_fail_memory(err);
        }
    }
    if (!ascending)
        qsort(out->items, out->n, sizeof *out->items, by_unit_and_low);
    return MS_OK;
}

void ms_named_ranges_fini(struct ms_named_ranges *named)
{
    free(named->items);
    memset(named, 0, sizeof *named);
}

/* The first range of the unit, or of one behind it. */
static size_t first_named(const struct ms_named_ranges *named, uint64_t unit_off)
{
    size_t from = 0, n = named->n;
    while (n) {
        size_t half = n / 2;
        if (named->items[from + half].unit_off < unit_off) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

/* ---- where answers change -------------------------------------------------------------------- */

static bool add_bound(struct bounds *b, uint64_t address)
{
    if (b->n && b->items[b->n - 1] == address)
        return true;
    return MS_PUSH(b->items, b->n, b->room, address);
}

/* False without memory. */
static bool sort_bounds(struct ms_piece_maker *m, struct bounds *b)
{
    if (m->scratch_room < b->n) {
        free(m->scratch);
        m->scratch = malloc(b->room * sizeof *m->scratch);
        m->scratch_room = m->scratch ? b->room : 0;
        if (!m->scratch)
            return false;
    }
    ms_sort_u64(b->items, m->scratch, b->n);
    b->n = ms_unique_u64(b->items, b->n);
    return true;
}

static bool take_function_range(void *owner, const struct ms_unit *unit, uint64_t die_off,
                                uint64_t low, uint64_t high)
{
    struct ms_piece_maker *m = owner;
    (void)unit;
    (void)die_off;
    return add_bound(&m->functions, low) && add_bound(&m->functions, high);
}

/* How far a range is believed changes where code sections start and end. */
static bool add_code_bounds(struct bounds *b, const struct ms_dwarf *dwarf)
{
    for (size_t i = 0; i < dwarf->s.n_code; i++)
        if (!add_bound(b, dwarf->s.code[i].low) || !add_bound(b, dwarf->s.code[i].high))
            return false;
    return true;
}

static bool add_stretch_bounds(struct bounds *b, const struct stretches *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (!add_bound(b, s->items[i].low) || !add_bound(b, s->items[i].high))
            return false;
    return true;
}

/* ---- which addresses are the unit's ---------------------------------------------------------- */

static int by_low(const void *a, const void *b)
{
    const struct ms_dwarf_range *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Sorts, and joins what overlaps or touches. */
static void join_stretches(struct stretches *s)
{
    size_t kept = 0;
    qsort(s->items, s->n, sizeof *s->items, by_low);
    for (size_t i = 0; i < s->n; i++) {
        struct ms_dwarf_range *last = kept ? &s->items[kept - 1] : NULL;
        if (last && s->items[i].low <= last->high)
            last->high = s->items[i].high > last->high ? s->items[i].high : last->high;
        else
            s->items[kept++] = s->items[i];
    }
    s->n = kept;
}

/* A range that starts outside the code has only what lies outside it, so it may be cut. */
static bool add_stretch(struct stretches *s, const struct ms_dwarf *dwarf, uint64_t low,
                        uint64_t high)
{
    enum ms_trust trust = ms_dwarf_trust(dwarf, low);
    if (trust == MS_TRUST_NONE || low >= high)
        return true;
    if (trust == MS_TRUST_OUTSIDE)
        for (size_t i = 0; i < dwarf->s.n_code; i++)
            if (dwarf->s.code[i].low >= low && dwarf->s.code[i].low < high) {
                struct ms_dwarf_range before = {low, dwarf->s.code[i].low};
                if (before.low < before.high && !MS_PUSH(s->items, s->n, s->room, before))
                    return false;
                low = dwarf->s.code[i].high;
                if (low >= high)
                    return true;
            }
    struct ms_dwarf_range range = {low, high};
    return MS_PUSH(s->items, s->n, s->room, range);
}

static bool take_cover(void *owner, const struct ms_unit *unit, uint64_t low, uint64_t high)
{
    struct ms_piece_maker *m = owner;
    return add_stretch(&m->covered, unit->dwarf, low, high);
}

static enum ms_status find_stretches(struct ms_piece_maker *m, const struct ms_unit *unit,
                                     struct ms_error *fault, struct ms_error *err)
{
    m->listed.n = m->covered.n = 0;
    for (size_t i = first_named(m->named, m->unit_off);
         i < m->named->n && m->named->items[i].unit_off == m->unit_off; i++)
        if (!add_stretch(&m->listed, unit->dwarf, m->named->items[i].low, m->named->items[i].high))
            return ms_fail_memory(err);
    enum ms_status status = ms_cover_unit(&m->lookup, unit, take_cover, m, err);
    if (m->lookup.error.status != MS_OK && fault->status == MS_OK)
        *fault = m->lookup.error;
    join_stretches(&m->listed);
    join_stretches(&m->covered);
    return status;
}

/* Goes along ascending addresses; *at moves on. True when the address lies in a stretch. */
static bool lies_in(const struct stretches *s, size_t *at, uint64_t address)
{
    while (*at < s->n && s->items[*at].high <= address)
        ++*at;
    return *at < s->n && s->items[*at].low <= address;
}

/* ---- asking the passes ------------------------------------------------------------------------
 */

static enum ms_status find_function_bounds(struct ms_piece_maker *m, const struct ms_unit *unit,
                                           struct ms_error *fault, struct ms_error *err)
{
    struct ms_error found;
    m->functions.n = 0;
    enum ms_status status =
        ms_lookup_pass(&m->lookup, unit, MS_SCAN_BOUNDS, take_function_range, m, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK && fault->status == MS_OK)
        *fault = found;
    if (!add_code_bounds(&m->functions, unit->dwarf) ||
        !add_stretch_bounds(&m->functions, &m->listed) ||
        !add_stretch_bounds(&m->functions, &m->covered) || !sort_bounds(m, &m->functions))
        return ms_fail_memory(err);
    return MS_OK;
}

static enum ms_status find_row_bounds(struct ms_piece_maker *m, struct ms_error *err)
{
    struct ms_line_state state = ms_line_state_at(0);
    m->rows.n = 0;
    while (ms_line_next(&m->lookup.machine, &state))
        if (!add_bound(&m->rows, state.address))
            return ms_fail_memory(err);
    if (!add_code_bounds(&m->rows, m->lookup.dwarf) || !sort_bounds(m, &m->rows))
        return ms_fail_memory(err);
    return MS_OK;
}

/* The rows of all addresses at which one starts or a sequence ends, into lookup.hits. */
static enum ms_status find_rows(struct ms_piece_maker *m, struct ms_error *err)
{
    struct ms_lookup *l = &m->lookup;
    struct ms_error found;
    enum ms_status status;
    m->rows.n = 0;
    if (!ms_lookup_open_lines(l, &status, err))
        return status;
    status = find_row_bounds(m, err);
    if (status != MS_OK)
        return status;
    if (!ms_lookup_make_rows(l, m->rows.n))
        return ms_fail_memory(err);
    l->budget.rows = (uint64_t)m->rows.n * 64 + 4096;
    status = ms_line_scan(&l->machine, m->rows.items, m->rows.n, l->hits, l->pending,
                          &l->budget.rows, &found);
    if (status != MS_OK && l->error.status == MS_OK)
        l->error = found;
    return MS_OK;
}

static bool grow_slots(struct ms_piece_maker *m)
{
    size_t n_files = m->lookup.has_lines ? m->lookup.files.n_files + 1 : 0;
    while (m->n_node_slots < m->lookup.scan.n_nodes) {
        struct node_slot none = {0, 0};
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

/* ---- making a piece ----------------------------------------------------------------------------
 */

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

/* The piece's number of a node of the scan; those that it is inlined into come before it. */
static uint32_t node_of(struct ms_piece_maker *m, uint32_t node)
{
    uint32_t chain[MS_MAX_INLINE_DEPTH + 1];
    size_t n = 0;
    uint32_t parent = MS_NO_PARENT;
    for (; node != MS_NO_NODE && n <= MS_MAX_INLINE_DEPTH;
         node = m->lookup.scan.nodes[node].parent) {
        if (m->node_slots[node].stamp == m->stamp) {
            parent = m->node_slots[node].node;
            break;
        }
        chain[n++] = node;
    }
    while (n--) {
        const struct ms_function *f = ms_lookup_function(&m->lookup, chain[n]);
        if (!f) {
            m->no_memory = true;
            return 0;
        }
        struct ms_piece_node made = {.linkage = f->linkage,
                                     .name = f->name,
                                     .start_vm = f->entry_vm,
                                     .has_start = f->has_entry,
                                     .parent = parent};
        if (parent != MS_NO_PARENT) {
            made.call_file = file_of(m, f->call_file);
            made.call_line = f->call_line;
            made.call_column = f->call_column;
        }
        if (!MS_PUSH(m->nodes, m->n_nodes, m->nodes_room, made)) {
            m->no_memory = true;
            return 0;
        }
        parent = (uint32_t)(m->n_nodes - 1);
        m->node_slots[chain[n]] = (struct node_slot){m->stamp, parent};
    }
    return parent;
}

static void start_piece(struct ms_piece_maker *m)
{
    if (!++m->stamp) /* the slots have been used 2^32 times: none may seem to be of this piece */
        m->stamp = 1;
    m->n_nodes = m->n_spans = m->n_out_rows = m->n_files = 0;
}

/* The row at rows.items[i] and behind, as far as it is below `high`. */
static void put_rows(struct ms_piece_maker *m, uint64_t low, uint64_t high, size_t *at)
{
    struct ms_piece_row last = {0, 0, 0, 0};
    while (*at + 1 < m->rows.n && m->rows.items[*at + 1] <= low)
        ++*at;
    for (size_t i = *at; i < m->rows.n && m->rows.items[i] < high; i++) {
        const struct ms_row_hit *hit = &m->lookup.hits[i];
        struct ms_piece_row row = {m->rows.items[i] > low ? m->rows.items[i] : low, 0, 0, 0};
        if (hit->high)
            row.file = file_of(m, hit->file);
        if (row.file) {
            row.line = hit->line;
            row.column = hit->column;
        }
        if (row.file == last.file && row.line == last.line && row.column == last.column)
            continue;
        if (!MS_PUSH(m->out_rows, m->n_out_rows, m->out_rows_room, row))
            m->no_memory = true;
        last = row;
    }
}

static bool hand_over(struct ms_piece_maker *m, uint64_t low, uint64_t high, uint64_t size,
                      uint8_t rank)
{
    struct ms_piece piece = {
        .low = low,
        .high = high,
        .source = MS_SOURCE_DWARF,
        .damaged = m->lookup.error.status != MS_OK,
        .nodes = m->nodes,
        .n_nodes = m->n_nodes,
        .spans = m->spans,
        .n_spans = m->n_spans,
        .rows = m->out_rows,
        .n_rows = m->n_out_rows,
        .files = m->files,
        .n_files = m->n_files,
    };
    struct ms_piece_claim claim = {m->unit_off, size, rank};
    if (!m->no_memory && (piece.n_nodes || piece.n_rows))
        m->no_memory = !m->take(m->owner, &piece, &claim);
    return !m->no_memory;
}

/* What holds the stretch from bound i of the functions on. */
struct holder {
    uint64_t size;
    uint32_t root;
    uint8_t rank; /* 2: the unit doesn't have it */
};

static bool same_holder(struct holder a, struct holder b)
{
    return a.size == b.size && a.root == b.root && a.rank == b.rank;
}

/* Which stretch of the unit's each bound was last found in. */
struct walk {
    size_t listed, covered, row;
};

static struct holder holder_at(const struct ms_piece_maker *m, struct walk *walk, size_t i)
{
    const struct ms_claim *claim = &m->lookup.scan.claims[i];
    uint64_t address = m->functions.items[i];
    struct holder out = {claim->size, claim->size ? claim->root : MS_NO_NODE, 2};
    if (lies_in(&m->listed, &walk->listed, address))
        out.rank = 0;
    else if (lies_in(&m->covered, &walk->covered, address))
        out.rank = 1;
    return out;
}

static bool make_pieces(struct ms_piece_maker *m)
{
    const struct bounds *b = &m->functions;
    struct walk walk = {0, 0, 0};
    struct holder holder = b->n ? holder_at(m, &walk, 0) : (struct holder){0, 0, 2};
    for (size_t i = 0, end; i + 1 < b->n; i = end) {
        struct holder first = holder;
        start_piece(m);
        for (end = i; end + 1 < b->n && same_holder(holder, first); end++) {
            if (first.size && first.rank < 2) {
                uint32_t node = node_of(m, m->lookup.scan.claims[end].node);
                struct ms_piece_span span = {b->items[end], node};
                if ((!m->n_spans || m->spans[m->n_spans - 1].node != node) &&
                    !MS_PUSH(m->spans, m->n_spans, m->spans_room, span))
                    m->no_memory = true;
            }
            holder = holder_at(m, &walk, end + 1);
        }
        if (first.rank == 2)
            continue;
        put_rows(m, b->items[i], b->items[end], &walk.row);
        if (!hand_over(m, b->items[i], b->items[end], first.size, first.rank))
            return false;
    }
    return true;
}

/* ---- a unit
 * -------------------------------------------------------------------------------------- */

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
    free(m->functions.items);
    free(m->rows.items);
    free(m->scratch);
    free(m->listed.items);
    free(m->covered.items);
    free(m->nodes);
    free(m->spans);
    free(m->out_rows);
    free(m->files);
    free(m->file_slots);
    free(m->node_slots);
    free(m);
}

static enum ms_status run_unit(struct ms_piece_maker *m, const struct ms_unit *unit,
                               struct ms_error *fault, struct ms_error *err)
{
    struct ms_lookup *l = &m->lookup;
    enum ms_status status = find_stretches(m, unit, fault, err);
    if (status != MS_OK || (!m->listed.n && !m->covered.n))
        return status;
    status = find_function_bounds(m, unit, fault, err);
    if (status == MS_OK)
        status = ms_lookup_start(l, unit, m->functions.items, m->functions.n, err);
    if (status != MS_OK)
        return status;
    l->error = *fault;
    l->budget.claims = (uint64_t)m->functions.n * MS_MAX_INLINE_DEPTH + 4096;
    if (m->functions.n)
        status = ms_lookup_functions(l, unit->header.root, UINT64_MAX, err);
    if (status == MS_OK)
        status = find_rows(m, err);
    if (status == MS_OK && (!grow_slots(m) || !make_pieces(m)))
        status = ms_fail_memory(err);
    *fault = l->error;
    return status;
}

enum ms_status ms_piece_maker_run(struct ms_piece_maker *m, uint64_t unit_off, ms_piece_taker take,
                                  void *owner, struct ms_error *fault, struct ms_error *err)
{
    struct ms_unit_header header;
    struct ms_unit unit;
    m->take = take;
    m->owner = owner;
    m->unit_off = unit_off;
    m->no_memory = false;
    fault->status = MS_OK;
    struct ms_error found;
    enum ms_status status = ms_unit_header_read(m->lookup.dwarf, false, unit_off, &header, &found);
    if (status == MS_OK)
        status = ms_unit_open(m->lookup.dwarf, &header, &unit, &found);
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    if (status != MS_OK) {
        *fault = found;
        return MS_OK;
    }
    return run_unit(m, &unit, fault, err);
}
