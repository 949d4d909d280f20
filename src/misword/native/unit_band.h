/* The band of the edit matrix of one long pair, 64 reference tokens in each word of its bit
 * vectors. Not part of the contract. */

#ifndef MISWORD_UNIT_BAND_H
#define MISWORD_UNIT_BAND_H

#include "unit_alignment.h"

/* Hypothesis tokens that are processed in one pass over the band. A word of the next token can be
 * computed while those of the tokens before are still in work. */
enum { TOGETHER = 4 };

/* The words `from` to `to` - 1 of a bit vector. */
typedef struct {
    int64_t from, to;
} Range;

/* Where each token is in the reference. A frequent token has a bit vector of its own; of the others
 * the places are listed, and vectors are filled when they are needed. */
typedef struct {
    int32_t *vector_of; /* for each row number: the number of its vector, or -1 */
    uint64_t *vectors;  /* `words` for each frequent token */
    int64_t *listed_at; /* for each row number: where its places begin */
    int64_t *listed;    /* places in the reference, from 0 */
    uint64_t *filled;   /* `words` for each of TOGETHER tokens; all 0 between two passes */
} Positions;

/* The edit matrix. Cells outside of the band are left out: the band has all cells of alignments
 * with at most `limit` errors, so the values of the cells on such alignments are those of the whole
 * matrix, and other values are not lower. */
typedef struct {
    const int32_t *reference, *hypothesis;
    int64_t m, n, words, rows, limit;
    int32_t ties;
    Positions positions;
    uint64_t *vp, *vn; /* the state: vertical differences at the last hypothesis token */
    int64_t from;      /* the first word of the state */
    int64_t value;     /* the value of the cell above that word, minus the hypothesis tokens */
} Band;

/* The bit vectors that the way back reads, of some hypothesis tokens. */
typedef struct {
    int64_t room, stride;     /* hypothesis tokens, and words for each of them */
    Range *ranges;            /* the words of each token */
    uint64_t *first, *second; /* `second` also has the vector before the first token */
} Kept;

/* Allocate the band of a pair and find the positions of tokens; false if there is no memory.
 * `free_band` must be called in both cases. */
bool begin_band(Band *x);
void free_band(Band *x);

/* Return a number of errors that no alignment of the pair is below: tokens that one text has more
 * often than the other. */
int64_t least_errors(const Band *x);

/* Return how many words the band has at most at one hypothesis token. */
int64_t band_words(const Band *x);

/* Return the words of the band at the hypothesis tokens `lo` to `hi` - 1 for which the first `rows`
 * reference tokens matter. */
Range band_range(const Band *x, int64_t lo, int64_t hi, int64_t rows);

/* Set the state before the first hypothesis token. */
void begin_state(Band *x);

/* Advance the state over hypothesis tokens `lo` to `hi` - 1, for the first `rows` reference tokens.
 * If `kept` is given, keep the vectors of each step. */
void advance(Band *x, int64_t lo, int64_t hi, int64_t rows, const Kept *kept);

/* Return a number that the errors of an alignment through the state after `j` hypothesis tokens are
 * not below. */
int64_t least_total(const Band *x, int64_t j);

/* Return the errors of the pair, if the state is that after the last hypothesis token. */
int64_t total_errors(const Band *x);

#endif
