"""Scores of all hypotheses of N-best lists, from texts or from scores that exist."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from misword.asr.choosing.list_columns import make_list_corpus
from misword.asr.corpus_columns import make_corpus
from misword.asr.score import score, scores_from
from misword.core.types import Corpus
from misword.stat.scores import Scores

if TYPE_CHECKING:
    import polars as pl


def scored_lists(
    references: Any, hypotheses: Any, ids: Any, options: Mapping[str, Any]
) -> tuple[Scores, pl.DataFrame | None]:
    """Return the scores of all hypotheses, and a table of their texts if these are known.

    `references`, `hypotheses` and `ids` are those of `misword.oracle`, `options` those of
    `misword.score`. The table of texts has the columns of a `Corpus`, with the text as
    `hypothesis`.
    """
    if isinstance(references, Scores):
        scores = scores_from(references, {**options, "hypotheses": hypotheses, "ids": ids})
        known = "texts" in scores.records
        return scores, scores.texts(all_ranks=True) if known else None
    corpora: list[Corpus] = []

    def read() -> Corpus:
        if hypotheses is None:
            corpora.append(make_corpus(references, None, ids=ids))
        else:
            corpora.append(make_list_corpus(references, hypotheses, ids=ids))
        return corpora[0]

    # Without the texts, the scores do not keep tokens and alignments in memory.
    scores = score(read, **options, keep_texts=False)
    return scores, corpora[0].hypotheses.rename({"text": "hypothesis"})
