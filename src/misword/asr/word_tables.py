"""A row for every word of every alignment: what was said, what was heard, and how wrong that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import Ties
from misword.alignment.steps import Steps, steps
from misword.asr.costs import Cost
from misword.asr.metrics.edit_rate import EditRate, EmbeddingRate, PricedRate
from misword.asr.pairs import Pairs
from misword.asr.views import View
from misword.asr.views.lemma import Lemma
from misword.asr.views.tag import Tag
from misword.asr.views.word import Word
from misword.core.types import Corpus, Op, Tokens
from misword.stat.records import Records
from misword.text.analysis import Analysis, words
from misword.text.tokens import encode_lists

if TYPE_CHECKING:
    import polars as pl

    from misword.asr.metrics import Metric

KINDS = ("hit", "substitution", "insertion", "deletion")


class Tables(NamedTuple):
    """Which alignments of words there are: what made each, by name, and the one of each metric."""

    made: dict[str, EditRate]
    of: dict[str, str]


def word_tables(pairs: Pairs, metrics: Mapping[str, Metric]) -> Tables:
    """`words`, aligned by unit costs, and `words.<label>` for metrics that align otherwise."""
    over_words = {
        label: metric
        for label, metric in metrics.items()
        if isinstance(metric, EditRate) and isinstance(metric.view(pairs.context), Word)
    }
    usual = next((m for m in over_words.values() if _way(pairs, m)[0] == Word()), EditRate())
    if not isinstance(_way(pairs, usual)[1], str):
        usual = EditRate()
    names, made, of = {_way(pairs, usual): "words"}, {"words": usual}, {}
    for label, metric in over_words.items():
        name = names.setdefault(_way(pairs, metric), "words." + re.sub("[:=,]", "-", label))
        made.setdefault(name, metric)
        of[label] = name
    return Tables(made, of)


def records(pairs: Pairs, metrics: Mapping[str, Metric]) -> Records:
    """The tables of words by name, made when they are asked for.

    Their columns are `utt`, `system`, `rank`, `place` (in the alignment), `kind`, `reference` and
    `hypothesis` (words); where a metric needed them also `tag` and `hypothesis_tag` (universal),
    `lemma_match`, `cosine`, and `<label>.cost` of each metric that prices words. Of N-best lists,
    the best. `texts` has both sides of each pair as they were given.
    """
    tables = word_tables(pairs, metrics)
    rates = [metric for metric in metrics.values() if isinstance(metric, EditRate)]
    views = list(dict.fromkeys(metric.view(pairs.context) for metric in rates))
    described = cache(lambda: _described(pairs, views))

    def make(name: str) -> pl.DataFrame:
        priced = {
            label: metric
            for label, metric in metrics.items()
            if tables.of.get(label) == name and isinstance(metric, PricedRate)
        }
        return _table(pairs, tables.made[name], priced, described())

    words = {name: partial(make, name) for name in tables.made}
    return Records({**words, "texts": lambda: _texts(pairs.source)})


def step_costs(rate: EditRate, pairs: Pairs, ops: NDArray[np.uint8]) -> NDArray[np.float64]:
    """What each step of a rate's alignment costs."""
    costs: NDArray[np.float64] = np.not_equal(ops, Op.HIT).astype(np.float64)
    costs[ops == Op.SUBSTITUTION] = rate.prices(pairs)
    return costs


def spell(tokens: Tokens, ids: NDArray[np.int64]) -> pl.Series:
    """Tokens by their ids; null where there is none (-1)."""
    import polars as pl

    found = pl.Series(ids)
    vocabulary = pl.Series(tokens.vocabulary[:], dtype=pl.String)
    return vocabulary.gather(found.set(found < 0, None))


def _way(pairs: Pairs, metric: EditRate) -> tuple[View, Cost | Ties]:
    """What decides a metric's alignment: the view, and the cost or the tie rule."""
    by = metric.aligned_by if isinstance(metric, PricedRate) else None
    return pairs.plain(metric.view(pairs.context)), by or metric.ties


def _table(
    pairs: Pairs,
    aligned: EditRate,
    priced: Mapping[str, PricedRate],
    described: Mapping[str, tuple[pl.Series, pl.Series]],
) -> pl.DataFrame:
    import polars as pl

    reference, hypothesis = pairs.tokens(aligned.view(pairs.context))
    alignment = aligned.alignment(pairs, operations=True)
    laid = steps(alignment, reference, hypothesis, pairs.index)
    offsets = np.concatenate([[0], np.cumsum(alignment.counts.sum(axis=1))])
    frame = pairs.keys.select("utt", "system", "rank")[laid.pair].with_columns(
        pl.Series("place", np.arange(len(laid.ops)) - offsets[laid.pair]),
        pl.Series("kind", pl.Series(KINDS, dtype=pl.Enum(KINDS))[laid.ops]),
        spell(reference, laid.reference).alias("reference"),
        spell(hypothesis, laid.hypothesis).alias("hypothesis"),
    )
    frame = frame.with_columns(_laid_out(pairs, laid, described))
    for metric in priced.values():
        if isinstance(metric, EmbeddingRate):
            frame = frame.with_columns(_cosines(pairs, metric, laid))
            break
    for label, metric in priced.items():
        costs = step_costs(metric, pairs, laid.ops)
        frame = frame.with_columns(pl.Series(f"{label}.cost", costs))
    return frame.filter(pl.col("rank") == 1)


def _texts(corpus: Corpus) -> pl.DataFrame:
    """The best hypotheses and their references."""
    references = corpus.references.select("utt", reference="text")
    best = corpus.hypotheses.filter(rank=1).select("utt", "system", "rank", hypothesis="text")
    joined = best.join(references, on="utt", how="left", maintain_order="left")
    return joined.select("utt", "system", "rank", "reference", "hypothesis")


def _cosines(pairs: Pairs, metric: EmbeddingRate, laid: Steps) -> pl.Series:
    """Cosines of substituted words; null elsewhere and where a word has no vector."""
    import polars as pl

    costs = pairs.costs(metric.view(pairs.context), metric.pricing)
    swapped = laid.ops == Op.SUBSTITUTION
    left, right = laid.reference[swapped], laid.hypothesis[swapped]
    found = np.full(len(laid.ops), np.nan)
    found[swapped] = np.where(costs.priceable(left, right), costs.cosines(left, right), np.nan)
    return pl.Series("cosine", found).fill_nan(None)


def _described(pairs: Pairs, views: list[View]) -> dict[str, tuple[pl.Series, pl.Series]]:
    """What analyzers said of each word, where a metric asked them: by side, in order of words."""
    found: dict[str, tuple[pl.Series, pl.Series]] = {}
    for view in views:
        if isinstance(view, Lemma) and "lemma" not in found:
            analysis = pairs.analysis(view.part)
            found["lemma"] = _by_word(pairs, analysis, analysis.lemmas or [])
        if isinstance(view, Tag) and "tag" not in found:
            analysis = pairs.analysis(view.part)
            found["tag"] = _by_word(pairs, analysis, analysis.tags or [])
    return found


def _by_word(pairs: Pairs, analysis: Analysis, values: list[str]) -> tuple[pl.Series, pl.Series]:
    """An analyzer's tokens gathered by white-space words: `l'homme` is `DET+NOUN`."""
    starts, offsets = analysis.starts, analysis.offsets
    rows: list[list[str]] = []
    for row, text in enumerate(pairs.distinct.texts):
        lo, hi = offsets[row], offsets[row + 1]
        begins = [start for start, _ in words(text)]
        inside = np.searchsorted(begins, starts[lo:hi], side="right") - 1
        parts: list[list[str]] = [[] for _ in begins]
        for word, value in zip(inside.tolist(), values[lo:hi], strict=True):
            parts[word].append(value)
        rows.append(["+".join(part) for part in parts])
    sides = pairs.spread(encode_lists(rows))
    found = [side.take(index) for side, index in zip(sides, pairs.index.T, strict=True)]
    reference, hypothesis = (spell(side, side.ids.astype(np.int64)) for side in found)
    return reference, hypothesis


def _laid_out(
    pairs: Pairs, laid: Steps, described: Mapping[str, tuple[pl.Series, pl.Series]]
) -> list[pl.Series]:
    """Columns of what is known of the words at each place."""
    import polars as pl

    columns = []
    for name, sides in described.items():
        placed = []
        for values, ids in zip(sides, (laid.reference, laid.hypothesis), strict=True):
            there = ids >= 0
            at = pl.Series(np.cumsum(there) - 1)
            placed.append(values.gather(at.set(pl.Series(~there), None)))
        if name == "tag":
            columns += [placed[0].alias("tag"), placed[1].alias("hypothesis_tag")]
        else:
            columns.append((placed[0] == placed[1]).alias("lemma_match"))
    return columns
