/* The rows of the edit matrix of a reference graph and a hypothesis.
 *
 * A row has only the columns from which the end can be reached within the limit (Ukkonen 1985).
 * Rows before the last checkpoint are not kept. A block takes the cost of its start with it when
 * the row of its start is computed, so rows between two checkpoints need no earlier row.
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

/* Whether a path through a cell can be within the limit. */
static bool is_within(const Search *search, const Node *node, int64_t column, int32_t cell) {
    return cell + search->inserted[column] + cost_ahead(search, node, column) <= search->limit;
}

/* Compute the cells after a word from `count` cells before it, without insertions: those of the
 * same columns. The class and the cost of inserting are those of the hypothesis words between two
 * columns. */
static void pass_word(const int32_t *restrict before, int64_t count, int32_t class,
                      int32_t substitution, int32_t deletion, const int32_t *restrict classes,
                      const int32_t *restrict insert, int32_t *restrict after) {
    after[0] = before[0] + deletion;
    for (int64_t k = 1; k < count; k++) {
        int32_t differs = -(int32_t)(classes[k - 1] != class); /* no bits or all bits are set */
        int32_t matched = before[k - 1] + (substitution & differs) - insert[k - 1];
        int32_t deleted = before[k] + deletion;
        after[k] = matched < deleted ? matched : deleted;
    }
}

/* Replace each cell by the least of the cells up to it. */
static void insert_words(int32_t *row, int64_t count) {
    int32_t least = UNREACHED;
    for (int64_t k = 0; k < count; k++) {
        least = row[k] < least ? row[k] : least;
        row[k] = least;
    }
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
    pass_word(cells, count, node->class, substitution, node->deletion, classes, insert, row + from);
    if (before->highest < search->n) {
        int32_t price = classes[count - 1] == node->class ? 0 : substitution;
        row[from + count] = cells[count - 1] + price - insert[count - 1];
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
        const Node *last = &search->node[search->ends[node->before + end]];
        const int32_t *restrict cells = search->cell + last->row;
        int32_t *restrict joined = row + (last->lowest - node->lowest);
        for (int64_t k = 0; k <= last->highest - last->lowest; k++) {
            joined[k] = cells[k] < joined[k] ? cells[k] : joined[k];
        }
    }
}

/* Add the blocks that end at a node, and insertions after all cells. */
static void add_blocks_and_insertions(const Search *search, const Node *node, int32_t *row) {
    for (int32_t b = node->first_block; b >= 0; b = search->block[b].next) {
        const Block *block = &search->block[b];
        int32_t *cell = &row[block->to - node->lowest];
        int32_t cost = block->cost - search->inserted[block->to];
        *cell = cost < *cell ? cost : *cell;
    }
    insert_words(row, node->highest - node->lowest + 1);
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

/* Extend a row by insertions as long as the cells are within the limit, and remove the cells at its
 * ends that are not. */
static void fit_columns(Search *search, Node *node) {
    int32_t *row = search->cell + node->row;
    int32_t last = row[node->highest - node->lowest];
    while (node->highest < search->n && is_within(search, node, node->highest + 1, last)) {
        row[++node->highest - node->lowest] = last;
    }
    while (node->lowest <= node->highest &&
           !is_within(search, node, node->highest, row[node->highest - node->lowest])) {
        node->highest--;
    }
    search->cells = node->row + node->highest - node->lowest + 1;
    while (node->lowest <= node->highest && !is_within(search, node, node->lowest, *row)) {
        node->lowest++;
        node->row++;
        row++;
    }
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

/* Whether a span and an interval have different words. */
static bool differ(const Search *search, const Span *span, const Interval *interval) {
    const Node *first = &search->node[span->end - span->size + 1];
    const int32_t *heard = search->class + interval->start;
    bool same = interval->end - interval->start == span->size;
    for (int32_t k = 0; k < span->size && same; k++) {
        same = first[k].class == heard[k];
    }
    return !same;
}

/* List the blocks of a span that start in the row of a node, each at the node where it ends. */
static int list_blocks(Search *search, const Node *node, int32_t number) {
    const Span *span = &search->span[number];
    const Partners *partners = &search->partners[span->key];
    Node *end = &search->node[span->end];
    for (int32_t h = first_interval(search, partners, node->lowest); h < partners->to; h++) {
        const Interval *interval = &search->interval[h];
        if (interval->start > node->highest) {
            break;
        }
        int32_t cell = search->cell[node->row + interval->start - node->lowest];
        int32_t words = span->size + interval->end - interval->start;
        int64_t cost = cell + search->inserted[interval->start] + words * search->forgiven;
        bool is_near = cost + cost_ahead(search, end, interval->end) <= search->limit;
        if (cell >= UNREACHED || !is_near || !differ(search, span, interval)) {
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
                                                .from = interval->start,
                                                .to = interval->end,
                                                .cost = (int32_t)cost,
                                                .words = words,
                                                .span = number,
                                                .interval = h,
                                                .next = end->first_block};
        end->first_block = (int32_t)search->blocks++;
    }
    return MISWORD_OK;
}

/* Compute the row of a node after all rows before it. */
static int compute_row(Search *search, Node *node) {
    node->row = search->cells;
    set_columns(search, node);
    if (node->lowest > node->highest) {
        return MISWORD_OK;
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
        add_blocks_and_insertions(search, node, row);
    }
    fit_columns(search, node);
    return MISWORD_OK;
}

/* Compute the rows of nodes `from` to `to`, and list the blocks that start there. */
static int compute_and_list(Search *search, int64_t number) {
    Node *node = &search->node[number];
    int status = number ? compute_row(search, node) : MISWORD_OK;
    for (int32_t s = node->first_span; s >= 0 && status == MISWORD_OK; s = search->span[s].next) {
        status = list_blocks(search, node, s);
    }
    return status;
}

/* Keep a copy of the row of a node, and no earlier rows. */
static int add_checkpoint(Search *search, int64_t number) {
    Node *node = &search->node[number];
    int64_t width = greater(node->highest - node->lowest + 1, 0);
    if (!make_room(&search->kept, &search->kept_room, search->kept_cells + width,
                   sizeof *search->kept) ||
        !make_room(&search->checkpoint, &search->checkpoint_room, 2 * search->checkpoints + 2,
                   sizeof *search->checkpoint)) {
        return MISWORD_NO_MEMORY;
    }
    size_t bytes = (size_t)width * sizeof *search->cell;
    memcpy(search->kept + search->kept_cells, search->cell + node->row, bytes);
    memmove(search->cell, search->cell + node->row, bytes);
    search->checkpoint[2 * search->checkpoints] = number;
    search->checkpoint[2 * search->checkpoints + 1] = search->kept_cells;
    search->checkpoints++;
    search->kept_cells += width;
    node->row = 0;
    search->cells = width;
    return MISWORD_OK;
}

/* Compute the row of node 0, where the only operations are insertions. */
static int compute_first_row(Search *search) {
    if (!make_room(&search->cell, &search->cell_room, search->n + 1, sizeof *search->cell)) {
        return MISWORD_NO_MEMORY;
    }
    Node *node = search->node;
    node->row = node->lowest = node->highest = 0;
    search->cell[0] = 0;
    fit_columns(search, node);
    return add_checkpoint(search, 0);
}

int compute_rows(Search *search, int64_t *price) {
    search->blocks = search->cells = search->checkpoints = search->kept_cells = 0;
    for (int64_t k = 0; k < search->nodes; k++) {
        search->node[k].first_block = -1;
    }
    int status = compute_first_row(search);
    for (int64_t k = 0; k < search->nodes && status == MISWORD_OK; k++) {
        if (k && search->node[k - 1].outside && search->cells > search->budget) {
            status = add_checkpoint(search, k - 1);
        }
        status = status == MISWORD_OK ? compute_and_list(search, k) : status;
    }
    const Node *last = &search->node[search->nodes - 1];
    *price = -1;
    if (status == MISWORD_OK && last->lowest <= last->highest && last->highest == search->n) {
        int32_t cell = search->cell[last->row + last->highest - last->lowest];
        *price = (cell + search->inserted[search->n]) / search->unit;
    }
    return status;
}

int restore_rows(Search *search, int64_t number) {
    int64_t first = search->checkpoint[2 * number], last = search->checkpoint[2 * number + 2];
    Node *node = &search->node[first];
    search->cells = greater(node->highest - node->lowest + 1, 0);
    memcpy(search->cell, search->kept + search->checkpoint[2 * number + 1],
           (size_t)search->cells * sizeof *search->cell);
    node->row = 0;
    int status = MISWORD_OK;
    for (int64_t k = first + 1; k <= last && status == MISWORD_OK; k++) {
        status = compute_row(search, &search->node[k]);
    }
    return status;
}
