"""The preset sclite and its families. `tests/oracle/test_sclite.py` compares it with sclite."""

from __future__ import annotations

import pytest

import misword
from misword.core.errors import OptionError

LABEL = "wer:ties=sclite"


def counts(reference: str, hypothesis: str) -> list[int]:
    scores = misword.score([reference], [hypothesis], preset="sclite")
    found: list[int] = scores.statistics(LABEL)[0].tolist()
    return found


@pytest.mark.parametrize(
    ("reference", "hypothesis", "expected"),
    [
        # Hits, substitutions, insertions, deletions. Most lines are of SCTK's tests.ref, with the
        # counts of its base/test7.pra.
        ("b (c) d", "b e", [2, 1, 0, 0]),
        ("b (c) d", "b c e", [2, 1, 0, 0]),
        ("b (c) d", "b d e", [3, 0, 1, 0]),
        ("b (c) d", "e", [1, 1, 0, 1]),
        ("a (c) (b) d e", "s s s", [2, 3, 0, 0]),
        ("b (ten-) (the) can d", "b ten the and", [3, 1, 0, 1]),
        ("fi- -icks find", "Find TICKS fi-", [3, 0, 0, 0]),
        ("-offee", "fee", [0, 1, 0, 0]),
        ("del fi- x", "del x", [2, 0, 0, 1]),
        ("a b c d e", "x y z a b", [2, 0, 3, 3]),
        # sclite inserts here: 3 is less than the 4 of a substitution.
        ("so { um / @ } we", "so the we", [2, 0, 1, 0]),
        ("word;noun it*", "word it", [2, 0, 0, 0]),
    ],
)
def test_counts(reference: str, hypothesis: str, expected: list[int]) -> None:
    assert counts(reference, hypothesis) == expected


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("c d", "d"),  # only a word in parentheses may be left out
        ("(c d) e", "e"),
        ("find", "fish"),  # both fit fi-, but they are different words
        ("fi", "find"),  # no hyphen
        ("fi- find", "fish fish"),
        ("co-op", "co"),
        ("- b", "a b"),
        ("-", "a"),
    ],
)
def test_what_is_an_error(reference: str, hypothesis: str) -> None:
    assert sum(counts(reference, hypothesis)[1:]) > 0
    scores = misword.score(["fi- fi-", reference], ["find fish", hypothesis], preset="sclite")
    assert scores.statistics(LABEL)[1, 1:].sum() > 0


def test_signature_and_metrics() -> None:
    scores = misword.score(["a"], ["A"], "cer", preset="sclite")
    assert [column.label for column in scores.columns] == [LABEL, "cer"]
    signature = str(scores.columns[0].signature)
    assert "norm:nfc+sclite-tags+lower" in signature
    assert "forgive:deletable-1+fragments-1" in signature
    assert "readings:sclite" in signature
    with pytest.raises(OptionError, match="it normalises by 'nfc,sclite-tags,lower'"):
        misword.score(["a"], ["a"], preset="sclite", normalize="nfc")
    with pytest.raises(OptionError, match="reads alternatives"):
        misword.score(["a"], ["a"], preset="sclite", alternatives=False)


def test_further_families() -> None:
    scores = misword.score(["uh (it) is"], ["is"], preset="sclite", forgive="fillers")
    assert scores.statistics(LABEL)[0].tolist() == [3, 0, 0, 0]
