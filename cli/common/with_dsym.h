/*
 * common/with_dsym.h: a binary together with the dSYM that was named for it.
 */
#ifndef MACHSYM_CLI_WITH_DSYM_H
#define MACHSYM_CLI_WITH_DSYM_H

#include "machsym/image.h"

#define DSYM_HELP "the dSYM, or a folder to search for it by UUID"

/*
 * Opens the image at `path`, with the dSYM `dsym` if it isn't NULL, which must have its UUID, or is
 * a folder somewhere below which there is one that has it; else with what lies beside it. Warns of
 * a dSYM there that belongs to another build, and of damage. Returns EXIT_DONE, or an exit status
 * after having complained.
 */
int image_with_dsym(const char *path, const char *arch, const char *dsym, struct ms_image **out,
                    struct ms_image_info *info);

#endif
