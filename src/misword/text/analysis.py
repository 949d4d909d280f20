"""The tokens that an analyzer finds: lemmas and tags of many utterances, flat."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from misword.core.progress import progress

# A word's lemma, universal tag and detailed tag; what there is not is empty.
Reading = tuple[str, str, str]
WORD = re.compile(r"\S+")
# Punctuation around a word; apostrophes and hyphens belong to it (French `l'`).
EDGES = re.compile(r"^([^\w'’-]*)(.*?)([^\w'’-]*)$", re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Analysis:
    """Tokens of many utterances: utterance `u` has tokens `offsets[u]:offsets[u + 1]`.

    `starts` says where a token begins in its utterance, in characters, so that tokens can be laid
    over white-space words. `lemmas` never contain white space; `tags` are universal
    (https://universaldependencies.org/u/pos); `details` are the tagger's full tags with features,
    e.g. `NOUN|Gender=Fem|Number=Plur`. What an analyzer does not give is None.
    """

    offsets: NDArray[np.int64]
    starts: NDArray[np.int32]
    lemmas: list[str] | None = None
    tags: list[str] | None = None
    details: list[str] | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def gives(self) -> frozenset[str]:
        """What is there, of `lemma`, `tag` and `detail`."""
        columns = {"lemma": self.lemmas, "tag": self.tags, "detail": self.details}
        return frozenset(name for name, column in columns.items() if column is not None)


@dataclass(frozen=True, slots=True)
class Token:
    """One token on its way into an `Analysis`."""

    start: int
    lemma: str = ""
    tag: str = ""
    detail: str = ""


def gather(rows: Iterable[Sequence[Token]], gives: frozenset[str]) -> Analysis:
    """Lay the tokens of all utterances in one row.

    >>> found = gather([[Token(0, "le"), Token(4, "chat")], []], frozenset({"lemma"}))
    >>> found.lemmas, found.offsets.tolist(), found.starts.tolist()
    (['le', 'chat'], [0, 2, 2], [0, 4])
    """
    rows = list(rows)
    flat = list(chain.from_iterable(rows))
    return Analysis(
        np.cumsum([0, *map(len, rows)], dtype=np.int64),
        np.fromiter((token.start for token in flat), np.int32, len(flat)),
        [solid(token.lemma) for token in flat] if "lemma" in gives else None,
        [token.tag for token in flat] if "tag" in gives else None,
        [token.detail for token in flat] if "detail" in gives else None,
    )


def words(utterance: str) -> list[tuple[int, str]]:
    """White-space words and where each begins.

    >>> words(" a  bc ")
    [(1, 'a'), (4, 'bc')]
    """
    return [(found.start(), found.group()) for found in WORD.finditer(utterance)]


def by_word(
    utterances: Sequence[str], read: Callable[[str], Reading], gives: frozenset[str]
) -> Analysis:
    """Read each distinct white-space word once, for analyzers that do not look at the context."""
    known: dict[str, Reading] = {}
    rows = []
    with progress("looking up words", len(utterances)) as step:
        for utterance in utterances:
            row = words(utterance)
            for _, word in row:
                if word not in known:
                    known[word] = read(word)
            rows.append([Token(start, *known[word]) for start, word in row])
            step(1)
    return gather(rows, gives)


def solid(lemma: str) -> str:
    """A lemma without white space: `de le` is one token, `de_le`."""
    return "_".join(lemma.split()) if any(map(str.isspace, lemma)) else lemma


def within_edges(word: str, change: Callable[[str], str]) -> str:
    """Change a word but keep the punctuation around it, which no word list has.

    >>> within_edges("(Nations),", str.lower)
    '(nations),'
    """
    found = EDGES.match(word)
    if found is None or not found.group(2):
        return word
    return f"{found.group(1)}{change(found.group(2))}{found.group(3)}"
