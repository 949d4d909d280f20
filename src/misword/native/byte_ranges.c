/* Ranges of bytes, copied one after the other. */

#include "common.h"

void misword_copy_ranges(const uint8_t *pool, const int64_t *starts, const int64_t *lengths,
                         int64_t count, uint8_t *target) {
    for (int64_t i = 0; i < count; i++) {
        memcpy(target, pool + starts[i], (size_t)lengths[i]);
        target += lengths[i];
    }
}
