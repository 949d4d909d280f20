/* One pass over the products of two vocabularies: the greatest products of each word, and the best
 * candidates for its partner.
 */

#include "products.h"

enum { GROUP = 32 }; /* products of a row that are compared with their thresholds at once */

/* The words of one side of a tile; the arrays are explained in kernels.h. */
typedef struct {
    int64_t first;
    float *lists, *least;
    const float *halves;
    float *bars, *scores;
    int32_t *partners;
} Side;

typedef struct {
    int64_t k, room;
    float margin;
    const uint64_t *dropout;
    Side rows, columns;
} Scan;

/* Return a bit for each of GROUP products of a row that exceeds the lowest of its four
 * thresholds: two for the lists of the greatest products, two for candidates. */
static inline uint32_t exceeding(const float *products, const Scan *x, int64_t row,
                                 int64_t column) {
    const float *halves = x->columns.halves + column, *bars = x->columns.bars + column;
    const float *least = x->columns.least + column;
    float row_least = x->rows.least[row], row_bar = x->rows.bars[row];
    float row_half = x->rows.halves[row];
    uint32_t bits = 0;
    for (int lane = 0; lane < GROUP; lane++) {
        float of_row = row_bar + halves[lane], of_column = bars[lane] + row_half;
        of_row = of_row < row_least ? of_row : row_least;
        of_column = of_column < least[lane] ? of_column : least[lane];
        float lowest = of_row < of_column ? of_row : of_column;
        bits |= products[lane] > lowest ? UINT32_C(1) << lane : 0;
    }
    return bits;
}

/* Add a candidate to a list that is ordered by falling scores, and raise the bar of the word. */
static void add_candidate(const Scan *x, Side *side, int64_t word, float score, int64_t partner) {
    float *scores = side->scores + word * x->room;
    int32_t *partners = side->partners + word * x->room;
    int64_t at = x->room - 1;
    for (; at > 0 && scores[at - 1] < score; at--) {
        scores[at] = scores[at - 1];
        partners[at] = partners[at - 1];
    }
    scores[at] = score;
    partners[at] = (int32_t)partner;
    float bar = scores[0] - x->margin, last = scores[x->room - 1];
    bar = bar > last ? bar : last;
    side->bars[word] = bar > side->bars[word] ? bar : side->bars[word];
}

/* Add a product to the lists of its row and its column. */
static inline void add_product(Scan *x, int64_t row, int64_t column, float product) {
    Side *rows = &x->rows, *columns = &x->columns;
    int64_t source = rows->first + row, target = columns->first + column;
    if (product > rows->least[row]) {
        rows->least[row] = insert_ascending(rows->lists + row * x->k, x->k, product);
    }
    if (product > columns->least[column]) {
        columns->least[column] = insert_ascending(columns->lists + column * x->k, x->k, product);
    }
    if (product > rows->bars[row] + columns->halves[column] &&
        kept_pair(x->dropout[0], source, target, x->dropout[2])) {
        add_candidate(x, rows, row, product - columns->halves[column], target);
    }
    if (product > columns->bars[column] + rows->halves[row] &&
        kept_pair(x->dropout[1], target, source, x->dropout[2])) {
        add_candidate(x, columns, column, product - rows->halves[row], source);
    }
}

void misword_scan_products(const float *products, int64_t rows, int64_t columns, int64_t k,
                           int64_t room, float margin, const uint64_t *dropout, int64_t first_row,
                           float *row_lists, float *row_least, const float *row_halves,
                           float *row_bars, float *row_scores, int32_t *row_partners,
                           int64_t first_column, float *column_lists, float *column_least,
                           const float *column_halves, float *column_bars, float *column_scores,
                           int32_t *column_partners) {
    Scan x = {k,
              room,
              margin,
              dropout,
              {first_row, row_lists, row_least, row_halves, row_bars, row_scores, row_partners},
              {first_column, column_lists, column_least, column_halves, column_bars, column_scores,
               column_partners}};
    int64_t whole = columns - columns % GROUP;
    for (int64_t row = 0; row < rows; row++) {
        const float *values = products + row * columns;
        for (int64_t lo = 0; lo < whole; lo += GROUP) {
            uint32_t bits = exceeding(values + lo, &x, row, lo);
            for (; bits; bits &= bits - 1) {
                int64_t column = lo + lowest_bit(bits);
                add_product(&x, row, column, values[column]);
            }
        }
        for (int64_t column = whole; column < columns; column++) {
            add_product(&x, row, column, values[column]);
        }
    }
}
