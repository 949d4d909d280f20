/* Unit-cost alignment of one long pair.
 *
 * Only a band of the edit matrix is computed (unit_band.c). Its width is doubled until it has the
 * alignment, so that texts with few errors take little time. The forward pass keeps only the state
 * at some hypothesis tokens, the checkpoints; the way back computes what is between two checkpoints
 * again, with checkpoints of its own if that is long. Unlike divide and conquer (Hirschberg 1975),
 * this keeps the tie rule.
 */

#include <math.h>

#include "unit_band.h"

enum {
    FIRST_LIMIT = 64,     /* errors of the first band, beside those that are certain */
    CHECKED = 256,        /* hypothesis tokens after which a band that is too narrow is left */
    CHECKPOINT_ROOM = 16, /* memory of checkpoints, in multiples of that of kept vectors */
    FEWEST = 4            /* checkpoints of a part */
};

/* How many times as many errors as are likely a band has. */
static const double WIDER = 1.2;

/* States after every `step` hypothesis tokens from token `lo` on. */
typedef struct {
    int64_t lo, hi, step, count, stride;
    Range *ranges;
    uint64_t *states; /* vp and vn of each, `stride` words each */
} Checkpoints;

/* Return checkpoints for hypothesis tokens `lo` to `hi` - 1, as many as the way back needs or the
 * memory allows; `states` is NULL if there is no memory. */
static Checkpoints new_checkpoints(const Band *x, int64_t lo, int64_t hi, const Kept *kept,
                                   int64_t budget) {
    int64_t stride = band_words(x), columns = hi - lo;
    int64_t most = greater(FEWEST, CHECKPOINT_ROOM * budget / stride);
    int64_t parts = smaller(most, (columns + kept->room - 1) / kept->room);
    int64_t step = (columns + parts - 1) / parts;
    step += (TOGETHER - step % TOGETHER) % TOGETHER;
    Checkpoints c = {.lo = lo, .hi = hi, .step = step, .stride = stride};
    c.count = (columns + step - 1) / step;
    c.ranges = allocate(c.count, sizeof *c.ranges);
    c.states = allocate_table(c.count, 2 * stride, sizeof *c.states);
    if (!c.ranges || !c.states) {
        free(c.ranges);
        free(c.states);
        c.ranges = NULL;
        c.states = NULL;
    }
    return c;
}

static void free_checkpoints(Checkpoints *c) {
    free(c->ranges);
    free(c->states);
}

/* Store the state of checkpoint k, for the words that the band has after it. */
static void save(const Checkpoints *c, int64_t k, const Band *x, int64_t rows) {
    int64_t j = c->lo + k * c->step;
    Range range = band_range(x, j, j + 1, rows);
    uint64_t *state = c->states + 2 * k * c->stride;
    size_t bytes = (size_t)(range.to - range.from) * sizeof *state;
    c->ranges[k] = range;
    memcpy(state, x->vp + range.from, bytes);
    memcpy(state + c->stride, x->vn + range.from, bytes);
}

/* Set the state to that of checkpoint k. The words below it begin as in the first column. */
static void restore(const Checkpoints *c, int64_t k, Band *x) {
    Range range = c->ranges[k];
    const uint64_t *state = c->states + 2 * k * c->stride;
    size_t bytes = (size_t)(range.to - range.from) * sizeof *state;
    memcpy(x->vp + range.from, state, bytes);
    memcpy(x->vn + range.from, state + c->stride, bytes);
    int64_t hi = smaller(c->hi, c->lo + (k + 1) * c->step);
    int64_t end = band_range(x, hi - 1, hi, x->m).to;
    if (end > range.to) {
        memset(x->vp + range.to, 0xFF, (size_t)(end - range.to) * sizeof *state);
        memset(x->vn + range.to, 0, (size_t)(end - range.to) * sizeof *state);
    }
    x->from = range.from;
}

/* Advance the state over the tokens of checkpoints and store it at each; if `whole`, also over
 * those after the last checkpoint. Returns the number of hypothesis tokens after which it is known
 * that the band has no alignment, or `c->hi`. */
static int64_t forward(Band *x, const Checkpoints *c, int64_t rows, bool whole) {
    for (int64_t k = 0; k < c->count; k++) {
        int64_t lo = c->lo + k * c->step, hi = smaller(c->hi, lo + c->step);
        save(c, k, x, rows);
        if (!whole) {
            if (k + 1 < c->count) {
                advance(x, lo, hi, rows, NULL);
            }
            continue;
        }
        for (int64_t j = lo; j < hi; j += CHECKED) {
            int64_t end = smaller(hi, j + CHECKED);
            advance(x, j, end, rows, NULL);
            if (least_total(x, end) > x->limit) {
                return end;
            }
        }
    }
    return c->hi;
}

/* Return a bit of the second vectors: that of token i (from 1) after `at` of the kept tokens. A
 * word that the band did not have there has no bit. */
static inline bool second_bit(const Kept *kept, int64_t at, int64_t i) {
    Range range = kept->ranges[at ? at - 1 : 0];
    int64_t w = (i - 1) >> 6;
    return w < range.to && (kept->second[at * kept->stride + w - range.from] >> ((i - 1) & 63) & 1);
}

/* Follow the alignment back over the kept tokens, of which the first is hypothesis token `lo`. */
static void go_back(const Band *x, const Kept *kept, int64_t lo, Path *path, int64_t left[2]) {
    int64_t i = left[0], j = left[1];
    while (i > 0 && j > lo) {
        int64_t at = j - 1 - lo, w = (i - 1) >> 6;
        bool hit = x->reference[i - 1] == x->hypothesis[j - 1];
        uint64_t first = kept->first[at * kept->stride + w - kept->ranges[at].from];
        uint8_t operation = tie_operation(x->ties, hit, first >> ((i - 1) & 63) & 1,
                                          second_bit(kept, at, i), second_bit(kept, at + 1, i));
        i -= operation != INSERTION;
        j -= operation != DELETION;
        add_operations(path, operation, 1);
    }
    left[0] = i;
    left[1] = j;
}

/* Keep the vectors of hypothesis tokens `lo` to `hi` - 1 and follow the alignment back. */
static void align_kept(Band *x, const Kept *kept, int64_t lo, int64_t hi, Path *path,
                       int64_t left[2]) {
    int64_t rows = left[0];
    Range range = band_range(x, lo, smaller(lo + TOGETHER, hi), rows);
    memcpy(kept->second, x->vn + range.from, (size_t)(range.to - range.from) * sizeof *x->vn);
    advance(x, lo, hi, rows, kept);
    go_back(x, kept, lo, path, left);
}

/* Follow the alignment back from the last token of checkpoints to the first. */
static int align_back(Band *x, const Checkpoints *c, const Kept *kept, int64_t budget, Path *path,
                      int64_t left[2]) {
    int status = MISWORD_OK;
    for (int64_t k = c->count - 1; k >= 0 && left[0] && status == MISWORD_OK; k--) {
        int64_t lo = c->lo + k * c->step, hi = smaller(c->hi, lo + c->step);
        restore(c, k, x);
        if (hi - lo <= kept->room) {
            align_kept(x, kept, lo, hi, path, left);
            continue;
        }
        Checkpoints inner = new_checkpoints(x, lo, hi, kept, budget);
        status = MISWORD_NO_MEMORY;
        if (inner.states) {
            forward(x, &inner, left[0], false);
            status = align_back(x, &inner, kept, budget, path, left);
        }
        free_checkpoints(&inner);
    }
    return status;
}

/* Allocate the kept vectors of a band; false if there is no memory. */
static bool begin_kept(Kept *kept, const Band *x, int64_t budget) {
    kept->stride = band_words(x);
    int64_t room = greater(TOGETHER, budget / kept->stride / TOGETHER * TOGETHER);
    kept->room = smaller(x->n, room);
    kept->ranges = allocate(kept->room, sizeof *kept->ranges);
    kept->first = allocate_table(kept->room, kept->stride, sizeof *kept->first);
    kept->second = allocate_table(kept->room + 1, kept->stride, sizeof *kept->second);
    return kept->ranges && kept->first && kept->second;
}

static void free_kept(Kept *kept) {
    free(kept->ranges);
    free(kept->first);
    free(kept->second);
}

/* Return the limit of the next band, after one that had no alignment of the first `passed`
 * hypothesis tokens. If it had one of all of them, its errors are enough; otherwise the limit is
 * that of a text with as many errors everywhere, but at least twice the last one. */
static int64_t wider_limit(const Band *x, int64_t passed) {
    if (passed == x->n) {
        return total_errors(x);
    }
    double likely = WIDER * (double)x->limit * (double)x->n / (double)passed;
    double most = (double)greater(x->m, x->n);
    return greater(2 * x->limit, (int64_t)(likely < most ? likely : most));
}

/* Align within the band of `x->limit` errors. Sets *found to whether the band has the alignment; if
 * not, sets the limit for a wider band. */
static int align_in_band(Band *x, int64_t budget, Path *path, int64_t left[2], bool *found) {
    Kept kept = {0};
    Checkpoints c = {0};
    int status = MISWORD_NO_MEMORY;
    if (begin_kept(&kept, x, budget)) {
        c = new_checkpoints(x, 0, x->n, &kept, budget);
    }
    if (c.states) {
        begin_state(x);
        int64_t passed = forward(x, &c, x->m, true);
        *found = passed == x->n && total_errors(x) <= x->limit;
        status = MISWORD_OK;
        if (!*found) {
            x->limit = wider_limit(x, passed);
        } else {
            x->limit = total_errors(x);
            left[0] = x->m;
            left[1] = x->n;
            status = align_back(x, &c, &kept, budget, path, left);
        }
    }
    free_checkpoints(&c);
    free_kept(&kept);
    return status;
}

int align_long_pair(const int32_t *reference, int64_t m, const int32_t *hypothesis, int64_t n,
                    int64_t rows, int32_t ties, int64_t budget, double most_cells, Path *path,
                    int64_t left[2]) {
    Band x = {.reference = reference,
              .hypothesis = hypothesis,
              .m = m,
              .n = n,
              .rows = rows,
              .ties = ties};
    int status = begin_band(&x) ? MISWORD_OK : MISWORD_NO_MEMORY;
    if (status == MISWORD_OK) {
        int64_t least = least_errors(&x);
        x.limit = least + least / 2 + FIRST_LIMIT + (int64_t)sqrt((double)n) / 2;
    }
    bool found = false;
    while (!found && status == MISWORD_OK) {
        x.limit = smaller(x.limit, greater(m, n));
        if (64.0 * (double)band_words(&x) * (double)n > most_cells) {
            status = MISWORD_TOO_LARGE;
        } else {
            status = align_in_band(&x, budget, path, left, &found);
        }
    }
    free_band(&x);
    return status;
}
