"""Each planted mistake is found by its check, where it is; sound data has no finding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
import pytest

import misword
from misword.asr.checking.check import CheckResult
from misword.asr.checks import CHECKS
from planted import (
    DEMO,
    Plant,
    Texts,
    as_cp1252,
    as_subwords,
    copied,
    decomposed,
    demo,
    duplicate_block,
    duplicate_lines,
    emptied,
    every,
    first_half,
    in_cyrillic,
    inserted,
    nearly_duplicate,
    removed,
    shuffled,
    swapped,
    with_homoglyphs,
)

LANGUAGES = ("en", "fr")
# The mistake, the check that must find it, and the severity.
PLANTS: dict[str, tuple[Plant, str, str]] = {
    "a line removed": (removed(40), "shifts", "error"),
    "three lines inserted": (inserted(50, 3), "shifts", "error"),
    "two lines removed": (removed(60, 2), "shifts", "error"),
    "blocks swapped": (swapped(31, 51, 66), "shifts", "error"),
    "end missing": (lambda t: Texts(t.references, t.hypotheses[:-2]), "shifts", "error"),
    "order lost": (shuffled, "pairing", "error"),
    "cut off": (every(6, first_half), "lengths", "warning"),
    "empty": (emptied(20, 32), "empty", "warning"),
    "a duplicate block": (duplicate_block(20, 60), "duplicate", "warning"),
    "nearly duplicate lines": (nearly_duplicate(8), "duplicate", "note"),
    "capitals": (every(1, str.upper), "case", "warning"),
    "some capitals": (every(9, str.upper), "case", "warning"),
    "punctuation": (every(1, lambda text: text.replace(" the ", ", the ") + "."), "punctuation",
                    "warning"),
    "subwords": (every(1, as_subwords), "tokenisation", "error"),
    "cyrillic lines": (every(12, in_cyrillic), "script", "warning"),
    "cyrillic": (every(1, in_cyrillic), "script", "error"),
    "homoglyphs": (every(10, with_homoglyphs), "script", "warning"),
    "escaped": (every(10, lambda text: f"{text} &amp; so"), "mojibake", "warning"),
    "lost": (every(10, lambda text: text.replace("e", "\ufffd")), "mojibake", "error"),
    "loop": (every(9, lambda text: text + " and then" * 9), "repeated", "warning"),
    "never said": (every(9, lambda _: "thank you for watching this video"), "repeated", "warning"),
}  # fmt: skip
ONLY_ENGLISH: dict[str, tuple[Plant, str, str]] = {
    "copied": (copied(60, 190), "copied", "warning"),
    "duplicate lines": (duplicate_lines(8), "duplicate", "warning"),
}
ONLY_FRENCH: dict[str, tuple[Plant, str, str]] = {
    "question marks": (
        every(2, lambda text: "".join(c if c.isascii() else "?" for c in text)),
        "mojibake",
        "warning",
    ),
    "mojibake": (every(4, as_cp1252), "mojibake", "error"),
    "few mojibake": (every(25, as_cp1252), "mojibake", "warning"),
    "decomposed": (every(2, decomposed), "characters", "note"),
    "apostrophes": (every(1, lambda text: text.replace("'", "’")), "characters", "warning"),
    "divided": (every(1, lambda text: text.replace("'", "' ")), "tokenisation", "warning"),
}
CASES = [
    (lang, name, *plant)
    for lang in LANGUAGES
    for name, plant in {**PLANTS, **(ONLY_ENGLISH if lang == "en" else ONLY_FRENCH)}.items()
]


def serious(found: CheckResult) -> list[tuple[str, str]]:
    """The checks and messages of errors and warnings."""
    return [(f.check, f.message) for f in found.findings if f.severity != "note"]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_sound_data_has_no_finding(lang: str) -> None:
    found = misword.check(*demo(lang), lang=lang)
    assert found.is_sound
    # The French recogniser repeats a syllable over and over in two lines.
    assert [f.check for f in found.findings] == ([] if lang == "en" else ["repeated"])


@pytest.mark.parametrize(("lang", "name", "plant", "check", "severity"), CASES,
                         ids=[f"{case[0]}-{case[1]}" for case in CASES])  # fmt: skip
def test_planted_mistakes_are_found(
    lang: str, name: str, plant: Plant, check: str, severity: str
) -> None:
    found = misword.check(*plant(demo(lang)), lang=lang)
    assert (check, severity) in [(f.check, f.severity) for f in found.findings], found
    # Nothing else is blamed: a mistake has one name.
    others = [other for other in serious(found) if other[0] != check]
    assert not others, others


@pytest.mark.parametrize(
    ("plant", "first", "last", "offset"),
    [(removed(40), 40, 209, -1), (inserted(50, 3), 53, 213, 3), (removed(60, 2), 60, 208, -2)],
)
def test_the_place_of_a_shift(plant: Plant, first: int, last: int, offset: int) -> None:
    (shift,) = misword.check(*plant(demo("en")), checks="shifts").findings
    assert abs(shift.first - first) <= 5
    assert abs(shift.last - last) <= 5
    assert f"{abs(offset)} line" in shift.message
    assert ("late" if offset > 0 else "early") in shift.message


def test_a_shift_of_all_systems_is_one_of_the_references() -> None:
    refs, hyps = demo("en")
    found = misword.check([*refs[:50], *refs[51:]], {"a": hyps, "b": list(hyps)}, checks="shifts")
    assert {f.side for f in found.findings} == {"reference"}
    assert "early" in found.findings[0].message


def test_other_language() -> None:
    english, french = demo("en"), demo("fr")
    swapped_in = [*english.hypotheses]
    swapped_in[30:42] = french.hypotheses[30:42]
    (found,) = misword.check(english.references, swapped_in, checks="language").findings
    assert (found.severity, found.first >= 31, found.last <= 42) == ("warning", True, True)
    assert found.count >= 5
    (found,) = misword.check(french.references, english.hypotheses, checks="language").findings
    assert (found.severity, found.side) == ("error", "hypothesis")
    (found,) = misword.check(french.references, checks="language", lang="en").findings
    assert (found.severity, found.side) == ("error", "reference")


def test_untranslated_lines() -> None:
    french = demo("fr")
    # Not a translation, but text of another language that is as long.
    english = [" ".join(text.split()[::-1]) for text in demo("en").references[: len(french[0])]]
    arguments: dict[str, Any] = {"hypotheses": french.hypotheses, "checks": "untranslated"}
    sound = misword.check(french.references, translations=english, **arguments)
    assert sound.findings == ()
    english[10:20] = french.hypotheses[10:20]
    (found,) = misword.check(french.references, translations=english, **arguments).findings
    assert (found.severity, found.side, found.first, found.last) == (
        "warning", "translation", 11, 20
    )  # fmt: skip


def test_training_data() -> None:
    refs, hyps = demo("en")
    long = [text for text in refs if len(text.split()) >= 4]
    train = ["something else altogether here", *(text.upper() + "." for text in long[10:30])]
    (found,) = misword.check(refs, hyps, training=train, checks="training").findings
    assert (found.severity, found.count) == ("warning", 20)
    assert not misword.check(refs, hyps, training=train[:1], checks="training").findings


def test_a_lexicon_as_training_data() -> None:
    words = ["cat", "dog", "house", "tree", "sea", "sky", "sun", "rain", "wind", "snow"]
    (found,) = misword.check(words, words, training=words[:6], checks="training").findings
    assert found.count == 6


def test_numbers() -> None:
    refs = [f"we have {word} dogs and a cat" for word in ("two", "three", "four", "five")] * 10
    hyps = [f"we have {number} dogs and a cat" for number in (2, 3, 4, 5)] * 10
    (found,) = misword.check(refs, hyps, checks="numbers").findings
    assert (found.side, found.evidence["words with digits"]) == ("hypothesis", 40)
    assert not misword.check(hyps, hyps, checks="numbers").findings


def test_texts_cut_at_a_limit() -> None:
    refs, hyps = demo("en")
    limit = sorted(map(len, refs))[len(refs) // 2]
    found = misword.check(refs, [text[:limit].rsplit(" ", 1)[0] for text in hyps], checks="lengths")
    assert [f.severity for f in found.findings] == ["warning"]
    assert "all long texts end" in found.findings[0].message


@pytest.mark.parametrize("sign", ["ﬁ", "ａ", "\u200b", "\u00ad"])
def test_characters_that_one_side_has(sign: str) -> None:
    refs, hyps = demo("en")
    changed = [f"{text}{sign}" if row % 9 == 0 else text for row, text in enumerate(hyps)]
    (found,) = misword.check(refs, changed, checks="characters").findings
    assert found.severity == "warning"
    assert not misword.check(changed, changed, checks="characters").findings


def test_separate_punctuation() -> None:
    refs = ["Well, we go. You stay!", "No, not now. Why?"] * 20
    hyps = ["Well , we go . You stay !", "No , not now . Why ?"] * 20
    (found,) = misword.check(refs, hyps, checks="tokenisation").findings
    assert "punctuation" in found.message


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("size", [1, 2, 5, 30])
def test_small_texts(lang: str, size: int) -> None:
    texts = demo(lang)
    found = misword.check(texts.references[:size], texts.hypotheses[:size], lang=lang)
    assert not serious(found)


@pytest.mark.parametrize("texts", [[], [""], ["", ""], ["a"], ["?"] * 30, ["\x00"]])
@pytest.mark.parametrize("others", [[""], ["b b"] * 3, ["é"] * 30])
def test_odd_texts(texts: Sequence[str], others: Sequence[str]) -> None:
    found = misword.check(texts, others, translations=texts, translation_references=others)
    assert len(found.result().tables["findings"]) == len(found.findings)


@pytest.mark.parametrize("name", CHECKS.names())
def test_each_check_alone(name: str) -> None:
    found = misword.check(*demo("en"), checks=name)
    assert (found.findings, list(found.checks)) == ((), [name])


def test_a_text_that_is_there_three_times() -> None:
    """Copies of copies are one finding."""
    refs, hyps = (side[:60] * 3 for side in demo("en"))
    found = misword.check(refs, hyps, checks="duplicate").findings
    assert [(f.severity, f.first, f.last) for f in found] == [("warning", 61, 180)]


def test_a_sentence_that_several_people_read_is_a_note() -> None:
    refs, hyps = demo("en")
    pocketsphinx = pl.read_csv(DEMO / "en" / "pocketsphinx.csv")["text"].to_list()
    found = misword.check([*refs, *refs], [*hyps, *pocketsphinx], checks="duplicate").findings
    assert [f.severity for f in found] == ["note"]
    assert "--block" in found[0].message


def test_memorised_references() -> None:
    """Misspellings of the references that the hypotheses have too."""
    refs, hyps = demo("en")
    vocabulary = sorted({word for text in (*refs, *hyps) for word in text.lower().split()})
    vectors = misword.WordVectors.of(vocabulary, np.eye(len(vocabulary), 2) + 1)

    def misspelt(texts: list[str]) -> list[str]:
        return [text.replace("ing", "ign").replace("tion", "toin") for text in texts]

    def found(hypotheses: list[str]) -> list[str]:
        result = misword.check(misspelt(refs), hypotheses, vectors=vectors, checks="memorised")
        return [finding.severity for finding in result.findings]

    noisy = [text.replace("and", "end").replace("e", "a") for text in hyps]
    knowing = [
        " ".join([text, *(word for word in ref.split() if "ign" in word or "toin" in word)])
        for text, ref in zip(noisy, misspelt(refs), strict=True)
    ]
    assert found(knowing) == ["warning"]
    assert found(noisy) == []
    assert found(hyps) == []


def test_common_sentences_are_not_duplicate_utterances() -> None:
    """People say the same sentences in conversations, and recognisers get them right."""
    refs, hyps = demo("en")
    common = ["yeah i know what you mean", "i do not know about that"] * 3
    found = misword.check([*refs, *common], [*hyps, *common])
    assert serious(found) == []


CHINESE = [
    "今天天气很好我们去公园散步",
    "他昨天在图书馆看了一整天的书",
    "这家饭店的菜味道真不错",
    "请问去火车站怎么走",
    "我的朋友下个月要来北京旅游",
    "老师让我们写一篇关于家乡的文章",
    "妈妈做的饺子非常好吃",
    "他每天早上六点起床跑步",
]


def test_text_without_spaces() -> None:
    refs = [f"{text}，对吗？" for text in CHINESE] * 5 + ["好的", "对", "没问题", "谢谢你"] * 10
    refs = [f"{text}{row}" if row < 40 else text for row, text in enumerate(refs)]
    hyps = [text.replace("，", "").replace("很", "狠") for text in refs]
    assert serious(misword.check(refs, hyps)) == []
