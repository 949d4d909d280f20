"""Tables with a row for each step of the word alignments: words, kind of edit, costs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Steps, Ties, steps
from misword.alignment.similar_words import Spacings, find_spacings, pair_similar_words
from misword.asr.checking.suspicious import FLAGGED, flagged_table
from misword.asr.corpus import in_order
from misword.asr.costs import Cost
from misword.asr.forgiving.readings import Readings
from misword.asr.metrics import Metric
from misword.asr.metrics.edit_rate import EditRate
from misword.asr.pairs import Pairs
from misword.asr.views import Annotation, View
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.lazy import pl
from misword.core.types import CONFIDENCES, Alignment, Corpus, Op, Tokens
from misword.stat.score_tables import DividedTable, LazyTables
from misword.text.tokens import encode_lists

Numbers = NDArray[np.int64]
KINDS = ("hit", "substitution", "insertion", "deletion")


class AlignmentStep(NamedTuple):
    """One step of an alignment: a deletion has no `hypothesis`, an insertion no `reference`.

    A forgiven block is one step of the kind `hit` with the `family` that forgives it; its words are
    joined by spaces, and one of the two sides may have none. `spacing` is true for the steps of a
    word that was split or joined: `some thing` and `something`.
    """

    kind: str
    reference: str | None
    hypothesis: str | None
    cost: float
    family: str | None = None
    spacing: bool = False


class WordTables(NamedTuple):
    """The distinct word alignments of some metrics.

    `rate_of` has for each table the metric whose alignment the table shows. `table_of` has for the
    label of each metric that aligns words the name of its table.
    """

    rate_of: dict[str, EditRate]
    table_of: dict[str, str]


def word_tables(pairs: Pairs, metrics: Mapping[str, Metric]) -> WordTables:
    """Name the tables: `words` for unit costs, `words.<label>` for metrics that align otherwise."""
    over_words = {
        label: metric
        for label, metric in metrics.items()
        if isinstance(metric, EditRate) and metric.view(pairs.context).unit == Word.unit
    }
    first = next((m for m in over_words.values() if _alignment_key(pairs, m)[0] == Word()), None)
    if first is None or first.aligned_by(pairs.context) is not None:
        first = EditRate()
    names, rate_of, table_of = {_alignment_key(pairs, first): "words"}, {"words": first}, {}
    for label, metric in over_words.items():
        own_name = "words." + re.sub("[:=,]", "-", label)
        name = names.setdefault(_alignment_key(pairs, metric), own_name)
        rate_of.setdefault(name, metric)
        table_of[label] = name
    return WordTables(rate_of, table_of)


class AllPairs(NamedTuple):
    """The pairs of a corpus, for tables that are made when they are first used.

    `corpus` is the corpus as it was read. `whole` returns all pairs. `parts` yields the best
    hypotheses of all systems in parts, each with some utterances; None if all pairs are there.
    """

    corpus: Corpus
    whole: Callable[[], Pairs]
    parts: Callable[[], Iterator[Pairs]] | None = None


def lazy_tables(
    pairs: AllPairs,
    context: Context,
    metrics: Mapping[str, Metric],
    tables: WordTables,
    *,
    with_confidences: bool = False,
) -> LazyTables:
    """Return the tables of words, `texts` and `flagged` by name, each computed on first use.

    A table of words has the columns `utt`, `system`, `rank`, `place` (the step's number in the
    alignment), `kind`, `reference` and `hypothesis` (words), and `spacing` (whether the step is of
    a word that was split or joined). Where a metric needed them it also has `tag` and
    `hypothesis_tag` (universal), `lemma_match`, `cosine`, and `<label>.cost` of each metric with
    costs of substitutions. `texts` has both sides of each pair as in the input, `flagged` those of
    hypotheses that look made up or stuck. If `with_confidences`, the tables `confidences` and
    `confidence_bins` compare the confidences of words with their correctness. Of N-best lists, only
    the best hypotheses are in the tables. The tables of words are also there in parts.
    """
    rates = {label: metric for label, metric in metrics.items() if isinstance(metric, EditRate)}
    views = tuple(dict.fromkeys(metric.view(context) for metric in rates.values()))

    def make(name: str, pairs: Pairs) -> pl.DataFrame:
        priced = {
            label: metric
            for label, metric in rates.items()
            if tables.table_of.get(label) == name and metric.substitution_cost(context) is not None
        }
        annotated = pairs.once(("annotated", views), lambda: _annotated(pairs, views))
        return _table(pairs, tables.rate_of[name], priced, annotated)

    def whole(name: str) -> pl.DataFrame:
        return make(name, pairs.whole())

    def parts(name: str, divide: Callable[[], Iterator[Pairs]]) -> Iterator[pl.DataFrame]:
        return (make(name, part) for part in divide())

    makers: dict[str, Callable[[], pl.DataFrame]] = {}
    for name in tables.rate_of:
        makers[name] = partial(whole, name)
        if pairs.parts is not None:
            makers[name] = DividedTable(makers[name], partial(parts, name, pairs.parts))
    makers[FLAGGED] = lambda: flagged_table(pairs.whole())
    if with_confidences:
        from misword.asr.word_confidences import BINS, confidence_tables

        makers[CONFIDENCES] = lambda: confidence_tables(pairs.whole())[0]
        makers[BINS] = lambda: confidence_tables(pairs.whole())[1]
    return LazyTables({**makers, "texts": lambda: _texts(pairs.corpus)})


def shown_alignment(rate: EditRate, pairs: Pairs) -> Alignment:
    """Return the alignment of a rate for display.

    If every edit of words costs 1, words that look alike are paired; the counts are those of the
    rate. The alignments of other tools (`ties=jiwer`) and those by costs are shown as they are.
    """
    alignment = rate.alignment(pairs, operations=True)
    priced = rate.substitution_cost(pairs.context) is not None
    if priced or rate.ties != "misword" or rate.view(pairs.context).unit != Word.unit:
        return alignment
    return pair_similar_words(alignment, *rate.tokens(pairs), rate.rows(pairs))


def spacing_blocks(alignment: Alignment, rate: EditRate, pairs: Pairs) -> Spacings:
    """Return the words that were split or joined; none if the rate does not align words."""
    if rate.view(pairs.context).unit != Word.unit:
        return Spacings(np.zeros(0, np.int64), np.zeros(0, np.int64))
    return find_spacings(alignment, *rate.tokens(pairs), rate.rows(pairs))


def step_costs(rate: EditRate, pairs: Pairs, ops: NDArray[np.uint8]) -> NDArray[np.float64]:
    """Return the cost of each step of a rate's alignment."""
    costs: NDArray[np.float64] = np.not_equal(ops, Op.HIT).astype(np.float64)
    costs[ops == Op.SUBSTITUTION] = rate.prices(pairs)
    return costs


def families_of_steps(alignment: Alignment, readings: Readings) -> pl.Series:
    """Return the family of each forgiven step of an alignment; null for all other steps."""

    numbers = np.full(len(alignment.all_operations), -1, np.int64)
    if len(alignment.forgiven):
        numbers[alignment.forgiven] = readings.blocks.family
    places = pl.Series(numbers)
    names = pl.Series("family", readings.families, dtype=pl.String)
    return names.gather(places.set(places < 0, None))


def token_texts(tokens: Tokens, ids: NDArray[np.int64]) -> pl.Series:
    """Return the texts of token ids; null for the id -1 and for a block without words."""

    series = pl.Series(ids)
    words: list[str | None] = [word or None for word in tokens.vocabulary[:]]
    return pl.Series(words, dtype=pl.String).gather(series.set(series < 0, None))


def _alignment_key(pairs: Pairs, metric: EditRate) -> tuple[View, Cost | Ties]:
    """Return what decides a metric's alignment: the view, and the cost or the tie rule."""
    context = pairs.context
    return pairs.canonical(metric.view(context)), metric.aligned_by(context) or metric.ties


def _table(
    pairs: Pairs,
    rate: EditRate,
    priced: Mapping[str, EditRate],
    annotated: Mapping[str, tuple[pl.Series, pl.Series]],
) -> pl.DataFrame:
    """Return the table of the alignment of `rate`, with the costs of the metrics in `priced`."""

    reference, hypothesis = rate.tokens(pairs)
    # The costs of other metrics are those of the words as the metrics pair them.
    alignment = rate.alignment(pairs, operations=True) if priced else shown_alignment(rate, pairs)
    path = steps(alignment, reference, hypothesis, rate.rows(pairs))
    frame = pairs.keys.select("utt", "system", "rank")[path.pair].with_columns(
        pl.Series("place", np.arange(len(path.ops)) - alignment.all_offsets[path.pair]),
        pl.Series("kind", pl.Series(KINDS, dtype=pl.Enum(KINDS))[path.ops]),
        token_texts(reference, path.reference).alias("reference"),
        token_texts(hypothesis, path.hypothesis).alias("hypothesis"),
        pl.Series("spacing", spacing_blocks(alignment, rate, pairs).mask(len(path.ops))),
    )
    readings = rate.readings(pairs)
    # In the texts that were annotated, a block has the words of the hypothesis.
    sizes = np.ones(len(path.ops), np.int64)
    if len(alignment.forgiven):
        blocks = readings.blocks
        sizes[alignment.forgiven] = blocks.hypothesis_end - blocks.hypothesis_start
    frame = frame.with_columns(_annotation_columns(path, sizes, annotated))
    if readings.families:
        frame = frame.with_columns(families_of_steps(alignment, readings))
    cosines = (_cosines(pairs, metric) for metric in priced.values())
    if (first := next((values for values in cosines if values is not None), None)) is not None:
        column = np.full(len(path.ops), np.nan)
        column[path.ops == Op.SUBSTITUTION] = first
        frame = frame.with_columns(pl.Series("cosine", column).fill_nan(None))
    for label, metric in priced.items():
        costs = step_costs(metric, pairs, path.ops)
        frame = frame.with_columns(pl.Series(f"{label}.cost", costs))
    return frame.filter(pl.col("rank") == 1)


def _texts(corpus: Corpus) -> pl.DataFrame:
    """Return all hypotheses and their references."""
    references = corpus.references.select("utt", reference="text")
    heard = corpus.hypotheses.select("utt", "system", "rank", hypothesis="text")
    systems = heard["system"].n_unique()
    if len(heard) == systems * len(references) and in_order(corpus):
        joined = heard.hstack([pl.concat([references["reference"]] * systems)])  # without a copy
    else:
        joined = heard.join(references, on="utt", how="left", maintain_order="left")
    return joined.select("utt", "system", "rank", "reference", "hypothesis")


def _cosines(pairs: Pairs, metric: EditRate) -> NDArray[np.float64] | None:
    """Return the cosines of a metric's substitutions, if its cost uses vectors."""
    context = pairs.context
    cost, aligned_by = metric.substitution_cost(context), metric.aligned_by(context)
    if cost is None:
        return None
    return cost.cosines(pairs.substituted(metric.view(context), metric.ties, cost=aligned_by))


def _annotated(pairs: Pairs, views: Sequence[View]) -> dict[str, tuple[pl.Series, pl.Series]]:
    """Return the lemmas and tags of the words of both sides, where a view computes them.

    For each kind of annotation, the first view that gives it decides.
    """
    annotations: dict[str, tuple[pl.Series, pl.Series]] = {}
    for view in views:
        if view.annotation and view.annotation not in annotations:
            annotations[view.annotation] = _by_word(pairs, view.annotate(pairs.utterances))
    return annotations


def _by_word(pairs: Pairs, annotation: Annotation) -> tuple[pl.Series, pl.Series]:
    """Return the values of all words of the references and of the hypotheses, by pair."""
    rows = annotation.analysis.by_word(pairs.utterances.distinct.texts, annotation.values)
    sides = pairs.utterances.spread(encode_lists(rows))
    by_pair = [side.take(index) for side, index in zip(sides, pairs.index.T, strict=True)]
    reference, hypothesis = (token_texts(side, side.ids.astype(np.int64)) for side in by_pair)
    return reference, hypothesis


def _annotation_columns(
    path: Steps, sizes: Numbers, annotated: Mapping[str, tuple[pl.Series, pl.Series]]
) -> list[pl.Series]:
    """Return columns with the annotations of the words at each step.

    `sizes` has the number of annotated words of each step; a step has an annotation if it is 1.
    """

    columns = []
    for name, sides in annotated.items():
        placed = []
        for values, ids in zip(sides, (path.reference, path.hypothesis), strict=True):
            present = np.where(ids >= 0, sizes, 0)
            at = pl.Series(np.cumsum(present) - present)
            placed.append(values.gather(at.set(pl.Series(present != 1), None)))
        if name == "tag":
            columns += [placed[0].alias("tag"), placed[1].alias("hypothesis_tag")]
        else:
            columns.append((placed[0] == placed[1]).alias("lemma_match"))
    return columns
