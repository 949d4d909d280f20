"""References aligned with a recogniser's hypotheses: the data that channels learn from.

Words are compared by their cores (lower case, without the punctuation around them), because
channels take only cores: `cat` for `Cat,` does not count as an error. A token without a letter or a
digit is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from misword.alignment import align
from misword.alignment.engine import steps
from misword.alignment.several_references import merged_corpus
from misword.core.errors import MismatchError, OptionError
from misword.core.lazy import pl
from misword.core.types import Corpus, Op, Tokens, check_settled
from misword.noise.arrays import Flags, Ints
from misword.noise.corruption.text_block import word_shape
from misword.text.texts import Texts
from misword.text.tokens import encode_words


@dataclass(frozen=True, slots=True, eq=False)
class AlignedCorpus:
    """All steps of the alignments of all utterances, as columns.

    For each step: `utterance` is the number of its utterance, `operations` its operation, and
    `reference` and `hypothesis` its two words as places in `vocabulary`, -1 where there is none.
    `sentence` has for each utterance the number of its distinct reference: utterances with the same
    reference, for example by several speakers, have the same number. Each hypothesis of an N-best
    list counts as an utterance of its own: `item` has the number of the row that a hypothesis
    belongs to, `rank` its rank, 1 for the best.
    """

    vocabulary: list[str]
    sentence: Ints
    utterance: Ints
    operations: NDArray[np.uint8]
    reference: Ints
    hypothesis: Ints
    item: Ints
    rank: Ints

    @classmethod
    def align(
        cls,
        references: Iterable[str],
        hypotheses: Iterable[str],
        item: Ints | None = None,
        rank: Ints | None = None,
    ) -> Self:
        """Align two columns of text, row by row."""
        columns = [Texts.of(references), Texts.of(hypotheses)]
        if columns[0].rows != columns[1].rows:
            raise MismatchError(f"{columns[0].rows} references, {columns[1].rows} hypotheses")
        vocabulary, sides = _cores(encode_words(columns))
        pairs = np.stack([np.arange(columns[0].rows)] * 2, axis=1)
        table = steps(align(*sides), sides[0], sides[1], pairs)
        return cls(
            vocabulary,
            _sentences(sides[0]),
            table.pair,
            table.ops,
            table.reference,
            table.hypothesis,
            np.arange(columns[0].rows) if item is None else item,
            np.ones(columns[0].rows, np.int64) if rank is None else rank,
        )

    @classmethod
    def of_corpus(cls, corpus: Corpus) -> Self:
        """Align the references with the hypotheses of all systems, taken as one recogniser."""
        check_settled(corpus)
        rank = corpus.hypotheses["rank"].to_numpy()
        if (rank == 1).all():
            references = corpus.references["text"].to_list() * len(corpus.systems)
            return cls.align(references, corpus.hypotheses["text"])
        texts = corpus.references.select("utt", said="text").with_row_index("row")
        lists = corpus.hypotheses.with_columns(
            pl.col("system").rank("dense").cast(pl.Int64).alias("place")
        ).join(texts, on="utt", how="left", maintain_order="left")
        item = (lists["place"] - 1).to_numpy() * len(texts) + lists["row"].to_numpy()
        return cls.align(lists["said"], lists["text"], item.astype(np.int64), rank)

    def select(self, utterances: Flags) -> Self:
        """Return the steps of the utterances whose flag is set."""
        chosen = utterances[self.utterance]
        return replace(
            self,
            utterance=self.utterance[chosen],
            operations=self.operations[chosen],
            reference=self.reference[chosen],
            hypothesis=self.hypothesis[chosen],
        )

    def best(self) -> Self:
        """Return the steps of the best hypotheses."""
        return self.select(self.rank == 1)

    def substitutions(self) -> CorpusSubstitutions:
        """Return all substitutions."""
        chosen = self.operations == Op.SUBSTITUTION
        return CorpusSubstitutions(
            self.utterance[chosen], self.reference[chosen], self.hypothesis[chosen]
        )

    def count_words(self, words: Ints) -> Ints:
        """Return how often each word of the vocabulary is in a column of words, without -1."""
        return np.bincount(words[words >= 0], minlength=len(self.vocabulary))

    @property
    def word_counts(self) -> Ints:
        """How often each word of the vocabulary is in the references and the hypotheses."""
        return self.count_words(self.reference) + self.count_words(self.hypothesis)


@dataclass(frozen=True, slots=True, eq=False)
class CorpusSubstitutions:
    """The substitutions of an `AlignedCorpus`: utterance and the two words of each."""

    utterance: Ints
    reference: Ints
    hypothesis: Ints

    def __len__(self) -> int:
        return len(self.utterance)


def _cores(sides: list[Tokens]) -> tuple[list[str], list[Tokens]]:
    """Return the distinct cores, and both sides as tokens of cores; empty cores are left out."""
    numbers: dict[str, int] = {}
    cores = [word_shape(token).core for token in sides[0].vocabulary[:]]
    ids = np.array([numbers.setdefault(c, len(numbers)) if c else -1 for c in cores], np.int32)
    vocabulary = list(numbers)
    of_cores = []
    for side in sides:
        core_ids = ids[side.ids] if len(side.ids) else np.zeros(0, np.int32)
        before = np.concatenate([[0], np.cumsum(core_ids >= 0)])
        offsets = before[side.offsets].astype(np.int64)
        of_cores.append(Tokens(core_ids[core_ids >= 0], offsets, vocabulary))
    return vocabulary, of_cores


def _sentences(references: Tokens) -> Ints:
    """Return the number of each row's distinct sequence of words."""
    numbers: dict[bytes, int] = {}
    ids, offsets = references.ids, references.offsets.tolist()
    rows = (ids[start:end].tobytes() for start, end in pairwise(offsets))
    return np.array([numbers.setdefault(row, len(numbers)) for row in rows], np.int64)


# References and hypotheses in any of the forms that `learn_noise` and `realism` take.


def read_aligned(
    references: Iterable[str] | Corpus | Callable[[], Corpus], hypotheses: Iterable[str] | None
) -> AlignedCorpus:
    """Return aligned texts of two columns, of a corpus, or of a function that reads a corpus."""
    if callable(references):
        references = references()
    if isinstance(references, Corpus):
        if hypotheses is not None:
            raise OptionError(
                "a corpus has its own hypotheses", fix="leave the argument hypotheses out"
            )
        return AlignedCorpus.of_corpus(merged_corpus(references))
    if hypotheses is None:
        raise OptionError("no hypotheses are given", fix="give a recogniser's texts, or a Corpus")
    return AlignedCorpus.align(references, hypotheses)


# Error spans: stretches of reference words that a recogniser wrote as other words.
#
# A span is a maximal run of errors in an alignment: n words were said, m words were heard. Spans of
# `n` = 0 are insertions, spans of `m` = 0 deletions.

Words = tuple[str, ...]


class Span(NamedTuple):
    """An error span: its utterance, the place of its first word, and the words of both sides."""

    utterance: int
    start: int
    said: Words
    heard: Words


@dataclass(frozen=True, slots=True, eq=False)
class SpannedCorpus:
    """The references of utterances as words, and their error spans in order.

    `sentence` has the number of the distinct reference of each utterance. `alternatives` has the
    spans of hypotheses of lower ranks, for learning only.
    """

    references: list[Words]
    hypotheses: list[Words]
    sentence: Ints
    spans: list[Span]
    alternatives: list[Span]

    @classmethod
    def of(cls, corpus: AlignedCorpus) -> SpannedCorpus:
        """Find the spans of an aligned corpus; spans of lower ranks are counted once."""
        first = corpus.best()
        references, hypotheses, spans, numbers = _read(first)
        further: list[Span] = []
        if len(first.operations) < len(corpus.operations):
            place_of = {int(corpus.item[number]): place for place, number in enumerate(numbers)}
            known = set(spans)
            *_, lower, owners = _read(corpus.select(corpus.rank > 1))
            for span in lower:
                place = place_of.get(int(corpus.item[owners[span.utterance]]))
                if place is not None and (moved := span._replace(utterance=place)) not in known:
                    known.add(moved)
                    further.append(moved)
        sentence = corpus.sentence[np.array(numbers, np.int64)]
        return cls(references, hypotheses, sentence, spans, further)

    def select(self, chosen: Sequence[bool]) -> SpannedCorpus:
        """Return the utterances whose flag is set."""
        places = np.cumsum(chosen) - 1

        def kept(spans: list[Span]) -> list[Span]:
            return [
                span._replace(utterance=int(places[span.utterance]))
                for span in spans
                if chosen[span.utterance]
            ]

        flags = np.array(chosen, bool)
        return SpannedCorpus(
            [words for words, flag in zip(self.references, chosen, strict=True) if flag],
            [words for words, flag in zip(self.hypotheses, chosen, strict=True) if flag],
            self.sentence[flags],
            kept(self.spans),
            kept(self.alternatives),
        )


def _read(corpus: AlignedCorpus) -> tuple[list[Words], list[Words], list[Span], list[int]]:
    """Return references, hypotheses and spans of all utterances, and the utterances' numbers."""
    vocabulary = corpus.vocabulary
    edges = np.flatnonzero(np.diff(corpus.utterance, prepend=-1, append=-2))
    references, hypotheses, spans, numbers = [], [], [], []
    steps = [column.tolist() for column in (corpus.operations, corpus.reference, corpus.hypothesis)]
    for place, (start, end) in enumerate(pairwise(edges.tolist())):
        numbers.append(int(corpus.utterance[start]))
        said: list[str] = []
        heard: list[str] = []
        opened: tuple[int, int] | None = None
        for operation, ref, hyp in zip(*(column[start:end] for column in steps), strict=True):
            if operation == Op.HIT:
                if opened is not None:
                    spans.append(_span(place, opened, said, heard))
                    opened = None
            elif opened is None:
                opened = len(said), len(heard)
            if ref >= 0:
                said.append(vocabulary[ref])
            if hyp >= 0:
                heard.append(vocabulary[hyp])
        if opened is not None:
            spans.append(_span(place, opened, said, heard))
        references.append(tuple(said))
        hypotheses.append(tuple(heard))
    return references, hypotheses, spans, numbers


def _span(utterance: int, opened: tuple[int, int], said: list[str], heard: list[str]) -> Span:
    return Span(utterance, opened[0], tuple(said[opened[0] :]), tuple(heard[opened[1] :]))
