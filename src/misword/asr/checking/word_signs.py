"""What the words of a vocabulary show, computed once for each word and added up over texts.

The bare form of a word, its letters by script, and the languages of which it is a function word.
The vocabulary is processed as one string; compiled kernels (`native/word_signs.c`) process texts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from misword.asr.formatting import bare, is_around
from misword.core.types import Ids, Tokens
from misword.native.library import INTEGER, REAL, array, kernel, procedure
from misword.text.scripts import FEWEST_LETTERS, NEARLY_ALL, script_of
from misword.text.texts import SEPARATOR, Texts
from misword.text.tokens import ByteVocabulary, decode_words, encode_words

Numbers = NDArray[np.int64]
Classes = NDArray[np.int32]

IDS, OFFSETS, ROWS = array(np.int32), array(np.int64), array(np.int64)
_bare_words = procedure(
    "misword_bare_words", array(np.uint8), INTEGER, array(np.bool_), array(np.uint8, out=True)
)
_count_repeated = kernel(
    "misword_count_repeated", IDS, OFFSETS, IDS, ROWS, INTEGER, INTEGER, INTEGER, INTEGER,
    array(np.int64, out=True),
)  # fmt: skip
_sum_weights = procedure(
    "misword_sum_weights", IDS, OFFSETS, ROWS, INTEGER, array(np.int32), INTEGER,
    array(np.int64, out=True),
)  # fmt: skip
_line_languages = procedure(
    "misword_line_languages", IDS, OFFSETS, ROWS, INTEGER, IDS, array(np.uint32), INTEGER, INTEGER,
    REAL, REAL, INTEGER, INTEGER, array(np.int32, out=True),
)  # fmt: skip

# Spaces within a word of a vocabulary (a forgiven block is one word) while words are encoded.
WITHIN = "\1"


class WordSigns:
    """What the words of a vocabulary show; each property is computed when it is first read."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._vocabulary = vocabulary

    @cached_property
    def _text(self) -> bytes:
        """The words in order, separated by NUL."""
        words = self._vocabulary
        if isinstance(words, ByteVocabulary):
            numbers = np.arange(len(words) + 1)
            return decode_words(Tokens(numbers[:-1].astype(np.int32), numbers, words)).data
        return SEPARATOR.join(words).replace(" ", WITHIN).encode()

    @cached_property
    def _folded(self) -> bytes:
        """The words without capitals."""
        text = self._text
        return text.lower() if text.isascii() else text.decode().casefold().encode()

    @cached_property
    def bare(self) -> Classes:
        """The class of each word: words that differ by capitals and punctuation have one class.

        Words of punctuation alone have the class -1.
        """
        around = np.zeros(256, np.bool_)
        around[:128] = [is_around(chr(code)) for code in range(128)]
        trimmed = np.empty(len(self._folded), np.uint8)
        _bare_words(np.frombuffer(self._folded, np.uint8), len(trimmed), around, trimmed)
        data, rows = trimmed.tobytes(), len(self._vocabulary)
        if not data.isascii():
            data = _trimmed(data.decode()).encode()
        if data == self._text:  # all words are bare
            return np.arange(rows, dtype=np.int32)
        return _first_words(encode_words([Texts(data, rows)])[0])

    @cached_property
    def letters(self) -> NDArray[np.int32] | None:
        """The number of letters of each word (row) and script (column); None for one script."""
        if self._text.isascii():
            return None
        text = self._folded.decode()
        characters = list(set(text))
        scripts: dict[str, int] = {"": 0}
        numbers = [scripts.setdefault(script_of(c), len(scripts)) for c in characters]
        if len(scripts) <= 2:
            return None
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        table = np.zeros(1 + max(map(ord, characters)), np.int64)
        table[list(map(ord, characters))] = numbers
        flat = np.cumsum(codes == 0) * len(scripts) + table[codes]
        size = len(self._vocabulary) * len(scripts)
        counts = np.bincount(flat, minlength=size).reshape(-1, len(scripts))
        return np.ascontiguousarray(counts[:, 1:], np.int32)

    def knows(self, lang: str) -> bool:
        """Whether function words of a language are known."""
        return lang in _languages()

    @cached_property
    def folded_classes(self) -> Classes:
        """The class of each word: words that differ by capitals have one class."""
        return self._languages[0]

    @cached_property
    def languages(self) -> NDArray[np.uint32]:
        """A bit for each language of which a word is a function word."""
        return self._languages[1]

    @cached_property
    def _languages(self) -> tuple[Classes, NDArray[np.uint32]]:
        texts, bits = _function_words()
        folded, known = encode_words([Texts(self._folded, len(self._vocabulary)), texts])
        of_class = np.zeros(len(folded.vocabulary), np.uint32)
        of_class[known.ids] = bits
        classes = _first_words(folded)
        return classes, np.where(classes < 0, np.uint32(0), of_class[classes])

    def function_words(self, ids: Ids) -> list[int]:
        """Count the function words of each language among words."""
        found = self.languages[ids]
        return [int(np.count_nonzero(found >> bit & 1)) for bit in range(len(_languages()))]


def _first_words(tokens: Tokens) -> Classes:
    """Return the only word of each row, -1 for a row without a word."""
    words = np.full(len(tokens), -1, np.int32)
    filled = np.diff(tokens.offsets) > 0
    words[filled] = tokens.ids[tokens.offsets[:-1][filled]]
    return words


@cache
def _languages() -> list[str]:
    """Return the languages of which function words are known, in the order of their bits."""
    from misword.text.function_words import FUNCTION_WORDS

    return list(FUNCTION_WORDS)


@cache
def _function_words() -> tuple[Texts, NDArray[np.uint32]]:
    """Return the function words of all languages, and a bit for each language of each word."""
    from misword.text.function_words import FUNCTION_WORDS

    found: dict[str, int] = {}
    for bit, words in enumerate(FUNCTION_WORDS.values()):
        for word in words:
            found[word] = found.get(word, 0) | 1 << bit
    return Texts.of(found), np.array(list(found.values()), np.uint32)


def _trimmed(text: str) -> str:
    """Return words without punctuation around them that is not ASCII."""
    around = [c for c in set(text) if not c.isascii() and is_around(c)]
    if not around:
        return text
    words = text.split(SEPARATOR)
    starts = np.cumsum([0, *(len(word) + 1 for word in words)])
    pattern = re.compile(f"[{re.escape(''.join(around))}]+")
    places = np.array([match.start() for match in pattern.finditer(text)], np.int64)
    for word in np.unique(np.searchsorted(starts, places, side="right") - 1).tolist():
        words[word] = bare(words[word].strip(" ")) or " "
    return SEPARATOR.join(words)


def count_repeated(
    tokens: Tokens, rows: Numbers, classes: Classes, longest: int, of_word: int, of_phrase: int
) -> Numbers:
    """Count the repeated words in the loops of some rows (`misword_count_repeated`)."""
    repeated = np.empty(len(rows), np.int64)
    _count_repeated(
        *_kernel_rows(tokens), classes, np.ascontiguousarray(rows), len(rows), longest, of_word,
        of_phrase, repeated,
    )  # fmt: skip
    return repeated


def one_script_of(tokens: Tokens, rows: Numbers, letters: NDArray[np.int32]) -> Numbers:
    """Return the script of nearly all letters of some rows, -1 if there are few letters or none.

    `letters` has the letters of each word by script.
    """
    sums = np.empty((len(rows), letters.shape[1]), np.int64)
    _sum_weights(
        *_kernel_rows(tokens), np.ascontiguousarray(rows), len(rows), letters, sums.shape[1], sums
    )
    total = sums.sum(axis=1)
    clear = (total >= FEWEST_LETTERS) & (sums.max(axis=1) >= NEARLY_ALL * total)
    return np.where(clear, sums.argmax(axis=1), -1)


def line_languages(tokens: Tokens, rows: Numbers, signs: WordSigns, main: str) -> Classes:
    """Return for some rows the language if it clearly differs from `main`, else -1.

    Languages are numbered as in `FUNCTION_WORDS`.
    """
    from misword.text import function_words as listed

    found = np.empty(len(rows), np.int32)
    _line_languages(
        *_kernel_rows(tokens), np.ascontiguousarray(rows), len(rows), signs.folded_classes,
        signs.languages, _languages().index(main), listed.LINE_WORDS, listed.LINE_SHARE,
        listed.OWN_SHARE, listed.LINE_TIMES, listed.LINE_DISTINCT, found,
    )  # fmt: skip
    return found


def _kernel_rows(tokens: Tokens) -> tuple[NDArray[np.int32], Numbers]:
    """Return the words and the offsets of rows as kernels read them."""
    return (
        np.ascontiguousarray(tokens.ids, np.int32),
        np.ascontiguousarray(tokens.offsets, np.int64),
    )
