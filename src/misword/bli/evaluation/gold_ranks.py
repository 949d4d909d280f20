"""The rank of each gold translation among the candidates of a mapping and a retriever.

Every rate follows from these ranks. They are summed up by headword (source word), because headwords
are what the bootstrap resamples.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.headword_counts import Counts, HeadwordCounts, PairFlags
from misword.bli.evaluation.lemmas import Lemmatizer
from misword.bli.open_mapping import OpenMapping
from misword.bli.retrievers import Retriever
from misword.bli.translate import Translations, retriever_settings, translate_listed
from misword.core.errors import InputError, OptionError
from misword.core.parts.contract import Settings
from misword.io.lexicons import Lexicon

if TYPE_CHECKING:
    import polars as pl

LIKELY_CANDIDATES = 30


@dataclass(frozen=True, slots=True, eq=False)
class GoldRanks:
    """The ranks of the gold pairs of a lexicon, by one mapping and one retriever.

    For each pair, `headword_of` is the number of its headword, `reachable` says whether both its
    words have a vector, and `ranks` is the rank of its translation among the candidates, 0 if it is
    not among them. For each headword, `headword_known` says whether it has a vector. `lemma_of` has
    the lemma of each candidate; it is None if candidates are compared without lemmas. `right` says
    which candidates are gold translations, by row and column of `candidates.neighbors`;
    `gives_probabilities` that their scores are probabilities.
    """

    lexicon: Lexicon
    system: str
    headword_of: Counts
    headword_known: NDArray[np.bool_]
    reachable: PairFlags
    ranks: Counts
    candidates: Translations
    settings: Settings
    right: NDArray[np.bool_]
    lemma_of: Mapping[str, str] | None = None
    gives_probabilities: bool = False

    @classmethod
    def of(
        cls,
        mapping: OpenMapping,
        lexicon: Lexicon,
        part: Retriever,
        k: int,
        system: str = "",
        workers: int | None = None,
        lemmatizer: Lemmatizer | None = None,
    ) -> GoldRanks:
        """Retrieve the `k` best candidates of each headword and rank the gold translations.

        With a `lemmatizer` a candidate is also right if its lemma is the gold translation; if
        several candidates have that lemma, the first of them gives the rank. Where scores are
        probabilities, at least `LIKELY_CANDIDATES` are retrieved: no likely one is left out.
        """
        _check_size(mapping, k)
        if part.gives_probabilities:
            k = max(k, min(LIKELY_CANDIDATES, len(mapping.target)))
        words = list(lexicon.headwords)
        number_of = {word: number for number, word in enumerate(words)}
        headword_of = np.array([number_of[word] for word in lexicon.source], np.int64)
        candidates = translate_listed(mapping, words, k, part, workers)
        headword_known = np.asarray(candidates.rows >= 0)
        if not headword_known.any():
            raise _no_headword_known(mapping, lexicon)
        target_rows = mapping.target.find(lexicon.target)
        # Only pairs whose headword has a vector have candidates.
        answered = headword_known[headword_of]
        candidate_ids = candidates.neighbors.ids[candidates.rows[headword_of[answered]]]
        right = candidate_ids == target_rows[answered, None]  # a target without a vector is -1
        settings, lemma_of = (*retriever_settings(part, mapping), *mapping.settings), None
        if lemmatizer is not None:
            gold = [word for word, here in zip(lexicon.target, answered, strict=True) if here]
            vocabulary = mapping.target.vocabulary
            right_lemma, lemma_of = lemmatizer.compare(candidate_ids, vocabulary, gold)
            right |= right_lemma
            settings += lemmatizer.settings
        right_candidates = np.zeros(candidates.neighbors.ids.shape, np.bool_)
        np.logical_or.at(right_candidates, candidates.rows[headword_of[answered]], right)
        ranks = np.zeros(len(lexicon), np.int64)
        ranks[answered] = np.where(right.any(axis=1), right.argmax(axis=1) + 1, 0)
        # Lemmas do not make a pair reachable: pairs that only a lemma can find would then count
        # only if they are found, and raise the hit rate.
        reachable = answered & (target_rows >= 0)
        return cls(
            lexicon, system or mapping.name, headword_of, headword_known, reachable, ranks,
            candidates, settings, right_candidates, lemma_of, part.gives_probabilities,
        )  # fmt: skip

    def counts(self, k_values: Sequence[int], pairs: PairFlags | None = None) -> HeadwordCounts:
        """Sum up by headword: all pairs, or the pairs of a slice and the headwords they have."""
        included = np.ones(len(self.headword_of), np.bool_) if pairs is None else pairs
        headwords, ranks = self.headword_of[included], self.ranks[included]
        size = len(self.headword_known)
        pair_counts = np.bincount(headwords, minlength=size)
        present = pair_counts > 0
        reachable = np.bincount(headwords[self.reachable[included]], minlength=size)
        found = {
            k: np.bincount(headwords[(ranks > 0) & (ranks <= k)], minlength=size)[present]
            for k in k_values
        }
        return HeadwordCounts(
            np.flatnonzero(present),
            self.headword_known[present].astype(np.int64),
            pair_counts[present],
            reachable[present],
            found,
        )

    def pairs(self) -> pl.DataFrame:
        """Return a row for each gold pair: its line, whether its words have vectors, its rank."""
        import polars as pl

        ranks = pl.Series(self.ranks)
        return pl.DataFrame(
            {
                "system": pl.Series([self.system] * len(self.lexicon), dtype=pl.String),
                "source": self.lexicon.source,
                "target": self.lexicon.target,
                "line": self.lexicon.lines,
                "source_known": self.headword_known[self.headword_of],
                "both_known": self.reachable,
                "rank": ranks.set(ranks == 0, None),
            }
        )

    def predictions(self) -> pl.DataFrame:
        """Return the candidates of each headword, and whether each candidate is right."""
        import polars as pl

        table = self.candidates.table()
        gold = set(zip(self.lexicon.source, self.lexicon.target, strict=True))
        words, candidates = table["word"].to_list(), table["candidate"].to_list()
        lemmas = [(self.lemma_of or {}).get(candidate) for candidate in candidates]
        right = [
            (word, candidate) in gold or (word, lemma) in gold
            for word, candidate, lemma in zip(words, candidates, lemmas, strict=True)
        ]
        if self.lemma_of is not None:
            table = table.with_columns(pl.Series("lemma", lemmas, pl.String))
        system = pl.lit(self.system).alias("system")
        return table.select(system, pl.all()).with_columns(pl.Series("right", right, pl.Boolean))


def _check_size(mapping: OpenMapping, k: int) -> None:
    """Raise if there are fewer target words than candidates to retrieve."""
    if k > len(mapping.target):
        raise OptionError(
            f"{k} candidates of {len(mapping.target)} words",
            where=mapping.name,
            fix="ask for fewer with --k",
        )


def _no_headword_known(mapping: OpenMapping, lexicon: Lexicon) -> InputError:
    """Return the error for a lexicon none of whose headwords has a vector, with a likely reason."""
    headwords = list(lexicon.headwords)
    lower = [word.lower() for word in headwords]
    fix = "check that the lexicon is of these languages"
    if (mapping.target.find(headwords) >= 0).any():
        fix = "the other language has some of them: turn the way round, with or without --reverse"
    elif (mapping.source.find(lower) >= 0).any():
        fix = "some are there in lower case: --lower"
    return InputError(
        f"none of its {len(headwords):,} headwords is among the {len(mapping.source):,} words of "
        f"{mapping.name}",
        where=lexicon.name,
        fix=fix,
    )
