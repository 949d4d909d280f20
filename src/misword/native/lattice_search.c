/* The reading of a lattice that has the fewest errors against a hypothesis.
 *
 * Edges that meet in a node with no other edges are joined and treated as one edge. For each other
 * node and each number of hypothesis words, the search stores the fewest errors, the edge by which
 * the best path arrives, and the number of hypothesis words before that edge. Of several edges with
 * equally few errors, the edge that was added to the lattice first is taken.
 */

#include "lattice.h"

/* A cell of the edit matrix is one number: in the higher 32 bits the errors less the hypothesis
 * words so far, in the lower 32 bits the hypothesis words before the edge on which the cell is. An
 * insertion does not change the number. */
static const int64_t ERROR = (int64_t)1 << 32, WORDS_BEFORE = ((int64_t)1 << 32) - 1;

/* The cells of a node are a row of `width` numbers in both tables. */
typedef struct {
    int64_t width;
    int64_t *cells, *arrived_by;
} Rows;

static bool fewer_errors(int64_t cell, int64_t other) { return cell < (other & ~WORDS_BEFORE); }

/* Join edges that meet in a node with no other edges: set `next` of each edge. */
static void join_edges(Lattice *lattice) {
    for (int64_t e = 0; e < lattice->edges; e++) {
        Edge *edge = &lattice->edge[e];
        const Node *end = &lattice->node[edge->end];
        bool inner = edge->end != lattice->nodes - 1 && end->incoming == 1 && end->outgoing == 1;
        edge->next = inner ? end->last_out : -1;
        if (inner) {
            lattice->edge[edge->next].is_next = true;
        }
    }
}

/* List the joined edges at the nodes where they arrive, each by its first edge, in the order of
 * these. Returns the number of nodes that have a list. */
static int64_t list_arrivals(Lattice *lattice) {
    int64_t listed = 0;
    for (int64_t e = 0; e < lattice->edges; e++) {
        if (lattice->edge[e].is_next) {
            continue;
        }
        int64_t last = e;
        while (lattice->edge[last].next >= 0) {
            last = lattice->edge[last].next;
        }
        Node *end = &lattice->node[lattice->edge[last].end];
        if (end->first_in < 0) {
            end->first_in = e;
            listed++;
        } else {
            lattice->edge[end->last_in].next_in = e;
        }
        end->last_in = e;
    }
    return listed;
}

/* Compute the row of the edit matrix after one more reference word, in `after`. Of equal costs, a
 * substitution or hit comes before a deletion, and a deletion before an insertion. */
static void pass_word(const int64_t *restrict row, int64_t *restrict after,
                      const int32_t *restrict hypothesis, int64_t n, int32_t word) {
    after[0] = row[0] + ERROR;
    for (int64_t j = 1; j <= n; j++) {
        int64_t substituted = row[j - 1] - (hypothesis[j - 1] == word ? ERROR : 0);
        int64_t deleted = row[j] + ERROR;
        after[j] = fewer_errors(deleted, substituted) ? deleted : substituted;
    }
    int64_t inserted = after[0];
    for (int64_t j = 1; j <= n; j++) {
        inserted = fewer_errors(inserted, after[j]) ? inserted : after[j];
        after[j] = inserted;
    }
}

/* Compute the row after a joined edge, from the row of the node where it begins. Both `fronts` are
 * rows to work on; returns the one that holds the result. */
static const int64_t *pass_edge(const Lattice *lattice, const Rows *rows, int64_t edge,
                                const int32_t *hypothesis, int64_t *const fronts[2]) {
    int64_t width = rows->width;
    const int64_t *start = rows->cells + lattice->node[lattice->edge[edge].start].row * width;
    int turn = 0;
    for (int64_t j = 0; j < width; j++) {
        fronts[0][j] = (start[j] & ~WORDS_BEFORE) | j;
    }
    for (int64_t k = edge; k >= 0; k = lattice->edge[k].next) {
        for (int64_t w = 0; w < lattice->edge[k].size; w++) {
            pass_word(fronts[turn], fronts[1 - turn], hypothesis, width - 1,
                      lattice->edge[k].words[w]);
            turn = 1 - turn;
        }
    }
    return fronts[turn];
}

/* Fill the row of a node from all edges that arrive there. */
static void arrive(const Lattice *lattice, const Rows *rows, const Node *node,
                   const int32_t *hypothesis, int64_t *const fronts[2]) {
    int64_t *cells = rows->cells + node->row * rows->width;
    int64_t *arrived_by = rows->arrived_by + node->row * rows->width;
    for (int64_t e = node->first_in; e >= 0; e = lattice->edge[e].next_in) {
        const int64_t *front = pass_edge(lattice, rows, e, hypothesis, fronts);
        for (int64_t j = 0; j < rows->width; j++) {
            bool better = e == node->first_in || fewer_errors(front[j], cells[j]);
            cells[j] = better ? front[j] : cells[j];
            arrived_by[j] = better ? e : arrived_by[j];
        }
    }
}

/* Follow the best path back from the last node and write its words. */
static void follow_back(const Lattice *lattice, const Rows *rows, int32_t *end, int64_t *size,
                        bool *as_written) {
    int64_t node = lattice->nodes - 1, at = rows->width - 1;
    *size = 0;
    *as_written = true;
    while (node) {
        int64_t cell = lattice->node[node].row * rows->width + at;
        int64_t edge = rows->arrived_by[cell];
        at = rows->cells[cell] & WORDS_BEFORE;
        node = lattice->edge[edge].start;
        *as_written = *as_written && edge < lattice->plain;
        for (int64_t k = edge; k >= 0; k = lattice->edge[k].next) {
            *size += lattice->edge[k].size;
        }
        int32_t *word = end - *size;
        for (int64_t k = edge; k >= 0; k = lattice->edge[k].next) {
            for (int64_t w = 0; w < lattice->edge[k].size; w++) {
                *word++ = lattice->edge[k].words[w];
            }
        }
    }
}

/* Whether all numbers of words and errors have fewer than 32 bits. */
static bool fits_cells(const Lattice *lattice, int64_t n) {
    int64_t words = n;
    for (int64_t e = 0; e < lattice->edges && words < INT32_MAX; e++) {
        words += lattice->edge[e].size;
    }
    return words < INT32_MAX;
}

int find_reading(Lattice *lattice, Tables *tables, const int32_t *hypothesis, int64_t n,
                 int32_t *end, int64_t *size, bool *as_written) {
    if (!fits_cells(lattice, n)) {
        return MISWORD_TOO_LARGE;
    }
    join_edges(lattice);
    /* Two tables, and two rows to work on. */
    int64_t count = list_arrivals(lattice) + 1, width = n + 1;
    if (count > INT64_MAX / 2 / width - 1) {
        return MISWORD_NO_MEMORY;
    }
    if ((2 * count + 2) * width > tables->room) {
        free(tables->cells);
        tables->room = (2 * count + 2) * width;
        tables->cells = allocate(tables->room, sizeof *tables->cells);
    }
    if (!tables->cells) {
        return MISWORD_NO_MEMORY;
    }
    Rows rows = {width, tables->cells, tables->cells + count * width};
    int64_t *front = tables->cells + 2 * count * width;
    int64_t row = 0;
    memset(rows.cells, 0, (size_t)width * sizeof *rows.cells);
    lattice->node[0].row = row;
    for (int64_t k = 1; k < lattice->nodes; k++) {
        Node *node = &lattice->node[k];
        if (node->first_in >= 0) {
            node->row = ++row;
            arrive(lattice, &rows, node, hypothesis, (int64_t *const[2]){front, front + width});
        }
    }
    follow_back(lattice, &rows, end, size, as_written);
    return MISWORD_OK;
}
