"""Reading of texts to be checked: each file by itself, since their lines may not match."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from misword.asr.checking.texts import CheckedText, CheckedTexts, Side
from misword.asr.corpus_columns import text_column
from misword.core.context import Context
from misword.core.errors import InputError
from misword.io.files.sources import STDIN, open_source
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.transcripts.columns import Role
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file to be checked, and how it is read."""

    path: str
    format: str | None = None
    encoding: str | None = None
    id_column: str | None = None
    text_column: str | None = None

    def transcript(self, role: Role, references: Transcript | None = None) -> Transcript:
        """Read the file."""
        return read_transcript(
            self.path,
            role=role,
            format=self.format,
            id_column=self.id_column,
            text_column=self.text_column,
            encoding=self.encoding,
            references=references,
        )

    def read(self, side: Side, references: Transcript | None = None) -> CheckedText:
        """Read the file as one side."""
        role: Role = "reference" if "reference" in side else "hypothesis"
        return _checked(self.transcript(role, references), side, self.path)

    def read_training(self) -> CheckedText:
        """Read texts of training data; of a lexicon, both words of each entry."""
        lexicon = _lexicon(self.path)
        if lexicon is None:
            return self.read("reference")
        texts, lines = [*lexicon.source, *lexicon.target], [*lexicon.lines] * 2
        return CheckedText(self.path, "reference", texts, lines, None, _for_commands(self.path), "")


def _lexicon(path: str) -> Lexicon | None:
    """Return the lexicon in a file, or None if a file is none: most of its lines are two words."""
    if path == STDIN or not os.path.isfile(path):
        return None
    try:
        lines = open_source(path).lines
        pairs = sum(len(line.split("\t" if "\t" in line else None)) == 2 for line in lines)
        return read_lexicon(path) if pairs > len(lines) / 2 else None
    except InputError:
        return None


def _checked(transcript: Transcript, side: Side, path: str) -> CheckedText:
    frame = transcript.frame
    ids = frame["utt"].to_list() if transcript.has_ids else None
    texts, lines = frame["text"].to_list(), frame["line"].to_list()
    return CheckedText(path, side, texts, lines, ids, _for_commands(path), transcript.format)


def _for_commands(path: str) -> str:
    """Return the path of a file; empty for standard input, which no command can change."""
    return "" if path == STDIN else path


def read_checked(
    reference: str,
    hypotheses: Sequence[CheckedFile] = (),
    *,
    reading: CheckedFile | None = None,
    translations: Sequence[CheckedFile] = (),
    translation_references: CheckedFile | None = None,
    training: Sequence[CheckedFile] = (),
    context: Context | None = None,
) -> CheckedTexts:
    """Read the texts of files; without hypotheses, both sides are columns of the reference file.

    A file without columns is then checked by itself. `reading` says how the reference file is read.
    """
    file = reading or CheckedFile(reference)
    ours, theirs = _sides(file, hypotheses)
    targets = translation_references
    return CheckedTexts(
        ours,
        theirs,
        tuple(one.read("translation") for one in translations),
        None if targets is None else targets.read("translation reference"),
        tuple(one.read_training() for one in training),
        context or Context(),
    )


def _sides(
    file: CheckedFile, hypotheses: Sequence[CheckedFile]
) -> tuple[CheckedText, tuple[CheckedText, ...]]:
    """Read references and hypotheses."""
    if not hypotheses and file.path == STDIN:  # it can be read once, so it must have both sides
        return _both_sides(file)
    transcript = file.transcript("reference")
    if not hypotheses and FORMATS.load(transcript.format).is_table:
        return _both_sides(file)
    theirs = tuple(one.read("hypothesis", transcript) for one in hypotheses)
    return _checked(transcript, "reference", file.path), theirs


def _both_sides(file: CheckedFile) -> tuple[CheckedText, tuple[CheckedText, ...]]:
    """Read references and hypotheses from the columns of one table."""
    corpus, _ = read_corpus(
        file.path, format=file.format, encoding=file.encoding, id_column=file.id_column,
        reference_column=file.text_column,
    )  # fmt: skip
    texts = corpus.references["text"].to_list()
    ids, lines = corpus.references["utt"].to_list(), range(1, len(texts) + 1)
    path = _for_commands(file.path)
    ours = CheckedText(f"{file.path} (references)", "reference", texts, lines, ids, path, "")
    systems = corpus.hypotheses.group_by("system", maintain_order=True)
    theirs = tuple(
        CheckedText(
            f"{file.path} (hypotheses)", "hypothesis", rows["text"].to_list(), lines,
            rows["utt"].to_list(), path, "",
        )
        for _, rows in systems
    )  # fmt: skip
    return ours, theirs


def text_in_memory(data: Any, side: Side, name: str) -> CheckedText:
    """Return a column of texts in memory as a checked text; null is refused."""
    column = text_column(data, name)
    if column.null_count():
        row = column.is_null().arg_max() or 0
        raise InputError(
            "there is no text (null)",
            where=f"{name}, row {row + 1}",
            fix="write an empty string where nothing was said",
        )
    return CheckedText.of(name, side, column.to_list())
