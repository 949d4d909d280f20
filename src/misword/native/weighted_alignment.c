/* Alignment of many pairs with any costs.
 *
 * A guide, the unit-cost alignment of the pair, has a cost under these prices that bounds the cost
 * of the cheapest alignment. Cells of the edit matrix from which the end cannot be reached within
 * this bound, which are most, are not computed (Ukkonen 1985). The substitutions of the guides of
 * several pairs are priced together, while the vectors of the next ones are loaded from memory.
 *
 * A pair whose matrix is larger than the budget is divided into segments of rows. The first pass
 * keeps the costs at the start of each segment; the way back computes one segment at a time again.
 */

#include "alignment.h"
#include "prices.h"

enum {
    BATCH = 16,       /* pairs whose guides are priced together */
    WAITING = 64,     /* substitutions that are collected before they are priced */
    PRICED_BITS = 14, /* the cache of prices has 2^14 slots: it fits into the L2 cache */
    FIRST = 16,       /* components that are compared first: a line of the cache */
    VECTORS_AHEAD = 2 /* how many substitutions before their use vectors are loaded */
};

static const uint64_t SPREAD = 0x9E3779B97F4A7C15u;

/* Rounding of the vectors changes half the square of a distance by less than this. */
static const double ROUNDING = 1e-5;
/* Prices of other tokens are often above this, and 16 components are enough to find out. */
static const double NEAR = 0.1;
/* Relative to a cost, more than the rounding errors of sums: they are exact up to 8,192. */
static const double ROUNDING_OF_SUMS = 1e-9;

/* The price of a pair of tokens with vectors; a key of 0 is an empty slot. */
typedef struct {
    uint64_t key;
    double price;
} Priced;

/* A substitution of a guide that has no price yet: its pair's place in the batch, and its tokens.
 */
typedef struct {
    int64_t place;
    int32_t left, right;
} Waiting;

/* What remains of a pair without its common prefix and suffix. */
typedef struct {
    const int32_t *reference, *hypothesis;
    int64_t m, n;
    double limit; /* the cost of the guide, with room for rounding errors */
} Middle;

/* Columns of a row of the edit matrix that are computed. */
typedef struct {
    int64_t first, last;
} Window;

typedef struct {
    const void *reference, *hypothesis;
    const int64_t *reference_at, *hypothesis_at, *pairs, *guide_at;
    const uint8_t *guide;
    const misword_costs *costs;
    int32_t width;
    int64_t budget;
    int64_t *counts, *slots;
    double *totals;
    uint8_t *ops;
    double limits[BATCH];
    Waiting waiting[WAITING];
    int64_t waiting_count;
    Priced *priced;
    /* Scratch memory of one pair, and how much of it there is. */
    int32_t *tokens;      /* both middle parts, if ids have one byte */
    double *line, *added; /* one row of costs; the insertion cost of each hypothesis token */
    uint8_t *directions;  /* operations of the cells of one segment */
    int64_t token_room, line_room, direction_room;
} Job;

static inline Priced *slot_of(const Job *job, int32_t left, int32_t right, uint64_t *key) {
    uint64_t low = (uint64_t)(left < right ? left : right), high = (uint64_t)(left ^ right) ^ low;
    *key = (high << 32 | low) + 1;
    return job->priced + (*key * SPREAD >> (64 - PRICED_BITS));
}

/* Return the price of a pair of different tokens; prices of vectors are kept for the next time. */
static inline double price_once(const Job *job, int32_t form, int32_t left, int32_t right) {
    const misword_costs *costs = job->costs;
    if (form != MISWORD_COSTS_VECTORS || !have_vectors(costs, left, right)) {
        return price_of(costs, form, left, right);
    }
    uint64_t key;
    Priced *slot = slot_of(job, left, right, &key);
    if (slot->key != key) {
        slot->key = key;
        slot->price = price_of(costs, form, left, right);
    }
    return slot->price;
}

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

/* Compute rows lo to hi - 1 of the edit matrix: job->line is row lo before and row hi after.
 *
 * Only the columns of the window are computed; it becomes that of the last row. Ties go to the
 * diagonal, then to insertions. Substitutions are priced only where that can change the result. */
static inline void descend(Job *job, const Middle *x, int32_t form, int64_t lo, int64_t hi,
                           Window *window) {
    const misword_costs *costs = job->costs;
    const double *added = job->added;
    double *line = job->line;
    uint8_t *directions = job->directions;
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
                    swapped += costly ? INFINITY : price_once(job, form, token_here, other);
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
static void descend_form(Job *job, const Middle *x, int64_t lo, int64_t hi, Window *window) {
    switch (job->costs->form) {
    case MISWORD_COSTS_TABLE: descend(job, x, MISWORD_COSTS_TABLE, lo, hi, window); break;
    case MISWORD_COSTS_PAIRS: descend(job, x, MISWORD_COSTS_PAIRS, lo, hi, window); break;
    default: descend(job, x, MISWORD_COSTS_VECTORS, lo, hi, window); break;
    }
}

/* Compute the first row of the edit matrix and the costs of insertions; return its window. */
static Window first_row(Job *job, const Middle *x) {
    Window window = {0, 0};
    job->line[0] = 0;
    for (int64_t j = 0; j < x->n; j++) {
        job->added[j] = job->costs->insertion[x->hypothesis[j]];
        job->line[j + 1] = job->line[j] + job->added[j];
        if (job->line[j + 1] + ahead(job->costs, x->m, x->n - j - 1) <= x->limit) {
            window.last = j + 1;
        }
    }
    return window;
}

/* Follow the directions of the segment that begins at row `low` back, as long as both texts have
 * tokens; `left` has the numbers of tokens before the place on the path. */
static void go_back(const Job *job, const Middle *x, int64_t low, Path *path, int64_t left[2]) {
    int64_t i = left[0], j = left[1];
    while (i > low && j) {
        uint8_t operation = job->directions[(i - 1 - low) * x->n + j - 1];
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

/* Return scratch memory for rows times columns items of `size` bytes: `old` if it is large enough
 * (*room items), else new memory. The content is lost. */
static void *enlarge(void *old, int64_t *room, int64_t rows, int64_t columns, size_t size) {
    if (old && (!columns || rows <= *room / columns)) {
        return old;
    }
    free(old);
    void *memory = allocate_table(rows, columns, size);
    *room = memory ? rows * columns : 0;
    return memory;
}

/* Align the middle part of a pair from its end back to the beginning of either text. Sets `left` to
 * the numbers of tokens that remain in each. */
static int align_middle(Job *job, const Middle *x, double *total, Path *path, int64_t left[2]) {
    int64_t m = x->m, n = x->n, fits = n ? job->budget / n : m;
    int64_t step = m <= fits ? m : smaller(m, greater((int64_t)sqrt((double)m), fits));
    int64_t segments = m ? (m + step - 1) / step : 0;
    job->line = enlarge(job->line, &job->line_room, n + 1, 2, sizeof *job->line);
    job->directions = enlarge(job->directions, &job->direction_room, step, n, 1);
    double *states = segments > 1 ? allocate_table(segments, n + 1, sizeof *states) : NULL;
    Window *windows = segments > 1 ? allocate(segments, sizeof *windows) : NULL;
    int status = MISWORD_NO_MEMORY;
    if (job->line && job->directions && (segments <= 1 || (states && windows))) {
        job->added = job->line + n + 1;
        size_t bytes = (size_t)(n + 1) * sizeof *states;
        Window window = first_row(job, x);
        for (int64_t s = 0; s < segments; s++) {
            if (states) {
                memcpy(states + s * (n + 1), job->line, bytes);
                windows[s] = window;
            }
            descend_form(job, x, s * step, smaller(m, (s + 1) * step), &window);
        }
        *total = job->line[n];
        left[0] = m;
        left[1] = n;
        for (int64_t s = segments - 1; s >= 0 && left[1]; s--) {
            if (s < segments - 1) {
                memcpy(job->line, states + s * (n + 1), bytes);
                descend_form(job, x, s * step, (s + 1) * step, &windows[s]);
            }
            go_back(job, x, s * step, path, left);
        }
        status = MISWORD_OK;
    }
    free(states);
    free(windows);
    return status;
}

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
    int64_t hits = smaller(i, j);
    add_operations(path, DELETION, i - hits);
    add_operations(path, INSERTION, j - hits);
    add_operations(path, HIT, hits);
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
        job->limits[x->place] += price_once(job, form, x->left, x->right);
    }
    job->waiting_count = 0;
}

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
    int status = align_middle(job, &x, &job->totals[p], &path, left);
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
               .budget = budget,
               .counts = counts,
               .slots = slots,
               .totals = totals,
               .ops = ops};
    job.priced = allocate_zeros((int64_t)1 << PRICED_BITS, 1, sizeof *job.priced);
    int status = job.priced ? align_pairs(&job, lo, hi) : MISWORD_NO_MEMORY;
    free(job.priced);
    free(job.tokens);
    free(job.line);
    free(job.directions);
    return status;
}
