/*
 * macho/codesign.c: the outer shape of a code signature: the index of blobs, and which reader each
 * goes to. Blobs may lie in any order with gaps between; none may reach into the index, past the
 * end, or into another one, since then two readers of one file would see two signatures.
 */
#include "macho/codesign.h"

#include "macho/commands.h"
#include "macho/where.h"

#include <stdlib.h>
#include <string.h>

enum { LC_CODE_SIGNATURE = 0x1d, INDEX_BYTES = 12, ENTRY_BYTES = 8, BLOB_HEAD = 8 };

#define MAGIC_EMBEDDED_OLD 0xfade0b02u
#define MAGIC_DETACHED 0xfade0cc1u

struct ms_error *ms_cs_fault(struct ms_cs_work *w)
{
    if (w->sign.n_faults >= MS_CS_MAX_FAULTS) {
        w->sign.n_faults_more++;
        return &w->spare;
    }
    w->sign.faults = w->faults;
    return &w->faults[w->sign.n_faults++];
}

/* ---- names ---------------------------------------------------------------------------------- */

static const struct {
    uint32_t slot;
    uint32_t magic; /* that its blob must have; 0: the slot has no blob */
    const char *name;
} SLOTS[] = {
    {MS_CSSLOT_CODE_DIRECTORY, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "code directory"},
    {MS_CSSLOT_INFO, 0, "Info.plist"},
    {MS_CSSLOT_REQUIREMENTS, (uint32_t)MS_CSMAGIC_REQUIREMENTS, "requirements"},
    {MS_CSSLOT_RESOURCES, 0, "resources"},
    {MS_CSSLOT_APPLICATION, 0, "application data"},
    {MS_CSSLOT_ENTITLEMENTS, (uint32_t)MS_CSMAGIC_ENTITLEMENTS, "entitlements"},
    {6, 0, "disk image"},
    {MS_CSSLOT_ENTITLEMENTS_DER, (uint32_t)MS_CSMAGIC_ENTITLEMENTS_DER, "DER entitlements"},
    {8, (uint32_t)MS_CSMAGIC_CONSTRAINT, "launch constraint"},
    {9, (uint32_t)MS_CSMAGIC_CONSTRAINT, "launch constraint of the parent"},
    {10, (uint32_t)MS_CSMAGIC_CONSTRAINT, "launch constraint of the responsible process"},
    {11, (uint32_t)MS_CSMAGIC_CONSTRAINT, "library constraint"},
    {0x1000, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 1"},
    {0x1001, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 2"},
    {0x1002, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 3"},
    {0x1003, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 4"},
    {0x1004, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 5"},
    {0x1005, (uint32_t)MS_CSMAGIC_CODE_DIRECTORY, "alternate code directory 6"},
    {MS_CSSLOT_CMS, (uint32_t)MS_CSMAGIC_CMS, "CMS signature"},
};
enum { N_SLOTS = sizeof SLOTS / sizeof *SLOTS };

const char *ms_codesign_slot_name(uint32_t slot)
{
    for (int i = 0; i < N_SLOTS; i++)
        if (SLOTS[i].slot == slot)
            return SLOTS[i].name;
    return NULL;
}

static uint32_t magic_of_slot(uint32_t slot)
{
    for (int i = 0; i < N_SLOTS; i++)
        if (SLOTS[i].slot == slot)
            return SLOTS[i].magic;
    return 0;
}

bool ms_cs_has_blob(uint32_t slot)
{
    return magic_of_slot(slot) != 0;
}

const char *ms_codesign_flag_name(uint32_t bit)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{0x1, "host"},
                 {MS_CS_ADHOC, "adhoc"},
                 {0x4, "get-task-allow"},
                 {0x8, "installer"},
                 {0x100, "hard"},
                 {0x200, "kill"},
                 {0x400, "expires"},
                 {0x800, "restrict"},
                 {0x1000, "enforcement"},
                 {0x2000, "library-validation"},
                 {MS_CS_RUNTIME, "runtime"},
                 {MS_CS_LINKER_SIGNED, "linker-signed"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].bit == bit)
            return names[i].name;
    return NULL;
}

const char *ms_codesign_exec_flag_name(uint64_t bit)
{
    static const struct {
        uint64_t bit;
        const char *name;
    } names[] = {{0x1, "main-binary"},
                 {0x10, "allow-unsigned"},
                 {0x20, "debugger"},
                 {0x40, "jit"},
                 {0x80, "skip-library-validation"},
                 {0x100, "can-load-cdhash"},
                 {0x200, "can-exec-cdhash"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].bit == bit)
            return names[i].name;
    return NULL;
}

/* ---- the index ------------------------------------------------------------------------------ */

/* The bytes that LC_CODE_SIGNATURE names. */
static enum ms_status find_area(struct ms_cs_work *w, struct ms_bytes *area, struct ms_error *err)
{
    const struct ms_macho *macho = w->macho;
    const struct ms_load_command *command = NULL;
    for (size_t i = 0; i < macho->n_commands; i++) {
        if (macho->commands[i].cmd != LC_CODE_SIGNATURE)
            continue;
        if (command)
            (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, macho->commands[i].off,
                          "a second LC_CODE_SIGNATURE, the first is at 0x%x",
                          (unsigned)command->off);
        else
            command = &macho->commands[i];
    }
    if (!command)
        return MS_ABSENT;
    struct ms_cursor c = ms_cursor_over(command->body, macho->big);
    ms_cursor_skip(&c, 8);
    w->sign.off = ms_cursor_u32(&c);
    w->sign.area_bytes = ms_cursor_u32(&c);
    if (!ms_bytes_part(macho->bytes, w->sign.off, w->sign.area_bytes, area))
        return ms_fail(err, MS_E_FORMAT, w->where, command->off,
                       "LC_CODE_SIGNATURE: the signature takes 0x%llx bytes from 0x%llx, the file "
                       "has 0x%zx",
                       (unsigned long long)w->sign.area_bytes, (unsigned long long)w->sign.off,
                       macho->bytes.n);
    return MS_OK;
}

static enum ms_status read_head(struct ms_cs_work *w, struct ms_bytes area, struct ms_cursor *c,
                                uint32_t *count, struct ms_error *err)
{
    *c = ms_cursor_over(area, true);
    uint32_t magic = ms_cursor_u32(c);
    w->sign.bytes = ms_cursor_u32(c);
    *count = ms_cursor_u32(c);
    uint64_t off = w->sign.off;
    if (c->bad)
        return ms_fail(err, MS_E_FORMAT, w->where, off,
                       "the signature has %zu bytes, its index needs %d", area.n, INDEX_BYTES);
    if (magic == MAGIC_EMBEDDED_OLD || magic == MAGIC_DETACHED)
        return ms_fail(err, MS_E_UNSUPPORTED, w->where, off, "a signature %s (magic 0x%x)",
                       magic == MAGIC_DETACHED ? "meant to lie outside of the binary"
                                               : "in the form of before Mac OS X 10.5.6",
                       (unsigned)magic);
    if (magic != (uint32_t)MS_CSMAGIC_EMBEDDED)
        return ms_fail(err, MS_E_FORMAT, w->where, off,
                       "the signature starts with 0x%08x, expected 0xfade0cc0", (unsigned)magic);
    if (w->sign.bytes > area.n || w->sign.bytes < INDEX_BYTES)
        return ms_fail(err, MS_E_FORMAT, w->where, off + 4,
                       "the signature takes %u bytes, LC_CODE_SIGNATURE gives it %zu",
                       (unsigned)w->sign.bytes, area.n);
    if (*count > (w->sign.bytes - INDEX_BYTES) / ENTRY_BYTES)
        return ms_fail(err, MS_E_FORMAT, w->where, off + 8,
                       "an index of %u blobs does not fit into the signature's %u bytes",
                       (unsigned)*count, (unsigned)w->sign.bytes);
    if (*count > MS_CS_MAX_BLOBS)
        return ms_fail(err, MS_E_LIMIT, w->where, off + 8, "%u blobs, at most %d are read",
                       (unsigned)*count, MS_CS_MAX_BLOBS);
    return MS_OK;
}

static const char *describe(uint32_t slot)
{
    const char *name = ms_codesign_slot_name(slot);
    return name ? name : "a blob";
}

/* Cuts out the blob of an index entry, which stands at `entry_off`; false after a fault. */
static bool read_entry(struct ms_cs_work *w, struct ms_bytes all, uint32_t count, uint32_t slot,
                       uint32_t off, uint64_t entry_off, struct ms_cs_blob *out)
{
    struct ms_bytes head;
    uint32_t index_end = INDEX_BYTES + ENTRY_BYTES * count;
    out->slot = slot;
    out->off = w->sign.off + off;
    if (off < index_end || !ms_bytes_part(all, off, BLOB_HEAD, &head)) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, entry_off,
                      "%s (slot 0x%x) at 0x%x of the signature: outside, or inside of the index, "
                      "which ends at 0x%x",
                      describe(slot), (unsigned)slot, (unsigned)off, (unsigned)index_end);
        return false;
    }
    struct ms_cursor c = ms_cursor_over(head, true);
    out->magic = ms_cursor_u32(&c);
    uint32_t bytes = ms_cursor_u32(&c), magic = magic_of_slot(slot);
    if (bytes < BLOB_HEAD || !ms_bytes_part(all, off, bytes, &out->bytes)) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, out->off + 4,
                      "%s (slot 0x%x) takes %u bytes, %zu remain", describe(slot), (unsigned)slot,
                      (unsigned)bytes, all.n - off);
        return false;
    }
    if (magic && magic != out->magic) {
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, out->off,
                      "%s (slot 0x%x) starts with 0x%08x, expected 0x%08x", describe(slot),
                      (unsigned)slot, (unsigned)out->magic, (unsigned)magic);
        return false;
    }
    return true;
}

static int by_offset(const void *a, const void *b)
{
    const struct ms_cs_blob *x = *(const struct ms_cs_blob *const *)a;
    const struct ms_cs_blob *y = *(const struct ms_cs_blob *const *)b;
    return x->off < y->off ? -1 : x->off > y->off ? 1 : x < y ? -1 : x > y;
}

static int by_slot(const void *a, const void *b)
{
    const struct ms_cs_blob *x = *(const struct ms_cs_blob *const *)a;
    const struct ms_cs_blob *y = *(const struct ms_cs_blob *const *)b;
    return x->slot < y->slot ? -1 : x->slot > y->slot ? 1 : x < y ? -1 : x > y;
}

/* Two blobs that share bytes, and two for one slot, leave open what is meant. */
static enum ms_status check_blobs(struct ms_cs_work *w, const struct ms_cs_blob *blobs, size_t n,
                                  struct ms_error *err)
{
    const struct ms_cs_blob **order = ms_arena_zeroed(&w->arena, n + 1, sizeof(void *));
    if (!order)
        return ms_fail_memory(err);
    for (size_t i = 0; i < n; i++)
        order[i] = &blobs[i];
    qsort(order, n, sizeof *order, by_offset);
    for (size_t i = 1; i < n; i++)
        if (order[i - 1]->bytes.n > order[i]->off - order[i - 1]->off)
            (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, order[i]->off,
                          "%s (slot 0x%x) overlaps %s (slot 0x%x) at 0x%llx",
                          describe(order[i]->slot), (unsigned)order[i]->slot,
                          describe(order[i - 1]->slot), (unsigned)order[i - 1]->slot,
                          (unsigned long long)order[i - 1]->off);
    qsort(order, n, sizeof *order, by_slot);
    for (size_t i = 1; i < n; i++)
        if (order[i - 1]->slot == order[i]->slot)
            (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, order[i]->off,
                          "a second blob for slot 0x%x (%s), the first in the index is at 0x%llx",
                          (unsigned)order[i]->slot, describe(order[i]->slot),
                          (unsigned long long)order[i - 1]->off);
    return MS_OK;
}

static enum ms_status read_index(struct ms_cs_work *w, struct ms_error *err)
{
    struct ms_bytes area, all;
    struct ms_cursor c;
    uint32_t count;
    enum ms_status status = find_area(w, &area, err);
    if (status == MS_OK)
        status = read_head(w, area, &c, &count, err);
    if (status != MS_OK)
        return status;
    (void)ms_bytes_part(area, 0, w->sign.bytes, &all);
    struct ms_cs_blob *blobs = ms_arena_zeroed(&w->arena, (size_t)count + 1, sizeof *blobs);
    if (!blobs)
        return ms_fail_memory(err);
    size_t n = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t entry_off = w->sign.off + ms_cursor_offset(&c);
        uint32_t slot = ms_cursor_u32(&c), off = ms_cursor_u32(&c);
        n += read_entry(w, all, count, slot, off, entry_off, &blobs[n]);
    }
    w->sign.blobs = blobs;
    w->sign.n_blobs = n;
    return check_blobs(w, blobs, n, err);
}

/* ---- the parts ------------------------------------------------------------------------------ */

/* A property list inside of a blob: what it gets is the offset in the slice. */
static enum ms_status read_plist(struct ms_cs_work *w, const struct ms_cs_blob *blob, bool is_der,
                                 struct ms_plist_tree **tree, const struct ms_plist **out,
                                 struct ms_error *err)
{
    struct ms_bytes body;
    struct ms_error fault;
    (void)ms_bytes_from(blob->bytes, BLOB_HEAD, &body);
    enum ms_status status =
        (is_der ? ms_plist_parse_der : ms_plist_parse)(body, describe(blob->slot), tree, &fault);
    if (status == MS_OK) {
        *out = ms_plist_root(*tree);
        return MS_OK;
    }
    if (status == MS_E_NOMEM)
        return ms_fail_memory(err);
    uint64_t off = blob->off + BLOB_HEAD + (fault.offset == MS_NO_OFFSET ? 0 : fault.offset);
    (void)ms_fail(ms_cs_fault(w), status, w->where, off, "%s: %s", describe(blob->slot),
                  fault.text);
    return MS_OK;
}

static const struct ms_cs_blob *blob_of(const struct ms_codesign *sign, uint32_t slot)
{
    for (size_t i = 0; i < sign->n_blobs; i++)
        if (sign->blobs[i].slot == slot)
            return &sign->blobs[i];
    return NULL;
}

static enum ms_status read_plists(struct ms_cs_work *w, struct ms_error *err)
{
    struct ms_codesign *sign = &w->sign;
    const struct ms_cs_blob *xml = blob_of(sign, MS_CSSLOT_ENTITLEMENTS);
    const struct ms_cs_blob *der = blob_of(sign, MS_CSSLOT_ENTITLEMENTS_DER);
    enum ms_status status = MS_OK;
    sign->has_xml = xml != NULL;
    sign->has_der = der != NULL;
    if (xml)
        status = read_plist(w, xml, false, &w->trees[0], &sign->xml, err);
    if (der && status == MS_OK)
        status = read_plist(w, der, true, &w->trees[1], &sign->der, err);
    for (uint32_t i = 0; i < 4 && status == MS_OK; i++) {
        const struct ms_cs_blob *blob = blob_of(sign, MS_CSSLOT_CONSTRAINT_SELF + i);
        if (blob)
            status = read_plist(w, blob, true, &w->trees[2 + i], &sign->constraints[i], err);
    }
    return status;
}

static enum ms_status read_directories(struct ms_cs_work *w, struct ms_error *err)
{
    enum ms_status status = MS_OK;
    w->sign.directories = w->directories;
    for (uint32_t i = 0; i < MS_CS_MAX_DIRECTORIES && status == MS_OK; i++) {
        uint32_t slot = i ? MS_CSSLOT_ALTERNATE + i - 1 : MS_CSSLOT_CODE_DIRECTORY;
        const struct ms_cs_blob *blob = blob_of(&w->sign, slot);
        if (blob)
            status = ms_cs_read_directory(w, blob, err);
    }
    /* By strength: SHA-384, SHA-256, the same cut off, SHA-1. */
    static const uint8_t strength[] = {0, 1, 3, 2, 4};
    unsigned best = 0;
    for (size_t i = 0; i < w->sign.n_directories; i++) {
        uint8_t type = w->directories[i].hash_type;
        unsigned is = type < sizeof strength ? strength[type] : 0;
        if (is > best) {
            best = is;
            w->sign.best = i;
        }
    }
    return status;
}

static enum ms_cs_kind kind_of(const struct ms_codesign *sign)
{
    uint32_t flags = sign->n_directories ? sign->directories[0].flags : 0;
    if (sign->cms.n)
        return MS_CS_KIND_SIGNED;
    if (flags & MS_CS_LINKER_SIGNED)
        return MS_CS_KIND_LINKER;
    return flags & MS_CS_ADHOC ? MS_CS_KIND_ADHOC : MS_CS_KIND_UNSEALED;
}

static enum ms_status read_parts(struct ms_cs_work *w, struct ms_error *err)
{
    enum ms_status status = read_index(w, err);
    if (status == MS_OK)
        status = read_directories(w, err);
    if (status == MS_OK && !w->sign.n_directories)
        (void)ms_fail(ms_cs_fault(w), MS_E_FORMAT, w->where, w->sign.off,
                      "the signature has no code directory");
    if (status == MS_OK)
        status = read_plists(w, err);
    const struct ms_cs_blob *blob = blob_of(&w->sign, MS_CSSLOT_REQUIREMENTS);
    if (status == MS_OK && blob)
        status = ms_cs_read_requirements(w, blob, err);
    blob = blob_of(&w->sign, MS_CSSLOT_CMS);
    if (status == MS_OK && blob) {
        (void)ms_bytes_from(blob->bytes, BLOB_HEAD, &w->sign.cms);
        if (w->sign.cms.n)
            status = ms_cs_read_cms(w, blob->off + BLOB_HEAD, err);
    }
    w->sign.kind = kind_of(&w->sign);
    return status;
}

enum ms_status ms_codesign_read(const struct ms_macho *macho, struct ms_codesign **out,
                                struct ms_error *err)
{
    struct ms_cs_work *w = calloc(1, sizeof *w);
    if (!w)
        return ms_fail_memory(err);
    ms_arena_init(&w->arena, 0);
    w->macho = macho;
    w->where = macho->where;
    enum ms_status status = read_parts(w, err);
    w->macho = NULL;
    if (status == MS_OK)
        *out = &w->sign;
    else
        ms_codesign_close(&w->sign);
    return status;
}

void ms_codesign_close(struct ms_codesign *sign)
{
    struct ms_cs_work *w = (struct ms_cs_work *)sign;
    if (!w)
        return;
    for (size_t i = 0; i < sizeof w->trees / sizeof *w->trees; i++)
        ms_plist_close(w->trees[i]);
    ms_arena_fini(&w->arena);
    free(w);
}

/* ---- questions ------------------------------------------------------------------------------ */

const struct ms_plist *ms_codesign_entitlements(const struct ms_codesign *sign)
{
    return sign->der ? sign->der : sign->xml;
}

static bool is_true(const struct ms_plist *value)
{
    return value && value->kind == MS_PLIST_BOOL && value->boolean;
}

bool ms_codesign_get_task_allow(const struct ms_plist *entitlements)
{
    return is_true(ms_plist_get(entitlements, "get-task-allow")) ||
           is_true(ms_plist_get(entitlements, "com.apple.security.get-task-allow"));
}
