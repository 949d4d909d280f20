"""A draft with its verdicts, its tables and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from misword.bli.drafting.headwords import VERDICTS, Candidate, Headword
from misword.bli.drafting.verdicts import check_replaced, join_words
from misword.core import display
from misword.core.errors import OptionError
from misword.core.formatting import counted, number
from misword.core.signature import Signature
from misword.core.types import DisplayedResult, Result
from misword.core.version import __version__
from misword.io.files.sources import PathLike
from misword.io.lexicon_writing import Row, write_lexicon

if TYPE_CHECKING:
    import polars as pl

NAME = 0.5  # the probability from which the column `name` says yes
DIGITS = 4  # of scores in files


@dataclass(frozen=True, eq=False, repr=False)
class Draft(DisplayedResult):
    """The draft of a dictionary: a row for each headword, the most trusted first.

    Attributes:
        headwords: the rows.
        probabilities: whether scores are probabilities that the candidate is right.
        languages: the codes of the two languages; empty where they are not known.
        signature: what the candidates were made with.
        judged: the file that the verdicts were read from; None without verdicts.
        notes: what a reader should know beside the rows.
        parts: descriptions of the mapping method and the retriever.
    """

    headwords: tuple[Headword, ...]
    probabilities: bool
    languages: tuple[str, str]
    signature: Signature
    judged: PathLike | None = None
    notes: tuple[str, ...] = ()
    parts: Mapping[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def score_name(self) -> str:
        """The name of the column of scores: `probability` or `score`."""
        return "probability" if self.probabilities else "score"

    @cached_property
    def verdicts(self) -> dict[str, int]:
        """The number of headwords with each verdict."""
        counts = Counter(row.verdict for row in self.headwords)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def accepted(self) -> list[tuple[str, str]]:
        """The pairs that a person accepted or wrote."""
        return [(row.word, word) for row in self.headwords for word in row.translations]

    def write(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the draft as a table that people fill in: `.xlsx`, `.csv`, `.tsv` or `.html`.

        A file with verdicts is replaced only if these were read for this draft. With `formulas`,
        words in CSV that a spreadsheet program could calculate stay as they are.
        """
        check_replaced(path, self.judged)
        write_lexicon(self.file_rows(), path, formulas=formulas, choices={"verdict": VERDICTS})

    def write_accepted(self, path: PathLike, *, formulas: bool = False) -> None:
        """Write the accepted pairs as a lexicon."""
        if not self.accepted:
            raise OptionError(
                "no pair is accepted yet",
                fix="write accept into the column 'verdict', and read it with --judged FILE",
            )
        write_lexicon([("source", "target"), *self.accepted], path, formulas=formulas)

    def file_rows(self) -> Iterator[Row]:
        """Yield the header and the rows of the table for people."""
        yield (
            "source", "target", self.score_name, "back", "verdict", "other", "pos", "lemma",
            "name", "rank", "further",
        )  # fmt: skip
        for row in self.headwords:
            first = row.candidates[0] if row.candidates else Candidate("", None, "")
            yield (
                row.word,
                first.word,
                "" if first.score is None else round(first.score, DIGITS),
                first.back,
                row.verdict,
                join_words(row.other),
                row.pos,
                row.lemma,
                "yes" if row.name is not None and row.name >= NAME else "",
                row.rank or "",
                _further(row),
            )

    def overview(self) -> display.Overview:
        """Return the first rows."""
        rows = [
            [row.word, row.target, number(row.candidates[0].score, 4), row.candidates[0].back,
             row.verdict]
            for row in self.headwords[: display.HTML_ROWS] if row.candidates
        ]  # fmt: skip
        title = f"Draft of {counted(len(self.headwords), 'headword')}"
        header = ["source", "target", self.score_name, "back", "verdict"]
        return display.Overview(title, header, rows, len(self.headwords), 2)

    def main_table(self) -> pl.DataFrame:
        """Return the table `headwords`."""
        return self.table()

    def table(self) -> pl.DataFrame:
        """Return a row for each headword, with its first candidate and its verdict.

        `name` is the probability that the headword is a proper noun, `rank` its place in the
        vectors (0: not there).
        """
        import polars as pl

        rows = [
            (row.word, row.target or None, row.candidates[0].score if row.candidates else None,
             row.candidates[0].back if row.candidates else None, row.verdict,
             join_words(row.other), row.pos, row.lemma, row.name, row.rank)
            for row in self.headwords
        ]  # fmt: skip
        schema = {
            "source": pl.String, "target": pl.String, "score": pl.Float64, "back": pl.String,
            "verdict": pl.String, "other": pl.String, "pos": pl.String, "lemma": pl.String,
            "name": pl.Float64, "rank": pl.Int64,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def candidates(self) -> pl.DataFrame:
        """Return a row for each candidate of each headword, in the order of the draft."""
        import polars as pl

        rows = [
            (row.word, place, one.word, one.score, one.back)
            for row in self.headwords
            for place, one in enumerate(row.candidates, 1)
        ]
        schema = {
            "word": pl.String, "rank": pl.Int64, "candidate": pl.String, "score": pl.Float64,
            "back": pl.String,
        }  # fmt: skip
        return pl.DataFrame(rows, schema=schema, orient="row")

    def result(self, provenance: Mapping[str, Any] | None = None) -> Result:
        """Return the tables with their provenance, for a result folder or a report."""
        facts = {
            "misword": __version__,
            **(provenance or {}),
            "signature": str(self.signature),
            "probabilities": self.probabilities,
            "languages": list(self.languages),
            "verdicts": self.verdicts,
            "notes": list(self.notes),
            "parts": dict(self.parts),
        }
        return Result("draft", {"headwords": self.table(), "candidates": self.candidates()}, facts)


def _further(row: Headword) -> str:
    """Return the candidates after the first with their scores, as text."""
    return ", ".join(
        one.word if one.score is None else f"{one.word} ({number(one.score, 2)})"
        for one in row.candidates[1:]
    )
