"""Other dictionaries of the same two languages, in any of their formats and directions."""

from __future__ import annotations

import os
from collections.abc import Iterable

from misword.bli.lexicon_source import open_lexicon
from misword.core.errors import InputError
from misword.io.dictionaries.entries import Dictionary
from misword.io.dictionaries.read import read_dictionary
from misword.io.files.sources import PathLike
from misword.io.lexicons import Lexicon

OneDictionary = Dictionary | Lexicon | PathLike | Iterable[tuple[str, str]]
# A dictionary is the wrong way round if so many times more headwords are among its translations.
SUSPICIOUS = 2
FEWEST = 10  # headwords


def open_dictionaries(
    lexicon: Lexicon,
    languages: tuple[str, str],
    dictionaries: Iterable[OneDictionary],
    reverse: Iterable[OneDictionary],
) -> tuple[Dictionary | Lexicon, ...]:
    """Return all dictionaries in the direction of the lexicon; raise if one is not in it."""
    opened = [
        *(_open(one, languages, False) for one in dictionaries),
        *(_open(one, languages, True) for one in reverse),
    ]
    for dictionary in opened:
        _check_direction(lexicon, dictionary)
    return tuple(opened)


def _open(
    dictionary: OneDictionary, languages: tuple[str, str], reverse: bool
) -> Dictionary | Lexicon:
    """Return a dictionary, read from its file or made of pairs, in the direction of the lexicon."""
    if isinstance(dictionary, str | os.PathLike):
        return read_dictionary(dictionary, *languages, reverse=reverse)
    if isinstance(dictionary, Dictionary):
        return dictionary.reversed() if reverse else dictionary
    opened = open_lexicon(dictionary)
    if not reverse:
        return opened
    return Lexicon(opened.target, opened.source, opened.lines, opened.name)


def _check_direction(lexicon: Lexicon, dictionary: Dictionary | Lexicon) -> None:
    """Raise if far more headwords of the lexicon are translations of the dictionary."""
    headwords = set(lexicon.headwords)
    known = len(headwords.intersection(dictionary.source))
    exchanged = len(headwords.intersection(dictionary.target))
    if exchanged >= FEWEST and exchanged >= SUSPICIOUS * max(1, known):
        raise InputError(
            f"{known:,} headwords of the lexicon are among its headwords, and {exchanged:,} among "
            "its translations: it has the other direction",
            where=dictionary.name,
            fix="name it after --reverse-dictionaries (in Python: reverse_dictionaries)",
        )
