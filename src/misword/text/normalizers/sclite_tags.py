"""Normalizer that removes the tags of words in files for NIST sclite."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from misword.text.normalizers import Normalizer

# A word ends at white space or at NUL, which separates rows.
TAGS = re.compile(r"(?<!\\);[^\s\0]*")
ASTERISK = re.compile(r"(?<=[^\s\0])\*(?![^\s\0])")


@dataclass(frozen=True, slots=True)
class ScliteTags(Normalizer):
    r"""Removes what NIST sclite does not compare: tags of a word, and an asterisk at its end.

    A semicolon separates a word from its tags, `word;tag;tag`; `\;` is a semicolon of the word.

    Known problems: punctuation is removed as well where it is a semicolon at the end of a word.

    Reference: https://github.com/usnistgov/SCTK (src/sclite/word.c)
    """

    name: ClassVar[str] = "sclite-tags"

    def apply(self, joined: str) -> str:
        r"""Remove tags, then asterisks.

        >>> ScliteTags().apply(r"a b;noun;x c\;d e* *")
        'a b c;d e *'
        """
        if ";" not in joined and "*" not in joined:
            return joined
        return ASTERISK.sub("", TAGS.sub("", joined).replace(r"\;", ";"))
