/* Errors in spans of words, from alignments. */

#include "common.h"

/* Numbers of a row of counts. */
enum { CLASS, WORDS, SUBSTITUTED, MISSED, ADDED, SPANS, FOUND };

/* The words of one side of a pair. For each word, and for the end: how many words before it are
 * substituted, how many are missed, and how many words of the other side are before it. */
typedef struct {
    int32_t *substituted, *missed, *added;
    int64_t count;
} Words;

/* The operations of all pairs, and the forgiven blocks that were not read yet. */
typedef struct {
    const uint8_t *ops;
    const int64_t *blocks, *last_block, *sizes;
    uint8_t other;
} Steps;

/* Read the words of the steps `from` to `to` - 1. */
static void read_words(Steps *steps, int64_t from, int64_t to, Words *words) {
    int32_t substituted = 0, missed = 0, added = 0;
    int64_t word = 0;
    while (steps->blocks < steps->last_block && *steps->blocks < from) {
        steps->blocks++;
        steps->sizes++;
    }
    for (int64_t step = from; step < to; step++) {
        uint8_t op = steps->ops[step];
        int64_t size = 1;
        if (steps->blocks < steps->last_block && *steps->blocks == step) {
            size = *steps->sizes++;
            steps->blocks++;
        } else if (op == steps->other) {
            added++;
            continue;
        }
        for (int64_t end = word + size; word < end; word++) {
            words->substituted[word] = substituted;
            words->missed[word] = missed;
            words->added[word] = added;
        }
        substituted += op == SUBSTITUTION;
        missed += op != SUBSTITUTION && op != HIT;
    }
    words->substituted[word] = substituted;
    words->missed[word] = missed;
    words->count = word;
}

/* Add a span to the counts of its class. `reached` is where the words of earlier spans of the class
 * end. */
static void add_span(const Words *words, const int32_t *span, int32_t *counts, int32_t *reached) {
    int32_t start = span[0], end = span[1];
    int32_t own = (int32_t)smaller(greater(start, *reached), end);
    int32_t inside = words->added[end - 1] - words->added[start];
    int32_t errors = words->substituted[end] - words->substituted[start] + words->missed[end] -
                     words->missed[start] + inside;
    counts[WORDS] += end - own;
    counts[SUBSTITUTED] += words->substituted[end] - words->substituted[own];
    counts[MISSED] += words->missed[end] - words->missed[own];
    counts[ADDED] += own == start ? inside : 0;
    counts[SPANS]++;
    counts[FOUND] += !errors;
    *reached = (int32_t)greater(*reached, end);
}

static int compare_classes(const void *left, const void *right) {
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

/* Order rows of counts by class. */
static void sort_rows(int32_t *rows, int64_t count) {
    for (int64_t k = 1; k < count; k++) {
        if (rows[MISWORD_SPAN_COUNTS * k] < rows[MISWORD_SPAN_COUNTS * (k - 1)]) {
            qsort(rows, (size_t)count, MISWORD_SPAN_COUNTS * sizeof *rows, compare_classes);
            return;
        }
    }
}

/* Where the counts of a class are, if that is after the rows of earlier pairs, and `reached`. */
typedef struct {
    int64_t row;
    int32_t reached;
} ClassState;

/* Count the spans of one pair; `count` is the number of rows before and after. */
static int count_pair(const Words *words, const int32_t *spans, const int32_t *last_span,
                      ClassState *state, int32_t *counts, int64_t *count) {
    int64_t first = *count;
    for (const int32_t *span = spans; span < last_span; span += MISWORD_SPAN) {
        if (span[0] < 0 || span[0] >= span[1] || span[1] > words->count) {
            return MISWORD_MISMATCH;
        }
        ClassState *own = &state[span[2]];
        if (own->row < first) {
            *own = (ClassState){.row = (*count)++};
            int32_t *row = counts + MISWORD_SPAN_COUNTS * own->row;
            memset(row, 0, MISWORD_SPAN_COUNTS * sizeof *row);
            row[CLASS] = span[2];
        }
        add_span(words, span, counts + MISWORD_SPAN_COUNTS * own->row, &own->reached);
    }
    sort_rows(counts + MISWORD_SPAN_COUNTS * first, *count - first);
    return MISWORD_OK;
}

/* Return room for the words of the longest pair: its steps and the words of all blocks. */
static int64_t most_words(const int64_t *op_at, int64_t pairs, const int64_t *sizes,
                          int64_t forgiven) {
    int64_t most = 0;
    for (int64_t pair = 0; pair < pairs; pair++) {
        most = greater(most, op_at[pair + 1] - op_at[pair]);
    }
    for (int64_t block = 0; block < forgiven; block++) {
        most += sizes[block];
    }
    return most + 1;
}

int misword_count_spans(const uint8_t *ops, const int64_t *op_at, int64_t pairs,
                        const int64_t *blocks, const int64_t *sizes, int64_t forgiven,
                        int32_t other, const int64_t *row_of, const int32_t *spans,
                        const int64_t *span_at, int64_t classes, int32_t *counts,
                        int64_t *counted_at) {
    int64_t room = most_words(op_at, pairs, sizes, forgiven), count = 0;
    if (room > INT32_MAX) {
        return MISWORD_TOO_LARGE;
    }
    Steps steps = {ops, blocks, blocks + forgiven, sizes, (uint8_t)other};
    int32_t *scratch = allocate_table(3, room, sizeof *scratch);
    ClassState *state = allocate(classes, sizeof *state);
    int status = scratch && state ? MISWORD_OK : MISWORD_NO_MEMORY;
    for (int64_t class = 0; class < classes && status == MISWORD_OK; class++) {
        state[class].row = -1;
    }
    counted_at[0] = 0;
    for (int64_t pair = 0; pair < pairs && status == MISWORD_OK; pair++) {
        int64_t first = span_at[row_of[pair]], last = span_at[row_of[pair] + 1];
        if (first < last) {
            Words words = {scratch, scratch + room, scratch + 2 * room, 0};
            read_words(&steps, op_at[pair], op_at[pair + 1], &words);
            status = count_pair(&words, spans + MISWORD_SPAN * first, spans + MISWORD_SPAN * last,
                                state, counts, &count);
        }
        counted_at[pair + 1] = count;
    }
    free(scratch);
    free(state);
    return status;
}
