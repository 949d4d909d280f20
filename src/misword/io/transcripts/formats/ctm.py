"""NIST ctm files: the words of recordings with their times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.timed import fields, need_seconds, times_at

if TYPE_CHECKING:
    import polars as pl

ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")


@dataclass(frozen=True, slots=True)
class Ctm(Format):
    """`file channel begin duration word [confidence ...]`, one word a line; `;;` comments.

    Each channel of a file is one utterance with the id `file-channel`, its words sorted by time. If
    the reference is stm, the words are assigned to the segments of the reference instead.

    Known problems: alternatives (`<ALT_BEGIN>`) are refused.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "ctm"
    title: ClassVar[str] = "NIST ctm"
    rewritten_as: ClassVar[str] = "kaldi"
    suffixes: ClassVar[tuple[str, ...]] = (".ctm",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line has two times, begin and duration, after file and channel."""
        return times_at(source, 2)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Return the joined words of each channel."""
        import polars as pl

        channel = ["file", "channel"]
        groups = read_words(source).group_by(channel, maintain_order=True)
        joined = groups.agg(pl.col("word").str.join(" ").alias("text"), pl.col("line").min())
        joined = joined.sort("line")
        ids = pl.concat_str(channel, separator="-").alias("utt")
        return Reading(joined.select(ids, "text", "line", *channel))


def read_words(source: Source) -> pl.DataFrame:
    """Return all words sorted by time: `file channel begin duration word line`."""
    import polars as pl

    rows = [word(number, parts, source) for number, parts in fields(source, 5)]
    schema = {
        "file": pl.String,
        "channel": pl.String,
        "begin": pl.Float64,
        "duration": pl.Float64,
        "word": pl.String,
        "line": pl.Int64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row").sort("begin", maintain_order=True)


def word(number: int, parts: list[str], source: Source) -> tuple[Any, ...]:
    """Return the fields of one line."""
    if any(part in ALTERNATIVES for part in parts):
        raise InputError(
            "alternatives in ctm are not read",
            where=source.at(number),
            fix="keep one alternative and remove the <ALT...> lines",
        )
    if len(parts) < 5:
        raise InputError(
            f"{counted(len(parts), 'field')}, where a word has at least 5",
            where=source.at(number),
            fix="a line of a ctm file is: file channel begin duration word [confidence]",
        )
    begin = need_seconds(parts[2], "begin", source, number)
    duration = need_seconds(parts[3], "duration", source, number)
    if duration < 0:
        raise InputError(
            f"the duration is negative ({parts[3]})", where=source.at(number), fix="mend the times"
        )
    return (parts[0], parts[1], begin, duration, parts[4], number)
