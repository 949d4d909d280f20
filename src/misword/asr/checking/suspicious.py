"""Flags of hypotheses that look made up or stuck: loops, bursts of insertions, and so on.

Each rule examines only the pairs that can have its flag, by the counts of the word alignment, so
that scoring takes little longer. The false alarms of the rules are measured in docs/stuck.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from misword.alignment.engine import align
from misword.asr.formatting import bare, number_texts
from misword.asr.pairs import Pairs
from misword.asr.views.surface import Word
from misword.core.lazy import pl
from misword.core.types import Op, Tokens
from misword.text.scripts import one_script

# Loops: a phrase that is repeated in succession, in all rows of a token sequence at once.
#
# A phrase of p words is repeated where each word equals the word p places before it. The words of
# a loop after the first occurrence of its phrase are its repeated words.

LONGEST = 12  # words of a phrase
TIMES_OF_WORD = 6  # fewer repetitions may be real speech: `no no no no`
TIMES_OF_PHRASE = 3

Numbers = NDArray[np.int64]


def repeated_words(
    tokens: Tokens, *, of_word: int = TIMES_OF_WORD, of_phrase: int = TIMES_OF_PHRASE
) -> Numbers:
    """Count the repeated words in the loops of each row.

    A loop has at least `of_word` repetitions of a word, or `of_phrase` of two words or more.

    >>> from misword.text.tokens import encode_lists
    >>> rows = ["a b a b a b".split(), "a b a b".split(), "a a a a a a".split()]
    >>> repeated_words(encode_lists(rows)).tolist()
    [4, 0, 5]
    """
    ids, row = tokens.ids, np.repeat(np.arange(len(tokens)), tokens.lengths)
    repeated = np.zeros(len(ids), np.bool_)
    for size in range(1, LONGEST + 1):
        same = (ids[size:] == ids[:-size]) & (row[size:] == row[:-size])
        fewest = size * ((of_word if size == 1 else of_phrase) - 1)
        for start, stop in _runs(same, fewest):
            repeated[start + size : stop + size] = True
    return np.bincount(row, repeated, len(tokens)).astype(np.int64)


def _runs(flags: NDArray[np.bool_], fewest: int) -> list[tuple[int, int]]:
    """Return the start and the end of each run of at least `fewest` set flags."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    starts, stops = edges[::2], edges[1::2]
    long = stops - starts >= fewest
    return list(zip(starts[long].tolist(), stops[long].tolist(), strict=True))


def looped_words(reference: Tokens, hypothesis: Tokens) -> Numbers:
    """Count the repeated words of each hypothesis that its reference does not have.

    Row `i` of both sides belongs together. In the reference, everything that is said twice in
    succession counts as repeated.

    >>> from misword.text.tokens import encode_lists
    >>> tokens = encode_lists([["no", "no", "no"], ["no"] * 8])
    >>> looped_words(tokens.take(np.array([0])), tokens.take(np.array([1]))).tolist()
    [5]
    """
    heard = repeated_words(hypothesis)
    beyond = np.zeros(len(heard), np.int64)
    if len(rows := np.flatnonzero(heard)):
        said = repeated_words(reference.take(rows), of_word=2, of_phrase=2)
        beyond[rows] = np.maximum(0, heard[rows] - said)
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


class BestPairs(NamedTuple):
    """The words of the best hypotheses and of their references.

    Row `i` of all arrays is pair `numbers[i]` of the scores. `counts` are those of the alignment.
    """

    numbers: Numbers
    rows: Numbers
    sides: tuple[Tokens, Tokens]
    counts: Numbers
    lang: str

    @classmethod
    def of(cls, pairs: Pairs) -> BestPairs:
        """Select the best hypotheses of the pairs; words are aligned by unit costs."""
        numbers = np.flatnonzero((pairs.keys["rank"] == 1).to_numpy())
        counts = pairs.alignment(Word(), "misword").counts[numbers]
        rows = pairs.rows(Word())[numbers]
        return cls(numbers, rows, pairs.tokens(Word()), counts, pairs.context.lang)

    @property
    def reference_words(self) -> Numbers:
        """Words of each reference."""
        return np.asarray(self.counts.sum(axis=1) - self.counts[:, Op.INSERTION])

    @property
    def hypothesis_words(self) -> Numbers:
        """Words of each hypothesis."""
        return np.asarray(self.counts.sum(axis=1) - self.counts[:, Op.DELETION])

    def words(self, chosen: Numbers) -> tuple[Tokens, Tokens]:
        """Return the words of both texts of some pairs."""
        (left, right), rows = self.sides, self.rows[chosen]
        return left.take(rows[:, 0]), right.take(rows[:, 1])


# A rule yields the pairs that have its flag, each with a size: a number of words.
Found = Iterator[tuple[int, int]]
Rule = Callable[[BestPairs], Found]


def loops(texts: BestPairs) -> Found:
    """Yield pairs with words of loops that were not said, and the number of these words."""
    wrong = texts.counts[:, [Op.SUBSTITUTION, Op.INSERTION]].sum(axis=1)
    chosen = np.flatnonzero(wrong >= LOOPED)
    if not len(chosen):
        return
    looped = looped_words(*bare_words(*texts.words(chosen)))
    for place in np.flatnonzero(looped >= LOOPED).tolist():
        yield int(chosen[place]), int(looped[place])


def bare_words(left: Tokens, right: Tokens) -> tuple[Tokens, Tokens]:
    """Return the numbers of the words of both sides without punctuation and capitals."""
    is_used = np.zeros(len(left.vocabulary), np.bool_)
    is_used[left.ids] = is_used[right.ids] = True
    used = np.flatnonzero(is_used)
    number = np.full(len(left.vocabulary), -1, np.int64)
    number[used] = number_texts([bare(left.vocabulary[id_]) for id_ in used.tolist()])[1]
    ours, theirs = (
        Tokens(number[side.ids].astype(np.int32), side.offsets, ()) for side in (left, right)
    )
    return ours, theirs


def bursts(texts: BestPairs) -> Found:
    """Yield pairs with many successive insertions, and the length of the longest burst."""
    chosen = np.flatnonzero(texts.counts[:, Op.INSERTION] >= BURST)
    if not len(chosen):
        return
    aligned = align(*texts.words(chosen))
    operations, offsets = aligned.all_operations, aligned.all_offsets
    for place, pair in enumerate(chosen.tolist()):
        inserted = operations[offsets[place] : offsets[place + 1]] == Op.INSERTION
        edges = np.flatnonzero(np.diff(inserted, prepend=False, append=False))
        longest = int((edges[1::2] - edges[::2]).max())
        if longest >= BURST:
            yield pair, longest


def long(texts: BestPairs) -> Found:
    """Yield pairs whose hypothesis is far longer than the reference, and its words."""
    said, heard = texts.reference_words, texts.hypothesis_words
    for pair in np.flatnonzero((heard > TIMES * said) & (heard - said >= LONGER)).tolist():
        yield pair, int(heard[pair])


def empty(texts: BestPairs) -> Found:
    """Yield pairs with speech and an empty hypothesis, and the words of the reference."""
    said = texts.reference_words
    for pair in np.flatnonzero((texts.hypothesis_words == 0) & (said >= SPEECH)).tolist():
        yield pair, int(said[pair])


def script(texts: BestPairs) -> Found:
    """Yield pairs whose hypothesis is in another script than the reference, and its words."""
    for pair, said, heard in _mostly_wrong_pairs(texts):
        said_in, heard_in = (one_script("".join(words)) for words in (said, heard))
        if said_in and heard_in and heard_in != said_in:
            yield pair, len(heard)


def language(texts: BestPairs) -> Found:
    """Yield pairs whose hypothesis is in another language than the references, and its words."""
    wrong = [row for row in _mostly_wrong_pairs(texts) if len(row[2]) >= FOREIGN_WORDS]
    if not wrong:
        return
    from misword.asr.checks.language import FUNCTION_WORDS, language_of, line_language

    main = texts.lang
    if main not in FUNCTION_WORDS:
        main = language_of(_sampled_words(texts.sides[0]))
    for pair, said, heard in wrong:
        if main and line_language(heard, main) and not line_language(said, main):
            yield pair, len(heard)


def _sampled_words(tokens: Tokens) -> Counter[str]:
    """Count the words of a sample in lower case; each distinct word is looked up once."""
    sample = tokens.ids[:: max(1, len(tokens.ids) // SAMPLE)]
    counts: Counter[str] = Counter()
    for number, times in zip(*np.unique(sample, return_counts=True), strict=True):
        counts[tokens.vocabulary[number].casefold()] += int(times)
    return counts


def _mostly_wrong_pairs(texts: BestPairs) -> Iterator[tuple[int, list[str], list[str]]]:
    """Yield pairs with few correct words, and the words of both texts in lower case."""
    wrong = texts.counts[:, Op.HIT] <= FOREIGN_HITS * texts.hypothesis_words
    chosen = np.flatnonzero(wrong & (texts.hypothesis_words > 0))
    left, heard = texts.words(chosen)
    for place, pair in enumerate(chosen.tolist()):
        ours, theirs = ([word.casefold() for word in side[place]] for side in (left, heard))
        yield pair, ours, theirs


# The rule of each flag, in the order in which flags are listed.
RULES: dict[str, Rule] = {
    "loop": loops,
    "burst": bursts,
    "long": long,
    "empty": empty,
    "script": script,
    "language": language,
}


def flagged_table(pairs: Pairs) -> pl.DataFrame:
    """Return a row for each flag of a best hypothesis: `utt`, `system`, `flag`, `words`, texts.

    `words` is the size of what was found: words of loops, of the longest burst, or of the text.
    """
    return pairs.once("flagged", lambda: _flagged(pairs))


def _flagged(pairs: Pairs) -> pl.DataFrame:
    found = _found(pairs)
    columns = [
        pl.Series("flag", [name for _, name, _ in found], pl.String),
        pl.Series("words", [size for _, _, size in found], pl.Int64),
    ]
    numbers = np.array([number for number, _, _ in found], np.int64)
    flags = pairs.keys.select("utt", "system", "rank")[numbers].with_columns(columns)
    source = pairs.source
    references = source.references.select("utt", reference="text")
    heard = source.hypotheses.select("utt", "system", "rank", hypothesis="text")
    joined = flags.join(references, on="utt", how="left", maintain_order="left")
    return joined.join(heard, on=["utt", "system", "rank"], how="left", maintain_order="left")


def _found(pairs: Pairs) -> list[tuple[int, str, int]]:
    """Return each flag: the row of the pair in `pairs.keys`, the name, and the size."""
    return pairs.once("flags", lambda: _apply_rules(pairs))


def _apply_rules(pairs: Pairs) -> list[tuple[int, str, int]]:
    texts = BestPairs.of(pairs)
    found = [(pair, name, size) for name, rule in RULES.items() for pair, size in rule(texts)]
    found.sort(key=lambda each: each[0])
    return [(int(texts.numbers[pair]), name, size) for pair, name, size in found]


@dataclass(frozen=True, slots=True)
class FlagCounts:
    """How many hypotheses have each flag, how many have any, and how many there are."""

    flags: Counter[str] = field(default_factory=Counter)
    flagged: int = 0
    hypotheses: int = 0

    @classmethod
    def of(cls, pairs: Pairs) -> FlagCounts:
        """Count the flags of pairs."""
        found = _found(pairs)
        best = int((pairs.keys["rank"] == 1).sum())
        return cls(Counter(name for _, name, _ in found), len({row for row, _, _ in found}), best)

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
