/**
 * machsym/report.h: crash reports as a model: images, threads, frames, and for each frame
 * the bytes of the report that name it. Reading opens no file and looks nothing up.
 *
 * Apple publishes no specification of these formats; the readers accept what real
 * reports of macOS 10.5 to 26 and iOS 7 to 26 hold.
 */
#ifndef MACHSYM_REPORT_H
#define MACHSYM_REPORT_H

#include "machsym/output.h"
#include "machsym/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum ms_report_kind {
    MS_REPORT_TEXT, /**< crash text, a "Translated Report", and their third-party look-alikes */
    MS_REPORT_IPS   /**< JSON with threads and usedImages */
};

/** One line of Binary Images, one element of usedImages. Strings borrowed from the report. */
struct ms_report_image {
    uint64_t load_rt;       /**< of the Mach-O header */
    uint64_t end_rt;        /**< exclusive; 0 = unknown */
    bool usable;            /**< false: "???", the absolute image, no load address: matches nothing */
    bool has_uuid;          /**< false also for all zeros */
    struct ms_uuid uuid;
    const char *arch;       /**< "arm64e", NULL when the report doesn't say */
    const char *name;       /**< file name or bundle identifier, as the report has it; NULL */
    const char *path;       /**< may be redacted; NULL */
};

struct ms_report_thread {
    const char *name;       /**< NULL when it has none */
    const char *queue;      /**< dispatch queue, NULL when it has none */
    uint32_t number;        /**< as printed */
    bool crashed;           /**< crashed or triggered */
    uint32_t first_frame, n_frames; /**< into frames; the frames of a thread are contiguous,
                                         MS_PLACE_ELIDED ones of a text among them */
};

/** Where a frame stands. */
enum ms_report_place {
    MS_PLACE_THREAD,         /**< group = index into threads */
    MS_PLACE_LAST_EXCEPTION, /**< Last Exception Backtrace */
    MS_PLACE_APP_SPECIFIC,   /**< Application Specific Backtrace; group = its number */
    MS_PLACE_ELIDED,         /**< the address in a recursion line, the keyFrame of an .ips;
                                  group = index into threads */
    MS_PLACE_REGISTER        /**< pc, lr, … of a thread state; group = index into threads or
                                  UINT32_MAX when the thread is unknown */
};

/** How the report writes a frame, which decides how a name is put there. */
enum ms_report_form {
    MS_FORM_LINE,    /**< index, image, address, rest: `rest` is replaced */
    MS_FORM_BARE,    /**< an address in a parenthesised list: whole lines are made of it */
    MS_FORM_OBJECT,  /**< a JSON object: keys are added */
    MS_FORM_STRING,  /**< a line within a JSON string (asiBacktraces): escaped text */
    MS_FORM_REGISTER /**< text: `line` is "pc: 0x1025f9a40", `rest` the number; pc and lr are told
                          at the end of their line, " // pc = name + 4"; JSON: keys are added */
};

/** One frame. Spans are in bytes of the file that was parsed. */
struct ms_report_frame {
    enum ms_report_place place;
    enum ms_report_form form;
    uint32_t group;
    uint32_t index;          /**< printed frame number */
    uint64_t address_rt;     /**< as printed, without pointer authentication and Thumb bits */
    uint64_t lookup_rt;      /**< what to look up: address_rt, or address_rt - 1 for a return
                                  address */
    int32_t image;           /**< into images, -1 when none holds it */
    const char *reg;         /**< MS_PLACE_REGISTER: its name, "pc", "lr", "rip", "x8"; else NULL */
    bool inlined;            /**< an inlined frame that the report has already */
    bool named;              /**< carries a name worth keeping: not the image's own name, not
                                  "<redacted>", not mangled, not out of libc's backtrace */
    bool has_name;           /**< carries a name of the function at all: also one that is mangled
                                  or out of libc's backtrace, which a look-up would better */
    const char *symbol;      /**< the name it carries, NULL when none */
    bool has_offset;
    uint64_t offset;         /**< from that symbol */
    const char *file;        /**< base name, NULL when none */
    uint32_t line;           /**< 0 when unknown */
    size_t line_off, line_bytes; /**< the whole line (without its line end), object or address */
    size_t rest_off, rest_bytes; /**< MS_FORM_LINE: what follows the address; else as above */
};

/**
 * True for a register that holds the address of code by itself: pc, lr, rip, eip, …; not
 * for one whose value happens to point into an image.
 */
bool ms_register_is_control(const char *reg);

/** One report of a file: the part [off, off + bytes) of it. */
struct ms_report {
    enum ms_report_kind kind;
    size_t off, bytes;
    struct ms_report_image *images;
    size_t n_images;
    struct ms_report_thread *threads;
    size_t n_threads;
    struct ms_report_frame *frames; /**< in the order in which they stand in the file */
    size_t n_frames;
    int32_t crashed_thread;  /**< into threads, -1 when unknown; where none crashed, the one
                                  that is highlighted (watchdog, resource) */
    const char *process;     /**< NULL when unknown */
    const char *os_version;  /**< "macOS 14.4.1 (23E224)", NULL when unknown */
    const char *incident;    /**< incident identifier, NULL when unknown */
    const char *code_type;   /**< "ARM-64", NULL when unknown */
    bool has_slice_uuid;     /**< .ips header: UUID of the main binary */
    struct ms_uuid slice_uuid;
    const char *note;        /**< something damaged that was passed over, a sentence; or NULL */
    size_t payload_off, payload_bytes; /**< .ips: the JSON payload; else 0 */
    size_t header_off, header_bytes;   /**< .ips: the header line, 0 bytes when missing */
    bool translated;         /**< a text whose JSON original follows as the next report */
};

/** All reports of one file; their parts follow one another and cover the file whole. */
struct ms_report_file {
    struct ms_bytes bytes;   /**< what was parsed; borrowed, must outlive this */
    struct ms_report *reports;
    size_t n_reports;
    const char *name;        /**< for messages, borrowed */
    void *storage;           /**< everything else; owned */
};

/**
 * Finds out what the file is by its content and reads every report in it: crash text
 * (with or without a JSON header line), .ips, "Translated Report" text followed by its
 * JSON, several concatenated.
 * @param name  for messages
 * @return MS_E_FORMAT for a file in which no crash report is found (the text says what it
 *         looks like instead: empty, a Mach-O, jetsam, …), MS_E_LIMIT, MS_E_NOMEM.
 *         Damage inside a report degrades it and sets its `note`.
 */
enum ms_status ms_report_parse(struct ms_bytes bytes, const char *name, struct ms_report_file *out,
                               struct ms_error *err);
void ms_report_file_fini(struct ms_report_file *file);

/* ---- writing back -------------------------------------------------------------------- */

/** One frame ready to be shown: demangled, its file cut or joined as the user wants. */
struct ms_shown_frame {
    const char *function;  /**< NULL: nothing is known but `offset` from a function start */
    const char *mangled;   /**< linkage name without Mach-O's underscore, NULL */
    const char *file;      /**< as to be printed in text: base name or full path; NULL */
    const char *path;      /**< joined full path, NULL */
    uint32_t line, column; /**< 0 = unknown */
    bool has_offset;
    uint64_t offset;       /**< of the frame's address from the start of its function, for the
                                unadjusted (return) address */
    uint64_t start_rt;     /**< runtime address of that start, when has_offset */
    bool inlined;
    enum ms_source source;
};

/**
 * What is shown of one frame of the report; n = 0 leaves the frame as it is, but for the name
 * that it carries itself, which may be mangled.
 */
struct ms_shown {
    const struct ms_shown_frame *frames; /**< innermost first */
    size_t n_frames;
    enum ms_why why;
    const char *symbol;  /**< to be written for the name that the frame has, where that stays;
                              NULL: as it is */
    const char *mangled; /**< the frame's own name as a linkage name, without Mach-O's
                              underscore; NULL when it isn't mangled */
};

enum ms_report_format { MS_FORMAT_SAME, MS_FORMAT_TEXT, MS_FORMAT_IPS };

struct ms_report_style {
    bool no_inlines;  /**< the outermost frame alone */
    bool renumber;    /**< inlined frames get an index of their own, as Apple numbers them */
    bool explain;     /**< text: each frame that was looked up ends in ` // SOURCE or WHY` */
};

/**
 * Writes one report of the file with the names put in. Everything else keeps its bytes.
 *
 * In text, what follows the address becomes "SYM + OFF (File.swift:42)"; frames inlined there
 * are lines of their own before it, that end in " [inlined]" and take the place of those that
 * the report has. A frame of which only the function's start is known keeps what it has and
 * gets " (function at 0x102601a00 + 64)" behind it, a runtime address: readers that look for
 * "0xLOAD + OFF" still find it. Of a frame that keeps its name only the bytes of that name
 * change, and only to ms_shown.symbol.
 * @param shown  n_frames of them, one a frame of the report
 * @param format MS_FORMAT_SAME; MS_FORMAT_TEXT turns an .ips into the classic text;
 *               MS_FORMAT_IPS of a text report is MS_E_UNSUPPORTED
 * @param style  NULL = all false
 * @return MS_OK also when the sink has failed: its owner knows why. MS_E_ARGUMENT,
 *         MS_E_UNSUPPORTED, MS_E_NOMEM, MS_E_LIMIT
 */
enum ms_status ms_report_write(const struct ms_report_file *file, size_t report,
                               const struct ms_shown *shown, enum ms_report_format format,
                               const struct ms_report_style *style, struct ms_sink *sink,
                               struct ms_error *err);

/**
 * How many of the n bytes that follow the address of a frame line were there before
 * ms_report_write appended its explanation, and with `all` also before its "(function at …)".
 */
size_t ms_report_rest_bytes(const char *rest, size_t n, bool all);

#ifdef __cplusplus
}
#endif
#endif
