/* Types in the mangling of Swift 1 to 3, as Objective-C's run time still has them. */
#include "demangle/swift_read.h"

#include <string.h>

struct ms_swift_node *ms_swift_read_old_type(struct ms_arena *arena, const char *name, size_t n,
                                             struct ms_name_fault *fault)
{
    (void)arena;
    (void)name;
    (void)n;
    memset(fault, 0, sizeof *fault);
    fault->kind = MS_NAME_MALFORMED;
    return NULL;
}
