/* What the C files share: memory, sizes, and reading eight bytes at once. Not part of the contract.
 */

#ifndef MISWORD_COMMON_H
#define MISWORD_COMMON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* Edit operations; the same numbers as `Op` in core/types.py. */
enum { HIT = 0, SUBSTITUTION = 1, INSERTION = 2, DELETION = 3 };

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/* Allocate `count` items of `size` bytes; NULL if that is negative, overflows or is not available.
 * The memory is not initialised. The result of a count of 0 can be freed but not read. */
static inline void *allocate(int64_t count, size_t size) {
    if (count < 0 || (uint64_t)count > SIZE_MAX / size) {
        return NULL;
    }
    size_t bytes = (size_t)count * size;
    return malloc(bytes ? bytes : 1);
}

/* As `allocate`, for `rows` times `columns` items. */
static inline void *allocate_table(int64_t rows, int64_t columns, size_t size) {
    if (rows < 0 || columns < 0 || (columns && rows > INT64_MAX / columns)) {
        return NULL;
    }
    return allocate(rows * columns, size);
}

/* As `allocate_table`, with all bytes set to 0. */
static inline void *allocate_zeros(int64_t rows, int64_t columns, size_t size) {
    if (rows < 0 || columns < 0 || (columns && rows > INT64_MAX / columns)) {
        return NULL;
    }
    int64_t count = rows * columns;
    return (uint64_t)count > SIZE_MAX / size ? NULL : calloc(count ? (size_t)count : 1, size);
}

/* Return the eight bytes that start at an address as a number, the first byte lowest. */
static inline uint64_t load_eight(const uint8_t *at) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    number = __builtin_bswap64(number);
#endif
    return number;
}

/* Return the number of zero bits below the lowest set bit; the number is not 0. */
static inline int lowest_bit(uint64_t number) {
#if defined(__GNUC__)
    return __builtin_ctzll(number);
#else
    int bit = 0;
    while (!(number & 1)) {
        number >>= 1;
        bit++;
    }
    return bit;
#endif
}

/* Return the number of zero bits above the highest set bit; the number is not 0. */
static inline int leading_zeros(uint64_t number) {
#if defined(__GNUC__)
    return __builtin_clzll(number);
#else
    int bit = 0;
    while (!(number >> 63)) {
        number <<= 1;
        bit++;
    }
    return bit;
#endif
}

/* Return the number of set bits. */
static inline int count_bits(uint64_t number) {
#if defined(__GNUC__)
    return __builtin_popcountll(number);
#else
    int bits = 0;
    for (; number; number &= number - 1) {
        bits++;
    }
    return bits;
#endif
}

/* Ask the processor to load the memory at an address, which will be read soon. */
static inline void prefetch(const void *address) {
#if defined(__GNUC__)
    __builtin_prefetch(address);
#else
    (void)address;
#endif
}

#endif
