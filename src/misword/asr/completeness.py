"""The check that each utterance of each system has one hypothesis of each rank from 1 on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from misword.core.errors import MismatchError
from misword.core.rank_order import lists_in_order
from misword.core.types import Corpus

if TYPE_CHECKING:
    import polars as pl


def in_order(corpus: Corpus) -> bool:
    """Whether each system has a hypothesis for each reference, in the references' order.

    The other hypotheses of N-best lists follow the first one, in the order of their ranks.
    """
    import polars as pl

    ids, rows = corpus.references["utt"], corpus.hypotheses
    # Expressions do not make a column of a value that all rows have.
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
    import polars as pl

    _check_references(corpus.references["utt"])
    if in_order(corpus):
        return
    keys = corpus.hypotheses.select("utt", "system", "rank")
    unmatched = keys.join(corpus.references.select("utt"), on="utt", how="anti")
    if unmatched.height:
        raise MismatchError(f"hypothesis {unmatched['utt'][0]!r} has no reference")
    doubled = keys.is_duplicated()
    if doubled.any():
        utt, system, rank = keys.filter(doubled).row(0)
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
