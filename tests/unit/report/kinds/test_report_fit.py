"""The page of a blend: its headline, its figures, and where blend and people differ."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import misword
from fits_made import LEVELS, fitted_choices, fitted_ratings, hostile_choices, quality
from misword.cli.main import main
from misword.io.results import read_result, write_result
from misword.report import render
from misword.report.charts import Figure
from misword.report.kinds import headline
from misword.report.kinds.fit import (
    POINTS,
    agreement_plot,
    choice_differences,
    correlation_plot,
    curve_plot,
    rating_differences,
    rating_plot,
    weight_plot,
)
from misword.report.page import citations

WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight"]


def shown(figure: Figure) -> list[list[str]]:
    """The texts of the table of numbers below a chart."""
    return [[cell.shown for cell in row] for row in figure.rows]


# The headline.


@pytest.mark.parametrize(
    ("share", "p", "verdict"),
    [
        (0.80, 0.01, "it is better than CER, the best single metric (70.0 %, p = 0.010)"),
        (
            0.80,
            0.2,
            "it is not distinguishable from CER, the best single metric (70.0 %, p =",
        ),
        (0.95, 0.01, "it is worse than CER, the best single metric (85.0 %, p = 0.010)"),
        (0.92, 0.01, "it is not distinguishable from CER, the best single metric (82.0 %"),
        (0.80, None, "CER, the best single metric, does in 70.0 %"),
    ],
)
def test_the_blend_is_compared_with_the_best_metric(
    share: float, p: float | None, verdict: str
) -> None:
    """The sentence is about the level with the most choices: 10 points below the first."""
    rows = [*quality("blend", 0.92), *quality("wer", 0.7, 0.001), *quality("cer", share, p)]
    sentence = headline(fitted_choices([*rows, *quality("one voter", 1.0)]))
    start = "The blend chooses as most people do in 82.0 % (95 % interval 77.0 to 87.0) of 496 "
    assert sentence.startswith(f"{start}choices (consensus any); {verdict}")
    assert sentence.endswith("; one voter chooses as the other voters do in 90.0 %.")


def test_without_votes_of_several_people_there_is_no_voter() -> None:
    sentence = headline(fitted_choices([*quality("blend", 0.92), *quality("cer", 0.8, 0.01)]))
    assert sentence.endswith("(70.0 %, p = 0.010).")


def test_a_level_without_choices_is_not_shown() -> None:
    empty = [{**row, "agreed": None, "low": None, "high": None, "choices": 0}
             for row in quality("blend", 0.9, levels=[("any", 0.0, 0)])]  # fmt: skip
    first = quality("blend", 0.92, levels=LEVELS[:1])
    assert "92.0 % (95 % interval 87.0 to 97.0) of 189 choices" in headline(
        fitted_choices([*first, *empty])
    )


def test_the_correlation_with_ratings() -> None:
    assert headline(fitted_ratings()) == (
        "The blend follows 4 ratings: Pearson 0.810 (95 % interval 0.790 to 0.830); CER, the best "
        "single metric, has 0.700 (95 % interval 0.680 to 0.720)."
    )


# Figures.


def test_the_forest_has_blend_metrics_and_voter() -> None:
    figure = agreement_plot(fitted_choices())
    assert figure
    points = figure.spec["data"]["values"]
    names = list(dict.fromkeys(point["row"] for point in points))
    assert names == ["blend", "mine (x=the cap)", "CER", "one voter"]
    assert {point["series"] for point in points} == {"consensus 100 %", "consensus any"}
    assert points[0]["x"] == pytest.approx(92)
    assert shown(figure)[2][-1] == "0.200"
    assert agreement_plot(fitted_ratings()) is None


def test_the_forest_of_correlations() -> None:
    figure = correlation_plot(fitted_ratings())
    assert figure
    assert [point["row"] for point in figure.spec["data"]["values"]] == ["blend", "CER", "WER"]
    assert shown(figure)[0] == ["blend", "0.810 (0.790 to 0.830)", "0.810", "0.810"]
    assert correlation_plot(fitted_choices()) is None


def test_weights_have_intervals_and_influence_has_none() -> None:
    figure = weight_plot(fitted_choices())
    assert figure
    weight, influence = figure.spec["data"]["values"][:2]
    assert (weight["x"], weight["low"], weight["high"]) == (0.25, 0.1, 0.4)
    assert (influence["x"], influence["low"], influence["high"]) == (0.3, 0.3, 0.3)
    assert shown(figure)[0] == ["CER", "0.250", "0.100 to 0.400", "30.00"]


def test_the_curve_is_over_the_logarithm_of_the_size() -> None:
    figure = curve_plot(fitted_choices())
    assert figure
    across = figure.spec["layer"][0]["encoding"]["x"]
    assert across["scale"]["type"] == "log"
    assert across["axis"]["values"] == [20, 50]
    assert shown(figure)[0] == ["20", "100 %", "80.0 (75.0 to 85.0)"]
    of_ratings = curve_plot(fitted_ratings())
    assert of_ratings
    assert shown(of_ratings)[0] == ["20", "pearson", "0.600 (0.500 to 0.700)"]


def test_ratings_are_drawn_over_rates() -> None:
    figure = rating_plot(fitted_ratings())
    assert figure
    points = [(point["rate"], point["score"]) for point in figure.spec["data"]["values"]]
    assert points == [(0.2, 3.0), (0.3, 2.0), (0.1, 0.5), (0.4, 1.0)]
    assert [row[2:] for row in shown(figure)] == [
        ["0.100", "0.500"], ["0.200", "3.000"], ["0.300", "2.000"], ["0.400", "1.000"],
    ]  # fmt: skip


def test_many_ratings_are_drawn_in_part() -> None:
    few = fitted_ratings()
    few.tables["judgements"] = pl.concat([few.tables["judgements"]] * 1001)
    figure = rating_plot(few)
    assert figure
    assert len(figure.spec["data"]["values"]) <= POINTS
    assert "1,335 of 4,004 are shown" in figure.text
    assert {row[1].shown for row in figure.rows} == {"400", "401"}
    assert sum(row[1].value or 0 for row in figure.rows) == 4004


def test_the_set_that_was_kept_is_marked() -> None:
    page = render([fitted_choices()])
    assert re.search(r"CER, mine \(x=the cap\)</td>.{,400}>kept</td>", page)
    assert page.count(">kept</td>") == 1


def test_options_of_one_metric_stay_together() -> None:
    tried = [{"metrics": "per:cost=features,x=1,cer", "size": 2, "loss": 0.5, "excess": 0.0,
              "standard_error": 0.0}]  # fmt: skip
    page = render([fitted_choices(selection=pl.DataFrame(tried))])
    assert ">per (cost=features,x=1), CER</td>" in page


# Differences.


def test_choices_in_which_the_blend_is_against_most_people() -> None:
    """By hand: 7 of 7 votes, expected 1 / (1 + e) = 26.9 %; then 5 of 7. Ties are left out."""
    found = choice_differences(fitted_choices())
    assert [one.row["judgement"] for one in found] == [4, 2]
    assert found[0].size == pytest.approx(1 - 0.2689, abs=1e-4)
    assert found[1].size == pytest.approx(5 / 7 - 0.2689, abs=1e-4)
    assert found[0].text == (
        "a has 7 votes, b has 0 votes. The rate of b is lower by 10.00 points; expected share of "
        "votes for b: 73 %."
    )


def test_ties_of_the_blend_are_no_difference() -> None:
    judged = fitted_choices().tables["judgements"].with_columns(blend=pl.lit(-1e-15))
    assert choice_differences(fitted_choices(judgements=judged)) == []
    assert "differ most" not in render([fitted_choices(judgements=judged)])


@pytest.mark.parametrize("blend", [None, {}, {"slope": 0.0}, {"slope": 1e9}])
def test_any_slope_gives_an_order(blend: Any) -> None:
    result = fitted_choices()
    result.provenance["blend"] = blend
    assert [one.row["judgement"] for one in choice_differences(result)] == [4, 2]


@pytest.mark.parametrize(("lower_is_better", "first"), [(False, 3), (True, 1)])
def test_ratings_that_differ_most(lower_is_better: bool, first: int) -> None:
    """By hand: rating 3 is the lowest, its rate is the best; reversed, rating 1 is the worst."""
    found = rating_differences(fitted_ratings(lower_is_better=lower_is_better))
    assert found[0].row["judgement"] == first
    assert found[0].size == pytest.approx(0.75 if first == 3 else 0.5)
    if not lower_is_better:
        assert found[0].text == (
            "Rated 0.50, better than 12 % of the hypotheses. The rate of the blend is 10.0 %, "
            "better than 88 %."
        )


def test_the_page_has_the_words_of_the_differences_only() -> None:
    page = render([fitted_choices()])
    assert "In 2 of 3 choices the blend prefers what most people rejected." in page
    block = re.search(r'id="r0-data-differences">(.+?)</script>', page)
    assert block
    data = json.loads(block[1])
    assert data["ids"] == ["4", "2"]
    assert data["systems"] == ["a", "b"]
    assert data["words"][1:] == ["the cat", "a cat", "the cap"]
    assert re.findall(r'data-aligned="([^"]+)" data-utt="(\d)"', page) == [
        ("r0-data-differences", "4"), ("r0-data-differences", "2"),
    ]  # fmt: skip


def test_without_words_the_texts_are_shown() -> None:
    result = fitted_choices()
    del result.tables["words"]
    page = render([result])
    assert "data-aligned=" not in page
    assert '<span>b</span><span dir="auto">the cap</span>' in page


def test_strings_stay_text() -> None:
    odd, plain = (re.sub("<script.*?</script>", "", render([result]), flags=re.DOTALL)
                  for result in (hostile_choices(), fitted_choices()))  # fmt: skip
    assert re.findall(r"<(\w+)", odd) == re.findall(r"<(\w+)", plain)
    assert "&lt;script&gt;window.hacked=1" in odd
    assert "<script>window.hacked" not in render([fitted_ratings()])


def test_the_introduction_says_how_it_was_measured() -> None:
    page = render([fitted_choices()])
    assert "The rate of the blend is 0.250 CER + 0.750 mine (x=the cap). 4 choices of 1 ref" in page
    assert "(10 folds, 2 repeats). Weights are drawn to equal influence of all metrics." in page
    assert "Weights are drawn to the weights of people." in render([fitted_ratings()])


def test_tests_of_agreement_are_cited() -> None:
    assert any("holm1979" in entry for entry in citations(fitted_choices()))
    assert not any("holm1979" in entry for entry in citations(fitted_ratings()))


# A result of the command.


def choices() -> pl.DataFrame:
    """Choices in which all but the first five follow the number of wrong words."""
    rows = []
    for number in range(30):
        words = [WORDS[(number + at) % 8] for at in range(6)]
        votes = (7, 0) if number >= 5 else (1, 6)
        rows.append(
            {"reference": " ".join(words), "hypA": " ".join(words[:5]), "nbrA": votes[0],
             "hypB": " ".join(["x", "yes", *words[2 + number % 3 :]]), "nbrB": votes[1]}
        )  # fmt: skip
    return pl.DataFrame(rows)


def test_the_aligned_words_are_those_of_the_judgements(tmp_path: Path) -> None:
    fitted = misword.fit(choices(), "wer,cer", bootstrap=20, repeats=1, folds=3)
    write_result(fitted.result(), tmp_path / "fit")
    result = read_result(tmp_path / "fit")
    words, first = result.tables["words"], result.tables["judgements"].row(0, named=True)
    read = words.filter(utt=str(first["judgement"]), system="b")
    assert " ".join(read["reference"].drop_nulls()) == first["reference"]
    assert " ".join(read["hypothesis"].drop_nulls()) == first["b"]
    assert [one.row["judgement"] for one in choice_differences(result)]
    assert "Where the blend and people differ most" in render([result])


def test_the_command_writes_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    choices().write_csv("choices.tsv", separator="\t")
    line = "fit choices.tsv --metrics wer,cer --bootstrap 20 --repeats 1 --folds 3 --select"
    assert main([*line.split(), "--report", "fit.html", "--out", "fit"]) == 0
    assert main(["report", "fit", "-o", "again.html"]) == 0
    for name in ("fit.html", "again.html"):
        page = Path(name).read_text("utf-8")
        assert "The blend chooses as most people do in " in page
        assert "The sets of metrics that were tried" in page
