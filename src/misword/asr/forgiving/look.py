"""A look at some errors: how many of them are differences of writing.

Without `--forgive`, WER is the number that every scorer computes. A note tells the user if a
notable share of the errors are differences of writing. Only a sample of the pairs is looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.asr.compared_texts import ComparedTexts, Signs
from misword.asr.forgiving.choice import GROUP, ForgivenFamilies
from misword.asr.forgiving.equivalents import Equivalents
from misword.asr.forgiving.readings import Reader, Readings
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.context import Context
from misword.core.errors import MissingExtraError
from misword.core.types import Corpus
from misword.text.normalizers import Chain
from misword.text.texts import Texts
from misword.text.writing import FAMILIES, WRITING

NOTABLE = 0.05  # the least share of errors that is worth a note
LEAST_ERRORS = 20  # a share of fewer errors says little
MOST_WORDS = 3_000  # words of references in the sample; some hundred errors, in 20 ms
LONGEST = 20_000  # words of a reference; a look at a longer one would take seconds
SHOWN = 3  # families in the note


class WordErrors(NamedTuple):
    """The number of word errors and of reference words of each pair."""

    errors: NDArray[np.int32]
    words: NDArray[np.int32]

    @classmethod
    def of(cls, pairs: Pairs) -> WordErrors:
        """Count by unit costs."""
        aligned = pairs.alignment(Word(), "misword")
        words = aligned.counts[:, [0, 1, 3]].sum(axis=1)
        return cls(aligned.costs.astype(np.int32), words.astype(np.int32))


def writing_notes(pairs: Pairs) -> list[str]:
    """Return a note if many errors are differences of writing, and nothing was forgiven."""
    if pairs.choice or len(pairs.reader.texts.signs):
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
    readings = _look(corpus, index(sample), chain, lang)
    words = readings.utterances.words
    after = readings.align(words, operations=False, workers=1).costs.sum()
    share = float(1 - after / found.errors[sample].sum())
    if share < NOTABLE:
        return []
    parts = ", ".join(f"{name} {100 * part:.0f} %" for name, part in _parts(readings, share))
    return [
        f"about {100 * share:.0f} % of the word errors are differences of writing ({parts}): "
        f"--forgive {GROUP} does not count them"
    ]


def _sample(found: WordErrors) -> NDArray[np.int64]:
    """Return pairs with errors, evenly spaced, with about MOST_WORDS reference words in all.

    Very long pairs are left out.
    """
    wrong = np.flatnonzero((found.errors > 0) & (found.words <= LONGEST))
    every = max(1, int(found.words[wrong].sum()) // MOST_WORDS)
    return wrong[::every]


def _look(corpus: Corpus, index: NDArray[np.int64], chain: Chain, lang: str) -> Readings:
    """Forgive differences of writing in some pairs."""
    rows, columns = index.T
    references = Texts.of(corpus.references["text"][rows])
    hypotheses = Texts.of(corpus.hypotheses["text"][columns])
    numbers = np.arange(len(index))
    texts = ComparedTexts.of(references, hypotheses, Signs.none(references), chain)
    numbered = np.stack([numbers, numbers], axis=1)
    reader = Reader(texts, numbered, Equivalents(()), workers=1)  # threads would cost more
    return reader.read(ForgivenFamilies.of(_usable(lang), lang))


def _usable(lang: str) -> Iterator[str]:
    """Yield the families that need no package that is not installed."""
    for name in WRITING:
        try:
            FAMILIES.create(name).check(Context(lang=lang))
        except MissingExtraError:
            continue
        yield name


def _parts(readings: Readings, share: float) -> Iterator[tuple[str, float]]:
    """Yield the families that forgive most, with their parts of the share."""
    blocks = readings.blocks
    words = np.maximum(
        blocks.reference_end - blocks.reference_start,
        blocks.hypothesis_end - blocks.hypothesis_start,
    )
    weights = np.bincount(blocks.family, words, minlength=len(readings.families))
    for family in np.argsort(-weights, kind="stable")[:SHOWN].tolist():
        if weights[family]:
            yield readings.families[family], share * float(weights[family] / weights.sum())
