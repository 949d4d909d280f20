/* What alignments with unit costs and with other costs share: token ids of one or four bytes,
 * common beginnings and ends of two sequences, and the path. Not part of the contract. */

#ifndef MISWORD_ALIGNMENT_H
#define MISWORD_ALIGNMENT_H

#include "common.h"

/* Return a token id; ids have `width` bytes, 1 or 4. */
static inline int32_t token(const void *ids, int32_t width, int64_t at) {
    return width == 1 ? ((const uint8_t *)ids)[at] : ((const int32_t *)ids)[at];
}

/* Return the number of equal tokens at the beginning of two sequences, at most `most`. */
static inline int64_t common_head(const void *ids, int64_t a, const void *others, int64_t b,
                                  int32_t width, int64_t most) {
    int64_t head = 0;
    if (width == 1) {
        const uint8_t *left = (const uint8_t *)ids + a, *right = (const uint8_t *)others + b;
        for (; head + 8 <= most; head += 8) {
            uint64_t different = load_eight(left + head) ^ load_eight(right + head);
            if (different) {
                return head + lowest_bit(different) / 8;
            }
        }
    }
    while (head < most && token(ids, width, a + head) == token(others, width, b + head)) {
        head++;
    }
    return head;
}

/* Return the number of equal tokens before `a` and `b`, at most `most`. */
static inline int64_t common_tail(const void *ids, int64_t a, const void *others, int64_t b,
                                  int32_t width, int64_t most) {
    int64_t tail = 0;
    if (width == 1) {
        const uint8_t *left = (const uint8_t *)ids + a, *right = (const uint8_t *)others + b;
        for (; tail + 8 <= most; tail += 8) {
            uint64_t different = load_eight(left - tail - 8) ^ load_eight(right - tail - 8);
            if (different) {
                return tail + leading_zeros(different) / 8;
            }
        }
    }
    while (tail < most && token(ids, width, a - 1 - tail) == token(others, width, b - 1 - tail)) {
        tail++;
    }
    return tail;
}

/* The operations of a pair, written from the end of the pair to its beginning. */
typedef struct {
    int64_t counts[4];
    int64_t inserted, burst; /* successive insertions: those added last, and the most */
    uint8_t *first;          /* the operation written last; NULL if operations are not wanted */
} Path;

/* Put an operation before those of the path, several times. */
static inline void add_operations(Path *path, uint8_t operation, int64_t times) {
    path->counts[operation] += times;
    if (times) {
        path->inserted = operation == INSERTION ? path->inserted + times : 0;
        path->burst = greater(path->burst, path->inserted);
    }
    if (path->first) {
        path->first -= times;
        memset(path->first, operation, (size_t)times);
    }
}

/* Add the operations of the first i and j tokens of two texts, of which the first are equal: hits,
 * and after them insertions or deletions for what one text has more. */
static inline void add_prefix(Path *path, int64_t i, int64_t j) {
    int64_t hits = smaller(i, j);
    add_operations(path, DELETION, i - hits);
    add_operations(path, INSERTION, j - hits);
    add_operations(path, HIT, hits);
}

#endif
