"""Pages of translated words and of drafts of dictionaries, whose headwords a person can judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import numpy as np

from misword.core.errors import InputError
from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.packing import (
    NO_NUMBER,
    Data,
    by_rank,
    coded,
    distinct_words,
    packed,
    word_numbers,
)
from misword.report.rates import positions
from misword.stat.descriptions.result_access import table


@dataclass(frozen=True)
class TranslationsPage(Kind):
    """A page with the provenance alone; `misword translate` prints the candidates."""

    name = "translations"
    content = "words"


# The page of a draft. The script `draft.js` reads its data; `verdicts.js` keeps the verdicts in the
# browser and saves them as a file.

VERDICTS = ("", "accept", "reject", "other")
HEADWORD_COLUMNS = {"known": False, "forms": "", "frequency": 0, "reviewer": ""}
CANDIDATE_COLUMNS = {"sense": 1, "pos": ""}
EXAMPLE_COLUMNS = ("word", "sense", "text", "translation")


def draft_data(result: Result) -> Data:
    """Return the rows of a draft.

    Candidates are numbers in the list `targets`, which has each word once, with its
    back-translation; 0 stands for no candidate. Each row has the same number of places for
    candidates.
    """
    rows = with_columns(result.tables["headwords"], HEADWORD_COLUMNS)
    candidates = with_columns(result.tables["candidates"], CANDIDATE_COLUMNS)
    listed = candidates.filter(
        pl.col("word").is_in(rows["source"].implode()) & (pl.col("candidate") != "")
    )
    targets = distinct_words(listed["candidate"])
    first = listed.unique("candidate", keep="first", maintain_order=True)
    width = int(candidates["rank"].max() or 0)  # type: ignore[arg-type]
    at = (positions(listed["word"], rows["source"]), listed["rank"].to_numpy())
    numbers = word_numbers(listed["candidate"], targets)
    ids = by_rank(*at, numbers, np.zeros((len(rows), width), np.int64))
    scores = listed["score"].fill_null(NO_NUMBER).to_numpy()
    scores = by_rank(*at, scores, np.full((len(rows), width), NO_NUMBER, np.float32))
    senses = by_rank(*at, listed["sense"].to_numpy(), np.ones((len(rows), width), np.int64))
    if unknown := set(rows["verdict"].to_list()) - set(VERDICTS):
        raise InputError(
            f"a draft with the verdict {unknown.pop()!r}",
            fix="a verdict is accept, reject, other or empty; make the draft again",
        )
    verdicts = [VERDICTS.index(verdict) for verdict in rows["verdict"].to_list()]
    return {
        "key": _key(rows),
        "width": width,
        "words": rows["source"].to_list(),
        "targets": targets.to_list(),
        "backs": ["", *first["back"].fill_null("").to_list()],
        "candidates": packed(ids.ravel()),
        "scores": packed(scores.ravel()),
        "ranks": packed(rows["rank"].to_numpy()),
        "names": packed(rows["name"].fill_null(NO_NUMBER).to_numpy().astype(np.float32)),
        "lemmas": rows["lemma"].to_list(),
        "tags": coded(rows["pos"].to_list()),
        "verdicts": packed(np.array(verdicts, np.int64)),
        "others": rows["other"].to_list(),
        "reviewers": rows["reviewer"].to_list(),
        "forms": rows["forms"].to_list(),
        "known": packed(rows["known"].cast(pl.Int64).to_numpy()),
        "frequencies": packed(rows["frequency"].to_numpy()),
        "senses": packed(senses.ravel()),
        "targetTags": coded(["", *first["pos"].to_list()]),
        "examples": _examples(result, rows),
        "probabilities": bool(result.provenance.get("probabilities")),
    }


def with_columns(rows: pl.DataFrame, columns: Mapping[str, object]) -> pl.DataFrame:
    """Return a table with the columns that results of older versions lack."""
    missing = [pl.lit(value).alias(name) for name, value in columns.items() if name not in rows]
    return rows.with_columns(missing)


def _examples(result: Result, rows: pl.DataFrame) -> list[tuple[int, list[tuple[int, str, str]]]]:
    """Return the rows that have examples, with the sense, sentence and translation of each."""
    found = table(result, "examples")
    if found is None:
        return []
    place = {word: number for number, word in enumerate(rows["source"].to_list())}
    grouped: dict[int, list[tuple[int, str, str]]] = {}
    for word, sense, text, translation in found.select(EXAMPLE_COLUMNS).iter_rows():
        if word in place:
            grouped.setdefault(place[word], []).append((sense, text, translation))
    return list(grouped.items())


def _key(rows: pl.DataFrame) -> str:
    """Return the name under which the browser keeps verdicts: another draft has another one.

    Verdicts that the draft has already are part of it, so that a page that was made with --judged
    does not show the older verdicts of the page before it.
    """
    columns = rows.select("source", "target", "verdict", "other").fill_null("")
    text = "\n".join("\t".join(row) for row in columns.iter_rows())
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


KEYS = (
    ("A", "accept the first candidate, next"),
    ("1 to 9", "this candidate is right, or not"),
    ("Enter", "next"),
    ("R", "reject, next"),
    ("O", "write another translation"),
    ("U", "remove the verdict"),
)


def _draft_section(article: Article) -> Markup:
    """Return the element that the script fills, with the keys that it knows."""
    if table(article.result, "headwords") is None:
        return Markup()
    block = article.add_data("draft", draft_data(article.result))
    keys = [element("span", element("kbd", key), f" {text}") for key, text in KEYS]
    place = element("div", class_="draft", id=article.id("judge"), data_draft=block)
    return joined([element("p", "Keys in the list: ", *keys, class_="legend"), place])


HEADWORDS = Section("headwords", "Headwords", "Headwords to judge", _draft_section)


@dataclass(frozen=True)
class DraftPage(Kind):
    """Headwords with candidates, the most reliable first, to be accepted, rejected or corrected."""

    name = "draft"
    content = "dictionary"
    cites = ("conneau2018",)
    sections: ClassVar[tuple[Section, ...]] = (HEADWORDS,)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return what the scores are and how to judge."""
        facts = article.result.provenance
        languages = " to ".join(name for name in facts.get("languages", ()) if name)
        scores = (
            "Candidates have the probability that they are right"
            if facts.get("probabilities")
            else "Candidates have the score of the retriever, which is not a probability"
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
