"""A note on errors that are differences of writing, such as `we're` and `we are`.

Without `--forgive`, WER is the number that every scorer computes. A note tells the user if a
notable share of the errors are differences of writing. The share is estimated in two steps, on a
sample of the pairs. First, the words that only one side has are searched for signs of such
differences: digits, the same letters with another spacing or another case, usual spellings.
Only if enough of these words have signs, the differences in the sample are forgiven and counted
(`asr/forgiving`). Of 22 corpora in English and French, those without a notable share of such
differences had signs in 2 to 6 % of the words, the others in 12 % and more.

Known problems: abbreviations and contractions without an apostrophe (`gonna`) have no sign. They
are found if the sample has other differences, too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.compared_texts import ComparedTexts, Signs
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.core.types import Corpus
from misword.text.normalizers import Chain
from misword.text.texts import Texts

if TYPE_CHECKING:
    from misword.asr.forgiving.readings import Readings

NOTABLE = 0.05  # the least share of errors that is worth a note
LEAST_ERRORS = 20  # a share of fewer errors is unreliable
MOST_WORDS = 3_000  # words of references in the sample; some hundred errors, in 20 ms
LONGEST = 20_000  # words of a reference; a longer one would take seconds
SHOWN = 3  # families in the note
LEAST_SIGNS = 0.04  # the least share of words with signs for which differences are counted

PIECES = re.compile(r"[^\W_]+")
FIGURE = re.compile(r"[\d%$€£¥]")
LONGEST_COMPOUND = 3  # words that may be written as one
HESITATION = re.compile(r"[aeiouyäöüøãэ]*[hmхм]+")
# Letters that are written in two ways: colour and color, realise and realize, centre and center.
VARIANTS = [
    (re.compile(one), other)
    for one, other in (
        *((r"(.)\1", r"\1"), ("ou", "o"), ("z", "s"), ("[ao]e", "e")),
        *(("re$", "er"), ("gue$", "g")),
    )
]


class WordErrors(NamedTuple):
    """The number of word errors and of reference words of each pair."""

    errors: NDArray[np.int32]
    words: NDArray[np.int32]

    @classmethod
    def of(cls, pairs: Pairs) -> WordErrors:
        """Count the errors of the alignment by unit costs."""
        aligned = pairs.alignment(Word(), "misword")
        words = aligned.counts[:, [0, 1, 3]].sum(axis=1)
        return cls(aligned.costs.astype(np.int32), words.astype(np.int32))


def writing_notes(pairs: Pairs) -> list[str]:
    """Return a note if many errors are differences of writing, and nothing was forgiven."""
    if pairs.choice.families or len(pairs.reader.texts.signs):
        return []
    reader = pairs.reader
    found, index = WordErrors.of(pairs), reader.index.__getitem__
    return notes_on_errors(found, pairs.source, index, reader.texts.chain, pairs.context.lang)


def notes_on_errors(
    found: WordErrors,
    corpus: Corpus,
    index: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    chain: Chain,
    lang: str,
) -> list[str]:
    """Return a note if many errors are differences of writing.

    `index` returns for numbers of pairs the rows of both texts in the corpus.
    """
    sample = _sample(found)
    if found.errors[sample].sum() < LEAST_ERRORS:
        return []
    texts = _texts(corpus, index(sample), chain)
    if signed_share(texts.normal[0].split(), texts.normal[1].split()) < LEAST_SIGNS:
        return []
    readings = _forgiven(texts, lang)
    words = readings.utterances.words
    after = readings.align(words, operations=False, workers=1).costs.sum()
    share = float(1 - after / found.errors[sample].sum())
    if share < NOTABLE:
        return []
    parts = ", ".join(
        f"{name} {100 * part:.0f} %" for name, part in _largest_families(readings, share)
    )
    return [
        f"about {100 * share:.0f} % of the word errors are differences of writing ({parts}): "
        "--forgive writing does not count them"
    ]


def _sample(found: WordErrors) -> NDArray[np.int64]:
    """Return pairs with errors, evenly spaced, with about MOST_WORDS reference words in all.

    Very long pairs are left out.
    """
    wrong = np.flatnonzero((found.errors > 0) & (found.words <= LONGEST))
    every = max(1, int(found.words[wrong].sum()) // MOST_WORDS)
    return wrong[::every]


def _texts(corpus: Corpus, index: NDArray[np.int64], chain: Chain) -> ComparedTexts:
    """Return the texts of some pairs."""
    rows, columns = index.T
    references = Texts.of(corpus.references["text"][rows])
    hypotheses = Texts.of(corpus.hypotheses["text"][columns])
    return ComparedTexts.of(references, hypotheses, Signs.none(references), chain)


# Signs of differences of writing in the words that only one side of a pair has.


def signed_share(references: Sequence[str], hypotheses: Sequence[str]) -> float:
    """Return the share of words with a sign, among the words that only one side of a pair has.

    >>> signed_share(["we are in the ice cream shop"], ["we are in the icecream stop"])
    0.2
    """
    words = signed = 0
    for texts in zip(references, hypotheses, strict=True):
        sides = [text.split() for text in texts]
        counts = [Counter(side) for side in sides]
        alone = counts[0] - counts[1], counts[1] - counts[0]
        forms = [_forms(side, own) for side, own in zip(sides, alone, strict=True)]
        for own, other in zip(alone, reversed(forms), strict=True):
            words += own.total()
            signed += sum(n for word, n in own.items() if _has_sign(word, other))
    return signed / max(1, words)


def _forms(words: Sequence[str], alone: Mapping[str, int]) -> set[str]:
    """Return the forms of the words in `alone`, and of these words joined to neighbours."""
    found = {_form(part) for word in alone for part in PIECES.findall(word)}
    for place in (place for place, word in enumerate(words) if word in alone):
        for start in range(max(0, place - LONGEST_COMPOUND + 1), place + 1):
            for end in range(place + 1, start + LONGEST_COMPOUND + 1):
                found.add("".join(map(_form, words[start:end])))
    return found


def _has_sign(word: str, forms: set[str]) -> bool:
    """Return whether a word may be another writing of words of the other side."""
    if FIGURE.search(word) or HESITATION.fullmatch(word.casefold()):
        return True
    return _form(word) in forms or any(_form(part) in forms for part in PIECES.findall(word))


@lru_cache(MOST_WORDS)
def _form(word: str) -> str:
    """Return the letters of a word in one of the usual spellings.

    >>> _form("Colours,") == _form("colors"), _form("realise") == _form("re-alize")
    (True, True)
    """
    letters = "".join(PIECES.findall(word)).casefold()
    for pattern, usual in VARIANTS:
        letters = pattern.sub(usual, letters)
    return letters


# The share of differences of writing in the sample, by forgiving them.


def _forgiven(texts: ComparedTexts, lang: str) -> Readings:
    """Forgive the differences of writing in some pairs."""
    from misword.asr.forgiving.choice import ForgivenFamilies
    from misword.asr.forgiving.equivalents import Equivalents
    from misword.asr.forgiving.readings import Reader

    numbers = np.arange(texts.normal[0].rows)
    numbered = np.stack([numbers, numbers], axis=1)
    reader = Reader(texts, numbered, Equivalents(()), workers=1)  # threads would cost more
    return reader.read(ForgivenFamilies.of(usable_families(lang), lang))


def usable_families(lang: str) -> Iterator[str]:
    """Yield the families whose packages are installed."""
    from misword.text.writing import FAMILIES, WRITING

    for name in WRITING:
        try:
            FAMILIES.create(name).check(Context(lang=lang))
        except MissingExtraError:
            continue
        yield name


def _largest_families(readings: Readings, share: float) -> Iterator[tuple[str, float]]:
    """Yield the families that forgive most, each with its part of `share`."""
    blocks = readings.blocks
    words = np.maximum(
        blocks.reference_end - blocks.reference_start,
        blocks.hypothesis_end - blocks.hypothesis_start,
    )
    weights = np.bincount(blocks.family, words, minlength=len(readings.families))
    for family in np.argsort(-weights, kind="stable")[:SHOWN].tolist():
        if weights[family]:
            yield readings.families[family], share * float(weights[family] / weights.sum())
