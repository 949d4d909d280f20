/* What the files of the unit-cost alignment share. Not part of the contract. */

#ifndef MISWORD_UNIT_ALIGNMENT_H
#define MISWORD_UNIT_ALIGNMENT_H

#include "alignment.h"

/* Return the operation that a tie rule takes at one cell of the edit matrix.
 *
 * misword     a hit or a substitution if optimal, then an insertion, then a deletion
 * jiwer       a deletion if optimal, then an insertion if better than a substitution (rapidfuzz)
 * kaldialign  an insertion if optimal, then a deletion, then a hit or a substitution
 *
 * `hit` says whether the two tokens are equal. The other three are bits that the forward pass
 * stored: `first` at this hypothesis token, `before` and `here` the second bit vector at the
 * previous and at this hypothesis token. Which vectors are stored depends on the rule. */
static inline uint8_t tie_operation(int32_t ties, bool hit, bool first, bool before, bool here) {
    if (ties == MISWORD_TIES_MISWORD) {
        if (hit || !first) {
            return hit ? HIT : SUBSTITUTION;
        }
        return before ? INSERTION : DELETION;
    }
    if (ties == MISWORD_TIES_JIWER) {
        if (first || before) {
            return first ? DELETION : INSERTION;
        }
    } else if (first || here) {
        return first ? INSERTION : DELETION;
    }
    return hit ? HIT : SUBSTITUTION;
}

/* The bit vectors of one step of Hyyrö's algorithm (2003), 64 reference tokens at a time. */
typedef struct {
    uint64_t vp, vn;           /* vertical differences +1 and -1: the state */
    uint64_t carry_p, carry_n; /* horizontal differences at the last of the 64 tokens */
    uint64_t d0, hp;           /* diagonal differences 0, horizontal differences +1 */
} Bits;

/* Do one step: `equal` has the bits of the reference tokens that are equal to the hypothesis token.
 */
static inline void bit_step(Bits *b, uint64_t equal) {
    uint64_t x = equal | b->carry_n;
    uint64_t d0 = (((x & b->vp) + b->vp) ^ b->vp) | x | b->vn;
    uint64_t hp = b->vn | ~(d0 | b->vp);
    uint64_t hn = d0 & b->vp;
    uint64_t shifted_p = hp << 1 | b->carry_p;
    uint64_t shifted_n = hn << 1 | b->carry_n;
    b->carry_p = hp >> 63;
    b->carry_n = hn >> 63;
    b->vp = shifted_n | ~(d0 | shifted_p);
    b->vn = shifted_p & d0;
    b->d0 = d0;
    b->hp = hp;
}

/* Set the two vectors that a tie rule reads on the way back. */
static inline void kept_bits(int32_t ties, const Bits *b, uint64_t *first, uint64_t *second) {
    *first = ties == MISWORD_TIES_MISWORD ? b->d0 : ties == MISWORD_TIES_JIWER ? b->vp : b->hp;
    *second = ties == MISWORD_TIES_KALDIALIGN ? b->vp : b->vn;
}

/* Sizes of pairs that are aligned together with others (unit_lanes.c). */
enum {
    LANES = 8,
    MOST_WORDS = 4,         /* 64-bit words of a bit vector of a short reference */
    MOST_REFERENCE = 255,   /* tokens of a short reference: its tokens are numbered in one byte */
    MOST_HYPOTHESIS = 1024, /* tokens of a short hypothesis */
    SLACK = 8,              /* bytes before the codes of a text, which are read but not used */
    CODES = 256
};

/* One of several pairs that are aligned together. The tokens of its middle part (what remains
 * without the common prefix and suffix) are codes of one byte: equal tokens have equal codes. */
typedef struct {
    int64_t pair, head, tail, m, n; /* common prefix and suffix, tokens of the middle part */
    uint8_t reference[SLACK + MOST_REFERENCE + 1];
    uint8_t hypothesis[SLACK + MOST_HYPOTHESIS + 1];
} Short;

/* Pairs that wait until there are enough to be aligned together. */
typedef struct {
    int64_t size;
    Short pairs[LANES];
} Group;

/* Scratch memory of `align_lanes`, for pairs of any short size. */
typedef struct {
    uint64_t *positions;      /* for each lane and code the positions in the reference; 0 between
                               * two groups */
    uint64_t *first, *second; /* the bit vectors that the way back reads */
} LaneMemory;

/* Allocate the memory; return false, with nothing to free, if there is none. */
bool allocate_lanes(LaneMemory *memory);
void free_lanes(LaneMemory *memory);

/* Align the middle parts of all pairs of a group from their ends back to the beginning of either
 * text. The references have the same number of 64-bit words. Adds to the paths, and sets `left` to
 * the numbers of tokens that remain in each text. */
void align_lanes(const LaneMemory *memory, Group *group, int words, int32_t ties, Path *paths,
                 int64_t left[LANES][2]);

/* Align one pair of any length (unit_long.c). Tokens are numbers of rows: equal tokens have equal
 * numbers, from 1 to `rows` for those of the reference, 0 for all others. Both texts have tokens.
 * Sets *left to the numbers of tokens that remain at the beginning of each text. Returns
 * MISWORD_TOO_LARGE if a band of the edit matrix with the alignment has more than `most_cells`. */
int align_long_pair(const int32_t *reference, int64_t m, const int32_t *hypothesis, int64_t n,
                    int64_t rows, int32_t ties, int64_t budget, double most_cells, Path *path,
                    int64_t left[2]);

#endif
