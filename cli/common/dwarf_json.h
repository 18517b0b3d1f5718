/*
 * common/dwarf_json.h: the records of machsym dwarf --json (machsym(5)).
 */
#ifndef MACHSYM_CLI_DWARF_JSON_H
#define MACHSYM_CLI_DWARF_JSON_H

#include "machsym/dwarf.h"

/* An object of one address. `shown` are the frames of its levels; `mangled`: types stay so. */
void json_place(struct ms_json *json, const struct ms_place *place, const struct ms_shown *shown,
                uint64_t address, bool mangled);

/* What a unit says of itself, into the object that is open. */
void json_unit_members(struct ms_json *json, const struct ms_unit_info *unit);

/* The member "statistics". */
void json_statistics(struct ms_json *json, const struct ms_dwarf_statistics *statistics);

/* The object of a line table, left open for its rows. */
void json_line_table(struct ms_json *json, const struct ms_line_table *table);
void json_line_row(struct ms_json *json, const struct ms_line_row *row);

#endif
