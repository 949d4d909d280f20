"""Tasks under noise: the scores of a command of the user."""

from __future__ import annotations

import sys

import pytest

import misword
from misword.core.errors import InputError, OptionError

TEXTS = ["so we went home", "we sat on the mat"] * 30


def command(code: str) -> list[str]:
    return [sys.executable, "-c", f"import sys; lines = list(sys.stdin); {code}"]


def test_scores_of_single_texts_have_a_ratio_with_an_interval() -> None:
    task = command("[print(float('we' in line.split())) for line in lines]")
    found = misword.task_robustness(TEXTS, task, [0.3], channel="uniform", trials=2)
    clean, noisy = found.levels.to_dicts()
    assert (clean["score"], clean["ratio"]) == (1.0, 1.0)
    assert noisy["score"] == noisy["ratio"] < 1
    assert noisy["ratio_low"] < noisy["ratio"] < noisy["ratio_high"]
    assert noisy["realised"] == pytest.approx(0.3, abs=0.01)


def test_one_score_for_all_texts_has_no_interval_and_a_note() -> None:
    task = command("print(len(lines))")
    found = misword.task_robustness(TEXTS, task, 0.2, channel="uniform", trials=1)
    assert found.levels["ratio"].to_list() == [1.0, 1.0]
    assert found.levels["ratio_low"][1] is None
    assert "one score" in found.notes[0]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("print('x')", "must write a number"),
        ("print('nan')", "must write a number"),
        ("print(1); print(2)", "wrote 2 words"),
        ("sys.exit('no model')", "no model"),
    ],
)
def test_what_a_command_does_wrong_is_said(code: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        misword.task_robustness(TEXTS, command(code), 0.2, channel="uniform", trials=1)


def test_a_command_that_is_missing_is_said() -> None:
    with pytest.raises(OptionError, match="cannot be run"):
        misword.task_robustness(TEXTS, "no-such-program", 0.2, channel="uniform")
