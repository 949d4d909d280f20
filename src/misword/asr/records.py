"""A row for every word of every alignment: what was said, what was heard, and how wrong that is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.alignment.steps import Steps, steps
from misword.asr.edits import EditRate, EmbeddingRate, PricedRate
from misword.asr.pairs import Pairs
from misword.asr.views import View
from misword.asr.views.lemma import Lemma
from misword.asr.views.tag import Tag
from misword.asr.views.word import Word
from misword.core.types import Op, Tokens
from misword.text.analysis import Analysis, words

if TYPE_CHECKING:
    import polars as pl

    from misword.asr.metrics import Metric

KINDS = ("hit", "substitution", "insertion", "deletion")


def records(pairs: Pairs, metrics: Mapping[str, Metric]) -> dict[str, pl.DataFrame]:
    """Tables of word records by name: `words`, and `words.<label>` for metrics that align anew.

    `words` is aligned by unit costs. Its columns are `utt`, `system`, `place` (in the alignment),
    `kind`, `reference` and `hypothesis` (words); where a metric needed them also `tag` and
    `hypothesis_tag` (universal), `lemma_match`, `cosine`, and `<label>.cost` of each metric that
    prices words. Of N-best lists, the best.
    """
    rates = {label: m for label, m in metrics.items() if isinstance(m, EditRate)}
    over_words = {label: m for label, m in rates.items() if isinstance(m.view(pairs.context), Word)}
    priced = {label: m for label, m in over_words.items() if isinstance(m, PricedRate)}
    plain = {label: m for label, m in over_words.items() if _by(m) is None}
    first: EditRate = next(iter(plain.values()), EditRate())
    same = {label: m for label, m in priced.items() if _by(m) is None and m.ties == first.ties}
    groups: dict[str, tuple[EditRate, Mapping[str, PricedRate]]] = {"words": (first, same)}
    for label, metric in priced.items():
        if label not in same:
            groups[table_name(label)] = metric, {label: metric}
    seen = {id(view): view for m in rates.values() for view in [m.view(pairs.context)]}
    described = _described(pairs, list(seen.values()))
    return {
        name: _table(pairs, aligned, costs, described) for name, (aligned, costs) in groups.items()
    }


def table_name(label: str) -> str:
    """The table of a metric that aligns anew."""
    return "words." + "-".join(re.split("[:=,]", label))


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


def _by(metric: EditRate) -> Any:
    return metric.aligned_by if isinstance(metric, PricedRate) else None


def _table(
    pairs: Pairs,
    aligned: EditRate,
    priced: Mapping[str, PricedRate],
    described: Mapping[str, tuple[pl.Series, pl.Series]],
) -> pl.DataFrame:
    import polars as pl

    reference, hypothesis = pairs.tokens(Word())
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
    return frame.filter(pl.col("rank") == 1).drop("rank")


def _cosines(pairs: Pairs, metric: EmbeddingRate, laid: Steps) -> pl.Series:
    """Cosines of substituted words; null elsewhere and where a word has no vector."""
    import polars as pl

    costs = pairs.costs(Word(), metric.pricing)
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
            analysis = pairs.analysis(view.analyzer)
            found["lemma"] = _by_word(pairs, analysis, analysis.lemmas or [])
        if isinstance(view, Tag) and "tag" not in found:
            analysis = pairs.analysis(view.analyzer)
            found["tag"] = _by_word(pairs, analysis, analysis.tags or [])
    return found


def _by_word(pairs: Pairs, analysis: Analysis, values: list[str]) -> tuple[pl.Series, pl.Series]:
    """An analyzer's tokens gathered by white-space words: `l'homme` is `DET+NOUN`."""
    import polars as pl

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
    gathered = pl.Series(rows, dtype=pl.List(pl.String))
    sides = (
        (pairs.distinct.references, pairs.index[:, 0]),
        (pairs.distinct.hypotheses, pairs.index[:, 1]),
    )
    flat = [
        gathered.gather(which[index]).explode(empty_as_null=False, keep_nulls=False)
        for which, index in sides
    ]
    return flat[0], flat[1]


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
