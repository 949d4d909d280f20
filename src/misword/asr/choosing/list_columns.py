"""A corpus with N-best lists from columns in memory."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from misword.asr.corpus_columns import make_corpus, refuse_missing, text_column
from misword.core.errors import InputError
from misword.core.types import Corpus


def make_list_corpus(references: Any, hypotheses: Any, *, ids: Any = None) -> Corpus:
    """Make a `Corpus` of references and their lists of hypotheses, the best hypothesis first.

    `hypotheses` has a list of texts for each reference, or is a mapping of such columns by the
    names of the systems. A text alone is a list of one. Without `ids`, the utterances are numbered
    from 1.

    >>> corpus = make_list_corpus(["a b", "c"], [["a", "a b"], ["c"]])
    >>> corpus.hypotheses.select("utt", "rank", "text").rows()
    [('1', 1, 'a'), ('1', 2, 'a b'), ('2', 1, 'c')]
    """
    import polars as pl

    systems = hypotheses if isinstance(hypotheses, Mapping) else {"hypothesis": hypotheses}
    lists = {str(name): [_texts(entry) for entry in column] for name, column in systems.items()}
    for name, texts in lists.items():
        if [] in texts:
            raise InputError(
                f"the list of reference {texts.index([]) + 1} is empty",
                where=f"hypotheses of {name!r}",
                fix="give an empty string where nothing was recognised",
            )
    first = {name: [texts[0] for texts in column] for name, column in lists.items()}
    corpus = make_corpus(references, first, ids=ids)
    frames = []
    for name, column in lists.items():
        what, lengths = f"hypotheses of {name!r}", [len(texts) for texts in column]
        utts = corpus.references["utt"].gather(np.repeat(np.arange(len(column)), lengths))
        rows = text_column(list(chain.from_iterable(column)), what)
        refuse_missing(rows, what, utts)
        ranks = np.concatenate([np.arange(1, length + 1) for length in lengths])
        frame = pl.DataFrame({"utt": utts, "rank": ranks, "text": rows})
        frames.append(frame.with_columns(pl.lit(name).alias("system")))
    score = pl.lit(None, pl.Float64).alias("score")
    all_rows = pl.concat(frames).select("utt", "system", "rank", "text", score)
    return Corpus(corpus.references, all_rows, corpus.words)


def _texts(entry: Any) -> list[Any]:
    """Return the texts of a list; a text, or None, is a list of one."""
    return [entry] if entry is None or isinstance(entry, str) else list(entry)
