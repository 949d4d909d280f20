"""The pages of tuned weights and of the choice among systems."""

from __future__ import annotations

import misword
from misword.report import render
from misword.report.kinds import headline
from misword.report.kinds.hypotheses.tuning import curve_figures
from results_made import HOSTILE, system_tuning, tuning

LISTS = [["a b", "a c"], ["d", "d e"], ["f g", "f"]]
REFERENCES = ["a c", "d e", "f g"]
FEATURES = {"score": [[-1, -2], [-1, -3], [-1, -9]], "lm": [[-9, -5], [-9, -4], [-9, -7]]}


def test_headlines() -> None:
    assert headline(tuning()) == (
        "Held out, the tuned weights have WER 22.00 %, rank 1 has 30.00 % (p = 0.010)."
    )
    found = misword.tune(REFERENCES, LISTS, features=FEATURES, folds=3, resamples=0, bootstrap=0)
    assert headline(found.result()).endswith("too few lists or blocks for a test.")
    tuned = misword.tune(REFERENCES, LISTS, features=FEATURES, folds=0, resamples=0, bootstrap=0)
    assert headline(tuned.result()) == (
        "On the lists that they were tuned on, the weights have WER 0.00 %; what they are worth on "
        "others is not known."
    )
    same = misword.tune(["a", "b"], [["a", "x"], ["b", "y"]], folds=2, resamples=0, bootstrap=0)
    assert headline(same.result()).endswith("there is nothing to gain.")
    assert headline(system_tuning()) == (
        "WER chooses scale_1, 20.00 % (p = 0.300 against scale_2)."
    )


def test_curves_of_real_results() -> None:
    found = misword.tune(REFERENCES, LISTS, features=FEATURES, folds=3, resamples=2, bootstrap=9)
    page = render([found.result()])
    assert "WER over the weight of lm" in page
    (figure,) = curve_figures(found.result())
    series = {point["series"] for point in figure.spec["data"]["values"]}
    assert {"tuned lists", "rank 1"} <= series


def test_ranges_without_an_end() -> None:
    (figure,) = curve_figures(tuning())
    band, rule, _ = figure.spec["layer"]
    assert band["data"]["values"] == [{"x": 0.3, "end": 1.0}]
    assert rule["data"]["values"] == [{"x": 0.5}]


def test_undefined_rates() -> None:
    lists, features = [["", "a"], [""]], {"score": [[1, 2], [3]]}
    found = misword.tune(["", ""], lists, features=features, resamples=2, bootstrap=9, folds=2)
    assert "without a headline" in headline(found.result())
    render([found.result()])
    systems = misword.tune_systems(["", ""], {"a": ["", "x"], "b": ["", ""]}, "wer", bootstrap=0)
    render([systems.result()])


def test_sections_and_hostile_names() -> None:
    page = render([tuning(HOSTILE[0], HOSTILE[1]), system_tuning(HOSTILE[:2])])
    assert "Weights, and how far each may move" in page
    assert "Each fold, with weights that were tuned on the others" in page
    assert "Chosen texts that are not of rank 1" in page
    assert "What each metric says of the choice of the others" in page
    assert HOSTILE[0] not in page
