"""NIST stm files: the segments of recordings with speaker and time."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source, counted
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.sclite_alternatives import spaced_texts
from misword.io.transcripts.formats.timed import fields, need_seconds, times_at

IGNORE = "ignore_time_segment_in_scoring"
LABEL = re.compile(r"(<[^ \t]*>)(?:[ \t]+|$)")
NAMES = ("file", "channel", "speaker", "begin", "end", "label", "text", "line")


@dataclass(frozen=True, slots=True)
class Stm(Format):
    """`file channel speaker begin end [<labels>] transcript`, one segment a line; `;;` comments.

    The id is `file-channel-begin-end`, followed by the speaker if two segments have the same times.
    Segments with the text `ignore_time_segment_in_scoring`, in upper or lower case, are left out; a
    note counts them. Alternatives may be written without blanks: `{a/b/@}`.

    Known problems: as in sclite, a first word in angle brackets (`<unk>`) is read as a label.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "stm"
    title: ClassVar[str] = "NIST stm"
    rewritten_as: ClassVar[str] = "kaldi"
    suffixes: ClassVar[tuple[str, ...]] = (".stm",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line has two times, begin and end, after file, channel and speaker."""
        return times_at(source, 3)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Return the segments to score, and separately the time spans to ignore."""
        import polars as pl

        rows = [segment(number, parts, source) for number, parts in fields(source, 5)]
        types = {"begin": pl.Float64, "end": pl.Float64, "line": pl.Int64}
        schema = {name: types.get(name, pl.String) for name in NAMES}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        frame = frame.with_columns(pl.Series("utt", segment_ids(rows), pl.String))
        left_out = pl.col("text").str.to_lowercase().str.contains(IGNORE, literal=True)
        ignored, scored = frame.filter(left_out), frame.filter(~left_out)
        if scored["label"].null_count() == scored.height:
            scored = scored.drop("label")
        rest = [name for name in NAMES if name in scored.columns and name not in ("text", "line")]
        notes = (f"{source.shown}: {counted(ignored.height, 'segment')} not scored ({IGNORE})",)
        return Reading(
            spaced_texts(scored.select("utt", "text", "line", *rest), source),
            notes if ignored.height else (),
            ignored.select("utt", "file", "channel", "begin", "end"),
        )


def segment(number: int, parts: list[str], source: Source) -> tuple[Any, ...]:
    """Return the fields of one line in the order of `NAMES`."""
    if len(parts) < 5:
        raise InputError(
            f"{counted(len(parts), 'field')}, where a segment has at least 5",
            where=source.at(number),
            fix="a line of an stm file is: file channel speaker begin end [<labels>] transcript",
        )
    begin = need_seconds(parts[3], "begin", source, number)
    end = need_seconds(parts[4], "end", source, number)
    if end < begin:
        raise InputError(
            f"the segment ends ({parts[4]}) before it begins ({parts[3]})",
            where=source.at(number),
            fix="mend the times",
        )
    text = parts[5] if len(parts) > 5 else ""
    label = LABEL.match(text)
    words = text[label.end() :] if label else text
    return (*parts[:3], begin, end, label[1] if label else None, words, number)


def segment_ids(rows: list[tuple[Any, ...]]) -> list[str]:
    """Return an id of each segment that only depends on its fields, not on its line."""
    spans = [f"{row[0]}-{row[1]}-{row[3]}-{row[4]}" for row in rows]
    shared = Counter(spans)
    pairs = zip(spans, rows, strict=True)
    return [f"{span}-{row[2]}" if shared[span] > 1 else span for span, row in pairs]
