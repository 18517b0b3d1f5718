/*
 * common/yaml.h: scalars of YAML as LLVM's tools write them, whose output is imitated byte for
 * byte: plain where that can't be mistaken, else quoted.
 */
#ifndef MACHSYM_CLI_YAML_H
#define MACHSYM_CLI_YAML_H

#include "machsym/output.h"

/* Writes the string as a scalar: word, 'quoted', or "with \x1B escapes". */
void yaml_string(struct ms_sink *sink, const char *text);

#endif
