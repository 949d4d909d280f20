"""Extended grapheme clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from misword.asr.views import Utterances, View
from misword.core.context import Context
from misword.core.parts.contract import Settings
from misword.core.types import Tokens
from misword.text.graphemes import graphemes, rule
from misword.text.tokens import encode_lists


@dataclass(frozen=True, slots=True)
class Grapheme(View):
    """Extended grapheme clusters, with one space between words unless `spaces=false`.

    A letter with its marks is one token, and so is an emoji of several code points.

    Known problems: an Indic conjunct (`क्ष`) is several clusters in the package that finds them.
    """

    name: ClassVar[str] = "grapheme"

    spaces: bool = True

    def settings(self, context: Context) -> Settings:
        """Whether spaces count, and the rule of the clusters."""
        return ("spaces", str(self.spaces).lower()), ("unit", f"grapheme/{rule()}")

    def tokens(self, utterances: Utterances) -> tuple[Tokens, Tokens]:
        """Cut each distinct text."""
        return utterances.spread(encode_lists([self._cut(t) for t in utterances.distinct.texts]))

    def _cut(self, text: str) -> list[str]:
        """Return the clusters of each word, so that no cluster has a space."""
        clusters: list[str] = []
        for word in text.split():
            if clusters and self.spaces:
                clusters.append(" ")
            clusters += graphemes(word)
        return clusters
