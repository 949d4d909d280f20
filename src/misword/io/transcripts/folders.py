"""Folders with a file for each recording: a set of utterances whose ids are the files' names."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, inner_name, open_source, shown_path, unreadable
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.detection import stem_of
from misword.io.transcripts.formats import FORMATS, RANK, Format, ListFormat
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.words import with_ids_of_recording

PLAIN = "lines"  # the format of .txt files
PLAIN_SUFFIXES = (".txt",)
SAMPLE = 5  # files whose content is looked at


def read_folder(
    path: PathLike, format: str | None, columns: Columns, encoding: str | None = None
) -> tuple[Format, SourceTranscripts]:
    """Return the format of a folder, and its transcripts.

    Without `format`, the suffixes of the files decide, or else the content of the first files. Each
    file is one utterance, except in formats of folders. The lines of a plain text file are joined
    by spaces. Other files and folders inside the folder are not read; a note counts the files.
    """
    folder = Path(path)
    whole = _format_of_folder(folder, format)
    if whole is not None:
        reading = whole.read_folder(folder, encoding)
        return whole, replace(reading, frame=reading.frame.with_columns(no_lines()))
    part, files = recording_files(folder, format)
    ids = recording_ids(files)
    readings = [read_recording(file, part, columns, encoding) for file in files]
    rows = list(map(_named, readings, ids, files))
    notes = [note for reading in readings for note in reading.notes]
    if others := len(visible_files(folder)) - len(files):
        found = f"{counted(others, 'file')} of other formats than {part.name}"
        notes.append(f"{shown_path(folder)}: {found} left out")
    words = [
        with_ids_of_recording(reading.words, utt)
        for reading, utt in zip(readings, ids, strict=True)
        if reading.words is not None
    ]
    frame = pl.concat(rows, how="diagonal_relaxed")
    return part, SourceTranscripts(frame, tuple(notes), words=pl.concat(words) if words else None)


def _format_of_folder(folder: Path, format: str | None) -> Format | None:
    """Return the format of a folder whose files belong together, or None."""
    if format is not None:
        named = FORMATS.create(format)
        return named if named.is_folder else None
    parts = (part() for part in FORMATS.classes().values() if part.is_folder)
    return next((part for part in parts if part.looks_like_folder(folder)), None)


def _named(reading: SourceTranscripts, utt: str, file: Path) -> pl.DataFrame:
    """Return the rows of a file with the id of its recording."""
    frame = reading.frame
    if "utt" in frame.columns and frame["utt"].n_unique() > 1:
        raise InputError(
            "several utterances in a file of a folder",
            where=str(file),
            fix="each file of a folder is one utterance: name this file alone",
        )
    own = [name for name in frame.columns if name not in ("utt", "text", "line")]
    kept = own if RANK in own else []
    return frame.select(pl.lit(utt).alias("utt"), "text", no_lines(), *kept)


def no_lines() -> pl.Expr:
    """Return a column of lines for a folder, where a place is a file."""
    return pl.lit(None, pl.Int64).alias("line")


def recording_files(folder: Path, format: str | None) -> tuple[Format, list[Path]]:
    """Return the format of a folder and its files of this format, sorted by name."""
    lists = _files_of_lists(folder, format)
    if lists is not None:
        return lists
    specs = [format] if format is not None else list(FORMATS.entries())
    for spec in specs:
        part = FORMATS.create(spec)
        if (not part.one_recording and part.name != PLAIN) or isinstance(part, ListFormat):
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
    plain = [name for name in single if not issubclass(FORMATS.load(name), ListFormat)]
    fix = f"name a file inside it, or a folder with files of one recording: {', '.join(plain)}, txt"
    raise InputError(
        "this is a folder, not a file",
        where=str(folder),
        fix=f"did you mean {inner}?" if inner.is_file() else fix,
    )


def _files_of_lists(folder: Path, format: str | None) -> tuple[Format, list[Path]] | None:
    """Return the format of N-best lists that one of the first files has, and its files, or None.

    These formats have no suffixes of their own; all files with the suffix of that file are read.
    """
    files = visible_files(folder)
    specs = [format] if format is not None else list(FORMATS.entries())
    parts = [part for part in map(FORMATS.create, specs) if isinstance(part, ListFormat)]
    parts = [part for part in parts if part.one_recording]
    for file in files[:SAMPLE] if parts else []:
        try:
            source = open_source(file)
            part = next((part for part in parts if part.looks_like(source)), None)
        except InputError:
            continue
        if part is not None:
            suffix = Path(inner_name(file)).suffix
            return part, [one for one in files if Path(inner_name(one)).suffix == suffix]
    return (parts[0], files) if format is not None and parts and files else None


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
) -> SourceTranscripts:
    """Return a file as one utterance."""
    reading = part.read(open_source(path, encoding), columns)
    if part.one_recording:
        return reading
    joined = reading.frame.select(pl.col("text").str.strip_chars().str.join(" "))
    return SourceTranscripts(joined, reading.notes)


def of_same_recording(transcript: Transcript, references: Transcript) -> Transcript:
    """Return a transcript of one utterance with the id of the one reference, if it is a recording.

    Two files such as `reference.srt` and `whisper.srt` belong together whatever their names are.
    """
    if not FORMATS.load(references.format).one_recording:
        return transcript
    if references.frame["line"].null_count():  # of a folder, whose places are files and not lines
        return transcript
    lists, utt = transcript.lists, references.frame["utt"]
    if lists is not None:
        lists = lists.with_columns(pl.lit(utt[0]).alias("utt"))
    words = transcript.words
    if words is not None:
        words = with_ids_of_recording(words, utt[0])
    return replace(transcript, frame=transcript.frame.with_columns(utt), lists=lists, words=words)
