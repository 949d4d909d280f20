/* Substitutions of many alignments. */

#include "alignment.h"

int misword_list_substitutions(const void *reference, const int64_t *reference_at,
                               const void *hypothesis, const int64_t *hypothesis_at, int32_t width,
                               const int64_t *pairs, int64_t lo, int64_t hi, const uint8_t *ops,
                               const int64_t *ops_at, const int64_t *starts, int64_t *owner,
                               int64_t *left, int64_t *right) {
    for (int64_t p = lo; p < hi; p++) {
        int64_t r = pairs[2 * p], h = pairs[2 * p + 1], at = starts[p];
        int64_t i = reference_at[r], j = hypothesis_at[h];
        for (int64_t k = ops_at[p]; k < ops_at[p + 1] && at < starts[p + 1]; k++) {
            if (k + 8 <= ops_at[p + 1] && !load_eight(ops + k)) { /* eight hits */
                i += 8;
                j += 8;
                k += 7;
                continue;
            }
            if (ops[k] == SUBSTITUTION) {
                if (i >= reference_at[r + 1] || j >= hypothesis_at[h + 1]) {
                    return MISWORD_MISMATCH;
                }
                owner[at] = p;
                left[at] = token(reference, width, i);
                right[at++] = token(hypothesis, width, j);
            }
            i += ops[k] != INSERTION;
            j += ops[k] != DELETION;
        }
        if (at < starts[p + 1]) {
            return MISWORD_MISMATCH;
        }
    }
    return MISWORD_OK;
}
