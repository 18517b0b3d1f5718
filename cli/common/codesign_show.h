/*
 * common/codesign_show.h: one slice's signature as text, in codesign's lines, and as JSON.
 */
#ifndef MACHSYM_CLI_CODESIGN_SHOW_H
#define MACHSYM_CLI_CODESIGN_SHOW_H

#include "machsym/codesign.h"
#include "machsym/output.h"

/* What there is to show. */
struct codesign_view {
    const char *path; /* of the binary */
    const char *arch;
    const char *format; /* "Mach-O thin (arm64)" */
    bool is_fat;
    const struct ms_macho *macho;
    const struct ms_codesign *sign;          /* NULL: not signed */
    const struct ms_cs_check *check;         /* NULL: not asked for */
    const struct ms_plist *info, *resources; /* of a bundle or the section; NULL: unknown */
};

/* "signed by the linker, ad hoc: …", what kind of signature it is, said plainly. */
const char *codesign_kind_text(const struct ms_codesign *sign);

/* The lines of `codesign -d` with as many v: 0 to 6. */
void codesign_lines(struct ms_sink *sink, const struct codesign_view *view, int level);
/* Those that are ours: slots, entitlements, get-task-allow. */
void codesign_more_lines(struct ms_sink *sink, const struct codesign_view *view);
/* "designated => …", a line each. */
void codesign_requirement_lines(struct ms_sink *sink, const struct ms_codesign *sign);

/* One object. */
void codesign_json(struct ms_json *json, const struct codesign_view *view);

#endif
