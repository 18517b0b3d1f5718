/*
 * common/atos_fan.h: the answers of a large batch made readable and printed by several threads,
 * in the order of the questions.
 */
#ifndef MACHSYM_CLI_ATOS_FAN_H
#define MACHSYM_CLI_ATOS_FAN_H

#include "common/atos_print.h"

/* Whether n answers are worth threads, and may be printed so. n_workers of 0: one a processor. */
bool atos_fan_pays(const struct atos_printer *printer, size_t n, size_t n_workers);

/*
 * Prints all answers, one a question, to printer->sink.
 * Returns EXIT_DONE, or an exit status after having complained.
 */
int atos_fan(const struct atos_printer *printer, const struct atos_question *questions,
             const char *text, const struct ms_answers *answers, size_t n_workers);

#endif
