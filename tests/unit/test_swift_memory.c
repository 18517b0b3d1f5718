/* lib/demangle/swift without memory: refused and said so, nothing lost. */
#include "machsym/demangle.h"

#include "memory_out.h"

#include <string.h>

static char out[1 << 16];

/* A name that needs more than what lies on the stack: a tuple of n types, and its text. */
static char *large_name(size_t n)
{
    static char name[8192];
    char *at = stpcpy(name, "$s1A1byySi_");
    for (size_t i = 0; i < n; i++)
        at = stpcpy(at, "SS");
    stpcpy(at, "tF");
    return name;
}

Test(swift_memory, every_allocation_may_fail)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    const char *name = large_name(1500);
    size_t whole = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, out, sizeof out);
    cr_assert_gt(whole, 10000);
    bool done = false;
    for (long n = 0; !done; n++) {
        cr_assert_lt(n, 1000);
        long before = alive;
        countdown = n;
        size_t length = ms_demangle(name, strlen(name), MS_DEMANGLE_FULL, NULL, 0);
        done = countdown > 0;
        countdown = -1;
        cr_assert(length == 0 || length == whole);
        cr_assert_eq(alive, before, "allocation %ld: something is lost", n);
    }
}

Test(swift_memory, descriptions_say_so)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    const char *name = large_name(1500);
    struct ms_name described;
    countdown = 0;
    ms_demangle_describe(name, strlen(name), &described);
    countdown = -1;
    cr_assert_eq(described.mangling, MS_MANGLING_SWIFT);
    cr_assert_eq(described.fault.kind, MS_NAME_NO_MEMORY);
    ms_demangle_describe(name, strlen(name), &described);
    cr_assert_eq(described.fault.kind, MS_NAME_FINE);
    cr_assert_eq(described.kind, MS_NAME_FUNCTION);
    cr_assert_str_eq(described.module, "A");
}

Test(swift_memory, ordinary_names_need_none)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    static const char *const names[] = {"$s4main3foo1a1bSiSgSS_SDySSSayypGGtYaKF",
                                        "$s1A3BoxV5storeSayxGvg", "$s4main7PointerV4makeyACSSFZ",
                                        "_TtC4main3Foo", "$sSSSiIegnr_SSSis5Error_pIegnrzo_TR"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        countdown = 0;
        size_t n = ms_demangle(names[i], strlen(names[i]), MS_DEMANGLE_FULL, out, sizeof out);
        countdown = -1;
        cr_assert_gt(n, 0, "%s", names[i]);
    }
}
