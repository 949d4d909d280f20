"""Every command scores with the same forgiveness as `score`, and results keep what was forgiven."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from misword.asr.comparison.correlate import correlate
from misword.asr.people.agree import agree
from misword.core.errors import MismatchError
from misword.core.signature import Signature
from misword.core.types import Corpus
from misword.io.judgements import TRIPLET_COLUMNS
from misword.io.results import read_result

REFERENCES = [
    "we are going to pay $5 million",
    "uh the e-mail was good",
    "The colour of twenty five cats",
    "nothing here",
]
FIRST = [
    "we're going to pay five million dollars",
    "the email was good",
    "the color of 25 cat",
    "nothing here",
]
SECOND = [
    "we are going to play 5 million",
    "uh the e mail is good",
    "the colour of twenty-five cats",
    "something here",
]
SYSTEMS = {"one": FIRST, "two": SECOND}
SPEAKERS = {"speaker": ["anna", "anna", "bo", "bo"]}
WORDS = sum(len(text.split()) for text in REFERENCES)


def scored(metrics: str = "wer,cer", **options: Any) -> misword.Scores:
    options = {"forgive": "writing", "metadata": SPEAKERS} | options
    return misword.score(REFERENCES, SYSTEMS, metrics, **options)


def rates(scores: misword.Scores) -> dict[str, float]:
    return {name: part["wer"] for (name,), part in scores.group("system")}


def test_rates_by_hand() -> None:
    """Errors: cat; play, 5, is, something."""
    assert rates(scored()) == {"one": 1 / WORDS, "two": 4 / WORDS}
    counts = scored().summary(bootstrap=0).filter(metric="wer")
    assert counts["forgiven"].to_list() == [7, 3]


def test_groups_add_up() -> None:
    summary = scored("wer").summary("speaker", bootstrap=0)
    assert summary["reference"].sum() == 2 * WORDS
    assert summary.group_by("system").agg(pl.sum("forgiven")).sort("system").rows() == [
        ("one", 7), ("two", 3),
    ]  # fmt: skip
    assert summary.filter(system="one", speaker="anna")["rate"].to_list() == [0.0]


def test_a_folder_keeps_what_was_forgiven(tmp_path: Path) -> None:
    scores = scored("wer,cer,wer:ties=jiwer")
    scores.save(tmp_path / "out")
    loaded = misword.load(tmp_path / "out")
    assert loaded.forgiven == scores.forgiven
    assert loaded.metadata == scores.metadata == ["speaker"]
    assert loaded.summary(bootstrap=0).equals(scores.summary(bootstrap=0))
    assert loaded.words().equals(scores.words())
    listed = read_result(tmp_path / "out").tables["forgiven"]
    assert listed.columns == ["utt", "system", "place", "family", "reference", "hypothesis"]
    assert listed.height == 10
    assert ("1", "one", 0, "contractions", "we are", "we're") in listed.rows()
    assert ("2", "one", 0, "fillers", "uh", None) in listed.rows()


def test_a_folder_without_forgiveness_has_no_list(tmp_path: Path) -> None:
    scored(forgive="").save(tmp_path / "out")
    assert "forgiven" not in read_result(tmp_path / "out").tables
    assert misword.load(tmp_path / "out").forgiven.families == ()


def test_the_signature_names_families_versions_and_language() -> None:
    for column in scored(forgive="numbers,compounds:most=3").columns:
        settings = dict(column.signature.settings)
        assert settings["forgive"] == "compounds-1(most=3)+numbers-2[en]"
        assert Signature.parse(str(column.signature)) == column.signature


def test_different_forgiveness_is_not_compared() -> None:
    forgiving, plain = scored().filter(system="one"), scored(forgive="").filter(system="two")
    with pytest.raises(MismatchError, match="forgive"):
        forgiving + plain
    with pytest.raises(MismatchError, match="forgive"):
        forgiving + scored(forgive="numbers").filter(system="two")
    joined = forgiving + scored().filter(system="two")
    assert joined.summary(bootstrap=0).equals(scored().summary(bootstrap=0))


def test_a_comparison_has_the_same_rates_and_says_so() -> None:
    found = misword.compare(scored(), bootstrap=100)
    row = found.differences.row(0, named=True)
    assert (row["baseline_rate"], row["rate"]) == (1 / WORDS, 4 / WORDS)
    assert found.notes[0] == (
        "differences of writing were forgiven: one 7, two 3; wer would be 55.00 %, 45.00 %"
    )
    same = misword.compare(REFERENCES, SYSTEMS, forgive="writing", bootstrap=100)
    assert same.differences.equals(found.differences)
    assert found.result().tables["forgiven"].height == 10


@pytest.mark.parametrize("name", ["frequency", "length"])
def test_slices_count_the_words_of_blocks(name: str) -> None:
    """The words of all values are N, and the errors are those of reference words."""
    found = misword.compare(scored(), bootstrap=0).slices.filter(slice=name)
    sums = found.group_by("system").agg(pl.sum("words"), pl.sum("errors")).sort("system")
    assert sums.rows() == [("one", WORDS, 1), ("two", WORDS, 4)]
    by_value = found.pivot("system", index="value", values="words")
    assert by_value["one"].to_list() == by_value["two"].to_list()


def test_slices_by_tag_count_the_words_of_blocks() -> None:
    """Blocks without a tag of their own are under the value `forgiven`."""
    found = misword.compare(scored("wer,uposer", lang="en"), bootstrap=0).slices
    tags = found.filter(slice="tag")
    assert tags.group_by("system").agg(pl.sum("words"))["words"].to_list() == [WORDS, WORDS]
    assert "forgiven" in tags["value"].to_list()
    assert tags.filter(value="forgiven")["errors"].sum() == 0


def test_correlations_are_those_of_the_scores() -> None:
    direct = correlate(REFERENCES, SYSTEMS, "wer,cer", forgive="writing", bootstrap=0)
    assert direct.metrics.equals(correlate(scored(), bootstrap=0).metrics)
    assert rates(direct.scores) == rates(scored())


def test_agreement_uses_the_forgiven_rates() -> None:
    """People prefer the hypothesis that differs only in writing; plain WER does not."""
    row = (REFERENCES[0], FIRST[0], 7, SECOND[0], 0)
    triplets = pl.DataFrame([row], schema=list(TRIPLET_COLUMNS), orient="row")
    shares = [
        agree(triplets, "wer", forgive=forgive, bootstrap=0).agreement["agreed"][0]
        for forgive in ("", "writing")
    ]
    assert shares == [0.0, 1.0]


def test_all_hypotheses_of_a_list_are_forgiven() -> None:
    """N-best lists: each rank has its own blocks; the best count in rates and tables."""
    best = Corpus.of(
        pl.DataFrame({"utt": list("abcd"), "text": REFERENCES}), {"s": pl.Series(FIRST)}
    )
    second = best.hypotheses.with_columns(text=pl.Series(SECOND), rank=pl.lit(2, pl.Int64))
    scores = misword.score(
        Corpus(best.references, pl.concat([best.hypotheses, second])), metrics="wer",
        forgive="writing",
    )  # fmt: skip
    errors = scores.table.with_columns(errors=scores.statistics("wer")[:, 1:].sum(axis=1))
    assert errors.group_by("rank", maintain_order=True).agg(pl.sum("errors")).rows() == [
        (1, 1), (2, 4),
    ]  # fmt: skip
    assert scores["wer"] == 1 / WORDS
    assert scores.summary(bootstrap=0)["forgiven"].to_list() == [7]
    assert scores.result().tables["forgiven"].height == 7


def test_metrics_of_sentences_have_counts_but_no_rate_without() -> None:
    summary = scored("wer,wil").summary(bootstrap=0)
    assert summary["without"].null_count() == 0
    vectors = misword.WordVectors.of(["cat", "cats"], [[1.0, 0.0], [0.9, 0.1]])
    encoded = scored("semdist:encoder=mean", vectors=vectors).summary(bootstrap=0)
    assert encoded["without"].null_count() == 2
    assert encoded["forgiven"].to_list() == [7, 3]


@pytest.mark.parametrize("label", ["wer-e", "wer-s", "ember"])
def test_metrics_with_vectors_have_the_same_blocks(label: str) -> None:
    vectors = misword.WordVectors.of(["cat", "cats", "was", "is"], [[1, 0], [1, 1], [0, 1], [1, 2]])
    scores = scored(f"wer,{label}", vectors=vectors)
    forgiven = [
        words.filter(pl.col("family").is_not_null()).select("utt", "system", "place", "family")
        for words in (scores.words("wer"), scores.words(label))
    ]
    assert forgiven[0].equals(forgiven[1])
    errors = scores.statistics(label)
    assert errors[:, [0, 1, 3]].sum() == 2 * WORDS
    for system in scores.systems:
        assert 0 < scores[label, system] < scores["wer", system]


@pytest.mark.parametrize("word", ["1", "$1", "one", "q 3", "5 to", "1/2", "- 5", "(" * 50_000])
def test_long_sequences_of_numbers_are_compared_as_they_are_written(word: str) -> None:
    """The work of reading numbers is bounded, and a note says where the bound was reached."""
    text = " ".join([word] * (1 if len(word) > 9 else 20_000))
    scores = misword.score([text], [f"{text} x"], metrics="wer", forgive="writing")
    assert scores["wer"] == pytest.approx(1 / len(text.split()))
    long_run = len(text.split()) > 1
    assert any("more than 400 numbers" in note for note in scores.notes) == long_run
