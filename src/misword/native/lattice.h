/* The graph of all readings of a reference. Not part of the contract. */

#ifndef MISWORD_LATTICE_H
#define MISWORD_LATTICE_H

#include "common.h"

/* A phrase, possibly empty, from one node to a node of a higher number. Edges are known by their
 * number in the order in which they were added; -1 is none. */
typedef struct {
    int64_t start, end;
    const int32_t *words;
    int64_t size;
    int64_t previous_out; /* the edge before this one among those that leave `start` */
    /* Set by the search: the edge that continues this one, whether this one continues another, and
     * the next edge that arrives at the same node. */
    int64_t next;
    bool is_next;
    int64_t next_in;
} Edge;

typedef struct {
    int64_t incoming, outgoing; /* numbers of edges */
    int64_t last_out;           /* the last edge that leaves the node */
    int64_t first_in, last_in;  /* set by the search: edges that arrive at the node */
    int64_t row;                /* set by the search: the row of the node in its tables */
} Node;

/* A graph from node 0 to its last node. The first `plain` edges are the reference as it is written:
 * one word each, or none where a group of alternatives ends. The others are equivalents. */
typedef struct {
    Edge *edge;
    Node *node;
    int64_t edges, nodes, plain;
    int64_t edge_room, node_room;
} Lattice;

/* Tables of the search, of which memory is reused from pair to pair. */
typedef struct {
    int64_t *cells;
    int64_t room;
} Tables;

/* Find the reading with the fewest errors against a hypothesis of `n` words. Writes its words from
 * `end` backwards. Returns a status; sets *size to the number of words, and
 * *as_written to whether no equivalent is part of the reading. */
int find_reading(Lattice *lattice, Tables *tables, const int32_t *hypothesis, int64_t n,
                 int32_t *end, int64_t *size, bool *as_written);

#endif
