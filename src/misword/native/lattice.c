/* The reading of each reference with alternatives or equivalents, for each hypothesis.
 *
 * For each pair, the graph of all readings of the reference is built: first the reference as it is
 * written, then an edge for each equivalent beside each path that spells a form of its class.
 */

#include "lattice.h"

/* A place in the lattice and in a form: the next words to compare. */
typedef struct {
    int64_t node, word;
} Place;

typedef struct {
    const int32_t *words;
    const int64_t *segment_at, *first_segment;
    const uint8_t *signs;
    const int64_t *sign_at;
} References;

typedef struct {
    const int32_t *words;
    const int64_t *at;                 /* words of each form */
    const int64_t *listed, *listed_at; /* forms by their first word */
    const int64_t *class_of, *class_at;
    int64_t longest;
} Forms;

/* What a thread needs for one pair after the other; memory is reused. */
typedef struct {
    References references;
    Forms forms;
    Lattice lattice;
    Tables tables;
    uint8_t *heard; /* for each word of the vocabulary, whether the hypothesis contains it */
    int64_t *open;  /* of each open group its first node and, after it, the ends of alternatives */
    int64_t open_room;
    Place *stack;
    int64_t stack_room;
    int64_t *seen; /* for each place, the number of the search that reached it last */
    int64_t seen_room, searches;
} Reader;

/* Return an array with room for `count` items or more, with the items that it has; NULL if there is
 * no memory, in which case the array is unchanged. */
static void *with_room(void *memory, int64_t *room, int64_t count, size_t size) {
    if (count <= *room && memory) {
        return memory;
    }
    int64_t larger = count > INT64_MAX / 2 ? count : 2 * count + 1;
    if ((uint64_t)larger > SIZE_MAX / size) {
        return NULL;
    }
    void *grown = realloc(memory, (size_t)larger * size);
    *room = grown ? larger : *room;
    return grown;
}

/* Make room for nodes and edges in all; keeps those that exist. */
static bool make_room(Lattice *lattice, int64_t nodes, int64_t edges) {
    Node *node = with_room(lattice->node, &lattice->node_room, nodes, sizeof *node);
    lattice->node = node ? node : lattice->node;
    Edge *edge = with_room(lattice->edge, &lattice->edge_room, edges, sizeof *edge);
    lattice->edge = edge ? edge : lattice->edge;
    return node && edge;
}

static int64_t add_node(Lattice *lattice) {
    lattice->node[lattice->nodes] = (Node){.last_out = -1, .first_in = -1};
    return lattice->nodes++;
}

static void add_edge(Lattice *lattice, int64_t start, int64_t end, const int32_t *words,
                     int64_t size) {
    Node *from = &lattice->node[start];
    lattice->edge[lattice->edges] = (Edge){.start = start,
                                           .end = end,
                                           .words = words,
                                           .size = size,
                                           .previous_out = from->last_out,
                                           .next_in = -1};
    from->last_out = lattice->edges++;
    from->outgoing++;
    lattice->node[end].incoming++;
}

/* Add the words of a segment after a node, and return the last node. */
static int64_t add_segment(Lattice *lattice, const References *from, int64_t segment,
                           int64_t node) {
    for (int64_t w = from->segment_at[segment]; w < from->segment_at[segment + 1]; w++) {
        int64_t end = add_node(lattice);
        add_edge(lattice, node, end, from->words + w, 1);
        node = end;
    }
    return node;
}

/* Build the lattice of a reference without equivalents. */
static int build(Reader *reader, int64_t row) {
    const References *from = &reader->references;
    Lattice *lattice = &reader->lattice;
    const uint8_t *signs = from->signs + from->sign_at[row];
    int64_t count = from->sign_at[row + 1] - from->sign_at[row], segment = from->first_segment[row];
    int64_t words = from->segment_at[segment + count + 1] - from->segment_at[segment];
    /* Each sign adds at most one node, one edge, and two numbers in `open`. */
    int64_t *open = with_room(reader->open, &reader->open_room, 2 * count, sizeof *open);
    reader->open = open ? open : reader->open;
    if (!open || !make_room(lattice, words + count + 1, words + count)) {
        return MISWORD_NO_MEMORY;
    }
    lattice->nodes = lattice->edges = 0;
    /* An open group has in `open`: the `base` of the group around it, the node before the group,
     * and from `base` on the last node of each alternative that has ended. */
    int64_t node = add_node(lattice), top = 0, base = 0;
    for (int64_t k = 0; k < count; k++) {
        node = add_segment(lattice, from, segment + k, node);
        if (signs[k] == '{') {
            open[top++] = base;
            open[top++] = node;
            base = top;
            continue;
        }
        open[top++] = node;
        node = open[base - 1];
        if (signs[k] == '}') {
            node = add_node(lattice);
            for (int64_t end = base; end < top; end++) {
                add_edge(lattice, open[end], node, NULL, 0);
            }
            top = base - 2;
            base = open[top];
        }
    }
    add_segment(lattice, from, segment + count, node);
    lattice->plain = lattice->edges;
    return MISWORD_OK;
}

/* Whether an equivalent can have fewer errors than the `span` words of the reference that it
 * replaces. One that is not shorter and shares no word with the hypothesis cannot: all its words
 * are errors. */
static bool can_be_better(const Reader *reader, const int32_t *words, int64_t size, int64_t span) {
    bool better = size < span;
    for (int64_t k = 0; k < size && !better; k++) {
        better = reader->heard[words[k]];
    }
    return better;
}

/* Add edges for all other forms of a form's class; returns whether there was memory. */
static bool add_class(Reader *reader, int64_t form, int64_t start, int64_t end) {
    const Forms *forms = &reader->forms;
    Lattice *lattice = &reader->lattice;
    int64_t span = forms->at[form + 1] - forms->at[form], class = forms->class_of[form];
    int64_t first = forms->class_at[class], last = forms->class_at[class + 1];
    if (!make_room(lattice, lattice->nodes, lattice->edges + last - first)) {
        return false;
    }
    for (int64_t other = first; other < last; other++) {
        const int32_t *words = forms->words + forms->at[other];
        int64_t size = forms->at[other + 1] - forms->at[other];
        if (other != form && can_be_better(reader, words, size, span)) {
            add_edge(lattice, start, end, words, size);
        }
    }
    return true;
}

/* Add the equivalents of a form beside all paths that begin at a node and spell it. The ends of
 * these paths are found in the order of a depth-first search along the edges as they were added. */
static bool add_beside_paths(Reader *reader, int64_t form, int64_t start) {
    const Forms *forms = &reader->forms;
    const Lattice *lattice = &reader->lattice;
    const int32_t *words = forms->words + forms->at[form];
    int64_t size = forms->at[form + 1] - forms->at[form], count = 0;
    int64_t search = ++reader->searches;
    reader->stack[count++] = (Place){start, 0};
    while (count) {
        Place place = reader->stack[--count];
        int64_t *seen = &reader->seen[place.node * (size + 1) + place.word];
        if (*seen == search) {
            continue;
        }
        *seen = search;
        if (place.word == size) {
            if (!add_class(reader, form, start, place.node)) {
                return false;
            }
            continue;
        }
        /* The edge that was added first is pushed last, and so followed first. */
        for (int64_t e = lattice->node[place.node].last_out; e >= 0;) {
            const Edge *edge = &lattice->edge[e];
            if (e < lattice->plain && (!edge->size || *edge->words == words[place.word])) {
                reader->stack[count++] = (Place){edge->end, place.word + edge->size};
            }
            e = edge->previous_out;
        }
    }
    return true;
}

/* Make room for the search in add_beside_paths: it follows each edge once for each word. */
static bool make_search_room(Reader *reader) {
    int64_t longest = reader->forms.longest, nodes = reader->lattice.nodes;
    if (longest + 1 > INT64_MAX / 2 / greater(nodes, reader->lattice.plain + 1)) {
        return false;
    }
    if (nodes * (longest + 1) > reader->seen_room) {
        free(reader->seen);
        reader->seen_room = 2 * nodes * (longest + 1);
        reader->seen = allocate_zeros(2 * nodes, longest + 1, sizeof *reader->seen);
        reader->seen_room = reader->seen ? reader->seen_room : 0;
    }
    Place *stack = with_room(reader->stack, &reader->stack_room,
                             reader->lattice.plain * longest + 1, sizeof *stack);
    reader->stack = stack ? stack : reader->stack;
    return reader->seen && stack;
}

/* Add the edges of all equivalents. */
static int add_equivalents(Reader *reader) {
    const Forms *forms = &reader->forms;
    const Lattice *lattice = &reader->lattice;
    if (!forms->longest) {
        return MISWORD_OK;
    }
    if (!make_search_room(reader)) {
        return MISWORD_NO_MEMORY;
    }
    for (int64_t e = 0; e < lattice->plain; e++) {
        if (!lattice->edge[e].size) {
            continue;
        }
        int32_t word = *lattice->edge[e].words;
        for (int64_t k = forms->listed_at[word]; k < forms->listed_at[word + 1]; k++) {
            if (!add_beside_paths(reader, forms->listed[k], lattice->edge[e].start)) {
                return MISWORD_NO_MEMORY;
            }
        }
    }
    return MISWORD_OK;
}

/* Whether a reference without alternatives has the words of a hypothesis. */
static bool same_words(const References *from, int64_t row, const int32_t *hypothesis, int64_t n) {
    int64_t at = from->segment_at[from->first_segment[row]];
    return from->segment_at[from->first_segment[row] + 1] - at == n &&
           (!n || !memcmp(from->words + at, hypothesis, (size_t)n * sizeof *hypothesis));
}

/* Find the reading of one reference for one hypothesis; *first is its first word, or NULL if it is
 * the reference as it is written. */
static int read_pair(Reader *reader, int64_t row, const int32_t *hypothesis, int64_t n,
                     int32_t *end, int32_t **first) {
    const References *from = &reader->references;
    bool has_alternatives = from->sign_at[row] < from->sign_at[row + 1], as_written = true;
    *first = NULL;
    if (!has_alternatives && same_words(from, row, hypothesis, n)) {
        return MISWORD_OK;
    }
    for (int64_t j = 0; j < n; j++) {
        reader->heard[hypothesis[j]] = 1;
    }
    int status = build(reader, row);
    status = status == MISWORD_OK ? add_equivalents(reader) : status;
    for (int64_t j = 0; j < n; j++) {
        reader->heard[hypothesis[j]] = 0;
    }
    int64_t size = 0;
    const Lattice *lattice = &reader->lattice;
    if (status == MISWORD_OK && (has_alternatives || lattice->edges > lattice->plain)) {
        status =
            find_reading(&reader->lattice, &reader->tables, hypothesis, n, end, &size, &as_written);
    }
    *first = has_alternatives || !as_written ? end - size : NULL;
    return status;
}

/* Return the number of words of the longest form. */
static int64_t longest_form(const int64_t *form_at, int64_t forms) {
    int64_t longest = 0;
    for (int64_t form = 0; form < forms; form++) {
        longest = greater(longest, form_at[form + 1] - form_at[form]);
    }
    return longest;
}

int misword_choose_readings(const int32_t *words, const int64_t *segment_at,
                            const int64_t *first_segment, const uint8_t *signs,
                            const int64_t *sign_at, const int32_t *form_words,
                            const int64_t *form_at, int64_t forms, const int64_t *listed,
                            const int64_t *listed_at, const int64_t *class_of,
                            const int64_t *class_at, const int32_t *hypothesis,
                            const int64_t *hypothesis_at, int64_t vocabulary, const int64_t *pairs,
                            int64_t lo, int64_t hi, int32_t *readings, int64_t *slots) {
    Reader reader = {
        .references = {words, segment_at, first_segment, signs, sign_at},
        .forms = {form_words, form_at, listed, listed_at, class_of, class_at,
                  longest_form(form_at, forms)},
    };
    reader.heard = allocate_zeros(vocabulary, 1, sizeof *reader.heard);
    int status = reader.heard ? MISWORD_OK : MISWORD_NO_MEMORY;
    for (int64_t p = lo; p < hi && status == MISWORD_OK; p++) {
        int64_t column = pairs[2 * p + 1], at = hypothesis_at[column];
        int32_t *first;
        status = read_pair(&reader, pairs[2 * p], hypothesis + at, hypothesis_at[column + 1] - at,
                           readings + slots[p], &first);
        slots[p] = first ? first - readings : -1;
    }
    free(reader.lattice.edge);
    free(reader.lattice.node);
    free(reader.tables.cells);
    free(reader.heard);
    free(reader.open);
    free(reader.stack);
    free(reader.seen);
    return status;
}
