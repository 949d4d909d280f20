"""Alternatives in hypotheses: the best pair of readings against a search over all pairs."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from alternatives_oracle import Sequences, expand, write
from brute import matrix
from misword.asr.forgiving.readings import MOST_READINGS
from misword.core.errors import InputError

sequences = st.recursive(
    st.lists(st.sampled_from("abc"), max_size=3),
    lambda inner: st.lists(
        st.sampled_from("abc") | st.lists(inner, min_size=2, max_size=3), max_size=3
    ),
    max_leaves=6,
)


def counts(reference: str, hypothesis: str, **options: object) -> list[int]:
    scores = misword.score([reference], [hypothesis], "wer", **options)  # type: ignore[arg-type]
    found: list[int] = scores.statistics("wer")[0].tolist()
    return found


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        # Lines of SCTK's src/sclite/testdata/tests.ref and tests.hyp, with sclite's counts.
        ("a { b / cd } { e f / ef }", "a { bc / b } { e d / ef }", [3, 0, 0, 0]),
        ("this is the ten", "th { e / is } is { th / t } en", [1, 3, 1, 0]),
        ("a { c / @ } d", "a { c / @ } d", [3, 0, 0, 0]),
        ("a { c / @ } d", "a { d / @ } d", [2, 0, 0, 0]),
        # sclite deletes d here, since a deletion costs it less than a substitution.
        ("a d c", "a { e- / @ } c", [2, 1, 0, 0]),
        ("he has gone", "{ he is / he has } gone", [3, 0, 0, 0]),
        ("", "{ a / @ }", [0, 0, 0, 0]),
    ],
)
def test_the_best_pair_of_readings(reference: str, hypothesis: str, expected: list[int]) -> None:
    assert counts(reference, hypothesis) == expected


def test_every_system_and_metric_has_its_reading() -> None:
    hypotheses = {"a": ["{ x / the } cat", "plain"], "b": ["a { bat / cat }", "plain"]}
    scores = misword.score(["the cat", "plain"], hypotheses, "wer,cer")
    assert scores.statistics("wer")[:, 1:].sum(axis=1).tolist() == [0, 0, 1, 0]
    assert scores.statistics("cer")[0, 1:].sum() == 0
    assert any("hypotheses with alternatives ({ a / b }): 2;" in note for note in scores.notes)
    plain = misword.score(["the cat"], ["the cat"], "wer")
    assert not any("alternatives" in note for note in plain.notes)


def test_words_are_normalized() -> None:
    assert counts("the cat", "The { Bat, / CAT. }", normalize="lower,nopunct") == [2, 0, 0, 0]


def test_alternatives_can_be_switched_off() -> None:
    assert counts("b", "{ a / b }", alternatives=False)[2] == 4


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match=r"hypothesis of '1'.*braces do not match"):
        counts("a", "{ a / b")
    many = "{ a / b } " * 13
    with pytest.raises(InputError, match=f"more than {MOST_READINGS:,} readings"):
        counts(many, "{ a / b }")
    assert counts("a " * 13, many) == [13, 0, 0, 0]
    assert counts(many, "a " * 13) == [13, 0, 0, 0]


@settings(deadline=None)
@given(sequences, sequences)
def test_no_pair_of_readings_is_better(reference: Sequences, hypothesis: Sequences) -> None:
    _, *errors = counts(write(reference), write(hypothesis))
    pairs = [(left, right) for left in expand(reference) for right in expand(hypothesis)]
    assert sum(errors) == min(
        matrix([ord(w) for w in left], [ord(w) for w in right])[-1][-1] for left, right in pairs
    )
