/* The reading of a lattice that has the fewest errors against a hypothesis.
 *
 * Edges that meet in a node with no other edges are joined and treated as one edge. For each other
 * node and each number of hypothesis words, three numbers are stored: the fewest errors, the edge
 * by which the best path arrives, and the number of hypothesis words before that edge. Of several
 * edges with equally few errors, the edge that was added to the lattice first is taken.
 */

#include "lattice.h"

/* Whether a node only continues one edge by another. */
static bool is_inner(const Lattice *lattice, int64_t node) {
    const Node *here = &lattice->node[node];
    return node != lattice->nodes - 1 && here->incoming == 1 && here->outgoing == 1;
}

/* Return the edge that continues an edge of a joined edge, or -1 if it is the last. */
static int64_t continuation(const Lattice *lattice, int64_t edge) {
    int64_t end = lattice->edge[edge].end;
    return is_inner(lattice, end) ? lattice->node[end].last_out : -1;
}

/* List the joined edges at the nodes where they arrive, each by its first edge, in the order of
 * these. Returns the number of nodes that have a list. */
static int64_t join_edges(Lattice *lattice) {
    int64_t listed = 0;
    for (int64_t e = 0; e < lattice->edges; e++) {
        if (is_inner(lattice, lattice->edge[e].start)) {
            continue;
        }
        int64_t last = e;
        for (int64_t k = e; k >= 0; k = continuation(lattice, k)) {
            last = k;
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

/* A row of the edit matrix while the words of a joined edge pass: for each number of hypothesis
 * words the errors, less this number, and the number of hypothesis words before the edge. */
typedef struct {
    int32_t *excess, *before;
} Front;

/* Compute the row after one more reference word, in `next`. Of equal costs, a substitution or hit
 * comes before a deletion, and a deletion before an insertion.
 *
 * An insertion does not change the errors less the number of hypothesis words, so that the second
 * loop only compares each cell with the best of those before it. */
static void pass_word(const Front *row, const Front *next, const int32_t *hypothesis, int64_t n,
                      int32_t word) {
    const int32_t *restrict excess = row->excess, *restrict before = row->before;
    int32_t *restrict best = next->excess, *restrict best_before = next->before;
    best[0] = excess[0] + 1;
    best_before[0] = before[0];
    for (int64_t j = 1; j <= n; j++) {
        int32_t substituted = excess[j - 1] - (hypothesis[j - 1] == word), deleted = excess[j] + 1;
        best[j] = substituted <= deleted ? substituted : deleted;
        best_before[j] = substituted <= deleted ? before[j - 1] : before[j];
    }
    int32_t least = best[0], least_before = best_before[0];
    for (int64_t j = 1; j <= n; j++) {
        bool inserted = least < best[j];
        least = inserted ? least : best[j];
        least_before = inserted ? least_before : best_before[j];
        best[j] = least;
        best_before[j] = least_before;
    }
}

/* The three tables, each with `width` numbers a row; `excess` is explained at Front. */
typedef struct {
    int64_t width;
    int32_t *excess, *by, *before;
} Rows;

/* Compute the row after a joined edge, from the row of the node where it begins. Both fronts are
 * overwritten; returns the one that holds the result. */
static const Front *pass_edge(const Lattice *lattice, const Rows *rows, int64_t edge,
                              const int32_t *hypothesis, const Front fronts[2]) {
    int64_t width = rows->width, start = lattice->node[lattice->edge[edge].start].row;
    int turn = 0;
    memcpy(fronts[0].excess, rows->excess + start * width, (size_t)width * sizeof(int32_t));
    for (int64_t j = 0; j < width; j++) {
        fronts[0].before[j] = (int32_t)j;
    }
    for (int64_t k = edge; k >= 0; k = continuation(lattice, k)) {
        for (int64_t w = 0; w < lattice->edge[k].size; w++) {
            pass_word(&fronts[turn], &fronts[1 - turn], hypothesis, width - 1,
                      lattice->edge[k].words[w]);
            turn = 1 - turn;
        }
    }
    return &fronts[turn];
}

/* Fill the row of a node from all edges that arrive there. */
static void arrive(const Lattice *lattice, const Rows *rows, const Node *node,
                   const int32_t *hypothesis, const Front fronts[2]) {
    int64_t at = node->row * rows->width;
    int32_t *least = rows->excess + at, *by = rows->by + at, *before = rows->before + at;
    for (int64_t e = node->first_in; e >= 0; e = lattice->edge[e].next_in) {
        const Front *front = pass_edge(lattice, rows, e, hypothesis, fronts);
        for (int64_t j = 0; j < rows->width; j++) {
            bool better = e == node->first_in || front->excess[j] < least[j];
            least[j] = better ? front->excess[j] : least[j];
            before[j] = better ? front->before[j] : before[j];
            by[j] = better ? (int32_t)e : by[j];
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
        int64_t edge = rows->by[cell];
        at = rows->before[cell];
        node = lattice->edge[edge].start;
        *as_written = *as_written && edge < lattice->plain;
        for (int64_t k = edge; k >= 0; k = continuation(lattice, k)) {
            *size += lattice->edge[k].size;
        }
        int32_t *word = end - *size;
        for (int64_t k = edge; k >= 0; k = continuation(lattice, k)) {
            for (int64_t w = 0; w < lattice->edge[k].size; w++) {
                *word++ = lattice->edge[k].words[w];
            }
        }
    }
}

/* Whether the numbers of edges, and of the words of all edges and the hypothesis, fit the tables. */
static bool fits_tables(const Lattice *lattice, int64_t n) {
    int64_t words = n;
    for (int64_t e = 0; e < lattice->edges && words < INT32_MAX; e++) {
        words += lattice->edge[e].size;
    }
    return words < INT32_MAX && lattice->edges < INT32_MAX;
}

int find_reading(Lattice *lattice, Tables *tables, const int32_t *hypothesis, int64_t n,
                 int32_t *end, int64_t *size, bool *as_written) {
    if (!fits_tables(lattice, n)) {
        return MISWORD_TOO_LARGE;
    }
    /* Three tables of `count` rows, and two fronts of two rows. The product is less than 2^63. */
    int64_t count = join_edges(lattice) + 1, width = n + 1, cells = (3 * count + 4) * width;
    if (cells > tables->room) {
        free(tables->cells);
        tables->cells = allocate(cells, sizeof *tables->cells);
        tables->room = tables->cells ? cells : 0;
    }
    if (!tables->cells) {
        return MISWORD_NO_MEMORY;
    }
    int32_t *table = tables->cells, *spare = table + 3 * count * width;
    Rows rows = {width, table, table + count * width, table + 2 * count * width};
    Front fronts[2] = {{spare, spare + width}, {spare + 2 * width, spare + 3 * width}};
    memset(rows.excess, 0, (size_t)width * sizeof *rows.excess);
    int64_t row = 0;
    lattice->node[0].row = row;
    for (int64_t k = 1; k < lattice->nodes; k++) {
        Node *node = &lattice->node[k];
        if (node->first_in >= 0) {
            node->row = ++row;
            arrive(lattice, &rows, node, hypothesis, fronts);
        }
    }
    follow_back(lattice, &rows, end, size, as_written);
    return MISWORD_OK;
}
