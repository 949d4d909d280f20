/* Upper envelopes of lines: which hypothesis of each list has the highest score along a line in the
 * space of weights.
 *
 * The score of hypothesis i is intercept[i] + t * slope[i]. As t grows from minus to plus infinity,
 * the hypothesis with the highest score changes at a few values of t. The lines that are highest
 * somewhere are the corners of the upper convex hull of the points (slope, intercept), in ascending
 * order of their slopes.
 */

#include <math.h>

#include "common.h"

typedef struct {
    double slope, intercept;
    int64_t row;
} Line;

/* Lines in ascending order of slopes; of parallel lines the highest comes first, and of equal lines
 * the one with the lowest row number. */
static int compare_lines(const void *left, const void *right) {
    const Line *a = left, *b = right;
    if (a->slope != b->slope) {
        return a->slope < b->slope ? -1 : 1;
    }
    if (a->intercept != b->intercept) {
        return a->intercept > b->intercept ? -1 : 1;
    }
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Return whether a line is above the chord between two others as a point (slope, intercept). */
static inline bool is_above(Line line, Line left, Line right) {
    return (line.intercept - left.intercept) * (right.slope - left.slope) >
           (right.intercept - left.intercept) * (line.slope - left.slope);
}

/* Copy the lines that can be on the envelope; return their number. These are the least slope, the
 * highest intercept, the greatest slope, and what is above the chords between these three. Most
 * lines of a long list are below, and need not be sorted. */
static int64_t select_lines(const double *intercepts, const double *slopes, int64_t lo, int64_t hi,
                            Line *lines) {
    Line left = {slopes[lo], intercepts[lo], lo}, top = left, right = left;
    for (int64_t i = lo + 1; i < hi; i++) {
        Line line = {slopes[i], intercepts[i], i};
        if (line.slope < left.slope ||
            (line.slope == left.slope && line.intercept > left.intercept)) {
            left = line;
        }
        if (line.slope > right.slope ||
            (line.slope == right.slope && line.intercept > right.intercept)) {
            right = line;
        }
        if (line.intercept > top.intercept) {
            top = line;
        }
    }
    int64_t count = 0;
    lines[count++] = left;
    if (top.row != left.row) {
        lines[count++] = top;
    }
    if (right.row != left.row && right.row != top.row) {
        lines[count++] = right;
    }
    for (int64_t i = lo; i < hi; i++) {
        Line line = {slopes[i], intercepts[i], i};
        if (line.slope < top.slope ? is_above(line, left, top) : is_above(line, top, right)) {
            lines[count++] = line;
        }
    }
    return count;
}

/* Write the envelope of sorted lines; return the number of its lines. `starts` has the value of t
 * from which a line is the highest. */
static int64_t chain(const Line *lines, int64_t count, int64_t *rows, double *starts, Line *kept) {
    int64_t size = 0;
    for (int64_t i = 0; i < count; i++) {
        if (size && lines[i].slope == kept[size - 1].slope) {
            continue; /* the highest of parallel lines came first */
        }
        double start = -INFINITY;
        while (size) {
            Line before = kept[size - 1];
            start = (before.intercept - lines[i].intercept) / (lines[i].slope - before.slope);
            if (start > starts[size - 1]) {
                break;
            }
            size--; /* `before` is nowhere the only highest line */
            start = -INFINITY;
        }
        if (start == INFINITY) {
            continue; /* too steep a quotient: the line is never reached */
        }
        kept[size] = lines[i];
        rows[size] = lines[i].row;
        starts[size++] = start;
    }
    return size;
}

int misword_upper_envelopes(const double *intercepts, const double *slopes, const int64_t *at,
                            int64_t lists, int64_t *rows, double *starts, int64_t *envelope_at) {
    int64_t longest = 0;
    for (int64_t k = 0; k < lists; k++) {
        longest = greater(longest, at[k + 1] - at[k]);
    }
    Line *lines = allocate(longest, sizeof *lines), *kept = allocate(longest, sizeof *kept);
    int status = lines && kept ? MISWORD_OK : MISWORD_NO_MEMORY;
    envelope_at[0] = 0;
    for (int64_t k = 0; k < lists && status == MISWORD_OK; k++) {
        int64_t count = select_lines(intercepts, slopes, at[k], at[k + 1], lines);
        qsort(lines, (size_t)count, sizeof *lines, compare_lines);
        int64_t begin = envelope_at[k];
        envelope_at[k + 1] = begin + chain(lines, count, rows + begin, starts + begin, kept);
    }
    free(lines);
    free(kept);
    return status;
}
