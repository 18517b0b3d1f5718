/* Reading a Swift name into its tree. */
#include "demangle/swift.h"

struct ms_swift_node *ms_swift_read(struct ms_arena *arena, const char *name, size_t n,
                                    struct ms_name_fault *fault)
{
    (void)arena;
    (void)name;
    (void)n;
    fault->kind = MS_NAME_MALFORMED;
    return NULL;
}
