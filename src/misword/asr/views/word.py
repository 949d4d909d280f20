"""Words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from misword.core.types import Tokens
from misword.text.texts import Texts
from misword.text.tokens import encode_words


@dataclass(frozen=True, slots=True)
class Word:
    """What stands between white space. No letter is changed: normalizers are for that.

    Known problems: languages written without spaces need a segmenter first, or CER.
    """

    def tokens(self, columns: Sequence[Texts]) -> list[Tokens]:
        """Split at white space."""
        return encode_words(columns)
