"""What a mapping answers to the words of a gold lexicon, counted so that it adds up.

Everything follows from one number for each gold pair: at which rank the translation came, 0 if it
did not. Counts are kept by headword (source word), since headwords are what is drawn in a
bootstrap; rates are quotients of their sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.lemmas import Lemmas
from misword.bli.open_mapping import Bridge, Settings
from misword.bli.retrievers import Retriever
from misword.bli.translate import Translations, retrieval, translations
from misword.core.errors import InputError, OptionError
from misword.io.lexicons import Lexicon

if TYPE_CHECKING:
    import polars as pl

Flags = NDArray[np.bool_]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers of one mapping by one retriever to one lexicon.

    `heads` numbers the headword of each pair. `known` says of each headword whether it has a
    vector, `reachable` of each pair whether both its words have one; `ranks` has the rank of each
    pair's translation among the candidates, 0 if it is not there. `lemmas` has the lemma of each
    candidate, where lemmas count too.
    """

    lexicon: Lexicon
    system: str
    heads: Counts
    known: Flags
    reachable: Flags
    ranks: Counts
    candidates: Translations
    settings: Settings
    lemmas: Mapping[str, str] | None = None

    @classmethod
    def of(
        cls,
        bridge: Bridge,
        lexicon: Lexicon,
        part: Retriever,
        k: int,
        system: str = "",
        workers: int | None = None,
        lemmas: Lemmas | None = None,
    ) -> Answers:
        """Look for the `k` best candidates of each headword.

        With `lemmas` a candidate is also right if its lemma is; the first of several that have the
        same lemma gives the rank.
        """
        if k > len(bridge.target.rows):
            raise OptionError(
                f"{k} candidates of {len(bridge.target.rows)} words",
                where=bridge.name,
                fix="ask for fewer with --k",
            )
        words = list(lexicon.headwords)
        number = {word: place for place, word in enumerate(words)}
        heads = np.array([number[word] for word in lexicon.source], np.int64)
        found = translations(bridge, words, k, part, workers)
        targets = bridge.target.find(lexicon.target)
        known = np.asarray(found.rows >= 0)
        if not known.any():
            raise _strangers(bridge, lexicon)
        asked = known[heads]
        came = found.neighbors.ids[found.rows[heads[asked]]]
        right = came == np.where(targets >= 0, targets, -1)[asked, None]
        settings, forms = (*retrieval(part), *bridge.settings), None
        if lemmas is not None:
            gold = [word for word, there in zip(lexicon.target, asked, strict=True) if there]
            by_lemma, forms = lemmas.equal(came, bridge.target.vocabulary, gold)
            right |= by_lemma
            settings += lemmas.settings
        ranks = np.zeros(len(lexicon), np.int64)
        ranks[asked] = np.where(right.any(axis=1), right.argmax(axis=1) + 1, 0)
        # What only a lemma can find stays out of reach: counted if found, it would add but hits.
        reachable, name = asked & (targets >= 0), system or bridge.name
        return cls(lexicon, name, heads, known, reachable, ranks, found, settings, forms)

    def counts(self, within: Sequence[int], only: Flags | None = None) -> Tally:
        """Counts by headword, of all pairs or of `only` some (then of the headwords they have)."""
        kept = np.ones(len(self.heads), np.bool_) if only is None else only
        heads = self.heads[kept]
        size = len(self.known)
        pairs = np.bincount(heads, minlength=size)
        there = pairs > 0
        reachable = np.bincount(heads[self.reachable[kept]], minlength=size)
        ranks = self.ranks[kept]
        found = {
            k: np.bincount(heads[(ranks > 0) & (ranks <= k)], minlength=size)[there] for k in within
        }
        return Tally(
            np.flatnonzero(there), self.known[there].astype(np.int64), pairs[there],
            reachable[there], found,
        )  # fmt: skip

    def pairs(self) -> pl.DataFrame:
        """A row for each gold pair: its line, whether its words have vectors, its rank or null."""
        import polars as pl

        ranks = pl.Series(self.ranks)
        return pl.DataFrame(
            {
                "system": pl.Series([self.system] * len(self.lexicon), dtype=pl.String),
                "source": self.lexicon.source,
                "target": self.lexicon.target,
                "line": self.lexicon.lines,
                "source_known": self.known[self.heads],
                "both_known": self.reachable,
                "rank": ranks.set(ranks == 0, None),
            }
        )

    def predictions(self) -> pl.DataFrame:
        """The candidates of each headword, and whether each is right."""
        import polars as pl

        told = self.candidates.table()
        gold = set(zip(self.lexicon.source, self.lexicon.target, strict=True))
        words, candidates = told["word"].to_list(), told["candidate"].to_list()
        lemmas = [(self.lemmas or {}).get(word) for word in candidates]
        right = [
            (word, candidate) in gold or (word, lemma) in gold
            for word, candidate, lemma in zip(words, candidates, lemmas, strict=True)
        ]
        if self.lemmas is not None:
            told = told.with_columns(pl.Series("lemma", lemmas, pl.String))
        system = pl.lit(self.system).alias("system")
        return told.select(system, pl.all()).with_columns(pl.Series("right", right, pl.Boolean))


def _strangers(bridge: Bridge, lexicon: Lexicon) -> InputError:
    """No headword is known: most often the wrong way round, or another language."""
    fix = "check that the lexicon is of these languages"
    heads = list(lexicon.headwords)
    if (bridge.target.find(heads) >= 0).any():
        fix = "the other language has some of them: turn the way round, with or without --reverse"
    elif (bridge.source.find([word.lower() for word in heads]) >= 0).any():
        fix = "some are there in lower case: --lower"
    return InputError(
        f"none of its {len(heads):,} headwords is among the {len(bridge.source):,} words of "
        f"{bridge.name}",
        where=lexicon.name,
        fix=fix,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Tally:
    """Counts of some headwords: `rows` are their numbers in the lexicon.

    `known` is 1 for a headword that has a vector, else 0; `pairs` are its gold pairs, `reachable`
    those of which both words have a vector, `found[k]` those found among k candidates.
    """

    rows: Counts
    known: Counts
    pairs: Counts
    reachable: Counts
    found: dict[int, Counts]

    def __len__(self) -> int:
        return len(self.rows)
