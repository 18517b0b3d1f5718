/*
 * common/otool_show.h: what otool was asked for, and the two halves that show it: the files with
 * their slices and members, and one image.
 */
#ifndef MACHSYM_CLI_OTOOL_SHOW_H
#define MACHSYM_CLI_OTOOL_SHOW_H

#include "common/args.h"
#include "common/out.h"
#include "machsym/otool.h"

/* The command line. */
struct otool_wanted {
    bool fat, archive, header, commands, libraries, id, text, all_text, data, indirect, table,
        plist;
    bool verbose, very_verbose, bare, opcodes, no_member, json;
    const char *segment, *section; /* of -s */
    const char *from;              /* -p */
    const char *cpu;               /* -mcpu= */
    struct option_number start, stop, lookup;
    struct word_list archs;
    bool all_archs;
};

/* Does it need more of an image than its header and load commands? */
bool otool_wants_sections(const struct otool_wanted *want);

struct otool_run {
    const struct otool_wanted *want;
    struct out out;
    struct ms_json json;
    struct ms_otool_style style;
    struct ms_otool_out to;
    const char *path;                       /* of the file at hand */
    const uint8_t *start;                   /* of its bytes, NULL when they are no plain file's */
    struct option_number start_vm, stop_vm; /* of the code that is shown */
    bool has_named;       /* a section that was asked for by name was there, in this archive */
    bool by_architecture; /* several slices are shown: each says which it is */
    int status;
};

/* Makes the exit status no better than this. */
void otool_note(struct otool_run *run, int status);
/* An error, after what was printed before it. */
void otool_note_error(struct otool_run *run, const struct ms_error *err);

/* The line over an image: "PATH(MEMBER) (architecture ARCH):", with `end` behind it. */
void otool_heading(struct otool_run *run, const char *member, const char *arch, const char *end);

/* One image, thin; `member` is its name in an archive, or NULL. */
void otool_show_image(struct otool_run *run, struct ms_bytes bytes, const char *member);

/* The code of one section as instructions, written to `out`, as far as the range goes. */
void otool_put_code(struct otool_run *run, const struct ms_macho *macho,
                    const struct ms_section *section, struct out *out);
/* The same of --lookup as members of the object that is open. */
void otool_code_json(struct otool_run *run, const struct ms_macho *macho,
                     const struct ms_section *section);

/* One word of the command line: a file, a bundle, "-" or ARCHIVE(MEMBER). */
void otool_show_operand(struct otool_run *run, const char *word);

#endif
