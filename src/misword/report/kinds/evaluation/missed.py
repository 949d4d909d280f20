"""Headwords for which the first system found no gold translation."""

from __future__ import annotations

from misword.core.formatting import counted
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.html.markup import Markup, data_table, element, joined, text_cell
from misword.report.html.text import without_direction_marks
from misword.report.result_access import Row, rows

MISSED_SHOWN = 50
CANDIDATES_SHOWN = 3
HEADER = ("headword", "gold", "could be found", "came instead")


def _section(article: Article) -> Markup:
    """Return the missed headwords with their gold translations and the candidates found instead."""
    result = article.result
    system = (result.provenance.get("systems") or [""])[0]
    gold = _gold_pairs(result, system)
    missed = [word for word, pairs in gold.items() if all(row["rank"] is None for row in pairs)]
    if not missed:
        return Markup()
    shown = missed[:MISSED_SHOWN]
    candidates = _candidates(result, system, set(shown))
    body = [
        [
            text_cell(word),
            text_cell(", ".join(row["target"] for row in gold[word])),
            text_cell("yes" if any(row["both_known"] for row in gold[word]) else "no"),
            text_cell(", ".join(candidates.get(word, [])[:CANDIDATES_SHOWN])),
        ]
        for word in shown
    ]
    number = f"{counted(len(missed), 'headword')} with a vector, in the order of the lexicon"
    cut = f"; the first {MISSED_SHOWN}" if len(missed) > MISSED_SHOWN else ""
    note = without_direction_marks(f"Of {system}: {number}{cut}.")
    table = data_table(HEADER, body, label="missed", tall=True)
    return joined([element("p", note, class_="note"), table])


MISSED = Section("missed", "Missed", "What was not found", _section)


def _gold_pairs(result: Result, system: str) -> dict[str, list[Row]]:
    """Return the gold pairs of each headword that has a vector."""
    gold: dict[str, list[Row]] = {}
    for row in rows(result, "pairs"):
        if row["system"] == system and row["source_known"]:
            gold.setdefault(row["source"], []).append(row)
    return gold


def _candidates(result: Result, system: str, headwords: set[str]) -> dict[str, list[str]]:
    """Return the candidates that a system found for some headwords."""
    candidates: dict[str, list[str]] = {}
    for row in rows(result, "predictions"):
        if row["system"] == system and row["word"] in headwords and row["candidate"] is not None:
            candidates.setdefault(row["word"], []).append(row["candidate"])
    return candidates
