/* The rows of the edit matrix of a reference graph and a hypothesis.
 *
 * A row has only the columns from which the end can be reached within the limit (Ukkonen 1985).
 */

#include "block_alignment.h"

/* Return the least cost from a node and column to the end: of the deletions if there are too few
 * hypothesis words, or of the insertions if there are too many. */
static int64_t cost_ahead(const Search *search, const Node *node, int64_t column) {
    int64_t deletions = node->needed - (search->n - column);
    int64_t insertions = search->needed_after[column] - node->matched;
    int64_t price = greater(deletions * search->deletion, insertions * search->insertion);
    return price > 0 ? price * search->unit : 0;
}

/* Whether a path through a node and column with a cost so far can be within the limit. */
static bool is_within(const Search *search, const Node *node, int64_t column, int64_t cost) {
    return cost + cost_ahead(search, node, column) <= search->limit;
}

/* Compute the row of a node after a word, from the row before the word, without insertions and
 * blocks. `row` is its cell of column `lowest`. */
static void match_words(const Search *search, const Node *node, int32_t *row) {
    const Node *before = &search->node[node->before];
    int64_t count = before->highest - before->lowest + 1;
    int64_t from = before->lowest - node->lowest, width = node->highest - node->lowest + 1;
    for (int64_t k = 0; k < (count > 0 ? from : width); k++) {
        row[k] = UNREACHED;
    }
    if (count <= 0) {
        return;
    }
    const int32_t *cells = search->cell + before->row;
    const int32_t *classes = search->class + before->lowest;
    const int32_t *insert = search->insert + before->lowest;
    int32_t substitution = (int32_t)(search->substitution * search->unit);
    int32_t shift = (int32_t)(node->base - before->base);
    match_cells(cells, count, shift, node->class, substitution, node->deletion, classes, insert,
                row + from);
    if (before->highest < search->n) {
        int32_t price = classes[count - 1] == node->class ? 0 : substitution;
        row[from + count] = cells[count - 1] + shift + price - insert[count - 1];
    }
    for (int64_t k = from + count + 1; k < width; k++) {
        row[k] = UNREACHED;
    }
}

/* Compute the row of the end of a group from the last rows of its alternatives. */
static void join_alternatives(const Search *search, const Node *node, int32_t *row) {
    for (int64_t k = 0; k <= node->highest - node->lowest; k++) {
        row[k] = UNREACHED;
    }
    for (int32_t end = 0; end < node->alternatives; end++) {
        int32_t number = search->ends[node->before + end];
        const Node *last = &search->node[number];
        if (last->lowest <= last->highest) {
            int64_t shift = node->base - last->base + alternative_cost(search, node, number);
            join_cells(search->cell + last->row, last->highest - last->lowest + 1, (int32_t)shift,
                       row + (last->lowest - node->lowest));
        }
    }
}

/* Return the least of a cell and of what it is without an optional span that ends there. */
static int32_t least_without(const Search *search, const Node *node, const OptionalSpan *span,
                             int32_t cell) {
    int32_t without = cell_of(search, node, span->end, cost_without(search, node, span));
    return without < cell ? without : cell;
}

/* Add insertions after all cells of a row, and the optional spans of the hypothesis. */
static void add_insertions(const Search *search, const Node *node, int32_t *row) {
    int64_t done = 0; /* the last cell to which insertions have been added */
    int32_t from = search->optionals ? search->ending[node->lowest + 1] : 0;
    int32_t to = search->optionals ? search->ending[node->highest + 1] : 0;
    for (int32_t k = from; k < to; k++) {
        const OptionalSpan *span = &search->optional[k];
        int64_t end = span->end - node->lowest;
        insert_cells(row + done, end - done + 1);
        row[end] = least_without(search, node, span, row[end]);
        done = end;
    }
    insert_cells(row + done, node->highest - node->lowest + 1 - done);
}

/* Add the blocks that end at a node. */
static void add_blocks(const Search *search, const Node *node, int32_t *row) {
    for (int32_t b = node->first_block; b >= 0; b = search->block[b].next) {
        const Block *block = &search->block[b];
        int32_t *cell = &row[block->to - node->lowest];
        int32_t value = cell_of(search, node, block->to, block->cost);
        *cell = value < *cell ? value : *cell;
    }
}

/* Set the columns of a row before its cells are computed: those next to columns of rows before it,
 * and the ends of blocks. */
static void set_columns(const Search *search, Node *node) {
    node->lowest = (int32_t)search->n + 1;
    node->highest = -1;
    bool joins = node->word < 0;
    for (int32_t k = 0; k < (joins ? node->alternatives : 1); k++) {
        const Node *before = &search->node[joins ? search->ends[node->before + k] : node->before];
        if (before->lowest <= before->highest) {
            int64_t highest = smaller(before->highest + !joins, search->n);
            node->lowest = (int32_t)smaller(node->lowest, before->lowest);
            node->highest = (int32_t)greater(node->highest, highest);
        }
    }
    for (int32_t b = node->first_block; b >= 0; b = search->block[b].next) {
        node->lowest = (int32_t)smaller(node->lowest, search->block[b].to);
        node->highest = (int32_t)greater(node->highest, search->block[b].to);
    }
}

/* Extend a row by optional spans, and by insertions within the limit. */
static int extend_row(Search *search, Node *node) {
    int32_t *last = search->cell + node->row + node->highest - node->lowest;
    while (node->highest < search->n) {
        int32_t column = node->highest + 1, cell = *last;
        bool in_optional = search->optionals && search->reach[column - 1] >= column;
        if (in_optional) {
            for (int32_t k = search->ending[column]; k < search->ending[column + 1]; k++) {
                cell = least_without(search, node, &search->optional[k], cell);
            }
        }
        int64_t inserted = search->inserted[column] - node->base;
        if (!in_optional && !is_within(search, node, column, cell + inserted)) {
            break;
        }
        if (search->optionals && inserted > GREATEST_COST) {
            return MISWORD_TOO_LARGE;
        }
        *++last = cell;
        node->highest = column;
    }
    return MISWORD_OK;
}

int fit_columns(Search *search, Node *node) {
    int status = extend_row(search, node);
    if (status != MISWORD_OK) {
        return status;
    }
    while (node->lowest <= node->highest &&
           !is_within(search, node, node->highest, cost_at(search, node, node->highest))) {
        node->highest--;
    }
    search->cells = node->row + node->highest - node->lowest + 1;
    while (node->lowest <= node->highest &&
           !is_within(search, node, node->lowest, cost_at(search, node, node->lowest))) {
        node->lowest++;
        node->row++;
    }
    return MISWORD_OK;
}

/* Return the number of the first interval of a key that starts at a column or after it. */
static int32_t first_interval(const Search *search, const Partners *partners, int32_t column) {
    int32_t from = partners->from, to = partners->to;
    while (from < to) {
        int32_t middle = from + (to - from) / 2;
        if (search->interval[middle].start < column) {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    return from;
}

/* List the blocks of a span that start in the row of a node, each at the node where it ends. */
static int list_blocks_of(Search *search, const Node *node, int32_t number) {
    const Span *span = &search->span[number];
    const Partners *partners = &search->partners[span->key];
    Node *end = &search->node[span->end];
    for (int32_t h = first_interval(search, partners, node->lowest); h < partners->to; h++) {
        const Interval *interval = &search->interval[h];
        if (interval->start > node->highest) {
            break;
        }
        int32_t words = span->size + interval->end - interval->start;
        int64_t cost = cost_at(search, node, interval->start) + words * search->forgiven;
        if (!is_within(search, end, interval->end, cost) || !differ(search, span, interval)) {
            continue;
        }
        if (search->blocks == INT32_MAX) {
            return MISWORD_TOO_LARGE;
        }
        if (!make_room(&search->block, &search->block_room, search->blocks + 1,
                       sizeof *search->block)) {
            return MISWORD_NO_MEMORY;
        }
        search->block[search->blocks] = (Block){.start = span->start,
                                                .end = span->end,
                                                .from = interval->start,
                                                .to = interval->end,
                                                .cost = (int32_t)cost,
                                                .words = words,
                                                .span = number,
                                                .interval = h,
                                                .next = end->first_block,
                                                .family = span->family};
        end->first_block = (int32_t)search->blocks++;
    }
    return MISWORD_OK;
}

int compute_row(Search *search, Node *node) {
    node->row = search->cells;
    set_columns(search, node);
    if (node->lowest > node->highest) {
        return MISWORD_OK;
    }
    node->base = search->inserted[node->lowest];
    if (search->inserted[node->highest] - node->base > GREATEST_COST) {
        return MISWORD_TOO_LARGE;
    }
    if (!make_room(&search->cell, &search->cell_room, search->cells + search->n + 1,
                   sizeof *search->cell)) {
        return MISWORD_NO_MEMORY;
    }
    int32_t *row = search->cell + node->row;
    if (node->word < 0) {
        join_alternatives(search, node, row);
    } else {
        match_words(search, node, row);
        add_blocks(search, node, row);
        add_insertions(search, node, row);
    }
    return fit_columns(search, node);
}

int list_blocks(Search *search, const Node *node) {
    int status = MISWORD_OK;
    for (int32_t s = node->first_span; s >= 0 && status == MISWORD_OK; s = search->span[s].next) {
        status = list_blocks_of(search, node, s);
    }
    return status;
}
