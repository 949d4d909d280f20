"""Readings of references: the compiled search against direct Python code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import misword
from alternatives_oracle import Sequences, parse, signs_of, write
from block_oracle import Pair, Span, flatten
from block_oracle import Sequences as Numbered
from misword.alignment.blocks import OPTIONAL
from misword.asr.compared_texts import find_signs
from misword.asr.corpus import make_corpus
from misword.asr.forgiving.equivalents import Equivalents
from misword.asr.pairs import Pairs, prepare
from misword.core.context import Context
from misword.core.errors import InputError
from misword.core.types import Op
from misword.text.texts import Texts

LETTERS = "abcd"

word = st.sampled_from(LETTERS)
words = st.lists(word, max_size=6)
sequences: st.SearchStrategy[Sequences] = st.recursive(
    st.lists(word, max_size=4),
    lambda inner: st.lists(st.one_of(word, st.lists(inner, min_size=2, max_size=3)), max_size=4),
    max_leaves=8,
)
form = st.lists(word, min_size=1, max_size=3).map(" ".join)
classes_of_forms = st.lists(
    st.lists(st.one_of(form, st.just("@")), min_size=2, max_size=3, unique=True).filter(
        lambda forms: forms != ["@"]
    ),
    max_size=3,
)
pairs_of_texts = st.lists(st.tuples(sequences, words), min_size=1, max_size=5)


def prepared(
    references: list[str], hypotheses: list[str], classes: list[list[str]], workers: int = 1
) -> Pairs:
    corpus = make_corpus(references, hypotheses)
    return prepare(corpus, equivalents=classes, context=Context(workers=workers))


def words_read(pairs: Pairs) -> list[list[str]]:
    """The words of the reading of each reference."""
    readings = pairs.readings()
    texts = readings.utterances.references.split()
    return [texts[row].split() for row in readings.index[:, 0].tolist()]


def numbered(sequence: Sequences) -> Numbered:
    """Return a sequence with a number in place of each letter."""
    return [
        LETTERS.index(item) if isinstance(item, str) else [numbered(other) for other in item]
        for item in sequence
    ]


def spans_in(words: list[int], equivalents: Equivalents) -> list[Span]:
    """Return the spans of all forms of equivalents; the key is the number of the class.

    Forms of several words in a class with nothing are also optional spans.
    """
    letters = tuple(LETTERS[word] for word in words)
    keyed = [(form, key) for key, forms in enumerate(equivalents.classes) for form in forms if form]
    keyed += [(form, OPTIONAL) for forms in equivalents.classes if () in forms for form in forms]
    return [
        Span(start, start + len(form), key)
        for form, key in keyed
        for start in range(len(words))
        if letters[start : start + len(form)] == form and (key != OPTIONAL or len(form) > 1)
    ]


def direct_pair(sequence: Sequences, heard: list[str], classes: list[list[str]]) -> Pair:
    """Return the pair for the direct code."""
    equivalents = Equivalents.of(classes, lambda forms: forms)
    reference, hypothesis = numbered(sequence), [LETTERS.index(word) for word in heard]
    return Pair(
        reference,
        hypothesis,
        range(len(LETTERS)),
        {LETTERS.index(phrase[0]): 0 for phrase in equivalents.optional if len(phrase) == 1},
        [spans_in(segment, equivalents) for segment in flatten(reference)[0]],
        spans_in(hypothesis, equivalents),
        [0] * len(equivalents.classes),
    )


@settings(max_examples=300)
@given(pairs_of_texts, classes_of_forms)
@example([([[["a", "b"], ["a", "c"]], "d"], ["d"])], [["a", "d"]])
@example([(["a", "b", "d"], ["c"])], [["a b", "a c"], ["a c d", "c"]])  # no equivalent of another
def test_readings_are_those_of_direct_code(
    texts: list[tuple[Sequences, list[str]]], classes: list[list[str]]
) -> None:
    """The same reading and number of errors, also where several have equally few errors."""
    references = [write(sequence) for sequence, _ in texts]
    hypotheses = [" ".join(heard) for _, heard in texts]
    pairs = prepared(references, hypotheses, classes)
    statistics = misword.score(references, hypotheses, "wer", equivalents=classes).statistics("wer")
    for (sequence, heard), read, counts in zip(texts, words_read(pairs), statistics, strict=True):
        rank, _, words = direct_pair(sequence, heard, classes).alignment()
        assert read == [LETTERS[word] for word in words]
        assert counts[1:].sum() == rank.price
        assert counts.sum() - counts[Op.INSERTION] == len(words)


@given(pairs_of_texts)
def test_texts_of_references_do_not_depend_on_hypotheses(
    texts: list[tuple[Sequences, list[str]]],
) -> None:
    """The reading for an empty hypothesis, if there are alternatives."""
    references = [write(sequence) for sequence, _ in texts]
    pairs = prepared(references, [" ".join(heard) for _, heard in texts], [])
    for original, (sequence, _) in zip(pairs.reference_texts, texts, strict=True):
        _, _, words = direct_pair(parse(write(sequence)), [], []).alignment()
        assert original.split() == [LETTERS[word] for word in words]


@settings(max_examples=500)
@given(st.lists(st.text("{}/ @aé\u00a0\u3000\u2028\x1f", max_size=12), min_size=1, max_size=3))
@example(["{a / b}", "{ / }", "{/}", "/{ a /\u3000b}", "{a\u00a0/ b} {", "{ {a} / b", "}{ / }"])
def test_signs_are_those_of_a_regular_expression(rows: list[str]) -> None:
    texts = Texts.of(rows)
    ids = make_corpus(rows, rows).references["utt"]
    expected, start = [], 0
    for number, row in enumerate(rows):
        try:
            signs = signs_of(row)
        except ValueError:
            with pytest.raises(InputError, match=f"utterance '{number + 1}': braces do not match"):
                find_signs(texts, ids)
            return
        expected += [(start + len(row[:at].encode()), sign) for at, sign in signs]
        start += len(row.encode()) + 1
    signs_found = find_signs(texts, ids)
    kinds = signs_found.kinds.tobytes().decode()
    assert list(zip(signs_found.positions.tolist(), kinds, strict=True)) == expected
    assert len(signs_found.depths) == signs_found.segments.rows


@pytest.mark.parametrize("rows", [["{ a /", "x"], ["x", "{ a /", "b }"]])
def test_a_group_ends_in_its_own_reference(rows: list[str]) -> None:
    with pytest.raises(InputError, match=r"braces do not match in '\{ a /'"):
        prepared(rows, rows, [])


def test_equal_readings_are_one_text() -> None:
    pairs = prepared(["a { b / c }", "x y", "{ a / @ } b"], ["a b", "x y", "a b"], [])
    texts = pairs.utterances.references.split()
    assert texts == ["a { b / c }", "x y", "{ a / @ } b", "a b"]
    assert pairs.index.tolist() == [[3, 0], [1, 1], [3, 2]]
    assert pairs.reference_texts == ["a b", "x y", "b"]


def test_readings_do_not_depend_on_threads() -> None:
    rng = np.random.default_rng(0)
    letters = np.array(list("abcdef"))
    references = [
        "{{ {} / {} }} {}".format(*(" ".join(rng.choice(letters, size)) for size in (2, 3, 9)))
        for _ in range(200)
    ]
    hypotheses = [" ".join(rng.choice(letters, 12)) for _ in references]
    classes = [["a b", "c"], ["d", "@"], ["e f e", "b", "a"]]
    one, three = (prepared(references, hypotheses, classes, workers) for workers in (1, 3))
    assert one.utterances.references == three.utterances.references
    assert (one.index == three.index).all()


def test_many_groups() -> None:
    """The number of readings grows exponentially, the time with the number of groups."""
    pairs = prepared(["{ um / uh } " * 60], ["uh " * 60], [])
    assert words_read(pairs) == [["uh"] * 60]


def test_no_utterances() -> None:
    pairs = prepared([], [], [["a", "b"]])
    assert len(pairs) == 0


def test_a_word_that_normalisation_divides_or_removes() -> None:
    corpus = make_corpus(["{ A,B / ... } C", "@ { @ / X }"], ["a b c", "x"])
    pairs = prepare(corpus, normalize_with="lower,nopunct")
    texts = pairs.utterances.references.split()
    assert [texts[row] for row in pairs.index[:, 0]] == ["a b c", "x"]
    assert pairs.reference_texts == ["c", ""]


@pytest.mark.parametrize(
    ("reference", "hypothesis", "errors"),
    [
        # What is written before and after the first sign is read together.
        ("he paid { $40 / forty dollars } million", "he paid $40,000,000", 0),
        ("he paid { $40 / forty dollars } million", "he paid forty million dollars", 0),
        ("he paid { $40 / forty dollars } million", "he paid $400,000,000", 2),
        ("{ 12 / twelve } cents more", "$0.12 more", 0),
        ("our web { site / page } is up", "our website is up", 0),
        ("{ our / the } { web / net } { @ / site } is up", "the website is up", 0),
        # The other alternatives are read within their group.
        ("our web { site / page } is up", "our webpage is up", 2),
        # Groups within groups have no written reading.
        ("our web { { site / page } / place } is up", "our website is up", 2),
    ],
)
def test_families_read_across_the_signs_of_alternatives(
    reference: str, hypothesis: str, errors: int
) -> None:
    for normalize in ("nfc", "lower"):
        options: Any = {"normalize": normalize, "forgive": "writing", "lang": "en"}
        others = ["web { a / b }", "plain"], ["website", "plain"]
        scores = misword.score(
            [others[0][0], reference, others[0][1]], [others[1][0], hypothesis, others[1][1]],
            "wer", **options,
        )  # fmt: skip
        assert scores.statistics("wer")[:, 1:].sum(axis=1).tolist() == [2, errors, 0]
