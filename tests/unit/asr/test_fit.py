"""`misword.fit`: from texts and votes to a blend, and what it refuses to learn from."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from judged import choice_table, rating_table, write_words
from misword.core.errors import InputError, MiswordError, OptionError

FAST: dict[str, Any] = {"bootstrap": 50, "repeats": 2, "folds": 5}


def fit(table: Any, metrics: str = "cer,wer,wil", **options: Any) -> Any:
    return misword.fit(table, metrics, **FAST | options)


def test_a_blend_of_choices(tmp_path: Path) -> None:
    table = choice_table(rows=120, references=40)
    found = fit(table)
    weights = {part.spec: part.weight for part in found.blend.metrics}
    assert sum(weights.values()) == pytest.approx(1)
    assert found.blend.slope > 0
    rows = found.quality.filter(consensus="any")
    assert rows["metric"].to_list() == ["blend", "cer", "wer", "wil", "one voter"]
    assert rows.filter(metric="blend")["agreed"][0] > 0.7
    found.save(tmp_path / "b.json")
    spec = f"blend:file={tmp_path / 'b.json'}"
    agreed = misword.agree(table, spec, bootstrap=0).agreement
    assert agreed.filter(consensus="any")["agreed"][0] > 0.7


def test_a_blend_predicts_the_same_as_the_file_it_wrote(tmp_path: Path) -> None:
    """The rates of the metric are those from which the weights were learnt."""
    table = choice_table(rows=40)
    found = fit(table, "cer,wil")
    found.save(tmp_path / "b.json")
    spec = f"blend:file={tmp_path / 'b.json'}"
    refs = table["reference"].to_list()
    rates = misword.score(refs, table["hypA"].to_list(), ["cer", "wil", spec]).utterances()
    expected = sum(
        part.weight * rates[f"{part.spec}.rate"].to_numpy() for part in found.blend.metrics
    )
    np.testing.assert_allclose(rates[f"{spec}.rate"].to_numpy(), expected)


def test_a_blend_of_ratings() -> None:
    found = fit(rating_table())
    assert found.blend.slope == 0
    assert found.quality["metric"].to_list() == ["blend", "cer", "wer", "wil"]
    assert found.quality["pearson"][0] > 0.9
    weights = {part.spec: part.weight for part in found.blend.metrics}
    assert max(weights, key=lambda name: weights[name]) == "wer"


def test_ratings_where_lower_is_better() -> None:
    table = rating_table()
    turned = table.with_columns(score=8 - pl.col("score"))
    same = fit(turned, lower_is_better=True)
    for first, second in zip(same.blend.metrics, fit(table).blend.metrics, strict=True):
        assert first.weight == pytest.approx(second.weight)
    assert same.settings["lower_is_better"]
    with pytest.raises(InputError, match="all weights are 0") as error:
        fit(turned)
    assert "--lower-is-better" in error.value.fix
    with pytest.raises(OptionError, match="is for ratings, and these are choices"):
        fit(choice_table(), lower_is_better=True)


def test_columns_with_other_names() -> None:
    names = {"reference": "said", "hypothesis": "heard", "score": "adequate"}
    table = rating_table().rename(names)
    assert len(fit(table, columns=list(names.values())).judgements) == 60
    with pytest.raises(OptionError, match="2 columns are named"):
        fit(table, columns=["said", "heard"])


def test_the_result_does_not_depend_on_how_rows_are_ordered() -> None:
    """The weights are those of all rows; only the folds are drawn by chance."""
    table = choice_table()
    one, two = fit(table), fit(table.reverse())
    for first, second in zip(one.blend.metrics, two.blend.metrics, strict=True):
        assert first.weight == pytest.approx(second.weight, abs=1e-6)


def test_exchanged_hypotheses_give_the_same_weights() -> None:
    table = choice_table()
    names = {"hypA": "hypB", "hypB": "hypA", "votesA": "votesB", "votesB": "votesA"}
    one, two = fit(table), fit(table.rename(names))
    for first, second in zip(one.blend.metrics, two.blend.metrics, strict=True):
        assert first.weight == pytest.approx(second.weight, abs=1e-9)


def test_the_same_seed_gives_the_same_result() -> None:
    one, two = fit(choice_table()), fit(choice_table())
    assert one.quality.equals(two.quality)
    assert one.curve.equals(two.curve)


def test_select_keeps_a_part_of_the_metrics() -> None:
    found = fit(choice_table(rows=120, references=40), "cer,wer,wil,mer", select=True)
    assert found.selection is not None
    assert found.selection["size"].to_list() == [4, 3, 2, 1]
    kept = [part.spec for part in found.blend.metrics]
    assert set(kept) <= {"cer", "wer", "wil", "mer"}
    assert "blend" in found.quality["metric"].to_list()


def test_a_prior_gives_the_metrics_and_pulls(tmp_path: Path) -> None:
    write_words(tmp_path / "prior.json", cer=0.98)
    table = choice_table(rows=24, references=24)
    pulled = misword.fit(table, prior=tmp_path / "prior.json", **FAST)
    alone = fit(table, "cer,wil")
    weights = [
        {part.spec: part.weight for part in found.blend.metrics}["cer"] for found in (pulled, alone)
    ]
    assert weights[0] > weights[1]
    assert pulled.settings["prior"] == str(tmp_path / "prior.json")
    with pytest.raises(OptionError, match="the prior has none of these metrics") as error:
        fit(table, "wer,mer", prior=tmp_path / "prior.json")
    assert "--metrics cer,wil" in error.value.fix
    with pytest.raises(InputError, match="cannot be read"):
        fit(table, prior=tmp_path / "none.json")


def constant(table: pl.DataFrame) -> pl.DataFrame:
    """Both hypotheses have one wrong word: WER says the same of all."""
    ref = pl.col("reference")
    return table.with_columns(hypA=ref + " x", hypB=ref + " xyz")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (choice_table(rows=19), "weights cannot be learnt from 19 judgements"),
        (choice_table().with_columns(votesA=3, votesB=3), "all 60 choices have as many votes"),
        (choice_table().with_columns(votesA=0, votesB=0), "all 60 choices have as many votes"),
        (choice_table(references=1), "all judgements have the same reference"),
        (constant(choice_table()), "wer and wil say the same of all judgements"),
        (choice_table().with_columns(votesA=-1), "is no number of votes"),
        (choice_table().with_columns(votesA=0.5), "is no number of votes"),
        (choice_table().drop("votesA"), "no column nbrA or votesA"),
        (choice_table().head(0), "no triplets"),
        (rating_table(rows=10), "weights cannot be learnt from 10 judgements"),
        (rating_table().with_columns(score=3.0), "all 60 ratings are equal"),
        (rating_table().with_columns(score=float("nan")), "is no score"),
        (rating_table().with_columns(score=None), "is no score"),
    ],
)
def test_bad_judgements_are_refused(table: pl.DataFrame, said: str) -> None:
    with pytest.raises(InputError) as error:
        fit(table)
    assert said in error.value.what
    assert error.value.fix


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"repeats": 0}, "repeats is 0"),
        ({"metrics": "cerr"}, "cerr"),
        ({"metrics": "blend"}, "a blend needs a file"),
        ({"prior": "people:size=tiny"}, "size"),
        ({"consensus": [2.0]}, "2"),
    ],
)
def test_bad_options_are_refused(options: dict[str, Any], said: str) -> None:
    with pytest.raises(MiswordError, match=said):
        fit(choice_table(), **options)


def test_a_blend_of_blends_is_refused(tmp_path: Path) -> None:
    spec = write_words(tmp_path / "b.json")
    with pytest.raises(OptionError, match="a blend cannot be part of a blend"):
        fit(choice_table(), f"wer,{spec}")
    with pytest.raises(OptionError, match="a blend cannot be part of a blend"):
        fit(choice_table(), "wer,people:size=small", lang="fr")


def test_choices_without_a_majority_are_counted() -> None:
    table = choice_table().with_columns(
        votesA=pl.when(pl.int_range(pl.len()) < 5).then(3).otherwise("votesA"),
        votesB=pl.when(pl.int_range(pl.len()) < 5).then(3).otherwise("votesB"),
    )
    found = fit(table)
    assert found.notes == ("5 of 60 choices have as many votes for either and are left out",)


def test_few_references_give_no_warning_and_no_curve_without_a_test() -> None:
    """All references may be among those that are learnt from: nothing is left for the test."""
    found = fit(choice_table(rows=30, references=2))
    assert len(found.curve) == 0


def test_a_level_of_consensus_without_choices_is_undefined() -> None:
    table = choice_table().with_columns(votesA=pl.col("votesA") + 1, votesB=pl.col("votesB") + 1)
    found = fit(table)
    curve = found.curve.filter(measure="100 %")
    assert curve["mean"].null_count() == len(curve) > 0
    assert found.quality.filter(consensus="100 %")["agreed"].null_count() == 5


def test_people_who_choose_the_worse_hypothesis() -> None:
    names = {"votesA": "votesB", "votesB": "votesA"}
    with pytest.raises(InputError, match="all weights are 0"):
        fit(choice_table().rename(names))
