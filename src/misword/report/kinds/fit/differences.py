"""The judgements in which the blend and people differ most, with the aligned words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp

from misword.core.formatting import counted, is_number, number, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.section import marks_legend
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.result_access import Row, forgiving_families, rows, table
from misword.report.sections.aligned_words import add_aligned_words

# Judgements that the section shows.
SHOWN = 20
# Rates that differ by less are equal: the same costs were added in another order.
TOLERANCE = 1e-9
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
        if not is_number(prefers_a) or abs(prefers_a) <= TOLERANCE or (a - b) * prefers_a >= 0:
            continue
        expected = _logistic((slope if is_number(slope) else 0.0) * prefers_a)
        size = abs(a / (a + b) - expected)
        side, chance = ("a", expected) if prefers_a > 0 else ("b", 1 - expected)
        text = (
            f"a has {counted(a, 'vote')}, b has {counted(b, 'vote')}. The rate of {side} is lower "
            f"by {percent(abs(prefers_a))} points; expected share of votes for {side}: "
            f"{percent(chance, 0)} %."
        )
        found.append(Difference(row, size, text))
    return sorted(found, key=lambda one: -one.size)


def _logistic(x: float) -> float:
    """Return 1 / (1 + exp(-x)), also for numbers whose exponential is too large."""
    return 1 / (1 + exp(-x)) if x > -700 else 0.0


def rating_differences(result: Result) -> list[Difference]:
    """Return the ratings whose rank differs from that of the blend's rate, largest first.

    A rank is the share of the hypotheses that are worse; equal ones count one half.
    """
    judged = table(result, "judgements")
    if judged is None:
        return []
    judged = judged.drop_nulls(["score", "blend"])
    lower_is_better = bool(result.provenance.get("lower_is_better"))
    goodness = (-judged["score"] if lower_is_better else judged["score"], judged["blend"])
    shares = [(values.rank() - 0.5) / len(judged) for values in goodness]
    found = []
    for row, rated, predicted in zip(judged.to_dicts(), *shares, strict=True):
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
    if "votes_a" not in judged.columns:
        ratings = rating_differences(article.result)
        return _shown(article, "Rating", ratings, RATINGS_NOTE, {"reference": "a", "rated": "b"})
    choices = choice_differences(article.result)
    decided = len(judged.filter(judged["votes_a"] != judged["votes_b"]))
    note = (
        f"In {len(choices):,} of {counted(decided, 'choice')} the blend prefers what most people "
        f"rejected. {CHOICES_NOTE}"
    )
    columns = {"reference": "reference", "a": "a", "b": "b"}
    return _shown(article, "Choice", choices, note, columns)


def _shown(
    article: Article,
    noun: str,
    differences: Sequence[Difference],
    note: str,
    columns: Mapping[str, str],
) -> Markup:
    """Return the largest differences; `columns` has the column of each text by its name."""
    shown = differences[:SHOWN]
    if not shown:
        return Markup()
    ids = [str(one.row["judgement"]) for one in shown]
    systems = [name for name in columns if name != "reference"]
    block = add_aligned_words(article, "differences", ids, systems)
    parts = [paragraph(note, "note")]
    if block is not None:
        forgiving = bool(forgiving_families(article.result))
        parts.append(marks_legend(forgiving=forgiving, costs=False))
    for utt, one in zip(ids, shown, strict=True):
        texts = {name: str(one.row[column] or "") for name, column in columns.items()}
        parts += [
            element("h4", f"{noun} {utt}"),
            paragraph(one.text, "note"),
            element("div", _texts(texts), data_aligned=block, data_utt=utt if block else None),
        ]
    return joined(parts)


def _texts(texts: Mapping[str, str]) -> Markup:
    """Return texts one below the other; the page's scripts replace them by aligned words."""
    lines = [
        part
        for name, text in texts.items()
        for part in (element("span", name), element("span", text, dir="auto"))
    ]
    return element("div", *lines, class_="texts")


DIFFERENCES = Section(
    "differences", "Differences", "Where the blend and people differ most", _section
)
