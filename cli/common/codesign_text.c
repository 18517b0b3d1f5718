#include "common/codesign_show.h"

#include "common/input.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *codesign_kind_text(const struct ms_codesign *sign)
{
    static const char *const texts[] = {
        [MS_CS_KIND_LINKER] = "signed ad hoc by the linker: hashes alone, no identity",
        [MS_CS_KIND_ADHOC] = "signed ad hoc: hashes alone, no identity",
        [MS_CS_KIND_SIGNED] = "signed with an identity (whose certificates are not checked here)",
        [MS_CS_KIND_UNSEALED] = "neither ad hoc nor signed with an identity: the CMS is not there",
    };
    return sign ? texts[sign->kind] : "not signed";
}

static void put(struct ms_sink *sink, const char *key, const char *value)
{
    ms_sink_printf(sink, "%s=", key);
    ms_sink_plain(sink, value);
    ms_sink_puts(sink, "\n");
}

static void put_hex(struct ms_sink *sink, const uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        ms_sink_printf(sink, "%02x", at[i]);
}

static void put_hash(struct ms_sink *sink, const char *key, const uint8_t *at, size_t n)
{
    ms_sink_puts(sink, key);
    put_hex(sink, at, n);
    ms_sink_puts(sink, "\n");
}

static const char *hash_name(const struct ms_code_directory *d, char room[24])
{
    const char *name = ms_codesign_hash_name(d->hash_type);
    if (name)
        return name;
    snprintf(room, 24, "unknown(%u)", d->hash_type);
    return room;
}

/* "0x20002(adhoc,linker-signed)" */
static void put_flags(struct ms_sink *sink, uint32_t flags)
{
    const char *comma = "(";
    ms_sink_printf(sink, "0x%x", (unsigned)flags);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t bit = flags & (uint32_t)1 << i;
        const char *name = bit ? ms_codesign_flag_name(bit) : NULL;
        if (!bit)
            continue;
        if (name)
            ms_sink_printf(sink, "%s%s", comma, name);
        else
            ms_sink_printf(sink, "%s0x%x", comma, (unsigned)bit);
        comma = ",";
    }
    ms_sink_puts(sink, flags ? ")" : "(none)");
}

static void directory_line(struct ms_sink *sink, const struct ms_code_directory *d)
{
    ms_sink_printf(sink, "CodeDirectory v=%x size=%zu flags=", (unsigned)d->version, d->bytes.n);
    put_flags(sink, d->flags);
    ms_sink_printf(sink, " hashes=%u+%u location=embedded\n", (unsigned)d->n_code,
                   (unsigned)d->n_special);
}

/* ---- from -dvvv on -------------------------------------------------------------------------- */

static void hash_lines(struct ms_sink *sink, const struct codesign_view *view,
                       const struct ms_code_directory *d)
{
    const struct ms_codesign *sign = view->sign;
    char room[24];
    if (d->platform)
        ms_sink_printf(sink, "Platform identifier=%u\n", d->platform);
    if (view->macho->has_build)
        ms_sink_printf(sink, "VersionPlatform=%u\nVersionMin=%u\nVersionSDK=%u\n",
                       (unsigned)view->macho->platform, (unsigned)view->macho->minos,
                       (unsigned)view->macho->sdk);
    ms_sink_printf(sink, "Hash type=%s size=%u\n", hash_name(d, room), d->hash_bytes);
    for (size_t i = 0; i < sign->n_directories; i++) {
        const struct ms_code_directory *one = &sign->directories[i];
        const char *name = hash_name(one, room);
        if (!one->hash_full)
            continue;
        ms_sink_printf(sink, "CandidateCDHash %s=", name);
        put_hash(sink, "", one->hash, 20);
        ms_sink_printf(sink, "CandidateCDHashFull %s=", name);
        put_hash(sink, "", one->hash, one->hash_full);
    }
    ms_sink_puts(sink, "Hash choices=");
    for (size_t i = 0; i < sign->n_directories; i++)
        ms_sink_printf(sink, "%s%s", i ? "," : "", hash_name(&sign->directories[i], room));
    ms_sink_puts(sink, "\n");
    if (sign->signer.digest.n)
        put_hash(sink, "CMSDigest=", sign->signer.digest.at, sign->signer.digest.n);
}

static void segment_lines(struct ms_sink *sink, const struct ms_code_directory *d)
{
    if (d->has_exec_segment)
        ms_sink_printf(sink,
                       "Executable Segment base=%" PRIu64 "\nExecutable Segment limit=%" PRIu64
                       "\nExecutable Segment flags=0x%" PRIx64 "\n",
                       d->exec_base, d->exec_limit, d->exec_flags);
    if (d->page_shift && d->page_shift < 32)
        ms_sink_printf(sink, "Page size=%" PRIu64 "\n", (uint64_t)1 << d->page_shift);
    else
        ms_sink_puts(sink, "Page size=none\n");
}

/* The hashes as they stand: special ones from -5 of them, those of pages from -6. */
static void slot_lines(struct ms_sink *sink, const struct ms_code_directory *d, bool pages)
{
    for (int64_t i = -(int64_t)d->n_special; i < (pages ? (int64_t)d->n_code : 0); i++) {
        if (sink->failed)
            return;
        ms_sink_printf(sink, "%6" PRId64 "=", i);
        put_hash(sink, "", d->bytes.at + ((int64_t)d->hash_off + i * d->hash_bytes), d->hash_bytes);
    }
}

/* ---- from -dv on ---------------------------------------------------------------------------- */

static void signer_lines(struct ms_sink *sink, const struct ms_codesign *sign, int level)
{
    const struct ms_cs_signer *signer = &sign->signer;
    if (sign->kind == MS_CS_KIND_LINKER || sign->kind == MS_CS_KIND_ADHOC) {
        ms_sink_puts(sink, "Signature=adhoc\n");
        return;
    }
    ms_sink_printf(sink, "Signature size=%zu\n", sign->cms.n);
    for (size_t i = 0; i < signer->n_authorities && level >= 2; i++)
        put(sink, "Authority", signer->authorities[i]);
    if (signer->timestamp)
        put(sink, "Timestamp", signer->timestamp);
    else if (signer->time)
        put(sink, "Signed Time", signer->time);
}

static size_t members(const struct ms_plist *dict, const char *key)
{
    const struct ms_plist *value = ms_plist_get(dict, key);
    return value ? value->n : 0;
}

static void bundle_lines(struct ms_sink *sink, const struct codesign_view *view,
                         const struct ms_code_directory *d)
{
    bool bound = d && ms_codesign_has_special(d, MS_CSSLOT_INFO);
    if (bound && view->info)
        ms_sink_printf(sink, "Info.plist entries=%zu\n", view->info->n);
    else
        ms_sink_printf(sink, "Info.plist=%s\n", bound ? "bound" : "not bound");
    put(sink, "TeamIdentifier", d && d->team ? d->team : "not set");
    if (d && d->has_runtime && d->runtime)
        ms_sink_printf(sink, "Runtime Version=%u.%u.%u\n", (unsigned)(d->runtime >> 16),
                       (unsigned)(d->runtime >> 8 & 0xff), (unsigned)(d->runtime & 0xff));
    bool sealed = d && ms_codesign_has_special(d, MS_CSSLOT_RESOURCES);
    const struct ms_plist *resources = view->resources;
    if (sealed && resources) {
        bool is_2 = ms_plist_get(resources, "rules2") != NULL;
        ms_sink_printf(sink, "Sealed Resources version=%d rules=%zu files=%zu\n", is_2 ? 2 : 1,
                       members(resources, is_2 ? "rules2" : "rules"),
                       members(resources, is_2 ? "files2" : "files"));
    } else {
        ms_sink_printf(sink, "Sealed Resources=%s\n", sealed ? "sealed" : "none");
    }
}

static void requirement_summary(struct ms_sink *sink, const struct ms_codesign *sign)
{
    for (size_t i = 0; i < sign->n_blobs; i++)
        if (sign->blobs[i].slot == MS_CSSLOT_REQUIREMENTS) {
            ms_sink_printf(sink, "Internal requirements count=%zu size=%zu\n", sign->n_requirements,
                           sign->blobs[i].bytes.n);
            return;
        }
    ms_sink_puts(sink, "Internal requirements=none\n");
}

void codesign_lines(struct ms_sink *sink, const struct codesign_view *view, int level)
{
    const struct ms_codesign *sign = view->sign;
    put(sink, "Executable", input_shown(view->path));
    if (level < 1)
        return;
    const struct ms_code_directory *d = sign->n_directories ? &sign->directories[sign->best] : NULL;
    if (d && d->identifier)
        put(sink, "Identifier", d->identifier);
    put(sink, "Format", view->format);
    if (view->is_fat)
        put(sink, "Architecture", view->arch);
    if (d)
        directory_line(sink, d);
    if (d && level >= 3)
        hash_lines(sink, view, d);
    if (d && level >= 4)
        segment_lines(sink, d);
    if (d && level >= 5)
        slot_lines(sink, d, level >= 6);
    if (d && level >= 3 && d->hash_full)
        put_hash(sink, "CDHash=", d->hash, 20);
    signer_lines(sink, sign, level);
    bundle_lines(sink, view, d);
    requirement_summary(sink, sign);
}

/* ---- ours ----------------------------------------------------------------------------------- */

static const char *requirement_type(uint32_t type)
{
    static const char *const names[] = {NULL, "host", "guest", "designated", "library", "plugin"};
    return type < sizeof names / sizeof *names ? names[type] : NULL;
}

void codesign_requirement_lines(struct ms_sink *sink, const struct ms_codesign *sign)
{
    bool designated = false;
    for (size_t i = 0; i < sign->n_requirements; i++) {
        const struct ms_cs_requirement *one = &sign->requirements[i];
        const char *type = requirement_type(one->type);
        designated = designated || one->type == 3;
        if (!one->text)
            continue;
        if (type)
            ms_sink_printf(sink, "%s => ", type);
        else
            ms_sink_printf(sink, "/* requirement of kind %u */ ", (unsigned)one->type);
        ms_sink_plain(sink, one->text);
        ms_sink_puts(sink, "\n");
    }
    /* Ad hoc code is nothing but its hash; codesign marks what it made up by a '#'. */
    const char *or = "";
    if (designated || !sign->n_directories ||
        (sign->kind != MS_CS_KIND_ADHOC && sign->kind != MS_CS_KIND_LINKER))
        return;
    ms_sink_puts(sink, "# designated => ");
    for (size_t i = 0; i < sign->n_directories; i++) {
        if (!sign->directories[i].hash_full)
            continue;
        ms_sink_printf(sink, "%scdhash H\"", or);
        put_hex(sink, sign->directories[i].hash, 20);
        ms_sink_puts(sink, "\"");
        or = " or ";
    }
    ms_sink_puts(sink, "\n");
}

/* The bits of "Executable Segment flags" by name. */
static void segment_flags(struct ms_sink *sink, const struct ms_code_directory *d)
{
    const char *comma = "";
    if (!d->has_exec_segment || !d->exec_flags)
        return;
    ms_sink_puts(sink, "Executable Segment=");
    for (unsigned i = 0; i < 64; i++) {
        uint64_t bit = d->exec_flags & (uint64_t)1 << i;
        const char *name = bit ? ms_codesign_exec_flag_name(bit) : NULL;
        if (name)
            ms_sink_printf(sink, "%s%s", comma, name);
        else if (bit)
            ms_sink_printf(sink, "%s0x%" PRIx64, comma, bit);
        comma = bit ? "," : comma;
    }
    ms_sink_puts(sink, "\n");
}

void codesign_more_lines(struct ms_sink *sink, const struct codesign_view *view)
{
    static const char *const constraints[] = {"self", "parent", "responsible process", "library"};
    const struct ms_codesign *sign = view->sign;
    if (sign->n_directories)
        segment_flags(sink, &sign->directories[sign->best]);
    for (size_t i = 0; i < sign->n_blobs; i++) {
        const struct ms_cs_blob *blob = &sign->blobs[i];
        const char *name = ms_codesign_slot_name(blob->slot);
        ms_sink_printf(sink, "Slot 0x%x=%s at 0x%" PRIx64 ", %zu bytes\n", (unsigned)blob->slot,
                       name ? name : "unknown", blob->off, blob->bytes.n);
    }
    codesign_requirement_lines(sink, sign);
    for (int i = 0; i < 4; i++)
        if (sign->constraints[i]) {
            ms_sink_printf(sink, "Launch Constraint (%s)=\n", constraints[i]);
            ms_plist_write_tree(sink, sign->constraints[i]);
        }
    const struct ms_plist *entitlements = ms_codesign_entitlements(sign);
    const char *forms = sign->has_xml && sign->has_der ? "XML and DER"
                        : sign->has_der                ? "DER alone"
                                                       : "XML alone";
    if (entitlements)
        ms_sink_printf(sink, "Entitlements entries=%zu form=%s\n", entitlements->n, forms);
    else
        ms_sink_printf(sink, "Entitlements=%s\n",
                       sign->has_xml || sign->has_der ? "unreadable" : "none");
    ms_sink_printf(sink, "get-task-allow=%s\n",
                   ms_codesign_get_task_allow(entitlements) ? "yes" : "no");
}
