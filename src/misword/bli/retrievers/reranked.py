"""Candidates of CSLS, re-ordered by the probability that they are right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from misword.bli.reranking.features import FEATURES, NO_SPELLING, CandidateLists, feature_blocks
from misword.bli.reranking.model import ListModel, Reranker
from misword.bli.retrievers import MappedLanguages, Neighbors, Retriever, RowNumbers
from misword.core.context import Context
from misword.core.errors import OptionError
from misword.core.parts import Settings
from misword.core.progress import progress


@dataclass(frozen=True, slots=True)
class Reranked(Retriever):
    """The 30 best candidates of CSLS in the order of their probability, which is their score.

    The probability that a candidate is right is computed by the mapping's reranker, which
    `misword map --rerank LEXICON` learns. It is a logistic model of the scores, ranks and hubness
    in both directions, of the frequency of both words, of forms of one word among the candidates
    and of similar spelling. `spelling=false` uses the model without the similarity of spelling,
    from which related languages profit most. If more than 30 candidates are asked for, all of them
    are re-ordered.

    Known problems: the probabilities hold for words like those of the lexicon that the reranker was
    learnt from, and for the number of words that the mapping was made with; only the direction from
    source to target has a reranker.

    Example: `misword evaluate en-fr.map gold.txt --retriever csls,reranked,reranked:spelling=false`
    """

    name: ClassVar[str] = "reranked"
    title: ClassVar[str] = "CSLS, re-ranked"
    cites: ClassVar[tuple[str, ...]] = ("conneau2018",)
    gives_probabilities: ClassVar[bool] = True

    spelling: bool = True

    def check_languages(self, languages: MappedLanguages) -> None:
        """Raise an error if the mapping has no reranker for this direction."""
        self._model(self._reranker(languages))

    def settings_for(self, languages: MappedLanguages) -> Settings:
        """Return the option, and the digest of the reranker."""
        digest = self._reranker(languages).digest
        return (*self.settings(Context()), ("reranker", digest))

    def search(
        self, queries: RowNumbers, languages: MappedLanguages, k: int, workers: int | None = None
    ) -> Neighbors:
        """Return the `k` candidates with the greatest probability for each query."""
        reranker = self._reranker(languages)
        model, size = self._model(reranker), max(k, reranker.candidates)
        lists = CandidateLists.find(queries, languages.source, languages.target, size, workers)
        words = languages.source_words, languages.target_words
        chosen = [FEATURES.index(name) for name in model.features]
        probabilities, done = np.empty(lists.ids.shape), 0
        with progress("re-ranking", len(queries)) as step:
            for features in feature_blocks(lists, *words, workers):
                block = model.probabilities(features[..., chosen])
                probabilities[done : done + len(block)] = block
                done += len(block)
                step(len(block))
        # A stable sort: candidates with the same probability stay in the order of CSLS.
        order = np.argsort(-probabilities, axis=1, kind="stable")[:, :k]
        scores = np.take_along_axis(probabilities, order, 1).astype(np.float32)
        return Neighbors(np.take_along_axis(lists.ids, order, 1), scores)

    def _reranker(self, languages: MappedLanguages) -> Reranker:
        if languages.reranker is None:
            raise OptionError(
                "this mapping has no reranker for this direction",
                fix="learn one, from the source to the target language: "
                "misword map ... --rerank LEXICON",
            )
        return languages.reranker

    def _model(self, reranker: Reranker) -> ListModel:
        """Return the model of this option; raise an error if its features are not known here."""
        model = reranker.model(self.spelling)
        if model.features != (FEATURES if self.spelling else NO_SPELLING):
            raise OptionError(
                "the reranker was learnt by another version of misword",
                fix="make the mapping again",
            )
        return model
