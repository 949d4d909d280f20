"""Words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from misword.core.types import Tokens
from misword.text.tokens import encode_words

if TYPE_CHECKING:
    from misword.asr.pairs import Pairs


@dataclass(frozen=True, slots=True)
class Word:
    """What stands between white space. No letter is changed: normalizers are for that.

    Known problems: languages written without spaces need a segmenter first, or CER.
    """

    @property
    def settings(self) -> tuple[tuple[str, str], ...]:
        """Nothing can be set."""
        return ()

    def check(self) -> None:
        """Nothing is needed."""

    def tokens(self, pairs: Pairs) -> tuple[Tokens, Tokens]:
        """Split at white space."""
        reference, hypothesis = encode_words([pairs.references, pairs.hypotheses])
        return reference, hypothesis
