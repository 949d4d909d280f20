"""The page of references: systems before and after corrections, and suspects to be judged."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import ClassVar

import numpy as np

from misword.core.lazy import pl
from misword.core.types import Result
from misword.report.article import Article, Section
from misword.report.explorer.audio import audio_notes, find_audio
from misword.report.kinds import Kind
from misword.report.markup import Markup, element, joined, paragraph, without_direction_marks
from misword.report.packing import Data, coded, packed
from misword.report.rates import positions
from misword.report.tables import page_table
from misword.stat.descriptions.references import (
    agreement_table,
    before_and_after_table,
    contamination_table,
    kinds_table,
    likeness_table,
    places_table,
)
from misword.stat.descriptions.result_access import table

VERDICTS = ("", "reference", "consensus", "both", "text")
PLACES_SHOWN = 500
KEYS = (
    ("R", "the reference is right"),
    ("C", "the consensus is right"),
    ("B", "both are right"),
    ("T", "write another text"),
    ("U", "remove the verdict"),
)
INTRODUCTION = (
    "Suspects are spans where systems agree against the reference; P is the probability of an "
    "error. Verdicts stay in this browser if it allows that. Save them as a file, and read it with "
    "misword references ... --judged FILE --corrected NEW."
)


def suspects_data(article: Article) -> Data:
    """Return the suspects for the script `suspects.js`."""
    result = article.result
    rows = result.tables["suspects"]
    utterances = rows["utt"].unique(maintain_order=True)
    conflicts = rows["state"] == "conflict"
    verdicts = [
        VERDICTS.index(verdict) if verdict in VERDICTS else 0 for verdict in rows["verdict"]
    ]
    data: Data = {
        "key": _key(rows),
        "ids": rows["id"].to_list(),
        "utterances": utterances.to_list(),
        "places": packed(positions(rows["utt"], utterances)),
        "starts": packed(rows["start"].to_numpy()),
        "ends": packed(rows["end"].to_numpy()),
        "references": rows["reference"].to_list(),
        "consensus": rows["consensus"].to_list(),
        "before": rows["before"].to_list(),
        "after": rows["after"].to_list(),
        "kinds": coded(rows["kind"].to_list()),
        "probabilities": packed(rows["probability"].to_numpy().astype(np.float32)),
        "systems": rows["systems"].to_list(),
        "against": rows["against"].to_list(),
        "evidence": rows["evidence"].to_list(),
        "verdicts": packed(np.array(verdicts, np.int64)),
        "others": [
            "" if conflict else text for conflict, text in zip(conflicts, rows["text"], strict=True)
        ],
        "reviewers": [
            "" if conflict else name
            for conflict, name in zip(conflicts, rows["reviewers"], strict=True)
        ],
        "conflicts": [
            text if conflict else "" for conflict, text in zip(conflicts, rows["text"], strict=True)
        ],
        "begins": None,
        "untils": None,
    }
    for name, column in (("begins", "begin"), ("untils", "until")):
        if column in rows.columns and rows[column].null_count() < len(rows):
            times = rows[column].cast(pl.Float64).fill_null(float("nan"))
            data[name] = packed(times.to_numpy().astype(np.float32))
    _add_audio(article, data, utterances)
    return data


def _add_audio(article: Article, data: Data, utterances: pl.Series) -> None:
    """Add where the audio of the utterances is, if the user or the references name it."""
    known = table(article.result, "utterances")
    if known is None:
        return
    chosen = pl.DataFrame({"utt": utterances}).join(known, on="utt", how="left")
    ranked = chosen.with_columns(rank=pl.lit(1), system=pl.lit(""))
    result = Result("scores", {"utterances": ranked}, article.result.provenance)
    audio = find_audio(result, utterances.to_list(), article.audio)
    if audio is not None:
        data["audio"] = audio.data()
        article.plays = article.plays or audio.count("file") > 0
        article.notes += audio_notes(audio)


def _key(rows: pl.DataFrame) -> str:
    """Return the name under which the browser keeps verdicts: other suspects have another one."""
    columns = rows.select("id", "verdict", "text").fill_null("")
    text = "\n".join("\t".join(row) for row in columns.iter_rows())
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _suspects(article: Article) -> Markup:
    """Return the element that the script fills, with the keys that it knows."""
    found = table(article.result, "suspects")
    if found is None or not len(found):
        return Markup()
    block = article.add_data("suspects", suspects_data(article))
    keys = [element("span", element("kbd", key), f" {text}") for key, text in KEYS]
    place = element("div", class_="suspects", id=article.id("judge"), data_suspects=block)
    return joined([
        paragraph(INTRODUCTION, "note"),
        element("p", "Keys in the list: ", *keys, class_="legend"),
        place,
    ])  # fmt: skip


def _places(article: Article) -> Markup:
    shown = places_table(article.result)
    if not shown.rows:
        return Markup()
    more = len(shown.rows) - PLACES_SHOWN
    note = f"The first {PLACES_SHOWN}; {more:,} more are in the result." if more > 0 else ""
    first = type(shown)(shown.name, shown.columns, shown.rows[:PLACES_SHOWN])
    return joined([paragraph(note, "note") if note else Markup(), page_table(article, first)])


def _systems(article: Article) -> Markup:
    found = [contamination_table(article.result), likeness_table(article.result)]
    parts = []
    for one in found:
        if one.rows:
            parts += [page_table(article, one, tall=False)]
            parts += [paragraph(text, "note") for text in one.notes]
    return joined(parts)


SUSPECTS = Section("suspects", "Suspects", "Suspects to judge", _suspects)
PLACES = Section("places", "Places", "Places where references differ", _places)
SYSTEMS = Section("systems", "Systems", "Systems and wrong references", _systems)


@dataclass(frozen=True)
class ReferencesPage(Kind):
    """Rates before and after corrections, suspects with verdicts, and several references."""

    name = "references"
    cites = ("kementchedjhieva2019",)
    sections: ClassVar[tuple[Section, ...]] = (SUSPECTS, SYSTEMS, PLACES)

    def opening(self, article: Article) -> Iterable[Markup]:
        """Return the rates before and after corrections, the kinds, and the agreement."""
        result = article.result
        shown = (before_and_after_table, kinds_table, agreement_table)
        for number, make in enumerate(shown):
            one = make(result)
            if one.rows:
                yield page_table(article, one, f"opening-{number}", tall=False)
                yield from (paragraph(without_direction_marks(text), "note") for text in one.notes)

    def citations(self, result: Result) -> Iterable[str]:
        """Return the papers on doubted gold data, and on the tests that were made."""
        tested = table(result, "contamination")
        return (*self.cites, "bisani2004", "holm1979") if tested is not None else self.cites
