/* Vectors of length one. */

#include <math.h>

#include "common.h"

enum { ROWS = 8 }; /* rows whose squares are added at the same time */

/* Write the squares of the lengths of rows. A sum has to be made from left to right; sums of
 * several rows do not wait for each other. */
static void add_squares(const float *const vectors[ROWS], int64_t dimension, double totals[ROWS]) {
    double sums[ROWS] = {0};
    for (int64_t k = 0; k < dimension; k++) {
        for (int row = 0; row < ROWS; row++) {
            double component = (double)vectors[row][k];
            sums[row] += component * component;
        }
    }
    memcpy(totals, sums, sizeof sums);
}

/* Write a vector divided by its length; return whether that is a unit vector. */
static bool scale(const float *vector, int64_t dimension, double length, float *unit) {
    if (!(length > 0 && length < INFINITY)) {
        return false;
    }
    for (int64_t k = 0; k < dimension; k++) {
        unit[k] = (float)((double)vector[k] / length);
    }
    return true;
}

void misword_unit_rows(const float *matrix, int64_t dimension, const int64_t *rows, int64_t count,
                       float *units, uint8_t *known) {
    const float *vectors[ROWS];
    int64_t places[ROWS], waiting = 0;
    memset(units, 0, (size_t)(count * dimension) * sizeof *units);
    memset(known, 0, (size_t)count);
    for (int64_t k = 0; k < count; k++) {
        if (rows[k] >= 0) {
            vectors[waiting] = matrix + rows[k] * dimension;
            places[waiting++] = k;
        }
        if (waiting == ROWS || (waiting && k == count - 1)) {
            double totals[ROWS];
            for (int64_t row = waiting; row < ROWS; row++) {
                vectors[row] = vectors[0];
            }
            add_squares(vectors, dimension, totals);
            for (int64_t row = 0; row < waiting; row++) {
                float *unit = units + places[row] * dimension;
                known[places[row]] = scale(vectors[row], dimension, sqrt(totals[row]), unit);
            }
            waiting = 0;
        }
    }
}
