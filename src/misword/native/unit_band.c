/* The band of the edit matrix of one long pair: positions of tokens, and steps of the bit vectors.
 *
 * Reference: E. Ukkonen, Algorithms for approximate string matching, 1985.
 */

#include "unit_band.h"

/* A token is frequent if it is at least once in this many words of 64 reference tokens. */
enum { FREQUENT = 2 };

/* Count each token of the reference, and number the vectors of the frequent ones. */
static int64_t count_tokens(Positions *p, const Band *x) {
    int64_t vectors = 0, listed = 0;
    memset(p->listed_at, 0, (size_t)(x->rows + 2) * sizeof *p->listed_at);
    for (int64_t i = 0; i < x->m; i++) {
        p->listed_at[x->reference[i] + 1]++;
    }
    for (int64_t row = 0; row <= x->rows; row++) {
        int64_t count = p->listed_at[row + 1];
        bool frequent = count * FREQUENT > x->words;
        p->vector_of[row] = frequent ? (int32_t)vectors++ : -1;
        listed += frequent ? 0 : count;
        p->listed_at[row + 1] = listed;
    }
    return vectors;
}

/* Set the bits of frequent tokens and list the places of the others. */
static void place_tokens(Positions *p, const Band *x) {
    for (int64_t i = 0; i < x->m; i++) {
        int32_t row = x->reference[i], vector = p->vector_of[row];
        if (vector >= 0) {
            p->vectors[vector * x->words + (i >> 6)] |= (uint64_t)1 << (i & 63);
        } else {
            p->listed[p->listed_at[row]++] = i;
        }
    }
    /* The places of a token now begin where those of the token before end. */
    memmove(p->listed_at + 1, p->listed_at, (size_t)(x->rows + 1) * sizeof *p->listed_at);
    p->listed_at[0] = 0;
}

bool begin_band(Band *x) {
    Positions *p = &x->positions;
    x->words = (x->m + 63) >> 6;
    p->vector_of = allocate(x->rows + 1, sizeof *p->vector_of);
    p->listed_at = allocate(x->rows + 2, sizeof *p->listed_at);
    x->vp = allocate(x->words, sizeof *x->vp);
    x->vn = allocate(x->words, sizeof *x->vn);
    if (!p->vector_of || !p->listed_at || !x->vp || !x->vn) {
        return false;
    }
    int64_t vectors = count_tokens(p, x);
    p->vectors = allocate_zeros(vectors, x->words, sizeof *p->vectors);
    p->listed = allocate(p->listed_at[x->rows + 1], sizeof *p->listed);
    p->filled = allocate_zeros(TOGETHER, x->words, sizeof *p->filled);
    if (!p->vectors || !p->listed || !p->filled) {
        return false;
    }
    place_tokens(p, x);
    return true;
}

void free_band(Band *x) {
    free(x->positions.vector_of);
    free(x->positions.vectors);
    free(x->positions.listed_at);
    free(x->positions.listed);
    free(x->positions.filled);
    free(x->vp);
    free(x->vn);
}

int64_t least_errors(const Band *x) {
    int64_t *more = allocate_zeros(x->rows + 1, 1, sizeof *more), only_here = 0, only_there = 0;
    if (more) {
        for (int64_t i = 0; i < x->m; i++) {
            more[x->reference[i]]++;
        }
        for (int64_t j = 0; j < x->n; j++) {
            more[x->hypothesis[j]]--;
        }
        for (int64_t row = 0; row <= x->rows; row++) {
            only_here += greater(more[row], 0);
            only_there += greater(-more[row], 0);
        }
        free(more);
    }
    return greater(greater(only_here, only_there), x->m > x->n ? x->m - x->n : x->n - x->m);
}

/* Return the first and the last reference token (from 1) of the band at hypothesis token `j`, also
 * from 1; they can be outside of the reference. An alignment through a cell has at least as many
 * errors as the cell is away from the diagonals of the first and of the last cell. */
static Range band_rows(const Band *x, int64_t j) {
    int64_t more = x->m - x->n;
    return (Range){.from = j + (more - x->limit) / 2 - 1, .to = j + (more + x->limit) / 2 + 1};
}

int64_t band_words(const Band *x) {
    return smaller(x->words, ((x->limit + TOGETHER + 4) >> 6) + 3);
}

Range band_range(const Band *x, int64_t lo, int64_t hi, int64_t rows) {
    int64_t from = band_rows(x, lo + 1).from, to = smaller(band_rows(x, hi).to, rows);
    from = from < 1 ? 0 : (from - 1) >> 6;
    return (Range){.from = from, .to = greater(from, ((to - 1) >> 6) + 1)};
}

void begin_state(Band *x) {
    memset(x->vp, 0xFF, (size_t)x->words * sizeof *x->vp);
    memset(x->vn, 0, (size_t)x->words * sizeof *x->vn);
    x->from = x->value = 0;
}

/* Return the sum of the vertical differences of a word of the state. */
static inline int64_t word_sum(const Band *x, int64_t w) {
    uint64_t inside =
        w + 1 < x->words || !(x->m & 63) ? ~(uint64_t)0 : ~(~(uint64_t)0 << (x->m & 63));
    return count_bits(x->vp[w] & inside) - count_bits(x->vn[w] & inside);
}

/* Leave out the words of the state before `from`. */
static void move_from(Band *x, int64_t from) {
    for (; x->from < from; x->from++) {
        x->value += word_sum(x, x->from);
    }
}

int64_t least_total(const Band *x, int64_t j) {
    Range range = band_range(x, smaller(j, x->n - 1), smaller(j + 1, x->n), x->m);
    int64_t value = x->value + j, least = INT64_MAX;
    for (int64_t w = x->from; w < range.to; w++) {
        int64_t i = smaller(64 * (w + 1), x->m), rest = (x->m - i) - (x->n - j);
        value += word_sum(x, w);
        least = smaller(least, value + (rest < 0 ? -rest : rest));
    }
    /* From one reference token to the next, the value and what follows change by at most 1. */
    return least - 2 * 64;
}

int64_t total_errors(const Band *x) {
    int64_t value = x->value + x->n;
    for (int64_t w = x->from; w < x->words; w++) {
        value += word_sum(x, w);
    }
    return value;
}

/* Return the first of the listed places of a token that is not before `place`. */
static int64_t first_listed(const Positions *p, int32_t row, int64_t place) {
    int64_t lo = p->listed_at[row], hi = p->listed_at[row + 1];
    while (lo < hi) {
        int64_t middle = lo + (hi - lo) / 2;
        if (p->listed[middle] < place) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo;
}

/* Change the bits of a token that is not frequent, from 0 to 1 or back, in its vector. */
static void flip_listed(const Band *x, int32_t row, Range range, uint64_t *vector) {
    const Positions *p = &x->positions;
    int64_t end = p->listed_at[row + 1];
    for (int64_t at = first_listed(p, row, 64 * range.from); at < end; at++) {
        int64_t place = p->listed[at];
        if (place >= 64 * range.to) {
            break;
        }
        vector[place >> 6] ^= (uint64_t)1 << (place & 63);
    }
}

/* Do the steps of `count` hypothesis tokens, of which the first is number `at` of those that are
 * kept, over a range of words. */
static inline void pass(Band *x, const uint64_t *const *equal, int count, Range range, int32_t ties,
                        const Kept *kept, int64_t at) {
    uint64_t carry_p[TOGETHER], carry_n[TOGETHER];
    for (int k = 0; k < count; k++) {
        carry_p[k] = 1;
        carry_n[k] = 0;
    }
    uint64_t *first = kept ? kept->first + at * kept->stride : NULL;
    uint64_t *second = kept ? kept->second + (at + 1) * kept->stride : NULL;
    for (int64_t w = range.from; w < range.to; w++) {
        Bits b = {.vp = x->vp[w], .vn = x->vn[w]};
        for (int k = 0; k < count; k++) {
            b.carry_p = carry_p[k];
            b.carry_n = carry_n[k];
            bit_step(&b, equal[k][w]);
            carry_p[k] = b.carry_p;
            carry_n[k] = b.carry_n;
            if (kept) {
                int64_t place = k * kept->stride + w - range.from;
                kept_bits(ties, &b, &first[place], &second[place]);
            }
        }
        x->vp[w] = b.vp;
        x->vn[w] = b.vn;
    }
}

/* Select code that the compiler has specialised. */
static void pass_tokens(Band *x, const uint64_t *const *equal, int64_t count, Range range,
                        const Kept *kept, int64_t at) {
    if (count < TOGETHER) {
        for (int64_t k = 0; k < count; k++) {
            pass(x, equal + k, 1, range, x->ties, kept, at + k);
        }
    } else if (!kept) {
        pass(x, equal, TOGETHER, range, 0, NULL, 0);
    } else if (x->ties == MISWORD_TIES_MISWORD) {
        pass(x, equal, TOGETHER, range, MISWORD_TIES_MISWORD, kept, at);
    } else if (x->ties == MISWORD_TIES_JIWER) {
        pass(x, equal, TOGETHER, range, MISWORD_TIES_JIWER, kept, at);
    } else {
        pass(x, equal, TOGETHER, range, MISWORD_TIES_KALDIALIGN, kept, at);
    }
}

void advance(Band *x, int64_t lo, int64_t hi, int64_t rows, const Kept *kept) {
    const Positions *p = &x->positions;
    for (int64_t j = lo; j < hi; j += TOGETHER) {
        int64_t count = smaller(TOGETHER, hi - j);
        Range range = band_range(x, j, j + count, rows);
        const uint64_t *equal[TOGETHER];
        for (int64_t k = 0; k < count; k++) {
            int32_t row = x->hypothesis[j + k], vector = p->vector_of[row];
            uint64_t *filled = p->filled + k * x->words;
            equal[k] = vector < 0 ? filled : p->vectors + vector * x->words;
            if (vector < 0) {
                flip_listed(x, row, range, filled);
            }
            if (kept) {
                kept->ranges[j + k - lo] = range;
            }
        }
        move_from(x, range.from);
        pass_tokens(x, equal, count, range, kept, j - lo);
        for (int64_t k = 0; k < count; k++) {
            if (p->vector_of[x->hypothesis[j + k]] < 0) {
                flip_listed(x, x->hypothesis[j + k], range, p->filled + k * x->words);
            }
        }
    }
}
