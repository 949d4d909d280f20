"""Lemmas in an evaluation: an inflected form of a gold translation counts as that translation.

Dictionaries list base forms, word vectors have all forms, and the nearest candidate is often an
inflected form. Candidates with the same lemma count as one: the first gives the rank.

- `candidate`: the lemma of the candidate is the gold translation as it is written. Denisová and
  Rychlý (2023) gain 1 to 7 points of recall by this rule.
- `both`: the candidate and the gold translation have a lemma in common. Gold translations can be
  inflected forms too. Each word is lemmatised as it is written, in lower case and with a capital,
  because vectors are often in lower case and a lemmatizer of German knows nouns with a capital; the
  lemmas are compared in lower case, and the word itself counts as one of its lemmas.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from misword.bli.evaluation.lemmas import Lemmatizer
from misword.core.errors import OptionError
from misword.core.parts.contract import Settings

LemmaRule = Literal["candidate", "both"]
LEMMA_RULES: dict[LemmaRule, str] = {
    "candidate": "the candidate's lemma is the gold translation as written, as in Denisová's paper",
    "both": "the candidate and the gold translation have a lemma in common, in any case",
}
# What is compared, by word: the lemmas of the word, or the word as it is written.
Compared = dict[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class LemmaMatch:
    """Says which candidates are right by their lemma, by one of the `LEMMA_RULES`."""

    lemmatizer: Lemmatizer
    rule: LemmaRule = "candidate"

    @classmethod
    def of(cls, lang: str, name: str = "", rule: str = "candidate") -> LemmaMatch:
        """Return the rule with the lemmatizer of a language; raise if there is no such rule."""
        for known in LEMMA_RULES:
            if known == rule:
                return cls(Lemmatizer.of(lang, name), known)
        rules = "; ".join(f"{known}: {about}" for known, about in LEMMA_RULES.items())
        raise OptionError(f"no rule {rule!r} for lemmas", fix=f"use {rules}")

    @property
    def settings(self) -> Settings:
        """The lemmatizer and, unless it is the first, the rule, as a signature names them."""
        rule = () if self.rule == "candidate" else (("lemma_rule", self.rule),)
        return (*self.lemmatizer.settings, *rule)

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
