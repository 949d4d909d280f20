/* Words of speakers: alignment within limits of time, and segments given to streams of words. */

#include "common.h"

/* ---- alignment within limits of time ----
 *
 * A cell is the number of errors times 2^32 minus the number of hits, so that the smallest value
 * has the fewest errors and, among equal ones, the most hits. */

enum { ERROR_BITS = 32 };

typedef struct {
    const int32_t *ids;
    const double *begin, *end;
    int64_t size;
} TimedWords;

static inline bool overlap(const TimedWords *a, int64_t i, const TimedWords *b, int64_t j) {
    return a->begin[i] < b->end[j] && b->begin[j] < a->end[i];
}

/* Fill the greatest end of the words up to each, and the least begin of the words from each on. */
static void find_limits(const TimedWords *words, double *last_end, double *first_begin) {
    for (int64_t i = 0; i < words->size; i++) {
        bool larger = !i || words->end[i] > last_end[i - 1];
        last_end[i] = larger ? words->end[i] : last_end[i - 1];
    }
    for (int64_t i = words->size - 1; i >= 0; i--) {
        bool smaller_one = i + 1 == words->size || words->begin[i] < first_begin[i + 1];
        first_begin[i] = smaller_one ? words->begin[i] : first_begin[i + 1];
    }
}

/* Return the last cell of the edit matrix. `row` has room for the hypothesis words and one more;
 * `limits` for both limits of both sides.
 *
 * In each row only the columns from `low` to `high` can have hits or substitutions in this row or,
 * to the left of `low`, in a later one: to the left of it all steps are deletions, to the right
 * insertions. */
static int64_t timed_distance(const TimedWords *said, const TimedWords *heard, int64_t *row,
                              double *limits) {
    const int64_t error = (int64_t)1 << ERROR_BITS;
    double *said_end = limits, *said_begin = said_end + said->size;
    double *heard_end = said_begin + said->size, *heard_begin = heard_end + heard->size;
    find_limits(said, said_end, said_begin);
    find_limits(heard, heard_end, heard_begin);
    int64_t low = 0, high = 0; /* columns: words of the hypothesis that are before them */
    row[0] = 0;
    for (int64_t i = 0; i < said->size; i++) {
        while (low < heard->size && heard_end[low] <= said_begin[i]) {
            low++;
        }
        int64_t from = high;
        while (high < heard->size && heard_begin[high] < said_end[i]) {
            high++;
        }
        high = greater(high, low);
        for (int64_t j = from; j < high; j++) {
            row[j + 1] = row[j] + error;
        }
        int64_t diagonal = row[low];
        row[low] += error;
        for (int64_t j = low; j < high; j++) {
            int64_t above = row[j + 1];
            int64_t best = smaller(row[j], above) + error;
            if (overlap(said, i, heard, j)) {
                bool hit = said->ids[i] == heard->ids[j];
                best = smaller(best, diagonal + (hit ? -1 : error));
            }
            diagonal = above;
            row[j + 1] = best;
        }
    }
    return row[high] + (heard->size - high) * error;
}

int misword_count_timed(const int32_t *reference, const int64_t *reference_at,
                        const double *reference_begin, const double *reference_end,
                        const int32_t *hypothesis, const int64_t *hypothesis_at,
                        const double *hypothesis_begin, const double *hypothesis_end,
                        const int64_t *pairs, int64_t lo, int64_t hi, int64_t *counts) {
    int64_t longest = 0, words = 0;
    for (int64_t p = lo; p < hi; p++) {
        const int64_t *said = reference_at + pairs[2 * p],
                      *heard = hypothesis_at + pairs[2 * p + 1];
        longest = greater(longest, heard[1] - heard[0]);
        words = greater(words, said[1] - said[0] + heard[1] - heard[0]);
    }
    int64_t *row = allocate(longest + 1, sizeof *row);
    double *limits = allocate_table(2, words, sizeof *limits);
    bool enough = row && limits;
    for (int64_t p = lo; enough && p < hi; p++) {
        int64_t r = reference_at[pairs[2 * p]], h = hypothesis_at[pairs[2 * p + 1]];
        TimedWords said = {reference + r, reference_begin + r, reference_end + r,
                           reference_at[pairs[2 * p] + 1] - r};
        TimedWords heard = {hypothesis + h, hypothesis_begin + h, hypothesis_end + h,
                            hypothesis_at[pairs[2 * p + 1] + 1] - h};
        int64_t last = timed_distance(&said, &heard, row, limits);
        int64_t errors = (last + ((int64_t)1 << ERROR_BITS) - 1) >> ERROR_BITS;
        int64_t hits = (errors << ERROR_BITS) - last;
        /* hits + substitutions + deletions are the reference words, hits + substitutions +
         * insertions those of the hypothesis. */
        int64_t substitutions = said.size + heard.size - 2 * hits - errors;
        int64_t *out = counts + 4 * p;
        out[HIT] = hits;
        out[SUBSTITUTION] = substitutions;
        out[INSERTION] = heard.size - hits - substitutions;
        out[DELETION] = said.size - hits - substitutions;
    }
    free(row);
    free(limits);
    return enough ? MISWORD_OK : MISWORD_NO_MEMORY;
}

/* ---- segments given to streams ----
 *
 * The distances of a text from all beginnings of a stream are a column of the edit matrix. Two
 * neighbours differ by at most 1, so a column is two bit vectors: where the next is 1 more, and
 * where it is 1 less (Myers 1999; Hyyrö 2004 for words longer than 64). Without substitutions
 * neighbours always differ; then the second vector is the complement of the first. */

typedef struct {
    const uint64_t *masks; /* for each distinct token of the stream, where it stands */
    const int32_t *token_of;
    int64_t size, words; /* tokens, and words of 64 bits */
    bool reversed;
} Stream;

typedef struct {
    int64_t first; /* the distance from the empty beginning: the tokens of the text */
    uint64_t *more, *less;
} Column;

/* The mask of all 0 is that of tokens that are not in the stream. */
static inline const uint64_t *mask_of(const Stream *stream, int32_t id) {
    return stream->masks + (int64_t)stream->token_of[id] * stream->words;
}

static void begin_column(const Stream *stream, Column *column) {
    column->first = 0;
    memset(column->more, 0xff, (size_t)stream->words * sizeof *column->more);
    memset(column->less, 0, (size_t)stream->words * sizeof *column->less);
}

static void copy_column(const Stream *stream, Column *to, const Column *from) {
    to->first = from->first;
    memcpy(to->more, from->more, (size_t)stream->words * sizeof *to->more);
    memcpy(to->less, from->less, (size_t)stream->words * sizeof *to->less);
}

/* Add a token to the text of a column, with substitutions as one error. */
static void add_unit(const Stream *stream, Column *column, int32_t id) {
    const uint64_t *mask = mask_of(stream, id);
    uint64_t up = 1, down = 0; /* the horizontal difference that enters a word: +1 at first */
    for (int64_t w = 0; w < stream->words; w++) {
        uint64_t more = column->more[w], less = column->less[w], equal = mask[w];
        uint64_t vertical = equal | less;
        equal |= down;
        uint64_t horizontal = (((equal & more) + more) ^ more) | equal;
        uint64_t rises = less | ~(horizontal | more), falls = more & horizontal;
        uint64_t next_up = rises >> 63, next_down = falls >> 63;
        rises = rises << 1 | up;
        falls = falls << 1 | down;
        column->more[w] = falls | ~(vertical | rises);
        column->less[w] = rises & vertical;
        up = next_up;
        down = next_down;
    }
    column->first++;
}

/* Add a token to the text of a column, with substitutions as two errors. */
static void add_indel(const Stream *stream, Column *column, int32_t id) {
    const uint64_t *mask = mask_of(stream, id);
    uint64_t carry = 0;
    for (int64_t w = 0; w < stream->words; w++) {
        uint64_t more = column->more[w], matched = more & mask[w];
        uint64_t sum = more + matched, with_carry = sum + carry;
        carry = (sum < more) | (with_carry < sum);
        column->more[w] = with_carry | (more & ~matched);
        column->less[w] = ~column->more[w];
    }
    column->first++;
}

static void add_segment(const Stream *stream, Column *column, const int32_t *ids, int64_t size,
                        bool indel) {
    for (int64_t k = 0; k < size; k++) {
        int32_t id = ids[stream->reversed ? size - 1 - k : k];
        if (indel) {
            add_indel(stream, column, id);
        } else {
            add_unit(stream, column, id);
        }
    }
}

static inline int64_t step_of(const Column *column, int64_t at) {
    int64_t more = (int64_t)(column->more[at >> 6] >> (at & 63) & 1);
    return more - (int64_t)(column->less[at >> 6] >> (at & 63) & 1);
}

static int64_t last_of(const Column *column, int64_t size) {
    int64_t value = column->first;
    for (int64_t w = 0; w < size >> 6; w++) {
        value += count_bits(column->more[w]) - count_bits(column->less[w]);
    }
    if (size & 63) {
        uint64_t inside = ((uint64_t)1 << (size & 63)) - 1;
        value += count_bits(column->more[size >> 6] & inside);
        value -= count_bits(column->less[size >> 6] & inside);
    }
    return value;
}

/* Return the distance of a text from a stream, from the column of its beginning and that of its
 * end, which is read from the end of the stream. */
static int64_t joined_distance(const Column *forward, const Column *backward, int64_t size) {
    int64_t sum = forward->first + last_of(backward, size), best = sum;
    for (int64_t at = 0; at < size; at++) {
        sum += step_of(forward, at) - step_of(backward, size - 1 - at);
        best = smaller(best, sum);
    }
    return best;
}

/* The streams, with the columns and distances of one pass over the segments. */
typedef struct {
    const int32_t *ids;
    const int64_t *at;
    int64_t segments, streams, widest;
    Stream *forward, *backward;
    Column *columns;    /* of each stream: its segments before the current one */
    Column *updated;    /* the same with the current segment */
    Column *behind;     /* of each segment: what is on its stream from it on */
    Column *nothing;    /* of each stream: an empty end */
    int64_t *following; /* of each segment: the next of its stream, or -1 */
    int64_t *first;     /* of each stream: its first segment from the current one on, or -1 */
    int64_t *distance;
    bool indel;
} Pass;

static const Column *column_behind(const Pass *pass, int64_t stream, int64_t segment) {
    return segment < 0 ? &pass->nothing[stream] : &pass->behind[segment];
}

/* Compute what is behind each segment on its stream, and the distance of each stream. */
static void look_back(Pass *pass, const int64_t *assignment) {
    for (int64_t s = 0; s < pass->streams; s++) {
        pass->first[s] = -1;
        begin_column(&pass->backward[s], &pass->nothing[s]);
        begin_column(&pass->forward[s], &pass->columns[s]);
    }
    for (int64_t k = pass->segments - 1; k >= 0; k--) {
        int64_t s = assignment[k];
        pass->following[k] = pass->first[s];
        copy_column(&pass->backward[s], &pass->behind[k], column_behind(pass, s, pass->first[s]));
        add_segment(&pass->backward[s], &pass->behind[k], pass->ids + pass->at[k],
                    pass->at[k + 1] - pass->at[k], pass->indel);
        pass->first[s] = k;
    }
    for (int64_t s = 0; s < pass->streams; s++) {
        pass->distance[s] = last_of(column_behind(pass, s, pass->first[s]), pass->forward[s].size);
    }
}

/* Move each segment to the stream where it costs least; return whether one was moved. */
static bool improve(Pass *pass, int64_t *assignment, int64_t *with, int64_t *without) {
    bool moved = false;
    look_back(pass, assignment);
    for (int64_t k = 0; k < pass->segments; k++) {
        int64_t own = assignment[k], best = 0;
        for (int64_t s = 0; s < pass->streams; s++) {
            const Stream *stream = &pass->forward[s];
            copy_column(stream, &pass->updated[s], &pass->columns[s]);
            add_segment(stream, &pass->updated[s], pass->ids + pass->at[k],
                        pass->at[k + 1] - pass->at[k], pass->indel);
            int64_t next = s == own ? pass->following[k] : pass->first[s];
            const Column *behind = column_behind(pass, s, next);
            const Column *before = s == own ? &pass->columns[s] : &pass->updated[s];
            int64_t other = joined_distance(before, behind, stream->size);
            with[s] = s == own ? pass->distance[s] : other;
            without[s] = s == own ? other : pass->distance[s];
            if (with[s] - without[s] < with[best] - without[best]) {
                best = s;
            }
        }
        if (with[best] - without[best] == with[own] - without[own]) {
            best = own;
        }
        copy_column(&pass->forward[best], &pass->columns[best], &pass->updated[best]);
        pass->first[own] = pass->following[k];
        if (best != own) {
            pass->distance[best] = with[best];
            pass->distance[own] = without[own];
            assignment[k] = best;
            moved = true;
        }
    }
    return moved;
}

/* Fill the masks of a stream; the number of a token is 0 if it is not in the stream. */
static void fill_masks(const int32_t *ids, int64_t size, int64_t words, bool reversed,
                       const int32_t *token_of, uint64_t *masks) {
    for (int64_t k = 0; k < size; k++) {
        int64_t place = reversed ? size - 1 - k : k;
        masks[(int64_t)token_of[ids[k]] * words + (place >> 6)] |= (uint64_t)1 << (place & 63);
    }
}

/* Number the distinct tokens of a stream from 1; return their number. */
static int64_t number_tokens(const int32_t *ids, int64_t size, int32_t *token_of) {
    int32_t distinct = 0;
    for (int64_t k = 0; k < size; k++) {
        if (!token_of[ids[k]]) {
            token_of[ids[k]] = ++distinct;
        }
    }
    return distinct;
}

/* Point columns to memory of `words` words for each of the two vectors; return the memory behind.
 */
static uint64_t *place_columns(Column *columns, int64_t count, int64_t words, uint64_t *memory) {
    for (int64_t k = 0; k < count; k++) {
        columns[k] = (Column){0, memory, memory + words};
        memory += 2 * words;
    }
    return memory;
}

int misword_assign_segments(const int32_t *ids, const int64_t *at, int64_t segments,
                            const int32_t *stream_ids, const int64_t *stream_at, int64_t streams,
                            int64_t vocabulary, int64_t passes, int64_t *assignment,
                            int64_t *distance) {
    int64_t widest = 1;
    for (int64_t s = 0; s < streams; s++) {
        widest = greater(widest, (stream_at[s + 1] - stream_at[s] + 63) >> 6);
    }
    int64_t columns = segments + 3 * streams;
    Stream *sides = allocate_table(2, streams, sizeof *sides);
    Column *all = allocate(columns, sizeof *all);
    uint64_t *bits = allocate_table(columns, 2 * widest, sizeof *bits);
    int64_t *numbers = allocate(segments + 4 * streams, sizeof *numbers);
    int32_t *token_of = allocate_zeros(streams, vocabulary, sizeof *token_of);
    uint64_t **masks = allocate_zeros(2, streams, sizeof *masks);
    bool enough = sides && all && bits && numbers && token_of && masks;
    for (int64_t s = 0; enough && s < streams; s++) {
        const int32_t *own = stream_ids + stream_at[s];
        int32_t *numbered = token_of + s * vocabulary;
        int64_t size = stream_at[s + 1] - stream_at[s], words = greater((size + 63) >> 6, 1);
        int64_t distinct = number_tokens(own, size, numbered);
        for (int64_t side = 0; side < 2; side++) {
            uint64_t *table = masks[2 * s + side] =
                allocate_zeros(distinct + 1, words, sizeof *table);
            if (!table) {
                enough = false;
                break;
            }
            fill_masks(own, size, words, side == 1, numbered, table);
            sides[side * streams + s] = (Stream){table, numbered, size, words, side == 1};
        }
    }
    if (enough) {
        place_columns(all, columns, widest, bits);
        Pass pass = {
            .ids = ids,
            .at = at,
            .segments = segments,
            .streams = streams,
            .widest = widest,
            .forward = sides,
            .backward = sides + streams,
            .columns = all,
            .updated = all + streams,
            .nothing = all + 2 * streams,
            .behind = all + 3 * streams,
            .following = numbers,
            .first = numbers + segments,
            .distance = numbers + segments + streams,
        };
        int64_t *with = pass.distance + streams, *without = with + streams;
        for (int round = 0; round < 2; round++) { /* first without substitutions */
            pass.indel = round == 0;
            for (int64_t n = 0; n < passes && improve(&pass, assignment, with, without); n++) {
            }
        }
        *distance = 0;
        for (int64_t s = 0; s < streams; s++) {
            *distance += pass.distance[s];
        }
    }
    for (int64_t k = 0; masks && k < 2 * streams; k++) {
        free(masks[k]);
    }
    free(masks);
    free(token_of);
    free(numbers);
    free(bits);
    free(all);
    free(sides);
    return enough ? MISWORD_OK : MISWORD_NO_MEMORY;
}
