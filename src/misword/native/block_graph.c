/* The graph of all readings of a reference, and what the words after each node can cost. */

#include "block_alignment.h"

/* Add a node, and return its number. */
static int32_t add_node(Search *search, Node node) {
    node.first_span = node.first_block = -1;
    node.needed = INT32_MAX;
    search->node[search->nodes] = node;
    return (int32_t)search->nodes++;
}

/* Add the words of a segment after a node, and return the last node. */
static int32_t add_segment(Search *search, int64_t segment, int32_t start, bool outside) {
    const Texts *texts = &search->texts;
    int64_t row = texts->first_segment[search->reference] + segment;
    search->segment[segment] = (Segment){start, (int32_t)search->nodes};
    for (int64_t w = texts->segment_at[row]; w < texts->segment_at[row + 1]; w++) {
        int32_t word = texts->words[w];
        bool optional = texts->optional[word] != NOT_OPTIONAL;
        int64_t deletion = optional ? search->forgiven : search->deletion * search->unit;
        start = add_node(search, (Node){.word = word,
                                        .class = texts->class_of[word],
                                        .deletion = (int32_t)deletion,
                                        .before = start,
                                        .outside = outside});
    }
    return start;
}

/* Add all nodes; there is room for them. */
static void add_nodes(Search *search) {
    const uint8_t *signs = search->texts.signs + search->texts.sign_at[search->reference];
    int64_t *open = search->open;
    /* An open group has in `open`: the `base` of the group around it, the node before the group,
     * and from `base` on the last node of each alternative that has ended. */
    int64_t top = 0, base = 0, ends = 0;
    int32_t node = add_node(search, (Node){.word = -1, .outside = true});
    for (int64_t k = 0; k < search->signs; k++) {
        node = add_segment(search, k, node, top == 0);
        if (signs[k] == '{') {
            open[top++] = base;
            open[top++] = node;
            base = top;
            continue;
        }
        open[top++] = node;
        node = (int32_t)open[base - 1];
        if (signs[k] == '}') {
            node = add_node(search, (Node){.word = -1,
                                           .before = (int32_t)ends,
                                           .alternatives = (int32_t)(top - base),
                                           .opening = (int32_t)open[base - 1],
                                           .outside = base == 2});
            for (int64_t end = base; end < top; end++) {
                search->ends[ends++] = (int32_t)open[end];
            }
            top = base - 2;
            base = open[top];
        }
    }
    add_segment(search, search->signs, node, true);
}

/* Turn the words at which the spans start and end into nodes, and list the spans at the nodes. */
static void place_spans(Search *search) {
    for (int64_t k = 0; k < search->spans; k++) {
        Span *span = &search->span[k];
        const Segment *segment = &search->segment[span->segment];
        span->start = span->place ? segment->first + span->place - 1 : segment->start;
        span->end = search->segment[span->last_segment].first + span->last_place - 1;
        Node *start = &search->node[span->start];
        span->next = start->first_span;
        start->first_span = (int32_t)k;
    }
}

/* Count the words after a node for one way from it: a word, a block or none, and then `next`. */
static void count_words(Node *node, const Node *next, int32_t needed, int32_t matched) {
    node->needed = (int32_t)smaller(node->needed, next->needed + needed);
    node->matched = (int32_t)greater(node->matched, next->matched + matched);
}

/* Set for all nodes how many words are at least needed, and how many can at most be matched. */
static void count_all_words(Search *search) {
    Node *node = search->node;
    node[search->nodes - 1].needed = 0;
    for (int64_t k = search->nodes - 1; k >= 0; k--) {
        for (int32_t s = node[k].first_span; s >= 0; s = search->span[s].next) {
            const Span *span = &search->span[s];
            const Partners *partners = &search->partners[span->key];
            count_words(&node[k], &node[span->end],
                        (int32_t)smaller(span->size, partners->shortest),
                        (int32_t)greater(span->size, partners->longest));
        }
        if (node[k].word >= 0) {
            bool optional = search->texts.optional[node[k].word] != NOT_OPTIONAL;
            count_words(&node[node[k].before], &node[k], !optional, 1);
        }
        for (int32_t end = 0; end < node[k].alternatives; end++) {
            count_words(&node[search->ends[node[k].before + end]], &node[k], 0, 0);
        }
    }
}

int build_graph(Search *search) {
    int64_t signs = search->signs;
    /* A sign adds at most one node, one end of an alternative, and two numbers in `open`. */
    if (!make_room(&search->node, &search->node_room, search->size + signs + 1,
                   sizeof *search->node) ||
        !make_room(&search->ends, &search->ends_room, signs, sizeof *search->ends) ||
        !make_room(&search->segment, &search->segment_room, signs + 1, sizeof *search->segment) ||
        !make_room(&search->open, &search->open_room, 2 * signs, sizeof *search->open)) {
        return MISWORD_NO_MEMORY;
    }
    search->nodes = 0;
    add_nodes(search);
    place_spans(search);
    count_all_words(search);
    return MISWORD_OK;
}
