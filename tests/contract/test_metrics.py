"""Laws for every registered metric. A new metric is tested as soon as it is listed."""

from __future__ import annotations

import pytest
from hypothesis import given

from metric_laws import (
    LAWS,
    PARTIAL,
    SENTENCES,
    SLOW,
    SPECS,
    Law,
    columns,
    corpora,
    empty_sides,
    score,
)
from misword.asr.metrics import METRICS

NAMES = [
    pytest.param(SPECS.get(name, name), marks=[pytest.mark.slow] * (name in SLOW), id=name)
    for name in METRICS.names()
]
# Metrics of words or characters, without an analyzer, a phonemizer or a model.
# The rate of an empty hypothesis, where it is not 1.
EMPTY = {"loops": 0.0, **dict.fromkeys(PARTIAL)}
# The words of these texts are not critical.
WITHOUT_CRITICAL_WORDS = {"severity": [0.0, 0.0, 0.0], "critical": [None, 0.0, None]}
SPELLED = ["cer", "ember", "formatted", "mer", "wer", "wer-e", "wer-s", "wil"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law: Law, name: str) -> None:
    law(name)


@pytest.mark.parametrize("name", ["mer", "wil"])
@given(pairs=corpora)
def test_shares_are_at_most_one(name: str, pairs: list[tuple[str, str]]) -> None:
    scores = score(*columns(pairs), name)
    assert (scores.utterances()[f"{name}.rate"].drop_nulls() <= 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_rates_of_empty_sides(name: str) -> None:
    if name in WITHOUT_CRITICAL_WORDS:
        assert list(empty_sides(name)) == WITHOUT_CRITICAL_WORDS[name]
        return
    if name == "latency":  # results come at a time, also where nothing was said
        assert list(empty_sides(name)) == [0.0, None, None]
        return
    whole = name in SENTENCES
    defined = name in ("mer", "wil") or whole
    expected = [1.0 if defined else None, EMPTY.get(name, 1.0), 0.0 if whole else None]
    assert list(empty_sides(name)) == pytest.approx(expected)  # weights of a blend are rounded


@pytest.mark.parametrize("name", SPELLED)
def test_unicode_forms_are_one_by_default(name: str) -> None:
    assert score(["été"], ["e\u0301te\u0301"], name)[name] == 0.0
    assert score(["été"], ["e\u0301te\u0301"], name, normalize="none")[name] > 0.0


@pytest.mark.parametrize("name", SPELLED)
@pytest.mark.parametrize(
    ("ref", "hyp", "same"),
    [
        ("a\u00a0b", "a b", True),  # a no-break space is white space
        ("a\u200bb", "ab", False),  # a zero-width space is a character
        ("👩‍🚀 ok", "👩‍🚀 ok", True),
        ("👩‍🚀 ok", "👨‍🚀 ok", False),
        ("  a \t b ", "a b", True),
    ],
)
def test_odd_characters(name: str, ref: str, hyp: str, same: bool) -> None:
    assert (score([ref], [hyp], name)[name] == 0.0) is same
