/* Spans of a reference and of a hypothesis that have equal keys, and optional spans. */

#include "block_alignment.h"

/* Numbers of a span in the arrays of the texts. */
enum { START = 0, END = 1, KEY = 2, SPAN = 3 };

/* Whether a span may be left out, and the family that allows it: a key is -1 less its number. */
static bool is_optional(const int64_t *span) { return span[KEY] < 0; }
static uint8_t optional_family(const int64_t *span) { return (uint8_t)(-1 - span[KEY]); }

/* Return how many of some spans are optional. */
static int64_t count_optional(const int64_t *spans, int64_t count) {
    int64_t optional = 0;
    for (int64_t k = 0; k < count; k++) {
        optional += is_optional(spans + SPAN * k);
    }
    return optional;
}

/* Return how many words of a span are after all words up to `end`, which becomes the end of the
 * span if that is later. Spans are given by start. */
static int64_t count_further(const int64_t *span, int64_t *end) {
    int64_t count = greater(span[END] - greater(span[START], *end), 0);
    *end = greater(*end, span[END]);
    return count;
}

/* The spans of a row. */
typedef struct {
    const int64_t *first;
    int64_t count;
} RowSpans;

/* Return the spans of the segments of the reference, or of its written row. */
static RowSpans spans_of_segments(const Search *search) {
    const Texts *texts = &search->texts;
    int64_t first = texts->first_segment[search->reference];
    int64_t at = texts->reference_span_at[first];
    return (RowSpans){texts->reference_spans + SPAN * at,
                      texts->reference_span_at[first + search->signs + 1] - at};
}
static RowSpans spans_of_written_row(const Search *search) {
    const Texts *texts = &search->texts;
    int64_t row = texts->written_row[search->reference];
    if (row < 0) {
        return (RowSpans){texts->reference_spans, 0};
    }
    int64_t at = texts->reference_span_at[row];
    return (RowSpans){texts->reference_spans + SPAN * at, texts->reference_span_at[row + 1] - at};
}

/* Set the number of the key of each span. */
static void set_numbers(Search *search, RowSpans spans, int32_t number) {
    for (int64_t k = 0; k < spans.count; k++) {
        if (!is_optional(spans.first + SPAN * k)) {
            search->key_number[spans.first[SPAN * k + KEY]] = number;
        }
    }
}

/* Give numbers to the keys that both sides have, and count their hypothesis spans. The number of a
 * key of the reference is -1 before. */
static int number_keys(Search *search, const int64_t *heard, int64_t heard_count) {
    int32_t *number = search->key_number;
    search->keys = search->intervals = 0;
    for (int64_t k = 0; k < heard_count; k++) {
        if (is_optional(heard + SPAN * k) || !number[heard[SPAN * k + KEY]]) {
            continue;
        }
        int32_t *own = &number[heard[SPAN * k + KEY]];
        if (*own < 0) {
            if (!make_room(&search->partners, &search->partners_room, search->keys + 1,
                           sizeof *search->partners)) {
                return MISWORD_NO_MEMORY;
            }
            search->partners[search->keys] = (Partners){.shortest = INT32_MAX};
            *own = (int32_t)++search->keys;
        }
        search->partners[*own - 1].to++;
        search->intervals++;
    }
    return MISWORD_OK;
}

/* List the hypothesis spans of the numbered keys, those of one key after those of another. */
static int list_intervals(Search *search, const int64_t *heard, int64_t heard_count) {
    if (!make_room(&search->interval, &search->interval_room, search->intervals,
                   sizeof *search->interval)) {
        return MISWORD_NO_MEMORY;
    }
    int32_t from = 0;
    for (int64_t key = 0; key < search->keys; key++) {
        int32_t count = search->partners[key].to;
        search->partners[key].from = search->partners[key].to = from;
        from += count;
    }
    int64_t end = 0;
    for (int64_t k = 0; k < heard_count; k++) {
        const int64_t *span = heard + SPAN * k;
        int32_t number = is_optional(span) ? 0 : search->key_number[span[KEY]];
        if (number > 0) {
            Partners *partners = &search->partners[number - 1];
            Interval interval = {(int32_t)span[START], (int32_t)span[END]};
            int32_t size = interval.end - interval.start;
            search->covered_heard += count_further(span, &end);
            search->interval[partners->to++] = interval;
            partners->shortest = (int32_t)smaller(partners->shortest, size);
            partners->longest = (int32_t)greater(partners->longest, size);
        }
    }
    return MISWORD_OK;
}

/* List an interval without words at each place of the hypothesis: what optional spans match. */
static int list_empty_intervals(Search *search) {
    int64_t count = search->intervals + search->n + 1;
    if (count > INT32_MAX) {
        return MISWORD_TOO_LARGE;
    }
    if (!make_room(&search->interval, &search->interval_room, count, sizeof *search->interval) ||
        !make_room(&search->partners, &search->partners_room, search->keys + 1,
                   sizeof *search->partners)) {
        return MISWORD_NO_MEMORY;
    }
    search->nothing = (int32_t)search->keys;
    search->partners[search->keys++] =
        (Partners){.from = (int32_t)search->intervals, .to = (int32_t)count};
    for (int32_t j = 0; j <= search->n; j++) {
        search->interval[search->intervals++] = (Interval){j, j};
    }
    return MISWORD_OK;
}

/* List the optional spans of the hypothesis. */
static int list_optional(Search *search, const int64_t *heard, int64_t heard_count) {
    search->optionals = count_optional(heard, heard_count);
    if (!search->optionals) {
        return MISWORD_OK;
    }
    int64_t n = search->n;
    if (search->optionals > INT32_MAX) {
        return MISWORD_TOO_LARGE;
    }
    if (!make_room(&search->optional, &search->optional_room, search->optionals,
                   sizeof *search->optional) ||
        !make_room(&search->ending, &search->ending_room, n + 3, sizeof *search->ending) ||
        !make_room(&search->reach, &search->reach_room, n + 1, sizeof *search->reach)) {
        return MISWORD_NO_MEMORY;
    }
    memset(search->ending, 0, (size_t)(n + 3) * sizeof *search->ending);
    memset(search->reach, 0, (size_t)(n + 1) * sizeof *search->reach);
    for (int64_t k = 0; k < heard_count; k++) {
        const int64_t *span = heard + SPAN * k;
        if (is_optional(span)) {
            int32_t *reach = &search->reach[span[START]];
            *reach = (int32_t)greater(*reach, span[END]);
            search->ending[span[END] + 2]++;
            search->covered_heard += span[END] - span[START];
        }
    }
    for (int64_t j = 1; j <= n; j++) {
        search->reach[j] = (int32_t)greater(search->reach[j], search->reach[j - 1]);
        search->ending[j + 2] += search->ending[j + 1];
    }
    /* `ending[j + 1]` is where the next span that ends before word j is listed. */
    for (int64_t k = 0; k < heard_count; k++) {
        const int64_t *span = heard + SPAN * k;
        if (is_optional(span)) {
            search->optional[search->ending[span[END] + 1]++] =
                (OptionalSpan){(int32_t)span[START], (int32_t)span[END], optional_family(span)};
        }
    }
    return MISWORD_OK;
}

bool differ(const Search *search, const Span *span, const Interval *interval) {
    const int32_t *class_of = search->texts.class_of, *heard = search->hypothesis + interval->start;
    bool same = interval->end - interval->start == span->size;
    for (int32_t k = 0; k < span->size && same; k++) {
        same = class_of[span->words[k]] == class_of[heard[k]];
    }
    return !same;
}

/* Add a span of the reference if its key has a number; its words and segments are set. */
static int add_reference_span(Search *search, const int64_t *listed, Span span, bool *useful) {
    const Texts *texts = &search->texts;
    bool optional = is_optional(listed);
    int32_t number = optional ? search->nothing + 1 : search->key_number[listed[KEY]];
    if (number <= 0) {
        return MISWORD_OK;
    }
    if (!make_room(&search->span, &search->span_room, search->spans + 1, sizeof *search->span)) {
        return MISWORD_NO_MEMORY;
    }
    span.size = (int32_t)(listed[END] - listed[START]);
    span.key = number - 1;
    span.family = optional ? optional_family(listed) : texts->family_of_key[listed[KEY]];
    const Partners *partners = &search->partners[span.key];
    for (int32_t h = partners->from; h < partners->to && !*useful; h++) {
        *useful = differ(search, &span, &search->interval[h]);
    }
    search->span[search->spans++] = span;
    return MISWORD_OK;
}

/* List the spans of the segments that have numbered keys. */
static int list_spans(Search *search, bool *useful) {
    const Texts *texts = &search->texts;
    int64_t first = texts->first_segment[search->reference];
    int status = MISWORD_OK;
    for (int64_t segment = 0; segment <= search->signs; segment++) {
        const int32_t *words = texts->words + texts->segment_at[first + segment];
        int64_t end = 0, spans = search->spans;
        for (int64_t k = texts->reference_span_at[first + segment];
             k < texts->reference_span_at[first + segment + 1] && status == MISWORD_OK; k++) {
            const int64_t *listed = texts->reference_spans + SPAN * k;
            Span span = {.segment = segment,
                         .last_segment = segment,
                         .words = words + listed[START],
                         .place = (int32_t)listed[START],
                         .last_place = (int32_t)listed[END]};
            status = add_reference_span(search, listed, span, useful);
            search->covered += search->spans > spans ? count_further(listed, &end) : 0;
            spans = search->spans;
        }
    }
    return status;
}

/* A word of the written row: the number of its segment in `chosen`, and its place in the segment.
 */
typedef struct {
    int64_t number, place;
} WrittenPlace;

/* Return the place of the word `count` words after another one. */
static WrittenPlace move(const Search *search, WrittenPlace at, int64_t count) {
    const Texts *texts = &search->texts;
    int64_t first = texts->first_segment[search->reference];
    for (at.place += count;; at.number++) {
        int64_t segment = first + texts->chosen[at.number];
        int64_t size = texts->segment_at[segment + 1] - texts->segment_at[segment];
        if (at.place < size) {
            return at;
        }
        at.place -= size;
    }
}

/* List the spans of the written row that have numbered keys. */
static int list_written_spans(Search *search, RowSpans spans, bool *useful) {
    const Texts *texts = &search->texts;
    WrittenPlace at = {texts->chosen_at[search->reference], 0};
    int64_t before = 0, end = 0;
    int status = MISWORD_OK;
    for (int64_t k = 0; k < spans.count && status == MISWORD_OK; k++) {
        const int64_t *listed = spans.first + SPAN * k;
        int64_t row = texts->segment_at[texts->written_row[search->reference]];
        at = move(search, at, listed[START] - before);
        before = listed[START];
        WrittenPlace last = move(search, at, listed[END] - listed[START] - 1);
        Span span = {.segment = texts->chosen[at.number],
                     .last_segment = texts->chosen[last.number],
                     .words = texts->words + row + listed[START],
                     .place = (int32_t)at.place,
                     .last_place = (int32_t)last.place + 1};
        status = add_reference_span(search, listed, span, useful);
        search->covered += count_further(listed, &end);
    }
    return status;
}

int find_spans(Search *search, int64_t hypothesis, bool *useful) {
    const Texts *texts = &search->texts;
    RowSpans spans = spans_of_segments(search), written = spans_of_written_row(search);
    int64_t heard_at = texts->hypothesis_span_at[hypothesis];
    int64_t heard_count = texts->hypothesis_span_at[hypothesis + 1] - heard_at;
    const int64_t *heard = texts->hypothesis_spans + SPAN * heard_at;
    search->spans = search->covered = search->covered_heard = 0;
    *useful = false;
    int status = list_optional(search, heard, heard_count);
    bool optional = count_optional(spans.first, spans.count) > 0 ||
                    count_optional(written.first, written.count) > 0;
    bool none = !spans.count && !written.count;
    if (status != MISWORD_OK || (!optional && (none || !heard_count))) {
        return status;
    }
    set_numbers(search, spans, -1);
    set_numbers(search, written, -1);
    status = number_keys(search, heard, heard_count);
    if (status == MISWORD_OK && search->keys) {
        status = list_intervals(search, heard, heard_count);
    }
    if (status == MISWORD_OK && optional) {
        status = list_empty_intervals(search);
    }
    if (status == MISWORD_OK && search->keys) {
        status = list_spans(search, useful);
    }
    if (status == MISWORD_OK && search->keys) {
        status = list_written_spans(search, written, useful);
    }
    set_numbers(search, spans, 0);
    set_numbers(search, written, 0);
    return status;
}
