/* The greatest products of each row, where an upper bound rules most products out. */

#include "products.h"

/* Return whether one of LANES bounds exceeds a bar. */
static inline bool any_above(const float *bounds, float bar) {
    int above = 0;
    for (int lane = 0; lane < LANES; lane++) {
        above |= bounds[lane] > bar;
    }
    return above;
}

void misword_add_bounded(const float *bounds, int64_t row_count, int64_t other_count,
                         const float *rows, const float *others, int64_t dimension, int64_t k,
                         float *greatest, float *least) {
    for (int64_t at = 0; at < row_count; at++) {
        const float *bound = bounds + at * other_count;
        float bar = least[at];
        for (int64_t lo = 0; lo < other_count; lo += LANES) {
            int64_t hi = smaller(lo + LANES, other_count);
            if (hi == lo + LANES && !any_above(bound + lo, bar)) {
                continue;
            }
            for (int64_t other = lo; other < hi; other++) {
                if (!(bound[other] > bar)) {
                    continue;
                }
                float product =
                    dot_product(rows + at * dimension, others + other * dimension, dimension);
                if (product > bar) {
                    float first = insert_ascending(greatest + at * k, k, product);
                    bar = first > bar ? first : bar;
                }
            }
        }
        least[at] = bar;
    }
}
