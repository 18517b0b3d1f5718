#include "demangle/demanglers.h"
bool ms_rust_v0(const char *name, size_t n, struct ms_text *out)
{
    (void)name;
    (void)n;
    (void)out;
    return false;
}
