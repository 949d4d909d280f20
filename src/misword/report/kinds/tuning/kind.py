"""How tuned weights are shown: rates of the choices, curves of the weights, folds, texts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import (
    count,
    is_number,
    percent,
    probability,
    signed,
    signed_span,
    span,
)
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import (
    Cell,
    Markup,
    data_table,
    joined,
    number_cell,
    paragraph,
    text_cell,
)
from misword.report.html.text import p_in_sentence, without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.tuning.weight_curves import curve_figures
from misword.report.result_access import Row, Titles, rows, titles
from misword.report.sections.translated_choices import TRANSLATED_CHOICES

# The choices that show what weights are worth on unseen lists, the best evidence first.
UNSEEN = (("test", "tuned", "On the test lists"), ("tuning", "held out", "Held out"))
# The table of texts has at most this many rows.
TEXTS_SHOWN = 100
LEVEL = 0.05


def tuning_headline(result: Result) -> str:
    """Return what the weights are worth on lists that they were not tuned on."""
    by = str(result.provenance.get("tuned_by", ""))
    known = {
        (row["data"], row["choice"]): row
        for row in rows(result, "rates")
        if row["metric"] == by and is_number(row["rate"])
    }
    metric = titles(result)(by)
    for data, choice, where in UNSEEN:
        row, first = known.get((data, choice)), known.get((data, "rank 1"))
        if row is not None and first is not None:
            return _sentence(row, first, f"{where}, the tuned weights have {metric}")
    row = known.get(("tuning", "tuned"))
    if row is None:
        return ""
    return (
        f"On the lists that they were tuned on, the weights have {metric} "
        f"{percent(row['rate'])} %; what they are worth on others is not known."
    )


def _sentence(row: Row, first: Row, begin: str) -> str:
    rates = f"{percent(row['rate'])} %, rank 1 has {percent(first['rate'])} %"
    if not row["difference"]:
        return f"{begin} {rates}: there is nothing to gain."
    if row["difference"] < 0 and not is_number(row["p"]):
        return f"{begin} {rates}; there are too few lists or blocks for a test."
    test = f" ({p_in_sentence(row['p'])})" if is_number(row["p"]) else ""
    better = row["difference"] < 0 and row["p"] < LEVEL
    return f"{begin} {rates}{test}" + ("." if better else ": no gain is shown; keep rank 1.")


def _introduction(result: Result) -> Markup:
    """Return the formula of the score, and the notes of the run."""
    terms = " + ".join(f"{row['weight']:.6g} × {row['feature']}" for row in rows(result, "weights"))
    if not terms:
        return Markup()
    lists, folds = result.provenance.get("lists", 0), result.provenance.get("folds", 0)
    text = f"The score of a hypothesis is {terms}. Tuned on {count(lists)} lists"
    text += f", in {count(folds)} folds." if folds else "."
    notes = result.provenance.get("notes")
    shown = [str(note) for note in notes] if isinstance(notes, list) else []
    parts = [paragraph(without_direction_marks(text), "introduction")]
    return joined([*parts, *(paragraph(without_direction_marks(note), "note") for note in shown)])


def _choices(result: Result) -> Markup:
    """Return the table of choices."""
    title = titles(result)
    header = ("data", "metric", "choice", "rate, %", "interval", "from rank 1", "interval", "p",
              "changed lists")  # fmt: skip
    body = [_choice_cells(row, title) for row in rows(result, "rates")]
    return data_table(header, body, label="choices") if body else Markup()


def _choice_cells(row: Row, title: Titles) -> list[Cell]:
    return [
        text_cell(row["data"]),
        text_cell(title(row["metric"])),
        text_cell(row["choice"]),
        number_cell(row["rate"], percent(row["rate"])),
        text_cell(span(row["low"], row["high"])),
        number_cell(row["difference"], signed(row["difference"], 2)),
        text_cell(signed_span(row["difference_low"], row["difference_high"], 2)),
        number_cell(row["p"], probability(row["p"])),
        number_cell(row["changed"], count(row["changed"])),
    ]


def _weights(article: Article) -> Markup:
    """Return the weights, and how far each may move."""
    names = (("low", "high"), ("noise_low", "noise_high"), ("resampled_low", "resampled_high"),
             ("fold_low", "fold_high"))  # fmt: skip
    body = [
        [
            text_cell(row["feature"]),
            number_cell(row["weight"], f"{row['weight']:.6g}"),
            *(text_cell(_range(row[low], row[high])) for low, high in names),
            number_cell(row["spread"], f"{row['spread']:.4g}"),
        ]
        for row in rows(article.result, "weights")
    ]
    if not body:
        return Markup()
    header = ("feature", "weight", "same rate", "within noise", "resamples", "folds", "spread")
    return joined([data_table(header, body, label="weights"), *_stability(article.result)])


def _range(low: float | None, high: float | None) -> str:
    if not is_number(low) and not is_number(high):
        return ""
    return " to ".join(f"{end:.4g}" if is_number(end) else "..." for end in (low, high))


def _stability(result: Result) -> Iterable[Markup]:
    for row in rows(result, "stability"):
        text = (
            f"The weights were tuned again on {count(row['resamples'])} resamples of the lists. "
            f"{count(row['others'])} of these choose otherwise: on average from "
            f"{percent(row['changed'])} % of the lists, with a rate that is "
            f"{percent(row['loss'])} points higher on the data."
        )
        yield paragraph(text, "note")


def _folds(article: Article) -> Markup:
    """Return the rates of each fold, and the weights that were tuned without it."""
    weights: dict[int, list[str]] = {}
    for row in rows(article.result, "fold_weights"):
        weights.setdefault(row["fold"], []).append(f"{row['feature']} {row['weight']:.4g}")
    body = [
        [
            number_cell(row["fold"], count(row["fold"])),
            number_cell(row["lists"], count(row["lists"])),
            *(number_cell(row[key], percent(row[key])) for key in ("tuned", "held_out", "rank_1")),
            text_cell(", ".join(weights.get(row["fold"], []))),
        ]
        for row in rows(article.result, "folds")
    ]
    header = ("fold", "lists", "tuned on the others, %", "held out, %", "rank 1, %", "weights")
    return data_table(header, body, label="folds") if body else Markup()


def _texts(article: Article) -> Markup:
    """Return texts of unseen lists whose choice is not rank 1."""
    shown = rows(article.result, "chosen")
    for data, choice, _ in UNSEEN:
        body = [
            [text_cell(row["utt"]), number_cell(row["rank"], count(row["rank"])),
             text_cell(row["text"] or "")]
            for row in shown
            if (row["data"], row["choice"]) == (data, choice) and row["rank"] > 1
        ]  # fmt: skip
        if body:
            header = ("utterance", "rank", "text")
            return data_table(header, body[:TEXTS_SHOWN], label="texts", tall=True)
    return Markup()


WEIGHTS = Section("weights", "Weights", "Weights, and how far each may move", _weights)
FOLDS = Section("folds", "Folds", "Each fold, with weights that were tuned on the others", _folds)
TEXTS = Section("texts", "Texts", "Chosen texts that are not of rank 1", _texts)


@dataclass(frozen=True)
class TunedWeights(Kind):
    """Weights of N-best lists: what they are worth, and how far each may move."""

    name = "tuning"
    cites = ("och2003",)
    sections: ClassVar[tuple[Section, ...]] = (WEIGHTS, FOLDS, TRANSLATED_CHOICES, TEXTS)

    def headline(self, result: Result) -> str:
        """Return what the weights are worth on unseen lists."""
        return tuning_headline(result)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the score's formula, the table of choices and the curves of the weights."""
        result = article.result
        return _introduction(result), _choices(result), article.figures(curve_figures(result))

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on line search, intervals and tests."""
        return (*self.cites, "bisani2004", "noreen1989") if rows(result, "rates") else ()
