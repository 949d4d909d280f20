"""Formatted words: each word with its punctuation marks and capitals."""

from __future__ import annotations

from collections.abc import Container, Sequence
from functools import cache
from typing import NamedTuple
from unicodedata import category

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.types import Op, Tokens

# Words as they are written, divided into the bare word, its punctuation marks and its capitals.

# Names of punctuation marks and their characters in several scripts. Apostrophes are part of words.
CHARACTERS = {
    "comma": ",،、，",
    "period": ".。।．",
    "question": "?؟？;",
    "exclamation": "!！",
    "colon": ":：",
    "semicolon": ";؛；",
    "dash": "–—―",
}
OTHER = "other"  # quotation marks, brackets, ellipses
MARKS = (*CHARACTERS, OTHER)
CAPITALS = ("first_letter", "all_letters", "mixed")
NAME_OF = {character: name for name, characters in CHARACTERS.items() for character in characters}
# Unicode calls these punctuation, but they are read aloud, or mark a word that was cut off.
READ = "%&@#*/\\§¶†‡‰"
UNCOUNTED = "'’‘-‐‑_"  # at the ends of words, these belong to the spelling


class WrittenWord(NamedTuple):
    """A word as it is written.

    `core` is the word without punctuation around it, empty if it has no other character; `before`
    and `after` are that punctuation. `marks` are the names of the marks.
    """

    before: str
    core: str
    after: str
    marks: frozenset[str]

    @property
    def bare(self) -> str:
        """The word without punctuation and capitals."""
        return self.core.casefold()

    @property
    def capitals(self) -> str:
        """How the word is capitalised: `first_letter`, `all_letters`, `mixed`; empty if it is not.

        >>> [split_punctuation(word).capitals for word in ("Anna", "IBM", "iPhone", "I", "we")]
        ['first_letter', 'all_letters', 'mixed', 'first_letter', '']
        """
        letters = [c for c in self.core if c.lower() != c.upper()]
        upper = [c for c in letters if c != c.lower()]
        if not upper:
            return ""
        if len(upper) == 1 and letters[0] == upper[0]:
            return "first_letter"
        return "all_letters" if len(upper) == len(letters) else "mixed"


def split_punctuation(word: str) -> WrittenWord:
    """Divide a word into its core and the punctuation around it.

    >>> split_punctuation("(Yes,").core, sorted(split_punctuation("(Yes,").marks)
    ('Yes', ['comma', 'other'])
    >>> [split_punctuation(word).core for word in ("$3.5", "don't", "5%.", "--")]
    ['$3.5', "don't", '5%', '']
    """
    if word.isalnum():
        return WrittenWord("", word, "", frozenset())
    first, last = 0, len(word)
    while first < last and is_around(word[first]):
        first += 1
    while last > first and is_around(word[last - 1]):
        last -= 1
    before, core, after = word[:first], word[first:last], word[last:]
    return WrittenWord(before, core, after, _marks(before, core) | _marks(after, core))


def bare(word: str) -> str:
    """Return a word without punctuation around it and without capitals.

    >>> bare("Yes,")
    'yes'
    """
    return word.casefold() if word.isalnum() else split_punctuation(word).bare


@cache
def is_around(character: str) -> bool:
    """Whether a character is punctuation that does not belong to the word beside it."""
    return category(character)[0] == "P" and character not in READ


def _marks(punctuation: str, core: str) -> frozenset[str]:
    """Return the names of the marks in punctuation on one side of a core."""
    if not core and punctuation and not punctuation.strip("-‐‑"):
        return frozenset({"dash"})  # between two words
    if len(punctuation) > 1 and ".." in punctuation:
        punctuation = punctuation.replace(".", "…")
    return frozenset(NAME_OF.get(c, OTHER) for c in punctuation if c not in UNCOUNTED)


# The formatted words of both sides, in an alignment that ignores punctuation and capitals.

Numbers = NDArray[np.int64]
Sets = NDArray[np.uint8]  # a bit for each name of a list
SIZES = np.array([number.bit_count() for number in range(256)])  # size of each set


class WordForms(NamedTuple):
    """The forms of the words of a vocabulary: arrays by word id.

    `bare` and `core` are numbers of the bare word and of the word in its case, -1 for a token that
    is punctuation alone. `bare_words` has the bare word of each number. `marks` and `capitals` are
    sets of names as bits.
    """

    bare_words: list[str]
    bare: Numbers
    core: Numbers
    marks: Sets
    capitals: Sets

    @classmethod
    def of(cls, words: Sequence[str]) -> WordForms:
        """Divide each word of a vocabulary once."""
        divided = [split_punctuation(word) for word in words]
        bare_words, bare = number_texts([word.bare for word in divided])
        return cls(
            bare_words,
            bare,
            number_texts([word.core for word in divided])[1],
            np.array([_bits(word.marks, MARKS) for word in divided], np.uint8),
            np.array([_bits({word.capitals}, CAPITALS) for word in divided], np.uint8),
        )


class FormattedSide(NamedTuple):
    """The bare words of all texts of one side, with the form, marks and capitals of each."""

    tokens: Tokens
    core: Numbers
    marks: Sets
    capitals: Sets


class FormattedSteps(NamedTuple):
    """Pairs of aligned words, and the number of marks at words without a counterpart.

    Row `i` of each array is one pair of words: the number of the pair of texts, whether the bare
    words are equal, whether they are in the same case, and the sets of marks and of capitals of
    both sides. `alone` counts the marks at deleted and inserted words of each pair of texts.
    """

    pair: Numbers
    equal: NDArray[np.bool_]
    same_case: NDArray[np.bool_]
    marks: tuple[Sets, Sets]
    capitals: tuple[Sets, Sets]
    alone: Numbers


def number_texts(texts: Sequence[str]) -> tuple[list[str], Numbers]:
    """Return the distinct texts, and the number of each text; an empty text has the number -1."""
    numbers: dict[str, int] = {}
    listed = [numbers.setdefault(t, len(numbers)) if t else -1 for t in texts]
    return list(numbers), np.array(listed, np.int64)


def _bits(names: Container[str], known: Sequence[str]) -> int:
    return sum(1 << i for i, name in enumerate(known) if name in names)


def has_mark(sets: Sets, number: int) -> NDArray[np.bool_]:
    """Return which sets have a name, by its number.

    >>> has_mark(np.array([1, 2, 3], np.uint8), 1).tolist()
    [False, True, True]
    """
    return np.asarray((sets >> number) & 1, np.bool_)


def formatted_steps(pairs: Pairs) -> FormattedSteps:
    """Align the bare words of all pairs of texts; computed once for all metrics."""
    return pairs.once("formatted steps", lambda: _steps(pairs))


def _steps(pairs: Pairs) -> FormattedSteps:
    sides = Word().tokens(pairs.utterances)
    forms = WordForms.of(sides[0].vocabulary[:])
    left, right = (_side(tokens, forms) for tokens in sides)
    alignment = align(left.tokens, right.tokens, pairs=pairs.index, workers=pairs.context.workers)
    operations, offsets = alignment.all_operations, alignment.all_offsets
    owner = np.repeat(np.arange(len(pairs)), np.diff(offsets))
    places = [
        _taken(side.tokens, rows) for side, rows in zip((left, right), pairs.index.T, strict=True)
    ]
    matched = (operations == Op.HIT) | (operations == Op.SUBSTITUTION)
    alone = np.zeros(len(pairs), np.int64)
    taken = []
    for side, place, absent in zip((left, right), places, (Op.INSERTION, Op.DELETION), strict=True):
        present = operations != absent
        mates = matched[present]
        counts = SIZES[side.marks[place[~mates]]]
        alone += np.bincount(owner[present][~mates], counts, len(pairs)).astype(np.int64)
        taken.append(place[mates])
    ours, theirs = taken
    return FormattedSteps(
        owner[matched],
        operations[matched] == Op.HIT,
        left.core[ours] == right.core[theirs],
        (left.marks[ours], right.marks[theirs]),
        (left.capitals[ours], right.capitals[theirs]),
        alone,
    )


def _taken(tokens: Tokens, rows: Numbers) -> Numbers:
    """Return the places of the tokens of some rows, one row after the other."""
    places = Tokens(np.arange(len(tokens.ids), dtype=np.int32), tokens.offsets, ())
    return places.take(rows).ids.astype(np.int64)


def _side(tokens: Tokens, forms: WordForms) -> FormattedSide:
    """Return the bare words; marks that stand alone belong to the word before them.

    Marks before the first word of a text belong to that word.
    """
    ids = tokens.ids.astype(np.int64)
    kept = forms.bare[ids] >= 0
    counts = np.concatenate([[0], np.cumsum(kept)])
    offsets = counts[tokens.offsets].astype(np.int64)
    rows = np.repeat(np.arange(len(tokens)), tokens.lengths)
    owner = np.maximum(counts[1:] - 1, offsets[rows])
    has_words = offsets[rows] < offsets[rows + 1]
    marks = np.zeros(int(counts[-1]), np.uint8)
    np.bitwise_or.at(marks, owner[has_words], forms.marks[ids[has_words]])
    words = ids[kept]
    bare = Tokens(forms.bare[words].astype(np.int32), offsets, forms.bare_words)
    return FormattedSide(bare, forms.core[words], marks, forms.capitals[words])
