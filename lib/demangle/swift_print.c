/* Printing the tree of a Swift name. */
#include "demangle/swift.h"

bool ms_swift_print(struct ms_arena *arena, const struct ms_swift_node *root, unsigned style,
                    struct ms_text *out)
{
    (void)arena;
    (void)root;
    (void)style;
    (void)out;
    return false;
}
