"""The gate: limits by hand, the one-sided test by simulation, refusals."""

from __future__ import annotations

from math import isnan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import misword
from misword.asr.comparison.gate import (
    Condition,
    GatedRate,
    GateResampling,
    against_baseline,
    decide,
)
from misword.core.errors import MismatchError, OptionError
from misword.stat.bootstrap import Bootstrap

REFS = ["the cat sat", "so we go", "two by two", "on and on"]
NEW = ["the cat sat", "so we went", "two by two", "on and on"]
BASE = ["a cat sat", "so we go", "to buy two", "on an on"]
Terms = NDArray[np.int64]
WER = misword.score(["a"], ["a"], "wer").columns[0]
UTTERANCES, WORDS = 100, 10


def outcomes(**options: Any) -> dict[str, str]:
    found = misword.gate(REFS, {"new": NEW, "base": BASE}, **options)
    return {condition.name: condition.outcome for condition in found.conditions}


def terms(rng: np.random.Generator, rate: float, shared: NDArray[np.float64]) -> Terms:
    """Errors and words of utterances; `shared` makes utterances hard for all systems alike."""
    errors = rng.binomial(WORDS, np.clip(rate * shared, 0, 1))
    return np.stack([errors, np.full(len(shared), WORDS)], axis=1)


def simulated(
    seed: int, base: float, new: float, margin: float, metrics: int = 1
) -> list[Condition]:
    """Decide as many independent conditions, on data with these true rates."""
    rng = np.random.default_rng(seed)
    sample = GateResampling(Bootstrap(200, seed=seed))
    tested = []
    for _ in range(metrics):
        shared = rng.gamma(4, 1 / 4, UTTERANCES)
        sides = terms(rng, base, shared), terms(rng, new, shared)
        tested.append(against_baseline(GatedRate.of(WER), *sides, margin, sample))
    return decide(tested, 0.05)


def test_largest_rates_by_hand() -> None:
    # 1 error in 12 words
    assert outcomes(max={"wer": 0.08}) == {"max wer=0.08": "failed"}
    assert outcomes(max={"wer": 1 / 12, "mer": 0.5}) == {
        "max wer=0.0833333": "passed", "max mer=0.5": "passed",
    }  # fmt: skip


def test_the_measured_rate_decides_and_its_interval_is_shown() -> None:
    found = misword.gate(REFS, NEW, max={"wer": 0.1})
    condition = found.conditions[0]
    assert found.passed
    assert condition.rate == pytest.approx(1 / 12)
    assert condition.high > condition.limit
    assert found.line == (
        "gate passed: wer 8.33 % (95 % interval 0.00 to 33.33), limit 10.00 %: passed"
    )


def test_an_undefined_rate_fails() -> None:
    found = misword.gate(["", ""], {"new": ["", ""], "base": ["", ""]},
                         max={"wer": 0.1}, no_worse="wer")  # fmt: skip
    assert [condition.outcome for condition in found.conditions] == ["failed", "failed"]
    assert "wer undefined, limit 10.00 %: failed, because the references are empty" in found.line


def test_too_few_utterances_are_undecided_and_fail_only_if_strict() -> None:
    systems = {"new": NEW, "base": BASE}
    found = misword.gate(REFS, systems, no_worse="wer", margin=0.002)
    assert found.conditions[0].difference == pytest.approx(-3 / 12)
    assert found.passed
    assert found.line.endswith("undecided, too few utterances (4)")
    assert not misword.gate(REFS, systems, no_worse="wer", margin=0.002, strict=True).passed


def test_systems_without_a_difference_pass() -> None:
    found = misword.gate(REFS, {"new": NEW, "base": list(NEW)}, no_worse="wer,cer", strict=True)
    assert found.passed
    assert "0.00 points, margin 0.00 points: passed, the same in all utterances" in found.line


def test_failed_conditions_come_first_in_the_line() -> None:
    found = misword.gate(REFS, NEW, max={"mer": 0.5, "wer": 0.01}, bootstrap=0)
    assert not found.passed
    assert repr(found).splitlines()[0] == f"GateResult: {found.line}"
    assert found.line == (
        "gate failed: wer 8.33 %, limit 1.00 %: failed (`misword score` REF NEW --report page.html "
        "shows the utterances); mer 8.33 %, limit 50.00 %: passed"
    )


def test_false_alarms_are_rare() -> None:
    """Three metrics of a system that is as good as the base: at most 5 % of gates fail."""
    runs = [simulated(seed, 0.15, 0.15, 0.0, metrics=3) for seed in range(300)]
    alarms = sum(any(c.outcome == "failed" for c in conditions) for conditions in runs)
    assert alarms <= 24  # binomial: 25 of 300 or more have probability 0.01 at 5 %


def test_at_the_margin_both_errors_are_rare() -> None:
    runs = [simulated(seed, 0.15, 0.17, 0.02)[0].outcome for seed in range(300)]
    assert runs.count("passed") <= 24
    assert runs.count("failed") <= 24


def test_clear_differences_are_decided() -> None:
    # The standard error of the difference is about 0.016.
    for seed in range(20):
        assert simulated(seed, 0.15, 0.35, 0.02)[0].outcome == "failed"
        assert simulated(seed, 0.15, 0.15, 0.18)[0].outcome == "passed"
        assert simulated(seed, 0.35, 0.15, 0.0)[0].outcome == "passed"


@given(st.integers(0, 10**6), st.floats(0.05, 0.3), st.floats(0.05, 0.3), st.floats(0, 0.05))
def test_a_rate_that_is_not_above_the_margin_never_fails(
    seed: int, base: float, new: float, margin: float
) -> None:
    condition = simulated(seed, base, new, margin)[0]
    if condition.difference <= margin:
        assert condition.outcome != "failed"
    else:
        assert condition.outcome != "passed"
    assert condition.baseline_rate + condition.difference == pytest.approx(condition.rate)
    assert condition.low <= condition.high


def test_more_conditions_need_more_evidence() -> None:
    tested = [Condition("no-worse", f"m{n}", "undecided", 0.1, 0.0, p_no_worse=0.03, p_worse=0.97)
              for n in range(2)]  # fmt: skip
    assert [c.outcome for c in decide(tested[:1], 0.05)] == ["passed"]
    assert [c.outcome for c in decide(tested, 0.05)] == ["undecided", "undecided"]
    assert decide(tested, 0.05)[0].p_no_worse == pytest.approx(0.06)


def test_blocks_are_the_units_of_the_test() -> None:
    refs, new, base = ["a b c d"] * 100, ["a b c d"] * 100, ["a b c x"] * 100
    meta = {"speaker": ["ann", "bo", "cy", "di"] * 25}
    systems = {"new": new, "base": base}
    plain = misword.gate(refs, systems, no_worse="wer", metadata=meta)
    assert plain.conditions[0].outcome == "passed"
    blocks = misword.gate(refs, systems, no_worse="wer", metadata=meta, block="speaker")
    assert blocks.conditions[0].outcome == "undecided"
    assert blocks.line.endswith("too few values of speaker (4)")


def test_metrics_of_a_preset_are_found_by_name() -> None:
    found = misword.gate(REFS, NEW, max={"wer": 0.1, "cer": 0.5}, preset="kaldi")
    assert found.scores.labels == ["wer:ties=kaldialign", "cer"]
    assert [c.metric for c in found.conditions] == ["wer:ties=kaldialign", "cer"]


def test_scores_can_be_checked() -> None:
    scores = misword.score(REFS, {"new": NEW, "base": BASE}, "wer,cer")
    found = misword.gate(scores, max={"cer": 0.5}, no_worse="wer")
    assert [condition.kind for condition in found.conditions] == ["max", "no-worse"]
    with pytest.raises(OptionError, match="the scores have no metric 'mer'"):
        misword.gate(scores, max={"mer": 0.5})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "the gate has no condition"),
        ({"max": {"wer": 8}}, r"the largest wer is 8\n.*0.08 for 8 %"),
        ({"max": {"wer": float("nan")}}, "the largest wer is nan"),
        ({"max": {"wre": 0.1}}, "wre"),
        ({"no_worse": "wer", "margin": -1}, "margin is -1"),
        ({"no_worse": "wer", "confidence": 95}, "confidence is 95"),
        ({"no_worse": "wer", "block": "speaker"}, "there is no metadata column 'speaker'"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        misword.gate(REFS, {"new": NEW, "base": BASE}, **options)


def test_a_base_is_needed_and_only_one() -> None:
    with pytest.raises(OptionError, match=r"no baseline to compare with\n.*REF NEW BASE"):
        misword.gate(REFS, NEW, no_worse="wer")
    with pytest.raises(OptionError, match="3 systems: a, b, c"):
        misword.gate(REFS, dict.fromkeys("abc", NEW), no_worse="wer")
    with pytest.raises(MismatchError, match="4 references, 3 hypotheses"):
        misword.gate(REFS, NEW[:3], max={"wer": 0.1})


def test_rows_have_null_instead_of_nan() -> None:
    row = misword.gate(REFS, NEW, max={"wer": 0.1}, bootstrap=0).conditions[0].row()
    assert (row["low"], row["baseline_rate"], row["reason"]) == (None, None, "")
    assert not any(isinstance(value, float) and isnan(value) for value in row.values())
