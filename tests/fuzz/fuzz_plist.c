/* Property lists: the first byte says which form, the rest is the list. What is read is written as
 * XML, and must be read as the same. */
#include "machsym/plist.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct text {
    char *at;
    size_t n, room;
};

static bool append(void *to, const char *bytes, size_t n)
{
    struct text *text = to;
    if (n > text->room - text->n) {
        text->room = (text->n + n) * 2;
        text->at = realloc(text->at, text->room);
        if (!text->at)
            abort();
    }
    memcpy(text->at + text->n, bytes, n);
    text->n += n;
    return true;
}

/* XML can't hold every character, nor numbers that aren't: those lists come out otherwise. */
static bool is_plain(const struct ms_plist *value)
{
    if (value->kind == MS_PLIST_REAL || value->kind == MS_PLIST_DATE)
        return false;
    for (size_t i = 0; value->kind == MS_PLIST_STRING && i < value->text_bytes; i++)
        if (((unsigned char)value->text[i] < 0x20 && !strchr("\t\n\r", value->text[i])) ||
            !value->text[i])
            return false;
    for (size_t i = 0; i < value->key_bytes; i++)
        if ((unsigned char)value->key[i] < 0x20)
            return false;
    for (const struct ms_plist *m = value->first; m; m = m->next)
        if (!is_plain(m))
            return false;
    return true;
}

static void write_and_read(const struct ms_plist *plist)
{
    struct text xml = {NULL, 0, 0}, other = {NULL, 0, 0};
    struct ms_sink sink = {.write = append, .to = &xml}, second = {.write = append, .to = &other};
    struct ms_json json;
    struct ms_plist_tree *again = NULL;
    struct ms_error err;
    char path[64];
    ms_plist_write_xml(&sink, plist);
    ms_plist_write_tree(&second, plist);
    ms_json_init(&json, &second, 0);
    ms_plist_write_json(&json, plist);
    if (is_plain(plist)) {
        struct ms_bytes bytes = {(const uint8_t *)xml.at, xml.n};
        enum ms_status status = ms_plist_parse(bytes, "again", &again, &err);
        if (status == MS_OK ? ms_plist_differ(plist, ms_plist_root(again), path, sizeof path)
                            : status != MS_E_LIMIT)
            abort();
    }
    ms_plist_close(again);
    free(xml.at);
    free(other.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_plist_tree *tree = NULL;
    struct ms_error err;
    if (!size)
        return 0;
    struct ms_bytes bytes = {data + 1, size - 1};
    enum ms_status status =
        (data[0] & 1 ? ms_plist_parse_der : ms_plist_parse)(bytes, "fuzz", &tree, &err);
    if (status == MS_OK)
        write_and_read(ms_plist_root(tree));
    else if (!err.text[0])
        abort();
    ms_plist_close(tree);
    return 0;
}
