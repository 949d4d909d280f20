/* Alignments with blocks of words that match at no cost: the pairs, one after the other. */

#include "block_alignment.h"

#include <math.h>

/* Return how many of some words are optional. */
static int64_t count_optional(const Search *search, const int32_t *words, int64_t size) {
    int64_t count = 0;
    for (int64_t k = 0; k < size; k++) {
        count += search->texts.optional[words[k]] != NOT_OPTIONAL;
    }
    return count;
}

/* Prepare the hypothesis: classes of words, costs of insertions. */
static int set_hypothesis(Search *search) {
    int64_t n = search->n;
    if (!make_room(&search->class, &search->class_room, n, sizeof *search->class) ||
        !make_room(&search->insert, &search->insert_room, n, sizeof *search->insert) ||
        !make_room(&search->inserted, &search->inserted_room, n + 1, sizeof *search->inserted) ||
        !make_room(&search->needed_after, &search->needed_room, n + 1,
                   sizeof *search->needed_after)) {
        return MISWORD_NO_MEMORY;
    }
    search->inserted[0] = 0;
    search->needed_after[n] = 0;
    for (int64_t j = 0; j < n; j++) {
        int32_t word = search->hypothesis[j];
        bool optional = search->texts.optional[word] != NOT_OPTIONAL;
        int64_t cost = optional ? search->forgiven : search->insertion * search->unit;
        search->class[j] = search->texts.class_of[word];
        search->insert[j] = (int32_t)cost;
        search->inserted[j + 1] = search->inserted[j] + cost;
    }
    for (int64_t j = n; j > 0; j--) {
        bool optional = search->texts.optional[search->hypothesis[j - 1]] != NOT_OPTIONAL;
        bool within = search->optionals && search->reach[j - 1] >= j;
        search->needed_after[j - 1] = search->needed_after[j] + !(optional || within);
    }
    return MISWORD_OK;
}

/* Prepare the graph and the hypothesis. If forgiven words count, the unit of prices is greater than
 * the number of words that can be forgiven and of alternatives that can be empty, so that a path of
 * a lower price has a lower cost. */
static int prepare(Search *search, bool forgiven_count) {
    search->unit = forgiven_count ? (int32_t)search->forgivable + 1 : 1;
    search->forgiven = forgiven_count;
    search->empty = forgiven_count && search->count_empty;
    int status = build_graph(search);
    return status == MISWORD_OK ? set_hypothesis(search) : status;
}

/* Compute the rows within a bound of the price, or greater bounds if there is no path within it.
 * The price of the best path is set. */
static int search_within(Search *search, int64_t bound, int64_t *price) {
    int64_t most = search->size * search->deletion + search->n * search->insertion;
    /* Rows between two checkpoints and the rows of all checkpoints take about equal memory. */
    int64_t even = (search->n + 1) * (int64_t)sqrt((double)search->nodes);
    search->budget = greater(search->least_budget, even);
    int status = MISWORD_OK;
    for (*price = -1; *price < 0 && status == MISWORD_OK; bound = 2 * bound + 1) {
        bound = smaller(bound, most);
        if (bound >= GREATEST_COST / search->unit) {
            return MISWORD_TOO_LARGE;
        }
        search->limit = (bound + 1) * search->unit - 1;
        status = compute_rows(search, price);
    }
    return status;
}

/* Matrices of at most this many cells are computed as a whole if no bound is known. */
enum { SMALL_MATRIX = 1 << 12 };

/* Compute the rows of a pair. The costs of all cells of a long pair may not fit 32 bits. Then the
 * price is found first, and forgiven words are counted near the paths of that price only, or not at
 * all if these costs do not fit either. */
static int search_pair(Search *search, int64_t bound) {
    int64_t greatest = greater(greater(search->substitution, search->deletion), search->insertion);
    int64_t words = search->size + search->n + 2;
    if (words > GREATEST_COST / greatest) {
        return MISWORD_TOO_LARGE;
    }
    bool fits = search->forgivable < GREATEST_COST / (words * greatest);
    if (bound < 0) {
        bool is_small = (search->size + 1) * (search->n + 1) <= SMALL_MATRIX;
        bound = is_small ? words * greatest : 16 + greater(search->size, search->n) / 16;
    }
    int64_t price, again;
    int status = prepare(search, fits);
    status = status == MISWORD_OK ? search_within(search, bound, &price) : status;
    if (status != MISWORD_OK || fits) {
        return status;
    }
    status = MISWORD_TOO_LARGE;
    if (search->forgivable < GREATEST_COST / greatest) {
        status = prepare(search, true);
        status = status == MISWORD_OK ? search_within(search, price, &again) : status;
    }
    if (status == MISWORD_TOO_LARGE) {
        status = prepare(search, false);
        status = status == MISWORD_OK ? search_within(search, price, &again) : status;
    }
    return status;
}

/* Align a pair; the first operation and the first word of the reading are set, to NULL if the texts
 * are aligned as they are written. */
static int align_pair(Search *search, int64_t reference, int64_t hypothesis, int64_t bound,
                      uint8_t **ops, int32_t **reading) {
    const Texts *texts = &search->texts;
    int64_t segment = texts->first_segment[reference], at = texts->hypothesis_at[hypothesis];
    search->reference = reference;
    search->signs = texts->sign_at[reference + 1] - texts->sign_at[reference];
    const int32_t *words = texts->words + texts->segment_at[segment];
    search->size = texts->segment_at[segment + search->signs + 1] - texts->segment_at[segment];
    search->hypothesis = texts->hypothesis + at;
    search->n = texts->hypothesis_at[hypothesis + 1] - at;
    *reading = search->signs ? *reading : NULL;
    if (!search->signs && !bound) {
        *ops = NULL;
        return MISWORD_OK;
    }
    bool useful;
    int64_t optional = count_optional(search, words, search->size);
    int64_t optional_heard = count_optional(search, search->hypothesis, search->n);
    int status = find_spans(search, hypothesis, &useful);
    bool plain = !search->signs && !optional && !optional_heard;
    if (status == MISWORD_OK && plain && !useful && !search->optionals) {
        *ops = NULL;
        return status;
    }
    search->spans = useful ? search->spans : 0;
    search->forgivable = smaller(search->covered + optional, search->size) +
                         smaller(search->covered_heard + optional_heard, search->n) +
                         (search->count_empty ? search->signs : 0);
    status = status == MISWORD_OK ? search_pair(search, bound) : status;
    return status == MISWORD_OK ? follow_path(search, ops, reading) : status;
}

/* Free the memory of a search. */
static void free_search(Search *search) {
    void *memory[] = {
        search->key_number, search->span,         search->interval, search->partners,
        search->node,       search->ends,         search->segment,  search->open,
        search->class,      search->insert,       search->inserted, search->block,
        search->cell,       search->needed_after, search->kept,     search->checkpoint,
        search->kept_block, search->optional,     search->ending,   search->reach};
    for (size_t k = 0; k < sizeof memory / sizeof *memory; k++) {
        free(memory[k]);
    }
}

int misword_align_blocks(const int32_t *words, const int64_t *segment_at,
                         const int64_t *first_segment, const uint8_t *signs, const int64_t *sign_at,
                         const int64_t *written_row, const int64_t *chosen,
                         const int64_t *chosen_at, const int32_t *hypothesis,
                         const int64_t *hypothesis_at, const int32_t *class_of,
                         const uint8_t *optional, const int64_t *reference_spans,
                         const int64_t *reference_span_at, const int64_t *hypothesis_spans,
                         const int64_t *hypothesis_span_at, const uint8_t *family_of_key,
                         int64_t keys, const int64_t *costs, const int64_t *bounds, int64_t budget,
                         const int64_t *pairs, int64_t lo, int64_t hi, int32_t *readings,
                         int64_t *reading_slots, uint8_t *ops, int64_t *slots) {
    Search search = {
        .texts = {words, segment_at, first_segment, signs, sign_at, written_row, chosen, chosen_at,
                  hypothesis, hypothesis_at, class_of, optional, reference_spans, reference_span_at,
                  hypothesis_spans, hypothesis_span_at, family_of_key},
        .substitution = costs[0],
        .deletion = costs[1],
        .insertion = costs[2],
        .count_empty = costs[3] != 0,
        .least_budget = budget,
        .key_number = allocate_zeros(keys, 1, sizeof *search.key_number),
    };
    int status = search.key_number ? MISWORD_OK : MISWORD_NO_MEMORY;
    for (int64_t p = lo; p < hi && status == MISWORD_OK; p++) {
        uint8_t *first = ops + slots[p];
        int32_t *reading = readings + reading_slots[p];
        status = align_pair(&search, pairs[2 * p], pairs[2 * p + 1], bounds[p], &first, &reading);
        slots[p] = first ? first - ops : -1;
        reading_slots[p] = first && reading ? reading - readings : -1;
    }
    free_search(&search);
    return status;
}
