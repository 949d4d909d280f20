"""Words of scripts without spaces, grapheme clusters, and marks: what equals what."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from extras import needs
from misword.core.errors import MissingExtraError, OptionError
from misword.text.segmenters import SEGMENTERS, graphemes

CUT = [
    ("我今天很好", "我|今|天|很|好"),
    ("東京タワーへ行く", "東|京|タ|ワ|ー|へ|行|く"),
    ("ガギ", "ガ|ギ"),  # decomposed and half-width marks stay with their letter
    ("ｶﾞｷﾞ", "ｶﾞ|ｷﾞ"),
    ("นี้ดี", "นี้|ดี"),
    ("ລາວ", "ລ|າ|ວ"),
    ("ខ្មែរ", "ខ្|មែ|រ"),
    ("មួយ\u200bពីរ", "មួ|យ|ពី|រ"),
    ("မြန်", "မြ|န်"),
    ("我用Python3 写code", "我|用|Python3|写|code"),
    ("你好，Anna。", "你|好|，|Anna|。"),
    ("๒๐ บาท", "๒๐|บ|า|ท"),
    ("한국어 텍스트", "한국어|텍스트"),
    ("l'été naïve don't", "l'été|naïve|don't"),
    ("col·legi", "col·legi"),
    ("अच्छा है", "अच्छा|है"),
    ("", ""),
]
# Two texts, the normalizers, and whether they are equal.
EQUAL = [
    ("\u0958", "\u0915\u093c", "nfc", True),  # Devanagari qa: one code point, or ka and nukta
    ("\u09cb", "\u09c7\u09be", "nfc", True),  # the Bengali vowel o: one sign, or two
    ("\u0bca", "\u0bc6\u0bbe", "nfc", True),  # the Tamil vowel o
    ("\u0d7b", "\u0d28\u0d4d\u200d", "nfc", False),  # a Malayalam chillu, or its old spelling
    ("\u0915\u094d\u200d\u0937", "\u0915\u094d\u0937", "nfc", False),  # a joiner is a character
    ("\u0623", "\u0627\u0654", "nfc", True),  # alef with hamza above
    ("\u0628\u064e\u0651", "\u0628\u0651\u064e", "nfc", True),  # shadda and fatha in any order
    ("كَتَبَ", "كتب", "nfc", False),
    ("كَتَبَ", "كتب", "noharakat", True),
    ("كـتب", "كتب", "noharakat", True),
    ("أب", "اب", "nfc,noharakat", False),
    ("\ufefb", "\u0644\u0627", "nfc", False),  # the ligature lam-alef
    ("\ufefb", "\u0644\u0627", "nfkc", True),
    ("ｶﾞ", "ガ", "nfc", False),
    ("ｶﾞ", "ガ", "nfkc", True),
    ("\u0e4d\u0e32", "\u0e33", "nfc", False),  # Thai sara am in two signs
    ("\u0e4d\u0e32", "\u0e33", "nfkc", True),  # NFKC writes sara am as two signs
]


@pytest.mark.parametrize(("text", "words"), CUT)
def test_auto_cuts_by_script(text: str, words: str) -> None:
    assert SEGMENTERS.create("auto").cut(text) == [word for word in words.split("|") if word]


@given(st.text("我ー。ก้ី្ក aé3１\u200b\u3000", max_size=12))
def test_cutting_loses_nothing_but_separators(text: str) -> None:
    cut = SEGMENTERS.create("auto").cut(text)
    assert "".join(cut) == "".join(text.replace("\u200b", " ").split())
    assert all(cut)


@pytest.mark.parametrize(("left", "right", "normalize", "equal"), EQUAL)
def test_marks(left: str, right: str, normalize: str, equal: bool) -> None:
    assert (misword.wer([left], [right], normalize=normalize) == 0) is equal


@pytest.mark.parametrize(
    ("text", "clusters"),
    [("e\u0301a", 2), ("👩\u200d👩\u200d👧", 1), ("🇫🇷🇩🇪", 2), ("각", 1), ("நி", 1), ("ที่", 1)],
)
def test_grapheme_clusters(text: str, clusters: int) -> None:
    assert len(graphemes(text)) == clusters


def test_the_mixed_error_rate_is_that_of_jiwer_over_the_same_units() -> None:
    import jiwer

    reference, hypothesis = "我用 Python写代码", "我 用Python 写带马 ok"
    auto = SEGMENTERS.create("auto")
    ours, theirs = " ".join(auto.cut(reference)), " ".join(auto.cut(hypothesis))
    scores = misword.score(
        [reference], [hypothesis], "wer:words=auto,mer:words=auto,wil:words=auto"
    )
    assert scores["wer:words=auto"] == jiwer.wer(ours, theirs) == 3 / 6
    assert scores["wil:words=auto"] == pytest.approx(jiwer.wil(ours, theirs))


def test_grapheme_error_rate_by_hand() -> None:
    """One of three clusters differs, or one of seven code points; the space is one of them."""
    scores = misword.score(["ที่ นี่"], ["ที่ นี้"], "cer,cer:unit=grapheme,cer:unit=grapheme,spaces=false")
    assert scores["cer"] == 1 / 7
    assert scores["cer:unit=grapheme"] == 1 / 3
    assert scores["cer:unit=grapheme,spaces=false"] == 1 / 2


def test_signatures_name_the_rule() -> None:
    scores = misword.score(["我"], ["我"], "wer,wer:words=auto,cer:unit=grapheme")
    plain, auto, cluster = (dict(column.signature.settings) for column in scores.columns)
    assert plain["words"] == "whitespace"
    assert auto["words"].startswith("auto/regex-")
    assert cluster["unit"].startswith("grapheme/regex-")


def test_a_note_says_that_there_are_no_spaces() -> None:
    text = ["今天天气很好我们去公园玩"]
    assert any("wer:words=auto" in note for note in misword.score(text, text).notes)
    assert not misword.score(text, text, "wer:words=auto,cer").notes
    assert not misword.score(["今天 天气 很好 我们"], ["今天 天气 很好 我们"]).notes


def test_unknown_words_and_merged_compounds_are_refused() -> None:
    with pytest.raises(OptionError, match="unknown segmenter 'none'"):
        misword.score(["a"], ["a"], "wer:words=none")
    with pytest.raises(OptionError, match="compounds=merge cannot be used with words=auto"):
        misword.score(["a"], ["a"], "wer:words=auto,compounds=merge")


def test_a_missing_segmenter_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("misword.core.parts.find_spec", lambda module: None)
    with pytest.raises(MissingExtraError, match=r"misword\[segmenters\]"):
        misword.score(["我"], ["我"], "wer:words=jieba")


@needs("rjieba")
def test_jieba_finds_chinese_words() -> None:
    cut = SEGMENTERS.create("jieba").cut("我在北京大学学习Python编程")
    assert cut == ["我", "在", "北京大学", "学习", "Python", "编程"]


@needs("pythainlp")
def test_newmm_finds_thai_words() -> None:
    assert SEGMENTERS.create("newmm").cut("ฉันรักภาษาไทย OK好") == ["ฉัน", "รัก", "ภาษาไทย", "OK", "好"]
