/*
 * render/otool_threads.c: the register states of LC_THREAD and LC_UNIXTHREAD. Each kind is a
 * template: '@' is the next 32-bit number of the state, '#' the next 64-bit one, '^' the next
 * 16-bit one and the 16 bits behind it, '.' a word that isn't shown here, and '<' goes back to
 * the first.
 */
#include "render/otool.h"

#include <stdio.h>

struct state {
    uint32_t cpu, flavor;
    uint32_t words; /* that it has, and that its count must say */
    const char *name;
    const char *count_name; /* NULL: the name with _COUNT behind it */
    const char *text;       /* NULL: an x87 and SSE state */
    /* A state that holds one of two others, for 32 or 64 bits, behind their flavor and count. */
    const char *holder, *between;
    uint32_t held[2];
};

static const char I386[] = "\t    eax @ ebx    @ ecx @ edx @\n"
                           "\t    edi @ esi    @ ebp @ esp @\n"
                           "\t    ss  @ eflags @ eip @ cs  @\n"
                           "\t    ds  @ es     @ fs  @ gs  @\n";
static const char X86_64[] = "   rax  # rbx # rcx  #\n"
                             "   rdx  # rdi # rsi  #\n"
                             "   rbp  # rsp # r8   #\n"
                             "    r9  # r10 # r11  #\n"
                             "   r12  # r13 # r14  #\n"
                             "   r15  # rip #\n"
                             "rflags  # cs  # fs   #\n"
                             "    gs  #\n";
static const char X86_EXCEPTION_32[] = "\t    trapno ^ err @ faultvaddr @\n";
static const char X86_EXCEPTION_64[] = "\t    trapno ^ err @ faultvaddr #\n";
static const char X86_DEBUG_32[] = "\t    dr0 @ dr1 @ dr2 @ dr3 @\n"
                                   "\t    dr4 @ dr5 @ dr6 @ dr7 @\n";
static const char X86_DEBUG_64[] = "\t    dr0 # dr1 # dr2 # dr3 #\n"
                                   "\t    dr4 # dr5 # dr6 # dr7 #\n";
static const char ARM[] = "\t    r0  @ r1     @ r2  @ r3  @\n"
                          "\t    r4  @ r5     @ r6  @ r7  @\n"
                          "\t    r8  @ r9     @ r10 @ r11 @\n"
                          "\t    r12 @ sp     @ lr  @ pc  @\n"
                          "\t   cpsr @\n";
static const char ARM64[] = "\t    x0  # x1  # x2  #\n"
                            "\t    x3  # x4  # x5  #\n"
                            "\t    x6  # x7  # x8  #\n"
                            "\t    x9  # x10 # x11 #\n"
                            "\t    x12 # x13 # x14 #\n"
                            "\t    x15 # x16 # x17 #\n"
                            "\t    x18 # x19 # x20 #\n"
                            "\t    x21 # x22 # x23 #\n"
                            "\t    x24 # x25 # x26 #\n"
                            "\t    x27 # x28 #  fp #\n"
                            "\t     lr # sp  #  pc #\n"
                            "\t   cpsr @\n";
static const char ARM64_EXCEPTION[] = "\t   far  # esr @ exception @\n";
static const char PPC[] = "..    r0  @ r1  @ r2  @ r3   @ r4   @\n"
                          "    r5  @ r6  @ r7  @ r8   @ r9   @\n"
                          "    r10 @ r11 @ r12 @ r13  @ r14  @\n"
                          "    r15 @ r16 @ r17 @ r18  @ r19  @\n"
                          "    r20 @ r21 @ r22 @ r23  @ r24  @\n"
                          "    r25 @ r26 @ r27 @ r28  @ r29  @\n"
                          "    r30 @ r31 @ cr  @ xer  @ lr   @\n"
                          "    ctr @ mq  @ vrsave @ srr0 <@ srr1 @\n";
static const char PPC_64[] = "....    r0  # r1  # r2   #\n"
                             "    r3  # r4  # r5   #\n"
                             "    r6  # r7  # r8   #\n"
                             "    r9  # r10 # r11  #\n"
                             "   r12  # r13 # r14  #\n"
                             "   r15  # r16 # r17  #\n"
                             "   r18  # r19 # r20  #\n"
                             "   r21  # r22 # r23  #\n"
                             "   r24  # r25 # r26  #\n"
                             "   r27  # r28 # r29  #\n"
                             "   r30  # r31 # cr   @\n"
                             "   xer  # lr  # ctr  #\n"
                             "vrsave  @        srr0 <# srr1 #\n";

#define NOT_HELD NULL, NULL, {0, 0}

static const struct state STATES[] = {
    {MS_CPU_I386, 1, 16, "i386_THREAD_STATE", NULL, I386, NOT_HELD},
    {MS_CPU_I386, 2, 131, "i386_FLOAT_STATE", NULL, NULL, NOT_HELD},
    {MS_CPU_I386, 3, 3, "i386_EXCEPTION_STATE", "I386_EXCEPTION_STATE_COUNT", X86_EXCEPTION_32,
     NOT_HELD},
    {MS_CPU_I386, 4, 42, "x86_THREAD_STATE64", NULL, X86_64, NOT_HELD},
    {MS_CPU_I386, 5, 131, "x86_FLOAT_STATE64", NULL, NULL, NOT_HELD},
    {MS_CPU_I386, 6, 4, "x86_EXCEPTION_STATE64", NULL, X86_EXCEPTION_64, NOT_HELD},
    {MS_CPU_I386, 7, 44, "x86_THREAD_STATE", NULL, NULL, "tsh", " ", {1, 4}},
    {MS_CPU_I386, 8, 133, "x86_FLOAT_STATE", NULL, NULL, "fsh", " ", {2, 5}},
    {MS_CPU_I386, 9, 6, "x86_EXCEPTION_STATE", NULL, NULL, "esh", "\n\t    ", {3, 6}},
    {MS_CPU_I386, 10, 8, "x86_DEBUG_STATE32", NULL, X86_DEBUG_32, NOT_HELD},
    {MS_CPU_I386, 11, 16, "x86_DEBUG_STATE64", NULL, X86_DEBUG_64, NOT_HELD},
    {MS_CPU_I386, 12, 18, "x86_DEBUG_STATE", NULL, NULL, "dsh", "\n\t    ", {10, 11}},
    {MS_CPU_ARM, 1, 17, "ARM_THREAD_STATE", NULL, ARM, NOT_HELD},
    {MS_CPU_ARM64, 6, 68, "ARM_THREAD_STATE64", NULL, ARM64, NOT_HELD},
    {MS_CPU_ARM64, 7, 4, "ARM_EXCEPTION_STATE64", NULL, ARM64_EXCEPTION, NOT_HELD},
    {MS_CPU_PPC, 1, 40, "PPC_THREAD_STATE", NULL, PPC, NOT_HELD},
    {MS_CPU_PPC, 5, 76, "PPC_THREAD_STATE64", NULL, PPC_64, NOT_HELD},
};

/* The states of the 32-bit sibling are known in 64 bits, too, and the other way round. */
static uint32_t family(uint32_t cputype)
{
    return cputype == MS_CPU_ARM64 || cputype == MS_CPU_ARM64_32 ? MS_CPU_ARM64
                                                                 : cputype & ~(uint32_t)MS_CPU_64;
}

static const struct state *find_state(uint32_t cpu, uint32_t flavor)
{
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++)
        if (STATES[i].cpu == cpu && STATES[i].flavor == flavor)
            return &STATES[i];
    return NULL;
}

static bool is_known_cpu(uint32_t cpu)
{
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++)
        if (STATES[i].cpu == cpu)
            return true;
    return false;
}

/* Registers that the command has no bytes for are 0. */
static void put_template(const char *text, struct ms_bytes in, uint64_t at, bool big,
                         struct ms_sink *sink)
{
    const uint64_t first = at;
    while (*text) {
        size_t n = strcspn(text, "@#^.<");
        ms_sink_write(sink, text, n);
        text += n;
        if (*text == '@')
            ms_sink_printf(sink, "0x%08x", (unsigned)otool_u32(in, at, big));
        else if (*text == '^')
            ms_sink_printf(sink, "0x%08x", (unsigned)otool_u16(in, at, big));
        else if (*text == '#')
            ms_sink_printf(sink, "0x%016llx", (unsigned long long)otool_u64(in, at, big));
        at = *text == '<' ? first : at + (*text == '#' ? 8 : 4);
        text += *text != 0;
    }
}

static void put_registers(const struct state *state, struct ms_bytes body, uint64_t at, bool big,
                          struct ms_sink *sink)
{
    if (state->text)
        put_template(state->text, body, at, big, sink);
    else
        otool_float_state(body, at, big, state->flavor == 5, sink);
}

static void put_held(const struct state *state, struct ms_bytes body, uint64_t at, bool big,
                     struct ms_sink *sink)
{
    uint32_t flavor = otool_u32(body, at, big), count = otool_u32(body, at + 4, big);
    unsigned bits = flavor == state->held[0] ? 32 : flavor == state->held[1] ? 64 : 0;
    const struct state *held = bits ? find_state(state->cpu, flavor) : NULL;
    if (!held) {
        ms_sink_printf(sink, "\t    %s.flavor %u %s.count %u\n", state->holder, (unsigned)flavor,
                       state->holder, (unsigned)count);
        return;
    }
    ms_sink_printf(sink, "\t    %s.flavor %s%u%s%s.count ", state->holder, state->name, bits,
                   state->between, state->holder);
    if (held->words == count)
        ms_sink_printf(sink, "%s%u_COUNT\n", state->name, bits);
    else
        ms_sink_printf(sink, "%u (not %s%u_COUNT\n", (unsigned)count, state->name, bits);
    put_registers(held, body, at + 8, big, sink);
}

static void put_state(const struct state *state, uint32_t count, struct ms_bytes body, uint64_t at,
                      bool big, struct ms_sink *sink)
{
    char count_name[48], expected[24] = "";
    snprintf(count_name, sizeof count_name, state->count_name ? "%s" : "%s_COUNT",
             state->count_name ? state->count_name : state->name);
    if (state->cpu == MS_CPU_ARM64)
        snprintf(expected, sizeof expected, " %u", (unsigned)state->words);
    ms_sink_printf(sink, "     flavor %s\n", state->name);
    if (count == state->words)
        ms_sink_printf(sink, "      count %s\n", count_name);
    else
        ms_sink_printf(sink, "      count %u (not %s%s)\n", (unsigned)count, count_name, expected);
    if (state->holder)
        put_held(state, body, at, big, sink);
    else
        put_registers(state, body, at, big, sink);
}

/* The words of a state that nobody knows, eight a row, as many as there are. */
static void put_unknown(bool known_cpu, uint32_t flavor, uint32_t count, struct ms_bytes body,
                        uint64_t at, bool big, struct ms_sink *sink)
{
    struct ms_bytes rest = {NULL, 0};
    ms_sink_printf(sink, "     flavor %u%s\n      count %u\n      state%s:\n", (unsigned)flavor,
                   known_cpu ? " (unknown)" : "", (unsigned)count,
                   known_cpu ? "" : " (Unknown cputype/cpusubtype)");
    (void)ms_bytes_from(body, at, &rest);
    const uint64_t n = count < rest.n / 4 ? count : rest.n / 4;
    for (uint64_t i = 0; i < n; i++)
        ms_sink_printf(sink, "%08x %s", (unsigned)otool_u32(rest, 4 * i, big),
                       i % 8 == 7 || i + 1 == n ? "\n" : "");
}

static void put_json(uint32_t flavor, uint32_t count, struct ms_bytes body, uint64_t at, bool big,
                     struct ms_json *json)
{
    ms_json_object(json);
    ms_json_field_uint(json, "flavor", flavor);
    ms_json_field_uint(json, "count", count);
    ms_json_key(json, "words");
    ms_json_array(json);
    struct ms_bytes word;
    for (uint32_t i = 0; i < count && ms_bytes_part(body, at + 4 * (uint64_t)i, 4, &word); i++)
        ms_json_address(json, ms_load_u32(word.at, big));
    ms_json_array_end(json);
    ms_json_object_end(json);
}

void otool_threads(struct ms_bytes body, uint64_t off, bool big, uint32_t cputype,
                   const struct ms_otool_out *out)
{
    if (out->json) {
        ms_json_key(out->json, "states");
        ms_json_array(out->json);
    }
    const uint32_t cpu = family(cputype);
    /* Each turn reads eight bytes at least. */
    while (off < body.n) {
        uint32_t flavor = otool_u32(body, off, big), count = otool_u32(body, off + 4, big);
        const struct state *state = find_state(cpu, flavor);
        off += 8;
        if (out->json)
            put_json(flavor, count, body, off, big, out->json);
        else if (state)
            put_state(state, count, body, off, big, out->sink);
        else
            put_unknown(is_known_cpu(cpu), flavor, count, body, off, big, out->sink);
        /* What is known has the size that it has, whatever the count says. */
        off += 4 * (uint64_t)(state ? state->words : count);
    }
    if (out->json)
        ms_json_array_end(out->json);
}
