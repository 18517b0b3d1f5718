/**
 * report/model.h: putting the report model together, whatever the format. A reader opens a
 * report, adds images, threads and frames in the order in which the file has them, and
 * closes it; closing finds each frame's image and lookup address. What a reader adds lies
 * in growing arrays until then and in the arena afterwards, so the model is freed at once.
 *
 * Memory failure is sticky: every `add` gives a scratch item to write to when memory is
 * out, and ms_builder_close reports it. So readers need no test after each call.
 */
#ifndef MS_REPORT_MODEL_H
#define MS_REPORT_MODEL_H

#include "base/arena.h"
#include "base/error.h"
#include "machsym/report.h"

/** Whether the address of a frame is a program counter or a return address. */
enum ms_address_kind {
    MS_ADDRESS_BY_PLACE, /**< by the rule: ms_builder_close decides (see there) */
    MS_ADDRESS_PC,
    MS_ADDRESS_RETURN
};

/**
 * What a reader knows of a frame besides the model, kept until the report is closed.
 * All of it optional: zero is "the report doesn't say".
 */
struct ms_frame_hint {
    enum ms_address_kind kind;
    bool image_known; /**< frame.image is set already (.ips: imageIndex) and stays */
    bool has_load;    /**< the frame's own line gives its image's load address */
    uint64_t load_rt;
    const char *image_name; /**< the frame's own name of its image; arena or static; NULL */
};

/** A frame being built. */
struct ms_frame_item {
    struct ms_report_frame frame;
    struct ms_frame_hint hint;
};

struct ms_report_builder {
    struct ms_bytes file;  /* all of it: spans count from here */
    const char *name;      /* for messages */
    struct ms_arena arena; /* goes to ms_report_file.storage */
    struct ms_report *reports;
    size_t n_reports, reports_room;

    /* The report that is open. Readers write its plain fields (process, note, …) directly. */
    struct ms_report report;
    bool arm64, arm32; /* decides about authentication bits and Thumb bits */
    struct ms_report_image *images;
    size_t n_images, images_room;
    struct ms_report_thread *threads;
    size_t n_threads, threads_room;
    struct ms_frame_item *frames;
    size_t n_frames, frames_room;

    bool failed; /* memory ran out somewhere */
    struct ms_report_image spare_image;
    struct ms_report_thread spare_thread;
    struct ms_frame_item spare_frame;
};

void ms_builder_init(struct ms_report_builder *b, struct ms_bytes file, const char *name);
/** Frees all that ms_report_parse has not taken over. Takes a zeroed builder. */
void ms_builder_fini(struct ms_report_builder *b);

/** Starts a report that begins at byte `off`; whatever was open is dropped. */
void ms_builder_open(struct ms_report_builder *b, enum ms_report_kind kind, size_t off);

/* Each gives a zeroed item (frame.image is -1), valid until the next of its kind is added.
 * A thread's first_frame and n_frames are counted by ms_builder_frame: place THREAD belongs
 * to the thread added last. Its group is set as well. */
struct ms_report_image *ms_builder_image(struct ms_report_builder *b);
struct ms_report_thread *ms_builder_thread(struct ms_report_builder *b);
struct ms_frame_item *ms_builder_frame(struct ms_report_builder *b, enum ms_report_place place,
                                       enum ms_report_form form);

/** A NUL-terminated copy; NULL bytes of the text become '?', so that it keeps its length.
 *  NULL when memory is out or text is NULL. */
const char *ms_builder_copy(struct ms_report_builder *b, const char *text, size_t n);

/** Sets the report's note unless it has one: the first damage explains the rest. */
void ms_builder_note(struct ms_report_builder *b, const char *format, ...) MS_PRINTF(2, 3);

/**
 * Closes the open report, which reaches up to byte `end`, and appends it to the file's.
 * - address_rt loses authentication bits (arm64) or its Thumb bit (32-bit ARM)
 * - image: the one whose load address the hint gives, else the innermost that holds the
 *   lookup address, else (no end known, or the name says so) one by name; a hint with a
 *   load address that no image has makes a new image without UUID
 * - lookup_rt: BY_PLACE means return address, but for the first frame (index 0) of a thread
 *   and the one after _sigtramp, each with the inlined frames before it
 * - registers that lie in no image with a known end are dropped
 * - named: cleared where ms_symbol_is_kept says no; a reader may have cleared it before
 *   (symbol set, named false), and sets it true otherwise
 * - has_name: set where ms_symbol_is_name says so
 * - crashed_thread: the first thread that says so, unless the reader set it
 * @return MS_OK, MS_E_NOMEM
 */
enum ms_status ms_builder_close(struct ms_report_builder *b, size_t end, struct ms_error *err);

/**
 * Does `symbol` name a function? Not when it is NULL, empty, "???", "<redacted>", a
 * hexadecimal number, or the image's own name (`image_name` may be NULL).
 */
bool ms_symbol_is_name(const char *symbol, const char *image_name);

/** Is it a name worth keeping? Not when it is none, or mangled. */
bool ms_symbol_is_kept(const char *symbol, const char *image_name);

/** True for a Swift, C++ or Rust name as the linker knows it, with or without underscores. */
bool ms_symbol_is_mangled(const char *symbol);

/** True for the frame that the kernel puts below a signal handler: what it returns to is a pc. */
bool ms_symbol_is_trampoline(const char *symbol);

/**
 * True when `a`, perhaps cut short on the left ("...reUpdate.Service") or with a full path,
 * can name the image that is called `name` or lies at `path` (either may be NULL).
 */
bool ms_image_name_fits(const char *a, const char *name, const char *path);

#endif
