/* The order of the spans of a row. Not part of the contract. */

#ifndef MISWORD_SPAN_ORDER_H
#define MISWORD_SPAN_ORDER_H

#include "common.h"

/* Order spans from `first` to `*last` by class, then by start, the longer one first, and leave out
 * those that are there twice; `*last` becomes their end. `around` has room for a number for each
 * span. Returns whether no two of them cross. */
bool order_spans(int32_t *first, int32_t **last, int32_t *around);

#endif
