/* Prices and cosines of many pairs of tokens. */

#include "prices.h"

enum { PAIRS_AHEAD = 2 }; /* how many pairs before their use vectors are loaded */

static const double COMPONENT_STEPS = 67108864.0; /* 2^26 */

void misword_cosines(const float *units, int64_t dimension, const int64_t *left,
                     const int64_t *right, int64_t count, double *products) {
    for (int64_t k = 0; k < count; k++) {
        if (k + PAIRS_AHEAD < count) {
            prefetch_vector(units + left[k + PAIRS_AHEAD] * dimension, dimension);
            prefetch_vector(units + right[k + PAIRS_AHEAD] * dimension, dimension);
        }
        products[k] = dot(units + left[k] * dimension, units + right[k] * dimension, dimension);
    }
}

void misword_price_pairs(const misword_costs *costs, const int64_t *left, const int64_t *right,
                         int64_t count, double *prices) {
    for (int64_t k = 0; k < count; k++) {
        if (costs->form == MISWORD_COSTS_VECTORS && k + PAIRS_AHEAD < count) {
            prefetch_vector(vector_of(costs, left[k + PAIRS_AHEAD]), costs->dimension);
            prefetch_vector(vector_of(costs, right[k + PAIRS_AHEAD]), costs->dimension);
        }
        prices[k] = price_of(costs, costs->form, left[k], right[k]);
    }
}

/* Return a number rounded to the nearest integer, ties to even; it is less than 2^51. The sum has
 * no bits left for a fraction. */
static inline double round_to_even(double number) {
    const double shift = 6755399441055744.0; /* 1.5 * 2^52 */
    return (number + shift) - shift;
}

void misword_round_units(const float *units, int64_t count, float *rounded) {
    for (int64_t k = 0; k < count; k++) {
        rounded[k] = (float)(round_to_even((double)units[k] * COMPONENT_STEPS) / COMPONENT_STEPS);
    }
}
