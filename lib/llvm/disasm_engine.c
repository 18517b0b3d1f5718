/*
 * llvm/disasm_engine.c: LLVM's disassembler for an image's architecture. Its context keeps every
 * symbol and expression it has made until it is thrown away, so that is done now and then.
 */
#include "base/error.h"
#include "llvm/disasm_cpu.h"
#include "llvm/disasm_parts.h"

#include <llvm-c/Disassembler.h>
#include <stdlib.h>

/* Of the three back ends that are linked; llvm-c's Target.h names all that LLVM was built with. */
void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64Disassembler(void);
void LLVMInitializeARMTargetInfo(void);
void LLVMInitializeARMTargetMC(void);
void LLVMInitializeARMDisassembler(void);
void LLVMInitializeX86TargetInfo(void);
void LLVMInitializeX86TargetMC(void);
void LLVMInitializeX86Disassembler(void);

enum {
    TEXT_ROOM = 1 << 18,      /* a comment may hold a string of the file; longer ones are cut */
    CALLS_A_CONTEXT = 1 << 17 /* some 30 MB */
};

/*
 * What cctools and LLVM take for each, but that a file of one subtype may have code for the newest
 * processor in it, behind a test at run time, so that every instruction is known: LLVM's "all" of
 * ARM64, the last processors of Apple's with 32-bit ARM. Intel's decoder knows them without.
 */
static const struct target {
    uint32_t cputype, cpusubtype;
    bool any; /* subtype */
    const char *triple, *thumb, *cpu, *features;
} TARGETS[] = {
    {MS_CPU_ARM64, 2, false, "arm64e-apple-darwin", NULL, "apple-a12", "+all"},
    {MS_CPU_ARM64, 0, true, "arm64-apple-darwin", NULL, "cyclone", "+all"},
    {MS_CPU_ARM64_32, 0, true, "arm64_32-apple-darwin", NULL, "cyclone", "+all"},
    {MS_CPU_X86_64, 0, true, "x86_64-apple-darwin", NULL, "", ""},
    {MS_CPU_I386, 0, true, "i386-apple-darwin", NULL, "", ""},
    {MS_CPU_ARM, 5, false, "armv4t-apple-darwin", "thumbv4t-apple-darwin", "", ""},
    {MS_CPU_ARM, 7, false, "armv5e-apple-darwin", "thumbv5e-apple-darwin", "", ""},
    {MS_CPU_ARM, 8, false, "xscale-apple-darwin", "thumbv5e-apple-darwin", "", ""},
    {MS_CPU_ARM, 6, false, "armv6-apple-darwin", "thumbv6-apple-darwin", "arm1176jzf-s", ""},
    {MS_CPU_ARM, 14, false, "thumbv6m-apple-darwin", "thumbv6m-apple-darwin", "cortex-m0", ""},
    {MS_CPU_ARM, 16, false, "thumbv7em-apple-darwin", "thumbv7em-apple-darwin", "cortex-m4", ""},
    {MS_CPU_ARM, 12, false, "armv7k-apple-darwin", "thumbv7k-apple-darwin", "cortex-a7", ""},
    {MS_CPU_ARM, 15, false, "thumbv7m-apple-darwin", "thumbv7m-apple-darwin", "cortex-m3", ""},
    {MS_CPU_ARM, 11, false, "armv7s-apple-darwin", "thumbv7s-apple-darwin", "cortex-a7", ""},
    {MS_CPU_ARM, 0, true, "armv7-apple-darwin", "thumbv7-apple-darwin", "cortex-a7", ""},
};

struct disasm_engine {
    const struct target *target;
    const char *cpu, *features;
    struct disasm_info *info;
    LLVMDisasmContextRef context[2]; /* of each instruction set: Thumb's second */
    unsigned calls[2];
    bool keep; /* the context knows of instructions to come: an IT block's */
    char *text;
};

static const struct target *find_target(const struct ms_macho *macho)
{
    uint32_t subtype = macho->cpusubtype & 0x00ffffff;
    for (size_t i = 0; i < sizeof TARGETS / sizeof *TARGETS; i++)
        if (TARGETS[i].cputype == macho->cputype &&
            (TARGETS[i].any || TARGETS[i].cpusubtype == subtype))
            return &TARGETS[i];
    return NULL;
}

static bool open_context(struct disasm_engine *engine, bool thumb)
{
    const struct target *target = engine->target;
    if (engine->context[thumb])
        LLVMDisasmDispose(engine->context[thumb]);
    engine->calls[thumb] = 0;
    engine->context[thumb] = LLVMCreateDisasmCPUFeatures(
        thumb ? target->thumb : target->triple, engine->cpu, engine->features, engine->info, 1,
        disasm_operand, disasm_look_up);
    if (!engine->context[thumb])
        return false;
    LLVMSetDisasmOptions(engine->context[thumb], LLVMDisassembler_Option_PrintImmHex);
    return true;
}

static void initialize(uint32_t cputype)
{
    if (cputype == MS_CPU_ARM) {
        LLVMInitializeARMTargetInfo();
        LLVMInitializeARMTargetMC();
        LLVMInitializeARMDisassembler();
    } else if (cputype == MS_CPU_I386 || cputype == MS_CPU_X86_64) {
        LLVMInitializeX86TargetInfo();
        LLVMInitializeX86TargetMC();
        LLVMInitializeX86Disassembler();
    } else {
        LLVMInitializeAArch64TargetInfo();
        LLVMInitializeAArch64TargetMC();
        LLVMInitializeAArch64Disassembler();
    }
}

/* Intel's code means the same for every processor; cctools' -mcpu= is for ARM alone, too. */
static enum ms_status choose_cpu(struct disasm_engine *engine, const struct ms_macho *macho,
                                 const char *cpu, struct ms_error *err)
{
    engine->cpu = engine->target->cpu;
    engine->features = engine->target->features;
    if (!cpu || macho->cputype == MS_CPU_I386 || macho->cputype == MS_CPU_X86_64)
        return MS_OK;
    if (!disasm_cpu_known(engine->target->triple, cpu))
        return ms_fail(err, MS_E_ARGUMENT, macho->where, MS_NO_OFFSET,
                       "LLVM knows no processor %s of this architecture", cpu);
    engine->cpu = cpu;
    engine->features = "";
    return MS_OK;
}

enum ms_status disasm_engine_new(const struct ms_macho *macho, const char *cpu,
                                 struct disasm_info *info, struct disasm_engine **out,
                                 struct ms_error *err)
{
    const struct target *target = find_target(macho);
    *out = NULL;
    if (!target)
        return ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                       "no disassembler for this architecture");
    struct disasm_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return ms_fail_memory(err);
    initialize(macho->cputype);
    engine->target = target;
    engine->info = info;
    engine->text = malloc(TEXT_ROOM);
    enum ms_status status =
        engine->text ? choose_cpu(engine, macho, cpu, err) : ms_fail_memory(err);
    if (status == MS_OK && !open_context(engine, false))
        status = ms_fail(err, MS_E_UNSUPPORTED, macho->where, MS_NO_OFFSET,
                         "LLVM has no disassembler for this architecture");
    if (status != MS_OK)
        disasm_engine_free(engine);
    else
        *out = engine;
    return status;
}

void disasm_engine_free(struct disasm_engine *engine)
{
    if (!engine)
        return;
    for (int i = 0; i < 2; i++)
        if (engine->context[i])
            LLVMDisasmDispose(engine->context[i]);
    free(engine->text);
    free(engine);
}

/* Names come from the file: only tabs may control anything. */
static void make_plain(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++)
        if ((*at < 0x20 && *at != '\t') || *at == 0x7f)
            *at = '?';
}

void disasm_engine_keep(struct disasm_engine *engine, bool keep)
{
    engine->keep = keep;
}

unsigned disasm_engine_decode(struct disasm_engine *engine, bool thumb, const uint8_t *at, size_t n,
                              uint64_t pc, const char **text)
{
    thumb = thumb && engine->target->thumb;
    if ((!engine->context[thumb] || engine->calls[thumb] >= CALLS_A_CONTEXT) && !engine->keep &&
        !open_context(engine, thumb))
        return 0;
    if (!engine->context[thumb])
        return 0;
    engine->calls[thumb]++;
    /* It does not write to the bytes, whatever its type says. */
    size_t bytes = LLVMDisasmInstruction(engine->context[thumb], (uint8_t *)(uintptr_t)at, n, pc,
                                         engine->text, TEXT_ROOM);
    if (bytes == 0 || bytes > n)
        return 0;
    make_plain(engine->text);
    *text = engine->text;
    return (unsigned)bytes;
}
