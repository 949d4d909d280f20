"""SegLST: the segments of recordings, as MeetEval and the CHiME challenges have them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, ClassVar

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.formats import Format
from misword.io.transcripts.formats.responses import (
    SAMPLE,
    Response,
    WrongResponseError,
    column,
    names,
    numbers,
    read_responses,
    texts,
)
from misword.io.transcripts.words import word_table

SESSION, WORDS = "session_id", "words"
SEGLST_FIX = (
    "a SegLST file is an array of objects with session_id, speaker, start_time, end_time and words"
)


@dataclass(frozen=True, slots=True)
class SegLst(Format):
    """An array of segments, or one a line, with `session_id`, `speaker`, `words` and times.

    The times are `start_time` and `end_time`. Each segment is an utterance with the id
    `session-speaker-begin-end`; a number follows if two segments have the same. `recording`,
    `speaker`, `begin` and `end` are metadata. The words of a segment have its times.

    Example: `misword score ref.seglst.json hyp.seglst.json --join recording`

    Reference: https://github.com/fgnt/meeteval (docs), the format of the CHiME challenges
    """

    name: ClassVar[str] = "seglst"
    sign: ClassVar[bytes] = b"session_id"
    title: ClassVar[str] = "SegLST"
    may_be_named_as: ClassVar[str] = "jsonl"
    suffixes: ClassVar[tuple[str, ...]] = (".seglst.json",)
    rewritten_as: ClassVar[str] = "kaldi"

    def looks_like(self, source: Source) -> bool:
        """Whether the first objects have a session and words as text."""
        try:
            found = list(islice(_segments(source), SAMPLE))
        except InputError:
            return False
        first = found[0][1] if found else None
        return isinstance(first, dict) and SESSION in first and isinstance(first.get(WORDS), str)

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return a transcript for each segment."""
        lines, items = [], []
        for line, item in _segments(source):
            if not isinstance(item, dict):
                raise InputError("a segment is no object", where=source.at(line), fix=SEGLST_FIX)
            lines.append(line)
            items.append(item)
        try:
            frame = _frame(items)
        except WrongResponseError as error:
            raise InputError(str(error), where=source.at(), fix=SEGLST_FIX) from None
        except UnicodeEncodeError:
            raise InputError(
                "half of a surrogate pair, which is no character", where=source.at(), fix=SEGLST_FIX
            ) from None
        if frame["text"].str.contains("\0", literal=True).any():
            raise InputError("a NUL character in a text", where=source.at(), fix=SEGLST_FIX)
        number = pl.int_range(pl.len(), dtype=pl.Int64).over("recording").alias("segment")
        words = frame.select(
            *("utt", "recording", "speaker", "begin", "end"), pl.col("text").alias("word"), number
        )
        known = [name for name in frame.columns if frame[name].null_count() < frame.height]
        return SourceTranscripts(
            frame.select(known).with_columns(pl.Series("line", lines, pl.Int64)),
            words=word_table(words),
        )

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return lines of id and text; ids have no blanks there."""
        return Format.rewrite(self, source, columns, [utt.replace(" ", "_") for utt in ids], texts)


def _segments(source: Source) -> Iterator[tuple[int, Any]]:
    """Yield the line and the content of each segment."""
    for line, value in read_responses(source):
        if isinstance(value, list):
            yield from ((line, item) for item in value)
        else:
            yield line, value


def _frame(items: Sequence[Response]) -> pl.DataFrame:
    """Return the columns of segments."""
    shown = [
        "-".join(str(item[key]) for key in (SESSION, "speaker", "start_time", "end_time")
                 if item.get(key) is not None)
        for item in items
    ]  # fmt: skip
    sessions = names(column(items, SESSION), SESSION)
    if None in sessions:
        raise WrongResponseError("a segment without 'session_id'")
    frame = pl.DataFrame(
        {
            "shown": pl.Series(shown, dtype=pl.String),
            "text": pl.Series(texts(column(items, WORDS), WORDS), dtype=pl.String),
            "recording": pl.Series(sessions, dtype=pl.String),
            "speaker": pl.Series(names(column(items, "speaker"), "speaker"), dtype=pl.String),
            "begin": pl.Series(
                numbers(column(items, "start_time"), "start_time"), dtype=pl.Float64
            ),
            "end": pl.Series(numbers(column(items, "end_time"), "end_time"), dtype=pl.Float64),
        }
    )
    place = pl.int_range(1, pl.len() + 1).over("shown")
    numbered = pl.when(pl.len().over("shown") > 1).then(
        pl.concat_str("shown", pl.lit("-"), place.cast(pl.String))
    )
    return frame.select(numbered.otherwise(pl.col("shown")).alias("utt"), pl.exclude("shown"))
