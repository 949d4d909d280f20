"""Score hypotheses against references by any metrics, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from misword.asr.metrics import METRICS, Metric
from misword.asr.pairs import Pairs, prepare
from misword.core.errors import InputError, MismatchError
from misword.core.registry import options_of
from misword.core.signature import Signature
from misword.core.types import Corpus
from misword.io.results import read_result
from misword.stat.scores import Column, Scores

if TYPE_CHECKING:
    import polars as pl

DEFAULT_METRICS = ("wer", "cer")


def score(
    references: Any,
    hypotheses: Any,
    metrics: str | Iterable[str] = DEFAULT_METRICS,
    *,
    normalize: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    metadata: Any = None,
    ids: Any = None,
    workers: int | None = None,
) -> Scores:
    """Score columns of text: lists, polars or pandas columns, Arrow arrays.

    `hypotheses` is one column, or a mapping from a system's name to its column; `metadata` anything
    that polars makes a frame of, a row per reference.

    >>> import misword
    >>> scores = misword.score(["the cat sat"], {"a": ["the cat sat"], "b": ["a cat"]}, "wer")
    >>> scores.summary(bootstrap=0).select("system", "rate").rows()
    [('a', 0.0), ('b', 0.6666666666666666)]
    """
    corpus = make_corpus(references, hypotheses, metadata=metadata, ids=ids)
    pairs = prepare(
        corpus,
        normalize_with=normalize,
        alternatives=alternatives,
        equivalents=equivalents,
        workers=workers,
    )
    return score_pairs(pairs, metrics)


def score_pairs(pairs: Pairs, metrics: str | Iterable[str] = DEFAULT_METRICS) -> Scores:
    """Measure prepared pairs; metrics that share a view share its alignment."""
    import polars as pl

    table = pairs.keys
    columns = []
    for label, metric in METRICS.create_all(metrics).items():
        measured = metric.measure(pairs)
        names = [f"{label}.{name}" for name in metric.statistics]
        table = table.hstack(pl.DataFrame(measured, schema=names))
        columns.append(Column(label, metric, _sign(label, metric, pairs)))
    return Scores(table, tuple(columns))


def make_corpus(
    references: Any, hypotheses: Any, *, metadata: Any = None, ids: Any = None
) -> Corpus:
    """A Corpus from columns in memory; without `ids` the utterances are numbered from 1."""
    import polars as pl

    texts = _column(references, "references")
    systems = hypotheses if isinstance(hypotheses, Mapping) else {"hypothesis": hypotheses}
    names = (
        pl.Series("utt", range(1, len(texts) + 1)).cast(pl.String)
        if ids is None
        else _column(ids, "ids").rename("utt")
    )
    frame = pl.DataFrame({"utt": names, "text": texts})
    if ids is not None and names.n_unique() != len(names):
        raise InputError(f"id {names.filter(names.is_duplicated())[0]!r} is there twice")
    if metadata is not None:
        extra = pl.DataFrame(metadata)
        if len(extra) != len(frame):
            raise MismatchError(f"{len(frame)} references, {len(extra)} rows of metadata")
        frame = frame.hstack(extra)
    if not systems:
        raise InputError("there are no hypotheses")
    said = {str(name): _column(c, f"hypotheses of {name!r}") for name, c in systems.items()}
    for name, column in said.items():
        if len(column) != len(frame):
            raise MismatchError(
                f"{len(frame)} references, {len(column)} hypotheses of {name!r}",
                fix="give one hypothesis per reference; an empty string where there is none",
            )
    return Corpus.of(frame, said)


def load(folder: str | Path) -> Scores:
    """Read scores back; they can be filtered, grouped and added as before."""
    result = read_result(folder)
    if result.kind != "scores":
        raise InputError(f"this is a result of kind {result.kind!r}, not scores", where=str(folder))
    signatures = result.provenance["signatures"]
    columns = tuple(
        Column(label, METRICS.create(label), Signature.parse(signatures[label]))
        for label in result.provenance["metrics"]
    )
    return Scores(result.tables["utterances"].drop(list(signatures)), columns)


def _sign(label: str, metric: Metric, pairs: Pairs) -> Signature:
    return Signature(label.partition(":")[0], options_of(metric) + pairs.settings)


def _column(values: Any, what: str) -> pl.Series:
    import polars as pl

    if isinstance(values, str):
        values = [values]
    try:
        column = values if isinstance(values, pl.Series) else pl.Series(values)
        return column if column.dtype == pl.String else column.cast(pl.String, strict=True)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"not a column of strings: {error}", where=what) from None
