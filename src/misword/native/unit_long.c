/* Unit-cost alignment of one long pair, in segments of the hypothesis.
 *
 * The forward pass keeps only the state at the start of each segment; the way back computes one
 * segment at a time again. This takes twice the time and a fraction of the memory.
 */

#include <math.h>

#include "unit_alignment.h"

typedef struct {
    const int32_t *hypothesis;
    int64_t words; /* 64-bit words of a bit vector over the reference */
    int32_t ties;
    uint64_t *positions;      /* for each row number: where the token is in the reference */
    uint64_t *first, *second; /* the vectors of the segment that the way back reads */
} Matrix;

/* Advance the state over hypothesis tokens lo to hi - 1 and keep the vectors of each step. */
static void advance(const Matrix *x, int64_t lo, int64_t hi, uint64_t *vp, uint64_t *vn) {
    int64_t at = 0;
    const uint64_t *before = x->ties == MISWORD_TIES_KALDIALIGN ? vp : vn;
    memcpy(x->second, before, (size_t)x->words * sizeof *before);
    for (int64_t j = lo; j < hi; j++) {
        const uint64_t *equal = x->positions + x->hypothesis[j] * x->words;
        Bits b = {.carry_p = 1};
        for (int64_t w = 0; w < x->words; w++, at++) {
            b.vp = vp[w];
            b.vn = vn[w];
            bit_step(&b, equal[w]);
            vp[w] = b.vp;
            vn[w] = b.vn;
            kept_bits(x->ties, &b, &x->first[at], &x->second[at + x->words]);
        }
    }
}

/* Follow the alignment back through a segment that starts with hypothesis token `lo`. */
static void go_back(const Matrix *x, const int32_t *reference, int64_t lo, Path *path,
                    int64_t left[2]) {
    int64_t i = left[0], j = left[1];
    while (i > 0 && j > lo) {
        bool hit = reference[i - 1] == x->hypothesis[j - 1];
        int64_t at = (j - 1 - lo) * x->words + ((i - 1) >> 6);
        int bit = (int)((i - 1) & 63);
        uint8_t operation =
            tie_operation(x->ties, hit, x->first[at] >> bit & 1, x->second[at] >> bit & 1,
                          x->second[at + x->words] >> bit & 1);
        i -= operation != INSERTION;
        j -= operation != DELETION;
        add_operations(path, operation, 1);
    }
    left[0] = i;
    left[1] = j;
}

int align_long_pair(const int32_t *reference, int64_t m, const int32_t *hypothesis, int64_t n,
                    int64_t rows, int32_t ties, int64_t budget, Path *path, int64_t left[2]) {
    int64_t words = (m + 63) >> 6, fits = budget / words;
    int64_t step = n <= fits ? n : smaller(n, greater((int64_t)sqrt((double)n), fits));
    int64_t segments = (n + step - 1) / step;
    Matrix x = {.hypothesis = hypothesis, .words = words, .ties = ties};
    uint64_t *states = allocate_table(2 * segments + 2, words, sizeof *states);
    x.positions = allocate_zeros(rows + 1, words, sizeof *x.positions);
    x.first = allocate_table(step, words, sizeof *x.first);
    x.second = allocate_table(step + 1, words, sizeof *x.second);
    int status = MISWORD_NO_MEMORY;
    if (states && x.positions && x.first && x.second) {
        size_t state_bytes = 2 * (size_t)words * sizeof *states;
        for (int64_t i = 0; i < m; i++) {
            x.positions[reference[i] * words + (i >> 6)] |= (uint64_t)1 << (i & 63);
        }
        memset(states, 0xFF, state_bytes / 2);
        memset(states + words, 0, state_bytes / 2);
        for (int64_t s = 0; s + 1 < segments; s++) {
            uint64_t *next = states + 2 * (s + 1) * words;
            memcpy(next, states + 2 * s * words, state_bytes);
            advance(&x, s * step, (s + 1) * step, next, next + words);
        }
        left[0] = m;
        left[1] = n;
        for (int64_t s = segments - 1; s >= 0 && left[0]; s--) {
            uint64_t *state = states + 2 * s * words;
            advance(&x, s * step, smaller(n, (s + 1) * step), state, state + words);
            go_back(&x, reference, s * step, path, left);
        }
        status = MISWORD_OK;
    }
    free(states);
    free(x.positions);
    free(x.first);
    free(x.second);
    return status;
}
