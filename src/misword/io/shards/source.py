"""Shards as a source of texts: `misword.score(misword.shards("run/*.parquet"))`."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import Any

from misword.core.engines import ENGINES, Engine
from misword.core.errors import OptionError
from misword.io.files.sources import is_url
from misword.io.shards import ShardReading, Shards
from misword.io.shards.files import named_path
from misword.io.transcripts.columns import plain_name
from misword.io.transcripts.pairing import Missing, check_missing
from misword.io.transcripts.read import names_of_systems

PathName = str | PathLike[str]
AUTO = "auto"


def shards(
    references: PathName,
    hypotheses: PathName | Sequence[PathName] = (),
    *,
    engine: str | Engine = AUTO,
    out: PathName | None = None,
    keep_going: bool = False,
    workers: int | None = None,
    by: str | Sequence[str] = (),
    names: Sequence[str] | None = None,
    id_column: str | None = None,
    reference_column: str | None = None,
    hypothesis_column: str | Sequence[str] | None = None,
    input_format: str | None = None,
    hypothesis_format: str | None = None,
    missing: Missing = "error",
) -> Shards:
    r"""Name the files of a corpus that is too large for one file, and how they are processed.

    `misword.score`, `compare`, `oracle` and `corrupt` take the result in place of texts. They read
    each file in parts and add the numbers up; these are the numbers of all texts together.

    `references` is a folder or a pattern of Parquet, CSV or JSON-lines files (`run/*.parquet`),
    local or a URL that fsspec knows (`s3://...`). The hypotheses are columns of the same files, or
    `hypotheses` names a pattern for each system: file k of each side has the same utterances.

    `engine` is `serial`, `process`, `ray`, or the address of a Ray cluster (`ray://head:10001`).
    `auto` is `serial` for one shard and for less than 64 MB of shards, otherwise `process`.
    `workers` is the number of shards that are processed at a time. `by` names columns of metadata
    to group by. With `out`, finished shards are kept in this folder, and a run that is started
    again continues with the others. With `keep_going`, shards that cannot be used are left out.
    The other arguments are those of `misword.read_corpus`.

    >>> import tempfile, pathlib, misword
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k, hyp in enumerate(["a x c", "d e"]):
    ...     size = (folder / f"{k}.csv").write_text(f"id,reference,hypothesis\n{k},a b c,{hyp}\n")
    >>> misword.score(misword.shards(folder / "*.csv"), metrics="wer")["wer"]
    0.6666666666666666
    """
    sides = [fspath(path) for path in (references, *_listed(hypotheses))]
    columns: Sequence[str] = _listed(hypothesis_column or ())
    check_missing(missing)
    systems = names_of_systems([named_path(side) for side in sides[1:] or sides], columns, names)
    reading = ShardReading(
        tuple(systems),
        id_column,
        reference_column,
        tuple(columns) or (None,),
        tuple(dict.fromkeys(map(plain_name, _listed(by)))),
        missing,
        input_format,
        hypothesis_format,
    )
    folder = None if out is None else fspath(out)
    return Shards(tuple(sides), reading, _engine(engine), folder, keep_going, workers)


def _listed(names: Any) -> list[Any]:
    """Return a list of names; a name alone is a list of one."""
    return [names] if isinstance(names, str | PathLike) else list(names)


def _engine(engine: str | Engine) -> Engine | None:
    """Return the engine of a spec; None if it is to be chosen."""
    if isinstance(engine, str):
        return None if engine == AUTO else ENGINES.create(engine)
    return engine


def check_local(source: Shards) -> None:
    """Raise if the folder for finished shards is a URL."""
    if source.out is not None and is_url(source.out):
        raise OptionError(
            "it is a URL", where=source.out, fix="name a folder that all workers share"
        )
