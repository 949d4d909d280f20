/* The best path through the rows, from the end backwards: the rule of alignment/blocks.py. */

#include "block_alignment.h"

/* A node and a number of hypothesis words. */
typedef struct {
    int32_t node;
    int64_t column;
} Place;

/* Whether the row of a node has this cost in a column. */
static bool has_cost(const Search *search, const Node *node, int64_t column, int64_t cost) {
    return column >= node->lowest && column <= node->highest &&
           cost_at(search, node, column) == cost;
}

/* Whether one of two blocks with the same end and the same cost is preferred to the other. */
static bool is_preferred(const Block *block, const Block *other) {
    if (block->words != other->words) {
        return block->words < other->words;
    }
    if (block->family != other->family) {
        return block->family < other->family;
    }
    return block->span < other->span ||
           (block->span == other->span && block->interval < other->interval);
}

/* Return the block that ends in a cell: that of two spans, or an optional span. An optional span of
 * the hypothesis starts and ends at the same node, and is listed after all spans. */
static Block find_block(const Search *search, int32_t number, int64_t column, int64_t cost) {
    const Node *node = &search->node[number];
    Block found = {.words = INT32_MAX};
    for (int32_t b = node->first_block; b >= 0; b = search->block[b].next) {
        const Block *block = &search->block[b];
        if (block->to == column && block->cost == cost && is_preferred(block, &found)) {
            found = *block;
        }
    }
    int32_t from = search->optionals ? search->ending[column] : 0;
    int32_t to = search->optionals ? search->ending[column + 1] : 0;
    for (int32_t k = from; k < to; k++) {
        const OptionalSpan *span = &search->optional[k];
        Block block = {.start = number,
                       .end = number,
                       .from = span->start,
                       .to = span->end,
                       .words = span->end - span->start,
                       .span = INT32_MAX,
                       .family = span->family};
        if (cost_without(search, node, span) == cost && is_preferred(&block, &found)) {
            found = block;
        }
    }
    return found;
}

/* Write the operations and words of a block backwards, and return where it starts. */
static Place follow_block(const Search *search, const Block *block, uint8_t **ops,
                          int32_t **reading) {
    int32_t size = block->words - (block->to - block->from);
    const int32_t *words = size ? search->span[block->span].words : NULL;
    uint8_t op = (uint8_t)(FORGIVEN + block->family);
    for (int32_t k = block->from; k < block->to; k++) {
        *--*ops = op + OF_HYPOTHESIS;
    }
    for (int32_t k = 0; k < size; k++) {
        *--*ops = op;
        if (*reading) {
            *--*reading = words[size - 1 - k];
        }
    }
    **ops += FIRST_OF_BLOCK;
    return (Place){block->start, block->from};
}

/* Return the operation of deleting or inserting a word. */
static uint8_t operation_of(const Search *search, int32_t word, uint8_t operation) {
    uint8_t family = search->texts.optional[word];
    if (family == NOT_OPTIONAL) {
        return operation;
    }
    int side = operation == INSERTION ? OF_HYPOTHESIS : 0;
    return (uint8_t)(FORGIVEN + FIRST_OF_BLOCK + side + family);
}

/* Write the last operation of the best path to a cell after a word or of the start, and return the
 * cell before. */
static Place follow_word(const Search *search, Place place, uint8_t **ops, int32_t **reading) {
    const Node *node = &search->node[place.node], *before = &search->node[node->before];
    int64_t column = place.column;
    int64_t cost = cost_at(search, node, column);
    bool has_word = node->word >= 0;
    if (has_word && column) {
        bool hit = search->class[column - 1] == node->class;
        int64_t price = hit ? 0 : search->substitution * search->unit;
        if (has_cost(search, before, column - 1, cost - price)) {
            *--*ops = hit ? HIT : SUBSTITUTION;
            if (*reading) {
                *--*reading = node->word;
            }
            return (Place){node->before, column - 1};
        }
    }
    if (column && has_cost(search, node, column - 1, cost - search->insert[column - 1])) {
        *--*ops = operation_of(search, search->hypothesis[column - 1], INSERTION);
        return (Place){place.node, column - 1};
    }
    if (has_word && has_cost(search, before, column, cost - node->deletion)) {
        *--*ops = operation_of(search, node->word, DELETION);
        if (*reading) {
            *--*reading = node->word;
        }
        return (Place){node->before, column};
    }
    Block block = find_block(search, place.node, column, cost);
    return follow_block(search, &block, ops, reading);
}

/* Return the cell before the end of a group: that of the first alternative with the least cost. */
static Place follow_group(const Search *search, Place place) {
    const Node *node = &search->node[place.node];
    int64_t cost = cost_at(search, node, place.column);
    const int32_t *end = search->ends + node->before;
    while (!has_cost(search, &search->node[*end], place.column,
                     cost - alternative_cost(search, node, *end))) {
        end++;
    }
    return (Place){*end, place.column};
}

int follow_path(Search *search, uint8_t **ops, int32_t **reading) {
    Place place = {(int32_t)search->nodes - 1, search->n};
    int64_t restored = search->checkpoints - 1;
    while (place.node || place.column) {
        /* The rows of the node and of the nodes before it must be in memory. */
        bool earlier = false;
        while (restored && place.node <= search->checkpoint[restored].node) {
            restored--;
            earlier = true;
        }
        int status = earlier ? restore_rows(search, restored) : MISWORD_OK;
        if (status != MISWORD_OK) {
            return status;
        }
        place = search->node[place.node].alternatives ? follow_group(search, place)
                                                      : follow_word(search, place, ops, reading);
    }
    return MISWORD_OK;
}
