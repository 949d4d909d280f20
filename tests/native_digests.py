"""Print a digest of the results of every kernel: `python native_digests.py`.

The tests run this program with each build of the library and compare what it prints.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from misword.alignment import UNIT_TIES, Costs, align
from misword.alignment.blocks import (
    NOT_OPTIONAL,
    BlockSpans,
    ChosenSegments,
    Forgiveness,
    Prices,
    WrittenReferences,
    align_blocks,
)
from misword.alignment.distances import closest, distances
from misword.alignment.engine import substitutions
from misword.alignment.phrases import find_compounds, find_longest, find_phrases
from misword.alignment.word_networks import word_networks
from misword.asr.corpus import make_corpus
from misword.asr.entities.counts import count_errors
from misword.asr.entities.spans import RowSpans, read_spans
from misword.asr.forgiving.blocks import Blocks
from misword.asr.line_shifts.features import extract_features, shared_weights
from misword.asr.nbest.features import upper_envelopes
from misword.asr.pairs import prepare
from misword.bli.search.hubness import PrunedHubness, hubness
from misword.bli.search.induction import induce
from misword.core.types import Tokens
from misword.embed.vectors.neighbors import blocks, nearest, unit_rows
from misword.io.vectors.text import find_newlines, read_vector_lines
from misword.native.byte_ranges import gather
from misword.stat.correlation import concordance
from misword.text.texts import Texts
from misword.text.tokens import encode_characters, encode_words

RNG = np.random.default_rng(11)
WORDS = ["a", "été", "naïveté", "x" * 20, "twenty-one", "the", "cat", "dog", "日本", "b\x01c"]


def texts(rows: int, most: int) -> Texts:
    """Random texts of the words above, with several kinds of white space."""
    gaps = [" ", "  ", "\t", "\u3000", "\xa0"]
    lines = []
    for length in RNG.integers(0, most, rows).tolist():
        words = RNG.choice(WORDS, length).tolist()
        lines.append("".join(word + str(RNG.choice(gaps)) for word in words))
    return Texts.of(lines)


def sides(rows: int, most: int, size: int) -> tuple[Tokens, Tokens]:
    """Random token sequences."""
    made = []
    for _ in range(2):
        lengths = RNG.integers(0, most, rows)
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        ids = RNG.integers(0, size, int(offsets[-1])).astype(np.int32)
        made.append(Tokens(ids, offsets, [str(i) for i in range(size)]))
    return made[0], made[1]


def units(rows: int, width: int) -> np.ndarray:
    """Random vectors of length one."""
    vectors = RNG.standard_normal((rows, width))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def splitting() -> Iterator[Any]:
    """Words and characters."""
    for encode in (encode_words, encode_characters):
        for side in encode([texts(200, 30), texts(200, 30)]):
            yield from (side.ids, side.offsets, np.array(list(side.vocabulary)))


def aligning() -> Iterator[Any]:
    """Unit costs by every rule, and other costs in their three forms."""
    for most in (20, 100, 400):
        left, right = sides(60, most, 12)
        ways: list[dict[str, Any]] = [{"ties": ties} for ties in UNIT_TIES]
        pairs = np.unique(RNG.integers(0, 12, (30, 2)), axis=0)
        ways += [
            {"costs": Costs.table(RNG.random((12, 12)), RNG.random(12), RNG.random(12))},
            {"costs": Costs.pairs(pairs[:, 0], pairs[:, 1], RNG.random(len(pairs)), size=12)},
            {"costs": Costs.vectors(units(12, 37), RNG.random(12) < 0.8)},
        ]
        for way in ways:
            alignment = align(left, right, **way)
            yield from (alignment.counts, alignment.costs, alignment.ops, alignment.offsets)
            rows = np.stack([np.arange(60)] * 2, axis=1)
            yield from substitutions(alignment, left, right, rows)


def choosing() -> Iterator[Any]:
    """Readings of references with alternatives and equivalents."""
    hypotheses = texts(300, 20).split()
    left, right = (texts(300, 10).split() for _ in range(2))
    references = [f"{a}{{ {b} / {a} the }} {b}" for a, b in zip(left, right, strict=True)]
    classes = [["a", "the cat"], ["dog", "@"], ["twenty-one", "a a", "日本"]]
    pairs = prepare(make_corpus(references, hypotheses), equivalents=classes)
    yield np.frombuffer(pairs.utterances.references.data, np.uint8)
    yield from (pairs.index, np.array(pairs.reference_texts))


def forgiving() -> Iterator[Any]:
    """Alignments with blocks, optional words and spans, and words of one class; phrases."""
    for most in (20, 150):
        left, right = sides(60, most, 12)
        phrases = sides(8, 4, 12)[0]
        listed = [find_phrases(side, phrases) for side in (left, right)]
        spans = [BlockSpans.of(60, *found[:3], found.number % 4 - 1) for found in listed]
        optional = np.where(np.arange(12) == 5, 4, NOT_OPTIONAL).astype(np.uint8)
        class_of, families = (np.arange(12) % 11).astype(np.int32), np.arange(3, dtype=np.uint8)
        forgiveness = Forgiveness(class_of, optional, spans[0], spans[1], families)
        signs, sign_at = np.zeros(0, np.uint8), np.zeros(61, np.int64)
        reading = ChosenSegments.none(60)
        references = WrittenReferences(left, np.arange(60), signs, sign_at, reading)
        for prices in (Prices(), Prices(4, 3, 3)):
            pairs = RNG.integers(0, 60, (200, 2))
            made = align_blocks(references, right, pairs, forgiveness, prices, cells=100)
            yield from (*listed[0], *listed[1], made.pairs, made.ops, made.offsets)
    words = ["a", "b", "ab", "ba", "aba", "", "abab"]
    rows = Tokens(RNG.integers(0, 7, 500).astype(np.int32), np.arange(0, 501, 50), words)
    yield from find_compounds(rows, words, None)


def tagging() -> Iterator[Any]:
    """Columns of entities, terms in texts, and errors in their spans."""
    written = texts(200, 12)
    places = [range(0, max(len(text) - 3, 0), 4) for text in written.split()]
    values = Texts.of([str([[at, at + 3, "é"] for at in row]).replace("'", '"') for row in places])
    spans, unread = read_spans(values, written)
    yield from (spans.table, spans.at, unread)
    left, right = sides(60, 40, 12)
    numbers = np.arange(8, dtype=np.int32)
    found = RowSpans(*find_longest(left, sides(8, 4, 12)[0], numbers), tuple("abcdefgh"))
    alignment = align(left, right, operations=True)
    yield from (found.table, found.at)
    yield from count_errors(alignment, Blocks.none(), 0, found, np.arange(60))


def measuring() -> Iterator[Any]:
    """Distances of short sequences, and the nearest of many."""
    left, right = sides(80, 12, 9)
    costs = Costs.table(RNG.random((9, 9)), RNG.random(9), RNG.random(9))
    yield distances(left, right, RNG.integers(0, 80, (300, 2)), costs)
    near = closest(left, right, costs, 5)
    yield from (near.ids, near.costs)


def tuning() -> Iterator[Any]:
    """Upper envelopes of lists of lines."""
    lines, offsets = RNG.integers(-50, 50, (2, 3000)) / 7, np.arange(0, 3001, 60)
    found = upper_envelopes(lines[0], lines[1], offsets)
    yield from (found.rows, found.starts, found.at)


def scaling() -> Iterator[Any]:
    """Rows of length one, prices and cosines."""
    rows = RNG.normal(size=(50, 37)).astype(np.float32)
    yield from unit_rows(rows, RNG.integers(-1, 50, 99))
    costs = Costs.vectors(unit_rows(rows)[0], RNG.random(50) < 0.9)
    left, right = RNG.integers(0, 50, (2, 300))
    yield from (costs.units, costs.of(left, right), costs.cosines(left, right))


def reading() -> Iterator[Any]:
    """Word vectors as text, and ranges of bytes."""
    forms = ["{:.4f}", "{:.6f}", "{!r}", "{:e}", "{:.12f}", "{:.5g}", "{:.20f}"]
    lines = [
        f"w{row} " + " ".join(str(RNG.choice(forms)).format(x) for x in RNG.normal(size=30))
        for row in range(100)
    ]
    text = np.frombuffer("\n".join(lines).encode(), np.uint8)
    ends = np.append(find_newlines(text, 10), len(text))
    starts = np.concatenate([[0], ends[:-1] + 1])
    word_ends, rows, usual = read_vector_lines(text, starts, ends, 30)
    yield from (word_ends, rows[usual], usual, gather(text, starts, word_ends - starts))


def counting() -> Iterator[Any]:
    """Concordant pairs, with and without ties."""
    for distinct in (3, 1000):
        left, right = (
            np.unique(x, return_inverse=True)[1] for x in RNG.integers(distinct, size=(2, 500))
        )
        yield concordance(RNG.poisson(1, (20, 500)).astype(np.int32), left, right)


def searching() -> Iterator[Any]:
    """Nearest rows, hubness terms with and without pruning, and induced dictionaries."""
    left, right = units(300, 37), units(700, 37)
    yield from nearest(left, blocks(right), 20)
    terms = hubness(left, right, 10)
    yield from (terms.source, terms.target)
    left[:, 6:], right[:, 6:] = left[:, 6:] / 10, right[:, 6:] / 10  # few principal directions
    bounds = np.full(len(left), -1, np.float32)
    yield PrunedHubness(left, right).terms(left, bounds, 10)
    earlier = None
    for iteration in range(3):
        induced = induce(left, right, keep=0.3, iteration=iteration, earlier=earlier)
        earlier = induced.estimates
        yield from (induced.forward, induced.backward, *earlier.halves)


def voting() -> Iterator[Any]:
    """Networks of words."""
    yield from word_networks(sides(120, 30, 9)[0], np.arange(0, 121, 5))


def sharing() -> Iterator[Any]:
    """Weights that lines share."""
    features = extract_features(texts(60, 9).split(), texts(50, 9).split())
    yield shared_weights(features, RNG.integers(0, 60, 400), RNG.integers(0, 50, 400))


GROUPS: list[Callable[[], Iterator[Any]]] = [
    splitting,
    aligning,
    choosing,
    forgiving,
    tagging,
    measuring,
    scaling,
    tuning,
    reading,
    counting,
    searching,
    sharing,
    voting,
]


def main() -> None:
    """Print the digest of each group."""
    for group in GROUPS:
        digest = hashlib.sha256()
        for array in group():
            values = np.ascontiguousarray(array)
            digest.update(f"{values.dtype} {values.shape}".encode())
            digest.update(values.tobytes())
        print(group.__name__, digest.hexdigest())


if __name__ == "__main__":
    main()
