"""Characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from misword.core.types import Tokens
from misword.text.texts import Texts
from misword.text.tokens import encode_characters


@dataclass(frozen=True, slots=True)
class Character:
    """Unicode code points of the utterance, with one space between words unless `spaces=false`.

    Known problems: an emoji or a letter built of several code points counts several times.
    """

    spaces: bool = True

    def tokens(self, columns: Sequence[Texts]) -> list[Tokens]:
        """Split into code points."""
        return encode_characters(columns, spaces=self.spaces)
