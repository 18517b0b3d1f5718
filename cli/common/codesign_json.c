#include "common/codesign_show.h"

#include "common/input.h"

#include <stdio.h>
#include <string.h>

static void hex_field(struct ms_json *json, const char *key, const uint8_t *at, size_t n)
{
    char text[97];
    for (size_t i = 0; i < n && i < 48; i++)
        snprintf(text + 2 * i, 3, "%02x", at[i]);
    if (n)
        ms_json_field(json, key, text);
}

/* The names of the bits that are set; those without one by number. */
static void flag_list(struct ms_json *json, const char *key, uint32_t flags)
{
    char room[16];
    ms_json_key(json, key);
    ms_json_array(json);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t bit = flags & (uint32_t)1 << i;
        const char *name = bit ? ms_codesign_flag_name(bit) : NULL;
        snprintf(room, sizeof room, "0x%x", (unsigned)bit);
        if (bit)
            ms_json_string(json, name ? name : room);
    }
    ms_json_array_end(json);
}

static void directory_json(struct ms_json *json, const struct ms_code_directory *d)
{
    char text[24];
    ms_json_object(json);
    ms_json_field(json, "hash", ms_codesign_hash_name(d->hash_type));
    snprintf(text, sizeof text, "0x%x", (unsigned)d->version);
    ms_json_field(json, "version", text);
    ms_json_field_uint(json, "size", d->bytes.n);
    if (d->hash_full) {
        hex_field(json, "cdhash", d->hash, 20);
        hex_field(json, "cdhash_full", d->hash, d->hash_full);
    }
    ms_json_field_uint(json, "code_hashes", d->n_code);
    ms_json_field_uint(json, "special_hashes", d->n_special);
    if (d->page_shift && d->page_shift < 32)
        ms_json_field_uint(json, "page_size", (uint64_t)1 << d->page_shift);
    ms_json_field_uint(json, "code_limit", d->code_limit);
    ms_json_object_end(json);
}

/* What the directory says that a system takes. */
static void main_json(struct ms_json *json, const struct ms_code_directory *d)
{
    char text[40];
    ms_json_field(json, "identifier", d->identifier);
    ms_json_field(json, "team", d->team);
    flag_list(json, "flags", d->flags);
    ms_json_field_uint(json, "flags_value", d->flags);
    if (d->hash_full)
        hex_field(json, "cdhash", d->hash, 20);
    if (d->platform)
        ms_json_field_uint(json, "platform", d->platform);
    if (d->has_runtime && d->runtime) {
        snprintf(text, sizeof text, "%u.%u.%u", (unsigned)(d->runtime >> 16),
                 (unsigned)(d->runtime >> 8 & 0xff), (unsigned)(d->runtime & 0xff));
        ms_json_field(json, "runtime", text);
    }
    if (d->has_exec_segment) {
        ms_json_key(json, "exec_segment");
        ms_json_object(json);
        ms_json_field_uint(json, "base", d->exec_base);
        ms_json_field_uint(json, "limit", d->exec_limit);
        ms_json_field_uint(json, "flags_value", d->exec_flags);
        ms_json_object_end(json);
    }
}

static void signer_json(struct ms_json *json, const struct ms_codesign *sign)
{
    const struct ms_cs_signer *signer = &sign->signer;
    if (!sign->cms.n)
        return;
    ms_json_field_uint(json, "cms_bytes", sign->cms.n);
    ms_json_key(json, "authorities");
    ms_json_array(json);
    for (size_t i = 0; i < signer->n_authorities; i++)
        ms_json_string(json, signer->authorities[i]);
    ms_json_array_end(json);
    ms_json_field(json, "organization", signer->organization);
    ms_json_field(json, "unit", signer->unit);
    ms_json_field(json, "signed_time", signer->time);
    ms_json_field(json, "timestamp", signer->timestamp);
}

static void requirements_json(struct ms_json *json, const struct ms_codesign *sign)
{
    static const char *const names[] = {NULL, "host", "guest", "designated", "library", "plugin"};
    ms_json_key(json, "requirements");
    ms_json_array(json);
    for (size_t i = 0; i < sign->n_requirements; i++) {
        const struct ms_cs_requirement *one = &sign->requirements[i];
        ms_json_object(json);
        if (one->type < sizeof names / sizeof *names)
            ms_json_field(json, "kind", names[one->type]);
        ms_json_field(json, "text", one->text);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void blobs_json(struct ms_json *json, const struct ms_codesign *sign)
{
    char text[16];
    ms_json_key(json, "slots");
    ms_json_array(json);
    for (size_t i = 0; i < sign->n_blobs; i++) {
        const struct ms_cs_blob *blob = &sign->blobs[i];
        ms_json_object(json);
        snprintf(text, sizeof text, "0x%x", (unsigned)blob->slot);
        ms_json_field(json, "slot", text);
        ms_json_field(json, "name", ms_codesign_slot_name(blob->slot));
        ms_json_field_uint(json, "offset", blob->off);
        ms_json_field_uint(json, "size", blob->bytes.n);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

static void entitlements_json(struct ms_json *json, const struct ms_codesign *sign)
{
    char path[256];
    const struct ms_plist *entitlements = ms_codesign_entitlements(sign);
    ms_json_field_bool(json, "get_task_allow", ms_codesign_get_task_allow(entitlements));
    if (!entitlements)
        return;
    ms_json_field(json, "entitlements_form",
                  sign->has_xml && sign->has_der ? "xml+der"
                  : sign->has_der                ? "der"
                                                 : "xml");
    ms_json_key(json, "entitlements");
    ms_plist_write_json(json, entitlements);
    if (sign->xml && sign->der && ms_plist_differ(sign->der, sign->xml, path, sizeof path))
        ms_json_field(json, "entitlements_differ", path);
}

static void constraints_json(struct ms_json *json, const struct ms_codesign *sign)
{
    static const char *const names[] = {"self", "parent", "responsible", "library"};
    bool any = false;
    for (int i = 0; i < 4; i++) {
        if (!sign->constraints[i])
            continue;
        if (!any) {
            ms_json_key(json, "launch_constraints");
            ms_json_object(json);
        }
        any = true;
        ms_json_key(json, names[i]);
        ms_plist_write_json(json, sign->constraints[i]);
    }
    if (any)
        ms_json_object_end(json);
}

static void check_json(struct ms_json *json, const struct codesign_view *view)
{
    const struct ms_cs_check *check = view->check;
    ms_json_key(json, "verify");
    ms_json_object(json);
    ms_json_field_bool(json, "intact", !check->n_bad && !check->cms_differs);
    ms_json_field_uint(json, "pages", check->n_pages);
    ms_json_field_uint(json, "blobs", check->n_blobs);
    ms_json_field_uint(json, "n_mismatches", check->n_bad);
    ms_json_field_bool(json, "cms_differs", check->cms_differs);
    ms_json_key(json, "mismatches");
    ms_json_array(json);
    for (size_t i = 0; i < check->n_kept; i++) {
        const struct ms_cs_mismatch *bad = &check->bad[i];
        const struct ms_code_directory *d = &view->sign->directories[bad->directory];
        ms_json_object(json);
        ms_json_field(json, "hash", ms_codesign_hash_name(d->hash_type));
        ms_json_key(json, "index");
        ms_json_int(json, bad->slot);
        ms_json_field_uint(json, "offset", bad->off);
        ms_json_field_uint(json, "size", bad->bytes);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
    ms_json_object_end(json);
}

static void faults_json(struct ms_json *json, const struct ms_codesign *sign)
{
    if (!sign->n_faults)
        return;
    ms_json_key(json, "faults");
    ms_json_array(json);
    for (size_t i = 0; i < sign->n_faults; i++) {
        ms_json_object(json);
        ms_json_field(json, "text", sign->faults[i].text);
        ms_json_field_uint(json, "offset", sign->faults[i].offset);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

void codesign_json(struct ms_json *json, const struct codesign_view *view)
{
    static const char *const kinds[] = {[MS_CS_KIND_LINKER] = "linker-signed",
                                        [MS_CS_KIND_ADHOC] = "adhoc",
                                        [MS_CS_KIND_SIGNED] = "signed",
                                        [MS_CS_KIND_UNSEALED] = "unsealed"};
    const struct ms_codesign *sign = view->sign;
    ms_json_object(json);
    ms_json_field(json, "path", input_shown(view->path));
    ms_json_field(json, "arch", view->arch);
    ms_json_field(json, "format", view->format);
    ms_json_field(json, "signature", sign ? kinds[sign->kind] : "none");
    if (sign) {
        ms_json_field_uint(json, "offset", sign->off);
        ms_json_field_uint(json, "size", sign->bytes);
        if (sign->n_directories)
            main_json(json, &sign->directories[sign->best]);
        ms_json_key(json, "directories");
        ms_json_array(json);
        for (size_t i = 0; i < sign->n_directories; i++)
            directory_json(json, &sign->directories[i]);
        ms_json_array_end(json);
        blobs_json(json, sign);
        requirements_json(json, sign);
        signer_json(json, sign);
        constraints_json(json, sign);
        entitlements_json(json, sign);
        if (view->check)
            check_json(json, view);
        faults_json(json, sign);
    } else {
        ms_json_field_bool(json, "get_task_allow", false);
    }
    ms_json_object_end(json);
}
