"""Words that are joined without any rule of language, as kaldialign joins them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Phrase
from misword.text.writing.compounds import Compounds


@dataclass(frozen=True, slots=True)
class JoinedWords(Compounds):
    """Successive words, of any number, that are joined to exactly the word on the other side.

    >>> JoinedWords().allowed(("a", "part"), "en")
    True
    """

    name: ClassVar[str] = "joined words"
    reads_normal_words: ClassVar[bool] = True

    most: int = 1 << 30

    def letters(self, words: Sequence[str], lang: str) -> list[str]:
        """Return the words themselves."""
        return list(words)

    def allowed(self, parts: Phrase, lang: str, wholes: Sequence[str] = ()) -> bool:
        """Return that all words may be joined."""
        return True
