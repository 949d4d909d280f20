"""Flags of hypotheses that look made up or stuck: loops, bursts of insertions, and so on.

Each rule examines only the pairs that can have its flag, by the counts of a word alignment that the
metrics have computed. What a rule asks of words is computed once for each word of the vocabulary,
and added up over texts by compiled kernels. The false alarms of the rules are measured in
docs/stuck.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.lazy import pl
from misword.core.types import Alignment, Op, Tokens

if TYPE_CHECKING:
    from misword.asr.checking.word_signs import WordSigns

# Loops: a phrase that is repeated in succession.
#
# A phrase of p words is repeated where each word equals the word p places before it. The words of
# a loop after the first occurrence of its phrase are its repeated words.

LONGEST = 12  # words of a phrase
TIMES_OF_WORD = 6  # fewer repetitions may be real speech: `no no no no`
TIMES_OF_PHRASE = 3

Numbers = NDArray[np.int64]
Classes = NDArray[np.int32]


def repeated_words(
    tokens: Tokens,
    rows: Numbers | None = None,
    classes: Classes | None = None,
    *,
    of_word: int = TIMES_OF_WORD,
    of_phrase: int = TIMES_OF_PHRASE,
) -> Numbers:
    """Count the repeated words in the loops of some rows; by default of all.

    A loop has at least `of_word` repetitions of a word, or `of_phrase` of two words or more. Words
    of one class are the same; without `classes`, each word has a class of its own.

    >>> from misword.text.tokens import encode_lists
    >>> rows = ["a b a b a b".split(), "a b a b".split(), "a a a a a a".split()]
    >>> repeated_words(encode_lists(rows)).tolist()
    [4, 0, 5]
    """
    from misword.asr.checking.word_signs import count_repeated

    rows = np.arange(len(tokens)) if rows is None else rows
    if classes is None:
        classes = np.arange(len(tokens.vocabulary), dtype=np.int32)
    return count_repeated(tokens, rows, classes, LONGEST, of_word, of_phrase)


def looped_words(
    sides: tuple[Tokens, Tokens], rows: Numbers, classes: Classes | None = None
) -> Numbers:
    """Count the repeated words of each hypothesis that its reference does not have.

    `rows` has the rows of both texts of each pair. In the reference, everything that is said twice
    in succession counts as repeated.

    >>> from misword.text.tokens import encode_lists
    >>> tokens = encode_lists([["no", "no", "no"], ["no"] * 8])
    >>> looped_words((tokens, tokens), np.array([[0, 1]])).tolist()
    [5]
    """
    heard = repeated_words(sides[1], rows[:, 1], classes)
    beyond = np.zeros(len(heard), np.int64)
    if len(looped := np.flatnonzero(heard)):
        said = repeated_words(sides[0], rows[looped, 0], classes, of_word=2, of_phrase=2)
        beyond[looped] = np.maximum(0, heard[looped] - said)
    return beyond


# Flags: one rule for each.


FLAGGED = "flagged"  # the table
LOOPED = 4  # words of a loop beyond those of the reference
BURST = 10  # successive insertions
SPEECH = 3  # the least words of a reference whose empty hypothesis is flagged
TIMES, LONGER = 4.0, 15  # least ratio of lengths, and least difference in words, of a long text
FOREIGN_HITS = 0.25  # the largest share of correct words in a text in another language
FOREIGN_WORDS = 4  # the least words of such a text
SAMPLE = 20_000  # words of references by which their language is recognised


@dataclass(frozen=True, eq=False)
class BestPairs:
    """The words of the best hypotheses and of their references.

    Row `i` of all arrays is pair `numbers[i]` of the scores. `counts` are those of the alignment,
    `bursts` its most successive insertions, if it knows them.
    """

    numbers: Numbers
    rows: Numbers
    sides: tuple[Tokens, Tokens]
    counts: Numbers
    bursts: Numbers | None
    lang: str

    @classmethod
    def of(cls, pairs: Pairs, aligned: Alignment) -> BestPairs:
        """Select the best hypotheses of pairs, given their alignment."""
        is_best = pairs.keys["rank"].to_numpy() == 1
        rows, counts, bursts = pairs.rows(Word()), aligned.counts, aligned.bursts
        numbers = np.flatnonzero(is_best)
        if len(numbers) < len(is_best):
            rows, counts = rows[numbers], counts[numbers]
            bursts = None if bursts is None else bursts[numbers]
        return cls(numbers, rows, pairs.tokens(Word()), counts, bursts, pairs.context.lang)

    @cached_property
    def signs(self) -> WordSigns:
        """What the words of the vocabulary show; few texts need it."""
        from misword.asr.checking.word_signs import WordSigns

        return WordSigns(self.sides[0].vocabulary)

    @cached_property
    def reference_words(self) -> Numbers:
        """Words of each reference."""
        hits, substitutions, _, deletions = self.counts.T
        return np.asarray(hits + substitutions + deletions)

    @cached_property
    def hypothesis_words(self) -> Numbers:
        """Words of each hypothesis."""
        hits, substitutions, insertions, _ = self.counts.T
        return np.asarray(hits + substitutions + insertions)

    @cached_property
    def mostly_wrong(self) -> Numbers:
        """The pairs with few correct words."""
        heard = self.hypothesis_words
        return np.flatnonzero((self.counts[:, Op.HIT] <= FOREIGN_HITS * heard) & (heard > 0))


class Found(NamedTuple):
    """The pairs that have a flag, each with a size: a number of words."""

    pairs: Numbers
    sizes: Numbers


Rule = Callable[[BestPairs], Found]


def loops(texts: BestPairs) -> Found:
    """Find pairs with words of loops that were not said, and the number of these words."""
    wrong = texts.counts[:, Op.SUBSTITUTION] + texts.counts[:, Op.INSERTION]
    chosen = np.flatnonzero(wrong >= LOOPED)
    if not len(chosen):
        return Found(chosen, chosen)
    looped = looped_words(texts.sides, texts.rows[chosen], texts.signs.bare)
    long = looped >= LOOPED
    return Found(chosen[long], looped[long])


def bursts(texts: BestPairs) -> Found:
    """Find pairs with many successive insertions, and the length of the longest burst."""
    if texts.bursts is not None:
        chosen = np.flatnonzero(texts.bursts >= BURST)
        return Found(chosen, texts.bursts[chosen])
    chosen = np.flatnonzero(texts.counts[:, Op.INSERTION] >= BURST)
    found = align(*texts.sides, pairs=texts.rows[chosen], operations=False).bursts
    assert found is not None  # unit costs
    return Found(chosen[found >= BURST], found[found >= BURST])


def long(texts: BestPairs) -> Found:
    """Find pairs whose hypothesis is far longer than the reference, and its words."""
    said, heard = texts.reference_words, texts.hypothesis_words
    chosen = np.flatnonzero((heard > TIMES * said) & (heard - said >= LONGER))
    return Found(chosen, heard[chosen])


def empty(texts: BestPairs) -> Found:
    """Find pairs with speech and an empty hypothesis, and the words of the reference."""
    said = texts.reference_words
    chosen = np.flatnonzero((texts.hypothesis_words == 0) & (said >= SPEECH))
    return Found(chosen, said[chosen])


def script(texts: BestPairs) -> Found:
    """Find pairs whose hypothesis is in another script than the reference, and its words."""
    chosen = texts.mostly_wrong
    if len(chosen) and (letters := texts.signs.letters) is not None:
        from misword.asr.checking.word_signs import one_script_of

        said, heard = (
            one_script_of(tokens, rows, letters)
            for tokens, rows in zip(texts.sides, texts.rows[chosen].T, strict=True)
        )
        chosen = chosen[(said >= 0) & (heard >= 0) & (said != heard)]
    else:
        chosen = chosen[:0]
    return Found(chosen, texts.hypothesis_words[chosen])


def language(texts: BestPairs) -> Found:
    """Find pairs whose hypothesis is in another language than the references, and its words."""
    chosen = texts.mostly_wrong
    chosen = chosen[texts.hypothesis_words[chosen] >= FOREIGN_WORDS]
    if len(chosen) and (main := _main_language(texts)):
        from misword.asr.checking.word_signs import line_languages

        for side in (1, 0):  # the hypothesis is in another language, the reference is not
            rows = texts.rows[chosen, side]
            found = line_languages(texts.sides[side], rows, texts.signs, main)
            chosen = chosen[(found >= 0) == (side == 1)]
    else:
        chosen = chosen[:0]
    return Found(chosen, texts.hypothesis_words[chosen])


def _main_language(texts: BestPairs) -> str:
    """Return the language of the references; it is recognised by a sample if it is not given."""
    if texts.signs.knows(texts.lang):
        return texts.lang
    from misword.text.function_words import clear_language

    ids = texts.sides[0].ids
    sample = ids[:: max(1, len(ids) // SAMPLE)]
    return clear_language(texts.signs.function_words(sample), len(sample))


# The rule of each flag, in the order in which flags are listed.
RULES: dict[str, Rule] = {
    "loop": loops,
    "burst": bursts,
    "long": long,
    "empty": empty,
    "script": script,
    "language": language,
}


class Flags(NamedTuple):
    """The flags in the order of the pairs: row in `pairs.keys`, number of the rule, and size."""

    rows: Numbers
    rules: Numbers
    sizes: Numbers


def flagged_table(pairs: Pairs) -> pl.DataFrame:
    """Return a row for each flag of a best hypothesis: `utt`, `system`, `flag`, `words`, texts.

    `words` is the size of what was found: words of loops, of the longest burst, or of the text.
    """
    return pairs.once("flagged", lambda: _flagged(pairs))


def _flagged(pairs: Pairs) -> pl.DataFrame:
    found = _flags(pairs, pairs.aligned_words() or pairs.alignment(Word(), "misword"))
    names = pl.Series("flag", list(RULES), pl.String)[found.rules]
    flags = pairs.keys.select("utt", "system", "rank")[found.rows]
    flags = flags.with_columns(names, pl.Series("words", found.sizes))
    source = pairs.source
    references = source.references.select("utt", reference="text")
    heard = source.hypotheses.select("utt", "system", "rank", hypothesis="text")
    joined = flags.join(references, on="utt", how="left", maintain_order="left")
    return joined.join(heard, on=["utt", "system", "rank"], how="left", maintain_order="left")


def _flags(pairs: Pairs, aligned: Alignment) -> Flags:
    """Apply the rules to pairs, given their alignment."""
    return pairs.once("flags", lambda: _apply_rules(BestPairs.of(pairs, aligned)))


def _apply_rules(texts: BestPairs) -> Flags:
    found = [rule(texts) for rule in RULES.values()]
    pairs = np.concatenate([each.pairs for each in found])
    rules = np.repeat(np.arange(len(found)), [len(each.pairs) for each in found])
    order = np.argsort(pairs, kind="stable")
    sizes = np.concatenate([each.sizes for each in found])
    return Flags(texts.numbers[pairs[order]], rules[order], sizes[order])


@dataclass(frozen=True, slots=True)
class FlagCounts:
    """How many hypotheses have each flag, how many have any, and how many there are."""

    flags: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    hypotheses: int = 0

    @classmethod
    def of(cls, pairs: Pairs) -> FlagCounts:
        """Count the flags of pairs; there are none if no metric aligned the words."""
        best = int(np.count_nonzero(pairs.keys["rank"].to_numpy() == 1))
        if (aligned := pairs.aligned_words()) is None:
            return cls(hypotheses=best)
        found = _flags(pairs, aligned)
        counts = np.bincount(found.rules, minlength=len(RULES)).tolist()
        flags = Counter({name: n for name, n in zip(RULES, counts, strict=True) if n})
        flagged = int(np.count_nonzero(np.diff(found.rows, prepend=-1)))  # rows are in order
        return cls(flags, flagged, best)

    def __add__(self, other: FlagCounts) -> FlagCounts:
        hypotheses = self.hypotheses + other.hypotheses
        return FlagCounts(self.flags + other.flags, self.flagged + other.flagged, hypotheses)

    def notes(self, advice: str = ": --out and --report list them") -> list[str]:
        """Return a note on the flagged hypotheses, with advice; an empty list without flags."""
        if not self.flagged:
            return []
        parts = ", ".join(f"{name} {self.flags[name]:,}" for name in RULES if self.flags[name])
        verb = "looks" if self.flagged == 1 else "look"
        return [
            f"{self.flagged:,} of {self.hypotheses:,} hypotheses {verb} made up or stuck "
            f"({parts}){advice}"
        ]


def flag_notes(pairs: Pairs) -> list[str]:
    """Return a note on the hypotheses that look made up or stuck."""
    return FlagCounts.of(pairs).notes()
