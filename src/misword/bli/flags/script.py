"""Words in another script than their column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.bli.auditing.lexicon import AuditedLexicon
from misword.bli.flags import Flag, Flagged
from misword.text.scripts import scripts_of


@dataclass(frozen=True, slots=True)
class Script(Flag):
    """Words in another script than most words of their column, or with letters of two scripts.

    Example: `misword audit en-bg.txt --source-lang en --target-lang bg --flags script`
    """

    name: ClassVar[str] = "script"
    title: ClassVar[str] = "another script"
    family: ClassVar[str] = "language"

    def look(self, lexicon: AuditedLexicon) -> Iterator[Flagged]:
        """Compare each word with its column."""
        expected = [column.script for column in lexicon.columns]
        for number, pair in enumerate(lexicon.pairs):
            texts = [_text(*each) for each in zip(pair, expected, strict=True)]
            if any(texts):
                yield Flagged(number, 1.0, "; ".join(filter(None, texts)))


def _text(word: str, expected: str) -> str:
    """Return what is wrong with the script of a word; empty if nothing is."""
    scripts = scripts_of(word)
    others = [script for script in scripts if script != expected]
    if not expected or not others:
        return ""
    if expected in scripts:
        return f"{word!r} has letters of two scripts: {expected} and {others[0]}"
    return f"{word!r} is in {others[0]} script, the column in {expected}"
