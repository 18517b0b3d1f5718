/*
 * The demanglers that come with macOS, out of their shared libraries. What they print depends on
 * the system and its version, so they are asked for by name and are never a default.
 *
 * libswiftDemangle (Xcode, Command Line Tools) has both forms of a Swift name; libswiftCore, of
 * every macOS since 10.14.4, has the full form alone; libc++abi has C++.
 */
#include "base/error.h"
#include "demangle/demanglers.h"
#include "machsym/demangle.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* As libswiftDemangle has them: snprintf-like. */
typedef size_t swift_form(const char *name, char *out, size_t room);
/* As libswiftCore has it: with a NULL output the result is malloc'ed. */
typedef char *swift_core(const char *name, size_t n, char *out, size_t *room, uint32_t flags);
typedef char *cxa_demangle(const char *name, char *out, size_t *room, int *status);

struct ms_system_demangler {
    void *swift, *cxx; /* handles */
    swift_form *full, *simplified;
    swift_core *core;
    cxa_demangle *cxa;
};

#ifdef __APPLE__
static const char *const swift_paths[] = {
    "/Applications/Xcode.app/Contents/Developer/Toolchains/XcodeDefault.xctoolchain/usr/lib/"
    "libswiftDemangle.dylib",
    "/Library/Developer/CommandLineTools/usr/lib/libswiftDemangle.dylib",
    "/usr/lib/swift/libswiftDemangle.dylib", "/usr/lib/swift/libswiftCore.dylib", NULL};
static const char *const cxx_paths[] = {"/usr/lib/libc++abi.dylib", NULL};
#endif

/* POSIX has dlsym return an object pointer for a function: this is how to make it one. */
static bool find(void *handle, const char *name, void *function)
{
    void *at = dlsym(handle, name);
    memcpy(function, &at, sizeof at);
    return at != NULL;
}

static bool take_swift(struct ms_system_demangler *system, void *handle)
{
    bool both = find(handle, "swift_demangle_getDemangledName", &system->full) &&
                find(handle, "swift_demangle_getSimplifiedDemangledName", &system->simplified);
    if (both)
        return true;
    system->full = system->simplified = NULL;
    return find(handle, "swift_demangle", &system->core);
}

static bool take_cxx(struct ms_system_demangler *system, void *handle)
{
    return find(handle, "__cxa_demangle", &system->cxa);
}

/* The first library that has what is wanted stays open. */
static void *open_first(struct ms_system_demangler *system, const char *const *paths,
                        bool (*take)(struct ms_system_demangler *, void *))
{
    for (; *paths; paths++) {
        void *handle = dlopen(*paths, RTLD_NOW | RTLD_LOCAL);
        if (handle && take(system, handle))
            return handle;
        if (handle)
            dlclose(handle);
    }
    return NULL;
}

enum ms_status ms_system_demangler_open_at(const char *const *swift, const char *const *cxx,
                                           struct ms_system_demangler **out, struct ms_error *err)
{
    struct ms_system_demangler *system = calloc(1, sizeof *system);
    if (!system)
        return ms_fail_memory(err);
    system->swift = open_first(system, swift, take_swift);
    system->cxx = open_first(system, cxx, take_cxx);
    if (!system->swift || !system->cxx) {
        bool no_swift = !system->swift;
        ms_system_demangler_close(system);
        return ms_fail(err, MS_E_IO, NULL, MS_NO_OFFSET, "the system has no demangler of %s names",
                       no_swift ? "Swift" : "C++");
    }
    *out = system;
    return MS_OK;
}

void ms_system_demangler_close(struct ms_system_demangler *system)
{
    if (!system)
        return;
    if (system->swift)
        dlclose(system->swift);
    if (system->cxx)
        dlclose(system->cxx);
    free(system);
}

enum ms_status ms_system_demangler_open(struct ms_system_demangler **out, struct ms_error *err)
{
#ifdef __APPLE__
    return ms_system_demangler_open_at(swift_paths, cxx_paths, out, err);
#else
    (void)out;
    return ms_fail(err, MS_E_UNSUPPORTED, NULL, MS_NO_OFFSET,
                   "the demanglers of the system are those of macOS");
#endif
}

unsigned ms_system_demangler_styles(const struct ms_system_demangler *system)
{
    return system->simplified ? MS_DEMANGLE_SIMPLIFIED : MS_DEMANGLE_FULL;
}

/* Gives a result as ms_demangle does. */
static size_t give(const char *text, char *out, size_t room)
{
    size_t n = strlen(text);
    if (room) {
        size_t k = n < room ? n : room - 1;
        memcpy(out, text, k);
        out[k] = 0;
    }
    return n;
}

static size_t give_malloced(char *text, char *out, size_t room)
{
    size_t n = give(text ? text : "", out, room);
    free(text);
    return n;
}

static size_t swift_name(const struct ms_system_demangler *system, const char *name, size_t n,
                         unsigned style, char *out, size_t room)
{
    if (system->core)
        return give_malloced(system->core(name, n, NULL, NULL, 0), out, room);
    swift_form *form = style & MS_DEMANGLE_SIMPLIFIED ? system->simplified : system->full;
    /* A name that it can't read may come back as it is, which takes room to see. */
    char *probe = room > n ? NULL : malloc(n + 1);
    if (room <= n && !probe)
        return give("", out, room);
    size_t length = probe ? form(name, probe, n + 1) : form(name, out, room);
    bool read = length && (length != n || memcmp(probe ? probe : out, name, n) != 0);
    if (!read)
        length = give("", out, room);
    else if (probe && room)
        length = form(name, out, room);
    free(probe);
    return length;
}

size_t ms_system_demangle(void *of, const char *name, size_t n, unsigned style, char *out,
                          size_t room)
{
    const struct ms_system_demangler *system = of;
    enum ms_mangling mangling = ms_mangling_of(name, n);
    if (mangling != MS_MANGLING_SWIFT && mangling != MS_MANGLING_ITANIUM)
        return ms_demangle(name, n, style, out, room);
    /* They want a NUL behind it. */
    char small[1024];
    char *copy = n < sizeof small ? small : n <= MS_DEMANGLE_INPUT ? malloc(n + 1) : NULL;
    if (!copy || memchr(name, 0, n)) {
        if (copy != small)
            free(copy);
        return give("", out, room);
    }
    memcpy(copy, name, n);
    copy[n] = 0;
    size_t length;
    if (mangling == MS_MANGLING_SWIFT) {
        length = swift_name(system, copy, n, style, out, room);
    } else {
        /* Without Mach-O's underscore: _Z and ___Z, not __Z and ____Z. */
        size_t skip =
            (n > 2 && memcmp(copy, "__Z", 3) == 0) || (n > 4 && memcmp(copy, "____Z", 5) == 0);
        int status;
        length = give_malloced(system->cxa(copy + skip, NULL, NULL, &status), out, room);
    }
    if (copy != small)
        free(copy);
    return length;
}
