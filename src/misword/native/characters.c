/* Code points of a text as ids of a vocabulary. */

#include "common.h"
#include "text_bytes.h"

static const uint64_t HIGH_BITS = 0x8080808080808080u, SPACES = 0x2020202020202020u;

enum { FIRST_ID = 0x80, LAST_POINT = 0x10FFFF, REPLACEMENT = 0xFFFD };

typedef struct {
    int64_t count, row, known;
    bool blank; /* whether the row begins here or the character before is a space */
} Position;

/* Return the code point at an address, of which `left` bytes can be read; sets its length. */
static int32_t code_point(const uint8_t *at, int64_t left, int64_t *length) {
    uint8_t first = at[0];
    int64_t bytes = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    *length = smaller(bytes, left);
    if (bytes == 1 || bytes > left) {
        return bytes == 1 ? first : REPLACEMENT;
    }
    int32_t point = first & (0x7F >> bytes);
    for (int64_t k = 1; k < bytes; k++) {
        point = point << 6 | (at[k] & 0x3F);
    }
    return point > LAST_POINT ? REPLACEMENT : point;
}

/* Write an id; ids have `width` bytes, 1 or 4. */
static inline void put(void *ids, int64_t at, int32_t id, int32_t width) {
    if (width == 1) {
        ((uint8_t *)ids)[at] = (uint8_t)id;
    } else {
        ((int32_t *)ids)[at] = id;
    }
}

/* Return an id; ids have `width` bytes, 1 or 4. */
static inline int32_t get(const void *ids, int64_t at, int32_t width) {
    return width == 1 ? ((const uint8_t *)ids)[at] : ((const int32_t *)ids)[at];
}

/* Copy eight ASCII characters at once, if they are eight ids: no control character and no two
 * adjacent spaces among them. */
static inline bool copy_eight(const uint8_t *text, int32_t spaces, uint8_t *ids, Position *at) {
    uint64_t eight = load_eight(text);
    uint64_t control = ((eight - SPACES) & ~eight) | eight;
    uint64_t other = eight ^ SPACES;
    uint64_t gaps = ~(((other & ~HIGH_BITS) + ~HIGH_BITS) | other | ~HIGH_BITS);
    uint64_t doubled = gaps & (gaps << 8 | (at->blank ? 0x80u : 0));
    if ((control & HIGH_BITS) || doubled || (!spaces && gaps)) {
        return false;
    }
    memcpy(ids + at->count, text, 8);
    at->count += 8;
    at->blank = gaps >> 63;
    return true;
}

/* End a row: a space before its end is not part of it. */
static inline void end_row(const void *ids, int32_t width, int64_t *offsets, Position *at) {
    if (at->blank && at->count > offsets[at->row] && get(ids, at->count - 1, width) == ' ') {
        at->count--;
    }
    offsets[++at->row] = at->count;
    at->blank = true;
}

/* Split a text as kernels.h describes; the compiler makes a version for each width. */
static inline int split(const uint8_t *text, int64_t size, int64_t rows, int32_t spaces,
                        int32_t width, Position *at, void *ids, int64_t *offsets, int32_t *id_of,
                        int32_t *points, int64_t room) {
    for (int64_t i = 0; i < size;) {
        if (width == 1 && i + 8 <= size && copy_eight(text + i, spaces, ids, at)) {
            i += 8;
            continue;
        }
        uint8_t byte = text[i];
        if (byte >= 0x20 && byte < 0x80) {
            bool space = byte == ' ';
            put(ids, at->count, byte, width);
            at->count += !space || (spaces && !at->blank);
            at->blank = space;
            i++;
            continue;
        }
        if (!byte) {
            if (at->row + 1 >= rows) {
                return MISWORD_TOO_LARGE;
            }
            end_row(ids, width, offsets, at);
            i++;
            continue;
        }
        int64_t step = white_space(text + i);
        if (step) {
            if (!at->blank) {
                put(ids, at->count, ' ', width);
                at->count += spaces != 0;
                at->blank = true;
            }
            i += step;
            continue;
        }
        int32_t point = code_point(text + i, size - i, &step);
        i += step;
        at->blank = false;
        if (point >= FIRST_ID && id_of[point] < 0) {
            if (at->known == room) {
                return MISWORD_FULL;
            }
            points[at->known] = point;
            id_of[point] = (int32_t)at->known++;
        }
        put(ids, at->count++, point >= FIRST_ID ? id_of[point] : point, width);
    }
    if (rows) {
        end_row(ids, width, offsets, at);
        for (int64_t row = at->row; row < rows; row++) {
            offsets[row + 1] = at->count;
        }
    }
    return MISWORD_OK;
}

int misword_split_characters(const uint8_t *text, int64_t size, int64_t rows, int32_t spaces,
                             int32_t width, int64_t *state, void *ids, int64_t *offsets,
                             int32_t *id_of, int32_t *points, int64_t room) {
    Position at = {.known = state[0], .blank = true};
    int status;
    if (width == 1) {
        status = split(text, size, rows, spaces, 1, &at, ids, offsets, id_of, points, room);
    } else {
        status = split(text, size, rows, spaces, 4, &at, ids, offsets, id_of, points, room);
    }
    state[0] = at.known;
    state[1] = at.count;
    return status;
}
