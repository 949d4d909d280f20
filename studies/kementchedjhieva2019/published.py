"""Numbers that Kementchedjhieva et al. 2019 print. The appendix with Tables 4 and 5 is not here."""

from __future__ import annotations

from typing import NamedTuple

CONTENTS = {
    "Figure 1": "precision by part of speech",
    "Table 1": "the same with vectors of other corpora",
    "Figure 2": "differences from MUSE-S before and after cleaning",
    "Table 2": "example translations, English to Bulgarian",
    "Table 4": "rates of all systems (appendix)",
    "Table 5": "further example translations (appendix)",
}
NO_APPENDIX = "the appendix is not here"

# Shares of headwords in percent: means over five dictionaries into English.
COMPOSITION = {"n": 49.6, "pn": 24.9, "v": 12.5, "a": 12.9}
TITLES = {
    "n": "nouns",
    "v": "verbs",
    "a": "adjectives, adverbs",
    "pn": "proper nouns",
    "o": "others",
    "nw": "invalid",
}
# Table 1: P@1 of RCSLS, German to English, with two sets of vectors.
TABLE_1 = {
    "Wikipedia": {"n": 69.0, "v": 57.9, "a": 66.4, "pn": 83.0},
    "mixed corpora": {"n": 64.0, "v": 55.5, "a": 59.4, "pn": 37.6},
}
# Figure 1, as the text describes it: German, P@1 of proper nouns above that of the others.
GERMAN_NAMES_MARGIN = 15
ENGLISH_GERMAN_NAMES = 384

# Section 4: English to Bulgarian.
DICTIONARY_SIZE = 1125
FIRST_ONLY, SECOND_ONLY = 125, 50  # right by RCSLS alone, by VecMap-S alone
# Of the 125: VecMap-S gave another form, a missing synonym or sense, or was wrong.
OTHER_FORM, MISSING, WRONG = 54, 19, 27
SECOND_ONLY_WRONG = 50  # percent of the 50 in which RCSLS was wrong
PRINTED_MARGIN, PRINTED_CORRECTED = 6.67, 0.1


class Example(NamedTuple):
    """A row of Table 2: the gold targets, and the answers of RCSLS and VecMap-S."""

    letter: str
    source: str
    targets: tuple[str, ...]
    rcsls: str
    vecmap: str
    description: str


TABLE_2 = (
    Example("A", "joke", ("шега", "лаф", "виц"), "шега", "шегата", "definite form missing"),
    Example("B", "remembered", ("запомнен",), "запомнен", "запомнена", "feminine form missing"),
    Example("C", "hide", ("скриване",), "скриване", "скриват", "hide as a verb and as a noun"),
    Example("D", "bench", ("пейка", "пейката"), "пейка", "скамейка", "synonym missing"),
    Example("E", "depot", ("депо",), "депо", "гара", "VecMap-S is wrong"),
    Example("F", "crowned", ("коронован",), "коронована", "коронован", "feminine form missing"),
    Example("G", "pond", ("езерце",), "къщичка", "езерце", "RCSLS is wrong"),
    Example("H", "grants", ("субсидии",), "стипендии", "стипендии", "synonym missing"),
    Example("I", "armies", ("армии",), "армиите", "армиите", "definite form missing"),
)
