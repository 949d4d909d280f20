"""Hypotheses that have the unusual words of the references, as if their system knew them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from misword.asr.checking.findings import Finding, found
from misword.asr.checking.texts import CheckedTexts, TextPair
from misword.asr.checks import Check
from misword.core.context import Context
from misword.core.formatting import counted
from misword.embed.vectors.words import check_word_vectors, word_vectors

FEWEST = 30  # unusual words
LETTERS = 5  # of a word; shorter ones are recognised by chance
STANDARD_ERRORS = 4.0  # by which unusual words must be recognised more often than usual ones


@dataclass(frozen=True, slots=True)
class Memorised(Check):
    """Unusual words of the references that hypotheses have more often than usual words.

    Words that are not in the vectors of `--vectors` are rare names and misspellings. A recogniser
    gets them wrong more often than usual words, unless it was trained on the references.

    Known problems: without `--vectors`, nothing is looked at; words are looked for in the whole
    hypothesis, not at their place.

    Example: `misword check ref.fr hyp.fr --vectors cc.fr.300.vec --checks memorised`
    """

    name: ClassVar[str] = "memorised"
    title: ClassVar[str] = "memorised references"
    family: ClassVar[str] = "content"

    @property
    def uses(self) -> tuple[str, ...]:
        """The vectors say which words are usual."""
        return ("vectors",)

    def check(self, context: Context) -> None:
        """Open the vectors, if there are any."""
        if context.source is not None:
            check_word_vectors(context)

    def look(self, texts: CheckedTexts) -> Iterator[Finding]:
        """Compare how often usual and unusual words of the references are in the hypotheses."""
        if texts.context.source is None:
            return
        for pair in texts.matching_pairs:
            if pair.left is texts.references:
                yield from _memorised(pair, _unusual(pair, texts.context))


def _unusual(pair: TextPair, context: Context) -> set[str]:
    """Return the words of the references that have no vector."""
    words = sorted({word for line in pair.left.words for word in line if _is_long(word)})
    numbers = word_vectors(context).find(words)
    return {word for word, number in zip(words, numbers.tolist(), strict=True) if number < 0}


def _is_long(word: str) -> bool:
    return len(word) >= LETTERS and word.isalpha()


def _memorised(pair: TextPair, unusual: set[str]) -> Iterator[Finding]:
    counts = {True: [0, 0], False: [0, 0]}  # words and recognised words; True: unusual
    rows = []
    for row, mate in pair.rows.tolist():
        heard = set(pair.right.words[mate])
        for word in filter(_is_long, pair.left.words[row]):
            kind = counts[word in unusual]
            kind[0] += 1
            kind[1] += word in heard
            if word in unusual and word in heard:
                rows.append((mate, row))
    (size, right), (others, others_right) = counts[True], counts[False]
    if size < FEWEST or not others:
        return
    share, usual = right / size, others_right / others
    error = (max(usual * (1 - usual), 1e-4) / size) ** 0.5
    if share < usual + STANDARD_ERRORS * error:
        return
    yield found(
        Memorised.name,
        "warning",
        pair.right,
        f"{100 * share:.0f} % of {counted(size, 'unusual word')} are right, and {100 * usual:.0f} "
        f"% of the usual ones: the system may have been trained on {pair.left.name}",
        rows=sorted({row for row, _ in rows}),
        other=pair.left,
        pairs=rows,
        evidence={"unusual words": size, "right": share, "usual words right": usual},
    )
