"""Readings: the compiled search against direct Python code and a search over all readings."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brute import matrix
from lattice_oracle import Classes, Phrase, Sequences, build_lattice, expand, parse, signs_of, write
from misword.alignment.lattice import Forms, WrittenReferences, choose_readings
from misword.asr.alternatives import find_signs
from misword.asr.equivalents import Equivalents
from misword.asr.pairs import Pairs, prepare
from misword.asr.score import make_corpus
from misword.core.context import Context
from misword.core.errors import InputError
from misword.text.texts import Texts
from misword.text.tokens import encode_words

word = st.sampled_from("abcd")
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


def normal_classes(classes: list[list[str]]) -> Classes:
    return Equivalents.of(classes, lambda forms: forms).classes


def words_compared(pairs: Pairs, rows: np.ndarray) -> list[list[str]]:
    texts = pairs.utterances.references.split()
    return [texts[row].split() for row in rows.tolist()]


def rewritings(reading: Phrase, classes: Classes) -> set[Phrase]:
    """All readings of a reading under classes of equivalents."""

    @cache
    def rest(at: int) -> frozenset[Phrase]:
        if at == len(reading):
            return frozenset({()})
        found = {(reading[at], *end) for end in rest(at + 1)}
        for forms in classes:
            for spelled in filter(None, forms):
                if reading[at : at + len(spelled)] == spelled:
                    found |= {other + end for other in forms for end in rest(at + len(spelled))}
        return frozenset(found)

    return set(rest(0))


def errors(reference: Phrase, hypothesis: list[str]) -> float:
    return matrix([ord(w) for w in reference], [ord(w) for w in hypothesis])[-1][-1]


# A tie in which an equivalent decides between two alternatives: it divides the edge of the first.
TIE: list[tuple[Sequences, list[str]]] = [([[["a"], ["b"]]], ["c"])]


@settings(max_examples=300)
@given(pairs_of_texts, classes_of_forms)
@example(TIE, [["a", "c d"], ["a", "c"]])
@example([([[["a", "b"], ["a", "c"]], "d"], ["d"])], [["a", "d"]])
@example([(["a", "b", "d"], ["c"])], [["a b", "a c"], ["a c d", "c"]])  # no equivalent of another
def test_readings_are_those_of_direct_code(
    texts: list[tuple[Sequences, list[str]]], classes: list[list[str]]
) -> None:
    """The same reading, also where several have equally few errors."""
    references = [write(sequence) for sequence, _ in texts]
    pairs = prepared(references, [" ".join(heard) for _, heard in texts], classes)
    lattices = [
        build_lattice(parse(reference), lambda w: (w,), normal_classes(classes))
        for reference in references
    ]
    compared = words_compared(pairs, pairs.index[:, 0])
    assert compared == [
        lattice.reading(heard) for lattice, (_, heard) in zip(lattices, texts, strict=True)
    ]
    for original, lattice, (sequence, _) in zip(
        pairs.reference_texts, lattices, texts, strict=True
    ):
        has_alternatives = any(isinstance(item, list) for item in sequence)
        assert original.split() == (lattice.reading([]) if has_alternatives else sequence)


@pytest.mark.slow
@settings(deadline=None)
@given(sequences, words, classes_of_forms)
def test_readings_are_the_best_of_all(
    sequence: Sequences, heard: list[str], classes: list[list[str]]
) -> None:
    pairs = prepared([write(sequence)], [" ".join(heard)], classes)
    (reading,) = words_compared(pairs, pairs.index[:, 0])
    readings = {
        rewritten
        for expanded in expand(sequence)
        for rewritten in rewritings(tuple(expanded), normal_classes(classes))
    }
    assert tuple(reading) in readings
    assert errors(tuple(reading), heard) == min(errors(other, heard) for other in readings)


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


def test_many_groups_and_a_long_form() -> None:
    """The number of paths that spell the form grows exponentially; places are searched once."""
    reference = "{ um / um } " * 60
    form = " ".join(["um"] * 40)
    pairs = prepared([reference], ["uh"], [[form, "uh"]])
    assert words_compared(pairs, pairs.index[:, 0]) == [["uh", *["um"] * 20]]


def test_no_utterances() -> None:
    pairs = prepared([], [], [["a", "b"]])
    assert len(pairs) == 0


def test_a_word_that_normalisation_divides_or_removes() -> None:
    corpus = make_corpus(["{ A,B / ... } C", "@ { @ / X }"], ["a b c", "x"])
    pairs = prepare(corpus, normalize_with="lower,nopunct")
    texts = pairs.utterances.references.split()
    assert [texts[row] for row in pairs.index[:, 0]] == ["a b c", "x"]
    assert pairs.reference_texts == ["c", ""]


def test_kernel_arguments_are_checked() -> None:
    left, right = encode_words([Texts.of(["a b"])])[0], encode_words([Texts.of(["a"])])[0]
    none = np.zeros(2, np.int64), np.zeros(0, np.uint8)
    pairs = np.zeros((1, 2), np.int64)
    forms = Forms(left, np.array([0, 1]))
    with pytest.raises(ValueError, match="share a vocabulary"):
        choose_readings(WrittenReferences(left, none[0][:1], none[1], none[0]), forms, right, pairs)
    with pytest.raises(ValueError, match="sign_at"):
        choose_readings(WrittenReferences(left, none[0], none[1], none[0]), forms, left, pairs)
