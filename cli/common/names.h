/*
 * common/names.h: how names are to be shown, and telling of those that could not be read.
 */
#ifndef MACHSYM_CLI_NAMES_H
#define MACHSYM_CLI_NAMES_H

#include "common/args.h"
#include "machsym/demangle.h"
#include "machsym/report.h"

/* The options of a command that shows names as Apple's tools do. */
struct name_options {
    bool full, fold, mangled;
};

#define FULL_NAMES_HELP "Swift names with modules, argument types and results"
#define FOLD_THUNKS_HELP "name async parts, thunks and copies by the function that was written"
#define VERBOSE_HELP "say of each mangled name that can't be read why"

/* Of enum ms_demangle_style. */
unsigned name_style(const struct name_options *options);
/* After a complaint when the options contradict each other. */
bool name_options_clash(const struct command *command, const struct name_options *options);

/* "unknown operator Wz at byte 17": why a mangled name could not be read. */
enum { NAME_FAULT_ROOM = 64 };
const char *name_fault_text(const struct ms_name_fault *fault, char text[NAME_FAULT_ROOM]);

/* Names that were told of, so that each is told once. Zeroed is none. */
struct unread_names {
    char **told;
    size_t n;
};
void unread_names_fini(struct unread_names *names);

/*
 * Says on stderr why a linkage name is shown as it is, unless that was said before; nothing
 * when it isn't mangled by a known scheme or can be read. After a hundred names no more.
 */
void tell_unread(struct unread_names *names, const char *linkage);

/* Is the frame shown by a mangled name, which could not be read? */
bool is_unread(const struct ms_shown_frame *frame);

#endif
