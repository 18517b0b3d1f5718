/*
 * render/otool_threads.c: the register states of LC_THREAD and LC_UNIXTHREAD. Each kind is a
 * template: '@' is the next 32-bit number of the state, '#' the next 64-bit one, '^' the next
 * 16-bit one.
 */
#include "render/otool.h"

struct state {
    uint32_t cputype, flavor;
    const char *name;       /* of the flavor */
    const char *count_name; /* of the count it must have */
    uint32_t words;         /* that count */
    const char *text;
    uint32_t inner; /* a state that starts with the flavor and count of what it holds */
    const char *inner_name;
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
static const char X86_EXCEPTION[] = "\t    trapno @ err @ faultvaddr #\n";
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

static const struct state STATES[] = {
    {MS_CPU_I386, 1, "i386_THREAD_STATE", "i386_THREAD_STATE_COUNT", 16, I386, 0, NULL},
    {MS_CPU_I386, 7, "x86_THREAD_STATE", "x86_THREAD_STATE_COUNT", 44, I386, 1,
     "x86_THREAD_STATE32"},
    {MS_CPU_X86_64, 4, "x86_THREAD_STATE64", "x86_THREAD_STATE64_COUNT", 42, X86_64, 0, NULL},
    {MS_CPU_X86_64, 7, "x86_THREAD_STATE", "x86_THREAD_STATE_COUNT", 44, X86_64, 4,
     "x86_THREAD_STATE64"},
    {MS_CPU_X86_64, 6, "x86_EXCEPTION_STATE64", "x86_EXCEPTION_STATE64_COUNT", 4, X86_EXCEPTION, 0,
     NULL},
    {MS_CPU_X86_64, 9, "x86_EXCEPTION_STATE", "x86_EXCEPTION_STATE_COUNT", 6, X86_EXCEPTION, 6,
     "x86_EXCEPTION_STATE64"},
    {MS_CPU_ARM, 1, "ARM_THREAD_STATE", "ARM_THREAD_STATE_COUNT", 17, ARM, 0, NULL},
    {MS_CPU_ARM64, 6, "ARM_THREAD_STATE64", "ARM_THREAD_STATE64_COUNT", 68, ARM64, 0, NULL},
    {MS_CPU_ARM64_32, 6, "ARM_THREAD_STATE64", "ARM_THREAD_STATE64_COUNT", 68, ARM64, 0, NULL},
};

static const struct state *find_state(uint32_t cputype, uint32_t flavor)
{
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++)
        if (STATES[i].cputype == cputype && STATES[i].flavor == flavor)
            return &STATES[i];
    return NULL;
}

static bool is_known_cpu(uint32_t cputype)
{
    for (size_t i = 0; i < sizeof STATES / sizeof *STATES; i++)
        if (STATES[i].cputype == cputype)
            return true;
    return false;
}

/* Registers that the command has no bytes for are 0. */
static void put_template(const char *text, struct ms_bytes in, uint64_t at, bool big,
                         struct ms_sink *sink)
{
    while (*text) {
        size_t n = strcspn(text, "@#");
        ms_sink_write(sink, text, n);
        text += n;
        if (*text == '@')
            ms_sink_printf(sink, "0x%08x", (unsigned)otool_u32(in, at, big));
        else if (*text == '#')
            ms_sink_printf(sink, "0x%016llx", (unsigned long long)otool_u64(in, at, big));
        at += *text == '@' ? 4 : 8;
        text += *text != 0;
    }
}

static void put_state(const struct state *state, uint32_t count, struct ms_bytes body, uint64_t at,
                      bool big, struct ms_sink *sink)
{
    ms_sink_printf(sink, "     flavor %s\n", state->name);
    if (count == state->words)
        ms_sink_printf(sink, "      count %s\n", state->count_name);
    else
        ms_sink_printf(sink, "      count %u (not %s)\n", (unsigned)count, state->count_name);
    if (!state->inner) {
        put_template(state->text, body, at, big, sink);
        return;
    }
    const char *kind = state->text == X86_EXCEPTION ? "esh" : "tsh";
    uint32_t inner = otool_u32(body, at, big), inner_count = otool_u32(body, at + 4, big);
    if (inner != state->inner) {
        ms_sink_printf(sink, "\t    %s.flavor %u  %s.count %u\n", kind, (unsigned)inner, kind,
                       (unsigned)inner_count);
        return;
    }
    const struct state *held = find_state(state->cputype, inner);
    bool right = held && held->words == inner_count;
    ms_sink_printf(sink, "\t    %s.flavor %s%s%s.count ", kind, state->inner_name,
                   state->text == X86_EXCEPTION ? "\n\t    " : " ", kind);
    if (right)
        ms_sink_printf(sink, "%s_COUNT\n", state->inner_name);
    else
        ms_sink_printf(sink, "%u (not %s_COUNT\n", (unsigned)inner_count, state->inner_name);
    put_template(state->text, body, at + 8, big, sink);
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
    /* Each turn reads eight bytes at least. */
    while (off < body.n) {
        uint32_t flavor = otool_u32(body, off, big), count = otool_u32(body, off + 4, big);
        const struct state *state = find_state(cputype, flavor);
        off += 8;
        if (out->json)
            put_json(flavor, count, body, off, big, out->json);
        else if (state)
            put_state(state, count, body, off, big, out->sink);
        else if (is_known_cpu(cputype))
            ms_sink_printf(out->sink,
                           "     flavor %u (unknown)\n      count %u\n      state (unknown)\n",
                           (unsigned)flavor, (unsigned)count);
        else
            ms_sink_printf(out->sink,
                           "     flavor %u\n      count %u\n"
                           "      state (Unknown cputype/cpusubtype)\n",
                           (unsigned)flavor, (unsigned)count);
        /* What is known has the size that it has, whatever the count says. */
        off += 4 * (uint64_t)(state ? state->words : count);
    }
    if (out->json)
        ms_json_array_end(out->json);
}
