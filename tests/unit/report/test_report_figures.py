"""The charts of a report."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from misword.core.types import Result
from misword.report.charts import Figure, reserved_height
from misword.report.kinds.agreement import agreement_plot
from misword.report.kinds.comparison.breakdown import dumbbell_plot, group_figures
from misword.report.kinds.comparison.kind import forest_plot
from misword.report.kinds.correlation import block_plots, downstream_plot
from misword.report.kinds.hypotheses.nbest import curve_plot, heat_map
from misword.report.kinds.hypotheses.tuning import curve_figures, rate_figures
from misword.report.kinds.noise import correlation_plot, similarity_plot
from misword.report.rates import utterance_rates
from misword.report.sections.metric_correlations import heatmap
from misword.report.sections.rates import rate_figure
from misword.report.sections.utterances import change_histograms
from misword.stat.descriptions.result_access import rows, titles
from results_made import (
    agreement,
    comparison,
    correlation,
    difference,
    oracle,
    robustness,
    strange,
    system_tuning,
    tuning,
)


def figures() -> list[Figure]:
    compared, correlated = strange(), correlation()
    rates = utterance_rates(compared)
    assert rates is not None
    drawn = [
        forest_plot(compared),
        *group_figures(compared),
        rate_figure(compared),
        dumbbell_plot(compared, "tag", "rate"),
        change_histograms(rates.changes(), titles(compared)),
        heatmap(compared, rates.correlations()),
        heatmap(correlated, rows(correlated, "metrics")),
        downstream_plot(correlated),
        *block_plots(correlated),
        similarity_plot(robustness()),
        correlation_plot(robustness()),
        agreement_plot(agreement({"wer": (0.6, 0.5, 0.7)})),
        curve_plot(oracle()),
        heat_map(oracle(), "base", 1),
        *curve_figures(tuning()),
        *rate_figures(system_tuning()),
    ]
    assert None not in drawn
    return [figure for figure in drawn if figure is not None]


def keyed(value: Any) -> list[tuple[str, Any]]:
    """All keys of a specification with their values, except in the data."""
    if isinstance(value, list):
        return [pair for inner in value for pair in keyed(inner)]
    if not isinstance(value, dict):
        return []
    pairs = [(key, inner) for key, inner in value.items() if key != "values"]
    return pairs + [pair for _, inner in pairs for pair in keyed(inner)]


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_figures_have_a_text_and_numbers(figure: Figure) -> None:
    assert figure.title
    assert len(figure.text) > 40
    assert figure.rows
    assert all(len(row) == len(figure.header) for row in figure.rows)
    json.dumps(figure.spec, allow_nan=False)


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_users_strings_are_no_fields_and_no_expressions(figure: Figure) -> None:
    """Field names have a syntax and expressions are evaluated: neither has a user's string."""
    for key, value in keyed(figure.spec):
        if key in ("field", "test", "calculate", "filter", "expr", "signal"):
            assert re.fullmatch(r"[a-z0-9.]+", value), key


def test_forest_shows_what_is_not_distinguishable() -> None:
    differences = [difference("wer", -0.1, 0.01), difference("cer", 0.02, 0.4)]
    found = forest_plot(comparison(differences))
    assert found is not None
    first, second = found.spec["data"]["values"]
    assert (first["row"], first["x"], first["sure"]) == ("WER", -10.0, True)
    assert (first["low"], first["high"]) == pytest.approx((-15, -5))
    assert (second["x"], second["sure"]) == (2.0, False)
    assert "WER -10.00 % (-15.00 to -5.00, p = 0.010)" in found.text


def test_groups_that_are_not_distinguishable_are_hollow() -> None:
    row = {"metric": "wer", "system": "b", "baseline": "a", "noise": "no", "utterances": 1000,
           "baseline_rate": 0.2, "rate": 0.1, "difference": -0.1, "low": -0.2, "high": 0
    }  # fmt: skip
    table = pl.DataFrame([{**row, "p_holm": 0.01}, {**row, "noise": "yes", "p_holm": 0.2}])
    (figure,) = group_figures(Result("comparison", {"groups": table}, {"by": ["noise"]}))
    points = figure.spec["data"]["values"]
    assert [(point["row"], point["sure"]) for point in points] == [
        ("no (1,000)", True), ("yes (1,000)", False),
    ]  # fmt: skip
    undefined = table.with_columns(difference=pl.lit(None, pl.Float64))
    assert group_figures(Result("comparison", {"groups": undefined}, {"by": ["noise"]})) == []


def test_dumbbell_orders_tags_by_their_gain() -> None:
    gains = {"NOUN": -0.01, "VERB": -0.05, "RARE": -0.5}
    sizes = {"NOUN": 500, "VERB": 400, "RARE": 3}
    given_rows = [
        {"slice": "tag", "value": tag, "system": system, "words": sizes[tag],
         "rate": 0.3 + gain, "rate_difference": gain if system == "b" else None}
        for tag, last in gains.items() for system, gain in (("a", 0.0), ("b", last))
    ]  # fmt: skip
    given_slices = Result("comparison", {"slices": pl.DataFrame(given_rows)})
    found = dumbbell_plot(given_slices, "tag", "rate")
    assert found is not None
    assert [v["row"] for v in found.spec["data"]["values"]][::2] == ["VERB (400)", "NOUN (500)"]
    names = [row[0].shown.partition(">")[2] for row in found.rows]  # without the start tag
    assert names == ["RARE</span>", "VERB</span>", "NOUN</span>"]
    assert "1 rare ones are in the numbers only" in found.text
    assert dumbbell_plot(given_slices, "length", "rate") is None
    assert dumbbell_plot(given_slices, "tag", "distance") is None


def test_heatmap_has_each_pair_once() -> None:
    both = [
        {"a": a, "b": b, "pearson": 0.5}
        for a in ("cer", "wer", "per")
        for b in ("wer", "cer", "per")
    ]
    found = heatmap(correlation(["wer", "cer", "per"]), both)
    assert found is not None
    pairs = [(value["a"], value["b"]) for value in found.spec["data"]["values"]]
    assert pairs == [("WER", "CER"), ("WER", "PER"), ("CER", "PER")]


@given(st.lists(st.sampled_from([-1.5, -0.2, -0.05, 0.0, 0.001, 0.1, 0.35, 3.0]), min_size=1))
def test_bars_hold_all_that_changed(values: list[float]) -> None:
    found = change_histograms({("wer", "b"): np.array(values)}, str.upper)
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
    found = utterance_rates(Result("scores", {"utterances": table}, {"metrics": ["wer", "cer"]}))
    assert found is not None
    (pair,) = found.correlations()
    assert pair["pearson"] == pytest.approx(0.0)
    assert pair["utterances"] == 4


def test_curves_have_a_point_for_each_rate_and_its_interval() -> None:
    result = robustness(("mean", "usif"))
    found = similarity_plot(result)
    assert found is not None
    values = found.spec["data"]["values"]
    assert [value["series"] for value in values] == ["mean"] * 3 + ["uSIF"] * 3
    last = values[-1]
    assert (last["wer"], last["y"], last["shown"]) == ("30.0", 0.7, "0.700")
    assert (last["low"], last["high"], last["interval"]) == (0.69, 1.0, "0.690 to 1.000")
    assert "uSIF -0.0050 a point of WER (R2 0.990)" in found.text
    drawn = correlation_plot(result)
    assert drawn is not None
    assert drawn.spec["data"]["values"][-1]["y"] == pytest.approx(66)


def test_curves_of_one_trial_have_no_intervals() -> None:
    result = robustness(("mean",), pearson_low=None, pearson_high=None)
    drawn = correlation_plot(result)
    assert drawn is not None
    for value in drawn.spec["data"]["values"]:
        assert (value["low"], value["high"], value["interval"]) == (value["y"], value["y"], "")
    assert correlation_plot(robustness(pearson=None)) is None


def test_heights_of_charts_of_other_shapes_are_guessed() -> None:
    assert reserved_height({"mark": "bar"}) == 250
    assert reserved_height({"mark": "bar", "height": 90, "encoding": {"x": {"field": "a"}}}) == 140


@pytest.mark.parametrize("figure", figures(), ids=lambda figure: figure.name)
def test_every_chart_has_a_height(figure: Figure) -> None:
    assert 60 < reserved_height(figure.spec) < 900


def test_metrics_are_sorted_by_their_agreement() -> None:
    shares = {"wer": (0.6, 0.5, 0.7), "per": (0.8, 0.7, 0.9), "cer": (0.7, 0.6, 0.8)}
    found = agreement_plot(agreement(shares))
    assert found is not None
    points = found.spec["data"]["values"]
    assert [point["row"] for point in points] == ["PER"] * 2 + ["CER"] * 2 + ["WER"] * 2
    assert [row[0].shown for row in found.rows][::2] == ["PER", "CER", "WER"]


def test_axes_of_blocks_have_the_names_of_metric_and_score() -> None:
    (figure,) = block_plots(correlation(["wer", "cer"]))
    points = figure.spec["data"]["values"]
    assert list(dict.fromkeys(point["panel"] for point in points)) == ["WER, %", "CER, %"]
    assert figure.spec["spec"]["encoding"]["y"]["title"] == "BLEU"
    assert figure.header == ["system", "block", "WER, %", "CER, %", "BLEU"]


def test_scales_of_correlations_use_the_range_of_the_values() -> None:
    """Zero is drawn only where a value or an interval reaches it."""

    def has_zero(low: float) -> bool:
        made = correlation()
        table = made.tables["downstream"].with_columns(pearson_high=pl.lit(low))
        found = downstream_plot(Result("correlation", {"downstream": table}, made.provenance))
        assert found is not None
        return len(found.spec["layer"]) == 3

    assert not has_zero(-0.3)
    assert has_zero(0.1)
    found = heatmap(correlation(), [{"a": "wer", "b": "cer", "pearson": 0.72}])
    assert found is not None
    scale = found.spec["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == [0.7, 0.8]


def test_intervals_of_one_error_rate_are_side_by_side() -> None:
    """Each encoder has its own place, the group is centred at its rate, and groups stay apart."""
    found = correlation_plot(robustness(("mean", "sif", "usif")))
    assert found is not None
    places: dict[float, list[float]] = {}
    for value in found.spec["data"]["values"]:
        places.setdefault(value["level"], []).append(value["x"])
    for level, across in places.items():
        assert len(set(across)) == 3
        assert sum(across) / 3 == pytest.approx(level + 0.04)
    groups = [places[level] for level in sorted(places)]
    assert all(max(left) < min(right) for left, right in pairwise(groups))
