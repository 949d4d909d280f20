/* Word transition networks of several transcripts of an utterance, as ROVER makes them.
 *
 * A network is a row of slots. A slot has the words that the transcripts have in one place, each
 * once, in the order in which they came; NO_WORD stands for a transcript that has none there. The
 * first transcript is the first network, each of its words a slot. Each further transcript is
 * aligned with the network, and its words are put into slots; a word between two slots makes a new
 * slot.
 *
 * Costs are single-precision sums and ties are broken in the order of the words, both as in the
 * program rover of NIST's SCTK, so that the networks are the same as its networks.
 *
 * Reference: J. Fiscus, A post-processing system to yield reduced word error rates: Recognizer
 * Output Voting Error Reduction (ROVER), ASRU 1997.
 */

#include "alignment.h"

enum { NO_WORD = -1 };

/* The price of a word beside the slot's word NO_WORD, of another word, of a word in a new slot, and
 * of a slot without a word of the transcript; the last is lower if NO_WORD is in the slot. */
static const float BESIDE_NO_WORD = 1.0F, OTHER_WORD = 4.0F, NEW_SLOT = 3.0F, LEFT_OUT = 3.0F,
                   LEFT_OUT_NO_WORD = 0.001F;

/* A network: slot `s` has the words begin[s] to begin[s + 1] - 1. */
typedef struct {
    int32_t *words;
    int64_t *begin, slots;
} Network;

/* Memory for the networks of one utterance and one alignment. */
typedef struct {
    Network now, next;
    int64_t *new_slot; /* of each slot, its number in the next network */
    float *before, *after, *line;
    uint8_t *steps;        /* [word of the network][tokens]: an edit operation */
    uint16_t *cheapest;    /* [slot][tokens]: the first word of the slot with the least cost */
    int64_t cells, lowest; /* room of `steps` and of `cheapest` */
} Scratch;

/* Fill the row of one word of a slot: the costs of all alignments that end with it. */
static void fill_row(Scratch *x, int32_t word, const int32_t *tokens, int64_t length,
                     uint8_t *steps) {
    const float *before = x->before;
    float drop = word == NO_WORD ? LEFT_OUT_NO_WORD : LEFT_OUT, *line = x->line;
    line[0] = before[0] + drop;
    steps[0] = DELETION;
    for (int64_t b = 1; b <= length; b++) {
        float price = word == NO_WORD ? BESIDE_NO_WORD : word == tokens[b - 1] ? 0 : OTHER_WORD;
        float both = before[b - 1] + price, dropped = before[b] + drop;
        float added = line[b - 1] + NEW_SLOT;
        if (both <= dropped && both <= added) {
            line[b] = both;
            steps[b] = SUBSTITUTION;
        } else if (dropped < added) {
            line[b] = dropped;
            steps[b] = DELETION;
        } else {
            line[b] = added;
            steps[b] = INSERTION;
        }
    }
}

/* Align a transcript with the network: fill `steps` and `cheapest`. */
static void fill_table(Scratch *x, const int32_t *tokens, int64_t length) {
    int64_t width = length + 1;
    x->before[0] = 0;
    for (int64_t b = 1; b <= length; b++) {
        x->before[b] = x->before[b - 1] + NEW_SLOT;
    }
    for (int64_t s = 0; s < x->now.slots; s++) {
        uint16_t *cheapest = x->cheapest + s * width;
        int64_t begin = x->now.begin[s];
        for (int64_t w = begin; w < x->now.begin[s + 1]; w++) {
            fill_row(x, x->now.words[w], tokens, length, x->steps + w * width);
            for (int64_t b = 0; b <= length; b++) {
                if (w == begin || x->line[b] < x->after[b]) {
                    x->after[b] = x->line[b];
                    cheapest[b] = (uint16_t)(w - begin);
                }
            }
        }
        float *swapped = x->before;
        x->before = x->after;
        x->after = swapped;
    }
}

/* Add a word to the last slot of the next network unless it is there. */
static void add_word(Network *next, int32_t word) {
    int64_t end = next->begin[next->slots];
    for (int64_t w = next->begin[next->slots - 1]; w < end; w++) {
        if (next->words[w] == word) {
            return;
        }
    }
    next->words[end] = word;
    next->begin[next->slots]++;
}

/* Add an empty slot to the next network; return its number. */
static int64_t add_slot(Network *next) {
    next->slots++;
    next->begin[next->slots] = next->begin[next->slots - 1];
    return next->slots - 1;
}

/* Follow the steps back: write for each token the slot beside it, or -1 - s if it makes a new slot
 * after the first `s` slots. */
static void follow_back(const Scratch *x, int64_t length, int64_t *slot_of) {
    int64_t width = length + 1, s = x->now.slots, b = length;
    int64_t word = s ? x->now.begin[s - 1] + x->cheapest[(s - 1) * width + b] : 0;
    while (s > 0 || b > 0) {
        int step = s ? x->steps[word * width + b] : INSERTION;
        if (step == INSERTION) {
            slot_of[--b] = -1 - s;
            continue;
        }
        s--;
        if (step == SUBSTITUTION) {
            slot_of[--b] = s;
        }
        word = s ? x->now.begin[s - 1] + x->cheapest[(s - 1) * width + b] : 0;
    }
}

/* Make the next network of the network and an aligned transcript; `slot_of` gets its slots. */
static void merge(Scratch *x, const int32_t *tokens, int64_t length, int64_t *slot_of) {
    Network *next = &x->next;
    next->slots = 0;
    next->begin[0] = 0;
    int64_t b = 0;
    for (int64_t s = 0; s <= x->now.slots; s++) {
        for (; b < length && slot_of[b] == -1 - s; b++) {
            slot_of[b] = add_slot(next);
            add_word(next, tokens[b]);
            add_word(next, NO_WORD);
        }
        if (s == x->now.slots) {
            break;
        }
        x->new_slot[s] = add_slot(next);
        for (int64_t w = x->now.begin[s]; w < x->now.begin[s + 1]; w++) {
            add_word(next, x->now.words[w]);
        }
        bool has_word = b < length && slot_of[b] == s;
        add_word(next, has_word ? tokens[b] : NO_WORD);
        if (has_word) {
            slot_of[b++] = x->new_slot[s];
        }
    }
    Network swapped = x->now;
    x->now = x->next;
    x->next = swapped;
}

/* Make room for the table of one alignment; return false if there is no memory. */
static bool make_room(Scratch *x, int64_t width) {
    int64_t words = x->now.begin[x->now.slots];
    if (words > INT64_MAX / 2 / width) {
        return false;
    }
    if (words * width > x->cells) {
        free(x->steps);
        x->cells = words * width * 5 / 4;
        x->steps = allocate(x->cells, sizeof *x->steps);
    }
    if (x->now.slots * width > x->lowest) {
        free(x->cheapest);
        x->lowest = x->now.slots * width * 5 / 4;
        x->cheapest = allocate(x->lowest, sizeof *x->cheapest);
    }
    bool there = (x->steps || !x->cells) && (x->cheapest || !x->lowest);
    if (!there) {
        x->cells = x->lowest = 0;
        free(x->steps);
        free(x->cheapest);
        x->steps = NULL;
        x->cheapest = NULL;
    }
    return there;
}

/* Make the network of one utterance: its transcripts are `first` to `end` - 1. */
static int make_network(Scratch *x, const int32_t *ids, const int64_t *at, int64_t first,
                        int64_t end, int64_t *slot_of) {
    x->now.slots = 0;
    x->now.begin[0] = 0;
    for (int64_t b = at[first]; b < at[first + 1]; b++) {
        slot_of[b] = add_slot(&x->now);
        add_word(&x->now, ids[b]);
    }
    for (int64_t k = first + 1; k < end; k++) {
        int64_t length = at[k + 1] - at[k];
        if (!make_room(x, length + 1)) {
            return MISWORD_NO_MEMORY;
        }
        fill_table(x, ids + at[k], length);
        follow_back(x, length, slot_of + at[k]);
        merge(x, ids + at[k], length, slot_of + at[k]);
        for (int64_t b = at[first]; b < at[k]; b++) {
            slot_of[b] = x->new_slot[slot_of[b]];
        }
    }
    return MISWORD_OK;
}

/* Free all memory. */
static void release(Scratch *x) {
    void *memory[] = {x->now.words, x->now.begin, x->next.words, x->next.begin, x->new_slot,
                      x->before,    x->after,     x->line,       x->steps,      x->cheapest};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        free(memory[i]);
    }
}

/* Allocate memory for utterances of at most `words` words; return false if there is none. */
static bool prepare(Scratch *x, int64_t words) {
    if (words > INT64_MAX / 4) {
        return false;
    }
    x->now.words = allocate(2 * words + 1, sizeof *x->now.words);
    x->next.words = allocate(2 * words + 1, sizeof *x->next.words);
    x->now.begin = allocate(words + 2, sizeof *x->now.begin);
    x->next.begin = allocate(words + 2, sizeof *x->next.begin);
    x->new_slot = allocate(words + 1, sizeof *x->new_slot);
    x->before = allocate(words + 1, sizeof *x->before);
    x->after = allocate(words + 1, sizeof *x->after);
    x->line = allocate(words + 1, sizeof *x->line);
    return x->now.words && x->next.words && x->now.begin && x->next.begin && x->new_slot &&
           x->before && x->after && x->line;
}

int misword_word_networks(const int32_t *ids, const int64_t *at, const int64_t *utterance_at,
                          int64_t lo, int64_t hi, int64_t *slot_of, int64_t *slots) {
    Scratch x = {0};
    int64_t most = 0;
    for (int64_t u = lo; u < hi; u++) {
        int64_t first = utterance_at[u], end = utterance_at[u + 1];
        if (end - first > UINT16_MAX) {
            return MISWORD_TOO_LARGE;
        }
        most = greater(most, at[end] - at[first]);
    }
    int status = prepare(&x, most) ? MISWORD_OK : MISWORD_NO_MEMORY;
    for (int64_t u = lo; u < hi && status == MISWORD_OK; u++) {
        status = make_network(&x, ids, at, utterance_at[u], utterance_at[u + 1], slot_of);
        slots[u] = x.now.slots;
    }
    release(&x);
    return status;
}
