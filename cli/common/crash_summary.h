/*
 * common/crash_summary.h: what a person is told on stderr after a report was done: how many
 * frames have a name, and for each image that could not be used why, and what would help.
 */
#ifndef MACHSYM_CLI_CRASH_SUMMARY_H
#define MACHSYM_CLI_CRASH_SUMMARY_H

#include "machsym/symbolize.h"

/*
 * Prints it. `explain`: also the images that went well, with their files.
 * Sets *missing to true when an image lacks a file that somebody could have.
 * Returns true when every frame has a name.
 */
bool summarise(const char *name, const struct ms_report *report,
               const struct ms_symbolication *names, bool explain, bool *missing);

#endif
