"""The headline of each kind of result."""

from __future__ import annotations

from typing import Any

import pytest

from misword.report.kinds import headline
from results_made import agreement, comparison, correlation, difference, robustness, scores, summary

ROUX = {
    "wer": -0.143, "cer": -0.102, "dposer": -0.143, "uposer": -0.117, "ler": -0.158,
    "lcer": -0.088, "semdist": -0.09, "bertscore": -0.081, "ember": -0.125,
}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (
            [difference(name, gain, 0.0001) for name, gain in ROUX.items()],
            "rescored is better than base on all 9 metrics; WER -14.3 % (p < 0.001); semantics "
            "gain least (-9.9 %).",
        ),
        (
            [difference("wer", -0.1, 0.01), difference("cer", -0.01, 0.3)],
            "rescored is better than base on 1 of 2 metrics; WER -10.0 % (p = 0.010); no "
            "difference can be shown on CER.",
        ),
        (
            [difference("wer", -0.01, 0.05), difference("cer", -0.1, 0.049)],
            "rescored is better than base on 1 of 2 metrics; WER -1.0 % (not distinguishable, "
            "p = 0.050).",
        ),
        (
            [difference("wer", 0.2, 0.002)],
            "rescored is worse than base on WER; WER +20.0 % (p = 0.002).",
        ),
        (
            [difference("wer", -0.2, 0.002), difference("cer", 0.3, 0.002)],
            "rescored is better than base on 1 of 2 metrics and worse on CER; WER -20.0 % "
            "(p = 0.002).",
        ),
        (
            [difference("wer", 0.0, 1.0), difference("cer", 0.0, 1.0)],
            "rescored and base cannot be told apart on any of the 2 metrics; WER 0.0 % "
            "(p = 1.000).",
        ),
        (
            [difference("wer", -0.1, None)],
            "rescored has a lower rate than base on 1 of 1 metric; WER -10.0 %; no test was made.",
        ),
        (
            [difference("wer", None, 0.02, rate=0.01, baseline_rate=0.0, difference=0.01)],
            "rescored is worse than base on WER; WER 0.00 % before, 1.00 % now (p = 0.020).",
        ),
        (
            [difference("wer", -0.1, 0.001, p_blocks_holm=0.2)],
            "rescored and base cannot be told apart on WER; WER -10.0 % (p = 0.200).",
        ),
    ],
)  # fmt: skip
def test_headline_of_two_systems(rows: list[dict[str, Any]], sentence: str) -> None:
    assert headline(comparison(rows)) == sentence


def test_headline_of_three_systems() -> None:
    rows = [
        difference("wer", -0.1, 0.01, system="b"),
        difference("wer", -0.2, 0.3, system="c"),
        difference("cer", -0.1, 0.01, system="b"),
        difference("cer", -0.2, 0.01, system="c"),
    ]
    assert headline(comparison(rows)) == (
        "c has the lowest rate on both metrics; against base: c WER -20.0 % (not distinguishable, "
        "p = 0.300), b WER -10.0 % (p = 0.010); the others were not tested against each other "
        "(--all-pairs does)."
    )
    worse = [difference("wer", gain, 0.5, system=name) for name, gain in (("b", 0.1), ("c", 0.2))]
    assert headline(comparison(worse)).startswith(
        "base, b and c lead on WER (20.0 to 24.0 %); no test tells them apart; "
        "base has the lowest rate on WER; against base: b"
    )
    same = [difference("wer", 0.0, 1.0, system=name) for name in "bc"]
    assert headline(comparison(same)).startswith("base, b and c lead on WER (20.0 %); no test")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([summary()], "WER 14.2 % (95 % interval 13.1 to 15.4) on 2,643 utterances."),
        (
            [summary(metric="cer", rate=0.05), summary()],
            "WER 14.2 % (95 % interval 13.1 to 15.4) on 2,643 utterances; CER 5.0 %.",
        ),
        ([summary(low=None, high=None)], "WER 14.2 % on 2,643 utterances."),
        (
            [summary(rate=None, low=None, high=None, utterances=1)],
            "WER is undefined on 1 utterance: there is nothing to get right.",
        ),
        (
            [summary(), summary(system="b", rate=0.1)],
            "b has the lowest WER: 10.0 % (95 % interval 13.1 to 15.4), against 14.2 % of a, on "
            "2,643 utterances; the difference was not tested.",
        ),
        (
            [
                {"system": "a", "noise": n, **summary(rate=r)}
                for n, r in (("no", 0.1), ("yes", 0.3))
            ],
            "WER from 10.0 % (noise no) to 30.0 % (noise yes) in 2 groups.",
        ),
    ],
)
def test_headline_of_scores(rows: list[dict[str, Any]], sentence: str) -> None:
    assert headline(scores(rows)) == sentence


def test_headline_of_scores_names_the_confidence() -> None:
    assert "(90 % interval" in headline(scores([summary()], options={"confidence": 0.9}))


def test_headline_of_correlation_and_agreement() -> None:
    assert headline(correlation()) == (
        "WER and CER are most alike (Pearson 0.90); SemDist is least like the others (0.60 on "
        "average); SemDist best follows BLEU: Pearson -0.70 (95 % interval -0.80 to -0.30) over 3 "
        "blocks."
    )
    near = {"wer": (0.6, 0.5, 0.7), "cer": (0.75, 0.69, 0.8), "per": (0.5, 0.4, 0.6)}
    assert headline(agreement(near)) == (
        "CER chooses as people do most often: 75.0 % (95 % interval 69.0 to 80.0) of 189 triplets "
        "(consensus 100 %); WER has an interval that overlaps with its own."
    )
    assert headline(agreement({"wer": (0.6, 0.5, 0.7)})).startswith(
        "WER chooses as people do in 60.0"
    )


def test_robustness_names_the_encoder_that_loses_most() -> None:
    assert headline(robustness(("mean", "usif"))) == (
        "At 30 % WER mean loses most: 13 % (95 % interval 5 to 30) of its correlation with "
        "people's scores (Pearson x 100 70.0 without noise, 61.0 with it); uSIF loses least (12 %, "
        "the intervals overlap) and follows people's scores best (66.0)."
    )
    assert headline(robustness(("sif",), ratio_low=None)) == (
        "At 30 % WER SIF loses 13 % of its correlation with people's scores (Pearson x 100 70.0 "
        "without noise, 61.0 with it)."
    )
    same = headline(robustness(("mean", "sif"), ratio=0.8))
    assert "mean loses as much as any: 20 %" in same
    assert same.endswith("; SIF follows people's scores best (66.0).")
    assert headline(robustness(("mean", "sif"), ratio=1.1)) == (
        "At 30 % WER no encoder loses any of its correlation with people's scores."
    )
    clean = robustness(("mean", "sif"), wer=0.0)
    assert headline(clean) == "At 0 % WER SIF follows people's scores best: Pearson x 100 75.0."
    unknown = robustness(("mean",), ratio=None)
    assert headline(unknown) == "At 30 % WER mean follows people's scores: Pearson x 100 61.0."
