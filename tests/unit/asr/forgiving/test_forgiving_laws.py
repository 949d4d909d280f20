"""Laws of forgiven differences of writing, over texts with many such differences."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.stat.scores import Scores
from misword.text.writing import WRITING

PIECES = [
    "we're", "we are", "were", "e-mail", "email", "e mail", "uh", "um", "twenty", "20", "five",
    "25", "twenty-five", "$5", "dollars", "percent", "5%", "cannot", "can't", "can not", "The",
    "the", "the,", "colour", "color", "dr.", "doctor", "it's", "its", "it is", "cat", "cats",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES), max_size=8).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=4)
TIES = ("misword", "jiwer", "kaldialign", "sclite")
VECTORS = misword.WordVectors.of(
    ["cat", "cats", "the", "were", "five", "percent"],
    [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]],
)
Pairs = list[tuple[str, str]]


def scored(listed: Pairs, forgive: str = "writing", metrics: str = "wer") -> Scores:
    references, hypotheses = zip(*listed, strict=True)
    return misword.score(list(references), list(hypotheses), metrics, forgive=forgive)


def errors(listed: Pairs, forgive: str = "writing") -> list[int]:
    """Return the word errors of each pair."""
    counts: list[int] = scored(listed, forgive).statistics("wer")[:, 1:].sum(axis=1).tolist()
    return counts


@given(pairs)
def test_rates_and_counts(listed: Pairs) -> None:
    """Forgiving never adds errors and never changes N; `without` is the plain rate."""
    plain, forgiving = scored(listed, ""), scored(listed)
    before, after = (scores.statistics("wer") for scores in (plain, forgiving))
    assert (after[:, 1:].sum(axis=1) <= before[:, 1:].sum(axis=1)).all()
    sizes = [len(reference.split()) for reference, _ in listed]
    assert after[:, [0, 1, 3]].sum(axis=1).tolist() == sizes
    without = forgiving.table.select(pl.col("^without.wer.*$")).to_numpy()
    assert without.tolist() == before.tolist()


@given(pairs, st.sampled_from(WRITING))
def test_one_family_forgives_no_more_than_all(listed: Pairs, family: str) -> None:
    alone, together = errors(listed, family), errors(listed)
    assert all(few <= many for few, many in zip(together, alone, strict=True))


@given(texts)
def test_a_text_against_itself_has_nothing_to_forgive(text: str) -> None:
    scores = scored([(text, text)])
    assert scores.statistics("wer")[:, 1:].sum() == 0
    assert scores.table.select(scores.forgiven.counts).sum_horizontal().sum() == 0


@given(pairs)
def test_the_two_sides_are_treated_alike(listed: Pairs) -> None:
    assert errors(listed) == errors([(hypothesis, reference) for reference, hypothesis in listed])


@given(pairs)
def test_the_words_of_all_steps_are_the_texts(listed: Pairs) -> None:
    """Steps and forgiven blocks, in order, give back both texts as they are written."""
    words = scored(listed).words()
    for number, text in enumerate(listed, 1):
        rows = words.filter(utt=str(number))
        assert rows["place"].to_list() == list(range(rows.height))
        for side, written in zip(("reference", "hypothesis"), text, strict=True):
            assert " ".join(rows[side].drop_nulls()) == written


@given(pairs)
def test_counts_are_those_of_the_table_of_words(listed: Pairs) -> None:
    scores = scored(listed)
    blocks = scores.words().filter(pl.col("family").is_not_null())
    assert set(blocks["kind"].cast(pl.String)) <= {"hit"}
    for family in scores.forgiven.families:
        assert scores.table[f"forgiven.{family}"].sum() == blocks.filter(family=family).height


@given(pairs)
def test_tie_rules_have_the_same_blocks(listed: Pairs) -> None:
    scores = scored(listed, metrics=",".join(f"wer:ties={rule}" for rule in TIES))
    first, *others = (_blocks(scores, f"wer:ties={rule}") for rule in TIES)
    assert all(blocks == first for blocks in others)
    # The costs of sclite are others: its alignments can have more errors.
    errors = [scores.statistics(f"wer:ties={rule}")[:, 1:].sum(axis=1).tolist() for rule in TIES]
    assert errors[0] == errors[1] == errors[2]


@given(pairs)
def test_metrics_with_vectors_have_the_same_blocks(listed: Pairs) -> None:
    references, hypotheses = (list(side) for side in zip(*listed, strict=True))
    metrics = "wer,wer-e,wer-s"
    scores = misword.score(references, hypotheses, metrics, forgive="writing", vectors=VECTORS)
    assert _blocks(scores, "wer") == _blocks(scores, "wer-e") == _blocks(scores, "wer-s")
    assert (scores.statistics("wer-s")[:, 4] <= scores.statistics("wer-e")[:, 4]).all()


def _blocks(scores: Scores, label: str) -> list[tuple[str, ...]]:
    words = scores.words(label)
    columns = ["utt", "family", "reference", "hypothesis"]
    return words.filter(pl.col("family").is_not_null()).select(columns).rows()
