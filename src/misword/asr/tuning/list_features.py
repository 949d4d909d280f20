"""N-best lists in memory together with lists of their features."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from misword.asr.choosing.list_columns import make_list_corpus
from misword.core.errors import MismatchError, OptionError
from misword.core.types import OWN_COLUMNS, Corpus


def corpus_with_features(
    references: Any, hypotheses: Any, features: Mapping[str, Any], ids: Any = None
) -> Corpus:
    """Make a corpus of lists of hypotheses, with a number of each feature for each hypothesis.

    >>> corpus = corpus_with_features(["a"], [["a", "b"]], {"score": [[-1, -2]], "lm": [[5, 7]]})
    >>> corpus.hypotheses.select("text", "score", "lm").rows()
    [('a', -1.0, 5.0), ('b', -2.0, 7.0)]
    """
    import polars as pl

    if hypotheses is None or isinstance(hypotheses, Mapping):
        raise OptionError(
            "features in lists need the lists of one system",
            fix="give a list of texts for each reference",
        )
    texts = [[entry] if isinstance(entry, str) else list(entry) for entry in hypotheses]
    corpus = make_list_corpus(references, texts, ids=ids)
    sizes = [len(entry) for entry in texts]
    columns = []
    for name, values in features.items():
        if name in OWN_COLUMNS and name != "score":
            raise OptionError(f"a feature is named {name!r}", fix="use another name")
        rows = [list(entry) for entry in values]
        if [len(entry) for entry in rows] != sizes:
            raise MismatchError(
                f"the feature {name!r} does not have a number for each hypothesis",
                fix="give a list of numbers for each list of texts, of the same length",
            )
        columns.append(pl.Series(name, list(chain.from_iterable(rows)), pl.Float64, strict=False))
    return Corpus(corpus.references, corpus.hypotheses.with_columns(columns), corpus.words)
