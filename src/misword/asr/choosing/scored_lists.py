"""Scores of all hypotheses of N-best lists, from texts or from scores that exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from misword.asr.choosing.list_columns import make_list_corpus
from misword.asr.corpus_columns import make_corpus
from misword.asr.score import score, scores_from
from misword.core.types import Corpus
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


class ScoredLists(NamedTuple):
    """The scores of all hypotheses, their texts if these are known, and the references.

    `texts` has the columns of the hypotheses of a `Corpus`, with the text as `hypothesis`.
    `references` has the columns of the references of a `Corpus`; scores have no text of them.
    """

    scores: Scores
    texts: pl.DataFrame | None
    references: pl.DataFrame


def scored_lists(
    references: Any, hypotheses: Any, ids: Any, options: Mapping[str, Any]
) -> ScoredLists:
    """Return the scores of all hypotheses, with their texts and references.

    `references`, `hypotheses` and `ids` are those of `misword.oracle`, `options` those of
    `misword.score`.
    """
    if isinstance(references, Scores):
        scores = scores_from(references, {**options, "hypotheses": hypotheses, "ids": ids})
        known = "texts" in scores.records
        texts = scores.texts(all_ranks=True) if known else None
        utterances = scores.table.unique("utt", keep="first", maintain_order=True)
        return ScoredLists(scores, texts, utterances)
    corpora: list[Corpus] = []

    def read() -> Corpus:
        if hypotheses is None:
            corpora.append(make_corpus(references, None, ids=ids))
        else:
            corpora.append(make_list_corpus(references, hypotheses, ids=ids))
        return corpora[0]

    # Without the texts, the scores do not keep tokens and alignments in memory.
    scores = score(read, **options, keep_texts=False)
    texts = corpora[0].hypotheses.rename({"text": "hypothesis"})
    return ScoredLists(scores, texts, corpora[0].references)
