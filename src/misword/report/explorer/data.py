"""The data of the explorer: metadata, labels of hypotheses, N-best lists, rates and alignments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.transcripts.columns import interpret
from misword.report.article import Article
from misword.report.explorer.alignments import AlignmentVocabulary, alignment_data, alignment_tables
from misword.report.packing import Data, packed
from misword.report.rates import UtteranceRates, positions
from misword.stat.descriptions.result_access import (
    Titles,
    best_hypotheses,
    metadata,
    metrics,
    table,
    titles,
)
from misword.stat.descriptions.severity import LABEL, LEVEL
from misword.stat.score_tables import SEVERITY_ERRORS as ERRORS_OF_SEVERITY


def metadata_columns(result: Result, size: int) -> list[Data]:
    """Return the metadata of the first `size` utterances.

    A column of numbers is an array of numbers, unless its numbers are names. Any other column is a
    list of its distinct texts and an array of positions in that list.
    """
    frame = table(result, "utterances")
    if frame is None:
        return []
    frame = best_hypotheses(frame).unique("utt", keep="first", maintain_order=True).head(size)
    columns: list[Data] = []
    for name in metadata(result):
        column = interpret(frame[name])
        if column.dtype.is_numeric():
            values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
            columns.append({"name": name, "numbers": packed(values)})
            continue
        text = as_text(column)
        distinct = text.unique(maintain_order=True)
        codes = packed(positions(text, distinct))
        columns.append({"name": name, "values": distinct.to_list(), "codes": codes})
    return columns


def as_text(column: pl.Series) -> pl.Series:
    """Return any column as text, empty where a value is missing; lists as Python prints them."""
    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        values = ["" if value is None else str(value) for value in column.to_list()]
        return pl.Series(values, dtype=pl.String)


# Labels of hypotheses, for the explorer's filters: flags, and classes of words with an error.

# The names of the filters.
FLAG, CLASS = "flag of the hypothesis", "error on a word of class"
ERRORS = ("substitutions", "deletions", "insertions")


def label_fields(result: Result, ids: list[str], systems: list[str]) -> list[Data]:
    """Return the labels that a result has: for each, its values and the hypotheses with them."""
    frames = {
        (FLAG, "Flag"): _flags(result),
        (CLASS, "Class"): _classes(result),
        (LABEL, "Label"): _labelled(result, "label"),
        (LEVEL, "Level"): _worst_levels(result),
    }
    return [
        {"name": name, "label": label, **_packed_labels(frame, ids, systems)}
        for (name, label), frame in frames.items()
        if frame is not None and not frame.is_empty()
    ]


def class_names(frame: pl.DataFrame) -> pl.Series:
    """Return the class of each row; with its source, if there are several sources."""
    names = pl.col("class")
    if frame["source"].n_unique() > 1:
        names = names + " · " + pl.col("source")
    return frame.select(names.alias("label"))["label"]


def _flags(result: Result) -> pl.DataFrame | None:
    """Return utterance, system and flag of the flagged hypotheses."""
    frame = table(result, "flagged")
    return None if frame is None else frame.select("utt", "system", pl.col("flag").alias("label"))


def _classes(result: Result) -> pl.DataFrame | None:
    """Return utterance, system and class where words of a class of entities have an error."""
    counts = table(result, "entity_counts")
    if counts is None:
        return None
    counts = best_hypotheses(counts).with_columns(class_names(counts))
    return counts.filter(pl.sum_horizontal(ERRORS) > 0).select("utt", "system", "label")


def _labelled(result: Result, column: str) -> pl.DataFrame | None:
    """Return utterance, system and label of the errors whose severity is known."""
    errors = table(result, ERRORS_OF_SEVERITY)
    if errors is None:
        return None
    named = best_hypotheses(errors).select("utt", "system", pl.col(column).cast(pl.String))
    return named.rename({column: "label"}).unique(maintain_order=True)


def _worst_levels(result: Result) -> pl.DataFrame | None:
    """Return utterance, system and the level of its worst error."""
    errors = table(result, ERRORS_OF_SEVERITY)
    if errors is None:
        return None
    worst = best_hypotheses(errors).sort("risk", descending=True, maintain_order=True)
    first = worst.unique(["utt", "system"], keep="first", maintain_order=True)
    return first.select("utt", "system", pl.col("level").cast(pl.String).alias("label"))


def _packed_labels(frame: pl.DataFrame, ids: list[str], systems: list[str]) -> Data:
    utterance = positions(frame["utt"].cast(pl.String), pl.Series(ids, dtype=pl.String))
    system = positions(frame["system"].cast(pl.String), pl.Series(systems, dtype=pl.String))
    values = frame["label"].unique().sort()
    known = (utterance >= 0) & (system >= 0)
    return {
        "values": values.to_list(),
        "utterances": packed(utterance[known]),
        "systems": packed(system[known]),
        "codes": packed(positions(frame["label"], values)[known]),
    }


# The N-best lists of utterances, for the explorer.

# Hypotheses in the page; lists beyond them are left out.
MAXIMAL_HYPOTHESES = 100_000
KEYS = ["utt", "system", "rank"]


def list_table(result: Result) -> pl.DataFrame | None:
    """Return all hypotheses of N-best lists with their texts; None if a result has no lists.

    The table has `utt`, `system`, `rank`, `text`, features, rates, and `chosen_by` if it is known.
    """
    own = table(result, "lists")
    if own is not None:
        return own
    scored, texts = table(result, "utterances"), table(result, "texts")
    if scored is None or texts is None or "rank" not in scored.columns:
        return None
    if not (scored["rank"] > 1).any():
        return None
    return scored.join(texts.select(*KEYS, text="hypothesis"), on=KEYS, how="left")


def reference_texts(result: Result, ids: list[str]) -> list[str]:
    """Return the reference of each utterance from the table of lists; none if it has none."""
    frame = table(result, "lists")
    if frame is None or "reference" not in frame.columns:
        return []
    texts = dict(frame.select(pl.col("utt").cast(pl.String), "reference").iter_rows())
    return [texts.get(utt) or "" for utt in ids]


def list_data(result: Result, ids: list[str], systems: list[str], title: Titles) -> Data | None:
    """Return the lists as data: for each system the hypotheses of one utterance after the other."""
    frame = list_table(result)
    if frame is None:
        return None
    known_ids = pl.Series(ids, dtype=pl.String)
    labels = [label for label in metrics(result) if f"{label}.rate" in frame.columns]
    features = [name for name in feature_names(result, frame) if frame[name].dtype.is_numeric()]
    numbers = [*features, *(f"{label}.rate" for label in labels)]
    streams = []
    for system in systems:
        rows = frame.filter(system=system).head(MAXIMAL_HYPOTHESES)
        utterance = positions(rows["utt"].cast(pl.String), known_ids)
        order = np.lexsort((rows["rank"].to_numpy(), utterance))
        order = order[utterance[order] >= 0]
        rows = rows[order]
        chosen = rows["chosen_by"] if "chosen_by" in rows.columns else None
        streams.append(
            {
                "lengths": packed(np.bincount(utterance[order], minlength=len(ids))),
                "ranks": packed(rows["rank"].to_numpy()),
                "texts": rows["text"].fill_null("").to_list(),
                "chosen": [] if chosen is None else [_titled(names, title) for names in chosen],
                "numbers": [
                    packed(rows[name].cast(pl.Float64).fill_null(np.nan).to_numpy())
                    for name in numbers
                ],
            }
        )
    return {
        "features": features,
        "metrics": [title(label) for label in labels],
        "systems": streams,
    }


def _titled(names: str | None, title: Titles) -> str:
    """Return the titles of the metrics that chose a hypothesis; empty for None."""
    return ", ".join(title(name) for name in names.split(", ")) if names else ""


def feature_names(result: Result, frame: pl.DataFrame) -> list[str]:
    """Return the columns with features of the hypotheses, such as the recogniser's score."""
    rates = tuple(f"{label}." for label in metrics(result))
    own = table(result, "lists")
    if own is None:
        return [name for name in result.provenance.get("features", ()) if name in frame.columns]
    aside = (*KEYS, "text", "reference", "chosen_by")
    return [name for name in frame.columns if name not in aside and not name.startswith(rates)]


# All data of the explorer of one result.

# Utterances in the page; where a result has more, a note says so.
MAXIMAL_UTTERANCES = 100_000


def explorer_data(result: Result, rates: UtteranceRates) -> Data:
    """Return everything that the explorer shows of a result, as values that JSON can hold."""
    ids, title = rates.ids[:MAXIMAL_UTTERANCES], titles(result)
    tables, left_out = alignment_tables(result)
    vocabulary = AlignmentVocabulary.of(list(tables.values()))
    return {
        "ids": ids,
        "systems": rates.systems,
        "metrics": [title(label) for label in rates.labels],
        "rates": packed(rates.rates[:, :, : len(ids)].astype(np.float32)),
        "metadata": metadata_columns(result, len(ids)),
        "words": vocabulary.words.to_list(),
        "tags": vocabulary.tags.to_list(),
        "families": vocabulary.families.to_list(),
        "labels": label_fields(result, ids, rates.systems),
        "layers": [
            alignment_data(name, frame, ids, rates.systems, vocabulary, title)
            for name, frame in tables.items()
        ],
        "references": [] if tables else reference_texts(result, ids),
        "lists": list_data(result, ids, rates.systems, title),
        "total": max(len(rates.ids), _utterances(result)),
        "leftOut": [name.removeprefix("words.") for name in left_out],
    }


def _utterances(result: Result) -> int:
    """Return the number of utterances of which a table of lists may have a part."""
    count = result.provenance.get("utterances") if "lists" in result.tables else 0
    return count if isinstance(count, int) else 0


# Aligned words of some judgements or triplets, without rates, for the page's scripts.


def add_aligned_words(
    article: Article, name: str, ids: Sequence[str], systems: Sequence[str]
) -> str | None:
    """Add the aligned words of some ids as data, and return the id of its block.

    Returns None for a result without words. `ids` are values of the column `utt` of the words.
    """
    words = table(article.result, "words")
    if words is None:
        return None
    shown = words.filter(pl.col("utt").cast(pl.String).is_in(list(ids)))
    only_words = Result(article.result.kind, {"words": shown}, article.result.provenance)
    no_rates = UtteranceRates(list(ids), [], list(systems), np.empty((0, len(systems), len(ids))))
    return article.add_data(name, explorer_data(only_words, no_rates))
