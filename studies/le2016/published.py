"""The cells of Tables 4 to 10 of Le et al. 2016; from Table 5 on for their development set."""

from __future__ import annotations

from typing import Literal, NamedTuple

METRICS = ("wer", "wer-e", "wer-s")
SCORES = ("ter", "bleu", "meteor")
TITLES = {
    "wer": "WER", "wer-e": "WER-E", "wer-s": "WER-S",
    "ter": "TER", "bleu": "BLEU", "chrf": "chrF", "meteor": "METEOR",
}  # fmt: skip
BETTER: dict[str, Literal["lower", "higher"]] = {
    "ter": "lower", "bleu": "higher", "chrf": "higher", "meteor": "higher",
}  # fmt: skip

CONTENTS = {
    "Table 1": "alignment of the running example by WER",
    "Table 2": "the same priced by WER-E",
    "Table 3": "the same aligned and priced by WER-S",
    "Table 4": "two examples with translations",
    "Table 5": "WER of the recogniser; TER, BLEU and METEOR of translations",
    "Table 6": "lowest rates of N-best lists by each metric",
    "Table 7": "correlation of metrics with translation scores",
    "Table 8": "translation scores of the oracles' choices",
    "Table 9": "sentences that translate better",
    "Table 10": "recogniser tuned by WER and by WER-E",
}


class Example(NamedTuple):
    """A hypothesis of Table 4: WER, WER-E, WER-S; TER, BLEU, METEOR of its translation."""

    system: str
    reference: str
    hypothesis: str
    rates: tuple[float, float, float]
    translation_reference: str
    translation: str
    scores: tuple[float, ...]


_FIRST = (
    "ce serait intéressant de voir un ordinateur présentant ce même système",
    "it would be interesting to see a computer with this same system",
)
_SECOND = (
    "en bref ils craignent que tous les sacrifices entrepris pour stabiliser les prix aient été "
    "vains",
    "in short they fear that all the sacrifices made to stabilize prices have been fruitless",
)
# The translation of the last hypothesis is not in the text of the paper that is here.
TABLE_4 = (
    Example(
        "OptWER", _FIRST[0],
        "ce sera intéressant de voir un ordinateur présentant ce même système",
        (9.09, 2.43, 2.43), _FIRST[1],
        "this will be interesting to see a computer with the same system", (33.33, 62.63, 49.33),
    ),
    Example(
        "OptWER-E", _FIRST[0], _FIRST[0], (0.0, 0.0, 0.0), _FIRST[1],
        "it would be interesting to see a computer with the same system", (16.67, 79.11, 92.73),
    ),
    Example(
        "OptWER", _SECOND[0],
        "en bref il craignait que tous les sacrifices ces entreprises pour stabiliser les prix et "
        "était vingt",
        (43.75, 34.65, 33.26), _SECOND[1],
        "in short it feared that all the sacrifices these companies to stabilise prices and was 20",
        (60.00, 26.22, 34.84),
    ),
    Example(
        "OptWER-E", _SECOND[0],
        "en bref ils craignent que tous les sacrifices ces entreprises pour stabiliser les prix et "
        "était vingt",
        (31.25, 26.80, 25.41), _SECOND[1], "", (),
    ),
)  # fmt: skip

# TER, BLEU and METEOR of the translation of the references, and of the recogniser's output.
TABLE_5 = {"ter": (38.84, 55.64), "bleu": (43.05, 30.81), "meteor": (40.73, 34.02)}
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
