/* The registers of the thread that crashed, and the instructions around its pc. */
#include "render/frame_rest.h"
#include "render/ips_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "%5s: 0x%016llx"; what the report doesn't know is "<unavailable>", as rip under Rosetta. */
static void cell(struct ms_ips_text *t, unsigned label_width, unsigned digits, const char *name,
                 struct ms_json_value reg)
{
    uint64_t value;
    ms_ips_printf(t, "%*s: ", (int)label_width, name);
    if (ms_json_u64(t->in, ms_json_get(t->in, reg, "value"), &value))
        ms_ips_printf(t, "0x%0*" PRIx64, (int)digits, value);
    else
        ms_ips_put(t, "<unavailable>");
}

static void registers(struct ms_ips_text *t, struct ms_json_value state, const char *const *names,
                      size_t n)
{
    for (size_t i = 0; i < n; i++)
        cell(t, 5, 16, names[i], ms_json_get(t->in, state, names[i]));
}

/* The function that a register points to, where it was looked up: ends the register's row. */
static void tell(struct ms_ips_text *t, size_t thread, const char *name)
{
    const struct ms_report *report = t->view->report;
    for (size_t i = 0; i < report->n_frames; i++) {
        const struct ms_report_frame *frame = &report->frames[i];
        if (frame->place == MS_PLACE_REGISTER && frame->group == thread && frame->reg &&
            strcmp(frame->reg, name) == 0)
            ms_register_rest_add(&t->out, name, &t->view->shown[i]);
    }
}

static void title(struct ms_ips_text *t, size_t thread, const char *what)
{
    ms_ips_printf(t, "Thread %zu crashed with %s:\n", thread, what);
}

/* ---- arm64 ----------------------------------------------------------------------------- */

static void arm64(struct ms_ips_text *t, struct ms_json_value state, size_t thread)
{
    static const char *const pair[] = {"fp", "lr"}, *const place[] = {"sp", "pc"};
    struct ms_json_value esr = ms_json_get(t->in, state, "esr");
    struct ms_json_iter iter;
    struct ms_json_member reg;
    char name[8];
    unsigned n = 0;
    title(t, thread, "ARM Thread State (64-bit)");
    ms_json_iter_open(&iter, t->in, ms_json_get(t->in, state, "x"));
    while (n < 29 && ms_json_iter_next(&iter, &reg)) {
        ms_ips_put(t, n % 4 ? "" : " ");
        snprintf(name, sizeof name, "x%u", n++);
        cell(t, 5, 16, name, reg.value);
        ms_ips_put(t, n % 4 ? "" : "\n");
    }
    if (n % 4 == 0)
        ms_ips_put(t, " ");
    registers(t, state, pair, 2);
    tell(t, thread, "lr");
    ms_ips_put(t, "\n ");
    registers(t, state, place, 2);
    cell(t, 5, 8, "cpsr", ms_json_get(t->in, state, "cpsr"));
    tell(t, thread, "pc");
    ms_ips_put(t, "\n ");
    cell(t, 5, 16, "far", ms_json_get(t->in, state, "far"));
    cell(t, 5, 8, "esr", esr);
    ms_ips_put(t, " ");
    ms_ips_value(t, ms_json_get(t->in, esr, "description"), NULL);
    ms_ips_put(t, "\n");
}

/* ---- 32-bit ARM ------------------------------------------------------------------------ */

static void arm32(struct ms_ips_text *t, struct ms_json_value state, size_t thread)
{
    static const char *const last[] = {"ip", "sp", "lr", "pc"};
    static const unsigned widths[] = {6, 6, 8, 8};
    struct ms_json_iter iter;
    struct ms_json_member reg;
    char name[8];
    unsigned n = 0;
    title(t, thread, "ARM Thread State (32-bit)");
    ms_json_iter_open(&iter, t->in, ms_json_get(t->in, state, "r"));
    while (n < 12 && ms_json_iter_next(&iter, &reg)) {
        snprintf(name, sizeof name, "r%u", n);
        cell(t, widths[n % 4], 8, name, reg.value);
        ms_ips_put(t, ++n % 4 ? "" : "\n");
    }
    ms_ips_put(t, n % 4 ? "\n" : "");
    for (size_t i = 0; i < 4; i++)
        cell(t, widths[i], 8, last[i], ms_json_get(t->in, state, last[i]));
    tell(t, thread, "lr");
    tell(t, thread, "pc");
    ms_ips_put(t, "\n");
    cell(t, 6, 8, "cpsr", ms_json_get(t->in, state, "cpsr"));
    ms_ips_put(t, "\n");
}

/* ---- x86_64 ---------------------------------------------------------------------------- */

static void logical_cpu(struct ms_ips_text *t, struct ms_json_value state)
{
    struct ms_json_value trap = ms_json_get(t->in, state, "trap");
    uint64_t error = 0;
    ms_ips_put(t, "  \nLogical CPU:     ");
    ms_ips_value(t, ms_json_get(t->in, ms_json_get(t->in, state, "cpu"), "value"), "0");
    ms_json_u64(t->in, ms_json_get(t->in, ms_json_get(t->in, state, "err"), "value"), &error);
    ms_ips_printf(t, "\nError Code:      0x%08" PRIx64 " ", error);
    ms_ips_value(t, ms_json_get(t->in, trap, "description"), NULL);
    ms_ips_put(t, "\nTrap Number:     ");
    ms_ips_value(t, ms_json_get(t->in, trap, "value"), "0");
    ms_ips_put(t, "\n\n");
}

static void x86_64(struct ms_ips_text *t, struct ms_json_value state, size_t thread)
{
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    static const char *const temporaries[] = {"tmp0", "tmp1", "tmp2"};
    struct ms_json_value rosetta = ms_json_get(t->in, state, "rosetta");
    title(t, thread, "X86 Thread State (64-bit)");
    for (size_t i = 0; i < 16; i += 4) {
        registers(t, state, names + i, 4);
        ms_ips_put(t, "\n");
    }
    cell(t, 5, 16, "rip", ms_json_get(t->in, state, "rip"));
    cell(t, 5, 16, "rfl", ms_json_get(t->in, state, "rflags"));
    if (ms_ips_has(rosetta)) { /* translated: no trap of this processor */
        tell(t, thread, "rip");
        ms_ips_put(t, "\n");
        for (size_t i = 0; i < 3; i++)
            cell(t, 5, 16, temporaries[i], ms_json_get(t->in, rosetta, temporaries[i]));
        ms_ips_put(t, "\n\n");
        return;
    }
    cell(t, 5, 16, "cr2", ms_json_get(t->in, state, "cr2"));
    tell(t, thread, "rip");
    ms_ips_put(t, "\n");
    logical_cpu(t, state);
}

/* ---- instructions ---------------------------------------------------------------------- */

enum { ROW = 16, MAX_STREAM = 4096 };

/* One row of the dump; `pc` is the index of the byte at the pc, counted from the row's start. */
static void dump_row(struct ms_ips_text *t, const uint8_t *bytes, size_t n, size_t pc)
{
    char parts[ROW + 1];
    memset(parts, ' ', sizeof parts);
    parts[ROW / 2] = '-';
    if (pc < n) {
        parts[pc] = '[';
        parts[pc + 1] = ']';
    }
    ms_ips_put(t, " ");
    for (size_t i = 0; i < ROW; i++) {
        ms_text_putc(&t->out, parts[i]);
        if (i < n)
            ms_ips_printf(t, "%02x", bytes[i]);
        else
            ms_ips_put(t, "  ");
    }
    ms_text_putc(&t->out, parts[ROW]);
    ms_ips_put(t, " ");
    for (size_t i = 0; i < n; i++)
        ms_text_putc(&t->out, bytes[i] >= 0x20 && bytes[i] < 0x7f ? (char)bytes[i] : '.');
    ms_ips_put(t, pc < n ? "\t<==\n" : "\n");
}

static void instructions(struct ms_ips_text *t, struct ms_json_value thread, size_t number)
{
    struct ms_json_value stream =
        ms_json_get(t->in, ms_json_get(t->in, thread, "instructionState"), "instructionStream");
    struct ms_json_iter iter;
    struct ms_json_member element;
    uint8_t bytes[MAX_STREAM];
    size_t n = 0;
    uint64_t pc = UINT64_MAX, byte;
    ms_json_iter_open(&iter, t->in, ms_json_get(t->in, stream, "bytes"));
    while (n < MAX_STREAM && ms_json_iter_next(&iter, &element))
        bytes[n++] = ms_json_u64(t->in, element.value, &byte) ? (uint8_t)byte : 0;
    if (n == 0)
        return;
    if (!ms_json_u64(t->in, ms_json_get(t->in, stream, "offset"), &pc))
        pc = UINT64_MAX;
    ms_ips_printf(t, "Thread %zu instruction stream:\n", number);
    for (size_t i = 0; i < n; i += ROW)
        dump_row(t, bytes + i, n - i < ROW ? n - i : ROW,
                 pc >= i && pc - i < ROW ? (size_t)(pc - i) : ROW);
}

/* ---- the thread ------------------------------------------------------------------------ */

static struct ms_json_value crashed_thread(const struct ms_ips_text *t)
{
    struct ms_json_iter iter;
    struct ms_json_member element = {{0}, {0}};
    int32_t wanted = t->view->report->crashed_thread;
    ms_json_iter_open(&iter, t->in, t->top[K_THREADS]);
    for (int32_t i = 0; i <= wanted; i++)
        if (!ms_json_iter_next(&iter, &element))
            break;
    return element.value;
}

void ms_ips_text_state(struct ms_ips_text *t)
{
    struct ms_json_value thread = crashed_thread(t);
    struct ms_json_value state = ms_json_get(t->in, thread, "threadState");
    size_t number = (size_t)t->view->report->crashed_thread;
    if (state.kind != MS_JSON_OBJECT) {
        ms_ips_put(t, "No thread state (register information) available\n\n");
        return;
    }
    /* By the registers, not by the flavor: exporters leave it out. */
    if (ms_ips_has(ms_json_get(t->in, state, "rsp")))
        x86_64(t, state, number); /* ends in a blank line of its own */
    else if (ms_ips_has(ms_json_get(t->in, state, "r")))
        arm32(t, state, number);
    else
        arm64(t, state, number);
    instructions(t, thread, number);
    ms_ips_put(t, "\n");
}
