/**
 * report/crash_text_frame.h: one frame line, as crash reports and libc's backtrace_symbols
 * write it, taken apart.
 *
 *   0   Widget                        \t       0x102601a40 0x1025f8000 + 39488
 *   1   Widget                        \t       0x1026020f8 f(_:) + 120 (Gadget.swift:42)
 */
#ifndef MS_REPORT_CRASH_TEXT_FRAME_H
#define MS_REPORT_CRASH_TEXT_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A part of a text: offset from its start, and length. */
struct ms_line_part {
    size_t at, n;
};

/** What follows the address. Parts count from the start of that. */
struct ms_frame_rest {
    bool has_load; /**< "0xLOAD + OFF", LOAD not 0 */
    uint64_t load_rt;
    uint64_t load_offset;
    struct ms_line_part symbol; /**< n = 0: none */
    bool has_offset;
    uint64_t offset;          /**< from the symbol */
    struct ms_line_part file; /**< n = 0: none */
    uint32_t line;            /**< 0 when unknown */
    bool inlined;             /**< tagged so */
};

/** Parts count from the start of the line. */
struct ms_frame_line {
    uint32_t index;
    struct ms_line_part digits; /**< the index as printed */
    struct ms_line_part image;  /**< n = 0: the column is empty */
    struct ms_line_part address;
    uint64_t address_rt;
    struct ms_line_part text; /**< after the address, without blanks around it */
    bool has_tab;             /**< a TAB before the address: not written by libc */
    struct ms_frame_rest rest;
};

/** Takes n bytes at `line` apart; false when it is no frame line. The line has no line end. */
bool ms_frame_line_parse(const char *line, size_t n, struct ms_frame_line *out);

/** Takes what follows the address apart; never fails: what isn't understood is the symbol. */
void ms_frame_rest_parse(const char *text, size_t n, struct ms_frame_rest *out);

#endif
