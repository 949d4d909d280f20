"""Do metrics say the same, and do they foretell what becomes of the transcripts?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.asr.comparison.side_by_side import by_system
from misword.asr.downstreams import Downstream, choose
from misword.asr.score import make_corpus
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.types import Result
from misword.core.version import __version__
from misword.stat.correlation import Correlated, correlations
from misword.stat.resampling import Statistics
from misword.stat.scores import Column, Scores
from misword.stat.weighted_correlation import COEFFICIENTS

if TYPE_CHECKING:
    import polars as pl

BLOCK = 100


@dataclass(frozen=True, slots=True, eq=False)
class Correlations:
    """How metrics go together, and how they go with downstream scores.

    `metrics` has a row for each two metrics `a` and `b`: the coefficients with their intervals, the
    mean over systems; how many `utterances` have both rates, and in how many `systems` both change
    at all. `downstream` has a row for each system, metric and score: the coefficients over `blocks`
    of utterances, and the score of the whole `corpus`. `blocks` has what was correlated there.
    `undefined` counts, for each metric, the pairs that have no rate of their own and are left out.
    """

    metrics: pl.DataFrame
    columns: tuple[Column, ...]
    settings: Mapping[str, Any]
    undefined: Mapping[str, int]
    downstream: pl.DataFrame | None = None
    blocks: pl.DataFrame | None = None
    score_signatures: Mapping[str, str] = field(default_factory=dict)
    better: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        pairs = self.settings["utterances"] * len(self.settings["systems"])
        return tuple(
            f"{label}: {count:,} of {pairs:,} pairs have no rate of their own (an empty reference) "
            "and are left out"
            for label, count in self.undefined.items()
            if count
        )

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """The tables and where they come from."""
        tables = {"metrics": self.metrics}
        if self.downstream is not None and self.blocks is not None:
            tables |= {"downstream": self.downstream, "blocks": self.blocks}
        signed = {
            "metrics": [column.label for column in self.columns],
            "signatures": {column.label: str(column.signature) for column in self.columns},
            "scores": dict(self.score_signatures),
            "better": dict(self.better),
            "undefined": dict(self.undefined),
        }
        known = {"misword": __version__, **(provenance or {})}
        return Result("correlation", tables, {**known, **self.settings, **signed})


def correlate(
    scores: Scores,
    *,
    translations: Any = None,
    translation_references: Any = None,
    downstream: str | Iterable[str] = "bleu",
    block: int | str = BLOCK,
    bootstrap: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int | None = None,
) -> Correlations:
    """Correlate metrics over utterances; with translations, also with their scores over blocks.

    The coefficients between metrics are the means over systems, of the systems' own; intervals
    come from resampling the utterances, the same for all systems. `translations` is one column, or
    several by the systems' names, in the order of the utterances, as `translation_references` is.
    A `block` is so many utterances in order (the last one may be short), or those that share a
    value of a metadata column; rates and scores of a block come from its sums.

    >>> import misword
    >>> scores = misword.score(["a b", "c d", "e f"], ["a b", "c x", "y z"], "wer,cer")
    >>> correlate(scores, bootstrap=0).metrics["pearson"].round(3).to_list()
    [1.0]
    """
    check_metrics(scores.labels, translations)
    how: dict[str, Any] = {"times": bootstrap, "confidence": confidence, "seed": seed}
    parts = by_system(scores.filter(rank=1))
    rates = [_rates(part) for part in parts.values()]
    pairs = list(combinations(range(len(scores.labels)), 2))
    found = correlations(rates, pairs, workers=workers, **how)
    missing = np.isnan(np.concatenate(rates)).sum(axis=0).tolist()
    settings = {"systems": list(parts), "utterances": len(rates[0])}
    settings |= {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    more: dict[str, Any] = {}
    if translations is not None:
        by_size = isinstance(block, int)
        settings |= {"block_size": block if by_size else None, "block": None if by_size else block}
        texts = _texts(translations, translation_references, parts)
        more = _downstream(parts, texts, choose(downstream), block, how)
    undefined = dict(zip(scores.labels, missing, strict=True))
    table = _metrics(scores.labels, pairs, found)
    return Correlations(table, scores.columns, settings, undefined, **more)


def check_metrics(labels: Sequence[str], translations: Any) -> None:
    """Refuse a metric alone, where there is no downstream score either."""
    if len(labels) < 2 and translations is None:
        raise OptionError("one metric has nothing to go with", fix="name two or more: wer,cer")


def _rates(part: Scores) -> NDArray[np.float64]:
    """A row per utterance, a column per metric; nan where a rate is undefined."""
    columns = part.columns
    terms = (column.measure.terms(part.statistics(column.label)) for column in columns)
    found = [column.measure.rate(t) for column, t in zip(columns, terms, strict=True)]
    return np.column_stack(found).astype(np.float64)


def _coefficients(found: Correlated) -> dict[str, float]:
    named: dict[str, float] = {}
    for name in COEFFICIENTS:
        coefficient = getattr(found, name)
        named |= {name: coefficient.value}
        named |= {f"{name}_low": coefficient.low, f"{name}_high": coefficient.high}
    return named


def _metrics(
    labels: list[str], pairs: list[tuple[int, int]], found: list[Correlated]
) -> pl.DataFrame:
    import polars as pl

    rows = [
        {
            "a": labels[left],
            "b": labels[right],
            **_coefficients(one),
            "utterances": one.rows,
            "systems": one.tables,
        }
        for (left, right), one in zip(pairs, found, strict=True)
    ]
    numbers = [f"{name}{end}" for name in COEFFICIENTS for end in ("", "_low", "_high")]
    schema = {"a": pl.String, "b": pl.String, **dict.fromkeys(numbers, pl.Float64)}
    schema |= {"utterances": pl.Float64, "systems": pl.Int64}
    return pl.DataFrame(rows, schema=schema).fill_nan(None)


def _texts(
    translations: Any, references: Any, parts: Mapping[str, Scores]
) -> dict[str, tuple[list[str], list[str]]]:
    """Translations and their references by system, each as many as there are utterances."""
    if references is None:
        raise OptionError("translations need references", fix="give translation_references")
    corpus = make_corpus(references, translations)
    for column in (corpus.references["text"], corpus.hypotheses["text"]):
        if column.null_count():
            raise InputError("a translation is missing", fix="an empty one is an empty string")
    size = len(next(iter(parts.values())))
    right = corpus.references["text"].to_list()
    if len(right) != size:
        raise MismatchError(f"{len(right)} translations of {size} utterances")
    said = {str(n): part["text"].to_list() for (n,), part in corpus.hypotheses.group_by("system")}
    if len(said) == len(parts) == 1:  # one column needs no name
        said = dict(zip(parts, said.values(), strict=True))
    if said.keys() != parts.keys():
        raise MismatchError(
            f"translations of {', '.join(said)}, transcripts of {', '.join(parts)}",
            fix="give the translations of each system, by its name",
        )
    return {name: (said[name], right) for name in parts}


def _downstream(
    parts: Mapping[str, Scores],
    texts: Mapping[str, tuple[list[str], list[str]]],
    chosen: Mapping[str, Downstream],
    block: int | str,
    how: Mapping[str, Any],
) -> dict[str, Any]:
    """The tables of downstream scores: their blocks, and how metrics go with them."""
    import polars as pl

    frames, rows = [], []
    for system, part in parts.items():
        frame, member = _blocks(part, block)
        rates = {}
        for column in part.columns:
            terms = column.measure.terms(part.statistics(column.label))
            rates[column.label] = column.measure.rate(_sums(terms, member))
        scored, totals = {}, {}
        for label, score in chosen.items():
            each = score.statistics(*texts[system])
            sums = np.concatenate([_sums(each, member), each.sum(axis=0, keepdims=True)])
            *of_blocks, totals[label] = score.scores(sums).tolist()
            scored[label] = np.array(of_blocks)
        frame = frame.with_columns(**rates, **scored)
        frames.append(frame.select(pl.lit(system).alias("system"), pl.all()))
        rows += [{"system": system, **row} for row in _against(rates, scored, totals, how)]
    return {
        "downstream": pl.DataFrame(rows, infer_schema_length=None).fill_nan(None),
        "blocks": pl.concat(frames).fill_nan(None),
        "score_signatures": {label: score.signature() for label, score in chosen.items()},
        "better": {label: score.better for label, score in chosen.items()},
    }


def _against(
    rates: Mapping[str, Statistics],
    scored: Mapping[str, Statistics],
    totals: Mapping[str, float],
    how: Mapping[str, Any],
) -> Iterator[dict[str, Any]]:
    """A row for each metric and score of one system, over its blocks."""
    table = np.column_stack([*rates.values(), *scored.values()])
    named = list(product(enumerate(scored, start=len(rates)), enumerate(rates)))
    found = correlations([table], [(m, s) for (s, _), (m, _) in named], **how)
    for ((_, score), (_, metric)), one in zip(named, found, strict=True):
        yield {
            **{"metric": metric, "score": score, **_coefficients(one)},
            **{"blocks": int(one.rows), "corpus": totals[score]},
        }


def _blocks(part: Scores, block: int | str) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """`block`, `first` and `last` utterance of each block, and the block of each utterance."""
    import polars as pl

    number = pl.int_range(1, pl.len() + 1)
    if isinstance(block, str):
        if block not in part.metadata:
            known = ", ".join(part.metadata) or "there are none"
            raise OptionError(f"no column {block!r} of metadata", fix=f"columns: {known}")
        if part.table[block].null_count():
            utt = part.table["utt"].filter(part.table[block].is_null())[0]
            raise InputError(f"utterance {utt!r} has no {block}", fix="give it one")
        value = pl.col(block).cast(pl.String)
    elif block < 1:
        raise OptionError(f"block is {block}", fix="use a number of utterances such as 100")
    else:
        value = (number - 1) // block + 1
    rows = part.table.select(value.alias("block"), number.alias("number"))
    frame = rows.group_by("block", maintain_order=True).agg(
        pl.col("number").min().alias("first"), pl.col("number").max().alias("last")
    )
    placed = rows.join(frame.with_row_index("place"), on="block", how="left", maintain_order="left")
    return frame, placed["place"].to_numpy().astype(np.int64)


def _sums(statistics: Statistics, member: NDArray[np.int64]) -> Statistics:
    """Sums of the rows of each block."""
    sums = np.zeros((int(member.max()) + 1, statistics.shape[1]))
    np.add.at(sums, member, statistics)
    return sums
