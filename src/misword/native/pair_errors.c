/* The number of errors of one pair of short texts, for a call that must cost little. */

#include "unit_alignment.h"

/* A slot of the hash table of reference tokens; row 0 is an empty slot. */
typedef struct {
    int32_t token, row;
} Slot;

/* Return the slot of a token, or the empty slot where it belongs. */
static Slot *slot_of(Slot *slots, int bits, int32_t token) {
    uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint32_t at = ((uint32_t)token * 0x9E3779B1u) >> (32 - bits);
    while (slots[at].row && slots[at].token != token) {
        at = (at + 1) & mask;
    }
    return &slots[at];
}

/* Return the edit distance of two texts by bit vectors of `words` numbers. Row k of `positions` has
 * the places of the k-th distinct token of the reference; row 0 has none. */
static int64_t distance(const int32_t *hypothesis, int64_t n, int64_t m, int64_t words,
                        const uint64_t *positions, Slot *slots, int bits, Bits *column) {
    int64_t errors = m;
    int last = (int)((m - 1) & 63);
    for (int64_t k = 0; k < words; k++) {
        column[k] = (Bits){.vp = UINT64_MAX};
    }
    for (int64_t j = 0; j < n; j++) {
        const uint64_t *equal = positions + slot_of(slots, bits, hypothesis[j])->row * words;
        uint64_t carry_p = 1, carry_n = 0, falls = 0;
        for (int64_t k = 0; k < words; k++) {
            Bits *bit = &column[k];
            uint64_t rises = bit->vp;
            bit->carry_p = carry_p;
            bit->carry_n = carry_n;
            bit_step(bit, equal[k]);
            carry_p = bit->carry_p;
            carry_n = bit->carry_n;
            falls = bit->d0 & rises;
        }
        errors += (int64_t)(column[words - 1].hp >> last & 1);
        errors -= (int64_t)(falls >> last & 1);
    }
    return errors;
}

int misword_count_pair_errors(const int32_t *reference, int64_t m, const int32_t *hypothesis,
                              int64_t n, int64_t *errors) {
    while (m && n && reference[0] == hypothesis[0]) {
        reference++, hypothesis++, m--, n--;
    }
    while (m && n && reference[m - 1] == hypothesis[n - 1]) {
        m--, n--;
    }
    if (!m || !n) {
        *errors = m + n;
        return MISWORD_OK;
    }
    if (m > INT32_MAX / 4) {
        return MISWORD_TOO_LARGE;
    }
    int bits = 4;
    while ((int64_t)1 << bits < 2 * m) {
        bits++;
    }
    Slot *slots = allocate_zeros((int64_t)1 << bits, 1, sizeof *slots);
    if (!slots) {
        return MISWORD_NO_MEMORY;
    }
    int32_t rows = 0;
    for (int64_t i = 0; i < m; i++) {
        Slot *slot = slot_of(slots, bits, reference[i]);
        if (!slot->row) {
            *slot = (Slot){reference[i], ++rows};
        }
    }
    int64_t words = (m + 63) >> 6;
    uint64_t *positions = allocate_zeros((int64_t)rows + 1, words, sizeof *positions);
    Bits *column = allocate(words, sizeof *column);
    int status = positions && column ? MISWORD_OK : MISWORD_NO_MEMORY;
    if (status == MISWORD_OK) {
        for (int64_t i = 0; i < m; i++) {
            int64_t row = slot_of(slots, bits, reference[i])->row;
            positions[row * words + (i >> 6)] |= (uint64_t)1 << (i & 63);
        }
        *errors = distance(hypothesis, n, m, words, positions, slots, bits, column);
    }
    free(slots);
    free(positions);
    free(column);
    return status;
}
