"""Parts of speech of single words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from misword.text.analyzers import Analyzer


def tags_of_words(tagger: Analyzer, words: Sequence[str], otherwise: str) -> list[str]:
    """Return the part of speech of each word; `otherwise` for words of several tokens, or none.

    Known problems: without a sentence, a word that can be a noun or a verb has one tag.
    """
    analysis = tagger.analyse(words)
    tags, offsets = analysis.tags or [], analysis.offsets.tolist()
    return [tags[lo] if hi == lo + 1 else otherwise for lo, hi in pairwise(offsets)]
