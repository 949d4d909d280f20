/* The nearest rows of each query: running lists of the best keys of product and row number. */

#include "products.h"

/* Return product and row number as one number: the better pair is the smaller. */
static inline uint64_t pack_key(float product, int64_t row) {
    float value = product + 0.0F; /* -0 becomes 0 */
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits = bits >> 31 ? bits : bits ^ UINT32_C(0x7FFFFFFF);
    return (uint64_t)bits << 32 | (uint64_t)row;
}

/* Return the product of a key. */
static inline float key_product(uint64_t key) {
    uint32_t bits = (uint32_t)(key >> 32);
    bits = bits >> 31 ? bits : bits ^ UINT32_C(0x7FFFFFFF);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Return the middle one of three numbers. */
static inline uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    return c < low ? low : c > high ? high : c;
}

/* Reorder keys so that the `k` smallest come first, the greatest of them at k - 1 (quickselect). */
static void select_smallest(uint64_t *keys, int64_t count, int64_t k) {
    int64_t lo = 0, hi = count - 1;
    while (lo < hi) {
        uint64_t pivot = median(keys[lo], keys[lo + (hi - lo) / 2], keys[hi]);
        int64_t left = lo, right = hi;
        while (left <= right) {
            while (keys[left] < pivot) {
                left++;
            }
            while (keys[right] > pivot) {
                right--;
            }
            if (left <= right) {
                uint64_t key = keys[left];
                keys[left++] = keys[right];
                keys[right--] = key;
            }
        }
        if (k - 1 <= right) {
            hi = right;
        } else if (k - 1 >= left) {
            lo = left;
        } else {
            return;
        }
    }
}

/* The keys of one query: the best `k` and then new ones, `room` at most. */
typedef struct {
    uint64_t *keys;
    int64_t k, count, room;
    float threshold; /* the product of the worst of the best k at the last selection */
} Best;

/* Keep the best `k` keys only, and raise the threshold to the worst of them. */
static inline void keep_best(Best *x) {
    select_smallest(x->keys, x->count, x->k);
    x->count = x->k;
    x->threshold = key_product(x->keys[x->k - 1]);
}

/* Add the key of a product that exceeds the threshold. */
static inline void add_key(Best *x, float product, int64_t row) {
    if (product > x->threshold) {
        x->keys[x->count++] = pack_key(product, row);
        if (x->count == x->room) {
            keep_best(x);
        }
    }
}

/* Return a bit for each of LANES products that exceeds a threshold. */
static inline uint32_t above(const float *products, float threshold) {
    uint32_t bits = 0;
    for (int lane = 0; lane < LANES; lane++) {
        bits |= products[lane] > threshold ? UINT32_C(1) << lane : 0;
    }
    return bits;
}

/* Add the products of one query with rows `first` to `first` + width - 1. */
static void merge_row(Best *x, const float *products, int64_t width, int64_t first) {
    int64_t whole = width - width % LANES;
    for (int64_t lo = 0; lo < whole; lo += LANES) {
        for (uint32_t bits = above(products + lo, x->threshold); bits; bits &= bits - 1) {
            int64_t at = lo + lowest_bit(bits);
            add_key(x, products[at], first + at);
        }
    }
    for (int64_t at = whole; at < width; at++) {
        add_key(x, products[at], first + at);
    }
}

int misword_merge_nearest(const float *products, int64_t queries, int64_t width, int64_t first,
                          int64_t k, uint64_t *best) {
    if (k <= 0) {
        return MISWORD_OK;
    }
    /* A selection is made each time as many keys as the list has are new: a constant time each. */
    int64_t spare = greater(k, 64);
    uint64_t *keys = k > INT64_MAX - spare ? NULL : allocate(k + spare, sizeof *keys);
    if (!keys) {
        return MISWORD_NO_MEMORY;
    }
    size_t bytes = (size_t)k * sizeof *keys;
    for (int64_t query = 0; query < queries; query++) {
        uint64_t *own = best + query * k;
        Best x = {keys, k, k, k + spare, 0};
        memcpy(keys, own, bytes);
        uint64_t worst = 0;
        for (int64_t at = 0; at < k; at++) {
            worst = keys[at] > worst ? keys[at] : worst;
        }
        x.threshold = key_product(worst);
        merge_row(&x, products + query * width, width, first);
        if (x.count > k) {
            keep_best(&x);
        }
        memcpy(own, keys, bytes);
    }
    free(keys);
    return MISWORD_OK;
}
