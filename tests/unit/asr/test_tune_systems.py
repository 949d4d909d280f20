"""The choice among systems: the lowest rate, ties, resamples, folds, what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import misword
from misword.core.errors import OptionError

REFERENCES = ["a b", "c d", "e f", "g h"]
OUTPUTS = {
    "best": ["a b", "c d", "e f", "g h"],
    "low": ["a x", "c d", "e f", "g h"],
    "high": ["a", "c", "e f", "g h i"],
}


def test_rates_and_choices() -> None:
    found = misword.tune_systems(REFERENCES, OUTPUTS, "wer,cer", bootstrap=100, folds=2)
    assert found.rates.filter(metric="wer")["rate"].to_list() == [0, 1 / 8, 3 / 8]
    assert found.choices["system"].to_list() == ["best", "best"]
    assert found.choices["next"].to_list() == ["low", "low"]
    assert found.choices["held_out"].to_list() == [0, 0]
    assert found.choices["same_folds"].to_list() == [2, 2]
    shares = found.rates.filter(metric="wer")["best_share"]
    assert shares.sum() == pytest.approx(1)
    assert found.choices["others"][0] == pytest.approx(1 - shares[0])


def test_equal_systems_are_not_distinguishable() -> None:
    outputs = {"a": OUTPUTS["low"], "b": OUTPUTS["low"]}
    found = misword.tune_systems(REFERENCES, outputs, "wer", bootstrap=50)
    assert found.choices.select("system", "next", "next_p").rows() == [("a", "b", 1.0)]
    (note,) = found.notes
    assert note.startswith("wer: a is not significantly better than b (p = 1.00)")


def test_each_metric_judges_each_choice() -> None:
    outputs = {"words": ["a b", "cd ef"], "letters": ["a bb", "cd ee"]}
    found = misword.tune_systems(["a b", "cc ef"], outputs, "wer,cer", bootstrap=0, folds=0)
    assert len(found.judged) == 4
    assert (found.judged["rate"] >= found.judged["lowest"]).all()
    assert found.choices["held_out"].null_count() == 2
    assert found.choices["others"].null_count() == 2


def test_held_out_rates_are_those_of_the_system_chosen_without_the_fold() -> None:
    rng = np.random.default_rng(0)
    references = ["a b c d"] * 40
    words = np.array(["a", "x"])
    outputs = {
        name: [f"{words[int(rng.random() < 0.3)]} b c d" for _ in range(40)] for name in "pq"
    }
    found = misword.tune_systems(references, outputs, "wer", bootstrap=0, folds=40)
    rates = {name: [text != "a b c d" for text in outputs[name]] for name in "pq"}
    errors = 0
    for left_out in range(40):
        others = {name: sum(wrong) - wrong[left_out] for name, wrong in rates.items()}
        best = min(others, key=lambda name: others[name])
        errors += rates[best][left_out]
    assert found.choices["held_out"][0] == errors / 160


def test_undefined_rates() -> None:
    found = misword.tune_systems(["", ""], {"a": ["", "x"], "b": ["", ""]}, "wer", bootstrap=0)
    assert found.choices["rate"].to_list() == [None]


def test_what_is_refused() -> None:
    with pytest.raises(OptionError, match="folds is 1"):
        misword.tune_systems(REFERENCES, OUTPUTS, "wer", folds=1)
    with pytest.raises(OptionError, match="needs two systems"):
        misword.tune_systems(REFERENCES, {"a": OUTPUTS["low"]}, "wer")
