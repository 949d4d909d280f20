"""Each utterance of each system has one hypothesis of each rank from 1 on."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import MismatchError

REFERENCES = pl.DataFrame({"utt": ["u", "v"], "text": ["a b", "c"]})
Row = tuple[str, str, int]


def corpus(rows: list[Row], references: pl.DataFrame = REFERENCES) -> misword.Corpus:
    """Return a corpus of the hypothesis `a` for each utterance, system and rank."""
    frame = pl.DataFrame(rows, schema=["utt", "system", "rank"], orient="row")
    return misword.Corpus(references, frame.with_columns(text=pl.lit("a")))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([("u", "s", 1), ("u", "s", 1)], "utterance 'u' has two hypotheses of rank 1 .*'s'"),
        ([("u", "s", 1)], "2 references, 1 hypotheses of 's': none for 'v'"),
        ([("u", "s", 1), ("v", "s", 2)], "2 references, 1 hypotheses of 's': none for 'v'"),
        ([("u", "s", 1), ("v", "s", 1), ("v", "s", 3)], "'v' has .*rank 3 and none of rank 2.*'s'"),
        ([("u", "s", 0), ("u", "s", 1), ("v", "s", 1)], "'u' has a hypothesis of rank 0"),
        ([("u", "s", 1), ("v", "s", 1), ("u", "t", 1)], "1 hypotheses of 't': none for 'v'"),
        ([("u", "s", 1), ("v", "s", 1)] * 2, "utterance 'u' has two hypotheses of rank 1"),
        ([("u", "s", 1), ("w", "s", 1)], "hypothesis 'w' has no reference"),
        ([("u", "s", 1), ("u", "t", 2), ("v", "s", 1)], "0 hypotheses of 't': none for 'u'"),
        ([("u", "s", 1), ("v", "s", 1), ("u", "s", 2)] * 2, "'u' has two hypotheses of rank 1"),
    ],
)
def test_incomplete_lists_are_refused(rows: list[Row], message: str) -> None:
    with pytest.raises(MismatchError, match=message):
        misword.score(corpus(rows))


def test_duplicate_references_are_refused() -> None:
    duplicate = pl.DataFrame({"utt": ["u", "u"], "text": ["a b", "c"]})
    with pytest.raises(MismatchError, match="two references of utterance 'u'"):
        misword.score(corpus([("u", "s", 1), ("u", "s", 2)], duplicate))


@given(st.lists(st.integers(1, 4), min_size=2, max_size=2), st.randoms(use_true_random=False))
def test_lists_of_any_length_in_any_order(sizes: list[int], random: object) -> None:
    rows = [
        (utt, "s", rank)
        for utt, size in zip("uv", sizes, strict=True)
        for rank in range(1, size + 1)
    ]
    random.shuffle(rows)  # type: ignore[attr-defined]
    scores = misword.score(corpus(rows), metrics="wer")
    assert scores.table.select("utt", "system", "rank").rows() == rows
    assert scores["wer"] == 2 / 3
    row = rows.pop(rows.index(("u", "s", 1)))
    with pytest.raises(MismatchError, match="'u'"):
        misword.score(corpus([*rows, (row[0], row[1], sizes[0] + 1)]))
