/**
 * render/otool.h: what the files of otool share.
 */
#ifndef MS_RENDER_OTOOL_H
#define MS_RENDER_OTOOL_H

#include "base/cursor.h"
#include "base/error.h"
#include "machsym/otool.h"

/* A name for a number. */
struct otool_name {
    uint32_t value;
    const char *name;
};
/** NULL when the table, which ends in a NULL name, has none. */
const char *otool_name_of(const struct otool_name *table, uint32_t value);

/* The load commands one by one; see otool_walk_next. */
struct otool_walk {
    struct ms_bytes area; /* from the first command to the end of the slice */
    uint64_t base_off;    /* where that is in the slice */
    uint64_t limit;       /* a command starts before it */
    uint64_t at;          /* of the next one in it */
    uint32_t index, n;
    bool big;
};

void otool_walk_start(const struct ms_otool_image *image, struct otool_walk *walk);
/**
 * The next command: MS_OK, MS_ABSENT after the last, MS_E_FORMAT for one that can't be there;
 * then *out holds what there is of it (body.n may be 0) and the walk is over.
 */
enum ms_status otool_walk_next(const struct ms_otool_image *image, struct otool_walk *walk,
                               struct ms_load_command *out, struct ms_error *err);

/** The number at `off`, 0 where the bytes end before. */
uint16_t otool_u16(struct ms_bytes in, uint64_t off, bool big);
uint32_t otool_u32(struct ms_bytes in, uint64_t off, bool big);
uint64_t otool_u64(struct ms_bytes in, uint64_t off, bool big);
/** A NUL-padded name of 16 bytes. */
void otool_name16(struct ms_bytes in, uint64_t off, char out[17]);

/** Writes n bytes of an untrusted name, control characters as '?'. */
void otool_plain(struct ms_sink *sink, const uint8_t *at, size_t n);

/** "1.2" or "1.2.3" of 16.8.8 bits, as versions of systems are written. */
void otool_version(uint32_t version, char out[24]);
/** "1.2.3" of 16.8.8 bits, as versions of libraries are written. */
void otool_dylib_version(uint32_t version, char out[24]);
void otool_date(const struct ms_otool_out *out, uint32_t seconds, char text[32]);

/* ---- fields: keys end in column `width`; `remark` follows a number in text ---- */
void otool_put_key(const struct ms_otool_out *out, unsigned width, const char *key);
void otool_put_text(const struct ms_otool_out *out, unsigned width, const char *key,
                    const char *text);
void otool_put_number(const struct ms_otool_out *out, unsigned width, const char *key,
                      uint64_t value, const char *remark);
void otool_put_hex(const struct ms_otool_out *out, unsigned width, const char *key, uint64_t value,
                   int digits, const char *remark);
/** " (past end of file)", or nothing. */
const char *otool_past_end(bool past);
/** True when n bytes at off end beyond the slice. */
bool otool_is_past(const struct ms_otool_image *image, uint64_t off, uint64_t n);

/** What follows the fields of a command. A segment's has all of it but the name. */
typedef void otool_part(const struct ms_otool_image *image, struct ms_bytes body,
                        const struct ms_otool_out *out);
otool_part otool_put_segment, otool_put_tools, otool_put_strings, otool_put_ident, otool_put_thread,
    otool_put_prebound;

/** What a thread command holds, from `off` of its body on. */
void otool_threads(struct ms_bytes body, uint64_t off, bool big, uint32_t cputype,
                   const struct ms_otool_out *out);
/** The floating-point registers at `at`: 131 words in both widths. */
void otool_float_state(struct ms_bytes in, uint64_t at, bool big, bool is64, struct ms_sink *sink);

#endif
