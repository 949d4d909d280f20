"""Translations of words by a mapping: the nearest words of the other language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from misword.bli.mapping import Mapping
from misword.bli.open_mapping import Bridge, Found
from misword.bli.retrievers import RETRIEVERS, Neighbors, Retriever
from misword.core.errors import OptionError
from misword.core.signature import Signature
from misword.core.version import __version__
from misword.embed.vectors.words import WordVectors
from misword.io.files.sources import PathLike

if TYPE_CHECKING:
    import polars as pl

BLOCK = 4096  # words whose candidates are spelt out at a time


@dataclass(frozen=True, slots=True, eq=False)
class Translations:
    """Candidates for words, the best first.

    `words` are as they were asked for; `rows` has each one's row in `neighbors`, -1 for a word
    without a vector: it has no candidates. `new` words are not in the vocabulary and have a vector
    from their n-grams.
    """

    words: Sequence[str]
    rows: Found
    neighbors: Neighbors
    target: Sequence[str]
    signature: Signature
    new: tuple[str, ...] = ()

    @property
    def unknown(self) -> list[str]:
        """The words without a vector."""
        return [self.words[place] for place in np.flatnonzero(self.rows < 0).tolist()]

    def blocks(self) -> Iterator[list[dict[str, Any]]]:
        """Rows of `word`, `rank`, `candidate`, `score`, some thousand words at a time.

        A word without candidates has one row in which the rest is None.
        """
        ids, scores = self.neighbors.ids, self.neighbors.scores
        for lo in range(0, len(self.words), BLOCK):
            found: list[dict[str, Any]] = []
            for place in range(lo, min(lo + BLOCK, len(self.words))):
                word, row = self.words[place], int(self.rows[place])
                if row < 0:
                    found.append({"word": word, "rank": None, "candidate": None, "score": None})
                    continue
                pairs = zip(ids[row].tolist(), scores[row].tolist(), strict=True)
                found += [
                    {
                        "word": word,
                        "rank": rank,
                        "candidate": self.target[id_],
                        "score": round(score, 6),
                    }
                    for rank, (id_, score) in enumerate(pairs, 1)
                ]
            yield found

    def table(self) -> pl.DataFrame:
        """All rows."""
        import polars as pl

        kinds = (pl.String, pl.Int64, pl.String, pl.Float64)
        schema = dict(zip(("word", "rank", "candidate", "score"), kinds, strict=True))
        return pl.DataFrame([row for block in self.blocks() for row in block], schema)


def translate(
    mapping: Mapping | PathLike,
    words: Sequence[str] | None = None,
    k: int = 10,
    *,
    retriever: str | Retriever = "csls",
    reverse: bool = False,
    max_words: int | None = None,
    source: WordVectors | PathLike | None = None,
    target: WordVectors | PathLike | None = None,
    workers: int | None = None,
) -> Translations:
    """Find the `k` best translations of each word, or of the whole vocabulary (`words` None).

    `mapping` is what `map` made, or its file. `reverse` translates the other way; `max_words` takes
    only the most frequent words of both languages; `source` and `target` say where the vectors are,
    if they were moved. Words that are not listed get a vector from their n-grams, where the vectors
    are a fastText model that has them (`.bin`).
    """
    part = RETRIEVERS.create(retriever) if isinstance(retriever, str) else retriever
    refuse_k([k])
    bridge = Bridge.of(
        mapping,
        source=source,
        target=target,
        reverse=reverse,
        max_words=max_words,
        workers=workers,
    )
    return with_new(bridge, translations(bridge, words, k, part, workers), k, part, workers)


def translations(
    bridge: Bridge, words: Sequence[str] | None, k: int, part: Retriever, workers: int | None = None
) -> Translations:
    """The same over a mapping that is open."""
    asked = bridge.source.vocabulary if words is None else words
    found = bridge.source.all() if words is None else bridge.source.find(words)
    queries, rows = np.unique(found[found >= 0], return_inverse=True)
    places = np.full(len(asked), -1, np.int64)
    places[found >= 0] = rows
    neighbors = bridge.nearest(queries, part, k, workers)
    settings = (*retrieval(part), ("k", str(k)), *bridge.settings, ("v", __version__))
    return Translations(
        asked, places, neighbors, bridge.target.vocabulary, Signature("translate", settings)
    )


def with_new(
    bridge: Bridge, found: Translations, k: int, part: Retriever, workers: int | None = None
) -> Translations:
    """Also candidates for words that are not in the vocabulary, where n-grams give them a vector.

    They are looked for as if they were in it; those that are in it do not notice.
    """
    missing = np.flatnonzero(found.rows < 0)
    if bridge.source.others is None or not len(missing):
        return found
    made, known = bridge.source.others(found.unknown)
    if not known.any():
        return found
    source = np.vstack([bridge.source.rows, made[known]])
    queries = np.arange(len(bridge.source), len(source))
    more, old = part.retrieve(queries, source, bridge.target.rows, k, workers), found.neighbors
    rows = found.rows.copy()
    rows[missing[known]] = len(old.ids) + np.arange(len(queries))
    if len(old.ids):
        more = Neighbors(np.vstack([old.ids, more.ids]), np.vstack([old.scores, more.scores]))
    new = tuple(word for word, there in zip(found.unknown, known, strict=True) if there)
    return replace(found, rows=rows, neighbors=more, new=new)


def retrieval(part: Retriever) -> tuple[tuple[str, str], ...]:
    """What a signature says of a retriever."""
    return (("retriever", part.name), *part.settings())


def refuse_k(numbers: Sequence[int]) -> None:
    """Refuse numbers of candidates that are none."""
    for k in numbers:
        if k < 1:
            raise OptionError(f"k is {k}", fix="ask for one candidate or more")
