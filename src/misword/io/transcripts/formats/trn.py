"""NIST trn: the transcript, then its id in parentheses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.core.errors import InputError
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.sclite_alternatives import spaced_texts
from misword.io.transcripts.formats.timed import COMMENT

LINE = r"^[ \t]*(.*?)[ \t]*\(([^()\s]+)\)[ \t]*$"
END = re.compile(r"\([^()\s]+\)[ \t]*$")
SPEAKER = r"^([^-_]+)[-_]"


@dataclass(frozen=True, slots=True)
class Trn(Format):
    """`transcript (id)` on each line; blank lines and comments (`;;`) are skipped.

    Alternatives may be written without blanks: `{a/b/@}`. If all ids have the form
    `speaker-...` or `speaker_...`, the speaker is metadata, as in sclite.

    Reference: sclite's manual, https://github.com/usnistgov/SCTK (doc/infmts.htm)
    """

    name: ClassVar[str] = "trn"
    title: ClassVar[str] = "NIST trn"
    suffixes: ClassVar[tuple[str, ...]] = (".trn",)

    def looks_like(self, source: Source) -> bool:
        """Whether every line that is neither blank nor a comment ends in `(id)`."""
        lines = (line for line in source.lines if line.strip() and not line.startswith(COMMENT))
        ids = (END.search(line) is not None for line in lines)
        return next(ids, False) and all(ids)

    def read(self, source: Source, columns: Columns) -> Reading:
        """Split each line at its last opening parenthesis."""
        import polars as pl

        groups = pl.col("line_text").str.extract_groups(LINE).struct
        frame = (
            source.lines.column("line_text")
            .to_frame()
            .with_columns(line=pl.int_range(1, pl.len() + 1, dtype=pl.Int64))
            .filter(pl.col("line_text").str.strip_chars() != "")
            .filter(~pl.col("line_text").str.starts_with(COMMENT))
            .select(utt=groups.field("2"), text=groups.field("1"), line="line")
        )
        bad = frame.filter(pl.col("utt").is_null())
        if bad.height:
            raise InputError(
                "no (id) at the end of the line",
                where=source.at(bad["line"][0]),
                fix="each line of a trn file is: transcript (id)",
            )
        frame = spaced_texts(frame, source)
        speakers = frame["utt"].str.extract(SPEAKER).alias("speaker")
        return Reading(frame if speakers.null_count() else frame.with_columns(speakers))

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return lines of text and id."""
        lines = (f"{text} ({utt})\n" for utt, text in zip(ids, texts, strict=True))
        return "".join(lines).encode()
