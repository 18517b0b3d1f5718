#include "macho/fixups.h"

#include "base/cursor.h"
#include "macho/commands.h"
#include "macho/fixups_binds.h"
#include "macho/fixups_chains.h"
#include "macho/fixups_rebases.h"

#include <stdlib.h>

/* A run of addresses and of the file's bytes: a segment, or in an object a section. */
struct span {
    uint64_t vm, vm_bytes;
    uint64_t off, file_bytes; /* file_bytes: 0 where the file has none */
    uint32_t segment;
    bool is_copy; /* a dSYM's: what the image has there is not known */
};

struct ms_fixups {
    const struct ms_macho *macho;
    unsigned word;
    uint64_t base_vm;
    struct span *spans; /* sorted by vm; those that hold nothing are left out */
    size_t n_spans;
    struct ms_chains chains;
    struct ms_binds binds;
    struct ms_rebases rebases;
    bool has_binds; /* they were read */
};

/* ---- addresses ------------------------------------------------------------------------------- */

static int by_vm(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->vm < y->vm ? -1 : x->vm > y->vm;
}

static void add_span(struct ms_fixups *fixups, struct span span)
{
    if (span.vm_bytes == 0)
        return;
    if (span.file_bytes > span.vm_bytes)
        span.file_bytes = span.vm_bytes;
    fixups->spans[fixups->n_spans++] = span;
}

static void list_spans(struct ms_fixups *fixups)
{
    const struct ms_macho *macho = fixups->macho;
    bool is_object = macho->filetype == MS_MH_OBJECT;
    for (size_t i = 0; is_object && i < macho->n_sections; i++) {
        const struct ms_section *s = &macho->sections[i];
        uint64_t file_bytes = ms_section_is_zerofill(s) ? 0 : s->vm_bytes;
        add_span(fixups, (struct span){s->vm, s->vm_bytes, s->off, file_bytes, s->segment, false});
    }
    for (size_t i = 0; !is_object && i < macho->n_segments; i++) {
        const struct ms_segment *s = &macho->segments[i];
        bool is_copy = s->file_bytes == 0 &&
                       (macho->filetype == MS_MH_DSYM || macho->filetype == MS_MH_DYLIB_STUB);
        add_span(fixups,
                 (struct span){s->vm, s->vm_bytes, s->off, s->file_bytes, (uint32_t)i, is_copy});
    }
    qsort(fixups->spans, fixups->n_spans, sizeof *fixups->spans, by_vm);
}

static const struct span *find_span(const struct ms_fixups *fixups, uint64_t vm)
{
    size_t low = 0, high = fixups->n_spans;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (fixups->spans[middle].vm <= vm)
            low = middle + 1;
        else
            high = middle;
    }
    const struct span *span = low ? &fixups->spans[low - 1] : NULL;
    return span && vm - span->vm < span->vm_bytes ? span : NULL;
}

/* The Mach-O header is mapped with the segment that has the file's first bytes. */
static uint64_t header_vm(const struct ms_macho *macho)
{
    if (macho->has_text)
        return macho->text_vm;
    for (size_t i = 0; i < macho->n_segments; i++)
        if (macho->segments[i].off == 0 && macho->segments[i].file_bytes)
            return macho->segments[i].vm;
    return 0;
}

enum ms_status ms_fixups_open(const struct ms_macho *macho, struct ms_fixups **out,
                              struct ms_error *err)
{
    bool is_object = macho->filetype == MS_MH_OBJECT;
    struct ms_fixups *fixups = calloc(1, sizeof *fixups);
    if (fixups)
        fixups->spans =
            calloc((is_object ? macho->n_sections : macho->n_segments) + 1, sizeof *fixups->spans);
    if (!fixups || !fixups->spans) {
        free(fixups);
        return ms_fail_memory(err);
    }
    fixups->macho = macho;
    fixups->word = macho->is64 ? 8 : 4;
    fixups->base_vm = header_vm(macho);
    list_spans(fixups);
    ms_chains_open(macho, fixups->base_vm, &fixups->chains);
    *out = fixups;
    return MS_OK;
}

void ms_fixups_close(struct ms_fixups *fixups)
{
    if (!fixups)
        return;
    ms_chains_close(&fixups->chains);
    ms_binds_fini(&fixups->binds);
    ms_rebases_fini(&fixups->rebases);
    free(fixups->spans);
    free(fixups);
}

unsigned ms_fixups_pointer_bytes(const struct ms_fixups *fixups)
{
    return fixups->word;
}

uint64_t ms_fixups_base(const struct ms_fixups *fixups)
{
    return fixups->base_vm;
}

/* The span of an address and what the file has of it; MS_ABSENT as ms_fixups_bytes. */
static enum ms_status locate(const struct ms_fixups *fixups, uint64_t vm, const struct span **found,
                             struct ms_bytes *data, struct ms_error *err)
{
    const struct ms_macho *macho = fixups->macho;
    const struct span *span = find_span(fixups, vm);
    *found = span;
    *data = (struct ms_bytes){NULL, 0};
    if (!span)
        return ms_fail(err, MS_E_FORMAT, macho->where, MS_NO_OFFSET,
                       "address 0x%llx lies in no segment", (unsigned long long)vm);
    if (span->file_bytes == 0)
        return MS_ABSENT;
    if (!ms_bytes_part(macho->bytes, span->off, span->file_bytes, data)) {
        /* A truncated file: what is left of the segment serves. */
        (void)ms_bytes_from(macho->bytes, span->off, data);
        if (vm - span->vm >= data->n && vm - span->vm < span->file_bytes)
            return ms_fail(err, MS_E_FORMAT, macho->where, macho->bytes.n,
                           "address 0x%llx would lie at 0x%llx, the file has 0x%zx bytes",
                           (unsigned long long)vm,
                           (unsigned long long)(span->off + (vm - span->vm)), macho->bytes.n);
    }
    return vm - span->vm < span->file_bytes ? MS_OK : MS_ABSENT;
}

enum ms_status ms_fixups_bytes(const struct ms_fixups *fixups, uint64_t address_vm,
                               struct ms_bytes *out, struct ms_error *err)
{
    const struct span *span;
    struct ms_bytes data;
    *out = (struct ms_bytes){NULL, 0};
    enum ms_status status = locate(fixups, address_vm, &span, &data, err);
    if (status == MS_OK)
        (void)ms_bytes_from(data, address_vm - span->vm, out);
    return status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* True for an address that one could point to. */
static bool is_inside(const struct ms_fixups *fixups, uint64_t vm)
{
    const struct span *span = find_span(fixups, vm);
    return span && strcmp(fixups->macho->segments[span->segment].name, "__PAGEZERO") != 0;
}

static void take_number(struct ms_slot *out)
{
    out->kind = out->raw == 0 ? MS_SLOT_NULL : MS_SLOT_PLAIN;
    out->value = out->raw;
}

/* A word that nothing binds. Where there is no list of rebases, it is an address if it can be. */
static void take_word(const struct ms_fixups *fixups, uint32_t segment, uint64_t segment_off,
                      struct ms_slot *out)
{
    const struct ms_macho *macho = fixups->macho;
    bool is_listed = ms_rebases_has(&fixups->rebases, segment, segment_off);
    take_number(out);
    /* An object's addresses begin at 0 and would make an address of any number. */
    if (!is_listed &&
        (out->raw == 0 || macho->filetype == MS_MH_OBJECT ||
         (fixups->rebases.is_whole && segment_off % 4 == 0) || !is_inside(fixups, out->raw)))
        return;
    out->kind = MS_SLOT_REBASE;
    out->target_vm = out->raw;
    /* The top byte may say something else: libc++ marks names of private types there. */
    if (macho->is64 && !is_inside(fixups, out->raw) &&
        is_inside(fixups, out->raw & ~((uint64_t)0xff << 56))) {
        out->tag = (uint8_t)(out->raw >> 56);
        out->target_vm &= ~((uint64_t)0xff << 56);
    }
}

static void take_bind(const struct ms_bind *bind, bool is_weak, struct ms_slot *out)
{
    if (is_weak && out->kind == MS_SLOT_REBASE) { /* this image has a definition of its own */
        out->name = bind->name;
        return;
    }
    if (is_weak && out->kind == MS_SLOT_BIND)
        return;
    uint64_t addend = (uint64_t)bind->addend + (bind->adds_word ? out->raw : 0);
    if (bind->is_defined) {
        out->kind = MS_SLOT_REBASE;
        out->target_vm = bind->value + addend;
        return;
    }
    out->kind = MS_SLOT_BIND;
    out->name = bind->name;
    out->ordinal = bind->ordinal;
    out->addend = (int64_t)addend;
    out->weak_import = bind->weak_import;
}

static enum ms_status take_thread(struct ms_fixups *fixups, uint64_t slot_off, struct ms_slot *out,
                                  struct ms_error *err)
{
    uint32_t ordinal;
    uint64_t next;
    ms_chain_thread(out->raw, fixups->base_vm, out, &ordinal, &next);
    if (out->kind != MS_SLOT_BIND)
        return MS_OK;
    if (ordinal >= fixups->binds.n_ordinals)
        return ms_fail(err, MS_E_FORMAT, fixups->macho->where, slot_off,
                       "this pointer is bound to symbol %u of %zu", (unsigned)ordinal,
                       fixups->binds.n_ordinals);
    const struct ms_bind *bind = &fixups->binds.items[fixups->binds.ordinals[ordinal]];
    int64_t addend = out->addend;
    take_bind(bind, false, out);
    out->addend = (int64_t)((uint64_t)out->addend + (uint64_t)addend);
    return MS_OK;
}

static enum ms_status read_bound(struct ms_fixups *fixups, const struct span *span,
                                 uint64_t slot_vm, struct ms_slot *out, struct ms_error *err)
{
    uint64_t slot_off = span->off + (slot_vm - span->vm);
    if (!fixups->has_binds) {
        enum ms_status status = ms_binds_read(fixups->macho, fixups->base_vm, &fixups->binds, err);
        if (status == MS_OK)
            status = ms_rebases_read(fixups->macho, &fixups->rebases, err);
        if (status != MS_OK) {
            ms_binds_fini(&fixups->binds);
            return status;
        }
        fixups->has_binds = true;
    }
    size_t n;
    const struct ms_record *records = ms_binds_find(&fixups->binds, slot_vm, &n);
    take_word(fixups, span->segment, slot_vm - span->vm, out);
    if (n == 0 && out->kind != MS_SLOT_REBASE && fixups->binds.damage.status != MS_OK) {
        if (err)
            *err = fixups->binds.damage;
        return fixups->binds.damage.status;
    }
    for (size_t i = 0; i < n; i++) {
        enum ms_bind_rank rank = (enum ms_bind_rank)records[i].rank;
        if (rank == MS_BIND_THREAD)
            return take_thread(fixups, slot_off, out, err);
        /* A lazy pointer's word leads to the code that binds it; only weak ones stay. */
        if (out->kind != MS_SLOT_BIND || rank == MS_BIND_WEAK)
            take_bind(&fixups->binds.items[records[i].index], rank == MS_BIND_WEAK, out);
    }
    return MS_OK;
}

enum ms_status ms_fixups_read(struct ms_fixups *fixups, uint64_t slot_vm, struct ms_slot *out,
                              struct ms_error *err)
{
    const struct ms_macho *macho = fixups->macho;
    const struct span *span;
    struct ms_bytes data, word;
    memset(out, 0, sizeof *out);
    enum ms_status status = locate(fixups, slot_vm, &span, &data, err);
    if (status == MS_ABSENT && !span->is_copy) {
        /* Zerofill: nothing is ever bound there but by opcodes, and no linker does that. */
        out->kind = MS_SLOT_NULL;
        return MS_OK;
    }
    if (status != MS_OK)
        return status;
    uint64_t off = slot_vm - span->vm;
    if (!ms_bytes_part(data, off, fixups->word, &word))
        return ms_fail(err, MS_E_FORMAT, macho->where, span->off + off,
                       "a pointer needs %u bytes, %zu remain of segment %s", fixups->word,
                       (size_t)(data.n - off), macho->segments[span->segment].name);
    out->raw =
        fixups->word == 8 ? ms_load_u64(word.at, macho->big) : ms_load_u32(word.at, macho->big);
    if (!fixups->chains.present || macho->filetype == MS_MH_OBJECT)
        return read_bound(fixups, span, slot_vm, out, err);
    status = ms_chains_read(&fixups->chains, span->segment, data, off, out, err);
    if (status == MS_ABSENT) {
        take_number(out);
        status = MS_OK;
    }
    return status;
}
