"""The judgements in which the blend and people differ most, with the aligned words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp

import numpy as np

from misword.core.formatting import counted, is_number, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.data import explorer_data
from misword.report.explorer.section import marks_legend
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.result_access import Row, forgiving_families, rows, table
from misword.report.utterance_rates import UtteranceRates

# Judgements that the section shows.
SHOWN = 20
CHOICES_NOTE = (
    "The share of votes for a hypothesis is compared with the share that is expected from the "
    "difference of the blend's two rates; the largest differences come first. The rates are those "
    "of weights that were learnt from other references."
)
RATINGS_NOTE = (
    "The rank of a rating is compared with the rank of the blend's rate; the largest differences "
    "come first. The rates are those of weights that were learnt from other references."
)


@dataclass(frozen=True, slots=True)
class Difference:
    """A judgement, how far the blend is from it (0 to 1), and both in words."""

    row: Row
    size: float
    text: str


def choice_differences(result: Result) -> list[Difference]:
    """Return the choices in which the blend prefers what most people rejected, largest first."""
    blend = result.provenance.get("blend")
    slope = blend.get("slope") if isinstance(blend, dict) else None
    found = []
    for row in rows(result, "judgements"):
        a, b, prefers_a = row["votes_a"], row["votes_b"], row["blend"]
        if not is_number(prefers_a) or (a - b) * prefers_a >= 0:
            continue
        expected = _logistic((slope if is_number(slope) else 0.0) * prefers_a)
        size = abs(a / (a + b) - expected)
        side, chance = ("a", expected) if prefers_a > 0 else ("b", 1 - expected)
        text = (
            f"a has {counted(a, 'vote')}, b has {counted(b, 'vote')}. The rate of {side} is lower "
            f"by {percent(abs(prefers_a), 1)} points; expected share of votes for {side}: "
            f"{percent(chance, 0)} %."
        )
        found.append(Difference(row, size, text))
    return sorted(found, key=lambda one: -one.size)


def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)), also for numbers whose exponential is too large."""
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def rating_differences(result: Result) -> list[Difference]:
    """Return the ratings whose rank differs from that of the blend's rate, largest first."""
    judged = table(result, "judgements")
    if judged is None:
        return []
    judged = judged.drop_nulls(["score", "blend"])
    higher = {name: (judged[name].rank() - 0.5) / len(judged) for name in ("score", "blend")}
    found = []
    for row, rated, predicted in zip(judged.to_dicts(), *higher.values(), strict=True):
        text = (
            f"Rated {number(row['score'])}, better than {percent(rated, 0)} % of the hypotheses. "
            f"The rate of the blend is {percent(-row['blend'], 1)} %, better than "
            f"{percent(predicted, 0)} %."
        )
        found.append(Difference(row, abs(rated - predicted), text))
    return sorted((one for one in found if one.size > 0), key=lambda one: -one.size)


def _section(article: Article) -> Markup:
    judged = table(article.result, "judgements")
    if judged is None:
        return Markup()
    of_choices = "votes_a" in judged.columns
    if of_choices:
        found, sides = choice_differences(article.result), {"a": "a", "b": "b"}
        reference, note = "reference", CHOICES_NOTE
        decided = sum(row["votes_a"] != row["votes_b"] for row in judged.iter_rows(named=True))
        note = (
            f"In {len(found):,} of {counted(decided, 'choice')} the blend prefers what most people "
            f"rejected. {CHOICES_NOTE}"
        )
    else:
        found, sides = rating_differences(article.result), {"rated": "b"}
        reference, note = "a", RATINGS_NOTE
    shown = found[:SHOWN]
    if not shown:
        return Markup()
    block = _words(article, [str(one.row["judgement"]) for one in shown], list(sides))
    forgiving = bool(forgiving_families(article.result))
    legend = marks_legend(forgiving=forgiving, costs=False) if block else Markup()
    noun = "Choice" if of_choices else "Rating"
    parts = [
        part
        for one in shown
        for part in _shown(one, noun, {"reference": reference, **sides}, block)
    ]
    return joined([paragraph(note, "note"), legend, *parts])


def _shown(
    difference: Difference, noun: str, columns: dict[str, str], block: str | None
) -> Iterator[Markup]:
    """Yield the judgement in words, and its texts, which the scripts replace by aligned words."""
    utt = str(difference.row["judgement"])
    yield element("h4", f"{noun} {utt}")
    yield paragraph(difference.text, "note")
    texts = []
    for name, column in columns.items():
        text = str(difference.row[column] or "")
        texts += [element("span", name), element("span", text, dir="auto")]
    place = element("div", *texts, class_="texts")
    yield element("div", place, data_aligned=block, data_utt=utt if block else None)


def _words(article: Article, ids: list[str], systems: Sequence[str]) -> str | None:
    """Add the aligned words of some judgements for the scripts; None for a result without words."""
    import polars as pl

    words = table(article.result, "words")
    if words is None:
        return None
    words = words.filter(pl.col("utt").cast(pl.String).is_in(ids))
    provenance = article.result.provenance
    only_words = Result(article.result.kind, {"words": words}, provenance)
    no_rates = UtteranceRates(ids, [], list(systems), np.empty((0, len(systems), len(ids))))
    return article.add_data("differences", explorer_data(only_words, no_rates))


DIFFERENCES = Section(
    "differences", "Differences", "Where the blend and people differ most", _section
)
