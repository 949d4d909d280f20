/* White space and code points in UTF-8 text. Not part of the contract. */

#ifndef MISWORD_TEXT_BYTES_H
#define MISWORD_TEXT_BYTES_H

#include "common.h"

/* Return the number of bytes of the white space (as in Python's str.isspace) at an address, or 0.
 * Up to three bytes are read, but none after a NUL. */
static inline int64_t white_space(const uint8_t *at) {
    uint8_t first = at[0];
    if (first < 0x80) {
        return first == 0x20 || (first >= 0x09 && first <= 0x0D) ||
               (first >= 0x1C && first <= 0x1F);
    }
    if (first == 0xC2) {
        return at[1] == 0x85 || at[1] == 0xA0 ? 2 : 0;
    }
    if (first == 0xE1) {
        return at[1] == 0x9A && at[2] == 0x80 ? 3 : 0;
    }
    if (first == 0xE2) {
        if (at[1] == 0x80) {
            uint8_t last = at[2];
            bool wide =
                (last >= 0x80 && last <= 0x8A) || last == 0xA8 || last == 0xA9 || last == 0xAF;
            return wide ? 3 : 0;
        }
        return at[1] == 0x81 && at[2] == 0x9F ? 3 : 0;
    }
    if (first == 0xE3) {
        return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0;
    }
    return 0;
}

#endif
