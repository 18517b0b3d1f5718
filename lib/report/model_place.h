/**
 * report/model_place.h: the last step of building a report: which image holds a frame, and
 * which address of it is looked up. See ms_builder_close for the rules.
 */
#ifndef MS_REPORT_MODEL_PLACE_H
#define MS_REPORT_MODEL_PLACE_H

#include "report/model.h"

/** Places all frames of the open report; memory failure goes to b->failed. */
void ms_builder_place(struct ms_report_builder *b);

#endif
