/* Words of a text as ids of a vocabulary.
 *
 * The text is read in blocks of 64 bytes. For each block a number is computed whose bits are set
 * where a word may end. The words between these places are collected in a batch; their slots of the
 * hash table are requested from memory while the batch is filled, and looked up after that.
 */

#include "common.h"
#include "text_bytes.h"

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 64, BATCH = 128, OWN_KEY = 16 };

static const uint64_t SPREAD = 0x9E3779B97F4A7C15u, SPREAD_SECOND = 0xC2B2AE3D27D4EB4Fu;

/* LOWEST_BYTES[n] has all bits of its lowest n bytes set. */
static const uint64_t LOWEST_BYTES[9] = {
    0,
    0xFF,
    0xFFFF,
    0xFFFFFF,
    0xFFFFFFFF,
    0xFFFFFFFFFF,
    0xFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFF,
    0xFFFFFFFFFFFFFFFF,
};

/* A word of the batch: its key, where it begins and its length in bytes. */
typedef struct {
    uint64_t key, second_key;
    int64_t start, length;
} Word;

/* The text, the output, the hash table, and the words that wait to be looked up. */
typedef struct {
    const uint8_t *text;
    int64_t count, words; /* tokens and distinct words so far */
    int32_t *ids;
    int64_t *starts;
    int32_t *lengths;
    uint64_t *table;
    int64_t mask;    /* number of slots minus one */
    int shift;       /* the highest 64 - shift bits of a hash are the slot */
    int64_t waiting; /* words in the batch */
    Word batch[BATCH];
} Splitter;

#if defined(__AVX2__)

/* Return the bits of `stops_of` for 32 bytes. */
static uint32_t stops_of_32(const uint8_t *at) {
    __m256i bytes = _mm256_loadu_si256((const void *)at);
    __m256i space = _mm256_set1_epi8(0x20);
    __m256i low = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, space), space);
    __m256i leads = _mm256_or_si256(_mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)0xE1)),
                                    _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)0xC2)));
    leads = _mm256_or_si256(leads, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)0xE2)));
    leads = _mm256_or_si256(leads, _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8((char)0xE3)));
    return (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(low, leads));
}

/* Return a number whose bit k is set if a word may end at byte k of a block: bytes up to 0x20, and
 * the first bytes of white space that is not ASCII. */
static uint64_t stops_of(const uint8_t *at) {
    return (uint64_t)stops_of_32(at + 32) << 32 | stops_of_32(at);
}

#elif defined(__SSE2__)

/* Return the bits of `stops_of` for 16 bytes. */
static uint64_t stops_of_16(const uint8_t *at) {
    __m128i bytes = _mm_loadu_si128((const void *)at);
    __m128i space = _mm_set1_epi8(0x20);
    __m128i low = _mm_cmpeq_epi8(_mm_max_epu8(bytes, space), space);
    __m128i leads = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)0xE1)),
                                 _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)0xC2)));
    leads = _mm_or_si128(leads, _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)0xE2)));
    leads = _mm_or_si128(leads, _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)0xE3)));
    return (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(low, leads));
}

static uint64_t stops_of(const uint8_t *at) {
    return stops_of_16(at) | stops_of_16(at + 16) << 16 | stops_of_16(at + 32) << 32 |
           stops_of_16(at + 48) << 48;
}

#else

static uint64_t stops_of(const uint8_t *at) {
    uint64_t stops = 0;
    for (int k = 0; k < BLOCK; k++) {
        uint8_t byte = at[k];
        bool stop = byte <= 0x20 || byte == 0xC2 || (byte >= 0xE1 && byte <= 0xE3);
        stops |= (uint64_t)stop << k;
    }
    return stops;
}

#endif

/* Mix the bytes of a word of more than 16 bytes. The last eight bytes may overlap those before. */
static uint64_t hash_of(const uint8_t *at, int64_t length, uint64_t seed) {
    uint64_t hash = seed;
    for (int64_t k = 0; k < length - 8; k += 8) {
        hash = (hash ^ hash >> 29 ^ load_eight(at + k)) * SPREAD;
    }
    return (hash ^ hash >> 29 ^ load_eight(at + length - 8)) * SPREAD;
}

/* Return the number of the first slot that may hold a word with these keys. */
static inline int64_t slot_of(const Splitter *s, uint64_t key, uint64_t second_key) {
    return (int64_t)(((key ^ (second_key * SPREAD_SECOND)) * SPREAD) >> s->shift);
}

/* Whether a slot holds a word of more than 16 bytes; both keys and the lengths are equal. */
static bool same_long_word(const Splitter *s, int64_t id, const Word *word) {
    return memcmp(s->text + s->starts[id], s->text + word->start, (size_t)word->length) == 0;
}

/* Give an id to each word of the batch. */
static void look_up(Splitter *s) {
    int32_t *ids = s->ids + s->count - s->waiting;
    for (int64_t k = 0; k < s->waiting; k++) {
        const Word *word = &s->batch[k];
        int64_t at = slot_of(s, word->key, word->second_key);
        while (true) {
            uint64_t *slot = s->table + MISWORD_WORD_SLOT * at;
            int64_t id = (int64_t)(slot[2] & UINT32_MAX) - 1;
            if (id < 0) {
                id = s->words++;
                s->starts[id] = word->start;
                s->lengths[id] = (int32_t)word->length;
                slot[0] = word->key;
                slot[1] = word->second_key;
                slot[2] = (uint64_t)word->length << 32 | (uint64_t)(id + 1);
                ids[k] = (int32_t)id;
                break;
            }
            if (slot[0] == word->key && slot[1] == word->second_key &&
                (int64_t)(slot[2] >> 32) == word->length &&
                (word->length <= OWN_KEY || same_long_word(s, id, word))) {
                ids[k] = (int32_t)id;
                break;
            }
            at = (at + 1) & s->mask;
        }
    }
    s->waiting = 0;
}

/* Put a word into the batch. */
static inline void collect(Splitter *s, int64_t start, int64_t length) {
    Word *word = &s->batch[s->waiting++];
    const uint8_t *at = s->text + start;
    word->start = start;
    word->length = length;
    if (length <= OWN_KEY) {
        word->key = load_eight(at) & LOWEST_BYTES[length < 8 ? length : 8];
        word->second_key = load_eight(at + 8) & LOWEST_BYTES[length > 8 ? length - 8 : 0];
    } else {
        word->key = hash_of(at, length, 0);
        word->second_key = hash_of(at, length, SPREAD_SECOND);
    }
    prefetch(s->table + MISWORD_WORD_SLOT * slot_of(s, word->key, word->second_key));
    s->count++;
}

/* Return the places of a block where a word may end; the last block of a text may be shorter. */
static inline uint64_t stops_at(const uint8_t *text, int64_t at, int64_t size) {
    if (at + BLOCK <= size) {
        return stops_of(text + at);
    }
    uint8_t rest[BLOCK] = {0};
    memcpy(rest, text + at, (size_t)(size - at));
    uint64_t stops = stops_of(rest);
    return stops & (((uint64_t)1 << (size - at)) - 1);
}

int misword_split_words(const uint8_t *text, int64_t size, int64_t rows, int64_t *state,
                        int32_t *ids, int64_t *offsets, int64_t *starts, int32_t *lengths,
                        int64_t room, uint64_t *table, int64_t bits) {
    Splitter s = {.text = text,
                  .count = state[2],
                  .words = state[3],
                  .ids = ids,
                  .starts = starts,
                  .lengths = lengths,
                  .table = table,
                  .mask = ((int64_t)1 << bits) - 1,
                  .shift = (int)(64 - bits)};
    int64_t start = state[0], row = state[1], block = start;
    /* The first NUL of the padding ends the last row. */
    int64_t end = size - MISWORD_TEXT_PADDING + 1;
    int status = MISWORD_OK;
    while (block < end && status == MISWORD_OK) {
        uint64_t stops = stops_at(text, block, end);
        while (stops) {
            int64_t at = block + lowest_bit(stops);
            stops &= stops - 1;
            if (at < start) {
                continue; /* inside white space of several bytes */
            }
            int64_t space = text[at] ? white_space(text + at) : 1;
            if (!space) {
                continue;
            }
            if (at > start) {
                if (at - start > INT32_MAX) {
                    status = MISWORD_TOO_LARGE;
                    break;
                }
                if (s.waiting == BATCH) {
                    look_up(&s);
                    if (s.words + BATCH > room) {
                        status = MISWORD_FULL;
                        break;
                    }
                }
                collect(&s, start, at - start);
            }
            start = at + space;
            if (!text[at]) {
                if (row == rows) {
                    status = MISWORD_TOO_LARGE;
                    break;
                }
                offsets[++row] = s.count;
            }
        }
        block += BLOCK;
    }
    look_up(&s);
    state[0] = start;
    state[1] = row;
    state[2] = s.count;
    state[3] = s.words;
    return status;
}

void misword_rehash_words(const uint64_t *old, int64_t old_bits, uint64_t *table, int64_t bits) {
    Splitter s = {.mask = ((int64_t)1 << bits) - 1, .shift = (int)(64 - bits)};
    for (int64_t k = 0; k < (int64_t)1 << old_bits; k++) {
        const uint64_t *word = old + MISWORD_WORD_SLOT * k;
        if (word[2]) {
            int64_t at = slot_of(&s, word[0], word[1]);
            while (table[MISWORD_WORD_SLOT * at + 2]) {
                at = (at + 1) & s.mask;
            }
            memcpy(table + MISWORD_WORD_SLOT * at, word, sizeof(uint64_t) * MISWORD_WORD_SLOT);
        }
    }
}

void misword_join_words(const int32_t *ids, const int64_t *offsets, int64_t rows,
                        const uint8_t *text, const int64_t *starts, const int32_t *lengths,
                        uint8_t *joined) {
    for (int64_t row = 0; row < rows; row++) {
        if (row) {
            *joined++ = 0;
        }
        for (int64_t k = offsets[row]; k < offsets[row + 1]; k++) {
            if (k > offsets[row]) {
                *joined++ = ' ';
            }
            const uint8_t *word = text + starts[ids[k]];
            int32_t length = lengths[ids[k]];
            if (length <= MISWORD_TEXT_PADDING) { /* a copy of a fixed size is faster */
                memcpy(joined, word, MISWORD_TEXT_PADDING);
            } else {
                memcpy(joined, word, (size_t)length);
            }
            joined += length;
        }
    }
}
