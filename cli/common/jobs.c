#include "common/jobs.h"

#include "common/args.h"
#include "machsym/workers.h"

bool jobs_read(const char *word, size_t *n)
{
    uint64_t number;
    *n = 0;
    if (!word)
        return true;
    if (!parse_address(word, false, &number) || !number || number > MS_MAX_WORKERS)
        return false;
    *n = (size_t)number;
    return true;
}
