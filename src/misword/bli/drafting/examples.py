"""Examples of headwords: short sentences of a corpus with common words, one for each sense."""

from __future__ import annotations

import heapq
import re
from bisect import bisect
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from misword.bli.drafting.rows import Candidate, Headword
from misword.bli.open_mapping import MappedSide, OpenMapping
from misword.core.errors import OptionError
from misword.core.progress import progress
from misword.io.dictionaries.entries import Example
from misword.io.files.sources import PathLike, open_source

WORD = re.compile(r"\w+(?:['’-]\w+)*")
SHORTEST, BEST_LENGTH, LONGEST = 3, 8, 25  # words of a sentence
KEPT = 20  # sentences of a headword among which those of its senses are chosen
TOO_LONG = 0.2  # what each word more or less than the best length costs, in units of log rank
Tokens = tuple[str, ...]


def tokens_of(text: str) -> Tokens:
    """Return the words of a text in lower case, without punctuation.

    >>> tokens_of("The dog's ice-cream, please!")
    ('the', "dog's", 'ice-cream', 'please')
    """
    return tuple(WORD.findall(text.lower()))


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentences of a corpus, a line each, and how difficult each is to read.

    `costs` are small for short sentences with common words; infinite for those that are no
    examples, because they are too short or too long.
    """

    name: str
    texts: Sequence[str]
    costs: Sequence[float]

    @classmethod
    def read(cls, path: PathLike, side: MappedSide) -> Sentences:
        """Read a file with a sentence in each line; ranks of words are those of the vectors."""
        source = open_source(path)
        texts = [" ".join(line.split()) for line in source.lines]
        costs = []
        with progress(f"reading {source.shown}", len(texts)) as step:
            for text in texts:
                costs.append(_cost(tokens_of(text), side))
                step(1)
        return cls(source.shown, texts, costs)

    def with_words(
        self, wanted: Mapping[str, Iterable[str]]
    ) -> tuple[dict[str, list[int]], Counter[str]]:
        """Return the numbers of the best sentences of each word, and its occurrences in all.

        `wanted` has the forms of each word; a form of several words is found as a phrase.
        """
        starts: dict[str, list[tuple[Tokens, str]]] = {}
        for word, forms in wanted.items():
            for form in {tokens_of(one) for one in (word, *forms)}:
                if form:
                    starts.setdefault(form[0], []).append((form, word))
        best: dict[str, list[tuple[float, int]]] = {}
        counts: Counter[str] = Counter()
        with progress(f"searching {self.name}", len(self.texts)) as step:
            for number, (text, cost) in enumerate(zip(self.texts, self.costs, strict=True)):
                step(1)
                found = list(_found(tokens_of(text), starts))
                counts.update(found)
                if cost == float("inf"):
                    continue
                for word in set(found):
                    heap = best.setdefault(word, [])
                    item = (-cost, -number)
                    if len(heap) < KEPT:
                        heapq.heappush(heap, item)
                    else:
                        heapq.heappushpop(heap, item)
        ordered = {word: [-n for _, n in sorted(heap, reverse=True)] for word, heap in best.items()}
        return ordered, counts


def _cost(words: Tokens, side: MappedSide) -> float:
    """Return the mean logarithm of the frequency ranks of the words, and the cost of the length."""
    if not SHORTEST <= len(words) <= LONGEST:
        return float("inf")
    places = side.vocabulary.find(words)
    ranks = np.where(places < 0, len(side), places)
    return float(np.log(ranks + 1).mean()) + TOO_LONG * abs(len(words) - BEST_LENGTH)


def _found(words: Tokens, starts: Mapping[str, Sequence[tuple[Tokens, str]]]) -> Iterable[str]:
    """Yield each word of the dictionary that occurs among the words of a sentence."""
    for place, first in enumerate(words):
        for form, word in starts.get(first, ()):
            if words[place : place + len(form)] == form:
                yield word


def add_examples(
    rows: Sequence[Headword], mapping: OpenMapping, files: Sequence[PathLike]
) -> list[Headword]:
    """Return the rows with examples for each sense, and their frequency in the corpus.

    `files` are a corpus of the headwords' language and, if there is one, a corpus of the other
    language, which has a sentence with an equivalent of the sense. Files with the same number of
    lines are taken for translations of each other: then the sentence with the equivalent is the
    translation, if there is one.
    """
    if not 1 <= len(files) <= 2:
        raise OptionError(
            f"{len(files)} corpora of examples",
            fix="name one of the source language, and perhaps one of the target language",
        )
    corpus = Sentences.read(files[0], mapping.source)
    lines, counts = corpus.with_words({row.word: row.forms for row in rows})
    other = Sentences.read(files[1], mapping.target) if len(files) == 2 else None
    others: dict[str, list[int]] = {}
    if other is not None:
        candidates = {one.word: one.forms for row in rows for one in row.candidates}
        others, _ = other.with_words(candidates)
    found = []
    for row in rows:
        chosen = choose_sentences(row, lines.get(row.word, ()), corpus, mapping)
        examples = []
        for sense, number in chosen.items():
            equivalents = [one for one in row.candidates if one.sense == sense]
            text = _translation(number, equivalents, corpus, other, others)
            examples.append((sense, Example(corpus.texts[number], text, corpus.name)))
        found.append(replace(row, examples=tuple(examples), frequency=counts[row.word]))
    return found


def rank_phrases(rows: Sequence[Headword]) -> list[Headword]:
    """Return the rows with ranks of phrases: those that words of the same frequency have."""
    listed = sorted(-row.frequency for row in rows if row.rank)
    return [
        replace(row, rank=bisect(listed, -row.frequency) + 1)
        if not row.rank and row.frequency
        else row
        for row in rows
    ]


def choose_sentences(
    row: Headword, lines: Sequence[int], corpus: Sentences, mapping: OpenMapping
) -> dict[int, int]:
    """Return the number of a sentence for each sense, each sentence once.

    A sentence belongs to the sense whose equivalents are most similar to its other words. The sense
    of the first candidate comes first; a sense without a sentence of its own has none, unless it is
    the only one.
    """
    senses = list(dict.fromkeys(one.sense for one in row.candidates))
    if not lines or not senses:
        return {}
    if len(senses) == 1:
        return {senses[0]: lines[0]}
    own = np.array([_sense_vector(row.candidates, sense, mapping.target) for sense in senses])
    forms = {form for one in (row.word, *row.forms) for form in tokens_of(one)}
    contexts = (set(tokens_of(corpus.texts[number])) - forms for number in lines)
    near = np.array([_mean(sorted(words), mapping.source) for words in contexts]) @ own.T
    owners = near.argmax(axis=1).tolist()
    found: dict[int, int] = {}
    for place, sense in enumerate(senses):
        # Sentences are in the order of their cost: the easiest of the sense is taken.
        mine = [number for number, owner in zip(lines, owners, strict=True) if owner == place]
        if mine:
            found[sense] = mine[0]
    return found


def _sense_vector(
    candidates: Sequence[Candidate], sense: int, target: MappedSide
) -> NDArray[np.float32]:
    return _mean([one.word for one in candidates if one.sense == sense], target)


def _mean(words: Sequence[str], side: MappedSide) -> NDArray[np.float32]:
    """Return the mean of the vectors of words, of length one; zeros if none has a vector."""
    ids = side.find(words)
    total: NDArray[np.float32] = side.unit_vectors[ids[ids >= 0]].sum(axis=0)
    return total / np.float32(np.linalg.norm(total) or 1)


def _translation(
    number: int,
    equivalents: Sequence[Candidate],
    corpus: Sentences,
    other: Sentences | None,
    lines: Mapping[str, Sequence[int]],
) -> str:
    """Return a sentence of the other corpus with an equivalent; empty without one."""
    if other is None:
        return ""
    if len(other.texts) == len(corpus.texts):
        words = tokens_of(other.texts[number])
        forms = {tokens_of(form) for one in equivalents for form in (one.word, *one.forms)}
        width = {len(form) for form in forms}
        there = {words[at : at + size] for size in width for at in range(len(words))}
        return other.texts[number] if forms & there else ""
    found = (lines.get(one.word) for one in equivalents)
    return next((other.texts[several[0]] for several in found if several), "")
