/**
 * macho/commands.h: numbers of mach-o/loader.h that more than one file of this floor needs.
 */
#ifndef MS_MACHO_COMMANDS_H
#define MS_MACHO_COMMANDS_H

#include "base/error.h"
#include "machsym/macho.h"

enum {
    MS_LC_SEGMENT = 0x1,
    MS_LC_SYMTAB = 0x2,
    MS_LC_UNIXTHREAD = 0x5,
    MS_LC_DYSYMTAB = 0xb,
    MS_LC_SEGMENT_64 = 0x19,
    MS_LC_UUID = 0x1b,
    MS_LC_DYLD_INFO = 0x22,
    MS_LC_VERSION_MIN_MACOSX = 0x24,
    MS_LC_VERSION_MIN_IPHONEOS = 0x25,
    MS_LC_FUNCTION_STARTS = 0x26,
    MS_LC_VERSION_MIN_TVOS = 0x2f,
    MS_LC_VERSION_MIN_WATCHOS = 0x30,
    MS_LC_BUILD_VERSION = 0x32
};
/* With LC_REQ_DYLD, the top bit, which an enum constant cannot hold. */
#define MS_LC_DYLD_INFO_ONLY 0x80000022u
#define MS_LC_DYLD_EXPORTS_TRIE 0x80000033u
#define MS_LC_DYLD_CHAINED_FIXUPS 0x80000034u
#define MS_LC_FILESET_ENTRY 0x80000035u

enum {
    MS_S_TYPE = 0xff,
    MS_S_ZEROFILL = 0x1,
    MS_S_SYMBOL_STUBS = 0x8,
    MS_S_GB_ZEROFILL = 0xc,
    MS_S_THREAD_LOCAL_ZEROFILL = 0x12,
    MS_S_ATTR_SOME_INSTRUCTIONS = 0x400
};
#define MS_S_ATTR_PURE_INSTRUCTIONS 0x80000000u

/** True for a section that takes address space but no bytes of the file. */
static inline bool ms_section_is_zerofill(const struct ms_section *section)
{
    uint32_t type = section->flags & MS_S_TYPE;
    return type == MS_S_ZEROFILL || type == MS_S_GB_ZEROFILL || type == MS_S_THREAD_LOCAL_ZEROFILL;
}

/** The first command of that number, NULL when there is none. */
const struct ms_load_command *ms_macho_command(const struct ms_macho *macho, uint32_t cmd);

#endif
