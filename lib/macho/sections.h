/**
 * macho/sections.h: segments and sections out of the load commands.
 */
#ifndef MS_MACHO_SECTIONS_H
#define MS_MACHO_SECTIONS_H

#include "base/error.h"
#include "machsym/macho.h"

/**
 * Fills segments, sections and the __TEXT address from macho->commands. A segment whose
 * section headers do not fit into its command is MS_E_FORMAT; one that reaches past the end
 * of the file or of the address space fills macho->damage.
 */
enum ms_status ms_sections_read(struct ms_macho *macho, struct ms_error *err);

#endif
