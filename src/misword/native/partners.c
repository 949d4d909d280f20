/* The best partner of each word, by exact scores. */

#include "products.h"

void misword_best_candidates(const float *rows, const float *others, int64_t dimension,
                             const float *penalties, const float *scores, const int32_t *partners,
                             int64_t width, const float *bars, int64_t lo, int64_t hi,
                             int64_t *best_ids, float *best_scores) {
    for (int64_t row = lo; row < hi; row++) {
        int64_t best_id = -1;
        float best = -INFINITY;
        for (int64_t at = row * width; at < (row + 1) * width; at++) {
            if (!(scores[at] > bars[row])) {
                continue;
            }
            int64_t id = partners[at];
            float product = dot_product(rows + row * dimension, others + id * dimension, dimension);
            float score = product - penalties[id];
            if (score > best || (score == best && id < best_id)) {
                best = score;
                best_id = id;
            }
        }
        best_ids[row] = best_id;
        best_scores[row] = best;
    }
}

void misword_best_kept(const float *products, const float *rows, const int64_t *row_numbers,
                       int64_t count, const float *others, int64_t other_count, int64_t dimension,
                       const float *penalties, float slack, uint64_t key, uint64_t limit,
                       int64_t *best_ids) {
    for (int64_t at = 0; at < count; at++) {
        const float *values = products + at * other_count;
        const float *row = rows + row_numbers[at] * dimension;
        float greatest = -INFINITY;
        for (int64_t id = 0; id < other_count; id++) {
            float score = values[id] - penalties[id];
            if (score > greatest && kept_pair(key, row_numbers[at], id, limit)) {
                greatest = score;
            }
        }
        int64_t best_id = -1;
        float best = -INFINITY;
        for (int64_t id = 0; greatest > -INFINITY && id < other_count; id++) {
            if (values[id] - penalties[id] < greatest - 2 * slack ||
                !kept_pair(key, row_numbers[at], id, limit)) {
                continue;
            }
            float score = dot_product(row, others + id * dimension, dimension) - penalties[id];
            if (score > best) {
                best = score;
                best_id = id;
            }
        }
        best_ids[at] = best_id;
    }
}
