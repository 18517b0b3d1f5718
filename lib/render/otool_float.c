/*
 * render/otool_float.c: the x87 and SSE registers of a thread, as FXSAVE stores them.
 */
#include "render/otool.h"

/* Where things are, from the start of the state; all that depends on the width comes last. */
enum { CONTROL = 8, STATUS = 10, TAGS = 12, STACK = 40, XMM = 168 };
enum { STACK_REGISTERS = 8, REGISTER_BYTES = 16, STACK_BYTES = 10 };

static const char *const EXCEPTIONS[] = {"invalid", "denorm", "zdiv", "ovrfl", "undfl", "precis"};
enum { N_EXCEPTIONS = sizeof EXCEPTIONS / sizeof *EXCEPTIONS };

static void put_bytes(struct ms_bytes in, uint64_t at, unsigned n, struct ms_sink *sink)
{
    for (unsigned i = 0; i < n; i++) {
        struct ms_bytes one;
        ms_sink_printf(sink, "%02x ", ms_bytes_part(in, at + i, 1, &one) ? one.at[0] : 0);
    }
    ms_sink_puts(sink, "\n");
}

static void put_exceptions(struct ms_sink *sink, const char *key, unsigned bits)
{
    ms_sink_printf(sink, "\t    %s:", key);
    for (unsigned i = 0; i < N_EXCEPTIONS; i++)
        ms_sink_printf(sink, " %s %u", EXCEPTIONS[i], bits >> i & 1);
}

static void put_control(struct ms_sink *sink, unsigned control)
{
    static const char *const precisions[] = {"FP_PREC_24B", "1", "FP_PREC_53B", "FP_PREC_64B"};
    static const char *const roundings[] = {"FP_RND_NEAR", "FP_RND_DOWN", "FP_RND_UP", "FP_CHOP"};
    put_exceptions(sink, "control", control);
    ms_sink_printf(sink, "\n\t\t     pc %s rc %s \n", precisions[control >> 8 & 3],
                   roundings[control >> 10 & 3]);
}

static void put_status(struct ms_sink *sink, unsigned status)
{
    put_exceptions(sink, "status", status);
    ms_sink_printf(sink, " stkflt %u\n", status >> 6 & 1);
    ms_sink_printf(sink, "\t            errsumm %u c0 %u c1 %u c2 %u tos %u c3 %u busy %u\n",
                   status >> 7 & 1, status >> 8 & 1, status >> 9 & 1, status >> 10 & 1,
                   status >> 11 & 7, status >> 14 & 1, status >> 15 & 1);
}

/* From the tag word up to the mask of MXCSR. */
static void put_pointers(struct ms_bytes in, uint64_t at, bool big, struct ms_sink *sink)
{
    struct ms_bytes tags;
    bool has_tags = ms_bytes_part(in, at, 2, &tags);
    ms_sink_printf(sink, "\t    fpu_ftw 0x%02x fpu_rsrv1 0x%02x fpu_fop 0x%04x fpu_ip 0x%08x\n",
                   has_tags ? tags.at[0] : 0, has_tags ? tags.at[1] : 0,
                   (unsigned)otool_u16(in, at + 2, big), (unsigned)otool_u32(in, at + 4, big));
    ms_sink_printf(sink, "\t    fpu_cs 0x%04x fpu_rsrv2 0x%04x fpu_dp 0x%08x fpu_ds 0x%04x\n",
                   (unsigned)otool_u16(in, at + 8, big), (unsigned)otool_u16(in, at + 10, big),
                   (unsigned)otool_u32(in, at + 12, big), (unsigned)otool_u16(in, at + 16, big));
    ms_sink_printf(sink, "\t    fpu_rsrv3 0x%04x fpu_mxcsr 0x%08x fpu_mxcsrmask 0x%08x\n",
                   (unsigned)otool_u16(in, at + 18, big), (unsigned)otool_u32(in, at + 20, big),
                   (unsigned)otool_u32(in, at + 24, big));
}

void otool_float_state(struct ms_bytes in, uint64_t at, bool big, bool is64, struct ms_sink *sink)
{
    const unsigned n_xmm = is64 ? 16 : 8, rows = is64 ? 6 : 14;
    ms_sink_printf(sink, "\t    fpu_reserved[0] %d fpu_reserved[1] %d\n",
                   (int)otool_u32(in, at, big), (int)otool_u32(in, at + 4, big));
    put_control(sink, otool_u16(in, at + CONTROL, big));
    put_status(sink, otool_u16(in, at + STATUS, big));
    put_pointers(in, at + TAGS, big, sink);
    for (unsigned i = 0; i < STACK_REGISTERS; i++) {
        uint64_t here = at + STACK + i * REGISTER_BYTES;
        ms_sink_printf(sink, "\t    fpu_stmm%u:\n\t      mmst_reg  ", i);
        put_bytes(in, here, STACK_BYTES, sink);
        ms_sink_puts(sink, "\t      mmst_rsrv ");
        put_bytes(in, here + STACK_BYTES, REGISTER_BYTES - STACK_BYTES, sink);
    }
    at += XMM;
    for (unsigned i = 0; i < n_xmm; i++, at += REGISTER_BYTES) {
        ms_sink_printf(sink, "\t    fpu_xmm%u:\n\t      xmm_reg ", i);
        put_bytes(in, at, REGISTER_BYTES, sink);
    }
    ms_sink_puts(sink, "\t    fpu_rsrv4:\n");
    for (unsigned i = 0; i < rows; i++, at += REGISTER_BYTES) {
        ms_sink_puts(sink, "\t            ");
        put_bytes(in, at, REGISTER_BYTES, sink);
    }
    ms_sink_printf(sink, "\t    fpu_reserved1 0x%08x\n", (unsigned)otool_u32(in, at, big));
}
