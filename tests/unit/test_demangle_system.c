/* lib/demangle/system: the calls that it makes, into libraries that are compiled here. */
#include "machsym/demangle.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] =
    "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#ifdef FORMS\n"
    "size_t swift_demangle_getDemangledName(const char *n, char *o, size_t r)\n"
    "{ return strstr(n, \"bad\") ? (size_t)snprintf(o, r, \"%s\", n)\n"
    "       : strstr(n, \"none\") ? 0 : (size_t)snprintf(o, r, \"full %s\", n); }\n"
    "size_t swift_demangle_getSimplifiedDemangledName(const char *n, char *o, size_t r)\n"
    "{ return (size_t)snprintf(o, r, \"short %s\", n); }\n"
    "#endif\n"
    "#ifdef CORE\n"
    "char *swift_demangle(const char *n, size_t k, char *o, size_t *r, unsigned f)\n"
    "{ char *t = malloc(k + 6); (void)o; (void)r; (void)f; sprintf(t, \"core %s\", n); return t; "
    "}\n"
    "#endif\n"
    "#ifdef CXX\n"
    "char *__cxa_demangle(const char *n, char *o, size_t *r, int *s)\n"
    "{ char *t = malloc(strlen(n) + 5); (void)o; (void)r; *s = 0;\n"
    "  if (strstr(n, \"bad\")) { free(t); return 0; } sprintf(t, \"cxx %s\", n); return t; }\n"
    "#endif\n";

static char folder[64];

static void build(const char *name, char path[128])
{
    char command[512], file[128];
    const char *cc = getenv("CC");
    snprintf(path, 128, "%s/lib%s.so", folder, name);
    snprintf(file, sizeof file, "%s/%s.c", folder, name);
    FILE *out = fopen(file, "w");
    cr_assert_not_null(out);
    fputs(source, out);
    fclose(out);
    snprintf(command, sizeof command, "%s -shared -fPIC -D%s -o %s %s 2>%s/log", cc ? cc : "cc",
             name, path, file, folder);
    if (system(command) != 0)
        cr_skip_test("no compiler here that makes shared libraries");
}

static void begin(void)
{
    strcpy(folder, "/tmp/machsym-system.XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    (void)!system(command);
}

TestSuite(demangle_system, .init = begin, .fini = end);

static void expect(struct ms_system_demangler *system, unsigned style, const char *name,
                   const char *wanted)
{
    char out[64], tiny[4];
    size_t n = ms_system_demangle(system, name, strlen(name), style, out, sizeof out);
    cr_assert_str_eq(out, wanted, "%s gives %s", name, out);
    cr_assert_eq(n, strlen(wanted));
    cr_assert_eq(ms_system_demangle(system, name, strlen(name), style, NULL, 0), n);
    (void)ms_system_demangle(system, name, strlen(name), style, tiny, sizeof tiny);
    cr_assert_eq(strncmp(tiny, wanted, 3), 0);
}

Test(demangle_system, calls_what_it_found)
{
    char forms[128], core[128], cxx[128];
    build("FORMS", forms);
    build("CORE", core);
    build("CXX", cxx);
    struct ms_error err;
    struct ms_system_demangler *system;
    const char *swift_paths[] = {"/nowhere/lib.so", cxx, forms, core, NULL};
    const char *cxx_paths[] = {forms, cxx, NULL};
    cr_assert_eq(ms_system_demangler_open_at(swift_paths, cxx_paths, &system, &err), MS_OK);
    cr_assert_eq(ms_system_demangler_styles(system), MS_DEMANGLE_SIMPLIFIED);
    expect(system, MS_DEMANGLE_FULL, "$s4main3fooyyF", "full $s4main3fooyyF");
    expect(system, MS_DEMANGLE_FULL, "_$s4main3fooyyF", "full _$s4main3fooyyF");
    expect(system, MS_DEMANGLE_SIMPLIFIED, "$s4main3fooyyF", "short $s4main3fooyyF");
    expect(system, MS_DEMANGLE_FULL, "$s3bad", "");
    expect(system, MS_DEMANGLE_FULL, "$s4none", "");
    expect(system, MS_DEMANGLE_FULL, "_Z3foov", "cxx _Z3foov");
    expect(system, MS_DEMANGLE_FULL, "__Z3foov", "cxx _Z3foov");
    expect(system, MS_DEMANGLE_FULL, "____Z3foov_block_invoke", "cxx ___Z3foov_block_invoke");
    expect(system, MS_DEMANGLE_FULL, "___Z3foov_block_invoke", "cxx ___Z3foov_block_invoke");
    expect(system, MS_DEMANGLE_FULL, "_Z3badv", "");
    expect(system, MS_DEMANGLE_FULL, "_RNvC1a1b", "a::b");
    expect(system, MS_DEMANGLE_FULL, "_main", "");
    char text[3000];
    memset(text, 'a', sizeof text);
    memcpy(text, "_Z9", 3);
    cr_assert_eq(ms_system_demangle(system, text, sizeof text, 0, NULL, 0), sizeof text + 4);
    text[5] = 0;
    cr_assert_eq(ms_system_demangle(system, text, sizeof text, 0, NULL, 0), 0);
    ms_system_demangler_close(system);
    ms_system_demangler_close(NULL);
    /* Without the library that has both forms. */
    const char *core_paths[] = {core, NULL};
    cr_assert_eq(ms_system_demangler_open_at(core_paths, cxx_paths, &system, &err), MS_OK);
    cr_assert_eq(ms_system_demangler_styles(system), MS_DEMANGLE_FULL);
    expect(system, MS_DEMANGLE_FULL, "$s4main3fooyyF", "core $s4main3fooyyF");
    ms_system_demangler_close(system);
}

Test(demangle_system, says_what_is_missing)
{
    char cxx[128];
    build("CXX", cxx);
    struct ms_error err;
    struct ms_system_demangler *system;
    const char *paths[] = {cxx, NULL}, *none[] = {NULL};
    cr_assert_eq(ms_system_demangler_open_at(paths, paths, &system, &err), MS_E_IO);
    cr_assert_str_eq(err.text, "the system has no demangler of Swift names");
    cr_assert_eq(ms_system_demangler_open_at(none, none, &system, &err), MS_E_IO);
#ifndef __APPLE__
    cr_assert_eq(ms_system_demangler_open(&system, &err), MS_E_UNSUPPORTED);
    cr_assert_str_eq(err.text, "the demanglers of the system are those of macOS");
#endif
}
