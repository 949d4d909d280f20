/* Where the alternatives of references begin and end: `{ a / b }`. */

#include "common.h"
#include "text_bytes.h"

/* A brace or a slash that may be a sign of alternatives. A group is a pair of braces and the
 * slashes directly between them. */
typedef struct {
    int64_t position;
    int64_t group;   /* the number of the group's opening brace among the signs of the row */
    int64_t outer;   /* of an opening brace: the group around it, or -1 */
    int64_t slashes; /* of an opening brace: the number of slashes in its group */
} Sign;

/* Return whether a word ends before this address: at white space, a brace or NUL. */
static bool ends_word(const uint8_t *at) {
    return *at == 0 || *at == '{' || *at == '}' || white_space(at) > 0;
}

/* Return whether a slash separates alternatives: it stands alone or beside `@`. `next` is the
 * address after it; `separated` says whether a word has ended before it, or is `@`. */
static bool separates(const uint8_t *next, bool separated) {
    bool before_nothing = *next == '@' && ends_word(next + 1);
    return before_nothing || (separated && ends_word(next));
}

/* Find all braces, and all slashes between braces that stand alone or beside `@`, in one row, which
 * a NUL ends. Returns their number; *unclosed says whether a group with slashes has no end. */
static int64_t find_candidates(const uint8_t *text, int64_t row, Sign *signs, bool *unclosed) {
    int64_t count = 0, group = -1;
    int64_t nothing = -2;  /* the last `@` that begins a word */
    bool separated = true; /* whether a word cannot go on at this byte */
    for (int64_t at = row; text[at]; at++) {
        uint8_t byte = text[at];
        if (byte > '/' && byte < '{') { /* most bytes: letters and digits */
            nothing = byte == '@' && separated ? at : nothing;
            separated = false;
            continue;
        }
        if (byte == '{') {
            signs[count] = (Sign){.position = at, .group = count, .outer = group};
            group = count++;
        } else if (byte == '}' && group >= 0) {
            signs[count++] = (Sign){.position = at, .group = group};
            group = signs[group].outer;
        } else if (byte == '/' && group >= 0 &&
                   separates(text + at + 1, separated || nothing == at - 1)) {
            signs[count++] = (Sign){.position = at, .group = group};
            signs[group].slashes++;
        }
        int64_t space = white_space(text + at);
        separated = space || byte == '{' || byte == '}';
        at += space ? space - 1 : 0;
    }
    *unclosed = false;
    for (; group >= 0; group = signs[group].outer) {
        *unclosed = *unclosed || signs[group].slashes;
    }
    return count;
}

int misword_find_alternatives(const uint8_t *text, int64_t rows, int64_t room, int64_t *positions,
                              int64_t *offsets, int64_t *unclosed_row) {
    Sign *signs = allocate(room, sizeof *signs);
    if (!signs) {
        return MISWORD_NO_MEMORY;
    }
    int64_t count = 0, at = 0;
    *unclosed_row = -1;
    for (int64_t row = 0; row < rows && *unclosed_row < 0; row++) {
        int64_t length = (int64_t)strlen((const char *)text + at);
        if (memchr(text + at, '{', (size_t)length)) {
            bool unclosed;
            int64_t candidates = find_candidates(text, at, signs, &unclosed);
            for (int64_t k = 0; k < candidates; k++) {
                if (signs[signs[k].group].slashes) {
                    positions[count++] = signs[k].position;
                }
            }
            *unclosed_row = unclosed ? row : -1;
        }
        offsets[row + 1] = count;
        at += length + 1;
    }
    free(signs);
    return MISWORD_OK;
}
