/* The inner loops over the cells of a row of the edit matrix.
 *
 * They are in a file of their own, because a compiler that inlines such a function forgets that its
 * arrays do not overlap, and then uses no vector instructions.
 */

#include "block_alignment.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

void match_cells(const int32_t *restrict before, int64_t count, int32_t shift, int32_t class,
                 int32_t substitution, int32_t deletion, const int32_t *restrict classes,
                 const int32_t *restrict insert, int32_t *restrict after) {
    deletion += shift;
    after[0] = before[0] + deletion;
    for (int64_t k = 1; k < count; k++) {
        int32_t differs = -(int32_t)(classes[k - 1] != class); /* no bits or all bits are set */
        int32_t matched = before[k - 1] + shift + (substitution & differs) - insert[k - 1];
        int32_t deleted = before[k] + deletion;
        after[k] = matched < deleted ? matched : deleted;
    }
}

void join_cells(const int32_t *restrict cells, int64_t count, int32_t shift,
                int32_t *restrict joined) {
    for (int64_t k = 0; k < count; k++) {
        int32_t cell = cells[k] + shift;
        joined[k] = cell < joined[k] ? cell : joined[k];
    }
}

void insert_cells(int32_t *row, int64_t count) {
    int32_t least = UNREACHED;
    int64_t k = 0;
#if defined(__AVX2__)
    /* Eight cells at once: each is compared with the cell one, two and four places before it. */
    const __m256i unreached = _mm256_set1_epi32(UNREACHED), last = _mm256_set1_epi32(7);
    __m256i before = unreached;
    for (; k + 8 <= count; k += 8) {
        __m256i cells = _mm256_loadu_si256((const void *)(row + k));
        cells = _mm256_min_epi32(cells, _mm256_alignr_epi8(cells, unreached, 12));
        cells = _mm256_min_epi32(cells, _mm256_alignr_epi8(cells, unreached, 8));
        __m256i lower = _mm256_permute2x128_si256(cells, unreached, 0x02);
        cells = _mm256_min_epi32(cells, _mm256_shuffle_epi32(lower, 0xFF));
        cells = _mm256_min_epi32(cells, before);
        before = _mm256_permutevar8x32_epi32(cells, last);
        _mm256_storeu_si256((void *)(row + k), cells);
    }
    least = _mm256_extract_epi32(before, 0);
#endif
    for (; k < count; k++) {
        least = row[k] < least ? row[k] : least;
        row[k] = least;
    }
}
