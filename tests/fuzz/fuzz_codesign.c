/* A whole image with its signature, read, checked, and written in every form. */
#include "machsym/codesign.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t n_written;

static bool count(void *to, const char *bytes, size_t n)
{
    (void)to;
    (void)bytes;
    n_written += n;
    return true;
}

static void write_all(const struct ms_plist *plist)
{
    struct ms_sink sink = {.write = count};
    struct ms_json json;
    char path[32];
    if (!plist)
        return;
    ms_plist_write_xml(&sink, plist);
    ms_plist_write_tree(&sink, plist);
    ms_json_init(&json, &sink, 2);
    ms_plist_write_json(&json, plist);
    if (ms_plist_differ(plist, plist, path, sizeof path))
        abort();
}

static void check_sign(const struct ms_macho *macho, const struct ms_codesign *sign)
{
    static const struct ms_cs_outside nothing;
    struct ms_cs_check check;
    ms_codesign_check(macho, sign, &nothing, &check);
    if (check.n_kept > check.n_bad || check.n_bad > check.n_pages + check.n_blobs)
        abort();
    write_all(sign->xml);
    write_all(sign->der);
    for (int i = 0; i < 4; i++)
        write_all(sign->constraints[i]);
    (void)ms_codesign_get_task_allow(ms_codesign_entitlements(sign));
    for (size_t i = 0; i < sign->n_faults; i++)
        if (!sign->faults[i].text[0] || sign->faults[i].status == MS_OK)
            abort();
    for (size_t i = 0; i < sign->n_requirements; i++)
        n_written += sign->requirements[i].text ? strlen(sign->requirements[i].text) : 0;
    for (size_t i = 0; i < sign->signer.n_authorities; i++)
        n_written += strlen(sign->signer.authorities[i]);
    for (size_t i = 0; i < sign->n_blobs; i++)
        if (sign->blobs[i].off + sign->blobs[i].bytes.n > macho->bytes.n)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes bytes = {data, size};
    struct ms_macho macho;
    struct ms_codesign *sign = NULL;
    struct ms_error err;
    if (ms_macho_parse(bytes, "fuzz", &macho, &err) != MS_OK)
        return 0;
    enum ms_status status = ms_codesign_read(&macho, &sign, &err);
    if (status == MS_OK)
        check_sign(&macho, sign);
    else if (status != MS_ABSENT && !err.text[0])
        abort();
    ms_codesign_close(sign);
    ms_macho_fini(&macho);
    return 0;
}
