"""Verdicts of people on suspects: read, compared between reviewers, and written.

A verdict is `reference` (the reference is right), `consensus` (the systems are right), `both` (they
become alternatives) or `text` (the text that the reviewer typed is right). A row has all that is
needed to correct the reference, so that verdicts can be used without the systems.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from misword.asr.references.suspects import Suspect
from misword.core.errors import InputError
from misword.io.files.sources import PathLike
from misword.io.files.writing import whole_files
from misword.io.lexicon_writing import write_lexicon
from misword.io.transcripts.alternatives import group
from misword.io.transcripts.corrections import Correction
from misword.io.verdicts import ROWS, is_json, plain_cells, read_verdict_table, verdict_of

Verdict = Literal["", "reference", "consensus", "both", "text"]
VERDICTS: tuple[Verdict, ...] = ("reference", "consensus", "both", "text")
SPELLINGS: dict[str, Verdict] = {
    "": "",
    **dict.fromkeys(("reference", "ref", "r", "no", "keep"), VERDICTS[0]),
    **dict.fromkeys(("consensus", "c", "yes", "systems"), VERDICTS[1]),
    **dict.fromkeys(("both", "b", "either"), VERDICTS[2]),
    **dict.fromkeys(("text", "t", "typed", "other"), VERDICTS[3]),
}
KEYS = ("id", "utterance")
NEEDED = ("start", "end", "reference", "consensus")
COLUMNS = (
    *("id", "utterance", "kind", "probability", "before", "reference", "consensus", "after"),
    *("verdict", "text", "reviewer", "start", "end", "systems", "against", "evidence"),
)
FIX = "name a file of `misword references ... -o suspects.tsv`, or the one that its page saves"


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a reviewer decided about a span; `where` is its place in the file of verdicts."""

    id: str
    utt: str
    start: int
    end: int
    reference: str
    consensus: str
    verdict: Verdict
    text: str
    reviewer: str
    where: str = ""

    @property
    def new(self) -> str:
        """The text that the reference gets."""
        if self.verdict == "consensus":
            return self.consensus
        if self.verdict == "both":
            return group([self.reference, self.consensus])
        return self.text if self.verdict == "text" else self.reference

    @property
    def correction(self) -> Correction | None:
        """The correction of the reference; None if it stays as it is."""
        if self.new == self.reference:
            return None
        return Correction(self.start, self.end, self.reference, self.new)


def read_judgements(paths: Iterable[PathLike]) -> list[Judgement]:
    """Read the rows with a verdict of spreadsheets and JSON files."""
    return [judgement for path in paths for judgement in _read(path)]


def _read(path: PathLike) -> list[Judgement]:
    table = read_verdict_table(path, KEYS, FIX, once=not is_json(path))
    for name in NEEDED:
        if name not in table.columns and len(table):
            raise InputError(f"no column {name!r}", where=table.name, fix=FIX)
    empty = ("",) * len(table)
    names = (*NEEDED, "verdict", "text", "reviewer")
    columns = [plain_cells(path, table.columns.get(name, empty)) for name in names]
    rows = zip(
        plain_cells(path, table.source), plain_cells(path, table.target), *columns, strict=True
    )
    found = []
    for line, (name, utt, *cells) in zip(table.lines, rows, strict=True):
        start, end, reference, consensus, verdict, text, reviewer = cells
        where = f"{table.name}:{line}"
        judged = verdict_of(verdict, SPELLINGS, VERDICTS, where)
        typed = " ".join(text.split())
        if judged != "text" and typed:
            raise InputError(
                f"a text, {typed!r}, beside the verdict {verdict!r}",
                where=where,
                fix="write text as the verdict, or empty the column text",
            )
        if judged:
            numbers = _number(start, "start", where), _number(end, "end", where)
            found.append(
                Judgement(name, utt, *numbers, reference, consensus, judged, typed,
                          reviewer.strip(), where)
            )  # fmt: skip
    return found


def _number(text: str, name: str, where: str) -> int:
    """Return a number of a word; spreadsheet programs may write it as 3.0."""
    digits = text.strip().removesuffix(".0")
    if not digits.isdecimal():
        raise InputError(f"{name} is {text!r}, not the number of a word", where=where, fix=FIX)
    return int(digits)


@dataclass(frozen=True, slots=True)
class Decisions:
    """The verdicts of all reviewers by id: those that agree, and those that contradict others."""

    agreed: Mapping[str, tuple[Judgement, ...]]
    conflicts: Mapping[str, tuple[Judgement, ...]]

    @classmethod
    def of(cls, judgements: Iterable[Judgement]) -> Decisions:
        """Compare the verdicts on each suspect.

        Of several verdicts of one reviewer, the last counts: files are read in the order in which
        they are named.
        """
        latest: dict[str, dict[str, Judgement]] = {}
        for one in judgements:
            of_suspect = latest.setdefault(one.id, {})
            of_suspect.pop(one.reviewer, None)
            of_suspect[one.reviewer] = one
        agreed: dict[str, tuple[Judgement, ...]] = {}
        conflicts: dict[str, tuple[Judgement, ...]] = {}
        for name, by_reviewer in latest.items():
            found = tuple(by_reviewer.values())
            same = len({one.new for one in found}) == 1
            (agreed if same else conflicts)[name] = found
        return cls(agreed, conflicts)

    def corrections(self) -> dict[str, list[Correction]]:
        """Return the corrections of each utterance, without those that reviewers disagree on."""
        found: dict[str, list[Correction]] = {}
        for one, *_ in self.agreed.values():
            if (correction := one.correction) is not None:
                found.setdefault(one.utt, []).append(correction)
        return found

    def status(self, name: str) -> tuple[str, str, str, str]:
        """Return the state of a suspect, verdict, text and reviewers, for tables."""
        if found := self.agreed.get(name):
            reviewers = ", ".join(one.reviewer for one in found if one.reviewer)
            return "judged", found[0].verdict, found[0].text, reviewers
        if found := self.conflicts.get(name):
            said = "; ".join(f"{one.reviewer or '(no name)'}: {_said(one)}" for one in found)
            return "conflict", "", said, ", ".join(one.reviewer for one in found)
        return "open", "", "", ""


def _said(one: Judgement) -> str:
    return f"{one.verdict} {one.text!r}" if one.verdict == "text" else one.verdict


def file_rows(suspects: Sequence[Suspect], decisions: Decisions) -> list[tuple[str | int, ...]]:
    """Return the rows of a file for reviewers, a row for each suspect and verdict.

    Verdicts that reviewers disagree on have a row each, if the file can have them (JSON).
    """
    rows: list[tuple[str | int, ...]] = []
    for one in suspects:
        found = decisions.agreed.get(one.id) or decisions.conflicts.get(one.id) or (None,)
        for judged in found:
            verdict = ("", "", "") if judged is None else (
                judged.verdict, judged.text, judged.reviewer
            )  # fmt: skip
            rows.append(
                (one.id, one.utt, one.kind, f"{one.probability:.3f}", one.before, one.reference,
                 one.consensus, one.after, *verdict, one.start, one.end, ", ".join(one.systems),
                 ", ".join(one.against), one.evidence)
            )  # fmt: skip
    return rows


def write_suspects(
    path: PathLike, suspects: Sequence[Suspect], decisions: Decisions, *, formulas: bool = False
) -> None:
    """Write suspects with their verdicts: `.xlsx`, `.csv`, `.tsv`, `.html` or `.json`."""
    rows = file_rows(suspects, decisions)
    if is_json(path):
        listed = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
        data = json.dumps({ROWS: listed}, ensure_ascii=False, indent=1)
        with whole_files([path]) as (file,):
            file.write(f"{data}\n".encode())
        return
    at = [COLUMNS.index(name) for name in ("verdict", "text", "reviewer")]
    once: dict[str | int, tuple[str | int, ...]] = {}
    for row in rows:
        if row[0] in decisions.conflicts:  # open again, until the reviewers agree
            row = tuple("" if n in at else cell for n, cell in enumerate(row))
        once.setdefault(row[0], row)
    write_lexicon([COLUMNS, *once.values()], path, formulas=formulas, choices={"verdict": VERDICTS})


CHANGES = ("utterance", "start", "end", "before", "after", "verdict", "reviewers", "id")


def change_rows(decisions: Decisions) -> list[tuple[str | int, ...]]:
    """Return the list of changes, in the order of utterances and words."""
    rows: list[tuple[str | int, ...]] = []
    for name, found in decisions.agreed.items():
        first = found[0]
        if first.correction is not None:
            reviewers = ", ".join(one.reviewer for one in found if one.reviewer)
            rows.append(
                (first.utt, first.start, first.end, first.reference, first.new, first.verdict,
                 reviewers, name)
            )  # fmt: skip
    return sorted(rows, key=lambda row: (str(row[0]), int(row[1])))


def write_changes(path: PathLike, decisions: Decisions) -> None:
    """Write the list of changes as a table."""
    write_lexicon([CHANGES, *change_rows(decisions)], path)
