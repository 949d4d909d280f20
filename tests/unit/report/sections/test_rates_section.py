"""The table and the chart of rates by group."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import misword
from misword.core.types import Result
from misword.report.article import Article
from misword.report.charts import interval_plot, line_plot, reserved_height, verdict_colors
from misword.report.kinds import headline
from misword.report.sections.rates import (
    error_figure,
    ranking_figure,
    rate_figure,
    rate_group_figures,
)
from misword.report.tables import page_table
from misword.stat.descriptions.scores import rates_table
from results_made import comparison, difference, scores, summary


def test_all_groups_together_have_a_row() -> None:
    refs, hyps = ["a b", "c d", "e f"], ["a b", "c x", "x x"]
    scores = misword.score(refs, hyps, "wer", metadata={"noise": ["no", "no", "yes"]})
    result = scores.result(by="noise", bootstrap=0)
    assert headline(result) == "WER from 25.0 % (noise no) to 100.0 % (noise yes) in 2 groups."
    assert ">all<" in page_table(Article.of("r0", result), rates_table(result))
    figure = rate_figure(result)
    assert figure is not None
    assert [[cell.shown for cell in cells[:4]] for cells in figure.rows] == [
        ["hypothesis", "all", "WER", "50.00"],
    ]  # fmt: skip
    (by_noise,) = rate_group_figures(result)
    columns = [by_noise.header.index(name) for name in ("system", "rate, %", "utterances")]
    assert [[cells[i].shown for i in columns] for cells in by_noise.rows] == [
        ["hypothesis", "100.00", "1"], ["hypothesis", "25.00", "2"],
    ]  # fmt: skip
    groups = [str(cells[1].shown) for cells in by_noise.rows]
    assert [">yes<" in groups[0], ">no<" in groups[1]] == [True, True]
    assert "hypothesis, yes (1) 100.00 %; hypothesis, no (2) 25.00 %" in by_noise.text


def test_the_table_has_the_kinds_of_error() -> None:
    """Three substitutions, one deletion and two insertions by hand; WIL is no sum of errors."""
    scores = misword.score(["a b c d", "e f"], ["x y z", "e f g h"], "wer,wil")
    result = scores.result(bootstrap=0)
    table = page_table(Article.of("r0", result), rates_table(result))
    assert '<th scope="col" class="num">substitutions</th>' in table
    figure = error_figure(result)
    assert figure is not None
    (cells,) = figure.rows
    assert [cell.shown for cell in cells] == [
        "hypothesis", "100.00", "50.00", "16.67", "33.33", "3", "1", "2", "6",
    ]  # fmt: skip
    bars = figure.spec["data"]["values"]
    assert [(bar["from"], bar["to"]) for bar in bars] == [
        (0, pytest.approx(50)), (pytest.approx(50), pytest.approx(200 / 3)),
        (pytest.approx(200 / 3), pytest.approx(100)),
    ]  # fmt: skip
    assert error_figure(misword.score(["a b"], ["a c"], "wil").result(bootstrap=0)) is None


def many(systems: int, metric: str = "wer") -> list[dict[str, Any]]:
    return [
        summary(system=f"s{k:02}", metric=metric, rate=0.5 - 0.01 * k, low=0.4, high=0.6)
        for k in range(systems)
    ]


def test_many_systems_are_ranked() -> None:
    few, ranked = (rate_figure(scores(many(size))) for size in (6, 7))
    assert few is not None
    assert ranked is not None
    assert (few.name, ranked.name) == ("rates", "ranking-0")
    points = ranked.spec["data"]["values"]
    assert [point["row"] for point in points] == [f"s{k:02}" for k in range(6, -1, -1)]
    assert {point["series"] for point in points} == {""}


def test_rankings_of_a_comparison_have_verdicts() -> None:
    rows = [difference("wer", -0.1, 0.01, system="s01", baseline="s00")]
    rows += [difference("wer", 0.1, 0.01, system="s02", baseline="s00")]
    rows += [difference("wer", 0.1, 0.9, system="s03", baseline="s00")]
    compared = comparison(rows)
    tables = {"summary": pl.DataFrame(many(4)), **compared.tables}
    figure = ranking_figure(Result("comparison", tables, compared.provenance), "wer", 0)
    assert figure is not None
    assert [cells[-1].shown for cells in figure.rows] == [
        "no difference can be shown", "worse", "better", "the first system",
    ]  # fmt: skip


def test_too_many_series_become_cells() -> None:
    points = [{"row": "a", "series": str(k), "x": float(k - 3)} for k in range(7)]
    drawn = interval_plot(points, [str(k) for k in range(7)], title="t", line=0)
    assert drawn["layer"][0]["mark"]["type"] == "rect"
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == [-3.0, 3.0]
    assert [value["bright"] for value in drawn["data"]["values"]] == [
        True, False, False, False, False, False, True,
    ]  # fmt: skip


def test_too_many_lines_have_a_panel_each() -> None:
    names = [f"s{k}" for k in range(7)]
    points = [{"series": name, "x": 0, "y": 1, "low": 0, "high": 2} for name in reversed(names)]
    drawn = line_plot(points, names, x="x", y="y")
    assert [value["panel"] for value in sorted(drawn["data"]["values"], key=by_order)] == names
    assert "facet" not in line_plot(points[:6], names[:6], x="x", y="y")


def by_order(value: dict[str, Any]) -> int:
    return int(value["order"])


def test_colours_of_verdicts_do_not_depend_on_which_are_there() -> None:
    domains = [verdict_colors("side", there)["color"] for there in (["worse"], ["better", "worse"])]
    assert domains[0]["scale"] == domains[1]["scale"]
    assert domains[1]["legend"]["values"] == ["worse", "better"]


def test_twenty_systems_fit_on_a_screen() -> None:
    rows = [summary(system=f"s{k}", rate=0.1 + 0.01 * k) for k in range(20)]
    figure = ranking_figure(scores(rows), "wer", 0)
    assert figure is not None
    assert figure.title == "WER of 20 systems with 95 % intervals"
    assert reserved_height(figure.spec) < 450
    alone = ranking_figure(scores([summary(low=None, high=None)]), "wer", 0)
    assert alone is not None
    assert alone.title == "WER of 1 system"


def test_rows_of_a_dense_plot_are_low_whatever_the_number_of_systems() -> None:
    """Forty pixels for each class, and an axis at the top and at the bottom."""
    for systems in (1, 2, 4, 6):
        names = [f"s{k}" for k in range(systems)]
        points = [
            {"row": f"class {row}", "series": name, "x": 1.0, "low": 0.5, "high": 2.0}
            for row in range(20)
            for name in names
        ]
        spec = interval_plot(points, names, title="rate, %", dense=True)
        assert reserved_height(spec) <= 20 * 41 + 200
        assert [layer["encoding"]["x"].get("axis") for layer in spec["layer"]] == [
            None, {"orient": "top", "grid": False},
        ]  # fmt: skip
