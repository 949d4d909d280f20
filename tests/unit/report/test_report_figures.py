"""The charts of a report and the data of its explorer."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from browser.results_made import (
    KINDS,
    agreement,
    correlation,
    difference,
    robustness,
    strange,
    words_table,
)
from misword.core.types import Result
from misword.report import robustness as robust
from misword.report.charts import Figure
from misword.report.distribution import changes
from misword.report.downstream import downstream, scatter
from misword.report.explorer import explorer_data
from misword.report.figures import forest, rates
from misword.report.people import agreement as agreement_figure
from misword.report.reading import rows
from misword.report.relations import heatmap
from misword.report.slices import dumbbell
from misword.report.utterances import utterances

TYPES = {"u1": "<u1", "u2": "<u2", "u4": "<u4", "f4": "<f4", "f8": "<f8"}


def figures() -> list[Figure]:
    result, together = strange(), correlation()
    found = utterances(result)
    assert found is not None
    drawn = [
        forest(rows(result, "differences"), "95 %"),
        rates(rows(result, "summary"), [], "95 %"),
        dumbbell(rows(result, "slices"), "tag", "rate"),
        changes(found.changes()),
        heatmap(found.correlations(), found.labels),
        heatmap(rows(together, "metrics"), together.provenance["metrics"]),
        downstream(rows(together, "downstream"), "95 %"),
        scatter(rows(together, "blocks"), together.provenance["metrics"], ["bleu"]),
        robust.similarity(rows(robustness(), "levels"), rows(robustness(), "lines"), "95 %"),
        robust.correlation(rows(robustness(), "levels"), "95 %"),
        agreement_figure(rows(agreement({"wer": (0.6, 0.5, 0.7)}), "agreement"), "95 %"),
    ]
    assert None not in drawn
    return [figure for figure in drawn if figure is not None]


def keyed(value: Any) -> list[tuple[str, Any]]:
    """All keys of a specification with what they hold, but for the data."""
    if isinstance(value, list):
        return [pair for inner in value for pair in keyed(inner)]
    if not isinstance(value, dict):
        return []
    pairs = [(key, inner) for key, inner in value.items() if key != "values"]
    return pairs + [pair for _, inner in pairs for pair in keyed(inner)]


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_figures_are_told_in_words_and_numbers(figure: Figure) -> None:
    assert figure.title
    assert len(figure.text) > 40
    assert all(len(row) == len(figure.header) for row in figure.rows)
    json.dumps(figure.spec, allow_nan=False)


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_users_strings_are_no_fields_and_no_expressions(figure: Figure) -> None:
    """Field names have a syntax, expressions are evaluated: both are ours alone."""
    for key, value in keyed(figure.spec):
        if key in ("field", "test", "calculate", "filter", "expr", "signal"):
            assert re.fullmatch(r"[a-z0-9.]+", value), key


def test_forest_shows_what_is_not_distinguishable() -> None:
    found = forest([difference("wer", -0.1, 0.01), difference("cer", 0.02, 0.4)], "95 %")
    assert found is not None
    first, second = found.spec["data"]["values"]
    assert (first["row"], first["x"], first["sure"]) == ("WER", -10.0, True)
    assert (first["low"], first["high"]) == pytest.approx((-15, -5))
    assert (second["x"], second["sure"]) == (2.0, False)
    assert "WER -10.0 % (-15.0 to -5.0, p = 0.010)" in found.text


def test_dumbbell_orders_tags_by_their_gain() -> None:
    gains = {"NOUN": -0.01, "VERB": -0.05, "RARE": -0.5}
    sizes = {"NOUN": 500, "VERB": 400, "RARE": 3}
    given_rows = [
        {"slice": "tag", "value": tag, "system": system, "words": sizes[tag],
         "rate": 0.3 + gain, "rate_difference": gain if system == "b" else None}
        for tag, last in gains.items() for system, gain in (("a", 0.0), ("b", last))
    ]  # fmt: skip
    found = dumbbell(given_rows, "tag", "rate")
    assert found is not None
    assert [v["row"] for v in found.spec["data"]["values"]][::2] == ["VERB (400)", "NOUN (500)"]
    assert [row[0].shown for row in found.rows] == ["RARE", "VERB", "NOUN"]
    assert "1 rare ones are in the numbers only" in found.text
    assert dumbbell(given_rows, "length", "rate") is None
    assert dumbbell(given_rows, "tag", "distance") is None


def test_heatmap_has_each_pair_once() -> None:
    both = [
        {"a": a, "b": b, "pearson": 0.5}
        for a in ("cer", "wer", "per")
        for b in ("wer", "cer", "per")
    ]
    found = heatmap(both, ["wer", "cer"])
    assert found is not None
    pairs = [(value["a"], value["b"]) for value in found.spec["data"]["values"]]
    assert pairs == [("WER", "CER"), ("WER", "PER"), ("CER", "PER")]


@given(st.lists(st.sampled_from([-1.5, -0.2, -0.05, 0.0, 0.001, 0.1, 0.35, 3.0]), min_size=1))
def test_bars_hold_all_that_changed(values: list[float]) -> None:
    found = changes({("wer", "b"): np.array(values)})
    changed = [value for value in values if value]
    if not changed:
        assert found is None
        return
    assert found is not None
    bars = found.spec["data"]["values"]
    for side, kept in (
        ("better", [v for v in changed if v < 0]),
        ("worse", [v for v in changed if v > 0]),
    ):
        assert sum(bar["utterances"] for bar in bars if bar["side"] == side) == len(kept)
    assert all(a["to"] <= b["from"] + 1e-9 for a, b in pairwise(bars))
    assert all((bar["to"] <= 0) == (bar["side"] == "better") for bar in bars)


def test_correlations_from_utterances_are_means_over_systems() -> None:
    table = pl.DataFrame(
        {
            "utt": list("abcd") * 2, "system": ["x"] * 4 + ["y"] * 4, "rank": [1] * 8,
            "wer.rate": [0.0, 0.1, 0.2, None, 0.0, 0.1, 0.2, 0.3],
            "cer.rate": [0.0, 0.2, 0.4, 0.9, 0.3, 0.2, 0.1, 0.0],
        }
    )  # fmt: skip
    found = utterances(Result("scores", {"utterances": table}, {"metrics": ["wer", "cer"]}))
    assert found is not None
    (pair,) = found.correlations()
    assert pair["pearson"] == pytest.approx(0.0)
    assert pair["utterances"] == 4


def test_curves_have_a_point_for_each_rate_and_its_interval() -> None:
    result = robustness(("mean", "usif"))
    found = robust.similarity(rows(result, "levels"), rows(result, "lines"), "95 %")
    assert found is not None
    values = found.spec["data"]["values"]
    assert [value["series"] for value in values] == ["mean"] * 3 + ["uSIF"] * 3
    last = values[-1]
    assert (last["x"], last["y"], last["shown"]) == (pytest.approx(30.04), 0.7, "0.700")
    assert (last["low"], last["high"], last["interval"]) == (0.69, 1.0, "0.690 to 1.000")
    assert "uSIF -0.0050 a point of WER (R2 0.990)" in found.text
    drawn = robust.correlation(rows(result, "levels"), "95 %")
    assert drawn is not None
    assert drawn.spec["data"]["values"][-1]["y"] == pytest.approx(66)


def test_curves_of_one_trial_have_no_intervals() -> None:
    result = robustness(("mean",), pearson_low=None, pearson_high=None)
    drawn = robust.correlation(rows(result, "levels"), "95 %")
    assert drawn is not None
    for value in drawn.spec["data"]["values"]:
        assert (value["low"], value["high"], value["interval"]) == (value["y"], value["y"], "")
    assert robust.correlation(rows(robustness(pearson=None), "levels"), "95 %") is None


def unpacked(packed: dict[str, str]) -> list[Any]:
    return list(np.frombuffer(b64decode(packed["data"]), TYPES[packed["type"]]).tolist())


def decoded(data: dict[str, Any], layer: int = 0) -> list[tuple[Any, ...]]:
    """Rows of the table of words again, from the streams."""
    found = []
    for system, stream in zip(data["systems"], data["layers"][layer]["systems"], strict=True):
        kinds, said = iter(unpacked(stream["kinds"])), iter(unpacked(stream["words"]))
        for utt, length in zip(data["ids"], unpacked(stream["lengths"]), strict=True):
            for place in range(length):
                kind = next(kinds)
                first = data["words"][next(said)]
                second = data["words"][next(said)] if kind in (1, 4) else first
                sides = (None if kind == 2 else first, None if kind == 3 else second)
                found.append((utt, system, place, KINDS[kind % 4], *sides))
    return found


def test_explorer_has_every_word_and_rate() -> None:
    refs = ["the cat sat", "", "a b c d", "x"] * 3
    said = {
        "one": ["the hat", "er", "a b c d", ""] * 3,
        "two": ["cat sat on", "", "b c", "y z"] * 3,
    }
    notes = {"speaker": ["a", "b", None] * 4, "age": [30, None, 50] * 4}
    result = misword.score(refs, said, "wer,cer", metadata=notes).result()
    found = utterances(result)
    assert found is not None
    data = json.loads(json.dumps(explorer_data(result, found), allow_nan=False))
    words = result.tables["words"].select(
        "utt", "system", "place", "kind", "reference", "hypothesis"
    )
    assert decoded(data) == words.with_columns(pl.col("kind").cast(pl.String)).rows()
    kept = np.array(unpacked(data["rates"])).reshape(2, 2, 12)
    asked = result.tables["utterances"].filter(system="two")["cer.rate"].to_numpy()
    np.testing.assert_allclose(kept[1, 1], asked, rtol=1e-6)
    speaker, age = data["metadata"]
    assert [speaker["values"][code] for code in unpacked(speaker["codes"])] == ["a", "b", ""] * 4
    np.testing.assert_equal(unpacked(age["numbers"]), [30, np.nan, 50] * 4)


def test_explorer_keeps_costs_of_errors_and_loose_hits() -> None:
    places: Any = [
        ("hit", "A", "a"),
        ("substitution", "b", "c"),
        ("hit", "d", "d"),
        ("deletion", "e", None),
    ]
    words = words_table({("1", "s"): places}, **{"wer-e.cost": [0.0, 0.1234, 0.0, None]})
    same = words.drop("wer-e.cost").with_columns(pl.Series("ember.cost", [0.0, 0.1, 0.0, 1.0]))
    rows_ = pl.DataFrame({"utt": ["1"], "system": ["s"], "rank": [1], "wer.rate": [0.5]})
    tables = {"utterances": rows_, "words": words, "words.ember": same, "words.x": words.head(1)}
    result = Result("scores", tables, {"metrics": ["wer"]})
    found = utterances(result)
    assert found is not None
    data = explorer_data(result, found)
    assert [layer["name"] for layer in data["layers"]] == ["", "x"]
    assert data["layers"][0]["costs"] == ["WER-E", "EmbER"]
    stream = data["layers"][0]["systems"][0]
    assert unpacked(stream["kinds"]) == [4, 1, 0, 3]
    assert [unpacked(costs) for costs in stream["costs"]] == [[1234, 65535], [1000, 10000]]
