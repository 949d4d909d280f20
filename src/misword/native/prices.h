/* The price of a substitution, from a table, a list of pairs or vectors. Not part of the contract.
 *
 * The functions take the form of the costs as a parameter of its own, so that a loop over many
 * prices is compiled once for each form, without a branch inside. */

#ifndef MISWORD_PRICES_H
#define MISWORD_PRICES_H

#include <math.h>

#include "common.h"

enum { DOT_LANES = 16, CACHE_LINE = 16 }; /* components */

static const double PRICE_STEPS = 1099511627776.0; /* 2^40 */
static const double LEAST_PRICE = 1e-6;            /* lower prices become 0 */

/* Return the dot product of two vectors. Components are multiples of 2^-26 and the vectors have
 * length one, so that the sum is exact in any order. */
static inline double dot(const float *left, const float *right, int64_t dimension) {
    double sums[DOT_LANES] = {0};
    int64_t k = 0;
    for (; k + DOT_LANES <= dimension; k += DOT_LANES) {
        for (int lane = 0; lane < DOT_LANES; lane++) {
            sums[lane] += (double)left[k + lane] * (double)right[k + lane];
        }
    }
    for (int lane = 0; k < dimension; k++, lane++) {
        sums[lane] += (double)left[k] * (double)right[k];
    }
    for (int width = DOT_LANES / 2; width; width /= 2) {
        for (int lane = 0; lane < width; lane++) {
            sums[lane] += sums[lane + width];
        }
    }
    return sums[0];
}

/* Ask the processor to load a vector that will be read soon. */
static inline void prefetch_vector(const float *vector, int64_t dimension) {
    for (int64_t k = 0; k < dimension; k += CACHE_LINE) {
        prefetch(vector + k);
    }
}

/* Return one minus a cosine, rounded to a step of prices. */
static inline double price_of_cosine(double cosine) {
    double price = rint((1.0 - cosine) * PRICE_STEPS) / PRICE_STEPS;
    return price < LEAST_PRICE ? 0.0 : price;
}

/* Return the price of a pair of different tokens from the list of pairs. */
static inline double listed_price(const misword_costs *costs, int64_t left, int64_t right) {
    int64_t bit = right & (costs->sieve_words * 64 - 1);
    if (!(costs->sieve[left * costs->sieve_words + (bit >> 6)] >> (bit & 63) & 1)) {
        return costs->other;
    }
    int64_t at = costs->starts[left], end = costs->starts[left + 1], top = end;
    while (at < top) {
        int64_t middle = at + (top - at) / 2;
        if (costs->partners[middle] < right) {
            at = middle + 1;
        } else {
            top = middle;
        }
    }
    return at < end && costs->partners[at] == right ? costs->prices[at] : costs->other;
}

/* Return whether both tokens of a pair have a vector. */
static inline bool have_vectors(const misword_costs *costs, int64_t left, int64_t right) {
    return costs->known[left] && costs->known[right];
}

/* Return the vector of a token id. */
static inline const float *vector_of(const misword_costs *costs, int64_t id) {
    return costs->units + id * costs->dimension;
}

/* Return the price of a pair of tokens; equal tokens cost nothing. */
static inline double price_of(const misword_costs *costs, int32_t form, int64_t left,
                              int64_t right) {
    if (left == right) {
        return 0.0;
    }
    if (form == MISWORD_COSTS_TABLE) {
        return costs->prices[left * costs->columns + right];
    }
    if (form == MISWORD_COSTS_PAIRS) {
        return listed_price(costs, left, right);
    }
    if (!have_vectors(costs, left, right)) {
        return costs->other;
    }
    return price_of_cosine(dot(vector_of(costs, left), vector_of(costs, right), costs->dimension));
}

#endif
