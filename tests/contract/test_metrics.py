"""Laws for every registered metric: a new one inherits them the day it is listed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from kernel_switch import use_kernels
from misword.asr.metrics import METRICS

NAMES = METRICS.names()
# Those whose tokens are the text itself: nothing between the letters and the number.
SPELLED = ["cer", "ember", "mer", "wer", "wer-e", "wer-s", "wil"]
# Means over utterances of a distance between sentences: two empty ones are the same.
SENTENCES = {"bertscore", "semdist"}
# Whole models run for these: fewer examples say as much.
SLOW = {"dposer", "lcer", "ler", "per", "uposer", *SENTENCES}
sentence = st.lists(st.sampled_from(["le", "la", "chat", "été", "x"]), max_size=7).map(" ".join)
corpora = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=6)


@cache
def vectors() -> misword.WordVectors:
    words = ["le", "la", "chat", "été"]
    return misword.WordVectors.of(words, np.random.default_rng(0).normal(size=(4, 5)))


def score(references: Any, hypotheses: Any, name: str, **options: Any) -> misword.Scores:
    return misword.score(references, hypotheses, name, lang="fr", vectors=vectors(), **options)


def law(*examples: Any) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Every metric against generated texts."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @pytest.mark.parametrize("name", NAMES)
        def run(name: str) -> None:
            @settings(max_examples=15 if name in SLOW else 150)
            @given(st.tuples(*examples))
            def check(found: tuple[Any, ...]) -> None:
                test(name, *found)

            check()

        run.__name__ = test.__name__
        return run

    return decorate


def columns(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [ref for ref, _ in pairs], [hyp for _, hyp in pairs]


@law(st.lists(sentence, min_size=1, max_size=5))
def test_identical_is_perfect(name: str, texts: list[str]) -> None:
    rate = score(texts, texts, name)[name]
    assert rate == 0.0 if any(texts) or name in SENTENCES else np.isnan(rate)


@law(corpora, st.randoms())
def test_order_does_not_matter(name: str, pairs: list[tuple[str, str]], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    rates = [score(*columns(part), name)[name] for part in (pairs, shuffled)]
    np.testing.assert_equal(rates[0], rates[1])


@law(corpora, corpora)
def test_shards_add_up(
    name: str, left: list[tuple[str, str]], right: list[tuple[str, str]]
) -> None:
    ids = [str(i) for i in range(len(left) + len(right))]
    whole = score(*columns(left + right), name, ids=ids)
    cut = len(left)
    parts = [
        score(*columns(left), name, ids=ids[:cut]),
        score(*columns(right), name, ids=ids[cut:]),
    ]
    # A network rounds otherwise in another batch.
    slack = 1e-6 if name in SENTENCES else 0
    np.testing.assert_allclose(whole[name], (parts[0] + parts[1])[name], rtol=0, atol=slack)


@law(corpora)
def test_size_does_not_choose_the_result(name: str, pairs: list[tuple[str, str]]) -> None:
    """The plain and the compiled way give the same statistics."""
    tables = []
    for compiled in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            use_kernels(patch, compiled=compiled)
            tables.append(score(*columns(pairs), name).table)
    assert tables[0].equals(tables[1])


@law(corpora)
def test_rates_are_not_negative(name: str, pairs: list[tuple[str, str]]) -> None:
    scores = score(*columns(pairs), name)
    rates = scores.utterances()[f"{name}.rate"].drop_nulls().to_numpy()
    assert (rates >= 0).all()
    if name in ("mer", "wil"):
        assert (rates <= 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_empty_sides_are_defined(name: str) -> None:
    rates = dict(
        zip(
            ("empty reference", "empty hypothesis", "both"),
            score(["", "a b", ""], ["c", "", ""], name).utterances()[f"{name}.rate"],
            strict=True,
        )
    )
    assert rates["empty hypothesis"] == 1.0
    assert rates["both"] == (0.0 if name in SENTENCES else None)
    defined = name in ("mer", "wil") or name in SENTENCES
    assert rates["empty reference"] == (1.0 if defined else None)


@pytest.mark.parametrize("name", NAMES)
def test_part_is_documented(name: str) -> None:
    text = METRICS.load(name).__doc__ or ""
    assert "Known problems:" in text
    assert "Example: `misword " in text


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
