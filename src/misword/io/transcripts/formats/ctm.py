"""NIST ctm: words of recordings, each with its time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats.timed import fields, need_seconds, times_at

if TYPE_CHECKING:
    import polars as pl

ALTERNATIVES = ("<ALT_BEGIN>", "<ALT>", "<ALT_END>")


@dataclass(frozen=True, slots=True)
class Ctm:
    """`file channel begin duration word [confidence ...]`, one word a line; `;;` comments.

    Read by itself, each channel of a file is one utterance, `file-channel`, its words in the order
    of their times. Next to an stm reference the words go to the reference's segments.

    Known problems: alternatives (`<ALT_BEGIN>`) are refused.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "ctm"
    suffixes: ClassVar[tuple[str, ...]] = (".ctm",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line has begin and duration after file and channel."""
        return times_at(source, 2)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Join each channel's words."""
        import polars as pl

        channel = ["file", "channel"]
        groups = read_words(source).group_by(channel, maintain_order=True)
        joined = groups.agg(pl.col("word").str.join(" ").alias("text"), pl.col("line").min())
        joined = joined.sort("line")
        ids = pl.concat_str(channel, separator="-").alias("utt")
        return Reading(joined.select(ids, "text", "line", *channel))


def read_words(source: Source) -> pl.DataFrame:
    """All words: `file channel begin duration word line`, by time within each channel."""
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
    """One line's fields."""
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
