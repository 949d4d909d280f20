/* Alignment of many pairs with any costs.
 *
 * A guide, the unit-cost alignment of the pair, has a cost under these prices that bounds the cost
 * of the cheapest alignment: the limit of the pair's edit matrix (weighted_matrix.c). The
 * substitutions of the guides of several pairs are priced together, while the vectors of the next
 * ones are loaded from memory.
 */

#include "weighted_alignment.h"

enum {
    BATCH = 16,       /* pairs whose guides are priced together */
    WAITING = 64,     /* substitutions that are collected before they are priced */
    VECTORS_AHEAD = 2 /* how many substitutions before their use vectors are loaded */
};

/* Relative to a cost, more than the rounding errors of sums: they are exact up to 8,192. */
static const double ROUNDING_OF_SUMS = 1e-9;

/* A substitution of a guide that has no price yet: its pair's place in the batch, and its tokens.
 */
typedef struct {
    int64_t place;
    int32_t left, right;
} Waiting;

typedef struct {
    const void *reference, *hypothesis;
    const int64_t *reference_at, *hypothesis_at, *pairs, *guide_at;
    const uint8_t *guide;
    const misword_costs *costs;
    int32_t width;
    int64_t *counts, *slots;
    double *totals;
    uint8_t *ops;
    double limits[BATCH];
    Waiting waiting[WAITING];
    int64_t waiting_count;
    Matrix matrix;
    int32_t *tokens; /* both middle parts of a pair, if ids have one byte */
    int64_t token_room;
} Job;

/* Write the operations of the common prefix of both texts, of which i and j tokens remain.
 *
 * All insertions have one cost and all deletions another, so a cheapest alignment has as many steps
 * that cost nothing as the shorter text has tokens, and insertions or deletions for the rest. */
static void align_prefix(const Job *job, int64_t r, int64_t h, int64_t i, int64_t j, Path *path) {
    while (i != j && i && j) {
        int32_t left = token(job->reference, job->width, r + i - 1);
        int32_t right = token(job->hypothesis, job->width, h + j - 1);
        uint8_t operation = left == right ? HIT : SUBSTITUTION;
        if (price_of(job->costs, job->costs->form, left, right) != 0.0) {
            operation = j > i ? INSERTION : DELETION;
        }
        i -= operation != INSERTION;
        j -= operation != DELETION;
        add_operations(path, operation, 1);
    }
    add_prefix(path, i, j);
}

/* Set the middle part of a pair, whose texts begin at r and h. Ids of one byte are widened. */
static int set_middle(Job *job, int64_t r, int64_t h, Middle *x) {
    if (job->width != 1) {
        x->reference = (const int32_t *)job->reference + r;
        x->hypothesis = (const int32_t *)job->hypothesis + h;
        return MISWORD_OK;
    }
    job->tokens = enlarge(job->tokens, &job->token_room, x->m + x->n, 1, sizeof *job->tokens);
    if (!job->tokens) {
        return MISWORD_NO_MEMORY;
    }
    for (int64_t i = 0; i < x->m; i++) {
        job->tokens[i] = ((const uint8_t *)job->reference)[r + i];
    }
    for (int64_t j = 0; j < x->n; j++) {
        job->tokens[x->m + j] = ((const uint8_t *)job->hypothesis)[h + j];
    }
    x->reference = job->tokens;
    x->hypothesis = job->tokens + x->m;
    return MISWORD_OK;
}

/* Add the prices of the substitutions that wait to the costs of their guides. */
static void price_waiting(Job *job, int32_t form) {
    for (int64_t k = 0; k < job->waiting_count; k++) {
        const Waiting *x = &job->waiting[k];
        if (form == MISWORD_COSTS_VECTORS && k + VECTORS_AHEAD < job->waiting_count) {
            const Waiting *y = &job->waiting[k + VECTORS_AHEAD];
            prefetch_vector(vector_of(job->costs, y->left), job->costs->dimension);
            prefetch_vector(vector_of(job->costs, y->right), job->costs->dimension);
        }
        job->limits[x->place] += price_once(&job->matrix, form, x->left, x->right);
    }
    job->waiting_count = 0;
}

/* Align one pair, whose cost is at most `limit`, and write its results. */
static int align_pair(Job *job, int64_t p, double limit) {
    int64_t a = job->pairs[2 * p], b = job->pairs[2 * p + 1];
    int64_t r = job->reference_at[a], h = job->hypothesis_at[b];
    int64_t m = job->reference_at[a + 1] - r, n = job->hypothesis_at[b + 1] - h;
    int64_t head = 0, tail = 0, left[2];
    if (job->costs->even) {
        int64_t most = smaller(m, n);
        head = common_head(job->reference, r, job->hypothesis, h, job->width, most);
        tail = common_tail(job->reference, r + m, job->hypothesis, h + n, job->width, most - head);
    }
    Middle x = {.m = m - head - tail, .n = n - head - tail, .limit = limit};
    if (set_middle(job, r + head, h + head, &x) != MISWORD_OK) {
        return MISWORD_NO_MEMORY;
    }
    Path path = {.first = job->ops ? job->ops + job->slots[p] : NULL};
    add_operations(&path, HIT, tail);
    int status = align_middle(&job->matrix, &x, &job->totals[p], &path, left);
    if (status != MISWORD_OK) {
        return status;
    }
    if (job->costs->even) {
        align_prefix(job, r, h, left[0] + head, left[1] + head, &path);
    } else {
        add_operations(&path, DELETION, left[0]);
        add_operations(&path, INSERTION, left[1]);
    }
    memcpy(job->counts + 4 * p, path.counts, sizeof path.counts);
    if (path.first) {
        job->slots[p] = path.first - job->ops;
    }
    return MISWORD_OK;
}

/* Compute the cost of the guide of a pair; its substitutions may wait for their prices. */
static int follow_guide(Job *job, int64_t p, int64_t place) {
    const misword_costs *costs = job->costs;
    int64_t a = job->pairs[2 * p], b = job->pairs[2 * p + 1];
    int64_t i = job->reference_at[a], j = job->hypothesis_at[b];
    int64_t end = job->reference_at[a + 1], other_end = job->hypothesis_at[b + 1];
    double cost = 0;
    job->limits[place] = 0;
    for (int64_t at = job->guide_at[p]; at < job->guide_at[p + 1]; at++) {
        uint8_t operation = job->guide[at];
        if ((operation != INSERTION && i >= end) || (operation != DELETION && j >= other_end)) {
            return MISWORD_MISMATCH;
        }
        if (operation == INSERTION) {
            cost += costs->insertion[token(job->hypothesis, job->width, j++)];
            continue;
        }
        int32_t left = token(job->reference, job->width, i++);
        if (operation == DELETION) {
            cost += costs->deletion[left];
            continue;
        }
        int32_t right = token(job->hypothesis, job->width, j++);
        if (costs->form == MISWORD_COSTS_VECTORS) {
            prefetch(vector_of(costs, left));
        }
        if (left != right) {
            if (job->waiting_count == WAITING) {
                price_waiting(job, costs->form);
            }
            job->waiting[job->waiting_count++] = (Waiting){place, left, right};
        }
    }
    job->limits[place] += cost;
    return i == end && j == other_end ? MISWORD_OK : MISWORD_MISMATCH;
}

/* Align pairs lo to hi - 1, in batches whose guides are priced together. */
static int align_pairs(Job *job, int64_t lo, int64_t hi) {
    int status = MISWORD_OK;
    for (int64_t first = lo; first < hi && status == MISWORD_OK; first += BATCH) {
        int64_t count = smaller(BATCH, hi - first);
        for (int64_t k = 0; k < count && status == MISWORD_OK; k++) {
            status = follow_guide(job, first + k, k);
        }
        price_waiting(job, job->costs->form);
        for (int64_t k = 0; k < count && status == MISWORD_OK; k++) {
            double cost = job->limits[k];
            status = align_pair(job, first + k, cost + ROUNDING_OF_SUMS * (1.0 + cost));
        }
    }
    return status;
}

int misword_align_weighted(const void *reference, const int64_t *reference_at,
                           const void *hypothesis, const int64_t *hypothesis_at, int32_t width,
                           const misword_costs *costs, const int64_t *pairs, int64_t lo, int64_t hi,
                           const uint8_t *guide, const int64_t *guide_at, int64_t budget,
                           double *totals, int64_t *counts, uint8_t *ops, int64_t *slots) {
    Job job = {.reference = reference,
               .hypothesis = hypothesis,
               .reference_at = reference_at,
               .hypothesis_at = hypothesis_at,
               .pairs = pairs,
               .guide = guide,
               .guide_at = guide_at,
               .costs = costs,
               .width = width,
               .counts = counts,
               .slots = slots,
               .totals = totals,
               .ops = ops,
               .matrix = {.costs = costs, .budget = budget}};
    Matrix *matrix = &job.matrix;
    matrix->priced = allocate_zeros((int64_t)1 << PRICED_BITS, 1, sizeof *matrix->priced);
    int status = matrix->priced ? align_pairs(&job, lo, hi) : MISWORD_NO_MEMORY;
    free(matrix->priced);
    free(matrix->line);
    free(matrix->directions);
    free(job.tokens);
    return status;
}
