/* Alignment of a reference graph with a hypothesis, in which blocks of words match at no cost. Not
 * part of the contract; alignment/blocks.py says what the result is.
 */

#ifndef MISWORD_BLOCK_ALIGNMENT_H
#define MISWORD_BLOCK_ALIGNMENT_H

#include "common.h"

/* What `optional` has for a word that is not optional. */
enum { NOT_OPTIONAL = 255 };

/* The operation of a forgiven word is FORGIVEN plus the number of the family, plus these. */
enum { FORGIVEN = 128, FIRST_OF_BLOCK = 64, OF_HYPOTHESIS = 32 };

/* A cell that no path reaches, and the greatest cost, which is far below it: their sums fit 32
 * bits. */
enum { UNREACHED = 1 << 30, GREATEST_COST = UNREACHED / 4 };

/* The texts of all pairs: parameters of misword_align_blocks. */
typedef struct {
    const int32_t *words;
    const int64_t *segment_at, *first_segment;
    const uint8_t *signs;
    const int64_t *sign_at;
    const int64_t *written_row, *chosen, *chosen_at;
    const int32_t *hypothesis;
    const int64_t *hypothesis_at;
    const int32_t *class_of;
    const uint8_t *optional;
    const int64_t *reference_spans, *reference_span_at;
    const int64_t *hypothesis_spans, *hypothesis_span_at;
    const uint8_t *family_of_key;
} Texts;

/* A node of the reference graph, and its row of the edit matrix: a cell for each number of
 * hypothesis words. Node 0 is the start. A node that is not the start has a word before it, or is
 * the end of a group of alternatives. */
typedef struct {
    int32_t word;         /* id of the word before the node; -1 if there is none */
    int32_t class;        /* of the word */
    int32_t deletion;     /* the cost of deleting the word */
    int32_t before;       /* the node before the word; at a group's end the first of its `ends` */
    int32_t alternatives; /* at a group's end the number of its `ends` */
    int32_t opening;      /* at a group's end the node before the group */
    bool outside;         /* the node is outside of all groups: every path contains it */
    int32_t first_span;   /* the first of the spans that start here; -1 if there is none */
    int32_t first_block;  /* the first of the blocks that end here; -1 if there is none */
    int32_t needed;       /* on each path from here: words that are matched or cost a deletion */
    int32_t matched;      /* on no path from here can more hypothesis words be matched */
    int32_t lowest, highest; /* the columns of the row; lowest > highest if it is empty */
    int64_t base;            /* a cell is a cost less `inserted` of its column, plus this number */
    int64_t row;             /* where the cell of the lowest column is */
} Node;

/* A segment of the reference: the node before its first word, and the node after that word. */
typedef struct {
    int32_t start, first;
} Segment;

/* A reference span of which the hypothesis has the key. */
typedef struct {
    int64_t segment, last_segment; /* of its words, counted from the first of the reference */
    const int32_t *words;
    int32_t place;      /* of its first word in the segment */
    int32_t last_place; /* after its last word in the last segment */
    int32_t size;       /* in words */
    int32_t start, end; /* nodes, once the graph is built */
    int32_t key;        /* number of the key in this pair */
    int32_t next;       /* the next span that starts at the same node; -1 if there is none */
    uint8_t family;
} Span;

/* A hypothesis span of which the reference has the key: the words `start` to `end` - 1. The
 * interval that an optional reference span matches has no words. */
typedef struct {
    int32_t start, end;
} Interval;

/* A hypothesis span that may be left out: the words `start` to `end` - 1. */
typedef struct {
    int32_t start, end;
    uint8_t family;
} OptionalSpan;

/* The intervals of a key, ordered by start: `from` to `to` - 1. */
typedef struct {
    int32_t from, to, shortest, longest;
} Partners;

/* A match of a span, which starts at a node whose row has been computed, and an interval. */
typedef struct {
    int32_t start, end;     /* nodes */
    int32_t from, to;       /* the number of hypothesis words before it, and with it */
    int32_t cost;           /* of the best path that ends with this block */
    int32_t words;          /* on both sides */
    int32_t span, interval; /* their numbers */
    int32_t next;           /* the next block with the same end; -1 if there is none */
    uint8_t family;
} Block;

/* A node outside of all groups whose row is kept. */
typedef struct {
    int64_t node;
    int64_t row;      /* where its row is in `kept` */
    int64_t from, to; /* the numbers in `kept_block` of the blocks that end after the node */
} Checkpoint;

/* What a thread needs to align one pair after the other; memory is reused. */
typedef struct {
    Texts texts;
    int64_t substitution, deletion, insertion; /* prices */
    bool count_empty; /* among paths of one price, empty alternatives count as forgiven words do */
    int32_t *key_number; /* of each key of the texts: 0 between pairs, else 1 + its number */

    /* The pair: sizes in words, the spans and intervals with equal keys. */
    int64_t reference, signs, size; /* row, number of signs, words of all segments */
    const int32_t *hypothesis;
    int64_t n;
    Span *span;
    Interval *interval;
    Partners *partners;
    int32_t nothing; /* the number of the key that optional spans have: intervals without words */
    int64_t covered, covered_heard; /* the number of words that spans of each side contain */
    int64_t forgivable;             /* no path has more forgiven words and empty alternatives */
    int64_t spans, intervals, keys, span_room, interval_room, partners_room;

    /* The optional spans of the hypothesis, ordered by end. Those that end with word j - 1 are
     * `ending[j]` to `ending[j + 1]` - 1. Those that start with word j or before it end at most
     * with word `reach[j]` - 1. The last two arrays are set only if there is such a span. */
    OptionalSpan *optional;
    int32_t *ending, *reach;
    int64_t optionals, optional_room, ending_room, reach_room;

    /* The graph of the reference. */
    Node *node;
    int32_t *ends; /* the last nodes of the alternatives of all groups */
    Segment *segment;
    int64_t *open;
    int64_t nodes, node_room, ends_room, segment_room, open_room;

    /* A cost is its price times `unit`, plus `forgiven` for each forgiven word, plus `empty` for
     * each alternative without words. */
    int32_t unit, forgiven, empty;
    int32_t *class;        /* of each hypothesis word */
    int32_t *insert;       /* the cost of inserting each hypothesis word */
    int64_t *inserted;     /* the cost of inserting the first j hypothesis words */
    int32_t *needed_after; /* the number of words from word j on that cannot be left out */
    int64_t class_room, insert_room, inserted_room, needed_room;
    int64_t limit; /* paths of a higher cost are not looked for */

    /* The rows and blocks from one checkpoint to the next. */
    int32_t *cell;
    Block *block;
    int64_t cells, blocks, cell_room, block_room;
    int64_t least_budget, budget; /* cells from one checkpoint to the next */

    Checkpoint *checkpoint;
    int32_t *kept;
    Block *kept_block;
    int64_t checkpoints, kept_cells, kept_blocks, checkpoint_room, kept_room, kept_block_room;
} Search;

/* Make an array larger if it has no room for `count` items; `array` is the address of its pointer.
 * Returns whether there was memory; if not, the array is unchanged. */
static inline bool make_room(void *array, int64_t *room, int64_t count, size_t size) {
    void *memory;
    memcpy(&memory, array, sizeof memory);
    if (count <= *room && memory) {
        return true;
    }
    int64_t larger = count > INT64_MAX / 2 ? count : count + count / 2 + 16;
    if ((uint64_t)larger > SIZE_MAX / size) {
        return false;
    }
    memory = realloc(memory, (size_t)larger * size);
    if (memory) {
        memcpy(array, &memory, sizeof memory);
        *room = larger;
    }
    return memory != NULL;
}

/* Return the cost of the best path to a node and a column that is in the row of the node. */
static inline int64_t cost_at(const Search *search, const Node *node, int64_t column) {
    int64_t cell = search->cell[node->row + column - node->lowest];
    return cell + search->inserted[column] - node->base;
}

/* Return the cost of the alternative of a group that ends at a node: more than 0 if it is empty. */
static inline int32_t alternative_cost(const Search *search, const Node *group, int32_t end) {
    return end == group->opening ? search->empty : 0;
}

/* Return what a cell of a row and a column must be for a cost. */
static inline int32_t cell_of(const Search *search, const Node *node, int64_t column,
                              int64_t cost) {
    return (int32_t)(cost - search->inserted[column] + node->base);
}

/* Return the cost of the best path to a node that ends by leaving out an optional span of the
 * hypothesis; UNREACHED if the span starts before the row of the node. */
static inline int64_t cost_without(const Search *search, const Node *node,
                                   const OptionalSpan *span) {
    if (span->start < node->lowest) {
        return UNREACHED;
    }
    return cost_at(search, node, span->start) + (span->end - span->start) * search->forgiven;
}

/* Whether a span and an interval have different words; otherwise their words are hits. */
bool differ(const Search *search, const Span *span, const Interval *interval);

/* List the spans and intervals of a pair that have equal keys, and the optional spans; `useful` is
 * whether a span and an interval of one key consist of different words. Returns a status. */
int find_spans(Search *search, int64_t hypothesis, bool *useful);

/* Build the graph of the reference with its spans. Returns a status. */
int build_graph(Search *search);

/* Compute the cells after a word from `count` cells before it, in the same columns and without
 * insertions. `shift` is the difference of the bases of the rows; `classes` and `insert` are those
 * of the hypothesis words between two columns. */
void match_cells(const int32_t *before, int64_t count, int32_t shift, int32_t class,
                 int32_t substitution, int32_t deletion, const int32_t *classes,
                 const int32_t *insert, int32_t *after);

/* Replace each of `count` cells of a row by the least of it and a cell of another row; `shift` is
 * the difference of the bases of the rows. */
void join_cells(const int32_t *cells, int64_t count, int32_t shift, int32_t *joined);

/* Replace each of `count` cells of a row by the least of the cells up to it: insertions. */
void insert_cells(int32_t *row, int64_t count);

/* Compute the row of a node after the rows before it. Returns a status. */
int compute_row(Search *search, Node *node);

/* Extend a row by insertions and optional spans to all columns within the limit, and remove the
 * cells at its ends that are not within it. Returns a status. */
int fit_columns(Search *search, Node *node);

/* List the blocks that start at a node, whose row is computed. Returns a status. */
int list_blocks(Search *search, const Node *node);

/* Compute the rows of all nodes. The price of the best path is set, or -1 if it is above the limit.
 * Returns a status. */
int compute_rows(Search *search, int64_t *price);

/* Compute the rows between a checkpoint and the next one again. Returns a status. */
int restore_rows(Search *search, int64_t number);

/* Write the operations of the best path from `ops` backwards and, unless it is NULL, its words from
 * `reading` backwards; both are moved to the first. Returns a status. */
int follow_path(Search *search, uint8_t **ops, int32_t **reading);

#endif
