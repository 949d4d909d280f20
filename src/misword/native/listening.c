/* Words heard in a stretch of phonemes: a beam search over a tree of pronunciations.
 *
 * A hypothesis has consumed some phonemes of the stretch and stands at a node of the tree. It goes
 * on by hearing the next phoneme as another (or the same) one, by missing it, or by hearing one
 * that was not said. At a node that ends a word it may return to the root; the word is then scored
 * by the language model. Hypotheses with the same words at the same node are recombined.
 */

#include "common.h"

enum {
    MOST_INSERTED = 2,       /* phonemes in a row that were not said */
    MERGE_SLOTS = 1 << 13,   /* of the table that recombines hypotheses */
    MOST_ITEMS = 1 << 12,    /* hypotheses at one phoneme */
    MOST_LETTERS = 128,      /* of either side that are compared */
    MOST_HISTORIES = 1 << 15 /* words of all hypotheses of a stretch */
};

#define FAR 1e30F
#define WORD_BITS 21

/* The words of a hypothesis: the last one, and the hypothesis without it. */
typedef struct {
    uint64_t hash;
    int32_t before;
    int32_t word;
    int32_t earlier; /* the word before the last one */
    int32_t count;
} history;

typedef struct {
    float total; /* with weights, and with the unigram cost ahead */
    float sound;
    float language;
    int32_t node;
    int32_t words; /* the number of a history */
    int32_t inserted;
} hypothesis;

typedef struct {
    hypothesis *items;
    int64_t count;
    float best;
    int32_t *slots;    /* numbers of items, plus 1 */
    uint32_t *written; /* the generation in which each slot was written */
    uint32_t generation;
} hypothesis_list;

typedef struct {
    const misword_listener *model;
    history *histories;
    int64_t history_count;
    hypothesis_list lists[2];
    float *totals; /* scratch of `prune` */
    const int32_t *original;
    int32_t most;
    int32_t said[MOST_LETTERS]; /* the letters of the original words */
    int64_t said_letters;
} search;

static uint64_t mixed(uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ (bits >> 27)) * UINT64_C(0x94D049BB133111EB);
    return bits ^ (bits >> 31);
}

/* Return the slot of an n-gram, or -1. */
static int64_t ngram_slot(const misword_listener *model, uint64_t key) {
    uint64_t mask = (uint64_t)model->slots - 1;
    for (uint64_t at = mixed(key) & mask;; at = (at + 1) & mask) {
        if (model->keys[at] == key) {
            return (int64_t)at;
        }
        if (!model->keys[at]) {
            return -1;
        }
    }
}

/* Return the cost of a word after `before` and, nearer, `last`. */
static float ngram_cost(const misword_listener *model, int32_t before, int32_t last, int32_t word) {
    uint64_t pair = ((uint64_t)(last + 1) << WORD_BITS) | (uint64_t)(word + 1);
    int64_t at = ngram_slot(model, ((uint64_t)(before + 1) << (2 * WORD_BITS)) | pair);
    if (at >= 0) {
        return model->scores[at];
    }
    at = ngram_slot(model, ((uint64_t)(before + 1) << WORD_BITS) | (uint64_t)(last + 1));
    float cost = at >= 0 ? model->backoffs[at] : 0.0F;
    at = ngram_slot(model, pair);
    if (at >= 0) {
        return cost + model->scores[at];
    }
    return cost + model->backoff[last] + model->unigram[word];
}

void misword_ngram_costs(const misword_listener *listener, const int32_t *triples, int64_t count,
                         float *costs) {
    for (int64_t at = 0; at < count; at++) {
        const int32_t *ids = triples + 3 * at;
        costs[at] = ngram_cost(listener, ids[0], ids[1], ids[2]);
    }
}

static void clear(hypothesis_list *list) {
    list->count = 0;
    list->best = FAR;
    list->generation++;
}

/* Keep about `room` of the best hypotheses of a list, in their order. */
static void prune(search *at, hypothesis_list *list, int64_t room, float width) {
    float limit = list->best + width;
    if (list->count > room) {
        /* Quickselect of the total at place `room`. */
        float *totals = at->totals;
        for (int64_t n = 0; n < list->count; n++) {
            totals[n] = list->items[n].total;
        }
        int64_t low = 0, high = list->count - 1;
        while (low < high) {
            float pivot = totals[(low + high) / 2];
            int64_t left = low, right = high;
            while (left <= right) {
                while (totals[left] < pivot) {
                    left++;
                }
                while (totals[right] > pivot) {
                    right--;
                }
                if (left <= right) {
                    float swapped = totals[left];
                    totals[left++] = totals[right];
                    totals[right--] = swapped;
                }
            }
            if (room <= right) {
                high = right;
            } else if (room >= left) {
                low = left;
            } else {
                break;
            }
        }
        if (totals[room] < limit) {
            limit = totals[room];
        }
    }
    int64_t kept = 0;
    for (int64_t n = 0; n < list->count; n++) {
        if (list->items[n].total <= limit) {
            list->items[kept++] = list->items[n];
        }
    }
    list->count = kept;
}

/* Add a hypothesis, or improve the one with the same words at the same node. */
static void add(const search *at, hypothesis_list *list, const hypothesis *one) {
    if (one->total > list->best + at->model->width) {
        return;
    }
    uint64_t hash = mixed(at->histories[one->words].hash ^ ((uint64_t)one->node << 34) ^
                          (uint64_t)one->inserted);
    uint64_t slot = hash & (MERGE_SLOTS - 1);
    for (; list->written[slot] == list->generation; slot = (slot + 1) & (MERGE_SLOTS - 1)) {
        hypothesis *other = list->items + list->slots[slot];
        if (other->node == one->node && other->inserted == one->inserted &&
            at->histories[other->words].hash == at->histories[one->words].hash) {
            if (one->total < other->total) {
                *other = *one;
            }
            return;
        }
    }
    if (list->count == MOST_ITEMS) {
        return;
    }
    list->written[slot] = list->generation;
    list->slots[slot] = (int32_t)list->count;
    list->items[list->count++] = *one;
    if (one->total < list->best) {
        list->best = one->total;
    }
}

/* Return to the root with each word that ends at the node of a hypothesis. */
static void end_words(search *at, hypothesis_list *list, const hypothesis *one) {
    const misword_listener *model = at->model;
    history last = at->histories[one->words];
    if (last.count >= at->most) {
        return;
    }
    for (int32_t n = model->word_at[one->node]; n < model->word_at[one->node + 1]; n++) {
        int32_t word = model->words[n];
        bool was_said = false;
        for (int64_t other = 0; other < MISWORD_SAID_WORDS; other++) {
            was_said |= at->original[other] == word;
        }
        if (was_said || at->history_count == MOST_HISTORIES) {
            continue;
        }
        hypothesis ended = *one;
        float cost = ngram_cost(model, last.earlier, last.word, word);
        ended.language += cost;
        ended.total += model->language_weight * (cost - model->ahead[one->node]) +
                       model->word_cost + model->language_weight * model->ahead[0];
        ended.node = 0;
        ended.inserted = 0;
        if (ended.total > list->best + model->width) {
            continue;
        }
        ended.words = (int32_t)at->history_count;
        history *grown = at->histories + at->history_count++;
        grown->hash = mixed(last.hash * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)word + 1);
        grown->before = one->words;
        grown->word = word;
        grown->earlier = last.word;
        grown->count = last.count + 1;
        add(at, list, &ended);
    }
}

/* Go to the children of a node by hearing a phoneme for `said`, or for nothing if it is -1. */
static void hear(const search *at, hypothesis_list *list, const hypothesis *one, int32_t said) {
    const misword_listener *model = at->model;
    const float *costs =
        said < 0 ? model->insertion : model->substitution + (int64_t)said * model->symbols;
    float ahead = model->ahead[one->node];
    for (int32_t child = model->first_child[one->node]; child < model->first_child[one->node + 1];
         child++) {
        float cost = costs[model->symbol[child]];
        float total = one->total + model->sound_weight * cost +
                      model->language_weight * (model->ahead[child] - ahead);
        if (total > list->best + model->width) {
            continue;
        }
        hypothesis next = *one;
        next.sound += cost;
        next.total = total;
        next.node = child;
        next.inserted = said < 0 ? one->inserted + 1 : 0;
        add(at, list, &next);
    }
}

/* Take all steps of the hypotheses of a list: those that consume no phoneme add to the list
 * itself, the others to the next list. `said` is -1 after the last phoneme. */
static void advance(search *at, hypothesis_list *here, hypothesis_list *next, int32_t said) {
    for (int64_t n = 0; n < here->count; n++) {
        hypothesis one = here->items[n];
        if (one.total > here->best + at->model->width) {
            continue;
        }
        if (one.node) {
            end_words(at, here, &one);
        }
        if (one.inserted < MOST_INSERTED) {
            hear(at, here, &one, -1);
        }
        if (said >= 0) {
            hear(at, next, &one, said);
            float cost = at->model->deletion[said];
            hypothesis missed = one;
            missed.sound += cost;
            missed.total += at->model->sound_weight * cost;
            missed.inserted = 0;
            add(at, next, &missed);
        }
    }
}

static int by_total(const void *left, const void *right) {
    const hypothesis *one = left, *other = right;
    if (one->total != other->total) {
        return one->total < other->total ? -1 : 1;
    }
    return (one->words > other->words) - (one->words < other->words);
}

/* Write the letters of words, up to the id -1; return their number. */
static int64_t join_letters(const misword_listener *model, const int32_t *words, int64_t most,
                            int32_t *letters) {
    int64_t count = 0;
    for (int64_t n = 0; n < most && words[n] >= 0; n++) {
        for (int64_t at = model->letter_at[words[n]]; at < model->letter_at[words[n] + 1]; at++) {
            if (count < MOST_LETTERS) {
                letters[count++] = model->letters[at];
            }
        }
    }
    return count;
}

/* Return the edit distance of the letters of some words and of the original ones, normalised. */
static float spelling_distance(const search *at, const int32_t *words) {
    int32_t heard[MOST_LETTERS];
    int32_t costs[MOST_LETTERS + 1];
    int64_t count = join_letters(at->model, words, MISWORD_HEARD_WORDS, heard);
    for (int64_t place = 0; place <= count; place++) {
        costs[place] = (int32_t)place;
    }
    for (int64_t row = 0; row < at->said_letters; row++) {
        int32_t diagonal = costs[0];
        costs[0] = (int32_t)row + 1;
        for (int64_t place = 0; place < count; place++) {
            int32_t best = diagonal + (at->said[row] != heard[place]);
            diagonal = costs[place + 1];
            if (costs[place] + 1 < best) {
                best = costs[place] + 1;
            }
            if (diagonal + 1 < best) {
                best = diagonal + 1;
            }
            costs[place + 1] = best;
        }
    }
    int64_t longer = greater(greater(count, at->said_letters), 1);
    return (float)costs[count] / (float)longer;
}

/* Write the complete hypotheses of a list: those at the root that have words. */
static int32_t write_found(search *at, hypothesis_list *list, int32_t after, int64_t k,
                           int32_t *words, float *terms) {
    const misword_listener *model = at->model;
    int64_t complete = 0;
    for (int64_t n = 0; n < list->count; n++) {
        hypothesis one = list->items[n];
        const history *last = at->histories + one.words;
        if (one.node || !last->count) {
            continue;
        }
        float cost = ngram_cost(model, last->earlier, last->word, after);
        one.language += cost;
        one.total += model->language_weight * cost;
        list->items[complete++] = one;
    }
    qsort(list->items, (size_t)complete, sizeof(hypothesis), by_total);
    int64_t kept = smaller(complete, k);
    for (int64_t n = 0; n < kept; n++) {
        int32_t *row = words + n * MISWORD_HEARD_WORDS;
        int32_t number = list->items[n].words;
        for (int32_t place = 0; place < MISWORD_HEARD_WORDS; place++) {
            row[place] = -1;
        }
        for (int32_t place = at->histories[number].count - 1; place >= 0; place--) {
            row[place] = at->histories[number].word;
            number = at->histories[number].before;
        }
        terms[3 * n] = list->items[n].sound;
        terms[3 * n + 1] = list->items[n].language;
        terms[3 * n + 2] = spelling_distance(at, row);
    }
    return (int32_t)kept;
}

static void release(search *at) {
    free(at->histories);
    free(at->totals);
    for (int64_t n = 0; n < 2; n++) {
        free(at->lists[n].items);
        free(at->lists[n].slots);
        free(at->lists[n].written);
    }
}

static bool prepare(search *at, const misword_listener *listener) {
    memset(at, 0, sizeof *at);
    at->model = listener;
    at->histories = allocate(MOST_HISTORIES, sizeof(history));
    at->totals = allocate(MOST_ITEMS, sizeof(float));
    bool all = at->histories && at->totals;
    for (int64_t n = 0; n < 2; n++) {
        at->lists[n].items = allocate(MOST_ITEMS, sizeof(hypothesis));
        at->lists[n].slots = allocate(MERGE_SLOTS, sizeof(int32_t));
        at->lists[n].written = allocate_zeros(MERGE_SLOTS, 1, sizeof(uint32_t));
        all = all && at->lists[n].items && at->lists[n].slots && at->lists[n].written;
    }
    return all;
}

int misword_listen(const misword_listener *listener, const int32_t *said, const int64_t *said_at,
                   const int32_t *around, const int32_t *original, const int32_t *most, int64_t lo,
                   int64_t hi, int64_t k, int32_t *found, int32_t *words, float *terms) {
    search at;
    if (!prepare(&at, listener)) {
        release(&at);
        return MISWORD_NO_MEMORY;
    }
    for (int64_t stretch = lo; stretch < hi; stretch++) {
        const int32_t *beside = around + 3 * stretch;
        at.original = original + stretch * MISWORD_SAID_WORDS;
        at.said_letters = join_letters(listener, at.original, MISWORD_SAID_WORDS, at.said);
        at.most = (int32_t)smaller(most[stretch], MISWORD_HEARD_WORDS);
        at.histories[0] = (history){.hash = 1, .word = beside[1], .earlier = beside[0]};
        at.history_count = 1;
        hypothesis_list *here = at.lists, *next = at.lists + 1;
        clear(here);
        hypothesis first = {.total = listener->language_weight * listener->ahead[0]};
        add(&at, here, &first);
        for (int64_t place = said_at[stretch]; place < said_at[stretch + 1]; place++) {
            clear(next);
            advance(&at, here, next, said[place]);
            prune(&at, next, listener->beam, listener->width);
            /* Pruned items have moved: their slots are written again. */
            next->generation++;
            for (int64_t n = 0; n < next->count; n++) {
                const hypothesis *one = next->items + n;
                uint64_t slot = mixed(at.histories[one->words].hash ^ ((uint64_t)one->node << 34) ^
                                      (uint64_t)one->inserted) &
                                (MERGE_SLOTS - 1);
                while (next->written[slot] == next->generation) {
                    slot = (slot + 1) & (MERGE_SLOTS - 1);
                }
                next->written[slot] = next->generation;
                next->slots[slot] = (int32_t)n;
            }
            hypothesis_list *swapped = here;
            here = next;
            next = swapped;
        }
        advance(&at, here, next, -1);
        found[stretch] =
            write_found(&at, here, beside[2], k, words + stretch * k * MISWORD_HEARD_WORDS,
                        terms + stretch * k * 3);
    }
    release(&at);
    return MISWORD_OK;
}
