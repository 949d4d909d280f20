"""Plain forms of texts, which are compared without regard to case, punctuation and spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from unicodedata import normalize

SEPARATOR = "\n"
# Chinese characters and Japanese syllables are words of their own, since no spaces separate words.
UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])")
NO_WORD = re.compile(r"[^\w\n]+|_+")


def plain(texts: Sequence[str]) -> list[str]:
    """Return texts in lower case, with single spaces in place of everything that is no word.

    >>> plain(["Ça va, l'ami ?", "", "你好"])
    ['ça va l ami', '', '你 好']
    """
    if not texts:
        return []
    joined = SEPARATOR.join(text.replace(SEPARATOR, " ") for text in texts)
    joined = normalize("NFKC", joined).casefold()
    joined = UNSPACED.sub(r" \1 ", NO_WORD.sub(" ", joined))
    return [" ".join(text.split()) for text in joined.split(SEPARATOR)]
