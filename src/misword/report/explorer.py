"""The data of the utterance explorer, small enough for tens of thousands of utterances.

No object per word: a vocabulary, and for each system one stream of operations and one of word
numbers, as little-endian arrays in base64. `assets/corpus.js` reads them.
"""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from misword.core.types import Op, Result
from misword.io.transcripts.columns import typed
from misword.report.reading import best, metadata, table
from misword.report.utterances import Utterances, numbers_of
from misword.report.wording import metric_name

if TYPE_CHECKING:
    import polars as pl

# Utterances in the page, and places of alignments beside the first one: beyond, a note says so.
UTTERANCES_AT_MOST = 100_000
PLACES_AT_MOST = 5_000_000
SIDES = ("reference", "hypothesis")
PLACES = ("utt", "system", "place", "kind")
KINDS = {op.name.lower(): int(op) for op in Op}
# A hit of two words that are not written alike.
LOOSE_HIT = 4
# Costs are kept as whole numbers of this size; the largest number stands for no cost.
COST_UNIT, NO_COST = 10_000, 65_535

Data = dict[str, Any]


def explorer_data(result: Result, found: Utterances) -> Data:
    """Everything the explorer shows of a result, as JSON would have it."""
    kept = len(found.ids[:UTTERANCES_AT_MOST])
    tables, left_out = _layers(result)
    words = _vocabulary([frame[side] for frame in tables.values() for side in SIDES])
    tags = _vocabulary([tag for frame in tables.values() if (tag := _tags(frame)) is not None])
    return {
        "ids": found.ids[:kept],
        "systems": found.systems,
        "metrics": [metric_name(label) for label in found.labels],
        "rates": packed(found.rates[:, :, :kept].astype(np.float32)),
        "metadata": _metadata(result, kept),
        "words": words.to_list(),
        "tags": tags.to_list(),
        "layers": [_layer(name, frame, found, kept, words, tags) for name, frame in tables.items()],
        "total": len(found.ids),
        "leftOut": [name.removeprefix("words.") for name in left_out],
    }


def packed(values: NDArray[Any]) -> Data:
    """An array as base64: whole numbers as narrow as they fit."""
    if values.dtype.kind == "f":
        kind = f"f{values.dtype.itemsize}"
    else:
        top = int(values.max(initial=0))
        kind = "u1" if top < 1 << 8 else "u2" if top < 1 << 16 else "u4"
    data = np.ascontiguousarray(values.astype(f"<{kind}")).tobytes()
    return {"type": kind, "data": b64encode(data).decode("ascii")}


def _layers(result: Result) -> tuple[dict[str, pl.DataFrame], list[str]]:
    """The tables of aligned words that go into the page, and the names of those that do not.

    Some metrics align as words do and differ in letter case alone: they add only their prices.
    """
    kept: dict[str, pl.DataFrame] = {}
    left_out = []
    room = PLACES_AT_MOST
    for name in sorted(result.tables, key=lambda name: name != "words"):
        frame = table(result, name) if name.split(".")[0] == "words" else None
        if frame is None:
            continue
        frame = best(frame)
        first = next(iter(kept), "")
        if first and frame.select(PLACES).equals(kept[first].select(PLACES)):
            prices = [column for column in frame.columns if column.endswith(".cost")]
            kept[first] = kept[first].with_columns(frame.select(prices))
            continue
        room -= frame.height if kept else 0
        if room < 0:
            left_out.append(name)
        else:
            kept[name] = frame
    return kept, left_out


def _vocabulary(columns: list[pl.Series]) -> pl.Series:
    """Each word once; none is the first of all."""
    import polars as pl

    parts = [pl.Series([""], dtype=pl.String), *(c.cast(pl.String).drop_nulls() for c in columns)]
    return pl.concat([part.rename("word") for part in parts]).unique(maintain_order=True)


def _tags(frame: pl.DataFrame) -> pl.Series | None:
    """The tag of the reference's word, or of the inserted one."""
    import polars as pl

    names = [name for name in ("tag", "hypothesis_tag") if name in frame.columns]
    return frame.select(pl.coalesce(names))[names[0]] if names else None


def _layer(
    name: str,
    frame: pl.DataFrame,
    found: Utterances,
    kept: int,
    words: pl.Series,
    tags: pl.Series,
) -> Data:
    """One alignment of all systems, with the prices of the metrics that have them."""
    import polars as pl

    ids = pl.Series(found.ids[:kept], dtype=pl.String)
    label = name.removeprefix("words.")
    costs = [column for column in frame.columns if column.endswith(".cost")]
    streams = []
    for system in found.systems:
        part = frame.filter(system=system)
        row = numbers_of(part["utt"].cast(pl.String), ids)
        order = np.lexsort((part["place"].to_numpy(), row))
        order = order[row[order] >= 0]
        streams.append(_stream(part[order], row[order], kept, words, tags, costs))
    return {
        "name": "" if name == "words" else metric_name(label),
        "costs": [metric_name(column.removesuffix(".cost")) for column in costs],
        "systems": streams,
    }


def _stream(
    part: pl.DataFrame,
    row: NDArray[np.int64],
    kept: int,
    words: pl.Series,
    tags: pl.Series,
    costs: list[str],
) -> Data:
    """One system's alignment: what is done at each place, and the words it is done to."""
    import polars as pl

    reference, hypothesis = (numbers_of(part[side], words) for side in SIDES)
    kind = part["kind"].cast(pl.String).replace_strict(KINDS, return_dtype=pl.Int64).to_numpy()
    hit = kind == Op.HIT
    kind = np.where(hit & (reference != hypothesis), LOOSE_HIT, kind)
    # Two words at a substitution, one elsewhere: an equal pair is told once.
    written = np.stack([kind != Op.INSERTION, ~np.isin(kind, (Op.HIT, Op.DELETION))], axis=1)
    said = np.stack([reference, hypothesis], axis=1)[written]
    tag = _tags(part)
    return {
        "lengths": packed(np.bincount(row, minlength=kept)),
        "kinds": packed(kind),
        "words": packed(said),
        "tags": None if tag is None else packed(numbers_of(tag.fill_null(""), tags)),
        "costs": [packed(_costs(part[column].to_numpy(), ~hit)) for column in costs],
    }


def _costs(costs: NDArray[np.float64], wrong: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Prices of the errors, in order."""
    asked = costs[wrong]
    whole = np.rint(np.nan_to_num(asked) * COST_UNIT).clip(0, NO_COST - 1)
    return np.where(np.isfinite(asked), whole, NO_COST).astype(np.int64)


def _metadata(result: Result, kept: int) -> list[Data]:
    """Columns of numbers as numbers, all others as text by the number of the text."""
    import polars as pl

    frame = table(result, "utterances")
    if frame is None:
        return []
    frame = best(frame).unique("utt", keep="first", maintain_order=True).head(kept)
    found: list[Data] = []
    for name in metadata(result):
        column = typed(frame[name])
        if column.dtype.is_numeric():
            values = column.cast(pl.Float64).fill_null(np.nan).to_numpy()
            found.append({"name": name, "numbers": packed(values)})
            continue
        text = as_text(column)
        known = text.unique(maintain_order=True)
        codes = packed(numbers_of(text, known))
        found.append({"name": name, "values": known.to_list(), "codes": codes})
    return found


def as_text(column: pl.Series) -> pl.Series:
    """Any column as text, empty where there is nothing; lists and the like as Python shows them."""
    import polars as pl

    try:
        return column.cast(pl.String).fill_null("")
    except pl.exceptions.PolarsError:
        values = ["" if value is None else str(value) for value in column.to_list()]
        return pl.Series(values, dtype=pl.String)
