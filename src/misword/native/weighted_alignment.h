/* What the files of the alignment with any costs share. Not part of the contract. */

#ifndef MISWORD_WEIGHTED_ALIGNMENT_H
#define MISWORD_WEIGHTED_ALIGNMENT_H

#include "alignment.h"
#include "prices.h"

/* The price of a pair of tokens with vectors; a key of 0 is an empty slot. */
typedef struct {
    uint64_t key;
    double price;
} Priced;

/* What remains of a pair without its common prefix and suffix. */
typedef struct {
    const int32_t *reference, *hypothesis;
    int64_t m, n;
    double limit; /* the cost of the guide, with room for rounding errors */
} Middle;

/* The edit matrix of one pair after the other: costs, a cache of prices, and scratch memory. */
typedef struct {
    const misword_costs *costs;
    int64_t budget;       /* cells that are kept in memory */
    Priced *priced;       /* 2^PRICED_BITS slots */
    double *line, *added; /* one row of costs; the insertion cost of each hypothesis token */
    uint8_t *directions;  /* operations of the cells of one segment */
    int64_t line_room, direction_room;
} Matrix;

/* The cache of prices has 2^14 slots: it fits into the L2 cache of a processor. */
enum { PRICED_BITS = 14 };

/* Return the slot of the cache for a pair of tokens in either order, and set its key. */
static inline Priced *slot_of(const Matrix *matrix, int32_t left, int32_t right, uint64_t *key) {
    uint64_t low = (uint64_t)(left < right ? left : right), high = (uint64_t)(left ^ right) ^ low;
    *key = (high << 32 | low) + 1;
    return matrix->priced + (*key * UINT64_C(0x9E3779B97F4A7C15) >> (64 - PRICED_BITS));
}

/* Return the price of a pair of different tokens; prices of vectors are kept for the next time. */
static inline double price_once(const Matrix *matrix, int32_t form, int32_t left, int32_t right) {
    const misword_costs *costs = matrix->costs;
    if (form != MISWORD_COSTS_VECTORS || !have_vectors(costs, left, right)) {
        return price_of(costs, form, left, right);
    }
    uint64_t key;
    Priced *slot = slot_of(matrix, left, right, &key);
    if (slot->key != key) {
        slot->key = key;
        slot->price = price_of(costs, form, left, right);
    }
    return slot->price;
}

/* Return scratch memory for rows times columns items of `size` bytes: `old` if it is large enough
 * (*room items), else new memory. The content is lost. */
static inline void *enlarge(void *old, int64_t *room, int64_t rows, int64_t columns, size_t size) {
    if (old && (!columns || rows <= *room / columns)) {
        return old;
    }
    free(old);
    void *memory = allocate_table(rows, columns, size);
    *room = memory ? rows * columns : 0;
    return memory;
}

/* Align the middle part of a pair from its end back to the beginning of either text
 * (weighted_matrix.c). Sets `total` to its cost and `left` to the numbers of tokens that remain in
 * each text. */
int align_middle(Matrix *matrix, const Middle *x, double *total, Path *path, int64_t left[2]);

#endif
