"""The family `fragments`: the begin or the end of a word that was not spoken as a whole."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from misword.text.writing import Family, Phrase
from misword.text.writing.deletable import without_parentheses

HYPHEN = "-"
LAST = "\U0010ffff"  # is sorted after every other character


@dataclass(frozen=True, slots=True)
class Fragments(Family):
    """Fragments of words, `fi-` and `-lk`, equal to words that begin or end so: `find`, `milk`.

    A word with a hyphen at its end is the begin of a word, one with a hyphen at its start the end,
    as in NIST sclite with `-F`. A fragment on either side is equal to a word of the other side.

    Known problems: a fragment of one letter fits many words. sclite compares a fragment of the
    hypothesis with a longer fragment of the reference as different; here they are equal.

    Example: `misword score ref.trn hyp.trn --forgive fragments`

    Reference: https://github.com/usnistgov/SCTK (doc/options.htm)
    """

    name: ClassVar[str] = "fragments"
    title: ClassVar[str] = "fragments of words"

    def word_classes(self, words: Sequence[str], lang: str) -> Iterable[Iterable[Phrase]]:
        """Yield each fragment with each word that it can be a part of.

        >>> list(Fragments().word_classes(["fi-", "find", "fig", "-ig", "a"], "en"))
        [[('fi-',), ('fig',)], [('fi-',), ('find',)], [('-ig',), ('fig',)]]
        """
        plain = {word: without_parentheses(word).lower() for word in words}
        by_begin = sorted((form, word) for word, form in plain.items())
        by_end = sorted((form[::-1], word) for word, form in plain.items())
        for fragment, form in plain.items():
            if len(form) < 2:
                continue
            if form[0] == HYPHEN:
                matches = _beginning_with(by_end, form[:0:-1])
            elif form[-1] == HYPHEN:
                matches = _beginning_with(by_begin, form[:-1])
            else:
                continue
            yield from ([(fragment,), (word,)] for word in matches if word != fragment)


def _beginning_with(listed: list[tuple[str, str]], begin: str) -> list[str]:
    """Return the words whose form, in a sorted list of forms and words, has a given begin."""
    lo = bisect_left(listed, (begin, ""))
    hi = bisect_left(listed, (begin + LAST, ""))
    return [word for _, word in listed[lo:hi]]
