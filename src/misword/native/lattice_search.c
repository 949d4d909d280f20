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

/* Compute the row of the edit matrix after one more reference word. `before` is where the path of a
 * cell entered the joined edge. Of equal costs, a substitution or hit comes before a deletion, and a
 * deletion before an insertion. */
static void pass_word(int64_t *errors, int64_t *before, const int32_t *hypothesis, int64_t n,
                      int32_t word) {
    int64_t diagonal = errors[0], entered = before[0];
    int64_t left = ++errors[0], left_before = before[0];
    for (int64_t j = 1; j <= n; j++) {
        int64_t best = diagonal + (hypothesis[j - 1] != word), best_before = entered;
        diagonal = errors[j];
        entered = before[j];
        if (diagonal + 1 < best) {
            best = diagonal + 1;
            best_before = entered;
        }
        if (left + 1 < best) {
            best = left + 1;
            best_before = left_before;
        }
        errors[j] = left = best;
        before[j] = left_before = best_before;
    }
}

/* The three tables, each with `width` numbers a row. */
typedef struct {
    int64_t width;
    int64_t *errors, *by, *before;
} Rows;

/* Fill the row of a node from all edges that arrive there. `spare` has room for two rows. */
static void arrive(Lattice *lattice, const Rows *rows, Node *node, const int32_t *hypothesis,
                   int64_t *spare) {
    int64_t width = rows->width;
    int64_t *errors = spare, *before = spare + width;
    int64_t *least = rows->errors + node->row * width;
    int64_t *by = rows->by + node->row * width, *entered = rows->before + node->row * width;
    for (int64_t e = node->first_in; e >= 0; e = lattice->edge[e].next_in) {
        int64_t start = lattice->node[lattice->edge[e].start].row;
        memcpy(errors, rows->errors + start * width, (size_t)width * sizeof *errors);
        for (int64_t j = 0; j < width; j++) {
            before[j] = j;
        }
        for (int64_t k = e; k >= 0; k = continuation(lattice, k)) {
            for (int64_t w = 0; w < lattice->edge[k].size; w++) {
                pass_word(errors, before, hypothesis, width - 1, lattice->edge[k].words[w]);
            }
        }
        for (int64_t j = 0; j < width; j++) {
            bool better = e == node->first_in || errors[j] < least[j];
            least[j] = better ? errors[j] : least[j];
            by[j] = better ? e : by[j];
            entered[j] = better ? before[j] : entered[j];
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

int find_reading(Lattice *lattice, Tables *tables, const int32_t *hypothesis, int64_t n,
                 int32_t *end, int64_t *size, bool *as_written) {
    int64_t count = join_edges(lattice) + 1, width = n + 1;
    /* Three tables of `count` rows, and two rows to spare. */
    if (count > (INT64_MAX / width - 2) / 3) {
        return MISWORD_NO_MEMORY;
    }
    int64_t cells = (3 * count + 2) * width;
    if (cells > tables->room) {
        free(tables->cells);
        tables->cells = allocate(cells, sizeof *tables->cells);
        tables->room = tables->cells ? cells : 0;
        if (!tables->cells) {
            return MISWORD_NO_MEMORY;
        }
    }
    int64_t *first = tables->cells, table = count * width;
    Rows rows = {width, first, first + table, first + 2 * table};
    for (int64_t j = 0; j < width; j++) {
        rows.errors[j] = j;
    }
    int64_t row = 0;
    lattice->node[0].row = row;
    for (int64_t k = 1; k < lattice->nodes; k++) {
        Node *node = &lattice->node[k];
        if (node->first_in >= 0) {
            node->row = ++row;
            arrive(lattice, &rows, node, hypothesis, first + 3 * table);
        }
    }
    follow_back(lattice, &rows, end, size, as_written);
    return MISWORD_OK;
}
