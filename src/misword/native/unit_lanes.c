/* Unit-cost alignment of eight short pairs at once.
 *
 * The steps of one pair depend on each other, those of several pairs do not, so that the processor
 * works on all of them at once: one pair in each lane of its vector registers.
 */

#include "unit_alignment.h"

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
static inline void collect_positions(const LaneMemory *memory, const Group *group, int64_t j,
                                     int words, uint64_t equal[MOST_WORDS][LANES]) {
    for (int lane = 0; lane < LANES; lane++) {
        int64_t code = group->pairs[lane].hypothesis[SLACK + j];
        const uint64_t *positions = memory->positions + (lane * CODES + code) * words;
        for (int w = 0; w < words; w++) {
            equal[w][lane] = positions[w];
        }
    }
}

/* Compute the bit vectors of all lanes over the longest hypothesis. */
static inline void forward(const LaneMemory *memory, const Group *group, int64_t longest, int words,
                           int32_t ties) {
    uint64_t vp[MOST_WORDS][LANES], vn[MOST_WORDS][LANES];
    memset(vp, 0xFF, sizeof vp);
    memset(vn, 0, sizeof vn);
    memcpy(memory->second, ties == MISWORD_TIES_KALDIALIGN ? vp : vn,
           (size_t)(words * LANES) * sizeof(uint64_t));
    uint64_t *first = memory->first, *second = memory->second + words * LANES;
    /* The positions for a step are collected one step before: a vector cannot be loaded quickly
     * from memory to which its lanes were written one by one just before. */
    uint64_t equal[2][MOST_WORDS][LANES];
    collect_positions(memory, group, 0, words, equal[0]);
    for (int64_t j = 0; j < longest; j++) {
        uint64_t carry_p[LANES], carry_n[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            carry_p[lane] = 1;
            carry_n[lane] = 0;
        }
        collect_positions(memory, group, j + 1, words, equal[(j + 1) & 1]);
        for (int w = 0; w < words; w++) {
            step_lanes(equal[j & 1][w], vp[w], vn[w], carry_p, carry_n, ties, first, second);
            first += LANES;
            second += LANES;
        }
    }
}

/* Select code that the compiler has specialised for the number of words. */
static inline void forward_words(const LaneMemory *memory, const Group *group, int64_t longest,
                                 int words, int32_t ties) {
    switch (words) {
    case 1: forward(memory, group, longest, 1, ties); break;
    case 2: forward(memory, group, longest, 2, ties); break;
    case 3: forward(memory, group, longest, 3, ties); break;
    default: forward(memory, group, longest, 4, ties); break;
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

/* Return the bits at reference token i and hypothesis token j, both counted from 1. */
static inline Cell cell_of(const LaneMemory *memory, int64_t i, int64_t j, int lane, int words) {
    int64_t at = ((j - 1) * words + ((i - 1) >> 6)) * LANES + lane;
    int bit = (int)((i - 1) & 63);
    return (Cell){.first = (int64_t)(memory->first[at] >> bit & 1),
                  .before = (int64_t)(memory->second[at] >> bit & 1),
                  .here = (int64_t)(memory->second[at + words * LANES] >> bit & 1)};
}

/* How far the alignment of a lane has been followed back. */
typedef struct {
    int64_t i, j; /* tokens of both texts that are not aligned yet */
    int64_t hits, edits, insertions, deletions;
    int64_t inserted, burst; /* successive insertions: those followed last, and the most */
    uint8_t *first;          /* the operation written last, or NULL */
} Way;

/* Follow the alignment of a lane back over a run of hits and one edit, by the rule misword; return
 * whether tokens of both texts remain.
 *
 * A hit is taken wherever tokens are equal, so runs of hits are found by comparing eight codes at
 * once. Which of the three edits follows is hard to predict for the processor: it is computed as
 * `tie_operation` says, without branches. */
static inline bool step_back(const LaneMemory *memory, const Short *pair, int lane, int words,
                             Way *way) {
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
        Cell cell = cell_of(memory, i, j, lane, words);
        int64_t insertion = cell.first & cell.before, deletion = cell.first ^ insertion;
        way->edits++;
        way->insertions += insertion;
        way->deletions += deletion;
        way->inserted = insertion ? insertion + (run ? 0 : way->inserted) : 0;
        way->burst = greater(way->burst, way->inserted);
        i -= 1 - insertion;
        j -= 1 - deletion;
        if (way->first) {
            *--way->first = (uint8_t)(SUBSTITUTION + insertion * (INSERTION - SUBSTITUTION) +
                                      deletion * (DELETION - SUBSTITUTION));
        }
    } else if (run) {
        way->inserted = 0;
    }
    way->i = i;
    way->j = j;
    return i && j;
}

/* Follow the alignments of all lanes back from their ends, by the rule misword. The steps of one
 * lane wait for each other, so the lanes take turns. */
static inline void go_back_misword(const LaneMemory *memory, const Group *group, int words,
                                   Path *paths, int64_t left[LANES][2]) {
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
            if (!step_back(memory, &group->pairs[lane], lane, words, &ways[lane])) {
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
        paths[k].inserted = way->inserted;
        paths[k].burst = way->burst;
        paths[k].first = way->first;
        left[k][0] = way->i;
        left[k][1] = way->j;
    }
}

/* Follow the alignment of one lane back from its end, by any rule. */
static void go_back(const LaneMemory *memory, const Short *pair, int lane, int words, int32_t ties,
                    Path *path, int64_t left[2]) {
    int64_t i = pair->m, j = pair->n;
    while (i && j) {
        bool hit = pair->reference[SLACK + i - 1] == pair->hypothesis[SLACK + j - 1];
        Cell cell = cell_of(memory, i, j, lane, words);
        uint8_t operation = tie_operation(ties, hit, cell.first, cell.before, cell.here);
        i -= operation != INSERTION;
        j -= operation != DELETION;
        add_operations(path, operation, 1);
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

void align_lanes(const LaneMemory *memory, Group *group, int words, int32_t ties, Path *paths,
                 int64_t left[LANES][2]) {
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
        mark(pair->reference + SLACK, pair->m, words, memory->positions + k * CODES * words);
    }
    switch (ties) {
    case MISWORD_TIES_MISWORD:
        forward_words(memory, group, longest, words, MISWORD_TIES_MISWORD);
        break;
    case MISWORD_TIES_JIWER:
        forward_words(memory, group, longest, words, MISWORD_TIES_JIWER);
        break;
    default: forward_words(memory, group, longest, words, MISWORD_TIES_KALDIALIGN); break;
    }
    if (ties == MISWORD_TIES_MISWORD) {
        go_back_misword(memory, group, words, paths, left);
    } else {
        for (int k = 0; k < group->size; k++) {
            go_back(memory, &group->pairs[k], k, words, ties, &paths[k], left[k]);
        }
    }
    for (int64_t k = 0; k < group->size; k++) {
        const Short *pair = &group->pairs[k];
        unmark(pair->reference + SLACK, pair->m, words, memory->positions + k * CODES * words);
    }
}

bool allocate_lanes(LaneMemory *memory) {
    int64_t vectors = (MOST_HYPOTHESIS + 1) * MOST_WORDS;
    memory->positions = allocate_zeros(LANES, CODES * MOST_WORDS, sizeof *memory->positions);
    memory->first = allocate_table(vectors, LANES, sizeof *memory->first);
    memory->second = allocate_table(vectors, LANES, sizeof *memory->second);
    if (memory->positions && memory->first && memory->second) {
        return true;
    }
    free_lanes(memory);
    return false;
}

void free_lanes(LaneMemory *memory) {
    free(memory->positions);
    free(memory->first);
    free(memory->second);
    *memory = (LaneMemory){NULL, NULL, NULL};
}
