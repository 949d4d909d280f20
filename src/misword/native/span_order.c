/* The order of the spans of a row, and whether they cross. */

#include "span_order.h"

/* Compare spans by start, the longer one first. */
static int compare_places(const void *left, const void *right) {
    const int32_t *a = left, *b = right;
    int by_start = (a[0] > b[0]) - (a[0] < b[0]), by_end = (b[1] > a[1]) - (b[1] < a[1]);
    return by_start ? by_start : by_end;
}

/* Compare spans by class, then by start, the longer one first. */
static int compare_spans(const void *left, const void *right) {
    const int32_t *a = left, *b = right;
    int by_class = (a[2] > b[2]) - (a[2] < b[2]);
    return by_class ? by_class : compare_places(left, right);
}

/* Sort spans, unless they are in order. */
static void sort_spans(int32_t *first, const int32_t *last,
                       int (*compare)(const void *, const void *)) {
    for (int32_t *span = first + MISWORD_SPAN; span < last; span += MISWORD_SPAN) {
        if (compare(span - MISWORD_SPAN, span) > 0) {
            qsort(first, (size_t)(last - first) / MISWORD_SPAN, MISWORD_SPAN * sizeof *first,
                  compare);
            return;
        }
    }
}

/* Whether no two spans cross; they are ordered by start. */
static bool are_nested(const int32_t *first, const int32_t *last, int32_t *around) {
    int64_t depth = 0; /* number of spans that the current one is within */
    for (const int32_t *span = first; span < last; span += MISWORD_SPAN) {
        while (depth && around[depth - 1] <= span[0]) {
            depth--;
        }
        if (depth && around[depth - 1] < span[1]) {
            return false;
        }
        around[depth++] = span[1];
    }
    return true;
}

bool order_spans(int32_t *first, int32_t **end, int32_t *around) {
    const int32_t *last = *end;
    sort_spans(first, last, compare_places);
    bool nested = are_nested(first, last, around);
    sort_spans(first, last, compare_spans);
    int32_t *kept = first;
    for (const int32_t *span = first; span < last; span += MISWORD_SPAN) {
        if (kept == first || compare_spans(kept - MISWORD_SPAN, span)) {
            memmove(kept, span, MISWORD_SPAN * sizeof *kept);
            kept += MISWORD_SPAN;
        }
    }
    *end = kept;
    return nested;
}
