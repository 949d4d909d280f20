"""Score hypotheses against references by any metrics, in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.asr.metrics import METRICS, Metric, checked, labelled
from misword.asr.pairs import Pairs, prepare
from misword.asr.word_tables import records, word_tables
from misword.core.context import Context
from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.signature import Signature
from misword.core.types import OWN_COLUMNS, Corpus
from misword.io.results import read_result
from misword.stat.records import Records
from misword.stat.resampling import Statistics
from misword.stat.scores import Column, Scores

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors

DEFAULT_METRICS = ("wer", "cer")


def score(
    references: Any,
    hypotheses: Any = None,
    metrics: str | Iterable[str] = DEFAULT_METRICS,
    *,
    normalize: str | Iterable[str] = "nfc",
    alternatives: bool = True,
    equivalents: Iterable[Iterable[str]] = (),
    lang: str | None = None,
    vectors: str | PathLike[str] | WordVectors | None = None,
    metadata: Any = None,
    ids: Any = None,
    cache: bool = False,
    workers: int | None = None,
) -> Scores:
    """Score columns of text: lists, polars or pandas columns, Arrow arrays; or a `Corpus`.

    `hypotheses` is one column, or several by the systems' names (a mapping, a frame); `metadata`
    anything that polars makes a frame of, a row per reference. `lang` (`fr`) and `vectors` (a file,
    or `WordVectors`) are for the metrics that need them; `cache` keeps what models make of
    sentences on disk for the next run.

    >>> import misword
    >>> scores = misword.score(["the cat sat"], {"a": ["the cat sat"], "b": ["a cat"]}, "wer")
    >>> scores.summary(bootstrap=0).select("system", "rate").rows()
    [('a', 0.0), ('b', 0.6666666666666666)]
    """
    context = Context.of(lang, vectors, cache=cache, workers=workers)
    chosen = choose(metrics, context)
    pairs = prepare(
        make_corpus(references, hypotheses, metadata=metadata, ids=ids),
        normalize_with=normalize,
        alternatives=alternatives,
        equivalents=equivalents,
        context=context,
    )
    return score_pairs(pairs, chosen)


def choose(metrics: str | Iterable[str], context: Context) -> dict[str, Metric]:
    """The named metrics, checked: what they lack is told before any text is read."""
    chosen = METRICS.create_all(metrics)
    if not chosen:
        raise OptionError("no metric is named", fix=f"known: {', '.join(METRICS.names())}")
    for label, metric in chosen.items():
        checked(label, metric, context)
    if context.cache and any(getattr(metric, "kept", False) for metric in chosen.values()):
        from misword.embed import sentence_cache

        sentence_cache.check()
    for label, metric in chosen.items():  # opens vectors and models, after what is cheap to refuse
        with labelled(label):
            metric.settings(context)
    return chosen


def score_pairs(pairs: Pairs, metrics: Mapping[str, Metric]) -> Scores:
    """Measure prepared pairs by what `choose` chose; who shares a view shares its alignment."""
    first = sorted(metrics, key=lambda label: not getattr(metrics[label], "operations", False))
    measured = {label: metrics[label].measure(pairs) for label in first}
    tables = word_tables(pairs, metrics)
    table, columns = pairs.keys, []
    for label, metric in metrics.items():
        counted = _columns(label, metric, measured[label])
        taken = {f"{label}.rate", *(column.name for column in counted)}
        if clash := taken.intersection(table.columns):
            raise OptionError(f"metadata has a column {clash.pop()!r}", fix="rename it")
        table = table.hstack(counted)
        signature = Signature(label.partition(":")[0], _settings(metric, pairs))
        columns.append(Column(label, metric, signature, tables.of.get(label, "")))
    return Scores(table, tuple(columns), records(pairs, metrics))


def _settings(metric: Metric, pairs: Pairs) -> tuple[tuple[str, str], ...]:
    """What decides a number; of a metric that learns from all references, which they are."""
    fitted: tuple[tuple[str, str], ...] = ()
    if getattr(metric, "fitted", False):
        learnt = sha256("\n".join(sorted(pairs.learnt)).encode()).hexdigest()
        fitted = (("fitted", f"references-{learnt[:12]}"),)
    return metric.settings(pairs.context) + fitted + pairs.settings


def _columns(label: str, metric: Metric, measured: Statistics) -> list[pl.Series]:
    """Statistics as columns: counts are whole numbers."""
    import polars as pl

    columns = []
    for name, values in zip(metric.statistics, np.asarray(measured).T, strict=True):
        whole = name not in metric.fractional
        if whole and values.dtype.kind == "f" and not (values == np.rint(values)).all():
            raise TypeError(f"{label}.{name} is not whole: {label} must name it in `fractional`")
        kept = np.array(values, np.int64 if whole else np.float64)
        columns.append(pl.Series(f"{label}.{name}", kept))
    return columns


def make_corpus(
    references: Any, hypotheses: Any, *, metadata: Any = None, ids: Any = None
) -> Corpus:
    """A Corpus from columns in memory; without `ids` the utterances are numbered from 1."""
    import polars as pl

    if isinstance(references, Corpus):
        if any(given is not None for given in (hypotheses, metadata, ids)):
            raise OptionError("a Corpus has its own hypotheses, metadata and ids")
        return references
    texts = _column(references, "references")
    frame = pl.DataFrame({"utt": _ids(ids, len(texts)), "text": texts})
    if metadata is not None:
        extra = _frame(metadata, "metadata")
        if len(extra) != len(frame):
            raise MismatchError(f"{len(frame)} references, {len(extra)} rows of metadata")
        frame = frame.hstack(extra.rename(lambda n: f"{n}_" if n in OWN_COLUMNS else n))
    systems = _systems(hypotheses)
    said = {name: _column(c, f"hypotheses of {name!r}") for name, c in systems.items()}
    for name, column in said.items():
        if len(column) != len(frame):
            raise MismatchError(
                f"{len(frame)} references, {len(column)} hypotheses of {name!r}",
                fix="give one hypothesis per reference; an empty string where there is none",
            )
    return Corpus.of(frame, said)


def _systems(hypotheses: Any) -> dict[str, Any]:
    """Columns by system: of a mapping, of a frame, or one alone."""
    if hasattr(hypotheses, "columns"):
        return dict(_frame(hypotheses, "hypotheses").to_dict())
    if hypotheses is not None and not isinstance(hypotheses, Mapping):
        return {"hypothesis": hypotheses}
    if not hypotheses:
        raise InputError("there are no hypotheses")
    named = {str(name): column for name, column in hypotheses.items()}
    if len(named) < len(hypotheses):
        raise InputError("two systems have one name")
    return named


def _ids(ids: Any, size: int) -> pl.Series:
    import polars as pl

    if ids is None:
        return pl.int_range(1, size + 1, eager=True).cast(pl.String)
    names = _column(ids, "ids")
    if len(names) != size or names.null_count():
        raise MismatchError(f"{size} references, {len(names) - names.null_count()} ids")
    if names.n_unique() != size:
        raise InputError(f"id {names.filter(names.is_duplicated())[0]!r} is there twice")
    return names


def _frame(table: Any, what: str) -> pl.DataFrame:
    import polars as pl

    try:
        return pl.DataFrame(table)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"not a table: {error}", where=what) from None


def load(folder: str | Path) -> Scores:
    """Read scores back; they can be filtered, grouped and added as before."""
    from polars.exceptions import ColumnNotFoundError

    result = read_result(folder)
    if result.kind not in ("scores", "comparison"):
        raise InputError(
            f"this is a result of kind {result.kind!r}, not scores",
            where=str(folder),
            fix="name a folder that `misword score` or `misword compare` wrote",
        )
    try:
        labels, signatures = result.provenance["metrics"], result.provenance["signatures"]
        table = result.tables["utterances"].drop([f"{label}.rate" for label in labels])
        columns = tuple(
            Column(
                label,
                METRICS.create(label),
                Signature.parse(signatures[label]),
                result.provenance["words"][label],
            )
            for label in labels
        )
        names = [name for name in result.tables if name == "texts" or name.startswith("words")]
        kept = {name: partial(result.tables.__getitem__, name) for name in names}
        scores = Scores(table, columns, Records(kept))
        for label in labels:
            scores.statistics(label)
    except (KeyError, TypeError, ColumnNotFoundError) as error:
        raise InputError(f"incomplete: {error}", where=str(folder), fix="make it again") from None
    return scores


def _column(values: Any, what: str) -> pl.Series:
    import polars as pl

    if isinstance(values, str):
        values = [values]
    try:
        column = values if isinstance(values, pl.Series) else pl.Series(_listed(values))
        return column if column.dtype == pl.String else column.cast(pl.String, strict=True)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"not a column of strings: {error}", where=what) from None


def _listed(values: Any) -> Any:
    """Iterables that polars would take for one value (generators, views of a dict) as lists."""
    return values if hasattr(values, "__len__") and hasattr(values, "__getitem__") else list(values)
