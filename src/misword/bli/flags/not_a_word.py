"""Entries that are no words of a language."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.bli.names.english_words import levels_of
from misword.text.scripts import word_script

ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+|\w+\.(?:com|org|net|html?|jpg|png)\b")
DAMAGED = re.compile("[\ufffd\x00-\x1f]|Ã.|Â.")
REPEATED = re.compile(r"([^\W\d_])\1{3,}")
# Of 357 annotated pairs whose English word is in no list, 35 are no translations; most are names.
UNLISTED = 0.1


@dataclass(frozen=True, slots=True)
class NotAWord(Flag):
    """Numbers, punctuation, addresses, damaged characters; English words that no list has.

    Known problems: pairs that are words but no translations of each other cannot be found in this
    way. An English word in no list is rarely an error, so its probability is low.

    Example: `misword audit gold.txt --source-lang en --target-lang de --flags not-a-word`
    """

    name: ClassVar[str] = "not-a-word"
    title: ClassVar[str] = "not a word"
    family: ClassVar[str] = "content"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Look at both words of each pair."""
        for number, pair in enumerate(lexicon.pairs):
            found = [
                (probability, f"{word!r}: {why}")
                for word, lang in zip(pair, lexicon.languages, strict=True)
                for probability, why in [_problem(word, lang)]
                if probability
            ]
            if found:
                yield Flagged(number, max(found)[0], "; ".join(text for _, text in found))


def _problem(word: str, lang: str) -> tuple[float, str]:
    """Return the probability that an entry is no word, and the reason; 0 if there is none."""
    if not word:
        return 1.0, "no translation"
    if DAMAGED.search(word):
        return 0.95, "damaged characters"
    if ADDRESS.search(word):
        return 0.95, "an address"
    if not word_script(word):
        return 1.0, "no letters"
    if any(map(str.isdigit, word)):
        return 0.8, "letters and digits"
    if REPEATED.search(word):
        return 0.7, "a letter four times"
    if len(word) == 1 and word.isascii() and word.lower() not in {"a", "i", "o"}:
        return 0.7, "a single letter"
    if lang == "en" and not any(levels_of(part).is_listed for part in re.split(r"[\s-]", word)):
        return UNLISTED, "in no English word list"
    return 0.0, ""
