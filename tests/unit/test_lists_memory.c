/*
 * Memory that runs out at the n-th allocation, for every n: image lists say so and leave
 * nothing behind, names stay mangled. Takes the place of malloc, so only where that can be
 * done.
 */
#include "machsym/demangle.h"
#include "machsym/imagelist.h"
#include "unit/memory_out.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <string.h>

static void exhaust_list(const char *text)
{
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    for (long n = 0;; n++) {
        struct ms_image_list list;
        struct ms_error err;
        memset(&err, 0, sizeof err);
        countdown = n;
        enum ms_status status = ms_image_list_parse(
            (struct ms_bytes){(const uint8_t *)text, strlen(text)}, "list", &list, &err);
        countdown = -1;
        cr_assert_lt(n, 100);
        if (status == MS_OK) {
            cr_assert_gt(n, 2);
            cr_assert_gt(list.n, 1);
            ms_image_list_fini(&list);
            return;
        }
        cr_assert_eq(status, MS_E_NOMEM, "allocation %ld: status %d, %s", n, status, err.text);
        cr_assert_str_eq(err.text, "out of memory");
    }
}

Test(lists_memory, vmmap)
{
    exhaust_list("Process: W [1]\nPath: /x/W\nLoad Address: 0x1000\nCode Type: ARM64\n"
                 "Virtual Memory Map of process 1\n"
                 "__TEXT  2000-3000 [ 4K] r-x/r-x SM=COW  /x/W\n"
                 "__TEXT  5000-6000 [ 4K r-x/r-x SM=COW  /x/V\n"
                 "__TEXT  5000-6000 [ 4K] r-x/r-x SM=COW  /x/V\n");
}

Test(lists_memory, lldb)
{
    exhaust_list("[  0] arm64 0x0000000000004000 /x/W\n[  1] arm64 0x0000000107000000 /x/V\n");
}

Test(lists_memory, dyld)
{
    exhaust_list("dyld[1]: <0F1E2D3C-4B5A-3697-8877-665544332211> /x/W\n"
                 "dyld[1]: Kernel mapped /x/W\ndyld[1]:  __TEXT (r.x) 0x1000->0x2000\n"
                 "dyld[1]: Mapping /x/V\ndyld[1]:  __TEXT (r.x) 0x4000->0x5000\n");
}

Test(lists_memory, binary_images)
{
    exhaust_list("Binary Images:\n"
                 "0x1000 - 0x1fff W arm64  <0f1e2d3c4b5a36978877665544332211> /x/W\n"
                 "0x3000 - 0x3fff V arm64  <0f1e2d3c4b5a36978877665544332212> /x/V\n"
                 "Images:\n0x5000\xe2\x80\x93"
                 "0x6000 0f1e2d3c4b5a36978877665544332213 U /x/U\n");
}

/* `takes`: whether it takes memory at all; names of ordinary length take none but those of C++. */
static void exhaust_name(const char *name, const char *wanted, bool takes)
{
    static char out[4096];
    if (!CAN_FAIL)
        cr_skip_test("malloc cannot be replaced here");
    for (long n = 0;; n++) {
        countdown = n;
        size_t length =
            ms_demangle_symbol(name, strlen(name), false, MS_DEMANGLE_FULL, out, sizeof out);
        countdown = -1;
        cr_assert_lt(n, 100);
        cr_assert_eq(length, strlen(out));
        if (strcmp(out, name) != 0) {
            cr_assert_eq(n > 0, takes, "%s", name);
            cr_assert_str_eq(out, wanted);
            return;
        }
    }
}

Test(lists_memory, names)
{
    exhaust_name("_ZNSt3__16vectorIiNS_9allocatorIiEEE9push_backERKi",
                 "std::__1::vector<int, std::__1::allocator<int>>::push_back(int const&)", true);
    exhaust_name("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "core::fmt::Formatter::pad",
                 false);
    exhaust_name("_RINvNtC4core3mem4swapTjhEE", "core::mem::swap::<(usize, u8)>", false);
    exhaust_name("$s4main3fooyySaySiGF", "main.foo([Swift.Int]) -> ()", false);
    /* Three hundred integers are more nodes than lie on the stack. */
    enum { MANY = 300 };
    char name[32 + 2 * MANY] = "$s4main3fooyySi_", wanted[64 + 11 * MANY] = "main.foo(Swift.Int";
    for (int i = 1; i < MANY; i++) {
        strcat(name, "Si");
        strcat(wanted, ", Swift.Int");
    }
    exhaust_name(strcat(name, "tF"), strcat(wanted, ") -> ()"), true);
}
