"""The rank of each gold translation among the candidates of a mapping and a retriever, or a file.

Every rate follows from these ranks. They are summed up by headword (source word), because
headwords are what the bootstrap resamples.

With a lemma rule, an inflected form of a gold translation counts as that translation: dictionaries
list base forms, word vectors have all forms, and the nearest candidate is often an inflected form.
Candidates with the same lemma count as one: the first gives the rank.

- `candidate`: the lemma of the candidate is the gold translation as it is written. Denisová and
  Rychlý (2023) gain 1 to 7 points of recall by this rule.
- `both`: the candidate and the gold translation have a lemma in common. Gold translations can be
  inflected forms too. Each word is lemmatised as it is written, in lower case and with a capital,
  because vectors are often in lower case and a lemmatizer of German knows nouns with a capital; the
  lemmas are compared in lower case, and the word itself counts as one of its lemmas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.rates import Counts, HeadwordCounts, PairFlags
from misword.bli.evaluation.right_candidates import RightPairs, right_candidates
from misword.bli.inputs import CandidateFile
from misword.bli.open_mapping import OpenMapping
from misword.bli.options import LEMMA_RULES, LemmaRule, explained
from misword.bli.retrievers import Retriever, RowNumbers
from misword.bli.translate import (
    Translations,
    listed_candidates,
    retriever_settings,
    translate_listed,
)
from misword.bli.word_analysis import Lemmatizer
from misword.core.errors import InputError, OptionError
from misword.core.lazy import pl
from misword.core.parts import Settings
from misword.io.lexicons import Lexicon

# What is compared, by word: the lemmas of the word, or the word as it is written.
Compared = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class LemmaMatch:
    """The rule (`LEMMA_RULES`) and the lemmatizer by which a candidate is right by its lemma."""

    lemmatizer: Lemmatizer
    rule: LemmaRule = "candidate"

    @classmethod
    def of(cls, lang: str, name: str = "", rule: str = "candidate") -> LemmaMatch:
        """Return the rule with the lemmatizer of a language; raise if there is no such rule."""
        for known in LEMMA_RULES:
            if known == rule:
                return cls(Lemmatizer.of(lang, name), known)
        raise OptionError(f"no rule {rule!r} for lemmas", fix=f"use {explained(LEMMA_RULES)}")

    @property
    def settings(self) -> Settings:
        """The lemmatizer and, unless it is the first, the rule, as a signature names them."""
        rule = () if self.rule == "candidate" else (("lemma_rule", self.rule),)
        return (*self.lemmatizer.settings, *rule, ("candidates_count", "once"))

    def compare(
        self, candidates: NDArray[np.int64], vocabulary: Sequence[str], gold: Sequence[str]
    ) -> tuple[NDArray[np.bool_], dict[str, str]]:
        """Return which candidates are right by their lemma, and each candidate's lemma.

        `candidates` has a row for each gold word: the numbers of its candidates in the vocabulary,
        -1 where there is none. A gold word may be empty, if its translation is missing.
        """
        ids = [id_ for id_ in np.unique(candidates).tolist() if id_ >= 0]
        words = [vocabulary[id_] for id_ in ids]
        lemma_of = dict(zip(words, self.lemmatizer.lemmas(words), strict=True))
        if self.rule == "both":
            of_words = self._all_lemmas([*words, *gold])
            of_gold = of_words
        else:
            of_words = {word: frozenset([lemma]) for word, lemma in lemma_of.items()}
            of_gold = {word: frozenset([word] if word else []) for word in gold}
        of_id = {id_: of_words[word] for id_, word in zip(ids, words, strict=True)}
        nothing = frozenset[str]()
        right = [
            [not of_gold[word].isdisjoint(of_id.get(id_, nothing)) for id_ in row]
            for word, row in zip(gold, candidates.tolist(), strict=True)
        ]
        return np.array(right, np.bool_).reshape(candidates.shape), lemma_of

    def _all_lemmas(self, words: Iterable[str]) -> Compared:
        """Return the lemmas of each word in any case, and the word itself, all in lower case."""
        distinct = [word for word in dict.fromkeys(words) if word]
        cases = [dict.fromkeys([word, word.lower(), word.capitalize()]) for word in distinct]
        written = list(dict.fromkeys(form for forms in cases for form in forms))
        lemma_of = dict(zip(written, self.lemmatizer.lemmas(written), strict=True))
        found: Compared = {
            word: frozenset([word.lower(), *(lemma_of[form].lower() for form in forms)]) - {""}
            for word, forms in zip(distinct, cases, strict=True)
        }
        return {"": frozenset(), **found}


# The ranks of gold translations.

LIKELY_CANDIDATES = 30


@dataclass(frozen=True, slots=True, eq=False)
class GoldRanks:
    """The ranks of the gold pairs of a lexicon, by a mapping and a retriever, or by a file.

    For each pair, `headword_of` is the number of its headword, `reachable` says whether both its
    words have a vector (see `of_file` for files of candidates), and `ranks` is the rank of its
    translation among the candidates, 0 if it is not among them. For each headword, `headword_known`
    says whether it has a vector. `lemma_of` has the lemma of each candidate; it is None if
    candidates are compared without lemmas. `right` says which candidates are gold translations, by
    row and column of `candidates.neighbors`, and `pair_right` for each pair which candidates of its
    headword are its translation; `gives_probabilities` that their scores are probabilities.
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
    pair_right: RightPairs
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
        lemmas: LemmaMatch | None = None,
    ) -> GoldRanks:
        """Retrieve the `k` best candidates of each headword and rank the gold translations.

        With `lemmas` a candidate can also be right by its lemma. Where scores are probabilities, at
        least `LIKELY_CANDIDATES` are retrieved: no likely one is left out.
        """
        _check_size(mapping, k)
        if part.gives_probabilities:
            k = max(k, min(LIKELY_CANDIDATES, len(mapping.target)))
        candidates = translate_listed(mapping, list(lexicon.headwords), k, part, workers)
        if not (candidates.rows >= 0).any():
            raise _no_headword_known(mapping, lexicon)
        target_ids = mapping.target.find(lexicon.target)
        # Lemmas do not make a pair reachable: pairs that only a lemma can find would then count
        # only if they are found, and raise the hit rate.
        return cls._judge(
            lexicon,
            candidates,
            target_ids,
            target_ids >= 0,
            lemmas,
            system=system or mapping.name,
            settings=(*retriever_settings(part, mapping), *mapping.settings),
            gives_probabilities=part.gives_probabilities,
        )

    @classmethod
    def of_file(
        cls, file: CandidateFile, lexicon: Lexicon, k: int, lemmas: LemmaMatch | None = None
    ) -> GoldRanks:
        """Rank the gold translations among the first `k` candidates of a file.

        A headword is known if the file has candidates for it. Which translations could have been
        candidates is not known, so all pairs of a known headword are reachable.
        """
        settings = (("candidates", file.digest[:16]),)
        candidates = listed_candidates(file, list(lexicon.headwords), k, settings)
        if not (candidates.rows >= 0).any():
            raise InputError(
                f"no headword of {lexicon.name} has a candidate in it",
                where=file.path,
                fix="check that it is the right file, and of the right direction",
            )
        id_of = {word: id_ for id_, word in enumerate(candidates.target)}
        target_ids = np.array([id_of.get(word, -1) for word in lexicon.target], np.int64)
        every = np.ones(len(lexicon), np.bool_)
        return cls._judge(
            lexicon, candidates, target_ids, every, lemmas, system=file.name, settings=settings
        )

    @classmethod
    def _judge(
        cls,
        lexicon: Lexicon,
        candidates: Translations,
        target_ids: RowNumbers,
        target_known: PairFlags,
        lemmas: LemmaMatch | None,
        *,
        system: str,
        settings: Settings,
        gives_probabilities: bool = False,
    ) -> GoldRanks:
        """Compare the candidates of the headwords with the gold translations.

        `target_ids` has the number of each translation in the vocabulary of the candidates, -1 if
        it is not there.
        """
        number_of = {word: number for number, word in enumerate(lexicon.headwords)}
        headword_of = np.array([number_of[word] for word in lexicon.source], np.int64)
        headword_known = np.asarray(candidates.rows >= 0)
        # Only pairs whose headword has a vector have candidates.
        answered = headword_known[headword_of]
        rows = candidates.rows[headword_of[answered]]
        ids = candidates.neighbors.ids[rows]
        right = (ids == target_ids[answered, None]) & (ids >= 0)
        lemma_of = None
        if lemmas is not None:
            gold = [word for word, here in zip(lexicon.target, answered, strict=True) if here]
            right_lemma, lemma_of = lemmas.compare(ids, candidates.target, gold)
            right |= right_lemma
            settings += lemmas.settings
        right_of_headwords = np.zeros(candidates.neighbors.ids.shape, np.bool_)
        np.logical_or.at(right_of_headwords, rows, right)
        pair_right = np.zeros((len(lexicon), right.shape[1]), np.bool_)
        pair_right[answered] = right
        ranks = np.where(pair_right.any(axis=1), pair_right.argmax(axis=1) + 1, 0)
        return cls(
            lexicon, system, headword_of, headword_known, answered & target_known, ranks,
            candidates, settings, right_of_headwords, pair_right, lemma_of, gives_probabilities,
        )  # fmt: skip

    @property
    def listed(self) -> Counts:
        """The number of candidates of each headword."""
        numbers = (self.candidates.neighbors.ids >= 0).sum(axis=1)
        rows = self.candidates.rows
        return np.where(rows >= 0, numbers[rows], 0).astype(np.int64)

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
        counted, places = right_candidates(headwords, self.pair_right[included])
        right = {k: np.bincount(counted[places <= k], minlength=size)[present] for k in k_values}
        return HeadwordCounts(
            np.flatnonzero(present),
            self.headword_known[present].astype(np.int64),
            pair_counts[present],
            reachable[present],
            self.listed[present],
            found,
            right,
        )

    def pairs(self) -> pl.DataFrame:
        """Return a row for each gold pair: its line, whether its words have vectors, its rank."""
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
        table = self.candidates.table()
        rows = self.candidates.rows
        filled = self.candidates.neighbors.ids >= 0
        # The rows of the table: each headword with its candidates, or one row without any.
        right = [
            flag
            for row in rows.tolist()
            for flag in (self.right[row][filled[row]].tolist() if row >= 0 else [False])
        ]
        if self.lemma_of is not None:
            lemmas = [self.lemma_of.get(candidate) for candidate in table["candidate"].to_list()]
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
        fix = "the other language has some of them: add --reverse, or leave it out"
    elif (mapping.source.find(lower) >= 0).any():
        fix = "some are there in lower case: --lower"
    return InputError(
        f"none of its {len(headwords):,} headwords is among the {len(mapping.source):,} words of "
        f"{mapping.name}",
        where=lexicon.name,
        fix=fix,
    )
