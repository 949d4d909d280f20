"""Aligned words of some judgements or triplets, without rates, for the page's scripts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from misword.core.types import Result
from misword.report.article import Article
from misword.report.explorer.data import explorer_data
from misword.report.result_access import table
from misword.report.utterance_rates import UtteranceRates


def add_aligned_words(
    article: Article, name: str, ids: Sequence[str], systems: Sequence[str]
) -> str | None:
    """Add the aligned words of some ids as data, and return the id of its block.

    Returns None for a result without words. `ids` are values of the column `utt` of the words.
    """
    import polars as pl

    words = table(article.result, "words")
    if words is None:
        return None
    shown = words.filter(pl.col("utt").cast(pl.String).is_in(list(ids)))
    only_words = Result(article.result.kind, {"words": shown}, article.result.provenance)
    no_rates = UtteranceRates(list(ids), [], list(systems), np.empty((0, len(systems), len(ids))))
    return article.add_data(name, explorer_data(only_words, no_rates))
