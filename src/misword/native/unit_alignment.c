/* Unit-cost alignment of many pairs.
 *
 * The common prefix and (except for the rule kaldialign) the common suffix of a pair need no
 * matrix. What remains of a short pair is aligned together with that of seven others of about the
 * same size: the steps of one pair depend on each other, those of several pairs do not, so that the
 * processor works on all of them at once (one pair in each lane of its vector registers).
 */

#include "unit_alignment.h"

enum {
    LANES = 8,
    MOST_WORDS = 4,         /* 64-bit words of a bit vector of a short reference */
    MOST_REFERENCE = 255,   /* tokens of a short reference: its tokens are numbered in one byte */
    MOST_HYPOTHESIS = 1024, /* tokens of a short hypothesis */
    SIZE_CLASSES = 16,      /* groups of pairs of about the same size, for each number of words */
    SLACK = 8,              /* bytes before the codes of a text, which are read but not used */
    CODES = 256
};

/* One of several pairs that are aligned together. The tokens of its middle part (what remains
 * without the common prefix and suffix) are codes of one byte: equal tokens have equal codes. */
typedef struct {
    int64_t pair, head, tail, m, n; /* common prefix and suffix, tokens of the middle part */
    uint8_t reference[SLACK + MOST_REFERENCE + 1];
    uint8_t hypothesis[SLACK + MOST_HYPOTHESIS + 1];
} Short;

/* Pairs that wait until there are enough to be aligned together. */
typedef struct {
    int64_t size;
    Short pairs[LANES];
} Group;

typedef struct {
    const void *reference, *hypothesis;
    const int64_t *reference_at, *hypothesis_at, *pairs;
    int32_t width, ties;
    int64_t size, budget;
    int64_t *counts, *slots;
    double *costs;
    uint8_t *ops;
    uint8_t *code_of;         /* short pairs: the code of each token id, 0 between two pairs */
    int32_t *row_of;          /* long pairs: the row number of each token id, 0 between two pairs */
    Group *groups;            /* MOST_WORDS times SIZE_CLASSES */
    uint64_t *positions;      /* for each lane and code the positions in the reference */
    uint64_t *first, *second; /* the bit vectors that the way back reads */
} Job;

/* Write what precedes the middle part, and the counts of the pair.
 *
 * `left` has the tokens of the middle part that remain at the beginning of each text: the other
 * text has none there. With the common prefix they are an optimal alignment of hits and of
 * insertions or deletions. misword takes a hit wherever tokens are equal, kaldialign takes the hits
 * last, jiwer takes them first. */
static void finish(const Job *job, int64_t p, int64_t head, const int64_t left[2], Path *path) {
    int64_t r = job->reference_at[job->pairs[2 * p]], h = job->hypothesis_at[job->pairs[2 * p + 1]];
    int64_t i = left[0] + head, j = left[1] + head;
    if (job->ties == MISWORD_TIES_MISWORD && path->first) {
        while (i != j && i && j) {
            bool hit = token(job->reference, job->width, r + i - 1) ==
                       token(job->hypothesis, job->width, h + j - 1);
            uint8_t operation = hit ? HIT : j > i ? INSERTION : DELETION;
            i -= operation != INSERTION;
            j -= operation != DELETION;
            add_operations(path, operation, 1);
        }
    }
    int64_t hits = smaller(i, j);
    add_operations(path, DELETION, i - hits);
    add_operations(path, INSERTION, j - hits);
    add_operations(path, HIT, hits);
    int64_t *counts = job->counts + 4 * p;
    memcpy(counts, path->counts, sizeof path->counts);
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

/* Do one step of Hyyrö's algorithm for 64 reference tokens of each lane: `bit_step`, eight times.
 */
static inline void step_lanes(const uint64_t *restrict equal, uint64_t *restrict vp,
                              uint64_t *restrict vn, uint64_t *restrict carry_p,
                              uint64_t *restrict carry_n, int32_t ties, uint64_t *restrict first,
                              uint64_t *restrict second) {
    for (int lane = 0; lane < LANES; lane++) {
        Bits b = {
            .vp = vp[lane], .vn = vn[lane], .carry_p = carry_p[lane], .carry_n = carry_n[lane]};
        bit_step(&b, equal[lane]);
        vp[lane] = b.vp;
        vn[lane] = b.vn;
        carry_p[lane] = b.carry_p;
        carry_n[lane] = b.carry_n;
        kept_bits(ties, &b, &first[lane], &second[lane]);
    }
}

/* Get where hypothesis token j of each lane is in the reference of that lane. */
static inline void collect_positions(const Job *job, const Group *group, int64_t j, int words,
                                     uint64_t equal[MOST_WORDS][LANES]) {
    for (int lane = 0; lane < LANES; lane++) {
        int64_t code = group->pairs[lane].hypothesis[SLACK + j];
        const uint64_t *positions = job->positions + (lane * CODES + code) * words;
        for (int w = 0; w < words; w++) {
            equal[w][lane] = positions[w];
        }
    }
}

/* Compute the bit vectors of all lanes over the longest hypothesis. */
static inline void forward(const Job *job, const Group *group, int64_t longest, int words,
                           int32_t ties) {
    uint64_t vp[MOST_WORDS][LANES], vn[MOST_WORDS][LANES];
    memset(vp, 0xFF, sizeof vp);
    memset(vn, 0, sizeof vn);
    memcpy(job->second, ties == MISWORD_TIES_KALDIALIGN ? vp : vn,
           (size_t)(words * LANES) * sizeof(uint64_t));
    uint64_t *first = job->first, *second = job->second + words * LANES;
    /* The positions for a step are collected one step before: a vector cannot be loaded quickly
     * from memory to which its lanes were written one by one just before. */
    uint64_t equal[2][MOST_WORDS][LANES];
    collect_positions(job, group, 0, words, equal[0]);
    for (int64_t j = 0; j < longest; j++) {
        uint64_t carry_p[LANES], carry_n[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            carry_p[lane] = 1;
            carry_n[lane] = 0;
        }
        collect_positions(job, group, j + 1, words, equal[(j + 1) & 1]);
        for (int w = 0; w < words; w++) {
            step_lanes(equal[j & 1][w], vp[w], vn[w], carry_p, carry_n, ties, first, second);
            first += LANES;
            second += LANES;
        }
    }
}

/* Select code that the compiler has specialised for the number of words. */
static inline void forward_words(const Job *job, const Group *group, int64_t longest, int words,
                                 int32_t ties) {
    switch (words) {
    case 1: forward(job, group, longest, 1, ties); break;
    case 2: forward(job, group, longest, 2, ties); break;
    case 3: forward(job, group, longest, 3, ties); break;
    default: forward(job, group, longest, 4, ties); break;
    }
}

/* Return the number of equal codes before reference token i and hypothesis token j, both above 0.
 */
static inline int64_t run_of_hits(const Short *pair, int64_t i, int64_t j) {
    int64_t most = smaller(i, j), run = 0;
    do {
        /* The eight codes before token i begin at SLACK + i - 8, which is i. */
        uint64_t different =
            load_eight(pair->reference + i - run) ^ load_eight(pair->hypothesis + j - run);
        if (different) {
            run += leading_zeros(different) >> 3;
            break;
        }
        run += 8;
    } while (run < most);
    return smaller(run, most);
}

/* The bits that the forward pass stored at one cell of a lane. */
typedef struct {
    int64_t first, before, here;
} Cell;

static inline Cell cell_of(const Job *job, int64_t i, int64_t j, int lane, int words) {
    int64_t at = ((j - 1) * words + ((i - 1) >> 6)) * LANES + lane;
    int bit = (int)((i - 1) & 63);
    return (Cell){.first = (int64_t)(job->first[at] >> bit & 1),
                  .before = (int64_t)(job->second[at] >> bit & 1),
                  .here = (int64_t)(job->second[at + words * LANES] >> bit & 1)};
}

/* How far the alignment of a lane has been followed back. */
typedef struct {
    int64_t i, j; /* tokens of both texts that are not aligned yet */
    int64_t hits, edits, insertions, deletions;
    uint8_t *first; /* the operation written last, or NULL */
} Way;

/* Follow the alignment of a lane back over a run of hits and one edit, by the rule misword; return
 * whether tokens of both texts remain.
 *
 * A hit is taken wherever tokens are equal, so runs of hits are found by comparing eight codes at
 * once. Which of the three edits follows is hard to predict for the processor: it is computed as
 * `tie_operation` says, without branches. */
static inline bool step_back(const Job *job, const Short *pair, int lane, int words, Way *way) {
    int64_t i = way->i, j = way->j;
    int64_t run = run_of_hits(pair, i, j);
    way->hits += run;
    i -= run;
    j -= run;
    if (way->first) {
        way->first -= run;
        memset(way->first, HIT, (size_t)run);
    }
    if (i && j) {
        Cell cell = cell_of(job, i, j, lane, words);
        int64_t insertion = cell.first & cell.before, deletion = cell.first ^ insertion;
        way->edits++;
        way->insertions += insertion;
        way->deletions += deletion;
        i -= 1 - insertion;
        j -= 1 - deletion;
        if (way->first) {
            *--way->first = (uint8_t)(SUBSTITUTION + insertion * (INSERTION - SUBSTITUTION) +
                                      deletion * (DELETION - SUBSTITUTION));
        }
    }
    way->i = i;
    way->j = j;
    return i && j;
}

/* Follow the alignments of all lanes back from their ends, by the rule misword. The steps of one
 * lane wait for each other, so the lanes take turns. */
static inline void go_back_misword(const Job *job, const Group *group, int words, Path *paths,
                                   int64_t left[LANES][2]) {
    Way ways[LANES];
    int lanes[LANES], active = (int)group->size;
    for (int k = 0; k < group->size; k++) {
        const Short *pair = &group->pairs[k];
        ways[k] = (Way){.i = pair->m, .j = pair->n, .first = paths[k].first};
        lanes[k] = k;
    }
    while (active) {
        for (int k = active - 1; k >= 0; k--) {
            int lane = lanes[k];
            if (!step_back(job, &group->pairs[lane], lane, words, &ways[lane])) {
                lanes[k] = lanes[--active];
            }
        }
    }
    for (int k = 0; k < group->size; k++) {
        const Way *way = &ways[k];
        paths[k].counts[HIT] += way->hits;
        paths[k].counts[SUBSTITUTION] += way->edits - way->insertions - way->deletions;
        paths[k].counts[INSERTION] += way->insertions;
        paths[k].counts[DELETION] += way->deletions;
        paths[k].first = way->first;
        left[k][0] = way->i;
        left[k][1] = way->j;
    }
}

/* Follow the alignment of one lane back from its end, by any rule. */
static void go_back(const Job *job, const Short *pair, int lane, int words, Path *path,
                    int64_t left[2]) {
    int64_t i = pair->m, j = pair->n;
    while (i && j) {
        bool hit = pair->reference[SLACK + i - 1] == pair->hypothesis[SLACK + j - 1];
        Cell cell = cell_of(job, i, j, lane, words);
        uint8_t operation = tie_operation(job->ties, hit, cell.first, cell.before, cell.here);
        i -= operation != INSERTION;
        j -= operation != DELETION;
        path->counts[operation]++;
        if (path->first) {
            *--path->first = operation;
        }
    }
    left[0] = i;
    left[1] = j;
}

/* Set the bits of the positions of each code in a reference. */
static void mark(const uint8_t *restrict codes, int64_t m, int words,
                 uint64_t *restrict positions) {
    for (int64_t i = 0; i < m; i++) {
        positions[codes[i] * words + (i >> 6)] |= (uint64_t)1 << (i & 63);
    }
}

/* Undo `mark`. */
static void unmark(const uint8_t *restrict codes, int64_t m, int words,
                   uint64_t *restrict positions) {
    for (int64_t i = 0; i < m; i++) {
        positions[codes[i] * words + (i >> 6)] = 0;
    }
}

/* Align all pairs of a group, which have references of the same number of 64-bit words. */
static void align_group(const Job *job, Group *group, int words) {
    int64_t longest = 0;
    for (int64_t k = group->size; k < LANES; k++) {
        group->pairs[k].m = group->pairs[k].n = 0;
    }
    for (int64_t k = 0; k < LANES; k++) {
        longest = greater(longest, group->pairs[k].n);
    }
    for (int64_t k = 0; k < LANES; k++) {
        Short *pair = &group->pairs[k];
        /* Beyond its end a hypothesis may have any codes: their vectors are not read. */
        memset(pair->hypothesis + SLACK + pair->n, 0, (size_t)(longest - pair->n + 1));
        mark(pair->reference + SLACK, pair->m, words, job->positions + k * CODES * words);
    }
    switch (job->ties) {
    case MISWORD_TIES_MISWORD:
        forward_words(job, group, longest, words, MISWORD_TIES_MISWORD);
        break;
    case MISWORD_TIES_JIWER: forward_words(job, group, longest, words, MISWORD_TIES_JIWER); break;
    default: forward_words(job, group, longest, words, MISWORD_TIES_KALDIALIGN); break;
    }
    Path paths[LANES];
    int64_t left[LANES][2];
    for (int k = 0; k < group->size; k++) {
        paths[k] = begin_path(job, group->pairs[k].pair, group->pairs[k].tail);
    }
    if (job->ties == MISWORD_TIES_MISWORD) {
        go_back_misword(job, group, words, paths, left);
    } else {
        for (int k = 0; k < group->size; k++) {
            go_back(job, &group->pairs[k], k, words, &paths[k], left[k]);
        }
    }
    for (int k = 0; k < group->size; k++) {
        const Short *pair = &group->pairs[k];
        finish(job, pair->pair, pair->head, left[k], &paths[k]);
        unmark(pair->reference + SLACK, pair->m, words,
               job->positions + (int64_t)k * CODES * words);
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
        status =
            align_long_pair(reference, m, hypothesis, n, rows, job->ties, job->budget, &path, left);
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
                       double *costs, int64_t *counts, uint8_t *ops, int64_t *slots) {
    Job job = {.reference = reference,
               .hypothesis = hypothesis,
               .reference_at = reference_at,
               .hypothesis_at = hypothesis_at,
               .pairs = pairs,
               .width = width,
               .ties = ties,
               .size = size,
               .budget = budget,
               .counts = counts,
               .slots = slots,
               .costs = costs,
               .ops = ops};
    int64_t vectors = (MOST_HYPOTHESIS + 1) * MOST_WORDS;
    job.code_of = allocate_zeros(width == 1 ? 0 : size, 1, sizeof *job.code_of);
    job.groups = allocate_zeros(MOST_WORDS, SIZE_CLASSES, sizeof *job.groups);
    job.positions = allocate_zeros(LANES, CODES * MOST_WORDS, sizeof *job.positions);
    job.first = allocate_table(vectors, LANES, sizeof *job.first);
    job.second = allocate_table(vectors, LANES, sizeof *job.second);
    int status = MISWORD_NO_MEMORY;
    if (job.code_of && job.groups && job.positions && job.first && job.second) {
        status = align_pairs(&job, lo, hi);
    }
    free(job.code_of);
    free(job.row_of);
    free(job.groups);
    free(job.positions);
    free(job.first);
    free(job.second);
    return status;
}
