"""The audio of utterances: files named as utterances or recordings, and times within them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from urllib.parse import quote, urlsplit
from urllib.request import url2pathname

import numpy as np
from numpy.typing import NDArray

from misword.core.errors import OptionError
from misword.core.formatting import cut
from misword.core.lazy import pl
from misword.core.types import Result
from misword.io.files.sources import PathLike
from misword.report.explorer.alignments import SystemWords, shared_reference
from misword.report.packing import Data, packed
from misword.stat.descriptions.result_access import best_hypotheses, metadata, table

# Formats that browsers play; of two files in one folder, the first suffix decides.
SUFFIXES = (".wav", ".flac", ".mp3", ".ogg", ".oga", ".opus", ".m4a", ".aac", ".webm", ".mp4")


@dataclass(frozen=True, slots=True)
class AudioFolder:
    """The audio files of a folder and its folders, by their names without folder and suffix."""

    path: Path
    files: dict[str, list[Path]] = field(default_factory=dict)

    @classmethod
    def of(cls, path: PathLike) -> AudioFolder:
        """List the files; raise if there is no such folder or no audio in it."""
        check_audio_folder(path)
        files: dict[str, list[Path]] = {}
        for root, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names, key=_preference):
                if name.lower().endswith(SUFFIXES):
                    same = files.setdefault(PurePath(name).stem, [])
                    if not same or same[-1].parent != Path(root):
                        same.append(Path(root, name))
        if not files:
            raise OptionError(
                "no audio files in this folder",
                where=os.fspath(path),
                fix=f"formats that browsers play: {', '.join(SUFFIXES)}",
            )
        return cls(Path(path), files)

    def find(self, name: str) -> Path | str | None:
        """Return the file of a name; a message if two folders have it, None if there is none.

        The name may have a suffix or folders in front, as the paths of manifests do. If several
        folders have a file of this name, those folders decide.
        """
        plain = PurePath(name.replace("\\", "/"))
        is_file = plain.name.lower().endswith(SUFFIXES)
        found = self.files.get(plain.stem if is_file else plain.name, [])
        if len(found) > 1:
            ends = [path for path in found if path.parent.parts[-1:] == plain.parts[-2:-1]]
            found = ends if len(ends) == 1 else found
        if len(found) > 1:
            first, second, *_ = (path.relative_to(self.path).as_posix() for path in found)
            return f"There are several audio files of this name: {first}, {second}."
        return found[0] if found else None


def check_audio_folder(path: PathLike) -> None:
    """Raise if there is no such folder."""
    if not os.path.isdir(path):
        raise OptionError(
            "no such folder", where=os.fspath(path), fix="name the folder with the audio files"
        )


def _preference(name: str) -> tuple[str, int]:
    """Return the place of a file among those of one folder: by name, then by suffix."""
    plain = PurePath(name)
    suffix = plain.suffix.lower()
    return plain.stem, SUFFIXES.index(suffix) if suffix in SUFFIXES else len(SUFFIXES)


# The audio of utterances, for the explorer: a file, an address, or the problem with it.
#
# The page names files by addresses that are relative to it, so that page and audio can be moved
# together. It has no audio itself, and the browser reads a file only when the reader plays it.

# The column of NeMo manifests with the file of an utterance.
COLUMN = "audio_filepath"
# Columns with the name of the recording that an utterance is a part of (stm, Kaldi's segments).
RECORDINGS = ("recording", "file")
# Columns with the times of an utterance within its file, in seconds.
BEGINS, ENDS = ("offset", "begin", "start", "start_time"), ("end", "end_time")
DURATION = "duration"
ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
Seconds = NDArray[np.float64]
LONGEST = 300  # characters of a path or address in a message


@dataclass(frozen=True, slots=True)
class AudioPlaces:
    """Where audio is looked for, and where the page will be.

    `folder` is the folder that the user named. `page` is the folder of the page; None if it is not
    known, in which case files have absolute addresses.
    """

    folder: AudioFolder | None = None
    page: Path | None = None


@dataclass(slots=True)
class _Sources:
    """The distinct sources of audio, each as data of the page, in order of appearance."""

    places: AudioPlaces
    bases: list[Path]
    numbers: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, kind: str, text: str) -> int:
        """Return the number of a source."""
        return self.numbers.setdefault((kind, text), len(self.numbers))

    def named(self, name: str) -> tuple[str, str]:
        """Return the source that a value of the column names."""
        if not name:
            return "problem", "No audio file is named for this utterance."
        if name.lower().startswith("file://"):
            name = url2pathname(urlsplit(name).path)
        elif ADDRESS.match(name):
            is_web = name.lower().startswith(("http://", "https://"))
            told = f"The audio is at {cut(name, LONGEST)}, which this page cannot play."
            return ("link", name) if is_web else ("problem", told)
        if not name.lower().endswith(SUFFIXES):
            return "problem", f"{cut(name, LONGEST)} is no audio file that browsers play."
        found = next((path for base in self.bases if os.path.isfile(path := base / name)), None)
        if found is None:
            return "problem", f"There is no audio file {cut(name, LONGEST)}."
        return "file", str(found.absolute())

    def data(self) -> list[Data]:
        """Return the sources; files with their address and their name."""
        return [
            {"kind": kind, "text": Path(text).name if kind == "file" else text,
             "url": _address(Path(text), self.places.page) if kind == "file" else ""}
            for kind, text in self.numbers
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Audio:
    """The audio of utterances: the number of the source of each, and its times in seconds.

    A source has `kind` (`file`, `link` or `problem`), `text`, and the `url` of a file. Times that
    are unknown are nan. `is_whole` says which files have nothing but their utterance, and
    `utterance_begin` when each utterance begins in its recording.
    """

    sources: list[Data]
    codes: NDArray[np.int64]
    begin: Seconds
    end: Seconds
    is_whole: NDArray[np.bool_]
    utterance_begin: Seconds

    def count(self, kind: str) -> int:
        """Return the number of utterances whose source is of a kind."""
        numbers = [number for number, source in enumerate(self.sources) if source["kind"] == kind]
        return int(np.isin(self.codes, numbers).sum())

    def word_times(self, begins: pl.DataFrame, words: list[SystemWords], ids: list[str]) -> Data:
        """Return when each reference word begins in the file of its utterance, as data of the page.

        `begins` is the record of the begins of words, in seconds of the recording. If only words of
        hypotheses have times, a reference word has that of the word aligned with it. Times of words
        without one are those of the word before. There are no data if the systems have different
        reference words, or no utterance has times.
        """
        reference = shared_reference(words)
        if reference is None:
            return {}
        lengths = np.bincount(reference["utterance"].to_numpy(), minlength=len(ids))
        found = _begins_of_references(begins, words, ids, lengths)
        if not np.isfinite(found).any():
            return {}
        offset = np.where(self.is_whole, np.nan_to_num(self.utterance_begin), 0.0)
        found = np.maximum(found - np.repeat(offset, lengths), 0)
        tenths = np.where(np.isfinite(found), np.rint(10 * found) + 1, 0).astype(np.int64)
        return {"lengths": packed(lengths), "tenths": packed(tenths)}

    def data(self) -> Data:
        """Return the data of the page."""
        begin, end = (
            packed(times) if np.isfinite(times).any() else None for times in (self.begin, self.end)
        )
        return {"sources": self.sources, "codes": packed(self.codes), "begin": begin, "end": end}


def find_audio(result: Result, ids: list[str], places: AudioPlaces) -> Audio | None:
    """Return the audio of each utterance; None if the result and the user name no audio."""
    columns = _columns(result, len(ids))
    sources = _Sources(places, _base_folders(result))
    found = _in_folder(ids, columns, sources) or _in_columns(ids, columns, sources)
    if found is None:
        return None
    # A file that is named as the utterance has nothing but the utterance.
    is_whole = np.array([whole for _, whole in found])
    times = _times(columns, len(ids))
    begin, end = (np.where(is_whole, np.nan, side) for side in times)
    codes = np.array([code for code, _ in found], np.int64)
    return Audio(sources.data(), codes, begin, end, is_whole, times[0])


def _begins_of_references(
    begins: pl.DataFrame, words: list[SystemWords], ids: list[str], lengths: NDArray[np.int64]
) -> Seconds:
    """Return the begin of each reference word of all utterances; nan where none is known."""
    known = pl.DataFrame({"utt": ids, "utterance": np.arange(len(ids))})
    own = begins.filter(side="reference").join(known, on="utt", how="inner")
    found = _places(own, lengths)
    systems = begins.filter(side="hypothesis").partition_by("system", as_dict=True)
    for one in words:
        rows = systems.get((one.system,))
        if rows is None:
            continue
        sizes = one.sizes("hypothesis")
        spoken = np.bincount(one.utterance, weights=sizes, minlength=len(ids)).astype(np.int64)
        heard = _places(rows.join(known, on="utt", how="inner"), spoken)
        references = one.sizes("reference")
        at, last = np.cumsum(sizes) - sizes, (np.cumsum(spoken) - 1)[one.utterance]
        has_both = (references > 0) & (spoken[one.utterance] > 0)
        place = (np.cumsum(references) - references)[has_both]
        new = heard[np.minimum(at, last)[has_both]]
        found[place] = np.where(np.isnan(found[place]), new, found[place])
    utterance = pl.Series(np.repeat(np.arange(len(ids)), lengths))
    filled = pl.DataFrame({"utterance": utterance, "begin": found}).select(
        pl.col("begin").fill_nan(None).forward_fill().over("utterance")
    )
    return filled["begin"].fill_null(np.nan).to_numpy()


def _places(rows: pl.DataFrame, lengths: NDArray[np.int64]) -> Seconds:
    """Return the begins of the words of all utterances, as far as their numbers of words agree."""
    found = np.full(int(lengths.sum()), np.nan)
    utterance, place = (rows[name].to_numpy() for name in ("utterance", "place"))
    counted = np.bincount(utterance, minlength=len(lengths))
    agree = (counted == lengths)[utterance]
    starts = np.cumsum(lengths) - lengths
    found[(starts[utterance] + place)[agree]] = rows["begin"].fill_null(np.nan).to_numpy()[agree]
    return found


def audio_notes(audio: Audio) -> list[str]:
    """Return a note on utterances that have no audio, if there are any."""
    lacking, size = audio.count("problem"), len(audio.codes)
    if not lacking:
        return []
    return [f"no audio file for {lacking:,} of {size:,} utterances; the report names them"]


def _columns(result: Result, size: int) -> dict[str, pl.Series]:
    """Return the metadata of the first utterances, by the names of the columns."""
    frame = table(result, "utterances")
    if frame is None:
        return {}
    frame = best_hypotheses(frame).unique("utt", keep="first", maintain_order=True).head(size)
    return {name: frame[name] for name in metadata(result)}


def _base_folders(result: Result) -> list[Path]:
    """Return the folders that relative paths may start from: those of the inputs, this one."""
    options = result.provenance.get("options")
    named = [options.get("reference"), *(options.get("metadata") or ())] if options else []
    parents = [Path(name).parent for name in named if isinstance(name, str)]
    return list(dict.fromkeys([*parents, Path()]))


def _in_folder(
    ids: list[str], columns: dict[str, pl.Series], sources: _Sources
) -> list[tuple[int, bool]] | None:
    """Return, for each utterance, its source in the folder, and whether it is the utterance alone.

    Files are named as the utterance, as the column of NeMo says, or as the recording.
    """
    folder = sources.places.folder
    if folder is None:
        return None
    others = [columns[name].to_list() for name in (COLUMN, *RECORDINGS) if name in columns]
    found = []
    for number, utt in enumerate(ids):
        names = [utt, *(str(values[number]) for values in others if values[number] is not None)]
        matches = [(place, path) for place, name in enumerate(names) if (path := folder.find(name))]
        if matches:
            place, path = matches[0]
            source = ("problem", path) if isinstance(path, str) else ("file", str(path.absolute()))
            found.append((sources.add(*source), place == 0))
        else:
            name, where = cut(names[-1], LONGEST), cut(str(folder.path), LONGEST)
            told = f"There is no audio file for {name} in {where}."
            found.append((sources.add("problem", told), False))
    return found


def _in_columns(
    ids: list[str], columns: dict[str, pl.Series], sources: _Sources
) -> list[tuple[int, bool]] | None:
    """Return the sources that the column of NeMo names, or the ids if they are audio files."""
    if COLUMN in columns:
        named = [sources.named("" if value is None else str(value)) for value in columns[COLUMN]]
    else:
        if not any(utt.lower().endswith(SUFFIXES) for utt in ids):
            return None
        named = [sources.named(utt) for utt in ids]
        if all(kind == "problem" for kind, _ in named):
            return None  # names that look like files
    return [(sources.add(*source), False) for source in named]


def _times(columns: dict[str, pl.Series], size: int) -> tuple[Seconds, Seconds]:
    """Return begin and end of each utterance within its file, in seconds; nan where unknown."""

    def numbers(*names: str) -> Seconds:
        name = next((name for name in names if name in columns), None)
        if name is None or columns[name].dtype.is_nested():
            return np.full(size, np.nan)
        values = columns[name].cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()
        return np.where(np.isfinite(values) & (values >= 0), values, np.nan)

    begin, end = numbers(*BEGINS), numbers(*ENDS)
    end = np.where(np.isnan(end), begin + numbers(DURATION), end)
    return begin, np.where(end > begin, end, np.nan)


def _address(path: Path, page: Path | None) -> str:
    """Return the address of a file, relative to the folder of the page if there is a way."""
    if page is not None:
        try:
            relative = os.path.relpath(path, page.absolute())
        except ValueError:  # another drive
            return path.as_uri()
        return quote(os.fsencode(relative.replace(os.sep, "/")))
    return path.as_uri()
