"""Formats of transcript files, by name.

The table is ordered: formats are tried in this order on the content of a file, from the format
that is easiest to recognise to plain lines, which fit any text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, Literal

from misword.core.errors import OptionError
from misword.core.parts.contract import Part
from misword.core.parts.registry import Entry, Registry
from misword.io.files.sources import Source
from misword.io.transcripts.columns import Columns, Reading, Table, shape

HERE = "misword.io.transcripts.formats"


class Format(Part):
    """A file format of transcripts.

    `suffixes` are the ends of file names that decide the format (`.stm`), or whole names (`text`).
    `is_table` is True for formats with named columns; these implement `table`, the others `read`.
    `by_line` is True if each line is one transcript, so that a large file can be rewritten in
    blocks of lines; `starts_with_id` is True if each line then begins with the id of the utterance.
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

    def read_folder(self, folder: Path, encoding: str | None) -> Reading:
        """Return all transcripts of a folder, for formats of folders."""
        raise NotImplementedError

    def table(self, source: Source) -> Table:
        """Return all columns of a table format."""
        raise OptionError(
            f"{source.shown} is read as {self.name}, which has no columns",
            fix="name the format of a table with --input-format: csv, tsv, jsonl or parquet",
        )

    def read(self, source: Source, columns: Columns) -> Reading:
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
        "parquet": Entry(f"{HERE}.parquet:Parquet"),
        "hyporadise": Entry(f"{HERE}.hyporadise:HyPoradise"),
        "vosk": Entry(f"{HERE}.speech_services:Vosk"),
        "azure": Entry(f"{HERE}.speech_services:Azure"),
        "google": Entry(f"{HERE}.speech_services:Google"),
        "deepgram": Entry(f"{HERE}.speech_services:Deepgram"),
        "jsonl": Entry(f"{HERE}.jsonl:JsonLines"),
        "vtt": Entry(f"{HERE}.subtitles:Vtt"),
        "srt": Entry(f"{HERE}.subtitles:Srt"),
        "nlp": Entry(f"{HERE}.nlp:Nlp"),
        "moses": Entry(f"{HERE}.moses:Moses"),
        "srilm": Entry(f"{HERE}.srilm:Srilm"),
        "srilm-files": Entry(f"{HERE}.srilm:SrilmFiles"),
        "nemo-beams": Entry(f"{HERE}.nemo_beams:NemoBeams"),
        "kaldi-nbest": Entry(f"{HERE}.list_folders:KaldiNbest"),
        "espnet": Entry(f"{HERE}.list_folders:Espnet"),
        "csv": Entry(f"{HERE}.delimited:Csv"),
        "tsv": Entry(f"{HERE}.delimited:Tsv"),
        "trn": Entry(f"{HERE}.trn:Trn"),
        "stm": Entry(f"{HERE}.stm:Stm"),
        "ctm": Entry(f"{HERE}.ctm:Ctm"),
        "kaldi": Entry(f"{HERE}.kaldi:Kaldi"),
        "lines": Entry(f"{HERE}.lines:Lines"),
    },
)
