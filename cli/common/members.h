/*
 * common/members.h: the images in a static archive, for the commands that look into one after
 * the other.
 */
#ifndef MACHSYM_CLI_MEMBERS_H
#define MACHSYM_CLI_MEMBERS_H

#include "machsym/macho.h"

struct member {
    const char *path;  /* of the archive */
    const char *slice; /* architecture of the slice, in a universal archive; NULL */
    const char *name;
    const char *arch;
    uint64_t off, bytes; /* of the image, in the file */
};

typedef void member_taker(void *owner, const struct member *member);

/*
 * Hands on the Mach-O images in the archive that `word` names, "libz.a" or "libz.a(a.o)"; with
 * `arch` only those of that architecture. What isn't Mach-O is passed over.
 * Returns EXIT_DONE with *is_archive false for any other file; else an exit status, with everything
 * complained about: also when no member is handed on.
 */
int members_walk(const char *word, const char *arch, member_taker *take, void *owner,
                 bool *is_archive);

/*
 * Cuts "libz.a(a.o)" in two, if there is no file of that name: returns the archive's path, to be
 * freed, with the member's name in *name. NULL for anything else.
 */
char *members_split(const char *word, const char **name);

#endif
