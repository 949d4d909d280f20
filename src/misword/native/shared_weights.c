/* The weights of ids that two rows share, for many pairs of rows. */

#include "common.h"

/* Return the sum of the weights of the ids of two ascending lists that are in both. */
static float shared_weight(const int32_t *left, const int32_t *left_end, const int32_t *right,
                           const int32_t *right_end, const float *weights) {
    float sum = 0.0F;
    while (left < left_end && right < right_end) {
        int32_t a = *left, b = *right;
        if (a == b) {
            sum += weights[a];
        }
        left += a <= b;
        right += b <= a;
    }
    return sum;
}

void misword_shared_weights(const int32_t *left_ids, const int64_t *left_at,
                            const int32_t *right_ids, const int64_t *right_at, const float *weights,
                            const int64_t *lefts, const int64_t *rights, int64_t lo, int64_t hi,
                            float *shared) {
    for (int64_t pair = lo; pair < hi; pair++) {
        int64_t left = lefts[pair], right = rights[pair];
        shared[pair] =
            shared_weight(left_ids + left_at[left], left_ids + left_at[left + 1],
                          right_ids + right_at[right], right_ids + right_at[right + 1], weights);
    }
}
