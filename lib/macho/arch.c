/*
 * macho/arch.c: the names of architectures, as lipo, otool and atos spell them.
 * Source: mach/machine.h, and NXGetArchInfoFromName(3).
 */
#include "machsym/macho.h"

#include <stdio.h>
#include <string.h>

struct arch {
    const char *name;
    uint32_t cputype, cpusubtype;
};

/* A name's first row is what parsing it gives; a pair's first row is its name. */
static const struct arch ARCHS[] = {
    {"arm64", MS_CPU_ARM64, 0},        {"arm64e", MS_CPU_ARM64, 2},
    {"x86_64", MS_CPU_X86_64, 3},      {"x86_64h", MS_CPU_X86_64, 8},
    {"arm64v8", MS_CPU_ARM64, 1},      {"arm64_32", MS_CPU_ARM64_32, 1},
    {"arm64_32", MS_CPU_ARM64_32, 0},  {"armv7", MS_CPU_ARM, 9},
    {"armv7s", MS_CPU_ARM, 11},        {"armv7k", MS_CPU_ARM, 12},
    {"armv7f", MS_CPU_ARM, 10},        {"armv6", MS_CPU_ARM, 6},
    {"armv5", MS_CPU_ARM, 7},          {"armv5e", MS_CPU_ARM, 7},
    {"armv4t", MS_CPU_ARM, 5},         {"xscale", MS_CPU_ARM, 8},
    {"armv8", MS_CPU_ARM, 13},         {"armv6m", MS_CPU_ARM, 14},
    {"armv7m", MS_CPU_ARM, 15},        {"armv7em", MS_CPU_ARM, 16},
    {"armv8m.main", MS_CPU_ARM, 17},   {"armv8m.base", MS_CPU_ARM, 18},
    {"armv8.1m.main", MS_CPU_ARM, 19}, {"arm", MS_CPU_ARM, 0},
    {"i386", MS_CPU_I386, 3},          {"i486", MS_CPU_I386, 4},
    {"i486SX", MS_CPU_I386, 0x84},     {"i586", MS_CPU_I386, 5},
    {"i686", MS_CPU_I386, 0x16},       {"pentIIm3", MS_CPU_I386, 0x36},
    {"pentIIm5", MS_CPU_I386, 0x56},   {"ppc", MS_CPU_PPC, 0},
    {"ppc601", MS_CPU_PPC, 1},         {"ppc603", MS_CPU_PPC, 3},
    {"ppc603e", MS_CPU_PPC, 4},        {"ppc603ev", MS_CPU_PPC, 5},
    {"ppc604", MS_CPU_PPC, 6},         {"ppc604e", MS_CPU_PPC, 7},
    {"ppc750", MS_CPU_PPC, 9},         {"ppc7400", MS_CPU_PPC, 10},
    {"ppc7450", MS_CPU_PPC, 11},       {"ppc970", MS_CPU_PPC, 100},
    {"ppc64", MS_CPU_PPC64, 0},        {"ppc970-64", MS_CPU_PPC64, 100},
};
enum { N_ARCHS = sizeof ARCHS / sizeof *ARCHS };

const char *ms_arch_name(uint32_t cputype, uint32_t cpusubtype)
{
    /* The top byte holds capabilities: LIB64, or the version of arm64e's pointer
     * authentication ABI. */
    uint32_t subtype = cpusubtype & 0x00ffffff;
    for (int i = 0; i < N_ARCHS; i++)
        if (ARCHS[i].cputype == cputype && ARCHS[i].cpusubtype == subtype)
            return ARCHS[i].name;
    return NULL;
}

bool ms_arch_parse(const char *name, uint32_t *cputype, uint32_t *cpusubtype)
{
    for (int i = 0; i < N_ARCHS; i++) {
        if (strcmp(ARCHS[i].name, name) == 0) {
            *cputype = ARCHS[i].cputype;
            *cpusubtype = ARCHS[i].cpusubtype;
            return true;
        }
    }
    return false;
}

const char *ms_arch_text(uint32_t cputype, uint32_t cpusubtype, char room[MS_ARCH_TEXT])
{
    const char *name = ms_arch_name(cputype, cpusubtype);
    if (name)
        return name;
    snprintf(room, MS_ARCH_TEXT, "unknown(%u,%u)", (unsigned)cputype,
             (unsigned)(cpusubtype & 0x00ffffff));
    return room;
}
