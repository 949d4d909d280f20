"""Laws for every metric, of misword or of another package. A law is a function of a metric's name.

`LAWS` lists the parameters of a parametrized test; a law that is run on generated texts is slow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import misword
from misword.asr.metrics import METRICS
from misword.io.transcripts.words import complete_words

Law = Callable[[str], None]
LAWS: list[Any] = []
# A blend needs a file; the small blend of misword needs no neural model.
BLEND = f"blend:file={Path(__file__).with_name('blend.json')}"
SPECS = {"blend": BLEND, "people": "people:size=small"}
# Means over utterances: two empty sentences have distance 0, and no error.
SENTENCES = {"bertscore", "semdist", "severity", *SPECS.values()}
# Metrics of a part of the text: they are undefined where the reference has none of it.
OF_TIMES = {"word-times", "segment-times", "latency"}
PARTIAL = {"capitals", "punctuation", "wder", *OF_TIMES}
# Metrics of recordings, whose words have speakers and times.
RECORDINGS = {name for name in METRICS.names() if METRICS.load(name).of_recordings} | OF_TIMES
# These metrics run a model for each example, so they get fewer examples.
SLOW = {"dposer", "lcer", "ler", "people", "per", "uposer", *SENTENCES}
# The texts are small: five words, at most seven in a sentence. All laws of all metrics take a tenth
# of the time of all tests.
EXAMPLES = 75
sentence = st.lists(st.sampled_from(["le", "la", "chat", "été", "x"]), max_size=7).map(" ".join)
corpora = st.lists(st.tuples(sentence, sentence), min_size=1, max_size=6)


@cache
def vectors() -> misword.WordVectors:
    words = ["le", "la", "chat", "été"]
    return misword.WordVectors.of(words, np.random.default_rng(0).normal(size=(4, 5)))


def score(
    references: Any, hypotheses: Any, name: str, ids: Any = None, **options: Any
) -> misword.Scores:
    options |= {"lang": "fr", "vectors": vectors()}
    if name in RECORDINGS:
        return misword.score(recordings(references, hypotheses, ids), metrics=name, **options)
    return misword.score(references, hypotheses, name, ids=ids, **options)


def recordings(references: list[str], hypotheses: list[str], ids: Any) -> misword.Corpus:
    """Return texts as recordings of two speakers who take turns, a word and a second each.

    Each word came half a second after its end.
    """
    utts = [str(number) for number in range(1, len(references) + 1)] if ids is None else ids
    frame = pl.DataFrame({"utt": utts, "text": references}, schema_overrides={"text": pl.String})
    heard = pl.Series("text", hypotheses, pl.String)
    corpus = complete_words(misword.Corpus.of(frame, {"hypothesis": heard}))
    assert corpus.words is not None
    place = pl.col("place")
    words = corpus.words.with_columns(
        segment=place,
        speaker=(place % 2).cast(pl.String),
        begin=place * 1.0,
        end=place + 1.0,
        emitted=place + 1.5,
    )
    return replace(corpus, words=words)


def law(*examples: Any) -> Callable[[Callable[..., None]], Law]:
    """List a function of a metric's name and of generated texts as a law."""

    def decorate(function: Callable[..., None]) -> Law:
        def run(name: str) -> None:
            @settings(max_examples=15 if name in SLOW else EXAMPLES)
            @given(st.tuples(*examples))
            def check(values: tuple[Any, ...]) -> None:
                function(name, *values)

            check()

        run.__name__ = function.__name__
        LAWS.append(pytest.param(run, marks=pytest.mark.slow))
        return run

    return decorate


def columns(pairs: list[tuple[str, str]]) -> tuple[list[str], list[str]]:
    return [ref for ref, _ in pairs], [hyp for _, hyp in pairs]


@law(st.lists(sentence, min_size=1, max_size=5))
def identical_is_perfect(name: str, texts: list[str]) -> None:
    rate = score(texts, texts, name)[name]
    if name in PARTIAL:
        assert rate == 0.0 or np.isnan(rate)
        return
    assert rate == 0.0 if any(texts) or name in SENTENCES else np.isnan(rate)


@law(corpora, st.randoms())
def order_does_not_matter(name: str, pairs: list[tuple[str, str]], random: object) -> None:
    shuffled = list(pairs)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    rates = [score(*columns(part), name)[name] for part in (pairs, shuffled)]
    np.testing.assert_equal(rates[0], rates[1])


@law(corpora, corpora)
def shards_add_up(name: str, left: list[tuple[str, str]], right: list[tuple[str, str]]) -> None:
    ids = [str(i) for i in range(len(left) + len(right))]
    whole = score(*columns(left + right), name, ids=ids)
    cut = len(left)
    parts = [
        score(*columns(left), name, ids=ids[:cut]),
        score(*columns(right), name, ids=ids[cut:]),
    ]
    # The rounding of a network depends on its batch.
    slack = 1e-6 if name in SENTENCES else 0
    np.testing.assert_allclose(whole[name], (parts[0] + parts[1])[name], rtol=0, atol=slack)


@law(corpora)
def rates_are_not_negative(name: str, pairs: list[tuple[str, str]]) -> None:
    scores = score(*columns(pairs), name)
    rates = scores.utterances()[f"{name}.rate"].drop_nulls().to_numpy()
    assert (rates >= 0).all()


@law(corpora, corpora, st.floats(0, 1))
def rate_has_the_form_that_oracle_needs(
    name: str, left: list[tuple[str, str]], right: list[tuple[str, str]], share: float
) -> None:
    """A rate is a quotient of two terms, or quasi-concave: see `Measure.is_quotient`."""
    (column,) = score(*columns(left + right), name).columns
    terms = [column.terms(score(*columns(part), name).table).sum(axis=0) for part in (left, right)]
    rate, mixed = column.measure.rate, share * terms[0] + (1 - share) * terms[1]
    if column.measure.is_quotient:
        for sums in (*terms, mixed):
            if not np.isnan(rate(sums)):
                np.testing.assert_allclose(rate(sums), sums[0] / sums[1], atol=1e-12)
    elif not np.isnan([rate(sums) for sums in (*terms, mixed)]).any():
        assert rate(mixed) >= min(rate(terms[0]), rate(terms[1])) - 1e-12


def empty_sides_are_defined(name: str) -> None:
    """A rate is defined for an empty hypothesis; two empty sides are perfect or undefined."""
    reference, hypothesis, both = empty_sides(name)
    assert (hypothesis is None) is (name in PARTIAL)
    assert both in (0.0, None)
    assert reference is None or reference >= 0


def empty_sides(name: str) -> tuple[float | None, float | None, float | None]:
    """The rates of an empty reference, of an empty hypothesis, and of both."""
    scores = score(["", "a b", ""], ["c", "", ""], name)
    reference, hypothesis, both = scores.utterances()[f"{name}.rate"]
    return reference, hypothesis, both


def part_is_documented(name: str) -> None:
    text = METRICS.load(name.partition(":")[0]).__doc__ or ""
    assert "Known problems:" in text
    assert "Example: `misword " in text


def part_is_described(name: str) -> None:
    """The report reads title, family and citations from the result."""
    described = score(["a"], ["a"], name).result(bootstrap=0).provenance["parts"][name]
    assert described["title"]
    assert described["family"]


LAWS += [empty_sides_are_defined, part_is_documented, part_is_described]
