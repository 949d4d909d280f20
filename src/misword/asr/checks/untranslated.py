"""Translations that are the source text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import ClassVar

from misword.asr.checking.commands import leave_out
from misword.asr.checking.findings import Finding, Severity, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.formatting import counted

FEWEST_WORDS = 4  # names and exclamations of fewer words are the same in many languages
ALMOST = 0.9  # the least share of equal characters of a text that was hardly changed
WARNED = 3  # lines


@dataclass(frozen=True, slots=True)
class Untranslated(Check):
    """Translations that equal their source, or nearly so.

    Names, numbers and short exclamations may be the same in both languages, so texts of fewer than
    four words are not looked at.

    Example: `misword check ref.fr hyp.fr --translations hyp.en --translation-references ref.en`
    """

    name: ClassVar[str] = "untranslated"
    title: ClassVar[str] = "untranslated lines"
    family: ClassVar[str] = "language"

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare each translation with its source."""
        for pair in texts.translated_pairs:
            rows = [(row, mate) for mate, row in pair.rows.tolist() if _is_copy(pair, mate, row)]
            if not rows:
                continue
            severity: Severity = "warning" if len(rows) >= WARNED else "note"
            if 2 * len(rows) > len(pair.rows):
                severity = "error"
            one = len(rows) == 1
            yield found(
                self.name,
                severity,
                pair.right,
                f"{counted(len(rows), 'line')} {'is' if one else 'are'} the text of "
                f"{pair.left.name}, not {'its translation' if one else 'their translations'}",
                rows=[row for row, _ in rows],
                other=pair.left,
                pairs=rows,
                evidence={"share of lines": len(rows) / len(pair.rows)},
                mend=leave_out(texts, pair.right, [row for row, _ in rows]),
            )


def _is_copy(pair: TextPair, source: int, target: int) -> bool:
    """Return whether a translation is its source, but for a few characters."""
    words, others = pair.left.words[source], pair.right.words[target]
    if len(words) < FEWEST_WORDS or not any(word.isalpha() for word in words):
        return False
    if words == others:
        return True
    # Most words must be the same; the slower comparison of characters is needed for these alone.
    if len(others) < FEWEST_WORDS or 2 * len(set(words) & set(others)) < len(set(words)):
        return False
    matcher = SequenceMatcher(None, " ".join(words), " ".join(others), autojunk=False)
    return matcher.ratio() >= ALMOST and len(words) > FEWEST_WORDS + 1
