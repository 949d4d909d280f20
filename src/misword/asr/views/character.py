"""Characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Utterances, View
from misword.core.types import Tokens
from misword.text.tokens import encode_characters


@dataclass(frozen=True, slots=True)
class Character(View):
    """Unicode code points of the utterance, with one space between words unless `spaces=false`.

    Known problems: an emoji or a letter built of several code points counts several times.
    """

    name: ClassVar[str] = "character"

    spaces: bool = True

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Split the texts into code points."""
        sides = [utterances.references, utterances.hypotheses]
        references, hypotheses = encode_characters(sides, spaces=self.spaces)
        return references, hypotheses
