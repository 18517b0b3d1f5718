/* A static archive. */
#include "machsym/macho.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ms_bytes file = {data, size};
    struct ms_archive archive;
    struct ms_archive_member member;
    struct ms_error err;
    if (ms_archive_open(file, "fuzz", &archive, &err) != MS_OK)
        return 0;
    uint64_t last = 0;
    enum ms_status status;
    while ((status = ms_archive_next(&archive, &member, &err)) != MS_ABSENT) {
        if (status != MS_OK) {
            if (!err.text[0])
                abort();
            continue;
        }
        if (member.off <= last || member.bytes.n > size || strlen(member.name) > 255 ||
            (member.bytes.n &&
             (member.bytes.at < data || member.bytes.at + member.bytes.n > data + size)))
            abort();
        last = member.off;
    }
    return 0;
}
