/*
 * macho/codesign_requirement.c: requirements: expressions in prefix form, written out in the
 * language that csreq(1) reads and codesign prints. One pass over the bytes; what can't be read
 * costs its requirement, no other.
 */
#include "macho/codesign.h"

#include "base/text.h"

#include <ctype.h>
#include <stdio.h>

#define FLAG_MASK 0xff000000u
#define FLAG_FALSE 0x80000000u /* an unknown operation counts as false */
#define FLAG_SKIP 0x40000000u  /* an unknown operation is left out */

enum { PRIMARY, AND, OR, TOP_LEVEL }; /* precedence: what binds less needs parentheses */

/* What follows an operation, by letter; see run_step. */
static const struct op {
    uint32_t op;
    const char *form;
} OPS[] = {
    {0, "never"},
    {1, "always"},
    {2, "identifier $d"},
    {3, "anchor apple"},
    {4, "certificate$c = $h"},
    {5, "info[$.] = $d"},
    {8, "cdhash $h"},
    {10, "info[$.]$m"},
    {11, "certificate$c[$.]$m"},
    {12, "certificate$c trusted"},
    {13, "anchor trusted"},
    {14, "certificate$c[field.$o]$m"},
    {15, "anchor apple generic"},
    {16, "entitlement[$.]$m"},
    {17, "certificate$c[policy.$o]$m"},
    {18, "anchor apple $d"},
    {19, "($d)"},
    {20, "platform = $n"},
    {21, "notarized"},
    {22, "certificate$c[timestamp.$o]$m"},
    {23, "legacy"},
};
enum { OP_AND = 6, OP_OR = 7, OP_NOT = 9 };

static const struct {
    const char *before, *after;
    bool has_data, is_time;
} MATCHES[] = {
    {" /* exists */", "", false, false},
    {" = ", "", true, false},
    {" ~ ", "", true, false},
    {" = ", "*", true, false},
    {" = *", "", true, false},
    {" < ", "", true, false},
    {" > ", "", true, false},
    {" <= ", "", true, false},
    {" >= ", "", true, false},
    {" = ", "", false, true},
    {" < ", "", false, true},
    {" > ", "", false, true},
    {" <= ", "", false, true},
    {" >= ", "", false, true},
    {" absent ", "", false, false},
};

struct printer {
    struct ms_cursor c;
    struct ms_text *text;
    const char *fault; /* what can't be read; NULL = all is well */
    uint64_t fault_off;
};

static void fault(struct printer *p, uint64_t off, const char *what)
{
    if (p->fault)
        return;
    p->fault = what;
    p->fault_off = off;
    ms_cursor_spoil(&p->c);
}

/* u32 length, bytes, padding to 4. */
static struct ms_bytes read_data(struct printer *p)
{
    uint32_t n = ms_cursor_u32(&p->c);
    struct ms_bytes data = ms_cursor_bytes(&p->c, n);
    ms_cursor_skip(&p->c, (4 - n % 4) % 4);
    return data;
}

static void put_hex(struct printer *p, struct ms_bytes data)
{
    for (size_t i = 0; i < data.n; i++)
        ms_text_printf(p->text, "%02x", data.at[i]);
}

/* A word where it is one, a quoted string where it can be printed, else hexadecimal. */
static void put_data(struct printer *p, struct ms_bytes data, bool dots)
{
    bool simple = data.n && isalpha(data.at[0]), printable = true;
    for (size_t i = 0; i < data.n; i++) {
        unsigned char c = data.at[i];
        simple = simple && c < 0x80 && (isalnum(c) || (dots && c == '.'));
        printable = printable && ((c >= 0x20 && c < 0x7f) || c >= 0xa0);
    }
    if (simple) {
        ms_text_add(p->text, (const char *)data.at, data.n);
    } else if (printable) {
        ms_text_putc(p->text, '"');
        for (size_t i = 0; i < data.n; i++) {
            if (data.at[i] == '"' || data.at[i] == '\\')
                ms_text_putc(p->text, '\\');
            ms_text_putc(p->text, (char)data.at[i]);
        }
        ms_text_putc(p->text, '"');
    } else {
        ms_text_puts(p->text, "0x");
        put_hex(p, data);
    }
}

static void put_slot(struct printer *p)
{
    int32_t slot = (int32_t)ms_cursor_u32(&p->c);
    if (slot == 0)
        ms_text_puts(p->text, " leaf");
    else if (slot == -1)
        ms_text_puts(p->text, " root");
    else
        ms_text_printf(p->text, " %d", (int)slot);
}

static void put_oid(struct printer *p, struct ms_bytes oid)
{
    uint64_t value = 0;
    bool first = true;
    for (size_t i = 0; i < oid.n; i++) {
        if (value >> 56)
            fault(p, ms_cursor_offset(&p->c), "an object identifier with a number too large");
        value = value << 7 | (oid.at[i] & 0x7f);
        if (oid.at[i] & 0x80)
            continue;
        if (first) {
            unsigned top = value < 40 ? 0 : value < 80 ? 1 : 2;
            ms_text_printf(p->text, "%u.", top);
            value -= 40 * top;
        }
        ms_text_printf(p->text, "%s%llu", first ? "" : ".", (unsigned long long)value);
        first = false;
        value = 0;
    }
}

static void put_match(struct printer *p)
{
    uint64_t off = ms_cursor_offset(&p->c);
    uint32_t match = ms_cursor_u32(&p->c);
    if (match >= sizeof MATCHES / sizeof *MATCHES) {
        fault(p, off, "an unknown kind of match");
        return;
    }
    ms_text_puts(p->text, MATCHES[match].before);
    if (MATCHES[match].has_data)
        put_data(p, read_data(p), true);
    if (MATCHES[match].is_time)
        ms_text_printf(p->text, "timestamp %lld", (long long)ms_cursor_u64(&p->c));
    ms_text_puts(p->text, MATCHES[match].after);
}

static void run_step(struct printer *p, char step)
{
    switch (step) {
    case 'd':
        put_data(p, read_data(p), false);
        break;
    case '.':
        put_data(p, read_data(p), true);
        break;
    case 'h':
        ms_text_puts(p->text, "H\"");
        put_hex(p, read_data(p));
        ms_text_puts(p->text, "\"");
        break;
    case 'c':
        put_slot(p);
        break;
    case 'o':
        put_oid(p, read_data(p));
        break;
    case 'm':
        put_match(p);
        break;
    case 'n':
        ms_text_printf(p->text, "%d", (int)(int32_t)ms_cursor_u32(&p->c));
    }
}

static void put_op(struct printer *p, uint32_t op, uint64_t off)
{
    uint32_t plain = op & ~FLAG_MASK;
    for (size_t i = 0; i < sizeof OPS / sizeof *OPS; i++) {
        if (OPS[i].op != plain)
            continue;
        for (const char *c = OPS[i].form; *c; c++) {
            if (*c == '$')
                run_step(p, *++c);
            else
                ms_text_putc(p->text, *c);
        }
        return;
    }
    if (op & (FLAG_FALSE | FLAG_SKIP)) {
        (void)read_data(p);
        ms_text_printf(p->text, op & FLAG_FALSE ? "false /* opcode %u */" : "/* opcode %u */",
                       (unsigned)plain);
    } else {
        fault(p, off, "an unknown operation");
    }
}

static void put_expression(struct printer *p, int level, unsigned depth)
{
    uint64_t off = ms_cursor_offset(&p->c);
    uint32_t op = ms_cursor_u32(&p->c);
    if (p->c.bad || p->text->failed) {
        fault(p, off, "ends within an expression");
        return;
    }
    if (depth >= MS_CS_MAX_EXPRESSION) {
        fault(p, off, "expressions within expressions, too deep");
        return;
    }
    int mine = op == OP_AND ? AND : op == OP_OR ? OR : PRIMARY;
    if (op == OP_NOT) {
        ms_text_puts(p->text, "! ");
        put_expression(p, PRIMARY, depth + 1);
    } else if (mine == PRIMARY) {
        put_op(p, op, off);
    } else {
        ms_text_puts(p->text, level < mine ? "(" : "");
        put_expression(p, mine, depth + 1);
        ms_text_puts(p->text, mine == AND ? " and " : " or ");
        put_expression(p, mine, depth + 1);
        ms_text_puts(p->text, level < mine ? ")" : "");
    }
}

/* One requirement blob at `off` of the slice. */
static enum ms_status read_one(struct ms_cs_work *w, struct ms_bytes blob, uint64_t off,
                               const char **out, struct ms_error *err)
{
    struct ms_text text;
    struct printer p = {ms_cursor_over(blob, true), &text, NULL, 0};
    ms_text_init(&text, MS_CS_MAX_TEXT);
    uint32_t magic = ms_cursor_u32(&p.c);
    ms_cursor_skip(&p.c, 4);
    uint32_t kind = ms_cursor_u32(&p.c);
    if (magic != (uint32_t)MS_CSMAGIC_REQUIREMENT)
        fault(&p, 0, "starts with another magic than 0xfade0c00");
    else if (kind != 1)
        fault(&p, 8, "is of an unknown kind");
    else
        put_expression(&p, TOP_LEVEL, 0);
    if (p.c.bad)
        fault(&p, blob.n, "ends within an expression");
    enum ms_status status = ms_text_check(&text, err);
    if (status == MS_E_LIMIT) {
        fault(&p, 0, "is too long as text");
        status = MS_OK;
    }
    if (p.fault) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, off + p.fault_off, "a requirement: %s",
                      p.fault);
    } else if (status == MS_OK) {
        *out = ms_arena_copy(&w->arena, text.at ? text.at : "", text.n);
        status = *out ? MS_OK : ms_fail_memory(err);
    }
    ms_text_fini(&text);
    return status;
}

enum ms_status ms_cs_read_requirements(struct ms_cs_work *w, const struct ms_cs_blob *blob,
                                       struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(blob->bytes, true);
    ms_cursor_skip(&c, 8);
    uint32_t count = ms_cursor_u32(&c);
    w->sign.has_requirements = true;
    if (c.bad || count > MS_CS_MAX_REQUIREMENTS || count > ms_cursor_left(&c) / 8) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, blob->off + 8,
                      "%u requirements in a blob of %zu bytes (at most %d are read)",
                      (unsigned)count, blob->bytes.n, MS_CS_MAX_REQUIREMENTS);
        return MS_OK;
    }
    struct ms_cs_requirement *items = ms_arena_zeroed(&w->arena, (size_t)count + 1, sizeof *items);
    if (!items)
        return ms_fail_memory(err);
    w->sign.requirements = items;
    w->sign.n_requirements = count;
    enum ms_status status = MS_OK;
    for (uint32_t i = 0; i < count && status == MS_OK; i++) {
        uint64_t entry_off = blob->off + ms_cursor_offset(&c);
        items[i].type = ms_cursor_u32(&c);
        uint32_t off = ms_cursor_u32(&c);
        struct ms_bytes head, part;
        uint32_t n = ms_bytes_part(blob->bytes, off, 8, &head) ? ms_load_u32(head.at + 4, true) : 0;
        if (n < 12 || !ms_bytes_part(blob->bytes, off, n, &part))
            (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, entry_off,
                          "a requirement of %u bytes at 0x%x of a blob of %zu", (unsigned)n,
                          (unsigned)off, blob->bytes.n);
        else
            status = read_one(w, part, blob->off + off, &items[i].text, err);
    }
    return status;
}
