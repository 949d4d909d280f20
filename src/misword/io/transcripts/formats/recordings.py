"""Files that are the transcript of one recording: the utterance and its id."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from misword.io.files.sources import Source
from misword.io.transcripts.columns import Reading

if TYPE_CHECKING:
    import polars as pl


def recording_id(source: Source) -> str:
    """Return the id of a recording: the name of its file without the suffix."""
    return Path(source.name).stem if source.name else "stdin"


def one_utterance(
    source: Source, text: str, words: pl.DataFrame | None = None, notes: tuple[str, ...] = ()
) -> Reading:
    """Return a file as one utterance, with the metadata of its words if there are any."""
    import polars as pl

    row = {"utt": [recording_id(source)], "text": [text], "line": [1]}
    return Reading(pl.DataFrame(row, schema_overrides={"line": pl.Int64}), notes, words=words)
