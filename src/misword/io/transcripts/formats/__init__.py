"""Formats of transcript files, by name.

The table is ordered: formats are tried in this order on the content of a file, from the format
that is easiest to recognise to plain lines, which fit any text.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal

from misword.core.errors import InputError, MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Part
from misword.core.parts.registry import Entry, Registry
from misword.io.files.sources import BOM, Source
from misword.io.transcripts.columns import Columns, SourceTable, SourceTranscripts, free_name, shape
from misword.io.transcripts.words import word_table

HERE = "misword.io.transcripts.formats"


class Format(Part):
    """A file format of transcripts.

    `suffixes` are the ends of file names that decide the format (`.stm`), or whole names (`text`).
    `sign` is what every file of the format contains near its beginning; `looks_like` examines only
    files that contain it. `is_table` is True for formats with named columns; these implement
    `table`, the others `read`. `by_line` is True if each line is one transcript, so that a large
    file can be rewritten in blocks of lines; `starts_with_id` is True if each line then begins with
    the id of the utterance.
    `rewritten_as` names the format in which a file is rewritten, if it is another one.
    `one_recording` is True if a file is the transcript of one recording: the file is one utterance,
    its id is the name of the file, and a folder of such files is a set of utterances.
    `may_be_named_as` is the name of another format whose file names files of this format have too;
    the content then decides. `is_folder` is True if the transcripts are a folder of several files,
    which `read_folder` reads. `list_ids` says what identifies the N-best lists of a format: their
    `names`, the `numbers` of the utterances from 0, or `none` (all lists are equally long).
    `both_sides` is True if a file that is not a table has references and hypotheses.
    """

    __slots__ = ()

    family: ClassVar[str] = "files"
    suffixes: ClassVar[tuple[str, ...]] = ()
    sign: ClassVar[bytes] = b""
    is_table: ClassVar[bool] = False
    by_line: ClassVar[bool] = False
    starts_with_id: ClassVar[bool] = False
    rewritten_as: ClassVar[str] = ""
    one_recording: ClassVar[bool] = False
    may_be_named_as: ClassVar[str] = ""
    is_folder: ClassVar[bool] = False
    list_ids: ClassVar[Literal["names", "numbers", "none"]] = "names"
    both_sides: ClassVar[bool] = False

    @property
    def separator(self) -> str:
        """The character between two fields, for formats such as csv; empty for all others."""
        return ""

    def looks_like(self, source: Source) -> bool:
        """Return whether the content certainly has this format, when the name does not decide."""
        return False

    def looks_like_folder(self, folder: Path) -> bool:
        """Return whether a folder certainly has this format, for formats of folders."""
        return False

    def read_folder(self, folder: Path, encoding: str | None) -> SourceTranscripts:
        """Return all transcripts of a folder, for formats of folders."""
        raise NotImplementedError

    def table(self, source: Source) -> SourceTable:
        """Return all columns of a table format."""
        raise OptionError(
            f"{source.shown} is read as {self.name}, which has no columns",
            fix="name the format of a table with --input-format: csv, tsv, jsonl or parquet",
        )

    def read(self, source: Source, columns: Columns) -> SourceTranscripts:
        """Return all transcripts, or raise an `InputError` that names the line."""
        return shape(self.table(source), columns, source)

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Return the content of the file with other texts; by default as lines of id and text."""
        lines = (f"{utt} {text}\n" for utt, text in zip(ids, texts, strict=True))
        return "".join(lines).encode()


FORMATS: Registry[Format] = Registry(
    "formats",
    {
        "parquet": Entry(f"{HERE}.tables:Parquet"),
        "xlsx": Entry(f"{HERE}.tables:Xlsx"),
        "hyporadise": Entry(f"{HERE}.hyporadise:HyPoradise"),
        "seglst": Entry(f"{HERE}.seglst:SegLst"),
        "simuleval": Entry(f"{HERE}.streams:SimulEval"),
        "simulstream": Entry(f"{HERE}.streams:SimulStream"),
        "stream": Entry(f"{HERE}.streams:Stream"),
        "vosk": Entry(f"{HERE}.recognisers:Vosk"),
        "azure": Entry(f"{HERE}.recognisers:Azure"),
        "aws": Entry(f"{HERE}.recognisers:Aws"),
        "speechmatics": Entry(f"{HERE}.recognisers:Speechmatics"),
        "ibm": Entry(f"{HERE}.recognisers:Ibm"),
        "google": Entry(f"{HERE}.recognisers:Google"),
        "deepgram": Entry(f"{HERE}.recognisers:Deepgram"),
        "assemblyai": Entry(f"{HERE}.recognisers:AssemblyAi"),
        "whisper": Entry(f"{HERE}.recognisers:Whisper"),
        "rev": Entry(f"{HERE}.recognisers:Rev"),
        "bbc-kaldi": Entry(f"{HERE}.recognisers:BbcKaldi"),
        "jsonl": Entry(f"{HERE}.jsonl:JsonLines"),
        "vtt": Entry(f"{HERE}.subtitles:Vtt"),
        "srt": Entry(f"{HERE}.subtitles:Srt"),
        "nlp": Entry(f"{HERE}.nlp:Nlp"),
        "moses": Entry(f"{HERE}.decoders:Moses"),
        "srilm": Entry(f"{HERE}.decoders:Srilm"),
        "srilm-files": Entry(f"{HERE}.decoders:SrilmFiles"),
        "nemo-beams": Entry(f"{HERE}.decoders:NemoBeams"),
        "kaldi-nbest": Entry(f"{HERE}.decoders:KaldiNbest"),
        "espnet": Entry(f"{HERE}.decoders:Espnet"),
        "textgrid": Entry(f"{HERE}.annotations:TextGrid", "annotations"),
        "elan": Entry(f"{HERE}.annotations:Elan", "annotations"),
        "rttm": Entry(f"{HERE}.nist:Rttm"),
        "csv": Entry(f"{HERE}.tables:Csv"),
        "tsv": Entry(f"{HERE}.tables:Tsv"),
        "trn": Entry(f"{HERE}.nist:Trn"),
        "stm": Entry(f"{HERE}.nist:Stm"),
        "ctm": Entry(f"{HERE}.nist:Ctm"),
        "kaldi": Entry(f"{HERE}.plain:Kaldi"),
        "lines": Entry(f"{HERE}.plain:Lines"),
    },
)

# Formats of JSON whose modules are loaded only for files that begin as JSON does.
OF_JSON = frozenset(
    ("hyporadise", "seglst", "vosk", "azure", "aws", "speechmatics", "ibm", "google", "deepgram",
     "assemblyai", "whisper", "rev", "bbc-kaldi", "simuleval", "simulstream", "stream")
)  # fmt: skip


# Formats of annotations, likewise: the ends of their names, and what their files contain.
OF_TIERS = frozenset(("textgrid", "elan"))
TIER_SUFFIXES = (".textgrid", ".eaf")
TIER_SIGNS = (b"TextGrid", b"ANNOTATION_DOCUMENT")


def format_classes(name: str = "", head: bytes = b"") -> Iterator[type[Format]]:
    """Yield the formats, in their order, that a file with this name or beginning may have."""
    lowered, start = name.lower(), head.removeprefix(BOM).lstrip()[:1]
    skipped: frozenset[str] = frozenset()
    if not lowered.endswith(".json") and start not in (b"{", b"["):
        skipped |= OF_JSON
    if not lowered.endswith(TIER_SUFFIXES) and not any(sign in head for sign in TIER_SIGNS):
        skipped |= OF_TIERS
    return (FORMATS.load(name) for name in FORMATS.entries() if name not in skipped)


# Files that are the transcript of one recording: the utterance and its id.


def recording_id(source: Source) -> str:
    """Return the id of a recording: the name of its file without the suffix."""
    return Path(source.name).stem if source.name else "stdin"


def one_recording(
    source: Source, rows: pl.DataFrame, notes: tuple[str, ...] = ()
) -> SourceTranscripts:
    """Return a file as one utterance; `rows` has the words of its text with their metadata."""
    utt = recording_id(source)
    words = word_table(rows, utt)
    texts = pl.DataFrame({"utt": [utt], "text": [words["word"].str.join(" ").item() or ""]})
    return SourceTranscripts(
        texts.with_columns(pl.lit(1, pl.Int64).alias("line")), notes, words=words
    )


# Base class and helpers of the formats of N-best lists.

# The columns of a reading with the place of a hypothesis in its list, from 1, and with its score.
RANK = free_name("rank", ())
SCORE = free_name("score", ())


class ListFormat(Format):
    """A format of N-best lists: `read` returns all hypotheses, with ranks, scores and features."""

    __slots__ = ()

    family: ClassVar[str] = "N-best lists"

    def rewrite(
        self, source: Source, columns: Columns, ids: Sequence[str], texts: Sequence[str]
    ) -> bytes:
        """Refuse: a file of N-best lists has no text of an utterance that could be replaced."""
        raise OptionError(
            f"{source.shown} has N-best lists ({self.name})", fix="name a file with one text each"
        )


@dataclass
class Hypotheses:
    """Collects the hypotheses of a source in the order of their lists.

    `add` appends a hypothesis; its rank is its place among those of the same utterance, unless it
    is given. The hypotheses of an utterance must follow each other, unless they have ranks.
    """

    source: Source
    utts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    ranks: list[int] = field(default_factory=list)
    numbers: list[dict[str, float]] = field(default_factory=list)
    _sizes: dict[str, int] = field(default_factory=dict)

    def add(
        self,
        utt: str,
        text: str,
        line: int | None,
        numbers: dict[str, float],
        rank: int | None = None,
    ) -> None:
        """Append a hypothesis; `numbers` are its features, `score` among them."""
        size = self._sizes[utt] = self._sizes.get(utt, 0) + 1
        if rank is None and size > 1 and self.utts[-1] != utt:
            raise MismatchError(
                f"the hypotheses of utterance {utt!r} do not follow each other",
                where=self.source.at(line),
                fix="if the file has the lists of several systems, make a file of each",
            )
        self.utts.append(utt)
        self.texts.append(text.strip())
        self.lines.append(line)
        self.ranks.append(size if rank is None else rank)
        self.numbers.append(numbers)

    def reading(self, notes: Iterable[str] = (), *, by_position: bool = False) -> SourceTranscripts:
        """Return all hypotheses."""
        names = dict.fromkeys(name for numbers in self.numbers for name in numbers)
        columns = [
            pl.Series("utt", self.utts, pl.String),
            pl.Series("text", self.texts, pl.String),
            pl.Series("line", self.lines, pl.Int64),
            pl.Series(RANK, self.ranks, pl.Int64),
        ]
        own = [column.name for column in columns]
        for name in names:
            shown = SCORE if name == "score" else free_name(name, own)
            columns.append(self._feature(name).alias(shown))
        return SourceTranscripts(pl.DataFrame(columns), tuple(notes), by_position=by_position)

    def _feature(self, name: str) -> pl.Series:
        return pl.Series(name, [numbers.get(name) for numbers in self.numbers], pl.Float64)


def number(text: str, what: str, source: Source, line: int | None) -> float:
    """Return a number of a text; raise if it is not a finite number."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{what} is not a finite number: {text[:40]!r}",
            where=source.at(line),
            fix="correct the line, or leave the utterance out",
        )
    return value
