"""Lexicons in any of the forms that `map_vectors` and `evaluate` take."""

from __future__ import annotations

import os
from collections.abc import Iterable

from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon, read_lexicon

LexiconOrPath = Lexicon | PathLike | Iterable[tuple[str, str]]


def open_lexicon(lexicon: LexiconOrPath) -> Lexicon:
    """Return a lexicon, read from its file or made of pairs in memory."""
    if isinstance(lexicon, Lexicon):
        return lexicon
    return read_lexicon(lexicon) if isinstance(lexicon, str | os.PathLike) else Lexicon.of(lexicon)
