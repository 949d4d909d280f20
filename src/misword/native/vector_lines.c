/* Lines of a word and its numbers: word vectors as text.
 *
 * A number is an integer of up to 19 digits times a power of ten. If both are exact as double, one
 * operation gives the correctly rounded double (Clinger 1990). Otherwise the double may be wrong by
 * a few units in its last place. This matters only near the middle between two numbers of type
 * float: a slightly smaller and a slightly larger value then round to different numbers, and the
 * line is left to the caller.
 */

#include "common.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* A function that the compiler must not merge into the loop that seldom calls it: the loop would
 * keep its variables in memory instead of registers. */
#if defined(__GNUC__)
#define SELDOM __attribute__((noinline, cold))
#else
#define SELDOM
#endif

enum {
    FEW_DIGITS = 15,    /* every integer of so many digits is exact as double */
    MOST_DIGITS = 19,   /* every integer of so many digits fits into 64 bits */
    EXACT_POWER = 22,   /* the greatest power of ten that is exact as double */
    MOST_EXPONENT = 57, /* 19 digits times a power beyond this are outside the range of float */
    SHORT_BYTES = 19,   /* bytes that read_short may read */
    BLOCK = 64
};

static const uint64_t EACH_BYTE = 0x0101010101010101u;
static const uint64_t EXACT_WHOLE = (uint64_t)1 << 53;
static const int64_t EXPONENT_LIMIT = 1000000;
/* The greatest relative error of an inexact double, and the normal numbers of type float. */
static const double BELOW = 1.0 - 0x1p-49, ABOVE = 1.0 + 0x1p-49, LEAST = 1.2e-38, MOST = 3.4e38;

static const double POWERS[MOST_EXPONENT + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14,
    1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23, 1e24, 1e25, 1e26, 1e27, 1e28, 1e29,
    1e30, 1e31, 1e32, 1e33, 1e34, 1e35, 1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44,
    1e45, 1e46, 1e47, 1e48, 1e49, 1e50, 1e51, 1e52, 1e53, 1e54, 1e55, 1e56, 1e57,
};
static const uint64_t WHOLE_POWERS[9] = {
    1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000,
};

static inline bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }
static inline bool is_blank(uint8_t byte) { return byte == ' ' || byte == '\t'; }

/* Set `value` to the number that `count` digits write, 1 to 8; return false if a byte is no digit.
 * Eight bytes can be read. */
static inline bool eight_digits(const uint8_t *at, int64_t count, uint64_t *value) {
    uint64_t digits = load_eight(at) ^ (EACH_BYTE * '0'); /* a digit becomes its value, 0 to 9 */
    digits <<= 64 - 8 * count; /* zeros before the digits, so that there are eight */
    if ((digits | (digits + EACH_BYTE * 0x76)) & (EACH_BYTE * 0x80)) {
        return false;
    }
    uint64_t pairs = digits * 10 + (digits >> 8);
    uint64_t first = (pairs & 0x000000FF000000FFu) * (((uint64_t)1000000 << 32) + 100);
    uint64_t second = (pairs >> 16 & 0x000000FF000000FFu) * (((uint64_t)10000 << 32) + 1);
    *value = (first + second) >> 32;
    return true;
}

/* Read a number of one digit, a point and 1 to 14 digits. SHORT_BYTES bytes can be read. Return
 * false if the bytes up to `end` are not of this form. */
static inline bool read_short(const uint8_t *at, const uint8_t *end, float *value) {
    static const double SIGNS[2] = {1.0, -1.0};
    bool negative = *at == '-';
    at += negative;
    int64_t digits = end - at - 2;
    if (digits < 1 || digits >= FEW_DIGITS || !is_digit(at[0]) || at[1] != '.') {
        return false;
    }
    uint64_t whole = (uint64_t)(at[0] - '0'), fraction;
    at += 2;
    if (digits > 8) {
        if (!eight_digits(at, 8, &fraction)) {
            return false;
        }
        whole = whole * WHOLE_POWERS[8] + fraction;
        at += 8;
    }
    if (!eight_digits(at, end - at, &fraction)) {
        return false;
    }
    whole = whole * WHOLE_POWERS[end - at] + fraction;
    *value = (float)(SIGNS[negative] * ((double)whole / POWERS[digits]));
    return true;
}

/* Set `value` to `whole` times ten to the `exponent`; return false if it may be wrong. */
static bool scale(uint64_t whole, int64_t exponent, bool exact, float *value) {
    if (whole == 0) {
        *value = 0;
        return true;
    }
    if (exponent < -MOST_EXPONENT || exponent > MOST_EXPONENT) {
        return false;
    }
    double number = (double)whole;
    number = exponent < 0 ? number / POWERS[-exponent] : number * POWERS[exponent];
    if (exact && whole <= EXACT_WHOLE && exponent >= -EXACT_POWER && exponent <= EXACT_POWER) {
        *value = number <= MOST ? (float)number : 0;
        return number <= MOST;
    }
    if (!(number > LEAST && number < MOST)) {
        return false;
    }
    *value = (float)(number * BELOW);
    return *value == (float)(number * ABOVE);
}

/* Append digits to `whole`, which may overflow; return the address of the first other byte. */
static const uint8_t *read_digits(const uint8_t *at, const uint8_t *end, uint64_t *whole) {
    for (; at < end && is_digit(*at); at++) {
        *whole = *whole * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

/* Set `whole` to the first 19 significant digits among digits and a point; return the exponent of
 * the power of ten that they are multiplied with. */
static int64_t significant_digits(const uint8_t *at, const uint8_t *end, uint64_t *whole) {
    int64_t exponent = 0;
    int digits = 0;
    bool fraction = false;
    *whole = 0;
    for (; at < end; at++) {
        if (*at == '.') {
            fraction = true;
        } else if (digits < MOST_DIGITS) {
            *whole = *whole * 10 + (uint64_t)(*at - '0');
            digits += *whole != 0; /* leading zeros are not significant */
            exponent -= fraction;
        } else {
            exponent += !fraction;
        }
    }
    return exponent;
}

/* Read the exponent after `e` and add it to `exponent`; return its end, NULL if it has no digit. */
static const uint8_t *read_exponent(const uint8_t *at, const uint8_t *end, int64_t *exponent) {
    bool negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) {
        at++;
    }
    const uint8_t *first = at;
    int64_t power = 0;
    for (; at < end && is_digit(*at); at++) {
        power = smaller(power * 10 + (*at - '0'), EXPONENT_LIMIT);
    }
    *exponent += negative ? -power : power;
    return at > first ? at : NULL;
}

/* Read a number of any form from at least one byte. Return the address of its end, or
 * NULL if there is no number or `value` may be wrong. */
SELDOM static const uint8_t *read_number(const uint8_t *at, const uint8_t *end, float *value) {
    bool negative = *at == '-';
    at += negative || *at == '+';
    const uint8_t *first = at;
    uint64_t whole = 0;
    int64_t exponent = 0;
    at = read_digits(at, end, &whole);
    int64_t digits = at - first;
    if (at < end && *at == '.') {
        const uint8_t *fraction = at + 1;
        at = read_digits(fraction, end, &whole);
        exponent = fraction - at;
        digits -= exponent;
    }
    if (!digits) {
        return NULL;
    }
    bool exact = digits <= MOST_DIGITS; /* else `whole` has overflowed */
    if (!exact) {
        exponent = significant_digits(first, at, &whole);
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at = read_exponent(at + 1, end, &exponent);
    }
    if (!at || !scale(whole, exponent, exact, value)) {
        return NULL;
    }
    *value = negative ? -*value : *value;
    return at;
}

#if defined(__SSE2__)

/* Return a number whose bit k is set if byte k of 64 is a space or a tab. */
static uint64_t blanks_of(const uint8_t *at) {
    const __m128i space = _mm_set1_epi8(' '), tab = _mm_set1_epi8('\t');
    uint64_t blanks = 0;
    for (int k = 0; k < BLOCK; k += 16) {
        __m128i bytes = _mm_loadu_si128((const void *)(at + k));
        __m128i equal = _mm_or_si128(_mm_cmpeq_epi8(bytes, space), _mm_cmpeq_epi8(bytes, tab));
        blanks |= (uint64_t)_mm_movemask_epi8(equal) << k;
    }
    return blanks;
}

#else

/* Return a number whose bit k is set if byte k of eight is `byte`. */
static inline uint64_t equal_bytes(uint64_t eight, uint8_t byte) {
    uint64_t other = eight ^ (EACH_BYTE * byte), low = EACH_BYTE * 0x7F;
    uint64_t equal = ~(((other & low) + low) | other | low) >> 7;
    return equal * 0x0102040810204080u >> 56; /* collects the lowest bits of all bytes */
}

static uint64_t blanks_of(const uint8_t *at) {
    uint64_t blanks = 0;
    for (int k = 0; k < BLOCK; k += 8) {
        uint64_t eight = load_eight(at + k);
        blanks |= (equal_bytes(eight, ' ') | equal_bytes(eight, '\t')) << k;
    }
    return blanks;
}

#endif

/* Return a number whose bit k is set if a field ends before byte k from `at`, for 64 bytes: at
 * spaces and tabs before `end`, and at `end`. Bytes from `limit` on are not read. */
static inline uint64_t field_ends(const uint8_t *at, const uint8_t *end, const uint8_t *limit) {
    uint64_t blanks;
    if (limit - at >= BLOCK) {
        blanks = blanks_of(at);
    } else {
        uint8_t copy[BLOCK] = {0};
        memcpy(copy, at, (size_t)(limit - at));
        blanks = blanks_of(copy);
    }
    if (end - at >= BLOCK) {
        return blanks;
    }
    uint64_t last = (uint64_t)1 << (end - at);
    return (blanks & (last - 1)) | last;
}

/* Read the number of the bytes `at` to `end` - 1; return false if they are no number or `value` may
 * be wrong. */
static inline bool read_field(const uint8_t *at, const uint8_t *end, const uint8_t *limit,
                              float *value) {
    return (limit - at >= SHORT_BYTES && read_short(at, end, value)) ||
           read_number(at, end, value) == end;
}

/* Fill a row with the numbers between `at` and `end`; return false if their number is not
 * `dimension` or one of them may be wrong. `limit` is the end of the whole text.
 *
 * The ends of several numbers are found before they are read, so that the processor reads one
 * before it has finished the other. */
static bool read_row(const uint8_t *at, const uint8_t *end, const uint8_t *limit, float *row,
                     int64_t dimension) {
    int64_t count = 0, size = end - at;
    const uint8_t *field = at;
    for (int64_t done = 0; done <= size; done += BLOCK) {
        const uint8_t *block = at + done;
        for (uint64_t ends = field_ends(block, end, limit); ends; ends &= ends - 1) {
            const uint8_t *field_end = block + lowest_bit(ends);
            if (field_end > field) {
                if (count == dimension || !read_field(field, field_end, limit, row + count)) {
                    return false;
                }
                count++;
            }
            field = field_end + 1;
        }
    }
    return count == dimension;
}

int misword_find_newlines(const uint8_t *text, int64_t size, int64_t room, int64_t *places,
                          int64_t *count) {
    const uint8_t *at = text, *limit = text + size;
    int64_t found = 0;
    while (at < limit && (at = memchr(at, '\n', (size_t)(limit - at)))) {
        if (found == room) {
            return MISWORD_FULL;
        }
        places[found++] = at++ - text;
    }
    *count = found;
    return MISWORD_OK;
}

void misword_read_vector_lines(const uint8_t *text, int64_t size, const int64_t *starts,
                               const int64_t *ends, int64_t lo, int64_t hi, int64_t dimension,
                               float *rows, int64_t *word_ends, uint8_t *usual) {
    for (int64_t line = lo; line < hi; line++) {
        const uint8_t *start = text + starts[line], *end = text + ends[line];
        while (end > start && (is_blank(end[-1]) || end[-1] == '\r')) {
            end--;
        }
        const uint8_t *word_end = start;
        while (word_end < end && !is_blank(*word_end)) {
            word_end++;
        }
        word_ends[line] = word_end - text;
        usual[line] = word_end > start &&
                      read_row(word_end, end, text + size, rows + line * dimension, dimension);
    }
}
