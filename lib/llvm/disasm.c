/*
 * llvm/disasm.c: one pass over a section, from label to label: addresses, instructions out of the
 * cache or from LLVM, data where the file says that there is data.
 */
#include "llvm/disasm.h"

#include "llvm/disasm_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* An entry of LC_DATA_IN_CODE. */
struct dice {
    uint64_t vm;
    uint16_t bytes, kind;
};
enum { DICE_DATA = 1, DICE_JUMP_8, DICE_JUMP_16, DICE_JUMP_32, DICE_ABS_JUMP_32 };

struct pass {
    const struct ms_macho *macho;
    const struct ms_section *section;
    const struct disasm_request *request;
    struct disasm_request own; /* what it points to */
    struct ms_bytes bytes;
    struct disasm_symbols symbols;
    struct disasm_relocs relocs;
    struct disasm_info info;
    struct disasm_engine *engine;
    struct disasm_cache *cache;
    struct dice *dices;
    size_t n_dices;
    struct ms_sink *sink;
    struct ms_text line;
    bool intel, arm;
    unsigned in_block; /* so many instructions to come belong to an IT block */
};

/* ---- data in code -------------------------------------------------------------------------- */

static int by_vm(const void *a, const void *b)
{
    const struct dice *left = a, *right = b;
    return left->vm < right->vm ? -1 : left->vm > right->vm;
}

/* What their offsets count from: the first section of an object, else the first real segment. */
static uint64_t dice_base(const struct ms_macho *macho)
{
    if (macho->filetype == MS_MH_OBJECT)
        return macho->n_sections ? macho->sections[0].vm : 0;
    for (size_t i = 0; i < macho->n_segments; i++)
        if (strcmp(macho->segments[i].name, "__PAGEZERO") != 0)
            return macho->segments[i].vm;
    return 0;
}

static enum ms_status read_dices(struct pass *pass, struct ms_error *err)
{
    const struct ms_macho *macho = pass->macho;
    struct ms_bytes table = {NULL, 0}, raw;
    for (size_t i = 0; i < macho->n_commands; i++)
        if (macho->commands[i].cmd == 0x29 && ms_bytes_part(macho->commands[i].body, 8, 8, &raw))
            (void)ms_bytes_part(macho->bytes, ms_load_u32(raw.at, macho->big),
                                ms_load_u32(raw.at + 4, macho->big), &table);
    if (table.n < 8)
        return MS_OK;
    pass->dices = malloc(table.n / 8 * sizeof *pass->dices);
    if (!pass->dices)
        return ms_fail_memory(err);
    uint64_t base = dice_base(macho);
    struct ms_cursor c = ms_cursor_over(table, macho->big);
    while (ms_cursor_left(&c) >= 8) {
        struct dice dice;
        dice.vm = base + ms_cursor_u32(&c);
        dice.bytes = ms_cursor_u16(&c);
        dice.kind = ms_cursor_u16(&c);
        if (dice.bytes)
            pass->dices[pass->n_dices++] = dice;
    }
    qsort(pass->dices, pass->n_dices, sizeof *pass->dices, by_vm);
    return MS_OK;
}

/* The entry that holds the address; in a sound file there is one at most. */
static const struct dice *dice_at(const struct pass *pass, uint64_t vm)
{
    size_t low = 0, high = pass->n_dices;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (pass->dices[middle].vm <= vm)
            low = middle + 1;
        else
            high = middle;
    }
    const struct dice *found = low ? &pass->dices[low - 1] : NULL;
    return found && vm - found->vm < found->bytes ? found : NULL;
}

/* A value of the table, as an assembler takes it; the length of it. */
static unsigned put_data(struct pass *pass, const struct dice *dice, uint64_t vm, const uint8_t *at,
                         size_t left)
{
    static const char *const notes[] = {NULL,
                                        "KIND_DATA",
                                        "KIND_JUMP_TABLE8",
                                        "KIND_JUMP_TABLE16",
                                        "KIND_JUMP_TABLE32",
                                        "KIND_ABS_JUMP_TABLE32"};
    unsigned want = dice->kind == DICE_JUMP_8    ? 1
                    : dice->kind == DICE_JUMP_16 ? 2
                    : dice->kind == DICE_JUMP_32 || dice->kind == DICE_ABS_JUMP_32
                        ? 4
                        : (dice->bytes >= 4   ? 4
                           : dice->bytes >= 2 ? 2
                                              : 1);
    unsigned n = want <= left ? want : left >= 2 ? 2 : 1;
    uint32_t value = 0;
    for (unsigned i = n; i-- > 0;)
        value = value << 8 | at[i];
    if (pass->request->opcodes)
        for (unsigned i = 0; i < n; i++)
            ms_text_printf(&pass->line, "%s%02x", i ? " " : "", at[i]);
    const char *format = dice->kind == DICE_JUMP_8    ? "\t.byte %3u"
                         : dice->kind == DICE_JUMP_16 ? "\t.short %5u"
                         : n == 4                     ? "\t.long %u"
                         : n == 2                     ? "\t.short %u"
                                                      : "\t.byte %u";
    ms_text_printf(&pass->line, format, (unsigned)value);
    if (dice->kind >= DICE_DATA && dice->kind <= DICE_ABS_JUMP_32)
        ms_text_printf(&pass->line, "\t@ %s\n", notes[dice->kind]);
    else
        ms_text_printf(&pass->line, "\t@ data in code kind = %u\n", (unsigned)dice->kind);
    /* A table of an odd number of bytes is padded: the next instruction is at an even address. */
    if (dice->kind == DICE_JUMP_8 && vm - dice->vm == dice->bytes - 1u && dice->bytes & 1 &&
        n < left)
        n++;
    return n;
}

/* ---- instructions --------------------------------------------------------------------------- */

static void put_digits(struct ms_text *line, uint64_t value, int digits)
{
    char text[16];
    for (int i = digits; i-- > 0; value >>= 4)
        text[i] = "0123456789abcdef"[value & 15];
    ms_text_add(line, text, (size_t)digits);
}

static void put_address(struct pass *pass, uint64_t vm)
{
    if (pass->request->has_mark)
        ms_text_puts(&pass->line, "   ");
    if (!pass->request->bare)
        put_digits(&pass->line, vm, pass->macho->is64 ? 16 : 8);
    if (pass->arm || pass->request->opcodes)
        ms_text_putc(&pass->line, '\t');
}

/* The instruction's bytes: of 32-bit ARM always, as its length says which set it is of. */
static void put_opcode(struct pass *pass, const uint8_t *at, unsigned n)
{
    if (!pass->request->opcodes && !pass->arm)
        return;
    for (unsigned i = 0; i < n; i++) {
        if (i)
            ms_text_putc(&pass->line, ' ');
        put_digits(&pass->line, at[i], 2);
    }
}

/* What isn't an instruction; the length that is skipped. */
static unsigned put_bad(struct pass *pass, bool thumb, const uint8_t *at, size_t left)
{
    bool big = pass->macho->big;
    if (pass->intel || left < (thumb ? 2 : 4)) {
        ms_text_printf(&pass->line,
                       pass->intel ? "\t.byte 0x%02x #bad opcode\n" : "\t.byte\t0x%02x\n", at[0]);
        return 1;
    }
    if (thumb) {
        ms_text_printf(&pass->line, "\t.short\t0x%04x\n",
                       big ? at[0] << 8 | at[1] : at[1] << 8 | at[0]);
        return 2;
    }
    ms_text_printf(&pass->line, "\t.long\t0x%08x\n", (unsigned)ms_load_u32(at, big));
    return 4;
}

/* How many instructions the IT instruction of Thumb makes conditional; 0 for any other. */
static unsigned block_length(const uint8_t *at)
{
    unsigned half = (unsigned)(at[1] << 8 | at[0]);
    if ((half & 0xff00) != 0xbf00 || !(half & 0xf))
        return 0;
    return half & 1 ? 4 : half & 2 ? 3 : half & 4 ? 2 : 1;
}

/* Whether LLVM must see it: it starts or belongs to an IT block, or an adrp makes it mean more. */
static bool has_context(const struct pass *pass, bool thumb, const uint8_t *at, uint64_t vm)
{
    if (thumb)
        return pass->in_block || block_length(at);
    if (pass->info.adrp_pc != vm - 4)
        return false;
    uint32_t word = ms_load_u32(at, false);
    return (word & 0xff800000) == 0x91000000 || (word & 0xffc00000) == 0xf9400000;
}

/*
 * After an instruction of Thumb. One that LLVM refuses may count or not, so it doesn't: to hold
 * on to the block for too long costs nothing but the use of the cache.
 */
static void step_block(struct pass *pass, const uint8_t *at, size_t left, bool decoded)
{
    unsigned n = left >= 2 ? block_length(at) : 0;
    if (n)
        pass->in_block = n;
    else if (decoded && pass->in_block)
        pass->in_block--;
}

/*
 * Intel's prefixes alone are shown as an instruction where what follows makes none: then their
 * text depends on that.
 */
static bool is_prefix_alone(const struct pass *pass, const uint8_t *at, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        uint8_t b = at[i];
        bool rex = (b & 0xf0) == 0x40 && pass->macho->is64;
        if (!rex && b != 0xf0 && b != 0xf2 && b != 0xf3 && b != 0x66 && b != 0x67 &&
            (b & 0xe7) != 0x26 && b != 0x64 && b != 0x65 && b != 0x9b)
            return false;
    }
    return pass->intel;
}

static unsigned put_instruction(struct pass *pass, bool thumb, uint64_t off)
{
    const uint8_t *at = pass->bytes.at + off;
    const size_t left = pass->bytes.n - (size_t)off;
    const uint64_t vm = pass->section->vm + off;
    const char *text;
    size_t n = 0;
    unsigned bytes = 0;
    put_address(pass, vm);
    const struct dice *dice = pass->n_dices ? dice_at(pass, vm) : NULL;
    if (dice)
        return put_data(pass, dice, vm, at, left);
    bool cached = left >= 16 && !has_context(pass, thumb, at, vm);
    if (cached)
        bytes = disasm_cache_find(pass->cache, at, &text, &n);
    if (bytes && pass->relocs.n && disasm_reloc_in(&pass->relocs, off, bytes))
        bytes = 0;
    if (!bytes) {
        pass->info.depends = false;
        disasm_engine_keep(pass->engine, pass->in_block > 0);
        bytes = disasm_engine_decode(pass->engine, thumb, at, left, vm, &text);
        if (thumb)
            step_block(pass, at, left, bytes > 0);
        if (!bytes)
            return put_bad(pass, thumb, at, left);
        n = strlen(text);
        if (cached && !pass->info.depends && !is_prefix_alone(pass, at, bytes))
            disasm_cache_add(pass->cache, at, bytes, text, n);
    }
    put_opcode(pass, at, bytes);
    ms_text_add(&pass->line, text, n);
    ms_text_putc(&pass->line, '\n');
    return bytes;
}

/* ---- the section ---------------------------------------------------------------------------- */

enum { LINES_AT_ONCE = 1 << 16, LINE_MOST = 1 << 24 };

static bool flush(struct pass *pass)
{
    if (pass->line.n)
        ms_sink_write(pass->sink, pass->line.at, pass->line.n);
    ms_text_clear(&pass->line);
    return !pass->sink->failed;
}

/* From one label to the next; instructions outside the asked range are passed over quickly. */
static bool put_run(struct pass *pass, uint64_t off, uint64_t end, bool thumb)
{
    const uint64_t start = pass->request->start, stop = pass->request->stop;
    pass->in_block = 0;
    while (off < end) {
        uint64_t vm = pass->section->vm + off;
        size_t before = pass->line.n;
        unsigned bytes = put_instruction(pass, thumb, off);
        if (vm + bytes <= start || vm >= stop)
            pass->line.n = before;
        else if (pass->request->has_mark && pass->request->mark - vm < bytes && !pass->line.failed)
            memcpy(pass->line.at + before, "->", 2);
        off += bytes;
        if (pass->line.failed || (pass->line.n >= LINES_AT_ONCE && !flush(pass)))
            return false;
        if (vm >= stop)
            break;
    }
    return true;
}

static void put_label(struct pass *pass, const struct disasm_label *label)
{
    if (!label->name && !pass->request->ranged)
        return;
    size_t at = pass->line.n;
    if (label->stub)
        ms_text_puts(&pass->line, "symbol stub for: ");
    if (label->name)
        ms_text_puts(&pass->line, label->name);
    else
        ms_text_printf(&pass->line, "0x%" PRIx64, label->vm);
    if (!pass->line.failed)
        ms_text_plain_from(&pass->line, at, false);
    ms_text_puts(&pass->line, ":\n");
}

/* True when the half-open range has to do with the one that is asked for. */
static bool is_wanted(const struct pass *pass, uint64_t low, uint64_t high)
{
    return low < pass->request->stop &&
           (high > pass->request->start || (low == high && low >= pass->request->start));
}

static enum ms_status put_labels(struct pass *pass, struct ms_error *err)
{
    const struct disasm_symbols *symbols = &pass->symbols;
    const uint64_t base = pass->section->vm, size = pass->bytes.n;
    bool found = !pass->request->from;
    uint64_t first = symbols->n_labels ? symbols->labels[0].vm - base : size;
    if (first > size)
        first = size;
    if (!pass->request->from && first && is_wanted(pass, base, base + first) &&
        !put_run(pass, 0, first, symbols->n_labels && symbols->labels[0].thumb))
        return pass->line.failed ? ms_text_check(&pass->line, err) : MS_OK;
    for (size_t i = 0; i < symbols->n_labels && !pass->sink->failed; i++) {
        const struct disasm_label *label = &symbols->labels[i];
        uint64_t off = label->vm - base;
        uint64_t end = i + 1 < symbols->n_labels ? symbols->labels[i + 1].vm - base : size;
        if (!found) /* from there on to the end of the section */
            found = label->name && strcmp(label->name, pass->request->from) == 0;
        if (end > size)
            end = size;
        if (!found || off > size || !is_wanted(pass, base + off, base + end))
            continue;
        put_label(pass, label);
        if (!put_run(pass, off, end, label->thumb))
            break;
    }
    if (!found)
        return ms_fail(err, MS_ABSENT, pass->macho->where, MS_NO_OFFSET, "no symbol %s in (%s,%s)",
                       pass->request->from, pass->section->segment_name, pass->section->name);
    flush(pass);
    return ms_text_check(&pass->line, err);
}

/* Of -p and a range the later start counts; false when no symbol has the name. */
static bool join_from(struct pass *pass)
{
    struct disasm_request *request = &pass->own;
    for (size_t i = 0; i < pass->symbols.n_labels && request->from; i++) {
        const struct disasm_label *label = &pass->symbols.labels[i];
        if (!label->name || strcmp(label->name, request->from) != 0)
            continue;
        request->from = NULL;
        if (request->start < label->vm)
            request->start = label->vm;
    }
    return !request->from;
}

static enum ms_status prepare(struct pass *pass, struct ms_error *err)
{
    enum ms_status status = ms_macho_section_bytes(pass->macho, pass->section, &pass->bytes, err);
    if (status == MS_OK)
        status = disasm_symbols_read(pass->macho, pass->request->section, &pass->symbols, err);
    if (status == MS_OK && pass->request->ranged && join_from(pass))
        status =
            disasm_symbols_range(&pass->symbols, pass->request->section, pass->request->start, err);
    if (status == MS_OK)
        status = disasm_relocs_read(pass->macho, pass->section, &pass->relocs, err);
    if (status == MS_OK)
        status = disasm_info_init(&pass->info, pass->macho, pass->section, &pass->symbols,
                                  &pass->relocs, pass->request->symbolic, err);
    if (status == MS_OK)
        status = read_dices(pass, err);
    if (status != MS_OK)
        return status;
    pass->cache = disasm_cache_new();
    if (!pass->cache)
        return ms_fail_memory(err);
    return disasm_engine_new(pass->macho, pass->request->cpu, &pass->info, &pass->engine, err);
}

enum ms_status disasm_section(const struct ms_macho *macho, const struct disasm_request *request,
                              struct ms_sink *sink, struct ms_error *err)
{
    struct pass pass;
    if (request->section >= macho->n_sections)
        return ms_fail(err, MS_E_ARGUMENT, macho->where, MS_NO_OFFSET, "no section %zu",
                       request->section);
    memset(&pass, 0, sizeof pass);
    pass.macho = macho;
    pass.section = &macho->sections[request->section];
    pass.own = *request;
    pass.request = &pass.own;
    pass.sink = sink;
    pass.arm = macho->cputype == MS_CPU_ARM;
    pass.intel = macho->cputype == MS_CPU_I386 || macho->cputype == MS_CPU_X86_64;
    ms_text_init(&pass.line, LINE_MOST);
    enum ms_status status = prepare(&pass, err);
    if (status == MS_OK)
        status = put_labels(&pass, err);
    else if (status == MS_ABSENT) /* a section without bytes */
        status = MS_OK;
    disasm_engine_free(pass.engine);
    disasm_cache_free(pass.cache);
    disasm_info_fini(&pass.info);
    disasm_relocs_fini(&pass.relocs);
    disasm_symbols_fini(&pass.symbols);
    free(pass.dices);
    ms_text_fini(&pass.line);
    return status;
}
