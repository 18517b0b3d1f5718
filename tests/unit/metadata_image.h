/*
 * An image with metadata, built word by word: __TEXT of a page (sections of the test's choosing;
 * code at 0x800), __DATA of a page behind it, and, for arm64e, one chain of fixups through __DATA.
 * Without fixups, words are addresses.
 */
#ifndef METADATA_IMAGE_H
#define METADATA_IMAGE_H

#include "unit/macho_builder.h"

enum { META_PAGE = 0x1000, META_CODE = 0x800, META_CODE_BYTES = 0x100, MAX_SLOTS = 32 };

struct metadata_image {
    struct build b;
    uint64_t text_vm, data_vm;
    size_t data_segment;
    size_t text_segment, command; /* of the chain; 0 without */
    struct {
        size_t off;
        uint64_t bits;
    } slots[MAX_SLOTS];
    size_t n_slots;
    const char *imports[MAX_SLOTS];
    size_t n_imports;
};

/* Opens __TEXT: its sections come next, by meta_section. */
static inline struct metadata_image meta_begin(bool is64, uint32_t cputype, uint32_t cpusubtype,
                                               uint32_t filetype)
{
    struct metadata_image m;
    memset(&m, 0, sizeof m);
    m.b = build_macho(is64, false, cputype, cpusubtype, filetype);
    m.text_vm = is64 ? 0x100000000 : 0x4000;
    m.data_vm = m.text_vm + META_PAGE;
    m.text_segment = begin_segment(&m.b, "__TEXT", m.text_vm, META_PAGE, 0, META_PAGE);
    put_section(&m.b, m.text_segment, "__text", "__TEXT", m.text_vm + META_CODE, META_CODE_BYTES,
                META_CODE, 0x80000400);
    return m;
}

static inline void meta_text_section(struct metadata_image *m, const char *name, uint32_t off,
                                     uint32_t n)
{
    put_section(&m->b, m->text_segment, name, "__TEXT", m->text_vm + off, n, off, 0);
}

/* Ends __TEXT, opens __DATA. */
static inline void meta_data(struct metadata_image *m)
{
    end_command(&m->b, m->text_segment);
    m->data_segment = begin_segment(&m->b, "__DATA", m->data_vm, META_PAGE, META_PAGE, META_PAGE);
}

static inline void meta_data_section(struct metadata_image *m, const char *name, uint32_t off,
                                     uint32_t n)
{
    put_section(&m->b, m->data_segment, name, "__DATA", m->data_vm + off, n, META_PAGE + off, 0);
}

/* Ends the commands. */
static inline void meta_end(struct metadata_image *m, bool chained)
{
    end_command(&m->b, m->data_segment);
    if (chained)
        m->command = PUT_COMMAND(&m->b, 0x80000034, 0, 0);
    pad_to(&m->b, 2 * META_PAGE);
}

/* n bytes at an offset from __TEXT; __DATA begins at META_PAGE. */
static inline void meta_set(struct metadata_image *m, size_t off, uint64_t value, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        m->b.at[off + i] = (uint8_t)(value >> (8 * i));
}

static inline void meta_u32(struct metadata_image *m, size_t off, uint32_t value)
{
    meta_set(m, off, value, 4);
}

static inline void meta_string(struct metadata_image *m, size_t off, const char *text)
{
    memcpy(m->b.at + off, text, strlen(text) + 1);
}

/* An offset that counts from where it stands; `flags` are added. */
static inline void meta_relative(struct metadata_image *m, size_t off, size_t target,
                                 uint32_t flags)
{
    meta_u32(m, off, (uint32_t)(target - off) + flags);
}

/* A pointer to an offset from __TEXT: plain, or signed in a chain. */
static inline void meta_pointer(struct metadata_image *m, size_t off, uint64_t target)
{
    if (!m->command) {
        meta_set(m, off, m->text_vm + target, m->b.is64 ? 8 : 4);
        return;
    }
    m->slots[m->n_slots].off = off;
    m->slots[m->n_slots++].bits = target | (uint64_t)0x1234 << 32 | (uint64_t)1 << 63;
}

/* A pointer that is bound to a symbol: in a chain alone. */
static inline void meta_bind(struct metadata_image *m, size_t off, const char *symbol)
{
    m->imports[m->n_imports] = symbol;
    m->slots[m->n_slots].off = off;
    m->slots[m->n_slots++].bits = m->n_imports++ | (uint64_t)1 << 62;
}

/* Writes the chain (DYLD_CHAINED_PTR_ARM64E_USERLAND24, in the order of the slots) and its imports.
 */
static inline void meta_chain(struct metadata_image *m)
{
    struct build p = {NULL, 0, 0, true, false};
    struct build names = {NULL, 0, 0, true, false};
    for (size_t i = 0; i < m->n_slots; i++)
        for (size_t k = i + 1; k < m->n_slots; k++)
            if (m->slots[k].off < m->slots[i].off) {
                size_t off = m->slots[i].off;
                uint64_t bits = m->slots[i].bits;
                m->slots[i] = m->slots[k];
                m->slots[k].off = off;
                m->slots[k].bits = bits;
            }
    for (size_t i = 0; i < m->n_slots; i++) {
        uint64_t next = i + 1 < m->n_slots ? (m->slots[i + 1].off - m->slots[i].off) / 8 : 0;
        meta_set(m, m->slots[i].off, m->slots[i].bits | next << 51, 8);
    }
    const uint32_t starts = 28, imports = starts + 12 + 24;
    uint32_t symbols = imports + 4 * (uint32_t)m->n_imports;
    const uint32_t head[] = {0, starts, imports, symbols, (uint32_t)m->n_imports, 1, 0};
    for (size_t i = 0; i < 7; i++)
        put_u32(&p, head[i]);
    put_u32(&p, 2); /* segments: none in __TEXT, those of __DATA behind this */
    put_u32(&p, 0);
    put_u32(&p, 12);
    put_u32(&p, 24);
    put_u16(&p, META_PAGE);
    put_u16(&p, 12);
    put_u64(&p, META_PAGE);
    put_u32(&p, 0);
    put_u16(&p, 1);
    put_u16(&p, m->n_slots ? m->slots[0].off - META_PAGE : 0xffff);
    put_u8(&names, 0);
    for (size_t i = 0; i < m->n_imports; i++) {
        put_u32(&p, 1 | (uint32_t)names.n << 9);
        put_string(&names, m->imports[i]);
    }
    put_bytes(&p, names.at, names.n);
    set_u32(&m->b, m->command, (uint32_t)m->b.n);
    set_u32(&m->b, m->command + 4, (uint32_t)p.n);
    put_bytes(&m->b, p.at, p.n);
    build_free(&p);
    build_free(&names);
}

#endif
