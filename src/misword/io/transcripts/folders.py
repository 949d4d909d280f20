"""Folders with a file for each recording: a set of utterances whose ids are the files' names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from misword.core.errors import InputError, OptionError
from misword.io.files.shown_paths import shown_path
from misword.io.files.sources import PathLike, counted, inner_name, open_source, unreadable
from misword.io.transcripts.columns import Columns, Reading
from misword.io.transcripts.detection import stem_of
from misword.io.transcripts.formats import FORMATS, Format
from misword.io.transcripts.pairing import Transcript

if TYPE_CHECKING:
    import polars as pl

PLAIN = "lines"  # the format of .txt files
PLAIN_SUFFIXES = (".txt",)


def read_folder(
    path: PathLike, format: str | None, columns: Columns, encoding: str | None = None
) -> Transcript:
    """Return each file of a folder as one utterance; without `format`, the suffixes decide.

    The lines of a plain text file are joined by spaces. Other files and folders inside the folder
    are not read; a note counts the files.
    """
    import polars as pl

    folder = Path(path)
    part, files = recording_files(folder, format)
    readings = [read_recording(file, part, columns, encoding) for file in files]
    rows = [reading.frame.select("text") for reading in readings]
    frame = pl.concat(rows).select(
        pl.Series("utt", recording_ids(files), pl.String),
        "text",
        pl.lit(None, pl.Int64).alias("line"),  # a place in the folder is a file, not a line
    )
    notes = [note for reading in readings for note in reading.notes]
    if others := len(visible_files(folder)) - len(files):
        found = f"{counted(others, 'file')} of other formats than {part.name}"
        notes.append(f"{shown_path(folder)}: {found} left out")
    words = [reading.words for reading in readings if reading.words is not None]
    return Transcript(shown_path(folder), part.name, frame, tuple(notes), words=_stacked(words))


def _stacked(frames: list[pl.DataFrame]) -> pl.DataFrame | None:
    import polars as pl

    return pl.concat(frames) if frames else None


def recording_files(folder: Path, format: str | None) -> tuple[Format, list[Path]]:
    """Return the format of a folder and its files of this format, sorted by name."""
    specs = [format] if format is not None else list(FORMATS.entries())
    for spec in specs:
        part = FORMATS.create(spec)
        if not part.one_recording and part.name != PLAIN:
            continue
        suffixes = part.suffixes or PLAIN_SUFFIXES
        names = [
            file for file in visible_files(folder) if inner_name(file).lower().endswith(suffixes)
        ]
        if names:
            return part, names
    single = [name for name in FORMATS.names() if FORMATS.load(name).one_recording]
    if format is not None and format.partition(":")[0] not in (*single, PLAIN):
        raise OptionError(
            f"{folder} is a folder; a file of the format {format!r} is not one recording",
            fix=f"name a file inside it; formats of folders: {', '.join([*single, PLAIN])}",
        )
    inner = folder / "text"
    fix = (
        f"name a file inside it, or a folder with files of one recording: {', '.join(single)}, txt"
    )
    raise InputError(
        "this is a folder, not a file",
        where=str(folder),
        fix=f"did you mean {inner}?" if inner.is_file() else fix,
    )


def visible_files(folder: Path) -> list[Path]:
    """Return the files of a folder, sorted by name, without hidden files."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        raise unreadable(str(folder), error) from None
    files = (folder / name for name in sorted(names) if not name.startswith("."))
    return [path for path in files if os.path.isfile(path)]


def recording_ids(files: list[Path]) -> list[str]:
    """Return the ids of the recordings; raise if two files have the same name but for suffixes."""
    places: dict[str, Path] = {}
    for file in files:
        name = stem_of(file)
        if name in places:
            raise InputError(
                f"{places[name].name} and {file.name} are the same recording, {name!r}",
                where=str(file.parent),
                fix="keep one of them",
            )
        places[name] = file
    return list(places)


def read_recording(
    path: Path, part: Format, columns: Columns, encoding: str | None = None
) -> Reading:
    """Return a file as one utterance."""
    import polars as pl

    reading = part.read(open_source(path, encoding), columns)
    if part.one_recording:
        return reading
    joined = reading.frame.select(pl.col("text").str.strip_chars().str.join(" "))
    return Reading(joined, reading.notes)


def of_same_recording(transcript: Transcript, references: Transcript) -> Transcript:
    """Return a transcript of one utterance with the id of the reference, if that is one recording.

    Two files such as `reference.srt` and `whisper.srt` belong together whatever their names are.
    """
    both = transcript.frame.height == references.frame.height == 1
    if not both or not FORMATS.load(references.format).one_recording:
        return transcript
    if references.frame["line"].null_count():  # of a folder, whose places are files and not lines
        return transcript
    return replace(transcript, frame=transcript.frame.with_columns(references.frame["utt"]))
