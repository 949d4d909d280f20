/* The contract between the Python package and its compiled kernels.
 *
 * Conventions of all functions:
 * - The caller allocates every array; a function allocates scratch memory and frees it before it
 *   returns. Arrays are contiguous and do not overlap, except where a comment says otherwise.
 * - Sizes, offsets and numbers of items are int64_t. Functions check products of sizes before they
 *   allocate. They do not check that offsets and ids are within their arrays: the Python module
 *   that calls a function does, or makes them itself.
 * - A text or token sequence `k` of several has the items `at[k]` to `at[k + 1] - 1`; `at` has one
 *   number more than there are sequences.
 * - A function that works on the pairs or rows `lo` to `hi - 1` writes to the output of these only,
 *   so that several threads may call it with disjoint ranges.
 * - A function that returns `int` returns MISWORD_OK or another status below.
 * - The result does not depend on the instruction set: sums of floating-point numbers have a fixed
 *   order, and the compiler must not contract them (-ffp-contract=off).
 */

#ifndef MISWORD_KERNELS_H
#define MISWORD_KERNELS_H

#include <stdint.h>

#if defined(_WIN32)
#define MISWORD_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define MISWORD_EXPORT __attribute__((visibility("default")))
#else
#define MISWORD_EXPORT
#endif

/* The outcome of a call. */
enum {
    MISWORD_OK = 0,
    MISWORD_NO_MEMORY = 1, /* scratch memory could not be allocated */
    MISWORD_TOO_LARGE = 2, /* a size exceeds what the types of the output can hold */
    MISWORD_FULL = 3,      /* an output array is full: make it larger and call again */
    MISWORD_MISMATCH = 4   /* operations are not those of the pair that they are given for */
};

/* ---- processor ---- */

/* Return 1 if the processor and the system run the AVX2 build (x86-64-v3), else 0. */
MISWORD_EXPORT int misword_runs_avx2(void);

/* ---- words and characters (words.c, characters.c) ---- */

/* A slot of the hash table of words: three numbers. Words of up to 16 bytes are their own key (the
 * first eight bytes and the next eight, filled with NUL); of longer words the key is a hash. The
 * third number is the length of the word in bytes times 2^32, plus its id, plus 1; 0 is an empty
 * slot. */
enum { MISWORD_WORD_SLOT = 3, MISWORD_TEXT_PADDING = 16 };

/* Give ids to the words of a UTF-8 text, in order of their first occurrence. The text may have any
 * bytes; white space is recognised where it is valid UTF-8.
 *
 * Rows of the text are separated by NUL; MISWORD_TEXT_PADDING NUL bytes follow the last row and are
 * counted in `size`. Words are separated by white space as Python's str.isspace defines it.
 *
 * state    next byte, current row, number of tokens, number of distinct words; 0, 0, 0, 0 at first
 * ids      room for size / 2 numbers
 * offsets  `rows` + 1 numbers, the first is 0: the number of tokens before each row
 * starts, lengths  room for `room` numbers each: where each distinct word begins, its bytes
 * table    2^bits slots, all 0 at first; at most half of them are used, so room is 2^(bits - 1)
 *
 * Returns MISWORD_FULL when there is no room for 128 further words and the text has not ended: the
 * caller makes `starts`, `lengths` and, with misword_rehash_words, the table larger and calls again
 * with the same state. `room` is at least 128 larger than the number of known words. Returns
 * MISWORD_TOO_LARGE for a word of 2 GB or for more than `rows` rows. */
MISWORD_EXPORT int misword_split_words(const uint8_t *text, int64_t size, int64_t rows,
                                       int64_t *state, int32_t *ids, int64_t *offsets,
                                       int64_t *starts, int32_t *lengths, int64_t room,
                                       uint64_t *table, int64_t bits);

/* Copy all words of a hash table of 2^old_bits slots into one of 2^bits slots, which is all 0. */
MISWORD_EXPORT void misword_rehash_words(const uint64_t *old, int64_t old_bits, uint64_t *table,
                                         int64_t bits);

/* Write the words of all rows as text: the inverse of misword_split_words, with one space between
 * two words and NUL between two rows. Word `i` of the vocabulary has `lengths[i]` bytes from
 * `text + starts[i]` on. `text` ends with MISWORD_TEXT_PADDING bytes that are no word, and `joined`
 * has room for as many bytes more than the result has. */
MISWORD_EXPORT void misword_join_words(const int32_t *ids, const int64_t *offsets, int64_t rows,
                                       const uint8_t *text, const int64_t *starts,
                                       const int32_t *lengths, uint8_t *joined);

/* Give ids to the code points of a UTF-8 text. text[size] can be read and is NUL, as in a `bytes`
 * object of Python. A byte sequence that is not UTF-8 gives some id, never a read out of bounds.
 *
 * Rows are separated by NUL. White space between words is one space, or nothing if `spaces` is 0;
 * white space at the ends of a row is ignored. The id of an ASCII character is its code; other code
 * points get the next ids in order of appearance.
 *
 * state    number of known ids (128 at first); after the call also the number of tokens
 * ids      room for `size` + 8 ids of `width` bytes each: 1 (uint8_t) or 4 (int32_t)
 * offsets  `rows` + 1 numbers, the first is 0: the number of tokens before each row
 * id_of    for each of the 0x110000 code points its id, -1 if it has none
 * points   room for `room` code points: those of the known ids
 *
 * Returns MISWORD_FULL if there are more than `room` distinct code points: the caller begins again
 * with a wider type. Returns MISWORD_TOO_LARGE for more than `rows` rows. */
MISWORD_EXPORT int misword_split_characters(const uint8_t *text, int64_t size, int64_t rows,
                                            int32_t spaces, int32_t width, int64_t *state,
                                            void *ids, int64_t *offsets, int32_t *id_of,
                                            int32_t *points, int64_t room);

/* ---- signs in the words of texts (word_signs.c) ---- */

/* The most different function words that misword_line_languages counts. */
enum { MISWORD_MOST_DISTINCT = 16 };

/* Lower the ASCII capitals of words, and write spaces in place of the bytes around each word for
 * which `is_around` is not 0. Words are separated by NUL; `bare` has `size` bytes. */
MISWORD_EXPORT void misword_bare_words(const uint8_t *text, int64_t size, const uint8_t *is_around,
                                       uint8_t *bare);

/* Count the repeated words in the loops of some rows of words.
 *
 * A word is repeated if it and the word `size` places before it have the same class, and so many
 * words in succession are repeated that a phrase of `size` words occurs `of_phrase` times, or a
 * word `of_word` times. Phrases have at most `longest` words. */
MISWORD_EXPORT int misword_count_repeated(const int32_t *ids, const int64_t *at,
                                          const int32_t *class_of, const int64_t *rows,
                                          int64_t count, int64_t longest, int64_t of_word,
                                          int64_t of_phrase, int64_t *repeated);

/* Add up the weights of the words of some rows: `columns` numbers for each word id and row. */
MISWORD_EXPORT void misword_sum_weights(const int32_t *ids, const int64_t *at, const int64_t *rows,
                                        int64_t count, const int32_t *weights, int64_t columns,
                                        int64_t *sums);

/* Recognise the language of some rows of words by function words.
 *
 * languages  for each word id a bit for each language of which it is a function word
 * own        the language that is expected
 * found      the language of each row, if it clearly differs from `own`, else -1: the first with
 *            the most function words, at least `fewest`, `share` of all words, `times` those of
 *            `own`, and `distinct` of different classes; `own` has at most `own_share` of all */
MISWORD_EXPORT void misword_line_languages(const int32_t *ids, const int64_t *at,
                                           const int64_t *rows, int64_t count,
                                           const int32_t *class_of, const uint32_t *languages,
                                           int64_t own, int64_t fewest, double share,
                                           double own_share, int64_t times, int64_t distinct,
                                           int32_t *found);

/* ---- phrases and compounds in texts (occurrences.c) ---- */

/* Numbers of an occurrence: the row, the first word, the word after the last, and a number that
 * says what was found. */
enum { MISWORD_OCCURRENCE = 4 };

/* Find all occurrences of phrases in rows of words, by row, then by first word.
 *
 * ids, at             the words of `rows` rows
 * phrases, phrase_at  the words of each phrase
 * listed, listed_at   for each word of the vocabulary, the phrases that begin with it
 * found               room for `room` occurrences; the last number is that of the phrase
 * count               the number of occurrences. If it exceeds `room`, MISWORD_FULL is returned,
 *                     and the caller makes `found` larger and calls again */
MISWORD_EXPORT int misword_find_phrases(const int32_t *ids, const int64_t *at, int64_t rows,
                                        const int32_t *phrases, const int64_t *phrase_at,
                                        const int64_t *listed, const int64_t *listed_at,
                                        int64_t *found, int64_t room, int64_t *count);

/* Numbers of a span of words in a row: the first word, the word after the last, and a number that
 * says what it is. Spans are listed by row. */
enum { MISWORD_SPAN = 3 };

/* Find terms in rows of words so that no two of them overlap: the leftmost, and of those that begin
 * at one word the first that is listed.
 *
 * ids, at             the words of `rows` rows
 * terms, term_at      the words of each term, at least one
 * number_of           the number that is written for each term
 * listed, listed_at   for each word of the vocabulary, the terms that begin with it
 * spans               room for as many spans as there are words
 * span_at             `rows` + 1 numbers: the number of spans before each row */
MISWORD_EXPORT void misword_find_terms(const int32_t *ids, const int64_t *at, int64_t rows,
                                       const int32_t *terms, const int64_t *term_at,
                                       const int32_t *number_of, const int64_t *listed,
                                       const int64_t *listed_at, int32_t *spans, int64_t *span_at);

/* Find all sequences of two to `most` words in a row whose letters are those of one word of the
 * vocabulary, by row, then by first word.
 *
 * ids, at              the words of `rows` rows
 * letters, letters_at  the bytes of each of the `vocabulary` words; a word without letters is part
 *                      of no sequence
 * found, room, count   as in misword_find_phrases; the last number is the first word of the
 *                      vocabulary that has these letters
 *
 * Returns MISWORD_TOO_LARGE for a vocabulary of 2^31 - 1 words or more. */
MISWORD_EXPORT int misword_find_compounds(const int32_t *ids, const int64_t *at, int64_t rows,
                                          const uint8_t *letters, const int64_t *letters_at,
                                          int64_t vocabulary, int64_t most, int64_t *found,
                                          int64_t room, int64_t *count);

/* ---- entities: spans of words with a class (span_columns.c, span_counts.c) ---- */

/* Read a column of entities: for each row a JSON list of spans in characters, [[0, 4, "X"], ...],
 * or a tag for each word, "B-X I-X O" (BIO, BIOES, BILOU), or nothing. A span in characters has the
 * words that it touches; words are separated by white space as Python's str.isspace defines it.
 *
 * values, texts  UTF-8, rows separated by NUL. The byte after the last row can be read and is NUL,
 *                as in a `bytes` object of Python; `texts` has `size` bytes before it
 * spans          room for `room` spans, which is at least the number of the bytes '[' and '-' in
 *                `values`; the last number is that of the class. Spans of a row are ordered by
 *                class, then by start, the longer one first, without doubles
 * span_at        `rows` + 1 numbers: the number of spans before each row
 * unread         `rows` flags: 1 for a row that is not written as above, or that has a number of
 *                more than nine digits or a backslash, or two spans that cross; it has no spans
 * names          room for 2 * `room` numbers: where the name of each class begins in `values`, and
 *                its bytes. Classes have numbers in order of their first span; some may be of
 *                unread rows alone
 * classes        the number of classes */
MISWORD_EXPORT int misword_read_spans(const uint8_t *values, const uint8_t *texts, int64_t size,
                                      int64_t rows, int64_t room, int32_t *spans, int64_t *span_at,
                                      uint8_t *unread, int64_t *names, int64_t *classes);

/* Numbers of a pair and class: the class, its words, the substituted words, the missed words, words
 * of the other side between two words of one span, the spans, and the spans without any of these
 * errors. */
enum { MISWORD_SPAN_COUNTS = 7 };

/* Count the errors in spans of words of one side of `pairs` alignments, by pair and class.
 *
 * ops, op_at       the operations of each pair
 * blocks, sizes    the positions in `ops` of the `forgiven` forgiven blocks, in order, and the
 *                  number of words of this side that each has
 * other            the operation of a word that only the other side has
 * row_of           the row of each pair
 * spans, span_at   the spans of each row, with numbers of classes from 0 to `classes` - 1. Those of
 *                  one class are ordered by start, the longer one first; they do not cross
 * counts           room for as many rows of numbers as the pairs have spans
 * counted_at       `pairs` + 1 numbers: the rows of `counts` before those of each pair
 *
 * Words of nested spans of one class count once. Returns MISWORD_MISMATCH if a span is not within
 * the words of a pair. */
MISWORD_EXPORT int misword_count_spans(const uint8_t *ops, const int64_t *op_at, int64_t pairs,
                                       const int64_t *blocks, const int64_t *sizes,
                                       int64_t forgiven, int32_t other, const int64_t *row_of,
                                       const int32_t *spans, const int64_t *span_at,
                                       int64_t classes, int32_t *counts, int64_t *counted_at);

/* ---- alignment with unit costs (unit_alignment.c) ---- */

/* The rules that choose among alignments of equal cost; see alignment/engine.py. */
enum { MISWORD_TIES_MISWORD = 0, MISWORD_TIES_JIWER = 1, MISWORD_TIES_KALDIALIGN = 2 };

/* Align pairs lo to hi - 1 with unit costs: reference pairs[2p] with hypothesis pairs[2p + 1].
 *
 * width    bytes of a token id: 1 (uint8_t) or 4 (int32_t), for both sides
 * size     number of token ids: all ids are below it
 * budget   64-bit words of each bit matrix that are kept in memory; a larger pair is computed in
 *          parts, with the same result
 * most_cells  cells of the edit matrix of a long pair that are computed at most
 * costs    the number of errors of each pair
 * counts   four numbers a pair: hits, substitutions, insertions, deletions
 * ops      operations of all pairs, or NULL if they are not wanted
 * slots    with ops: on entry the end of the room of each pair in ops (as many as both texts have
 *          tokens), on return the first of its operations, which end where the room ends
 * bursts   the most successive insertions of each pair
 *
 * Returns MISWORD_TOO_LARGE if a pair needs more than most_cells. */
MISWORD_EXPORT int misword_align_unit(const void *reference, const int64_t *reference_at,
                                      const void *hypothesis, const int64_t *hypothesis_at,
                                      int32_t width, int64_t size, const int64_t *pairs, int64_t lo,
                                      int64_t hi, int32_t ties, int64_t budget, double most_cells,
                                      double *costs, int64_t *counts, uint8_t *ops, int64_t *slots,
                                      int64_t *bursts);

/* ---- errors of one pair (pair_errors.c) ---- */

/* Write the edit distance of two short texts of `m` and `n` tokens, which are any numbers. The time
 * is proportional to m times n, divided by 64; scratch memory has m / 64 numbers for each distinct
 * token of the reference. */
MISWORD_EXPORT int misword_count_pair_errors(const int32_t *reference, int64_t m,
                                             const int32_t *hypothesis, int64_t n, int64_t *errors);

/* ---- costs of edits (prices.c) ---- */

/* The forms of the prices of substitutions; see alignment/costs.py. */
enum { MISWORD_COSTS_TABLE = 0, MISWORD_COSTS_PAIRS = 1, MISWORD_COSTS_VECTORS = 2 };

/* The costs of edits over a vocabulary. Equal tokens cost nothing. A pointer that the form does not
 * need may be NULL. */
typedef struct {
    const double *insertion, *deletion; /* the price of each token id */
    double cheapest_insertion, cheapest_deletion;
    int32_t even; /* 1 if all insertions have one price and all deletions one, not both 0 */
    int32_t form;
    const double *prices;    /* table: [reference id][hypothesis id]; pairs: of each listed pair */
    int64_t columns;         /* table: length of its rows */
    const int64_t *starts;   /* pairs: reference id r is listed with the hypothesis ids */
    const int64_t *partners; /* partners[starts[r]] to partners[starts[r + 1] - 1], ascending */
    /* pairs: [reference id][sieve_words]; bit h modulo 64 * sieve_words is set for each listed
     * hypothesis id h; sieve_words is a power of two */
    const uint64_t *sieve;
    int64_t sieve_words;
    const float *units; /* vectors: [token id][dimension], components are multiples of 2^-26 */
    int64_t dimension;
    const uint8_t *known; /* vectors: whether each token id has a vector */
    double other;         /* the price of a pair that is not listed, or without two vectors */
} misword_costs;

/* Round the components of vectors, `count` in all, to multiples of 2^-26: the dot products of unit
 * vectors are then exact. `rounded` may be `units`. */
MISWORD_EXPORT void misword_round_units(const float *units, int64_t count, float *rounded);

/* Write the dot product of the vectors of each pair of ids left[k] and right[k]. `units` has
 * `dimension` components for each id. Products are exact if the components are multiples of 2^-26
 * and no vector is longer than one. */
MISWORD_EXPORT void misword_cosines(const float *units, int64_t dimension, const int64_t *left,
                                    const int64_t *right, int64_t count, double *products);

/* Write the price of each substitution of the token left[k] by right[k]. */
MISWORD_EXPORT void misword_price_pairs(const misword_costs *costs, const int64_t *left,
                                        const int64_t *right, int64_t count, double *prices);

/* ---- substitutions of alignments (substitutions.c) ---- */

/* List the substitutions of pairs lo to hi - 1; the first parameters are those of
 * misword_align_unit.
 *
 * ops, ops_at  operations of all pairs; those of pair p begin at ops_at[p]
 * starts       where the substitutions of each pair are written, one number more than pairs
 * owner, left, right  for each substitution its pair, reference id and hypothesis id
 *
 * Returns MISWORD_MISMATCH if the operations of a pair do not fit its tokens or its substitutions
 * the room from starts[p] to starts[p + 1]. */
MISWORD_EXPORT int misword_list_substitutions(const void *reference, const int64_t *reference_at,
                                              const void *hypothesis, const int64_t *hypothesis_at,
                                              int32_t width, const int64_t *pairs, int64_t lo,
                                              int64_t hi, const uint8_t *ops, const int64_t *ops_at,
                                              const int64_t *starts, int64_t *owner, int64_t *left,
                                              int64_t *right);

/* ---- alignment with other costs (weighted_alignment.c) ---- */

/* Align pairs lo to hi - 1 with the least total cost; as misword_align_unit, with these
 * differences.
 *
 * guide     operations of an alignment of all pairs, whose cost bounds that of the cheapest
 * guide_at  one number more than there are pairs: where the operations of each begin
 * budget    cells of the edit matrix whose directions are kept in memory
 * totals    the least cost of each pair
 *
 * Among alignments of equal cost the one is taken that has, from the end backwards, a hit or
 * substitution, else an insertion, else a deletion. Returns MISWORD_MISMATCH if the guide of a pair
 * does not have as many operations as the pair has tokens. */
MISWORD_EXPORT int misword_align_weighted(const void *reference, const int64_t *reference_at,
                                          const void *hypothesis, const int64_t *hypothesis_at,
                                          int32_t width, const misword_costs *costs,
                                          const int64_t *pairs, int64_t lo, int64_t hi,
                                          const uint8_t *guide, const int64_t *guide_at,
                                          int64_t budget, double *totals, int64_t *counts,
                                          uint8_t *ops, int64_t *slots);

/* ---- word transition networks of several transcripts (word_networks.c) ---- */

/* Put the words of the transcripts of utterances lo to hi - 1 into slots, each transcript into the
 * network of those before it. An utterance has 1 to 65,535 transcripts.
 *
 * ids, at       the transcripts of all utterances
 * utterance_at  the transcripts of utterance `u` are utterance_at[u] to utterance_at[u + 1] - 1
 * slot_of       the slot of each word, from 0 in each utterance
 * slots         the number of slots of each utterance
 */
MISWORD_EXPORT int misword_word_networks(const int32_t *ids, const int64_t *at,
                                         const int64_t *utterance_at, int64_t lo, int64_t hi,
                                         int64_t *slot_of, int64_t *slots);

/* ---- edit distances of many short sequences (distances.c) ---- */

/* Write the cost of the cheapest alignment of pairs lo to hi - 1; the first parameters are those of
 * misword_align_unit.
 *
 * insertion, deletion  the price of each token id
 * beyond     [reference id][hypothesis id], `columns` in a row: the price of the substitution (0
 * for equal tokens) minus that of inserting the hypothesis token distances  the cost of each pair
 */
MISWORD_EXPORT int misword_distances(const void *reference, const int64_t *reference_at,
                                     const void *hypothesis, const int64_t *hypothesis_at,
                                     int32_t width, const int64_t *pairs, int64_t lo, int64_t hi,
                                     const double *insertion, const double *deletion,
                                     const double *beyond, int64_t columns, double *distances);

/* Numbers of a node of a prefix tree. A node is a prefix of one or more sequences: the number of
 * its tokens, its last token, the node after its branch, the first of its sequences in sorted
 * order, and the number of tokens after it in its shortest and in its longest sequence. */
enum { MISWORD_NODE = 6 };

/* Fill the prefix tree of sequences, parents first; node 0, the root, is the empty prefix.
 *
 * ids, at  the sequences, of `width` bytes a token
 * order    the numbers of the `count` sequences in sorted order
 * nodes    room for MISWORD_NODE numbers for each token and for the root
 * ends     `count` numbers: the node at which each sequence of `order` ends
 * size     the number of nodes */
MISWORD_EXPORT int misword_build_tree(const void *ids, const int64_t *at, int32_t width,
                                      const int64_t *order, int64_t count, int64_t *nodes,
                                      int64_t *ends, int64_t *size);

/* Find the nearest of the sequences of a prefix tree for each reference lo to hi - 1.
 *
 * reference, reference_at  sequences of `width` bytes a token
 * nodes, size, order, ends, count  the tree, as misword_build_tree makes it
 * insertion, deletion  the price of each token id
 * beyond    [reference id][hypothesis id], `columns` in a row: the price of the substitution (0 for
 *           equal tokens) minus that of deleting the reference token
 * cheapest  the lowest prices of an insertion and of a deletion
 * greatest_insertion  the greatest cost of inserting a whole sequence
 * limit     sequences that cost more are left out
 * own       for each reference the number of a sequence that is left out, or -1
 * ids, costs  `k` (at least 1) for each reference: the nearest sequences and their costs, by cost
 *           and then by number; -1 and infinity where fewer are found */
MISWORD_EXPORT int misword_closest(const void *reference, const int64_t *reference_at,
                                   int32_t width, int64_t lo, int64_t hi, const int64_t *nodes,
                                   int64_t size, const int64_t *order, const int64_t *ends,
                                   int64_t count, const double *insertion, const double *deletion,
                                   const double *beyond, int64_t columns, const double *cheapest,
                                   double greatest_insertion, double limit, const int64_t *own,
                                   int64_t k, int32_t *ids, double *costs);

/* ---- word vectors (unit_vectors.c) ---- */

/* Write rows of a matrix, scaled to length one: rows[k] of the matrix to row k of `units`, for each
 * of `count` numbers. A row is zero in `units`, and known[k] is 0, if rows[k] is negative or the
 * row is zero or not finite; else known[k] is 1. Squares are added in float64 from left to right.
 */
MISWORD_EXPORT void misword_unit_rows(const float *matrix, int64_t dimension, const int64_t *rows,
                                      int64_t count, float *units, uint8_t *known);

/* ---- alternatives in references (alternatives.c) ---- */

/* Find the signs of alternatives in references: matching braces with a slash that stands alone
 * directly between them, `{ a / b }`, and these slashes.
 *
 * text          UTF-8, rows separated by NUL; a NUL follows the last row
 * room          the number of braces and slashes in the text
 * positions     room for `room` numbers: the bytes of the signs, in order
 * offsets       `rows` + 1 numbers, the first is 0: the number of signs before each row
 * unclosed_row  the first row in which a group with a slash has no end, or -1; rows after it are
 *               not read */
MISWORD_EXPORT int misword_find_alternatives(const uint8_t *text, int64_t rows, int64_t room,
                                             int64_t *positions, int64_t *offsets,
                                             int64_t *unclosed_row);

/* ---- alignment with blocks of words that match at no cost (block_alignment.c) ---- */

/* Align pairs lo to hi - 1, reference pairs[2p] and hypothesis pairs[2p + 1], at the lowest price;
 * alignment/blocks.py says what is free and which of several alignments of one price is taken.
 *
 * A reference with k signs of alternatives has k + 1 segments, with a sign between two of them.
 *
 * words, segment_at     the words of all segments
 * first_segment         of each reference
 * signs, sign_at        the signs of each reference, `{`, `/` and `}`; every group is complete
 * written_row           of each reference: the row of `words` after its segments that has one
 *                       reading of it, or -1. The spans of this row are in several segments
 * chosen, chosen_at     the segments with the words of this reading, counted from the first of the
 *                       reference
 * hypothesis, hypothesis_at  the words of all hypotheses
 * class_of              of each word of the vocabulary; words of one class are equal
 * optional              the number of the family that forgives each word of the vocabulary, below
 *                       32, or 255
 * reference_spans       three numbers each, ordered by start: start, end, and key; the key of a
 *                       span that may be left out is -1 less the number of its family
 * reference_span_at     the spans of each segment
 * hypothesis_spans, hypothesis_span_at  the same for the hypotheses
 * family_of_key, keys   the number of the family of each key, below 32; all keys are below `keys`
 * costs                 the prices of a substitution, a deletion and an insertion, each at least 1;
 *                       and 1 if among alignments of one price that with the fewest empty
 *                       alternatives is taken, where each counts as a forgiven word, else 0
 * bounds                for each pair a price that is not below the lowest, or -1
 * budget                cells of the edit matrix that are kept in memory; a larger pair is computed
 *                       in segments, with the same result. A pair of m and n words needs twice
 *                       n times the square root of m cells, if that is more
 * readings              the words of the readings that were chosen; room for the words of all
 *                       segments of each reference with signs
 * reading_slots         on entry the end of the room of each pair in `readings`; on return its
 *                       first word, or -1 for a reference without signs
 * ops                   operations; room for the words of all segments and of the hypothesis
 * slots                 on entry the end of the room of each pair in `ops`; on return its first
 *                       operation, or -1 if nothing is forgiven and the reference has no signs
 *
 * Returns MISWORD_TOO_LARGE if the words of a pair times the greatest price are 2^28 or more. */
MISWORD_EXPORT int misword_align_blocks(
    const int32_t *words, const int64_t *segment_at, const int64_t *first_segment,
    const uint8_t *signs, const int64_t *sign_at, const int64_t *written_row, const int64_t *chosen,
    const int64_t *chosen_at, const int32_t *hypothesis, const int64_t *hypothesis_at,
    const int32_t *class_of, const uint8_t *optional, const int64_t *reference_spans,
    const int64_t *reference_span_at, const int64_t *hypothesis_spans,
    const int64_t *hypothesis_span_at, const uint8_t *family_of_key, int64_t keys,
    const int64_t *costs, const int64_t *bounds, int64_t budget, const int64_t *pairs, int64_t lo,
    int64_t hi, int32_t *readings, int64_t *reading_slots, uint8_t *ops, int64_t *slots);

/* ---- ranges of bytes (byte_ranges.c) ---- */

/* Copy `count` ranges of bytes one after the other: range i has the bytes starts[i] to
 * starts[i] + lengths[i] - 1 of `pool`. `target` has room for the sum of all lengths. */
MISWORD_EXPORT void misword_copy_ranges(const uint8_t *pool, const int64_t *starts,
                                        const int64_t *lengths, int64_t count, uint8_t *target);

/* ---- word vectors as text (vector_lines.c) ---- */

/* Write the places of all newlines of a text of `size` bytes, at most `room`, and their number into
 * `count`. Returns MISWORD_FULL if there are more. */
MISWORD_EXPORT int misword_find_newlines(const uint8_t *text, int64_t size, int64_t room,
                                         int64_t *places, int64_t *count);

/* Parse lines lo to hi - 1 of a text of `size` bytes: a word without spaces and `dimension`
 * numbers, with spaces and tabs between them. Line k has the bytes starts[k] to ends[k] - 1, which
 * may be any bytes.
 *
 * rows       `dimension` numbers for each line: those nearest to the decimal numbers
 * word_ends  the place after the word of each line
 * usual      1 for each line that was parsed; 0 for other lines, among them lines with faults,
 *            words that contain spaces, and numbers that need more than 64-bit arithmetic */
MISWORD_EXPORT void misword_read_vector_lines(const uint8_t *text, int64_t size,
                                              const int64_t *starts, const int64_t *ends,
                                              int64_t lo, int64_t hi, int64_t dimension,
                                              float *rows, int64_t *word_ends, uint8_t *usual);

/* ---- Kendall's tau (concordance.c) ---- */

/* Count concordant minus discordant pairs of rows of two columns, in each of several resamples.
 *
 * weights      how often each row is drawn: `draws` resamples with `rows` numbers each
 * left, right  the two columns: for each row the rank of its value among the distinct values of the
 *              column, from 0 and below `rows`
 * scores       the result of each resample
 *
 * Returns MISWORD_TOO_LARGE if a weight is negative, if the weights of a resample add up to 2^31 or
 * more, or if there are about as many rows. */
MISWORD_EXPORT int misword_count_concordance(const int32_t *weights, int64_t draws, int64_t rows,
                                             const int64_t *left, const int64_t *right,
                                             int64_t *scores);

/* ---- products of two vocabularies (product_scan.c, partners.c) ---- */

/* Add a tile of products to the running results of its words.
 *
 * products  `rows` times `columns` products; the words of row r and column c have the numbers
 *           first_row + r and first_column + c
 * k         length of the lists of the greatest products
 * room      number of candidates of a word, at least 1
 * margin    by how much the score of a candidate may be below the best candidate of the word
 * dropout   the keys of pairs from row to column and from column to row, and the limit below which
 *           the upper 53 bits of the hash of a pair must be for the pair to be kept
 *
 * Both sides have the arrays:
 * lists     k numbers a word: its greatest products in ascending order, minus infinity at first
 * least     the first number of each list
 * halves    an estimate of half the hubness term of each word
 * scores    `room` numbers a word: the scores of its candidates (product minus `halves` of the
 *           partner) in falling order, minus infinity at first
 * partners  `room` numbers a word: the numbers of the candidates
 * bars      only kept partners with a score above the bar of the word become candidates, and bars
 *           rise with the candidates: no other kept partner has a score above the bar. At first
 * minus infinity or a guess; plus infinity if no candidates are wanted. */
MISWORD_EXPORT void
misword_scan_products(const float *products, int64_t rows, int64_t columns, int64_t k, int64_t room,
                      float margin, const uint64_t *dropout, int64_t first_row, float *row_lists,
                      float *row_least, const float *row_halves, float *row_bars, float *row_scores,
                      int32_t *row_partners, int64_t first_column, float *column_lists,
                      float *column_least, const float *column_halves, float *column_bars,
                      float *column_scores, int32_t *column_partners);

/* Choose the best partner of each of the words lo to hi - 1 among its candidates.
 *
 * rows, others  vectors of `dimension` numbers
 * penalties     what is subtracted from the dot product, for each of `others`
 * scores, partners  `width` candidates a word; only those with a score above the bar are read
 * best_ids      the number of the best candidate, of equal ones the first; -1 if there is none
 * best_scores   its dot product minus its penalty; minus infinity if there is none */
MISWORD_EXPORT void misword_best_candidates(const float *rows, const float *others,
                                            int64_t dimension, const float *penalties,
                                            const float *scores, const int32_t *partners,
                                            int64_t width, const float *bars, int64_t lo,
                                            int64_t hi, int64_t *best_ids, float *best_scores);

/* Choose the best partner of some words among all pairs that dropout keeps.
 *
 * products     `count` times `other_count` dot products of the words `row_numbers` with all others,
 *              each within `slack` of the dot product that decides
 * key, limit   of the dropout, as above
 * best_ids     as in misword_best_candidates, a number for each of the `count` words */
MISWORD_EXPORT void misword_best_kept(const float *products, const float *rows,
                                      const int64_t *row_numbers, int64_t count,
                                      const float *others, int64_t other_count, int64_t dimension,
                                      const float *penalties, float slack, uint64_t key,
                                      uint64_t limit, int64_t *best_ids);

/* ---- hubness terms with pruning (pruned_hubness.c) ---- */

/* Add the dot products of rows and others to lists of the greatest products of each row.
 *
 * bounds    `row_count` times `other_count` upper bounds of the products
 * greatest  `k` numbers a row, in ascending order, minus infinity at first; k is at least 1
 * least     for each row a lower bound of the least number that its list ends with, which rises
 *
 * A product is computed only if its bound exceeds `least`. */
MISWORD_EXPORT void misword_add_bounded(const float *bounds, int64_t row_count, int64_t other_count,
                                        const float *rows, const float *others, int64_t dimension,
                                        int64_t k, float *greatest, float *least);

/* ---- nearest rows (nearest.c) ---- */

/* Merge products into the lists of the best keys of each query.
 *
 * products  `queries` times `width` products; the rows have the numbers first, first + 1, ...,
 * which are below 2^32 - 1 best      `k` keys a query, in any order. The upper 32 bits of a key are
 * those of the product, such that a greater product is a smaller number; the lower 32 bits are the
 * row number. */
MISWORD_EXPORT int misword_merge_nearest(const float *products, int64_t queries, int64_t width,
                                         int64_t first, int64_t k, uint64_t *best);

/* ---- weights that two rows share (shared_weights.c) ---- */

/* Add up the weights of the ids that occur in both rows of a pair, for pairs lo to hi - 1.
 *
 * The ids of each row are in ascending order and distinct.
 * weights        of each id
 * lefts, rights  the row numbers of each pair
 * shared         the sum for each pair, 0 if the rows share nothing */
MISWORD_EXPORT void misword_shared_weights(const int32_t *left_ids, const int64_t *left_at,
                                           const int32_t *right_ids, const int64_t *right_at,
                                           const float *weights, const int64_t *lefts,
                                           const int64_t *rights, int64_t lo, int64_t hi,
                                           float *shared);

/* ---- words of speakers (speaker_streams.c) ---- */

/* Count hits, substitutions, insertions and deletions of pairs lo to hi - 1, where a word may be a
 * hit or a substitution only if the times of both words overlap. Of the alignments with the fewest
 * errors, one with the most hits is counted.
 *
 * reference, hypothesis  token ids; `..._begin` and `..._end` have the times of each token, none
 * nan pairs   two numbers for each pair: the row of the reference and that of the hypothesis counts
 * four numbers for each pair, in the order of `Op` */
MISWORD_EXPORT int misword_count_timed(const int32_t *reference, const int64_t *reference_at,
                                       const double *reference_begin, const double *reference_end,
                                       const int32_t *hypothesis, const int64_t *hypothesis_at,
                                       const double *hypothesis_begin, const double *hypothesis_end,
                                       const int64_t *pairs, int64_t lo, int64_t hi,
                                       int64_t *counts);

/* Give each segment to a stream so that the edit distance of the streams from the segments that
 * they have is small: segments are moved one after the other to the stream where they cost least,
 * until none moves, at most `passes` times; first with substitutions as two errors, then as one.
 *
 * ids, at               the token ids of the segments, which are below `vocabulary`
 * stream_ids, stream_at  those of the streams, at least one
 * assignment  the stream of each segment, before and after
 * distance    the sum of the edit distances of all streams */
MISWORD_EXPORT int misword_assign_segments(const int32_t *ids, const int64_t *at, int64_t segments,
                                           const int32_t *stream_ids, const int64_t *stream_at,
                                           int64_t streams, int64_t vocabulary, int64_t passes,
                                           int64_t *assignment, int64_t *distance);

/* ---- upper envelopes (upper_envelope.c) ---- */

/* Find, for each list of lines intercept + t * slope, those that are the highest for some t.
 *
 * List k has the lines at[k] to at[k + 1] - 1, at least one; all numbers are finite. Of equal lines
 * the one with the lowest number counts.
 * rows         room for all lines: the lines of each envelope in ascending order of t
 * starts       room for all lines: the t from which a line is the highest, minus infinity for the
 *              first of each envelope
 * envelope_at  `lists` + 1 numbers: where the envelopes begin in `rows` and `starts` */
MISWORD_EXPORT int misword_upper_envelopes(const double *intercepts, const double *slopes,
                                           const int64_t *at, int64_t lists, int64_t *rows,
                                           double *starts, int64_t *envelope_at);

/* ---- words heard in a stretch of phonemes (listening.c) ---- */

enum {
    MISWORD_HEARD_WORDS = 12, /* the most words that a decoded stretch may have */
    MISWORD_SAID_WORDS = 6    /* the most words that it had before */
};

/* A phoneme channel, a vocabulary with pronunciations and an n-gram language model (of order 1 to
 * 3). All costs are -log of probabilities, and finite. */
typedef struct {
    int64_t symbols;           /* number of phonemes */
    const float *substitution; /* symbols x symbols: the cost of hearing the second for the first */
    const float *deletion;     /* the cost of not hearing each phoneme */
    const float *insertion;    /* the cost of hearing each phoneme that was not said */
    /* The tree of pronunciations. Node 0 is the root; the children of a node are the nodes
     * first_child[node] to first_child[node + 1] - 1 */
    const int32_t *first_child;
    const int32_t *symbol; /* the phoneme that leads to each node */
    /* Node n ends the words words[word_at[n]] to words[word_at[n + 1] - 1]. */
    const int32_t *word_at;
    const int32_t *words;
    const float *ahead;   /* of each node: the least unigram cost of the words at it and below */
    const float *unigram; /* of each word */
    const float *backoff; /* of each word: the cost of backing off after it */
    /* A hash table of bigrams and trigrams: key 0 is an empty slot; `slots` is a power of 2 */
    const uint64_t *keys;
    const float *scores;   /* the cost of the last word after the others */
    const float *backoffs; /* the cost of backing off after all of them */
    int64_t slots;
    const int32_t *letters;   /* the characters of word w are letters[letter_at[w]] */
    const int64_t *letter_at; /* to letters[letter_at[w + 1] - 1] */
    float sound_weight, language_weight, word_cost; /* of a hypothesis */
    float width;                                    /* of the beam */
    int64_t beam;                                   /* hypotheses that are kept at each phoneme */
} misword_listener;

/* Find the best word sequences for stretches of phonemes between given words.
 *
 * Stretch k has the phonemes said[said_at[k]] to said[said_at[k + 1] - 1]. around[3 * k] and the
 * next two numbers are the two words before it, the nearer one second, and the word after it.
 * original has MISWORD_SAID_WORDS ids for each stretch, filled with -1: words that are not found,
 * because they were said. most has the greatest number of words for each stretch.
 *
 * found    the number of sequences of each stretch, at most `k`, sorted by rising cost
 * words    k x MISWORD_HEARD_WORDS ids for each stretch; the rest of each row is -1
 * terms    k x 3 numbers: the costs of the sound and of the language, without their weights, and
 *          the distance in spelling from what was said: the edit distance of the letters of all
 *          words, divided by the length of the longer side */
MISWORD_EXPORT int misword_listen(const misword_listener *listener, const int32_t *said,
                                  const int64_t *said_at, const int32_t *around,
                                  const int32_t *original, const int32_t *most, int64_t lo,
                                  int64_t hi, int64_t k, int32_t *found, int32_t *words,
                                  float *terms);

/* Write the cost of each word after the two words before it, given as three ids. */
MISWORD_EXPORT void misword_ngram_costs(const misword_listener *listener, const int32_t *triples,
                                        int64_t count, float *costs);

#endif
