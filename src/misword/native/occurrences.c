/* Phrases and compounds in the words of texts. */

#include "common.h"

/* Write numbers of an occurrence, if there is room, and count it. */
static void add(int64_t *found, int64_t room, int64_t *count, int64_t row, int64_t start,
                int64_t end, int64_t number) {
    if (*count < room) {
        int64_t *next = found + *count * MISWORD_OCCURRENCE;
        next[0] = row;
        next[1] = start;
        next[2] = end;
        next[3] = number;
    }
    ++*count;
}

int misword_find_phrases(const int32_t *ids, const int64_t *at, int64_t rows,
                         const int32_t *phrases, const int64_t *phrase_at, const int64_t *listed,
                         const int64_t *listed_at, int64_t *found, int64_t room, int64_t *count) {
    *count = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t first = at[row], last = at[row + 1];
        for (int64_t w = first; w < last; w++) {
            for (int64_t k = listed_at[ids[w]]; k < listed_at[ids[w] + 1]; k++) {
                const int32_t *phrase = phrases + phrase_at[listed[k]];
                int64_t size = phrase_at[listed[k] + 1] - phrase_at[listed[k]], same = 1;
                while (same < size && w + same < last && ids[w + same] == phrase[same]) {
                    same++;
                }
                if (same == size) {
                    add(found, room, count, row, w - first, w - first + size, listed[k]);
                }
            }
        }
    }
    return *count <= room ? MISWORD_OK : MISWORD_FULL;
}

/* Return the first of the listed terms that begins at a word, or -1. `left` is the number of words
 * from there to the end of the row. */
static int64_t term_at_word(const int32_t *words, int64_t left, const int32_t *terms,
                            const int64_t *term_at, const int64_t *listed,
                            const int64_t *listed_at) {
    for (int64_t k = listed_at[words[0]]; k < listed_at[words[0] + 1]; k++) {
        const int32_t *term = terms + term_at[listed[k]];
        int64_t size = term_at[listed[k] + 1] - term_at[listed[k]], same = 1;
        while (same < size && same < left && words[same] == term[same]) {
            same++;
        }
        if (same == size) {
            return listed[k];
        }
    }
    return -1;
}

void misword_find_terms(const int32_t *ids, const int64_t *at, int64_t rows, const int32_t *terms,
                        const int64_t *term_at, const int32_t *number_of, const int64_t *listed,
                        const int64_t *listed_at, int32_t *spans, int64_t *span_at) {
    int32_t *next = spans;
    span_at[0] = 0;
    for (int64_t row = 0; row < rows; row++) {
        for (int64_t w = at[row]; w < at[row + 1];) {
            int64_t term =
                term_at_word(ids + w, at[row + 1] - w, terms, term_at, listed, listed_at);
            int64_t end = term < 0 ? w + 1 : w + term_at[term + 1] - term_at[term];
            if (term >= 0) {
                next[0] = (int32_t)(w - at[row]);
                next[1] = (int32_t)(end - at[row]);
                next[2] = number_of[term];
                next += MISWORD_SPAN;
            }
            w = end;
        }
        span_at[row + 1] = (next - spans) / MISWORD_SPAN;
    }
}

/* The hash of a string is a polynomial of its bytes, so the hash of two strings one after the other
 * is the hash of the first times `shift` of the second, plus the hash of the second. */
typedef struct {
    uint64_t hash, shift;
    int64_t length;
} Letters;

/* The letters of all words of a vocabulary, and a hash table of the distinct ones. */
typedef struct {
    const uint8_t *bytes;
    const int64_t *at;
    Letters *letters; /* of each word */
    int32_t *slots;   /* 2^bits ids of words plus one; 0 is an empty slot */
    /* A bit for each possible value of some bits of a hash: 0 if no word has such a hash. It is
     * small enough to stay in the cache, and rules out most sequences. */
    uint64_t *sieve;
    int bits, sieve_bits;
    int64_t longest;
} Index;

static const uint64_t BASE = 0x9E3779B97F4A7C15u, SPREAD = 0xC2B2AE3D27D4EB4Fu;

/* Return the hash of a string. */
static Letters hash_letters(const uint8_t *bytes, int64_t length) {
    Letters letters = {0, 1, length};
    for (int64_t k = 0; k < length; k++) {
        letters.hash = letters.hash * BASE + bytes[k] + 1;
        letters.shift *= BASE;
    }
    return letters;
}

/* Return the highest bits of a hash, which depend on all of its bits. */
static uint64_t place(uint64_t hash, int bits) {
    return (hash ^ hash >> 32) * SPREAD >> (64 - bits);
}

/* Whether the letters of some words, one after the other, are those of another word. */
static bool spell(const Index *index, const int32_t *words, int64_t count, int32_t other) {
    const uint8_t *wanted = index->bytes + index->at[other];
    for (int64_t k = 0; k < count; k++) {
        int64_t length = index->letters[words[k]].length;
        if (memcmp(wanted, index->bytes + index->at[words[k]], (size_t)length)) {
            return false;
        }
        wanted += length;
    }
    return true;
}

/* Return the first word of the vocabulary that has the letters of some words, or -1. */
static int32_t find_word(const Index *index, const int32_t *words, int64_t count, uint64_t hash,
                         int64_t length) {
    uint64_t mask = ((uint64_t)1 << index->bits) - 1;
    for (uint64_t slot = place(hash, index->bits);; slot = (slot + 1) & mask) {
        int32_t id = index->slots[slot] - 1;
        if (id < 0) {
            return -1;
        }
        if (index->letters[id].hash == hash && index->letters[id].length == length &&
            spell(index, words, count, id)) {
            return id;
        }
    }
}

/* Add the words of a vocabulary to the table; of several with the same letters only the first. */
static void fill(Index *index, int64_t vocabulary) {
    uint64_t mask = ((uint64_t)1 << index->bits) - 1;
    for (int32_t id = 0; id < vocabulary; id++) {
        Letters letters =
            hash_letters(index->bytes + index->at[id], index->at[id + 1] - index->at[id]);
        index->letters[id] = letters;
        if (!letters.length || find_word(index, &id, 1, letters.hash, letters.length) >= 0) {
            continue;
        }
        uint64_t slot = place(letters.hash, index->bits);
        while (index->slots[slot]) {
            slot = (slot + 1) & mask;
        }
        index->slots[slot] = id + 1;
        uint64_t bit = place(letters.hash, index->sieve_bits);
        index->sieve[bit / 64] |= (uint64_t)1 << bit % 64;
        index->longest = greater(index->longest, letters.length);
    }
}

/* Find the compounds of a row of words. */
static void search_row(const Index *index, const int32_t *words, int64_t size, int64_t most,
                       int64_t row, int64_t *found, int64_t room, int64_t *count) {
    for (int64_t start = 0; start < size; start++) {
        Letters joined = index->letters[words[start]];
        int64_t last = smaller(start + most, size);
        for (int64_t end = start + 1; joined.length && end < last; end++) {
            const Letters *next = &index->letters[words[end]];
            joined.hash = joined.hash * next->shift + next->hash;
            joined.length += next->length;
            if (!next->length || joined.length > index->longest) {
                break;
            }
            uint64_t bit = place(joined.hash, index->sieve_bits);
            if (index->sieve[bit / 64] >> bit % 64 & 1) {
                int32_t form =
                    find_word(index, words + start, end + 1 - start, joined.hash, joined.length);
                if (form >= 0) {
                    add(found, room, count, row, start, end + 1, form);
                }
            }
        }
    }
}

int misword_find_compounds(const int32_t *ids, const int64_t *at, int64_t rows,
                           const uint8_t *letters, const int64_t *letters_at, int64_t vocabulary,
                           int64_t most, int64_t *found, int64_t room, int64_t *count) {
    Index index = {.bytes = letters, .at = letters_at, .bits = 4};
    *count = 0;
    if (vocabulary >= INT32_MAX) {
        return MISWORD_TOO_LARGE;
    }
    while ((int64_t)1 << index.bits < 2 * vocabulary) {
        index.bits++;
    }
    index.sieve_bits = (int)smaller(greater(index.bits + 3, 6), 21);
    index.letters = allocate(vocabulary, sizeof *index.letters);
    index.slots = allocate_zeros((int64_t)1 << index.bits, 1, sizeof *index.slots);
    index.sieve = allocate_zeros((int64_t)1 << (index.sieve_bits - 6), 1, sizeof *index.sieve);
    int status = index.letters && index.slots && index.sieve ? MISWORD_OK : MISWORD_NO_MEMORY;
    if (status == MISWORD_OK) {
        fill(&index, vocabulary);
        for (int64_t row = 0; row < rows; row++) {
            search_row(&index, ids + at[row], at[row + 1] - at[row], most, row, found, room, count);
        }
        status = *count <= room ? MISWORD_OK : MISWORD_FULL;
    }
    free(index.letters);
    free(index.slots);
    free(index.sieve);
    return status;
}
