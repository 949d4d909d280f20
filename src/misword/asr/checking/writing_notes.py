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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.compared_texts import ComparedTexts, Signs
from misword.asr.pairs import Pairs
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
# A quarter of the sample, a second one, and the other half, each evenly spaced.
PARTS = slice(0, None, 4), slice(2, None, 4), slice(1, None, 2)

PIECES = re.compile(r"[^\W_]+")
OTHER_SIGNS = re.compile(r"[^\w\n]+|_+")  # in words on lines
FIGURE = re.compile(r"[\d%$€£¥]")
DIGITS = re.compile(r"\d+")
LONGEST_COMPOUND = 3  # words that may be written as one
HESITATION = re.compile(r"[aeiouyäöüøãэ]*[hmхм]+")
# Letters that are written in two ways: colour and color, realise and realize, centre and center.
VARIANTS = [
    (re.compile(one, re.MULTILINE), other)
    for one, other in (
        *((r"(.)\1", r"\1"), ("ou", "o"), ("z", "s"), ("[ao]e", "e")),
        *(("re$", "er"), ("gue$", "g")),
    )
]


class TokenErrors(NamedTuple):
    """The number of errors and of reference tokens of each pair; `of_words` if these are words."""

    errors: NDArray[np.int32]
    tokens: NDArray[np.int32]
    of_words: bool

    @classmethod
    def of(cls, pairs: Pairs) -> TokenErrors | None:
        """Return the errors of an alignment that a metric has computed; None if there is none."""
        words = pairs.aligned_words()
        aligned = words or pairs.aligned_tokens()
        if aligned is None:
            return None
        hits, substitutions, insertions, deletions = aligned.counts.T
        errors = (substitutions + insertions + deletions).astype(np.int32)
        tokens = (hits + substitutions + deletions).astype(np.int32)
        return cls(errors, tokens, words is not None)

    @property
    def rates(self) -> NDArray[np.float64]:
        """The error rate of each pair, at most 1."""
        return np.asarray(np.minimum(1, self.errors / np.maximum(1, self.tokens)))


def writing_notes(pairs: Pairs) -> list[str]:
    """Return a note if many errors are differences of writing, and nothing was forgiven."""
    if pairs.choice.families or len(pairs.reader.texts.signs):
        return []
    reader, found = pairs.reader, TokenErrors.of(pairs)
    if found is None:
        return []
    index = reader.index.__getitem__
    return notes_on_errors(found, pairs.source, index, reader.texts.chain, pairs.context.lang)


def notes_on_errors(
    found: TokenErrors,
    corpus: Corpus,
    index: Callable[[NDArray[np.int64]], NDArray[np.int64]],
    chain: Chain,
    lang: str,
) -> list[str]:
    """Return a note if many errors are differences of writing; it needs an alignment of words.

    `index` returns for numbers of pairs the rows of both texts in the corpus.
    """
    if not found.of_words:
        return []
    sample = _sample(found)
    if found.errors[sample].sum() < LEAST_ERRORS:
        return []
    texts = _texts(corpus, index(sample), chain)
    if not has_signs(texts.normal[0].split(), texts.normal[1].split()):
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


def _sample(found: TokenErrors) -> NDArray[np.int64]:
    """Return pairs with errors, evenly spaced, with about MOST_WORDS reference words in all.

    Very long pairs are left out.
    """
    wrong = np.flatnonzero((found.errors > 0) & (found.tokens <= LONGEST))
    every = max(1, int(found.tokens[wrong].sum()) // MOST_WORDS)
    return wrong[::every]


def _texts(corpus: Corpus, index: NDArray[np.int64], chain: Chain) -> ComparedTexts:
    """Return the texts of some pairs."""
    rows, columns = index.T
    references = Texts.of(corpus.references["text"][rows])
    hypotheses = Texts.of(corpus.hypotheses["text"][columns])
    return ComparedTexts.of(references, hypotheses, Signs.none(references), chain)


# Signs of differences of writing in the words that only one side of a pair has.


def has_signs(references: Sequence[str], hypotheses: Sequence[str]) -> bool:
    """Return whether enough of the words that only one side of a pair has have a sign.

    A quarter or half of the pairs are enough if they have so few signs that the share of all words
    is below LEAST_SIGNS with a certainty of about 99.9 % (three standard deviations of a Poisson
    number).
    """
    words = signed = 0
    for part in PARTS:
        more_words, more_signed = count_signs(references[part], hypotheses[part])
        words, signed = words + more_words, signed + more_signed
        if signed + 3 * np.sqrt(signed + 1) + 2 < LEAST_SIGNS * words:
            return False
    return signed >= LEAST_SIGNS * words


def count_signs(references: Sequence[str], hypotheses: Sequence[str]) -> tuple[int, int]:
    """Return how many words only one side of a pair has, and how many of them have a sign.

    >>> count_signs(["we are in the ice cream shop"], ["we are in the icecream stop"])
    (5, 1)
    """
    pairs = [(r.split(), h.split()) for r, h in zip(references, hypotheses, strict=True)]
    forms = _forms(list({word for sides in pairs for side in sides for word in side}))
    words = signed = 0
    for sides in pairs:
        alone = _alone(*sides)
        for side, other in ((0, 1), (1, 0)):
            if alone[side]:
                words += sum(alone[side].values())
                signed += _signed(alone[side], alone[other], sides[other], forms)
    return words, signed


def _alone(left: list[str], right: list[str]) -> tuple[Mapping[str, int], Mapping[str, int]]:
    """Return the words that one side has more often than the other, and how much more often."""
    sets = set(left), set(right)
    if len(sets[0]) == len(left) and len(sets[1]) == len(right):  # faster, and usual
        return dict.fromkeys(sets[0] - sets[1], 1), dict.fromkeys(sets[1] - sets[0], 1)
    counts = Counter(left), Counter(right)
    return counts[0] - counts[1], counts[1] - counts[0]


def _signed(
    own: Mapping[str, int],
    others: Mapping[str, int],
    side: Sequence[str],
    forms: Mapping[str, str],
) -> int:
    """Count the words in `own` that may be another writing of words of the other side."""
    of_side = [forms[word] for word in side]
    joined = "".join(of_side)
    parts = [part for word in others if not word.isalnum() for part in PIECES.findall(word)]
    known = set(_forms(parts).values()).union(map(forms.__getitem__, others))
    compounds: Compounds | None = None
    figures: Figures | None = None
    signed = 0
    for word, times in own.items():
        if FIGURE.search(word):
            figures = figures or Figures(own, others)
            signed += times if figures.may_be_other(word) else 0
            continue
        if HESITATION.fullmatch(word.casefold()):
            signed += times
            continue
        found = [forms[word]]
        if not word.isalnum():
            found += _forms(PIECES.findall(word)).values()
        if not known.isdisjoint(found):
            signed += times
        elif any(form in joined for form in found):
            compounds = compounds or Compounds.of(of_side, [word in others for word in side])
            signed += times if any(map(compounds.has, found)) else 0
    return signed


class Compounds(NamedTuple):
    """The forms of the words of a text as one string; some are words that the other side lacks.

    `starts` has the number of the word that begins at a place of the string, `before` the number of
    lacked words before each word.
    """

    joined: str
    starts: Mapping[int, int]
    before: Sequence[int]

    @classmethod
    def of(cls, forms: Sequence[str], lacked: Sequence[bool]) -> Compounds:
        """Join the forms; those without letters are left out."""
        kept = [(form, flag) for form, flag in zip(forms, lacked, strict=True) if form]
        starts = accumulate((len(form) for form, _ in kept), initial=0)
        before = [*accumulate((flag for _, flag in kept), initial=0)]
        return cls("".join(forms), {at: word for word, at in enumerate(starts)}, before)

    def has(self, form: str) -> bool:
        """Return whether words in succession, of which one is lacked, have this form together."""
        at = self.joined.find(form) if form else -1
        while at >= 0:
            first, end = self.starts.get(at), self.starts.get(at + len(form))
            if first is not None and end is not None and end - first <= LONGEST_COMPOUND:
                has_lacked = self.before[end] > self.before[first]
                if has_lacked:
                    return True
            at = self.joined.find(form, at + 1)
        return False


class Figures:
    """Tells which words with figures may be written in another way on the other side.

    That is, the other side has a word without figures, or the same digits.
    """

    def __init__(self, own: Iterable[str], others: Iterable[str]) -> None:
        listed = list(others)
        self._all = any(not FIGURE.search(word) for word in listed)
        self._all |= _digits("".join(own)) == _digits("".join(listed))
        self._digits = set() if self._all else set(map(_digits, listed))

    def may_be_other(self, word: str) -> bool:
        """Return whether a word with figures may be written in another way."""
        return self._all or _digits(word) in self._digits


def _digits(word: str) -> str:
    """Return the digits of a word, without zeros at either end: `1,300` and `1.3` have the same."""
    return "".join(DIGITS.findall(word)).strip("0")


def _forms(words: Sequence[str]) -> dict[str, str]:
    """Return the letters of each word in one of the usual spellings; the words are distinct lines.

    >>> forms = _forms(["Colours,", "colors", "realise", "re-alize"])
    >>> forms["Colours,"] == forms["colors"], forms["realise"] == forms["re-alize"]
    (True, True)
    """
    if not words:
        return {}
    letters = OTHER_SIGNS.sub("", "\n".join(words)).casefold()
    for pattern, usual in VARIANTS:
        letters = pattern.sub(usual, letters)
    return dict(zip(words, letters.split("\n"), strict=True))


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
