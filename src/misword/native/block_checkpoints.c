/* The rows of all nodes in bounded memory.
 *
 * Rows before the last checkpoint are not kept; the way back computes them again, from the
 * checkpoint before them. A block has the cost of its start, which is read when the row of its
 * start is computed, so the rows after a checkpoint need no earlier row.
 */

#include "block_alignment.h"

/* List the blocks in memory, and no others, at the nodes where they end; these are after `first` up
 * to the last node. */
static void link_blocks(Search *search, int64_t first) {
    for (int64_t k = first + 1; k < search->nodes; k++) {
        search->node[k].first_block = -1;
    }
    for (int64_t b = 0; b < search->blocks; b++) {
        Node *end = &search->node[search->block[b].end];
        search->block[b].next = end->first_block;
        end->first_block = (int32_t)b;
    }
}

/* Remove the blocks that end at a node or before it from memory, and keep copies of the others. */
static int keep_blocks(Search *search, int64_t number) {
    int64_t left = 0;
    for (int64_t b = 0; b < search->blocks; b++) {
        if (search->block[b].end > number) {
            search->block[left++] = search->block[b];
        }
    }
    search->blocks = left;
    link_blocks(search, number);
    if (!make_room(&search->kept_block, &search->kept_block_room, search->kept_blocks + left,
                   sizeof *search->kept_block)) {
        return MISWORD_NO_MEMORY;
    }
    if (left) {
        memcpy(search->kept_block + search->kept_blocks, search->block,
               (size_t)left * sizeof *search->block);
    }
    search->kept_blocks += left;
    return MISWORD_OK;
}

/* Keep copies of the row of a node and of the blocks that end after it, and remove earlier rows and
 * blocks from memory. */
static int add_checkpoint(Search *search, int64_t number) {
    Node *node = &search->node[number];
    int64_t width = greater(node->highest - node->lowest + 1, 0);
    if (!make_room(&search->kept, &search->kept_room, search->kept_cells + width,
                   sizeof *search->kept) ||
        !make_room(&search->checkpoint, &search->checkpoint_room, search->checkpoints + 1,
                   sizeof *search->checkpoint)) {
        return MISWORD_NO_MEMORY;
    }
    size_t bytes = (size_t)width * sizeof *search->cell;
    memcpy(search->kept + search->kept_cells, search->cell + node->row, bytes);
    memmove(search->cell, search->cell + node->row, bytes);
    node->row = 0;
    search->cells = width;
    int64_t from = search->kept_blocks;
    int status = keep_blocks(search, number);
    search->checkpoint[search->checkpoints++] =
        (Checkpoint){number, search->kept_cells, from, search->kept_blocks};
    search->kept_cells += width;
    return status;
}

/* Compute the row of node 0, where words are only inserted or left out. */
static int compute_first_row(Search *search) {
    if (!make_room(&search->cell, &search->cell_room, search->n + 1, sizeof *search->cell)) {
        return MISWORD_NO_MEMORY;
    }
    Node *node = search->node;
    node->row = node->base = node->lowest = node->highest = 0;
    search->cell[0] = 0;
    int status = fit_columns(search, node);
    status = status == MISWORD_OK ? list_blocks(search, node) : status;
    return status == MISWORD_OK ? add_checkpoint(search, 0) : status;
}

int compute_rows(Search *search, int64_t *price) {
    search->cells = search->blocks = 0;
    search->checkpoints = search->kept_cells = search->kept_blocks = 0;
    link_blocks(search, 0);
    int status = compute_first_row(search);
    for (int64_t k = 1; k < search->nodes && status == MISWORD_OK; k++) {
        if (search->node[k - 1].outside && search->cells > search->budget) {
            status = add_checkpoint(search, k - 1);
        }
        status = status == MISWORD_OK ? compute_row(search, &search->node[k]) : status;
        status = status == MISWORD_OK ? list_blocks(search, &search->node[k]) : status;
    }
    const Node *last = &search->node[search->nodes - 1];
    *price = -1;
    if (status == MISWORD_OK && last->lowest <= last->highest && last->highest == search->n) {
        *price = cost_at(search, last, search->n) / search->unit;
    }
    return status;
}

int restore_rows(Search *search, int64_t number) {
    const Checkpoint *checkpoint = &search->checkpoint[number];
    int64_t last = search->checkpoint[number + 1].node;
    Node *node = &search->node[checkpoint->node];
    search->cells = greater(node->highest - node->lowest + 1, 0);
    memcpy(search->cell, search->kept + checkpoint->row,
           (size_t)search->cells * sizeof *search->cell);
    node->row = 0;
    search->blocks = checkpoint->to - checkpoint->from;
    if (search->blocks) {
        memcpy(search->block, search->kept_block + checkpoint->from,
               (size_t)search->blocks * sizeof *search->block);
    }
    link_blocks(search, checkpoint->node);
    int status = MISWORD_OK;
    for (int64_t k = checkpoint->node + 1; k <= last && status == MISWORD_OK; k++) {
        status = compute_row(search, &search->node[k]);
        status = status == MISWORD_OK ? list_blocks(search, &search->node[k]) : status;
    }
    return status;
}
