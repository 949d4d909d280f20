"""Folders with a file for each recording: a set of utterances whose ids are the files' names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.io.files.sources import PathLike, inner_name, open_source, shown_path, unreadable
from misword.io.transcripts.columns import Columns, SourceTranscripts
from misword.io.transcripts.detection import stem_of
from misword.io.transcripts.formats import FORMATS, RANK, Format, ListFormat
from misword.io.transcripts.pairing import (
    RECORDING,
    Transcript,
    join_utterances,
    places_of,
    recordings_of,
)
from misword.io.transcripts.words import with_ids_of_recording

PLAIN = "lines"  # the format of .txt files
PLAIN_SUFFIXES = (".txt",)
# Formats whose files have several utterances with ids that are those of the whole folder.
OF_SEVERAL = ("seglst", "trn", "stm", "ctm")
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
    several = part.name in OF_SEVERAL
    rows = [_placed(one) for one in readings] if several else map(_named, readings, ids, files)
    notes = [note for reading in readings for note in reading.notes]
    extra = len(turn_files(folder)) if part.name == "ctm" else 0
    if others := len(visible_files(folder)) - len(files) - extra:
        found = f"{counted(others, 'file')} of other formats than {part.name}"
        notes.append(f"{shown_path(folder)}: {found} left out")
    words = [
        reading.words if several else with_ids_of_recording(reading.words, utt)
        for reading, utt in zip(readings, ids, strict=True)
        if reading.words is not None
    ]
    signs = [one.spoken_signs for one in readings if one.spoken_signs is not None]
    ignored = [reading.ignored for reading in readings if reading.ignored is not None]
    reading = SourceTranscripts(
        pl.concat(rows, how="diagonal_relaxed"),
        tuple(notes),
        pl.concat(ignored) if ignored else None,
        pl.concat(words) if words else None,
        spoken_signs=sum(signs) if signs else None,
    )
    if part.name == "ctm":
        reading = with_speakers_of_folder(reading, folder, encoding)
    return part, reading


def turn_files(folder: Path) -> list[Path]:
    """Return the RTTM files of a folder."""
    suffixes = FORMATS.load("rttm").suffixes
    return [file for file in visible_files(folder) if inner_name(file).lower().endswith(suffixes)]


def with_speakers_of_folder(
    reading: SourceTranscripts, folder: Path, encoding: str | None
) -> SourceTranscripts:
    """Return words of ctm files with the speakers of the RTTM files of the folder, if any."""
    files = turn_files(folder)
    if not files or reading.words is None:
        return reading
    from misword.io.transcripts.formats.nist import read_turns, with_speakers_of

    turns = pl.concat([read_turns(open_source(file, encoding)) for file in files]).sort("begin")
    words, notes = with_speakers_of(reading.words, turns, shown_path(folder))
    return replace(reading, words=words, notes=(*reading.notes, *notes))


def _placed(reading: SourceTranscripts) -> pl.DataFrame:
    """Return the rows of a file of several utterances, whose ids and metadata are its own."""
    return reading.frame.with_columns(no_lines())


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
    found = _files_by_content(folder, format)
    if found is not None:
        return found
    specs = [format] if format is not None else list(FORMATS.entries())
    for spec in specs:
        part = FORMATS.create(spec)
        if part.name == "rttm" and format is None:  # beside ctm files
            continue
        if not (part.one_recording or part.name in (PLAIN, *OF_SEVERAL)) or _has_no_suffix(part):
            continue
        suffixes = part.suffixes or PLAIN_SUFFIXES
        names = [
            file for file in visible_files(folder) if inner_name(file).lower().endswith(suffixes)
        ]
        if names:
            return part, names
    single = [name for name in FORMATS.names() if FORMATS.load(name).one_recording]
    usable = (*single, *OF_SEVERAL, PLAIN)
    if format is not None and format.partition(":")[0] not in usable:
        raise OptionError(
            f"{folder} is a folder; a file of the format {format!r} is not one recording",
            fix=f"name a file inside it; formats of folders: {', '.join(usable)}",
        )
    inner = folder / "text"
    fix = "name a file inside it, or a folder with files of one format: "
    fix += f"{', '.join([*single, *OF_SEVERAL])}, txt"
    raise InputError(
        "this is a folder, not a file",
        where=str(folder),
        fix=f"did you mean {inner}?" if inner.is_file() else fix,
    )


def _has_no_suffix(part: Format) -> bool:
    """Return whether only the content of a file tells that it has this format."""
    return isinstance(part, ListFormat) or (part.one_recording and not part.suffixes)


def _files_by_content(folder: Path, format: str | None) -> tuple[Format, list[Path]] | None:
    """Return the format that one of the first files has by its content, and its files, or None.

    Formats of recognisers have no suffixes of their own; all files with the suffix of that file are
    read.
    """
    files = visible_files(folder)
    specs = [format] if format is not None else list(FORMATS.entries())
    parts = [part for part in map(FORMATS.create, specs) if _may_be_found(part)]
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


def _may_be_found(part: Format) -> bool:
    return (_has_no_suffix(part) and part.one_recording) or part.name == "seglst"


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
    """Return a file as one utterance, or as its utterances in formats of several."""
    reading = part.read(open_source(path, encoding), columns)
    if part.one_recording or part.name in OF_SEVERAL:
        return reading
    joined = reading.frame.select(pl.col("text").str.strip_chars().str.join(" "))
    return SourceTranscripts(joined, reading.notes)


def same_recordings(sides: Sequence[Transcript]) -> list[Transcript]:
    """Return transcripts of one recording each with the id of the first one.

    Two files such as `reference.srt` and `whisper.srt` belong together whatever their names are. If
    one of the files is a recording, the lines of plain texts are the lines of one text, and
    segments of hypotheses are joined. Segments of references stay as they are.
    """
    if not any(map(_is_recording, sides)) or (
        sides[0].format != PLAIN and sides[0].frame.height > 1
    ):
        return list(sides)
    first, *others = (_as_one(side) for side in sides)
    utt = first.numbered["utt"][0] if first.has_ids else stem_of(first.path)
    return [_renamed(side, utt) for side in (first, *others)]


def of_same_recording(transcript: Transcript, references: Transcript) -> Transcript:
    """Return a transcript with the id of the one reference, if both are one recording."""
    return same_recordings([references, transcript])[1]


def _is_recording(side: Transcript) -> bool:
    """Return whether a transcript is a file of one recording; a folder has places without lines."""
    one = FORMATS.load(side.format).one_recording and side.frame.height == 1
    return one and not side.frame["line"].null_count()


def _as_one(side: Transcript) -> Transcript:
    """Return the transcript of one recording as one utterance; others are returned unchanged."""
    frame = side.frame
    if frame.height == 1 or frame["line"].null_count() or side.lists is not None:
        return side
    if side.format == PLAIN:
        text = frame["text"].str.strip_chars()
        row = pl.DataFrame({"text": [text.filter(text != "").str.join(" ").item() or ""]})
        note = f"{side.path}: {counted(frame.height, 'line')} joined into the text of one recording"
        row = row.with_columns(pl.lit(1, pl.Int64).alias("line"))
        return replace(side, frame=row, notes=(*side.notes, note))
    if side.format not in OF_SEVERAL or recordings_of(side) != 1:
        return side
    places = places_of(side, RECORDING)
    return side if places is None else join_utterances(side, places)


def _renamed(side: Transcript, utt: str) -> Transcript:
    """Return a transcript of one utterance with this id; others are returned unchanged."""
    if side.frame.height > 1 or side.frame["line"].null_count():
        return side
    name = pl.lit(utt, pl.String).alias("utt")
    lists = None if side.lists is None else side.lists.with_columns(name)
    words = None if side.words is None else with_ids_of_recording(side.words, utt)
    frame = side.frame.select(name, pl.exclude("utt"))
    return replace(side, frame=frame, lists=lists, words=words)
