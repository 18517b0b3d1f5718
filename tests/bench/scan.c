/*
 * scan FILE [ARCH [ROUNDS]]: how near the engine's passes are to what this machine can do.
 *
 * Four jobs in turn, ROUNDS times, each over all units of a file, single-threaded, storing nothing
 * that is not asked for; times are the CPU of this thread alone, and the first round is dropped:
 *
 *   dies.engine  the look-up's pass over the DIEs, asked for some addresses of each unit
 *   dies.plain   a walk over the same DIEs that knows how to skip them and counts them, no more
 *   rows.engine  the look-up's pass over the line programs, with their tables of files
 *   rows.plain   a loop that runs the same programs and counts rows, no more
 *
 * Prints one line a job: name, bytes of the section, DIEs or rows, median of the rounds in ns.
 * The plain ones check their bounds, as every reader of files must. They are no part of the engine,
 * and use nothing of it but the bytes.
 */
#include "dwarf/lookup.h"
#include "dwarf/reader.h"
#include "resolve/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ADDRESSES = 32, MOST_ROUNDS = 99 }; /* of each unit */

static void die(const char *what)
{
    fprintf(stderr, "scan: %s\n", what);
    exit(3);
}

/* ---- the plain walk over DIEs -------------------------------------------------------------- */

/* What a form is passed by with: so many bytes, or one of these. */
enum { LEB = 100, STRING, BLOCK1, BLOCK2, BLOCK4, BLOCK, ADDRESS, OFFSET, REFERENCE, UNKNOWN };

static const uint8_t forms[0x30] = {
    [0x01] = ADDRESS, [0x03] = BLOCK2, [0x04] = BLOCK4, [0x05] = 2,      [0x06] = 4,
    [0x07] = 8,       [0x08] = STRING, [0x09] = BLOCK,  [0x0a] = BLOCK1, [0x0b] = 1,
    [0x0c] = 1,       [0x0d] = LEB,    [0x0e] = OFFSET, [0x0f] = LEB,    [0x10] = REFERENCE,
    [0x11] = 1,       [0x12] = 2,      [0x13] = 4,      [0x14] = 8,      [0x15] = LEB,
    [0x16] = UNKNOWN, [0x17] = OFFSET, [0x18] = BLOCK,  [0x1a] = LEB,    [0x1b] = LEB,
    [0x1c] = 4,       [0x1d] = OFFSET, [0x1e] = 16,     [0x1f] = OFFSET, [0x20] = 8,
    [0x22] = LEB,     [0x23] = LEB,    [0x24] = 8,      [0x25] = 1,      [0x26] = 2,
    [0x27] = 3,       [0x28] = 4,      [0x29] = 1,      [0x2a] = 2,      [0x2b] = 3,
    [0x2c] = 4,
};

/* Skip so many bytes, then what `then` says; 0 ends. */
struct step {
    uint16_t skip;
    uint8_t then;
};

struct abbrev {
    uint32_t first; /* index of its first step; 0 = none of this code */
    bool children;
};

static struct {
    uint64_t off; /* of the table that is here; UINT64_MAX = none */
    unsigned version, address, offset;
    struct abbrev items[1 << 16];
    struct step steps[1 << 20];
    size_t n_steps;
} table = {.off = UINT64_MAX};

struct reader {
    const uint8_t *at, *end;
};

static uint64_t number(struct reader *r, unsigned bytes)
{
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes)
        die("a section ends in a number");
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)r->at[i] << 8 * i;
    r->at += bytes;
    return value;
}

static uint64_t leb(struct reader *r)
{
    uint64_t value = 0;
    for (unsigned shift = 0; r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        value |= shift < 64 ? (uint64_t)(byte & 0x7f) << shift : 0;
        if (byte < 0x80)
            return value;
    }
    die("a section ends in a number");
    return 0;
}

static void add_step(unsigned skip, unsigned then)
{
    if (table.n_steps == sizeof table.steps / sizeof *table.steps)
        die("too many abbreviations for the plain walk");
    table.steps[table.n_steps++] = (struct step){(uint16_t)skip, (uint8_t)then};
}

static void read_abbrev(struct reader *r, struct abbrev *abbrev)
{
    leb(r);
    *abbrev = (struct abbrev){(uint32_t)table.n_steps, number(r, 1) != 0};
    unsigned skip = 0;
    for (;;) {
        uint64_t attribute = leb(r), form = leb(r);
        if (!attribute && !form)
            break;
        unsigned then = form == 0x19 ? 0 : form < sizeof forms ? forms[form] : UNKNOWN;
        if (form == 0x21) /* implicit: nothing in the DIE */
            leb(r);
        then = then == ADDRESS ? table.address : then == OFFSET ? table.offset : then;
        if (then == REFERENCE)
            then = table.version < 3 ? table.address : table.offset;
        if (then == UNKNOWN || (!then && form != 0x19 && form != 0x21))
            die("a form that the plain walk does not know");
        if (then < LEB && skip + then < UINT16_MAX) {
            skip += then;
            continue;
        }
        add_step(skip, then);
        skip = 0;
    }
    add_step(skip, 0);
}

static void read_table(struct ms_bytes section, uint64_t off)
{
    if (off > section.n)
        die("abbreviations outside their section");
    struct reader r = {section.at + off, section.at + section.n};
    memset(table.items, 0, sizeof table.items);
    table.n_steps = 1;
    table.off = off;
    for (uint64_t code; (code = leb(&r)) != 0;) {
        if (code >= sizeof table.items / sizeof *table.items)
            die("too many abbreviations for the plain walk");
        read_abbrev(&r, &table.items[code]);
    }
}

/* Past the value, or past the end. */
static const uint8_t *pass(const uint8_t *at, const uint8_t *end, unsigned then)
{
    struct reader r = {at, end};
    uint64_t n;
    if (then == LEB) {
        while (at < end && *at >= 0x80)
            at++;
        return at + 1;
    }
    if (then == STRING) {
        const uint8_t *nul = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
        return nul ? nul + 1 : end + 1;
    }
    n = then == BLOCK ? leb(&r) : number(&r, then == BLOCK1 ? 1 : then == BLOCK2 ? 2 : 4);
    return n <= (size_t)(end - r.at) ? r.at + n : end + 1;
}

static uint64_t walk_unit(const uint8_t *at, const uint8_t *end)
{
    uint64_t n = 0;
    while (at < end) {
        unsigned code = *at++;
        if (!code)
            continue;
        if (code >= 0x80 && at < end && *at < 0x80) {
            code = (code & 0x7f) | (unsigned)*at++ << 7;
        } else if (code >= 0x80) {
            struct reader r = {at - 1, end};
            uint64_t wide = leb(&r);
            code = wide < sizeof table.items / sizeof *table.items ? (unsigned)wide : 0;
            at = r.at;
        }
        const struct abbrev *abbrev = &table.items[code];
        if (!abbrev->first)
            die("a DIE without abbreviation");
        n++;
        for (const struct step *step = &table.steps[abbrev->first];; step++) {
            if ((size_t)(end - at) < step->skip)
                die("a DIE runs past its unit");
            at += step->skip;
            if (!step->then)
                break;
            at = step->then < LEB ? at + step->then : pass(at, end, step->then);
            if (at > end)
                die("a DIE runs past its unit");
        }
    }
    return n;
}

static uint64_t plain_dies(const struct ms_dwarf_sections *s)
{
    struct reader r = {s->info.at, s->info.at + s->info.n};
    uint64_t n = 0;
    while (r.at < r.end) {
        unsigned offset = 4, type = 0;
        uint64_t length = number(&r, 4);
        if (length == UINT32_MAX)
            length = number(&r, offset = 8);
        if (length > (size_t)(r.end - r.at))
            die("a unit runs past its section");
        const uint8_t *end = r.at + length;
        unsigned version = (unsigned)number(&r, 2);
        type = version >= 5 ? (unsigned)number(&r, 1) : 1;
        unsigned address = version >= 5 ? (unsigned)number(&r, 1) : 0;
        uint64_t off = number(&r, offset);
        address = version >= 5 ? address : (unsigned)number(&r, 1);
        if (type != 1 && type != 3)
            die("a unit that the plain walk does not know");
        if (off != table.off || version != table.version || address != table.address ||
            offset != table.offset) {
            table.version = version;
            table.address = address;
            table.offset = offset;
            read_table(s->abbrev, off);
        }
        n += walk_unit(r.at, end);
        r.at = end;
    }
    return n;
}

/* ---- the plain loop over line programs ----------------------------------------------------- */

struct lines {
    unsigned min, range, base; /* of the header */
    int line_base;
    const uint8_t *lengths; /* operands of the standard opcodes */
};

/* Registers that nobody reads would not be computed. */
static volatile uint64_t kept;

static uint64_t run_lines(const struct lines *l, struct reader r)
{
    uint64_t n = 0, address = 0, line = 1, column = 0, file = 1, sum = 0;
    struct {
        uint16_t advance;
        int16_t line;
    } special[256] = {{0, 0}};
    for (unsigned i = l->base; i < 256; i++) {
        special[i].advance = (uint16_t)((i - l->base) / l->range * l->min);
        special[i].line = (int16_t)(l->line_base + (int)((i - l->base) % l->range));
    }
    while (r.at < r.end) {
        unsigned opcode = *r.at++;
        if (opcode >= l->base) {
            address += special[opcode].advance;
            line += (uint64_t)(int64_t)special[opcode].line;
            sum += address ^ line ^ column ^ file;
            n++;
        } else if (opcode == 5) {
            column = leb(&r);
        } else if (opcode == 3) {
            const uint8_t *from = r.at;
            uint64_t value = leb(&r), bits = 7 * (uint64_t)(r.at - from);
            line += bits < 64 && r.at[-1] & 0x40 ? value | ~0ULL << bits : value;
        } else if (opcode == 2) {
            address += leb(&r) * l->min;
        } else if (opcode == 1) {
            sum += address ^ line ^ column ^ file;
            n++;
        } else if (opcode == 4) {
            file = leb(&r);
        } else if (opcode == 8) {
            address += special[255].advance;
        } else if (opcode == 9) {
            address += number(&r, 2);
        } else if (opcode == 0) {
            uint64_t length = leb(&r);
            if (!length || length > (size_t)(r.end - r.at))
                die("a line program ends in an opcode");
            const uint8_t *end = r.at + length;
            unsigned extended = *r.at++;
            if (extended == 2 && length == 9)
                address = number(&r, 8);
            n += extended == 1;
            if (extended == 1)
                address = column = 0, line = file = 1;
            r.at = end;
        } else {
            for (unsigned i = 0; i < l->lengths[opcode - 1]; i++)
                leb(&r);
        }
    }
    kept = sum;
    return n;
}

static uint64_t plain_rows(const struct ms_dwarf_sections *s)
{
    struct reader r = {s->line.at, s->line.at + s->line.n};
    uint64_t n = 0;
    while (r.at < r.end) {
        unsigned offset = 4;
        uint64_t length = number(&r, 4);
        if (length == UINT32_MAX)
            length = number(&r, offset = 8);
        if (length > (size_t)(r.end - r.at))
            die("a line table runs past its section");
        struct reader whole = {r.at, r.at + length};
        r.at = whole.end;
        unsigned version = (unsigned)number(&whole, 2);
        if (version >= 5)
            number(&whole, 2);
        uint64_t header = number(&whole, offset);
        struct reader program = {whole.at, whole.end};
        if (header > (size_t)(whole.end - whole.at))
            die("a line table's header runs past it");
        program.at += header;
        struct lines l = {.min = (unsigned)number(&whole, 1)};
        number(&whole, version >= 4 ? 2 : 1);
        l.line_base = (int8_t)number(&whole, 1);
        l.range = (unsigned)number(&whole, 1);
        l.base = (unsigned)number(&whole, 1);
        l.lengths = whole.at;
        if (!l.range || !l.base || (size_t)(whole.end - whole.at) < l.base - 1)
            die("a line table's header that makes no sense");
        n += run_lines(&l, program);
    }
    return n;
}

/* ---- the engine's passes ------------------------------------------------------------------- */

/* A unit, and some addresses of its functions. */
struct asked {
    struct ms_unit unit;
    uint64_t addresses[ADDRESSES];
    size_t n, n_seen;
};

struct job {
    struct ms_lookup lookup;
    struct asked *units;
    size_t n_units;
};

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Keeps some of the functions' middles, spread over the unit. */
static bool take(void *owner, const struct ms_unit *unit, uint64_t die_off, uint64_t low,
                 uint64_t high)
{
    struct asked *asked = owner;
    (void)unit;
    (void)die_off;
    size_t slot = asked->n_seen++;
    if (slot >= ADDRESSES)
        slot = (size_t)(asked->n_seen * 2654435761u % (1 << 20) * asked->n_seen >> 20);
    if (slot < ADDRESSES)
        asked->addresses[slot] = low + (high - low) / 2;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void choose(struct job *job, struct asked *asked)
{
    struct ms_error err;
    if (ms_lookup_pass(&job->lookup, &asked->unit, MS_SCAN_COLLECT, take, asked, &err) != MS_OK)
        die(err.text);
    size_t n = asked->n_seen < ADDRESSES ? asked->n_seen : ADDRESSES;
    qsort(asked->addresses, n, sizeof *asked->addresses, by_value);
    for (size_t i = 0; i < n; i++) {
        if (!asked->n || asked->addresses[i] != asked->addresses[asked->n - 1])
            asked->addresses[asked->n++] = asked->addresses[i];
    }
}

static void prepare(struct job *job, struct ms_dwarf *dwarf)
{
    struct ms_unit_walk walk = {dwarf, false, 0};
    struct ms_unit_header header;
    struct ms_error err;
    ms_lookup_init(&job->lookup, dwarf, 1 << 24);
    for (enum ms_status status; (status = ms_unit_walk_next(&walk, &header, &err)) != MS_ABSENT;) {
        struct asked *grown = realloc(job->units, (job->n_units + 1) * sizeof *grown);
        if (!grown)
            die("out of memory");
        job->units = grown;
        memset(&grown[job->n_units], 0, sizeof *grown);
        if (status != MS_OK ||
            ms_unit_open(dwarf, &header, &grown[job->n_units].unit, &err) != MS_OK)
            die(err.text);
        choose(job, &grown[job->n_units++]);
    }
}

static long long engine(struct job *job, struct ms_dwarf *dwarf, bool dies)
{
    struct ms_lookup *l = &job->lookup;
    struct ms_error err;
    l->budget = ms_budget_for(dwarf, 1 << 24);
    long long begin = now_ns();
    for (size_t i = 0; i < job->n_units; i++) {
        const struct asked *asked = &job->units[i];
        enum ms_status status = ms_lookup_start(l, &asked->unit, asked->addresses, asked->n, &err);
        if (status == MS_OK && dies) {
            status = ms_lookup_functions(l, asked->unit.header.root, UINT64_MAX, &err);
        } else if (status == MS_OK && ms_lookup_open_lines(l, &status, &err)) {
            status = ms_line_scan(&l->machine, l->scan.addresses, l->scan.n, l->hits, l->pending,
                                  &l->budget.rows, &err);
        }
        if (status != MS_OK || l->error.status != MS_OK)
            die(status != MS_OK ? err.text : l->error.text);
    }
    return now_ns() - begin;
}

/* ---- rounds -------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    const long long *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static long long plain(uint64_t (*run)(const struct ms_dwarf_sections *),
                       const struct ms_dwarf_sections *sections, uint64_t *n)
{
    long long begin = now_ns();
    *n = run(sections);
    return now_ns() - begin;
}

int main(int argc, char **argv)
{
    static long long ns[4][MOST_ROUNDS];
    static const char *const names[] = {"dies.engine", "dies.plain", "rows.engine", "rows.plain"};
    struct ms_image_choice choice = {.no_companion = true};
    struct ms_image *image;
    struct ms_error err;
    struct job job = {0};
    if (argc < 2)
        die("usage: scan FILE [ARCH [ROUNDS]]");
    choice.path = argv[1];
    choice.arch = argc > 2 ? argv[2] : NULL;
    int rounds = argc > 3 ? atoi(argv[3]) : 5;
    rounds = rounds < 1 ? 1 : rounds > MOST_ROUNDS ? MOST_ROUNDS : rounds;
    if (ms_image_open(&choice, &image, &err) != MS_OK)
        die(err.text);
    struct ms_dwarf *dwarf = ms_image_dwarf(image);
    if (!dwarf || image->dwarf.sections.big)
        die(dwarf ? "big-endian: not for the plain loops" : "no DWARF");
    const struct ms_dwarf_sections *sections = &image->dwarf.sections;
    uint64_t n_dies = 0, n_rows = 0;
    prepare(&job, dwarf);
    for (int i = -1; i < rounds; i++) {
        int at = i < 0 ? 0 : i; /* the first is written over */
        ns[0][at] = engine(&job, dwarf, true);
        ns[1][at] = plain(plain_dies, sections, &n_dies);
        ns[2][at] = engine(&job, dwarf, false);
        ns[3][at] = plain(plain_rows, sections, &n_rows);
    }
    for (int i = 0; i < 4; i++) {
        qsort(ns[i], (size_t)rounds, sizeof ns[i][0], by_time);
        printf("%s %zu %llu %lld\n", names[i], i < 2 ? sections->info.n : sections->line.n,
               (unsigned long long)(i < 2 ? n_dies : n_rows), ns[i][rounds / 2]);
    }
    ms_lookup_fini(&job.lookup);
    free(job.units);
    ms_image_close(image);
    return 0;
}
