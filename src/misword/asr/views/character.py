"""Characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.core.context import Context
from misword.core.part import Settings, options_of
from misword.core.types import Tokens
from misword.text.tokens import encode_characters

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Character:
    """Unicode code points of the utterance, with one space between words unless `spaces=false`.

    Known problems: an emoji or a letter built of several code points counts several times.
    """

    spaces: bool = True

    def settings(self, context: Context) -> Settings:
        """Whether spaces count."""
        return options_of(self)

    def check(self, context: Context) -> None:
        """Nothing is needed."""

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """Split into code points."""
        sides = [pairs.references, pairs.hypotheses]
        reference, hypothesis = encode_characters(sides, spaces=self.spaces)
        return reference, hypothesis
