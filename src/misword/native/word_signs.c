/* What the words of texts show: loops, letters by class, and the language by its function words.
 */

#include "common.h"

/* The classes of the words of one row, and which of its words are repeated. */
typedef struct {
    int32_t *classes;
    uint8_t *repeated;
    int64_t room;
} Row;

static bool make_room(Row *row, int64_t words) {
    if (words <= row->room) {
        return true;
    }
    free(row->classes);
    free(row->repeated);
    row->room = 2 * words;
    row->classes = allocate(row->room, sizeof *row->classes);
    row->repeated = allocate(row->room, 1);
    return row->classes && row->repeated;
}

/* Mark the words of a row that repeat the word `size` places before, in runs of at least `fewest`
 * such words. A run of this length has one of every `fewest` places, so only these are examined
 * until one is found. Returns whether there is a run. */
static bool mark_repeated(Row *row, int64_t words, int64_t size, int64_t fewest) {
    const int32_t *classes = row->classes;
    bool found = false;
    int64_t end = size; /* no word before it belongs to a run that is not marked */
    for (int64_t at = size + fewest - 1; at < words; at += fewest) {
        if (classes[at] != classes[at - size]) {
            continue;
        }
        int64_t from = at, to = at + 1;
        while (from > end && classes[from - 1] == classes[from - 1 - size]) {
            from--;
        }
        while (to < words && classes[to] == classes[to - size]) {
            to++;
        }
        if (to - from >= fewest) {
            if (!found && !row->repeated[words]) {
                memset(row->repeated, 0, (size_t)words);
                row->repeated[words] = 1;
            }
            memset(row->repeated + from, 1, (size_t)(to - from));
            found = true;
        }
        end = to;
        at = to;
    }
    return found;
}

int misword_count_repeated(const int32_t *ids, const int64_t *at, const int32_t *class_of,
                           const int64_t *rows, int64_t count, int64_t longest, int64_t of_word,
                           int64_t of_phrase, int64_t *repeated) {
    Row row = {NULL, NULL, 0};
    int status = MISWORD_OK;
    for (int64_t k = 0; k < count && status == MISWORD_OK; k++) {
        int64_t first = at[rows[k]], words = at[rows[k] + 1] - first;
        repeated[k] = 0;
        if (!make_room(&row, words + 1)) {
            status = MISWORD_NO_MEMORY;
            break;
        }
        for (int64_t i = 0; i < words; i++) {
            row.classes[i] = class_of[ids[first + i]];
        }
        bool found = false;
        row.repeated[words] = 0; /* nothing is marked yet */
        for (int64_t size = 1; size <= smaller(longest, words - 1); size++) {
            int64_t times = size == 1 ? of_word : of_phrase;
            found |= mark_repeated(&row, words, size, size * (times - 1));
            if (size == 1 && found && !memchr(row.repeated + 1, 0, (size_t)(words - 1))) {
                break; /* the whole row repeats its first word */
            }
        }
        for (int64_t i = 0; found && i < words; i++) {
            repeated[k] += row.repeated[i];
        }
    }
    free(row.classes);
    free(row.repeated);
    return status;
}

void misword_sum_weights(const int32_t *ids, const int64_t *at, const int64_t *rows, int64_t count,
                         const int32_t *weights, int64_t columns, int64_t *sums) {
    memset(sums, 0, (size_t)(count * columns) * sizeof *sums);
    for (int64_t k = 0; k < count; k++) {
        for (int64_t i = at[rows[k]]; i < at[rows[k] + 1]; i++) {
            const int32_t *of_word = weights + ids[i] * columns;
            for (int64_t c = 0; c < columns; c++) {
                sums[k * columns + c] += of_word[c];
            }
        }
    }
}

/* Count the function words of each language in one row. */
static void count_languages(const int32_t *ids, int64_t first, int64_t end,
                            const uint32_t *languages, int64_t *counts) {
    for (int64_t i = first; i < end; i++) {
        for (uint32_t left = languages[ids[i]]; left; left &= left - 1) {
            counts[lowest_bit(left)]++;
        }
    }
}

/* Return whether a row has at least `distinct` different function words of a language. */
static bool has_distinct(const int32_t *ids, int64_t first, int64_t end, const uint32_t *languages,
                         const int32_t *class_of, int language, int64_t distinct) {
    int32_t seen[MISWORD_MOST_DISTINCT];
    int64_t found = 0;
    for (int64_t i = first; i < end && found < distinct; i++) {
        if (!(languages[ids[i]] >> language & 1)) {
            continue;
        }
        int64_t k = 0;
        while (k < found && seen[k] != class_of[ids[i]]) {
            k++;
        }
        if (k == found) {
            seen[found++] = class_of[ids[i]];
        }
    }
    return found >= distinct;
}

void misword_line_languages(const int32_t *ids, const int64_t *at, const int64_t *rows,
                            int64_t count, const int32_t *class_of, const uint32_t *languages,
                            int64_t own, int64_t fewest, double share, double own_share,
                            int64_t times, int64_t distinct, int32_t *found) {
    for (int64_t k = 0; k < count; k++) {
        int64_t first = at[rows[k]], end = at[rows[k] + 1], counts[32] = {0};
        double words = (double)(end - first);
        int best = 0;
        found[k] = -1;
        count_languages(ids, first, end, languages, counts);
        for (int language = 1; language < 32; language++) {
            best = counts[language] > counts[best] ? language : best;
        }
        if ((double)counts[own] > own_share * words || best == own || counts[best] < fewest ||
            counts[best] < times * counts[own] || (double)counts[best] < share * words) {
            continue;
        }
        if (has_distinct(ids, first, end, languages, class_of, best,
                         smaller(distinct, MISWORD_MOST_DISTINCT))) {
            found[k] = best;
        }
    }
}

void misword_bare_words(const uint8_t *text, int64_t size, const uint8_t *is_around,
                        uint8_t *bare) {
    for (int64_t first = 0; first < size;) {
        const uint8_t *nul = memchr(text + first, 0, (size_t)(size - first));
        int64_t end = nul ? nul - text : size, from = first, to = end;
        while (from < to && is_around[text[from]]) {
            bare[from++] = ' ';
        }
        while (to > from && is_around[text[to - 1]]) {
            bare[--to] = ' ';
        }
        for (int64_t i = from; i < to; i++) {
            bare[i] = text[i] >= 'A' && text[i] <= 'Z' ? (uint8_t)(text[i] + 32) : text[i];
        }
        if (end < size) {
            bare[end] = 0;
        }
        first = end + 1;
    }
}
