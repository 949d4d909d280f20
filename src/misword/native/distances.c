/* Edit distances of many short sequences: as weighted_alignment.c, but without operations.
 *
 * The cost of insertions (in the search for the closest: of deletions) is subtracted from the
 * recurrence: line[j] holds the cost minus that of inserting the first j tokens. A step to the
 * right then costs nothing, so that a cell needs its left neighbour for a comparison only, which is
 * faster. Costs are multiples of 2^-40, so the sums are exact in both forms.
 */

#include <math.h>

#include "alignment.h"

static inline double less(double a, double b) { return a < b ? a : b; }

/* The sequences to measure, and the prices of edits as kernels.h describes them. */
typedef struct {
    const void *reference, *hypothesis;
    const int64_t *reference_at, *hypothesis_at;
    const double *insertion, *deletion, *beyond;
    int64_t columns;
    double *line; /* one number more than the hypothesis has tokens */
} Pairs;

/* Return the cost of the cheapest alignment of a reference and a hypothesis. */
static inline double distance(const Pairs *x, int32_t width, int64_t reference,
                              int64_t hypothesis) {
    int64_t r = x->reference_at[reference], h = x->hypothesis_at[hypothesis];
    int64_t end = x->reference_at[reference + 1], n = x->hypothesis_at[hypothesis + 1] - h;
    double *line = x->line, inserted = 0;
    for (int64_t j = 0; j < n; j++) {
        line[j] = 0;
        inserted += x->insertion[token(x->hypothesis, width, h + j)];
    }
    line[n] = 0;
    for (; r < end; r++) {
        int32_t id = token(x->reference, width, r);
        const double *beyond = x->beyond + id * x->columns;
        double drop = x->deletion[id], diagonal = line[0], left = diagonal + drop;
        line[0] = left;
        for (int64_t j = 0; j < n; j++) {
            double above = line[j + 1];
            double swapped = diagonal + beyond[token(x->hypothesis, width, h + j)];
            left = less(less(swapped, above + drop), left);
            line[j + 1] = left;
            diagonal = above;
        }
    }
    return line[n] + inserted;
}

int misword_distances(const void *reference, const int64_t *reference_at, const void *hypothesis,
                      const int64_t *hypothesis_at, int32_t width, const int64_t *pairs, int64_t lo,
                      int64_t hi, const double *insertion, const double *deletion,
                      const double *beyond, int64_t columns, double *distances) {
    Pairs x = {.reference = reference,
               .hypothesis = hypothesis,
               .reference_at = reference_at,
               .hypothesis_at = hypothesis_at,
               .insertion = insertion,
               .deletion = deletion,
               .beyond = beyond,
               .columns = columns};
    int64_t room = 0;
    for (int64_t p = lo; p < hi; p++) {
        const int64_t *pair = pairs + 2 * p;
        int64_t length = hypothesis_at[pair[1] + 1] - hypothesis_at[pair[1]];
        if (length >= room) {
            free(x.line);
            room = 2 * length + 1;
            x.line = allocate(room, sizeof *x.line);
            if (!x.line) {
                return MISWORD_NO_MEMORY;
            }
        }
        distances[p] =
            width == 1 ? distance(&x, 1, pair[0], pair[1]) : distance(&x, 4, pair[0], pair[1]);
    }
    free(x.line);
    return MISWORD_OK;
}

/* Return the length of the longest of the sequences lo to hi - 1. */
static int64_t longest_of(const int64_t *at, int64_t lo, int64_t hi) {
    int64_t longest = 0;
    for (int64_t row = lo; row < hi; row++) {
        longest = greater(longest, at[row + 1] - at[row]);
    }
    return longest;
}

/* A node of the prefix tree, as kernels.h describes it. */
typedef struct {
    int64_t depth, token, skip, first, shortest, longest;
} Node;

int misword_build_tree(const void *ids, const int64_t *at, int32_t width, const int64_t *order,
                       int64_t count, int64_t *nodes, int64_t *ends, int64_t *size) {
    Node *tree = (Node *)nodes;
    int64_t longest = longest_of(at, 0, count), used = 1, deepest = 0, before = 0;
    int64_t *path = allocate_zeros(longest + 1, 1, sizeof *path); /* the node at each depth */
    if (!path) {
        return MISWORD_NO_MEMORY;
    }
    tree[0] = (Node){.token = -1, .shortest = INT64_MAX};
    for (int64_t turn = 0; turn < count; turn++) {
        int64_t begin = at[order[turn]], length = at[order[turn] + 1] - begin;
        int64_t shared = common_head(ids, begin, ids, before, width, smaller(length, deepest));
        for (int64_t level = deepest; level > shared; level--) {
            tree[path[level]].skip = used;
        }
        for (int64_t level = shared; level < length; level++) {
            tree[used] = (Node){.depth = level + 1,
                                .token = token(ids, width, begin + level),
                                .first = turn,
                                .shortest = INT64_MAX};
            path[level + 1] = used++;
        }
        for (int64_t level = 0; level <= length; level++) {
            Node *node = &tree[path[level]];
            node->shortest = smaller(node->shortest, length - level);
            node->longest = greater(node->longest, length - level);
        }
        ends[turn] = path[length];
        deepest = length;
        before = begin;
    }
    for (int64_t level = deepest; level >= 0; level--) {
        tree[path[level]].skip = used;
    }
    *size = used;
    free(path);
    return MISWORD_OK;
}

/* The search for the closest sequences of one reference. */
typedef struct {
    const Node *nodes;
    int64_t size, count, columns, k;
    const int64_t *order, *ends;
    const double *insertion, *beyond, *cheapest;
    double *lines, *drops; /* a line of costs for each depth; costs of deleting the first tokens */
    int64_t width;         /* of a line */
    int32_t *tokens;       /* the reference */
    int64_t m, own;
    int32_t *ids;
    double *costs;
} Search;

/* Return the cost of what must be inserted or deleted after a node: the rest of the reference is
 * longer than that of all its sequences, or shorter than that of each. */
static inline double must_follow(const Search *s, const Node *node, int64_t rest) {
    return (double)greater(rest - node->longest, 0) * s->cheapest[1] +
           (double)greater(node->shortest - rest, 0) * s->cheapest[0];
}

/* Fill the line of a node from that of its parent; return a lower bound of the costs of all its
 * sequences. The cost of deleting the first tokens of the reference is subtracted from the line. */
static double descend(const Search *s, const Node *node) {
    const double *above = s->lines + (node->depth - 1) * s->width;
    double *line = s->lines + node->depth * s->width;
    double added = s->insertion[node->token], left = above[0] + added;
    double least = left + must_follow(s, node, s->m);
    line[0] = left;
    for (int64_t j = 0; j < s->m; j++) {
        double swapped = above[j] + s->beyond[s->tokens[j] * s->columns + node->token];
        left = less(less(swapped, above[j + 1] + added), left);
        line[j + 1] = left;
        least = less(left + s->drops[j + 1] + must_follow(s, node, s->m - j - 1), least);
    }
    return least;
}

/* Insert a sequence into the list that is sorted by cost, then by number; return its new size. */
static int64_t insert(const Search *s, int64_t size, int64_t number, double cost) {
    int64_t at = size;
    if (size == s->k) {
        at = s->k - 1;
        if (cost > s->costs[at] || (cost == s->costs[at] && number > s->ids[at])) {
            return size;
        }
    } else {
        size++;
    }
    while (at &&
           (cost < s->costs[at - 1] || (cost == s->costs[at - 1] && number < s->ids[at - 1]))) {
        s->ids[at] = s->ids[at - 1];
        s->costs[at] = s->costs[at - 1];
        at--;
    }
    s->ids[at] = (int32_t)number;
    s->costs[at] = cost;
    return size;
}

/* Write the nearest sequences that cost at most `limit`; return their number. A branch of the tree
 * is skipped when the lower bound of its costs is too high. */
static int64_t search(const Search *s, double limit) {
    int64_t found = 0, at = 0;
    double worst = limit;
    while (at < s->size) {
        const Node *node = &s->nodes[at];
        if (node->depth && descend(s, node) > worst) {
            at = node->skip;
            continue;
        }
        double cost = s->lines[node->depth * s->width + s->m] + s->drops[s->m];
        if (cost <= worst) {
            for (int64_t turn = node->first; turn < s->count && s->ends[turn] == at; turn++) {
                if (s->order[turn] != s->own) {
                    found = insert(s, found, s->order[turn], cost);
                }
            }
            worst = found == s->k ? less(limit, s->costs[found - 1]) : worst;
        }
        at++;
    }
    return found;
}

/* Search with rising limits until enough sequences are found. No alignment costs more than the
 * deletion of the reference and the insertion of a whole sequence. */
static void find_closest(const Search *s, double limit, double greatest_insertion) {
    double most = less(limit, s->drops[s->m] + greatest_insertion);
    double near = less(most, greatest_insertion / 16);
    int64_t found = search(s, near);
    while (found < s->k && near < most) {
        near = less(most, near * 1.5 + 1.0);
        found = search(s, near);
    }
    for (int64_t at = found; at < s->k; at++) {
        s->ids[at] = -1;
        s->costs[at] = INFINITY;
    }
}

int misword_closest(const void *reference, const int64_t *reference_at, int32_t width, int64_t lo,
                    int64_t hi, const int64_t *nodes, int64_t size, const int64_t *order,
                    const int64_t *ends, int64_t count, const double *insertion,
                    const double *deletion, const double *beyond, int64_t columns,
                    const double *cheapest, double greatest_insertion, double limit,
                    const int64_t *own, int64_t k, int32_t *ids, double *costs) {
    Search s = {.nodes = (const Node *)nodes,
                .size = size,
                .count = count,
                .columns = columns,
                .k = k,
                .order = order,
                .ends = ends,
                .insertion = insertion,
                .beyond = beyond,
                .cheapest = cheapest};
    s.width = longest_of(reference_at, lo, hi) + 1;
    s.lines = allocate_zeros(s.nodes[0].longest + 1, s.width, sizeof *s.lines);
    s.drops = allocate_zeros(s.width, 1, sizeof *s.drops);
    s.tokens = allocate(s.width, sizeof *s.tokens);
    int status = s.lines && s.drops && s.tokens ? MISWORD_OK : MISWORD_NO_MEMORY;
    for (int64_t r = lo; r < hi && status == MISWORD_OK; r++) {
        s.m = reference_at[r + 1] - reference_at[r];
        s.own = own[r];
        s.ids = ids + r * k;
        s.costs = costs + r * k;
        for (int64_t j = 0; j < s.m; j++) {
            s.tokens[j] = token(reference, width, reference_at[r] + j);
            s.drops[j + 1] = s.drops[j] + deletion[s.tokens[j]];
        }
        find_closest(&s, limit, greatest_insertion);
    }
    free(s.lines);
    free(s.drops);
    free(s.tokens);
    return status;
}
