/*
 * macho/relocs.c: see relocs.h. Source of the format: mach-o/reloc.h and the reloc.h of
 * x86_64, arm64, arm and generic.
 */
#include "macho/relocs.h"

#include "base/cursor.h"
#include "base/error.h"

#include <stdlib.h>

enum {
    RELOC_BYTES = 8,
    UNSIGNED = 0 /* called VANILLA where addresses have 32 bits */
};
#define SCATTERED 0x80000000u

/* What the types mean that debug information has; 255 = there is none of that kind. */
struct kinds {
    uint32_t cputype;
    uint8_t subtractor, addend, pair;
};

static const struct kinds kinds_of[] = {
    {MS_CPU_X86_64, 5, 255, 255}, {MS_CPU_ARM64, 1, 10, 255}, {MS_CPU_ARM64_32, 1, 10, 255},
    {MS_CPU_I386, 255, 255, 1},   {MS_CPU_ARM, 255, 255, 1},  {MS_CPU_PPC, 255, 255, 1},
    {MS_CPU_PPC64, 255, 255, 1},
};

/* struct relocation_info, whose bit fields follow the byte order. */
struct reloc {
    uint32_t at;     /* in the section */
    uint32_t symbol; /* 24 bits: a symbol, or a section counted from 1 */
    uint8_t type, log2_bytes;
    bool pc_relative, external, scattered;
};

static struct reloc read_reloc(struct ms_cursor *c)
{
    struct reloc r;
    uint32_t at = ms_cursor_u32(c), word = ms_cursor_u32(c);
    memset(&r, 0, sizeof r);
    r.at = at;
    if (at & SCATTERED) { /* its word is the address referred to, which is added in already */
        r.scattered = true;
        r.at = at & 0xffffff;
        r.type = (at >> 24) & 0xf;
        r.log2_bytes = (at >> 28) & 3;
        r.pc_relative = (at >> 30) & 1;
        return r;
    }
    if (c->big) {
        r.symbol = word >> 8;
        r.pc_relative = (word >> 7) & 1;
        r.log2_bytes = (word >> 5) & 3;
        r.external = (word >> 4) & 1;
        r.type = word & 0xf;
    } else {
        r.symbol = word & 0xffffff;
        r.pc_relative = (word >> 24) & 1;
        r.log2_bytes = (word >> 25) & 3;
        r.external = (word >> 27) & 1;
        r.type = word >> 28;
    }
    return r;
}

static const struct kinds *kinds_for(const struct ms_macho *macho)
{
    for (size_t i = 0; i < sizeof kinds_of / sizeof *kinds_of; i++)
        if (kinds_of[i].cputype == macho->cputype)
            return &kinds_of[i];
    return NULL;
}

/* A section in hand, and what the relocations before the one that stores have gathered. */
struct job {
    const struct ms_macho *macho;
    const struct ms_section *section;
    const struct kinds *kinds;
    struct ms_bytes bytes;
    uint8_t *copy;      /* made at the first change */
    uint64_t addend;    /* of an ADDEND; less the symbol of a SUBTRACTOR */
    uint64_t reloc_off; /* in the slice, for messages */
    struct ms_error *err;
};

static enum ms_status fail(struct job *job, const char *what)
{
    return ms_fail(job->err, MS_E_FORMAT, job->macho->where, job->reloc_off, "relocation of %s: %s",
                   job->section->name, what);
}

/* A symbol of another object has no address here: 0, as if nothing were said. */
static enum ms_status symbol_value(struct job *job, const struct reloc *r, uint64_t *out)
{
    *out = 0;
    if (!r->external)
        return MS_OK;
    if (r->symbol >= job->macho->n_nlist)
        return fail(job, "names a symbol that isn't in the table");
    struct ms_nlist symbol = ms_nlist_at(job->macho, r->symbol, NULL);
    bool undefined = !(symbol.type & MS_N_STAB) && (symbol.type & MS_N_TYPE) == MS_N_UNDF;
    *out = undefined ? 0 : symbol.value;
    return MS_OK;
}

static void store(uint8_t *at, unsigned n, bool big, uint64_t value)
{
    for (unsigned i = 0; i < n; i++)
        at[big ? n - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

static enum ms_status add(struct job *job, const struct reloc *r, uint64_t value)
{
    unsigned n = 1u << r->log2_bytes;
    struct ms_bytes field;
    if (!ms_bytes_part(job->bytes, r->at, n, &field))
        return fail(job, "lies outside the section");
    if (!value)
        return MS_OK;
    if (!job->copy) {
        job->copy = malloc(job->bytes.n);
        if (!job->copy)
            return ms_fail_memory(job->err);
        memcpy(job->copy, job->bytes.at, job->bytes.n);
    }
    struct ms_bytes now = {job->copy + r->at, n};
    struct ms_cursor c = ms_cursor_over(now, job->macho->big);
    store(job->copy + r->at, n, job->macho->big, ms_cursor_uint(&c, n) + value);
    return MS_OK;
}

static enum ms_status apply_one(struct job *job, const struct reloc *r)
{
    uint64_t value;
    if (!r->scattered && r->type == job->kinds->addend) { /* a number of 24 bits with a sign */
        job->addend += r->symbol & 0x800000 ? r->symbol | ~(uint64_t)0xffffff : r->symbol;
        return MS_OK;
    }
    if (r->scattered || r->type == job->kinds->pair)
        return MS_OK; /* the difference stands there */
    enum ms_status status = symbol_value(job, r, &value);
    if (status != MS_OK)
        return status;
    if (r->type == job->kinds->subtractor) {
        job->addend -= value;
        return MS_OK;
    }
    if (r->type == UNSIGNED && !r->pc_relative)
        status = add(job, r, value + job->addend);
    job->addend = 0;
    return status;
}

enum ms_status ms_relocs_apply(const struct ms_macho *macho, const struct ms_section *section,
                               struct ms_bytes bytes, uint8_t **out, struct ms_error *err)
{
    struct job job = {.macho = macho, .section = section, .bytes = bytes, .err = err};
    struct ms_bytes table;
    *out = NULL;
    job.kinds = kinds_for(macho);
    if (!section->nreloc || !job.kinds)
        return MS_OK;
    job.reloc_off = section->reloff;
    if (!ms_bytes_part(macho->bytes, section->reloff, (uint64_t)section->nreloc * RELOC_BYTES,
                       &table))
        return fail(&job, "the table lies outside the file");
    struct ms_cursor c = ms_cursor_over(table, macho->big);
    enum ms_status status = MS_OK;
    for (uint32_t i = 0; i < section->nreloc && status == MS_OK; i++) {
        job.reloc_off = section->reloff + (uint64_t)i * RELOC_BYTES;
        struct reloc r = read_reloc(&c);
        status = apply_one(&job, &r);
    }
    if (status != MS_OK) {
        free(job.copy);
        return status;
    }
    *out = job.copy;
    return MS_OK;
}
