"""Fillers and tags that may be left out, and words that may not."""

from __future__ import annotations

import pytest

from misword.text.writing.disfluent_words import Fillers

FILLERS = """
    uh um uhm umm uhh er erm hmm hm mm mhm mmm ah ahh eh huh uh-huh mm-hmm Um, UH uh- [noise]
    [laughter] <laugh> (laughter) (applause). {cough} <noise/> <inaudible> %hesitation [NOISE]
    [/noise] <sil>
"""
WORDS = """
    like so well oh okay yeah no uh-uh ER ER, MM MM. EM em m r her hum err aha a I <unk> [unk]
    (word) (or) noise laughter [Smith] <b> - 5 % %5
"""


def optional(word: str, lang: str = "en") -> bool:
    return Fillers().optional([word], lang)[0]


@pytest.mark.parametrize("word", FILLERS.split())
def test_fillers(word: str) -> None:
    assert optional(word)


@pytest.mark.parametrize("word", WORDS.split())
def test_words(word: str) -> None:
    assert not optional(word)


@pytest.mark.parametrize(
    ("lang", "filler", "word"),
    [
        ("de", "ähm", "um"),
        ("de", "äh", "er"),
        ("fr", "euh", "ah"),
        ("es", "eh", "er"),
        ("nl", "uh", "er"),
        ("xx", "hmm", "um"),
        ("", "euh", "er"),
    ],
)
def test_fillers_of_other_languages(lang: str, filler: str, word: str) -> None:
    assert optional(filler, lang)
    assert not optional(word, lang)
