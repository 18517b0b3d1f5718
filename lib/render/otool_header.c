/*
 * render/otool_header.c: the headers of an image and of a fat file, and the libraries it loads.
 */
#include "render/otool.h"

#include <inttypes.h>
#include <stdio.h>

#define SUBTYPE(x) ((x) & 0x00ffffffu)
#define CAPS(x) ((x) >> 24)

/* A CPU as -h and -f call it; each list of subtypes ends in a NULL name. */
struct cpu {
    uint32_t cputype;
    const char *name, *constant;
    struct subtype {
        uint32_t subtype;
        const char *name, *constant;
    } subtypes[14];
};

/* clang-format off */
static const struct cpu CPUS[] = {
    {MS_CPU_I386, "I386", "I386",
     {{3, "ALL", "I386_ALL"}, {4, "486", "486"}, {0x84, "486SX", "486SX"}, {5, "PENT", "PENT"},
      {0x16, "PENTPRO", "PENTPRO"}, {0x36, "PENTII_M3", "PENTII_M3"},
      {0x56, "PENTII_M5", "PENTII_M5"}}},
    {MS_CPU_X86_64, "X86_64", "X86_64", {{3, "ALL", "X86_64_ALL"}, {8, "Haswell", "X86_64_H"}}},
    {MS_CPU_ARM, "ARM", "ARM",
     {{0, "ALL", "ARM_ALL"}, {5, "V4T", "ARM_V4T"}, {6, "V6", "ARM_V6"},
      {7, "V5TEJ", "ARM_V5TEJ"}, {8, "XSCALE", "ARM_XSCALE"}, {9, "V7", "ARM_V7"},
      {10, "V7F", "ARM_V7F"}, {11, "V7S", "ARM_V7S"}, {12, "V7K", "ARM_V7K"},
      {14, "V6M", "ARM_V6M"}, {15, "V7M", "ARM_V7M"}, {16, "V7EM", "ARM_V7EM"}}},
    {MS_CPU_ARM64, "ARM64", "ARM64",
     {{0, "ALL", "ARM64_ALL"}, {1, "V8", "ARM64_V8"}, {2, "E", "ARM64E"}}},
    /* A name this long takes a column of its subtype's. */
    {MS_CPU_ARM64_32, "ARM64_32", "ARM64_32", {{1, "V8", "ARM64_32_V8"}}},
    {MS_CPU_PPC, "PPC", "POWERPC",
     {{0, "ALL", "POWERPC_ALL"}, {1, "ppc601", "POWERPC_601"}, {2, "ppc602", "POWERPC_602"},
      {3, "ppc603", "POWERPC_603"}, {4, "ppc603e", "POWERPC_603e"},
      {5, "ppc603ev", "POWERPC_603ev"}, {6, "ppc604", "POWERPC_604"},
      {7, "ppc604e", "POWERPC_604e"}, {8, "ppc620", "POWERPC_620"}, {9, "ppc750", "POWERPC_750"},
      {10, "ppc7400", "POWERPC_7400"}, {11, "ppc7450", "POWERPC_7450"},
      {100, "ppc970", "POWERPC_970"}}},
    {MS_CPU_PPC64, "PPC64", "POWERPC64", {{0, "ALL", "POWERPC_ALL"}}},
};
/* clang-format on */

static const struct otool_name FILETYPES[] = {
    {1, "OBJECT"},      {2, "EXECUTE"},  {3, "FVMLIB"}, {4, "CORE"},       {5, "PRELOAD"},
    {6, "DYLIB"},       {7, "DYLINKER"}, {8, "BUNDLE"}, {9, "DYLIB_STUB"}, {10, "DSYM"},
    {11, "KEXTBUNDLE"}, {12, "FILESET"}, {0, NULL},
};

static const struct otool_name FLAGS[] = {
    {0x1, "  NOUNDEFS"}, /* stands a little apart */
    {0x2, "INCRLINK"},
    {0x4, "DYLDLINK"},
    {0x8, "BINDATLOAD"},
    {0x10, "PREBOUND"},
    {0x20, "SPLIT_SEGS"},
    {0x40, "LAZY_INIT"},
    {0x80, "TWOLEVEL"},
    {0x100, "FORCE_FLAT"},
    {0x200, "NOMULTIDEFS"},
    {0x400, "NOFIXPREBINDING"},
    {0x800, "PREBINDABLE"},
    {0x1000, "ALLMODSBOUND"},
    {0x2000, "SUBSECTIONS_VIA_SYMBOLS"},
    {0x4000, "CANONICAL"},
    {0x8000, "WEAK_DEFINES"},
    {0x10000, "BINDS_TO_WEAK"},
    {0x20000, "ALLOW_STACK_EXECUTION"},
    {0x40000, "ROOT_SAFE"},
    {0x80000, "SETUID_SAFE"},
    {0x100000, "NO_REEXPORTED_DYLIBS"},
    {0x200000, "PIE"},
    {0x400000, "DEAD_STRIPPABLE_DYLIB"},
    {0x800000, "MH_HAS_TLV_DESCRIPTORS"},
    {0x1000000, "MH_NO_HEAP_EXECUTION"},
    {0x2000000, "APP_EXTENSION_SAFE"},
    {0x4000000, "NLIST_OUTOFSYNC_WITH_DYLDINFO"},
    {0x8000000, "SIM_SUPPORT"},
    {0, NULL},
};

static const struct cpu *find_cpu(uint32_t cputype)
{
    for (size_t i = 0; i < sizeof CPUS / sizeof *CPUS; i++)
        if (CPUS[i].cputype == cputype)
            return &CPUS[i];
    return NULL;
}

static const struct subtype *find_subtype(const struct cpu *cpu, uint32_t cpusubtype)
{
    for (const struct subtype *s = cpu ? cpu->subtypes : NULL; s && s->name; s++)
        if (s->subtype == SUBTYPE(cpusubtype))
            return s;
    return NULL;
}

/* ---- -h --------------------------------------------------------------------------------- */

static void put_verbose_header(const struct ms_otool_image *image, struct ms_sink *sink)
{
    const struct cpu *cpu = find_cpu(image->cputype);
    const struct subtype *subtype = find_subtype(cpu, image->cpusubtype);
    const char *filetype = otool_name_of(FILETYPES, image->filetype);
    ms_sink_puts(sink, image->is64 ? "MH_MAGIC_64" : "   MH_MAGIC");
    if (cpu)
        ms_sink_printf(sink, " %7s", cpu->name);
    else
        ms_sink_printf(sink, " %7d", (int)image->cputype);
    if (subtype)
        ms_sink_printf(sink, " %*s", image->cputype == MS_CPU_ARM64_32 ? 9 : 10, subtype->name);
    else
        ms_sink_printf(sink, " %10d", (int)SUBTYPE(image->cpusubtype));
    if (CAPS(image->cpusubtype) == 0x80 && image->cputype != MS_CPU_ARM64)
        ms_sink_puts(sink, " LIB64");
    else
        ms_sink_printf(sink, "  0x%02x", (unsigned)CAPS(image->cpusubtype));
    if (filetype)
        ms_sink_printf(sink, "  %10s", filetype);
    else
        ms_sink_printf(sink, "  %10u", (unsigned)image->filetype);
    ms_sink_printf(sink, " %5u %10u", (unsigned)image->n_commands, (unsigned)image->command_bytes);
    uint32_t left = image->flags;
    for (const struct otool_name *flag = FLAGS; flag->name; flag++)
        if (left & flag->value)
            ms_sink_printf(sink, " %s", flag->name);
    for (const struct otool_name *flag = FLAGS; flag->name; flag++)
        left &= ~flag->value;
    if (left || !image->flags)
        ms_sink_printf(sink, " 0x%08x", (unsigned)left);
    ms_sink_puts(sink, "\n");
}

static void put_json_header(const struct ms_otool_image *image, struct ms_json *json)
{
    ms_json_field_address(json, "magic", image->magic);
    ms_json_field_uint(json, "cputype", image->cputype);
    ms_json_field_uint(json, "cpusubtype", SUBTYPE(image->cpusubtype));
    ms_json_field_address(json, "caps", CAPS(image->cpusubtype));
    ms_json_field_uint(json, "filetype", image->filetype);
    ms_json_field(json, "filetype_name", otool_name_of(FILETYPES, image->filetype));
    ms_json_field_uint(json, "ncmds", image->n_commands);
    ms_json_field_uint(json, "sizeofcmds", image->command_bytes);
    ms_json_field_address(json, "flags", image->flags);
    ms_json_key(json, "flag_names");
    ms_json_array(json);
    for (const struct otool_name *flag = FLAGS; flag->name; flag++)
        if (image->flags & flag->value)
            ms_json_string(json, flag->name + strspn(flag->name, " "));
    ms_json_array_end(json);
}

void ms_otool_header(const struct ms_otool_image *image, const struct ms_otool_out *out)
{
    if (out->json) {
        put_json_header(image, out->json);
        return;
    }
    ms_sink_puts(out->sink, "Mach header\n      magic cputype cpusubtype  caps    filetype ncmds "
                            "sizeofcmds      flags\n");
    if (out->style->verbose)
        put_verbose_header(image, out->sink);
    else
        ms_sink_printf(out->sink, " 0x%08x %7d %10d  0x%02x  %10u %5u %10u 0x%08x\n",
                       (unsigned)image->magic, (int)image->cputype, (int)SUBTYPE(image->cpusubtype),
                       (unsigned)CAPS(image->cpusubtype), (unsigned)image->filetype,
                       (unsigned)image->n_commands, (unsigned)image->command_bytes,
                       (unsigned)image->flags);
}

/* ---- -f --------------------------------------------------------------------------------- */

static void put_fat_cpu(const struct ms_slice *slice, struct ms_sink *sink)
{
    const struct cpu *cpu = find_cpu(slice->cputype);
    const struct subtype *subtype = find_subtype(cpu, slice->cpusubtype);
    if (subtype)
        ms_sink_printf(sink, "    cputype CPU_TYPE_%s\n    cpusubtype CPU_SUBTYPE_%s\n",
                       cpu->constant, subtype->constant);
    else
        ms_sink_printf(sink, "    cputype (%u)\n    cpusubtype (%u)\n", (unsigned)slice->cputype,
                       (unsigned)SUBTYPE(slice->cpusubtype));
}

static bool is_duplicate(const struct ms_fat *fat, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (fat->slices[i].cputype && fat->slices[i].cpusubtype &&
            fat->slices[j].cputype == fat->slices[i].cputype &&
            SUBTYPE(fat->slices[j].cpusubtype) == SUBTYPE(fat->slices[i].cpusubtype))
            return true;
    return false;
}

static void put_fat_slice(const struct ms_fat *fat, size_t i, const struct ms_otool_out *out)
{
    const struct ms_slice *slice = &fat->slices[i];
    struct ms_sink *sink = out->sink;
    char room[MS_ARCH_TEXT];
    const char *duplicate = is_duplicate(fat, i) ? "(illegal duplicate architecture) " : "";
    if (out->style->verbose) {
        ms_sink_printf(sink, "architecture %s%s\n", duplicate,
                       ms_arch_text(slice->cputype, slice->cpusubtype, room));
        put_fat_cpu(slice, sink);
    } else {
        ms_sink_printf(sink, "architecture %s%zu\n    cputype %d\n    cpusubtype %d\n", duplicate,
                       i, (int)slice->cputype, (int)SUBTYPE(slice->cpusubtype));
    }
    uint32_t caps = CAPS(slice->cpusubtype);
    if (out->style->verbose && caps == 0x80 && slice->cputype != MS_CPU_ARM64)
        ms_sink_puts(sink, "    capabilities CPU_SUBTYPE_LIB64\n");
    else
        ms_sink_printf(sink, "    capabilities 0x%x\n", (unsigned)caps);
    ms_sink_printf(sink, "    offset %" PRIu64, slice->file_off);
    if (slice->align < 64 && slice->file_off % ((uint64_t)1 << slice->align))
        ms_sink_printf(sink, " (not aligned on it's alignment (2^%u)", (unsigned)slice->align);
    ms_sink_printf(sink, "\n    size %zu\n    align 2^%u (%d)\n", slice->bytes.n,
                   (unsigned)slice->align, (int)(1u << (slice->align & 31)));
}

static void put_json_fat(const struct ms_fat *fat, struct ms_json *json)
{
    ms_json_field_address(json, "fat_magic", fat->is_fat64 ? 0xcafebabf : 0xcafebabe);
    ms_json_key(json, "slices");
    ms_json_array(json);
    for (size_t i = 0; i < fat->n_slices; i++) {
        const struct ms_slice *slice = &fat->slices[i];
        char room[MS_ARCH_TEXT];
        ms_json_object(json);
        ms_json_field(json, "arch", ms_arch_text(slice->cputype, slice->cpusubtype, room));
        ms_json_field_uint(json, "cputype", slice->cputype);
        ms_json_field_uint(json, "cpusubtype", SUBTYPE(slice->cpusubtype));
        ms_json_field_address(json, "caps", CAPS(slice->cpusubtype));
        ms_json_field_uint(json, "offset", slice->file_off);
        ms_json_field_uint(json, "size", slice->bytes.n);
        ms_json_field_uint(json, "align", slice->align);
        ms_json_object_end(json);
    }
    ms_json_array_end(json);
}

void ms_otool_fat(const struct ms_fat *fat, const struct ms_otool_out *out)
{
    size_t counted = 0;
    if (!fat->is_fat)
        return;
    if (out->json) {
        put_json_fat(fat, out->json);
        return;
    }
    for (size_t i = 0; i < fat->n_slices; i++)
        counted += !fat->slices[i].hidden;
    ms_sink_puts(out->sink, "Fat headers\n");
    if (out->style->verbose)
        ms_sink_printf(out->sink, "fat_magic FAT_MAGIC%s\n", fat->is_fat64 ? "_64" : "");
    else
        ms_sink_printf(out->sink, "fat_magic 0x%x\n", fat->is_fat64 ? 0xcafebabfu : 0xcafebabeu);
    ms_sink_printf(out->sink, "nfat_arch %zu", counted);
    if (counted < fat->n_slices)
        ms_sink_printf(out->sink, " (+%zu hidden)", fat->n_slices - counted);
    ms_sink_puts(out->sink, counted ? "\n" : " (malformed, contains zero architecture types)\n");
    for (size_t i = 0; i < fat->n_slices; i++)
        put_fat_slice(fat, i, out);
}

/* ---- -L and -D -------------------------------------------------------------------------- */

#define LC_ID_DYLIB 0xdu
static const struct otool_name LIBRARIES[] = {
    {LC_ID_DYLIB, "LC_ID_DYLIB"},
    {0xc, "LC_LOAD_DYLIB"},
    {0x80000018, "LC_LOAD_WEAK_DYLIB"},
    {0x8000001f, "LC_REEXPORT_DYLIB"},
    {0x20, "LC_LAZY_LOAD_DYLIB"},
    {0x80000023, "LC_LOAD_UPWARD_DYLIB"},
    {0, NULL},
};
/* What otool says of those that aren't loaded in the ordinary way. */
static const struct otool_name HOW[] = {
    {0x80000018, "weak"},
    {0x8000001f, "reexport"},
    {0x20, "lazy"},
    {0x80000023, "upward"},
    {0, NULL},
};

static void put_json_library(const struct ms_otool_image *image,
                             const struct ms_load_command *command, const char *name, size_t n,
                             struct ms_json *json)
{
    char text[24];
    ms_json_object(json);
    ms_json_key(json, "name");
    ms_json_string_n(json, name, n);
    ms_json_field(json, "cmd", otool_name_of(LIBRARIES, command->cmd));
    ms_json_field_uint(json, "time_stamp", otool_u32(command->body, 12, image->big));
    otool_dylib_version(otool_u32(command->body, 16, image->big), text);
    ms_json_field(json, "current_version", text);
    otool_dylib_version(otool_u32(command->body, 20, image->big), text);
    ms_json_field(json, "compatibility_version", text);
    ms_json_object_end(json);
}

static void put_library(const struct ms_otool_image *image, const struct ms_load_command *command,
                        const uint8_t *name, size_t n, const struct ms_otool_out *out)
{
    char compatible[24], current[24], date[32];
    uint32_t stamp = otool_u32(command->body, 12, image->big);
    const char *how = otool_name_of(HOW, command->cmd);
    otool_dylib_version(otool_u32(command->body, 16, image->big), current);
    otool_dylib_version(otool_u32(command->body, 20, image->big), compatible);
    ms_sink_puts(out->sink, "\t");
    otool_plain(out->sink, name, n);
    ms_sink_printf(out->sink, " (compatibility version %s, current version %s%s%s)\n", compatible,
                   current, how ? ", " : "", how ? how : "");
    if (!out->style->verbose)
        return;
    otool_date(out, stamp, date);
    ms_sink_printf(out->sink, "\ttime stamp %u %s\n", (unsigned)stamp, date);
}

/* One library command. */
static void put_one(const struct ms_otool_image *image, const struct ms_load_command *command,
                    uint32_t index, bool only_id, const struct ms_otool_out *out)
{
    uint32_t off = otool_u32(command->body, 8, image->big);
    struct ms_bytes rest;
    if (off >= command->body.n || !ms_bytes_from(command->body, off, &rest)) {
        if (!out->json)
            ms_sink_printf(out->sink, "\tBad offset (%u) for name of %s command %u\n",
                           (unsigned)off, otool_name_of(LIBRARIES, command->cmd), (unsigned)index);
        return;
    }
    size_t n = strnlen((const char *)rest.at, rest.n);
    if (out->json && only_id) {
        ms_json_key(out->json, "id");
        ms_json_string_n(out->json, (const char *)rest.at, n);
    } else if (out->json) {
        put_json_library(image, command, (const char *)rest.at, n, out->json);
    } else if (only_id) {
        otool_plain(out->sink, rest.at, n);
        ms_sink_puts(out->sink, "\n");
    } else {
        put_library(image, command, rest.at, n, out);
    }
}

enum ms_status ms_otool_libraries(const struct ms_otool_image *image, bool only_id,
                                  const struct ms_otool_out *out, struct ms_error *err)
{
    struct otool_walk walk;
    struct ms_load_command command;
    enum ms_status status;
    bool any = false;
    otool_walk_start(image, &walk);
    if (out->json && !only_id)
        ms_json_array(out->json);
    while ((status = otool_walk_next(image, &walk, &command, err)) == MS_OK) {
        if (only_id ? command.cmd != LC_ID_DYLIB || (out->json && any)
                    : !otool_name_of(LIBRARIES, command.cmd))
            continue;
        put_one(image, &command, walk.index - 1, only_id, out);
        any = true;
    }
    if (out->json && !only_id)
        ms_json_array_end(out->json);
    return status == MS_ABSENT ? MS_OK : status;
}
