"""Coverage and leaks of a gold lexicon: words with a vector, words of the mapping's training.

A mapping translates the words of its training better than other words, so a rate over such words
says little about new words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.gold_ranks import GoldRanks
from misword.bli.evaluation.rates import PairFlags
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.bli.seeds import TrainingPairs
from misword.bli.word_analysis import Lemmatizer, lemmas_of
from misword.core.formatting import counted
from misword.io.lexicons import Lexicon


@dataclass(frozen=True, slots=True, eq=False)
class Leaks:
    """Which pairs and headwords of a lexicon were in the training of a mapping.

    `pairs` has a truth value for each pair, `headwords` for each headword. `lemmas` has one for
    each headword too: whether this word, or another one with its lemma, was a training headword.
    It is None without a lemmatizer.

    Known problems: the lemmas of training words without a vector are not known.
    """

    pairs: PairFlags
    headwords: NDArray[np.bool_]
    lemmas: NDArray[np.bool_] | None = None

    @classmethod
    def of(
        cls,
        trained: TrainingPairs,
        lexicon: Lexicon,
        vocabulary: Sequence[str] = (),
        lemmatizer: Lemmatizer | None = None,
    ) -> Leaks:
        """Look up all pairs and headwords.

        A mapping keeps digests of its training words only; the words themselves are found among the
        words of the `vocabulary`, to take their lemmas.

        >>> trained = TrainingPairs.of([("dogs", "chiens"), ("cat", "chat")])
        >>> gold = Lexicon.of([("cat", "chat"), ("cat", "chatte"), ("cow", "vache")])
        >>> leaks = Leaks.of(trained, gold)
        >>> leaks.pairs.tolist(), leaks.headwords.tolist()
        ([True, False, False], [True, False])
        """
        words = list(lexicon.headwords)
        headwords = trained.has_source(words)
        pairs = trained.has_pairs(lexicon.source, lexicon.target)
        if lemmatizer is None:
            return cls(pairs, headwords)
        known = np.flatnonzero(trained.has_source(vocabulary)).tolist()
        of_training = set(lemmas_of(lemmatizer, [vocabulary[row] for row in known]).values())
        of_gold = lemmas_of(lemmatizer, words)
        shared = np.array([of_gold.get(word) in of_training for word in words], np.bool_)
        return cls(pairs, headwords, headwords | shared)

    @property
    def seen(self) -> NDArray[np.bool_]:
        """Which headwords were seen in training, by lemma if lemmas are known."""
        return self.headwords if self.lemmas is None else self.lemmas


# Coverage: words of a gold lexicon that have a vector in a mapping's vocabularies.

EXAMPLES_SHOWN = 3  # words that a note names
# The columns of a lexicon may be swapped if at least this many times as many of its pairs have
# vectors with swapped columns.
SUSPICIOUS_RATIO = 2


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counts for one mapping and one lexicon; the fields are the columns of the coverage table.

    `pairs` and `headwords` are the sizes of the lexicon (N and H in Denisová's paper).
    `source_known` is the number of headwords with a vector, `targets` the number of distinct
    translations and `target_known` of those with a vector, `pairs_known` the number of pairs of
    which both words have a vector, `answerable` the number of headwords with at least one such
    pair. `swapped_known` is the number of pairs of which both words have a vector if the columns of
    the lexicon are swapped. `source_beyond` and `target_beyond` are the numbers of words without
    a vector that the file of vectors has, beyond the words that were read; they are None if the
    file cannot be searched. `source_words` and `target_words` are the sizes of the vocabularies.
    `lower` is the number of words of both sides that have a vector in lower case only. `seen` is
    `lexicon` if the mapping was trained on exactly these pairs, `valid` if it was validated on
    them, `rerank` if only its reranker was learnt from them, else empty. `shared_pairs`,
    `shared_headwords` and `shared_lemmas` are numbers of pairs and headwords that were in its
    training (see `Leaks`); they are None if that is not known. `examples` are words that the note
    about `source_beyond` and `target_beyond` names.

    In a file of candidates, a headword is known if it has candidates; counts of translations and
    sizes of vocabularies are None.
    """

    mapping: str
    pairs: int
    headwords: int
    source_known: int
    targets: int
    target_known: int | None
    pairs_known: int
    answerable: int
    swapped_known: int
    source_beyond: int | None
    target_beyond: int | None
    source_words: int | None
    target_words: int | None
    lower: int
    seen: str = ""
    shared_pairs: int | None = None
    shared_headwords: int | None = None
    shared_lemmas: int | None = None
    examples: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, mapping: OpenMapping, ranks: GoldRanks, lemmatizer: Lemmatizer | None = None
    ) -> Coverage:
        """Count, and search the files of vectors for the words without a vector."""
        lexicon = ranks.lexicon
        headwords, targets = list(lexicon.headwords), list(dict.fromkeys(lexicon.target))
        source_beyond = _not_loaded(mapping.source, headwords)
        target_beyond = _not_loaded(mapping.target, targets)
        examples = sorted(source_beyond or ()) or sorted(target_beyond or ())
        return cls(
            mapping=mapping.name,
            pairs=len(lexicon),
            headwords=len(headwords),
            source_known=int(ranks.headword_known.sum()),
            targets=len(targets),
            target_known=_count_known(mapping.target, targets),
            pairs_known=int(ranks.reachable.sum()),
            answerable=len(set(ranks.headword_of[ranks.reachable].tolist())),
            swapped_known=_swapped_known(mapping, lexicon),
            source_beyond=None if source_beyond is None else len(source_beyond),
            target_beyond=None if target_beyond is None else len(target_beyond),
            source_words=len(mapping.source),
            target_words=len(mapping.target),
            lower=_lower_only(mapping.source, headwords) + _lower_only(mapping.target, targets),
            seen=mapping.trained_on.get(lexicon.digest[:16], ""),
            examples=tuple(examples[:EXAMPLES_SHOWN]),
            **_shared(mapping, lexicon, lemmatizer),
        )

    @classmethod
    def of_file(cls, ranks: GoldRanks) -> Coverage:
        """Count the headwords that have candidates in a file."""
        lexicon, known = ranks.lexicon, int(ranks.headword_known.sum())
        return cls(
            mapping=ranks.system,
            pairs=len(lexicon),
            headwords=len(lexicon.headwords),
            source_known=known,
            targets=len(set(lexicon.target)),
            target_known=None,
            pairs_known=int(ranks.reachable.sum()),
            answerable=known,
            swapped_known=0,
            source_beyond=0,
            target_beyond=0,
            source_words=None,
            target_words=None,
            lower=0,
        )

    def row(self) -> dict[str, int | str | None]:
        """Return the counts as a row of the coverage table."""
        return {name: value for name, value in asdict(self).items() if name != "examples"}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the rates should know about the lexicon and the vocabularies."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        if self.seen:
            role = {
                "lexicon": "was trained",
                "valid": "was validated",
                "rerank": "has a reranker that was trained",
            }[self.seen]
            yield (
                f"{self.mapping} {role} on exactly this lexicon: its rates say nothing about "
                "other words"
            )
        if (self.shared_headwords or self.shared_lemmas) and self.seen != "lexicon":
            yield self._leak_note()
        if self.swapped_known >= SUSPICIOUS_RATIO * max(1, self.pairs_known):
            yield (
                f"{self.mapping}: the columns of the lexicon may be swapped: "
                f"{self._share('pairs_known')} of its pairs are known, "
                f"{self._share('swapped_known')} with swapped columns; "
                "swap its columns (--columns), or translate in the other direction (--reverse)"
            )
        missing = self.headwords - self.source_known
        if missing and self.source_words is None:
            yield (
                f"{self.mapping}: {missing:,} of {self.headwords:,} headwords have no candidates "
                "in the file; all translations of the others count as words that it could find"
            )
        elif missing:
            yield (
                f"{self.mapping}: {missing:,} of {self.headwords:,} headwords are out of the "
                f"vocabulary of {self.source_words:,} words; {self.answerable:,} have a pair of "
                "which both words are known"
            )
        if self.lower:
            yield (
                f"{self.mapping}: {counted(self.lower, 'word')} of the lexicon have a vector in "
                "lower case only: --lower takes all of it in lower case"
            )
        beyond = [(self.source_beyond, "headword"), (self.target_beyond, "translation")]
        if numbers := [counted(number, noun) for number, noun in beyond if number]:
            yield (
                f"{self.mapping}: {' and '.join(numbers)} are in the files of vectors, but beyond "
                f"the first {self.source_words:,} and {self.target_words:,} words, which were read "
                f"(--max-words); among them {', '.join(map(repr, self.examples))}"
            )
        if None in (self.source_beyond, self.target_beyond):
            yield (
                f"{self.mapping}: more gold words may lie beyond --max-words; this format of "
                "vectors cannot be searched"
            )

    def _leak_note(self) -> str:
        """Return how much of the lexicon was in the training."""
        shared = self.shared_headwords or 0
        more = (self.shared_lemmas or 0) - shared
        by_lemma = f" ({more:,} more by their lemma)" if more > 0 else ""
        return (
            f"{self.mapping}: {shared:,} of {self.headwords:,} headwords{by_lemma} and "
            f"{self.shared_pairs or 0:,} of {self.pairs:,} pairs were in its training: rates over "
            "these say little about other words; --unseen leaves out these headwords"
        )

    def _share(self, count: str) -> str:
        """Return a count as a share of the pairs."""
        return f"{100 * getattr(self, count) / self.pairs:.0f} %"


def _shared(
    mapping: OpenMapping, lexicon: Lexicon, lemmatizer: Lemmatizer | None
) -> dict[str, int | None]:
    """Return how many pairs and headwords were in the training, if that is known."""
    if mapping.training_pairs is None:
        return {}
    side = mapping.source
    vocabulary = side.vocabulary if side.vectors is None else side.vectors.vocabulary
    leaks = Leaks.of(mapping.training_pairs, lexicon, vocabulary, lemmatizer)
    return {
        "shared_pairs": int(leaks.pairs.sum()),
        "shared_headwords": int(leaks.headwords.sum()),
        "shared_lemmas": None if leaks.lemmas is None else int(leaks.lemmas.sum()),
    }


def _swapped_known(mapping: OpenMapping, lexicon: Lexicon) -> int:
    """Return how many pairs have vectors on both sides if the columns are swapped."""
    in_source = mapping.source.find(lexicon.target) >= 0
    return int(np.count_nonzero(in_source & (mapping.target.find(lexicon.source) >= 0)))


def _not_loaded(side: MappedSide, words: list[str]) -> set[str] | None:
    """Return the words that are in the file of vectors only; a missing translation is left out."""
    return side.not_loaded([word for word in words if word])


def _count_known(side: MappedSide, words: list[str]) -> int:
    """Return how many of the words have a vector."""
    return int(np.count_nonzero(side.find(words) >= 0))


def _lower_only(side: MappedSide, words: list[str]) -> int:
    """Return how many words have no vector as they are written, but have one in lower case."""
    unknown = [word for word, row in zip(words, side.find(words), strict=True) if row < 0]
    return _count_known(side, [word.lower() for word in unknown])
