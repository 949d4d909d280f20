"""`misword.wer` and `misword.cer`: the numbers of `misword.score`, as one number."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.asr import single_rates
from misword.core.errors import InputError, MismatchError, MiswordError, OptionError

WORDS = st.lists(st.sampled_from(["a", "b", "cd"]), min_size=1, max_size=6).map(" ".join)
PAIRS = st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5)


def test_rates_by_hand() -> None:
    assert misword.wer(["a b c", "d"], ["a x", "d"]) == 2 / 4
    assert misword.cer(["abc", "d"], ["abx", "d"]) == 1 / 4
    assert misword.wer("a", "b c") == 2


@given(PAIRS)
def test_rates_are_those_of_jiwer_and_of_score(pairs: list[tuple[str, str]]) -> None:
    import jiwer

    references, hypotheses = map(list, zip(*pairs, strict=True))
    scores = misword.score(references, hypotheses)
    assert misword.wer(references, hypotheses) == scores["wer"]
    assert misword.cer(references, hypotheses) == scores["cer"]
    assert scores["wer"] == pytest.approx(jiwer.wer(references, hypotheses))


# Pieces of texts that the direct way must read as `score` does, or leave to it: white space of all
# kinds, characters in two encodings, marks without a letter, other scripts, alternatives, emoji.
PIECES = st.sampled_from(
    [
        *(
            "a",
            "b",
            "ab",
            "cd",
            " ",
            "  ",
            "\t",
            "\n",
            "\u00a0",
            "\u2003",
            "\u200b",
            "\x1c",
            "\x85",
        ),
        *(
            "\u00e9",
            "e\u0301",
            "\u0301",
            "\u212b",
            "\u1e9b\u0323",
            "\uac00",
            "\u1100\u1161",
            "\u2126",
        ),
        *("\u4e2d\u6587", "\u0bb5\u0ba3", "\u0643\u062a", "\U0001f600", "\ufeff", "\u2028", "<b>"),
        *("{ a / b }", "{", "}", "/", "@", "{ um / @ }"),
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=12)
COLUMNS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4)


def rate_or_error(work: Callable[[], float]) -> float | str:
    """Return a rate, with one value for nan, or the text of an error."""
    try:
        rate = work()
    except MiswordError as error:
        return str(error)
    return "nan" if math.isnan(rate) else rate


@given(COLUMNS)
def test_every_text_has_the_rate_of_score(pairs: list[tuple[str, str]]) -> None:
    """The direct way and that of `score` give the same number, or the same error."""
    references, hypotheses = map(list, zip(*pairs, strict=True))
    for name, rate in (("wer", misword.wer), ("cer", misword.cer)):
        expected = rate_or_error(partial(score_of, references, hypotheses, name))
        assert rate_or_error(partial(rate, references, hypotheses)) == expected
        if len(pairs) == 1:
            assert rate_or_error(partial(rate, *pairs[0])) == expected


def score_of(references: list[str], hypotheses: list[str], name: str) -> float:
    return misword.score(references, hypotheses, name)[name]


@pytest.mark.parametrize("letters", [2, 10, 700])
def test_the_kernel_gives_the_distance_of_rapidfuzz(letters: int) -> None:
    """Texts of several 64-bit words, of few and of many distinct tokens."""
    distance = pytest.importorskip("rapidfuzz.distance").Levenshtein.distance
    random = Random(letters)
    alphabet = [chr(0x4E00 + number) for number in range(letters)]
    for _ in range(200):
        reference = "".join(random.choices(alphabet, k=random.randrange(1, 300)))
        hypothesis = "".join(random.choices(alphabet, k=random.randrange(300)))
        expected = distance(reference, hypothesis) / len(reference)
        assert misword.cer(reference, hypothesis) == expected


def test_few_texts_take_the_direct_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single_rates, "_rate", lambda *_: pytest.fail("the way of score"))
    assert misword.wer("a b c d", "a x c d") == 1 / 4
    assert misword.cer(["abc", "e\u0301"], ["abx", "\u00e9"]) == 1 / 4
    with pytest.raises(pytest.fail.Exception):
        misword.wer("a " * 5000, "a b")
    with pytest.raises(pytest.fail.Exception):
        misword.wer("a b", "a b", normalize="lower")


@pytest.mark.parametrize(
    "options",
    [
        {"normalize": "lower,nopunct"},
        {"forgive": "writing"},
        {"forgive": "case,punctuation", "lang": "en"},
        {"equivalents": [["hello", "hi"]]},
        {"alternatives": False},
        {"workers": 1},
    ],
)
def test_options_are_those_of_score(options: dict[str, object]) -> None:
    references, hypotheses = ["Hello, { you / we } two", "we are"], ["hi you 2", "we're"]
    scores = misword.score(references, hypotheses, **options)  # type: ignore[arg-type]
    assert misword.wer(references, hypotheses, **options) == scores["wer"]  # type: ignore[arg-type]
    assert misword.cer(references, hypotheses, **options) == scores["cer"]  # type: ignore[arg-type]


def test_without_reference_words_there_is_no_rate() -> None:
    assert math.isnan(misword.wer("", "a"))
    assert math.isnan(misword.cer([], []))


def test_columns_that_do_not_match_are_refused() -> None:
    with pytest.raises(MismatchError, match="2 references, 1 hypotheses"):
        misword.wer(["a", "b"], ["a"])
    with pytest.raises(OptionError, match="several systems"):
        misword.wer(["a"], {"one": ["a"], "two": ["b"]})
    with pytest.raises(InputError, match="no hypotheses"):
        misword.wer(["a"], None)
