/* Concordant and discordant pairs of rows, for Kendall's tau, in many resamples of two columns.
 *
 * As in Knight's algorithm (1966), the rows are sorted by the first column and then sorted again by
 * the second, and the pairs that change places are counted: these are the discordant pairs. The
 * second sort is a radix sort that begins with the highest bit of the ranks. All resamples have the
 * same columns, so the first sort is done once.
 */

#include "common.h"

enum { FEW = 16 }; /* rows of which all pairs are compared instead of sorting them */

/* A row of the table, which is sorted. */
typedef struct {
    int64_t row;
    uint32_t rank;                 /* of the second column */
    uint32_t same_left, same_both; /* all bits set if the row before has equal values, else 0 */
} Place;

/* A row of a resample: its rank in the second column, and how often it is drawn. */
typedef struct {
    uint32_t rank, weight;
} Row;

typedef struct {
    int64_t rows;
    int highest_bit; /* of all ranks of the second column */
    Place *places;
    Row *drawn, *moved;
    int64_t *counts; /* of each rank */
} Job;

/* Sort row numbers by a column of ranks below `rows`; equal ranks keep their order in `from`, or
 * their natural order if that is NULL. */
static void sort_by(const int64_t *ranks, int64_t rows, const int64_t *from, int64_t *to,
                    int64_t *counts) {
    memset(counts, 0, (size_t)rows * sizeof *counts);
    for (int64_t i = 0; i < rows; i++) {
        counts[ranks[i]]++;
    }
    for (int64_t rank = 0, before = 0; rank < rows; rank++) {
        int64_t here = counts[rank];
        counts[rank] = before;
        before += here;
    }
    for (int64_t i = 0; i < rows; i++) {
        int64_t row = from ? from[i] : i;
        to[counts[ranks[row]]++] = row;
    }
}

/* Fill the places: rows in ascending order of `left`, and of `right` where `left` is equal. */
static int sort_places(Job *job, const int64_t *left, const int64_t *right) {
    int64_t *by_right = allocate(job->rows, sizeof *by_right);
    int64_t *order = allocate(job->rows, sizeof *order);
    if (by_right && order) {
        sort_by(right, job->rows, NULL, by_right, job->counts);
        sort_by(left, job->rows, by_right, order, job->counts);
        uint32_t ranks = 0;
        for (int64_t i = 0; i < job->rows; i++) {
            int64_t row = order[i], before = order[i ? i - 1 : 0];
            bool same_left = i && left[row] == left[before];
            bool same_both = same_left && right[row] == right[before];
            job->places[i] = (Place){row, (uint32_t)right[row], same_left ? UINT32_MAX : 0,
                                     same_both ? UINT32_MAX : 0};
            ranks |= (uint32_t)right[row];
        }
        job->highest_bit = ranks ? 63 - leading_zeros(ranks) : -1;
    }
    int status = by_right && order ? MISWORD_OK : MISWORD_NO_MEMORY;
    free(by_right);
    free(order);
    return status;
}

/* Count the discordant pairs among a few rows. */
static inline int64_t compare_all(const Row *rows, int64_t count) {
    int64_t discordant = 0;
    for (int64_t i = 1; i < count; i++) {
        uint32_t before = 0;
        for (int64_t k = 0; k < i; k++) {
            before += rows[k].rank > rows[i].rank ? rows[k].weight : 0;
        }
        discordant += (int64_t)before * rows[i].weight;
    }
    return discordant;
}

/* Count the discordant pairs among rows whose ranks differ in bit `bit` and lower bits only. The
 * rows are sorted by these bits, or not at all if they are few. */
static int64_t count_discordant(Row *rows, int64_t count, Row *moved, int bit) {
    if (count <= FEW || bit < 0) {
        return bit < 0 ? 0 : compare_all(rows, count);
    }
    int64_t discordant = 0, kept = 0, set_count = 0;
    uint32_t before = 0; /* rows so far that have the bit set */
    for (int64_t i = 0; i < count; i++) {
        Row row = rows[i];
        uint32_t set = row.rank >> bit & 1, mask = 0 - set;
        discordant += (int64_t)before * (row.weight & ~mask);
        before += row.weight & mask;
        rows[kept] = row;
        moved[set_count] = row;
        set_count += set;
        kept += 1 - set;
    }
    memcpy(rows + kept, moved, (size_t)set_count * sizeof *rows);
    return discordant + count_discordant(rows, kept, moved, bit - 1) +
           count_discordant(rows + kept, set_count, moved, bit - 1);
}

/* Set `score` for one resample; return false if a weight is negative or their sum is too large. */
static bool score_resample(const Job *job, const int32_t *weights, int64_t *score) {
    int64_t total = 0, drawn = 0, untied = 0;
    uint32_t left_tied = 0, both_tied = 0;
    memset(job->counts, 0, (size_t)job->rows * sizeof *job->counts);
    for (int64_t i = 0; i < job->rows; i++) {
        const Place *place = &job->places[i];
        uint32_t weight = (uint32_t)weights[place->row]; /* a negative one exceeds INT32_MAX */
        if (total + weight > INT32_MAX) {
            return false;
        }
        left_tied &= place->same_left;
        both_tied &= place->same_both;
        int64_t right_tied = job->counts[place->rank];
        /* Pairs with the rows before, without those that are tied in one column or in both. */
        untied += weight * (total - left_tied - right_tied + both_tied);
        total += weight;
        left_tied += weight;
        both_tied += weight;
        job->counts[place->rank] += weight;
        job->drawn[drawn] = (Row){place->rank, weight};
        drawn += weight != 0;
    }
    *score = untied - 2 * count_discordant(job->drawn, drawn, job->moved, job->highest_bit);
    return true;
}

int misword_count_concordance(const int32_t *weights, int64_t draws, int64_t rows,
                              const int64_t *left, const int64_t *right, int64_t *scores) {
    if (rows >= INT32_MAX) {
        return MISWORD_TOO_LARGE;
    }
    Job job = {.rows = rows};
    job.places = allocate(rows, sizeof *job.places);
    job.drawn = allocate(rows, sizeof *job.drawn);
    job.moved = allocate(rows, sizeof *job.moved);
    job.counts = allocate(rows, sizeof *job.counts);
    bool allocated = job.places && job.drawn && job.moved && job.counts;
    int status = allocated ? sort_places(&job, left, right) : MISWORD_NO_MEMORY;
    for (int64_t draw = 0; draw < draws && status == MISWORD_OK; draw++) {
        bool scored = score_resample(&job, weights + draw * rows, scores + draw);
        status = scored ? MISWORD_OK : MISWORD_TOO_LARGE;
    }
    free(job.places);
    free(job.drawn);
    free(job.moved);
    free(job.counts);
    return status;
}
