"""Translations in the text of an article that is written for people, as in dictd and StarDict.

The rules fit the texts that FreeDict makes of its dictionaries: a line with the headword, its
pronunciation and its part of speech, then the translations, separated by commas. Senses are
numbered. Notes, examples and references to other articles are indented or begin with a word and a
colon.

Known problems: texts of other layouts give wrong translations; look at the pairs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from misword.io.dictionaries.parts_of_speech import universal_tag

INDENTED = "   "  # notes and examples; a domain label is indented by one space
REFERENCE = re.compile(
    r"\s*(?:see(?: also)?|cf|synonyms?|antonyms?|notes?|usage|example|e\.g)\b[^:]{0,20}:", re.I
)
NUMBERED = re.compile(r"\s*\(?\d{1,3}[.)]\s+(.*)")
LABELS = re.compile(r"<([^<>]*)>")
BRACKETED = re.compile(r"<[^<>]*>|\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}")
PRONUNCIATION = re.compile(r"\s+/.*/\s*$|\s+\[[^\[\]]*\]\s*$")
SEPARATOR = re.compile(r"[,;]")


class Article(NamedTuple):
    """The content of an article: the headword of its first line, if any, and its translations."""

    headword: str
    pos: str
    senses: tuple[tuple[str, ...], ...]


def parse_article(text: str, headword: str, has_head: bool) -> Article:
    """Return the content of an article.

    With `has_head` its first line is the headword; otherwise only if it is the same word.

    >>> parse_article("bank /bæŋk/ <n>\\n1. rive, bord <n>\\n2. banque", "bank", True)
    Article(headword='bank', pos='n', senses=(('rive', 'bord'), ('banque',)))
    """
    lines = [line.rstrip() for line in text.split("\n")]
    first = next((place for place, line in enumerate(lines) if line.strip()), len(lines))
    head, pos = "", ""
    if first < len(lines):
        head, pos = _head(lines[first])
        is_head = has_head or head.casefold() == headword.casefold()
        head, pos, first = (head, pos, first + 1) if is_head else ("", "", first)
    senses: list[list[str]] = []
    for line in lines[first:]:
        if not line.strip() or line.startswith(INDENTED) or REFERENCE.match(line):
            continue
        if not pos and (label := _label(line)):
            pos = label
            continue
        number = NUMBERED.match(line)
        if number or not senses:
            senses.append([])
        senses[-1] += translations_in(number[1] if number else line)
    return Article(head, pos, tuple(tuple(sense) for sense in senses if sense))


def translations_in(line: str) -> Sequence[str]:
    """Return the translations of a line, without what is in brackets.

    >>> translations_in("[mus.] chord <n>, (open) string; note")
    ['chord', 'string', 'note']
    """
    plain, count = BRACKETED.subn(" ", line)
    while count:  # brackets within brackets
        plain, count = BRACKETED.subn(" ", plain)
    pieces = (" ".join(piece.split()) for piece in SEPARATOR.split(plain))
    return [piece for piece in pieces if piece]


def _head(line: str) -> tuple[str, str]:
    """Return the headword of a line and its part of speech, without the pronunciation."""
    labels = LABELS.findall(line)
    word = PRONUNCIATION.sub("", LABELS.sub("", line).rstrip())
    return " ".join(word.split()), labels[0] if labels else ""


def _label(line: str) -> str:
    """Return the part of speech of a line that has nothing else (`<n>`, `noun`); empty if none."""
    label = line.strip(" \t<>()[]")
    is_marked = line.strip() != label or label.endswith(".")
    return label if universal_tag(label) not in ("", "X") and is_marked else ""
