/*
 * macho/fixups_binds.c: which slots opcodes and relocations bind. Both are streams that only
 * mean something from their start on, so all of it becomes one table of slots, sorted, which
 * refers to what they are bound to.
 */
#include "macho/fixups_binds.h"

#include "base/array.h"
#include "base/cursor.h"
#include "macho/commands.h"
#include "macho/fixups_chains.h"
#include "macho/names.h"

#include <stdlib.h>

enum {
    MAX_BINDS = 1 << 22, /* slots; real: 300,000 in the largest frameworks */
    RELOCATION_BYTES = 8,
    MH_SPLIT_SEGS = 0x20,
    VM_PROT_WRITE = 2,
    N_WEAK_REF = 0x40,
    S_NON_LAZY_SYMBOL_POINTERS = 6,
    S_LAZY_SYMBOL_POINTERS = 7,
    NO_ITEM = -1
};

void ms_binds_fini(struct ms_binds *binds)
{
    free(binds->records);
    free(binds->items);
    free(binds->ordinals);
    memset(binds, 0, sizeof *binds);
}

const struct ms_record *ms_binds_find(const struct ms_binds *binds, uint64_t slot_vm, size_t *n)
{
    size_t low = 0, high = binds->n_records;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (binds->records[middle].at < slot_vm)
            low = middle + 1;
        else
            high = middle;
    }
    *n = 0;
    while (*n < 8 && low + *n < binds->n_records && binds->records[low + *n].at == slot_vm)
        ++*n;
    return *n ? &binds->records[low] : NULL;
}

static enum ms_status add_record(struct ms_binds *binds, uint64_t at, uint32_t index,
                                 enum ms_bind_rank rank, struct ms_error *err)
{
    struct ms_record record = {at, index, rank};
    if (binds->n_records >= MAX_BINDS)
        return ms_fail(err, MS_E_LIMIT, NULL, MS_NO_OFFSET, "more than %d binds", MAX_BINDS);
    return MS_PUSH(binds->records, binds->n_records, binds->records_room, record)
               ? MS_OK
               : ms_fail_memory(err);
}

/* ---- opcodes --------------------------------------------------------------------------------- */

enum {
    BIND_DONE = 0x00,
    BIND_ORDINAL_IMM = 0x10,
    BIND_ORDINAL_ULEB = 0x20,
    BIND_SPECIAL_IMM = 0x30,
    BIND_SYMBOL = 0x40,
    BIND_TYPE_IMM = 0x50,
    BIND_ADDEND = 0x60,
    BIND_SEGMENT = 0x70,
    BIND_ADD_ADDRESS = 0x80,
    BIND_DO = 0x90,
    BIND_DO_ADD_ULEB = 0xa0,
    BIND_DO_ADD_IMM = 0xb0,
    BIND_DO_TIMES = 0xc0,
    BIND_THREADED = 0xd0,
    FLAG_WEAK_IMPORT = 1,
    FLAG_NON_WEAK_DEFINITION = 8,
    TYPE_POINTER = 1
};

/* One stream of opcodes, and the state that they change. */
struct stream {
    const struct ms_macho *macho;
    struct ms_binds *binds;
    struct ms_cursor c;
    uint64_t off; /* of its first byte, in the slice */
    uint64_t base_vm;
    const char *name; /* for messages */
    enum ms_bind_rank rank;
    struct ms_bind bind;
    int64_t item; /* where `bind` stands in the table; NO_ITEM: changed since */
    const struct ms_segment *segment;
    uint64_t at; /* in the segment; wraps as the opcodes do */
    uint8_t type, flags;
    bool is_threaded;
};

static enum ms_status fail_in(const struct stream *s, uint64_t off, const char *what,
                              uint64_t found, struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, s->macho->where, s->off + off,
                   "%s opcodes of %zu bytes: %s 0x%llx", s->name, (size_t)(s->c.end - s->c.start),
                   what, (unsigned long long)found);
}

static enum ms_status take_item(struct stream *s, struct ms_error *err)
{
    if (s->item == NO_ITEM) {
        s->item = (int64_t)s->binds->n_items;
        if (!MS_PUSH(s->binds->items, s->binds->n_items, s->binds->items_room, s->bind))
            return ms_fail_memory(err);
    }
    return MS_OK;
}

/* `times` slots, each `skip` bytes behind the end of the one before. */
static enum ms_status bind_slots(struct stream *s, uint64_t op_off, uint64_t times, uint64_t skip,
                                 struct ms_error *err)
{
    unsigned word = s->macho->is64 ? 8 : 4;
    enum ms_status status =
        s->bind.name ? take_item(s, err)
                     : fail_in(s, op_off, "a bind without a symbol, opcode at", op_off, err);
    if (status == MS_OK && s->is_threaded) {
        uint32_t item = (uint32_t)s->item;
        if (!MS_PUSH(s->binds->ordinals, s->binds->n_ordinals, s->binds->ordinals_room, item))
            status = ms_fail_memory(err);
        return status;
    }
    if (s->type != TYPE_POINTER) { /* branches of i386 code that dyld used to rewrite */
        s->at += times * (word + skip);
        return status;
    }
    for (; status == MS_OK && times; times--) {
        if (!s->segment)
            return fail_in(s, op_off, "a bind without a segment, opcode at", op_off, err);
        if (s->at > s->segment->vm_bytes || s->segment->vm_bytes - s->at < word)
            return fail_in(s, op_off, "a bind outside its segment, at byte", s->at, err);
        status = add_record(s->binds, s->segment->vm + s->at, (uint32_t)s->item, s->rank, err);
        s->at += word + skip;
        /* Where the slots don't move, one is as good as many. */
        if (word + skip == 0)
            break;
    }
    return status;
}

/* BIND_SUBOPCODE_THREADED_APPLY: the slots lead from one to the next, as in chained fixups. */
static enum ms_status apply_thread(struct stream *s, uint64_t op_off, struct ms_error *err)
{
    uint64_t next = 1;
    while (next) {
        struct ms_bytes word;
        struct ms_slot slot;
        uint32_t ordinal;
        if (!s->segment || s->at > s->segment->file_bytes || s->segment->file_bytes - s->at < 8 ||
            !ms_bytes_part(s->macho->bytes, s->segment->off + s->at, 8, &word))
            return fail_in(s, op_off, "a thread of pointers leads outside its segment, to byte",
                           s->at, err);
        enum ms_status status =
            add_record(s->binds, s->segment->vm + s->at, 0, MS_BIND_THREAD, err);
        if (status != MS_OK)
            return status;
        ms_chain_thread(ms_load_u64(word.at, s->macho->big), s->base_vm, &slot, &ordinal, &next);
        s->at += next;
    }
    return MS_OK;
}

static enum ms_status set_segment(struct stream *s, uint64_t op_off, uint8_t index,
                                  struct ms_error *err)
{
    if (index >= s->macho->n_segments)
        return fail_in(s, op_off, "there is no segment", index, err);
    s->segment = &s->macho->segments[index];
    s->at = ms_cursor_uleb(&s->c);
    return MS_OK;
}

static enum ms_status threaded(struct stream *s, uint64_t op_off, uint8_t imm, struct ms_error *err)
{
    if (!s->macho->is64 || imm > 1)
        return fail_in(s, op_off, "unknown kind of threaded binds", imm, err);
    if (imm == 1)
        return apply_thread(s, op_off, err);
    (void)ms_cursor_uleb(&s->c); /* how many will follow; we count ourselves */
    s->is_threaded = true;
    return MS_OK;
}

/* One opcode; a switch since that is what its definition is. */
static enum ms_status run_opcode(struct stream *s, uint8_t op, uint8_t imm, uint64_t op_off,
                                 struct ms_error *err)
{
    unsigned word = s->macho->is64 ? 8 : 4;
    enum ms_status status = MS_OK;
    uint64_t times;
    switch (op) {
    case BIND_ORDINAL_IMM:
    case BIND_ORDINAL_ULEB:
        s->bind.ordinal = op == BIND_ORDINAL_IMM ? imm : (int32_t)ms_cursor_uleb(&s->c);
        break;
    case BIND_SPECIAL_IMM:
        s->bind.ordinal = imm ? (int8_t)(imm | 0xf0) : 0;
        break;
    case BIND_SYMBOL:
        s->flags = imm;
        s->bind.weak_import = imm & FLAG_WEAK_IMPORT;
        s->bind.name = ms_cursor_string(&s->c);
        break;
    case BIND_TYPE_IMM:
        s->type = imm;
        return MS_OK;
    case BIND_ADDEND:
        s->bind.addend = ms_cursor_sleb(&s->c);
        break;
    case BIND_SEGMENT:
        return set_segment(s, op_off, imm, err);
    case BIND_ADD_ADDRESS:
        s->at += ms_cursor_uleb(&s->c);
        return MS_OK;
    case BIND_DO:
        return bind_slots(s, op_off, 1, 0, err);
    case BIND_DO_ADD_ULEB:
        times = ms_cursor_uleb(&s->c); /* here: how far to go on */
        return bind_slots(s, op_off, 1, times, err);
    case BIND_DO_ADD_IMM:
        return bind_slots(s, op_off, 1, (uint64_t)imm * word, err);
    case BIND_DO_TIMES:
        times = ms_cursor_uleb(&s->c);
        return bind_slots(s, op_off, times, ms_cursor_uleb(&s->c), err);
    case BIND_THREADED:
        return threaded(s, op_off, imm, err);
    default:
        return fail_in(s, op_off, "unknown opcode", op | imm, err);
    }
    s->item = NO_ITEM;
    return status;
}

static enum ms_status run_stream(struct stream *s, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    while (status == MS_OK && ms_cursor_left(&s->c)) {
        uint64_t op_off = ms_cursor_offset(&s->c);
        uint8_t byte = ms_cursor_u8(&s->c);
        if (byte == BIND_DONE) {
            if (s->rank == MS_BIND_LAZY) /* one ends after every symbol */
                continue;
            break;
        }
        status = run_opcode(s, byte & 0xf0, byte & 0x0f, op_off, err);
        if (status == MS_OK && s->c.bad)
            status = fail_in(s, op_off, "the last one is cut off, at", op_off, err);
    }
    return status;
}

static enum ms_status read_opcodes(const struct ms_macho *macho, uint64_t base_vm,
                                   struct ms_binds *binds)
{
    /* Offset and size of each stream stand in LC_DYLD_INFO in this order. */
    static const struct {
        uint8_t at;
        enum ms_bind_rank rank;
        const char *name;
    } STREAMS[] = {{16, MS_BIND_REGULAR, "bind"},
                   {32, MS_BIND_LAZY, "lazy bind"},
                   {24, MS_BIND_WEAK, "weak bind"}};
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYLD_INFO_ONLY);
    if (!command)
        command = ms_macho_command(macho, MS_LC_DYLD_INFO);
    enum ms_status worst = MS_OK;
    for (unsigned i = 0; command && i < 3 && worst != MS_E_NOMEM; i++) {
        struct ms_cursor c = ms_cursor_over(command->body, macho->big);
        struct ms_bytes part;
        ms_cursor_seek(&c, STREAMS[i].at);
        uint32_t off = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
        struct ms_error fault;
        enum ms_status status;
        if (!n && !c.bad)
            continue;
        if (c.bad || !ms_bytes_part(macho->bytes, off, n, &part)) {
            status = ms_fail(&fault, MS_E_FORMAT, macho->where, command->off + STREAMS[i].at,
                             "%s opcodes: 0x%x bytes at 0x%x lie outside the file of 0x%zx bytes",
                             STREAMS[i].name, (unsigned)n, (unsigned)off, macho->bytes.n);
        } else {
            struct stream s = {.macho = macho,
                               .binds = binds,
                               .c = ms_cursor_over(part, macho->big),
                               .off = off,
                               .base_vm = base_vm,
                               .name = STREAMS[i].name,
                               .rank = STREAMS[i].rank,
                               .item = NO_ITEM,
                               .type = TYPE_POINTER};
            if (s.rank == MS_BIND_WEAK)
                s.bind.ordinal = -3;
            status = run_stream(&s, &fault);
        }
        if (status != MS_OK && worst == MS_OK) {
            binds->damage = fault;
            worst = status;
        }
    }
    return worst == MS_E_NOMEM ? worst : MS_OK;
}

/* ---- relocations ----------------------------------------------------------------------------- */

struct relocation {
    uint32_t address, symbol;
    uint8_t type, log2_bytes;
    bool is_pcrel, is_extern, is_scattered;
};

static struct relocation read_relocation(struct ms_cursor *c)
{
    uint32_t address = ms_cursor_u32(c), word = ms_cursor_u32(c);
    struct relocation r = {.address = address, .is_scattered = address >> 31};
    if (c->big) { /* the bit fields run the other way */
        r.symbol = word >> 8;
        r.is_pcrel = word >> 7 & 1;
        r.log2_bytes = word >> 5 & 3;
        r.is_extern = word >> 4 & 1;
        r.type = word & 0xf;
    } else {
        r.symbol = word & 0xffffff;
        r.is_pcrel = word >> 24 & 1;
        r.log2_bytes = word >> 25 & 3;
        r.is_extern = word >> 27 & 1;
        r.type = word >> 28;
    }
    return r;
}

static void take_symbol(const struct ms_macho *macho, uint32_t number, struct ms_bind *bind)
{
    struct ms_nlist symbol = ms_nlist_at(macho, number, NULL);
    uint8_t library = (uint8_t)(symbol.desc >> 8);
    bind->name = symbol.name;
    bind->value = symbol.value;
    bind->is_defined = (symbol.type & MS_N_TYPE) == MS_N_SECT;
    bind->ordinal = library >= 0xfe ? library == 0xfe ? -2 : -1 : library;
    bind->weak_import = symbol.desc & N_WEAK_REF;
}

static enum ms_status add_bind(struct ms_binds *binds, uint64_t at, const struct ms_bind *bind,
                               struct ms_error *err)
{
    uint32_t item = (uint32_t)binds->n_items;
    if (!MS_PUSH(binds->items, binds->n_items, binds->items_room, *bind))
        return ms_fail_memory(err);
    return add_record(binds, at, item, MS_BIND_REGULAR, err);
}

static enum ms_status bind_relocation(const struct ms_macho *macho, uint64_t at,
                                      const struct relocation *r, struct ms_binds *binds,
                                      struct ms_error *err)
{
    struct ms_bind bind;
    memset(&bind, 0, sizeof bind);
    bind.adds_word = true;
    if (r->is_extern) {
        if (r->symbol >= macho->n_nlist)
            return ms_fail(err, MS_E_FORMAT, macho->where, MS_NO_OFFSET,
                           "a relocation of 0x%llx has symbol %u, there are %u",
                           (unsigned long long)at, (unsigned)r->symbol, (unsigned)macho->n_nlist);
        take_symbol(macho, r->symbol, &bind);
    } else {
        bind.is_defined = true; /* the word is the address */
    }
    return add_bind(binds, at, &bind, err);
}

/* A table of relocations whose addresses count from base_vm. */
static enum ms_status read_relocations(const struct ms_macho *macho, uint64_t off, uint64_t n,
                                       uint64_t base_vm, struct ms_binds *binds)
{
    struct ms_bytes table;
    struct ms_error fault;
    if (!ms_bytes_part(macho->bytes, off, n * RELOCATION_BYTES, &table)) {
        (void)ms_fail(&fault, MS_E_FORMAT, macho->where, off,
                      "%llu relocations lie outside the file of 0x%zx bytes", (unsigned long long)n,
                      macho->bytes.n);
        binds->damage = binds->damage.status == MS_OK ? fault : binds->damage;
        return MS_OK;
    }
    struct ms_cursor c = ms_cursor_over(table, macho->big);
    bool after_subtractor = false;
    uint8_t subtractor = macho->cputype == MS_CPU_X86_64  ? 5
                         : macho->cputype == MS_CPU_ARM64 ? 1
                                                          : 0xff;
    while (ms_cursor_left(&c)) {
        struct relocation r = read_relocation(&c);
        bool is_pointer = !r.is_scattered && !r.is_pcrel && r.type == 0 && !after_subtractor &&
                          r.log2_bytes == (macho->is64 ? 3 : 2);
        after_subtractor = !r.is_scattered && r.type == subtractor;
        if (!is_pointer)
            continue;
        enum ms_status status = bind_relocation(macho, base_vm + r.address, &r, binds, &fault);
        if (status == MS_E_NOMEM)
            return status;
        if (status != MS_OK && binds->damage.status == MS_OK)
            binds->damage = fault;
        if (status == MS_E_LIMIT)
            break;
    }
    return MS_OK;
}

/* What the addresses of an image's relocations count from, as dyld and the kernel have it. */
static uint64_t relocation_base(const struct ms_macho *macho, uint64_t base_vm)
{
    bool from_writable = macho->cputype == MS_CPU_X86_64 || macho->flags & MH_SPLIT_SEGS;
    if (macho->filetype == MS_MH_KEXT || macho->n_segments == 0)
        return base_vm;
    for (size_t i = 0; from_writable && i < macho->n_segments; i++)
        if (macho->segments[i].initprot & VM_PROT_WRITE)
            return macho->segments[i].vm;
    return macho->segments[0].vm;
}

static enum ms_status read_external(const struct ms_macho *macho, uint64_t base_vm,
                                    struct ms_binds *binds)
{
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYSYMTAB);
    if (!command)
        return MS_OK;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 64);
    uint32_t off = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
    return c.bad || n == 0
               ? MS_OK
               : read_relocations(macho, off, n, relocation_base(macho, base_vm), binds);
}

/*
 * Before LC_DYLD_INFO the sections of symbol pointers were bound through the indirect symbol
 * table: it has a symbol for each of their slots.
 */
static enum ms_status read_indirect(const struct ms_macho *macho, const struct ms_section *section,
                                    struct ms_binds *binds)
{
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYSYMTAB);
    uint32_t type = section->flags & MS_S_TYPE, word = macho->is64 ? 8 : 4;
    if (!command || (type != S_NON_LAZY_SYMBOL_POINTERS && type != S_LAZY_SYMBOL_POINTERS))
        return MS_OK;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 56);
    uint64_t off = ms_cursor_u32(&c);
    uint32_t n = ms_cursor_u32(&c), first = section->reserved1;
    struct ms_bytes table;
    struct ms_error fault;
    uint64_t slots = section->vm_bytes / word;
    if (c.bad || first > n || slots > n - first ||
        !ms_bytes_part(macho->bytes, off + 4 * (uint64_t)first, 4 * slots, &table)) {
        (void)ms_fail(&fault, MS_E_FORMAT, macho->where, command->off + 56,
                      "section %s,%s has %llu symbol pointers from %u of %u indirect symbols",
                      section->segment_name, section->name, (unsigned long long)slots,
                      (unsigned)first, (unsigned)n);
        binds->damage = binds->damage.status == MS_OK ? fault : binds->damage;
        return MS_OK;
    }
    c = ms_cursor_over(table, macho->big);
    enum ms_status status = MS_OK;
    for (uint64_t at = section->vm; status == MS_OK && ms_cursor_left(&c); at += word) {
        struct ms_bind bind;
        uint32_t number = ms_cursor_u32(&c);
        memset(&bind, 0, sizeof bind);
        if (number >= macho->n_nlist) /* INDIRECT_SYMBOL_LOCAL and _ABS among them: no bind */
            continue;
        take_symbol(macho, number, &bind);
        status = add_bind(binds, at, &bind, &fault);
    }
    if (status != MS_OK && binds->damage.status == MS_OK)
        binds->damage = fault;
    return status == MS_E_NOMEM ? status : MS_OK;
}

enum ms_status ms_binds_read(const struct ms_macho *macho, uint64_t base_vm, struct ms_binds *out,
                             struct ms_error *err)
{
    memset(out, 0, sizeof *out);
    enum ms_status status = MS_OK;
    if (macho->filetype == MS_MH_OBJECT) {
        for (size_t i = 0; status == MS_OK && i < macho->n_sections; i++)
            if (macho->sections[i].nreloc)
                status = read_relocations(macho, macho->sections[i].reloff,
                                          macho->sections[i].nreloc, macho->sections[i].vm, out);
    } else {
        status = read_opcodes(macho, base_vm, out);
        if (status == MS_OK)
            status = read_external(macho, base_vm, out);
        bool has_info = ms_macho_command(macho, MS_LC_DYLD_INFO) ||
                        ms_macho_command(macho, MS_LC_DYLD_INFO_ONLY);
        for (size_t i = 0; status == MS_OK && !has_info && i < macho->n_sections; i++)
            status = read_indirect(macho, &macho->sections[i], out);
    }
    if (status == MS_OK && !ms_records_sort(out->records, out->n_records))
        status = MS_E_NOMEM;
    if (status == MS_OK)
        return MS_OK;
    ms_binds_fini(out);
    return ms_fail_memory(err);
}
