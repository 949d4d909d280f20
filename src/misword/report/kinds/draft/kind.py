"""How the draft of a dictionary is shown: a list of headwords that a person can judge."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from misword.core.formatting import counted, percent
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, element, joined, paragraph
from misword.report.html.text import without_direction_marks
from misword.report.kinds import Kind
from misword.report.kinds.draft.data import draft_data
from misword.report.result_access import table

KEYS = (
    ("A", "accept the first candidate"),
    ("2 to 9", "another candidate is right"),
    ("R", "reject"),
    ("O", "write another translation"),
    ("U", "remove the verdict"),
)


def _section(article: Article) -> Markup:
    """Return the element that the script fills, with the keys that it knows."""
    if table(article.result, "headwords") is None:
        return Markup()
    block = article.add_data("draft", draft_data(article.result))
    keys = [element("span", element("kbd", key), f" {text}") for key, text in KEYS]
    place = element("div", class_="draft", id=article.id("judge"), data_draft=block)
    return joined([element("p", "Keys in the list: ", *keys, class_="legend"), place])


HEADWORDS = Section("headwords", "Headwords", "Headwords to judge", _section)


@dataclass(frozen=True)
class DraftLexicon(Kind):
    """Headwords with their candidates, the surest first, to be accepted, rejected or corrected."""

    name = "draft"
    cites = ("conneau2018",)
    sections: ClassVar[tuple[Section, ...]] = (HEADWORDS,)

    def headline(self, result: Result) -> str:
        """Return the number of headwords, and how many right ones to expect."""
        import polars as pl

        rows = table(result, "headwords")
        if rows is None or not len(rows):
            return ""
        size = counted(len(rows), "headword")
        if not result.provenance.get("probabilities"):
            mutual = percent(rows.select((pl.col("back") == pl.col("source")).sum()).item()
                             / len(rows), 1)  # fmt: skip
            return f"A draft of {size}; {mutual} % of them are translated back to themselves."
        expected = round(float(rows["score"].sum()))
        return f"A draft of {size}; about {expected:,} of the first candidates should be right."

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return what the scores are and how to judge."""
        facts = article.result.provenance
        languages = " to ".join(name for name in facts.get("languages", ()) if name)
        scores = (
            "Candidates have the probability that they are right"
            if facts.get("probabilities")
            else "Candidates have the score of the retriever, which is no probability"
        )
        text = (
            f"{languages + ': ' if languages else ''}{scores}; back is the best translation of a "
            "candidate in the other direction. Verdicts stay in this browser if it allows that. "
            "Save them as a file, and read it with misword translate --judged FILE."
        )
        notes = [paragraph(without_direction_marks(str(one)), "note") for one in _notes(facts)]
        return (paragraph(without_direction_marks(text), "introduction"), *notes)


def _notes(facts: dict[str, object]) -> list[object]:
    notes = facts.get("notes", ())
    return list(notes) if isinstance(notes, list | tuple) else []
