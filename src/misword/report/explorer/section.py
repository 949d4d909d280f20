"""The explorer's place on the page, and texts of other sections that filter the explorer.

A click on such a text shows the utterances that it is about. Each text names its conditions in an
attribute. The script `chips.js` makes a button of it if the explorer of the same result has what
the conditions name; without scripts it stays text.
"""

from __future__ import annotations

import json
from typing import Any

from misword.core.tables import Condition
from misword.report.article import Article, Section
from misword.report.explorer.alignments import SystemWords, alignment_tables
from misword.report.explorer.audio import audio_notes, find_audio
from misword.report.explorer.data import explorer_data
from misword.report.markup import Cell, Markup, element, joined
from misword.stat.descriptions.result_access import forgiving_families, table
from misword.stat.score_tables import WORD_BEGINS


def filtering(text: str, *conditions: Condition) -> Markup:
    """Return a text that filters the explorer by conditions."""
    return element("span", text, data_filter=json.dumps(conditions, ensure_ascii=False))


def filter_cell(text: Any, *conditions: Condition) -> Cell:
    """Return a cell of text that filters the explorer by conditions."""
    shown = "" if text is None else str(text)
    return Cell(filtering(shown, *conditions) if shown else shown, is_text=True)


# The explorer's place on the page, with the legend of its marks.

# The id of the explorer within an article: links to an utterance name it.
EXPLORER_ID = "explore"


def _section(article: Article) -> Markup:
    """Return the element that the scripts fill; nothing for a result without rates."""
    if article.rates is None or not article.rates.labels:
        return Markup()
    data = explorer_data(article.result, article.rates)
    audio = find_audio(article.result, data["ids"], article.audio)
    if audio is not None:
        data["audio"] = audio.data()
        begins, tables = table(article.result, WORD_BEGINS), alignment_tables(article.result)[0]
        if begins is not None and "words" in tables:
            names, ids = article.rates.systems, data["ids"]
            words = [SystemWords.of(tables["words"], name, ids) for name in names]
            data["audio"]["words"] = audio.word_times(begins, words, ids)
        article.plays = audio.count("file") > 0
        article.notes += audio_notes(audio)
    block = article.add_data("utterances", data)
    place = element("div", class_="explorer", id=article.id(EXPLORER_ID), data_explorer=block)
    if not alignment_tables(article.result)[0]:
        return place
    forgiving = bool(forgiving_families(article.result))
    return joined([marks_legend(forgiving=forgiving, costs=True), place])


EXPLORER = Section("utterances", "Utterances", "Utterances", _section)


def opening_cell(article: Article, utt: str, system: str | None = None) -> Cell:
    """Return a cell with the id of an utterance; a click opens the utterance in the explorer.

    A long utterance is opened at the longest run of errors of `system`.
    """
    if table(article.result, "utterances") is None:
        return Cell(utt, is_text=True)
    opened = {"data_opens": article.id(EXPLORER_ID), "data_utt": utt, "data_system": system}
    button = element("button", utt, type="button", class_="link", dir="auto", **opened)
    return Cell(button, is_text=True)


def marks_legend(*, forgiving: bool, costs: bool) -> Markup:
    """Return the meaning of the marks: letter, line and, with `costs`, colour of the background."""
    marks = (("substitution", "S", "word"), ("insertion", "I", "word"), ("deletion", "D", "∅"))
    examples = [
        joined(
            [element("span", word, element("small", letter), class_=f"cell {kind} cost-5"), kind]
        )
        for kind, letter, word in marks
    ]
    if forgiving:
        name = element("small", "family")
        block = element("span", "words", name, class_="cell forgiven")
        examples.append(joined([block, "forgiven difference of writing"]))
    mark = element("span", element("small", "␣"), class_="cell")
    examples.append(joined([mark, "spacing: a word split or joined"]))
    texts = [element("span", mark) for mark in examples]
    if costs:
        stronger = "stronger background: higher cost; a number is the cost where it is not 1"
        texts.append(element("span", stronger))
    return element("p", *texts, class_="legend")
