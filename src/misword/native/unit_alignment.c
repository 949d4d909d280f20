/* Unit-cost alignment of many pairs.
 *
 * The common prefix and (except for the rule kaldialign) the common suffix of a pair need no
 * matrix. What remains of a short pair is aligned together with that of seven others of about the
 * same size (unit_lanes.c), what remains of a long pair by itself (unit_long.c).
 */

#include "unit_alignment.h"

/* Groups of pairs of about the same size, for each number of 64-bit words. */
enum { SIZE_CLASSES = 16 };

typedef struct {
    const void *reference, *hypothesis;
    const int64_t *reference_at, *hypothesis_at, *pairs;
    int32_t width, ties;
    int64_t size, budget;
    double most_cells;
    int64_t *counts, *slots, *bursts;
    double *costs;
    uint8_t *ops;
    uint8_t *code_of; /* short pairs: the code of each token id, 0 between two pairs */
    int32_t *row_of;  /* long pairs: the row number of each token id, 0 between two pairs */
    Group *groups;    /* MOST_WORDS times SIZE_CLASSES */
    LaneMemory lanes;
} Job;

/* Write what precedes the middle part, and the counts of the pair.
 *
 * `left` has the tokens of the middle part that remain at the beginning of each text: the other
 * text has none there. With the common prefix they are an optimal alignment of hits and of
 * insertions or deletions. misword takes a hit wherever tokens are equal, kaldialign takes the hits
 * last, jiwer takes them first. The counts do not depend on it, the operations and bursts do. */
static void finish(const Job *job, int64_t p, int64_t head, const int64_t left[2], Path *path) {
    int64_t r = job->reference_at[job->pairs[2 * p]], h = job->hypothesis_at[job->pairs[2 * p + 1]];
    int64_t i = left[0] + head, j = left[1] + head;
    if (job->ties == MISWORD_TIES_MISWORD && (path->first || j > i)) {
        while (i != j && i && j) {
            bool hit = token(job->reference, job->width, r + i - 1) ==
                       token(job->hypothesis, job->width, h + j - 1);
            uint8_t operation = hit ? HIT : j > i ? INSERTION : DELETION;
            i -= operation != INSERTION;
            j -= operation != DELETION;
            add_operations(path, operation, 1);
        }
    }
    add_prefix(path, i, j);
    int64_t *counts = job->counts + 4 * p;
    memcpy(counts, path->counts, sizeof path->counts);
    job->bursts[p] = path->burst;
    job->costs[p] = (double)(counts[SUBSTITUTION] + counts[INSERTION] + counts[DELETION]);
    if (path->first) {
        job->slots[p] = path->first - job->ops;
    }
}

/* Return an empty path of a pair, after its common suffix. */
static Path begin_path(const Job *job, int64_t p, int64_t tail) {
    Path path = {.first = job->ops ? job->ops + job->slots[p] : NULL};
    add_operations(&path, HIT, tail);
    return path;
}

/* Align all pairs of a group, which have references of the same number of 64-bit words. */
static void align_group(const Job *job, Group *group, int words) {
    Path paths[LANES];
    int64_t left[LANES][2];
    for (int k = 0; k < group->size; k++) {
        paths[k] = begin_path(job, group->pairs[k].pair, group->pairs[k].tail);
    }
    align_lanes(&job->lanes, group, words, job->ties, paths, left);
    for (int k = 0; k < group->size; k++) {
        finish(job, group->pairs[k].pair, group->pairs[k].head, left[k], &paths[k]);
    }
    group->size = 0;
}

/* Number the tokens of a pair's middle part: ids of one byte are their own code. */
static inline void encode_short(const Job *job, Short *pair, int64_t r, int64_t h) {
    uint8_t *reference = pair->reference + SLACK, *hypothesis = pair->hypothesis + SLACK;
    if (job->width == 1) {
        memcpy(reference, (const uint8_t *)job->reference + r, (size_t)pair->m);
        memcpy(hypothesis, (const uint8_t *)job->hypothesis + h, (size_t)pair->n);
        return;
    }
    const int32_t *left = (const int32_t *)job->reference + r;
    const int32_t *right = (const int32_t *)job->hypothesis + h;
    uint8_t next = 1;
    for (int64_t i = 0; i < pair->m; i++) {
        uint8_t *code = &job->code_of[left[i]];
        if (!*code) {
            *code = next++;
        }
        reference[i] = *code;
    }
    for (int64_t j = 0; j < pair->n; j++) {
        hypothesis[j] = job->code_of[right[j]];
    }
    for (int64_t i = 0; i < pair->m; i++) {
        job->code_of[left[i]] = 0;
    }
}

/* Align the middle part of one long pair. */
static int align_long(Job *job, int64_t p, int64_t r, int64_t h, const int64_t sizes[2],
                      int64_t head, int64_t tail) {
    if (!job->row_of && !(job->row_of = allocate_zeros(job->size, 1, sizeof *job->row_of))) {
        return MISWORD_NO_MEMORY;
    }
    int64_t m = sizes[0], n = sizes[1], left[2];
    int32_t *reference = allocate(m, sizeof *reference),
            *hypothesis = allocate(n, sizeof *hypothesis);
    int status = MISWORD_NO_MEMORY;
    if (reference && hypothesis) {
        int32_t rows = 0;
        for (int64_t i = 0; i < m; i++) {
            int32_t *row = &job->row_of[token(job->reference, job->width, r + i)];
            *row = *row ? *row : ++rows;
            reference[i] = *row;
        }
        for (int64_t j = 0; j < n; j++) {
            hypothesis[j] = job->row_of[token(job->hypothesis, job->width, h + j)];
        }
        for (int64_t i = 0; i < m; i++) {
            job->row_of[token(job->reference, job->width, r + i)] = 0;
        }
        Path path = begin_path(job, p, tail);
        status = align_long_pair(reference, m, hypothesis, n, rows, job->ties, job->budget,
                                 job->most_cells, &path, left);
        if (status == MISWORD_OK) {
            finish(job, p, head, left, &path);
        }
    }
    free(reference);
    free(hypothesis);
    return status;
}

/* Return the group of pairs of about the same size. */
static Group *group_of(const Job *job, int words, int64_t n) {
    int64_t class = 0;
    while (class + 1 < SIZE_CLASSES && n > 16 * (class + 1)) {
        class++;
    }
    return job->groups + (words - 1) * SIZE_CLASSES + class;
}

/* Align a pair, or put it into a group that is aligned when it is full. */
static inline int align_pair(Job *job, int64_t p, int32_t width) {
    int64_t a = job->pairs[2 * p], b = job->pairs[2 * p + 1];
    int64_t r = job->reference_at[a], h = job->hypothesis_at[b];
    int64_t m = job->reference_at[a + 1] - r, n = job->hypothesis_at[b + 1] - h;
    int64_t most = smaller(m, n), tail = 0;
    int64_t head = common_head(job->reference, r, job->hypothesis, h, width, most);
    if (job->ties != MISWORD_TIES_KALDIALIGN) {
        tail = common_tail(job->reference, r + m, job->hypothesis, h + n, width, most - head);
    }
    m -= head + tail;
    n -= head + tail;
    if (!m || !n) {
        Path path = begin_path(job, p, tail);
        finish(job, p, head, (int64_t[2]){m, n}, &path);
        return MISWORD_OK;
    }
    int words = (int)((m + 63) >> 6);
    if (m > MOST_REFERENCE || n > MOST_HYPOTHESIS || n * words > job->budget) {
        return align_long(job, p, r + head, h + head, (int64_t[2]){m, n}, head, tail);
    }
    Group *group = group_of(job, words, n);
    Short *pair = &group->pairs[group->size++];
    pair->pair = p;
    pair->head = head;
    pair->tail = tail;
    pair->m = m;
    pair->n = n;
    encode_short(job, pair, r + head, h + head);
    if (group->size == LANES) {
        align_group(job, group, words);
    }
    return MISWORD_OK;
}

/* Align pairs lo to hi - 1, and at the end the groups that are not full. */
static int align_pairs(Job *job, int64_t lo, int64_t hi) {
    int status = MISWORD_OK;
    for (int64_t p = lo; p < hi && status == MISWORD_OK; p++) {
        status = job->width == 1 ? align_pair(job, p, 1) : align_pair(job, p, 4);
    }
    for (int k = 0; k < MOST_WORDS * SIZE_CLASSES && status == MISWORD_OK; k++) {
        if (job->groups[k].size) {
            align_group(job, &job->groups[k], 1 + k / SIZE_CLASSES);
        }
    }
    return status;
}

int misword_align_unit(const void *reference, const int64_t *reference_at, const void *hypothesis,
                       const int64_t *hypothesis_at, int32_t width, int64_t size,
                       const int64_t *pairs, int64_t lo, int64_t hi, int32_t ties, int64_t budget,
                       double most_cells, double *costs, int64_t *counts, uint8_t *ops,
                       int64_t *slots, int64_t *bursts) {
    Job job = {.reference = reference,
               .hypothesis = hypothesis,
               .reference_at = reference_at,
               .hypothesis_at = hypothesis_at,
               .pairs = pairs,
               .width = width,
               .ties = ties,
               .size = size,
               .budget = budget,
               .most_cells = most_cells,
               .counts = counts,
               .slots = slots,
               .bursts = bursts,
               .costs = costs,
               .ops = ops};
    job.code_of = allocate_zeros(width == 1 ? 0 : size, 1, sizeof *job.code_of);
    job.groups = allocate_zeros(MOST_WORDS, SIZE_CLASSES, sizeof *job.groups);
    int status = MISWORD_NO_MEMORY;
    if (allocate_lanes(&job.lanes) && job.code_of && job.groups) {
        status = align_pairs(&job, lo, hi);
    }
    free(job.code_of);
    free(job.row_of);
    free(job.groups);
    free_lanes(&job.lanes);
    return status;
}
