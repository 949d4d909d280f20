"""`misword.wer` and `misword.cer`: the numbers of `misword.score`, as one number."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import misword
from misword.core.errors import InputError, MismatchError, OptionError

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
