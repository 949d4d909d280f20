"""Is the data what the user thinks it is? Checks of references, hypotheses and translations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from misword.asr.checking.findings import (
    SEVERITIES,
    Finding,
    Severity,
    examples_table,
    findings_table,
)
from misword.asr.checking.reading import CheckedFile, read_checked, text_in_memory
from misword.asr.checking.texts import CheckedText, CheckedTexts, Side
from misword.asr.checks import CHECKS, Check
from misword.core import display
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.formatting import counted
from misword.core.parts.contract import describe
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__

if TYPE_CHECKING:
    import polars as pl

    from misword.embed.vectors.words import WordVectors


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CheckResult(DisplayedResult):
    """What the checks found.

    Attributes:
        findings: the findings, errors first.
        checks: the checks that were made, by name.
        files: the names, sides and numbers of utterances of the texts.
    """

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

    def overview(self) -> display.Overview:
        """Return the findings."""
        names = ("severity", "check", "file", "place", "message")
        columns = tuple(display.text(name) for name in names)
        return display.Overview.of(self.line, self.main_table(), columns)

    def main_table(self) -> pl.DataFrame:
        """Return the table `findings`."""
        return findings_table(self.findings)

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables `findings`, `examples` and `files`, and their provenance."""
        import polars as pl

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


def check(
    references: Any,
    hypotheses: Any = None,
    *,
    translations: Any = None,
    translation_references: Any = None,
    training: Any = (),
    checks: str | Iterable[str] | None = None,
    lang: str | None = None,
    vectors: str | os.PathLike[str] | WordVectors | None = None,
) -> CheckResult:
    """Look for mistakes in data: slipped lines, doubled utterances, a wrong language, and so on.

    Each argument is a file, a column of texts in memory, or for `hypotheses` and `translations`
    also a mapping of these by the systems' names or a list of files. `translations` are those of
    the hypotheses, in the same order. `training` are files or columns that a system was trained on.
    `references` may also be a function that returns `CheckedTexts`. The sides may have different
    numbers of lines. `checks` names the checks to be made; the default is all of them. `lang` is
    the language that references and hypotheses should have. `vectors`, a file or `WordVectors`, say
    which words are usual, for the check `memorised`.

    >>> import misword
    >>> found = misword.check(["The dogs bark at night."] * 60, ["THE DOG BARKS AT NIGHT"] * 60)
    >>> [finding.check for finding in found.findings if finding.severity != "note"]
    ['case', 'punctuation']
    """
    context = Context.of(lang, vectors)
    chosen = create_checks(checks, context)
    if callable(references):
        texts = replace(references(), context=context)
    else:
        texts = _texts(
            references, hypotheses, translations, translation_references, training, context
        )
    return look(texts, chosen)


def create_checks(checks: str | Iterable[str] | None, context: Context) -> dict[str, Check]:
    """Create the checks of specs; raise before any text is read if one cannot be used."""
    created = CHECKS.create_all(list(CHECKS.entries()) if checks is None else checks)
    if not created:
        raise OptionError("no check is named", fix=f"known: {', '.join(CHECKS.names())}")
    for part in created.values():
        part.check(context)
    return created


def look(texts: CheckedTexts, checks: Mapping[str, Check]) -> CheckResult:
    """Make checks of texts."""
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
