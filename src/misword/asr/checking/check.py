"""The function `check`: find mistakes in references, hypotheses and translations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Unpack

from misword.asr.checking.findings import (
    SEVERITIES,
    Finding,
    Severity,
    examples_table,
    findings_table,
)
from misword.asr.checking.texts import CheckedText, CheckedTexts, Side
from misword.asr.checks import CHECKS, Check
from misword.asr.corpus import text_column
from misword.asr.options import CheckOptions
from misword.core.context import Context
from misword.core.errors import InputError, OptionError
from misword.core.formatting import counted
from misword.core.lazy import pl
from misword.core.options import takes
from misword.core.parts import describe
from misword.core.types import Description, DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import STDIN, open_source
from misword.io.lexicons import Lexicon, read_lexicon
from misword.io.transcripts.columns import Role
from misword.io.transcripts.folders import same_recordings
from misword.io.transcripts.formats import FORMATS
from misword.io.transcripts.pairing import Transcript
from misword.io.transcripts.read import read_corpus, read_transcript
from misword.io.transcripts.recordings import DividedSides, divide_sides
from misword.stat.descriptions.checks import CHECK

# Reading of the texts to be checked: each file is read alone, since line numbers may not match.


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
            input_format=self.format,
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
        """Read training texts; a lexicon gives both words of each entry as texts."""
        lexicon = _lexicon(self.path)
        if lexicon is None:
            return self.read("reference")
        texts, lines = [*lexicon.source, *lexicon.target], [*lexicon.lines] * 2
        return CheckedText(self.path, "reference", texts, lines, None, _for_commands(self.path), "")


def _lexicon(path: str) -> Lexicon | None:
    """Return the lexicon of a file; None unless most lines of the file consist of two words."""
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
    """Return the path of a file for shell commands; empty for standard input."""
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
    read = [one.transcript("hypothesis", transcript) for one in hypotheses]
    transcript, *read = same_recordings([transcript, *read])
    divided = divide_sides(transcript, {str(at): side for at, side in enumerate(read)}, "auto")
    if divided is not None:
        return _cut_sides(divided, file.path, [one.path for one in hypotheses])
    theirs = tuple(
        _checked(side, "hypothesis", one.path) for side, one in zip(read, hypotheses, strict=True)
    )
    return _checked(transcript, "reference", file.path), theirs


def _cut_sides(
    divided: DividedSides, path: str, hypotheses: Sequence[str]
) -> tuple[CheckedText, tuple[CheckedText, ...]]:
    """Return both sides by the segments of the references; recordings of one side are left out."""
    from misword.asr.options import combine
    from misword.asr.recordings.cutting import settle_segments

    corpus, _ = divided.corpus("skip")
    corpus = settle_segments(corpus, combine(Context()), (), Context())
    frame = corpus.references.join(
        divided.references.frame.select("utt", "line"), on="utt", how="left", maintain_order="left"
    )
    ids, lines = frame["utt"].to_list(), frame["line"].to_list()

    def checked(side: Side, path: str, texts: pl.Series) -> CheckedText:
        return CheckedText(path, side, texts.to_list(), lines, ids, _for_commands(path), "")

    cut = corpus.hypotheses.partition_by("system", as_dict=True)
    theirs = tuple(
        checked("hypothesis", one, cut[str(at),]["text"]) for at, one in enumerate(hypotheses)
    )
    return checked("reference", path, frame["text"]), theirs


def _both_sides(file: CheckedFile) -> tuple[CheckedText, tuple[CheckedText, ...]]:
    """Read references and hypotheses from the columns of one table."""
    corpus, _ = read_corpus(
        file.path, input_format=file.format, encoding=file.encoding, id_column=file.id_column,
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
    """Return a column of texts in memory as a checked text; raise if a text is null."""
    column = text_column(data, name)
    if column.null_count():
        row = column.is_null().arg_max() or 0
        raise InputError(
            "the text is missing (null)",
            where=f"{name}, row {row + 1}",
            fix="write an empty string where nothing was said",
        )
    return CheckedText.of(name, side, column.to_list())


# The checks and their result.


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckResult(DisplayedResult):
    """What the checks found.

    Attributes:
        findings: the findings, errors first.
        checks: the checks that were made, by name.
        files: the names, sides and numbers of utterances of the texts.
    """

    description: ClassVar[Description] = CHECK

    findings: tuple[Finding, ...]
    checks: Mapping[str, Check]
    files: tuple[tuple[str, str, int], ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is no error and no warning; notes do not count."""
        return all(finding.severity == "note" for finding in self.findings)

    @property
    def line(self) -> str:
        """The number of findings of each severity in one line."""
        counts = {severity: self._count(severity) for severity in SEVERITIES}
        texts = [counted(count, severity) for severity, count in counts.items() if count]
        return f"{counted(len(self.checks), 'check')}: {', '.join(texts) or 'nothing found'}"

    def _count(self, severity: Severity) -> int:
        return sum(finding.severity == severity for finding in self.findings)

    def main_table(self) -> pl.DataFrame:
        """Return the table `findings`."""
        return findings_table(self.findings)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables `findings`, `examples` and `files`, and their provenance."""

        schema = {"file": pl.String, "side": pl.String, "utterances": pl.Int64}
        tables = {
            "findings": findings_table(self.findings),
            "examples": examples_table(self.findings),
            "files": pl.DataFrame(self.files, schema=schema, orient="row"),
        }
        origin = {
            "misword": __version__,
            **(provenance or {}),
            "checks": list(self.checks),
            "parts": {name: describe(part) for name, part in self.checks.items()},
        }
        return Result("check", tables, origin)


@takes(CheckOptions)
def check(references: Any, hypotheses: Any = None, **options: Unpack[CheckOptions]) -> CheckResult:
    """Find mistakes in data: shifted lines, duplicate utterances, a wrong language, and so on.

    Each argument is a file, a column of texts in memory, or for `hypotheses` and `translations`
    also a mapping of these by the systems' names or a list of files. `translations` are those of
    the hypotheses, in the same order. `training` are files or columns of texts that a system was
    trained on. `references` may also be a function that returns `CheckedTexts`. The sides may have
    different numbers of lines. `checks` names the checks to be made; the default is all of them.
    `lang` is the language that references and hypotheses should have. `vectors`, a file or
    `WordVectors`, are for the check `memorised`: words with a vector count as usual.

    >>> import misword
    >>> found = misword.check(["The dogs bark at night."] * 60, ["THE DOG BARKS AT NIGHT"] * 60)
    >>> [finding.check for finding in found.findings if finding.severity != "note"]
    ['case', 'punctuation']
    """
    context = Context.of(options["lang"], options["vectors"])
    checks = create_checks(options["checks"], context)
    if callable(references):
        texts = replace(references(), context=context)
    else:
        texts = _texts(
            references,
            hypotheses,
            options["translations"],
            options["translation_references"],
            options["training"],
            context,
        )
    return run_checks(texts, checks)


def create_checks(checks: str | Iterable[str] | None, context: Context) -> dict[str, Check]:
    """Create the checks of specs; raise before any text is read if one cannot be used."""
    created = CHECKS.create_all(list(CHECKS.entries()) if checks is None else checks)
    if not created:
        raise OptionError("no check is named", fix=f"known: {', '.join(CHECKS.names())}")
    for part in created.values():
        part.check(context)
    return created


def run_checks(texts: CheckedTexts, checks: Mapping[str, Check]) -> CheckResult:
    """Run checks on texts; the findings are sorted by severity."""
    findings = [finding for part in checks.values() for finding in part.look(texts)]
    findings.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    files = tuple((text.name, text.side, len(text)) for text in texts.files)
    return CheckResult(tuple(findings), dict(checks), files)


def _texts(
    references: Any,
    hypotheses: Any,
    translations: Any,
    translation_references: Any,
    training: Any,
    context: Context,
) -> CheckedTexts:
    """Return the texts of files and columns."""
    if hypotheses is None and _is_file(references):
        return read_checked(os.fspath(references), context=context)
    targets = translation_references
    return CheckedTexts(
        _text(references, "reference"),
        _several(hypotheses, "hypothesis"),
        _several(translations, "translation"),
        None if targets is None else _text(targets, "translation reference"),
        _training(training),
        context,
    )


def _several(data: Any, side: Side, name: str = "") -> tuple[CheckedText, ...]:
    """Return the texts of one or more systems."""
    if data is None or (isinstance(data, Sequence) and not len(data)):
        return ()
    if isinstance(data, Mapping):
        return tuple(_text(column, side, str(key)) for key, column in data.items())
    if isinstance(data, list | tuple) and all(map(_is_path, data)):
        return tuple(_text(path, side) for path in data)
    return (_text(data, side, name),)


def _training(data: Any) -> tuple[CheckedText, ...]:
    """Return the texts of training data, which may be lexicons."""
    paths = [data] if _is_file(data) else data
    if isinstance(paths, list | tuple) and paths and (_is_file(data) or all(map(_is_path, paths))):
        return tuple(CheckedFile(os.fspath(path)).read_training() for path in paths)
    return _several(data, "reference", "training")


def _text(data: Any, side: Side, name: str = "") -> CheckedText:
    """Return the text of a file or a column."""
    if _is_file(data):
        return CheckedFile(os.fspath(data)).read(side)
    return text_in_memory(data, side, name or side)


def _is_file(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _is_path(data: Any) -> bool:
    """Return whether an item of a list is a path; strings in a list are texts."""
    return isinstance(data, os.PathLike)
