/* What the searches over products of word vectors share. Not part of the contract. */

#ifndef MISWORD_PRODUCTS_H
#define MISWORD_PRODUCTS_H

#include <math.h>

#include "common.h"

enum { LANES = 16 }; /* products that are compared or added at once */

/* Put a value into an ascending list of `k` in place of the least, which is smaller; returns the
 * least after that. Without branches: the place of the value is hard to predict. */
static inline float insert_ascending(float *list, int64_t k, float value) {
    for (int64_t at = 0; at + 1 < k; at++) {
        float next = list[at + 1] < value ? list[at + 1] : value;
        list[at] = list[at] > next ? list[at] : next;
    }
    list[k - 1] = list[k - 1] > value ? list[k - 1] : value;
    return list[0];
}

/* Return the dot product of two vectors, added in the same order by every build. */
static inline float dot_product(const float *left, const float *right, int64_t dimension) {
    float sums[LANES] = {0};
    int64_t at = 0;
    for (; at + LANES <= dimension; at += LANES) {
        for (int lane = 0; lane < LANES; lane++) {
            sums[lane] += left[at + lane] * right[at + lane];
        }
    }
    for (int lane = 0; at + lane < dimension; lane++) {
        sums[lane] += left[at + lane] * right[at + lane];
    }
    for (int half = LANES / 2; half; half /= 2) {
        for (int lane = 0; lane < half; lane++) {
            sums[lane] += sums[lane + half];
        }
    }
    return sums[0];
}

/* Return whether dropout keeps the pair of a word and a partner; as bli/search/pair_dropout.py. */
static inline bool kept_pair(uint64_t key, int64_t own, int64_t other, uint64_t limit) {
    if (limit >> 53) {
        return true;
    }
    uint64_t bits = key + ((uint64_t)own << 32 | (uint64_t)other) * UINT64_C(0x9E3779B97F4A7C15);
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    bits ^= bits >> 31;
    return bits >> 11 < limit;
}

#endif
