/* The edit matrix of one pair, with any costs.
 *
 * Cells from which the end cannot be reached within the limit of the pair, which are most, are not
 * computed (Ukkonen 1985). A pair whose matrix is larger than the budget is divided into segments
 * of rows. The first pass keeps the costs at the start of each segment; the way back computes one
 * segment at a time again.
 */

#include "weighted_alignment.h"

enum { FIRST = 16 }; /* components that are compared first: a line of the cache */

/* Rounding of the vectors changes half the square of a distance by less than this. */
static const double ROUNDING = 1e-5;
/* Prices of other tokens are often above this, and 16 components are enough to find out. */
static const double NEAR = 0.1;
/* Columns of a row of the edit matrix that are computed. */
typedef struct {
    int64_t first, last;
} Window;

/* Whether the price of two tokens with vectors is certainly above `room`, found from their first
 * components.
 *
 * One minus the cosine of two unit vectors is half the square of their distance, to which every
 * component adds. */
static inline bool certainly_above(const misword_costs *costs, int64_t left, int64_t right,
                                   double room) {
    if (room > NEAR || costs->dimension < FIRST || !have_vectors(costs, left, right)) {
        return false;
    }
    const float *a = vector_of(costs, left), *b = vector_of(costs, right);
    float squares[FIRST];
    for (int k = 0; k < FIRST; k++) {
        squares[k] = (a[k] - b[k]) * (a[k] - b[k]);
    }
    for (int k = 0; k < FIRST / 2; k++) {
        squares[k] += squares[k + FIRST / 2];
    }
    float sum = (squares[0] + squares[1]) + (squares[2] + squares[3]);
    sum += (squares[4] + squares[5]) + (squares[6] + squares[7]);
    return (double)sum > 2 * (room + ROUNDING);
}

/* Return a lower bound of the cost of aligning `m` reference with `n` hypothesis tokens. */
static inline double ahead(const misword_costs *costs, int64_t m, int64_t n) {
    return m > n ? (double)(m - n) * costs->cheapest_deletion
                 : (double)(n - m) * costs->cheapest_insertion;
}

/* Compute rows lo to hi - 1 of the edit matrix: matrix->line is row lo before and row hi after.
 *
 * Only the columns of the window are computed; it becomes that of the last row. Ties go to the
 * diagonal, then to insertions. Substitutions are priced only where that can change the result. */
static inline void descend(Matrix *matrix, const Middle *x, int32_t form, int64_t lo, int64_t hi,
                           Window *window) {
    const misword_costs *costs = matrix->costs;
    const double *added = matrix->added;
    double *line = matrix->line;
    uint8_t *directions = matrix->directions;
    int64_t n = x->n, first = window->first, last = window->last;
    for (int64_t i = lo; i < hi; i++) {
        int32_t token_here = x->reference[i];
        int64_t rest = x->m - i - 1, top = smaller(last + 1, n);
        if (last < n) {
            line[last + 1] = INFINITY;
        }
        double drop = costs->deletion[token_here], diagonal = line[first], left = diagonal + drop;
        line[first] = left;
        if (first) {
            directions[first - 1] = DELETION;
        }
        for (int64_t j = first; j < top; j++) {
            double above = line[j + 1], inserted = left + added[j], deleted = above + drop;
            left = deleted < inserted ? deleted : inserted;
            uint8_t way = deleted < inserted ? DELETION : INSERTION;
            double most = x->limit - ahead(costs, rest, n - j - 1);
            double room = (left < most ? left : most) - diagonal;
            if (room >= 0) {
                int32_t other = x->hypothesis[j];
                double swapped = diagonal;
                if (token_here != other) {
                    bool costly = form == MISWORD_COSTS_VECTORS &&
                                  certainly_above(costs, token_here, other, room);
                    swapped += costly ? INFINITY : price_once(matrix, form, token_here, other);
                }
                if (swapped <= left) {
                    left = swapped;
                    way = SUBSTITUTION;
                }
            }
            directions[j] = way;
            diagonal = above;
            line[j + 1] = left;
        }
        for (last = top; last < n; last++) {
            double next = left + added[last];
            if (next + ahead(costs, rest, n - last - 1) > x->limit) {
                break;
            }
            left = next;
            directions[last] = INSERTION;
            line[last + 1] = left;
        }
        while (first < last && line[first] + ahead(costs, rest, n - first) > x->limit) {
            first++;
        }
        while (first < last && line[last] + ahead(costs, rest, n - last) > x->limit) {
            last--;
        }
        directions += n;
    }
    window->first = first;
    window->last = last;
}

/* Select code that the compiler has specialised for the form of the costs. */
static void descend_form(Matrix *matrix, const Middle *x, int64_t lo, int64_t hi, Window *window) {
    switch (matrix->costs->form) {
    case MISWORD_COSTS_TABLE: descend(matrix, x, MISWORD_COSTS_TABLE, lo, hi, window); break;
    case MISWORD_COSTS_PAIRS: descend(matrix, x, MISWORD_COSTS_PAIRS, lo, hi, window); break;
    default: descend(matrix, x, MISWORD_COSTS_VECTORS, lo, hi, window); break;
    }
}

/* Compute the first row of the edit matrix and the costs of insertions; return its window. */
static Window first_row(Matrix *matrix, const Middle *x) {
    Window window = {0, 0};
    matrix->line[0] = 0;
    for (int64_t j = 0; j < x->n; j++) {
        matrix->added[j] = matrix->costs->insertion[x->hypothesis[j]];
        matrix->line[j + 1] = matrix->line[j] + matrix->added[j];
        if (matrix->line[j + 1] + ahead(matrix->costs, x->m, x->n - j - 1) <= x->limit) {
            window.last = j + 1;
        }
    }
    return window;
}

/* Follow the directions of the segment that begins at row `low` back, as long as both texts have
 * tokens; `left` has the numbers of tokens before the place on the path. */
static void go_back(const Matrix *matrix, const Middle *x, int64_t low, Path *path,
                    int64_t left[2]) {
    int64_t i = left[0], j = left[1];
    while (i > low && j) {
        uint8_t operation = matrix->directions[(i - 1 - low) * x->n + j - 1];
        if (operation == SUBSTITUTION && x->reference[i - 1] == x->hypothesis[j - 1]) {
            operation = HIT;
        }
        i -= operation != INSERTION;
        j -= operation != DELETION;
        add_operations(path, operation, 1);
    }
    left[0] = i;
    left[1] = j;
}

/* Align the middle part of a pair from its end back to the beginning of either text. Sets `left` to
 * the numbers of tokens that remain in each. */
int align_middle(Matrix *matrix, const Middle *x, double *total, Path *path, int64_t left[2]) {
    int64_t m = x->m, n = x->n, fits = n ? matrix->budget / n : m;
    int64_t step = m <= fits ? m : smaller(m, greater((int64_t)sqrt((double)m), fits));
    int64_t segments = m ? (m + step - 1) / step : 0;
    matrix->line = enlarge(matrix->line, &matrix->line_room, n + 1, 2, sizeof *matrix->line);
    matrix->directions = enlarge(matrix->directions, &matrix->direction_room, step, n, 1);
    double *states = segments > 1 ? allocate_table(segments, n + 1, sizeof *states) : NULL;
    Window *windows = segments > 1 ? allocate(segments, sizeof *windows) : NULL;
    int status = MISWORD_NO_MEMORY;
    if (matrix->line && matrix->directions && (segments <= 1 || (states && windows))) {
        matrix->added = matrix->line + n + 1;
        size_t bytes = (size_t)(n + 1) * sizeof *states;
        Window window = first_row(matrix, x);
        for (int64_t s = 0; s < segments; s++) {
            if (states) {
                memcpy(states + s * (n + 1), matrix->line, bytes);
                windows[s] = window;
            }
            descend_form(matrix, x, s * step, smaller(m, (s + 1) * step), &window);
        }
        *total = matrix->line[n];
        left[0] = m;
        left[1] = n;
        for (int64_t s = segments - 1; s >= 0 && left[1]; s--) {
            if (s < segments - 1) {
                memcpy(matrix->line, states + s * (n + 1), bytes);
                descend_form(matrix, x, s * step, (s + 1) * step, &windows[s]);
            }
            go_back(matrix, x, s * step, path, left);
        }
        status = MISWORD_OK;
    }
    free(states);
    free(windows);
    return status;
}
