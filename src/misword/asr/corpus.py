"""Make a corpus from columns in memory, and check that its hypotheses are complete."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import (
    OWN_COLUMNS,
    Corpus,
    SeveralReferences,
    check_settled,
    lists_in_order,
)
from misword.io.shards import Shards, takes_no_shards

LONGEST_NAME = 4096  # characters of a path

# A corpus from columns in memory: lists, polars or pandas columns, Arrow arrays, datasets.


def make_corpus(
    references: Any,
    hypotheses: Any,
    *,
    more_references: Iterable[Any] = (),
    merge: str = "any",
    metadata: Any = None,
    ids: Any = None,
    cuts: bool = False,
) -> Corpus:
    """Make a `Corpus` of columns in memory; without `ids` the utterances are numbered from 1.

    `references` may also be a `Corpus`, or a function without arguments that returns one. Several
    references of an utterance are merged. Unless the caller `cuts` the hypotheses of a corpus at
    the segments of its references (`asr/recordings/cutting.py`), it is an error if that is still to
    be done.
    """

    if callable(references):
        references = references()
    refuse_file_names(references, hypotheses)
    others = [text_column(column, "more references") for column in more_references]
    if isinstance(references, Corpus):
        if others or any(data is not None for data in (hypotheses, metadata, ids)):
            raise OptionError("a Corpus has its own references, hypotheses, metadata and ids")
        if not cuts:
            check_settled(references)
        return with_merged_references(references)
    texts = text_column(references, "references")
    names = _ids(ids, len(texts))
    refuse_missing(texts, "references", names)
    for other in others:
        if len(other) != len(texts):
            raise MismatchError(f"{len(texts)} references, {len(other)} more references")
        refuse_missing(other, "more references", names)
    frame = pl.DataFrame({"utt": names, "text": texts})
    if metadata is not None:
        from misword.io.transcripts.columns import with_plain_names

        extra = _frame(metadata, "metadata")
        if len(extra) != len(frame):
            raise MismatchError(f"{len(frame)} references, {len(extra)} rows of metadata")
        extra = with_plain_names(extra, "metadata")
        frame = frame.hstack(extra.rename(lambda n: f"{n}_" if n in OWN_COLUMNS else n))
    systems = _systems(hypotheses)
    columns = {name: text_column(c, f"hypotheses of {name!r}") for name, c in systems.items()}
    for name, column in columns.items():
        if len(column) != len(frame):
            raise MismatchError(
                f"{len(frame)} references, {len(column)} hypotheses of {name!r}",
                fix="give one hypothesis per reference; an empty string where there is none",
            )
        refuse_missing(column, f"hypotheses of {name!r}", names)
    corpus = Corpus.of(frame, columns)
    if others:
        numbers = (f"reference {number}" for number in range(1, len(others) + 2))
        corpus = replace(corpus, several=SeveralReferences(tuple(numbers), (texts, *others), merge))
    return with_merged_references(corpus)


def with_merged_references(corpus: Corpus) -> Corpus:
    """Return the corpus with its references merged, if the utterances have several."""
    if corpus.several is None or corpus.several.merged:
        return corpus
    from misword.alignment.several_references import merged_corpus

    return merged_corpus(corpus)


def refuse_file_names(references: Any, hypotheses: Any) -> None:
    """Raise if both sides are names of files: their names would be compared as texts."""
    sides = (references, hypotheses)
    if all(isinstance(side, str | os.PathLike) and _is_file(side) for side in sides):
        raise OptionError(
            f"{references!s} and {hypotheses!s} are names of files, and texts are expected",
            fix=f"read the files first: corpus, notes = misword.read_corpus({str(references)!r}, "
            f"{str(hypotheses)!r}); misword.score(corpus)",
        )


def _is_file(name: str | os.PathLike[str]) -> bool:
    """Return whether there is a file of this name; texts are rarely so short and without lines."""
    try:
        return len(os.fspath(name)) < LONGEST_NAME and os.path.exists(name)
    except ValueError:  # a text with NUL
        return False


def is_frame(table: Any) -> bool:
    """Return whether an object is a frame of polars or pandas, an Arrow table, or a `Dataset`."""
    return hasattr(table, "columns") or hasattr(table, "column_names")


def _systems(hypotheses: Any) -> dict[str, Any]:
    """Return the columns by system: of a mapping, of a frame, or a single column."""
    if is_frame(hypotheses):
        return dict(_frame(hypotheses, "hypotheses").to_dict())
    if hypotheses is not None and not isinstance(hypotheses, Mapping):
        return {"hypothesis": hypotheses}
    if not hypotheses:
        raise InputError("there are no hypotheses")
    named = {str(name): column for name, column in hypotheses.items()}
    if len(named) < len(hypotheses):
        raise InputError("two systems have the same name")
    return named


def _ids(ids: Any, size: int) -> pl.Series:
    if ids is None:
        return pl.int_range(1, size + 1, eager=True).cast(pl.String)
    names = text_column(ids, "ids")
    if len(names) != size or names.null_count():
        raise MismatchError(f"{size} references, {len(names) - names.null_count()} ids")
    if names.n_unique() != size:
        raise InputError(f"id {names.filter(names.is_duplicated())[0]!r} occurs twice")
    return names


def _frame(table: Any, what: str) -> pl.DataFrame:
    try:
        return table.to_polars() if hasattr(table, "to_polars") else pl.DataFrame(table)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        raise InputError(f"not a table: {error}", where=what) from None


def text_column(values: Any, what: str) -> pl.Series:
    """Return a column in memory as strings; `what` is its name in errors."""

    if isinstance(values, Shards):
        raise takes_no_shards()
    if isinstance(values, str):
        values = [values]
    try:
        return _strings(values)
    except (TypeError, ValueError, pl.exceptions.PolarsError) as error:
        if isinstance(values, list) and any(_is_nan(value) for value in values):
            return text_column([None if _is_nan(value) else value for value in values], what)
        raise InputError(f"not a column of strings: {error}", where=what) from None


def _strings(values: Any) -> pl.Series:
    """Return values as strings; nan, which pandas has where a text is missing, becomes null."""

    # The column loses its name, which polars may read as a pattern.
    column = values.alias("") if isinstance(values, pl.Series) else pl.Series(_listed(values))
    column = column.fill_nan(None) if column.dtype.is_float() else column
    return column if column.dtype == pl.String else column.cast(pl.String, strict=True)


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and value != value


def _listed(values: Any) -> Any:
    """Return generators and views of a dict as lists: polars would treat them as one value.

    A column of a Hugging Face `Dataset` reads all its rows at once if a slice is asked for.
    """
    if isinstance(values, Sequence) and not isinstance(values, list | tuple | deque):
        return values[:]
    return values if hasattr(values, "__len__") and hasattr(values, "__getitem__") else list(values)


def refuse_missing(texts: pl.Series, what: str, ids: pl.Series) -> None:
    """Raise an error that names the first utterance whose text is missing, if there is one."""
    if not texts.null_count():
        return
    row = texts.is_null().arg_max() or 0
    more = f", and {texts.null_count() - 1:,} more" if texts.null_count() > 1 else ""
    raise InputError(
        f"no text (None or NaN) for the id {ids[row]!r}, row {row + 1}{more}",
        where=what,
        fix="give an empty string where nothing was said, in pandas fillna(''); or leave the "
        "utterance out",
    )


# The check that each utterance of each system has one hypothesis of each rank from 1 on.


def in_order(corpus: Corpus) -> bool:
    """Whether each system has a hypothesis for each reference, in the references' order.

    The other hypotheses of N-best lists follow the first one, in the order of their ranks.
    """

    ids, rows = corpus.references["utt"], corpus.hypotheses
    # An expression, because it does not expand a column of one repeated value in memory.
    if not rows.select((pl.col("rank") == 1).all()).item():
        if not lists_in_order(rows, same=("utt", "system")):
            return False
        rows = rows.filter(rank=1)
    size = len(ids)
    starts = range(0, len(rows), size or 1)
    systems = pl.col("system").n_unique()
    return (
        size > 0
        and len(rows) % size == 0
        and all(rows["utt"][start : start + size].equals(ids) for start in starts)
        and all(rows[at : at + size].select(systems).item() == 1 for at in starts)
        and len({rows["system"][at] for at in starts}) == len(starts)
    )


def check_complete(corpus: Corpus) -> None:
    """Raise unless each utterance of each system has one hypothesis of each rank 1, 2, 3, ...

    Lists may have different lengths.
    """

    _check_references(corpus.references["utt"])
    if in_order(corpus):
        return
    keys = corpus.hypotheses.select("utt", "system", "rank")
    unmatched = keys.join(corpus.references.select("utt"), on="utt", how="anti")
    if unmatched.height:
        raise MismatchError(f"hypothesis {unmatched['utt'][0]!r} has no reference")
    duplicate = keys.is_duplicated()
    if duplicate.any():
        utt, system, rank = keys.filter(duplicate).row(0)
        _refuse(f"two hypotheses of rank {rank}", utt, system)
    _check_systems(corpus, keys)
    size = pl.len().over("utt", "system")
    wrong = keys.filter((pl.col("rank") < 1) | (pl.col("rank") > size) | pl.col("rank").is_null())
    if wrong.height:
        utt, system, rank = wrong.row(0)
        known = set(keys.filter(utt=utt, system=system)["rank"])
        missing = next(n for n in range(1, len(known) + 1) if n not in known)
        _refuse(f"a hypothesis of rank {rank} and none of rank {missing}", utt, system)


def _check_references(ids: pl.Series) -> None:
    if ids.n_unique() != len(ids):
        raise MismatchError(
            f"two references of utterance {ids.filter(ids.is_duplicated())[0]!r}",
            fix="give each utterance an id of its own",
        )


def _check_systems(corpus: Corpus, keys: pl.DataFrame) -> None:
    """Raise if a system has no hypothesis of a reference."""
    for system in corpus.systems:
        rows = keys.filter(system=system, rank=1)
        if rows.height == len(corpus.references):
            continue
        lacking = corpus.references.join(rows, on="utt", how="anti", maintain_order="left")["utt"]
        raise MismatchError(
            f"{len(corpus.references)} references, {rows.height} hypotheses of {system!r}: "
            f"none for {lacking[0]!r}",
            fix="an empty hypothesis is an empty string",
        )


def _refuse(what: str, utt: str, system: str) -> NoReturn:
    raise MismatchError(
        f"utterance {utt!r} has {what} (system {system!r})",
        fix="each utterance of each system needs one hypothesis of each rank: 1, 2, 3, ...",
    )
