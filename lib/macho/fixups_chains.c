/*
 * macho/fixups_chains.c: LC_DYLD_CHAINED_FIXUPS and __chain_starts. Each pointer that dyld must put
 * right holds, besides its target, the distance to the next one on its page, so that whether a word
 * is such a link at all is only known once the page's chains were walked up to it.
 */
#include "macho/fixups_chains.h"

#include "base/cursor.h"
#include "macho/commands.h"

#include <stdlib.h>

enum {
    NO_BIT = 0xff,
    START_NONE = 0xffff,
    START_MULTI = 0x8000, /* of a page: its starts stand in a list behind those of the pages */
    START_LAST = 0x8000,  /* of that list */
    STARTS_BYTES = 22,    /* of a segment's record, before the page starts */
    HEADER_BYTES = 28,

    MH_DYLIB_IN_CACHE_SHIFT = 31
};

/* What a rebase's target counts from. */
enum base { FROM_ZERO, FROM_HEADER, FROM_CACHE, FROM_SEGMENT };

struct format {
    const char *name;
    uint8_t word, stride;
    uint8_t next_at, next_bits;
    uint8_t target_bits, auth_target_bits, tag_at; /* tag_at 0: no top byte */
    uint8_t bind_bit, auth_bit;
    uint8_t ordinal_bits, addend_at, addend_bits;
    bool addend_signed, has_levels;
    enum base base, auth_base;
};

/* Offsets of bits, lowest first, of mach-o/fixup-chains.h. */
#define ARM64E(name_, stride_, ordinal_, base_)                                                    \
    {name_, 8,        stride_, 51, 11,   43,    32,    43,         62,                             \
     63,    ordinal_, 32,      19, true, false, base_, FROM_HEADER}
#define KERNEL(name_, stride_)                                                                     \
    {name_, 8, stride_, 51, 12,    30,   30,          0,          NO_BIT,                          \
     63,    0, 0,       0,  false, true, FROM_HEADER, FROM_HEADER}
static const struct format FORMATS[] = {
    [1] = ARM64E("ARM64E", 8, 16, FROM_ZERO),
    [2] = {"64", 8, 4, 51, 12, 36, 0, 36, 63, NO_BIT, 24, 24, 8, false, false, FROM_ZERO,
           FROM_ZERO},
    [3] = {"32", 4, 4, 26, 5, 26, 0, 0, 31, NO_BIT, 20, 20, 6, false, false, FROM_ZERO, FROM_ZERO},
    [4] = {"32_CACHE", 4, 4, 30, 2, 30, 0, 0, NO_BIT, NO_BIT, 0, 0, 0, false, false, FROM_CACHE,
           FROM_ZERO},
    [5] = {"32_FIRMWARE", 4, 4, 26, 6, 26, 0, 0, NO_BIT, NO_BIT, 0, 0, 0, false, false, FROM_ZERO,
           FROM_ZERO},
    [6] = {"64_OFFSET", 8, 4, 51, 12, 36, 0, 36, 63, NO_BIT, 24, 24, 8, false, false, FROM_HEADER,
           FROM_ZERO},
    [7] = ARM64E("ARM64E_KERNEL", 4, 16, FROM_HEADER),
    [8] = KERNEL("64_KERNEL_CACHE", 4),
    [9] = ARM64E("ARM64E_USERLAND", 8, 16, FROM_HEADER),
    [10] = ARM64E("ARM64E_FIRMWARE", 4, 16, FROM_ZERO),
    [11] = KERNEL("X86_64_KERNEL_CACHE", 1),
    [12] = ARM64E("ARM64E_USERLAND24", 8, 24, FROM_HEADER),
    [13] = {"ARM64E_SHARED_CACHE", 8, 8, 52, 11, 34, 34, 34, NO_BIT, 63, 0, 0, 0, false, false,
            FROM_CACHE, FROM_CACHE},
    [14] = {"ARM64E_SEGMENTED", 8, 4, 51, 12, 28, 28, 0, NO_BIT, 63, 0, 0, 0, false, false,
            FROM_SEGMENT, FROM_SEGMENT},
};
enum { N_FORMATS = sizeof FORMATS / sizeof *FORMATS };

static uint64_t bits(uint64_t raw, unsigned at, unsigned n)
{
    return raw >> at & (n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1);
}

static bool bit(uint64_t raw, unsigned at)
{
    return at != NO_BIT && (raw >> at & 1);
}

/* Firmware is linked without dyld's load commands; a section says where its chains begin. */
static void open_section(const struct ms_macho *macho, struct ms_chains *out)
{
    for (size_t i = 0; i < macho->n_sections && !out->present; i++) {
        const struct ms_section *s = &macho->sections[i];
        if (strcmp(s->name, "__chain_starts") != 0 || strcmp(s->segment_name, "__TEXT") != 0)
            continue;
        out->present = out->is_section = true;
        out->payload_off = s->off;
        if (!ms_bytes_part(macho->bytes, s->off, s->vm_bytes, &out->payload))
            out->payload.n = 0;
    }
}

void ms_chains_open(const struct ms_macho *macho, uint64_t base_vm, struct ms_chains *out)
{
    memset(out, 0, sizeof *out);
    out->macho = macho;
    out->base_vm = base_vm;
    const struct ms_load_command *command = ms_macho_command(macho, MS_LC_DYLD_CHAINED_FIXUPS);
    if (!command) {
        open_section(macho, out);
        return;
    }
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_seek(&c, 8);
    out->payload_off = ms_cursor_u32(&c);
    uint32_t n = ms_cursor_u32(&c);
    out->present = true;
    if (c.bad || !ms_bytes_part(macho->bytes, out->payload_off, n, &out->payload))
        out->payload.n = 0;
}

void ms_chains_close(struct ms_chains *chains)
{
    for (unsigned i = 0; i < MS_CHAIN_PAGES; i++) {
        free(chains->pages[i].bits);
        chains->pages[i].bits = NULL;
    }
    free(chains->links);
    chains->links = NULL;
}

static const char *source_name(const struct ms_chains *chains)
{
    return chains->is_section ? "__chain_starts" : "LC_DYLD_CHAINED_FIXUPS";
}

static enum ms_status fail_at(const struct ms_chains *chains, uint64_t off, const char *what,
                              uint64_t found, struct ms_error *err)
{
    return ms_fail(err, MS_E_FORMAT, chains->macho->where, chains->payload_off + off,
                   "%s of %zu bytes: %s 0x%llx", source_name(chains), chains->payload.n, what,
                   (unsigned long long)found);
}

/* ---- where the chains begin ------------------------------------------------------------------ */

/* dyld_chained_starts_in_segment. */
struct starts {
    uint64_t off;         /* of the record, in the payload */
    struct ms_bytes list; /* page_start, with what follows it */
    const struct format *format;
    uint64_t segment_offset;
    uint32_t max_valid_pointer;
    uint16_t page_bytes, n_pages;
};

static enum ms_status read_format(const struct ms_chains *chains, uint32_t number, uint64_t off,
                                  const struct format **out, struct ms_error *err)
{
    if (number >= N_FORMATS || !FORMATS[number].word)
        return ms_fail(err, MS_E_UNSUPPORTED, chains->macho->where, chains->payload_off + off,
                       "%s: pointer format %u is not known", source_name(chains), (unsigned)number);
    *out = &FORMATS[number];
    if (((*out)->word == 8) != chains->macho->is64)
        return ms_fail(err, MS_E_FORMAT, chains->macho->where, chains->payload_off + off,
                       "%s: pointer format %s in a %s-bit image", source_name(chains), (*out)->name,
                       chains->macho->is64 ? "64" : "32");
    return MS_OK;
}

/* MS_ABSENT: no chain in that segment. */
static enum ms_status read_starts(const struct ms_chains *chains, uint32_t segment,
                                  struct starts *out, struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(chains->payload, chains->macho->big);
    uint32_t version = ms_cursor_u32(&c);
    uint64_t starts_off = ms_cursor_u32(&c);
    if (chains->payload.n < HEADER_BYTES)
        return fail_at(chains, 0, "it lies outside the file, or its header needs", HEADER_BYTES,
                       err);
    if (version != 0)
        return ms_fail(err, MS_E_UNSUPPORTED, chains->macho->where, chains->payload_off,
                       "LC_DYLD_CHAINED_FIXUPS: version %u is not known", (unsigned)version);
    ms_cursor_seek(&c, starts_off);
    uint32_t n_segments = ms_cursor_u32(&c);
    if (c.bad)
        return fail_at(chains, 4, "the starts lie outside, at", starts_off, err);
    if (segment >= n_segments)
        return MS_ABSENT;
    ms_cursor_skip(&c, 4 * (uint64_t)segment);
    uint32_t from = ms_cursor_u32(&c);
    if (c.bad)
        return fail_at(chains, starts_off, "too short for a count of segments of", n_segments, err);
    if (from == 0)
        return MS_ABSENT;
    out->off = starts_off + from;
    ms_cursor_seek(&c, out->off);
    uint32_t bytes = ms_cursor_u32(&c);
    out->page_bytes = ms_cursor_u16(&c);
    uint16_t format = ms_cursor_u16(&c);
    out->segment_offset = ms_cursor_u64(&c);
    out->max_valid_pointer = ms_cursor_u32(&c);
    out->n_pages = ms_cursor_u16(&c);
    uint64_t list_off = ms_cursor_offset(&c);
    if (c.bad || bytes < STARTS_BYTES || (bytes - STARTS_BYTES) / 2 < out->n_pages ||
        !ms_bytes_part(chains->payload, list_off, bytes - STARTS_BYTES, &out->list))
        return fail_at(chains, starts_off + 4 + 4 * (uint64_t)segment,
                       "the page starts of a segment lie outside, at", out->off, err);
    if (out->page_bytes < 0x100)
        return fail_at(chains, out->off + 4, "pages of bytes:", out->page_bytes, err);
    return read_format(chains, format, out->off + 6, &out->format, err);
}

/* ---- walking --------------------------------------------------------------------------------- */

static uint64_t load_word(const struct ms_chains *chains, const struct format *format,
                          const uint8_t *at)
{
    bool big = chains->macho->big;
    return format->word == 8 ? ms_load_u64(at, big) : ms_load_u32(at, big);
}

/* Follows one chain and marks its links, until it meets one that is marked. */
static void walk(const struct ms_chains *chains, const struct starts *starts, struct ms_bytes data,
                 uint64_t page_off, uint32_t at, struct ms_chain_page *page)
{
    const struct format *format = starts->format;
    for (;;) {
        struct ms_bytes word;
        if (at >= page->bytes || !ms_bytes_part(data, page_off + at, format->word, &word)) {
            if (page->broken.status == MS_OK || at < page->broken_at)
                page->broken_at = at < page->bytes ? at : 0;
            (void)ms_fail(&page->broken, MS_E_FORMAT, chains->macho->where,
                          chains->payload_off + starts->off,
                          "a chain of the page at 0x%llx leads to byte 0x%x of it, outside",
                          (unsigned long long)page->vm, (unsigned)at);
            return;
        }
        if (page->bits[at >> 3] >> (at & 7) & 1)
            return;
        page->bits[at >> 3] |= (uint8_t)(1u << (at & 7));
        uint64_t next =
            bits(load_word(chains, format, word.at), format->next_at, format->next_bits);
        if (next == 0)
            return;
        at += (uint32_t)(next * format->stride); /* 12 bits times 8 at most: no wrap */
    }
}

static uint16_t start_at(const struct ms_chains *chains, struct ms_bytes list, uint32_t i,
                         bool *inside)
{
    struct ms_cursor c = ms_cursor_over(list, chains->macho->big);
    ms_cursor_seek(&c, 2 * (uint64_t)i);
    uint16_t start = ms_cursor_u16(&c);
    *inside = !c.bad;
    return start;
}

static void walk_page(const struct ms_chains *chains, const struct starts *starts,
                      struct ms_bytes data, uint32_t number, struct ms_chain_page *page)
{
    bool inside;
    uint64_t page_off = (uint64_t)number * starts->page_bytes;
    uint16_t start = start_at(chains, starts->list, number, &inside);
    if (start == START_NONE)
        return;
    if (!(start & START_MULTI)) {
        walk(chains, starts, data, page_off, start, page);
        return;
    }
    /* Chains of 32 bits reach a few hundred bytes: a page has several. Each turn takes one
     * entry of the list, which ends. */
    for (uint32_t i = start & ~START_MULTI;; i++) {
        start = start_at(chains, starts->list, i, &inside);
        if (!inside) {
            page->broken_at = 0;
            (void)fail_at(chains, starts->off, "a list of chain starts has no end, from entry", i,
                          &page->broken);
            return;
        }
        walk(chains, starts, data, page_off, start & ~START_LAST, page);
        if (start & START_LAST)
            return;
    }
}

/* The page's links, from what is remembered or walked now. */
static enum ms_status find_page(struct ms_chains *chains, const struct starts *starts,
                                uint64_t segment_vm, struct ms_bytes data, uint32_t number,
                                struct ms_chain_page **out, struct ms_error *err)
{
    uint64_t vm = segment_vm + (uint64_t)number * starts->page_bytes;
    struct ms_chain_page *page = &chains->pages[(vm / starts->page_bytes) % MS_CHAIN_PAGES];
    *out = page;
    if (page->bits && page->vm == vm && page->bytes == starts->page_bytes)
        return MS_OK;
    free(page->bits);
    memset(page, 0, sizeof *page);
    page->bits = calloc(starts->page_bytes / 8u + 1, 1);
    if (!page->bits)
        return ms_fail_memory(err);
    page->vm = vm;
    page->bytes = starts->page_bytes;
    page->broken_at = page->bytes;
    walk_page(chains, starts, data, number, page);
    return MS_OK;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static enum ms_status rebase(const struct ms_chains *chains, const struct format *format,
                             uint64_t base_vm, uint64_t slot_off, struct ms_slot *out,
                             struct ms_error *err)
{
    const struct ms_macho *macho = chains->macho;
    uint64_t target =
        bits(out->raw, 0, out->is_auth ? format->auth_target_bits : format->target_bits);
    enum base base = out->is_auth ? format->auth_base : format->base;
    out->kind = MS_SLOT_REBASE;
    if (format->tag_at && !out->is_auth)
        out->tag = (uint8_t)bits(out->raw, format->tag_at, 8);
    if (format->has_levels && bits(out->raw, 30, 2) != 0)
        return ms_fail(
            err, MS_E_UNSUPPORTED, macho->where, slot_off,
            "this pointer leads into level %u of the kernel cache, which is another file",
            (unsigned)bits(out->raw, 30, 2));
    if (base == FROM_CACHE && macho->flags >> MH_DYLIB_IN_CACHE_SHIFT)
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, slot_off,
                       "this pointer counts from the start of a shared cache, which this file "
                       "doesn't tell");
    if (base == FROM_SEGMENT) {
        uint64_t index = bits(out->raw, 28, 4);
        if (index >= macho->n_segments)
            return ms_fail(err, MS_E_FORMAT, macho->where, slot_off,
                           "this pointer leads into segment %u, there are %zu", (unsigned)index,
                           macho->n_segments);
        base_vm = macho->segments[index].vm;
    }
    out->target_vm = base == FROM_ZERO ? target : base_vm + target;
    return MS_OK;
}

static int64_t sign_extend(uint64_t value, unsigned n_bits)
{
    uint64_t sign = (uint64_t)1 << (n_bits - 1);
    return (int64_t)((value ^ sign) - sign);
}

/* Import `ordinal` of the table: its name and library. */
static enum ms_status read_import(const struct ms_chains *chains, uint32_t ordinal,
                                  struct ms_slot *out, struct ms_error *err)
{
    static const uint8_t BYTES[] = {0, 4, 8, 16};
    struct ms_cursor c = ms_cursor_over(chains->payload, chains->macho->big);
    ms_cursor_skip(&c, 8);
    uint64_t imports_off = ms_cursor_u32(&c), names_off = ms_cursor_u32(&c);
    uint32_t n = ms_cursor_u32(&c), format = ms_cursor_u32(&c), packing = ms_cursor_u32(&c);
    if (format < 1 || format > 3 || packing > 0)
        return ms_fail(err, MS_E_UNSUPPORTED, chains->macho->where, chains->payload_off + 20,
                       packing == 1 ? "LC_DYLD_CHAINED_FIXUPS: its import names are compressed "
                                      "(imports format %u, symbols format %u)"
                                    : "LC_DYLD_CHAINED_FIXUPS: imports format %u with symbols "
                                      "format %u is not known",
                       (unsigned)format, (unsigned)packing);
    if (ordinal >= n)
        return ms_fail(err, MS_E_FORMAT, chains->macho->where, chains->payload_off + 16,
                       "LC_DYLD_CHAINED_FIXUPS: import %u of %u", (unsigned)ordinal, (unsigned)n);
    uint64_t entry_off = imports_off + (uint64_t)ordinal * BYTES[format];
    ms_cursor_seek(&c, entry_off);
    uint64_t name_off;
    if (format == 3) {
        uint64_t word = ms_cursor_u64(&c);
        uint16_t library = (uint16_t)word;
        out->ordinal = library > 0xfff0 ? (int16_t)library : library;
        out->weak_import = word >> 16 & 1;
        name_off = word >> 32;
        out->addend = (int64_t)ms_cursor_u64(&c);
    } else {
        uint32_t word = ms_cursor_u32(&c);
        uint8_t library = (uint8_t)word;
        out->ordinal = library > 0xf0 ? (int8_t)library : library;
        out->weak_import = word >> 8 & 1;
        name_off = word >> 9;
        out->addend = format == 2 ? (int32_t)ms_cursor_u32(&c) : 0;
    }
    if (c.bad)
        return fail_at(chains, 8, "an import lies outside, at", entry_off, err);
    out->name = ms_bytes_string(chains->payload, names_off + name_off, NULL);
    if (!out->name)
        return fail_at(chains, entry_off, "an import's name lies outside, at", names_off + name_off,
                       err);
    return MS_OK;
}

static enum ms_status bind(const struct ms_chains *chains, const struct format *format,
                           struct ms_slot *out, struct ms_error *err)
{
    out->kind = MS_SLOT_BIND;
    enum ms_status status =
        read_import(chains, (uint32_t)bits(out->raw, 0, format->ordinal_bits), out, err);
    if (status == MS_OK && !out->is_auth) {
        uint64_t addend = bits(out->raw, format->addend_at, format->addend_bits);
        int64_t more =
            format->addend_signed ? sign_extend(addend, format->addend_bits) : (int64_t)addend;
        out->addend = (int64_t)((uint64_t)out->addend + (uint64_t)more);
    }
    return status;
}

/*
 * A 32-bit chain cannot leap far, so linkers route it over numbers that happen to lie on the
 * way; they are told from pointers by their size.
 */
static bool is_number(const struct starts *starts, struct ms_slot *out)
{
    uint32_t target = (uint32_t)bits(out->raw, 0, 26);
    if (target <= starts->max_valid_pointer)
        return false;
    uint32_t bias = (0x04000000u + starts->max_valid_pointer) / 2;
    out->kind = MS_SLOT_PLAIN;
    out->value = (uint32_t)(target - bias);
    return true;
}

/* ---- chains that a section lists ------------------------------------------------------------- */

enum {
    LINK_BYTES = 4,
    LIST_HEADER = 8,    /* pointer_format, starts_count */
    MAX_LOOKS = 1 << 26 /* chains times segments; real: a thousand times 20 */
};

/* Follows one chain from an address on, until a link that is marked. */
static void walk_listed(struct ms_chains *chains, const struct format *format, uint64_t vm,
                        uint64_t entry_off)
{
    const struct ms_macho *macho = chains->macho;
    const struct ms_segment *s = NULL;
    for (size_t i = 0; i < macho->n_segments && !s; i++)
        if (vm - macho->segments[i].vm < macho->segments[i].file_bytes)
            s = &macho->segments[i];
    struct ms_bytes data = {NULL, 0}, word;
    if (s)
        (void)ms_bytes_part(macho->bytes, s->off, s->file_bytes, &data);
    for (uint64_t at = s ? vm - s->vm : 0;;) {
        if (!ms_bytes_part(data, at, format->word, &word) || (s->off + at) % LINK_BYTES) {
            if (chains->broken.status == MS_OK)
                (void)fail_at(chains, entry_off,
                              "a chain leaves the segments or its steps, which begins at", vm,
                              &chains->broken);
            return;
        }
        uint64_t i = (s->off + at) / LINK_BYTES;
        if (chains->links[i >> 3] >> (i & 7) & 1)
            return;
        chains->links[i >> 3] |= (uint8_t)(1u << (i & 7));
        uint64_t next =
            bits(load_word(chains, format, word.at), format->next_at, format->next_bits);
        if (next == 0)
            return;
        at += next * format->stride;
    }
}

/* dyld_chained_starts_offsets: a format, a count, offsets from the header. */
static enum ms_status read_list(struct ms_chains *chains, const struct format **format,
                                struct ms_error *err)
{
    struct ms_cursor c = ms_cursor_over(chains->payload, chains->macho->big);
    uint32_t number = ms_cursor_u32(&c), n = ms_cursor_u32(&c);
    if (c.bad || (chains->payload.n - LIST_HEADER) / 4 < n)
        return fail_at(chains, 4, "too short for a count of chains of", c.bad ? 0 : n, err);
    enum ms_status status = read_format(chains, number, 0, format, err);
    if (status == MS_OK && (uint64_t)n * chains->macho->n_segments > MAX_LOOKS)
        return ms_fail(err, MS_E_LIMIT, chains->macho->where, chains->payload_off + 4,
                       "__chain_starts: %u chains in %zu segments are too many", (unsigned)n,
                       chains->macho->n_segments);
    if (status == MS_OK && (*format)->stride < LINK_BYTES)
        status = fail_at(chains, 0, "chains of the kernel's cache stand in no section: format",
                         number, err);
    if (status != MS_OK || chains->links)
        return status;
    chains->links = calloc(chains->macho->bytes.n / (LINK_BYTES * 8) + 1, 1);
    if (!chains->links)
        return ms_fail_memory(err);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t entry_off = ms_cursor_offset(&c);
        walk_listed(chains, *format, chains->base_vm + ms_cursor_u32(&c), entry_off);
    }
    return MS_OK;
}

static enum ms_status read_listed(struct ms_chains *chains, uint32_t segment, struct ms_bytes data,
                                  uint64_t off, struct ms_slot *out, struct ms_error *err)
{
    const struct format *format;
    enum ms_status status = read_list(chains, &format, err);
    if (status != MS_OK)
        return status;
    uint64_t file_off = chains->macho->segments[segment].off + off, i = file_off / LINK_BYTES;
    if (file_off % LINK_BYTES || !(chains->links[i >> 3] >> (i & 7) & 1)) {
        if (err)
            *err = chains->broken;
        return chains->broken.status == MS_OK ? MS_ABSENT : chains->broken.status;
    }
    struct ms_bytes word;
    (void)ms_bytes_part(data, off, format->word, &word); /* the walk read it */
    out->raw = load_word(chains, format, word.at);
    out->is_auth = bit(out->raw, format->auth_bit);
    if (bit(out->raw, format->bind_bit))
        return ms_fail(err, MS_E_FORMAT, chains->macho->where, file_off,
                       "this pointer is bound to import %u, and __chain_starts has none",
                       (unsigned)bits(out->raw, 0, format->ordinal_bits));
    return rebase(chains, format, chains->base_vm, file_off, out, err);
}

enum ms_status ms_chains_read(struct ms_chains *chains, uint32_t segment, struct ms_bytes data,
                              uint64_t off, struct ms_slot *out, struct ms_error *err)
{
    const struct ms_macho *macho = chains->macho;
    uint64_t segment_vm = macho->segments[segment].vm,
             file_off = macho->segments[segment].off + off;
    struct starts starts;
    if (chains->is_section)
        return read_listed(chains, segment, data, off, out, err);
    enum ms_status status = read_starts(chains, segment, &starts, err);
    if (status != MS_OK)
        return status;
    if (off / starts.page_bytes >= starts.n_pages)
        return MS_ABSENT;
    /* In the collections of x86_64's kernel offsets count from a segment below the header. */
    uint64_t base_vm = segment_vm - starts.segment_offset;
    if (base_vm != chains->base_vm && macho->filetype != MS_MH_FILESET)
        return fail_at(chains, starts.off + 8,
                       "a segment's offset differs from its address:", starts.segment_offset, err);
    struct ms_chain_page *page;
    status = find_page(chains, &starts, segment_vm, data, (uint32_t)(off / starts.page_bytes),
                       &page, err);
    if (status != MS_OK)
        return status;
    uint32_t at = (uint32_t)(off % starts.page_bytes);
    if (!(page->bits[at >> 3] >> (at & 7) & 1)) {
        if (at < page->broken_at)
            return MS_ABSENT;
        if (err)
            *err = page->broken;
        return page->broken.status;
    }
    struct ms_bytes word;
    (void)ms_bytes_part(data, off, starts.format->word, &word); /* the walk read it */
    out->raw = load_word(chains, starts.format, word.at);
    out->is_auth = bit(out->raw, starts.format->auth_bit);
    if (bit(out->raw, starts.format->bind_bit))
        return bind(chains, starts.format, out, err);
    if (starts.format == &FORMATS[3] && is_number(&starts, out))
        return MS_OK;
    return rebase(chains, starts.format, base_vm, file_off, out, err);
}

void ms_chain_thread(uint64_t raw, uint64_t base_vm, struct ms_slot *out, uint32_t *ordinal,
                     uint64_t *next)
{
    const struct format *format = &FORMATS[1];
    out->raw = raw;
    out->is_auth = bit(raw, format->auth_bit);
    out->kind = bit(raw, format->bind_bit) ? MS_SLOT_BIND : MS_SLOT_REBASE;
    *ordinal = (uint32_t)bits(raw, 0, format->ordinal_bits);
    *next = bits(raw, format->next_at, format->next_bits) * format->stride;
    if (out->kind == MS_SLOT_BIND) {
        out->addend = out->is_auth ? 0
                                   : sign_extend(bits(raw, format->addend_at, format->addend_bits),
                                                 format->addend_bits);
        return;
    }
    out->target_vm = out->is_auth ? base_vm + bits(raw, 0, format->auth_target_bits)
                                  : bits(raw, 0, format->target_bits);
    out->tag = out->is_auth ? 0 : (uint8_t)bits(raw, format->tag_at, 8);
}
