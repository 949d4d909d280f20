"""The cells of Tables 5 to 10 of Le et al. 2016, for their development set."""

from __future__ import annotations

from typing import Literal

METRICS = ("wer", "wer-e", "wer-s")
SCORES = ("ter", "bleu", "meteor")
TITLES = {
    "wer": "WER", "wer-e": "WER-E", "wer-s": "WER-S",
    "ter": "TER", "bleu": "BLEU", "chrf": "chrF", "meteor": "METEOR",
}  # fmt: skip
BETTER: dict[str, Literal["lower", "higher"]] = {
    "ter": "lower", "bleu": "higher", "chrf": "higher", "meteor": "higher",
}  # fmt: skip

TABLE_5_WER = 21.92
TABLE_6 = {
    "wer": (21.92, 12.01, 12.16, 12.15),
    "wer-e": (18.10, 10.45, 9.98, 10.04),
    "wer-s": (17.41, 10.19, 9.79, 9.75),
}
TABLE_7 = {
    "ter": (0.732, 0.767, 0.773),
    "bleu": (-0.677, -0.708, -0.710),
    "meteor": (-0.753, -0.799, -0.797),
}
TABLE_8 = {
    "ter": (55.64, 50.62, 50.52, 50.45),
    "bleu": (30.81, 35.29, 35.37, 35.41),
    "meteor": (34.02, 36.37, 36.42, 36.44),
}
# Utterances whose translation is better with the choice by WER-E, with that by WER, and equal ones.
TABLE_9 = {"ter": (255, 190, 2198), "bleu": (310, 271, 2062), "meteor": (321, 315, 2007)}
# The recogniser tuned by WER, and tuned by WER-E.
TABLE_10 = {"ter": (55.64, 55.52), "bleu": (30.81, 30.84), "meteor": (34.02, 34.00)}
